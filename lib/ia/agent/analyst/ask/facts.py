"""Which facts a question asks for: of a security, a holding, the account, the market, the watch list, or ia itself."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import TOGETHER
from ia.agent.analyst.ask.industry_words import blank_wide_groups, wide_forms
from ia.agent.analyst.ask.leftover_words import find_leftovers, find_unread_words, reads_word, without_gaps
from ia.agent.analyst.ask.mentions import LONGEST, Mention, strip_mentions
from ia.agent.analyst.ask.own_words import read_ideas
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.screens import (
    COMPANY_FIGURES,
    find_vague,
    names_stocks,
    parse_bounds,
    parse_wish,
    strip_fillers,
)
from ia.agent.analyst.ask.technicals import take_indicators
from ia.agent.analyst.ask.time_spans import FUTURE, UNREAD, TimeSpan, blank_spans, find_time_spans, is_comparison
from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables
from ia.domain.instruments.groups import group_name
from ia.kernel.patterns import pattern

SECURITY, HOLDING, ACCOUNT, MARKET, WATCH, OWN, ANY = (
    "security", "holding", "account", "market", "watch", "own", "any",
)  # fmt: skip
"""What a fact is of; ANY: whether a security is named or none."""
_STORED = ("quote", "report", "dividend_yield")
"""Sources of which one question may ask for several facts."""
_OWNER = pattern(
    r"我|咱|自己|账户|组合|持仓|仓位|手里|手上|\b(?:i|i've|my|(?<!(?:show|tell|give|send) )me|mine|we|our|account"
    r"|portfolio|holdings?|positions?)\b",
    re.I,
)
_FOR_ME = pattern(
    r"(?:帮|给|替|为|告诉|提示|请)(?:一下)?我|我想(?:要|看|找|知道|问|了解)?"
    r"|\b(?:i(?:'d| would)? (?:want|like|need)|can i|could i)\b",
    re.I,
)
"""Words for the owner as whoever asks."""
_PRICED = pattern(r"今[天日]|昨[天日]|涨|跌|怎么样|如何|表现|行情|价|today|yesterday|price|doing|performing", re.I)
_WATCHED = pattern(
    r"自选|关注|我盯|watch ?list|\bmy (?:stock )?list\b"
    r"|\b(?:i|i'm|i am) (?:watch|track|follow(?! (?:my|the|our)\b))(?:ing)?\b"
    r"|\b(?:watched|tracked|followed)(?= (?:stock|share|one|name|compan|secur|list))",
    re.I,
)
_LEFT_OUT = pattern(
    r"除(?:了|去|开)?\W*\Z|(?:不含|不包括|(?<!算)不算|别算|(?<!要)不要|排除|剔除|去掉|刨开|刨去|撇开|抛开)\W*\Z"
    r"|\b(?:except|except for|excluding|other than|without|apart from|aside from|minus|not counting|leaving out"
    r"|leaving aside|ignoring|omitting|but not|setting aside|set aside)(?: the| my)?\W*\Z",
    re.I,
)
_LEFT_BEHIND = pattern(
    r"的?(?:股票|那[只个份])?(?:都|就|先|全)*(?:(?:别|不要|不用|甭)(?:算|列|计|管)|除外|(?:不算"
    r"|不计)(?![多少高低贵便]))"
)
"""Words behind a security that leave it out."""
_HARD = pattern(
    r"\d[\d,.]*(?:万|亿|%|％)?|(?<!哪)几[只个支家]|第几|排名"
    r"|除了|除去|不含|不包括|(?<!算)不算|以外|之外|排除|以上|以下"
    r"|超过|大于|小于|高于|低于|至少|平均|均值|中位|(?<![少几])倍"
    r"|^\W*(?:那|那么)?(?:其中|里面|当中|这里面)|\bamong (?:them|those|these)\b"
    r"|天天|(?<!我)每一?[天日]|逐日|哪[一]?天是|\b(?:every|each) (?:single )?(?:day|session|trading day)\b"
    r"|\b(?:any|some|which|one) of (?:them|those|these)\b"
    r"|\bhow many\b|\b(?:except|excluding|other than|without|apart from|aside from|minus|not counting|leaving out"
    r"|leaving aside|omitting|but not|setting aside|set aside|more than|less than|at least|above|below"
    r"|over \d|under \d|average|median|twice|per cent of)\b",
    re.I,
)
"""A quantity, a comparison or an exception."""

_MEANS = ("average", "平均")
_TRAILING = pattern(r"(?:12|十二) ?个月|\b(?:12|twelve) months\b", re.I)
"""The time that figures of quotes and reports are of anyway: ROE of the last twelve months."""
_RANKED = pattern(r"最[高低大小]|历史|分位|区间|\b(?:high|low|max|min|range|rank|ago|each|every)\w*\b", re.I)
_ASKS_COUNT = pattern(r"几.|how many", re.I)


class FactSpec(NamedTuple):
    """A fact that can be asked for.

    words   in any of these words; of: what it is a fact of; answer: what looks it up; field: the field there
    alone   whether the words alone say that it is about the owner
    needs   "time": only with a time; "several": only with two securities or more; "several time": with both;
            "index": only with an index that a list is held against
    given, unless   words that must, and that must not, stand in the question besides
    """

    id: str
    words: re.Pattern[str]
    of: str
    answer: str
    field: str
    unit: str
    name: tuple[str, str]
    alone: bool
    needs: str
    given: re.Pattern[str] | None
    unless: re.Pattern[str]


@dataclass(frozen=True)
class FactQuestion:
    """A question for facts.

    spans   the stretches of time that it names
    unread  what of it was not understood and may change the answer: a number, a comparison, an exception, a time
    times   the times among them
    ended   those of the times that only end a stretch
    left    words that nobody has read, of a question whose answer knows all the words that it reads
    """

    facts: tuple[FactSpec, ...]
    securities: tuple[Mention, ...]
    words: str
    spans: tuple[TimeSpan, ...]
    unread: tuple[str, ...]
    times: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    ended: tuple[TimeSpan, ...] = ()

    @property
    def asks_market(self) -> bool:
        """Whether it asks how holdings or watched securities do, not merely which ones they are."""
        return (
            self.facts[0].of == HOLDING
            or self.answer in ("watch_rank", "watch_news", "screen")
            or bool(_PRICED.search(self.words))
        )

    @property
    def answer(self) -> str:
        """What looks the facts up."""
        first = self.facts[0].answer
        return "quote" if len(self.facts) > 1 and first in _STORED else first


def build_facts(table: Table) -> list[FactSpec]:
    """Return the facts of a table."""
    return list(table.entries("entries", build_fact))


class NamedExpression(NamedTuple):
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


class Industry(NamedTuple):
    """An industry: its name at the sources and in English, and the English words that ask for it."""

    name: str
    english: str
    words: re.Pattern[str]


def build_industry(entry: Entry) -> Industry:
    """Return the industry of an entry. raises BadEntry."""
    words = pattern(rf"(?<![a-z])(?:{entry.pattern('words').pattern})(?![a-z])", re.I)
    name = entry.text("name")
    return Industry(name=name, english=entry.text("name_en", "") or group_name(name, "en"), words=words)


class MarketTable:
    """The table facts_market: the facts, by what a watch list can be ordered, and the industries."""

    def __init__(self, table: Table) -> None:
        self.facts = build_facts(table)
        self.ranks = table.entries("ranks", build_expression)
        self.industries = table.entries("industries", build_industry)


class TaskKind(NamedTuple):
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


class PriceTable:
    """The table facts_prices: the facts, and the indicators whose crossovers of their signal can be asked for."""

    def __init__(self, table: Table) -> None:
        self.facts = build_facts(table)
        self.crossovers = table.entries("crossovers", build_expression)


def price_table(tables: Tables = SHIPPED) -> PriceTable:
    """Return the facts of prices over time."""
    return tables.build("research", "facts_prices", PriceTable)


def quote_facts(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of securities that stand in statements, quotes and reports."""
    return [*reports_table(tables), *tables.build("research", "facts_quote", build_facts)]


