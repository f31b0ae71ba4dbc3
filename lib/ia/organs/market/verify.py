"""The same days from two truly different hosts, row by row: raw against raw, and our adjustment against theirs.

Prices agree within half a tick, volumes within a lot where one side counts lots; a day that only one side has is a
difference unless nobody traded on it. Adjustments are compared as steps: on each ex-day the factor that we work out
from the corporate actions against the one of Sina's factor file, which multiplies as ours does. The adjusted series of
Eastmoney and Tencent subtract dividends and are no reference.
"""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.kernel.errors import (
    BadData,
    IaError,
    Message,
    NotFound,
    Notify,
    PluralText,
    TryLater,
    Unavailable,
    UsageError,
    drop_message,
)
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adapters.hosts import HOSTS, LIVE, fetch_actions, fetch_bars, fetch_factors
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

STORE = "store"
"""As a side: what is stored here of the live adapter."""
YEARS = 2
FACTOR_REL = 1e-4
"""How far two factors of an ex-day may lie apart, relative: not every source rounds reference prices."""
LOT = 100
_PRICES = ("open", "high", "low", "close")


class PriceDifference(NamedTuple):
    """One value on which two sides disagree. `field` is a column, `bar` (a day that one side lacks) or `factor`.

    `difference` is b - a, of factors relative to a; None for a missing bar. Volumes are in shares.
    """

    date: str
    field: str
    a: float | None
    b: float | None
    difference: float | None


class VerifiedSide(NamedTuple):
    """The raw bars that one host, store or file has."""

    name: str
    bars: Bars


class VerificationResult(NamedTuple):
    """Two sides compared: `name` is the symbol, "" of files; `days` those that both have, ascending.

    steps   ex-days whose factors were compared, None where none were. runs: see scaled()
    """

    name: str
    a: str
    b: str
    days: list[str]
    differences: list[PriceDifference]
    steps: int | None = None
    runs: Sequence[tuple[str, float]] = ()


class VerifySpan(NamedTuple):
    """The dates to compare, both included; None is as far as there is."""

    start: str | None = None
    end: str | None = None


def compare_bars(a: Bars, b: Bars, tick: float = 0.01) -> list[PriceDifference]:
    """Return the differences of two series of raw bars, by date, in the order of the columns.

    The volume may lie a lot apart where all of one side's are whole lots: it may have been rounded.
    """
    rows_a, rows_b = _rows_by_date(a), _rows_by_date(b)
    slack = LOT if _has_volume_in_lots(a) or _has_volume_in_lots(b) else 0
    found: list[PriceDifference] = []
    for date in sorted(rows_a.keys() | rows_b.keys()):
        x, y = rows_a.get(date), rows_b.get(date)
        if x is None or y is None:
            there = x or y
            if there and there[4]:
                found.append(
                    PriceDifference(
                        date=date, field="bar", a=x[3] if x else None, b=y[3] if y else None, difference=None
                    )
                )
            continue
        if not x[4] and not y[4]:
            continue  # nobody traded: what stands there is the close of another day
        for at, field in enumerate(_PRICES):
            if abs(x[at] - y[at]) > tick / 2 + 1e-9 * x[at]:
                found.append(
                    PriceDifference(date=date, field=field, a=x[at], b=y[at], difference=round(y[at] - x[at], 6))
                )
        if abs(x[4] - y[4]) > slack:
            found.append(PriceDifference(date=date, field="volume", a=x[4], b=y[4], difference=y[4] - x[4]))
    return found


def compare_steps(
    bars: Bars, ours: "Iterable[Action]", theirs: "Iterable[Action]", tick: float
) -> list[PriceDifference]:
    """Return the ex-days on which two adjustments of the same raw bars multiply by different factors."""
    mine, other = _adjustment_steps(bars, ours, tick), _adjustment_steps(bars, theirs, None)
    found = []
    for date in sorted(mine.keys() | other.keys()):
        a, b = mine.get(date, 1.0), other.get(date, 1.0)
        if abs(b / a - 1) > FACTOR_REL:
            found.append(
                PriceDifference(date=date, field="factor", a=round(a, 8), b=round(b, 8), difference=round(b / a - 1, 8))
            )
    return found


