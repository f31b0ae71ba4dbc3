"""The checklists of the skills, read from knowledge/checks.yaml.

    checks:
      buy:                      # name of the list: a-z, 0-9, -
        title, title_en
        trade: buy              # the trade it is asked about: buy or sell; without it the list is about no security
        items:
          - id, text, text_en, source, source_en
            severity: must      # or should: told, not counted
            expression | rule | risk | account | dates | ask: what is judged (exactly one)

An item that cannot be read makes its list unusable: a check that is left out silently would pass.
"""

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from ia.faculties.checklists import figures
from ia.faculties.skills import list_skills
from ia.faculties.skills.conditions import expression
from ia.faculties.skills.expertise import Text
from ia.faculties.skills.model import Skill
from ia.faculties.skills.procedure import load_tree
from ia.kernel.errors import BadData, IaError, Message, NotFound, UsageError
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

FILE = "knowledge/checks.yaml"
BARS, SCREEN = "bars", "screen"
"""Kinds that `expression` may be: over bars, as `ia compute` has it, or over the columns of `ia screen`."""
RULE, RISK, ACCOUNT, DATES, ASK = "rule", "risk", "account", "dates", "ask"
TESTS = ("expression", RULE, RISK, ACCOUNT, DATES, ASK)
MUST, SHOULD = "must", "should"
MAX_ITEMS = 100
_NAME = pattern(r"[a-z0-9][a-z0-9-]{0,39}")
_ID = pattern(r"[\w][\w.-]{0,39}")


class CheckItem(NamedTuple):
    """One thing that must hold.

    kind    bars, screen, rule, risk, account, dates or ask. test: what is judged, as the file has it
    must    False where a failure is told, not counted
    source  where it comes from; an empty one is that of the rule
    """

    id: str
    text: Text
    kind: str
    test: str
    must: bool
    source: Text


class Checklist(NamedTuple):
    """A list of a skill. trade: buy or sell, "" where it is about no security. problem: why it cannot be used."""

    name: str
    skill: str
    title: Text
    trade: str
    items: tuple[CheckItem, ...]
    path: str
    problem: IaError | None = None


def list_checklists(ws: Workspace, name: str = "") -> tuple[list[Checklist], list[IaError]]:
    """Return the lists of all enabled skills by name, and what is wrong with files that hold none.

    name    only the lists of this name
    """
    found: list[Checklist] = []
    broken: list[IaError] = []
    for skill in list_skills(ws):
        if not skill.enabled or skill.problem is not None:
            continue
        lists, problems = read_checklists(ws, skill, name)
        found, broken = found + lists, broken + problems
    return sorted(found, key=lambda each: (each.name, each.skill)), broken


def read_checklists(ws: Workspace, skill: Skill, only: str = "") -> tuple[list[Checklist], list[IaError]]:
    """Return the lists of one skill (or `only` the one of a name), and why its file cannot be read."""
    problems: list[Message] = []
    tree = load_tree(ws, skill, "checks", problems)
    asked = {str(name): entry for name, entry in tree.items() if only in ("", str(name))}
    lists = [_read_list(skill, f"{skill.path}/{FILE}", name, entry) for name, entry in asked.items()]
    return lists, [BadData("{path}: {problem}", path=skill.path, problem=each) for each in problems]


def find_checklist(ws: Workspace, name: str) -> Checklist:
    """Return the list that a name means: NAME, or SKILL/NAME where several skills have one.

    raises  NotFound, UsageError for a name of several lists, BadData where the list or the file cannot be read.
    """
    skill, _, short = name.rpartition("/")
    lists, broken = list_checklists(ws, short) if short else ([], [])
    found = [each for each in lists if skill in ("", each.skill)]
    if len(found) > 1:
        raise UsageError(
            "several skills have a checklist {name}: {names}",
            name=short,
            names=", ".join(f"{each.skill}/{each.name}" for each in found),
        )
    if found:
        if found[0].problem is not None:
            raise found[0].problem
        return found[0]
    if broken:
        raise broken[0]
    hint = "`ia check` lists the checklists; `ia init` installs some"
    raise NotFound("no checklist is named {name!r}", name=name[:60], hint=hint)


