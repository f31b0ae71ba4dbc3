"""Cards: the result of a tool as a small document, laid out by the schema of its properties alone.

A card is `{"card": TYPE, "props": {…}, "text": "…"}`. Nothing here knows what a card is about: titles, order and
wording come from the schema (`title`, `enum`, `oneOf`), and what is left without one is named by its key. The blocks
are drawn by the terminal, written as HTML below, or as plain text.
"""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, NamedTuple

from ia.faculties.pictures import chart_page, report_parts
from ia.faculties.pictures.report_parts import SheetCell
from ia.kernel.i18n import mark_text, translate
from ia.kernel.jsontypes import Json
from ia.kernel.untrusted import strip_controls

MAX_ROWS = 200
"""Rows of one table or list that are shown."""
MAX_CELL = 2_000
"""Characters of a value that are shown."""
UNNAMED = "text"
"""The property that is a paragraph without a name before it."""
MAX_LEVELS = 3
"""Levels of structure that are laid out; what is deeper stands as JSON."""
SHORT = 60
"""Characters of a text that stands beside its name; a longer one is a paragraph."""
_YES, _NO = mark_text("yes"), mark_text("no")


class CardBlock(NamedTuple):
    """A part of a card: a paragraph (`rows` of one cell), named values (two cells a row), a list, or a table.

    kind   `text`, `pairs`, `list` or `table`
    head   the names of a table's columns
    """

    kind: str
    title: str
    rows: list[list[str]]
    head: tuple[str, ...] = ()


def lay_out_card(props: Mapping[str, Any], schema: Json, lang: str) -> list[CardBlock]:
    """Return the blocks of a card, its properties in the order of the schema."""
    return list(_merge_pairs(_lay_out_object(props, schema, lang, 1)))


def card_title(card: Mapping[str, Any], schema: Json, lang: str) -> str:
    """Return a card's title: its property `title`, else that of its schema, else its type as words."""
    own = card.get("props", {}).get("title") if isinstance(card.get("props"), dict) else None
    if isinstance(own, str) and own.strip():
        return _clean(own)
    return _schema_title(schema, lang) or str(card.get("card", "")).replace("_", " ")


def format_card_text(title: str, blocks: list[CardBlock]) -> str:
    """Return a card as plain text.

    >>> format_card_text("Chart", [CardBlock("pairs", "", [["Sun", "Leo"]]), CardBlock("list", "Signs", [["Leo"]])])
    'Chart\\nSun: Leo\\nSigns\\n- Leo'
    """
    lines = [title]
    for block in blocks:
        lines += [block.title] if block.title else []
        if block.kind == "pairs":
            lines += [f"{name}: {value}" for name, value in block.rows]
        elif block.kind == "list":
            lines += [f"- {row[0]}" for row in block.rows]
        elif block.kind == "table":
            lines += [" | ".join(block.head), *(" | ".join(row) for row in block.rows)]
        else:
            lines += [row[0] for row in block.rows]
    return "\n".join(line for line in lines if line)


def render_card_html(title: str, blocks: list[CardBlock]) -> str:
    """Return a card as an HTML fragment, a section of a page: nothing in it is loaded or executed, all is escaped."""
    return report_parts.render_section(title, *(_render_block(block) for block in blocks))


def render_card_page(title: str, blocks: list[CardBlock], lang: str) -> str:
    """Return a page of its own with a card."""
    return chart_page.render_page(title, render_card_html(title, blocks), lang)


def render_card_app(title: str, lang: str) -> str:
    """Return a page that a host of MCP Apps shows: it draws the card that the host sends, and loads nothing."""
    return chart_page.render_page(title, "", lang, script="card.js")


def describe_card(title: str, blocks: list[CardBlock]) -> Json:
    """Return a card as the page of render_card_app() takes it."""
    return {"title": title, "blocks": [{**block._asdict(), "head": list(block.head)} for block in blocks]}


def _render_block(block: CardBlock) -> str:
    head = f"<h3>{escape(block.title)}</h3>\n" if block.title else ""
    if block.kind == "pairs":
        body = report_parts.render_tiles((name, SheetCell(value)) for name, value in block.rows)
    elif block.kind == "table":
        rows = [[SheetCell(cell, "wrap") for cell in row] for row in block.rows]
        body = report_parts.render_table(block.head, rows, left=len(block.head))
    elif block.kind == "list":
        body = "<ul>" + "".join(f"<li>{escape(row[0])}</li>" for row in block.rows) + "</ul>\n"
    else:
        body = "".join(report_parts.render_markdown(row[0]) for row in block.rows)
    return head + body


def _lay_out_object(value: Mapping[str, Any], schema: Json, lang: str, level: int) -> Iterator[CardBlock]:
    kinds = _properties(schema)
    for name in [*(each for each in kinds if each in value), *(each for each in value if each not in kinds)]:
        if value[name] is None or (name == "title" and level == 1 and isinstance(value[name], str)):
            continue
        yield from _lay_out_value(name, value[name], kinds.get(name) or {}, lang, level)


def _lay_out_value(name: str, value: Any, schema: Json, lang: str, level: int) -> Iterator[CardBlock]:
    label = _label(name, schema, lang)
    if isinstance(value, dict):
        yield from _lay_out_mapping(label, value, schema, lang, level)
    elif isinstance(value, list):
        yield from _lay_out_list(label, value, schema, lang)
    else:
        text = _cell(value, schema, lang)
        if isinstance(value, str) and (level == 1 and name == UNNAMED):
            yield CardBlock("text", "", [[text]])
        elif isinstance(value, str) and (len(text) > SHORT or "\n" in text):
            yield CardBlock("text", label, [[text]])
        elif text:
            yield CardBlock("pairs", "", [[label, text]])


