"""A symbol's history: who is meant, from which source, fetched at most once a trading day, cut at now(), adjusted.

The order is fixed. First the symbol is identified; on doubt nothing is asked of anybody. Then each adapter of the chain
is tried: what is stored and fresh is used without a request, else it is fetched, and a failure leads to the next one.
"""

import contextlib
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import Symbol, resolve_security
from ia.kernel import audit, clock, config, dateforms
from ia.kernel.errors import (
    IaError,
    Message,
    NotFound,
    Notify,
    Refused,
    SimulatedPrices,
    TryLater,
    Unavailable,
    UsageError,
    drop_message,
)
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adjustment import Action, adjust_bars
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    import sqlite3

    from ia.organs.ohlcv.adapters import Adapter, Fetched

PERIODS = ("daily", "weekly", "monthly")


class BarsRequest(NamedTuple):
    """What is asked for. `adapters` empty means the configured chain; dates are inclusive, in any form of dateforms."""

    symbol: str
    period: str = "daily"
    start: str | None = None
    end: str | None = None
    adjust: str = "qfq"
    adapters: tuple[str, ...] = ()
    refresh: bool = False
    stale: bool = False


class BarsAnswer(NamedTuple):
    """The bars asked for, and where they come from; `inputs`: digests of the files on this disk that were read."""

    symbol: Symbol
    series: series_store.Series
    adjust: str
    period: str
    bars: Bars
    inputs: tuple[str, ...] = ()


def load_history(ws: Workspace, request: BarsRequest, notify: Notify = drop_message) -> BarsAnswer:
    """Return a symbol's bars, oldest first, none later than now().

    raises  UsageError for a symbol in doubt, NotFound for an unknown one, TryLater (ban, no network), Unavailable
            (changed response, no key): of several adapters the failure that is most worth another try.
    """
    request = resolve_dates(request)
    chain = request.adapters or tuple(config.get_setting_words("market.adapter"))
    with contextlib.closing(marketdb.connect(ws, notify)) as db:
        symbol = _identify_symbol(request.symbol, db, chain)
        stored = _first_success(ws, db, chain, symbol, request, notify)
    _notify_reader(stored, request, notify)
    bars = _shape_bars(symbol, stored, request)
    return BarsAnswer(
        symbol=symbol,
        series=stored.series,
        adjust=request.adjust,
        period=request.period,
        bars=bars,
        inputs=stored.inputs,
    )


class RawHistory(NamedTuple):
    """A security's unadjusted daily bars to now(), oldest first, and its corporate actions."""

    symbol: Symbol
    series: series_store.Series
    bars: Bars
    actions: list[Action]

    def bars_as_of(self, day: str) -> Bars:
        """Return the bars that `ia --now DAY ohlcv SYMBOL` gives after the close: to a day, adjusted as known then."""
        seen = self.bars.between_dates(None, day)
        known = [action for action in self.actions if seen.date and action.date <= seen.date[-1]]
        return adjust_bars(seen, known, "qfq", tick_size(self.symbol)) if seen.date else seen


def load_raw_history(ws: Workspace, text: str, notify: Notify = drop_message) -> RawHistory:
    """Return a security's history as it was traded, for who looks at several days as each of them was seen.

    raises  what `load_history` raises.
    """
    request = BarsRequest(symbol=text, adjust="none")
    chain = tuple(config.get_setting_words("market.adapter"))
    with contextlib.closing(marketdb.connect(ws, notify)) as db:
        symbol = _identify_symbol(text, db, chain)
        stored = _first_success(ws, db, chain, symbol, request, notify)
    _notify_reader(stored, request, notify)
    return RawHistory(symbol=symbol, series=stored.series, bars=stored.bars, actions=stored.actions)


def _first_success(
    ws: Workspace,
    db: "sqlite3.Connection",
    chain: tuple[str, ...],
    symbol: Symbol,
    request: BarsRequest,
    notify: Notify,
) -> "_Stored":
    """Return what the first adapter of the chain has that does not fail."""
    failures: list[IaError] = []
    for name in chain:
        try:
            return _load_or_fetch(ws, db, name, symbol, request, notify)
        except (NotFound, Unavailable, TryLater) as exc:
            failures.append(exc)
            if name != chain[-1]:
                following = chain[len(failures)]
                notify(Message("{adapter}: {reason}; trying {next}", adapter=name, reason=exc, next=following))
    raise _worst_failure(failures)


