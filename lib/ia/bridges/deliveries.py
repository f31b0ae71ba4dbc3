"""What came in through a webhook: kept before the sender is told so, handled once, in the order in which it came.

A row of the table `received` waits until the runs of its tasks are over. Whoever is killed before that leaves it
waiting, and the next `handle` goes on with it; a run that was begun is the business of `ia.tasks.running`, which runs
an event of one id only once.
"""

import contextlib
import fcntl
import functools
import os
from collections.abc import Iterator
from typing import NamedTuple

from ia import audit, clock, store
from ia.errors import IaError, Message, Notify, TryLater, silent
from ia.workspace import Workspace

CHANNEL = "webhook"
MAX_WAITING = 500
"""Events that may wait: more than that is not taken."""

ACCEPTED, REPEATED, UNKNOWN, FULL, LOST = "accepted", "already received", "unknown", "full", "lost"
"""What became of an event that came in; lost: it could not be kept."""
WAITING, HANDLED, FAILED = "waiting", "handled", "failed"
"""States of a row."""


class Event(NamedTuple):
    """A signed request: for the tasks `on webhook NAME`, with the sender's id for it, the peer's address, its body."""

    name: str
    id: str
    sender: str
    content: str

    @property
    def key(self) -> str:
        """Return what it is known by: two names may be told of the same delivery."""
        return f"{self.name} {self.id}"


def keep(ws: Workspace, events: list[Event]) -> list[str]:
    """Keep events that somebody listens to, and return of each what became of it. Durable when it returns.

    raises  TryLater where the database is locked or the disk full: nothing was kept.
    """
    names = listened(ws)
    with store.translated("ia.db"), store.transaction(ws.db):
        room = MAX_WAITING - waiting(ws)
        found = []
        for event in events:
            became = _kept(ws, event, names, room)
            room -= became == ACCEPTED
            found.append(became)
    return found


def _kept(ws: Workspace, event: Event, names: frozenset[str], room: int) -> str:
    if ws.db.execute("SELECT 1 FROM received WHERE channel = ? AND key = ?", (CHANNEL, event.key)).fetchone():
        return REPEATED
    if event.name not in names:
        audit.record(ws.db, "webhook.unknown", event.name, actor=CHANNEL, id=event.id, sender=event.sender)
        return UNKNOWN
    if room <= 0:
        return FULL
    wall = clock.stamp(clock.wall())
    time = clock.stamp(clock.now()) if clock.simulated() else wall
    row = (time, None if time == wall else wall, CHANNEL, event.key, event.sender, event.content, WAITING)
    ws.db.execute(
        "INSERT INTO received (time, wall, channel, key, sender, content, state) VALUES (?, ?, ?, ?, ?, ?, ?)", row
    )
    audit.record(
        ws.db, "webhook.received", event.name, actor=CHANNEL, id=event.id, sender=event.sender,
        characters=len(event.content),
    )  # fmt: skip
    return ACCEPTED


def waiting(ws: Workspace) -> int:
    """Return how many events wait to be handled."""
    sql = "SELECT count(*) FROM received WHERE state = ? AND channel = ?"
    return int(ws.db.execute(sql, (WAITING, CHANNEL)).fetchone()[0])


def handle(ws: Workspace, notify: Notify = silent) -> int:
    """Run the tasks of all events that wait, one after another, and return how many events were handled.

    An event whose tasks cannot be run is failed, and told; a lock that is held, or a model that is not to be reached,
    leaves it waiting. Two processes take turns.

    raises  TryLater.
    """
    from ia.tasks import running

    handled = 0
    with _turn(ws.root):
        while row := _oldest(ws):
            number, event = row
            try:
                running.event(ws, CHANNEL, event.name, key=event.id, content=event.content, sender=event.sender)
            except TryLater:
                raise
            except IaError as exc:
                notify(Message("webhook {name}: {error}", name=event.name, error=exc))
                _done(ws, number, FAILED, str(exc))
            else:
                _done(ws, number, HANDLED)
                handled += 1
    return handled


def _oldest(ws: Workspace) -> tuple[int, Event] | None:
    sql = "SELECT id, key, sender, content FROM received WHERE state = ? AND channel = ? ORDER BY id LIMIT 1"
    row = ws.db.execute(sql, (WAITING, CHANNEL)).fetchone()
    if row is None:
        return None
    name, _, id = row[1].partition(" ")
    return row[0], Event(name, id, row[2], row[3])


def _done(ws: Workspace, number: int, state: str, reply: str | None = None) -> None:
    with store.translated("ia.db"):
        ws.db.execute("UPDATE received SET state = ?, reply = ? WHERE id = ?", (state, reply, number))


@contextlib.contextmanager
def _turn(root: str) -> Iterator[None]:
    """Wait for the process that is handling events, if any, and be the one that does."""
    fd = os.open(os.path.join(root, ".ia", "webhook.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def listened(ws: Workspace) -> frozenset[str]:
    """Return the names that a task listens to which is approved and runs: `on webhook NAME`."""
    from ia.tasks import book

    return frozenset(filter(None, (_name_of(task.text, task.name) for task in book.runnable(ws))))


@functools.lru_cache(1024)
def _name_of(text: str, task: str) -> str:
    """Return the NAME that an approved text listens to; nothing for another schedule, or one that is not understood."""
    from ia.schedule import design, forms

    with contextlib.suppress(IaError):
        form = forms.form(design.parsed(text, task).schedule)
        if isinstance(form, forms.Event) and form.kind == CHANNEL:
            return form.what
    return ""
