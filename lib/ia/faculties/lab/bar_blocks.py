"""Packed bars: how a column of some securities becomes the bytes of a block, and an index names the blocks.

A folder such as CN/1m has a `catalog.json`, which names its spans (months; years of daily bars), oldest first. A span's
folder has an `index.json` (times, symbols, and of each block its file, SHA-256, tick and form) and a folder a column
with a file for every 500 symbols: `2024-03/close/0007.1f2e3d4c.b2`, compressed by blosc2 (bitshuffle, zstd).

A block is an array [symbols, times]. Of int32 it counts ticks, -2**31 where there is no bar. Its form says what is
stored: `delta` the change from the time before (modulo 2**32), `less-close` what it is above the close's ticks (0
without a bar), `plain` the ticks. The form `float` is float64 as it is, for what no tick fits.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ia.kernel.errors import BadData
from ia.kernel.extras import load_extra

Matrix: TypeAlias = NDArray[np.float64]
Ticks: TypeAlias = NDArray[np.int32]

CATALOG = "catalog.json"
FORMAT = 1
BLOCK = 500
"""Symbols of a block."""
PRICES = ("open", "high", "low", "close")
_MISSING = -(2**31)
_TICKS = {"volume": (100.0, 1.0)}
_PRICE_TICKS = (0.01, 0.001, 0.0001)


class BlockEntry(NamedTuple):
    """What an index says of a block."""

    file: str
    sha256: str
    tick: float | None
    form: str

    def is_readable(self, column: str) -> bool:
        """Return whether form and tick go together."""
        if self.form == "float":
            return self.tick is None
        formed = self.form in ("delta", "plain") or (self.form == "less-close" and column != "close")
        return formed and self.tick is not None and self.tick > 0


@dataclass(frozen=True, kw_only=True)
class SpanIndex:
    """The index of a span.

    bars     how many bars each symbol has
    block    symbols of a block
    source   SHA-256 of what it was packed from
    columns  the blocks of each column
    """

    times: list[str]
    symbols: list[str]
    bars: list[int]
    block: int
    source: str
    columns: Mapping[str, Sequence[BlockEntry]]

    def to_json(self) -> bytes:
        document = {
            "format": FORMAT,
            "source": self.source,
            "block": self.block,
            "columns": {name: [entry._asdict() for entry in entries] for name, entries in self.columns.items()},
            "symbols": self.symbols,
            "bars": self.bars,
            "times": self.times,
        }
        return dump_json(document)

    @classmethod
    def from_json(cls, data: bytes, name: str) -> "SpanIndex":
        """Return the index; BadData where it is none."""
        document = parse_json(data, name)
        try:
            columns = {
                str(column): [BlockEntry(**entry) for entry in entries]
                for column, entries in document["columns"].items()
            }
            found = cls(
                times=list(document["times"]),
                symbols=list(document["symbols"]),
                bars=list(document["bars"]),
                block=int(document["block"]),
                source=str(document["source"]),
                columns=columns,
            )
            blocks = -(-len(found.symbols) // found.block)
            if (
                any(len(entries) != blocks for entries in columns.values())
                or "close" not in columns
                or len(found.bars) != len(found.symbols)
                or any(not entry.is_readable(column) for column, entries in columns.items() for entry in entries)
            ):
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            raise BadData("{name} is damaged", name=name, hint="pack the bars again with `ia bars pack`") from None
        return found


def dump_json(document: Mapping[str, Any]) -> bytes:
    """Return the bytes of a catalog or an index."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def parse_json(data: bytes, name: str) -> dict[str, Any]:
    """Return the document of a catalog or an index; BadData where it is none, or of another version."""
    try:
        document = json.loads(data)
        version = document["format"]
    except (ValueError, KeyError, TypeError):
        raise BadData("{name} is damaged", name=name, hint="pack the bars again with `ia bars pack`") from None
    if version != FORMAT:
        raise BadData(
            "{name} has format {version}; this ia reads format {known}", name=name, version=version, known=FORMAT
        )
    return dict(document)


