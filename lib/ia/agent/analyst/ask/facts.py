"""Which facts a question asks for: of a security, a holding, the account, the market, the watch list, or ia itself."""

import re
from dataclasses import dataclass
from datetime import date

from ia.agent.analyst.ask.mentions import LONGEST, Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import UNREAD, TimeSpan, find_time_spans
from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables

SECURITY, HOLDING, ACCOUNT, MARKET, WATCH, OWN = "security", "holding", "account", "market", "watch", "own"
"""What a fact is of."""
_STORED = ("quote", "report")
"""Sources of which one question may ask for several facts."""
_OWNER = re.compile(
    r"我|咱|自己|账户|组合|持仓|仓位|手里|手上|\b(?:i|i've|my|me|mine|we|our|account|portfolio|holdings?|positions?)\b",
    re.I,
)
_PRICED = re.compile(r"今[天日]|昨[天日]|涨|跌|怎么样|如何|表现|行情|价|today|yesterday|price|doing|performing", re.I)
_WATCHED = re.compile(r"自选|关注|watch ?list|\bi (?:watch|follow|track)\b", re.I)
_HARD = re.compile(
    r"\d|几[只个支家]|第几|排名"
    r"|除了|除去|不含|不包括|不算|以外|之外|排除|以上|以下"
    r"|超过|大于|小于|高于|低于|至少|平均|均值|中位|倍"
    r"|\bhow many\b|\b(?:except|excluding|other than|without|apart from|more than|less than|at least|above|below"
    r"|over \d|under \d|average|median|twice|per cent of)\b",
    re.I,
)
"""A quantity, a comparison or an exception."""


@dataclass(frozen=True, kw_only=True)
class FactSpec:
    """A fact that can be asked for.

    words   in any of these words; of: what it is a fact of; answer: what looks it up; field: the field there
    alone   whether the words alone say that it is about the owner
    """

    id: str
    words: re.Pattern[str]
    of: str
    answer: str
    field: str
    unit: str
    name: tuple[str, str]
    alone: bool


@dataclass(frozen=True)
class FactQuestion:
    """A question for facts.

    spans   the stretches of time that it names
    unread  what of it was not understood and may change the answer: a number, a comparison, an exception, a time
    """

    facts: tuple[FactSpec, ...]
    securities: tuple[Mention, ...]
    words: str
    spans: tuple[TimeSpan, ...]
    unread: tuple[str, ...]

    @property
    def asks_market(self) -> bool:
        """Whether it asks how holdings or watched securities do, not merely which ones they are."""
        return self.facts[0].of == HOLDING or self.answer == "watch_rank" or bool(_PRICED.search(self.words))

    @property
    def answer(self) -> str:
        """What looks the facts up."""
        return self.facts[0].answer


def build_facts(table: Table) -> list[FactSpec]:
    """Return the facts of a table."""
    return list(table.entries("entries", build_fact))


@dataclass(frozen=True, kw_only=True)
class NamedExpression:
    """An expression over the bars, or a field of a quote, with the words for it, its name and its unit."""

    id: str
    words: re.Pattern[str]
    code: str
    field: str
    name: tuple[str, str]
    unit: str


def build_expression(entry: Entry) -> NamedExpression:
    """Return the expression of an entry. raises BadEntry."""
    return NamedExpression(
        id=entry.text("id"),
        words=entry.pattern("words"),
        code=entry.text("code", ""),
        field=entry.text("field", ""),
        name=entry.pair("name", needed=True),
        unit=entry.text("unit", ""),
    )


class SecurityTable:
    """The table facts_security: the facts, the expressions that answers compute with, and the levels."""

    def __init__(self, table: Table) -> None:
        self.facts = build_facts(table)
        self.expressions = {each.id: each for each in table.entries("expressions", build_expression)}
        self.levels = table.entries("levels", build_expression)


@dataclass(frozen=True, kw_only=True)
class Industry:
    """An industry: its name at the sources and in English, and the English words that ask for it."""

    name: str
    english: str
    words: re.Pattern[str]


def build_industry(entry: Entry) -> Industry:
    """Return the industry of an entry. raises BadEntry."""
    words = re.compile(rf"(?<![a-z])(?:{entry.pattern('words').pattern})(?![a-z])", re.I)
    return Industry(name=entry.text("name"), english=entry.text("name_en"), words=words)


class MarketTable:
    """The table facts_market: the facts, by what a watch list can be ordered, and the industries."""

    def __init__(self, table: Table) -> None:
        self.facts = build_facts(table)
        self.ranks = table.entries("ranks", build_expression)
        self.industries = table.entries("industries", build_industry)


