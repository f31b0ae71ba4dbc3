"""What a stretch of days brought: the account against the index, and the trades with their reasons."""

from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import past_views
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.parts import in_list, part
from ia.agent.analyst.say.view import outline_at
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json

SHOWN = 8
"""Trades that are told one by one."""
_MARKETS = {"CNY": "CN", "HKD": "HK", "USD": "US"}
_DONE = {
    "buy": mark_text("bought {name} {quantity:,g} at {price}"),
    "sell": mark_text("sold {name} {quantity:,g} at {price}"),
}


def period_calls(desk: ToolDesk, first: str, last: str) -> list[DeskCall]:
    """Return the calls that result_lines() and trade_lines() need, as far as their tools are at hand."""
    asked: dict[str, Json] = {"account.period": {"first": first, "last": last}, "trade.list": {"limit": 200}}
    return [DeskCall(tool, args) for tool, args in asked.items() if desk.has(tool)]


@part("the result of the account", in_list)
def result_lines(desk: ToolDesk, period: DeskResult, first: str, last: str) -> Work[list[str]]:
    """Return what the account made from the close before `first` to `last`, each currency beside its index.

    The table `view` is loaded before, for the indices.
    """
    speak = desk.speak
    books = wording.objects_of(period, "currencies") if period.ok else {}
    indices = outline_at(desk.tables).benchmarks
    names = [str(indices.get(_MARKETS.get(currency, ""), "")) for currency in books]
    looked = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": name, "tail": 250}) for name in names if name))
    shown = iter(looked)
    lines = []
    for (currency, book), name in zip(books.items(), names, strict=True):
        index = next(shown) if name else None
        if book.get("result") is None:
            lines.append(
                speak("{currency}: the result is not known: a price or the money brought in lacks.", currency=currency)
            )
            continue
        rate = wording.say_percent(book.get("result_pct"))
        line = speak("**{result}**", result=wording.say_money(desk, book["result"], signed=True, currency=currency))
        line += speak(" ({rate})", rate=rate) if book.get("result_pct") is not None else ""
        change = (
            _change_between(past_views.closes_of(index.value), first, last) if index is not None and index.ok else None
        )
        if index is not None and change is not None:
            title = wording.security_name(desk, str(index.get("symbol") or name), index.get("name"))
            line += speak(", {index} {change}", index=title, change=wording.say_percent(change))
        if book.get("flows"):
            line += speak(
                "; {flows} were brought in",
                flows=wording.say_money(desk, book["flows"], signed=True, currency=currency),
            )
        mark = index is not None and bool(index.get("simulated"))
        lines.append(line + wording.simulated_mark(desk, mark))
    return lines


def _change_between(closes: list[tuple[str, float]], first: str, last: str) -> float | None:
    """Return the change in per cent from the last close before a day to the last close up to another."""
    before = [close for day, close in closes if day < first]
    until = [close for day, close in closes if day <= last]
    return (until[-1] / before[-1] - 1) * 100 if before and until else None


@part("the trades", in_list)
def trade_lines(desk: ToolDesk, listed: DeskResult, first: str, last: str) -> list[str]:
    """Return the purchases and sales of a stretch of days with their reasons, oldest first."""
    speak = desk.speak
    rows = listed.value if listed.ok and isinstance(listed.value, list) else []
    made = [row for row in rows[::-1] if row.get("kind") in _DONE and first <= str(row.get("date")) <= last]
    lines = []
    for row in made[-SHOWN:]:
        name = wording.security_name(desk, str(row.get("symbol")), row.get("name"))
        told = speak(
            _DONE[str(row["kind"])], name=name, quantity=row.get("quantity") or 0, price=row.get("price") or "–"
        )
        reason = speak(": {reason}", reason=row["reason"]) if row.get("reason") else speak(", no reason noted")
        lines.append(f"- {row.get('date')} {told}{reason}")
    if rest := len(made) - len(lines):
        lines.insert(
            0,
            speak(
                PluralText("- {count} earlier trade: `ia trade list`", "- {count} earlier trades: `ia trade list`"),
                count=rest,
            ),
        )
    return lines
