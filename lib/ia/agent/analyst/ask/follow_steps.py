"""Steps from one question to the next: the day before, the same of another one, in another currency, the distance."""

import re
from datetime import date, timedelta

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, TimeSpan, blank_spans, find_time_spans
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
_IN_MONEY = pattern(
    r"(?:(?:and )?(?:what|how much) (?:is|was) (?:it|that) )?in (?:chinese )?"
    r"(?P<en>yuan|rmb|cny|renminbi|us dollars|usd|hkd|(?:hk|hong kong) dollars|dollars)"
    r"|(?:换算?成?|折合?成?|折算成?|用|按|合|是)?(?:多少)?(?P<zh>人民币|美[元金]|港[币元])(?:计价?|算|来算)?"
    r"(?:是|合|等于)?(?:多少)?(?:钱)?",
    re.I,
)
_SAME = pattern(
    r"\W*(?:and |so |then |now |ok(?:ay)? )*(?:do )?(?:the )?same(?: thing| question| again)?"
    r" (?:for|with|about|of|on) (?P<en>.+?)(?: please)?\W*"
    r"|(?:那|那么)?(?:同样|一样)的?(?:问题|指标)?(?:再)?(?:问|查|看|算)?(?:一下|一遍|看)?(?P<zh>.+?)的?\W*"
    r"|(?:那|那么)?(?P<too>.+?)也(?:同样|一样)?(?:来一[个遍下]|[查看算](?:一下|一遍|看)?|是?多少)\W*",
    re.I,
)
_STOP = pattern(r"止损|\bstop(?:[- ]?loss)?\b", re.I)
_DISTANCE = pattern(
    r"(?:and |so |then )*how (?:far|much) (?:(?:above|below|under|over|off|away) )?(?:from )?(?:it |that |there )?"
    r"(?:is|are) (?:it|we|the (?:price|stock|share)s?)(?: (?:now|today))?"
    r"(?: (?:above|below|from|off|under|over|away from) (?:it|that|there))?(?: (?:now|today))?"
    r"|(?:那|那么|现在|现价|股价|它)*(?:离|距|比)?(?:那里?|那个价|它|这个价)?(?:还)?(?:有|差|高|低)?多(?:远|少)",
    re.I,
)
_EXTREME = pattern(
    r"(?P<word>highest|lowest)(?P<what> (?:close|closing price|price))?|\b(?P<noun>high|low|peak|bottom)\b", re.I
)


def is_chinese(text: str) -> bool:
    """Return True if a text has Chinese characters."""
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def find_next_step(core: str, last: str, today: date) -> str:
    """Return a question that takes one step from the one before as a whole one; "" for another.

    core  the question without its lead: "and", "那"

    >>> day = date(2024, 3, 15)
    >>> find_next_step("the day before", "what did BYD close at on 2024-03-12", day)
    'what did BYD close at on 2024-03-11'
    >>> find_next_step("前一天", "茅台3月11日收盘价", day), find_next_step("换成人民币", "苹果股价", day)
    ('茅台2024-03-08收盘价', '苹果股价折合人民币')
    >>> find_next_step("in yuan", "price of Apple?", day), find_next_step("in yuan", "how are you", day)
    ('price of Apple in yuan', 'how are you in yuan')
    >>> find_next_step("how far below that is it", "highest close of BYD this year?", day)
    'how far is BYD from its highest close this year'
    """
    return (
        _step_day(core, last, today)
        or find_other_market(core, last)
        or _change_currency(core, last)
        or _say_distance(core, last, today)
    )


_CLASSES = (pattern(r"港股|美股|[Aa]股"), pattern(r"人民币|美[元金]|港[币元]"))
_SESSIONS = pattern(r"交易日|开市|休市|开盘|放假|闭市")


