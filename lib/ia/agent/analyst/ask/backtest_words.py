"""Wishes to test rules on past prices: words become expressions of `ia compute`."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import UNREAD, find_time_spans
from ia.agent.analyst.tables import SHIPPED, Entry, Tables
from ia.kernel.patterns import pattern

ASKS = pattern(r"回测|\bback-?test", re.I)
_SELL = pattern(r"卖出|卖掉|清仓|离场|出场|平仓|\bsell\b|\bexit\b|\bleave\b", re.I)
_BUY = pattern(r"买入|买进|进场|入场|建仓|\bbuy\b|\benter\b|\bentry\b", re.I)
_STOP = pattern(
    r"(?:止损(?:线)?|stop(?:[- ]loss)?)\s*(?:在|为|设|of|at)?\s*[-−]?(\d+(?:\.\d+)?)\s*%"
    r"|[-−]?(\d+(?:\.\d+)?)\s*%\s*(?:止损|stop(?:[- ]loss)?)",
    re.I,
)
_TARGET = pattern(
    r"(?:止盈|目标|target|take[- ]profit)\s*(?:在|为|设|of|at)?\s*[+]?(\d+(?:\.\d+)?)\s*%"
    r"|[+]?(\d+(?:\.\d+)?)\s*%\s*(?:止盈|target|take[- ]profit)",
    re.I,
)
_CASH = pattern(
    r"(?:本金|资金|初始资金|with)\s*(?:为|of)?\s*[¥$]?\s*(\d[\d,]*(?:\.\d+)?)\s*(万|k|m)?(?:元|块|yuan|dollars)?", re.I
)
_YEAR = pattern(
    r"(?:自|从)?\s*((?:19|20)\d\d)\s*年?(?:以来|至今|开始|起)|\b(?:since|from)\s+((?:19|20)\d\d)\b(?![-/])", re.I
)
_FILLERS = pattern(
    r"回测|\bback-?test(?:ing|ed)?\b|一下|帮我|帮忙|请|试试|看看|测试|策略|规则|系统|如果|假如|当|就|时候?|后|的话|的|用|按|在|从|自|以来|至今"
    r"|开始|到现在|然后|再|并且?|股票|这只|买入|买进|进场|入场|建仓|卖出|卖掉|清仓|离场|出场|平仓|怎么样|如何|效果|能赚多少|会怎样|了|吗|呢|吧"
    r"|\b(?:a|an|the|on|of|for|in|it|its|to|and|then|when|whenever|if|with|using|please|can|you|could|would|how|did|do|does"
    r"|strategy|rule|test|since|from|until|till|now|buy|buying|sell|selling|exit|entry|enter|leave|crosses|cross|at|my|me|run"
    r"|stock|shares?)\b|[\s,，.。;；:：?？!！、'\"“”()（）]",
    re.I,
)


class KnownRule(NamedTuple):
    """A condition that the table knows: its words, expression, the opposite one, and its name (zh, en)."""

    words: re.Pattern[str]
    code: str
    opposite: str
    name: tuple[str, str]


class AskedRule(NamedTuple):
    """A condition of a wish, its numbers filled in."""

    code: str
    opposite: str
    name: tuple[str, str]


class BacktestWish(NamedTuple):
    """What is to be tested. left: words that were not understood.

    exit   None where none is named
    since  YYYY-MM-DD, "" for all bars
    """

    entry: AskedRule | None
    exit: AskedRule | None
    since: str
    until: str
    stop: str
    target: str
    cash: str
    left: tuple[str, ...]


def read_backtest(words: str, securities: list[Mention], today: date, tables: Tables = SHIPPED) -> BacktestWish:
    """Return the wish in a message that asks for a backtest.

    >>> wish = read_backtest("回测 5 日均线上穿 20 日买入，2020年以来，止损8%", [], date(2024, 3, 15))
    >>> wish.entry.code, wish.exit, wish.since, wish.stop, wish.left
    ('crossover(sma(close, 5), sma(close, 20))', None, '2020-01-01', '8', ())
    """
    left = words
    for each in securities:
        left = left.replace(each.said, " ")
    stop, left = _take_number(_STOP, left)
    target, left = _take_number(_TARGET, left)
    since, left = _take_number(_YEAR, left)
    since = f"{since}-01-01" if since else ""
    until = ""
    conditions, left = _take_conditions(left, tables)
    cash, left = _take_cash(left)
    unread: list[str] = []
    for span in reversed(find_time_spans(left, today)):
        if span.kind == UNREAD or span.first is None or since:
            unread.append(span.said)
        else:
            since = span.first.isoformat()
            until = span.last.isoformat() if span.last and span.last < today else ""
        left = f"{left[: span.at[0]]} {left[span.at[1] :]}"
    rest = [word for word in _FILLERS.sub(" ", left).split() if word]
    buys = [rule for side, rule in conditions if side == "buy"]
    sells = [rule for side, rule in conditions if side == "sell"]
    return BacktestWish(
        entry=_join_rules(buys),
        exit=_join_rules(sells),
        since=since,
        until=until,
        stop=stop,
        target=target,
        cash=cash,
        left=(*unread, *rest),
    )


def _take_number(form: re.Pattern[str], words: str) -> tuple[str, str]:
    found = form.search(words)
    if found is None:
        return "", words
    return next(each for each in found.groups() if each), f"{words[: found.start()]} {words[found.end() :]}"


def _take_cash(words: str) -> tuple[str, str]:
    found = _CASH.search(words)
    if found is None:
        return "", words
    times = {"万": 10_000, "k": 1_000, "m": 1_000_000}.get((found[2] or "").lower(), 1)
    return f"{float(found[1].replace(',', '')) * times:.2f}", f"{words[: found.start()]} {words[found.end() :]}"


def _take_conditions(words: str, tables: Tables) -> tuple[list[tuple[str, AskedRule]], str]:
    """Return the conditions in a text with their side, in its order, and the text without them."""
    places: list[tuple[int, int, AskedRule]] = []
    for known in read_known_rules(tables):
        for match in known.words.finditer(words):
            if any(match.start() < end and start < match.end() for start, end, _ in places):
                continue
            numbers = {key[0]: value for key, value in match.groupdict().items() if value}
            if all(0 < int(value) < 2000 for value in numbers.values()):
                places.append((match.start(), match.end(), _fill_rule(known, numbers)))
    places.sort(key=lambda place: place[0])
    found, left, at = [], "", 0
    for number, (start, end, rule) in enumerate(places):
        until = places[number + 1][0] if number + 1 < len(places) else len(words)
        found.append((_side_of(words[at:start], words[end:until], first=not number), rule))
        left += words[at:start] + " "
        at = end
    return found, left + words[at:]


def _side_of(before: str, after: str, *, first: bool) -> str:
    """Return whether a condition buys or sells: by the word that follows it in its clause, else the one before it."""
    clause = re.split("[，,;；。]|\\band\\b", after)[0]
    for text in (clause, before):
        if _SELL.search(text):
            return "sell"
        if _BUY.search(text):
            return "buy"
    return "buy" if first else "sell"


def read_known_rules(tables: Tables) -> list[KnownRule]:
    """Return the rules that can be told in words."""
    return tables.build("backtest", "backtest_rules", lambda table: table.entries("entries", _build_rule))


def _build_rule(entry: Entry) -> KnownRule:
    return KnownRule(
        words=entry.pattern("words"),
        code=entry.text("code"),
        opposite=entry.text("opposite"),
        name=entry.pair("name", needed=True),
    )


def _fill_rule(known: KnownRule, numbers: dict[str, str]) -> AskedRule:
    def fill(text: str) -> str:
        for key, value in numbers.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    return AskedRule(fill(known.code), fill(known.opposite), (fill(known.name[0]), fill(known.name[1])))


def _join_rules(rules: list[AskedRule]) -> AskedRule | None:
    """Return several conditions of one side as one: all must hold."""
    if len(rules) < 2:
        return rules[0] if rules else None
    code = " & ".join(f"({rule.code})" for rule in rules)
    opposite = " | ".join(f"({rule.opposite})" for rule in rules)
    return AskedRule(code, opposite, ("，".join(r.name[0] for r in rules), ", ".join(r.name[1] for r in rules)))