def reports_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of statements and of several reports, which are looked at before those of quotes."""
    return tables.build("research", "facts_reports", build_facts)


def worth_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of the account over time and at another exchange rate, which are looked at early."""
    return tables.build("research", "facts_worth", build_facts)


def account_table(tables: Tables = SHIPPED) -> AccountTable:
    """Return the facts of the account."""
    return tables.build("research", "facts_account", AccountTable)


def settings_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of settings, which are looked at before all others."""
    return tables.build("research", "facts_settings", build_facts)


def risk_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of risk and of supposed moves of prices and rates, which are looked at after the settings."""
    return tables.build("research", "facts_risk", build_facts)


def record_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of the ledger as a whole, of counts of notes and questions, and of what is ahead; the first."""
    return tables.build("research", "facts_record", build_facts)


def tasks_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of tasks that are named, of groups and industries of the watch list; looked at next."""
    return tables.build("research", "facts_tasks", build_facts)


def lists_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of the owner's lists: groups, notes, alerts, and results of one position; looked at next."""
    return tables.build("research", "facts_lists", build_facts)


def days_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of days, weeks, own trades and notes, which are looked at first."""
    return tables.build("research", "facts_days", build_facts)


def company_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of companies over years, their reports and their industry, which are looked at next."""
    return tables.build("research", "facts_company", build_facts)


