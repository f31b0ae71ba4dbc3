"""The akshare adapter over loopback sockets with the shapes that its hosts send, and the ways in which they fail."""

import json
import subprocess
import sys
import threading

import pytest

from ia.domain.instruments.symbols import from_canonical, resolve_security
from ia.kernel.errors import NotFound, TryLater, Unavailable
from ia.organs.ohlcv import governor
from ia.organs.ohlcv.adapters import eastmoney, sina, tencent
from ia.organs.ohlcv.adapters.akshare import Akshare
from ia.organs.ohlcv.adapters.akshare_import import silence_output
from ia.organs.ohlcv.adapters.conformance import AdapterConformance
from ia.organs.ohlcv.adapters.demo import Demo
from ia.organs.ohlcv.adapters.table_check import FeedTable, check_table
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.governor import Banned, Limit
from ia.organs.ohlcv.transport import NoNetwork, ShapeChanged
from support.program import SHARED
from support.servers.price_hosts import captcha, closes, hangs, html, loopback, rate_limited

MAOTAI = from_canonical("600519.SH")
TENCENT, APPLE, BERKSHIRE = from_canonical("00700.HK"), from_canonical("AAPL.US"), from_canonical("BRK.B.US")
ETF, INDEX = from_canonical("510300.SH"), from_canonical("000300.SH")
UNKNOWN = from_canonical("301999.SZ")

ROWS = [
    ("2024-06-17", 1555.0, 1560.66, 1537.0, 1547.1, 2_345_600),
    ("2024-06-18", 1550.0, 1559.9, 1544.0, 1552.03, 1_884_500),
    ("2024-06-19", 1520.0, 1523.99, 1501.0, 1502.0, 3_517_900),
    ("2024-06-20", 1501.0, 1511.87, 1493.0, 1495.5, 2_673_300),
]


def klines(rows, unit):
    """Eastmoney's lines: date, open, CLOSE, high, low, volume, amount, amplitude, pct, change, turnover."""
    lines, previous = [], rows[0][4] if rows else 0.0
    for d, o, h, lo, c, v in rows:
        lines.append(f"{d},{o:.2f},{c:.2f},{h:.2f},{lo:.2f},{v // unit},{c * v:.2f},1.00,0.10,{c - previous:.2f},0.20")
        previous = c
    return lines


def eastmoney_body(code, name, rows, unit):
    data = {
        "code": code,
        "market": 1,
        "name": name,
        "decimal": 2,
        "dktotal": 9,
        "preKPrice": 0.0,
        "klines": klines(rows, unit),
    }
    return {"rc": 0, "rt": 17, "svr": 1, "lt": 1, "full": 0, "dlmkts": "", "data": data}


NO_DATA = {"rc": 102, "rt": 17, "svr": 1, "lt": 1, "full": 0, "dlmkts": "", "data": None}
EMPTY_REPORT = {"version": None, "result": None, "success": False, "message": "返回数据为空", "code": 9201}
KLINE = "push2his.eastmoney.com/api/qt/stock/kline/get"
REPORTS = "datacenter-web.eastmoney.com/api/data/v1/get"
NEWFQ = "proxy.finance.qq.com/ifzqgtimg/appstock/app/newfqkline/get"


def report(rows):
    return {
        "version": "x",
        "result": {"pages": 1, "data": rows, "count": len(rows)},
        "success": True,
        "message": "ok",
        "code": 0,
    }


def bonus_row(ex_date, cash=None, shares=None, code="600519"):
    return {
        "SECUCODE": f"{code}.SH", "SECURITY_CODE": code, "BONUS_IT_RATIO": shares, "BONUS_RATIO": shares, "IT_RATIO": None,
        "PRETAX_BONUS_RMB": cash, "EX_DIVIDEND_DATE": ex_date, "ASSIGN_PROGRESS": "实施分配" if ex_date else "董事会预案",
    }  # fmt: skip


def dividends(handler, query):
    if query["reportName"] == "RPT_IPO_ALLOTMENT":
        return EMPTY_REPORT
    return report(
        [bonus_row("2021-06-25 00:00:00", 192.93), bonus_row("2024-06-19 00:00:00", 308.76), bonus_row(None, 238.8)]
    )


def tencent_row(day, first, high, low, last, volume, unit=100):
    """Tencent's row: date, open, close, high, low, volume, {}, turnover rate, turnover in 10,000 yuan, and a blank."""
    return [
        day,
        f"{first:.3f}",
        f"{last:.3f}",
        f"{high:.3f}",
        f"{low:.3f}",
        f"{volume // unit}.000",
        {},
        "0.2",
        f"{last * volume / 1e4:.2f}",
        "",
    ]


