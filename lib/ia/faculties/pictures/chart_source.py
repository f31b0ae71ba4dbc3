"""Where a chart's bars come from: a symbol's history, or bytes of which the audit trail may know the origin."""

from dataclasses import dataclass, replace
from datetime import date as Date
from decimal import Decimal
from itertools import pairwise

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import MARKET, security_name, symbol_of_kind
from ia.faculties.pictures.chart import (
    ENGLISH,
    Chart,
    ChartEvent,
    ChartLine,
    PriceLevel,
    TradeMarker,
    moving_average,
    up_color,
)
from ia.faculties.pictures.scale import format_number
from ia.kernel import clock
from ia.kernel.errors import BadData, NotFound, Notify, PluralText, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.history import BarsRequest

AVERAGES = (5, 20, 60)
HOLIDAY = 14
"""Days between two bars that a holiday explains: 12 in May 2003, 11 at some Chinese new years."""
DRAWN = 250
"""Bars of a picture where nothing else is said: about a year."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChartOrigin:
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


def load_symbol(ws: Workspace, request: BarsRequest, notify: Notify = drop_message) -> ChartOrigin:
    """Return a symbol's bars from the first to `request.end`, and its corporate actions as far as they are stored."""
    import contextlib

    from ia.organs import marketdb
    from ia.organs.ohlcv import series_store
    from ia.organs.ohlcv.history import load_history

    answer = load_history(ws, request._replace(start=None), notify)
    symbol, series = answer.symbol, answer.series
    if not answer.bars.date:
        raise NotFound("{symbol} has no bars in this period", symbol=symbol.canonical)
    with contextlib.closing(marketdb.connect(ws)) as db:
        actions = tuple(series_store.load_actions(db, series.adapter, series.symbol, answer.bars.date[-1]))
    return ChartOrigin(
        bars=answer.bars,
        symbol=symbol.canonical,
        name=series.name or symbol.name,
        market=symbol.market,
        adapter=series.adapter,
        host=series.host,
        adjust=answer.adjust,
        period=answer.period,
        fetched=series.fetched,
        simulated=series.simulated,
        actions=actions,
    )


def parse_canonical_csv(
    ws: Workspace, data: bytes, source: str, notify: Notify = drop_message, *, strict: bool = False
) -> ChartOrigin:
    """Return the bars of canonical CSV; what `ia` wrote is known by its digest: symbol, source, simulated or not."""
    import io

    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.canonical import read_bars
    from ia.organs.ohlcv.history import visible_bars

    bars = visible_bars(read_bars(io.BytesIO(data), source, strict=strict, notify=notify))
    if not bars.date:
        raise BadData("{source}: no bars to draw", source=source)
    events = provenance.find_origins(ws, data)
    if not events:
        return ChartOrigin(bars=bars)
    told = {key: value for key, value in events[0].data.items() if isinstance(value, str)}
    symbol = told.get("symbol", "")
    exchange = symbol.rpartition(".")[2]
    market = MARKET.get(exchange, exchange)
    return ChartOrigin(
        bars=bars,
        symbol=symbol,
        name=told.get("name", ""),
        market=market,
        adapter=told.get("adapter", ""),
        host=told.get("host", ""),
        adjust=told.get("adjust", ""),
        period=told.get("period", ""),
        fetched=told.get("fetched", ""),
        simulated=bool(events[0].data.get("simulated")),
    )


def build_chart(
    origin: ChartOrigin, voice: Voice, *, title: str | None = None, averages: tuple[int, ...] = AVERAGES
) -> Chart:
    """Return the chart of all bars: candles, volume, moving averages, corporate actions, and where they came from."""
    bars = origin.bars
    lines = tuple(
        ChartLine(f"MA{n}", moving_average(bars.close, n)) for n in averages if len(bars.close) >= n or n == averages[0]
    )
    chart = Chart(
        bars,
        title=localize_title(origin, voice) if title is None else title,
        overlays=lines,
        up=up_color(origin.market, voice.lang),
        unit=trading_currency(symbol_of_kind(origin.symbol)) if origin.symbol else "",
        voice=voice,
        source=describe_origin(origin, voice),
        source_en=describe_origin(origin, ENGLISH),
        warning=voice("simulated prices") if origin.simulated else "",
    )
    return replace(chart, events=_collect_events(origin, voice))


def localize_title(origin: ChartOrigin, voice: Voice) -> str:
    """Return code and name, in English where the picture is and the name is known."""
    return f"{origin.symbol} {security_name(origin.symbol, origin.name, voice.lang)}".strip()


def describe_origin(origin: ChartOrigin, voice: Voice) -> str:
    """Return the line that tells what the bars are: adjustment, period, source, host, time."""
    say, parts = voice, []
    own = origin.adapter == "-"  # a CSV of somebody's that `ia ohlcv -` read: who knows what was done to its prices
    if origin.adjust and not own:
        parts.append(
            {"qfq": say("forward-adjusted (qfq)"), "hfq": say("backward-adjusted (hfq)")}.get(
                origin.adjust, say("not adjusted")
            )
        )
    if origin.period:
        parts.append(say(origin.period))
    if origin.adapter and not own:
        hosted = origin.host and origin.host != origin.adapter and not origin.simulated
        where = f"{origin.adapter} ({origin.host})" if hosted else origin.adapter
        parts.append(say("source {where}", where=where))
    if origin.fetched and clock.parse_moment(origin.fetched.replace("Z", "+00:00")) <= clock.now():
        parts.append(say("fetched {time}", time=_format_minute(origin.fetched)))
    return " · ".join(parts)