class _Stored(NamedTuple):
    """Raw bars and actions as they may be seen at now(). local, inputs: of the adapter, and of what it read."""

    series: series_store.Series
    bars: Bars
    actions: list[Action]
    local: bool = False
    inputs: tuple[str, ...] = ()


def _identify_symbol(text: str, db: "sqlite3.Connection", chain: tuple[str, ...]) -> Symbol:
    """Return the one security that is meant: by rule and table, else by a name that one of the sources knows."""
    try:
        symbol = resolve_security(text, series_store.learned_symbols(db))
    except NotFound:
        from ia.organs.ohlcv.adapters import load_adapter

        for name in chain:
            found = load_adapter(name).lookup(text)
            if len(found) > 1:
                listed = ", ".join(map(str, found))
                raise UsageError("{text} is ambiguous: {candidates}", text=text, candidates=listed) from None
            if found:
                return found[0]
        raise
    if symbol.kind in ("repo", "issue"):
        raise UsageError(
            "{symbol} is a reverse repo code and has no share price"
            if symbol.kind == "repo"
            else "{symbol} is a subscription code of a new issue and has no price",
            symbol=symbol.canonical,
            hint="give the listed code",
        )
    return symbol


def _worst_failure(failures: list[IaError]) -> IaError:
    """Of several failures: a passing one first (cron will try again), then a refusal, then `not found`."""
    for kind in (TryLater, Unavailable, NotFound):
        for failure in failures:
            if isinstance(failure, kind):
                return failure
    return UsageError("market.adapter does not name an adapter", hint="run `ia config set market.adapter akshare`")


def _load_or_fetch(
    ws: Workspace, db: "sqlite3.Connection", name: str, symbol: Symbol, request: BarsRequest, notify: Notify
) -> _Stored:
    """Return the stored series if it is fresh, else fetch it; with `stale`, whatever is stored."""
    until = clock.last_visible_date(symbol.market)
    known = series_store.find_series(db, name, symbol.canonical)
    if not (known and (request.stale or (not request.refresh and _is_fresh(known)))):
        if request.stale:
            raise NotFound("{symbol}: no stored copy from {adapter}", symbol=symbol.canonical, adapter=name)
        from ia.organs.ohlcv.adapters import load_adapter

        adapter = load_adapter(name)
        if adapter.local:
            return _read_local(adapter, symbol, until)
        if symbol.kind == "bond":
            raise NotFound(
                "{symbol}: {adapter} does not provide convertible bonds",
                symbol=symbol.canonical,
                adapter=name,
                hint="use a folder of CSV files instead: `ia config set market.csv.dir FOLDER`",
            )
        if not request.refresh and (found := _load_synced(db, name, symbol, request, until)):
            return found
        try:
            with series_store.hold_fetch_lock(ws, name, symbol.canonical):
                others = series_store.find_series(db, name, symbol.canonical)
                if others and others != known and _is_fresh(others):
                    known = others  # another process fetched it while this one waited
                else:
                    known = _fetch_series(ws, db, adapter, symbol, others)
        except (Unavailable, TryLater, Refused) as exc:
            found = None if request.refresh else _load_synced(db, name, symbol, request, until, partly=True)
            if found is None:
                raise
            told = "{adapter}: {reason}; using the data stored by `ia sync`, from {first} on"
            notify(Message(told, adapter=name, reason=exc, first=found.series.first))
            return found
    bars = series_store.load_bars(db, known, until)
    return _Stored(
        known, bars, series_store.load_actions(db, name, symbol.canonical, bars.date[-1]) if bars.date else []
    )


