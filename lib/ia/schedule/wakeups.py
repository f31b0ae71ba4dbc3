"""When cron has to wake a task: five-field lines in the zone that cron lives in.

Debian's cron knows one zone and ignores CRON_TZ, so a line is written for each hour at which a slot can fall there, in
summer and in winter. A line wakes at least at every slot; a wake-up without a slot does nothing.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from math import gcd
from zoneinfo import ZoneInfo

from ia.clock import UTC
from ia.schedule import exchange, slots
from ia.schedule.design import Design
from ia.schedule.forms import Close, Cron, Event, form

MAX_LINES = 24
DAY_MINUTES = 1440
FILES = "*/5 * * * *"
"""How often files are looked at."""

_Local = tuple[int, int]
"""A time of a week that repeats: minute of the day, and the days that lie between the date meant and the date there."""


class Stretch:
    """A time in which neither of two zones changes its clock: offsets in minutes."""

    def __init__(self, start: datetime, end: datetime, there: int, here: int) -> None:
        self.start, self.end, self.there, self.here = start, end, there, here


def lines(design: Design, *, anchor: datetime, system: ZoneInfo, moment: datetime) -> list[str]:
    """Return the five fields of each line that cron needs, in the zone `system`; none for messages and webhooks.

    anchor  when the design was approved.
    moment  about now: clocks are looked at from January of its year for two years, so that lines change once a year at
            most.
    raises  BadData where the schedule or the zone is none.
    """
    what = form(design.schedule)
    if isinstance(what, Event):
        return [FILES] if what.kind == "file" else []
    if isinstance(what, Close):
        market = exchange.MARKETS.get(design.calendar, "CN")
        zone, days = exchange.zone(market), what.weekdays & frozenset(range(1, 6))
        closes = [each.hour * 60 + each.minute + what.offset for each in exchange.CLOSES[market]]
        minutes = [(minute % DAY_MINUTES, minute // DAY_MINUTES) for minute in closes]
        elapsed = True
    elif isinstance(what, Cron):
        zone, days, elapsed = slots.zone_of(design), what.weekdays, what.elapsed
        minutes = [(hour * 60 + minute, 0) for hour in what.hours for minute in what.minutes]
        if what.either or not what.days.issuperset(range(1, 32)) or len(what.months) < 12:
            days = frozenset(range(7))  # dates of a month cannot be carried over to another zone: every day then
    else:
        zone, days, elapsed = ZoneInfo("UTC"), frozenset(range(7)), True
        step = gcd(what.minutes, DAY_MINUTES)
        first = anchor.astimezone(UTC)
        minutes = [(minute, 0) for minute in range((first.hour * 60 + first.minute) % step, DAY_MINUTES, step)]
    stretches = list(_stretches(zone, system, moment))
    if isinstance(what, Cron) and all(each.there == each.here for each in stretches):
        return [what.fields]
    wanted = {each for stretch in stretches for each in _there(minutes, stretch)}
    if not elapsed:
        wanted |= set(_after_gaps(minutes, stretches))
    return _written(wanted, days, _repeated(stretches))


def _stretches(zone: ZoneInfo, system: ZoneInfo, moment: datetime) -> Iterator[Stretch]:
    """Yield two years of both zones, cut wherever one of them changes."""
    start = datetime(moment.astimezone(UTC).year, 1, 1, tzinfo=UTC)
    end, at = start + timedelta(days=731), start
    while at < end:
        offsets = _offset(zone, at), _offset(system, at)
        day = at
        while day < end and (_offset(zone, day), _offset(system, day)) == offsets:
            at, day = day, day + timedelta(days=1)
        if day >= end:
            yield Stretch(start, end, *offsets)
            return
        low, high = at, day
        while high - low > timedelta(minutes=1):
            middle = low + (high - low) // 2
            if (_offset(zone, middle), _offset(system, middle)) == offsets:
                low = middle
            else:
                high = middle
        change = (high + timedelta(seconds=30)).replace(second=0, microsecond=0)
        if (_offset(zone, change), _offset(system, change)) == offsets:
            change += timedelta(minutes=1)
        yield Stretch(start, change, *offsets)
        start = at = change


def _offset(zone: ZoneInfo, moment: datetime) -> int:
    """Return the minutes that a zone's clock is ahead of UTC."""
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None
    return round(offset.total_seconds() / 60)


