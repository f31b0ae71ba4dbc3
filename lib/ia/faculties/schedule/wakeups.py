"""When cron has to wake a task: five-field lines in the zone that cron lives in.

Debian's cron knows one zone and ignores CRON_TZ, so a line is written for each hour at which a slot can fall there, in
summer and in winter. A line wakes at least at every slot; a wake-up without a slot does nothing.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime, time, timedelta
from itertools import pairwise
from math import gcd
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ia.faculties.schedule import exchange, slots
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.schedule.schedule_forms import (
    WEEKDAYS,
    CloseSchedule,
    CronSchedule,
    CycleSchedule,
    IntervalSchedule,
    OnceSchedule,
    OrdinalSchedule,
    ScheduleEvent,
    TimedForm,
    parse_parts,
    parse_schedule,
)
from ia.kernel.clock import UTC

MAX_LINES = 24
DAY_MINUTES = 1440
FILES = "*/5 * * * *"
"""How often files are looked at."""
NEWS = "*/20 * * * *"
"""How often news are looked for; their source is asked once an hour."""

_Local = tuple[int, int]
"""A minute of the day, and how many days after the weekday that is meant it comes (-1: the day before)."""


class WakeupStretch(NamedTuple):
    """A time in which neither clock changes: how far that of the schedule and cron's own are ahead of UTC, minutes."""

    start: datetime
    end: datetime
    there: int
    here: int


def cron_lines(design: TaskDesign, *, anchor: datetime, system: ZoneInfo, moment: datetime) -> list[str]:
    """Return the five fields of each line that cron needs, in the zone `system`; none for messages and webhooks.

    anchor  when the design was approved.
    moment  about now: clocks are looked at for two years from January of its year, so that the lines of a design change
            at New Year at most.
    raises  BadData where the schedule or the zone is none.
    """
    what = parse_schedule(design.schedule)
    if isinstance(what, ScheduleEvent):
        return {"file": [FILES], "news": [NEWS]}.get(what.kind, [])
    lines = (
        line for part in parse_parts(design.schedule) for line in _part_lines(part, design, anchor, system, moment)
    )
    return list(dict.fromkeys(lines))


def _part_lines(what: TimedForm, design: TaskDesign, anchor: datetime, system: ZoneInfo, moment: datetime) -> list[str]:
    """Return the lines of one of a schedule's forms."""
    if isinstance(what, OnceSchedule):
        return _once_lines(what, design, system)
    zone, minutes, days = _wanted_times(what, design, anchor.astimezone(UTC))
    stretches = list(_clock_stretches(zone, system, moment))
    if isinstance(what, CronSchedule) and all(each.there == each.here for each in stretches):
        return [what.fields]
    wanted = {each for stretch in stretches for each in _convert_times(minutes, stretch)}
    if not isinstance(what, IntervalSchedule | CloseSchedule) and not (isinstance(what, CronSchedule) and what.elapsed):
        wanted |= set(_postponed_times(minutes, stretches))
    return _format_lines(wanted, days, _repeated_minutes(stretches))


