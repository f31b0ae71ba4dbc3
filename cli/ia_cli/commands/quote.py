"""`ia quote`: what the store knows of the price of a security."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options

BRIEF = ("symbol", "name", "date", "price", "change_pct", "turnover_pct", "pe", "pb", "market_cap")


@click.command(cls=Command, example="ia sync daily && ia quote 贵州茅台 300750")
@click.argument("symbols", nargs=-1, metavar="SYMBOL…|-")
@click.option(
    "--universe", metavar="U", help="Of all of these: watch, held, all, a file of codes, an industry or a concept."
)
@rows_options
@click.pass_context
def quote(ctx: click.Context, symbols: tuple[str, ...], universe: str | None, as_json: bool, as_jsonl: bool) -> None:
    """Print quotes from the store: price, change, valuation, size.

    SYMBOL is a code or a name. With - they are read from standard input, one a line. A quote is of the newest day that
    `ia sync` has stored and --now may see; what is not in it (Hong Kong, US, suspended) comes from the newest stored
    bars. Nobody is asked. Money in yuan, volume in shares; *_pct is per cent. Status 66 where one is not known.
    """
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.market import reading
    from ia_cli.terminal.market_tables import emit
    from ia_cli.terminal.output import complain, notify

    ws = Workspace()
    if universe is None:
        wanted = _symbols(symbols)
    elif symbols:
        raise UsageError("give SYMBOLs or --universe, not both")
    else:
        from ia.wiring.universe import list_universe as members

        wanted = [symbol.canonical for symbol in members(ws, universe)]
    rows, missing = reading.quotes(ws, wanted, notify)
    if rows or not missing:
        emit(rows, reading.QUOTE, brief=BRIEF, as_json=as_json, as_jsonl=as_jsonl)
    for error in missing:
        complain(error)
    ctx.exit(missing[0].status if missing else 0)


def _symbols(symbols: tuple[str, ...]) -> list[str]:
    from ia.kernel.errors import UsageError
    from ia_cli.terminal.input import text_or_stdin

    if symbols and symbols != ("-",):
        if (listed := {"watch": "watch", "watchlist": "watch", "held": "held"}.get(symbols[0].casefold())) is not None:
            hint = "`ia quote --universe {listed}`"
            raise UsageError("{text} is no security", text=symbols[0], hint=hint, listed=listed)
        return list(symbols)
    lines = text_or_stdin("-", "a SYMBOL").splitlines()
    found = [line.split("\t")[0].strip() for line in lines if line.strip()]
    found = [text for text in found if text != "symbol"]
    if not found:
        raise UsageError("no symbol was given", hint="`ia quote 600519`")
    return found
