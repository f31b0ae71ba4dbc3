"""The money that was paid in: what it comes to in one currency, and what it would be worth in an index."""

from datetime import date, timedelta

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import EVER
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import closes_of
from ia.agent.analyst.jobs.facts import account_facts, performance_facts, wording
from ia.agent.analyst.jobs.facts.held import load_status
from ia.agent.analyst.say.outline import outline_at
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json

DAYS = 40
"""Days of payments that are followed, at most."""
ONE = timedelta(days=1)
BEFORE = timedelta(days=14)
"""Days before a payment in which its last close before it lies: the longest holiday of an exchange is shorter."""
MARKETS = {currency: market for market, currency in wording.CURRENCIES.items()}


def answer_paid_sum(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was paid in, less what was taken out, in the base currency at the exchange rates of those days."""
    speak = desk.speak
    loaded = yield from performance_facts.load_performance(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    result, label = loaded
    total = result.get("total")
    books = wording.objects_of(result, "currencies")
    whole: Json = total if isinstance(total, dict) else next(iter(books.values()))
    if whole.get("flows") is None:
        return reply_of_lines(speak("A price or an exchange rate is missing."))
    base = str(whole.get("currency"))
    if others := [code for code in find_currencies(asked.words) if code not in (base, *books)]:
        return wording.ask_back(desk, tuple(others))
    when = speak(" ({days})", days=label) if label else ""
    parts = [wording.say_exact(desk, book.get("flows"), currency=code) for code, book in books.items()]
    lines = [
        speak("**{amount}** was paid in{when}, at the exchange rates of those days.",
              amount=wording.say_exact(desk, whole["flows"], currency=base), when=when)
    ]  # fmt: skip
    if len(books) > 1:
        lines.append(speak("By currency: {parts}.", parts=speak.join_clauses(parts)))
    return reply_of_lines(*lines)


def answer_in_index(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the money paid in would be worth had all of it gone into an index, against what the account is."""
    speak, lines = desk.speak, list[str]()
    if any(span.kind != EVER for span in asked.spans):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    yield from desk.load_tables("view")
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    listed = yield from desk.one("trade.list", limit=account_facts.LIMIT)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    rows = wording.rows_of(listed.value)
    if len(rows) >= account_facts.LIMIT:
        return reply_of_lines(speak("The journal is too long for that here: `ia profit --stats --benchmark` compares."))
    named = [each.code for each in asked.securities if each.symbol.kind == "index"]
    simulated = False
    for currency, book in wording.objects_of(status, "currencies").items():
        flows = [row for row in rows if row.get("currency") == currency and row.get("kind") in _SIGNS]
        if not flows or book.get("equity") is None:
            continue
        index = named[0] if named else outline_at(desk.tables).benchmarks.get(MARKETS.get(currency, ""), "")
        followed = (yield from _follow(desk, index, flows)) if index else None
        if followed is None:
            lines.append(speak("No prices of {name} are at hand to compare with.", name=index or currency))
            continue
        worth, name, generated = followed
        simulated = simulated or generated
        gap = float(book["equity"]) - worth
        given: Json = {
            "index": name, "worth": wording.say_exact(desk, worth, currency=currency),
            "paid": wording.say_exact(desk, sum(_sign_amount(row) for row in flows), currency=currency),
            "equity": wording.say_exact(desk, book["equity"]), "gap": wording.say_exact(desk, abs(gap)),
        }  # fmt: skip
        lines.append(
            speak("{paid} paid in would be **{worth}** in {index}; your account is at {equity}: **{gap} more**.",
                  **given)
            if gap > 0
            else speak("{paid} paid in would be **{worth}** in {index}; your account is at {equity}: **{gap} less**.",
                       **given)
        )  # fmt: skip
    if not lines:
        return wording.say_empty(desk)
    lines[0] += wording.simulated_mark(desk, simulated or status.get("simulated"))
    return reply_of_lines(
        *lines, speak("Counted from the last close before each payment; without dividends, fees and exchange rates.")
    )


_SIGNS = {"deposit": 1, "withdraw": -1}
"""Entries that move money into and out of the account."""


def _sign_amount(row: Json) -> float:
    return _SIGNS[str(row["kind"])] * float(row.get("amount") or 0)


def _follow(desk: ToolDesk, index: str, flows: list[Json]) -> Work[tuple[float, str, bool] | None]:
    """Return what payments would be worth at the last close of an index, each bought at the last close before it.

    Besides, its name, and whether its prices are simulated. None without its prices.
    """
    days = sorted({str(row["date"]) for row in flows})
    if len(days) > DAYS:
        return None
    calls = [
        DeskCall("market.ohlcv", {"symbol": index, "tail": 1, "start": f"{day - BEFORE}", "end": f"{day - ONE}"})
        for day in map(date.fromisoformat, days)
    ]
    newest, *found = yield from desk.run(DeskCall("market.ohlcv", {"symbol": index, "tail": 1}), *calls)
    closes = [closes_of(each.value) if each.ok else [] for each in (newest, *found)]
    if not all(closes):
        return None
    bought = dict(zip(days, (each[-1][1] for each in closes[1:]), strict=True))
    worth = sum(_sign_amount(row) * closes[0][-1][1] / bought[str(row["date"])] for row in flows)
    name = wording.security_name(desk, str(newest.get("symbol") or index), newest.get("name"))
    return worth, name, bool(newest.get("simulated"))


ANSWERS = {"paid_sum": answer_paid_sum, "in_index": answer_in_index}
