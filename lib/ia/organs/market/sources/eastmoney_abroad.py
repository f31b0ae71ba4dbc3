"""Eastmoney's data center: reports, statements and ex-dates of companies of Hong Kong and the US.

The answers are those that akshare's `stock_financial_hk_analysis_indicator_em`, `stock_financial_hk_report_em`, their
US sisters and `stock_hk_dividend_payout_em` read. Money is in the currency that the company reports in. Hong Kong's
indicators misstate that currency, so that it is taken from the list of reports, as akshare does; they tell no day of
publication. US indicators have no book value: it is the parent's equity of the balance sheet over the shares that
profit and earnings a share imply.
"""

import re
from datetime import date

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import NotFound
from ia.kernel.jsontypes import Json
from ia.organs.market.foreign_reports import count_shares
from ia.organs.market.sources import CompanyEvent, FinancialStatement, ForeignReport
from ia.organs.market.sources.cells import (
    CellTally,
    ImplausibleRow,
    check_size,
    clean_text,
    parse_day,
    parse_number,
    parse_optional_number,
    parse_rows,
)
from ia.organs.ohlcv.adapters.eastmoney import FOREIGN_REPORTS, fetch_report_page
from ia.organs.ohlcv.transport import govern_requests, shape_error

HOST = "datacenter.eastmoney.com"
TIMEOUT = 8.0
PERIODS = 16
"""So many periods of a statement are asked for."""
MOST_PAGES = 20
HK_INDICATORS, HK_LIST = "RPT_HKF10_FN_MAININDICATOR", "RPT_CUSTOM_HKSK_APPFN_CASHFLOW_SUMMARY"
US_INDICATORS, US_PROFILE = "RPT_USF10_FN_GMAININDICATOR", "RPT_USF10_INFO_ORGPROFILE"
HK_PROFILE = "RPT_HKF10_INFO_ORGPROFILE"
HK_DIVIDENDS = "RPT_HKF10_MAIN_DIVBASIC"
_SHARE_CLASSES = "RPT_USF10_FN_IMAININDICATOR"
"""Where Eastmoney keeps companies whose code has a class of shares: BRK_B."""
_STATEMENTS = {
    "HK": {
        "income": "RPT_HKF10_FN_INCOME_PC",
        "balance": "RPT_HKF10_FN_BALANCE_PC",
        "cashflow": "RPT_HKF10_FN_CASHFLOW_PC",
    },
    "US": {"income": "RPT_USF10_FN_INCOME", "balance": "RPT_USF10_FN_BALANCE", "cashflow": "RPT_USSK_FN_CASHFLOW"},
}
_LINES: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {
    "HK": {
        "income": {
            "revenue": ("营运收入", "营业额", "经营收入总额", "营业收入"),
            "operating_cost": ("营运支出", "销售成本"),
            "research_cost": ("研发费用",),
            "operating_profit": ("经营溢利",),
            "pretax_profit": ("除税前溢利",),
            "income_tax": ("税项",),
            "net_profit": ("除税后溢利",),
            "profit": ("股东应占溢利",),
            "eps": ("每股基本盈利",),
        },
        "balance": {
            "cash": ("现金及等价物",),
            "receivables": ("应收帐款", "应收账款"),
            "inventory": ("存货",),
            "goodwill": ("商誉",),
            "current_assets": ("流动资产合计",),
            "total_assets": ("总资产",),
            "current_loans": ("短期贷款",),
            "noncurrent_loans": ("长期贷款",),
            "current_liabilities": ("流动负债合计",),
            "total_liabilities": ("总负债",),
            "equity": ("总权益",),
            "parent_equity": ("股东权益",),
        },
        "cashflow": {
            "operating_cash_flow": ("经营业务现金净额",),
            "investing_cash_flow": ("投资业务现金净额",),
            "financing_cash_flow": ("融资业务现金净额",),
            "cash_end": ("期末现金",),
        },
    },
    "US": {
        "income": {
            "revenue": ("营业收入", "主营收入", "收入总计"),
            "operating_cost": ("营业成本", "主营成本"),
            "research_cost": ("研发费用",),
            "operating_profit": ("营业利润",),
            "pretax_profit": ("持续经营税前利润", "税前利润"),
            "income_tax": ("所得税",),
            "net_profit": ("净利润",),
            "profit": ("归属于母公司股东净利润", "归属于普通股股东净利润"),
            "eps": ("基本每股收益-普通股", "基本每股收益"),
        },
        "balance": {
            "cash": ("现金及现金等价物",),
            "receivables": ("应收账款",),
            "inventory": ("存货",),
            "goodwill": ("商誉",),
            "current_assets": ("流动资产合计",),
            "total_assets": ("总资产",),
            "current_loans": ("短期债务",),
            "noncurrent_loans": ("长期负债",),
            "current_liabilities": ("流动负债合计",),
            "total_liabilities": ("总负债",),
            "equity": ("股东权益合计",),
            "parent_equity": ("归属于母公司股东权益",),
        },
        "cashflow": {
            "operating_cash_flow": ("经营活动产生的现金流量净额",),
            "investing_cash_flow": ("投资活动产生的现金流量净额",),
            "financing_cash_flow": ("筹资活动产生的现金流量净额",),
            "cash_end": ("现金及现金等价物期末余额",),
        },
    },
}
"""Titles of each item, the one that counts first."""
_SPENT = {"HK": ("购建固定资产", "购建无形资产及其他资产"), "US": ("购买固定资产", "购买无形资产及其他资产")}
"""Lines that make up the capital expenditure; their sign differs between reports."""
_MONTHS = {"001": 12, "002": 6, "003": 3, "004": 9}
"""Kinds of reports that run from the beginning of a financial year; others are single quarters."""
_REPORT = re.compile(r"\s*\d{4}/(FY|Q1|Q6|Q9|Q2|Q3|Q4)\s*")
_REPORT_MONTHS = {"FY": 12, "Q9": 9, "Q6": 6, "Q1": 3}
_QUARTER_ENDS = {"Q2": 6, "Q3": 9, "Q4": 12}
"""Single quarters, at whose ends there is a balance sheet as at those of the parts of a year."""
_CURRENCIES = {
    "人民币": "CNY", "人民币元": "CNY", "港元": "HKD", "港币": "HKD", "美元": "USD", "欧元": "EUR", "英镑": "GBP",
    "日元": "JPY", "新台币": "TWD", "台币": "TWD", "新加坡元": "SGD", "RMB": "CNY", "HK$": "HKD",
}  # fmt: skip


