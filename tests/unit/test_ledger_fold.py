"""The books against the worked cases, and against a brute force that counts share by share."""

import json
import os
import random
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from ia.domain.instruments.symbols import from_canonical, resolve
from ia.kernel import clock
from ia.kernel.errors import Refused
from ia.organs.ledger import journal
from ia.organs.ledger.fold import Lot, fold
from ia.organs.ledger.journal import Entry
from ia.organs.ledger.order import Order, at_open, entry_of
from ia.organs.ledger.taxed import due

SEEDS = int(os.environ.get("IA_SOAK", "0")) or 300


def D(text):
    return None if text is None else Decimal(text)


def entry(kind, day, symbol="600000.SH", quantity=None, price=None, cash=None, ratio=None, fees="0", id=0, **more):
    stamp = at_open(day) if kind in journal.ACTIONS else f"{day}T07:00:00.000Z"  # the close
    if cash is None and quantity is not None and price is not None:
        cash = Decimal(quantity) * Decimal(price)
    return Entry(
        id, stamp, day, kind, symbol, price=D(price), quantity=D(quantity), cash=D(cash), ratio=D(ratio),
        commission=D(fees), **more,
    )  # fmt: skip


# the worked cases


def cases(shared):
    return json.loads((shared / "ledger" / "cases.json").read_text())["cases"]


def case_entries(case):
    for trade in case["trades"]:
        symbol = resolve(trade["ticker"])
        moment = Order("buy", symbol, D("1"), D("1"), clock.parse(trade["date"] + "T15:00+08:00"))
        made = entry_of(
            moment._replace(side=trade["action"], quantity=D(str(trade["quantity"])), price=D(trade["price"]))
        )
        yield made, trade
    for action in case["actions"]:
        symbol = resolve(action["ticker"]).canonical
        if "cash" in action:
            yield entry("dividend", action["date"], symbol, price=action["cash"]), None
        else:
            yield entry("bonus", action["date"], symbol, ratio=action["bonus"]), None


def test_the_worked_cases_are_exact_to_the_cent_fees_included(shared):
    count = 0
    for case in cases(shared):
        entries = []
        for made, told in case_entries(case):
            entries.append(made)
            if told is not None:
                assert [str(x) for x in (made.cash, made.commission, made.transfer, made.stamp)] == [
                    told[name] for name in ("amount", "commission", "transfer", "stamp")
                ], case["name"]
        expect = case["expect"]
        for method in ("average", "fifo"):
            books = fold(entries, method=method)
            (held,) = books.holdings.values()
            assert held.quantity == expect["quantity"], case["name"]
            assert str(held.cost.quantize(Decimal("0.01"))) == expect[f"cost_{method}"], case["name"]
            assert str(held.realized.quantize(Decimal("0.01"))) == expect[f"realised_{method}"], case["name"]
            assert held.dividends == Decimal(expect["dividends"]), case["name"]
            sales = [str(sale.realized) for sale in books.sales]
            assert sales == [t[f"realised_{method}"] for t in case["trades"] if t["action"] == "sell"], case["name"]
            value = held.quantity * Decimal(case["last_price"])
            assert value == Decimal(expect["market_value"])
            if method == "average":
                assert value - held.cost == Decimal(expect["unrealised_average"])
            count += 1
    assert count >= 14


# brute force


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
            (done,) = journal.enter(ws, [wrong])
            for _ in range(dice.randint(0, 1)):
                (done,) = journal.enter(
                    ws, [wrong._replace(corrects=done.id, cash=Decimal("4.56") if made.cash is not None else None)]
                )
            slips.append((done.id, made))
        else:
            if slip < 0.3:  # entered twice: one is void later
                (twice,) = journal.enter(ws, [made])
                slips.append((twice.id, None))
            journal.enter(ws, [made])
    dice.shuffle(slips)
    for number, right in slips:
        if right is None:
            old = journal.get(ws.db, number)
            journal.enter(
                ws, [Entry(0, old.time, old.date, "void", old.symbol, currency=old.currency, corrects=number)]
            )
        else:
            journal.enter(ws, [right._replace(corrects=number)])


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


