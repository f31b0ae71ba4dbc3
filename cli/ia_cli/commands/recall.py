"""`ia recall`: finding what was written."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, NotFound
from ia_cli.terminal.group import Command
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import Row, emit_rows, escape_controls, notify
from ia_cli.terminal.security_names import localize_text
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace
    from ia.organs.recall.vectors import Meaning

COLUMNS = ("source", "date", "score", "content", "kind", "author")


@click.command(cls=Command, example="ia note scratch/ideas 茅台的估值不便宜; ia recall '茅台 估值'")
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=10, help="Maximum number of notes (default: 10).")
@click.option("--since", metavar="DATE", help="Only notes from this day or later.")
@click.option(
    "--in",
    "areas",
    metavar="A[,B…]",
    help="Areas to search: memory, notebook, journal, knowledge, trades, sessions (default: all).",
)
@click.option("--vectors", is_flag=True, help="Ask the configured embeddings service, too; it gets the query.")
@rows_options
@click.pass_context
def recall(
    ctx: click.Context,
    query: tuple[str, ...],
    limit: int,
    since: str | None,
    areas: str | None,
    vectors: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Search notes, memory, reasons of trades and questions of sessions; the best match comes first.

    If the query is a few words, all of them must occur; this includes Chinese words of one or two characters. If
    nothing has them all, ia says so and lists what has some. If it is a question, ia ranks notes by its words.
    Newer notes rank slightly higher, and your own words rank above what a model, the analyst or a report wrote; the
    best score is 1. If the query names a security, notes about others are left out. Questions that you asked come
    last. ia finds files edited by hand at once. Status 1 if nothing is found.

    A source is a file of the workspace, trades/NUMBER (`ia trade list`) or sessions/ID (`ia session show ID`).
    kind is note, research, report, observation, belief, journal, trade, question and so on; author is owner, ia, or
    outside (documents of `ia knowledge`). With --vectors ia also finds what has none of the words, among the areas that
    `ia knowledge index --embed` has embedded.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.recall.search import AREAS
    from ia.wiring.indexing import notice_changes
    from ia.wiring.searchable_records import recall_everything

    chosen = tuple(area.strip() for area in areas.split(",") if area.strip()) if areas else AREAS
    ws = Workspace()
    look = notice_changes(ws)
    many = limit if areas else 2 * limit
    meaning = _find_meaning(ws) if vectors else None
    hits = recall_everything(
        ws,
        " ".join(query),
        limit=many,
        since=since,
        areas=chosen,
        notify=notify,
        look=look,
        meaning=meaning,
        tell_partial=lambda: notify(Message("nothing has all of these words; what follows has some of them")),
    )
    if not areas:  # a question of yours answers nothing, but leads to the session that does
        hits = sorted(hits, key=lambda hit: hit.kind == "question")[:limit]
    told = {"vectors": meaning.used is True} if meaning else {}
    rows = [{**hit._asdict(), **told} for hit in hits]
    if not (as_json or as_jsonl):
        rows = [{**row, "content": localize_text(row["content"])} for row in rows]
    empty = NotFound("no matching notes or memory", hint="try fewer or other words")
    emit_list(ctx, rows, COLUMNS, empty, as_json=as_json, as_jsonl=as_jsonl, emit=_emit_hits)


def _find_meaning(ws: "Workspace") -> "Meaning":
    """Return what asks the embeddings service; raises ConfigError where none is set."""
    from ia.kernel.errors import ConfigError
    from ia.organs.recall.vectors import find_meaning

    found = find_meaning(ws, notify)
    if found is None:
        raise ConfigError("no embeddings service is set", hint="ia config set embedding.url URL")
    return found


def _emit_hits(rows: Sequence[Row], columns: Sequence[str], *, as_json: bool = False, as_jsonl: bool = False) -> None:
    """Write hits: at a terminal, where each stands and what it is on one line, and below it the lines quoted."""
    if as_json or as_jsonl or not sys.stdout.isatty():
        emit_rows(rows, columns, as_json=as_json, as_jsonl=as_jsonl)
        return
    from ia.kernel.text_width import wrap_lines
    from ia_cli.terminal.output import terminal_width

    width = terminal_width()
    for row in rows:
        kind = tr(row["kind"]) if row["kind"] != "note" else ""  # a note is told by its path
        by = say("by ia") if row["author"] == "ia" else ""
        head = "  ".join(filter(None, (row["source"], row["date"], kind, by, str(row["score"]))))
        for line in wrap_lines(escape_controls(head), width):
            sys.stdout.write(f"{line}\n")
        for quoted in escape_controls(row["content"]).splitlines():
            for line in wrap_lines(quoted, width - 2):
                sys.stdout.write(f"  {line}".rstrip() + "\n")
