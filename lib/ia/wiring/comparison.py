"""Securities side by side: prices (ohlcv), figures (compute) and what they cost (market), one way for every caller.

A figure of one security is what `ia compute` gives for its expression over the same bars, prices adjusted (qfq); a
valuation is what `ia quote` and the tool market.valuation give. A figure of two is of the sessions that both traded on:
daily returns between neighboring ones. Returns are in the currency of each security; nothing is converted.
"""

import statistics
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import Symbol, resolve_security
from ia.kernel import clock
from ia.kernel.errors import IaError, NotFound, Notify, TryLater, Unavailable, UsageError, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.history import BarsRequest, load_history

YEAR = 250
"""Sessions of a year, by which a volatility is annualized, and the window where none is named."""
HORIZONS = (5, 20, 60, 120, 250)
"""Sessions over which returns are told."""
FEW = 20
"""Common returns below which no relation is told."""
MOST = 10
INDEX_OF = {"CN": "000300.SH", "HK": "HSI.HK", "US": "SPY.US"}
"""Market -> the security that stands for it in a beta."""
VALUED = ("pe_ttm", "pb", "roe_pct", "dividend_yield_pct")
FEW_BARS, NO_VALUATION, FEW_COMMON, NO_INDEX, OWN_INDEX = (
    "few-bars", "no-valuation", "few-common-returns", "no-index-prices", "is-the-index",
)  # fmt: skip
"""Why a figure is None."""


class CompareRequest(NamedTuple):
    """What is compared. `days` counts sessions; `since` and `until` are dates (YYYY-MM-DD), inclusive.

    benchmark  the index of every beta; empty: the one of each security's market
    """

    symbols: Sequence[str]
    days: int = YEAR
    since: str = ""
    until: str = ""
    benchmark: str = ""
    adapters: tuple[str, ...] = ()
    stale: bool = False


class Side(NamedTuple):
    """One security: its adjusted bars up to the last one that counts, and where they come from."""

    symbol: Symbol
    name: str
    bars: Bars
    source: str
    simulated: bool


class Relation(NamedTuple):
    """What two securities have in common: correlation and beta (of the first to the second) of daily returns.

    first, last  the common closes between which the returns lie; both figures are None where `why` says so
    """

    one: str
    other: str
    correlation: float | None
    beta: float | None
    returns: int
    first: str = ""
    last: str = ""
    why: str = ""


class Compared(NamedTuple):
    """A comparison: the securities, their figures by symbol, relations of each pair and to an index.

    unknown  (symbol, figure) -> why it is None
    """

    request: CompareRequest
    sides: tuple[Side, ...]
    figures: dict[str, dict[str, float | None]]
    valuations: dict[str, Json]
    relations: tuple[Relation, ...]
    betas: dict[str, Relation]
    unknown: dict[tuple[str, str], str]

    @property
    def simulated(self) -> bool:
        return any(side.simulated for side in self.sides)


def compare_securities(ws: Workspace, request: CompareRequest, notify: Notify = drop_message) -> Compared:
    """Return a comparison of two to ten securities.

    raises  UsageError for fewer than two different ones, too many, and for dates in the wrong order; NotFound for a
            security without bars in the window, and what `ohlcv.history.load_history` raises.
    """
    if request.since and request.until and request.since > request.until:
        raise UsageError("--start {start} is after --end {end}", start=request.since, end=request.until)
    sides = load_sides(ws, request, notify)
    figures: dict[str, dict[str, float | None]] = {}
    unknown: dict[tuple[str, str], str] = {}
    for side in sides:
        own = figures[side.symbol.canonical] = measure_side(side, request)
        unknown |= {(side.symbol.canonical, name): FEW_BARS for name, value in own.items() if value is None}
    valuations = {side.symbol.canonical: _load_valuation(ws, side, request) for side in sides}
    for code, told in valuations.items():
        unknown |= {(code, name): NO_VALUATION for name in VALUED if told.get(name) is None}
    relations = tuple(relate(one, other, request) for one, other in combinations(sides, 2))
    betas = _load_betas(ws, sides, request, notify)
    return Compared(
        request=request,
        sides=sides,
        figures=figures,
        valuations=valuations,
        relations=relations,
        betas=betas,
        unknown=unknown,
    )


