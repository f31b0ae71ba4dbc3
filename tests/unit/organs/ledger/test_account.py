"""The account on the store's prices: corporate actions that count by themselves, the day's result, the drawdown."""

import shutil
from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import resolve_security
from ia.organs import marketdb
from ia.organs.ledger import account_documents, journal, order, posting
from ia.organs.ledger.order import Order
from ia.organs.ledger.posting import Correction
from ia.organs.ledger.profit import profit_rows
from ia.organs.ledger.whatif import suppose_trade
from ia.wiring.ledger_prices import open_ledger

DAYS = ("2024-06-17", "2024-06-18", "2024-06-19", "2024-06-20", "2024-06-21")


@pytest.fixture
def desk(ws, monkeypatch):
    """A desk after the close of the last of DAYS, with room to buy."""
    monkeypatch.setenv("IA_NOW", "2024-06-21T16:00+08:00")
    for name in ("POSITION_PCT", "DAY_STOP_PCT", "RISE_PCT"):
        monkeypatch.setenv(f"IA_RISK_{name}", "100")
    monkeypatch.setenv("IA_RISK_COOLING_HOURS", "0")
    return open_ledger(ws)


def stored(ws, symbol, closes, actions=(), *, simulated=False, days=DAYS):
    """Put bars and actions of a security into the whole market's tables."""
    name = "demo" if simulated else "akshare"
    db = marketdb.connect(ws)
    db.execute("INSERT OR IGNORE INTO sources (id, name, simulated) VALUES (1, ?, ?)", (name, int(simulated)))
    for day, close in zip(days, closes, strict=True):
        db.execute("INSERT OR IGNORE INTO days (source, date, rows, whole) VALUES (1, ?, 1, 0)", (day,))
        if close is not None:
            db.execute("INSERT INTO daily VALUES (1, ?, ?, ?, ?, ?, ?, 100, 1.0)", (day, symbol, *[close] * 4))
    db.execute(
        "INSERT OR REPLACE INTO latest SELECT source, symbol, max(date) FROM daily WHERE symbol = ? GROUP BY 1, 2",
        (symbol,),
    )
    for day, cash, bonus in actions:
        db.execute(
            "INSERT INTO actions (adapter, symbol, date, cash, bonus, rights, rights_price, split)"
            " VALUES (?, ?, ?, ?, ?, 0, 0, 1)", (name, symbol, day, cash, bonus),
        )  # fmt: skip
    db.close()


def bought(desk, code, quantity, price, day):
    symbol = resolve_security(code)
    wish = Order(
        side="buy",
        symbol=symbol,
        quantity=Decimal(quantity),
        price=Decimal(price),
        moment=order.parse_trade_time(day, symbol),
    )
    return posting.post_trade(desk, wish).entry


def deposited(desk, amount, day):
    posting.post_cash(desk, posting.cash_entry("deposit", Decimal(amount), "CNY", day))


def test_a_dividend_of_the_store_counts_once_and_outlives_the_cache(ws, desk):
    stored(ws, "600000.SH", (10.0, 10.0, 9.7, 9.8, 9.9), [("2024-06-19", 0.3, 0.0), ("2024-06-17", 5.0, 0.0)])
    bought(desk, "600000", "1000", "10", "2024-06-17")  # bought on an ex-day: too late for it
    for _ in range(2):
        assert open_ledger(ws).books().holdings["600000.SH"].dividends == 300
    entered = [each.key for each in journal.effective_entries(ws.db) if each.kind == "dividend"]
    assert entered == ["action:600000.SH:2024-06-19:dividend"]
    shutil.rmtree(f"{ws.root}/.ia/cache")
    assert open_ledger(ws).books().holdings["600000.SH"].dividends == 300


def test_a_void_dividend_of_the_store_does_not_come_back(ws, desk):
    stored(ws, "600000.SH", (10.0, 10.0, 9.7, 9.8, 9.9), [("2024-06-19", 0.3, 0.0)])
    bought(desk, "600000", "1000", "10", "2024-06-17")
    open_ledger(ws).books()
    number = next(each.id for each in journal.effective_entries(ws.db) if each.kind == "dividend")
    posting.void_entry(desk, number, "税后另记")
    assert open_ledger(ws).books().holdings["600000.SH"].dividends == 0


