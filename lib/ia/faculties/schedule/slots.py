"""The moments at which a task is to run.

Slots come as aware datetimes in the design's zone. Two of them in an hour that is repeated differ by their `fold`
alone, and Python calls such two equal: compare and keep them as UTC (`clock.stamp`).
"""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from ia.faculties.schedule import exchange, ordinal_days, zones
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.schedule.schedule_forms import (
    CloseSchedule,
    CronSchedule,
    CycleSchedule,
    IntervalSchedule,
    OnceSchedule,
    OrdinalSchedule,
    TimedForm,
    needs_exchange,
    parse_parts,
)
from ia.kernel.clock import UTC
from ia.kernel.errors import Message

HORIZON = timedelta(days=60 * 366)
"""How far ahead a slot is looked for: the 29th of February on a trading Monday comes once in decades."""
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


def schedule_zone(design: TaskDesign) -> ZoneInfo:
    """Return the zone that a design's schedule is in: the user's own where it names none.

    raises  BadData where there is no such zone.
    """
    return zones.load_zone(design.zone) if design.zone else zones.user_zone()


def display_zone(design: TaskDesign) -> ZoneInfo:
    """Return the zone in which a person reads a design's times: of a close that of the exchange, else its own."""
    parts = parse_parts(design.schedule)
    if parts and all(isinstance(part, CloseSchedule) for part in parts):
        return exchange.exchange_zone(exchange.MARKETS.get(design.calendar) or exchange.HOME)
    return schedule_zone(design)


def unknown_holidays_message(design: TaskDesign, moments: list[datetime]) -> Message | None:
    """Return the remark that one of these slots lies past the days whose holidays are known; None where none does."""
    calendar = design.calendar or (exchange.HOME if needs_exchange(design.schedule) else "")
    market = exchange.MARKETS.get(calendar)
    if market is None or not moments:
        return None
    return exchange.unknown_holidays_message(
        market, max(moment.astimezone(exchange.exchange_zone(market)).date() for moment in moments)
    )


def next_slots(design: TaskDesign, after: datetime, n: int = 5, *, anchor: datetime | None = None) -> list[datetime]:
    """Return the next n slots, strictly after a moment; fewer where there are none for decades, none for events.

    anchor  when the design was approved: what `every` counts from; default `after`.
    raises  BadData where the schedule or the zone is none.
    """
    start = after.astimezone(UTC)
    last = min(start + HORIZON, datetime(9990, 1, 1, tzinfo=UTC))
    found: list[datetime] = []
    step = 2 * DAY
    while len(found) < n and start < last and parse_parts(design.schedule):
        end = min(start + step, last)
        found += slots_between(design, start, end, anchor=anchor or after)
        start, step = end, step * 4
    return found[:n]


def slots_between(
    design: TaskDesign, start: datetime, end: datetime, *, anchor: datetime | None = None
) -> list[datetime]:
    """Return the slots with start < slot <= end, ascending; anchor and raises as for `upcoming`."""
    low, high = start.astimezone(UTC), end.astimezone(UTC)
    zone = schedule_zone(design)
    if low >= high:
        return []
    moments = _candidate_slots(design, zone, low, high, (anchor or start).astimezone(UTC))
    return [moment.astimezone(zone) for moment in sorted({m for m in moments if low < m <= high})]


def last_slot(design: TaskDesign, start: datetime, end: datetime, *, anchor: datetime | None = None) -> datetime | None:
    """Return the latest slot with start < slot <= end, without making a list of all; None where there is none."""
    return next(reversed(latest_slots(design, start, end, 1, anchor=anchor)), None)


def latest_slots(
    design: TaskDesign, start: datetime, end: datetime, n: int, *, anchor: datetime | None = None
) -> list[datetime]:
    """Return the n latest slots with start < slot <= end, ascending, without making a list of all."""
    low, high, step = start.astimezone(UTC), end.astimezone(UTC), 2 * DAY
    anchor = anchor or start
    found: list[datetime] = []
    while high > low and len(found) < n:
        begin = max(low, high - step)
        found = slots_between(design, begin, high, anchor=anchor) + found
        high, step = begin, step * (1 if found else 4)
    return found[-n:]


def _candidate_slots(
    design: TaskDesign, zone: ZoneInfo, low: datetime, high: datetime, anchor: datetime
) -> Iterator[datetime]:
    """Yield slots around low..high, UTC; some of them outside, some twice, in no order."""
    market = exchange.MARKETS.get(design.calendar)
    for what in parse_parts(design.schedule):
        if isinstance(what, CloseSchedule):
            yield from _close_slots(what, market or exchange.HOME, low, high)
        elif isinstance(what, OrdinalSchedule) and what.needs_exchange:
            yield from _nth_session_slots(what, zone, market or exchange.HOME, low, high)
        elif market is None:
            yield from _clock_slots(what, zone, None, low, high, anchor)
        else:
            local = exchange.exchange_zone(market)
            for moment in _clock_slots(what, zone, market, low, high, anchor):
                if low < moment <= high and exchange.is_session(market, moment.astimezone(local).date()):
                    yield moment


