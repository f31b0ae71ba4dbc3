"""When a security last rose or fell for so many sessions in a row, how it opened, and how it moved after a report."""

import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, RANGE, TimeSpan, blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, period_of
from ia.agent.analyst.jobs.facts.extreme_facts import (
    NEWEST,
    adjusted_note,
    each_security,
    head,
    say_price,
    span_of,
)
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_LENGTH = pattern(rf"(?P<n>{COUNT})\s*-?\s*(?:个?交易日|[天日]|连[涨跌阳阴]|(?:trading )?days?|sessions?)", re.I)
_DOWN = pattern(r"跌|\b(?:f[ae]ll\w*|drop\w*|declin\w*|los[et]\w*|losing|down|red|lower|sank|slid\w*)\b", re.I)
_UP = pattern(r"涨|\b(?:r[io]s\w*|gain\w*|climb\w*|up|green|higher)\b", re.I)
_ANY_TIME = TimeSpan(kind=EVER, said="", at=(0, 0))


def answer_last_run(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when a security last rose or fell for at least so many sessions in a row."""
    plain = strip_mentions(asked.words)
    found = _LENGTH.search(plain)
    least = int(parse_count(found["n"].casefold()) or 0) if found else 0
    spans = tuple(span for span in asked.spans if found is None or span.said not in found[0])
    span = spans[0] if len(spans) == 1 else _ANY_TIME
    down, up = bool(_DOWN.search(plain)), bool(_UP.search(plain))
    said = found[0] if found else ""
    unread = tuple(word for word in asked.unread if word not in said)
    if least < 2 or down == up or unread or len(spans) > 1 or span.kind in (DAY, FUTURE):
        return wording.ask_back(desk, unread or tuple(each.said for each in spans) or (said or plain.strip(),))

    def say(mention: Mention, bars: SpanBars) -> list[str]:
        return [head(desk, mention, bars) + _say_last_run(desk, bars, least, down=down)]

    told = yield from each_security(desk, asked, span, say)
    return reply_of_lines(*told.lines, *adjusted_note(desk))


def _say_last_run(desk: ToolDesk, bars: SpanBars, least: int, *, down: bool) -> str:
    """Return the last run of at least so many sessions, and how many runs there were."""
    speak, rows = desk.speak, bars.with_base
    runs, begin = list[tuple[int, int]](), 0
    moved = [(b.close < a.close if down else b.close > a.close) for a, b in pairwise(rows)]
    for at, hit in enumerate([*moved, False]):
        if not hit:
            runs += [(begin, at)] if at - begin >= least else []
            begin = at + 1
    given: Json = {"least": least, "period": period_of(bars.rows), "times": len(runs)}
    if not runs:
        return (
            speak("never down {least} sessions in a row ({period}).", **given)
            if down
            else speak("never up {least} sessions in a row ({period}).", **given)
        )
    first, last = runs[-1]
    given |= {
        "first": rows[first + 1].date, "last": rows[last].date, "count": last - first,
        "change": wording.say_percent((rows[last].close / rows[first].close - 1) * 100),
    }  # fmt: skip
    if down:
        return speak(
            "last down {least} sessions or more in a row from **{first} to {last}**: {count} sessions, {change}"
            " together; {times} times in {period}.", **given,
        )  # fmt: skip
    return speak(
        "last up {least} sessions or more in a row from **{first} to {last}**: {count} sessions, {change} together;"
        " {times} times in {period}.", **given,
    )  # fmt: skip


def answer_opening(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a security opened above or below its last close, and whether that left a gap."""
    span = span_of(asked, NEWEST)
    if asked.unread or span is None or (span.kind != DAY and span is not NEWEST):
        return wording.ask_back(desk, asked.unread or (asked.spans[-1].said,))

    def say(mention: Mention, bars: SpanBars) -> list[str]:
        if bars.base is None:
            return [head(desk, mention, bars) + desk.speak("too few bars.")]
        return [head(desk, mention, bars) + _say_opening(desk, bars.rows[-1], bars.base)]

    return (yield from each_security(desk, asked, span, say))


def _say_opening(desk: ToolDesk, row: BarRow, base: BarRow) -> str:
    speak = desk.speak
    given: Json = {
        "date": row.date, "open": say_price(desk, row.open), "base": say_price(desk, base.close), "before": base.date,
        "change": wording.say_percent((row.open / base.close - 1) * 100), "high": say_price(desk, base.high),
        "low": say_price(desk, base.low),
    }  # fmt: skip
    if row.open == base.close:
        return speak("opened **unchanged** at {open} ({date}).", **given)
    if row.open > base.close:
        told = speak("opened **higher**, {change}: {open} ({date}) after the close of {base} ({before}).", **given)
        gap = row.low > base.high
    else:
        told = speak("opened **lower**, {change}: {open} ({date}) after the close of {base} ({before}).", **given)
        gap = row.high < base.low
    more = (
        speak("A gap was left open: no price of the day is within {low} – {high}, the range before.", **given)
        if gap
        else speak("No gap was left: the prices of the day reach into {low} – {high}, the range before.", **given)
    )
    return told + " " * (speak.lang == "en") + more


def answer_after_report(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how a security moved since its newest report was published, and in the five sessions after it."""
    speak, lines = desk.speak, list[str]()
    plain = blank_spans(strip_mentions(asked.words), asked.spans)
    if asked.spans and not all(_REPORTED.search(span.said) for span in asked.spans):
        return wording.ask_back(desk, (asked.spans[0].said,))
    if unread := tuple(word for word in asked.unread if not _REPORTED.search(word) and word in plain):
        return wording.ask_back(desk, unread)
    for mention in asked.securities[:3]:
        result = yield from desk.one("market.fundamentals", symbol=mention.code, periods=1)
        row = next(iter(wording.rows_of(result, "reports")), None) if result.ok else None
        day = str(row.get("published") or "") if row else ""
        if row is None or not day:
            lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}" + speak("no report with its day is stored."))
            continue
        first = date.fromisoformat(day)
        span = TimeSpan(
            kind=RANGE, said=day, at=(0, 0), first=first - timedelta(days=20), last=desk.request.moment.date()
        )

        def say(mention: Mention, bars: SpanBars, day: str = day, row: Json = row) -> list[str]:
            return [head(desk, mention, bars) + _say_after(desk, bars.rows, day, str(row.get("period") or ""))]

        told = yield from each_security(desk, replace(asked, securities=(mention,)), span, say)
        lines += told.lines
    return reply_of_lines(*lines, *adjusted_note(desk))


_REPORTED = pattern(r"财报|年报|季报|中报|业绩|report|results|earnings", re.I)
AFTER = 5
"""Sessions after a report whose change is told besides that up to now."""


def _say_after(desk: ToolDesk, rows: list[BarRow], day: str, period: str) -> str:
    """Return the changes from the last close before a report came out."""
    speak = desk.speak
    before, after = [row for row in rows if row.date <= day], [row for row in rows if row.date > day]
    if not before or not after:
        return speak("no bars after its report of {day}.", day=day)
    base, at = before[-1], after[:AFTER][-1]
    given: Json = {
        "day": day, "period": period, "base": say_price(desk, base.close), "first": base.date,
        "one": wording.say_percent((after[0].close / base.close - 1) * 100), "next": after[0].date,
        "some": wording.say_percent((at.close / base.close - 1) * 100), "count": len(after[:AFTER]), "then": at.date,
        "all": wording.say_percent((after[-1].close / base.close - 1) * 100), "last": after[-1].date,
    }  # fmt: skip
    return speak(
        "after the report of {period} (published {day}): **{one}** on {next}, {some} in {count} sessions (to {then}),"
        " {all} up to {last}; from the close of {base} ({first}).", **given,
    )  # fmt: skip


ANSWERS = {"last_run": answer_last_run, "opening": answer_opening, "after_report": answer_after_report}
