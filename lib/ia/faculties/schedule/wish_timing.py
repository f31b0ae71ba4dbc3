"""When a wish is to be carried out: its rhythm (every Friday, each trading day) and its times of day, as a schedule.

Words that could say a time but belong to the job (对比 9:30 的价格, the weekly chart) stay there: a time counts where
it stands beside the rhythm, or alone in the place of one. Two rhythms, two times or an impossible one are asked back.
"""

import re
from typing import NamedTuple

from ia.faculties.schedule import rhythm, times_of_day, wish_text
from ia.faculties.schedule.rhythm import Rhythm
from ia.faculties.schedule.times_of_day import DAYPART, TimesOfDay
from ia.faculties.schedule.wish_text import EN_NUMBER, GONE, ZH_NUMBER, Wish, parse_minutes
from ia.kernel.errors import BadData

_AT = "give only one: every Friday at 16:00 review my week"
DEFAULT = (16, 0)
"""The time of day where a wish names a day only: after China's close."""
OPENS = {"CN": 570, "HK": 570, "US": 570}
CLOSES = {"CN": 900, "HK": 960, "US": 960}
"""Minutes after midnight at which the regular session begins and ends, in the exchange's own time."""


class WishTiming(NamedTuple):
    """What a wish says of when: a schedule, the exchange whose days count, and the schedule's zone."""

    schedule: str
    calendar: str
    zone: str


def take_when(said: Wish, zone: str) -> WishTiming:
    """Return when a wish is to be carried out, and take that out of it.

    zone    the user's own, IANA
    raises  BadData, asking back, where that is not said, or could be two things.
    """
    spoken = wish_text.take_zone(said)
    exchange = wish_text.find_market(said)
    rhythm.refuse_impossible(said)
    close = _take_close(said)
    within = said.take_match(_SESSION)
    often = rhythm.take_rhythm(said)
    if often is None and not close and not within:
        raise rhythm.missing_part_error(said)
    times = _take_times(said, often)
    trading = bool(close or within or (often and often.trading))
    if trading:
        exchange = exchange or "CN"
        said.take_match(_MARKET_WORD)
    calendar = exchange if trading and not (often and often.days.split()[0] != "*") else ""
    schedule = _format_schedule(said, often, times, close, bool(within), exchange)
    home = spoken or (wish_text.EXCHANGE_ZONE[exchange] if trading else zone)
    if spoken and schedule.startswith("close"):
        home = wish_text.EXCHANGE_ZONE[exchange]
    return WishTiming(schedule, calendar, home)


# the exchange's session

_OFFSET = rf"(?P<n>半|{ZH_NUMBER})\s*个?(?P<half>半)?(?P<u>小时|钟头|分钟?)"
_EN_OFFSET = rf"(?P<en>half an|{EN_NUMBER})[ -]?(?P<eu>hours?|h|minutes?|mins?|m)\b"
_PLACE = r"(?:US|U\.S\.|HK|hong kong|new york|wall street|nasdaq|nyse|shanghai|shenzhen|china|chinese|american|a-share)"
_CLOSE = re.compile(
    rf"(?:收盘|收市|闭市)(?:(?:之|以)?(?P<side>[后前])\s*的?(?:{_OFFSET})?"
    rf"|(?P<late>{_OFFSET.replace('<n>', '<n2>').replace('<half>', '<half2>').replace('<u>', '<u2>')})(?P<side2>[后前])"
    rf"|(?![价点位线数行涨跌成])(?:时|的时候)?)|(?<!开)盘(?P<side3>后)(?!数据|行情|交易|涨"
    rf"|跌)(?:{_OFFSET.replace('<n>', '<n3>').replace('<half>', '<half3>').replace('<u>', '<u3>')})?"
    rf"|(?:{_EN_OFFSET}\s+)?\b(?P<eside>after|before|at|past)\s+(?:(?:each|every"
    rf"|the)\s+)?(?:{_PLACE}\s+)?(?:market(?:'?s)?\s+|day's\s+)?(?:close|closing bell)s?\b(?!\s*(?:price"
    rf"|above|below|of the position))(?:\s+(?:of"
    rf"|in)\s+(?:the\s+)?{_PLACE}\b(?:\s+(?:stock\s+)?(?:market|exchange)s?)?)?"
    rf"|\b(?:when|once|as soon as|after)\s+(?:the\s+)?(?:{_PLACE}\s+)?markets?\s+(?:has\s+"
    rf"|have\s+)?close[sd]?\b|\bpost-?market\b",
    re.I,
)
_OPEN = re.compile(
    rf"(?<![开收])盘(?P<side3>前)(?!数据|行情|交易|涨"
    rf"|跌)(?:{_OFFSET.replace('<n>', '<n3>').replace('<half>', '<half3>').replace('<u>', '<u3>')})?"
    rf"|(?:开盘|开市)(?:(?:之|以)?(?P<side>[后前])\s*的?(?:{_OFFSET})?|(?![价点位线数行涨跌])(?:时|的时候)?)"
    rf"|(?:{_EN_OFFSET}\s+)?\b(?P<eside>after|before|at|past)\s+(?:(?:each|every"
    rf"|the)\s+)?(?:{_PLACE}\s+)?(?:market(?:'?s)?\s+)?(?:open|opening|opening bell)s?\b(?!\s*(?:price"
    rf"|above|below|position))"
    rf"|\b(?:when|once)\s+(?:the\s+)?(?:{_PLACE}\s+)?markets?\s+opens?\b|\bpre-?market\b",
    re.I,
)
_SESSION = re.compile(
    r"(?:在)?(?:盘中|交易时间内?|交易时段内?|开市期间|交易期间)"
    r"|\b(?:during|in|within)\s+(?:the\s+)?(?:\w+\s+)?(?:trading|market)\s+(?:hours|session)\b"
    r"|\bwhile the (?:\w+ )?market is open\b",
    re.I,
)
_MARKET_WORD = re.compile(r"(?:美股|港股|[Aa]股|沪深)(?:的)?(?=\x00)", re.I)


