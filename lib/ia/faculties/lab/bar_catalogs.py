"""The catalog of packed bars, their indexes and blocks, read as far as the clock allows."""

import hashlib
from bisect import bisect_right
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ia.faculties.lab.bar_blocks import (
    CATALOG,
    FORMAT,
    BlockEntry,
    Matrix,
    SpanIndex,
    decode_ticks,
    dump_json,
    parse_json,
    scale_ticks,
)
from ia.faculties.lab.bar_folders import BarFolder, ObjectMissing
from ia.kernel import clock
from ia.kernel.errors import BadData, NotFound

_AHEAD = 8
"""Objects that are fetched at once."""
_MOST_AHEAD = 64
_KEPT = 256 << 20
"""Bytes of decoded blocks that are kept."""


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """What a folder of packed bars holds: spans with their numbers of times, oldest first."""

    market: str
    period: str
    simulated: bool
    spans: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> bytes:
        spans = [{"name": name, "rows": rows} for name, rows in sorted(self.spans.items())]
        return dump_json(
            {
                "format": FORMAT,
                "market": self.market,
                "period": self.period,
                "simulated": self.simulated,
                "spans": spans,
            }
        )

    @classmethod
    def from_json(cls, data: bytes, name: str) -> "Catalog":
        """Return the catalog; BadData where it is none."""
        document = parse_json(data, name)
        try:
            spans = {str(each["name"]): int(each["rows"]) for each in document["spans"]}
            if document["market"] not in clock.CLOSE:
                raise ValueError
            return cls(
                market=str(document["market"]),
                period=str(document["period"]),
                simulated=bool(document["simulated"]),
                spans=spans,
            )
        except (KeyError, TypeError, ValueError):
            raise BadData("{name} is damaged", name=name, hint="pack the bars again with `ia bars pack`") from None


def visible_until(market: str, period: str) -> str:
    """Return the last time whose bar may be seen now."""
    if period.endswith("d"):
        return clock.last_visible_date(market)
    return clock.now().astimezone(clock.exchange_zone(market)).strftime("%Y-%m-%dT%H:%M:%S")


def read_catalog(folder: BarFolder) -> Catalog:
    """Return the catalog of a folder. raises  NotFound where there is none; BadData."""
    try:
        return Catalog.from_json(folder.get(CATALOG), f"{folder.url}/{CATALOG}")
    except ObjectMissing:
        raise NotFound(
            "{url}: no packed bars here",
            url=folder.url,
            hint="give the address that `ia bars pack` printed, such as {url}/CN/1d",
        ) from None


def read_index(folder: BarFolder, span: str) -> tuple[SpanIndex, str]:
    """Return the index of a span, and its SHA-256. raises  BadData where it is missing or damaged."""
    name = f"{folder.url}/{span}/index.json"
    try:
        data = folder.get(f"{span}/index.json")
    except ObjectMissing:
        raise BadData(
            "{name} is missing, although the catalog names {span}",
            name=name,
            span=span,
            hint="pack the bars again with `ia bars pack`",
        ) from None
    return SpanIndex.from_json(data, name), hashlib.sha256(data).hexdigest()


class VisibleSpan(NamedTuple):
    """A span as far as it may be seen: so many times of it."""

    name: str
    rows: int


