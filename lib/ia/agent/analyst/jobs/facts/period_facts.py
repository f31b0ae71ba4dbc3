"""Moves of prices over a time: changes, points, rankings, what money became, volumes compared."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import UNIT, find_currencies, find_size
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, RANGE, SESSIONS, SINCE, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, load_span, load_spans, period_of, stale_note
from ia.agent.analyst.jobs.facts.extreme_facts import MOST, each_security, head, say_price, span_of
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST_RANKED = 8
TIMES = 3
"""Times of one question that are answered, one after the other."""
LISTED = 12
AVERAGED = 20
"""Sessions of the average volume where no number is named."""
_VOLATILITY = 60
"""Returns of the volatility where no time is named: as the figure of that name."""
_NEWEST = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=1)
_EVER = TimeSpan(kind=EVER, said="", at=(0, 0))


def _plain_of(asked: FactQuestion) -> str:
    """Return the words of a question without its securities and its times."""
    return blank_spans(strip_mentions(asked.words), asked.spans)


def answer_move(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how a security did over a time: the change, and whether that is a rise; in points where they are asked."""
    if asked.unread or len(asked.spans) > TIMES:
        return wording.ask_back(desk, asked.unread or (asked.spans[TIMES].said,))
    if own := _OWN_TIME.search(_plain_of(asked)):
        return wording.ask_back(desk, (own[0],))
    lines: list[str] = []
    for span in map(_from_close, asked.spans or (_NEWEST,)):
        if span.kind == FUTURE:
            return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
        if span.days:  # from the close of the first day to that of the last
            span = replace(span, kind=SINCE)

        def say(mention: Mention, found: SpanBars, span: TimeSpan = span) -> list[str]:
            return [head(desk, mention, found) + say_move(desk, mention, found, asked, span)]

        told = yield from each_security(desk, asked, span, say)
        lines += [line for line in told.lines if line not in lines]
    return reply_of_lines(*lines)


_DAY_NUMBER = pattern(r"\d{4}-\d\d?-\d\d?|\d{1,2}\s*[日号]|(?<![\d-])\d{1,2}(?:st|nd|rd|th)?(?![\d-]|\s*月)", re.I)


def _from_close(span: TimeSpan) -> TimeSpan:
    """Return a time between two days as one that begins with the close of the first; whole months as they are."""
    if span.kind != RANGE or span.first is None or span.last is None or len(_DAY_NUMBER.findall(span.said)) < 2:
        return span
    whole = span.first.day == 1 and (span.last + timedelta(days=1)).day == 1
    return span if whole or span.first == span.last else replace(span, kind=SINCE)


_IN_MONEY = pattern(
    r"多少[元块]|几[元块](?!分)|[元块]和百分"
    r"|\b(?:in|how many) (?:yuan|rmb|cny|(?:us |hk |hong kong )?dollars|usd|hkd|money|cents)\b",
    re.I,
)
"""Asks for the change as an amount."""


def say_move(desk: ToolDesk, mention: Mention, found: SpanBars, asked: FactQuestion, span: TimeSpan) -> str:
    """Return the change over bars, from the close before them."""
    speak, start, end = desk.speak, found.base, found.rows[-1]
    if start is None:
        start = found.rows[0]
    if start is end:
        return speak("too few bars.")
    change, points = end.close / start.close * 100 - 100, end.close - start.close
    given: Json = {
        "change": number(change, "percent", desk.speak),
        "points": f"{abs(points):,.2f}",
        "start": say_price(desk, start.close),
        "first": start.date,
        "close": say_price(desk, end.close),
        "last": end.date,
    }
    unit = wording.CURRENCIES.get(mention.symbol.market, "")
    in_points = asked.facts[0].field == "points" or (asked.facts[0].field != "annual" and _IN_MONEY.search(asked.words))
    if in_points and mention.symbol.kind == "index":
        told = (
            speak("up {points} points ({change})", **given)
            if points > 0
            else speak("down {points} points ({change})", **given)
        )
    elif in_points:
        told = (
            speak("up {points} {unit} ({change})", unit=unit, **given)
            if points > 0
            else speak("down {points} {unit} ({change})", unit=unit, **given)
        )
    elif asked.facts[0].field == "annual":
        told = _say_annual(desk, start, end)
    elif not points:
        told = speak("unchanged")
    elif given["change"] == number(0.0, "percent"):
        told = speak("almost unchanged, {change}", change=wording.say_percent(change))
    else:
        told = speak("{change} (up)", **given) if points > 0 else speak("{change} (down)", **given)
    tail = "" if mention.symbol.kind == "index" or mention.symbol.market == "CN" else f" {unit}"
    if asked.spans and span.kind == SESSIONS and mention.symbol.kind != "index":
        return told + speak(
            ", from {start} ({first}) to {close}{unit} ({last}), {count} sessions, adjusted prices.",
            unit=tail, count=len(found.rows), **given,
        )  # fmt: skip
    if (len(found.rows) > 1 or end.date < found.last) and mention.symbol.kind != "index":
        return told + speak(", from {start} ({first}) to {close}{unit} ({last}), adjusted prices.", unit=tail, **given)
    return told + speak(", from {start} ({first}) to {close}{unit} ({last}).", unit=tail, **given)


