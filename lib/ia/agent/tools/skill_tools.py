"""Tools that skills bring: from tools/tools.yaml to tools of the router.

A model reaches a skill's tool once the skill is active; a person calls it at any time. A name that two skills have, or
that ia or a provider has already, is told apart by the skill's name before it.
"""

import contextlib
import functools
import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.agent.tools import schema, slots
from ia.agent.tools.registry import READ, Tool
from ia.agent.tools.scope import Scope
from ia.faculties import skills
from ia.faculties.skills import forms
from ia.faculties.skills.skill_tools import COLLECT, SKILL, SkillTool, load_function, load_tools, localize_schema
from ia.kernel import config
from ia.kernel.errors import BadData, ConfigError, IaError
from ia.kernel.i18n import mark_text, translate
from ia.kernel.jsontypes import Json
from ia.kernel.untrusted import strip_controls
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.faculties.pictures.cards import CardBlock

REPORT, INSIGHT, ADVICE = "report", "insight", "advice"
EVIDENCE = mark_text("Evidence")
MAX_POINTS = 3
"""Points of an answer."""
POINTS, POINT, DO, SOURCE = mark_text("Points"), mark_text("Point"), mark_text("What to do"), mark_text("Source")
ADVICE_TITLE = mark_text("Advice")
UNCERTAIN, NEXT, CONFLICTS = mark_text("Uncertain"), mark_text("Likely next questions"), mark_text("Conflicts")


@functools.cache
def own_cards() -> dict[str, Json]:
    """Return type -> schema of the cards of ia itself."""
    return {
        REPORT: {
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "text": {"type": "string"},
                "sections": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"heading": {"type": "string"}, "text": {"type": "string"}},
                        "required": ["heading", "text"],
                        "additionalProperties": False,
                    },
                },
            },
            "required": ["title"],
            "additionalProperties": False,
        },
        INSIGHT: {
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "text": {"type": "string"},
                "evidence": {
                    "type": "array",
                    "items": {"type": "string"},
                    "title": translate(EVIDENCE, "zh"),
                    "title_en": EVIDENCE,
                },
            },
            "required": ["title", "text"],
            "additionalProperties": False,
        },
        ADVICE: {
            "type": "object",
            **_make_titles(ADVICE_TITLE),
            "properties": {
                "points": {
                    "type": "array",
                    **_make_titles(POINTS),
                    "minItems": 1,
                    "maxItems": MAX_POINTS,
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": {"type": "string", **_make_titles(POINT), "minLength": 1},
                            "do": {"type": "string", **_make_titles(DO), "minLength": 1},
                            "source": {"type": "string", **_make_titles(SOURCE)},
                        },
                        "required": ["text", "do"],
                        "additionalProperties": False,
                    },
                },
                "uncertain": {"type": "string", **_make_titles(UNCERTAIN), "minLength": 1},
                "next": {"type": "array", **_make_titles(NEXT), "minItems": 1, "items": {"type": "string"}},
                "conflicts": {"type": "array", **_make_titles(CONFLICTS), "items": {"type": "string"}},
            },
            "required": ["points", "uncertain", "next"],
            "additionalProperties": False,
        },
    }


def _make_titles(name: str) -> dict[str, str]:
    return {"title": translate(name, "zh"), "title_en": name}


class FoundTools(NamedTuple):
    """The tools of skills; the names of those in files that cannot be used, with the reason; and these reasons."""

    tools: list[Tool]
    broken: dict[str, IaError]
    problems: list[IaError]


def skill_tools(ws: Workspace, others: Mapping[str, Tool]) -> FoundTools:
    """Return the tools of all skills that can be used, and what is wrong with the files of the others.

    others  the tools of ia and of providers, by name: what a skill's tool may be run by, and names that are taken.
    """
    found: list[Tool] = []
    broken: dict[str, IaError] = {}
    problems: list[IaError] = []
    for skill in skills.list_skills(ws):
        if skill.problem is not None or not skill.enabled:
            continue
        declared = load_tools(ws, skill)
        if declared.problem is not None:
            told = BadData("{path}: {problem}", path=skill.path, problem=declared.problem)
            problems.append(told)
            broken |= dict.fromkeys(declared.names, told)
        found += [_build_tool(skill, each, others) for each in declared.tools]
    wires = {tool.wire_name for tool in others.values()}
    count: dict[str, int] = {}
    for tool in found:
        count[tool.name] = count.get(tool.name, 0) + 1
    told_apart = [
        replace(tool, name=f"{tool.skill}.{tool.name}", bare=tool.name)
        if count[tool.name] > 1 or tool.wire_name in wires
        else tool
        for tool in found
    ]
    unusable = {name: why for name, why in broken.items() if name not in count and name not in others}
    return FoundTools(told_apart, unusable, problems)


def _build_tool(skill: skills.Skill, declared: SkillTool, others: Mapping[str, Tool]) -> Tool:
    lang = config.locale_lang()
    found = others.get(declared.run)
    provider = found if found is not None and found.outside else None
    about: Json = {
        "skill": skill.name,
        "display_name": declared.text("display_name", lang) or declared.name,
        "level": declared.level,
        "type": declared.kind,
        "when_to_call": declared.text("when_to_call", lang),
        "run": declared.run or None,
        "requires": _required_slots(skill, declared),
        "slots": declared.slots,
        "form": declared.form or None,
        "card_type": declared.card_type or None,
        "card_props": localize_schema(declared.card_props, lang) or None,
        "returns": localize_schema(declared.returns, lang),
    }
    described = [declared.text("description", lang), declared.text("when_to_call", lang)]
    made = Tool(
        name=declared.name,
        risk=READ,
        run=_make_run(declared, _required_slots(skill, declared), provider),
        description=". ".join(each.rstrip(".。") for each in described if each) or about["display_name"],
        schema=_offered_schema(declared, lang),
        origin=f"skill:{skill.name}",
        local=True,
        skill=skill.name,
        private=declared.private,
        active_only=declared.level == SKILL,
        about=about,
    )
    if provider is not None:
        return replace(
            made,
            risk=provider.risk,
            origin=provider.origin,
            local=False,
            seconds=provider.seconds,
            figures=provider.figures,
        )
    return made


