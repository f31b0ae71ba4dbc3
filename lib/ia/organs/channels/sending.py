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
from ia.kernel.errors import BadData, IaError, Message, Notify, TryLater, Unavailable, drop_message
from ia.kernel.workspace import Workspace, text_digest
from ia.organs.channels import changes, channel_registry, inbox, notices, untrusted_mark
from ia.organs.channels.notices import FAILED, PENDING, SENDING, SENT, STAGED, UNSURE, Notice
from ia.organs.channels.plain_text import strip_markdown

MAX_TEXT = 50_000  # characters
MAX_TITLE = 200
TIMEOUT = 20.0  # seconds for one channel, and one more for every 500 characters: a long text goes out in parts
KEPT_FOR = 86400.0  # seconds after which what could not leave is given up
_INTERRUPTED = "interrupted while sending: it may have arrived"
_TOLD = 200  # characters that the audit trail keeps


def send_message(
    ws: Workspace,
    text: str,
    *,
    to: str = channel_registry.ME,
    title: str = "",
    key: str = "",
    changed: str = "",
    run: int | None = None,
    notify: Notify = drop_message,
    actor: str = "user",
    origins: Sequence[str] = (),
) -> list[Notice]:
    """Send a text to a recipient (`me`, or names of channels) and return its notices, one a channel.

    key      what was sent under it before is not sent again; the first notices are returned. What could not leave this
             machine (no network) is kept, and sent by the next `deliver_pending` within a day
    changed  a name: a text like the last one under it is not sent (state `skipped`), nor is an empty one, after which
             the next text is new
    run      the task's run that it is about
    origins  where the text from outside came from that its author has read: its links are broken
    notify   is told of each channel that failed: that it lies in the inbox. Inside a run all of it is staged instead.
    raises   BadData where there is nothing to say, or too much; NotFound for an unknown channel.
    """
    said, heading = _clean_text(text).strip("\n"), " ".join(_clean_text(title).split())
    if changed:
        changes.check_topic_name(changed)
    elif not said.strip():
        raise BadData("nothing to send: the text is empty")
    if len(said) > MAX_TEXT or len(heading) > MAX_TITLE:
        raise BadData(
            "a message must have at most {limit} characters, and its title at most {title}",
            limit=MAX_TEXT,
            title=MAX_TITLE,
            hint="write a note, and send its path and a summary",
        )
    if origins:
        said, heading = links.break_links(said), links.break_links(heading)
    channels = channel_registry.resolve_recipient(to)
    inside = config.run_number()
    if inside is not None:
        run, key = inside, key or f"run-{inside}-{text_digest(heading + chr(10) + said)[:16]}"
    kept = []
    for channel in channels:
        sends = True
        if changed:
            key, sends = changes.compare_with_last(ws, changed, said, channel)
        own = f"{key}/{channel}" if key else None
        state = notices.SKIPPED if not sends else STAGED if inside is not None else PENDING
        kept.append(
            _store_notice(ws, own, channel, heading, said if sends else "", run, actor, ", ".join(origins), state=state)
        )
    return kept if inside is not None else [_deliver_notice(ws, notice, notify) for notice in kept]


def release_staged(
    ws: Workspace, run: int, *, origins: Sequence[str] = (), lang: str = "", notify: Notify = drop_message
) -> list[Notice]:
    """Send what a run has staged, its work being safe; return all notices of the run. Again it does nothing.

    origins  where the text from outside came from that the run has read: what it staged without saying so is marked,
             in `lang`, and without links. A pipe hands text on to commands that cannot know where it is from.
    """
    with store.transaction(ws.db):
        for notice in notices.select_notices(ws, "run = ? AND state = ?", (run, STAGED)) if origins else ():
            if not notice.origins:
                text = untrusted_mark.mark_untrusted(notice.text, origins, lang or config.locale_lang())
                ws.db.execute(
                    "UPDATE notices SET text = ?, title = ?, origins = ? WHERE id = ?",
                    (text, links.break_links(notice.title), ", ".join(origins), notice.id),
                )
        ws.db.execute("UPDATE notices SET state = ? WHERE run = ? AND state = ?", (PENDING, run, STAGED))
    return [_deliver_notice(ws, notice, notify) for notice in notices.select_notices(ws, "run = ? ORDER BY id", (run,))]


def discard_unsent(ws: Workspace, run: int) -> int:
    """Drop what a run has staged or not yet sent; return how many notices that were."""
    cursor = ws.db.execute(
        "DELETE FROM notices WHERE run = ? AND state IN (?, ?, ?)", (run, STAGED, PENDING, notices.SKIPPED)
    )
    return int(cursor.rowcount)


def deliver_pending(ws: Workspace, *, notify: Notify = drop_message) -> list[Notice]:
    """Finish what a crash left: send what is pending, and call unsure what a dead process was sending; return both."""
    left = _mark_interrupted(ws, notify)
    waiting = notices.select_notices(ws, "state = ? ORDER BY id", (PENDING,))
    if inbox.unread_notices(ws):
        inbox.mark_unread(ws)
    out: set[str] = set()  # channels that cannot be reached: one time limit a pass is enough
    for at, notice in enumerate(waiting):
        if notice.channel not in out or not _may_wait(notice):
            waiting[at] = _deliver_notice(ws, notice, notify)
        if waiting[at].state == PENDING:
            out.add(notice.channel)
    return [*left, *waiting]


def _clean_text(text: str) -> str:
    """Return a text without what a terminal or a service might obey: control characters, but line ends and tabs."""
    return "".join(c for c in text.replace("\r\n", "\n") if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))


