"""The parts of which a report is made: headed sections, figures, tables, pictures, and words for what is missing."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from ia.faculties.pictures.chart import FALL
from ia.faculties.pictures.scale import format_compact, format_price
from ia.faculties.pictures.shapes import NARROW, WIDE
from ia.faculties.pictures.svg import escape_xml

Number = float | Decimal | None


class SheetCell(NamedTuple):
    """What stands in a table or figure, and its class (a color, or `wrap` for a text that may break)."""

    text: str
    kind: str = ""


def render_section(title: str, *bodies: str) -> str:
    """Return a headed part of a page."""
    return f"<section>\n<h2>{escape_xml(title)}</h2>\n{''.join(bodies)}</section>\n"


def render_paragraph(text: str, kind: str = "soft") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{escape_xml(text)}</p>\n'


def render_details(title: str, body: str) -> str:
    """Return a body that a click on its title opens."""
    return f"<details><summary>{escape_xml(title)}</summary>\n{body}</details>\n"


def render_tiles(pairs: Iterable[tuple[str, SheetCell]]) -> str:
    """Return named figures as tiles; those without a value say so by a dash."""
    tiles = "".join(
        f"<div><dt>{escape_xml(name)}</dt><dd{_class_attribute(cell.kind)}>{escape_xml(cell.text or '–')}</dd></div>"
        for name, cell in pairs
    )
    return f'<dl class="figures">{tiles}</dl>\n'


def render_table(heads: Sequence[str], rows: Iterable[Sequence[SheetCell | str]], *, left: int = 1) -> str:
    """Return a table that scrolls by itself where it is too wide. The first `left` columns are texts."""
    shown = []
    texts = set(range(left))
    for row in rows:
        cells = []
        for k, cell in enumerate(row):
            cell = cell if isinstance(cell, SheetCell) else SheetCell(cell)
            if cell.kind == "wrap":
                texts.add(k)
            inside = escape_xml(cell.text)
            if cell.kind.startswith("state"):
                cells.append(f"<td><span{_class_attribute(cell.kind)}>{inside}</span></td>")
                continue
            kind = " ".join(filter(None, (cell.kind, "l" if k < left else "")))
            cells.append(f"<td{_class_attribute(kind)}>{inside}</td>")
        shown.append(f"<tr>{''.join(cells)}</tr>\n")
    label = escape_xml(" · ".join(head for head in heads if head))
    titles = "".join(
        f'<th scope="col"{_class_attribute("l" if k in texts else "")}>{escape_xml(head)}</th>'
        for k, head in enumerate(heads)
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table><thead><tr>{titles}</tr></thead>\n'
        f"<tbody>\n{''.join(shown)}</tbody></table></div>\n"
    )


def render_markdown(text: str) -> str:
    """Return Markdown as HTML. Tags in it are shown as text; links and images stay text, so nothing is loaded."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.disable(["image", "link", "autolink", "html_inline", "html_block", "reference"])
    tokens = reader.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h4"
    return str(reader.renderer.render(tokens, reader.options, {}))


def render_picture(draw: Callable[[float], str]) -> str:
    """Return a drawing as a figure of a page, in two widths: text that shrinks with a telephone cannot be read."""
    wide, narrow = draw(WIDE), draw(NARROW)
    return f'<figure class="picture"><div class="wide">{wide}</div><div class="narrow">{narrow}</div></figure>\n'


def _class_attribute(kind: str) -> str:
    return f' class="{escape_xml(kind)}"' if kind else ""


def signed_cell(value: Number, up: str, text: str) -> SheetCell:
    """Return a text in the color of its value's sign."""
    if not value:
        return SheetCell(text)
    return SheetCell(text, up if value > 0 else FALL[up])


def percent_cell(value: Number, up: str, places: int = 2) -> SheetCell:
    """Return a change in per cent with its sign and color; empty where it is not known."""
    return SheetCell("") if value is None else signed_cell(value, up, f"{value:{'+' if value else ''}.{places}f}%")


def unsigned_percent_cell(value: Number, places: int = 2) -> SheetCell:
    """Return per cent without a sign; empty where they are not known."""
    return SheetCell("" if value is None else f"{value:.{places}f}%")


def industry_name(name: object, lang: str) -> str:
    """Return an industry or a concept for a reader; empty where it is not known."""
    from ia.domain.instruments.groups import group_name

    return group_name(str(name), lang) if name else ""


def format_money(value: Number) -> str:
    """Return money to the cent, in groups; empty where it is not known."""
    return "" if value is None else f"{value:,.2f}"


def profit_cell(value: Number, up: str) -> SheetCell:
    """Return a profit with its sign and color; empty where it is not known."""
    return SheetCell("") if value is None else signed_cell(value, up, f"{value:{'+' if value else ''},.2f}")


def format_shares(value: Number) -> str:
    """Return a number of shares."""
    return "" if value is None else f"{value:,f}" if isinstance(value, Decimal) else f"{value:,g}"


def format_large(value: Number, lang: str) -> str:
    """Return a large sum in few letters; empty where it is not known."""
    return "" if value is None else format_compact(float(value), lang)


def format_known_price(value: Number) -> str:
    """Return a price; empty where it is not known."""
    return "" if value is None else format_price(float(value))


def format_number(value: Number, places: int = 2) -> str:
    """Return a number with so many decimals; empty where it is not known."""
    return "" if value is None else f"{value:,.{places}f}"