def load_sides(ws: Workspace, request: CompareRequest, notify: Notify = drop_message) -> tuple[Side, ...]:
    """Return the securities of a request, each once, in its order."""
    if len(set(request.symbols)) > MOST:
        raise UsageError("at most {count} securities can be compared at a time", count=MOST)
    sides: dict[str, Side] = {}
    for text in request.symbols:
        side = load_side(ws, text, request, notify)
        sides.setdefault(side.symbol.canonical, side)
    if len(sides) < 2:
        raise UsageError("a comparison needs two different securities", hint="such as `ia compare 300750 002594`")
    return tuple(sides.values())


def load_side(ws: Workspace, text: str, request: CompareRequest, notify: Notify = drop_message) -> Side:
    """Return one security with all of its bars up to `until`."""
    answer = load_history(
        ws, BarsRequest(symbol=text, adapters=request.adapters, stale=request.stale, end=request.until or None), notify
    )
    bars = answer.bars
    if not bars.date or (request.since and bars.date[-1] < request.since):
        raise NotFound(
            "{symbol} has no bars in this period; available: {first} to {last}",
            symbol=answer.symbol.canonical,
            first=answer.series.first,
            last=answer.series.last,
        )
    name = answer.symbol.name or answer.series.name or ""
    return Side(
        symbol=answer.symbol,
        name=name,
        bars=bars,
        source=answer.series.adapter,
        simulated=bool(answer.series.simulated),
    )


def window_size(dates: Sequence[str], request: CompareRequest) -> int:
    """Return how many daily returns of a series of dates count: those that end on or after `since`, or `days`."""
    if not request.since:
        return request.days
    return sum(date >= request.since for date in dates[1:])


def measure_side(side: Side, request: CompareRequest) -> dict[str, float | None]:
    """Return the figures of one security in per cent: returns by horizon, of the year to date and of the window."""
    count = window_size(side.bars.date, request)
    codes = {f"return_{n}d_pct": f"roc(close, {n})" for n in HORIZONS}
    codes["return_window_pct"] = f"roc(close, {count})" if count else ""
    year = side.bars.date[-1][:4]
    of_year = sum(date[:4] == year for date in side.bars.date)
    codes["return_ytd_pct"] = f"roc(close, {of_year})"
    codes["volatility_ann_pct"] = f"stdev(roc(close, 1), {count}, 1) * sqrt({YEAR})" if count > 1 else ""
    codes["max_drawdown_pct"] = f"drawdown(close, {count}) * 100" if count else ""
    return {name: _evaluate(code, side.bars) if code else None for name, code in codes.items()}


def _evaluate(code: str, bars: Bars) -> float | None:
    """Return the last value of an expression as `ia compute` has it; None where there are too few bars."""
    from ia.organs.compute.calculate import calculate_expression

    result = calculate_expression(code, lambda: bars)
    value = result.value[-1] if result.type == "series" else result.value
    return None if value is None or value != value else float(value)


def relate(one: Side, other: Side, request: CompareRequest) -> Relation:
    """Return correlation and beta of the daily returns between the sessions that both securities traded on."""
    first, second = (dict(zip(side.bars.date, side.bars.close, strict=True)) for side in (one, other))
    days = sorted(first.keys() & second.keys())
    days = days[-window_size(days, request) - 1 :]
    unknown = _unknown_relation(one.symbol.canonical, other.symbol.canonical, FEW_COMMON, max(len(days) - 1, 0))
    if len(days) <= FEW:
        return unknown
    mine, theirs = _daily_returns(first, days), _daily_returns(second, days)
    spread = statistics.variance(theirs)
    if not spread or not statistics.variance(mine):
        return unknown
    return Relation(
        one=unknown.one,
        other=unknown.other,
        correlation=statistics.correlation(mine, theirs),
        beta=statistics.covariance(mine, theirs) / spread,
        returns=len(mine),
        first=days[0],
        last=days[-1],
    )


