"""Where nothing is stored of a security, the ledger asks the adapters that cost nothing, whoever wrote them."""

from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.workspace import Workspace
from ia.wiring.ledger_prices import StoredPrices

BANK = from_canonical("600036.SH")


@pytest.fixture
def price(home, monkeypatch):
    """The price that the ledger finds of the bank, with a chain of adapters, and what it says meanwhile."""
    ws = Workspace(str(home))
    monkeypatch.setenv("IA_NOW", "2024-01-16T18:00+08:00")

    def find(chain, symbol=BANK):
        monkeypatch.setenv("IA_MARKET_ADAPTER", chain)
        told = []
        found = StoredPrices(ws, told.append).latest_prices([symbol]).get(symbol.canonical)
        return found, [str(message) for message in told]

    yield find
    ws.close()


def test_a_local_adapter_of_another_package_tells_a_price(price, foreign_adapter):
    asked = foreign_adapter("shelf", local=True)
    found, told = price("akshare,shelf")
    assert (found.price, found.date, found.previous) == (Decimal("8.5"), "2024-01-16", Decimal("8.0"))
    assert (found.simulated, told, asked) == (False, [], ["600036.SH"])


def test_no_bar_is_seen_before_its_close(price, foreign_adapter, monkeypatch):
    foreign_adapter("shelf", local=True)
    monkeypatch.setenv("IA_NOW", "2024-01-16T10:00+08:00")
    assert price("shelf")[0].date == "2024-01-15"


def test_prices_that_are_made_up_say_so(price, foreign_adapter):
    foreign_adapter("dream", simulated=True)
    assert price("dream")[0].simulated is True


def test_an_adapter_that_asks_a_host_is_not_asked(price, foreign_adapter):
    asked = foreign_adapter("far")
    assert price("far,tushare,akshare") == (None, [])
    assert asked == []


def test_the_next_one_is_asked_where_an_adapter_has_nothing_or_is_not_there(price, foreign_adapter):
    foreign_adapter("shelf", local=True)
    new = from_canonical("301999.SZ")
    assert price("shelf", new) == (None, [])
    found, told = price("nowhere,shelf")
    assert found.price == Decimal("8.5")
    assert told == ["nowhere: unknown market adapter"]
