"""Extremes of prices: best and worst days, new highs and lows, distances from them, levels reached, price limits."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, SESSIONS, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, load_span, load_spans, period_of, stale_note
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import EN, number
from ia.domain.speech.numerals import parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 3
YEAR = 250
NEWEST = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=1)
EVERY_DAY = TimeSpan(kind=EVER, said="", at=(0, 0))
_FALL = pattern(
    r"跌|差|惨|弱|亏|低(?!点)|\b(?:f[ae]ll\w*|fell|drop\w*|declin\w*|worst|weakest|loss|los[et]|lost|losing|down|lowest"
    r"|steepest (?:drop|fall))\b",
    re.I,
)
_RISE = pattern(
    r"涨|好|强|赚|猛|\b(?:ris\w*|rose|gain\w*|jump\w*|best|strongest|up|climb\w*|rall\w*|winning|highest)\b", re.I
)
_VOLUME = pattern(r"成交量|放量|量最|\b(?:volume|busiest|heaviest|traded)\b", re.I)
_LEAST = pattern(r"最[低小少]|\b(?:lowest|smallest|least|fewest|quietest|lightest|thinnest)\b", re.I)
_LEVEL_MOST = pattern(
    r"(?:收盘价?|股价|价格?|点位)(?:是|在|处于)?最(?P<one>[高低])|最(?P<two>[高低])的?(?:收盘(?:价|点)?|价|点)|收(?:盘)?(?:得|在)?最(?P<three>[高低])"
    r"|最(?P<bare>[高低])(?:的?(?:点|位|时候))?(?:是|在|出现)*(?:哪|什么时候|几号)|哪一?[天日](?:是|在|到)*最(?P<end>[高低])(?=\W*$)"
    r"|\b(?P<en>highest|lowest) (?:closing (?:price|level)|close|price|level)\b"
    r"|\bclosed?\b.{0,8}\b(?:the |at its )?(?P<en2>highest|lowest)\b"
    r"|\bat (?:its|their) (?:very )?(?P<en3>highest|lowest)\b",
    re.I,
)
_UNFIT = pattern(r"成交额|换手|\b(?:turnover|value traded)\b", re.I)
_RANGE = pattern(r"振幅|\b(?:range|volatile|swing(?:s|ing)?|swung|amplitude)\b", re.I)
_WEEK = pattern(r"周(?!转)|星期|\bweek(?:ly)?\b", re.I)
_MONTH = pattern(r"月|\bmonth(?:ly)?\b", re.I)
_YEAR_UNIT = pattern(r"哪一?年|\b(?:which|what|best|worst) (?:\w+ )?year\b", re.I)


def span_of(asked: FactQuestion, default: TimeSpan) -> TimeSpan | None:
    """Return the one stretch of time of a question; None where it names several."""
    if len(asked.spans) > 1:
        return None
    return asked.spans[0] if asked.spans else default


def each_security(
    desk: ToolDesk,
    asked: FactQuestion,
    span: TimeSpan,
    say: Callable[[Mention, SpanBars], list[str]],
    *,
    adjust: str = "qfq",
    most: int = MOST,
) -> Work[Reply]:
    """Return what is said of the bars of each security over a stretch of time, and which prices are old."""
    lines, notes = [], []
    mentions = asked.securities[:most]
    loaded = yield from load_spans(desk, mentions, span, adjust=adjust)
    for mention, found in zip(mentions, loaded, strict=True):
        if isinstance(found, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
            continue
        if not found.rows and span.kind == DAY and span.first == desk.request.moment.date():
            lines.append(wording.closed_day(desk, mention, span.first, found.last))
            newest = yield from load_span(desk, mention, NEWEST, adjust=adjust)
            found = newest if isinstance(newest, SpanBars) else found
        if not found.rows:
            lines.append(_no_bars(desk, mention, span, found))
            continue
        lines += say(mention, found)
        notes.append(stale_note(desk, mention, found.last, found.missed))
    if len(asked.securities) > most:
        lines.append(desk.speak("Only the first {count} are answered.", count=most))
    return reply_of_lines(*lines, *dict.fromkeys(filter(None, notes)))


def _no_bars(desk: ToolDesk, mention: Mention, span: TimeSpan, found: SpanBars) -> str:
    return desk.speak(
        "{name}: no bar of “{time}” (closed, suspended or not listed); the newest is that of {last}.",
        name=wording.head_of(desk, mention),
        time=span.said,
        last=found.last,
    )


def head(desk: ToolDesk, mention: Mention, found: SpanBars) -> str:
    """Return how an answer begins: the security, and whether its prices are invented."""
    return wording.head_of(desk, mention) + wording.simulated_mark(desk, found.simulated) + desk.speak(": ")


def say_price(desk: ToolDesk, value: float) -> str:
    """Return a price with its cents."""
    return number(value, "price", desk.speak)


def adjusted_note(desk: ToolDesk, *found: BarRow) -> list[str]:
    """Return the remark on past prices."""
    return [desk.speak("Past prices are adjusted (qfq).")]


def answer_extreme_day(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which day, or in which week or month, a security moved or was traded most."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    plain = blank_spans(plain, asked.spans)
    span = span_of(asked, EVERY_DAY)
    counted = _COUNTED.search(plain)
    count = int(parse_count((counted["n"] or counted["m"] or counted["k"]).casefold()) or 1) if counted else 1
    asked = replace(asked, unread=tuple(word for word in asked.unread if not counted or word not in counted[0]))
    if asked.unread or span is None or (unfit := _UNFIT.search(plain)):
        return wording.ask_back(desk, asked.unread or (asked.spans[1].said if span is None else unfit[0],))  # type: ignore[index]
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if _YEAR_UNIT.search(plain):
        size = _YEAR
    else:
        size = 7 if _MONTH.search(plain) else 0 if _WEEK.search(plain) else 10
    volume = _VOLUME.search(plain)
    if volume and (of_day := _ON_BEST.search(plain)):
        return wording.ask_back(desk, (of_day[0],))
    if not volume and size == 10 and (level := _LEVEL_MOST.search(plain)):
        return (yield from _answer_extreme_level(desk, asked, span, level))
    if not volume and _RANGE.search(plain):
        narrow = _NARROW.search(plain) is not None

        def say_range(mention: Mention, found: SpanBars) -> list[str]:
            return [_say_range(desk, mention, found, size, narrow=narrow)]

        return (yield from each_security(desk, asked, span, say_range))
    if not volume and (moved := _EITHER_WAY.search(plain)):
        calm = any(moved[name] for name in ("calm", "still", "small"))

        def say_either(mention: Mention, found: SpanBars) -> list[str]:
            return [_say_either(desk, mention, found, size, calm=calm)]

        return (yield from each_security(desk, asked, span, say_either))
    falls, rises = _FALL.search(plain), _RISE.search(plain)
    least = bool(volume and _LEAST.search(plain))
    both = bool(falls and rises) and len(_LARGEST.findall(plain)) > 1
    if not volume and bool(falls) == bool(rises) and not both:
        return reply_of_lines(speak("The largest rise, the largest fall, or the largest volume?"))._replace(
            understood=False
        )

    def say(mention: Mention, found: SpanBars) -> list[str]:
        found = _whole_units(found, size) if size in (_MONTH_UNIT, _YEAR) else found
        if volume:
            next_ = _say_next(desk, found, size, count, volume=True, least=least)
            return [_say_volume(desk, mention, found, size, least=least), *next_]
        next_ = [] if both else _say_next(desk, found, size, count, volume=False, least=bool(falls))
        sides = (False, True) if both else (bool(falls),)
        return [*(_say_move(desk, mention, found, size, falling=each) for each in sides), *next_]

    return (yield from each_security(desk, asked, span, say))


_YEAR, _MONTH_UNIT = 4, 7
"""Letters of a date that name its year, and its month."""
_FIRST_DAYS, _FEW = 10, 3


def _whole_units(found: SpanBars, size: int) -> SpanBars:
    """Return the bars from the first whole calendar year or month on: "the last three years" begins within one."""
    first = found.rows[0].date
    later = [row for row in found.rows if row.date[:size] > first[:size]]
    begins = int(first[8:]) <= _FIRST_DAYS and (size != _YEAR or first[5:7] == "01")
    few = size == _MONTH_UNIT and len({row.date[:size] for row in later}) < _FEW
    if begins or few or not later:
        return found
    return found._replace(rows=later, base=found.rows[-len(later) - 1])


_COUNTED = pattern(
    r"最[多大好差惨猛狠强弱高低]的?(?:前|那)?(?P<n>[二两三四五2-5])个?(?:天|交易日|周|月)"
    r"|\b(?P<m>two|three|four|five|[2-5]) (?:worst|best|biggest|largest|heaviest|busiest|strongest|weakest|steepest)\b"
    r"|\b(?:worst|best|biggest|largest|heaviest|busiest|strongest|weakest|steepest|top)"
    r" (?P<k>two|three|four|five|[2-5])\b",
    re.I,
)
"""How many days, weeks or months are asked for: the three worst."""


def _say_next(desk: ToolDesk, found: SpanBars, size: int, count: int, *, volume: bool, least: bool) -> list[str]:
    """Return the days, weeks or months after the first, up to so many."""
    judged = sorted(_judge_groups(found, size, volume=volume), key=lambda each: each[2], reverse=not least)[1:count]
    told = [
        f"{group[-1].date if size == DATE else period_of(group)} "
        + (number(value, "ratio", desk.speak) if volume else wording.say_percent(value))
        for group, _, value in judged
    ]
    return [desk.speak("Then: {rest}.", rest=desk.speak.join_clauses(told))] if told else []


_LARGEST = pattern(r"最[大多猛狠高]|\b(?:largest|biggest|greatest|steepest|sharpest|best|worst|most)\b", re.I)


def _say_volume(desk: ToolDesk, mention: Mention, found: SpanBars, size: int, *, least: bool) -> str:
    """Return when most, or least, shares of a security were traded."""
    speak, name = desk.speak, head(desk, mention, found)
    best = _find_extreme(found, size, volume=True, least=least)
    if best is None:
        return name + speak("too few bars.")
    group, _, value = best
    told: Json = {
        "volume": number(value, "ratio", speak),
        "when": group[-1].date if size == DATE else period_of(group),
        "period": period_of(found.rows),
    }
    return name + (
        speak("smallest volume {volume} shares, {when} (of {period}).", **told)
        if least
        else speak("largest volume {volume} shares, {when} (of {period}).", **told)
    )


DATE = 10
"""Characters of a day: bars are grouped by it."""


def _say_move(desk: ToolDesk, mention: Mention, found: SpanBars, size: int, *, falling: bool) -> str:
    """Return when a security fell, or rose, most."""
    speak, name = desk.speak, head(desk, mention, found)
    best = _find_extreme(found, size, volume=False, least=falling)
    if best is None:
        return name + speak("too few bars.")
    group, before, value = best
    given = {"change": wording.say_percent(value), "when": group[-1].date if size == DATE else period_of(group)}
    if falling and value >= 0:
        text = speak("it never fell then; the least rise was {change}, {when}", **given)
    elif not falling and value <= 0:
        text = speak("it never rose then; the least fall was {change}, {when}", **given)
    elif falling:
        text = speak("largest fall {change}, {when}", **given)
    else:
        text = speak("largest rise {change}, {when}", **given)
    return name + text + speak(" (from {start} to {close}; of {period}).", start=say_price(desk, before.close),
                               close=say_price(desk, group[-1].close), period=period_of(found.rows))  # fmt: skip


_ON_BEST = pattern(r"\bon (?:its|the) (?:best|worst) (?:day|week|month)\b|[涨跌]得?最.{1,3}那一?天", re.I)
"""The day whose volume is asked for, which is not the day of the largest volume."""
_EITHER_WAY = pattern(
    r"(?:波动|涨跌幅?|变动|振荡|震荡)(?:幅度?)?(?:是|得|的)?最(?:大|猛|厉害|(?P<calm>小|弱))|最(?P<still>平静|平稳|安静)"
    r"|\b(?:(?:largest|biggest|widest|wildest)|(?P<small>smallest|least|narrowest|calmest|quietest))"
    r" (?:daily |one-day |weekly |monthly |price )?(?:moves?|swings?|changes?|movements?)\b",
    re.I,
)
"""A move in either direction."""


_NARROW = pattern(r"最小|最窄|\b(?:smallest|least|narrowest)\b", re.I)


def _say_range(desk: ToolDesk, mention: Mention, found: SpanBars, size: int, *, narrow: bool) -> str:
    """Return when the range from low to high was widest, or narrowest, in per cent of the close before."""
    speak, name = desk.speak, head(desk, mention, found)
    judged = [
        (group, max(row.high for row in group), min(row.low for row in group), before)
        for group, before, _ in _judge_groups(found, size, volume=False)
    ]
    if not judged:
        return name + speak("too few bars.")
    group, high, low, before = (min if narrow else max)(judged, key=lambda each: (each[1] - each[2]) / each[3].close)
    given = {
        "size": f"{(high - low) / before.close * 100:.2f}%", "low": say_price(desk, low), "high": say_price(desk, high),
        "when": group[-1].date if size == DATE else period_of(group), "period": period_of(found.rows),
    }  # fmt: skip
    if narrow:
        return name + speak(
            "narrowest range {size} of the close before, {when} ({low} – {high}; of {period}).", **given
        )
    return name + speak("widest range {size} of the close before, {when} ({low} – {high}; of {period}).", **given)


def _say_either(desk: ToolDesk, mention: Mention, found: SpanBars, size: int, *, calm: bool) -> str:
    """Return when a security moved most, or least, up or down."""
    speak, name = desk.speak, head(desk, mention, found)
    judged = _judge_groups(found, size, volume=False)
    if not judged:
        return name + speak("too few bars.")
    group, before, value = (min if calm else max)(judged, key=lambda each: abs(each[2]))
    given = {
        "change": wording.say_percent(value), "when": group[-1].date if size == DATE else period_of(group),
        "start": say_price(desk, before.close), "close": say_price(desk, group[-1].close),
        "period": period_of(found.rows),
    }  # fmt: skip
    if calm:
        return name + speak(
            "smallest move, up or down, {change}, {when} (from {start} to {close}; of {period}).", **given
        )
    return name + speak("largest move, up or down, {change}, {when} (from {start} to {close}; of {period}).", **given)


def _find_extreme(
    found: SpanBars, size: int, *, volume: bool, least: bool
) -> tuple[list[BarRow], BarRow, float] | None:
    """Return the bars of the day, week (size 0), month (7) or year (4) with the largest value, the bar before, it."""
    judged = _judge_groups(found, size, volume=volume)
    if not judged:
        return None
    return (min if least else max)(judged, key=lambda each: each[2])


def _judge_groups(found: SpanBars, size: int, *, volume: bool) -> list[tuple[list[BarRow], BarRow, float]]:
    """Return the bars of each day, week, month or year, the bar before them, and their volume or change."""
    groups: dict[str, list[BarRow]] = {}
    for row in found.rows:
        groups.setdefault(_week_of(row.date) if size == 0 else row.date[:size], []).append(row)
    before, judged = found.base, list[tuple[list[BarRow], BarRow, float]]()
    for group in groups.values():
        if volume:
            judged.append((group, before or group[0], sum(row.volume for row in group)))
        elif before is not None:
            judged.append((group, before, group[-1].close / before.close * 100 - 100))
        before = group[-1]
    return judged


def _answer_extreme_level(desk: ToolDesk, asked: FactQuestion, span: TimeSpan, said: re.Match[str]) -> Work[Reply]:
    """Answer on which day a price was highest or lowest: the close where that is named."""
    closing = bool(_CLOSING.search(said[0]))
    named = (
        said["one"]
        or said["two"]
        or said["three"]
        or said["bare"]
        or said["end"]
        or said["en"]
        or said["en2"]
        or said["en3"]
    ).casefold()
    plain = strip_mentions(asked.words)
    sides = [named in ("低", "lowest")]
    if _HIGHEST.search(plain) and _LOWEST.search(plain):
        sides = [False, True]

    def say(mention: Mention, found: SpanBars) -> list[str]:
        return [_say_extreme_price(desk, mention, found, closing=closing, low=low) for low in sides]

    told = yield from each_security(desk, asked, span, say)
    return reply_of_lines(*told.lines, *adjusted_note(desk))


_HIGHEST = pattern(r"最高|\bhighest\b", re.I)
_LOWEST = pattern(r"最低|\blowest\b", re.I)


def _say_extreme_price(desk: ToolDesk, mention: Mention, found: SpanBars, *, closing: bool, low: bool) -> str:
    """Return on which day a price, or a close, was lowest or highest."""
    speak = desk.speak

    def value(row: BarRow) -> float:
        return row.close if closing else row.low if low else row.high

    best = (min if low else max)(found.rows, key=value)
    given: Json = {"price": say_price(desk, value(best)), "when": best.date, "period": period_of(found.rows)}
    if closing and low:
        told = speak("lowest close {price}, {when} (of {period}).", **given)
    elif closing:
        told = speak("highest close {price}, {when} (of {period}).", **given)
    elif low:
        told = speak("lowest price {price}, {when} (of {period}).", **given)
    else:
        told = speak("highest price {price}, {when} (of {period}).", **given)
    return head(desk, mention, found) + told


def _week_of(day: str) -> str:
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-{week:02d}"


_LOW = pattern(r"低|底|\b(?:low|bottom|trough)", re.I)
_HIGH = pattern(r"高|顶|峰|\b(?:high|top|peak)", re.I)
_CLOSING = pattern(r"收盘|收(?=在|于|过)|[几多少][天个]|\b(?:clos(?:e|ed|ing)|how (?:many|often))\b", re.I)


def answer_from_extreme(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how far the newest close is from the highest or lowest price of a stretch of time."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    default = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=YEAR)
    span = span_of(asked, default)
    unread = tuple(said for said in asked.unread if said not in ("52",))
    if unread or span is None:
        return wording.ask_back(desk, unread or (asked.spans[1].said,))
    if span.kind in (DAY, FUTURE):
        return reply_of_lines(speak("The high or low of which stretch of time? For example of this year."))
    low, high = _LOW.search(plain), _HIGH.search(plain)
    closing = bool(_CLOSING.search(re.sub(r"(?:现在|当前|今天|最新)的?收盘价?|\b(?:last|latest) close\b", " ", plain)))
    aged = _AGE.search(plain)
    newest: dict[str, list[BarRow]] = {}
    mentions = asked.securities[:MOST]
    recent = EVERY_DAY if aged else NEWEST
    for mention, last in zip(mentions, (yield from load_spans(desk, mentions, recent)), strict=True):
        if isinstance(last, SpanBars) and last.rows:
            newest[mention.code] = last.rows

    def say(mention: Mention, found: SpanBars) -> list[str]:
        lines, until = [], newest.get(mention.code, found.rows)
        now = until[-1]
        for wanted, sign in ((low, -1), (high, 1)):
            if not wanted:
                continue

            def value(row: BarRow, sign: int = sign) -> float:
                return row.close if closing else row.high if sign > 0 else row.low

            row = (max if sign > 0 else min)(found.rows, key=value)
            given: Json = {
                "change": number(now.close / value(row) * 100 - 100, "percent", speak),
                "gap": f"{abs(now.close / value(row) * 100 - 100):.1f}%",
                "level": say_price(desk, value(row)),
                "date": row.date,
                "close": say_price(desk, now.close),
                "last": now.date,
                "period": period_of(found.rows),
            }
            above = now.close >= value(row)
            if sign < 0:
                text = (
                    speak("{change} from the low of {level} ({date}) to the close of {close} ({last})", **given)
                    if above
                    else speak("{gap} below the low of {level} ({date}): close {close} ({last})", **given)
                )
            else:
                text = (
                    speak("{gap} below the high of {level} ({date}): close {close} ({last})", **given)
                    if not above
                    else speak("{change} from the high of {level} ({date}) to the close of {close} ({last})", **given)
                )
            lines.append(head(desk, mention, found) + text + speak(" (of {period}).", **given))
            if not above and _NEEDED.search(plain):
                lines.append(
                    speak("A rise of {rise} brings it there.", rise=f"{value(row) / now.close * 100 - 100:.1f}%")
                )
            if aged:
                passed = sum(each.date > row.date for each in until)
                lines.append(
                    speak(PluralText("That was {count} session ago.", "That was {count} sessions ago."), count=passed)
                )
        return lines

    told = yield from each_security(desk, asked, span, say)
    return reply_of_lines(*told.lines, *adjusted_note(desk))


_NEEDED = pattern(r"所需涨幅|\bneeded rise\b", re.I)
"""Asks how far a price has to rise to a high."""
_AGE = pattern(r"附距今|\bwith its age\b", re.I)
"""Asks how long ago a high or a low was."""
_OF_LEVEL = pattern(r"\s*的?新?[高低]|[- ]?(?:high|low)", re.I)
_DAYS_OF_LEVEL = pattern(r"(?P<n>\d{1,3})个?(?:交易)?[日天]的?(?=[新最]?[高低])", re.I)
"""Days whose high or low is meant: 20日高点 is no 20th of a month."""


def answer_new_extreme(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a security made a new high or low: on its newest day, on a day, or in a stretch of time."""
    plain = strip_mentions(asked.words)
    year = next(
        (s for s in asked.spans if s.sessions >= YEAR or re.search(r"^(?:近|最近|过去)?[一1]年|52", s.said)), None
    )
    counted = _DAYS_OF_LEVEL.search(plain)
    own = counted.span() if counted else (0, 0)
    sized = next((s for s in asked.spans if s.kind == SESSIONS and _OF_LEVEL.match(plain, s.at[1])), None)
    spans = [
        s for s in asked.spans
        if s is not year and s is not sized and s.kind != EVER and not own[0] <= s.at[0] < own[1]
    ]  # fmt: skip
    unread = tuple(said for said in asked.unread if said not in ("52", "1") and not (counted and said in counted[0]))
    if unread or len(spans) > 1:
        return wording.ask_back(desk, unread or (spans[1].said,))
    span = spans[0] if spans else None
    if span is not None and span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if year is None and (other := re.search(r"阶段|月内|[一两三五\d]+年", plain.replace("一年", ""))):
        return wording.ask_back(desk, (other[0],))
    lowest = bool(re.search(r"新低|最低|低[点位价]|\blow\b", plain))
    limit = (
        int(counted["n"])
        if counted
        else sized.sessions
        if sized
        else YEAR
        if year is not None or re.search(r"一年|年内|\byearly\b|\bone-year\b", plain)
        else 0
    )

    def say(mention: Mention, found: SpanBars) -> list[str]:
        return _say_new_extreme(desk, head(desk, mention, found), found.rows, span, limit=limit, lowest=lowest)

    return (yield from each_security(desk, asked, EVERY_DAY, say))


