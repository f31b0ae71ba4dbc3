"""One sum of the owner's money in several currencies: named in one message, or in the messages before."""

import re
from collections.abc import Sequence
from datetime import date

from ia.agent.analyst.ask.amounts import find_currencies, find_market_currencies
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.own_words import read_words
from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern

_KINDS = (
    ("realized profit", "已实现盈亏", frozenset(("REALIZED",))),
    ("unrealized profit", "浮动盈亏", frozenset(("UNREALIZED",))),
    ("profit", "盈亏", frozenset(("PROFIT", "LOSS", "RESULT", "PROCEEDS"))),
    ("fees", "费用", frozenset(("FEES", "TAX"))),
    ("deposits", "入金", frozenset(("DEPOSIT",))),
    ("cash", "现金", frozenset(("CASH",))),
    ("money", "资产", frozenset(("ACCOUNTOF",))),
    ("positions", "持仓", frozenset(("STOCK", "HOLD", "MARKET"))),
    ("money", "资产", frozenset(("WORTH", "CURRENCY", "INTO", "YUAN", "ACCOUNTOF", "ME"))),
)
"""What is summed, in English and Chinese, and the ideas that ask for it; the first counts."""
_MONEY = frozenset(("CURRENCY", "INTO", "YUAN", "MARKET", "ACCOUNTOF"))
_SUM = frozenset(("TOTAL", "CONVERT", "TWICE", "THAN", "IT", "THOSE", "ME", "DO", "COUNT", "WHICH", "STILL", "TRADE"))
_ALLOWED = frozenset(name for _, _, names in _KINDS for name in names) | _MONEY | _SUM | {"OWN", "COST", "PAST", "CAN"}
"""Ideas of a question for a sum: anything else makes it another one."""
_GOES_ON = _MONEY - {"MARKET", "ACCOUNTOF"} | _SUM | {"WORTH", "CASH"}
"""Ideas of a message that wants the sum of what was told before."""
_BARE = frozenset(("CURRENCY", "INTO", "YUAN", "DO"))
"""Ideas of a message that names but another currency, for what was asked before it."""
_NET = frozenset(("AFTER_FEES", "NETFLOW", "ME", "TOTAL", "ALL", "THAN"))
"""Ideas of a message that wants the difference of what came in and went out."""
_OF_ALL = ("realized profit", "unrealized profit")
"""What is summed over all currencies where one is named that it is wanted in."""
_BACK = 4
"""Messages before that are looked at."""
_INTO = pattern(
    r"(?:\b(?:in|into|to|as)|折合?成?|换算?成?|[算合]成|按|用|多少)\s*"
    r"(?P<money>人民币|美[元金]|港[币元纸]|(?:yuan|rmb|cny|renminbi|usd|hkd|(?:us |hk |hong kong )?dollars)\b)"
    r"(?:算|计|多少|是多少|terms|[\W_]|吗|呢)*\Z",
    re.I,
)

_WITH = pattern(
    r"\A\W*(?:那|那么|如果|要是|再|若)*(?:算上|加上|连上|连同|包括|把)(?P<zh>.{2,16}?)(?:也|都|一起|一并|算上|算进去|加上|加进去|在内|的话)*[呢吗啊]?\W*\Z"
    r"|\A\W*(?:and |what |how about |what about )*(?:if i |when i )?(?:include|including|count|counting|adding"
    r"|add|with|plus)"
    r" (?:in )?(?P<en>[a-z -]{2,40}?)(?: (?:included|too|as well|added|counted))*\W*\Z",
    re.I,
)
"""A message that adds other markets or currencies to what was asked before."""
_CONVERTS = pattern(r"[折换算合]|多少")
"""Money of one currency told in another, and no second one to be added."""


def sum_named(words: str, today: date) -> str:
    """Return the question for one sum of the money in several currencies that a message names; "" for another.

    >>> day = date(2024, 3, 15)
    >>> sum_named("my HKD and USD cash together in yuan", day), sum_named("我的港股和美股一共赚了多少人民币", day)
    ('sum of my cash in HKD and USD told in CNY', '我的HKD和USD盈亏之和折CNY')
    >>> sum_named("how much cash in HKD and USD", day)
    ''
    """
    ideas = read_words(words, find_mentions(words), today)
    if not ideas or not set(ideas) <= _ALLOWED or {"COUNT", "TRADE"} <= set(ideas):
        return ""
    codes, into = _read_codes(words)
    if _kind_of(ideas)[0] in _OF_ALL and "MARKET" not in ideas and _find_codes(words) == ["CNY"]:
        return _say(ideas, ["all"], "CNY", words)
    return _say(ideas, codes, into, words) if len(codes) > 1 and "TOTAL" in ideas else ""


