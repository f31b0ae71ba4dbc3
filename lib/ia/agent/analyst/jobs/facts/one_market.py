"""Questions about the owner's things of one market or currency only: my US stocks, 只看港股, the HKD account.

What tools tell is narrowed to it.

A market that is named is never passed over: an answer that cannot be narrowed to it asks back.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ia.agent.analyst.ask.amounts import find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import ACCOUNT, WATCH, FactQuestion
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.desk import DeskResult, ToolDesk
from ia.agent.analyst.jobs.facts import wording
from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import from_canonical
from ia.kernel.patterns import pattern

_NARROWED = (
    "account", "against_cost", "alert_state", "closed_positions", "dividend_tax", "each_sale", "fees_paid", "groups",
    "held_closes", "held_since", "holdings_rank", "inbox", "largest_closed", "largest_result", "moved", "no_reason",
    "position_filter", "reasons", "riskier", "sales", "sell_all", "sizes", "total_cost", "watch", "watch_list",
    "watch_rank", "year_dividends",
)  # fmt: skip
"""Answers that tell nothing but what the narrowed results have."""
_OF_ACCOUNTS = (
    "account_days", "allocation", "annual", "best_months", "day_counts", "groups", "invested", "own_drawdown",
    "periods", "risk_stats",
)  # fmt: skip
"""Answers about each currency's account by itself: a currency names one of them."""
_BY_CURRENCY = (*_OF_ACCOUNTS, "fees_paid")
"""Answers of which a currency that is named means what is in it."""
_INTO = pattern(
    r"折|换算?成?|[算合]成|按(?=人民币|美[元金]|港[币元])|\bconvert\w*|\bexpressed in\b"
    r"|\bin (?:yuan|rmb|cny|renminbi)\b",
    re.I,
)
"""Words after which all of it is wanted in one currency."""
_READS_MARKETS = (
    "account_curve",
    "account_result", "allocation", "currency", "currency_converted", "currency_sum", "market_shares", "net_worth",
    "rest_result",
    "times_compared", "trades_made", "turnover", "what_if_all", "moves", "refuse", "decline",
)  # fmt: skip
"""Answers that read the market themselves."""
_OF_MARKETS = ("alert_state", "dividend_tax", "groups", "inbox", "no_reason")
"""Answers about the owner's things that facts of another kind have, too."""
_MONEY = pattern(r"\b(?:us|hk|hong kong|american|chinese) (?:dollars?|yuan|currency)\b", re.I)
"""A currency with the name of a market in it."""
_LEFT_OUT = pattern(
    r"(?:除了?|除去|不含|不包括|不算|不看|排除)[^，,。？?]{0,12}"
    r"|\b(?:except|excluding|other than|without|apart from|but not|outside)\b[^,.?]{0,18}",
    re.I,
)
_CURRENCIES = frozenset(("CNY", "HKD", "USD"))
_CODE = pattern(r"[0-9A-Z]+(?:[-.][0-9A-Z]+)?\.(?:SH|SZ|BJ|HK|US)")
_OWN_TOOLS = ("account.", "trade.list", "watch.", "alert.", "market.observe")
"""The tools that tell of what the owner has."""


def find_markets(asked: FactQuestion) -> frozenset[str]:
    """Return the currencies of the markets to which a question about the owner's things is narrowed; none for all."""
    of_owner = asked.facts[0].of in (ACCOUNT, WATCH) or asked.answer in _OF_MARKETS
    if asked.securities or not of_owner or asked.answer in _READS_MARKETS:
        return frozenset()
    if named_money := _find_money(asked):
        return named_money
    words = _MONEY.sub(" ", strip_mentions(asked.words))
    kept = _LEFT_OUT.sub(" ", words)
    named = find_market_currencies(kept)
    if not named and kept != words:
        return _CURRENCIES - frozenset(find_market_currencies(words))
    return frozenset(named)


def _find_money(asked: FactQuestion) -> frozenset[str]:
    """Return the currencies that a question names of which the answer tells by themselves; none for all."""
    if asked.answer not in _BY_CURRENCY or (asked.answer == "fees_paid" and _INTO.search(asked.words)):
        return frozenset()
    named = frozenset(find_currencies(strip_mentions(asked.words)))
    return named if named <= _CURRENCIES else frozenset()


