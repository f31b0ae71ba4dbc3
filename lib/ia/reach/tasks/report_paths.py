"""Where a run's report belongs: a place of its own, which is the run's from before its work begins.

Two tasks may keep their results in one note, and one that was caught up may fall on the day of the next: whoever comes
second gets a name of its own, and what a turn wrote over the first one's report is put back.
"""

import os
from datetime import datetime, timedelta

from ia.faculties.schedule.design import report_path
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.taskbook import run_store
from ia.faculties.taskbook.run_store import TaskRun
from ia.kernel import store
from ia.kernel.workspace import Workspace
from ia.reach.tasks import rollback


def default_report_path(design: TaskDesign, run: TaskRun) -> str:
    """Return where a run's report would lie if no other run had one there."""
    if run.slot[:1].isdigit():
        return report_path(design, datetime.fromisoformat(run.slot))
    started = datetime.fromisoformat(run.started)
    path = report_path(design, started, several=True)
    dated = path != report_path(design, started + timedelta(days=1), several=True)
    if run.slot.startswith("manual") or not dated:
        return path
    stem, dot, ending = path.rpartition(".")
    return f"{stem}-{run.id}{dot}{ending}"  # two events may come in one minute


def run_report_path(design: TaskDesign, run: TaskRun) -> str:
    """Return where a run's report belongs in the workspace."""
    return str(run.data.get("place") or default_report_path(design, run))


def reserve_report_path(ws: Workspace, design: TaskDesign, run: TaskRun) -> TaskRun:
    """Give a run that begins the place of its report, and return it; from here on no other run gets the same."""
    path = default_report_path(design, run)
    stem = path.removesuffix(".md")
    with store.transaction(ws.db):
        free = (
            each
            for each in (path, f"{stem}-{run.name}.md")
            if not is_taken_by_other_run(ws, run, each, is_dated_path(design, path))
        )
        place = next(free, f"{stem}-{run.id}.md")
        return run_store.update_run(ws, run, data={**run.data, "place": place})


def is_dated_path(design: TaskDesign, path: str) -> bool:
    """Whether each slot has a place of its own: a note without a date is one that each run of the task replaces."""
    from ia.faculties.schedule.design import output_path

    return path != output_path(design)


def is_taken_by_other_run(ws: Workspace, run: TaskRun, path: str, dated: bool) -> bool:
    """Whether the report of another run lies there, or will."""
    sql = (
        "SELECT 1 FROM runs WHERE id <> ?1 AND (?3 OR name <> ?4) AND (report = ?2 OR ("
        " (state IN ('running', 'written') OR retry_at IS NOT NULL) AND json_extract(data, '$.place') = ?2)) LIMIT 1"
    )
    return ws.db.execute(sql, (run.id, path, dated, run.name)).fetchone() is not None


def find_own_note(ws: Workspace, design: TaskDesign, run: TaskRun) -> str | None:
    """Return the note that the run itself wrote where its report belongs, None where it wrote none.

    One that it wrote over another run's report is moved to its own place, and the other one put back.
    """
    place = run_report_path(design, run)
    wrote = [path for path in rollback.written_paths(ws, run) if os.path.dirname(path) == os.path.dirname(place)]
    if place in wrote or not wrote:
        return place if wrote else None
    path = wrote[0]
    if not is_taken_by_other_run(ws, run, path, is_dated_path(design, default_report_path(design, run))):
        return path
    with ws.lock():
        text, before = ws.read(path), rollback.text_before_attempt(ws, run, path)
        if text is None or before is None:
            return path
        why = f"the report of run {run.id} has a place of its own"
        ws.write(place, text, actor=f"task {run.name}", why=why, event="note.write")
        ws.write(path, before, actor=f"task {run.name}", why=why, event="note.write")
    return place
