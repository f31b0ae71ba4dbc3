"""messaging.*: the mouth. It speaks to the user, and to channels that the user approved; it sees no address."""

import re
from datetime import timedelta
from typing import Annotated, Any

from ia.agent.tools import gate, writes
from ia.agent.tools.registry import CONFIRM, tool
from ia.agent.tools.scope import Scope
from ia.kernel import clock, config, links, outside
from ia.kernel.errors import BadData, Message, NotFound, Refused
from ia.kernel.workspace import digest
from ia.organs.channels import known, marking, sending
from ia.organs.channels.notices import SENT, STAGED, Notice

ME = known.ME
KEY = "messaging.recipients"
MAX_TEXT = 4000
MAX_A_TURN, MAX_TAINTED = 10, 3
"""Messages of one turn; of one that has read text from outside."""
MAX_AN_HOUR = 30
"""Messages of one hour that had read the same text from outside first, or none."""


@tool("messaging.send", CONFIRM)
def send(
    scope: Scope,
    text: Annotated[str, "what to say"],
    to: Annotated[str, "`me` is the user; any other channel must be approved once"] = ME,
    title: Annotated[str, "a short title, where it helps"] = "",
) -> dict[str, Any]:
    """Send a message. To the user at once; to a channel that the user has not approved it becomes a proposal to add
    that recipient, and nothing is sent.
    """
    said = outside.folded(text).strip()
    if not said:
        raise BadData("nothing to send: the text is empty")
    if len(said) > MAX_TEXT:
        raise BadData(
            "a message has at most {limit} characters", limit=MAX_TEXT,
            hint="write a note, and send its path and a summary",
        )  # fmt: skip
    if to not in (ME, known.CLI, *known.default()):
        _plain(to)
        if to not in config.listed(KEY):
            return _asked_to_add(scope, to)
        _may_reach(scope, to)
    elif scope.actor != "user" and scope.tainted and not scope.asked.strip():
        to = known.CLI  # a stranger's words do not ring the user's phone
    _enough(scope)
    failed: list[Message] = []
    notices = sending.send(
        scope.ws, _as_it_leaves(scope, said), to=to,
        key=f"{scope.once}-{digest(said)[:16]}" if scope.once else "",
        title=_as_it_leaves(scope, outside.folded(title)[: sending.MAX_TITLE // 2], mark=False),
        actor=scope.actor, origins=scope.origins, notify=failed.append,
    )  # fmt: skip
    for message in failed:
        scope.notify(message)
    return {"to": to, "status": "; ".join(dict.fromkeys(_outcome(notice) for notice in notices))}


def _as_it_leaves(scope: Scope, text: str, *, mark: bool = True) -> str:
    """Return a text as it may go out. Once text from outside was read it says so, and its links are broken: a service
    that previews one would carry to a stranger's host what stands in it.
    """
    if not scope.tainted or not text:
        return text
    return marking.marked(text, scope.origins, scope.lang) if mark else links.unlinked(text)


def _enough(scope: Scope) -> None:
    """Raise Refused where a turn, or the last hour, has sent as many messages as anybody wants to read."""
    if scope.actor == "user":
        return
    of_turn = sum(call.ok and call.name == "messaging.send" for call in scope.calls) if scope.turn else 0
    first = scope.origins[0] if scope.tainted else ""
    hour = clock.stamp(clock.wall() - timedelta(hours=1))
    ((of_hour,),) = scope.ws.db.execute(
        "SELECT count(*) FROM notices WHERE actor NOT IN ('user', 'ia') AND actor NOT LIKE 'task %' AND wall > ?1"
        " AND (origins = ?2 OR (?2 <> '' AND substr(origins, 1, length(?2) + 2) = ?2 || ', '))",
        (hour, first),
    )
    if of_turn >= (MAX_TAINTED if scope.tainted else MAX_A_TURN) or of_hour >= MAX_AN_HOUR:
        raise Refused(
            "{count} messages are enough", count=max(of_turn, of_hour), hint="say the rest in the answer"
        )  # fmt: skip


def _outcome(notice: Notice) -> str:
    if notice.state == STAGED:
        return "it is sent when this run is done"
    return "sent" if notice.state == SENT else f"not sent: {notice.error}; it is in the user's inbox"


def _plain(to: str) -> None:
    """Raise NotFound for what is no channel, BadData for what is no name at all or only looks like another one's."""
    if not re.fullmatch(r"[\w.@+:#-]{1,80}", to) or outside.folded(to) != to:
        raise BadData("{to!r} is not a recipient", to=to[:80], hint="a channel's name")
    if to not in known.names():
        raise NotFound(
            "{channel}: no such channel", channel=to, hint="there is: {known}", known=", ".join([ME, *known.names()])
        )


def _asked_to_add(scope: Scope, to: str) -> dict[str, Any]:
    gate.way(scope, "messages", confirm=True)
    stored = scope.ws.read("config.yaml") or ""
    after = config.edited(stored, KEY, ",".join([*config.listed(KEY), to]))
    told = writes.proposed(scope, "config", "config.yaml", after, f"may be sent messages: {to}")
    return {**told, "hint": f"nothing was sent; {told['hint']}"}


def _may_reach(scope: Scope, to: str) -> None:
    """Raise Refused where text from outside was read and the user's own words do not name an approved recipient."""
    if scope.actor == "user" or not scope.tainted:
        return
    if not (gate.asked(scope, "messages") and _names(scope.asked, to)):
        raise Refused(
            "text from outside ({origins}) was read, and the user did not ask to send anything to {to}",
            origins=", ".join(scope.origins), to=to, hint="tell the user instead",
        )  # fmt: skip


def _names(asked: str, to: str) -> bool:
    """Whether the user's words name a recipient: as a word of its own, though Chinese needs no space around it."""
    beside = r"[^\W\u3400-\u9fff]|[-@]"
    return re.search(rf"(?<!{beside}){re.escape(to)}(?!{beside}|\.\w)", asked, re.I) is not None
