"""`ia scan`: one expression over the market."""

from typing import TYPE_CHECKING, Any

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options, strategy_option
from ia_cli.terminal.progress import show_progress

if TYPE_CHECKING:
    from ia.faculties.lab.scan import ScanResult, ScanRow


@click.command(cls=Command, example="ia sync daily && ia scan 'rsi(close, 14) < 40' --where 'pe < 60' -n 5")
@click.argument("expr", required=False, metavar="EXPR")
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
@click.option(
    "--since", "--start", "since", metavar="DATE", help="Every bar from this date on: 2024-03-01, 30d (30 days back) …."
)
@click.option("--until", metavar="DATE", help="With --since: the last date (default: the newest).")
@strategy_option
@click.option("--sort", metavar="N", type=int, help="Sort by column N: 0 the value of EXPR, 1 the first of --columns.")
@click.option("--desc/--asc", "descending", default=True, show_default=True, help="Sort largest or smallest first.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000_000), help="Maximum number of rows (default: all).")
@click.option("--count", "counted", is_flag=True, help="Print only how many were found.")
@click.option("--stale", is_flag=True, help="Also take securities without a bar on the newest day.")
@click.option("--codes", "symbols", is_flag=True, help="Print codes only, for xargs.")
@click.option("--bars", metavar="URL", help="Scan packed bars, a folder or s3://… that `ia bars pack` printed.")
@click.option("--cluster", metavar="ADDRESS", help="Scan --bars on a Dask scheduler: tcp://HOST:8786 or tls://….")
@rows_options
@click.pass_context
def scan(
    ctx: click.Context,
    expr: str | None,
    universe: str,
    where: str | None,
    columns: str,
    since: str | None,
    until: str | None,
    strategy: str | None,
    sort: int | None,
    descending: bool,
    limit: int | None,
    counted: bool,
    stale: bool,
    symbols: bool,
    bars: str | None,
    cluster: str | None,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Print the securities for which an expression of `ia compute` is true on their newest bar.

    EXPR is evaluated on the stored daily bars of each security by itself: for each it gives what `ia ohlcv SYMBOL | ia
    compute EXPR` gives. Combine conditions with & and |, each in brackets: '(rsi(close, 14) < 30) & (close >
    sma(close, 200))'. An EXPR that gives a number is printed for all. Look-ahead is refused.

    With --since, ia prints every bar from that date on for which EXPR is true, in the order of the dates. The close of
    a past bar is adjusted (qfq), as `ia ohlcv` prints it. Conditions of --where are those of the newest day.

    xrank(X), xzscore(X) and xdemean(X) compare the securities of one day: the rank as a fraction (1 for the largest),
    the distance from the mean in population standard deviations, and the distance from the mean. With `industry` as
    second argument each is compared with its industry as told on that day: 'xdemean(roc(close, 20), industry)'. ia
    compares the securities that --in and --where choose and that have a bar on the day and a finite value: ST shares
    belong to them, suspended ones do not. Ties share the mean rank. All others have no value, which meets no condition.

    Expressions beyond the functions of ia-compute(1), such as ta.* and rolling(), run in the sandbox, about 6 ms for
    each security with ten years of bars, at most 20,000 securities. Of conditions joined with &, only those that need
    it run there, and only where the others are true.

    --strategy takes EXPR, --where and --columns from strategies/NAME.yaml; what you give besides narrows it. The keys
    of the file are expr, where, columns (a list), about and about_en.

    --bars scans packed bars (`ia bars pack`) on their newest time in place of the stored market, and reads only the
    months and columns that EXPR needs. Neither the sandbox nor --since is available there. With --cluster the workers
    of a Dask scheduler evaluate the blocks: each reads its own part with its own credentials and needs the same ia
    (status 78 if it differs). If a block fails three times, ia names it and ends in status 75. Whoever reaches the port
    of a scheduler can run code on its workers: keep it in a private network, or use tls:// with the certificates of
    Dask's settings. Dask has its workers give freed memory back at once (MALLOC_TRIM_THRESHOLD_), which doubles their
    work; ia undoes this, and warns where it cannot. Then set MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ to
    134217728 in Dask's settings, distributed.nanny.pre-spawn-environ, before the workers start.
    Both options need the extra `cluster`: pip install '.[cluster]'.

    Status 1 if nothing is found.
    """
    from ia.faculties.lab.scan import ScanRequest, parse_days, scan_market, split_expressions
    from ia.faculties.lab.technical_screen import select_universe
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.output import notify
    from ia_cli.terminal.packed_scans import scan_packed

    ws, further = Workspace(), split_expressions(columns)
    if strategy == "":
        from ia_cli.terminal.strategies import emit_strategies

        ctx.exit(emit_strategies(ws, as_json=as_json, as_jsonl=as_jsonl))
    if strategy is not None:
        from ia.faculties.lab.scan_strategies import load_strategy

        saved = load_strategy(ws, strategy)
        expr, where = saved.narrow_expression(expr), saved.narrow_condition(where)
        further = (*saved.columns, *further)
    if expr is None:
        raise UsageError("missing {what}", what="EXPR", hint="for example `ia scan 'rsi(close, 14) < 30'`")
    if sort is not None and not 0 <= sort <= len(further):
        raise UsageError("--sort {number}: there is no such column", number=sort, hint="0 is the value of EXPR")
    first, last = parse_days(since, until, dash="--")
    with show_progress() as show:
        chosen = select_universe(ws, universe, where, notify=notify, show=show)
    request = ScanRequest(
        expression=expr,
        columns=further,
        symbols=chosen,
        stale=stale,
        since=first,
        until=last,
        count_only=counted,
    )
    if bars is not None or cluster is not None:
        found = scan_packed(ws, request, bars, cluster)
    else:
        with show_progress() as show:
            found = scan_market(ws, request, notify=notify, show=show)
    if counted:
        click.echo(found.count)
        ctx.exit(0 if found.count else 1)
    rows = _sort_rows(found, sort, descending, dated=bool(since))[:limit]
    if symbols and not (as_json or as_jsonl):
        codes = dict.fromkeys(row.symbol for row in rows)
        click.echo("".join(f"{code}\n" for code in codes), nl=False)
        ctx.exit(0 if rows else 1)
    _emit_found(found, rows, expr, further, as_json=as_json, as_jsonl=as_jsonl)
    ctx.exit(0 if rows else 1)


def _sort_rows(found: "ScanResult", sort: int | None, descending: bool, *, dated: bool) -> "list[ScanRow]":
    """Return the rows by a column; without one, values by themselves, and what is true by date and symbol."""
    by = sort if sort is not None else None if found.truth or dated else 0
    if by is None:
        return sorted(found.rows, key=lambda row: (row.date, row.symbol) if dated else row.symbol)

    def key(row: "ScanRow") -> Any:
        value = row.value if by == 0 else row.values[by - 1]
        return value is None, (-1 if descending else 1) * (value or 0), row.date, row.symbol

    return sorted(found.rows, key=key)


def _emit_found(
    found: "ScanResult", rows: "list[ScanRow]", expr: str, further: tuple[str, ...], *, as_json: bool, as_jsonl: bool
) -> None:
    from ia.domain.instruments.symbols import from_canonical, stored_symbols
    from ia_cli.terminal.market_tables import emit_market_rows
    from ia_cli.terminal.output import tell_empty

    stored = {each.canonical: each.name for each in stored_symbols()}
    codes = {row.symbol for row in rows}
    names = {code: stored.get(code) or from_canonical(code).name for code in codes}
    told = ("symbol", "name", "date", "close", *(() if found.truth else (expr,)), *further)
    sandboxed = {"sandboxed": list(found.sandboxed)} if found.sandboxed and (as_json or as_jsonl) else {}
    documents = [
        {
            "symbol": row.symbol,
            "name": names[row.symbol],
            "date": row.date,
            "close": row.close,
            **({} if found.truth else {expr: row.value}),
            **dict(zip(further, row.values, strict=True)),
            **sandboxed,
        }
        for row in rows
    ]
    emit_market_rows(documents, told, as_json=as_json, as_jsonl=as_jsonl)
    if not rows:
        tell_empty("no security meets the condition")
