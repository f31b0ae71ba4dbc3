"""memory.* and soul.propose: what is in the head. Each kind of memory changes by its own rule, through the gate."""

from typing import TYPE_CHECKING, Annotated

from ia.agent.tools import gate, gated_writes
from ia.agent.tools.registry import CONFIRM, READ, WRITE, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel import clock, untrusted
from ia.kernel.errors import NotFound, Refused, UsageError
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.memory import change_rules, contents, watch_list, writing

if TYPE_CHECKING:
    from ia.organs.recall.search import Hit

MAX_HITS = 20
NOTES = "notes/"

Because = Annotated[str, "the reason; beliefs need one"]


@tool("memory.read", READ)
def read_memory(
    scope: Scope, path: Annotated[str, "beliefs, tracking, preferences, soul, MEMORY, observations/… …"]
) -> str:
    """Read a file of the memory; `MEMORY` is the table of contents of everything, `soul` is soul.md."""
    target = change_rules.path_of(scope.ws, path)
    text = contents.render_index(scope.ws) if target == contents.PATH else scope.ws.read(target)
    if text is None:
        raise NotFound("{path}: no such memory file", path=target, hint="memory.list lists the entries")
    return gated_writes.fence_if_untrusted(scope, text)


@tool("memory.list", READ)
def list_memories(scope: Scope) -> list[Json]:
    """List the files of the memory: path, time (UTC), headline."""
    return [entry._asdict() for entry in contents.list_memory(scope.ws)]


@tool("memory.recall", READ)
def recall_passages(
    scope: Scope,
    query: Annotated[str, "words or a question"],
    limit: Annotated[int, AtLeast(1)] = 5,
    since: Annotated[str | None, "2024-03-15, 30d …: only what is as new"] = None,
) -> list[Json]:
    """Search notes, memories, reasons of trades and questions of earlier sessions, best first: source, date, score,
    passage, kind and author (owner: the user's own words; ia: a model or the program; outside: the user's library).
    """
    from ia.wiring.searchable_records import recall_everything

    limit = max(1, min(limit, MAX_HITS))
    hits = recall_everything(scope.ws, query, limit=limit + 1, since=since or None, notify=scope.notify)
    hits = [hit for hit in hits if hit.source != f"sessions/{scope.session}"][:limit]  # what is being asked right now
    return [{**hit._asdict(), "content": fence_hit(scope, hit)} for hit in hits]


def fence_hit(scope: Scope, hit: "Hit") -> str:
    """Return the passage of a hit as a model may see it.

    Questions and reasons that the user typed are the user's, and so is a trade that the user approved, unless whoever
    proposed it had read text from outside.
    """
    if hit.kind == "question":  # those that came with data from outside are not indexed
        return hit.content
    if hit.kind != "trade":
        return gated_writes.fence_passage(scope, hit.source, hit.content)
    from ia.organs.ledger.journal import get_entry

    entry = get_entry(scope.ws.db, int(hit.source.rpartition("/")[2]))
    if (entry.actor == "user" and entry.key is None) or _is_approved(scope, entry.key or ""):
        return hit.content
    origin = f"ia: {hit.source}"
    scope.taint(origin)
    return untrusted.fence_text(hit.content, origin)


def _is_approved(scope: Scope, key: str) -> bool:
    """Return True for the key of an entry that the user approved and that nothing from outside led to."""
    from ia.kernel import proposals

    kind, _, number = key.partition(":")
    if kind != "proposal" or not number.isdecimal():
        return False
    return not proposals.get_proposal(scope.ws, int(number)).origin.origins


@tool("memory.write", WRITE)
def write_memory(
    scope: Scope,
    path: Annotated[str, "tracking, beliefs, preferences, soul, observations/…, reflections/…, journal/…"],
    content: Annotated[str, "the whole file"],
    because: Because = "",
) -> gated_writes.WriteResult:
    """Replace a file of the memory; preferences and the soul only become a proposal. To add a line use
    memory.believe, observe, reflect, track, prefer or soul.propose.
    """
    target = change_rules.path_of(scope.ws, path)
    kind = change_rules.change_rule(target)
    text = gated_writes.clean_text(scope, content)
    if kind == change_rules.CONSENT:
        return _propose_content(scope, target, text, because)
    if kind == change_rules.REASONED:
        _require_reason(because)
    return gated_writes.write_or_propose(
        scope,
        gated_writes.area_of(target),
        lambda ws: _as_path_list(writing.write_memory(ws, target, text, because=because, actor=scope.actor)),
        kind="belief" if kind == change_rules.REASONED else "memory",
        because=because,
    )


@tool("memory.log", WRITE)
def add_journal_entry(scope: Scope, content: Annotated[str, "one entry"]) -> gated_writes.WriteResult:
    """Add an entry with the time to today's journal."""
    text = gated_writes.clean_text(scope, content)
    return gated_writes.write_or_propose(scope, "journal", lambda ws: writing.log_journal(ws, text, actor=scope.actor))