def _lay_out_mapping(label: str, value: Json, schema: Json, lang: str, level: int) -> Iterator[CardBlock]:
    """Yield an object: a table where all of its values are objects, else named values and what they hold."""
    if not value:
        return
    if all(isinstance(each, dict) for each in value.values()):
        kinds = _properties(schema)
        inner = next(iter(kinds.values()), {})
        columns = _columns(list(value.values()), _properties(inner))
        head = ("", *(_label(each, _properties(inner).get(each), lang) for each in columns))
        rows = [
            [_label(name, kinds.get(name), lang), *_cells(each, columns, _properties(kinds.get(name) or {}), lang)]
            for name, each in list(value.items())[:MAX_ROWS]
        ]
        yield CardBlock("table", label, rows, head)
    elif level >= MAX_LEVELS:
        yield CardBlock("text", label, [[_cell(value, schema, lang)]])
    else:
        blocks = list(_merge_pairs(_lay_out_object(value, schema, lang, level + 1)))
        for at, block in enumerate(blocks):
            joined = " · ".join(filter(None, (label, block.title))) if at == 0 or block.title else ""
            yield block._replace(title=joined)


def _lay_out_list(label: str, value: list[Any], schema: Json, lang: str) -> Iterator[CardBlock]:
    items = schema.get("items") if isinstance(schema.get("items"), dict) else {}
    assert isinstance(items, dict)
    shown = value[:MAX_ROWS]
    if not shown:
        return
    if all(isinstance(each, dict) for each in shown):
        kinds = _properties(items)
        columns = _columns(shown, kinds)
        texts = [str(each.get(columns[-1]) or "") for each in shown]
        if len(columns) == 2 and (columns[1] == UNNAMED or any(len(text) > SHORT for text in texts)):
            for each in shown:  # a heading and its text, not a table
                heading, text = (_cell(each.get(name), kinds.get(name) or {}, lang) for name in columns)
                yield CardBlock("text", heading, [[text]])
            return
        head = tuple(_label(each, kinds.get(each), lang) for each in columns)
        yield CardBlock("table", label, [_cells(each, columns, kinds, lang) for each in shown], head)
        return
    texts = [_cell(each, items, lang) for each in shown]
    line = ("、" if lang == "zh" else ", ").join(texts)
    if len(line) <= SHORT and "\n" not in line:
        yield CardBlock("pairs", "", [[label, line]])
    else:
        yield CardBlock("list", label, [[text] for text in texts])


def _merge_pairs(blocks: Iterator[CardBlock]) -> Iterator[CardBlock]:
    """Yield blocks with neighbouring named values in one."""
    waiting: CardBlock | None = None
    for block in blocks:
        if waiting is not None and block.kind == "pairs" and not block.title:
            waiting = waiting._replace(rows=[*waiting.rows, *block.rows])
            continue
        if waiting is not None:
            yield waiting
        waiting = block if block.kind == "pairs" else None
        if waiting is None:
            yield block
    if waiting is not None:
        yield waiting


def _columns(rows: list[Json], kinds: Mapping[str, Json]) -> list[str]:
    """Return the columns of objects: those of the schema first, then others as they come."""
    known = dict.fromkeys(str(key) for row in rows for key in row)
    return [*(each for each in kinds if each in known), *(each for each in known if each not in kinds)]


def _cells(row: Json, columns: list[str], kinds: Mapping[str, Json], lang: str) -> list[str]:
    return [" ".join(_cell(row.get(each), kinds.get(each) or {}, lang).split()) for each in columns]


def _cell(value: Any, schema: Json, lang: str) -> str:
    """Return a value as people read it: the title of a choice, yes or no, no more digits than there are."""
    if value is None:
        return ""
    if (titled := choice_title(schema, value, lang)) is not None:
        return titled
    if isinstance(value, bool):
        return translate(_YES if value else _NO, lang)
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        items = schema.get("items") if isinstance(schema.get("items"), dict) else {}
        assert isinstance(items, dict)
        return ("、" if lang == "zh" else ", ").join(_cell(each, items, lang) for each in value)
    if isinstance(value, list | dict):
        import json

        return _clean(json.dumps(value, ensure_ascii=False, default=str))
    return _clean(str(value))


def choice_title(schema: Json, value: Any, lang: str) -> str | None:
    """Return the title of a choice (`oneOf`, `anyOf` with `const`); None where the schema has none for it."""
    choices = schema.get("oneOf") or schema.get("anyOf")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and "const" in choice and choice["const"] == value:
            return _schema_title(choice, lang) or str(value)
    return None


def _label(name: str, schema: Json | None, lang: str) -> str:
    return _schema_title(schema or {}, lang) or _clean(str(name)).replace("_", " ")


def _schema_title(schema: Json, lang: str) -> str:
    own, english = schema.get("title"), schema.get("title_en")
    first, second = (english, own) if lang == "en" else (own, english)
    return str(first or second or "")


def _properties(schema: Any) -> dict[str, Json]:
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _clean(text: str) -> str:
    shown = strip_controls(text).strip()
    return shown if len(shown) <= MAX_CELL else shown[: MAX_CELL - 1] + "…"
