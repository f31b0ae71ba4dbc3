"""When what was bought may be sold."""

from typing import NamedTuple

from ia.domain.instruments.boards import board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.table import value


class Settlement(NamedTuple):
    """days: 0 where it may be sold on the day that it was bought, 1 on the next trading day; sure: whether code or name
    told which kind of security it is."""

    days: int
    sure: bool


def sellable_after(symbol: Symbol, day: str) -> Settlement:
    """Return after how many trading days what is bought on `day` may be sold: of mainland stocks one, of bond, gold,
    money, commodity and cross-border funds and of Hong Kong and the United States none.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> [sellable_after(from_canonical(s), "2024-03-01").days for s in ("600519.SH", "518880.SH", "AAPL.US")]
    [1, 0, 0]
    """
    where = board(symbol)
    days = value("settle", where, day)
    return Settlement(1 if days is None else int(days), where.sure)
