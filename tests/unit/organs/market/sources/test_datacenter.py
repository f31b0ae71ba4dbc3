"""Boards, reports of companies, Stock Connect, the list of unusual trading: what hosts really sent, in true units."""

import pytest

from ia.kernel.errors import NotFound, UsageError
from ia.organs.market.sources import NotDelivered, datacenter, load_source
from support.markets.host_answers import figures, published
from support.markets.hosts import DAY, past_day
from support.markets.recorded import fixture, number, taken
from support.markets.simulated import chance

STOCKS = ("stock",)


@pytest.fixture
def hosts(monkeypatch):
    with past_day(monkeypatch) as server:
        yield server


# boards


def test_boards_and_their_members(hosts):
    live = load_source("akshare")
    boards = live.boards("industry")
    assert {board.name for board in boards} == {
        hosts.market.industry(s) for s in hosts.market.symbols if s[:2] not in ("51", "15")
    }
    assert all(board.time == f"{DAY}T15:00:00" and board.kind == "industry" for board in boards)
    stocks = taken(live.snapshot(STOCKS))
    seen = set()
    for board in boards:
        members = live.members("industry", board.board)
        assert members and seen.isdisjoint(members)
        seen.update(members)
        moves = {symbol: stocks[symbol].change_pct for symbol in members if stocks[symbol].traded}
        assert board.up == sum(move > 0 for move in moves.values())
        assert board.down == sum(move < 0 for move in moves.values())
        assert board.leader_pct == max(moves.values()) == moves[board.leader]
        assert board.market_cap == sum(stocks[symbol].market_cap for symbol in members)
    assert seen == set(stocks)
    assert {board.kind for board in live.boards("concept")} == {"concept"}
    with pytest.raises(NotDelivered):
        live.boards("region")
    for code in ("白酒", "BK1", "BK0001 f:1", ""):
        with pytest.raises(NotFound):
            live.members("industry", code)


def test_the_recorded_boards(hosts, shared):
    body, expected = fixture(shared, "stock_board_industry_name_em")
    hosts.say("17.push2", body)
    boards = {board.board: board for board in load_source("akshare").boards("industry")}
    assert len(boards) == len(expected)
    for line in expected:
        board = boards[line["板块代码"]]
        assert board.name == line["板块名称"]
        assert (board.change_pct, board.turnover_pct, board.market_cap, board.leader_pct) == tuple(
            float(line[name]) for name in ("涨跌幅", "换手率", "总市值", "领涨股票-涨跌幅")
        )
        assert (board.up, board.down) == (int(line["上涨家数"]), int(line["下跌家数"]))
    leaders = [boards[code].leader for code in ("BK0437", "BK0447", "BK0475")]
    assert leaders == ["600792.SH", "600571.SH", "601838.SH"]  # f141 of the record tells the wrong exchange


# reports


def test_the_reports_of_a_period(hosts):
    reports = {report.symbol: report for report in load_source("akshare").fundamentals("2024-03-31")}
    stocks = [symbol for symbol in hosts.market.symbols if symbol[:2] not in ("51", "15")]
    assert sorted(reports) == sorted(stocks)
    for symbol, report in reports.items():
        told = figures(hosts.market, symbol, "2024-03-31")
        del told["debt_ratio_pct"]
        assert {name: getattr(report, name) for name in told} == pytest.approx(told, abs=1e-4)
        assert report.debt_ratio_pct is None
        assert report.published == published(symbol, "2024-03-31") > report.period


def test_reports_are_told_from_their_day_on(hosts):
    hosts.market.at("2024-05-06")
    assert load_source("akshare").fundamentals("2024-06-30") == []
    assert {r.published <= "2024-05-06" for r in load_source("akshare").fundamentals("2024-03-31")} == {True}
    for wrong in ("2024-03-30", "2024", "20240331", "2024-03-31'", ""):
        with pytest.raises(UsageError):
            load_source("akshare").fundamentals(wrong)


