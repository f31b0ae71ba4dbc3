"""When what was bought may be sold."""

from functools import lru_cache
from typing import NamedTuple

from ia.domain.instruments.boards import Board, find_board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.table import period_start, rule_value


class Settlement(NamedTuple):
    """When a security may be sold after it was bought.

    Attributes:
        days: 0 on the day of the purchase, 1 on the next trading day.
        sure: whether code or name told which kind of security it is.
    """

    days: int
    sure: bool


def sellable_after(symbol: Symbol, day: str) -> Settlement:
    """Return after how many trading days a purchase of `day` may be sold.

    One for mainland stocks; none for bond, gold, money, commodity and cross-border funds, Hong Kong and the United
    States.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> [sellable_after(from_canonical(s), "2024-03-01").days for s in ("600519.SH", "518880.SH", "AAPL.US")]
    [1, 0, 0]
    """
    where = find_board(symbol)
    return _load_settlement(where, period_start(where, day) or day)


@lru_cache(maxsize=1024)
def _load_settlement(where: Board, day: str) -> Settlement:
    days = rule_value("settle", where, day)
    return Settlement(1 if days is None else int(days), where.sure)
