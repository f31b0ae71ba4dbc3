"""Read a report that is filed, as it was written: what came later is not in it."""

from datetime import timedelta

from ia.agent.analyst.ask.filed_words import FiledReport
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines

_SPAN = {"daily": 0, "weekly": 6, "monthly": 31}
"""Days by which a report may be dated after a day that it is about."""
_MOST = 60
"""Lines of a report that are told."""


def read_report(desk: ToolDesk, wish: FiledReport) -> Work[Reply]:
    """Answer with the filed report of a day; where there is none, say which ones there are."""
    speak = desk.speak
    listed = yield from desk.one("notebook.list", directory=f"reports/{wish.kind}")
    paths = sorted(str(row.get("path") or "") for row in wording.rows_of(listed, "notes")) if listed.ok else []
    until = f"{wish.last + timedelta(days=_SPAN[wish.kind])}"
    near = [path for path in paths if f"{wish.first}" <= path.rpartition("/")[2][:10] <= until]
    near.sort(key=lambda path: (path.endswith("-asked.md"), path))  # that of the task first
    if not near:
        lines = [speak("No report of {day} is filed in `notebook/reports/{kind}/`.", day=wish.first, kind=wish.kind)]
        if paths:
            newest = speak.join_items([path.rpartition("/")[2].removesuffix(".md") for path in paths[-5:]])
            lines.append(speak("The newest there are: {names}.", names=newest))
        return reply_of_lines(*lines, speak("“review {day}” makes one now, by what is known today.", day=wish.first))
    (text,) = yield from desk.run(DeskCall("notebook.read", {"path": near[0]}))
    if text.failure is not None:
        return wording.unreadable(desk, f"`{near[0]}`", text.failure)
    body = str(text.value).strip().splitlines()
    path = near[0] if near[0].startswith("notebook/") else f"notebook/{near[0]}"
    more = [f"… `{path}`"] if len(body) > _MOST else []
    return reply_of_lines(speak("As it was filed, `{path}`:", path=path), "", *body[:_MOST], *more)
