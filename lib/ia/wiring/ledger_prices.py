"""Market → ledger: the stored prices and corporate actions, as the ledger asks for them."""

from typing import TYPE_CHECKING

from ia.kernel.errors import Notify, drop_message, notify_once
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from ia.domain.instruments.symbols import Symbol
    from ia.organs.ledger.account import LastPrice
    from ia.organs.ledger.benchmark import Benchmark
    from ia.organs.ledger.desk import LedgerDesk
    from ia.organs.ledger.exchange import StoredRates
    from ia.organs.ledger.guard import SecurityQuote
    from ia.organs.ledger.journal import JournalEntry
    from ia.organs.market.announced_dividends import AnnouncedDividend

_INDICES = {"CN": "000300.SH", "HK": "HSI.HK", "US": "SPX.US"}
"""Market -> the index whose stored bars tell its sessions."""


def open_ledger(ws: Workspace, notify: Notify = drop_message) -> "LedgerDesk":
    """Return the journal of a workspace with the prices and corporate actions of its store."""
    from ia.organs.ledger.desk import LedgerDesk

    return LedgerDesk(ws, StoredPrices(ws, notify), notify)


class StoredPrices:
    """The store as the ledger asks it: an `ia.organs.ledger.desk.PriceSource`."""

    def __init__(self, ws: Workspace, notify: Notify = drop_message) -> None:
        from ia.organs import marketdb
        from ia.organs.market.quotes_for_ledger import PriceFeeds

        self.db = marketdb.connect(ws)
        self.db.execute("PRAGMA mmap_size = 4000000000")  # a seek a day and security: no system call for each
        self._notify = notify_once(notify)
        self._feeds = PriceFeeds(ws, self.db, self._notify)
        self._rates: dict[tuple[datetime, tuple[str, ...]], Mapping[str, StoredRates]] = {}

    def latest_prices(self, symbols: "Iterable[Symbol]", moment: "datetime | None" = None) -> "dict[str, LastPrice]":
        from ia.organs.ledger.account import LastPrice
        from ia.organs.ledger.order import to_decimal

        found = {}
        asked = {each.canonical: each for each in symbols}
        for name, feed in self._feeds.find_feeds(asked.values(), moment).items():
            last = feed.last_price()
            if last is not None:
                previous = None if last.previous is None else to_decimal(last.previous)
                missed = _count_missed(asked[name].market, last.date, moment)
                found[name] = LastPrice(
                    price=to_decimal(last.price),
                    date=last.date,
                    previous=previous,
                    source=feed.adapter,
                    simulated=feed.simulated,
                    missed=missed,
                    idle=feed.idle_until() if missed else "",
                )
        return found

    def prefetch_closes(self, spans: "dict[str, tuple[str, str]]") -> None:
        self._feeds.read_closes(spans)

    def closes(self, symbol: str, since: str) -> "list[tuple[str, float]]":
        feed = self._feeds.get_feed(symbol)
        return [] if feed is None else feed.closes(since)

    def actions(
        self, symbols: "Iterable[Symbol]", after: "Mapping[str, str] | None" = None
    ) -> "list[tuple[JournalEntry, bool]]":
        from ia.domain.instruments.boards import trading_currency
        from ia.organs.ledger.journal import BONUS, DIVIDEND, SPLIT, JournalEntry
        from ia.organs.ledger.order import day_start, to_decimal

        asked = {each.canonical: each for each in symbols}
        found = []
        for name, feed in self._feeds.find_feeds(asked.values()).items():
            symbol = asked[name]
            since = after.get(name, "") if after is not None else ""
            for act in (act for act in feed.actions() if act.date > since):
                for kind, amount in ((DIVIDEND, act.cash), (BONUS, act.bonus), (SPLIT, act.split - 1 and act.split)):
                    if amount:
                        entry = JournalEntry(
                            id=0,
                            time=day_start(act.date, symbol.market),
                            date=act.date,
                            kind=kind,
                            symbol=name,
                            name=symbol.name,
                            currency=trading_currency(symbol),
                            price=to_decimal(amount) if kind == DIVIDEND else None,
                            ratio=None if kind == DIVIDEND else to_decimal(amount),
                            actor="ia",
                            origin=feed.adapter,
                            key=f"action:{name}:{act.date}:{kind}",
                        )
                        found.append((entry, feed.simulated))
        return found

    def is_holiday(self, symbol: "Symbol", day: str) -> bool:
        """Ask the calendar, unless a bar of that day is stored: then there was a session."""
        from ia.organs.ohlcv.calendar import is_holiday

        feed = self._feeds.find_feeds([symbol]).get(symbol.canonical)
        if feed is not None and not feed.simulated and any(each == day for each, _ in feed.closes(day)[:2]):
            return False
        return is_holiday(symbol.market, day)

    def is_before_opening(self, symbol: "Symbol", moment: "datetime") -> bool:
        from ia.organs.market.sessions import BEFORE_OPEN, session_state

        return session_state(symbol.market, moment).state == BEFORE_OPEN

    def find_quote(self, symbol: "Symbol", day: str, moment: "datetime") -> "SecurityQuote | None":
        from ia.organs.ledger.guard import SecurityQuote
        from ia.organs.ledger.order import to_decimal

        feed = self._feeds.find_feeds([symbol], moment).get(symbol.canonical)
        told = feed.reference_on(day) if feed is not None else None
        if feed is None or told is None:
            return None
        return SecurityQuote(
            prev_close=to_decimal(told.price),
            change_pct=None if told.change_pct is None else to_decimal(told.change_pct),
            name=told.name or symbol.name,
            listed=told.listed,
            reference=not told.date,
            stale=told.date if told.date and _is_stale(symbol, told.date, day) else "",
            simulated=feed.simulated,
            day_range=None if (seen := feed.range_on(day)) is None else (to_decimal(seen[0]), to_decimal(seen[1])),
        )

    def sessions(self, market: str, since: str) -> "Sequence[str]":
        from ia.domain.instruments.symbols import from_canonical

        feed = self._feeds.find_stored(from_canonical(_INDICES[market]))
        return [] if feed is None else [day for day, _ in feed.closes(since) if day >= since]

    def calendar_sessions(self, market: str, after: str, until: str) -> "Sequence[str]":
        from ia.organs.ohlcv.calendar import list_sessions

        return list_sessions(market, after, until)

    def load_benchmark(self, symbol: "Symbol", since: str) -> "Benchmark":
        """Return the closes of an index, or of another security with its dividends in them (hfq)."""
        from ia.domain.instruments.boards import trading_currency
        from ia.organs.ledger.benchmark import Benchmark
        from ia.organs.ohlcv.adjustment import adjustment_factors

        feed = self._feeds.find_feeds([symbol]).get(symbol.canonical)
        rows = [] if feed is None else feed.closes(since)
        days, closes = [day for day, _ in rows], [close for _, close in rows]
        total = symbol.kind != "index"
        if feed is not None and total:
            factors = adjustment_factors(days, closes, feed.actions())
            closes = [close * factor for close, factor in zip(closes, factors, strict=True)]
        made_up = feed is not None and feed.simulated
        return Benchmark(
            symbol=symbol,
            currency=trading_currency(symbol),
            days=days,
            closes=closes,
            total=total,
            simulated=made_up,
        )

    def industry(self, symbol: str) -> str:
        from ia.domain.instruments.symbols import from_canonical
        from ia.organs.market.foreign_industries import load_industry

        if from_canonical(symbol).market != "CN":
            return load_industry(symbol, quiet=True)
        feed = self._feeds.find_feeds([from_canonical(symbol)]).get(symbol)
        return "" if feed is None else feed.industry()

    def announced_dividends(self, symbols: "Sequence[str]") -> "Sequence[AnnouncedDividend]":
        from ia.organs.market.announced_dividends import load_announced

        return load_announced(self.db, symbols)

    def exchange_rates(self, currencies: "Iterable[str]") -> "Mapping[str, StoredRates]":
        from ia.kernel import clock
        from ia.organs.ledger.exchange import YUAN, StoredRates
        from ia.organs.market.exchange_rates import load_rates

        asked = tuple(each for each in currencies if each != YUAN)
        minute = clock.now().replace(second=0, microsecond=0)
        if (minute, asked) not in self._rates:  # the account of one day after the other asks for the same
            found = load_rates(self.db, asked, minute, self._notify) if asked else {}
            self._rates[minute, asked] = {name: StoredRates(*series) for name, series in found.items()}
        return self._rates[minute, asked]


def _count_missed(market: str, day: str, moment: "datetime | None") -> int:
    """Return how many sessions closed after a day. The calendar is asked only where a weekday lies between."""
    from datetime import date, timedelta

    from ia.kernel import clock

    begin = date.fromisoformat(day)
    between = (date.fromisoformat(clock.last_visible_date(market, moment)) - begin).days
    if not any((begin + timedelta(n)).weekday() < 5 for n in range(1, between + 1)):
        return 0
    from ia.organs.ohlcv.calendar import count_sessions

    return count_sessions(market, day, clock.last_visible_date(market, moment))


def _is_stale(symbol: "Symbol", earlier: str, day: str) -> bool:
    """Return True if there was a session between two days. The calendar is asked only where a weekday lies between."""
    from datetime import date, datetime, time, timedelta

    from ia.kernel import clock

    begin = date.fromisoformat(earlier)
    between = (date.fromisoformat(day) - begin).days
    if not any((begin + timedelta(n)).weekday() < 5 for n in range(1, between)):
        return False
    if between > 30:
        return True
    from ia.organs.ohlcv.calendar import last_session

    morning = datetime.combine(date.fromisoformat(day), time(0), clock.exchange_zone(symbol.market))
    return last_session(symbol.market, morning) > earlier
