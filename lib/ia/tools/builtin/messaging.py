"""messaging.*: the mouth. It speaks to the user, and to channels that the user approved; it sees no address."""

import re
from typing import Annotated, Any

from ia import config, outside
from ia.channels import known, sending
from ia.channels.notices import SENT, STAGED, Notice
from ia.errors import BadData, Message, NotFound, Refused
from ia.tools import gate, writes
from ia.tools.registry import CONFIRM, tool
from ia.tools.scope import Scope

ME = known.ME
KEY = "messaging.recipients"
MAX_TEXT = 4000
_LINK = re.compile(r"\b(?:([a-z][a-z0-9+.-]*)://|(www)\.)|(?<=[a-z0-9])\.(?=[a-z]{2,24}(?:[/?]|:\d))", re.I)
_MARK = {"zh": "【读过外部文本（{origins}）之后写的】", "en": "[written after reading text from outside: {origins}]"}


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
        if to not in _recipients():
            return _asked_to_add(scope, to)
        _may_reach(scope, to)
    failed: list[Message] = []
    notices = sending.send(
        scope.ws, _as_it_leaves(scope, said), to=to,
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
    broken = _LINK.sub(lambda link: f"{link[1]}[:]//" if link[1] else f"{link[2] or ''}[.]", text)
    told = _MARK[scope.lang].format(origins=", ".join(scope.origins)[:200])
    return f"{told}\n{broken}" if mark else broken


def _outcome(notice: Notice) -> str:
    if notice.state == STAGED:
        return "it is sent when this run is done"
    return "sent" if notice.state == SENT else f"not sent: {notice.error}; it is in the user's inbox"


def _recipients() -> list[str]:
    return [name.strip() for name in str(config.get(KEY) or "").split(",") if name.strip()]


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
    after = config.edited(stored, KEY, ",".join([*_recipients(), to]))
    told = writes.proposed(scope, "config", "config.yaml", after, f"may be sent messages: {to}")
    return {**told, "status": f"nothing was sent; {told['status']}"}


def _may_reach(scope: Scope, to: str) -> None:
    """Raise Refused where text from outside was read and the user's own words do not name an approved recipient."""
    if scope.actor == "user" or not scope.tainted:
        return
    if not (gate.asked(scope, "messages") and to in scope.asked):
        raise Refused(
            "text from outside ({origins}) was read, and the user did not ask to send anything to {to}",
            origins=", ".join(scope.origins), to=to, hint="tell the user instead",
        )  # fmt: skip
