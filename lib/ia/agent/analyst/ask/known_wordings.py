"""Known questions in the words of others: what no rule reads is compared with wordings that are known of each.

Every word that is not idle has to be one of the wordings of that question, or one of so many questions that it tells
none apart; every number, time and name has to have its place in it. Else nothing is read.
"""

import os
import re
from collections import Counter, defaultdict
from datetime import date
from functools import cache
from itertools import pairwise
from math import log, sqrt
from typing import NamedTuple

from ia.agent.analyst.ask import ideas, own_words
from ia.agent.analyst.ask.idea_words import in_language
from ia.agent.analyst.ask.mentions import LONGEST, find_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE, UNREAD, find_time_spans
from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern

_LEAST = 0.6
"""Cosine below which two wordings have too little in common to ask for the same."""
_AHEAD = 0.1
"""By how much the question that is read is ahead of every other one."""
_CORE = 0.7
"""Part of the wordings of a question from which on a word belongs to it: a text without it does not ask it."""
_HAN = pattern(r"[\u4e00-\u9fff]")
_TOKEN = pattern(r"\{\w+\}|[a-z]+(?:/[a-z]+)*|[\u4e00-\u9fff]|\d+")
_ENDING = pattern(r"(?<=[a-z]{3})(?:'s|s|ed|ing|ly)\Z")
_PLACE = pattern(r"\{(\w+)\}")
_BETWEEN_TWO = pattern(r"(\{whos\})(?:\W|and|or|vs|versus|against|with|和|与|跟|还是|或|比)*(?=\{whos\})", re.I)
_PERCENT = pattern(r"\d[\d,]*(?:\.\d+)?\s?(?:[%％]|per ?cent\b|percent\b)|百分之[一二三四五六七八九十\d]+", re.I)
_MONEY = pattern(
    r"[¥￥$]\s?\d[\d,]*(?:\.\d+)?[kw万千]?|\d[\d,]*(?:\.\d+)?\s?(?:[万千]?(?:元|块钱?|美元|美金|港[币元]|人民币)|[万千]"
    r"|k\b|(?:thousand |hundred )?(?:yuan|rmb|cny|dollars|usd|hkd|bucks)\b)",
    re.I,
)
_NUMBER = pattern(r"\d[\d,]*(?:\.\d+)?(?:\s?(?:shares\b|股))?", re.I)
_IT = pattern(r"\b(?:it|its|it's|they|their|them)\b|它的?", re.I)
_HARD = ("who", "whos", "index", "time", "number", "percent", "money", "clock")
"""What a question names that must have its place: nothing of it is passed over."""
_NOW = pattern(
    r"\A(?:today|(?:right )?now|currently|at present|at the moment|as of now|so far"
    r"|今[天日儿]|现在|目前|当前|眼下|截至(?:目前|今天))\Z",
    re.I,
)


class _Question(NamedTuple):
    """A known question: its form, its places, the words of all its wordings, and those that most of them have."""

    form: str
    places: frozenset[str]
    words: frozenset[str]
    core: frozenset[str]


class _Wordings(NamedTuple):
    """The wordings that are known in a language, and how rare each part of them is.

    parts   to each part the wordings that have it, with its weight there
    of      the question that each wording asks
    idle    words and signs that tell nothing of what is asked
    beside  those that may stand beside any question, though they tell some of them apart
    """

    questions: list[_Question]
    of: list[int]
    parts: dict[str, list[tuple[int, float]]]
    rarity: dict[str, float]
    idle: frozenset[str]
    beside: frozenset[str]


class _Named(NamedTuple):
    """What a text names: where it stands, what place of a question it takes, and how it is said there."""

    begin: int
    end: int
    place: str
    said: str


def find_wording(text: str, today: date, subject: str = "") -> str:
    """Return the known question that a text asks in other words; "" where that is not certain.

    subject  the security that was spoken of before, which a text that names none is about
    """
    ranked = rank_questions(text, today)
    if subject and not (ranked and ranked[0][0] >= _LEAST) and not find_mentions(text):
        text = _IT.sub(subject, text, count=1) if _IT.search(text) else f"{subject} {text}"
        ranked = rank_questions(text, today)
    if not ranked or ranked[0][0] < _LEAST or not ranked[0][2]:
        return ""
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _AHEAD:
        return ""
    return ranked[0][1]


def rank_questions(text: str, today: date, *, most: int = 3) -> list[tuple[float, str, bool]]:
    """Return the known questions nearest to a text: how near (0 to 1), the question, and if every word is one of it."""
    chinese = count_han(text) > 0
    named = _find_named(text, today) if len(text) <= LONGEST else None
    if named is None:
        return []
    known = _load_wordings(chinese)
    found = list[tuple[float, str, bool]]()
    for places in {question.places for question in known.questions}:
        chosen = _choose(named, places)
        if chosen is None:
            continue
        parts = _split(_mask(text, chosen), known.idle)
        words = frozenset(filter(_is_word, parts))
        for at, score in _compare(parts, known, places).items():
            question = known.questions[at]
            found.append(
                (
                    score,
                    _fill(question.form, chosen, chinese=chinese),
                    question.core <= words <= question.words | known.beside,
                )
            )
    return sorted(found, reverse=True)[:most]


def _compare(parts: Counter[str], known: _Wordings, places: frozenset[str]) -> dict[int, float]:
    """Return how near each question with these places is to the parts of a text."""
    weights = {part: known.rarity.get(part, log(1 + len(known.of))) for part in parts}
    length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    sums: dict[int, float] = defaultdict(float)
    for part, weight in weights.items():
        for at, other in known.parts.get(part, ()):
            sums[at] += weight * other / length
    best: dict[int, float] = {}
    for at, score in sums.items():
        question = known.of[at]
        if score > best.get(question, 0.25) and known.questions[question].places == places:
            best[question] = score
    return best