def fetch_reports(company: Symbol) -> list[ForeignReport]:
    """Return the reports of a stock of Hong Kong or the US. NotFound; Banned, NoNetwork; ShapeChanged."""
    return _fetch_hk_reports(company) if company.market == "HK" else _fetch_us_reports(company)


def fetch_industry(company: Symbol) -> str:
    """Return the industry that a company's profile names; "" where it names none. Raises as `fetch_reports`."""
    if company.market == "HK":
        where, name, source = f'(SECUCODE="{company.code}.HK")', HK_PROFILE, "F10"
    else:
        where, name, source = f'(SECURITY_CODE="{company.code.replace(".", "_")}")', US_PROFILE, "SECURITIES"
    rows = _fetch_rows(name, where, "", source, "SECUCODE,SECURITY_CODE,BELONG_INDUSTRY")
    return clean_text(rows[0].get("BELONG_INDUSTRY"), 24) if rows else ""


def _fetch_hk_reports(company: Symbol) -> list[ForeignReport]:
    rows = _fetch_rows(HK_INDICATORS, f'(SECUCODE="{company.code}.HK")', "REPORT_DATE", "F10", "HKF10_FN_MAININDICATOR")
    if not rows:
        raise _unknown_error(company)
    listed = {str(row.get("REPORT_DATE"))[:10]: row.get("CURRENCY") for row in _fetch_hk_list(company)}
    return parse_hk_reports(rows, company, listed)


