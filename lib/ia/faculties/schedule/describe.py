"""A schedule in words, English or Chinese.

Common schedules have sentences of our own; times of the day that none of them fits are said by cron-descriptor. The
parts of a sentence are in another order in Chinese: each is a text of its own, filled into the next.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from ia.faculties.schedule import describe_dates, exchange, slots
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.schedule.schedule_forms import (
    CloseSchedule,
    CronSchedule,
    CycleSchedule,
    IntervalSchedule,
    OnceSchedule,
    OrdinalSchedule,
    ScheduleEvent,
    ScheduleList,
    parse_schedule,
)
from ia.kernel.errors import PluralText
from ia.kernel.i18n import Voice

FEW = 6
"""Times of a day that are listed one by one."""
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = (
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
_PLACES = {"CN": "Shanghai", "HK": "Hong Kong", "US": "New York"}


def describe_design(design: TaskDesign, lang: str = "en") -> str:
    """Return in one line when a design runs: time, zone and calendar. lang: zh, else English.

    raises  BadData where the schedule or the zone is none.
    """
    what, voice = parse_schedule(design.schedule), Voice(lang)
    if isinstance(what, ScheduleEvent):
        return _describe_event(what, voice)
    market = exchange.MARKETS.get(design.calendar)
    if isinstance(what, ScheduleList):
        return _describe_list(what, design, voice)
    if isinstance(what, OrdinalSchedule | CycleSchedule | OnceSchedule):
        return _describe_counted(what, design, market, voice)
    if isinstance(what, CloseSchedule):
        return _describe_close(what, market or exchange.HOME, voice)
    if isinstance(what, IntervalSchedule):
        span = _format_span(what.minutes, voice) if what.minutes != 1440 else _format_hours(24, voice)
        told = voice("Every {span}, counted from the approval", span=span)
        notes: list[str] = []
    else:
        told = _capitalize_first(_describe_cron(what, voice))
        notes = [slots.schedule_zone(design).key]
    if market:
        notes.append(voice("only on trading days in {place}", place=_format_place(market, voice)))
    return voice("{schedule} ({notes})", schedule=told, notes=voice(", ").join(notes)) if notes else told


def _describe_event(what: ScheduleEvent, voice: Voice) -> str:
    if what.kind == "file":
        return voice("When a file {pattern} appears or changes", pattern=what.what)
    if what.kind == "message":
        return voice("When a message comes that has “{words}”", words=what.what)
    if what.kind == "news":
        from ia.domain.instruments.symbols import from_canonical, security_name

        code, _, kind = what.what.partition(" ")
        name = security_name(code, from_canonical(code).name, voice.lang)
        template = "When {security} publishes an announcement" if kind else "When there is news of {security}"
        return voice(template, security=f"{name} {code}" if name else code)
    return voice("When the webhook {name} is called", name=what.what)


def _describe_close(what: CloseSchedule, market: str, voice: Voice) -> str:
    zone, usual = exchange.exchange_zone(market), exchange.CLOSES[market][-1]
    minute = usual.hour * 60 + usual.minute + what.offset
    if what.weekdays >= exchange.WORKDAYS:
        days = voice("each trading day")
    else:
        days = voice("{weekdays} that is a trading day", weekdays=_describe_weekdays(what.weekdays, voice))
    if minute >= 1440:
        template = "usually {time} of the next day, {zone}"
    elif minute < 0:
        template = "usually {time} of the day before, {zone}"
    else:
        template = "usually {time}, {zone}"
    told = {
        "days": days,
        "place": _format_place(market, voice),
        "usually": voice(template, time=_format_clock(minute % 1440), zone=zone.key),
    }
    if not what.offset:
        return _capitalize_first(voice("{days} at the close in {place} ({usually})", **told))
    span = _format_span(abs(what.offset), voice)
    if what.offset > 0:
        return _capitalize_first(voice("{days} {span} after the close in {place} ({usually})", span=span, **told))
    return _capitalize_first(voice("{days} {span} before the close in {place} ({usually})", span=span, **told))


def _format_place(market: str, voice: Voice) -> str:
    return voice(_PLACES[market], context="exchange")


def _describe_cron(what: CronSchedule, voice: Voice) -> str:
    times, fixed = _describe_times(what, voice)
    if fixed:
        return voice("{dates} at {times}", dates=_describe_dates(what, voice), times=times)
    if len(what.days) == 31 and len(what.weekdays) == 7 and len(what.months) == 12:
        return times
    return voice("{times}, {dates}", times=times, dates=_describe_dates(what, voice))


def _describe_dates(what: CronSchedule, voice: Voice) -> str:
    """Return on which dates: `every Friday`, `on day 1 of each month`, `每月 1、15 日`."""
    by_day, by_week = len(what.days) < 31, len(what.weekdays) < 7
    months = _format_months(what.months, voice) if len(what.months) < 12 else ""
    dates = _describe_month_days(what.days, months, voice) if by_day else ""
    if dates and by_week and not what.either:
        if what.weekdays == exchange.WORKDAYS:
            return voice("{dates} if it is a weekday", dates=dates)
        return voice("{dates} if it is {weekdays}", dates=dates, weekdays=_format_weekdays(what.weekdays, voice))
    if dates and not by_week:
        return dates
    if by_week:
        weekdays = _describe_weekdays(what.weekdays, voice)
        weekdays = voice("{weekdays} in {months}", weekdays=weekdays, months=months) if months else weekdays
        return voice("{dates} and {weekdays}", dates=dates, weekdays=weekdays) if dates else weekdays
    return voice("every day in {months}", months=months) if months else voice("every day")


def _describe_month_days(days: frozenset[int], months: str, voice: Voice) -> str:
    told = voice(", ", context="enumeration").join(
        voice("{first}-{last}", first=run[0], last=run[-1]) if len(run) > 2 else str(run[0]) for run in _find_runs(days)
    )
    if months:
        return voice(
            "on day {days} of {months}" if len(days) == 1 else "on days {days} of {months}", days=told, months=months
        )
    return voice("on day {days} of each month" if len(days) == 1 else "on days {days} of each month", days=told)


def _describe_times(what: CronSchedule, voice: Voice) -> tuple[str, bool]:
    """Return at which times of the day, and whether they are listed as times."""
    minutes, hours = sorted({time % 60 for time in what.times}), sorted({time // 60 for time in what.times})
    if len(what.times) <= FEW:
        return _join_items([_format_clock(time) for time in what.times], voice), True
    step = _find_step(minutes, 60)
    together = hours == list(range(hours[0], hours[-1] + 1))
    if step and together:
        unit = voice("every minute") if step == 1 else voice("every {count} minutes", count=step)
        if len(hours) == 24:
            return unit, False
        first, last = _format_clock(hours[0] * 60), _format_clock(what.times[-1])
        return voice("{interval} from {first} to {last}", interval=unit, first=first, last=last), False
    if len(minutes) == 1 and (together or _find_step(hours, 24)):
        return _describe_hourly(minutes[0], hours, voice), False
    return _describe_by_library(what, voice.lang), False


def _describe_hourly(minute: int, hours: list[int], voice: Voice) -> str:
    """Return one minute in each of several hours: all of them, a stretch, or every so many."""
    step = _find_step(hours, 24)
    if step == 1:
        return voice("every hour at minute {minute}", minute=minute) if minute else voice("every hour at minute 0")
    if step:
        if not minute:
            return voice("every {count} hours at minute 0", count=step)
        return voice("every {count} hours at minute {minute}", count=step, minute=minute)
    if not minute:
        return voice(
            "every hour from {first_hour:02}:00 to {last_hour:02}:00", first_hour=hours[0], last_hour=hours[-1]
        )
    return voice(
        "every hour from {first_hour:02}:{minute:02} to {last_hour:02}:{minute:02}",
        first_hour=hours[0],
        last_hour=hours[-1],
        minute=minute,
    )


def _describe_by_library(what: CronSchedule, lang: str) -> str:
    from cron_descriptor import ExpressionDescriptor, Options

    options = Options()
    options.use_24hour_time_format = True
    options.locale_code = "zh_CN" if lang == "zh" else "en_US"
    told = str(ExpressionDescriptor(" ".join(what.fields.split()[:2]) + " * * *", options).get_description())
    if lang != "zh":
        return told[:1].lower() + told[1:]
    return (
        re.sub("，? +在 *|，在 +|^在 +", "，", told.replace(", 和", "和").replace(", ", "，"))
        .removeprefix("，")
        .removeprefix("在")
    )


def _describe_weekdays(days: frozenset[int], voice: Voice) -> str:
    if days == exchange.WORKDAYS:
        return voice("every weekday")
    return voice("every {weekdays}", weekdays=_format_weekdays(days, voice))


def _format_weekdays(days: frozenset[int], voice: Voice) -> str:
    ordered = sorted(days, key=lambda day: day or 7)  # a week begins on Monday
    return _join_items([voice(_DAYS[day], context="weekday") for day in ordered], voice)


def _format_months(months: frozenset[int], voice: Voice) -> str:
    runs = [[voice(_MONTHS[month - 1], context="month") for month in run] for run in _find_runs(months)]
    return _join_items(
        [voice("{first} to {last}", first=run[0], last=run[-1]) if len(run) > 2 else run[0] for run in runs], voice
    )


def _format_span(minutes: int, voice: Voice) -> str:
    if minutes % 1440 == 0:
        return voice(PluralText("{count} day", "{count} days"), count=minutes // 1440)
    if minutes % 60 == 0:
        return _format_hours(minutes // 60, voice)
    return voice(PluralText("{count} minute", "{count} minutes"), count=minutes)


def _format_hours(hours: int, voice: Voice) -> str:
    return voice(PluralText("{count} hour", "{count} hours"), count=hours)


def _find_step(numbers: list[int], end: int) -> int:
    """Return n where the numbers are 0, n, 2n… below end; else 0."""
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 0
    return step if step and numbers == list(range(0, end, step)) else 0


def _find_runs(numbers: Iterable[int]) -> list[list[int]]:
    """Return numbers in order, three or more in a row as one list, others each in a list of its own.

    >>> _find_runs({1, 2, 3, 7, 8})
    [[1, 2, 3], [7], [8]]
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [part for run in runs for part in ([run] if len(run) > 2 else [[number] for number in run])]


