"""Trading days, holidays and hours of the exchanges."""

import re
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.holidays import Holiday, holiday_table
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, TimeSpan
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import connect_facts, market_days, wording
from ia.agent.analyst.jobs.facts.coming_days import PLACES, coming_day
from ia.agent.analyst.jobs.facts.date_facts import find_window
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import parse_count
from ia.kernel import clock
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs.market.sessions import OPEN, hours_of_day, session_state

MOST_DAYS = 3
"""Days of one question."""
_WINDOW = 40
"""Sessions asked for after the first day around a holiday."""
_FAR = 60
"""Sessions ahead in which the next holiday is looked for."""
_HOURS = {
    "CN": mark_text(
        "9:30–11:30 and 13:00–15:00, Beijing time (opening auction 9:15–9:25, closing auction 14:57–15:00)"
    ),
    "HK": mark_text("9:30–12:00 and 13:00–16:00, Hong Kong time (closing auction until 16:10)"),
    "US": mark_text("9:30–16:00, New York time"),
}
_MARKETS = {
    "US": pattern(
        r"美股|美国|纽约|华尔街|纳斯达克|\b(?:us|u\.s\.|usa|american?|new york|nyse|nasdaq|wall street)\b", re.I
    ),
    "HK": pattern(r"港股|香港|港交所|\bhong kong\b|\bhk\b", re.I),
}
_MAINLAND = pattern(r"[Aa]股|沪|深(?!夜)|上海|上交所|\b(?:shanghai|shenzhen|mainland|a-shares?)\b(?! time)", re.I)

_BOTH = pattern(r"两地|两边|两个市场|\bboth (?:the )?(?:stock )?(?:markets|exchanges)\b", re.I)
"""The mainland and Hong Kong together."""


