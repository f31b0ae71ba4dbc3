"""Questions near one that was not understood: they are offered instead of an answer."""

import os
import re
from collections import Counter
from functools import cache
from math import log, sqrt
from typing import NamedTuple

from ia.agent.analyst.ask.follow_on import find_subject
from ia.agent.analyst.ask.mentions import LONGEST, find_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.request import UserRequest
from ia.kernel.patterns import pattern

MOST = 3
"""Questions that are offered at most."""
_LEAST = 0.3
"""Cosine below which two questions have too little in common."""
_ALIKE = 0.6
"""Cosine above which two questions ask for the same: one of them is offered."""
_UNKNOWN = 1.5
"""Weight of what no known question has; a part of one question in a hundred has 4.6."""
_SLOT = "{}"
_IDLE = frozenset(
    ("的", "了", "吗", "是", "a", "an", "the", "of", "on", "in", "at", "to", "for", "with", "by", "from", "and", "or",
     "so", "far", "do", "does", "did", "is", "are", "was", "were", "be", "been", "it", "its", "that", "this", "these",
     "those", "you", "your", "me", "s", "what", "then", "now", "tell", "show", "give")
)  # fmt: skip
"""Words that tell nothing of what a question is about."""
_HAN = pattern(r"[\u4e00-\u9fff]+")
_WORD = pattern(r"[a-z]+(?:/[a-z])?")
_ENDING = pattern(r"(?<=[a-z]{3})(?:'s|s|ed|ing|ly)\Z")


class _Known(NamedTuple):
    """A question that can be answered, with a slot for each security, and the weights of what it consists of."""

    text: str
    slots: int
    weights: dict[str, float]


def find_offered(request: UserRequest, unread: str) -> list[str]:
    """Return the questions near to an unread one of a request that can be answered; [] where none is."""
    if not request.is_words_only or request.sections or (request.skills and "research" not in dict(request.skills)):
        return []
    named = find_mentions(unread) or find_subject(request.before, request.moment.date())
    return find_near_questions(unread, [each.said for each in named if each.symbol.kind != "index"][:2])


def find_near_questions(text: str, names: list[str]) -> list[str]:
    """Return the questions near to a text that can be answered, the nearest first; [] where none is near.

    names  how the securities that it is about are called; they take the places of those in the known questions

    >>> find_near_questions("how much cash is there tonight", [])[0]
    'How much cash do I have?'
    """
    plain = text[:LONGEST]
    for name in names:
        plain = plain.replace(name, " ")
    known, rarity = _load_known(bool(_HAN.search(plain)))
    asked = _weigh(_split(f"{plain} {simplify_question(plain)}"), rarity)
    scored = [
        (_compare(asked, each.weights) * (1 if each.slots == len(names) else 0.6), each)
        for each in known
        if each.slots <= len(names)
    ]
    chosen: list[_Known] = []
    for score, each in sorted(scored, key=lambda pair: -pair[0]):
        if score < _LEAST or len(chosen) == MOST:
            break
        if all(_compare(each.weights, other.weights) < _ALIKE for other in chosen):
            chosen.append(each)
    return [_fill(each.text, names) for each in chosen]


_SAYS_NOTHING = frozenset(
    ("a", "an", "the", "there", "please", "any", "me", "is", "are", "was", "were", "be", "been", "do", "does", "did",
     "has", "have", "s", "tell", "show", "give", "just", "it", "its", "of", "on", "in", "for", "with", "by", "and",
     "so", "what", "that", "this", "between", "then", "now", "currently", "exactly", "right", "total")
)  # fmt: skip
_OWNER = frozenset(("i", "my", "mine", "we", "our"))
_SAYS_NOTHING_HAN = pattern(r"[的了吗呢啊吧呀么嘛是在]|现在|目前|请问|一下|到底|究竟|一共|总共|[^\w#]")


def find_same(text: str) -> str:
    """Return the known question that has the words of a text in their order, but for idle ones; "" for none.

    >>> find_same("correlation between my BYD and my CATL"), find_same("correlation of BYD and CATL since June")
    ('Correlation of BYD and CATL', '')
    """
    names = [each.said for each in find_mentions(text) if each.symbol.kind != "index"]
    asked = _list_words(blank_names(text))
    return _fill(same, names) if asked and (same := _load_lists().get(asked, "")) else ""


def _list_words(text: str) -> tuple[str, ...]:
    """Return what a question with slots consists of, in its order, without what says nothing."""
    low = text.casefold().replace(_SLOT, " # ")
    if _HAN.search(low):
        return tuple(_SAYS_NOTHING_HAN.sub("", low))
    words = [_ENDING.sub("", each) for each in re.findall(r"[a-z]+(?:/[a-z])?|[#\d.,%<>+-]+", low)]
    told = ["my" if each in _OWNER else each for each in words if each not in _SAYS_NOTHING]
    return tuple(each for at, each in enumerate(told) if not (each == "my" and tuple(told[at + 1 : at + 2]) == ("#",)))


@cache
def _load_lists() -> dict[tuple[str, ...], str]:
    """Return the known questions by what they consist of."""
    known = [each for chinese in (False, True) for each in _load_known(chinese)[0]]
    return {_list_words(each.text): each.text for each in reversed(known)}


def blank_names(question: str) -> str:
    """Return a question with a slot for each security that it names, as known questions are stored.

    >>> blank_names("Which is cheaper, Moutai or Wuliangye?")
    'Which is cheaper, {} or {}?'
    """
    for each in find_mentions(question):
        if each.symbol.kind != "index":
            question = question.replace(each.said, _SLOT, 1)
    return question


def _fill(text: str, names: list[str]) -> str:
    for name in names:
        text = text.replace(_SLOT, name, 1)
    return text[:1].upper() + text[1:]


def _split(text: str) -> set[str]:
    """Return what a text consists of: the stems of its Latin words, its Chinese characters, and pairs of these."""
    low = text.casefold()
    words = {_ENDING.sub("", word) for word in _WORD.findall(low)}
    pairs = {run[at : at + size] for run in _HAN.findall(low) for size in (1, 2) for at in range(len(run) - size + 1)}
    return words - _IDLE | pairs


def _weigh(parts: set[str], rarity: dict[str, float]) -> dict[str, float]:
    """Return the parts of a text with weights, the sum of whose squares is 1; the unknown count little."""
    weights = {part: rarity.get(part, _UNKNOWN) for part in parts}
    length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {part: weight / length for part, weight in weights.items()}


def _compare(one: dict[str, float], other: dict[str, float]) -> float:
    """Return the cosine between two texts."""
    return sum(weight * other[part] for part, weight in one.items() if part in other)


@cache
def _load_known(chinese: bool) -> tuple[list[_Known], dict[str, float]]:
    """Return the known questions in one of the languages, and how rare each part of them is."""
    with open(os.path.join(os.path.dirname(__file__), "near_questions.tsv"), encoding="utf-8") as file:
        texts = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    texts = [text for text in texts if bool(_HAN.search(text)) == chinese]
    parts = [_split(text) for text in texts]
    counts = Counter(part for each in parts for part in each)
    rarity = {part: log(1 + len(texts) / count) for part, count in counts.items()}
    return [
        _Known(text, text.count(_SLOT), _weigh(each, rarity)) for text, each in zip(texts, parts, strict=True)
    ], rarity
