"""Where a chart's bars come from: a symbol's history, or bytes of which the audit trail may know the origin."""

from dataclasses import replace
from datetime import date as Date
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from ia.domain.instruments.symbols import MARKET
from ia.faculties.pictures.chart import ENGLISH, Chart, Event, Line, Mark, Voice, moving_average, up_color
from ia.faculties.pictures.scale import number
from ia.kernel import clock
from ia.kernel.errors import BadData, NotFound, Notify, silent
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adjust import Action
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.history import Request

AVERAGES = (5, 20, 60)
HOLIDAY = 14
"""Days between two bars that a holiday explains: 12 in May 2003, 11 at some Chinese new years."""
DRAWN = 250
"""Bars of a picture where nothing else is said: about a year."""


class Origin(NamedTuple):
    """What is known of bars. `symbol` is canonical, or "" where nobody knows it; `fetched` is a UTC stamp or ""."""

    bars: Bars
    symbol: str = ""
    name: str = ""
    market: str = ""
    adapter: str = ""
    host: str = ""
    adjust: str = ""
    period: str = ""
    fetched: str = ""
    simulated: bool = False
    actions: tuple[Action, ...] = ()

    @property
    def title(self) -> str:
        """Code and name, as far as they are known."""
        return f"{self.symbol} {self.name}".strip()


def of_symbol(ws: Workspace, request: Request, notify: Notify = silent) -> Origin:
    """Return a symbol's bars from the first to `request.end`, and its corporate actions as far as they are stored."""
    import contextlib

    from ia.organs import marketdb
    from ia.organs.ohlcv import cache
    from ia.organs.ohlcv.history import history

    answer = history(ws, request._replace(start=None), notify)
    symbol, series = answer.symbol, answer.series
    if not answer.bars.date:
        raise NotFound("{symbol} has no bars then", symbol=symbol.canonical)
    with contextlib.closing(marketdb.connect(ws)) as db:
        actions = tuple(cache.actions(db, series.adapter, series.symbol, answer.bars.date[-1]))
    return Origin(
        answer.bars, symbol.canonical, series.name or symbol.name, symbol.market, series.adapter, series.host,
        answer.adjust, answer.period, series.fetched, series.simulated, actions,
    )  # fmt: skip


def of_bytes(ws: Workspace, data: bytes, source: str, notify: Notify = silent, *, strict: bool = False) -> Origin:
    """Return the bars of canonical CSV; what `ia` wrote is known by its digest: symbol, source, simulated or not."""
    import io

    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.canonical import read_bars
    from ia.organs.ohlcv.history import visible

    bars = visible(read_bars(io.BytesIO(data), source, strict=strict, notify=notify))
    if not bars.date:
        raise BadData("{source}: no bars to draw", source=source)
    events = provenance.find(ws, data)
    if not events:
        return Origin(bars)
    told = {key: value for key, value in events[0].data.items() if isinstance(value, str)}
    symbol = told.get("symbol", "")
    exchange = symbol.rpartition(".")[2]
    market = MARKET.get(exchange, exchange)
    return Origin(
        bars, symbol, told.get("name", ""), market, told.get("adapter", ""), told.get("host", ""),
        told.get("adjust", ""), told.get("period", ""), told.get("fetched", ""), bool(events[0].data.get("simulated")),
    )  # fmt: skip


def charted(origin: Origin, voice: Voice, *, title: str | None = None, averages: tuple[int, ...] = AVERAGES) -> Chart:
    """Return the chart of all bars: candles, volume, moving averages, corporate actions, and where they came from."""
    bars = origin.bars
    lines = tuple(
        Line(f"MA{n}", moving_average(bars.close, n)) for n in averages if len(bars.close) >= n or n == averages[0]
    )
    chart = Chart(
        bars, title=origin.title if title is None else title, overlays=lines,
        up=up_color(origin.market, voice.lang), voice=voice,
        source=described(origin, voice), source_en=described(origin, ENGLISH),
        warning=voice.say("simulated prices") if origin.simulated else "",
    )  # fmt: skip
    return replace(chart, events=_events(origin, voice))


