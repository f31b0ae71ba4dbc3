"""The table of notices: one row for a message to one channel.

state   staged: part of a run that is not over · pending: to be sent, with an error: again · sending: a process is at
        it · sent · failed: not sent, see `error` · unsure: the process that was at it died, and it is not sent again
        skipped: nothing new to send under its name (`changes`)
"""

from typing import NamedTuple

from ia.kernel.workspace import Workspace

STAGED, PENDING, SENDING, SENT, FAILED, UNSURE = "staged", "pending", "sending", "sent", "failed", "unsure"
SKIPPED = "skipped"


class Notice(NamedTuple):
    """A message to one channel. `time` is the clock's, `wall` the real one; both UTC stamps, as is `told`.

    run     number of the task's run that it belongs to
    key     the same key is sent once; None: no such promise
    actor   who wrote it, as the audit trail says it
    origins where the text from outside came from that its author had read; "": none
    told    when it was told at a terminal; read: when its reader opened it, or was shown all of it
    """

    id: int
    time: str
    wall: str
    run: int | None
    key: str | None
    channel: str
    title: str
    text: str
    actor: str
    origins: str
    state: str
    error: str
    told: str | None
    read: str | None


_COLUMNS = ", ".join(Notice._fields)


def select_notices(ws: Workspace, where: str, values: tuple[object, ...] = ()) -> list[Notice]:
    """Return the notices that an SQL condition (with its ORDER BY) fits."""
    return [Notice._make(row) for row in ws.db.execute(f"SELECT {_COLUMNS} FROM notices WHERE {where}", values)]
