"""skills.*: methods that were learned. A skill in force narrows what may be called, and nothing widens it again."""

import json
import re
from collections.abc import Mapping
from typing import Annotated

from ia.agent.tools import gate, phases, slots
from ia.agent.tools.builtin.market import bars_of, describe_window
from ia.agent.tools.consent import split_words
from ia.agent.tools.gated_writes import describe_proposal, propose_content, require_proposal_room
from ia.agent.tools.registry import CONFIRM, READ, tool
from ia.agent.tools.schema import format_usage
from ia.agent.tools.scope import Scope
from ia.faculties import skills
from ia.faculties.skills import forms, rule_search, tables
from ia.faculties.skills.expertise import localize_phases, outline
from ia.faculties.skills.phases import load_phases
from ia.faculties.skills.skill_tools import load_tools
from ia.kernel import proposals, untrusted
from ia.kernel.errors import BadData, IaError, Message, NotFound, Refused
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs import sessions

ALWAYS = (
    "skills.list",
    "skills.load",
    "skills.check",
    "memory.recall",
    "search_knowledge",
    "collect_info",
    "show_report",
    "show_insight",
    "show_advice",
)
"""What every skill may call, in the bounds of whoever called it."""
_NAME = pattern(r"[a-z0-9-]{1,64}")
OPENS = {"memory.reflect": "reflections", "memory.track": "tracking", "memory.log": "journal"}
"""Areas that the user opens by naming a skill that says it writes there."""
MAX_FINDINGS = 40
MAX_TEXTS = 40


@tool("skills.list", READ)
def list_skills(scope: Scope) -> Json:
    """List the skills: tested ways of doing a kind of work, what each is for, and its arguments."""
    person = scope.actor == "user"
    found = [
        s for s in skills.list_skills(scope.ws) if person or (s.enabled and s.model_invocable and s.problem is None)
    ]
    return {"skills": [_describe_skill(skill, person, scope.lang) for skill in found]}


def _describe_skill(skill: skills.Skill, person: bool, lang: str) -> Json:
    told: Json = {"name": skill.name, "description": skill.description(lang)}
    told |= {"arguments": skill.argument_hint} if skill.argument_hint else {}
    told |= {"triggers": list(skill.triggers)} if skill.triggers else {}
    if person:
        told |= {"enabled": skill.enabled} | ({"problem": str(skill.problem)} if skill.problem else {})
    return told


@tool("skills.load", READ, seconds=600)
def load_skill(
    scope: Scope,
    name: Annotated[str | None, "name of a skill; null: a connection ends the one in force"],
    arguments: Annotated[str, "what it is to work on"] = "",
    file: Annotated[str, "only the text of another file of it: references/x.md"] = "",
    steps: Annotated[bool, "for programs: the procedure, or the file, as data, and no instructions"] = False,
) -> Json:
    """Load a skill: its instructions and procedure, to be followed from here on. Only the tools that it lists can be
    called afterwards. One that runs in a subagent returns its summary.
    """
    if name is None:
        return _end_skill(scope)
    if steps and tables.is_table(file):
        return _table(scope, name, file)
    skill = skills.find(scope.ws, name)
    if scope.actor != "user" and not skill.model_invocable and skill.problem is None and scope.skill != skill.name:
        raise Refused("only the user can call the skill {name}", name=skill.name, hint="the user can type /{name}")
    if file:
        return {"skill": skill.name, "file": file, "text": skills.resource(scope.ws, name, file)}
    loaded = skills.load(scope.ws, name, arguments, by_user=scope.actor == "user")
    if loaded.skill.fork and scope.fork is not None and not scope.depth:
        told = scope.fork(task=arguments or f"/{skill.name}", role="researcher", tools=None, skill=skill.name)
        assert isinstance(told, dict)
        return {"skill": skill.name, **told}
    if scope.connection:  # what it may call besides is that of the last skill alone
        active = scope.active
        _end_skill(scope)
        scope.active = active
    activate_skill(scope, loaded, by_user=scope.actor == "user")
    phases.begin_run(scope, loaded.skill.name)
    keep_active(scope, loaded.skill)
    procedure = localize_phases(loaded.sop, scope.lang) if loaded.sop else []
    others = [path for path, _ in skills.files(scope.ws, loaded.skill) if path != "SKILL.md"]
    if steps:  # what a program follows; a text to read, or a table of facts, is asked for by its name
        others = [path for path in others if not path.startswith(("references/", "knowledge/facts_"))]
    return {
        "skill": skill.name,
        **({} if steps else {"instructions": loaded.body}),
        "tools": list(scope.allowed or ()),
        **_describe_own_tools(scope, loaded.skill),
        **_describe_missing_slots(scope, loaded.skill),
        **({} if steps else _describe_phase(scope, loaded.skill, arguments)),
        **({"files": others} if others else {}),
        **({"ends": "with the next skills.load; with name null no skill is in force"} if scope.connection else {}),
        **({"procedure": procedure if steps else outline(procedure)} if loaded.sop else {}),
        **_describe_problems(scope, [loaded.skill.name]),
    }


