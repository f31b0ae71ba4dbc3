"""The books against the worked cases, and against a brute force that counts share by share."""

import json
import os
import random
from dataclasses import replace
from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical, resolve_security
from ia.kernel import clock
from ia.kernel.errors import Refused
from ia.organs.ledger import journal
from ia.organs.ledger.booking import TaxLot, book_entries
from ia.organs.ledger.dividend_tax import estimate_dividend_tax
from ia.organs.ledger.order import Order, build_entry
from support.journals import SYMBOLS, D, agree, brute, entered, entry, history

SEEDS = max(int(os.environ.get("IA_SOAK", "0")), 300)
QUICK = 25
"""The others are for `make soak`."""


# the worked cases


def cases(shared):
    return json.loads((shared / "ledger" / "cases.json").read_text())["cases"]


def case_entries(case):
    for trade in case["trades"]:
        symbol = resolve_security(trade["ticker"])
        moment = Order(
            side="buy",
            symbol=symbol,
            quantity=D("1"),
            price=D("1"),
            moment=clock.parse_moment(trade["date"] + "T15:00+08:00"),
        )
        made = build_entry(
            replace(moment, side=trade["action"], quantity=D(str(trade["quantity"])), price=D(trade["price"]))
        )
        yield made, trade
    for action in case["actions"]:
        symbol = resolve_security(action["ticker"]).canonical
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
            books = book_entries(entries, method=method)
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


@pytest.mark.process
@pytest.mark.parametrize(
    "block", [pytest.param(at, marks=[pytest.mark.soak] * (at >= QUICK)) for at in range(0, SEEDS, 25)]
)
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
            agree(book_entries(journal.effective_entries(ws.db), method=method), brute(events, method))
            sold += sum(event[2] == "sell" for event in events)
        if events:  # the same, seen from a day in the middle
            middle = dice.choice(events)[0]
            monkeypatch.setenv("IA_NOW", middle.isoformat() + "T23:59:59+08:00")
            agree(book_entries(journal.effective_entries(ws.db), method="fifo"), brute(events, "fifo", middle))
            monkeypatch.delenv("IA_NOW")
    assert sold > 100
    ws.close()


# single rules


def test_actions_count_on_what_was_held_at_the_close_before():
    bought = entry("buy", "2024-06-03", quantity="1000", price="10")
    paid = entry("dividend", "2024-06-03", price="1")
    books = book_entries([bought, paid])
    assert books.holdings["600000.SH"].dividends == 0
    books = book_entries([bought, paid._replace(date="2024-06-04")])
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
        held = book_entries([bought, *told]).holdings["600000.SH"]
        assert (held.quantity, held.dividends) == (1010 + 303 + 202, 505)
    held = book_entries([bought, *actions]).holdings["600000.SH"]
    assert held.adjust_close(D("10"), "2024-06-03") == D("6.3333")  # (10 - 0.5) / 1.5


def test_a_fraction_of_a_bonus_share_is_cut_off_and_older_lots_grow_first():
    books = book_entries(
        [
            entry("buy", "2024-01-02", quantity="3", price="10", id=1),
            entry("buy", "2024-01-03", quantity="4", price="20", id=2),
            entry("bonus", "2024-02-01", ratio="0.5"),
        ],
        method="fifo",
    )
    held = books.holdings["600000.SH"]
    assert held.quantity == 10  # 10.5
    assert list(held.lots) == [TaxLot(D("4"), D("30"), "2024-01-02"), TaxLot(D("6"), D("80"), "2024-01-03")]


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
    assert str(estimate_dividend_tax(entries, [], entries[-1])) == tax


def test_fractional_shares_stay_fractional():
    held = book_entries([
        entry("buy", "2024-01-02", "AAPL.US", quantity="0.5", price="100"), entry("split", "2024-02-01", "AAPL.US", ratio="3"),
    ]).holdings["AAPL.US"]  # fmt: skip
    assert held.quantity == D("1.5")


@pytest.mark.parametrize(
    ("paid", "days"),
    [
        ("2024-03-06", {"2024-03-05": (D("4000"), D("5000")), "2024-03-06": (D("0"), D("0"))}),
        ("2024-03-07", {"2024-03-05": (D("-1000"), D("0")), "2024-03-07": (D("5000"), D("5000"))}),
    ],
)
def test_a_deposit_counts_from_the_day_before_on_where_it_paid_for_a_purchase(paid, days):
    deposit = entry("deposit", paid, "", cash="5000")
    books = book_entries([entry("buy", "2024-03-05", quantity="100", price="10", cash="1000"), deposit])
    assert books.cash_account("CNY").days == days


def test_selling_more_than_is_held_is_refused_with_both_numbers():
    with pytest.raises(Refused) as told:
        book_entries(
            [
                entry("buy", "2024-01-02", quantity="100", price="10"),
                entry("sell", "2024-01-03", quantity="200", price="9"),
            ]
        )
    assert "100 held on 2024-01-03; cannot sell 200" in str(told.value)


def test_a_session_that_sold_more_than_it_bought_counts_what_it_bought():
    books = book_entries(
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
        assert book_entries([bought, told], [known]).holdings["600000.SH"].dividends == 270
        assert book_entries([bought, told, known]).holdings["600000.SH"].dividends == 270
    tax = entry("dividend", "2024-12-01", cash="-30", id=2)
    assert book_entries([bought, tax], [known]).holdings["600000.SH"].dividends == 270


def test_what_is_bought_today_may_be_sold_tomorrow():
    books = book_entries([
        entry("buy", "2024-01-02", quantity="300", price="10", id=1), entry("buy", "2024-01-03", quantity="200", price="10", id=2),
        entry("sell", "2024-01-03", quantity="100", price="10", id=3),
    ])  # fmt: skip
    held = books.holdings["600000.SH"]
    assert (
        held.sellable_shares("2024-01-03", 1),
        held.sellable_shares("2024-01-03", 0),
        held.sellable_shares("2024-01-04", 1),
    ) == (
        200,
        400,
        400,
    )


def test_a_correction_keeps_the_place_of_what_it_corrects(ws):
    first, _ = journal.append_entries(ws, [
        entry("buy", "2024-01-02", quantity="100", price="10"), entry("sell", "2024-01-02", quantity="100", price="11"),
    ])  # fmt: skip
    journal.append_entries(ws, [first._replace(cash=D("1001"), corrects=first.id)])
    assert book_entries(journal.effective_entries(ws.db)).holdings["600000.SH"].realized == 99


@pytest.mark.parametrize("verb", ["UPDATE trades SET cash = '0'", "DELETE FROM trades"])
def test_nothing_in_the_journal_is_ever_changed(ws, verb):
    import sqlite3

    journal.append_entries(ws, [entry("buy", "2024-01-02", quantity="100", price="10")])
    with pytest.raises(sqlite3.IntegrityError, match="only added to"):
        ws.db.execute(verb)


def test_symbols_are_of_the_markets_that_are_meant():
    assert [from_canonical(symbol).market for symbol in SYMBOLS] == ["CN", "CN", "HK", "US"]