def sum_spoken(words: str, before: Sequence[str], today: date) -> str:
    """Return the question for one sum of what the messages before asked of several currencies; "" for another.

    >>> day = date(2024, 3, 15)
    >>> sum_spoken("add those up in yuan", ["my cash in hkd", "my cash in usd"], day)
    'sum of my cash in HKD and USD told in CNY'
    >>> sum_spoken("add those up in yuan", ["my cash in hkd"], day), sum_named("together", day)
    ('', '')
    """
    added = _WITH.match(words) if before else None
    if added and (whole := _add_others(added["zh"] or added["en"], before[-1], today)):
        return whole
    ideas = read_words(words, find_mentions(words), today)
    if ideas and set(ideas) - {"YUAN"} <= _NET and {"AFTER_FEES", "TOTAL"} & set(ideas) and _both_sides(before, today):
        return "我的浮动盈亏" if count_han(words) else "my unrealized profit"
    if ideas and set(ideas) <= _NET and "AFTER_FEES" in ideas:
        return _net_payments(words, before, today)
    if not ideas or not set(ideas) <= _GOES_ON or "TOTAL" not in ideas or "ALL" in ideas:
        return ""
    last = [read_words(said, find_mentions(said), today) or {} for said in before[-2:]]
    if [_kind_of(old)[0] for old in last] in (list(_OF_ALL), list(_OF_ALL[::-1])):  # both parts of the profit
        return _say({"PROFIT": []}, ["all"], (_find_codes(words) or ["CNY"])[0], words)
    kind, codes, asked = "", list[str](), dict[str, list[str]]()
    for said in reversed(before[-_BACK:]):
        old = read_words(said, find_mentions(said), today)
        if not old or not set(old) <= _ALLOWED or not _MONEY & set(old):
            break
        told = "" if set(old) <= _BARE else _kind_of(old)[0]
        if kind and told and kind != told and {kind, told} != {"positions", "money"}:
            break
        kind, asked = told or kind, {**asked, **old}
        codes += [code for code in reversed(_find_codes(said)) if code not in codes]
        if not codes and "CASH" in old and set(old) <= {"CASH", "ME", "BY_CURRENCY", "EACH", "COUNT", "STILL", "ALL"}:
            codes = ["all", "all"]
    named = _find_codes(words)
    return _say(asked, codes[::-1], named[0] if named else "CNY", words) if len(codes) > 1 and len(named) < 2 else ""


def _add_others(others: str, before: str, today: date) -> str:
    """Return the question for one sum of what a message asked of one market and of others; "" for none.

    >>> day = date(2024, 3, 15)
    >>> _add_others("港股和美股", "我A股这部分总共是赚是亏", day), _add_others("fees", "profit of my A-shares", day)
    ('我的CNY和HKD和USD盈亏之和折CNY', '')
    """
    more, old = read_words(others, [], today), read_words(before, find_mentions(before), today)
    if (
        not more
        or not set(more) <= _MONEY | {"OWN", "ME"}
        or not old
        or not set(old) <= _ALLOWED
        or find_mentions(before)
    ):
        return ""
    codes = list(dict.fromkeys((*_find_codes(before), *_find_codes(others))))
    return _say(old, codes, "CNY", others) if _find_codes(before) and len(codes) > len(_find_codes(before)) else ""


def _both_sides(before: Sequence[str], today: date) -> bool:
    """Return True if one of the last two messages asked for what is in profit, and the other for what is at a loss."""
    asked = [set(read_words(said, find_mentions(said), today) or {}) for said in before[-2:]]
    lost = [bool({"LOSERS", "LOSS"} & each) for each in asked]
    return sorted(lost) == [False, True] and bool({"WINNERS", "PROFIT"} & asked[lost.index(False)])


def _net_payments(words: str, before: Sequence[str], today: date) -> str:
    """Return the question for payments both ways where the last two messages asked for one each; "" for none."""
    asked = [set(read_words(said, find_mentions(said), today) or {}) for said in before[-2:]]
    if {"DEPOSIT"} | {"WITHDRAW"} <= set().union(*asked):
        return "我的入金和出金" if count_han(words) else "my deposits and withdrawals"
    return ""


def _kind_of(ideas: dict[str, list[str]]) -> tuple[str, str]:
    return next(((english, chinese) for english, chinese, names in _KINDS if names & set(ideas)), ("", ""))


def _find_codes(words: str) -> list[str]:
    """Return the currencies that words name, by themselves or by their market."""
    return list(dict.fromkeys((*find_currencies(words), *find_market_currencies(words))))


def _read_codes(words: str) -> tuple[list[str], str]:
    """Return the currencies that are summed, and the one that the sum is wanted in."""
    target = _INTO.search(words)
    into = find_currencies(target["money"])[0] if target else ""
    rest = words[: target.start()] if target else words
    codes = _find_codes(rest)
    told = target is not None and (_CONVERTS.match(target[0]) or find_market_currencies(rest))
    if len(codes) < 2 and into and not told:  # "in yuan and in dollars": both
        codes, into = _find_codes(words), ""
    return codes, into or "CNY"


def _say(ideas: dict[str, list[str]], codes: Sequence[str], into: str, words: str) -> str:
    english, chinese = _kind_of(ideas)
    if count_han(words):
        return f"我的{'和'.join(codes)}{chinese}之和折{into}"
    return f"sum of my {english} in {' and '.join(codes)} told in {into}"
