"""The report of a backtest: equity against holding and benchmark, drawdown, months, trades, and what it is worth."""

import csv
import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

from ia.domain.instruments import symbols
from ia.domain.performance import ratios, rolling
from ia.domain.performance.against_benchmark import compare_returns
from ia.domain.performance.months import month_returns
from ia.domain.performance.risk import Extreme, measure_risk
from ia.faculties.lab.each_sentences import describe_each
from ia.faculties.lab.run_folders import SavedRun, describe_rules, read_equity, read_orders
from ia.faculties.lab.run_sentences import describe_st_days
from ia.faculties.lab.selection_sentences import describe_deflation, describe_selection
from ia.faculties.pictures import chart_page, performance_report, report_parts, shapes
from ia.faculties.pictures.chart import Chart, ChartLine, TradeMarker, Values, up_color
from ia.faculties.pictures.report_parts import SheetCell
from ia.faculties.pictures.svg import escape_xml, picture_css
from ia.kernel.errors import BadData, IaError, Notify, PluralText, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

SHOWN = 100
"""Rows of a table."""
MARKETS = {"CNY": "CN", "HKD": "HK", "USD": "US", "": "US"}
Row = dict[str, str]


def render_backtest_report(
    ws: Workspace, run: SavedRun, voice: Voice, *, worth: Json | None = None, notify: Notify = drop_message
) -> str:
    """Return the page of a saved run. `worth` is what it is worth now (`measure_run`).

    raises  BadData where files of the run are damaged.
    """
    say, figures = voice, run.figures
    up = up_color(MARKETS.get(str(figures.get("currency")), "CN"), voice.lang)
    title = say("Backtest {id}", id=run.id)
    days = say(
        "{universe}, {first} to {last}",
        universe=_shorten(str(run.settings.get("universe", ""))),
        first=figures.get("first", ""),
        last=figures.get("last", ""),
    )
    warning = (
        say("SIMULATED PRICES: this result says nothing about the real market") if figures.get("simulated") else ""
    )
    parts = [
        f"<h1>{escape_xml(title)}</h1>\n",
        report_parts.render_paragraph(days),
        f"<p><code>{escape_xml(describe_rules(run.settings))}</code></p>\n",
        chart_page.warning_banner(warning),
    ]
    alive = False
    if "map" in figures:
        parts += _sweep_parts(run, up, voice)
    elif figures.get("each"):
        parts += [report_parts.render_paragraph(line, "") for line in describe_each(figures, voice)]
    else:
        chart = _draw_trades(ws, run, voice, notify)
        alive = bool(chart)
        parts += [report_parts.render_paragraph(line, "") for line in describe_st_days(figures, voice)]
        parts += [*_result_parts(run, worth, up, voice), chart, *_table_parts(run, up, voice)]
    parts.append(_settings_part(run, voice))
    parts.append(f"<footer>{escape_xml(chart_page.describe_creation(voice))}</footer>\n")
    return chart_page.render_page(title, "".join(parts), voice.lang, script=chart_page.CHART_SCRIPT if alive else "")