def _say_annual(desk: ToolDesk, start: BarRow, end: BarRow) -> str:
    """Return a change as the rate of a year that comes to it; of less than a year the change alone."""
    speak, growth = desk.speak, end.close / start.close
    days = (date.fromisoformat(end.date) - date.fromisoformat(start.date)).days
    change = wording.say_percent((growth - 1) * 100)
    if days < 365:
        return speak("{change} in {days} days; less than a year is not annualized", change=change, days=days)
    rate = wording.say_percent((growth ** (365.25 / days) - 1) * 100)
    return speak("**{rate} a year** ({change} in all)", rate=rate, change=change)


def answer_daily_list(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the close and the change of each day, week or month of a stretch of time."""
    speak, size = desk.speak, _size_of_step(asked.words)
    span = span_of(asked, _NEWEST)
    if asked.unread or span is None:
        return wording.ask_back(desk, asked.unread or (asked.spans[1].said,))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    columns = [(column, said) for column, form in _COLUMNS.items() if (said := form.search(asked.words))]
    if columns and size != _DAY:
        return wording.ask_back(desk, tuple(said[0] for _, said in columns))
    closes = not columns or _CLOSES.search(asked.words) is not None

    def say(mention: Mention, found: SpanBars) -> list[str]:
        name, every = head(desk, mention, found), found.with_base
        more = [_say_column(desk, found.rows, column) for column, _ in columns]
        if not closes:
            return [name.rstrip(), *more] if len(more) > 1 else [name + more[0]]
        if size != _DAY:
            every = [*([found.base] if found.base else []), *_last_of_each(found.rows, size)]
        days = [
            speak("{date} {close} ({change})", date=row.date[slice(*_SHOWN_OF[size])],
                  close=say_price(desk, row.close),
                  change=number(row.close / before.close * 100 - 100, "percent", speak))
            for before, row in pairwise(every)
        ]  # fmt: skip
        if found.base is None:
            days.insert(0, f"{every[0].date[5:]} {say_price(desk, every[0].close)}")
        shown = speak.join_items(days[-LISTED:])
        lines = [
            name + say_move(desk, mention, found, asked, span),
            speak("Closes: {days}", days=shown) if size == _DAY
            else speak("Closes of each week, by its last session: {days}", days=shown) if size == _WEEK
            else speak("Closes of each month: {days}", days=shown) if size == _MONTH
            else speak("Closes of each year: {days}", days=shown),
            *more,
        ]  # fmt: skip
        if len(days) > LISTED:
            lines.append(speak("That is the last {count}; all of them: `ia ohlcv {code} --start {first}`.",
                               count=LISTED, code=mention.code, first=found.rows[0].date))  # fmt: skip
        return lines

    return (yield from each_security(desk, asked, span, say))


_COLUMNS = {
    "open": pattern(r"开盘|\bopen(?:s|ing)?\b", re.I),
    "high": pattern(r"最?高价|最高|\bhighs?\b", re.I),
    "low": pattern(r"最?低价|最低|\blows?\b", re.I),
    "volume": pattern(r"成交量|\bvolumes?\b", re.I),
}
"""What a bar has besides its close, and the words that ask for it."""
_CLOSES = pattern(r"收盘|\bclos(?:es?|ing)\b", re.I)


def _say_column(desk: ToolDesk, rows: Sequence[BarRow], column: str) -> str:
    """Return what the last bars have besides their closes, day by day."""
    speak, shown = desk.speak, rows[-LISTED:]
    values = [number(row.volume, "ratio", speak) if column == "volume" else say_price(desk, getattr(row, column))
              for row in shown]  # fmt: skip
    days = speak.join_items([f"{row.date[5:10]} {value}" for row, value in zip(shown, values, strict=True)])
    return (
        speak("Opens: {days}", days=days) if column == "open"
        else speak("Highs: {days}", days=days) if column == "high"
        else speak("Lows: {days}", days=days) if column == "low"
        else speak("Volumes in shares: {days}", days=days)
    )  # fmt: skip


_DAY, _WEEK, _MONTH, _YEAR = "day", "week", "month", "year"
_STEPS = (
    (
        _WEEK,
        pattern(
            r"每(?:一)?(?:周|个?星期)|[逐各]周|周度|\bweek[- ](?:by|to)[- ]week\b|\b(?:each|every) week\b|\bweekly\b",
            re.I,
        ),
    ),
    (
        _YEAR,
        pattern(
            r"每(?:一)?年|[逐各]年|年度|\byear[- ](?:by|to)[- ]year\b|\b(?:each|every) year\b|\b(?:yearly|annual)\b",
            re.I,
        ),
    ),
    (
        _MONTH,
        pattern(
            r"每(?:一)?个?月|[逐各]月|月度|\bmonth[- ](?:by|to)[- ]month\b|\b(?:each|every) month\b|\bmonthly\b", re.I
        ),
    ),
)


_SHOWN_OF = {_DAY: (5, 10), _WEEK: (5, 10), _MONTH: (0, 7), _YEAR: (0, 4)}
"""Size of a step -> what of its date is shown, from and to."""


def _size_of_step(words: str) -> str:
    return next((size for size, form in _STEPS if form.search(words)), _DAY)


def _last_of_each(rows: Sequence[BarRow], size: str) -> list[BarRow]:
    """Return the last bar of each week or month."""
    last: dict[object, BarRow] = {}
    for row in rows:
        key = date.fromisoformat(row.date[:10]).isocalendar()[:2] if size == _WEEK else row.date[: _SHOWN_OF[size][1]]
        last[key] = row
    return list(last.values())


class Measured(NamedTuple):
    """A figure of one security of several: the value, as it is said, the days that it is of, whether it is invented."""

    mention: Mention
    value: float
    told: str
    period: str
    mark: str


_VOLATILE = pattern(r"波动|稳|\bvolatil\w*|\bcalm\w*|\bstead\w*", re.I)
_DRAWDOWN = pattern(r"回撤|draw-?down", re.I)
_AMOUNT = pattern(r"成交额|成交金额|\b(?:traded value|value traded|turnover)\b", re.I)
_VOLUME = pattern(r"成交|\bvolume\b|\btraded\b", re.I)
_LESS = pattern(
    r"跌|弱|差(?!多少)|(?<!多)少(?!于)|小|低|稳|抗"
    r"|\b(?:f[ae]ll\w*|fell|worst|worse|least|less|lower|lowest|weaker|weakest|lost|los[et]|lagged|drop\w*|down|calm\w*"
    r"|smaller|smallest|fewer)\b",
    re.I,
)
_LEAST = pattern(
    r"[涨跌]得?(?:最|更|比较)?少|\b(?:rose|gain\w*|f[ae]ll|fell|lost|dropp?\w*|los[et]) (?:the )?(?:least|less)\b"
)
_FELL = pattern(r"跌|\b(?:f[ae]ll\w*|fell|lost|los[et]|drop\w*|declin\w*)\b", re.I)


_OWN_TIME = pattern(r"自?从?我.{0,6}[买卖]\w{0,3}以来|\bsince (?:i|we) (?:bought|sold|purchased)\b", re.I)
_IS = pattern(r"\b(?:is|are)\b|现在|目前", re.I)


def answer_ranking(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which of several securities rose, fell, swung or was traded most."""
    speak, plain = desk.speak, _plain_of(asked)
    span = span_of(asked, _NEWEST)
    if asked.unread or span is None:
        return wording.ask_back(desk, asked.unread or (asked.spans[1].said,))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    counted = _DAYS_OF.search(plain)
    measure = (
        ("falls" if _FELL_DAYS.search(counted[0]) else "rises") if counted
        else "volatility" if _VOLATILE.search(plain) else "drawdown" if _DRAWDOWN.search(plain)
        else "amount" if _AMOUNT.search(plain) else "volume" if _VOLUME.search(plain) else "change"
    )  # fmt: skip
    if own := _OWN_TIME.search(plain):
        return wording.ask_back(desk, (own[0],))
    if not asked.spans and (
        measure in ("drawdown", "falls", "rises") or (measure == "change" and not _IS.search(plain))
    ):
        return reply_of_lines(
            speak("Over which time? Give a day or a stretch, such as “today”, “this year” or “the last 120 days”.")
        )._replace(understood=False)
    if not asked.spans and measure == "volatility":
        span = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=_VOLATILITY)
    if measure == "volatility" and span.first and span.last and (span.last - span.first).days < _SHORT:
        measure = "range"
    if len(asked.securities) > MOST_RANKED:
        return reply_of_lines(speak("I compare at most {count} at a time.", count=MOST_RANKED))
    measured, lines = yield from _measure_all(desk, asked, span, measure)
    if len(measured) + len(lines) < len(asked.securities) or len(measured) < 2:
        return reply_of_lines(*lines, speak("So there are not two to compare."))
    down = bool(_LESS.search(_DAYS_OF.sub(" ", plain) if counted else plain))
    if measure == "change" and _LEAST.search(plain):
        down = not _FELL.search(plain)
    order = sorted(measured, key=lambda each: each.value, reverse=down if measure == "drawdown" else not down)
    told = _say_order(desk, order, measure, down=down)
    if measure == "change" and len(order) == 2 and _GAP.search(plain):
        gap = f"{abs(order[0].value - order[1].value):.1f}"
        told += " " * (desk.speak.lang == "en") + desk.speak("The difference is {gap} percentage points.", gap=gap)
    return reply_of_lines(told, *say_total_return(desk, asked), *lines)


