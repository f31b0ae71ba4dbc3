"""Questions for beliefs and predictions: which are due, how good they were; and the owner's verdict on one."""

import re

from ia.agent.analyst.ask.mentions import LONGEST
from ia.kernel.patterns import pattern

LIST, DUE, SCORE, OPEN, WHEN = "list", "due", "score", "open", "when"

_SUBJECT = pattern(
    r"信念|我(?:们)?[^，,。]{0,8}(?:预测|预言)|预测(?=[^，,。]{0,4}(?:到期|准|对了|错了))"
    r"|我(?:们)?[^，,。]{0,16}(?:相信|预测)过?(?:的)?(?:是)?(?:些)?(?:什么|哪些|啥)"
    r"|\bbeliefs?\b|\bmy\b.{0,24}\b(?:predictions?|forecasts?)\b"
    r"|^\W*(?:which|what|list|show)\b.{0,16}\b(?:predictions?|forecasts?)\b(?=.{0,12}\b(?:open|due|pending|right|wrong)\b)"
    r"|\b(?:do|did|have) (?:i|we) (?:\w+ )?(?:believed?|predict(?:ed)?)\b",
    re.I,
)
_JUDGED = pattern(r"我(?:们)?[^，,。]{0,8}判断|\bmy\b.{0,24}\b(?:judge?ments?|calls)\b", re.I)
"""Words for beliefs only where they are asked for by their date or their outcome."""
_DUE = pattern(
    r"到期|到日子|该(?:看|查|验|复查|回顾)|\b(?:(?:are|is|come|came|fall|falling) (?:up|due)|due|expired?)\b", re.I
)
_SCORE = pattern(
    r"准(?:不准|吗|确|么)|多准|对了|错了|对错|应验|成真|实现|命中|胜率|成绩|得分|打分|怎么样|如何|落空|对多|错多"
    r"|\b(?:came|come|turn(?:ed)?) (?:out|true)|\b(?:right|wrong|accura\w+|good|bad|score|track record|reliable)\b"
    r"|\bhow (?:many|often|well)\b",
    re.I,
)
_LIST = pattern(
    r"什么|哪些|有几|多少|列|看看|显示|全部|所有|^\W*我的(?:信念|预测)\W*$"
    r"|\b(?:what|which|list|show|all|any(?:thing)?)\b|^\W*my (?:beliefs?|predictions?)\W*$",
    re.I,
)
_WHEN = pattern(r"什么时候|何时|哪一?天|几号|^\W*when\b", re.I)
_OPEN = pattern(r"未到期|没到期|\b(?:open|pending)\b", re.I)
_OTHER = pattern(
    r"(?:怎么|怎样|如何|咋)[^，,。]{0,6}(?:写|记|加|改|删)|(?:加|改|更新|删|写|记|列入|忘)[^，,。]{0,12}信念"
    r"|[:：]\s*\S|\bhow (?:do|can|could|should|to)\b.{0,10}\b(?:add|write|keep|change|delete|remove|set)\b"
    r"|^\W*(?:please )?(?:add|write|keep|note|change|update|remove|delete|forget|drop|remember)\b|\bshould\b",
    re.I,
)
_VERDICT = pattern(
    r"(?:信念|预测|判断)[^，,。？?]{0,10}?(?:是|已经|果然|最后|证明)?(?:是)?(?P<zh>对|错|应验|成真|落空|没实现|实现)了?的?[。.!！]?\s*$"
    r"|\b(?:belief|prediction|forecast)\b.{0,80}?\b(?:was|is|turned out|proved|came|has come)\b(?: to be| out)? "
    r"(?P<en>right|wrong|true|false|correct)\b",
    re.I,
)
_ASKED = pattern(
    r"[?？]|[吗呢么]\W*$|哪|什么|多少|几|^\W*(?:which|what|how|was|were|is|are|did|do|does|has|have)\b", re.I
)


def find_wish(words: str) -> str:
    """Return what a message wants of the beliefs: LIST, DUE, SCORE, OPEN or WHEN; "" where it asks for nothing of them.

    >>> [find_wish(text) for text in ("我有哪些信念到期了", "how good are my beliefs", "what did I believe about CATL")]
    ['due', 'score', 'list']
    >>> find_wish("信念怎么写"), find_wish("which of my calls came true"), find_wish("what is my judgment of CATL")
    ('', 'score', '')
    >>> find_wish("When is my NVDA belief due?"), find_wish("Which predictions are open?")
    ('when', 'open')
    """
    head = words[:LONGEST]
    named = _SUBJECT.search(head)
    if _OTHER.search(head) or not (named or _JUDGED.search(head)):
        return ""
    if _OPEN.search(head):
        return OPEN
    if named and _WHEN.search(head) and _DUE.search(head):
        return WHEN
    if _DUE.search(head):
        return DUE
    if _SCORE.search(head):
        return SCORE
    return LIST if named and _LIST.search(head) else ""


def asks_judgments(words: str) -> bool:
    """Return True if a message asks for judgments too, which observations hold."""
    return _JUDGED.search(words[:LONGEST]) is not None


def read_verdict(words: str) -> bool | None:
    """Return whether the owner says that a belief was right, or wrong; None where nothing of the kind is said.

    >>> read_verdict("招行那条信念错了"), read_verdict("my prediction on CATL came true"), read_verdict("哪条信念错了")
    (False, True, None)
    """
    found = _VERDICT.search(words[:LONGEST])
    if found is None or _ASKED.search(words[:LONGEST]):
        return None
    return (found["zh"] or found["en"].casefold()) in ("对", "应验", "成真", "实现", "right", "true", "correct")