def _there(minutes: Iterable[_Local], stretch: Stretch) -> Iterator[_Local]:
    """Yield what times of the one zone are in the other; in a stretch of less than a day those that come in it."""
    begin = stretch.start + timedelta(minutes=stretch.there)
    first, length = begin.hour * 60 + begin.minute, (stretch.end - stretch.start) / timedelta(minutes=1)
    for minute, shift in minutes:
        if (minute - first) % DAY_MINUTES < length:
            there = minute - stretch.there + stretch.here
            yield there % DAY_MINUTES, shift + there // DAY_MINUTES


def _after_gaps(minutes: Iterable[_Local], stretches: list[Stretch]) -> Iterator[_Local]:
    """Yield the times to which those are put off that the first zone's clock skips."""
    for before, after in zip(stretches, stretches[1:], strict=False):
        begin = after.start + timedelta(minutes=before.there)
        skipped, gap = begin.hour * 60 + begin.minute, after.there - before.there
        for minute, shift in minutes:
            late = (minute - skipped) % DAY_MINUTES
            if late < gap:
                there = minute - late - before.there + after.here
                yield there % DAY_MINUTES, shift + there // DAY_MINUTES


def _repeated(stretches: list[Stretch]) -> set[int]:
    """Return the minutes of the day that cron's own clock shows twice in some night."""
    found: set[int] = set()
    for before, after in zip(stretches, stretches[1:], strict=False):
        begin = after.start + timedelta(minutes=after.here)
        first = begin.hour * 60 + begin.minute
        found |= {(first + minute) % DAY_MINUTES for minute in range(before.here - after.here)}
    return found


def _written(wanted: set[_Local], days: frozenset[int], repeated: set[int]) -> list[str]:
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
        out += _grouped(found, _field(on, 0, 6), repeated)
    if len(out) > MAX_LINES:
        every = {minute % 60 for minute, _ in wanted}
        return [f"{_field(every, 0, 59)} * * * *"]
    return out


def _grouped(found: set[int], weekday: str, repeated: set[int]) -> list[str]:
    """Return lines for minutes of the day: hours with the same minutes share one."""
    by_hour: dict[int, set[int]] = {}
    for minute in found:
        by_hour.setdefault(minute // 60, set()).add(minute % 60)
    groups: dict[tuple[frozenset[int], bool], set[int]] = {}
    for hour, minutes in by_hour.items():
        twice = any(hour * 60 + minute in repeated for minute in minutes)
        groups.setdefault((frozenset(minutes), twice), set()).add(hour)
    if len(by_hour) == 24 and len({minutes for minutes, _ in groups}) == 1:
        return [f"{_field(next(iter(by_hour.values())), 0, 59)} * * * {weekday}"]
    out = []
    for (minutes, twice), hours in sorted(groups.items(), key=lambda item: min(item[1])):
        pairs = [_starred(minutes, hours)] if twice else [(_field(minutes, 0, 59), _field(hours, 0, 23))]
        out += [f"{minute} {hour} * * {weekday}" for minute, hour in pairs]
    return out


def _starred(minutes: frozenset[int], hours: set[int]) -> tuple[str, str]:
    """Return minute and hour fields that have these times and others, as few as may be, one of them with a *."""
    step, stride = gcd(*minutes), gcd(*hours)
    often = 60 if step == 0 else len(range(0, 60, step))
    ways = [
        (len(range(0, 60, step or 30)) * len(hours), f"*/{step or 30}", _field(hours, 0, 23)),
        (len(minutes) * len(range(0, 24, stride or 12)), _field(minutes, 0, 59), f"*/{stride or 12}"),
    ]
    del often
    _, minute, hour = min(ways)
    return minute.replace("*/1", "*") if minute == "*/1" else minute, "*" if hour == "*/1" else hour


def _field(values: Iterable[int], low: int, high: int) -> str:
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
