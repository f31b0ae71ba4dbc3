"""The parts of which a report is made: headed sections, figures, tables, pictures, and words for what is missing."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from ia.faculties.pictures.chart import FALL
from ia.faculties.pictures.scale import compact, price
from ia.faculties.pictures.shapes import NARROW, WIDE
from ia.faculties.pictures.svg import escaped

Number = float | Decimal | None


class Cell(NamedTuple):
    """What stands in a table or figure, and its class (a color, or `wrap` for a text that may break)."""

    text: str
    kind: str = ""


def section(title: str, *bodies: str) -> str:
    """Return a headed part of a page."""
    return f"<section>\n<h2>{escaped(title)}</h2>\n{''.join(bodies)}</section>\n"


def said(text: str, kind: str = "soft") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{escaped(text)}</p>\n'


def figures(pairs: Iterable[tuple[str, Cell]]) -> str:
    """Return named figures as tiles; those without a value say so by a dash."""
    tiles = "".join(
        f"<div><dt>{escaped(name)}</dt><dd{_kind(cell.kind)}>{escaped(cell.text or '–')}</dd></div>"
        for name, cell in pairs
    )
    return f'<dl class="figures">{tiles}</dl>\n'


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell | str]], *, left: int = 1) -> str:
    """Return a table that scrolls by itself where it is too wide. The first `left` columns are texts."""
    shown = []
    texts = set(range(left))
    for row in rows:
        cells = []
        for k, cell in enumerate(row):
            cell = cell if isinstance(cell, Cell) else Cell(cell)
            if cell.kind == "wrap":
                texts.add(k)
            inside = escaped(cell.text)
            if cell.kind.startswith("state"):
                cells.append(f"<td><span{_kind(cell.kind)}>{inside}</span></td>")
                continue
            kind = " ".join(filter(None, (cell.kind, "l" if k < left else "")))
            cells.append(f"<td{_kind(kind)}>{inside}</td>")
        shown.append(f"<tr>{''.join(cells)}</tr>\n")
    label = escaped(" · ".join(head for head in heads if head))
    titles = "".join(
        f'<th scope="col"{_kind("l" if k in texts else "")}>{escaped(head)}</th>' for k, head in enumerate(heads)
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table><thead><tr>{titles}</tr></thead>\n'
        f"<tbody>\n{''.join(shown)}</tbody></table></div>\n"
    )


def markdown(text: str) -> str:
    """Return Markdown as HTML. Tags in it are shown as text; links and images stay text, so nothing is loaded."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.disable(["image", "link", "autolink", "html_inline", "html_block", "reference"])
    tokens = reader.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h4"
    return str(reader.renderer.render(tokens, reader.options, {}))


def picture(draw: Callable[[float], str]) -> str:
    """Return a drawing as a figure of a page, in two widths: text that shrinks with a telephone cannot be read."""
    wide, narrow = draw(WIDE), draw(NARROW)
    return f'<figure class="picture"><div class="wide">{wide}</div><div class="narrow">{narrow}</div></figure>\n'


def _kind(kind: str) -> str:
    return f' class="{escaped(kind)}"' if kind else ""


def signed(value: Number, up: str, text: str) -> Cell:
    """Return a text in the color of its value's sign."""
    if not value:
        return Cell(text)
    return Cell(text, up if value > 0 else FALL[up])


def percent(value: Number, up: str, places: int = 2) -> Cell:
    """Return a change in per cent with its sign and color; empty where it is not known."""
    return Cell("") if value is None else signed(value, up, f"{value:{'+' if value else ''}.{places}f}%")


def plain_percent(value: Number, places: int = 2) -> Cell:
    """Return per cent without a sign; empty where they are not known."""
    return Cell("" if value is None else f"{value:.{places}f}%")


def money(value: Number) -> str:
    """Return money to the cent, in groups; empty where it is not known."""
    return "" if value is None else f"{value:,.2f}"


def gained(value: Number, up: str) -> Cell:
    """Return a profit with its sign and color; empty where it is not known."""
    return Cell("") if value is None else signed(value, up, f"{value:{'+' if value else ''},.2f}")


def count(value: Number) -> str:
    """Return a number of shares."""
    return "" if value is None else f"{value:,f}" if isinstance(value, Decimal) else f"{value:,g}"


def large(value: Number, lang: str) -> str:
    """Return a large sum in few letters; empty where it is not known."""
    return "" if value is None else compact(float(value), lang)


def quoted(value: Number) -> str:
    """Return a price; empty where it is not known."""
    return "" if value is None else price(float(value))


def number(value: Number, places: int = 2) -> str:
    """Return a number with so many decimals; empty where it is not known."""
    return "" if value is None else f"{value:,.{places}f}"