def plain_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of plain turns of speech: closed days, payments, two securities; looked at next."""
    return tables.build("research", "facts_plain", build_facts)


def howto_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of how something is done and of exchanges abroad, which are looked at next."""
    return tables.build("research", "facts_howto", build_facts)


def everyday_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of everyday talk: what is asked most, what there is no source for; looked at next."""
    return tables.build("research", "facts_everyday", build_facts)


def ledger_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of the ledger: money by market and industry, interest, dividends, which are looked at next."""
    return tables.build("research", "facts_ledger", build_facts)


def holdings_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of what is held and what comes of it, which are looked at next."""
    return tables.build("research", "facts_holdings", build_facts)


def history_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of the owner's history and the wishes that have a command, which are looked at next."""
    return tables.build("research", "facts_history", build_facts)


def trades_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of the owner's trades, of the account's days and of suppositions, which are looked at next."""
    return tables.build("research", "facts_trades", build_facts)


def owner_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of the owner's positions, rules and results, which are looked at after those."""
    return tables.build("research", "facts_owner", build_facts)


def market_table(tables: Tables = SHIPPED) -> MarketTable:
    """Return the facts of the market."""
    return tables.build("research", "facts_market", MarketTable)


def scan_table(tables: Tables = SHIPPED) -> list[FactSpec]:
    """Return the facts of stocks that meet technical conditions."""
    return tables.build("scan", "facts_scan", build_facts)


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
        needs=entry.text("needs", ""),
        given=entry.pattern("given") if "given" in entry.tree else None,
        unless=entry.pattern("unless"),
    )


TABLES = (
    "facts_settings",
    "facts_risk",
    "facts_record",
    "facts_tasks",
    "facts_days",
    "facts_lists",
    "facts_company",
    "facts_plain",
    "facts_howto",
    "facts_everyday",
    "facts_ledger",
    "facts_holdings",
    "facts_history",
    "facts_trades",
    "facts_owner",
    "facts_prices",
    "facts_security",
    "facts_reports",
    "facts_quote",
    "facts_worth",
    "facts_account",
    "facts_market",
)
"""The tables with facts; the order counts."""


def tables_for(securities: list[Mention]) -> tuple[str, ...]:
    """Return the tables that a message may need, which names these securities."""
    if not securities:
        return (
            "facts_settings", "facts_risk", "facts_record", "facts_tasks", "facts_days", "facts_lists", "facts_plain",
            "facts_howto", "facts_everyday", "facts_ledger", "facts_holdings",
            "facts_history", "facts_trades", "facts_owner", "facts_worth", "facts_account", "facts_scan", "technicals",
            "technicals_more", "facts_market",
        )  # fmt: skip
    if all(mention.symbol.kind == "index" for mention in securities):
        return TABLES
    return (
        "facts_settings", "facts_risk", "facts_record", "facts_tasks", "facts_days",
        "facts_lists", "facts_company", "facts_plain", "facts_howto", "facts_everyday", "facts_ledger",
        "facts_holdings", "facts_history",
        "facts_trades", "facts_owner", "facts_prices", "facts_security", "facts_reports", "facts_quote",
        "facts_worth", "facts_market",
    )  # fmt: skip


def facts_at(tables: Tables = SHIPPED, *, named: bool = True) -> list[FactSpec]:
    """Return the facts at hand that can be asked for, where a security is named or none is.

    The facts of facts_company, facts_security and facts_quote are all of a security: these tables are read only where
    one is named.
    """
    of_security = [*price_table(tables).facts, *security_table(tables).facts, *quote_facts(tables)] if named else []
    return [
        *settings_table(tables),
        *risk_table(tables),
        *worth_table(tables),
        *record_table(tables),
        *tasks_table(tables),
        *days_table(tables),
        *lists_table(tables),
        *(company_table(tables) if named else []),
        *plain_table(tables),
        *howto_table(tables),
        *everyday_table(tables),
        *ledger_table(tables),
        *holdings_table(tables),
        *history_table(tables),
        *trades_table(tables),
        *owner_table(tables),
        *of_security,
        *account_table(tables).facts,
        *([] if named else scan_table(tables)),
        *market_table(tables).facts,
    ]


def find_question(words: str, securities: list[Mention], today: date, tables: Tables = SHIPPED) -> FactQuestion | None:
    """Return the facts that a message asks for; None for none.

    What the rules do not read whole is read by its ideas, where it is about the owner's money.
    """
    if (asked := _find_by_ideas(words, securities, today, tables, first=True)) is not None:
        return asked
    if (asked := _find_held_screen(words, securities, tables, ordered=False)) is not None:
        return asked
    found = _find_by_rules(words, securities, today, tables)
    if found is not None and not (found.unread or found.left or found.answer == _TERM):
        return found
    by_ideas = _find_by_ideas(words, securities, today, tables)
    return by_ideas or _find_held_screen(words, securities, tables, ordered=True) or found


