"""`ia watch`: the watch list, its groups and prices."""

from typing import TYPE_CHECKING

import click

from ia.kernel.errors import NotFound, UsageError
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import emit_rows, notify, tell_error

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol

BRIEF = ("symbol", "name", "price", "change_pct", "date", "currency", "group", "why")
CHANGES = ("symbol", "name", "group", "outcome")


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    example="ia watch add 比亚迪 300750 --group battery; ia watch list",
)
@click.pass_context
def watch(ctx: click.Context) -> None:
    """Keep the watch list: securities, in groups, with reasons.

    The list is the file memory/tracking.md, which you may edit: a group is a heading (`## battery`), an item a line
    (`- 300750: below 80`). `watch` and `watch:GROUP` name its securities wherever a command takes --universe.
    Without a subcommand ia lists it.
    """
    if ctx.invoked_subcommand is None:
        with list_.make_context("list", [], parent=ctx) as below:
            list_.invoke(below)


@watch.command(example="ia watch add 比亚迪 300750 --group battery --because 'below 80'")
@click.argument("symbols", nargs=-1, required=True, metavar="SYMBOL...")
@click.option("-b", "--because", metavar="WHY", default="", help="Reason to watch them (default: keep what is there).")
@click.option(
    "-g", "--group", metavar="GROUP", help="Group to put them in, or to move them to; '' for none (default: unchanged)."
)
@rows_options
def add(symbols: tuple[str, ...], because: str, group: str | None, as_json: bool, as_jsonl: bool) -> None:
    """Add securities to the watch list, or change their reason or group.

    SYMBOL is a code, a name or pinyin. A security is on the list once: with another group ia moves it. If one SYMBOL
    is unknown or ambiguous, ia changes nothing. A US ticker that no list of names has takes its market: `PLTR.US`.
    `ia memory track` takes topics too.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import Message
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import watch_list
    from ia.wiring.security_mentions import name_security

    words = _split_words(symbols)
    wanted = [resolve_security(word, traded=True) for word in words]
    _refuse_unknown(words, wanted)
    ws = Workspace()
    rows = []
    with ws.unit_of_work():
        for symbol in dict.fromkeys(wanted):
            if not symbol.name:
                notify(Message("{symbol}: ia knows no name for this code", symbol=symbol.canonical))
            item, code, *names = name_security(symbol)
            change = watch_list.track_item(ws, item, because, code=code, names=names, group=group)
            rows.append({"symbol": code, "name": symbol.name, "group": change.group, "outcome": change.outcome})
    emit_rows(rows, CHANGES, as_json=as_json, as_jsonl=as_jsonl)


@watch.command(example="ia watch add 600519 AAPL; ia watch remove AAPL")
@click.argument("symbols", nargs=-1, required=True, metavar="SYMBOL...")
@rows_options
def remove(symbols: tuple[str, ...], as_json: bool, as_jsonl: bool) -> None:
    """Take securities or topics off the watch list.

    A group disappears with its last item. Status 66 if one is not on the list; nothing is then changed.
    """
    from ia.domain.instruments.symbols import from_canonical
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import watch_list
    from ia.wiring.security_mentions import identify_security

    ws = Workspace()
    rows = []
    with ws.unit_of_work():
        for word in symbols:
            item, code, *names = identify_security(word)
            change = watch_list.untrack_item(ws, item, code=code, names=names)
            name = from_canonical(code).name if code else change.text
            rows.append({"symbol": code or None, "name": name, "group": change.group, "outcome": change.outcome})
    emit_rows(rows, CHANGES, as_json=as_json, as_jsonl=as_jsonl)


@watch.command("list", example="ia watch add 600519 --because 'PE below 25'; ia watch list")
@click.argument("group", required=False)
@rows_options
@click.pass_context
def list_(ctx: click.Context, group: str | None, as_json: bool, as_jsonl: bool) -> None:
    """List what you watch, with the last stored price of each.

    GROUP limits the list to one group. price is the close of `date` in the currency of the security; change_pct is
    the change against the close before. ia contacts no source: `ia sync` fetches new prices. Topics have no symbol.
    Status 1 if the list is empty.
    """
    from ia.kernel.workspace import Workspace
    from ia.wiring.watched_securities import COLUMNS, quote_watched
    from ia_cli.terminal.market_tables import emit_market_rows

    rows, missing = quote_watched(Workspace(), group, notify)
    if not rows:
        empty = NotFound("the watch list is empty", hint="add a security with `ia watch add 600519`")
        emit_list(ctx, rows, COLUMNS, empty, as_json=as_json, as_jsonl=as_jsonl)
    brief = [name for name in BRIEF if name in BRIEF[:2] or any(row[name] not in (None, "") for row in rows)]
    emit_market_rows(rows, COLUMNS, brief=brief, as_json=as_json, as_jsonl=as_jsonl)
    for error in missing:
        tell_error(error)


def _refuse_unknown(words: list[str], wanted: "list[Symbol]") -> None:
    """Refuse letters that only look like a ticker: no name is known for them, and their market is not given.

    raises  NotFound.
    """
    for word, symbol in zip(words, wanted, strict=True):
        if not symbol.name and word.strip().isalpha():
            raise NotFound(
                "{text}: ia knows no security of this name or code",
                text=word.strip(),
                symbol=symbol.canonical,
                hint="if it is a US ticker, write `ia watch add {symbol}`; `ia memory track` takes topics",
            )


def _split_words(words: tuple[str, ...]) -> list[str]:
    """Return the securities of some words: `600519,300750` is two.

    raises  UsageError for a sentence, which is rather a reason.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.wiring.security_mentions import split_securities

    parts = [part for word in words for part in split_securities(word) or [word]]
    for at, part in enumerate(parts):
        if at and len(part.split()) > 1:
            try:
                resolve_security(part)
            except NotFound:
                raise UsageError(
                    "{text!r} is not a security", text=part, hint='give a reason with `--because "{text}"`'
                ) from None
    return parts
