"""The hosts of real prices, each by itself: the live adapter asks them in turn, `ia verify` compares them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ia.domain.instruments.symbols import Symbol
from ia.organs.ohlcv.adapters import eastmoney, sina, tencent
from ia.organs.ohlcv.adapters.feed import Table, checked
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjust import Action

Host = Callable[[Symbol, str | None, str | None], Table]
HOSTS: dict[str, Host] = {"eastmoney": eastmoney.bars, "tencent": tencent.bars, "sina": sina.bars}
"""By name and in the order in which they are asked."""
LIVE = "akshare"
"""The adapter that asks them."""


def fetch_bars(host: str, symbol: Symbol, start: str | None, end: str | None) -> Bars:
    """Return the raw bars that a host has of a symbol, checked."""
    return checked(HOSTS[host](symbol, start, end)).between(start, end)


def fetch_factors(symbol: Symbol) -> "list[Action]":
    """Return the adjustments that Sina states as factors. NotFound where it has none of the symbol."""
    return sina.actions(symbol)


def fetch_actions(symbol: Symbol) -> "list[Action]":
    """Return the dividends, bonus and rights issues that Eastmoney has of a mainland stock."""
    return eastmoney.actions(symbol)
