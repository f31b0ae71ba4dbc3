"""Dates of companies and closed days of markets into the store: the job `calendar` of `ia sync`, and `ia calendar`."""

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock, config
from ia.kernel.errors import IaError, NotFound, TryLater, Unavailable
from ia.kernel.workspace import Workspace
from ia.organs.market import date_store, news_store, sources, store
from ia.organs.market.market_jobs import RECENT, WEEK, JobResult, is_recent
from ia.organs.market.snapshot import Progress
from ia.organs.market.sources import CompanyEvent, MarketSource
from ia.organs.ohlcv import session_days

FRESH = timedelta(hours=12)
"""How long the dates of a security are new enough."""
MARKETS = ("CN", "HK", "US")
_CLOSURES = "closures"


class RefreshedDates(NamedTuple):
    """How many dates are new, and why securities have none, by symbol."""

    new: int
    failures: dict[str, IaError]


def refresh_dates(ws: Workspace, symbols: Sequence[str], *, force: bool = False) -> RefreshedDates:
    """Ask for the dates of securities that were not asked for within FRESH, and store them with the closed days.

    force   ask in any case

    The failure of one security does not stop the others.
    """
    new, failures = 0, {}
    with news_store.open_store(ws) as db:
        chain = _load_chain()
        for source in chain[:1]:
            number = store.source_id(db, source.name, source.simulated)
            new += sum(sync_closures(db, number, market) for market in markets_of(symbols))
        for symbol in symbols:
            try:
                new += _refresh_symbol(db, chain, symbol, force)
            except IaError as exc:
                failures[symbol] = exc
    return RefreshedDates(new, failures)


def _refresh_symbol(db: sqlite3.Connection, chain: Sequence[MarketSource], symbol: str, force: bool) -> int:
    if not is_covered(symbol):
        raise NotFound("{symbol}: no source of coming dates, because it is not a stock", symbol=symbol)
    refused: IaError | None = None
    for source in chain:
        if not force and news_store.was_asked(db, "dates", source.name, symbol, FRESH):
            return 0
        try:
            return _fetch_symbol(db, store.source_id(db, source.name, source.simulated), source, symbol)
        except sources.NotDelivered as exc:
            refused = refused or exc
    raise refused or Unavailable(
        "no adapter in market.adapter provides the dates of companies",
        hint="run `ia config set market.adapter akshare`",
    )


def _fetch_symbol(db: sqlite3.Connection, number: int, source: MarketSource, symbol: str) -> int:
    """Ask a source for the dates of a security, and store them; return how many rows changed."""
    events = source.events_of(symbol)
    whole = not source.simulated and not clock.is_past()
    new, gone = date_store.put_dates(db, number, symbol, events, whole=whole)
    news_store.note_asked(db, "dates", source.name, symbol)
    return new + gone


def _load_chain() -> list[MarketSource]:
    """Return the sources of `market.adapter` that tell of a whole market, in that order."""
    names = [name for name in config.get_setting_words("market.adapter") if name in sources.BUILT_IN]
    return [sources.load_source(name) for name in names]


def is_covered(symbol: str) -> bool:
    """Whether some source may tell the dates of a security: those of stocks."""
    return from_canonical(symbol).kind == "stock"


def markets_of(symbols: Iterable[str]) -> list[str]:
    """Return the markets of securities, the mainland first and always."""
    found = {from_canonical(symbol).market for symbol in symbols} | {"CN"}
    return [market for market in MARKETS if market in found]


def sync_dates(
    db: sqlite3.Connection, number: int, source: MarketSource, symbols: Sequence[str], progress: Progress
) -> JobResult:
    """Store the dates of stocks, and the closed days of the markets of all of these securities.

    One that the source does not have is no failure.
    raises  TryLater, Unavailable of the source, when what was fetched before is stored.
    """
    changed = sum(sync_closures(db, number, market) for market in markets_of(symbols))
    wanted = [symbol for symbol in symbols if is_covered(symbol)]
    failed: IaError | None = None
    for done, symbol in enumerate(wanted):
        progress(done, len(wanted))
        try:
            changed += _fetch_symbol(db, number, source, symbol)
        except NotFound:
            continue
        except sources.NotDelivered:
            raise
        except (TryLater, Unavailable) as exc:
            failed = failed or exc
    progress(len(wanted), len(wanted))
    if failed is not None:
        raise failed
    store.note_job(db, number, "calendar", "", "done", str(len(wanted)))
    today = clock.today("CN")
    rows = date_store.load_dates(db, wanted, today, "9999")
    return JobResult(rows[0].date if rows else "", len(rows), changed)


def is_due(db: sqlite3.Connection, number: int, source: str, symbols: Sequence[str]) -> bool:
    """Return True if the dates of one of these securities were not asked for within a day."""
    if is_recent(db, number, "calendar", "", FRESH / 6):
        return False
    return any(
        is_covered(symbol) and not news_store.was_asked(db, "dates", source, symbol, RECENT) for symbol in symbols
    )


def sync_closures(db: sqlite3.Connection, number: int, market: str) -> int:
    """Store the weekdays without a session of this year and the next, as far as they are known; once a week."""
    if is_recent(db, number, _CLOSURES, market, WEEK):
        return 0
    from ia.organs.ohlcv import calendar

    year = int(clock.today(market)[:4])
    until = min(calendar.known_until(market), f"{year + 1}-12-31")
    before = f"{year - 1}-12-31"
    count = (date.fromisoformat(until) - date.fromisoformat(before)).days
    sudden = calendar.unscheduled_closures(market)
    closed = calendar.weekday_closures(market, before, max(0, count))
    days = [_build_closure(market, day, day in sudden) for day in closed]
    new, _ = date_store.put_dates(db, number, market, days, whole=False)
    store.note_job(db, number, _CLOSURES, market, "done", until)
    return new


def _build_closure(market: str, day: str, sudden: bool) -> CompanyEvent:
    """Return a closed day; it was known when the holidays of its year were published, a sudden one on the day."""
    year = int(day[:4])
    planned = f"{year - 1}-{session_days.CN_ANNOUNCED}" if market == "CN" else f"{year - 2}-12-31"
    return CompanyEvent(symbol=market, kind=date_store.CLOSED, key=day, date=day, known=day if sudden else planned)


def closures_until(db: sqlite3.Connection, number: int, market: str) -> str:
    """Return the last day of which the store knows whether a market is closed; "" where it knows none."""
    row = db.execute(
        "SELECT told FROM jobs WHERE source = ? AND job = ? AND key = ?", (number, _CLOSURES, market)
    ).fetchone()
    known = row[0] if row else ""
    today = clock.today("CN")
    return min(known, session_days.announced_until(market, today)) if clock.is_past() else known
