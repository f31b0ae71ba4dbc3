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

    return harmless(shown(ws, proposal, before, after))