def find_scale_changes(a: Bars, b: Bars) -> list[tuple[str, float]]:
    """Return from which date on b's closes are how many times a's, where that changes: one of the two is adjusted.

    [] where they stand at par throughout, or in no steady ratio. What moves by less than 0.3 % is rounding.
    """
    closes = dict(zip(b.date, b.close, strict=True))
    pairs = [(day, closes[day] / close) for day, close in zip(a.date, a.close, strict=True) if day in closes]
    runs: list[tuple[str, float]] = []
    odd = 0
    for at, (day, ratio) in enumerate(pairs):
        ahead = median(other for _, other in pairs[at : at + 3])
        if runs and abs(ratio / runs[-1][1] - 1) <= 0.003:
            continue
        if abs(ahead / ratio - 1) < 0.003:
            runs.append((day, ratio))
        else:
            odd += 1
    steady = max(len(runs) - 3, odd) <= len(pairs) // 20
    return runs if steady and any(abs(ratio - 1) > 0.003 for _, ratio in runs) else []


def verify_symbol(
    ws: Workspace,
    symbol: Symbol,
    hosts: Sequence[str],
    span: VerifySpan,
    notify: Notify = drop_message,
    *,
    factors: bool | None = True,
    order: list[str] | None = None,
) -> VerificationResult:
    """Compare what two sides have of a symbol; with `factors` our adjustment too, where Sina has one.

    factors None: where they can be had; what the hosts of raw prices disagree on is not held back for them, and that
            they did not come is told
    hosts   two of HOSTS, `store`, and names of adapters; () for the first two of HOSTS that answer.
    order   in which hosts are asked then; one that does not answer is moved to its end
    raises  NotFound where a side does not have the symbol, TryLater or Unavailable where a host does not answer (the
            message names it): nothing was compared then. Unavailable where a side is simulated.
    """
    from ia.domain.instruments.boards import is_b_share, tick_size

    step = tick_size(symbol) or 0.01
    a, b = _load_two_sides(ws, symbol, hosts, span, notify, list(HOSTS) if order is None else order)
    days = sorted(set(a.bars.date) & set(b.bars.date))
    if not days:
        raise NotFound(
            "{symbol}: {source} and {other} have no dates in common", symbol=symbol, source=a.name, other=b.name
        )
    differences = compare_bars(a.bars, b.bars, step)
    steps = None
    if factors is not False and (symbol.market, symbol.kind) == ("CN", "stock") and not is_b_share(symbol):
        try:
            found = _compare_adjustments(ws, symbol, a, step, notify)
        except (TryLater, Unavailable) as exc:
            if factors:
                raise
            notify(Message("{symbol}: ia did not compare the adjustment: {reason}", symbol=symbol, reason=exc))
            found = None
        if found is not None:
            steps, more = found
            differences = sorted(differences + more, key=lambda row: row.date)
    return VerificationResult(
        name=symbol.canonical,
        a=a.name,
        b=b.name,
        days=days,
        differences=differences,
        steps=steps,
        runs=find_scale_changes(a.bars, b.bars),
    )


def check_hosts(hosts: Sequence[str], *, given: bool = True) -> None:
    """Raise UsageError unless two different sides are named, and for names that are none."""
    from ia.organs.ohlcv import adapters

    known = [*HOSTS, STORE, *adapters.adapter_names()]
    for name in hosts:
        if name not in known:
            raise UsageError(
                "{name}: unknown data host", name=name, names=", ".join(known), hint="choose one of {names}"
            )
    if given and (len(hosts) != 2 or hosts[0] == hosts[1]):
        raise UsageError("give two different hosts to compare", hint="give both, such as --hosts eastmoney,tencent")
    if LIVE in hosts and (STORE in hosts or set(hosts) & set(HOSTS)):
        raise UsageError("{name} uses the same hosts", name=LIVE, hint="name both hosts: --hosts eastmoney,tencent")


def comparison_span(market: str, start: str | None, end: str | None) -> VerifySpan:
    """Return the dates to compare: the last two years up to the last closed session, where nothing else is said.

    raises  UsageError where none lies between.
    """
    last = clock.last_visible_date(market)
    until = min(end, last) if end else last
    if start is None:
        day = f"{int(until[:4]) - YEARS}{until[4:]}"
        start = day if not day.endswith("02-29") else f"{day[:4]}-02-28"
    if start > until:
        raise UsageError("no closed trading session from {start} to {end}", start=start, end=until)
    return VerifySpan(start, until)


