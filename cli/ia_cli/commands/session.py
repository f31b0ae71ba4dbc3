"""`ia session`: what was said, session by session."""

from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound
from ia_cli.terminal.group import Command, Group
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, notify

if TYPE_CHECKING:
    from ia.organs.sessions import Session

WAIT = 10.0  # seconds for a turn that is under way in the session


@click.group(cls=Group, example="ia turn -s maotai '看看贵州茅台'; ia session list")
def session() -> None:
    """List, show, prune and delete sessions.

    `ia turn -s ID` goes on where the session ID ended. One session knows nothing of another. What is pruned or deleted
    here is no longer sent to a model; the database keeps it.
    """


@session.command("list", cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session list --json")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the sessions, the one that was active last first. Status 1 where there are none.

    JSON has the summary of what was pruned as well.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    rows = [_row(found, people=not (as_json or as_jsonl)) for found in sessions.listed(Workspace())]
    empty = NotFound("no sessions yet", hint="`ia turn -s ID MESSAGE` begins one")
    columns = ("id", "last_active", "created", "messages", "tokens")
    listed(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl)


@session.command(cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session show maotai --json")
@click.argument("id", metavar="ID")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000_000), help="Only the newest so many.")
@click.option("--summary", is_flag=True, help="Print the summary of what was pruned instead.")
@rows_options
@click.pass_context
def show(ctx: click.Context, id: str, limit: int | None, summary: bool, as_json: bool, as_jsonl: bool) -> None:
    """Print the messages of a session that are not pruned, oldest first. Status 1 where there are none.

    importance is 0 for talk, 1 for a trade that was made, 2 for a judgment on the market's main line; what is above 0
    is never pruned. origins tell where text came from that is not the user's.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    found = sessions.find(ws, id)
    if summary:
        if as_json or as_jsonl:
            emit_json({"id": found.id, "summary": found.summary})
        elif found.summary:
            emit_text(found.summary + "\n")
        ctx.exit(0 if found.summary else 1)
    rows = []
    for message in sessions.history(ws, id)[-limit if limit else 0 :]:
        row = {**message._asdict(), "time": message.created, "origins": list(message.origins)}
        del row["created"], row["deleted"], row["session"]
        rows.append(row)
    empty = NotFound("{id}: no messages", id=found.id)
    columns = ("id", "time", "role", "importance", "content")
    listed(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, seconds=True)


@session.command(cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session prune maotai --tokens 2000")
@click.argument("id", metavar="ID")
@click.option(
    "--tokens", "limit", metavar="TOKENS", type=click.IntRange(0, 1_000_000_000), default=80_000, show_default=True,
    help="How many tokens of messages may stay.",
)  # fmt: skip
@json_option
def prune(id: str, limit: int, as_json: bool) -> None:
    """Drop the oldest talk of a session until it is short enough; `ia turn` does it by itself.

    A question goes with its answers, and one line of them enters the summary. Trades, judgments on the main line and
    the newest exchange stay.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    sessions.find(ws, id)
    with sessions.queue(ws, id, WAIT):
        dropped = sessions.prune(ws, id, limit)
        found = sessions.find(ws, id)
    if as_json:
        emit_json({"dropped": dropped, **_row(found, people=False)})
    else:
        notify(
            Message(
                "{dropped} messages of session {id} are pruned; {messages} with about {tokens} tokens stay",
                dropped=dropped, id=found.id, messages=found.messages, tokens=found.tokens,
            )
        )  # fmt: skip


@session.command(cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session delete maotai")
@click.argument("id", metavar="ID")
@json_option
def delete(id: str, as_json: bool) -> None:
    """Delete a session; a new one of this name begins empty. Prints its name."""
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    found = sessions.find(ws, id)
    with sessions.queue(ws, id, WAIT):
        sessions.delete(ws, id)
    if as_json:
        emit_json(_row(found, people=False))
    else:
        click.echo(found.id)


@session.command(cls=Command, example="ia turn -s maotai '今天买入了 100 股'; ia session mark 1 1")
@click.argument("number", type=click.IntRange(1), metavar="MESSAGE")
@click.argument("importance", type=click.IntRange(0, 2), metavar="IMPORTANCE")
def mark(number: int, importance: int) -> None:
    """Correct the importance of a message: 0 talk, 1 a trade, 2 a judgment on the main line.

    MESSAGE is its number in `ia session show`.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    sessions.mark(Workspace(), number, importance)


def _row(found: "Session", *, people: bool) -> dict[str, Any]:
    row = found._asdict()
    if people:
        from datetime import datetime

        from ia.kernel.workspace import local

        for name in ("created", "last_active"):
            row[name] = local(datetime.fromisoformat(row[name])).strftime("%Y-%m-%d %H:%M")
    return row
