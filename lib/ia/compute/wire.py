"""What the sandbox's parent and its worker agree on: blocks with a length before them, and the limits."""

import os
from typing import BinaryIO

FILENAME = "<expression>"
MAX_REPLY = 16 << 20  # some 800,000 numbers; parsed, it can take twenty times as much memory
SETTABLE = ("columns", "index", "name")  # the attributes that an expression may assign, on pandas objects only


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