def _load_synced(
    db: "sqlite3.Connection", name: str, symbol: Symbol, request: BarsRequest, until: str, partly: bool = False
) -> _Stored | None:
    """Return what `ia sync` stored, where that is what a fetch would bring: to the last session, and from as early on.

    It is from as early on where it begins with the listing, or before what is asked for; `hfq` hangs on the first bar.
    With `partly` it may begin later than what is asked for, but not for `hfq`.
    """
    found = marketdb.read_synced(db, name, symbol.canonical, until) if symbol.market == "CN" else None
    if found is None or not _covers_last_session(found.covered, until):
        return None
    whole = found.listed is not None and found.first <= _add_days(found.listed, 15)
    enough = partly or (request.start is not None and request.start >= _add_days(found.first, 31))
    if not (whole or (enough and request.adjust != "hfq")):
        return None
    bars = Bars.from_rows([row[:6] for row in marketdb.read_daily(db, found.source, symbol.canonical, until)])
    if not bars.date:
        return None
    series = series_store.Series(
        adapter=name,
        symbol=symbol.canonical,
        name=symbol.name or found.name,
        host=f"{found.host or name} (ia sync {found.covered})",
        note=found.note,
        simulated=found.simulated,
        fetched=found.fetched,
        fresh_until="",
        first=found.first,
        last=found.last,
    )
    return _Stored(series, bars, series_store.load_actions(db, name, symbol.canonical, bars.date[-1]))


def _covers_last_session(covered: str, until: str) -> bool:
    """Whether no session lies between a day and `until`: at weekends that is known without asking the calendar."""
    from datetime import date, timedelta

    if not covered:
        return False
    day, last = date.fromisoformat(covered), date.fromisoformat(until)
    if all((day + timedelta(days=n)).weekday() > 4 for n in range(1, (last - day).days + 1)):
        return True
    from ia.organs.ohlcv.calendar import last_session

    return (last - day).days < 15 and last_session("CN", clock.now()) <= covered


def _add_days(day: str, days: int) -> str:
    from datetime import date, timedelta

    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _is_fresh(series: series_store.Series) -> bool:
    return clock.utc_stamp(clock.now()) < series.fresh_until


def _read_local(adapter: "Adapter", symbol: Symbol, until: str) -> _Stored:
    """Return what a source on this disk has. It is read anew each time: a person may have edited it."""
    fetched = adapter.fetch(symbol, None, None)
    everything = adapter.normalize(fetched)
    bars = everything.between_dates(None, until)
    stamp = clock.utc_stamp(clock.wall_time())
    first, last = (everything.date[0], everything.date[-1]) if everything.date else ("", "")
    series = series_store.Series(
        adapter=adapter.name,
        symbol=symbol.canonical,
        name=symbol.name or fetched.name,
        host=fetched.host,
        note=fetched.note,
        simulated=adapter.simulated,
        fetched=stamp,
        fresh_until=stamp,
        first=first,
        last=last,
    )
    known = [action for action in adapter.actions(symbol) if bars.date and action.date <= bars.date[-1]]
    return _Stored(series, bars, known, local=True, inputs=fetched.inputs)


def _fetch_series(
    ws: Workspace, db: "sqlite3.Connection", adapter: "Adapter", symbol: Symbol, known: series_store.Series | None
) -> series_store.Series:
    """Fetch what is new, or all where the past has changed, and store it. Bars that are not closed are dropped."""
    from ia.organs.ohlcv.calendar import fresh_until

    try:
        fetched_at = clock.wall_time()
        found = _extend_series(db, adapter, symbol, known) if known else None
        if found is None:
            fetched = adapter.fetch(symbol, None, None)
            found = adapter.normalize(fetched), fetched
        bars, fetched = found[0].between_dates(None, clock.last_visible_date(symbol.market, fetched_at)), found[1]
        actions = sorted(adapter.actions(symbol), key=lambda action: action.date)
    except (Unavailable, TryLater) as exc:
        if known and not exc.hint:
            exc.hint = "to use the stored copy ({age} old), add --stale"
            exc.params = {**exc.params, "age": series_store.series_age(known)}
        raise
    if not bars.date:
        raise NotFound("{symbol}: {adapter} has no bars", code="no-bars", symbol=symbol.canonical, adapter=adapter.name)
    fresh = fresh_until(symbol.market, fetched_at, bars.date[-1])
    series = series_store.Series(
        adapter=adapter.name,
        symbol=symbol.canonical,
        name=symbol.name or fetched.name,
        host=fetched.host,
        note=fetched.note,
        simulated=adapter.simulated,
        fetched=clock.utc_stamp(fetched_at),
        fresh_until=clock.utc_stamp(fresh),
        first=bars.date[0],
        last=bars.date[-1],
    )
    series_store.store_series(db, symbol, series, bars, actions)
    what = {"adapter": adapter.name, "host": fetched.host, "rows": len(bars.date), "last": series.last}
    audit.record(ws.db, "ohlcv.fetch", symbol.canonical, "user", **what)
    return series