def tencent_body(code, rows, unit=100):
    def answer(handler, query):
        asked, _, first, last, *_ = query["param"].split(",")
        part = [tencent_row(*row, unit=unit) for row in rows if first <= row[0] <= last]
        node = {"day": part, "qt": {}, "mx_price": {}, "prec": "1.0", "version": "16"}
        return (
            {"code": 0, "msg": "", "data": {code: node}}
            if asked == code
            else {"code": 1, "msg": "param error", "data": []}
        )

    return answer


@pytest.fixture
def hosts(monkeypatch):
    quick = {site: Limit(1000.0, 1000.0, 10, 10_000) for site in governor.LIMITS}
    monkeypatch.setattr(governor, "LIMITS", quick)
    monkeypatch.setenv("IA_MARKET_TIMEOUT", "0.4")
    with loopback(monkeypatch) as server:
        yield server


@pytest.fixture
def good(hosts):
    """Eastmoney answers for everything below."""

    def kline(handler, query):
        bodies = {
            "1.600519": ("600519", "贵州茅台", 100), "116.00700": ("00700", "腾讯控股", 1), "105.AAPL": ("AAPL", "苹果", 1),
            "106.BRK_B": ("BRK_B", "伯克希尔-B", 1), "1.510300": ("510300", "沪深300ETF", 100), "1.000300": ("000300", "沪深300", 100),
        }  # fmt: skip
        if query["secid"] not in bodies:
            return NO_DATA
        code, name, unit = bodies[query["secid"]]
        body = eastmoney_body(code, name, ROWS, unit)
        if query["fields2"].endswith("f58"):
            body["data"]["klines"] = [",".join(line.split(",")[:8]) for line in body["data"]["klines"]]
        return body

    for host in ("push2his", "33.push2his", "63.push2his"):
        hosts.route(f"{host}.eastmoney.com/api/qt/stock/kline/get", kline)
    hosts.route(REPORTS, dividends)
    return hosts


class TestAkshare(AdapterConformance):
    known = MAOTAI
    unknown = UNKNOWN
    turnover = (1e8, 1e11)

    @pytest.fixture(autouse=True)
    def served(self, hosts):
        demo = Demo()
        bars = demo.normalize(demo.fetch(MAOTAI, "2023-01-01", "2024-12-31"))

        def kline(handler, query):
            if query["secid"] != "1.600519":
                return NO_DATA
            low, high = (f"{d[:4]}-{d[4:6]}-{d[6:]}" for d in (query["beg"], query["end"]))
            rows = [row for row in zip(*bars, strict=True) if low <= row[0] <= high]
            return eastmoney_body("600519", "贵州茅台", rows, 100)

        hosts.route(KLINE, kline)
        hosts.route(REPORTS, dividends)
        hosts.route(NEWFQ, tencent_body("sh600519", ROWS))

    def adapter(self):
        return Akshare()


# Eastmoney, through akshare


@pytest.mark.parametrize("symbol", [MAOTAI, TENCENT, APPLE, BERKSHIRE, ETF, INDEX], ids=lambda s: s.canonical)
def test_eastmoney_has_every_market_and_volume_is_shares(good, symbol):
    adapter = Akshare()
    fetched = adapter.fetch(symbol)
    assert list(zip(*adapter.normalize(fetched), strict=True)) == ROWS
    assert fetched.host.endswith("eastmoney.com")
    if symbol.kind != "index":
        assert fetched.name


def test_a_range(good):
    adapter = Akshare()
    bars = adapter.normalize(adapter.fetch(TENCENT, "2024-06-18", "2024-06-19"))
    assert bars.date == ["2024-06-18", "2024-06-19"]


@pytest.mark.parametrize("fixture", ["601872_recorded", "600519", "000858"])
def test_recorded_answers_of_eastmoney(hosts, fixture):
    folder = SHARED / "api_fixtures" / f"stock_zh_a_hist_{fixture}"
    if not folder.is_dir():
        pytest.skip("the shared data are not here")
    hosts.route(KLINE, (200, (folder / "response.json").read_bytes()))
    adapter = Akshare()
    fetched = adapter.fetch(resolve_security(fixture[:6]))
    bars = adapter.normalize(fetched)
    expected = [line.split(",") for line in (folder / "expected.csv").read_text().split()[1:]]
    assert len(expected) >= 8
    assert bars.date == [row[0] for row in expected]
    assert bars.close == [float(row[3]) for row in expected]
    assert bars.high == [float(row[4]) for row in expected]
    assert bars.volume == [int(row[6]) * 100 for row in expected]
    assert fetched.name == resolve_security(fixture[:6]).name


def test_dividends_per_ten_shares_and_a_plan_without_ex_date_is_left_out(good):
    assert Akshare().actions(MAOTAI) == [Action("2021-06-25", cash=19.293), Action("2024-06-19", cash=30.876)]


