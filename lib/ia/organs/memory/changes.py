"""What changed in the workspace's texts, and the way back."""

from typing import NamedTuple

from ia.kernel import clock, proposals
from ia.kernel.errors import NotFound
from ia.kernel.proposals import Proposal
from ia.kernel.workspace import Revision, Workspace
from ia.organs.memory import change_rules, writing

_AREAS = ("notebook/", "memory/", "knowledge/", "tasks/")
_INSTALLED = (".claude/skills/", ".claude/providers/")


class FileChange(NamedTuple):
    """A change of a file: time as a UTC stamp; change is made, changed, removed or undone."""

    id: int
    time: str
    path: str
    actor: str
    change: str
    why: str


def path_of(ws: Workspace, path: str) -> str:
    """Return the path of a file that has a history: memory/… (or without), notebook/…, soul.md, a skill's."""
    if path.startswith(_INSTALLED):
        ws.resolve(path)
        return path
    if path.startswith(_AREAS):
        below, inside = path.split("/", 1)
        ws.resolve(inside, below=below)
        return path if path.endswith(".md") or ws.history(path) else path + ".md"
    return change_rules.path_of(ws, path)


def list_changes(ws: Workspace, path: str | None, limit: int) -> list[FileChange]:
    """Return the newest changes of a file, or of all files, newest first, not later than now().

    raises  NotFound for a file that is not there and never was.
    """
    if path is not None:
        target = path_of(ws, path)
        revisions = ws.history(target)
        if not revisions and ws.read(target) is None:
            raise NotFound(
                "{path}: no such file", path=target, hint="`ia memory list` and `ia note list` list all files"
            )
        return [_make_change(revision) for revision in revisions[:limit]]
    rows = ws.db.execute(
        f"SELECT {', '.join(Revision._fields)} FROM revisions WHERE time <= ? ORDER BY id DESC LIMIT ?",
        (clock.utc_stamp(clock.now()), limit),
    )
    return [_make_change(Revision._make(row)) for row in rows]


class Undo(NamedTuple):
    """What an undo would do: the file, its text now and after, and whether it is a proposal (preferences, soul)."""

    path: str
    revision: int
    before: str
    after: str
    proposed: bool


def find_undo(ws: Workspace, path: str | None) -> Undo:
    """Return what undo_change() would take back. Raises what it raises."""
    target = path_of(ws, path) if path is not None else _last_changed_path(ws)
    revision = ws.find_undoable(target)
    proposed = target.casefold() in (change_rules.SOUL, change_rules.PREFERENCES)
    before = ws.read(target) or ""
    return Undo(path=target, revision=revision.id, before=before, after=revision.before or "", proposed=proposed)


def undo_change(ws: Workspace, path: str | None) -> list[str] | Proposal:
    """Take back the last change of a file, or of whatever changed last, and return the paths that were written.

    For preferences and soul it is a proposal: they change only with a person's consent. Beliefs are logged here too.
    raises  NotFound where there is nothing to undo; Refused where the file was edited by hand since.
    """
    target = path_of(ws, path) if path is not None else _last_changed_path(ws)
    if target.casefold() in (change_rules.SOUL, change_rules.PREFERENCES):
        revisions = ws.history(target)
        if not revisions or revisions[0].before is None:
            raise NotFound("{path}: nothing to undo", path=target)
        kind = "soul" if target == change_rules.SOUL else "preferences"
        return proposals.propose(ws, kind, target, revisions[0].before, because="undo")
    with ws.unit_of_work():
        logged = writing.log_belief_undo(ws) if target.casefold() == change_rules.BELIEFS else []
        ws.undo(target)
    return [*logged, target]


def _last_changed_path(ws: Workspace) -> str:
    row = ws.db.execute(
        "SELECT path FROM revisions WHERE time <= ? ORDER BY id DESC LIMIT 1",
        (clock.utc_stamp(clock.now()),),
    ).fetchone()
    if row is None:
        raise NotFound("nothing to undo: nothing has been written yet")
    return str(row[0])


def _make_change(revision: Revision) -> FileChange:
    if revision.undoes is not None:
        kind = "undone"
    elif revision.before is None:
        kind = "made"
    else:
        kind = "removed" if revision.after_sha is None else "changed"
    return FileChange(
        id=revision.id, time=revision.time, path=revision.path, actor=revision.actor, change=kind, why=revision.why
    )
