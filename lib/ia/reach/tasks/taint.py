"""What a pipeline wrote after it had shown text from outside is untrusted too: it becomes trusted by no detour.

A new note is marked, with the proposal to trust it. Into what is trusted already, or into the memory, such text may not
go while nobody looks: the run is refused, and what it wrote is taken back by whoever asked.
"""

from collections.abc import Sequence

from ia.faculties.taskbook.run_store import TaskRun
from ia.kernel import proposals, untrusted
from ia.kernel.errors import Refused
from ia.kernel.workspace import Workspace
from ia.reach.tasks import rollback

INDEX = "memory/MEMORY.md"


def mark_written_untrusted(ws: Workspace, run: TaskRun, origins: Sequence[str]) -> list[int]:
    """Mark the new notes that a run wrote as untrusted, and return the numbers of the proposals to trust them.

    raises  Refused where it wrote into anything else.
    """
    written = [path for path in rollback.written_paths(ws, run) if path != INDEX]
    plain = {path: text for path in written if (text := ws.read_present(path)) and untrusted.origin_of(text) is None}
    for path in plain:
        if not path.startswith("notebook/") or not _is_new_file(ws, run, path):
            raise Refused(
                "{path} may contain text from outside ({origins})",
                path=path,
                origins=", ".join(origins),
                hint="let the task write to its own new note, or accept the untrusted note: `ia pending`",
            )
    return [_mark_untrusted(ws, run, path, text, origins) for path, text in plain.items()]


def _is_new_file(ws: Workspace, run: TaskRun, path: str) -> bool:
    sql = "SELECT before FROM revisions WHERE run = ? AND path = ? AND id > ? ORDER BY id LIMIT 1"
    row = ws.db.execute(sql, (run.id, path, run.data.get("revision", 0))).fetchone()
    return row is not None and row[0] is None


def _mark_untrusted(ws: Workspace, run: TaskRun, path: str, text: str, origins: Sequence[str]) -> int:
    actor = f"task {run.name}"
    text = untrusted.sanitize_text(text, list(origins))
    with ws.lock():
        ws.write(path, text, actor=actor, event="note.untrusted", origins=list(origins))
        because = f"[untrusted: {', '.join(origins)}] {actor}"
        origin = proposals.ProposalOrigin(origins=tuple(origins))
        return proposals.propose(
            ws, proposals.TRUST, path, proposals.trust_text(text), because=because, origin=origin, actor=actor
        ).id
