"""What the store knows of a few securities that somebody holds: latest price, closes, corporate actions. No network.

Of the adapters of `market.adapter` the first one counts that has the security; its rows in the whole market's tables
and the series that `ia ohlcv` fetched are both its own, and the later of the two is taken. Where nothing is stored of
it, an adapter that reads this disk or makes prices up is asked.
"""

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock, config
from ia.kernel.errors import IaError, Message, NotFound, Notify, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.market.mirror import layout
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adapters import Adapter


class LastQuote(NamedTuple):
    """A latest price: unadjusted, of the day `date`; `previous`: the close before that day, unadjusted too.

    time    UTC stamp of a snapshot that was taken while the market was open, else ""
    """

    price: float
    date: str
    previous: float | None
    time: str = ""


class HeldBefore(NamedTuple):
    """The price that a day's rise and limits start from, unadjusted.

    date        of that close; "" where a snapshot of the day itself tells the reference price of the exchange, which is
                adjusted on an ex-day
    change_pct  of the day against it, in per cent; None where the day's price is not seen yet
    name        as of that day, where a snapshot tells it. listed: YYYY-MM-DD
    """

    price: float
    date: str
    change_pct: float | None
    name: str | None
    listed: str | None


class PriceFeed:
    """One security in one source, as it may be seen at a moment.

    adapter    its name. simulated: its prices are made up
    source     id of its rows in market.db, None if it has none
    until      last date that can be seen
    series     whether `ia ohlcv` has stored it too
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        adapter: str,
        simulated: bool,
        symbol: Symbol,
        moment: datetime,
        source: int | None,
        bars: Bars | None = None,
        actions: Iterable[Action] = (),
        *,
        series: bool = False,
    ) -> None:
        self.adapter, self.simulated, self.symbol, self.moment = adapter, simulated, symbol, moment
        self._db, self.source, self._bars, self._actions = db, source, bars, list(actions)
        self._series = series
        self.until = clock.last_visible_date(symbol.market, moment)
        self._read: tuple[str, list[tuple[str, float]]] | None = None

    def last_price(self) -> LastQuote | None:
        """Return the latest price, or None where there is none."""
        return self._last_price

    @cached_property
    def _last_price(self) -> LastQuote | None:
        found, bar = self._snapshot_price(), self.close_before("9999")
        if bar is not None and (found is None or found.date < bar[0]):
            found = LastQuote(bar[1], bar[0], None)
        previous = None if found is None else self.close_before(found.date)
        return found if found is None or previous is None else found._replace(previous=previous[1])

    def idle_until(self) -> str:
        """Return the newest day that the source has of the market, where the security did not trade on it; else ""."""
        last = self.last_price()
        if last is None or not self.in_market:
            return ""
        row = self._db.execute(
            "SELECT max(date) FROM days WHERE source = ? AND date > ? AND date <= ?",
            (self.source, last.date, self.until),
        ).fetchone()
        return (row[0] if row else "") or ""

    def reference_on(self, day: str) -> HeldBefore | None:
        """Return what a day starts from, or None where no earlier close is stored."""
        now = clock.utc_stamp(self.moment)
        listed = told = None
        if self.source is not None:
            row = self._db.execute(
                "SELECT listed FROM securities WHERE source = ? AND symbol = ?", (self.source, self.symbol.canonical)
            ).fetchone()
            listed = row[0] if row else None
            told = self._db.execute(
                "SELECT s.prev_close, s.change_pct, s.name FROM days d"
                " CROSS JOIN snapshots s ON s.source = d.source AND s.date = d.date AND s.symbol = ?"
                " WHERE d.source = ? AND d.date = ? AND (d.date <= ? OR d.time <= ?) AND s.prev_close > 0",
                (self.symbol.canonical, self.source, day, self.until, now),
            ).fetchone()
        if told is not None:
            return HeldBefore(price=told[0], date="", change_pct=told[1], name=told[2], listed=listed)
        previous = self.close_before(day)
        if previous is None:
            return None
        last = self.last_price()
        change = (last.price / previous[1] - 1) * 100 if last is not None and last.date == day else None
        return HeldBefore(price=previous[1], date=previous[0], change_pct=change, name=None, listed=listed)

    def range_on(self, day: str) -> tuple[float, float] | None:
        """Return the low and the high of a day, unadjusted; None where its bar is not stored or not yet seen."""
        if day > self.until:
            return None
        if self._bars is not None and day in self._bars.date:
            at = self._bars.date.index(day)
            return self._bars.low[at], self._bars.high[at]
        row: tuple[float, float] | None = self._db.execute(
            "SELECT low, high FROM bars WHERE adapter = ? AND symbol = ? AND date = ?",
            (self.adapter, self.symbol.canonical, day),
        ).fetchone()
        if row is None and self.source is not None:
            row = self._db.execute(
                "SELECT low, high FROM daily WHERE source = ? AND date = ? AND symbol = ?",
                (self.source, day, self.symbol.canonical),
            ).fetchone()
        return row

    def closes(self, since: str) -> list[tuple[str, float]]:
        """Return the stored closes from a day on, oldest first, after the last one before it."""
        read = self._read[1] if self._read is not None and self._read[0] == since else None
        rows = dict(self._single_closes())
        if read is not None and not rows:
            return read
        if read is not None:
            rows.update(read)
        elif self.source is not None:
            rows.update(self._market_closes(since))
        days = sorted(rows)
        before = [day for day in days if day < since][-1:]
        return [(day, rows[day]) for day in [*before, *(day for day in days if day >= since)]]

    def keep_closes(self, since: str, rows: list[tuple[str, float]]) -> None:
        """Keep the closes of the market's tables from a day on, so that closes(since) needs no query."""
        before = self.close_before(since)
        self._read = since, [*([before] if before else []), *rows]

    def actions(self) -> list[Action]:
        """Return the corporate actions up to the moment's day, oldest first; that day's count from the morning on."""
        today = self.moment.astimezone(clock.exchange_zone(self.symbol.market)).date().isoformat()
        if self._bars is not None:
            known = self._actions
        else:
            known = series_store.load_actions(self._db, self.adapter, self.symbol.canonical)
        return [action for action in known if action.date <= today]

    def industry(self) -> str:
        """Return the industry that the source told until the moment's day; "" where it tells none."""
        if self.source is None:
            return ""
        row = self._db.execute(
            "SELECT coalesce((SELECT f.industry FROM former f WHERE f.source = s.source AND f.symbol = s.symbol"
            " AND f.until > ? ORDER BY f.until LIMIT 1), s.industry) FROM securities s"
            " WHERE s.source = ? AND s.symbol = ?",
            (self.until, self.source, self.symbol.canonical),
        ).fetchone()
        return (row[0] if row else "") or ""

    def _snapshot_price(self) -> LastQuote | None:
        """Return what the latest snapshot tells; that of a day that is not over counts from when it was taken."""
        if self.source is None:
            return None
        now = clock.utc_stamp(self.moment)
        row = self._db.execute(
            "SELECT s.price, s.date, s.prev_close, CASE WHEN d.date > ? THEN d.time ELSE '' END"
            " FROM days d CROSS JOIN snapshots s ON s.source = d.source AND s.date = d.date AND s.symbol = ?"
            " WHERE d.source = ? AND d.whole = 1 AND (d.date <= ? OR (d.time <= ? AND d.date <= ?)) AND s.price > 0"
            " ORDER BY d.date DESC LIMIT 1",
            (self.until, self.symbol.canonical, self.source, self.until, now, now[:10]),
        ).fetchone()
        if row is None:
            return None
        price, day, previous, time = row
        return LastQuote(price, day, previous, time or "")

    @cached_property
    def in_market(self) -> bool:
        """Whether the market's tables have a bar: to look for one that is not there goes through every day."""
        wanted = "SELECT 1 FROM latest WHERE source = ? AND symbol = ?"
        return self._db.execute(wanted, (self.source, self.symbol.canonical)).fetchone() is not None

    def close_before(self, day: str) -> tuple[str, float] | None:
        """Return (date, close) of the last bar before a day."""
        found = []
        if self.in_market:
            row = self._db.execute(
                "SELECT b.date, b.close FROM days d"
                " CROSS JOIN daily b ON b.source = d.source AND b.date = d.date AND b.symbol = ?"
                " WHERE d.source = ? AND d.date <= ? AND d.date < ? ORDER BY d.date DESC LIMIT 1",
                (self.symbol.canonical, self.source, self.until, day),
            ).fetchone()
            found += [row] if row else []
        if self._bars is not None:
            found += [(d, c) for d, c in zip(self._bars.date, self._bars.close, strict=True) if d < day][-1:]
        elif self._series:
            row = self._db.execute(
                "SELECT date, close FROM bars WHERE adapter = ? AND symbol = ? AND date <= ? AND date < ?"
                " ORDER BY date DESC LIMIT 1",
                (self.adapter, self.symbol.canonical, self.until, day),
            ).fetchone()
            found += [row] if row else []
        return max(found, default=None)

    def _single_closes(self) -> Iterable[tuple[str, float]]:
        if self._bars is not None:
            return zip(self._bars.date, self._bars.close, strict=True)
        if not self._series:
            return ()
        rows: list[tuple[str, float]] = self._db.execute(
            "SELECT date, close FROM bars WHERE adapter = ? AND symbol = ? AND date <= ?",
            (self.adapter, self.symbol.canonical, self.until),
        ).fetchall()
        return rows

    def _market_closes(self, since: str) -> Iterable[tuple[str, float]]:
        if not self.in_market:
            return ()
        before = self.close_before(since)
        rows: list[tuple[str, float]] = self._db.execute(
            "SELECT b.date, b.close FROM days d"
            " CROSS JOIN daily b ON b.source = d.source AND b.date = d.date AND b.symbol = ?"
            " WHERE d.source = ? AND d.date >= ? AND d.date <= ?",
            (self.symbol.canonical, self.source, before[0] if before else since, self.until),
        ).fetchall()
        return rows