class _Bell(NamedTuple):
    """Beside which end of the session, and how many minutes after it (before it: less than 0; None: not said)."""

    end: str
    offset: int | None
    start: int
    stop: int


def _take_close(said: Wish) -> _Bell | None:
    for end, pattern in (("close", _CLOSE), ("open", _OPEN)):
        found = said.take_match(pattern)
        if found is None:
            continue
        got = found.groupdict()
        amount, unit = (got.get(key) or got.get(key + "2") or got.get(key + "3") for key in ("n", "u"))
        side = got.get("side") or got.get("side2") or got.get("side3") or (got.get("eside") or "").casefold()
        offset = None
        if amount and unit:
            more = any(got.get(key) for key in ("half", "half2", "half3"))
            offset = parse_minutes(amount, unit) + (parse_minutes("半", unit) if more else 0)
        elif got.get("en"):
            offset = parse_minutes(got["en"], got["eu"])
        before = side in ("前", "before") or found[0].casefold().startswith("pre")
        if before:
            offset = -(30 if offset is None else offset)
        elif side == "at" or found[0].casefold().endswith(("时", "时候")):
            offset = 0 if offset is None else offset
        return _Bell(end, offset, *found.span())
    return None


# times of day


def _take_times(said: Wish, often: Rhythm | None) -> TimesOfDay | None:
    """Return the times of day that are meant, and take them out."""
    groups = times_of_day.find_times(said)
    beside = [group for group in groups if often and _is_beside(said, group, often)]
    if often is not None:
        alone = [group for group in groups if _stands_alone(said, group)]
    else:
        alone = [each for each in groups if each.start == 0 or GONE in said.plain[max(each.start - 2, 0) : each.start]]
    meant = beside or alone
    if len(meant) > 1:
        raise BadData(
            "two times of day given: {one} and {other}",
            one=meant[0].found[0].said,
            other=meant[1].found[0].said,
            hint=_AT,
        )
    if meant:
        lead = _LEAD.search(said.plain[: meant[0].start])
        if lead and lead[0].casefold().startswith("between") and meant[0].joined == "and":
            meant[0].joined = "to"
        tail = _TAIL.match(said.plain, meant[0].end) if meant[0].joined == "to" else None
        said.drop_span(lead.start() if lead else meant[0].start, tail.end() if tail else meant[0].end)
        return meant[0]
    return None


_LEAD = re.compile(r"(?:\b(?:from|between)\s+|[从由]\s*)\Z", re.I)
_TAIL = re.compile(r"\s*(?:(?:的)?(?:之间|期间|之内|以内|时段|(?<!\s)内|(?<!\s)间(?!隔)))(?:的)?")
_LINK = re.compile(
    rf"(?:[\s{GONE},，的在于]|\bat\b|\bfrom\b|\bbetween\b|\bof\b|\bthe\b|\bon\b|{DAYPART}|\bin the\b|morning"
    rf"|evening|afternoon|night|time)*",
    re.I,
)


def _is_beside(said: Wish, group: TimesOfDay, often: Rhythm) -> bool:
    """Whether nothing but a link stands between times and the rhythm."""
    between = (
        said.text_between(often.end, group.start)
        if group.start >= often.end
        else said.text_between(group.end, often.start)
    )
    after = said.text_between(group.end, group.end + 2)
    return _LINK.fullmatch(between) is not None and not re.match(r"的[^\x00]", after)


