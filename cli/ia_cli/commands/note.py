"""`ia note`: the hand."""

import re
import sys

import click

from ia.kernel.errors import Message, NotFound, PluralText, UsageError
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.input import stdin_is_idle, text_or_stdin
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.markdown import emit_note
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, notify

_MEANT = {
    "show": "read",
    "cat": "read",
    "view": "read",
    "get": "read",
    "rm": "remove",
    "delete": "remove",
    "ls": "list",
    "find": "search",
    "add": "append",
    "new": "write",
    "help": "--help",
}
"""Words that people try, and the verb that does it."""
_BY_HAND = ("edit", "mv")
_PLAIN = re.compile(r"[^\W\d_]{2,}")
"""A bare word: two of them are more likely a text without a path than a path and a text."""


class _Notes(CommandGroup):
    """Writes what is no verb, but not where it is likely that a verb was meant: `ia note show x` is no note `show`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0] if args else ""
        if word.isascii() and word.isalpha() and word not in self.commands:
            self._refuse_verbs(word)
        words = [each for each in args if not each.startswith("-")]
        if word not in self.commands and (len(words) > 2 or (len(words) == 2 and all(map(_PLAIN.fullmatch, words)))):
            import shlex

            raise UsageError(
                "a note needs a path and one text, and these are {count} words",
                count=len(words),
                quoted=shlex.quote(" ".join(words)),
                hint="put the text in quotation marks: `ia note scratch/ideas {quoted}`",
            )
        return super().resolve_command(ctx, args)

    def _refuse_verbs(self, word: str) -> None:
        typed = word.lower()
        if typed in _BY_HAND:
            raise UsageError(
                "no such command: {typed}",
                typed=word,
                hint="notes are files below notebook/ that you can edit or move; to write a note of this name, run "
                "`ia note write {typed} TEXT`",
            )
        verb = _MEANT.get(typed) or _closest_verb(typed, [*self.commands, *_MEANT])
        if verb:
            raise UsageError(
                "no such command: {typed}",
                typed=word,
                verb=_MEANT.get(verb, verb),
                hint="did you mean `ia note {verb}`? To write a note of this name, run `ia note write {typed} TEXT`",
            )


def _closest_verb(typed: str, verbs: list[str]) -> str:
    """Return the verb of four letters or more that a word is a slip of: letters swapped, one missing, added, wrong."""

    def is_slip(verb: str) -> bool:
        if len(verb) < 4 or abs(len(verb) - len(typed)) > 1:
            return False
        if len(verb) == len(typed):
            wrong = sum(a != b for a, b in zip(verb, typed, strict=True))
            return sorted(verb) == sorted(typed) or (wrong == 1 and len(verb) > 4)  # lead is no slip of read
        longer, shorter = sorted((verb, typed), key=len, reverse=True)
        return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))

    return next(filter(is_slip, verbs), "")


@click.group(cls=_Notes, fallback="write", example="ia note research/宁德时代/2024-03-15 '产能利用率下降，毛利率承压'")
def note() -> None:
    """Write, read and search notes.

    Notes are Markdown files below notebook/ in the workspace. PATH is relative to notebook/; `.md` is optional. Every
    write saves the previous text (`ia memory undo PATH` restores it) and lists the note in memory/MEMORY.md.
    """


@note.command(example="echo '看好储能' | ia note write scratch/ideas")
@click.argument("path")
@click.argument("text", required=False)
@json_option
def write(path: str, text: str | None, as_json: bool) -> None:
    """Write a note, replacing any existing text.

    TEXT is an argument or standard input. Prints the path written. `ia note PATH TEXT` does the same.
    """
    _write_note(path, text, append=False, as_json=as_json)


@note.command(example="ia note append scratch/ideas '再看一眼海外储能'")
@click.argument("path")
@click.argument("text", required=False)
@json_option
def append(path: str, text: str | None, as_json: bool) -> None:
    """Append text to a note.

    TEXT is an argument or standard input. ia creates the note if it does not exist. Prints the path written.
    """
    _write_note(path, text, append=True, as_json=as_json)


def _write_note(path: str, text: str | None, *, append: bool, as_json: bool) -> None:
    from ia.kernel.workspace import Workspace
    from ia.organs import notebook

    ws = Workspace()
    notebook.path_of(ws, path)  # before standard input is read to its end
    wordy = " " in path.strip() or ("/" not in path and len(path) > 6 and not path.isascii())
    if text is None and wordy and stdin_is_idle():  # a text that was given without a path
        import shlex

        hint = "a note needs a path: `ia note scratch/ideas {quoted}`"
        raise UsageError("no text for the note {path}", path=path[:60], quoted=shlex.quote(path), hint=hint)
    body = text_or_stdin(text)
    _print_path((notebook.append_note if append else notebook.write_note)(ws, path, body), as_json)


def _print_path(path: str, as_json: bool) -> None:
    if as_json:
        emit_json({"path": path})
    else:
        sys.stdout.write(path + "\n")


@note.command(example="ia note scratch/ideas 看好储能; ia note read scratch/ideas")
@click.argument("path")
def read(path: str) -> None:
    """Print a note: rendered at a terminal, as it is into a pipe."""
    from ia.kernel.workspace import Workspace
    from ia.organs import notebook
    from ia.wiring.indexing import notice_changes

    ws = Workspace()
    notice_changes(ws)
    emit_note(notebook.read_note(ws, path))


@note.command("list", example="ia note research/储能 看好; ia note list research")
@click.argument("folder", required=False, default="")
@click.option("--all", "everything", is_flag=True, help="List what ia wrote, too (default: your own notes).")
@rows_options
@click.pass_context
def list_(ctx: click.Context, folder: str, everything: bool, as_json: bool, as_jsonl: bool) -> None:
    """List your own notes, by path. Status 1 if there are none.

    Reports and research notes that ia wrote are counted on stderr. With --all, and in a FOLDER that you name, all notes
    are listed. JSON has them all; author is owner or ia.
    """
    from ia.kernel.workspace import Workspace
    from ia.wiring.indexing import notice_changes
    from ia.wiring.note_authors import list_authored

    ws = Workspace()
    notice_changes(ws)
    found = list_authored(ws, folder)
    if not (everything or folder or as_json or as_jsonl):
        own = [note for note in found if note.author == "owner"]
        if written := len(found) - len(own):
            about = PluralText(
                "{count} note written by ia: `ia note list --all`", "{count} notes written by ia: `ia note list --all`"
            )
            notify(Message(about, count=written))
        found = own
    rows = [{**entry._asdict(), "author": author} for entry, author in found]
    empty = NotFound("no notes yet", hint="write one with `ia note PATH TEXT`")
    emit_list(ctx, rows, ("path", "time", "title"), empty, as_json=as_json, as_jsonl=as_jsonl)


@note.command(example="ia note scratch/ideas 看好储能; ia note search 储能")
@click.argument("words")
@click.argument("folder", required=False, default="")
@rows_options
@click.pass_context
def search(ctx: click.Context, words: str, folder: str, as_json: bool, as_jsonl: bool) -> None:
    """Print note lines that contain all WORDS, by path. Status 1 if none do.

    `ia recall` ranks whole notes and also searches the memory.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import notebook
    from ia.wiring.indexing import notice_changes

    ws = Workspace()
    notice_changes(ws)
    found = notebook.search_notes(ws, words, folder)
    rows = [{"path": path, "line": line, "text": text} for path, line, text in found]
    empty = NotFound("no line in the notes contains these words", hint="`ia recall` also searches the memory")
    emit_list(ctx, rows, ("path", "line", "text"), empty, as_json=as_json, as_jsonl=as_jsonl)


@note.command(example="ia note scratch/ideas 看好储能; ia note remove scratch/ideas")
@click.argument("path")
@json_option
def remove(path: str, as_json: bool) -> None:
    """Remove a note and print its path; `ia memory undo PATH` restores it."""
    from ia.kernel.workspace import Workspace
    from ia.organs import notebook

    _print_path(notebook.remove_note(Workspace(), path), as_json)
