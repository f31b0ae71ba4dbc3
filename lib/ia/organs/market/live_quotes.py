"""Live quotes: what a source says of some securities right now, beside the last stored close. Nothing is stored.

A live quote is of the present, so that `--now` refuses it. The bar of a session that has not ended is unfinished: its
row says so, and no other part of the program may take it for a day's bar.
"""

import contextlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from ia.domain.instruments.symbols import from_canonical, resolve_security
from ia.kernel import clock, config
from ia.kernel.errors import (
    IaError,
    Message,
    NotFound,
    Notify,
    SimulatedPrices,
    TryLater,
    Unavailable,
    UsageError,
    drop_message,
)
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import market_reader, sources
from ia.organs.market.sessions import SessionState, session_state
from ia.organs.market.sources import LiveBar, MarketSource
from ia.organs.ohlcv.session_days import ZONES

COLUMNS = (
    "symbol", "name", "date", "time", "zone", "price", "change_pct", "change", "prev_close", "open", "high", "low",
    "volume", "unfinished", "session", "last_close", "last_date", "change_last_pct", "source", "host", "simulated",
)  # fmt: skip
"""The fields of a live quote. `time`: of the quote, in the exchange's `zone`, with its offset; `session`: the state of
the market (`ia.organs.market.sessions`); `change*`: against `prev_close`, the reference price that the source tells;
`change_last_pct`: against `last_close`, the newest stored close before that day, of `last_date`."""
MOST = 200
"""Securities of one call: four requests to a source that is asked once a second."""
AHEAD = timedelta(minutes=5)
"""How far the clock of a source may be ahead of this one."""


def load_live_quotes(
    ws: Workspace, texts: Sequence[str], notify: Notify = drop_message
) -> tuple[list[Json], list[NotFound]]:
    """Return a live quote for each code or name, in their order, and what has none.

    The sources of `market.adapter` are asked in their order, through the governor, until one answers.

    Raises:
        UsageError: with `--now`; for a name that could mean several; for more than MOST securities.
        Unavailable, TryLater: no source answered.
    """
    if clock.is_simulated():
        raise UsageError(
            "a live quote is of the present, but ia runs as of {now}",
            now=clock.now().isoformat(timespec="minutes"),
            hint="leave out --now (IA_NOW), or ask for the stored quote",
        )
    symbols, lost = _resolve_symbols(ws, texts)
    if len(symbols) > MOST:
        raise UsageError(
            "{count} securities are too many for live quotes; give at most {most}", count=len(symbols), most=MOST
        )
    if not symbols:
        return [], lost
    source, bars = _ask_sources(symbols, notify)
    moment = clock.wall_time()
    told: dict[str, LiveBar] = {bar.symbol: bar for bar in bars}
    rows: list[Json] = []
    for symbol in symbols:
        state = session_state(from_canonical(symbol).market, moment)
        bar = told.get(symbol)
        if bar is None or not _is_current(bar, state, moment, notify):
            lost.append(_no_quote_error(symbol, source.name, state))
            continue
        if source.simulated:
            template = "simulated prices: {symbol} is invented by {adapter}"
            notify(SimulatedPrices(template, symbol=symbol, adapter=source.name))
        rows.append(_build_row(bar, state, source))
    _add_last_closes(ws, rows)
    return rows, lost


def _resolve_symbols(ws: Workspace, texts: Sequence[str]) -> tuple[list[str], list[NotFound]]:
    """Return the canonical symbols of codes and names, each once, and what is no security."""
    found: dict[str, None] = {}
    lost: list[NotFound] = []
    with contextlib.ExitStack() as stack:
        db = stack.enter_context(market_reader.open_market(ws)) if marketdb.is_stored(ws) else None
        day = market_reader.find_newest_day(db) if db is not None else None
        for text in dict.fromkeys(texts):
            try:
                symbol = (
                    market_reader.resolve_symbol(db, day, text)
                    if db is not None
                    else resolve_security(text, traded=True).canonical
                )
            except NotFound as exc:
                lost.append(exc)
            else:
                found[symbol] = None
    return list(found), lost


def _ask_sources(symbols: Sequence[str], notify: Notify) -> tuple[MarketSource, list[LiveBar]]:
    """Return the first source of `market.adapter` that answers, and its bars."""
    names = config.get_setting_words("market.adapter")
    failed: IaError | None = None
    for name in names:
        try:
            source = sources.load_source(name)
            bars = source.live_bars(symbols, notify)
        except sources.NotDelivered:
            continue
        except (TryLater, Unavailable) as exc:
            if failed is not None:
                notify(Message("{adapter}: {reason}", adapter=name, reason=exc))
            failed = failed or exc
            continue
        if failed is not None:
            notify(Message("{reason}; {adapter} answers instead", reason=failed, adapter=name))
        return source, bars
    if failed is not None:
        failed.hint = "`ia quote` without --live shows stored quotes; `ia doctor` shows the state of each host"
        raise failed
    raise Unavailable(
        "market.adapter ({names}) has no source of live quotes",
        code="no-live-source",
        names=", ".join(names),
        hint="run `ia config set market.adapter akshare`",
    )


def _is_current(bar: LiveBar, state: SessionState, moment: datetime, notify: Notify) -> bool:
    """Whether a bar is of the newest session; `notify` is told of another date, and of a time that has not come."""
    when = datetime.fromisoformat(bar.time)
    if bar.time[:10] == state.day and when <= moment + AHEAD:
        return True
    notify(
        Message(
            "{symbol}: dropped the quote of {time}; the newest session is that of {day}",
            symbol=bar.symbol,
            time=bar.time,
            day=state.day,
        )
    )
    return False


def _no_quote_error(symbol: str, source: str, state: SessionState) -> NotFound:
    template = (
        "{symbol}: {source} has no live quote"
        if state.unfinished
        else "{symbol}: {source} has no live quote while the market is closed"
    )
    hint = "`ia quote {symbol}` shows the stored quote"
    return NotFound(template, code="no-live-quote", symbol=symbol, source=source, hint=hint)


def _build_row(bar: LiveBar, state: SessionState, source: MarketSource) -> Json:
    change = bar.price - bar.prev_close
    return {
        "symbol": bar.symbol,
        "name": bar.name or from_canonical(bar.symbol).name or None,
        "date": bar.time[:10],
        "time": bar.time,
        "zone": ZONES[from_canonical(bar.symbol).market],
        "price": bar.price,
        "change_pct": round(change / bar.prev_close * 100, 2),
        "change": round(change, 4),
        "prev_close": bar.prev_close,
        "open": bar.open,
        "high": bar.high,
        "low": bar.low,
        "volume": bar.volume,
        "unfinished": state.unfinished,
        "session": state.state,
        **dict.fromkeys(("last_close", "last_date", "change_last_pct")),
        "source": source.name,
        "host": bar.host,
        "simulated": source.simulated,
    }


def _add_last_closes(ws: Workspace, rows: list[Json]) -> None:
    """Put the newest stored close before its day into each row, and the change against it."""
    if not rows or not marketdb.is_stored(ws):
        return
    with market_reader.open_market(ws) as db:
        for row in rows:
            last = market_reader.load_reference_close(db, row["symbol"], row["date"], simulated=row["simulated"])
            if last is not None:
                row["last_close"], row["last_date"] = last.close, last.date
                row["change_last_pct"] = round((row["price"] / last.close - 1) * 100, 2)
