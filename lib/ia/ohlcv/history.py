"""A symbol's history: who is meant, from which source, fetched at most once a trading day, cut at now(), adjusted.

The order is fixed. First the symbol is identified; on doubt nothing is asked of anybody. Then each adapter of the chain
is tried: what is stored and fresh is used without a request, else it is fetched, and a failure leads to the next one.
"""

from typing import TYPE_CHECKING, NamedTuple

from ia import audit, clock, config
from ia.errors import BadData, IaError, Message, NotFound, Notify, TryLater, Unavailable, UsageError, silent
from ia.ohlcv import cache
from ia.ohlcv.adjust import adjusted
from ia.ohlcv.canonical import Bars
from ia.ohlcv.identity import Symbol, resolve
from ia.workspace import Workspace

if TYPE_CHECKING:
    import sqlite3

    from ia.ohlcv.adapters import Adapter

PERIODS = ("daily", "weekly", "monthly")
ADJUSTMENTS = ("qfq", "hfq", "none")


class Request(NamedTuple):
    """What is asked for. `adapters` empty means the configured chain; dates are inclusive, YYYY-MM-DD."""

    symbol: str
    period: str = "daily"
    start: str | None = None
    end: str | None = None
    adjust: str = "qfq"
    adapters: tuple[str, ...] = ()
    refresh: bool = False
    stale: bool = False


class Answer(NamedTuple):
    """The bars asked for, and where they come from."""

    symbol: Symbol
    series: cache.Series
    adjust: str
    period: str
    bars: Bars


def history(ws: Workspace, request: Request, notify: Notify = silent) -> Answer:
    """Return a symbol's bars, oldest first, none later than now().

    raises  UsageError for a symbol in doubt, NotFound for an unknown one, TryLater (ban, no network), Unavailable
            (changed response, no key): of several adapters the failure that is most worth another try.
    """
    db = cache.connect(ws)
    chain = request.adapters or _chain()
    symbol = resolve(request.symbol, cache.names(db))
    until = clock.last_visible(symbol.market)
    failures: list[IaError] = []
    for name in chain:
        try:
            series = _series(ws, db, name, symbol, request, notify)
        except (NotFound, Unavailable, TryLater) as exc:
            failures.append(exc)
            if name != chain[-1]:
                notify(Message("{adapter}: {reason}; trying {next}", adapter=name, reason=exc, next=chain[len(failures)]))
            continue
        _announce(series, request, notify)
        return Answer(symbol, series, request.adjust, request.period, _cut(db, series, request, until))
    raise _worst(failures)


def _chain() -> tuple[str, ...]:
    return tuple(part.strip() for part in str(config.get("market.adapter")).split(",") if part.strip())


def _worst(failures: list[IaError]) -> IaError:
    """Of several failures: a passing one first (cron will try again), then a refusal, then `not found`."""
    for kind in (TryLater, Unavailable, NotFound):
        for failure in failures:
            if isinstance(failure, kind):
                return failure
    return UsageError("market.adapter names no adapter", hint="`ia config set market.adapter akshare`")


def _series(
    ws: Workspace, db: "sqlite3.Connection", name: str, symbol: Symbol, request: Request, notify: Notify
) -> cache.Series:
    """Return the stored series if it is fresh, else fetch it; with `stale`, whatever is stored."""
    known = cache.find(db, name, symbol.canonical)
    if known and (request.stale or (not request.refresh and clock.stamp(clock.now()) < known.fresh_until)):
        return known
    if request.stale:
        raise NotFound("{symbol}: no stored copy from {adapter}", symbol=symbol.canonical, adapter=name)
    try:
        return _fetch(ws, db, name, symbol, known, notify)
    except (Unavailable, TryLater) as exc:
        if known and not exc.hint:
            exc.hint = "a copy that is {age} old is stored: add --stale to use it"
            exc.params = {**exc.params, "age": cache.age(known)}
        raise


