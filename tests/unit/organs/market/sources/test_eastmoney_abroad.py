"""Companies of Hong Kong and the US: rows as Eastmoney's data center sends them, over the loopback and by themselves."""

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import NotFound
from ia.organs.market.sources import eastmoney_abroad, load_source
from ia.organs.market.sources.eastmoney_abroad import parse_cash, parse_dividends, parse_hk_reports, parse_us_reports
from ia.organs.ohlcv.transport import ShapeChanged
from support.markets.hosts import past_day

TENCENT, APPLE = from_canonical("00700.HK"), from_canonical("AAPL.US")


@pytest.fixture
def hosts(monkeypatch):
    with past_day(monkeypatch) as server:
        yield server


def told(*rows):
    return {"success": True, "code": 0, "result": {"pages": 1, "count": len(rows), "data": list(rows)}}


def hk(day, kind, **more):
    row = {
        "SECUCODE": "00700.HK", "SECURITY_CODE": "00700", "REPORT_DATE": f"{day} 00:00:00", "DATE_TYPE_CODE": kind,
        "START_DATE": f"{day[:4]}-01-01 00:00:00", "CURRENCY": "HKD", "BASIC_EPS": 12.186, "BPS": 85.4,
        "OPERATE_INCOME": 609015000000, "OPERATE_INCOME_YOY": 9.82, "HOLDER_PROFIT": 115216000000,
        "HOLDER_PROFIT_YOY": -38.79, "GROSS_PROFIT_RATIO": 48.13, "NET_PROFIT_RATIO": 19.38, "ROE_AVG": 15.06,
        "DEBT_ASSET_RATIO": 44.61, "PER_NETCASH_OPERATE": 23.4,
    }  # fmt: skip
    return {**row, **more}


def us(day, kind, begun, **more):
    row = {
        "SECUCODE": "AAPL.O", "SECURITY_CODE": "AAPL", "REPORT_DATE": f"{day} 00:00:00", "DATE_TYPE_CODE": kind,
        "START_DATE": f"{begun} 00:00:00", "NOTICE_DATE": "2023-11-03 00:00:00", "CURRENCY": "USD",
        "OPERATE_INCOME": 383285000000, "OPERATE_INCOME_YOY": -2.8, "PARENT_HOLDER_NETPROFIT": 96995000000,
        "PARENT_HOLDER_NETPROFIT_YOY": -2.81, "BASIC_EPS": 6.16, "GROSS_PROFIT_RATIO": 44.13, "ROE_AVG": 171.95,
        "DEBT_ASSET_RATIO": 82.37,
    }  # fmt: skip
    return {**row, **more}


def test_reports_of_hong_kong_are_in_the_currency_that_the_list_tells():
    rows = [hk("2023-12-31", "001"), hk("2023-06-30", "002"), hk("2023-06-30", "006")]
    year, half = parse_hk_reports(rows, TENCENT, {"2023-12-31": "人民币", "2023-06-30": "CNY"})
    assert (year.period, year.months, year.currency, year.published) == ("2023-12-31", 12, "CNY", None)
    assert (year.revenue, year.profit, year.eps, year.bvps) == (609015e6, 115216e6, 12.186, 85.4)
    assert (half.months, half.currency) == (6, "CNY")


def test_a_span_that_does_not_fit_its_kind_is_left_out():
    moved = hk("2023-03-31", "001", START_DATE="2022-01-01 00:00:00")
    assert parse_hk_reports([moved], TENCENT, {"2023-03-31": "HKD"}) == []


def test_reports_of_the_us_are_those_since_the_beginning_of_a_year():
    rows = [us("2023-09-30", "001", "2022-09-25"), us("2023-09-30", "008", "2023-07-02")]
    (year,) = parse_us_reports(rows, APPLE)
    assert (year.months, year.published, year.currency, year.net_margin_pct) == (12, "2023-11-03", "USD", 25.3062)
    assert year.bvps is None and year.cash_flow_ps is None


def test_another_form_is_refused():
    with pytest.raises(ShapeChanged, match="BASIC_EPS"):
        parse_us_reports([us("2023-09-30", "001", "2022-09-25", BASIC_EPS="six") for _ in range(5)], APPLE)
    with pytest.raises(ShapeChanged, match="CURRENCY"):
        parse_hk_reports([hk("2023-12-31", "001", CURRENCY="?") for _ in range(5)], TENCENT, {})


@pytest.mark.parametrize(
    "plan, cash",
    [("每股派港币2.4元", 2.4), ("每股派人民币2.51元(相当于港币2.9003元)", 2.9003), ("每股派美元0.1元", None), ("不分红", None),
     ("每21股腾讯股份分派1股京东集团A类普通股股份", None), ("每股派港币1元,每股派特别股息港币2元", None)],
)  # fmt: skip
def test_the_cash_of_a_plan_is_in_the_currency_of_the_share(plan, cash):
    assert parse_cash(plan, "HKD") == cash


def test_an_ex_date_of_hong_kong():
    row = {
        "SECURITY_CODE": "00700", "EX_DIVIDEND_DATE": "2024-05-17 00:00:00", "UPDATE_DATE": "2024-03-20 00:00:00",
        "PLAN_EXPLAIN": "每股派港币3.4元", "REPORT_TYPE": "年度分配", "YEAR": "2023",
    }  # fmt: skip
    [found] = parse_dividends([row, {**row, "EX_DIVIDEND_DATE": None}], TENCENT)
    assert (found.date, found.cash, found.known, found.kind) == ("2024-05-17", 3.4, "2024-03-20", "ex-dividend")


