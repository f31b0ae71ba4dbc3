"""Real markets, by way of akshare: A-shares, ETFs, indices, Hong Kong, New York.

Three hosts that are really different stand in a chain: Eastmoney (through akshare's own functions), Tencent, Sina. The
first that has the symbol answers; one that has shut us out, is out of order or has changed is passed over.
Bars are unadjusted, as traded; what is adjusted is worked out from dividends, bonus and rights issues.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ia.errors import IaError, NotFound, TryLater, Unavailable
from ia.ohlcv.adapters import Fetched, eastmoney, sina, tencent
from ia.ohlcv.adapters.feed import Table, between, checked
from ia.ohlcv.canonical import Bars
from ia.ohlcv.identity import Symbol

if TYPE_CHECKING:
    from ia.ohlcv.adjust import Action

T = TypeVar("T")
Host = Callable[[Symbol, str | None, str | None], Table]
HOSTS: dict[str, Host] = {"eastmoney": eastmoney.bars, "tencent": tencent.bars, "sina": sina.bars}
"""By name and in the order in which they are asked."""
NO_FUND_ACTIONS = "dividends and splits of this fund are not known: its prices are as traded, not adjusted"


class Akshare:
    """The adapter of live market data."""

    name = "akshare"
    simulated = False
    local = False

    def __init__(self) -> None:
        self._funds: dict[str, list[Action] | None] = {}

    def fetch(self, symbol: Symbol, start: str | None = None, end: str | None = None) -> Fetched:
        """Return the bars of the first host that has them, checked; `host` tells which.

        raises  NotFound where every host says that it has no such symbol; TryLater or Unavailable, telling of each
                host, where none answered well.
        """

        def asked(host: Host) -> tuple[Table, Bars]:
            table = host(symbol, start, end)
            return table, between(checked(table), start, end)

        table, bars = _first(symbol, [partial(asked, host) for host in HOSTS.values()])
        note = NO_FUND_ACTIONS if _is_fund(symbol) and self._of_fund(symbol) is None else ""
        return Fetched(symbol, bars, table.host, note, table.name)

    def normalize(self, fetched: Fetched) -> Bars:
        """Return the bars, which `fetch` has checked: only a host that makes sense is believed."""
        assert isinstance(fetched.raw, Bars)
        return fetched.raw

    def actions(self, symbol: Symbol) -> "list[Action]":
        """Return dividends, bonus and rights issues by ex-date; an index has none.

        Mainland stocks: Eastmoney, else the factors of Sina. Mainland funds: dividends, from Eastmoney. Hong Kong and
        New York: Sina.
        """
        if symbol.kind == "index":
            return []
        if _is_fund(symbol):
            return self._of_fund(symbol) or []
        if symbol.market == "CN":
            return _first(symbol, [partial(eastmoney.actions, symbol), partial(sina.actions, symbol)])
        try:
            return sina.actions(symbol)
        except NotFound:
            return []

    def _of_fund(self, symbol: Symbol) -> "list[Action] | None":
        """Return the dividends of a mainland fund, asked for once; None where nobody tells them."""
        if symbol.canonical not in self._funds:
            try:
                self._funds[symbol.canonical] = eastmoney.fund_actions(symbol)
            except (NotFound, TryLater, Unavailable):
                self._funds[symbol.canonical] = None
        return self._funds[symbol.canonical]

    def lookup(self, text: str) -> list[Symbol]:
        """Return nothing: the hosts are asked by code."""
        return []


def _is_fund(symbol: Symbol) -> bool:
    return symbol.kind == "etf" and symbol.market == "CN"


def _first(symbol: Symbol, ways: list[Callable[[], T]]) -> T:
    """Return what the first way gives that does not fail; else raise the failure that is most worth another try."""
    failures: list[IaError] = []
    for way in ways:
        try:
            return way()
        except (NotFound, TryLater, Unavailable) as exc:
            failures.append(exc)
    if all(isinstance(failure, NotFound) for failure in failures):
        raise NotFound("{symbol}: no host has such a symbol", symbol=str(symbol))
    kind = TryLater if any(isinstance(failure, TryLater) for failure in failures) else Unavailable
    template = "{symbol}: no host answered: {first}; {second}; {third}"
    if len(failures) == 2:
        template = "{symbol}: no host answered: {first}; {second}"
    raise kind(
        template,
        hint="another source: --adapter; how hosts stand: `ia doctor`",
        symbol=str(symbol),
        **dict(zip(("first", "second", "third"), failures, strict=False)),
    ) from failures[0]
