"""Days counted within a period or from a date, and single moments, in words."""

from collections.abc import Iterable
from datetime import date

from ia.faculties.schedule.schedule_forms import (
    WEEKDAYS,
    CycleSchedule,
    OnceSchedule,
    OrdinalSchedule,
)
from ia.kernel.i18n import Voice, mark_texts

_WEEKDAYS = mark_texts("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = mark_texts(
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_PERIODS = dict(
    zip(
        ("week", "month", "quarter", "year"),
        mark_texts("each week", "each month", "each quarter", "each year"),
        strict=True,
    )
)

CountedForm = OrdinalSchedule | CycleSchedule | OnceSchedule


def describe_counted(what: CountedForm, voice: Voice) -> str:
    """Return on which days a schedule comes, and at what times; without zone and calendar."""
    if isinstance(what, OrdinalSchedule):
        days = _describe_ordinal(what, voice)
        if what.offset is not None:
            return voice("{days}, {when}", days=days, when=_describe_close(what.offset, voice))
        return voice("{days} at {times}", days=days, times=_format_times(what.times, voice))
    if isinstance(what, OnceSchedule):
        day = voice("{date} ({weekday})", date=what.day.isoformat(), weekday=_name_weekday(what.day, voice))
        return voice("Once, on {day} at {time}", day=day, time=_format_clock(what.minute))
    number, times, start = what.number, _format_times(what.times, voice), what.start.isoformat()
    if what.unit == "days":
        return voice("Every {number} days at {times}, from {start}", number=number, times=times, start=start)
    days = _join([voice(_WEEKDAYS[day]) for day in sorted(what.weekdays, key=lambda day: day or 7)], voice)
    if what.number == 1:
        return voice("Every {days} at {times}, from {start}", days=days, times=times, start=start)
    told = "Every {number} weeks on {days} at {times}, from {start}"
    return voice(told, number=number, days=days, times=times, start=start)


def _describe_ordinal(what: OrdinalSchedule, voice: Voice) -> str:
    """Return `On the last trading day of each month`."""
    months = len(what.months) < 12
    names = [voice(_MONTHS[month - 1]) for month in sorted(what.months)]
    period = voice("each {months}", months=_join(names, voice)) if months else voice(_PERIODS[what.period])
    kind, nth = _name_kind(what.kind, voice), _format_ordinal(abs(what.nth), voice)
    if what.kind == "day":
        if what.nth == -1:
            return voice("On the last day of {period}", period=period)
        if what.nth < 0:
            return voice("On the {nth}-last day of {period}", nth=nth, period=period)
        return voice("On the {nth} day of {period}", nth=nth, period=period)
    if what.nth == -1:
        return voice("On the last {kind} of {period}", kind=kind, period=period)
    if what.nth < 0:
        return voice("On the {nth}-last {kind} of {period}", nth=nth, kind=kind, period=period)
    return voice("On the {nth} {kind} of {period}", nth=nth, kind=kind, period=period)


def _name_kind(kind: str, voice: Voice) -> str:
    if kind in WEEKDAYS:
        return voice(_WEEKDAYS[WEEKDAYS.index(kind)])
    return voice("trading day") if kind == "trading day" else voice("weekday (Monday to Friday)")


def _describe_close(offset: int, voice: Voice) -> str:
    if not offset:
        return voice("at the close")
    if offset > 0:
        return voice("{minutes} minutes after the close", minutes=offset)
    return voice("{minutes} minutes before the close", minutes=-offset)


def _format_ordinal(number: int, voice: Voice) -> str:
    """Return `third`; in Chinese the figure, as 第 and 倒数第 stand in the sentence."""
    if voice.lang == "zh":
        return str(number)
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _name_weekday(day: date, voice: Voice) -> str:
    return voice(_WEEKDAYS[(day.weekday() + 1) % 7])


def _format_times(times: Iterable[int], voice: Voice) -> str:
    return _join([_format_clock(time) for time in times], voice)


def _format_clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _join(items: list[str], voice: Voice) -> str:
    if len(items) < 2:
        return "".join(items)
    comma = voice(", ", context="list")
    return voice("{items} and {last}", items=comma.join(items[:-1]), last=items[-1], context="list")