def _find_held_screen(words: str, securities: list[Mention], tables: Tables, *, ordered: bool) -> FactQuestion | None:
    """Return the question for those of the holdings that meet bounds on figures of companies; None for any other.

    ordered  whether the holdings may be put in the order of such a figure as well
    """
    plain = strip_mentions(words[:LONGEST])
    if securities or _WATCHED.search(plain) or not HELD_WORDS.search(plain):
        return None
    rest = HELD_WORDS.sub(" ", plain)
    if not ordered and not _BOUNDED.search(rest):
        return None  # what follows compiles the words of all figures
    wish = parse_wish(rest, industry_forms(rest, (), tables))
    figures = {column.name for column in wish.columns} <= set(COMPANY_FIGURES)
    if not (wish.whole and figures) or wish.mean or wish.board or wish.st or _IN_MONEY.search(rest):
        return None
    if any(bound.said == "0%" for bound in wish.bounds) or not (wish.bounds or (ordered and wish.ordered)):
        return None
    facts = [*scan_table(tables), *scan_table()]  # an older workspace has a table without it
    spec = next(spec for spec in facts if spec.id == "held_screen")
    return FactQuestion((spec,), (), words[:LONGEST], (), ())


_BOUNDED = pattern(
    r"[\d%％一二两三四五六七八九十百倍]|超|[高低大小多少]于|以[上下]|不[到足]|破净|净资产"
    r"|\b(?:above|below|over|under|than|least|most|between|exceed\w*|beyond|up to|north|south|book"
    r"|percent|negative|positive)\b",
    re.I,
)
"""Words without which no figure is bounded."""
_IN_MONEY = pattern(r"元|块|钱|人民币|港币|美元|\b(?:yuan|rmb|cny|hkd|usd|dollars?|bucks|money)\b", re.I)


def _find_by_ideas(
    words: str, securities: list[Mention], today: date, tables: Tables, *, first: bool = False
) -> FactQuestion | None:
    """Return the facts of the known question that has the ideas of a message; None where it has none or is not read."""
    known = read_ideas(words, securities, today, first=first)
    found = _find_by_rules(simplify_question(known), securities, today, tables) if known else None
    return found if found is not None and not found.left and found.answer != _TERM else None


def _find_by_rules(words: str, securities: list[Mention], today: date, tables: Tables) -> FactQuestion | None:
    """Return the facts that the words of a message ask for; None for none."""
    text = words[:LONGEST]
    plain = strip_mentions(text)
    mine, watched = bool(_OWNER.search(_FOR_ME.sub(" ", plain))), bool(_WATCHED.search(plain))
    spans = find_time_spans(plain, today)
    timeless = _blank(plain, [span.at for span in spans if span.kind != UNREAD])
    found: list[FactSpec] = []
    taken: list[tuple[int, int]] = []
    excepted = watched and _names_exceptions(text, securities)
    by_index = all(each.symbol.kind == "index" for each in securities)
    for spec in sorted(facts_at(tables, named=bool(securities)), key=_comes_first):
        if not _concerns(
            spec, [] if excepted or (by_index and spec.id in BY_INDEX) else securities, mine, watched
        ) or not _has_needed(spec, securities, spans, plain):
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
    general = found and found[0].of in (ACCOUNT, OWN) and not mine and names_stocks(plain)
    open_ = (
        not found
        or bool(general)
        or (found[0].answer == _TERM and not found[0].field)
        or found[0].answer in (_SECTORS, "watch")
    )
    sure = bool(found) and found[0].id in _OF_SECTORS
    if open_ and not sure and not (securities or (mine and not watched)):
        implied = _implied_fact(plain, spans, tables, watched=watched)
        found, taken = ([implied], []) if implied else (found, taken)
    if not found:
        return None
    if all(spec.answer in _STORED for spec in found) and not _RANKED.search(plain):
        spans = [span for span in spans if not _TRAILING.search(span.said)]
    rest = _blank(timeless, taken)
    times = tuple(span.said for span in spans if span.kind == UNREAD)
    unread = [*times]
    hard = [match[0] for match in _HARD.finditer(rest) if not (excepted and _LEFT_OUT.search(match[0]))]
    mean = _MEANS if len(securities) > 1 and found[0].answer in _STORED else ()  # of their figures
    unread += [each for each in hard if each.casefold() not in mean and not any(each in said for said in times)][:3]
    if (found[0].answer in _OF_HISTORY or _EXTREME.search(plain)) and (event := _OWN_EVENT.search(plain)):
        unread.append(event[0])
    if not securities and found[0].of in (ACCOUNT, OWN) and (pointed := _POINTS.search(plain)):
        unread.append(pointed[0])
    if found[0].answer in _OF_WHAT_IS and (undone := _UNDONE.search(plain)):
        unread.append(undone[0])
    unread += [*_find_negations(plain, found), *(_OF_BARS.findall(plain) if found[0].of == HOLDING else ())]
    asked = FactQuestion(
        tuple(found), tuple(securities), text, tuple(s for s in spans if s.kind != UNREAD), tuple(unread), times,
        ended=tuple(s for s in spans if s.kind == UNREAD and s.last is not None),
    )  # fmt: skip
    if securities and asked.answer in _OF_FIGURES:
        left = (*_find_left(asked, timeless), *_WHY.findall(rest), *_JUDGED.findall(rest))
        if asked.answer == "move":
            left = (*left, *_ON_YEAR.findall(plain))
        return replace(asked, left=left)
    if asked.answer in _READS_ALL:
        return asked
    left = tuple(dict.fromkeys((*_find_unread(asked, timeless, tables), *_find_qualifiers(asked, rest))))
    return replace(asked, left=tuple(word for word in left if not (excepted and _LEFT_OUT.search(word))))


