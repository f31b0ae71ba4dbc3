"""What a trade costs, by market and date; and the table that it stands in."""

import itertools
import json
from decimal import Decimal

import pytest

from ia.domain.instruments.boards import find_board, trading_currency
from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.domain.rules.fees import CENT, trade_fees, unverified_fees
from ia.domain.rules.limits import price_limits
from ia.domain.rules.table import all_rules, find_rule, rule_value
from ia.kernel import clock
from ia.kernel.errors import ConfigError, NotFound
from ia.organs.ledger import order
from support.program import SHARED

BROKER = {"commission_pct": Decimal("0.025"), "commission_min": Decimal(5)}
FREE = {"commission_pct": Decimal(0), "commission_min": Decimal(0)}


def cost(code, day, side, price, quantity, broker=FREE):
    return trade_fees(from_canonical(code), day, side, Decimal(price), Decimal(quantity), **broker)


@pytest.mark.skipif(not (SHARED / "ledger").is_dir(), reason="the shared data is not here")
def test_worked_cases():
    checked = 0
    for case in json.loads((SHARED / "ledger" / "cases.json").read_text(encoding="utf-8"))["cases"]:
        for trade in case["trades"]:
            code = f"{trade['ticker']}.{'SH' if trade['ticker'][0] == '6' else 'SZ'}"
            found = cost(code, trade["date"], trade["action"], trade["price"], trade["quantity"], BROKER)
            worked = tuple(Decimal(trade[name]) for name in ("commission", "stamp", "transfer"))
            assert found == (*worked, Decimal(0)), case["name"]
            checked += 1
    assert checked >= 12


@pytest.mark.parametrize(
    ("day", "buy", "sell"),
    [
        ("2001-11-16", "20", "20"),
        ("2005-01-23", "20", "20"),
        ("2005-01-24", "10", "10"),
        ("2007-05-29", "10", "10"),
        ("2007-05-30", "30", "30"),
        ("2008-04-23", "30", "30"),
        ("2008-04-24", "10", "10"),
        ("2008-09-18", "10", "10"),
        ("2008-09-19", "0", "10"),
        ("2023-08-27", "0", "10"),
        ("2023-08-28", "0", "5"),
    ],
)
@pytest.mark.parametrize("code", ["600519.SH", "000001.SZ", "900901.SH", "200002.SZ"])
def test_stamp_duty_by_date(code, day, buy, sell):
    assert cost(code, day, "buy", "10", "1000").stamp == Decimal(buy)
    assert cost(code, day, "sell", "10", "1000").stamp == Decimal(sell)


@pytest.mark.parametrize(
    ("code", "day", "fee"),
    [
        ("600519.SH", "2012-05-31", "10.00"),  # of the face value: 0.1 %, 0.075 %, 0.06 % of 1 yuan a share
        ("600519.SH", "2012-06-01", "7.50"),
        ("600519.SH", "2012-09-01", "6.00"),
        ("600519.SH", "2015-07-31", "6.00"),
        ("600519.SH", "2015-08-01", "20.00"),
        ("000001.SZ", "2015-07-31", "0.00"),
        ("000001.SZ", "2015-08-01", "20.00"),
        ("300750.SZ", "2022-04-28", "20.00"),
        ("300750.SZ", "2022-04-29", "10.00"),
        ("688981.SH", "2022-04-29", "10.00"),
        ("920002.BJ", "2022-04-28", "25.00"),
        ("920002.BJ", "2022-04-29", "10.00"),
        ("900901.SH", "2024-03-01", "500.00"),
        ("200002.SZ", "2024-03-01", "500.00"),
        ("510300.SH", "2024-03-01", "0.00"),
        ("159915.SZ", "2024-03-01", "0.00"),
        ("508000.SH", "2024-03-01", "0.00"),
    ],
)
@pytest.mark.parametrize("side", ["buy", "sell"])
def test_transfer_fee_by_date_and_board(code, day, fee, side):
    assert cost(code, day, side, "100", "10000").transfer == Decimal(fee)


def test_the_settlement_fee_of_shenzhen_b_shares_ends_at_500_dollars():
    assert cost("200002.SZ", "2024-03-01", "buy", "10", "200000").transfer == Decimal(500)
    assert cost("900901.SH", "2024-03-01", "buy", "10", "200000").transfer == Decimal(1000)


def test_funds_and_bonds_pay_neither_stamp_duty_nor_transfer_fee():
    bond = Symbol("113050", "CN", "SH", "bond")
    for symbol in (from_canonical("510300.SH"), from_canonical("161725.SZ"), bond):
        for side in ("buy", "sell"):
            found = trade_fees(symbol, "2006-03-01", side, Decimal(100), Decimal(1000), **BROKER)
            assert found == (Decimal(25), 0, 0, 0)


