"""A wish for an alert, in Chinese or English: 宁德时代跌破80就通知我; tell me when AAPL closes above 200.

The wish is taken apart: security, condition, and what is left, which the alert repeats. Nothing is dropped: what cannot
be read is asked back.
"""

import re
from typing import NamedTuple

from ia.domain.speech.numerals import parse_count
from ia.faculties.alerts.conditions import HINT, Condition, find_price_condition, read_condition
from ia.faculties.alerts.measures import CLOSE, refuse_figures, take_measure
from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern

_TELL_ZH = (
    r"(?:就|则|再|请|马上|立即|立刻|便|要|务必|记得|帮我)*"
    r"(?:(?:提醒|通知|告诉|告知|叫|喊|知会|招呼|发消息给|推送给)(?:一?下|一?声)?(?:我|一?下|一?声)+"
    r"|(?:跟|和|给|向|同)我(?:说|讲|提|报|喊|打)(?:一?下|一?声|一?个醒|一?个招呼)?|(?:说|吱|吭|喊|报)(?:上)?一?声|提一?个?醒(?:我|一?下|一?声)?"
    r"|(?:提醒|通知|预警)(?=\W*\Z))"
)
_IF_ZH = r"(?:如果|要是|假如|一旦|当|等到?|若是?|只要|每当|每次)?"
_THEN_ZH = r"(?:的?时候?|之后|以后|后|就|的话|了)*[\s,，、:：]*"
_TELL_EN = (
    r"(?:please\s+)?"
    r"(?:(?:alert|notify|warn|ping)(?:\s+me)?|(?:text|message|tell|remind|inform|nudge|buzz)\s+me|let\s+me\s+know|shout"
    r"|give\s+me\s+an?\s+(?:alert|shout|nudge|call|heads[- ]up))"
)
_WHEN_EN = r"(?:(?:once\s+(?=if\b|when\b))?(?:when(?:ever)?|if|once|as\s+soon\s+as|in\s+case|each\s+time|every\s+time))"
_SET = r"(?:(?:please\s+)?(?:set|create|add|make)\s+(?:me\s+)?an?\s+(?:price\s+)?alert\s+(?:for|on|when|if)?)"
_SET_ZH = r"(?:(?:请|帮我|给我)*(?:设|建|加|定|来|要|开)(?:置|立)?(?:一?个|条)?)"
_NUMBER = (
    r"[$¥￥]?\s*(?:-?\d[\d,]*(?:\.\d+)?(?:\s*[万亿千百]|\s*(?:k|m|bn|thousand|million|billion|trillion)\b)?"
    r"|[零〇一二两三四五六七八九十百千万]+)(?!\d|\.\d)\s*(?:%|％|个点)?"
)
_UNIT_ZH = r"\s*(?:元|块钱?|港元|美元|点|股|手)?(?:[以之][上下])?"
_UNIT_EN = r"(?:\s*(?:yuan|rmb|cny|hkd|usd|dollars?|bucks|shares|lots)\b)?"
_MOVE_ZH = (
    r"(?:收盘价?|股价|价格|的|又|再|重新|再次|向上|向下|有效|能|会|一)*"
    r"(?:跌破|跌穿|跌超过?|跌过|掉破|击穿|失守|低于|小于|少于|下破|低过|突破|升破|涨破|涨超过?|涨过|站上|站稳|高于|大于|超过|升穿|上破|冲破|高过|跌到|跌至|跌"
    r"|跌回到?|掉到|掉回|下跌到?|降到|降至|涨回到?|升回到?|站回|回落到|回落至|回调到|回调至|涨到|涨至|涨|上涨到?|升到|升至|反弹到|反弹至|冲到|不低于|不高于|达到|触及|碰到"
    r"|[回来上下摸去]到|到达|到|破|[<>≤≥＜＞]=?)了?\s*"
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
    pattern(
        rf"(?P<sec>.+?)\s*{_CONDITION_EN}\s*(?:[-–—,;:]+\s*)?(?:and\s+|then\s+)?{_TELL_EN}(?P<rest>.*)", re.I | re.S
    ),
    pattern(rf"{_SET}\s*(?P<sec>.+?)\s*{_CONDITION_EN}(?P<rest>.*)", re.I | re.S),
)
_CONDITION = pattern(f"{_CONDITION_ZH}|{_CONDITION_EN.replace('<cond>', '<cond_en>')}", re.I)
_ALERTS = pattern(
    rf"{_TELL_ZH}|{_TELL_EN}\s+{_WHEN_EN}|{_TELL_EN}\W*\Z|{_WHEN_EN}\b.+{_TELL_EN}|\balerts?\b|(?:到价|价格|股价)的?(?:提醒|预警)|预警|(?:设|建|加|定|来|要)\S{{0,40}}提醒",
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
    r"突破|升破|涨破|涨超|涨过|涨回|升回|站回|站上|站稳|高于|大于|超过|升穿|上破|冲破|高过|涨到|回到|above|over|through|past|beyond|exceed|tops|>",
    re.I,
)
_DOWN = pattern(r"跌|掉|击穿|失守|低于|小于|少于|下破|低过|below|under|beneath|<", re.I)
_NUMBER_IN = pattern(rf"({_NUMBER})\s*(?:元|块钱?|点|[以之][上下])*\Z", re.I)


