"""`ia quote`: what the store knows of the price of a security."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options

BRIEF = ("symbol", "name", "date", "price", "change_pct", "turnover_pct", "pe", "pb", "market_cap")


@click.command(cls=Command, example="ia sync daily && ia quote 贵州茅台 300750")
@click.argument("symbols", nargs=-1, metavar="SYMBOL…|-")
@click.option(
    "--universe", metavar="U", help="Securities to quote: watch, held, all, a file of codes, an industry or a concept."
)
@rows_options
@click.pass_context
def quote(ctx: click.Context, symbols: tuple[str, ...], universe: str | None, as_json: bool, as_jsonl: bool) -> None:
    """Print stored quotes: price, change, valuation, market value.

    SYMBOL is a code or a name. With -, ia reads symbols from standard input, one per line. A quote is from the newest
    day that `ia sync` has stored and --now may see. For other securities (Hong Kong, US, suspended) ia uses the newest
    stored bars; the column date tells their day. ia contacts no source. Money is in the currency of the exchange,
    volume in shares, *_pct in percent. Status 66 if a security has no stored quote.
    """
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader
    from ia_cli.terminal.market_tables import emit_market_rows
    from ia_cli.terminal.output import notify, tell_error

    ws = Workspace()
    if universe is None:
        wanted = _read_symbols(symbols)
    elif symbols:
        raise UsageError("give either SYMBOL or --universe, not both")
    else:
        from ia.wiring.universe import list_universe as members

        wanted = [symbol.canonical for symbol in members(ws, universe)]
    rows, missing = market_reader.load_quotes(ws, wanted, notify)
    if rows or not missing:
        emit_market_rows(rows, market_reader.QUOTE, brief=BRIEF, as_json=as_json, as_jsonl=as_jsonl)
    for error in missing:
        tell_error(error)
    ctx.exit(missing[0].status if missing else 0)


def _read_symbols(symbols: tuple[str, ...]) -> list[str]:
    from ia.kernel.errors import UsageError
    from ia_cli.terminal.input import text_or_stdin

    if symbols and symbols != ("-",):
        if (listed := {"watch": "watch", "watchlist": "watch", "held": "held"}.get(symbols[0].casefold())) is not None:
            hint = "`ia quote --universe {listed}`"
            raise UsageError("{text} is not a security", text=symbols[0], hint=hint, listed=listed)
        return list(symbols)
    lines = text_or_stdin("-", "a SYMBOL").splitlines()
    found = [line.split("\t")[0].strip() for line in lines if line.strip()]
    found = [text for text in found if text != "symbol"]
    if not found:
        raise UsageError("no symbol given", hint="`ia quote 600519`")
    return found
