"""market.*: the eyes. What was looked at last is what compute.run works on.

market.ohlcv, and market.quote with `live`, may ask a source; all others read what `ia sync` and `ia ohlcv` have stored.
"""

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.sanitizer import strip_cells
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope, ScopeMarket
from ia.kernel.errors import IaError, NotFound, Simulated, UsageError
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv.canonical import bar_lines

if TYPE_CHECKING:
    import sqlite3

    from ia.organs.market.market_reader import MarketDay

MAX_TAIL = 250
MAX_SYMBOLS = 50
_DAY = Annotated[str | None, "2024-03-15; default: the newest stored"]
_SINCE = Annotated[str | None, "first day of a stretch up to date: changes from the close before it"]


@tool("market.ohlcv", READ, together=True, seconds=120)
def fetch_prices(
    scope: Scope,
    symbol: Annotated[str, "code or name: 600519, 00700.HK, AAPL, 宁德时代"],
    period: Literal["daily", "weekly", "monthly"] = "daily",
    start: Annotated[str | None, "first date: 2024-03-15, 30d, 1y"] = None,
    end: Annotated[str | None, "last date: 2024-03-15, yesterday"] = None,
    adjust: Annotated[
        Literal["qfq", "hfq", "none"], "qfq: for changes; none: prices as traded, for the price of a day"
    ] = "qfq",
    tail: Annotated[int, "newest bars to show", AtLeast(1)] = 10,
) -> Json:
    """Fetch the prices of a security. compute.run and indicator.calc then work on all of its bars; here only the newest
    are shown. `simulated` true: the prices are invented, say so.
    """
    from ia.organs.ohlcv.history import BarsRequest, load_history

    request = BarsRequest(symbol=symbol, period=period, start=start, end=end, adjust=adjust)
    answer = load_history(scope.ws, request, scope.notify)
    if not answer.bars.date:
        until = request._replace(start=None, end=start)
        earlier = load_history(scope.ws, until, scope.notify).bars.date if start else []
        raise NotFound(
            "{symbol} has no bars in this period; available: {first} to {last}",
            code="no-bars-then",
            symbol=answer.symbol.canonical,
            first=answer.series.first,
            last=answer.series.last,
            day=earlier[-1] if earlier else "",
            hint="perhaps these are no trading days; the bar before them is of {day}" if earlier else None,
        )
    scope.market = ScopeMarket(
        answer.symbol.canonical,
        answer.series.name or answer.symbol.name or "",
        answer.bars,
        bool(answer.series.simulated),
        period,
        adjust,
        answer.series.adapter,
        not (start or end),
    )
    _remember_request(scope, request)
    return describe_bars(scope.market, tail)


@tool("market.observe", READ, together=True)
def show_newest_bars(
    scope: Scope,
    symbols: Annotated[list[str] | None, "codes or names; default: held and watched"] = None,
    of: Annotated[Literal["all", "held", "watch"], "without symbols: what is held, what is watched, or both"] = "all",
) -> Json:
    """Show the newest stored bar of some securities, with change_pct. `missing`: none is stored; market.ohlcv
    fetches it.
    """
    from ia.organs.market import market_reader

    asked = symbols or _held_and_watched(scope, of)
    rows, missing = market_reader.load_quotes(scope.ws, asked[:MAX_SYMBOLS], scope.notify)
    bars = {
        row["symbol"]: {
            "name": row["name"],
            "date": row["date"],
            "open": row["open"],
            "high": row["high"],
            "low": row["low"],
            "close": row["price"],
            "volume": row["volume"],
            "change_pct": row["change_pct"],
            "source": row["source"],
            "simulated": row["simulated"],
        }
        for row in rows
    }
    dates = [row["date"] for row in rows]
    return {
        "datetime": max(dates, default=None),
        "symbols": list(bars),
        "bars": bars,
        "missing": [str(error) for error in missing],
        "simulated": any(row["simulated"] for row in rows),
    }


