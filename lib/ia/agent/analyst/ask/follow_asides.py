"""Messages beside the matter: "why?", thanks, a wish for a language, a choice of several by its place."""

import re

from ia.agent.analyst.ask.follow_words import LONGEST
from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

_WHY = (
    r"why(?: so(?: (?:few|many|little|much))?| is that| not| did it (?:fail|pass)| (?:only )?\d[\d,]*(?: shares)?)?"
    r"|how (?:so|come)|what for"
    r"|为(?:什么|啥)(?:(?:置信度|把握|信心)(?:这么|很|比较)?[低高]|(?:是|这么|才|只(?:有|能买)?)?(?:[少多]|\d[\d,]*股?)"
    r"|(?:没有?|不)(?:通过|过|能买|行|可以))?"
    r"|凭什么|怎么说|何以见得|(?:理由|依据|原因)(?:是什么|呢)?"
)
_ASKS_WHY = pattern(rf"\W*(?:(?:but|and|so|ok(?:ay)?)\b[, ]*)?(?:{_WHY})(?:呢|吗|啊)?\W*", re.I)
_ASIDE = pattern(
    r"\W*(?:(?:but|and|so|ok(?:ay)?)\b[, ]*)?"
    rf"(?:{_WHY}|(?:many )?thanks?(?: you)?(?: a lot)?|thank you|great|谢谢你?|多谢|好的?)"
    r"(?:呢|吗|啊)?\W*",
    re.I,
)
"""What says nothing of what the next question is about."""
_TONGUE = (
    ("en", r"(?:in|into) english|[用以]?(?:英文|英语)(?:来?(?:回答|答复|说|讲|回复|写))?我?(?:一遍|一下|吧|就行)?"),
    (
        "zh",
        r"(?:in|into) (?:chinese|mandarin)"
        r"|[用以]?(?:中文|汉语|普通话)(?:来?(?:回答|答复|说|讲|回复|写))?我?(?:一遍|一下|吧|就行)?",
    ),
)
_SAY = (
    r"(?:(?:can|could|would) you |please |and |now |always |only |just |from now on,? |in future,? |going forward,? "
    r"|请|再|麻烦|能不能|可以|(?:以后|今后|往后|从现在起|从今天起)[，,\s]*|都|你|只|一律|一直|全部?)*"
    r"(?:(?:say|write|repeat|give|answer|reply|respond|speak|talk|tell me|translate)\b"
    r"(?: (?:it|that|this|me|to me|the same|everything|all|always|only))* ?)?"
)
_POLITE = r"(?:[, ]*(?:please|thanks?|from now on|in future|always|吗|好吗))?\W*"
_WISHES = tuple(
    (
        lang,
        pattern_by_letters(rf"(?P<rest>.*?)[\s,，、;；。.?？!！—–-]*(?<![a-z]){_SAY}(?:{form}){_POLITE}", re.I | re.S),
    )
    for lang, form in _TONGUE
)


def split_language_wish(text: str) -> tuple[str, str]:
    """Return a message without the language in which it wants its answer, and that language; "" where it wants none.

    >>> split_language_wish("in English please"), split_language_wish("茅台现价多少，用英文回答")
    (('', 'en'), ('茅台现价多少', 'en'))
    >>> split_language_wish("How is BYD?"), split_language_wish("What is CATL's price? Answer in Chinese.")
    (('How is BYD?', ''), ("What is CATL's price", 'zh'))
    """
    for lang, form in _WISHES:
        if len(text) <= LONGEST * 4 and (found := form.fullmatch(text)):
            return found["rest"].strip(), lang
    return text, ""


_CHOICE = pattern(
    r"\W*(?:i mean |take |just )?(?:the )?(?:"
    r"((?:first|1st|former)(?: one)?|第[一1](?:只|个|家|支|项)?|(?:number )?1|前者)"
    r"|((?:second|2nd|latter)(?: one)?|第[二2](?:只|个|家|支|项)?|(?:number )?2|后者)"
    r"|((?:third|3rd)(?: one)?|第[三3](?:只|个|家|支|项)?|(?:number )?3)"
    r"|((?:fourth|4th)(?: one)?|第[四4](?:只|个|家|支|项)?|(?:number )?4)"
    r")(?:的|吧)?\W*",
    re.I,
)