def _unknown_relation(one: str, other: str, why: str, returns: int = 0) -> Relation:
    return Relation(one=one, other=other, correlation=None, beta=None, returns=returns, why=why)


def _daily_returns(closes: Mapping[str, float], days: Sequence[str]) -> list[float]:
    return [closes[b] / closes[a] - 1 for a, b in pairwise(days)]


def _load_betas(ws: Workspace, sides: Sequence[Side], request: CompareRequest, notify: Notify) -> dict[str, Relation]:
    """Return the relation of each security to its index; a named benchmark that has no prices is an error."""
    known: dict[str, Side | None] = {side.symbol.canonical: side for side in sides}
    found = {}
    if request.benchmark:
        index = load_side(ws, request.benchmark, request, notify)
        known[index.symbol.canonical] = index
    for side in sides:
        code = index.symbol.canonical if request.benchmark else INDEX_OF.get(side.symbol.market, "")
        own = side.symbol.canonical
        if own == code:
            found[own] = _unknown_relation(own, code, OWN_INDEX)
            continue
        if code not in known:
            known[code] = _load_index(ws, code, request, notify)
        other = known[code]
        found[own] = relate(side, other, request) if other else _unknown_relation(own, code, NO_INDEX)
    return found


def _load_index(ws: Workspace, code: str, request: CompareRequest, notify: Notify) -> Side | None:
    try:
        return load_side(ws, resolve_security(code).canonical, request, notify)
    except (IaError, OSError):
        return None


def _load_valuation(ws: Workspace, side: Side, request: CompareRequest) -> Json:
    """Return what a security costs on the newest stored day; nothing of a past `until`, which is not stored so."""
    from ia.organs.market.valuation import load_valuation

    if request.until and request.until < clock.last_visible_date(side.symbol.market):
        return {}
    try:
        found = load_valuation(ws, side.symbol.canonical)
    except (NotFound, TryLater, Unavailable):
        return {}
    figures = {name: found.figures.get(name) for name in VALUED}
    return {**figures, "valuation_date": found.date, "report": found.report, "basis": found.basis}


def describe_comparison(found: Compared) -> Json:
    """Return a comparison as JSON: `securities`, `correlations` of each pair, and what is unknown and why."""
    return {
        "days": None if found.request.since else found.request.days,
        "since": found.request.since or None,
        "until": found.request.until or None,
        "year_sessions": YEAR,
        "securities": [_describe_side(found, side) for side in found.sides],
        "correlations": [
            {
                "one": each.one,
                "other": each.other,
                "correlation": each.correlation,
                "beta": each.beta,
                "returns": each.returns,
                "first": each.first or None,
                "last": each.last or None,
                **({"why": each.why} if each.why else {}),
            }
            for each in found.relations
        ],
        "unknown": [
            {"symbol": symbol, "figure": name, "why": why} for (symbol, name), why in sorted(found.unknown.items())
        ],
        "simulated": found.simulated,
    }


def _describe_side(found: Compared, side: Side) -> Json:
    code = side.symbol.canonical
    beta = found.betas[code]
    valued = found.valuations[code]
    count = window_size(side.bars.date, found.request)
    return {
        "symbol": code,
        "name": side.name,
        "currency": trading_currency(side.symbol),
        "date": side.bars.date[-1],
        "close": side.bars.close[-1],
        "window_first": side.bars.date[-count - 1] if count < len(side.bars.date) else None,
        **found.figures[code],
        "beta": beta.beta,
        "beta_to": beta.other or None,
        "beta_returns": beta.returns,
        **({"beta_why": beta.why} if beta.why else {}),
        **{name: valued.get(name) for name in (*VALUED, "valuation_date", "report", "basis")},
        "source": side.source,
        "simulated": side.simulated,
    }