def test_rows_of_other_markets_and_corrections(hosts):
    def told(code, exchange, eps, notice, **more):
        return {
            "SECURITY_CODE": code, "SECUCODE": f"{code}.{exchange}", "REPORTDATE": "2024-03-31 00:00:00", "BASIC_EPS": eps,
            "NOTICE_DATE": notice and f"{notice} 00:00:00", "TOTAL_OPERATE_INCOME": None, "PARENT_NETPROFIT": -5.0,
            "WEIGHTAVG_ROE": None, **more,
        }  # fmt: skip

    rows = [
        told("430282", "NQ", 1.0, "2024-04-20"), told("600519", "SH", 1.0, "2024-04-20"), told("600519", "SH", 2.0, "2024-05-20"),
        told("000858", "SZ", 3.0, "2024-05-20"), told("000858", "SZ", 4.0, "2024-04-20"), told("300750", "SZ", 5.0, None),
        told("688981", "SH", 6.0, "2024-03-31"),
    ]  # fmt: skip
    hosts.say("RPT_LICO", {"result": {"pages": 1, "data": rows, "count": 4}, "success": True, "code": 0})
    found = {report.symbol: report for report in load_source("akshare").fundamentals("2024-03-31")}
    assert {symbol: (report.eps, report.published) for symbol, report in found.items()} == {
        "600519.SH": (2.0, "2024-05-20"), "000858.SZ": (3.0, "2024-05-20"), "300750.SZ": (5.0, None),
        "688981.SH": (6.0, None),
    }  # fmt: skip
    assert found["600519.SH"].net_margin_pct is None and found["600519.SH"].profit == -5.0


def test_the_periods_of_one_company_are_joined_by_title(hosts):
    for symbol in ("600519.SH", "000001.SZ", "300750.SZ"):
        reports = load_source("akshare").fundamentals_of(symbol)
        assert len(reports) > 10
        assert [report.period for report in reports] == sorted((report.period for report in reports), reverse=True)
        for report in reports:  # every second period has its items in another order
            told = figures(hosts.market, symbol, report.period)
            assert {name: getattr(report, name) for name in told} == pytest.approx(told)
            assert report.published == published(symbol, report.period)
    assert "paperCode=sz000001" in hosts.asked[1]
    with pytest.raises(NotFound):
        load_source("akshare").fundamentals_of("301999.SZ")
    with pytest.raises(NotFound):
        load_source("akshare").fundamentals_of("510300.SH")


def test_the_recorded_abstract(hosts, shared):
    body, expected = fixture(shared, "stock_financial_abstract")
    hosts.say("quotes.sina.cn", body)
    reports = {report.period: report for report in load_source("akshare").fundamentals_of("600004.SH")}
    periods = [name for name in expected[0] if name.isdigit()]
    assert len(reports) == len(periods)
    titles = {"归母净利润": "profit", "营业总收入": "revenue", "基本每股收益": "eps", "每股净资产": "bvps",
              "净资产收益率(ROE)": "roe_pct", "毛利率": "gross_margin_pct", "营业总收入增长率": "revenue_yoy_pct",
              "归属母公司净利润增长率": "profit_yoy_pct"}  # fmt: skip
    compared = 0
    for line in expected:
        for period in periods if line["指标"] in titles else ():
            report = reports[f"{period[:4]}-{period[4:6]}-{period[6:]}"]
            assert getattr(report, titles[line["指标"]]) == number(line[period])
            compared += 1
    assert compared >= 15
    assert all(report.published is None or report.published > report.period for report in reports.values())


# Stock Connect and the list of unusual trading


def test_stock_connect_in_yuan(hosts):
    flows = load_source("akshare").northbound("2024-06-12")
    assert [(flow.date, flow.channel) for flow in flows[:3]] == [
        ("2024-06-12", c) for c in ("north", "shanghai", "shenzhen")
    ]
    assert flows[-1].date == DAY
    for flow in flows:
        assert flow.turnover == pytest.approx(
            50_000e6 * (1 + chance(flow.date, datacenter.CHANNELS[flow.channel])), abs=1e5
        )
        assert flow.buy + flow.sell == pytest.approx(flow.turnover, abs=2e4)
        assert flow.buy - flow.sell == pytest.approx(flow.net, abs=2e4)
        assert flow.leader == "600519.SH"
    for wrong in ("2024-6-1", "x')(A='1", "2024-06-12T10:00:00"):
        with pytest.raises(UsageError):
            load_source("akshare").northbound(wrong)


