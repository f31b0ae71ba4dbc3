"""A snapshot of the whole market, taken page by page and looked at as a whole before anything of it is stored.

It must be of one moment: what died on page 30 of 55 is thrown away, and the next run begins anew. A page by itself may
look right while the whole does not: half a market, another day, columns that have shifted, prices in another unit.
"""

import datetime as dt
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from ia.kernel import clock
from ia.kernel.errors import (
    IaError,
    Message,
    NotFound,
    Notify,
    PluralText,
    Refused,
    TryLater,
    Unavailable,
    drop_message,
)
from ia.organs.market.quote import Quote
from ia.organs.market.sources import MarketSource

Progress = Callable[[int, int], None]
"""Is told how many are done, of how many."""

LEAST_OF_LAST, FEW = 0.9, 10
"""So much of the last day's number of symbols must be there, or all but a few: no market loses a tenth overnight."""
LEAST_TRADED, LEAST_OF_ALL = 0.6, 0.2
"""So many must have traded, of those that did on the last day: in July 2015 a third was suspended overnight.
And so many of all that are listed, at the least."""
AGREEING = 0.8
"""So much of the previous closes must be those that are stored. On the busiest ex-days about 5 % differ."""
ODD_FRAC = 0.02
"""So many of the rows may contradict themselves, which the source has left out: more is another shape."""
DUPLICATES_FRAC = 0.01
RESET = dt.time(8, 30)
"""When hosts clear yesterday's quotes for the coming session, at the earliest; they are not sure to be of either."""
AT_PAR = 0.0051
"""So far apart may two closes be that are the same: half a tick of a stock, and what floats lose."""
FAR = 2.5
"""Hardly a share comes so many times away from its last stored close: where many do, prices are in another unit."""
COMPARABLE, AGREEABLE = 20, 50
"""Fewer quotes than this make no share of anything; nor fewer than that of what an ex-day changes."""
_OPEN = "{day}: the market has not closed yet; ia stores quotes but no bars"


class MarketSnapshot(NamedTuple):
    """A checked snapshot: `day` is the trading day that it shows, `closed` whether that session was over.

    time    exchange time of the latest trade in it, "" where the source tells none
    seconds spent on fetching
    """

    day: str
    closed: bool
    quotes: list[Quote]
    host: str
    time: str
    pages: int
    seconds: float


class _CollectedPages(NamedTuple):
    quotes: list[Quote]
    host: str
    time: str
    pages: int
    recorded: bool


def take_snapshot(
    source: MarketSource, progress: Progress | None = None, notify: Notify = drop_message
) -> MarketSnapshot:
    """Return the snapshot that a source shows now, with its day found and its pages counted.

    raises  TryLater where pages are missing or fewer rows came than were told; Unavailable for another shape;
            Refused where it shows a day that is later than `--now`.
    """
    began = time.monotonic()
    found = _collect_pages(source, progress, notify)
    quotes = _drop_future_quotes(_drop_duplicates(found.quotes, source.name, notify), source.name, notify)
    day, closed, latest = _find_day(source, found._replace(quotes=quotes), notify)
    return MarketSnapshot(
        day=day,
        closed=closed,
        quotes=quotes,
        host=found.host,
        time=latest,
        pages=found.pages,
        seconds=time.monotonic() - began,
    )


def check_snapshot(
    snapshot: MarketSnapshot,
    name: str,
    closes: Mapping[str, float],
    last: int,
    traded: int | None,
    older: Mapping[str, float],
) -> None:
    """Raise where a snapshot cannot be true of the market whose store is known.

    closes  symbol -> the stored close of the session before; empty where there is none
    last    number of symbols of the last whole day, 0 where there is none
    traded  number of those that traded on it; None where it may be any, as in a folder of some files
    older   symbol -> the last stored close, of whatever day

    raises  TryLater where the market has collapsed to a part of it; Unavailable where numbers contradict each other.
    """
    quotes = snapshot.quotes
    if len(quotes) < min(LEAST_OF_LAST * last, last - FEW):
        raise TryLater(
            PluralText(
                "{source}: only {count} symbol, but {last} on the last day; nothing was stored",
                "{source}: only {count} symbols, but {last} on the last day; nothing was stored",
            ),
            hint="try again later; if this persists, the data source has changed",
            source=name,
            count=len(quotes),
            last=last,
        )
    if snapshot.closed and traded is not None:
        bars, most = sum(quote.traded for quote in quotes), max(len(quotes), traded)
        least = max(LEAST_OF_ALL * len(quotes), LEAST_TRADED * traded)
        if most >= COMPARABLE and bars < min(least, most - FEW):
            raise _implausible_error(name, "only {count} of {total} securities traded", count=bars, total=len(quotes))
    near = [
        1 / FAR < quote.prev_close / older[quote.symbol] < FAR
        for quote in quotes
        if quote.prev_close and quote.symbol in older
    ]
    if len(near) >= COMPARABLE and sum(near) < AGREEING * len(near):
        raise _implausible_error(
            name,
            PluralText(
                "{count} of {total} prices is far from the stored prices",
                "{count} of {total} prices are far from the stored prices",
            ),
            count=len(near) - sum(near),
            total=len(near),
        )
    both = [(quote.prev_close, closes[quote.symbol]) for quote in quotes if quote.prev_close and quote.symbol in closes]
    agree = sum(abs(before - close) < AT_PAR for before, close in both)
    if len(both) >= AGREEABLE and agree < AGREEING * len(both):
        raise _implausible_error(
            name, "only {agree} of {count} previous closes match the stored ones", agree=agree, count=len(both)
        )