def _offered_schema(declared: SkillTool, lang: str) -> Json:
    """Return the schema of the arguments as callers see it: what a slot fills in may be left out."""
    offered: Json = localize_schema(declared.parameters, lang)
    required = [name for name in offered.get("required", []) if name not in declared.slots]
    return {**offered, "required": required}


def _required_slots(skill: skills.Skill, declared: SkillTool) -> list[str]:
    """Return the slots that a tool requires: its own, and those of its skill unless it asks for them itself."""
    own = declared.requires
    return own if declared.form or declared.kind == COLLECT else list(dict.fromkeys([*skill.requires, *own]))


def _make_run(declared: SkillTool, requires: list[str], provider: Tool | None) -> Any:
    def run_skill_tool(scope: Scope, /, **arguments: object) -> Any:
        known = slots.load_slots(scope)
        if declared.form:
            form = forms.find_form(scope.ws, declared.form, scope.active)
            if form.missing_fields(known) or not declared.run:
                return slots.open_form(scope, form)
        arguments = _fill_arguments(scope, declared, requires, arguments, known)
        schema.validate_arguments(declared.name, declared.parameters, arguments)
        if provider is not None:
            value = provider.run(scope, **arguments)
        else:
            value = _call_function(scope, declared, arguments) if declared.run else dict(arguments)
        return make_card(scope, declared.card_type, declared.card_props, value) if declared.card_type else value

    return run_skill_tool


def _fill_arguments(
    scope: Scope, declared: SkillTool, requires: list[str], arguments: Json, known: Mapping[str, Any]
) -> Json:
    """Return the arguments with those that slots fill in.

    raises  Refused with what is missing; a person at the command line outside of a session gives arguments alone.
    """
    given = {declared.slots[name]: value for name, value in arguments.items() if name in declared.slots}
    filled = {name: known[slot] for name, slot in declared.slots.items() if slot in known and name not in arguments}
    if scope.session or scope.actor != "user":
        needed = [declared.slots[name] for name in declared.parameters.get("required", ()) if name in declared.slots]
        slots.require_slots(scope, declared.name, [*requires, *needed], {**known, **given})
    return {**arguments, **filled}


def _call_function(scope: Scope, declared: SkillTool, arguments: Mapping[str, Any]) -> Any:
    """Call the library function of a tool; it gets the language and the workspace where it takes `lang` and `ws`."""
    function = load_function(declared.run)
    if function is None:
        raise ConfigError(
            "{tool}: nothing is called {run}: no function of the group ia.tools, and no tool of a provider",
            tool=declared.name,
            run=declared.run,
            hint="install the package or the provider that it needs",
        )
    takes = inspect.signature(function).parameters
    extra = {"lang": scope.lang, "ws": scope.ws}
    return function(**arguments, **{name: extra[name] for name in extra if name in takes and name not in arguments})


def find_card_schema(ws: Workspace, kind: str) -> Json | None:
    """Return the schema of a card type: one of ia's own, or of a skill; None for a type that nobody declares."""
    if kind in own_cards():
        return own_cards()[kind]
    for skill in skills.list_skills(ws):
        if skill.problem is None and skill.enabled:
            for each in load_tools(ws, skill).tools:
                if each.card_type == kind:
                    return each.card_props
    return None


def lay_out(ws: Workspace, card: Mapping[str, Any], lang: str) -> "tuple[str, list[CardBlock]]":
    """Return the title and the blocks of a card; of a type that is unknown, or with other properties, its text."""
    from ia.faculties.pictures import cards

    kind, props = str(card.get("card", "")), card.get("props")
    props_schema = find_card_schema(ws, kind)
    if props_schema is not None and isinstance(props, dict):
        with contextlib.suppress(BadData):
            schema.validate_arguments(kind, props_schema, props)
            return cards.card_title(card, props_schema, lang), cards.lay_out_card(props, props_schema, lang)
    return kind.replace("_", " "), [cards.CardBlock("text", "", [[strip_controls(str(card.get("text", "")))]])]


def make_card(scope: Scope, kind: str, props_schema: Json, value: object) -> Json:
    """Return the card of a result, its properties checked, and keep it for whoever shows the turn.

    value  the properties, or {"props": …, "text": …}.
    raises  BadData where they do not fit the schema.
    """
    given: Json = value if isinstance(value, dict) else {}
    wrapped = isinstance(given.get("props"), dict) and given.keys() <= {"props", "text"}
    props: Any = given["props"] if wrapped else value
    text = str(given.get("text") or "") if wrapped else ""
    try:
        schema.validate_arguments(kind, props_schema, props)
    except BadData as exc:
        raise BadData("card {card}: {problems}", card=kind, problems=exc.params.get("problems", "")) from None
    card = {"card": kind, "props": props, "text": text}
    if not text:
        from ia.faculties.pictures import cards

        blocks = cards.lay_out_card(props, props_schema, scope.lang)
        card["text"] = cards.format_card_text(cards.card_title(card, props_schema, scope.lang), blocks)
    scope.cards.append(card)
    return card
