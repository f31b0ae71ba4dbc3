"""What the store tells of the market at now(): the day that may be seen, quotes, reports, lists. Nobody is asked.

A day of the whole market may be seen after its session has closed (`clock.last_visible`); before that, what a snapshot
of today told counts from the moment at which it was taken, so that `--now 10:00` sees none of 14:00. What was taken
before the close and never again is told to be so. Reports count from their publication. Industry, concepts and the
day of listing are those that were told by that day, if the market was synced then: sources keep no history of them.
"""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.domain.instruments.boards import tick_size, trading_currency
from ia.domain.instruments.symbols import MARKET, Symbol, from_canonical, resolve_security, symbol_of_kind
from ia.kernel import clock, config, dateforms
from ia.kernel.errors import (
    IaError,
    Message,
    NotFound,
    Notify,
    PluralText,
    Simulated,
    SimulatedPrices,
    UsageError,
    drop_message,
)
from ia.kernel.jsontypes import Json
from ia.kernel.store import translate_errors
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import dividends, trailing
from ia.organs.market.past_day import load_past_day, newest_past_day
from ia.organs.market.screen_columns import BOARD, CONCEPTS, INDUSTRY, LISTED, ST
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adjustment import Action, adjust_bars, reference_price
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.market.foreign_figures import PricedSeries

Row = Json
OUT = timedelta(hours=1)
"""So long after the close nothing of Stock Connect and of unusual trading is out yet."""
_NEWEST = "SELECT max(date) FROM days WHERE source = ? AND whole = 1"
NEW_DAYS = 60
"""Calendar days after its listing in which a stock counts as new."""
ROWS = " FROM snapshots s LEFT JOIN securities c ON c.source = s.source AND c.symbol = s.symbol"
OF_DAY = " WHERE s.source = :source AND s.date = :date"
FROM = ROWS + OF_DAY
"""The rows of one day with what is known of their securities."""
STOCKS = " AND coalesce(c.kind, 'stock') = 'stock'"
_QUOTE = (
    "symbol", "name", "date", "price", "change_pct", "change", "prev_close", "open", "high", "low", "volume", "amount",
    "amplitude_pct", "turnover_pct", "volume_ratio", "pe", "pe_ttm", "pb", "roe_pct", "market_cap", "float_cap",
    "change_60d_pct", "change_ytd_pct", "time",
)  # fmt: skip
_OF_REPORT = ("roe_pct", "basis")
QUOTE = (*_QUOTE, "report", "basis", "industry", "concepts", "listed", "currency", "source", "simulated")
"""The fields of a quote, in the order of the output. `roe_pct` is of the period `report`, over `basis`; `currency` is
that of prices and market values."""
REPORTED = (
    "eps", "bvps", "roe_pct", "revenue", "revenue_yoy_pct", "profit", "profit_yoy_pct", "gross_margin_pct",
    "net_margin_pct", "debt_ratio_pct", "cash_flow_ps",
)  # fmt: skip
"""The figures of a report."""
YEAR_TO_DATE = "year-to-date"
"""The basis of figures as a report has them: since the beginning of its year."""


class MarketDay(NamedTuple):
    """A stored day of a source's market. `source` is its id in market.db, `name` its adapter.

    time     when it was taken, exchange time, `YYYY-MM-DD HH:MM`; host: who told it
    closed   whether it was taken after the close, so that it is the whole day
    of_bars  how many securities it has, where it is made of stored bars; None for a snapshot. Names, valuations and
             suspensions of such a day are unknown.
    asked    whether it was asked for by its date, so that no report counts that was published later
    """

    source: int
    name: str
    simulated: bool
    date: str
    time: str
    host: str
    closed: bool
    of_bars: int | None = None
    asked: bool = False


@contextlib.contextmanager
def open_market(ws: Workspace) -> Iterator[sqlite3.Connection]:
    """Open market.db where there is one; reading makes none.

    raises  NotFound where nothing was ever stored.
    """
    if not marketdb.is_stored(ws):
        raise _no_market_error()
    with translate_errors(marketdb.SCHEMA), contextlib.closing(marketdb.connect(ws)) as db:
        dividends.register_functions(db)
        yield db


def _no_market_error() -> NotFound:
    return NotFound("no market data stored yet", code="market-not-stored", hint="fetch the day with `ia sync daily`")