@tool("market.history", READ, together=True)
def show_stored_bars(
    scope: Scope,
    symbol: Annotated[str, "code or name"],
    bars: Annotated[int, "how many of the newest", AtLeast(1)] = 60,
) -> Json:
    """Show the stored daily bars of a security (qfq), oldest first. What is not stored, market.ohlcv fetches."""
    from ia.organs.market import market_reader

    found = market_reader.load_history(scope.ws, symbol, scope.notify)
    count = max(1, min(bars, MAX_TAIL))
    lines = list(bar_lines(found.bars.slice_bars(-count)))
    return {
        "symbol": found.symbol,
        "adjust": "qfq",
        "source": found.source,
        "simulated": found.simulated,
        "date": found.bars.date[-1],
        "rows": len(found.bars.date),
        "bars": "".join(lines).splitlines(),
    }


@tool("market.quote", READ, together=True)
def show_quotes(
    scope: Scope,
    symbols: Annotated[list[str], "codes or names"],
    live: Annotated[
        bool, "ask the source for the price right now; `unfinished`: the session runs, so say the time"
    ] = False,
) -> Json:
    """Show stored quotes: price, change, turnover, pe, pb, market value (`currency`), industry, concepts; roe of the
    twelve months (`basis`) up to the period `report`. `missing`: nothing is stored; market.ohlcv fetches prices.
    """
    from ia.organs.market import live_quotes, market_reader

    load = live_quotes.load_live_quotes if live else market_reader.load_quotes
    rows, missing = load(scope.ws, symbols[:MAX_SYMBOLS], scope.notify)
    quotes = [{name: value for name, value in row.items() if value is not None} for row in rows]
    for row in quotes:
        if "concepts" in row:
            row["concepts"] = str(row["concepts"]).split(";")
    return {
        "date": max((row["date"] for row in rows), default=None),
        "source": rows[0]["source"] if rows else None,
        "simulated": any(row["simulated"] for row in rows),
        "quotes": quotes,
        "missing": [str(error) for error in missing],
    }


@tool("market.fundamentals", READ, together=True)
def show_fundamentals(
    scope: Scope, symbol: Annotated[str, "code or name"], periods: Annotated[int, "how many reports", AtLeast(1)] = 4
) -> Json:
    """Show what a company has published, newest report first: revenue, profit (`currency`), growth, roe, margins, debt
    ratio, eps, book value a share; of twelve months up to `period` (`basis`: ttm, annual). null: a report is missing.
    """
    from ia.organs.market import market_reader

    code, rows = market_reader.load_fundamentals(scope.ws, symbol, max(1, min(periods, 20)), scope.notify)
    return {"symbol": code, "reports": rows, "source": rows[0]["source"], "simulated": rows[0]["simulated"]}


@tool("market.actions", READ, together=True)
def show_actions(scope: Scope, symbol: Annotated[str, "code or name"]) -> Json:
    """Show the stored dividends (`cash` a share before tax), bonus shares, rights issues and splits of a security, by
    ex-date, newest first. Only what has happened: a coming ex-date is not known.
    """
    from ia.organs.market import market_reader

    found = market_reader.load_actions(scope.ws, symbol, scope.notify)
    rows = [{key: value for key, value in act._asdict().items() if value is not None} for act in found.actions]
    return {"symbol": found.symbol, "actions": rows[:40], "source": found.source, "simulated": found.simulated}


@tool("market.compare", READ, together=True, seconds=120)
def compare_prices(
    scope: Scope,
    symbols: Annotated[list[str], "two to ten codes or names"],
    days: Annotated[int, "window: the last sessions", AtLeast(2)] = 250,
    since: Annotated[str | None, "window: from this date on, instead of days"] = None,
    until: Annotated[str | None, "last date of the window"] = None,
    benchmark: Annotated[str | None, "index of the betas; default: the one of each market"] = None,
) -> Json:
    """Compare securities: returns by horizon and in the window, volatility a year, deepest drawdown (per cent), beta,
    valuation, correlation of daily returns. Returns are in each security's `currency`, never converted. `unknown`
    names what is null and why.
    """
    from datetime import date as Date

    from ia.kernel import clock, dateforms
    from ia.wiring import comparison

    today = Date.fromisoformat(clock.today())
    request = comparison.CompareRequest(
        symbols=tuple(symbols),
        days=days,
        since=dateforms.parse_day(since, today, option="since") if since else "",
        until=dateforms.parse_day(until, today, option="until", last=True) if until else "",
        benchmark=benchmark or "",
    )
    return comparison.describe_comparison(comparison.compare_securities(scope.ws, request, scope.notify))


