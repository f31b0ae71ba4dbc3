"""Names of securities and industries in a table for a person: the English ones that are known, in English."""

from collections.abc import Sequence

from ia_cli.terminal.output import Row
from ia_cli.terminal.text import lang

_NAMES = ("name", "security")


def localize_names(rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows with the names that the reader knows; what has no English name keeps its own."""
    if lang() != "en" or not any(name in row for row in rows for name in (*_NAMES, "industry")):
        return rows
    from ia.domain.instruments.groups import group_name
    from ia.domain.instruments.symbols import english_names

    names = english_names()
    found = []
    for row in rows:
        change: Row = {}
        known = names.get(str(row.get("symbol")))
        column = "security" if "security" in row else "name"  # beside a security, a name is that of its alert
        if known and row.get(column):
            change[column] = known
        places = [name for name in ("industry", *(() if "symbol" in row else ("name",))) if row.get(name)]
        if any(not str(row[name]).isascii() for name in places):
            change |= {name: group_name(str(row[name]), "en") for name in places}
        found.append({**row, **change})
    return found
