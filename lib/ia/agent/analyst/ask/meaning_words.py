"""Questions for what terms mean in any wording: difference, use, short version, or the term and nothing else."""

import re

from ia.agent.analyst.ask.leftover_words import find_leftovers
from ia.agent.analyst.ask.mentions import find_mentions
from ia.kernel.patterns import pattern

_ASKS = pattern(
    r"\b(?:mean(?:s|t|ing)?|explain(?:ed)?|defin\w+|differ\w*|distinguish|distinction|use(?:d|s|ful)?|understand|heard"
    r"|plain|simple|simply|layman\w*|version|calculat\w+|work(?:s|out)?|interpret|compared?|versus|vs|stands? for|diff"
    r"|dummies|beginners?|the point of|tells?|same (?:thing|as))\b"
    r"|意思|含义|区别|差别|差异|不同|不一样|一回事|解释|干[嘛吗啥什]|有什么用|有啥用|[咋么何]用|作用|用处|用途|用来|通俗"
    r"|大白话|[说讲]人话|怎么[算看理]|如何[算看理计]|咋[算看]|原理|科普|区分|分清|听不懂|[看没]不?懂|不明白|不太懂|什么叫|啥叫|何谓",
    re.I,
)
"""Words of a question for a meaning, which goes before other questions."""
_OWN = pattern(r"\b(?:my|mine|own)\b|我的|我(?:账户|持仓|组合|手[里上])|持仓的|账户的", re.I)
_ABOUT_IT = pattern(
    r"\b(?:it|that|this|they|those|one)\b|它|这个?|那个?|怎么用|如何用|咋用|举例|例子|干[嘛吗啥什]|用处|作用", re.I
)


_AGAINST = pattern(r"\W*(?:(?:and|but|so|how about) )*(?:versus|vs\.?|against|compared (?:to|with))\b", re.I)
"""What was spoken of is held against something."""


def asks_meaning(words: str) -> bool:
    """Return True if a text has words of a question for a meaning, and is neither of a security nor of what is owned.

    >>> asks_meaning("RSI vs KDJ, short version"), asks_meaning("布林带拿来干嘛用的"), asks_meaning("RSI of BYD vs KDJ")
    (True, True, False)
    """
    return bool(_ASKS.search(words)) and _names_nothing(words) and not _AGAINST.match(words)


def may_ask_meaning(words: str) -> bool:
    """Return True if a text that no other answer reads may ask for a meaning: not when, how much, or of what is owned.

    >>> may_ask_meaning("ATR. never heard of it"), may_ask_meaning("什么时候除权")
    (True, False)
    """
    return _names_nothing(words) and not (_WHEN.search(words) and not _ASKS.search(words))


def _names_nothing(words: str) -> bool:
    """Return True if a text is neither of a security nor of what is owned."""
    return not _OWN.search(words) and not any(each.symbol.kind != "index" for each in find_mentions(words))


_WHEN = pattern(
    r"什么时候|何时|哪[天日]|几号|多少(?!算|才)|现在|今天|昨天|^\W*when\b"
    r"|\b(?:how (?:much|many|far)|today|now|which day)\b",
    re.I,
)


def goes_on_with_meaning(words: str) -> bool:
    """Return True if a text asks more of the terms that the question before it asked for: "and what is it used for".

    >>> [goes_on_with_meaning(each) for each in ("那怎么用", "in one sentence", "why did it fall")]
    [True, True, False]
    """
    about = _ASKS.search(words) or _JUDGED.search(words) or (_ABOUT_IT.search(words) and not _AMOUNT.search(words))
    return bool(about) and _names_nothing(words) and not left_of_meaning(words)


_AMOUNT = pattern(r"多少|几|涨|跌|现在|\b(?:how (?:much|many|far)|when|which|date|day|now|since)\b", re.I)
_JUDGED = pattern(r"\b(?:good|bad|high|low|sentence|line|shorter)\b|算[高低好差]|[高低好差]吗|一句话|简单|简短", re.I)


def left_of_meaning(rest: str) -> tuple[str, ...]:
    """Return the words of a text without its terms that a question for a meaning does not have.

    >>> left_of_meaning("what is the difference between   and  "), left_of_meaning("昨天的  什么意思")
    ((), ('昨天',))
    """
    return find_leftovers(rest, "meaning")