def parse_hk_reports(rows: list[Json], company: Symbol, listed: dict[str, object]) -> list[ForeignReport]:
    """Return the reports of the rows of Hong Kong's indicators. listed: the currency of each period, as listed."""

    def read(row: Json) -> ForeignReport | None:
        period, months = _parse_period(row)
        if not months:
            return None
        return ForeignReport(
            symbol=company.canonical,
            period=period,
            months=months,
            currency=_parse_currency(listed.get(period) or row.get("CURRENCY")),
            host=HOST,
            eps=parse_number(row, "BASIC_EPS"),
            bvps=parse_optional_number(row, "BPS"),
            roe_pct=parse_optional_number(row, "ROE_AVG"),
            revenue=parse_number(row, "OPERATE_INCOME"),
            revenue_yoy_pct=parse_optional_number(row, "OPERATE_INCOME_YOY"),
            profit=parse_number(row, "HOLDER_PROFIT"),
            profit_yoy_pct=parse_optional_number(row, "HOLDER_PROFIT_YOY"),
            gross_margin_pct=parse_optional_number(row, "GROSS_PROFIT_RATIO"),
            net_margin_pct=parse_optional_number(row, "NET_PROFIT_RATIO"),
            debt_ratio_pct=parse_optional_number(row, "DEBT_ASSET_RATIO"),
            cash_flow_ps=parse_optional_number(row, "PER_NETCASH_OPERATE"),
        )

    return parse_rows(rows, read, CellTally(HK_INDICATORS), "REPORT_DATE")


def _fetch_us_reports(company: Symbol) -> list[ForeignReport]:
    code = _find_us_code(company)
    classes = "_" in code
    name, columns = (_SHARE_CLASSES, _CLASS_COLUMNS) if classes else (US_INDICATORS, "USF10_FN_GMAININDICATOR")
    wanted = ",".join(f'"{kind}"' for kind in _MONTHS)
    rows = _fetch_rows(name, f'(SECUCODE="{code}")(DATE_TYPE_CODE in ({wanted}))', "REPORT_DATE", "SECURITIES", columns)
    if not rows:
        raise _unknown_error(company)
    reports = parse_us_reports(rows, company)
    try:
        equity = {each.period: each for each in fetch_statements(company, "balance", code)}
    except NotFound:
        return reports
    return [_add_book_value(each, equity.get(each.period)) for each in reports]


_CLASS_COLUMNS = (
    "SECURITY_CODE,SECUCODE,REPORT_DATE,DATE_TYPE_CODE,START_DATE,NOTICE_DATE,CURRENCY,TOTAL_INCOME,TOTAL_INCOME_YOY,"
    "PARENT_HOLDER_NETPROFIT,PARENT_HOLDER_NETPROFIT_YOY,BASIC_EPS_CS,ROE,DEBT_RATIO"
)


def parse_us_reports(rows: list[Json], company: Symbol) -> list[ForeignReport]:
    """Return the reports of the rows of the US indicators; single quarters are none."""

    def read(row: Json) -> ForeignReport | None:
        period, months = _parse_period(row)
        if not months:
            return None
        classes = "BASIC_EPS_CS" in row
        told = parse_day(row.get("NOTICE_DATE"))
        profit = parse_number(row, "PARENT_HOLDER_NETPROFIT")
        revenue = parse_number(row, "TOTAL_INCOME" if classes else "OPERATE_INCOME")
        return ForeignReport(
            symbol=company.canonical,
            period=period,
            months=months,
            currency=_parse_currency(row.get("CURRENCY")),
            published=told if told and told > period else None,
            host=HOST,
            eps=parse_number(row, "BASIC_EPS_CS" if classes else "BASIC_EPS"),
            roe_pct=parse_optional_number(row, "ROE" if classes else "ROE_AVG"),
            revenue=revenue,
            revenue_yoy_pct=parse_optional_number(row, "TOTAL_INCOME_YOY" if classes else "OPERATE_INCOME_YOY"),
            profit=profit,
            profit_yoy_pct=parse_optional_number(row, "PARENT_HOLDER_NETPROFIT_YOY"),
            gross_margin_pct=parse_optional_number(row, "GROSS_PROFIT_RATIO"),
            net_margin_pct=round(profit / revenue * 100, 4) if profit is not None and revenue else None,
            debt_ratio_pct=parse_optional_number(row, "DEBT_RATIO" if classes else "DEBT_ASSET_RATIO"),
        )

    return parse_rows(rows, read, CellTally(US_INDICATORS), "REPORT_DATE")


