"""Brokers' statements in, CSV and beancount out: what enters, what stops everything, and that nothing enters twice."""

import csv
import random
import subprocess
import sys
from decimal import Decimal

import pytest

from ia.kernel.errors import BadData, Refused
from ia.organs.ledger import beancount, csv_export, journal, statement_import
from ia.organs.ledger.booking import book_entries
from ia.wiring.ledger_prices import open_ledger
from support.journals import SYMBOLS, entered, history

THS = """成交日期\t成交时间\t证券代码\t证券名称\t操作\t成交数量\t成交均价\t成交金额\t手续费\t印花税\t过户费\t发生金额\t成交编号
20240102\t09:00:00\t\t\t银行转证券\t0\t0.000\t0.00\t0.00\t0.00\t0.00\t200000.00\t1
20240115\t10:31:02\t="600000"\t浦发银行\t证券买入\t1000\t10.000\t10000.00\t5.00\t0.00\t0.10\t-10005.10\t="2001"
20240201\t93102\t="600000"\t浦发银行\t证券买入\t500\t12.000\t"6,000.00"\t5.00\t0.00\t0.06\t-6005.06\t="2002"
20240301\t14:00:00\t="600000"\t浦发银行\t证券卖出\t-700\t11.500\t8050.00\t5.00\t4.03\t0.08\t8040.89\t="2003"
20240610\t08:00:00\t="600000"\t浦发银行\t股息入账\t0\t0\t256.80\t0\t0\t0\t256.80\t="2004"
20240611\t08:00:00\t="600000"\t浦发银行\t股息红利税补缴\t0\t0\t25.68\t0\t0\t0\t-25.68\t="2005"
20240620\t08:00:00\t="600000"\t浦发银行\t红股入账\t240\t0\t0\t0\t0\t0\t0\t="2006"
20240621\t08:00:00\t\t\t利息归本\t0\t0\t3.21\t0\t0\t0\t3.21\t="2007"
20240622\t08:00:00\t="732345"\t某某申购\t申购配号\t1000\t0\t0\t0\t0\t0\t0\t="2008"
"""


def put(ws, text, **more):
    raw = text if isinstance(text, bytes) else text.encode()
    return statement_import.enter_statement(
        open_ledger(ws), statement_import.read_statement(raw, "bill", **more).entries
    )


def books(ws, **more):
    return book_entries(journal.effective_entries(ws.db), **more)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_statement_of_a_chinese_broker(ws, encoding):
    made = put(ws, THS.encode(encoding))
    kinds = ["deposit", "buy", "buy", "sell", "dividend", "dividend", "bonus", "interest"]
    assert [each.kind for each in made] == kinds
    held = books(ws).holdings["600000.SH"]
    assert (held.quantity, held.realized, held.dividends) == (1040, Decimal("569.48"), Decimal("231.12"))
    assert books(ws).cash["CNY"].balance == Decimal("192265.06")
    assert made[1].time == "2024-01-15T02:31:02.000Z"
    assert made[2].time == "2024-02-01T01:31:02.000Z"  # 93102
    assert put(ws, THS) == []
    again = (
        THS
        + '20240701\t10:00:00\t="600000"\t浦发银行\t证券卖出\t40\t11.500\t460.00\t5.00\t0.23\t0.00\t454.77\t="3001"\n'
    )
    assert [each.kind for each in put(ws, again)] == ["sell"]


