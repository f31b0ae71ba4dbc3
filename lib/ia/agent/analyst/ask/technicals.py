"""Technical conditions in a question for stocks: words become expressions of `ia compute`."""

import re
from functools import cache
from typing import NamedTuple

from ia.agent.analyst.ask.idea_words import load_rows
from ia.agent.analyst.tables import SHIPPED, Entry, Tables
from ia.domain.speech.numerals import parse_count
from ia.kernel.patterns import pattern


class Technical(NamedTuple):
    """A condition that a table knows: its words, its expression, what is shown of it, and label and name (zh, en).

    `{n}` and `{m}` in code, show, label and name are numbers of the words: groups `n`, `m`, or `n_en`, `m_en`.
    """

    words: re.Pattern[str]
    code: str
    show: str
    unit: str
    label: tuple[str, str]
    name: tuple[str, str]


class AskedTechnical(NamedTuple):
    """A condition that a question names: its expression, what is shown of it with unit and label, and its name."""

    code: str
    show: str
    unit: str
    label: tuple[str, str]
    name: tuple[str, str]


class Ranked(NamedTuple):
    """What stocks can be ranked by: its words, its expression, unit and name (zh, en).

    near    what the nearest to it is, HIGHEST or LOWEST; "" where nothing is near to it
    """

    words: re.Pattern[str]
    code: str
    unit: str
    name: tuple[str, str]
    near: str


class MoreTechnicals(NamedTuple):
    """The second table of technical conditions, and what stocks can be ranked by."""

    conditions: list[Technical]
    ranks: list[Ranked]


class AskedRank(NamedTuple):
    """What a question ranks by: its expression, unit and name, and whether the highest are asked for."""

    code: str
    unit: str
    name: tuple[str, str]
    highest: bool


HIGHEST, LOWEST = "highest", "lowest"
_HIGH = pattern(r"最[高大强多猛]的?|\b(?:highest|largest|biggest|greatest|most|strongest|top)\b", re.I)
_LOW = pattern(r"最[低小弱少稳]的?|\b(?:lowest|smallest|least|weakest|calmest|steadiest)\b", re.I)
_NEAR = pattern(r"最[近接]近?的?|\b(?:closest|nearest)(?: to)?\b", re.I)
_FAR = pattern(r"最远的?|\b(?:furthest|farthest)(?: (?:away|from|off))*\b", re.I)
_ORDERED = pattern(
    r"(?:按照?|根据)?(?:从高到低)?(?:排名|排序|排行|排列)|按(?=\s)"
    r"|\b(?:rank(?:ed)?|sort(?:ed)?|order(?:ed)?)\b(?: by)?",
    re.I,
)


def technicals_at(tables: Tables = SHIPPED) -> list[Technical]:
    """Return the technical conditions at hand, those of the skill scan."""
    return tables.build("scan", "technicals", lambda table: table.entries("entries", _build_entry))


def more_technicals_at(tables: Tables = SHIPPED) -> MoreTechnicals:
    """Return the second table: further conditions, and what stocks can be ranked by."""
    return tables.build(
        "scan",
        "technicals_more",
        lambda table: MoreTechnicals(table.entries("entries", _build_entry), table.entries("ranks", _build_ranked)),
    )


def take_rank(words: str, tables: Tables = SHIPPED, *, near: bool = False) -> tuple[str, AskedRank | None]:
    """Return a question for the stocks with the most or the least of an indicator without it, and what ranks them.

    near  whether it must ask what is nearest to something, or furthest from it

    >>> rest, found = take_rank("RSI最低的五只银行股")
    >>> rest.split(), found.code, found.highest
    (['五只银行股'], 'rsi(close, 14)', False)
    """
    for each in more_technicals_at(tables).ranks:
        match = each.words.search(words)
        if match is None:
            continue
        numbers, rest = _read_numbers(match), f"{words[: match.start()]} {words[match.end() :]}"
        turned = each.near == LOWEST
        ways = [(_NEAR, not turned), (_FAR, turned)] if each.near else []
        ways += [] if near else [(_LOW, False), (_HIGH, True), (_ORDERED, not turned)]
        for form, highest in ways:
            if numbers is not None and form.search(rest):
                name = (_fill_numbers(each.name[0], numbers), _fill_numbers(each.name[1], numbers))
                return form.sub(" ", rest), AskedRank(_fill_numbers(each.code, numbers), each.unit, name, highest)
    return words, None