def _shorten(text: str, most: int = 200) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _result_parts(run: SavedRun, worth: Json | None, up: str, voice: Voice) -> list[str]:
    """Return tiles, curves, months, rolling figures and statistics."""
    say, figures = voice, run.figures
    path = read_equity(run)
    if len(path) < 2:
        return []
    days, equity = [day for day, _ in path], [value for _, value in path]
    compare = _read_compare(run)
    pairs = [
        (say("Return"), _percent(figures["return_frac"], up)),
        (say("Return a year"), _percent(figures["cagr_frac"], up)),
        (say("Deepest drawdown"), report_parts.unsigned_percent_cell(_times(figures["max_drawdown_frac"]))),
        (say("Sharpe ratio"), SheetCell(report_parts.format_number(figures["sharpe"]))),
        *(
            (_yardstick_name(key, figures, voice), _percent(each["return_frac"], up))
            for key, each in _known_yardsticks(figures)
        ),
        (
            say("Equity at the end, {currency}", currency=figures["currency"]),
            SheetCell(report_parts.format_money(equity[-1])),
        ),
    ]
    sentences = describe_selection(worth, voice) if worth else []
    out = [report_parts.render_tiles(pairs), *(report_parts.render_paragraph(each, "") for each in sentences)]
    cash = float(figures["cash"])
    lines = [ChartLine(say("Strategy"), [value / cash * 100 for value in equity])]
    for key, values in compare.items():
        lines.append(ChartLine(_yardstick_name(key, figures, voice), _from_hundred(values)))
    title = say("Equity, start = 100")
    out.append(_section(title, _curves(days, lines, title, voice)))
    title = say("Drawdown")
    falls: Values = []
    high = cash
    for value in equity:
        high = max(high, value)
        falls.append(value / high - 1)
    out.append(_section(title, _curves(days, [ChartLine(title, falls)], title, voice, height=150, percent=True)))
    grid = month_returns(days, equity, cash)
    title = say("Return by month, per cent")
    out.append(
        _section(
            title,
            report_parts.render_picture(lambda width: shapes.draw_month_grid(grid, title, title, up, width=width)),
        )
    )
    out.append(_rolling_part(figures, days, equity, voice))
    out.append(_statistics_part(run, days, equity, compare, grid, worth, voice))
    if "walk_forward" in figures:
        out.append(_walk_part(figures["walk_forward"], up, voice))
    return out


def _known_yardsticks(figures: Json) -> list[tuple[str, Json]]:
    return [(key, each) for key, each in figures.get("compare", {}).items() if each.get("return_frac") is not None]


def _yardstick_name(key: str, figures: Json, voice: Voice) -> str:
    name = figures.get("compare", {}).get(key, {}).get("name", key)
    told = {
        "buy_and_hold": voice("Buy and hold"),
        "equal_weight": voice("Equal weight of {count} securities", count=name),
    }
    code, _, own = str(name).partition(" ")
    return told.get(key) or f"{code} {symbols.security_name(code, own, voice.lang)}".strip()


def _read_compare(run: SavedRun) -> dict[str, Values]:
    """Return the yardsticks by key, a value for each day; nothing where a run has none."""
    rows = _read_rows(run, "compare.csv")
    names = [name for name in (rows[0] if rows else {}) if name != "date"]
    try:
        return {name: [float(row[name]) if row[name] else None for row in rows] for name in names}
    except (ValueError, TypeError):
        raise BadData("{path}: not the comparison of a backtest", path=f"runs/{run.id}/compare.csv") from None


