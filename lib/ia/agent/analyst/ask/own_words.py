"""Questions about the owner's money by the ideas in them: one with the same ideas as a known one asks the same.

Rules read words in their order; this reads them in any order. Every word has to be a word of an idea or idle, so that
nothing that might change the answer is passed over.
"""

import re
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from ia.agent.analyst.ask.idea_words import (
    MARK,
    blank_stretches,
    find_words,
    fold_case,
    in_language,
    load_table,
    measure_word,
    put_marks,
)
from ia.agent.analyst.ask.leftover_words import compile_idle
from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, UNREAD, find_time_spans
from ia.agent.analyst.voice import count_han
from ia.domain.speech.numerals import parse_count
from ia.kernel.patterns import pattern

_TIME, _SECURITY, _INDEX, _NUMBER, _PERCENT, _IDLE = "TIME", "SECURITY", "INDEX", "NUMBER", "PERCENT", "IDLE"
"""Ideas that no word of the table has: a stretch of time, a security, an index, a number, a part; what is none."""
_MONEY = "MONEY"
"""An amount of money: "5000元"."""
_DATE = "DATE"
"""A stretch of time that is one day; where a row has TIME, it may be one, too."""
_WEAK = frozenset(
    ("DO", "OWN", "IT", "CAN", "WHICH", "STOCK", "RECORD", "STILL", "EVER", "PAST", "TENTH", "PROFITSHARE", "PURCHASE",
     "SALE", "OWNANY", "ACCOUNTOF", "HURT", "PUTIN")
)  # fmt: skip
"""Ideas that a question may always name: doing, owning, and what was spoken of where the owner is named besides."""
_DEALS = frozenset(("BUY", "SELL", "PROFIT", "LOSS", "DEPOSIT", "WITHDRAW"))
_DATED = frozenset(("BUY", "SELL", "TRADE", "DEPOSIT", "WITHDRAW", "DRAWDOWN", "PEAK"))
"""What has a date, which its answer tells: when it was may be asked."""
_IN_PERCENT = frozenset(("PROFIT", "LOSS", "RESULT", "UP", "DOWN", "WEIGHT", "SHARE", "BEAT"))
"""What is told in percent anyway."""
_RANKED = frozenset(("BEST", "WORST", "MOST", "LEAST", "RANK", "RANK_UP", "CONTRIB"))
"""Ideas of an order, which is another one in percent."""
_WHOSE = frozenset(("ME", "HOLD", "OWN", "ACCOUNTOF"))
"""Ideas that say that the owner's money is meant."""
_BETWEEN = pattern(r"[^\w\ufffc]+|_+")
_POINTED = pattern(
    r"\b(?:on|from|in|for|of|buy|bought|sell|sold|hold|held|own)"
    r" (?:it|them|that one|this one|those|that(?=\W*$)|all that)\b",
    re.I,
)
"""What was spoken of before is meant, and not the whole account."""
_TODAY = pattern(r"\W*(?:今天|今日|today)(?:收盘)?(?:之?后|以后)?\W*", re.I)
_UP_TO_NOW = pattern(
    r"(?:到|截[至止])(?:今天|今日|现在|目前)(?:为止)?|(?:今天|今日)的?(?=汇率|价|股价|收盘价)"
    r"|\btoday's (?=(?:exchange |closing |fx )?(?:rates?|prices?|close)\b)"
    r"|\b(?:up )?(?:to|till|until) (?:today|now|date)\b"
    r"|\b(?:since|from) (?:the|my|its) (?:peak|high|top|highest)\b",
    re.I,
)
"""Looks like a time, and is none that bounds a question: now, or the highest point."""
_ONE_OF_SOME = pattern(
    r"which\b|my (?:biggest|smallest) purchase\b"
    r"|what (?:is my biggest|was my|did i (?:buy|sell))\b|\w+(?: \w+)? of each\b|my (?:best|result)\b",
    re.I,
)
"""A known question that names one or some of several, so that "which" may ask for it."""
_DIGITS = pattern(
    r"\d+(?:,\d{3})*(?:\.\d+)?\s?(?:(?P<percent>[%％]|(?:percent|per cent|pct)\b|个?百分点|个点)|股|shares?\b"
    r"|(?P<money>块钱?|元|(?:yuan|rmb|cny|usd|hkd|dollars?|bucks)\b))?",
    re.I,
)
_TENTHS = pattern(
    r"([一二两三四五六七八九])成(?![本交分为绩功长立员份]|了(?![吗没么?？]|\W*$))"
    r"|百分之(?P<of>[一二三四五六七八九十]+|\d+(?:\.\d+)?)"
)
"""Tenths, which are percents: "两成"."""
_OF_SPAN = pattern(r"\s*(?:of|in)\s*(?:the\s*)?", re.I)
"""Between two stretches of time of which one bounds the other: the last day of last month."""
_SHARES = pattern(r"\s*(?:股|shares?)\Z", re.I)
_NO_SECURITY = frozenset(("FX",))
"""Words in capitals that are no code in a question about money."""


