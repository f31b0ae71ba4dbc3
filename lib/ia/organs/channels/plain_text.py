"""Markdown as a channel shows it: plain lines that can be read, since nothing that is sent there is markup."""

import re

_FENCE = re.compile(r"\s*(```|~~~)")
_RULE = re.compile(r"\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*\Z")
_LINK = re.compile(r"\[([^\]\n]+)\]\((https?://[^)\s]+)\)")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])")


def strip_markdown(text: str) -> str:
    """Return a Markdown text without its marks: bullets stay, a table's rows become lines. Code stays as it is.

    >>> strip_markdown("### 趋势\\n- **收盘** 在 `200` 日线之上")
    '趋势\\n- 收盘 在 200 日线之上'
    """
    lines, code = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            code = not code
        elif code:
            lines.append(line)
        elif not _RULE.match(line):
            lines.append(_strip_line(line))
    return "\n".join(lines)


def _strip_line(line: str) -> str:
    line = re.sub(r"^\s{0,3}(?:#{1,6}|>)\s+", "", line)
    row = line.strip()
    if len(row) > 2 and row[0] == row[-1] == "|":
        line = " · ".join(cell.strip() for cell in row[1:-1].split("|"))
    line = _LINK.sub(r"\1 (\2)", line)
    line = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", line))
    return re.sub(r"`([^`\n]+)`", r"\1", line)
