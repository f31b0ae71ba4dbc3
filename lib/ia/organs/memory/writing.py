"""Writing into the memory, each kind by its rule.

Journal, observations and reflections are free, and so is the watch list (`watch_list`). A belief changes with its
reason, and what was believed before, what now and why goes into the reflections. Preferences and the soul only ever
become a proposal. Every function returns the paths that it wrote, in the order in which it wrote them; times in texts
are the user's.
"""

import re
from datetime import date

from ia.kernel import clock, config, proposals
from ia.kernel.errors import BadData, NotFound, Refused, UsageError
from ia.kernel.i18n import Voice
from ia.kernel.proposals import BY_USER, Proposal, ProposalOrigin
from ia.kernel.workspace import Workspace, text_digest
from ia.organs.memory import change_rules
from ia.organs.memory.beliefs import RIGHT, WRONG, Belief, DueDate, parse_belief


def write_memory(
    ws: Workspace, path: str, text: str, *, because: str = "", actor: str = "user"
) -> list[str] | Proposal:
    """Replace a memory file by its rule: free, with a reason (beliefs), or as a proposal (preferences, soul).

    raises  UsageError where beliefs change without a reason; Refused for MEMORY.md and what leaves memory/.
    """
    target = change_rules.path_of(ws, path)
    kind = change_rules.change_rule(target)
    if kind == change_rules.CONSENT:
        return propose_content(ws, target, text, because=because, actor=actor)
    if kind == change_rules.REASONED:
        with ws.unit_of_work():
            return _change_beliefs(ws, _require_text(text), because, actor)
    ws.write(target, _require_text(text), actor=actor, why=because, event="memory.write")
    return [target]


def log_journal(ws: Workspace, text: str, *, actor: str = "user") -> list[str]:
    """Add `[HH:MM] text` to the journal of today."""
    return [
        _append_text(
            ws, f"{change_rules.JOURNAL}/{clock.today()}.md", f"# {clock.today()}\n", _stamp_text(text), actor, "log"
        )
    ]


def add_observation(ws: Workspace, topic: str, text: str, *, actor: str = "user") -> list[str]:
    """Add an observation to observations/YYYY-MM-DD-topic.md."""
    slug = re.sub(r"[^\w.]+", "-", topic).strip("-.").lower()
    if not slug:
        raise UsageError("{topic!r}: a topic must contain letters or digits", topic=topic)
    path = f"{change_rules.OBSERVATIONS}/{clock.today()}-{slug}.md"
    return [_append_text(ws, path, f"# {' '.join(topic.split())}\n", _stamp_text(text), actor, "observe")]


def add_reflection(ws: Workspace, text: str, *, period: str = "", actor: str = "user") -> list[str]:
    """Add a reflection to reflections/YYYY-period.md. The period is the month (`11`) if none is given (`W47`, `Q4`)."""
    return [_append_reflection(ws, _require_text(text), period, actor)]


def add_belief(
    ws: Workspace, text: str, *, because: str, replaces: str = "", due: DueDate | None = None, actor: str = "user"
) -> list[str]:
    """Add a belief, or put it in the place of the one that contains `replaces`, and log before, now and why.

    raises  UsageError without a reason; NotFound where `replaces` fits no belief; BadData where it fits several.
    """
    said = " ".join(text.split())
    if not said:
        raise BadData("nothing to write: the text is empty")
    with ws.unit_of_work():
        lines = _read_list(ws, change_rules.BELIEFS, "# Beliefs")
        line = Belief(said, clock.today() if due else "", due).line
        if replaces:
            lines[_find_belief(lines, replaces)] = line
        elif parse_belief(line).text in [parse_belief(each).text for each in lines]:
            raise BadData("{text}: already a belief", text=said)
        else:
            lines.append(line)
        return _change_beliefs(ws, "\n".join(lines) + "\n", because, actor)


