"""What everything would be worth: prices or exchange rates that are supposed to move, each by its own part."""

import re
from dataclasses import replace
from decimal import Decimal

from ia.agent.analyst.ask.amounts import find_market_words
from ia.agent.analyst.ask.facts import FactQuestion, condition_words, industry_forms
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.supposed_moves import Move, Subject, Supposed, read_supposed
from ia.agent.analyst.ask.time_spans import DAY, FUTURE
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.held import load_held, name_position
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern


def answer_moves(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the account would be worth, and gain or lose, where prices or rates move as is supposed."""
    groups = industry_forms(strip_mentions(asked.words), (), desk.tables)
    read = read_supposed(asked.words, groups)
    indexes = {each.code for each in asked.securities if each.symbol.kind == "index"}
    if read is not None and any(subject.key in indexes for subject, _ in read.moves):
        return (yield from _answer_index(desk, asked, read))
    if read is None:
        return wording.ask_back(desk, (strip_mentions(asked.words).strip(),))
    later = [span for span in asked.spans if span.kind != FUTURE and span.kind != DAY]
    if later or asked.times:
        return wording.ask_back(desk, asked.times or tuple(span.said for span in later))
    rest = read.rest
    for span in asked.spans:
        rest = rest.replace(span.said, " ")
    if unread := (*condition_words(_NO_SIZE.sub(" ", rest)), *find_market_words(rest)):
        return wording.ask_back(desk, tuple(unread))
    loaded = yield from load_held(desk, replace(asked, spans=()))
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    industries = dict[str, str]()
    if any(subject.kind == "industry" for subject, _ in read.moves):
        quotes = yield from desk.one("market.quote", symbols=[code for code, _ in held])
        industries = {str(row.get("symbol")): str(row.get("industry")) for row in wording.rows_of(quotes, "quotes")}
        if unknown := [name_position(desk, code, each) for code, each in held if not industries.get(code)]:
            names = desk.speak.join_items(unknown)
            return reply_of_lines(desk.speak("The industry of {names} is not known.", names=names))
    prices = _find_prices(desk, read, dict(held), industries)
    rates = _find_rates(read, status)
    if prices is None or rates is None:
        return reply_of_lines(desk.speak("By how many per cent, or to which price?"))
    lines, changes = _say_prices(desk, read, dict(held), prices)
    if not prices and all(subject.kind in ("industry", "market") for subject, _ in read.moves):
        return reply_of_lines(desk.speak("Nothing held is of these: {names}.", names=desk.speak.join_items(
            [wording.industry_name(desk, subject.key) for subject, _ in read.moves])))  # fmt: skip
    owned = list(wording.objects_of(status, "currencies"))
    strange = [
        subject.key for subject, _ in read.moves if subject.kind == "currency" and subject.key not in (*owned, "*")
    ]
    if strange and not prices and len(strange) == len(read.moves):
        return reply_of_lines(desk.speak("Nothing held is of these: {names}.", names=desk.speak.join_items(strange)))
    weights = _say_weights(desk, status, dict(held), prices, rates) if _WEIGHT.search(read.rest) else []
    return reply_of_lines(
        *weights, *say_worth(desk, status, changes, rates), *lines, *_say_currencies(desk, status, rates, changes),
        *([desk.speak("How much more or less than the market each moves is not counted.")]
          if any(subject.kind == "all" for subject, _ in read.moves) and _OF_MARKET.search(asked.words) else []),
    )  # fmt: skip


_NO_SIZE = pattern(
    r"以后|之后|以外的?影响|(?:亏|赚|剩|少|多)(?:多少|几)|\bhow much (?:more|less)\b|\b(?:more|less)\b(?= would)", re.I
)


def _answer_index(desk: ToolDesk, asked: FactQuestion, read: Supposed) -> Work[Reply]:
    """Answer what the account gains or loses where an index moves, by the beta of what is held to it."""
    from ia.agent.analyst.jobs.facts import portfolio_risk

    (subject, move), *more = read.moves
    if more or move.factor is None or condition_words(read.rest):
        return wording.ask_back(desk, (strip_mentions(asked.words).strip(),))
    return (yield from portfolio_risk.answer_index_move(desk, asked, subject.key, move.factor - 1))


_WEIGHT = pattern(r"占|比重|权重|几成|百分之几|\b(?:weight|share of|part of|per ?cent(?:age)? of|proportion)\b", re.I)
_OF_MARKET = pattern(r"大盘|市场|股市|\bmarket\b", re.I)


def _say_weights(
    desk: ToolDesk,
    status: DeskResult,
    held: dict[str, Json],
    prices: dict[str, float],
    rates: dict[str, tuple[float, float]],
) -> list[str]:
    """Return the part of everything that each position that moves is then."""
    total = status.get("total")
    if not isinstance(total, dict) or total.get("equity") is None:
        return []
    base, lines = str(total["currency"]), list[str]()
    values = {
        code: prices.get(code, float(each["current_price"])) * float(each["size"])
        * (1.0 if each["currency"] == base else rates[str(each["currency"])][1])
        for code, each in held.items()
    }  # fmt: skip
    cash = sum(
        float(book.get("cash") or 0) * (1.0 if key == base else rates[key][1])
        for key, book in wording.objects_of(status, "currencies").items()
    )
    for code in prices:
        weight = values[code] / (sum(values.values()) + cash) * 100
        lines.append(
            desk.speak("{name} would be **{weight}%** of all that you own.",
                       name=name_position(desk, code, held[code]), weight=f"{weight:.2f}")
        )  # fmt: skip
    return lines[:_EACH]


def _find_prices(
    desk: ToolDesk, read: Supposed, held: dict[str, Json], industries: dict[str, str]
) -> dict[str, float] | None:
    """Return the price to which each position moves; None where one cannot be told. The narrow goes before the wide."""
    prices: dict[str, float] = {}
    for kind in ("all", "rest", "market", "industry", "security"):
        for subject, move in read.moves:
            if subject.kind != kind:
                continue
            for code, each in held.items():
                if each.get("current_price") is None:
                    return None
                is_named = any(
                    _is_of(other, code, each, industries)
                    for other, _ in read.moves
                    if other.kind not in ("all", "rest")
                )
                if not (kind == "all" or (kind == "rest" and not is_named) or _is_of(subject, code, each, industries)):
                    continue
                if move.target is not None and kind != "security":
                    return None
                price = _move_price(desk, code, float(each["current_price"]), move)
                if price is None:
                    return None
                prices[code] = price
    return prices


def _is_of(subject: Subject, code: str, position: Json, industries: dict[str, str]) -> bool:
    """Whether a position is what moves, or belongs to it."""
    if subject.kind == "security":
        return code == subject.key
    if subject.kind == "industry":
        return industries.get(code) == subject.key
    return subject.kind == "market" and position.get("currency") == subject.key


def _move_price(desk: ToolDesk, code: str, price: float, move: Move) -> float | None:
    if move.factor is not None:
        return max(price * move.factor, 0.0)
    if move.target is not None:
        return move.target
    from ia.domain.instruments.special import is_st
    from ia.domain.rules.limits import price_limits

    symbol = symbol_of_kind(code)
    limits = price_limits(symbol, desk.request.day, Decimal(f"{price:.2f}"), st=is_st(symbol.name)) if (
        symbol.market == "CN") else None  # fmt: skip
    return None if limits is None else float(limits.low if move.limit < 0 else limits.high)


def _find_rates(read: Supposed, status: DeskResult) -> dict[str, tuple[float, float]] | None:
    """Return of each currency its rate now and the supposed one; None where one cannot be told."""
    total = status.get("total")
    total = total if isinstance(total, dict) else {}
    base = str(total.get("currency") or "")
    now = {str(row["currency"]): float(row["rate"]) for row in wording.rows_of(total.get("rates")) if row.get("rate")}
    then = dict(now)
    for subject, move in read.moves:
        if subject.kind != "currency":
            continue
        if move.limit or not base or (read.against and base not in (read.against, subject.key)):
            return None
        if subject.key == base:
            if move.factor == 0.0:
                return None
            moved = [read.against] if read.against else list(now)
            for key in moved:
                if key in now and move.factor:
                    then[key] = now[key] / move.factor
                elif key in now and move.target is not None and len(moved) == 1:
                    then[key] = move.target
                else:
                    return None
            continue
        keys = list(now) if subject.key == "*" else [subject.key]
        for key in keys:
            if key not in now:
                continue
            if move.target is not None and (len(keys) > 1 or not 0.2 < move.target / now[key] < 5):
                return None
            then[key] = now[key] * move.factor if move.factor is not None else float(move.target or 0)
    return {key: (rate, then[key]) for key, rate in now.items()}


def _load_rates(status: DeskResult) -> dict[str, tuple[float, float]]:
    total = status.get("total")
    rows = wording.rows_of(total.get("rates")) if isinstance(total, dict) else []
    return {str(row["currency"]): (float(row["rate"]),) * 2 for row in rows if row.get("rate")}


def _say_prices(
    desk: ToolDesk, read: Supposed, held: dict[str, Json], prices: dict[str, float]
) -> tuple[list[str], dict[str, float]]:
    """Return a line for each named position, and for each currency of others, and the change in each currency."""
    speak, lines, changes = desk.speak, list[str](), dict[str, float]()
    named = [each.key for each, _ in read.moves if each.kind == "security"]
    for code in named:
        if code not in held:
            lines.append("- " + speak("{name}: you hold none.", name=wording.security_name(desk, code, None)))
    single = named or len(prices) <= _EACH
    for code, target in prices.items():
        each = held[code]
        currency, price, shares = str(each["currency"]), float(each["current_price"]), float(each["size"])
        change = (target - price) * shares
        changes[currency] = changes.get(currency, 0.0) + change
        if single:
            lines.append(
                speak(
                    "- {name}: {price} to {target}: **{change}**, to {worth}; against the cost {result}",
                    worth=wording.say_exact(desk, target * shares, currency=currency),
                    name=name_position(desk, code, each), price=number(price, "price", speak),
                    target=number(target, "price", speak),
                    change=wording.say_exact(desk, change, signed=True, currency=currency),
                    result=wording.say_exact(desk, target * shares - float(each["cost"]), signed=True,
                                             currency=currency),
                )
            )  # fmt: skip
    return lines[:_LINES], changes


_EACH, _LINES = 6, 7


def say_worth(
    desk: ToolDesk, status: DeskResult, changes: dict[str, float], rates: dict[str, tuple[float, float]] | None = None
) -> list[str]:
    """Return what everything is worth then, in one currency; [] where the rates for it are not known.

    changes  of the value of what is held, by currency
    rates    of each currency the rate of now and the supposed one; the stored ones without it
    """
    speak, books = desk.speak, wording.objects_of(status, "currencies")
    total = status.get("total")
    worth = {key: float(book["equity"]) for key, book in books.items() if book.get("equity") is not None}
    if isinstance(total, dict) and total.get("equity") is not None and not total.get("missing"):
        base, now = str(total["currency"]), float(total["equity"])
    elif len(worth) == 1:
        ((base, now),) = worth.items()
    else:
        return []
    if rates is None:
        rates = _load_rates(status)
    change = 0.0
    for key, value in worth.items():
        old, new = (1.0, 1.0) if key == base else rates.get(key, (0.0, 0.0))
        change += (value + changes.get(key, 0.0)) * new - value * old
    return [
        speak(
            "**{change}** ({rate}): all that you own would be worth **{then}**, now {now}.{mark}",
            change=wording.say_exact(desk, change, signed=True, currency=base),
            rate=wording.say_percent(change / now * 100) if now else "–",
            then=wording.say_exact(desk, now + change, currency=base),
            now=wording.say_exact(desk, now, currency=base),
            mark=wording.simulated_mark(desk, status.get("simulated")),
        )
    ]  # fmt: skip


def _say_currencies(
    desk: ToolDesk, status: DeskResult, rates: dict[str, tuple[float, float]], changes: dict[str, float]
) -> list[str]:
    """Return a line for each currency whose rate moves, and one for a peg that is left aside."""
    speak, lines, books = desk.speak, list[str](), wording.objects_of(status, "currencies")
    base = str((status.get("total") or {}).get("currency") or "")
    moved = [key for key, (old, new) in rates.items() if old != new]
    for key in moved:
        old, new = rates[key]
        own = float(books.get(key, {}).get("equity") or 0) + changes.get(key, 0.0)
        lines.append(
            speak(
                "- 1 {currency} = {old} {base} to {new}: your {own} are then {worth} ({change})",
                currency=key, base=base, old=f"{old:.6g}", new=f"{new:.6g}",
                own=wording.say_exact(desk, own, currency=key),
                worth=wording.say_exact(desk, own * new, currency=base),
                change=wording.say_exact(desk, own * (new - old), signed=True, currency=base),
            )
        )  # fmt: skip
    if moved == ["USD"] and "HKD" in rates:
        lines.append(speak("The Hong Kong dollar is left as it is here, though it is pegged to the US dollar."))
    return lines