@pytest.mark.parametrize("name", ["north", "shanghai"])
def test_the_recorded_stock_connect(hosts, shared, name):
    body, expected = fixture(shared, f"stock_hsgt_hist_em_{name}")
    code = datacenter.CHANNELS[name]
    hosts.say(f'MUTUAL_TYPE="{code}"', body)
    hosts.say("RPT_MUTUAL", {"result": None, "success": False, "message": "返回数据为空", "code": 9201})
    flows = {flow.date: flow for flow in load_source("akshare").northbound() if flow.channel == name}
    assert sorted(flows) == [line["日期"] for line in expected]
    for line in expected:
        flow = flows[line["日期"]]
        for chinese, column in (
            ("当日成交净买额", "net"),
            ("买入成交额", "buy"),
            ("卖出成交额", "sell"),
            ("当日余额", "quota_left"),
        ):
            want = number(line[chinese])
            assert getattr(flow, column) == (None if want is None else pytest.approx(want * 1e8))
        assert flow.holdings == number(line["持股市值"])
        assert (flow.leader, flow.leader_pct) == (line["领涨股-代码"], float(line["领涨股-涨跌幅"]))
    assert flows["2026-09-30"].net is None
    assert flows["2026-09-30"].turnover == pytest.approx(101_257.88e6)
    assert flows["2026-09-30"].deals == 5269396


def test_the_list_of_a_day(hosts):
    days = [day for day in hosts.market.days if day <= DAY]
    rows = load_source("akshare").lhb(days[0], DAY)
    assert [row for day in days for row in load_source("akshare").lhb(day, day)] == sorted(
        rows, key=lambda row: row.date
    )
    assert len({row.date for row in rows}) > 1
    assert len({(r.date, r.symbol, r.reason) for r in rows}) == len(rows)
    assert len({(r.date, r.symbol) for r in rows}) < len(rows)  # one stock for several reasons
    for listing in rows:
        bar = next(bar for bar in hosts.market.bars(listing.symbol) if bar.date == listing.date)
        assert (listing.close, listing.market_amount) == (bar.close, bar.amount)
        assert listing.net == pytest.approx(listing.buy - listing.sell, abs=0.02)
    assert load_source("akshare").lhb("2024-06-15", "2024-06-16") == []
    asked = [url for url in hosts.asked if "BILLBOARD" in url]
    assert asked and not any("D1_" in url for url in asked)
    for wrong in ("2024-6-1", "2024-06-01T00:00:00", "'"):
        with pytest.raises(UsageError):
            load_source("akshare").lhb("2024-06-01", wrong)


def test_the_recorded_list(hosts, shared):
    body, expected = fixture(shared, "stock_lhb_detail_em")
    hosts.say("RPT_DAILY", body)
    names = {"收盘价": "close", "涨跌幅": "change_pct", "龙虎榜净买额": "net", "龙虎榜买入额": "buy", "龙虎榜卖出额": "sell",
             "龙虎榜成交额": "turnover", "市场总成交额": "market_amount", "换手率": "turnover_pct", "流通市值": "float_cap"}  # fmt: skip
    compared = 0
    for day in sorted({line["上榜日"] for line in expected}):
        lines = [line for line in expected if line["上榜日"] == day]
        rows = {(r.symbol[:6], r.reason): r for r in load_source("akshare").lhb(day, day) if r.date == day}
        for line in lines:
            found = rows[line["代码"], line["上榜原因"]]
            assert (found.name, found.comment) == (line["名称"], line["解读"])
            assert {column: getattr(found, column) for column in names.values()} == {
                column: number(line[chinese]) for chinese, column in names.items()
            }
            compared += 1
        assert len(rows) == len(lines)
    assert compared == len(expected) == 3
