"""market.*: the eyes. What was looked at last is what compute.run works on.

market.ohlcv may ask a source; all others read what `ia sync` and `ia ohlcv` have stored.
"""

import contextlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Market, Scope
from ia.agent.tools.telling import without_cells
from ia.kernel.errors import IaError, NotFound
from ia.organs.ohlcv.canonical import bar_lines

if TYPE_CHECKING:
    from ia.organs.market.reading import Day

MAX_TAIL = 250
MAX_SYMBOLS = 50


@tool("market.ohlcv", READ, together=True, seconds=120)
def ohlcv(
    scope: Scope,
    symbol: Annotated[str, "code or name: 600519, 00700.HK, AAPL, 宁德时代"],
    period: Literal["daily", "weekly", "monthly"] = "daily",
    start: Annotated[str | None, "first date: 2024-03-15, 30d, 1y"] = None,
    end: Annotated[str | None, "last date: 2024-03-15, yesterday"] = None,
    adjust: Annotated[Literal["qfq", "hfq", "none"], "qfq: total returns, prices of today"] = "qfq",
    tail: Annotated[int, "newest bars to show"] = 10,
) -> dict[str, Any]:
    """Fetch the prices of a security. compute.run and indicator.calc then work on all of its bars; here only the newest
    are shown. `simulated` true: the prices are invented, say so.
    """
    from ia.organs.ohlcv.history import Request, history

    request = Request(symbol, period, start, end, adjust)
    answer = history(scope.ws, request, scope.notify)
    if not answer.bars.date:
        raise NotFound(
            "{symbol} has no bars then; it has {first} to {last}", code="no-bars-then", symbol=answer.symbol.canonical,
            first=answer.series.first, last=answer.series.last,
        )  # fmt: skip
    scope.market = Market(
        answer.symbol.canonical, answer.series.name or answer.symbol.name or "", answer.bars,
        bool(answer.series.simulated), period, adjust, answer.series.adapter, not (start or end),
    )  # fmt: skip
    _remember(scope, request)
    return shown(scope.market, tail)


@tool("market.observe", READ, together=True)
def observe(
    scope: Scope, symbols: Annotated[list[str] | None, "codes or names; default: held and watched"] = None
) -> dict[str, Any]:
    """Show the newest stored bar of some securities, with change_pct; `missing`: of these none is stored."""
    from ia.organs.market import reading

    asked = symbols or _own(scope)
    rows, missing = reading.quotes(scope.ws, asked[:MAX_SYMBOLS], scope.notify)
    bars = {
        row["symbol"]: {
            "name": row["name"], "date": row["date"], "open": row["open"], "high": row["high"], "low": row["low"],
            "close": row["price"], "volume": row["volume"], "change_pct": row["change_pct"],
            "source": row["source"], "simulated": row["simulated"],
        }
        for row in rows
    }  # fmt: skip
    dates = [row["date"] for row in rows]
    return {
        "datetime": max(dates, default=None), "bars": bars, "missing": [str(error) for error in missing],
        "simulated": any(row["simulated"] for row in rows),
    }  # fmt: skip


@tool("market.history", READ, together=True)
def history(
    scope: Scope, symbol: Annotated[str, "code or name"], bars: Annotated[int, "how many of the newest"] = 60
) -> dict[str, Any]:
    """Show the stored daily bars of a security (qfq), oldest first. What is not stored, market.ohlcv fetches."""
    from ia.organs.market import reading

    found = reading.history(scope.ws, symbol, scope.notify)
    count = max(1, min(bars, MAX_TAIL))
    lines = list(bar_lines(found.bars.part(-count)))
    return {
        "symbol": found.symbol, "adjust": "qfq", "source": found.source, "simulated": found.simulated,
        "date": found.bars.date[-1], "rows": len(found.bars.date), "bars": "".join(lines).splitlines(),
    }  # fmt: skip


@tool("market.quote", READ, together=True)
def quote(scope: Scope, symbols: Annotated[list[str], "codes or names"]) -> dict[str, Any]:
    """Show stored quotes: price, change, turnover, pe, pb, roe, market value (yuan), industry and concepts."""
    from ia.organs.market import reading

    rows, missing = reading.quotes(scope.ws, symbols[:MAX_SYMBOLS], scope.notify)
    told = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return {
        "date": max((row["date"] for row in rows), default=None), "source": rows[0]["source"] if rows else None,
        "simulated": any(row["simulated"] for row in rows), "quotes": told,
        "missing": [str(error) for error in missing],
    }  # fmt: skip


