"""The day up to which a sentence looks ahead: by June, before the end of the year, within 3 months, 年底前."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<mon>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WAY = r"\b(?P<way>by|before|until|within|in|at|on|during|over)\s+(?:the\s+)?"
_EDGE = r"(?:(?P<edge>end|middle|close)\s+of\s+(?:the\s+)?)?"
_NEAR = r"(?P<near>this|next|coming)?\s*"
_ZH_END = r"(?P<end>之?[前内]|以[前内])?"
_ZH_NUMBER = r"[一二三四五六七八九十\d]{1,3}"


class Deadline(NamedTuple):
    """The last day that a sentence looks ahead to. `once`: any day up to it counts (by June), not it alone (in June).

    at  where its words stand
    """

    day: date
    once: bool
    at: tuple[int, int]


def find_deadline(text: str, today: date) -> Deadline | None:
    """Return the day ahead that a text names; None for none, for several, and for one that has been.

    A month or a day without its year is the coming one; "by June" means June too, "before June" does not.

    >>> day = date(2024, 3, 15)
    >>> [str(find_deadline(text, day).day) for text in ("above 200 by June", "before year end", "in 3 months")]
    ['2024-06-30', '2024-12-31', '2024-06-15']
    >>> [str(find_deadline(text, day).day) for text in ("六月底之前站上200", "年底前到 40", "下个月", "6月前", "明年")]
    ['2024-06-30', '2024-12-31', '2024-04-30', '2024-05-31', '2025-12-31']
    >>> find_deadline("next month", day).once, find_deadline("by 2024-06-28", day).once, find_deadline("soon", day)
    (False, True, None)
    """
    found: list[Deadline] = []
    for form, read in _FORMS:
        for match in form.finditer(text):
            if any(match.start() < each.at[1] and each.at[0] < match.end() for each in found):
                continue
            try:
                day, once = read({name: said or "" for name, said in match.groupdict().items()}, today)
            except (ValueError, OverflowError):
                return None
            found.append(Deadline(day, once, match.span()))
    return found[0] if len(found) == 1 and found[0].day > today else None


Said = dict[str, str]


def _ends_before(said: Said) -> bool:
    return said.get("way", "").casefold() == "before" or said.get("end", "").endswith("前")


def _is_once(said: Said) -> bool:
    """Whether any day up to the last counts, as the word before or behind says."""
    return said.get("way", "").casefold() in ("by", "before", "until", "within") or bool(said.get("end"))


def _month_end(year: int, month: int) -> date:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, monthrange(year, month)[1])


def _read_date(said: Said, today: date) -> tuple[date, bool]:
    day = date(int(said["y"]), int(said["m"]), int(said["d"]))
    return day - timedelta(_ends_before(said) and said.get("way", "") == "before"), _is_once(said)


def _read_month_day(said: Said, today: date) -> tuple[date, bool]:
    """Return a day of a month: its year is the coming one unless it is named."""
    month = int(parse_count(said["zm"]) or 0) if said.get("zm") else _MONTHS.index(said["mon"][:3].casefold()) + 1
    number = int(parse_count(said["d"]) or 0)
    day = date(int(said.get("y") or today.year), month, number)
    return (day if day > today or said.get("y") else date(today.year + 1, month, number)), _is_once(said)


def _read_month(said: Said, today: date) -> tuple[date, bool]:
    """Return a month's last day, or the day before it begins."""
    month = int(parse_count(said["zm"]) or 0) if said.get("zm") else _MONTHS.index(said["mon"][:3].casefold()) + 1
    if not 1 <= month <= 12:
        raise ValueError(month)
    year = today.year + {"明": 1, "后": 2}.get(said.get("zy", ""), 0)
    if said.get("y"):
        year = int(said["y"])
    elif not said.get("zy") and _month_end(year, month) <= today:
        year += 1
    edge = said.get("edge", "")
    if edge in ("middle", "mid", "中"):
        return date(year, month, 15), _is_once(said)
    if _ends_before(said) and edge not in ("end", "底", "末") and said.get("late", "") == "":
        return date(year, month, 1) - timedelta(1), True
    return _month_end(year, month), _is_once(said)


