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
from ia.kernel.i18n import mark_text
from ia.organs.ohlcv.adapters import Fetched, eastmoney, sina
from ia.organs.ohlcv.adapters.hosts import HOSTS, LIVE, Host
from ia.organs.ohlcv.adapters.table_check import FeedTable, check_table
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

T = TypeVar("T")
NO_ACTIONS = mark_text("dividends and splits unknown: prices are as traded, not adjusted")


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

        def fetch_from_host(host: Host) -> tuple[FeedTable, Bars]:
            table = host(symbol, start, end)
            return table, check_table(table).between_dates(start, end)

        table, bars = _first_success(symbol, [partial(fetch_from_host, host) for host in HOSTS.values()])
        note = NO_ACTIONS if self._known_actions(symbol) is None else ""
        return Fetched(symbol=symbol, raw=bars, host=table.host, note=note, name=table.name)

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
                self._actions[symbol.canonical] = _fetch_actions(symbol)
            except (NotFound, Unavailable):
                self._actions[symbol.canonical] = None
        return self._actions[symbol.canonical]

    def lookup(self, text: str) -> list[Symbol]:
        """Return nothing: the hosts are asked by code."""
        return []


def _fetch_actions(symbol: Symbol) -> "list[Action] | None":
    """Ask those who know: Eastmoney of mainland stocks (Sina where it does not answer) and funds, Sina of the others.

    Dividends of B-shares stand in yuan at Eastmoney while the shares trade in dollars, so Sina is asked of them.
    """
    if symbol.kind == "index":
        return []
    if symbol.market != "CN" or is_b_share(symbol):
        return sina.fetch_actions(symbol)
    if symbol.kind == "etf":
        return eastmoney.fetch_fund_actions(symbol)
    return _first_success(symbol, [partial(eastmoney.fetch_actions, symbol), partial(sina.fetch_actions, symbol)])


def _first_success(symbol: Symbol, ways: list[Callable[[], T]]) -> T:
    """Return what the first way gives that does not fail; else raise the failure that is most worth another try."""
    failures: list[IaError] = []
    for way in ways:
        try:
            return way()
        except (NotFound, TryLater, Unavailable) as exc:
            failures.append(exc)
    if all(isinstance(failure, NotFound) for failure in failures):
        raise NotFound("{symbol}: not found on any host", code="unknown-symbol", symbol=symbol)
    kind = TryLater if any(isinstance(failure, TryLater) for failure in failures) else Unavailable
    template = "{symbol}: no host answered: {first}; {second}; {third}"
    if len(failures) == 2:
        template = "{symbol}: no host answered: {first}; {second}"
    raise kind(
        template,
        code="no-host-answered",
        hint="try another data source with --adapter; `ia doctor` shows the state of each host",
        symbol=symbol,
        **dict(zip(("first", "second", "third"), failures, strict=False)),
    ) from failures[0]
