"""Technical conditions in a question for stocks: words become expressions of `ia compute`."""

import re
from typing import NamedTuple

from ia.agent.analyst.tables import SHIPPED, Entry, Tables


class Technical(NamedTuple):
    """A condition that a table knows: its words, its expression, what is shown of it, and label and name (zh, en).

    `{n}` in code, show, label and name is the number that the words name (group `n` or `n_en`).
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
        match = each.words.search(words)
        if match is None:
            continue
        number = next((value for key, value in match.groupdict().items() if value and key in ("n", "n_en")), "")
        if "{n}" in each.code and not (number.isdigit() and 0 < int(number) < 2000):
            continue
        words = f"{words[: match.start()]} {words[match.end() :]}"
        label, name = (
            (pair[0].replace("{n}", number), pair[1].replace("{n}", number)) for pair in (each.label, each.name)
        )
        found.append(
            AskedTechnical(
                code=each.code.replace("{n}", number),
                show=each.show.replace("{n}", number),
                unit=each.unit,
                label=label,
                name=name,
            )
        )
    return words, found


def _fill_number(pair: tuple[str, str], number: str) -> tuple[str, str]:
    return pair[0].replace("{n}", number), pair[1].replace("{n}", number)
