"""When a wish is to be carried out: its rhythm (every Friday, each trading day) and its times of day, as a schedule.

Words that could say a time but belong to the job (对比 9:30 的价格, the weekly chart) stay there: a time counts where
it stands beside the rhythm, or alone in the place of one. Two rhythms, two times or an impossible one are asked back,
and so is every word of time that no rule has read (`unread_words`).
"""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ia.faculties.schedule import (
    counted_days,
    rhythm,
    single_moments,
    times_of_day,
    unread_words,
    wish_exceptions,
    wish_text,
)
from ia.faculties.schedule import exchange as exchanges
from ia.faculties.schedule.rhythm import EDAY, D, Rhythm, W
from ia.faculties.schedule.times_of_day import DAYPART, TimesOfDay
from ia.faculties.schedule.wish_exceptions import LeftOut
from ia.faculties.schedule.wish_text import EN_NUMBER, GONE, ZH_NUMBER, Wish, parse_minutes
from ia.kernel import clock
from ia.kernel.errors import BadData, Message

_AT = "give only one: every Friday at 16:00 review my week"
DEFAULT = (16, 0)
"""The time of day where a wish names a day only: after China's close."""
OPENS = {"CN": 570, "HK": 570, "US": 570}
CLOSES = {"CN": 900, "HK": 960, "US": 960}
"""Minutes after midnight at which the regular session begins and ends, in the exchange's own time."""


class WishTiming(NamedTuple):
    """What a wish says of when: a schedule, the exchange whose days count, and the schedule's zone.

    remarks  what was taken for granted
    """

    schedule: str
    calendar: str
    zone: str
    remarks: tuple[Message, ...] = ()


def take_when(said: Wish, zone: str) -> WishTiming:
    """Return when a wish is to be carried out, and take that out of it.

    zone    the user's own, IANA
    raises  BadData, asking back, where that is not said, or could be two things, or is said in words not understood.
    """
    spoken = wish_text.take_zone(said)
    exchange = wish_text.find_market(said)
    rhythm.refuse_impossible(said)
    left_out = wish_exceptions.take_exceptions(said)
    close = _take_close(said)
    if close is not None and close.end == "open":
        exchange = wish_text.find_market_of_bell(said, close.start, close.stop)
    within = said.take_match(_SESSION)
    often = rhythm.take_rhythm(said, counted_days.RULES)
    said.take_match(_ABOUT)
    if often is None and left_out.daily:
        often = _daily_around(said)
    if often is None and not within:
        once = _take_once(said, close, spoken or zone, exchange or "CN", bool(spoken))
        if once is not None:
            unread_words.check_all_read(said, has_time=True)
            return once
    if often is None and not close and not within:
        _refuse_bare_weekday(said)
        _refuse_bare_time(said, spoken or zone)
        unread_words.check_all_read(said, has_time=True)
        raise rhythm.missing_schedule_error(said)
    times = _take_times(said, often)
    said.take_match(_SHARP)
    _check_one_time(said, close, times, often, bool(within))
    trading = bool(close or within or (often and often.trading))
    if trading:
        exchange = exchange or "CN"
        said.take_match(_MARKET_WORD)
    _check_left_out(left_out, trading)
    counted = often is not None and often.is_counted
    calendar = exchange if trading and not (often and not counted and often.days.split()[0] != "*") else ""
    home = spoken or (wish_text.EXCHANGE_ZONE[exchange] if trading else zone)
    plan = _Plan(said, often, times, close, bool(within), exchange, left_out, home, [])
    schedule = _format_schedule(plan)
    if spoken and schedule.startswith("close"):
        home = wish_text.EXCHANGE_ZONE[exchange]
    interval = often is not None and bool(often.every)
    unread_words.check_all_read(said, has_time=bool(times or close or within or interval or plan.has_part))
    return WishTiming(schedule, calendar, home, tuple(plan.remarks))


@dataclass
class _Plan:
    """What was read of a wish, on the way to its schedule."""

    said: Wish
    often: Rhythm | None
    times: TimesOfDay | None
    bell: "_Bell | None"
    within: bool
    exchange: str
    left_out: LeftOut
    zone: str
    remarks: list[Message]
    has_part: bool = False

    def local_now(self) -> datetime:
        """Return now in the schedule's zone."""
        return clock.now().astimezone(ZoneInfo(self.zone))


_BARE_WEEKDAY = re.compile(
    rf"(?:\A|[,，。;；{GONE}]|提醒我)\s*(?:在|on\s+)?(?P<day>{W}{D}|周末|(?:{EDAY}|weekend)\b)", re.I
)


