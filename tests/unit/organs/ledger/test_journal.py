"""What another program did to the journal is told with its entry, and is never counted."""

import sqlite3

import pytest

from ia.kernel.errors import BadData
from ia.kernel.workspace import Workspace
from ia.organs.ledger import journal, order, posting
from ia.organs.ledger.account_documents import entry_document
from ia.wiring.ledger_prices import open_ledger

DAMAGE = [
    "price = 'abc'",
    "price = 'NaN'",
    "price = NULL",
    "quantity = '-100'",
    "quantity = '1e5'",
    "quantity = NULL",
    "cash = 'Infinity'",
    "cash = NULL",
    "commission = x'00ff'",
    "date = 'yesterday'",
    "time = '2024-01-15 15:00'",
    "kind = 'gift'",
    "symbol = ''",
    "override = '{'",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_named(home, damage):
    ws = Workspace()
    desk = open_ledger(ws)
    symbol = desk.resolve_symbol("600519")
    moment = order.parse_trade_time("2024-01-15", symbol)
    wish = order.Order(
        side="buy",
        symbol=symbol,
        quantity=order.parse_shares("100", symbol),
        price=order.parse_number("1650", "the price"),
        moment=moment,
    )
    posting.post_cash(
        desk, posting.cash_entry("deposit", order.parse_number("1000000", "the amount"), "CNY", "2024-01-02")
    )
    posting.post_trade(desk, wish)
    db = sqlite3.connect(home / ".ia" / "ia.db")
    with pytest.raises(sqlite3.IntegrityError, match="only added to"):
        db.execute(f"UPDATE trades SET {damage} WHERE id = 2")
    db.execute("DROP TRIGGER trades_no_update")
    db.execute(f"UPDATE trades SET {damage} WHERE id = 2")
    db.commit()
    db.close()

    with pytest.raises(BadData, match=r"entry 2 of the ledger"):
        for entry, _ in journal.list_entries(ws.db):
            entry_document(entry)
    if "override" not in damage:
        with pytest.raises(BadData, match=r"entry 2 of the ledger"):
            open_ledger(ws).account()
