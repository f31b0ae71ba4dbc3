"""What a pipeline wrote after it had shown text from outside is untrusted too: it becomes trusted by no detour.

A new note is marked, with the proposal to trust it. Into what is trusted already, or into the memory, such text may not
go while nobody looks: the run is refused, and what it wrote is taken back by whoever asked.
"""

from collections.abc import Sequence

from ia.kernel import outside, proposals
from ia.kernel.errors import Refused
from ia.kernel.workspace import Workspace
from ia.reach.tasks import taking_back
from ia.reach.tasks.runs import Run

INDEX = "memory/MEMORY.md"


def contained(ws: Workspace, run: Run, origins: Sequence[str]) -> list[int]:
    """Mark the new notes that a run wrote as untrusted, and return the numbers of the proposals to trust them.

    raises  Refused where it wrote into anything else.
    """
    written = [path for path in taking_back.written(ws, run) if path != INDEX]
    plain = {path: text for path in written if (text := ws.read_present(path)) and outside.origin_of(text) is None}
    for path in plain:
        if not path.startswith("notebook/") or not _new(ws, run, path):
            raise Refused(
                "{path}: text from outside ({origins}) may have come into it", path=path, origins=", ".join(origins),
                hint="let the task write to a note of its own, or accept the untrusted note: `ia pending`",
            )  # fmt: skip
    return [_marked(ws, run, path, text, origins) for path, text in plain.items()]


def _new(ws: Workspace, run: Run, path: str) -> bool:
    sql = "SELECT before FROM revisions WHERE run = ? AND path = ? AND id > ? ORDER BY id LIMIT 1"
    row = ws.db.execute(sql, (run.id, path, run.data.get("revision", 0))).fetchone()
    return row is not None and row[0] is None


def _marked(ws: Workspace, run: Run, path: str, text: str, origins: Sequence[str]) -> int:
    actor = f"task {run.name}"
    text = outside.untrusted(text, list(origins))
    with ws.lock():
        ws.write(path, text, actor=actor, event="note.untrusted", origins=list(origins))
        because = f"[untrusted: {', '.join(origins)}] {actor}"
        return proposals.propose(
            ws, proposals.TRUST, path, proposals.trusted(text), because=because, origin=f"run {run.id}", actor=actor
        ).id