def _describe_own_tools(scope: Scope, skill: skills.Skill) -> Json:
    """Return the tools that a skill brings, and names that other active skills have too."""
    own = load_tools(scope.ws, skill).tools
    told: Json = {}
    if own:
        told["own_tools"] = [
            {"name": each.name, "type": each.kind, "arguments": format_usage(each.parameters)}
            | ({"when": when} if (when := each.text("when_to_call", scope.lang)) else {})
            for each in own
        ]
    owners: dict[str, list[str]] = {}
    for name in scope.active:
        for each in load_tools(scope.ws, skills.find(scope.ws, name)).tools:
            owners.setdefault(each.name, []).append(name)
    shared = {name: [f"{each}.{name}" for each in having] for name, having in owners.items() if len(having) > 1}
    return told | ({"same_names": shared} if shared else {})


def _describe_missing_slots(scope: Scope, skill: skills.Skill) -> Json:
    """Return the slots that a skill requires and nobody has filled in, and the form that asks for them."""
    try:
        slots.require_slots(scope, skill.name, skill.requires, slots.load_slots(scope))
    except Refused as exc:
        return {"missing": exc.params["missing"], "call_first": f"collect_info form={exc.params['form']}"}
    return {}


def _describe_phase(scope: Scope, skill: skills.Skill, arguments: str) -> Json:
    """Return where the procedure of a skill stands, and the rules that hold: tier 1 and red flags, others by question.

    Nothing of a skill whose procedure is words alone.
    """
    states = phases.list_states(scope, [skill.name])
    if not states:
        return {}
    told: Json = {"phase": states[0].phase}
    if states[0].lacks:
        first = states[0].lacks[0]
        told |= {"lacks": first.name, "call_first": first.call}
    question = " ".join(filter(None, [arguments, scope.asked]))
    always = rule_search.list_always(scope.ws, skill.name, scope.lang)
    found = rule_search.find_rules(scope.ws, skill.name, question, scope.lang)
    others = [name for name in scope.active if name != skill.name and phases.list_states(scope, [name])]
    told["rules"] = [describe_rule(each) for each in [*always, *found]]
    if others:
        told["also_active"] = others
        told["hint"] = (
            "two skills are active, each with its own phase: carry out both, and answer once;"
            " name in `conflicts` of show_advice where their conclusions differ"
        )
    return told


def describe_rule(rule: skills.RuleFinding) -> str:
    """Return a rule in a line: its id, condition, what follows, and its source."""
    source = f" [{rule.source}]" if rule.source else ""
    said = rule.text if rule.text == rule.condition else f"{rule.condition} → {rule.text}"
    return f"{rule.id} {said}{source}"


def keep_active(scope: Scope, skill: skills.Skill) -> None:
    """Keep a skill that brings tools or forms active in its session, beyond this turn."""
    if scope.session and not scope.depth and (load_tools(scope.ws, skill).tools or _has_forms(scope, skill)):
        sessions.activate_skill(scope.ws, scope.session, skill.name)


def _has_forms(scope: Scope, skill: skills.Skill) -> bool:
    try:
        return bool(forms.load_forms(scope.ws, skill))
    except IaError:
        return False


def _table(scope: Scope, name: str, file: str) -> Json:
    """Return a table or a template of a skill as data; that of the skill that comes with ia where there is none.

    raises  BadData with file and line.
    """
    skill = next((each for each in skills.list_skills(scope.ws) if each.name == name and _may_read(scope, each)), None)
    own = tables.load_table(scope.ws, skill, file) if skill else None
    found = own or tables.load_shipped(name, file) if _NAME.fullmatch(name) else own
    told = {"skill": name, "file": file, "data": found.data if found else None}
    if found and len(json.dumps(told, ensure_ascii=False)) > tables.MAX_TABLE:
        raise BadData("{file} is larger than {limit} characters as JSON", file=file, limit=tables.MAX_TABLE)
    return told | ({"lines": found.lines} if own and found and found.lines else {})