def take_indicators(words: str, tables: Tables = SHIPPED) -> tuple[str, list[AskedTechnical], AskedRank | None]:
    """Return a question for stocks without the technical conditions or the order by an indicator, and these.

    >>> take_indicators("stocks closest to their 52-week high")[2].highest
    True
    """
    rest, rank = take_rank(words, tables, near=True)
    if rank:
        return rest, [], rank
    rest, found = take_technicals(words, tables)
    if found:
        return rest, found, None
    rest, rank = take_rank(words, tables)
    return rest, [], rank


def _build_ranked(entry: Entry) -> Ranked:
    return Ranked(
        words=entry.pattern("words"),
        code=entry.text("code"),
        unit=entry.text("unit", "points"),
        name=entry.pair("name", needed=True),
        near=entry.text("near", ""),
    )


@cache
def _load_rewordings() -> list[tuple[re.Pattern[str], str]]:
    """Return the ways of naming a condition, and the words that the tables know."""
    return [(pattern(form, re.I), word) for form, word in load_rows("technical_words.tsv")]


def _build_entry(entry: Entry) -> Technical:
    return Technical(
        words=entry.pattern("words"),
        code=entry.text("code"),
        show=entry.text("show"),
        unit=entry.text("unit", "points"),
        label=entry.pair("label"),
        name=entry.pair("name", needed=True),
    )


def take_technicals(words: str, tables: Tables = SHIPPED) -> tuple[str, list[AskedTechnical]]:
    """Return a question without the technical conditions that it names, and those in the order of the table.

    >>> rest, found = take_technicals("RSI低于35且站上200日线的银行股")
    >>> [each.code for each in found], rest.split()
    (['rsi(close, 14) < 35', 'close > sma(close, 200)'], ['且', '银行股'])
    """
    found, said = list[AskedTechnical](), words
    for form, word in _load_rewordings():
        words = form.sub(word, words)
    for each in (*more_technicals_at(tables).conditions, *technicals_at(tables)):
        while (match := each.words.search(words)) and match[0].strip():
            numbers = _read_numbers(match)
            if numbers is None:
                break
            words = f"{words[: match.start()]} {words[match.end() :]}"
            found.append(
                AskedTechnical(
                    code=_fill_numbers(each.code, numbers),
                    show=_fill_numbers(each.show, numbers),
                    unit=each.unit,
                    label=(_fill_numbers(each.label[0], numbers), _fill_numbers(each.label[1], numbers)),
                    name=(_fill_numbers(each.name[0], numbers), _fill_numbers(each.name[1], numbers)),
                )
            )
    return (words, found) if found else (said, found)


def _read_numbers(match: re.Match[str]) -> dict[str, str] | None:
    """Return the numbers that a condition names, by `n` and `m`; None where one is out of reach."""
    numbers: dict[str, str] = {}
    for key, said in match.groupdict().items():
        value = parse_count(said.casefold()) if said else None
        if said and (value is None or value != int(value) or not 0 < value < _MOST):
            return None
        if value is not None:
            numbers[key.removesuffix("_en")] = str(int(value))
    return numbers if "n" in numbers or "m" not in numbers else {"n": numbers["m"]}


def _fill_numbers(text: str, numbers: dict[str, str]) -> str:
    for key, value in numbers.items():
        text = text.replace(f"{{{key}}}", value)
    return text


_MOST = 2000
"""A number of days or per cent that no condition has."""