_TAIL = pattern(
    r"(?:and|or|but|unless|except|while|with|within|before|until|during|after|by|on|in|this|next|today|tomorrow|twice|again"
    r"|for|(?:\w+ )?(?:consecutive|straight)|\w+ (?:days?|sessions?|times?|weeks?))\b"
    r"(?!\s+(?:me|sell|buy|check|look|my|review)\b)"
    r"|并且?|而且|且|同时|或者?|除非|但是?|连续|[一二两三四五六七八九十\d]+(?:天|日|次|周)|[本下这]周|今天|明天|之?前|以?内",
    re.I,
)
"""How words begin that limit a condition; other words after it are what the message repeats."""
_EVENTS = (
    (
        pattern(
            r"(?P<n>\d{1,3})\s*[日天]?(?:均线|线)\s*(?P<way>上穿|突破|下穿|跌破)\s*(?P<m>\d{1,3})\s*[日天]?(?:均线|线)"
            r"|(?P<n_en>\d{1,3})[- ]day (?:moving )?(?:average|sma|ma) crosses (?:back )?"
            r"(?P<way_en>above|over|below|under) (?:the |its )?"
            r"(?P<m_en>\d{1,3})[- ]day(?: (?:moving )?(?:average|sma|ma))?",
            re.I,
        ),
        "{cross}(sma(close, {n}), sma(close, {m}))",
    ),
    (
        pattern(
            r"macd\s*的?\s*(?P<way>金叉|死叉|上穿|下穿)(?:信号线)?"
            r"|macd\b\s*(?:line )?(?:makes? an? |has an? )?"
            r"(?P<way_en>golden cross|death cross|crosses (?:above|over|below|under))"
            r"(?:\s+(?:the |its )?signal(?: line)?)?",
            re.I,
        ),
        "{cross}(macd(close)['macd'], macd(close)['signal'])",
    ),
    (
        pattern(r"创?(?:出|下|了)*\s*(?P<n>\d{1,3})\s*[日天]的?新(?P<way>[高低])"
            r"|\b(?:(?:makes?|hits?|reaches|sets?) )?(?:an? )?(?:new )?(?P<n_en>\d{1,3})[- ]day"
            r" (?P<way_en>high|low)\b", re.I),
        "close {edge}(close, {n})",
    ),
)  # fmt: skip
"""What happens without a number that is crossed, and its expression."""
_TIMES = r"twice|double|\d+(?:\.\d+)? times|(?:two|three|four|five) times"
_TIMES_ZH = r"[\d.]+|[一两二三四五六七八九十]半?"
_MOVES_OF_DAY = pattern(
    r"(?:单日|(?:[一1]|单个)(?:天|个?交易日)|当[日天])(?:之?内)?的?(?P<way>[涨跌]|[上下大暴][涨跌])幅?"
    r"(?P<than>超过?了?|大于|多于|达到?)?\s*"
    r"(?P<n>\d+(?:\.\d+)?)\s*(?:%|％|个?百分点|个点)(?:以上)?"
    r"|\b(?P<way_en>falls?|drops?|loses?|declines?|slides?|sinks?|plunges?|gains?|rises?|jumps?|climbs?"
    r"|is (?:up|down))\s+"
    r"(?:by\s+)?(?P<than_en>more than|over|above|at least)?\s*(?P<n_en>\d+(?:\.\d+)?)\s*(?:%|percent)(?:\s+or more)?\s+"
    r"(?:in|on|within|during)\s+(?:a|one|any)\s+(?:single\s+)?(?:trading\s+)?(?:day|session)\b",
    re.I,
)
"""A change in one day, which needs no price to start from."""
_VOLUME_TIMES = pattern(
    rf"(?:成交)?量能?(?:达到?|超过|大于|高于|放大到|放大至|是|为)?了?(?:它|其)?的?(?P<n>\d{{1,3}})[日天](?:成交)?"
    rf"(?:均量|平均(?:成交)?量|均值|量均线)的?(?P<k>{_TIMES_ZH})倍(?:以上)?"
    r"|\b(?:(?:trading|daily)\s+)?volume\s+(?:is|reaches|exceeds|rises\s+to|rises\s+above|goes\s+above|hits|climbs\s+to)\s+"
    r"(?:more\s+than\s+|over\s+|at\s+least\s+)?"
    rf"(?P<k_en>{_TIMES})\s+(?:its|the)\s+(?P<n_en>\d{{1,3}})[- ]days?\s+(?:average|mean|sma)(?:\s+volume)?",
    re.I,
)
_YEAR_EXTREME = pattern(
    r"创?(?:出|下|了)*\s*(?:52|五十二)周的?新(?P<way>[高低])"
    r"|\b(?:(?:makes?|hits?|reaches|sets?|marks?)\s+)?(?:a\s+)?(?:new\s+)?"
    r"(?:52|fifty-two)[- ]weeks?\s+(?P<way_en>high|low)\b",
    re.I,
)
_SESSIONS_OF_YEAR = 250
_UNSIDED = pattern(
    r"(?:穿越|穿过|触碰|碰到)了?\s*(?:它|其)?的?\s*(?:\d{1,3}[日天]?(?:均线|线)|半?年线)"
    r"|\bcross(?:es)?\s+(?:the\s+|its\s+)?\d{1,3}[- ]day\b(?:\s+(?:moving\s+)?average)?",
    re.I,
)
_LIMITED = pattern(
    r"\b(?:until|till|before|by|starting|from|after|during|in)\s+(?:(?:the|next|this|end|of|early|late|\d{1,2}(?:st|nd|rd|th)?)\s+)*"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|weeks?|months?|quarter|year|christmas)\b"
    r"|\b(?:next|this)\s+(?:week|month|quarter|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\btomorrow\b"
    r"|到[^，,。]{1,8}(?:前|为止)|[^，,。]{1,4}(?:月|周|季|年)底?(?:之前|以前|前)|(?<![上])(?:下|本|这)个?(?:周|月|季度)|明天|后天|明年",
    re.I,
)
"""A time that limits an alert, which runs from its approval until it is removed."""
_COUNT = r"(?:[一二两三四五六七八九十]+|\d+|半)"
_TIMED = pattern(
    r"\b(?:every|each)\s+(?!time\b)(?:(?:single|other|trading|second|business|working)\s+)?"
    r"(?:\d+\s+)?\w+(?:\s+(?:morning|afternoon|evening|night)s?)?"
    r"|\b(?:daily|weekly|monthly|hourly)\b(?!\s+(?:clos|volume|average|range|bar|high|low|move|change|turnover))"
    r"|\b(?:once|twice|(?:two|three|four|five|\d+) times)\s+(?:a|per)\s+(?:day|week|month|hour)\b"
    r"|\bat\s+(?:noon|midnight|lunch(?:time)?|night|the open(?:ing)?|\d{1,2}(?::\d\d|\s*(?:[ap]\.?m\b|o['’]?clock)))"
    r"|\b\d{1,2}:\d\d\b|\b\d{1,2}\s*[ap]\.?m\b"
    r"|\b(?:\d+|an?|half an)\s+(?:minutes?|mins?|hours?)\s+(?:before|after|past)\b(?:\s+the\s+\w+)?"
    r"|\bin\s+the\s+(?:morning|afternoon|evening)s?\b|\btonight\b|\bbefore\s+the\s+(?:open|close|bell)\b"
    r"|\bon\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    rf"|每\s*(?:个|逢|隔)?\s*{_COUNT}?\s*个?半?(?:天|日|晚|早|周|星期|礼拜|月|季|年|交易日|工作日|小时|分钟|上午|下午|中午)"
    rf"(?:[一二三四五六日天早晚](?:[上间])?)?|{_COUNT}[天日周][一两二三四五六七八九十\d]+[次遍]|天天|隔天"
    r"|\d{1,2}\s*[:：]\s*\d{2}|(?:早上|上午|中午|下午|晚上|傍晚|凌晨|今晚|夜里)(?:[零〇一二两三四五六七八九十\d]+点(?:半|钟|[一二三四五\d十]+分?)?)?"
    rf"|(?:收盘|开盘|收市|开市)[之以]?前(?:{_COUNT}个?(?:分钟|小时))?|{_COUNT}个?(?:分钟|小时)[之以]?[前后]"
    r"|(?:告诉|提醒|通知)我[一二两三四五六七八九十\d]+[次遍]",
    re.I,
)
"""A time or a repetition: an alert knows neither."""
_UPWARD = pattern(r"金叉|上穿|突破|golden|above|over|高|high", re.I)


