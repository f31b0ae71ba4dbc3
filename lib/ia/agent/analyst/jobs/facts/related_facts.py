"""Answers about how the securities that are held move together."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import RANGE, SESSIONS, SINCE
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.price_facts import compare_window
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

PAIRS = 5
"""Pairs that an answer names."""
_LEAST = pattern(r"最[小低弱不]|\b(?:least|lowest|weakest|opposite|uncorrelated)\b", re.I)


def answer_own_related(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which holdings' daily returns go together most, or least: all of them, or those with one security."""
    speak = desk.speak
    span = asked.spans[0] if asked.spans else None
    if asked.unread or len(asked.spans) > 1 or (span is not None and span.kind not in (SESSIONS, RANGE, SINCE)):
        return wording.ask_back(desk, asked.unread or tuple(each.said for each in asked.spans))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    own = dict(positions_of(status))
    named = [mention.code for mention in asked.securities]
    codes = list(dict.fromkeys([*named, *own]))
    if not own:
        return reply_of_lines(speak("Nothing is held."))
    if len(codes) < 2:
        return reply_of_lines(speak("Only one security is held: there is nothing to compare it with."))
    found = yield from desk.one("market.compare", symbols=codes, **compare_window(span))
    if found.failure is not None:
        return wording.unreadable(desk, speak("the prices"), found.failure)
    pairs = [
        pair
        for pair in wording.rows_of(found, "correlations")
        if pair.get("correlation") is not None
        and ({str(pair["one"]), str(pair["other"])} <= {*named, *own})
        and (not named or named[0] in (pair["one"], pair["other"]))
    ]
    if not pairs:
        return reply_of_lines(speak("Too few common daily returns are stored to say."))
    pairs.sort(key=lambda pair: -float(pair["correlation"]))
    if _LEAST.search(asked.words):
        pairs.reverse()
    lines = [_say_pair(desk, pair, own, named) for pair in pairs[:PAIRS]]
    lines[0] += wording.simulated_mark(desk, found.get("simulated"))
    note = speak("Correlation of daily returns, {first} to {last}; 1 is in step, 0 unrelated.",
                 first=pairs[0].get("first"), last=pairs[0].get("last"))  # fmt: skip
    return reply_of_lines(*lines, note)


def _say_pair(desk: ToolDesk, pair: Json, own: dict[str, Json], named: list[str]) -> str:
    """Return one pair: the holding beside the security that was named, or both."""
    one, other = str(pair["one"]), str(pair["other"])
    if named and other == named[0]:
        one, other = other, one
    names = [wording.security_name(desk, code, own.get(code, {}).get("name")) for code in (one, other)]
    value = f"{float(pair['correlation']):.2f}"
    if named:
        return desk.speak("**{value}** with {name}", value=value, name=names[1])
    return desk.speak("**{value}** {name} and {other}", value=value, name=names[0], other=names[1])


ANSWERS = {"own_related": answer_own_related}