_SHORT = 14
"""Days of a stretch that has too few bars for a volatility: the range from low to high is told."""
_DAYS_OF = pattern(
    r"(?:上|下)?[涨跌]的?(?:天数|日子|交易日|天)|(?:阳|阴)线"
    r"|\b(?:up|down|losing|winning|rising|falling|green|red|positive|negative|gaining) (?:trading )?(?:days|sessions)\b"
    r"|\bdays (?:up|down|higher|lower)\b",
    re.I,
)
_FELL_DAYS = pattern(r"跌|阴|\b(?:down|losing|falling|red|negative|lower)\b", re.I)
"""How many days each rose, or fell."""
_GAP = pattern(
    r"[差多少]了?(?:多少|几)|差距|相差|\bby how much\b|\b(?:difference|gap)\b|\bhow much (?:better|more|less|worse)\b",
    re.I,
)
_TOTAL_RETURN = pattern(r"复权|总回报|\btotal return\b", re.I)


def say_total_return(desk: ToolDesk, asked: FactQuestion) -> list[str]:
    """Return that the prices count dividends, where a question for a return asks for that; an index has none."""
    if not _TOTAL_RETURN.search(asked.words):
        return []
    told = desk.speak("Prices are adjusted, so dividends are counted.")
    if any(each.symbol.kind == "index" for each in asked.securities):
        told += " " * (desk.speak.lang == "en") + desk.speak("An index counts none.")
    return [told]