def test_hong_kong():
    found = cost("00700.HK", "2024-03-01", "buy", "300.20", "100")
    # 30020: trading fee 1.70, SFC 0.81, AFRC 0.05, settlement 2.00 (at least); stamp duty 30.02 up to the dollar
    assert (found.stamp, found.other) == (Decimal(31), Decimal("4.56"))
    assert cost("00700.HK", "2023-11-16", "sell", "300", "100").stamp == Decimal(39)
    assert cost("00700.HK", "2021-07-31", "sell", "300", "100").stamp == Decimal(30)
    assert cost("00700.HK", "2025-06-29", "buy", "300", "100000").other - cost(
        "00700.HK", "2025-06-30", "buy", "300", "100000"
    ).other == Decimal(100 - 1260)
    assert cost("00700.HK", "2022-12-30", "buy", "300", "100").other == Decimal("1.50") + Decimal("0.5") + Decimal(
        "0.81"
    ) + Decimal("0.05") + Decimal(2)
    assert cost("02800.HK", "2024-03-01", "buy", "20", "500").stamp == 0


def test_united_states():
    assert cost("AAPL.US", "2024-06-03", "buy", "190", "100").total == 0
    # 19000 sold: SEC 27.80 a million = 0.5282, up to 0.53; TAF 0.0166, up to 0.02
    assert cost("AAPL.US", "2024-06-03", "sell", "190", "100").other == Decimal("0.55")
    assert cost("AAPL.US", "2024-06-03", "sell", "19", "100").other == Decimal("0.08")  # 0.0528 up to 0.06
    assert cost("AAPL.US", "2025-05-14", "sell", "190", "100").other == Decimal("0.02")
    assert cost("AAPL.US", "2025-05-14", "sell", "1", "1000000").other == Decimal("8.30")
    assert cost("AAPL.US", "2024-06-03", "sell", "190", "0.5").total > 0


def test_each_part_is_in_cents_half_up():
    found = cost("600000.SH", "2024-03-01", "sell", "11.50", "700", BROKER)
    assert found == (Decimal("5.00"), Decimal("4.03"), Decimal("0.08"), Decimal("0.00"))
    assert all(part == part.quantize(CENT) and part.as_tuple().exponent == -2 for part in found)
    assert found.total == Decimal("9.11")


def test_before_the_table_begins_it_says_so():
    with pytest.raises(NotFound) as failure:
        cost("600000.SH", "2001-11-15", "buy", "10", "100")
    assert str(failure.value) == "main.SH has no known rule for stamp_buy before 2001-11-16"
    assert "statement" in failure.value.hint
    with pytest.raises(NotFound):
        cost("920002.BJ", "2021-11-14", "buy", "10", "100")
    with pytest.raises(NotFound):
        cost("AAPL.US", "2008-03-31", "sell", "10", "100")


@pytest.mark.parametrize("wrong", [{"price": 10.0}, {"quantity": 100}, {"commission_pct": 0.025}])
def test_no_float_comes_in(wrong):
    right = {"price": Decimal(10), "quantity": Decimal(100), **BROKER}
    with pytest.raises(TypeError):
        trade_fees(from_canonical("600000.SH"), "2024-03-01", "buy", **{**right, **wrong})


@pytest.mark.parametrize(
    ("code", "money"),
    [
        ("600519.SH", "CNY"), ("900901.SH", "USD"), ("200002.SZ", "HKD"), ("510300.SH", "CNY"),
        ("00700.HK", "HKD"), ("80700.HK", "CNY"), ("AAPL.US", "USD"),
    ],
)  # fmt: skip
def test_currency(code, money):
    assert trading_currency(from_canonical(code)) == money


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("510300", "", "fund"), ("513100", "", "fund.cross"), ("518880", "", "fund.gold"), ("511010", "", "fund.bond"),
        ("511880", "", "fund.money"), ("588000", "", "fund.20"), ("508000", "", "fund.reit"),
        ("159915", "创业板ETF易方达", "fund.20"), ("159920", "恒生ETF", "fund.cross"), ("159934", "黄金ETF", "fund.gold"),
        ("159562", "黄金股ETF", "fund"), ("159201", "自由现金流ETF", "fund"), ("159001", "货币ETF", "fund.money"),
        ("159985", "", "fund.commodity"), ("510900", "H股ETF", "fund.cross"), ("517050", "沪港深互联网", "fund"),
    ],
)  # fmt: skip
def test_kinds_of_funds(code, name, expected):
    exchange = "SH" if code[0] == "5" else "SZ"
    assert find_board(Symbol(code, "CN", exchange, "etf", name)).name == expected


