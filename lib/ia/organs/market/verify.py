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
from ia.kernel.errors import BadData, IaError, Message, NotFound, Notify, TryLater, Unavailable, UsageError, silent
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adapters.hosts import HOSTS, LIVE, fetch_actions, fetch_bars, fetch_factors
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjust import Action

STORE = "store"
"""As a side: what is stored here of the live adapter."""
YEARS = 2
FACTOR_REL = 1e-4
"""How far two factors of an ex-day may lie apart, relative: not every source rounds reference prices."""
LOT = 100
_PRICES = ("open", "high", "low", "close")


class Difference(NamedTuple):
    """One value on which two sides disagree. `field` is a column, `bar` (a day that one side lacks) or `factor`.

    `difference` is b - a, of factors relative to a; None for a missing bar. Volumes are in shares.
    """

    date: str
    field: str
    a: float | None
    b: float | None
    difference: float | None


class Side(NamedTuple):
    """The raw bars that one host, store or file has."""

    name: str
    bars: Bars


class Checked(NamedTuple):
    """Two sides compared: `name` is the symbol, "" of files; `days` those that both have, ascending.

    steps   ex-days whose factors were compared, None where none were. runs: see scaled()
    """

    name: str
    a: str
    b: str
    days: list[str]
    differences: list[Difference]
    steps: int | None = None
    runs: Sequence[tuple[str, float]] = ()


class Span(NamedTuple):
    """The dates to compare, both included; None is as far as there is."""

    start: str | None = None
    end: str | None = None


def compared(a: Bars, b: Bars, tick: float = 0.01) -> list[Difference]:
    """Return the differences of two series of raw bars, by date, in the order of the columns.

    The volume may lie a lot apart where all of one side's are whole lots: it may have been rounded.
    """
    rows_a, rows_b = _rows(a), _rows(b)
    slack = LOT if _in_lots(a) or _in_lots(b) else 0
    found: list[Difference] = []
    for date in sorted(rows_a.keys() | rows_b.keys()):
        x, y = rows_a.get(date), rows_b.get(date)
        if x is None or y is None:
            there = x or y
            if there and there[4]:
                found.append(Difference(date, "bar", x[3] if x else None, y[3] if y else None, None))
            continue
        if not x[4] and not y[4]:
            continue  # nobody traded: what stands there is the close of another day
        for at, field in enumerate(_PRICES):
            if abs(x[at] - y[at]) > tick / 2 + 1e-9 * x[at]:
                found.append(Difference(date, field, x[at], y[at], round(y[at] - x[at], 6)))
        if abs(x[4] - y[4]) > slack:
            found.append(Difference(date, "volume", x[4], y[4], y[4] - x[4]))
    return found


def compared_steps(bars: Bars, ours: "Iterable[Action]", theirs: "Iterable[Action]", tick: float) -> list[Difference]:
    """Return the ex-days on which two adjustments of the same raw bars multiply by different factors."""
    mine, other = _steps(bars, ours, tick), _steps(bars, theirs, None)
    found = []
    for date in sorted(mine.keys() | other.keys()):
        a, b = mine.get(date, 1.0), other.get(date, 1.0)
        if abs(b / a - 1) > FACTOR_REL:
            found.append(Difference(date, "factor", round(a, 8), round(b, 8), round(b / a - 1, 8)))
    return found


def scaled(a: Bars, b: Bars) -> list[tuple[str, float]]:
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


def verified(
    ws: Workspace,
    symbol: Symbol,
    hosts: Sequence[str],
    span: Span,
    notify: Notify = silent,
    *,
    factors: bool | None = True,
    order: list[str] | None = None,
) -> Checked:
    """Compare what two sides have of a symbol; with `factors` our adjustment too, where Sina has one.

    factors None: where they can be had; what the hosts of raw prices disagree on is not held back for them, and that
            they did not come is told
    hosts   two of HOSTS, `store`, and names of adapters; () for the first two of HOSTS that answer.
    order   in which hosts are asked then; one that does not answer is moved to its end
    raises  NotFound where a side does not have the symbol, TryLater or Unavailable where a host does not answer (the
            message names it): nothing was compared then. Unavailable where a side is simulated.
    """
    from ia.domain.instruments.boards import is_b_share, tick

    step = tick(symbol) or 0.01
    a, b = _two(ws, symbol, hosts, span, notify, list(HOSTS) if order is None else order)
    days = sorted(set(a.bars.date) & set(b.bars.date))
    if not days:
        raise NotFound(
            "{symbol}: {source} and {other} have no day in common", symbol=str(symbol), source=a.name, other=b.name
        )
    differences = compared(a.bars, b.bars, step)
    steps = None
    if factors is not False and (symbol.market, symbol.kind) == ("CN", "stock") and not is_b_share(symbol):
        try:
            found = _adjustments(ws, symbol, a, step, notify)
        except (TryLater, Unavailable) as exc:
            if factors:
                raise
            notify(Message("{symbol}: the adjustment is not compared: {reason}", symbol=str(symbol), reason=exc))
            found = None
        if found is not None:
            steps, more = found
            differences = sorted(differences + more, key=lambda row: row.date)
    return Checked(symbol.canonical, a.name, b.name, days, differences, steps, scaled(a.bars, b.bars))


