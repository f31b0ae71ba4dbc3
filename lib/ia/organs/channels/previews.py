"""How a message is shown in a row of a list: by the first line that says something."""

from ia.kernel.patterns import pattern

_SILENT = pattern(r"#{1,6}\s.*|>.*|\|.*|\*\*[^*]+\*\*\s*(?:[（(][^（()）]*[)）])?\s*[:：]?|[-=*_\s]+|```.*|~~~.*")
"""A title, with a remark in brackets or not, a quote, a row of a table, a rule, a fence."""
_MARK = pattern(r"(?:[-*+]|\d+[.)])\s+")


def preview_lines(text: str) -> list[str]:
    """Return the lines of a text from the first that says something, without Markdown's marks.

    A text of titles and tables alone begins at its beginning.

    >>> preview_lines("**Review** (prices are simulated)\\n> a remark\\n**Result** +718.00 CNY\\n- one\\n\\n# End")
    ['Result +718.00 CNY', 'one', 'End']
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if not _SILENT.fullmatch(line)), 0)
    return [_strip_marks(line) for line in lines[first:]]


def _strip_marks(line: str) -> str:
    line = line.lstrip("#>| ").replace("**", "")
    if found := _MARK.match(line):
        line = line[found.end() :]
    return " ".join(line.split())
