"""The forms that a schedule has: cron fields, elapsed time, an exchange's close, counted days, one moment, an event.

Several of them, with semicolons between, are a schedule too; an event stands alone.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
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
EVENTS = ("file", "message", "news", "webhook")
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
_DAY_NAMES = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
ORDINALS = ("first", "second", "third", "fourth", "fifth")
KINDS = ("day", "weekday", "trading day")
"""What an ordinal counts beside the days of the week; a weekday is one from Monday to Friday."""
MOST_OF = {
    "week": {"weekday": 5, "trading day": 5},
    "month": {"day": 31, "weekday": 23, "trading day": 23, "": 5},
    "quarter": {"day": 92, "weekday": 66, "trading day": 66, "": 14},
    "year": {"day": 366, "weekday": 262, "trading day": 262, "": 53},
}
"""How many days of a kind a period can have; "" stands for a day of the week."""
MAX_PARTS = 12
MAX_CYCLE = {"days": 366, "weeks": 52}
_ORDINAL = pattern(
    r"(?:the )?(first|second|third|fourth|fifth|last|\d{1,3}(?:st|nd|rd"
    r"|th))([ -]last)? (\w+(?: day)?) of (?:the )?(\S+)"
    r"(?: at)? (\S.*)",
    re.I,
)
_CYCLE = pattern(r"every (\d{1,3}) (days?|weeks? on (\S+)) (?:at )?(\S+) from (\S+)")
_ONCE = pattern(r"at (\S+) (\d{1,2}:\d\d)")
_CLOCK = pattern(r"(\d{1,2}):(\d\d)")


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
class OrdinalSchedule:
    """The nth day of a kind in each period: `last trading day of month 15:30`, `first mon of quarter 09:00`.

    nth      from 1; from the end below 0: -1 is the last
    kind     one of KINDS, or a day of the week (sun … sat)
    period   week (Monday to Sunday), month, quarter or year
    months   of the period month: the months that count
    times    minutes of the day, ascending; of a schedule that waits for the close none
    offset   minutes after the close of that day's session (before it: negative); None for one with times
    """

    nth: int
    kind: str
    period: str
    months: frozenset[int]
    times: tuple[int, ...]
    offset: int | None = None

    @property
    def needs_exchange(self) -> bool:
        """Whether it depends on the sessions of an exchange."""
        return self.kind == "trading day" or self.offset is not None


@dataclass(frozen=True)
class CycleSchedule:
    """Days counted from a date: every so many days, or on these weekdays of every so many weeks (Monday to Sunday).

    unit       days or weeks
    weekdays   of weeks: 0 is Sunday
    times      minutes of the day, ascending
    """

    number: int
    unit: str
    weekdays: frozenset[int]
    times: tuple[int, ...]
    start: date

    def matches_date(self, day: date) -> bool:
        """Whether a date is one of its days."""
        if day < self.start:
            return False
        if self.unit == "days":
            return (day - self.start).days % self.number == 0
        monday = self.start.toordinal() - self.start.weekday()
        weeks = (day.toordinal() - day.weekday() - monday) // 7
        return weeks % self.number == 0 and (day.weekday() + 1) % 7 in self.weekdays


@dataclass(frozen=True)
class OnceSchedule:
    """One moment: a date, and the minute of the day."""

    day: date
    minute: int


@dataclass(frozen=True)
class ScheduleList:
    """Several schedules at once; `texts` are theirs."""

    parts: tuple["TimedForm", ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class ScheduleEvent:
    """What comes from outside: kind file, message, news or webhook, and what its name or content is like.

    Of news it is the canonical code of a security, and ` announcement` where other news do not count.
    """

    kind: str
    what: str


TimedForm = CronSchedule | IntervalSchedule | CloseSchedule | OrdinalSchedule | CycleSchedule | OnceSchedule
Form = TimedForm | ScheduleList | ScheduleEvent


@lru_cache(256)
def parse_schedule(schedule: str) -> Form:
    """Return what a schedule says.

    raises  BadData that names the schedule and says why it is none.
    """
    text = " ".join(schedule.split())
    if not text or len(text) > MAX_TEXT:
        raise _schedule_error(schedule, Message("it is empty") if not text else Message("it is too long"))
    if text.split()[0] == "on":
        return _parse_event(text)
    texts = tuple(part.strip() for part in text.split(";"))
    if len(texts) == 1:
        return _parse_timed(text)
    if not all(texts):
        raise _schedule_error(schedule, Message("a schedule between two semicolons is missing"))
    if len(texts) > MAX_PARTS:
        raise _schedule_error(schedule, Message("at most {most} schedules", most=MAX_PARTS))
    return ScheduleList(tuple(map(_parse_timed, texts)), texts)


def parse_parts(schedule: str) -> tuple[TimedForm, ...]:
    """Return the forms that a schedule consists of: one, several, or none for an event.

    raises  BadData as for `parse_schedule`.
    """
    what = parse_schedule(schedule)
    if isinstance(what, ScheduleEvent):
        return ()
    return what.parts if isinstance(what, ScheduleList) else (what,)


def needs_exchange(schedule: str) -> bool:
    """Whether a schedule depends on the sessions of an exchange, whatever its calendar.

    raises  BadData as for `parse_schedule`.
    """
    return any(
        isinstance(part, CloseSchedule) or (isinstance(part, OrdinalSchedule) and part.needs_exchange)
        for part in parse_parts(schedule)
    )


def is_finite(schedule: str) -> bool:
    """Whether a schedule ends: it has nothing but single moments.

    raises  BadData as for `parse_schedule`.
    """
    parts = parse_parts(schedule)
    return bool(parts) and all(isinstance(part, OnceSchedule) for part in parts)


def runs_once_a_day(schedule: str) -> bool:
    """Whether a date has one run at most.

    raises  BadData as for `parse_schedule`.
    """
    parts = parse_parts(schedule)
    return len(parts) == 1 and len(times_of(parts[0])) == 1


def times_of(form: TimedForm) -> tuple[int, ...]:
    """Return the minutes of the day at which a form runs on its days; () for elapsed time, (0,) for one of its own."""
    if isinstance(form, IntervalSchedule):
        return ()
    if isinstance(form, CloseSchedule | OnceSchedule):
        return (0,)
    return form.times or (0,)


def _parse_timed(text: str) -> TimedForm:
    word = text.split()[0].lower()
    if word == "every":
        return _parse_cycle(text) if _CYCLE.fullmatch(text) else _parse_every(text)
    if re.match(r"close\b", text):
        return _parse_close(text)
    if word == "at":
        return _parse_once(text)
    if word == "the" or word in ORDINALS or re.match(r"last\b|second-last|\d+(?:st|nd|rd|th)", word):
        return _parse_ordinal(text)
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
        hint="use five cron fields (`0 16 * * 5`), `every 90m`, `close+30m`, `last trading day of month 15:30`,"
        " `at 2027-01-15 09:00` or `on file PATTERN`; see ia-task(5)",
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


def _parse_ordinal(text: str) -> OrdinalSchedule:
    match = _ORDINAL.fullmatch(text)
    if match is None:
        raise _schedule_error(
            text, Message("write it as `last trading day of month 15:30` or `first mon of quarter 09:00`")
        )
    word, from_end, kind, period, rest = match[1].lower(), match[2], match[3].lower(), match[4].lower(), match[5]
    nth = -1 if word == "last" else ORDINALS.index(word) + 1 if word in ORDINALS else int(word[:-2])
    nth = -nth if from_end else nth
    if kind not in KINDS:
        found = [short for short, name in zip(WEEKDAYS, _DAY_NAMES, strict=True) if name.startswith(kind)]
        if len(kind) < 3 or not found:
            raise _schedule_error(
                text, Message("{part!r} is not day, weekday, trading day or a day of the week", part=kind)
            )
        kind = found[0]
    months = frozenset(range(1, 13))
    if period not in MOST_OF:
        months, period = _parse_cron(f"0 0 1 {period} *").months, "month"
    most = MOST_OF[period].get(kind if kind in KINDS else "", 0)
    if not 1 <= abs(nth) <= most:
        raise _schedule_error(text, Message("never due: no {period} has so many", period=period))
    if rest.startswith("close"):
        close = _parse_close(rest)
        return OrdinalSchedule(nth, kind, period, months, (), close.offset)
    return OrdinalSchedule(nth, kind, period, months, _parse_times(text, rest))


def _parse_cycle(text: str) -> CycleSchedule:
    match = _CYCLE.fullmatch(text)
    assert match is not None
    number, unit = int(match[1]), "weeks" if match[2].startswith("week") else "days"
    if not 1 <= number <= MAX_CYCLE[unit]:
        raise _schedule_error(text, Message("out of range"))
    on = parse_weekdays(match[3]) if match[3] else frozenset[int]()
    return CycleSchedule(number, unit, on, _parse_times(text, match[4]), _parse_date(text, match[5]))


def _parse_once(text: str) -> OnceSchedule:
    match = _ONCE.fullmatch(text)
    if match is None:
        raise _schedule_error(text, Message("a moment is a date and a time: at 2027-01-15 09:00"))
    return OnceSchedule(_parse_date(text, match[1]), _parse_times(text, match[2])[0])


def _parse_date(text: str, word: str) -> date:
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", word, re.A):
            return date.fromisoformat(word)
    except ValueError:
        pass
    raise _schedule_error(text, Message("{part!r} is not a date; write it as 2027-01-15", part=word))


def _parse_times(text: str, words: str) -> tuple[int, ...]:
    """Return minutes of the day: `09:00`, `09:30,15:00`."""
    found = set()
    for word in words.split(","):
        match = _CLOCK.fullmatch(word.strip())
        if match is None or not word.isascii() or int(match[1]) > 23 or int(match[2]) > 59:
            raise _schedule_error(text, Message("{part!r} is not a time; write it as 09:30 or 09:30,15:00", part=word))
        found.add(int(match[1]) * 60 + int(match[2]))
    return tuple(sorted(found))


def _parse_event(text: str) -> ScheduleEvent:
    match = _EVENT.fullmatch(text)
    kind = match[1] if match else ""
    what = (match[2] or "").strip() if match else ""
    if kind not in EVENTS:
        raise _schedule_error(
            text,
            Message("an event must be `on file PATTERN`, `on message WORDS`, `on news SYMBOL` or `on webhook NAME`"),
        )
    if not what:
        raise _schedule_error(text, Message("the pattern, words or name of the event is missing"))
    if kind == "webhook" and not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,59}", what):
        raise _schedule_error(text, Message("a webhook name must consist of letters, digits, - and _"))
    if kind == "file" and (what.startswith(("/", "~")) or ".." in what.split("/") or what.split("/")[0] == ".ia"):
        raise _schedule_error(text, Message("a file pattern must stay inside the workspace"))
    if kind == "news" and not re.fullmatch(r"[A-Z0-9.]{1,12}\.(?:SH|SZ|BJ|HK|US)( announcement)?", what):
        raise _schedule_error(
            text,
            Message("the event `on news` needs a canonical code, such as 600519.SH, and may end in `announcement`"),
        )
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
    for what in parse_parts(schedule):
        if isinstance(what, CronSchedule):
            from crontab import CronSlices

            try:
                CronSlices(what.fields)
            except Exception:  # ValueError, KeyError and others: whatever a field makes it stumble on
                raise _schedule_error(schedule, BOUNDS) from None
