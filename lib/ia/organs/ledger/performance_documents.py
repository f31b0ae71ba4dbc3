"""Returns, risk and closed trades as plain data: what `ia profit --json` prints and what a model's tools return.

Names end in `_frac` where a figure is a fraction (0.05 is 5 per cent), in `_ann` where it is of a year. null is what
cannot be told; `reasons` has why, by the name of the figure.
"""

from collections.abc import Callable, Sequence

from ia.domain.performance.drawdowns import Drawdown, drawdown_series
from ia.domain.performance.figures import Figure
from ia.domain.performance.risk import Extreme, RiskFigures
from ia.domain.performance.round_trips import RoundTrip, TradeStatistics
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.organs.ledger.benchmark import Benchmark
from ia.organs.ledger.exchange import ExchangeRate
from ia.organs.ledger.performance import Performance, PerformanceReport, PeriodReturn

Say = Callable[[Message], str]


def performance_document(report: PerformanceReport, say: Say = str, *, curve: bool = False) -> Json:
    """Return a report as plain data. curve: with the equity, return and drawdown of each day, for drawing."""
    request = report.request
    return {
        "first": request.first or None,
        "last": request.last or None,
        "by": request.by or None,
        "benchmark": benchmark_document(report.benchmark) if report.benchmark else None,
        "currencies": {name: _account_document(each, say, curve) for name, each in report.currencies.items()},
        "unknown": {name: say(each) for name, each in report.unknown.items()},
        "base": request.base,
        "total": _account_document(report.total, say, curve) if report.total else None,
        "rates": [rate_document(each) for each in report.rates],
        "simulated": report.simulated,
    }


def rate_document(each: ExchangeRate) -> Json:
    """Return an exchange rate as plain data: so much of `base` for one unit of `currency`, of the day `date`."""
    return {
        "currency": each.currency,
        "base": each.base,
        "rate": each.rate,
        "date": each.date,
        "source": each.source,
        "simulated": each.simulated,
    }


def benchmark_document(each: Benchmark) -> Json:
    """Return a benchmark as plain data. total_return: dividends are in its prices, which those of an index lack."""
    return {
        "symbol": each.symbol.canonical,
        "name": each.symbol.name,
        "currency": each.currency,
        "total_return": each.total,
        "simulated": each.simulated,
    }


def _account_document(each: Performance, say: Say, curve: bool) -> Json:
    document: Json = {"currency": each.currency, **period_document(each.whole, say)}
    document["periods"] = [period_document(period, say) for period in each.periods]
    document["risk"] = risk_document(each.risk, say) if each.risk else None
    document["trades"] = trades_document(each.trades, say) if each.trades else None
    if curve:
        document["days"] = curve_rows(each)
    return document


def period_document(each: PeriodReturn, say: Say = str) -> Json:
    """Return what a stretch of days brought as plain data. Money is in the currency of the account, to the cent."""
    figures: dict[str, Figure | None] = {
        "twr_frac": each.twr,
        "mwr_frac": each.mwr,
        "xirr_ann_frac": each.xirr,
        "benchmark_frac": each.benchmark,
        "excess_frac": each.excess,
    }
    return {
        "first": each.first,
        "last": each.last,
        "begin": each.begin,
        "equity_before": _cents(each.before),
        "equity_after": _cents(each.after),
        "flows": _cents(each.flows),
        "result": _cents(each.result),
        **_figures(figures, say),
        "benchmark_until": each.until or None,
    }


