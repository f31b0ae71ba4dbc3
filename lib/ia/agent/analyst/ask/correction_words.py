"""Corrections of the journal that the owner tells in words: which field of an entry is wrong, and what it should be."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import Size, find_size
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.plain_words import fold_characters
from ia.domain.speech.numerals import parse_count
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

_FIELD_ZH = r"(?:价格?|单价|成交价|数量|股数|手数|日期|金额)"
_FIELD_EN = r"(?:price|quantity|number of (?:shares|lots)|share count|amount|date)"
_SPOKEN = (
    r"(?:刚[才刚]|上一?|最后|最近)(?:的?那?|的)一?[笔条次](?:交易|[买卖]入?)?[^，,。]{0,8}?(?:改|换|更正|修正)[成为到]"
)
_WRONG = pattern_by_letters(
    rf"{_SPOKEN}|"
    rf"[记写输录填登打][入录]?错|记成了|[记写输录填]得?(?:不对|有误)|{_FIELD_ZH}[^，,。]{{0,6}}(?:错了?|不对|有误)"
    rf"|(?:更正|修正|纠正|改)(?:一下|下)?[^，,。]{{0,20}}{_FIELD_ZH}|{_FIELD_ZH}[^，,。]{{0,6}}(?:改|更正|修正)[成为到]?"
    rf"|{_FIELD_ZH}[^，,。？?]{{0,4}}(?:应该?(?:是|为)|其实是)(?!多少|几|什么)"
    r"|(?:更正|修正|纠正)[^，,。]{0,12}(?:[买卖].{0,4}[笔次]?|[笔条]|交易|记录)"
    r"|\b(?:entered|recorded|typed|logged|booked|noted|wrote|put)\b.{0,40}\b(?:wrong(?:ly)?|incorrect(?:ly)?)\b"
    r"|\bmis-?(?:typed|entered|recorded)\b|\btypo\b"
    rf"|\b(?:wrong|incorrect) {_FIELD_EN}\b|\bgot the {_FIELD_EN}\b.{{0,40}}\bwrong\b"
    rf"|\b{_FIELD_EN}\b.{{0,40}}\b(?:is|was|are|were) (?:entered |recorded )?(?:wrong|incorrect|a typo|a mistake)\b"
    rf"|\b(?:correct|fix|amend|change|edit)\b.{{0,40}}\b{_FIELD_EN}\b|\b(?:correct|amend)\b.{{0,24}}"
    r"\b(?:trade|purchase|sale|buy|entry|transaction|deposit)\b"
    r"|\b(?:bought|sold|paid)\b.{0,40}\d[^?？]{0,16}\bnot (?:at |for )?\d"
    r"|[买卖][^?？]{0,24}\d[^?？]{0,12}不是\s*\d|\d(?:元|块)?(?:的价)?[买卖]的?[^?？]{0,6}不是\s*\d",
    re.I,
)
_ENTRY = pattern(
    r"买|卖|[加减建清]仓|交易|成交|入金|存入|转入|存款|出金|取出|账本|流水|[那一这]笔|第.{1,4}[笔条]|分红"
    r"|\b(?:trades?|traded|buys?|bought|purchased?|purchases|sales?|sold|sell|entry|entries|transactions?|journal|ledger"
    r"|deposit(?:ed|s)?|withdraw\w*|dividends?)\b",
    re.I,
)
_REASON = pattern(
    r"(?P<of>(?:买入|卖出|交易)?的?(?:理由|原因|\breason\b)).{0,24}?"
    r"(?:改[成为到]|换[成为]|更正[为成]|修?改一?下[:：]|应该?(?:是|为)|\bto\b|\bshould be\b)[:： ]*(?P<text>\S.*)$",
    re.I,
)
"""The reason of a trade, and what it should be."""
_VOID = pattern(r"作废|撤销|删除|删掉|\b(?:void|undo|delete)\b", re.I)
"""An entry that is to be voided, not corrected."""
_OTHER = pattern(
    r"笔记|日记|提醒|预警|任务|目标|止损|止盈|自选|规则|信念|判断|如果|什么是|怎么会"
    r"|补[记录登]|漏记"
    r"|\b(?:notes?|alerts?|remind\w*|tasks?|targets?|stops?(?:[- ]loss)?|watch ?list|rules?|beliefs?|if|why)\b",
    re.I,
)
_NUMBER = r"\s*[¥$￥]?\s*(?P<n>\d[\d,]*(?:\.\d+)?\s?[万千百]?)(?!\d|[-/年月]\d)"
_VALUES = tuple(
    pattern(form + _NUMBER, re.I)
    for form in (
        r"(?:应该?(?:当)?是|应(?:当)?为|其实是|实际(?:上)?(?:是|为)|正确的?[^，,。]{0,4}(?:是|为)|改[成为到]|[更修纠]正[为成])"
        r"(?:以)?",
        r"\b(?:should(?: have)? (?:be|been)|actually|in fact|really|correct(?: \w+)? (?:is|was))(?: was| is| at)?",
        r"\b(?:bought|sold|paid)\b.{0,30}?\b(?:at|for)",
        r"(?:(?<!不)是|为|[:：]|\b(?<!not )(?:was|is|were|to|with|but)\b(?: at)?)",
        rf"(?:{_FIELD_ZH}|\b{_FIELD_EN}\b)",
    )
)
"""What the value of a correction stands behind, the surest words first."""
_FIELDS = (
    ("date", pattern(r"日期|\bdate\b", re.I)),
    ("quantity", pattern(r"数量|股数|手数|\b(?:quantity|number of (?:shares|lots)|share count)\b", re.I)),
    ("amount", pattern(r"金额|入金|存入|转入|存款|出金|取出|\b(?:amount|deposit\w*|withdr\w+)\b", re.I)),
)


_PRICED = pattern(r"价|[元块]|\b(?:price|yuan|at)\b", re.I)


class ToldCorrection(NamedTuple):
    """What of an entry is wrong, and what it should be.

    field  price, quantity, amount, date or reason, as the options of `ia trade correct`; "" where that is not said
    value  None where it is not said; size: the shares or lots of a quantity; text: the reason
    """

    field: str
    value: float | None
    size: Size | None = None
    text: str = ""


def read_correction(question: str) -> ToldCorrection | None:
    """Return the correction of a journal entry that a message tells; None for any other message.

    >>> read_correction("I entered the wrong price for the last buy, it was 31.2")
    ToldCorrection(field='price', value=31.2, size=None, text='')
    >>> read_correction("昨天买的招行价格记错了，不是32，应该是31.2").value
    31.2
    >>> read_correction("I got the quantity of my Apple buy wrong, it was 60 shares").size.number
    60.0
    >>> read_correction("把刚才那笔改成 200 股").size.number, read_correction("把刚才那笔改成200").field
    (200.0, '')
    >>> read_correction("把比亚迪的买入理由改成 新能源长期").text, read_correction("第9笔买入记错了，作废")
    ('新能源长期', None)
    >>> read_correction("我卖错了吗"), read_correction("change the stop of my last purchase to 30")
    (None, None)
    """
    whole = fold_characters(question)
    if (reason := _REASON.search(whole)) and _ENTRY.search(whole[: reason.end("of")]):
        told = reason["text"].strip(" 。.\"“”「」'")
        return (
            ToldCorrection("reason", None, None, told) if told and not _OTHER.search(whole[: reason.start()]) else None
        )
    words = strip_mentions(whole)
    if _VOID.search(words):
        return None
    if not _WRONG.search(words) or not _ENTRY.search(words) or _OTHER.search(words):
        return None
    found = [list(form.finditer(words)) for form in _VALUES]
    match = next((each[-1] for each in found if each), None)
    value = parse_count(match["n"].strip()) if match else None
    size = find_size(words[match.start("n") :]) if match else None
    field = next((name for name, form in _FIELDS if form.search(words)), "")
    if size is not None and not field:
        field = "quantity"
    if not field and re.search(_SPOKEN, words) and not _PRICED.search(words):
        return ToldCorrection("", value)
    return ToldCorrection(field or "price", value, size if field == "quantity" else None)