def _fetch(
    ws: Workspace, db: "sqlite3.Connection", name: str, symbol: Symbol, known: cache.Series | None, notify: Notify
) -> cache.Series:
    """Fetch what is new, or everything where the past has changed, and store it. Bars that are not closed are dropped."""
    from ia.ohlcv.adapters import load
    from ia.ohlcv.calendar import fresh_until

    adapter = load(name)
    fetched_at = clock.wall()
    closed = clock.last_visible(symbol.market, fetched_at)
    new = _extended(db, adapter, symbol, known) if known else None
    if new is None:
        raw = adapter.fetch(symbol, None, None)
        new = adapter.normalize(raw), raw.host, raw.note, raw.name
    bars, host, note, told = new
    bars = _until(bars, closed)
    if not bars.date:
        raise NotFound("{symbol}: {adapter} has no bars", symbol=symbol.canonical, adapter=name)
    series = cache.Series(
        adapter=name, symbol=symbol.canonical, name=symbol.name or told, host=host, note=note, simulated=adapter.simulated,
        fetched=clock.stamp(fetched_at), fresh_until=clock.stamp(fresh_until(symbol.market, fetched_at, bars.date[-1])),
        first=bars.date[0], last=bars.date[-1],
    )  # fmt: skip
    cache.put(db, symbol, series, bars, sorted(adapter.actions(symbol)))
    audit.record(ws.db, "ohlcv.fetch", symbol.canonical, adapter=name, host=host, rows=len(bars.date), last=series.last)
    return series


def _extended(
    db: "sqlite3.Connection", adapter: "Adapter", symbol: Symbol, known: cache.Series
) -> tuple[Bars, str, str, str] | None:
    """Return the stored bars with the new ones behind them, or None where the two do not agree on the days they share."""
    stored = cache.bars(db, known, "9999")
    overlap = stored.date[-5:]
    raw = adapter.fetch(symbol, overlap[0], None)
    new = adapter.normalize(raw)
    if raw.host != known.host or raw.note != known.note:
        return None
    shared = dict(zip(new.date, new.close, strict=True))
    closes = dict(zip(overlap, stored.close[-5:], strict=True))
    if any(shared.get(date) != close for date, close in closes.items()):
        return None
    cut = stored.date.index(overlap[0])
    joined = Bars(*(old[:cut] + fresh for old, fresh in zip(stored, new, strict=True)))  # type: ignore[arg-type,operator]
    return joined, raw.host, raw.note, raw.name


def _cut(db: "sqlite3.Connection", series: cache.Series, request: Request, until: str) -> Bars:
    """Return the visible bars of a stored series in the form asked for.

    Factors are those known at the last visible bar, so that neither a later dividend nor `--start` and `--end` change
    what a price of the past looks like.
    """
    bars = cache.bars(db, series, until)
    if bars.date and request.adjust != "none":
        bars = adjusted(bars, cache.actions(db, series, bars.date[-1]), request.adjust)
    if request.period != "daily":
        from ia.ohlcv.resample import resample

        bars = resample(bars, request.period)
    return between(bars, request.start, request.end)


def between(bars: Bars, start: str | None, end: str | None) -> Bars:
    """Return the bars from `start` to `end`, both inclusive; a day's bars of an intraday series belong to the day."""
    from bisect import bisect_left, bisect_right

    low = bisect_left(bars.date, start) if start else 0
    high = bisect_right(bars.date, end + "T99") if end else len(bars.date)
    return Bars(*(column[low:high] for column in bars))  # type: ignore[arg-type]


def _until(bars: Bars, last: str) -> Bars:
    return between(bars, None, last)


def _announce(series: cache.Series, request: Request, notify: Notify) -> None:
    """Say what the reader of the numbers must know: simulated, old, or not adjusted by us."""
    if series.simulated:
        notify(Message("simulated prices: {symbol} is invented by the {adapter} market", symbol=series.symbol, adapter=series.adapter))  # fmt: skip
    if request.stale:
        notify(Message("stored copy, {age} old, last bar {last}", age=cache.age(series), last=series.last))
    if series.note and request.adjust != "none":
        notify(Message("{symbol}: {note}", symbol=series.symbol, note=series.note))


def check(request: Request) -> None:
    """Raise UsageError or BadData for dates that are none, or an interval that is empty by its ends."""
    from ia.ohlcv.canonical import is_date

    for name, value in (("--start", request.start), ("--end", request.end)):
        if value is not None and not is_date(value):
            raise UsageError("{option}: {value!r} is not a date", option=name, value=value, hint="write YYYY-MM-DD")
    if request.start and request.end and request.start > request.end:
        raise BadData("--start {start} is after --end {end}", start=request.start, end=request.end)