def _stands_alone(said: Wish, group: TimesOfDay) -> bool:
    """Whether times stand where a clause could end or begin, so that they may be meant though the rhythm is away."""
    before, after = said.text_between(max(group.start - 1, 0), group.start), said.text_between(group.end, group.end + 2)
    led = group.found[0].said.casefold().startswith(("at ", "@", "在", "于"))
    if group.joined and (lead := _LEAD.search(said.plain[: group.start])) and lead[0].isascii():
        return not after.strip() or after[0] in ",，。.;；" + GONE or lead.start() == 0
    begins = group.start == 0 or before in ",，。;；、" + GONE or led
    ends = not after.strip() or after[0] in ",，。.;；" + GONE or begins
    return begins and ends and not re.match(r"\s*(?:的|price|level|bar|open|close)", after, re.I)


# putting it together


def _format_schedule(
    said: Wish, often: Rhythm | None, times: TimesOfDay | None, bell: _Bell | None, within: bool, exchange: str
) -> str:
    days = often.days if often else "* * 1-5" if bell or within else "* * *"
    if (bell or (often and often.trading) or within) and days == "* * *":
        days = "* * 1-5"
    if within or (often and often.every):
        return _interval_schedule(often, days, times, within, exchange)
    if often and often.count > 1 and (times is None or len(times.found) != often.count):
        raise BadData(
            "{count} times: at which times?",
            count=often.count,
            hint="give the times: at 9 and 15, every Tuesday and Friday",
        )
    if times is not None:
        return _fields_at(times_of_day.shift_to_daypart(said, times, often.part if often else ""), days)
    if bell is not None:
        return _bell_schedule(bell, often, days, exchange)
    hour, minute = times_of_day.find_daypart(said, often.part if often else "") or DEFAULT
    return f"{minute} {hour} {days}"


def _fields_at(times: TimesOfDay, days: str) -> str:
    """Return cron fields for one time, or for several with the same minutes."""
    first = times.found[0]
    if times.joined in ("or", "to"):
        raise BadData("two times of day given: {one} and {other}", one=first.said, other=times.found[1].said, hint=_AT)
    if len({time.minute for time in times.found}) > 1:
        raise BadData(
            "a task runs at the same minute of each hour; {one} and {other} need two tasks",
            one=first.said,
            other=times.found[1].said,
            hint="create two tasks, one at a time",
        )
    hours = ",".join(str(hour) for hour in sorted({time.hour for time in times.found}))
    return f"{first.minute} {hours} {days}"


def _bell_schedule(bell: _Bell, often: Rhythm | None, days: str, exchange: str) -> str:
    """Return the schedule of so long after or before the close, or around a bell whose hour is known."""
    week = days.split()[2]
    plain = days.startswith("* * ")
    if bell.end == "close":
        weekly = often is not None and often.period == "weekly"
        if bell.offset is None and (weekly or not plain):
            return _clock_fields(CLOSES[exchange] + 60, days)
        if plain:
            names = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
            only = "" if week in ("*", "1-5") else " " + ",".join(names[int(day)] for day in _parse_days(week))
            return f"close{30 if bell.offset is None else bell.offset:+d}m{only}"
    end = CLOSES[exchange] if bell.end == "close" else OPENS[exchange]
    return _clock_fields(end + (bell.offset if bell.offset is not None else 30), days)


def _parse_days(week: str) -> list[int]:
    days: list[int] = []
    for part in week.split(","):
        first, _, last = part.partition("-")
        days += range(int(first), int(last or first) + 1)
    return days


def _clock_fields(minute: int, days: str) -> str:
    return f"{minute % 60} {minute // 60} {days}"


def _interval_schedule(often: Rhythm | None, days: str, times: TimesOfDay | None, within: bool, exchange: str) -> str:
    """Return `every …`, or cron fields where it is only between two hours or on some days."""
    size = often.every if often and often.every else 60
    window = None
    if within:
        window = (OPENS[exchange] // 60, (CLOSES[exchange] - 1) // 60)
        days = "* * 1-5"
    elif times is not None:
        if times.joined != "to":
            raise BadData(
                "an interval cannot have a time of day: {said}",
                said=times.found[0].said,
                hint="give the hours: every hour from 9 to 17",
            )
        first, last = times.found[0], times.found[-1]
        window = (first.hour, last.hour if size >= 60 or last.minute else last.hour - 1)
    if window is None and days == "* * *":
        return f"every {rhythm.format_span(size)}"
    if size >= 1440 or (size > 60 and size % 60) or (size < 60 and 60 % size) or (window and window[0] > window[1]):
        raise BadData(
            "an interval of {size} minutes does not fit into those hours",
            size=size,
            hint="use, for example, every 15 minutes, every 30 minutes or every 2 hours",
        )
    hours = f"{window[0]}-{window[1]}" if window else "*"
    if size < 60:
        return f"*/{size} {hours} {days}"
    return f"0 {hours if size == 60 else f'{hours}/{size // 60}'} {days}"
