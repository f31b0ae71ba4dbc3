"""Proposals → memory and ledger: what else happens when a person approves one."""

from typing import TYPE_CHECKING

from ia.kernel.errors import Notify, drop_message
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal


def approve_proposal(ws: Workspace, number: int, *, by: str, notify: Notify = drop_message) -> "Proposal":
    """Carry out a proposal. A change of beliefs is logged first; a trade is journaled after the guard has checked it.

    A person's act, as `proposals.approve`: no tool that a model can call may reach it.
    """
    from ia.kernel import proposals
    from ia.organs.memory import change_rules, writing

    with ws.unit_of_work():
        proposal = proposals.get_undecided(ws, number)
        before, after = proposals.compute_outcome(ws, proposal)
        if proposal.path.casefold() == change_rules.BELIEFS and proposal.kind != proposals.TRUST and before != after:
            writing.log_consent(ws, before, after, proposal.because, proposal.actor)
        if proposal.kind == proposals.TRADE:
            from ia.organs.ledger import trade_proposals
            from ia.wiring.ledger_prices import open_ledger

            trade_proposals.post_approved(open_ledger(ws, notify), proposal)
        return proposals.approve(ws, number, by=by)