def _may_read(scope: Scope, skill: skills.Skill) -> bool:
    return skill.problem is None and skill.enabled and (skill.model_invocable or scope.actor == "user")


def _end_skill(scope: Scope) -> Json:
    """Let a connection call again what it could before it loaded a skill. It stays for days: a turn does not.

    raises  Refused in a turn, where nothing widens what a skill has narrowed.
    """
    if not scope.connection:
        raise Refused("a skill stays active until its turn ends", hint="give the name of a skill")
    ended, scope.skill = scope.skill, ""
    if ended:
        scope.allowed, scope.active = scope.ground, ()
    return {"skill": None, "ended": ended or None, "tools": None if scope.allowed is None else list(scope.allowed)}


def activate_skill(scope: Scope, loaded: skills.Loaded, *, by_user: bool) -> None:
    """Put a skill in force: from here on the scope may call what it could and the skill lists, and the skill's tools.

    by_user  the user named it: what it says it writes is then asked for.
    """
    may = (*loaded.skill.allowed, *ALWAYS)
    if not scope.active:
        scope.ground = scope.allowed
    scope.skill = loaded.skill.name
    scope.active = tuple(dict.fromkeys((*scope.active, loaded.skill.name)))
    scope.allowed = tuple(dict.fromkeys(may)) if scope.allowed is None else _intersect_patterns(scope.allowed, may)
    if loaded.skill.name not in scope.loaded:
        scope.loaded.append(loaded.skill.name)
    if by_user:
        opened = {area for name, area in OPENS.items() if _is_covered(name, loaded.skill.declared or ())}
        if _is_covered("memory.write", loaded.skill.declared or ()):
            opened |= set(OPENS.values())
        scope.granted = scope.granted | opened


