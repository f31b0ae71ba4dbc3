"""Questions that go on with what was told just now: the same stretch of time, two days, the line that was named."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_words import ELSEWHERE, ITS, attach_names, blank_mentions, find_named, is_chinese
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, TimeSpan, find_time_spans
from ia.kernel.patterns import pattern

_SAME_TIME = pattern(
    r",? *\b(?:over|in|during|for|within|across) (?:the|that|this) (?:very )?same (?:period|time|stretch|window|span"
    r"|time ?frame)(?: of time)?(?=\W*$)"
    r"|[，,]?\s*在?(?:同一|同样|相同|一样)的?(?:段|个)?(?:时间段?|时期|区间|期间|段)(?:里|内)?的?",
    re.I,
)
_PREPOSED = pattern(r"(?:in|on|over|during|since|from|for|this|last|today|yesterday|year|ytd|between|until)\b", re.I)


def put_same_time(text: str, last: str, today: date) -> str:
    """Return a question with the time of the one before, and its securities, where it says that the time is the same.

    >>> put_same_time("最大回撤呢，同一段", "腾讯近20日涨跌", date(2024, 3, 15))
    '腾讯近20日最大回撤'
    >>> put_same_time("and its drawdown over the same period?", "beta of BYD over the past year", date(2024, 3, 15))
    "and BYD's drawdown over the past year"
    >>> put_same_time("and its drawdown?", "beta of BYD over the past year", date(2024, 3, 15))
    'and its drawdown?'
    """
    found, spans = _SAME_TIME.search(text), _spans_of(last, today)
    if found is None or len(spans) != 1:
        return text
    said, rest = last[spans[0].at[0] : spans[0].at[1]].strip(), text[: found.start()] + text[found.end() :]
    named = [] if find_mentions(text) or ELSEWHERE.search(text) else [each.said for each in find_named(last)]
    if is_chinese(text):
        return f"{'、'.join(named)}{said}{ITS.sub('', rest) if named else rest}".rstrip("呢 ?？。")
    timed = f"{rest.rstrip(' ?.')} {said if _PREPOSED.match(said) else f'over {said}'}"
    return (
        _OWNED.sub(f"{named[0]}'s", timed, count=1)
        if named and _OWNED.search(timed)
        else attach_names(find_named(last) if named else [], timed)
    )


_OWNED = pattern(r"\b(?:its|their)\b", re.I)


def _spans_of(text: str, today: date) -> list[TimeSpan]:
    return [span for span in find_time_spans(blank_mentions(text), today) if span.kind != UNREAD]


_BETWEEN = pattern(
    r"\W*(?:(?:and|so|then)\b[, ]*)*(?:what(?:'s| is| was)|by how much|how much(?: is| was)?)?(?: ?the)?"
    r"(?: ?(?:per ?cent(?:age)?|%|price|relative|total))* ?(?:change|difference|move|gain|return|rise|drop)\b"
    r"(?: in per ?cent)? (?:between|of|across) (?:the|those|these|both)?(?: (?:two|of them|dates|days|closes|prices"
    r"|figures))*(?: in per ?cent)?\W*"
    r"|\W*(?:那|那么)?(?:这|那)?(?:两[个天日者次]|俩)(?:日期|日子|价格?|收盘价?|数字?)?(?:之间|之|间|相比|比)?的?"
    r"(?:相?差|涨跌|变化|变动|涨幅|跌幅|涨|跌)(?:幅度?)?了?(?:是|有)?(?:多少|几个点|百分之几|百分之多少)?(?:个点)?\W*",
    re.I,
)


def change_between(text: str, last: str, older: str, today: date) -> str:
    """Return the change between the days of the two questions before, of one security; "" for another question.

    >>> change_between("the percentage change between those two?", "CATL close on 2024-02-29",
    ...                "CATL close on 2023-12-29", date(2024, 3, 15))
    'CATL change from 2023-12-29 to 2024-02-29'
    """
    if _BETWEEN.fullmatch(text) is None:
        return ""
    named = {each.code for each in (*find_mentions(last), *find_mentions(older))}
    days = {span.first for said in (last, older) for span in _spans_of(said, today) if span.kind == DAY and span.first}
    if len(named) != 1 or len(days) != 2:
        return ""
    said, (begin, end) = find_mentions(last)[0].said, sorted(days)
    return f"{said}{begin}到{end}涨跌多少" if is_chinese(text) else f"{said} change from {begin} to {end}"


_VOLUME = pattern(r"成交量|\bvolume\b", re.I)
_ITS_MEAN = pattern(
    r"\W*(?:(?:and|so)\b[, ]*)*(?:(?:how (?:does|do|did) (?:that|it|this) compare"
    r"|(?:is|was) (?:that|it|this)"
    r" (?:more|less|higher|lower|above|below)(?: or (?:less|lower|below))?"
    r"|compared)(?: (?:to|with|than))?|against|versus|vs\.?)"
    r" (?:its |the )?(?P<en>\d+)[- ](?:day|session) (?:average|mean)(?: volume)?\W*"
    r"|\W*(?:那|这)?(?:跟|和|与|比|较)(?:最?近|过去)?(?P<zh>\d+)[日天](?:的)?(?:平均|均量|均值|平均值|均)(?:成交量|量)?"
    r"(?:相比|比|比较)?(?:起来)?(?:[多大高少](?:了)?(?:还是[多大高少]了?)?(?:多少)?|怎么样|如何)?(?:吗|呢)?\W*",
    re.I,
)
_LAST_SIDE = pattern(
    r"\W*(?:(?:and|so)\b[, ]*)*when did (?:it|the (?:price|stock|share)) last (?P<en>(?:fall|drop|break|go|close|rise"
    r"|get)(?: back)? (?:below|under|above|over))(?: (?:it|that|this|there|that (?:line|average)))?\W*"
    r"|\W*(?:那|它)?(?:上一?次|最后一次|最近一次)(?P<zh>跌破|站上|突破|失守|收复)(?:它|年线|均?线|这条线)?(?:是)?(?:在)?"
    r"(?:哪一?天|什么时候|何时|几号)\W*",
    re.I,
)
_LINE = pattern(
    r"(?P<n>\d{1,3})[- ]?(?:日|天|day)(?:的)?(?:均?线| (?:moving )?average)|(?P<year>年线)|(?P<half>半年线)", re.I
)


_DAY_OF = pattern(r"\bon (?:\d{4}-\d\d-\d\d|[a-z]{3,9} \d{1,2}|\d{1,2} [a-z]{3,9})\b", re.I)


def ask_of_line(text: str, last: str) -> str:
    """Return a question for the average that was named: the volume against it, when the price last broke it; else "".

    >>> ask_of_line("How does that compare with its 20-day average?", "trading volume of Apple")
    'volume of Apple against its 20-day average'
    >>> ask_of_line("上次跌破是哪天", "茅台年线在哪")
    '茅台上次跌破250日线是哪天'
    """
    named, chinese = find_named(last), is_chinese(text)
    if len(named) != 1:
        return ""
    if (mean := _ITS_MEAN.fullmatch(text)) and _VOLUME.search(last):
        size, day = mean["en"] or mean["zh"], _DAY_OF.search(last)
        if day and not chinese:
            return f"was {named[0].said} volume {day[0]} above its {size}-day average"
        if chinese:
            return f"{named[0].said}成交量和{size}日均量相比"
        return f"volume of {named[0].said} against its {size}-day average"
    side, line = _LAST_SIDE.fullmatch(text), _LINE.search(last)
    if side is None or line is None:
        return ""
    size = line["n"] or ("120" if line["half"] else "250")
    if chinese:
        return f"{named[0].said}上次{side['zh']}{size}日线是哪天"
    return f"when did {named[0].said} last {side['en']} its {size}-day average"
