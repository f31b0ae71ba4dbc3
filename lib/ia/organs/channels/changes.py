"""Messages that are sent only when they say something else than before: `ia send --changed NAME`.

What was last said under a name stands in the keys of notices, one a channel: `changed NAME DIGEST TIME`. Where nothing
is to be sent a notice is kept all the same, with the state `skipped`, which no list shows: it says what holds now, and
that the run it belongs to had nothing to tell. A run that is tried again is compared with what stood before it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from ia.kernel import clock, config
from ia.kernel.errors import UsageError
from ia.kernel.workspace import Workspace, text_digest
from ia.organs.channels import notices
from ia.organs.channels.notices import SKIPPED, Notice

NOTHING = "-"
"""Digest of an empty text: the condition does not hold."""


class Topic(NamedTuple):
    """A name under which a text is sent: the key of the next notice, and whether its text is to be sent."""

    key: str
    sends: bool


def check_topic_name(name: str) -> None:
    """Raise UsageError for a name that is none."""
    if not re.fullmatch(r"[\w.-]{1,60}", name):
        raise UsageError("{name!r} is not a valid name; use letters, digits, -, _ and .", name=name[:80])


def compare_with_last(ws: Workspace, name: str, text: str, channel: str) -> Topic:
    """Return how a text compares with the last one of a name; an empty one is remembered and never sent."""
    digest = text_digest(text)[:16] if text.strip() else NOTHING
    last = _last_notice(ws, name, channel, config.run_number())
    if last is not None:
        ws.db.execute(
            "DELETE FROM notices WHERE state = ? AND channel = ? AND key GLOB ? AND id < ?",
            (SKIPPED, channel, f"changed {name} *", last.id),
        )
    run = config.run_number()
    when = f"run-{run}" if run is not None else clock.utc_stamp(clock.wall_time())
    return Topic(f"changed {name} {digest} {when}", digest not in (NOTHING, _digest(last)))


def end_topics(ws: Workspace, run: int, of_same_task: Callable[[int], bool]) -> None:
    """Note for each name that an earlier run of a task said something under, and this run nothing: it holds no more.

    So `ia screen … && ia send --changed NAME …`, which says nothing while its condition fails, tells each time that the
    condition comes true again.
    """
    newest: dict[tuple[str, str], Notice] = {}
    for notice in notices.select_notices(ws, "run IS NOT NULL AND key GLOB 'changed *' ORDER BY id"):
        newest[_name(notice), notice.channel] = notice
    time, wall = clock.utc_stamp(clock.now()), clock.utc_stamp(clock.wall_time())
    for (name, channel), notice in newest.items():
        if _digest(notice) == NOTHING or notice.run in (None, run) or not of_same_task(notice.run or 0):
            continue
        ws.db.execute(
            "INSERT INTO notices (time, wall, run, key, channel, title, text, actor, origins, state, error)"
            " VALUES (?, ?, ?, ?, ?, '', '', 'ia', '', ?, '')",
            (time, wall, run, f"changed {name} {NOTHING} run-{run}/{channel}", channel, SKIPPED),
        )


def _last_notice(ws: Workspace, name: str, channel: str, run: int | None) -> Notice | None:
    """Return the newest notice of a name as of now(), outside of the present run."""
    found = notices.select_notices(
        ws,
        "channel = ? AND key GLOB ? AND time <= ? AND run IS NOT ? ORDER BY id DESC LIMIT 1",
        (channel, f"changed {name} *", clock.utc_stamp(clock.now()), run if run is not None else -1),
    )
    return found[0] if found else None


def _name(notice: Notice) -> str:
    return (notice.key or "").split(" ")[1]


def _digest(notice: Notice | None) -> str:
    return (notice.key or "").split(" ")[2] if notice is not None else ""