def _load_two_sides(
    ws: Workspace, symbol: Symbol, hosts: Sequence[str], span: VerifySpan, notify: Notify, order: list[str]
) -> tuple[VerifiedSide, VerifiedSide]:
    """Return two sides; of the default three, the first two that answer."""
    if hosts:
        return _load_side(ws, symbol, hosts[0], span), _load_side(ws, symbol, hosts[1], span)
    _require_real_market()
    sides: list[VerifiedSide] = []
    failures: list[IaError] = []
    for name in list(order):
        try:
            sides.append(_load_side(ws, symbol, name, span))
        except (NotFound, TryLater, Unavailable) as exc:
            failures.append(exc)
            if not isinstance(exc, NotFound):
                order.append(order.pop(order.index(name)))
        if len(sides) == 2:
            if failures:
                notify(
                    Message(
                        "{reason}; comparing {source} with {other} instead",
                        reason=failures[0],
                        source=sides[0].name,
                        other=name,
                    )
                )
            return sides[0], sides[1]
    raise _worst_failure(failures)


def _require_real_market() -> None:
    """Raise Unavailable where this workspace lives in a simulated market only: no host knows its prices."""
    from ia.kernel import config
    from ia.organs.ohlcv.adapters import load_adapter

    chain = config.get_setting_words("market.adapter")
    if chain and all(load_adapter(name).simulated for name in chain):
        raise _nothing_to_verify_error(chain[0])


def _nothing_to_verify_error(name: str) -> Unavailable:
    return Unavailable(
        "the prices of {name} are simulated and cannot be verified",
        name=name,
        hint="compare real hosts (--hosts eastmoney,tencent) or two files (`ia verify a.csv b.csv`)",
    )


def _worst_failure(failures: list[IaError]) -> IaError:
    """Return the failure that is most worth another try; NotFound only where every host says so."""
    order = (TryLater, Unavailable, NotFound)
    return min(failures, key=lambda exc: next(at for at, kind in enumerate(order) if isinstance(exc, kind)))


def _load_side(ws: Workspace, symbol: Symbol, name: str, span: VerifySpan) -> VerifiedSide:
    """Return the bars of one side, checked and cut to the dates."""
    from ia.organs.ohlcv.adapters import load_adapter

    if name == STORE:
        return VerifiedSide(name, _load_stored_bars(ws, symbol, span).between_dates(span.start, span.end))
    if name in HOSTS:
        return VerifiedSide(name, fetch_bars(name, symbol, span.start, span.end))
    adapter = load_adapter(name)
    if adapter.simulated:
        raise _nothing_to_verify_error(name)
    bars = adapter.normalize(adapter.fetch(symbol, span.start, span.end))
    return VerifiedSide(name, bars.between_dates(span.start, span.end))


def _load_stored_bars(ws: Workspace, symbol: Symbol, span: VerifySpan) -> Bars:
    """Return the stored raw bars of the live adapter: of the whole market's table, else of the symbol's own series."""
    from ia.organs import marketdb
    from ia.organs.ohlcv import series_store

    until = span.end or clock.last_visible_date(symbol.market)
    with contextlib.closing(marketdb.connect(ws)) as db:
        rows = db.execute(
            "SELECT d.date, d.open, d.high, d.low, d.close, d.volume FROM days JOIN daily d USING (source, date)"
            " JOIN sources s ON s.id = days.source WHERE s.name = ? AND days.date BETWEEN ? AND ? AND d.symbol = ?"
            " ORDER BY d.date",
            (LIVE, span.start or "", until, symbol.canonical),
        ).fetchall()
        if rows:
            return Bars.from_rows(rows)
        series = series_store.find_series(db, LIVE, symbol.canonical)
        if series is None:
            raise NotFound(
                "{symbol}: no stored data",
                symbol=symbol,
                canonical=symbol.canonical,
                hint="fetch it with `ia sync --symbols {canonical}` or `ia ohlcv {canonical}`",
            )
        return series_store.load_bars(db, series, until)


