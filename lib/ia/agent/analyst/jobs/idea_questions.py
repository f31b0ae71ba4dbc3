"""A message that the rules did not read, as a known question: by its ideas, alone or with those of the one before."""

from datetime import date

from ia.agent.analyst.ask import ideas, several
from ia.agent.analyst.ask.follow_asides import drop_asides
from ia.agent.analyst.ask.follow_on import read_before
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.own_words import continue_ideas, read_ideas
from ia.agent.analyst.ask.plain_words import fold_characters, simplify_question
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.own_events import name_own_securities

_MOST_BEFORE = 4
"""Messages that are looked at for what one goes on with."""


def find_known(desk: ToolDesk, *, first: bool = False) -> Work[list[str]]:
    """Return the known questions that a message may ask by its ideas, the likeliest first.

    first  only those about the owner's money that go before what the rules read
    """
    yield from name_own_securities(desk)
    request, today = desk.request, desk.request.moment.date()
    words = fold_characters(request.question)  # as it was said: what is simplified may leave a word out
    own = read_ideas(words, find_mentions(words), today, first=first)
    before = _read_before(request.before, today) if request.before and not own else ""
    if first:
        asked = own or (continue_ideas(words, before, today, first=True) if before else "")
        return [asked] if asked else []
    return list_known(words, before, today)


def list_known(words: str, before: str, today: date) -> list[str]:
    """Return the known questions that words may ask by their ideas, alone or behind another question; likeliest first.

    before  a whole question; "" where there is none
    """
    found = [read_ideas(words, find_mentions(words), today), ideas.read_question(words, today)]
    if before and not found[0]:
        found += [continue_ideas(words, before, today), ideas.continue_question(words, before, today)]
    return [known for known in dict.fromkeys(found) if known]


def find_parts(desk: ToolDesk) -> list[str]:
    """Return the known questions that the parts of a message ask by their ideas; [] where one of them asks none."""
    request, today = desk.request, desk.request.moment.date()
    parts, known = several.split_message(fold_characters(request.question)), list[str]()
    for part in parts:
        asked = list_known(part, known[-1] if known else "", today)
        if not asked:
            return []
        known.append(asked[0])
    return list(dict.fromkeys(known))


def _read_before(before: list[str], today: date) -> str:
    """Return the last of some messages as a whole question, whether the rules complete it or its ideas do."""
    whole = ""
    for said in map(fold_characters, drop_asides(before)[-_MOST_BEFORE:]):
        if whole and (first := continue_ideas(said, whole, today, first=True)):
            whole = first
            continue
        done, _ = read_before([whole, said] if whole else [said], today)
        if whole and done == simplify_question(said):
            done = next(iter(list_known(said, whole, today)), done)
        whole = done
    return whole