_OF_SECTORS = ("sector_place", "sector_beyond")
"""Facts of industries whose words say all that is asked."""
BY_INDEX = ("watch_beat", "watch_against", "held_beat")
"""Facts of a list that is held against an index: that one is named besides."""
_NOT_DONE = pattern(
    r"(?<![有涨跌亏赚赔挣套超破到跑输赢升降买卖写动过了])没(?:有)?(?=[涨跌亏赚赔挣套超破到跑输赢升降买卖翻创触碰])[^，,。的\W]{1,2}"
    r"|(?<![要该买卖能会是可])不(?:要|该|应该?|想|敢|准备|打算)?再?[买卖](?!掉|出去|回来|起)"
)
"""What was not done: "没跌"; not "跌没跌", which asks whether it was."""
_OF_BARS = pattern(r"(?<![本上今去这个\d一两二三半])[月周](?=收益率|回报率|涨幅|跌幅)|季度(?=收益率|回报率|涨幅|跌幅)")
"""Of weekly or monthly bars: a position has none."""
_OF_WHICH = pattern(r"哪|谁|几[只个支家笔]|多少|列|的")
"""Words of a question for some of several, and not of one whether something is so: "茅台没跌吧"."""


def _find_negations(plain: str, found: list[FactSpec]) -> list[str]:
    """Return the Chinese words that say that something was not done, which no fact that was found knows."""
    sources = [source.pattern for spec in found for source in (spec.words, spec.given) if source]
    if not _OF_WHICH.search(plain):
        return []
    said = [match[0] for match in _NOT_DONE.finditer(plain)]
    return [each for each in said if not any(each[0] in source for source in sources)][:1]


_WHY = pattern(r"为(?:什么|何|啥)|\bwhy\b", re.I)
"""A question for a cause, which a figure does not answer."""
_JUDGED = pattern(r"[高低大小多]不[高低大小多]|算不?算?[高低](?=吗|不|\W*$)")
"""Whether a figure is high, which the figure alone does not tell."""
_ON_YEAR = pattern(r"^(?!.*价).*?(同比)")
"""On the year: of a report, and not of a price."""
_QUALIFIER = pattern(
    r"(?:平均)?每(?:一?个)?[周月季年](?!线|[报末底初])|平均(?!线|[价成])|倒数(?!第一)|扣费前|税前|同比|环比|别算|别计"
    r"|\bper (?:day|week|month|quarter|year)\b|\bon average\b|\bbefore (?:fees|tax(?:es)?|costs)\b"
    r"|\b(?:every|each) (?:week|month|quarter|year|thing)\b|\bmost badly\b|\bper (?:stock|holding|position)\b",
    re.I,
)
"""Words beside a question that ask for another figure: an answer that does not know them may not pass them over."""


def _find_qualifiers(asked: FactQuestion, rest: str) -> tuple[str, ...]:
    """Return the words of a question that ask for another figure than its facts and their answer know."""
    sources = [source.pattern for spec in asked.facts for source in (spec.words, spec.given) if source]
    said = dict.fromkeys(match[0] for match in _QUALIFIER.finditer(rest))
    return tuple(
        each for each in said if not any(each in source for source in sources) and not reads_word(asked.answer, each)
    )