@tool("market.valuation", READ, together=True)
def show_valuation(scope: Scope, symbol: Annotated[str, "code or name of a stock"]) -> Json:
    """Show what a stock costs and earns: pe_ttm, pb, market_cap (`currency`), dividend yield; roe, growth, eps, cash
    flow a share of twelve months (`basis`) up to `report`; `history`: where that stands in its own stored days;
    `peers`: in its industry (rank_pct: percentage that is lower; null: too few).
    """
    from ia.organs.market.valuation import load_valuation

    found = load_valuation(scope.ws, symbol, lambda told: None if isinstance(told, Simulated) else scope.notify(told))
    ranks = {name: {key: rank._asdict() for key, rank in getattr(found, name).items()} for name in ("history", "peers")}
    return {**found._asdict(), **ranks}


@tool("market.screen", READ, together=True, seconds=120)
def screen_stocks(
    scope: Scope,
    expr: Annotated[str, "0 < pe < 15 and roe > 15% and industry in (银行, 保险) and not st and rsi(close, 14) < 30"],
    sort: Annotated[str | None, "a column, largest first"] = None,
    limit: Annotated[int, AtLeast(1)] = 20,
    ascending: bool = False,
    date: _DAY = None,
) -> Json:
    """Find the stocks that meet a condition. Columns: price change turnover volume_ratio amount pe pe_ttm pb roe
    market_cap float_cap change_60d change_ytd revenue_yoy profit_yoy gross_margin net_margin debt_ratio eps bvps
    dividend_yield industry concept name board listed st. Figures of companies: twelve months (`basis`) up to the
    period `report`. Conditions of market.scan may be joined with `and`. `met` counts all that do, `unknown` those with
    a value missing.
    """
    from ia.faculties.lab.technical_screen import screen_technicals

    found, sandboxed = screen_technicals(
        scope.ws,
        expr,
        sort=sort,
        descending=False if ascending else None,
        limit=max(1, min(limit, 100)),
        notify=scope.notify,
        on=date,
    )
    rows = [{name: value for name, value in row.items() if name != "date"} for row in found.rows]
    return {**_describe_day(found.day), "met": found.met, "unknown": found.unknown, "stocks": rows} | (
        {"sandboxed": list(sandboxed)} if sandboxed else {}
    )