def _measure_all(
    desk: ToolDesk, asked: FactQuestion, span: TimeSpan, measure: str
) -> Work[tuple[list[Measured], list[str]]]:
    """Return a figure of each security, and why there is none of some; old prices are told."""
    if measure == "amount":
        return (yield from _load_amounts(desk, asked, span))
    measured, lines = [], []
    loaded = yield from load_spans(desk, asked.securities, span)
    for mention, found in zip(asked.securities, loaded, strict=True):
        if isinstance(found, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
            continue
        value = value_of(found, measure)
        if value is None:
            lines.append(desk.speak("{name}: too few bars of that time.", name=wording.head_of(desk, mention)))
            continue
        told = f"{value:,.0f}" if measure in ("volume", "rises", "falls") else (
            wording.say_percent(value) if measure in ("change", "drawdown") else f"{value:.1f}%"
        )  # fmt: skip
        shown = found.with_base if measure == "change" else found.rows
        mark = wording.simulated_mark(desk, found.simulated)
        measured.append(Measured(mention, value, told, period_of(shown), mark))
        lines += filter(None, [stale_note(desk, mention, found.last, found.missed)])
    return measured, lines


def value_of(found: SpanBars, measure: str) -> float | None:
    """Return a figure over bars, in per cent; None where there are too few."""
    every = [row.close for row in found.with_base]
    if not found.rows:
        return None
    if measure == "volume":
        return sum(row.volume for row in found.rows)
    if measure == "change":
        return every[-1] / every[0] * 100 - 100 if len(every) > 1 and found.base is not None else None
    if measure == "drawdown":
        peak, worst = 0.0, 0.0
        for row in found.rows:
            peak = max(peak, row.close)
            worst = min(worst, row.close / peak * 100 - 100)
        return worst
    if measure == "range":
        low = min(row.low for row in found.rows)
        return (max(row.high for row in found.rows) / low - 1) * 100
    if measure in ("rises", "falls"):
        return sum((b > a) if measure == "rises" else (b < a) for a, b in pairwise(every)) if found.base else None
    moves = [b / a - 1 for a, b in pairwise(every)]
    if len(moves) < 10:
        return None
    mean = math.fsum(moves) / len(moves)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in moves) / (len(moves) - 1)) * math.sqrt(250) * 100


