"""trade.*: the journal of trades. What a model executes is a proposal that the user decides on; no order is placed.

The ledger is imported by the call: every turn has these tools, few use them.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal

from ia.agent.tools import gate, gated_writes
from ia.agent.tools.builtin.account import MAX_ROWS, Session, Symbol
from ia.agent.tools.registry import CONFIRM, READ, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel import clock, proposals, untrusted
from ia.kernel.errors import Refused, UsageError
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.wiring.ledger_prices import open_ledger

if TYPE_CHECKING:
    from ia.organs.ledger.desk import LedgerDesk
    from ia.organs.ledger.guard import Breach
    from ia.organs.ledger.order import Order

AREA = "trades"


@tool("trade.execute", CONFIRM)
def propose_trade(
    scope: Scope,
    action: Annotated[Literal["buy", "sell", "close"], "close sells all that is held"],
    symbol: Annotated[str, "a code or a name"],
    quantity: Annotated[float | None, "shares; left out with close"] = None,
    order_type: Literal["market", "limit", "stop"] = "market",
    price: Annotated[float | None, "of a share; needed for limit and stop, else the latest stored one"] = None,
    reason: Annotated[str, "why, for the user who decides"] = "",
    made: Annotated[
        bool, "the user says it was made today: approved later, it is journalled under today's date"
    ] = False,
) -> Json:
    """Propose a trade to the user. The risk rules are checked first: `rejected` tells which one and its numbers, and is
    final. `submitted` waits for the user, who places the order elsewhere; approving it only journals it.
    """
    from ia.organs.ledger import account_documents, order, posting, trade_proposals

    gate.choose_write_mode(scope, AREA, confirm=True)
    desk = open_ledger(scope.ws, scope.notify)
    wish = _build_order(scope, desk, action, symbol, quantity, order_type, price, reason)
    breaches = desk.check_order(wish)
    refusing = [each for each in breaches if each.refuses]
    if refusing:
        return _describe_rejection(scope, refusing)
    try:
        posting.check_consistency(desk, [order.build_entry(wish)])
    except Refused as exc:
        return {"status": "rejected", "reason": Voice(scope.lang).say(exc)}
    filed = gated_writes.propose_content(
        scope,
        proposals.TRADE,
        wish.symbol.canonical,
        trade_proposals.serialize_order(wish, order_type, made=made),
        wish.reason,
    )
    return {
        "status": "submitted",
        "order_id": str(filed["proposal"]),
        "note": f"waits for the user: ia approve {filed['proposal']}; that journals it, no order is placed anywhere",
        "order": {
            "action": wish.side,
            "symbol": wish.symbol.canonical,
            "quantity": account_documents.json_number(wish.quantity),
            "price": account_documents.json_number(wish.price),
            "order_type": order_type,
            "price_from": wish.origin or None,
        },
        "warnings": [Voice(scope.lang).say(each.message) for each in breaches],
    }


def _build_order(
    scope: Scope,
    desk: "LedgerDesk",
    action: str,
    symbol: str,
    quantity: float | None,
    kind: str,
    price: float | None,
    reason: str,
) -> "Order":
    from ia.organs.ledger import journal, order, trade_proposals

    meant, moment = desk.resolve_symbol(symbol), clock.now()
    if quantity is None and action != "close":
        raise UsageError("quantity is missing: give the number of shares")
    if price is None and kind != trade_proposals.MARKET:
        raise UsageError("a {kind} order needs a price", kind=kind)
    count = (
        desk.shares_held(meant, moment)
        if quantity is None
        else order.parse_shares(_format_json_number(quantity), meant)
    )
    paid = None if price is None else order.parse_number(_format_json_number(price), "the price")
    side = journal.BUY if action == "buy" else journal.SELL
    words = " ".join(untrusted.fold_text(reason).split())[: trade_proposals.MAX_REASON]
    wish = order.Order(
        side=side,
        symbol=meant,
        quantity=count,
        price=paid or count,
        moment=moment,
        fees={},
        reason=words,
        session=scope.session,
        actor=scope.actor,
    )
    return wish if paid is not None else order.price_order(wish, desk.latest_price(meant, moment))


def _format_json_number(number: float) -> str:
    """Return a JSON number as it was written; what is none (NaN, infinite) as it stands, to be refused."""
    return format(Decimal(repr(number)), "f") if number - number == 0 else repr(number)


def _describe_rejection(scope: Scope, breaches: "list[Breach]") -> Json:
    from ia.organs.ledger import account_documents

    told = [Voice(scope.lang).say(each.message) for each in breaches]
    rules = [
        {
            "rule": each.rule,
            "value": account_documents.json_number(each.value),
            "limit": account_documents.json_number(each.limit),
            "message": text,
        }
        for each, text in zip(breaches, told, strict=True)
    ]
    return {"status": "rejected", "reason": "; ".join(told), "rules": rules}


@tool("trade.list", READ)
def list_entries(
    scope: Scope, symbol: Symbol = "", session: Session = "", limit: Annotated[int, AtLeast(1)] = 50
) -> Sequence[Mapping[str, object]]:
    """List the entries of the journal, newest first: what was bought, sold, paid out and brought in, with fees."""
    from ia.organs.ledger import account_documents, journal

    meant = open_ledger(scope.ws).resolve_symbol(symbol).canonical if symbol else ""
    found = [
        account_documents.entry_document(entry)
        for entry, by in journal.list_entries(scope.ws.db, symbol=meant, session=session)
        if by is None and entry.kind != journal.VOID
    ]
    return found[::-1][: max(1, min(limit, MAX_ROWS))]


@tool("trade.rules", READ)
def list_rules(scope: Scope, market: Literal["CN", "HK", "US"] = "CN") -> Json:
    """List what a trade costs and which rules hold today: stamp duty, transfer fee, price limits, lots, settlement,
    dividend tax, each with its first day and source; `commission` is the user's setting.
    """
    from ia.domain.rules.table import UNVERIFIED, rules_in_force
    from ia.organs.ledger import account_documents, order

    del scope
    agreed, number = order.load_commission(market), account_documents.json_number
    day = clock.now().date().isoformat()
    return {
        "date": day,
        "market": market,
        "commission": {
            "pct": number(agreed.pct),
            "per_share": number(agreed.per_share),
            "min": number(agreed.least),
            "known": agreed.known,
        },
        "rules": [
            {
                "rule": rule.what,
                "market": rule.market,
                "value": rule.value,
                "unit": rule.unit,
                "since": rule.since,
                "source": rule.source,
                "unverified": rule.checked == UNVERIFIED,
            }
            for rule in rules_in_force(market, day)
        ],
    }
