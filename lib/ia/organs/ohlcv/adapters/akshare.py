"""Real markets, by way of akshare: A-shares, ETFs, indices, Hong Kong, New York.

Three hosts that are really different stand in a chain: Eastmoney (through akshare's own functions), Tencent, Sina. The
first that has the symbol answers; one that has shut us out, is out of order or has changed is passed over.
Bars are unadjusted, as traded; what is adjusted is worked out from dividends, bonus and rights issues.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ia.domain.instruments.boards import is_b_share
from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import IaError, NotFound, TryLater, Unavailable
from ia.organs.ohlcv.adapters import Fetched, eastmoney, sina
from ia.organs.ohlcv.adapters.feed import Table, checked
from ia.organs.ohlcv.adapters.hosts import HOSTS, LIVE, Host
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjust import Action

T = TypeVar("T")
NO_ACTIONS = "its dividends and splits are not known: prices are as traded, not adjusted"


class Akshare:
    """The adapter of live market data."""

    name = LIVE
    simulated = False
    local = False

    def __init__(self) -> None:
        self._actions: dict[str, list[Action] | None] = {}

    def fetch(self, symbol: Symbol, start: str | None = None, end: str | None = None) -> Fetched:
        """Return the bars of the first host that has them, checked; `host` tells which.

        Its actions are asked for too, since the note says where nobody knows them.

        raises  NotFound where every host says that it has no such symbol; TryLater or Unavailable, telling of each
                host, where none answered well.
        """

        def asked(host: Host) -> tuple[Table, Bars]:
            table = host(symbol, start, end)
            return table, checked(table).between(start, end)

        table, bars = _first(symbol, [partial(asked, host) for host in HOSTS.values()])
        note = NO_ACTIONS if self._known_actions(symbol) is None else ""
        return Fetched(symbol, bars, table.host, note, table.name)

    def normalize(self, fetched: Fetched) -> Bars:
        """Return the bars, which `fetch` has checked: only a host that makes sense is believed."""
        assert isinstance(fetched.raw, Bars)
        return fetched.raw

    def actions(self, symbol: Symbol) -> "list[Action]":
        """Return dividends, bonus and rights issues by ex-date; [] for an index, and where nobody knows them.

        raises  TryLater where somebody may know them later: half-adjusted prices are worse than none.
        """
        return self._known_actions(symbol) or []

    def _known_actions(self, symbol: Symbol) -> "list[Action] | None":
        """Return the actions, asked for once in the life of this adapter; None where nobody knows them."""
        if symbol.canonical not in self._actions:
            try:
                self._actions[symbol.canonical] = _actions(symbol)
            except (NotFound, Unavailable):
                self._actions[symbol.canonical] = None
        return self._actions[symbol.canonical]

    def lookup(self, text: str) -> list[Symbol]:
        """Return nothing: the hosts are asked by code."""
        return []


def _actions(symbol: Symbol) -> "list[Action] | None":
    """Ask those who know: Eastmoney of mainland stocks (Sina where it does not answer) and funds, Sina of the others.

    Dividends of B-shares stand in yuan at Eastmoney while the shares trade in dollars, so Sina is asked of them.
    """
    if symbol.kind == "index":
        return []
    if symbol.market != "CN" or is_b_share(symbol):
        return sina.actions(symbol)
    if symbol.kind == "etf":
        return eastmoney.fund_actions(symbol)
    return _first(symbol, [partial(eastmoney.actions, symbol), partial(sina.actions, symbol)])


def _first(symbol: Symbol, ways: list[Callable[[], T]]) -> T:
    """Return what the first way gives that does not fail; else raise the failure that is most worth another try."""
    failures: list[IaError] = []
    for way in ways:
        try:
            return way()
        except (NotFound, TryLater, Unavailable) as exc:
            failures.append(exc)
    if all(isinstance(failure, NotFound) for failure in failures):
        raise NotFound("{symbol}: no host has such a symbol", code="unknown-symbol", symbol=str(symbol))
    kind = TryLater if any(isinstance(failure, TryLater) for failure in failures) else Unavailable
    template = "{symbol}: no host answered: {first}; {second}; {third}"
    if len(failures) == 2:
        template = "{symbol}: no host answered: {first}; {second}"
    raise kind(
        template,
        code="no-host-answered",
        hint="another source: --adapter; how hosts stand: `ia doctor`",
        symbol=str(symbol),
        **dict(zip(("first", "second", "third"), failures, strict=False)),
    ) from failures[0]