def test_bonus_transfer_and_rights_of_one_day(hosts):
    def reports(handler, query):
        if query["reportName"] == "RPT_SHAREBONUS_DET":
            return report(
                [bonus_row("2023-12-08 00:00:00", 1.74, 2, "000049"), bonus_row("2020-05-20 00:00:00", 0, 10, "000049")]
            )
        row = {
            "SECURITY_CODE": "000049",
            "PLACING_RATIO": 3,
            "ISSUE_PRICE": 21.16,
            "EX_DIVIDEND_DATE": "2023-12-08 00:00:00",
        }
        return report([row])

    hosts.route(REPORTS, reports)
    assert Akshare().actions(resolve_security("000049")) == [
        Action("2020-05-20", bonus=1.0),
        Action("2023-12-08", cash=0.174, bonus=0.2, rights=0.3, rights_price=21.16),
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"SECURITY_CODE": "600519", "EX_DIVIDEND_DATE": "2021-06-25"},
        bonus_row("soon", 1), bonus_row("2021-06-25", "much"), bonus_row("2021-06-25", -1), bonus_row("2021-06-25", 1, code="000001"),
        {**bonus_row("2021-06-25", 1), "EX_DIVIDEND_DATE": 20210625.5},
    ],
)  # fmt: skip
def test_a_report_of_another_shape_is_not_believed(hosts, row):
    hosts.route(REPORTS, lambda handler, query: report([row]))
    with pytest.raises(Unavailable, match="RPT_SHAREBONUS_DET"):
        eastmoney.fetch_actions(MAOTAI)


def test_no_actions_at_all_is_an_answer(hosts):
    hosts.route(REPORTS, EMPTY_REPORT)
    assert eastmoney.fetch_actions(MAOTAI) == []


def test_the_frame_of_another_company_is_not_believed(hosts):
    hosts.route(KLINE, eastmoney_body("000001", "平安银行", ROWS, 100))
    with pytest.raises(ShapeChanged, match="asked for 600519, got 000001"):
        eastmoney.fetch_bars(MAOTAI, None, None)


def test_columns_that_have_shifted_are_not_believed(hosts):
    body = eastmoney_body("600519", "贵州茅台", ROWS * 1, 100)
    body["data"]["klines"] = [
        ",".join([line.split(",")[0], *line.split(",")[3:6], line.split(",")[1], *line.split(",")[5:]])
        for line in body["data"]["klines"]
    ]
    hosts.route(KLINE, body)
    with pytest.raises(ShapeChanged, match="stock_zh_a_hist"):
        check_table(eastmoney.fetch_bars(MAOTAI, None, None))


def test_open_and_close_that_changed_places_are_not_believed(hosts):
    demo = Demo()
    rows = list(zip(*demo.normalize(demo.fetch(MAOTAI, "2024-01-01", "2024-03-01")), strict=True))
    body = eastmoney_body("600519", "贵州茅台", rows, 100)
    hosts.route(KLINE, body)
    assert len(eastmoney.fetch_bars(MAOTAI, None, None).rows) == len(rows)
    swapped = [line.split(",") for line in body["data"]["klines"]]
    body["data"]["klines"] = [",".join([day, last, first, *rest]) for day, first, last, *rest in swapped]
    with pytest.raises(ShapeChanged, match="涨跌额"):
        eastmoney.fetch_bars(MAOTAI, None, None)


# failures are told apart


@pytest.mark.parametrize(
    "answer, kind, status, said",
    [
        (closes, Banned, 75, "may have banned ia; no requests until"), (rate_limited, Banned, 75, "HTTP 429"), (captcha, Banned, 75, "captcha"),
        (hangs, NoNetwork, 75, "in time"), ((502, "<html>"), NoNetwork, 75, "HTTP 502"),
        ({"code": 9701, "message": "系统繁忙", "result": None}, NoNetwork, 75, "busy"),
        (NO_DATA, NotFound, 66, "600519"),
        (html, ShapeChanged, 69, "stock_zh_a_hist"), ("", ShapeChanged, 69, "stock_zh_a_hist"),
        ({"rc": 0, "data": {"code": "600519", "diff": []}}, ShapeChanged, 69, "klines"),
        ({"rc": 0, "data": {"code": "600519", "klines": ["2024-06-17,1,2,3"]}}, ShapeChanged, 69, "stock_zh_a_hist"),
        ({"rc": 0, "data": {"code": "600519", "klines": ["x"]}}, ShapeChanged, 69, "stock_zh_a_hist"),
        ({"rc": 0, "data": ["2024"]}, ShapeChanged, 69, "stock_zh_a_hist"),
    ],
    ids=["closed", "429", "captcha", "hang", "502", "busy", "null", "html", "empty", "no-klines", "short", "x", "list"],
)  # fmt: skip
def test_a_ban_an_outage_a_missing_symbol_and_a_new_shape(hosts, answer, kind, status, said):
    hosts.route(KLINE, answer)
    with pytest.raises(kind) as caught:
        check_table(eastmoney.fetch_bars(MAOTAI, None, None))
    assert caught.value.status == status
    assert said in str(caught.value)
    if kind is ShapeChanged and answer is html:
        assert eastmoney.akshare_version() in str(caught.value)


