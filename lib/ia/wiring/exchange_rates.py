"""Stored exchange rates, as the ledger converts with them, for whoever asks for one alone."""

from datetime import date

from ia.kernel import clock, dateforms
from ia.kernel.errors import Message, NotFound, Notify, SimulatedBesides, UsageError, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.ledger.exchange import YUAN, Exchange, ExchangeRate
from ia.wiring.ledger_prices import open_ledger

KNOWN = ("USD", "HKD", YUAN)
"""Currencies between which there are rates."""


def find_stored_rate(
    ws: Workspace, currency: str, base: str = YUAN, day: str | None = None, notify: Notify = drop_message
) -> ExchangeRate:
    """Return how much of `base` one unit of a currency was on a day, today by default, as of now().

    raises  UsageError for another currency, or one in itself; NotFound where no rate of that time is stored.
    """
    currency, base = currency.strip().upper(), base.strip().upper()
    for name in (currency, base):
        if name not in KNOWN:
            raise UsageError(
                "no exchange rates of {name:.20} are kept; known: {known}", name=name, known=", ".join(KNOWN)
            )
    if currency == base:
        raise UsageError("give two currencies, not {name} twice", name=base)
    today = clock.today("CN")
    asked = dateforms.parse_one_day(day, date.fromisoformat(today), option="date") if day else today
    rates = open_ledger(ws, notify).market.exchange_rates([currency, base])
    found = Exchange(base, rates).find_rate(currency, min(asked, today))
    if isinstance(found, Message):
        raise NotFound(found.template, code="no-rate", hint=None, **found.params)
    if found.simulated:
        notify(SimulatedBesides("the exchange rates are simulated"))
    return found
