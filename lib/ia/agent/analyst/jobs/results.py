"""What a stretch of days brought: the account against the index, and the trades with their reasons."""

from typing import NamedTuple

from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import together, wording
from ia.agent.analyst.parts import in_list, part
from ia.agent.analyst.say.outline import outline_at
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json

SHOWN = 3
"""Trades that are told one by one: the largest."""
_MARKETS = {"CNY": "CN", "HKD": "HK", "USD": "US"}
_DONE = {
    "buy": mark_text("bought {name} {quantity:,g} at {price}"),
    "sell": mark_text("sold {name} {quantity:,g} at {price}"),
}


def period_calls(desk: ToolDesk, first: str, last: str) -> list[DeskCall]:
    """Return the calls that result_lines() and trade_lines() need, as far as their tools are at hand."""
    asked: dict[str, Json] = {"account.period": {"first": first, "last": last}, "trade.list": {"limit": 200}}
    return [DeskCall(tool, args) for tool, args in asked.items() if desk.has(tool)]


class BookResult(NamedTuple):
    """What one currency's account made of a stretch of days, beside its index. None: not known.

    begin   the first day; where nothing was there before, that of the first money. benchmark: the name of
            its index; "" without one. until: the day of the index where it has none of the day of the prices
    partly  whether the prices of only some holdings are old
    """

    currency: str
    book: Json
    begin: str
    benchmark: str
    change: float | None
    simulated: bool
    until: str = ""
    partly: bool = False

    @property
    def rate(self) -> float | None:
        """The result in per cent of the money at work."""
        value = self.book.get("result_pct")
        return None if value is None else float(value)


def measure_books(desk: ToolDesk, period: DeskResult, first: str, last: str) -> Work[list[BookResult]]:
    """Return the result of each currency's account with that of its index over the same days: as `ia profit` has it."""
    books = wording.objects_of(period, "currencies") if period.ok else {}
    indices = outline_at(desk.tables).benchmarks
    names = {currency: str(indices.get(_MARKETS.get(currency, ""), "")) for currency in books}
    ends: dict[str, str] = {}
    for currency, name in names.items():
        priced = str(books[currency].get("price_date") or "")
        old = first <= priced < last and not _is_partly_old(period, currency)
        end = priced if old else last
        ends[name] = min(end, ends.get(name, end))
    ends.pop("", None)
    compared = yield from compare_with(desk, ends, first)
    found = []
    for currency, book in books.items():
        name = names[currency]
        partly = _is_partly_old(period, currency)
        if partly:
            book = {**book, "price_date": None}
        built = _build_result(desk, currency, book, name, compared.get(name), first, last)
        found.append(built._replace(partly=partly))
    return found


def _is_partly_old(period: DeskResult, currency: str) -> bool:
    """Return True if the prices of only some holdings of a currency are old, such as of one that is suspended."""
    old = {str(row.get("symbol")) for row in wording.rows_of(_book_of(period, currency).get("stale"))}
    held = {
        symbol
        for symbol, each in wording.objects_of(period, "positions").items()
        if each.get("currency") == currency and each.get("size_after")
    }
    return bool(old) and bool(held - old)


def _book_of(period: DeskResult, currency: str) -> Json:
    return wording.objects_of(period, "currencies").get(currency, {})


class Compared(NamedTuple):
    """An index, and what the ledger says of the same days against it."""

    prices: DeskResult
    period: DeskResult


def compare_with(desk: ToolDesk, ends: dict[str, str], first: str) -> Work[dict[str, Compared]]:
    """Return what the ledger says against each of these indices, up to a day of its own: that of the account's prices.

    The prices of the indices are fetched before, if need be.
    """
    looked = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": name, "tail": 1}) for name in ends))
    known = [name for name, index in zip(ends, looked, strict=True) if index.ok]
    calls = [DeskCall("account.period", {"first": first, "last": ends[name], "benchmark": name}) for name in known]
    periods = dict(zip(known, (yield from desk.run(*calls)), strict=True))
    return {name: Compared(index, periods.get(name, index)) for name, index in zip(ends, looked, strict=True)}