def test_an_empty_range_is_no_error(hosts):
    hosts.route(KLINE, eastmoney_body("600519", "贵州茅台", [], 100))
    adapter = Akshare()
    assert adapter.normalize(adapter.fetch(MAOTAI, "1999-01-01", "1999-12-31")).date == []


# the chain


def test_after_a_ban_the_next_host_answers_and_the_first_is_not_asked_again(hosts):
    hosts.route(KLINE, closes)
    hosts.route(NEWFQ, tencent_body("sh600519", ROWS))
    hosts.route("finance.sina.com.cn/realstock/company/sh600519/hfq.js", SINA_HFQ)
    adapter = Akshare()
    for _ in range(2):
        fetched = adapter.fetch(MAOTAI, "2024-01-01")
        assert fetched.host == "proxy.finance.qq.com"
        assert list(zip(*adapter.normalize(fetched), strict=True)) == ROWS
    assert hosts.count("eastmoney") == 1
    assert governor.site_states()["eastmoney.com"].open_until


def test_a_host_that_makes_no_sense_is_passed_over(hosts):
    hosts.route(KLINE, eastmoney_body("600519", "贵州茅台", [(d, o, lo, h, c, v) for d, o, h, lo, c, v in ROWS], 100))
    hosts.route(NEWFQ, tencent_body("sh600519", ROWS))
    assert Akshare().fetch(MAOTAI, "2024-01-01").host == "proxy.finance.qq.com"


def test_all_hosts_down_says_so_of_each(hosts):
    for host in ("push2his.eastmoney.com", "proxy.finance.qq.com", "finance.sina.com.cn"):
        hosts.route(host, closes)
    with pytest.raises(TryLater) as caught:
        Akshare().fetch(MAOTAI)
    for host in ("push2his.eastmoney.com", "proxy.finance.qq.com", "finance.sina.com.cn"):
        assert host in str(caught.value)


def test_a_symbol_that_no_host_has(hosts):
    hosts.route(KLINE, NO_DATA)
    hosts.route(NEWFQ, tencent_body("sh600519", ROWS))
    with pytest.raises(NotFound, match="301999"):
        Akshare().fetch(UNKNOWN)


def test_actions_fall_back_to_sina(hosts):
    hosts.route(REPORTS, closes)
    hosts.route("finance.sina.com.cn/realstock/company/sh600519/hfq.js", SINA_HFQ)
    assert [action.date for action in Akshare().actions(MAOTAI)] == ["2023-06-30", "2024-06-19"]


def test_indices_have_no_actions(good):
    assert Akshare().actions(INDEX) == []
    assert Akshare().fetch(INDEX).note == ""


FUND_ROWS = [
    (f"2024-06-{d:02d}", 3.5 + d / 100, 3.6 + d / 100, 3.4 + d / 100, 3.55 + d / 100, 1_000_000) for d in range(3, 15)
]


def fund_body(rows):
    body = eastmoney_body("510300", "沪深300ETF", [], 100)
    before = [rows[0], *rows]
    body["data"]["klines"] = [
        f"{d},{o:.3f},{c:.3f},{h:.3f},{lo:.3f},{v // 100},1,1,1,{c - was[4]:.3f},1"
        for (d, o, h, lo, c, v), was in zip(rows, before, strict=False)
    ]
    return body


def fund(handler, query):
    """A fund that paid 0.061 on 2024-06-05 and 0.042 on 2024-06-11; Eastmoney's qfq subtracts what comes later."""
    rows = FUND_ROWS
    if query["fqt"] == "1":
        later = [0.061 * (d < "2024-06-05") + 0.042 * (d < "2024-06-11") for d, *_ in rows]
        rows = [(d, o - a, h - a, lo - a, c - a, v) for (d, o, h, lo, c, v), a in zip(rows, later, strict=True)]
    return fund_body(rows)


def test_the_dividends_of_a_fund_are_the_steps_under_eastmoneys_own_adjustment(hosts):
    hosts.route(KLINE, fund)
    adapter = Akshare()
    assert adapter.fetch(ETF, "2024-06-13").note == ""
    assert adapter.actions(ETF) == [Action("2024-06-05", cash=0.061), Action("2024-06-11", cash=0.042)]


