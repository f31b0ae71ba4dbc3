"""Orders over bars, worked out by hand: the shared cases, and what they leave open."""

import json
from decimal import Decimal

import pytest

from ia.faculties.lab.order_files import run_order_document
from ia.kernel.errors import BadData
from support.program import SHARED

CASES = SHARED / "lab" / "backtest_cases.json"
NUMBERS = {"quantity", "price", "commission", "stamp", "transfer", "other", "dividend_tax", "left"}
BANK, STAR, GOLD, US = "600000.SH", "688981.SH", "518880.SH", "XYZ.US"


def load_cases():
    return json.loads(CASES.read_text("utf-8"))["cases"] if CASES.exists() else []


def to_numbers(row):
    return {key: Decimal(value) if key in NUMBERS else value for key, value in row.items()}


@pytest.mark.skipif(not CASES.exists(), reason="the shared data are missing")
def test_every_hand_worked_case_to_the_cent():
    cases = load_cases()
    assert len(cases) >= 37
    for case in cases:
        got, want = run_order_document(case), case["expect"]
        for part in ("fills", "unfilled"):
            assert list(map(to_numbers, got[part])) == list(map(to_numbers, want[part])), case["id"]
        for part in ("cash", "equity"):
            assert {day: Decimal(got[part][day]) for day in want[part]} == {
                day: Decimal(money) for day, money in want[part].items()
            }, case["id"]


def run(bars, orders, **rest):
    config = {"cash": "100000", "commission_pct": "0", "commission_min": "0"} | rest.pop("config", {})
    bars = {name: [[day, *prices, volume] for day, *prices, volume in rows] for name, rows in bars.items()}
    return run_order_document({"config": config, "bars": bars, "orders": orders} | rest)


def fills(found):
    return [(each["order"], each["date"], each["quantity"], each["price"]) for each in found["fills"]]


def unfilled(found):
    return [(each["order"], each["status"], each["reason"]) for each in found["unfilled"]]


QUIET = ("2024-03-04", 100, 101, 99, 100, 1_000_000)


def test_a_stop_below_a_limit_purchase_is_played_out_within_the_bar():
    bars = {US: [QUIET, ("2024-03-05", 100, 101, 94, 96, 1_000_000)]}
    order = {"after": "2024-03-04", "symbol": US, "side": "buy", "quantity": 100, "type": "limit", "price": "98"}
    order["attached"] = [{"type": "stop", "price": "95"}, {"type": "limit", "price": "100.5"}]
    found = run(bars, [order])
    assert fills(found) == [(0, "2024-03-05", "100", "98.00"), ("0.stop", "2024-03-05", "100", "95.00")]
    assert unfilled(found) == [("0.limit", "cancelled", "oco")]


def test_exits_of_a_purchase_at_the_open_see_the_rest_of_the_bar():
    bars = {US: [QUIET, ("2024-03-05", 100, 106, 99, 105, 1_000_000)]}
    order = {"after": "2024-03-04", "symbol": US, "side": "buy", "quantity": 100}
    order["attached"] = [{"type": "stop", "price": "95"}, {"type": "limit", "price": "104"}]
    assert fills(run(bars, [order]))[1] == ("0.limit", "2024-03-05", "100", "104.00")
    bars[US][1] = ("2024-03-05", 94, 106, 93, 105, 1_000_000)  # opens below its own stop
    assert fills(run(bars, [order]))[1] == ("0.stop", "2024-03-05", "100", "94.00")


def test_a_target_above_a_stop_purchase_came_after_it_but_a_stop_below_counts():
    bars = {US: [QUIET, ("2024-03-05", 100, 106, 99, 105, 1_000_000)]}
    order = {"after": "2024-03-04", "symbol": US, "side": "buy", "quantity": 100, "type": "stop", "price": "102"}
    order["attached"] = [{"type": "limit", "price": "105"}]
    assert fills(run(bars, [order])) == [(0, "2024-03-05", "100", "102.00"), ("0.limit", "2024-03-05", "100", "105.00")]
    order["attached"] = [{"type": "limit", "price": "105"}, {"type": "stop", "price": "99.5"}]
    assert fills(run(bars, [order]))[1] == ("0.stop", "2024-03-05", "100", "99.50")


def test_a_fund_that_settles_at_once_may_be_sold_on_the_day_of_the_purchase():
    bars = {GOLD: [("2024-03-04", 4.9, 5, 4.8, 4.9, 10**6), ("2024-03-05", 4.9, 5, 4.8, 4.85, 10**6)]}
    order = {"after": "2024-03-04", "symbol": GOLD, "side": "buy", "quantity": 1000}
    order["attached"] = [{"type": "stop", "price": "4.85"}]
    assert [each[1] for each in fills(run(bars, [order]))] == ["2024-03-05", "2024-03-05"]


def test_a_waiting_order_is_filled_over_days_under_the_volume_cap():
    day = (10, 10.1, 9.9, 10)
    bars = {BANK: [(f"2024-03-0{n}", *day, volume) for n, volume in ((4, 10**6), (5, 2590), (6, 4000), (7, 10**6))]}
    order = {"after": "2024-03-04", "symbol": BANK, "side": "buy", "quantity": 1000, "valid": "gtc"}
    found = run(bars, [order], config={"volume_cap_pct": "10", "commission_min": "5"})
    assert fills(found) == [
        (0, "2024-03-05", "200", "10.00"),
        (0, "2024-03-06", "400", "10.00"),
        (0, "2024-03-07", "400", "10.00"),
    ]
    assert [each["commission"] for each in found["fills"]] == ["5.00"] * 3