def list_sources(db: sqlite3.Connection) -> list[tuple[int, str, bool]]:
    """Return (id, name, simulated) of the adapters of `market.adapter` that have rows, in its order."""
    known = {name: (number, name, bool(fake)) for number, name, fake in db.execute("SELECT * FROM sources")}
    return [known[name] for name in config.get_setting_words("market.adapter") if name in known]


def load_day(db: sqlite3.Connection, notify: Notify = drop_message, on: str | None = None) -> MarketDay:
    """Return the newest day of the whole market that may be seen now, or `on` where that is stored.

    A past day that no snapshot was taken of is made from its stored bars: this connection then reads it as a snapshot.
    Tells `notify` where the market is simulated, where the day is older than the last closed session, where it was
    taken before the close, and where it is made from bars.
    raises  NotFound; UsageError for what is no date.
    """
    known = list_sources(db)
    seen, now = clock.last_visible_date("CN"), clock.now().astimezone(clock.CHINA)
    today = now.date().isoformat()
    for number, name, fake in known:
        row = db.execute(
            "SELECT d.date, d.time, d.host FROM days d WHERE d.source = ? AND d.whole = 1"
            " AND (d.date <= ? OR (d.date = ? AND d.time <= ?)) AND (?5 IS NULL OR d.date = ?5)"
            " ORDER BY d.date DESC LIMIT 1",
            (number, seen, today, clock.utc_stamp(now), on and _parse_day(on)),
        ).fetchone()
        past = newest_past_day(db, number, row[0] if row else "", seen, on and _parse_day(on))
        if past is not None:
            count = load_past_day(db, number, name, past)
            day = MarketDay(
                source=number,
                name=name,
                simulated=fake,
                date=past,
                time=f"{past} 15:00",
                host="",
                closed=True,
                of_bars=count,
                asked=on is not None,
            )
            _notify_age(db, day, notify, now, on)
            return day
        if row is not None:
            day = _build_day(number, name, fake, *row)._replace(asked=on is not None)
            _notify_age(db, day, notify, now, on)
            return day
    if on is not None and any(has_any_day(db, number) for number, _, _ in known):
        raise NotFound("{date}: market data of this day is not stored, or not visible yet", date=on)
    if on is None and (first := _first_stored_day(db, [number for number, _, _ in known])):
        raise NotFound(
            "no market data up to {date} is stored; the first stored day is {first}",
            code="market-not-stored",
            date=seen,
            first=first,
            hint="fetch earlier days with `ia sync daily --history --start {date}`",
        )
    raise _no_market_error()


def _first_stored_day(db: sqlite3.Connection, sources: list[int]) -> str:
    """Return the first day of the whole market that was stored of these sources, whatever now() is; "" for none."""
    marks = ", ".join("?" * len(sources))
    sql = f"SELECT min(date) FROM days WHERE (whole = 1 OR rows > 0) AND source IN ({marks})"
    return db.execute(sql, sources).fetchone()[0] or ""


def has_any_day(db: sqlite3.Connection, source: int) -> bool:
    """Whether any day of the whole market is stored of a source that may be seen."""
    until = clock.last_visible_date("CN")
    query = "SELECT 1 FROM days WHERE source = ? AND whole = 1 AND date <= ? LIMIT 1"
    return db.execute(query, (source, until)).fetchone() is not None


def _build_day(number: int, name: str, fake: bool, day: str, time: str | None, host: str | None) -> MarketDay:
    told = (time or f"{day}T23:59:59").replace("Z", "+00:00")
    taken = clock.parse_moment(told if told[19:].strip("0123456789.") else f"{told}+08:00").astimezone(clock.CHINA)
    closed = taken.date().isoformat() > day or taken.time() >= clock.CLOSE["CN"]
    return MarketDay(
        source=number,
        name=name,
        simulated=fake,
        date=day,
        time=taken.strftime("%Y-%m-%d %H:%M"),
        host=host or "",
        closed=closed,
    )


def _notify_age(db: sqlite3.Connection, day: MarketDay, notify: Notify, now: datetime, on: str | None) -> None:
    if day.simulated:
        notify(Simulated("simulated prices: {adapter} invented the whole market", adapter=day.name))
    if not day.closed:
        notify(Message("market of {date}, taken at {time}, before the close", date=day.date, time=day.time[11:]))
    if day.of_bars is not None:
        notify(
            Message(
                PluralText(
                    "the market of {date} comes from the stored bars of {count} security; names, valuations and "
                    "suspensions of that day are unknown",
                    "the market of {date} comes from the stored bars of {count} securities; names, valuations and "
                    "suspensions of that day are unknown",
                ),
                date=day.date,
                count=day.of_bars,
            )
        )
    if on is None and (old := _days_behind(db, day, now)):
        notify(
            Message(
                PluralText(
                    "the newest stored day is {date}, {days} day old; run `ia sync daily`",
                    "the newest stored day is {date}, {days} days old; run `ia sync daily`",
                    by="days",
                ),
                date=day.date,
                days=old,
            )
        )


