"""Money of one currency in another: the rate of a day, where it is from, and when it is too old to be used.

Rates are yuan for one unit of a currency (the central parity); others are found by way of the yuan. A day without a
rate (a weekend, a holiday) takes the last one before it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from ia.kernel.errors import Message

YUAN = "CNY"
MOST_AGE = 14
"""Days after which a rate is too old: the longest holidays of the mainland have no rate for eleven."""


class StoredRates(NamedTuple):
    """The known rates of one currency: yuan for one unit, by day, oldest first. source: who published them."""

    days: Sequence[str]
    yuan: Sequence[float]
    source: str
    simulated: bool = False


class ExchangeRate(NamedTuple):
    """How much of a base one unit of a currency is on a day; `date` is that of the older rate behind it."""

    currency: str
    base: str
    rate: float
    date: str
    source: str
    simulated: bool = False


class Exchange:
    """Converts money into one base currency."""

    def __init__(self, base: str, known: Mapping[str, StoredRates]) -> None:
        self.base, self._known = base, known

    def find_rate(self, currency: str, day: str) -> ExchangeRate | Message:
        """Return the rate of a day, or why there is none."""
        if currency == self.base:
            return ExchangeRate(currency=currency, base=self.base, rate=1.0, date=day, source="")
        parts = [self._find_yuan(each, day) for each in (currency, self.base) if each != YUAN]
        for part in parts:
            if isinstance(part, Message):
                return part
        found = [part for part in parts if isinstance(part, ExchangeRate)]
        rate = found[0].rate if currency != YUAN else 1.0
        if self.base != YUAN:
            rate /= found[-1].rate
        return ExchangeRate(
            currency=currency,
            base=self.base,
            rate=rate,
            date=min(each.date for each in found),
            source=found[0].source,
            simulated=any(each.simulated for each in found),
        )

    def rate_days(self, currencies: Iterable[str]) -> set[str]:
        """Return the days on which the rate of a currency to the base is told anew."""
        told = {name for currency in currencies if currency != self.base for name in (currency, self.base)}
        return {day for name in told if name in self._known for day in self._known[name].days}

    def _find_yuan(self, currency: str, day: str) -> ExchangeRate | Message:
        stored = self._known.get(currency)
        if stored is None or not stored.days or stored.days[0] > day:
            return Message(
                "no exchange rate of {currency} on {day} is stored; run `ia sync rates`", currency=currency, day=day
            )
        at = bisect_right(stored.days, day) - 1
        last = stored.days[at]
        if (date.fromisoformat(day) - date.fromisoformat(last)).days > MOST_AGE:
            return Message(
                "the last exchange rate of {currency} before {day} is of {last}; run `ia sync rates`",
                currency=currency,
                day=day,
                last=last,
            )
        return ExchangeRate(
            currency=currency,
            base=YUAN,
            rate=stored.yuan[at],
            date=last,
            source=stored.source,
            simulated=stored.simulated,
        )