def _collect_pages(source: MarketSource, progress: Progress | None, notify: Notify) -> _CollectedPages:
    """Return what all pages told. A page with the number 1 begins anew: the source has gone over to another host."""
    quotes: list[Quote] = []
    page, done, dropped, odd, told = None, 0, 0, "", ""
    doubted: set[str] = set()
    try:
        for page in source.snapshot(notify=notify):
            if page.number == 1:
                quotes, done, dropped, odd, told = [], 0, 0, "", ""
                doubted.clear()
            if page.number != done + 1:
                raise _incomplete_error(
                    source.name, done, page.pages, Message("received page {number} out of order", number=page.number)
                )
            done = page.number
            quotes.extend(page.quotes)
            doubted.update(page.doubted)
            dropped, odd, told = dropped + page.dropped, odd or page.odd, max(told, page.time or "")
            if progress:
                progress(done, max(done, page.pages))
    except (TryLater, Unavailable, NotFound) as exc:
        if page is None or isinstance(exc, _IncompleteSnapshot):
            raise
        raise _incomplete_error(source.name, done, page.pages, exc) from exc
    if page is not None and done >= page.pages and not quotes:
        raise Unavailable(
            "{source} returned no securities; nothing was stored",
            source=source.name,
            hint="choose another data source with market.adapter; `ia doctor` shows the state of each host",
        )
    if page is None or done < page.pages:
        raise _incomplete_error(
            source.name, done, page.pages if page else 0, Message("the remaining pages did not arrive")
        )
    if dropped > max(2.0, ODD_FRAC * len(quotes)):
        raise _implausible_error(
            source.name,
            PluralText("{count} row is inconsistent: {odd}", "{count} rows are inconsistent, first: {odd}"),
            count=dropped,
            odd=odd,
        )
    if dropped:
        template: str = PluralText(
            "{source}: skipped {count} inconsistent row: {odd}",
            "{source}: skipped {count} inconsistent rows, first: {odd}",
        )
        notify(Message(template, source=source.name, count=dropped, odd=odd))
    if doubted:
        template = "{source}: {fields} of many rows do not match their prices; stored unchanged"
        notify(Message(template, source=source.name, fields=", ".join(sorted(doubted))))
    return _CollectedPages(quotes=quotes, host=page.host, time=told, pages=done, recorded=page.recorded)


class _IncompleteSnapshot(TryLater):
    """A snapshot of which only a part came."""


def _incomplete_error(name: str, done: int, pages: int, reason: IaError | Message) -> IaError:
    """Return the error for a snapshot of which only some pages came; it has the status of its cause."""
    kind = Unavailable if isinstance(reason, Unavailable) else _IncompleteSnapshot
    return kind(
        "{source}: received only {done} of {pages} pages ({reason}); nothing was stored",
        hint=getattr(reason, "hint", None)
        or ("the next `ia sync` starts again, because a snapshot must be from one moment"),
        **{**getattr(reason, "params", {}), "source": name, "done": done, "pages": pages, "reason": reason},
    )


def _drop_duplicates(quotes: list[Quote], name: str, notify: Notify) -> list[Quote]:
    """Return each security once: pages that are sorted anew while they are read may show one twice."""
    seen: dict[str, Quote] = {}
    twice = []
    for quote in quotes:
        other = seen.setdefault(quote.symbol, quote)
        if other is not quote:
            twice.append(quote.symbol)
            if (other.prev_close, other.name) != (quote.prev_close, quote.name):
                raise _implausible_error(name, "{symbol} occurs twice, with different values", symbol=quote.symbol)
    if len(twice) > max(1.0, DUPLICATES_FRAC * len(quotes)):
        raise _implausible_error(
            name,
            PluralText("{count} symbol occurs twice: {symbol}", "{count} symbols occur twice, such as {symbol}"),
            count=len(twice),
            symbol=twice[0],
        )
    if twice:
        notify(
            Message(
                PluralText("{source}: removed {count} duplicate symbol", "{source}: removed {count} duplicate symbols"),
                source=name,
                count=len(twice),
            )
        )
    return list(seen.values())


