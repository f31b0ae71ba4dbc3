"""Indicators against their lines: crossovers of MACD and KDJ with their days, and the place in the Bollinger bands."""

import re
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion, price_table
from ia.agent.analyst.ask.idea_words import find_name
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.technicals import take_technicals
from ia.agent.analyst.ask.time_spans import DAY, EVER, RANGE, SESSIONS, SINCE, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import read_value
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import past_technicals, wording
from ia.agent.analyst.jobs.facts.bar_rows import load_span
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 4
"""Securities that one answer is about."""
LISTED = 8
"""Crossovers of a stretch of time that are named."""
_WEEKLY = pattern(r"周线|周K|\bweekly\b", re.I)
_MONTHLY = pattern(r"月线|月K|\bmonthly\b", re.I)
_UP = pattern(r"金叉|上穿|\b(?:golden|bullish cross\w*|up(?:ward)?)\b", re.I)
_DOWN = pattern(r"死叉|下穿|\b(?:death|dead|bearish cross\w*|down(?:ward)?)\b", re.I)
_WHEN = pattern(
    r"什么时候|何时|哪[天日一]|几号|上一?次|上回|最近一次|前一次|多久|日期"
    r"|\b(?:when|dates?|days?|last|latest|previous|how long)\b",
    re.I,
)
_AVERAGES = "50 days, 200 days"
_SIZES = pattern(r"[(（]\s*(?P<size>\d{1,3})\s*[,，、]\s*(?P<width>\d(?:\.\d)?)\s*[)）]")


class _Crossing(NamedTuple):
    """A bar at which an indicator crossed its line: its date, its close, and whether upward."""

    day: str
    close: float
    up: bool


class _Cross(NamedTuple):
    """An indicator and its line: by what it is above it now and a bar before, both, and the crossings, oldest first."""

    values: list[float]
    crossings: list[_Crossing]
    bars: DeskResult
    close: float


