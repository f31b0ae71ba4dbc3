"""When a security last rose or fell by more than so many per cent in a session."""

import re
from itertools import pairwise

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, TimeSpan, blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import extreme_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, period_of
from ia.agent.analyst.jobs.facts.extreme_facts import each_security, head, say_price, span_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_ANY_TIME = TimeSpan(kind=EVER, said="", at=(0, 0))
_PERCENT = pattern(rf"(?P<n>{COUNT})\s*(?:%|％|个?百分?点|个点|per ?cent|percent)", re.I)
_OR_MORE = pattern(r"以上|\bor more\b|\bat least\b|至少|达到|\bby (?=\d)", re.I)
_MORE_THAN = pattern(r"超过?|大于|高于|不止|逾|\b(?:over|more than|above|greater than|upwards of)\b", re.I)
_FALLS = pattern(r"跌|\b(?:f[ae]ll\w*|drop\w*|declin\w*|los[et]\w*|losing|down|slid\w*|plung\w*|sank|sink\w*)\b", re.I)
_RISES = pattern(r"涨|\b(?:r[io]s[ei]\w*|gain\w*|jump\w*|up|climb\w*|rall\w*|surg\w*)\b", re.I)


def answer_last_move(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when a security last rose or fell by so much in a session, and how often it did."""
    plain = blank_spans(strip_mentions(asked.words), asked.spans)
    bound, span = _PERCENT.search(plain), span_of(asked, _ANY_TIME)
    unread = tuple(said for said in asked.unread if bound is None or said not in (bound[0], *bound[0].split()))
    unread = tuple(said for said in unread if not _MORE_THAN.fullmatch(said) and said not in ("more", "than", "以上"))
    falls, rises = bool(_FALLS.search(plain)), bool(_RISES.search(plain))
    least = parse_count(bound["n"].casefold()) if bound else None
    if bound is None or not least or span is None or unread or falls == rises:
        said = (bound[0],) if bound else (plain.strip(),)
        return wording.ask_back(desk, unread or (said if span is not None else (asked.spans[-1].said,)))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if span.kind == DAY:
        return wording.ask_back(desk, (span.said,))
    above = bool(_MORE_THAN.search(plain)) and not _OR_MORE.search(plain)

    def say(mention: Mention, found: SpanBars) -> list[str]:
        return [head(desk, mention, found) + _say_last(desk, found, least, falls=falls, above=above)]

    told = yield from each_security(desk, asked, span, say)
    return reply_of_lines(*told.lines, *extreme_facts.adjusted_note(desk))


def _say_last(desk: ToolDesk, found: SpanBars, least: float, *, falls: bool, above: bool) -> str:
    speak = desk.speak
    moves = [(row, before, row.close / before.close * 100 - 100) for before, row in pairwise(found.with_base)]

    def is_hit(move: float) -> bool:
        size = round(-move if falls else move, 9)
        return size > least if above else size >= least

    hits: list[tuple[BarRow, BarRow, float]] = [each for each in moves if is_hit(each[2])]
    given: Json = {"bound": f"{least:g}", "days": len(moves), "period": period_of(found.rows)}
    if not hits:
        return speak(_NEVER[falls, above], **given)
    row, before, move = hits[-1]
    given |= {
        "date": row.date, "change": wording.say_percent(move), "count": len(hits),
        "start": say_price(desk, before.close), "close": say_price(desk, row.close),
    }  # fmt: skip
    return speak(_LAST[falls, above], **given)


_NEVER = {
    (False, True): mark_text("never up by more than {bound}% in a session ({period})."),
    (False, False): mark_text("never up by {bound}% or more in a session ({period})."),
    (True, True): mark_text("never down by more than {bound}% in a session ({period})."),
    (True, False): mark_text("never down by {bound}% or more in a session ({period})."),
}
"""By whether falls are meant, and whether the bound itself is left out."""
_LAST = {
    (False, True): mark_text(
        "last up by more than {bound}% on **{date}**: {change}, from {start} to {close}; on {count} of {days}"
        " sessions ({period})."
    ),
    (False, False): mark_text(
        "last up by {bound}% or more on **{date}**: {change}, from {start} to {close}; on {count} of {days}"
        " sessions ({period})."
    ),
    (True, True): mark_text(
        "last down by more than {bound}% on **{date}**: {change}, from {start} to {close}; on {count} of {days}"
        " sessions ({period})."
    ),
    (True, False): mark_text(
        "last down by {bound}% or more on **{date}**: {change}, from {start} to {close}; on {count} of {days}"
        " sessions ({period})."
    ),
}
ANSWERS = {"last_move": answer_last_move}