class AlertWish(NamedTuple):
    """A wish taken apart: the words for the security, its condition, and what is left of the wish.

    before   where the words for the security are not known: what stands before the condition
    """

    security: str
    condition: Condition
    note: str
    before: str = ""


def is_alert_wish(text: str) -> bool:
    """Return True if a text asks to be told when a price moves, and names no other rhythm."""
    if _NEGATED.search(text) or _RHYTHM.search(text):
        return False
    forms = [form for form, _ in (*_EVENTS, *_MEASURED)]
    return bool(_ALERTS.search(text) and (_MOVES.search(text) or any(form.search(text) for form in forms)))


def read_alert_wish(text: str) -> AlertWish:
    """Return the parts of a wish for an alert.

    Raises:
        BadData: it cannot be taken apart, or its price has no direction.

    >>> read_alert_wish("宁德时代跌破80就通知我").condition
    Condition(expression='close < 80')
    >>> read_alert_wish("tell me when AAPL closes above 200, then sell a third")
    AlertWish(security='AAPL', condition=Condition(expression='close > 200'), note='then sell a third', before='')
    >>> read_alert_wish("Tell me when the RSI of CATL drops below 30")[:2]
    ('CATL', Condition(expression='rsi(close, 14) < 30'))
    """
    said = " ".join(text.split()).strip(" 。.!！")
    if found := _INTRADAY.search(said):
        raise BadData(
            "{word}: ia looks at an alert after each close, not during the session",
            word=found[0],
            hint="leave this word out, and the closing price counts",
        )
    if found := _LIMITED.search(said):
        raise _unread_error(found[0])
    if found := _TIMED.search(said):
        raise BadData(
            "“{words}” fits no alert: ia looks at one after each close, and tells it once, when it comes true",
            words=found[0].strip(),
            hint="leave these words out; a price at a time is a task: every trading day at 14:50 tell me the price of"
            " 600519",
        )
    if event := _read_event(said):
        return event
    if found := _UNSIDED.search(said):
        raise BadData("{text}: from which side?", text=found[0], hint="'close < sma(close, 20)', or '>'")
    for form in _FORMS:
        if found := form.fullmatch(said):
            if _CONDITION.search(found["sec"]):
                raise _two_conditions_error(found["sec"])
            rest = found["rest"].strip(" ,，。.;；、:：")
            if _TAIL.match(rest):
                raise _unread_error(rest)
            security, condition = _read_comparison(found["sec"], found["cond"])
            return AlertWish(_trim_security(security), condition, rest)
    conditions = list(_CONDITION.finditer(said))
    if len(conditions) > 1:
        raise _two_conditions_error(conditions[0][0])
    if conditions:  # the words around it are repeated, and whoever knows securities finds this one
        begin, end = conditions[0].span()
        before, condition = _read_comparison(said[:begin], conditions[0][0], said[end:])
        return AlertWish("", condition, said, before)
    refuse_figures(said)
    raise BadData(
        "the condition of the alert is not clear",
        hint="give security and condition: `ia alert 300750 'close < 80'`",
    )


