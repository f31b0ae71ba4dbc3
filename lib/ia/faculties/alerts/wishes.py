"""A wish for an alert, in Chinese or English: 宁德时代跌破80就通知我; tell me when AAPL closes above 200.

The wish is taken apart: security, condition, and what is left, which the alert repeats. Nothing is dropped: what cannot
be read is asked back.
"""

import re
from typing import NamedTuple

from ia.faculties.alerts.conditions import HINT, Condition, read_condition
from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern

_TELL_ZH = (
    r"(?:就|则|再|请|马上|立即|立刻|便|要|务必|记得|帮我)*"
    r"(?:提醒|通知|告诉|告知|叫|喊|发消息给|推送给)(?:一下|一声)?(?:我|一下|一声)+"
)
_IF_ZH = r"(?:如果|要是|假如|一旦|当|等到?|若是?|只要|每当|每次)?"
_THEN_ZH = r"(?:的?时候?|之后|以后|后|就|的话|了)*[\s,，、:：]*"
_TELL_EN = (
    r"(?:please\s+)?"
    r"(?:(?:alert|notify|warn|ping|text|message|tell|remind|inform)\s+me|let\s+me\s+know|give\s+me\s+an?\s+alert)"
)
_WHEN_EN = r"(?:when(?:ever)?|if|once|as\s+soon\s+as|in\s+case|each\s+time|every\s+time)"
_SET = r"(?:(?:please\s+)?(?:set|create|add|make)\s+(?:me\s+)?an?\s+(?:price\s+)?alert\s+(?:for|on|when|if)?)"
_SET_ZH = r"(?:(?:请|帮我|给我)*(?:设|建|加|定|来|要|开)(?:置|立)?(?:一?个|条)?)"
_NUMBER = r"[$¥￥]?\s*(?:\d[\d,]*(?:\.\d+)?|[零〇一二两三四五六七八九十百千]+)\s*(?:%|％|个点)?"
_UNIT_ZH = r"\s*(?:元|块钱?|港元|美元|点)?(?:[以之][上下])?"
_UNIT_EN = r"(?:\s*(?:yuan|rmb|cny|hkd|usd|dollars?|bucks))?"
_MOVE_ZH = (
    r"(?:收盘价?|股价|价格|的|又|再|重新|再次|向上|向下|有效|能|会|一)*"
    r"(?:跌破|跌穿|击穿|失守|低于|小于|少于|下破|低过|突破|升破|涨破|涨过|站上|站稳|高于|大于|超过|升穿|上破|冲破|高过|跌到|跌至|跌"
    r"|下跌到?|降到|降至|回落到|回落至|回调到|回调至|涨到|涨至|涨|上涨到?|升到|升至|反弹到|反弹至|冲到|不低于|不高于|达到|触及|碰到"
    r"|回到|到达|到|[<>≤≥＜＞]=?)了?\s*"
)
_LINE_ZH = r"\d{1,3}\s*(?:日|天)?(?:均线|线)|MA\s*\d{1,3}|年线|半年线"
_MOVE_EN = (
    r"(?:(?:its|the|share|stock|closing|close|price|daily|it)\s+)*"
    r"(?:(?:clos(?:e|es|ed|ing)|falls?|drops?|goes?|go|gets?|dips?|sinks?|trades?|is|breaks?|rises?|climbs?|jumps?|moves?"
    r"|crosses|declines?|rallies|gains?|slides?|slips?|loses?|comes?)\s+)?(?:back\s+)?"
    r"(?:below|under|beneath|above|over|through|past|beyond|(?:lower|less|higher|more|greater)\s+than|(?:up\s+|down\s+)?to|at|by"
    r"|exceeds?|tops|hits?|reach(?:es)?|touch(?:es)?|rises?|falls?|drops?|[<>≤≥]=?)\s*(?:the\s+|its\s+)?"
)
_LINE_EN = r"\d{1,3}[- ]day\s+(?:moving\s+)?average|(?:sma|ma)\s*\d{1,3}"
_RSI = r"(?:的?\s*RSI\s*(?:\(\s*\d{1,3}\s*\))?(?:\s*\d{1,3}(?=\s*(?:日|天)))?\s*)"
_CONDITION_ZH = rf"(?P<cond>{_RSI}?{_MOVE_ZH}(?:{_LINE_ZH}|{_NUMBER}{_UNIT_ZH}))"
_CONDITION_EN = rf"(?P<cond>(?:(?:'s|’s)?\s*{_RSI})?\s*{_MOVE_EN}(?:{_LINE_EN}|{_NUMBER}{_UNIT_EN}))"
_FORMS = (
    pattern(rf"{_IF_ZH}(?P<sec>.+?){_CONDITION_ZH}{_THEN_ZH}{_TELL_ZH}(?P<rest>.*)", re.I | re.S),
    pattern(rf"{_TELL_ZH}[\s,，:：]*{_IF_ZH}(?P<sec>.+?){_CONDITION_ZH}(?:的?时候?|的话|了)*(?P<rest>.*)", re.I | re.S),
    pattern(rf"{_SET_ZH}?(?P<sec>.+?){_CONDITION_ZH}的?(?:价格|到价)?(?:提醒|预警|警报)(?P<rest>.*)", re.I | re.S),
    pattern(rf"{_TELL_EN}\s+{_WHEN_EN}\s+(?P<sec>.+?)\s*{_CONDITION_EN}(?P<rest>.*)", re.I | re.S),
    pattern(rf"{_WHEN_EN}\s+(?P<sec>.+?)\s*{_CONDITION_EN}\s*[,;]?\s*(?:then\s+)?{_TELL_EN}(?P<rest>.*)", re.I | re.S),
    pattern(rf"{_SET}\s*(?P<sec>.+?)\s*{_CONDITION_EN}(?P<rest>.*)", re.I | re.S),
)
_CONDITION = pattern(f"{_CONDITION_ZH}|{_CONDITION_EN.replace('<cond>', '<cond_en>')}", re.I)
_ALERTS = pattern(
    rf"{_TELL_ZH}|{_TELL_EN}\s+{_WHEN_EN}|{_WHEN_EN}\b.+{_TELL_EN}|\balerts?\b|(?:到价|价格|股价)的?(?:提醒|预警)|预警|(?:设|建|加|定|来|要)\S{{0,40}}提醒",
    re.I,
)
_MOVES = pattern(
    rf"{_MOVE_ZH}\s*(?:{_NUMBER}|{_LINE_ZH})|[涨跌]停|新[高低]|{_MOVE_EN}\s*(?:{_NUMBER}|{_LINE_EN})", re.I
)
_INTRADAY = pattern(r"盘中|实时|随时|\bintra-?day\b|\breal[- ]?time\b|\bduring the session\b", re.I)
_NEGATED = pattern(
    r"(?:不要?|别|不用|不必|取消|删除?|停)\S{0,6}(?:提醒|通知|告诉|预警)|\b(?:don'?t|do not|never|stop|cancel)\b",
    re.I,
)
_PERCENT = pattern(r"[%％]|个点")
_RHYTHM = pattern(
    r"每个?(?:天|日|周|月|交易日|小时)|\bevery\s+(?:day|week|month|hour|trading)|\bdaily\b|\d{1,2}[:：]\d{2}", re.I
)
_LINE = pattern(
    r"(?P<n>\d{1,3})\s*(?:日|天)?(?:均线|线)|(?:sma|ma)\s*(?P<m>\d{1,3})|(?P<d>\d{1,3})[- ]day|(?P<y>半?年线)", re.I
)
_UP = pattern(
    r"突破|升破|涨破|涨过|站上|站稳|高于|大于|超过|升穿|上破|冲破|高过|涨到|回到|above|over|through|past|beyond|exceed|tops|>",
    re.I,
)
_DOWN = pattern(r"跌|击穿|失守|低于|小于|少于|下破|低过|below|under|beneath|<", re.I)
_NUMBER_IN = pattern(rf"({_NUMBER})\s*(?:元|块钱?|点|[以之][上下])*\Z", re.I)


