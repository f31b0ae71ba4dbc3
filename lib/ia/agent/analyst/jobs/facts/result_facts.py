"""What the account made of a stretch of days, against its index too; and what it was worth at the end of one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import find_accounts, find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import LONGEST, Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, RANGE, SESSIONS, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import closes_of
from ia.agent.analyst.jobs import results
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import bar_rows, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 9
"""Holdings that a ranking tells."""
OPENS = (9, 30)
"""Hour and minute at which the sessions of Shanghai and Hong Kong open."""


BEGINNING = date(1990, 1, 1)
"""The first day of what has no beginning: before all journals."""


class Days(NamedTuple):
    """A stretch of days that a question means, both ends included.

    said    its words. moved: a day without a session was named, and this is the last one before it
    """

    first: date
    last: date
    said: str
    moved: str = ""

    @property
    def label(self) -> str:
        """The days as they are told."""
        if self.first == BEGINNING:
            return f"– {self.last}"
        return f"{self.first}" if self.first == self.last else f"{self.first} – {self.last}"


def read_days(desk: ToolDesk, span: TimeSpan, market: str = "CN") -> Work[Days | None]:
    """Return the days of a span of time by the calendar of a market; None where they cannot be told."""
    today = desk.request.moment.date()
    if span.kind == DAY and span.first is not None:
        day = yield from last_session(desk, span.first, market)
        return Days(day, day, span.said, f"{span.first}" if day != span.first else "")
    if span.kind == SINCE and span.first is not None:  # from the close of its first day on
        return Days(min(span.first + timedelta(days=1), today), today, span.said)
    if span.first is not None and span.kind != EVER:
        return Days(span.first, min(span.last or today, today), span.said)
    if span.kind in (DAY, SESSIONS) and span.sessions:
        index = wording.CALENDARS.get(market, wording.CALENDARS["CN"])
        bars = yield from desk.one("market.ohlcv", symbol=index, tail=span.sessions + 1)
        closes = [date.fromisoformat(day) for day, _ in closes_of(bars.value)] if bars.ok else []
        if len(closes) == span.sessions + 1:
            day = closes[0]
            return Days(day, day, span.said) if span.kind == DAY else Days(closes[1], today, span.said)
    return None


def find_unopened(desk: ToolDesk, days: Days) -> Work[str]:
    """Return the day of the newest closes where no session of a stretch has opened yet: a Monday morning; else ""."""
    moment = desk.request.moment
    if days.last < moment.date() or not desk.has("calendar.trading"):
        return ""
    known = yield from desk.one("calendar.trading", date=desk.request.day, n=1)
    before = wording.names_of(known.get("previous")) if known.ok else []
    opened = known.get("is_trading_day") is True and (moment.hour, moment.minute) >= OPENS
    if not before or opened or before[-1] >= f"{days.first}":
        return ""
    bars = yield from desk.one("market.ohlcv", symbol=wording.CALENDARS["CN"], tail=1)
    newest = next((row[0] for row in wording.bars_of(bars)), "") if bars.ok else ""
    return newest if before[-1] <= newest < f"{days.first}" else ""


def read_account_days(desk: ToolDesk, span: TimeSpan) -> Work[Days | None]:
    """Return the days of a span of time for the account; a day is one of all exchanges at which something was held.

    On a holiday of the mainland a share of Hong Kong that is held has a result of its own.
    """
    days = yield from read_days(desk, span)
    if days is None or not days.moved:
        return days
    named = Days(date.fromisoformat(days.moved), date.fromisoformat(days.moved), span.said)
    held = wording.objects_of((yield from load_period(desk, named)), "positions")
    for market in sorted({symbol_of_kind(symbol).market for symbol in held} - {"CN"}):
        other = yield from read_days(desk, span, market)
        days = other if other is not None and other.last > days.last else days
    return days


def last_session(desk: ToolDesk, day: date, market: str = "CN") -> Work[date]:
    """Return a day, or the trading day of a market before it where it is none: a weekend, or a holiday."""
    if day.weekday() < 5 and not desk.has("calendar.trading"):
        return day
    known = yield from desk.one("calendar.trading", date=f"{day}", market=market, n=1)
    before = wording.names_of(known.get("previous")) if known.ok else []
    if known.ok and known.get("is_trading_day") is False and before:
        return date.fromisoformat(before[-1])
    while day.weekday() > 4:
        day -= timedelta(days=1)
    return day


_AFTER = (pattern(r"\b(?:after|later than)\s*(?:the\s*)?\Z", re.I), pattern(r"\s*(?:之后|以后|后)"))
_BEFORE = (pattern(r"\b(?:before|earlier than|until|up to)\s*(?:the\s*)?\Z", re.I), pattern(r"\s*(?:之前|以前|前)"))


_PART_OF_MONTH = pattern(r"月(?P<end>[初末底])\Z")
_TEN_DAYS = timedelta(days=9)


def widen_part(span: TimeSpan) -> TimeSpan:
    """Return the ten days that the beginning or the end of a month means of trades; any other span as it is."""
    found = _PART_OF_MONTH.search(span.said)
    if found is None or span.kind != DAY or span.first is None:
        return span
    if found["end"] == "初":
        return replace(span, kind=RANGE, last=span.first + _TEN_DAYS)
    return replace(span, kind=RANGE, first=span.first - _TEN_DAYS, last=span.first)


def trade_days(desk: ToolDesk, asked: FactQuestion) -> Work[list[Days] | None]:
    """Return the calendar days of which a question wants trades; [] for all, None where a time cannot be told.

    A stretch "since" a day begins with that day: what was traded on it counts.
    """
    today, plain, found = desk.request.moment.date(), strip_mentions(asked.words[:LONGEST]), list[Days]()
    for each in asked.spans:
        span = widen_part(each)
        before, after = plain[: span.at[0]], plain[span.at[1] :]
        if span.kind == EVER:
            return []
        if span.kind == FUTURE:
            return None
        if span.first is not None and span.last is not None:
            first, last = span.first, min(span.last, today)
            if span.kind in (DAY, RANGE) and (_AFTER[0].search(before) or _AFTER[1].match(after)):
                first, last = last + timedelta(days=1), today
            elif span.kind in (DAY, RANGE) and (_BEFORE[0].search(before) or _BEFORE[1].match(after)):
                first, last = BEGINNING, first - timedelta(days=1)
            found.append(Days(first, last, span.said))
        else:
            days = yield from read_days(desk, span)
            if days is None:
                return None
            found.append(days)
    return found


def is_within(row: Json, days: Sequence[Days]) -> bool:
    """Return True if the date of an entry lies in one of the stretches of days; of every entry without a stretch."""
    return not days or any(f"{each.first}" <= str(row.get("date")) <= f"{each.last}" for each in days)


def load_period(desk: ToolDesk, days: Days) -> Work[DeskResult]:
    """Return what the ledger says of these days."""
    yield from desk.load_tables("view")
    return (yield from desk.one("account.period", first=f"{days.first}", last=f"{days.last}"))


def moved_note(desk: ToolDesk, days: Days) -> list[str]:
    """Return that a day was no trading day; [] where it was one."""
    if not days.moved:
        return []
    return [desk.speak("{day} was no trading day; this is {last}.", day=days.moved, last=f"{days.last}")]


def answer_result(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the account made: of the day, of a stretch of days, or of all of them."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    if not wording.objects_of(status, "currencies"):
        return wording.say_empty(desk)
    if len(asked.spans) > 1:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans[1:]))
    span = asked.spans[0] if asked.spans else None
    named, markets = find_currencies(asked.words), find_market_currencies(asked.words)
    wanted = [each for each in named if markets and each not in markets]
    only = tuple(dict.fromkeys(each for each in (*named, *markets) if each not in wanted))
    whole = not (len(only) == 1 and _A_SHARES.search(asked.words))
    if len(named) == 1 and not markets and _CONVERTED.search(asked.words) and span is not None and span.kind != EVER:
        return (yield from _answer_converted(desk, status, span, named[0]))
    if span is None or span.kind == EVER:
        told = yield from _say_in_all(desk, status, only, whole=whole, words=asked.words)
        converted = (yield from _convert_profit(desk, status, only, wanted[0])) if wanted else []
        return told._replace(lines=[*converted, *told.lines])
    if wanted:
        return wording.ask_back(desk, tuple(wanted))
    if span.kind == DAY and f"{span.first}" == desk.request.day:
        return (yield from say_today(desk, status, only))
    return (yield from answer_over(desk, span, only, whole=whole))


_CONVERTED = pattern(
    r"[折换合算按用]成?(?:合成?|算成?)?(?:美[元金]|港[币元])|\bin (?:us |hong kong |hk )?(?:dollars|usd|hkd)\b", re.I
)


def _answer_converted(desk: ToolDesk, status: DeskResult, span: TimeSpan, currency: str) -> Work[Reply]:
    """Answer what all accounts made of a stretch of days, in a currency that is not the base one.

    Of today each account has its last session, which may be another day in another market.
    """
    speak, today = desk.speak, span.kind == DAY and f"{span.first}" == desk.request.day
    told = yield from (say_today(desk, status) if today else answer_over(desk, span))
    days = yield from read_account_days(desk, span)
    if days is None:
        return told
    period = yield from load_period(desk, days)
    total = period.get("total")
    sums = {code: book.get("today_pnl") for code, book in wording.objects_of(status, "currencies").items()}
    if not today:
        known = isinstance(total, dict) and total.get("twr_frac") is not None
        if not known or results.explain_old_prices(desk, period):
            return told
        sums = {str(total.get("currency")): total.get("result")}
    worth = 0.0
    for code, amount in sums.items():
        rate = (yield from wording.load_rate(desk, code, currency, f"{days.last}")) if code != currency else {"rate": 1}
        if rate is None or amount is None:
            return told
        worth += float(amount) * float(rate["rate"])
    head = speak(
        "All in {currency}: **{money}**, at the rate of {date}.",
        currency=currency,
        money=wording.say_exact(desk, worth, signed=True, currency=currency),
        date=f"{days.last}",
    )
    return told._replace(lines=[head, *told.lines])


_A_SHARES = pattern(
    r"[Aa]股|沪深|内地|人民币的?(?:账户|户头|[那这][边块])|\ba-?shares?\b|\bmainland\b"
    r"|\b(?:yuan|rmb|cny|renminbi) (?:accounts?|side|part|book)\b",
    re.I,
)
"""The shares of one market, or the account of its currency, are meant, and not all that is owned, in the currency."""


def answer_over(desk: ToolDesk, span: TimeSpan, only: Sequence[str] = (), *, whole: bool = True) -> Work[Reply]:
    """Answer what the account made of a stretch of days; `only`: in these currencies, () for all.

    whole  whether the total of all currencies may stand before them
    """
    speak = desk.speak
    if span.kind == FUTURE:
        return wording.refuse_time(desk, speak("profit of the account"), span, desk.request.day)
    days = yield from read_account_days(desk, span)
    if days is None:
        return wording.ask_back(desk, (span.said,))
    if newest := (yield from find_unopened(desk, days)):
        return reply_of_lines(
            speak(
                "No session yet in {days}: nothing has changed since the closes of {day}.", days=days.label, day=newest
            )
        )
    period = yield from load_period(desk, days)
    if period.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), period.failure)
    measured = yield from results.measure_books(desk, period, f"{days.first}", f"{days.last}")
    if not measured:
        return reply_of_lines(speak("The ledger has no entry up to {day}.", day=f"{days.last}"))
    closed = (yield from _closed_currencies(desk, days.last)) if days.first == days.last else set[str]()
    in_all = say_total(desk, period, only, days.label + speak(": ")) if whole else []
    lines = [
        days.label
        + speak(": ")
        + (speak("the {currency} account alone: ", currency=each.currency) if only else "")
        + (
            speak("{currency}: its exchange was closed", currency=each.currency)
            if each.currency in closed
            else results.say_result(desk, each, f"{days.first}")
        )
        for each in measured
        if not only or each.currency in only
    ]
    if not lines:
        return reply_of_lines(speak("The ledger has no {currency} account.", currency=speak.join_items(list(only))))
    return reply_of_lines(
        *in_all,
        *lines,
        *_say_ends(desk, _in_currencies(wording.objects_of(period, "positions"), only), "result"),
        *moved_note(desk, days),
    )


def _in_currencies(held: dict[str, Json], only: Sequence[str]) -> dict[str, Json]:
    return {symbol: each for symbol, each in held.items() if not only or each.get("currency") in only}


def _closed_currencies(desk: ToolDesk, day: date) -> Work[set[str]]:
    """Return the currencies whose exchange had no session on a day."""
    closed = set[str]()
    for market, currency in wording.CURRENCIES.items():
        if (yield from last_session(desk, day, market)) != day:
            closed.add(currency)
    return closed


def say_total(desk: ToolDesk, period: DeskResult, only: Sequence[str] = (), label: str = "") -> list[str]:
    """Return the result of all currencies in the base currency; [] where there is only one, or another is meant.

    label  the days, before it
    """
    speak, total = desk.speak, period.get("total")
    if not isinstance(total, dict):
        return []
    base = str(total.get("currency"))
    if only and tuple(only) != (base,):
        return []
    old = results.explain_old_prices(desk, period)
    if old or total.get("twr_frac") is None:
        reasons = total.get("reasons")
        why = old or (reasons.get("twr_frac") if isinstance(reasons, dict) else None)
        return [label + speak("All in {currency}: not known ({reason})", currency=base, reason=why or "–")]
    return [
        label
        + speak(
            "All in {currency}: **{money}** ({rate}), at each day's exchange rate",
            currency=base,
            money=wording.say_exact(desk, total.get("result"), signed=True, currency=base),
            rate=wording.say_percent(float(total["twr_frac"]) * 100),
        )
        + wording.simulated_mark(desk, period.get("simulated"))
    ]


def _say_ends(desk: ToolDesk, held: dict[str, Json], field: str) -> list[str]:
    """Return which securities brought most and least, currency by currency; [] where none has two."""
    by_currency: dict[str, list[tuple[float, str]]] = {}
    for symbol, each in held.items():
        if each.get(field) is not None:
            row = (float(each[field]), wording.security_name(desk, symbol, each.get("name")))
            by_currency.setdefault(str(each.get("currency") or ""), []).append(row)
    speak, lines = desk.speak, []
    for currency, rows in by_currency.items():
        if len({value for value, _ in rows}) > 1:
            told = [
                f"{name} {wording.say_exact(desk, value, signed=True, currency=currency)}"
                for value, name in (max(rows), min(rows))
            ]
            line = "Most and least: {names}." if len(by_currency) == 1 else "Most and least in {currency}: {names}."
            lines.append(speak(line, names=speak.join_clauses(told), currency=currency))
    return lines


def _day_rate(book: Json) -> str:
    """Return the profit of the day in per cent of the equity before it; "" where that is not known."""
    if book.get("today_pnl") is None or not book.get("equity"):
        return ""
    start = float(book["equity"]) - float(book["today_pnl"])
    return f" ({wording.say_percent(float(book['today_pnl']) / start * 100)})" if start > 0 else ""


def say_today(desk: ToolDesk, status: DeskResult, only: Sequence[str] = ()) -> Work[Reply]:
    """Return the profit of the last day with prices, each currency with its date, and what brought most and least."""
    yield from ()
    speak, today, lines, old = desk.speak, desk.request.day, [], []
    for currency, book in wording.objects_of(status, "currencies").items():
        if only and currency not in only:
            continue
        day = str(book.get("day") or "")
        told = speak(
            "{date}: **{profit}**{rate}",
            date=day or "–",
            profit=wording.say_exact(desk, book.get("today_pnl"), signed=True, currency=currency)
            if book.get("today_pnl") is not None
            else speak("unknown ({currency})", currency=currency),
            rate=_day_rate(book),
        )
        if day and day != today:
            old.append(currency)
        alone = speak("the {currency} account alone: ", currency=currency) if only else ""
        lines.append(alone + told + wording.simulated_mark(desk, status.get("simulated")))
    if old and date.fromisoformat(today).weekday() > 4:
        lines.append(speak("{day} is no trading day: these are the last sessions.", day=today))
    elif old:
        lines.append(
            speak("{currencies}: of {day} nothing is stored yet; that is the last session.",
                  currencies=speak.join_items(old), day=today)
        )  # fmt: skip
    if not lines:
        return reply_of_lines(speak("The ledger has no {currency} account.", currency=speak.join_items(list(only))))
    return reply_of_lines(*lines, *_say_ends(desk, _in_currencies(dict(positions_of(status)), only), "today_pnl"))


def _say_in_all(desk: ToolDesk, status: DeskResult, only: Sequence[str], *, whole: bool, words: str) -> Work[Reply]:
    """Return the profit since the first entry: its parts, and the time-weighted return."""
    speak = desk.speak
    first = yield from first_entry(desk)
    days = Days(first or desk.request.moment.date(), desk.request.moment.date(), "")
    period = yield from load_period(desk, days)
    measured = yield from results.measure_books(desk, period, f"{days.first}", f"{days.last}")
    rates = {each.currency: each for each in measured}
    lines = []
    for currency, book in wording.objects_of(status, "currencies").items():
        if only and currency not in only:
            continue
        if book.get("total_pnl") is None:
            lines.append(speak("unknown ({currency})", currency=currency))
            continue
        rate = rates[currency].rate if currency in rates else None
        lines.append(
            speak(
                "**{total}**{rate} since {first}, up to {day}: realized {realized}, unrealized {unrealized}, dividends"
                " {dividends}{interest}{mark}",
                total=wording.say_exact(desk, book["total_pnl"], signed=True, currency=currency),
                rate=speak(" ({rate})", rate=wording.say_percent(rate)) if rate is not None else "",
                first=rates[currency].begin if currency in rates else days.first,
                day=book.get("day") or "–",
                realized=wording.say_exact(desk, book.get("realized_pnl"), signed=True),
                unrealized=wording.say_exact(desk, book.get("unrealized_pnl"), signed=True),
                dividends=wording.say_exact(desk, book.get("dividends")),
                interest=speak(", interest {amount}", amount=wording.say_exact(desk, interest, signed=True))
                if (interest := book.get("interest"))
                else "",
                mark=wording.simulated_mark(desk, status.get("simulated")),
            )
        )
    if status.get("unpriced"):
        names = speak.join_items(wording.names_of(status.get("unpriced")))
        lines.append(speak("Not counted (no price): {names}.", names=names))
    if not lines:
        return reply_of_lines(speak("The ledger has no {currency} account.", currency=speak.join_items(list(only))))
    return reply_of_lines(*_say_best(desk, rates, words), *(say_total(desk, period, only) if whole else []), *lines)


_WHICH = pattern(r"各账户的收益率|\baccounts by return\b", re.I)
_LEAST = pattern(r"倒序|\bin reverse\b", re.I)


def _say_best(desk: ToolDesk, rates: dict[str, results.BookResult], words: str) -> list[str]:
    """Return which currency's account has the highest return, or the lowest one, where that is asked for."""
    known = {code: float(each.rate) for code, each in rates.items() if each.rate is not None}
    if not _WHICH.search(words) or len(known) < 2:
        return []
    pick = min if _LEAST.search(words) else max
    code = pick(known, key=lambda each: known[each])
    given: Json = {"currency": code, "rate": wording.say_percent(known[code])}
    return [
        desk.speak("Lowest return: the {currency} account, **{rate}**.", **given)
        if pick is min
        else desk.speak("Highest return: the {currency} account, **{rate}**.", **given)
    ]