_OF_HISTORY = ("extreme_day", "level_crossing")
"""Answers about past prices, over stretches that days bound."""
_EXTREME = pattern(r"最[高低]|\b(?:highest|lowest)\b", re.I)
_OWN_EVENT = pattern(
    r"\b(?:since|after|before|until|between|from) (?:i|we|my|the|our)\b[^,.?]{0,24}?"
    r"\b(?:bought|purchased?|purchases?|sold|sales?|buy|sell)\b"
    r"|(?:买入|买进|卖出|卖掉|建仓|清仓|加仓|减仓|我[买卖]了?)(?:它|的时候)?(?:之后|以后|之前|以前|以来|至今|后|前)",
    re.I,
)
"""A trade of the owner that bounds a stretch, whose day these answers do not look up."""
_POINTS = pattern(
    r"\bon (?:it|them|that one|those|this one)\b|\bof (?:that|it|this) (?:comes?|came|is due|was)\b", re.I
)
"""A word for what was spoken of before, which an answer about the whole account leaves out."""
_OF_WHAT_IS = ("position", "account", "account_result", "net_worth", "holdings_rank", "income")
"""Answers about what the owner has, which tell nothing of what there would be with another trade, or without one."""
_UNDONE = pattern(
    r"(?:要是|如果|假如|假设|若是?)[^，,。]{0,14}没有?再?(?:买|卖|加仓|减仓|补仓|清仓|割)"
    r"|没有?再?(?:买|卖|加仓|减仓|补仓|清仓|割)[^，,。]{0,8}的话"
    r"|\bif i (?:hadn['’]?t|had not|had never)\b[^,.?]{0,24}|\bhad i not\b"
    r"|\bif i (?:sell|sold|trim\w*|buy|bought|add\w*)\b(?! (?:everything|it all|all of it|all my)\b)"
    r"|卖(?:掉|出|了)?(?:一半|\d+[股手])"
    r"|^\W*(?:suppose|supposing|imagine|assuming)\b"
    r"|\bever been\b|曾经?(?=亏|赚|[高低]过)|[亏赚赔]过本?(?=[吗么没]|\W*$)",
    re.I,
)
_OF_FIGURES = ("quote", "report", "dividend_yield", "statement", "fundamentals", "move", "daily_list")
"""Answers about securities that read each word of a question."""
_OWNED = (ACCOUNT, MARKET, WATCH, OWN)
"""Of these a question asks for lists, rankings and sums: a word beside those of the fact may be a condition."""
_OF_OWN_THINGS = ("alert_state", "cost_basis", "dividend_tax", "each_sale", "profit_parts")
"""Answers about the owner's things of which a security may be named: a word beside may be a condition, too."""
_READS_ALL = (
    "currency_sum",
    "screen", "gainers", "decline", "refuse", "term", "calendar", "howto", "command", "undo", "what_if", "what_if_all",
    "limits", "set_limit", "reconcile", "rest_result",
    "rate", "note", "fee_rates", "order_cost", "not_computed", "northbound", "tasks", "inbox",
    "price_limits", "account_curve",
)  # fmt: skip
"""Answers that read the words of a question themselves, or that no condition changes."""


def _find_unread(asked: FactQuestion, timeless: str, tables: Tables) -> tuple[str, ...]:
    """Return the words that neither the facts nor their answer read."""
    sources = [source.pattern for spec in asked.facts for source in (spec.words, spec.given) if source]
    left = find_unread_words(timeless, asked.answer, sources)
    if (
        left
        and asked.facts[0].of != WATCH
        and asked.answer not in ("summary", "account")
        and (forms := industry_forms(timeless, (), tables))
    ):
        for form, _ in forms:
            timeless = form.sub(" ", timeless)
        return find_unread_words(timeless, asked.answer, sources)
    return left


def _find_left(asked: FactQuestion, timeless: str) -> tuple[str, ...]:
    """Return the words that nobody has read: a fact's own words count as read where they have no gaps."""
    rest = parse_bounds(timeless)[0] if asked.answer in _STORED else timeless
    together = [TOGETHER] if asked.answer == "position" and len(asked.securities) > 1 else []
    return find_leftovers(rest, asked.answer, [*together, *(without_gaps(spec.words) for spec in asked.facts)])


_TERM, _SCREEN, _SECTORS, _SUMMARY = "term", "screen", "sectors", "summary"
MEANING = "meaning"
"""The field of the fact that a question for the meaning of a term asks for: it goes before all others."""


_DECLINE, _SETTING = "decline", "setting"


def _comes_first(spec: FactSpec) -> int:
    """Return the place of a fact before the order of the tables: settings, meanings of terms, what is not answered."""
    return 0 if spec.field == MEANING or spec.answer == _SETTING else 1 if spec.answer == _DECLINE else 2