def _intersect_patterns(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return patterns for what both of two lists of patterns allow."""
    narrow = [a for a in one if _is_covered(a, other)] + [b for b in other if _is_covered(b, one)]
    return tuple(dict.fromkeys(narrow))


def _is_covered(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a name, or all that an `organ.*` pattern stands for, is in a list of patterns."""
    return any(
        name == each or each == "*" or (each.endswith(".*") and name.startswith(each[:-1]) and "*" not in name[:-1])
        for each in patterns
    )


@tool("skills.check", READ, seconds=120)
def check_skill_rules(
    scope: Scope,
    name: Annotated[str, "a skill; default: the one in force, else all with rules"] = "",
    symbol: Annotated[str | None, "default: the bars of the last market.ohlcv"] = None,
) -> Json:
    """Check the bars against the rules, patterns and red flags of a skill: what fires comes with what follows from it,
    its weight and its source; `for_you_to_judge` are conditions in words, which bars alone cannot decide.
    """
    names = _skills_to_check(scope, name)
    market = bars_of(scope, symbol) if symbol or any(skills.needs_bars(scope.ws, each) for each in names) else None
    fired, failed, quiet, words = [], [], 0, []
    for each in names:
        mark = {"skill": each} if len(names) > 1 else {}
        for finding in skills.check(scope.ws, each, market.bars, scope.notify, scope.lang) if market else ():
            if finding.problem is not None:
                failed.append({**mark, "id": finding.id, "problem": str(finding.problem)[:200]})
            elif finding.fired:
                fired.append({**mark, **_describe_finding(finding), "condition": finding.condition})
            else:
                quiet += 1
        words += [
            {**mark, **_describe_finding(finding), "if": finding.condition} for finding in _find_texts(scope, each)
        ]
    told: Json = {
        "skills": names,
        **({**describe_window(market), "date": market.bars.date[-1], "bars": len(market.bars.date)} if market else {}),
        "fired": fired[:MAX_FINDINGS],
        "not_fired": quiet,
    }
    told |= {"simulated": True} if market and market.simulated else {}
    told |= {"more_fired": len(fired) - MAX_FINDINGS} if len(fired) > MAX_FINDINGS else {}
    told |= {"failed": failed[:MAX_TEXTS]} if failed else {}
    told |= _describe_problems(scope, names)
    return told | ({"for_you_to_judge": words[:MAX_TEXTS]} if words else {})


def _find_texts(scope: Scope, name: str) -> list[skills.RuleFinding]:
    """Return the conditions in words: all of them, but for a model that follows phases only those for its question.

    Patterns belong to the scan and come all; of tier 2 and 3 as many come as a question may bring.
    """
    found = skills.texts(scope.ws, name, scope.lang)
    if scope.actor in ("user", gate.RULES) or not load_phases(scope.ws, skills.find(scope.ws, name)).phases:
        return found
    fitting = {each.id for each in rule_search.find_rules(scope.ws, name, scope.asked, scope.lang)}
    return [each for each in found if each.tier == 1 or each.kind == "pattern" or each.id in fitting]


def _describe_problems(scope: Scope, names: list[str]) -> Json:
    """Return what of the knowledge and tools of skills cannot be used: the skill, the file, and why."""
    found: list[tuple[str, Message | IaError]] = [
        (name, each) for name in names for each in skills.knowledge(scope.ws, name).problems
    ]
    found += [(name, each) for name in names for each in load_phases(scope.ws, skills.find(scope.ws, name)).problems]
    found += [
        (name, problem)
        for name in names
        if (problem := load_tools(scope.ws, skills.find(scope.ws, name)).problem) is not None
    ]
    for name in names:
        try:
            forms.load_forms(scope.ws, skills.find(scope.ws, name))
        except IaError as exc:
            found.append((name, exc))
    told = [{"skill": name, "problem": Voice(scope.lang).say(each)[:200]} for name, each in found[:MAX_TEXTS]]
    return {"problems": told} if told else {}


def _skills_to_check(scope: Scope, name: str) -> list[str]:
    """Return the names of the skills to check against: the one named, the one in force, or all that know something.

    raises  NotFound; Refused for one that is disabled.
    """
    from ia.faculties.skills.registry import usable

    wanted = name or scope.skill
    if wanted:
        return [usable(scope.ws, wanted).name]
    found = []
    for skill in skills.list_skills(scope.ws):
        if skill.enabled and skill.problem is None and (skill.model_invocable or scope.actor == "user"):
            known = skills.knowledge(scope.ws, skill.name)
            found += [skill.name] if known.patterns or known.red_flags or known.rules else []
    if not found:
        raise NotFound("no installed skill has rules", hint="install skills with `ia skill install`")
    return found


@tool("skills.install", CONFIRM, seconds=180)
def propose_skill_install(
    scope: Scope,
    source: Annotated[str, "an https address of a git repository; ssh, a folder or .zip only where the user named it"],
    because: Annotated[str, "why the user would want it"],
    name: Annotated[str, "which skill, where the source has several"] = "",
) -> Mapping[str, object]:
    """Propose to install a skill. The user sees its tools and files, and decides. An address that the user did not name
    is fetched when the user has approved that.
    """
    from ia.faculties.packages import sources
    from ia.faculties.skills import installing

    gate.choose_write_mode(scope, "skills", confirm=True)
    source = source.strip()
    far = sources.is_remote(source) and not source.lower().startswith("file:")
    if scope.actor != "user" and not _names_source(source, split_words(scope.asked)[0]):
        if not far or any(origin != scope.own for origin in scope.origins):
            raise Refused(
                "{source}: a model can only install from a source that the user named",
                source=sources.hide_password(source)[:200],
                hint="ask the user to name it, or to type: ia skill install SOURCE",
            )
        sources.check_suggested(source)
        told = propose_content(scope, proposals.FETCH, source, json.dumps({"source": source, "name": name}), because)
        return {**told, "hint": f"nothing was fetched; it {told['hint']}"}
    require_proposal_room(scope)
    if scope.tainted:
        because = f"[untrusted: {', '.join(scope.origins)}] {untrusted.fold_text(because)}"
    proposal = installing.propose(
        scope.ws, source, name, because=because, origin=gate.proposal_origin(scope), actor=scope.actor
    )
    if proposal.id not in scope.pending:
        scope.pending.append(proposal.id)
    return describe_proposal(proposal.id, proposal.path)


def _names_source(source: str, asked: str) -> bool:
    """Whether the user's words name a source: whole, and no dot of a sentence or beginning of another address."""
    whole = rf"(?<![A-Za-z0-9._~/-]){re.escape(source)}(?!/?\.?[A-Za-z0-9_-])"
    return any(char.isalnum() for char in source) and re.search(whole, asked) is not None


def _describe_finding(finding: skills.RuleFinding) -> Json:
    return {
        "id": finding.id,
        "kind": finding.kind,
        "tier": finding.tier,
        "text": finding.text,
        **({"fact": finding.fact} if finding.fact else {}),
        "confidence": finding.confidence,
        **({"stance": finding.stance} if finding.stance != "neutral" else {}),
        **({"trend": finding.trend} if finding.trend else {}),
        **({"source": finding.source} if finding.source else {}),
    }
