"""Markdown for a terminal by rich, with elements that wrap by display width. Import it only where rich may load."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import markdown
from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.containers import Lines
from rich.padding import Padding
from rich.segment import Segment, SegmentLines
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from ia.kernel import config
from ia.kernel.text_width import PIECES, break_offsets, display_width

_CLOSE = "close"
"""Mark of the items of a list that follows a paragraph without a blank line."""
GAP = 2
"""Columns between two columns of a table."""
_TEXTLIKE = 12
"""Least columns of a table cell whose Chinese text may break anywhere."""
_STYLES = {
    **{f"h{level}": "bold" for level in range(2, 7)},
    "h1": "bold underline",
    "code": "cyan",
    "code_block": "cyan",
    "block_quote": "italic",
    "item.bullet": "bold",
    "item.number": "bold",
    "hr": "dim",
}
"""Styles that can be read on a light terminal as well as on a dark one."""


def render_markdown(text: str, width: int) -> str:
    """Return Markdown as lines for a terminal of so many columns; styled unless NO_COLOR or TERM says not to."""
    plain = bool(config.env("NO_COLOR")) or config.env("TERM") in ("dumb", "unknown", None)
    console = Console(
        width=width,
        force_terminal=not plain,
        color_system=None if plain else "standard",
        emoji=False,
        theme=Theme({f"markdown.{name}": style for name, style in _STYLES.items()}),
    )
    lines = []
    for line in console.render_lines(_Document(text), console.options.update(height=None), pad=False):
        while line and not line[-1].text.strip():
            line.pop()
        if line:
            line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
        lines.append(line)
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        del lines[0]
    with console.capture() as captured:
        console.print(SegmentLines(lines, new_lines=True), end="")
    return captured.get()


class _WrappedText(Text):
    """A text whose lines end between words or Chinese characters."""

    def wrap(self, console: Console, width: int, *, justify: Any = None, **_: Any) -> Lines:
        lines = Lines()
        for line in self.split(allow_blank=True):
            line.expand_tabs(4)
            for part in line.divide(break_offsets(line.plain, width)):
                part.rstrip()
                if justify in ("right", "center"):
                    part.align(justify, width)
                lines.append(part)
        return lines


def _copy_wrapped(text: Text) -> _WrappedText:
    copy = _WrappedText()
    copy.append_text(text)
    return copy


class _Paragraph(markdown.Paragraph):
    def on_enter(self, context: markdown.MarkdownContext) -> None:
        super().on_enter(context)
        self.text = _WrappedText()


class _Heading(markdown.Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _copy_wrapped(self.text)


class _ListItem(markdown.ListItem):
    """An item; rich asks the last one of a list whether a blank line stands before the list."""

    @classmethod
    def create(cls, markdown: markdown.Markdown, token: Token) -> "_ListItem":
        return _CloseListItem() if token.meta.get(_CLOSE) else _ListItem()


class _CloseListItem(_ListItem):
    new_line = False


class _CodeBlock(markdown.CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(_WrappedText(str(self.text).rstrip("\n"), style=self.style), (0, 0, 0, 2))


class _BlockQuote(markdown.BlockQuote):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(options.max_width - 2, 1))
        for line in console.render_lines(self.elements, inner, style=self.style):
            yield Segment("│ ", self.style)
            yield from line
            yield Segment("\n")


class _TableElement(markdown.TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        head = self.header.row.cells if self.header and self.header.row else []
        rows = [row.cells for row in self.body.rows] if self.body else []
        cells = [[_copy_wrapped(cell.content) for cell in row] for row in (head, *rows)]
        widths = fit_columns([[cell.plain for cell in row] for row in cells], options.max_width)
        if widths is None:
            for row in cells[1:]:
                yield from _list_cells(cells[0], row)
        else:
            yield _lay_table(cells, widths, [cell.justify for cell in head])


def _lay_table(cells: list[list[_WrappedText]], widths: list[int], sides: Sequence[Any]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for title, width, side in zip(cells[0], widths, sides, strict=True):
        title.stylize("bold")
        table.add_column(title, width=width, justify="left" if side == "default" else side)
    for row in cells[1:]:
        table.add_row(*row)
    return table


def _list_cells(head: list[_WrappedText], row: list[_WrappedText]) -> Iterable[Any]:
    """Yield a row of a table without room: its first cell, below it a line for each of the others."""
    row[0].stylize("bold")
    yield row[0]
    for title, cell in zip(head[1:], row[1:], strict=False):
        if cell.plain.strip():
            line = _WrappedText(f"{title.plain}: " if title.plain else "")
            line.append_text(cell)
            yield Padding(line, (0, 0, 0, 2))


class _Document(markdown.Markdown):
    """Markdown whose line ends are kept, and whose HTML is text: nobody writes what its reader does not see."""

    elements: ClassVar[dict[str, type[markdown.MarkdownElement]]] = {
        **markdown.Markdown.elements,
        "paragraph_open": _Paragraph,
        "list_item_open": _ListItem,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "blockquote_open": _BlockQuote,
        "table_open": _TableElement,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
        self.parsed = parser.parse(text)
        for block in self.parsed:
            for token in block.children or ():
                if token.type == "softbreak":
                    token.type = "hardbreak"
        _mark_close_lists(self.parsed)


def _mark_close_lists(tokens: Sequence[Token]) -> None:
    """Mark the items of lists that follow a paragraph on the very next line."""
    ended, close = -1, False
    for token in tokens:
        if token.level == 0 and token.map:
            if token.type in ("bullet_list_open", "ordered_list_open"):
                close = token.map[0] == ended
            ended = token.map[1] if token.type == "paragraph_open" else -1
        if token.type == "list_item_open":
            token.meta[_CLOSE] = close


def fit_columns(rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return the widths of a table's columns, so that no word is broken; None where there is no room for that.

    >>> fit_columns([["name", "close"], ["CATL", "82.54"]], 40), fit_columns([["abcdef"] * 3] * 2, 10)
    ([4, 5], None)
    """
    columns = list(zip(*rows, strict=False))
    whole = [max(map(display_width, column)) or 1 for column in columns]
    least = []
    for column, width in zip(columns, whole, strict=True):
        words = [display_width(piece) for cell in column for piece in PIECES.findall(cell) if not piece.isspace()]
        least.append(max(max(words, default=1), min(width, _TEXTLIKE)))
    spare = room - GAP * len(columns) - sum(least)
    if spare < 0:
        return None
    widths = least
    while spare > 0 and widths != whole:  # the narrowest of those that need more first: few lines in all
        at = min((width, at) for at, width in enumerate(widths) if width < whole[at])[1]
        widths = [width + (number == at) for number, width in enumerate(widths)]
        spare -= 1
    return widths