def _read_event(said: str) -> AlertWish | None:
    """Return a wish for an event that crosses no price: MACD 金叉, a 60-day high, 5% in a day; None for another wish.

    >>> _read_event("alert me when CATL's volume is twice its 20-day average").condition.expression
    'volume >= 2 * sma(volume, 20)'
    """
    for words, express in _MEASURED:
        if found := words.search(said):
            rest = f"{said[: found.start()]} {said[found.end() :]}"
            if _CONDITION.search(rest):
                raise _two_conditions_error(found[0])
            got = {name.removesuffix("_en"): value for name, value in found.groupdict().items() if value}
            return AlertWish(_bare_security(rest), Condition(express(got)), "")
    for form, code in _EVENTS:
        found = form.search(said)
        if found is None:
            continue
        rest = f"{said[: found.start()]} {said[found.end() :]}"
        if _CONDITION.search(rest):
            raise _two_conditions_error(found[0])
        groups = found.groupdict()
        up = bool(_UPWARD.search(groups.get("way") or groups.get("way_en") or ""))
        numbers = {name: groups.get(name) or groups.get(f"{name}_en") or "" for name in "nm"}
        expression = code.format(
            cross="crossover" if up else "crossunder", edge=">= highest" if up else "<= lowest", **numbers
        )
        return AlertWish(_bare_security(rest), Condition(expression), "")
    return None