def _store_notice(
    ws: Workspace,
    key: str | None,
    channel: str,
    title: str,
    text: str,
    run: int | None,
    actor: str,
    origins: str,
    *,
    state: str,
) -> Notice:
    """Return the notice, written down; the one that is there where the key is known."""
    wall = clock.utc_stamp(clock.wall_time())
    time = clock.utc_stamp(clock.now()) if clock.is_simulated() else wall
    with store.transaction(ws.db):
        known_one = notices.select_notices(ws, "key = ?", (key,)) if key else []
        if known_one:
            return known_one[0]
        cursor = ws.db.execute(
            "INSERT INTO notices (time, wall, run, key, channel, title, text, actor, origins, state, error)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
            (time, wall, run, key, channel, title, text, actor, origins, state),
        )
    return notices.select_notices(ws, "id = ?", (cursor.lastrowid,))[0]


def _deliver_notice(ws: Workspace, notice: Notice, notify: Notify) -> Notice:
    """Deliver a pending notice, and return it as it is then; another state than pending stays."""
    with _hold_sending_lock(ws):
        claimed = ws.db.execute(
            "UPDATE notices SET state = ? WHERE id = ? AND state = ?", (SENDING, notice.id, PENDING)
        ).rowcount
        if claimed:
            try:
                failure = _send_through_channel(notice)
            except BaseException:  # Ctrl-C
                _finish_notice(ws, notice, UNSURE, _INTERRUPTED)
                raise
            if isinstance(failure, channel_registry.Unsent) and _may_wait(notice):
                _postpone_notice(ws, notice, str(failure))
                notify(
                    Message("{channel}: not sent yet ({reason}); ia will retry", channel=notice.channel, reason=failure)
                )
            elif failure:
                _finish_notice(ws, notice, FAILED, str(failure))
                notify(
                    Message(
                        "{channel}: not sent ({reason}); the message is in the inbox: `ia send --list`",
                        channel=notice.channel,
                        reason=failure,
                    )
                )
            else:
                _finish_notice(ws, notice, SENT, "")
    return _reload_notice(ws, notice)


def _may_wait(notice: Notice) -> bool:
    """Return True if a notice of which nothing left is kept for the next `deliver_pending`.

    One with a key is, since its author will not send it anew. A task runs on a machine that has just woken up and
    has no network yet.
    """
    age = (clock.wall_time() - datetime.fromisoformat(notice.wall)).total_seconds()
    return notice.key is not None and age < KEPT_FOR


def _postpone_notice(ws: Workspace, notice: Notice, error: str) -> None:
    ws.db.execute("UPDATE notices SET state = ?, error = ? WHERE id = ?", (PENDING, error, notice.id))
    inbox.mark_unread(ws)


def _send_through_channel(notice: Notice) -> IaError | None:
    """Hand a notice to its channel, without the marks of Markdown; return what went wrong.

    In a thread: no library bounds all of its waits.
    """
    if notice.channel == channel_registry.CLI:
        return None
    failures: list[IaError] = []

    def hand_over() -> None:
        try:
            channel_registry.open_channel(channel_registry.channel_address(notice.channel)).send(
                strip_markdown(notice.text) or notice.text, notice.title
            )
        except IaError as exc:
            failures.append(exc)
        except Exception:  # another package's channel; its words may hold what is secret
            failures.append(Unavailable("the channel's code failed"))

    seconds = TIMEOUT + len(notice.text) / 500
    thread = threading.Thread(target=hand_over, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        return TryLater("no response within {seconds:.0f} s; the message may have arrived", seconds=seconds)
    return failures[0] if failures else None


def _finish_notice(ws: Workspace, notice: Notice, state: str, error: str) -> None:
    with store.transaction(ws.db):
        ws.db.execute("UPDATE notices SET state = ?, error = ? WHERE id = ?", (state, error, notice.id))
        audit.record(
            ws.db,
            "message.sent" if state == SENT else "message.failed",
            notice.channel,
            notice.actor,
            notice=notice.id,
            text=notice.text[:_TOLD],
            **({"run": notice.run} if notice.run is not None else {}),
            **({"untrusted": notice.origins} if notice.origins else {}),
            **({"error": error} if error else {}),
        )
    if state != SENT or notice.channel == channel_registry.CLI:
        inbox.mark_unread(ws)


@contextlib.contextmanager
def _hold_sending_lock(ws: Workspace) -> Iterator[None]:
    """Let others see that a process is sending: they share a lock, which whoever looks for the dead wants alone."""
    with files.hold_lock(_lock_file(ws), shared=True, wait=None, follow=False):
        yield


def _lock_file(ws: Workspace) -> str:
    return os.path.join(files.make_private_folder(ws.root), "sending")


def _mark_interrupted(ws: Workspace, notify: Notify) -> list[Notice]:
    """Call unsure what is being sent while nobody is sending. With a sender at work, the next call looks again."""
    with files.hold_lock(_lock_file(ws), follow=False) as alone:
        if alone is None:
            return []
        dead = notices.select_notices(ws, "state = ? ORDER BY id", (SENDING,))
        for notice in dead:
            _finish_notice(ws, notice, UNSURE, _INTERRUPTED)
            notify(
                Message("{channel}: interrupted while sending; the message may have arrived", channel=notice.channel)
            )
    return [_reload_notice(ws, notice) for notice in dead]


def _reload_notice(ws: Workspace, notice: Notice) -> Notice:
    return notices.select_notices(ws, "id = ?", (notice.id,))[0]
