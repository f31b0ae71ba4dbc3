"""How a listener speaks: in the user's language, and of proposals as they are shown at a terminal."""

from typing import TYPE_CHECKING

from ia.errors import Message
from ia_cli._text import say

if TYPE_CHECKING:
    from ia.bridges.approving import Voice
    from ia.proposals import Proposal
    from ia.workspace import Workspace


def voice() -> "Voice":
    """Return it."""
    from ia.bridges.approving import Voice

    return Voice(_told, _shown)


def _told(message: Message) -> str:
    return say(message.template, **message.params)


def _shown(ws: "Workspace", proposal: "Proposal", before: str, after: str) -> str:
    from ia_cli._out import harmless
    from ia_cli._proposal import shown

    if proposal.kind == "task":
        from ia import config
        from ia.tasks import book
        from ia_cli._task import described

        name, known, text, _ = book.to_approve(ws, proposal.id)
        return harmless(described(book.checked(text, name, config.env("TZ", "") or ""), known, text))
    return harmless(shown(ws, proposal, before, after))
