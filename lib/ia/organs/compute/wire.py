"""What the sandbox's parent and its worker agree on: blocks with a length before them, limits, and sentences."""

import os
from typing import BinaryIO

FILENAME = "<expression>"
MAX_REPLY = 16 << 20  # some 800,000 numbers; parsed, it can take twenty times as much memory
MAX_SOURCE = 20_000  # characters
MAX_NODES = 4_000
MAX_PARTS = 200_000  # lists and dicts in a reply
MAX_CELLS = 1_000_000  # values in a reply
MAX_BITS = 4_000  # of a whole number; Python refuses to print more
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
        "{function} takes {count} arguments ({names}), {given} given",
        "{function} has no argument {param}; it takes {names}",
        "{function}: {param} is given twice",
        "{function}: {param} is missing",
        "{function}: {param} must be {what}, not {value}",
        "{function}: {param} must be between {low} and {high}, not {value}",
        "{function}: fast must be below slow, not {fast} and {slow}",
        "{function}: the series have different lengths",
        "{function}: the series have different dates",
        "{function}: the frames have different columns",
        "{function}: choose one of {names} first",
        "{function}: the condition must be a series of true and false",
        "{function} needs a series, not only numbers",
        "{function} needs numbers, not {kind} of {count} dimensions",
        "names that begin with an underscore are not allowed",
        "{word} is this machine's clock, which expressions do not see",
        "a {name} is no function or reduction",
        "a {name} cannot be written to",
        "attributes cannot be set: .{name}",
        "map() takes a function or a dict",
        "pipe() takes a function",
        "this has no items",
        "arrays of {kind} are not available in expressions",
        "the value is a {name}, which has no printed form",
        "the value is a whole number of more than a thousand digits",
        "the value is a text of more than a million characters",
        "the value is nested too deeply",
        "the value has more than {limit} parts",
        "assertion failed",
        "assertion failed: {why}",
        "this needs a package that is not available in expressions ({name})",
        "it failed ({name})",
    }
)
"""What a worker may say by template, so that the command line can say it in another language."""

WORDS = frozenset({"a series", "a number", "a series or a number", "a whole number", "a function"})
"""What may stand in a field of such a sentence and is to be said in that language too."""


class Told(Exception):
    """Something that is wrong with an expression, as a sentence of SENTENCES or in plain words."""

    def __init__(self, template: str, /, **fields: object) -> None:
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