@pytest.mark.process
def test_hong_kong_over_the_wire(hosts):
    listed = [{"REPORT_DATE": "2023-12-31 00:00:00", "CURRENCY": "人民币", "REPORT_TYPE": "年报"}]
    hosts.say("reportName=RPT_HKF10_FN_MAININDICATOR", told(hk("2023-12-31", "001")))
    hosts.say("reportName=RPT_CUSTOM_HKSK_APPFN_CASHFLOW_SUMMARY", told({"REPORT_LIST": listed}))
    lines = [
        ("经营业务现金净额", 221963e6),
        ("购建固定资产", -23893e6),
        ("购建无形资产及其他资产", -23509e6),
        ("期末现金", 172320e6),
    ]
    rows = [
        {"REPORT_DATE": "2023-12-31 00:00:00", "DATE_TYPE_CODE": "001", "START_DATE": "2023-01-01 00:00:00",
         "STD_ITEM_NAME": name, "AMOUNT": amount}
        for name, amount in lines
    ]  # fmt: skip
    hosts.say("reportName=RPT_HKF10_FN_CASHFLOW_PC", told(*rows))
    live = load_source("akshare")
    [report] = live.foreign_reports_of("00700.HK")
    assert (report.currency, report.host) == ("CNY", "datacenter.eastmoney.com")
    [statement] = live.statements_of("00700.HK", "cashflow")
    assert (statement.months, statement.currency) == (12, "CNY")
    assert statement.items["capital_expenditure"] == 23893e6 + 23509e6
    assert hosts.count('filter=(SECUCODE="00700.HK")') >= 3


@pytest.mark.process
def test_the_us_over_the_wire_has_a_book_value_from_the_balance_sheet(hosts):
    hosts.say("reportName=RPT_USF10_INFO_ORGPROFILE", told({"SECUCODE": "AAPL.O", "SECURITY_CODE": "AAPL"}))
    hosts.say("reportName=RPT_USF10_FN_GMAININDICATOR", told(us("2023-09-30", "001", "2022-09-25")))
    about = {"REPORT": "2023/FY", "REPORT_DATE": "2023-09-30 00:00:00", "CURRENCY": "USD"}
    lines = [("归属于母公司股东权益", 62146e6), ("总资产", 352583e6)]
    rows = [{**about, "ITEM_NAME": name, "AMOUNT": amount} for name, amount in lines]
    hosts.say("reportName=RPT_USF10_FN_BALANCE", told(*rows))
    [report] = load_source("akshare").foreign_reports_of("AAPL.US")
    assert report.bvps == pytest.approx(62146e6 / (96995e6 / 6.16), abs=1e-4)
    [balance] = load_source("akshare").statements_of("AAPL.US", "balance")
    assert balance.items == {"total_assets": 352583e6, "parent_equity": 62146e6}


@pytest.mark.process
def test_what_no_source_has_is_said(hosts):
    live = load_source("akshare")
    with pytest.raises(NotFound, match="no source of coming dates of US companies"):
        live.events_of("AAPL.US")
    with pytest.raises(NotFound, match="no source of announcements of Hong Kong companies"):
        live.news_of("00700.HK", "announcement")
    with pytest.raises(NotFound, match="not a stock"):
        live.foreign_reports_of("SPY.US")
    hosts.say("reportName=RPT_USF10_INFO_ORGPROFILE", {"success": False, "code": 9201, "result": None})
    with pytest.raises(NotFound, match="not available"):
        live.foreign_reports_of("AAPL.US")


@pytest.mark.process
def test_only_articles_that_name_the_company_are_news_of_it(hosts):
    def article(code, title):
        return {"code": code, "date": "2024-06-14 09:00:00", "title": title, "content": "", "mediaName": "财经"}

    rows = [article("202406140000001", "<em>苹果</em>发布新品"), article("202406140000002", "红富士丰收"),
            article("202406140000003", "AAPL rises")]  # fmt: skip
    body = {"code": 0, "result": {"cmsArticleWebOld": rows}}
    hosts.say("search-api-web", body)
    found = load_source("akshare").news_of("AAPL.US", "news")
    assert [item.title for item in found] == ["苹果发布新品", "AAPL rises"]


def test_titles_of_every_market_and_statement_are_known():
    for market, statements in eastmoney_abroad._LINES.items():
        assert statements.keys() == eastmoney_abroad._STATEMENTS[market].keys()


@pytest.mark.process
def test_the_profile_of_a_company_tells_its_industry(hosts):
    hosts.say("reportName=RPT_USF10_INFO_ORGPROFILE", told({"SECUCODE": "AAPL.O", "BELONG_INDUSTRY": "消费电子"}))
    hosts.say("reportName=RPT_HKF10_INFO_ORGPROFILE", told({"SECUCODE": "00700.HK", "BELONG_INDUSTRY": "软件服务"}))
    live = load_source("akshare")
    assert live.foreign_industry_of("AAPL.US") == "消费电子"
    assert live.foreign_industry_of("00700.HK") == "软件服务"
