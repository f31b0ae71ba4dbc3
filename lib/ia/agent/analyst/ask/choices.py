"""The answer to a question back: "the second one", or the code of one of the securities that were offered."""

from ia.agent.analyst.ask import intent
from ia.agent.analyst.ask.follow_on import read_ordinal
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.request import UserRequest
from ia.domain.instruments.symbols import AmbiguousName, resolve_security
from ia.kernel.errors import IaError

LONGEST = 30
"""Characters of a message that is but a choice."""


def read_choice(request: UserRequest) -> str:
    """Return the question before with the security that this message chooses; "" where it chooses none."""
    text = request.question
    if not request.before or len(text) > LONGEST:
        return ""
    named, place = find_mentions(text), read_ordinal(text)
    if place is None and (len(named) != 1 or text.strip(" .。!！?？") != named[0].said):
        return ""
    last = request.before[-1]
    said, codes = _find_open(request, last)
    if place is not None:
        return last.replace(said, codes[place], 1) if place < len(codes) else ""
    return last.replace(said, named[0].code, 1) if named[0].code in codes else ""


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
