"""Sending: a notice is stored first, and then delivered at most once.

Whoever is killed before the delivery leaves it pending, and the next `deliver_pending` sends it; who is killed in the
middle leaves it unsure: it may have arrived, so it is not sent again, and the inbox says so. What could not be
delivered is in the inbox too: nothing is lost.

Inside a task's run (`IA_RUN`) a notice is only staged. Whoever is in charge of the run releases what it staged when its
work is safe, or discards it before the run is tried again.
"""

import contextlib
import os
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime

from ia.kernel import audit, clock, config, files, links, store
from ia.kernel.errors import BadData, IaError, Message, Notify, TryLater, Unavailable, silent
from ia.kernel.workspace import Workspace, digest
from ia.organs.channels import inbox, known, marking, notices
from ia.organs.channels.notices import FAILED, PENDING, SENDING, SENT, STAGED, UNSURE, Notice

MAX_TEXT = 50_000  # characters
MAX_TITLE = 200
TIMEOUT = 20.0  # seconds for one channel, and one more for every 500 characters: a long text goes out in parts
KEPT_FOR = 86400.0  # seconds after which what could not leave is given up
_INTERRUPTED = "interrupted while sending: it may have arrived"
_TOLD = 200  # characters that the audit trail keeps


def send(
    ws: Workspace,
    text: str,
    *,
    to: str = known.ME,
    title: str = "",
    key: str = "",
    run: int | None = None,
    notify: Notify = silent,
    actor: str = "user",
    origins: Sequence[str] = (),
) -> list[Notice]:
    """Send a text to a recipient (`me`, or names of channels) and return its notices, one a channel.

    key      what was sent under it before is not sent again; the first notices are returned. What could not leave this
             machine (no network) is kept, and sent by the next `deliver_pending` within a day
    run      the task's run that it is about
    origins  where the text from outside came from that its author has read: its links are broken
    notify   is told of each channel that failed: that it lies in the inbox. Inside a run all of it is staged instead.
    raises   BadData where there is nothing to say, or too much; NotFound for an unknown channel.
    """
    said, heading = _plain(text).strip("\n"), " ".join(_plain(title).split())
    if not said.strip():
        raise BadData("nothing to send: the text is empty")
    if len(said) > MAX_TEXT or len(heading) > MAX_TITLE:
        raise BadData(
            "a message has at most {limit} characters, its title {title}", limit=MAX_TEXT, title=MAX_TITLE,
            hint="write a note, and send its path and a summary",
        )  # fmt: skip
    if origins:
        said, heading = links.unlinked(said), links.unlinked(heading)
    channels = known.meant(to)
    inside = config.run()
    if inside is not None:
        run, key = inside, key or f"run-{inside}-{digest(heading + chr(10) + said)[:16]}"
    kept = []
    for channel in channels:
        own = f"{key}/{channel}" if key else None
        kept.append(_stored(ws, own, channel, heading, said, run, actor, ", ".join(origins)))
    return kept if inside is not None else [_delivered(ws, notice, notify) for notice in kept]


def release(
    ws: Workspace, run: int, *, origins: Sequence[str] = (), lang: str = "", notify: Notify = silent
) -> list[Notice]:
    """Send what a run has staged, its work being safe; return all notices of the run. Again it does nothing.

    origins  where the text from outside came from that the run has read: what it staged without saying so is marked,
             in `lang`, and without links. A pipe hands text on to commands that cannot know where it is from.
    """
    with store.transaction(ws.db):
        for notice in notices.select(ws, "run = ? AND state = ?", (run, STAGED)) if origins else ():
            if not notice.origins:
                text = marking.marked(notice.text, origins, lang or config.locale_lang())
                ws.db.execute(
                    "UPDATE notices SET text = ?, title = ?, origins = ? WHERE id = ?",
                    (text, links.unlinked(notice.title), ", ".join(origins), notice.id),
                )
        ws.db.execute("UPDATE notices SET state = ? WHERE run = ? AND state = ?", (PENDING, run, STAGED))
    return [_delivered(ws, notice, notify) for notice in notices.select(ws, "run = ? ORDER BY id", (run,))]


def discard(ws: Workspace, run: int) -> int:
    """Drop what a run has staged or not yet sent; return how many notices that were."""
    cursor = ws.db.execute("DELETE FROM notices WHERE run = ? AND state IN (?, ?)", (run, STAGED, PENDING))
    return int(cursor.rowcount)


def deliver_pending(ws: Workspace, *, notify: Notify = silent) -> list[Notice]:
    """Finish what a crash left: send what is pending, and call unsure what a dead process was sending; return both."""
    left = _left_behind(ws, notify)
    waiting = notices.select(ws, "state = ? ORDER BY id", (PENDING,))
    if inbox.unread(ws):
        inbox.mark(ws)
    out: set[str] = set()  # channels that cannot be reached: one time limit a pass is enough
    for at, notice in enumerate(waiting):
        if notice.channel not in out or not _may_wait(notice):
            waiting[at] = _delivered(ws, notice, notify)
        if waiting[at].state == PENDING:
            out.add(notice.channel)
    return [*left, *waiting]


