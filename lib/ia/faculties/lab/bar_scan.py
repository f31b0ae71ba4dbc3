"""A scan of packed bars: what a scan of the mirror gives of the same bars, block by block."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import cast

import numpy as np

from ia.domain.instruments.symbols import kind_of_code
from ia.faculties.lab.bar_catalogs import PackedBars
from ia.faculties.lab.bar_reader import BarReader
from ia.faculties.lab.cross_sections import CrossSection
from ia.faculties.lab.scan import ScanRequest, ScanResult, ScanRow, tell_result
from ia.faculties.lab.scan_expressions import ScanExpression, ScanMarket
from ia.kernel.errors import IaError, Message, NotFound, Notify, Simulated, UsageError, drop_message
from ia.organs.market.mirror.symbol_blocks import BlockReader, Places
from ia.organs.ohlcv.canonical import Bars


@dataclass(kw_only=True)
class BlockResult:
    """What a scan found in a block, as in `ScanResult`.

    failures  how many securities the expression raised an error for, and the first such error
    """

    rows: list[ScanRow] = field(default_factory=list)
    truth: bool = False
    looked: int = 0
    stale: list[str] = field(default_factory=list)
    unknown: int = 0
    failures: int = 0
    failure: IaError | None = None


@dataclass(frozen=True, kw_only=True)
class BlockTask:
    """A block of a scan. It says all that another process needs but the bars.

    until, stamp  of `PackedBars`: the same bars are meant
    number        of the block in the newest span
    places        of the securities in the block; None: all stocks
    compared      what compares the securities of the day, by name: the result for each symbol
    """

    url: str
    until: str
    stamp: str
    expressions: tuple[str, ...]
    stale: bool
    number: int
    places: tuple[int, ...] | None
    compared: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


RunTasks = Callable[[list[BlockTask], PackedBars], Iterator[BlockResult]]
"""Yields the result of each task, in any order."""
Show = Callable[[int, int], None]
_AHEAD = 4
"""Blocks that are fetched while one is evaluated."""
_Compared = dict[str, dict[str, float]]


def _no_industries(date: str) -> dict[str, str]:
    raise UsageError("industries are not known here")


def scan_bars(
    url: str,
    request: ScanRequest,
    *,
    run: "RunTasks | None" = None,
    industries: Callable[[str], Mapping[str, str]] = _no_industries,
    notify: Notify = drop_message,
    show: Show = lambda done, total: None,
) -> ScanResult:
    """Return what `scan_market` does, of packed bars in place of the stored market.

    run         evaluates the blocks; without it this process does
    industries  the industry of each symbol on a date

    Raises:
        BadData: an expression does not parse, raises an error, or gives no single value; bars are damaged.
        Refused: it looks ahead; the bars may not be read.
        UsageError: it needs the sandbox, or what compares securities on other days than the newest; `since` is given.
        NotFound: there are no packed bars.
        TryLater: the bars cannot be read now.
        ConfigError: the extra `cluster` is not installed.
    """
    if request.since:
        raise UsageError("packed bars are scanned on their newest time; omit {option}", option="--since")
    expressions = [_check_expression(text) for text in (request.expression, *request.columns)]
    bars = PackedBars(url)
    if bars.catalog.simulated:
        notify(Simulated("simulated prices: a simulated market generated this data"))
    tasks, missing = _plan_tasks(bars, request)
    scan = _Scan(bars, tasks, run or run_here, industries, show)
    for each in expressions:
        scan.compare(each)
    part = scan.evaluate(tuple(each.source for each in expressions), stale=request.stale)
    if part.failure is not None and part.looked == part.failures:
        raise part.failure
    if missing:
        more = ", …" if len(missing) > 5 else ""
        notify(Message("not in {url}: {symbols}", url=bars.folder.url, symbols=", ".join(missing[:5]) + more))
    found = ScanResult(
        day=bars.day,
        rows=[] if request.count_only else part.rows,
        count=len(part.rows),
        truth=part.truth or expressions[0].truth,
        looked=part.looked,
        stale=part.stale,
        unknown=part.unknown,
        simulated=bars.catalog.simulated,
    )
    tell_result(found, request, notify)
    return found


class _Scan:
    """The steps of one scan over the same blocks."""

    def __init__(
        self,
        bars: PackedBars,
        tasks: list[BlockTask],
        run: RunTasks,
        industries: Callable[[str], Mapping[str, str]],
        show: Show,
    ) -> None:
        self.bars, self.tasks, self.run, self.industries, self.show = bars, tasks, run, industries, show
        self.compared: _Compared = {}

    def evaluate(self, texts: tuple[str, ...], *, stale: bool) -> BlockResult:
        """Return what is found in all blocks."""
        tasks = [replace(each, expressions=texts, stale=stale, compared=self._part(each)) for each in self.tasks]
        found = BlockResult()
        for done, part in enumerate(self.run(tasks, self.bars), 1):
            found.rows += part.rows
            found.truth |= part.truth
            found.looked += part.looked
            found.stale += part.stale
            found.unknown += part.unknown
            found.failures += part.failures
            found.failure = found.failure or part.failure
            self.show(done, len(tasks))
        return found

    def compare(self, expression: ScanExpression) -> None:
        """Work out what compares securities in an expression: a step over all blocks each, then here."""
        for section, argument in expression.sections:
            if section.name in self.compared:
                continue
            self.compare(argument)
            found = self.evaluate((argument.source,), stale=False)
            if found.truth:
                raise argument.not_number()
            if found.failure is not None and found.looked == found.failures:
                raise found.failure
            self.compared[section.name] = self._compare_day(section, found.rows)

    def _compare_day(self, section: CrossSection, rows: Sequence[ScanRow]) -> dict[str, float]:
        groups = None
        rows = sorted(rows, key=lambda row: row.symbol)
        if section.by_industry:
            told = self.industries(self.bars.day[:10])
            numbers = {name: at for at, name in enumerate(sorted(set(told.values())))}
            groups = np.array([numbers.get(told.get(row.symbol, ""), -1) for row in rows], dtype=np.intp)
        values = section.compare_day(np.array([row.value for row in rows], dtype=np.float64), groups)
        return {row.symbol: value for row, value in zip(rows, values.tolist(), strict=True)}

    def _part(self, task: BlockTask) -> _Compared:
        symbols = set(_symbols_of(task, self.bars))
        return {
            name: {symbol: value for symbol, value in values.items() if symbol in symbols}
            for name, values in self.compared.items()
        }


def run_here(tasks: list[BlockTask], bars: PackedBars) -> Iterator[BlockResult]:
    """Yield the result of each task, one after the other."""
    for at, task in enumerate(tasks):
        for near in tasks[at : at + _AHEAD]:
            bars.fetch_ahead(near.number, near.expressions)
        yield scan_block(task, bars)


def _plan_tasks(bars: PackedBars, request: ScanRequest) -> tuple[list[BlockTask], list[str]]:
    """Return a task for each block of the newest span with securities of the scan, and which ones are not there."""
    width = bars.newest.block
    if request.symbols is None:
        chosen: dict[int, tuple[int, ...] | None] = dict.fromkeys(range(-(-len(bars.newest.symbols) // width)))
        missing: list[str] = []
    else:
        known = bars.places(bars.spans[-1].name)
        missing = [symbol for symbol in request.symbols if symbol not in known]
        places = sorted({known[symbol] for symbol in request.symbols if symbol in known})
        chosen = {
            number: tuple(place % width for place in within)
            for number, within in groupby(places, lambda place: place // width)
        }
    tasks = [
        BlockTask(
            url=bars.folder.url,
            until=bars.until,
            stamp=bars.stamp,
            expressions=(),
            stale=False,
            number=number,
            places=within,
        )
        for number, within in chosen.items()
    ]
    return tasks, missing


def _symbols_of(task: BlockTask, bars: PackedBars) -> list[str]:
    index = bars.newest
    symbols = index.symbols[task.number * index.block : (task.number + 1) * index.block]
    if task.places is None:
        return [symbol for symbol in symbols if _is_stock(symbol)]
    return [symbols[place] for place in task.places]


def scan_block(task: BlockTask, bars: PackedBars) -> BlockResult:
    """Return what a scan finds in a block."""
    symbols = _symbols_of(task, bars)
    found = BlockResult()
    if not symbols:
        return found
    reader, places = BarReader(bars, symbols), np.arange(len(symbols))
    rows = reader.newest_rows(places, whole=task.stale)
    gone = places[rows < 0]
    stale = gone[reader.find_older(gone)].tolist()
    places, rows = places[rows >= 0], rows[rows >= 0]
    times = np.array(reader.times_at(rows), dtype=object)
    late = np.array([time[:10] < bars.day[:10] for time in times.tolist()], dtype=np.bool_)
    found.stale = [symbols[place] for place in sorted(stale + places[late].tolist())]
    market = _make_market(reader, task, places[~late], rows[~late])
    if not task.stale:
        places, rows, times = places[~late], rows[~late], times[~late]
    expressions = [ScanExpression(text) for text in task.expressions]
    try:
        found.looked = len(places)
        values = expressions[0].newest_values(market, places)
        found.truth = any(value is True or value is False for value in values)
        found.unknown = values.count(None)
        hits = [at for at, value in enumerate(values) if value is not None and value is not False]
        places, rows, times = places[hits], rows[hits], times[hits]
        further = [each.newest_values(market, places) for each in expressions[1:]]
    finally:
        for each in expressions:
            each.close()
    closes = reader.newest_closes(places, rows).tolist()
    for at, hit in enumerate(hits):
        found.rows.append(
            ScanRow(
                symbol=symbols[places[at]],
                date=times[at],
                close=closes[at],
                value=values[hit],
                values=tuple(each[at] for each in further),
            )
        )
    found.failures, found.failure = expressions[0].failures, expressions[0].failure
    return found


def _make_market(reader: BarReader, task: BlockTask, places: Places, rows: Places) -> ScanMarket:
    """Return the market of a block, with what compares its securities at the newest bar of each."""
    market = ScanMarket(
        reader=cast(BlockReader, reader),  # it reads the same of packed bars
        universe=places,
        newest=rows,
        industries=lambda first: [],
        notify=drop_message,
        show=lambda done, total: None,
    )
    first = int(rows.min(initial=reader.height - 1))
    for name, values in task.compared.items():
        column = np.full((reader.height - first, len(reader.symbols)), np.nan)
        told = [values.get(reader.symbols[place], np.nan) for place in places.tolist()]
        column[rows - first, places] = told
        reader.add_column(name, first, column)
        market.added[name] = -1
    return market


def _is_stock(symbol: str) -> bool:
    try:
        return kind_of_code(symbol) == "stock"
    except NotFound:
        return True


def _check_expression(text: str) -> ScanExpression:
    """Return an expression; refuse what cannot be evaluated, before any bar is read. raises  as `scan_bars`."""
    expression = ScanExpression(text)
    check = ScanExpression(expression.plain)
    count = 300
    prices = [100.0 + each % 7 for each in range(count)]
    dates = [f"{2000 + each // 28}-01-{each % 28 + 1:02}" for each in range(count)]
    try:
        check.newest_value(Bars(dates, prices, prices, prices, prices, [1000] * count), drop_message)
    finally:
        check.close()
    if check.failure is not None:
        raise check.failure
    if expression.sandboxed or check.sandboxed:
        raise UsageError(
            "{expression!r} needs the sandbox, and packed bars are scanned without it",
            expression=expression.sandboxed or check.sandboxed,
            hint="use the functions of ia-compute(1)",
        )
    if expression.sections and not expression.of_day:
        raise UsageError(
            "{expression}: packed bars know what compares securities only on the newest day", expression=text
        )
    for _, argument in expression.sections:
        _check_expression(argument.source)
    return expression
