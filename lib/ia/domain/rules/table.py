"""The table of rules: what, for whom, how much, from when until when, and where it is written.

A number stands once, in rules.tsv, and everything that computes (fees, limits, lots, settlement) reads it here, so that
what is listed is what is done. How far a row was checked stands in it: `prices` against years of real prices
(tests/unit/domain/rules/test_limits_prices.py), `text` against a text that was read, nothing: named by its notice, not
read again, `unverified`: no text that says so was found, and whoever uses it says so.
"""

import os
from bisect import bisect_right
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


def rules_in_force(market: str, day: str) -> list[DatedRule]:
    """Return the rules of a market (CN, HK, US) that hold on a day.

    >>> [rule.value for rule in rules_in_force("HK", "2024-03-15") if (rule.what, rule.market) == ("stamp_sell", "HK")]
    ['0.1']
    """

    def holds(rule: DatedRule) -> bool:
        abroad = rule.market.partition(".")[0]
        return rule.since <= day <= (rule.until or day) and (abroad if abroad in ("HK", "US") else "CN") == market

    return [rule for rule in all_rules() if holds(rule)]


def find_rule(what: str, board: Board, day: str) -> DatedRule | None:
    """Return the rule in force on a day, the narrowest that is made for this board; None where there is none.

    raises  NotFound where there is one now, but the table does not reach back to that day.
    """
    begins, rules, _ = _load_timeline(what, board.scopes)
    place = bisect_right(begins, day) - 1
    if place >= 0:
        return rules[place]
    if begins:
        template = "{market} has no known rule for {what} before {since}"
        raise NotFound(template, what=what, market=board.name, since=begins[0])
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
    begins, _, values = _load_timeline(what, board.scopes)
    place = bisect_right(begins, day) - 1
    if place >= 0:
        return values[place]
    if begins:
        find_rule(what, board, day)  # says from when on there is one
    return None


def period_start(board: Board, day: str) -> str:
    """Return the day since when all rules for a board have been as they are on a day; "" before the first of all."""
    changes = _load_changes(board.scopes)
    place = bisect_right(changes, day) - 1
    return changes[place] if place >= 0 else ""


def period_end(board: Board, day: str) -> str:
    """Return the first day after one on which any rule for a board changes; a text behind all days where there is none.

    >>> from ia.domain.instruments.boards import find_board
    >>> from ia.domain.instruments.symbols import from_canonical
    >>> board = find_board(from_canonical("600519.SH"))
    >>> period_start(board, "2023-09-01"), period_end(board, "2023-09-01")
    ('2023-08-28', '2026-07-06')
    """
    changes = _load_changes(board.scopes)
    place = bisect_right(changes, day)
    return changes[place] if place < len(changes) else "~"


def narrowest_value(whats: Iterable[str], board: Board) -> Decimal | None:
    """Return the smallest number that several rules ever had for a board; None where none has one."""
    values = (each for what in whats for each in _load_timeline(what, board.scopes)[2] if each is not None)
    return min(values, default=None)


@cache
def _load_changes(scopes: tuple[str, ...]) -> list[str]:
    """Return the days on which any rule for a board changes."""
    return sorted({rule.since for (_, market), rules in _load_series().items() if market in scopes for rule in rules})


@cache
def _load_timeline(what: str, scopes: tuple[str, ...]) -> tuple[list[str], list[DatedRule], list[Decimal | None]]:
    """Return the days from which a thing changes for a board, with the rule and its number: the narrowest scope counts.

    A simulation asks some hundred thousand times.
    """
    series = [rules for scope in scopes if (rules := _load_series().get((what, scope)))]
    begins = sorted({rule.since for rules in series for rule in rules})
    in_force = [next(rule for rules in series for rule in reversed(rules) if rule.since <= day) for day in begins]
    return begins, in_force, [None if rule.value == "none" else Decimal(rule.value) for rule in in_force]


def rules_digest() -> str:
    """Return a digest of the whole table, for results that depend on it."""
    from ia.kernel.digest import sha256

    with open(os.path.join(os.path.dirname(__file__), "rules.tsv"), "rb") as file:
        return sha256(file.read()).hexdigest()


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