@tool("market.scan", READ, together=True, seconds=120)
def scan_stocks(
    scope: Scope,
    expr: Annotated[
        str | None, "of compute.run: rsi(close, 14) < 30; (close > sma(close, 200)) & (volume > sma(volume, 20))"
    ] = None,
    where: Annotated[str | None, "figures of market.screen as well: pe < 15 and industry = 银行"] = None,
    universe: Annotated[str, "all (stocks), watch, held, an industry"] = "all",
    columns: Annotated[list[str] | None, "further expressions to show"] = None,
    limit: Annotated[int, AtLeast(1)] = 20,
    since: Annotated[str | None, "first day: every bar from it on, newest first"] = None,
    until: Annotated[str | None, "with since: the last day"] = None,
    strategy: Annotated[str | None, "a saved condition, by name"] = None,
) -> Json:
    """Find the securities for which an expression is true on their newest bar, or rank all by its number. `met` counts
    all that were found, `securities` how many they are. Each row has `value` and `columns`. xrank(x), xzscore(x),
    xdemean(x, industry) compare the securities of a day: xrank(roc(close, 20)) > 0.9. macd(close)['histogram'] names
    one of several results. `sandboxed`: what left the quick lane.
    """
    from ia.domain.instruments.symbols import from_canonical, stored_symbols
    from ia.faculties.lab.scan import ScanRequest, parse_days, scan_market
    from ia.faculties.lab.scan_strategies import load_strategy
    from ia.faculties.lab.technical_screen import select_universe

    if strategy:
        saved = load_strategy(scope.ws, strategy)
        expr, where = saved.narrow_expression(expr), saved.narrow_condition(where)
        columns = [*saved.columns, *(columns or ())]
    if not expr:
        raise UsageError("missing {what}", what="expr", hint="for example rsi(close, 14) < 30")
    first, last = parse_days(since, until)
    chosen = select_universe(scope.ws, universe, where, notify=scope.notify)
    request = ScanRequest(
        expression=expr,
        columns=tuple(columns or ()),
        symbols=chosen,
        since=first,
        until=last,
    )
    found = scan_market(scope.ws, request, notify=scope.notify)
    rows = found.rows if found.truth else sorted(found.rows, key=lambda row: -float(row.value))
    rows = sorted(rows, key=lambda row: row.date, reverse=True) if first else rows
    names = {each.canonical: each.name for each in stored_symbols()}
    return {
        "date": found.day,
        "looked": found.looked,
        "met": len(rows),
        "securities": len({row.symbol for row in rows}),
        **({"since": first} if first else {}),
        "stale": len(found.stale),
        "unknown": found.unknown,
        "stocks": [
            {
                "symbol": row.symbol,
                "name": names.get(row.symbol) or from_canonical(row.symbol).name,
                "date": row.date,
                "close": row.close,
                "value": row.value,
                "columns": dict(zip(request.columns, row.values, strict=True)),
            }
            for row in rows[: max(1, min(limit, 100))]
        ],
        **({"sandboxed": list(found.sandboxed)} if found.sandboxed else {}),
        "simulated": found.simulated,
    }


@tool("market.summary", READ, together=True)
def summarize_market(scope: Scope, date: _DAY = None) -> Json:
    """Show the market of the day: how many rose and fell, limit-ups, median and weighted change, what was traded
    against before, boards, best and worst industries, levels of the main indices.
    """
    from ia.organs.market import market_reader
    from ia.organs.market.day_summary import summarize_day as figures

    with market_reader.open_market(scope.ws) as db:
        return figures(db, market_reader.load_day(db, scope.notify, date))


@tool("market.gainers", READ, together=True)
def list_gainers(
    scope: Scope,
    limit: Annotated[int, AtLeast(1)] = 50,
    losers: Annotated[bool, "those that fell most instead"] = False,
    exclude_new: Annotated[bool, "without those listed in the last 60 days"] = False,
    exclude_st: bool = False,
    where: Annotated[str | None, "condition of market.screen: board = star, industry = 银行"] = None,
    date: _DAY = None,
    since: _SINCE = None,
) -> Json:
    """Show the stocks that rose most on the day, with industry and the first of their concepts; with since, over a
    stretch of days and without concepts.
    """
    from ia.organs.market import market_reader
    from ia.organs.market.screen import screen_stocks as find

    count, among = max(1, min(limit, 100)), None
    if where:
        found = find(scope.ws, where, columns=("symbol",), notify=scope.notify)
        among = {str(row["symbol"]) for row in found.rows}
    with market_reader.open_market(scope.ws) as db:
        day = market_reader.load_day(db, scope.notify, date)
        if since:
            return _list_span_gainers(db, day, since, count, losers=losers, among=among)
        most = count if among is None else _ALL_STOCKS
        rows = market_reader.load_gainers(db, day, most, losers=losers, new=not exclude_new, st=not exclude_st)
        rows = [row for row in rows if among is None or row["symbol"] in among][:count]
    names = ("symbol", "name", "change_pct", "price", "amount", "turnover_pct", "industry")
    stocks = [{**{n: row[n] for n in names}, "concepts": (row["concepts"] or "").split(";")[:4]} for row in rows]
    return {**_describe_day(day), "stocks": stocks}


_ALL_STOCKS = 100_000
"""More rows than a day has."""


