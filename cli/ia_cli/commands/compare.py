"""`ia compare`: securities side by side."""

import sys
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import adapter_option, end_option, json_option, stale_option, start_option
from ia_cli.terminal.output import Row, emit_json, emit_rows, escape_controls, notify
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace
    from ia.wiring.comparison import Compared, CompareRequest

FIGURES = {
    "currency": "currency", "date": "last bar", "close": "close (qfq)", "return_5d_pct": "5 sessions %",
    "return_20d_pct": "20 sessions %", "return_60d_pct": "60 sessions %", "return_120d_pct": "120 sessions %",
    "return_250d_pct": "250 sessions %", "return_ytd_pct": "year to date %", "return_window_pct": "in the window %",
    "volatility_ann_pct": "volatility % a year", "max_drawdown_pct": "deepest drawdown %", "beta": "beta",
    "beta_to": "beta to", "pe_ttm": "P/E (TTM)", "pb": "P/B", "roe_pct": "ROE %",
    "dividend_yield_pct": "dividend yield %", "valuation_date": "valuation of", "report": "report of", "basis": "basis",
}  # fmt: skip
"""Figure -> what stands before it on a terminal."""
COLUMNS = ("symbol", "name", *FIGURES)


@click.command(cls=Command, example="ia compare 300750 002594 -n 120")
@click.argument("symbols", nargs=-1, metavar="SYMBOL…")
@start_option("First day of the window: 2024-01-15, 90d, 1y, ytd; see ia(1).")
@end_option("Last day of the window (default: the newest bar).")
@click.option(
    "-n",
    "--limit",
    "days",
    type=click.IntRange(2, 10000),
    metavar="N",
    help="Window of the last N sessions (default: 250).",
)
@click.option("--benchmark", metavar="SYMBOL", help="Index of the betas (default: the one of each market).")
@click.option("--chart", "drawn", is_flag=True, help="Draw the closes as lines, 100 at the first common session.")
@click.option("-o", "--output", metavar="FILE", help="Write a picture: .svg, .png or .html.")
@adapter_option
@stale_option
@json_option
def compare(
    symbols: tuple[str, ...],
    start: str | None,
    end: str | None,
    days: int | None,
    benchmark: str | None,
    drawn: bool,
    output: str | None,
    adapter: tuple[str, ...],
    stale: bool,
    as_json: bool,
) -> None:
    """Compare securities: returns, volatility, drawdown, correlation, beta, valuation.

    Returns are of adjusted closes (qfq), each in the currency of its security; ia converts nothing. Volatility is the
    standard deviation of daily returns times the root of 250; drawdown and volatility are of the window. A correlation
    or beta is of daily returns between the sessions that both traded on, at least 20 of them. The index of a beta is
    the CSI 300, the Hang Seng index or SPY, unless --benchmark names another. Valuations are of the newest stored day
    (`ia sync`), or of the newest price and report of a Hong Kong or US company.

    A pipe gets one row a security, and the correlations as columns.
    """
    from ia.faculties.pictures import saving
    from ia.kernel import clock, dateforms
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia.wiring import comparison

    kind = saving.file_format(output) if output is not None else ""
    if start and days:
        raise UsageError("give either --start or --limit, not both")
    if (drawn or output) and as_json:
        raise UsageError("--json prints figures; leave out --chart and --output")
    if len(symbols) < 2:
        raise UsageError("a comparison needs two different securities", hint="such as `ia compare 300750 002594`")
    today = clock.now().date()
    request = comparison.CompareRequest(
        symbols=symbols,
        days=days or comparison.YEAR,
        since=dateforms.parse_day(start, today, option="--start") if start else "",
        until=dateforms.parse_day(end, today, option="--end", last=True) if end else "",
        benchmark=benchmark or "",
        adapters=adapter,
        stale=stale,
    )
    if request.since > str(today):
        raise UsageError("{option}: {date} is in the future", option="--start", date=request.since)
    ws = Workspace()
    if drawn or output is not None:
        _draw(ws, request, kind, output)
        return
    found = comparison.compare_securities(ws, request, notify)
    document = comparison.describe_comparison(found)
    if as_json:
        emit_json(document)
        return
    _tell_remarks(found)
    if sys.stdout.isatty():
        _print_tables(document["securities"], document["correlations"])
    else:
        _emit_tsv(document["securities"], document["correlations"])