def load_trade_marks(ws: Workspace, origin: ChartOrigin, voice: Voice) -> tuple[TradeMarker, ...]:
    """Return the trades of a symbol that the ledger has at now(), within its bars, oldest first."""
    from ia.organs.ledger import journal

    if not origin.symbol:
        return ()
    first, last = origin.bars.date[0][:10], origin.bars.date[-1][:10]
    found: dict[tuple[str, str], list[tuple[Decimal, Decimal]]] = {}
    for entry in journal.effective_entries(ws.db, symbol=origin.symbol):
        if entry.kind in (journal.BUY, journal.SELL) and entry.quantity and entry.price and first <= entry.date <= last:
            found.setdefault((entry.date, entry.kind), []).append((entry.quantity, entry.price))
    return tuple(
        TradeMarker(date, kind, _describe_deals(kind == journal.BUY, deals, voice))
        for (date, kind), deals in found.items()
    )


def load_stop_levels(ws: Workspace, origin: ChartOrigin, voice: Voice) -> tuple[PriceLevel, ...]:
    """Return the price at which the owner's stop-loss rule applies to what is held of a symbol; nothing without any."""
    from ia.organs.ledger import guard
    from ia.wiring.ledger_prices import open_ledger

    if not origin.symbol or origin.adjust == "hfq":  # of prices that are not those of today
        return ()
    held = open_ledger(ws).books().holdings.get(origin.symbol)
    limit = guard.load_limits().stop_loss_pct
    if held is None or held.quantity <= 0 or not held.cost:
        return ()
    price = float(held.cost / held.quantity * (1 - limit / 100))
    return (PriceLevel(price, voice("stop rule ({limit}%)", limit=f"-{limit:f}".rstrip("0").rstrip("."))),)


def _describe_deals(bought: bool, deals: list[tuple[Decimal, Decimal]], voice: Voice) -> str:
    """Return the words for what was dealt on a day on one side: shares, their mean price, how many deals."""
    quantity = sum((shares for shares, _ in deals), Decimal())
    mean = sum((shares * price for shares, price in deals), Decimal()) / quantity
    places = max(2, *(-int(price.as_tuple().exponent) for _, price in deals))
    price = mean if len(deals) == 1 else round(mean, places)
    shown = {"quantity": f"{quantity:,f}", "price": f"{price.normalize():,f}"}
    told = voice("buy {quantity} @ {price}" if bought else "sell {quantity} @ {price}", **shown)
    return (
        told
        if len(deals) == 1
        else voice(PluralText("{told} in {count} trade", "{told} in {count} trades"), told=told, count=len(deals))
    )


def _format_minute(stamp: str) -> str:
    moment = clock.parse_moment(stamp.replace("Z", "+00:00"))
    return moment.astimezone(clock.now().tzinfo).strftime("%Y-%m-%d %H:%M")


def _collect_events(origin: ChartOrigin, voice: Voice) -> tuple[ChartEvent, ...]:
    """Return the actions that lie within the bars, with their sizes in words, and long stretches without a bar."""
    found = _find_gaps(origin.bars.date, voice)
    for action in origin.actions:
        if not origin.bars.date[0] < action.date <= origin.bars.date[-1]:
            continue
        told = []
        if action.cash:
            told.append(voice("cash dividend of {amount} per share", amount=format_number(action.cash)))
        if action.bonus:
            told.append(voice("{ratio} new shares per share", ratio=format_number(action.bonus)))
        if action.rights:
            told.append(
                voice(
                    "{ratio} rights per share at {price}", ratio=format_number(action.rights), price=action.rights_price
                )
            )
        if action.split != 1:
            told.append(voice("split 1 to {ratio}", ratio=format_number(action.split)))
        sign = "D" if action.cash and not (action.bonus or action.split != 1) else "S"
        found.append(ChartEvent(action.date, sign, "; ".join(told) or voice("ex-date")))
    return tuple(sorted(found))


def _find_gaps(dates: list[str], voice: Voice) -> list[ChartEvent]:
    """Return where daily bars are missing for longer than any holiday: bars beside each other hide a suspension."""
    days = [Date.fromisoformat(date[:10]).toordinal() for date in dates]
    apart = [after - before for before, after in pairwise(days)]
    if not apart or sorted(apart)[len(apart) // 2] > 3:  # bars of a week or a month
        return []
    return [
        ChartEvent(
            dates[i + 1],
            "…",
            voice(
                PluralText("no bars for the {count} day before", "no bars for the {count} days before"), count=gap - 1
            ),
        )
        for i, gap in enumerate(apart)
        if gap > HOLIDAY
    ]