def _plain(text: str) -> str:
    """Return a text without what a terminal or a service might obey: control characters, but line ends and tabs."""
    return "".join(c for c in text.replace("\r\n", "\n") if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))


def _stored(
    ws: Workspace, key: str | None, channel: str, title: str, text: str, run: int | None, actor: str, origins: str
) -> Notice:
    """Return the notice, written down; the one that is there where the key is known."""
    wall = clock.stamp(clock.wall())
    time = clock.stamp(clock.now()) if clock.simulated() else wall
    state = PENDING if config.run() is None else STAGED
    with store.transaction(ws.db):
        known_one = notices.select(ws, "key = ?", (key,)) if key else []
        if known_one:
            return known_one[0]
        cursor = ws.db.execute(
            "INSERT INTO notices (time, wall, run, key, channel, title, text, actor, origins, state, error)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
            (time, wall, run, key, channel, title, text, actor, origins, state),
        )
    return notices.select(ws, "id = ?", (cursor.lastrowid,))[0]


def _delivered(ws: Workspace, notice: Notice, notify: Notify) -> Notice:
    """Deliver a pending notice, and return it as it is then; another state than pending stays."""
    with _at_work(ws):
        claimed = ws.db.execute(
            "UPDATE notices SET state = ? WHERE id = ? AND state = ?", (SENDING, notice.id, PENDING)
        ).rowcount
        if claimed:
            try:
                failure = _carried(notice)
            except BaseException:  # Ctrl-C
                _ended(ws, notice, UNSURE, _INTERRUPTED)
                raise
            if isinstance(failure, known.Unsent) and _may_wait(notice):
                _waits(ws, notice, str(failure))
                notify(
                    Message(
                        "{channel}: not sent yet ({reason}); it is tried again", channel=notice.channel, reason=failure
                    )
                )
            elif failure:
                _ended(ws, notice, FAILED, str(failure))
                notify(
                    Message(
                        "{channel}: not sent ({reason}); it is in the inbox: `ia send --list`",
                        channel=notice.channel,
                        reason=failure,
                    )
                )
            else:
                _ended(ws, notice, SENT, "")
    return _now(ws, notice)


def _may_wait(notice: Notice) -> bool:
    """Whether a notice of which nothing left is kept for the next `deliver_pending`: one with a key, since its author
    will not send it anew. A task runs on a machine that has just woken up and has no network yet.
    """
    age = (clock.wall() - datetime.fromisoformat(notice.wall)).total_seconds()
    return notice.key is not None and age < KEPT_FOR


def _waits(ws: Workspace, notice: Notice, error: str) -> None:
    ws.db.execute("UPDATE notices SET state = ?, error = ? WHERE id = ?", (PENDING, error, notice.id))
    inbox.mark(ws)


def _carried(notice: Notice) -> IaError | None:
    """Hand a notice to its channel; return what went wrong. In a thread: no library bounds all of its waits."""
    if notice.channel == known.CLI:
        return None
    failures: list[IaError] = []

    def hand_over() -> None:
        try:
            known.opened(known.address(notice.channel)).send(notice.text, notice.title)
        except IaError as exc:
            failures.append(exc)
        except Exception:  # another package's channel; its words may hold what is secret
            failures.append(Unavailable("the channel's own program failed"))

    seconds = TIMEOUT + len(notice.text) / 500
    thread = threading.Thread(target=hand_over, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        return TryLater("no answer within {seconds:.0f} s; it may have arrived", seconds=seconds)
    return failures[0] if failures else None


def _ended(ws: Workspace, notice: Notice, state: str, error: str) -> None:
    with store.transaction(ws.db):
        ws.db.execute("UPDATE notices SET state = ?, error = ? WHERE id = ?", (state, error, notice.id))
        audit.record(
            ws.db, "message.sent" if state == SENT else "message.failed", notice.channel, notice.actor,
            notice=notice.id, text=notice.text[:_TOLD],
            **({"run": notice.run} if notice.run is not None else {}),
            **({"untrusted": notice.origins} if notice.origins else {}),
            **({"error": error} if error else {}),
        )  # fmt: skip
    if state != SENT or notice.channel == known.CLI:
        inbox.mark(ws)


@contextlib.contextmanager
def _at_work(ws: Workspace) -> Iterator[None]:
    """Let others see that a process is sending: they share a lock, which whoever looks for the dead wants alone."""
    with files.hold_lock(_lock_file(ws), shared=True, wait=None, follow=False):
        yield


def _lock_file(ws: Workspace) -> str:
    return os.path.join(files.own_folder(ws.root), "sending")


def _left_behind(ws: Workspace, notify: Notify) -> list[Notice]:
    """Call unsure what is being sent while nobody is sending. With a sender at work, the next call looks again."""
    with files.hold_lock(_lock_file(ws), follow=False) as alone:
        if alone is None:
            return []
        dead = notices.select(ws, "state = ? ORDER BY id", (SENDING,))
        for notice in dead:
            _ended(ws, notice, UNSURE, _INTERRUPTED)
            notify(Message("{channel}: interrupted while sending: it may have arrived", channel=notice.channel))
    return [_now(ws, notice) for notice in dead]


def _now(ws: Workspace, notice: Notice) -> Notice:
    return notices.select(ws, "id = ?", (notice.id,))[0]
