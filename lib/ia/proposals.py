"""Proposals: changes that wait for a person. The soul and the preferences change in no other way.

`propose` is for everybody, `approve` and `reject` are a person's: only the command line calls them, after it has asked
at a terminal or was given --yes. They must never be registered as a tool, and they take no default for who decides.
"""

from typing import NamedTuple

from ia import audit, clock, store
from ia.errors import BadData, NotFound, Refused
from ia.workspace import Workspace

PENDING, APPROVED, REJECTED = "pending", "approved", "rejected"


class Proposal(NamedTuple):
    """A change to one file: what it was made from (`before`, None: no file), and what is to be. Times are UTC."""

    id: int
    time: str
    kind: str
    path: str
    before: str | None
    after: str
    because: str
    origin: str
    actor: str
    state: str
    decided: str | None
    decided_by: str | None


_SELECT = (
    "SELECT id, time, kind, path, before, after, because, origin, actor, state, decided, decided_by FROM proposals"
)


def propose(
    ws: Workspace, kind: str, path: str, after: str, *, because: str = "", origin: str = "", actor: str = "user"
) -> Proposal:
    """Record a change that a person is to decide on. Nothing else happens to the file.

    kind    what it is about: soul, preferences. origin: where it came from (a session, a turn).
    raises  BadData where it would change nothing.
    """
    with ws.lock():
        before = ws.read(path)
        if before == after:
            raise BadData("{path}: the proposal changes nothing", path=path)
        with store.transaction(ws.db):
            cursor = ws.db.execute(
                "INSERT INTO proposals (time, kind, path, before, after, because, origin, actor, state)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (clock.stamp(clock.now()), kind, path, before, after, because, origin, actor, PENDING),
            )
            number = cursor.lastrowid or 0
            audit.record(ws.db, "proposal.made", path, actor, proposal=number, change=kind, because=because)
    return get(ws, number)


def pending(ws: Workspace) -> list[Proposal]:
    """Return the undecided proposals as of now(), oldest first."""
    rows = ws.db.execute(
        f"{_SELECT} WHERE time <= :now AND (state = :state OR decided > :now) ORDER BY id",
        {"now": clock.stamp(clock.now()), "state": PENDING},
    )
    return [Proposal(*row) for row in rows]


def get(ws: Workspace, number: int) -> Proposal:
    """Return one proposal.

    raises  NotFound.
    """
    row = ws.db.execute(f"{_SELECT} WHERE id = ? AND time <= ?", (number, clock.stamp(clock.now()))).fetchone()
    if row is None:
        raise NotFound("there is no proposal {number}", number=number, hint="`ia pending` lists them")
    return Proposal(*row)


def outcome(ws: Workspace, proposal: Proposal) -> tuple[str, str]:
    """Return (the file as it is, the file as it would be). Where the file changed since, the change is carried over.

    raises  Refused where both changed the same lines.
    """
    current = ws.read(proposal.path)
    if current == proposal.before:
        return current or "", proposal.after
    merged = carried_over(proposal.before or "", proposal.after, current or "")
    if merged is None:
        raise Refused(
            "proposal {number} is out of date: {path} has changed since", number=proposal.id, path=proposal.path,
            hint="reject it with `ia reject {number}`, and propose it again",
        )  # fmt: skip
    return current or "", merged


def approve(ws: Workspace, number: int, *, by: str) -> Proposal:
    """Carry out a proposal. A person's act: no tool that a model can call may reach it.

    by      who decided, and how: `user at a terminal`, `user with --yes`.
    raises  NotFound; Refused where it is decided already, or out of date.
    """
    with ws.lock():
        proposal = undecided(ws, number)
        _, after = outcome(ws, proposal)
        ws.write(
            proposal.path, after, actor=proposal.actor, why=proposal.because,
            event=f"{proposal.kind}.change", proposal=number,
        )  # fmt: skip
        return _decide(ws, proposal, APPROVED, by, "")


def reject(ws: Workspace, number: int, *, by: str, because: str = "") -> Proposal:
    """Drop a proposal. A person's act.

    raises  NotFound; Refused where it is decided already.
    """
    with ws.lock():
        return _decide(ws, undecided(ws, number), REJECTED, by, because)


def difference(before: str, after: str, path: str) -> str:
    """Return a unified diff."""
    from difflib import unified_diff

    lines = unified_diff(before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm="")
    return "".join(line + "\n" for line in lines)


def carried_over(base: str, after: str, current: str) -> str | None:
    """Return `current` with the lines changed that differ between base and after; None where both changed the same.

    Lines that both added at one place are kept, those of `current` first, and only once where they begin alike.
    """
    from difflib import SequenceMatcher

    old, new, now = (text.splitlines(keepends=True) for text in (base, after, current))

    def changes(to: list[str]) -> list[tuple[int, int, list[str]]]:
        """Return (from, to, lines): which lines of the base are replaced by what."""
        codes = SequenceMatcher(None, old, to, autojunk=False).get_opcodes()
        return [(a, b, to[x:y]) for kind, a, b, x, y in codes if kind != "equal"]

    merged = changes(now)
    for a, b, lines in changes(new):
        for c, d, theirs in list(merged):
            if a == b == c == d:
                same = 0
                while same < min(len(lines), len(theirs)) and lines[same] == theirs[same]:
                    same += 1
                lines = lines[same:]
            elif a <= d and c <= b:
                return None
        merged.append((a, b, lines))
    out: list[str] = []
    at = 0
    for a, b, lines in sorted(merged, key=lambda change: change[:2]):  # stable: the current file's lines come first
        out += old[at:a]
        if out and lines and not out[-1].endswith("\n"):
            out[-1] += "\n"
        out += lines
        at = b
    return "".join([*out, *old[at:]])


def undecided(ws: Workspace, number: int) -> Proposal:
    """Return a proposal that waits for a decision.

    raises  NotFound; Refused where it is decided already.
    """
    proposal = get(ws, number)
    if proposal.state != PENDING:
        raise Refused("proposal {number} is decided already: {state}", number=number, state=proposal.state)
    return proposal


def _decide(ws: Workspace, proposal: Proposal, state: str, by: str, because: str) -> Proposal:
    with store.transaction(ws.db):
        ws.db.execute(
            "UPDATE proposals SET state = ?, decided = ?, decided_by = ? WHERE id = ?",
            (state, clock.stamp(clock.now()), by, proposal.id),
        )
        audit.record(ws.db, f"proposal.{state}", proposal.path, "user", proposal=proposal.id, by=by, because=because)
    return get(ws, proposal.id)