def read_ordinal(text: str) -> int | None:
    """Return which of several a message chooses, from 0; None where it chooses none.

    >>> read_ordinal("the second one"), read_ordinal("第一只"), read_ordinal("BYD")
    (1, 0, None)
    """
    found = _CHOICE.fullmatch(text)
    return found.lastindex - 1 if found and found.lastindex else None


def asks_why(text: str) -> bool:
    """Return True if a message asks for the grounds of the answer before it, and for nothing else.

    >>> asks_why("Why?"), asks_why("为什么这么少？"), asks_why("为什么没通过"), asks_why("why did CMB fall?")
    (True, True, True, False)
    """
    return _ASKS_WHY.fullmatch(text) is not None


def drop_asides(before: list[str]) -> list[str]:
    """Return the questions before without thanks, "why?" and wishes for a language: they name no subject."""
    return [said for said in before if not _ASIDE.fullmatch(said) and split_language_wish(said)[0]]


_NO = (
    r"(?:(?:no|nope|nah|sorry|oh|oops|wait|actually|hmm+|not that|my mistake|my bad|i misspoke|wrong one)"
    r"\b[,.!;: —–-]*)+"
    r"|(?:(?:不对|不是(?:这个|它|啦)?|错了|搞错了?|说错了?|弄错了?|打错了?|哦不?|噢|不不|抱歉|对不起|不好意思"
    r"|我(?:刚才?)?(?:说|打|写|搞|弄)错了?)[，,。!！、… ]*)+"
)
_MEAN = (
    r"(?:i (?:really |actually )?(?:mean|meant|was (?:asking|talking) (?:about|for|of))|i wanted|make (?:it|that)"
    r"|it should be|should be|read)(?: to say| the one)?:? "
    r"|(?:我(?:刚才?|其实)?(?:想?问|是?想?说|是?指|要问|想说|看)的?(?:其实)?(?:是|的是)?|我的?意思是|是说"
    r"|应该?(?:是|问|看)|我是(?:说|指|问)|要的是|是(?=[^不否]))"
)
_AMENDS = pattern(
    rf"\W*(?:(?:{_NO})(?:{_MEAN})?|(?:{_MEAN}))(?P<core>[^，,。;；?？]{{1,40}}?)"
    r"(?:,? (?:instead|please|rather|not that)|的|吧|呢|才对)*\W*",
    re.I,
)
_NOT_BUT = pattern(
    r"\W*(?:no, )?(?:i (?:mean|meant) )?not (?:in |for |on )?(?:the )?[^，,。;；?？]{1,24}, ?"
    r"(?:but |i (?:mean|meant) )?(?P<en>[^，,。;；?？]{1,40}?)\W*"
    r"|\W*(?:我说的)?不是[^，,。;；?？吗]{1,12}[，, ]?(?:而?是|我?(?:问|说|指)的?是)"
    r"(?P<zh>[^，,。;；?？吗]{1,20}?)(?:的|吧)?\W*",
    re.I,
)
_ASKS = pattern(
    r"\b(?:how|what|which|who|when|why|where|is|are|was|were|did|do|does|has|have|can|should|show|list|thanks?"
    r"|problem|idea|need|worries|thank|no|nothing|never ?mind|forget|leave|keep|cancel|remove|delete|stop|note"
    r"|remember|record|bought|sold|buy|sell|alert|remind)\b"
    r"|什么|多少|怎么|哪|几|谁|吗|为|谢|算了|别|不用|没事|取消|删|记|买|卖|提醒|停|好的|可以|我",
    re.I,
)
"""Words of what is no mere amendment: it asks by itself, or wants something done."""


def read_amendment(text: str) -> str:
    """Return what a message puts in the place of a part of the question before, as words that go on; "" for none.

    >>> read_amendment("no, I meant 2023"), read_amendment("不对，我是说2023年"), read_amendment("not BYD, CATL")
    ('and 2023?', '2023年呢', 'and CATL?')
    >>> read_amendment("no, what is the price?"), read_amendment("no thanks")
    ('', '')
    """
    found = _NOT_BUT.fullmatch(text) or _AMENDS.fullmatch(text)
    if found is None or len(text) > LONGEST * 2:
        return ""
    said = (next((each for each in found.groupdict().values() if each), "") or "").strip(" ,，.。")
    if not said or _ASKS.search(said):
        return ""
    return f"{said}呢" if count_han(text) else f"and {said}?"
