"""A purchase that was not made: what it would have brought, from the close of its day until now."""

from dataclasses import replace

from ia.agent.analyst.ask.amounts import find_size
from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, SINCE, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import load_span
from ia.agent.analyst.jobs.facts.extreme_facts import adjusted_note
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.jsontypes import Json


def answer_bought_then(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a security would have brought that was bought at the close of a day, in per cent and in money."""
    speak = desk.speak
    span = asked.spans[0] if len(asked.spans) == 1 else None
    words = blank_spans(strip_mentions(asked.words), asked.spans)
    size = find_size(words)
    rest = words[: size.at[0]] + " " + words[size.at[1] :] if size else words
    unread = condition_words(rest)
    if span is None or span.kind not in (DAY, SINCE) or len(asked.securities) != 1 or asked.times or unread:
        return wording.ask_back(desk, tuple(unread) or asked.times or tuple(each.said for each in asked.spans))
    mention = asked.securities[0]
    if f"{span.first}" >= desk.request.day:
        return wording.ask_back(desk, (span.said,))
    days = (yield from result_facts.read_days(desk, span, mention.symbol.market)) if span.kind == DAY else None
    first_day = days.first if days is not None else span.first
    if first_day is None:
        return wording.ask_back(desk, (span.said,))
    loaded = yield from load_span(desk, mention, replace(span, kind=SINCE, first=first_day, last=None, sessions=0))
    if isinstance(loaded, DeskResult) or not loaded.rows:
        failure = loaded.failure if isinstance(loaded, DeskResult) else None
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
    first, last = loaded.with_base[0], loaded.rows[-1]
    shares = size.shares_of(mention.symbol) if size else None
    change = last.close / first.close - 1
    given: Json = {
        "name": wording.head_of(desk, mention), "change": wording.say_percent(change * 100),
        "then": number(first.close, "price", speak), "day": first.date, "now": number(last.close, "price", speak),
        "date": last.date, "mark": wording.simulated_mark(desk, loaded.simulated),
    }  # fmt: skip
    lines = [speak("{name} bought at the close of {day} ({then}): **{change}** to {now} ({date}).{mark}", **given)]
    if shares is not None:
        gain = wording.say_exact(desk, (last.close - first.close) * shares, signed=True,
                                 currency=wording.CURRENCIES.get(mention.symbol.market, ""))  # fmt: skip
        lines.insert(0, speak("{shares} shares: **{gain}**, fees aside.", shares=number(shares, "shares"), gain=gain))
    return reply_of_lines(*lines, *adjusted_note(desk))


ANSWERS = {"bought_then": answer_bought_then}
