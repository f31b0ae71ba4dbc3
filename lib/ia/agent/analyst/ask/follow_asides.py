"""Messages beside the matter: "why?", thanks, a wish for a language, a choice of several by its place."""

import re

from ia.agent.analyst.ask.follow_words import LONGEST
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
    ("en", r"(?:in|into) english|用?(?:英文|英语)(?:回答|说|讲|回复|写)?(?:一遍|一下|吧)?"),
    ("zh", r"(?:in|into) (?:chinese|mandarin)|用?(?:中文|汉语|普通话)(?:回答|说|讲|回复|写)?(?:一遍|一下|吧)?"),
)
_SAY = (
    r"(?:(?:can|could|would) you |please |and |now |请|再|麻烦|能不能|可以)*"
    r"(?:(?:say|write|repeat|give|answer|tell me|translate)\b(?: (?:it|that|this|me|the same))* ?)?"
)
_POLITE = r"(?:[, ]*(?:please|thanks?|吗|好吗))?\W*"
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