@tool("memory.note", WRITE)
def write_topic_note(
    scope: Scope,
    key: Annotated[str, "market_regime, position_600519, playbook"],
    content: Annotated[str, "the whole note"],
) -> gated_writes.WriteResult:
    """Write the note of a topic, notebook/notes/KEY.md. `playbook` and `position_…` of what is held come with every
    turn.
    """
    from ia.organs import notebook

    if "/" in key:
        raise UsageError(
            "{key!r} is not a valid key; give one name without a slash",
            key=key[:80],
            hint="to write to a path, use notebook.write",
        )
    target = notebook.path_of(scope.ws, NOTES + key)
    text = gated_writes.clean_text(scope, content)
    return gated_writes.write_or_propose(
        scope, gated_writes.area_of(target), lambda ws: notebook.write_note(ws, target, text, actor=scope.actor)
    )


@tool("memory.observe", WRITE)
def add_observation(
    scope: Scope,
    topic: Annotated[str, "a name or a code"],
    content: Annotated[str, "what, with its figures"],
) -> gated_writes.WriteResult:
    """Add an observation to observations/DATE-TOPIC.md: a fact or a judgment of today."""
    text, about = gated_writes.clean_text(scope, content), gated_writes.clean_text(scope, topic)

    def write_observation(ws: Workspace) -> list[str]:
        if not scope.tainted or scope.actor == "user":
            return writing.add_observation(ws, about, text, actor=scope.actor)
        draft = gated_writes.UntrustedDraft(scope.ws)
        path = writing.add_observation(draft, about, text)[-1]
        before = scope.ws.read(path)
        if before is not None and untrusted.origin_of(before) is None:  # what is trusted stays as it is
            path = gated_writes.free_untrusted_path(scope.ws, path)
            stem = path.removeprefix(f"{change_rules.OBSERVATIONS}/{clock.today()}-").removesuffix(".md")
            path = writing.add_observation(draft, stem, text)[-1]
        ws.write(path, draft.texts[path])
        return [path]

    return gated_writes.write_or_propose(scope, "observations", write_observation)


@tool("memory.believe", WRITE)
def add_belief(
    scope: Scope,
    text: Annotated[str, "the belief, one sentence"],
    because: Annotated[str, "the reason: evidence, not a mood"],
    replaces: Annotated[str, "words of the one it replaces"] = "",
    by: Annotated[str, "YYYY-MM-DD by which it comes true, if it has a date; reaching a price once is enough"] = "",
    on: Annotated[str, "instead of by: YYYY-MM-DD whose close decides"] = "",
    check: Annotated[
        str, "what prices decide: '300750 >= 200', '300750 reaches 200', '300750 up 10%', '300750 beats 000300.SH'"
    ] = "",
) -> gated_writes.WriteResult:
    """Add a belief, or put it in the place of another; before, now and why are logged. One with a date is a prediction:
    stored prices decide its check, else the user does (memory.judge).
    """
    _require_reason(because)
    if by and on:
        raise UsageError("give `by` or `on`, not both")
    belief, why = gated_writes.clean_text(scope, text), gated_writes.clean_text(scope, because)
    due = None
    if by or on or check:
        from ia.wiring.belief_outcomes import plan_due

        due = plan_due(scope.ws, by or on, once=not on, check=check)
    return gated_writes.write_or_propose(
        scope,
        "beliefs",
        lambda ws: writing.add_belief(ws, belief, because=why, replaces=replaces, due=due, actor=scope.actor),
        kind="belief",
        because=because,
    )


@tool("memory.beliefs", READ)
def list_beliefs(
    scope: Scope,
    about: Annotated[str, "a security or words; default: all"] = "",
    due: Annotated[bool, "only those that are due and wait for the user's verdict"] = False,
) -> Json:
    """List beliefs, their dates and what became of them: right, wrong, open, due (the user decides: ask), undated.
    `score` counts all of them. Stored prices decide a check: `close` of `close_date`, `moved_pct` since it was written.
    """
    from ia.wiring.belief_outcomes import count_states, judge_beliefs, select_beliefs

    if untrusted.origin_of(scope.ws.read(change_rules.BELIEFS) or "") is not None:
        raise Refused("{path} holds text from outside", path=change_rules.BELIEFS, hint="memory.read shows it")
    judged = judge_beliefs(scope.ws)
    chosen = select_beliefs(judged, about=about, due=due)
    return {"beliefs": [each.document() for each in chosen], "score": count_states(judged)}


@tool("memory.judge", WRITE)
def judge_belief(
    scope: Scope,
    belief: Annotated[str, "words of the belief, as they stand there"],
    right: Annotated[bool, "how it turned out, as the user says"],
    because: Annotated[str, "why, in a sentence"] = "",
) -> gated_writes.WriteResult:
    """Write down how a belief turned out where the user says so; prices decide those with a check by themselves."""
    why = gated_writes.clean_text(scope, because)
    return gated_writes.write_or_propose(
        scope,
        "beliefs",
        lambda ws: writing.judge_belief(ws, belief, right=right, because=why, actor=scope.actor),
        kind="belief",
        because=because,
    )


