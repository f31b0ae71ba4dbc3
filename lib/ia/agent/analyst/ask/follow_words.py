"""Words of questions that go on with the one before, and what those questions are about."""

import re
from datetime import date

from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import blank_spans, find_time_spans
from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern

LONGEST = 40
"""Characters of the longest question that can go on with another one."""
LEAD = pattern(
    r"^\W*(?:(?:and|so|then|ok(?:ay)?|also|but|now)\b[, ]*)*(?:(?:what|how) about\b|(?:and|then|also)\b"
    r"|now (?=[\w ]{2,24}['’]s\W*$))"
    r"|^那么?|^还有|^然后",
    re.I,
)
TAIL = pattern(r"呢\W*$|\bthen\W*$", re.I)
ITS = pattern(r"\b(?:its|it)\b|[它他她]的?|该股", re.I)
NOTHING = pattern(
    r"(?:['’]s\b|\b(?:on|about|in|at|for|of|the|is|was|it|and|its|over|only|just|i mean)\b|就看|只看|光看|单看"
    r"|拉长到?|放到|换到|[的是在呢那\W_])*",
    re.I,
)
NOW = pattern(r"(?:现在|目前|当前|眼下|此刻|\b(?:right )?now\b|\bcurrently\b)", re.I)
PRICE = pattern(
    r"价|收盘|收(?=了?(?:多少|在|于|几))|多少点|多少钱|涨|跌|点位"
    r"|\b(?:price|close[ds]?|level|up|down|r[io]se|fell|fall)\b",
    re.I,
)
ELSEWHERE = pattern(
    r"大盘|市场|股市|两市|沪市|深市|[Aa]股|港股|美股|指数|行业|板块|概念|赛道|[\u4e00-\u9fff]股(?!价|息|本|东|票"
    r"|份|权|数)"
    r"|哪些|几[只家]|涨停的|跌停的|涨幅榜|跌幅榜|龙虎榜|主线|交易日|开市|开盘吗|放假|休市"
    r"|我|咱|账户|持仓|仓位|组合|现金|任务|自选|关注|北向|融资融券|解禁"
    r"|\b(?:i|my|me|mine|we|our|markets?|stocks|account|portfolio|holdings?|positions?|cash|tasks?|watch ?list"
    r"|sectors?"
    r"|industr\w+|index|indices|you|your|gainers|losers|holidays?)\b",
    re.I,
)
"""Words of something else than a security: the market, an industry, the owner's account, ia itself."""
_MEANT = pattern(r"什么|解释|意思|\bwhat(?:'s| is| are| does)\b|\bexplain\b|\bmean", re.I)
MEASURE = pattern(
    r"市[盈净销]率|市值|股息|分红|[涨跌]|收盘|开盘|价|成交|换手|营收|收入|利润|毛利|净利|增[长速]|负债|现金流|波动"
    r"|回撤|振幅"
    r"|(?<![a-z])(?:p/?e|p/?b|roe|eps|price|close[ds]?|volume|turnover|dividend|yield|revenue|profit\w*"
    r"|margin|debt|growth"
    r"|volatil\w*|draw-?down|r[io]se|f[ae]ll|market cap\w*|earn\w*|(?:up|down|losing|winning) days)(?![a-z])",
    re.I,
)
"""A figure, of which one more security has one too."""
SUPERLATIVE = pattern(
    r"\b(?:biggest|largest|smallest|heaviest|best|worst|highest|lowest|cheapest|riskiest)\b|最[大小高低多少重好差贵]",
    re.I,
)
OF_EXTREME = pattern(r"最[高低]|[高低]点|新[高低]|\b(?:high|low|highest|lowest|peak|top|bottom)\b", re.I)
OWNER = pattern(r"我(?:的|们)?|咱们?|\b(?:i|my|me|mine|we|our)\b", re.I)
BARE = 24
"""Characters of a question that is but the name of a figure."""


def is_chinese(text: str) -> bool:
    """Return True if a text has Chinese characters."""
    return count_han(text) > 0


def drop_lead(text: str) -> str:
    """Return a question without the words by which it goes on, and the marks around it.

    >>> drop_lead("and last month?"), drop_lead("那市净率呢")
    ('last month', '市净率')
    """
    return TAIL.sub("", LEAD.sub("", text, count=1)).strip(" ,，。?？!！")


def is_bare(question: str) -> bool:
    """Return True if a question may be but a figure of the security that was spoken of: "市净率", "dividend yield"."""
    return len(question) <= BARE and not _MEANT.search(question) and not ELSEWHERE.search(question)


def names_subject(text: str) -> bool:
    """Return True if a question names what it is about, other than a security: the market, an industry, the account."""
    return ELSEWHERE.search(text) is not None


def names_owner_alone(text: str) -> bool:
    """Return True if a text speaks of its owner and names nothing of theirs: "how much have I made", not "my cash".

    >>> names_owner_alone("我赚了多少"), names_owner_alone("我的现金有多少"), names_owner_alone("它的市盈率")
    (True, False, False)
    """
    return OWNER.search(text) is not None and not names_subject(OWNER.sub(" ", text))


def find_named(text: str) -> list[Mention]:
    """Return what a question is about: an index beside the owner's account is only what that is measured by."""
    named = find_mentions(text)
    if ELSEWHERE.search(strip_mentions(text)) and any(each.symbol.kind == "index" for each in named):
        return [each for each in named if each.symbol.kind != "index"]
    return named


def blank_mentions(text: str) -> str:
    """Return a text of the same length without the securities that it names."""
    for each in find_mentions(text):
        text = text.replace(each.said, " " * len(each.said))
    return text


def attach_names(named: list[Mention], asked: str) -> str:
    """Return a question with the securities that it is about."""
    if not named:
        return asked
    names = [each.said for each in named]
    return "、".join(names) + asked if is_chinese(asked) else f"{asked} of {' and '.join(names)}"


def name_spoken(text: str, last: str) -> str:
    """Return a question with a pronoun for the code of the one security that the question before is about.

    >>> name_spoken("how far is 600519.SH from that", "high of 600519.SH this month")
    'how far is it from that'
    """
    named, said = find_named(last), find_mentions(text)
    if len(named) != 1 or len(said) != 1 or said[0].said != named[0].code:
        return text
    return text.replace(said[0].said, "它" if is_chinese(text) else "it")


def drop_times(whole: str, today: date) -> str:
    """Return a question without its times: it is then about now."""
    return re.sub(r"\s+", " ", blank_spans(whole, find_time_spans(blank_mentions(whole), today))).strip()