def _refuse_bare_weekday(said: Wish) -> None:
    """Raise where a weekday alone leaves open whether it is meant once or every week."""
    if found := _BARE_WEEKDAY.search(said.plain):
        raise BadData(
            "{said}: once, or every week?",
            said=said.text[slice(*found.span("day"))],
            day=single_moments.example_day(),
            hint="say 每周五 or every Friday; for once 下周五 or on {day}",
        )


def _refuse_bare_time(said: Wish, zone: str) -> None:
    """Raise where a time of day alone leaves open on which day: tell me at noon."""
    groups = [each for each in times_of_day.find_times(said) if _stands_alone(said, each)]
    if not groups or _HAPPENING.search(said.plain):
        return
    first = groups[0].found[0]
    now = clock.now().astimezone(ZoneInfo(zone))
    day = now.date() + timedelta(days=(first.hour, first.minute) <= (now.hour, now.minute))
    raise BadData(
        "{said}: once, or every day?",
        said=first.said,
        day=f"{day}",
        time=f"{first.hour:02d}:{first.minute:02d}",
        hint="say on {day} at {time}, or every trading day at {time}",
    )


_HAPPENING = re.compile(r"收到|有新|变了|变化|消息|文件|webhook|一旦|\b(?:when(?:ever)?|if|once|as soon as)\b", re.I)


def _daily_around(said: Wish) -> Rhythm:
    """Return the rhythm of `never on Mondays, otherwise …`: every other day; it stands where the exception stood."""
    start = said.plain.index(GONE)
    end = start + len(said.plain[start:]) - len(said.plain[start:].lstrip(GONE))
    return Rhythm(start, end)


def _check_one_time(
    said: Wish, bell: "_Bell | None", times: TimesOfDay | None, often: Rhythm | None, within: bool
) -> None:
    """Raise where a wish says its time twice: by a bell and by a clock."""
    if times is None:
        return
    named = times.found[0].said
    if within and not (often and often.every) and times.joined != "to":
        return
    if within:
        raise BadData("two times of day given: {one} and {other}", one=Message("trading hours"), other=named, hint=_AT)
    if bell is None:
        return
    first, second = sorted([(bell.start, bell.stop), (times.start, times.end)])
    between = re.sub(rf"[{GONE}\s(（)）,，]|\bat\b", "", said.plain[first[1] : second[0]])
    if bell.offset is not None or between:
        bell_said = said.text[bell.start : bell.stop].strip()
        raise BadData("two times of day given: {one} and {other}", one=bell_said, other=named, hint=_AT)


def _check_left_out(left_out: LeftOut, trading: bool) -> None:
    if left_out.holidays and not trading:
        raise BadData(
            "{said}: whose holidays?",
            said=left_out.said,
            hint="say every trading day; days on which the exchange is closed are then left out",
        )


def _take_once(said: Wish, bell: "_Bell | None", zone: str, exchange: str, spoken: bool) -> WishTiming | None:
    """Return a single moment, if the wish names a date or a delay, and take it out; else None."""
    local = clock.now().astimezone(ZoneInfo(zone))
    if bell is None and (moment := single_moments.take_delay(said, local)) is not None:
        return WishTiming(f"at {moment:%Y-%m-%d %H:%M}", "", zone)
    dates = single_moments.find_dates(said, local.date())
    if not dates:
        return None
    if len({each.day for each in dates}) > 1:
        raise BadData(
            "two dates given: {one} and {other}", one=dates[0].said, other=dates[1].said, hint="create two tasks"
        )
    for each in dates:
        said.drop_span(each.start, each.end)
    first = dates[0]
    if bell is not None:
        return _moment_at_bell(bell, first, exchange)
    here = Rhythm(first.start, first.end, part=first.part)
    times = _take_times(said, here)
    if times is None:
        part = times_of_day.find_daypart(said, first.part)
        if part is None:
            raise BadData(
                "{said}: at what time?", said=first.said, day=f"{first.day}", hint="give the time: on {day} at 9:00"
            )
        hours = [part]
    else:
        times = times_of_day.shift_to_daypart(said, times, first.part)
        _check_sure(times)
        if times.joined in ("or", "to"):
            one, other = times.found[0].said, times.found[1].said
            raise BadData("two times of day given: {one} and {other}", one=one, other=other, hint=_AT)
        hours = [(time.hour, time.minute) for time in times.found]
    moments = [datetime.combine(first.day, time(*each), ZoneInfo(zone)) for each in sorted(set(hours))]
    if moments[0] <= clock.now():
        raise BadData("{said} has passed", said=f"{moments[0]:%Y-%m-%d %H:%M}", hint="name a later time")
    return WishTiming("; ".join(f"at {moment:%Y-%m-%d %H:%M}" for moment in moments), "", zone)


