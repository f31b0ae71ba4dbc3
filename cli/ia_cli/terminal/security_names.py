"""Names of securities, industries and concepts in lists for a reader: the English ones that are known, in English."""

from collections.abc import Sequence
from typing import Any

from ia_cli.terminal.text import lang

_NAMES = {"name": "symbol", "security": "symbol", "leader_name": "leader"}
"""Column of names -> that of the codes of the securities."""
_GROUPS = ("industry", "concepts")


def localize_names(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return rows with the names that the reader knows; what has no English name keeps its own."""
    if lang() != "en" or not any(column in row for row in rows for column in (*_NAMES, *_GROUPS)):
        return rows
    from ia.domain.instruments.symbols import security_name

    found = []
    for row in rows:
        change = {
            column: security_name(str(row[code]), row[column], "en")
            for column, code in _NAMES.items()
            if row.get(column) and row.get(code) and not ("security" in row and column == "name")  # that of its alert
        }
        places = (*_GROUPS, *(() if "symbol" in row else ("name",)))
        change |= {place: localize_groups(row[place]) for place in places if isinstance(row.get(place), str)}
        found.append({**row, **change})
    return found


def localize_groups(names: str) -> str:
    """Return an industry, or concepts with semicolons between them, as the reader knows them."""
    if names.isascii():
        return names
    from ia.domain.instruments.groups import group_name

    return ";".join(group_name(name, lang()) for name in names.split(";"))


def localize_text(text: str) -> str:
    """Return a text with the names that follow codes in the language of the reader."""
    from ia.domain.instruments.symbols import translate_names

    return translate_names(text, lang())