def find_exception(words: str, securities: list[Mention]) -> str:
    """Return the words that leave securities out of a question; "" where none are, or the watch list is meant.

    Of the watch list they are left out; elsewhere nothing can be answered without them.

    >>> from ia.agent.analyst.ask.mentions import find_mentions
    >>> find_exception("除了宁德时代，我还持有哪些股票", find_mentions("除了宁德时代，我还持有哪些股票"))
    '除了宁德时代'
    >>> find_exception("宁德时代的别算，我今天赚了多少", find_mentions("宁德时代的别算，我今天赚了多少"))
    '宁德时代的别算'
    """
    text = words[:LONGEST]
    for each in securities:
        at = text.find(each.said)
        behind = _LEFT_BEHIND.match(text, at + len(each.said)) if at >= 0 else None
        if behind is not None:
            return text[at : behind.end()].strip()
    if not securities or _WATCHED.search(strip_mentions(text)) or not _names_exceptions(text, securities):
        return ""
    ends = [at + len(each.said) for each in securities if (at := text.find(each.said)) >= 0]
    first = min(text.find(each.said) for each in securities if each.said in text)
    found = _LEFT_OUT.search(text[:first])
    return text[found.start() : max(ends)].strip() if found else ""


def _names_exceptions(text: str, securities: list[Mention]) -> bool:
    """Return True if all securities of a text are named to be left out."""
    first = min((at for each in securities if (at := text.find(each.said)) >= 0), default=-1)
    return first > 0 and _LEFT_OUT.search(text[:first]) is not None


def _implied_fact(plain: str, spans: list[TimeSpan], tables: Tables, *, watched: bool = False) -> FactSpec | None:
    """Return the fact that a question asks for whose words no fact has: a screen, or how an industry did."""
    whole = WATCH_WORDS.sub(lambda found: " " * len(found[0]), plain) if watched else plain
    words = blank_spans(whole, spans)
    forms = industry_forms(words, (), tables)
    wanted, named = "", watched or names_stocks(words)
    if _asks_screen(words, forms, named=named) or ((named or forms) and _asks_scan(whole, spans, forms, tables)):
        wanted = _SCREEN
    elif not watched and asks_sector_value(words, forms):
        return next((spec for spec in scan_table(tables) if spec.id == _SECTOR_VALUE), None)
    elif not watched and _DID.search(plain) and any(form.search(words) for form, _ in forms):
        wanted = _SECTORS
    return next(
        (
            spec
            for spec in market_table(tables).facts
            if wanted and spec.answer == wanted and (spec.of == WATCH) == watched and spec.field in ("", "industry")
        ),
        None,
    )


def _asks_screen(words: str, forms: list[tuple[re.Pattern[str], str]], *, named: bool) -> bool:
    """Return True if every word of a text is read as a screen, but for figures that are called high or low.

    named  whether stocks are named
    """
    wish = parse_wish(words, forms)
    if wish.whole or not (named and wish.rest and (wish.bounds or wish.sort or wish.industries or wish.board)):
        return wish.whole
    return strip_fillers(wish.rest.replace(find_vague(wish.rest), " ", 1)) == "" and bool(find_vague(wish.rest))


_SECTOR_VALUE = "sector_value"
_COST_WORDS = pattern(
    r"(?:平均)?估值(?:水平|高低)?|[贵高低]不[贵高低]|便宜|(?<!名)贵(?!州|金属)|[高低]估|划算|高[吗么]|低[吗么]"
    r"|\b(?:valued|valuations?|expensive|cheap|pricey|dear|overpriced|(?:over|under)-?valued|richly|rich|how)\b",
    re.I,
)
_COST_IDLE = pattern(
    r"平均(?:的)?|市盈率?|市净率?|多少|怎么样|如何|咋样|什么水平|整体|总体|板块|行业|整个|算(?:不算)?"
    r"|偏|还是|情况|目前|现在|今天|了|的|是否|是不是"
    r"|\b(?:average|mean|p/?e|p/?b|(?:dividend )?yield|sector|industry|group|space|stocks|shares"
    r"|as a whole|overall|at (?:present|the moment)|or|priced|look(?:ing|s)?|these days)\b",
    re.I,
)


def asks_sector_value(words: str, forms: list[tuple[re.Pattern[str], str]]) -> bool:
    """Return True if a text asks what an industry costs, and for nothing else."""
    if not forms or not _COST_WORDS.search(words) or re.fullmatch(r"(?i)\W*how\W*", words):
        return False
    rest = words
    for form, _ in forms:
        rest = form.sub(" ", rest)
    said = _COST_WORDS.findall(rest)
    if not [each for each in said if each.casefold() != "how"]:
        return False
    return strip_fillers(_COST_IDLE.sub(" ", _COST_WORDS.sub(" ", rest))) == ""


def _asks_scan(words: str, spans: list[TimeSpan], forms: list[tuple[re.Pattern[str], str]], tables: Tables) -> bool:
    """Return True if every word of a text is read as technical conditions and a screen, but for times."""
    rest, technicals, rank = take_indicators(words, tables)
    wish = parse_wish(rest, forms) if technicals or rank else None
    if wish is None or wish.mean or (rank and wish.sort and not wish.listed):
        return False
    left = wish.rest
    for span in spans:
        left = left.replace(span.said, " ")
    return strip_fillers(left) == ""


