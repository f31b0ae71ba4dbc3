"""Trades that somebody proposes and a person decides on. Approving one journals it; nothing is ordered anywhere."""

import json
from decimal import Decimal
from typing import Any

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock, proposals
from ia.kernel.errors import BadData, IaError, Message, NotFound, Refused
from ia.kernel.proposals import Proposal
from ia.kernel.workspace import Workspace
from ia.organs.ledger import journal, order
from ia.organs.ledger.desk import Desk
from ia.organs.ledger.fold import plain
from ia.organs.ledger.journal import Entry
from ia.organs.ledger.order import Order

MARKET, LIMIT, STOP = "market", "limit", "stop"
KINDS = (MARKET, LIMIT, STOP)
MAX_REASON = 600


def text_of(wish: Order, kind: str) -> str:
    """Return an order as a proposal keeps it."""
    told = {
        "action": wish.side, "symbol": wish.symbol.canonical, "name": wish.symbol.name,
        "quantity": format(wish.quantity, "f"), "price": format(wish.price, "f"), "order_type": kind,
        "reason": wish.reason[:MAX_REASON], "session": wish.session, "price_from": wish.origin,
    }  # fmt: skip
    return json.dumps(told, ensure_ascii=False, sort_keys=True)


def order_of(proposal: Proposal) -> tuple[Order, str]:
    """Return the order that a proposal holds, as made now, and its type.

    raises  BadData for a text that is none.
    """
    try:
        told = json.loads(proposal.after)
        symbol = from_canonical(told["symbol"])._replace(name=str(told["name"]))
        if told["action"] not in (journal.BUY, journal.SELL) or told["order_type"] not in KINDS:
            raise ValueError
        wish = Order(
            told["action"], symbol, order.shares(told["quantity"], symbol), order.number(told["price"], "the price"),
            clock.now(), {}, str(told["reason"]), str(told["session"]), proposal.actor,
            "; ".join(filter(None, [f"proposal {proposal.id}", str(told["price_from"])])),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, IaError):
        raise BadData(
            "proposal {number} holds no trade", number=proposal.id, hint="drop it: `ia reject {number}`"
        ) from None
    return wish, str(told["order_type"])


def approved(desk: Desk, proposal: Proposal) -> Entry:
    """Journal what a person agreed to. One that was journalled already, by an approval that was interrupted, stays.

    raises  what entering.trade() raises: the guard is asked now.
    """
    wish, _ = order_of(proposal)
    found = _found(desk.ws, proposal)
    if found is not None:
        return found
    from ia.organs.ledger import entering  # listing what waits enters nothing

    try:
        return entering.trade(desk, wish, key=key(proposal)).entry
    except Refused as exc:
        if exc.hint is None:
            raise
        raise Refused(
            "{reason}", reason=Message(exc.template, **exc.params), side=wish.side, symbol=wish.symbol.canonical,
            count=plain(wish.quantity), price=plain(wish.price), number=proposal.id,
            hint="if it is meant so: `ia trade {side} {symbol} {count} {price} --override --because WHY`, and"
            " `ia reject {number}`",
        ) from None  # fmt: skip


def key(proposal: Proposal) -> str:
    """Return the key of the entry that a proposal becomes."""
    return f"proposal:{proposal.id}"


def entry_of(ws: Workspace, proposal: Proposal) -> Entry:
    """Return the entry that an approved trade became. raises NotFound."""
    found = _found(ws, proposal)
    if found is None:
        raise NotFound("there is no entry of proposal {number}", number=proposal.id)
    return found


def _found(ws: Workspace, proposal: Proposal) -> Entry | None:
    return journal.by_key(ws.db, key(proposal))


def document(desk: Desk, proposal: Proposal) -> dict[str, Any]:
    """Return a trade that is to be journalled as plain data; `messages`: what the guard says of it now."""
    wish, kind = order_of(proposal)
    entry = order.entry_of(wish)
    messages: list[Message] = [breach.message for breach in desk.checked(wish)]
    return {
        "action": wish.side, "symbol": str(wish.symbol), "quantity": format(wish.quantity, "f"),
        "price": format(wish.price, "f"), "currency": entry.currency, "amount": format(entry.cash or Decimal(0), "f"),
        "fees": format(entry.fees, "f"), "order_type": kind, "reason": wish.reason, "origin": wish.origin,
        "messages": messages,
    }  # fmt: skip


def waiting(ws: Workspace) -> list[dict[str, Any]]:
    """Return the trades that wait for a person, as pending orders."""
    found = []
    for proposal in proposals.pending(ws):
        if proposal.kind == proposals.TRADE:
            try:
                wish, kind = order_of(proposal)
            except BadData:
                continue
            found.append({
                "order_id": str(proposal.id), "action": wish.side, "symbol": wish.symbol.canonical,
                "quantity": float(wish.quantity), "price": float(wish.price), "order_type": kind,
                "time": proposal.time,
            })  # fmt: skip
    return found
