"""Entries and generated histories for the ledger, and a brute force that counts them share by share."""

import random
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from ia.organs.ledger import journal
from ia.organs.ledger.journal import JournalEntry
from ia.organs.ledger.order import day_start


def D(text):
    return None if text is None else Decimal(text)


def entry(kind, day, symbol="600000.SH", quantity=None, price=None, cash=None, ratio=None, fees="0", id=0, **more):
    stamp = day_start(day) if kind in journal.ACTIONS else f"{day}T07:00:00.000Z"  # the close
    if cash is None and quantity is not None and price is not None:
        cash = Decimal(quantity) * Decimal(price)
    return JournalEntry(
        id=id,
        time=stamp,
        date=day,
        kind=kind,
        symbol=symbol,
        price=D(price),
        quantity=D(quantity),
        cash=D(cash),
        ratio=D(ratio),
        commission=D(fees),
        **more,
    )


def half_up(x):
    """Fraction of money to whole cents, half away from zero."""
    scaled = abs(x) * 100
    whole = scaled.numerator // scaled.denominator
    whole += (scaled - whole) * 2 >= 1
    return Fraction(-whole if x < 0 else whole, 100)


class Brute:
    """One security, every share an object of its own: the purchase that it came from."""

    def __init__(self, method):
        self.method, self.shares, self.left, self.pool = method, [], {}, Fraction(0)
        self.realized = self.dividends = self.fees = self.cash = self.bought = Fraction(0)

    def cost(self):
        return self.pool if self.method == "average" else sum(self.left.values(), Fraction(0))

    def buy(self, number, quantity, amount, fees):
        self.shares += [number] * quantity
        self.left[number] = amount + fees
        self.pool += amount + fees
        self.fees += fees
        self.bought += amount + fees
        self.cash -= amount + fees

    def sell(self, quantity, amount, fees):
        if self.method == "average":
            cost = half_up(self.pool * quantity / len(self.shares)) if quantity < len(self.shares) else self.pool
            self.pool -= cost
            del self.shares[:quantity]
        else:
            cost = Fraction(0)
            before = {number: self.shares.count(number) for number in set(self.shares)}
            gone, self.shares = self.shares[:quantity], self.shares[quantity:]
            for number in set(gone):
                taken = gone.count(number)
                part = self.left[number]
                if taken < before[number]:
                    part = half_up(part * taken / before[number])
                self.left[number] -= part
                cost += part
        self.realized += amount - fees - cost
        self.fees += fees
        self.cash += amount - fees

    def dividend(self, per_share):
        paid = half_up(per_share * len(self.shares))
        self.dividends += paid
        self.cash += paid

    def grow(self, factor):
        grown, done = [], 0
        for place, number in enumerate(self.shares, 1):
            upto = int(place * factor)
            grown += [number] * (upto - done)
            done = upto
        lost = self.cost() if self.shares and not grown else Fraction(0)
        order = list(dict.fromkeys(self.shares))
        carried = Fraction(0)
        for number in order:
            if number not in grown:
                carried += self.left[number]
                self.left[number] = Fraction(0)
            elif carried:
                self.left[number] += carried
                carried = Fraction(0)
        if carried and grown:
            self.left[grown[-1]] += carried
        if not grown and self.shares:
            self.realized -= lost
            self.pool = Fraction(0)
            self.left = {number: Fraction(0) for number in self.left}
        self.shares = grown


SYMBOLS = {"600000.SH": "CNY", "000333.SZ": "CNY", "00700.HK": "HKD", "AAPL.US": "USD"}


