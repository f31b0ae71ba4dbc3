"""Sentences of a document that may be rules, patterns or steps, told by headings and sentence forms. No model is asked.

What is found is a candidate: a person, or a model, decides. Words of headings and forms of sentences are Chinese and
English.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ia.faculties.rulebooks.quotes import fold_quote
from ia.kernel.patterns import pattern
from ia.organs.recall.documents import page_at, split_sections, split_sentences

STEP, PATTERN, RED_FLAG, RULE = "step", "pattern", "red_flag", "rule"
_HEADINGS = (
    (
        "skip",
        0,
        r"附录|参考|书目|前言|序言|目录|致谢|索引|appendix|references|bibliograph|preface|contents|index|acknowledg",
    ),
    (RULE, 1, r"红线|红旗|禁忌|戒律|铁律|必须先看|red flags?|red lines?|never|must[- ]know|warnings?"),
    (RULE, 3, r"例外|特例|特殊情[况形]|边缘|exceptions?|edge cases?|special cases?"),
    (STEP, 0, r"步骤|流程|次序|顺序|程序|procedures?|steps?|workflow|checklist|in (?:what|which) order"),
    (PATTERN, 0, r"形态|组合|典型|图形|模式|pictures?|patterns?|setups?|signatures?"),
    (RULE, 2, r"规则|法则|准则|判断|rules?|criteria"),
)
_KINDS = tuple((kind, tier, pattern(words)) for kind, tier, words in _HEADINGS)
_STEP = pattern(
    r"第[一二三四五六七八九十\d]+步|(?:首先|其次|然后|接着|最后|再次)|(?:先|次|再|后)(?=[看定取查算写列选排])"
    r"|step \d+|(?:first|second|third|next|then|finally|lastly)\b[, ]|\d{1,2}[.)、]\s*"
)
_CONDITION = (
    r"若|如果|倘若|一旦|凡|只有|除非|每当|当[^，。]{2,40}时|[^，。]{2,40}时[，,]"
    + r"|[^，。]{2,30}[者的][，,]|[^，。]{2,20}之[年后前日][，,]"
)
_ORDER = r"则|就|应|须|必|不得|宜|不可|不能|不要|切勿|勿|一律|才|把|将|禁止|暂停|减|卖出|买入|离场|停止|主|为|反|仍以"
_RULE_ZH = pattern(rf"(?:{_CONDITION}).*(?:{_ORDER})")
_STRICT_ZH = pattern(
    r"(?:若|如果|倘若|一旦|凡|只有|除非|每当|当[^，。]{2,40}时|[^，。]{2,40}[时后者的][，,]).*(?:则|就|应当?|须|必须|不得|宜|不可|不能"
    r"|不要|切勿|勿|一律|才|把|将)|^[^，。]{0,12}(?:必须|不得|切勿|严禁|禁止|务必)"
)
_STRICT_EN = pattern(
    r"\b(?:if|when|whenever|unless|after|before|once|while|until)\b.{3,200}"
    r"\b(?:then|never|must|should|do not|don['’]t|always|cannot|may not|stop|sell|buy|cut|reduce|raise|move|exit|wait"
    r"|avoid|use)\b|^(?:never|always|do not|don['’]t|avoid|cut|sell|buy|reduce|move|exit|stop|wait)\b"
    r"|\b(?:never|must)\b.{3,200}\b(?:if|when|unless|until|before|after)\b"
)
_BOTH = pattern(r"^[^，。；;]{1,20}时以|[：:].*者[^，。；]{1,6}，为|[;:] (?:if|when)\b")
"""A step that says what follows from its result, too."""
_NO_RULE = pattern(
    r"读者|参阅|参见|阅读|本书|本章|本文|例如|譬如|比如|云：|曰：|有人说|[？?]$"
    r"|\b(?:reader|see also|appendix|chapter|for example|in this book)\b"
)
_NAMED = pattern(r"^([\u3400-\u9fffA-Za-z][^，。：:,.]{1,30})[：:]\s*(?=\S)")
_GOES_ON = pattern(r"[^。！？；.!?;:：…”’」』\s\|][ \t]*\n[ \t]*\Z")
_ITEM = pattern(r"\s*(?:[-*+•|]|\d{1,3}[.)、])")
_ORDINAL = pattern(r"^(?:第[一二三四五六七八九十\d]+步|step\s+\d+|[-*•]|\(?\d{1,2}[.)、])[，,：:.]?\s*")
MIN_SENTENCE, MAX_SENTENCE = 6, 400


class Sentence(NamedTuple):
    """A sentence of a document, numbered from 1: its text, the last heading above it, its page (0: none)."""

    number: int
    text: str
    heading: str
    page: int
    label: str
    ocr: bool
    section: int


class Candidate(NamedTuple):
    """A sentence that may be knowledge. kind: STEP, PATTERN, RED_FLAG or RULE; tier 1 to 3 of a rule, else 0."""

    kind: str
    tier: int
    name: str
    sentence: Sentence


def read_sentences(body: str) -> list[Sentence]:
    """Return the sentences of a document's text without its front matter, in order."""
    found: list[Sentence] = []
    for at, section in enumerate(split_sections(body)):
        heading = section.heading.rpartition(" › ")[2]
        for offset, text in _join_lines(split_sentences(section.text)):
            plain = " ".join(text.split())
            if any(char.isalnum() for char in plain):
                page = page_at(section.pages, offset)
                found.append(
                    Sentence(
                        number=len(found) + 1,
                        text=plain,
                        heading=heading,
                        page=page.page if page else 0,
                        label=page.label if page else "",
                        ocr=bool(page and page.ocr),
                        section=at,
                    )
                )
    return found


