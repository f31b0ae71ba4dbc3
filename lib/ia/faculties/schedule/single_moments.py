"""What happens once: 明天9点, 下周三下午两点, in 20 minutes, on March 20 at 9."""

import re
from datetime import date, datetime, timedelta
from typing import NamedTuple

from ia.faculties.schedule.rhythm import EDAY, MONTH, W
from ia.faculties.schedule.wish_text import EN_NUMBER, GONE, MONTHS, ZH_NUMBER, Wish, parse_number, parse_weekday
from ia.kernel import clock
from ia.kernel.errors import BadData

_AT = "name the date: at {day} 09:00"
_BOUND = r"(?!\s*(?:起|开始|之前|以前|前|的(?!时候)))"
_ZH_WEEKDAY = rf"(?P<week>下下|下|这|本)个?{W}(?P<wd>[一二三四五六日天])(?![一二三四五六日天]|\s*(?:到|至))"
_ZH_DATE = (
    rf"(?:(?P<rel>大后天|后天|明天|明日|今天|今日)|(?P<part>明早|明晨|明晚|今早|今晚)|{_ZH_WEEKDAY}"
    rf"|(?:(?P<y>\d{{4}}|今|明)年)?(?P<m>{ZH_NUMBER})月(?P<d>{ZH_NUMBER})[日号]|(?P<nextm>下个?月)(?P<d2>{ZH_NUMBER})[日号]"
    rf"|(?P<days>{ZH_NUMBER})(?P<daysu>天|个?星期|周)(?:以|之)?后(?:的)?)"
)
_EN_DAY_OF_MONTH = r"(?P<ed>\d{1,2})(?:st|nd|rd|th)?"
_EN_DATE = (
    rf"(?:\b(?:the\s+)?(?P<erel>day after tomorrow|tomorrow|today)\b|\b(?P<tonight>tonight)\b"
    rf"|\b(?P<ewhich>next|this|coming|on)\s+(?:coming\s+)?(?P<ewd>{EDAY})\b(?!'|s\b)"
    rf"|\b(?:on\s+)?(?:the\s+)?(?:{MONTH}\.?\s+{_EN_DAY_OF_MONTH}|{_EN_DAY_OF_MONTH.replace('ed', 'ed2')}\s+(?:of\s+)?"
    rf"{MONTH.replace('mon', 'mon2')})\b(?:,?\s+(?P<ey>20\d\d)\b)?"
    rf"|\bin\s+(?P<edays>{EN_NUMBER})\s+(?P<edaysu>days?|weeks?)\b(?!\s+of))"
)
_ISO = r"(?P<iso>20\d\d[-/]\d{1,2}[-/]\d{1,2})(?!\d)"
_DATE = re.compile(rf"(?:{_ISO}|{_ZH_DATE}|{_EN_DATE}){_BOUND}", re.I)
_DELAY = re.compile(
    rf"(?:过\s*)?(?P<n>半|{ZH_NUMBER})\s*个?(?P<half>半)?(?P<u>分钟|小时|钟头)(?:以|之)?后"
    rf"|过\s*(?P<n2>半|{ZH_NUMBER})\s*个?(?P<half2>半)?(?P<u2>分钟|小时|钟头)"
    rf"|\bin\s+(?P<en>half an|{EN_NUMBER})[ -]?(?P<eu>minutes?|mins?|hours?|hrs?|h|m)\b"
    rf"|\b(?P<en2>half an|{EN_NUMBER})[ -]?(?P<eu2>minutes?|mins?|hours?|hrs?|h|m)\s+from\s+now\b",
    re.I,
)
_LEADS = re.compile(
    rf"(?:\A|[{GONE},，。;；:：(（]|请|帮我|给我|替我|提醒一?下?我|叫我|通知我|我想|我要|在|于|到|\bremind\s+me|\bplease|\band|\bthen|\b(?:me|it|this)|[ap]\.?m\.?|\d:\d\d|o'clock|\bat\s+\d{{1,2}}|noon|midnight)"
    r"\s*\Z",
    re.I,
)
_DAYPARTS = {"明早": "早上", "明晨": "早上", "今早": "早上", "明晚": "晚上", "今晚": "晚上", "tonight": "night"}


class DateSaid(NamedTuple):
    """A date that a wish names, where it stands, and the part of the day that its word names (今晚)."""

    start: int
    end: int
    day: date
    part: str
    said: str


def example_day() -> str:
    """Return a day a week from now, as an example of how a date is written."""
    return f"{clock.now().date() + timedelta(days=7)}"