def _once_lines(what: OnceSchedule, design: TaskDesign, system: ZoneInfo) -> list[str]:
    """Return the line of a single moment: cron would come back a year later, but then the line is gone."""
    start = datetime.combine(what.day, time(what.minute // 60, what.minute % 60), slots.schedule_zone(design))
    times = {(start.replace(fold=fold).astimezone(UTC)).astimezone(system) for fold in (0, 1)}
    return [f"{each.minute} {each.hour} {each.day} {each.month} *" for each in sorted(times)]


def _wanted_times(
    what: CronSchedule | IntervalSchedule | CloseSchedule | OrdinalSchedule | CycleSchedule,
    design: TaskDesign,
    anchor: datetime,
) -> tuple[ZoneInfo, list[_Local], frozenset[int]]:
    """Return the zone of a schedule, the times of the day at which it may want to run there, and on which weekdays."""
    everyday = frozenset(range(7))
    if isinstance(what, IntervalSchedule):
        step = gcd(what.minutes, DAY_MINUTES)
        first = (anchor.hour * 60 + anchor.minute) % step
        return ZoneInfo("UTC"), [(minute, 0) for minute in range(first, DAY_MINUTES, step)], everyday
    if isinstance(what, CloseSchedule) or (isinstance(what, OrdinalSchedule) and what.offset is not None):
        assert what.offset is not None
        market = exchange.MARKETS.get(design.calendar, exchange.HOME)
        after = [each.hour * 60 + each.minute + what.offset for each in exchange.CLOSES[market]]
        minutes = [(minute % DAY_MINUTES, minute // DAY_MINUTES) for minute in after]
        return (
            exchange.exchange_zone(market),
            minutes,
            exchange.WORKDAYS & (what.weekdays if isinstance(what, CloseSchedule) else everyday),
        )
    if isinstance(what, OrdinalSchedule | CycleSchedule):
        return slots.schedule_zone(design), [(minute, 0) for minute in what.times], _days_of(what) or everyday
    # Dates of a month cannot be carried over to another zone: every day then.
    dated = what.either or len(what.days) < 31 or len(what.months) < 12
    return slots.schedule_zone(design), [(minute, 0) for minute in what.times], everyday if dated else what.weekdays


def _days_of(what: OrdinalSchedule | CycleSchedule) -> frozenset[int]:
    """Return the weekdays on which a schedule can come; nothing for all of them."""
    if isinstance(what, CycleSchedule):
        return what.weekdays
    if what.kind in WEEKDAYS:
        return frozenset({WEEKDAYS.index(what.kind)})
    return exchange.WORKDAYS if what.kind == "weekday" else frozenset()


def _clock_stretches(zone: ZoneInfo, system: ZoneInfo, moment: datetime) -> Iterator[WakeupStretch]:
    """Yield two years of both clocks, cut wherever one of them changes."""
    at = datetime(moment.astimezone(UTC).year, 1, 1, tzinfo=UTC)
    end = at + timedelta(days=731)
    while at < end:
        offsets = _utc_offset(zone, at), _utc_offset(system, at)
        change = _next_clock_change(zone, system, at, end)
        yield WakeupStretch(at, change, *offsets)
        at = change


def _next_clock_change(zone: ZoneInfo, system: ZoneInfo, start: datetime, end: datetime) -> datetime:
    """Return when one of two clocks first changes after start, else end. Clocks change on a minute."""

    def has_same_offsets(moment: datetime) -> bool:
        return (_utc_offset(zone, moment), _utc_offset(system, moment)) == offsets

    offsets = _utc_offset(zone, start), _utc_offset(system, start)
    low, high = start, start + timedelta(days=1)
    while high < end and has_same_offsets(high):
        low, high = high, high + timedelta(days=1)
    if high >= end:
        return end
    minutes = bisect_left(range(1440), True, key=lambda minute: not has_same_offsets(low + timedelta(minutes=minute)))
    return low + timedelta(minutes=minutes)


def _utc_offset(zone: ZoneInfo, moment: datetime) -> int:
    """Return the minutes that a zone's clock is ahead of UTC."""
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None
    return round(offset.total_seconds() / 60)


def _convert_times(minutes: Iterable[_Local], stretch: WakeupStretch) -> Iterator[_Local]:
    """Yield what times of the one zone are in the other; in a stretch of less than a day those that come in it."""
    begin = stretch.start + timedelta(minutes=stretch.there)
    first, length = begin.hour * 60 + begin.minute, (stretch.end - stretch.start) / timedelta(minutes=1)
    for minute, shift in minutes:
        if (minute - first) % DAY_MINUTES < length:
            there = minute - stretch.there + stretch.here
            yield there % DAY_MINUTES, shift + there // DAY_MINUTES


def _postponed_times(minutes: Iterable[_Local], stretches: list[WakeupStretch]) -> Iterator[_Local]:
    """Yield the times to which those are put off that the first zone's clock skips."""
    for before, after in pairwise(stretches):
        begin = after.start + timedelta(minutes=before.there)
        skipped, gap = begin.hour * 60 + begin.minute, after.there - before.there
        for minute, shift in minutes:
            late = (minute - skipped) % DAY_MINUTES
            if late < gap:
                there = minute - late - before.there + after.here
                yield there % DAY_MINUTES, shift + there // DAY_MINUTES


def _repeated_minutes(stretches: list[WakeupStretch]) -> set[int]:
    """Return the minutes of the day that cron's own clock shows twice in some night."""
    found: set[int] = set()
    for before, after in pairwise(stretches):
        begin = after.start + timedelta(minutes=after.here)
        first = begin.hour * 60 + begin.minute
        found |= {(first + minute) % DAY_MINUTES for minute in range(before.here - after.here)}
    return found


def _format_lines(wanted: set[_Local], days: frozenset[int], repeated: set[int]) -> list[str]:
    """Return lines for times of the week: days are those that a shift of 0 has.

    Cron runs a line whose hour and minute do not begin with * once in a night that repeats an hour, and where the slot
    is the second one that is too early; so lines for such hours begin with *.
    """
    shifts = {0: {minute for minute, _ in wanted}} if len(days) == 7 else {}
    if not shifts:
        for minute, shift in wanted:
            shifts.setdefault(shift, set()).add(minute)
    out = []
    for shift, found in sorted(shifts.items()):
        on = frozenset((day + shift) % 7 for day in days)
        out += _group_hours(found, _format_field(on, 0, 6), repeated)
    if len(out) > MAX_LINES:
        every = {minute % 60 for minute, _ in wanted}
        return [f"{_format_field(every, 0, 59)} * * * *"]
    return out


def _group_hours(found: set[int], weekday: str, repeated: set[int]) -> list[str]:
    """Return lines for minutes of the day: hours with the same minutes share one."""
    by_hour: dict[int, set[int]] = {}
    for minute in found:
        by_hour.setdefault(minute // 60, set()).add(minute % 60)
    groups: dict[tuple[frozenset[int], bool], set[int]] = {}
    for hour, minutes in by_hour.items():
        twice = any(hour * 60 + minute in repeated for minute in minutes)
        groups.setdefault((frozenset(minutes), twice), set()).add(hour)
    if len(by_hour) == 24 and len({same for same, _ in groups}) == 1:
        return [f"{_format_field(by_hour[0], 0, 59)} * * * {weekday}"]
    out = []
    for (same, twice), hours in sorted(groups.items(), key=lambda item: min(item[1])):
        fields = _widen_fields(same, hours) if twice else (_format_field(same, 0, 59), _format_field(hours, 0, 23))
        out.append(f"{fields[0]} {fields[1]} * * {weekday}")
    return out


def _widen_fields(minutes: frozenset[int], hours: set[int]) -> tuple[str, str]:
    """Return minute and hour fields that have these times and others, as few as may be, one of them with a *."""
    step, stride = gcd(*minutes) or 30, gcd(*hours) or 12  # 0 alone has no divisor
    if len(range(0, 60, step)) * len(hours) <= len(minutes) * len(range(0, 24, stride)):
        return ("*" if step == 1 else f"*/{step}"), _format_field(hours, 0, 23)
    return _format_field(minutes, 0, 59), ("*" if stride == 1 else f"*/{stride}")


def _format_field(values: Iterable[int], low: int, high: int) -> str:
    """Return a cron field: `*`, a step, or numbers and ranges."""
    numbers = sorted(values)
    if numbers == list(range(low, high + 1)):
        return "*"
    step = numbers[1] - numbers[0] if len(numbers) > 2 else 0
    if step > 1 and numbers == list(range(numbers[0], high + 1, step)):
        return f"*/{step}" if numbers[0] == low else f"{numbers[0]}-{high}/{step}"
    out: list[str] = []
    while numbers:
        end = 1
        while end < len(numbers) and numbers[end] == numbers[0] + end:
            end += 1
        if end > 2:
            out.append(f"{numbers[0]}-{numbers[end - 1]}")
        else:
            out += map(str, numbers[:end])
        numbers = numbers[end:]
    return ",".join(out)
