"""Returns by period, and the figures of risk and trades, as tables."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ia.kernel.errors import Message
from ia.kernel.i18n import mark_text
from ia_cli.terminal.output import Row, notify
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.domain.performance.figures import Figure
    from ia.domain.performance.risk import Extreme
    from ia.organs.ledger.performance import Performance, PerformanceReport, PeriodReturn

PERIOD_COLUMNS = (
    "currency",
    "period",
    "first",
    "last",
    "equity_before",
    "flows",
    "equity_after",
    "result",
    "twr_pct",
    "mwr_pct",
    "benchmark_pct",
    "excess_pct",
)
PERIOD_HEADS = {
    "currency": "currency", "period": "period", "equity_before": "equity before", "flows": "deposits",
    "equity_after": "equity after", "result": "result", "twr_pct": "return%", "mwr_pct": "money-weighted%",
    "benchmark_pct": "benchmark%", "excess_pct": "ahead%",
}  # fmt: skip
FIGURE_COLUMNS = ("currency", "figure", "value", "note")
FIGURE_HEADS = {"currency": "currency", "figure": "figure", "value": "value", "note": "remark"}
LABELS = {
    "equity_before": mark_text("equity before"), "equity_after": mark_text("equity after"),
    "flows": mark_text("net deposits"), "result": mark_text("result"),
    "twr_pct": mark_text("time-weighted return"), "mwr_pct": mark_text("money-weighted return"),
    "xirr_ann_pct": mark_text("money-weighted return, a year"), "benchmark_pct": mark_text("benchmark"),
    "excess_pct": mark_text("ahead of the benchmark"), "cagr_pct": mark_text("time-weighted return, a year"),
    "max_drawdown_pct": mark_text("maximum drawdown"), "longest_drawdown_days": mark_text("longest drawdown, days"),
    "var95_pct": mark_text("value at risk 95%, a day"), "cvar95_pct": mark_text("expected shortfall 95%, a day"),
    "ulcer_pct": mark_text("ulcer index"), "psr_pct": mark_text("probability of a true Sharpe above 0"),
    "sharpe_ci95": mark_text("Sharpe ratio, 95% interval"), "cagr_ci95_pct": mark_text("return a year, 95% interval"),
    "volatility_ann_pct": mark_text("volatility, a year"),
    "sharpe": mark_text("Sharpe ratio"), "sortino": mark_text("Sortino ratio"), "calmar": mark_text("Calmar ratio"),
    "best_day_pct": mark_text("best day"), "worst_day_pct": mark_text("worst day"),
    "best_month_pct": mark_text("best month"), "worst_month_pct": mark_text("worst month"),
    "win_days_pct": mark_text("days with a gain"), "beta": mark_text("beta"),
    "alpha_ann_pct": mark_text("alpha, a year"), "tracking_error_ann_pct": mark_text("tracking error, a year"),
    "information_ratio": mark_text("information ratio"), "trades": mark_text("closed trades"),
    "win_rate_pct": mark_text("trades with a profit"), "profit_factor": mark_text("profit factor"),
    "expectancy": mark_text("mean profit of a trade"), "payoff": mark_text("mean profit over mean loss"),
    "holding_days": mark_text("mean days held"), "best_trade": mark_text("best trade"),
    "worst_trade": mark_text("worst trade"),
}  # fmt: skip


def period_rows(report: "PerformanceReport") -> list[Row]:
    """Return a row for each period of each account, then one for all of its days."""
    rows = []
    for name, account in _accounts(report):
        for each in account.periods:
            period = each.first[:7] if report.request.by == "month" else each.first[:4]
            rows.append(_period_row(name, period, each))
        rows.append(_period_row(name, tr("all") if sys.stdout.isatty() else "all", account.whole))
    return rows


def _accounts(report: "PerformanceReport") -> "Iterable[tuple[str, Performance]]":
    """Yield each currency's account, and the total in the base currency under its own name."""
    yield from report.currencies.items()
    if report.total is not None:
        yield (
            (say("total {currency}", currency=report.total.currency) if sys.stdout.isatty() else "total"),
            report.total,
        )