@pytest.mark.process
@pytest.mark.parametrize("block", range(0, SEEDS, 25))
def test_generated_histories_agree_with_a_brute_force_to_the_cent(tmp_path_factory, monkeypatch, block):
    from ia.kernel.workspace import Workspace

    sold = 0
    ws = Workspace(str(tmp_path_factory.mktemp("ledger")))
    for seed in range(block, min(block + 25, SEEDS)):
        events = history(seed)
        dice = random.Random(-seed)
        ws.db.execute("DROP TRIGGER IF EXISTS trades_no_delete")
        ws.db.execute("DELETE FROM trades")
        entered(ws, events, dice)
        for method in ("average", "fifo"):
            agree(fold(journal.standing(ws.db), method=method), brute(events, method))
            sold += sum(event[2] == "sell" for event in events)
        if events:  # the same, seen from a day in the middle
            middle = dice.choice(events)[0]
            monkeypatch.setenv("IA_NOW", middle.isoformat() + "T23:59:59+08:00")
            agree(fold(journal.standing(ws.db), method="fifo"), brute(events, "fifo", middle))
            monkeypatch.delenv("IA_NOW")
    assert sold > 100
    ws.close()


# single rules


def test_actions_count_on_what_was_held_at_the_close_before():
    bought = entry("buy", "2024-06-03", quantity="1000", price="10")
    paid = entry("dividend", "2024-06-03", price="1")
    books = fold([bought, paid])
    assert books.holdings["600000.SH"].dividends == 0
    books = fold([bought, paid._replace(date="2024-06-04")])
    assert books.holdings["600000.SH"].dividends == 1000


@pytest.mark.parametrize("turn", [1, -1])
def test_actions_of_one_day_do_not_grow_each_other_in_whatever_order_they_are_entered(turn):
    key = "action:600000.SH:2024-06-04:"
    actions = [
        entry("bonus", "2024-06-04", ratio="0.3", key=f"{key}a"), entry("bonus", "2024-06-04", ratio="0.2", key=f"{key}b"),
        entry("dividend", "2024-06-04", price="0.5", key=f"{key}c"),
    ][::turn]  # fmt: skip
    bought = entry("buy", "2024-06-03", quantity="1010", price="10")
    for told in (actions, [each._replace(key=None) for each in actions]):
        held = fold([bought, *told]).holdings["600000.SH"]
        assert (held.quantity, held.dividends) == (1010 + 303 + 202, 505)
    held = fold([bought, *actions]).holdings["600000.SH"]
    assert held.after(D("10"), "2024-06-03") == D("6.3333")  # (10 - 0.5) / 1.5


def test_a_fraction_of_a_bonus_share_is_cut_off_and_older_lots_grow_first():
    books = fold(
        [
            entry("buy", "2024-01-02", quantity="3", price="10", id=1),
            entry("buy", "2024-01-03", quantity="4", price="20", id=2),
            entry("bonus", "2024-02-01", ratio="0.5"),
        ],
        method="fifo",
    )
    held = books.holdings["600000.SH"]
    assert held.quantity == 10  # 10.5
    assert list(held.lots) == [Lot(D("4"), D("30"), "2024-01-02"), Lot(D("6"), D("80"), "2024-01-03")]


@pytest.mark.parametrize(
    ("symbol", "day", "tax"),
    [
        ("600000.SH", "2024-07-08", "40.00"),  # all 1000 up to a month: 20 %
        ("600000.SH", "2024-07-09", "20.00"),
        ("600000.SH", "2025-06-10", "0.00"),
        ("510300.SH", "2024-07-08", "0.00"),
        ("00700.HK", "2024-07-08", "0.00"),
    ],
)
def test_the_tax_on_dividends_goes_by_how_long_the_oldest_shares_were_held(symbol, day, tax):
    entries = [
        entry("buy", "2024-06-08", symbol, quantity="800", price="10", id=1),
        entry("dividend", "2024-06-12", symbol, price="0.25", id=2),
        entry("bonus", "2024-06-13", symbol, ratio="0.25", id=3),
        entry("buy", "2024-06-14", symbol, quantity="500", price="10", id=4),  # after the ex-day
        entry("sell", day, symbol, quantity="1200", price="10", id=5),
    ]
    assert str(due(entries, [], entries[-1])) == tax


