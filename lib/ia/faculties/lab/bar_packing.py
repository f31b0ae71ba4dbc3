"""Pack bars for scans on several machines: from the mirror of the market, or from a folder of CSV files."""

import hashlib
import mmap
import os
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple, Protocol

import numpy as np

from ia.domain.instruments.symbols import resolve_security
from ia.faculties.lab.bar_blocks import BLOCK, CATALOG, PRICES, BlockEntry, Matrix, SpanIndex, encode_columns
from ia.faculties.lab.bar_catalogs import Catalog, read_catalog, read_index, visible_until
from ia.faculties.lab.bar_folders import BarFolder, ObjectMissing
from ia.kernel.errors import BadData, IaError, NotFound, PluralText, Refused, UsageError
from ia.kernel.patterns import pattern
from ia.organs.market.mirror.reader import Mirror
from ia.organs.ohlcv.canonical import HEADER, Bars, is_date, read_bars

COLUMNS = (*PRICES, "volume")


class SpanBars(Protocol):
    """The bars of a span, before they are packed.

    digest   tells them from others: of equal bars it is equal
    symbols  those that have a bar, in the order in which they are packed
    """

    digest: str
    times: list[str]
    symbols: list[str]

    def read(self, symbols: Sequence[str]) -> dict[str, Matrix]:
        """Return the columns of some symbols, [times, symbols]; NaN without a bar."""


class BarSource(Protocol):
    """Where bars come from."""

    market: str
    period: str
    simulated: bool
    spans: list[str]

    def open_span(self, span: str) -> SpanBars:
        """Return the bars of a span."""


class PackedSpan(NamedTuple):
    """What became of a span.

    written  how many blocks were written; 0 where it was packed before from the same bars
    size     bytes of all its blocks that were written
    """

    name: str
    times: int
    symbols: int
    written: int
    size: int


@dataclass(frozen=True, kw_only=True)
class PackResult:
    """What was packed, and where."""

    url: str
    spans: list[PackedSpan]


def pack_bars(
    source: BarSource, destination: str, *, show: Callable[[int, int], None] = lambda done, total: None
) -> PackResult:
    """Pack bars below a folder or s3:// URL. Spans that were packed before from the same bars stay as they are.

    A span counts once its index and then the catalog are written: what is interrupted is done again, and readers see
    the bars of before until then.

    Raises:
        Refused: no permission; or a span there has bars that the source lacks.
        BadData: a file of the source is malformed.
        NotFound, UsageError, TryLater, ConfigError: as `BarFolder`.
    """
    folder = BarFolder(destination, create=True)
    folder = BarFolder(f"{folder.url}/{source.market}/{source.period}", create=True)
    try:
        catalog = read_catalog(folder)
    except NotFound:
        catalog = Catalog(market=source.market, period=source.period, simulated=source.simulated)
    packed = []
    for done, name in enumerate(source.spans, 1):
        bars = source.open_span(name)
        if not bars.symbols:
            continue
        packed.append(_pack_span(folder, catalog, name, bars))
        if catalog.spans.get(name) != packed[-1].times:
            catalog.spans[name] = packed[-1].times
            folder.put(CATALOG, catalog.to_json())
        show(done, len(source.spans))
    return PackResult(url=folder.url, spans=packed)