@tool("market.fundamentals", READ, together=True)
def fundamentals(
    scope: Scope, symbol: Annotated[str, "code or name"], periods: Annotated[int, "how many reports"] = 4
) -> dict[str, Any]:
    """Show what a company has published, newest report first: revenue, profit (yuan), growth, roe, margins, debt ratio,
    eps, book value a share; since the beginning of the year.
    """
    from ia.organs.market import reading

    code, rows = reading.fundamentals(scope.ws, symbol, max(1, min(periods, 20)), scope.notify)
    return {"symbol": code, "reports": rows, "source": rows[0]["source"], "simulated": rows[0]["simulated"]}


@tool("market.screen", READ, together=True)
def screen(
    scope: Scope,
    expr: Annotated[str, "0 < pe < 15 and roe > 15% and industry in (银行, 保险) and not st and market_cap > 100亿"],
    sort: Annotated[str | None, "a column, largest first"] = None,
    limit: int = 20,
    ascending: bool = False,
) -> dict[str, Any]:
    """Find the stocks that meet a condition. Columns: price change turnover volume_ratio amount pe pe_ttm pb roe
    market_cap float_cap change_60d change_ytd revenue_yoy profit_yoy gross_margin net_margin debt_ratio eps bvps
    industry concept name board listed st. `met` counts all that do, `unknown` those with a value missing.
    """
    from ia.organs.market.screen import screen as find

    found = find(
        scope.ws, expr, sort=sort, descending=False if ascending else None, limit=max(1, min(limit, 100)),
        notify=scope.notify,
    )  # fmt: skip
    rows = [{name: value for name, value in row.items() if name != "date"} for row in found.rows]
    return {**_day(found.day), "met": found.met, "unknown": found.unknown, "stocks": rows}


@tool("market.summary", READ, together=True)
def summary(scope: Scope) -> dict[str, Any]:
    """Show the market of the day: how many rose and fell, limit-ups, median and weighted change, what was traded
    against before, boards, best and worst industries.
    """
    from ia.organs.market import reading
    from ia.organs.market.summary import summary as figures

    with reading.opened(scope.ws) as db:
        return figures(db, reading.latest(db, scope.notify))


@tool("market.gainers", READ, together=True)
def gainers(
    scope: Scope,
    limit: int = 50,
    losers: Annotated[bool, "those that fell most instead"] = False,
    exclude_new: Annotated[bool, "without those listed in the last 60 days"] = False,
    exclude_st: bool = False,
) -> dict[str, Any]:
    """Show the stocks that rose most on the day, with industry and the first of their concepts."""
    from ia.organs.market import reading

    with reading.opened(scope.ws) as db:
        day = reading.latest(db, scope.notify)
        rows = reading.gainers(
            db, day, max(1, min(limit, 100)), losers=losers, new=not exclude_new, st=not exclude_st
        )  # fmt: skip
    names = ("symbol", "name", "change_pct", "price", "amount", "turnover_pct", "industry")
    stocks = [{**{n: row[n] for n in names}, "concepts": (row["concepts"] or "").split(";")[:4]} for row in rows]
    return {**_day(day), "stocks": stocks}


@tool("market.sectors", READ, together=True)
def sectors(
    scope: Scope, kind: Literal["industry", "concept"] = "industry", limit: Annotated[int, "best and worst"] = 10
) -> dict[str, Any]:
    """Show the best and worst industries or concepts of the day: mean change, members up and down, leader."""
    from ia.organs.market import reading
    from ia.organs.market.summary import sectors as grouped

    with reading.opened(scope.ws) as db:
        day = reading.latest(db, scope.notify)
        rows = grouped(db, day, kind)
    if rows:  # the source's groups may be of a day before
        day = day._replace(date=rows[0]["date"])
    count = max(1, min(limit, 50))
    told = [
        {name: row.get(name) for name in ("name", "change_pct", "up", "down", "leader", "leader_pct")} for row in rows
    ]
    worst = told[max(count, len(told) - count) :]
    return {**_day(day), "kind": kind, "count": len(rows), "best": told[:count], "worst": worst[::-1]}


@tool("market.mainline", READ, together=True)
def mainline(scope: Scope, top: Annotated[int, "how many of the top gainers"] = 50) -> dict[str, Any]:
    """Find the main lines of the day: industries and concepts with more of the top gainers than chance explains. Empty
    `lines`: there is none.
    """
    from ia.organs.market import mainline as lines
    from ia.organs.market import reading

    with reading.opened(scope.ws) as db:
        day = reading.latest(db, scope.notify)
        return lines.mainlines(db, day, top=max(5, min(top, 1000)))


@tool("market.northbound", READ, together=True)
def northbound(scope: Scope, days: int = 10) -> dict[str, Any]:
    """Show north-bound trading by day and channel, in yuan. `net` is null since August 2024: no longer published."""
    from ia.organs.market import reading

    rows = reading.northbound(scope.ws, max(1, min(days, 60)), scope.notify)
    return _listed(rows, "`ia sync northbound`")


