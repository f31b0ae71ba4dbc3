"""Sina: the income statement, balance sheet and cash flow statement of one company, all periods in one answer.

As sent: consolidated, in `rCurrency`, since the beginning of the year; every item with its title. Titles differ between
companies, banks, insurers and brokers, and some stand twice (the notes repeat them): the first with a value counts.
"""

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import NotFound
from ia.organs.market.sources import FinancialStatement
from ia.organs.market.sources.cells import CellTally, ImplausibleRow, check_size, parse_day, parse_number
from ia.organs.ohlcv.transport import get_json, govern_requests, shape_error

HOST = "quotes.sina.cn"
WHAT = "Sina getFinanceReport2022"
TIMEOUT = 5.0
"""Seconds without a byte. Whoever asks has other things to look at."""
_URL = f"https://{HOST}/cn/api/openapi.php/CompanyFinanceService.getFinanceReport2022"
_PAGES = {"income": "lrb", "balance": "fzb", "cashflow": "llb"}
_CURRENCIES = {"CNY": "CNY", "人民币": "CNY", "人民币元": "CNY", "": "CNY"}
_LONG_TERM = ("购建固定资产、无形资产和其他长期资产", "购建固定资产、无形资产及其他长期资产")
_TITLES: dict[str, dict[str, tuple[str, ...]]] = {
    "income": {
        "revenue": ("营业总收入", "营业收入"),
        "operating_cost": ("营业成本",),
        "research_cost": ("研发费用",),
        "operating_profit": ("营业利润",),
        "pretax_profit": ("利润总额",),
        "income_tax": ("所得税费用", "减:所得税费用"),
        "net_profit": ("净利润",),
        "profit": ("归属于母公司所有者的净利润", "归属于母公司股东的净利润", "归属于母公司的净利润"),
        "eps": ("基本每股收益", "基本每股收益(元/股)"),
    },
    "balance": {
        "cash": ("货币资金", "现金及存放中央银行款项"),
        "receivables": ("应收账款", "应收票据及应收账款"),
        "inventory": ("存货",),
        "goodwill": ("商誉",),
        "current_assets": ("流动资产合计",),
        "total_assets": ("资产总计",),
        "current_loans": ("短期借款",),
        "noncurrent_loans": ("长期借款",),
        "bonds": ("应付债券",),
        "current_liabilities": ("流动负债合计",),
        "total_liabilities": ("负债合计",),
        "equity": ("所有者权益(或股东权益)合计", "所有者权益合计", "股东权益合计"),
        "parent_equity": (
            "归属于母公司股东权益合计", "归属于母公司所有者权益合计", "归属于母公司股东的权益",
            "归属于母公司的股东权益合计",
        ),
    },
    "cashflow": {
        "sales_cash": ("销售商品、提供劳务收到的现金",),
        "operating_cash_flow": ("经营活动产生的现金流量净额",),
        "capital_expenditure": tuple(f"{item}{paid}" for item in _LONG_TERM for paid in ("所支付的现金", "支付的现金")),
        "investing_cash_flow": ("投资活动产生的现金流量净额",),
        "financing_cash_flow": ("筹资活动产生的现金流量净额",),
        "dividends_interest_paid": (
            "分配股利、利润或偿付利息所支付的现金", "分配股利、利润或偿付利息支付的现金",
        ),
        "cash_end": ("期末现金及现金等价物余额", "现金及现金等价物的期末余额"),
    },
}  # fmt: skip
"""Titles of each item, the one that counts first."""


def fetch_statements(company: Symbol, statement: str) -> list[FinancialStatement]:
    """Return a statement (`income`, `balance`, `cashflow`) of a mainland company for all periods, newest first.

    raises  NotFound where Sina has none; Banned, NoNetwork; ShapeChanged.
    """
    paper = f"{company.exchange.lower()}{company.code}"
    params = {"paperCode": paper, "source": _PAGES[statement], "type": "0", "page": "1", "num": "1000"}
    with govern_requests(check_size, timeout=TIMEOUT):
        tree = get_json(_URL, params, WHAT)
    return parse_statements(tree, company, statement)


def parse_statements(tree: object, company: Symbol, statement: str) -> list[FinancialStatement]:
    """Return the periods of an answer, newest first; NotFound, ShapeChanged."""
    result = tree.get("result") if isinstance(tree, dict) else None
    data = result.get("data") if isinstance(result, dict) else None
    listed = data.get("report_list") if isinstance(data, dict) else None
    if isinstance(result, dict) and (data in (None, [], {}, "") or listed in ([], {})):
        raise NotFound("{symbol}: not available from {host}", symbol=str(company), host=HOST)
    if not isinstance(listed, dict):
        raise shape_error(WHAT, "no result.data.report_list")
    tally, found = CellTally(WHAT), []
    for period, report in listed.items():
        try:
            found.append(_parse_statement(period, report, _TITLES[statement]))
        except ImplausibleRow as odd:
            tally.count_odd(odd, period)
    tally.check_rows(len(listed))
    if found and not any(each.items for each in found):
        raise shape_error(WHAT, "no item that is known")
    return sorted(found, key=lambda each: each.period, reverse=True)


def _parse_statement(period: object, report: object, titles: dict[str, tuple[str, ...]]) -> FinancialStatement:
    ended = parse_day(period)
    if ended is None:
        raise ImplausibleRow("report_list", period)
    rows = report.get("data") if isinstance(report, dict) else None
    if not isinstance(report, dict) or not isinstance(rows, list):
        raise ImplausibleRow("data", "missing")
    said = str(report.get("rCurrency") or "").strip()
    if said not in _CURRENCIES:
        raise ImplausibleRow("rCurrency", said)
    values = _first_values(rows, {title for known in titles.values() for title in known})
    items = {
        name: value
        for name, known in titles.items()
        if (value := next((values[title] for title in known if title in values), None)) is not None
    }
    published = parse_day(report.get("publish_date"))
    told = published if published and published > ended else None
    return FinancialStatement(ended, told, _CURRENCIES[said], items)


def _first_values(rows: list[object], titles: set[str]) -> dict[str, float]:
    """Return the first value of each of these titles of a statement."""
    values: dict[str, float] = {}
    for row in rows:
        title = row.get("item_title") if isinstance(row, dict) else None
        if not isinstance(row, dict) or not isinstance(title, str):
            continue
        plain = "".join(title.split()).translate(_PLAIN)
        if plain in titles and plain not in values and (value := parse_number(row, "item_value")) is not None:
            values[plain] = value
    return values


_PLAIN = str.maketrans("（）：", "():")
