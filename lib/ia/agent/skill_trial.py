"""Play a skill through: its tools, what its rules find in the library, and one conversation."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ia.agent.tools.catalog import build_router
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.agent.turns.turn import take_turn
from ia.faculties import skills
from ia.faculties.rulebooks.entries import Entry, load_entries, load_sources
from ia.faculties.rulebooks.quotes import fold_quote
from ia.faculties.skills import Skill
from ia.faculties.skills.conditions import expression
from ia.faculties.skills.expertise import of as knowledge_of
from ia.faculties.skills.skill_tools import load_tools
from ia.kernel.errors import IaError, Message, Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.recall.passages import search_passages

PASS, FAIL, SKIPPED = "pass", "fail", "skipped"
TOP = 5
"""Passages among which the source of a rule must be."""
MOST_SEARCHED = 60
_ORDINARY = {"date": "2024-03-15", "time": "12:00", "date-time": "2024-03-15T12:00:00+08:00"}


class TrialRow(NamedTuple):
    """What one part of a trial came to. part: file, tool, retrieval or conversation; result: PASS, FAIL or SKIPPED."""

    part: str
    name: str
    result: str
    detail: Message | IaError


def try_skill(
    ws: Workspace, skill: Skill, *, model: str | None = None, message: str = "", notify: Notify = drop_message
) -> Iterator[TrialRow]:
    """Yield what a skill's files, tools, sources and one conversation come to.

    message  what the user says in the conversation (default: the first condition in words, else its first trigger)
    """
    router = build_router(ws)
    known = knowledge_of(ws, skill)
    yield from (TrialRow("file", skill.name, FAIL, problem) for problem in known.problems)
    yield from _try_tools(ws, router, skill)
    yield from _try_steps(ws, router, skill)
    entries = [each for each in load_entries(ws, skill) if each.document and each.quote]
    yield from _try_retrieval(ws, skill, entries)
    said = (each.condition for each in load_entries(ws, skill) if each.condition and not expression(each.condition))
    words = message or next(said, "") or next(iter(skill.triggers), "")
    yield _hold_conversation(ws, skill, words, model, notify)


def _try_tools(ws: Workspace, router: Router, skill: Skill) -> Iterator[TrialRow]:
    """Yield what came of calling each tool that the skill brings."""
    found = load_tools(ws, skill)
    if found.problem is not None:
        yield TrialRow("file", "tools/tools.yaml", FAIL, found.problem)
    for tool in found.tools:
        arguments = sample_arguments(tool.parameters)
        if arguments is None or tool.form or tool.kind in ("collect", "flow"):
            yield TrialRow("tool", tool.name, SKIPPED, Message("needs arguments that only a user has"))
            continue
        scope = Scope(ws, session=f"trial-{skill.name}")
        scope.active = (skill.name,)
        outcome = router.call_tool(scope, tool.name, arguments)
        if outcome.ok:
            yield TrialRow("tool", tool.name, PASS, Message("called with {arguments}", arguments=str(arguments)[:80]))
        else:
            yield TrialRow("tool", tool.name, FAIL, outcome.failure or Message("failed"))


def sample_arguments(schema: Json) -> Json | None:
    """Return arguments that fit a schema: examples, defaults, choices, bounds; None where it needs others.

    >>> sample_arguments({"properties": {"n": {"type": "integer", "minimum": 2}, "x": {}}, "required": ["n"]})
    {'n': 2}
    """
    made: Json = {}
    properties = schema.get("properties") or {}
    for name in schema.get("required") or ():
        value = _sample_value(properties.get(name) or {})
        if value is None:
            return None
        made[name] = value
    return made


def _sample_value(schema: Json) -> Any:
    if schema.get("examples"):
        return schema["examples"][0]
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    choices = schema.get("enum") or [each.get("const") for each in schema.get("oneOf") or () if isinstance(each, dict)]
    if choices:
        return choices[0]
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "boolean":
        return False
    return _ORDINARY.get(schema.get("format", "")) if kind == "string" else None


def _try_steps(ws: Workspace, router: Router, skill: Skill) -> Iterator[TrialRow]:
    """Yield the tools that the procedure names and that are missing, or not allowed."""
    known = {each.name for each in router.tools.values()}
    for each in load_entries(ws, skill):
        tool = str(each.fields.get("tool") or "")
        if tool and tool not in known:
            yield TrialRow("tool", tool, FAIL, Message("step {id} names an unknown tool", id=each.id))


def _try_retrieval(ws: Workspace, skill: Skill, entries: list[Entry]) -> Iterator[TrialRow]:
    """Yield whether the words of each entry find the page that it cites among the first TOP passages."""
    if not entries:
        yield TrialRow("retrieval", skill.name, SKIPPED, Message("no entry cites a document"))
        return
    sources = load_sources(ws, skill)
    found = 0
    asked = entries[:MOST_SEARCHED]
    for each in asked:
        if _finds_source(ws, each, sources):
            found += 1
        else:
            yield TrialRow("retrieval", each.id, FAIL, Message("its words do not find its source"))
    detail = Message("{found} of {count} sources found", found=found, count=len(asked))
    yield TrialRow("retrieval", skill.name, PASS if found == len(asked) else FAIL, detail)


def _finds_source(ws: Workspace, entry: Entry, sources: dict[str, Json]) -> bool:
    title = str(sources.get(entry.document, {}).get("title") or "")
    quote = fold_quote(entry.quote.split(" … ")[0])[0]
    try:
        passages = search_passages(ws, f"{entry.said} {title}", limit=TOP)
    except IaError:
        return False
    return any(
        _shares(fold_quote(each.text)[0], quote) or _is_page(each.page, entry, each.title, title) for each in passages
    )


def _shares(text: str, quote: str) -> bool:
    return bool(quote) and (quote in text or quote[: max(len(quote) // 2, 8)] in text)


def _is_page(page: int, entry: Entry, found: str, title: str) -> bool:
    return bool(page) and page == entry.page and found == title


def _hold_conversation(ws: Workspace, skill: Skill, words: str, model: str | None, notify: Notify) -> TrialRow:
    """Return what one turn with the skill came to."""
    try:
        turn = take_turn(ws, f"/{skill.name} {words}".strip(), model=model, notify=notify)
    except IaError as exc:
        return TrialRow("conversation", words[:60], FAIL, exc)
    failed = [call.name for call in turn.calls if not call.ok]
    if not turn.reply.strip():
        return TrialRow("conversation", words[:60], FAIL, Message("the answer is empty"))
    if not turn.calls:
        detail = Message("the answer needed no tool, which shows nothing: give a MESSAGE that does")
        return TrialRow("conversation", words[:60], SKIPPED, detail)
    detail = Message(
        "{model}: {calls} calls, {failed} failed: {names}; session {session}",
        model=turn.model,
        calls=len(turn.calls),
        failed=len(failed),
        names=", ".join(failed) or "–",
        session=turn.session,
    )
    return TrialRow("conversation", words[:60], FAIL if len(failed) == len(turn.calls) else PASS, detail)


def has_failed(rows: list[TrialRow]) -> bool:
    """Return True if a part of a trial failed."""
    return any(each.result == FAIL for each in rows)


def find_skill(ws: Workspace, name: str) -> Skill:
    """Return a skill that can be called; raises NotFound, Refused."""
    from ia.faculties.skills.registry import usable

    return usable(ws, skills.find(ws, name).name)