class _Known(NamedTuple):
    """A question that is answered, and the ideas that ask for it.

    needed    of each set at least one idea is named
    allowed   ideas that may be named
    untold    ideas whose value the answer tells: it need not stand in the question
    first     goes before what the rules read
    goes_on   goes before what the rules read of a message that goes on with the one before
    english, chinese   the question; {time} and the like stand for what is named. Without either, rules read it better
    """

    needed: tuple[frozenset[str], ...]
    allowed: frozenset[str]
    untold: frozenset[str]
    english: str
    chinese: str
    first: bool
    goes_on: bool

    def fits(self, ideas: set[str]) -> bool:
        """Return True if a question with these ideas asks for it."""
        weak = _WEAK | {"WHEN"} if ideas & _DATED and "REASON" not in ideas else _WEAK
        weak = weak if _ONE_OF_SOME.match(self.english) else weak - {"WHICH"}
        weak = weak | {"BY_PERCENT"} if ideas & _IN_PERCENT and not ideas & {*_RANKED, _PERCENT} else weak
        weak = weak - {"CAN"} if ideas & {*_DEALS, "UP", "DOWN"} else weak  # what I can lose is not what I lost
        return ideas - weak <= self.allowed and all(ideas & each for each in self.needed)


def read_ideas(words: str, securities: list[Mention], today: date, *, first: bool = False) -> str:
    """Return the known question that one about the owner's money asks, in its language; "" where that is not certain.

    first  only those questions that go before what the rules read

    >>> day = date(2024, 3, 15)
    >>> read_ideas("the biggest of my positions, and how big is it", [], day)
    'what is my biggest position'
    >>> read_ideas("这礼拜我是赚还是赔", [], day), read_ideas("这礼拜我别人赚还是赔", [], day)
    ('我这礼拜赚了多少', '')
    """
    if not securities and _POINTED.search(words):
        return ""
    ideas = read_words(words, securities, today)
    return _ask_known(ideas, chinese=count_han(words) > 0, first=first) if ideas is not None else ""


