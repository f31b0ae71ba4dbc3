"""What the sandbox's parent and its worker agree on: blocks with a length before them, limits, and sentences."""

import os
from typing import BinaryIO

from ia.kernel.i18n import mark_texts

FILENAME = "<expression>"
MAX_REPLY = 16 << 20  # some 800,000 numbers; parsed, it can take twenty times as much memory
MAX_SOURCE = 20_000  # characters
MAX_NODES = 4_000
MAX_PARTS = 200_000  # lists and dicts in a reply
MAX_CELLS = 1_000_000  # values in a reply
MAX_BITS = 4_000  # of a whole number; Python refuses to print more
SETTABLE = ("columns", "index", "name")  # the attributes that an expression may assign, on pandas objects only


SENTENCES = frozenset(
    mark_texts(
        "{name} is not available in expressions",
        "{what} has no {name}",
        "{name} is not an available aggregation; give a function instead",
        "unknown column or key {name}",
        "division by zero",
        "the recursion is too deep; reduce its depth",
        "`and`, `or` and `not` work on single values; join conditions with & and |, each in brackets",
        "the last line has no value; end with an expression, or assign a value to result",
        "the value is a {name}; end the expression with .mean(), .last() or another aggregation",
        "the value is a function; call it with ()",
        "ta.{name} returned no result: too few rows, or an input series is missing",
        "ta.{name} has no argument {key}; available: {names}",
        "unknown moving average {name}; available: {names}",
        "expressions cannot access files, processes or the network",
        "{function}: too many arguments ({given}); it takes {count}: {names}",
        "{function} has no argument {param}; available: {names}",
        "{function}: {param} is given twice",
        "{function}: {param} is missing",
        "{function}: {param} must be {what}, not {value}",
        "{function}: {param} must be between {low} and {high}, not {value}",
        "{function}: fast must be below slow, not {fast} and {slow}",
        "{function}: the series have different lengths",
        "{function}: the series have different dates",
        "{function}: the frames have different columns; select the same columns",
        "{function}: an argument has several results; choose one of {names}",
        "{function}: the condition must be a boolean series",
        "{function} needs a series, not only numbers",
        "{function} needs numbers, not {count}-dimensional {kind}",
        "names that begin with an underscore are not allowed",
        "{word} reads this machine's clock, which expressions cannot access",
        "expected a function or the name of an aggregation, got {name}",
        "{name} objects do not support item assignment",
        "cannot set attribute .{name}",
        "map() takes a function or a dict",
        "pipe() takes a function",
        "this object cannot be indexed with []",
        "arrays of {kind} are not available in expressions",
        "cannot print a value of type {name}; return a number, series, frame, dict or list",
        "the value is an integer of more than one thousand digits; return a smaller one",
        "the value is a string of more than one million characters; return a shorter one",
        "the value is nested too deeply; return a flatter one",
        "the value has more than {limit} elements; return fewer",
        "assertion failed",
        "assertion failed: {why}",
        "package not available in expressions: {name}",
        "evaluation failed ({name})",
        "the strategy has no function on_bar(ctx)",
        "more than {count} orders on one day",
        "{symbol} is not among the securities of the run",
        "an order takes numbers and texts only",
        "an order has no argument {name}",
    )
)
"""What a worker may say by template, so that the command line can say it in another language."""

WORDS = frozenset(mark_texts("a series", "a number", "a series or a number", "an integer", "a function"))
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


def frame_block(block: bytes) -> bytes:
    """Return a block with its length before it."""
    return len(block).to_bytes(8, "little") + block


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the data; raises BrokenPipeError where nobody reads."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
