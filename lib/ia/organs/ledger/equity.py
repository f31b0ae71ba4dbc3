"""What an account was worth at the end of each day, and what was brought in on it: the base of every return.

A day's equity is what `ia account` would have told then: cash and what is lent, and each position at its last close, to
the cent. A day without a close keeps the last one, after the corporate actions since.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import floor
from typing import NamedTuple

from ia.domain.performance.linking import ValueDay
from ia.domain.rules.fees import EXACT, round_to_cents
from ia.kernel.errors import Message
from ia.organs.ledger.booking import CashAccount, Holding
from ia.organs.ledger.journal import ZERO

_PRICE = Decimal("0.0001")
Closes = Callable[[str, str], Sequence[tuple[str, float]]]
"""(symbol, from this day) -> (date, close), oldest first, with the last one before that day."""


class EquityHistory(NamedTuple):
    """The equity of one currency by day, from the first entry on.

    days      a row for each day with a close of something held, or an entry. `session`: there was a close
    invested  what had been brought in until the end of each day, less what was taken out
    begin     the first day with money or a position, "" without one
    """

    currency: str
    days: list[ValueDay]
    invested: list[float]

    @property
    def begin(self) -> str:
        """The first day of the history, "" where there is none."""
        return self.days[0].day if self.days else ""


def build_equity(
    currency: str,
    cash: CashAccount,
    holdings: Iterable[Holding],
    closes: Closes,
    *,
    opening: Decimal | None = None,
    sessions: Collection[str] = (),
) -> EquityHistory:
    """Return the daily equity of a currency, of its cash and all that was ever held in it.

    opening   capital that counts as brought in on the first day, where no deposit is in the journal
    sessions  days that count as sessions beside those with a close of something held (of an index, of the calendar)
    """
    holdings = [each for each in holdings if each.history]
    changes = defaultdict[str, int](int)
    traded: set[str] = set()
    unpriced: list[tuple[str, str, str]] = []
    for holding in holdings:
        gap = _add_values(holding, closes(holding.symbol, holding.history[0][0]), changes, traded)
        if gap is not None:
            unpriced.append((holding.symbol, *gap))
    begin = min([*cash.days, *(each.history[0][0] for each in holdings)], default="")
    days = sorted({*changes, *cash.days, *(day for day in sessions if day >= begin)}) if begin else []
    traded.update(sessions)
    money = invested = round(opening * 100) if opening is not None else 0
    worth, found, paid = 0, [], []
    for at, day in enumerate(days):
        moved, flow = cash.days.get(day, (ZERO, ZERO))
        came = round(flow * 100) + (money if not at and opening is not None else 0)
        worth += changes.get(day, 0)
        money += round(moved * 100)
        invested += round(flow * 100)
        missing = _find_gap(unpriced, day)
        value = None if missing else (money + worth) / 100
        found.append(ValueDay(day=day, value=value, flow=came / 100, session=day in traded, missing=missing))
        paid.append(invested / 100)
    return EquityHistory(currency, found, paid)


def end_with(history: EquityHistory, day: str, equity: Decimal | None) -> EquityHistory:
    """Return a history that ends with what the account is worth now, at prices of a day that may still go on."""
    if not history.days or equity is None or day < history.days[-1].day:
        return history
    last, value = history.days[-1], float(equity)
    if day == last.day:
        return history._replace(days=[*history.days[:-1], last._replace(value=value, missing=None)])
    return EquityHistory(
        history.currency, [*history.days, ValueDay(day, value)], [*history.invested, history.invested[-1]]
    )


def _find_gap(unpriced: Sequence[tuple[str, str, str]], day: str) -> Message | None:
    """Return why the equity of a day is not known; None where it is."""
    for symbol, first, last in unpriced:
        if first <= day < last:
            return Message("no price of {symbol} on {day} is stored", symbol=symbol, day=day)
    return None


def _add_values(
    holding: Holding, closes: Sequence[tuple[str, float]], changes: defaultdict[str, int], traded: set[str]
) -> tuple[str, str] | None:
    """Add to each day by how many cents a holding's value changed on it; return the days without a price, if any.

    On a day its corporate actions come first, unless the close is the one after them; then the close; then what was
    bought and sold. A hundred holdings over years make this a loop to be kept small.
    """
    first, last = holding.history[0][0], "9999" if holding.quantity else holding.day
    marks = {(day if day > first else first): close for day, close in closes if day <= last}
    traded.update(day for day, _ in closes if first <= day <= last)
    counts = dict(holding.history)
    acts: dict[str, list[tuple[Decimal, Decimal]]] = {}
    if holding.acts:
        known = {day for day, _ in closes}
        for day, paid, ratio in holding.acts:
            if day not in known:
                acts.setdefault(day, []).append((paid, ratio))
    days: Iterable[str] = marks
    if acts or not marks.keys() >= counts.keys():
        days = sorted({*marks, *counts, *acts})
    shares, size, price, value = ZERO, 0.0, 0.0, 0
    gap: tuple[str, str] | None = None
    opening = next(iter(marks), "9999")
    for day in days:
        for less, times in acts.get(day, ()):
            exact = EXACT.divide(Decimal(repr(price)) - less, times)
            price = float(exact.quantize(_PRICE, ROUND_HALF_UP))
        price = marks.get(day, price)
        if day in counts:
            shares = counts[day]
            size = float(shares)
            if shares and day < opening and gap is None:
                gap = day, opening
        now = _to_cents(price, size, shares)
        if now != value:
            changes[day] += now - value
            value = now
        elif day in marks:
            changes[day] += 0
    return gap


def _to_cents(price: float, size: float, shares: Decimal) -> int:
    """Return the value of shares in cents, half up; exactly, where a float might fall on the wrong side."""
    exact = price * size * 100
    whole = floor(exact + 0.5)
    if abs(exact + 0.5 - round(exact + 0.5)) < 1e-6 + abs(exact) * 1e-15:
        return int(round_to_cents(EXACT.multiply(Decimal(repr(price)), shares)) * 100)
    return whole