def _find_named(text: str, today: date) -> list[_Named] | None:
    """Return what a text names; None where it names a time that is not read."""
    found = list[_Named]()
    blank = text
    for each in find_mentions(text):
        if (at := blank.find(each.said)) < 0:
            return None
        place = "index" if each.symbol.kind == "index" else "who"
        found.append(_Named(at, at + len(each.said), place, each.said))
        blank = blank[:at] + " " * len(each.said) + blank[at + len(each.said) :]
    for span in find_time_spans(blank, today):
        if span.kind in (UNREAD, FUTURE):
            return None
        if span.kind != EVER:
            found.append(_Named(*span.at, "time", text[slice(*span.at)]))
            blank = blank[: span.at[0]] + " " * (span.at[1] - span.at[0]) + blank[span.at[1] :]
    found += [_Named(*each) for each in dict.fromkeys((*ideas.find_values(blank), *own_words.find_values(blank)))]
    for place, form in (("percent", _PERCENT), ("money", _MONEY), ("number", _NUMBER)):
        for match in form.finditer(blank):
            if not any(each.begin < match.end() and match.start() < each.end for each in found if each.place in _HARD):
                found.append(_Named(*match.span(), place, match[0].strip()))
    return found


def _choose(named: list[_Named], places: frozenset[str]) -> list[_Named] | None:
    """Return what takes the places of a question; None where one is left empty, or something has no place in it."""
    whos = [each for each in named if each.place in ("who", "index")]
    kinds, several = {each.place for each in whos}, len({each.said for each in whos}) > 1
    chosen = list[_Named]()
    if "whos" in places and several:
        chosen = [each._replace(place="whos") for each in whos]
    elif "who" in places and whos and not several:
        chosen = [each._replace(place="who") for each in whos]
    elif kinds and kinds <= places and len(whos) == len(kinds):
        chosen = whos
    elif whos:
        return None
    for place in ("time", "number", "percent", "money", "clock"):
        there = [each for each in named if each.place == place]
        if place == "time" and place not in places and all(_NOW.match(each.said.strip()) for each in there):
            continue
        if there and (place not in places or len({each.said.casefold() for each in there}) > 1):
            return None
        chosen += there
    for place in places - {each.place for each in chosen}:
        there = [
            each for each in named
            if each.place == place and not any(each.begin < other.end and other.begin < each.end for other in chosen)
        ]  # fmt: skip
        if place == "purse":
            there = [each._replace(place="purse") for each in named if each.place == "currency"]
        if len({each.said for each in there}) != 1:
            return None
        chosen += there
    return chosen if places <= {each.place for each in chosen} else None


def _mask(text: str, chosen: list[_Named]) -> str:
    for each in sorted(chosen, reverse=True):
        text = f"{text[: each.begin]} {{{each.place}}} {text[each.end :]}"
    return _BETWEEN_TWO.sub("", text)


def _fill(form: str, chosen: list[_Named], *, chinese: bool) -> str:
    """Return a known question with what is named in its places."""
    joint = "、" if chinese else " and "
    for place in set(_PLACE.findall(form)):
        said = dict.fromkeys(in_language(each.said, chinese=chinese) for each in sorted(chosen) if each.place == place)
        form = form.replace(f"{{{place}}}", joint.join(said))
    return re.sub(r" {2,}", " ", form).strip()


def _split(text: str, idle: frozenset[str]) -> Counter[str]:
    """Return what a text consists of: its words and pairs of them; of Chinese its signs and pairs of these."""
    told = [word for each in _TOKEN.findall(text.casefold()) if (word := _ENDING.sub("", each)) not in idle]
    pairs = [f"{one}{'' if _HAN.match(one + other) else ' '}{other}" for one, other in pairwise(told)]
    return Counter(told + pairs)


@cache
def _load_wordings(chinese: bool) -> _Wordings:
    """Return the wordings of a language, as they stand in the table."""
    name = os.path.join(os.path.dirname(__file__), f"wordings_{'zh' if chinese else 'en'}.txt")
    with open(name, encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    idle, beside = (
        frozenset(_ENDING.sub("", word) for line in lines if line.startswith(sign) for word in line[1:].split())
        for sign in "*+"
    )
    forms, of, splits = list[str](), list[int](), list[Counter[str]]()
    for line in lines:
        if line.startswith(("*", "+")):
            continue
        if not line.startswith("\t"):
            forms.append(line.strip())
        of.append(len(forms) - 1)
        splits.append(_split(line, idle))
    counts = Counter(part for each in splits for part in each)
    rarity = {part: log(1 + len(splits) / count) for part, count in counts.items()}
    parts: dict[str, list[tuple[int, float]]] = defaultdict(list)
    words: list[Counter[str]] = [Counter() for _ in forms]
    for at, each in enumerate(splits):
        length = sqrt(sum(rarity[part] ** 2 for part in each)) or 1.0
        words[of[at]].update(filter(_is_word, each))
        for part in each:
            parts[part].append((at, rarity[part] / length))
    sizes = Counter(of)
    questions = [
        _Question(
            form,
            frozenset(_PLACE.findall(form)),
            frozenset(words[at]),
            frozenset(word for word, count in words[at].items() if count >= max(_CORE * sizes[at], 2)),
        )
        for at, form in enumerate(forms)
    ]
    return _Wordings(questions, of, dict(parts), rarity, idle, beside)


def _is_word(part: str) -> bool:
    """Return True for a word or a Chinese sign, False for a pair of them."""
    return " " not in part and (len(part) == 1 or not _HAN.match(part))
