"""The daily bars of a stretch of time, however long: the tool for prices shows a part of them at a time."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import DAY, EVER, SESSIONS, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import wording
from ia.domain.instruments.symbols import symbol_of_kind

PART_DAYS = 150
"""Calendar days whose bars are sure to be shown whole: what a tool may return is limited."""
BEFORE_DAYS = 45
"""Calendar days before a stretch in which its base is looked for first."""
_CLOSED_DAYS = {"CN": 6, "HK": 4, "US": 2}
"""Market -> the most weekdays in a row on which it is closed."""
_SHOWN = 6
"""Sessions without a bar from which on they are counted, not named."""


class BarRow(NamedTuple):
    """One daily bar; its prices are adjusted (qfq) where nothing else was asked for."""

    date: str
    open: float
    high: float
    low: float
    close: float
    volume: float


class SpanBars(NamedTuple):
    """The bars of a stretch of time, oldest first.

    base   the bar with whose close the stretch begins; None where there is none so early
    last   the date of the newest bar there is, in the stretch or not
    missed the sessions after it, which have no bar
    """

    rows: list[BarRow]
    base: BarRow | None
    last: str
    simulated: bool
    missed: tuple[str, ...] = ()

    @property
    def with_base(self) -> list[BarRow]:
        """The bars and, before them, the one that they begin with."""
        return [self.base, *self.rows] if self.base else self.rows


def load_span(
    desk: ToolDesk, mention: Mention, span: TimeSpan | None, *, adjust: str = "qfq"
) -> Work[SpanBars | DeskResult]:
    """Return the bars of a stretch of time, all there are without one; the result that failed where none came."""
    return (yield from load_spans(desk, [mention], span, adjust=adjust))[0]


def load_span_of(
    desk: ToolDesk, symbol: str, span: TimeSpan | None, *, adjust: str = "qfq"
) -> Work[SpanBars | DeskResult]:
    """Return the bars of a security by its canonical code, as `load_span`."""
    return (yield from load_span(desk, Mention(symbol_of_kind(symbol), symbol), span, adjust=adjust))


def load_spans(
    desk: ToolDesk, mentions: Sequence[Mention], span: TimeSpan | None, *, adjust: str = "qfq"
) -> Work[list[SpanBars | DeskResult]]:
    """Return the bars of a stretch of time of each security: in three rounds of calls, however many they are."""
    given = {"adjust": adjust} if adjust != "qfq" else {}
    newest = yield from desk.run(
        *(DeskCall("market.ohlcv", {"symbol": each.code, "tail": 1, **given}) for each in mentions)
    )
    calls: list[DeskCall] = []
    places: list[list[int] | None] = []
    for mention, found in zip(mentions, newest, strict=True):
        try:
            known = str(found.get("first") or ""), str(found.get("last") or "")
            first, last = _days_of(span, known)
        except ValueError:  # no dates
            places.append(None)
            continue
        parts = _parts_of(first, last) if first <= last else []
        places.append(list(range(len(calls), len(calls) + len(parts))))
        calls += [
            DeskCall(
                "market.ohlcv", {"symbol": mention.code, "tail": PART_DAYS, "start": f"{a}", "end": f"{b}", **given}
            )
            for a, b in parts
        ]
    pairs = list(zip(mentions, newest, strict=True))
    markets = dict.fromkeys(each.symbol.market for each, found in pairs if _days_after(desk, each, found))
    asked = [DeskCall("calendar.trading", {"date": desk.request.day, "market": each, "n": _SHOWN}) for each in markets]
    results = (yield from desk.run(*calls, *asked)) if calls or asked else []
    sessions = dict(zip(markets, results[len(calls) :], strict=True))
    loaded = [
        _collect(span, found, [results[at] for at in places_of]) if places_of is not None else _failure_of(found)
        for found, places_of in zip(newest, places, strict=True)
    ]
    loaded = [
        each._replace(missed=_missed_sessions(desk, mention, each.last, sessions.get(mention.symbol.market)))
        if isinstance(each, SpanBars)
        else each
        for mention, each in zip(mentions, loaded, strict=True)
    ]
    first_day = span.first if span is not None else None
    if span is None or first_day is None:
        return loaded
    end = first_day if span.kind == SINCE else first_day - timedelta(days=1)
    lacking = [
        at
        for at, each in enumerate(loaded)
        if isinstance(each, SpanBars) and each.base is None and f"{first_day}" > str(newest[at].get("first"))
    ]
    earlier = yield from desk.run(
        *(DeskCall("market.ohlcv", {"symbol": mentions[at].code, "tail": 1, "end": f"{end}"} | given) for at in lacking)
    )
    for at, result in zip(lacking, earlier, strict=True):
        each = loaded[at]
        if isinstance(each, SpanBars):
            loaded[at] = each._replace(base=next(iter(rows_of(result)), None))
    return loaded


def _failure_of(found: DeskResult) -> DeskResult:
    return found if not found.ok else DeskResult(None, NO_BARS)


def _collect(span: TimeSpan | None, newest: DeskResult, results: list[DeskResult]) -> SpanBars | DeskResult:
    """Return the bars of a stretch, of the parts that were fetched."""
    rows: dict[str, BarRow] = {}
    for result in results:
        if result.failure is not None and result.failure.code != "no-bars-then":
            return result
        rows |= {row.date: row for row in rows_of(result)}
    found = [rows[day] for day in sorted(rows)]
    if span is not None and span.kind == DAY and span.first is None:
        at = len(found) - 1 - span.sessions
        before, kept = found[: max(at, 0)], found[at : at + 1] if at >= 0 else []
    elif span is not None and span.kind == SESSIONS:
        kept = found[-span.sessions :]
        before = found[: len(found) - len(kept)]
    else:
        begin = f"{span.first}" if span is not None and span.first is not None else ""
        whole = span is not None and span.kind == SINCE
        before = [row for row in found if row.date < begin or (whole and row.date == begin)]
        kept = found[len(before) :]
    base = before[-1] if before else None
    last, simulated = str(newest.get("last") or ""), bool(newest.get("simulated"))
    return SpanBars(rows=kept, base=base, last=last, simulated=simulated)


def rows_of(result: DeskResult) -> list[BarRow]:
    """Return the bars that a result shows."""
    return [BarRow(cells[0], *map(float, cells[1:6])) for cells in wording.bars_of(result)]


def _days_of(span: TimeSpan | None, known: tuple[str, str]) -> tuple[date, date]:
    """Return the calendar days whose bars a stretch needs, its base with them."""
    begin, end = date.fromisoformat(known[0]), date.fromisoformat(known[1])
    if span is None or span.kind == EVER:
        return begin, end
    if span.first is None:
        return max(begin, end - timedelta(days=span.sessions * 3 // 2 + BEFORE_DAYS)), end
    first = span.first or begin
    return max(begin, first - timedelta(days=BEFORE_DAYS)), min(end, span.last or end)


def _parts_of(first: date, last: date) -> list[tuple[date, date]]:
    step = timedelta(days=PART_DAYS)
    parts = []
    while first <= last:
        parts.append((first, min(last, first + step - timedelta(days=1))))
        first += step
    return parts


def _days_after(desk: ToolDesk, mention: Mention, found: DeskResult) -> list[date]:
    """Return the weekdays after the newest bar of a security whose sessions are over."""
    today = desk.request.moment.date()
    try:
        newest = date.fromisoformat(str(found.get("last") or ""))
    except ValueError:
        return []
    over = desk.request.moment.hour >= wording.CLOSES.get(mention.symbol.market, 24)
    days = [newest + timedelta(days=at) for at in range(1, (today - newest).days + over)]
    return [day for day in days if day.weekday() < 5]


def _missed_sessions(desk: ToolDesk, mention: Mention, last: str, calendar: DeskResult | None) -> tuple[str, ...]:
    """Return the sessions after the newest bar; the weekdays where no calendar tells, and more than holidays have."""
    days = _days_after(desk, mention, DeskResult({"last": last}))
    if calendar is not None and calendar.ok:
        sessions = wording.names_of(calendar.get("previous"))
        if calendar.get("is_trading_day"):
            sessions = [*sessions, desk.request.day]
        if sessions and sessions[0] > last:  # more than the calendar shows
            return tuple(f"{day}" for day in days)
        return tuple(f"{day}" for day in days if f"{day}" in sessions)
    return tuple(map(str, days)) if len(days) > _CLOSED_DAYS.get(mention.symbol.market, 6) else ()


def find_missed(desk: ToolDesk, mention: Mention, last: str) -> Work[tuple[str, ...]]:
    """Return the sessions after the newest bar of a security, which it has no bars of."""
    if not _days_after(desk, mention, DeskResult({"last": last})):
        return ()
    calendar = yield from desk.one("calendar.trading", date=desk.request.day, market=mention.symbol.market, n=_SHOWN)
    return _missed_sessions(desk, mention, last, calendar)


def stale_note(desk: ToolDesk, mention: Mention, last: str, missed: Sequence[str]) -> str:
    """Return the warning that the newest bar is old; "" where no session was missed."""
    if not missed:
        return ""
    if len(missed) < _SHOWN:
        return desk.speak(
            "Mind the date: the newest price of {name} is of {last}; of {days} there is none (suspended or missing).",
            name=wording.head_of(desk, mention),
            last=last,
            days=desk.speak.join_items(list(missed)),
        )
    return desk.speak(
        "Mind the date: the newest price of {name} is of {last}, {count} weekdays before {day}.",
        name=wording.head_of(desk, mention),
        last=last,
        count=len(missed),
        day=desk.request.day,
    )


def period_of(rows: list[BarRow]) -> str:
    """Return from which bar to which: their dates."""
    return f"{rows[0].date} – {rows[-1].date}" if rows else ""
