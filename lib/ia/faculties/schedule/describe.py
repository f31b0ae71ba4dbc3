"""A schedule in words, English or Chinese.

Common schedules have sentences of our own; times of the day that none of them fits are said by cron-descriptor.
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
_日 = "日一二三四五六"
_PLACES = {"CN": ("Shanghai", "上交所"), "HK": ("Hong Kong", "港交所"), "US": ("New York", "纽交所")}


def describe_design(design: TaskDesign, lang: str = "en") -> str:
    """Return in one line when a design runs: time, zone and calendar. lang: zh, else English.

    raises  BadData where the schedule or the zone is none.
    """
    what, chinese = parse_schedule(design.schedule), lang == "zh"
    if isinstance(what, ScheduleEvent):
        return _describe_event(what, chinese)
    market = exchange.MARKETS.get(design.calendar)
    if isinstance(what, ScheduleList):
        return _describe_list(what, design, lang)
    if isinstance(what, OrdinalSchedule | CycleSchedule | OnceSchedule):
        return _describe_counted(what, design, market, Voice(lang))
    if isinstance(what, CloseSchedule):
        return _describe_close(what, market or exchange.HOME, chinese)
    if isinstance(what, IntervalSchedule):
        span = _format_span(what.minutes, chinese) if what.minutes != 1440 else "24 小时" if chinese else "24 hours"
        told = f"每 {span}，自批准时算起" if chinese else f"Every {span}, counted from the approval"
        notes: list[str] = []
    else:
        told = _describe_cron(what, bool(market), chinese)
        notes = [slots.schedule_zone(design).key]
    if market:
        place = _PLACES[market][chinese]
        notes.append(f"仅{place}交易日" if chinese else f"only on trading days in {place}")
    if not notes:
        return told
    return f"{told}（{'，'.join(notes)}）" if chinese else f"{told} ({', '.join(notes)})"


def _describe_event(what: ScheduleEvent, chinese: bool) -> str:
    words = {
        "file": ("When a file {} appears or changes", "文件 {} 出现或变化时"),
        "message": ("When a message comes that has “{}”", "收到含有“{}”的消息时"),
        "webhook": ("When the webhook {} is called", "webhook {} 被调用时"),
    }
    return words[what.kind][chinese].format(what.what)


def _describe_close(what: CloseSchedule, market: str, chinese: bool) -> str:
    zone, usual = exchange.exchange_zone(market), exchange.CLOSES[market][-1]
    minute = usual.hour * 60 + usual.minute + what.offset
    clock = _format_clock(minute % 1440)
    place, span = _PLACES[market][chinese], _format_span(abs(what.offset), chinese)
    every = what.weekdays >= exchange.WORKDAYS
    if chinese:
        days = "每个交易日" if every else f"{_format_weekdays(what.weekdays, True)}（交易日）"
        when = "收盘时" if not what.offset else f"收盘{'后' if what.offset > 0 else '前'} {span}"
        next_day = "次日 " if minute >= 1440 else "前一日 " if minute < 0 else " "
        return f"{place}{days}{when}（通常为{next_day}{clock}，{zone.key}）"
    days = "each trading day" if every else f"{_format_weekdays(what.weekdays, False)} that is a trading day"
    when = "at the close" if not what.offset else f"{span} {'after' if what.offset > 0 else 'before'} the close"
    next_day = " of the next day" if minute >= 1440 else " of the day before" if minute < 0 else ""
    return _capitalize_first(f"{days} {when} in {place} (usually {clock}{next_day}, {zone.key})")


def _describe_cron(what: CronSchedule, calendar: bool, chinese: bool) -> str:
    days, (times, fixed) = _describe_dates(what, calendar, chinese), _describe_times(what, chinese)
    if chinese:
        return f"{days} {times}" if fixed or not days.startswith("每天") else times
    if fixed:
        return _capitalize_first(f"{days} at {times}")
    return _capitalize_first(times if days == "every day" else f"{times}, {days}")


def _describe_dates(what: CronSchedule, calendar: bool, chinese: bool) -> str:
    """Return on which dates: `every Friday`, `on day 1 of each month`, `每月 1、15 日`."""
    by_day, by_week = len(what.days) < 31, len(what.weekdays) < 7
    months = _format_months(what.months, chinese) if len(what.months) < 12 else ""
    if chinese:
        day = f"{months or '每月'} {_format_ranges(what.days, '、', ' 至 ')} 日" if by_day else ""
        week = _format_weekdays(what.weekdays, True) if by_week else ""
        if day and week:
            return f"{day}，以及{months}{week}" if what.either else f"{day}（限{week.removeprefix('每')}）"
        return day or (f"{months}{week}" if week else f"{months}每天")
    day = f"on day{'s' if len(what.days) > 1 else ''} {_format_ranges(what.days, ', ', '-')} of " if by_day else ""
    day += (_format_months(what.months, False) if months else "each month") if day else ""
    week = _format_weekdays(what.weekdays, False) if by_week else ""
    inside = f" in {months}" if months else ""
    if day and week:
        return f"{day} and {week}{inside}" if what.either else f"{day} if it is {week.removeprefix('every ')}"
    return day or f"{week or 'every day'}{inside}"


def _describe_times(what: CronSchedule, chinese: bool) -> tuple[str, bool]:
    """Return at which times of the day, and whether they are listed as times."""
    minutes, hours = sorted({time % 60 for time in what.times}), sorted({time // 60 for time in what.times})
    if len(what.times) <= FEW:
        return _join_items([_format_clock(time) for time in what.times], chinese), True
    step = _find_step(minutes, 60)
    together = hours == list(range(hours[0], hours[-1] + 1))
    whole = len(hours) == 24
    if step and together:
        unit = ("每分钟" if step == 1 else f"每 {step} 分钟") if chinese else _format_count("every", step, "minute")
        span = (_format_clock(hours[0] * 60), _format_clock(what.times[-1]))
        if whole:
            return unit, False
        return (f"{span[0]} 至 {span[1]} {unit}" if chinese else f"{unit} from {span[0]} to {span[1]}"), False
    if len(minutes) == 1 and (together or _find_step(hours, 24)):
        return _describe_hourly(minutes[0], hours, chinese), False
    return _describe_by_library(what, chinese), False


def _describe_hourly(minute: int, hours: list[int], chinese: bool) -> str:
    """Return one minute in each of several hours: all of them, a stretch, or every so many."""
    step = _find_step(hours, 24)
    if chinese:
        at = "整点" if minute == 0 else f"第 {minute} 分"
        if len(hours) == 24:
            return f"每小时{at}"
        return f"每 {step} 小时，{at}" if step else f"{hours[0]} 至 {hours[-1]} 点每小时{at}"
    if step:
        return _format_count("every", step, "hour") + f" at minute {minute}"
    return f"every hour from {_format_clock(hours[0] * 60 + minute)} to {_format_clock(hours[-1] * 60 + minute)}"


def _describe_by_library(what: CronSchedule, chinese: bool) -> str:
    from cron_descriptor import ExpressionDescriptor, Options

    options = Options()
    options.use_24hour_time_format = True
    options.locale_code = "zh_CN" if chinese else "en_US"
    told = str(ExpressionDescriptor(" ".join(what.fields.split()[:2]) + " * * *", options).get_description())
    if not chinese:
        return told[:1].lower() + told[1:]
    return (
        re.sub("，? +在 *|，在 +|^在 +", "，", told.replace(", 和", "和").replace(", ", "，"))
        .removeprefix("，")
        .removeprefix("在")
    )


def _format_weekdays(days: frozenset[int], chinese: bool) -> str:
    if days == exchange.WORKDAYS:
        return "每周一至周五" if chinese else "every weekday"
    ordered = sorted(days, key=lambda day: day or 7)  # a week begins on Monday
    if chinese:
        return "每周" + "、".join(_日[day] for day in ordered)
    return "every " + _join_items([_DAYS[day] for day in ordered], False)


def _format_months(months: frozenset[int], chinese: bool) -> str:
    if chinese:
        return f"每年 {_format_ranges(months, '、', ' 至 ')} 月"
    names = [_MONTHS[month - 1] for month in sorted(months)]
    if len(names) > 2 and max(months) - min(months) == len(names) - 1:
        return f"{names[0]} to {names[-1]}"
    return _join_items(names, False)


def _format_span(minutes: int, chinese: bool) -> str:
    for size, english, chinese_unit in ((1440, "day", "天"), (60, "hour", "小时"), (1, "minute", "分钟")):
        if minutes % size == 0:
            number = minutes // size
            return f"{number} {chinese_unit}" if chinese else f"{number} {english}{'s' if number != 1 else ''}"
    raise AssertionError(minutes)


def _find_step(numbers: list[int], end: int) -> int:
    """Return n where the numbers are 0, n, 2n… below end; else 0."""
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 0
    return step if step and numbers == list(range(0, end, step)) else 0


def _format_ranges(numbers: Iterable[int], comma: str, dash: str) -> str:
    out: list[list[int]] = []
    for number in sorted(numbers):
        if out and number == out[-1][-1] + 1:
            out[-1].append(number)
        else:
            out.append([number])
    return comma.join(f"{run[0]}{dash}{run[-1]}" if len(run) > 2 else comma.join(map(str, run)) for run in out)


def _format_clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _join_items(items: list[str], chinese: bool) -> str:
    if chinese:
        return "、".join(items)
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def _format_count(word: str, number: int, unit: str) -> str:
    return f"{word} {unit}" if number == 1 else f"{word} {number} {unit}s"


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _describe_list(what: ScheduleList, design: TaskDesign, lang: str) -> str:
    """Return several schedules: one that differs in its times only is said as one."""
    first, *more = what.parts
    if isinstance(first, CronSchedule) and all(isinstance(part, CronSchedule) for part in more):
        crons = [part for part in what.parts if isinstance(part, CronSchedule)]
        same = len({(part.days, part.months, part.weekdays, part.either) for part in crons}) == 1
        times = sorted({time for part in crons for time in part.times})
        if same and len(times) <= FEW:
            market, voice = exchange.MARKETS.get(design.calendar), Voice(lang)
            told = _describe_cron(replace(first, times=tuple(times)), bool(market), lang == "zh")
            return _add_notes(told, _zone_notes(design, market, voice), voice)
    return Voice(lang)("; ", context="list").join(
        describe_design(replace(design, schedule=text), lang) for text in what.texts
    )


def _describe_counted(what: describe_dates.CountedForm, design: TaskDesign, market: str | None, voice: Voice) -> str:
    told = describe_dates.describe_counted(what, voice)
    if not (isinstance(what, OrdinalSchedule) and what.needs_exchange):
        return _add_notes(told, _zone_notes(design, market, voice), voice)
    place = _name_place(market or exchange.HOME, voice)
    zone = exchange.exchange_zone(market or exchange.HOME) if what.offset is not None else slots.schedule_zone(design)
    return _add_notes(told, [zone.key, voice("trading days in {place}", place=place)], voice)


def _name_place(market: str, voice: Voice) -> str:
    return {
        "CN": voice("Shanghai", context="exchange"),
        "HK": voice("Hong Kong", context="exchange"),
        "US": voice("New York", context="exchange"),
    }[market]


def _zone_notes(design: TaskDesign, market: str | None, voice: Voice) -> list[str]:
    """Return the zone of a schedule and, where it has one, its calendar."""
    notes = [slots.schedule_zone(design).key]
    if market:
        notes.append(voice("only on trading days in {place}", place=_name_place(market, voice)))
    return notes


def _add_notes(told: str, notes: list[str], voice: Voice) -> str:
    return voice("{text} ({notes})", text=told, notes=voice(", ", context="notes").join(notes))