def _read_rows(run: SavedRun, name: str) -> list[Row]:
    try:
        with open(os.path.join(run.folder, name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (FileNotFoundError, UnicodeDecodeError, csv.Error):
        return []


def _from_hundred(values: Values) -> Values:
    first = next((value for value in values if value), None)
    return [None if value is None or not first else value / first * 100 for value in values]


def _times(value: float | None) -> float | None:
    return None if value is None else value * 100


def _percent(value: float | None, up: str) -> SheetCell:
    return report_parts.percent_cell(_times(value), up)


def _section(title: str, *bodies: str) -> str:
    return report_parts.render_section(title, *bodies)


def _curves(
    days: Sequence[str],
    lines: Sequence[ChartLine],
    title: str,
    voice: Voice,
    *,
    height: float = 260,
    percent: bool = False,
) -> str:
    return report_parts.render_picture(
        lambda width: shapes.draw_curves(
            days, lines, title, title, height=height, lang=voice.lang, percent=percent, filled=percent, width=width
        )
    )


def _rolling_part(figures: Json, days: Sequence[str], equity: Sequence[float], voice: Voice) -> str:
    """Return Sharpe ratio and volatility of the last year at each day, or of the last quarter of a short run."""
    say, sessions = voice, figures["sessions_a_year"]
    returns = [after / before - 1 for before, after in pairwise(equity) if before > 0]
    if len(returns) != len(days) - 1:
        return ""
    window = round(sessions if len(returns) >= 2 * sessions else sessions / 4)
    if len(returns) < window + 20:
        return ""
    sharpe = rolling.rolling_sharpe(returns, window, sessions)
    wide = rolling.rolling_volatility(returns, window, sessions)
    title = say("Figures of the last {count} sessions at each day", count=window)
    bodies = []
    for name, values, percent in ((say("Sharpe ratio"), sharpe, False), (say("Volatility a year"), wide, True)):
        bodies.append(f"<h3>{escape_xml(name)}</h3>\n")
        known = [value for value in values if value is not None]
        if known:
            bodies.append(
                report_parts.render_picture(
                    lambda width, name=name, values=values, percent=percent: shapes.draw_curves(  # type: ignore[misc]
                        days[1:], [ChartLine(name, values)], name, name, height=150, percent=percent, width=width
                    )
                )
            )
    return _section(title, *bodies)


def _statistics_part(
    run: SavedRun,
    days: Sequence[str],
    equity: Sequence[float],
    compare: Mapping[str, Values],
    grid: Mapping[str, Mapping[str, float | None]],
    worth: Json | None,
    voice: Voice,
) -> str:
    """Return every figure with its definition."""
    say, figures = voice, run.figures
    sessions = figures["sessions_a_year"]
    returns = [(day, after / before - 1) for day, (before, after) in zip(days[1:], pairwise(equity), strict=True)]
    total = equity[-1] / float(figures["cash"]) - 1
    growth = ratios.annual_growth(total, date.fromisoformat(days[0]), date.fromisoformat(days[-1]))
    months = [
        Extreme(f"{year}-{month}", value)
        for year, line in grid.items()
        for month, value in line.items()
        if value is not None
    ]
    against = compare.get("benchmark") or next(iter(compare.values()), None)
    comparison = None
    if against:
        both = [
            (own, after / before - 1)
            for (_, own), (before, after) in zip(returns, pairwise(against), strict=True)
            if before and after
        ]
        comparison = compare_returns([own for own, _ in both], [other for _, other in both], sessions)
    risk = measure_risk(
        returns,
        days[0],
        MARKETS.get(str(figures.get("currency")), "CN"),
        growth,
        months=months,
        sessions=sessions,
        comparison=comparison,
    )
    rows = performance_report.risk_rows(risk, say)
    trades = figures["trades"]
    number = report_parts.format_number
    rows += [
        (
            say("Time invested"),
            _plain_percent(figures["exposure_frac"]),
            say("mean of positions / equity at the close"),
        ),
        (
            say("Turnover a year"),
            number(figures["turnover_ann"]),
            say("the smaller of purchases and sales / mean equity, a year"),
        ),
        (
            say("Closed trades"),
            f"{trades['closed']}",
            say("lots sold, first in, first out, after all fees; without dividends"),
        ),
        (say("Trades with a profit"), _plain_percent(trades["win_rate_frac"]), say("part of the closed trades")),
        (say("Profit factor"), number(trades["profit_factor"]), say("sum of profits / sum of losses")),
        (
            say("Mean profit of a trade"),
            number(trades["expectancy"]),
            say("in {currency}", currency=figures["currency"]),
        ),
        (say("Mean profit over mean loss"), number(trades["payoff"]), say("of the winners and of the losers")),
        (say("Mean days held"), number(trades["holding_days"]), say("calendar days, each closed trade counted once")),
        (say("Fees"), number(figures["fees"]), say("commission, stamp duty and other fees of all fills")),
        (
            say("Dividend tax"),
            number(figures["dividend_tax"]),
            say("withheld at sales, by the time that shares were held"),
        ),
    ]
    if worth:
        rows += selection_rows(worth, say)
    return _section(say("Statistics"), performance_report.render_definitions(rows, voice))


def selection_rows(worth: Json, say: Voice) -> list[tuple[str, str, str]]:
    """Return (name, value, definition) of what a result is worth after all trials."""
    low, high = worth["sharpe_ci95"]
    growth_low, growth_high = worth["cagr_ci95_frac"]
    number = report_parts.format_number
    drawn = say(
        "middle 95% of {draws} draws of the days in blocks of {block} on average (stationary bootstrap, seed {seed})",
        draws=worth["bootstrap"]["draws"],
        block=worth["bootstrap"]["block"],
        seed=worth["bootstrap"]["seed"],
    )
    return [
        (
            say("Probability of a true Sharpe above 0"),
            _plain_percent(worth["psr_frac"]),
            say("PSR: by the length, skewness and kurtosis of the returns"),
        ),
        (
            say("Deflated Sharpe ratio"),
            _plain_percent(worth["dsr_frac"]),
            say(
                "probability of a true Sharpe above {chance}, which the best of {count} trials without skill is"
                " expected to reach",
                chance=number(worth["chance_sharpe"]),
                count=worth["trials"],
            ),
        ),
        (say("Sharpe ratio, 95% interval"), f"{number(low)} – {number(high)}" if low is not None else "", drawn),
        (
            say("Return a year, 95% interval"),
            f"{_plain_percent(growth_low)} – {_plain_percent(growth_high)}" if growth_low is not None else "",
            drawn,
        ),
        (
            say("Years needed"),
            number(worth["needed_years"]),
            say("length from which this Sharpe ratio is above 0 with 95% confidence (MinTRL)"),
        ),
        (
            say("Years for these trials"),
            number(worth["minimum_backtest_years"]),
            say("below it chance alone is expected to find a Sharpe ratio of 1 among the trials (MinBTL)"),
        ),
    ]


def _plain_percent(value: float | None) -> str:
    return "" if value is None else f"{value * 100:.2f}%"


def _draw_trades(ws: Workspace, run: SavedRun, voice: Voice, notify: Notify) -> str:
    """Return the chart of the security that was traded most with the fills in it; nothing where its bars are gone."""
    from ia.faculties.pictures.chart_source import ChartOrigin, build_chart
    from ia.organs.ohlcv.history import load_raw_history

    orders = [row for row in read_orders(run) if row.get("filled") not in ("", "0", None)]
    counts: dict[str, int] = {}
    for row in orders:
        counts[row["symbol"]] = counts.get(row["symbol"], 0) + 1
    if not counts or max(counts) == "CSV.US":
        return ""
    symbol = max(counts, key=lambda name: (counts[name], name))
    first, last = str(run.figures["first"]), str(run.figures["last"])
    try:
        found = load_raw_history(ws, symbol, notify)
    except (IaError, OSError):
        return ""
    dates = found.bars.date
    bars = found.bars.slice_bars(bisect_left(dates, first), bisect_right(dates, last))
    if not bars.date:
        return ""
    origin = ChartOrigin(
        bars=bars,
        symbol=symbol,
        name=found.series.name or found.symbol.name,
        market=found.symbol.market,
        adapter=found.series.adapter,
        adjust="none",
        period="daily",
        simulated=found.series.simulated,
        actions=tuple(found.actions),
    )
    whole: Chart = replace(build_chart(origin, voice), marks=_marks(orders, symbol, voice), warning="")
    title = _title_trades(voice, whole.title, len(counts))
    return _section(title, chart_page.render_figure(whole, whole))


def _title_trades(voice: Voice, name: str, count: int) -> str:
    """Return the heading of the chart of trades."""
    if count == 1:
        return voice("Trades on the chart: {name}", name=name)
    return voice("Trades on the chart: {name}, traded most of {count} securities", name=name, count=count)


def _marks(orders: Sequence[Row], symbol: str, voice: Voice) -> tuple[TradeMarker, ...]:
    found = []
    for row in orders:
        if row["symbol"] == symbol and row["ended"]:
            shown = {"quantity": f"{float(row['filled']):,.10g}", "price": f"{float(row['price'] or 0):,.10g}"}
            told = voice("buy {quantity} @ {price}" if row["side"] == "buy" else "sell {quantity} @ {price}", **shown)
            found.append(TradeMarker(row["ended"], row["side"], told))
    return tuple(sorted(found))


def _table_parts(run: SavedRun, up: str, voice: Voice) -> list[str]:
    """Return closed trades and the orders that were not filled."""
    say = voice
    trades = _read_rows(run, "trades.csv")
    out = []
    if trades:
        heads = [
            say(name) for name in ("Symbol", "Shares", "Bought", "Sold", "Cost", "Proceeds", "Profit", "%", "Days")
        ]
        rows: list[list[SheetCell | str]] = [
            [
                row["symbol"],
                row["quantity"],
                row["opened"],
                say("open") if row["open"] else row["closed"],
                report_parts.format_money(float(row["cost"])),
                report_parts.format_money(float(row["proceeds"])),
                report_parts.profit_cell(float(row["profit"]), up),
                _percent(float(row["return_frac"]) if row["return_frac"] else None, up),
                row["days"],
            ]
            for row in reversed(trades)
        ]
        out.append(
            _section(
                say("Trades"),
                report_parts.render_table(heads, rows[:SHOWN]),
                report_parts.render_paragraph(
                    say("{count} in all; runs/{id}/trades.csv has them", count=len(rows), id=run.id)
                ),
            )
        )
    left = [row for row in read_orders(run) if row.get("reason")]
    if left:
        heads = [say(name) for name in ("Given", "Symbol", "Side", "Type", "Status", "Reason")]
        shown: list[list[SheetCell | str]] = [
            [row["given"], row["symbol"], say(row["side"]), row["type"], row["status"], row["reason"]]
            for row in reversed(left)
        ]
        body = report_parts.render_table(heads, shown[:SHOWN], left=6)
        out.append(
            _section(
                say("Orders not filled"),
                report_parts.render_details(say(PluralText("{count} order", "{count} orders"), count=len(left)), body),
            )
        )
    return out


def _walk_part(found: Json, up: str, voice: Voice) -> str:
    """Return the steps of a walk forward."""
    say = voice
    heads = [say(name) for name in ("Training", "Test", "Values", "Sharpe in training", "Sharpe in test", "Return")]
    rows: list[list[SheetCell | str]] = [
        [
            f"{step['train_first']} – {step['train_last']}",
            f"{step['test_first']} – {step['test_last']}",
            _point(step["point"]),
            report_parts.format_number(step["train_sharpe"]),
            report_parts.format_number(step["test_sharpe"]),
            _percent(step["test_return_frac"], up),
        ]
        for step in found["steps"]
    ]
    told = say(
        "The values are chosen in training only; each test begins in cash. In hindsight {point} had a Sharpe ratio of"
        " {sharpe} over all days.",
        point=_point(found["hindsight_point"]),
        sharpe=report_parts.format_number(found["hindsight_sharpe"]),
    )
    return _section(
        say("Walk forward"), report_parts.render_table(heads, rows, left=3), report_parts.render_paragraph(told)
    )


def _point(point: Mapping[str, str] | None) -> str:
    return ", ".join(f"{name}={value}" for name, value in point.items()) if point else "–"


def _sweep_parts(run: SavedRun, up: str, voice: Voice) -> list[str]:
    """Return the map of a sweep and what its best variant is worth."""
    say, figures = voice, run.figures
    best, number = figures["best"], report_parts.format_number
    pairs = [
        (say("Variants"), SheetCell(f"{figures['variants']}")),
        (say("Median Sharpe ratio"), SheetCell(number(figures["sharpe_median"]))),
        (say("Highest Sharpe ratio"), SheetCell(number(figures["sharpe_highest"]))),
        (say("Variants with a profit"), SheetCell(_plain_percent(figures["gained_frac"]))),
        (say("Variants above holding"), SheetCell(_plain_percent(figures["above_hold_frac"]))),
    ]
    out = [report_parts.render_tiles(pairs)]
    if best:
        out += [
            report_parts.render_paragraph(each, "")
            for each in describe_deflation(figures["selection"], figures["trials"], voice)
        ]
    out.append(
        _section(map_title(figures["map"], voice), report_parts.render_picture(_map_drawer(figures["map"], up, voice)))
    )
    if best:
        rows = selection_rows(figures["selection"] | {"trials": figures["trials"]}, say) + search_rows(
            figures["search"], say
        )
        head = report_parts.render_paragraph(
            say("of the variant with the highest Sharpe ratio: {point}", point=_point(best["point"]))
        )
        out.append(_section(say("Statistics"), head, performance_report.render_definitions(rows, voice)))
    return out


def search_rows(found: Json, say: Voice) -> list[tuple[str, str, str]]:
    """Return (name, value, definition) of the tests of a whole search."""
    rows = [
        (
            say("Overfitting, {count} blocks", count=splits),
            _plain_percent(value),
            say("PBO: how often the best half of the days chooses a variant that is in the worse half on the others"),
        )
        for splits, value in found["pbo_frac"].items()
    ]
    for key, name in (("spa_p_zero", say("P against earning nothing")), ("spa_p_hold", say("P against holding"))):
        if key in found:
            told = say(
                "SPA: probability of such a best variant by chance; between {low} and {high}",
                low=report_parts.format_number(found[key]["lower"], 3),
                high=report_parts.format_number(found[key]["upper"], 3),
            )
            rows.append((name, report_parts.format_number(found[key]["consistent"], 3), told))
    return rows


def map_title(found: Json, voice: Voice) -> str:
    """Return the title of a map."""
    names = " × ".join(filter(None, (found["row"], found["column"])))
    if found["folded"]:
        return voice("Sharpe ratio by {names} (median over {others})", names=names, others=", ".join(found["folded"]))
    return voice("Sharpe ratio by {names}", names=names)


def _map_drawer(found: Json, up: str, voice: Voice, css: str = "") -> Callable[[float], str]:
    title = map_title(found, voice)
    rows: Any = found["rows"]

    def draw(width: float) -> str:
        return shapes.draw_value_grid(
            rows,
            found["columns"],
            found["values"],
            (found["row"], found["column"]),
            title,
            title,
            up,
            width=width,
            css=css,
        )

    return draw


def render_map_file(run: SavedRun, kind: str, voice: Voice) -> bytes:
    """Return the map of a sweep as svg or png.

    raises  BadData for a run without a map, ConfigError where a PNG cannot be drawn.
    """
    if "map" not in run.figures:
        raise BadData("run {id} has no map", id=run.id)
    up = up_color(MARKETS.get(str(run.figures.get("currency")), "CN"), voice.lang)
    text = _map_drawer(run.figures["map"], up, voice, picture_css(night=False if kind == "png" else None))(shapes.WIDE)
    if kind == "svg":
        return text.encode()
    from ia.faculties.pictures import png

    return png.rasterize_svg(text)


def _settings_part(run: SavedRun, voice: Voice) -> str:
    rows: list[list[SheetCell | str]] = [
        [name, SheetCell(_shorten(str(value)), "wrap")]
        for name, value in run.settings.items()
        if not isinstance(value, dict)
    ]
    table = report_parts.render_table([voice("Setting"), voice("Value")], rows)
    return report_parts.render_details(voice("Settings"), table)