def _read_unit(said: Said, today: date) -> tuple[date, bool]:
    """Return the end of this or the next week, month, quarter or year; the day before the next where it says before."""
    unit = {
        "周": "week",
        "星期": "week",
        "礼拜": "week",
        "月": "month",
        "季": "quarter",
        "季度": "quarter",
        "年": "year",
    }
    what = unit.get(said["unit"], said["unit"].casefold())
    ahead = int(said.get("near", "").casefold() in ("next", "coming", "下", "下个", "明"))
    if ahead and _ends_before(said) and said.get("edge", "") not in ("end", "底", "末"):
        ahead -= 1
    if what == "week":
        day = today + timedelta(6 - today.weekday() + 7 * ahead)
    elif what == "month":
        day = _month_end(today.year, today.month + ahead)
    elif what == "quarter":
        day = _month_end(today.year, (today.month + 2) // 3 * 3 + 3 * ahead)
    else:
        day = date(today.year + ahead, 12, 31)
    return day, _is_once(said)


def _read_quarter(said: Said, today: date) -> tuple[date, bool]:
    number = int(parse_count(said["q"]) or 0)
    if not 1 <= number <= 4:
        raise ValueError(number)
    day = _month_end(int(said.get("y") or today.year), 3 * number)
    return (day if day > today or said.get("y") else _month_end(today.year + 1, 3 * number)), _is_once(said)


def _read_year(said: Said, today: date) -> tuple[date, bool]:
    year = int(said["y"])
    early = _ends_before(said) and not said.get("edge")
    return date(year - early, 12, 31), _is_once(said)


def _read_count(said: Said, today: date) -> tuple[date, bool]:
    """Return the day after some days, weeks, months or years."""
    count = parse_count(said["n"].casefold())
    if count is None or count > 100:
        raise ValueError(said["n"])
    unit = said["unit"].casefold()
    if unit in ("day", "天", "日"):
        return today + timedelta(count), True
    if unit in ("week", "周", "星期", "礼拜"):
        return today + timedelta(7 * count), True
    months = round(count * {"month": 1, "月": 1, "quarter": 3, "季度": 3}.get(unit, 12))
    year, month = today.year + (today.month + months - 1) // 12, (today.month + months - 1) % 12 + 1
    return date(year, month, min(today.day, monthrange(year, month)[1])), True


def _read_half(said: Said, today: date) -> tuple[date, bool]:
    first = said["half"] in ("上", "first")
    day = date(today.year + (said.get("near", "") in ("明", "next")), 6 if first else 12, 30 if first else 31)
    return (day if day > today else day.replace(year=day.year + 1)), _is_once(said)


Reader = Callable[[Said, date], tuple[date, bool]]
_FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (pattern(form, re.I), read)
    for form, read in (
        (
            rf"(?:{_WAY})?(?<!\d)(?P<y>20\d\d)[-/.](?P<m>\d\d?)[-/.](?P<d>\d\d?)(?!\d)\s*{_ZH_END}",
            _read_date,
        ),
        (rf"(?P<y>20\d\d)年(?P<m>\d\d?)月(?P<d>\d\d?)[日号]?{_ZH_END}", _read_date),
        (rf"(?:{_WAY})?{_MONTH}\s+(?P<d>\d\d?)(?:st|nd|rd|th)?\b(?!\d)(?:,?\s*(?P<y>20\d\d))?", _read_month_day),
        (rf"(?:{_WAY})?(?P<d>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s*(?P<y>20\d\d))?", _read_month_day),
        (rf"(?P<zm>{_ZH_NUMBER})月(?P<d>{_ZH_NUMBER})(?:日|号){_ZH_END}", _read_month_day),
        (rf"{_WAY}{_EDGE}(?P<late>late\s+)?{_MONTH}(?:,?\s*(?:of\s+)?(?P<y>20\d\d))?", _read_month),
        (
            rf"(?:(?P<y>20\d\d)年|(?P<zy>[今明后])年)?(?<!\d)(?P<zm>{_ZH_NUMBER})月份?(?P<edge>[底末中初])?{_ZH_END}(?!\d)",
            _read_month,
        ),
        (rf"(?:{_WAY})?(?:(?P<y>20\d\d)[\s-]*)?\bQ(?P<q>[1-4])\b(?:\s*(?:of\s+)?(?P<y2>20\d\d))?", _read_quarter),
        (rf"(?:(?P<y>20\d\d)年)?第?(?P<q>[一二三四1-4])季度末?{_ZH_END}", _read_quarter),
        (rf"{_WAY}{_EDGE}{_NEAR}(?P<unit>week|month|quarter|year)\b(?![- ]end)", _read_unit),
        (rf"{_WAY}(?P<unit>year|month|quarter)[- ](?P<edge>end)\b", _read_unit),
        (r"\b(?P<near>this|next)\s+(?P<unit>week|month|quarter|year)\b", _read_unit),
        (
            rf"(?P<near>[本这今明]|下个?)(?:个)?(?P<unit>星期|礼拜|季度|[周月季年])(?P<edge>[底末])?{_ZH_END}",
            _read_unit,
        ),
        (rf"(?P<unit>[月季年])(?P<edge>[底末])的?{_ZH_END}", _read_unit),
        (rf"(?:(?P<near>[今明])年)?(?P<half>[上下])半年{_ZH_END}", _read_half),
        (rf"{_WAY}(?P<half>first|second)\s+half\b", _read_half),
        (rf"{_WAY}(?:the\s+)?{_EDGE}(?P<y>20\d\d)\b", _read_year),
        (rf"(?P<y>20\d\d)年(?P<edge>[底末])?{_ZH_END}", _read_year),
        (rf"\b(?:with)?in\s+(?:the\s+next\s+)?(?P<n>{COUNT})\s+(?P<unit>day|week|month|quarter|year)s?\b", _read_count),
        (
            rf"(?:未来)?(?P<n>{COUNT})\s*个?(?P<unit>星期|礼拜|季度|[天日周月年])(?P<end>之?内|以内|之?后|以后|里)",
            _read_count,
        ),
    )
)
"""A form of a deadline, and what reads its words; the first that fits counts."""