def test_fractional_shares_stay_fractional():
    held = fold([
        entry("buy", "2024-01-02", "AAPL.US", quantity="0.5", price="100"), entry("split", "2024-02-01", "AAPL.US", ratio="3"),
    ]).holdings["AAPL.US"]  # fmt: skip
    assert held.quantity == D("1.5")


def test_selling_more_than_is_held_is_refused_with_both_numbers():
    with pytest.raises(Refused) as told:
        fold(
            [
                entry("buy", "2024-01-02", quantity="100", price="10"),
                entry("sell", "2024-01-03", quantity="200", price="9"),
            ]
        )
    assert "100 are held, 200 cannot be sold" in str(told.value)


def test_a_session_that_sold_more_than_it_bought_counts_what_it_bought():
    books = fold(
        [
            entry("buy", "2024-01-02", quantity="100", price="10"),
            entry("sell", "2024-01-03", quantity="200", price="9", fees="2"),
        ],
        lenient=True,
    )
    held = books.holdings["600000.SH"]
    assert (held.quantity, held.realized) == (0, D("-101"))
    assert books.lacking[0][1] == 100


def test_a_told_dividend_counts_in_place_of_the_known_one():
    bought = entry("buy", "2024-01-02", quantity="1000", price="10", id=1)
    known = entry("dividend", "2024-06-19", price="0.3", key="action:600000.SH:2024-06-19:dividend")
    for day in ("2024-06-19", "2024-06-21", "2024-08-01"):
        told = entry("dividend", day, cash="270", id=2, key="row:1")
        assert fold([bought, told], [known]).holdings["600000.SH"].dividends == 270
        assert fold([bought, told, known]).holdings["600000.SH"].dividends == 270
    tax = entry("dividend", "2024-12-01", cash="-30", id=2)
    assert fold([bought, tax], [known]).holdings["600000.SH"].dividends == 270


def test_what_is_bought_today_may_be_sold_tomorrow():
    books = fold([
        entry("buy", "2024-01-02", quantity="300", price="10", id=1), entry("buy", "2024-01-03", quantity="200", price="10", id=2),
        entry("sell", "2024-01-03", quantity="100", price="10", id=3),
    ])  # fmt: skip
    held = books.holdings["600000.SH"]
    assert (held.sellable("2024-01-03", 1), held.sellable("2024-01-03", 0), held.sellable("2024-01-04", 1)) == (
        200,
        400,
        400,
    )


def test_a_correction_keeps_the_place_of_what_it_corrects(ws):
    first, _ = journal.enter(ws, [
        entry("buy", "2024-01-02", quantity="100", price="10"), entry("sell", "2024-01-02", quantity="100", price="11"),
    ])  # fmt: skip
    journal.enter(ws, [first._replace(cash=D("1001"), corrects=first.id)])
    assert fold(journal.standing(ws.db)).holdings["600000.SH"].realized == 99


@pytest.mark.parametrize("verb", ["UPDATE trades SET cash = '0'", "DELETE FROM trades"])
def test_nothing_in_the_journal_is_ever_changed(ws, verb):
    import sqlite3

    journal.enter(ws, [entry("buy", "2024-01-02", quantity="100", price="10")])
    with pytest.raises(sqlite3.IntegrityError, match="only added to"):
        ws.db.execute(verb)


def test_symbols_are_of_the_markets_that_are_meant():
    assert [from_canonical(symbol).market for symbol in SYMBOLS] == ["CN", "CN", "HK", "US"]