HELD_WORDS = pattern(
    r"(?:在|从|按)?(?:我的?|咱们?的?)?(?:持仓|持有的?|手[里上头]的?|名下的?|买的(?=票|股|里|中"
    r"|有))(?:股票?|证券|票)?(?:里面?|中|当中)?|我的(?:股票|票)(?:里面?|中)?"
    r"|\b(?:(?:of|in|among|from) )?(?:(?:all )?(?:of )?(?:my|the) )?(?:holdings?|positions?|portfolio)(?: of mine)?\b"
    r"|\b(?:of )?my (?:stocks|shares|names)\b|\bof mine\b|\b(?:stocks |shares |ones "
    r"|names )?(?:that )?i(?: am|'m)? (?:hold|own)(?:ing)?\b",
    re.I,
)
"""Words that say that the positions are meant."""
WATCH_WORDS = pattern(
    r"(?:我的?)?(?:自选|关注)(?:股票?|列表|的股票|名单|的)?(?:里面|里|中)?"
    r"|\b(?:(?:in|on|of|from) )?(?:my |the )?watch ?list\b|\b(?:on |in |of )?my (?:stock )?list\b"
    r"|\b(?:(?:stocks?|shares?|ones?|what) )?(?:that )?(?:i|i'm|i am) (?:watch|follow|track)(?:ing)?\b"
    r"|\b(?:watched|tracked|followed)\b",
    re.I,
)
"""Words that say that the watch list is meant."""
_DID = pattern(
    r"怎么样|如何|表现|走势|行情|涨|跌|强|弱|板块|行业|\b(?:sector|industry)\b|\b(?:do|doing|did|perform\w*|up"
    r"|down|ris\w+|rose|f[ae]ll\w*|move[ds]?|today)\b",
    re.I,
)


def industry_forms(
    words: str, stored: Iterable[str] = (), tables: Tables = SHIPPED
) -> list[tuple[re.Pattern[str], str]]:
    """Return the words of industries that a text may have, and their names: the longest first.

    stored    names of the store besides those of the table

    A name counts by its beginning, too, where no other begins so: 光伏 of 光伏设备. A word for several industries
    (tech) is the word of each of them.
    """
    known = market_table(tables).industries
    wide, words = wide_forms(words, stored), blank_wide_groups(words)
    names = sorted({*stored, *(each.name for each in known)}, key=lambda name: (-len(name), name))
    found = [(re.compile(re.escape(name)), name) for name in names if name in words]
    if not found:
        begun = {name: [s for s in range(len(name) - 1, 1, -1) if name[:s] in words] for name in names}
        longest = max((sizes[0] for sizes in begun.values() if sizes), default=0)
        alike = [name for name, sizes in begun.items() if sizes and sizes[0] == longest]
        own = [name for name in alike if name in set(stored)] or alike
        found = [(re.compile(re.escape(own[0][:longest])), own[0])] if len(own) == 1 else []
    return [*wide, *found, *((each.words, each.name) for each in known if each.words.search(words))]


def condition_words(words: str) -> list[str]:
    """Return the numbers, comparisons and exceptions of a text that somebody else has not read."""
    found = [match[0] for match in re.finditer(rf"\d[\d,.]*|{_HARD.pattern}", words, re.I)]
    return [said for said in found if not _ASKS_COUNT.fullmatch(said)][:3]


def has_condition(words: str) -> bool:
    """Return True if words name a quantity, a comparison or an exception."""
    return _HARD.search(words) is not None


def _concerns(spec: FactSpec, securities: list[Mention], mine: bool, watched: bool) -> bool:
    """Return True if a fact can be meant: by what is named, and by who speaks. An index is nobody's holding."""
    named = bool(securities)
    if named and all(mention.symbol.kind == "index" for mention in securities):
        compared = spec.answer == "account_index" and spec.alone and len(securities) == 1
        if mine or compared or spec.of == HOLDING:
            return spec.of == ACCOUNT
    if spec.of == ANY:
        return True
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


def _has_needed(spec: FactSpec, securities: list[Mention], spans: list[TimeSpan], plain: str) -> bool:
    """Return True if a question names what a fact needs to be one, and nothing that makes it another."""
    if spec.unless.search(blank_spans(plain, filter(is_comparison, spans))) or (
        spec.given is not None and not spec.given.search(plain)
    ):
        return False
    if "time" in spec.needs and not any(span.kind not in (UNREAD, FUTURE) for span in spans):
        return False
    if "index" in spec.needs and not securities:
        return False
    return "several" not in spec.needs or len(securities) > 1


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and begin < span[1] for begin, end in taken)


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with stretches of it replaced by blanks."""
    for begin, end in spans:
        text = text[:begin] + " " * (end - begin) + text[end:]
    return text
