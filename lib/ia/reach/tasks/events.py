"""Events that wake a task: a file that changed, news of a company, a message that came, a call of the webhook.

An event is entered as a run that waits, under a key: the same event twice is one run, and none is lost while the task
is busy.
"""

from datetime import timedelta
from fnmatch import fnmatchcase

from ia.faculties import newsroom
from ia.faculties.taskbook import approved_tasks, run_store
from ia.faculties.taskbook.approved_tasks import Task
from ia.kernel import clock, untrusted
from ia.kernel.errors import BadData, IaError, Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace, text_digest
from ia.organs.market import news_store

MAX_CONTENT = 256_000
"""Characters of an event that reach its run."""
MAX_FILES = 5_000
"""Files that a pattern may fit."""
FILE, MESSAGE, NEWS, WEBHOOK = "file", "message", "news", "webhook"
MAX_ITEMS = 100
"""News items that one look enters; older ones of a flood are left out."""
INDEX = "memory/MEMORY.md"
"""What ia itself writes anew with every note: it wakes nobody."""
_LOOKED = "file looked at"
BLIND = timedelta(days=1)
"""How long a source of news may fail before the user is told."""
TRY_LATER = 75


def parse_event(task: Task) -> tuple[str, str] | None:
    """Return (kind, pattern) of a task that an event wakes; None for one with a schedule."""
    words = task.design.schedule.split(None, 2)
    return (words[1], words[2]) if len(words) == 3 and words[0] == "on" else None


def record_event(ws: Workspace, kind: str, name: str, key: str, content: str, sender: str = "") -> list[Task]:
    """Enter an event for each task that waits for it, and return those for whom it is new.

    name    of a webhook its name; of a message the text, in which a task's words must stand
    """
    fresh = []
    for task in approved_tasks.list_runnable(ws):
        try:
            wanted = parse_event(task)
        except IaError:
            continue
        if wanted is None or wanted[0] != kind or not _matches_event(kind, wanted[1], name):
            continue
        told = {"content": content[:MAX_CONTENT], "origin": f"{kind} {sender or name}"[:120]}
        if run_store.claim_slot(
            ws, task.id, task.name, f"{kind} {key}"[:300], kind, state=run_store.WAITING, data=told
        ):
            fresh.append(task)
    return fresh


def _matches_event(kind: str, wanted: str, name: str) -> bool:
    if kind == MESSAGE:
        said = untrusted.fold_text(name).casefold()
        return all(word in said for word in wanted.casefold().split())
    return wanted == name


def detect_file_events(ws: Workspace, task: Task) -> int:
    """Look at the files of a task: one that is new or changed is an event. The first look only remembers. How many.

    raises  TooMany.
    """
    wanted = parse_event(task)
    if wanted is None or wanted[0] != FILE:
        return 0
    first = run_store.find_by_slot(ws, task.id, _LOOKED) is None
    known = set() if first else run_store.event_slots(ws, task.id, FILE)
    fresh = 0
    for path in list_matching_files(ws, wanted[1]):
        try:
            text = ws.read(path)
        except IaError:
            continue
        slot = f"{FILE} {path} {text_digest(text or '')[:24]}"
        if text is None or slot in known or (not first and _is_written_by_task(ws, path, text)):
            continue
        data: Json = {} if first else {"content": text[:MAX_CONTENT], "origin": f"file {path}", "path": path}
        state = run_store.SEEN if first else run_store.WAITING
        fresh += (
            run_store.claim_slot(ws, task.id, task.name, slot, FILE, state=state, data=data) is not None and not first
        )
    if first:
        run_store.claim_slot(ws, task.id, task.name, _LOOKED, FILE, state=run_store.SEEN)
    return fresh


def _is_written_by_task(ws: Workspace, path: str, text: str) -> bool:
    """Whether a run wrote what stands there: what tasks write wakes no task, or two would keep each other awake."""
    row = ws.db.execute(
        "SELECT after_sha, run, actor FROM revisions WHERE path = ? ORDER BY id DESC LIMIT 1", (path,)
    ).fetchone()
    return row is not None and row[0] == text_digest(text) and (row[1] is not None or row[2] == "ia")


def refresh_news(ws: Workspace, task: Task, notify: Notify = drop_message) -> IaError | None:
    """Ask for the news that a task waits for, at most once an hour, and return why that failed; None if it did not."""
    wanted = parse_event(task)
    if wanted is None or wanted[0] != NEWS:
        return None
    symbol = wanted[1].split()[0]
    return newsroom.refresh_news(ws, [symbol], notify=notify).failures.get(symbol)


def record_news_events(ws: Workspace, task: Task, state: str = run_store.WAITING) -> int:
    """Enter each stored item of news that a task waits for and that was not entered before; return how many.

    What was known before the approval, or the last resume, is no event, and what --now may not see yet is none either.
    state   SEEN remembers the items and starts nothing
    """
    wanted = parse_event(task)
    if wanted is None or wanted[0] != NEWS:
        return 0
    symbol, _, kind = wanted[1].partition(" ")
    since = approved_tasks.active_since(ws, task)
    known, fresh = run_store.event_slots(ws, task.id, NEWS), 0
    for item in reversed(news_store.load_news(ws, [symbol], count=MAX_ITEMS, after=since, kind=kind)):
        slot = f"{NEWS} {symbol} {item['source']} {item['id']}"
        if slot not in known:
            data: Json = {"content": format_news_item(item), "origin": f"{NEWS} {symbol}", "item": item}
            data = data if state == run_store.WAITING else {}
            run = run_store.claim_slot(ws, task.id, task.name, slot, NEWS, state=state, data=data)
            fresh += run is not None
    return fresh


def format_news_item(item: Json) -> str:
    """Return an item of news as lines of `field: value`, as the turn of its run gets it."""
    fields = ("symbol", "name", *(name for name in news_store.COLUMNS if name not in ("symbol", "simulated")))
    lines = [f"{name}: {item[name]}" for name in fields if item.get(name)]
    return "\n".join([*lines, *(["simulated: true"] if item["simulated"] else [])])


def explain_blindness(ws: Workspace, task: Task, failure: IaError) -> str:
    """Return a key under which to tell that the source of news fails: it does for good, or since a day; else ""."""
    wanted = parse_event(task)
    assert wanted is not None
    asked = news_store.last_asked(ws, wanted[1].split()[0])
    last = approved_tasks.parse_stamp(max(asked, task.since))
    if failure.status == TRY_LATER and clock.now() - last < BLIND:
        return ""
    return f"news-{task.id}-blind-{asked}"


class TooMany(BadData):
    """More files fit a pattern than can be looked at."""


def list_matching_files(ws: Workspace, pattern: str) -> list[str]:
    """Return the files below the workspace that a pattern fits, without hidden ones and the index, which ia keeps.

    raises  TooMany.
    """
    from ia.kernel.workspace import walk_files

    fixed = pattern.split("*")[0].split("?")[0].split("[")[0].rpartition("/")[0]
    found = [path.removeprefix("./") for path, _ in walk_files(ws.root, fixed or ".", ("",))]
    found = [path for path in found if path != INDEX and fnmatchcase(path, pattern)]
    if len(found) > MAX_FILES:
        raise TooMany("{pattern}: more than {limit} files match", pattern=pattern, limit=MAX_FILES)
    return sorted(found)