def _convert_profit(desk: ToolDesk, status: DeskResult, only: Sequence[str], wanted: str) -> Work[list[str]]:
    """Return the profit in some currencies in another one, at the last exchange rate."""
    lines = []
    for currency, book in wording.objects_of(status, "currencies").items():
        if currency not in only or book.get("total_pnl") is None:
            continue
        rate = yield from wording.load_rate(desk, currency, wanted)
        lines.append(
            desk.speak("No exchange rate of {currency} in {wanted} is stored.", currency=currency, wanted=wanted)
            if rate is None
            else wording.say_converted(desk, float(book["total_pnl"]), rate)
        )
    return lines


def first_entry(desk: ToolDesk) -> Work[date | None]:
    """Return the day of the first money in the ledger."""
    period = yield from desk.one("account.period", first="1990-01-01", last=desk.request.day)
    days = [str(book["begin"]) for book in wording.objects_of(period, "currencies").values() if book.get("begin")]
    return date.fromisoformat(min(days)) if days else None


def answer_account_index(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the account is ahead of its index: since the first entry, or over the days that are named."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    if not wording.objects_of(status, "currencies"):
        return wording.say_empty(desk)
    span = asked.spans[0] if asked.spans else None
    if len(asked.spans) > 1 or (span is not None and span.kind == FUTURE):
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    days: Days | None
    if span is None or span.kind == EVER:
        first = yield from first_entry(desk)
        days = Days(first or desk.request.moment.date(), desk.request.moment.date(), "")
    else:
        days = yield from read_days(desk, span)
    if days is None:
        return wording.ask_back(desk, (span.said if span else "",))
    period = yield from load_period(desk, days)
    named = [mention for mention in asked.securities if mention.symbol.kind == "index"]
    plain = strip_mentions(asked.words)
    markets = find_accounts(plain) or find_market_currencies(plain)
    lines: list[str] = []
    if named:
        for mention in named[:2]:
            lines += yield from _compare_named(desk, mention, days, markets)
    else:
        measured = yield from results.measure_books(desk, period, f"{days.first}", f"{days.last}")
        for each in (each for each in measured if not markets or each.currency in markets):
            lines += _say_gap(desk, each.currency, each.benchmark, each.rate, each.change)
            lines.append(days.label + speak(": ") + results.say_result(desk, each, f"{days.first}"))
        lines += say_total(desk, period) if not markets else []
    return reply_of_lines(*lines, *_say_bases(desk, period, markets), *moved_note(desk, days))


def _say_bases(desk: ToolDesk, period: DeskResult, markets: list[str]) -> list[str]:
    """Return from which close account and index count: the last one before the first day with money in the ledger."""
    begun: dict[str, list[str]] = {}
    for currency, book in wording.objects_of(period, "currencies").items():
        if book.get("begin") and (not markets or currency in markets):
            begun.setdefault(str(book["begin"]), []).append(currency)
    if not begun:
        return []
    told = [
        desk.speak("from the last close before {day}", day=day)
        + (desk.speak(" ({currencies})", currencies=desk.speak.join_items(names)) if len(begun) > 1 else "")
        for day, names in sorted(begun.items())
    ]
    return [desk.speak("Account and index count {bases}.", bases=desk.speak.join_items(told))]


def _say_gap(desk: ToolDesk, currency: str, index: str, rate: float | None, change: float | None) -> list[str]:
    """Return by how many points a return is ahead of an index; [] where one of them is not known."""
    if rate is None or change is None:
        return []
    given: Json = {"currency": currency, "index": index, "gap": f"{abs(rate - change):.2f}"}
    return [
        desk.speak("{currency}: **ahead** of {index} by {gap} percentage points.", **given)
        if rate > change
        else desk.speak("{currency}: **behind** {index} by {gap} percentage points.", **given)
    ]


def _compare_named(desk: ToolDesk, mention: Mention, days: Days, markets: list[str]) -> Work[list[str]]:
    """Return how each account did against an index that the question names, all in the base currency first.

    markets  the currencies of the markets that are meant; [] for all
    """
    speak = desk.speak
    found = yield from results.compare_with(desk, {mention.code: f"{days.last}"}, f"{days.first}")
    compared = found[mention.code]
    if not compared.prices.ok or not compared.period.ok:
        return [speak("No prices of {name} are at hand to compare with.", name=wording.head_of(desk, mention))]
    books = wording.objects_of(compared.period, "currencies")
    rows: list[tuple[str, str, Json]] = [
        (currency, currency, book["returns"])
        for currency, book in books.items()
        if isinstance(book.get("returns"), dict) and (not markets or currency in markets)
    ]
    total = compared.period.get("total")
    if isinstance(total, dict) and not markets:
        base = str(total.get("currency"))
        rows.insert(0, (speak("all in {currency}", currency=base), base, total))
    mark = wording.simulated_mark(desk, compared.period.get("simulated"))
    lines = []
    for name, currency, row in rows:
        rate, change = wording.figure_of(row, "twr_frac"), wording.figure_of(row, "benchmark_frac")
        index = wording.short_name(desk, mention)
        if rate is None or change is None:
            reasons = row.get("reasons") if isinstance(row.get("reasons"), dict) else {}
            why = (reasons or {}).get("twr_frac") or (reasons or {}).get("benchmark_frac") or "–"
            lines.append(speak("{name}: not known ({reason})", name=name, reason=why))
            continue
        lines += _say_gap(desk, name, index, rate * 100, change * 100)
        lines.append(
            speak(
                "{days}: **{money}** ({rate}), {index} {change}{mark}",
                days=days.label,
                money=wording.say_exact(desk, row.get("result"), signed=True, currency=currency),
                rate=wording.say_percent(rate * 100),
                index=index,
                change=wording.say_percent(change * 100),
                mark=mark,
            )
        )
    return lines


_AT_END = {"equity": "equity_after", "cash": "cash_after", "positions_value": "positions_value_after"}
_WITHIN = {"realized": "realized", "dividends": "dividends", "fees": "fees", "invested": "flows"}
DATED = (*_AT_END, *_WITHIN)
"""Fields of the account that are told of other days than today."""


def answer_dated(desk: ToolDesk, asked: FactQuestion, span: TimeSpan) -> Work[Reply]:
    """Answer what equity, cash or positions were at the end of a day, or what was realized or paid within days."""
    speak, field = desk.speak, asked.facts[0].field
    days = yield from read_account_days(desk, span)
    if days is None or span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    period = yield from load_period(desk, days)
    if period.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), period.failure)
    if field == "equity" and _COMPARED.search(asked.words):
        return (yield from _say_change(desk, asked, days))
    key, signed = _AT_END.get(field) or _WITHIN[field], field in ("realized", "invested")
    told = [
        wording.say_exact(desk, book[key], signed=signed, currency=currency)
        if book.get(key) is not None
        else speak("unknown ({currency})", currency=currency)
        for currency, book in wording.objects_of(period, "currencies").items()
    ]
    if not told:
        return reply_of_lines(speak("The ledger has no entry up to {day}.", day=f"{days.last}"))
    given: Json = {"name": wording.fact_name(desk, asked.facts[0]), "values": speak.join_clauses(told)}
    line = (
        speak("**{name}** {values} (end of {day})", day=f"{days.last}", **given)
        if field in _AT_END
        else speak("**{name}** {values} ({days})", days=days.label, **given)
    )
    line += wording.simulated_mark(desk, period.get("simulated"))
    total = period.get("total")
    whole = wording.figure_of(total, "equity_after") if isinstance(total, dict) and field == "equity" else None
    if whole is None or len(told) < 2:
        return reply_of_lines(line, *moved_note(desk, days))
    rates = [
        f"1 {row['currency']} = {row['rate']} {row['base']} ({row['date']})" for row in wording.rows_of(period, "rates")
    ]
    return reply_of_lines(
        speak("**{equity}** in all at the end of {day}.{mark}", day=f"{days.last}",
              equity=wording.say_exact(desk, whole, currency=str(total["currency"])),
              mark=wording.simulated_mark(desk, period.get("simulated"))),
        speak("By currency: {parts}.", parts=speak.join_clauses(told)),
        *filter(None, [speak.join_clauses(rates)]),
        *moved_note(desk, days),
    )  # fmt: skip