def history(seed):
    """Return what truly happened: (day, symbol, kind, numbers), by day, actions first; never more sold than held."""
    dice = random.Random(seed)
    held = dict.fromkeys(SYMBOLS, 0)
    day = date(2022, 1, 4)
    events = []
    for _ in range(dice.randint(5, 45)):
        day += timedelta(days=dice.choice([0, 0, 1, 1, 2, 9, 40]))
        symbol = dice.choice(list(SYMBOLS)[: dice.randint(1, 4)])
        price = Fraction(dice.randint(50, 200000), dice.choice([100, 1000]))
        kind = dice.choice(["buy", "buy", "buy", "sell", "sell", "close", "dividend", "bonus", "split"])
        if kind in ("dividend", "bonus", "split"):
            day += timedelta(days=1)
        fees = Fraction(dice.randint(0, 9000), 100)
        if kind == "buy":
            quantity = dice.choice([1, 7, 100, 200, 300, 1100, dice.randint(1, 900)])
            held[symbol] += quantity
            events.append((day, symbol, "buy", quantity, price, fees))
        elif kind in ("sell", "close") and held[symbol]:
            quantity = held[symbol] if kind == "close" else dice.randint(1, held[symbol])
            held[symbol] -= quantity
            events.append((day, symbol, "sell", quantity, price, fees))
        elif kind == "dividend":
            events.append((day, symbol, "dividend", Fraction(dice.randint(1, 40000), 10000)))
        elif kind in ("bonus", "split"):
            ratio = (
                Fraction(dice.choice([1, 2, 3, 5, 10, 33]), 10)
                if kind == "bonus"
                else Fraction(dice.choice([2, 3, 7, 0.5, 0.1, 1.5]))
            )
            factor = ratio + 1 if kind == "bonus" else ratio
            if kind == "split":
                ratio = factor = Fraction(str(float(factor)))
            held[symbol] = int(held[symbol] * factor)
            events.append((day, symbol, kind, ratio))
    return events


def as_decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def entered(ws, events, dice):
    """Enter what happened into a real journal, with slips on the way that are corrected or voided later."""
    slips = []
    for day, symbol, kind, *numbers in events:
        text = day.isoformat()
        if kind in ("buy", "sell"):
            quantity, price, fees = numbers
            fields = {
                "quantity": str(quantity),
                "price": str(as_decimal(price)),
                "cash": str(as_decimal(half_up(price * quantity))),
                "fees": str(as_decimal(fees)),
            }
        elif kind == "dividend":
            fields = {"price": str(as_decimal(numbers[0]))}
        else:
            fields = {"ratio": str(as_decimal(numbers[0]))}
        made = entry(kind, text, symbol, currency=SYMBOLS[symbol], **fields)
        slip = dice.random()
        if slip < 0.15:  # a wrong amount, a wrong day: corrected, some of them twice
            wrong = made._replace(cash=Decimal("1.23") if made.cash is not None else None)
            (done,) = journal.append_entries(ws, [wrong])
            for _ in range(dice.randint(0, 1)):
                (done,) = journal.append_entries(
                    ws, [wrong._replace(corrects=done.id, cash=Decimal("4.56") if made.cash is not None else None)]
                )
            slips.append((done.id, made))
        else:
            if slip < 0.3:  # entered twice: one is void later
                (twice,) = journal.append_entries(ws, [made])
                slips.append((twice.id, None))
            journal.append_entries(ws, [made])
    dice.shuffle(slips)
    for number, right in slips:
        if right is None:
            old = journal.get_entry(ws.db, number)
            void = JournalEntry(
                id=0,
                time=old.time,
                date=old.date,
                kind="void",
                symbol=old.symbol,
                currency=old.currency,
                corrects=number,
            )
            journal.append_entries(ws, [void])
        else:
            journal.append_entries(ws, [right._replace(corrects=number)])


def brute(events, method, until=None):
    found = {}
    for number, (day, symbol, kind, *numbers) in enumerate(events):
        if until is not None and day > until:
            continue
        one = found.setdefault(symbol, Brute(method))
        if kind == "buy":
            quantity, price, fees = numbers
            one.buy(number, quantity, half_up(price * quantity), fees)
        elif kind == "sell":
            quantity, price, fees = numbers
            one.sell(quantity, half_up(price * quantity), fees)
        elif kind == "dividend":
            one.dividend(*numbers)
        else:
            one.grow(numbers[0] + (kind == "bonus"))
    return found


def agree(books, found):
    for symbol, one in found.items():
        held = books.holdings[symbol]
        told = (held.quantity, held.cost, held.realized, held.dividends, held.fees, held.bought)
        expected = (len(one.shares), one.cost(), one.realized, one.dividends, one.fees, one.bought)
        assert tuple(map(Fraction, told)) == tuple(map(Fraction, expected)), symbol
        assert sum((lot.quantity for lot in held.lots), Decimal(0)) == held.quantity
        assert sum((lot.cost for lot in held.lots), Decimal(0)) == held.cost
    for currency in set(SYMBOLS.values()):
        cash = sum((one.cash for symbol, one in found.items() if SYMBOLS[symbol] == currency), Fraction(0))
        told = books.cash[currency].balance if currency in books.cash else Decimal(0)
        assert Fraction(told) == cash
        days = books.cash[currency].days.values() if currency in books.cash else ()
        assert sum((Fraction(all_) for all_, _ in days), Fraction(0)) == cash