def _pack_span(folder: BarFolder, catalog: Catalog, name: str, bars: SpanBars) -> PackedSpan:
    """Pack a span: its blocks, then its index."""
    old = read_index(folder, name)[0] if name in catalog.spans else None
    if old is not None:
        if old.source == bars.digest:
            return PackedSpan(name=name, times=len(old.times), symbols=len(old.symbols), written=0, size=0)
        _refuse_loss(folder, name, old, bars)
    before = max((span for span in catalog.spans if span < name), default=None)
    symbols = list(read_index(folder, before)[0].symbols) if before is not None else []
    known = set(symbols)
    symbols += [symbol for symbol in bars.symbols if symbol not in known]
    written = size = 0
    entries: dict[str, list[BlockEntry]] = {}
    counts: list[int] = []
    kept = {entry for column in (old.columns.values() if old else ()) for entry in column}
    for number in range(-(-len(symbols) // BLOCK)):
        columns = bars.read(symbols[number * BLOCK : (number + 1) * BLOCK])
        for column, (entry, data) in encode_columns(columns).items():
            entry = entry._replace(file=f"{number:04}.{entry.sha256[:8]}.b2")
            entries.setdefault(column, []).append(entry)
            if entry not in kept:
                folder.put(f"{name}/{column}/{entry.file}", data)
                written, size = written + 1, size + len(data)
        counts += (~np.isnan(columns["close"])).sum(axis=0).tolist()
    index = SpanIndex(times=bars.times, symbols=symbols, bars=counts, block=BLOCK, source=bars.digest, columns=entries)
    folder.put(f"{name}/index.json", index.to_json())
    if old is not None:
        new = {(column, entry.file) for column, listed in entries.items() for entry in listed}
        gone = {(column, entry.file) for column, listed in old.columns.items() for entry in listed} - new
        folder.remove(f"{name}/{column}/{file}" for column, file in sorted(gone))
    return PackedSpan(name=name, times=len(bars.times), symbols=len(symbols), written=written, size=size)


def _refuse_loss(folder: BarFolder, name: str, old: SpanIndex, bars: SpanBars) -> None:
    """Refuse to replace a span by one that has fewer symbols or ends before it."""
    held = {symbol for symbol, count in zip(old.symbols, old.bars, strict=True) if count}
    lost = sorted(held - set(bars.symbols))
    if lost or (old.times and old.times[-1] > (bars.times or [""])[-1]):
        raise Refused(
            PluralText(
                "{url}/{span} already has bars of {count} security that are not among those to pack",
                "{url}/{span} already has bars of {count} securities that are not among those to pack",
            )
            if lost
            else "{url}/{span} already has bars up to {last}, later than those to pack",
            url=folder.url,
            span=name,
            count=len(lost),
            last=old.times[-1],
            hint="pack all bars of a span at once, or pack to another folder",
        )


class BadBlock(NamedTuple):
    """A block that is missing or damaged."""

    span: str
    column: str
    file: str
    problem: str


def verify_bars(url: str, *, show: Callable[[int, int], None] = lambda done, total: None) -> tuple[int, list[BadBlock]]:
    """Return how many blocks there are, and those that are `missing` or `damaged`. raises  as `pack_bars`."""
    folder = BarFolder(url)
    catalog = read_catalog(folder)
    count, found = 0, []
    for done, span in enumerate(sorted(catalog.spans), 1):
        for column, entries in read_index(folder, span)[0].columns.items():
            for entry in entries:
                count += 1
                try:
                    data = folder.get(f"{span}/{column}/{entry.file}")
                except ObjectMissing:
                    found.append(BadBlock(span, column, entry.file, "missing"))
                    continue
                if hashlib.sha256(data).hexdigest() != entry.sha256:
                    found.append(BadBlock(span, column, entry.file, "damaged"))
        show(done, len(catalog.spans))
    return count, found


def open_mirror_source(mirror: Mirror, *, market: str = "CN", simulated: bool = False) -> BarSource:
    """Return the daily bars of a mirror as a source: raw prices, and their factors. A span is a year."""
    return _MirrorSource(mirror, market, simulated)


class _MirrorSource:
    period = "1d"

    def __init__(self, mirror: Mirror, market: str, simulated: bool) -> None:
        self.market, self.simulated, self._mirror = market, simulated, mirror
        self.spans = sorted({day[:4] for day in mirror.dates})

    def open_span(self, span: str) -> SpanBars:
        return _MirrorSpan(self._mirror, span)


class _MirrorSpan:
    def __init__(self, mirror: Mirror, span: str) -> None:
        begin, end = bisect_left(mirror.dates, span), bisect_left(mirror.dates, f"{span}~")
        self.times = mirror.dates[begin:end]
        self._columns = {name: np.asarray(getattr(mirror, name))[begin:end] for name in (*COLUMNS, "factor")}
        met = (~np.isnan(self._columns["close"])).any(axis=0)
        self.symbols = [symbol for symbol, each in zip(mirror.symbols, met.tolist(), strict=True) if each]
        self._places = {symbol: place for place, symbol in enumerate(mirror.symbols)}
        digest = hashlib.sha256("\n".join([*self.times, *self.symbols]).encode())
        for values in self._columns.values():
            for row in values:
                digest.update(np.ascontiguousarray(row[met]).data)
        self.digest = digest.hexdigest()

    def read(self, symbols: Sequence[str]) -> dict[str, Matrix]:
        places = np.array([self._places.get(symbol, -1) for symbol in symbols], dtype=np.intp)
        found = {name: values[:, places] for name, values in self._columns.items()}
        for values in found.values():
            values[:, places < 0] = np.nan
        return found


def open_csv_source(folder: str, period: str) -> BarSource:
    """Return the canonical CSV files of a folder, one a symbol, as a source. A span is a month; a year of daily bars.

    period  such as 1m, 5m, 1h or 1d

    Raises:
        UsageError: the period is none.
        NotFound: there is no such folder, or nothing in it.
        BadData: a file is named by no symbol, or not canonical; or they are of several markets.
    """
    return _CsvSource(folder, period)


class _CsvSource:
    simulated = False

    def __init__(self, folder: str, period: str) -> None:
        if not pattern(r"[1-9]\d?[mh]|1d").fullmatch(period):
            raise UsageError("{period}: no period of bars; write 1m, 5m, 1h or 1d", period=period)
        self.period = period
        if not os.path.isdir(folder):
            raise NotFound("{folder}: no such folder", folder=folder)
        names = sorted(name for name in os.listdir(folder) if name.lower().endswith(".csv"))
        if not names:
            raise NotFound("{folder} has no CSV files", folder=folder, hint="name each by its symbol: 600519.csv")
        self._files = [_CsvFile(os.path.join(folder, name)) for name in names]
        markets = {each.market for each in self._files}
        if len(markets) > 1:
            raise BadData(
                "{folder} has files of several markets: {markets}",
                folder=folder,
                markets=", ".join(sorted(markets)),
                hint="pack one market at a time",
            )
        symbols = [each.symbol for each in self._files]
        if twice := next((symbol for symbol in symbols if symbols.count(symbol) > 1), ""):
            raise BadData("{symbol} has more than one file in {folder}", symbol=twice, folder=folder)
        self.market = markets.pop()
        self._until = visible_until(self.market, period)
        ends = [day for each in self._files for day in each.find_ends()]
        if wrong := next((day for day in ends if not is_date(day)), ""):
            raise BadData("{folder}: {date!r} is not a date", folder=folder, date=wrong[:40])
        first, last = min(ends, default=self._until), min(max(ends, default=""), self._until)
        self.spans = _list_spans(first, last, 4 if period == "1d" else 7)

    def open_span(self, span: str) -> SpanBars:
        return _CsvSpan(self._files, span, self.period == "1d", self._until)


class _CsvFile:
    """A canonical CSV file; its lines are found by their dates without reading all of it."""

    def __init__(self, path: str) -> None:
        self.path, name = path, os.path.basename(path)
        try:
            found = resolve_security(name[: -len(".csv")], traded=True, spelled=False)
        except IaError:
            raise BadData(
                "{file}: the name is not a symbol", file=path, hint="name each file by its symbol: 600519.csv"
            ) from None
        self.symbol, self.market = found.canonical, found.market
        with open(path, "rb") as stream:
            head = stream.readline(200)
            self._size = stream.seek(0, os.SEEK_END)
        if head.rstrip(b"\n") != HEADER.encode():
            raise BadData(
                "{file}: the header is not {header}",
                file=path,
                header=HEADER,
                hint="`ia ohlcv - < FILE` writes canonical CSV",
            )
        self._begin = min(len(head), self._size)

    def find_ends(self) -> list[str]:
        """Return the first and the last date."""
        with self._map() as data:
            if self._begin >= len(data):
                return []
            first = data[self._begin : self._begin + 32].partition(b",")[0]
            last = data[data.rfind(b"\n", 0, len(data) - 1) + 1 :].partition(b",")[0]
        return [first.decode("ascii", "replace"), last.decode("ascii", "replace")]

    def read_between(self, begin: str, end: str) -> bytes:
        """Return the lines with a date from `begin` up to, and without, `end`."""
        with self._map() as data:
            return data[self._find(data, begin.encode()) : self._find(data, end.encode())]

    def _map(self) -> mmap.mmap:
        with open(self.path, "rb") as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def _find(self, data: mmap.mmap, date: bytes) -> int:
        """Return where the first line begins whose date is not before one."""
        low, high = self._begin, len(data)
        while low < high:
            middle = (low + high) // 2
            begin = data.rfind(b"\n", low, middle) + 1 or low
            if data[begin : begin + len(date)] < date:
                low = (data.find(b"\n", middle) + 1) or len(data)
            else:
                high = begin
        return low

    def parse(self, lines: bytes, span: str, until: str) -> Bars:
        """Return the bars of some lines. raises  BadData where a line is malformed, or the file is not sorted."""
        try:
            bars = read_bars(BytesIO(f"{HEADER}\n".encode() + lines), self.path)
        except BadData:
            with open(self.path, "rb") as stream:
                read_bars(stream, self.path)  # it knows the number of the line
            raise
        if bars.date and not (bars.date[0][: len(span)] == span == bars.date[-1][: len(span)]):
            raise BadData("{file}: the dates do not ascend", file=self.path)
        return bars.between_dates(None, until)


class _CsvSpan:
    def __init__(self, files: Sequence[_CsvFile], span: str, daily: bool, until: str) -> None:
        self._files = {each.symbol: each for each in files}
        self._span, self._until = span, until
        self._end = min(f"{span}~", f"{until}~")
        self.symbols: list[str] = []
        times: set[bytes] = set()
        digest = hashlib.sha256()
        for each in files:
            lines = each.read_between(span, self._end)
            if lines:
                self.symbols.append(each.symbol)
                digest.update(f"{each.symbol} {hashlib.sha256(lines).hexdigest()}\n".encode())
                found = {line.partition(b",")[0] for line in lines.splitlines()}
                if wrong := next((time for time in found if (len(time) == 10) is not daily), None):
                    template = "{file}: {date} has a time of day" if daily else "{file}: {date} has no time of day"
                    raise BadData(template, file=each.path, date=wrong[:40].decode("ascii", "replace"))
                times |= found
        self.times = [time.decode("ascii", "replace") for time in sorted(times)]
        self.digest = digest.hexdigest()

    def read(self, symbols: Sequence[str]) -> dict[str, Matrix]:
        rows = {time: row for row, time in enumerate(self.times)}
        columns = {name: np.full((len(rows), len(symbols)), np.nan) for name in COLUMNS}
        for place, symbol in enumerate(symbols):
            if symbol not in self._files:
                continue
            file = self._files[symbol]
            bars = file.parse(file.read_between(self._span, self._end), self._span, self._until)
            at = [rows[time] for time in bars.date]
            for name, values in columns.items():
                values[at, place] = getattr(bars, name)
        return columns


def _list_spans(first: str, last: str, width: int) -> list[str]:
    """Return the years or months from one date to another.

    >>> _list_spans("2023-11-30", "2024-02-01", 7)
    ['2023-11', '2023-12', '2024-01', '2024-02']
    """
    years = range(int(first[:4]), int(last[:4]) + 1)
    if width == 4:
        return [str(year) for year in years]
    months = [f"{year}-{month:02}" for year in years for month in range(1, 13)]
    return [month for month in months if first[:7] <= month <= last[:7]]