class AlertWish(NamedTuple):
    """A wish taken apart: the words for the security, its condition, and what is left of the wish."""

    security: str
    condition: Condition
    note: str


def is_alert_wish(text: str) -> bool:
    """Return True if a text asks to be told when a price moves, and names no other rhythm."""
    if _NEGATED.search(text) or _RHYTHM.search(text):
        return False
    return bool(_ALERTS.search(text) and _MOVES.search(text))


def read_alert_wish(text: str) -> AlertWish:
    """Return the parts of a wish for an alert.

    Raises:
        BadData: it cannot be taken apart, or its price has no direction.

    >>> read_alert_wish("宁德时代跌破80就通知我")
    AlertWish(security='宁德时代', condition=Condition(expression='close < 80'), note='')
    >>> read_alert_wish("tell me when AAPL closes above 200, then sell a third")
    AlertWish(security='AAPL', condition=Condition(expression='close > 200'), note='then sell a third')
    """
    said = " ".join(text.split()).strip(" 。.!！")
    if found := _INTRADAY.search(said):
        raise BadData(
            "{word}: ia looks at an alert after each close, not during the session",
            word=found[0],
            hint="leave this word out, and the closing price counts",
        )
    for form in _FORMS:
        if found := form.fullmatch(said):
            if _CONDITION.search(found["sec"]):
                raise _two_conditions_error(found["sec"])
            security = re.sub(r"(?:的|'s|’s|，|,|\s)+\Z", "", found["sec"]).strip()
            security = re.sub(r"^(?:the\s+)?(?:price|close|stock|shares?)\s+of\s+", "", security, flags=re.I)
            return AlertWish(security, read_said_condition(found["cond"]), found["rest"].strip(" ,，。.;；、:："))
    conditions = list(_CONDITION.finditer(said))
    if len(conditions) > 1:
        raise _two_conditions_error(conditions[0][0])
    if conditions:  # the words around it are repeated, and whoever knows securities finds this one
        return AlertWish("", read_said_condition(conditions[0][0]), said)
    raise BadData(
        "the condition of the alert is not clear",
        hint="give security and condition: `ia alert 300750 'close < 80'`",
    )