def _build_result(
    desk: ToolDesk, currency: str, book: Json, name: str, compared: Compared | None, first: str, last: str
) -> BookResult:
    title, mark, change, until = "", False, None, ""
    if compared is not None:
        index = compared.prices
        title = wording.security_name(desk, str(index.get("symbol") or name), index.get("name"))
        mark = bool(index.get("simulated"))
        own = wording.objects_of(compared.period, "currencies").get(currency, {})
        returns = own.get("returns") if isinstance(own.get("returns"), dict) else {}
        if returns and returns.get("benchmark_frac") is not None:
            change = float(returns["benchmark_frac"]) * 100
            day = str(returns.get("benchmark_until") or "")
            until = day if day < min(last, str(book.get("price_date") or last)) else ""
    return BookResult(
        currency=currency,
        book=book,
        begin=str(book.get("begin") or first),
        benchmark=title,
        change=change,
        simulated=mark,
        until=until,
    )


@part("the result of the account", in_list)
def result_lines(desk: ToolDesk, period: DeskResult, first: str, last: str) -> Work[list[str]]:
    """Return what the account made from the close before `first` to `last`, each currency beside its index.

    The table `view` is loaded before, for the indices.
    """
    measured = yield from measure_books(desk, period, first, last)
    lines = []
    for each in measured:
        lines.append(say_result(desk, each, first))
        days = _days_of(each)
        lines += _say_stale(desk, days) if len(days) > 1 else []
    return lines


def explain_old_prices(desk: ToolDesk, period: DeskResult) -> str:
    """Return of which currencies a stretch has no price at all, so that their result is not known; "" for none."""
    books = wording.objects_of(period, "currencies")
    late = {
        code: str(book["price_date"])
        for code, book in books.items()
        if book.get("price_date") and str(book["price_date"]) < str(book.get("begin") or "")
    }
    told = [desk.speak("the newest prices in {currency} are of {day}", currency=c, day=d) for c, d in late.items()]
    return desk.speak.join_items(told) if told else ""


@part("the result of all currencies", in_list)
def whole_lines(desk: ToolDesk, period: DeskResult) -> list[str]:
    """Return what all currencies made together, what is owned in all, and of which day the exchange rates are.

    [] where there is only the base currency.
    """
    speak, total = desk.speak, period.get("total")
    if not isinstance(total, dict):
        return []
    currency = str(total.get("currency"))
    if why := explain_old_prices(desk, period):
        return [speak("All in {currency}: not known ({reason})", currency=currency, reason=why)]
    if total.get("twr_frac") is None or total.get("equity_after") is None:
        reasons = total.get("reasons")
        why = next(iter(reasons.values()), "–") if isinstance(reasons, dict) else "–"
        return [speak("All in {currency}: not known ({reason})", currency=currency, reason=why)]
    days = sorted({str(row.get("date")) for row in wording.rows_of(period, "rates")})
    return [
        speak(
            "All in {currency}: **{money}** ({rate}), net worth **{equity}** (exchange rates of {days})",
            currency=currency,
            money=wording.say_exact(desk, total.get("result"), signed=True, currency=currency),
            rate=wording.say_percent(float(total["twr_frac"]) * 100),
            equity=wording.say_exact(desk, total.get("equity_after"), currency=currency),
            days=speak.join_items(days) or "–",
        )
    ]


def say_result(desk: ToolDesk, each: BookResult, first: str) -> str:
    """Return the result of one currency in a line: money, rate, index, and the money that came or went."""
    speak, book, currency = desk.speak, each.book, each.currency
    if book.get("result") is None:
        return speak("{currency}: the result is not known: a price or the money brought in lacks.", currency=currency)
    priced = str(book.get("price_date") or "")
    if priced and priced < each.begin:
        template = "{currency}: the result is not known: the newest prices are of {day}; run `ia sync`"
        return speak(template, currency=currency, day=priced)
    line = speak("**{result}**", result=wording.say_exact(desk, book["result"], signed=True, currency=currency))
    line += speak(" ({rate})", rate=wording.say_percent(each.rate)) if each.rate is not None else ""
    line += _say_age(desk, each)
    if each.begin > first:
        line += speak(" since {date}", date=each.begin)
    if each.change is not None:
        line += speak(", {index} {change}", index=each.benchmark, change=wording.say_percent(each.change))
        line += speak(" (to {day})", day=each.until) if each.until else ""
    elif each.benchmark:
        line += speak(", no prices of {index} to compare", index=each.benchmark)
    if flows := float(book.get("flows") or 0):
        amount = wording.say_exact(desk, abs(flows), currency=currency)
        line += speak("; {flows} deposited", flows=amount) if flows > 0 else speak("; {flows} withdrawn", flows=amount)
    return line + wording.simulated_mark(desk, each.simulated)


