"""How likely a crowd is by chance: hypergeometric sampling in strata, and many looks at once."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import exp, lgamma


def tail_probability(strata: Iterable[tuple[int, int, int]], observed: int) -> float:
    """Return the probability that a group has at least so many among those drawn, if drawing ignores groups.

    strata  (N, K, n) of each stratum: its size, how many of it were drawn, how many of the group are in it. Within a
            stratum every member is as likely as any other; the group's total is the sum over independent strata.

    >>> round(tail_probability([(50, 5, 10)], 4), 8), tail_probability([(50, 5, 10)], 0)
    (0.00408352, 1.0)
    """
    total = [1.0]
    for size, drawn, members in strata:
        if drawn and members:
            total = _convolve(total, _hypergeometric_pmf(size, drawn, members))
    return min(1.0, sum(total[observed:])) if observed > 0 else 1.0


def expected_count(strata: Iterable[tuple[int, int, int]]) -> float:
    """Return how many of the group are to be expected among those drawn."""
    return sum(drawn * members / size for size, drawn, members in strata if size)


@lru_cache(maxsize=100_000)
def _hypergeometric_pmf(size: int, drawn: int, members: int) -> tuple[float, ...]:
    """Return the probabilities of 0, 1, 2 … members among `drawn` of `size`."""
    most = min(drawn, members)
    least = max(0, drawn - (size - members))
    whole = _binomial_coefficient(size, drawn)
    return tuple(
        exp(_binomial_coefficient(members, k) + _binomial_coefficient(size - members, drawn - k) - whole)
        if k >= least
        else 0.0
        for k in range(most + 1)
    )


def _binomial_coefficient(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _convolve(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Return the distribution of a sum of two counts."""
    out = [0.0] * (len(a) + len(b) - 1)
    for i, p in enumerate(a):
        if p:
            for j, q in enumerate(b):
                out[i + j] += p * q
    return out


def adjust_p_values(chances: Sequence[float], looks: int) -> list[float]:
    """Return the Benjamini-Hochberg adjusted values of some chances out of so many looks, in their order.

    Those that are not given are the larger ones. Where groups share members the looks hang together positively, which
    the procedure allows; if nothing at all is going on, a value is at or below L in at most a share L of the days.

    >>> [round(q, 3) for q in adjust_p_values([0.01, 0.04, 0.001], 10)]
    [0.05, 0.133, 0.01]
    """
    order = sorted(range(len(chances)), key=chances.__getitem__, reverse=True)
    out, best = [1.0] * len(chances), 1.0
    for rank, at in zip(range(len(chances), 0, -1), order, strict=True):
        best = min(best, chances[at] * looks / rank)
        out[at] = best
    return out