def _period_row(name: str, period: str, each: "PeriodReturn") -> Row:
    return {
        "currency": name,
        "period": period,
        "first": each.first,
        "last": each.last,
        "equity_before": _money(each.before),
        "flows": _money(each.flows, sign=True),
        "equity_after": _money(each.after),
        "result": _money(each.result, sign=True),
        "twr_pct": _percent(each.twr),
        "mwr_pct": _percent(each.mwr),
        "benchmark_pct": _percent(each.benchmark),
        "excess_pct": _percent(each.excess),
    }


def figure_rows(report: "PerformanceReport") -> list[Row]:
    """Return a row for each figure of each account; its note has the day that it is of, or why there is none."""
    rows = []
    for name, account in _accounts(report):
        for key, value, note in _figures(account):
            shown = tr(LABELS[key]) if sys.stdout.isatty() else key
            rows.append({"currency": name, "figure": shown, "value": value, "note": note})
    return rows


def _figures(account: "Performance") -> "Iterable[tuple[str, str, str]]":
    whole, risk, trades = account.whole, account.risk, account.trades
    days = f"{whole.first} – {whole.last}"
    yield "equity_before", _money(whole.before), ""
    yield "flows", _money(whole.flows, sign=True), ""
    yield "equity_after", _money(whole.after), ""
    yield "result", _money(whole.result, sign=True), days
    yield _figure_cells("twr_pct", whole.twr, percent=True, note=days)
    yield _figure_cells("mwr_pct", whole.mwr, percent=True, note=days)
    yield _figure_cells("xirr_ann_pct", whole.xirr, percent=True)
    if whole.benchmark is not None and whole.excess is not None:
        yield _figure_cells("benchmark_pct", whole.benchmark, percent=True)
        yield _figure_cells("excess_pct", whole.excess, percent=True)
    if risk is None:
        return
    yield _figure_cells("cagr_pct", risk.growth, percent=True)
    down = risk.drawdown
    if down is None:
        yield "max_drawdown_pct", "", say(risk.missing.template, **risk.missing.params) if risk.missing else ""
    else:
        note = f"{down.peak} – {down.trough}" if down.peak else ""
        if down.recovered:
            note += say(", recovered {day}", day=down.recovered)
        yield "max_drawdown_pct", _number(down.frac * 100 or 0.0), note
    if risk.longest is not None and risk.longest.days:
        longest = risk.longest
        ended = say(", recovered {day}", day=longest.recovered) if longest.recovered else ""
        yield "longest_drawdown_days", str(longest.days), f"{longest.peak} – {longest.trough}{ended}"
    yearly = say("{count} returns, {sessions} sessions a year", count=risk.count, sessions=risk.sessions)
    yield _figure_cells("volatility_ann_pct", risk.volatility, percent=True, note=yearly)
    yield _figure_cells("sharpe", risk.sharpe, note=say("risk-free rate 0"))
    yield _figure_cells("sortino", risk.sortino)
    yield _figure_cells("calmar", risk.calmar)
    yield _figure_cells("psr_pct", risk.psr, percent=True)
    yield from _interval_cells(account)
    yield _figure_cells("var95_pct", risk.var, percent=True)
    yield _figure_cells("cvar95_pct", risk.shortfall, percent=True)
    yield _figure_cells("ulcer_pct", risk.ulcer, percent=True)
    extremes: dict[str, Extreme | None] = {
        "best_day_pct": risk.best_day,
        "worst_day_pct": risk.worst_day,
        "best_month_pct": risk.best_month,
        "worst_month_pct": risk.worst_month,
    }
    for key, extreme in extremes.items():
        if extreme is not None:
            yield key, _number(extreme.value * 100), extreme.day
    yield _figure_cells("win_days_pct", risk.win_days, percent=True)
    if risk.comparison is not None:
        count = say("{count} days that both have", count=risk.comparison.days)
        yield _figure_cells("beta", risk.comparison.beta, note=count)
        yield _figure_cells("alpha_ann_pct", risk.comparison.alpha_ann, percent=True)
        yield _figure_cells("tracking_error_ann_pct", risk.comparison.tracking_error_ann, percent=True)
        yield _figure_cells("information_ratio", risk.comparison.information_ratio)
    if trades is None:
        return
    yield "trades", str(trades.trades), ""
    yield _figure_cells("win_rate_pct", trades.win_rate, percent=True)
    yield _figure_cells("profit_factor", trades.profit_factor)
    yield _figure_cells("expectancy", trades.expectancy, places=2)
    yield _figure_cells("payoff", trades.payoff)
    yield _figure_cells("holding_days", trades.holding_days, places=1)
    for key, trip in (("best_trade", trades.best), ("worst_trade", trades.worst)):
        if trip is not None:
            yield key, _money(trip.profit, sign=True), f"{trip.symbol} {trip.opened} – {trip.closed}"


