"""All currencies of an account together: what the position limit is held against where there are several."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal

from ia.domain.rules.fees import EXACT, round_to_cents
from ia.kernel.errors import Message
from ia.organs.ledger.account import HUNDRED, Account
from ia.organs.ledger.booking import prorate_cost
from ia.organs.ledger.exchange import YUAN, Exchange, StoredRates
from ia.organs.ledger.journal import ZERO


def weigh_in_whole(account: Account, load_rates: Callable[[list[str]], Mapping[str, StoredRates]], day: str) -> None:
    """Tell each currency of an account what all of them come to in it at the rates of a day, and weigh its positions.

    Where there is one currency only, or where a price, cash or rate is not known, a position weighs in its own.
    """
    parts = {name: equity for name in account.purses if (equity := account.equity_in_whole(name)) != ZERO}
    if len(parts) < 2 or any(equity is None for equity in parts.values()):
        return
    exchange, rates = Exchange(YUAN, load_rates([name for name in parts if name != YUAN])), dict[str, Decimal]()
    for name in parts:
        rate = exchange.find_rate(name, day)
        if isinstance(rate, Message):
            return
        rates[name] = Decimal(repr(rate.rate))
    total = sum((EXACT.multiply(equity or ZERO, rates[name]) for name, equity in parts.items()), ZERO)
    if total <= 0:
        return
    for name in parts:
        account.purses[name].whole = round_to_cents(EXACT.divide(total, rates[name]))
    for at, each in enumerate(account.positions):
        whole = account.purses[each.currency].whole
        if each.value is not None and whole is not None:
            account.positions[at] = replace(each, limit_weight=prorate_cost(each.value, HUNDRED, whole))
