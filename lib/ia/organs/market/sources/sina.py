"""Sina: the market's snapshot on another host and in another shape, and one company's figures by period.

Units as sent: prices in yuan as text, volume in shares, money in yuan, market values in 10,000 yuan, "0.000" where
nothing was traded. Sina's `per` is another ratio than Eastmoney's and not taken; industries it does not tell.
"""

from collections.abc import Iterator, Sequence

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import NotFound, TryLater, Unavailable
from ia.kernel.jsontypes import Json
from ia.organs.market.quote import Quote
from ia.organs.market.sources import CompanyReport, SnapshotPage
from ia.organs.market.sources.cells import (
    CellTally,
    ImplausibleRow,
    check_size,
    clean_text,
    parse_day,
    parse_name,
    parse_number,
    parse_optional_number,
    parse_rows,
    parse_symbol,
)
from ia.organs.market.sources.plausibility import check_quote
from ia.organs.ohlcv.canonical import is_date
from ia.organs.ohlcv.transport import NoNetwork, get_json, get_text, govern_requests, shape_error

HOST = "vip.stock.finance.sina.com.cn"
WHAT, ABSTRACT = "Sina getHQNodeData", "Sina getFinanceReport2022"
ROWS, MOST_PAGES = 80, 200
_MARKET = f"https://{HOST}/quotes_service/api/json_v2.php/Market_Center."
_COMPANY = "https://quotes.sina.cn/cn/api/openapi.php/CompanyFinanceService.getFinanceReport2022"
_INDEX = "https://hq.sinajs.cn/list=sh000001"
_NODES = {"stock": "hs_a", "etf": "etf_hq_fund"}
_TITLES = {
    "基本每股收益": "eps",
    "每股净资产": "bvps",
    "净资产收益率(ROE)": "roe_pct",
    "营业总收入": "revenue",
    "营业总收入增长率": "revenue_yoy_pct",
    "归母净利润": "profit",
    "归属母公司净利润增长率": "profit_yoy_pct",
    "毛利率": "gross_margin_pct",
    "销售净利率": "net_margin_pct",
    "资产负债率": "debt_ratio_pct",
    "每股经营现金流": "cash_flow_ps",
}
"""What an item's title means. Items are told apart by title in each period: their places differ between periods."""