def test_two_rows_that_say_the_same_are_two_trades_and_stay_two(ws):
    row = "20240115,600000,买入,10.00,100,1000.00,5.00,1005.00\n"
    bill = "成交日期,证券代码,操作,成交价格,成交数量,成交金额,佣金,发生金额\n" + row + row
    assert len(put(ws, bill)) == 2
    assert put(ws, bill) == []
    assert len(put(ws, bill + row)) == 1


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("成交日期,证券代码,买卖标志,成交价格,成交数量", "2024/1/15,333,买入,60,100", ("buy", "000333.SZ", "100", "6000.00", "5.06")),
        ("交割日期|证券代码|业务名称|成交价格|成交数量|成交金额|佣金|印花税|过户费|其他费|清算金额",
         "2024-01-15|000333|证券买入|60.00|100|6000.00|5.00|0|0.06|0.20|-6005.26", ("buy", "000333.SZ", "100", "6000.00", "5.26")),
        # 手续费 is the sum of the others
        ("成交日期,证券代码,操作,成交价格,成交数量,成交金额,手续费,印花税,过户费,发生金额",
         "20240115,000333,买入,60,100,6000,5.06,0,0.06,-6005.06", ("buy", "000333.SZ", "100", "6000.00", "5.06")),
        # an average price that was cut off
        ("成交日期,证券代码,操作,成交均价,成交数量,成交金额", "20240115,000333,买入,60.123,300,18036.97", ("buy", "000333.SZ", "300", "18036.97", "5.18")),
        ("Currency,Symbol,Date/Time,Quantity,T. Price,Proceeds,Comm/Fee,TradeID",
         'USD,MSFT,"2024-01-18, 10:00:01",10,390.5,-3905,-1.005,991', ("buy", "MSFT.US", "10", "3905.00", "1.01")),
        ("Side,Symbol,Name,Fill Qty,Fill Price,Fill Amount,Fill Time,Currency,Commission,Platform Fee",
         'Buy,00700,TENCENT,100,290.2,"29,020.00","2024/01/17 10:00:00",HKD,3.00,15.00', ("buy", "00700.HK", "100", "29020.00", "18.00")),
        ("Code,Direction,Quantity,Price,Date", "US.AAPL,BUY,0.5,200,2024-01-16", ("buy", "AAPL.US", "0.5", "100.00", "5.00")),
    ],
)  # fmt: skip
def test_rows_of_many_brokers(ws, header, row, expected):
    (made,) = put(ws, f"报表 2024\n\n{header}\n{row}\n")
    kind, symbol, quantity, cash, fees = expected
    assert (made.kind, made.symbol, str(made.cash), str(made.fees)) == (kind, symbol, cash, fees)
    assert made.quantity == Decimal(quantity)


def test_a_new_issue_costs_what_was_paid_for_it(ws):
    put(ws, "成交日期,证券代码,证券名称,业务名称,成交价格,成交数量,发生金额\n"
            "20240115,301555,新股,新股中签缴款,0,0,-10500.00\n20240118,301555,新股,新股入账,0,500,0\n")  # fmt: skip
    held = books(ws).holdings["301555.SZ"]
    assert (held.quantity, held.cost) == (500, 10500)
    assert books(ws).cash["CNY"].balance == -10500


