"""How a listener speaks: in the user's language, and of proposals as they are shown at a terminal."""

from typing import TYPE_CHECKING

from ia.kernel.errors import Message
from ia_cli.terminal.text import say

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges.chat_approval import ListenerVoice


def make_listener_voice() -> "ListenerVoice":
    """Return it."""
    from ia.reach.bridges.chat_approval import ListenerVoice

    return ListenerVoice(_translate_message, _show_proposal)


def _translate_message(message: Message) -> str:
    return say(message.template, **message.params)


def _show_proposal(ws: "Workspace", proposal: "Proposal", before: str, after: str) -> str:
    from ia_cli.terminal.output import escape_controls
    from ia_cli.terminal.proposal_view import format_proposal

    return escape_controls(format_proposal(ws, proposal, before, after))