def _say_new_extreme(
    desk: ToolDesk, name: str, rows: list[BarRow], span: TimeSpan | None, *, limit: int, lowest: bool
) -> list[str]:
    """Return whether the newest bar, or one of a stretch of time, lies beyond all before it."""
    speak = desk.speak
    if span is None or (span.kind == DAY and span.first is None):
        tried = rows[-1 - (span.sessions if span else 0) :][:1]
    elif span.kind == SESSIONS:
        tried = rows[-span.sessions :]
    else:
        tried = [row for row in rows if f"{span.first}" <= row.date <= f"{span.last}"]
    if not tried:
        return [name + speak("no bar of that time.")]
    at = rows.index(tried[0])
    before = rows[max(0, at - limit) : at] if limit else rows[:at]
    if not before:
        return [name + speak("no bars before that to compare with.")]

    def value(row: BarRow) -> float:
        return row.low if lowest else row.high

    best, old = (min if lowest else max)(tried, key=value), (min if lowest else max)(before, key=value)
    new = value(best) < value(old) if lowest else value(best) > value(old)
    given: Json = {
        "level": say_price(desk, value(best)),
        "date": best.date,
        "old": say_price(desk, value(old)),
        "day": old.date,
        "close": say_price(desk, rows[-1].close),
        "last": rows[-1].date,
        "first": before[0].date,
    }
    if new and lowest:
        told = speak("yes: {level} on {date} is a new low since {first} (before: {old}, {day}).", **given)
    elif new:
        told = speak("yes: {level} on {date} is a new high since {first} (before: {old}, {day}).", **given)
    elif lowest:
        told = speak("no new low: {level} ({date}) is above the low of {old} ({day}; since {first}).", **given)
    else:
        told = speak("no new high: {level} ({date}) is below the high of {old} ({day}; since {first}).", **given)
    return [name + told]


