"""The rows of a run's orders: what was given, and what became of it."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from ia.faculties.lab.tickets import ExitTicket, Fill, Ticket, Unfilled

ZERO = Decimal(0)


class OrderRow(NamedTuple):
    """An order and what became of it. status: filled, partial, or that of `Unfilled`; `reason` why not all was filled.

    given      the day after whose close it was given
    ended      the day of the last fill, or on which it ended without; None where it still waits
    price      mean price of the fills
    """

    order: str
    given: str
    symbol: str
    side: str
    kind: str
    quantity: Decimal | None
    value: Decimal | None
    trigger: Decimal | None
    status: str
    reason: str
    ended: str | None
    filled: Decimal
    price: Decimal | None
    fees: Decimal
    dividend_tax: Decimal


def list_orders(tickets: Sequence[Ticket], fills: Iterable[Fill], unfilled: Iterable[Unfilled]) -> list[OrderRow]:
    """Return a row for each order and each attached exit that came to life, in the order in which they were given."""
    filled: dict[str, list[Fill]] = {}
    for fill in fills:
        filled.setdefault(fill.order, []).append(fill)
    ends = {each.order: each for each in unfilled}
    rows = []
    for ticket in tickets:
        name = str(ticket.number)
        rows.append(_order_row(ticket, name, filled.get(name, []), ends.get(name)))
        for exit_ticket in ticket.attached:
            exit_name = f"{name}.{exit_ticket.kind}"
            if exit_name in filled or exit_name in ends:
                born = filled[name][0] if name in filled else None
                rows.append(
                    _exit_row(ticket, exit_ticket, exit_name, born, filled.get(exit_name, []), ends.get(exit_name))
                )
    return rows


def _order_row(ticket: Ticket, name: str, fills: Sequence[Fill], end: Unfilled | None) -> OrderRow:
    return OrderRow(
        order=name,
        given=ticket.after,
        symbol=ticket.symbol,
        side=ticket.side,
        kind=ticket.kind,
        quantity=ticket.quantity,
        value=ticket.value,
        trigger=ticket.price,
        **(summarise_outcome(fills, end) | ({"reason": ticket.reason} if ticket.reason else {})),  # type: ignore[arg-type]
    )


def _exit_row(
    ticket: Ticket, exit_ticket: ExitTicket, name: str, born: Fill | None, fills: Sequence[Fill], end: Unfilled | None
) -> OrderRow:
    price = exit_ticket.price
    if exit_ticket.relative and born is not None:
        price *= born.price
    return OrderRow(
        order=name,
        given=born.date if born else ticket.after,
        symbol=ticket.symbol,
        side="sell",
        kind=exit_ticket.kind,
        quantity=None,
        value=None,
        trigger=price,
        **summarise_outcome(fills, end),  # type: ignore[arg-type]
    )


def summarise_outcome(fills: Sequence[Fill], end: Unfilled | None) -> dict[str, object]:
    """Return the fields of `OrderRow` that tell what became of an order."""
    if end is None and len(fills) == 1:
        (fill,) = fills
        return {
            "status": "filled",
            "reason": "",
            "ended": fill.date,
            "filled": fill.quantity,
            "price": fill.price,
            "fees": fill.fees.total,
            "dividend_tax": fill.dividend_tax,
        }
    quantity = sum((each.quantity for each in fills), ZERO)
    amount = sum((each.quantity * each.price for each in fills), ZERO)
    status = "filled" if end is None else "partial" if fills else end.status
    return {
        "status": status,
        "reason": end.reason if end else "",
        "ended": (end.date if end is not None else fills[-1].date if fills else None),
        "filled": quantity,
        "price": amount / quantity if quantity else None,
        "fees": sum((each.fees.total for each in fills), ZERO),
        "dividend_tax": sum((each.dividend_tax for each in fills), ZERO),
    }