def _days_behind(db: sqlite3.Connection, day: MarketDay, now: datetime) -> int:
    """Return how many days lie between a day and the last session that has closed, by the holidays noted with it."""
    noted = "SELECT told FROM jobs WHERE source = ? AND job = 'closures' AND key = ?"
    shut = "".join(row[0] for row in db.execute(noted, (day.source, day.date))).split(",")
    first, last = date.fromisoformat(day.date), date.fromisoformat(clock.last_visible_date("CN", now))
    while last > first and (last.weekday() > 4 or last.isoformat() in shut):
        last -= timedelta(days=1)
    return max(0, (last - first).days)


def _parse_day(text: str) -> str:
    """Return the one day of the mainland that a text means, as YYYY-MM-DD."""
    day = dateforms.parse_one_day(text, date.fromisoformat(clock.today("CN")))
    if day > clock.today("CN"):
        raise UsageError("{text} is in the future", text=day)
    return day


def query_params(day: MarketDay) -> Json:
    """Return the parameters of the SQL that reads a day: source, date, and until when a report was published."""
    until = min(day.date, published_until()) if day.asked else published_until()
    return {"source": day.source, "date": day.date, "today": until}


def published_until() -> str:
    """Return the date up to which reports count as published: today in China."""
    return clock.today("CN")