def _add_book_value(report: ForeignReport, balance: FinancialStatement | None) -> ForeignReport:
    shares = count_shares(report)
    equity = balance.items.get("parent_equity") if balance is not None else None
    if not shares or equity is None or balance is None or balance.currency != report.currency:
        return report
    return report._replace(bvps=round(equity / shares, 4))


def fetch_statements(company: Symbol, statement: str, code: str = "") -> list[FinancialStatement]:
    """Return a statement of a stock of Hong Kong or the US for its newest periods. Raises as `fetch_reports`.

    code    the one that Eastmoney has of a US company, where it is known
    """
    if company.market == "HK":
        listed = sorted(_fetch_hk_list(company), key=lambda row: str(row.get("REPORT_DATE")), reverse=True)[:PERIODS]
        days = ",".join(f"'{day}'" for row in listed if (day := parse_day(row.get("REPORT_DATE"))))
        where, source = f'(SECUCODE="{company.code}.HK")(REPORT_DATE in ({days}))', "F10"
        columns = "SECUCODE,REPORT_DATE,DATE_TYPE_CODE,START_DATE,STD_ITEM_NAME,AMOUNT"
        if statement == "balance":
            columns = columns.replace("START_DATE,", "")
        currencies = {str(row.get("REPORT_DATE"))[:10]: row.get("CURRENCY") for row in listed}
    else:
        code = code or _find_us_code(company)
        listed = _list_us_reports(company, code, statement)
        names = ",".join(f'"{str(row["REPORT"]).strip()}"' for row in listed)
        where, source = f'(SECUCODE="{code}")(REPORT in ({names}))', "SECURITIES"
        columns = "SECUCODE,REPORT_DATE,REPORT,ITEM_NAME,AMOUNT"
        currencies = {str(row.get("REPORT_DATE"))[:10]: row.get("CURRENCY") for row in listed}
    if not listed:
        raise _unknown_error(company)
    rows = _fetch_rows(_STATEMENTS[company.market][statement], where, "REPORT_DATE", source, columns)
    return parse_statements(rows, company, statement, currencies)


def parse_statements(
    rows: list[Json], company: Symbol, statement: str, currencies: dict[str, object]
) -> list[FinancialStatement]:
    """Return the statements that rows of one line each make up, newest first. currencies: by period."""
    name, title = _STATEMENTS[company.market][statement], "STD_ITEM_NAME" if company.market == "HK" else "ITEM_NAME"
    found: dict[tuple[str, int], dict[str, float]] = {}

    def read(row: Json) -> None:
        period, months = _parse_period(row, statement)
        amount, line = parse_number(row, "AMOUNT"), clean_text(row.get(title))
        if not line:
            raise ImplausibleRow(title, row.get(title, "missing"))
        if months and amount is not None:
            found.setdefault((period, months), {}).setdefault(line, amount)

    parse_rows(rows, read, CellTally(name), "REPORT_DATE")
    told = [
        FinancialStatement(
            period=period,
            published=None,
            currency=_parse_currency(currencies.get(period)),
            items=items,
            months=months,
        )
        for (period, months), lines in found.items()
        if (items := _pick_items(lines, company.market, statement))
    ]
    if found and not told:
        raise shape_error(name, "no item that is known")
    return sorted(told, key=lambda each: (each.period, each.months), reverse=True)


