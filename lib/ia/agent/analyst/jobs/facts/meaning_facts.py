"""What a figure of a security means: the term, the security's own figure, and whether it meets a bound."""

import operator
import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.screens import COLUMNS, parse_bounds
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import market_facts, wording
from ia.agent.analyst.jobs.facts.valuation_facts import MOST, PEER_FIGURES, column_of, say_no_valuation
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json


def answer_figure_meaning(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a figure of a share means: the term, the share's own figure, and whether it meets a bound."""
    speak, lines = desk.speak, []
    rest, bounds = parse_bounds(strip_mentions(asked.words))
    if unread := tuple(word for word in asked.unread if not bounds or word in rest):
        return wording.ask_back(desk, unread)
    known = yield from market_facts.explain_terms(desk, asked.words, meaning=True)
    words = strip_mentions(asked.words)
    column = next((each for each in COLUMNS if each.name in PEER_FIGURES and re.search(each.words, words, re.I)), None)
    if known is None or column is None or len(bounds) > 1:
        return wording.ask_back(desk, (" ".join(words.split()),))
    for mention in asked.securities[:MOST]:
        valued = yield from desk.one("market.valuation", symbol=mention.code)
        head = wording.head_of(desk, mention) + speak(": ")
        if valued.failure is not None:
            lines.append(head + say_no_valuation(desk, mention, valued.failure))
            continue
        day = wording.result_day(valued)
        if span := wording.other_day(asked, day):
            return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, day)
        figures = valued.get("figures")
        value = column_of(figures if isinstance(figures, dict) else {}, column)
        if value is None:
            lines.append(head + speak("its {figure} is not known here.", figure=speak(PEER_FIGURES[column.name])))
            continue
        unit = "percent_plain" if column.unit == "percent" else column.unit
        given: Json = {"figure": speak(PEER_FIGURES[column.name]), "value": wording.say_value(desk, value, unit),
                       "date": day, "mark": wording.simulated_mark(desk, valued.get("simulated"))}  # fmt: skip
        lines.append(head + speak("{figure} **{value}** ({date}){mark}.", **given))
        if bounds:
            holds = _SIGNS[bounds[0].sign](value, bounds[0].number)
            lines[-1] += " " * (speak.lang == "en") + (
                speak("The condition you name is true of it.") if holds
                else speak("The condition you name is not true of it.")
            )  # fmt: skip
    return reply_of_lines(*known.lines, *lines)


_SIGNS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
