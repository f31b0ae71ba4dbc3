"""Questions about the owner's things of one market only: my US stocks, 只看港股. What tools tell is narrowed to it.

A market that is named is never passed over: an answer that cannot be narrowed to it asks back.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ia.agent.analyst.ask.amounts import find_market_currencies
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
_READS_MARKETS = (
    "account_result", "allocation", "currency", "currency_converted", "market_shares", "net_worth", "rest_result",
    "trades_made", "turnover", "what_if_all", "refuse", "decline",
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
    words = _MONEY.sub(" ", strip_mentions(asked.words))
    kept = _LEFT_OUT.sub(" ", words)
    named = find_market_currencies(kept)
    if not named and kept != words:
        return _CURRENCIES - frozenset(find_market_currencies(words))
    return frozenset(named)


def can_narrow(asked: FactQuestion) -> bool:
    """Return True if an answer is right for what the results of one market tell."""
    return asked.answer in _NARROWED and asked.facts[0].field not in _OF_ALL


_OF_ALL = ("today_pnl", "total_pnl")
"""Fields of the account as a whole: a question for the holdings of a market among them is another one."""


def drop_exception(asked: FactQuestion) -> FactQuestion:
    """Return a question whose words that leave a market out count as read: 除了, except."""
    words = strip_mentions(asked.words)
    left_out = [match[0] for match in _LEFT_OUT.finditer(words) if find_market_currencies(match[0])]
    return replace(asked, unread=tuple(word for word in asked.unread if not any(word in said for said in left_out)))


def drop_market_words(left: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a question that nobody has read, but for those for a market."""
    return tuple(word for word in left if not wording.MARKET_WORD.fullmatch(word) and not find_market_currencies(word))


def say_markets(desk: ToolDesk, markets: Iterable[str]) -> str:
    """Return that an answer is about some markets only, which their currencies name."""
    speak = desk.speak
    names = {"CNY": speak("A-shares"), "HKD": speak("Hong Kong shares"), "USD": speak("US shares")}
    return speak("This is about {markets} only.", markets=speak.join_items([names[each] for each in sorted(markets)]))


def narrow_desk(desk: ToolDesk, markets: frozenset[str]) -> None:
    """Let the owner's tools tell only of the securities and the money of these markets from now on."""
    desk.narrow = lambda tool, result: narrow_result(result, markets) if tool.startswith(_OWN_TOOLS) else result


def narrow_result(result: DeskResult, markets: frozenset[str]) -> DeskResult:
    """Return a result without what is of other markets.

    >>> rows = {"items": [{"symbol": "00700.HK"}, {"symbol": "AAPL.US"}], "purses": {"CNY": 1, "HKD": 2}}
    >>> narrow_result(DeskResult(rows), frozenset(("HKD",))).value
    {'items': [{'symbol': '00700.HK'}], 'purses': {'HKD': 2}}
    """
    return result._replace(value=_narrow(result.value, markets)) if result.ok else result


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