def _interval_cells(account: "Performance") -> "Iterable[tuple[str, str, str]]":
    from ia.domain.performance import resampling
    from ia.organs.ledger.performance_intervals import measure_intervals

    found = measure_intervals(account)
    if found is None:
        return
    note = say(
        "bootstrap, blocks of {block} days, {draws} draws, seed {seed}",
        block=resampling.BLOCK,
        draws=resampling.DRAWS,
        seed=resampling.SEED,
    )
    low, high = found.sharpe
    if low.value is None or high.value is None:
        yield _figure_cells("sharpe_ci95", low)
        return
    yield "sharpe_ci95", f"{_number(low.value)} – {_number(high.value)}", note
    low, high = found.growth
    year = account.risk is not None and account.risk.growth.value is not None
    if year and low.value is not None and high.value is not None:
        yield "cagr_ci95_pct", f"{_number(low.value * 100)} – {_number(high.value * 100)}", note


def _figure_cells(
    key: str, figure: "Figure", *, percent: bool = False, note: str = "", places: int = 4
) -> tuple[str, str, str]:
    if figure.value is None:
        reason = figure.reason
        return key, "", say(reason.template, **reason.params) if reason else ""
    return key, _number(figure.value * 100 if percent else figure.value, places), note


def _money(value: float | None, *, sign: bool = False) -> str:
    if value is None:
        return ""
    shown = round(value, 2) + 0.0
    plus = "+" if sign and shown else ""
    return format(shown, f"{plus},.2f" if sys.stdout.isatty() else f"{plus}.2f")


def _percent(figure: "Figure | None") -> str:
    return "" if figure is None or figure.value is None else _number(figure.value * 100)


def _number(value: float, places: int = 4) -> str:
    """Return a figure for people with two places, for a pipe with more."""
    return format(value, ".2f" if sys.stdout.isatty() else f".{max(places, 4)}f")


def notify_unknown(report: "PerformanceReport") -> None:
    """Tell what could not be told, each reason once: of currencies, and of the returns of all days."""
    told = list(report.unknown.values())
    for _, account in _accounts(report):
        told += [each.reason for each in (account.whole.twr, account.whole.benchmark) if each and each.reason]
    for reason in dict.fromkeys(told):
        notify(reason)
    benchmark = report.benchmark
    if benchmark is not None and benchmark.days and not benchmark.total:
        notify(Message("{symbol} is a price index: dividends are not in it", symbol=benchmark.symbol))
    for rate in report.rates:
        notify(
            Message(
                "1 {currency} = {rate} {base} on {date} ({source})",
                currency=rate.currency,
                rate=f"{rate.rate:.6g}",
                base=rate.base,
                date=rate.date,
                source=tr("simulated") if rate.simulated else rate.source,
            )
        )
