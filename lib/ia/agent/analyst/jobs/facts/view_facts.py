"""What a view of a security says about its own end, and what happened to a security in a time."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import FUTURE, SESSIONS, TimeSpan
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.jobs.facts import date_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars
from ia.agent.analyst.jobs.facts.extreme_facts import each_security, head, say_price, span_of
from ia.agent.analyst.jobs.facts.period_facts import say_move
from ia.agent.analyst.jobs.research import research
from ia.agent.analyst.jobs.small_talk import read_note_parts
from ia.agent.analyst.say import note
from ia.agent.analyst.say.reply import Reply, reply_of_lines

_LATELY = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=20)


def answer_view_change(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what would change the view of a security: from the note of today, else from a new one."""
    mention = asked.securities[0]
    path, kept = yield from read_note_parts(desk, mention, note.CHANGES)
    if not kept:
        return (yield from research(desk, mention))
    lines = [line for section in kept for line in section.strip().splitlines()[1:] if line.strip()]
    return reply_of_lines(
        desk.speak("**What would change the view of {name}**:", name=display_name(desk, mention)),
        *lines,
        desk.speak("All of it: `notebook/{path}`", path=path),
    )


def answer_happened(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what happened to a security in a time: the change, the range, and the items that are stored."""
    span = span_of(asked, _LATELY)
    if asked.unread or span is None:
        return wording.ask_back(desk, asked.unread or (asked.spans[1].said,))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    days: list[tuple[Mention, str, str]] = []

    def say(mention: Mention, found: SpanBars) -> list[str]:
        high, low = max(found.rows, key=lambda row: row.high), min(found.rows, key=lambda row: row.low)
        days.append((mention, found.rows[0].date, found.rows[-1].date))
        told = desk.speak("High {high} ({high_day}), low {low} ({low_day}).", high=say_price(desk, high.high),
                          high_day=high.date, low=say_price(desk, low.low), low_day=low.date)  # fmt: skip
        return [head(desk, mention, found) + say_move(desk, mention, found, asked, span), told]

    told = yield from each_security(desk, asked, span, say)
    items: list[str] = []
    for mention, first, last in days[:1] if len(days) > 1 else days:
        items += yield from date_facts.list_items(desk, mention, first, last)
    return reply_of_lines(*told.lines, *items)


ANSWERS = {"view_change": answer_view_change, "happened": answer_happened}
