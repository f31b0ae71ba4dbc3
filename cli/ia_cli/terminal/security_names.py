"""Names of securities and industries in a table for a person: the English ones that are known, in English."""

from collections.abc import Mapping, Sequence

from ia_cli.terminal.output import Row
from ia_cli.terminal.text import lang

_NAMES = ("name", "security")


def localize_names(rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows with the names that the reader knows; what has no English name keeps its own."""
    if lang() != "en" or not any(name in row for row in rows for name in (*_NAMES, "industry")):
        return rows
    from ia.domain.instruments.symbols import english_names

    names = english_names()
    industries: Mapping[str, str] | None = None
    found = []
    for row in rows:
        change: Row = {}
        known = names.get(str(row.get("symbol")))
        column = "security" if "security" in row else "name"  # beside a security, a name is that of its alert
        if known and row.get(column):
            change[column] = known
        places = [name for name in ("industry", *(() if "symbol" in row else ("name",))) if row.get(name)]
        if any(not str(row[name]).isascii() for name in places):
            industries = industries if industries is not None else _english_industries()
            change |= {name: industries.get(str(row[name]), row[name]) for name in places}
        found.append({**row, **change})
    return found


def _english_industries() -> Mapping[str, str]:
    from ia.agent.analyst.ask.facts import market_table

    return {each.name: each.english for each in market_table().industries if each.english}