def continue_ideas(words: str, before: str, today: date, *, first: bool = False) -> str:
    """Return the known question about the owner's money that goes on with the one before it; "" for none.

    What is of the same kind as an idea of the question before takes its place; or else it is asked of its security.

    first  only those questions that go before what the rules read

    >>> day = date(2024, 3, 15)
    >>> continue_ideas("and the worst", "which of my holdings is the best", day)
    'which holding lost the most'
    >>> continue_ideas("and the weather", "which of my holdings is the best", day)
    ''
    """
    if _BARE_PERCENT.fullmatch(words) and _GAIN.search(before):  # of the gain, which is told in percent anyway
        return read_ideas(before, find_mentions(before), today) if find_mentions(before) else ""
    new = read_words(words, find_mentions(words), today)
    old = read_words(before, find_mentions(before), today)
    if not new or not old or set(new) == {"IT"} or set(old) <= {_SECURITY, _INDEX, "TIME", _DATE}:
        return ""
    chinese = count_han(words) > 0
    new = _measure_result(new, old)
    if set(new) - _WEAK == {"SELL"} and "CAN" in new:
        return ""  # whether to sell
    if "FEES" in old and {"TRADE", "MOST", "COST"} <= set(new):  # which trade cost most, of what was asked of fees
        new = {idea: said for idea, said in new.items() if idea != "COST"}
    if (
        "CASH" in old
        and _SECURITY not in old
        and {"WEIGHT", "SHARE", "BY_PERCENT"} & set(new) <= set(new) <= _CASH_PART
    ):
        new = {"CASH": old["CASH"], "WEIGHT": ["share"]}  # which part of all it is
    kept = {idea: said for idea, said in old.items() if not any(idea in kind and set(new) & kind for kind in _KINDS)}
    if set(new) - _WEAK == {"COUNT", "TOTAL"}:
        kept = {idea: said for idea, said in kept.items() if idea not in ("TIME", _DATE)}  # how many in all
    if "SELL" in old and {"REST", "STILL"} & set(new):  # of what is left, not of what was sold
        kept = {idea: said for idea, said in kept.items() if idea == _SECURITY}
    if "PAST" in new and {"BUY", "SELL"} & set(new):  # of a trade that was made: not what was supposed
        kept = {idea: said for idea, said in kept.items() if idea == _SECURITY}
    if "ANYOF" in new and _SECURITY not in new:  # any of the others: not the one that was spoken of
        kept.pop(_SECURITY, None)
        new = {idea: said for idea, said in new.items() if idea != "ANYOF"} | {"ME": ["my"]}
    if {"SELL", "CASH", _SECURITY} <= set(old) and _SECURITY in new and _ALSO.search(words):
        new = {**new, _SECURITY: [*old[_SECURITY], *new[_SECURITY]]}
    of_all = {"ALL", "HOLD"} <= set(new) or ("ALL" in new and {"UP", "DOWN"} & set(new) and _PERCENT in new)
    if of_all and _SECURITY not in new:
        kept.pop(_SECURITY, None)  # everything, not the one alone
    if "IT" in new and (_IN_IT.search(words) or _THAT_PRICE.search(words)):
        return ""  # of what the question before found, which is not known here
    if known := _ask_known({**kept, **new}, chinese=chinese, goes_on=first):
        return known
    if _SECURITY in new or _SECURITY not in old or first or set(old) & _SUPPOSED or not set(new) - _WEAK:
        return ""
    return _ask_known({_SECURITY: old[_SECURITY], "ME": ["my"], **new}, chinese=chinese)


def ask_accounts(words: str, before: str, today: date) -> str:
    """Return the questions for the accounts of some currencies, after one for another account; "" for anything else.

    >>> ask_accounts("港币和美元的呢", "看一下人民币账户", date(2024, 3, 15))
    '港币账户有多少钱 || 美元账户有多少钱'
    """
    new = read_words(words, find_mentions(words), today)
    old = set(read_words(before, find_mentions(before), today) or ())
    if set(new or ()) != {"CURRENCY"} or old - _WEAK - {"ME"} != {"MARKET"} or "ACCOUNTOF" not in old or new is None:
        return ""
    chinese = count_han(words) > 0
    asked = [value.split("~")[chinese] for value in new["CURRENCY"]]
    return " || ".join(f"{each}账户有多少钱" if chinese else f"how much is in my {each} account" for each in asked)


def name_counted_ones(words: str, before: str, today: date) -> str:
    """Return the question before, which counted holdings, for one that asks which those are; "" for another.

    >>> name_counted_ones("which ones", "how many of my stocks are in profit", date(2024, 3, 15))
    'how many of my holdings are in profit'
    """
    new = read_words(words, find_mentions(words), today)
    old = read_words(before, find_mentions(before), today)
    if not new or not old or "WHICH" not in new or not set(new) <= {"WHICH", "STOCK", "HOLD", "THOSE"}:
        return ""
    counted = {"COUNT", "HELD_COUNT", "WINNERS", "LOSERS"} & set(old) and _RESULTS & set(old)
    return _ask_known(old, chinese=count_han(words) > 0) if counted else ""


def replace_ideas(words: str, before: str, today: date) -> str:
    """Return the known question in which each idea of a message takes the place of one of its kind; "" for none.

    >>> day = date(2024, 3, 15)
    >>> replace_ideas("and my worst", "what was my best trade", day), replace_ideas("and my cash", "my trades", day)
    ('my worst trade', '')
    """
    new = read_words(words, find_mentions(words), today)
    old = read_words(before, find_mentions(before), today)
    said = set(new or ()) - _WEAK - _WHOSE
    if not new or not old or not said or said & {_SECURITY, _INDEX, "TIME", _DATE, "CURRENCY", "INTO"}:
        return ""
    if not all(any(idea in kind and kind & set(old) for kind in _KINDS) for idea in said):
        return ""
    kept = {idea: words for idea, words in old.items() if not any(idea in kind and said & kind for kind in _KINDS)}
    return _ask_known({**kept, **new}, chinese=count_han(words) > 0)


