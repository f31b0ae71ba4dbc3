"""What terms mean, of which a question names one or several in any wording, or goes on with those before."""

from ia.agent.analyst.ask import meaning_words
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts.market_facts import Term, covers, load_terms
from ia.agent.analyst.say.reply import Reply, reply_of_lines

MOST = 4
"""Terms of one answer."""


def explain_asked(desk: ToolDesk, words: str, before: list[str]) -> Work[Reply | None]:
    """Return what the terms mean that a question is for; None where it names none, or anything besides.

    before  the messages before it, the last of which may have named the term
    """
    speak = desk.speak
    terms = yield from load_terms(desk)
    found = _find_terms(terms, words)
    if not found and meaning_words.goes_on_with_meaning(words):
        found = _find_before(terms, before)
    if not found:
        return None
    return reply_of_lines(
        *(f"**{speak.fill(each.name)}**{speak(': ')}{speak.fill(each.text)}" for each in found[:MOST])
    )


def _find_before(terms: list[Term], before: list[str]) -> list[Term]:
    """Return the terms that a message goes on with: those of the last that names some."""
    for text in reversed(before[-MOST:]):
        if named := _name_terms(terms, text):
            return named
        if not meaning_words.goes_on_with_meaning(text):
            break
    return []


def _name_terms(terms: list[Term], words: str) -> list[Term]:
    """Return the terms that a text names, in its order."""
    found = {each: match for each in terms if (match := each.words.search(words))}
    return sorted(
        (each for each in found if not any(covers(other, each, words) for other in found)),
        key=lambda each: found[each].start(),
    )


def _find_terms(terms: list[Term], words: str) -> list[Term] | None:
    """Return the terms of a question in its order; None where a word is neither a term's nor of such a question."""
    found, rest = _name_terms(terms, words), words
    for each in found:
        rest = each.words.sub(" ", rest)
    return None if meaning_words.left_of_meaning(rest) else found
