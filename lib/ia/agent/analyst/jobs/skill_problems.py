"""What of the tables and templates of a skill cannot be used, told to the person who edits them."""

import json
from collections.abc import Callable, Iterator

from ia.agent.analyst.ask.backtest_words import read_rule_words
from ia.agent.analyst.ask.facts import (
    account_table,
    company_table,
    days_table,
    everyday_table,
    history_table,
    holdings_table,
    howto_table,
    ledger_table,
    lists_table,
    market_table,
    owner_table,
    plain_table,
    price_table,
    quote_facts,
    record_table,
    reports_table,
    risk_table,
    scan_table,
    security_table,
    settings_table,
    tasks_table,
    trades_table,
    worth_table,
)
from ia.agent.analyst.ask.figures import figures_at
from ia.agent.analyst.ask.holidays import holiday_table
from ia.agent.analyst.ask.study_words import study_words_at
from ia.agent.analyst.ask.technicals import more_technicals_at, technicals_at
from ia.agent.analyst.desk import HOMES
from ia.agent.analyst.evidence.lens import lenses_at
from ia.agent.analyst.evidence.readings import build_reading, labels_at, readings_at
from ia.agent.analyst.jobs.facts.market_facts import build_terms
from ia.agent.analyst.jobs.grounds import read_grounds
from ia.agent.analyst.jobs.scanning import criteria_in
from ia.agent.analyst.say.outline import outline_at
from ia.agent.analyst.tables import Table, Tables
from ia.faculties import skills
from ia.faculties.checklists import read_checklists
from ia.faculties.skills import tables, templates
from ia.faculties.skills.expertise import FILES
from ia.faculties.skills.model import Skill
from ia.kernel import config
from ia.kernel.errors import IaError, Message
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace


def read_passages(known: Tables) -> object:
    """Return the passages that answers rest on."""
    return known.build("research", "grounds", read_grounds)


def read_glossary(known: Tables) -> object:
    """Return the terms of the glossary at hand."""
    return known.build("research", "glossary", build_terms)


def read_more_terms(known: Tables) -> object:
    """Return the terms of results and of money."""
    return known.build("research", "glossary_more", build_terms)


_READERS: dict[str, Callable[[Tables], object]] = {
    "readings": readings_at, "valuation": readings_at, "labels": labels_at, "lenses": lenses_at, "figures": figures_at,
    "criteria": criteria_in, "technicals": technicals_at, "technicals_more": more_technicals_at,
    "facts_scan": scan_table, "facts_risk": risk_table,
    "view": outline_at, "facts_settings": settings_table, "facts_record": record_table, "facts_tasks": tasks_table,
    "facts_days": days_table,
    "facts_lists": lists_table, "facts_company": company_table, "facts_plain": plain_table,
    "facts_howto": howto_table, "facts_everyday": everyday_table, "facts_ledger": ledger_table,
    "facts_holdings": holdings_table,
    "facts_history": history_table, "facts_trades": trades_table, "facts_owner": owner_table,
    "facts_security": security_table,
    "facts_account": account_table, "facts_prices": price_table, "facts_quote": quote_facts,
    "facts_reports": reports_table, "facts_worth": worth_table,
    "facts_market": market_table, "holidays": holiday_table, "glossary": read_glossary,
    "glossary_more": read_more_terms,
    "study": study_words_at, "backtest_rules": read_rule_words, "grounds": read_passages,
}  # fmt: skip
FILLED = {("research", "answer"), ("research", "note"), ("research", "risk"), ("review", "event-daily"),
          ("scan", "event-gainers")}  # fmt: skip
"""Templates whose fields are those of the shipped one, by skill and name."""


def find_problems(ws: Workspace, skill: Skill, lang: str = "") -> list[str]:
    """Return a sentence for each problem, with file and line, in `zh` or `en` (default: the user's language).

    What sop.yaml, patterns.yaml and rules.yaml have is told by `skills.knowledge`.
    """
    voice = Voice(lang or config.locale_lang())
    told: list[str] = []

    def report(_: str, problem: Message) -> None:
        told.append(voice.say(problem))

    lists, broken = read_checklists(ws, skill)
    told += [voice.say(each) for each in (*broken, *(each.problem for each in lists)) if each is not None]
    at_hand = Tables(report, strict=True)
    for path in [path for path, _ in skills.files(ws, skill) if tables.is_table(path)]:
        name = path.rpartition("/")[2].rpartition(".")[0]
        if path.startswith("knowledge/") and name in (*FILES, "checks", "sources"):
            continue
        try:
            if path.endswith(".md"):
                told += map(voice.say, _check_template(ws, skill, name))
                continue
            table = tables.load_table(ws, skill, path)
        except IaError as exc:
            told.append(voice.say(exc))
            continue
        if table is not None:
            size = len(json.dumps(table.data, ensure_ascii=False))
            if size > tables.MAX_TABLE:
                long = "{path}: {size} characters as JSON, at most {limit}"
                told.append(voice(long, path=path, size=size, limit=tables.MAX_TABLE))
            _read_table(skill.name, name, table, at_hand)
    return list(dict.fromkeys(told))


def has_shipped(skill: Skill) -> bool:
    """Return True if ia comes with a skill of this name, which stands in for what cannot be used."""
    return tables.load_shipped(skill.name, "SKILL.md") is not None


def _check_template(ws: Workspace, skill: Skill, name: str) -> Iterator[Message]:
    """Yield the fields of a template that nothing fills in. raises IaError for a template that cannot be used."""
    text = templates.load_own(ws, skill, f"templates/{name}.md")
    shipped = tables.load_shipped(skill.name, f"templates/{name}.md") if (skill.name, name) in FILLED else None
    if text is None or shipped is None:
        return
    known = templates.template_fields(str(shipped.data))
    for field, line in templates.template_fields(text).items():
        if field not in known:
            yield Message(
                "{path}:{line}: nothing fills in {field}; there are {known}",
                path=f"templates/{name}.md",
                line=line,
                field=f"{{{field}}}",
                known=", ".join(sorted(known)),
            )


def _read_table(skill: str, name: str, table: tables.SkillTable, at_hand: Tables) -> None:
    """Read all of a table as the analyst does; what is wrong is reported."""
    if HOMES.get(name) == skill:
        at_hand.put(skill, name, table.data, table.lines)
        _READERS[name](at_hand)
        if name == "view":
            _check_sentences(table, at_hand)
    elif name == "readings":
        own = Table(table.data, skill=skill, name=name, lines=table.lines, report=at_hand.report, strict=True)
        own.entries("entries", build_reading)


def _check_sentences(table: tables.SkillTable, at_hand: Tables) -> None:
    found = table.data.get("sentences")
    for key in found if isinstance(found, dict) else ():
        outline_at(at_hand).sentence(key.removesuffix("_en"))
