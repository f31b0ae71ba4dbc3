"""What a run came to, in figures: return and risk, trades, orders that were not filled, and what is set beside it.

Names end in `_frac` where a figure is a fraction, in `_ann` where it is of a year. None is what cannot be told;
`reasons` has why, by the name of the figure.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.domain.performance.activity import annual_turnover, mean_exposure
from ia.domain.performance.against_benchmark import compare_returns
from ia.domain.performance.columns import Column, make_column
from ia.domain.performance.drawdowns import max_drawdown
from ia.domain.performance.figures import Figure
from ia.domain.performance.ratios import (
    annual_growth,
    bars_a_year,
    calmar_ratio,
    expected_shortfall,
    sharpe_ratio,
    sortino_ratio,
    ulcer_index,
    value_at_risk,
    volatility,
)
from ia.domain.performance.round_trips import TradeStatistics, measure_trades
from ia.faculties.lab.run_results import find_last_rows
from ia.faculties.lab.run_types import RunMarket, RunResult
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json

if TYPE_CHECKING:
    from ia.domain.performance.columns import F


class Yardstick(NamedTuple):
    """A series that a run is measured against: a value for each day of the run, None where it has none yet.

    total  whether dividends are in it
    array  the values once more, where none is missing and an array was made
    """

    name: str
    values: Sequence[float | None]
    total: bool = True
    array: "F | None" = None


def figures_document(
    result: RunResult, yardsticks: Mapping[str, Yardstick], say: Callable[[Message], str] = str
) -> Json:
    """Return the figures of a run as plain data, with each yardstick by its key (`buy_and_hold`, `benchmark` …)."""
    days, equity = result.days, result.equity
    reasons: dict[str, str] = {}

    def tell(name: str, figure: Figure) -> float | None:
        if figure.value is None and figure.reason is not None:
            reasons[name] = say(figure.reason)
        return figure.value

    sessions, (values, cash) = sessions_a_year(result), result.columns
    returns = make_column(_array_returns(values))
    total = equity[-1] / float(result.settings.cash) - 1
    growth = annual_growth(total, date.fromisoformat(days[0]), date.fromisoformat(days[-1]))
    fall = max_drawdown(days, values)
    bought = sum([float(fill.price * fill.quantity) for fill in result.fills if fill.side == "buy"])
    sold = sum([float(fill.price * fill.quantity) for fill in result.fills if fill.side == "sell"])
    held = values - cash
    document: Json = {
        "first": days[0],
        "last": days[-1],
        "sessions": len(days),
        "currency": result.currency,
        "cash": float(result.settings.cash),
        "equity": equity[-1],
        "return_frac": total,
        "cagr_frac": tell("cagr_frac", growth),
        "max_drawdown_frac": fall.frac,
        "max_drawdown": {
            "peak": fall.peak or None,
            "trough": fall.trough or None,
            "recovered": fall.recovered or None,
            "days": fall.days,
            "sessions": fall.sessions,
        },
        "volatility_ann_frac": tell("volatility_ann_frac", volatility(returns, sessions)),
        "sharpe": tell("sharpe", sharpe_ratio(returns, sessions)),
        "sortino": tell("sortino", sortino_ratio(returns, sessions)),
        "calmar": tell("calmar", calmar_ratio(growth, fall.frac)),
        "var95_frac": tell("var95_frac", value_at_risk(returns)),
        "cvar95_frac": tell("cvar95_frac", expected_shortfall(returns)),
        "ulcer_frac": tell("ulcer_frac", ulcer_index(values)),
        "sessions_a_year": sessions,
        "exposure_frac": tell("exposure_frac", mean_exposure(held, values)),
        "turnover_ann": tell("turnover_ann", annual_turnover(bought, sold, values, sessions)),
        "fees": float(sum([part for fill in result.fills for part in fill.fees if part], Decimal(0))),
        "dividend_tax": float(sum([fill.dividend_tax for fill in result.fills if fill.dividend_tax], Decimal(0))),
        "trades": trades_document(measure_trades(result.trips), tell),
        "open_positions": len(result.open_trips),
        "securities": result.looked,
        "ended_early": len(result.ended_early),
        "ended_early_equity_frac": _part_that_ended(result),
        "st_unknown_sessions": result.st_unknown,
        "orders": orders_document(result),
        "compare": {
            key: _yardstick_document(each, result, returns, sessions, tell, key) for key, each in yardsticks.items()
        },
        "simulated": result.simulated,
    }
    return document | {"reasons": reasons}


def simple_returns(values: Sequence[float]) -> list[float]:
    """Return the change of each value to the next, as a fraction.

    >>> simple_returns([100.0, 110.0])
    [0.10000000000000009]
    """
    return [after / before - 1 for before, after in pairwise(values) if before > 0]


def _array_returns(values: "F") -> "F":
    """Return what `simple_returns` returns, of an array."""
    before = values[:-1]
    known = before > 0
    return (values[1:] / before if known.all() else values[1:][known] / before[known]) - 1


def sessions_a_year(result: RunResult) -> int:
    """Return the sessions of a year that ratios are annualised by: of the market in which the run traded.

    Of weekly and longer bars of standard input as many as there are.
    """
    markets = {"CNY": "CN", "HKD": "HK", "USD": "US"}
    return bars_a_year(result.days, markets.get(result.currency, "CN"))


def orders_document(result: RunResult) -> Json:
    """Return how many orders ended how, and why they were not filled."""
    statuses = Counter(row.status for row in result.orders)
    reasons = Counter(row.reason for row in result.orders if row.reason)
    return {
        "given": len(result.orders),
        **{status: statuses[status] for status in ("filled", "partial", "expired", "rejected", "cancelled", "open")},
        "reasons": dict(sorted(reasons.items())),
    }


def trades_document(each: TradeStatistics, tell: Callable[[str, Figure], float | None]) -> Json:
    """Return the statistics of closed trades as plain data."""
    return {
        "closed": each.trades,
        "won": each.won,
        "lost": each.lost,
        "win_rate_frac": tell("win_rate_frac", each.win_rate),
        "profit_factor": tell("profit_factor", each.profit_factor),
        "expectancy": tell("expectancy", each.expectancy),
        "payoff": tell("payoff", each.payoff),
        "holding_days": tell("holding_days", each.holding_days),
        "best": each.best.profit if each.best else None,
        "worst": each.worst.profit if each.worst else None,
    }


def _yardstick_document(
    each: Yardstick,
    result: RunResult,
    returns: Column,
    sessions: int,
    tell: Callable[[str, Figure], float | None],
    key: str,
) -> Json:
    import numpy as np

    missing = each.array is None and None in each.values
    known = [at for at, value in enumerate(each.values) if value is not None] if missing else range(len(each.values))
    if len(known) < 2:
        tell(f"{key}.return_frac", Figure(None, Message("no prices of {symbol} in these days", symbol=each.name)))
        return {"name": each.name, "return_frac": None}
    if not missing:
        own, days = result.columns[0], result.days
        values = np.array(each.values, dtype=np.float64) if each.array is None else each.array
    else:
        own = np.array([result.equity[at] for at in known])
        values = np.array([each.values[at] for at in known], dtype=np.float64)
        days, returns = tuple(result.days[at] for at in known), make_column(_array_returns(own))
    total = float(values[-1] / values[0]) - 1
    growth = annual_growth(total, date.fromisoformat(days[0]), date.fromisoformat(days[-1]))
    against = compare_returns(returns, _array_returns(values), sessions)
    figures = {
        "cagr_frac": growth,
        "beta": against.beta,
        "alpha_ann_frac": against.alpha_ann,
        "correlation": against.correlation,
        "tracking_error_ann_frac": against.tracking_error_ann,
        "information_ratio": against.information_ratio,
    }
    return {
        "name": each.name,
        "first": days[0],
        "return_frac": total,
        "excess_frac": float(own[-1] / own[0]) - 1 - total,
        "max_drawdown_frac": max_drawdown(days, values).frac,
        "total_return": each.total,
        **{name: tell(f"{key}.{name}", figure) for name, figure in figures.items()},
    }


def _part_that_ended(result: RunResult) -> float:
    """Return the part of the last equity that is held in securities whose bars ended early."""
    ended = set(result.ended_early)
    value = sum(trip.proceeds for trip in result.open_trips if trip.symbol in ended)
    return value / result.equity[-1] if result.equity[-1] > 0 else 0.0


def hold_yardsticks(result: RunResult, market: RunMarket) -> dict[str, Yardstick]:
    """Return what holding would have come to: of one security itself, of several in equal parts at the start.

    From the close of the first day, dividends included, without fees. What has no bar yet is cash until then.
    """
    import numpy as np

    names = list(market.securities)
    days = result.days
    total, count = np.zeros(len(days)), 0
    calendar = list(days)
    for name in names:
        bars = market.signal_bars[name]
        at = find_last_rows(bars.date, calendar)
        known = at >= 0
        if not known.any() or bars.date[-1] < days[0]:
            continue
        closes = np.asarray(bars.close, dtype=np.float64)
        first = int(np.argmax(known))
        total += np.where(known, closes[np.maximum(at, 0)] / closes[at[first]], 1.0)
        count += 1
    if not count:
        return {}
    if len(names) == 1:
        return {"buy_and_hold": Yardstick(from_canonical_name(names[0]), total.tolist(), array=total)}
    mean = total / count
    return {"equal_weight": Yardstick(f"{count}", mean.tolist(), array=mean)}


def from_canonical_name(name: str) -> str:
    """Return a canonical symbol with its name where that is known."""
    return str(from_canonical(name)) if name != "CSV.US" else "CSV"


def benchmark_yardstick(
    name: str, days: Sequence[str], known: Sequence[str], closes: Sequence[float], total: bool
) -> Yardstick:
    """Return the closes of a benchmark on the days of a run: the last one up to each day."""
    from bisect import bisect_right

    places = [bisect_right(known, day) - 1 for day in days]
    return Yardstick(name, [closes[at] if at >= 0 else None for at in places], total)
