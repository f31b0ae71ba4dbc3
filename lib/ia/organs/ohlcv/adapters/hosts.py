"""The hosts of real prices, each by itself: the live adapter asks them in turn, `ia verify` compares them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ia.domain.instruments.symbols import Symbol
from ia.organs.ohlcv.adapters import eastmoney, sina, tencent
from ia.organs.ohlcv.adapters.table_check import FeedTable, check_table
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

Host = Callable[[Symbol, str | None, str | None], FeedTable]
HOSTS: dict[str, Host] = {"eastmoney": eastmoney.fetch_bars, "tencent": tencent.fetch_bars, "sina": sina.fetch_bars}
"""By name and in the order in which they are asked."""
LIVE = "akshare"
"""The adapter that asks them."""


def fetch_bars(host: str, symbol: Symbol, start: str | None, end: str | None) -> Bars:
    """Return the raw bars that a host has of a symbol, checked."""
    return check_table(HOSTS[host](symbol, start, end)).between_dates(start, end)


def fetch_factors(symbol: Symbol) -> "list[Action]":
    """Return the adjustments that Sina states as factors. NotFound where it has none of the symbol."""
    return sina.fetch_actions(symbol)


def fetch_actions(symbol: Symbol) -> "list[Action]":
    """Return the dividends, bonus and rights issues that Eastmoney has of a mainland stock."""
    return eastmoney.fetch_actions(symbol)