@tool("market.lhb", READ, together=True)
def lhb(scope: Scope, date: Annotated[str | None, "2024-03-15; default: the newest"] = None) -> dict[str, Any]:
    """Show a day's stocks with unusual trading (dragon and tiger list), largest net buying first (yuan), and why."""
    from ia.organs.market import reading

    rows = reading.lhb(scope.ws, date or None, scope.notify)
    return _listed([{k: v for k, v in row.items() if v is not None} for row in rows[:60]], "`ia sync lhb`")


def _listed(rows: list[dict[str, Any]], sync: str) -> dict[str, Any]:
    if not rows:
        raise NotFound("nothing of this is stored", hint="{sync} fetches it", sync=sync)
    about = {"date": rows[0]["date"], "source": rows[0]["source"], "simulated": rows[0]["simulated"]}
    return {**about, "rows": [{k: v for k, v in row.items() if k not in ("source", "simulated")} for row in rows]}


def _day(day: "Day") -> dict[str, Any]:
    told = {"date": day.date, "time": day.time, "closed": day.closed, "source": day.name, "simulated": day.simulated}
    return told if day.of_bars is None else {**told, "made_from_bars_of": day.of_bars}


def _own(scope: Scope) -> list[str]:
    """Return what is held and what is watched."""
    from ia.wiring.universe import list_universe

    found: dict[str, None] = {}
    for name in ("held", "watch"):
        with contextlib.suppress(NotFound):
            found |= dict.fromkeys(symbol.canonical for symbol in list_universe(scope.ws, name))
    if not found:
        raise NotFound("nothing is held or watched", hint="give symbols")
    return list(found)


def shown(market: Market, tail: int = 10) -> dict[str, Any]:
    """Return what a model sees of bars: where they come from, their range, and the newest few as canonical lines."""
    bars = market.bars
    count = max(1, min(tail, MAX_TAIL))
    lines = list(bar_lines(bars.part(-count)))
    return {
        "symbol": market.symbol, "name": market.name, "period": market.period, "adjust": market.adjust,
        "source": market.source, "simulated": market.simulated,
        "rows": len(bars.date), "first": bars.date[0], "last": bars.date[-1],
        "bars": "".join(lines).splitlines(),
    }  # fmt: skip


def bars_of(scope: Scope, symbol: str | None) -> Market:
    """OHLCV → compute: all daily bars of a symbol, else those that this scope or its session looked at last.

    A symbol that is named means its default window, whatever window of it was looked at before.
    raises  NotFound where nothing was looked at yet.
    """
    from ia.organs.compute import arrays

    arrays.many()
    if symbol:
        before = scope.market
        if before is not None and _default(before) and symbol in (before.symbol, before.name, _bare(before.symbol)):
            return before
        try:
            ohlcv(scope, symbol)
        except IaError as exc:
            if scope.actor != "user":
                raise without_cells(exc, {"symbol": symbol}) from None
            raise
        found = scope.market
        assert found is not None
        scope.market = before or found
        return found
    if scope.market is None:
        scope.market = _last(scope)
    return scope.market


def window(market: Market) -> dict[str, Any]:
    """Return which bars a result is of, in the words of market.ohlcv: their period, how many, from when to when."""
    dates = market.bars.date
    return {
        "symbol": market.symbol, "period": market.period, "rows": len(dates),
        "first": dates[0] if dates else None, "last": dates[-1] if dates else None,
    }  # fmt: skip


def _default(market: Market) -> bool:
    """Whether bars are what a symbol means where no window, period or adjustment is named."""
    return market.whole and (market.period, market.adjust) == ("daily", "qfq")


def _bare(canonical: str) -> str:
    return canonical.split(".")[0]


def _remember(scope: Scope, request: Any) -> None:
    """Keep what was asked for, so that the next turn of the session, or the next command, can go on with it."""
    from ia.kernel import store
    from ia.wiring.last_bars import remember_request

    lasting = scope.session != scope.turn if scope.session else scope.actor == "user"
    if lasting and store.writable(scope.ws.db):
        remember_request(scope.ws, request, scope.session)


def _last(scope: Scope) -> Market:
    from ia.wiring.last_bars import load_last_bars

    try:
        answer = load_last_bars(scope.ws, scope.notify, scope.session)
    except NotFound:
        raise NotFound("no prices were looked at yet", hint="call market.ohlcv first, or give symbol") from None
    return Market(
        answer.symbol.canonical, answer.series.name or answer.symbol.name or "", answer.bars,
        bool(answer.series.simulated), answer.period, answer.adjust, answer.series.adapter, whole=False,
    )  # fmt: skip