def described(origin: Origin, voice: Voice) -> str:
    """Return the line that tells what the bars are: adjustment, period, source, host, time."""
    say, parts = voice.say, []
    own = origin.adapter == "-"  # a CSV of somebody's that `ia ohlcv -` read: who knows what was done to its prices
    if origin.adjust and not own:
        parts.append({"qfq": say("forward-adjusted (qfq)"), "hfq": say("backward-adjusted (hfq)")}.get(
            origin.adjust, say("not adjusted")))  # fmt: skip
    if origin.period:
        parts.append(say(origin.period))
    if origin.adapter and not own:
        where = f"{origin.adapter} ({origin.host})" if origin.host and origin.host != origin.adapter else origin.adapter
        parts.append(say("source {where}", where=where))
    if origin.fetched and clock.parse(origin.fetched.replace("Z", "+00:00")) <= clock.now():
        parts.append(say("fetched {time}", time=_minute(origin.fetched)))
    return " · ".join(parts)


def marks(ws: Workspace, origin: Origin, voice: Voice) -> tuple[Mark, ...]:
    """Return the trades of a symbol that the ledger has at now(), within its bars, oldest first."""
    from ia.organs.ledger import journal

    if not origin.symbol:
        return ()
    first, last = origin.bars.date[0][:10], origin.bars.date[-1][:10]
    found: dict[tuple[str, str], list[tuple[Decimal, Decimal]]] = {}
    for entry in journal.standing(ws.db, symbol=origin.symbol):
        if entry.kind in (journal.BUY, journal.SELL) and entry.quantity and entry.price and first <= entry.date <= last:
            found.setdefault((entry.date, entry.kind), []).append((entry.quantity, entry.price))
    return tuple(Mark(date, kind, _dealt(kind == journal.BUY, deals, voice)) for (date, kind), deals in found.items())


def _dealt(bought: bool, deals: list[tuple[Decimal, Decimal]], voice: Voice) -> str:
    """Return the words for what was dealt on a day on one side: shares, their mean price, how many deals."""
    quantity = sum((shares for shares, _ in deals), Decimal())
    mean = sum((shares * price for shares, price in deals), Decimal()) / quantity
    places = max(2, *(-int(price.as_tuple().exponent) for _, price in deals))
    price = mean if len(deals) == 1 else round(mean, places)
    shown = {"quantity": f"{quantity:,f}", "price": f"{price.normalize():,f}"}
    told = voice.say("buy {quantity} @ {price}" if bought else "sell {quantity} @ {price}", **shown)
    return told if len(deals) == 1 else voice.say("{told} in {count} deals", told=told, count=len(deals))


def _minute(stamp: str) -> str:
    moment = clock.parse(stamp.replace("Z", "+00:00"))
    return moment.astimezone(clock.now().tzinfo).strftime("%Y-%m-%d %H:%M")


def _events(origin: Origin, voice: Voice) -> tuple[Event, ...]:
    """Return the actions that lie within the bars, with their sizes in words, and long stretches without a bar."""
    found = _gaps(origin.bars.date, voice)
    for action in origin.actions:
        if not origin.bars.date[0] < action.date <= origin.bars.date[-1]:
            continue
        told = []
        if action.cash:
            told.append(voice.say("cash {amount} a share", amount=number(action.cash)))
        if action.bonus:
            told.append(voice.say("{ratio} new shares a share", ratio=number(action.bonus)))
        if action.rights:
            told.append(
                voice.say("{ratio} rights a share at {price}", ratio=number(action.rights), price=action.rights_price)
            )
        if action.split != 1:
            told.append(voice.say("split 1 to {ratio}", ratio=number(action.split)))
        sign = "D" if action.cash and not (action.bonus or action.split != 1) else "S"
        found.append(Event(action.date, sign, "; ".join(told) or voice.say("ex-date")))
    return tuple(sorted(found))


def _gaps(dates: list[str], voice: Voice) -> list[Event]:
    """Return where daily bars are missing for longer than any holiday: bars beside each other hide a suspension."""
    days = [Date.fromisoformat(date[:10]).toordinal() for date in dates]
    apart = [after - before for before, after in pairwise(days)]
    if not apart or sorted(apart)[len(apart) // 2] > 3:  # bars of a week or a month
        return []
    return [
        Event(dates[i + 1], "…", voice.say("no bar for {count} days before", count=gap - 1))
        for i, gap in enumerate(apart)
        if gap > HOLIDAY
    ]
