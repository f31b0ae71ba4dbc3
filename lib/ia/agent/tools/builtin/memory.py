"""memory.* and soul.propose: what is in the head. Each kind of memory changes by its own rule, through the gate."""

from typing import Annotated, Any

from ia.agent.tools import gate, writes
from ia.agent.tools.registry import CONFIRM, READ, WRITE, tool
from ia.agent.tools.scope import Scope
from ia.kernel import clock, outside
from ia.kernel.errors import NotFound, UsageError
from ia.kernel.workspace import Workspace
from ia.organs.memory import index, rules, writing

MAX_HITS = 20
NOTES = "notes/"

Because = Annotated[str, "the reason; beliefs need one"]


@tool("memory.read", READ)
def read(scope: Scope, path: Annotated[str, "beliefs, tracking, preferences, soul, MEMORY, observations/… …"]) -> str:
    """Read a file of the memory; `MEMORY` is the table of contents of everything, `soul` is soul.md."""
    target = rules.path_of(scope.ws, path)
    text = index.text(scope.ws) if target == index.PATH else scope.ws.read(target)
    if text is None:
        raise NotFound("{path}: no such memory", path=target, hint="memory.list shows what there is")
    return writes.readable(scope, text)


@tool("memory.list", READ)
def list_(scope: Scope) -> list[dict[str, Any]]:
    """List the files of the memory: path, time (UTC), headline."""
    return [entry._asdict() for entry in index.listed(scope.ws)]


@tool("memory.recall", READ)
def recall(
    scope: Scope,
    query: Annotated[str, "words or a question"],
    limit: int = 5,
    since: Annotated[str | None, "2024-03-15, 30d …: only what is as new"] = None,
) -> list[dict[str, Any]]:
    """Search all notes and memories, best first: source, date, score and the passage that fits."""
    from ia.organs.recall.search import recall as found

    hits = found(scope.ws, query, limit=max(1, min(limit, MAX_HITS)), since=since or None, notify=scope.notify)
    return [{**hit._asdict(), "content": writes.passage(scope, hit.source, hit.content)} for hit in hits]


@tool("memory.write", WRITE)
def write(
    scope: Scope,
    path: Annotated[str, "tracking, beliefs, preferences, soul, observations/…, reflections/…, journal/…"],
    content: Annotated[str, "the whole file"],
    because: Because = "",
) -> dict[str, Any]:
    """Replace a file of the memory; preferences and the soul only become a proposal. To add a line use
    memory.believe, observe, reflect, track, prefer or soul.propose.
    """
    target = rules.path_of(scope.ws, path)
    kind = rules.rule(target)
    text = writes.clean(scope, content)
    if kind == rules.CONSENT:
        return _consent(scope, target, text, because)
    if kind == rules.REASONED:
        _reasoned(because)
    return writes.written(
        scope, writes.area_of(target),
        lambda ws: _paths(writing.write(ws, target, text, because=because, actor=scope.actor)),
        kind="belief" if kind == rules.REASONED else "memory", because=because,
    )  # fmt: skip


@tool("memory.log", WRITE)
def log(scope: Scope, content: Annotated[str, "one entry"]) -> dict[str, Any]:
    """Add an entry with the time to today's journal."""
    text = writes.clean(scope, content)
    return writes.written(scope, "journal", lambda ws: writing.log(ws, text, actor=scope.actor))


@tool("memory.note", WRITE)
def note(
    scope: Scope,
    key: Annotated[str, "market_regime, position_600519, playbook"],
    content: Annotated[str, "the whole note"],
) -> dict[str, Any]:
    """Write the note of a topic, notebook/notes/KEY.md. `playbook` and `position_…` of what is held come with every
    turn.
    """
    from ia.organs import notebook

    if "/" in key:
        raise UsageError("{key!r}: a key is one name", key=key[:80], hint="for a path use notebook.write")
    target = notebook.path_of(scope.ws, NOTES + key)
    text = writes.clean(scope, content)
    return writes.written(
        scope, writes.area_of(target), lambda ws: notebook.write(ws, target, text, actor=scope.actor)
    )  # fmt: skip


@tool("memory.observe", WRITE)
def observe(
    scope: Scope,
    topic: Annotated[str, "a name or a code"],
    content: Annotated[str, "what, with its figures"],
) -> dict[str, Any]:
    """Add an observation to observations/DATE-TOPIC.md: a fact or a judgment of today."""
    text, about = writes.clean(scope, content), writes.clean(scope, topic)

    def observed(ws: Workspace) -> list[str]:
        if not scope.tainted or scope.actor == "user":
            return writing.observe(ws, about, text, actor=scope.actor)
        draft = writes.Draft(scope.ws)
        path = writing.observe(draft, about, text)[-1]
        before = scope.ws.read(path)
        if before is not None and outside.origin_of(before) is None:  # what is trusted stays as it is
            path = writes.beside(scope.ws, path)
            stem = path.removeprefix(f"{rules.OBSERVATIONS}/{clock.today()}-").removesuffix(".md")
            path = writing.observe(draft, stem, text)[-1]
        ws.write(path, draft.texts[path])
        return [path]

    return writes.written(scope, "observations", observed)


