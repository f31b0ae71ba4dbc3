"""Which days a question means: every word of time in it, in Chinese and in English.

A word of time that is not understood is returned, too: whoever answers asks back instead of answering for another day.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from ia.agent.analyst.ask.dates import MONTHS, add_months, make_day, month_end, parse_date
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

DAY, RANGE, SINCE, SESSIONS, EVER, FUTURE, UNREAD = "day", "range", "since", "sessions", "ever", "future", "unread"
"""Kinds of spans. SINCE begins with the close of its first day, RANGE with the last close before it."""
YEAR = 250
"""Sessions of 52 weeks."""
MOST = 100_000
"""The longest that is counted back, in any unit."""


@dataclass(frozen=True, kw_only=True)
class TimeSpan:
    """A stretch of time that a text names.

    first, last  calendar days, both included; first is None where `sessions` are counted back from the newest bar
    said         the words
    at           where they stand in the text
    days         whether it is named by its first and last day
    """

    kind: str
    said: str
    at: tuple[int, int]
    first: date | None = None
    last: date | None = None
    sessions: int = 0
    days: bool = False


def find_time_spans(text: str, today: date) -> list[TimeSpan]:
    """Return the stretches of time that a text names, in its order. Words of time that cannot be read are `UNREAD`.

    >>> day = date(2024, 3, 15)
    >>> [(s.kind, str(s.first), str(s.last)) for s in find_time_spans("茅台昨天收盘价", day)]
    [('day', '2024-03-14', '2024-03-14')]
    >>> [(s.kind, str(s.first), s.sessions) for s in find_time_spans("最近一周涨幅, the last 3 months, 近5天", day)]
    [('since', '2024-03-08', 0), ('since', '2023-12-15', 0), ('sessions', 'None', 5)]
    >>> [(s.kind, str(s.first), str(s.last)) for s in find_time_spans("How much did it rise since March 1?", day)]
    [('since', '2024-03-01', '2024-03-15')]
    >>> [(str(s.first), str(s.last)) for s in find_time_spans("from November to February", day)]
    [('2023-11-01', '2024-02-29')]
    >>> [s.kind for text in ("from March 12 to March 5", "3月到1月") for s in find_time_spans(text, day)]
    ['unread', 'unread']
    >>> [s.kind for s in find_time_spans("the price at half past nine", day)]
    ['unread']
    >>> [s.kind for text in ("profit before March 1", "从买入到3月1日为止") for s in find_time_spans(text, day)]
    ['unread', 'unread']
    >>> [(s.kind, str(s.first)) for s in find_time_spans("its high after February 20", day)]
    [('range', '2024-02-21')]
    """
    low = text.casefold()
    if len(low) != len(text):
        low = text.lower() if len(text.lower()) == len(text) else text
    found: list[TimeSpan] = []
    for form, read in _load_forms():
        for match in form.finditer(low):
            if any(match.start() < span.at[1] and span.at[0] < match.end() for span in found):
                continue
            span = read(match, today)
            if span is not None:
                found.append(_bound(_begin_with(span, low, today), low, today))
    return _join_ends(sorted(found, key=lambda span: span.at), low, today)


_UNTIL = pattern(r"\s*(?:to|till|until|through|up to|and|到|至|~|-|–|—)\s*(?:the )?")


def _join_ends(spans: list[TimeSpan], text: str, today: date) -> list[TimeSpan]:
    """Return stretches in their order, a day and the day up to which it goes as one: from 2 January till end of May."""
    joined: list[TimeSpan] = []
    for span in spans:
        before = joined[-1] if joined else None
        if before and span.at[1] <= before.at[1]:
            continue  # 1 February in between 1 February and the end of it
        if before is None or before.first is None or before.kind not in (DAY, SINCE) or span.last is None:
            joined.append(span)
            continue
        gap = text[before.at[1] : span.at[0]]
        bound = span.kind == UNREAD and not gap.strip()
        linked = span.kind in (DAY, RANGE) and _UNTIL.fullmatch(gap) and "and" not in gap
        if (bound or (linked and before.kind == DAY)) and before.first < min(span.last, today):
            at = (before.at[0], span.at[1])
            said = text[at[0] : at[1]].strip()
            joined[-1] = TimeSpan(
                kind=RANGE, said=said, at=at, first=before.first, last=min(span.last, today), days=True
            )
        else:
            joined.append(span)
    return joined


def blank_spans(text: str, spans: Iterable[TimeSpan], put: str = " ") -> str:
    """Return a text of the same length with blanks for stretches of time, wherever they stand in it.

    >>> blank_spans("Did it fall in March 2023?", find_time_spans("Did it fall in March 2023?", date(2024, 3, 15)))
    'Did it fall              ?'
    """
    for span in spans:
        begin, end = span.at
        text = text[:begin] + put * (end - begin) + text[end:]
    return text


_FROM = pattern(r"(?:\b(?:since|from|starting)(?: (?:the|about|around))?\s*|自从?|从|打从)\Z")
_FIRST_DAY = pattern(r"初|第一天|start|beginning|turn")
_UNTIL_NOW = pattern(
    r"\s*(?:的?(?:收盘|开盘))?\s*(?:以来|至今|起(?!伏|点|来|色)|开始|到现在|到今(?!年)[天日]?|到目前"
    r"|(?:to|until|till|through) (?:now|today|date)\b)"
)


def _begin_with(span: TimeSpan, text: str, today: date) -> TimeSpan:
    """Return a time that a stretch up to now begins with as that stretch: "since last Friday", "上周以来"."""
    if span.kind not in (DAY, RANGE) or span.first is None or span.first > today or span.last == today:
        return span
    if compared := _find_compared(span, text, today):
        return compared
    begun, ended = _FROM.search(text[: span.at[0]]), _UNTIL_NOW.match(text, span.at[1])
    if ended is None and (begun is None or re.match(r"\s*(?:低|高|最|年?[低高]点|to\b|到|至)", text[span.at[1] :])):
        return span
    if ended is None and begun is not None and not re.match(r"since|自", begun[0]):
        return span
    at = (begun.start() if begun else span.at[0], ended.end() if ended else span.at[1])
    kind = SINCE if span.kind == DAY and not _FIRST_DAY.search(span.said) else RANGE
    return TimeSpan(kind=kind, said=text[at[0] : at[1]].strip(), at=at, first=span.first, last=today)


_BOUNDED = pattern(
    r"\b(?:(?P<after>after)|before|prior to|until|till|up (?:to|until|till)|through"
    r"|between\s+(?!and\b)\S.{0,40}?\s+and)\s+(?:the\s+)?(?:end of\s+)?\Z|截[至止]到?\Z"
)
_BOUNDED_ZH = pattern(r"\s*(?:之前|以前|为止|前(?=[，,。？?的我]|\Z))")


def _bound(span: TimeSpan, text: str, today: date) -> TimeSpan:
    """Return the days after a time, up to now, where it says so; a bound whose other end is not known is unread."""
    if span.kind not in (DAY, RANGE) or span.first is None or span.last is None:
        return span
    begun, ended = _BOUNDED.search(text[: span.at[0]]), _BOUNDED_ZH.match(text, span.at[1])
    if begun is None and ended is None:
        return span
    at = (begun.start() if begun else span.at[0], ended.end() if ended else span.at[1])
    said = text[at[0] : at[1]].strip()
    if begun and begun["after"]:
        following = span.last + timedelta(days=1)
        return TimeSpan(kind=RANGE, said=said, at=at, first=following, last=today) if following <= today else span
    word = (ended or begun or [""])[0].strip()
    if word.startswith("between"):
        inner = re.sub(r"\s+and\s*(?:the\s+)?(?:end of\s+)?$", "", word[len("between") :])
        begun_by = [each for each in find_time_spans(inner, today) if each.kind in (DAY, RANGE)]
        first = begun_by[0].first if len(begun_by) == 1 else None
        if first is None or first > span.last:
            return TimeSpan(kind=UNREAD, said=said, at=at)
        return TimeSpan(kind=RANGE, said=said, at=at, first=first, last=min(span.last, today), days=True)
    excluded = word.startswith(("before", "prior", "之前", "以前", "前"))
    return TimeSpan(
        kind=UNREAD, said=said, at=at, last=span.first - timedelta(days=1) if excluded else min(span.last, today)
    )


_THAN = pattern(
    r"(?:\bthan(?: (?:it (?:was|did|closed|traded)|on|at|in|its (?:close|price)))*(?: (?:on|at|in|of))?\s*|[比较]起?)\Z"
)
_MOVED = pattern(
    r"\s*(?:的?(?:收盘|股)?价?)?\s*(?:相比|比)?[,，]?\s*(?:是|要|又|已经?|一共|总共|累计)?(?:上|下)?"
    r"(?:[涨跌]|[高低]了|便宜了|贵了)"
)
_HIGHER = pattern(r"\b(?:higher|lower|up|down|more expensive|cheaper|dearer)\b")
_OTHER_FIGURE = pattern(
    r"量|成交|市[盈净]率|振幅|换手|估值|波动|均|盈利|利润|营收|毛利|增速"
    r"|\b(?:volume|turnover|p/?e|p/?b|range|volatil\w*|average|profit|revenue|earnings|margin|yield|highs?|lows?|highest|lowest|more|less)\b"
    r"|(?:'s|’s|的)\s*(?!close|price|share|stock)[a-z]{2,}"
)


def _find_compared(span: TimeSpan, text: str, today: date) -> TimeSpan | None:
    """Return the stretch since a day whose price is held against that of now: 比3月1日涨了, higher than on March 1."""
    begun = _THAN.search(text[: span.at[0]])
    if begun is None or span.kind != DAY or _OTHER_FIGURE.search(text):
        return None
    moved = _HIGHER.search(text) if begun[0].startswith("than") else _MOVED.match(text, span.at[1])
    if moved is None:
        return None
    at = (begun.start(), span.at[1])
    return TimeSpan(kind=SINCE, said=text[at[0] : at[1]].strip(), at=at, first=span.first, last=today)


def is_comparison(span: TimeSpan) -> bool:
    """Return True if a stretch is since a day whose price that of now is held against."""
    return span.kind == SINCE and re.match(r"比|较|than\b", span.said) is not None


EXCEPTION = pattern(
    r"除了|除去|不含|不包括|(?<!算)不算|以外|之外|排除|比(?=昨|前[天一]|上个?[周月年]|去年|[年月周]初|今)"
    r"|\b(?:except|excluding|other than|without|apart from|than (?:yesterday|last))\b",
    re.I,
)
"""Words that make an exception, or a comparison of two times, which no figure can heed."""
_ZH_WEEKDAY = "一二三四五六日天"
_EN_WEEKDAY = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _span(
    match: re.Match[str], kind: str, first: date | None = None, last: date | None = None, sessions: int = 0
) -> TimeSpan:
    if first and last and first > last:
        kind = UNREAD
    return TimeSpan(kind=kind, said=match[0].strip(), at=match.span(), first=first, last=last, sessions=sessions)


def _unread(match: re.Match[str], today: date) -> TimeSpan:
    return _span(match, UNREAD)


def _read_two(match: re.Match[str], today: date) -> TimeSpan:
    first, last = parse_date(match["first"].strip(), today), parse_date(match["last"].strip(), today)
    if match["year"] and re.search(r"\d{4}", match["first"] + match["last"]):
        return _span(match, UNREAD)  # a year is named twice
    if match["year"] and first and last:
        year = today.year - (match["year"].casefold() == "last")
        first, last = make_day(year, first.month, first.day), make_day(year, last.month, last.day)
    if first and last and first > last and not re.search(r"\d{4}", match[0]):
        return _span(match, UNREAD)  # both are past, and the end is before the beginning
    if first and last and first > last and not re.search(r"\d{4}", match["first"]):
        first = make_day(last.year - (first.replace(year=last.year) > last), first.month, first.day)
    if (
        first
        and last
        and re.search(r"\d{4}|[去前]年", match["first"])
        and not re.search(r"\d{4}|[今去前]年", match["last"])
    ):
        last = make_day(first.year + ((last.month, last.day) < (first.month, first.day)), last.month, last.day)
    if first and last and today <= first < last:
        return replace(_span(match, FUTURE, first, last), days=True)
    return replace(_span(match, RANGE, first, min(last, today)), days=True) if first and last else _span(match, UNREAD)


_LINKED = pattern(rf"(?:[\d年月日号初末底起]|\b(?:{'|'.join(MONTHS)})[a-z]*)\W*\Z", re.I)
"""What stands before the second of two days or months."""


def _read_until(match: re.Match[str], today: date) -> TimeSpan | None:
    """Return the stretch from today to a day ahead that a question names: before the middle of April; None for others.

    >>> day = date(2024, 3, 15)
    >>> texts = ("before the middle of April", "until April 12", "4月底前", "before March", "by the end of this month")
    >>> [str(span.last) for text in texts for span in find_time_spans(text, day) if span.kind == FUTURE]
    ['2024-04-15', '2024-04-12', '2024-04-30', '2024-03-31']
    """
    if _LINKED.search(match.string[: match.start()]):
        return None
    groups, said = match.groupdict(), match[0].strip()
    excluded = said.startswith("before") or said.endswith("前")
    if named := groups.get("date"):
        last = parse_date(named.strip(), today)
        last = last - timedelta(days=1) if last and excluded else last
    else:
        last = _end_of_part(groups["month"], groups.get("year"), groups.get("part") or "", today, excluded=excluded)
    return _span(match, FUTURE, today, last) if last and last > today else None


def _end_of_part(said: str, year: str | None, part: str, today: date, *, excluded: bool) -> date | None:
    """Return the last day before or up to a month, quarter or year, or a part of one; None for a month that is over."""
    first, ahead = today.replace(day=1), int(said.startswith(("next", "下")))
    if re.search(r"week|周|星期|礼拜", said):
        first = today + timedelta(days=7 * ahead - today.weekday())
        last = first + timedelta(days=6)
    elif "year" in said or "年" in said:
        first, last = date(today.year + ahead, 1, 1), date(today.year + ahead, 12, 31)
    elif "quarter" in said:
        first = add_months(date(today.year, (today.month - 1) // 3 * 3 + 1, 1), 3 * ahead)
        last = month_end(add_months(first, 2))
    elif said in ("month", "next month", "本月", "月") or said.startswith("这"):
        first = add_months(first, ahead)
        last = month_end(first)
    else:
        first = date(int(year) if year else today.year, _month_number(said.removesuffix("份").removesuffix("月")), 1)
        last = month_end(first)
    if re.search(r"mid|中", part):
        days = (last - first).days
        return first + timedelta(days=14 if 27 <= days <= 30 else days // 2)
    if re.search(r"start|begin|初", part) or (excluded and not part):
        return first - timedelta(days=1)
    return last


def _read_two_days(match: re.Match[str], today: date) -> TimeSpan:
    """Return the stretch from a day up to another day of the same month, whose month is said once or not at all."""
    month = match["month"]
    begun = re.search(r"\d+|[一二三四五六七八九十]+", month or "")
    number = (
        _month_number(begun[0]) if begun and "月" in month else _month_number(month.strip()) if month else today.month
    )
    if not 1 <= number <= 12:
        return _span(match, UNREAD)
    first, last = (make_day(today.year, number, int(match[end])) for end in ("begin", "end"))
    if first and last and last > today:
        before = add_months(first.replace(day=1), -12 if month else -1)
        earlier = (make_day(before.year, before.month, int(match[end])) for end in ("begin", "end"))
        first, last = earlier if not month or first > today else (first, today)
    return replace(_span(match, RANGE, first, last), days=True) if first and last else _span(match, UNREAD)


def _read_since(match: re.Match[str], today: date) -> TimeSpan:
    day = parse_date(match["date"].strip(), today)
    return _span(match, SINCE, day, today) if day and day <= today else _span(match, UNREAD)


def _read_date(match: re.Match[str], today: date) -> TimeSpan:
    day = parse_date(match["date"].strip(), today)
    if day is None:
        return _span(match, UNREAD)
    return _span(match, DAY if day <= today else FUTURE, day, day)


_WEEKDAY = pattern(
    r"(?:周|星期|礼拜)([一二三四五六日天])|\b(mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|r|rs|rsday|urday)?\b"
)


def _read_weekday_date(match: re.Match[str], today: date) -> TimeSpan:
    """Return the day of a date that its weekday is said of; another weekday than that of the date is unread."""
    day, said = parse_date(match["date"].strip(), today), _WEEKDAY.search(match[0])
    if day is None or said is None:
        return _span(match, UNREAD)
    number = _ZH_WEEKDAY.index(said[1]) if said[1] else _EN_WEEKDAY.index(said[2])
    fits = day.weekday() == min(number, 6)
    return _span(match, (DAY if day <= today else FUTURE) if fits else UNREAD, day, day)


def _read_day_of_month(match: re.Match[str], today: date) -> TimeSpan:
    day = make_day(today.year, today.month, int(match["n"]))
    if day is None or day > today:
        before = add_months(today.replace(day=1), -1)
        day = make_day(before.year, before.month, int(match["n"]))
    return _span(match, DAY, day, day) if day else _span(match, UNREAD)


def _year_of(said: str | None, today: date) -> int:
    if not said:
        return today.year
    word = said.strip()
    relative = {"今年": 0, "本年": 0, "去年": 1, "前年": 2, "大前年": 3, "this year": 0, "last year": 1}
    if word in relative:
        return today.year - relative[word]
    number = re.search(r"\d{4}|(?<!\d)\d{2}", word)
    if number is None:
        return today.year
    return int(number[0]) if len(number[0]) == 4 else 2000 + int(number[0])


_ORDINALS = {"一": 1, "二": 2, "三": 3, "四": 4, "first": 1, "second": 2, "third": 3, "fourth": 4}


def _read_quarter(match: re.Match[str], today: date) -> TimeSpan:
    said = match["q"]
    quarter = _ORDINALS.get(said) or int(said)
    year = _year_of(match["year"] or match["after"], today)
    first = date(year, quarter * 3 - 2, 1)
    if first > today and not (match["year"] or match["after"]):
        first = date(year - 1, quarter * 3 - 2, 1)
    return _limit_range(match, first, month_end(add_months(first, 2)), today)


def _read_near_quarter(match: re.Match[str], today: date) -> TimeSpan:
    first = date(today.year, (today.month - 1) // 3 * 3 + 1, 1)
    if re.match(r"上|last|previous", match[0]):
        first = add_months(first, -3)
    return _limit_range(match, first, month_end(add_months(first, 2)), today)


def _read_half(match: re.Match[str], today: date) -> TimeSpan:
    second = bool(re.search(r"下半年|second|h2|2h", match[0]))
    said = match["year"] or match["after"]
    first = date(_year_of(said, today), 7 if second else 1, 1)
    if first > today and not said:
        first = first.replace(year=first.year - 1)
    return _limit_range(match, first, month_end(add_months(first, 5)), today)


def _read_nine_months(match: re.Match[str], today: date) -> TimeSpan:
    """Return the first nine months of a year, those that are over where none is named."""
    said = match["year"] or match["after"]
    year = _year_of(said, today)
    if not said and date(year, 9, 30) >= today:
        year -= 1
    return _limit_range(match, date(year, 1, 1), date(year, 9, 30), today)


def _limit_range(match: re.Match[str], first: date, last: date, today: date) -> TimeSpan:
    """Return a range up to today; one that begins later is in the future."""
    if first > today:
        return _span(match, FUTURE, first, last)
    return _span(match, RANGE, first, min(last, today))


def _month_number(said: str) -> int:
    if said[:3] in MONTHS:
        return MONTHS.index(said[:3]) + 1
    return int(said) if said.isdigit() else int(parse_count(said) or 0)


def _read_month_half(match: re.Match[str], today: date) -> TimeSpan:
    number = _month_number(match["month"])
    if not 1 <= number <= 12:
        return _span(match, UNREAD)
    first = date(_year_of(match["year"], today), number, 1)
    if first > today and not match["year"]:
        first = first.replace(year=first.year - 1)
    if match["half"].startswith(("下", "second", "2nd")):
        return _limit_range(match, first.replace(day=16), month_end(first), today)
    weeks = re.search(r"week|周|星期|礼拜", match["half"])
    last = 15 if not weeks else 14 if re.search(r"two|[2两二]", match["half"]) else 7
    return _limit_range(match, first, first.replace(day=last), today)


def _read_month(match: re.Match[str], today: date) -> TimeSpan | None:
    groups = match.groupdict()
    if groups.get("month") == "may" and not re.search(
        r"\bin may\b|\bmay \d{4}|\bsince may\b|\bfor may\b|\blast may\b", match[0]
    ):
        return None
    number = _month_number(match["month"])
    if not 1 <= number <= 12:
        return _span(match, UNREAD)
    said = groups.get("year") or groups.get("after")
    first = date(_year_of(said, today), number, 1)
    if first > today and not said:
        first = first.replace(year=first.year - 1)
    until = groups.get("until")
    if groups.get("since") and not until:
        return _span(match, RANGE, first, today)
    last = first
    if until:
        other = _month_number(until)
        if not 1 <= other <= 12:
            return _span(match, UNREAD)
        last = date(first.year + (other < number), other, 1)
        if not said and last > today and other < number:
            return _span(match, UNREAD)  # both are past, and the end is before the beginning
    return _limit_range(match, first, month_end(last), today)


def _read_year(match: re.Match[str], today: date) -> TimeSpan:
    year = _year_of(match["year"], today)
    until = re.search(r"\d{4}", match["until"] or "") if "until" in match.re.groupindex else None
    if "since" in match.re.groupindex and match["since"]:
        return _span(match, RANGE, date(year, 1, 1), today)
    return _limit_range(match, date(year, 1, 1), date(int(until[0]) if until else year, 12, 31), today)


def _read_to_date(match: re.Match[str], today: date) -> TimeSpan:
    said = match[0]
    if re.search(r"周|星期|礼拜|week|wtd", said):
        return _span(match, RANGE, today - timedelta(days=today.weekday()), today)
    if re.search(r"月|month|mtd", said):
        return _span(match, RANGE, today.replace(day=1), today)
    return _span(match, RANGE, date(today.year, 1, 1), today)


def _read_near_week(match: re.Match[str], today: date) -> TimeSpan:
    back = 2 if match[0].startswith(("上上", "the week before last", "week before last")) else 1
    monday = today - timedelta(days=today.weekday() + 7 * back)
    return _span(match, RANGE, monday, monday + timedelta(days=6))


def _read_near_month(match: re.Match[str], today: date) -> TimeSpan:
    back = 2 if match[0].startswith(("上上", "the month before last", "month before last")) else 1
    first = add_months(today.replace(day=1), -back)
    return _span(match, RANGE, first, month_end(first))


def _read_weekday(match: re.Match[str], today: date) -> TimeSpan:
    said = match["day"]
    number = _ZH_WEEKDAY.index(said) if said in _ZH_WEEKDAY else _EN_WEEKDAY.index(said[:3])
    number = min(number, 6)
    monday = today - timedelta(days=today.weekday())
    prefix = (match["which"] or "").strip()
    if prefix in ("上上个", "上上"):
        day = monday + timedelta(days=number - 14)
    elif prefix in ("上个", "上") or (prefix == "last" and "week" in match[0]):
        day = monday + timedelta(days=number - 7)
    elif prefix in ("本", "这", "这个", "this"):
        day = monday + timedelta(days=number)
    elif prefix in ("下", "下个", "next"):
        day = monday + timedelta(days=number + 7)
    else:
        back = (today.weekday() - number) % 7
        day = today - timedelta(days=back or (7 if prefix in ("last", "past", "previous") else 0))
    return _span(match, DAY if day <= today else FUTURE, day, day)


def _read_week_days(match: re.Match[str], today: date) -> TimeSpan | None:
    """Return the days from a weekday to a later one: of the week that is named, else the last ones that have begun.

    Two weekdays joined by "and" are two days, unless they stand after "between".
    """
    said = match[0].casefold()
    if " and " in said and not said.startswith("between"):
        return None
    numbers = [
        (_ZH_WEEKDAY.index(day) if day in _ZH_WEEKDAY else _EN_WEEKDAY.index(day[:3].casefold()))
        for day in (match["begin"], match["end"])
    ]
    begin, end = (min(number, 6) for number in numbers)
    if begin >= end:
        return _span(match, UNREAD)
    monday = today - timedelta(days=today.weekday())
    if re.search(r"上|last", said) or (not re.search(r"本|这|this", said) and begin > today.weekday()):
        monday -= timedelta(days=7)
    first, last = monday + timedelta(days=begin), min(monday + timedelta(days=end), today)
    return _span(match, FUTURE if first > today else RANGE, first, last)


_NAMED_DAYS = {"大前": 3, "前": 2, "昨": 1, "今": 0, "当": 0}


def _read_named_day(match: re.Match[str], today: date) -> TimeSpan:
    said = match[0]
    back = next((count for word, count in _NAMED_DAYS.items() if said.startswith(word)), None)
    if back is None:
        back = 2 if "before" in said else 1 if said.startswith(("yesterday", "last night")) else 0
    day = today - timedelta(days=back)
    return _span(match, DAY, day, day)


def _read_session_before(match: re.Match[str], today: date) -> TimeSpan:
    return _span(match, DAY, None, None, 1)


def _read_edge(match: re.Match[str], today: date) -> TimeSpan:
    """Return the first or the last day of a year, quarter, month or week; the coming one of "the end of the year"."""
    said = match["period"].strip()
    last_day = bool(re.search(r"底|末|最后|\bend\b", match[0]))
    if re.search(r"周|星期|礼拜|week", said):
        monday = today - timedelta(days=today.weekday() + (7 if re.search(r"上|last|previous", said) else 0))
        day = monday + timedelta(days=6) if last_day else monday
    elif re.search(r"季|quarter", said):
        first = add_months(date(today.year, (today.month - 1) // 3 * 3 + 1, 1), -3 * bool(re.search(r"上|last", said)))
        day = month_end(add_months(first, 2)) if last_day else first
    elif month := re.search(r"(?<!\d)(1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月", said):
        first = date(_year_of(match["year"], today), _month_number(month[1]), 1)
        if first > today and not match["year"]:
            first = first.replace(year=first.year - 1)
        day = month_end(first) if last_day else first
    elif "月" in said or "month" in said:
        first = add_months(today.replace(day=1), -int(bool(re.search(r"上|last|previous", said))))
        day = month_end(first) if last_day else first
    elif named := re.search(rf"\b({'|'.join(MONTHS)})", said):
        first = date(_year_of(match["year"], today), _month_number(named[1]), 1)
        if first > today and not match["year"]:
            first = first.replace(year=first.year - 1)
        day = month_end(first) if last_day else first
    else:
        back = 1 if said.startswith("去") else 2 if said.startswith("前") else 0
        year = today.year - back if back else _year_of(said, today)
        day = date(year, 12, 31) if last_day else date(year, 1, 1)
    return _span(match, DAY if day <= today else FUTURE, day, day)


def _read_ago(match: re.Match[str], today: date) -> TimeSpan:
    if match[0].startswith("去年"):
        day = make_day(today.year - 1, today.month, min(today.day, 28) if today.month == 2 else today.day)
        return _span(match, DAY, day, day) if day else _span(match, UNREAD)
    count, unit = parse_count(match["n"]), match["unit"]
    if not count:
        return _span(match, UNREAD)
    if "交易日" in unit or "session" in unit or "trading" in unit:
        whole = count == int(count) and count <= MOST
        return _span(match, DAY, None, None, int(count)) if whole else _span(match, UNREAD)
    day = _back(today, count, unit)
    return _span(match, DAY, day, day) if day else _span(match, UNREAD)


def _read_year_back(match: re.Match[str], today: date) -> TimeSpan:
    day = _back(today, 1, "year")
    return _span(match, SINCE, day, today)


def _back(today: date, count: float, unit: str) -> date | None:
    """Return the day so many days, weeks, months or years before; None where there is none."""
    if count > MOST:
        return None
    days = 1 if unit[0] in "日天d" else 7 if re.search(r"周|星期|礼拜|^w", unit) else 0
    if days:
        back = round(count * days)
        return today - timedelta(days=back) if back == count * days and back < today.toordinal() else None
    months = count * (12 if "年" in unit or unit[0] == "y" else 3 if "季" in unit or unit[0] == "q" else 1)
    if months != int(months):
        return None
    if months > today.year * 12 - 12:
        return None
    first = add_months(today.replace(day=1), -int(months))
    return first.replace(day=min(today.day, month_end(first).day))


def _read_lately(match: re.Match[str], today: date) -> TimeSpan:
    said, unit = (match["n"] or "").strip(), match["unit"].strip()
    count = parse_count(said) if said else 1.0
    if not count:
        return _span(match, UNREAD)
    if count > MOST:
        return _span(match, UNREAD)
    if re.match(r"个?交易日|[日天根]|bar|day|session|trading", unit):
        return _span(match, SESSIONS, None, today, round(count)) if count >= 1 else _span(match, UNREAD)
    day = _back(today, count, unit)
    return _span(match, SINCE, day, today) if day else _span(match, UNREAD)


def _read_year_of_weeks(match: re.Match[str], today: date) -> TimeSpan:
    return _span(match, SESSIONS, None, today, YEAR)


def _read_ever(match: re.Match[str], today: date) -> TimeSpan:
    return _span(match, EVER, None, today)


def _read_future(match: re.Match[str], today: date) -> TimeSpan:
    days = {"明天": 1, "明日": 1, "后天": 2, "tomorrow": 1}
    back = next((count for word, count in days.items() if match[0].startswith(word)), 0)
    day = today + timedelta(days=back) if back else None
    return _span(match, FUTURE, day, day)


_READERS: dict[str, Callable[[re.Match[str], date], TimeSpan | None]] = {
    "two": _read_two,
    "until": _read_until,
    "two_days": _read_two_days,
    "since": _read_since,
    "date": _read_date,
    "weekday_date": _read_weekday_date,
    "quarter": _read_quarter,
    "near_quarter": _read_near_quarter,
    "nine_months": _read_nine_months,
    "half": _read_half,
    "month_half": _read_month_half,
    "month": _read_month,
    "to_date": _read_to_date,
    "week_days": _read_week_days,
    "weekday": _read_weekday,
    "near_week": _read_near_week,
    "near_month": _read_near_month,
    "year": _read_year,
    "named_day": _read_named_day,
    "session_before": _read_session_before,
    "edge": _read_edge,
    "ago": _read_ago,
    "year_back": _read_year_back,
    "year_of_weeks": _read_year_of_weeks,
    "lately": _read_lately,
    "ever": _read_ever,
    "future": _read_future,
    "unread": _unread,
    "day_of_month": _read_day_of_month,
}


@cache
def _load_forms() -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], TimeSpan | None]], ...]:
    """Return the forms of time_forms.tsv with their readers."""
    fragments, forms = {"count": COUNT}, []
    with open(os.path.join(os.path.dirname(__file__), "time_forms.tsv"), encoding="utf-8") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            name, kind, text = line.rstrip("\n").split("\t")
            whole = re.sub(r"@(\w+)@", lambda found: fragments[found[1]], text)
            if kind == "fragment":
                fragments[name] = whole
            else:
                forms.append((pattern_by_letters(whole), _READERS[name]))
    return tuple(forms)
