"""`ia scan`: one expression over the market."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.progress import show_progress


@click.command(cls=Command, example="ia sync daily && ia scan 'rsi(close, 14) < 40' --where 'pe < 60' -n 5")
@click.argument("expr", metavar="EXPR")
@click.option(
    "--in",
    "universe",
    metavar="U",
    default="all",
    show_default=True,
    help="Securities: all (stocks), watch, held, an industry, a concept, or a file with one symbol per line.",
)
@click.option("--where", metavar="CONDITION", help="Only stocks that meet this condition of `ia screen`: 'pe < 15'.")
@click.option("--columns", metavar="EXPR,…", default="", help="Further expressions to print for what is found.")
@click.option("--sort", metavar="N", type=int, help="Sort by column N: 0 the value of EXPR, 1 the first of --columns.")
@click.option("--desc/--asc", "descending", default=True, show_default=True, help="Sort largest or smallest first.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000_000), help="Maximum number of rows (default: all).")
@click.option("--count", "counted", is_flag=True, help="Print only how many were found.")
@click.option("--stale", is_flag=True, help="Also take securities without a bar on the newest day.")
@click.option("--codes", "symbols", is_flag=True, help="Print codes only, for xargs.")
@rows_options
@click.pass_context
def scan(
    ctx: click.Context,
    expr: str,
    universe: str,
    where: str | None,
    columns: str,
    sort: int | None,
    descending: bool,
    limit: int | None,
    counted: bool,
    stale: bool,
    symbols: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Print the securities for which an expression of `ia compute` is true on their newest bar.

    EXPR is evaluated on the stored daily bars of each security by itself: for each it gives what `ia ohlcv SYMBOL | ia
    compute EXPR` gives. Combine conditions with & and |, each in brackets: '(rsi(close, 14) < 30) & (close >
    sma(close, 200))'. An EXPR that gives a number is printed for all. Look-ahead is refused. Expressions beyond the
    functions of ia-compute(1), such as ta.*, need the sandbox and are limited to 200 securities.

    Status 1 if nothing is found.
    """
    from ia.faculties.lab.scan import ScanRequest, scan_market, split_expressions
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.market_tables import emit_market_rows
    from ia_cli.terminal.output import notify, tell_empty

    ws, further = Workspace(), split_expressions(columns)
    if sort is not None and not 0 <= sort <= len(further):
        raise UsageError("--sort {number}: there is no such column", number=sort, hint="0 is the value of EXPR")
    chosen = _select_symbols(ws, universe, where)
    request = ScanRequest(expression=expr, columns=further, symbols=chosen, stale=stale)
    with show_progress() as show:
        found = scan_market(ws, request, notify=notify, show=show)
    rows = found.rows
    by = sort if sort is not None else None if found.truth else 0
    if by is not None:
        key = [row.value if by == 0 else row.values[by - 1] for row in rows]
        order = sorted(
            range(len(rows)),
            key=lambda at: (key[at] is None, (-1 if descending else 1) * (key[at] or 0), rows[at].symbol),
        )
        rows = [rows[at] for at in order]
    else:
        rows = sorted(rows, key=lambda row: row.symbol)
    rows = rows[:limit]
    if counted:
        click.echo(len(found.rows))
        ctx.exit(0 if found.rows else 1)
    if symbols and not (as_json or as_jsonl):
        click.echo("".join(f"{row.symbol}\n" for row in rows), nl=False)
        ctx.exit(0 if rows else 1)
    from ia.domain.instruments.symbols import from_canonical, stored_symbols

    stored = {each.canonical: each.name for each in stored_symbols()}
    names = {row.symbol: stored.get(row.symbol) or from_canonical(row.symbol).name for row in rows}
    told = ("symbol", "name", "date", "close", *(() if found.truth else (expr,)), *further)
    documents = [
        {
            "symbol": row.symbol,
            "name": names[row.symbol],
            "date": row.date,
            "close": row.close,
            **({} if found.truth else {expr: row.value}),
            **dict(zip(further, row.values, strict=True)),
        }
        for row in rows
    ]
    emit_market_rows(documents, told, as_json=as_json, as_jsonl=as_jsonl)
    if not rows:
        tell_empty("no security meets the condition")
    ctx.exit(0 if rows else 1)


def _select_symbols(ws: object, universe: str, where: str | None) -> tuple[str, ...] | None:
    """Return the canonical symbols to look at; None for all stocks."""
    if universe == "all" and where is None:
        return None
    from ia.kernel.workspace import Workspace
    from ia.wiring.universe import list_universe
    from ia_cli.terminal.output import notify

    assert isinstance(ws, Workspace)
    chosen = None if universe == "all" else [each.canonical for each in list_universe(ws, universe)]
    if where is not None:
        from ia.organs.market.screen import screen_stocks

        met = [str(row["symbol"]) for row in screen_stocks(ws, where, columns=("symbol",), notify=notify).rows]
        chosen = met if chosen is None else [symbol for symbol in chosen if symbol in set(met)]
    return None if chosen is None else tuple(chosen)
