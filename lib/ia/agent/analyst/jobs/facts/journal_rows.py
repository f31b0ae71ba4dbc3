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