def answer_calendar(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a day is a trading day of a market, and which ones are next."""
    if asked.facts[0].field == "connect":
        return (yield from connect_facts.answer_connect(desk, asked))
    if apart := _find_apart(asked.words):
        return (yield from _answer_apart(desk, asked, *apart))
    yield from desk.load_tables("holidays")
    if (ahead := _stretch_ahead(desk, asked, date.fromisoformat(desk.request.day))) is not None:
        return (yield from _answer_ahead(desk, asked, ahead))
    named = _markets_named(asked.words)
    if asked.facts[0].field == "hours" or len(named) < 2:
        first = next((code for code in _MARKETS if code in named), "CN")
        return (yield from _answer_of_market(desk, asked, first))
    found, told = True, list[str]()
    for each in named:
        answered = yield from _answer_of_market(desk, asked, each)
        found, told = found and answered.understood, [*told, *answered.lines]
    return reply_of_lines(*dict.fromkeys(told))._replace(understood=found)


def _answer_of_market(desk: ToolDesk, asked: FactQuestion, market: str) -> Work[Reply]:
    """Answer a question about the days of one market."""
    speak, place, today = desk.speak, desk.speak(PLACES[market]), date.fromisoformat(desk.request.day)
    meant = [each for each in holiday_table(desk.tables) if each.words.search(asked.words)]
    if meant:
        holiday = next((each for each in meant if market in each.markets), meant[0])
        return (yield from _answer_holiday(desk, asked, holiday, market, place))
    if not asked.spans and (asked.facts[0].field == "closed" or _NEXT_HOLIDAY.search(asked.words)):
        closed = yield from _answer_next_holiday(desk, market, place, before=bool(_BEFORE.search(asked.words)))
        if market != "CN" or _MAINLAND.search(asked.words):
            return closed
        return reply_of_lines(*closed.lines, *(yield from _say_other_markets(desk)))
    if asked.facts[0].field == "hours":
        return (yield from _answer_hours(desk, asked, market))
    if counted := _COUNTED.get(asked.facts[0].field):
        return (yield from counted(desk, asked, market, place))
    if _PREVIOUS.search(asked.words) and all(_is_before_today(span, today) for span in asked.spans):
        return (yield from _answer_previous(desk, market, place))
    if not asked.spans and _OPEN_NOW.search(asked.words):
        return (yield from _answer_open_now(desk, market, place))
    if week := _WEEK_DAYS.search(asked.words):
        return (yield from _answer_week(desk, any(week.groups()), market, place))
    if stretch := _stretch_of(asked.words, asked.spans[0] if asked.spans else None, today):
        if edge := _EDGE.search(asked.words):
            return (yield from _answer_edge(desk, *stretch, market, place, last=edge.lastgroup == "last"))
        return (yield from _answer_closures(desk, *stretch, market, place))
    told, nearest = list[str](), list[str]()
    for span in asked.spans[:MOST_DAYS] or (None,):
        if span is not None and span.first and span.last and span.last - span.first >= timedelta(days=7):
            return wording.ask_back(desk, (span.said,))  # one day is looked up, no month
        found = yield from desk.one("calendar.trading", date=f"{_meant_day(desk, span)}", market=market, n=3)
        if found.failure is not None:
            return wording.unreadable(desk, speak("the calendar"), found.failure)
        told.append(_say_day(desk, found, _meant_day(desk, span), place))
        nearest = [str(each) for each in wording.names_of(found.get("next"))]
    return reply_of_lines(
        *told, *([speak("The next ones: {days}.", days=speak.join_items(nearest))] if nearest else [])
    )


_DAYS = pattern(
    r"哪[几些]?[天日]|几号|多少天|哪[几些]?个?交易日|\b(?:which|what|how many|any|the|list|days) days?\b", re.I
)
_DIVIDED = pattern(
    r"[，,；;]|(?<=[市盘易门])(?=港股|[Aa]股|香港|美股|沪|上海)|但是?|而|可是?|却|不过|\b(?:while|when|but|and|whereas|though)\b",
    re.I,
)
_NO_TRADE = pattern(r"休|关|停|不(?:开|交易)|没(?:开|有交易)|\b(?:closed|shut|not|n't|holiday|off)\b|n't", re.I)
_TRADE = pattern(r"开|交易|\b(?:opens?|trad(?:e|es|ing))\b", re.I)


def _find_apart(words: str) -> tuple[str, str] | None:
    """Return which market trades while which other one is shut, where the days of that are asked for; None for another.

    >>> _find_apart("哪些天港股开市但A股休市"), _find_apart("which days is Shanghai closed")
    (('HK', 'CN'), None)
    """
    if not _DAYS.search(words):
        return None
    parts = [part for part in _DIVIDED.split(words) if _markets_named(part)]
    shut = [_NO_TRADE.search(part) is not None for part in parts]
    if sorted(shut) != [False, True] or not _TRADE.search(parts[shut.index(False)]):
        return None
    open_, closed = (_markets_named(parts[shut.index(each)]) for each in (False, True))
    return (open_[0], closed[0]) if len(open_) == len(closed) == 1 and open_ != closed else None


def _answer_apart(desk: ToolDesk, asked: FactQuestion, open_: str, shut: str) -> Work[Reply]:
    """Answer on which days of the year to come, or of a month, one market trades and the other does not."""
    today, spans = date.fromisoformat(desk.request.day), asked.spans
    stretch = _stretch_of(asked.words, spans[0] if spans else None, today)
    if len(spans) > 1 or (spans and not stretch and not re.fullmatch("今年|this year", spans[0].said, re.I)):
        return wording.ask_back(desk, (spans[-1].said,))
    first, last = stretch or (today, today.replace(month=12, day=31))
    sessions = yield from _list_sessions(desk, open_, first, last)
    if isinstance(sessions, Reply):
        return sessions
    others = yield from _list_sessions(desk, shut, first, last)
    if isinstance(others, Reply):
        return others
    days, speak = [day for day in sessions if day not in others], desk.speak
    given = {"place": speak(PLACES[open_]), "other": speak(PLACES[shut]), "first": f"{first}", "last": f"{last}"}
    if not days:
        return reply_of_lines(speak("Open in {place}, closed in {other}: **no day** from {first} to {last}.", **given))
    told = PluralText(
        "Open in {place}, closed in {other}: **{count} day** from {first} to {last}: {days}.",
        "Open in {place}, closed in {other}: **{count} days** from {first} to {last}: {days}.",
    )
    return reply_of_lines(speak(told, count=len(days), days=speak.join_items(days), **given))


def _markets_named(words: str) -> list[str]:
    """Return the markets that words name, the mainland first."""
    named = {code for code, form in (("CN", _MAINLAND), *_MARKETS.items()) if form.search(words)}
    if _BOTH.search(words) and len(named) < 2:
        named |= {"CN", "HK"}
    return [code for code in PLACES if code in named]


def _answer_hours(desk: ToolDesk, asked: FactQuestion, market: str) -> Work[Reply]:
    """Answer when the markets that are named trade."""
    beijing, named = bool(_BEIJING.search(asked.words)), _markets_named(asked.words)
    lines = list[str]()
    for each in named if len(named) > 1 and not beijing else [market]:
        lines += yield from _say_hours(desk, each, beijing=beijing)
    return reply_of_lines(*lines)


def _answer_ahead(desk: ToolDesk, asked: FactQuestion, ahead: tuple[date, date]) -> Work[Reply]:
    """Answer on which weekdays ahead each of the markets that are named is closed."""
    told = list[str]()
    for each in _markets_named(asked.words) or ["CN"]:
        told += (yield from _answer_closures(desk, *ahead, each, desk.speak(PLACES[each]))).lines
    return reply_of_lines(*told)


def _stretch_ahead(desk: ToolDesk, asked: FactQuestion, today: date) -> tuple[date, date] | None:
    """Return the days ahead within which closed days are asked for: until the middle of April; None for others."""
    if not _SHUT.search(asked.words) or _WEEK_DAYS.search(asked.words):
        return None
    said = {found[0] for each in holiday_table(desk.tables) if (found := each.words.search(asked.words))}
    if len(said) == 1 and all(re.fullmatch("今年|this year", span.said, re.I) for span in asked.spans):
        return None  # the holiday of that year
    window = find_window(asked, today)
    if not window.said or window.first >= window.last or len(asked.spans) > 1:
        return None
    month = _stretch_of(asked.words, asked.spans[0] if asked.spans else None, today)
    if month is not None and window.first < month[0] and window.last > month[1]:
        return None
    if asked.spans and _NEXT_YEAR.fullmatch(asked.spans[0].said):
        return date(today.year + 1, 1, 1), date(today.year + 1, 12, 31)
    if month is None and asked.spans and asked.spans[0].last is not None and not _SO_FAR.search(asked.words):
        first = today if _LEFT.search(asked.words) else window.first
        return first, max(window.last, _end_of(asked.spans[0], today))
    return window.first, window.last


_NEXT_YEAR = pattern(r"明年|next year", re.I)
_SO_FAR = pattern(
    r"(?:截至|截止|到)(?:今天|目前|现在)|至今|以来|已经|\b(?:so far|to date|until (?:now|today)|already|since)\b", re.I
)
"""Only what is past is meant."""
_SHUT = pattern(r"休市|不开[市盘]|放假|假期|节假日|关门|停市|\b(?:closed|shut|off|holidays?)\b", re.I)


def _meant_day(desk: ToolDesk, span: TimeSpan | None) -> date:
    """Return the day that a question is for: today without one, a week from now for next week."""
    today = date.fromisoformat(desk.request.day)
    if span is not None and span.first is None and span.kind == FUTURE and ("周" in span.said or "week" in span.said):
        return today + timedelta(days=7)
    return coming_day(span, today) if span is not None and span.first is not None else today


def _say_day(desk: ToolDesk, found: DeskResult, day: date, place: str) -> str:
    """Return whether a day is a trading day, or until when that is known."""
    speak, open_ = desk.speak, found.get("is_trading_day")
    if open_ is None:
        return speak(
            "Whether {date} is a trading day is not known: known until {until}.",
            date=day,
            until=found.get("known_until"),
        )
    if open_:
        return speak("**{date} is a trading day** ({place}).", date=day, place=place)
    return speak("**{date} is no trading day** ({place}).", date=day, place=place)


_WEEK_DAYS = pattern(
    r"(?:(?P<next>下周|下星期|下礼拜)|本周|这周|这星期|这礼拜)[^，,。]{0,4}(?:哪[几一]?天|几天"
    r"|有没有)[^，,。]{0,4}(?:休市|开市|开盘|交易|不开|放假)"
    r"|\b(?:(?P<next_en>next)|this) week\b(?=.*\b(?:which|what|any) days?\b)"
    r"|\b(?:which|what|any) days?\b.{0,40}\b(?:(?P<coming>next)|this) week\b",
    re.I,
)


def _answer_week(desk: ToolDesk, coming: bool, market: str, place: str) -> Work[Reply]:
    """Answer on which weekdays of this week or the next a market trades, and on which it is closed."""
    speak, today = desk.speak, date.fromisoformat(desk.request.day)
    monday = today - timedelta(days=today.weekday() - 7 * coming)
    days = [f"{monday + timedelta(days=at)}" for at in range(5)]
    found = yield from desk.one("calendar.trading", date=days[0], market=market, n=5)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    if found.get("is_trading_day") is None:
        return reply_of_lines(speak("Whether {place} trades on {day} is not known.", place=place, day=days[0]))
    open_ = {str(each) for each in found.get("next") or []} | ({days[0]} if found.get("is_trading_day") else set())
    closed = [day for day in days if day not in open_]
    given = {"first": days[0], "last": days[-1], "place": place}
    if not closed:
        return reply_of_lines(speak("**{place} trades on each weekday** from {first} to {last}.", **given))
    return reply_of_lines(
        speak("**{place} is closed on {days}** ({first} to {last}, weekends apart).",
              days=speak.join_items(closed), **given)
    )  # fmt: skip


def _list_sessions(desk: ToolDesk, market: str, first: date, last: date) -> Work[list[str] | Reply]:
    """Return the sessions of a stretch; the reply where they are not known."""
    speak, days, newest = desk.speak, list[str](), f"{first - timedelta(days=1)}"
    while newest < f"{last}":
        found = yield from desk.one("calendar.trading", date=newest, market=market, n=_FAR)
        if found.failure is not None:
            return wording.unreadable(desk, speak("the calendar"), found.failure)
        until = str(found.get("known_until") or "")
        if until < f"{last}":
            return reply_of_lines(speak("The sessions after {until} are not known yet.", until=until))
        coming = wording.names_of(found.get("next"))
        days += [day for day in coming if day <= f"{last}"]
        newest = coming[-1] if coming else f"{last}"
    return days


_OPEN_NOW = pattern(
    r"(?:现在|目前|这会儿|还).{0,6}(?:开盘|开市|交易|收盘|休市|开着)"
    r"|\b(?:open|closed|trading)\b.{0,12}\b(?:now|at the moment|yet|already)\b"
    r"|\b(?:still|already) (?:open|closed|trading)\b"
    r"|\bis (?:the )?(?:\w+ )?(?:stock )?(?:market|exchange) (?:open|closed)\W*$",
    re.I,
)


def _answer_open_now(desk: ToolDesk, market: str, place: str) -> Work[Reply]:
    """Answer whether a market trades at this moment, and when next."""
    speak, local = desk.speak, desk.request.moment.astimezone(clock.exchange_zone(market))
    day = f"{local:%Y-%m-%d}"
    found = yield from desk.one("calendar.trading", date=day, market=market, n=1)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    if found.get("is_trading_day") is None:
        return reply_of_lines(speak("Whether {place} trades on {day} is not known.", place=place, day=day))
    state, hours = session_state(market, desk.request.moment).state, hours_of_day(market, day)
    given = {"place": place, "day": day, "time": f"{local:%H:%M}", "zone": str(local.tzinfo),
             "next": next(iter(wording.names_of(found.get("next"))), "–")}  # fmt: skip
    if not hours:
        told = speak("**Closed**: {day} is no trading day ({place}); the next is {next}.", **given)
    elif state == OPEN:
        told = speak("**Open now** ({place}): {day} {time} {zone}.", **given)
    elif later := next((opens for opens, _ in hours if local.time() < opens), None):
        told = speak("**Not open now** ({place}): {day} {time} {zone}; it opens at {opens}.",
                     opens=f"{later:%H:%M}", **given)  # fmt: skip
    else:
        told = speak("**Closed** for today ({place}): {day} {time} {zone}; the next session is {next}.", **given)
    lines = [told, speak("**{place}**: {hours}.", place=place, hours=speak(_HOURS[market]))]
    return reply_of_lines(*lines, *([_say_beijing(desk, market, day)] if market == "US" else []))


def _answer_next_session(desk: ToolDesk, asked: FactQuestion, market: str, place: str) -> Work[Reply]:
    """Answer which session of a market comes after today."""
    speak = desk.speak
    found = yield from desk.one("calendar.trading", date=desk.request.day, market=market, n=3)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    nearest = wording.names_of(found.get("next"))
    if not nearest:
        return reply_of_lines(speak("The sessions after {until} are not known yet.", until=found.get("known_until")))
    first = date.fromisoformat(nearest[0])
    told = speak("**The next session is {date}**, {weekday} ({place}).", date=nearest[0], place=place,
                 weekday=speak(market_days.WEEKDAYS[first.weekday()]))  # fmt: skip
    after = [speak("After it: {names}.", names=speak.join_items(nearest[1:]))] if nearest[1:] else []
    return reply_of_lines(told, *after)


_PREVIOUS = pattern(
    r"(?:上一?|前一)个?(?:交易日|开市日)|(?:之|以)?前(?:的)?最后一?个?(?:交易日|开市日)"
    r"|\b(?:last|previous) (?:trading day|session|market day)(?: before (?:today|this|that))?"
    r"(?=\W*$| (?:in|on|for) (?:the )?(?:hong kong|hk|us|new york|shanghai|shenzhen|mainland|a-shares?)\b)",
    re.I,
)
"""The session before today is asked for."""


def _is_before_today(span: TimeSpan, today: date) -> bool:
    """Return True if a stretch is today, or the session before it, as a question for that one names them."""
    return span.first == today == span.last or _PREVIOUS.search(span.said) is not None


def _answer_previous(desk: ToolDesk, market: str, place: str) -> Work[Reply]:
    """Answer which session of a market was the last one before today."""
    speak = desk.speak
    found = yield from desk.one("calendar.trading", date=desk.request.day, market=market, n=3)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    newest = max(wording.names_of(found.get("previous")), default="")
    if not newest:
        return reply_of_lines(speak("Whether {place} trades on {day} is not known.", place=place, day=desk.request.day))
    weekday = speak(market_days.WEEKDAYS[date.fromisoformat(newest).weekday()])
    told = speak("**The last session before today was {date}**, {weekday} ({place}).", date=newest, weekday=weekday,
                 place=place)  # fmt: skip
    return reply_of_lines(told, _say_day(desk, found, date.fromisoformat(desk.request.day), place))


_LEFT = pattern(r"还(?:有|剩)|剩|\b(?:left|remain\w*|still)\b", re.I)
_UNTIL = pattern(r"到|离|距|直到|\b(?:until|till|to|before)\b", re.I)
_YEAR_OF = pattern(r"一年|每年|全年|\b(?:a|per|each|every) year\b", re.I)


def _count_sessions(desk: ToolDesk, asked: FactQuestion, market: str, place: str) -> Work[Reply]:
    """Answer how many sessions a stretch of days has, or has left."""
    speak, today = desk.speak, date.fromisoformat(desk.request.day)
    if len(asked.spans) > 1:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans[1:]))
    span = asked.spans[0] if asked.spans else None
    left = _LEFT.search(asked.words) is not None
    end = _END.search(asked.words)
    if asked.times and (end is None or any(said not in end[0] and end[0] not in said for said in asked.times)):
        return wording.ask_back(desk, asked.times)
    if span is None and end is not None and (left or _UNTIL.search(asked.words)):
        left, first, last = True, today, _named_end(end, today)
    elif span is None and (left or _YEAR_OF.search(asked.words)):
        first, last = date(today.year, 1, 1), date(today.year, 12, 31)
    elif span is not None and span.first is not None and span.last is not None:
        first, last = span.first, _end_of(span, today)
    elif span is not None and _NEXT_WEEK.fullmatch(span.said):
        first = today + timedelta(days=7 - today.weekday())
        last, left = first + timedelta(days=6), False
    elif span is not None and _NEXT_MONTH.fullmatch(span.said) and (month := _stretch_of(span.said, None, today)):
        (first, last), left = month, False
    else:
        return reply_of_lines(
            speak("Over which time? Give a day or a stretch, such as “today”, “this year” or “the last 120 days”.")
        )._replace(understood=False)
    until = left or _UNTIL.search(asked.words) is not None
    if span is not None and not until and (month := _month_of_year(asked.words, span, today)):
        first, last = month
    if span is not None and not left and first == last and _UNTIL.search(asked.words):
        left, last = True, coming_day(span, today)
    left = left or (span is not None and span.kind == FUTURE and first == today < last)
    if left:
        first = today + timedelta(days=1)
    count = (last - first).days + 1
    if not 0 <= count <= _LONGEST:
        return wording.ask_back(desk, (span.said if span else asked.words,))
    days = yield from _list_sessions(desk, market, first, last)
    if isinstance(days, Reply):
        return days
    given: Json = {"count": len(days), "first": first, "last": last, "place": place}
    return reply_of_lines(
        _say_left(desk, len(days), first, f"{last}", place)
        if left
        else speak(PluralText("**{count} session**, {first} to {last} ({place}).",
                              "**{count} sessions**, {first} to {last} ({place})."), **given)
    )  # fmt: skip


def _say_left(desk: ToolDesk, count: int, first: date, last: str, place: str) -> str:
    """Return how many sessions are left within some days."""
    told = PluralText("**{count} session** is left, {first} to {last} ({place}).",
                      "**{count} sessions** are left, {first} to {last} ({place}).")  # fmt: skip
    return desk.speak(told, count=count, first=first, last=last, place=place)


_DAYS_UNTIL = pattern(
    r"(?:多少|几)个?(?:交易日|开市日)|几天(?:可以|能)?(?:交易|开市)"
    r"|\b(?:sessions|trading days|market days)\b.{0,24}\b(?:until|till|to|before|left)\b"
    r"|\bhow many (?:sessions|trading days)\b",
    re.I,
)
"""The sessions until a holiday are asked for."""


_END = pattern(
    r"(?P<quarter>季度?[末底])|(?P<month>月[末底])|(?P<week>周[末五])|(?P<year>年[末底])"
    r"|\b(?:(?P<quarter_en>quarter)|(?P<month_en>month)|(?P<week_en>week)|(?P<year_en>year))\b",
    re.I,
)
"""The end of a stretch that today is in."""


def _named_end(end: re.Match[str], today: date) -> date:
    """Return the last day of the week, month, quarter or year of today."""
    name = next(key.removesuffix("_en") for key, said in end.groupdict().items() if said)
    if name == "week":
        return today + timedelta(days=6 - today.weekday())
    month = {"month": today.month, "quarter": (today.month - 1) // 3 * 3 + 3, "year": 12}[name]
    return (date(today.year, month, 1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)


def _month_of_year(words: str, span: TimeSpan, today: date) -> tuple[date, date] | None:
    """Return the days of a month that is named without its year: this year's; None for any other time."""
    named = _NAMED_MONTH.search(words)
    if named is None or span.kind == DAY or re.search(r"\d{4}|[去前明]年|year", words):
        return None
    month = int(parse_count(named["zh"]) or 0) if named["zh"] else _MONTHS.index(named["en"][:3].lower()) + 1
    first = date(today.year, month, 1)
    return first, (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)


_LONGEST = 400
"""Days of the longest stretch whose sessions are counted."""


_COUNTED = {"count": _count_sessions, "next": _answer_next_session}
"""Field of a fact -> what answers it."""


def _end_of(span: TimeSpan, today: date) -> date:
    """Return the last day of a stretch: this year goes on until its end."""
    last = span.last or today
    if last != today or span.first is None or span.kind == DAY:
        return last
    first = span.first
    if (first.month, first.day) == (1, 1):
        return date(first.year, 12, 31)
    if first.day == 1:
        return (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    return first + timedelta(days=6) if first.weekday() == 0 else last


def _answer_holiday(desk: ToolDesk, asked: FactQuestion, holiday: Holiday, market: str, place: str) -> Work[Reply]:
    """Answer on which days the exchange is shut for a holiday: the weekdays around it that are no sessions."""
    speak, name = desk.speak, desk.speak.fill(holiday.name)
    today = date.fromisoformat(desk.request.day)
    if market not in holiday.markets:
        others = speak.join_items([speak(PLACES[each]) for each in holiday.markets])
        return reply_of_lines(
            speak(
                "**{holiday} shuts no session of {place}**; it does in {others}.",
                holiday=name,
                place=place,
                others=others,
            )
        )
    said = re.search(r"(20\d\d)|(去年|last year)|(明年|next year)|(今年|this year)", asked.words, re.I)
    year = today.year if not said or said[4] else int(said[1]) if said[1] else today.year + (-1 if said[2] else 1)
    first, last = holiday.window(year)
    if said is None and last < today:
        first, last = holiday.window(year + 1)
    since = today + timedelta(days=1) if _DAYS_UNTIL.search(asked.words) else None
    told = yield from _say_holiday(desk, name, first, last, market, place, since=since)
    if isinstance(told, Reply):
        return told
    before: list[str] | Reply = []
    if said is None and last.year > today.year:  # the coming one is not announced: the one before
        before = yield from _say_holiday(desk, name, *holiday.window(last.year - 1), market, place)
    return reply_of_lines(*told, *(before if isinstance(before, list) else []))


def _say_holiday(
    desk: ToolDesk, name: str, first: date, last: date, market: str, place: str, *, since: date | None = None
) -> Work[list[str] | Reply]:
    """Return the days on which the exchange is shut between two days around a holiday; the reply where unreadable.

    since   a day from which the sessions before the holiday are counted
    """
    speak = desk.speak
    found = yield from desk.one("calendar.trading", date=f"{first}", market=market, n=_WINDOW)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    until = str(found.get("known_until") or "")
    if until < f"{last}":
        return [
            speak("The sessions around {holiday} of {year} are not announced yet: known until {until}.", holiday=name,
                  year=last.year, until=until)
        ]  # fmt: skip
    sessions = set(wording.names_of(found.get("previous"))) | set(wording.names_of(found.get("next")))
    if found.get("is_trading_day"):
        sessions.add(f"{first}")
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    shut = [day for day in days if day.weekday() < 5 and f"{day}" not in sessions]
    if not shut:
        return [speak("For {holiday} of {year} no weekday is shut ({place}).", holiday=name, year=last.year,
                      place=place)]  # fmt: skip
    before = max((each for each in sessions if each < f"{shut[0]}"), default="–")
    after = min((each for each in sessions if each > f"{shut[0]}"), default="–")
    all_days = (shut[0] + timedelta(days=at) for at in range(_WINDOW))
    shut = [day for day in all_days if day.weekday() < 5 and f"{day}" < after]
    left = list[str]()
    if since is not None and f"{since}" <= before:
        listed = yield from _list_sessions(desk, market, since, date.fromisoformat(before))
        left = [] if isinstance(listed, Reply) else [_say_left(desk, len(listed), since, before, place)]
    return [
        *left,
        speak("**{holiday} {year}**: no trading on {days} ({place}).", holiday=name, year=shut[0].year,
              days=speak.join_items([f"{day:%m-%d}" for day in shut]), place=place),
        speak("Last session before it {before}, first one after it {after}.", before=before, after=after)
        + _say_length(desk, before, after),
    ]  # fmt: skip


def _say_length(desk: ToolDesk, before: str, after: str) -> str:
    """Return how many days in a row an exchange is shut between two sessions; "" where one of them is not known."""
    if "–" in (before, after):
        return ""
    days = (date.fromisoformat(after) - date.fromisoformat(before)).days - 1
    told = PluralText("Shut for **{count} day**.", "Shut for **{count} days** in a row, weekends included.")
    return " " * (desk.speak.lang == "en") + desk.speak(told, count=days)


_THIS_MONTH = pattern(r"本月|这个?月|\bthis month\b", re.I)
_NEXT_WEEK = pattern(r"(?:in |during )?next week|下个?(?:周|星期|礼拜)", re.I)
_NEXT_MONTH = pattern(r"下个?月|\bnext month\b", re.I)
_NAMED_MONTH = pattern(
    r"(?<![\d年])(?P<zh>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?(?!\s*\d|[一二三四五六七八九十初])"
    r"|\b(?P<en>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?!\s*\d|\s+the\b)",
    re.I,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _stretch_of(words: str, span: TimeSpan | None, today: date) -> tuple[date, date] | None:
    """Return the first and last day of the month that a question names; None where it names none.

    A month without its year is the coming one, where this year's is over.

    >>> [str(day) for day in _stretch_of("holidays next month", None, date(2024, 3, 15))]
    ['2024-04-01', '2024-04-30']
    >>> [str(day) for day in _stretch_of("2月有哪些休市日", None, date(2024, 3, 15))]
    ['2025-02-01', '2025-02-28']
    """
    first = today.replace(day=1)
    if _NEXT_MONTH.search(words):
        first = (first + timedelta(days=32)).replace(day=1)
    elif not _THIS_MONTH.search(words):
        named = _NAMED_MONTH.search(words)
        if named is None or (
            span is not None and (span.kind == DAY or (span.first is not None and span.first == span.last))
        ):
            return None
        month = int(parse_count(named["zh"]) or 0) if named["zh"] else _MONTHS.index(named["en"][:3].lower()) + 1
        if span is not None and span.first is not None and re.search(r"\d{4}|[去前今明]年|year", span.said):
            first = span.first.replace(day=1)
        else:
            coming = month < today.month and not _WAS.search(words)
            first = date(today.year + coming, month, 1)
    return first, (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)


_WAS = pattern(r"\b(?:was|were|did|had)\b|[了过]", re.I)
"""Words of what is past."""


_EDGE = pattern(
    r"(?:第一|头一|首)个?(?:交易日|开市日)|\bfirst (?:trading day|session|market day)"
    r"|(?P<last>最后一?个?(?:交易日|开市日)|\b(?:last|final) (?:trading day|session|market day))",
    re.I,
)
"""The first or the last session of a month is asked for."""


def _answer_edge(desk: ToolDesk, first: date, end: date, market: str, place: str, *, last: bool) -> Work[Reply]:
    """Answer which session of a stretch of days is the first one, or the last."""
    speak = desk.speak
    found = yield from desk.one("calendar.trading", date=f"{first - timedelta(days=1)}", market=market, n=_FAR)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    until = str(found.get("known_until") or "")
    sessions = [day for day in wording.names_of(found.get("next")) if day <= f"{end}"]
    if until < f"{end}" or not sessions:
        return reply_of_lines(speak("The sessions after {until} are not known yet.", until=until))
    day = date.fromisoformat(sessions[-1 if last else 0])
    told = {"day": f"{day}", "weekday": speak(market_days.WEEKDAYS[day.weekday()]), "place": place}
    return reply_of_lines(
        speak("Last session: **{day}**, {weekday} ({place}).", **told)
        if last
        else speak("First session: **{day}**, {weekday} ({place}).", **told)
    )


def _answer_closures(desk: ToolDesk, first: date, last: date, market: str, place: str) -> Work[Reply]:
    """Answer on which weekdays of a stretch of days a market is closed, each with its holiday where that is known."""
    speak = desk.speak
    sessions = yield from _list_sessions(desk, market, first, last)
    if isinstance(sessions, Reply):
        return sessions
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    shut = [each for each in days if each.weekday() < 5 and f"{each}" not in sessions]
    given: Json = {"first": first, "last": last, "place": place, "count": len(shut)}
    if not shut:
        return reply_of_lines(
            speak("**No holiday**: trading on every weekday from {first} to {last} ({place}).", **given)
        )
    yield from desk.load_tables("holidays")
    runs: list[list[date]] = []
    for each in shut:
        if runs and all(day.weekday() > 4 for day in days if runs[-1][-1] < day < each):
            runs[-1].append(each)
        else:
            runs.append([each])
    names = [_holiday_on(desk, run, market) for run in runs]
    names = [name if names.count(name) == 1 else "" for name in names]
    told = [[[day] for day in run] if len(shut) <= _SINGLY else [run] for run in runs]
    lines = [f"- {_say_run(desk, each)}{name}" for parts, name in zip(told, names, strict=True) for each in parts]
    head = PluralText(
        "**{count} weekday without trading** from {first} to {last} ({place}):",
        "**{count} weekdays without trading** from {first} to {last} ({place}):",
    )
    return reply_of_lines(speak(head, **given), *lines)


_SINGLY = 8
"""So many days without trading are told one by one; more of them in runs."""


def _say_run(desk: ToolDesk, run: list[date]) -> str:
    """Return the days of a run: a day with its weekday, or the first and the last."""
    if len(run) == 1:
        return f"{run[0]} {desk.speak(market_days.WEEKDAYS[run[0].weekday()])}"
    return desk.speak("{first} to {last}", first=run[0], last=run[-1])


def _holiday_on(desk: ToolDesk, days: list[date], market: str) -> str:
    """Return the holiday within whose days a run of days lies, the one with the fewest; "" where that is none."""
    found = [
        (high - low, desk.speak.fill(each.name))
        for each in holiday_table(desk.tables)
        if market in each.markets and (low := each.window(days[0].year)[0]) <= days[0]
        and days[-1] <= (high := each.window(days[0].year)[1])
    ]  # fmt: skip
    return desk.speak(", {holiday}", holiday=min(found)[1]) if found else ""


_NEXT_HOLIDAY = pattern(
    r"下一?(?:个|次)(?:节假日|假期|休市|长假)|(?:什么时候|何时|几号|哪天)(?:放假|休市)"
    r"|\b(?:next|upcoming|coming) (?:\w+ ){0,2}holidays?\b",
    re.I,
)
_BEIJING = pattern(r"北京时间|中国时间|国内时间|国内几点|[我咱]们?这|\b(?:china|chinese|beijing|shanghai) time\b", re.I)
_SHUT_AT = {"CN": ("Asia/Shanghai", 9, 15), "HK": ("Asia/Hong_Kong", 9, 16), "US": ("America/New_York", 9, 16)}
"""Market -> its zone, and the hours in which it opens, at half past, and closes."""


_BEFORE = pattern(r"(?:节|假期?|休市|放假)(?:之|以)?前|\b(?:session|day) before\b", re.I)


class _Closure(NamedTuple):
    """The next weekdays in a row without a session of a market.

    days     () where none is known up to `until`
    before   the last session before them, after the first one after them; "" for none
    holiday  ", Qingming"; "" where no one holiday is theirs
    """

    days: tuple[date, ...]
    until: str
    before: str = ""
    after: str = ""
    holiday: str = ""


def _find_next_closure(desk: ToolDesk, market: str) -> Work[_Closure | Reply]:
    """Return when a market is shut next; the reply where its calendar is not to be read."""
    speak, today = desk.speak, date.fromisoformat(desk.request.day)
    found = yield from desk.one("calendar.trading", date=f"{today}", market=market, n=_FAR)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    sessions = wording.names_of(found.get("next"))
    until = sessions[-1] if sessions else f"{today}"
    open_ = {*sessions, *([f"{today}"] if found.get("is_trading_day") else [])}
    days = (today + timedelta(days=at) for at in range((date.fromisoformat(until) - today).days + 1))
    shut = [day for day in days if day.weekday() < 5 and f"{day}" not in open_]
    if not shut:
        return _Closure((), until)
    after = next(day for day in sessions if day > f"{shut[0]}")
    first = tuple(day for day in shut if f"{day}" < after)
    names = [
        speak.fill(each.name)
        for each in holiday_table(desk.tables)
        if market in each.markets and any(low <= first[0] <= high for low, high in [each.window(first[0].year)])
    ]
    last = max((day for day in open_ if day < f"{first[0]}"), default="")
    holiday = speak(", {holiday}", holiday=names[0]) if len(names) == 1 else ""
    return _Closure(first, until, last, after, holiday)


def _say_other_markets(desk: ToolDesk) -> Work[list[str]]:
    """Return when the markets outside the mainland are shut next; [] where that is not known of any."""
    speak, told = desk.speak, list[str]()
    for market in ("HK", "US"):
        found = yield from _find_next_closure(desk, market)
        if isinstance(found, _Closure) and found.days:
            days = speak.join_items([f"{day}" for day in found.days])
            told.append(f"{speak(PLACES[market])}{speak(': ')}{days}{found.holiday}")
    return [speak("Elsewhere: {days}.", days=speak.join_clauses(told))] if told else []


def _answer_next_holiday(desk: ToolDesk, market: str, place: str, *, before: bool = False) -> Work[Reply]:
    """Answer on which weekdays a market is shut next; `before`: and which session is the last one before them."""
    speak = desk.speak
    found = yield from _find_next_closure(desk, market)
    if isinstance(found, Reply):
        return found
    if not found.days:
        return reply_of_lines(speak("No weekday without trading is known up to {until} ({place}).", until=found.until,
                                    place=place))  # fmt: skip
    head = [speak("Last session before it: **{day}**.", day=found.before)] if before and found.before else []
    return reply_of_lines(
        *head,
        speak("**Next without trading: {days}**{name} ({place}).",
              days=speak.join_items([f"{day}" for day in found.days]), name=found.holiday, place=place),
        speak("First session after it: {after}.", after=found.after)
        + _say_length(desk, found.before or "–", found.after),
    )  # fmt: skip


def _say_beijing(desk: ToolDesk, market: str, today: str) -> str:
    """Return when a market opens and closes in the time of Beijing."""
    zone, opens, closes = _SHUT_AT[market]
    day = date.fromisoformat(today)
    first, last = (
        datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(zone)).astimezone(clock.CHINA)
        for hour, minute in ((opens, 30), (closes, 0))
    )
    told = {"opens": f"{first:%H:%M}", "closes": f"{last:%H:%M}", "day": today}
    if last.date() > first.date():
        return desk.speak(
            "**In Beijing time: {opens} to {closes} the day after** (on {day}; summer time changes it).", **told
        )
    return desk.speak("**In Beijing time: {opens} to {closes}** (on {day}).", **told)


def _say_hours(desk: ToolDesk, market: str, *, beijing: bool) -> Work[list[str]]:
    """Return when a market opens and closes, and whether it trades today."""
    speak, today = desk.speak, clock.today(market)
    lines = [speak("**{place}**: {hours}.", place=speak(PLACES[market]), hours=speak(_HOURS[market]))]
    if market == "US" or (beijing and market != "CN"):
        lines.insert(0 if beijing or speak.lang == "zh" else 1, _say_beijing(desk, market, today))
    found = yield from desk.one("calendar.trading", date=today, market=market, n=1)
    if found.ok and found.get("is_trading_day") is not None:
        lines.append(
            speak("Today, {date}, is a trading day there.", date=today)
            if found.get("is_trading_day")
            else speak("Today, {date}, is no trading day there.", date=today)
        )
    return lines
