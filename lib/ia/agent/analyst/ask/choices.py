"""The answer to a question back: "the second one", or the code of one of the securities that were offered."""

import re

from ia.agent.analyst.ask import intent
from ia.agent.analyst.ask.follow_asides import read_ordinal
from ia.agent.analyst.ask.mentions import find_mentions, find_near_name
from ia.agent.analyst.ask.request import UserRequest
from ia.domain.instruments.symbols import AmbiguousName, resolve_security
from ia.kernel.errors import IaError
from ia.kernel.patterns import pattern

LONGEST = 30
"""Characters of a message that is but a choice."""


def read_choice(request: UserRequest) -> str:
    """Return the question before with the security that this message chooses; "" where it chooses none."""
    text = request.question
    if not request.before or len(text) > LONGEST:
        return ""
    if _YES.fullmatch(text.strip(" .。!！,，")):
        return _take_offered(request.before[-1])
    named, place = find_mentions(text), read_ordinal(text)
    if place is None and (len(named) != 1 or text.strip(" .。!！?？") != named[0].said):
        return ""
    last = request.before[-1]
    said, codes = _find_open(request, last)
    if place is not None:
        return last.replace(said, codes[place], 1) if place < len(codes) else ""
    return last.replace(said, named[0].code, 1) if named[0].code in codes else ""


_YES = pattern(
    r"(?:yes|yeah|yep|yup|sure|right|correct|exactly|that one|that's (?:it|right)|i (?:do|did)|是的?|对的?|没错|就是)"
    r"(?:[, ]+(?:please|thanks|that one))?",
    re.I,
)


def read_place(text: str) -> int | None:
    """Return which of the questions that were offered a message chooses, from 0; None where it chooses none.

    >>> read_place("2"), read_place("the first one"), read_place("yes"), read_place("BYD price")
    (1, 0, 0, None)
    """
    return 0 if _YES.fullmatch(text.strip(" .。!！,，")) else read_ordinal(text)


def _take_offered(last: str) -> str:
    """Return a question with a misspelt name with the one security that it can mean; "" where it has none."""
    said, like = find_near_name(last)
    at = last.find(said) if len(like) == 1 and not find_mentions(last) else -1
    return last[:at] + like[0].canonical + last[at + len(said) :] if said and at >= 0 else ""


def _find_open(request: UserRequest, last: str) -> tuple[str, tuple[str, ...]]:
    """Return the name in a question that may be several securities, and their codes; "" and none without one."""
    wanted = intent.read_intent(UserRequest(last, request.moment, request.speak))
    if wanted.kind != "doubtful" or not wanted.words or wanted.words not in last:
        return "", ()
    try:
        resolve_security(wanted.words)
    except AmbiguousName as exc:
        return wanted.words, exc.codes
    except IaError:
        return "", ()
    return "", ()