def test_actions_of_simulated_prices_count_but_are_not_entered(ws, desk, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    stored(ws, "600000.SH", (10.0, 10.0, 7.7, 7.8, 7.9), [("2024-06-19", 0.0, 0.3)], simulated=True)
    bought(desk, "600000", "1000", "10", "2024-06-17")
    assert open_ledger(ws).books().holdings["600000.SH"].quantity == 1300
    assert [each.kind for each in journal.effective_entries(ws.db)] == ["buy"]
    assert open_ledger(ws).account().simulated


def test_the_days_result_has_the_dividend_in_it(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 10.0, 9.7, 9.8, 9.9), [("2024-06-19", 0.3, 0.0)])
    deposited(desk, "20000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    monkeypatch.setenv("IA_NOW", "2024-06-19T16:00+08:00")
    purse = open_ledger(ws).account().purses["CNY"]
    assert (purse.day, purse.today) == ("2024-06-19", 0)  # 300 came, the price fell by as much
    posting.post_cash(desk, posting.cash_entry("interest", Decimal("3.21"), "CNY", "2024-06-19"))
    assert open_ledger(ws).account().purses["CNY"].today == Decimal("3.21")
    monkeypatch.setenv("IA_NOW", "2024-06-20T12:00+08:00")
    assert open_ledger(ws).account().purses["CNY"].day == "2024-06-19"  # the day's close is not there yet


def test_the_drawdown_leaves_deposits_and_withdrawals_out(ws, desk):
    stored(ws, "600000.SH", (10.0, 12.0, 9.0, 9.0, 11.0))
    deposited(desk, "10005.10", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    assert open_ledger(ws).account().purses["CNY"].drawdown == Decimal("0.25")  # 12 to 9
    deposited(desk, "90000", "2024-06-20")
    assert open_ledger(ws).account().purses["CNY"].drawdown == Decimal("0.25")
    posting.post_cash(desk, posting.cash_entry("withdraw", Decimal("80000"), "CNY", "2024-06-21"))
    assert open_ledger(ws).account().purses["CNY"].drawdown == Decimal("0.25")


def test_without_a_close_there_is_no_drawdown_and_a_suspended_day_keeps_the_last(ws, desk):
    stored(ws, "600000.SH", (10.0, None, None, 9.0, 9.0))
    deposited(desk, "50000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    assert open_ledger(ws).account().purses["CNY"].drawdown is not None
    stored(ws, "000333.SZ", (None, None, None, 60.0, 60.0))
    bought(desk, "000333", "100", "60", "2024-06-18")  # its close of that day is not stored
    assert open_ledger(ws).account().purses["CNY"].drawdown is None


def test_capital_stands_for_deposits_where_there_are_none(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 10.0, 10.0, 10.0, 11.0))
    monkeypatch.setenv("IA_LEDGER_CAPITAL", "20000 CNY")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    purse = open_ledger(ws).account().purses["CNY"]
    assert (purse.cash, purse.equity, purse.total) == (Decimal("9994.90"), Decimal("20994.90"), Decimal("994.90"))


def test_a_correction_to_a_later_day_counts_from_that_day_only(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 10.0, 10.0, 10.0, 11.0))
    first = bought(desk, "600000", "1000", "10", "2024-06-17")
    posting.correct_entry(desk, first.id, Correction(when="2024-06-20"), because="看错日期")
    monkeypatch.setenv("IA_NOW", "2024-06-18T16:00+08:00")
    assert open_ledger(ws).books().holdings == {}
    monkeypatch.setenv("IA_NOW", "2024-06-20T16:00+08:00")
    assert open_ledger(ws).books().holdings["600000.SH"].quantity == 1000


def test_on_the_morning_of_an_ex_day_nothing_is_won_by_new_shares_at_the_old_price(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 13.0, 10.0, 10.0, 10.0), [("2024-06-19", 0.0, 0.3), ("2024-06-20", 0.5, 0.0)])
    deposited(desk, "20000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    evening, morning, after = "2024-06-18T16:00+08:00", "2024-06-19T10:00+08:00", "2024-06-19T16:00+08:00"
    told = {}
    for moment in (evening, morning, after, "2024-06-20T09:00+08:00"):
        monkeypatch.setenv("IA_NOW", moment)
        told[moment] = open_ledger(ws).account()
    purses = [each.purses["CNY"] for each in told.values()]
    assert {each.equity for each in purses} == {Decimal("22994.90")}
    assert {each.drawdown for each in purses} == {Decimal("0.0003")}  # the fees of the first day
    (held,) = told[morning].positions
    assert (held.quantity, held.price.price, held.price.date) == (1300, 10, "2024-06-18")
    assert told[after].purses["CNY"].today == 0
    (held,) = told["2024-06-20T09:00+08:00"].positions
    assert (held.price.price, held.unrealized) == (Decimal("9.5"), Decimal("2344.90"))
    assert profit_rows(open_ledger(ws).books(), open_ledger(ws).load_prices(open_ledger(ws).books()))[
        0
    ].unrealized == Decimal("2344.90")


def test_a_security_that_is_suspended_over_an_ex_day_loses_and_wins_nothing(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 12.0, None, None, None), [("2024-06-19", 0.0, 0.2)])
    stored(ws, "000333.SZ", (60.0, 60.0, 60.0, 60.0, 60.0))
    deposited(desk, "200000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    bought(desk, "000333", "100", "60", "2024-06-17")
    for day in ("2024-06-18", "2024-06-19", "2024-06-20", "2024-06-21"):
        monkeypatch.setenv("IA_NOW", f"{day}T16:00+08:00")
        purse = open_ledger(ws).account().purses["CNY"]
        assert (purse.day, purse.today) == (day, 2000 if day == "2024-06-18" else 0)
        assert purse.drawdown == Decimal("0.0001")  # the fees of the first day


@pytest.mark.parametrize("alone", [False, True])
def test_a_long_suspension_blinds_neither_the_days_result_nor_the_daily_loss_rule(ws, desk, monkeypatch, alone):
    days = (*DAYS, "2024-06-24", "2024-06-25", "2024-06-26", "2024-06-27", "2024-06-28")
    stored(ws, "600000.SH", (10.0, *[None] * 9), days=days)
    stored(ws, "000333.SZ", (*[60.0] * 9, 61.0), days=days)
    deposited(desk, "200000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    if not alone:
        bought(desk, "000333", "100", "60", "2024-06-17")
    monkeypatch.setenv("IA_NOW", "2024-06-28T16:00+08:00")
    desk = open_ledger(ws)
    purse = desk.account().purses["CNY"]
    assert (purse.day, purse.today) == ("2024-06-28", 0 if alone else 100)
    checked = suppose_trade(desk, "000333", quantity=100)
    assert (checked["allowed"], checked["unknown"]) == (True, [])


def test_the_result_of_a_security_whose_prices_no_longer_come_is_unknown(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 10.0, 10.0, 10.0, 10.0))  # of the market nothing is stored since
    deposited(desk, "200000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    monkeypatch.setenv("IA_NOW", "2024-07-05T16:00+08:00")
    assert open_ledger(ws).account().purses["CNY"].today is None


def test_the_result_of_the_last_day_outlives_it_where_all_was_sold_of_one(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 10.0, 10.0, 10.0, 11.0))
    stored(ws, "000333.SZ", (60.0, 60.0, 60.0, 60.0, None))
    deposited(desk, "200000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    bought(desk, "000333", "100", "60", "2024-06-17")
    symbol = resolve_security("600000")
    wish = Order(
        side="sell",
        symbol=symbol,
        quantity=Decimal(1000),
        price=Decimal("10.5"),
        moment=order.parse_trade_time("2024-06-21", symbol),
    )
    posting.post_trade(desk, wish)
    for moment in ("2024-06-21T16:00+08:00", "2024-06-22T12:00+08:00"):
        monkeypatch.setenv("IA_NOW", moment)
        purse = (
            open_ledger(ws).account().purses["CNY"]
        )  # 10500 less fees of 10.36, before 10000; the other is suspended
        assert (purse.day, purse.today) == ("2024-06-21", Decimal("489.64"))


def test_a_security_that_is_gone_moves_the_account_no_more(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 10.0, 10.0, 10.0, 11.0))
    stored(ws, "000333.SZ", (60.0, 60.0, 60.0, None, None))
    deposited(desk, "200000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    bought(desk, "000333", "100", "60", "2024-06-17")
    symbol = resolve_security("600000")
    posting.post_trade(
        desk,
        Order(
            side="sell",
            symbol=symbol,
            quantity=Decimal(1000),
            price=Decimal(10),
            moment=order.parse_trade_time("2024-06-20", symbol),
        ),
    )
    monkeypatch.setenv("IA_NOW", "2024-06-21T16:00+08:00")
    purse = open_ledger(ws).account().purses["CNY"]
    assert (purse.day, purse.today) == ("2024-06-21", 0)  # what is held is suspended; what rose is gone


def test_a_price_of_years_ago_is_named_and_tells_nothing_of_today(ws, desk, monkeypatch):
    stored(ws, "600000.SH", (10.0, 10.0, 10.0, 10.0, 11.0))
    deposited(desk, "200000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    (held,) = open_ledger(ws).account().positions
    assert (held.today, held.price.missed) == (1000, 0)
    told = []
    monkeypatch.setenv("IA_NOW", "2024-06-24T10:00+08:00")  # before the close of the next session
    assert open_ledger(ws, told.append).account().purses["CNY"].today == 1000 and not told
    monkeypatch.setenv("IA_NOW", "2024-06-24T16:00+08:00")
    found = open_ledger(ws, told.append).account()
    assert (found.purses["CNY"].today, found.purses["CNY"].equity) == (None, Decimal("200994.90"))
    assert account_documents.position_document(found.positions[0])["price_stale"] == 1
    assert [str(each) for each in told] == ["600000.SH: the price is from 2024-06-21, 1 trading day old"]
    monkeypatch.setenv("IA_NOW", "2029-06-25T16:00+08:00")
    found = open_ledger(ws).account()
    assert found.purses["CNY"].today is None and found.positions[0].price.missed > 1000


def test_a_trade_on_a_holiday_is_warned_of_like_one_on_a_weekend(ws, desk):
    def told(code, day):
        wish = Order(
            side="buy",
            symbol=resolve_security(code),
            quantity=Decimal(100),
            price=Decimal(10),
            moment=order.parse_trade_time(day, resolve_security(code)),
        )
        return [str(each.message) for each in desk.check_order(wish) if each.rule == "exchange.closed"]

    assert told("600000", "2024-02-16") == ["2024-02-16 is an exchange holiday; give the trade date with `--date`"]
    assert len(told("600000", "2024-02-17")) == 1 and not told("600000", "2024-02-19")
    assert told("AAPL", "2024-05-27") and not told("AAPL", "2024-05-28") and told("00700.HK", "2024-05-15")
