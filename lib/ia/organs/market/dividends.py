"""What a stock paid in the year up to a day, per cent of its price: as SQL over the stored corporate actions.

Dividends are before tax and of one share of that day: what was paid before a bonus issue or a split counts for the
shares that one share became since. NULL where the actions of a stock were never fetched, or do not tell their cash, and
where its prices come from a folder of files that has none of it: no dividend is told there, which is not none paid.
"""

import sqlite3

_SOURCE = "(SELECT o.name FROM sources o WHERE o.id = s.source)"
_KNOWN = (
    f"((coalesce(c.complete, 0) = 1 OR EXISTS (SELECT 1 FROM series e WHERE e.adapter = {_SOURCE}"
    f" AND e.symbol = s.symbol)) AND ({_SOURCE} <> 'csv' OR EXISTS (SELECT 1 FROM actions k"
    " WHERE k.adapter = 'csv' AND k.symbol = s.symbol)))"
)
YIELD = (
    f"CASE WHEN s.price > 0 AND {_KNOWN} THEN (SELECT CASE WHEN count(x.factor) = 0 THEN"
    " round(coalesce(sum_dividends(x.date, x.cash, x.bonus, x.split), 0) / s.price * 100, 4) END FROM actions x"
    f" WHERE x.adapter = {_SOURCE} AND x.symbol = s.symbol AND x.date > date(s.date, '-365 days')"
    " AND x.date <= s.date) END"
)
"""Reads a row of `snapshots s` with `securities c` beside it; needs register_functions()."""


class DividendSum:
    """An aggregate of SQLite: the cash that one share of today has brought.

    >>> paid = DividendSum()
    >>> paid.step("2024-01-05", 1.0, 0.0, 1.0)
    >>> paid.step("2024-02-05", 0.5, 1.0, 1.0)
    >>> paid.finalize()
    0.75
    """

    def __init__(self) -> None:
        self._actions: list[tuple[str, float, float]] = []

    def step(self, date: str, cash: float | None, bonus: float | None, split: float | None) -> None:
        """Take an action: cash a share before tax, bonus shares a share, and how many shares one is split into."""
        self._actions.append((date, cash or 0.0, (1.0 + (bonus or 0.0)) * (split or 1.0)))

    def finalize(self) -> float:
        """Return the sum over the actions, the newest first."""
        paid, shares = 0.0, 1.0
        for _, cash, growth in sorted(self._actions, reverse=True):
            shares *= growth
            paid += cash / shares
        return paid


def register_functions(db: sqlite3.Connection) -> None:
    """Let a connection compute YIELD."""
    db.create_aggregate("sum_dividends", 4, DividendSum)  # type: ignore[arg-type]
