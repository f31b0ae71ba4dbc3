"""market.*: the eyes. What was looked at last is what compute.run works on."""

from typing import Annotated, Any, Literal

from ia.errors import NotFound
from ia.ohlcv.canonical import Bars, bar_lines
from ia.tools.registry import READ, tool
from ia.tools.scope import Market, Scope

MAX_TAIL = 250


@tool("market.ohlcv", READ, together=True, seconds=120)
def ohlcv(
    scope: Scope,
    symbol: Annotated[str, "code or name: 600519, 00700.HK, AAPL, 宁德时代"],
    period: Literal["daily", "weekly", "monthly"] = "daily",
    start: Annotated[str | None, "first date, YYYY-MM-DD"] = None,
    end: Annotated[str | None, "last date, YYYY-MM-DD"] = None,
    adjust: Annotated[Literal["qfq", "hfq", "none"], "qfq: total returns, prices of today"] = "qfq",
    tail: Annotated[int, "how many of the newest bars to show"] = 10,
) -> dict[str, Any]:
    """Fetch the prices of one security. compute.run and indicator.calc then work on all of its bars without being
    given them; only the newest few are shown here. `simulated` true means that the prices are invented: say so.
    """
    from ia.ohlcv.history import Request, check, history

    request = Request(symbol, period, start, end, adjust)
    check(request)
    answer = history(scope.ws, request, scope.notify)
    if not answer.bars.date:
        raise NotFound(
            "{symbol} has no bars then; it has {first} to {last}", symbol=answer.symbol.canonical,
            first=answer.series.first, last=answer.series.last,
        )  # fmt: skip
    scope.market = Market(
        answer.symbol.canonical, answer.series.name or answer.symbol.name or "", answer.bars,
        bool(answer.series.simulated), period, adjust, answer.series.adapter,
    )  # fmt: skip
    _remember(scope, request)
    return shown(scope.market, tail)


def shown(market: Market, tail: int = 10) -> dict[str, Any]:
    """Return what a model sees of bars: where they come from, their range, and the newest few as canonical lines."""
    bars = market.bars
    count = max(1, min(tail, MAX_TAIL))
    newest = Bars(*(column[-count:] for column in bars))  # type: ignore[arg-type]
    lines = list(bar_lines(newest))
    return {
        "symbol": market.symbol, "name": market.name, "period": market.period, "adjust": market.adjust,
        "source": market.source, "simulated": market.simulated,
        "rows": len(bars.date), "first": bars.date[0], "last": bars.date[-1],
        "bars": "".join(lines).splitlines(),
    }  # fmt: skip


def bars_of(scope: Scope, symbol: str | None) -> Market:
    """OHLCV → compute: the bars of a symbol, else those that this scope or its session looked at last.

    raises  NotFound where nothing was looked at yet.
    """
    from ia.compute import arrays

    arrays.many()
    if symbol:
        if scope.market is not None and symbol in (scope.market.symbol, scope.market.name, _bare(scope.market.symbol)):
            return scope.market
        before = scope.market
        ohlcv(scope, symbol)
        found = scope.market
        assert found is not None
        scope.market = before or found
        return found
    if scope.market is None:
        scope.market = _last(scope)
    return scope.market


def _bare(canonical: str) -> str:
    return canonical.split(".")[0]


def _remember(scope: Scope, request: Any) -> None:
    """Keep what was asked for, so that the next turn of the session, or the next command, can go on with it."""
    from ia import store
    from ia.pipes import ohlcv_shown

    lasting = scope.session != scope.turn if scope.session else scope.actor == "user"
    if lasting and store.writable(scope.ws.db):
        ohlcv_shown(scope.ws, request, scope.session)


def _last(scope: Scope) -> Market:
    from ia.pipes import last_bars

    try:
        answer = last_bars(scope.ws, scope.notify, scope.session)
    except NotFound:
        raise NotFound("no prices were looked at yet", hint="call market.ohlcv first, or give symbol") from None
    return Market(
        answer.symbol.canonical, answer.series.name or answer.symbol.name or "", answer.bars,
        bool(answer.series.simulated), answer.period, answer.adjust, answer.series.adapter,
    )  # fmt: skip
