"""`ia recall`: finding what was written."""

import sys
from functools import partial

import click

from ia.kernel.errors import NotFound
from ia_cli.terminal.group import Command
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import notify
from ia_cli.terminal.wide_tables import emit_wide_rows

COLUMNS = ("source", "date", "score", "content")
SHOWN = 160
"""So much of a passage stands in a terminal's table."""


@click.command(cls=Command, example="ia note scratch/ideas 茅台的估值不便宜; ia recall '茅台 估值'")
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=10, help="Maximum number of notes (default: 10).")
@click.option("--since", metavar="DATE", help="Only notes from this day or later.")
@click.option(
    "--in", "areas", metavar="A[,B…]", help="Areas to search: memory, notebook, journal, knowledge (default: all)."
)
@rows_options
@click.pass_context
def recall(
    ctx: click.Context,
    query: tuple[str, ...],
    limit: int,
    since: str | None,
    areas: str | None,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Search notes and memory; the best match comes first.

    If the query is a few words, all of them must occur; this includes Chinese words of one or two characters. If it is
    a question, ia ranks notes by its words. Newer notes rank slightly higher; the best score is 1. ia finds files
    edited by hand at once. Status 1 if nothing is found.
    """
    from textwrap import shorten

    from ia.kernel.workspace import Workspace
    from ia.organs.recall.search import AREAS
    from ia.organs.recall.search import recall_notes as find
    from ia.wiring.indexing import notice_changes

    chosen = tuple(area.strip() for area in areas.split(",") if area.strip()) if areas else AREAS
    ws = Workspace()
    look = notice_changes(ws)
    hits = find(ws, " ".join(query), limit=limit, since=since, areas=chosen, notify=notify, look=look)
    rows = [hit._asdict() for hit in hits]
    if sys.stdout.isatty() and not as_json and not as_jsonl:
        for row in rows:
            row["content"] = shorten(row["content"], SHOWN, placeholder=" …")
    empty = NotFound("no matching notes or memory", hint="try fewer or other words")
    heads = {name: name for name in COLUMNS}
    emit = partial(emit_wide_rows, heads=heads, spare=("score",), free={"source": 24, "content": 30})
    emit_list(ctx, rows, COLUMNS, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)
