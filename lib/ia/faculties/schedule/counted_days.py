"""Days that are counted: the last trading day of the month, the first Monday of a quarter, every other Friday."""

import re
from collections.abc import Callable

from ia.faculties.schedule.rhythm import EDAY, EDAYS, JOIN, MONTH, D, Maker, Rhythm, W, weekday_numbers
from ia.faculties.schedule.schedule_forms import ORDINALS, WEEKDAYS
from ia.faculties.schedule.wish_text import EN_NUMBER, MONTHS, ZH_NUMBER, parse_number, parse_weekday
from ia.kernel.errors import BadData

RULES: list[tuple[re.Pattern[str], Maker]] = []
_PERIODS = {"周": "week", "星": "week", "礼": "week", "月": "month", "季": "quarter", "年": "year"}
_KINDS = {
    "交易日": "trading day", "工作日": "weekday", "天": "day", "日": "day", "trading day": "trading day",
    "business day": "weekday", "working day": "weekday", "work day": "weekday", "workday": "weekday",
    "weekday": "weekday", "calendar day": "day", "day": "day",
}  # fmt: skip
_LAST = ("last", "final")
_NEXT_TO_LAST = ("penultimate", "next-to-last", "next to last", "second-to-last", "second to last", "second-last")


def _register(words: str) -> Callable[[Maker], Maker]:
    def register(function: Maker) -> Maker:
        RULES.append((re.compile(words, re.I), function))
        return function

    return register


_ZH_NTH = rf"(?:第\s*{ZH_NUMBER}|倒数第\s*{ZH_NUMBER}|首|最后(?:一|1)?)\s*个?"
_ZH_KIND = rf"(?:(?:[Aa]股|港股|美股)?交易日(?!记|志)|工作日|{W}\s*{D}|天(?!线)|日(?!线|均))"


@_register(
    rf"每\s*(?:个|一)?\s*(?P<per>周|星期|礼拜|月|季度?|年)\s*(?:的?(?P<mon>{ZH_NUMBER})月)?(?:月|季度?|年)?(?:初|底|末|里|中|内)?\s*的?\s*"
    rf"(?P<nth>{_ZH_NTH})(?:{JOIN}(?P<nth2>{_ZH_NTH}))?\s*的?(?P<kind>{_ZH_KIND})"
)
def _parse_ordinal_zh(found: re.Match[str]) -> Rhythm:
    kind = re.sub("[Aa]股|港股|美股", "", found["kind"])
    kind = _KINDS.get(kind) or WEEKDAYS[parse_weekday(kind[-1])]
    nths = [_parse_nth_zh(text.strip()) for text in (found["nth"], found["nth2"]) if text]
    month = parse_number(found["mon"]) if found["mon"] else 0
    return _ordinal_rhythm(found, nths, kind, _PERIODS[found["per"][0]], [month] if month else [])


def _parse_nth_zh(text: str) -> int:
    if text.startswith("首"):
        return 1
    number = re.search(ZH_NUMBER, text.removeprefix("最后"))
    count = parse_number(number[0]) if number else 1
    return -count if text.startswith(("最后", "倒数")) else count


@_register(r"每\s*(?:个|一)?\s*(?P<per>月|季度?|年)的?(?:月|季度?|年)?(?:底|末)(?:的?最后一[天日])?(?![的前之])")
def _parse_period_end_zh(found: re.Match[str]) -> Rhythm:
    return _ordinal_rhythm(found, [-1], "day", _PERIODS[found["per"][0]], [])


_EN_NTH = (
    r"(?:second[- ]to[- ]last|next[- ]to[- ]last|second-last|penultimate|first|second|third|fourth|fifth|last|final"
    r"|\d{1,3}(?:st|nd|rd|th))"
)
_EN_KIND = (
    rf"(?:(?:(?:US|HK|Chinese|hong kong)\s+)?trading days?|business days?|working days?|work ?days?|weekdays?"
    rf"|calendar days?|days?|{EDAY}s?)"
)
_EN_NTHS = rf"(?P<nth>{_EN_NTH})(?:\s*(?:,|and|&)\s*(?:the\s+)?(?P<nth2>{_EN_NTH}))?"
_EN_PERIOD = r"(?P<per>week|month|quarter|year)"


@_register(
    rf"\b(?:(?:every|each)\s+year,?\s+)?(?:on\s+)?(?:the\s+|every\s+|each\s+)?{_EN_NTHS}\s+(?P<kind>{_EN_KIND})\s+(?:of|in)\s+"
    rf"(?:(?:the|a|every|each)\s+(?:calendar\s+)?{_EN_PERIOD}\b|(?:every\s+"
    rf"|each\s+)?{MONTH}\b(?:\s+(?:every|each) year)?)"
)
def _parse_ordinal_en(found: re.Match[str]) -> Rhythm:
    if found["mon"] and not re.search(r"\b(?:every|each)\b", found[0], re.I):
        raise BadData(
            "{said}: once, or every year?", said=found[0].strip(), hint="say every year, or give the date: 2027-01-15"
        )
    return _ordinal_from_english(found)