def answer_indicator_cross(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which side of its signal an indicator is, since when, and when it crossed before."""
    speak, words = desk.speak, asked.words
    known = price_table(desk.tables).crossovers
    said = [words, *desk.request.before[-1:]]  # the indicator may be that of the question before
    which = next((here for text in said if (here := [each for each in known if each.words.search(text)])), known)
    spans = [span for span in asked.spans if span.first is None or f"{span.first}" != desk.request.day]
    if asked.unread or len(spans) > 1 or any(span.kind not in (RANGE, SINCE, SESSIONS, EVER, DAY) for span in spans):
        return wording.ask_back(desk, asked.unread or (spans[-1].said,))
    period = {"period": "weekly"} if _WEEKLY.search(words) else {"period": "monthly"} if _MONTHLY.search(words) else {}
    lines = []
    for mention in asked.securities[:MOST]:
        for each in which:
            found = yield from _load_cross(desk, mention, each.code, period)
            if isinstance(found, DeskResult):
                lines.append(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
                break
            if found is None:
                lines.append(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
                break
            told = _say_cross(desk, mention, found, speak.fill(each.name), asked, spans)
            if len(which) > 1 and not spans and found.crossings:
                up, down = _ways(words)
                wanted = [one for one in found.crossings if up == down or one.up == up] or found.crossings
                newest = _say_last(desk, found, speak.fill(each.name), wanted[-1])
                told = [wording.head_of(desk, mention) + speak(": ") + newest]
            lines += told
    if which is known and not spans:  # a cross of no indicator in particular may be one of averages
        averages = yield from past_technicals.answer_average_cross(desk, replace(asked, words=_AVERAGES, spans=()))
        lines += averages.lines[:-1]
    return reply_of_lines(*lines)


def _load_cross(
    desk: ToolDesk, mention: Mention, code: str, period: dict[str, str]
) -> Work[_Cross | DeskResult | None]:
    """Return an indicator against its signal over all bars; None for too few of them."""
    bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1, **period)
    if not bars.ok:
        return bars
    signal = code.replace("histogram", "signal")
    sides = [f"({code}) + ({signal})", signal] if signal != code else code.split(" - ")
    crossed = f"close[(({code}) > 0) != (({code}) > 0).shift(1)]"
    results = yield from desk.run(
        *(DeskCall("compute.run", {"code": each}) for each in (code, f"({code}).iloc[-2]", *sides, "close")),
        DeskCall("compute.run", {"code": crossed, "series": True}),
    )
    values = [value for each in results[:5] if (value := read_value(each)[0]) is not None]
    if len(values) < 5:
        return None
    listed = results[5].get("series")
    rows = [f"{line}".split(",") for line in listed[1:]] if isinstance(listed, list) else []
    up, crossings = values[0] > 0, list[_Crossing]()
    for at, (day, close, *_) in enumerate(reversed(rows)):
        crossings.insert(0, _Crossing(day[:10], float(close), up == (at % 2 == 0)))
    return _Cross(values[:4], crossings, bars, values[4])


def _say_cross(
    desk: ToolDesk, mention: Mention, found: _Cross, which: str, asked: FactQuestion, spans: list[TimeSpan]
) -> list[str]:
    """Return on which side of its signal an indicator is, and its last crossovers, or those of a stretch of time."""
    speak, words = desk.speak, asked.words
    now, before, line, signal = found.values
    given: Json = {
        "name": wording.head_of(desk, mention) + wording.simulated_mark(desk, found.bars.get("simulated")),
        "which": which, "line": f"{line:.2f}", "signal": f"{signal:.2f}", "last": found.bars.get("last"),
        "bar": speak(
            {"weekly": "weekly bar", "monthly": "monthly bar"}.get(str(found.bars.get("period")), "daily bar")
        ),
        "now": f"{now:.2f}", "before": f"{before:.2f}",
    }  # fmt: skip
    side = (
        speak("{name}: {which} is above its signal: {line} against {signal} ({bar} of {last}), which is read as"
              " bullish.", **given)
        if now > 0
        else speak("{name}: {which} is below its signal: {line} against {signal} ({bar} of {last}), which is read as"
                   " bearish.", **given)
    )  # fmt: skip
    crossed = (
        speak("It crossed with this bar ({before} → {now}).", **given)
        if (now > 0) != (before > 0)
        else speak("No crossover with this bar ({before} → {now}).", **given)
    )
    lines = [side + " " * (speak.lang == "en") + crossed]
    up, down = _ways(words)
    if spans:
        newest = [_say_last(desk, found, which, each) for each in found.crossings[-1:]]
        return [_say_within(desk, mention, found, which, spans[0], (up, down)), *lines, *newest]
    last = found.crossings[:-3:-1]  # the two newest, which are of both ways
    told = [_say_last(desk, found, which, each) for each in last]
    at = next((n for n, each in enumerate(last) if each.up == up), None)
    if _WHEN.search(words) and up != down and at is not None:
        lines.insert(0, wording.head_of(desk, mention) + speak(": ") + told.pop(at))
    return [*lines, *told]


def _ways(words: str) -> tuple[bool, bool]:
    """Return whether a question names crossings upward, and whether it names those downward."""
    plain = strip_mentions(words)
    return bool(_UP.search(plain)), bool(_DOWN.search(plain))


def _say_last(desk: ToolDesk, found: _Cross, which: str, last: _Crossing) -> str:
    """Return when an indicator last crossed its signal one way, and how the price has moved since."""
    given: Json = {"which": which, "day": last.day, "close": number(last.close, "price", desk.speak),
                   "change": wording.say_percent(found.close / last.close * 100 - 100)}  # fmt: skip
    return (
        desk.speak("Last golden cross of {which}: **{day}**, close {close}; since then {change}.", **given)
        if last.up
        else desk.speak("Last death cross of {which}: **{day}**, close {close}; since then {change}.", **given)
    )


def _say_within(
    desk: ToolDesk, mention: Mention, found: _Cross, which: str, span: TimeSpan, ways: tuple[bool, bool]
) -> str:
    """Return the crossovers of an indicator in a stretch of time, of one way where that alone is asked for."""
    speak, (up, down) = desk.speak, ways
    known = [each for each in found.crossings if up == down or each.up == up]
    if span.kind == SESSIONS or span.first is None:
        first, last = "", "9999"
        if span.kind != EVER:
            back = max(span.sessions, 1)
            first = f"{date.fromordinal(desk.request.moment.date().toordinal() - back * 7 // 5 - 1)}"
    else:
        first, last = f"{span.first}", f"{span.last or desk.request.day}"
    within = [each for each in known if first <= each.day <= last]
    given: Json = {"name": wording.head_of(desk, mention), "which": which, "time": span.said, "count": len(within)}
    if not within:
        return (
            speak("{name}: **no** golden cross of {which} in “{time}”.", **given) if up and not down
            else speak("{name}: **no** death cross of {which} in “{time}”.", **given) if down and not up
            else speak("{name}: **no** crossover of {which} in “{time}”.", **given)
        )  # fmt: skip
    days = speak.join_items([
        each.day if up != down
        else speak("golden cross {day}", day=each.day) if each.up
        else speak("death cross {day}", day=each.day)
        for each in within[-LISTED:]
    ])  # fmt: skip
    return (
        speak("{name}: golden crosses of {which} in “{time}”: **{count}** ({days}).", **given, days=days)
        if up and not down
        else speak("{name}: death crosses of {which} in “{time}”: **{count}** ({days}).", **given, days=days)
        if down and not up
        else speak("{name}: crossovers of {which} in “{time}”: **{count}** ({days}).", **given, days=days)
    )  # fmt: skip


def answer_bands(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer where the close is in the Bollinger bands, how far from each of them, and how wide they are."""
    speak, words, lines = desk.speak, asked.words, []
    said = _SIZES.search(words)
    size, width = (said["size"], said["width"]) if said else ("20", "2")
    spans = [span for span in asked.spans if f"{span.first}" != desk.request.day]
    plain = blank_spans(words, asked.spans)
    unread = tuple(word for word in asked.unread if said is None or word.strip(" ,，") not in said[0])
    if unread or len(spans) > 1 or any(span.kind != DAY for span in spans) or not 1 < int(size) <= 500:
        return wording.ask_back(desk, unread or tuple(span.said for span in spans) or (size,))
    period = {"period": "weekly"} if _WEEKLY.search(plain) else {"period": "monthly"} if _MONTHLY.search(plain) else {}
    at = ".iloc[-1]"
    if spans:
        first = spans[0].first
        at = f'[date <= "{first}"].iloc[-1]' if first is not None else f".iloc[-{spans[0].sessions + 1}]"
    band = f"{find_name('bands_code')}{size}, {width})"
    codes = [f"close{at}", *(f'({band}["{line}"]){at}' for line in ("lower", "middle", "upper")), f"date{at}"]
    for mention in asked.securities[:MOST]:
        bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1, **period)
        if not bars.ok:
            lines.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
            continue
        results = yield from desk.run(*(DeskCall("compute.run", {"code": code}) for code in codes))
        values = [value for each in results[:4] if (value := read_value(each)[0]) is not None]
        if len(values) < 4 or values[3] <= values[1]:
            lines.append(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
            continue
        day = str(results[4].get("value") or bars.get("last"))[:10]
        lines += _say_bands(
            desk, mention, (values[0], values[1], values[2], values[3]), (day, f"{size}, {width}"), bars
        )
    return reply_of_lines(*lines)


def _say_bands(
    desk: ToolDesk, mention: Mention, levels: tuple[float, float, float, float], of: tuple[str, str], bars: DeskResult
) -> list[str]:
    """Return where a close is in its bands. levels: the close, lower, middle and upper band; of: the day, the sizes."""
    speak, (close, lower, middle, upper) = desk.speak, levels
    given: Json = {
        "name": wording.head_of(desk, mention), "close": number(close, "price", speak), "day": of[0],
        "mark": wording.simulated_mark(desk, bars.get("simulated")), "low": f"{abs(close / lower - 1) * 100:.2f}%",
        "high": f"{abs(close / upper - 1) * 100:.2f}%", "place": f"{(close - lower) / (upper - lower) * 100:.0f}",
    }  # fmt: skip
    place = (
        speak("{name}: **below the lower band** by {low} (close {close}, {day}){mark}.", **given) if close < lower
        else speak("{name}: **above the upper band** by {high} (close {close}, {day}){mark}.", **given)
        if close > upper
        else speak("{name}: **between the bands, in the upper half**: {high} below the upper and {low} above the lower"
                   " one (close {close}, {day}); place {place} of 100{mark}.", **given) if close >= middle
        else speak("{name}: **between the bands, in the lower half**: {low} above the lower and {high} below the upper"
                   " one (close {close}, {day}); place {place} of 100{mark}.", **given)
    )  # fmt: skip
    return [
        place,
        speak(
            "Upper band {upper}, middle {middle}, lower {lower} ({sizes}); width {width} of the middle.",
            sizes=of[1],
            upper=number(upper, "price", speak),
            middle=number(middle, "price", speak),
            lower=number(lower, "price", speak),
            width=f"{(upper - lower) / middle * 100:.1f}%",
        ),
    ]


_YEAR = 250
"""Sessions that are looked at where a question names no time."""
_WAS = pattern(
    r"\b(?:was|were|stood|went|go|r[io]se|f[ae]ll|drop(?:ped)?|got|has been|had been|had)\s+"
    r"(?=(?:above|over|below|under|more|less)\b)",
    re.I,
)
"""What stands between an indicator and its level."""


def answer_condition_days(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which sessions of a stretch of time a technical condition held: an RSI above 70."""
    speak, lines = desk.speak, list[str]()
    plain = re.sub(find_name("level_days"), "", blank_spans(strip_mentions(asked.words), asked.spans), flags=re.I)
    plain = _WAS.sub("", plain).casefold()
    rest, conditions = take_technicals(plain, desk.tables)
    unread = tuple(word for word in asked.unread if word.casefold() in rest and word.casefold() != "how many")
    if unread or len(conditions) != 1 or len(asked.spans) > 1:
        return wording.ask_back(desk, unread or tuple(span.said for span in asked.spans[1:]) or (asked.words,))
    span = asked.spans[0] if asked.spans else TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=_YEAR)
    if span.kind not in (RANGE, SINCE, SESSIONS, EVER):
        return wording.ask_back(desk, (span.said,))
    condition = conditions[0]
    for mention in asked.securities[:MOST]:
        found = yield from load_span(desk, mention, span)
        if isinstance(found, DeskResult) or not found.rows:
            failure = found.failure if isinstance(found, DeskResult) else None
            lines.append(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
            continue
        yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
        result = yield from desk.one("compute.run", code=f"close[{condition.code}]", series=True)
        listed = result.get("series")
        held = {f"{line}"[:10] for line in listed[1:]} if isinstance(listed, list) else set[str]()
        days = [row.date for row in found.rows if row.date in held]
        given: Json = {
            "name": wording.head_of(desk, mention), "condition": condition.name[speak.lang == "en"],
            "count": len(days), "all": len(found.rows), "first": found.rows[0].date, "last": found.rows[-1].date,
            "mark": wording.simulated_mark(desk, found.simulated), "days": speak.join_items(days[-LISTED:]),
        }  # fmt: skip
        lines.append(
            speak("{name}: {condition} on **none** of {all} sessions ({first} – {last}){mark}.", **given)
            if not days
            else speak("{name}: {condition} on **{count}** of {all} sessions ({first} – {last}): {days}{mark}.",
                       **given)
            if len(days) <= LISTED
            else speak("{name}: {condition} on **{count}** of {all} sessions ({first} – {last}); the last of them:"
                       " {days}{mark}.", **given)
        )  # fmt: skip
    return reply_of_lines(*lines, speak("Past prices are adjusted (qfq)."))


ANSWERS = {"indicator_cross": answer_indicator_cross, "bands": answer_bands, "condition_days": answer_condition_days}
