"""The purchases and sales of a security, as the journal has them."""

from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.kernel.jsontypes import Json

LIMIT = 200
"""Entries that `trade.list` returns at most."""


def load_trades(desk: ToolDesk, mention: Mention) -> Work[tuple[list[Json], DeskResult]]:
    """Return the purchases and sales of a security, oldest first."""
    result = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
    return trades_of(result), result


def trades_of(result: DeskResult) -> list[Json]:
    """Return the purchases and sales that `trade.list` returned, oldest first."""
    rows = [row for row in wording.rows_of(result.value) if row.get("kind") in ("buy", "sell")] if result.ok else []
    return rows[::-1]


def find_start(rows: list[Json]) -> Json | None:
    """Return the purchase with which what is held now began; None without one."""
    count, start = 0.0, None
    for row in rows:
        if count <= 0:
            start = row if row.get("kind") == "buy" else None
        count += float(row.get("quantity") or 0) * (1 if row.get("kind") == "buy" else -1)
    return start


def purchases_of_held(rows: list[Json]) -> list[Json]:
    """Return the purchases from which what is held now comes; [] where nothing is held by these trades."""
    start = find_start(rows)
    signed = sum((1 if row.get("kind") == "buy" else -1) * float(row.get("quantity") or 0) for row in rows)
    if start is None or signed <= 0:
        return []
    begin = next(at for at, row in enumerate(rows) if row is start)
    return [row for row in rows[begin:] if row.get("kind") == "buy"]
