"""What a person is asked to write down when a position opens, grows or closes, while the reason is still known."""

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from ia.kernel.errors import Message, PluralText
from ia_cli.terminal.output import notify, tell_hint
from ia_cli.terminal.trade_view import format_number

if TYPE_CHECKING:
    from ia.organs.ledger.desk import LedgerDesk
    from ia.organs.ledger.journal import JournalEntry


def tell_moment(desk: "LedgerDesk", entry: "JournalEntry") -> None:
    """Ask for the reason of a purchase, for a note on a new position, or for the lesson of one that is closed."""
    from ia.domain.instruments.symbols import security_name
    from ia_cli.terminal.text import lang

    holding = desk.books().holdings.get(entry.symbol or "")
    if holding is None:
        return
    name = security_name(holding.symbol, holding.name, lang()) or holding.symbol
    if entry.kind == "buy":
        if not entry.reason:
            tell_hint("why? `ia trade correct {number} --reason WHY` keeps the reason", number=entry.id)
        elif holding.quantity == entry.quantity and entry.price is not None:
            _tell_opened(entry, name)
    elif entry.kind == "sell" and not holding.quantity:
        gain = next((sale.realized for sale in desk.books().sales if sale.entry.id == entry.id), None)
        _tell_closed(entry, name, gain, _find_opening(holding.history))


def _tell_opened(entry: "JournalEntry", name: str) -> None:
    from ia.organs.ledger.guard import format_limit, load_limits

    loss = load_limits().stop_loss_pct
    stop = (entry.price or Decimal(0)) * (100 - loss) / 100
    notify(
        Message(
            "new position: {name}; by your stop-loss rule of {limit} the stop is {stop:.2f}",
            name=name,
            limit=format_limit(loss),
            stop=stop,
        )
    )
    tell_hint("what would prove you wrong? `ia note positions/{name} TEXT` keeps it", name=name)


def _tell_closed(entry: "JournalEntry", name: str, gain: Decimal | None, opened: str) -> None:
    if gain is not None and opened:
        days = (date.fromisoformat(entry.date) - date.fromisoformat(opened)).days
        template = PluralText(
            "position closed: {name}, {gain} {currency} on this sale, {days} day after it was opened",
            "position closed: {name}, {gain} {currency} on this sale, {days} days after it was opened",
            by="days",
        )
        told = format_number(gain, sign=True)
        notify(Message(template, name=name, gain=told, currency=entry.currency, days=days))
    tell_hint("what did it teach you? `ia note positions/{name} TEXT` keeps it, `ia recall {name}` finds it", name=name)


def _find_opening(history: list[tuple[str, Decimal]]) -> str:
    """Return the day on which the position that is closed now was opened: the first one after it was last empty."""
    opened = ""
    for day, quantity in history:
        if quantity and not opened:
            opened = day
        elif not quantity and (day, quantity) != history[-1]:
            opened = ""
    return opened
