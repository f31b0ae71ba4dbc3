"""Front matter: the lines between two `---` at the beginning of a text.

Every reader of ia finds it here, so that what marks a file as untrusted, what is shown before a skill is installed and
what the skill does are the same lines. A line `...` ends it too, as in YAML. Blank lines may stand before it.
"""

import re
from typing import NamedTuple

from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern

_HEAD = pattern(r"[\ufeff\s]*---[^\S\r\n]*(?:\r\n?|\n)")
_END = pattern(r"^(?:---|\.\.\.)[^\S\r\n]*(?:\r\n?|\n|\Z)", re.M)


class Block(NamedTuple):
    """Where front matter stands in a text: its lines are text[start:end], and the body begins at `body`.

    body  None where no line ends the front matter; `end` is then the end of the text
    """

    start: int
    end: int
    body: int | None


def find_block(text: str, at: int = 0) -> Block | None:
    """Return the front matter that begins at `at`; None where there is none.

    >>> find_block("---\\na: 1\\n---\\nbody")
    Block(start=4, end=9, body=13)
    """
    head = _HEAD.match(text, at)
    if head is None:
        return None
    end = _END.search(text, head.end())
    return Block(head.end(), end.start(), end.end()) if end else Block(head.end(), len(text), None)


def split_text(text: str, name: str) -> tuple[str | None, str]:
    """Return (front matter or None, body), line ends made `\\n`. `name` is for messages.

    The front matter begins with as many line feeds as there are lines before it: a parser counts the lines of the file.
    raises  BadData where the front matter is not closed.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    block = find_block(text)
    if block is None:
        return None, text.removeprefix("\ufeff")
    if block.body is None:
        raise BadData("{name}: the front matter that begins in line 1 has no closing `---`", name=name)
    above = "\n" * text.count("\n", 0, block.start)
    return above + text[block.start : block.end].removesuffix("\n"), text[block.body :].lstrip("\n")