def fetch_rows(db: sqlite3.Connection, query: str, values: Any) -> list[Row]:
    """Return the rows of a query as dicts."""
    cursor = db.execute(query, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


# quotes


def load_quotes(ws: Workspace, texts: Sequence[str], notify: Notify = drop_message) -> tuple[list[Row], list[NotFound]]:
    """Return a quote for each code or name, in their order, and what was not found.

    A quote is of the newest day of the market that may be seen; of a security that is not in it (suspended, Hong Kong,
    US) it is made of the newest stored bars, with fewer fields. Those of a company abroad that come from its reports
    are there where these were asked for before.
    raises  UsageError for a name that could mean several.
    """
    with open_market(ws) as db:
        day, missing = None, []
        try:
            day = load_day(db, notify)
        except NotFound as exc:
            missing.append(exc)
        found: list[Row] = []
        lost: list[NotFound] = []
        for text in dict.fromkeys(texts):
            try:
                symbol = resolve_symbol(db, day, text)
                row = _load_quote(db, day, symbol) or _quote_from_series(db, symbol, notify)
                row = row or _quote_from_free_source(db, symbol, notify)
            except NotFound as exc:
                lost.append(exc)
                continue
            if row:
                security = symbol_of_kind(symbol)
                row["currency"] = None if security.kind == "index" else trading_currency(security)
                found.append(row if security.market == "CN" else _add_foreign_figures(db, row))
            else:
                home = symbol.endswith((".SH", ".SZ", ".BJ"))
                hint = missing[0].hint if missing and home else "fetch its prices with `ia sync --symbols {symbol}`"
                lost.append(NotFound("{symbol}: no stored price", symbol=symbol, hint=hint))
        return found, lost


def resolve_symbol(db: sqlite3.Connection, day: MarketDay | None, text: str) -> str:
    """Return the canonical symbol of a code or a name; names that the day's market tells count too."""
    head, _, exchange = text.strip().upper().rpartition(".")
    if exchange in ("SH", "SZ", "BJ") and len(head) == 6 and head.isdigit() and head.isascii():
        return f"{head}.{exchange}"
    try:
        return resolve_security(text, traded=True).canonical
    except NotFound:
        if day is None:
            raise
        told = db.execute(f"SELECT s.symbol, s.name, c.kind{FROM} AND s.name <> ''", query_params(day))
        learned = [Symbol(s[:-3], "CN", s[-2:], kind or "stock", name) for s, name, kind in told]
        return resolve_security(text, learned, traded=True).canonical


def find_newest_day(db: sqlite3.Connection) -> MarketDay | None:
    """Return the newest day of the whole market that may be seen, or None."""
    try:
        return load_day(db)
    except NotFound:
        return None


def _load_quote(db: sqlite3.Connection, day: MarketDay | None, symbol: str) -> Row | None:
    if day is None:
        return None
    columns = ", ".join(f"s.{name}" for name in _QUOTE if name not in _OF_REPORT)
    columns += ", r.period AS report, " + ", ".join(f"{trailing.FIGURES[name].sql} AS {name}" for name in _OF_REPORT)
    facts = f"{INDUSTRY} AS industry, {CONCEPTS} AS concepts, {LISTED} AS listed"
    joins = trailing.REPORT + trailing.joins(1)
    query = f"SELECT {columns}, {facts}{ROWS}{joins}{OF_DAY} AND s.symbol = :symbol"
    for row in fetch_rows(db, query, {**query_params(day), "symbol": symbol}):
        if row["price"] is not None:
            row |= {"source": day.name, "simulated": day.simulated, "currency": None}
            return add_current_names(db, day, [{name: row[name] for name in QUOTE}])[0]
    return None


def _quote_from_series(db: sqlite3.Connection, symbol: str, notify: Notify) -> Row | None:
    """Return a quote made of the two newest stored bars of a symbol: those of the whole market, or its own series."""
    until = clock.last_visible_date(MARKET.get(symbol.rpartition(".")[2], "CN"))
    for number, name, fake in [*list_sources(db), *_series_sources(db, symbol)]:
        bars = _newest_bars(db, symbol, until, number, name)
        if bars:
            if fake:
                notify(
                    SimulatedPrices("simulated prices: {symbol} is invented by {adapter}", symbol=symbol, adapter=name)
                )
            return {
                **dict.fromkeys(QUOTE),
                **_quote_from_bars(db, symbol, name, bars),
                "source": name,
                "simulated": fake,
            }
    return None


def _newest_bars(db: sqlite3.Connection, symbol: str, until: str, source: int, adapter: str) -> list[tuple[Any, ...]]:
    """Return the two newest stored bars up to a day, newest first: of a source's market, of the own series for 0."""
    if source:
        query = (
            "SELECT b.date, b.open, b.high, b.low, b.close, b.volume, b.amount FROM days d CROSS JOIN daily b"
            " ON b.source = d.source AND b.date = d.date AND b.symbol = ? WHERE d.source = ? AND d.date <= ?"
            " ORDER BY d.date DESC LIMIT 2"
        )
        return db.execute(query, (symbol, source, until)).fetchall()
    query = (
        "SELECT date, open, high, low, close, volume, NULL FROM bars WHERE symbol = ? AND adapter = ?"
        " AND date <= ? ORDER BY date DESC LIMIT 2"
    )
    return db.execute(query, (symbol, adapter, until)).fetchall()


class ReferenceClose(NamedTuple):
    """The newest stored close before a day: its date, and what is left of it on that day after corporate actions."""

    date: str
    close: float


def load_reference_close(db: sqlite3.Connection, symbol: str, day: str, *, simulated: bool) -> ReferenceClose | None:
    """Return the newest stored close of a symbol before a day, as it counts on that day; None without one.

    simulated   whether it is of the sources that invent prices, or of those that do not: the two are never compared
    """
    until = (date.fromisoformat(day) - timedelta(days=1)).isoformat()
    found = [
        (bars[0][0], bars[0][4], name)
        for number, name, fake in [*list_sources(db), *_series_sources(db, symbol)]
        if fake == simulated and (bars := _newest_bars(db, symbol, until, number, name))
    ]
    if not found:
        return None
    last, close, name = max(found, key=lambda row: row[0])
    return ReferenceClose(last, _reference_close(db, symbol, name, last, close, day))


def _quote_from_free_source(db: sqlite3.Connection, symbol: str, notify: Notify) -> Row | None:
    """Return a quote of a Hong Kong or US security from a source that reads this disk or invents prices."""
    if (market := MARKET.get(symbol.rpartition(".")[2], "CN")) == "CN":
        return None
    from ia.organs.ohlcv.adapters import find_adapter, is_free

    until = clock.last_visible_date(market)
    for name in config.get_setting_words("market.adapter"):
        if (adapter := find_adapter(name)) is None or not is_free(adapter):
            continue
        try:
            seen = adapter.normalize(adapter.fetch(from_canonical(symbol))).between_dates(None, until)
        except NotFound:
            continue
        except IaError as exc:
            notify(Message(exc.template, **exc.params))
            continue
        if seen.date:
            if adapter.simulated:
                template = "simulated prices: {symbol} is invented by {adapter}"
                notify(SimulatedPrices(template, symbol=symbol, adapter=name))
            bars = [(*row, None) for row in reversed(list(zip(*seen, strict=True))[-2:])]
            row = _quote_from_bars(db, symbol, name, bars)
            return {**dict.fromkeys(QUOTE), **row, "source": name, "simulated": adapter.simulated}
    return None


def _add_foreign_figures(db: sqlite3.Connection, row: Row) -> Row:
    """Return a quote of Hong Kong or the US with the figures of its company's reports, as far as they are at hand."""
    from ia.organs.market.foreign_figures import ReportedShare, load_known_reports

    try:
        series = load_unadjusted(db, row["symbol"])
        reports = load_known_reports(series.symbol, quiet=True)
    except IaError:
        return row
    share = ReportedShare(db, series, reports)
    at = share.find_newest(row["date"])
    if at is None:
        return row
    twelve, multiples = share.twelve_months(at), share.multiples(row["date"], row["price"])
    told = {"report": reports[at].period, "basis": twelve.basis, "roe_pct": twelve.roe_pct}
    return {**row, **multiples._asdict(), **told}


def _series_sources(db: sqlite3.Connection, symbol: str) -> list[tuple[int, str, bool]]:
    chain = config.get_setting_words("market.adapter")
    rows = db.execute("SELECT adapter, simulated FROM series WHERE symbol = ?", (symbol,)).fetchall()
    kept = [(0, name, bool(fake)) for name, fake in rows if name in chain]
    return sorted(kept, key=lambda row: chain.index(row[1]))


def _quote_from_bars(db: sqlite3.Connection, symbol: str, adapter: str, bars: list[tuple[Any, ...]]) -> Row:
    day, first, high, low, close, volume, amount = bars[0]
    before = bars[1][4] if len(bars) > 1 else None
    if before is not None:
        before = _reference_close(db, symbol, adapter, bars[1][0], before, day)
    row: Row = {"symbol": symbol, "date": day, "price": close, "open": first, "high": high, "low": low}
    row |= {"volume": volume, "amount": amount, "prev_close": before}
    if before:
        row |= {"change": round(close - before, 4), "change_pct": round((close / before - 1) * 100, 4)}
    told = db.execute(
        "SELECT name FROM securities WHERE symbol = ?1 AND name <> '' UNION ALL SELECT name FROM series"
        " WHERE symbol = ?1 AND adapter = ?2 AND name <> ''",
        (symbol, adapter),
    ).fetchone()
    return {**row, "name": told[0] if told else None}


def _reference_close(db: sqlite3.Connection, symbol: str, adapter: str, last: str, close: float, day: str) -> float:
    """Return the close before a day as it counts on that day: on an ex-day what is left of it after the action."""
    acts = [act for act in series_store.load_actions(db, adapter, symbol, day) if act.date > last]
    if not acts:
        return close
    return round(reference_price(close, last, day, acts, tick_size(symbol_of_kind(symbol))), 4)


# bars


class QuoteHistory(NamedTuple):
    """The stored daily bars of a symbol, qfq-adjusted, oldest first, and the adapter that they come from."""

    symbol: str
    source: str
    simulated: bool
    bars: Bars


def load_history(ws: Workspace, text: str, notify: Notify = drop_message) -> QuoteHistory:
    """Return the stored daily bars of a code or name up to now(): of the whole market, or its own series.

    The one that reaches further counts, then the longer one. Adjusted for the corporate actions that are stored.
    raises  NotFound where none is stored.
    """
    with open_market(ws) as db:
        symbol = resolve_symbol(db, find_newest_day(db), text)
        series = load_unadjusted(db, symbol)
    name, fake = series.source, series.simulated
    if fake:
        notify(SimulatedPrices("simulated prices: {symbol} is invented by {adapter}", symbol=symbol, adapter=name))
    return QuoteHistory(symbol, name, fake, adjust_bars(series.bars, series.actions, "qfq", tick_size(series.symbol)))


def load_unadjusted(db: sqlite3.Connection, symbol: str) -> "PricedSeries":
    """Return the stored daily bars of a canonical symbol up to now(), as they were traded, and its corporate actions.

    The one that reaches further counts, then the longer one; where none is stored, one that costs nothing to ask.
    raises  NotFound where there is none.
    """
    from ia.organs.market import store
    from ia.organs.market.foreign_figures import PricedSeries

    security = symbol_of_kind(symbol)
    until = clock.last_visible_date(security.market)
    best: tuple[str, int, str, bool, Bars] | None = None
    for number, name, fake in [*list_sources(db), *_series_sources(db, symbol)]:
        if number:
            bars = store.load_bars(db, number, symbol, until)
        else:
            known = series_store.find_series(db, name, symbol)
            bars = series_store.load_bars(db, known, until) if known else Bars.from_rows([])
        if bars.date and (best is None or (bars.date[-1], len(bars.date)) > best[:2]):
            best = (bars.date[-1], len(bars.date), name, fake, bars)
    if best is None:
        if security.market != "CN" and (free := _ask_free_adapter(security, until)) is not None:
            return free
        raise NotFound("{symbol}: no stored price", symbol=symbol, hint="fetch its prices with `ia ohlcv {symbol}`")
    last, _, name, fake, bars = best
    actions = series_store.load_actions(db, name, symbol, last)
    return PricedSeries(symbol=security, source=name, simulated=fake, bars=bars, actions=actions)


def _ask_free_adapter(security: Symbol, until: str) -> "PricedSeries | None":
    """Return the bars of a source that reads this disk or invents prices; None where none has them."""
    from ia.organs.market.foreign_figures import PricedSeries
    from ia.organs.ohlcv.adapters import find_adapter, is_free

    for name in config.get_setting_words("market.adapter"):
        if (adapter := find_adapter(name)) is None or not is_free(adapter):
            continue
        with contextlib.suppress(IaError):
            bars = adapter.normalize(adapter.fetch(security)).between_dates(None, until)
            if bars.date:
                actions = [action for action in adapter.actions(security) if action.date <= bars.date[-1]]
                return PricedSeries(
                    symbol=security, source=name, simulated=adapter.simulated, bars=bars, actions=actions
                )
    return None


class StoredActions(NamedTuple):
    """The stored corporate actions of a symbol, newest first, and the adapter that they come from."""

    symbol: str
    source: str
    simulated: bool
    actions: list[Action]


def load_actions(ws: Workspace, text: str, notify: Notify = drop_message) -> StoredActions:
    """Return the dividends, bonus shares, rights issues and splits of a code or name with an ex-date up to today.

    raises  NotFound where nothing is stored of the security.
    """
    with open_market(ws) as db:
        symbol = resolve_symbol(db, find_newest_day(db), text)
        until = clock.today(from_canonical(symbol).market)
        if from_canonical(symbol).market != "CN":
            return _load_foreign_actions(db, symbol, notify)
        sources = [(name, fake) for _, name, fake in [*list_sources(db), *_series_sources(db, symbol)]]
        if not sources:
            raise NotFound("{symbol}: no stored price", symbol=symbol, hint="fetch its prices with `ia ohlcv {symbol}`")
        found = {name: series_store.load_actions(db, name, symbol, until) for name, _ in sources}
        name, fake = next(((name, fake) for name, fake in sources if found[name]), sources[0])
    if fake:
        notify(SimulatedPrices("simulated prices: {symbol} is invented by {adapter}", symbol=symbol, adapter=name))
    return StoredActions(symbol, name, fake, sorted(found[name], key=lambda act: act.date, reverse=True))


def _load_foreign_actions(db: sqlite3.Connection, symbol: str, notify: Notify) -> StoredActions:
    """Return the actions beside the prices of a security abroad."""
    series = load_unadjusted(db, symbol)
    if series.simulated:
        template = "simulated prices: {symbol} is invented by {adapter}"
        notify(SimulatedPrices(template, symbol=symbol, adapter=series.source))
    return StoredActions(symbol, series.source, series.simulated, list(reversed(series.actions)))


# reports


def load_fundamentals(
    ws: Workspace, text: str, periods: int = 4, notify: Notify = drop_message, *, as_reported: bool = False
) -> tuple[str, list[Row]]:
    """Return the symbol of a code or name and its newest published reports, newest first, at most so many.

    Figures are of the twelve months up to the end of `period`, and `basis` says so: `ttm`, or `annual` for the report
    of a whole year. What a missing report leaves open is None, and so is `basis` where that is all. bvps and
    debt_ratio_pct are of the end of `period`. Money in yuan, *_pct per cent; roe_pct over the average equity of the
    report's period. `published` is the day on which the source says it was published, else None, and the report then
    counts from the legal deadline on.
    as_reported    figures since the beginning of the year of `period`; `basis` is `year-to-date`, or `annual`
    months         of the financial year up to `period`; abroad it may end in any month
    raises  NotFound where none is stored. Of Hong Kong and the US the source is asked, and what it raises is raised.
    """
    if as_reported:
        annual = f"CASE WHEN substr(r.period, 6) = '12-31' THEN 'annual' ELSE '{YEAR_TO_DATE}' END"
        told = {"basis": annual, **{name: f"r.{name}" for name in REPORTED}}
    else:
        told = {name: trailing.FIGURES[name].sql for name in ("basis", *REPORTED)}
    query = (
        f"SELECT r.symbol, r.period, r.published, {', '.join(f'{sql} AS {name}' for name, sql in told.items())}, r.host"
        f" FROM fundamentals r{trailing.joins(2)} WHERE r.source = :source AND r.symbol = :symbol"
        f" AND {trailing.published_sql('r')} <= :today ORDER BY r.period DESC LIMIT :count"
    )
    if (abroad := find_foreign(text)) is not None:
        return abroad.canonical, _load_foreign_reports(abroad, periods, notify, as_reported=as_reported)
    with open_market(ws) as db:
        symbol = resolve_symbol(db, find_newest_day(db), text)
        for number, name, fake in list_sources(db):
            values = {"source": number, "symbol": symbol, "today": published_until(), "count": periods}
            rows = fetch_rows(db, query, values)
            if rows:
                if fake:
                    notify(
                        Simulated(
                            "simulated figures: {adapter} generates the figures of {symbol}",
                            symbol=symbol,
                            adapter=name,
                        )
                    )
                about: Row = {"currency": "CNY", "source": name, "simulated": fake}
                return symbol, [{**row, "months": int(row["period"][5:7]), **about} for row in rows]
    hint = "fetch reports with `ia sync fundamentals --symbols {symbol}`"
    raise NotFound("{symbol}: no published report stored", symbol=symbol, hint=hint)


def find_foreign(text: str) -> Symbol | None:
    """Return the security of Hong Kong or the US that a code or name means; None for one of the mainland."""
    try:
        found = resolve_security(text, traded=True)
    except NotFound:
        return None
    return found if found.market != "CN" else None


def _load_foreign_reports(security: Symbol, periods: int, notify: Notify, *, as_reported: bool) -> list[Row]:
    from ia.organs.market import foreign_reports

    found = foreign_reports.load_reports(security.canonical)
    if found.simulated:
        template = "simulated figures: {adapter} generates the figures of {symbol}"
        notify(Simulated(template, symbol=security.canonical, adapter=found.source))
    return foreign_reports.describe_reports(found, periods, as_reported=as_reported)


# lists of a day

_GAINER = ("symbol", "name", "date", "price", "change_pct", "amount", "turnover_pct", "market_cap", "pe")


def load_gainers(
    db: sqlite3.Connection, day: MarketDay, count: int = 50, *, losers: bool = False, new: bool = True, st: bool = True
) -> list[Row]:
    """Return the stocks that rose most on a day, or fell most, with their industry; none that did not rise, or fall.

    new, st   whether newly listed stocks and those under special treatment are among them
    """
    keep = "" if new else f" AND coalesce({LISTED} < :young, 1)"
    keep += "" if st else f" AND NOT coalesce({ST}, 0)"
    columns = ", ".join(f"s.{name}" for name in _GAINER)
    rows = fetch_rows(
        db,
        f"SELECT {columns}, {INDUSTRY} AS industry, {CONCEPTS} AS concepts, {LISTED} AS listed, {BOARD} AS board"
        f"{FROM}{STOCKS}"
        f" AND s.volume > 0 AND s.change_pct {'<' if losers else '>'} 0{keep}"
        f" ORDER BY s.change_pct {'ASC' if losers else 'DESC'}, s.symbol LIMIT :count",
        {**query_params(day), "young": new_listing_cutoff(day.date), "count": count},
    )
    return add_current_names(db, day, rows)


def add_current_names(db: sqlite3.Connection, day: MarketDay, rows: list[Row]) -> list[Row]:
    """Return the rows of a day made from bars with the names that the securities have now, to tell them apart."""
    if day.of_bars is not None and any("name" in row for row in rows):
        names = dict(db.execute("SELECT symbol, name FROM securities WHERE source = ?", (day.source,)))
        rows = [{**row, "name": row["name"] or names.get(row["symbol"])} for row in rows]
    return rows


def new_listing_cutoff(day: str) -> str:
    """Return the date of listing from which on a stock counts as new on a day."""
    return (date.fromisoformat(day) - timedelta(days=NEW_DAYS)).isoformat()


def load_boards(db: sqlite3.Connection, kind: str, notify: Notify = drop_message) -> list[Row]:
    """Return the newest boards of a kind that may be seen, as their source drew them, without any day of the market."""
    for number, name, fake in list_sources(db):
        if rows := load_newest_boards(db, number, kind, clock.last_visible_date("CN")):
            if fake:
                notify(Simulated("simulated figures: {adapter} generates the whole market", adapter=name))
            return rows
    return []


def load_newest_boards(db: sqlite3.Connection, source: int, kind: str, until: str) -> list[Row]:
    """Return the boards of a kind as a source drew them on the newest day up to `until`, best first."""
    query = "SELECT max(date) FROM boards WHERE source = ? AND kind = ? AND date <= ? AND change_pct IS NOT NULL"
    (day,) = db.execute(query, (source, kind, until)).fetchone()
    return load_boards_of(db, source, kind, day) if day else []


def load_boards_of(db: sqlite3.Connection, source: int, kind: str, day: str) -> list[Row]:
    """Return the boards of a kind as a source drew them on a day, best first."""
    rows = fetch_rows(
        db,
        "SELECT b.name, NULL AS count, b.up, b.down, b.change_pct, NULL AS weighted_pct, NULL AS amount,"
        " b.turnover_pct, b.market_cap, b.leader, s.name AS leader_name, b.leader_pct, b.board FROM boards b"
        " LEFT JOIN snapshots s ON s.source = b.source AND s.date = b.date AND s.symbol = b.leader"
        " WHERE b.source = ? AND b.kind = ? AND b.date = ? AND b.change_pct IS NOT NULL"
        " ORDER BY b.change_pct DESC, b.name",
        (source, kind, day),
    )
    return [{"date": day, **row, "by": "source"} for row in rows]


def load_northbound(ws: Workspace, days: int = 20, notify: Notify = drop_message) -> list[Row]:
    """Return north-bound trading by day and channel, newest first, of the newest days that may be seen.

    Money in yuan. `net` is None where it was not published: since August 2024 the exchanges publish turnover only.
    """
    return _load_dated_rows(
        ws,
        "northbound",
        "date, channel, net, buy, sell, turnover, deals, quota_left, holdings, leader, leader_pct",
        "channel",
        days,
        notify,
    )


def load_lhb(ws: Workspace, on: str | None = None, notify: Notify = drop_message) -> list[Row]:
    """Return the list of unusual trading (dragon and tiger) of a day, the newest that may be seen if none is given.

    A stock stands there once for each reason. Money in yuan.
    """
    return _load_dated_rows(
        ws,
        "lhb",
        "date, symbol, name, reason, close, change_pct, net, buy, sell, turnover, market_amount,"
        " turnover_pct, float_cap, comment",
        "net DESC, symbol, reason",
        1,
        notify,
        on and _parse_day(on),
    )


def last_lhb_day(ws: Workspace) -> str:
    """Return the last day whose list of unusual trading was fetched, empty ones included; "" where none was."""
    query = "SELECT max(key) FROM jobs WHERE source = ? AND job = 'lhb' AND state = 'done' AND key <= ?"
    with open_market(ws) as db:
        days = [
            db.execute(query, (number, clock.last_visible_date("CN"))).fetchone()[0] for number, *_ in list_sources(db)
        ]
    return max(filter(None, days), default="")


def _load_dated_rows(
    ws: Workspace, table: str, columns: str, order: str, days: int, notify: Notify, on: str | None = None
) -> list[Row]:
    until = clock.last_visible_date("CN", clock.now() - OUT)
    with open_market(ws) as db:
        for number, name, fake in list_sources(db):
            rows = fetch_rows(
                db,
                f"SELECT {columns} FROM {table} WHERE source = :source AND date IN (SELECT DISTINCT date FROM {table}"
                " WHERE source = :source AND date <= :until AND (:on IS NULL OR date = :on)"
                f" ORDER BY date DESC LIMIT :days) ORDER BY date DESC, {order}",
                {"source": number, "until": until, "on": on, "days": days},
            )
            if rows:
                if fake:
                    notify(Simulated("simulated figures: {adapter} generates the whole market", adapter=name))
                told = db.execute(f"{_NEWEST} AND date <= ?", (number, until)).fetchone()[0]
                if on is None and told and told > rows[0]["date"]:
                    notify(Message("the newest stored data of this kind is from {date}", date=rows[0]["date"]))
                return [{**row, "source": name, "simulated": fake} for row in rows]
    return []
