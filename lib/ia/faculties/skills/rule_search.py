"""Rules on demand: those of tier 1 and red flags hold always, the others are found by a question.

The score is BM25 over the rules of one skill, in pairs of Chinese characters and in words, as the search index has
them. A skill has a hundred rules or so: they are scored where they are, without an index (a few milliseconds).
"""

import math
from collections import Counter
from collections.abc import Sequence

from ia.faculties.skills.conditions import RuleFinding, list_findings
from ia.kernel.errors import IaError
from ia.kernel.workspace import Workspace
from ia.organs.recall.terms import FUNCTION_CHARACTERS, parse_query

MOST = 8
"""Rules of tier 2 and 3, and patterns, that a question brings at most."""
_K1, _B = 1.2, 0.5


def list_always(ws: Workspace, name: str, lang: str | None = None) -> list[RuleFinding]:
    """Return what a skill always looks at: rules of tier 1 and red flags; nothing of a skill that cannot be read."""
    return [each for each in _list_all(ws, name, lang) if each.tier == 1]


def find_rules(
    ws: Workspace, name: str, question: str, lang: str | None = None, limit: int = MOST
) -> list[RuleFinding]:
    """Return the other rules and patterns of a skill that fit a question, best first, at most `limit`."""
    asked = _tokenize(question)
    if not asked:
        return []
    known = [each for each in _list_all(ws, name, lang) if each.tier > 1]
    texts = [Counter(_tokenize(f"{each.condition} {each.text}")) for each in known]
    if not texts:
        return []
    mean = sum(map(Counter.total, texts)) / len(texts)
    weight = {
        token: math.log(1 + (len(texts) - held + 0.5) / (held + 0.5))
        for token in set(asked)
        if (held := sum(token in text for text in texts))
    }
    scores = [_rate(text, weight, mean) for text in texts]
    order = sorted(range(len(known)), key=lambda at: -scores[at])
    return [known[at] for at in order[:limit] if scores[at] > 0]


def _list_all(ws: Workspace, name: str, lang: str | None) -> Sequence[RuleFinding]:
    try:
        return list_findings(ws, name, lang)
    except IaError:
        return ()


def _rate(text: Counter[str], weight: dict[str, float], mean: float) -> float:
    long = _K1 * (1 - _B + _B * text.total() / mean)
    return sum(each * text[token] * (_K1 + 1) / (text[token] + long) for token, each in weight.items())


def _tokenize(text: str) -> list[str]:
    """Return the telling tokens of a text; a plural counts as its singular."""
    return [
        token[:-1] if token.isascii() and len(token) > 3 and token.endswith("s") else token
        for token in parse_query(text).tokens
        if not FUNCTION_CHARACTERS.issuperset(token)
    ]
