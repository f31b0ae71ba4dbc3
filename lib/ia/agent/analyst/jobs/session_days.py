"""Days that only the calendar of an exchange knows: the first session of a month, the last one before a holiday."""

import re
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from ia.agent.analyst.ask.holidays import Holiday, holiday_table
from ia.agent.analyst.ask.time_spans import find_time_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.kernel.patterns import pattern

_WINDOW = 45
"""Sessions asked for after the first day around a holiday."""
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_PERIOD_EN = (
    rf"(?:(?:the |this |last |previous )?(?:year|quarter|month|week)|{_MONTH}(?: (?:19|20)\d\d)?|(?:19|20)\d\d)"
)
_PERIOD_ZH = (
    r"(?:(?:(?:19|20)\d\d年|去年|今年|前年)?(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?"
    r"|(?:(?:19|20)\d\d年|去年|今年|前年|年)|上个?月|本月|这个?月|月|上个?季度|本季度|上周|本周|这周)"
)
_EDGE = pattern(
    rf"(?P<zh>{_PERIOD_ZH})[初里末底]?的?(?P<edge>首个?|第一个|头一个|最后一?个?|末个?)(?:交易|收盘|开盘)日"
    r"|\b(?:(?:on|at) )?(?:the )?(?P<first>first|last|final) (?:trading |business )?(?:day|session) (?:of|in)"
    rf" (?P<en>{_PERIOD_EN})\b"
    rf"|\b(?P<whose>{_PERIOD_EN})'s (?P<its>first|last|final) (?:trading |business )?(?:day|session)\b",
    re.I,
)
"""The first or the last session of a period."""
_MONTH_END = pattern(r"\b(?:at |as of |by )?(?:the )?(?:last )?(?P<unit>month|quarter|year)[- ]end\b(?! of)", re.I)
_AROUND = (
    r"(?:(?P<y1>(?:19|20)\d\d|去年|今年|前年)年?的?)?(?P<zh>{holiday})(?:长假|假期|休市|节)?(?:之|以)?"
    r"(?P<side>后至今|以来|至今|前|后)的?(?:(?P<edge>首个?|第一个|最后一?个?)(?:交易|收盘)?日)?"
    r"|\b(?P<first>(?:on )?the (?:first|last) (?:trading )?(?:day|session) )?"
    r"(?P<word>before|after|since|following|ahead of)"
    r" (?:the )?(?:(?P<y2>(?:19|20)\d\d|last year's|this year's) )?(?P<en>{holiday})(?: holidays?)?"
    r"(?:,? (?:of |in )?(?P<y3>(?:19|20)\d\d))?\b"
)
_SIDE = pattern(r"[前后]|以来|至今|\b(?:before|after|since|following|ahead)\b", re.I)
_LEVEL = pattern(r"价|多少钱|收盘|开盘|\b(?:price|close|open|high|low)\b", re.I)
_OVER_TIME = pattern(
    r"涨|跌|最[高低大]|[高低]点|均|回撤|波动|表现|走势"
    r"|\b(?:ris\w+|rose|f[ae]ll\w*|gain\w*|los[et]|moved?|return\w*|chang\w+|perform\w*|highest|lowest|average|up|down|done|do|did)\b",
    re.I,
)


class _Closure(NamedTuple):
    """A holiday that shut an exchange: the last session before it, and the first one after it."""

    before: str
    after: str


def resolve_session_days(desk: ToolDesk, words: str, market: str) -> Work[str]:
    """Return a question with the dates of the sessions that it names in words: the first session of March.

    What the calendar does not tell stays as it is, and is asked back later.
    """
    today = desk.request.moment.date()
    for match in reversed(list(_EDGE.finditer(words))):
        period = match["zh"] or match["en"] or match["whose"]
        first = not re.search(r"最后|末|last|final", match["edge"] or match["first"] or match["its"] or "", re.I)
        day = yield from _find_edge(desk, period, first, market)
        words = words[: match.start()] + _place(words, match, day) + words[match.end() :] if day else words
    for match in reversed(list(_MONTH_END.finditer(words))):
        ended = _last_end(match["unit"].lower(), today)
        day = yield from _find_session(desk, ended, market, after=False)
        words = words[: match.start()] + _place(words, match, day) + words[match.end() :] if day else words
    if not _SIDE.search(words):
        return words
    yield from desk.load_tables("holidays")
    for holiday in holiday_table(desk.tables):
        if not holiday.words.search(words) or market not in holiday.markets:
            continue
        around = re.search(_AROUND.replace("{holiday}", holiday.words.pattern), words, re.I)
        closure = (yield from _find_closure(desk, holiday, around, market)) if around else None
        said = _say_around(around, closure, words) if around and closure else ""
        if around and said:
            words = words[: around.start()] + said + words[around.end() :]
    return words


