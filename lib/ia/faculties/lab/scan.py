"""A scan: one expression of `ia compute` over many securities, each on its own bars.

What a security gets is what `ia ohlcv SYMBOL | ia compute EXPR` gives for its newest bar.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.domain.instruments.symbols import kind_of_code
from ia.faculties.lab.expression_names import check_names
from ia.kernel import config
from ia.kernel.errors import BadData, IaError, Message, NotFound, Notify, PluralText, Refused, UsageError, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.compute.array_lane import Plan, compile_array
from ia.organs.market import market_reader
from ia.organs.market.mirror.reader import Mirror, load_mirror
from ia.organs.market.mirror.symbol_bars import iterate_bars
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.faculties.lab.market_values import MarketExpression
    from ia.organs.compute.sandbox import ComputeResult
    from ia.organs.market.mirror.symbol_blocks import BlockReader, Places

ALL = "all"
MOST_SANDBOXED = 200
"""Securities for which an expression may be evaluated in a sandbox, which takes a third of a second each."""
_ALL_COLUMNS = ("open", "high", "low", "close", "volume")


class ScanRow(NamedTuple):
    """A security on its newest bar: what the expression gives, and what the further expressions give.

    values  a float, int, bool or None (missing) each
    """

    symbol: str
    date: str
    close: float
    value: Any
    values: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class ScanRequest:
    """What is asked for.

    columns  further expressions to evaluate where the first is true, or has a value
    symbols  canonical symbols to look at; None: all stocks of the synced market
    stale    also take securities without a bar on the newest day
    """

    expression: str
    columns: tuple[str, ...] = ()
    symbols: tuple[str, ...] | None = None
    stale: bool = False


@dataclass(kw_only=True)
class ScanResult:
    """What a scan found on a day.

    truth      whether the expression gives true or false: then only what is true is in `rows`; else all with a value
    looked     how many securities were looked at
    stale      those without a bar on the day
    missing    those of which no bars are stored
    unknown    how many have no value yet (too few bars)
    sandboxed  whether the expression needed the sandbox
    """

    day: str
    rows: list[ScanRow] = field(default_factory=list)
    truth: bool = False
    looked: int = 0
    stale: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unknown: int = 0
    sandboxed: bool = False
    simulated: bool = False


def scan_market(
    ws: Workspace,
    request: ScanRequest,
    *,
    notify: Notify = drop_message,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> ScanResult:
    """Return the securities for which an expression is true on their newest bar, or its value for each.

    `show` is told how many of how many were looked at.

    Raises:
        BadData: an expression does not parse, raises an error on all bars, or gives no single value.
        Refused: it looks ahead, or the policy of `ia compute` forbids it.
        NotFound: no market is stored.
        UsageError: it needs the sandbox for too many securities.
    """
    evaluators = [_Evaluator(text) for text in (request.expression, *request.columns)]
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db, notify)
    mirror = load_mirror(ws, day.name, day.date)
    wanted = request.symbols if request.symbols is not None else _stocks(mirror.symbols)
    found = ScanResult(day=day.date, simulated=day.simulated)
    found.sandboxed = any(each.plan is None for each in evaluators)
    if found.sandboxed and len(wanted) > MOST_SANDBOXED:
        raise UsageError(
            "{expression!r} needs the sandbox, which is too slow for {count} securities",
            expression=next(each.source for each in evaluators if each.plan is None),
            count=len(wanted),
            hint="use the functions of ia-compute(1), or narrow it with --in or --where",
        )
    known = set(mirror.symbols)
    _look_at_market(found, evaluators, mirror, set(wanted), request.stale)
    show(found.looked, len(wanted))
    for symbol, bars in _load_others(ws, wanted, known, found):
        _look_at_bars(found, evaluators, symbol, bars)
        show(found.looked, len(wanted))
    if found.looked == evaluators[0].failures and evaluators[0].failure is not None:
        raise evaluators[0].failure
    _tell(found, request, notify)
    return found


def _stocks(symbols: Sequence[str]) -> tuple[str, ...]:
    return tuple(symbol for symbol in symbols if kind_of_code(symbol) == "stock")


def _look_at_market(
    found: ScanResult, evaluators: "list[_Evaluator]", mirror: Mirror, wanted: set[str], stale: bool
) -> None:
    """Add the securities of the market to what was found."""
    import numpy as np

    from ia.organs.market.mirror.symbol_blocks import BlockReader

    reader = BlockReader(mirror)
    places = np.array([place for place, symbol in enumerate(mirror.symbols) if symbol in wanted], dtype=np.intp)
    rows = reader.newest_rows(places)
    places, rows = places[rows >= 0], rows[rows >= 0]
    late = [mirror.dates[row] < found.day for row in rows.tolist()]
    found.stale += [mirror.symbols[place] for place, each in zip(places.tolist(), late, strict=True) if each]
    if not stale:
        current = ~np.array(late, dtype=np.bool_)
        places, rows = places[current], rows[current]
    found.looked += len(places)
    values = evaluators[0].evaluate_market(reader, places)
    found.truth |= any(value is True or value is False for value in values)
    found.unknown += values.count(None)
    hits = [at for at, value in enumerate(values) if value is not None and value is not False]
    places, rows = places[hits], rows[hits]
    further = [each.evaluate_market(reader, places) for each in evaluators[1:]]
    closes = reader.newest_closes(places, rows).tolist()
    for at, (hit, place, row) in enumerate(zip(hits, places.tolist(), rows.tolist(), strict=True)):
        found.rows.append(
            ScanRow(
                symbol=mirror.symbols[place],
                date=mirror.dates[row],
                close=closes[at],
                value=values[hit],
                values=tuple(each[at] for each in further),
            )
        )


def _load_others(
    ws: Workspace, wanted: Iterable[str], known: set[str], found: ScanResult
) -> Iterator[tuple[str, Bars]]:
    """Yield the stored bars of securities that are not of the synced market (US, Hong Kong)."""
    for symbol in wanted:
        if symbol not in known:
            try:
                history = market_reader.load_history(ws, symbol)
            except NotFound:
                found.missing.append(symbol)
                continue
            found.simulated |= history.simulated
            yield symbol, history.bars


def _look_at_bars(found: ScanResult, evaluators: "list[_Evaluator]", symbol: str, bars: Bars) -> None:
    """Add a security to what was found."""
    found.looked += 1
    value = evaluators[0].evaluate(bars)
    if isinstance(value, bool):
        found.truth = True
        if not value:
            return
    elif value is None:
        found.unknown += 1
        return
    values = tuple(each.evaluate(bars) for each in evaluators[1:])
    found.rows.append(ScanRow(symbol=symbol, date=bars.date[-1], close=bars.close[-1], value=value, values=values))


def _tell(found: ScanResult, request: ScanRequest, notify: Notify) -> None:
    if found.stale and not request.stale:
        notify(
            Message(
                PluralText(
                    "skipped {count} security without a bar on {day} (suspended or delisted; --stale includes it)",
                    "skipped {count} securities without a bar on {day} (suspended or delisted; --stale includes them)",
                ),
                count=len(found.stale),
                day=found.day,
            )
        )
    if found.missing:
        notify(
            Message(
                "no bars stored: {symbols}; fetch them with `ia ohlcv {first}`",
                symbols=", ".join(found.missing[:5]) + (", …" if len(found.missing) > 5 else ""),
                first=found.missing[0],
            )
        )
    if found.unknown:
        notify(
            Message(
                PluralText("{count} security has no value yet", "{count} securities have no value yet"),
                count=found.unknown,
            )
        )


class _Evaluator:
    """Evaluates one expression over the bars of one security after another; its newest value counts."""

    def __init__(self, source: str) -> None:
        from ia.organs.compute import array_backend
        from ia.organs.compute.lint import find_look_ahead

        if not source.strip():
            raise BadData("the expression is empty", hint="for example `ia scan 'rsi(close, 14) < 30'`")
        self.source = source
        check_names(source, source)
        array_backend.settle_on_numpy()
        self.plan: Plan | None = compile_array(source)
        self._blocks = self._prepare_blocks()
        self.failures = 0
        self.failure: IaError | None = None
        if ahead := find_look_ahead(source):
            raise Refused(
                "{reason}", reason=ahead[0].message, hint="a scan sees the bars up to the day, and none later"
            )

    @property
    def columns(self) -> Iterable[str]:
        """The columns of the bars that are read."""
        return _ALL_COLUMNS if self.plan is None else self.plan.series

    def _prepare_blocks(self) -> "MarketExpression | None":
        from ia.faculties.lab.market_values import MarketExpression
        from ia.organs.compute.block_lane import Several

        try:
            return None if self.plan is None else MarketExpression(self.plan)
        except Several:
            raise self._not_single() from None
        except Exception:  # whatever it is, a single security says it properly
            return None

    def evaluate_market(self, reader: "BlockReader", places: "Places") -> list[Any]:
        """Return the newest value for each of the securities at some places of the mirror, as `evaluate` does."""
        if self._blocks is not None:
            try:
                return self._blocks.newest_values(reader, places)
            except Exception:  # as above
                pass
        symbols = [reader.mirror.symbols[place] for place in places.tolist()]
        columns = {"close", *self.columns}
        return [self.evaluate(bars) for _, bars in iterate_bars(reader.mirror, symbols, columns)]

    def evaluate(self, bars: Bars) -> Any:
        """Return the newest value: a bool, a number, or None where it is missing.

        Raises:
            BadData: the expression does not parse, or gives no single value.
        """
        if self.plan is not None:
            try:
                return _newest_value(self.plan.run(bars))
            except _Several:
                raise self._not_single() from None
            except Exception:  # whatever it is, the full lane says it properly
                pass
        try:
            return self._evaluate_sandboxed(bars)
        except BadData as error:
            self.failures += 1
            self.failure = self.failure or error
            if self.plan is None and self.failures == 1:
                raise
            return None

    def _evaluate_sandboxed(self, bars: Bars) -> Any:
        from ia.organs.compute.calculate import calculate_expression

        result = calculate_expression(
            self.source,
            lambda: bars,
            timeout=float(config.get_setting("compute.timeout")),
            isolation=str(config.get_setting("compute.isolation")),
        )
        return self._newest_result(result)

    def _newest_result(self, result: "ComputeResult") -> Any:
        value = result.value
        if result.type == "series" and not result.row:
            value = value[-1] if value else None
        elif result.type not in ("boolean", "scalar"):
            raise self._not_single()
        return None if value is None or value != value else value

    def _not_single(self) -> BadData:
        return BadData(
            "{expression} gives several values",
            expression=self.source,
            hint="name one of them: macd(close)['histogram'] > 0",
        )


class _Several(Exception):
    """An expression gives several values a bar."""


def _newest_value(result: Any) -> Any:
    """Return the newest value of what the array lane gives; None for a missing one."""
    if result.kind == "frame":
        raise _Several
    value = result.value if result.kind == "scalar" else result.arrays[0][-1].item()
    return None if value != value else value


def split_expressions(text: str) -> tuple[str, ...]:
    """Return the expressions of a list with commas, of which those in brackets or quotes separate nothing.

    >>> split_expressions("rsi(close, 14), close / sma(close, 20)")
    ('rsi(close, 14)', 'close / sma(close, 20)')
    """
    parts, depth, quote, start = [], 0, "", 0
    for place, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and not depth:
            parts.append(text[start:place])
            start = place + 1
    return tuple(part.strip() for part in (*parts, text[start:]) if part.strip())
