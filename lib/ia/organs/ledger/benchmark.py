"""What an account is measured against, over the same days."""

from bisect import bisect_left, bisect_right
from datetime import date
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.domain.performance.figures import Figure
from ia.kernel.errors import Message

LATE = 5
"""Days by which the prices of a benchmark may end before those of the account."""


class Benchmark(NamedTuple):
    """What an account is measured against: closes by day, oldest first.

    total  whether dividends are in them (those of an index are not)
    """

    symbol: Symbol
    currency: str
    days: list[str]
    closes: list[float]
    total: bool
    simulated: bool


def benchmark_return(benchmark: Benchmark, begin: str, last: str, priced: str) -> tuple[Figure, str]:
    """Return the change from the last close before a day to the last one up to another, and the day of that.

    priced  last day of the account's own prices: a benchmark that ends long before it is not compared
    """
    name = str(benchmark.symbol)
    if not benchmark.days:
        return Figure(
            None,
            Message(
                "no prices of {symbol} are stored; run `ia ohlcv {canonical}`",
                symbol=name,
                canonical=benchmark.symbol.canonical,
            ),
        ), ""
    base, end = bisect_left(benchmark.days, begin) - 1, bisect_right(benchmark.days, last) - 1
    until = benchmark.days[end] if end >= 0 else ""
    if base < 0:
        return Figure(
            None, Message("the stored prices of {symbol} begin on {day}", symbol=name, day=benchmark.days[0])
        ), until
    if end <= base:
        return Figure(None, Message("{symbol} has no prices of these days", symbol=name)), until
    if priced > until and (date.fromisoformat(priced) - date.fromisoformat(until)).days > LATE:
        return Figure(None, Message("the stored prices of {symbol} end on {day}", symbol=name, day=until)), until
    return Figure(benchmark.closes[end] / benchmark.closes[base] - 1), until
