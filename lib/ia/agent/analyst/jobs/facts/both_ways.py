"""What was paid into the account and taken out of it, and the difference."""

from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.together import sum_by_currency
from ia.kernel.jsontypes import Json

LOOKED_AT = 200
"""Entries of the journal that are looked at."""
BOTH_WAYS = ("deposit", "withdraw")
"""Entries of money that came into the account and that left it."""


def say_both_ways(desk: ToolDesk, rows: list[Json], when: str) -> list[str]:
    """Return what was paid in and taken out, and the difference, currency by currency."""
    paid, taken = (sum_by_currency([row for row in rows if row.get("kind") == kind], "amount") for kind in BOTH_WAYS)
    return [
        desk.speak(
            "Paid in **{paid}**, taken out **{taken}**, net **{net}**{days}.",
            paid=wording.say_exact(desk, paid.get(code, 0.0), currency=code),
            taken=wording.say_exact(desk, taken.get(code, 0.0), currency=code),
            net=wording.say_exact(desk, paid.get(code, 0.0) - taken.get(code, 0.0), currency=code),
            days=when,
        )
        for code in sorted({*paid, *taken})
    ]


def load_both_ways(desk: ToolDesk, currencies: set[str]) -> Work[list[str]]:
    """Return what was paid in and taken out in some currencies; [] where nothing was taken out."""
    listed = yield from desk.one("trade.list", limit=LOOKED_AT)
    every = wording.rows_of(listed.value) if listed.ok else []
    rows = [row for row in every if row.get("kind") in BOTH_WAYS and row.get("currency") in currencies]
    taken = any(row.get("kind") == "withdraw" for row in rows)
    return say_both_ways(desk, rows, "") if taken and len(every) < LOOKED_AT else []
