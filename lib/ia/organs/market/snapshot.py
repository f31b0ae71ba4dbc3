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
from ia.kernel.errors import IaError, Message, NotFound, Notify, Refused, TryLater, Unavailable, silent
from ia.organs.market.quote import Quote
from ia.organs.market.sources import Source

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
_OPEN = "the session of {day} is not over: quotes are stored, bars are not"


class Snapshot(NamedTuple):
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


class _Collected(NamedTuple):
    quotes: list[Quote]
    host: str
    time: str
    pages: int
    recorded: bool


def take(source: Source, progress: Progress | None = None, notify: Notify = silent) -> Snapshot:
    """Return the snapshot that a source shows now, with its day found and its pages counted.

    raises  TryLater where pages are missing or fewer rows came than were told; Unavailable for another shape;
            Refused where it shows a day that is later than `--now`.
    """
    began = time.monotonic()
    found = _collected(source, progress, notify)
    quotes = _not_ahead(_once(found.quotes, source.name, notify), source.name, notify)
    day, closed, latest = _day(source, found._replace(quotes=quotes), notify)
    return Snapshot(day, closed, quotes, found.host, latest, found.pages, time.monotonic() - began)


def check(
    snapshot: Snapshot,
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
            "{source}: only {count} symbols, of {last} on the last day: nothing was stored",
            hint="try again later; a source that stays so has changed", source=name, count=len(quotes), last=last,
        )  # fmt: skip
    if snapshot.closed and traded is not None:
        bars, most = sum(quote.traded for quote in quotes), max(len(quotes), traded)
        least = max(LEAST_OF_ALL * len(quotes), LEAST_TRADED * traded)
        if most >= COMPARABLE and bars < min(least, most - FEW):
            raise _odd(name, "{count} of {total} securities traded", count=bars, total=len(quotes))
    near = [1 / FAR < quote.prev_close / older[quote.symbol] < FAR
            for quote in quotes if quote.prev_close and quote.symbol in older]  # fmt: skip
    if len(near) >= COMPARABLE and sum(near) < AGREEING * len(near):
        raise _odd(name, "{count} of {total} prices are far from those that are stored",
                   count=len(near) - sum(near), total=len(near))  # fmt: skip
    both = [(quote.prev_close, closes[quote.symbol]) for quote in quotes if quote.prev_close and quote.symbol in closes]
    agree = sum(abs(before - close) < AT_PAR for before, close in both)
    if len(both) >= AGREEABLE and agree < AGREEING * len(both):
        raise _odd(name, "{agree} of {count} previous closes are those that are stored", agree=agree, count=len(both))


def _collected(source: Source, progress: Progress | None, notify: Notify) -> _Collected:
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
                raise _half(source.name, done, page.pages, Message("page {number} came", number=page.number))
            done = page.number
            quotes.extend(page.quotes)
            doubted.update(page.doubted)
            dropped, odd, told = dropped + page.dropped, odd or page.odd, max(told, page.time or "")
            if progress:
                progress(done, max(done, page.pages))
    except (TryLater, Unavailable, NotFound) as exc:
        if page is None or isinstance(exc, _Half):
            raise
        raise _half(source.name, done, page.pages, exc) from exc
    if page is not None and done >= page.pages and not quotes:
        raise Unavailable(
            "{source} tells of no security: nothing was stored",
            source=source.name,
            hint="another source: market.adapter; how hosts stand: `ia doctor`",
        )
    if page is None or done < page.pages:
        raise _half(source.name, done, page.pages if page else 0, Message("no more came"))
    if dropped > max(2.0, ODD_FRAC * len(quotes)):
        raise _odd(source.name, "{count} rows contradict themselves, the first: {odd}", count=dropped, odd=odd)
    if dropped:
        template = "{source}: {count} row(s) contradicted themselves and were left out, the first: {odd}"
        notify(Message(template, source=source.name, count=dropped, odd=odd))
    if doubted:
        template = "{source}: {fields} of many rows do not fit their prices; kept as they were told"
        notify(Message(template, source=source.name, fields=", ".join(sorted(doubted))))
    return _Collected(quotes, page.host, told, done, page.recorded)


class _Half(TryLater):
    """A snapshot of which only a part came."""


def _half(name: str, done: int, pages: int, reason: IaError | Message) -> IaError:
    """Return the error for a snapshot of which only some pages came; it has the status of its cause."""
    kind = Unavailable if isinstance(reason, Unavailable) else _Half
    return kind(
        "{source}: {done} of {pages} pages came, nothing was stored: {reason}",
        hint=getattr(reason, "hint", None) or "the next `ia sync` begins anew: a snapshot is of one moment",
        **{**getattr(reason, "params", {}), "source": name, "done": done, "pages": pages, "reason": reason},
    )