def can_narrow(asked: FactQuestion) -> bool:
    """Return True if an answer is right for what the results of one market tell."""
    if asked.answer in _OF_ACCOUNTS:  # cash is in them: the shares of a market alone are another question
        return bool(_find_money(asked)) or _ACCOUNT.search(asked.words) is not None
    return asked.answer in _NARROWED and asked.facts[0].field not in _OF_ALL


_ACCOUNT = pattern(r"账户|\baccounts?\b", re.I)
_OF_ALL = ("today_pnl", "total_pnl")
"""Fields of the account as a whole: a question for the holdings of a market among them is another one."""


def drop_exception(asked: FactQuestion) -> FactQuestion:
    """Return a question whose words that leave a market out count as read: 除了, except."""
    words = strip_mentions(asked.words)
    left_out = [match[0] for match in _LEFT_OUT.finditer(words) if find_market_currencies(match[0])]
    return replace(asked, unread=tuple(word for word in asked.unread if not any(word in said for said in left_out)))


def drop_market_words(left: tuple[str, ...], markets: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a question that nobody has read, but for those for a market, or the money of these ones."""
    return tuple(
        word
        for word in left
        if not wording.MARKET_WORD.fullmatch(word)
        and not find_market_currencies(word)
        and not (markets & {*find_currencies(word)})
    )


def say_markets(desk: ToolDesk, asked: FactQuestion, markets: Iterable[str]) -> list[str]:
    """Return that an answer is about some markets only, which their currencies name; [] where each line says so."""
    speak = desk.speak
    if asked.answer in _OF_ACCOUNTS or _find_money(asked):
        return []
    names = {"CNY": speak("A-shares"), "HKD": speak("Hong Kong shares"), "USD": speak("US shares")}
    told = speak.join_items([names[each] for each in sorted(markets)])
    return [speak("This is about {markets} only.", markets=told)]


def narrow_desk(desk: ToolDesk, markets: frozenset[str]) -> None:
    """Let the owner's tools tell only of the securities and the money of these markets from now on."""
    desk.narrow = lambda tool, result: narrow_result(result, markets, tool) if tool.startswith(_OWN_TOOLS) else result


def narrow_result(result: DeskResult, markets: frozenset[str], tool: str = "") -> DeskResult:
    """Return a result without what is of other markets; of past results the sum is that of the base currency's.

    >>> rows = {"items": [{"symbol": "00700.HK"}, {"symbol": "AAPL.US"}], "purses": {"CNY": 1, "HKD": 2}}
    >>> narrow_result(DeskResult(rows), frozenset(("HKD",))).value
    {'items': [{'symbol': '00700.HK'}], 'purses': {'HKD': 2}}
    """
    if not result.ok:
        return result
    value = _narrow(result.value, markets)
    total = value.get("total") if tool == "account.performance" and isinstance(value, dict) else None
    if isinstance(total, dict) and total.get("currency") not in markets:
        value = {key: each for key, each in value.items() if key != "total"}
    return result._replace(value=value)


def _narrow(value: Any, markets: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_narrow(each, markets) for each in value if _is_of(each, markets)]
    if not isinstance(value, dict):
        return value
    if value and all(key in _CURRENCIES for key in value):
        return {key: _narrow(each, markets) for key, each in value.items() if key in markets}
    if value and all(_CODE.fullmatch(key) for key in value):
        return {key: _narrow(each, markets) for key, each in value.items() if _currency_of(key) in markets}
    return {key: _narrow(each, markets) for key, each in value.items()}


def _is_of(row: Any, markets: frozenset[str]) -> bool:
    if not isinstance(row, dict):
        return not isinstance(row, str) or not _CODE.fullmatch(row) or _currency_of(row) in markets
    symbol = str(row.get("symbol") or "")
    currency = _currency_of(symbol) if _CODE.fullmatch(symbol) else str(row.get("currency") or "")
    return not currency or currency in markets


def _currency_of(code: str) -> str:
    return trading_currency(from_canonical(code))
