"""`ia news`: what a source told of companies, with its time."""

import sys
from typing import TYPE_CHECKING

import click

from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace

COLUMNS = ("time", "symbol", "name", "kind", "title", "publisher", "category", "link", "source", "simulated")
BRIEF = ("time", "name", "kind", "title", mark_text("publisher"))


@click.command(cls=Command, example="ia init --yes && ia news 600519 -n 5")
@click.argument("symbols", nargs=-1, metavar="SYMBOL…")
@click.option("--universe", type=click.Choice(["watch", "held"]), help="News of the watch list or of what is held.")
@click.option(
    "--since", metavar="DATE", help="Only items since this date: 2024-03-01, 30d (30 days back), yesterday …."
)
@click.option(
    "-n", "--limit", "count", type=click.IntRange(1, 1000), default=20, show_default=True, help="Number of items."
)
@click.option("--kind", type=click.Choice(["announcement", "news"]), help="Only announcements, or only news.")
@click.option("--refresh", is_flag=True, help="Ask the source even if it was asked within the last hour.")
@click.option(
    "--send", is_flag=True, help="Send the item that started this run; only in a task with the event `on news`."
)
@rows_options
@click.pass_context
def news(
    ctx: click.Context,
    symbols: tuple[str, ...],
    universe: str | None,
    since: str | None,
    count: int,
    kind: str | None,
    refresh: bool,
    send: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Print announcements and news of companies, newest first.

    SYMBOL is a code or a name. ia asks the provider `news` at most once an hour for each security, stores what it
    tells, and prints the stored items that could be read by --now. Each item has its time, kind, publisher and link.
    Titles are text from outside: links in them are broken, and ia judges nothing by them. The provider has
    announcements of mainland companies, and news of Hong Kong and US companies too. A task can run when there is news:
    `ia task propose --on news:SYMBOL`.

    Status 1 if there are no items, 66 if no source covers the securities, 69 or 75 if the source fails and nothing
    is stored (always with --refresh).
    """
    from ia.faculties import newsroom
    from ia.kernel import clock
    from ia.kernel.workspace import Workspace
    from ia.organs.market import news_store
    from ia_cli.terminal.market_tables import emit_market_rows
    from ia_cli.terminal.output import notify, tell_error
    from ia_cli.terminal.text import tr

    ws = Workspace()
    moment = clock.utc_stamp(clock.parse_since(since)) if since else ""
    wanted = _choose_symbols(ws, symbols, universe)
    if send:
        from ia.reach.tasks import news_messages
        from ia_cli.terminal.text import lang

        news_messages.send_item_of_run(ws, wanted, lang=lang(), notify=notify)
        return
    done = newsroom.refresh_news(ws, wanted, force=refresh, notify=notify)
    rows = news_store.load_news(ws, wanted, count=count, since=moment, kind=kind or "")
    newsroom.tell_simulated_news(rows, notify)
    if rows or not done.failures:
        plain = as_json or as_jsonl or not sys.stdout.isatty()
        shown = rows if plain else [{**row, "time": _format_time(row["time"]), "kind": tr(row["kind"])} for row in rows]
        emit_market_rows(shown, COLUMNS, brief=BRIEF, as_json=as_json, as_jsonl=as_jsonl)
    told = {str(failure): failure for failure in done.failures.values()}
    for failure in told.values():
        tell_error(failure)
    if told and (refresh or not rows):
        ctx.exit(min(told.values(), key=lambda failure: failure.status != 75).status)
    if not rows:
        _tell_empty(wanted, since)
    ctx.exit(0 if rows else 1)


def _choose_symbols(ws: "Workspace", symbols: tuple[str, ...], universe: str | None) -> list[str]:
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import UsageError

    if universe is not None and symbols:
        raise UsageError("give either SYMBOL or --universe, not both")
    if universe is not None:
        from ia.wiring.universe import list_universe

        return [symbol.canonical for symbol in list_universe(ws, universe)]
    if not symbols:
        raise UsageError("no symbol given", hint="`ia news 600519`, or `ia news --universe watch`")
    return list(dict.fromkeys(resolve_security(text, traded=True).canonical for text in symbols))


def _format_time(stamp: str) -> str:
    """Return the time of an item for people: its own zone's minute, or the bare date."""
    return f"{stamp[:10]} {stamp[11:16]} {stamp[19:]}".strip() if len(stamp) > 10 else stamp


def _tell_empty(symbols: list[str], since: str | None) -> None:
    from ia.kernel.errors import NotFound
    from ia_cli.terminal.output import tell_error

    if sys.stdout.isatty():
        names = ", ".join(symbols[:5])
        template = "{symbols}: no news since {since}" if since else "{symbols}: no news"
        tell_error(NotFound(template, symbols=names, since=since))
