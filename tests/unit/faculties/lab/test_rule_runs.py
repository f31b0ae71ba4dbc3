"""Rules on past prices: signals become orders of the next bar."""

import random
from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.backtests import parse_size
from ia.faculties.lab.exchange import Terms
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_figures import figures_document, hold_yardsticks
from ia.faculties.lab.run_market import build_market
from ia.faculties.lab.run_types import PositionSize, RuleSettings
from ia.faculties.lab.securities import Security
from ia.kernel.errors import BadData, NotFound, Refused, UsageError
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

DAYS = [f"2024-03-{day:02d}" for day in (4, 5, 6, 7, 8, 11, 12, 13, 14, 15)]
PORTFOLIO = ("600000.SH", "600036.SH", "601398.SH", "000001.SZ")
ALL = PositionSize("percent", Decimal(100))


def security(name, closes, *, opens=None, actions=(), volume=10_000_000):
    opens = opens or closes
    rows = [
        (day, o, max(o, c) * 1.001, min(o, c) * 0.999, c, volume)
        for day, o, c in zip(DAYS, opens, closes, strict=False)
    ]
    return Security(symbol=from_canonical(name), bars=Bars.from_rows(rows), actions=tuple(actions))


def run(*securities, **settings):
    settings.setdefault("cash", Decimal(10_000))
    settings.setdefault("size", ALL)
    return run_rules(RuleSettings(**settings), build_market(securities))


def fills(result):
    return [(fill.date, fill.side, str(fill.quantity), str(fill.price)) for fill in result.fills]


def test_a_signal_is_filled_at_the_open_of_the_next_bar():
    closes = [10, 10, 10.5, 10.5, 10, 10, 10, 10, 10, 10]
    opens = [10, 10, 10, 10.6, 10.2, 9.9, 10, 10, 10, 10]
    result = run(security("600000.SH", closes, opens=opens), entry="close > 10.2", exit="close < 10.2")
    assert fills(result) == [("2024-03-07", "buy", "900", "10.6"), ("2024-03-11", "sell", "900", "9.9")]
    assert result.equity[0] == 10_000 and len(result.equity) == len(DAYS)
    assert [trip.profit for trip in result.trips] == [-634.65]  # stamp duty and transfer fee, no commission
    assert result.equity[-1] == 10_000 - 634.65


def test_what_is_not_filled_has_a_row_with_the_reason():
    limit_up = [10, 11, 12.1, 12.1, 12.1, 12.1, 12.1, 12.1, 12.1, 12.1]
    rows = [(day, price, price, price, price, 1000) for day, price in zip(DAYS, limit_up, strict=True)]
    sealed = Security(symbol=from_canonical("600000.SH"), bars=Bars.from_rows(rows))
    result = run(sealed, entry="change(close, 1) > 0", size=PositionSize("shares", Decimal(150)))
    assert [(row.status, row.reason) for row in result.orders] == [("rejected", "lot"), ("rejected", "lot")]
    result = run(sealed, entry="change(close, 1) > 0", size=PositionSize("shares", Decimal(100)))
    assert next((row.given, row.status, row.reason) for row in result.orders) == (
        "2024-03-05",
        "expired",
        "price limit",
    )


def test_stop_and_target_are_measured_from_the_fill():
    closes = [10, 10, 10, 10, 9.4, 9.4, 9.4, 9.4, 9.4, 9.4]
    opens = [10, 10, 10, 10, 10, 9.4, 9.4, 9.4, 9.4, 9.4]
    result = run(security("600000.SH", closes, opens=opens), entry="close == 10", stop_pct=Decimal(5))
    assert fills(result)[:2] == [("2024-03-05", "buy", "900", "10"), ("2024-03-08", "sell", "900", "9.50")]


def test_dividends_reach_cash_and_signals_see_adjusted_prices():
    closes = [10, 10, 10, 9, 9, 9, 9, 9, 9, 9]
    acted = security("600000.SH", closes, actions=[Action("2024-03-07", cash=1.0)])
    result = run(acted, entry="close > 0", exit="change(close, 1) < -0.5")
    assert [fill.side for fill in result.fills] == ["buy"]  # the ex-day is no fall
    assert max(abs(each - result.equity[2]) for each in result.equity[3:]) < 0.01
    document = figures_document(result, hold_yardsticks(result, build_market([acted])))
    assert abs(document["compare"]["buy_and_hold"]["return_frac"]) < 1e-12


def test_several_securities_share_one_account_by_rank():
    one = security("600000.SH", [10 + n * 0.1 for n in range(10)])
    two = security("600036.SH", [30 + n * 0.9 for n in range(10)])
    result = run(
        one, two, entry="close > ref(close, 1)", rank="change(close, 1) / close", max_positions=1,
        cash=Decimal(100_000), size=PositionSize("equal"),
    )  # fmt: skip
    assert {fill.symbol for fill in result.fills} == {"600036.SH"}
    renewed = run(
        one, two, entry="close > ref(close, 1)", rank="-close", max_positions=1, rebalance="weekly",
        cash=Decimal(100_000), size=PositionSize("equal"),
    )  # fmt: skip
    assert {fill.symbol for fill in renewed.fills} == {"600000.SH"}
    assert renewed.orders[0].given == "2024-03-11"  # nothing has risen on the first day of all