@dataclass(frozen=True, kw_only=True)
class TaskKind:
    """A way to name tasks: `words` in the question; `tasks` in the task, or hours of the day at which it runs."""

    words: re.Pattern[str]
    tasks: re.Pattern[str]
    hours: range


def build_task_kind(entry: Entry) -> TaskKind:
    """Return the kind of tasks of an entry. raises BadEntry."""
    return TaskKind(
        words=entry.pattern("words"),
        tasks=entry.pattern("tasks"),
        hours=range(int(entry.number("from", 0)), int(entry.number("before", 0))),
    )


class AccountTable:
    """The table facts_account: the facts, and how a question names tasks."""

    def __init__(self, table: Table) -> None:
        self.facts = build_facts(table)
        self.task_kinds = table.entries("task_kinds", build_task_kind)


def security_table(tables: Tables = SHIPPED) -> SecurityTable:
    """Return the facts of securities."""
    return tables.build("research", "facts_security", SecurityTable)


def account_table(tables: Tables = SHIPPED) -> AccountTable:
    """Return the facts of the account."""
    return tables.build("research", "facts_account", AccountTable)


def market_table(tables: Tables = SHIPPED) -> MarketTable:
    """Return the facts of the market."""
    return tables.build("research", "facts_market", MarketTable)


def build_fact(entry: Entry) -> FactSpec:
    """Return the fact of an entry. raises BadEntry."""
    return FactSpec(
        id=entry.text("id"),
        words=entry.pattern("words"),
        of=entry.text("of"),
        answer=entry.text("answer"),
        field=entry.text("field", ""),
        unit=entry.text("unit", ""),
        name=entry.pair("name", needed=True),
        alone=entry.tree.get("alone") is True,
    )


TABLES = ("facts_security", "facts_account", "facts_market")
"""The tables with facts; the order counts."""


def tables_for(securities: list[Mention]) -> tuple[str, ...]:
    """Return the tables that a message may need, which names these securities."""
    if not securities:
        return ("facts_account", "facts_market")
    return (
        TABLES if all(mention.symbol.kind == "index" for mention in securities) else ("facts_security", "facts_market")
    )


def facts_at(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts at hand."""
    return [*security_table(tables).facts, *account_table(tables).facts, *market_table(tables).facts]


def find_question(words: str, securities: list[Mention], today: date, tables: Tables = SHIPPED) -> FactQuestion | None:
    """Return the facts that a message asks for; None for none."""
    text = words[:LONGEST]
    plain = strip_mentions(text)
    mine, watched = bool(_OWNER.search(plain)), bool(_WATCHED.search(plain))
    spans = find_time_spans(plain, today)
    timeless = _blank(plain, [span.at for span in spans if span.kind != UNREAD])
    found: list[FactSpec] = []
    taken: list[tuple[int, int]] = []
    for spec in facts_at(tables):
        if not _concerns(spec, securities, mine, watched):
            continue
        match = next((each for each in spec.words.finditer(plain) if not _overlaps(each.span(), taken)), None)
        if match is None or match[0] == "":
            continue
        if found and (spec.answer not in _STORED or found[0].answer not in _STORED):
            continue
        found.append(spec)
        taken.append(match.span())
        if spec.answer not in _STORED:
            break
    if not found:
        return None
    rest = _blank(timeless, taken)
    unread = [span.said for span in spans if span.kind == UNREAD]
    unread += [match[0] for match in _HARD.finditer(rest)][:3]
    return FactQuestion(
        tuple(found), tuple(securities), text, tuple(s for s in spans if s.kind != UNREAD), tuple(unread)
    )


def has_condition(words: str) -> bool:
    """Return True if words name a quantity, a comparison or an exception."""
    return _HARD.search(words) is not None


def _concerns(spec: FactSpec, securities: list[Mention], mine: bool, watched: bool) -> bool:
    """Return True if a fact can be meant: by what is named, and by who speaks. An index is nobody's holding."""
    named = bool(securities)
    if named and mine and all(mention.symbol.kind == "index" for mention in securities):
        return spec.of == ACCOUNT
    if spec.of == SECURITY:
        return named
    if spec.of == HOLDING:
        return named and (mine or spec.alone)
    if spec.of == WATCH:
        return watched and not named
    if spec.of == ACCOUNT:
        return not named and not watched and (mine or spec.alone)
    if spec.of == MARKET:
        return not named and not watched
    return not named


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and begin < span[1] for begin, end in taken)


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with stretches of it replaced by blanks."""
    for begin, end in spans:
        text = text[:begin] + " " * (end - begin) + text[end:]
    return text
