"""Money that is out: reverse repo and new issues, from statements and by hand, on each day and in beancount."""

from decimal import Decimal

import pytest

from ia.kernel.errors import BadData, Refused, UsageError
from ia.organs.ledger import beancount, journal, posting, statement_import
from ia.organs.ledger.booking import book_entries, format_decimal
from ia.organs.ledger.posting import Correction
from ia.wiring.ledger_prices import open_ledger

HEAD = (
    "成交日期,业务名称,证券代码,证券名称,成交价格,成交数量,成交金额,发生金额\n20230901,银行转证券,,,0,0,0,{deposit}\n"
)


def put(ws, rows, deposit="20000.00"):
    text = HEAD.format(deposit=deposit) + rows
    return statement_import.enter_statement(
        open_ledger(ws), statement_import.read_statement(text.encode(), "bill").entries
    )


def told(ws, monkeypatch, day):
    monkeypatch.setenv("IA_NOW", f"{day}T16:00+08:00")
    purse = open_ledger(ws).account().purses["CNY"]
    return [format_decimal(x) for x in (purse.cash, purse.lent, purse.equity, purse.today, purse.total, purse.drawdown)]


def days(ws):
    """Return cash and what is lent of the books, as they are now."""
    money = book_entries(journal.effective_entries(ws.db)).cash["CNY"]
    return format_decimal(money.balance), format_decimal(money.lent), format_decimal(money.interest)


@pytest.mark.parametrize(
    ("out", "back"),
    [
        ("20230904,质押回购拆出,131810,R-001,1.85,100,10000.00,-10000.10", "20230905,拆出质押购回,131810,R-001,0,100,10000.00,10000.51"),
        ("20230904,质押回购拆出,,,0,0,0,-10000.10", "20230905,拆出质押购回,,,0,0,0,10000.51"),
        ("20230904,融券回购,204001,GC001,1.85,10,10000,-10000.10", "20230905,融券购回,204001,GC001,1.85,10,10000.51,10000.51"),
        ("20230904,逆回购,204001,GC001,1.85,10,10000,-10000.10", "20230905,逆回购到期,204001,GC001,0,10,0,10000.51"),
        ("20230904,卖出,204001,GC001,1.85,10,10000,-10000.10", "20230905,质押式回购,204001,GC001,0,10,0,10000.51"),
    ],
)  # fmt: skip
def test_what_is_lent_overnight_stays_equity_and_earns_its_interest(ws, monkeypatch, out, back):
    assert len(put(ws, f"{out}\n{back}\n")) == 3
    assert put(ws, f"{out}\n{back}\n") == []
    assert told(ws, monkeypatch, "2023-09-04") == ["9999.9", "10000", "19999.9", "-0.1", "-0.1", "0"]
    assert told(ws, monkeypatch, "2023-09-05") == ["20000.41", "0", "20000.41", "0.51", "0.41", "0"]
    assert open_ledger(ws).account_warnings(open_ledger(ws).account()) == []


def test_terms_overlap_and_repayments_come_in_parts_and_together(ws, monkeypatch):
    put(
        ws,
        "20230904,质押回购拆出,204007,GC007,2,10,10000,-10000.50\n20230904,质押回购拆出,204001,GC001,2,20,20000,-20000.20\n"
        "20230905,质押回购拆出,204001,GC001,2,5,5000,-5000.05\n20230905,质押回购拆出,204001,GC001,2,15,15000,-15000.15\n"
        "20230905,拆出质押购回,204001,GC001,0,0,0,20001.10\n20230906,拆出质押购回,204001,GC001,0,0,0,20001.20\n"
        "20230911,拆出质押购回,204007,GC007,0,0,0,4001.60\n20230911,拆出质押购回,204007,GC007,0,0,0,6002.40\n",
        deposit="50000",
    )  # fmt: skip
    lent = {}
    for day in ("04", "05", "06", "11"):
        monkeypatch.setenv("IA_NOW", f"2023-09-{day}T16:00+08:00")
        lent[day] = days(ws)
    assert lent == {
        "04": ("19999.3", "30000", "-0.7"), "05": ("20000.2", "30000", "0.2"), "06": ("40001.4", "10000", "1.4"),
        "11": ("50005.4", "0", "5.4"),
    }  # fmt: skip


def test_months_of_one_loan_are_in_two_files(ws):
    put(ws, "20230904,质押回购拆出,204091,GC091,2,5000,5000000,-5000050\n", deposit="6000000")
    text = "成交日期,业务名称,证券代码,证券名称,发生金额\n20231204,拆出质押购回,204091,GC091,5024931.51\n"
    statement_import.enter_statement(open_ledger(ws), statement_import.read_statement(text.encode(), "bill").entries)
    assert days(ws) == ("6024881.51", "0", "24881.51")


