"""Days that a wish leaves out: 每天早上8点，周末除外; every trading day except Friday; never on Mondays."""

import re

from ia.faculties.schedule.rhythm import EDAY, EDAYS, JOIN, D, W
from ia.faculties.schedule.wish_text import Wish, parse_weekday
from ia.kernel.errors import BadData

_HOLIDAYS = r"(?:法定)?(?:节假日|节日|假日|假期|休市日?|非交易日)"
_ZH_DAYS = (
    rf"(?:每?个?(?:周末|{W}\s*(?P<a>{D})\s*(?:到|至|-|–|~)\s*{W}?\s*(?P<b>{D})|{W}\s*{D}(?:{D}"
    rf"|{JOIN}(?:{W})?\s*{D})*|{_HOLIDAYS})"
)
_ZH_DAYS += rf"(?:{JOIN}(?:周末|{W}\s*{D}|{_HOLIDAYS}))*)"
_EN_HOLIDAYS = r"(?:public |market |bank |exchange )?holidays?"
_EN_DAYS = (
    rf"(?:(?:the\s+)?weekends?|(?P<ea>{EDAY})s?\s*(?:-|–|to|through|thru)\s*(?P<eb>{EDAY})s?|{EDAYS}|{_EN_HOLIDAYS})"
    rf"(?:\s*(?:,|and|&|or)\s*(?:on\s+)?(?:weekends?|{EDAY}s?|{_EN_HOLIDAYS})\b)*"
)


def _zh_days(mark: str) -> str:
    return _ZH_DAYS.replace("<a>", f"<a{mark}>").replace("<b>", f"<b{mark}>")


_EXCEPTION = re.compile(
    rf"[（(]?(?:但|但是|不过)?除(?:了|去|开)?\s*(?P<zh>{_zh_days('1')})(?:以外|之外|外)?(?:都|的)?(?:的?(?P<rest>其他(?:日子|时间|时候|天)?))?[）)]?"
    rf"|[（(]?(?:但|但是|不过)?\s*(?P<zh2>{_zh_days('2')})(?:除外|不算|不用跑?|不跑|不运行|不执行|不需要|休息|跳过|免)(?:了)?[）)]?"
    rf"|[（(]?(?:但|但是|不过)?(?:不含|不包括|不包含|跳过|避开)\s*(?P<zh3>{_zh_days('3')})[）)]?"
    rf"|[(]?\b(?:but\s+)?(?:except(?:ing)?|excluding|other than|apart from|save|not|never|no|skip(?:ping)?"
    rf"|but)(?:\s+(?:for|on))?\s+"
    rf"(?P<en>{_EN_DAYS})\b[)]?(?:,?\s*(?P<otherwise>otherwise)\b)?",
    re.I,
)


class LeftOut:
    """The weekdays that a wish leaves out (0 is Sunday), and whether holidays too."""

    def __init__(self) -> None:
        self.weekdays: set[int] = set()
        self.holidays = False
        self.daily = False
        self.said = ""


def take_exceptions(said: Wish) -> LeftOut:
    """Return the days that a wish leaves out, and take them out of it."""
    out = LeftOut()
    while found := said.take_match(_EXCEPTION):
        words = found["zh"] or found["zh2"] or found["zh3"] or found["en"]
        out.said = out.said or found[0].strip("（()） ,，")
        out.daily = out.daily or bool(found["otherwise"] or found["rest"])
        _read_days(words, out)
    return out


def _read_days(words: str, out: LeftOut) -> None:
    if re.search(rf"{_HOLIDAYS}|holiday", words, re.I):
        out.holidays = True
    if re.search("周末|weekend", words, re.I):
        out.weekdays |= {0, 6}
    span = re.search(rf"{W}\s*({D})\s*(?:到|至|-|–|~)\s*{W}?\s*({D})", words) or re.search(
        rf"\b({EDAY})s?\s*(?:-|–|to|through|thru)\s*({EDAY})s?\b", words, re.I
    )
    if span:
        first, last = parse_weekday(span[1]), parse_weekday(span[2])
        out.weekdays |= {day % 7 for day in range(first, (last if last >= first else last + 7) + 1)}
        return
    for run in re.findall(rf"{W}\s*((?:{D}|{JOIN})+)", words):
        out.weekdays |= {parse_weekday(day) for day in re.findall("[一二三四五六日天1-7]", run)}
    out.weekdays |= {parse_weekday(name) for name in re.findall(rf"\b{EDAY}s?\b", words, re.I) if "weekend" not in name}


def subtract_days(days: str, left_out: LeftOut) -> str:
    """Return cron's day fields without the weekdays that are left out.

    raises  BadData where nothing is left, or where dates of a month are counted.
    """
    if not left_out.weekdays:
        return days
    day, month, week = days.split()
    if day != "*":
        raise BadData(
            "{said} cannot be combined with days of the month",
            said=left_out.said,
            hint="say it without the exception, and let the job check the weekday",
        )
    named = set(range(7)) if week == "*" else _parse_week(week)
    kept = named - left_out.weekdays
    if not kept:
        raise BadData(
            "no day is left: {said}", said=left_out.said, hint="name the days: every Monday and Friday at 9:00"
        )
    if kept == named:
        return days
    runs = sorted(kept)
    if len(runs) > 2 and runs[-1] - runs[0] == len(runs) - 1:
        return f"{day} {month} {runs[0]}-{runs[-1]}"
    return f"{day} {month} {','.join(map(str, runs))}"


def _parse_week(week: str) -> set[int]:
    days: set[int] = set()
    for part in week.split(","):
        first, _, last = part.partition("-")
        days |= {day % 7 for day in range(int(first), int(last or first) + 1)}
    return days