class PriceFeeds:
    """The feeds of many securities: each is looked for once, and the closes of all are read at once."""

    def __init__(self, ws: Workspace, db: sqlite3.Connection, notify: Notify = drop_message) -> None:
        """Take market.db open; `notify` is told of a source that cannot be read."""
        self._ws, self._db, self._notify = ws, db, notify
        self._found: dict[str, PriceFeed] = {}

    def find_feeds(self, symbols: Iterable[Symbol], moment: datetime | None = None) -> dict[str, PriceFeed]:
        """Return the feed of each security by its canonical code, without those that no source of the chain has.

        What is seen is what could be seen at `moment`, and never later than now(), which is the default.
        """
        if moment is not None:
            return self._search_sources(symbols, min(moment, clock.now()))
        asked = {each.canonical: each for each in symbols}
        self._found |= self._search_sources(
            [each for name, each in asked.items() if name not in self._found], clock.now()
        )
        return {name: self._found[name] for name in asked if name in self._found}

    def find_stored(self, symbol: Symbol) -> PriceFeed | None:
        """Return the feed of a security whose prices are stored; no adapter is asked for what is not."""
        rows = self._db.execute("SELECT id, name, simulated FROM sources")
        ids = {name: (number, bool(made)) for number, name, made in rows}
        for name in config.get_setting_words("market.adapter"):
            if (feed := _stored_feed(self._db, name, ids.get(name), symbol, clock.now())) is not None:
                return feed
        return None

    def get_feed(self, symbol: str) -> PriceFeed | None:
        """Return the feed of a canonical code that find() has found as of now()."""
        return self._found.get(symbol)

    def read_closes(self, spans: dict[str, tuple[str, str]]) -> None:
        """Read the closes of many securities: from the mirror if it is up to date, else from the rows by day.

        `spans` has the first and the last day by symbol. closes(first) of their feeds then needs no query.
        """
        by_source: dict[tuple[int, str, str], list[PriceFeed]] = {}
        for name in spans.keys() & self._found.keys():
            feed = self._found[name]
            if feed.source is not None and feed.in_market:
                by_source.setdefault((feed.source, feed.adapter, feed.until), []).append(feed)
        for (source, adapter, until), feeds in by_source.items():
            names = [feed.symbol.canonical for feed in feeds]
            asked = {name: (spans[name][0], min(spans[name][1], until)) for name in names}
            found = layout.read_closes(layout.mirror_folder(self._ws, adapter), self._db, source, asked)
            if found is None:
                found = {}
                for at in range(0, len(names), 200):
                    found |= _select_closes(self._db, source, {name: asked[name] for name in names[at : at + 200]})
            for feed in feeds:
                name = feed.symbol.canonical
                feed.keep_closes(spans[name][0], found[name])

    def _search_sources(self, symbols: Iterable[Symbol], moment: datetime) -> dict[str, PriceFeed]:
        chain = config.get_setting_words("market.adapter")
        rows = self._db.execute("SELECT id, name, simulated FROM sources")
        ids = {name: (number, bool(made)) for number, name, made in rows}
        free: dict[str, Adapter | None] = {}
        found: dict[str, PriceFeed] = {}
        for symbol in symbols:
            for name in chain:
                feed = _stored_feed(self._db, name, ids.get(name), symbol, moment)
                if feed is None and name not in free:
                    free[name] = _load_free_adapter(name, self._notify)
                if feed is None and (adapter := free[name]):
                    feed = _read_feed(self._db, adapter, symbol, moment, self._notify)
                if feed is not None and feed.last_price() is not None:
                    found[symbol.canonical] = feed
                    break
        return found