@pytest.mark.parametrize("what", ["融资回购", "质押回购拆入", "融资购回"])
def test_borrowing_is_no_part_of_the_ledger(ws, what):
    with pytest.raises(BadData, match="borrowed"):
        put(ws, f"20230904,{what},204001,GC001,1.85,10,10000,9999.90\n")
    assert journal.effective_entries(ws.db) == []


def test_what_was_never_lent_cannot_come_back(ws):
    with pytest.raises(Refused, match="exceeds the 0 lent"):
        put(ws, "20230905,拆出质押购回,131810,R-001,0,100,10000.00,10000.51\n")
    assert journal.effective_entries(ws.db) == []


def test_loans_by_hand_are_corrected_and_voided(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    desk = open_ledger(ws)
    posting.post_cash(desk, posting.cash_entry("deposit", Decimal(50000), "CNY", "2024-01-02"))
    lent = posting.loan_entry("lend", Decimal(10000), "2024-01-03", code="204001", commission=Decimal("0.10"))
    lent = posting.post_cash(desk, lent)
    back = posting.post_cash(desk, posting.loan_entry("repaid", Decimal("10000.61"), "2024-01-04"))
    assert days(ws) == ("50000.51", "0", "0.51")
    with pytest.raises(Refused):
        posting.void_entry(desk, lent.id, "no")
    with pytest.raises(Refused):
        posting.correct_entry(desk, lent.id, Correction(amount="5000"))
    back = posting.correct_entry(desk, back.id, Correction(amount="10000.71")).entry
    lent = posting.correct_entry(desk, lent.id, Correction(fees={"commission": Decimal("0.20")})).entry
    assert days(ws) == ("50000.51", "0", "0.51") and (lent.symbol, lent.currency) == ("204001.SH", "CNY")
    posting.void_entry(desk, back.id, "no")
    posting.void_entry(desk, lent.id, "no")
    assert days(ws) == ("50000", "0", "0")
    with pytest.raises(UsageError):
        posting.loan_entry("lend", Decimal(1000), None, code="600519")
    with pytest.raises(UsageError):
        posting.loan_entry("repaid", Decimal(1000), None, principal=Decimal(1001))


BOND = """20230905,申购配号,754113,强联发债,100,1000,0,0
20230906,申购中签扣款,754113,强联发债,100,10,1000,-1000.00
20230920,新债入账,113688,强联转债,100,10,1000,0
20230925,证券卖出,113688,强联转债,130.000,-10,1300.00,1299.74
"""
SHARE = """20230905,新股申购,787981,中芯国际,27.46,500,13730,0
20230906,申购中签扣款,787981,中芯申购,27.46,500,13730,-13730.00
20230910,申购返款,787981,中芯申购,0,0,0,2746.00
20230920,新股入账,688981,中芯国际,27.46,400,10984,0
20230925,证券卖出,688981,中芯国际,50.000,-400,20000.00,19980.00
"""


@pytest.mark.parametrize(
    ("rows", "symbol", "paid", "held", "end"),
    [(BOND, "113688.SH", 1000, 10, "20299.74"), (SHARE, "688981.SH", 10984, 400, "28996.00")],
)
def test_what_is_paid_for_a_new_issue_is_out_until_it_arrives(ws, monkeypatch, rows, symbol, paid, held, end):
    put(ws, rows)
    told = {}
    for day in ("15", "21", "26"):
        monkeypatch.setenv("IA_NOW", f"2023-09-{day}T16:00+08:00")
        books = book_entries(journal.effective_entries(ws.db))
        holding = books.holdings.get(symbol)
        told[day] = (books.cash["CNY"].balance, books.cash["CNY"].lent, holding and (holding.quantity, holding.cost))
    assert told["15"] == (20000 - paid, paid, None)
    assert told["21"] == (20000 - paid, 0, (held, paid))
    assert told["26"] == (Decimal(end), 0, (0, 0))
    assert put(ws, rows) == []


def test_a_subscribed_bond_whose_listed_code_is_not_told_is_not_guessed(ws):
    with pytest.raises(BadData, match="the file does not give the listed code"):
        put(ws, BOND.replace("113688,强联转债", "754113,强联发债"))
    put(ws, BOND.splitlines()[1] + "\n")
    assert days(ws) == ("19000", "1000", "0")


def test_bean_check_accepts_loans_and_new_issues(ws, monkeypatch):
    pytest.importorskip("beancount")
    from beancount import loader

    put(ws, BOND + SHARE + "20230926,质押回购拆出,204001,GC001,2,10,10000,-10000.10\n")
    put(ws, "20230927,拆出质押购回,204001,GC001,0,0,0,4000.30\n")
    text = "".join(beancount.export_lines(journal.effective_entries(ws.db)))
    _, errors, _ = loader.load_string(text)
    assert not errors and "balance Assets:Broker:Lent:CNY  6000.00 CNY" in text
