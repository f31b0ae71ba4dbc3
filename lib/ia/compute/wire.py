"""What the sandbox's parent and its worker agree on: blocks with a length before them, limits, and sentences."""

import os
from typing import BinaryIO

FILENAME = "<expression>"
MAX_REPLY = 16 << 20  # some 800,000 numbers; parsed, it can take twenty times as much memory
MAX_SOURCE = 20_000  # characters
MAX_NODES = 4_000
SETTABLE = ("columns", "index", "name")  # the attributes that an expression may assign, on pandas objects only


SENTENCES = frozenset(
    {
        "{name} is not available in expressions",
        "{what} has no {name}",
        "{name} is no reduction that can be named here; give a function instead",
        "there is no column or key {name}",
        "division by zero",
        "the recursion is too deep",
        "the last line has no value; end with an expression, or assign to result",
        "the value is a {name}: end it with .mean(), .last() or another aggregation",
        "the value is a function: call it with ()",
        "ta.{name} has no result: too few rows, or a series that is missing",
        "ta.{name} has no argument {key}; it takes {names}",
        "there is no moving average {name}; there are {names}",
        "files, processes and the network are out of reach of expressions",
    }
)
"""What a worker may say by template, so that the command line can say it in another language."""


class Told(Exception):
    """Something that is wrong with an expression, as a sentence of SENTENCES or in plain words."""

    def __init__(self, template: str, /, **fields: str) -> None:
        super().__init__(template.format_map(fields) if fields else template)
        self.template, self.fields = template, fields


def read_block(stream: BinaryIO) -> bytes | None:
    """Return the next block, None where the stream ends first."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    block = stream.read(size)
    return block if len(block) == size else None


def framed(block: bytes) -> bytes:
    """Return a block with its length before it."""
    return len(block).to_bytes(8, "little") + block


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the data; raises BrokenPipeError where nobody reads."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