def test_a_fund_whose_units_were_split_says_that_it_is_not_adjusted(hosts):
    def split(handler, query):
        half = [0.5 if query["fqt"] == "1" and d < "2024-06-07" else 1.0 for d, *_ in FUND_ROWS]
        return fund_body(
            [(d, o * k, h * k, lo * k, c * k, v) for (d, o, h, lo, c, v), k in zip(FUND_ROWS, half, strict=True)]
        )

    hosts.route(KLINE, split)
    adapter = Akshare()
    assert "not adjusted" in adapter.fetch(ETF).note
    assert adapter.actions(ETF) == []


def test_actions_that_somebody_may_know_later_are_waited_for(hosts):
    hosts.route(KLINE, closes)
    hosts.route(NEWFQ, tencent_body("sh510300", ROWS))
    with pytest.raises(TryLater):
        Akshare().fetch(ETF, "2024-01-01")


def test_actions_that_nobody_knows_are_said_to_be_missing(good):
    assert "not adjusted" in Akshare().fetch(APPLE).note
    good.route(
        "finance.sina.com.cn/us_stock/company/reinstatement/AAPL_qfq.js",
        'var a={"data":[{"d":"1900-01-01","f":"1","c":"0"}]}',
    )
    assert Akshare().fetch(APPLE).note == ""
    assert Akshare().actions(APPLE) == []


def test_dividends_of_b_shares_are_not_taken_in_yuan(hosts):
    hosts.route("finance.sina.com.cn/realstock/company/sh900901/hfq.js", SINA_HFQ)
    assert Akshare().actions(resolve_security("900901"))[0].factor == 8.2 / 8.0
    assert hosts.count("eastmoney") == 0


def test_steps_under_eastmoneys_recorded_qfq_are_the_dividends_that_were_paid():
    """600519 since its last bonus issue: raw prices of Tushare, qfq of Eastmoney, both recorded."""
    import csv

    folder = SHARED / "ashare"
    if not folder.is_dir():
        pytest.skip("the shared data are not here")
    with (folder / "tushare_raw_2012_2022" / "600519.csv").open() as file:
        raw = sorted(
            ("-".join((d[:4], d[4:6], d[6:])) if "-" not in (d := r["trade_date"]) else d,
             *(float(r[k]) for k in ("open", "high", "low", "close")), 1)
            for r in csv.DictReader(file)
        )  # fmt: skip
    with (folder / "em_qfq_fullhist_negative" / "600519.csv").open(encoding="utf-8-sig") as file:
        qfq = {r["日期"]: tuple(float(r[k]) for k in ("开盘", "最高", "最低", "收盘")) for r in csv.DictReader(file)}
    part = [row for row in raw if "2015-07-20" <= row[0] <= "2022-04-29" and row[0] in qfq]
    last = part[-1][0]
    base = part[-1][4] - qfq[last][3]
    shifted = {day: tuple(price + base for price in prices) for day, prices in qfq.items()}
    bars = check_table(FeedTable(rows=part, unit=1, host="x", name="", what="recorded"))
    found = eastmoney.infer_dividends(bars, shifted, tick=0.01)
    assert [action.date for action in found] == [
        "2016-07-01",
        "2017-07-07",
        "2018-06-15",
        "2019-06-28",
        "2020-06-24",
        "2021-06-25",
    ]
    paid = [6.171, 6.787, 10.999, 14.539, 17.025, 19.293]
    assert [action.cash for action in found] == pytest.approx(paid, abs=0.0101)


# Tencent


@pytest.mark.parametrize(
    "canonical, code, unit",
    [("600519.SH", "sh600519", 100), ("000858.SZ", "sz000858", 100), ("688981.SH", "sh688981", 1)],
)
def test_tencents_lots_are_told_from_shares_by_the_turnover(hosts, canonical, code, unit):
    hosts.route(NEWFQ, tencent_body(code, ROWS, unit))
    assert (
        list(zip(*check_table(tencent.fetch_bars(from_canonical(canonical), "2024-01-01", None)), strict=True)) == ROWS
    )


@pytest.mark.parametrize(
    "canonical, code",
    [
        ("00700.HK", "hk00700"),
        ("BRK.B.US", "usBRK.B.N"),
        ("SPY.US", "usSPY.AM"),
        ("SPX.US", "usINX"),
        ("HSI.HK", "hkHSI"),
    ],
)
def test_tencent_abroad(hosts, canonical, code):
    hosts.route("web.ifzq.gtimg.cn/appstock/app/kline/kline", tencent_body(code, ROWS, 1))
    assert (
        list(zip(*check_table(tencent.fetch_bars(from_canonical(canonical), "2024-01-01", None)), strict=True)) == ROWS
    )


def test_tencent_goes_back_until_before_the_listing(hosts):
    old = [("2016-03-01", 10.0, 10.5, 9.9, 10.2, 100_000), *ROWS]
    hosts.route(NEWFQ, tencent_body("sh600519", old))
    assert tencent.fetch_bars(MAOTAI, None, None).rows[0][0] == "2024-06-17"
    busy = [(f"{year}-03-01", 10.0, 10.5, 9.9, 10.2, 100_000) for year in range(2010, 2027)]
    hosts.route(NEWFQ, tencent_body("sh600519", busy))
    assert [row[0][:4] for row in tencent.fetch_bars(MAOTAI, None, None).rows] == [
        str(year) for year in range(2010, 2027)
    ]
    asked = hosts.count("param")
    assert asked <= 4 + 12