def _bare_security(rest: str) -> str:
    for words in (_TOLD, _GAPS):
        rest = words.sub(" ", rest)
    return _trim_security(rest)


def _express_move(got: dict[str, str]) -> str:
    down = re.search("跌|fall|drop|lose|decline|slide|sink|plunge|down", got["way"], re.I)
    strict = re.match("超|大于|多于|more|over|above", got.get("than", ""), re.I)
    return f"roc(close, 1) {'<' if down else '>'}{'' if strict else '='} {'-' if down else ''}{got['n']}"


def _express_volume(got: dict[str, str]) -> str:
    number = got["k"].casefold().removesuffix(" times")
    fixed = {"twice": 2.0, "double": 2.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}.get(number)
    half = 0.5 if number.endswith("半") else 0.0
    value = fixed or (parse_count(number.removesuffix("半")) or 0.0) + half
    return f"volume >= {value:g} * sma(volume, {got['n']})"


def _express_extreme(got: dict[str, str]) -> str:
    high = got["way"].casefold() in ("高", "high")
    return f"close {'>= highest' if high else '<= lowest'}(close, {_SESSIONS_OF_YEAR})"


_MEASURED = ((_MOVES_OF_DAY, _express_move), (_VOLUME_TIMES, _express_volume), (_YEAR_EXTREME, _express_extreme))


_TOLD = pattern(rf"{_TELL_ZH}|{_TELL_EN}(?:\s+{_WHEN_EN})?|{_WHEN_EN}\b|如果|要是|假如|一旦|等到?|只要|每当", re.I)
_GAPS = pattern(r"(?:的?时候?|之后|以后|后|就|的话|(?<=\s)当|^当|(?<=\s)时)(?=\s|$|[,，])|[,，]", re.I)


def _read_comparison(subject: str, said: str, after: str = "") -> tuple[str, Condition]:
    """Return the words of a security and what is compared with what.

    subject  the words before the condition; said: the condition; after: the words after it, which may say of what
    """
    refuse_figures(f"{subject} {after}", _read_bound(said))
    own = _INDICATOR_HEAD.match(said)
    words, measure = take_measure(f"{subject} {own[0]}" if own else subject)
    said = said[own.end() :] if own else said
    if after and not measure:
        measure = take_measure(after)[1]
    return words, read_said_condition(said, measure or CLOSE)


_INDICATOR_HEAD = pattern(rf"\s*(?:['’]s)?\s*{_RSI}", re.I)


def _read_bound(words: str) -> str:
    """Return how words compare, as a screen writes it: `< 25`; "" where that is not clear."""
    number, sign = _NUMBER_IN.search(words.strip()), _direction(words)
    if not (number and sign):
        return ""
    said = number[1].strip()
    if (scaled := _SCALED.search(said)) and scaled["en"]:
        return f"{sign} {float(scaled['number'].replace(',', '')) * _SCALES[scaled['en'].casefold()]:.10g}"
    return f"{sign} {said}"


