"""The ledger of trials in ia.db: every variant of a family of rules that was ever tried counts.

A family is rules up to their numbers, over the same securities. A variant is one of its settings; the same one run
again, on newer prices too, is no new trial. Rows are never deleted: a run that is removed was still tried.
"""

import ast
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ia.kernel import clock
from ia.kernel.digest import sha256
from ia.kernel.store import transaction
from ia.kernel.workspace import Workspace

_NUMBER = re.compile(r"(?<![\w.])\d+\.?\d*(?:[eE][+-]?\d+)?|(?<![\w.])\.\d+(?:[eE][+-]?\d+)?")


class Trial(NamedTuple):
    """A variant that was run.

    family, variant  keys of `family_key` and `variant_key`. rules: for a reader
    returns, sharpe  number of daily returns and their Sharpe ratio of a day; None where it cannot be told
    """

    family: str
    variant: str
    run: str
    rules: str
    universe: str
    first: str
    last: str
    returns: int
    sharpe: float | None


class FamilyTally(NamedTuple):
    """What was tried of a family up to now.

    place    place of the variant in the order of first trials, from 1; 0 where it was not tried
    tried    how many were. sharpes: Sharpe ratios of a day of those that have one, in the order of their first trial
    """

    place: int
    tried: int
    sharpes: list[float]


def family_key(rules: Iterable[str], universe: Iterable[str]) -> str:
    """Return the key of a family: rules without their numbers, spaces and comments, and the securities in any order.

    >>> family_key(["rsi(close, 14) < 30"], ["A"]) == family_key(["rsi(close,7)<25.5"], ["A"])
    True
    >>> family_key(["rsi(close, 14) < 30"], ["A"]) == family_key(["rsi(open, 14) < 30"], ["A"])
    False
    """
    return sha256("\n".join([*map(strip_numbers, rules), "", *sorted(set(universe))]).encode()).hexdigest()[:16]


def variant_key(settings: str) -> str:
    """Return the key of a variant, given its settings as canonical text."""
    return sha256(settings.encode()).hexdigest()[:16]


def strip_numbers(text: str) -> str:
    """Return an expression or a Python file with `0` for each number, in one form whatever its spaces are.

    >>> strip_numbers("crossover(sma(close,5), sma(close, 20))  # fast over slow")
    'crossover(sma(close, 0), sma(close, 0))'
    """
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return " ".join(_NUMBER.sub("0", text).split())
    return ast.unparse(_Zeros().visit(tree))


class _Zeros(ast.NodeTransformer):
    """Replace numbers by 0; the sign before a number is part of it."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, int | float | complex) and not isinstance(node.value, bool):
            return ast.copy_location(ast.Constant(0), node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        inner = self.visit(node.operand)
        if isinstance(inner, ast.Constant) and inner.value == 0 and isinstance(node.op, ast.USub | ast.UAdd):
            return inner
        node.operand = inner
        return node


def record_trials(ws: Workspace, trials: Sequence[Trial]) -> None:
    """Keep trials; of a variant that was tried before, what it came to now."""
    now = clock.now().isoformat(timespec="seconds")
    with transaction(ws.db):
        ws.db.executemany(
            "INSERT INTO backtest_trials (family, variant, run, rules, universe, first, last, returns, sharpe, tried)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (family, variant) DO UPDATE SET run = excluded.run,"
            " first = excluded.first, last = excluded.last, returns = excluded.returns, sharpe = excluded.sharpe",
            [(*trial, now) for trial in trials],
        )


def tally_family(ws: Workspace, family: str, variant: str = "") -> FamilyTally:
    """Return what was tried of a family up to now()."""
    rows = ws.db.execute(
        "SELECT variant, sharpe FROM backtest_trials WHERE family = ? AND julianday(tried) <= julianday(?) ORDER BY id",
        (family, clock.now().isoformat(timespec="seconds")),
    ).fetchall()
    place = next((at for at, (key, _) in enumerate(rows, 1) if key == variant), 0)
    return FamilyTally(place, len(rows), [sharpe for _, sharpe in rows if sharpe is not None])
