"""Corrections: an entry takes the place of the one it replaces, whatever was traded on the same day."""

import random
from dataclasses import dataclass
from decimal import Decimal

import pytest
from test_ledger_fold import SYMBOLS, agree, as_decimal, brute, entry, half_up, history

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import Refused
from ia.organs.ledger import entering, journal
from ia.organs.ledger.entering import Change
from ia.organs.ledger.fold import fold
from ia.organs.ledger.order import Order, moment_of
from ia.wiring.ledger_prices import open_ledger


@pytest.fixture
def desk(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2030-01-02T16:00+08:00")
    return open_ledger(ws)


def traded(desk, side, quantity, price, when, code="AAPL.US"):
    symbol = from_canonical(code)
    wish = Order(side, symbol, Decimal(quantity), Decimal(price), moment_of(when, symbol))
    return entering.trade(desk, wish, override="as it was").entry


def corrected(desk, number, **change):
    return entering.correct(desk, number, Change(**change), because="a slip", override="a slip").entry


@pytest.mark.parametrize("times", [("2024-03-05",) * 3, ("2024-03-05T10:00", "2024-03-05T10:00", "2024-03-05T11:00")])
def test_a_buy_that_was_sold_the_same_day_is_corrected_in_its_place_again_and_again(ws, desk, times):
    entering.money(desk, entering.moved("deposit", Decimal(100000), "USD", "2024-01-02"))
    buy = traded(desk, "buy", "10", "180", times[0])
    sale = traded(desk, "sell", "10", "182", times[1])
    traded(desk, "buy", "5", "181", times[2])
    for price in ("181", "179", "180.5"):
        buy = corrected(desk, buy.id, price=price)
    sale = corrected(desk, sale.id, price="183")
    held = fold(journal.standing(ws.db)).holdings["AAPL.US"]
    assert held.quantity == 5 and held.realized == 25 - buy.fees - sale.fees
    with pytest.raises(Refused, match="5 are held, 10 cannot be sold"):
        corrected(desk, buy.id, quantity="5")
    with pytest.raises(Refused):
        entering.void(desk, buy.id, "no such trade")
    entering.void(desk, sale.id, "no such trade")
    entering.void(desk, buy.id, "no such trade")
    assert fold(journal.standing(ws.db)).holdings["AAPL.US"].quantity == 5


def test_a_correction_keeps_the_reason_of_the_trade_and_has_its_own(ws, desk):
    wish = Order("buy", from_canonical("AAPL.US"), Decimal(10), Decimal(180), moment_of("2024-03-05"), reason="ROE>20")
    first = entering.trade(desk, wish).entry
    second = entering.correct(desk, first.id, Change(price="181"), because="misread").entry
    third = entering.correct(desk, second.id, Change(reason="ROE>25"), because="wrong sheet").entry
    assert [(each.reason, each.note) for each in (second, third)] == [("ROE>20", "misread"), ("ROE>25", "wrong sheet")]
    assert journal.get(ws.db, third.id)[:-1] == third[:-1]
    paid = entering.money(desk, entering.moved("deposit", Decimal(5), "USD", "2024-01-02", because="salary"))
    done = entering.correct(desk, paid.id, Change(amount="6", when="2024-01-03"), because="typo").entry
    assert (done.reason, done.note, done.time) == ("salary", "typo", "2024-01-02T16:00:00.000Z")


@dataclass
class Slip:
    """An entry that was made wrongly: its number, and what puts it right (None: it never happened)."""

    number: int
    change: Change | None


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
                wrong, change = made._replace(price=made.price + 1), Change(price=str(made.price), fees=known)
            elif kind == "buy":
                wrong, change = (
                    made._replace(quantity=made.quantity + 7),
                    Change(quantity=str(made.quantity), fees=known),
                )
            else:
                wrong, change = made._replace(commission=Decimal("77.77")), Change(fees=known)
        elif chance < 0.3 and kind == "dividend":
            wrong, change = made._replace(price=made.price * 2), Change(price=str(made.price))
        (done,) = journal.enter(desk.ws, [wrong])
        if change is not None:
            slips.append(Slip(done.id, change))
            if dice.random() < 0.3:  # a correction that is corrected itself
                slips.append(Slip(done.id, change))
        elif chance > 0.9 and kind == "buy":
            (twice,) = journal.enter(desk.ws, [made])
            slips.append(Slip(twice.id, None))
    dice.shuffle(slips)
    return slips


@pytest.mark.process
@pytest.mark.parametrize("block", range(0, 60, 15))
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
                entering.void(desk, number, "entered twice")
            else:
                latest[slip.number] = corrected(desk, number, **slip.change._asdict()).id
            made += 1
        for method in ("average", "fifo"):
            agree(fold(journal.standing(ws.db), method=method), brute(events, method))
    assert made > 60
    ws.close()
