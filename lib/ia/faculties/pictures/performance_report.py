"""The performance of the account on its page: total, returns against a benchmark, months, years, risk, allocation.

Every figure is one of `ia profit --by month|year` and `ia account`; nothing is computed here but what is drawn.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ia.domain.instruments import symbols
from ia.faculties.pictures import report_parts, shapes
from ia.faculties.pictures.chart import ChartLine, Values
from ia.faculties.pictures.report_parts import SheetCell
from ia.faculties.pictures.svg import escape_xml
from ia.kernel.errors import IaError
from ia.kernel.i18n import Voice

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol
    from ia.domain.performance.drawdowns import Drawdown
    from ia.domain.performance.figures import Figure
    from ia.domain.performance.risk import Extreme, RiskFigures
    from ia.organs.ledger.account import Account
    from ia.organs.ledger.benchmark import Benchmark
    from ia.organs.ledger.desk import LedgerDesk
    from ia.organs.ledger.net_worth import NetWorth
    from ia.organs.ledger.performance import Performance, PerformanceReport, PeriodReturn

INDEX_OF = {"CNY": "000300.SH", "HKD": "HSI.HK", "USD": "SPY.US"}
"""Currency of the total -> the index that the account is drawn against."""
BARS = 8
"""Parts of an allocation that have a bar of their own."""


def render_total(worth: "NetWorth", voice: Voice) -> str:
    """Return all that is owned in one currency, with the rates and their days; nothing where there is one currency."""
    if not worth.rates and not worth.missing:
        return ""
    say = voice
    pairs = [
        (say("Net worth"), SheetCell(report_parts.format_money(worth.equity))),
        (say("Cash"), SheetCell(report_parts.format_money(worth.cash))),
        (say("Value of positions"), SheetCell(report_parts.format_money(worth.value))),
    ]
    told = [
        say(
            "1 {currency} = {rate} {base} ({date}, {source})",
            currency=each.currency,
            rate=f"{each.rate:.6g}",
            base=each.base,
            date=each.date,
            source=each.source + (say(", simulated") if each.simulated and each.source != "simulated" else ""),
        )
        for each in worth.rates
    ]
    told += [say.say(each) for each in worth.notes]
    told += [say("the total in {base} is unknown: {reason}", base=worth.base, reason=each) for each in worth.missing]
    body = report_parts.render_tiles(pairs) + "".join(map(report_parts.render_paragraph, told))
    return report_parts.render_section(say("All currencies, in {currency}", currency=worth.base), body)


def render_performance(desk: "LedgerDesk", base: str, up: str, voice: Voice) -> str:
    """Return the section of returns: of the total where there are several currencies, else of the one there is."""
    from ia.organs.ledger.performance import MONTH, YEAR, PerformanceRequest, measure_performance

    say = voice
    index = _find_index(INDEX_OF.get(base, ""))
    report = measure_performance(desk, PerformanceRequest(by=MONTH, benchmark=index, base=base))
    years = measure_performance(desk, PerformanceRequest(by=YEAR, benchmark=index, base=base, figures=False))
    parts = [report_parts.render_paragraph(say("{reason}", reason=each)) for each in report.unknown.values()]
    shown = _accounts(report)
    if not shown:
        parts.append(report_parts.render_paragraph(say("returns need a deposit and prices of two days")))
        return report_parts.render_section(say("Performance"), *parts)
    yearly = dict(_accounts(years))
    for name, account in shown:
        title = (
            say("All of it, in {currency}", currency=account.currency)
            if name == "total"
            else say("In {currency}", currency=name)
        )
        heading = f"<h3>{escape_xml(title)}</h3>\n" if len(shown) > 1 else ""
        parts.append(
            heading + _render_account(account, yearly[name], report.benchmark, up, voice, main=name == shown[0][0])
        )
    return report_parts.render_section(say("Performance"), *parts)


def _accounts(report: "PerformanceReport") -> "list[tuple[str, Performance]]":
    """Return the accounts with their names, the total first."""
    total = [("total", report.total)] if report.total is not None else []
    return [*total, *report.currencies.items()]


def _find_index(code: str) -> "Symbol | None":
    from ia.domain.instruments.symbols import resolve_security

    try:
        return resolve_security(code) if code else None
    except IaError:
        return None


def _render_account(
    account: "Performance", years: "Performance", benchmark: "Benchmark | None", up: str, voice: Voice, *, main: bool
) -> str:
    """Return tiles of an account; of the first one with curves, months, years and statistics."""
    say, whole, risk = voice, account.whole, account.risk
    against = symbols.security_name(benchmark.symbol.canonical, benchmark.symbol.name, voice.lang) if benchmark else ""
    pairs = [
        (say("Result"), report_parts.profit_cell(whole.result, up)),
        (say("Time-weighted return"), _percent_cell(whole.twr, up)),
        (say("Money-weighted, a year"), _percent_cell(whole.xirr, up)),
    ]
    if whole.benchmark is not None:
        pairs += [
            (say("Benchmark {name}", name=against), _percent_cell(whole.benchmark, up)),
            (say("Ahead of it"), _percent_cell(whole.excess, up)),
        ]
    if risk is not None and risk.drawdown is not None:
        pairs.append((say("Deepest drawdown"), report_parts.unsigned_percent_cell(risk.drawdown.frac * 100)))
    days = say("{first} to {last}", first=whole.begin, last=whole.last)
    parts = [report_parts.render_paragraph(days), report_parts.render_tiles(pairs)]
    reasons = dict.fromkeys(
        say("{reason}", reason=each.reason)
        for each in (whole.twr, whole.xirr, whole.benchmark)
        if each is not None and each.reason is not None
    )
    parts += [report_parts.render_paragraph(told) for told in reasons]
    if main:
        parts += [
            _draw_curves(account, benchmark, against, voice),
            _draw_months(account, up, voice),
            _year_table(years, up, voice),
            _statistics(account, voice),
        ]
    return "".join(parts)


def _percent_cell(figure: "Figure | None", up: str) -> SheetCell:
    value = None if figure is None or figure.value is None else figure.value * 100
    return report_parts.percent_cell(value, up)


def _draw_curves(account: "Performance", benchmark: "Benchmark | None", against: str, voice: Voice) -> str:
    """Return equity against deposits, the time-weighted line against that of the benchmark, and the drawdown."""
    from ia.organs.ledger.performance_documents import curve_rows

    say = voice
    rows = curve_rows(account)
    if len(rows) < 2:
        return ""
    dates = [row["date"] for row in rows]
    equity = ChartLine(say("Equity"), [row["equity"] for row in rows])
    brought = ChartLine(say("Net deposits"), [row["invested"] for row in rows])
    title = say("Equity and net deposits, {currency}", currency=account.currency)
    last = next((value for value in reversed(equity.values) if value is not None), None)
    told = say(
        "{first} to {last}: {value} at the end", first=dates[0], last=dates[-1], value=report_parts.format_money(last)
    )
    out = _picture(dates, [equity, brought], title, told, voice)
    own: Values = [None if row["index"] is None else row["index"] * 100 for row in rows]
    lines = [ChartLine(say("Account, time-weighted"), [100.0, *own])]
    axis = [account.whole.begin, *dates]
    if benchmark is not None and (line := _benchmark_line(benchmark, account.whole.begin, dates)):
        lines.append(ChartLine(against, line))
    title = say("Return, {date} = 100", date=account.whole.begin)
    out += _picture(axis, lines, title, title, voice)
    falls = [ChartLine(say("Drawdown of the time-weighted line"), [row["drawdown_frac"] for row in rows])]
    deepest = min((row["drawdown_frac"] for row in rows if row["drawdown_frac"] is not None), default=0.0)
    told = say("deepest {value}", value=f"{deepest:.1%}")
    return out + report_parts.render_picture(
        lambda width: shapes.draw_curves(
            dates, falls, falls[0].label, told, height=150, percent=True, filled=True, width=width
        )
    )


def _picture(dates: Sequence[str], lines: Sequence[ChartLine], title: str, told: str, voice: Voice) -> str:
    return f"<h3>{escape_xml(title)}</h3>\n" + report_parts.render_picture(
        lambda width: shapes.draw_curves(dates, lines, title, told, lang=voice.lang, width=width)
    )


def _benchmark_line(benchmark: "Benchmark", begin: str, dates: Sequence[str]) -> Values:
    """Return the benchmark from 100 at its last close before the account began; [] where it has none so early."""
    from bisect import bisect_left, bisect_right

    base = bisect_left(benchmark.days, begin) - 1
    if base < 0:
        return []
    out: Values = [100.0]
    for day in dates:
        at = bisect_right(benchmark.days, day) - 1
        known = at >= 0 and day <= benchmark.days[-1]
        out.append(benchmark.closes[at] / benchmark.closes[base] * 100 if known else None)
    return out


def _draw_months(account: "Performance", up: str, voice: Voice) -> str:
    """Return the heat map of months."""
    from ia.organs.ledger.performance_documents import month_grid

    say = voice
    grid = month_grid(account.periods)
    if not grid:
        return ""
    title = say("Return by month, per cent")
    return f"<h3>{escape_xml(title)}</h3>\n" + report_parts.render_picture(
        lambda width: shapes.draw_month_grid(grid, title, title, up, width=width)
    )


def _year_table(years: "Performance", up: str, voice: Voice) -> str:
    """Return the years as a table, newest first, then all of it."""
    say = voice
    against = years.whole.benchmark is not None
    names = [
        say("Year"),
        say("Equity before"),
        say("Net deposits"),
        say("Result"),
        say("Equity after"),
        say("Time-weighted"),
        say("Money-weighted"),
    ]
    names += [say("Benchmark"), say("Ahead")] if against else []

    def row(name: str, each: "PeriodReturn") -> list[SheetCell | str]:
        cells: list[SheetCell | str] = [
            name,
            report_parts.format_money(each.before),
            report_parts.format_money(each.flows),
            report_parts.profit_cell(each.result, up),
            report_parts.format_money(each.after),
            _percent_cell(each.twr, up),
            _percent_cell(each.mwr, up),
        ]
        return [*cells, *((_percent_cell(each.benchmark, up), _percent_cell(each.excess, up)) if against else ())]

    rows = [row(each.first[:4], each) for each in reversed(years.periods)]
    rows.append(row(say("All"), years.whole))
    return f"<h3>{escape_xml(say('Return by year'))}</h3>\n" + report_parts.render_table(names, rows)


def _statistics(account: "Performance", voice: Voice) -> str:
    """Return the figures of risk and of closed trades, each with its definition one click away."""
    say, risk, trades = voice, account.risk, account.trades
    rows: list[tuple[str, str, str]] = []
    if risk is not None:
        rows += risk_rows(risk, say)
    if trades is not None and trades.trades:
        rows += [
            (
                say("Closed trades"),
                f"{trades.trades}",
                say("lots sold, first in, first out, after all fees; without dividends"),
            ),
            (say("Trades with a profit"), _percent(trades.win_rate), say("part of the closed trades")),
            (say("Profit factor"), _ratio(trades.profit_factor), say("sum of profits / sum of losses")),
            (say("Mean profit of a trade"), _ratio(trades.expectancy), say("in {currency}", currency=account.currency)),
            (say("Mean profit over mean loss"), _ratio(trades.payoff), say("of the winners and of the losers")),
            (say("Mean days held"), _ratio(trades.holding_days), say("calendar days, each closed trade counted once")),
        ]
        for label, trip in ((say("Best trade"), trades.best), (say("Worst trade"), trades.worst)):
            if trip is not None:
                rows.append((label, f"{trip.symbol} {trip.profit:+,.2f}", f"{trip.opened} – {trip.closed}"))
    if not rows:
        return ""
    count = say("{count} daily returns", count=risk.count) if risk else ""
    head = f"<h3>{escape_xml(say('Statistics'))}</h3>\n{report_parts.render_paragraph(count)}"
    return head + render_definitions(rows, voice)


def render_definitions(rows: Sequence[tuple[str, str, str]], voice: Voice) -> str:
    """Return figures, (name, value, definition), with the definition of each one click away."""
    items = "".join(
        f"<div><dt>{escape_xml(name)}</dt><dd>{escape_xml(value or '–')}</dd>"
        f"<details><summary>{escape_xml(voice('definition'))}</summary><p>{escape_xml(told)}</p></details></div>"
        for name, value, told in rows
    )
    return f'<dl class="figures defined">{items}</dl>\n'


def risk_rows(risk: "RiskFigures", say: Voice) -> list[tuple[str, str, str]]:
    """Return (name, value, definition) of the figures of risk."""
    year = say("a year has {count} sessions", count=risk.sessions)
    rows = [
        (say("Return a year"), _percent(risk.growth), say("time-weighted, by calendar days / 365.25; from a year on")),
        (
            say("Volatility"),
            _percent(risk.volatility),
            say("standard deviation of daily returns × root of the sessions; {year}", year=year),
        ),
        (
            say("Sharpe ratio"),
            _ratio(risk.sharpe),
            say("mean / standard deviation of daily returns × root of the sessions; risk-free rate 0"),
        ),
        (
            say("Sortino ratio"),
            _ratio(risk.sortino),
            say("mean return / root of the mean squared loss × root of the sessions"),
        ),
        (say("Calmar ratio"), _ratio(risk.calmar), say("return a year / deepest drawdown")),
        (say("Days with a gain"), _percent(risk.win_days), say("days above 0 over days that are not 0")),
        (say("Value at risk 95%"), _percent(risk.var), say("5% quantile of the daily returns, historical")),
        (
            say("Expected shortfall 95%"),
            _percent(risk.shortfall),
            say("mean of the daily returns at or below that quantile"),
        ),
    ]
    if risk.drawdown is not None:
        rows.append((say("Deepest drawdown"), f"{risk.drawdown.frac * 100:.2f}%", _drawdown_words(risk.drawdown, say)))
    if risk.longest is not None and risk.longest.days:
        told = say("{frac}; {words}", frac=f"{risk.longest.frac * 100:.2f}%", words=_drawdown_words(risk.longest, say))
        rows.append((say("Longest drawdown, days"), f"{risk.longest.days}", told))
    for label, extreme in (
        (say("Best day"), risk.best_day),
        (say("Worst day"), risk.worst_day),
        (say("Best month"), risk.best_month),
        (say("Worst month"), risk.worst_month),
    ):
        if extreme is not None:
            rows.append((label, _extreme_text(extreme), extreme.day))
    if risk.comparison is not None:
        both = say("on the {count} days that both have", count=risk.comparison.days)
        rows += [
            (
                say("Beta"),
                _ratio(risk.comparison.beta),
                say("slope of the regression on the benchmark, {days}", days=both),
            ),
            (
                say("Alpha, a year"),
                _percent(risk.comparison.alpha_ann),
                say("intercept of that regression × sessions of a year"),
            ),
            (say("Correlation"), _ratio(risk.comparison.correlation), both),
            (
                say("Information ratio"),
                _ratio(risk.comparison.information_ratio),
                say("mean / standard deviation of the difference of daily returns × root of the sessions"),
            ),
        ]
    return rows


def _drawdown_words(down: "Drawdown", say: Voice) -> str:
    return say(
        "from {peak} to {trough}; {days} days until it was made good, or to the end",
        peak=down.peak,
        trough=down.trough,
        days=down.days,
    )


def _extreme_text(each: "Extreme") -> str:
    return f"{each.value * 100:+.2f}%"


def _percent(figure: "Figure") -> str:
    return "" if figure.value is None else f"{figure.value * 100:.2f}%"


def _ratio(figure: "Figure") -> str:
    return "" if figure.value is None else f"{figure.value:,.2f}"


def render_allocation(desk: "LedgerDesk", account: "Account", worth: "NetWorth", voice: Voice) -> str:
    """Return how what is owned is spread by security, industry, market and currency."""
    from ia.organs.ledger.net_worth import BY, load_allocation

    say = voice
    names = {each.symbol: symbols.security_name(each.symbol, each.name, voice.lang) for each in account.positions}
    titles = {
        "security": say("By security"),
        "industry": say("By industry"),
        "market": say("By market"),
        "currency": say("By currency"),
    }
    parts = []
    for by in BY:
        shares = load_allocation(desk, account, worth, by)
        if not any(each.value for each in shares):
            continue
        rows: list[list[SheetCell | str]] = [
            [
                _share_name(each.kind, each.name, names, voice),
                report_parts.format_money(each.value),
                report_parts.unsigned_percent_cell(each.weight_pct),
            ]
            for each in shares
        ]
        bars = [
            (f"{row[0]}", float(each.weight_pct)) for row, each in zip(rows, shares, strict=True) if each.weight_pct
        ]
        drawn = ""
        if bars:
            drawn = report_parts.render_picture(
                lambda width, bars=bars[:BARS], by=by: shapes.draw_bars(bars, titles[by], titles[by], width=width)  # type: ignore[misc]
            )
        heads = [titles[by], say("Value, {currency}", currency=worth.base), say("Weight")]
        parts.append(
            f"<h3>{escape_xml(titles[by])}</h3>\n{drawn}"
            + report_parts.render_details(say("as a table"), report_parts.render_table(heads, rows))
        )
    return report_parts.render_section(say("Allocation"), *parts) if parts else ""


def _share_name(kind: str, name: str, names: dict[str, str], voice: Voice) -> str:
    from ia.organs.ledger.net_worth import CASH, LENT, UNKNOWN

    say = voice
    if kind == CASH:
        return say("Cash in {currency}", currency=name)
    if kind == LENT:
        return say("Lent out in {currency}", currency=name)
    if name == UNKNOWN:
        return say("industry unknown")
    if kind == "market":
        return {"CN": say("Mainland China"), "HK": say("Hong Kong"), "US": say("United States")}.get(name, name)
    if kind == "industry":
        return report_parts.industry_name(name, voice.lang)
    return f"{name} {names.get(name, '')}".strip()