def _list_span_gainers(
    db: "sqlite3.Connection", day: "MarketDay", since: str, count: int, *, losers: bool, among: set[str] | None
) -> Json:
    """Return the stocks that rose or fell most over a stretch of days.

    among    the only symbols that count; None: all
    """
    from ia.organs.market.span_changes import load_span_stocks

    stocks, base = load_span_stocks(db, day, since)
    chosen = [row for row in stocks if among is None or row.symbol in among]
    moved = [row for row in chosen if (row.change_pct < 0 if losers else row.change_pct > 0)]
    moved.sort(key=lambda row: (row.change_pct if losers else -row.change_pct, row.symbol))
    rows = [
        {"symbol": row.symbol, "name": row.name, "change_pct": row.change_pct, "industry": row.industry}
        for row in moved[:count]
    ]
    return {**_describe_day(day), "since_close_of": base, "count": len(stocks), "stocks": rows}


@tool("market.sectors", READ, together=True)
def list_sectors(
    scope: Scope,
    kind: Literal["industry", "concept"] = "industry",
    limit: Annotated[int, "best and worst", AtLeast(1)] = 10,
    date: _DAY = None,
    since: _SINCE = None,
) -> Json:
    """Show the best and worst industries or concepts of the day: mean change, members up and down, leader."""
    from ia.organs.market import market_reader
    from ia.organs.market.day_summary import group_rows
    from ia.organs.market.day_summary import load_sectors as grouped
    from ia.organs.market.span_changes import load_span_stocks

    base = ""
    with market_reader.open_market(scope.ws) as db:
        day = market_reader.load_day(db, scope.notify, date)
        if since:
            stocks, base = load_span_stocks(db, day, since)
            rows = group_rows(stocks, kind)
        else:
            rows = grouped(db, day, kind)
    if rows and not since:  # the source's groups may be of a day before
        day = day._replace(date=rows[0]["date"])
    count = max(1, min(limit, 50))
    told = [
        {name: row.get(name) for name in ("name", "change_pct", "up", "down", "leader", "leader_pct")} for row in rows
    ]
    worst = told[max(count, len(told) - count) :]
    about = {**_describe_day(day), **({"since_close_of": base} if base else {})}
    return {**about, "kind": kind, "count": len(rows), "best": told[:count], "worst": worst[::-1]}


@tool("market.mainline", READ, together=True)
def find_main_lines(scope: Scope, top: Annotated[int, "how many of the top gainers", AtLeast(1)] = 50) -> Json:
    """Find the main lines of the day: industries and concepts with more of the top gainers than chance explains. Empty
    `lines`: there is none.
    """
    from ia.organs.market import main_lines as lines
    from ia.organs.market import market_reader

    with market_reader.open_market(scope.ws) as db:
        day = market_reader.load_day(db, scope.notify)
        return lines.find_mainlines(db, day, top=max(5, min(top, 1000)))


@tool("market.northbound", READ, together=True)
def list_northbound(scope: Scope, days: Annotated[int, AtLeast(1)] = 10) -> Json:
    """Show north-bound trading by day and channel, in yuan. `net` is null since August 2024: no longer published."""
    from ia.organs.market import market_reader

    rows = market_reader.load_northbound(scope.ws, max(1, min(days, 60)), scope.notify)
    return _format_stored_rows(rows, "`ia sync northbound`")


@tool("market.lhb", READ, together=True)
def list_unusual_trading(scope: Scope, date: Annotated[str | None, "2024-03-15; default: the newest"] = None) -> Json:
    """Show a day's stocks with unusual trading (dragon and tiger list), largest net buying first (yuan), and why."""
    from ia.organs.market import market_reader

    rows = market_reader.load_lhb(scope.ws, date or None, scope.notify)
    if not rows and date and (newest := market_reader.load_lhb(scope.ws, None, scope.notify)):
        raise NotFound(
            "no stock is on the stored list of {date}",
            date=date,
            day=newest[0]["date"],
            hint="the newest list is of {day}; leave out date to see it",
        )
    return _format_stored_rows([{k: v for k, v in row.items() if v is not None} for row in rows[:60]], "`ia sync lhb`")


def _format_stored_rows(rows: Sequence[Mapping[str, object]], sync: str) -> Json:
    if not rows:
        raise NotFound("no data stored for this", hint="run {sync} to fetch it", sync=sync)
    about = {"date": rows[0]["date"], "source": rows[0]["source"], "simulated": rows[0]["simulated"]}
    return {**about, "rows": [{k: v for k, v in row.items() if k not in ("source", "simulated")} for row in rows]}