def _moment_at_bell(bell: "_Bell", found: single_moments.DateSaid, exchange: str) -> WishTiming:
    """Return the moment beside the open or the close of one day's session."""
    closed = exchanges.session_close(exchange, found.day)
    if closed is None:
        raise BadData("{said} is not a trading day", said=found.said, hint="choose another day, or a time of day")
    home = exchanges.exchange_zone(exchange)
    start = datetime.combine(found.day, time(OPENS[exchange] // 60, OPENS[exchange] % 60), home)
    offset = 30 if bell.offset is None else bell.offset
    moment = (closed if bell.end == "close" else start).astimezone(home) + timedelta(minutes=offset)
    if moment <= clock.now():
        raise BadData("{said} has passed", said=f"{moment:%Y-%m-%d %H:%M}", hint="name a later time")
    return WishTiming(f"at {moment:%Y-%m-%d %H:%M}", "", home.key)


# the exchange's session

_OFFSET = rf"(?P<n>半|{ZH_NUMBER})\s*个?(?P<half>半)?(?P<u>小时|钟头|分钟?)"
_EN_OFFSET = rf"(?P<en>half an|{EN_NUMBER})[ -]?(?P<eu>hours?|h|minutes?|mins?|m)\b"
_PLACE = r"(?:US|U\.S\.|HK|hong kong|new york|wall street|nasdaq|nyse|shanghai|shenzhen|china|chinese|american|a-share)"
_CLOSE = re.compile(
    rf"(?<![看盯等聊听盘])(?:收盘|收市|闭市)(?:(?:之|以)?(?P<side>[后前])\s*的?(?:{_OFFSET})?"
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
    rf"|(?<![看盯等聊听盘])(?:开盘|开市)(?:(?:之|以)?(?P<side>[后前])\s*的?(?:{_OFFSET})?|(?![价点位线数行涨跌])(?:时|的时候)?)"
    rf"|(?:{_EN_OFFSET}\s+)?\b(?P<eside>after|before|at|past)\s+(?:(?:each|every"
    rf"|the)\s+)?(?:{_PLACE}\s+)?(?:market(?:'?s)?\s+)?(?:open|opening|opening bell)s?\b(?!\s*(?:price"
    rf"|above|below|position))(?:\s+(?:of|in)\s+(?:the\s+)?{_PLACE}\b(?:\s+(?:stock\s+)?(?:market|exchange)s?)?)?"
    rf"|\b(?:when|once)\s+(?:the\s+)?(?:{_PLACE}\s+)?markets?\s+opens?\b|\bpre-?market\b",
    re.I,
)
_SESSION = re.compile(
    r"(?:在)?(?:盘中|交易时间内?|交易时段内?|开市期间|交易期间)"
    r"|\b(?:during|in|within)\s+(?:the\s+)?(?:\w+\s+)?(?:trading|market)\s+(?:hours|session)\b"
    r"|\b(?:during|in|within)\s+the\s+(?:session|trading day)\b|\bwhile the (?:\w+ )?market is open\b",
    re.I,
)
_MARKET_WORD = re.compile(r"(?:美股|港股|[Aa]股|沪深)(?:的)?(?=\x00)", re.I)


_ABOUT = re.compile(
    rf"(?:大约|大概|差不多|只|仅)(?:在)?\s*(?={GONE})|(?<={GONE})\s*only\b|\b(?:only|about|around)\s+(?={GONE})", re.I
)
_SHARP = re.compile(rf"(?<={GONE})\s*(?:左右|前后|准时|整(?!理|个|体|合)|sharp\b|on the dot\b)", re.I)


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
        _note_part(said, meant[0], often)
        lead = _LEAD.search(said.plain[: meant[0].start])
        if lead and lead[0].casefold().startswith("between") and meant[0].joined == "and":
            meant[0].joined = "to"
        tail = _TAIL.match(said.plain, meant[0].end) if meant[0].joined == "to" else None
        said.drop_span(lead.start() if lead else meant[0].start, tail.end() if tail else meant[0].end)
        return meant[0]
    return None


_LEAD = re.compile(
    r"(?:\b(?:from|between)\s+|[从由]\s*|(?:下班[前后]|上班[前后]|睡前|午休|饭[前后]|(?:收盘|开盘)[前后])?的?\s*[(（]\s*)\Z",
    re.I,
)
_TAIL = re.compile(r"\s*(?:(?:的)?(?:之间|期间|之内|以内|时段|(?<!\s)内|(?<!\s)间(?!隔)))(?:的)?")
_LINK = re.compile(
    rf"(?:[\s{GONE},，的在于(（]|\bat\b|\bfrom\b|\bbetween\b|\bof\b|\bthe\b|\bon\b|{DAYPART}|\bin the\b|mornings?"
    rf"|evenings?|afternoons?|nights?|time|下班[前后]|上班[前后]|睡前|午休)*",
    re.I,
)


_EN_PART = re.compile(r"\s*\b(?P<p>morning|afternoon|evening|night)s?\b[\s,]*(?:at\s*)?\Z", re.I)


def _note_part(said: Wish, times: TimesOfDay, often: Rhythm | None) -> None:
    """Take out the part of the day that stands before times (every Friday afternoon at 4), and keep it."""
    found = _EN_PART.search(said.plain[: times.start])
    if found and often is not None and found.start() >= often.end - 1 and not often.part:
        often.part = found["p"].casefold()
        said.drop_span(found.start(), times.start)


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


def _format_schedule(plan: _Plan) -> str:
    often, times = plan.often, plan.times
    days = often.days if often else "* * 1-5" if plan.bell or plan.within else "* * *"
    if (plan.bell or (often and often.trading) or plan.within) and days == "* * *":
        days = "* * 1-5"
    days = _subtract(plan, days)
    if plan.within and times is None and not (often and often.every):
        raise BadData("trading hours: how often?", hint="say every 30 minutes, or give a time: at 10:30")
    if often and often.every and not (times and often.every % 1440 == 0 and times.joined != "to"):
        return _interval_schedule(plan, days)
    if (
        often
        and often.count > 1
        and not _names_days(days, often.count)
        and (times is None or len(times.found) != often.count)
    ):
        raise BadData(
            "{count} times: at which times?",
            count=often.count,
            hint="give the times: at 9 and 15, every Tuesday and Friday",
        )
    if often and often.assumed:
        plan.remarks.append(Message("the wish does not name the day; check the next runs"))
    if plan.bell is not None and times is None:
        if often is None or not often.is_counted:
            return _bell_schedule(plan.bell, often, days, plan.exchange)
        return _counted_at_bell(often, plan.bell, plan)
    hours = _times_or_default(plan)
    if often and (often.is_counted or often.every):
        return _counted_schedule(often, hours, plan)
    return _fields_at(hours, days)


def _names_days(days: str, count: int) -> bool:
    """Whether as many days are named as the wish has times: twice a month on the 1st and 15th."""
    day, _, week = days.split()
    return count in (len(day.split(",")), len(week.split(",")))


def _subtract(plan: _Plan, days: str) -> str:
    """Return the days without those that the wish leaves out."""
    often, out = plan.often, plan.left_out
    if out.weekdays and often and often.is_counted:
        raise BadData(
            "{said} cannot be combined with days of the month",
            said=out.said,
            hint="say it without the exception, and let the job check the weekday",
        )
    return wish_exceptions.subtract_days(days, out)


def _times_or_default(plan: _Plan) -> list[tuple[int, int]]:
    """Return the hours and minutes of a wish, ascending; where it names none 16:00, with a remark."""
    part = plan.often.part if plan.often else ""
    if plan.times is None:
        named = times_of_day.find_daypart(plan.said, part)
        plan.has_part = named is not None
        if named is None:
            plan.remarks.append(Message("the wish names no time of day; ia takes {time}", time="16:00"))
        return [named or DEFAULT]
    times = times_of_day.shift_to_daypart(plan.said, plan.times, part)
    if times.joined in ("or", "to"):
        one, other = times.found[0].said, times.found[1].said
        raise BadData("two times of day given: {one} and {other}", one=one, other=other, hint=_AT)
    _check_sure(times)
    return sorted({(time.hour, time.minute) for time in times.found})


def _check_sure(times: TimesOfDay) -> None:
    for each in times.found:
        if not each.sure:
            raise BadData(
                "{said}: in the morning or in the afternoon?",
                said=each.said,
                early=f"{each.hour:02d}:{each.minute:02d}",
                late=f"{each.hour + 12}:{each.minute:02d}",
                hint="write {early} or {late}",
            )


def _fields_at(hours: list[tuple[int, int]], days: str) -> str:
    """Return cron fields for each group of times with the same minute."""
    minutes = list(dict.fromkeys(minute for _, minute in hours))
    return "; ".join(
        f"{minute} {','.join(str(hour) for hour, each in hours if each == minute)} {days}" for minute in minutes
    )


def _clock_list(hours: list[tuple[int, int]]) -> str:
    return ",".join(f"{hour:02d}:{minute:02d}" for hour, minute in hours)


def _counted_schedule(often: Rhythm, hours: list[tuple[int, int]], plan: _Plan) -> str:
    """Return a schedule of days that are counted, at these times."""
    clocks = _clock_list(hours)
    if often.counted:
        return "; ".join(f"{days} {clocks}" for days in often.counted)
    now = plan.local_now()
    day = now.date()
    if not often.weeks:
        if (now.hour, now.minute) >= hours[0]:
            day += timedelta(days=1)
        schedule = f"every {often.every // 1440} days {clocks} from {day}"
    else:
        names = ",".join(_WEEK[number] for number in often.weekdays)
        while (day.weekday() + 1) % 7 not in often.weekdays or (
            day == now.date() and (now.hour, now.minute) >= hours[0]
        ):
            day += timedelta(days=1)
        schedule = f"every {often.weeks} weeks on {names} {clocks} from {day}"
    plan.remarks.append(Message("ia counts from {day}, the next such day", day=day.isoformat()))
    return schedule


def _counted_at_bell(often: Rhythm, bell: "_Bell", plan: _Plan) -> str:
    """Return a schedule of counted days so long after the close, or around the open, whose hour is known."""
    offset = 30 if bell.offset is None else bell.offset
    if bell.end == "close" and often.counted:
        days = (re.sub(" day of ", " trading day of ", text.replace("trading day", "day")) for text in often.counted)
        return "; ".join(f"{text} close{offset:+d}m" for text in days)
    end = CLOSES[plan.exchange] if bell.end == "close" else OPENS[plan.exchange]
    return _counted_schedule(often, [divmod(end + offset, 60)], plan)


_WEEK = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def _bell_schedule(bell: _Bell, often: Rhythm | None, days: str, exchange: str) -> str:
    """Return the schedule of so long after or before the close, or around a bell whose hour is known."""
    week = days.split()[2]
    plain = days.startswith("* * ")
    if bell.end == "close":
        weekly = often is not None and often.period == "weekly"
        if bell.offset is None and (weekly or not plain):
            return _clock_fields(CLOSES[exchange] + 60, days)
        if plain:
            only = "" if week in ("*", "1-5") else " " + ",".join(_WEEK[int(day)] for day in _parse_days(week))
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


def _interval_schedule(plan: _Plan, days: str) -> str:
    """Return `every …`, or cron fields where it is only between two hours, on some days or at a minute of the hour."""
    often, times = plan.often, plan.times
    assert often is not None
    size, window = often.every, None
    if plan.within:
        window = (-(-OPENS[plan.exchange] // 60), (CLOSES[plan.exchange] - 1) // 60)
        days = _subtract(plan, "* * 1-5")
    elif times is not None:
        window = _read_window(times, size)
    if often.part or times_of_day.find_daypart(plan.said) is not None:
        raise BadData("from when to when?", hint="give the hours: every hour from 9 to 17")
    if window is None and days == "* * *" and often.minute < 0:
        return f"every {rhythm.format_span(size)}"
    if size >= 1440 or (size > 60 and size % 60) or (size < 60 and 60 % size) or (window and window[0] > window[1]):
        raise BadData(
            "an interval of {size} minutes does not fit into those hours",
            size=size,
            hint="use, for example, every 15 minutes, every 30 minutes or every 2 hours",
        )
    hours = f"{window[0]}-{window[1]}" if window else "*"
    if size < 60:
        opened = [minute for minute in range(0, 60, size) if plan.within and minute >= OPENS[plan.exchange] % 60]
        first = f"{','.join(map(str, opened))} {OPENS[plan.exchange] // 60} {days}; " if opened else ""
        return f"{first}*/{size} {hours} {days}"
    return f"{max(often.minute, 0)} {hours if size == 60 else f'{hours}/{size // 60}'} {days}"


def _read_window(times: TimesOfDay, size: int) -> tuple[int, int]:
    """Return the first and the last hour in which an interval runs.

    raises  BadData for a single time, for hours that may be of either half of the day, or for minutes that cron's
            fields cannot bound.
    """
    if times.joined != "to":
        raise BadData(
            "an interval cannot have a time of day: {said}",
            said=times.found[0].said,
            hint="give the hours: every hour from 9 to 17",
        )
    first, last = times.found[0], times.found[-1]
    if last.sure or last.hour < first.hour:
        _check_sure(times)
    if first.minute or (last.minute and last.minute + size < 60):
        raise BadData(
            "an interval of {size} minutes does not fit into those hours",
            size=size,
            hint="give whole hours: from 9 to 17",
        )
    return first.hour, last.hour if size >= 60 or last.minute else last.hour - 1