CMS = """招商证券资金流水
发生日期\t业务名称\t证券代码\t证券名称\t成交价格\t成交数量\t成交金额\t发生金额\t手续费\t印花税\t过户费\t币种
20240102\t银行转存\t\t\t0\t0\t0\t200000.00\t0\t0\t0\t人民币
20240115\t证券买入\t600036\t招商银行\t30.000\t1000.00\t30000.00\t-30007.80\t7.50\t0\t0.30\t人民币
20240314\t新股申购\t301555\t新股\t21.000\t5000\t105000.00\t0.00\t0\t0\t0\t人民币
20240315\t配售配号\t732345\t某某申购\t0\t5\t0\t0\t0\t0\t0\t人民币
20240316\t市值申购中签\t301555\t新股\t21.000\t500\t0\t0\t0\t0\t0\t人民币
20240317\t市值申购中签扣款\t301555\t新股\t21.000\t500\t10500.00\t-10500.00\t0\t0\t0\t人民币
20240325\t新股入账\t301555\t新股\t0\t500\t0\t0\t0\t0\t0\t人民币
20240920\t利息税\t\t\t0\t0\t0\t-0.12\t0\t0\t0\t人民币
20241010\t证券卖出\t600036\t招商银行\t35.000\t-1000.00\t35000.00\t34973.40\t8.75\t17.50\t0.35\t人民币
20241011\t股息红利差异扣税\t600036\t招商银行\t0\t0\t0\t-197.20\t0\t0\t0\t人民币
20241101\t银行转取\t\t\t0\t0\t0\t-4268.28\t0\t0\t0\t人民币
合计\t\t\t\t\t\t\t200000.00
"""
SCHWAB = """"Transactions  for account Individual ...123 as of 12/31/2024 04:00:00 PM ET"
"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"07/02/2024","Sell","AAPL","APPLE INC","11","$220.80","$1.07","$2427.73"
"05/16/2024 as of 05/15/2024","NRA Tax Adj","AAPL","APPLE INC","","","","-$0.75"
"05/16/2024","Qualified Dividend","AAPL","APPLE INC","","","","$5.00"
"01/16/2024","Buy","AAPL","APPLE INC","20","$180.50","","-$3610.00"
"01/10/2024","Wire Funds Received","","WIRED FUNDS RECEIVED","","","","$50,000.00"
"01/09/2024","ADR Mgmt Fee","BABA","ALIBABA","","","","-$2.00"
"Transactions Total","","","","","","","$48819.98"
"""
IBKR = """Statement,Header,Field Name,Field Value
Statement,Data,Title,Activity Statement
Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Code
Trades,Data,Order,Stocks,USD,MSFT,"2024-01-18, 10:00:01",10,390.5,393.87,-3905,-1.005,O
Trades,Data,Trade,Stocks,USD,MSFT,"2024-01-18, 10:00:01",10,390.5,393.87,-3905,-1.005,O
Trades,SubTotal,,Stocks,USD,MSFT,,10,,,-3905,-1.005,
Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Code
Trades,Data,Order,Stocks,USD,MSFT,"2024-06-18, 10:00:01",-4,445,446.34,1780,-1.04932,C
Dividends,Header,Currency,Date,Description,Amount
Dividends,Data,USD,2024-03-14,MSFT(US5949181045) Cash Dividend USD 0.75 per Share (Ordinary Dividend),7.5
Dividends,Data,Total,,,7.5
Withholding Tax,Header,Currency,Date,Description,Amount,Code
Withholding Tax,Data,USD,2024-03-14,MSFT(US5949181045) Cash Dividend USD 0.75 per Share - US Tax,-0.75,
Withholding Tax,Data,USD,2024-03-20,MSFT(US5949181045) Cash Dividend USD 0.75 per Share - US Tax,0.05,
Deposits & Withdrawals,Header,Currency,Settle Date,Description,Amount
Deposits & Withdrawals,Data,USD,2024-01-10,Electronic Fund Transfer,10000
Deposits & Withdrawals,Data,USD,2024-09-10,Disbursement,-500
Interest,Header,Currency,Date,Description,Amount
Interest,Data,USD,2024-04-03,USD Credit Interest for Mar-2024,3.21
Fees,Header,Subtitle,Currency,Date,Description,Amount
Fees,Data,Other Fees,USD,2024-05-03,SNAPSHOT,-1.5
"""


@pytest.mark.parametrize(
    ("bill", "unit", "cash", "held", "dividends"),
    [
        (CMS, "CNY", "190000.00", {"600036.SH": 0, "301555.SZ": 500}, "-197.20"),
        (SCHWAB, "USD", "48819.98", {"AAPL.US": 9}, "4.25"),
        (IBKR, "USD", "7381.45", {"MSFT.US": 6}, "6.80"),
    ],
)
def test_the_cash_of_a_whole_statement_is_what_its_broker_says(ws, bill, unit, cash, held, dividends):
    assert put(ws, bill)
    told = books(ws)
    assert {name: each.quantity for name, each in told.holdings.items()} == held
    assert sum(each.dividends for each in told.holdings.values()) == Decimal(dividends)
    assert {name: str(each.balance) for name, each in told.cash.items()} == {unit: cash}
    assert put(ws, bill) == []


