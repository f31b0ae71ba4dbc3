"""Corrections: an entry takes the place of the one it replaces, whatever was traded on the same day."""

import random
from dataclasses import asdict, dataclass
from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import Refused
from ia.organs.ledger import journal, posting
from ia.organs.ledger.booking import book_entries
from ia.organs.ledger.order import Order, parse_trade_time
from ia.organs.ledger.posting import Correction
from ia.wiring.ledger_prices import open_ledger
from support.journals import SYMBOLS, agree, as_decimal, brute, entry, half_up, history


@pytest.fixture
def desk(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2030-01-02T16:00+08:00")
    return open_ledger(ws)


def traded(desk, side, quantity, price, when, code="AAPL.US"):
    symbol = from_canonical(code)
    wish = Order(
        side=side,
        symbol=symbol,
        quantity=Decimal(quantity),
        price=Decimal(price),
        moment=parse_trade_time(when, symbol),
    )
    return posting.post_trade(desk, wish, override="as it was").entry


def corrected(desk, number, **change):
    return posting.correct_entry(desk, number, Correction(**change), because="a slip", override="a slip").entry


@pytest.mark.parametrize("times", [("2024-03-05",) * 3, ("2024-03-05T10:00", "2024-03-05T10:00", "2024-03-05T11:00")])
def test_a_buy_that_was_sold_the_same_day_is_corrected_in_its_place_again_and_again(ws, desk, times):
    posting.post_cash(desk, posting.cash_entry("deposit", Decimal(100000), "USD", "2024-01-02"))
    buy = traded(desk, "buy", "10", "180", times[0])
    sale = traded(desk, "sell", "10", "182", times[1])
    traded(desk, "buy", "5", "181", times[2])
    for price in ("181", "179", "180.5"):
        buy = corrected(desk, buy.id, price=price)
    sale = corrected(desk, sale.id, price="183")
    held = book_entries(journal.effective_entries(ws.db)).holdings["AAPL.US"]
    assert held.quantity == 5 and held.realized == 25 - buy.fees - sale.fees
    with pytest.raises(Refused, match="5 held on 2024-03-05; cannot sell 10"):
        corrected(desk, buy.id, quantity="5")
    with pytest.raises(Refused):
        posting.void_entry(desk, buy.id, "no such trade")
    posting.void_entry(desk, sale.id, "no such trade")
    posting.void_entry(desk, buy.id, "no such trade")
    assert book_entries(journal.effective_entries(ws.db)).holdings["AAPL.US"].quantity == 5


def test_a_correction_keeps_the_reason_of_the_trade_and_has_its_own(ws, desk):
    wish = Order(
        side="buy",
        symbol=from_canonical("AAPL.US"),
        quantity=Decimal(10),
        price=Decimal(180),
        moment=parse_trade_time("2024-03-05"),
        reason="ROE>20",
    )
    first = posting.post_trade(desk, wish).entry
    second = posting.correct_entry(desk, first.id, Correction(price="181"), because="misread").entry
    third = posting.correct_entry(desk, second.id, Correction(reason="ROE>25"), because="wrong sheet").entry
    assert [(each.reason, each.note) for each in (second, third)] == [("ROE>20", "misread"), ("ROE>25", "wrong sheet")]
    assert journal.get_entry(ws.db, third.id)[:-1] == third[:-1]
    paid = posting.post_cash(desk, posting.cash_entry("deposit", Decimal(5), "USD", "2024-01-02", because="salary"))
    done = posting.correct_entry(desk, paid.id, Correction(amount="6", when="2024-01-03"), because="typo").entry
    assert (done.reason, done.note, done.time) == ("salary", "typo", "2024-01-02T16:00:00.000Z")


@dataclass
class Slip:
    """An entry that was made wrongly: its number, and what puts it right (None: it never happened)."""

    number: int
    change: Correction | None


def entered_with_slips(desk, events, dice):
    """Enter what happened, with wrong prices, fees, quantities, ratios and doubles, and return the slips."""
    slips, clocks = [], {}
    for day, symbol, kind, *numbers in events:
        made = entry(kind, day.isoformat(), symbol, currency=SYMBOLS[symbol])
        if kind in ("buy", "sell"):
            quantity, price, fees = numbers
            price = as_decimal(price)
            step = clocks[day] = clocks.get(day, 0) + dice.choice([0, 0, 1])
            made = made._replace(
                price=price, quantity=Decimal(quantity), cash=as_decimal(half_up(numbers[1] * quantity)),
                commission=as_decimal(fees), time=made.time.replace("00.000Z", f"{min(step, 59):02}.000Z"),
            )  # fmt: skip
        elif kind == "dividend":
            made = made._replace(price=as_decimal(numbers[0]))
        else:
            made = made._replace(ratio=as_decimal(numbers[0]))
        wrong, change = made, None
        chance = dice.random()
        if chance < 0.3 and kind in ("buy", "sell"):
            known = {"commission": made.commission, "stamp": Decimal(0), "transfer": Decimal(0), "other": Decimal(0)}
            if dice.random() < 0.5:
                wrong, change = made._replace(price=made.price + 1), Correction(price=str(made.price), fees=known)
            elif kind == "buy":
                wrong, change = (
                    made._replace(quantity=made.quantity + 7),
                    Correction(quantity=str(made.quantity), fees=known),
                )
            else:
                wrong, change = made._replace(commission=Decimal("77.77")), Correction(fees=known)
        elif chance < 0.3 and kind == "dividend":
            wrong, change = made._replace(price=made.price * 2), Correction(price=str(made.price))
        (done,) = journal.append_entries(desk.ws, [wrong])
        if change is not None:
            slips.append(Slip(done.id, change))
            if dice.random() < 0.3:  # a correction that is corrected itself
                slips.append(Slip(done.id, change))
        elif chance > 0.9 and kind == "buy":
            (twice,) = journal.append_entries(desk.ws, [made])
            slips.append(Slip(twice.id, None))
    dice.shuffle(slips)
    return slips


@pytest.mark.process
@pytest.mark.parametrize("block", [0, *(pytest.param(at, marks=pytest.mark.soak) for at in (15, 30, 45))])
def test_corrections_of_random_histories_agree_with_a_brute_force(tmp_path_factory, monkeypatch, block):
    from ia.kernel.workspace import Workspace

    monkeypatch.setenv("IA_NOW", "2030-01-02T16:00+08:00")
    ws, made = Workspace(str(tmp_path_factory.mktemp("corrected"))), 0
    desk = open_ledger(ws)
    for seed in range(block, block + 15):
        events, dice = history(seed), random.Random(seed)
        ws.db.execute("DROP TRIGGER IF EXISTS trades_no_delete")
        ws.db.execute("DELETE FROM trades")
        latest = {}
        for slip in entered_with_slips(desk, events, dice):
            number = latest.get(slip.number, slip.number)
            if slip.change is None:
                posting.void_entry(desk, number, "entered twice")
            else:
                latest[slip.number] = corrected(desk, number, **asdict(slip.change)).id
            made += 1
        for method in ("average", "fifo"):
            agree(book_entries(journal.effective_entries(ws.db), method=method), brute(events, method))
    assert made > 60
    ws.close()
