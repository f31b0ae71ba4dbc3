"""Trades that somebody proposes and a person decides on. Approving one journals it; nothing is ordered anywhere."""

import json
from decimal import Decimal

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import proposals
from ia.kernel.errors import BadData, IaError, Message, NotFound
from ia.kernel.jsontypes import Json
from ia.kernel.proposals import Proposal
from ia.kernel.workspace import Workspace
from ia.organs.ledger import journal, order
from ia.organs.ledger.booking import format_decimal
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.journal import JournalEntry
from ia.organs.ledger.order import Order

MARKET, LIMIT, STOP = "market", "limit", "stop"
KINDS = (MARKET, LIMIT, STOP)
MAX_REASON = 600


def serialize_order(wish: Order, kind: str, *, made: bool = False) -> str:
    """Return an order as a proposal keeps it. made: whether the trade has been made, on the order's day."""
    told = {
        "action": wish.side,
        "symbol": wish.symbol.canonical,
        "name": wish.symbol.name,
        "quantity": format(wish.quantity, "f"),
        "price": format(wish.price, "f"),
        "order_type": kind,
        "reason": wish.reason[:MAX_REASON],
        "session": wish.session,
        "price_from": wish.origin,
        **({"made": wish.day} if made else {}),
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True)


def parse_order(proposal: Proposal) -> tuple[Order, str]:
    """Return the order that a proposal holds, and its type: as made on the day that it was told for, else as made now.

    raises  BadData for a text that is none.
    """
    try:
        told = json.loads(proposal.after)
        symbol = from_canonical(told["symbol"])._replace(name=str(told["name"]))
        if told["action"] not in (journal.BUY, journal.SELL) or told["order_type"] not in KINDS:
            raise ValueError
        wish = Order(
            side=told["action"],
            symbol=symbol,
            quantity=order.parse_shares(told["quantity"], symbol),
            price=order.parse_number(told["price"], "the price"),
            moment=order.parse_trade_time(made_on(proposal), symbol),
            fees={},
            reason=str(told["reason"]),
            session=str(told["session"]),
            actor=proposal.actor,
            origin="; ".join(filter(None, [f"proposal {proposal.id}", str(told["price_from"])])),
        )
    except (ValueError, KeyError, TypeError, AttributeError, IaError):
        raise BadData(
            "proposal {number} does not contain a trade", number=proposal.id, hint="reject it with `ia reject {number}`"
        ) from None
    return wish, str(told["order_type"])


def made_on(proposal: Proposal) -> str | None:
    """Return the day on which a proposed trade was made, YYYY-MM-DD; None where it is yet to be made."""
    made = json.loads(proposal.after).get("made")
    return str(made) if made else None


def post_approved(desk: LedgerDesk, proposal: Proposal) -> JournalEntry:
    """Journal what a person agreed to. One that was journalled already, by an approval that was interrupted, stays.

    raises  what posting.post_trade() raises: the rules are enforced, as they are now.
    """
    wish, _ = parse_order(proposal)
    found = _find_by_key(desk.ws, proposal)
    if found is not None:
        return found
    from ia.organs.ledger import guard, posting  # listing what waits enters nothing

    try:
        return posting.post_trade(desk, wish, key=entry_key(proposal), enforce=True).entry
    except guard.RuleRefused as exc:
        raise guard.RuleRefused(
            "{reason}",
            reason=Message(exc.template, **exc.params),
            side=wish.side,
            symbol=wish.symbol.canonical,
            count=format_decimal(wish.quantity),
            price=format_decimal(wish.price),
            number=proposal.id,
            when=f" --date {wish.day}" if made_on(proposal) else "",
            hint="if the trade was executed, run `ia trade {side} {symbol} {count} {price}{when} --because WHY`, "
            "then `ia reject {number}`",
        ) from None


def entry_key(proposal: Proposal) -> str:
    """Return the key of the entry that a proposal becomes."""
    return f"proposal:{proposal.id}"


def find_entry(ws: Workspace, proposal: Proposal) -> JournalEntry:
    """Return the entry that an approved trade became. raises NotFound."""
    found = _find_by_key(ws, proposal)
    if found is None:
        raise NotFound("no ledger entry belongs to proposal {number}", number=proposal.id)
    return found


def _find_by_key(ws: Workspace, proposal: Proposal) -> JournalEntry | None:
    return journal.find_by_key(ws.db, entry_key(proposal))


def proposal_document(desk: LedgerDesk, proposal: Proposal) -> Json:
    """Return a trade that is to be journalled as plain data; `messages`: what the guard says of it now."""
    wish, kind = parse_order(proposal)
    entry = order.build_entry(wish)
    messages: list[Message] = [breach.message for breach in desk.check_order(wish)]
    return {
        "action": wish.side,
        "symbol": str(wish.symbol),
        "quantity": format(wish.quantity, "f"),
        "price": format(wish.price, "f"),
        "currency": entry.currency,
        "amount": format(entry.cash or Decimal(0), "f"),
        "fees": format(entry.fees, "f"),
        "order_type": kind,
        "made": made_on(proposal),
        "reason": wish.reason,
        "origin": wish.origin,
        "messages": messages,
    }


def pending_orders(ws: Workspace) -> list[dict[str, object]]:
    """Return the trades that wait for a person, as pending orders; one that has been made is none."""
    found = []
    for proposal in proposals.pending_proposals(ws):
        if proposal.kind == proposals.TRADE and made_on(proposal) is None:
            try:
                wish, kind = parse_order(proposal)
            except BadData:
                continue
            found.append(
                {
                    "order_id": str(proposal.id),
                    "action": wish.side,
                    "symbol": wish.symbol.canonical,
                    "quantity": float(wish.quantity),
                    "price": float(wish.price),
                    "order_type": kind,
                    "time": proposal.time,
                }
            )
    return found
