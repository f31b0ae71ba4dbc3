"""The risk guard: what it refuses, what it only tells, and that it says its numbers."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.kernel.errors import ConfigError
from ia.organs.ledger.guard import (
    AccountState,
    Breach,
    CheckedOrder,
    GuardHolding,
    RiskLimits,
    RuleRefused,
    SecurityQuote,
    account_warnings,
    build_refusal,
    check_order,
    excess_shares,
    format_percent,
    is_allowed,
    load_limits,
)
from ia_cli.terminal.text import say
from support.random_tests import examples

DAY = "2024-03-01"
NOON = datetime(2024, 3, 1, 4, 0, tzinfo=UTC)
MOUTAI = from_canonical("600519.SH")
LIMITS = RiskLimits()
CALM = SecurityQuote(prev_close=Decimal("10.00"), change_pct=Decimal(0), name="", listed="2001-08-27")


def buy(quantity, price="10.00", symbol=MOUTAI, **more):
    return CheckedOrder(
        symbol=symbol, action="buy", quantity=Decimal(quantity), price=Decimal(price), moment=NOON, day=DAY, **more
    )


def sell(quantity, price="10.00", symbol=MOUTAI, **more):
    return CheckedOrder(
        symbol=symbol, action="sell", quantity=Decimal(quantity), price=Decimal(price), moment=NOON, day=DAY, **more
    )


def state(equity="100000", cash="100000", quote=CALM, held=None, currency="CNY", **more):
    known = {name: None if value is None else Decimal(value) for name, value in (("equity", equity), ("cash", cash))}
    return AccountState(currency, **known, positions=held or {}, quote=quote, **more)


def position(quantity, sellable=None, last="10.00", cost=None, symbol=MOUTAI):
    quantity, last = Decimal(quantity), None if last is None else Decimal(last)
    value = None if last is None else quantity * last
    cost = quantity * 10 if cost is None else Decimal(cost)
    return {
        symbol.canonical: GuardHolding(
            quantity=quantity,
            sellable=quantity if sellable is None else Decimal(sellable),
            value=value,
            cost=cost,
            last_price=last,
        )
    }


def told(breaches):
    return {breach.rule: (str(breach.message), breach.refuses) for breach in breaches}


def test_a_quiet_buy_is_allowed():
    assert check_order(buy(2000), state(), LIMITS) == []


@pytest.mark.parametrize(
    ("quantity", "held", "fees", "message"),
    [
        (2000, 0, "0", None),  # 20 % exactly
        (2100, 0, "0", "position limit: 21% > 20%"),
        (2300, 0, "0", "position limit: 23% > 20%"),
        (2000, 0, "0.01", "position limit: 20.000002% > 20%"),  # the fees are gone from the equity
        (1900, 100, "0", None),
        (1900, 200, "0", "position limit: 21% > 20%"),
        (2270, 0, "0", "position limit: 22.7% > 20%"),
    ],
)
def test_the_position_limit_says_its_number_and_the_limit(quantity, held, fees, message):
    there = position(held) if held else {}
    found = told(check_order(buy(quantity, fees=Decimal(fees)), state(held=there), LIMITS))
    assert found.get("risk.position_pct") == (None if message is None else (message, True))


def test_the_refusal_in_both_languages(monkeypatch):
    failure = build_refusal(check_order(buy(2300), state(), LIMITS))
    assert (failure.status, str(failure)) == (77, "position limit: 23% > 20%")
    monkeypatch.setenv("IA_LANG", "zh")
    assert say(failure.template, **failure.params) == "仓位超限：23% > 20%"
    assert isinstance(failure, RuleRefused)


def test_several_reasons_are_all_told(monkeypatch):
    failure = build_refusal(check_order(buy(12000, "10.60"), state(), LIMITS))
    assert str(failure) == (
        "position limit: 127.2% > 20%; not enough cash: 127,200.00 > 100,000.00 CNY; daily change: 6% > 5%"
    )
    monkeypatch.setenv("IA_LANG", "zh")
    assert say(failure.template, **failure.params) == (
        "仓位超限：127.2% > 20%; 现金不足：127,200.00 > 100,000.00 CNY; 当日涨幅超限：6% > 5%"
    )


@pytest.mark.parametrize(
    ("value", "above", "shown"),
    [
        ("23", "20", "23%"), ("22.74", "20", "22.7%"), ("20.04", "20", "20.04%"), ("20.05", "20", "20.1%"),
        ("20.0001", "20", "20.0001%"), ("20.00000000004", "20", "20.000000001%"), ("100", "20", "100%"),
        ("12.56", "12.5", "12.6%"), ("12.54", "12.5", "12.54%"), ("12.56", "12.55", "12.6%"), ("12.551", "12.55", "12.6%"),
        ("5.04", "5.04", "5.04%"), ("5.041", "5.04", "5.041%"), ("7.96", "8", "7.96%"), ("8", "8", "8%"),
    ],
)  # fmt: skip
def test_a_share_never_prints_as_the_limit_it_is_above(value, above, shown):
    assert format_percent(Decimal(value), Decimal(above)) == shown


def test_a_held_position_without_a_price_counts_at_the_price_of_the_order():
    found = told(check_order(buy(100), state(held=position(2000, last=None)), LIMITS))
    assert found["risk.position_pct"] == ("position limit: 21% > 20%", True)


def test_what_cannot_be_checked_is_said():
    found = told(check_order(buy(100), state(equity=None, cash=None, quote=None), LIMITS))
    assert [refuses for _, refuses in found.values()] == [False, False]
    assert "ledger.capital" in found["risk.position_pct"][0]
    assert "the previous close is not stored" in found["risk.rise_pct"][0]
    known = told(check_order(buy(100), state(held=position(100)), LIMITS))
    assert known["risk.day_stop_pct"] == ("daily loss limit not checked: the day's loss is unknown", False)


def test_an_account_worth_nothing_buys_nothing():
    found = told(check_order(buy(100), state(equity="0", cash="0"), LIMITS))
    assert found["risk.position_pct"] == ("position limit: the account's equity is 0.00 CNY", True)
    assert found["account.cash"] == ("not enough cash: 1,000.00 > 0.00 CNY", True)


@pytest.mark.parametrize(
    ("pnl", "rule", "refuses"),
    [
        ("-4999.99", None, None), ("-5000", "risk.day_warning_pct", False), ("-7999.99", "risk.day_warning_pct", False),
        ("-8000", "risk.day_stop_pct", True), ("-50000", "risk.day_stop_pct", True), ("9000", None, None),
    ],
)  # fmt: skip
def test_the_loss_of_the_day(pnl, rule, refuses):
    day = {"day_pnl": Decimal(pnl), "day_start_equity": Decimal(100000)}
    found = told(check_order(buy(100), state(**day), LIMITS))
    assert {name: refuses for name, (_, refuses) in found.items()} == ({rule: refuses} if rule else {})
    warned = account_warnings(state(**day), LIMITS)
    assert [breach.rule for breach in warned] == ([rule] if rule else []) and is_allowed(warned)
    # adding to a position is bought too; selling is not
    adding = told(check_order(buy(100), state(held=position(100), **day), LIMITS))
    assert adding.get(rule, (None, None))[1] == refuses
    assert check_order(sell(100), state(held=position(100), **day), LIMITS) == []


def test_stop_loss_reminders():
    held = {**position(100, last="9.31", cost=1000), **position(100, last="9.30", cost=1000, symbol=Symbol("1", "CN", "SZ", "stock"))}  # fmt: skip
    (only,) = account_warnings(state(held=held), LIMITS)
    assert (only.rule, str(only.message), only.refuses) == (
        "risk.stop_loss_pct", "stop-loss: 1.SZ has lost 7% >= 7%", False,
    )  # fmt: skip
    assert account_warnings(state(held=position(100, last=None)), LIMITS) == []


@pytest.mark.parametrize(("hours", "refuses"), [(1, True), (23.99, True), (24, False), (48, False)])
def test_cooling_refuses_a_buy(hours, refuses):
    last = {MOUTAI.canonical: NOON - timedelta(hours=hours)}
    found = told(check_order(buy(100), state(last_trades=last), LIMITS))
    assert ("risk.cooling_hours" in found) == refuses
    other = from_canonical("600036.SH")
    assert check_order(buy(100, symbol=other), state(last_trades=last), LIMITS) == []


def test_a_trade_entered_after_a_later_one_is_within_its_cooling_too():
    assert told(check_order(buy(100), state(last_trades={MOUTAI.canonical: NOON + timedelta(hours=2)}), LIMITS)) == {
        "risk.cooling_hours": ("cooldown: 2.0 h since the last trade < 24 h", True)
    }
    later = {MOUTAI.canonical: NOON + timedelta(hours=30)}
    assert check_order(buy(100), state(last_trades=later), LIMITS) == []


@pytest.mark.parametrize(("cash", "enough"), [("1005.01", True), ("1005.00", False), ("1000.00", False)])
def test_cash_pays_for_the_shares_and_the_fees(cash, enough):
    found = told(check_order(buy(100, fees=Decimal("5.01")), state(cash=cash), LIMITS))
    assert ("account.cash" not in found) == enough
    assert enough or found["account.cash"][1]


def test_cooling_does_not_stand_in_the_way_of_a_sale():
    last = {MOUTAI.canonical: NOON - timedelta(hours=2)}
    (only,) = check_order(sell(100), state(held=position(100), last_trades=last), LIMITS)
    assert (str(only.message), only.refuses) == ("cooldown: 2.0 h since the last trade < 24 h", False)
    assert check_order(sell(100, "9.20"), state(held=position(100), last_trades=last), LIMITS) == []  # a stop-loss
    assert check_order(sell(100), state(held=position(100, cost=2000), last_trades=last), LIMITS) == []


@pytest.mark.parametrize(
    ("price", "quote", "message"),
    [
        ("10.50", CALM, None),
        ("10.51", CALM, "daily change: 5.1% > 5%"),
        ("10.00", SecurityQuote(prev_close=None, change_pct=Decimal("6.2")), "daily change: 6.2% > 5%"),
        ("10.10", SecurityQuote(prev_close=Decimal(10), change_pct=Decimal("9.9")), None),  # bought before it rose
        ("9.50", CALM, None),
    ],
)
def test_nothing_is_bought_after_a_rise(price, quote, message):
    found = told(check_order(buy(100, price), state(quote=quote), LIMITS))
    assert found.get("risk.rise_pct") == (None if message is None else (message, True))


def test_a_close_that_is_too_old_says_nothing_of_the_rise():
    quote = SecurityQuote(prev_close=Decimal(8), change_pct=None, stale="2024-02-20")
    (only,) = check_order(buy(100), state(quote=quote), LIMITS)
    assert not only.refuses and "the last stored close before it is from 2024-02-20" in str(only.message)


def test_simulated_prices_refuse_only_prices_that_are_of_their_market():
    made_up = replace(CALM, simulated=True)
    near = told(check_order(buy(100, "10.60"), state(quote=made_up), LIMITS))
    assert near == {"risk.rise_pct": ("daily change: 6% > 5%", True)}
    far = told(check_order(buy(100, "16.50"), state(quote=made_up), LIMITS))
    ((rule, (message, refuses)),) = far.items()
    assert rule == "exchange.price_limit" and not refuses
    assert message.startswith("16.5 is beyond 11, the simulated market's price limit on ")


def test_t_plus_one():
    (only,) = check_order(sell(200), state(held=position(300, sellable=100)), LIMITS)
    assert only == Breach("exchange.t1", Decimal(200), Decimal(100), only.message)
    assert str(only.message) == "T+1: 600519.SH: sale of 200 > 100 sellable that day"
    assert check_order(sell(100), state(held=position(300, sellable=100)), LIMITS) == []
    fund = Symbol("159999", "CN", "SZ", "etf")  # may be one that is T+0: nobody can tell
    (only,) = check_order(sell(100, symbol=fund), state(held=position(100, 0, symbol=fund)), LIMITS)
    assert (only.rule, only.refuses) == ("exchange.t1", False)


def test_more_cannot_be_sold_than_is_held_override_or_not():
    for held in ({}, position(100)):
        (only,) = check_order(sell(200), state(held=held), LIMITS)
        assert (only.rule, only.refuses, only.possible) == ("exchange.held", True, False)
        assert build_refusal([only]).hint == "your positions: `ia account`"


@pytest.mark.parametrize(
    ("order", "quote", "expected"),
    [
        (buy(100, "11.00"), CALM, None),
        (buy(100, "11.01"), CALM, True),
        (sell(100, "9.00"), CALM, None),
        (sell(100, "8.99"), CALM, False),  # perhaps it went ex
        (sell(100, "8.99"), replace(CALM, reference=True), True),
        (sell(100, "10.51", name="ST茅台"), CALM, False),  # perhaps it was not ST that day
        (sell(100, "11.01", name="ST茅台"), CALM, True),
        (sell(100, "15.00", name="N茅台"), SecurityQuote(prev_close=Decimal(10)), None),
        (sell(100, "15.00", name="C茅台"), SecurityQuote(prev_close=Decimal(10)), None),
        (sell(100, "15.00"), SecurityQuote(prev_close=Decimal(10), listed="2024-02-28"), None),
        (sell(100, "15.00"), None, None),
        (sell(100, "10.51"), replace(CALM, reference=True, name="*ST茅台"), True),
        (sell(100, "15.00"), replace(CALM, reference=True, name="茅台退"), False),
        (sell(100, "15.00"), replace(CALM, stale="2024-02-20"), None),
        (sell(100, "15.00"), replace(CALM, simulated=True), False),
    ],
)
def test_prices_that_the_exchange_does_not_let_through(order, quote, expected):
    found = told(check_order(order, state(quote=quote, held=position(100)), LIMITS))
    assert found.get("exchange.price_limit", (None, None))[1] == expected


def test_lots():
    found = told(check_order(buy(150), state(), LIMITS))
    assert found["exchange.lot"][1] and "must be multiples of 100" in found["exchange.lot"][0]
    assert check_order(sell(50), state(held=position(50)), LIMITS) == []
    tencent = from_canonical("00700.HK")
    found = told(
        check_order(buy(7, "300", tencent), state(currency="HKD", quote=SecurityQuote(prev_close=Decimal(300))), LIMITS)
    )
    assert found == {
        "exchange.lot": ("00700.HK 腾讯控股: quantity not checked, because the board lot is unknown", False)
    }
    apple = from_canonical("AAPL.US")
    assert (
        check_order(
            buy("0.5", "100", apple), state(currency="USD", quote=SecurityQuote(prev_close=Decimal(100))), LIMITS
        )
        == []
    )


def test_a_trade_of_a_weekend_is_told():
    friday, saturday = buy(100), replace(buy(100), day="2024-06-15")
    assert check_order(friday, state(), LIMITS) == []
    assert told(check_order(saturday, state(), LIMITS))["exchange.closed"][1] is False


def test_an_order_older_than_the_rules_is_told_and_no_bug():
    old = CheckedOrder(
        symbol=MOUTAI,
        action="sell",
        quantity=Decimal(100),
        price=Decimal(10),
        moment=datetime(1994, 3, 1, 4, tzinfo=UTC),
        day="1994-03-01",
    )
    (only,) = check_order(old, state(held=position(100, 0)), LIMITS)
    assert (only.rule, only.refuses) == ("exchange.rules", False)


def test_currencies_are_not_mixed_and_no_float_comes_in():
    with pytest.raises(ValueError, match="not traded in USD"):
        check_order(buy(100), state(currency="USD"), LIMITS)
    with pytest.raises(TypeError):
        check_order(replace(buy(100), price=10.0), state(), LIMITS)


def test_the_limits_are_the_settings(monkeypatch):
    assert load_limits() == LIMITS
    monkeypatch.setenv("IA_RISK_POSITION_PCT", "12.5")
    monkeypatch.setenv("IA_RISK_COOLING_HOURS", "0")
    limits = load_limits()
    assert limits == LIMITS._replace(position_pct=Decimal("12.5"), cooling_hours=Decimal(0))
    found = told(check_order(buy(1260), state(last_trades={MOUTAI.canonical: NOON}), limits))
    assert found["risk.position_pct"][0] == "position limit: 12.6% > 12.5%"
    assert "risk.cooling_hours" not in found


@pytest.mark.parametrize("name", RiskLimits._fields)
@pytest.mark.parametrize("text", ["-1", "8761", "twenty", "20%", "NaN", "1e1", "Infinity", "２０", "1_0", "+5", ""])
def test_a_setting_that_is_no_limit(monkeypatch, name, text):
    monkeypatch.setenv(f"IA_RISK_{name.upper()}", text)
    if text == "":
        return
    with pytest.raises(ConfigError, match=f"risk.{name}"):
        load_limits()


@pytest.mark.parametrize("name", [name for name in RiskLimits._fields if name.endswith("_pct")])
@pytest.mark.parametrize("text", ["100.01", "101"])
def test_no_per_cent_is_more_than_a_hundred(monkeypatch, name, text):
    monkeypatch.setenv(f"IA_RISK_{name.upper()}", text)
    with pytest.raises(ConfigError):
        load_limits()


money = st.decimals(min_value=1, max_value=10**9, places=2)
small = st.decimals(min_value=0, max_value=1000, places=2)
lots = st.integers(min_value=1, max_value=10**5)


@st.composite
def scenes(draw):
    """An order and an account of any kind."""
    price = draw(st.decimals(min_value="0.01", max_value=2000, places=2))
    held = draw(st.integers(min_value=0, max_value=10**5))
    sellable = draw(st.integers(min_value=0, max_value=held))
    last = draw(st.none() | st.decimals(min_value="0.01", max_value=2000, places=2))
    close = draw(st.none() | st.decimals(min_value="0.01", max_value=2000, places=2))
    quote = draw(
        st.sampled_from(
            [
                None,
                SecurityQuote(prev_close=close),
                SecurityQuote(prev_close=close, change_pct=Decimal(7), reference=True),
            ]
        )
    )
    account = AccountState(
        "CNY",
        draw(st.none() | money),
        draw(st.none() | money),
        position(held, sellable, last, draw(money)) if held else {},
        draw(st.sampled_from([{}, {MOUTAI.canonical: NOON - timedelta(hours=draw(st.integers(0, 60)))}])),
        draw(st.none() | st.decimals(min_value=-(10**6), max_value=10**6, places=2)),
        draw(st.none() | money),
        quote,
    )
    order = CheckedOrder(
        symbol=MOUTAI,
        action=draw(st.sampled_from(["buy", "sell"])),
        quantity=Decimal(draw(lots)),
        price=price,
        moment=NOON,
        day=DAY,
        fees=draw(small),
    )
    return order, account


@pytest.mark.process
@given(scenes())
@examples(300, derandomize=True)
def test_an_order_is_refused_or_allowed_never_both_and_each_refusal_says_why(scene):
    order, account = scene
    found = check_order(order, account, LIMITS)
    assert told(found) == told(check_order(order, account, LIMITS))
    assert [breach.refuses for breach in found] == sorted((breach.refuses for breach in found), reverse=True)
    assert all(str(breach.message) for breach in found)
    if not is_allowed(found):
        message = str(build_refusal(found))
        assert all(str(breach.message) in message for breach in found if breach.refuses)
    if order.action == "sell":  # no setting stands in the way of less risk
        assert not [breach.rule for breach in found if breach.refuses and breach.rule.startswith("risk.")]


@pytest.mark.process
@given(scenes(), st.integers(min_value=1, max_value=1000))
@examples(300, derandomize=True)
def test_more_is_never_allowed_where_less_was_refused(scene, more):
    order, account = scene
    order = replace(order, action="buy", quantity=order.quantity * 100)
    larger = replace(order, quantity=order.quantity + 100 * more)
    before = {breach.rule for breach in check_order(order, account, LIMITS) if breach.refuses}
    after = {breach.rule for breach in check_order(larger, account, LIMITS) if breach.refuses}
    assert before <= after


@given(lots, st.decimals(min_value="0.01", max_value=2000, places=2), small, st.integers(1, 100))
@examples(300, derandomize=True)
def test_up_to_the_limit_is_allowed_and_a_lot_more_is_not(quantity, price, fees, pct):
    limits = LIMITS._replace(position_pct=Decimal(pct))
    value = quantity * 100 * price
    least = Decimal(math.ceil(Fraction(value) * 100 * 100 / pct)) / 100 + fees  # in cents, at least pct of it
    order = buy(quantity * 100, price, fees=fees)
    quote = SecurityQuote(prev_close=price, change_pct=Decimal(0))
    assert not [b for b in check_order(order, state(least, None, quote), limits) if b.refuses]
    one_more = replace(order, quantity=order.quantity + 100)
    if (value + 100 * price) * 100 <= pct * (least - fees):  # a cent of equity is worth more than a lot
        return
    (only,) = [b for b in check_order(one_more, state(least, None, quote), limits) if b.refuses]
    shown, limit = str(only.message).removeprefix("position limit: ").replace("%", "").split(" > ")
    assert Decimal(shown) > Decimal(limit) == pct


@pytest.mark.parametrize(
    ("code", "quantity", "value", "equity", "less"),
    [
        ("600000.SH", 1000, 70000, 100000, 800), ("600000.SH", 1000, 20000, 100000, 0),
        ("688981.SH", 1000, 21000, 100000, 200), ("AAPL.US", "10.5", 25000, 100000, 3), ("600000.SH", 90, 30000, 100000, 90),
        ("113050.SH", 100, 40000, 100000, 60),
    ],
)  # fmt: skip
def test_what_is_above_a_limit_is_told_in_lots_that_can_be_sold(code, quantity, value, equity, less):
    told = excess_shares(
        from_canonical(code), "2024-03-01", Decimal(quantity), Decimal(value), Decimal(equity), RiskLimits()
    )
    assert told == less
    if 0 < less < float(quantity):  # what is left is within the limit, after the fees too
        left = (float(quantity) - less) * value / float(quantity)
        assert left <= 0.2 * (equity - 0.0015 * (value - left))
