"""Taking a run back: what a run that died (or is to be tried again) did to the workspace is undone, and nothing else.

A run's writes are the revisions that carry its number. What somebody else wrote into the same files since stays: the
run's own lines are taken out again; where both touched the same lines the file is left as it is, and told.
Doing it again, or being killed in the middle, changes nothing more.
"""

from typing import NamedTuple

from ia.faculties.taskbook.run_store import TaskRun
from ia.kernel import audit, proposals
from ia.kernel.errors import IaError, Message, Notify, drop_message
from ia.kernel.workspace import Workspace, WriteCause, text_digest


def attempt_marks(ws: Workspace) -> dict[str, int]:
    """Return what is there when an attempt begins: only what comes after it can be the attempt's."""
    rows = ws.db.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM revisions), (SELECT coalesce(max(id), 0) FROM proposals),"
        " (SELECT coalesce(max(id), 0) FROM messages)"
    ).fetchone()
    return dict(zip(("revision", "proposal", "message"), rows, strict=True))


def roll_back_run(ws: Workspace, run: TaskRun, notify: Notify = drop_message) -> list[str]:
    """Undo what the present attempt of a run did, and return the paths where that could not be told apart."""
    from ia.faculties.alerts import sessions
    from ia.organs.channels import sending

    with ws.lock():
        paths = [path for (path,) in _written_rows(ws, run)]
        stuck = [path for path in paths if not _restore_file(ws, run, path)]
        for proposal in _pending_proposals(ws, run):
            proposals.reject(ws, proposal, by=f"run {run.id}", because=_rollback_reason(run))
        sending.discard_unsent(ws, run.id)
        sessions.forget_run(ws, run.id)
        if paths:
            audit.record(
                ws.db,
                "task.taken_back",
                run.name,
                "ia",
                run=run.id,
                attempt=run.attempt,
                paths=paths,
                **({"left": stuck} if stuck else {}),
            )
    for path in stuck:
        notify(Message("{path} was changed after run {run} wrote it; ia leaves it unchanged", path=path, run=run.id))
    return stuck


def written_paths(ws: Workspace, run: TaskRun) -> list[str]:
    """Return the paths that the present attempt of a run wrote, in the order in which it first did."""
    return [path for (path,) in _written_rows(ws, run)]


def text_before_attempt(ws: Workspace, run: TaskRun, path: str) -> str | None:
    """Return what stood in a file before the present attempt of a run first wrote it; None where it was not there."""
    sql = "SELECT before FROM revisions WHERE run = ? AND id > ? AND path = ? ORDER BY id LIMIT 1"
    row = ws.db.execute(sql, (run.id, run.data.get("revision", 0), path)).fetchone()
    return None if row is None else row[0]


def _written_rows(ws: Workspace, run: TaskRun) -> list[tuple[str]]:
    sql = "SELECT path FROM revisions WHERE run = ? AND id > ? GROUP BY path ORDER BY min(id)"
    return list(ws.db.execute(sql, (run.id, run.data.get("revision", 0))))


def _pending_proposals(ws: Workspace, run: TaskRun) -> list[int]:
    sql = "SELECT id FROM proposals WHERE run = ? AND id > ? AND state = 'pending' ORDER BY id"
    return [number for (number,) in ws.db.execute(sql, (run.id, run.data.get("proposal", 0)))]


def _rollback_reason(run: TaskRun) -> str:
    return f"run {run.id} taken back"


class _Change(NamedTuple):
    """A write that happened: by which run, what it replaced, what it left (its digest, and the text after it).

    takes_back  number of the run whose writes it took back
    """

    run: int | None
    takes_back: int | None
    before: str | None
    left: str | None
    after: str | None


def _restore_file(ws: Workspace, run: TaskRun, path: str) -> bool:
    try:
        present = ws.read_present(path)
    except IaError:
        return False
    wanted = present
    for change in _list_changes(ws, run, path, present):
        if change.takes_back == run.id:  # done already, by one who was killed later
            break
        if change.run != run.id or change.after is None:  # a file that somebody deleted since stays so
            continue
        if _text_digest(change.after) != change.left:  # edited by hand right after it: what it left is not known
            return False
        if wanted == change.after:
            wanted = change.before
        elif wanted is not None:
            merged = remove_change(change.after or "", change.before or "", wanted)
            if merged is None:
                return False
            wanted = merged if change.before is not None or merged.strip() else None
    if wanted != present:
        why, cause = _rollback_reason(run), WriteCause(takes_back=run.id)
        if wanted is None:
            ws.remove(path, actor="ia", why=why, event="task.undo", cause=cause, run=run.id)
        else:
            ws.write(path, wanted, actor="ia", why=why, event="task.undo", cause=cause, run=run.id)
    return True


def remove_change(after: str, before: str, current: str) -> str | None:
    """Return `current` without the change that made `after` of `before`; None where later changes overlap it.

    Lines that were added right behind or in front of the change stay: two runs append to one log.
    """
    from difflib import SequenceMatcher

    base, old, now = (text.splitlines(keepends=True) for text in (after, before, current))

    def changed_ranges(to: list[str]) -> list[tuple[int, int, list[str]]]:
        codes = SequenceMatcher(None, base, to, autojunk=False).get_opcodes()
        return [(a, b, to[x:y]) for kind, a, b, x, y in codes if kind != "equal"]

    theirs, ours = changed_ranges(now), changed_ranges(old)
    for a, b, _ in ours:
        for c, d, _ in theirs:
            inserted = c == d and (a < c < b or a == b == c)
            if inserted or (max(a, c) < min(b, d)) or (a == b and c < a < d):
                return None
    out, at = [], 0
    for a, b, lines in sorted([*theirs, *ours], key=lambda change: change[:2]):
        out += base[at:a] + lines
        at = b
    return "".join([*out, *base[at:]])


def _list_changes(ws: Workspace, run: TaskRun, path: str, present: str | None) -> list[_Change]:
    """Return the writes since the attempt began, newest first, without those that a crash prevented."""
    rows = ws.db.execute(
        "SELECT run, takes_back, before, before_sha, after_sha FROM revisions WHERE path = ? AND id > ?"
        " ORDER BY id DESC",
        (path, run.data.get("revision", 0)),
    )
    found, after = [], present
    for number, takes_back, before, before_sha, after_sha in rows:
        if _text_digest(after) == before_sha != after_sha:
            continue
        found.append(_Change(run=number, takes_back=takes_back, before=before, left=after_sha, after=after))
        after = before
    return found


def _text_digest(text: str | None) -> str | None:
    return None if text is None else text_digest(text)
