"""Messages that ask more of an indicator that the question before asked for: "what date", "the price since then"."""

import re

from ia.agent.analyst.ask.follow_words import is_chinese
from ia.agent.analyst.ask.idea_words import find_name
from ia.agent.analyst.ask.leftover_words import find_leftovers
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.kernel.patterns import pattern

_ASKED = ("indicator_cross", "bands")
"""Answers that tell more than was asked; the table of indicators has the words of questions for them."""
_SINCE = pattern(
    r"\b(?:ever )?since(?: then| that)?\b|从?那(?:天|次|时候?)?(?:之后|以后|以来|起|后)?(?:到现在|至今)?|到现在|至今",
    re.I,
)
"""From then to now, which the answer tells anyway."""
_SIZE = pattern(r"(?<![\d.])(\d{1,3})\s*-?\s*(?:日|天|day|session)|\bma\s?(\d{1,3})", re.I)
_USUAL = ("5", "20", "60", "200")
"""Averages that are told where a question names none."""
_ALL = pattern(
    r"\W*(?:and |so |现在|目前|那)*(?:is|are) (?:it|the price|the close|that|we) (?:now |currently )?"
    r"(?:above|below|over|under) (?:both|all|them|all of them|both of them|all three)(?: now)?\W*"
    r"|\W*(?:现在|目前|那|股价|价格|现价)*(?:都|全|全都|两个都|两条都)?(?:在)?(?:站上|跌破|高于|低于|上面|上方|之上|下面|下方)"
    r"(?:它们)?(?:了)?(?:没有?|吗|么)*\W*",
    re.I,
)
"""Asks on which side of the averages of the questions before the price is."""


def ask_with_before(words: str, before: list[str]) -> str:
    """Return the question before together with what a message asks more of its indicator; "" for any other.

    >>> ask_with_before("what date", ["MACD cross on BYD this month?"])
    'MACD cross on BYD this month what date'
    >>> ask_with_before("Is it above both?", ["50-day average of Tencent", "And the 200-day?"])
    'is Tencent above its 50-day average and its 200-day average'
    >>> ask_with_before("why did it fall", ["MACD cross on BYD this month?"])
    ''
    """
    if not before or find_mentions(words):
        return ""
    if _ALL.fullmatch(words):
        return _ask_sides(before[-3:])
    last = next((text for text in reversed(before[-3:]) if find_mentions(text)), "")
    if size := _SIZE.search(strip_mentions(last)):
        return _ask_when_crossed(words, last, size[1] or size[2])
    words = _SINCE.sub("", words)
    for answer in _ASKED:
        if re.search(find_name(answer), last, re.I) and not find_leftovers(words, answer):
            return f"{last.rstrip(' ?？。.')}{'' if is_chinese(last) else ' '}{words.strip(' ?？')}"
    return ""


_WHEN_CROSSED = pattern(
    r"\W*(?:是|那|它|具体)*(?:什么时候|何时|哪一?天|几号)(?:的事|才|就)?"
    r"(?:(?:跌破|站上|突破|失守|掉下来|上来)(?:的|了)*)?(?:的)?\W*"
    r"|\W*(?:and |so )?(?:since when|when (?:did|was) (?:it|that|this)(?: last)?"
    r"(?: (?:happen|cross|break|fall|drop|go|rise|climb)\w*)?"
    r"(?: (?:below|under|above|over|through))?(?: (?:it|that))?)\W*",
    re.I,
)
_BELOW = pattern(r"跌破|失守|下方|下面|之下|低于|\b(?:below|under|lost|fell|broken?|broke)\b", re.I)


def _ask_when_crossed(words: str, last: str, size: str) -> str:
    """Return the question when the average was crossed that the question before names; "" for any other message."""
    named = find_mentions(last)
    if _WHEN_CROSSED.fullmatch(words) is None or len(named) != 1:
        return ""
    below, who = _BELOW.search(last) is not None, named[0].said
    if is_chinese(last):
        return f"{who}什么时候{'跌破' if below else '站上'}{size}{find_name('average')}"
    return f"when did {who} last cross {'below' if below else 'above'} its {size}-day average"


def _ask_sides(before: list[str]) -> str:
    """Return the question on which side of the averages that the messages before name the price is."""
    named = [each for text in before for each in find_mentions(text)]
    sizes = list(dict.fromkeys(one or other for text in before for one, other in _SIZE.findall(text)))
    if not sizes and before and re.search(find_name("averages_alone"), before[-1], re.I):
        sizes = list(_USUAL)
    if len({each.code for each in named}) != 1 or not sizes:
        return ""
    who = named[0].said
    average = find_name("average")
    if is_chinese(before[-1]):
        return f"{who}在{'和'.join(f'{size}{average}' for size in sizes)}之上吗"
    return f"is {who} above " + " and ".join(f"its {size}-day average" for size in sizes)