def judge_belief(ws: Workspace, part: str, *, right: bool, because: str = "", actor: str = "user") -> list[str]:
    """Write down how a belief turned out, in its line, and log it.

    raises  NotFound where `part` fits no belief; BadData where it fits several.
    """
    with ws.unit_of_work():
        lines = _read_list(ws, change_rules.BELIEFS, "# Beliefs")
        at = _find_belief(lines, part)
        verdict = RIGHT if right else WRONG
        why = _say_in_file("it turned out right") if right else _say_in_file("it turned out wrong")
        lines[at] = parse_belief(lines[at])._replace(verdict=verdict, judged=clock.today()).line
        return _change_beliefs(ws, "\n".join(lines) + "\n", because or why, actor)


def propose_preference(
    ws: Workspace, text: str, *, because: str = "", actor: str = "user", origin: ProposalOrigin = BY_USER
) -> Proposal:
    """Propose a preference: one more line of preferences.md."""
    preference = " ".join(text.split())
    if not preference:
        raise BadData("nothing to write: the text is empty")
    lines = [*_read_list(ws, change_rules.PREFERENCES, "# Preferences"), f"- {preference}"]
    return propose_content(
        ws, change_rules.PREFERENCES, "\n".join(lines) + "\n", because=because, actor=actor, origin=origin
    )


def propose_content(
    ws: Workspace, path: str, text: str, *, because: str = "", actor: str = "user", origin: ProposalOrigin = BY_USER
) -> Proposal:
    """Propose a new content of preferences.md or soul.md. A person decides."""
    if change_rules.change_rule(path) != change_rules.CONSENT:
        raise Refused("{path} does not need a proposal; write it directly", path=path)
    kind = "soul" if path == change_rules.SOUL else "preferences"
    return proposals.propose(ws, kind, path, _require_text(text), because=because, actor=actor, origin=origin)


def edit_soul(ws: Workspace, text: str, *, because: str = "") -> None:
    """Replace soul.md at once: a person did it, in an editor. No tool that a model can call may reach it."""
    ws.write(
        change_rules.SOUL, _require_text(text), actor="user", why=because, event="soul.change", by="user in an editor"
    )


def _say_in_file(template: str, **fields: str) -> str:
    """Return a text for a file of the user, in the user's language."""
    return Voice(config.locale_lang())(template, **fields)


def _change_beliefs(ws: Workspace, after: str, because: str, actor: str) -> list[str]:
    """Change beliefs.md and log it, in one step."""
    why = " ".join(because.split())
    if not why:
        raise UsageError("a belief needs a reason", hint="add --because WHY")
    before = ws.read(change_rules.BELIEFS) or ""
    if before == after:
        raise BadData("{path}: no changes", path=change_rules.BELIEFS)
    ws.refuse_later(change_rules.BELIEFS)
    logged = [
        *_log_manual_edit(ws, before, actor),
        _append_reflection(ws, _format_change(before, after, why), "", actor),
    ]
    ws.write(change_rules.BELIEFS, after, actor=actor, why=why, event="belief.change")
    return [*dict.fromkeys(logged), change_rules.BELIEFS]


def log_consent(ws: Workspace, before: str, after: str, because: str, actor: str) -> list[str]:
    """Log a change of beliefs.md that a person is about to approve: before, now and the reason it was proposed with."""
    why = " ".join(because.split()) or _say_in_file("the user approved it")
    return [
        *dict.fromkeys(
            [
                *_log_manual_edit(ws, before, actor),
                _append_reflection(ws, _format_change(before, after, why), "", actor),
            ]
        )
    ]


def log_belief_undo(ws: Workspace, actor: str = "user") -> list[str]:
    """Log that the last change of beliefs.md is about to be undone; raises what `Workspace.undo` raises."""
    undone = ws.find_undoable(change_rules.BELIEFS)
    why = (
        _say_in_file("undone; it was believed because: {reason}", reason=undone.why)
        if undone.why
        else _say_in_file("undone")
    )
    entry = _format_change(ws.read(change_rules.BELIEFS) or "", undone.before or "", why)
    return [_append_reflection(ws, entry, "", actor)]


def _log_manual_edit(ws: Workspace, current: str, actor: str) -> list[str]:
    """Log what a person changed in beliefs.md with an editor since ia last wrote it: the reason is theirs to add."""
    revisions = ws.history(change_rules.BELIEFS)
    if not revisions or revisions[0].after_sha == text_digest(current):
        return []
    return [_append_reflection(ws, _say_in_file("beliefs.md was edited by hand.") + "\n", "", actor)]