def risk_document(each: RiskFigures, say: Say = str) -> Json:
    """Return the figures of risk as plain data."""
    figures: dict[str, Figure | None] = {
        "cagr_frac": each.growth,
        "volatility_ann_frac": each.volatility,
        "sharpe": each.sharpe,
        "sortino": each.sortino,
        "calmar": each.calmar,
        "win_days_frac": each.win_days,
        "var95_frac": each.var,
        "cvar95_frac": each.shortfall,
        "ulcer_frac": each.ulcer,
        "skewness": each.skewness,
        "kurtosis": each.kurtosis,
        "psr_frac": each.psr,
    }
    if each.comparison:
        figures |= {
            "beta": each.comparison.beta,
            "alpha_ann_frac": each.comparison.alpha_ann,
            "correlation": each.comparison.correlation,
            "tracking_error_ann_frac": each.comparison.tracking_error_ann,
            "information_ratio": each.comparison.information_ratio,
        }
    found = _figures(figures, say)
    if each.missing and each.drawdown is None:
        found["reasons"]["max_drawdown"] = say(each.missing)
    return {
        "returns": each.count,
        "gain_days": each.gains,
        "loss_days": each.losses,
        "market": each.market,
        "sessions_a_year": each.sessions,
        "risk_free_frac": 0.0,
        "max_drawdown": _drawdown(each.drawdown),
        "longest_drawdown": _drawdown(each.longest),
        "drawdowns": each.drawdowns,
        "below_high_frac": each.below_high,
        "best_day": _extreme(each.best_day),
        "worst_day": _extreme(each.worst_day),
        "best_month": _extreme(each.best_month),
        "worst_month": _extreme(each.worst_month),
        "benchmark_days": each.comparison.days if each.comparison else None,
        **found,
    }


def trades_document(each: TradeStatistics, say: Say = str) -> Json:
    """Return how closed trades went as plain data: first in, first out, after all fees, without dividends."""
    figures: dict[str, Figure | None] = {
        "win_rate_frac": each.win_rate,
        "profit_factor": each.profit_factor,
        "expectancy": each.expectancy,
        "payoff": each.payoff,
        "holding_days": each.holding_days,
    }
    return {
        "trades": each.trades,
        "won": each.won,
        "lost": each.lost,
        **_figures(figures, say),
        "best": _trip(each.best),
        "worst": _trip(each.worst),
    }


def curve_rows(each: Performance) -> list[Json]:
    """Return a row for each day: equity, what had been brought in, return of the day, index from 1, drawdown.

    A value that is not known is None, and so is the index from then on.
    """
    rows: list[Json] = []
    index: float | None = 1.0
    path: list[float] = [1.0]
    for day, paid, made in zip(each.days, each.invested, each.returns, strict=True):
        index = None if index is None or made.value is None else index * (1.0 + made.value)
        if index is not None:
            path.append(index)
        rows.append(
            {
                "date": day.day,
                "equity": _cents(day.value),
                "invested": _cents(paid),
                "return_frac": made.value,
                "index": index,
                "session": day.session,
            }
        )
    falls = drawdown_series(path)[1:]
    for row, fall in zip(rows, falls, strict=False):
        row["drawdown_frac"] = fall
    for row in rows[len(falls) :]:
        row["drawdown_frac"] = None
    return rows


def _figures(figures: dict[str, Figure | None], say: Say) -> Json:
    """Return the values by name, and under `reasons` why those that are None cannot be told."""
    values: Json = {name: figure.value if figure else None for name, figure in figures.items()}
    values["reasons"] = {name: say(figure.reason) for name, figure in figures.items() if figure and figure.reason}
    return values


def _cents(value: float | None) -> float | None:
    return None if value is None else round(value, 2) + 0.0


def _drawdown(down: Drawdown | None) -> Json | None:
    if down is None:
        return None
    return {
        "frac": down.frac,
        "peak": down.peak or None,
        "trough": down.trough or None,
        "recovered": down.recovered or None,
        "days": down.days,
        "sessions": down.sessions,
    }


def _extreme(each: Extreme | None) -> Json | None:
    return {"day": each.day, "frac": each.value} if each else None


def _trip(each: RoundTrip | None) -> Json | None:
    if each is None:
        return None
    return {**each._asdict(), "profit": each.profit, "days": each.days}


def month_grid(periods: Sequence[PeriodReturn]) -> dict[str, dict[str, float | None]]:
    """Return the returns of months as a heat map has them: year -> month (`01` … `12`) -> fraction, None: not known."""
    grid: dict[str, dict[str, float | None]] = {}
    for each in periods:
        grid.setdefault(each.first[:4], {})[each.first[5:7]] = each.twr.value
    return grid