@tool("memory.believe", WRITE)
def believe(
    scope: Scope,
    text: Annotated[str, "the belief, one sentence"],
    because: Annotated[str, "the reason: evidence, not a mood"],
    replaces: Annotated[str, "words of the one it replaces"] = "",
) -> dict[str, Any]:
    """Add a belief, or put it in the place of another; before, now and why are logged."""
    _reasoned(because)
    belief, why = writes.clean(scope, text), writes.clean(scope, because)
    return writes.written(
        scope, "beliefs",
        lambda ws: writing.believe(ws, belief, because=why, replaces=replaces, actor=scope.actor),
        kind="belief", because=because,
    )  # fmt: skip


@tool("memory.reflect", WRITE)
def reflect(
    scope: Scope,
    content: Annotated[str, "what was learned, what to do otherwise"],
    period: Annotated[str, "W11, 03, Q1 or 2024-W11; default: this month"] = "",
) -> dict[str, Any]:
    """Add a reflection to reflections/PERIOD.md: a lesson, or what the user coached."""
    text = writes.clean(scope, content)
    return writes.written(
        scope, "reflections", lambda ws: writing.reflect(ws, text, period=period, actor=scope.actor)
    )  # fmt: skip


@tool("memory.track", WRITE)
def track(
    scope: Scope,
    symbol: Annotated[str, "a code, a name or a topic; several securities apart by commas"],
    why: Annotated[str, "what is waited for"] = "",
) -> dict[str, Any]:
    """Put a security or a topic on the watch list."""
    from ia.wiring.mentions import identify_security, split_securities

    text, reason = writes.clean(scope, symbol), writes.clean(scope, why)

    def track_all(ws: Workspace) -> list[str]:
        for each in split_securities(text) or [text]:
            item, code, *names = identify_security(each)
            paths = writing.track(ws, item, reason, code=code, names=names, actor=scope.actor)
        return paths

    return writes.written(scope, "tracking", track_all, because=why)


@tool("memory.untrack", WRITE)
def untrack(scope: Scope, symbol: Annotated[str, "a code, a name or a topic"]) -> dict[str, Any]:
    """Take a security or a topic off the watch list."""
    from ia.wiring.mentions import identify_security

    item, code, *names = identify_security(symbol)
    return writes.written(
        scope, "tracking", lambda ws: writing.untrack(ws, item, code=code, names=names, actor=scope.actor)
    )  # fmt: skip


@tool("memory.prefer", CONFIRM)
def prefer(
    scope: Scope,
    text: Annotated[str, "the user's preference, one sentence"],
    because: Because = "",
) -> dict[str, Any]:
    """Propose a preference of the user: style of investing or of answers, attitude to risk. The user decides."""
    preference = " ".join(writes.clean(scope, text).split())
    if not preference:
        raise UsageError("nothing to propose: the text is empty")
    lines = (scope.ws.read(rules.PREFERENCES) or "# Preferences\n").rstrip().splitlines()
    lines += [""] if lines[-1].startswith("#") else []
    return _consent(scope, rules.PREFERENCES, "\n".join([*lines, f"- {preference}"]) + "\n", because)


@tool("soul.propose", CONFIRM)
def propose(
    scope: Scope,
    add: Annotated[str, "one line to add"],
    because: Annotated[str, "the reason"],
    section: Annotated[str, "a heading of soul.md; default: the last"] = "",
) -> dict[str, Any]:
    """Propose one more line of soul.md, under one of its headings. The user decides."""
    line = " ".join(writes.clean(scope, add).split()).lstrip("#-* ")
    if not line:
        raise UsageError("nothing to propose: the text is empty")
    head = " ".join(writes.clean(scope, section).split()).lstrip("# ")
    before = scope.ws.read(rules.SOUL) or ""
    return _consent(scope, rules.SOUL, added(before, line, head), because)


def added(soul: str, line: str, section: str = "") -> str:
    """Return a soul with one more line at the end of a section; the section is made where there is none of that name.

    >>> added("# 我是谁\\n助手\\n\\n# 我的边界\\n- 不下单\\n", "看资金面", "我是谁")
    '# 我是谁\\n助手\\n- 看资金面\\n\\n# 我的边界\\n- 不下单\\n'
    """
    lines = soul.rstrip().splitlines()
    heads = [at for at, text in enumerate(lines) if text.startswith("#")]
    wanted = section.casefold()
    here = [at for at in heads if wanted and wanted in lines[at].casefold()]
    if wanted and not here:
        return "\n".join([*lines, *([""] if lines else []), f"# {section}", f"- {line}"]) + "\n"
    start = here[0] if here else heads[-1] if heads else -1
    end = next((at for at in heads if at > start), len(lines))
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], f"- {line}", *lines[end:]]) + "\n"


def _consent(scope: Scope, path: str, text: str, because: str) -> dict[str, Any]:
    """Propose a new content of soul.md or preferences.md."""
    area = writes.area_of(path)
    gate.way(scope, area, confirm=True)
    if not text.strip():
        raise UsageError("nothing to propose: the text is empty")
    return writes.proposed(scope, area, path, text if text.endswith("\n") else text + "\n", because)


def _reasoned(because: str) -> None:
    if not because.strip():
        raise UsageError("a belief needs its reason", hint="give it as `because`")


def _paths(found: Any) -> list[str]:
    assert isinstance(found, list)  # the other outcome is a proposal, which only what needs consent becomes
    return found