def _pick_items(lines: dict[str, float], market: str, statement: str) -> dict[str, float]:
    named: dict[str, tuple[str, ...]] = _LINES[market][statement]
    items = {
        name: value
        for name, titles in named.items()
        if (value := next((lines[title] for title in titles if title in lines), None)) is not None
    }
    spent = [abs(lines[title]) for title in _SPENT[market] if title in lines]
    if statement == "cashflow" and spent:
        items["capital_expenditure"] = sum(spent)
    return items


def fetch_events(company: Symbol) -> list[CompanyEvent]:
    """Return the ex-dates of a stock of Hong Kong; of report dates, and of the US, the source tells nothing."""
    if company.market != "HK":
        raise NotFound(
            "{symbol}: no source of coming dates of US companies; ia has one for the mainland and Hong Kong (ex-dates)",
            symbol=company.canonical,
        )
    where = f'(SECURITY_CODE="{company.code}")(IS_BFP="0")'
    columns = "SECURITY_CODE,UPDATE_DATE,REPORT_TYPE,EX_DIVIDEND_DATE,YEAR,PLAN_EXPLAIN,IS_BFP"
    return parse_dividends(_fetch_rows(HK_DIVIDENDS, where, "EX_DIVIDEND_DATE", "F10", columns), company)


def parse_dividends(rows: list[Json], company: Symbol) -> list[CompanyEvent]:
    """Return the ex-dates of the rows of Hong Kong's dividends, with their cash in the currency of the share."""

    def read(row: Json) -> CompanyEvent | None:
        if row.get("SECURITY_CODE") != company.code:
            raise ImplausibleRow("SECURITY_CODE", row.get("SECURITY_CODE", "missing"))
        if "EX_DIVIDEND_DATE" not in row:
            raise ImplausibleRow("EX_DIVIDEND_DATE", "missing")
        day = _parse_any_day(row["EX_DIVIDEND_DATE"])
        if day is None:
            return None
        told = _parse_any_day(row.get("UPDATE_DATE"))
        return CompanyEvent(
            symbol=company.canonical,
            kind="ex-dividend",
            key=day,
            date=day,
            known=told if told and told <= day else None,
            cash=parse_cash(clean_text(row.get("PLAN_EXPLAIN")), trading_currency(company)),
            label=clean_text(row.get("REPORT_TYPE"), 40) or None,
        )

    return parse_rows(rows, read, CellTally(HK_DIVIDENDS), "EX_DIVIDEND_DATE")


_AMOUNT = re.compile(r"(?:每股|相当于|折合)[^0-9(（]*?(港币|港元|人民币|美元)\s*(\d+(?:\.\d+)?)")


def parse_cash(plan: str, currency: str) -> float | None:
    """Return the cash of a share that a plan tells in a currency; None where it tells none, or other ones only.

    >>> parse_cash("每股派人民币2.51元(相当于港币2.9003元)", "HKD"), parse_cash("每股派美元0.1元", "HKD")
    (2.9003, None)
    """
    told = [float(amount) for name, amount in _AMOUNT.findall(plan) if _CURRENCIES[name] == currency]
    return told[0] if len(told) == 1 else None


def _parse_any_day(value: object) -> str | None:
    return parse_day(str(value).replace("/", "-")) if value not in (None, "", "-") else None


def _parse_period(row: Json, statement: str = "") -> tuple[str, int]:
    """Return the last day of a report's period and the months that it spans; 0 for a single quarter."""
    period = parse_day(row.get("REPORT_DATE"))
    if period is None:
        raise ImplausibleRow("REPORT_DATE", row.get("REPORT_DATE", "missing"))
    if "REPORT" in row:
        found = _REPORT.fullmatch(str(row["REPORT"]))
        if found is None:
            raise ImplausibleRow("REPORT", row["REPORT"])
        months = _REPORT_MONTHS.get(found[1], _QUARTER_ENDS.get(found[1], 0) if statement == "balance" else 0)
    else:
        months = _MONTHS.get(str(row.get("DATE_TYPE_CODE")), 0)
    begun = parse_day(row.get("START_DATE"))
    if months and begun and abs((date.fromisoformat(period) - date.fromisoformat(begun)).days / 30.4375 - months) > 0.8:
        return period, 0  # a first year of business, or a year that was moved
    return period, months