def ask_of_held(words: str, before: str, today: date) -> str:
    """Return the known question about one security that a message without a name asks of the one before; "" for none.

    It is asked of the security and not of the whole account where the message points at it or goes on with it, or the
    question before was about the owner's shares of it.

    >>> day = date(2024, 3, 15)
    >>> ask_of_held("so how much am I up on it", "price of Tencent", day)
    'profit on my Tencent'
    >>> ask_of_held("那我赚了几个点", "腾讯现价", day)
    '腾讯我赚了多少'
    >>> ask_of_held("亏了多少", "腾讯现价", day)
    '腾讯我赚了多少'
    >>> ask_of_held("how much did I make this year", "price of Tencent", day)
    ''
    """
    named = {each.code: each for each in find_mentions(before)}
    if len(named) != 1 or find_mentions(words) or (_BARE_PERCENT.fullmatch(words) and _GAIN.search(before)):
        return ""
    (security,) = named.values()
    new = read_words(words, [], today)
    if new and "REASON" in new and set(new) <= {"REASON", "ME", "DO"}:
        return ""  # "why?": of the answer
    new = _measure_result(new, read_words(before, list(named.values()), today) or {}) if new else new
    if new and "COST" in new and "AVERAGE" not in new and _DEALT.search(before):
        return ""  # at what price that was
    if security.symbol.kind == "index" or not new or set(new) & _OF_ALL or not set(new) - _WEAK - _WHOSE:
        return ""
    if {"UP", "DOWN"} & set(new) and set(new) - _WEAK <= _BARE_MOVE:
        return ""  # what the price did
    goes_on = "IT" in new or _GOES_ON.search(words) is not None or set(new) - _WEAK <= _BARE_COST
    own = re.search(r"我|\b(?:i|my|mine)\b", before, re.I) is not None
    traded = bool(set(new) & {"BUY", "SELL"} and set(new) & {"WHEN", "REASON", "COST"})
    traded = traded or {"BUY", "FIRST"} <= set(new) <= _FIRST_ONE
    bare = set(new) <= _BARE_RESULT and _GAINED.search(words) is not None
    if not bare and (not (goes_on or own or traded) or not (set(new) & (_WHOSE | _OF_OWN if own else _WHOSE))):
        return ""
    known = _ask_known({_SECURITY: [security.said], "ME": ["my"], **new}, chinese=count_han(words) > 0)
    return known if security.said in known else ""


