"""`ia log`: the audit trail."""

import sys

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import format_value, tell_empty
from ia_cli.terminal.wide_tables import emit_wide_rows

COLUMNS = ("id", "time", "kind", "subject", "actor", "data")


@click.command(cls=Command, example="ia note scratch/ideas 看好储能; ia log --kind note --since 2024-01-01 --json")
@click.option(
    "--kind", metavar="KIND", help="Only this kind of event; `note` includes note.write, note.remove and so on."
)
@click.option("--subject", metavar="TEXT", help="Only events about this path, symbol or id.")
@click.option("--actor", metavar="NAME", help="Only events by this actor (user, model, task).")
@click.option("--since", metavar="TIME", help="Only events at or after this time.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000),
    default=50,
    show_default=True,
    help="Maximum number of events, newest first.",
)
@rows_options
@click.pass_context
def log(
    ctx: click.Context,
    kind: str | None,
    subject: str | None,
    actor: str | None,
    since: str | None,
    limit: int,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Read the audit trail.

    Every turn, tool call, task run, proposal, approval, note, fetch and change of soul or belief is an event with
    time, kind, subject and actor. Newest first. Status 1 if no event matches.
    """
    from datetime import datetime
    from textwrap import shorten

    from ia.kernel import audit, clock
    from ia.kernel.workspace import Workspace, to_local

    start = clock.utc_stamp(clock.parse_since(since)) if since else None
    ws = Workspace()
    found = audit.events(ws.db, kind=kind, subject=subject, actor=actor, since=start, limit=limit)
    rows = [event._asdict() for event in found]
    if not as_json and not as_jsonl:
        for row in rows:
            row["data"] = " ".join(f"{key}={format_value(value)}" for key, value in row["data"].items())
            row["subject"] = row["subject"] or ""
            if sys.stdout.isatty():
                row["time"] = f"{to_local(datetime.fromisoformat(row['time'])):%Y-%m-%d %H:%M:%S}"
                row["data"] = shorten(row["data"], 120, placeholder=" …")
    heads = {name: name for name in COLUMNS}
    free = {"subject": 24, "data": 30}
    emit_wide_rows(rows, COLUMNS, heads, spare=("data", "actor"), free=free, as_json=as_json, as_jsonl=as_jsonl)
    if not rows:
        tell_empty("no matching events")
        ctx.exit(1)
