"""Industries and concepts: their English names, by those that data sources give them."""

import os
from functools import cache


@cache
def english_groups() -> dict[str, str]:
    """Return the English names of industries and concepts by the names of the sources, of those that have one."""
    with open(os.path.join(os.path.dirname(__file__), "groups.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").partition("\t") for line in file]
    return {name: english for name, _, english in rows[1:]}


def group_name(name: str, lang: str) -> str:
    """Return an industry or a concept as a reader knows it: in English by its English name, where one is known.

    >>> group_name("白酒", "en"), group_name("白酒", "zh"), group_name("新概念", "en")
    ('liquor', '白酒', '新概念')
    """
    return english_groups().get(name, name) if lang == "en" else name


def source_groups(name: str, *, part: bool = False) -> list[str]:
    """Return the names that sources give to the groups of an English name, whatever its case and number.

    part    whether the English name need only contain the text

    >>> source_groups("Bank"), source_groups("liquor"), source_groups("银行"), source_groups("semi", part=True)
    (['银行'], ['白酒'], [], ['半导体'])
    """
    wanted = " ".join(name.casefold().split())
    if not wanted.isascii() or not wanted:
        return []
    if part:
        return [source for source, english in english_groups().items() if wanted in english.casefold()]
    return [
        source
        for source, english in english_groups().items()
        if wanted in (english.casefold(), english.casefold().removesuffix("s"))
    ]
