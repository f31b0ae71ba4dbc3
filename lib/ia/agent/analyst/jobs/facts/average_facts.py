"""When a close was last above or below a moving average."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE, TimeSpan
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import extreme_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars
from ia.agent.analyst.jobs.facts.extreme_facts import each_security, head, say_price
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_SIZE = pattern(
    r"(?P<n>\d{1,3})\s*-?\s*(?:日|天|day|session)|ma\s*(?P<m>\d{1,3})|(?P<half>半年线)|(?P<year>年线)", re.I
)
_BELOW = pattern(r"低于|跌破|下穿|失守|之?下(?!一)|\b(?:below|under|broke(?:n)? down)\b", re.I)
_ABOVE = pattern(r"高于|站上|突破|上穿|收复|之?上(?![次回一])|\b(?:above|over)\b", re.I)
_CROSSED = pattern(r"跌破|突破|站上|上穿|下穿|失守|收复|\bcross\w*\b|\b(?:fell|drop\w*|rose|broke)\b", re.I)
_HOW_MANY = pattern(r"[几多少]个?(?:天|交易日)|\bhow (?:long|many)\b", re.I)
"""How long the close has been there: up to now, not how often within a stretch."""


def answer_average_last(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which day the close was last on the side of an average that is asked for, or crossed to it."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    found = _SIZE.search(plain)
    size = 0 if found is None else 250 if found["year"] else 120 if found["half"] else int(found["n"] or found["m"])
    below, above = bool(_BELOW.search(plain)), bool(_ABOVE.search(plain))
    crossed = bool(_CROSSED.search(plain))
    if not 1 < size <= 500 or (below and above):
        return reply_of_lines(speak("Above or below which average? For example the 60-day average."))
    spans = [span for span in asked.spans if found is None or not found[0].startswith(span.said.strip())]
    if spans and _HOW_MANY.search(plain):
        return wording.ask_back(desk, (spans[0].said,))
    if any(span.kind in (FUTURE,) for span in spans):
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), spans[0], desk.request.day)

    def say(mention: Mention, bars: SpanBars) -> list[str]:
        return [head(desk, mention, bars) + _say_last(desk, bars, size, below=below, above=above, crossed=crossed)]

    ever = TimeSpan(kind=EVER, said="", at=(0, 0))
    told = yield from each_security(desk, asked, ever, say)
    return reply_of_lines(*told.lines, *extreme_facts.adjusted_note(desk))


def _say_last(desk: ToolDesk, bars: SpanBars, size: int, *, below: bool, above: bool, crossed: bool) -> str:
    """Return the last session whose close was, or went, below or above its average, and the newest one beside it."""
    speak, closes = desk.speak, [row.close for row in bars.rows]
    if len(closes) < size:
        return speak("too few bars for a {size}-day average.", size=size)
    means = [sum(closes[at - size : at]) / size for at in range(size, len(closes) + 1)]
    rows = bars.rows[size - 1 :]
    sides = [row.close < mean for row, mean in zip(rows, means, strict=True)]
    wanted = below or not above
    either = not below and not above
    at = next(
        (
            n
            for n in range(len(rows) - 1, -1, -1)
            if (either or sides[n] == wanted) and (not (crossed or either) or (n > 0 and sides[n - 1] != sides[n]))
        ),
        None,
    )
    given: Json = {"size": size, "first": rows[0].date}
    if at is None:
        return (
            speak("no close since {first} was below its {size}-day average.", **given)
            if wanted
            else speak("no close since {first} was above its {size}-day average.", **given)
        )
    given |= {"day": rows[at].date, "close": say_price(desk, rows[at].close), "mean": say_price(desk, means[at])}
    under = sides[at]
    if crossed or either:
        return (
            speak("fell below its {size}-day average last on **{day}** (close {close}, average {mean}).", **given)
            if under
            else speak("rose above its {size}-day average last on **{day}** (close {close}, average {mean}).", **given)
        )
    line = (
        speak("closed below its {size}-day average last on **{day}** (close {close}, average {mean}).", **given)
        if under
        else speak("closed above its {size}-day average last on **{day}** (close {close}, average {mean}).", **given)
    )
    if at == len(rows) - 1:
        begun = next((n for n in range(at, -1, -1) if sides[n] != under), None)
        if begun is not None:
            line += " " * (speak.lang == "en") + speak(
                PluralText(
                    "It has been there since {day}: {count} session.",
                    "It has been there since {day}: {count} sessions.",
                ),
                day=rows[begun + 1].date,
                count=at - begun,
            )
    return line


ANSWERS = {"average_last": answer_average_last}