def _format_change(before: str, after: str, why: str) -> str:
    """Return the entry of a reflection: before, now, because."""
    old, new = ([line for line in text.splitlines() if line.strip()] for text in (before, after))
    gone = [line for line in old if line not in new and not line.startswith("#")]
    come = [line for line in new if line not in old and not line.startswith("#")]

    def join_lines(lines: list[str]) -> str:
        return "; ".join(line.lstrip("-* ") for line in lines) or _say_in_file("(nothing)")

    return "\n".join(
        [
            _say_in_file("Belief"),
            _say_in_file("- before: {beliefs}", beliefs=join_lines(gone)),
            _say_in_file("- now: {beliefs}", beliefs=join_lines(come)),
            _say_in_file("- because: {reason}", reason=why),
            "",
        ]
    )


def _append_reflection(ws: Workspace, text: str, period: str, actor: str) -> str:
    name = period_of(period)
    now = clock.now()
    head, _, rest = text.partition("\n")
    title = f"## {now:%Y-%m-%d %H:%M}"
    if head.startswith("## "):  # the text has a heading of its own: one is enough
        title += " " + head.removeprefix("## ").removeprefix(f"{now:%Y-%m-%d}").strip()
        text = rest.strip("\n") + "\n"
    entry = f"{title.rstrip()}\n\n{text}"
    return _append_text(ws, f"{change_rules.REFLECTIONS}/{name}.md", f"# {name}\n", "\n" + entry, actor, "reflect")


def period_of(text: str) -> str:
    """Return the name of a period: `2024`, `2024-03`, `2024-W11`, `2024-Q1`; without a year it is now()'s.

    raises  UsageError for what is no month, week or quarter.
    """
    now = clock.now()
    found = re.fullmatch(r"(?:(\d{4})(?:-|$))?(?:(\d\d?)|W(\d\d?)|(Q[1-4]))?", text.strip() or f"{now:%m}", re.I)
    year, month, week, quarter = found.groups() if found else ("", "", "", "")
    year = year or f"{now:%Y}"
    try:
        if month:
            return f"{year}-{date(int(year), int(month), 1):%m}"
        if week:
            date.fromisocalendar(int(year), int(week), 1)
            return f"{year}-W{int(week):02d}"
        if found and not text.strip().endswith("-"):
            return f"{year}-{quarter.upper()}" if quarter else year
    except ValueError:
        pass
    raise UsageError("{period!r} is not a valid period; write 03, W11, Q1 or 2024-W11", period=text)


def _append_text(ws: Workspace, path: str, head: str, text: str, actor: str, verb: str) -> str:
    with ws.lock():
        before = ws.read(path)
        start = head + "\n" if before is None else before if before.endswith("\n") or not before else before + "\n"
        added = text.lstrip("\n") if start.endswith("\n\n") else text
        ws.write(path, start + added, actor=actor, event=f"memory.{verb}")
    return path


def _stamp_text(text: str) -> str:
    return f"[{clock.now().strftime('%H:%M')}] {_require_text(text).strip()}\n"


def _require_text(text: str) -> str:
    if not text.strip():
        raise BadData("nothing to write: the text is empty")
    return text if text.endswith("\n") else text + "\n"


def _read_list(ws: Workspace, path: str, title: str) -> list[str]:
    """Return a list file's lines, or a new one's head."""
    lines = (ws.read(path) or "").rstrip().splitlines() or [title]
    return [*lines, ""] if lines[-1].startswith("#") else lines


def _find_belief(lines: list[str], part: str) -> int:
    """Return which belief contains a text."""
    fitting = [at for at, line in enumerate(lines) if line.lstrip().startswith(("-", "*")) and part in line]
    if not fitting:
        raise NotFound("no belief contains {part!r}", part=part, hint="`ia memory read beliefs` shows all beliefs")
    if len(fitting) > 1:
        raise BadData("{count} beliefs contain {part!r}", count=len(fitting), part=part, hint="give more of its text")
    return fitting[0]
