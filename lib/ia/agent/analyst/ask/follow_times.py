"""Questions that go on with another time: the day before, a week later, the year before, that day."""

import re
from datetime import date, timedelta

from ia.agent.analyst.ask.follow_words import OF_EXTREME, PRICE, blank_mentions, drop_lead, is_chinese
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, TimeSpan, find_time_spans
from ia.kernel.patterns import pattern

_DAY_STEP = pattern(
    r"(?:on |for )?(?:the )?(?:trading )?(?:day|session) (?P<en>before|after)(?: (?:that|it))?"
    r"|(?:on |for )?the (?P<near>previous|preceding|next|following) (?:trading )?(?:day|session)"
    r"|(?:再|再往)?(?P<zh>前|上|后|下)一?个?(?:天|日|交易日)|(?P<next>第二天|次日|隔天)",
    re.I,
)
_BACK = ("before", "previous", "preceding", "前", "上")
_WEEK_STEP = pattern(
    r"(?:in |for |during )?the (?:week (?:before|prior)(?: that)?|previous week)"
    r"|(?:再|再往)?(?:前|上)一?个?(?:周|星期)",
    re.I,
)
_ANY_DAY = pattern(
    r"交易|[买卖]|笔记|日记|任务|提醒|\b(?:trades?|traded|bought|sold|buy|sell|notes?|tasks?|reminders?|wrote)\b", re.I
)
"""What a weekend may have, too."""


def step_day(core: str, last: str, today: date) -> str:
    """Return the last question for the day, or the week, before or after its own; "" where none is asked for."""
    found, week = _DAY_STEP.fullmatch(core), _WEEK_STEP.fullmatch(core)
    if found is None and week is None:
        return ""
    spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    if len(spans) > 1:
        return ""
    first = spans[0].first if spans else today
    if first is None:
        return ""
    chinese = is_chinese(last)
    if found is None:
        back = (today - timedelta(days=today.weekday()) - (first - timedelta(days=first.weekday()))).days // 7
        said = (("last week", "上周"), ("the week before last", "上上周"))[back : back + 1]
        return _put(last, spans, said[0][chinese], chinese=chinese) if said else ""
    if spans and spans[0].kind != DAY:
        return ""
    word = next(each for each in (found["en"], found["near"], found["zh"], found["next"]) if each)
    step = timedelta(days=-1 if word.casefold() in _BACK else 1)
    day = first + step
    while day.weekday() > 4 and not _ANY_DAY.search(strip_mentions(last)):
        day += step
    return _put(last, spans, f"{day}" if chinese else f"on {day}", chinese=chinese)


_OVER = pattern(
    r"(?P<n>a|one|two|three|\d+) (?P<en>day|week|month|year)s? (?P<way>later|after(?: that)?|earlier|before(?: that)?)"
    r"|(?:再)?(?:过了?)?(?P<zhn>[一两二三四五六\d]+)个?(?P<zh>天|周|星期|月|年)(?:之|以)?(?P<zhway>后|前)",
    re.I,
)
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6}
_DAYS_OF = {"day": 1, "week": 7, "天": 1, "周": 7, "星期": 7}


_AGO = pattern(r"[一两二三四五六\d]+个?(?:天|周|星期|月|年)(?:之|以)?前")