def _read_list(skill: Skill, path: str, name: str, entry: object) -> Checklist:
    made = Checklist(name=name[:40], skill=skill.name, title=Text("", ""), trade="", items=(), path=path)
    try:
        if not _NAME.fullmatch(name):
            raise BadData("a name has only a-z, 0-9 and -, and at most 40 characters")
        if not isinstance(entry, dict) or not isinstance(entry.get("items"), list) or not entry["items"]:
            raise BadData("a checklist needs `items:`, a list")
        if len(entry["items"]) > MAX_ITEMS:
            raise BadData("more than {limit} items", limit=MAX_ITEMS)
        trade = _read_word(entry, "trade")
        if trade not in ("", "buy", "sell"):
            raise BadData("trade is buy or sell, not {value!r}", value=trade[:40])
        items: dict[str, CheckItem] = {}
        for at, each in enumerate(entry["items"], 1):
            item = _read_item(at, each, trade)
            if item.id in items:
                raise BadData("duplicate id {id}", id=item.id)
            items[item.id] = item
        return made._replace(title=_read_text(entry, "title"), trade=trade, items=tuple(items.values()))
    except BadData as wrong:
        problem = BadData("{path}: {name}: {problem}", path=path, name=name[:40], problem=wrong)
        return made._replace(problem=problem)


def _read_item(at: int, entry: object, trade: str) -> CheckItem:
    if not isinstance(entry, dict) or not _ID.fullmatch(id := _read_word(entry, "id")):
        raise BadData("item {at} has no valid id", at=at)
    given = [key for key in TESTS if entry.get(key) not in (None, "", False)]
    if len(given) != 1:
        raise BadData("{id}: give exactly one of {choices}", id=id, choices=", ".join(TESTS))
    severity = _read_word(entry, "severity") or MUST
    if severity not in (MUST, SHOULD):
        raise BadData("{id}: severity is must or should, not {value!r}", id=id, value=severity[:40])
    key = given[0]
    if key == ASK and entry[key] is not True:
        raise BadData("{id}: write `ask: true`; the question is in `text`", id=id)
    if not isinstance(entry[key], bool | str) or (key != ASK and isinstance(entry[key], bool)):
        raise BadData("{id}: {key} takes a text", id=id, key=key)
    test = "" if key == ASK else _read_word(entry, key)
    text = _read_text(entry, "text")
    if not text and key != RULE:
        raise BadData("{id}: `text` is missing", id=id)
    try:
        kind = _kind_of(key, test)
    except IaError as wrong:
        raise BadData("{id}: {problem}", id=id, problem=wrong) from None
    if not trade and (kind in (BARS, SCREEN, RISK, DATES) or figures.needs_trade(kind, test)):
        raise BadData("{id}: needs a security; add `trade: buy` or `trade: sell` to the list", id=id)
    source = _read_text(entry, "source")
    return CheckItem(id=id, text=text, kind=kind, test=test, must=severity == MUST, source=source)


def _kind_of(key: str, test: str) -> str:
    """Return the kind of an item. raises  IaError for a test that cannot be evaluated."""
    if key in (ACCOUNT, DATES):
        figures.parse_comparison(key, test)
    elif key == RISK:
        figures.find_risk_rules(test)
    elif key == "expression":
        if expression(test) is not None:
            return BARS
        if (near := _compute_error(test)) is not None:
            raise near
        from ia.organs.market.screen_conditions import parse_condition

        parse_condition(test)
        return SCREEN
    return key


def _compute_error(test: str) -> IaError | None:
    """Return what is wrong with a text that calls functions, as only expressions over bars do; else None."""
    calls = re.findall(r"([A-Za-z_]\w*)\s*\(", test)
    if not [each for each in calls if each not in ("in", "and", "or", "not")]:
        return None
    try:
        ast.parse(test, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return BadData("{expression!r} does not parse", expression=test[:80])
    return BadData("{expression!r} has names that `ia compute` does not know", expression=test[:80])


def _read_word(entry: Mapping[str, object], key: str) -> str:
    value = entry.get(key)
    return "" if value is None or isinstance(value, dict | list) else " ".join(str(value).split())


def _read_text(entry: Mapping[str, object], key: str) -> Text:
    return Text(_read_word(entry, key), _read_word(entry, f"{key}_en"))
