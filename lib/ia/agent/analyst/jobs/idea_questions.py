"""A message that the rules did not read, as a known question: by its ideas, alone or with those of the one before."""

from ia.agent.analyst.ask import ideas
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
        before, _ = read_before(request.before, today)
        found += [continue_ideas(words, before, today), ideas.continue_question(words, before, today)]
    return [known for known in dict.fromkeys(found) if known]
