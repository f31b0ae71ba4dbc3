"""The table of rules: what, for whom, how much, from when until when, and where it is written.

A number stands once, in rules.tsv, and everything that computes (fees, limits, lots, settlement) reads it here, so that
what is listed is what is done. How far a row was checked stands in it: `prices` against years of real prices
(tests/unit/domain/rules/test_limits_prices.py), `text` against a text that was read, nothing: named by its notice, not
read again, `unverified`: no text that says so was found, and whoever uses it says so.
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


class DatedRule(NamedTuple):
    """One rule: what it fixes, for which board or market, its value and unit, its source, and how it was checked.

    It holds from the first to the last day; `until` is "" where it is in force.
    """

    what: str
    market: str
    value: str
    unit: str
    since: str
    until: str
    source: str
    checked: str


def all_rules() -> tuple[DatedRule, ...]:
    """Return all rules: those of one thing and one market together, by day."""
    return tuple(rule for rules in _load_series().values() for rule in rules)


def find_rule(what: str, board: Board, day: str) -> DatedRule | None:
    """Return the rule in force on a day, the narrowest that is made for this board; None where there is none.

    raises  NotFound where there is one now, but the table does not reach back to that day.
    """
    begins = ""
    for scope in board.scopes:
        for rule in reversed(_load_series().get((what, scope), ())):
            if rule.since <= day:
                return rule
            begins = rule.since
    if begins:
        template = "{market} has no known rule for {what} before {since}"
        raise NotFound(template, what=what, market=board.name, since=begins)
    return None


def unverified_rules(whats: Iterable[str], board: Board, day: str) -> list[DatedRule]:
    """Return the rules in force on a day, of those that are named, that no text was found for."""
    found = []
    for what in whats:
        try:
            rule = find_rule(what, board, day)
        except NotFound:
            continue
        if rule is not None and rule.checked == UNVERIFIED:
            found.append(rule)
    return found


def rule_value(what: str, board: Board, day: str) -> Decimal | None:
    """Return the number of the rule in force on a day; None where there is none, or it says `none`. raises as `at`."""
    rule = find_rule(what, board, day)
    return None if rule is None or rule.value == "none" else Decimal(rule.value)


def rules_digest() -> str:
    """Return a digest of the whole table, for results that depend on it."""
    from ia.kernel.digest import sha256

    with open(os.path.join(os.path.dirname(__file__), "rules.tsv"), "rb") as file:
        return sha256(file.read()).hexdigest()[:16]


@cache
def _load_series() -> dict[tuple[str, str], tuple[DatedRule, ...]]:
    """Return the rules of each thing and market by day; each ends on the day before the next begins."""
    series: dict[tuple[str, str], list[DatedRule]] = {}
    with open(os.path.join(os.path.dirname(__file__), "rules.tsv"), encoding="utf-8") as file:
        next(file)
        for line in file:
            what, market, since, number, unit, checked, source = line.rstrip("\n").split("\t")
            rule = DatedRule(
                what=what, market=market, value=number, unit=unit, since=since, until="", source=source, checked=checked
            )
            series.setdefault((what, market), []).append(rule)
    return {key: tuple(_close_periods(rules)) for key, rules in series.items()}


def _close_periods(rules: list[DatedRule]) -> Iterator[DatedRule]:
    for rule, after in zip(rules, [*rules[1:], None], strict=True):
        yield rule._replace(until=str(date.fromisoformat(after.since) - timedelta(days=1))) if after else rule