def _compare_adjustments(
    ws: Workspace, symbol: Symbol, side: VerifiedSide, tick: float, notify: Notify
) -> tuple[int, list[PriceDifference]] | None:
    """Return how many ex-days were compared, and the differences; None, told, where there is nothing to compare."""
    if not side.bars.date:
        return None
    try:
        theirs = fetch_factors(symbol)
    except NotFound:
        notify(Message("{symbol}: sina has no adjustment factors; ia did not compare the adjustment", symbol=symbol))
        return None
    ours = _load_our_actions(ws, symbol)
    last = side.bars.date[-1]
    ours, theirs = ([act for act in acts if act.date <= last] for acts in (ours, theirs))
    dates = _adjustment_steps(side.bars, ours, tick).keys() | _adjustment_steps(side.bars, theirs, None).keys()
    return len(dates), compare_steps(side.bars, ours, theirs, tick)


def _load_our_actions(ws: Workspace, symbol: Symbol) -> "list[Action]":
    """Return the corporate actions that are stored, else Eastmoney's. Those that came from Sina prove nothing."""
    from ia.organs import marketdb
    from ia.organs.ohlcv import series_store

    with contextlib.closing(marketdb.connect(ws)) as db:
        stored = series_store.load_actions(db, LIVE, symbol.canonical)
    return stored if stored and all(act.factor is None for act in stored) else fetch_actions(symbol)


def _adjustment_steps(bars: Bars, actions: "Iterable[Action]", tick: float | None) -> dict[str, float]:
    """Return by date of bar the factors that are not 1."""
    from ia.organs.ohlcv.adjustment import adjustment_factors

    scale = adjustment_factors(bars.date, bars.close, actions, tick)
    return {
        day: after / before
        for day, (before, after) in zip(bars.date[1:], pairwise(scale), strict=True)
        if after != before
    }


def _rows_by_date(bars: Bars) -> dict[str, tuple[float, float, float, float, int]]:
    return {day: row for day, *row in zip(*bars, strict=True)}  # type: ignore[misc]


def _has_volume_in_lots(bars: Bars) -> bool:
    return all(volume % LOT == 0 for volume in bars.volume)


def compare_files(a: VerifiedSide, b: VerifiedSide, span: VerifySpan, tick: float) -> VerificationResult:
    """Compare two series that were read from files, on the dates that both cover: what one has beyond is no difference.

    raises  BadData where one is empty, or no day is in both.
    """
    if not a.bars.date or not b.bars.date:
        empty = a if not a.bars.date else b
        raise BadData("{name}: no bars", name=empty.name)
    start = max(span.start or "", a.bars.date[0], b.bars.date[0])
    end = min(span.end or "9999", a.bars.date[-1], b.bars.date[-1])
    left, right = (side.bars.between_dates(start, end) for side in (a, b))
    days = sorted(set(left.date) & set(right.date))
    if not days:
        raise BadData("{source} and {other} have no dates in common", source=a.name, other=b.name)
    return VerificationResult(
        name="",
        a=a.name,
        b=b.name,
        days=days,
        differences=compare_bars(left, right, tick),
        steps=None,
        runs=find_scale_changes(left, right),
    )


def verify_symbols(
    ws: Workspace,
    symbols: Iterable[Symbol],
    hosts: Sequence[str],
    start: str | None,
    end: str | None,
    *,
    factors: bool | None = True,
    told: Callable[[VerificationResult], object] = lambda _: None,
    notify: Notify = drop_message,
) -> tuple[list[VerificationResult], list[IaError]]:
    """Compare symbol after symbol; `told` hears of each at once. Return what was compared, and the failures.

    A host that shuts us out ends the run: asking it for the rest would only prolong the ban.
    """
    from ia.organs.ohlcv.governor import Banned

    if not hosts:
        _require_real_market()
    done: list[VerificationResult] = []
    failures: list[IaError] = []
    waiting, order = list(symbols), list(HOSTS)
    for at, symbol in enumerate(waiting):
        try:
            span = comparison_span(symbol.market, start, end)
            done.append(verify_symbol(ws, symbol, hosts, span, notify, factors=factors, order=order))
        except (NotFound, TryLater, Unavailable) as exc:
            failures.append(exc)
            if isinstance(exc, Banned) and at + 1 < len(waiting):
                notify(
                    Message(
                        PluralText(
                            "{count} more security not compared: {reason}",
                            "{count} more securities not compared: {reason}",
                        ),
                        count=len(waiting) - at - 1,
                        reason=exc,
                    )
                )
                break
            continue
        told(done[-1])
    return done, failures