def _describe_day(day: "MarketDay") -> Json:
    told = {"date": day.date, "time": day.time, "closed": day.closed, "source": day.name, "simulated": day.simulated}
    return told if day.of_bars is None else {**told, "made_from_bars_of": day.of_bars}


def _held_and_watched(scope: Scope, of: str) -> list[str]:
    """Return what is held, what is watched, or both."""
    from ia.wiring.universe import list_universe

    found: dict[str, None] = {}
    for name in ("held", "watch") if of == "all" else (of,):
        with contextlib.suppress(NotFound):
            found |= dict.fromkeys(symbol.canonical for symbol in list_universe(scope.ws, name))
    if not found:
        raise NotFound("no securities are held or watched", code="nothing-watched", hint="give symbols")
    return list(found)


def describe_bars(market: ScopeMarket, tail: int = 10) -> Json:
    """Return what a model sees of bars: where they come from, their range, and the newest few as canonical lines."""
    bars = market.bars
    count = max(1, min(tail, MAX_TAIL))
    lines = list(bar_lines(bars.slice_bars(-count)))
    return {
        "symbol": market.symbol,
        "name": market.name,
        "period": market.period,
        "adjust": market.adjust,
        "source": market.source,
        "simulated": market.simulated,
        "rows": len(bars.date),
        "first": bars.date[0],
        "last": bars.date[-1],
        "bars": "".join(lines).splitlines(),
    }


def bars_of(scope: Scope, symbol: str | None) -> ScopeMarket:
    """OHLCV → compute: all daily bars of a symbol, else those that this scope or its session looked at last.

    A symbol that is named means its default window, whatever window of it was looked at before.
    raises  NotFound where nothing was looked at yet.
    """
    from ia.organs.compute import array_backend

    array_backend.settle_on_numpy()
    if symbol:
        before = scope.market
        if (
            before is not None
            and _is_default_view(before)
            and symbol in (before.symbol, before.name, _bare_code(before.symbol))
        ):
            return before
        try:
            fetch_prices(scope, symbol)
        except IaError as exc:
            if scope.actor != "user":
                raise strip_cells(exc, {"symbol": symbol}) from None
            raise
        found = scope.market
        assert found is not None
        scope.market = before or found
        return found
    if scope.market is None:
        scope.market = _load_last_market(scope)
    return scope.market


def describe_window(market: ScopeMarket) -> Json:
    """Return which bars a result is of, in the words of market.ohlcv: their period, how many, from when to when."""
    dates = market.bars.date
    return {
        "symbol": market.symbol,
        "period": market.period,
        "rows": len(dates),
        "first": dates[0] if dates else None,
        "last": dates[-1] if dates else None,
    }


def _is_default_view(market: ScopeMarket) -> bool:
    """Whether bars are what a symbol means where no window, period or adjustment is named."""
    return market.whole and (market.period, market.adjust) == ("daily", "qfq")


def _bare_code(canonical: str) -> str:
    return canonical.split(".")[0]


def _remember_request(scope: Scope, request: Any) -> None:
    """Keep what was asked for, so that the next turn of the session, or the next command, can go on with it."""
    from ia.kernel import store
    from ia.wiring.last_bars import remember_request

    lasting = scope.session != scope.turn if scope.session else scope.actor == "user"
    if lasting and store.is_writable(scope.ws.db):
        remember_request(scope.ws, request, scope.session)


def _load_last_market(scope: Scope) -> ScopeMarket:
    from ia.wiring.last_bars import load_last_bars

    try:
        answer = load_last_bars(scope.ws, scope.notify, scope.session)
    except NotFound:
        raise NotFound("no prices loaded yet", hint="call market.ohlcv first, or give symbol") from None
    return ScopeMarket(
        answer.symbol.canonical,
        answer.series.name or answer.symbol.name or "",
        answer.bars,
        bool(answer.series.simulated),
        answer.period,
        answer.adjust,
        answer.series.adapter,
        whole=False,
    )