_FIRST_ONE = frozenset(("BUY", "FIRST", "COST", "WHEN", "PURCHASE", "DO"))
"""Ideas of the first purchase where nobody is named: that of what was spoken of."""
_BARE_PERCENT = pattern(
    r"\W*(?:and )?(?:as (?:a )?|in |what )?(?:percent(?:age)?|per cent|%)(?: terms)?\W*"
    r"|\W*那?(?:是|按|用)?(?:百分之几|百分比|百分之多少)(?:是多少|算|呢)?\W*",
    re.I,
)
_GAIN = pattern(r"[赚亏盈挣]|收益|\b(?:ma[dk]e|profits?|gain(?:ed|s)?|los[est]+|earn(?:ed)?|return|result)\b", re.I)
_CASH_PART = frozenset(("WEIGHT", "SHARE", "BY_PERCENT", "WORTH", "TOTAL", "ALL", "ME", "IT"))
"""Ideas of a message that wants the part of everything that the cash is."""
_THAT_PRICE = pattern(r"\b(?:that|this) (?:price|level|target)\b|[这那]个?(?:价|点位|目标)", re.I)
"""A price that was told, which is not known here."""
_BARE_COST = frozenset(("ME", "COST", "AVERAGE", "BREAKEVEN"))
"""Ideas of what was paid, which is that of what was spoken of."""
_BARE_RESULT = frozenset(("PROFIT", "LOSS", "UNREALIZED"))
"""Ideas of a result without an owner, which is that of what was spoken of."""
_BARE_MOVE = frozenset(("UP", "DOWN", "BY_PERCENT"))
"""Ideas of a move without an owner."""
_GAINED = pattern(r"[赚亏]")
"""What an owner does; "profit" alone may be the company's."""
_DEALT = pattern(r"[买卖]|清仓|\b(?:buy|bought|sell|sold|purchase[ds]?|sales?)\b", re.I)
_GOES_ON = pattern(r"\A\W*(?:(?:and|so|then|ok(?:ay)?|but)\b|那|所以)", re.I)
_OF_ALL = frozenset(
    ("ALL", "STOCK", "WHICH", "BEST", "WORST", "MOST", "LEAST", "RANK", "RANK_UP", "EACH", "HELD_COUNT", "CASH",
     "DEPOSIT", "WITHDRAW", "MARKET", "INDUSTRY", "BY_MARKET", "BY_CURRENCY", "SECTOR", "TIME", "DATE", "TRADE", "REST",
     "WINRATE", "DRAWDOWN", "PEAK", "BEAT", "INDEX_ANY", "LOSERS", "WINNERS", "LIMIT", "THOSE", "EXCEPT", "DAY",
     "MONTH", "WEEK", "DRAG", "CONTRIB", "INVESTED", "NOTE", "SAID", "ALERT", "WATCH", "NUMBER", "MONEY", "TOPN")
)  # fmt: skip
"""Ideas of a question that may be about more than the security that was spoken of, or about something else of it."""
_OF_OWN = frozenset(
    ("PROFIT", "LOSS", "COST", "BUY", "SELL", "REASON", "BREAKEVEN", "SHARE", "WEIGHT", "SHARES", "REASONHOLDS",
     "BY_PERCENT")
)  # fmt: skip
"""Ideas of what is the owner's, though nobody is named."""


def asks_of_last_trade(words: str, before: str, today: date) -> bool:
    """Return True if words ask for the fees of the last trade, or what the last sale brought: "was it profitable?".

    The question before was about that trade.

    >>> asks_of_last_trade("fees on it?", "what was my last trade", date(2024, 3, 15))
    True
    """
    new = read_words(words, find_mentions(words), today) or {}
    old = read_words(before, find_mentions(before), today) or {}
    traded = {"TRADE", "BUY", "SELL"} & set(old) and "LAST" in old
    if not traded or _SECURITY in {*new, *old}:
        return False
    brought = "SELL" in old and {"PROFIT", "LOSS"} & set(new)
    return "FEES" in new or (bool(brought) and continue_ideas(words, before, today, first=True) != "")


_ALSO = pattern(r"(?<!\w)再|也|\b(?:too|as well|also)\b", re.I)
"""Words by which something is supposed besides what was supposed before."""
_RESULTS = frozenset(("PROFIT", "LOSS", "RESULT", "UP", "DOWN", "WINNERS", "LOSERS"))
_PART = pattern(r"per ?cent(?:age)?|[%％]|百分", re.I)