def _load_amounts(desk: ToolDesk, asked: FactQuestion, span: TimeSpan) -> Work[tuple[list[Measured], list[str]]]:
    """Return the traded values of the stored day; none of another day."""
    quotes = yield from desk.one("market.quote", symbols=[mention.code for mention in asked.securities])
    rows = {str(row.get("symbol")): row for row in wording.rows_of(quotes, "quotes")} if quotes.ok else {}
    measured, lines = [], []
    for mention in asked.securities:
        row = rows.get(mention.code)
        value, day = wording.figure_of(row, "amount"), str(row.get("date") or "") if row else ""
        other = wording.other_day(asked, day)
        if value is None or other is not None:
            said = other.said if other is not None else ""
            lines.append(
                desk.speak("{name}: the traded value is stored of {day} only, not of “{time}”.",
                           name=wording.head_of(desk, mention), day=day or "–", time=said)
            )  # fmt: skip
            continue
        mark = wording.simulated_mark(desk, row.get("simulated") if row else False)
        measured.append(Measured(mention, value, wording.say_money(desk, value), day, mark))
    return measured, lines


def _lead_of_days(desk: ToolDesk, name: str, rises: bool, *, fewest: bool) -> str:
    """Return which of several had most, or fewest, days on which it rose, or fell."""
    speak = desk.speak
    if fewest:
        return speak("{name} had the fewest days up", name=name) if rises else (
            speak("{name} had the fewest days down", name=name)
        )  # fmt: skip
    return (
        speak("{name} had the most days up", name=name) if rises else speak("{name} had the most days down", name=name)
    )


def _say_order(desk: ToolDesk, order: list[Measured], measure: str, *, down: bool) -> str:
    """Return the first of an order and what it is first in, and the figures of all."""
    speak, best = desk.speak, order[0]
    names = {"name": wording.head_of(desk, best.mention)}
    if abs(order[0].value - order[1].value) < 1e-9:
        lead = speak("{name} and {other} are level", other=wording.head_of(desk, order[1].mention), **names)
    elif measure == "volatility":
        lead = speak("{name} is the least volatile", **names) if down else speak("{name} is the most volatile", **names)
    elif measure == "range":
        lead = (
            speak("{name} had the narrowest range from low to high", **names)
            if down
            else speak("{name} had the widest range from low to high", **names)
        )
    elif measure == "drawdown":
        lead = speak("{name} had the largest drawdown", **names) if best.value <= order[-1].value else (
            speak("{name} had the smallest drawdown", **names)
        )  # fmt: skip
    elif measure in ("volume", "amount"):
        lead = speak("{name} was traded least", **names) if down else speak("{name} was traded most", **names)
    elif measure in ("rises", "falls"):
        lead = _lead_of_days(desk, names["name"], measure == "rises", fewest=down)
    elif len(order) == 2:
        other = wording.head_of(desk, order[1].mention)
        lead = (
            speak("{name} did worse than {other}", other=other, **names)
            if down
            else speak("{name} did better than {other}", other=other, **names)
        )
    elif down:
        lead = speak("{name} did worst", **names)
    else:
        lead = speak("{name} did best", **names)
    one = len({each.period for each in order}) == 1
    told = [
        f"{wording.short_name(desk, each.mention)} {each.told}" + ("" if one else f" ({each.period})") for each in order
    ]
    units = {"volatility": speak("yearly volatility"), "volume": speak("shares")}
    unit = units.get(measure, "")
    period = order[0].period if one else ""
    return (
        lead + speak(": ") + speak.join_items(told) + (f" {unit}" if unit else "")
        + (speak(" ({period})", period=period) if period else "") + order[0].mark + speak(".", context="end")
    )  # fmt: skip