def take_delay(said: Wish, now: datetime) -> datetime | None:
    """Return the moment that is so long from now (20分钟后, in an hour), and take it out; on a whole minute."""
    found = next((each for each in _DELAY.finditer(said.plain) if _is_free(said, *each.span())), None)
    if found is None:
        return None
    amount = (found["n"] or found["n2"] or found["en"] or found["en2"]).casefold()
    unit = (found["u"] or found["u2"] or found["eu"] or found["eu2"]).casefold()
    size = 1 if unit.startswith(("分", "m")) else 60
    minutes = size // 2 if amount.startswith(("半", "half")) else parse_number(amount) * size
    minutes += size // 2 if found["half"] or found["half2"] else 0
    if not 1 <= minutes <= 366 * 1440:
        raise BadData("{said} is not a moment", said=found[0].strip(), day=example_day(), hint=_AT)
    said.drop_span(*found.span())
    moment = now + timedelta(minutes=minutes)
    return (
        moment
        if moment.second == 0 == moment.microsecond
        else moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
    )


def find_dates(said: Wish, today: date) -> list[DateSaid]:
    """Return the dates that a wish names where a clause begins or ends.

    raises  BadData for a date that could be two, or is none.
    """
    return [_read_date(found, today) for found in _DATE.finditer(said.plain) if _is_free(said, *found.span())]


def _is_free(said: Wish, start: int, end: int) -> bool:
    """Whether words stand where a clause begins, or, in English, ends."""
    if _LEADS.search(said.plain[:start]):
        return True
    after = said.plain[end:].lstrip()
    ends = not after or after[0] in GONE + ",，。.;；)" or _AFTER.match(after)
    named = re.search(r"\b(?:for|of|from|until|till|by|before|since|with|about)\s+\Z", said.plain[:start], re.I)
    return bool(ends and not named and said.plain[start : start + 1].isascii())


_AFTER = re.compile(rf"(?:at|@|in the)\b|(?:morning|afternoon|evening|night)\b\s*(?:\Z|at\b|[{GONE},.;)])", re.I)
"""What may stand behind a date at the end of a clause."""


def _read_date(found: re.Match[str], today: date) -> DateSaid:
    got = {key: value for key, value in found.groupdict().items() if value is not None}
    words = found[0].strip()
    try:
        day = _find_day(got, today, words)
    except ValueError:
        raise BadData("{said} is not a date", said=words, day=example_day(), hint=_AT) from None
    if day < today:
        raise BadData("{said} has passed", said=words, day=example_day(), hint=_AT)
    part = _DAYPARTS.get((got.get("part") or got.get("tonight") or "").casefold(), "")
    return DateSaid(start=found.start(), end=found.end(), day=day, part=part, said=words)


def _find_day(got: dict[str, str], today: date, words: str) -> date:
    """Return the day that is named; raises ValueError where there is none."""
    if "iso" in got:
        return date(*map(int, re.split("[-/]", got["iso"])))
    if "week" in got:
        monday = today - timedelta(days=today.weekday())
        weeks = {"下下": 2, "下": 1}.get(got["week"], 0)
        return monday + timedelta(days=7 * weeks + (parse_weekday(got["wd"]) - 1) % 7)
    if "ewd" in got:
        return _find_english_weekday(got["ewhich"].casefold(), (parse_weekday(got["ewd"]) - 1) % 7, today, words)
    if "days" in got or "edays" in got:
        count = parse_number(got.get("days") or got["edays"])
        return today + timedelta(days=count * (1 if (got.get("daysu") or got["edaysu"]).startswith(("天", "d")) else 7))
    if "nextm" in got:
        first = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
        return first.replace(day=parse_number(got["d2"]))
    if "m" in got or "mon" in got or "mon2" in got:
        name = (got.get("mon") or got.get("mon2") or "").casefold()
        month = parse_number(got["m"]) if "m" in got else MONTHS.index(name) + 1
        number = parse_number(got.get("d") or got.get("ed") or got["ed2"])
        year = got.get("y") or got.get("ey") or ""
        if year:
            return date({"今": today.year, "明": today.year + 1}.get(year) or int(year), month, number)
        this = date(today.year, month, number)
        return this if this >= today else date(today.year + 1, month, number)
    word = (got.get("rel") or got.get("part") or got.get("erel") or got.get("tonight") or "").casefold()
    ahead = {"大后天": 3, "后天": 2, "day after tomorrow": 2, "明": 1, "tomorrow": 1}
    return today + timedelta(days=next((days for text, days in ahead.items() if word.startswith(text)), 0))


def _find_english_weekday(which: str, weekday: int, today: date, words: str) -> date:
    """Return the day that `on Friday`, `this Friday` or `next Friday` means, where all agree on it."""
    coming = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    this_week = coming.isocalendar()[:2] == today.isocalendar()[:2]
    around_sunday = today.weekday() == 6 or weekday == 6
    clear = {"next": not this_week and not around_sunday, "this": this_week and not around_sunday}
    if not clear.get(which, weekday != today.weekday()):
        other = today if weekday == today.weekday() and which != "next" else coming + timedelta(days=7)
        one, two = sorted((coming, other))
        hint = "name the date: on {one} at 9:00, or on {two} at 9:00"
        raise BadData("{said} is ambiguous", said=words, one=f"{one}", two=f"{two}", hint=hint)
    return coming
