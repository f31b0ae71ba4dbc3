"""The position limit is held against all currencies together, where they are known."""

from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import resolve_security
from ia.kernel import clock
from ia.organs.ledger.account import Account, CurrencyAccount, Position
from ia.organs.ledger.exchange import StoredRates
from ia.organs.ledger.guard import AccountState, CheckedOrder, RiskLimits, check_order, position_share
from ia.organs.ledger.net_worth import allocate, sum_net_worth
from ia.organs.ledger.whole_account import weigh_in_whole

DAY = "2024-03-15"


def rates(dollar=7.0, hongkong=0.9, day=DAY):
    return {
        name: StoredRates(days=[day], yuan=[value], source="s") for name, value in (("USD", dollar), ("HKD", hongkong))
    }


def position(symbol, currency, value):
    return Position(
        symbol=symbol, name="", currency=currency, quantity=Decimal(1), sellable=Decimal(1), cost=Decimal(1), price=None,
        value=value, unrealized=None, today=None, weight=Decimal(50), limit_weight=Decimal(50),
    )  # fmt: skip


def account(**equities):
    purses = {
        name: CurrencyAccount(name, cash=Decimal(0), value=equity, equity=equity) for name, equity in equities.items()
    }
    return Account([position("600519.SH", "CNY", Decimal(35000)), position("AAPL.US", "USD", Decimal(5000))], purses)


def test_positions_weigh_in_the_whole_account():
    found = account(CNY=Decimal(70000), USD=Decimal(10000), HKD=Decimal(0))
    weigh_in_whole(found, lambda names: rates() if set(names) == {"USD"} else {}, DAY)
    assert (found.purses["CNY"].whole, found.purses["USD"].whole) == (140000, 20000)
    assert [each.limit_weight for each in found.positions] == [25, 25]
    assert [each.weight for each in found.positions] == [50, 50], "in its own currency, as before"
    assert found.purses["USD"].basis == 20000 and found.purses["HKD"].basis == 0


@pytest.mark.parametrize(
    ("equities", "known"),
    [
        ({"CNY": Decimal(70000)}, {}),
        ({"CNY": Decimal(70000), "USD": None}, rates()),
        ({"CNY": Decimal(70000), "USD": Decimal(10000)}, {}),
        ({"CNY": Decimal(70000), "USD": Decimal(10000)}, rates(day="2023-01-02")),
        ({"CNY": Decimal(-80000), "USD": Decimal(10000)}, rates()),
    ],
    ids=["one currency", "unknown price", "no rate", "an old rate", "nothing left"],
)
def test_without_all_of_it_a_position_weighs_in_its_own_currency(equities, known):
    found = account(**{"USD": Decimal(0), **equities})
    weigh_in_whole(found, lambda _names: known, DAY)
    assert all(purse.whole is None for purse in found.purses.values())
    assert [each.limit_weight for each in found.positions] == [50, 50]
    assert found.purses["CNY"].basis == equities["CNY"]


def test_the_guard_takes_the_whole():
    order = CheckedOrder(
        symbol=resolve_security("AAPL"),
        action="buy",
        quantity=Decimal(30),
        price=Decimal(100),
        moment=clock.now(),
        day=DAY,
    )
    small = AccountState("USD", equity=Decimal(10000), cash=Decimal(10000))
    large = AccountState("USD", equity=Decimal(10000), cash=Decimal(10000), whole=Decimal(20000))
    assert (position_share(order, small), position_share(order, large)) == (30, 15)
    assert "risk.position_pct" in {each.rule for each in check_order(order, small, RiskLimits())}
    assert "risk.position_pct" not in {each.rule for each in check_order(order, large, RiskLimits())}


def test_a_currency_without_a_deposit_counts_with_what_its_entries_come_to():
    purses = {
        "CNY": CurrencyAccount("CNY", cash=Decimal(70000), equity=Decimal(70000)),
        "HKD": CurrencyAccount("HKD", value=Decimal(40000), booked=Decimal(-30000)),
    }
    found = Account([position("00700.HK", "HKD", Decimal(40000))], purses)
    weigh_in_whole(found, lambda _names: rates(), DAY)
    assert found.purses["CNY"].whole == 79000, "70,000 and 0.9 × (40,000 − 30,000)"
    worth = sum_net_worth(found, "CNY", rates(), DAY)
    assert (worth.cash, worth.value, worth.equity) == (43000, 36000, 79000)
    assert not worth.missing and len(worth.notes) == 1 and "debt of 30,000.00 HKD" in str(worth.notes[0])
    parts = {(each.kind, each.name): each.value for each in allocate(found, worth, "security")}
    assert parts == {("cash", "CNY"): 70000, ("security", "00700.HK"): 36000, ("cash", "HKD"): -27000}


def test_without_a_deposit_in_any_currency_nothing_is_counted():
    purses = {name: CurrencyAccount(name, value=Decimal(1), booked=Decimal(-1)) for name in ("CNY", "HKD")}
    worth = sum_net_worth(Account([], purses), "CNY", rates(), DAY)
    assert worth.equity is None and len(worth.missing) == 2 and not worth.notes


def test_the_whole_is_rounded_once_as_the_performance_rounds_it():
    purses = {"HKD": CurrencyAccount("HKD", cash=Decimal("0.05"), value=Decimal("0.05"), equity=Decimal("0.10"))}
    worth = sum_net_worth(Account([position("00700.HK", "HKD", Decimal("0.05"))], purses), "CNY", rates(), DAY)
    assert worth.equity == Decimal("0.09"), "0.9 × 0.10, not twice 0.05"
    assert worth.cash + worth.lent + worth.value == worth.equity
