"""The prices of a backtest: raw bars with their corporate actions, and adjusted ones for expressions."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.faculties.lab.run_types import RunMarket
from ia.faculties.lab.securities import Security
from ia.kernel.collection import pause_collection
from ia.kernel.errors import NotFound, Notify, SimulatedPrices, drop_message
from ia.kernel.store import translate_errors
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market.exchange_status import NOTHING_STORED, ExchangeStatus, load_exchange_status
from ia.organs.ohlcv.adjustment import Action, adjustment_factors
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.history import load_raw_history

UNKNOWN = Symbol("CSV", "US", "US", "stock")
"""What bars without a symbol are traded as: no price limits, whole shares, sold on any day, no fees but those given."""


def load_named_market(ws: Workspace, texts: Iterable[str], notify: Notify = drop_message) -> RunMarket:
    """Return the prices of securities by code or name, fetched where they are not stored.

    raises  what `ia.organs.ohlcv.history.load_history` raises.
    """
    securities, simulated = [], False
    told: list[frozenset[str]] = []
    for text in texts:
        found = load_raw_history(ws, text, notify)
        simulated |= found.series.simulated
        name = found.symbol.canonical
        status = load_status(ws, found.series.adapter, [name], found.bars)
        securities.append(_make_security(found.symbol, found.bars, found.actions, status))
        if found.symbol.market == "CN":
            told.append(status.told)
    return build_market(securities, simulated=simulated, st_told=_told_of_all(told))


def load_status(ws: Workspace, adapter: str, names: Sequence[str], bars: Bars) -> ExchangeStatus:
    """Return what the market's store knows of the listing and the special treatment of securities, up to their bars."""
    if not bars.date or not marketdb.is_stored(ws):
        return NOTHING_STORED
    with translate_errors(marketdb.SCHEMA), closing(marketdb.connect(ws)) as db:
        return load_exchange_status(db, adapter, names, bars.date[-1])


def _told_of_all(told: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the days that all of them tell."""
    return frozenset.intersection(*told) if told else frozenset()


def load_universe_market(
    ws: Workspace,
    symbols: Sequence[str] | None,
    notify: Notify = drop_message,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> RunMarket:
    """Return the stored prices of securities of the synced market; None: of all its stocks.

    raises  NotFound where no market is stored, or none of them has a bar.
    """
    from ia.organs.market import market_reader, store
    from ia.organs.market.industry_history import load_industries
    from ia.organs.market.mirror.reader import load_mirror
    from ia.organs.market.mirror.symbol_bars import iterate_raw_bars

    with pause_collection(), market_reader.open_market(ws) as db:
        day = market_reader.load_day(db, notify)
        mirror = load_mirror(ws, day.name, day.date)
        known = set(mirror.symbols)
        wanted = (
            [each for each in mirror.symbols if from_canonical(each).kind == "stock"] if symbols is None else symbols
        )
        actions = store.load_all_actions(db, day.source, day.date)
        status = load_exchange_status(db, day.name, [each for each in wanted if each in known], day.date)
        told = [status.told]
        securities = []
        for count, (name, bars) in enumerate(iterate_raw_bars(mirror, [each for each in wanted if each in known]), 1):
            show(count, len(wanted))
            securities.append(_make_security(from_canonical(name), bars, actions.get(name, ()), status))
    simulated = day.simulated
    if others := [each for each in wanted if each not in known]:
        rest = load_named_market(ws, others, notify)
        securities += rest.securities.values()
        if any(each.symbol.market == "CN" for each in rest.securities.values()):
            told.append(rest.st_told)
        simulated |= rest.simulated
    if not securities:
        raise NotFound("no bars stored of these securities", hint="fetch them with `ia sync daily`")
    if day.simulated:
        notify(SimulatedPrices("simulated prices: {symbol} is invented by {adapter}", symbol="…", adapter=day.name))

    def industries(days: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
        with market_reader.open_market(ws) as db:
            return load_industries(db, day.source, days)

    return replace(build_market(securities, simulated=simulated, st_told=_told_of_all(told)), industries=industries)


def build_market(
    securities: Iterable[Security], *, simulated: bool = False, st_told: frozenset[str] = frozenset()
) -> RunMarket:
    """Return the market of securities: their adjusted bars, and all days on which any of them traded."""
    by_name = {each.symbol.canonical: each for each in sorted(securities, key=lambda each: each.symbol.canonical)}
    days: set[str] = set()
    for each in by_name.values():
        days.update(each.bars.date)
    with pause_collection():
        signal_bars = {name: adjust_forward(each) for name, each in by_name.items()}
    return RunMarket(
        securities=by_name,
        signal_bars=signal_bars,
        trading_days=tuple(sorted(days)),
        simulated=simulated,
        st_told=st_told,
    )


def adjust_forward(security: Security) -> Bars:
    """Return a security's bars with prices times their factors (hfq, not rounded); prices are arrays."""
    import numpy as np

    bars, (*prices, volume) = security.bars, security.columns
    if security.actions:
        factors = np.array(
            adjustment_factors(bars.date, bars.close, security.actions, tick_size(security.symbol)), dtype=np.float64
        )
        prices = [column * factors for column in prices]
    columns: list[Any] = [bars.date, *prices, volume]
    return Bars._make(columns)


def _make_security(symbol: Symbol, bars: Bars, actions: Iterable[Action], status: ExchangeStatus) -> Security:
    name = symbol.canonical
    return Security(
        symbol=symbol,
        bars=bars,
        actions=tuple(actions),
        listed=status.listed.get(name),
        st_days=status.st.get(name, frozenset()),
    )