_LEVEL = pattern(
    r"(?P<below>跌破|失守|低于|跌到|\b(?:below|under|lower than)\b)|(?P<above>[涨突升]破|站[上稳]|超过|高于|涨到|收复"
    r"|守住|上[过了]?(?=\d)|\b(?:above|over|past|beyond|exceed\w*|top(?:ped)?|higher than)\b)|(?P<any>破|到过?|回到"
    r"|\b(?:at|to|through|touch\w*|reach\w*|hit|break|broken?|cross\w*)\b)",
    re.I,
)
_DIGITS = pattern(r"\d[\d,]*(?:\.\d+)?")
_FALLING = pattern(r"跌|\b(?:f[ae]ll\w*|fell|drop\w*|down)\b", re.I)
_RISING = pattern(r"涨|\b(?:ris\w*|rose|climb\w*|up)\b", re.I)


_IS_NOW = pattern(r"(?<!过)了(?:吗|没有?|么)\W*$|^\W*(?:is|are)\b|^\W*(?:has|have)\b(?!.*\bever\b)", re.I)
"""Whether a price has got there is asked, and not whether it ever was there."""


def answer_level_crossing(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether, and when, a price was above or below a level."""
    plain = strip_mentions(asked.words)
    plain = blank_spans(plain, asked.spans)
    digits = [match[0] for match in _DIGITS.finditer(plain)]
    span = span_of(asked, EVERY_DAY)
    level = float(digits[0].replace(",", "")) if len(digits) == 1 else None
    unread = tuple(
        said
        for said in asked.unread
        if said.strip("%") not in digits
        and not _LEVEL.fullmatch(said)
        and said.casefold() not in ("以上", "以下", "how many")
    )
    if level is None or span is None or unread:
        return wording.ask_back(desk, unread or tuple(digits) or (asked.spans[-1].said,))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if span.kind == DAY and span.first is None:
        return wording.ask_back(desk, (span.said,))
    found_way = list(_LEVEL.finditer(plain[: plain.index(digits[0])]))[-1:]
    way = found_way[0].lastgroup if found_way else "any"
    beyond = re.match(r"\s*(?:元|块)?钱?(?:以|之)?(?P<way>[上下])", plain[plain.index(digits[0]) + len(digits[0]) :])
    if beyond is not None:
        way = "above" if beyond["way"] == "上" else "below"
    if way == "any":
        way = "below" if _FALLING.search(plain) else "above" if _RISING.search(plain) else "any"
    closing = bool(_CLOSING.search(plain))
    if way == "any" and _AT.search(plain[: plain.index(digits[0])]):
        way = "at"

    now = not asked.spans and _IS_NOW.search(plain) is not None

    def say(mention: Mention, found: SpanBars) -> list[str]:
        name = head(desk, mention, found)
        if not now or way not in ("above", "below"):
            return _say_level(desk, name, found, level, way or "any", closing=closing)
        newest = found.rows[-1]
        is_there = newest.close < level if way == "below" else newest.close > level
        verdict = "**yes**, the close of {date} is {close};" if is_there else "**no**, the close of {date} is {close};"
        said = desk.speak(verdict, date=newest.date, close=say_price(desk, newest.close))
        before = _say_level(desk, "", found, level, way, closing=closing)[0]
        return [name + said + " " * (desk.speak.lang == EN) + before]

    told = yield from each_security(desk, asked, span, say, adjust="none")
    old = span.kind != DAY or f"{span.first}" < desk.request.day
    return reply_of_lines(*told.lines, *([desk.speak("Prices as they were traded, not adjusted.")] if old else []))


_AT = pattern(r"\bat (?:a price of )?(?:about |around )?[$¥]?\W*\Z", re.I)
"""A price as such is asked for, and not one above or below it."""


def _say_last_at(desk: ToolDesk, rows: list[BarRow], level: float) -> str:
    """Return when a price was last within the range of a day."""
    speak, hits = desk.speak, [row for row in rows if row.low <= level <= row.high]
    given: Json = {"level": f"{level:g}", "count": len(hits), "days": len(rows), "period": period_of(rows)}
    if not hits:
        return speak("never at {level} ({period}).", **given)
    last, first = hits[-1], hits[0]
    return speak(
        "last at {level} on {date} (low {low}, high {high}); on {count} of {days} sessions, the first on {first}"
        " ({period}).",
        **given, date=last.date, low=say_price(desk, last.low), high=say_price(desk, last.high), first=first.date,
    )  # fmt: skip


def _say_level(desk: ToolDesk, name: str, found: SpanBars, level: float, way: str, *, closing: bool) -> list[str]:
    """Return on how many days a price was beyond a level, first and last; of one day, yes or no."""
    speak, rows = desk.speak, found.rows
    if way == "at":
        return [name + _say_last_at(desk, rows, level)]
    if way == "any":
        start = found.base or rows[0]
        way = "below" if start.close >= level else "above"

    def is_hit(row: BarRow) -> bool:
        if way == "below":
            return (row.close if closing else row.low) < level
        return (row.close if closing else row.high) > level

    hits = [row for row in rows if is_hit(row)]
    extreme = (min if way == "below" else max)(
        rows, key=lambda row: row.close if closing else row.low if way == "below" else row.high
    )
    shown = hits[-1] if hits else extreme
    given: Json = {
        "level": f"{level:g}",
        "count": len(hits),
        "days": len(rows),
        "date": shown.date,
        "low": say_price(desk, shown.low),
        "high": say_price(desk, shown.high),
        "close": say_price(desk, shown.close),
        "first": hits[0].date if hits else "",
        "period": period_of(rows),
        "before": say_price(desk, found.base.close) if found.base else "–",
    }
    if len(rows) == 1:
        yes = (
            speak("yes, {date}: low {low}, high {high}, close {close}; the close before was {before}.", **given)
            if hits
            else speak("no, {date}: low {low}, high {high}, close {close}; the close before was {before}.", **given)
        )
        return [name + yes]
    if not hits:
        if closing:
            none = (
                speak("never closed below {level} ({period}); the lowest close was {close} ({date}).", **given)
                if way == "below"
                else speak("never closed above {level} ({period}); the highest close was {close} ({date}).", **given)
            )
            return [name + none]
        none = (
            speak("never below {level} ({period}); the least was {low} low, {close} close ({date}).", **given)
            if way == "below"
            else speak("never above {level} ({period}); the most was {high} high, {close} close ({date}).", **given)
        )
        return [name + none]
    if way == "below" and closing:
        told = speak(
            "last closed below {level} on {date} (close {close}); on {count} of {days} sessions, the first on {first}"
            " ({period}).", **given,
        )  # fmt: skip
    elif way == "below":
        told = speak(
            "last below {level} on {date} (low {low}, close {close}); on {count} of {days} sessions, the first on"
            " {first} ({period}).", **given,
        )  # fmt: skip
    elif closing:
        told = speak(
            "last closed above {level} on {date} (close {close}); on {count} of {days} sessions, the first on {first}"
            " ({period}).", **given,
        )  # fmt: skip
    else:
        told = speak(
            "last above {level} on {date} (high {high}, close {close}); on {count} of {days} sessions, the first on"
            " {first} ({period}).", **given,
        )  # fmt: skip
    return [name + told]


def answer_drawdown(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the deepest fall of the closes from an earlier one of the same stretch, and from when to when."""
    speak = desk.speak
    span = span_of(asked, TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=YEAR))
    if asked.unread or span is None or span.kind in (DAY, FUTURE):
        return wording.ask_back(desk, asked.unread or (asked.spans[-1].said,))

    def say(mention: Mention, found: SpanBars) -> list[str]:
        peak = top = bottom = found.rows[0]
        worst = 0.0
        for row in found.rows:
            peak = row if row.close > peak.close else peak
            if row.close / peak.close - 1 < worst:
                worst, top, bottom = row.close / peak.close - 1, peak, row
        return [
            head(desk, mention, found)
            + speak(
                "largest drawdown {fall}, from {start} ({first}) to {close} ({last}) (closes of {period}).",
                fall=number(worst * 100, "percent", speak), start=say_price(desk, top.close), first=top.date,
                close=say_price(desk, bottom.close), last=bottom.date, period=period_of(found.rows),
            ),
            *_say_below_peak(desk, found.rows, peak),
        ]  # fmt: skip

    return (yield from each_security(desk, asked, span, say))