@pytest.mark.parametrize(
    ("bill", "told"),
    [
        (IBKR.replace("Order,Stocks", "Order,Forex"), "does not record trades in Forex"),
        (SCHWAB.replace('"Wire Funds Received",""', '"Journal","AAPL"').replace("$50,000.00", "$0.00").replace(
            '"WIRED FUNDS RECEIVED",""', '"X","7"'), "the amount is missing"),
        ("date,symbol,side,price,quantity\n03/04/2024,600000,buy,10,100\n", "is ambiguous: day or month first"),
        ("成交日期,证券代码,操作,成交价格,成交数量,发生金额\n20240304,600000,指定交易,0,0,-5.00\n", "unknown type of transaction '指定交易'"),
    ],
)  # fmt: skip
def test_what_would_move_money_or_shares_unseen_stops_the_file(ws, bill, told):
    with pytest.raises(BadData, match=told):
        put(ws, bill)
    assert journal.effective_entries(ws.db) == []


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("20240115,600000,买入,十块,100,1000", 3), ("20240115,600000,买入,10,,1000", 3), ("20240145,600000,买入,10,100,1000", 3),
        ("20240115,999999,买入,10,100,1000", 3), ("20240115,600000,大宗过户,10,100,1000", 3), ("20240115,600000,买入,10,100,5000", 3),
        ("20240115,600000,买入,nan,100,1000", 3), ("20240115,600000,买入,1e5,100,1000", 3), ("20240115,600000,融券卖出,10,100,1000", 3),
        ("20990115,600000,买入,10,100,1000", 3), ("20240115,600000,买入,10,１００,1000", 3), ("20240115,600000,买入,10,99999999999999,1000", 3),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_read_stops_everything_and_is_named(ws, row, line):
    good = "20240110,600000,买入,10,100,1000\n"
    with pytest.raises(BadData) as told:
        put(ws, "成交日期,证券代码,操作,成交价格,成交数量,成交金额\n" + good + row + "\n")
    assert str(told.value).startswith(f"bill:{line}: ")
    assert journal.effective_entries(ws.db) == []


@pytest.mark.parametrize(
    "raw", [b"", b"\x00\x01\x02", b"PK\x03\x04zip", b"a,b\n1,2\n", b"\xff\xfe\x00", "股票\n".encode("gbk")]
)
def test_what_is_no_statement_is_said_to_be_none(raw):
    with pytest.raises(BadData):
        statement_import.read_statement(raw, "bill")


def test_a_sale_of_what_was_never_bought_enters_nothing(ws):
    with pytest.raises(Refused, match="0 held on 2024-01-15; cannot sell 100"):
        put(ws, "成交日期,证券代码,操作,成交价格,成交数量\n20240115,000333,买入,60,100\n20240115,600000,卖出,10,100\n")
    assert journal.effective_entries(ws.db) == []


def test_hong_kong_through_the_mainland_is_not_mixed_up(ws):
    with pytest.raises(BadData, match="trades in HKD, but the row is in CNY"):
        put(ws, "成交日期,证券代码,操作,成交价格,成交数量,币种,交易市场\n20240115,00700,买入,290,100,人民币,沪港通\n")