def _once(quotes: list[Quote], name: str, notify: Notify) -> list[Quote]:
    """Return each security once: pages that are sorted anew while they are read may show one twice."""
    seen: dict[str, Quote] = {}
    twice = []
    for quote in quotes:
        other = seen.setdefault(quote.symbol, quote)
        if other is not quote:
            twice.append(quote.symbol)
            if (other.prev_close, other.name) != (quote.prev_close, quote.name):
                raise _odd(name, "{symbol} is there twice, and not alike", symbol=quote.symbol)
    if len(twice) > max(1.0, DUPLICATES_FRAC * len(quotes)):
        raise _odd(name, "{count} symbols are there twice, {symbol} among them", count=len(twice), symbol=twice[0])
    if twice:
        notify(Message("{source}: {count} symbol(s) came twice, kept once", source=name, count=len(twice)))
    return list(seen.values())


def _not_ahead(quotes: list[Quote], name: str, notify: Notify) -> list[Quote]:
    """Return the quotes, those few without their time that tell one which is not yet: the others tell the day."""
    limit = _latest()
    ahead = {quote.symbol for quote in quotes if quote.time and quote.time > limit}
    if not ahead or len(ahead) > ODD_FRAC * sum(quote.time is not None for quote in quotes):
        return quotes
    template = "{source}: {count} row(s) tell a time that is not yet, which is not believed: {symbol}"
    notify(Message(template, source=name, count=len(ahead), symbol=min(ahead)))
    return [quote._replace(time=None) if quote.symbol in ahead else quote for quote in quotes]


def _latest() -> str:
    """Return the latest time of a trade that is believed: clocks differ by minutes, days do not."""
    now = clock.now().astimezone(clock.CHINA)
    return min((now + dt.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S"), f"{now:%Y-%m-%d}T23:59:59")


def _odd(name: str, template: str, **params: object) -> IaError:
    return Unavailable(
        "{source}: the snapshot makes no sense: {reason}; nothing was stored",
        hint="another source: market.adapter; how hosts stand: `ia doctor`",
        source=name, reason=Message(template, **params),
    )  # fmt: skip


def _day(source: Source, found: _Collected, notify: Notify) -> tuple[str, bool, str]:
    """Return the trading day that a snapshot shows, whether that session was over, and the time of its last trade.

    The source's own time counts. Where it tells none, it is the last session that had closed by the clock. A day that
    is over by the source's time is closed; a page that stood still at 14:30 is not, whatever the clock says.
    """
    from ia.organs.ohlcv.calendar import last_session

    latest = max(filter(None, (quote.time for quote in found.quotes)), default=found.time)
    now = clock.now().astimezone(clock.CHINA)
    session = last_session("CN", now)
    if not latest:
        if clock.simulated() and not _can_be_past(source, found) and last_session("CN", clock.wall()) != session:
            raise later(source.name, "the present")
        day, closed = _untold(now, session)
        notify(Message("{source} tells no day: taken as {day}", source=source.name, day=day))
        if not closed:
            notify(Message(_OPEN, day=day))
        return day, closed, ""
    day = latest[:10]
    if latest > _latest():
        raise later(source.name, day)
    if day < session:
        notify(Message("{source} still shows {day}; the last session was {session}", source=source.name, day=day,
                       session=session))  # fmt: skip
    closed = day <= clock.last_visible("CN") and (len(latest) == 10 or latest[11:] >= f"{clock.CLOSE['CN']:%H:%M:%S}")
    if not closed:
        notify(Message(_OPEN, day=day))
    return day, closed, latest


def _untold(now: datetime, session: str) -> tuple[str, bool]:
    """Return the day of a snapshot that tells none, and whether it was over: from RESET on a session shows itself."""
    from ia.organs.ohlcv.calendar import next_close

    coming = next_close("CN", now).astimezone(clock.CHINA)
    if coming.date() == now.date() and now.time() >= RESET:
        return now.strftime("%Y-%m-%d"), False
    return session, True


def _can_be_past(source: Source, found: _Collected) -> bool:
    """Return True if what tells no day can be of the past: what is simulated or lies on this disk is cut at `--now`,
    and a record is of another day. Other hosts show the present."""
    return source.simulated or source.local or found.recorded


def later(name: str, day: str) -> IaError:
    """Return the error for a day that lies behind the clock: with --now a look ahead, else nonsense."""
    if clock.simulated():
        return Refused(
            "{source} shows {day}, which is later than --now: nothing was stored",
            hint="sync without --now, or the simulated market: IA_MARKET_ADAPTER=demo", source=name, day=day,
        )  # fmt: skip
    return Unavailable("{source} shows {day}, which is not yet: nothing was stored", source=name, day=day)