@pytest.mark.parametrize(
    "body",
    [
        {"code": 0, "data": {"sh600519": {"day": [["2024-06-17", "1"]]}}}, {"code": 0, "data": {"sh600519": {"day": {}}}},
        {"code": 0, "data": {"sz000001": {"day": []}}}, {"code": 0}, "<html>", {"code": 0, "data": "?"},
        {"code": 0, "data": {"sh600519": {"day": [["2024-06-17", "1", "1", "1", "1", "5"]]}}},
        {"code": 0, "data": {"sh600519": {"day": [["2024-06-17", "10", "10", "10", "10", "5", {}, "0", "7.0"]]}}},
    ],
)  # fmt: skip
def test_tencent_of_another_shape(hosts, body):
    hosts.route(NEWFQ, lambda handler, query: body)
    with pytest.raises(ShapeChanged, match="Tencent"):
        check_table(tencent.fetch_bars(MAOTAI, "2026-01-01", None))


# Sina

SINA_HFQ = 'var sh600519hfq={"total":3,"data":[{"d":"2024-06-19","f":"8.4"},{"d":"2023-06-30","f":"8.2"},{"d":"1900-01-01","f":"8.0"}]}\n/* x */'


@pytest.fixture
def v8(monkeypatch):
    """V8's place is taken by one that reads JSON: the packing has no public encoder. The real decoder has its own test."""
    import types

    class MiniRacer:
        def eval(self, script):
            assert "function" in script

        def call(self, name, packed):
            return json.loads(packed.replace("'", '"')) if packed else []

    monkeypatch.setitem(sys.modules, "py_mini_racer", types.SimpleNamespace(MiniRacer=MiniRacer))


def packed(rows):
    names = ("date", "open", "high", "low", "close", "volume")
    text = json.dumps([dict(zip(names, (f"{row[0]}T00:00:00.000Z", *row[1:]), strict=True)) for row in rows]).replace(
        '"', "'"
    )
    return f'var KLC_KL_sh600519="{text}";\n/* x */'


@pytest.mark.parametrize(
    "symbol, path",
    [
        (MAOTAI, "realstock/company/sh600519/hisdata_klc2/klc_kl.js"), (ETF, "realstock/company/sh510300/hisdata_klc2/klc_kl.js"),
        (INDEX, "realstock/company/sh000300/hisdata/klc_kl.js"), (TENCENT, "stock/hkstock/00700/klc2_kl.js"),
    ],
    ids=str,
)  # fmt: skip
def test_sina_packed_bars(hosts, v8, symbol, path):
    hosts.route(f"finance.sina.com.cn/{path}", packed(ROWS))
    assert list(zip(*check_table(sina.fetch_bars(symbol, None, None)), strict=True)) == ROWS


def test_sinas_real_javascript_decodes_a_recorded_answer():
    recorded = SHARED / "api_fixtures" / "tool_trade_date_hist_sina" / "response.txt"
    if not recorded.exists():
        pytest.skip("the shared data are not here")
    days = sina._decode_packed(recorded.read_text().partition("=")[2].split(";")[0].strip('"'))
    assert len(days) == 8796
    assert str(days[0]).startswith("1990-12-19")


def test_sina_new_york(hosts):
    rows = [dict(zip("dohlcv", (d, *map(str, rest)), strict=True)) for d, *rest in ROWS]
    hosts.route(
        "stock.finance.sina.com.cn/usstock/api",
        f"/*<script>location.href='//sina.com';</script>*/\nvar _=({json.dumps(rows)});",
    )
    assert list(zip(*check_table(sina.fetch_bars(APPLE, None, None)), strict=True)) == ROWS
    hosts.route("stock.finance.sina.com.cn/usstock/api", "/*x*/\nvar _=(null);")
    with pytest.raises(NotFound):
        sina.fetch_bars(APPLE, None, None)


def test_sina_factors_are_ratios(hosts):
    hosts.route("finance.sina.com.cn/realstock/company/sh600519/hfq.js", SINA_HFQ)
    assert sina.fetch_actions(MAOTAI) == [
        Action("2023-06-30", factor=8.2 / 8.0),
        Action("2024-06-19", factor=8.4 / 8.2),
    ]


