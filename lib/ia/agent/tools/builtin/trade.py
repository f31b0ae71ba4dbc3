"""trade.*: the journal of trades. What a model executes is a proposal that the user decides on; no order is placed.

The ledger is imported by the call: every turn has these tools, few use them.
"""

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ia.agent.tools import gate, writes
from ia.agent.tools.builtin.account import MAX_ROWS, Session, Symbol
from ia.agent.tools.refusals import said
from ia.agent.tools.registry import CONFIRM, READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel import clock, outside, proposals
from ia.kernel.errors import Message, Refused, UsageError
from ia.wiring.ledger_prices import open_ledger

if TYPE_CHECKING:
    from ia.organs.ledger.desk import Desk
    from ia.organs.ledger.guard import Breach
    from ia.organs.ledger.order import Order

AREA = "trades"


@tool("trade.execute", CONFIRM)
def execute(
    scope: Scope,
    action: Annotated[Literal["buy", "sell", "close"], "close sells all that is held"],
    symbol: Annotated[str, "a code or a name"],
    quantity: Annotated[float | None, "shares; left out with close"] = None,
    order_type: Literal["market", "limit", "stop"] = "market",
    price: Annotated[float | None, "of a share; needed for limit and stop, else the latest stored one"] = None,
    reason: Annotated[str, "why, for the user who decides"] = "",
) -> dict[str, Any]:
    """Propose a trade to the user. The risk rules are checked first: `rejected` tells which one and its numbers, and is
    final. `submitted` waits for the user, who places the order elsewhere; approving it only journals it.
    """
    from ia.organs.ledger import documents, entering, order, proposed

    gate.way(scope, AREA, confirm=True)
    desk = open_ledger(scope.ws, scope.notify)
    wish = _wish(scope, desk, action, symbol, quantity, order_type, price, reason)
    breaches = desk.checked(wish)
    refusing = [each for each in breaches if each.refuses]
    if refusing:
        return _rejected(scope, refusing)
    try:
        entering.consistent(desk, [order.entry_of(wish)])
    except Refused as exc:
        return {"status": "rejected", "reason": said(Message(exc.template, **exc.params), scope.lang)}
    made = writes.proposed(
        scope, proposals.TRADE, wish.symbol.canonical, proposed.text_of(wish, order_type), wish.reason
    )
    return {
        "status": "submitted", "order_id": str(made["proposal"]),
        "note": f"waits for the user: ia approve {made['proposal']}; that journals it, no order is placed anywhere",
        "order": {
            "action": wish.side, "symbol": wish.symbol.canonical, "quantity": documents.figure(wish.quantity),
            "price": documents.figure(wish.price), "order_type": order_type, "price_from": wish.origin or None,
        },
        "warnings": [said(each.message, scope.lang) for each in breaches],
    }  # fmt: skip


def _wish(
    scope: Scope,
    desk: "Desk",
    action: str,
    symbol: str,
    quantity: float | None,
    kind: str,
    price: float | None,
    reason: str,
) -> "Order":
    from ia.organs.ledger import journal, order, proposed

    meant, moment = desk.meant(symbol), clock.now()
    if quantity is None and action != "close":
        raise UsageError("how many shares? quantity is missing")
    if price is None and kind != proposed.MARKET:
        raise UsageError("a {kind} order needs a price", kind=kind)
    count = desk.held(meant, moment) if quantity is None else order.shares(_digits(quantity), meant)
    paid = None if price is None else order.number(_digits(price), "the price")
    side = journal.BUY if action == "buy" else journal.SELL
    words = " ".join(outside.folded(reason).split())[: proposed.MAX_REASON]
    wish = order.Order(side, meant, count, paid or count, moment, {}, words, scope.session, scope.actor)
    return wish if paid is not None else order.priced(wish, desk.latest(meant, moment))


def _digits(number: float) -> str:
    """Return a JSON number as it was written; what is none (NaN, infinite) as it stands, to be refused."""
    return format(Decimal(repr(number)), "f") if number - number == 0 else repr(number)


def _rejected(scope: Scope, breaches: "list[Breach]") -> dict[str, Any]:
    from ia.organs.ledger import documents

    told = [said(each.message, scope.lang) for each in breaches]
    rules = [
        {"rule": each.rule, "value": documents.figure(each.value), "limit": documents.figure(each.limit)}
        for each in breaches
    ]
    return {"status": "rejected", "reason": "; ".join(told), "rules": rules}


@tool("trade.list", READ)
def list_(scope: Scope, symbol: Symbol = "", session: Session = "", limit: int = 50) -> list[dict[str, Any]]:
    """List the entries of the journal, newest first: what was bought, sold, paid out and brought in, with fees."""
    from ia.organs.ledger import documents, journal

    meant = open_ledger(scope.ws).meant(symbol).canonical if symbol else ""
    found = [
        documents.document(entry)
        for entry, by in journal.listed(scope.ws.db, symbol=meant, session=session)
        if by is None and entry.kind != journal.VOID
    ]
    return found[::-1][: max(1, min(limit, MAX_ROWS))]
