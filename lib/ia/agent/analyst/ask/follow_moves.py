"""Questions that go on with how a price moved: its worst month, on how many days it rose, how far it came since."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_words import OWNER, PRICE, blank_mentions, drop_lead, find_named, is_chinese
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, TimeSpan, find_time_spans
from ia.kernel.patterns import pattern

_LONGEST = 60
_MOVES = pattern(
    r"[涨跌]|价|收盘|收益|表现|走势"
    r"|\b(?:close[sd]?|price[sd]?|change[sd]?|moves?|returns?|did|do|best|worst|strongest|weakest|perform\w*"
    r"|(?:week|month|year)ly|days?)\b",
    re.I,
)
"""A question about prices, whose days and months move."""
_VOLUME = pattern(r"成交|换手|量|\b(?:volume|turnover|traded)\b", re.I)
_UNITS = {
    "day": "哪一天", "天": "哪一天", "日": "哪一天", "week": "哪一周", "周": "哪一周",
    "month": "哪个月", "月": "哪个月", "quarter": "哪个季度", "季": "哪个季度", "year": "哪年", "年": "哪年",
}  # fmt: skip
_UNIT_OF = pattern(
    r"每[一个]*(?P<each>[天日周月季年])|逐(?P<by>[日周月季年])|哪[一个]*(?P<which>[天日周月季年])"
    r"|(?P<end>[日周月])[涨跌]幅"
    r"|\b(?:best|worst|strongest|weakest|largest|biggest|each|every|per|which|what) (?:\w+ )?"
    r"(?P<en>day|week|month|quarter|year)\b"
    r"|\b(?P<ly>week|month|quarter|year)ly\b|\b(?P<daily>daily|one-day)\b|\bmonth by (?P<month>month)\b",
    re.I,
)
"""Of which unit the question before told."""
_PART = pattern(
    r"(?:what|which)(?: one)?(?: of (?:them|those|these))?(?: (?:day|week|month|quarter|year))? (?:was|is|were"
    r"|had|has been)"
    r"(?: (?:the|its))? (?P<en>best|strongest|worst|weakest)(?: (?:one|day|week|month|quarter|year))?(?: (?:one"
    r"|of (?:all|them|those)))?"
    r"|(?:(?:what|which|when) (?:was|is|about) )?(?:its|the) (?P<its>best|strongest|worst|weakest)"
    r"(?: (?:one|day|week|month|quarter|year))?(?: (?:of (?:all|them|those)))?"
    r"|(?:其中|这里面|里面|那)*(?:是)?哪[一个]*(?:天|日|周|星期|月份?|季度?|年)的?(?:表现|收益率?|涨跌幅?|涨幅"
    r"|跌幅)?(?P<zh>[涨跌]?得?的?最"
    r"[好强高差弱惨低多大狠猛])的?"
    r"|(?:那|其中)?(?:表现|收益)?(?P<bare>最[好强差弱惨]|[涨跌]得?最[多大狠猛惨])的?(?:一个?|那个?)?(?:天|日|周"
    r"|星期|月份?|季度?|年)?"
    r"(?:呢|是?哪.{1,3})?",
    re.I,
)
"""Asks for the best, or the worst, of the days or months that were told."""
_BAD = pattern(r"worst|weakest|跌|[差弱惨低]", re.I)
_NAMED_UNIT = pattern(r"\b(day|week|month|quarter|year)\b|哪[一个]*(天|日|周|月|季|年)", re.I)
_COUNT = pattern(
    r"(?:on )?how many (?:of (?:them|those|these)(?: (?:days|sessions))?|(?:days|sessions))"
    r"(?: (?:did it|has it|was it|were|was|are|did|it|they|closed?|end(?:ed)?|finish(?:ed)?))*"
    r" (?P<en>up|down|higher|lower|r[io]se|fall|fell|rising|falling|green|red|gains?|losses)(?: days| ones)?"
    r"|(?:其中|这里面|里面|这些天里?|这几天里?|那|又)*(?:有|收)*(?:几|多少)(?:天|个交易日)(?:是|收"
    r"|在)*(?P<zh>[涨跌红绿阳阴]|上涨|下跌)(?:了|的)*"
    r"|(?:其中|这里面|里面|那)*(?:收)?(?P<days>[涨跌]|上涨|下跌)了?的?(?:有|是)?(?:几|多少)(?:天|个交易日)",
    re.I,
)
"""On how many of the days that were told the price rose, or fell."""
_FELL = pattern(r"跌|绿|阴|\b(?:down|lower|fall|fell|falling|red|losses)\b", re.I)
_UNTIL = pattern(
    r"(?:那|从那时?|从那天|之后|后来)*(?:到|截至|截止到?)(?P<zh>[^，,。]{2,8}?)(?:为止|的时候|时)?(?:又|一共|总共"
    r"|累计|已经|它|股价)*"
    r"(?:[涨跌]了?多少|[涨跌]了?几个点|[涨跌]幅?(?:是)?多少|变[动化]了?多少)"
    r"|(?:by )?how much (?:did|had|has) (?:it|the (?:price|stock|share)s?) (?:r[io]sen?|gain(?:ed)?|chang(?:e|ed)"
    r"|mov(?:e|ed)|los[et]|f[ae]ll(?:en)?|go(?:ne)?|climb(?:ed)?|drop(?:ped)?)(?: (?:up|down))?(?: by then)? "
    r"(?:by|until|till|up to|to) (?P<en>[\w ]{3,20})"
    r"|(?:by )?how (?:much|far|many per ?cent) (?:lower|higher|up|down|more|less|above|below) (?:is it"
    r"|has it gone|has it come)"
    r"(?: (?P<now>now|today|since))?(?: then)?",
    re.I,
)
"""How far the price came from the day that was told until another."""


_AGO = pattern(
    r"how (?:long|many (?:trading )?(?:days|sessions)) (?:ago (?:was|is) (?:that|it|this|the)|(?:has it been"
    r"|have passed|is it) since"
    r"(?: (?:that|then|the))?)(?: (?:high|low|peak|bottom|top|day))?"
    r"|(?:那|这|它|距今|离现在|距离现在|到现在|已经|最高点|最低点)*(?:是|有|过了?)*(?:多少|几)个?(?:交易日"
    r"|天)(?:之?前|以前|了)?(?:的事)?",
    re.I,
)
"""How long ago the high or the low was that was told."""
_END = pattern(
    r"最[高低](?:点|价|收盘价)?|[高低]点|\b(?:high(?:est)?|peak|top)\b|(?P<low>\b(?:low(?:est)?|bottom)\b)", re.I
)


def ask_of_moves(text: str, last: str, today: date) -> str:
    """Return a question that goes on with the moves of a price as a whole one; "" for another.

    >>> day = date(2024, 3, 15)
    >>> ask_of_moves("And its worst?", "What was Moutai's best day this year?", day)
    'worst day of Moutai this year'
    >>> ask_of_moves("哪个月最差", "腾讯近一年每个月的涨跌幅", day)
    '腾讯近一年哪个月跌得最多'
    >>> ask_of_moves("其中有几天是收涨的", "招行近10日收盘价", day)
    '招行近10日涨了几天'
    >>> ask_of_moves("到昨天为止又涨了多少", "腾讯2月29日收盘多少", day)
    '腾讯2月29日到昨天涨跌多少'
    >>> ask_of_moves("and how much lower is it now", "Moutai's close on 8 March", day)
    'how much did Moutai change since 2024-03-08'
    """
    core, bare = drop_lead(text).strip(" ?？。,，"), blank_mentions(last)
    named = find_named(last)
    if len(core) > _LONGEST or len(named) != 1 or OWNER.search(bare) or not _MOVES.search(bare) or _VOLUME.search(bare):
        return ""
    spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
    name, chinese = named[0].said, is_chinese(core)
    if len(spans) != 1:
        return ""
    span = spans[0]
    if found := _UNTIL.fullmatch(core):
        return _ask_until(found, name, span, today, chinese=chinese) if PRICE.search(bare) else ""
    if span.kind == DAY:
        return ""
    if _AGO.fullmatch(core) and (end := _END.search(bare)):
        if chinese:
            return f"{name}离{span.said}{end[0]}还差多少附距今"
        return f"how far is {name} from its {'low' if end['low'] else 'high'} {span.said} with its age"
    if part := _PART.fullmatch(core):
        return _ask_part(part, core, name, bare, span, chinese=chinese)
    if count := _COUNT.fullmatch(core):
        falls = _FELL.search(count["en"] or count["zh"] or count["days"])
        if chinese:
            return f"{name}{span.said}{'跌' if falls else '涨'}了几天"
        return f"on how many days did {name} {'fall' if falls else 'rise'} {span.said}"
    return ""


def _ask_until(found: re.Match[str], name: str, span: TimeSpan, today: date, *, chinese: bool) -> str:
    """Return how much a price changed from the day of the question before until another; "" where that is not later."""
    if span.kind != DAY or span.first is None:
        return ""
    said = (found["zh"] or found["en"] or "").strip()
    ends = find_time_spans(said, today) if said else []
    end = ends[0].first if len(ends) == 1 and ends[0].kind == DAY else None
    if said in ("", "现在", "今天", "目前", "如今", "现", "now", "today", "the present"):
        end = today
    if end is None or span.first >= end:
        return ""
    if end == today:
        return f"{name}{span.said}到现在涨跌多少" if chinese else f"how much did {name} change since {span.first}"
    return f"{name}{span.said}到{said}涨跌多少" if chinese else f"how much did {name} change from {span.first} to {end}"


def _ask_part(part: re.Match[str], core: str, name: str, bare: str, span: TimeSpan, *, chinese: bool) -> str:
    """Return which day, week, month or year of the stretch before was the best, or the worst."""
    said = _NAMED_UNIT.search(core)
    told = said or _UNIT_OF.search(bare)
    if told is None:
        return ""
    unit = next(filter(None, told.groups())).casefold()
    unit = "day" if unit in ("daily", "one-day") else unit
    word = part["en"] or part["its"] or part["zh"] or part["bare"]
    worst = _BAD.search(word)
    if chinese:
        return f"{name}{span.said}{_UNITS[unit]}{'跌' if worst else '涨'}得最多"
    english = next((each for each, zh in _UNITS.items() if zh == _UNITS[unit] and each.isascii()), unit)
    return f"{'worst' if worst else 'best'} {english} of {name} {span.said}"
