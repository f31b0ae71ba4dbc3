"""All that is owned, in one base currency: the total, the rates behind it, and how it is spread."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.domain.rules.fees import EXACT, round_to_cents
from ia.kernel import clock, config
from ia.kernel.errors import Message, Notify, SimulatedBesides
from ia.organs.ledger.account import Account, CurrencyAccount, sum_if_known
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.exchange import YUAN, Exchange, ExchangeRate, StoredRates
from ia.organs.ledger.journal import ZERO
from ia.organs.ledger.order import parse_currency

CASH, LENT, UNKNOWN = "cash", "lent", "unknown"
BY = ("security", "industry", "market", "currency")


@dataclass
class NetWorth:
    """An account in one currency. None: not known, and `missing` tells why.

    value   of the positions. lent: money that is out and comes back
    rates   of the other currencies that there is something in
    notes   what is counted without a deposit
    """

    base: str
    cash: Decimal | None = ZERO
    lent: Decimal | None = ZERO
    value: Decimal | None = ZERO
    equity: Decimal | None = ZERO
    rates: list[ExchangeRate] = field(default_factory=list)
    missing: list[Message] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)

    @property
    def simulated(self) -> bool:
        """Whether a rate is made up."""
        return any(each.simulated for each in self.rates)


class Share(NamedTuple):
    """A part of what is owned. kind: security, industry, market, currency, cash or lent; UNKNOWN as a name is said.

    value   in the base currency; None where a price or rate lacks. weight_pct: per cent of all that is known
    securities   how many are in it
    """

    kind: str
    name: str
    value: Decimal | None
    weight_pct: Decimal | None
    securities: int


def base_currency(text: str = "") -> str:
    """Return the currency of totals: the one that is named, else that of the setting `ledger.base`.

    raises  UsageError for a currency that the ledger does not know.
    """
    return parse_currency(text or str(config.get_setting("ledger.base")))


def sum_net_worth(account: Account, base: str, known: Mapping[str, StoredRates], day: str) -> NetWorth:
    """Return an account in one currency at the rates of a day."""
    exchange, found = Exchange(base, known), NetWorth(base)
    for currency, purse in account.purses.items():
        parts = (account.cash_in_whole(currency), purse.lent, purse.value)
        if not any(part is None or part for part in parts):
            continue
        if account.counts_booked(currency):
            found.notes.append(_note_booked(purse))
        elif purse.cash is None:
            found.missing.append(Message("cash in {currency} is unknown", currency=currency))
        if purse.value is None:
            names = ", ".join(
                each.symbol for each in account.positions if each.currency == currency and each.value is None
            )
            found.missing.append(Message("no price of {symbols} is stored", symbols=names))
        rate = exchange.find_rate(currency, day)
        if isinstance(rate, Message):
            found.missing.append(rate)
            found.cash = found.lent = found.value = None
            continue
        if currency != base:
            found.rates.append(rate)
        cash, lent, value = (_multiply_exactly(part, rate) for part in parts)
        found.cash, found.lent = sum_if_known(found.cash, cash), sum_if_known(found.lent, lent)
        found.value = sum_if_known(found.value, value)
    _round_once(found)
    return found


def _round_once(found: NetWorth) -> None:
    """Round the sums to the cent: the whole as `ia profit` rounds it, and what is held to the rest of it."""
    whole = sum_if_known(sum_if_known(found.cash, found.lent), found.value)
    found.equity = None if whole is None else round_to_cents(whole)
    found.cash, found.lent, found.value = (
        None if part is None else round_to_cents(part) for part in (found.cash, found.lent, found.value)
    )
    if found.equity is not None and found.cash is not None and found.lent is not None and found.value:
        found.value = found.equity - found.cash - found.lent


def _note_booked(purse: CurrencyAccount) -> Message:
    """Return what is counted as the cash of a currency in which no deposit was entered."""
    template = (
        "no deposit in {currency} is entered, so what you paid counts as a debt of {amount} {currency}; if you"
        " exchanged money, enter `ia trade withdraw` and `ia trade deposit AMOUNT --currency {currency}`"
        if purse.booked < 0
        else "no deposit in {currency} is entered, so the {amount} {currency} that its entries come to count as cash"
    )
    return Message(template, currency=purse.currency, amount=f"{abs(purse.booked):,.2f}")


def load_net_worth(desk: LedgerDesk, account: Account, base: str = "") -> NetWorth:
    """Return an account in one currency at the latest stored rates; `base` by default is the setting `ledger.base`."""
    base = base_currency(base)
    others = [name for name in (*account.purses, base) if name != YUAN] if set(account.purses) - {base} else []
    known = desk.market.exchange_rates(others) if others else {}
    return sum_net_worth(account, base, known, clock.today("CN"))


def load_allocation(desk: LedgerDesk, account: Account, worth: NetWorth, by: str) -> list[Share]:
    """Return how what is owned is spread by one of BY, with the industries that the store knows."""
    return allocate(account, worth, by, desk.market.industry)


def _multiply_exactly(money: Decimal | None, rate: ExchangeRate) -> Decimal | None:
    return None if money is None else EXACT.multiply(money, Decimal(repr(rate.rate)))


def convert_money(money: Decimal | None, rate: ExchangeRate) -> Decimal | None:
    """Return money at a rate, to the cent."""
    product = _multiply_exactly(money, rate)
    return None if product is None else round_to_cents(product)


def allocate(
    account: Account, worth: NetWorth, by: str, industry_of: Callable[[str], str] = lambda symbol: ""
) -> list[Share]:
    """Return how what is owned is spread, the largest part first; cash and lent money are parts of their own.

    By currency they belong to theirs. Weights are of all that is known, and where something is not, there are none.
    industry_of   of a canonical symbol, "" where nobody knows it
    """
    rates = {each.currency: each for each in worth.rates}
    parts: dict[tuple[str, str], tuple[Decimal | None, int]] = {}

    def add(kind: str, name: str, money: Decimal | None, currency: str, count: int) -> None:
        value = (
            money if currency == worth.base else convert_money(money, rates[currency]) if currency in rates else None
        )
        if not money and money is not None:
            value = ZERO
        had, number = parts.get((kind, name), (ZERO, 0))
        parts[kind, name] = sum_if_known(had, value), number + count

    for each in account.positions:
        name = each.symbol
        if by == "industry":
            name = industry_of(each.symbol) or UNKNOWN
        elif by == "market":
            name = from_canonical(each.symbol).market
        elif by == "currency":
            name = each.currency
        add(by, name, each.value, each.currency, 1)
    for currency, purse in account.purses.items():
        cash = account.cash_in_whole(currency)
        if by == "currency":
            add(by, currency, cash, currency, 0)
            add(by, currency, purse.lent, currency, 0)
        else:
            if cash is None or cash:
                add(CASH, currency, cash, currency, 0)
            if purse.lent:
                add(LENT, currency, purse.lent, currency, 0)
    whole = worth.equity
    shares = [
        Share(kind=kind, name=name, value=value, weight_pct=_weight(value, whole), securities=count)
        for (kind, name), (value, count) in parts.items()
    ]
    return sorted(shares, key=lambda each: (each.value is None, -(each.value or ZERO), each.kind, each.name))


def _weight(value: Decimal | None, whole: Decimal | None) -> Decimal | None:
    if value is None or whole is None or whole <= 0:
        return None
    return round_to_cents(EXACT.divide(value * 100, whole))


def notify_rates(account: Account, worth: NetWorth, notify: Notify) -> None:
    """Tell why a total is not known, what it counts without a deposit, and whether its rates are made up."""
    if not set(account.purses) - {worth.base}:
        return
    for message in worth.notes:
        notify(message)
    for message in worth.missing:
        notify(Message("the total in {base} is unknown: {reason}", base=worth.base, reason=message))
    if worth.simulated:
        notify(SimulatedBesides("the exchange rates are simulated"))
