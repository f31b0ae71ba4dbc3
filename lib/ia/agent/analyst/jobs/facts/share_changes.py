"""Bonus shares and splits since a trade: how many shares one share has become."""

from datetime import date
from math import floor
from typing import NamedTuple

from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.kernel.jsontypes import Json
from ia.organs.ledger.booking import LATE

LIMIT = 200
"""Entries that `trade.list` returns at most."""


class ShareChanges(NamedTuple):
    """The days on which the number of shares held changed without a trade, and what became of one share.

    sure  False where the trades and these changes do not lead to the shares that the ledger holds
    paid  the days on which cash dividends were paid
    """

    ratios: tuple[tuple[str, float], ...]
    sure: bool
    paid: tuple[str, ...]

    def factor_since(self, day: str) -> float | None:
        """Return what has become of one share that was held at the close of a day; None where that is not known.

        >>> changes = ShareChanges((("2024-02-01", 1.5), ("2024-02-05", 2.0)), True, ())
        >>> changes.factor_since("2024-01-08"), changes.factor_since("2024-02-01"), changes.factor_since("2024-03-01")
        (3.0, 2.0, 1.0)
        """
        factor = 1.0
        for when, ratio in self.ratios:
            factor *= ratio if when > day else 1.0
        return factor if self.sure else None

    def paid_since(self, day: str) -> bool:
        """Return True if a cash dividend was paid after a day."""
        return any(when > day for when in self.paid)


def load_share_changes(desk: ToolDesk, code: str, held: float) -> Work[ShareChanges]:
    """Return the bonus shares and splits of a security that is traded: of the journal, and of the market's data.

    held  the shares that the ledger holds now
    """
    listed = yield from desk.one("trade.list", symbol=code, limit=LIMIT)
    stored = yield from desk.one("market.actions", symbol=code)
    rows = [row for row in wording.rows_of(listed.value) if row.get("replaced_by") is None][::-1] if listed.ok else []
    actions = wording.rows_of(stored, "actions") if stored.ok else []
    ratios = _replay_trades(rows, actions, held)
    paid = [str(row["date"]) for row in rows if row.get("kind") == "dividend"]
    paid += [str(each["date"]) for each in actions if each.get("cash")]
    return ShareChanges(tuple(ratios or ()), listed.ok and ratios is not None, tuple(paid))


def _replay_trades(rows: list[Json], actions: list[Json], held: float) -> list[tuple[str, float]] | None:
    """Return the changes by day; None where trades and changes do not lead to the shares that are held.

    >>> buy = {"date": "2024-01-08", "kind": "buy", "quantity": 100}
    >>> bonus = {"date": "2024-02-02", "kind": "bonus", "ratio": 0.5, "quantity": None}
    >>> market = [{"date": "2024-02-01", "bonus": 0.5, "split": 1.0}]
    >>> _replay_trades([buy, bonus], market, 150), _replay_trades([buy], market, 150), _replay_trades([buy], [], 150)
    ([('2024-02-02', 1.5)], [('2024-02-01', 1.5)], None)
    """
    told = [row for row in rows if row.get("kind") in ("bonus", "split")]
    days = {str(row["date"]) for row in told}
    first = str(rows[0]["date"]) if rows else ""
    changes = [*told, *(row for each in actions for row in _rows_of_action(each) if not _is_told(row["date"], days))]
    trades = [row for row in rows if row.get("kind") in ("buy", "sell", "subscribe")]
    steps = sorted(
        [*((str(row["date"]), 0, at, row) for at, row in enumerate(changes) if str(row["date"]) >= first),
         *((str(row["date"]), 1, at, row) for at, row in enumerate(trades))]
    )  # fmt: skip
    count, before, today, found = 0.0, 0.0, "", list[tuple[str, float]]()
    for day, order, _, row in steps:
        if day != today:
            today, before = day, count
        if order:
            count += float(row.get("quantity") or 0) * (-1 if row["kind"] == "sell" else 1)
            continue
        after = _change_shares(row, count, before)
        if after is None:
            return None
        if count > 0:
            found.append((day, after / count))
        elif row.get("ratio") is not None:
            found.append((day, 1 + float(row["ratio"]) if row["kind"] == "bonus" else float(row["ratio"])))
        count = float(floor(after + 1e-9)) if count == floor(count) else after
    return found if abs(count - held) < 1e-6 else None


def _rows_of_action(action: Json) -> list[Json]:
    """Return a stored action as the journal would have it."""
    rows: list[Json] = []
    if action.get("bonus"):
        rows.append({"date": str(action["date"]), "kind": "bonus", "ratio": action["bonus"]})
    if action.get("split") and action["split"] != 1:
        rows.append({"date": str(action["date"]), "kind": "split", "ratio": action["split"]})
    return rows


def _is_told(day: str, told: set[str]) -> bool:
    """Return True if the journal tells of an action of the market's data: on its day or a while after."""
    late = (date.fromisoformat(day) + LATE).isoformat()
    return any(day <= each < late for each in told)


def _change_shares(row: Json, count: float, before: float) -> float | None:
    """Return how many shares there are after a change; None where its size is not known.

    before  the shares at the close of the day before: bonus shares come for those
    """
    if row.get("ratio") is None:
        return count + float(row["quantity"]) if row.get("quantity") is not None else None
    ratio = float(row["ratio"])
    return count * ratio if row["kind"] == "split" else count + before * ratio