_SUM = pattern(rf"(?P<n>{COUNT}|\d[\d,]*(?:\.\d+)?)\s*(?P<unit>万|千|k\b|thousand\b|million\b)?\s*"
              rf"(?P<money>{UNIT})?", re.I)  # fmt: skip
_SCALES = {"万": 1e4, "千": 1e3, "k": 1e3, "thousand": 1e3, "million": 1e6}


def answer_growth(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what an amount put into a security at some time would be worth now."""
    speak, mention, plain = desk.speak, asked.securities[0], _plain_of(asked)
    today = desk.request.moment.date()
    if len(asked.spans) > 1:  # what it would be worth today
        asked = replace(asked, spans=tuple(each for each in asked.spans if each.first != today))
    span = span_of(asked, _NEWEST)
    size = find_size(plain)
    sums = (found for found in _SUM.finditer(plain) if parse_count(found["n"].casefold()))
    money = next(sums, None) if size is None else None
    given = plain[slice(*size.at)] if size else money[0] if money else ""
    unread = [said for said in asked.unread if said.rstrip("万%") not in given]
    if unread or span is None or len(asked.securities) > 1:
        return wording.ask_back(desk, tuple(unread) or (asked.spans[1].said if span is None else asked.words,))
    if not given or not asked.spans or span.kind in (FUTURE, EVER):
        return reply_of_lines(speak("How much money, and put in when? For example 10000 at the start of 2020."))
    own = wording.CURRENCIES.get(mention.symbol.market, "")
    if money and (set(find_currencies(money["money"] or "", colloquial=True)) - {own}):
        return reply_of_lines(
            speak("{name} is traded in {currency}, and there is no exchange rate here: give the amount in {currency}.",
                  name=wording.head_of(desk, mention), currency=own)
        )  # fmt: skip
    begin = TimeSpan(kind=SINCE, said=span.said, at=span.at, first=span.first, last=desk.request.moment.date())
    found = yield from load_span(desk, mention, begin if span.kind == DAY and span.first else span)
    if isinstance(found, DeskResult):
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
    if found.base is None or not found.rows:
        return reply_of_lines(speak("“{time}” begins before the bars that I can look at here.", time=span.said))
    newest = yield from load_span(desk, mention, _NEWEST)
    end = newest.rows[-1] if isinstance(newest, SpanBars) and newest.rows else found.rows[-1]
    if size:
        count = size.shares_of(mention.symbol)
        if count is None:
            return reply_of_lines(wording.say_lot_unknown(desk, mention))
        day = TimeSpan(kind=SINCE, said="", at=(0, 0), first=date.fromisoformat(found.base.date), last=begin.last)
        raw = yield from load_span(desk, mention, day, adjust="none")
        if isinstance(raw, DeskResult) or raw.base is None:
            return reply_of_lines(reply.describe_no_prices(desk, mention.said, NO_BARS))
        amount = count * raw.base.close
    elif money:
        amount = (parse_count(money["n"].casefold()) or 0) * _SCALES.get((money["unit"] or "").lower(), 1)
    ratio = end.close / found.base.close
    return reply_of_lines(
        head(desk, mention, found)
        + speak(
            "{amount} put in at the close of {first} would be {worth} on {last} ({change}): dividends reinvested, no"
            " fees or taxes, parts of shares counted.",
            amount=wording.say_money(desk, amount, currency=own), first=found.base.date,
            worth=wording.say_money(desk, amount * ratio, currency=own), last=end.date,
            change=number(ratio * 100 - 100, "percent", speak),
        ),
        *filter(None, [stale_note(desk, mention, found.last, found.missed)]),
    )  # fmt: skip


_AVERAGE = pattern(r"平均|均量|平时|平常|往常|\b(?:average|normal|usual(?:ly)?|unusual(?:ly)?|mean)\b", re.I)
_COMPARING = pattern(r"比|平均|average|(?:more|less) than|above|below|高于|低于|超过", re.I)
_SIZE = pattern(r"(?P<n>\d{1,3})\s*-?\s*(?:日|天|day|session)", re.I)


def answer_volume_against(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the volume of a day is above that of another day, or above its average."""
    plain = _plain_of(asked)
    if asked.spans[:1] and all(span.kind == RANGE for span in asked.spans[:3]) and len(asked.spans) < 3:
        from ia.agent.analyst.jobs.facts import pair_facts

        return (yield from pair_facts.answer_volume_stretches(desk, asked))
    days = [span for span in asked.spans if span.kind == DAY]
    lengths = [span for span in asked.spans if span.kind in (SESSIONS, SINCE)]
    sized = _SIZE.search(plain)
    since = lengths[0].first if lengths else None
    size = lengths[0].sessions if lengths else int(sized["n"]) if sized else AVERAGED
    if since is not None:
        counted = yield from load_span(desk, asked.securities[0], lengths[0])
        size = len(counted.rows) if isinstance(counted, SpanBars) else AVERAGED
    unread = tuple(said for said in asked.unread if not _COMPARING.fullmatch(said) and not (sized and said in sized[0]))
    if unread or len(days) + len(lengths) < len(asked.spans) or len(days) > 2 or len(lengths) > 1 or size > 250:
        others = [span.said for span in asked.spans if span not in (*days[:2], *lengths[:1])]
        return wording.ask_back(desk, unread or tuple(others) or (f"{size}",))
    alone = len(days) == 1 and not _HELD_AGAINST.search(plain)
    average = bool(_AVERAGE.search(plain)) or not days or bool(lengths) or alone
    earlier = _EARLIER.search(plain) if lengths and not days else None
    other = int(earlier["n"]) if earlier else 0
    back = max((span.sessions for span in days if span.first is None), default=0) + size + other + 40
    span = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=back)
    if early := [day.first for day in days if day.first is not None]:
        begin = min(early) - timedelta(days=size * 2 + 40)
        span = TimeSpan(kind=RANGE, said="", at=(0, 0), first=begin, last=desk.request.moment.date())
    lines, notes = [], []
    mentions = asked.securities[:MOST]
    loaded = yield from load_spans(desk, mentions, span)
    for mention, found in zip(mentions, loaded, strict=True):
        if isinstance(found, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
            continue
        told = (
            _say_stretches(desk, found.with_base, size, other)
            if other
            else _say_volumes(desk, found.with_base, days, size if average else 0)
        )
        lines.append(head(desk, mention, found) + told)
        notes.append(stale_note(desk, mention, found.last, found.missed))
    return reply_of_lines(*lines, *filter(None, notes))


_HELD_AGAINST = pattern(r"[比较跟和与]|相对|\b(?:than|against|versus|vs|compared|from|as)\b", re.I)
"""Words that hold the volume of one day against that of another."""
_EARLIER = pattern(r"(?:之前|再前|前面?|此前|更早)的?\s*(?P<n>\d{1,3})\s*(?:个?交易日|天|日)", re.I)
"""The stretch of sessions before another one: 最近10天和前10天比."""


def _say_stretches(desk: ToolDesk, rows: list[BarRow], size: int, other: int) -> str:
    """Return the average volume of the newest sessions against that of the sessions before them."""
    speak = desk.speak
    newest, before = rows[-size:], rows[-size - other : -size]
    if len(before) < other:
        return speak("too few bars.")
    mean = math.fsum(row.volume for row in newest) / len(newest)
    base = math.fsum(row.volume for row in before) / len(before)
    given: Json = {
        "volume": number(mean, "ratio", speak), "count": size, "gap": f"{abs(mean / base - 1) * 100:.1f}%",
        "base": number(base, "ratio", speak), "other": other, "first": newest[0].date, "last": newest[-1].date,
    }  # fmt: skip
    if mean > base:
        return speak("average volume {volume} shares over {count} sessions ({first} to {last}), {gap} above that of the"
                     " {other} sessions before ({base}).", **given)  # fmt: skip
    return speak("average volume {volume} shares over {count} sessions ({first} to {last}), {gap} below that of the"
                 " {other} sessions before ({base}).", **given)  # fmt: skip


def _say_volumes(desk: ToolDesk, rows: list[BarRow], days: list[TimeSpan], size: int) -> str:
    """Return the volume of a day against that of another, or against the average of so many sessions before it."""
    speak = desk.speak

    def place(span: TimeSpan) -> int | None:
        if span.first is None:
            at = len(rows) - 1 - span.sessions
            return at if at >= 0 else None
        return next((at for at, row in enumerate(rows) if row.date == f"{span.first}"), None)

    places = [place(span) for span in days]
    gone = next((span.said for span, at in zip(days, places, strict=True) if at is None), "")
    if gone:
        return speak("no bar of “{time}”; the newest is that of {last}.", time=gone, last=rows[-1].date)
    known = [at for at in places if at is not None]
    at = known[0] if known and (len(known) == 2 or size) else len(rows) - 1
    if not size and len(known) == 1 and at == known[0]:
        size = AVERAGED
    row = rows[at]
    given: Json = {"volume": number(row.volume, "ratio", speak), "date": row.date}
    if size:
        before = rows[max(0, at - size) : at]
        if not before:
            return speak("too few bars.")
        mean = math.fsum(each.volume for each in before) / len(before)
        given |= {"gap": f"{abs(row.volume / mean - 1) * 100:.1f}%", "mean": number(mean, "ratio", speak)}
        if row.volume > mean:
            return speak(
                "volume {volume} shares on {date}, {gap} above the average of the {count} sessions before ({mean}).",
                count=len(before),
                **given,
            )
        return speak(
            "volume {volume} shares on {date}, {gap} below the average of the {count} sessions before ({mean}).",
            count=len(before),
            **given,
        )
    other = rows[known[-1]]
    given |= {"gap": f"{abs(row.volume / other.volume - 1) * 100:.1f}%", "other": number(other.volume, "ratio", speak)}
    if row.volume > other.volume:
        return speak("more, by {gap}: {volume} shares on {date}, {other} on {day}.", day=other.date, **given)
    return speak("less, by {gap}: {volume} shares on {date}, {other} on {day}.", day=other.date, **given)


def answer_against_sector(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how a security did against its industry on the stored day; there are no industries of other days."""
    speak, lines = desk.speak, []
    if asked.unread:
        return wording.ask_back(desk, asked.unread)
    quotes = yield from desk.one("market.quote", symbols=[mention.code for mention in asked.securities[:MOST]])
    if quotes.failure is not None:
        return wording.unreadable(desk, speak("the stored quotes"), quotes.failure)
    groups = yield from desk.one("market.sectors", limit=50)
    sectors = {
        str(row.get("name")): row for key in ("best", "worst") for row in wording.rows_of(groups, key)
    }  # fmt: skip
    for mention in asked.securities[:MOST]:
        row = next((each for each in wording.rows_of(quotes, "quotes") if each.get("symbol") == mention.code), None)
        industry = str(row.get("industry") or "") if row else ""
        own, mean = wording.figure_of(row, "change_pct"), wording.figure_of(sectors.get(industry), "change_pct")
        name, day = wording.head_of(desk, mention), str(row.get("date") or "") if row else ""
        if own is None or mean is None or (groups.ok and groups.get("date") != day):
            lines.append(speak("{name}: its industry of the day is not stored (`ia sync daily`).", name=name))
            continue
        given: Json = {
            "name": name, "industry": wording.industry_name(desk, industry), "own": wording.say_percent(own),
            "mean": wording.say_percent(mean), "gap": f"{own - mean:+.2f}", "day": day,
            "mark": wording.simulated_mark(desk, row.get("simulated") if row else False),
        }  # fmt: skip
        if abs(own - mean) < 0.005:
            lines.append(speak("{name}: as its industry {industry} on {day}: {own}{mark}.", **given))
            continue
        lines.append(
            speak("{name}: better than its industry {industry} on {day}: {own} against {mean} on average, {gap}"
                  " percentage points{mark}.", **given)
            if own > mean
            else speak("{name}: worse than its industry {industry} on {day}: {own} against {mean} on average, {gap}"
                       " percentage points{mark}.", **given)
        )  # fmt: skip
        if other := wording.other_day(asked, day):
            lines.append(
                speak("Industries are stored of {day} only, not of “{time}”: for that time, ask against an index.",
                      day=day, time=other.said)
            )  # fmt: skip
    return reply_of_lines(*lines)


ANSWERS = {
    "move": answer_move,
    "daily_list": answer_daily_list,
    "ranking": answer_ranking,
    "growth": answer_growth,
    "volume_against": answer_volume_against,
    "against_sector": answer_against_sector,
}
