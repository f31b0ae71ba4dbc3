"""Which term a question for a meaning asks for: "what is MACD?", "市盈率怎么算"."""

import re

from ia.kernel.word_patterns import pattern_by_letters

LONGEST_TERM = 30
"""Characters of what may be a term."""
_ASK = r"(?:(?:can|could|would|will) you |please |tell me |i want to know |do you know )*"
_FORMS = tuple(
    pattern_by_letters(rf"\A\W*{form}\W*\Z", re.I)
    for form in (
        rf"{_ASK}(?:what|which)(?:['’]?s| (?:exactly )?(?:is|are))(?: exactly)? (?:an? )?"
        r"(?P<term>(?!the |my |your )[^,;:?]+?)(?: exactly)?",
        rf"{_ASK}what exactly (?:is|are) (?:an? |the )?(?P<term>[^,;:?]+?)",
        rf"{_ASK}what (?:does |do )?(?:an? |the )?(?P<term>[^,;:?]+?) (?:is|are|means?|stands? for)",
        rf"{_ASK}(?:explain|define|describe)(?: to me)? (?:the (?:term|meaning of) )?(?:an? |the )?"
        r"(?P<term>[^,;:?]+?)(?: to me)?",
        r"(?P<term>[^,;:?]+?) (?:meaning|definition|explained|defined)",
        rf"{_ASK}(?:the )?(?:meaning|definition) of (?:an? |the )?(?P<term>[^,;:?]+?)",
        rf"{_ASK}what is meant by (?:an? |the )?(?P<term>[^,;:?]+?)",
        rf"{_ASK}how (?:is|are) (?:an? |the )?(?P<term>[^,;:?]+?)"
        r" (?:calculated|computed|defined|measured|interpreted|read)",
        rf"{_ASK}how (?:do|does|would|should) (?:i|you|we|one) (?:calculate|compute|interpret|define|measure)"
        r" (?:an? |the )?(?P<term>[^,;:?]+?)",
        rf"{_ASK}how does (?:an? |the )?(?P<term>[^,;:?]+?) work",
        r"请?(?:解释|讲讲|讲解|说说|介绍|科普|说明)(?:一下|下)?(?:什么是)?(?P<term>[^，,。；;]+?)(?:是什么|是啥|是?什么意思|的?(?:意思|含义))?",
        r"(?:什么|啥)(?:是|叫做?)(?P<term>[^，,。；;]+?)",
        r"何[为谓](?P<term>[^，,。；;]+?)",
        r"(?P<term>[^，,。；;]+?)(?:到底|究竟)?(?:是个?什么(?:意思|东西|指标)?|是啥(?:意思)?|指的?是?什么|什么意思|代表什么"
        r"|(?:是|要|该)?(?:怎么|如何)(?:计算|理解|定义|算)(?:出来)?的?|的(?:含义|定义|意思)(?:是什么)?)",
    )
)


def find_term(words: str) -> str:
    """Return what a text asks the meaning of, if it asks for that and nothing else; "" otherwise.

    >>> find_term("What is MACD?"), find_term("what's a golden cross"), find_term("市盈率怎么算")
    ('MACD', 'golden cross', '市盈率')
    >>> find_term("What is the PE of 600519?")
    ''
    """
    for form in _FORMS:
        if (found := form.match(words)) and len(term := found["term"].strip()) <= LONGEST_TERM:
            return term
    return ""