def _tell_remarks(found: "Compared") -> None:
    """Say what has to be known before figures are set side by side."""
    from ia.domain.instruments.boards import trading_currency

    if len({side.bars.date[-1] for side in found.sides}) > 1:
        notify(Message("the last bars are of different days, and so are the figures"))
    currencies = dict.fromkeys(trading_currency(side.symbol) for side in found.sides)
    if len(currencies) > 1:
        listed = ", ".join(currencies)
        notify(Message("currencies differ ({currencies}); each return is in its own currency", currencies=listed))
    few = dict.fromkeys(symbol for (symbol, _), why in found.unknown.items() if why == "few-bars")
    if few:
        notify(Message("{symbols}: too few bars for some figures; they are empty", symbols=", ".join(few)))
    bare = [code for code, told in found.valuations.items() if not told]
    if bare:
        told = "{symbols}: no valuation is known; run `ia sync`"
        notify(Message(told, symbols=", ".join(bare)))
    lost = [each for each in (*found.relations, *found.betas.values()) if each.why == "few-common-returns"]
    for each in lost:
        told = "{one} and {other}: only {count} common daily returns, too few for a correlation or beta"
        notify(Message(told, one=each.one, other=each.other, count=each.returns))
    bare = sorted({each.other for each in found.betas.values() if each.why == "no-index-prices"})
    if bare:
        notify(Message("{symbols}: no prices of the index; its betas are empty", symbols=", ".join(bare)))


def _emit_tsv(sides: list[Row], pairs: list[Row]) -> None:
    """Write a row a security, with its correlation to each of the others."""
    rows = []
    for side in sides:
        own = dict(side)
        for each in pairs:
            if side["symbol"] in (each["one"], each["other"]):
                other = each["other"] if each["one"] == side["symbol"] else each["one"]
                own[f"correlation_{other}"] = each["correlation"]
        own[f"correlation_{side['symbol']}"] = 1.0
        rows.append(own)
    emit_rows(rows, [*COLUMNS, *(f"correlation_{side['symbol']}" for side in sides)])


def _print_tables(sides: list[Row], pairs: list[Row]) -> None:
    """Write a column a security, and the matrix of correlations below."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ia_cli.terminal.security_names import localize_names

    console = Console()
    room = max((console.width - 24) // 14, 1)
    if len(sides) > room:  # a figure without its end would be another one
        for at in range(0, len(sides), room):
            _print_tables(sides[at : at + room], [])
        _print_pairs(pairs)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for side in localize_names(sides):
        table.add_column(escape_controls(f"{side['symbol']}\n{side['name']}".strip()), justify="right")
    for name, head in FIGURES.items():
        cells = [_format_figure(name, side[name]) for side in sides]
        if any(cells):
            table.add_row(Text(tr(head)), *(Text(escape_controls(cell) or "–") for cell in cells))
    console.print(table)
    if pairs and console.width >= 14 * (len(sides) + 1):
        _print_matrix(sides, pairs)
    elif pairs:
        _print_pairs(pairs)


def _print_pairs(pairs: list[Row]) -> None:
    """Write each correlation in a line of its own."""
    for each in pairs:
        value = "–" if each["correlation"] is None else f"{each['correlation']:.2f}"
        sys.stdout.write(f"{tr('correlation')} {each['one']} {each['other']} {value}\n")


def _print_matrix(sides: list[Row], pairs: list[Row]) -> None:
    """Write the correlations as a matrix."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console()
    known = {(each["one"], each["other"]): each["correlation"] for each in pairs}
    matrix = Table(box=SIMPLE_HEAD, pad_edge=False)
    matrix.add_column(tr("correlation"), no_wrap=True)
    for side in sides:
        matrix.add_column(side["symbol"], justify="right")
    for side in sides:
        row = []
        for other in sides:
            a, b = side["symbol"], other["symbol"]
            value = 1.0 if a == b else known.get((a, b), known.get((b, a)))
            row.append("–" if value is None else f"{value:.2f}")
        matrix.add_row(side["symbol"], *row)
    console.print(matrix)


def _format_figure(name: str, value: object) -> str:
    if isinstance(value, float):
        return f"{value:+.2f}" if name.startswith("return_") else f"{value:,.2f}"
    return "" if value is None else tr(str(value)) if name == "basis" else str(value)


def _draw(ws: "Workspace", request: "CompareRequest", kind: str, output: str | None) -> None:
    from ia.faculties.pictures import comparison_chart
    from ia.wiring import comparison
    from ia_cli.terminal.chart_output import print_chart, save_chart
    from ia_cli.terminal.picture_language import make_picture_voice

    sides = comparison.load_sides(ws, request, notify)
    if request.benchmark:
        index = comparison.load_side(ws, request.benchmark, request, notify)
        if all(index.symbol.canonical != side.symbol.canonical for side in sides):
            sides = (*sides, index)
    since = request.since or comparison_chart.window_start(sides, request.days)
    chart = comparison_chart.build_comparison(sides, since, make_picture_voice())
    if output is None:
        print_chart(chart)
    else:
        save_chart(output, kind, chart, chart)
