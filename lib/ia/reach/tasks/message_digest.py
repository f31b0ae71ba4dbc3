"""A report as a message: the answer first, each row of a table as a line, whole lines only.

A phone shows no table, and its reader wants the result, the risks and what to do before the rows: tables and quotes
stand last. What has no room is left out from the end, and counted.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ia.kernel.i18n import Voice
from ia.kernel.patterns import pattern

MAX_MESSAGE = 1800
"""Characters of a report in a message: less than half of what one Telegram message holds."""
MAX_ITEMS = 6
"""Rows of a table and items of a list, where there is no room for all."""

_HEADING = pattern(r" {0,3}#{1,6}\s+(?P<title>.*?)\s*#*\s*")
_FENCE = pattern(r" {0,3}(?:```|~~~).*")
_RULE = pattern(r"[\s|:-]*-[\s|:-]*")
_SENTENCE_END = pattern(r"[。！？；]|[.!?;](?=\s)|\s")
_NO_VALUE = ("", "-", "–", "—")
_TITLE, _TEXT, _TABLE, _QUOTE = range(4)


class _Block(NamedTuple):
    """Lines that belong together, and the headings right above them."""

    kind: int
    headings: tuple[str, ...]
    lines: tuple[str, ...]


def digest_report(text: str, lang: str, limit: int = MAX_MESSAGE) -> str:
    """Return what a message says of a report in Markdown, in about `limit` characters.

    >>> print(digest_report("# Day\\n\\n| held | value |\\n| --- | --- |\\n| CATL | 80 |\\n\\n## To do\\n- sell", "en"))
    **Day**
    **To do**
    - sell
    - CATL: value 80
    """
    blocks = sorted(_read_blocks(text, lang, limit), key=lambda block: block.kind)
    if len(_join_blocks(blocks)) > limit:
        blocks = [_shorten_list(block, lang) for block in blocks]
    kept: list[_Block] = []
    for block in blocks:
        lines = _count_fitting(kept, block, limit)
        if lines:
            kept.append(block._replace(lines=block.lines[:lines]))
        if lines < len(block.lines):
            break
    left = sum(len(block.lines) for block in blocks) - sum(len(block.lines) for block in kept)
    return "\n".join([_join_blocks(kept), *([_say_left(left, lang)] if left else [])])


def _count_fitting(before: list[_Block], block: _Block, limit: int) -> int:
    """Return how many lines of a block have room; of the first block at least one."""
    for count in range(len(block.lines), 0, -1):
        if len(_join_blocks([*before, block._replace(lines=block.lines[:count])])) <= limit:
            return count
    return 0 if before else 1


def _shorten_list(block: _Block, lang: str) -> _Block:
    items = [at for at, line in enumerate(block.lines) if line.startswith("- ")]
    if len(items) <= MAX_ITEMS + 1:
        return block
    return block._replace(lines=(*block.lines[: items[MAX_ITEMS]], _say_left(len(items) - MAX_ITEMS, lang)))


def _say_left(count: int, lang: str) -> str:
    voice = Voice(lang)
    return voice("… and 1 more line") if count == 1 else voice("… and {count} more lines", count=count)


def _join_blocks(blocks: list[_Block]) -> str:
    return "\n".join(line for block in blocks for line in (*block.headings, *block.lines))


def _read_blocks(text: str, lang: str, limit: int) -> list[_Block]:
    """Return the blocks of a text in its order; a heading that no text follows is left out."""
    blocks: list[_Block] = []
    headings: dict[int, str] = {}  # by level
    for kind, lines in _split_lines(text):
        if kind == _TITLE:
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            title = f"**{_HEADING.fullmatch(lines[0])['title'].replace('**', '')}**"  # type: ignore[index]
            headings = {at: said for at, said in headings.items() if at < level} | {level: title}
            if not blocks and level == min(headings) and len(headings) == 1:
                blocks.append(_Block(_TITLE, (), (title,)))
                headings = {}
            continue
        said = _read_rows(lines, lang) if kind == _TABLE else [_shorten_line(line, limit) for line in lines]
        if said:
            blocks.append(_Block(kind, tuple(headings.values()), tuple(said)))
            headings = {}
    return blocks


def _split_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a text by blocks: a heading, a paragraph or list, the rows of a table, a quote."""
    block: list[str] = []
    kind, fenced = _TEXT, False
    for raw in text.splitlines():
        line = raw.rstrip()
        if _FENCE.fullmatch(line):
            fenced = not fenced
            continue
        now = _TEXT if fenced else _kind_of(line)
        if block and (now != kind or now == _TITLE or not line.strip()):
            yield kind, block
            block = []
        kind = now
        if line.strip():
            block.append(line)
    if block:
        yield kind, block


def _kind_of(line: str) -> int:
    if _HEADING.fullmatch(line):
        return _TITLE
    start = line.lstrip()[:1]
    return _TABLE if start == "|" else _QUOTE if start == ">" else _TEXT


def _read_rows(lines: list[str], lang: str) -> list[str]:
    """Return the rows of a table as items: the first cell, then each value behind its column's name."""
    voice = Voice(lang)
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)
    ]
    if len(rows) == len(lines):  # without a rule it is no table
        return lines
    head, *body = rows
    items = []
    for row in body:
        values = [
            f"{name} {cell}".strip() for name, cell in zip(head[1:], row[1:], strict=False) if cell not in _NO_VALUE
        ]
        items.append("- " + voice(": ").join(part for part in (row[0], voice(", ").join(values)) if part))
    return items


def _shorten_line(line: str, limit: int) -> str:
    """Return a line that alone has no room cut behind a sentence or word."""
    if len(line) <= limit:
        return line
    ends = [found.end() for found in _SENTENCE_END.finditer(line[:limit])]
    return line[: ends[-1] if ends else limit].rstrip() + " …"