def test_a_fund_of_shenzhen_without_a_name_is_a_guess():
    assert not find_board(Symbol("159999", "CN", "SZ", "etf")).sure
    assert find_board(Symbol("159999", "CN", "SZ", "etf", "沪深300ETF")).sure


def test_every_rule_has_a_source_and_a_span():
    rules = all_rules()
    assert len(rules) > 150
    assert len({(*rule[:2], rule.since) for rule in rules}) == len(rules)
    series = {}
    for rule in rules:
        assert rule.source and rule.checked in ("prices", "text", "", "unverified")
        assert rule.value == "none" or Decimal(rule.value) >= 0
        series.setdefault(rule[:2], []).append(rule)
    for steps in series.values():
        assert [step.since for step in steps] == sorted(step.since for step in steps)
        assert all(step.until for step in steps[:-1]) and not steps[-1].until
        assert all(one.until < two.since for one, two in itertools.pairwise(steps))


def test_what_is_listed_is_what_is_used():
    where = find_board(from_canonical("600519.SH"))
    found = find_rule("stamp_sell", where, "2024-03-01")
    assert found in all_rules() and found.value == "0.05" and "2023" in found.source
    assert find_rule("sec_fee", where, "2024-03-01") is None


def test_the_change_of_special_treatment_is_marked_as_not_seen_in_a_text():
    found = find_rule("limit_st", find_board(from_canonical("600000.SH")), "2026-07-06")
    assert (found.since, found.value, found.checked) == ("2026-07-06", "10", "unverified")
    found = price_limits(from_canonical("600000.SH"), "2026-07-07", Decimal("5.00"), st=True)
    assert (found.rule, found.sure) == ("±10 % ST, unverified", False)


@pytest.mark.parametrize(
    ("code", "day", "stamp", "unit"),
    [
        ("03067.HK", "2024-06-03", "0.00", "HKD"), ("02828.HK", "2024-06-03", "0.00", "HKD"),
        ("82828.HK", "2024-06-03", "0.00", "CNY"), ("09010.HK", "2024-06-03", "0.00", "USD"),
        ("00823.HK", "2024-12-20", "5.00", "HKD"), ("00823.HK", "2025-01-02", "0.00", "HKD"),
        ("00700.HK", "2025-01-02", "5.00", "HKD"),
    ],
)  # fmt: skip
def test_stamp_duty_of_funds_and_trusts_in_hong_kong(code, day, stamp, unit):
    symbol = from_canonical(code)
    broker = {"commission_pct": Decimal(0), "commission_min": Decimal(0)}
    found = trade_fees(symbol, day, "buy", Decimal(10), Decimal(500), **broker)
    assert (str(found.stamp), trading_currency(symbol)) == (stamp, unit)


def test_rules_of_a_trade_that_no_text_was_found_for_are_named():
    def named(code, day, side):
        return [rule.what for rule in unverified_fees(from_canonical(code), day, side)]

    assert named("AAPL.US", "2026-11-02", "sell") == ["taf", "taf_most"] and not named("AAPL.US", "2026-11-02", "buy")
    assert named("600000.SH", "2005-03-01", "buy") == ["transfer_face"] and not named("600000.SH", "2024-03-01", "sell")
    assert rule_value("dividend_tax_longer", find_board(from_canonical("600519.SH")), "2014-06-25") == 5
    assert rule_value("handling_in_commission", find_board(from_canonical("830799.BJ")), "2024-01-02") == Decimal(
        "0.0125"
    )


@pytest.mark.parametrize(
    ("text", "taken"),
    [("0.0049/share min 0.99", "0.99"), ("0.03% min 3", "3.00"), ("0.1%", "2.00"), ("0", "0.00"), ("1.99", "1.99")],
)
def test_the_commission_of_a_market_is_its_own(monkeypatch, text, taken):
    wish = order.Order(
        side="buy",
        symbol=from_canonical("AAPL.US"),
        quantity=Decimal(10),
        price=Decimal(200),
        moment=clock.parse_moment("2024-03-01T15:00-05:00"),
    )
    assert not order.load_commission("US").known and order.load_commission("CN").known
    monkeypatch.setenv("IA_LEDGER_COMMISSION_US", text)
    assert order.load_commission("US").known and str(order.build_entry(wish).commission) == taken
    monkeypatch.setenv("IA_LEDGER_COMMISSION_US", "free")
    with pytest.raises(ConfigError):
        order.load_commission("US")