def _drop_future_quotes(quotes: list[Quote], name: str, notify: Notify) -> list[Quote]:
    """Return the quotes, those few without their time that tell one which is not yet: the others tell the day."""
    limit = _latest_believed_time()
    ahead = {quote.symbol for quote in quotes if quote.time and quote.time > limit}
    if not ahead or len(ahead) > ODD_FRAC * sum(quote.time is not None for quote in quotes):
        return quotes
    template = PluralText(
        "{source}: ignored a future time in {count} row, {symbol}",
        "{source}: ignored future times in {count} rows, such as {symbol}",
    )
    notify(Message(template, source=name, count=len(ahead), symbol=min(ahead)))
    return [quote._replace(time=None) if quote.symbol in ahead else quote for quote in quotes]


def _latest_believed_time() -> str:
    """Return the latest time of a trade that is believed: clocks differ by minutes, days do not."""
    now = clock.now().astimezone(clock.CHINA)
    return min((now + dt.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S"), f"{now:%Y-%m-%d}T23:59:59")


def _implausible_error(name: str, template: str, **params: object) -> IaError:
    return Unavailable(
        "{source}: implausible snapshot: {reason}; nothing was stored",
        hint="choose another data source with market.adapter; `ia doctor` shows the state of each host",
        source=name,
        reason=Message(template, **params),
    )


def _find_day(source: MarketSource, found: _CollectedPages, notify: Notify) -> tuple[str, bool, str]:
    """Return the trading day that a snapshot shows, whether that session was over, and the time of its last trade.

    The source's own time counts. Where it tells none, it is the last session that had closed by the clock. A day that
    is over by the source's time is closed; a page that stood still at 14:30 is not, whatever the clock says.
    """
    from ia.organs.ohlcv.calendar import last_session

    latest = max(filter(None, (quote.time for quote in found.quotes)), default=found.time)
    now = clock.now().astimezone(clock.CHINA)
    session = last_session("CN", now)
    if not latest:
        if (
            clock.is_simulated()
            and not _can_be_past(source, found)
            and last_session("CN", clock.wall_time()) != session
        ):
            raise future_day_error(source.name, "the current day")
        day, closed = _infer_day(now, session)
        notify(Message("{source} gives no date; assuming {day}", source=source.name, day=day))
        if not closed:
            notify(Message(_OPEN, day=day))
        return day, closed, ""
    day = latest[:10]
    if latest > _latest_believed_time():
        raise future_day_error(source.name, day)
    if day < session:
        notify(
            Message(
                "{source} still shows {day}; the last trading day was {session}",
                source=source.name,
                day=day,
                session=session,
            )
        )
    closed = day <= clock.last_visible_date("CN") and (
        len(latest) == 10 or latest[11:] >= f"{clock.CLOSE['CN']:%H:%M:%S}"
    )
    if not closed:
        notify(Message(_OPEN, day=day))
    return day, closed, latest


def _infer_day(now: datetime, session: str) -> tuple[str, bool]:
    """Return the day of a snapshot that tells none, and whether it was over: from RESET on a session shows itself."""
    from ia.organs.ohlcv.calendar import next_close

    coming = next_close("CN", now).astimezone(clock.CHINA)
    if coming.date() == now.date() and now.time() >= RESET:
        return now.strftime("%Y-%m-%d"), False
    return session, True


def _can_be_past(source: MarketSource, found: _CollectedPages) -> bool:
    """Return True if data that tells no day can be of the past.

    What is simulated or lies on this disk is cut at `--now`, and a record is of another day. Other hosts show the
    present.
    """
    return source.simulated or source.local or found.recorded


def future_day_error(name: str, day: str) -> IaError:
    """Return the error for a day that lies behind the clock: with --now a look ahead, else nonsense."""
    if clock.is_simulated():
        return Refused(
            "{source} shows {day}, which is after --now; nothing was stored",
            hint="sync without --now, or use the simulated market: IA_MARKET_ADAPTER=demo",
            source=name,
            day=day,
        )
    return Unavailable("{source} shows {day}, which is in the future; nothing was stored", source=name, day=day)