def _parse_currency(value: object) -> str:
    said = clean_text(value, 12)
    known = _CURRENCIES.get(said, said.upper())
    if not re.fullmatch(r"[A-Z]{3}", known):
        raise ImplausibleRow("CURRENCY", value)
    return known


def _fetch_hk_list(company: Symbol) -> list[Json]:
    """Return the reports of a company of Hong Kong as they are listed: period and currency of each."""
    rows = _fetch_rows(
        HK_LIST,
        f'(SECUCODE="{company.code}.HK")',
        "",
        "F10",
        "SECUCODE,SECURITY_CODE,SECURITY_NAME_ABBR,START_DATE,REPORT_DATE,FISCAL_YEAR,CURRENCY,ACCOUNT_STANDARD,"
        "REPORT_TYPE",
    )
    listed = rows[0].get("REPORT_LIST") if rows else None
    if not rows:
        raise _unknown_error(company)
    if not isinstance(listed, list) or any(not isinstance(row, dict) for row in listed):
        raise shape_error(HK_LIST, "no REPORT_LIST")
    return listed


def _list_us_reports(company: Symbol, code: str, statement: str) -> list[Json]:
    """Return the newest reports of a statement of a US company, those that run from the beginning of a year."""
    rows = _fetch_rows(
        _STATEMENTS["US"][statement],
        f'(SECUCODE="{code}")',
        "REPORT_DATE",
        "SECURITIES",
        "SECUCODE,SECURITY_CODE,SECURITY_NAME_ABBR,REPORT,REPORT_DATE,FISCAL_YEAR,CURRENCY,ACCOUNT_STANDARD,REPORT_TYPE,"
        "DATE_TYPE_CODE",
    )
    named: dict[str, Json] = {}
    for row in rows:
        found = _REPORT.fullmatch(str(row.get("REPORT")))
        if found and (statement == "balance" or found[1] in _REPORT_MONTHS):
            named[str(row["REPORT"]).strip()] = row
    if not named:
        raise _unknown_error(company)
    return sorted(named.values(), key=lambda row: str(row.get("REPORT_DATE")), reverse=True)[:PERIODS]


def _find_us_code(company: Symbol) -> str:
    """Return the code that Eastmoney has of a US company, with its exchange: AAPL.O."""
    code = company.code.replace(".", "_")
    rows = _fetch_rows(US_PROFILE, f'(SECURITY_CODE="{code}")', "", "SECURITIES", "SECUCODE,SECURITY_CODE")
    found = str(rows[0].get("SECUCODE")) if rows else ""
    if not found:
        raise _unknown_error(company)
    if not re.fullmatch(rf"{re.escape(code)}\.[A-Z]{{1,4}}", found):
        raise shape_error(US_PROFILE, f"SECUCODE is {clean_text(found, 20)}")
    return found


def _fetch_rows(report: str, where: str, order: str, source: str, columns: str) -> list[Json]:
    found: list[Json] = []
    page = pages = 1
    while page <= pages:
        with govern_requests(check_size, timeout=TIMEOUT):
            rows, pages = fetch_report_page(report, where, order, page, columns, url=FOREIGN_REPORTS, source=source)
        if pages > MOST_PAGES:
            raise shape_error(report, f"{pages} pages")
        found += rows
        page += 1
    return found


def _unknown_error(company: Symbol) -> NotFound:
    return NotFound("{symbol}: not available from {host}", symbol=str(company), host=HOST)