@tool("memory.reflect", WRITE)
def add_reflection(
    scope: Scope,
    content: Annotated[str, "what was learned, what to do otherwise"],
    period: Annotated[str, "W11, 03, Q1 or 2024-W11; default: this month"] = "",
) -> gated_writes.WriteResult:
    """Add a reflection to reflections/PERIOD.md: a lesson, or what the user coached."""
    text = gated_writes.clean_text(scope, content)
    return gated_writes.write_or_propose(
        scope, "reflections", lambda ws: writing.add_reflection(ws, text, period=period, actor=scope.actor)
    )


@tool("memory.track", WRITE)
def add_to_watch_list(
    scope: Scope,
    symbol: Annotated[str, "a code, a name or a topic; several securities apart by commas"],
    why: Annotated[str, "what is waited for; default: the reason that it has stays"] = "",
    group: Annotated[str | None, "the group it belongs in, or is moved to; default: the one it is in"] = None,
) -> gated_writes.WriteResult:
    """Put securities or a topic on the watch list, give them a new reason, or move them to another group."""
    from ia.wiring.security_mentions import identify_security, split_securities

    text, reason = gated_writes.clean_text(scope, symbol), gated_writes.clean_text(scope, why)
    place = None if group is None else gated_writes.clean_text(scope, group)

    def track_all(ws: Workspace) -> list[str]:
        for each in split_securities(text) or [text]:
            item, code, *names = identify_security(each)
            watch_list.track_item(ws, item, reason, code=code, names=names, group=place, actor=scope.actor)
        return [change_rules.TRACKING]

    return gated_writes.write_or_propose(scope, "tracking", track_all, because=why)


@tool("memory.untrack", WRITE)
def remove_from_watch_list(
    scope: Scope, symbol: Annotated[str, "a code, a name or a topic; several securities apart by commas"]
) -> gated_writes.WriteResult:
    """Take securities or a topic off the watch list."""
    from ia.wiring.security_mentions import identify_security, split_securities

    def untrack_all(ws: Workspace) -> list[str]:
        for each in split_securities(symbol) or [symbol]:
            item, code, *names = identify_security(each)
            watch_list.untrack_item(ws, item, code=code, names=names, actor=scope.actor)
        return [change_rules.TRACKING]

    return gated_writes.write_or_propose(scope, "tracking", untrack_all)


@tool("memory.prefer", CONFIRM)
def propose_preference(
    scope: Scope,
    text: Annotated[str, "the user's preference, one sentence"],
    because: Annotated[str, "why it is proposed: shown to the user"] = "",
) -> gated_writes.WriteResult:
    """Propose a preference of the user: style of investing or of answers, attitude to risk. The user decides."""
    preference = " ".join(gated_writes.clean_text(scope, text).split())
    if not preference:
        raise UsageError("nothing to propose: the text is empty")
    lines = (scope.ws.read(change_rules.PREFERENCES) or "# Preferences\n").rstrip().splitlines()
    lines += [""] if lines[-1].startswith("#") else []
    return _propose_content(scope, change_rules.PREFERENCES, "\n".join([*lines, f"- {preference}"]) + "\n", because)


@tool("soul.propose", CONFIRM)
def propose_soul_line(
    scope: Scope,
    add: Annotated[str, "one line to add"],
    because: Annotated[str, "the reason"],
    section: Annotated[str, "a heading of soul.md; default: the last"] = "",
) -> gated_writes.WriteResult:
    """Propose one more line of soul.md, under one of its headings. The user decides."""
    line = " ".join(gated_writes.clean_text(scope, add).split()).lstrip("#-* ")
    if not line:
        raise UsageError("nothing to propose: the text is empty")
    head = " ".join(gated_writes.clean_text(scope, section).split()).lstrip("# ")
    before = scope.ws.read(change_rules.SOUL) or ""
    return _propose_content(scope, change_rules.SOUL, insert_soul_line(before, line, head), because)


def insert_soul_line(soul: str, line: str, section: str = "") -> str:
    """Return a soul with one more line at the end of a section; the section is made where there is none of that name.

    >>> insert_soul_line("# 我是谁\\n助手\\n\\n# 我的边界\\n- 不下单\\n", "看资金面", "我是谁")
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


def _propose_content(scope: Scope, path: str, text: str, because: str) -> gated_writes.WriteResult:
    """Propose a new content of soul.md or preferences.md."""
    area = gated_writes.area_of(path)
    gate.choose_write_mode(scope, area, confirm=True)
    if not text.strip():
        raise UsageError("nothing to propose: the text is empty")
    return gated_writes.propose_content(scope, area, path, text if text.endswith("\n") else text + "\n", because)


def _require_reason(because: str) -> None:
    if not because.strip():
        raise UsageError("a belief needs a reason", hint="give the reason as `because`")


def _as_path_list(found: object) -> list[str]:
    assert isinstance(found, list)  # the other outcome is a proposal, which only what needs consent becomes
    return found