def _format_clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _join_items(items: list[str], voice: Voice) -> str:
    *most, last = items
    if not most:
        return last
    return voice("{items} and {last}", items=voice(", ", context="enumeration").join(most), last=last)


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _describe_list(what: ScheduleList, design: TaskDesign, voice: Voice) -> str:
    """Return several schedules: one that differs in its times only is said as one."""
    first, *more = what.parts
    if isinstance(first, CronSchedule) and all(isinstance(part, CronSchedule) for part in more):
        crons = [part for part in what.parts if isinstance(part, CronSchedule)]
        same = len({(part.days, part.months, part.weekdays, part.either) for part in crons}) == 1
        times = sorted({time for part in crons for time in part.times})
        if same and len(times) <= FEW:
            market = exchange.MARKETS.get(design.calendar)
            told = _capitalize_first(_describe_cron(replace(first, times=tuple(times)), voice))
            return _add_notes(told, _zone_notes(design, market, voice), voice)
    return voice("; ", context="list").join(
        describe_design(replace(design, schedule=text), voice.lang) for text in what.texts
    )


def _describe_counted(what: describe_dates.CountedForm, design: TaskDesign, market: str | None, voice: Voice) -> str:
    told = describe_dates.describe_counted(what, voice)
    if not (isinstance(what, OrdinalSchedule) and what.needs_exchange):
        return _add_notes(told, _zone_notes(design, market, voice), voice)
    place = _format_place(market or exchange.HOME, voice)
    zone = exchange.exchange_zone(market or exchange.HOME) if what.offset is not None else slots.schedule_zone(design)
    return _add_notes(told, [zone.key, voice("trading days in {place}", place=place)], voice)


def _zone_notes(design: TaskDesign, market: str | None, voice: Voice) -> list[str]:
    """Return the zone of a schedule and, where it has one, its calendar."""
    notes = [slots.schedule_zone(design).key]
    if market:
        notes.append(voice("only on trading days in {place}", place=_format_place(market, voice)))
    return notes


def _add_notes(told: str, notes: list[str], voice: Voice) -> str:
    return voice("{text} ({notes})", text=told, notes=voice(", ", context="notes").join(notes))
