"""A scan: one expression of `ia compute` over many securities, each on its own bars.

What a security gets is what `ia ohlcv SYMBOL | ia compute EXPR` gives for its newest bar, or for each bar since a day.
"""

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.domain.instruments.symbols import kind_of_code
from ia.kernel import clock, dateforms
from ia.kernel.errors import Message, NotFound, Notify, PluralText, UsageError, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.market import market_reader
from ia.organs.market.mirror.reader import Mirror, load_mirror
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ia.faculties.lab.scan_expressions import ScanExpression, ScanMarket

MOST_ROWS = 1_000_000
"""Rows of a scan of each bar since a day."""


class ScanRow(NamedTuple):
    """A security on one of its bars: what the expression gives, and what the further expressions give.

    close   as traded on the newest bar, adjusted to it (qfq) on bars before
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

    columns       further expressions to evaluate where the first is true, or has a value
    symbols       canonical symbols to look at; None: all stocks of the synced market
    stale         also take securities without a bar on the newest day
    since         a date: look at each bar from it on, of whatever security; "": at the newest bar
    until         with `since`: the last date that counts; "": the newest
    count_only    leave out the rows
    tell_skipped  tell which securities had no bar on the day
    """

    expression: str
    columns: tuple[str, ...] = ()
    symbols: tuple[str, ...] | None = None
    stale: bool = False
    since: str = ""
    until: str = ""
    count_only: bool = False
    tell_skipped: bool = True


@dataclass(kw_only=True)
class ScanResult:
    """What a scan found on a day, or since one.

    count      how many bars were found
    truth      whether the expression gives true or false: then only what is true is in `rows`; else all with a value
    looked     how many securities were looked at
    stale      those without a bar on the day
    missing    those of which no bars are stored
    unknown    how many have no value yet (too few bars)
    sandboxed  the expressions that were evaluated in the sandbox, one security after the other
    """

    day: str
    rows: list[ScanRow] = field(default_factory=list)
    count: int = 0
    truth: bool = False
    looked: int = 0
    stale: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unknown: int = 0
    sandboxed: tuple[str, ...] = ()
    simulated: bool = False


def scan_market(
    ws: Workspace,
    request: ScanRequest,
    *,
    notify: Notify = drop_message,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> ScanResult:
    """Return the securities for which an expression is true on their newest bar, or its value for each.

    With `since`, each of their bars from a day on counts. `show` is told how many of how many were looked at.

    Raises:
        BadData: an expression does not parse, raises an error on all bars, or gives no single value.
        Refused: it looks ahead, or the policy of `ia compute` forbids it.
        NotFound: no market is stored.
        UsageError: it needs the sandbox for too many securities, or finds too many bars.
    """
    from ia.faculties.lab.scan_expressions import ScanExpression

    expressions = [ScanExpression(text) for text in (request.expression, *request.columns)]
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db, notify)
    mirror = load_mirror(ws, day.name, day.date)
    wanted = request.symbols if request.symbols is not None else _stocks(mirror.symbols)
    found = ScanResult(day=day.date, simulated=day.simulated, truth=expressions[0].truth)
    found.sandboxed = tuple(dict.fromkeys(each.sandboxed for each in expressions if each.sandboxed))
    market = _make_market(ws, mirror, set(wanted), day.source, notify, show)
    with contextlib.ExitStack() as stack:
        for each in expressions:
            stack.callback(each.close)
        look = _look_at_bars if request.since else _look_at_newest
        look(found, expressions, market, request)
        known = set(mirror.symbols)
        for symbol, bars in _load_others(ws, wanted, known, found):
            _look_at_other(found, expressions, symbol, bars, request, notify)
    first = expressions[0]
    if found.looked and found.looked == first.failures and first.failure is not None:
        raise first.failure
    tell_result(found, request, notify)
    return found


def _stocks(symbols: Sequence[str]) -> tuple[str, ...]:
    kinds: dict[str, str] = {}  # on the mainland the beginning of a code and the exchange decide
    found = []
    for symbol in symbols:
        key = symbol[:4] + symbol[6:] if len(symbol) == 9 else symbol
        kind = kinds.get(key)
        if kind is None:
            kind = kinds[key] = kind_of_code(symbol)
        if kind == "stock":
            found.append(symbol)
    return tuple(found)


def _make_market(
    ws: Workspace,
    mirror: Mirror,
    wanted: set[str],
    source: int,
    notify: Notify,
    show: Callable[[int, int], None],
) -> "ScanMarket":
    import numpy as np

    from ia.faculties.lab.scan_expressions import ScanMarket
    from ia.organs.market.industry_history import load_industries
    from ia.organs.market.mirror.symbol_blocks import BlockReader

    def industries(first: int) -> list[tuple[int, dict[str, str]]]:
        with market_reader.open_market(ws) as db:
            return load_industries(db, source, mirror.dates[first:])

    reader = BlockReader(mirror)
    places = np.array([place for place, symbol in enumerate(mirror.symbols) if symbol in wanted], dtype=np.intp)
    newest = reader.newest_rows(places)
    places, newest = places[newest >= 0], newest[newest >= 0]
    return ScanMarket(reader=reader, universe=places, newest=newest, industries=industries, notify=notify, show=show)


