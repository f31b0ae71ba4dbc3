"""Help in Chinese, wrapped: a character takes two columns, and a line may end after any but within no Latin word."""

import re
from collections.abc import Iterable

import click

from ia.kernel.text_width import display_width

_PIECES = (
    r"\s+|[（《“‘「]*(?:[\u2e80-\u9fff\uf900-\ufaff]|[^\s\u2e80-\u9fff\uf900-\uffef（《“‘「]+)?"
    r"[，。；：、）》”’」！？…]*"
)


class Formatter(click.HelpFormatter):
    """Click's formatter; what holds Chinese it wraps by columns."""

    def write_text(self, text: str) -> None:
        if not has_wide_characters(text):
            super().write_text(text)
            return
        indent = " " * self.current_indent
        for at, paragraph in enumerate(text.split("\n\n")):
            if at:
                self.write("\n")
            raw = paragraph.startswith("\b")
            lines = paragraph.split("\n")[1:] if raw else wrap_text(paragraph, max(self.width - len(indent), 11))
            self.write("".join(f"{indent}{line}".rstrip() + "\n" for line in lines))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        rows = list(rows)
        if not any(has_wide_characters(text) for _, text in rows):
            super().write_dl(rows, col_max, col_spacing)
            return
        column = min(max(map(display_width, (name for name, _ in rows)), default=0), col_max) + col_spacing
        indent = " " * self.current_indent
        for name, text in rows:
            lines = wrap_text(text, max(self.width - column - len(indent) - 2, 10))
            gap = column - display_width(name)
            if gap >= col_spacing:
                lines[:1] = [name + " " * gap + line for line in lines[:1]] or [name]
                rest = lines[1:]
                self.write(f"{indent}{lines[0]}\n")
            else:
                self.write(f"{indent}{name}\n")
                rest = lines
            self.write("".join(f"{indent}{' ' * column}{line}\n" for line in rest))


def has_wide_characters(text: str) -> bool:
    """Whether a text holds Chinese."""
    return any("\u2e80" <= char <= "\uffef" for char in text)


def wrap_text(text: str, width: int) -> list[str]:
    """Return a text as lines of so many columns. No line begins with a closing mark, nor ends with an opening one."""
    lines, line, used = [], "", 0
    for piece in re.findall(_PIECES, " ".join(text.split())):
        if line and used + display_width(piece.rstrip()) > width:
            lines.append(line.rstrip())
            line, used = "", 0
        if line or piece.strip():
            line, used = line + piece, used + display_width(piece)
    return [*lines, line.rstrip()] if line.strip() else lines
