"""A message that the rules did not read, as a known question: by its ideas, alone or with those of the one before."""

from datetime import date

from ia.agent.analyst.ask import ideas, several
from ia.agent.analyst.ask.follow_on import read_before
from ia.agent.analyst.ask.own_words import continue_ideas
from ia.agent.analyst.ask.plain_words import fold_characters
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.own_events import name_own_securities


def find_known(desk: ToolDesk) -> Work[list[str]]:
    """Return the known questions that a message may ask by its ideas, the likeliest first."""
    yield from name_own_securities(desk)
    request, today = desk.request, desk.request.moment.date()
    words = fold_characters(request.question)  # as it was said: what is simplified may leave a word out
    found = [ideas.read_question(words, today)]
    if request.before:
        before = _read_before(request.before, today)
        found += [continue_ideas(words, before, today), ideas.continue_question(words, before, today)]
    return [known for known in dict.fromkeys(found) if known]


def find_parts(desk: ToolDesk) -> list[str]:
    """Return the known questions that the parts of a message ask by their ideas; [] where one of them asks none."""
    request, today = desk.request, desk.request.moment.date()
    parts, known = several.split_message(fold_characters(request.question)), list[str]()
    for part in parts:
        before = known[-1] if known else ""
        asked = ideas.read_question(part, today) or (before and ideas.continue_question(part, before, today))
        if not asked:
            return []
        known.append(asked)
    return list(dict.fromkeys(known))


def _read_before(said: list[str], today: date) -> str:
    """Return the last of some questions as a whole one; what rules did not complete is completed by its ideas."""
    whole = ""
    for at, each in enumerate(said[-_MANY:], max(len(said) - _MANY, 0) + 1):
        by_rules, _ = read_before(said[:at], today)
        words = fold_characters(each)
        known = ideas.continue_question(words, whole, today) if whole and not ideas.read_question(words, today) else ""
        whole = known if known and not ideas.read_question(by_rules, today) else by_rules
    return whole


_MANY = 4
"""Questions before a message that are read for it."""
