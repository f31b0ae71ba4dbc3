"""The account as it is now and what is held, for the questions that ask of nothing else."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.daily import positions_of, weight_of
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.symbols import symbol_of_kind
from ia.domain.rules.lots import find_lot
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

Held = list[tuple[str, Json]]
"""Positions by symbol."""


def load_status(desk: ToolDesk, asked: FactQuestion) -> Work[DeskResult | Reply]:
    """Return the account as it is now; the reply where it cannot be told, or where another time is asked for."""
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, desk.speak("the ledger"), status.failure)
    if span := wording.other_day(asked, desk.request.day):
        return reply_of_lines(desk.speak("That I tell of what you hold now, not for “{time}”.", time=span.said))
    return status


def load_held(desk: ToolDesk, asked: FactQuestion) -> Work[tuple[DeskResult, Held] | Reply]:
    """Return the account as it is now and what is held; the reply where it cannot be told, or where nothing is."""
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    held = positions_of(status)
    return (status, held) if held else reply_of_lines(desk.speak("Nothing is held."))


def load_weights(desk: ToolDesk, status: DeskResult) -> Work[dict[str, float]]:
    """Return the weight of each position in the whole account, in per cent; {} for one currency or where unknown.

    It is the weight that `ia account --by security` shows.
    """
    if len(wording.objects_of(status, "currencies")) < 2:
        return {}
    result = yield from desk.one("account.allocation", by="security")
    rows = [row for row in wording.rows_of(result, "shares") if row.get("kind") == "security"] if result.ok else []
    if any(row.get("weight_pct") is None for row in rows):
        return {}
    return {str(row["name"]): float(row["weight_pct"]) for row in rows}


def say_weight(desk: ToolDesk, symbol: str, position: Json, weights: dict[str, float]) -> str:
    """Return the weight of a position: in the whole account, or in its currency's where that is not known."""
    currency = position.get("currency")
    if symbol in weights:
        return desk.speak("{weight} of the whole account", weight=f"{weights[symbol]:.2f}%")
    weight = "–" if position.get("weight_pct") is None else f"{float(position['weight_pct']):.2f}%"
    return desk.speak("{weight} of the {currency} account", weight=weight, currency=currency)


def is_whole_known(status: DeskResult) -> bool:
    """Whether there are several currencies, and rates that make them one account."""
    books = wording.objects_of(status, "currencies")
    return len(books) > 1 and all(book.get("whole_equity") is not None for book in books.values())


def say_part(desk: ToolDesk, position: Json, *, whole: bool) -> str:
    """Return the weight of a position that the position limit looks at, and what it is a part of."""
    weight = f"{float(weight_of(position)):.2f}%"
    if whole:
        return desk.speak("{weight} of the whole account", weight=weight)
    return desk.speak("{weight} of the {currency} account", weight=weight, currency=position.get("currency"))


def name_position(desk: ToolDesk, symbol: str, position: Json) -> str:
    """Return a position as the reader knows it, with its code."""
    return wording.security_name(desk, symbol, position.get("name"))


_LOTS = pattern(r"手(?!续|里|上|头)|\blots\b", re.I)


def say_lots(desk: ToolDesk, words: str, symbol: str, shares: float) -> str:
    """Return how many lots shares are, where the words ask for lots and the lot is known; else ""."""
    rule = find_lot(symbol_of_kind(symbol), desk.request.day) if _LOTS.search(words) else None
    if rule is None:
        return ""
    lots = shares / float(rule.least)
    return (
        desk.speak(PluralText(" ({count} lot)", " ({count} lots)"), count=int(lots))
        if lots.is_integer()
        else desk.speak(" ({count} lots)", count=f"{lots:.4g}")
    )


_STILL_HELD = pattern(
    r"(?:还|仍|一直)(?:在|拿|持|留|没卖|没有卖|握)"
    r"|\bstill (?:hold|held|have|own|holding|owning|in)\b|\b(?:not|never) sold\b",
    re.I,
)
"""Of the purchases, only those are asked for of which something is held."""


def keep_held(desk: ToolDesk, rows: list[Json], words: str) -> Work[list[Json]]:
    """Return entries of the journal, where what is still held is asked for only the purchases of that."""
    if not _STILL_HELD.search(words):
        return rows
    status = yield from desk.one("account.status")
    held = wording.objects_of(status, "positions")
    return [row for row in rows if row.get("kind") == "buy" and row.get("symbol") in held]
