"""How a listener speaks: in the user's language, and of proposals as they are shown at a terminal."""

from typing import TYPE_CHECKING

from ia.kernel.errors import Message
from ia_cli.terminal.text import say

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges.approving import Voice


def voice() -> "Voice":
    """Return it."""
    from ia.reach.bridges.approving import Voice

    return Voice(_told, _shown)


def _told(message: Message) -> str:
    return say(message.template, **message.params)


def _shown(ws: "Workspace", proposal: "Proposal", before: str, after: str) -> str:
    from ia_cli.terminal.output import harmless
    from ia_cli.terminal.proposal_view import shown

    return harmless(shown(ws, proposal, before, after))