def _look_at_newest(
    found: ScanResult, expressions: "list[ScanExpression]", market: "ScanMarket", request: ScanRequest
) -> None:
    """Add the securities of the market whose newest bar counts."""
    reader, mirror = market.reader, market.reader.mirror
    places, rows = market.universe, market.newest
    late = rows < bisect_left(mirror.dates, found.day)
    found.stale += market.symbols_at(places[late])
    if not request.stale:
        places, rows = places[~late], rows[~late]
    found.looked += len(places)
    values = expressions[0].newest_values(market, places)
    found.truth |= any(value is True or value is False for value in values)
    found.unknown += values.count(None)
    hits = [at for at, value in enumerate(values) if value is not None and value is not False]
    found.count += len(hits)
    if request.count_only:
        return
    places, rows = places[hits], rows[hits]
    further = [each.newest_values(market, places) for each in expressions[1:]]
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


def _look_at_bars(
    found: ScanResult, expressions: "list[ScanExpression]", market: "ScanMarket", request: ScanRequest
) -> None:
    """Add the bars of the market since a day."""
    reader, mirror = market.reader, market.reader.mirror
    first = bisect_left(mirror.dates, request.since)
    places = market.universe[market.newest >= first]
    found.looked += len(places)
    if not len(places):
        return
    values = expressions[0].daily_values(market, places, first)
    if request.until:
        values = values[: max(bisect_right(mirror.dates, request.until) - first, 0)]
    days, columns, truth = _find_hits(values)
    found.truth |= truth
    found.count += len(days)
    _check_rows(found.count, request)
    if request.count_only:
        return
    taken = [_take_hits(values, days, columns, expressions[0])]
    del values
    kept = sorted(set(columns.tolist()))
    at = {column: place for place, column in enumerate(kept)}
    within = [at[column] for column in columns.tolist()]
    for each in expressions[1:]:
        taken.append(_take_hits(each.daily_values(market, places[kept], first), days, within, each))
    closes = reader.closes_of(places[columns], days + first).tolist()
    symbols = market.symbols_at(places)
    dates = mirror.dates[first:]
    for row, column, close, value, *further in zip(days.tolist(), columns.tolist(), closes, *taken, strict=True):
        found.rows.append(
            ScanRow(symbol=symbols[column], date=dates[row], close=close, value=value, values=tuple(further))
        )


def _find_hits(values: "NDArray[Any]") -> "tuple[NDArray[np.intp], NDArray[np.intp], bool]":
    """Return the days and the columns of what is true, or has a value; and whether these are truth values."""
    import numpy as np

    truth = values.dtype == np.bool_
    days, columns = np.nonzero(values if truth else ~np.isnan(values))
    return days, columns, truth


def _take_hits(
    values: "NDArray[Any]", days: "NDArray[np.intp]", columns: "Sequence[int] | NDArray[np.intp]", of: "ScanExpression"
) -> list[Any]:
    from ia.faculties.lab.scan_expressions import plain_values

    return plain_values(values[days, columns], of.whole_number)


def _check_rows(count: int, request: ScanRequest) -> None:
    if count > MOST_ROWS and not request.count_only:
        raise UsageError(
            "{count} bars are more than {limit}", count=count, limit=MOST_ROWS, hint="give a later --since, or --count"
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


def _look_at_other(
    found: ScanResult,
    expressions: "list[ScanExpression]",
    symbol: str,
    bars: Bars,
    request: ScanRequest,
    notify: Notify,
) -> None:
    """Add a security that is not of the synced market, or its bars since a day."""
    first = bisect_left(bars.date, request.since) if request.since else len(bars.date) - 1
    if first == len(bars.date):
        return
    found.looked += 1
    if request.since:
        daily = [each.daily_value(bars, first, notify) for each in expressions]
        end = bisect_right(bars.date, request.until) - first if request.until else len(daily[0])
        days, _, truth = _find_hits(daily[0][: max(end, 0), None])
        found.truth |= truth
        rows = days.tolist()
        taken = [
            _take_hits(each[:, None], days, [0] * len(rows), of) for each, of in zip(daily, expressions, strict=True)
        ]
    else:
        taken = [[each.newest_value(bars, notify)] for each in expressions]
        value = taken[0][0]
        found.truth |= isinstance(value, bool)
        found.unknown += value is None
        rows = [] if value is None or value is False else [0]
    found.count += len(rows)
    _check_rows(found.count, request)
    for row, value, *further in () if request.count_only else zip(rows, *taken, strict=False):
        place = first + row
        found.rows.append(
            ScanRow(symbol=symbol, date=bars.date[place], close=bars.close[place], value=value, values=tuple(further))
        )


def tell_result(found: ScanResult, request: ScanRequest, notify: Notify) -> None:
    """Tell what a scan left out, and what it evaluated in the sandbox."""
    if found.sandboxed:
        notify(
            Message(
                "in the sandbox, a security at a time: {expressions}; all else at once",
                expressions="; ".join(found.sandboxed),
            )
        )
    if found.stale and not request.stale and request.tell_skipped:
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


def parse_days(since: str | None, until: str | None, *, dash: str = "") -> tuple[str, str]:
    """Return the first and the last day of a scan of each bar, "" where none is given.

    dash    stands before the names of both in a message: -- for options

    Raises:
        UsageError: a date that is none, or in the future; `until` without `since`.
    """
    if until and not since:
        raise UsageError("{until} needs {since}", until=f"{dash}until", since=f"{dash}since")
    today, option = date.fromisoformat(clock.today()), f"{dash}since"
    first = dateforms.parse_day(since, today, option=option) if since else ""
    if first > clock.today():
        raise UsageError("{option}: {date} is in the future", option=option, date=first)
    last = dateforms.parse_day(until, today, option=f"{dash}until", last=True) if until else ""
    if last and first > last:
        raise UsageError(
            "{option} {date} is after {other} {last}", option=option, date=first, other=f"{dash}until", last=last
        )
    return first, last


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
