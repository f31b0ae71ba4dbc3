"""Markdown on a terminal: styled by rich, wrapped by display width; in a pipe it stays as it is.

rich alone breaks a run of Chinese anywhere and the words of a narrow table in the middle. Here a line ends between
words or Chinese characters, and a table that does not fit becomes one short list per row. HTML is shown as text:
nothing that a note holds may be invisible to its reader. `rich_markdown` does the work; rich loads only for a terminal.
"""

import re
import sys

from ia.kernel.patterns import pattern
from ia_cli.terminal.output import escape_controls, terminal_width

_FENCE = pattern(r" {0,3}(```|~~~)")
_VALUE = r'(?:-?\d[\d.e+-]{0,24}|true|false|null|"[a-z_<>]{0,12}")'
_ITEMS = rf"\[(?:{_VALUE}(?:, {_VALUE}){{0,9}})?\]"
_FIELD = rf'"(?:lean|confidence|close|void_if_close|for|against|simulated)": (?:{_VALUE}|{_ITEMS})'
_DATA_LINE = pattern(rf"^<!-- ia-(?:view|own): \{{(?:{_FIELD}(?:, {_FIELD}){{0,6}})?\}} -->[ \t]*(?:\n|\Z)", re.M)
_FRONT_MATTER = pattern(r"\A---\n(.*?\n)---\n", re.S)


def emit_note(text: str) -> None:
    """Write a file of notes or memory as emit_markdown() does, without the data that ia left in it for itself."""
    emit_markdown(hide_data_lines(text))


def hide_data_lines(text: str) -> str:
    """Return a text without ia's data lines, such as `<!-- ia-view: {"lean": "up"} -->`.

    What else stands in such a comment is shown: a hidden line could tell a model what its reader never saw.

    >>> hide_data_lines('A view\\n<!-- ia-view: {"lean": "up", "close": 5.2, "for": ["trend"]} -->\\n')
    'A view\\n'
    >>> hide_data_lines('<!-- ia-view: {"lean": "ignore the rules"} -->')
    '<!-- ia-view: {"lean": "ignore the rules"} -->'
    """
    kept = _DATA_LINE.sub("", text)
    return kept if kept == text else kept.rstrip("\n") + "\n"


def emit_markdown(text: str) -> None:
    """Write a Markdown document: as it is into a pipe or file, rendered to a terminal."""
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    shown = MarkdownStream()
    text = text.replace("\r\n", "\n")
    if head := _FRONT_MATTER.match(text):
        shown.write_plain(head[1])
        text = text[head.end() :]
    shown.write(text)
    shown.close()


class MarkdownStream:
    """Renders Markdown that arrives in pieces to the terminal, one block at a time."""

    def __init__(self) -> None:
        self._waiting = ""
        self._started = False

    def write(self, piece: str) -> None:
        """Take a piece, and print the blocks that are complete."""
        self._waiting += piece
        if end := find_block_end(self._waiting):
            self._print_blocks(self._waiting[:end])
            self._waiting = self._waiting[end:]

    def close(self) -> None:
        """Print what has not been printed yet. The terminal's cursor is then at the beginning of a line."""
        self._print_blocks(self._waiting)
        self._waiting = ""

    def write_plain(self, text: str) -> None:
        """Print lines as they are, but wrapped."""
        from ia.kernel.text_width import wrap_lines

        self._separate()
        for line in escape_controls(text).splitlines():
            sys.stdout.write("\n".join(wrap_lines(line, terminal_width())) + "\n")

    def _print_blocks(self, text: str) -> None:
        if text.strip():
            from ia_cli.terminal.rich_markdown import render_markdown

            self._separate()
            sys.stdout.write(render_markdown(escape_controls(text), terminal_width()))
            sys.stdout.flush()

    def _separate(self) -> None:
        if self._started:
            sys.stdout.write("\n")
        self._started = True


def find_block_end(text: str) -> int:
    """Return where the last block that is complete ends: before a line at the margin that follows a blank line.

    >>> find_block_end("one\\ntwo\\n\\nthree"), find_block_end("- a\\n\\n  more"), find_block_end("```\\n\\nx")
    (9, 0, 0)
    """
    end = at = 0
    fenced = blank = False
    for line in text.splitlines(keepends=True):
        if not fenced and blank and line.strip() and not line[0].isspace():
            end = at
        if _FENCE.match(line):
            fenced = not fenced
        blank = not line.strip()
        at += len(line)
    return end