def _join_lines(pieces: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield sentences, those that a line break within a paragraph had cut joined again."""
    begin, sentence = 0, ""
    for offset, piece in pieces:
        if (sentence and not _GOES_ON.search(sentence)) or _ITEM.match(piece):
            if sentence:
                yield begin, sentence
            begin, sentence = offset, piece
        else:
            begin, sentence = (begin, sentence + piece) if sentence else (offset, piece)
    if sentence:
        yield begin, sentence


def quote_sentences(sentences: Iterable[Sentence]) -> str:
    """Return the quote of some sentences of one document: neighbors joined, gaps as `…`, the number of a step left out.

    >>> quote_sentences([Sentence(1, "第一步，写下净值。", "", 0, "", False, 0)])
    '写下净值。'
    """
    out = ""
    before = 0
    for each in sentences:
        text = each.text if out else strip_ordinal(each.text)
        latin = bool(out) and (out[-1].isascii() or text[:1].isascii())
        out += text if not out else (" " if latin else "") + text if each.number == before + 1 else f" … {text}"
        before = each.number
    return out


def strip_ordinal(text: str) -> str:
    """Return a sentence without the number that makes it a step or an item of a list."""
    return _ORDINAL.sub("", text, count=1) or text


def strip_name(text: str) -> str:
    """Return a sentence without the name that it begins with: `NAME: how it looks`."""
    plain = strip_ordinal(text)
    named = _NAMED.match(plain)
    return plain[named.end() :] if named else plain


def find_candidates(sentences: Iterable[Sentence]) -> Iterator[Candidate]:
    """Yield the sentences that may be knowledge: by the kind of their heading, else by their own form."""
    for each in sentences:
        kind, tier = heading_kind(each.heading)
        if (
            kind == "skip"
            or not MIN_SENTENCE <= len(each.text) <= MAX_SENTENCE
            or _NO_RULE.search(each.text.casefold())
        ):
            continue
        low = each.text.casefold()
        named = _NAMED.match(strip_ordinal(each.text))
        is_rule = bool(_RULE_ZH.search(low) or _STRICT_EN.search(low))
        if kind == STEP:
            yield Candidate(STEP, 0, "", each)
            if _BOTH.search(low) or (is_rule and not _STEP.match(low)):
                yield Candidate(RULE, 2, "", each)
        elif kind == PATTERN:
            if named:
                yield Candidate(PATTERN, 0, named[1].strip(), each)
        elif kind == RULE and tier in (1, 3):
            yield Candidate(RULE, tier, "", each)
        elif kind == RULE:
            yield Candidate(RULE, 2, "", each)
        elif is_strict(low) or (_STEP.match(low) and low.startswith("第")):
            yield Candidate(STEP if _STEP.match(low) else RULE, 0 if _STEP.match(low) else 2, "", each)


def is_strict(folded: str) -> bool:
    """Return True if a sentence of any heading says what to do, or what follows, under a condition."""
    return bool(_STRICT_ZH.search(folded) or _STRICT_EN.search(folded)) and not _NO_RULE.search(folded)


def heading_kind(heading: str) -> tuple[str, int]:
    """Return what a heading announces: a kind and a tier; ("", 0) for nothing, ("skip", 0) where no rule stands.

    >>> heading_kind("三、必须先看的红线"), heading_kind("Exceptions"), heading_kind("五、典型形态")
    (('rule', 1), ('rule', 3), ('pattern', 0))
    """
    low = heading.casefold()
    return next(((kind, tier) for kind, tier, words in _KINDS if words.search(low)), ("", 0))


def split_condition(text: str) -> tuple[str, str]:
    """Return a sentence's condition and what follows from it, as it is worded; "" for a sentence without a condition.

    >>> split_condition("若收盘价跌破均线，则减仓一半。"), split_condition("Never add to a loss.")
    (('收盘价跌破均线', '减仓一半'), ('', 'Never add to a loss'))
    """
    plain = strip_ordinal(text).rstrip("。.！!；; ")
    plain = strip_name(plain)
    for mark in ("，", ",", " then "):
        left, comma, right = plain.partition(mark)
        if comma and left.strip() and right.strip():
            left = _LEAD.sub("", left.strip(), count=1)
            left = _TAIL.sub("", left)
            return left, _FOLLOWS.sub("", right.strip(), count=1)
    return "", plain


_LEAD = pattern(
    r"^(?:因此|所以)?(?:若|如果|倘若|一旦|凡|当(?![日天年月前时])|每当|只有在|只有|如|(?:if|when|whenever|once)\s+)",
    re.I,
)
_TAIL = pattern(r"(?:的情况下|之时|时|者|的)$")
_FOLLOWS = pattern(r"^(?:则|就|那么|then\s+)", re.I)


def is_covered(sentence: Sentence, quotes: Iterable[str]) -> bool:
    """Return True if a quote holds the sentence, or the sentence the quote. Quotes are folded by fold_quote()."""
    folded = fold_quote(strip_ordinal(sentence.text))[0]
    return any(folded in quote or (len(quote) >= 8 and quote in folded) for quote in quotes)
