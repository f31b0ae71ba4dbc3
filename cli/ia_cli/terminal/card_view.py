"""Cards at the terminal: a panel of named values, tables, lists and paragraphs, as wide as the terminal."""

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ia_cli.terminal.output import escape_controls, terminal_width
from ia_cli.terminal.text import lang

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ia.faculties.pictures.cards import CardBlock
    from ia.kernel.workspace import Workspace

MAX_WIDTH = 100


def print_cards(ws: "Workspace", cards: Iterable[Mapping[str, Any]], said: str = "") -> None:
    """Print cards: as panels on a terminal, as their text into a pipe.

    said  what the user said: the cards are in its language, as the answer is
    """
    from ia.agent.analyst.voice import language
    from ia.agent.tools.skill_tools import lay_out
    from ia.faculties.pictures.cards import format_card_text

    spoken = language(said, lang())
    for card in cards:
        title, blocks = lay_out(ws, card, spoken)
        if sys.stdout.isatty():
            sys.stdout.write(render_card(title, blocks, terminal_width()))
        else:
            sys.stdout.write("\n" + format_card_text(title, blocks) + "\n")
    sys.stdout.flush()


def render_card(title: str, blocks: "list[CardBlock]", width: int = 80, *, color: bool | None = None) -> str:
    """Return a card as a panel of at most `width` columns. color: default as the environment says."""
    import io

    from rich.console import Console, Group
    from rich.panel import Panel
    from rich.text import Text

    from ia.kernel import config

    plain = bool(config.env("NO_COLOR")) if color is None else not color
    console = Console(
        file=io.StringIO(), width=min(width, MAX_WIDTH), force_terminal=not plain, no_color=plain, highlight=False
    )
    parts: list[RenderableType] = []
    for block in blocks:
        parts += [Text("")] if parts else []
        parts += [Text(escape_controls(block.title), style="bold")] if block.title else []
        parts.append(_draw_block(block))
    console.print(Panel(Group(*parts), title=Text(escape_controls(title)), title_align="left", padding=(0, 1)))
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


def _draw_block(block: "CardBlock") -> "RenderableType":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    if block.kind == "pairs":
        grid = Table.grid(padding=(0, 2))
        grid.add_column(overflow="fold", max_width=28)
        grid.add_column(overflow="fold")
        for name, value in block.rows:
            grid.add_row(Text(escape_controls(name)), Text(escape_controls(value)))
        return grid
    if block.kind == "table":
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for name in block.head:
            table.add_column(Text(escape_controls(name)), overflow="fold")
        for row in block.rows:
            table.add_row(*(Text(escape_controls(cell)) for cell in row))
        return table
    mark = "- " if block.kind == "list" else ""
    return Text("\n".join(mark + escape_controls(row[0]) for row in block.rows), overflow="fold")