def _clock_slots(
    what: TimedForm, zone: ZoneInfo, market: str | None, low: datetime, high: datetime, anchor: datetime
) -> Iterator[datetime]:
    """Yield the slots of a form that no exchange has a say in."""
    if isinstance(what, IntervalSchedule):
        yield from _elapsed_slots(what.minutes * MINUTE, anchor.replace(second=0, microsecond=0), low, high)
    elif isinstance(what, CronSchedule):
        yield from _cron_slots(what, zone, market, low, high)
    else:
        first, last = (low.astimezone(zone) - DAY).date(), high.astimezone(zone).date()
        times: tuple[int, ...] = ()
        days: Iterator[date] = iter(())
        if isinstance(what, OnceSchedule):
            days, times = iter([what.day] if first <= what.day <= last else []), (what.minute,)
        elif isinstance(what, CycleSchedule):
            days, times = _cycle_days(what, first, last), what.times
        elif isinstance(what, OrdinalSchedule):
            days, times = ordinal_days.find_days(what, first, last), what.times
        for day in days:
            yield from _times_on(day, times, zone)


def _cycle_days(what: CycleSchedule, first: date, last: date) -> Iterator[date]:
    for number in range(max(first, what.start).toordinal(), last.toordinal() + 1):
        day = date.fromordinal(number)
        if what.matches_date(day):
            yield day


def _times_on(day: date, times: tuple[int, ...], zone: ZoneInfo) -> Iterator[datetime]:
    """Yield when a clock of the zone shows these minutes of a date, UTC; each once."""
    for minute in times:
        yield from _resolve_local_time(datetime.combine(day, time(minute // 60, minute % 60), zone), False)


def _nth_session_slots(
    what: OrdinalSchedule, zone: ZoneInfo, market: str, low: datetime, high: datetime
) -> Iterator[datetime]:
    """Yield the slots on days that are counted by an exchange; a run counts for the date that it has there."""
    local, around = exchange.exchange_zone(market), 2 * DAY
    first, last = (low - around).astimezone(local).date(), (high + around).astimezone(local).date()
    for day in ordinal_days.find_days(what, first, last, market):
        if what.offset is not None:
            closed = exchange.session_close(market, day)
            if closed is not None:
                yield closed + what.offset * MINUTE
            continue
        for near in (day - DAY, day, day + DAY):
            for moment in _times_on(near, what.times, zone):
                if moment.astimezone(local).date() == day:
                    yield moment


def _elapsed_slots(step: timedelta, anchor: datetime, low: datetime, high: datetime) -> Iterator[datetime]:
    moment = anchor + max(1, (low - anchor) // step) * step
    while moment <= high:
        yield moment
        moment += step


def _close_slots(what: CloseSchedule, market: str, low: datetime, high: datetime) -> Iterator[datetime]:
    offset = what.offset * MINUTE
    local = exchange.exchange_zone(market)
    first, end = (low - offset).astimezone(local).date(), (high - offset).astimezone(local).date()
    for day in exchange.session_days(market, first, end):
        closed = exchange.session_close(market, day)
        if closed is not None and (day.weekday() + 1) % 7 in what.weekdays:
            yield closed + offset


def _cron_slots(
    what: CronSchedule, zone: ZoneInfo, market: str | None, low: datetime, high: datetime
) -> Iterator[datetime]:
    day, end = (low.astimezone(zone) - DAY).date(), high.astimezone(zone).date()
    while day <= end:
        if what.matches_date(day.day, day.month, (day.weekday() + 1) % 7):
            midnight = datetime.combine(day, time(), zone)
            start = midnight.astimezone(UTC)
            if market and not _is_session(market, start, (midnight + DAY).replace(fold=1).astimezone(UTC)):
                pass  # a schedule may have thousands of times on days that are none
            elif _is_unambiguous(midnight, start) and _is_unambiguous(midnight + DAY, start + DAY):
                first, last = (low - start) // MINUTE, (high - start) // MINUTE
                for minute in what.times[bisect_right(what.times, first) : bisect_right(what.times, last)]:
                    yield start + minute * MINUTE
            else:  # a clock changes on this date, or at its end
                for minute in what.times:
                    yield from _resolve_local_time(
                        midnight.replace(hour=minute // 60, minute=minute % 60), what.elapsed
                    )
        day += DAY


def _is_session(market: str, start: datetime, end: datetime) -> bool:
    """Whether the exchange trades on a date that it has between two moments a day apart."""
    local = exchange.exchange_zone(market)
    first, last = start.astimezone(local).date(), (end - MINUTE).astimezone(local).date()
    return bool(exchange.session_days(market, first, last))


def _is_unambiguous(local: datetime, moment: datetime) -> bool:
    """Whether a clock shows a local time at that moment and at no other."""
    return local.astimezone(UTC) == moment == local.replace(fold=1).astimezone(UTC)


def _resolve_local_time(local: datetime, elapsed: bool) -> Iterator[datetime]:
    """Yield when a clock shows a local time, UTC: never, once or twice if elapsed; else once.

    A time that the clock skips stands for the first moment after it, one that it shows twice for the first.
    """
    first, second = local.astimezone(UTC), local.replace(fold=1).astimezone(UTC)
    if first <= second:
        yield first
        if elapsed and first < second:
            yield second
    elif not elapsed:
        yield _find_gap_end(second, first, local)


def _find_gap_end(before: datetime, after: datetime, local: datetime) -> datetime:
    """Return the moment between two at which the clock jumps, found by halving."""
    zone = local.tzinfo
    offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after