def check_hosts(hosts: Sequence[str], *, given: bool = True) -> None:
    """Raise UsageError unless two different sides are named, and for names that are none."""
    from ia.organs.ohlcv import adapters

    known = [*HOSTS, STORE, *adapters.names()]
    for name in hosts:
        if name not in known:
            raise UsageError("{name}: no such host", name=name, names=", ".join(known), hint="one of {names}")
    if given and (len(hosts) != 2 or hosts[0] == hosts[1]):
        raise UsageError("two different hosts are compared", hint="--hosts eastmoney,tencent")
    if LIVE in hosts and (STORE in hosts or set(hosts) & set(HOSTS)):
        raise UsageError("{name} asks the same hosts", name=LIVE, hint="name the hosts: --hosts eastmoney,tencent")


def span_of(market: str, start: str | None, end: str | None) -> Span:
    """Return the dates to compare: the last two years up to the last closed session, where nothing else is said.

    raises  UsageError where none lies between.
    """
    last = clock.last_visible(market)
    until = min(end, last) if end else last
    if start is None:
        day = f"{int(until[:4]) - YEARS}{until[4:]}"
        start = day if not day.endswith("02-29") else f"{day[:4]}-02-28"
    if start > until:
        raise UsageError("no session had closed from {start} to {end}", start=start, end=until)
    return Span(start, until)


def _two(
    ws: Workspace, symbol: Symbol, hosts: Sequence[str], span: Span, notify: Notify, order: list[str]
) -> tuple[Side, Side]:
    """Return two sides; of the default three, the first two that answer."""
    if hosts:
        return _side(ws, symbol, hosts[0], span), _side(ws, symbol, hosts[1], span)
    _check_real()
    sides: list[Side] = []
    failures: list[IaError] = []
    for name in list(order):
        try:
            sides.append(_side(ws, symbol, name, span))
        except (NotFound, TryLater, Unavailable) as exc:
            failures.append(exc)
            if not isinstance(exc, NotFound):
                order.append(order.pop(order.index(name)))
        if len(sides) == 2:
            if failures:
                notify(
                    Message(
                        "{reason}; {source} and {other} are compared",
                        reason=failures[0],
                        source=sides[0].name,
                        other=name,
                    )
                )
            return sides[0], sides[1]
    raise _worst(failures)


def _check_real() -> None:
    """Raise Unavailable where this workspace lives in a simulated market only: no host knows its prices."""
    from ia.kernel import config
    from ia.organs.ohlcv.adapters import load

    chain = config.listed("market.adapter")
    if chain and all(load(name).simulated for name in chain):
        raise _nothing_to_verify(chain[0])


def _nothing_to_verify(name: str) -> Unavailable:
    return Unavailable(
        "{name} prices are simulated: there is nothing to verify them against",
        name=name,
        hint="compare real hosts: --hosts eastmoney,tencent; or two files: `ia verify a.csv b.csv`",
    )


def _worst(failures: list[IaError]) -> IaError:
    """Return the failure that is most worth another try; NotFound only where every host says so."""
    order = (TryLater, Unavailable, NotFound)
    return min(failures, key=lambda exc: next(at for at, kind in enumerate(order) if isinstance(exc, kind)))


def _side(ws: Workspace, symbol: Symbol, name: str, span: Span) -> Side:
    """Return the bars of one side, checked and cut to the dates."""
    from ia.organs.ohlcv.adapters import load

    if name == STORE:
        return Side(name, _stored(ws, symbol, span).between(span.start, span.end))
    if name in HOSTS:
        return Side(name, fetch_bars(name, symbol, span.start, span.end))
    adapter = load(name)
    if adapter.simulated:
        raise _nothing_to_verify(name)
    bars = adapter.normalize(adapter.fetch(symbol, span.start, span.end))
    return Side(name, bars.between(span.start, span.end))


