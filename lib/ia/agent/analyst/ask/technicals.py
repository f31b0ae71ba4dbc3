"""Technical conditions in a question for stocks: words become expressions of `ia compute`."""

import re
from typing import NamedTuple

from ia.agent.analyst.tables import SHIPPED, Entry, Tables
from ia.domain.speech.numerals import parse_count


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


def technicals_at(tables: Tables = SHIPPED) -> list[Technical]:
    """Return the technical conditions at hand, those of the skill scan."""
    return tables.build("scan", "technicals", lambda table: table.entries("entries", _build_entry))


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
    found = []
    for each in technicals_at(tables):
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
    return words, found


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
