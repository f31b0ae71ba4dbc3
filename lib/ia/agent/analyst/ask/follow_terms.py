"""Questions that go on with a term explained before, or ask whether an answer still holds."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_words import NOTHING, NOW, drop_times, is_chinese
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.several import find_term
from ia.kernel.patterns import pattern

_FOR_MINE = pattern(
    r"(?:那|那么|那我|我)?(?:我的?)?(?:账户|组合|持仓|自己)?的?(?:是|有|现在)*(?:多少|几|多大|呢)+"
    r"|(?:and |so )?(?:what (?:is|about) |how (?:high|large|big) is )?(?:it |that )?(?:for |of |with )?(?:mine"
    r"|me|my (?:own )?"
    r"(?:account|portfolio|one))(?: account| portfolio)?(?: now)?",
    re.I,
)
_MINE = pattern(r"我|自己|\b(?:my|mine|me)\b", re.I)
_WHAT_LEVEL = pattern(
    r"(?:and |so )?what (?:number|level|value|reading)s? (?:is|are|counts? as|would be) (?:too |very |considered )*"
    r"(?:high|low|good|bad|normal|expensive|cheap|safe)"
    r"|(?:and |so )?how (?:high|low) is (?:too )?(?:high|low)|(?:那|那么)?(?:多少|几)(?:才)?(?:算|叫|是)(?:太"
    r"|偏|比较)?(?:高|低|好|正常|贵"
    r"|便宜|合理)",
    re.I,
)
_FOR_ONE = pattern(
    r"(?:for|of|at|with) (?P<en>[\w&.' -]{2,30}?)(?:,? (?:how (?:much|high|low)|what)(?: is (?:it|that))?)?(?: now)?",
    re.I,
)


def ask_term_again(core: str, last: str) -> str:
    """Return a question for the term that was explained before: of the account, of one security, what is high.

    >>> ask_term_again("那我账户的是多少", "什么是最大回撤")
    '我的最大回撤是多少'
    >>> ask_term_again("for CMB how much", "What is dividend yield")
    'dividend yield of CMB'
    >>> ask_term_again("what number is too high", "What is RSI?")
    'What is RSI?'
    """
    term = find_term(last)
    if not term or len(term) > _LONGEST:
        return ""
    if _MINE.search(core) and _FOR_MINE.fullmatch(core):
        return f"我的{term}是多少" if is_chinese(core) else f"what is my {term}"
    if _WHAT_LEVEL.fullmatch(core):
        return last
    found = _FOR_ONE.fullmatch(core)
    said = NOW.sub("", found["en"]).strip() if found else ""
    if said and find_mentions(said) and NOTHING.fullmatch(strip_mentions(said)):
        return f"{term} of {said}"
    return ""


_LONGEST = 24
"""Characters of a term."""
_STILL = pattern(
    r"(?:is|are|was|does) (?:that|it|this|they)(?: all)? still (?:true|the case|so|valid|right|correct|hold"
    r"|holds|apply|up to date)"
    r"(?: (?:today|now|at the moment|for today))*"
    r"|(?:那|那么|这|这个|现在|目前|今天|到现在)*(?:还|依然|仍然?|依旧)(?:是|算|有)?(?:这样|如此|成立|对|有效"
    r"|算数|作数|准)(?:的)?(?:吗|么|不)*",
    re.I,
)


def ask_still(core: str, last: str, today: date) -> str:
    """Return the last question for now, where it is asked whether its answer still holds; "" for another.

    >>> day = date(2024, 3, 15)
    >>> ask_still("is that still true", "is Moutai above its 200-day average", day)
    'is Moutai above its 200-day average'
    >>> ask_still("现在还是这样吗", "昨天大盘跌了吗", day)
    '大盘跌了吗'
    """
    return drop_times(last, today) if _STILL.fullmatch(core) else ""