def _stored(ws: Workspace, symbol: Symbol, span: Span) -> Bars:
    """Return the stored raw bars of the live adapter: of the whole market's table, else of the symbol's own series."""
    from ia.organs import marketdb
    from ia.organs.ohlcv import cache

    until = span.end or clock.last_visible(symbol.market)
    with contextlib.closing(marketdb.connect(ws)) as db:
        rows = db.execute(
            "SELECT d.date, d.open, d.high, d.low, d.close, d.volume FROM days JOIN daily d USING (source, date)"
            " JOIN sources s ON s.id = days.source WHERE s.name = ? AND days.date BETWEEN ? AND ? AND d.symbol = ?"
            " ORDER BY d.date",
            (LIVE, span.start or "", until, symbol.canonical),
        ).fetchall()
        if rows:
            return Bars.of(rows)
        series = cache.find(db, LIVE, symbol.canonical)
        if series is None:
            raise NotFound(
                "{symbol}: nothing is stored of it", symbol=str(symbol), canonical=symbol.canonical,
                hint="`ia sync --symbols {canonical}`, or `ia ohlcv {canonical}`",
            )  # fmt: skip
        return cache.bars(db, series, until)


def _adjustments(
    ws: Workspace, symbol: Symbol, side: Side, tick: float, notify: Notify
) -> tuple[int, list[Difference]] | None:
    """Return how many ex-days were compared, and the differences; None, told, where there is nothing to compare."""
    if not side.bars.date:
        return None
    try:
        theirs = fetch_factors(symbol)
    except NotFound:
        notify(Message("{symbol}: sina has no factors of it; the adjustment is not compared", symbol=str(symbol)))
        return None
    ours = _ours(ws, symbol)
    last = side.bars.date[-1]
    ours, theirs = ([act for act in acts if act.date <= last] for acts in (ours, theirs))
    dates = _steps(side.bars, ours, tick).keys() | _steps(side.bars, theirs, None).keys()
    return len(dates), compared_steps(side.bars, ours, theirs, tick)


def _ours(ws: Workspace, symbol: Symbol) -> "list[Action]":
    """Return the corporate actions that are stored, else Eastmoney's. Those that came from Sina prove nothing."""
    from ia.organs import marketdb
    from ia.organs.ohlcv import cache

    with contextlib.closing(marketdb.connect(ws)) as db:
        stored = cache.actions(db, LIVE, symbol.canonical)
    return stored if stored and all(act.factor is None for act in stored) else fetch_actions(symbol)


def _steps(bars: Bars, actions: "Iterable[Action]", tick: float | None) -> dict[str, float]:
    """Return by date of bar the factors that are not 1."""
    from ia.organs.ohlcv.adjust import factors

    scale = factors(bars.date, bars.close, actions, tick)
    return {day: after / before for day, (before, after) in zip(bars.date[1:], pairwise(scale), strict=True)
            if after != before}  # fmt: skip


def _rows(bars: Bars) -> dict[str, tuple[float, float, float, float, int]]:
    return {day: row for day, *row in zip(*bars, strict=True)}  # type: ignore[misc]


def _in_lots(bars: Bars) -> bool:
    return all(volume % LOT == 0 for volume in bars.volume)


def of_files(a: Side, b: Side, span: Span, tick: float) -> Checked:
    """Compare two series that were read from files, on the dates that both cover: what one has beyond is no difference.

    raises  BadData where one is empty, or no day is in both.
    """
    if not a.bars.date or not b.bars.date:
        empty = a if not a.bars.date else b
        raise BadData("{name}: no bars", name=empty.name)
    start = max(span.start or "", a.bars.date[0], b.bars.date[0])
    end = min(span.end or "9999", a.bars.date[-1], b.bars.date[-1])
    left, right = (side.bars.between(start, end) for side in (a, b))
    days = sorted(set(left.date) & set(right.date))
    if not days:
        raise BadData("{source} and {other} have no day in common", source=a.name, other=b.name)
    return Checked("", a.name, b.name, days, compared(left, right, tick), None, scaled(left, right))


def run(
    ws: Workspace,
    symbols: Iterable[Symbol],
    hosts: Sequence[str],
    start: str | None,
    end: str | None,
    *,
    factors: bool | None = True,
    told: Callable[[Checked], object] = lambda _: None,
    notify: Notify = silent,
) -> tuple[list[Checked], list[IaError]]:
    """Compare symbol after symbol; `told` hears of each at once. Return what was compared, and the failures.

    A host that shuts us out ends the run: asking it for the rest would only prolong the ban.
    """
    from ia.organs.ohlcv.governor import Banned

    if not hosts:
        _check_real()
    done: list[Checked] = []
    failures: list[IaError] = []
    waiting, order = list(symbols), list(HOSTS)
    for at, symbol in enumerate(waiting):
        try:
            span = span_of(symbol.market, start, end)
            done.append(verified(ws, symbol, hosts, span, notify, factors=factors, order=order))
        except (NotFound, TryLater, Unavailable) as exc:
            failures.append(exc)
            if isinstance(exc, Banned) and at + 1 < len(waiting):
                notify(Message("{count} more were not compared: {reason}", count=len(waiting) - at - 1, reason=exc))
                break
            continue
        told(done[-1])
    return done, failures