def _extend_series(
    db: "sqlite3.Connection", adapter: "Adapter", symbol: Symbol, known: series_store.Series
) -> "tuple[Bars, Fetched] | None":
    """Return the stored bars with the new ones behind them, or None where the two disagree on the days they share."""
    stored = series_store.load_bars(db, known, "9999")
    shared = stored.date[-5:]
    fetched = adapter.fetch(symbol, shared[0], None)
    if (fetched.host, fetched.note) != (known.host, known.note):
        return None
    new = adapter.normalize(fetched)
    closes = dict(zip(new.date, new.close, strict=True))
    if any(closes.get(date) != close for date, close in zip(shared, stored.close[-5:], strict=True)):
        return None
    kept = stored.between_dates(None, shared[0])
    return _join_bars(kept, new), fetched


def _join_bars(old: Bars, new: Bars) -> Bars:
    """Return bars with newer ones behind them; the last of the old is the first of the new."""
    columns: list[Any] = [list(column)[:-1] for column in old]
    for column, more in zip(columns, new, strict=True):
        column.extend(more)
    return Bars(*columns)


def _shape_bars(symbol: Symbol, stored: _Stored, request: BarsRequest) -> Bars:
    """Return visible bars in the form asked for.

    Factors are those known at the last visible bar, so that neither a later dividend nor `--start` and `--end` change
    what a price of the past looks like.
    """
    bars = stored.bars
    if bars.date and request.adjust != "none":
        bars = adjust_bars(bars, stored.actions, request.adjust, tick_size(symbol))
    if request.period != "daily":
        from ia.organs.ohlcv.resample import resample_bars

        bars = resample_bars(bars, request.period)
    return bars.between_dates(request.start, request.end)


def visible_bars(bars: Bars) -> Bars:
    """Return what may be seen at now() of bars that came through a pipe, whose market nobody told.

    A daily bar is seen from the close in Shanghai on, an intraday one from its own time there: what `ia ohlcv` writes
    of a market that closes later it has cut already.
    """
    if not clock.is_simulated() or not bars.date:
        return bars
    from bisect import bisect_right

    local = clock.now().astimezone(clock.CHINA)
    intraday = len(bars.date[0]) > 10
    last = bisect_right(bars.date, local.strftime("%Y-%m-%dT%H:%M:%S") if intraday else clock.last_visible_date("CN"))
    return bars.slice_bars(0, last)


def _notify_reader(stored: _Stored, request: BarsRequest, notify: Notify) -> None:
    """Say what the reader of the numbers must know: simulated, old, or not adjusted by us."""
    series = stored.series
    if series.simulated:
        simulated = "simulated prices: the {adapter} market generates {symbol}"
        notify(SimulatedPrices(simulated, symbol=series.symbol, adapter=series.adapter))
    if request.stale:
        notify(
            Message("stored copy, {age} old, last bar {last}", age=series_store.series_age(series), last=series.last)
        )
    if series.note and (request.adjust != "none" or stored.local):
        notify(Message("{symbol}: {note}", symbol=series.symbol, note=Message(series.note)))


def resolve_dates(request: BarsRequest) -> BarsRequest:
    """Return the request with its dates as YYYY-MM-DD, read from any form of dateforms by the exchange's today.

    raises  UsageError for what is no date, an interval that is empty by its ends, and for a security one that is yet
            to begin; a file (symbol `-`) may hold any dates.
    """
    today = date.fromisoformat(clock.today(_market_of(request.symbol)))
    start = request.start and dateforms.parse_day(request.start, today, option="--start")
    end = request.end and dateforms.parse_day(request.end, today, option="--end", last=True)
    if start and end and start > end:
        raise UsageError("--start {start} is after --end {end}", start=start, end=end)
    if request.symbol != "-" and start and start > max(str(today), clock.today()):
        raise UsageError("{option}: {date} is in the future", option="--start", date=start)
    return request._replace(start=start, end=end)


def _market_of(text: str) -> str:
    """Return the market whose day counts for a security as it was typed; the mainland's where that is not known."""
    try:
        return resolve_security(text).market
    except IaError:
        return "CN"