def _measure_result(new: dict[str, list[str]], old: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the ideas of a message, with a rate for a part where a result was spoken of: "how many percent".

    One time against another is asked of both times.
    """
    if set(new) - _WEAK == {"THAN", "TIME"} and "TIME" in old:
        return {**new, "TIME": [*old["TIME"], *new["TIME"]]}
    if set(new) - _WEAK != {"WEIGHT"} or not _RESULTS & set(old) or not any(map(_PART.search, new["WEIGHT"])):
        return new
    return {idea: said for idea, said in new.items() if idea != "WEIGHT"} | {"BY_PERCENT": new["WEIGHT"]}


_STATES = frozenset(
    ("CASH", "WORTH", "WEIGHT", "SHARE", "COST", "STOP", "LIMIT", "HELD_COUNT", "SHARES", "SWING", "FIGURE", "SELLABLE")
)
"""Ideas of what is as it is now, which "today" says, too."""
_MOVES = frozenset(
    ("PROFIT", "LOSS", "RESULT", "UP", "DOWN", "DO", "BUY", "SELL", "TRADE", "DIVIDEND", "GOT", "DEPOSIT", "WITHDRAW",
     "FEES", "TAX", "BEST", "WORST", "DRAG", "CONTRIB", "HELPED", "REALIZED", "BEAT", "PROCEEDS")
)  # fmt: skip
"""Ideas of what happens on a day."""
_IN_IT = pattern(r"\b(?:in|of|from) (?:it|that|them|those)\b|[它那]里[面头]?|其中", re.I)
_SUPPOSED = frozenset(
    ("IF", "CAN", "NOT", "EXCEPT", "ENOUGH", "TIME", "DATE", "NUMBER", "PERCENT", "MONEY", "HALF", "AFTERWARDS", "NTH")
)
"""Ideas of a question that one which goes on with it means, too."""
_KINDS = tuple(
    frozenset(kind.split())
    for kind in (
        "BEST WORST MOST LEAST", "BUY SELL TRADE", "FIRST LAST NTH",
        "PROFIT LOSS WORTH COST WEIGHT SHARE RESULT BREAKEVEN FEES TAX DIVIDEND CASH",
        "TIME DATE RECENT", "SECURITY", "INDEX", "SECURITY MARKET INDUSTRY",
        "MARKET", "CURRENCY INTO YUAN", "WHEN REASON COUNT LONG DAYS", "INDUSTRY", "REALIZED UNREALIZED",
        "DAY WEEK MONTH", "DEPOSIT WITHDRAW", "NUMBER PERCENT", "HALF ALL", "HALF NUMBER", "ALL NUMBER",
    )
)  # fmt: skip
"""Ideas of one kind: in a question that goes on with another, one takes the place of the other."""


def read_words(words: str, securities: list[Mention], today: date) -> dict[str, list[str]] | None:
    """Return the ideas of a message, and the words or the value of each; None where it is not read whole."""
    if len(words) > LONGEST or MARK in words or any(each.said not in words for each in securities):
        return None
    text, named = _mark_named(words, securities, today)
    return _find_ideas(text, named)


def _ask_known(ideas: dict[str, list[str]], *, chinese: bool, first: bool = False, goes_on: bool = False) -> str:
    """Return the known question that has some ideas; "" where none has, or something named has no place in it."""
    days = list(dict.fromkeys(ideas.get(_DATE, ())))
    other = [day for day in days if not _TODAY.fullmatch(day)]
    if "THAN" in ideas and len(days) == _TWO and len(other) == 1:
        ideas[_DATE] = other  # today against yesterday
    if (
        {"IF", "CAN", "LIMIT", "CHASE"} & set(ideas)
        and {"BUY", "SELL"} & set(ideas)
        and all(map(_TODAY.fullmatch, days))
    ):
        ideas = {idea: said for idea, said in ideas.items() if idea != _DATE}  # what is supposed is supposed now
    if days and all(map(_TODAY.fullmatch, days)):
        if {"LIMIT", "CAN"} & set(ideas) and {"LOSS", "DOWN"} & set(ideas):
            ideas = {idea: said for idea, said in ideas.items() if idea != _DATE} | {"DAY": days}
        elif _STATES & set(ideas) and not _MOVES & set(ideas):
            ideas = {idea: said for idea, said in ideas.items() if idea != _DATE}  # as it stands
    held = set(ideas)
    some = _TWO if held & {"FEES", "TAX"} else _TWO + 1
    if len(months := set(ideas.get("TIME", ()))) >= some and all(map(_ONE_MONTH.fullmatch, months)):
        held = held - {"TIME"} | {"MONTHS"}
        ideas = {idea: said for idea, said in ideas.items() if idea != "TIME"}
    if "IT" in held and not held & _WHOSE and not (_SECURITY in held and held & {"SELL", "WEIGHT", "LIMIT"}):
        return ""
    for known in _load_known():
        if known.first < first or known.goes_on < goes_on or not known.fits(held):
            continue
        form = known.chinese if chinese else known.english
        if not (known.english or known.chinese):
            return ""
        if form and (filled := _fill(form, ideas, known.untold, chinese=chinese)):
            return filled
    return ""


def _mark_named(words: str, securities: list[Mention], today: date) -> tuple[str, list[tuple[str, str]]]:
    """Return a text with marks for its securities and times, and what each of them stands for, in their order."""
    found = [
        (at, at + len(each.said), _INDEX if each.symbol.kind == "index" else _SECURITY)
        for each in securities
        if (at := words.find(each.said)) >= 0 and each.said not in _NO_SECURITY
    ]
    blank = blank_stretches(words, found)
    none = [found.span() for found in _UP_TO_NOW.finditer(blank)]
    spans = [
        span
        for span in find_time_spans(blank, today)
        if not any(begin <= span.at[0] and span.at[1] <= end for begin, end in none)
    ]
    nested = any(_OF_SPAN.fullmatch(blank[one.at[1] : other.at[0]]) for one, other in pairwise(spans))
    if nested or any(span.kind in (UNREAD, FUTURE) for span in spans):
        return "", [("", "")]
    found += [(*span.at, _DATE if span.kind == DAY else _TIME) for span in spans if span.kind != EVER]
    return put_marks(words, found)


def find_named_ideas(text: str) -> set[str]:
    """Return the ideas that the words of a text may stand for, whatever else it says.

    >>> sorted(find_named_ideas("he hates stamp duty, and so on"))
    ['TAX']
    """
    low, at, found = fold_case(text), 0, set[str]()
    while at < len(low):
        best, idea = 0, ""
        for name, form, _ in (*_find_words(low[at]), *_find_words("")):
            size = measure_word(form, low, at)
            best, idea = (size, name) if size > best else (best, idea)
        for form in compile_idle():
            if (match := form.match(low, at)) and len(match[0]) > best:
                best, idea = len(match[0]), _IDLE
        found.update(idea.split("+") if idea else ())
        at += max(best, 1)
    return found - {_IDLE}


def _find_ideas(text: str, named: list[tuple[str, str]]) -> dict[str, list[str]] | None:
    """Return the ideas of a text, and the words or the value of each; None where a word is none of them."""
    ideas: dict[str, list[str]] = {}
    at, rest = 0, list(named)
    low = fold_case(text)
    while at < len(low):
        if low[at] == MARK:
            idea, said = rest.pop(0)
            ideas.setdefault(idea, []).append(said)
            at += 1
            continue
        best, idea, value = 0, "", ""
        for name, form, each in (*_find_words(low[at]), *_find_words("")):
            size = measure_word(form, low, at)
            if size > best:
                best, idea, value = size, name, each or low[at : at + size]
        for form in compile_idle():
            if (match := form.match(low, at)) and len(match[0]) > best:
                best, idea = len(match[0]), ""
        if not best and (match := _DIGITS.match(low, at)):
            best, value = len(match[0]), match[0]
            idea = _PERCENT if match["percent"] else _MONEY if match["money"] else _NUMBER
            value = f"{value.removesuffix(match['percent']).strip()}%" if match["percent"] else value
        if not best and (match := _TENTHS.match(low, at)):
            best, idea, value = len(match[0]), _PERCENT, f"{parse_count(match[1] or match['of']) or 0:.4g}%"
            value = value if match["of"] else value.replace("%", "0%")
            ideas.setdefault("TENTH", [])
        if not best and (match := _BETWEEN.match(low, at)):
            best, idea = len(match[0]), ""
        if not best:
            return None
        for each in idea.split("+") if idea and idea != _IDLE else ():
            ideas.setdefault(each, []).append(value)
        for _ in range(low.count(MARK, at, at + best)):  # what is named within the word: "how far does BYD have to go"
            idea, said = rest.pop(0)
            ideas.setdefault(idea, []).append(said)
        at += best
    return None if rest else ideas


def _fill(form: str, ideas: dict[str, list[str]], untold: frozenset[str], *, chinese: bool) -> str:
    """Return a known question with what is named; "" where it has a place for one, and two are named."""
    told = {idea: slots for idea, slots in _TOLD.items() if idea not in untold}
    if any(ideas.get(idea) and not any(slot in form for slot in slots) for idea, slots in told.items()):
        return ""  # what is named would be dropped
    times = list(dict.fromkeys((*ideas.get("TIME", ()), *ideas.get("DATE", ()))))
    if "{times}" in form:
        if len(times) != _TWO:
            return ""
        form = form.replace("{times}", ("、" if chinese else " and ").join(times))
    named_securities = ideas.get(_SECURITY, [])
    if "{whos}" in form:
        joined = ("、" if chinese else " and ").join(dict.fromkeys(named_securities))
        return form.replace("{whos}", joined) if len(set(named_securities)) > 1 else ""
    for slot, named in _SLOTS.items():
        said = [value for idea in named.split() for value in ideas.get(idea, ())]
        values = [in_language(value, chinese=chinese) for value in dict.fromkeys(said)]
        if slot == "{number}":
            values = [_SHARES.sub("", value) for value in values]
        if slot == "{purse}":
            values = [_MONEY_OF.get(value, value) for value in values]
        if slot == "{who}" and len(values) == form.count(slot):
            for value in values:
                form = form.replace(slot, value, 1)
        if slot == "{market}" and slot in form and len(values) > 1:
            values = [("、" if chinese else " and ").join(values)]
        if slot in form and len(values) > 1:
            return ""
        form = form.replace(slot, values[0] if values else "")
    return re.sub(r" {2,}", " ", form).strip()


_TWO = 2
_ONE_MONTH = pattern(
    r"(?:in |for |of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|(?:\d+|[一二三四五六七八九十]+)月份?",
    re.I,
)
"""A month by its name alone; several of them are told month by month."""
_TOLD = {
    "TIME": ("{time}", "{times}"), "DATE": ("{time}", "{times}"), _SECURITY: ("{who}", "{whos}"),
    _INDEX: ("{index}",), _NUMBER: ("{number}",), _PERCENT: ("{percent}",),
    "MARKET": ("{market}", "{purse}"), "INDUSTRY": ("{industry}",), "DEAL": ("{deal}",), _MONEY: ("{money}",),
    "FIGURE": ("{figure}",),
}  # fmt: skip
"""Ideas that a known question must have a place for where they are named."""
_SLOTS = {
    "{who}": _SECURITY, "{index}": _INDEX, "{time}": "TIME DATE", "{number}": _NUMBER, "{percent}": _PERCENT,
    "{market}": "MARKET", "{purse}": "MARKET", "{deal}": "DEAL", "{topn}": "TOPN", "{currency}": "CURRENCY INTO",
    "{industry}": "INDUSTRY", "{money}": _MONEY, "{figure}": "FIGURE",
}  # fmt: skip

_MONEY_OF = {
    "HK stocks": "HKD", "港股": "港币", "US stocks": "USD", "美股": "美元", "A-shares": "CNY", "A股": "人民币",
}  # fmt: skip
"""The money of a market, of which an account is named."""


@cache
def _load_known() -> list[_Known]:
    """Return the questions that are answered, in their order. `A|B` needs one of both, `A?` may be named.

    `A~` may be named, too, and its value is told by the answer. `!` and `>` go before what the rules read, the latter
    in a message that goes on with the one before.
    """
    return [_Known(*each) for each in load_table("own_questions.tsv", _read_known)]


def _read_known(rows: list[list[str]]) -> list[tuple[Any, ...]]:
    found = []
    for terms, english, chinese in rows:
        either = re.sub(r"\bCURRENCY\b", "CURRENCY|INTO", terms.replace("TIME", "TIME|DATE"))
        if "PROCEEDS" not in either:  # money that came in is a gain where no sale is named
            either = re.sub(r"\bPROFIT\b", "PROFIT|PROCEEDS", either)
        either = re.sub(r"\bWEIGHT\b", "WEIGHT|SHARE", re.sub(r"\bLONG\b", "LONG|DAYS", either))
        parts = either.lstrip("!>").split()
        needed = tuple(frozenset(part.split("|")) for part in parts if part[-1] not in "?~")
        allowed = frozenset(name for part in parts for name in part.rstrip("?~").split("|"))
        untold = frozenset(name for part in parts if part[-1] == "~" for name in part[:-1].split("|"))
        marks = terms.split()[0]
        first, goes_on = "!" in marks, ">" in marks
        found.append((needed, allowed, untold, english, chinese, first, goes_on))
    return found


@cache
def _find_words(sign: str) -> list[tuple[str, str | re.Pattern[str], str]]:
    """Return the words of ideas that begin with a sign: the idea, the word, and what stands in a known question for it.

    sign  "" for those that begin with a group or a look
    """
    found = []
    for name, form in find_words("own_ideas.tsv", sign):
        idea, _, value = name.partition("=")
        found.append((idea, form, value))
    return found