class PackedBars:
    """Packed bars up to a time.

    until  the last time that may be seen; "": as the clock says
    stamp  changes when the newest span is packed anew
    raises  NotFound where there is nothing to be seen; BadData; Refused; TryLater; ConfigError without the extra
    """

    def __init__(self, url: str, until: str = "") -> None:
        self.folder = BarFolder(url)
        self.catalog = read_catalog(self.folder)
        self.until = until or visible_until(self.catalog.market, self.catalog.period)
        self._indexes: dict[str, SpanIndex] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._blocks: OrderedDict[tuple[str, str, int], Matrix] = OrderedDict()
        self._kept = 0
        self._reader: ThreadPoolExecutor | None = None
        self._ahead: dict[str, Future[bytes]] = {}
        self._taken: dict[tuple[str, str], None] = {}
        self._purpose: object = None
        spans = [
            VisibleSpan(name, rows) for name, rows in self.catalog.spans.items() if name <= self.until[: len(name)]
        ]
        self.stamp = ""
        while spans:
            index, self.stamp = read_index(self.folder, spans[-1].name)
            self._indexes[spans[-1].name] = index
            rows = bisect_right(index.times, self.until)
            if rows:
                spans[-1] = VisibleSpan(spans[-1].name, rows)
                break
            spans.pop()
        if not spans:
            raise NotFound("{url}: no bars up to {until}", url=self.folder.url, until=self.until)
        self.spans = spans
        self.height = sum(rows for _, rows in spans)

    @property
    def newest(self) -> SpanIndex:
        """The index of the newest span."""
        return self.index(self.spans[-1].name)

    @property
    def day(self) -> str:
        """The newest time."""
        return self.newest.times[self.spans[-1].rows - 1]

    def index(self, span: str) -> SpanIndex:
        if span not in self._indexes:
            index = read_index(self.folder, span)[0]
            if len(index.times) != self.catalog.spans[span]:
                raise BadData(
                    "{name} does not fit the catalog",
                    name=f"{self.folder.url}/{span}/index.json",
                    hint="pack the bars again with `ia bars pack`",
                )
            self._indexes[span] = index
        return self._indexes[span]

    def places(self, span: str) -> dict[str, int]:
        """Return the place of each symbol in a span."""
        if span not in self._places:
            self._places[span] = {symbol: place for place, symbol in enumerate(self.index(span).symbols)}
        return self._places[span]

    def read(self, span: str, name: str, symbols: list[str]) -> Matrix:
        """Return a column of some symbols over a span, [times, symbols]; NaN where there is no bar, or no such symbol.

        The column `factor` is 1 where the bars have none.
        """
        index, known = self.index(span), self.places(span)
        if name not in index.columns:
            if name == "factor":
                return np.broadcast_to(np.float64(1.0), (len(index.times), len(symbols)))
            raise BadData("{name} has no column {column}", name=f"{self.folder.url}/{span}", column=name)
        places = np.array([known.get(symbol, -1) for symbol in symbols], dtype=np.intp)
        numbers = np.unique(places[places >= 0] // index.block)
        if len(numbers) == 1 and (places >= 0).all():
            return self._read_block(span, name, int(numbers[0]))[:, places % index.block]
        out = np.full((len(index.times), len(symbols)), np.nan)
        for number in numbers.tolist():
            met = (places >= 0) & (places // index.block == number)
            out[:, met] = self._read_block(span, name, number)[:, places[met] % index.block]
        return out

    def fetch_ahead(self, number: int, purpose: object) -> None:
        """Begin to fetch what was taken of other blocks, for the same purpose, of this one: a bucket answers late."""
        if purpose != self._purpose:
            self._purpose = purpose
            self._taken.clear()
        if not self.folder.remote:
            return
        if len(self._ahead) > _MOST_AHEAD:
            self._ahead.clear()  # what was not needed after all
        self._reader = self._reader or ThreadPoolExecutor(_AHEAD, thread_name_prefix="bars")
        for span, name in list(self._taken)[: 2 * _AHEAD]:
            entries = self.index(span).columns[name]
            if number < len(entries) and (span, name, number) not in self._blocks:
                path = f"{span}/{name}/{entries[number].file}"
                if path not in self._ahead:
                    self._ahead[path] = self._reader.submit(self.folder.get, path)

    def _read_block(self, span: str, name: str, number: int) -> Matrix:
        key = (span, name, number)
        if key in self._blocks:
            self._blocks.move_to_end(key)
            return self._blocks[key]
        values = scale_ticks(self.index(span).columns[name][number], self._read_ticks(span, name, number)).T
        self._blocks[key] = values
        self._kept += values.nbytes
        while self._kept > _KEPT and len(self._blocks) > 1:
            self._kept -= self._blocks.popitem(last=False)[1].nbytes
        return values

    def _read_ticks(self, span: str, name: str, number: int) -> Any:
        index = self.index(span)
        entry = index.columns[name][number]
        close = self._read_ticks(span, "close", number) if entry.form == "less-close" else None
        shape = (min(index.block, len(index.symbols) - number * index.block), len(index.times))
        return decode_ticks(entry, self.read_object(span, name, entry), shape, self._file(span, name, entry), close)

    def read_object(self, span: str, name: str, entry: BlockEntry) -> bytes:
        """Return the bytes of a block. raises  BadData where it is missing."""
        self._taken[span, name] = None
        path = f"{span}/{name}/{entry.file}"
        try:
            return self._ahead.pop(path).result() if path in self._ahead else self.folder.get(path)
        except ObjectMissing:
            raise BadData(
                "{name} is missing", name=self._file(span, name, entry), hint="pack the bars again with `ia bars pack`"
            ) from None

    def _file(self, span: str, name: str, entry: BlockEntry) -> str:
        return f"{self.folder.url}/{span}/{name}/{entry.file}"
