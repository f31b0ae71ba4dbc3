"""`ia note`: the hand."""

import sys

import click

from ia_cli._group import Group
from ia_cli._in import text_or_stdin
from ia_cli._options import rows_options
from ia_cli._out import emit_rows, notify


@click.group(cls=Group, fallback="write", example="ia note research/宁德时代/2024-03-15 '产能利用率下降，毛利率承压'")
def note() -> None:
    """Write, read and search notes.

    Notes are Markdown files below notebook/ of the workspace. PATH is relative to it; `.md` may be left out. Every
    write keeps what was there before (`ia memory undo PATH` brings it back) and enters the note in memory/MEMORY.md.
    """


@note.command(example="echo '看好储能' | ia note write scratch/ideas")
@click.argument("path")
@click.argument("text", required=False)
def write(path: str, text: str | None) -> None:
    """Write a note, replacing what was there.

    TEXT is the argument or standard input. Prints the path written. `ia note PATH TEXT` means the same.
    """
    _put(path, text, append=False)


@note.command(example="ia note append scratch/ideas '再看一眼海外储能'")
@click.argument("path")
@click.argument("text", required=False)
def append(path: str, text: str | None) -> None:
    """Add to the end of a note.

    TEXT is the argument or standard input. The note is made if it is not there. Prints the path written.
    """
    _put(path, text, append=True)


def _put(path: str, text: str | None, *, append: bool) -> None:
    from ia import notebook
    from ia.pipes import note_written
    from ia.workspace import Workspace

    ws = Workspace()
    notebook.path_of(ws, path)  # before standard input is read to its end
    body = text_or_stdin(text)
    with ws.lock():
        written = (notebook.append if append else notebook.write)(ws, path, body)
        note_written(ws, written, notify=notify)
    sys.stdout.write(written + "\n")


@note.command(example="ia note scratch/ideas 看好储能; ia note read scratch/ideas")
@click.argument("path")
def read(path: str) -> None:
    """Print a note."""
    from ia import notebook
    from ia.workspace import Workspace

    sys.stdout.write(notebook.read(Workspace(), path))


@note.command("list", example="ia note list research")
@click.argument("folder", required=False, default="")
@rows_options
@click.pass_context
def list_(ctx: click.Context, folder: str, as_json: bool, as_jsonl: bool) -> None:
    """List notes, by path. Status 1 where there are none."""
    from ia import notebook
    from ia.workspace import Workspace

    rows = [entry._asdict() for entry in notebook.entries(Workspace(), folder)]
    emit_rows(rows, ("path", "time", "title"), as_json=as_json, as_jsonl=as_jsonl)
    ctx.exit(0 if rows else 1)


@note.command(example="ia note scratch/ideas 看好储能; ia note search 储能")
@click.argument("words")
@click.argument("folder", required=False, default="")
@rows_options
@click.pass_context
def search(ctx: click.Context, words: str, folder: str, as_json: bool, as_jsonl: bool) -> None:
    """Print the lines that contain all WORDS, by path. Status 1 where there are none.

    `ia recall` ranks whole notes and looks into the memory as well.
    """
    from ia import notebook
    from ia.workspace import Workspace

    found = notebook.search(Workspace(), words, folder)
    rows = [{"path": path, "line": line, "text": text} for path, line, text in found]
    emit_rows(rows, ("path", "line", "text"), as_json=as_json, as_jsonl=as_jsonl)
    ctx.exit(0 if rows else 1)


@note.command(example="ia note scratch/ideas 看好储能; ia note remove scratch/ideas")
@click.argument("path")
def remove(path: str) -> None:
    """Remove a note and print its path; `ia memory undo PATH` brings it back."""
    from ia import notebook
    from ia.pipes import note_written
    from ia.workspace import Workspace

    ws = Workspace()
    with ws.lock():
        removed = notebook.remove(ws, path)
        note_written(ws, removed, notify=notify)
    sys.stdout.write(removed + "\n")