def step_over(core: str, last: str, today: date) -> str:
    """Return the last question for a day so many days, weeks or months from its own; "" where none is asked for.

    >>> step_over("a week later", "what did Midea close at on March 1", date(2024, 3, 15))
    'what did Midea close at on 2024-03-08'
    """
    found = _OVER.fullmatch(core)
    spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    if found and found["zh"] and _AGO.search(last) and not core.startswith("再"):
        return ""  # 10天前 behind 5天前 is so long ago, too
    if found is None or len(spans) != 1 or spans[0].kind != DAY or (first := spans[0].first) is None:
        return ""
    said = (found["n"] or found["zhn"]).casefold()
    count, unit = int(_NUMBERS.get(said) or (said if said.isdigit() else 0)), (found["en"] or found["zh"]).casefold()
    back = (found["way"] or found["zhway"]).casefold().startswith(("earlier", "before", "前"))
    if unit in _DAYS_OF:
        day = first + timedelta(days=count * _DAYS_OF[unit] * (-1 if back else 1))
    else:
        months = first.year * 12 + first.month - 1 + count * (12 if unit in ("year", "年") else 1) * (-1 if back else 1)
        day = date(months // 12, months % 12 + 1, min(first.day, 28))
    chinese = is_chinese(last)
    return _put(last, spans, f"{day}" if chinese else f"on {day}", chinese=chinese) if count else ""


def _put(last: str, spans: list[TimeSpan], time: str, *, chinese: bool) -> str:
    """Return a question with a time in the place of its own, or at its end."""
    if not spans:
        return f"{time}{last}" if chinese else f"{last.strip(' ?')} {time}"
    at = spans[0].at
    return re.sub(r"\bon (?=on\b|from\b)", "", f"{last[: at[0]]}{time}{last[at[1] :]}")


def put_since(words: str, at: tuple[int, int], day: str) -> str:
    """Return a question with a day since which it asks in the place of some words.

    >>> put_since("茅台我买入以来最高价", (2, 7), "2024-02-05")
    '茅台自2024-02-05以来最高价'
    >>> put_since("its high since I bought", (9, 23), "2024-02-05")
    'its high since 2024-02-05'
    """
    begin, end = at
    said = f"自{day}以来" if is_chinese(words[begin:end]) else f" since {day} "
    return re.sub(r" +", " ", f"{words[:begin]}{said}{words[end:]}").strip()


_PERIOD_BEFORE = pattern(
    r"(?:in |for |during )?the (?P<en>year|month) (?:before|prior)(?: that)?"
    r"|(?:(?:再|再往)(?:前|上)(?:一|1)?|(?:前|上)(?:一|1))个?(?P<zh>年|月)(?:的|度)?",
    re.I,
)
"""The year, or the month, before the one that was spoken of."""


def ask_period_before(text: str, last: str, today: date) -> str:
    """Return the last question for the year or the month before its own; "" where none is asked for.

    >>> ask_period_before("and the year before?", "profit of CATL last year", date(2024, 3, 15))
    'profit of CATL in 2022'
    """
    core = drop_lead(text)
    found = _PERIOD_BEFORE.fullmatch(core)
    spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD and span.first]
    if found is None or len(spans) != 1 or (first := spans[0].first) is None:
        return ""
    if (found["en"] or found["zh"]).lower() in ("year", "年"):
        time = f"{first.year - 1}年" if is_chinese(last) else f"in {first.year - 1}"
    else:
        day = first.replace(day=1) - timedelta(days=1)
        time = f"{day.year}年{day.month}月" if is_chinese(last) else f"in {day:%B} {day.year}"
    at = spans[0].at
    return f"{last[: at[0]]}{time}{last[at[1] :]}"


_VOLUME = pattern(r"成交量|\bvolume\b", re.I)


def compare_times(named: Mention, last: str, time: TimeSpan, today: date) -> str:
    """Return a question that compares with another time, in the volume or the price asked for before; "" for another.

    time  the time that is named now; the question before has none, or one day

    >>> from ia.agent.analyst.ask.mentions import find_mentions
    >>> day, byd = date(2024, 3, 15), find_mentions("BYD")[0]
    >>> compare_times(byd, "BYD price", find_time_spans("in January", day)[0], day)
    'how much did BYD change since in january'
    >>> compare_times(byd, "BYD close on 2024-03-07", find_time_spans("today", day)[0], day)
    'how much did BYD change since 2024-03-07'
    """
    chinese = is_chinese(time.said) or is_chinese(last)
    old = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    if _VOLUME.search(last) and not any(span.first != today for span in old):
        said = time.said
        return f"{named.said}成交量 比{said}多吗" if chinese else f"is the volume of {named.said} more than {said}"
    if not PRICE.search(last) or OF_EXTREME.search(last):
        return ""
    first = old[0].first if len(old) == 1 and old[0].kind == DAY else None
    if first is None or first == today:
        return "" if old and first is None else _change_since(named, time.said, chinese=chinese)
    if time.kind != DAY or time.first is None:
        return ""
    if time.first == today:
        return _change_since(named, f"{first}", chinese=chinese)
    begin, end = sorted((first, time.first))
    return f"{named.said}{begin}到{end}涨跌" if chinese else f"how much did {named.said} change from {begin} to {end}"


def _change_since(named: Mention, said: str, *, chinese: bool) -> str:
    return f"{named.said}{said}以来涨跌" if chinese else f"how much did {named.said} change since {said}"


_OF_BAR = pattern(r"(?:那天|当天|那时)?的?(?:开盘|收盘|最高|最低|成交)[价量额]?(?:是?多少)?")
"""What one bar has; of the day that was spoken of."""


