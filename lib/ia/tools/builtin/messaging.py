"""messaging.*: the mouth. For now it speaks at the command line."""

from typing import Annotated, Any

from ia import audit, config, outside, store
from ia.errors import BadData, Message, NotFound, Refused
from ia.tools import gate, writes
from ia.tools.registry import CONFIRM, tool
from ia.tools.scope import Scope

CHANNELS = ("cli",)
ME = "me"
KEY = "messaging.recipients"
MAX_TEXT = 4000


@tool("messaging.send", CONFIRM)
def send(
    scope: Scope,
    text: Annotated[str, "what to say"],
    to: Annotated[str, "`me` is the user; anybody else must be approved once"] = ME,
    channel: Annotated[str, "cli: the user's terminal"] = "cli",
) -> dict[str, Any]:
    """Send a message. To the user at once; to a recipient that the user has not approved it becomes a proposal to add
    that recipient, and nothing is sent.
    """
    if channel not in CHANNELS:
        raise NotFound(
            "{channel}: no such channel", channel=channel[:80], hint="there is: {known}", known=", ".join(CHANNELS)
        )
    said = outside.folded(text).strip()
    if not said:
        raise BadData("nothing to send: the text is empty")
    if len(said) > MAX_TEXT:
        raise BadData(
            "a message has at most {limit} characters", limit=MAX_TEXT,
            hint="write a note, and send its path and a summary",
        )  # fmt: skip
    if to != ME:
        _plain(to)
        if to not in _recipients():
            return _asked_to_add(scope, to)
        _may_reach(scope, to)
    if scope.tainted:
        scope.notify(Message("message to {to} (from text from outside): {text}", to=to, text=said))
    else:
        scope.notify(Message("message to {to}: {text}", to=to, text=said))
    if store.writable(scope.ws.db):
        audit.record(
            scope.ws.db, "message.sent", to, scope.actor, channel=channel, text=said[:500],
            **({"untrusted": list(scope.origins)} if scope.tainted else {}),
        )  # fmt: skip
    return {"to": to, "channel": channel, "status": "sent"}


def _recipients() -> list[str]:
    return [name.strip() for name in str(config.get(KEY) or "").split(",") if name.strip()]


def _plain(to: str) -> None:
    """Raise BadData for what is no name of a recipient, or only looks like another one's."""
    import re

    if not re.fullmatch(r"[\w.@+:#-]{1,80}", to) or outside.folded(to) != to:
        raise BadData("{to!r} is not a recipient", to=to[:80], hint="a name or an address, without spaces")


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
