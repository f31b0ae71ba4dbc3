"""The forms that a schedule has: cron fields, elapsed time, an exchange's close, an event."""

import re
from calendar import monthrange
from dataclasses import dataclass
from functools import lru_cache

from ia.kernel.errors import BadData, Message
from ia.kernel.i18n import mark_texts
from ia.kernel.patterns import pattern

MAX_TEXT = 200
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
EVENTS = ("file", "message", "webhook")
MINUTES = {"m": 1, "h": 60, "d": 1440}
MAX_EVERY = 366 * 1440
MAX_OFFSET = 1440

BOUNDS = Message("minutes are 0-59, hours 0-23, days 1-31, months 1-12, weekdays 0-7, and ranges must ascend")
_BOUNDS = mark_texts(
    "minute {part!r}: must be from 0 to 59, and a range must ascend",
    "hour {part!r}: must be from 0 to 23, and a range must ascend",
    "day {part!r}: must be from 1 to 31, and a range must ascend",
    "month {part!r}: must be from 1 to 12, and a range must ascend",
    "weekday {part!r}: must be from 0 (Sunday) to 6, and a range must ascend",
)
_ENDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_ITEM = pattern(r"(\*|\d{1,2}|\d{1,2}-\d{1,2})(/\d{1,2})?")
_EVERY = pattern(r"every (\d{1,6}) ?(m|h|d|min|minutes?|hours?|days?)")
_CLOSE = pattern(r"close\s*(?:([+-])\s*(\d{1,4})\s*(m|h)?)?(?: (\S.*))?")
_EVENT = pattern(r"on (\S+)(?: (\S.*))?")


@dataclass(frozen=True)
class CronSchedule:
    """Five cron fields: `fields` is their text without names, `times` the minutes of the day, ascending.

    A day counts if it is in `days` and in `weekdays` (0 is Sunday); where both are restricted, if it is in one of them.
    Where the hour or the minute begins with `*` the schedule is `elapsed`: when clocks are changed it runs by what they
    show, in a repeated hour twice and in a skipped one never; else each time of a day has one run.
    """

    fields: str
    times: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool
    elapsed: bool

    def matches_date(self, day: int, month: int, weekday: int) -> bool:
        """Whether a date is one of its days; weekday 0 is Sunday."""
        if month not in self.months:
            return False
        if self.either:
            return day in self.days or weekday in self.weekdays
        return day in self.days and weekday in self.weekdays


@dataclass(frozen=True)
class IntervalSchedule:
    """Elapsed time: every so many minutes."""

    minutes: int


@dataclass(frozen=True)
class CloseSchedule:
    """So many minutes after (before: negative) the close of each session; on these weekdays of the exchange only."""

    offset: int
    weekdays: frozenset[int]


@dataclass(frozen=True)
class ScheduleEvent:
    """What comes from outside: kind file, message or webhook, and what its name or content is like."""

    kind: str
    what: str


Form = CronSchedule | IntervalSchedule | CloseSchedule | ScheduleEvent


@lru_cache(256)
def parse_schedule(schedule: str) -> Form:
    """Return what a schedule says.

    raises  BadData that names the schedule and says why it is none.
    """
    text = " ".join(schedule.split())
    if not text or len(text) > MAX_TEXT:
        raise _schedule_error(schedule, Message("it is empty") if not text else Message("it is too long"))
    word = text.split()[0]
    if word == "every":
        return _parse_every(text)
    if re.match(r"close\b", word):
        return _parse_close(text)
    if word == "on":
        return _parse_event(text)
    return _parse_cron(text)


def parse_weekdays(text: str) -> frozenset[int]:
    """Return the weekdays of a cron field (`fri`, `1-5`, `mon,wed`), 0 for Sunday.

    raises  BadData.
    """
    parsed = _parse_cron(f"0 0 * * {text}") if len(text.split()) == 1 else None
    if parsed is None:
        raise _schedule_error(text, Message("weekdays must be one word: fri, 1-5 or mon,wed"))
    return parsed.weekdays


def _schedule_error(schedule: str, why: Message) -> BadData:
    return BadData(
        "schedule {schedule!r}: {why}",
        schedule=schedule[:80],
        why=why,
        hint="use five cron fields (`0 16 * * 5`), `every 90m`, `close+30m` or `on file PATTERN`; see ia-task(5)",
    )


def _parse_every(text: str) -> IntervalSchedule:
    match = _EVERY.fullmatch(text)
    if match is None:
        raise _schedule_error(text, Message("an interval is a number followed by m, h or d"))
    minutes = int(match[1]) * MINUTES[match[2][0]]
    if not 1 <= minutes <= MAX_EVERY:
        raise _schedule_error(text, Message("out of range"))
    return IntervalSchedule(minutes)