def _select_closes(
    db: sqlite3.Connection, source: int, asked: dict[str, tuple[str, str]]
) -> dict[str, list[tuple[str, float]]]:
    """Return (date, close) of symbols from a first to a last day, from the rows."""
    found: dict[str, list[tuple[str, float]]] = {name: [] for name in asked}
    values = [value for name, (first, last) in asked.items() for value in (name, first, last)]
    rows = db.execute(
        f"WITH w(symbol, first, last) AS (VALUES {', '.join(['(?, ?, ?)'] * len(asked))})"
        " SELECT b.symbol, b.date, b.close FROM days d CROSS JOIN w CROSS JOIN daily b"
        " ON b.source = d.source AND b.date = d.date AND b.symbol = w.symbol"
        " WHERE d.source = ? AND d.date >= ? AND d.date >= w.first AND d.date <= w.last",
        [*values, source, min(first for first, _ in asked.values())],
    )
    for name, day, close in rows:
        found[name].append((day, close))
    return found


def _stored_feed(
    db: sqlite3.Connection, name: str, source: tuple[int, bool] | None, symbol: Symbol, moment: datetime
) -> PriceFeed | None:
    single = series_store.find_series(db, name, symbol.canonical)
    if source is None and single is None:
        return None
    simulated = source[1] if source is not None else bool(single and single.simulated)
    number = source[0] if source is not None else None
    feed = PriceFeed(db, name, simulated, symbol, moment, number, series=single is not None)
    return feed if feed.last_price() is not None else None


def _load_free_adapter(name: str, notify: Notify) -> "Adapter | None":
    """Return an adapter that costs nothing to ask; None where it costs, or cannot be loaded, which is told."""
    from ia.organs.ohlcv.adapters import is_free, load_adapter

    try:
        adapter = load_adapter(name)
    except IaError as exc:
        notify(Message(exc.template, **exc.params))
        return None
    return adapter if is_free(adapter) else None


def _read_feed(
    db: sqlite3.Connection, adapter: "Adapter", symbol: Symbol, moment: datetime, notify: Notify
) -> PriceFeed | None:
    """Return a security as an adapter has it now; None where it has none, or cannot be read, which is told."""
    try:
        found = adapter.normalize(adapter.fetch(symbol))
        actions = adapter.actions(symbol)
    except NotFound:
        return None
    except IaError as exc:
        notify(Message(exc.template, **exc.params))
        return None
    seen = found.between_dates(None, clock.last_visible_date(symbol.market, moment))
    return PriceFeed(db, adapter.name, adapter.simulated, symbol, moment, None, seen, actions)
