"""Questions by the ideas in them, about everything but the owner's money: the same ideas ask the same, in any order.

What the rules do not read is read here, word by word: every word has to be one of an idea or idle, and the ideas have
to be those of a known question. So nothing that might change the answer is passed over.
"""

import re
from datetime import date
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from ia.agent.analyst.ask.clock_words import CLOCK
from ia.agent.analyst.ask.idea_words import (
    MARK,
    blank_stretches,
    find_words,
    fold_case,
    in_language,
    is_within_word,
    load_table,
    measure_word,
    put_marks,
)
from ia.agent.analyst.ask.mentions import LONGEST, find_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE, UNREAD, find_time_spans
from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern

_IDLE, _SECURITY, _SEVERAL, _INDEX, _INDICES, _TIME, _NUMBER, _PERCENT = (
    "IDLE", "SECURITY", "SECURITY2", "INDEX", "INDEX2", "TIME", "NUMBER", "PERCENT",
)  # fmt: skip
_WEAK = frozenset(("STOCK", "LIST", "YET", "GROWS", "AMOUNT", "MYWORDS"))
"""Ideas that a question may always name."""
_NAMED = (_SECURITY, _SEVERAL, _INDEX, _INDICES)
"""Ideas that say of what is asked."""
_TOPICS = ("ALERT", "NOTE", "TASK", "TASKS", "STOP", "TARGET", "APPROVE")
"""Ideas of which a question goes on, whatever else was asked of them before."""
_ORDER, _THERE = "ORDER", "THERE"
"""Which of two comes first; whether what was waited for is so."""
_EITHER = {"W": (_SECURITY, _INDEX)}
"""Names in the table that stand for one of several ideas."""
_SLOTS = {
    _TIME: "time", _INDEX: "who", _SECURITY: "who", _SEVERAL: "whos", _INDICES: "whos", _NUMBER: "number",
    _PERCENT: "percent", "MARKET": "market", "INDUSTRY": "industry", "TASK": "task", "FIGURE": "figure",
    "INTO": "into", "TERM": "term", "NAMED_REPORT": "report", "COMING": "time", "BOARD": "board",
    "HOLIDAY": "holiday", "TOPN": "topn", "CLOCK": "clock",
}  # fmt: skip
"""Ideas with a value, and the place in a known question that it goes into."""
_BOUNDS = frozenset(
    ("ABOVE", "BELOW", "NUMBER", "PERCENT", "TIME", "EVER", "LAST", "FIRST", "WHEN", "COUNT", "LONG", "MORE",
     "LESS", "UP", "DOWN", "MAX", "MIN", "BEST", "WORST", "CHANGE", "HISTORY", "AVERAGE", "DAY", "THAN",
     "STILL", "REACH", "YET", "STOCK", "LIST", "FAR", "ALL", "TOTAL", "BY_PERCENT", "DEAR", "CHEAP", "DEARER",
     "CHEAPER", "ROW")
)  # fmt: skip
"""Ideas that say nothing of what is measured: it is what the question before was about."""
_DROPPABLE = (_NUMBER, _PERCENT)
"""Ideas whose value a known question may do without, where it allows them."""
_BETWEEN = pattern(r"[^\w\ufffc%％]+|_+")
_AMOUNT = pattern(r"\d(?:[\d,]*\d)?(?:\.\d+)?\s?(?:[%％]|股|shares?\b)?", re.I)
_YEARLONG = pattern(
    r"(?:in |over |of |for |the |past |last )*(?:(?:52|fifty-two)[- ]?weeks?|(?:12|twelve) months)"
    r"|(?:近|过去)?(?:52|五十二)周|近?一年",
    re.I,
)
"""The stretch of which highs and lows are told anyway."""
_TASK_DAY = pattern(
    r"每?(?:周|星期|礼拜)[一二三四五六日天](?=的?复盘)"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day(?=(?:'s)? review)",
    re.I,
)
"""A day that belongs to the name of a task, and is no time."""
_FROM_MONTH = pattern(r"\Afrom (?=[a-z]+\Z)", re.I)
_ONWARDS = pattern(r"\bfrom [a-z]+ (?:on|onwards?|to|till|until)\b", re.I)
_BARE = pattern(r"\A(\d+)[- ](day|week|month|year)s?\Z", re.I)
"""A stretch of time as it is said before something else: "20-day return"."""
_STRETCHES = {EVER: "EVER", FUTURE: "COMING"}
"""Kinds of stretches of time that are ideas of their own."""


class Ideas(NamedTuple):
    """The ideas of a question: the values of each that has one, and what kind each is of.

    crossed  whether securities and figures take turns: the RSI of one and the P/E of the other
    """

    values: dict[str, list[str]]
    kinds: dict[str, str]
    crossed: bool = True

    @property
    def names(self) -> set[str]:
        """The names of the ideas."""
        return set(self.values)


class _Word(NamedTuple):
    """A word of ideas: how it is written, what it means, and its value in English and Chinese."""

    form: str | re.Pattern[str]
    ideas: tuple[str, ...]
    kind: str
    value: str


class _Known(NamedTuple):
    """A question that is answered: of each set of `needed` one idea at least is named, of `allowed` any may be.

    first   goes before what the rules read, and is a question even where they read a wish
    """

    needed: tuple[frozenset[str], ...]
    allowed: frozenset[str]
    english: str
    chinese: str
    first: bool = False

    def fits(self, names: set[str]) -> bool:
        """Return True if a question with these ideas asks for it."""
        return names - _WEAK <= self.allowed and all(names & each for each in self.needed)


def read_question(words: str, today: date, *, first: bool = False) -> str:
    """Return the known question that a message asks by its ideas, in its language; "" where that is not certain.

    first  only those questions that go before what the rules read

    >>> day = date(2024, 3, 15)
    >>> read_question("52 week low for 600900 & how far above that are we", day)
    'how far is 600900 above its 52-week low'
    >>> read_question("is my Moutai alert above or below, and at what price?", day)
    'what alerts do I have on Moutai'
    >>> read_question("is my Moutai alert any use", day)
    ''
    """
    found = find_ideas(words, today)
    return ask_known(found, chinese=count_han(words) > 0, first=first) if found is not None else ""


def continue_question(words: str, before: str, today: date) -> str:
    """Return the known question that a message asks with the ideas of the one before it; "" for none.

    Of its securities it asks something else, or what is of the same kind as an idea of that question takes its place.

    >>> continue_question("weekly instead", "RSI on CATL", date(2024, 3, 15))
    'weekly RSI of CATL'
    """
    new, old = find_ideas(words, today), find_ideas(before, today)
    if new is None or old is None:
        return ""
    chinese = count_han(words) > 0
    about = {name: said for name, said in old.values.items() if name in (_SECURITY, _INDEX) and not _names_who(new)}
    open_ = "FIGURE" in old.values and new.names <= _BOUNDS  # "was it ever under 30" behind the RSI
    if about and not open_ and (known := ask_known(Ideas({**about, **new.values}, new.kinds), chinese=chinese)):
        return known
    topic = {name: said for name, said in old.values.items() if name in _TOPICS and name not in new.values}
    if about and topic and (known := ask_known(Ideas({**about, **topic, **new.values}, new.kinds), chinese=chinese)):
        return known
    taken = {kind for kind in new.kinds.values() if kind}
    kept = {name: said for name, said in old.values.items() if old.kinds.get(name) not in taken}
    if _names_who(new):
        kept = {name: said for name, said in kept.items() if name not in _NAMED}
    if known := ask_known(Ideas({**kept, **new.values}, {**old.kinds, **new.kinds}), chinese=chinese):
        return known
    if known := ask_known(Ideas(_turn_list(kept, new.values), {}), chinese=chinese):
        return known
    if not topic or (_names_who(old) and "HOWTO" not in new.values) or new.names <= _BOUNDS:
        return ""
    return ask_known(Ideas({**topic, **new.values}, new.kinds), chinese=chinese)


def continue_topic(words: str, before: str, today: date) -> str:
    """Return the known question behind one of a task, an alert or a level, before the rules read it; "" for none.

    That is which of two tasks runs first, and how far the price is from what it waits for.

    >>> day = date(2024, 3, 15)
    >>> continue_topic("is the monthly one before that", "when does the weekly review run", day)
    'next runs of the tasks monthly review and weekly review'
    >>> continue_topic("and how far below is the price now", "what alerts do I have on Moutai", day)
    'how far is Moutai from my alert'
    """
    new, old = find_ideas(words, today), find_ideas(before, today)
    if new is None or old is None:
        return ""
    tasks = {*old.values.get("TASK", ()), *new.values.get("TASK", ())}
    if _ORDER in new.values and len(tasks) > 1:
        return ask_known(Ideas({"TASK": sorted(tasks), _ORDER: []}, new.kinds), chinese=count_han(words) > 0)
    if _THERE in new.values and not _names_who(new):  # "is the price there yet" behind a price that was noted
        both = Ideas({**old.values, **new.values}, {**old.kinds, **new.kinds})
        return ask_known(both, chinese=count_han(words) > 0)
    about = {name: said for name, said in old.values.items() if name in (_SECURITY, "ALERT")}
    if len(about) < 2 or "FAR" not in new.values or not new.names <= _DISTANCE:
        return ""
    return ask_known(Ideas({**about, **new.values}, new.kinds), chinese=count_han(words) > 0)


_DISTANCE = frozenset(("FAR", "BELOW", "ABOVE", "PRICE", "BY_PERCENT", "STILL"))
"""Ideas of a question how far a price is from what was spoken of."""


def _turn_list(old: dict[str, list[str]], new: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the ideas of a list of the largest rises that goes on with the worst, or the other way round."""
    sides = {"WORST": "DOWN", "BEST": "UP"}
    turned = next((side for best, side in sides.items() if best in new), "")
    if not turned or not {"UP", "DOWN"} & set(old):
        return {}
    kept = {name: said for name, said in {**old, **new}.items() if name not in ("UP", "DOWN", *sides)}
    return {**kept, turned: [], "MAX": []}


_SCOPES = ("INDUSTRY", "WATCHED", "HOLD", "BOARD")
"""Ideas that say of which group a list is."""
_LISTS = frozenset(("LIST", "MAX", "MIN", "RANK", "CHEAPEST", "DEAREST", "BEST", "WORST"))
_PLAIN = frozenset((*_SCOPES, *_LISTS, "ME", "STOCK", "COUNT", "FIGURE", "GROWS", "AMOUNT"))
"""Ideas of a list that bound it by nothing but its group."""
_OF_DAY = frozenset(("STOCK", "SECTOR", "TIME", "CHANGE", "HAPPEN"))
"""Ideas of a question how an industry did."""
_OF_SECTORS = frozenset(
    ("SECTOR", "UP", "DOWN", "MAX", "MIN", "BEST", "WORST", "TIME", "LIST", "RANK", "CHANGE", "MARKET")
)
"""Ideas of a list of industries by their moves."""
_TURNED = frozenset(("UP", "DOWN", "MAX", "TIME", "LIST", "CHANGE"))
"""Ideas of a message that turns such a list round: "and which fell most"."""
_RANKS = frozenset(
    ("FIGURE", "MAX", "MIN", "BEST", "WORST", "CHEAPEST", "DEAREST", "UP", "DOWN", "CHANGE", "RANK", "TIME", "STOCK",
     "LIST", "AMOUNT", "GROWS", "NUMBER")
)  # fmt: skip

_INSIDE = pattern(r"里[面头边]|其中|\b(?:inside|(?:in|of) (?:it|them|there|that one))\b", re.I)


def rank_group(words: str, before: str, today: date) -> str:
    """Return the known question for a ranking in the group whose list the question before asked for; "" for none.

    >>> day = date(2024, 3, 15)
    >>> rank_group("市值最大的是哪只", "白酒股有哪些", day), rank_group("市值最大的是哪只", "茅台市值", day)
    ('白酒里市值最高的是哪只', '')
    """
    new, old = find_ideas(words, today), find_ideas(before, today)
    if new is None or old is None or _names_who(old) or _names_who(new):
        return ""
    if _INSIDE.search(words):
        return ""  # which of its shares
    if "SECTOR" in old.values and old.names <= _OF_SECTORS and new.names <= _TURNED and new.names & {"UP", "DOWN"}:
        when = {"TIME": old.values["TIME"]} if "TIME" in old.values else {}
        both = {"SECTOR": [], "MAX": [], **when, **new.values}
        return ask_known(Ideas(both, new.kinds), chinese=count_han(words) > 0)
    watched = "WATCHED" in old.values
    ranks = new.names <= _RANKS and new.names & {"MAX", "MIN", "BEST", "WORST", "CHEAPEST", "DEAREST", "RANK"}
    group = {name: said for name, said in old.values.items() if name in _SCOPES or (name == "ME" and not watched)}
    of_day = old.names - _OF_DAY == {"INDUSTRY"}
    listed = of_day or ((old.names & _LISTS or watched) and old.names <= _PLAIN)
    if not ranks or not (set(group) & set(_SCOPES)) or not listed:
        return ""
    if of_day and "TIME" in old.values and "TIME" not in new.values and new.names & {"UP", "DOWN", "CHANGE"}:
        group["TIME"] = old.values["TIME"]
    return ask_known(Ideas({**group, **new.values}, new.kinds), chinese=count_han(words) > 0)


def _names_who(ideas: Ideas) -> bool:
    return any(name in ideas.values for name in _NAMED)


def ask_known(ideas: Ideas, *, chinese: bool, first: bool = False) -> str:
    """Return the known question with these ideas, with what is named; "" where none has them, or one is left out."""
    fitting = (known for known in _load_known() if known.fits(ideas.names))
    known = max(fitting, key=lambda each: (len(each.needed), each.first), default=None)
    if known is None or known.first < first:
        return ""
    return _fill(known.chinese if chinese else known.english, ideas, known, chinese=chinese)


def _fill(form: str, ideas: Ideas, known: _Known, *, chinese: bool) -> str:
    """Return a known question with what is named; "" where something named has no place in it, or two have one."""
    joint = "、" if chinese else " and "
    for name, slot in _SLOTS.items():
        said = list(dict.fromkeys(ideas.values.get(name, ())))
        if not said:
            continue
        place = f"{{{slot}}}"
        if place not in form:
            if name in _DROPPABLE and name in known.allowed:
                continue
            return ""
        crossed = name == "FIGURE" and _SEVERAL in ideas.values and ideas.crossed
        if len(said) > 1 and (name not in (_SEVERAL, _INDICES, "FIGURE", "TASK", "INDUSTRY") or crossed):
            return ""
        form = form.replace(place, joint.join(in_language(each, chinese=chinese) for each in said))
    return re.sub(r" {2,}", " ", re.sub(r"\{\w+\}", "", form)).strip()


def find_ideas(words: str, today: date) -> Ideas | None:
    """Return the ideas of a text; None where a word is none of them."""
    if len(words) > LONGEST or MARK in words:
        return None
    marked = _mark_named(words, today)
    if marked is None:
        return None
    text, named = marked
    low = fold_case(text)
    values: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    order: list[str] = []
    at = 0
    while at < len(low):
        if low[at] == MARK:
            name, said = named.pop(0)
            values.setdefault(name, []).append(said)
            order.append(name)
            at += 1
            continue
        word, size = _find_word(low, at)
        amount = _AMOUNT.match(low, at)
        if amount and len(amount[0]) > size and not is_within_word(low, at):
            name = _PERCENT if amount[0][-1] in "%％" else _NUMBER
            values.setdefault(name, []).append(amount[0].strip())
            at += len(amount[0])
        elif word is not None:
            order += word.ideas
            for name in word.ideas:
                values.setdefault(name, []).extend([word.value] if word.value else [])
                kinds[name] = word.kind
            for _ in range(low.count(MARK, at, at + size)):  # what is named within the word: "what does BYD cost"
                name, said = named.pop(0)
                values.setdefault(name, []).append(said)
            at += size
        elif gap := _BETWEEN.match(low, at):
            at += len(gap[0])
        else:
            return None
    if "NOTE" in values and not _ONWARDS.search(words):  # a note from February was written in it
        values.update({_TIME: [_FROM_MONTH.sub("in ", said) for said in values[_TIME]]} if _TIME in values else {})
    values.pop(_IDLE, None)
    kinds.pop(_IDLE, None)
    for name, several in ((_SECURITY, _SEVERAL), (_INDEX, _INDICES)):
        if len(set(values.get(name, ()))) > 1:
            values[several] = values.pop(name)
    turns = [name for name, _ in groupby(each for each in order if each in (_SECURITY, "FIGURE"))]
    return Ideas(values, kinds, crossed=len(turns) > 2)


def find_named_ideas(text: str) -> set[str]:
    """Return the ideas that the words of a text may stand for, whatever else it says.

    >>> sorted(find_named_ideas("he hates stamp duty, and so on"))
    ['STAMP']
    """
    low, at, found = fold_case(text), 0, set[str]()
    while at < len(low):
        word, size = _find_word(low, at)
        found.update(word.ideas if word is not None else ())
        at += max(size, 1)
    return found - {_IDLE}


def _mark_named(words: str, today: date) -> tuple[str, list[tuple[str, str]]] | None:
    """Return a text with marks for its securities and times, and what each stands for; None for a time not read."""
    found = []
    for each in find_mentions(words):
        if (at := words.find(each.said)) < 0:
            return None
        found.append((at, at + len(each.said), _INDEX if each.symbol.kind == "index" else _SECURITY))
    found += [(*each.span(), "CLOCK") for each in CLOCK.finditer(blank_stretches(words, found))]
    days = [(*each.span(), "") for each in _TASK_DAY.finditer(words)]
    for span in find_time_spans(blank_stretches(words, [*found, *days]), today):
        begin, end = span.at
        if words[end - 1].isascii() and is_within_word(fold_case(words), end + 1) and end < len(words):
            continue  # "last quarter" of "the last quarterly report"
        if span.kind == UNREAD:
            return None
        found.append(
            (begin, end, _STRETCHES.get(span.kind) or ("YEARLONG" if _YEARLONG.fullmatch(span.said) else _TIME))
        )
    text, named = put_marks(words, found)
    return text, [(name, _BARE.sub(r"over the last \1 \2s", said)) for name, said in named]


def _find_word(text: str, at: int) -> tuple[_Word | None, int]:
    """Return the longest word of an idea at a place of a text, and how long it is there."""
    best, size = None, 0
    for word in (*_find_words(text[at]), *_find_words("")):
        long = measure_word(word.form, text, at)
        if long > size:
            best, size = word, long
    return best, size


@cache
def _find_words(sign: str) -> list[_Word]:
    """Return the words of all ideas that begin with a sign; for "" those that begin with no sign alone."""
    found = []
    for head, form in find_words("ideas.tsv", sign):
        names, _, value = head.partition("=")
        names, _, kind = names.partition("@")
        found.append(_Word(form, tuple(names.split("+")), kind or names, value))
    return found


@cache
def _load_known() -> list[_Known]:
    """Return the questions that are answered, in their order.

    `A|B` needs one of both, `A?` may be named; `!` goes before what the rules read.
    """
    return [_Known(*each) for each in load_table("idea_questions.tsv", _read_known)]


def _read_known(rows: list[list[str]]) -> list[tuple[Any, ...]]:
    found = []
    for terms, english, chinese in rows:
        parts = [(part.removesuffix("?"), part.endswith("?")) for part in terms.removeprefix("!").split()]
        sets = [(frozenset(_resolve(part)), maybe) for part, maybe in parts]
        found.append(
            (
                tuple(names for names, maybe in sets if not maybe),
                frozenset(name for names, _ in sets for name in names),
                english,
                chinese,
                terms.startswith("!"),
            )
        )
    return found


def _resolve(part: str) -> list[str]:
    """Return the ideas that a part of a row names: "A|B"."""
    return [name for each in part.split("|") for name in _EITHER.get(each, (each,))]
