"""Rules on each of many securities alone, with an account of its own: how their results are spread.

A row is what a run of the security alone comes to. Orders that were filled are counted; every other order is a row with
its reason.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.boards import trading_currency
from ia.domain.performance.drawdowns import max_drawdown
from ia.domain.performance.ratios import SESSIONS_A_YEAR, quantile, sharpe_ratio
from ia.faculties.lab import run_folders
from ia.faculties.lab.backtests import BacktestRequest, load_market, name_universe, settle_terms
from ia.faculties.lab.order_rows import OrderRow
from ia.faculties.lab.rule_runs import compile_rules, run_rules
from ia.faculties.lab.run_results import closing_values
from ia.faculties.lab.run_types import RuleSettings, RunMarket
from ia.faculties.lab.securities import Security
from ia.faculties.lab.signal_sections import refuse_sections
from ia.faculties.lab.signals import SignalBars, SignalExpression
from ia.faculties.lab.single_runs import SingleWalk, Unusual, is_single
from ia.kernel.collection import pause_collection
from ia.kernel.errors import Message, NotFound, Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F = NDArray[np.float64]
    B = NDArray[np.bool_]

EACH = "each"
BLOCK = 16
MOST_SHOWN = 5
"""Best and worst results that are told by name."""
PARTS = (("p5", 0.05), ("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p95", 0.95))
Show = Callable[[int, int], None]


class EachRow(NamedTuple):
    """What rules came to on one security alone; fractions as in the figures of a run.

    hold_frac   the return of holding it from the first close to the last, dividends included, without fees
    won         closed trades with a profit; None without closed trades
    unfilled    orders that were not filled, or only in part
    """

    symbol: str
    first: str
    last: str
    return_frac: float
    hold_frac: float | None
    max_drawdown_frac: float
    sharpe: float | None
    trades: int
    win_rate_frac: float | None
    orders: int
    unfilled: int
    fees: float


@dataclass(frozen=True, kw_only=True)
class EachResult:
    """The results of all securities, in their order; `unfilled`: every order that was not filled to the last share."""

    rows: tuple[EachRow, ...]
    unfilled: tuple[OrderRow, ...]
    fees_assumed: dict[str, str]


def run_each(settings: RuleSettings, market: RunMarket, show: Show = lambda done, total: None) -> EachResult:
    """Return what rules come to on each security alone, on the days on which it has bars.

    raises  as `ia.faculties.lab.rule_runs.run_rules`; NotFound where no security has a bar in the time.
    """
    entry, leave, _ = compile_rules(settings)
    for each in (entry, leave):
        if each:
            refuse_sections(each)
    rows: list[EachRow] = []
    unfilled: list[OrderRow] = []
    assumed: dict[str, str] = {}
    names = list(market.securities)
    with pause_collection():
        for start in range(0, len(names), BLOCK):
            for name, entries, exits in _list_signals(names[start : start + BLOCK], market, entry, leave):
                security = market.securities[name]
                found = _run_alone(settings, market, security, entries, exits, assumed)
                if found is not None:
                    rows.append(found[0])
                    unfilled += found[1]
            show(min(start + BLOCK, len(names)), len(names))
    if not rows:
        raise NotFound(
            "no bars between {since} and {until}",
            since=settings.since or "the first day",
            until=settings.until or "the last day",
        )
    return EachResult(rows=tuple(rows), unfilled=tuple(unfilled), fees_assumed=assumed)


def _list_signals(
    names: Sequence[str], market: RunMarket, entry: SignalExpression, leave: SignalExpression | None
) -> "Iterable[tuple[str, B, B]]":
    """Return entries and exits of each security, on each of its bars."""
    import numpy as np

    known = [name for name in names if market.signal_bars[name].date]
    several = SignalBars([market.signal_bars[name] for name in known])
    none = (np.zeros(len(bars.date), dtype=np.bool_) for bars in several.many)
    return zip(known, entry.truths_of(several), leave.truths_of(several) if leave else none, strict=True)


def _run_alone(
    settings: RuleSettings, market: RunMarket, security: Security, entries: "B", exits: "B", assumed: dict[str, str]
) -> tuple[EachRow, list[OrderRow]] | None:
    """Return the row of a security and its orders that were not filled; None without a bar in the time."""
    import numpy as np

    dates = security.bars.date
    begin = bisect_left(dates, settings.since)
    end = bisect_right(dates, settings.until) if settings.until else len(dates)
    if begin >= end:
        return None
    days = dates[begin:end]
    name = security.symbol.canonical
    hold = _measure_hold(np.asarray(market.signal_bars[name].close[begin:end], dtype=np.float64))
    walk = SingleWalk(settings, security, days, dates)
    try:
        if not is_single(settings):
            raise Unusual
        walk.run(entries[begin:end], exits[begin:end], np.ones(len(days), dtype=np.bool_))
    except Unusual:
        return _run_whole(settings, market, name, hold, assumed)
    assumed |= walk.fee_table.assumed
    places, money, held = walk.list_columns()
    spans = np.diff([*places, len(days)])
    cash, shares = np.repeat(np.array(money), spans), np.repeat(np.array(held), spans)
    worth = shares * closing_values(security, security.columns.close, days)
    rows = list(walk.unfilled_rows())
    return _make_row(
        settings,
        security,
        days,
        np.round(cash + np.round(worth, 2), 2),
        hold=hold,
        gains=walk.list_gains(),
        orders=walk.orders,
        unfilled=len(rows),
        fees=float(walk.sum_fees()),
    ), rows


def _run_whole(
    settings: RuleSettings, market: RunMarket, name: str, hold: float | None, assumed: dict[str, str]
) -> tuple[EachRow, list[OrderRow]]:
    """Return the row of a security by the whole exchange: stops, targets, and what the walk leaves to it."""
    import numpy as np

    security = market.securities[name]
    alone = replace(
        market,
        securities={name: security},
        signal_bars={name: market.signal_bars[name]},
        trading_days=tuple(security.bars.date),
    )
    result = run_rules(settings, alone)
    assumed |= result.fees_assumed
    rows = [row for row in result.orders if row.status != "filled"]
    row = _make_row(
        settings,
        security,
        result.days,
        np.array(result.equity),
        hold=hold,
        gains=[trip.profit for trip in result.trips],
        orders=len(result.orders),
        unfilled=len(rows),
        fees=float(sum(fill.fees.total for fill in result.fills)),
    )
    return row, rows


def _make_row(
    settings: RuleSettings,
    security: Security,
    days: Sequence[str],
    equity: "F",
    *,
    hold: float | None,
    gains: Sequence[float],
    orders: int,
    unfilled: int,
    fees: float,
) -> EachRow:
    sessions = SESSIONS_A_YEAR[security.symbol.market]
    return EachRow(
        symbol=security.symbol.canonical,
        first=days[0],
        last=days[-1],
        return_frac=float(equity[-1]) / float(settings.cash) - 1,
        hold_frac=hold,
        max_drawdown_frac=max_drawdown(days, equity).frac,
        sharpe=sharpe_ratio(equity[1:] / equity[:-1] - 1, sessions).value if orders and equity.all() else None,
        trades=len(gains),
        win_rate_frac=sum(round(gain, 2) > 0 for gain in gains) / len(gains) if gains else None,
        orders=orders,
        unfilled=unfilled,
        fees=fees,
    )


def _measure_hold(closes: "F") -> float | None:
    first, last = float(closes[0]), float(closes[-1])
    return last / first - 1 if first > 0 else None


# the saved run


def run_each_backtest(
    ws: Workspace, request: BacktestRequest, *, notify: Notify = drop_message, show: Show = lambda done, total: None
) -> run_folders.SavedRun:
    """Run rules on each security of a request alone, and save the rows and their spread under `runs/`.

    raises  as `ia.faculties.lab.backtests.run_backtest`.
    """
    compile_rules(request.settings)
    market = load_market(ws, request, notify)
    settings = replace(request.settings, terms=settle_terms(request, market))
    result = run_each(settings, market, show)
    for name, day in result.fees_assumed.items():
        notify(Message("the table of fees of {market} begins on {day}; earlier trades pay those", market=name, day=day))
    told: Json = {
        "kind": EACH,
        "universe": name_universe(request, market),
        **run_folders.settings_document(settings),
        **run_folders.describe_inputs(market),
    }
    return run_folders.save_files(ws, told, _list_files(result), each_document(settings, market, result))


def _list_files(result: EachResult) -> dict[str, str]:
    cells = ((value if value is not None else "" for value in map(_round_cell, row)) for row in result.rows)
    return {
        "results.csv": run_folders.to_csv(EachRow._fields, (tuple(row) for row in cells)),
        "orders.csv": run_folders.orders_csv(result.unfilled),
    }


def _round_cell(value: str | float | int | None) -> str | float | int | None:
    return round(value, 6) if isinstance(value, float) else value


def each_document(settings: RuleSettings, market: RunMarket, result: EachResult) -> Json:
    """Return the figures of the whole: how the returns are spread, how many gained, the best and the worst."""
    rows = result.rows
    returns = [row.return_frac for row in rows]
    held = [row.hold_frac for row in rows if row.hold_frac is not None]
    beat = [row.return_frac > row.hold_frac for row in rows if row.hold_frac is not None]
    ranked = sorted(rows, key=lambda row: (-row.return_frac, row.symbol))
    statuses = Counter(row.status for row in result.unfilled)
    reasons = Counter(row.reason for row in result.unfilled if row.reason)
    given, unfilled = sum(row.orders for row in rows), len(result.unfilled)
    security = next(iter(market.securities.values()))
    return {
        "each": True,
        "first": min(row.first for row in rows),
        "last": max(row.last for row in rows),
        "cash": float(settings.cash),
        "currency": trading_currency(security.symbol),
        "securities": len(rows),
        "traded": sum(row.trades > 0 or row.orders > row.unfilled for row in rows),
        "gained_frac": sum(each > 0 for each in returns) / len(returns),
        "beat_hold_frac": sum(beat) / len(beat) if beat else None,
        "returns": _describe_spread(returns),
        "hold": _describe_spread(held) if held else None,
        "drawdowns": _describe_spread([row.max_drawdown_frac for row in rows]),
        "trades": sum(row.trades for row in rows),
        "fees": round(math.fsum(row.fees for row in rows), 2),
        "orders": {
            "given": given,
            "filled": given - unfilled,
            **{status: statuses[status] for status in ("partial", "expired", "rejected", "cancelled", "open")},
            "reasons": dict(sorted(reasons.items())),
        },
        "best": [_name_row(row) for row in ranked[:MOST_SHOWN]],
        "worst": [_name_row(row) for row in reversed(ranked[-MOST_SHOWN:])],
        "simulated": market.simulated,
    }


def _describe_spread(values: Sequence[float]) -> Json:
    parts = {name: quantile(values, part) for name, part in PARTS}
    return {"lowest": min(values), **parts, "highest": max(values), "mean": math.fsum(values) / len(values)}


def _name_row(row: EachRow) -> Json:
    return {"symbol": row.symbol, "return_frac": row.return_frac, "hold_frac": row.hold_frac, "trades": row.trades}