def encode_columns(columns: Mapping[str, Matrix]) -> dict[str, tuple[BlockEntry, bytes]]:
    """Return the bytes of the columns of a block, [times, symbols], and what the index says of them but the file."""
    made: dict[str, tuple[BlockEntry, bytes]] = {}
    close, close_tick = _find_ticks("close", columns["close"])
    for name, values in columns.items():
        ticks, tick = (close, close_tick) if name == "close" else _find_ticks(name, values)
        stored: NDArray[Any]
        if ticks is None:
            form, stored = "float", values.T
        elif name not in PRICES:
            form, stored = "plain", ticks
        elif (
            name != "close"
            and close is not None
            and tick == close_tick
            and ((ticks == _MISSING) == (close == _MISSING)).all()
        ):
            form, stored = "less-close", ticks - close
        else:
            form, stored = "delta", np.diff(ticks, axis=1, prepend=np.int32(0))
        data = _compress(stored)
        made[name] = BlockEntry("", hashlib.sha256(data).hexdigest(), tick, form), data
    return made


def decode_ticks(
    entry: BlockEntry, data: bytes, shape: tuple[int, int], name: str, close: Ticks | None
) -> NDArray[Any]:
    """Return the ticks of a block, [symbols, times], or its numbers where the form is `float`.

    name   of the file, for messages. close: the ticks of the close, for the form `less-close`
    raises  BadData where the bytes are not those of the index
    """
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        raise damaged_block(name)
    out = np.empty(shape, dtype=np.float64 if entry.form == "float" else np.int32)
    try:
        load_extra("cluster", "blosc2").decompress2(data, dst=out, nthreads=1)
    except (ValueError, RuntimeError, TypeError):
        raise damaged_block(name) from None
    if entry.form == "delta":
        np.cumsum(out, axis=1, dtype=np.int32, out=out)
    elif entry.form == "less-close":
        assert close is not None
        out += close
    return out


def scale_ticks(entry: BlockEntry, ticks: NDArray[Any]) -> Matrix:
    """Return the numbers that ticks stand for, to the bit those that were packed; NaN without a bar."""
    if entry.tick is None:
        return ticks
    values: Matrix = ticks * entry.tick if entry.tick >= 1 else ticks / np.float64(round(1 / entry.tick))
    values[ticks == _MISSING] = np.nan
    return values


def damaged_block(name: str) -> BadData:
    """Return the error for a block that is not what its index says."""
    return BadData(
        "{name} is damaged: its SHA-256 is not that of the index",
        name=name,
        hint="pack the bars again with `ia bars pack`",
    )


def _find_ticks(name: str, values: Matrix) -> tuple[Ticks | None, float | None]:
    """Return the values as whole ticks, [symbols, times], and the largest tick that gives each to the bit, or None."""
    known = ~np.isnan(values)
    for tick in _TICKS.get(name, _PRICE_TICKS if name in PRICES else ()):
        scale = round(1 / tick)
        counts = np.rint(values / tick if tick >= 1 else values * scale)
        back = counts * tick if tick >= 1 else counts / scale
        if np.array_equal(back[known], values[known]) and (np.abs(counts[known]) < -_MISSING).all():
            return np.ascontiguousarray(np.where(known, counts, _MISSING).T.astype(np.int32)), tick
    return None, None


def _compress(values: NDArray[Any]) -> bytes:
    """Return the bytes of an array. The same array gives the same bytes on every machine: nothing is left to choose."""
    blosc2 = load_extra("cluster", "blosc2")
    packed: bytes = blosc2.compress2(
        np.ascontiguousarray(values),
        typesize=values.itemsize,
        codec=blosc2.Codec.ZSTD,
        clevel=3,
        filters=[blosc2.Filter.BITSHUFFLE],
        blocksize=1 << 17,
        nthreads=1,
    )
    return packed