def test_star_shares_are_bought_singly_from_200_on():
    bars = {STAR: [("2024-03-04", 40, 41, 39, 40, 10**6), ("2024-03-05", 40, 41, 39, 40, 10**6)]}
    orders = [{"after": "2024-03-04", "symbol": STAR, "side": "buy", "quantity": n} for n in (199, 201)]
    orders.append({"after": "2024-03-04", "symbol": STAR, "side": "buy", "value": "8200"})
    found = run(bars, orders)
    assert fills(found) == [(1, "2024-03-05", "201", "40.00"), (2, "2024-03-05", "204", "40.00")]
    assert unfilled(found) == [(0, "rejected", "lot")]


def test_shares_of_an_open_sale_are_frozen_but_those_of_its_group_are_shared():
    bars = {BANK: [("2024-03-04", 10, 10.1, 9.9, 10, 10**6), ("2024-03-05", 10, 10.1, 9.9, 10, 10**6)]}
    sale = {"after": "2024-03-04", "symbol": BANK, "side": "sell", "quantity": 800, "valid": "gtc"}
    orders = [
        {**sale, "type": "limit", "price": "10.8", "oco": "x"},
        {**sale, "type": "stop", "price": "9.2", "oco": "x"},
        {**sale, "quantity": 300},
        {**sale, "quantity": 200},
    ]
    found = run(bars, orders, config={"positions": {BANK: "1000"}})
    assert fills(found) == [(3, "2024-03-05", "200", "10.00")]
    assert unfilled(found) == [(0, "open", "end"), (1, "open", "end"), (2, "rejected", "shares")]


def test_money_of_a_sale_within_the_bar_does_not_pay_for_a_purchase_in_it():
    bars = {
        BANK: [("2024-03-04", 10, 10.1, 9.9, 10, 10**6), ("2024-03-05", 10.2, 10.6, 10, 10.5, 10**6)],
        "000001.SZ": [("2024-03-04", 10, 10.1, 9.9, 10, 10**6), ("2024-03-05", 9.8, 9.9, 9.4, 9.6, 10**6)],
    }
    orders = [
        {"after": "2024-03-04", "symbol": BANK, "side": "sell", "quantity": 1000, "type": "limit", "price": "10.5"},
        {
            "after": "2024-03-04",
            "symbol": "000001.SZ",
            "side": "buy",
            "quantity": 1000,
            "type": "limit",
            "price": "9.5",
        },
    ]
    found = run(bars, orders, config={"cash": "0", "positions": {BANK: "1000"}})
    assert fills(found) == [(0, "2024-03-05", "1000", "10.50")]
    assert unfilled(found) == [(1, "rejected", "cash")]


def test_limits_follow_the_reference_price_of_an_ex_day():
    bars = {BANK: [("2024-03-04", 20, 20.2, 19.8, 20, 10**6), ("2024-03-05", 14.3, 14.3, 14.3, 14.3, 10**5)]}
    order = {"after": "2024-03-04", "symbol": BANK, "side": "buy", "quantity": 100}
    action = {"date": "2024-03-05", "symbol": BANK, "cash": "0.5", "bonus": "0.5"}  # (20 - 0.5) / 1.5 = 13 -> 14.30
    assert unfilled(run(bars, [order], actions=[action])) == [(0, "expired", "price limit")]
    assert unfilled(run(bars, [order])) == []  # from 20.00 the upper limit is 22.00


def test_what_opens_at_the_limit_and_leaves_it_is_filled_there():
    bars = {BANK: [("2024-03-04", 10, 10.1, 9.9, 10, 10**6), ("2024-03-05", 11, 11, 10.7, 11, 10**6)]}
    assert fills(run(bars, [{"after": "2024-03-04", "symbol": BANK, "side": "buy", "quantity": 100}])) == [
        (0, "2024-03-05", "100", "11.00")
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"orders": [{"after": "soon"}]}, "order 0: `after` must be a date"),
        ({"orders": [{"after": "2024-03-04", "symbol": "X"}]}, "order 0: X has no bars"),
        (
            {"orders": [{"after": "2024-03-04", "symbol": US, "side": "hold"}]},
            "order 0: `side` must be one of buy, sell",
        ),
        ({"orders": [{"after": "2024-03-04", "symbol": US, "side": "buy"}]}, "order 0: give either"),
        ({"orders": [{"after": "2024-03-04", "symbol": US, "side": "buy", "quantity": "x"}]}, "'x' is not a number"),
        (
            {"orders": [{"after": "2024-03-04", "symbol": US, "side": "buy", "quantity": -1}]},
            "`quantity` must be above 0",
        ),
        ({"orders": {}}, "orders must be a list"),
        ({"bars": {}}, "the document has no bars"),
        ({"bars": {US: [["2024-03-04", 1, 2, 0, 1, 5]]}}, "row 1: not [date, open, high, low, close, volume]"),
        ({"bars": {US: [[*QUIET], [*QUIET]]}}, "row 2: the dates must ascend"),
        ({"bars": {US: [[*QUIET]], BANK: [[*QUIET]]}}, "one account cannot trade in CNY, USD"),
        ({"config": {"positions": {"Y": 1}}}, "Y has no bars"),
        ({"calendar": [1]}, "calendar must be a list of dates"),
        ({"actions": [1]}, "actions: each needs a symbol and a `date`"),
    ],
)
def test_a_document_that_does_not_hold_together_is_told_with_its_place(change, told):
    with pytest.raises(BadData) as caught:
        run_order_document({"bars": {US: [[*QUIET]]}} | change)
    assert told in str(caught.value)
