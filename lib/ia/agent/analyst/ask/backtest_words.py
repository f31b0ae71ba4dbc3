"""Wishes to test rules on past prices: words become expressions of `ia compute`."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import UNREAD, find_time_spans
from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

ASKS = pattern_by_letters(
    r"回测|\bback-?test|\b(?:does|did|do|would) (?:buying|selling)\b.{1,80}\b(?:work|pay(?: off)?|make money)\b"
    r"|买.{1,24}(?:有效|管用|行得通|能赚钱|赚得到钱)(?:吗|么|不)",
    re.I,
)
_BEST = pattern(
    r"哪.{0,2}(?:回测|策略).{0,8}最|(?:回测|策略).{0,8}哪.{0,4}最|最[好佳优赚]的?(?:那[次个])?(?:回测|策略)|回测.{0,4}(?:排名|排行)"
    r"|\b(?:which|what|best)\b.{0,24}\bback-?tests?\b.{0,24}\b(?:best|better|most|highest)\b"
    r"|\bbest (?:of my )?back-?tests?\b"
    r"|\bbacktests? (?:ranking|ranked)\b",
    re.I,
)
_LAST = pattern(
    r"(?:最近|上次|上[一个]+次?|刚才|刚刚|最后|最新).{0,6}回测"
    r"|回测(?:的)?(?:结果|记录|报告)(?:怎么样|如何|呢|是什么|给我看看)?\W*$"
    r"|\b(?:last|latest|previous|recent|newest|my)\b.{0,12}\bback-?tests?\b|\b(?:show|see|view)\b.{0,12}\bback-?tests?\b"
    r"|\b(?:results?|outcome) of (?:the |my )?back-?test|\bback-?tests? results?\b|我的回测"
    r"|(?:有|做过|跑过)(?:哪些|几[个次]|什么)回测",
    re.I,
)
BEST, LAST = "best", "last"
_SELL = pattern(r"卖出|卖掉|清仓|离场|出场|平仓|\bsell(?:ing)?\b|\bexit\b|\bleave\b", re.I)
_BUY = pattern(r"买入|买进|进场|入场|建仓|买(?=[了的])|\bbuy(?:ing)?\b|\benter\b|\bentry\b", re.I)
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
    r"|开始|到现在|然后|再|并且?|股票|这只|买入|买进|进场|入场|建仓|卖出|卖掉|清仓|离场|出场|平仓|怎么样|如何|效果|能赚多少|会怎样|有效|管用|行得通|能赚钱|赚得到钱|买|卖|了|吗|呢|吧|么|不"
    r"|\b(?:a|an|the|on|of|for|in|it|its|to|and|then|when|whenever|if|with|using|please|can|you|could|would|how|did|do|does"
    r"|strategy|rule|test|since|from|until|till|now|buy|buying|sell|selling|exit|entry|enter|leave|crosses|cross|at|my|me|run"
    r"|stock|shares?|does|would|work|works|pay|off|make|money|well|still|ever|is)\b|[\s,，.。;；:：?？!！、'\"“”()（）]",
    re.I,
)


class KnownRule(NamedTuple):
    """A condition that the table knows: its words, expression, the opposite one, and its name (zh, en)."""

    words: re.Pattern[str]
    code: str
    opposite: str
    name: tuple[str, str]


class RuleWords(NamedTuple):
    """The table backtest_rules.

    turned      the condition of the purchase turned around
    bare_cross  a cross of averages that does not say which; `pair` is how it is said of {a} and {b} days
    """

    rules: list[KnownRule]
    turned: re.Pattern[str]
    bare_cross: re.Pattern[str]
    pair: str


class AskedRule(NamedTuple):
    """A condition of a wish, its numbers filled in; one that is another turned around has no name."""

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
    turned = (
        read_rule_words(tables).turned.search(left)
        if conditions and all(side == "buy" for side, _ in conditions)
        else None
    )
    left = f"{left[: turned.start()]} {left[turned.end() :]}" if turned else left
    rest = [word for word in _FILLERS.sub(" ", left).split() if word]
    buys = [rule for side, rule in conditions if side == "buy"]
    sells = [rule for side, rule in conditions if side == "sell"]
    entry = _join_rules(buys)
    if turned and entry is not None:
        sells = [AskedRule(entry.opposite, entry.code, ("", ""))]
    return BacktestWish(
        entry=entry,
        exit=_join_rules(sells),
        since=since,
        until=until,
        stop=stop,
        target=target,
        cash=cash,
        left=(*unread, *rest),
    )


_PAIR = pattern(r"(\d+)\s*(?:-?days?|[日天])?\s*(?:均?线)?\s*(?:[/／和与、,，]|and|\s)\s*(\d+)", re.I)


def names_bare_cross(words: str, tables: Tables = SHIPPED) -> bool:
    """Return True if a text names a cross of averages but not which.

    >>> names_bare_cross("金叉买入"), names_bare_cross("MACD金叉买入")
    (True, False)
    """
    return read_rule_words(tables).bare_cross.search(words) is not None


def complete_wish(before: str, answer: str, tables: Tables = SHIPPED) -> str:
    """Return a wish for a backtest with the answer to what was asked back of it; "" where it is no such answer.

    >>> complete_wish("回测茅台", "金叉买入，死叉卖出"), complete_wish("回测茅台，金叉买入", "5和20日")
    ('回测茅台，金叉买入，死叉卖出', '回测茅台，5/20均线买入')
    """
    if ASKS.search(answer) or not ASKS.search(before) or asks_saved(before, tables):
        return ""
    pair = _PAIR.search(answer)
    table = read_rule_words(tables)
    if table.bare_cross.search(before) and pair and not names_rule(answer, tables):
        return table.bare_cross.sub(table.pair.replace("{a}", pair[1]).replace("{b}", pair[2]), before, count=1)
    if names_rule(answer, tables) or table.bare_cross.search(answer):
        return f"{before.rstrip(' 。.?？!！')}，{answer}" if not names_rule(before, tables) else ""
    bare = find_mentions(answer) and not strip_mentions(answer).strip(" ,，。.?？!！的吧on")
    return f"{before} {answer}" if bare and not find_mentions(before) else ""


def names_rule(words: str, tables: Tables = SHIPPED) -> bool:
    """Return True if a text has a condition that the table knows."""
    return any(known.words.search(words) for known in read_rule_words(tables).rules)


def asks_saved(words: str, tables: Tables = SHIPPED) -> str:
    """Return which saved backtest a message asks for, BEST or LAST; "" where it wishes one to be made.

    >>> asks_saved("which backtest was best?"), asks_saved("我最近的回测结果"), asks_saved("回测茅台")
    ('best', 'last', '')
    """
    if not ASKS.search(words) or names_rule(words, tables):
        return ""
    return BEST if _BEST.search(words) else LAST if _LAST.search(words) else ""


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
    for known in read_rule_words(tables).rules:
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


def read_rule_words(tables: Tables) -> RuleWords:
    """Return what can be told of rules in words."""
    return tables.build("backtest", "backtest_rules", _build_words)


def _build_words(table: Table) -> RuleWords:
    return RuleWords(
        rules=table.entries("entries", _build_rule),
        turned=table.pattern("turned"),
        bare_cross=table.pattern("bare_cross"),
        pair=table.pair("pair")[0],
    )


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