def answer_held_on(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the account held at the end of a day: equity, positions and cash by currency, and the shares."""
    speak, span = desk.speak, asked.spans[0]
    days = yield from read_account_days(desk, span)
    if days is None or span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    period = yield from load_period(desk, Days(days.last, days.last, ""))
    if period.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), period.failure)
    books = wording.objects_of(period, "currencies")
    if not books:
        return reply_of_lines(speak("The ledger has no entry up to {day}.", day=f"{days.last}"))
    lines = [
        speak(
            "End of {day}: equity **{equity}**, positions {value}, cash {cash}",
            day=f"{days.last}",
            equity=wording.say_exact(desk, book.get("equity_after"), currency=currency),
            value=wording.say_exact(desk, book.get("positions_value_after")),
            cash=wording.say_exact(desk, book.get("cash_after")),
        )
        for currency, book in books.items()
    ]
    lines[0] += wording.simulated_mark(desk, period.get("simulated"))
    held = [(symbol, row) for symbol, row in wording.objects_of(period, "positions").items() if row.get("size_after")]
    if not held:
        lines.append(speak("Nothing was held."))
    lines += [
        speak("- {name}: {shares} shares", name=wording.security_name(desk, symbol, row.get("name")),
              shares=number(float(row["size_after"]), "shares"))
        for symbol, row in held[:SHOWN]
    ]  # fmt: skip
    if len(held) > SHOWN:
        lines.append(speak("… {count} more: `ia --now {day} account`", count=len(held) - SHOWN, day=f"{days.last}"))
    return reply_of_lines(*lines, *moved_note(desk, days))


_COMPARED = pattern(
    r"变化|变动|变了|增加|增长|减少|多了|少了|涨了|跌了|对比|相比|比(?!例)"
    r"|\b(?:chang\w+|differ\w+|gr[eo]w\w*|compared?|versus|vs|than|more|less|up|down|increase\w*|decrease\w*)\b",
    re.I,
)


def _say_change(desk: ToolDesk, asked: FactQuestion, days: Days) -> Work[Reply]:
    """Return how far the equity is from that of the end of a day, and how much of it was money that came or went."""
    speak, today = desk.speak, desk.request.moment.date()
    begin = min((days.last if days.first == days.last else days.first - timedelta(days=1)) + timedelta(days=1), today)
    period = yield from load_period(desk, Days(begin, today, ""))
    lines = []
    for currency, book in wording.objects_of(period, "currencies").items():
        old, new = book.get("equity_before"), book.get("equity_after")
        if old is None or new is None:
            lines.append(speak("unknown ({currency})", currency=currency))
            continue
        change = float(new) - float(old)
        line = speak(
            "**{change}**{rate}: {old} at the end of {day}, {new} now",
            change=wording.say_exact(desk, change, signed=True, currency=currency),
            rate=speak(" ({rate})", rate=wording.say_percent(change / float(old) * 100)) if float(old) else "",
            old=wording.say_exact(desk, old),
            day=f"{begin - timedelta(days=1)}",
            new=wording.say_exact(desk, new),
        )
        if float(book.get("flows") or 0):
            line += speak(
                "; of it {flows} was money paid in or out", flows=wording.say_exact(desk, book["flows"], signed=True)
            )
        lines.append(line)
    if lines:
        name, mark = wording.fact_name(desk, asked.facts[0]), wording.simulated_mark(desk, period.get("simulated"))
        lines[0] = f"{name}{speak(': ')}{lines[0]}{mark}"
    return reply_of_lines(*lines, *moved_note(desk, days))


def _rank_in_one(
    desk: ToolDesk, rows: dict[str, list[tuple[float, str]]], base: str
) -> Work[tuple[dict[str, list[tuple[float, str]]], str]]:
    """Return amounts by currency as those of one, and which that is; as they are, and "", where a rate is not known."""
    base, together = "CNY" if "CNY" in rows else base, list[tuple[float, str]]()
    for currency, amounts in rows.items():
        rate: Json | None = {"rate": 1} if currency == base else (yield from wording.load_rate(desk, currency, base))
        if rate is None:
            return rows, ""
        together += [(amount * float(rate["rate"]), told) for amount, told in amounts]
    return {base: together}, base


_BY_MONEY = pattern(
    r"赚|亏|盈|赔|贡献|\b(?:ma[dk]e|earn\w*|los[et]|loss(?:es)?|(?:biggest|largest|greatest) gains?|profit\w*|money"
    r"|contribut\w*)\b",
    re.I,
)


def answer_rank_period(desk: ToolDesk, asked: FactQuestion, span: TimeSpan) -> Work[Reply]:
    """Answer which holding did best or worst over a stretch of days: by its price, or by the money that it brought."""
    speak, worst = desk.speak, asked.facts[0].field == "worst"
    days = yield from read_account_days(desk, span)
    if days is None or span.kind == FUTURE:
        return wording.ask_back(desk, (span.said,))
    period = yield from load_period(desk, days)
    if period.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), period.failure)
    held = wording.objects_of(period, "positions")
    if not held:
        return reply_of_lines(speak("Nothing was held then ({days}).", days=days.label))
    rows: dict[str, list[tuple[float, str]]] = {}
    without: list[str] = []
    if _BY_MONEY.search(asked.words):
        books = wording.objects_of(period, "currencies").values()
        stale = {str(row["symbol"]) for book in books for row in wording.rows_of(book.get("stale"))}
        without = [wording.security_name(desk, s, held[s].get("name")) for s in held if s in stale]
        for symbol, each in held.items():
            if each.get("result") is not None and symbol not in stale:
                currency = str(each.get("currency") or "")
                told = wording.say_exact(desk, each["result"], signed=True, currency=currency)
                name = wording.security_name(desk, symbol, each.get("name"))
                rows.setdefault(currency, []).append((float(each["result"]), f"{name} {told}"))
    else:
        changes = yield from price_changes(desk, held, days)
        for symbol, change in changes.items():
            name = wording.security_name(desk, symbol, held[symbol].get("name"))
            rows.setdefault("", []).append((change, f"{name} {wording.say_percent(change)}"))
        without = [wording.security_name(desk, s, held[s].get("name")) for s in held if s not in changes]
    if not rows:
        return reply_of_lines(speak("No price is known of what is held."))
    base = next(iter(rows)) if len(rows) > 1 else ""
    rows, base = (yield from _rank_in_one(desk, rows, base)) if base else (rows, "")
    lines = []
    for ranked in rows.values():
        ranked.sort(key=lambda row: row[0], reverse=not worst)
        lines.append(f"{days.label}{speak(': ')}**{ranked[0][1]}**")
        if len(ranked) > 1:
            lines.append(speak("Then: {rest}.", rest=speak.join_clauses([told for _, told in ranked[1:SHOWN]])))
        if more := len(ranked) - SHOWN:
            lines += [speak("… and {count} more: `ia account`", count=more)] if more > 0 else []
    if base:
        lines.append(speak("Compared in {base} at today's rates.", base=base))
    if without:
        lines.append(speak("Not counted (no price of those days): {names}.", names=speak.join_items(without)))
    lines[0] += wording.simulated_mark(desk, period.get("simulated"))
    return reply_of_lines(*lines, *moved_note(desk, days))


def price_changes(desk: ToolDesk, held: Iterable[str], days: Days) -> Work[dict[str, float]]:
    """Return the changes of prices over days, from the close before them, in per cent; of what has the bars."""
    symbols = list(held)
    looked = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": symbol, "tail": 250}) for symbol in symbols))
    found = {}
    for symbol, bars in zip(symbols, looked, strict=True):
        closes = yield from _closes_since(desk, symbol, bars, f"{days.first}")
        change = _change_between(closes, f"{days.first}", f"{days.last}")
        if change is not None:
            found[symbol] = change
    return found


def answer_named(desk: ToolDesk, named: Sequence[Mention], span: TimeSpan) -> Work[Reply]:
    """Answer what positions in the named securities brought over a stretch of days, beside their prices.

    Each is answered by the calendar of its own exchange.
    """
    lines, notes = list[str](), list[str]()
    for market in dict.fromkeys(mention.symbol.market for mention in named):
        of_market = [mention for mention in named if mention.symbol.market == market]
        days = yield from read_days(desk, span, market)
        if days is None or span.kind == FUTURE:
            return wording.ask_back(desk, (span.said,))
        told = yield from _say_named(desk, of_market, days)
        if isinstance(told, Reply):
            return told
        lines += told
        notes += moved_note(desk, days)
    return reply_of_lines(*lines, *notes)


def _say_named(desk: ToolDesk, named: Sequence[Mention], days: Days) -> Work[list[str] | Reply]:
    """Return a line for each named security with what its position brought over days."""
    speak = desk.speak
    period = yield from load_period(desk, days)
    if period.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), period.failure)
    held, lines = wording.objects_of(period, "positions"), []
    changes = yield from price_changes(desk, [mention.code for mention in named], days)
    for mention in named:
        each, head = held.get(mention.code), wording.head_of(desk, mention)
        if each is None:
            lines.append(speak("{name}: none was held then ({days}).", name=head, days=days.label))
            continue
        if days.first == days.last and mention.code not in changes:
            none = "{name}: no price of {days} is stored (suspended, or not there yet), so its result is not known."
            lines.append(speak(none, name=head, days=days.label))
            continue
        lines.append(
            speak(
                "{name}: **{result}** ({days}); price {change}; {shares} shares held at the end{mark}.",
                name=head,
                result=wording.say_exact(desk, each.get("result"), signed=True, currency=str(each.get("currency"))),
                days=days.label,
                change=wording.say_percent(changes.get(mention.code)),
                shares=number(float(each.get("size_after") or 0), "shares"),
                mark=wording.simulated_mark(desk, period.get("simulated")),
            )
        )
    return lines


_UP = pattern(r"赚|涨|盈利|\b(?:up|made|make|gain\w*|profit\w*|rose|ris\w+)\b", re.I)


def _closes_since(desk: ToolDesk, symbol: str, newest: DeskResult, first: str) -> Work[list[tuple[str, float]]]:
    """Return the closes of a security back to before a day: those of a result, and of earlier bars where they lack."""
    closes = closes_of(newest.value) if newest.ok else []
    if not closes or closes[0][0] < first or f"{newest.get('first') or ''}" >= closes[0][0]:
        return closes
    span = TimeSpan(
        kind=RANGE, said="", at=(0, 0), first=date.fromisoformat(first), last=date.fromisoformat(closes[0][0])
    )
    found = yield from bar_rows.load_span_of(desk, symbol, span)
    if isinstance(found, DeskResult):
        return closes
    return [*((row.date, row.close) for row in found.with_base if row.date < closes[0][0]), *closes]


def _change_between(closes: list[tuple[str, float]], first: str, last: str) -> float | None:
    """Return the change in per cent from the last close before a day to the last close up to another."""
    before = [close for day, close in closes if day < first]
    until = [close for day, close in closes if first <= day <= last]
    return (until[-1] / before[-1] - 1) * 100 if before and until else None


def answer_why(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer why the account gained or lost: first whether it did, then which holdings did it."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    books, held, field = wording.objects_of(status, "currencies"), dict(positions_of(status)), "today_pnl"
    label = ""
    other = wording.other_day(asked, desk.request.day)
    if other is not None or not asked.spans:
        days = (yield from read_account_days(desk, other)) if other is not None else None
        first = (yield from first_entry(desk)) if days is None else None
        days = days or Days(first or desk.request.moment.date(), desk.request.moment.date(), "")
        period = yield from load_period(desk, days)
        books, held = wording.objects_of(period, "currencies"), wording.objects_of(period, "positions")
        field, label = "result", days.label
    lines, said_up, drivers = [], bool(_UP.search(asked.words)), asked.facts[0].field == "drivers"
    for currency, book in books.items():
        if book.get(field) is not None:
            day = label or str(book.get("day") or "")
            lines.append(_say_premise(desk, float(book[field]), currency, day, None if drivers else said_up))
            lines += _say_causes(desk, held, field, currency)
    if drivers:
        return reply_of_lines(*lines)
    lines.append(speak("Why those prices moved I do not know: I have prices, reports and your notes, no news."))
    return reply_of_lines(*lines)


def _say_premise(desk: ToolDesk, value: float, currency: str, day: str, said_up: bool | None) -> str:
    """Return a result, and that it is not what the question takes it for; None: it takes it for neither."""
    given = {"amount": wording.say_exact(desk, value, signed=True, currency=currency), "day": day}
    if value > 0 and said_up is False:
        return desk.speak("You did not lose: **{amount}** ({day}).", **given)
    if value < 0 and said_up:
        return desk.speak("You did not gain: **{amount}** ({day}).", **given)
    return desk.speak("**{amount}** ({day}).", **given)


def _say_causes(desk: ToolDesk, held: dict[str, Json], field: str, currency: str) -> list[str]:
    """Return the holdings that brought and lost most in a currency."""
    rows = sorted(
        (float(each[field]), wording.security_name(desk, symbol, each.get("name")))
        for symbol, each in held.items()
        if each.get(field) and each.get("currency") == currency
    )
    shown = [row for row in rows[:2] if row[0] < 0] + [row for row in rows[:-3:-1] if row[0] > 0]
    told = [f"{name} {wording.say_exact(desk, value, signed=True)}" for value, name in shown]
    return [desk.speak("From: {names}.", names=desk.speak.join_clauses(told))] if told else []


ANSWERS = {
    "held_on": answer_held_on,
    "account_result": answer_result,
    "account_index": answer_account_index,
    "account_why": answer_why,
}