FORMULAS = ["=HYPERLINK(1)", "+1", "-1", "@x", "'quoted", "'=x", "＝x", "plain", "a=b", "", "'", "''=", " =x"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_an_export_is_a_formula_and_each_comes_back(ws, tmp_path, text):
    from ia.kernel.workspace import Workspace

    put(ws, THS)
    sold = journal.effective_entries(ws.db)
    changed = [each._replace(reason=text, name=text, session=text) for each in sold]
    exported = "".join(csv_export.csv_lines(changed))
    for row in csv.DictReader(exported.splitlines()):
        for cell in (row["reason"], row["name"], row["session"], row["key"]):
            assert not cell.strip().startswith(("=", "+", "-", "@", "＝"))
    (tmp_path / "other").mkdir()
    other = Workspace(str(tmp_path / "other"))
    put(other, exported)
    back = journal.effective_entries(other.db)
    assert [each.reason for each in back] == [" ".join(text.split())] * len(sold)
    assert {csv_export.unescape_formula(csv_export.escape_formula(each)) for each in (text, f"'{text}")} == {
        text,
        f"'{text}",
    }


def test_what_is_exported_is_imported_to_the_same_sums(ws, tmp_path):
    from ia.kernel.workspace import Workspace

    entered(ws, history(7), random.Random(7))
    text = "".join(csv_export.csv_lines(journal.effective_entries(ws.db)))
    assert put(ws, text) == []  # it is all there
    (tmp_path / "other").mkdir()
    other = Workspace(str(tmp_path / "other"))
    put(other, text)
    assert "".join(csv_export.csv_lines(journal.effective_entries(other.db))).replace("\n", "").count(
        ","
    ) == text.replace("\n", "").count(",")
    for method in ("average", "fifo"):
        mine, theirs = books(ws, method=method), books(other, method=method)
        for symbol in SYMBOLS:
            if symbol in mine.holdings:
                assert mine.holdings[symbol].lots == theirs.holdings[symbol].lots
                assert mine.holdings[symbol].realized == theirs.holdings[symbol].realized
        assert {c: x.balance for c, x in mine.cash.items()} == {c: x.balance for c, x in theirs.cash.items()}
    assert put(other, text) == []
    other.close()


def checked(path):
    program = [sys.executable, "-c", "from beancount.scripts.check import main; main()", str(path)]
    return subprocess.run(program, capture_output=True, text=True)


@pytest.mark.process
def test_bean_check_accepts_the_export_and_verifies_its_sums(ws, tmp_path):
    pytest.importorskip("beancount")
    put(ws, THS)
    out = tmp_path / "a.beancount"
    text = "".join(beancount.export_lines(journal.effective_entries(ws.db)))
    out.write_text(text)
    run = checked(out)
    assert (run.returncode, run.stdout + run.stderr) == (0, "")
    assert "balance Assets:Broker:Shares  1040 SH600000" in text
    out.write_text(text.replace("192265.06 CNY", "192265.16 CNY"))
    assert checked(out).returncode == 1


@pytest.mark.process
@pytest.mark.parametrize("block", range(4))
def test_bean_check_accepts_generated_histories(tmp_path, block):
    pytest.importorskip("beancount")
    from beancount import loader

    from ia.kernel.workspace import Workspace

    for seed in range(block * 10, block * 10 + 10):
        (tmp_path / f"h{seed}").mkdir()
        ws = Workspace(str(tmp_path / f"h{seed}"))
        entered(ws, history(seed), random.Random(seed))
        text = "".join(beancount.export_lines(journal.effective_entries(ws.db)))
        ws.close()
        _, errors, _ = loader.load_string(text)
        assert not errors, (seed, errors[:2])


def test_names_and_reasons_cannot_break_out_of_the_beancount_text(ws):
    pytest.importorskip("beancount")
    from beancount import loader

    nasty = 'x"\n2024-01-01 open Assets:Evil\n\\'
    put(ws, "date,symbol,name,side,quantity,price\n20240115,600000," + '"a""\\"' + ",buy,100,10\n")
    entry = journal.effective_entries(ws.db)[0]
    journal.append_entries(ws, [entry._replace(reason=nasty, name=nasty, key=None)])
    entries, errors, _ = loader.load_string("".join(beancount.export_lines(journal.effective_entries(ws.db))))
    assert not errors
    assert "Assets:Evil" not in {getattr(each, "account", "") for each in entries}


def test_a_file_without_a_column_of_fees_has_those_of_the_rules(ws, monkeypatch):
    text = "date,symbol,side,price,quantity\n2024-01-15,600000,buy,10,1000\n2024-02-15,600000,sell,11.5,700\n"
    assert [each.fees for each in put(ws, text)] == [Decimal("5.10"), Decimal("9.11")]
    monkeypatch.setenv("IA_LEDGER_COMMISSION_MIN", "1")
    assert put(ws, text) == []  # other fees do not make another row of it
    assert statement_import.read_statement(text.encode(), "bill").ruled
    assert not statement_import.read_statement(THS.encode(), "bill").ruled
    with pytest.raises(BadData, match=r"bill:2: main\.SH has no known rule for"):
        put(ws, "date,symbol,side,price,quantity\n1991-01-15,600000,buy,10,1000\n")


FUTU_ZH = """方向,代码,名称,订单价格,订单数量,订单金额,交易状态,已成交@均价,下单时间,订单类型,成交数量,成交价格,成交金额,成交时间,市场,币种,佣金,平台使用费,印花税,合计费用
买入,00700,腾讯控股,290.40,300,87120.00,全部成交,300@290.2667,2024/01/17 09:59:58 (香港),限价单,100,290.20,"29,020.00",2024/01/17 10:00:00 (香港),港股,HKD,26.12,15.00,88.00,136.44
,,,,,,,,,,200,290.30,"58,060.00",2024/01/17 10:00:03 (香港),,,,,,
卖出,AAPL,苹果,190.00,10,1900.00,已撤单,,2024/01/18 22:35:11 (美东),限价单,,,,,美股,USD,,,,
买入,AAPL,苹果,185.00,20,3700.00,全部成交,20@184.5,2024/01/19 10:35:00 (美东),限价单,20,184.50,"3,690.00",2024/01/19 10:35:11 (美东),美股,USD,0.99,1.00,,1.99
"""
FUTU_ZH_FILLS = """方向,代码,名称,成交数量,成交价格,成交金额,成交时间,市场,币种
买入,00700,腾讯控股,100,290.20,29020.00,2024-01-17 10:00:00,港股,HKD
卖出,00700,腾讯控股,100,300.00,30000.00,2024-02-19 10:00:00,港股,HKD
"""
FUTU_EN = """"Side","Symbol","Name","Order Price","Order Qty","Order Amount","Status","Filled@Avg Price","Order Time","Markets","Currency","Fill Qty","Fill Price","Fill Amount","Fill Time","Commission","Platform Fees","SEC Fees","Trading Activity Fees"
"Sell","AAPL","Apple","190","10","1900","Filled","10@190","Feb 9, 2024 10:35:11 ET","US","USD","10","190.00","1,900.00","Feb 9, 2024 10:35:12 ET","0.99","1.00","0.02","0.01"
"Buy","AAPL","Apple","185","30","5550","Filled","30@184.5","Jan 9, 2024 22:35:11 ET","US","USD","10","184.50","1,845.00","Jan 9, 2024 22:35:11 ET","0.99","1.00","",""
"","","","","","","","","","","","20","184.50","3,690.00","Jan 9, 2024 22:35:12 ET","","","",""
"Buy","MSFT","Microsoft","300","1","300","Cancelled","","Jan 9, 2024 22:35:11 ET","US","USD","","","","","","","",""
"""
FUTU_EN_ORDERS = """Side,Symbol,Name,Order Price,Order Qty,Status,Filled@Avg Price,Order Time,Markets,Currency
Buy,00700,TENCENT,290.4,100,Filled,100@290.2,"Jan 17, 2024 10:00:00 HKT",HK,HKD
"""
TIGER = """Statement,Header,Field,Value
Trades,HEADER,Symbol,Activity Type,Quantity,Trade Price,Amount,Fee,GST,Trade Time,Settle Date,Currency
Trades,DATA,Apple (AAPL),OpenLong,10,185.50,-1855.00,-1.99,-0.10,"2024-01-09, 10:35:11, US/Eastern",2024-01-11,USD
Trades,DATA,Apple (AAPL),Close,-4,190.00,760.00,-2.01,0,"2024-02-09, 10:35:11, US/Eastern",2024-02-13,USD
Trades,TOTAL,,,,,-1095.00,-4.00,,,,USD
Trades,DATA,腾讯控股 (00700),OpenLong,100,290.20,-29020.00,-48.00,0,"2024-01-17, 10:00:00, GMT+8",2024-01-19,HKD
Dividends,HEADER,Date,Description,Amount,Currency
Dividends,DATA,2024-02-15,Apple (AAPL) Cash Dividend USD 0.24 per Share,2.40,USD
"""
TIGER_BARE = """Account,U123
Trades,,,Symbol,Quantity,Trade Price,Amount,Fee,Trade Time,Currency
Trades,Stock,DATA,AAPL,10,185.50,-1855.00,-1.99,"2024-01-09
10:35:11, GMT-4",USD
Trades,Stock,DATA,AAPL,-4,190.00,760.00,-2.01,"2024-02-09
10:35:11, US/Eastern",USD
"""


@pytest.mark.parametrize(
    ("bill", "cash", "held", "fees"),
    [
        (FUTU_ZH, {"HKD": "-87216.44", "USD": "-3691.99"}, {"00700.HK": 300, "AAPL.US": 20}, "138.43"),
        (FUTU_EN, {"USD": "-3639.01"}, {"AAPL.US": 20}, "4.01"),
        (TIGER, {"USD": "-1096.70", "HKD": "-29068.00"}, {"AAPL.US": 6, "00700.HK": 100}, "52.10"),
        (TIGER_BARE.replace("GMT-4", "US/Eastern"), {"USD": "-1099.00"}, {"AAPL.US": 6}, "4.00"),
    ],
)
def test_the_cash_of_statements_of_futu_and_tiger(ws, bill, cash, held, fees):
    assert put(ws, bill)
    told = books(ws)
    assert {name: str(each.balance) for name, each in told.cash.items()} == cash
    assert {name: each.quantity for name, each in told.holdings.items()} == held
    assert sum(each.fees for each in told.holdings.values()) == Decimal(fees)
    assert put(ws, bill) == []


def test_moments_are_those_of_the_zone_that_a_statement_names(ws):
    made = put(ws, FUTU_EN)
    assert [(each.date, each.time) for each in made] == [
        ("2024-01-09", "2024-01-10T03:35:11.000Z"), ("2024-01-09", "2024-01-10T03:35:12.000Z"),
        ("2024-02-09", "2024-02-09T15:35:12.000Z"),
    ]  # fmt: skip
    first = next(each for each in put(ws, TIGER) if each.currency == "HKD")
    assert (first.date, first.time, first.name) == ("2024-01-17", "2024-01-17T02:00:00.000Z", "腾讯控股")


@pytest.mark.parametrize("bill", [FUTU_ZH_FILLS, FUTU_EN_ORDERS])
def test_fills_and_orders_without_fees_have_those_of_the_rules(ws, bill):
    assert statement_import.read_statement(bill.encode(), "bill").ruled
    assert all(each.fees for each in put(ws, bill))


@pytest.mark.parametrize(
    ("bill", "lines", "entries"),
    [
        (TIGER_BARE, [3], 1),
        (TIGER.replace("Trades,HEADER,Symbol", "Trades,HEADER,What"), [3, 4, 6], 1),
        (TIGER.replace("Trades,HEADER", "Statement,HEADER"), [3, 4, 6], 1),
        (IBKR + "Corporate Actions,Header,Asset Category,Currency,Report Date,Description,Quantity\n"
                "Corporate Actions,Data,Stocks,USD,2024-06-10,NVDA(US67066G1040) Split 10 for 1,90\n", [23], 9),
        (FUTU_EN.replace('"Sell"', '"Short Sell"'), [2], 2),
        ("成交日期,证券代码,操作,成交价格,成交数量\n20240115,600000,买入,10,100\n20240116,600000,神秘,10,100\n"
         "20240117,999999,买入,10,100\n20240118,600000,卖空,10,100\n", [3, 4, 5], 1),
    ],
)  # fmt: skip
def test_rows_that_are_not_understood_are_listed_and_only_on_demand_left_out(ws, bill, lines, entries):
    with pytest.raises(BadData) as told:
        put(ws, bill)
    assert all(str(line) in str(told.value) for line in lines) and journal.effective_entries(ws.db) == []
    found = statement_import.read_statement(bill.encode(), "bill", partial=True)
    assert [line for line, _ in found.unread] == lines and len(found.entries) == entries


def test_a_statement_without_a_table_of_trades_is_no_empty_one():
    with pytest.raises(BadData, match="no table of trades"):
        statement_import.read_statement(b"Statement,Header,Field,Value\nStatement,Data,Title,Activity\n", "bill")
