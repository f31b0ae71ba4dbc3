"""`ia quote`: what the store knows of the price of a security, or with --live what a source says right now."""

import sys
from datetime import datetime
from typing import Any

import click

from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.text import tr

BRIEF = ("symbol", "name", "date", "price", "change_pct", "turnover_pct", "pe", "pb", "market_cap")
_STATES = {
    ("open", True): mark_text("unfinished"),
    ("break", True): mark_text("unfinished (break)"),
    ("before-open", False): mark_text("before the open"),
    ("closed", False): mark_text("closed"),
}
"""The state of a session, and whether its bar is unfinished -> as a table says it."""
LIVE_BRIEF = ("symbol", "name", "time", "price", "change_pct", "change_last_pct", "state", "source")


@click.command(cls=Command, example="ia sync daily && ia quote 贵州茅台 300750 && ia quote 600519 --live")
@click.argument("symbols", nargs=-1, metavar="SYMBOL…|-")
@click.option(
    "--universe", metavar="U", help="Securities to quote: watch, held, all, a file of codes, an industry or a concept."
)
@click.option(
    "--live", is_flag=True, help="Ask the source of market.adapter for the price right now; nothing is stored."
)
@rows_options
@click.pass_context
def quote(
    ctx: click.Context, symbols: tuple[str, ...], universe: str | None, live: bool, as_json: bool, as_jsonl: bool
) -> None:
    """Print stored quotes: price, change, valuation, market value.

    SYMBOL is a code or a name. With -, ia reads symbols from standard input, one per line. A quote is from the newest
    day that `ia sync` has stored and --now may see. For other securities (Hong Kong, US, suspended) ia uses the newest
    stored bars; the column date tells their day. Without --live, ia contacts no source. Money is in the currency of the
    exchange, volume in shares, *_pct in percent. Status 66 if a security has no quote.

    With --live, ia asks the source within the request limits of `ia sync`. `time` is that of the quote, in the zone of
    the exchange; `unfinished` is true until the session ends, and `session` is open, break, before-open or closed.
    `change_pct` is against the previous close that the source gives, `change_last_pct` against `last_close`, the newest
    stored close before that day. --now refuses --live (status 2). Status 69 if no source has live quotes, 75 if the
    source does not answer.
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
    columns: tuple[str, ...] = market_reader.QUOTE
    brief: tuple[str, ...] = BRIEF
    if live:
        from ia.organs.market import live_quotes

        rows, missing = live_quotes.load_live_quotes(ws, wanted, notify)
        if sys.stdout.isatty() and not (as_json or as_jsonl):
            rows = [_shorten_live(row) for row in rows]
        columns, brief = live_quotes.COLUMNS, LIVE_BRIEF
    else:
        rows, missing = market_reader.load_quotes(ws, wanted, notify)
    if rows or not missing:
        emit_market_rows(rows, columns, brief=brief, as_json=as_json, as_jsonl=as_jsonl)
    for error in missing:
        tell_error(error)
    ctx.exit(missing[0].status if missing else 0)


def _shorten_live(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a live quote as a table shows it: the time with its zone, the state in words."""
    moment = datetime.fromisoformat(row["time"])
    day = "" if row["unfinished"] else f"{moment:%m-%d} "
    return {
        **row,
        "time": day + f"{moment:%H:%M%z}"[:-2],
        "state": tr(_STATES[row["session"], row["unfinished"]]),
        "source": tr("simulated") if row["simulated"] else row["source"],
    }


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
