"""The table of rules: what, for whom, how much, from when until when, and where it is written.

A number stands once, in rules.tsv, and everything that computes (fees, limits, lots, settlement) reads it here, so that
what is listed is what is done. How far a row was checked stands in it: `prices` against years of real prices (see
tests/unit/test_rules_prices.py), `text` against a text that was read, nothing: named by its notice, not read again,
`unverified`: no text that says so was found, and whoever uses it says so.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from ia.domain.instruments.boards import Board
from ia.kernel.errors import NotFound

UNVERIFIED = "unverified"


class Rule(NamedTuple):
    """One rule: what it fixes, for which board or market, its value and unit, the first and the last day (`until` is
    "" where it is in force), its source, and how it was checked."""

    what: str
    market: str
    value: str
    unit: str
    since: str
    until: str
    source: str
    checked: str


def table() -> tuple[Rule, ...]:
    """Return all rules: those of one thing and one market together, by day."""
    return tuple(rule for rules in _series().values() for rule in rules)


def at(what: str, board: Board, day: str) -> Rule | None:
    """Return the rule in force on a day, the narrowest that is made for this board; None where there is none.

    raises  NotFound where there is one now, but the table does not reach back to that day.
    """
    begins = ""
    for scope in board.scopes:
        for rule in reversed(_series().get((what, scope), ())):
            if rule.since <= day:
                return rule
            begins = rule.since
    if begins:
        template = "no rule for {what} of {market} is known before {since}"
        raise NotFound(template, what=what, market=board.name, since=begins)
    return None


def unverified(whats: Iterable[str], board: Board, day: str) -> list[Rule]:
    """Return the rules in force on a day, of those that are named, that no text was found for."""
    found = []
    for what in whats:
        try:
            rule = at(what, board, day)
        except NotFound:
            continue
        if rule is not None and rule.checked == UNVERIFIED:
            found.append(rule)
    return found


def value(what: str, board: Board, day: str) -> Decimal | None:
    """Return the number of the rule in force on a day; None where there is none, or it says `none`. raises as `at`."""
    rule = at(what, board, day)
    return None if rule is None or rule.value == "none" else Decimal(rule.value)


@cache
def _series() -> dict[tuple[str, str], tuple[Rule, ...]]:
    """Return the rules of each thing and market by day; each ends on the day before the next begins."""
    series: dict[tuple[str, str], list[Rule]] = {}
    with open(os.path.join(os.path.dirname(__file__), "rules.tsv"), encoding="utf-8") as file:
        next(file)
        for line in file:
            what, market, since, number, unit, checked, source = line.rstrip("\n").split("\t")
            rule = Rule(what, market, number, unit, since, "", source, checked)
            series.setdefault((what, market), []).append(rule)
    return {key: tuple(_closed(rules)) for key, rules in series.items()}


def _closed(rules: list[Rule]) -> Iterator[Rule]:
    for rule, after in zip(rules, [*rules[1:], None], strict=True):
        yield rule._replace(until=str(date.fromisoformat(after.since) - timedelta(days=1))) if after else rule
