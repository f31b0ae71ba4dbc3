"""Questions that go on with another end, place or line: the lowest, the second, the 50-day average, how far it is."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_words import (
    LEAD,
    LONGEST,
    OF_EXTREME,
    PRICE,
    SUPERLATIVE,
    blank_mentions,
    drop_lead,
    find_named,
    is_chinese,
)
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, find_time_spans
from ia.kernel.patterns import pattern

_OPPOSITE_EXTREMES = pattern(
    r"high low|highest lowest|largest smallest|biggest smallest|best worst|most least|furthest closest"
    r"|最高 最低|最大 最小|最多 最少"
    r"|最好 最差|高点 低点|最高点 最低点"
)
_EXTREME = pattern(
    r"\W*(?:是|的|在|距?离|波动率?|贝塔|回撤)*(?:(?:what|when|which|who) (?:was|is|one is|has) |on |the |one )*"
    r"(?P<word>highest|lowest|high(?=\W*$)|low(?=\W*$)|最?[高低]点|largest|smallest|biggest|best|worst|most|least"
    r"|furthest|closest|最[高低大小多少好差])"
    r"(?: (?:one|close|price|closing price|volatile|risky)| to its (?:high|peak)"
    r"|的?(?:那[天次])?(?:收盘)?价?(?:格)?)?(?:又?是(?:多少|哪天|几|谁|哪一?[只个])?)?\W*",
    re.I,
)


def ask_other_extreme(text: str, last: str) -> str:
    """Return the last question for its other extreme, as a whole one; "" where none is asked for.

    >>> ask_other_extreme("and the lowest?", "highest close of BYD"), ask_other_extreme("那最低呢", "茅台最高收盘价")
    ('lowest close of BYD', '茅台最低收盘价')
    """
    found = _EXTREME.fullmatch(drop_lead(text))
    if found is None:
        return ""
    word = found["word"].casefold()
    word = word.removeprefix("最") if word.endswith("点") else word  # 高点 is within 最高点
    for pair in map(str.split, _OPPOSITE_EXTREMES.pattern.split("|")):
        other = next((each for each in pair if word in pair and each != word), "")
        if other and (said := re.search(other if not other.isascii() else rf"\b{other}\b", last, re.I)):
            return last[: said.start()] + word + last[said.end() :]
    return ""


_PLACE = pattern(
    r"\W*(?:(?:what|which)(?: is|'s)? )?(?:the )?(?P<en>(?:second|third|fourth|2nd|3rd|4th)[- ]"
    r"(?P<word>biggest|largest|smallest|heaviest|best|worst|highest|lowest|cheapest|riskiest))"
    r"(?: (?:one|holding|position|stock))?\W*"
    r"|\W*(?P<zh>第[二三四](?P<of>[大小高低多少重好差贵]))的?(?:是|那)?(?:哪|一)?(?:只|个)?\W*",
    re.I,
)


def ask_other_place(text: str, last: str) -> str:
    """Return the last question for another place of its order, as a whole one; "" where none is asked for.

    >>> ask_other_place("and the second biggest?", "what is my biggest position")
    'what is my second biggest position'
    >>> ask_other_place("第二大的呢", "我最大的持仓是哪只")
    '我第二大的持仓是哪只'
    """
    found = _PLACE.fullmatch(drop_lead(text))
    said = list(SUPERLATIVE.finditer(last))
    if found is None or len(said) != 1:
        return ""
    own = said[0][0].casefold()
    if found["zh"]:
        same = own.endswith(found["of"])
    else:
        same = {own, found["word"].casefold()} <= {"biggest", "largest"} or own == found["word"].casefold()
    if not same:
        return ""
    return last[: said[0].start()] + (found["en"] or found["zh"]) + last[said[0].end() :]


_RANKED_FIGURE = pattern(
    r"市[盈净销]率|股息率|市值|换手率|成交额|成交量|涨幅|跌幅|(?<![a-z])(?:p/?[ebs]|roe|dividend yield"
    r"|market cap)(?![a-z])",
    re.I,
)
_RANKING = pattern(
    r"最[高低大小]|前[\d一二三四五十]|\b(?:highest|lowest|largest|smallest|biggest|cheapest|top)\b", re.I
)


def ask_other_figure(text: str, last: str) -> str:
    """Return the last question, a ranking of no named security, for another figure; "" where none is asked for.

    >>> ask_other_figure("那市盈率呢", "哪只银行股市净率最低"), ask_other_figure("市盈率呢", "茅台市净率")
    ('哪只银行股市盈率最低', '')
    """
    core = drop_lead(text)
    said = list(_RANKED_FIGURE.finditer(last))
    if _RANKED_FIGURE.fullmatch(core) is None or len(said) != 1 or not _RANKING.search(last) or find_mentions(last):
        return ""
    return f"{last[: said[0].start()]}{core}{last[said[0].end() :]}"


BARE_PLACE = pattern(
    r"^\W*(?:那|那么)?(?:排)?第(?P<n>[二三四2-4])(?:大|名|位|高|多|重|个|只)?(?:的)?"
    r"(?:呢|是谁|是哪[只个]|是什么|股票|持仓|[?？])*\W*$"
)
_FIRST = pattern(
    r"前(?:[二两三四五六七八九十]|\d+)(?=大)|最(?=[大重赚亏惨好差牛强多])|第[一二三四](?=[大重赚亏惨好差牛强多])"
)
_OWN_RANKING = pattern(r"持仓|仓位|持有|重仓|我|赚|亏")


def place_in(text: str, last: str) -> str:
    """Return the last question for the place that a text names; "" where it is no ranking, or the text names none.

    >>> place_in("第三的呢", "我的前三大持仓是哪些"), place_in("第二呢", "茅台和五粮液谁贵")
    ('我的第三大持仓是哪些', '')
    """
    found = BARE_PLACE.match(text)
    if found is None or not _OWN_RANKING.search(last) or find_mentions(last) or len(_FIRST.findall(last)) != 1:
        return ""
    place = found["n"].translate(str.maketrans("234", "二三四"))
    return _FIRST.sub(f"第{place}", last)


_SIZE = pattern(r"(?P<n>\d+)(?=[- ]?days?\b|[日天](?:均?线|均价))", re.I)
_ITS_AVERAGE = pattern(
    r"(?:over |for |of )?(?:its |the |their )?(?P<n>\d+)(?:[- ]?days?(?: (?:moving )?(?:average|one))?"
    r"|[日天](?:均?线|均价)?的?)?"
    r"(?: (?:one|average))?",
    re.I,
)
_ON_WHICH_SIDE = pattern(
    r"(?:is |does )?(?:the )?(?:price|close|it|stock|share)(?: (?:is|trad\w+|now|currently))*"
    r" (?P<side>above|below|over|under) (?:it|that|this)(?: one| line| average)?"
    r"(?: (?:now|right now|today))?",
    re.I,
)


def ask_other_average(text: str, last: str) -> str:
    """Return the last question for another average, or on which side of it the price is; "" where neither is asked.

    >>> ask_other_average("and its 50 day?", "is Moutai above its 200-day average")
    'is Moutai above its 50-day average'
    >>> ask_other_average("is the price above it?", "What is the 60-day average of BYD")
    'is BYD above its 60-day average'
    """
    said, named = _SIZE.search(last), find_named(last)
    if said is None or len(_SIZE.findall(last)) != 1:
        return ""
    core = drop_lead(text)
    if (LEAD.search(text) or not text.strip(" ?？。").isdigit()) and (found := _ITS_AVERAGE.fullmatch(core)):
        return last[: said.start()] + found["n"] + last[said.end() :]
    if {each.code for each in find_mentions(core)} == {each.code for each in named}:
        core = strip_mentions(core, "it")
    if len(named) == 1 and not is_chinese(text) and (found := _ON_WHICH_SIDE.fullmatch(core)):
        return f"is {named[0].said} {found['side']} its {said['n']}-day average"
    return ""


_THERE = pattern(
    r"(?:那|那么|现在的?|目前的?|今天的?|现价|股价|价格|收盘价?|它)*[比离距跟和与较]?(?:现价|现在|今天)?(?:它"
    r"|这个?价?|那个?价?|那时候?|当时|那天|那里|这里|此)?"
    r"(?:的|又|还|要|有|相[比差]|已经?|离|距)*(?:[低高差跌涨远]|[低高跌涨]了)(?:了)?(?:多少|几个?点|百分之几"
    r"|多远|几成)(?:个?点|钱)?(?:呢|了)?"
    r"|(?:and |so |then )*how (?:far|much) (?:(?:above|below|under|over|off|away) )?(?:from )?(?:it |that |there )?"
    r"(?:is|are) (?:it|we|the (?:price|stock|share)s?)"
    r"(?: (?:now|today))?(?: (?:above|below|from|off|under|over|away from) (?:it|that|there))?(?: (?:now|today))?",
    re.I,
)
"""How far a price is from the one that was spoken of: 现价比它低多少."""
_ASKED_HOW_MUCH = pattern(
    r"(?:是|在|有|为)*(?:多少|几|哪|什么)(?:块|元|钱|时候|一?天)*(?:呢|的)?\W*$|[?？]"
    r"|^\W*(?:what(?:'s| is| was| were)|when was)\s+(?:the )?",
    re.I,
)


_FROM_END = pattern(
    r"(?:那|现在|现价|目前|它|今天)*[离距比](?:那个|这个)?(?P<zh>最[高低])(?:点|价|收盘价?)?(?:还)?(?:有|差|低"
    r"|高)了?多(?:少|远)"
)
"""How far a price is from the extreme that was spoken of."""


def measure_from_there(text: str, last: str, today: date) -> str:
    """Return how far the price is from an extreme or from the price of a day that was spoken of; "" for another.

    >>> measure_from_there("现价比它低多少", "茅台250日最高价是多少", date(2024, 3, 15))
    '茅台250日最高价和现在差多少'
    >>> measure_from_there("现在涨了多少", "茅台3月1日收盘价", date(2024, 3, 15))
    '茅台3月1日到现在涨跌多少'
    """
    named = find_named(last)
    if len(named) == 1 and (found := _FROM_END.fullmatch(text.strip(" ?？。,，"))) and found["zh"] in last:
        core = _ASKED_HOW_MUCH.sub("", last).strip(" ?？")
        return f"{core}{'价' if core.endswith(('最高', '最低')) else ''}和现在差多少"
    if len(text) > LONGEST * 2 or len(named) != 1 or _THERE.fullmatch(text.strip(" ?？。,，")) is None:
        return ""
    core = _ASKED_HOW_MUCH.sub("", last).strip(" ?？")
    bare = blank_mentions(core)
    if OF_EXTREME.search(bare):
        return f"{core}和现在差多少" if is_chinese(last) else f"how far is it now from {core}"
    days = [span for span in find_time_spans(bare, today) if span.kind == DAY and span.first and span.first < today]
    if len(days) != 1 or not PRICE.search(bare):
        return ""
    return (
        f"{named[0].said}{days[0].said}到现在涨跌多少"
        if is_chinese(last)
        else f"{named[0].said} change since {days[0].said}"
    )


_STOP = pattern(r"止损|\bstop(?:[- ]?loss)?\b", re.I)
_DISTANCE = pattern(
    r"(?:and |so |then )*how (?:far|much) (?:(?:above|below|under|over|off|away) )?(?:from )?(?:it |that |there )?"
    r"(?:is|are) (?:it|we|the (?:price|stock|share)s?)(?: (?:now|today))?"
    r"(?: (?:above|below|from|off|under|over|away from) (?:it|that|there))?(?: (?:now|today))?"
    r"|(?:那|那么|现在|现价|股价|它)*(?:离|距|比)?(?:那里?|那个价|它|这个价)?(?:还)?(?:有|差|高|低)?多(?:远|少)",
    re.I,
)
_FROM_BOTH = pattern(
    r"how (?:far|much)(?: away| off)? (?:are|is) (?:we|it|the (?:price|stock)) (?:away )?from (?:both|each"
    r"|either|the two|them)"
    r"(?: of (?:them|those))?(?: now)?"
    r"|(?:那|现在|现价|目前)*[离距](?:这|那)?(?:两个|两者|俩|二者)(?:价位?|价格)?(?:各|分别|都)*(?:还)?(?:有"
    r"|差)?多[少远]",
    re.I,
)
"""Asks for the distance from the target and from the stop."""
_FIGURE_END = pattern(
    r"(?P<word>highest|lowest)(?P<what> (?:close|closing price|price))?|\b(?P<noun>high|low|peak|bottom)\b", re.I
)


def say_distance(core: str, last: str, today: date) -> str:
    """Return how far the price is from the stop or the extreme that was spoken of; "" for another."""
    both = _FROM_BOTH.fullmatch(core)
    if _DISTANCE.fullmatch(core) is None and both is None:
        return ""
    named = [each for each in find_mentions(last) if each.symbol.kind != "index"]
    bare = strip_mentions(last)
    if len(named) != 1:
        return ""
    if both is not None:
        if not re.search(r"止损|目标|\b(?:stop|target)\b", bare, re.I):
            return ""
        return (
            f"{named[0].said}离我的目标价和止损各差多少"
            if is_chinese(core)
            else f"how far is {named[0].said} from my target and my stop"
        )
    if _STOP.search(bare):
        return f"{named[0].said}离我的止损还有多远" if is_chinese(last) else f"how far is {named[0].said} from my stop"
    word = _FIGURE_END.search(bare)
    if word is None or is_chinese(last):
        return ""
    times = " ".join(span.said for span in find_time_spans(bare, today) if span.kind != UNREAD)
    said = f"{word['word']}{word['what'] or ' price'}" if word["word"] else word["noun"]
    return f"how far is {named[0].said} from its {said} {times}".strip()