def ask_of_that_day(core: str, last: str, named: list[Mention], today: date) -> str:
    """Return a question for what the bar of the day before has: "收盘呢" after "茅台3月7号涨了吗"; "" for another."""
    days = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    if len(named) != 1 or len(days) != 1 or days[0].kind != DAY or _OF_BAR.fullmatch(core) is None:
        return ""
    return f"{named[0].said}{days[0].said}{core}"


_FLOWS = pattern(r"北向|\bnorth-?bound\b", re.I)
_DAY_OF_MOST = pattern(
    r"(?:那|其中)?(?:是)?哪一?天(?:净)?(?:流[入出]|[买卖])(?:得|入|出)?最[多大少]的?|最[多大]的?(?:是)?(?:哪一?天)"
    r"|(?:on )?which day (?:was|had|saw|brought) (?:the )?(?:most|highest|biggest|largest)(?: \w+)?",
    re.I,
)
_DAY_OF_MOVE = pattern(
    r"(?:那|其中|它)?(?:是)?(?:哪一?[天日])(?:是)?[涨跌][得的]?最[多狠猛惨凶厉害好]+的?|[涨跌][得的]?最[多狠猛惨凶厉害好]+的?(?:那天)?是?(?:在)?哪一?[天日]"
)
_BEST_OF_DAYS = pattern(
    r"(?:on )?(?:which|what) (?:(?:one )?of (?:those|them|these)(?: days)?|day) (?:was|saw|brought|had) the "
    r"(?P<en>strongest|best|biggest|largest|weakest|worst)(?: (?:day|one|rise|gain|fall|drop|loss|move))?"
    r"|(?:那|其中|这些天里?|里面)*(?:哪一?天)(?:[涨跌]?得?最)(?P<zh>[多强好大猛弱差惨狠])的?",
    re.I,
)
"""Which of the days that were counted was the best, or the worst."""
_DAYS_COUNTED = pattern(r"[几多少]+(?:个交易日|[天日])|\bhow many (?:trading )?(?:days|sessions)\b", re.I)
_FELL = pattern(r"跌|绿|阴|\b(?:fell|fall|down|lower|drop\w*|los\w+|red|declin\w*)\b", re.I)
_SESSIONS = pattern(r"交易日|\b(?:trading days|sessions)\b", re.I)
_LEFT = pattern(
    r"(?:and )?how many (?:of them )?(?:are )?(?:still )?(?:to come|left|remaining|to go)"
    r"|(?:那|还|现在)*(?:还)?(?:剩|有)(?:下)?(?:多少|几)(?:个|天)?(?:没过|没到)?",
    re.I,
)


def ask_day_or_rest(core: str, last: str, today: date) -> str:
    """Return on which day the flow or the move before was largest, or how many of its sessions are left; else "".

    >>> day = date(2024, 3, 15)
    >>> ask_day_or_rest("哪天流入最多", "北向上个月净买入", day)
    '北向上个月净买入，哪天流入最多'
    >>> ask_day_or_rest("哪天跌得最狠", "宁德这周跌了多少", day)
    '宁德这周哪天跌得最狠'
    >>> ask_day_or_rest("how many still to come", "How many trading days in March?", day)
    'how many trading days are left in march'
    """
    if _FLOWS.search(last) and _DAY_OF_MOST.fullmatch(core):
        return f"{last.strip(' ?？')}{'，' if is_chinese(last) else ', '}{core}"
    if (best := _BEST_OF_DAYS.fullmatch(core)) and _DAYS_COUNTED.search(last):
        named = find_mentions(last)
        spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind not in (UNREAD, DAY)]
        if len(named) != 1 or len(spans) != 1:
            return ""
        most = (best["en"] or best["zh"]).casefold()
        falls = most in ("weakest", "worst", "弱", "差", "惨") or (
            most in ("biggest", "largest", "多", "大", "狠") and _FELL.search(core + last) is not None
        )
        if best["zh"]:
            return f"{named[0].said}{spans[0].said}哪天{'跌' if falls else '涨'}得最多"
        return f"on which day did {named[0].said} {'fall' if falls else 'rise'} the most {spans[0].said}"
    if _DAY_OF_MOVE.fullmatch(core):
        named = find_mentions(last)
        spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind not in (UNREAD, DAY)]
        return f"{named[0].said}{spans[0].said}{core}" if len(named) == len(spans) == 1 else ""
    if _SESSIONS.search(last) and _LEFT.fullmatch(core):
        said = " ".join(span.said for span in find_time_spans(last, today) if span.kind != UNREAD)
        return f"{said}还剩几个交易日" if is_chinese(last) else f"how many trading days are left {said}".strip()
    return ""
