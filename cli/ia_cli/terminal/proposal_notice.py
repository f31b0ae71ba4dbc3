"""How a command tells that a proposal was made instead of a change."""

import sys
from typing import TYPE_CHECKING

from ia.kernel.errors import Message
from ia_cli.terminal.output import emit_json, notify

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal


def print_proposal(proposal: "Proposal", *, as_json: bool = False) -> None:
    """Print a proposal's number, and say on stderr what to type next."""
    notify(
        Message(
            "{path} changes only when you approve it: `ia approve {number}`",
            path=proposal.path,
            number=proposal.id,
        )
    )
    if as_json:
        emit_json({"proposal": proposal.id, "path": proposal.path})
    else:
        sys.stdout.write(f"{proposal.id}\n")