def find_other_market(core: str, last: str) -> str:
    """Return the last question for another market or currency; "" where it named none, or several.

    >>> find_other_market("美股", "我的港股赚了多少人民币"), find_other_market("港股", "下个交易日是哪天")
    ('我的美股赚了多少人民币', '港股下个交易日是哪天')
    >>> find_other_market("美股", "茅台多少钱")
    ''
    """
    core = core.removesuffix("账户").removesuffix("的")
    for words in _CLASSES:
        if words.fullmatch(core) is None:
            continue
        said = list(words.finditer(last))
        if len(said) == 1 and said[0][0] != core:
            return last[: said[0].start()] + core + last[said[0].end() :]
        if not said and words is _CLASSES[0] and _SESSIONS.search(last):
            return core + last
    return ""


def name_same(text: str, today: date) -> str:
    """Return what "same for Apple" asks for: the security or the time; "" for any other text.

    >>> name_same("same for Apple", date(2024, 3, 15)), name_same("苹果也查一下", date(2024, 3, 15))
    ('Apple', '苹果')
    """
    found = _SAME.fullmatch(text)
    said = (found["en"] or found["zh"] or found["too"] or "").strip() if found else ""
    if not said:
        return ""
    bare = strip_mentions(said)
    spans = find_time_spans(bare, today)
    left = re.sub(r"(?:\b(?:and|the|in|on|for)\b|[和与、的]|\W)+", "", blank_spans(bare, spans))
    return said if not left and (spans or find_mentions(said)) else ""


def _step_day(core: str, last: str, today: date) -> str:
    """Return the last question for the day, or the week, before or after its own; "" where none is asked for."""
    found, week = _DAY_STEP.fullmatch(core), _WEEK_STEP.fullmatch(core)
    if found is None and week is None:
        return ""
    spans = [span for span in find_time_spans(_blank_names(last), today) if span.kind != UNREAD]
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


def _put(last: str, spans: list[TimeSpan], time: str, *, chinese: bool) -> str:
    """Return a question with a time in the place of its own, or at its end."""
    if not spans:
        return f"{time}{last}" if chinese else f"{last.strip(' ?')} {time}"
    at = spans[0].at
    return re.sub(r"\bon (?=on\b|from\b)", "", f"{last[: at[0]]}{time}{last[at[1] :]}")


def _change_currency(core: str, last: str) -> str:
    """Return the last question for another currency; "" where none is asked for, or it names one already."""
    found = _IN_MONEY.fullmatch(core)
    if found is None or find_currencies(strip_mentions(last)):
        return ""
    if is_chinese(last):
        names = {"USD": "美元", "HKD": "港币", "CNY": "人民币"}
        said = found["zh"] or names.get(next(iter(find_currencies(found["en"])), ""), "")
        asked = re.sub(r"(?:现在)?(?:是)?(?:多少钱?|几[块元])?(?:呢|吗)?\W*$", "", last)
        return f"{asked}折合{said}" if said else ""
    english = {"美": "us dollars", "港": "hong kong dollars", "人": "yuan"}
    return f"{last.strip(' ?.')} in {found['en'] or english[found['zh'][0]]}"


def _say_distance(core: str, last: str, today: date) -> str:
    """Return how far the price is from the stop or the extreme that was spoken of; "" for another."""
    if _DISTANCE.fullmatch(core) is None:
        return ""
    named = [each for each in find_mentions(last) if each.symbol.kind != "index"]
    bare = strip_mentions(last)
    if len(named) != 1:
        return ""
    if _STOP.search(bare):
        return f"{named[0].said}离我的止损还有多远" if is_chinese(last) else f"how far is {named[0].said} from my stop"
    word = _EXTREME.search(bare)
    if word is None or is_chinese(last):
        return ""
    times = " ".join(span.said for span in find_time_spans(bare, today) if span.kind != UNREAD)
    said = f"{word['word']}{word['what'] or ' price'}" if word["word"] else word["noun"]
    return f"how far is {named[0].said} from its {said} {times}".strip()


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


def _blank_names(text: str) -> str:
    """Return a text of the same length without the securities that it names."""
    for each in find_mentions(text):
        text = text.replace(each.said, " " * len(each.said))
    return text