def fetch_pages(kinds: Sequence[str]) -> Iterator[SnapshotPage]:
    """Yield the snapshot of these kinds, page by page.

    Its rows tell a time of day but no day: that is taken from the quote of the Shanghai index, on a third host. Where
    this does not answer, `time` is None.

    raises  Banned, NoNetwork; ShapeChanged where more than a few rows of a page contradict themselves, or rows are
            missing.
    """
    done, seen, today = 0, set[str](), _fetch_market_day()
    for kind in (kind for kind in _NODES if kind in kinds):
        node = _NODES[kind]
        with govern_requests(check_size):
            total = _parse_total(get_text(f"{_MARKET}getHQNodeStockCount", {"node": node}))
        if not total and kind == "stock":
            raise shape_error(WHAT, "no rows")
        last = -(-total // ROWS)
        for n in range(1, last + 1):
            params = {"page": str(n), "num": str(ROWS), "sort": "symbol", "asc": "1", "node": node, "symbol": ""}
            with govern_requests(check_size):
                rows = get_json(f"{_MARKET}getHQNodeData", {**params, "_s_r_a": "page"}, WHAT)
            if not isinstance(rows, list) or any(not isinstance(row, dict) for row in rows) or len(rows) > ROWS:
                raise shape_error(WHAT, "no list of rows")
            if not rows:
                raise NoNetwork("{host} sent only {came} of {total} rows", host=HOST, came=(n - 1) * ROWS, total=total)
            quotes, tally = _parse_quotes(rows, kind, today)
            if quotes and seen.issuperset(quote.symbol for quote in quotes):
                raise shape_error(WHAT, "the pages repeat each other")
            seen.update(quote.symbol for quote in quotes)
            done += 1
            time = max((quote.time for quote in quotes if quote.time), default=None)
            yield SnapshotPage(
                quotes=quotes,
                number=done,
                pages=done + last - n,
                host=HOST,
                time=time,
                dropped=tally.dropped,
                odd=tally.first,
                doubted=tally.doubtful_fields(len(rows)),
            )


def fetch_fundamentals(company: Symbol) -> list[CompanyReport]:
    """Return all periods that Sina knows of a mainland company, newest first.

    raises  NotFound where it has none; Banned, NoNetwork; ShapeChanged.
    """
    paper = f"{company.exchange.lower()}{company.code}"
    params = {"paperCode": paper, "source": "gjzb", "type": "0", "page": "1", "num": "1000"}
    with govern_requests(check_size):
        tree = get_json(_COMPANY, params, ABSTRACT)
    return parse_abstract(tree, company)


def parse_abstract(tree: object, company: Symbol) -> list[CompanyReport]:
    """Return the periods of an answer, newest first; NotFound, ShapeChanged."""
    result = tree.get("result") if isinstance(tree, dict) else None
    data = result.get("data") if isinstance(result, dict) else None
    if isinstance(result, dict) and data in (None, [], {}, ""):
        raise NotFound("{symbol}: not available from {host}", symbol=str(company), host="quotes.sina.cn")
    listed = data.get("report_list") if isinstance(data, dict) else None
    if listed in ([], {}):
        raise NotFound("{symbol}: not available from {host}", symbol=str(company), host="quotes.sina.cn")
    if not isinstance(listed, dict):
        raise shape_error(ABSTRACT, "no result.data.report_list")
    tally, found = CellTally(ABSTRACT), []
    for period, report in listed.items():
        try:
            found.append(_build_report(company, period, report))
        except ImplausibleRow as odd:
            tally.count_odd(odd, period)
    tally.check_rows(len(listed))
    if found and all(report[4:] == (None,) * len(report[4:]) for report in found):
        raise shape_error(ABSTRACT, "no item that is known")
    return sorted(found, key=lambda report: report.period, reverse=True)


def _parse_total(said: str) -> int:
    """Return the number of rows that a node has."""
    digits = said.strip().strip('"')
    if not digits.isascii() or not digits.isdecimal() or int(digits[:7]) > ROWS * MOST_PAGES:
        raise shape_error(WHAT, f"{clean_text(said, 20)!r} is no number of rows")
    return int(digits)


def _fetch_market_day() -> str | None:
    """Return the day of which the market's quotes are, by the index's own; None where that cannot be told."""
    try:
        with govern_requests(check_size):
            said = get_text(_INDEX, headers={"Referer": "https://finance.sina.com.cn/"})
    except (TryLater, Unavailable):
        return None
    return next((cell for cell in said[:2000].split(",") if len(cell) == 10 and is_date(cell)), None)


def _parse_quotes(rows: Sequence[Json], kind: str, today: str | None) -> tuple[list[Quote], CellTally]:
    tally = CellTally(WHAT)

    def parse_row(row: Json) -> Quote:
        quote = _parse_quote(row, kind, today)
        check_quote(quote, clean_text(row.get("name")), tally)
        return quote

    return parse_rows(rows, parse_row, tally, "symbol"), tally


def _parse_quote(row: Json, kind: str, today: str | None) -> Quote:
    code = row.get("symbol")
    exchange = code[:2].upper() if isinstance(code, str) else ""
    if exchange not in ("SH", "SZ", "BJ") or not isinstance(code, str):
        raise ImplausibleRow("symbol", code)
    canonical = parse_symbol(code[2:], exchange, "symbol", (kind,)).canonical

    def parse_price(field: str) -> float | None:
        return parse_number(row, field, 0, 1e5) or None

    def parse_cap(field: str) -> float | None:
        found = parse_number(row, field, 0, 1e12)
        return round(found * 10_000, 2) if found else None

    traded = bool(parse_price("trade") and parse_number(row, "volume", 0, 1e14))
    volume, amount = parse_number(row, "volume", 0, 1e14), parse_number(row, "amount", 0, 1e14)
    last, before, high, low = (parse_price(field) for field in ("trade", "settlement", "high", "low"))
    return Quote(
        symbol=canonical,
        name=parse_name(row.get("name")),
        price=last if traded else None,
        prev_close=before,
        change=parse_number(row, "pricechange") if traded else None,
        change_pct=parse_number(row, "changepercent") if traded else None,
        open=parse_price("open") if traded else None,
        high=high if traded else None,
        low=low if traded else None,
        volume=round(volume) if traded and volume is not None else None,
        amount=amount if traded else None,
        amplitude_pct=round((high - low) / before * 100, 2) if traded and high and low and before else None,
        turnover_pct=parse_optional_number(row, "turnoverratio") if traded else None,
        pb=parse_optional_number(row, "pb") or None,
        market_cap=parse_cap("mktcap"),
        float_cap=parse_cap("nmc"),
        time=_quote_time(today, row.get("ticktime")),
        kind=kind,
    )


def _quote_time(today: str | None, clock: object) -> str | None:
    said = f"{today}T{clock}"
    return said if today and is_date(said) else None


def _build_report(company: Symbol, period: object, report: object) -> CompanyReport:
    """Return a period; its items by title, the first of each: sections repeat some."""
    ended = parse_day(period)
    if ended is None:
        raise ImplausibleRow("report_list", period)
    items = report.get("data") if isinstance(report, dict) else None
    if not isinstance(report, dict) or not isinstance(items, list):
        raise ImplausibleRow("data", "missing")
    values: dict[str, float] = {}
    for item in items:
        title = item.get("item_title") if isinstance(item, dict) else None
        column = _TITLES.get(title) if isinstance(title, str) else None
        if column and column not in values:
            value = parse_number(item, "item_value")
            if value is not None:
                values[column] = value
    published = parse_day(report.get("publish_date"))
    told = published if published and published > ended else None
    return CompanyReport(symbol=company.canonical, period=ended, published=told, host="quotes.sina.cn", **values)