def _days_of(each: BookResult) -> dict[tuple[str, int], list[str]]:
    """Return the securities whose prices are old, by the day of the price and the sessions since."""
    days: dict[tuple[str, int], list[str]] = {}
    for row in wording.rows_of(each.book.get("stale")):
        days.setdefault((str(row.get("price_date")), int(row.get("price_stale") or 0)), []).append(str(row["symbol"]))
    return dict(sorted(days.items()))


def _say_age(desk: ToolDesk, each: BookResult) -> str:
    """Return of which day the prices of a result are; "" for those of the last session."""
    days = list(_days_of(each))
    if not days:
        return ""
    day, missed = days[0]
    if each.partly:
        rows = [(code, when) for (when, _), codes in _days_of(each).items() for code in codes]
        names = [f"{wording.security_name(desk, code, None)} {when}" for code, when in rows[:3]]
        return desk.speak(" with older prices of {names}", names=desk.speak.join_items(names))
    if len(days) > 1:
        return desk.speak(" at prices of {day}", day=day)
    template = PluralText(
        " at prices of {day}, {missed} trading day old (run `ia sync`)",
        " at prices of {day}, {missed} trading days old (run `ia sync`)",
        by="missed",
    )
    return desk.speak(template, day=day, missed=missed)


def _say_stale(desk: ToolDesk, days: dict[tuple[str, int], list[str]]) -> list[str]:
    """Return which prices are older than the last session, a line a day of prices."""
    return [
        desk.speak(
            PluralText(
                "prices of {symbols} are from {date}, {missed} trading day old; run `ia sync` to update them",
                "prices of {symbols} are from {date}, {missed} trading days old; run `ia sync` to update them",
                by="missed",
            ),
            symbols=desk.speak.join_items(
                [wording.security_name(desk, each, "") for each in codes[:3]] + ["…"] * (len(codes) > 3)
            ),
            date=day,
            missed=missed,
        )
        for (day, missed), codes in days.items()
    ]


@part("what earned and cost most", in_list)
def gain_lines(desk: ToolDesk, period: DeskResult) -> list[str]:
    """Return which security earned most and which cost most, a line a currency; none where there is only one."""
    speak, lines = desk.speak, []
    positions = wording.objects_of(period, "positions") if period.ok else {}
    for currency in dict.fromkeys(str(row.get("currency")) for row in positions.values()):
        gains = {
            symbol: (float(row["result"]), row.get("name"))
            for symbol, row in positions.items()
            if row.get("currency") == currency and row.get("result")
        }
        if len(gains) < 2:
            continue
        order = sorted(gains, key=lambda symbol: gains[symbol][0])
        told = []
        for symbol, best in ((order[-1], True), (order[0], False)):
            gain, name = gains[symbol]
            amount = wording.say_exact(desk, gain, signed=True, currency=currency)
            each = f"{wording.security_name(desk, symbol, name)} {amount}"
            if best and gain > 0:
                told.append(speak("earned most: {told}", told=each))
            elif not best and gain < 0:
                told.append(speak("cost most: {told}", told=each))
        lines.append(f"- {speak.join_clauses(told)}")
    return lines


@part("the trades", in_list)
def trade_lines(desk: ToolDesk, listed: DeskResult, first: str, last: str, total: object = None) -> list[str]:
    """Return the purchases and sales of a stretch of days with their reasons, oldest first.

    total   the whole account, with its exchange rates: by them the larger trades are found. A sale comes before a
            purchase, for it is what realizes a gain.
    """
    speak = desk.speak
    rows = listed.value if listed.ok and isinstance(listed.value, list) else []
    made = [row for row in rows[::-1] if row.get("kind") in _DONE and first <= str(row.get("date")) <= last]
    _, rates = together.rates_of(total)

    def importance(row: Json) -> tuple[bool, float]:
        rate = rates.get(str(row.get("currency")), 1.0)
        return row.get("kind") == "sell", float(row.get("quantity") or 0) * float(row.get("price") or 0) * rate

    largest = sorted(made, key=importance)[-SHOWN:]
    lines = []
    for row in (row for row in made if row in largest):
        name = wording.security_name(desk, str(row.get("symbol")), row.get("name"))
        told = speak(
            _DONE[str(row["kind"])], name=name, quantity=row.get("quantity") or 0, price=row.get("price") or "–"
        )
        reason = speak(": {reason}", reason=row["reason"]) if row.get("reason") else speak(", no reason noted")
        lines.append(f"- {row.get('date')} {told}{reason}")
    if rest := len(made) - len(lines):
        more = PluralText("- {count} more trade: `ia trade list`", "- {count} more trades: `ia trade list`")
        lines.append(speak(more, count=rest))
    return lines
