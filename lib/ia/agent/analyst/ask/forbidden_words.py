"""Messages that say what is not to be done: nothing is done, and nothing kept."""

import re

from ia.agent.analyst.ask.plain_words import drop_courtesies
from ia.kernel.patterns import pattern

_FORBIDS = pattern(
    r"(?:no|and|so|ok(?:ay)?|please|then)?[ ,]*(?:please )?(?:do not|don['’]?t|never|(?:there(?:['’]s| is) )?no need to"
    r"|you (?:need not|don['’]?t (?:need|have) to))(?: please)?(?: ever)? "
    r"(?:tell|show|give|send|analy[sz]e|research|review|look|check|compare|scan|study|assess|evaluate|report|notify"
    r"|warn|alert|inform|mention|bother|write|file|note|draw|chart|plot|calculate|compute|run|add|put|track|watch"
    r"|follow|record|save|keep|remember|answer|summari[sz]e|list)\b[^,;:.?!]*[.!]*"
    r"|(?:那|请|先|就|你)*(?:别|不要|不用|不必|无需|甭|勿)(?:再|给我|帮我|去|继续)*(?:把[^，,；;：:。？?！!]{1,10})?"
    r"(?:告诉|分析|研究|看(?!好|空|多|涨|跌)|给我|复盘|扫描?|比较?|对比|汇报|通知|发|推送|查|画|写|记(?![得着])|保存|加|放|关注|跟踪|盯|总结"
    r"|列|算(?![上进])|回答|提醒|预警)[^，,；;：:。？?！!]*[。！!]*",
    re.I,
)
_REMINDED = pattern(
    r"^\W*(?:please )?(?:do not|don['’]?t) forget to (?=\w)"
    r"|^\W*(?:千万|可|请)?(?:别|不要)(?:忘了?|忘记)(?:了)?(?=\w)",
    re.I,
)


def forbids(words: str) -> bool:
    """Return True if a message only says that something is not to be done.

    >>> forbids("Please don't analyse Moutai"), forbids("不要分析茅台")
    (True, True)
    >>> forbids("Don't you think Moutai is dear?"), forbids("不要分析茅台，看看五粮液"), forbids("别人怎么看茅台")
    (False, False, False)
    """
    return _FORBIDS.fullmatch(drop_courtesies(words).strip()) is not None


_TOPIC = pattern(
    r"\W*(?:但是?|只是|就是|先|请)*(?:别|不要|不用|不必|甭)(?:再)?(?:提|谈|讲|说)(?!废话|太|多余|套话|没用|空话)"
    r"[^，,；;。？?！!\W]+\W*"
    r"|\W*(?:but |and |please )*(?:do not|don['’]?t|never|without) (?:mention(?:ing)?|talk(?:ing)? about"
    r"|bring up|touch on)"
    r" [^,;:.?!]+\W*",
    re.I,
)


def forbids_topic(words: str) -> bool:
    """Return True if a part of a message says what its answer is to leave out.

    >>> forbids_topic("别提估值"), forbids_topic("but do not mention the valuation"), forbids_topic("别说废话")
    (True, True, False)
    """
    return _TOPIC.fullmatch(words) is not None


def drop_reminding(words: str) -> str:
    """Return a message without words that only press for what they are followed by.

    >>> drop_reminding("Don't forget to remind me at 9"), drop_reminding("别忘了9点提醒我")
    ('remind me at 9', '9点提醒我')
    """
    return _REMINDED.sub("", words, count=1)