@_register(
    rf"\b(?:(?:(?:every|each)\s+{_EN_PERIOD}|(?P<ly>weekly|monthly|quarterly|yearly|annually))\s*,?\s+on\s+(?:the\s+)?"
    rf"|(?:every|each)\s+{_EN_PERIOD.replace('per', 'per2')}'s\s+){_EN_NTHS}\s+(?P<kind>{_EN_KIND})\b"
)
def _parse_ordinal_after_period(found: re.Match[str]) -> Rhythm:
    return _ordinal_from_english(found)


def _ordinal_from_english(found: re.Match[str]) -> Rhythm:
    got = found.groupdict()
    kind = " ".join(found["kind"].casefold().split()).removesuffix("s")
    kind = "trading day" if kind.endswith("trading day") else kind
    kind = _KINDS.get(kind) or WEEKDAYS[parse_weekday(found["kind"])]
    nths = [_parse_nth_en(text) for text in (found["nth"], found["nth2"]) if text]
    month = MONTHS.index(got["mon"].casefold()) + 1 if got.get("mon") else 0
    per = (got.get("per") or got.get("per2") or got.get("ly") or "month").casefold().removesuffix("ly")
    return _ordinal_rhythm(found, nths, kind, "year" if per == "annual" else per, [month] if month else [])


def _parse_nth_en(text: str) -> int:
    word = text.casefold()
    if word in _NEXT_TO_LAST:
        return -2
    if word in _LAST:
        return -1
    return ORDINALS.index(word) + 1 if word in ORDINALS else int(word[:-2])


@_register(
    r"\b(?:at\s+|on\s+)?(?:the\s+)?end\s+of\s+(?:every|each)\s+(?P<per>month|quarter|year)\b"
    r"|\b(?:every|each)\s+(?P<per2>month|quarter|year)[- ]end\b|\bat\s+(?P<per3>month|quarter|year)[- ]end\b"
)
def _parse_period_end_en(found: re.Match[str]) -> Rhythm:
    period = (found["per"] or found["per2"] or found["per3"]).casefold()
    return _ordinal_rhythm(found, [-1], "day", period, [])


def _ordinal_rhythm(found: re.Match[str], nths: list[int], kind: str, period: str, months: list[int]) -> Rhythm:
    if period == "week" and kind not in ("trading day", "weekday"):
        raise BadData("{said} is ambiguous", said=found[0].strip(), hint="name the day: every Monday at 9:00")
    made = Rhythm(*found.span(), period=f"{period}ly", trading=kind == "trading day")
    if kind == "day" and all(nth > 0 for nth in nths) and (len(nths) == 1 or period == "month"):
        every = {"month": "*", "quarter": "1,4,7,10", "year": "1"}[period]
        if period == "month" or nths == [1]:
            if max(nths) > 28:
                raise BadData(
                    "not every month has a day {day}", day=max(nths), hint="use the last day of the month, or the 28th"
                )
            made.days = f"{','.join(map(str, sorted(nths)))} {months[0] if months else every} *"
            return made
    where = MONTHS[months[0] - 1] if months else period
    made.counted = tuple(f"{_format_nth(nth)} {kind} of {where}" for nth in nths)
    return made


def _format_nth(nth: int) -> str:
    if nth == -1:
        return "last"
    number = abs(nth)
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    word = ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}{ending}"
    return word if nth > 0 else f"{word}-last"


# every other week


@_register(
    rf"(?:每?\s*间?隔\s*(?:一|1)?\s*个?|双|每\s*(?P<n>{ZH_NUMBER})\s*个?){W}\s*(?:的|在|逢)?\s*(?:每?{W})?\s*"
    rf"(?P<d>{D}(?:{D}|{JOIN}(?:{W})?\s*{D})*)"
)
def _parse_weeks_zh(found: re.Match[str]) -> Rhythm:
    number = parse_number(found["n"]) if found["n"] else 2
    return _weeks_rhythm(found, number, weekday_numbers(re.findall(r"[一二三四五六日天1-7]", found["d"])))


@_register(
    rf"\b(?:every|each)\s+(?P<nth>other|second|2nd|third|fourth|fifth|3rd|4th)\s+(?P<d>{EDAYS})(?!\w|\s+(?:of|in)\s)"
    rf"|\b(?:every|each)\s+(?P<n>{EN_NUMBER})[ -]?weeks?,?\s+(?:on\s+)?(?P<d2>{EDAYS})(?!\w)"
    rf"|\b(?:bi-?weekly|fortnightly|every fortnight),?\s+(?:on\s+)?(?P<d3>{EDAYS})(?!\w)"
    rf"|\b(?:on\s+)?alternate\s+(?P<d4>{EDAYS})(?!\w)"
)
def _parse_weeks_en(found: re.Match[str]) -> Rhythm:
    if found["nth"] and found["nth"].casefold() not in ("other", "second", "2nd"):
        raise BadData(
            "{said} is ambiguous",
            said=found[0].strip(),
            hint="say the third Friday of the month, or every 3 weeks on Friday",
        )
    names = found["d"] or found["d2"] or found["d3"] or found["d4"]
    number = parse_number(found["n"]) if found["n"] else 2
    return _weeks_rhythm(found, number, weekday_numbers(re.findall(rf"\b{EDAY}", names, re.I)))


def _weeks_rhythm(found: re.Match[str], number: int, days: list[int]) -> Rhythm:
    if number == 1:
        return Rhythm(*found.span(), days=f"* * {','.join(map(str, days))}", period="weekly")
    return Rhythm(*found.span(), period="weekly", weeks=number, weekdays=tuple(days))