def _parse_close(text: str) -> CloseSchedule:
    match = _CLOSE.fullmatch(text)
    if match is None:
        raise _schedule_error(text, Message("write close, close+30m or close-15m, optionally followed by weekdays"))
    sign, number, unit, days = match.groups()
    minutes = int(number or 0) * MINUTES[unit or "m"]
    if minutes > MAX_OFFSET:
        raise _schedule_error(text, Message("out of range"))
    on = parse_weekdays(days) if days else frozenset(range(7))
    if on <= {0, 6}:
        raise _schedule_error(text, Message("never due: exchanges are closed on these days"))
    return CloseSchedule(-minutes if sign == "-" else minutes, on)


def _parse_event(text: str) -> ScheduleEvent:
    match = _EVENT.fullmatch(text)
    kind = match[1] if match else ""
    what = (match[2] or "").strip() if match else ""
    if kind not in EVENTS:
        raise _schedule_error(
            text, Message("an event must be `on file PATTERN`, `on message WORDS` or `on webhook NAME`")
        )
    if not what:
        raise _schedule_error(text, Message("the pattern, words or name of the event is missing"))
    if kind == "webhook" and not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,59}", what):
        raise _schedule_error(text, Message("a webhook name must consist of letters, digits, - and _"))
    if kind == "file" and (what.startswith(("/", "~")) or ".." in what.split("/") or what.split("/")[0] == ".ia"):
        raise _schedule_error(text, Message("a file pattern must stay inside the workspace"))
    return ScheduleEvent(kind, what)


def _parse_cron(text: str) -> CronSchedule:
    if text.startswith("@"):
        if text.lower() not in ALIASES:
            raise _schedule_error(text, Message("unknown cron alias"))
        text = ALIASES[text.lower()]
    parts = text.split()
    if len(parts) != 5:
        raise _schedule_error(text, Message("cron has five fields: minute, hour, day, month, weekday"))
    parts[3] = _replace_names(parts[3], MONTHS, 1)
    parts[4] = _replace_names(parts[4], WEEKDAYS, 0)
    for part in parts:
        if not part.isascii() or not all(_ITEM.fullmatch(item) for item in part.split(",")):
            raise _schedule_error(
                text, Message("{part!r} is not a list of numbers, ranges (1-5) and steps (*/15, 0-30/10)", part=part)
            )
        if any("/" in item and item[0] != "*" and "-" not in item for item in part.split(",")):
            raise _schedule_error(text, Message("{part!r}: a step needs a range, as in 0-59/5 or */5", part=part))
    found_in: list[list[int]] = []
    for part, ends, bounds in zip(parts, _ENDS, _BOUNDS, strict=True):
        try:
            found_in.append(_parse_numbers(part, *ends))
        except ValueError:
            raise _schedule_error(text, Message(bounds, part=part)) from None
    minutes, hours, days, months, on = found_in
    times = tuple(hour * 60 + minute for hour in hours for minute in minutes)
    # As Debian's cron has it, a field that begins with * is no restriction, even where it is */2.
    either = not parts[2].startswith("*") and not parts[4].startswith("*")
    elapsed = parts[0].startswith("*") or parts[1].startswith("*")
    of_week = frozenset(day % 7 for day in on)
    found = CronSchedule(" ".join(parts), times, frozenset(days), frozenset(months), of_week, either, elapsed)
    longest = {month: monthrange(2024, month)[1] for month in months}
    if not either and not any(day <= most for day in days for most in longest.values()):
        raise _schedule_error(text, Message("never due: these months have no such day"))
    return found


def _replace_names(field: str, names: tuple[str, ...], first: int) -> str:
    """Return a field with its names as numbers; a range that ends on Sunday ends on 7."""

    def name_to_number(match: re.Match[str]) -> str:
        word = match[0].lower()
        if word not in names:
            return match[0]
        if names is WEEKDAYS and word == "sun" and match.start() and field[match.start() - 1] == "-":
            return "7"
        return str(names.index(word) + first)

    out = re.sub(r"[A-Za-z]+", name_to_number, field)
    return re.sub(r"(?<![\d/-])7(?![\d/-])|(?<![\d/])7-7(?![\d/])", "0", out) if names is WEEKDAYS else out


def _parse_numbers(field: str, low: int, high: int) -> list[int]:
    """Return the numbers of a field.

    raises  ValueError where one is out of range, a range runs backwards, or a step leads nowhere.
    """
    found: set[int] = set()
    for item in field.split(","):
        span, _, step = item.partition("/")
        first, _, last = (f"{low}-{high}" if span == "*" else span).partition("-")
        start, end, by = int(first), int(last or first), int(step or 1)
        if not (low <= start <= end <= high and 1 <= by <= high):
            raise ValueError(item)
        found.update(range(start, end + 1, by))
    return sorted(found)


def check_crontab_accepts(schedule: str) -> None:
    """Raise where python-crontab does not take the fields of a schedule that `form` took.

    Its import costs more than all the rest of a wake-up, so it is asked when a task is proposed and approved. What the
    fields mean is worked out here: it counts Sunday into each range that ends on 7.
    """
    what = parse_schedule(schedule)
    if isinstance(what, CronSchedule):
        from crontab import CronSlices

        try:
            CronSlices(what.fields)
        except Exception:  # ValueError, KeyError and others: whatever a field makes it stumble on
            raise _schedule_error(schedule, BOUNDS) from None