def _trim_security(words: str) -> str:
    """Return the words of a security without articles and particles around them."""
    words = re.sub(r"(?:\s|的|在|'s|’s|[，,、])+\Z|\A(?:\s|的|[，,、])+", "", " ".join(words.split()))
    return re.sub(r"^(?:(?:the|stocks?|shares?|of|for|on|in|my)\s+)+", "", words, flags=re.I).strip()


def _two_conditions_error(words: str) -> BadData:
    return BadData(
        "{text}: a second condition",
        text=words.strip(),
        hint="set one alert for each, or one expression: (close < 75) | (close > 100)",
    )


def _unread_error(words: str) -> BadData:
    return BadData(
        "{words}: not understood, and it may change the alert",
        words=words.strip(),
        hint="leave it out, or give an expression: `ia alert 300750 'close < 80'`",
    )


def check_security_words(words: str) -> None:
    """Raise BadData where words beside a security's name were not understood: each may change what is compared.

    words   those for a security, without its name
    """
    if left := _WORD.findall(_IDLE.sub(" ", words)):
        raise _unread_error(" ".join(left))


_WORD = pattern(r"[a-z\d][\w'’.%-]*|[\u3400-\u9fff]+", re.I)
_IDLE = pattern(
    r"\b(?:the|a|an|of|for|on|in|and|my|its?|shares?|stocks?|companys?|ever|also|back|again|once|please|then|that|trad(?:es?|ing)|is|goes)\b"
    r"|['’]s\b|的|这只|那只|该|股票|这个|如果|要是|一旦|假如|当|等到?|我|再|又|也|在|价|现在|目前|请|帮|给|它|能|会|要|只要|下次|一"
    r"|盯(?:着|住|紧|一下)?|留意(?:一下)?|关注(?:一下)?|\b(?:keep an eye|watch)\b",
    re.I,
)
"""Words beside the name of a security that change nothing."""


def read_said_condition(words: str, measure: str = CLOSE) -> Condition:
    """Return the condition that words of a sentence mean, of a price or of another measure over the bars."""
    bare = re.sub(r"^(?:\s|的|['’]s)+|[\s的]+\Z", "", words)
    if _PERCENT.search(bare):
        if measure == CLOSE:
            raise BadData(
                "{text}: a change from which price?",
                text=bare,
                hint="for a change in one day: 'roc(close, 1) < -5'; from a price of yours, write the price:"
                " 'close < 80'",
            )
        bare = _PERCENT.sub("", bare).strip()
    if line := _LINE.search(bare):
        sign = _direction(bare[: line.start()])
        if not sign:
            raise BadData("{text}: from which side?", text=bare, hint="'close < sma(close, 20)', or '>'")
        days = line["n"] or line["m"] or line["d"] or {"年线": "250", "半年线": "120"}[line["y"]]
        return Condition(f"{measure} {sign} sma(close, {days})")
    bare = _scale_number(bare, measure)
    if measure != CLOSE:
        compared = find_price_condition(bare)
        if compared is None:
            raise BadData("{text}: above or below which number?", text=bare, hint=HINT)
        return Condition(compared.expression.replace(CLOSE, measure, 1))
    return read_condition(bare)


def _scale_number(words: str, measure: str) -> str:
    """Return a comparison with its number written out and without the unit of a volume."""
    found = _SCALED.search(words)
    if found is None:
        return words
    lots = (found["unit"] or "").casefold() in ("手", "lots")
    if found["unit"] and measure != "volume":
        raise BadData("{text}: above or below which number?", text=words, hint=HINT)
    value = parse_count(found["number"] + (found["zh"] or ""))
    if value is None:
        return words
    value *= _SCALES.get((found["en"] or "").casefold(), 1) * (100 if lots else 1)
    return f"{words[: found.start()]}{value:.10g}{found['side'] or ''}"


_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9, "trillion": 1e12}
_SCALED = pattern(
    r"(?P<number>\d[\d,]*(?:\.\d+)?)\s*(?P<zh>[万亿千百])?\s*(?P<en>k|m|bn|thousand|million|billion|trillion)?"
    r"\s*(?P<unit>股|手|shares|lots)?(?P<side>[以之][上下])?\Z",
    re.I,
)


def _direction(words: str) -> str:
    """Return the sign that words mean; "" for none, or both."""
    up, down = bool(_UP.search(words)), bool(_DOWN.search(words))
    return "" if up == down else ">" if up else "<"
