"""messaging.*: the mouth. It speaks to the user, and to channels that the user approved; it sees no address."""

import re
from datetime import timedelta
from typing import Annotated

from ia.agent.tools import gate, gated_writes
from ia.agent.tools.registry import CONFIRM, READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel import clock, config, links, untrusted
from ia.kernel.errors import BadData, Message, NotFound, Refused
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import text_digest, to_local
from ia.organs.channels import channel_registry, sending, untrusted_mark
from ia.organs.channels.notices import SENT, STAGED, Notice

ME = channel_registry.ME
KEY = "messaging.recipients"
MAX_TEXT = 4000
MAX_A_TURN, MAX_TAINTED = 10, 3
"""Messages of one turn; of one that has read text from outside."""
MAX_AN_HOUR = 30
"""Messages of one hour that had read the same text from outside first, or none."""


MOST_LISTED = 30


@tool("messaging.inbox", READ)
def list_messages(
    scope: Scope,
    unread: Annotated[bool, "only those that the user has not opened"] = True,
    limit: Annotated[int, "at most so many, newest first"] = 10,
) -> Json:
    """List messages to the user: results of tasks, alerts, what could not be delivered. The user reads them with
    `ia inbox show N`. A text that quotes others is left out.
    """
    from ia.organs.channels import inbox

    if not 1 <= limit <= MOST_LISTED:
        raise BadData("limit must be a number from 1 to {most}", most=MOST_LISTED)
    rows = []
    for notice in inbox.list_inbox(scope.ws, limit, unread=unread):
        own = not notice.origins
        row: Json = {
            "message": notice.id,
            "time": to_local(inbox.notice_time(notice)).isoformat(timespec="minutes"),
            "unread": inbox.is_unread(notice),
            "title": notice.title if own else "",
            "text": notice.text[:500] if own else "",
            "from_outside": notice.origins,
            "error": notice.error if own else "",
        }
        rows.append({key: value for key, value in row.items() if value not in ("", None)})
    return {"unread": inbox.count_unread(scope.ws), "messages": rows}


@tool("messaging.send", CONFIRM)
def send_message(
    scope: Scope,
    text: Annotated[str, "what to say"],
    to: Annotated[str, "`me` is the user; any other channel must be approved once"] = ME,
    title: Annotated[str, "a short title, where it helps"] = "",
) -> Json:
    """Send a message. To the user at once; to a channel that the user has not approved it becomes a proposal to add
    that recipient, and nothing is sent.
    """
    said = untrusted.fold_text(text).strip()
    if not said:
        raise BadData("nothing to send: the text is empty")
    if len(said) > MAX_TEXT:
        raise BadData(
            "a message has at most {limit} characters",
            limit=MAX_TEXT,
            hint="write a note, and send its path and a summary",
        )
    if to not in (ME, channel_registry.CLI, *channel_registry.default_channels()):
        _check_recipient_name(to)
        if to not in config.get_setting_words(KEY):
            return _propose_recipient(scope, to)
        _require_named_recipient(scope, to)
    elif scope.actor != "user" and scope.tainted and not scope.asked.strip():
        to = channel_registry.CLI  # a stranger's words do not ring the user's phone
    _check_message_limit(scope)
    failed: list[Message] = []
    notices = sending.send_message(
        scope.ws,
        _prepare_outgoing_text(scope, said),
        to=to,
        key=f"{scope.once}-{text_digest(said)[:16]}" if scope.once else "",
        title=_prepare_outgoing_text(scope, untrusted.fold_text(title)[: sending.MAX_TITLE // 2], mark=False),
        actor=scope.actor,
        origins=scope.origins,
        notify=failed.append,
    )
    for message in failed:
        scope.notify(message)
    return {"to": to, "status": "; ".join(dict.fromkeys(_describe_delivery(notice) for notice in notices))}


def _prepare_outgoing_text(scope: Scope, text: str, *, mark: bool = True) -> str:
    """Return a text as it may go out. Once text from outside was read it says so, and its links are broken: a service
    that previews one would carry to a stranger's host what stands in it.
    """
    if not scope.tainted or not text:
        return text
    return untrusted_mark.mark_untrusted(text, scope.origins, scope.lang) if mark else links.break_links(text)


def _check_message_limit(scope: Scope) -> None:
    """Raise Refused where a turn, or the last hour, has sent as many messages as anybody wants to read."""
    if scope.actor == "user":
        return
    of_turn = sum(call.ok and call.name == "messaging.send" for call in scope.calls) if scope.turn else 0
    first = scope.origins[0] if scope.tainted else ""
    hour = clock.utc_stamp(clock.wall_time() - timedelta(hours=1))
    ((of_hour,),) = scope.ws.db.execute(
        "SELECT count(*) FROM notices WHERE actor NOT IN ('user', 'ia') AND actor NOT LIKE 'task %' AND wall > ?1"
        " AND (origins = ?2 OR (?2 <> '' AND substr(origins, 1, length(?2) + 2) = ?2 || ', '))",
        (hour, first),
    )
    if of_turn >= (MAX_TAINTED if scope.tainted else MAX_A_TURN) or of_hour >= MAX_AN_HOUR:
        raise Refused(
            "message limit reached: {count} sent", count=max(of_turn, of_hour), hint="put the rest in the answer"
        )


def _describe_delivery(notice: Notice) -> str:
    if notice.state == STAGED:
        return "it is sent when this run is done"
    return "sent" if notice.state == SENT else f"not sent: {notice.error}; it is in the user's inbox"


def _check_recipient_name(to: str) -> None:
    """Raise NotFound for what is no channel, BadData for what is no name at all or only looks like another one's."""
    if not re.fullmatch(r"[\w.@+:#-]{1,80}", to) or untrusted.fold_text(to) != to:
        raise BadData("{to!r} is not a valid recipient", to=to[:80], hint="give the name of a channel")
    if to not in channel_registry.channel_names():
        raise NotFound(
            "{channel}: no such channel",
            channel=to,
            hint="available channels: {known}",
            known=", ".join([ME, *channel_registry.channel_names()]),
        )


def _propose_recipient(scope: Scope, to: str) -> Json:
    gate.choose_write_mode(scope, "messages", confirm=True)
    stored = scope.ws.read("config.yaml") or ""
    after = config.edit_config_text(stored, KEY, ",".join([*config.get_setting_words(KEY), to]))
    told = gated_writes.propose_content(scope, "config", "config.yaml", after, f"may be sent messages: {to}")
    return {**told, "hint": f"nothing was sent; {told['hint']}"}


def _require_named_recipient(scope: Scope, to: str) -> None:
    """Raise Refused where text from outside was read and the user's own words do not name an approved recipient."""
    if scope.actor == "user" or not scope.tainted:
        return
    if not (gate.is_asked_for(scope, "messages") and _names_recipient(scope.asked, to)):
        raise Refused(
            "text from outside ({origins}) was read, and the user did not ask to send anything to {to}",
            origins=", ".join(scope.origins),
            to=to,
            hint="tell the user instead",
        )


def _names_recipient(asked: str, to: str) -> bool:
    """Whether the user's words name a recipient: as a word of its own, though Chinese needs no space around it."""
    beside = r"[^\W\u3400-\u9fff]|[-@]"
    return re.search(rf"(?<!{beside}){re.escape(to)}(?!{beside}|\.\w)", asked, re.I) is not None
