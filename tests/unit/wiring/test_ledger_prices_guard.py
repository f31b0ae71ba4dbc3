"""What the guard learns from the store: the reference price of a day, names and listings as of it, and what is stale."""

from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.ledger import order
from ia.organs.market import store
from ia.organs.market.quote import Quote
from ia.wiring.ledger_prices import open_ledger

BANK = "600036.SH"


def quote(symbol, price, prev_close, name="招商银行", listed="2002-04-09"):
    return Quote(
        symbol=symbol,
        name=name,
        price=price,
        prev_close=prev_close,
        change=price - prev_close,
        change_pct=(price / prev_close - 1) * 100,
        open=price,
        high=price,
        low=price,
        volume=1000,
        amount=price * 1000,
        listed=listed,
    )


@pytest.fixture
def market(home, monkeypatch):
    """A store of real prices, and what the guard says of an order in it: rule -> (message, refuses)."""
    monkeypatch.setenv("IA_NOW", "2024-03-29T18:00+08:00")
    monkeypatch.setenv("IA_LEDGER_CAPITAL", "1000000")
    ws = Workspace(str(home))
    db = marketdb.connect(ws)
    source = store.source_id(db, "akshare", False)

    class Market:
        def day(self, date, *quotes):
            store.put_day(db, source, date, quotes, time=f"{date}T08:00:00.000Z")

        def told(self, price, when, symbol=BANK, side="buy", quantity=100):
            wish = order.Order(
                side=side,
                symbol=from_canonical(symbol),
                quantity=Decimal(quantity),
                price=Decimal(price),
                moment=clock.parse_moment(f"{when}+08:00"),
            )
            return {each.rule: (str(each.message), each.refuses) for each in open_ledger(ws).check_order(wish)}

    yield Market()
    ws.close()


def test_a_quiet_day(market):
    market.day("2024-03-01", quote(BANK, 10.0, 9.9))
    market.day("2024-03-04", quote(BANK, 10.2, 10.0))
    assert market.told("10.20", "2024-03-04T15:00") == {}
    told = market.told("10.60", "2024-03-04T15:00")
    assert told.pop("exchange.day_range")[1] is False, "it is told, and refuses nothing"
    assert told == {"risk.rise_pct": ("daily change: 6% > 5%", True)}


def test_an_ex_day_is_measured_from_its_reference_price(market):
    market.day("2024-03-01", quote(BANK, 10.0, 9.9))
    market.day("2024-03-04", quote(BANK, 5.1, 5.0))  # ten new shares for ten
    assert market.told("5.10", "2024-03-04T15:00") == {}
    found = market.told("4.49", "2024-03-04T15:00")
    assert found == {"exchange.price_limit": ("price limit of 2024-03-04: 4.49 < 4.5 (±10 %)", True)}
    # In the morning nobody had told the reference price yet: a low price may be that of an ex-day.
    found = market.told("5.10", "2024-03-04T10:00")
    assert found == {"exchange.price_limit": ("price limit of 2024-03-04: 5.1 < 9 (±10 %)", False)}


def test_the_close_before_a_weekend_and_a_holiday_is_fresh(market):
    market.day("2024-02-08", quote(BANK, 10.0, 9.9))
    found = market.told("11.01", "2024-02-19T10:00")  # the first session after the Spring Festival
    assert found["exchange.price_limit"] == ("price limit of 2024-02-19: 11.01 > 11 (±10 %)", True)
    assert found["risk.rise_pct"][1]


def test_a_close_with_a_session_in_between_is_stale(market):
    market.day("2024-03-04", quote(BANK, 10.0, 9.9))
    ((rule, (message, refuses)),) = market.told("13.00", "2024-03-06T10:00").items()
    assert (rule, refuses) == ("risk.rise_pct", False)
    assert "the last stored close before it is from 2024-03-04" in message


def test_special_treatment_counts_as_of_the_day(market):
    market.day("2024-03-01", quote("600000.SH", 10.0, 9.9, "ST浦发", "1999-11-10"))
    market.day("2024-03-04", quote("600000.SH", 10.3, 10.0, "ST浦发", "1999-11-10"))
    found = market.told("10.60", "2024-03-04T15:00", "600000.SH")
    assert found["exchange.price_limit"] == ("price limit of 2024-03-04: 10.6 > 10.5 (±5 % ST)", True)


def test_a_new_stock_has_no_limits(market):
    market.day("2024-03-04", quote("603001.SH", 30.0, 20.0, "N奥康", "2024-03-04"))
    market.day("2024-03-05", quote("603001.SH", 45.0, 30.0, "C奥康", "2024-03-04"))
    assert set(market.told("45.00", "2024-03-05T15:00", "603001.SH")) == {"risk.rise_pct"}


def test_the_settings_hold_the_position(market):
    market.day("2024-03-01", quote(BANK, 10.0, 9.9))
    found = market.told("10.00", "2024-03-01T15:00", quantity=23000)
    # 230,000.00 of 1,000,000 less commission 57.50 and transfer fee 2.30
    assert found == {"risk.position_pct": ("position limit: 23% > 20%", True)}
    assert market.told("10.00", "2024-03-01T15:00", quantity=19900) == {}
