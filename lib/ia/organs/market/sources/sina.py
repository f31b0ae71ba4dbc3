"""Sina: the market's snapshot on another host and in another shape, and one company's figures by period.

Units as sent: prices in yuan as text, volume in shares, money in yuan, market values in 10,000 yuan, "0.000" where
nothing was traded. Sina's `per` is another ratio than Eastmoney's and not taken; industries it does not tell.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import NotFound, TryLater, Unavailable
from ia.organs.market.quote import Quote
from ia.organs.market.sources import Page, Report
from ia.organs.market.sources.cells import Odd, Tally, day, loose, name, number, readable, small, symbol, text
from ia.organs.market.sources.plausible import check
from ia.organs.ohlcv.canonical import is_date
from ia.organs.ohlcv.transport import NoNetwork, get_json, get_text, governed, shape_changed

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


def pages(kinds: Sequence[str]) -> Iterator[Page]:
    """Yield the snapshot of these kinds, page by page.

    Its rows tell a time of day but no day: that is taken from the quote of the Shanghai index, on a third host. Where
    this does not answer, `time` is None.

    raises  Banned, NoNetwork; ShapeChanged where more than a few rows of a page contradict themselves, or rows are
            missing.
    """
    done, seen, today = 0, set[str](), _today()
    for kind in (kind for kind in _NODES if kind in kinds):
        node = _NODES[kind]
        with governed(small):
            total = _total(get_text(f"{_MARKET}getHQNodeStockCount", {"node": node}))
        if not total and kind == "stock":
            raise shape_changed(WHAT, "no rows")
        last = -(-total // ROWS)
        for n in range(1, last + 1):
            params = {"page": str(n), "num": str(ROWS), "sort": "symbol", "asc": "1", "node": node, "symbol": ""}
            with governed(small):
                rows = get_json(f"{_MARKET}getHQNodeData", {**params, "_s_r_a": "page"}, WHAT)
            if not isinstance(rows, list) or any(not isinstance(row, dict) for row in rows) or len(rows) > ROWS:
                raise shape_changed(WHAT, "no list of rows")
            if not rows:
                raise NoNetwork("{host} sent {came} of {total} rows", host=HOST, came=(n - 1) * ROWS, total=total)
            quotes, tally = _quotes(rows, kind, today)
            if quotes and seen.issuperset(quote.symbol for quote in quotes):
                raise shape_changed(WHAT, "the pages repeat each other")
            seen.update(quote.symbol for quote in quotes)
            done += 1
            time = max((quote.time for quote in quotes if quote.time), default=None)
            yield Page(quotes, done, done + last - n, HOST, time, tally.dropped, tally.first, tally.doubtful(len(rows)))


def fundamentals_of(company: Symbol) -> list[Report]:
    """Return all periods that Sina knows of a mainland company, newest first.

    raises  NotFound where it has none; Banned, NoNetwork; ShapeChanged.
    """
    paper = f"{company.exchange.lower()}{company.code}"
    params = {"paperCode": paper, "source": "gjzb", "type": "0", "page": "1", "num": "1000"}
    with governed(small):
        tree = get_json(_COMPANY, params, ABSTRACT)
    return abstract(tree, company)


def abstract(tree: Any, company: Symbol) -> list[Report]:
    """Return the periods of an answer, newest first; NotFound, ShapeChanged."""
    result = tree.get("result") if isinstance(tree, dict) else None
    data = result.get("data") if isinstance(result, dict) else None
    if isinstance(result, dict) and data in (None, [], {}, ""):
        raise NotFound("{symbol}: {host} does not have it", symbol=str(company), host="quotes.sina.cn")
    listed = data.get("report_list") if isinstance(data, dict) else None
    if listed in ([], {}):
        raise NotFound("{symbol}: {host} does not have it", symbol=str(company), host="quotes.sina.cn")
    if not isinstance(listed, dict):
        raise shape_changed(ABSTRACT, "no result.data.report_list")
    tally, found = Tally(ABSTRACT), []
    for period, report in listed.items():
        try:
            found.append(_report(company, period, report))
        except Odd as odd:
            tally.odd(odd, period)
    tally.check(len(listed))
    if found and all(report[4:] == (None,) * len(report[4:]) for report in found):
        raise shape_changed(ABSTRACT, "no item that is known")
    return sorted(found, key=lambda report: report.period, reverse=True)


def _total(said: str) -> int:
    """Return the number of rows that a node has."""
    digits = said.strip().strip('"')
    if not digits.isascii() or not digits.isdecimal() or int(digits[:7]) > ROWS * MOST_PAGES:
        raise shape_changed(WHAT, f"{text(said, 20)!r} is no number of rows")
    return int(digits)


def _today() -> str | None:
    """Return the day of which the market's quotes are, by the index's own; None where that cannot be told."""
    try:
        with governed(small):
            said = get_text(_INDEX, headers={"Referer": "https://finance.sina.com.cn/"})
    except (TryLater, Unavailable):
        return None
    return next((cell for cell in said[:2000].split(",") if len(cell) == 10 and is_date(cell)), None)


def _quotes(rows: list[dict[str, Any]], kind: str, today: str | None) -> tuple[list[Quote], Tally]:
    tally = Tally(WHAT)

    def read(row: dict[str, Any]) -> Quote:
        quote = _quote(row, kind, today)
        check(quote, text(row.get("name")), tally)
        return quote

    return readable(rows, read, tally, "symbol"), tally


def _quote(row: dict[str, Any], kind: str, today: str | None) -> Quote:
    code = row.get("symbol")
    exchange = code[:2].upper() if isinstance(code, str) else ""
    if exchange not in ("SH", "SZ", "BJ") or not isinstance(code, str):
        raise Odd("symbol", code)
    canonical = symbol(code[2:], exchange, "symbol", (kind,)).canonical

    def price(field: str) -> float | None:
        return number(row, field, 0, 1e5) or None

    def cap(field: str) -> float | None:
        found = number(row, field, 0, 1e12)
        return round(found * 10_000, 2) if found else None

    traded = bool(price("trade") and number(row, "volume", 0, 1e14))
    volume, amount = number(row, "volume", 0, 1e14), number(row, "amount", 0, 1e14)
    last, before, high, low = (price(field) for field in ("trade", "settlement", "high", "low"))
    return Quote(
        canonical,
        name=name(row.get("name")),
        price=last if traded else None,
        prev_close=before,
        change=number(row, "pricechange") if traded else None,
        change_pct=number(row, "changepercent") if traded else None,
        open=price("open") if traded else None,
        high=high if traded else None,
        low=low if traded else None,
        volume=round(volume) if traded and volume is not None else None,
        amount=amount if traded else None,
        amplitude_pct=round((high - low) / before * 100, 2) if traded and high and low and before else None,
        turnover_pct=loose(row, "turnoverratio") if traded else None,
        pb=loose(row, "pb") or None,
        market_cap=cap("mktcap"),
        float_cap=cap("nmc"),
        time=_time(today, row.get("ticktime")),
        kind=kind,
    )


def _time(today: str | None, clock: object) -> str | None:
    said = f"{today}T{clock}"
    return said if today and is_date(said) else None


def _report(company: Symbol, period: object, report: object) -> Report:
    """Return a period; its items by title, the first of each: sections repeat some."""
    ended = day(period)
    if ended is None:
        raise Odd("report_list", period)
    items = report.get("data") if isinstance(report, dict) else None
    if not isinstance(report, dict) or not isinstance(items, list):
        raise Odd("data", "missing")
    values: dict[str, float] = {}
    for item in items:
        title = item.get("item_title") if isinstance(item, dict) else None
        column = _TITLES.get(title) if isinstance(title, str) else None
        if column and column not in values:
            value = number(item, "item_value")
            if value is not None:
                values[column] = value
    published = day(report.get("publish_date"))
    told = published if published and published > ended else None
    return Report(company.canonical, ended, told, "quotes.sina.cn", **values)
