"""Money-weighted return (XIRR): the one yearly rate at which all that was paid in makes what is there at the end.

The sum of each payment x (1 + rate) ** ((last day - its day) / 365) is zero. Spreadsheets search for a root near 10 %
and return whatever they find; here a rate is told only where it is the only one.
"""

import math
from collections.abc import Iterable
from datetime import date
from itertools import pairwise

from ia.domain.performance.figures import Figure
from ia.kernel.errors import Message

YEAR = 365.0
_WIDTH = 1e-11
"""Two roots as near to each other as this (in the logarithm of the growth of a day) are not told apart."""
_PIECES = 200_000


def internal_rate(payments: Iterable[tuple[date, float]]) -> Figure:
    """Return the yearly rate of dated payments, as a fraction; actual/365.

    payments  (day, amount): what was paid in is negative, what was taken out and what is there at the end is positive.
              Those of one day are added up.
    None      where there is no rate, or more than one, or no day has passed.

    >>> round(internal_rate([(date(2023, 1, 1), -100.0), (date(2024, 1, 1), 110.0)]).value, 12)
    0.1
    """
    by_day: dict[int, float] = {}
    for day, amount in payments:
        by_day[day.toordinal()] = by_day.get(day.toordinal(), 0.0) + amount
    flows = [(day, amount) for day, amount in sorted(by_day.items()) if abs(amount) > 1e-9]
    if not flows:
        return Figure(None, Message("nothing was paid in"))
    if len(flows) == 1 and len(by_day) > 1 and flows[0][1] < 0:
        return Figure(None, Message("nothing is left, and no rate a year makes nothing of something"))
    if len(flows) == 1:
        return Figure(None, Message("no day has passed since the money came in"))
    signs = [amount > 0 for _, amount in flows]
    changes = sum(one != other for one, other in pairwise(signs))
    if changes == 0:
        return Figure(None, Message("money only went one way, so no rate fits"))
    if len(flows) == 2:
        (first, paid), (last, got) = flows
        roots: list[float] | None = [math.log(-got / paid) / (last - first)]
    else:
        roots = _Equation(flows).find_roots(most=2 if changes > 1 else 1)
    if roots is None or len(roots) > 1:
        return Figure(None, Message("more than one rate fits the payments"))
    if not roots:
        return Figure(None, Message("no rate fits the payments"))
    growth = roots[0] * YEAR
    if growth > 700:
        return Figure(None, Message("the rate of a year is too large to tell after so few days"))
    return Figure(math.expm1(growth))


class _Equation:
    """The net present value as a function of s, the logarithm of the growth of a day: sum of c x exp(-s t)."""

    def __init__(self, flows: list[tuple[int, float]]) -> None:
        scale = max(abs(amount) for _, amount in flows)
        self.terms = [(float(day - flows[0][0]), amount / scale) for day, amount in flows]
        self.span = self.terms[-1][0]

    def find_roots(self, most: int) -> list[float] | None:
        """Return up to two roots; None where it cannot be decided how many there are.

        With most = 1 the payments change sign once, and there is exactly one root.
        """
        low, high = self._limits()
        sides = [_Side(self.terms, self.span, low, 0.0), _Side(self.terms, 0.0, 0.0, high)]
        if most == 1:
            rising = self.terms[0][1] < 0
            below, above = sides
            at_zero = above.value(0.0)
            if at_zero == 0.0:
                return [0.0]
            # payments that come first are negative for rising growth: the value falls as s grows
            return [above.solve(0.0, high) if (at_zero > 0) == rising else below.solve(low, 0.0)]
        found: list[float] = []
        for side in sides:
            roots = side.isolate()
            if roots is None:
                return None
            found += roots
        return found

    def _limits(self) -> tuple[float, float]:
        """Return an interval that holds all roots: beyond it one payment outweighs all the others."""
        (_, first), *rest = self.terms
        *before, (_, last) = self.terms
        high = math.log1p(sum(abs(amount) for _, amount in rest) / abs(first)) / rest[0][0]
        low = math.log1p(sum(abs(amount) for _, amount in before) / abs(last)) / (self.span - before[-1][0])
        return -low - 1e-9, high + 1e-9


class _Side:
    """The equation for s of one sign. Times count from the first payment for s >= 0, else from the last.

    So nothing overflows: each term is at most its payment, and largest at s = 0. The factor moves no root.
    """

    def __init__(self, terms: list[tuple[float, float]], origin: float, low: float, high: float) -> None:
        self.terms = [(at - origin, amount) for at, amount in terms]
        self.low, self.high = low, high

    def value(self, s: float, power: int = 0) -> float:
        """Return the value at s, or its first derivative."""
        return sum(amount * math.exp(-s * t) * (-t) ** power for t, amount in self.terms)

    def isolate(self) -> list[float] | None:
        """Return the roots in [low, high), the first two of them; None where two cannot be told apart."""
        found: list[float] = []
        todo = [(self.low, self.high)]
        for _ in range(_PIECES):
            if not todo or len(found) > 1:
                return found
            a, b = todo.pop()
            middle, half = (a + b) / 2, (b - a) / 2
            if abs(self.value(middle)) > self._bound(a, b, 1) * half:
                continue
            if abs(self.value(middle, 1)) > self._bound(a, b, 2) * half:
                left, right = self.value(a), self.value(b)
                if left == 0.0:
                    found.append(a)
                elif right != 0.0 and (left > 0) != (right > 0):
                    found.append(self.solve(a, b))
                continue
            if half < _WIDTH:
                return None
            todo += [(middle, b), (a, middle)]
        return None

    def _bound(self, a: float, b: float, power: int) -> float:
        """Return a bound of a derivative between a and b: each term is largest at the end that is nearer to 0."""
        s = a if a >= 0 else b
        return sum(abs(amount) * math.exp(-s * t) * abs(t) ** power for t, amount in self.terms)

    def solve(self, low: float, high: float) -> float:
        """Return the root between two ends with different signs, to the last digits that a float has."""
        rising = self.value(low) < 0
        for _ in range(200):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            if (self.value(middle) < 0) == rising:
                low = middle
            else:
                high = middle
        return (low + high) / 2