def _place(words: str, match: re.Match[str], day: str) -> str:
    """Return a date as it stands in a text: in English after a preposition."""
    latin = match.start() > 0 and words[match.start() - 1].isascii()
    named = "en" in match.re.groupindex and match["en"]
    return f"on {day}" if latin and named else f" {day} " if latin else day


def _say_around(match: re.Match[str], closure: _Closure, words: str) -> str:
    """Return the date, or the stretch, that words around a holiday mean; "" where they may mean several."""
    side = (match["side"] or match["word"]).lower()
    rest = words[: match.start()] + words[match.end() :]
    over_time = _OVER_TIME.search(rest) is not None
    edge = (match["edge"] or match["first"] or "").lower()
    if side in ("前", "before", "ahead of"):
        return "" if over_time and not edge else f" {closure.before} "
    if edge or (side in ("后", "after", "following") and not over_time and _LEVEL.search(rest)):
        return f" {closure.after} " if "最后" not in edge and "last" not in edge else ""
    return f" since {closure.before} "


def _find_edge(desk: ToolDesk, period: str, first: bool, market: str) -> Work[str]:
    """Return the first or the last session of a period; "" where it is not known."""
    today = desk.request.moment.date()
    said = "this year" if period in ("年", "the year", "year") else "this month" if period == "月" else period
    said = re.sub(r"^the (?=month|quarter|week)|^(?=(?:month|quarter|week)$)", "this ", said, flags=re.I)
    span = next(iter(find_time_spans(f"in {said}" if said[:1].isascii() else said, today)), None)
    if span is None or span.first is None or span.last is None:
        return ""
    begin, end = span.first, span.last
    if end == today:  # a period that is not over: its end is ahead
        end = _period_end(begin, said)
    return (yield from _find_session(desk, begin if first else end, market, after=first))


def _period_end(first: date, said: str) -> date:
    """Return the last day of the period that begins with a day."""
    if re.search(r"周|week", said, re.I):
        return first + timedelta(days=6)
    months = 3 if re.search(r"季|quarter", said, re.I) else 1
    if months == 1 and (re.fullmatch(r"(?:19|20)\d\d年?|去年|今年|前年|(?:this|last) year", said, re.I)):
        return date(first.year, 12, 31)
    later = first.year * 12 + first.month - 1 + months
    return date(later // 12, later % 12 + 1, 1) - timedelta(days=1)


def _last_end(unit: str, today: date) -> date:
    """Return the last day of the month, quarter or year that ended last."""
    month = {"month": today.month, "quarter": (today.month - 1) // 3 * 3 + 1, "year": 1}[unit]
    return date(today.year, month, 1) - timedelta(days=1)


def _find_session(desk: ToolDesk, day: date, market: str, *, after: bool) -> Work[str]:
    """Return a day if it is a session, else the next one after it or the last one before it; "" where not known."""
    found = yield from desk.one("calendar.trading", date=f"{day}", market=market, n=1)
    if not found.ok:
        return ""
    if found.get("is_trading_day"):
        return f"{day}"
    near = wording.names_of(found.get("next" if after else "previous"))
    return near[0 if after else -1] if near else ""


def _find_closure(desk: ToolDesk, holiday: Holiday, match: re.Match[str], market: str) -> Work[_Closure | None]:
    """Return the closure for a holiday: of the year that is named, else the last one that has begun."""
    today = desk.request.moment.date()
    said = (match["y1"] or match["y2"] or match["y3"] or "").lower()
    back = {"去年": 1, "前年": 2, "last year's": 1}
    years = [int(said)] if said.isdigit() else [today.year - back.get(said, 0)]
    years += [] if said else [today.year - 1]
    for year in years:
        first, last = holiday.window(year)
        found = yield from desk.one("calendar.trading", date=f"{first}", market=market, n=_WINDOW)
        closure = _closure_of(found, first, last)
        if closure and (said or closure.before <= f"{today}"):
            return closure
    return None


def _closure_of(found: DeskResult, first: date, last: date) -> _Closure | None:
    """Return the closure of an exchange that has most weekdays between two days; None where it was open on them."""
    if not found.ok or str(found.get("known_until") or "") < f"{last}":
        return None
    sessions = sorted({*wording.names_of(found.get("previous")), *wording.names_of(found.get("next"))}
                      | ({f"{first}"} if found.get("is_trading_day") else set()))  # fmt: skip
    gaps = [(_count_shut(a, b, first, last), _Closure(a, b)) for a, b in pairwise(sessions)]
    count, closure = max(gaps, key=lambda pair: pair[0], default=(0, None))
    return closure if count else None


def _count_shut(before: str, after: str, first: date, last: date) -> int:
    """Return how many weekdays between two sessions lie between two days."""
    day = max(date.fromisoformat(before) + timedelta(days=1), first)
    end = min(date.fromisoformat(after) - timedelta(days=1), last)
    return sum((day + timedelta(days=at)).weekday() < 5 for at in range((end - day).days + 1))