def test_equity_is_cash_and_what_is_held_at_each_close():
    """One security is held throughout while another is bought, sold and bought again."""
    one = security("600000.SH", [10, 11, 11.2, 11.1, 11.3, 11.2, 11.4, 11.5, 11.3, 11.6])
    two = security("600036.SH", [10, 10, 10, 10, 12, 12.5, 9, 9, 12, 12.2])
    result = run(
        one, two, entry="close > 10.5", exit="close < 9.5", cash=Decimal(100_000), size=PositionSize("percent", Decimal(30))
    )  # fmt: skip
    assert len({fill.symbol for fill in result.fills}) == 2 and "sell" in {fill.side for fill in result.fills}
    closes = {each.symbol.canonical: dict(zip(each.bars.date, each.bars.close, strict=True)) for each in (one, two)}
    for day, equity, cash in zip(result.days, result.equity, result.cash, strict=True):
        held = sum(
            float(fill.quantity if fill.side == "buy" else -fill.quantity) * closes[fill.symbol][day]
            for fill in result.fills
            if fill.date <= day
        )
        assert equity == pytest.approx(cash + held, abs=0.02)


def test_the_world_cut_at_any_day_is_the_same_before():
    closes = [10, 10.4, 10.1, 10.6, 10.2, 10.8, 10.1, 10.9, 10.3, 10.7]
    whole = run(security("600000.SH", closes), entry="close > sma(close, 2)", exit="close < sma(close, 2)")
    for day in DAYS[1:-1]:
        seen = DAYS.index(day) + 1
        cut = run(security("600000.SH", closes[:seen]), entry="close > sma(close, 2)", exit="close < sma(close, 2)")
        assert cut.equity == whole.equity[:seen]
        assert list(cut.fills) == [fill for fill in whole.fills if fill.date <= day]


def test_expressions_that_give_no_signal_are_refused():
    one = security("600000.SH", [10] * 10)
    for entry, kind in (
        ("close", BadData),
        ("1 > 0", BadData),
        ("macd(close) > 0", BadData),
        ("close >", BadData),
        ("close.shift(-1) > close", Refused),
        ("latest(close) > close", Refused),
        ("open('x')", BadData),
    ):
        with pytest.raises(kind):
            run(one, entry=entry)
    with pytest.raises(BadData):
        run(one, entry="close > 0", rank="close > 0 & close")
    with pytest.raises(NotFound):
        run(one, entry="close > 0", since="2025-01-01")


def test_a_condition_outside_the_array_lane_runs_in_the_sandbox():
    result = run(
        security("600000.SH", [10, 10, 11, 11, 11, 11, 11, 11, 11, 11]), entry="close.rolling(2).mean() > 10.2"
    )
    assert fills(result) == [("2024-03-07", "buy", "900", "11")]


@pytest.mark.parametrize("seed", range(12))
def test_equity_is_the_cash_and_the_shares_of_the_fills_at_the_close(seed):
    """Several positions at once, opened and closed on different days, added up anew from the fills alone."""
    chance = random.Random(seed)
    closes = {name: [round(10 * chance.uniform(0.93, 1.07), 2) for _ in DAYS] for name in PORTFOLIO}
    result = run(
        *(security(name, prices) for name, prices in closes.items()),
        entry="change(close, 1) > 0",
        exit="change(close, 1) < -0.3",
        size=PositionSize("percent", Decimal(20)),
        cash=Decimal(100_000),
    )
    assert max(result.positions) > 1
    for at, day in enumerate(DAYS):
        cash, worth, kinds = Decimal(100_000), Decimal(0), set()
        for name, prices in closes.items():
            done = [fill for fill in result.fills if fill.symbol == name and fill.date <= day]
            shares = sum(fill.quantity if fill.side == "buy" else -fill.quantity for fill in done)
            for fill in done:
                value = fill.quantity * fill.price
                cash -= (value if fill.side == "buy" else -value) + fill.fees.total
            worth += shares * Decimal(str(prices[at]))
            kinds |= {name} if shares else set()
        assert result.cash[at] == pytest.approx(float(cash), abs=0.006)
        assert result.equity[at] == pytest.approx(float(cash + worth), abs=0.011)
        assert result.positions[at] == len(kinds)


def test_sizes():
    assert parse_size("20 %") == PositionSize("percent", Decimal(20))
    assert parse_size("1,000 shares") == PositionSize("shares", Decimal(1000))
    assert parse_size("50000") == PositionSize("money", Decimal(50000))
    for text in ("120%", "abc", "-5%", ""):
        with pytest.raises(UsageError):
            parse_size(text)


def test_fees_of_the_settings_count():
    terms = Terms(commission_pct=Decimal("0.1"), commission_min=Decimal(5))
    result = run(security("600000.SH", [10] * 10), entry="close > 0", terms=terms)
    assert result.fills[0].fees.commission == Decimal("9.00")
    assert result.fills[0].quantity == 900  # 1000 would cost more than there is