def _two_conditions_error(words: str) -> BadData:
    return BadData(
        "{text}: a second condition",
        text=words.strip(),
        hint="set one alert for each, or one expression: (close < 75) | (close > 100)",
    )


def read_said_condition(words: str) -> Condition:
    """Return the condition that words of a sentence mean: of a price, an average, or the RSI."""
    bare = re.sub(r"^(?:\s|的|['’]s)+|[\s的]+\Z", "", words)
    if _PERCENT.search(bare):
        raise BadData(
            "{text}: a change from which price?",
            text=bare,
            hint="for a change in one day: 'roc(close, 1) < -5'; from a price of yours, write the price: 'close < 80'",
        )
    if rsi := re.match(r"RSI\s*\(?\s*(\d{1,3})?\s*\)?(?:\s*[日天])?", bare, re.I):
        number, sign = _NUMBER_IN.search(bare), _direction(bare[rsi.end() :])
        if number is None or not sign:
            raise BadData("{text}: above or below which number?", text=bare, hint=HINT)
        return Condition(f"rsi(close, {rsi[1] or 14}) {sign} {number[1].strip()}")
    if line := _LINE.search(bare):
        sign = _direction(bare[: line.start()])
        if not sign:
            raise BadData("{text}: from which side?", text=bare, hint="'close < sma(close, 20)', or '>'")
        days = line["n"] or line["m"] or line["d"] or {"年线": "250", "半年线": "120"}[line["y"]]
        return Condition(f"close {sign} sma(close, {days})")
    return read_condition(bare)


def _direction(words: str) -> str:
    """Return the sign that words mean; "" for none, or both."""
    up, down = bool(_UP.search(words)), bool(_DOWN.search(words))
    return "" if up == down else ">" if up else "<"