def _say_below_peak(desk: ToolDesk, rows: list[BarRow], peak: BarRow) -> list[str]:
    """Return how far the last close is below the highest of the stretch; [] where it is the highest."""
    row = rows[-1]
    if row.close >= peak.close:
        return []
    fall = number(row.close / peak.close * 100 - 100, "percent", desk.speak)
    return [desk.speak("The close of {last} is {fall} from the highest one ({high}, {date}).", last=row.date, fall=fall,
                       high=say_price(desk, peak.close), date=peak.date)]  # fmt: skip


_NEXT = pattern(r"明[天日]|下个?交易日|tomorrow|next (?:session|trading day)", re.I)
_LIMIT_PRICE = pattern(r"多少|几|价|\bwhat\b|\bwhere\b|\bprice\b", re.I)


def _answer_next_limits(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which price limits the next session will have: they follow from the newest close."""
    from ia.domain.instruments.special import is_st
    from ia.domain.rules.limits import price_limits

    speak, lines = desk.speak, []
    mentions = asked.securities[:MOST]
    for mention, found in zip(mentions, (yield from load_spans(desk, mentions, NEWEST, adjust="none")), strict=True):
        if isinstance(found, DeskResult) or not found.rows:
            failure = found.failure if isinstance(found, DeskResult) else None
            lines.append(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
            continue
        row = found.rows[-1]
        close = Decimal(str(round(row.close, 2)))
        limits = (
            price_limits(mention.symbol, desk.request.day, close, st=is_st(mention.symbol.name))
            if mention.symbol.market == "CN" and mention.symbol.kind != "index"
            else None
        )
        if limits is None:
            lines.append(speak("{name}: it has no daily price limit.", name=wording.head_of(desk, mention)))
            continue
        lines.append(
            head(desk, mention, found)
            + speak(
                "limits of the next session: {low} and {high}, from the close of {close} ({date}); on an ex-dividend"
                " day they start lower.",
                low=f"{float(limits.low):.2f}", high=f"{float(limits.high):.2f}",
                close=say_price(desk, row.close), date=row.date,
            )
        )  # fmt: skip
        lines += filter(None, [stale_note(desk, mention, found.last, found.missed)])
    return reply_of_lines(*lines)


_WEEKDAY = pattern(r"(?:周|星期|礼拜)[一二三四五六日天]|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.I)
"""A weekday without a word that says of which week: it is the last one of what was, the coming one of what will be."""
_WAS = pattern(r"了|过|\b(?:was|were|did|had|hit|reached|touched|closed)\b", re.I)


def _coming_weekday(span: TimeSpan, words: str, today: date) -> TimeSpan:
    """Return the coming day of a weekday whose limits are asked for as what they will be; any other span as it is."""
    if span.kind != DAY or span.first is None or not _WEEKDAY.fullmatch(span.said):
        return span
    if not _LIMIT_PRICE.search(words) or _WAS.search(words) or span.first >= today:
        return span
    day = span.first + timedelta(days=7)
    return replace(span, kind=FUTURE, first=day, last=day)


def _answer_coming_limits(desk: ToolDesk, asked: FactQuestion, day: date) -> Work[Reply]:
    """Answer which limits a coming day will have: those of the next session are known, and of no later one."""
    speak = desk.speak
    markets = {mention.symbol.market for mention in asked.securities if mention.symbol.kind != "index"}
    if "CN" not in markets:
        return (yield from _answer_next_limits(desk, asked))
    found = yield from desk.one("calendar.trading", date=desk.request.day, market="CN", n=1)
    following = next(iter(wording.names_of(found.get("next"))), "") if found.ok else ""
    if following == f"{day}":
        return (yield from _answer_next_limits(desk, asked))
    shown = yield from desk.one("calendar.trading", date=f"{day}", market="CN", n=1)
    if shown.ok and shown.get("is_trading_day") is False:
        first = speak("{day} is no trading day of Shanghai and Shenzhen.", day=f"{day}")
    else:
        first = speak("The limits of {day} are not known yet: they follow from the close of the session before.",
                      day=f"{day}")  # fmt: skip
    nearest = yield from _answer_next_limits(desk, asked)
    return reply_of_lines(first, *nearest.lines)


def answer_limit_hit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a share closed at its price limit, or touched it."""
    speak = desk.speak
    span = span_of(asked, NEWEST)
    if asked.unread or span is None:
        return wording.ask_back(desk, asked.unread or (asked.spans[1].said,))
    span = _coming_weekday(span, asked.words, desk.request.moment.date())
    if span.kind == FUTURE and _NEXT.fullmatch(span.said) and _LIMIT_PRICE.search(asked.words):
        return (yield from _answer_next_limits(desk, asked))
    if span.kind == FUTURE and span.first is not None and span.first == span.last and _LIMIT_PRICE.search(asked.words):
        return (yield from _answer_coming_limits(desk, asked, span.first))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    down = bool(re.search(r"跌停|limit[- ]?down|lower limit", asked.words, re.I))
    up = bool(re.search(r"涨停|limit[- ]?up|upper limit", asked.words, re.I))
    up, down = (up, down) if up or down else (True, True)
    lines = []
    for mention in asked.securities[:MOST]:
        if mention.symbol.market != "CN" or mention.symbol.kind == "index":
            lines.append(speak("{name}: it has no daily price limit.", name=wording.head_of(desk, mention)))
            continue
        found = yield from load_span(desk, mention, span, adjust="none")
        if isinstance(found, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
        elif not found.rows:
            lines.append(_no_bars(desk, mention, span, found))
        else:
            total = yield from load_span(desk, mention, span)
            adjusted = {row.date: row.close for row in total.with_base} if isinstance(total, SpanBars) else {}
            priced = bool(_LIMIT_PRICE.search(asked.words))
            lines += _say_limits(desk, mention, found, adjusted, up=up, down=down, priced=priced)
            lines += filter(None, [stale_note(desk, mention, found.last, found.missed)])
    return reply_of_lines(*lines)


def _say_limits(
    desk: ToolDesk, mention: Mention, found: SpanBars, adjusted: dict[str, float], *, up: bool, down: bool, priced: bool
) -> list[str]:
    """Return on which days a share closed at a limit or touched it; its prices are not adjusted.

    adjusted  the adjusted closes: on an ex-day they tell the reference price
    priced  whether the limits themselves are asked for
    """
    from ia.domain.instruments.special import is_st
    from ia.domain.rules.limits import price_limits

    speak, name = desk.speak, head(desk, mention, found)
    closed, touched, before, sure = [], [], found.base, True
    shown = ""
    for row in found.rows:
        if before is not None:
            one, two = adjusted.get(before.date), adjusted.get(row.date)
            close = Decimal(str(round(before.close, 2)))
            if one and two and abs(two / one / (row.close / before.close) - 1) > 1e-4:  # an ex-day
                close = Decimal(str(round(row.close * one / two, 2)))
            limits = price_limits(mention.symbol, row.date, close, st=is_st(mention.symbol.name))
            if limits is None:
                return [name + speak("it has no daily price limit.")]
            low, high, sure = float(limits.low), float(limits.high), sure and limits.sure
            if (up and row.close >= high - 1e-6) or (down and row.close <= low + 1e-6):
                closed.append(row.date)
            elif (up and row.high >= high - 1e-6) or (down and row.low <= low + 1e-6):
                touched.append(row.date)
            shown = speak(
                "close {close}, {change} ({date}); the limits were {low} and {high}",
                close=say_price(desk, row.close), change=wording.say_percent(row.close / float(close) * 100 - 100),
                date=row.date, low=f"{low:.2f}", high=f"{high:.2f}",
            )  # fmt: skip
        before = row
    if not shown:
        return [name + speak("too few bars.")]
    if len(found.rows) == 1 and priced:
        return [name + shown + speak(".")]
    if len(found.rows) == 1:
        told = speak("yes, it closed at the limit: ") if closed else (
            speak("no, it touched the limit, but did not close there: ") if touched else speak("no: ")
        )  # fmt: skip
        return [name + told + shown + speak(".")]
    if not closed and not touched:
        return [name + speak("no, on none of the sessions ({period}).", period=period_of(found.rows))]
    return [
        name
        + speak(
            "closed at the limit on {count} sessions: {dates}; touched it only on {others}: {days} ({period}).",
            count=len(closed),
            dates=speak.join_items(closed[-5:]) or "–",
            others=len(touched),
            days=speak.join_items(touched[-5:]) or "–",
            period=period_of(found.rows),
        )
    ]


ANSWERS = {
    "extreme_day": answer_extreme_day,
    "from_extreme": answer_from_extreme,
    "new_extreme": answer_new_extreme,
    "level_crossing": answer_level_crossing,
    "limit_hit": answer_limit_hit,
    "drawdown": answer_drawdown,
}