def test_sina_splits_and_dividends_of_new_york(hosts):
    """A dividend of 1 at 400, a 4:1 split at 400, a dividend of 1 at 100: price x f + c stays whole across them."""
    rows = [
        {"d": "2022-01-03", "f": "1", "c": "0"}, {"d": "2020-08-31", "f": "1", "c": "-1"},
        {"d": "2019-05-10", "f": "0.25", "c": "-1"}, {"d": "1900-01-01", "f": "0.25", "c": "-1.25"},
    ]  # fmt: skip
    body = f"var AAPLqfq={json.dumps({'total': 3, 'data': rows})}\n/* x */"
    hosts.route("finance.sina.com.cn/us_stock/company/reinstatement/AAPL_qfq.js", body)
    dividend, split, last = sina.fetch_actions(APPLE)
    assert dividend == Action("2019-05-10", cash=1.0)
    assert split == Action("2020-08-31", split=4.0)
    assert last == Action("2022-01-03", cash=1.0)


def test_hong_kong_factors(hosts):
    hosts.route(
        "finance.sina.com.cn/stock/hkstock/00700/qfq.js",
        'var q={"data":[{"d":"2024-05-20","f":"1.0"},{"d":"1900-01-01","f":"0.5"}]}',
    )
    assert Akshare().actions(TENCENT) == [Action("2024-05-20", factor=2.0)]


@pytest.mark.parametrize(
    "attack", ['__import__("os").system("touch {}")', '{{"data": [{{"d": open("{}", "w"), "f": 1}}]}}']
)
def test_a_factor_file_is_never_run(hosts, tmp_path, attack):
    path = tmp_path / "pwned"
    hosts.route("finance.sina.com.cn/realstock/company/sh600519/hfq.js", "var x=" + attack.format(path))
    with pytest.raises(ShapeChanged):
        sina.fetch_actions(MAOTAI)
    assert not path.exists()


@pytest.mark.parametrize(
    "data", [[{"d": "2024-06-19"}], [{"d": "x", "f": 1}], [{"d": "2024-06-19", "f": 0}], [{"d": "2024-06-19", "f": "NaN"}], {}, [3],
             [{"d": "2024-06-19", "f": 2}, {"d": "2024-06-19", "f": 3}, {"d": "1900-01-01", "f": 1}]],
)  # fmt: skip
def test_senseless_factors(hosts, data):
    hosts.route("finance.sina.com.cn/realstock/company/sh600519/hfq.js", "var x=" + json.dumps({"data": data}))
    with pytest.raises(ShapeChanged):
        sina.fetch_actions(MAOTAI)


# checks of a frame


def table(rows, unit=1):
    return FeedTable(rows=rows, unit=unit, host="x.test", name="", what="akshare f")


def test_days_without_a_price_are_dropped_and_bars_come_out_ascending():
    rows = [
        ("2024-01-03", 1, 2, 1, 2, 5),
        ("2024-01-02", "-", "-", "-", "-", "-"),
        ("2024-01-01", 1.0, 2.0, 1.0, 2.0, 5.0),
        ("2024-01-04", float("nan"), None, "", "--", 0),
    ]
    bars = check_table(table(rows, 100))
    assert bars.date == ["2024-01-01", "2024-01-03"]
    assert bars.volume == [500, 500]


@pytest.mark.parametrize(
    "rows",
    [
        [("20240101", 1, 1, 1, 1, 1)], [("2024-02-30", 1, 1, 1, 1, 1)], [("NaT", 1, 1, 1, 1, 1)], [("2024-01-01", "x", 1, 1, 1, 1)],
        [("2024-01-01", 1, None, 1, 1, 5)], [("2024-01-01", 1, 1, 1, 1, -5)], [("2024-01-01", 1, 1, 1, 1, 1e17)],
        [("2024-01-01", 1, 1, 1, 1, 1), ("2024-01-01", 2, 2, 2, 2, 1)],
        [(f"2024-01-{d:02d}", 10, 9, 8, 7, 5) for d in range(1, 20)],
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_a_changed_shape(rows):
    with pytest.raises(ShapeChanged, match="akshare f"):
        check_table(table(rows))


# the machine


def test_nothing_heavy_is_imported_by_finding_the_adapter():
    code = "import sys; from ia.organs.ohlcv.adapters import load_adapter; load_adapter('akshare'); print([m for m in ('pandas','akshare','requests','numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_whole_akshare_can_still_be_imported_after_the_bare_one(hosts):
    hosts.route(KLINE, NO_DATA)
    with pytest.raises(NotFound):
        eastmoney.fetch_bars(MAOTAI, None, None)
    assert "akshare" not in sys.modules or hasattr(sys.modules["akshare"], "__version__")


def test_without_akshare_it_says_how_to_get_it(monkeypatch):
    import importlib.util

    for name in [name for name in sys.modules if name.split(".")[0] == "akshare"]:
        monkeypatch.delitem(sys.modules, name)
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "akshare" else find(name, *a))
    with pytest.raises(Unavailable, match="not installed") as caught:
        eastmoney.fetch_bars(MAOTAI, None, None)
    assert caught.value.status == 69


def test_stdout_stays_data(good, capfd):
    Akshare().fetch(MAOTAI)
    assert capfd.readouterr() == ("", "")


# the installed command

EDGE = """
import os
from urllib.parse import urlsplit, urlunsplit
from requests.adapters import HTTPAdapter

original = HTTPAdapter.send


def send(self, request, **kwargs):
    request = request.copy()
    parts = urlsplit(request.url)
    netloc = "127.0.0.1:" + os.environ["LOOPBACK_PORT"]
    request.url = urlunsplit(("http", netloc, f"/{parts.hostname}{parts.path}", parts.query, ""))
    return original(self, request, **kwargs)


HTTPAdapter.send = send
"""


@pytest.fixture
def live(hosts, ia, tmp_path):
    """`ia` in a process whose requests arrive at the loopback."""
    edge = tmp_path / "edge"
    edge.mkdir()
    (edge / "sitecustomize.py").write_text(EDGE)
    env = {"PYTHONPATH": str(edge), "LOOPBACK_PORT": str(hosts.server_address[1]), "IA_MARKET_TIMEOUT": "5"}
    return lambda *args: ia(*args, env=env)


@pytest.mark.process
def test_the_command_on_live_data_asks_once_and_adjusts_by_dividends(good, live):
    done = live("ohlcv", "贵州茅台", "--start", "2024-06-18")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "date,open,high,low,close,volume"
    factor = 1552.03 / (1552.03 - 30.876)
    assert [line.split(",")[0] for line in lines[1:]] == ["2024-06-18", "2024-06-19", "2024-06-20"]
    assert float(lines[1].split(",")[4]) == pytest.approx(1552.03 / factor, abs=0.006)
    assert lines[2] == "2024-06-19,1520.0,1523.99,1501.0,1502.0,3517900"
    asked = len(good.asked)
    assert asked == 3
    again = live("ohlcv", "600519", "--start", "2024-06-18")
    assert again.stdout == done.stdout
    assert len(good.asked) == asked


@pytest.mark.process
def test_the_command_tells_a_ban_from_a_missing_symbol(hosts, live):
    for host in ("push2his.eastmoney.com", "proxy.finance.qq.com", "finance.sina.com.cn"):
        hosts.route(host, closes)
    banned = live("ohlcv", "600519")
    assert (banned.returncode, banned.stdout) == (75, "")
    assert "may have banned ia; no requests until" in banned.stderr
    asked = len(hosts.asked)
    assert live("ohlcv", "000858").returncode == 75
    assert len(hosts.asked) == asked  # another process keeps away too
    told = live("doctor", "--json")
    assert "no requests to eastmoney.com until" in told.stdout


@pytest.mark.process
def test_the_command_on_a_symbol_that_nobody_has(hosts, live):
    hosts.route(KLINE, NO_DATA)
    hosts.route(NEWFQ, tencent_body("sh600519", ROWS))
    missing = live("ohlcv", "301999")
    assert (missing.returncode, missing.stdout) == (66, "")
    assert "301999" in missing.stderr
    assert "Traceback" not in missing.stderr


@pytest.mark.process
def test_the_command_on_an_answer_of_another_shape_names_function_and_version(hosts, live):
    for host in (KLINE, "proxy.finance.qq.com", "finance.sina.com.cn"):
        hosts.route(host, html)
    changed = live("ohlcv", "600519")
    assert changed.returncode == 69
    assert f"akshare {eastmoney.akshare_version()} stock_zh_a_hist" in changed.stderr


@pytest.mark.parametrize(
    "spoil",
    [
        lambda tree: tree["result"].update(pages=[1]), lambda tree: tree["result"].update(pages="many"),
        lambda tree: tree["result"]["data"][0].update(PRETAX_BONUS_RMB=10**400),
        lambda tree: tree["result"]["data"][0].update(PRETAX_BONUS_RMB=True),
    ],
)  # fmt: skip
def test_a_report_that_makes_no_sense_is_one_line(hosts, spoil):
    tree = report([bonus_row("2024-06-19 00:00:00", 308.76)])
    spoil(tree)
    hosts.route(REPORTS, lambda handler, query: tree)
    with pytest.raises(ShapeChanged):
        eastmoney.fetch_actions(MAOTAI)


def test_two_threads_that_silence_a_library_leave_standard_output_as_it_was():
    shown, left, tried = sys.stdout, threading.Event(), threading.Event()

    def silence_longer():
        tried.set()
        with silence_output():
            left.wait(0.3)

    with silence_output():
        other = threading.Thread(target=silence_longer)
        other.start()
        assert tried.wait(5)
        left.wait(0.1)  # the other one has begun, where nothing keeps it out
    left.set()
    other.join(5)
    assert sys.stdout is shown
