"""Eastmoney's data center: reports of all companies by period, the list of unusual trading, Stock Connect.

Units as sent: money in yuan, but Stock Connect's flows in millions; ratios in per cent. Null stays None.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from ia.kernel.errors import UsageError
from ia.kernel.jsontypes import Json
from ia.organs.market.sources import CompanyReport, ConnectFlow, UnusualListing
from ia.organs.market.sources.cells import (
    CellTally,
    ImplausibleRow,
    check_size,
    clean_text,
    exchange_suffix,
    parse_count,
    parse_day,
    parse_dotted_symbol,
    parse_name,
    parse_number,
    parse_optional_number,
    parse_rows,
    parse_symbol,
)
from ia.organs.ohlcv.adapters.eastmoney import fetch_report_page
from ia.organs.ohlcv.canonical import is_date
from ia.organs.ohlcv.transport import govern_requests, shape_error

T = TypeVar("T")
HOST = "datacenter-web.eastmoney.com"
MOST_PAGES = 60
_REPORTS, _LISTINGS, _CONNECT = "RPT_LICO_FN_CPD", "RPT_DAILYBILLBOARD_DETAILSNEW", "RPT_MUTUAL_DEAL_HISTORY"
_LISTED = (
    "SECURITY_CODE,SECUCODE,SECURITY_NAME_ABBR,TRADE_DATE,EXPLAIN,CLOSE_PRICE,CHANGE_RATE,BILLBOARD_NET_AMT,"
    "BILLBOARD_BUY_AMT,BILLBOARD_SELL_AMT,BILLBOARD_DEAL_AMT,ACCUM_AMOUNT,TURNOVERRATE,FREE_MARKET_CAP,EXPLANATION"
)
"""The columns that are asked for: not those that tell how the price went on afterwards."""
CHANNELS = {"shanghai": "001", "shenzhen": "003", "north": "005"}
MILLION = 1e6


def fetch_fundamentals(period: str) -> list[CompanyReport]:
    """Return what companies reported of a period (YYYY-MM-DD, the last day of a quarter), in the order of codes.

    Eastmoney has no net margin here: it is profit over revenue. Its debt ratio is not among them: None.

    raises  UsageError for another day; Banned, NoNetwork; ShapeChanged.
    """
    if not is_date(period) or period[5:] not in ("03-31", "06-30", "09-30", "12-31"):
        raise UsageError(
            "{period!r} is not a valid reporting period", period=period[:20], hint="write a period such as 2024-03-31"
        )
    found: dict[str, CompanyReport] = {}
    for row in _fetch_rows(
        _REPORTS, f"(REPORTDATE='{period}')", "SECURITY_CODE", lambda row: _parse_report(row, period)
    ):
        known = found.get(row.symbol)
        # a company that corrects its report is there twice: what is newest holds, from the day it was told
        if known is None or (row.published or "") >= (known.published or ""):
            found[row.symbol] = row
    return list(found.values())


def fetch_listings(since: str, until: str) -> list[UnusualListing]:
    """Return the stocks on the lists of some days (YYYY-MM-DD), once a day for each reason. Raises as `fundamentals`.

    A copy of an answer that takes no heed of the filter has other days too: those before are returned with them.
    """
    for date in (since, until):
        if not is_date(date) or len(date) != 10:
            raise UsageError("{day!r} is not a date", day=date[:20], hint="write a date such as 2024-03-29")
    where = f"(TRADE_DATE<='{until}')(TRADE_DATE>='{since}')"
    found: dict[tuple[str, str, str], UnusualListing] = {}
    for row in _fetch_rows(_LISTINGS, where, "SECURITY_CODE,TRADE_DATE", _parse_listing, _LISTED):
        if row.date <= until:
            found.setdefault((row.date, row.symbol, row.reason), row)
    return list(found.values())


def fetch_flows(since: str | None) -> list[ConnectFlow]:
    """Return the days of the northbound channels of Stock Connect, oldest first. Raises as `fundamentals`."""
    if since is not None and (not is_date(since) or len(since) != 10):
        raise UsageError("{day!r} is not a date", day=since[:20], hint="write a date such as 2024-03-29")
    found: dict[tuple[str, str], ConnectFlow] = {}
    for channel, code in CHANNELS.items():
        where = f'(MUTUAL_TYPE="{code}")' + (f"(TRADE_DATE>='{since}')" if since else "")
        for row in _fetch_rows(_CONNECT, where, "TRADE_DATE", partial(_parse_flow, channel=channel)):
            found[row.date, channel] = row
    return [found[key] for key in sorted(found)]


def _fetch_rows(
    report: str, where: str, order: str, read: Callable[[Json], T | None], columns: str = "ALL"
) -> Iterator[T]:
    """Yield what `read` makes of the rows of a report; None is left out, Odd counted, too many of them ShapeChanged."""
    page = pages = 1
    while page <= pages:
        with govern_requests(check_size):
            rows, told = fetch_report_page(report, where, order, page, columns)
        if told > MOST_PAGES:
            raise shape_error(report, f"{told} pages")
        pages = told
        yield from parse_rows(rows, read, CellTally(report), "SECUCODE")
        page += 1


def _parse_date(row: Mapping[str, object], field: str) -> str:
    found = parse_day(row.get(field))
    if found is None:
        raise ImplausibleRow(field, row.get(field, "missing"))
    return found


def _parse_report(row: Json, period: str) -> CompanyReport | None:
    """Return a company's report; None where it is no mainland stock: the list has companies of other markets too."""
    exchange = exchange_suffix(row.get("SECUCODE"))
    if exchange not in ("SH", "SZ", "BJ"):
        if exchange in ("NQ", "HK"):
            return None
        raise ImplausibleRow("SECUCODE", row.get("SECUCODE"))
    if _parse_date(row, "REPORTDATE") != period:
        raise ImplausibleRow("REPORTDATE", row["REPORTDATE"])
    published = parse_day(row.get("NOTICE_DATE"))
    profit, revenue = parse_number(row, "PARENT_NETPROFIT"), parse_number(row, "TOTAL_OPERATE_INCOME")
    return CompanyReport(
        symbol=parse_symbol(row.get("SECURITY_CODE"), exchange, "SECURITY_CODE").canonical,
        period=period,
        published=published if published and published > period else None,
        host=HOST,
        eps=parse_number(row, "BASIC_EPS"),
        bvps=parse_optional_number(row, "BPS"),
        roe_pct=parse_number(row, "WEIGHTAVG_ROE"),
        revenue=revenue,
        revenue_yoy_pct=parse_optional_number(row, "YSTZ"),
        profit=profit,
        profit_yoy_pct=parse_optional_number(row, "SJLTZ"),
        gross_margin_pct=parse_optional_number(row, "XSMLL"),
        net_margin_pct=round(profit / revenue * 100, 4) if profit is not None and revenue else None,
        cash_flow_ps=parse_optional_number(row, "MGJYXJJE"),
    )


def _parse_listing(row: Json) -> UnusualListing | None:
    """Return a row of the list; None for what is no stock (funds and convertible bonds are on it too)."""
    exchange = exchange_suffix(row.get("SECUCODE"))
    if exchange not in ("SH", "SZ", "BJ"):
        raise ImplausibleRow("SECUCODE", row.get("SECUCODE"))
    code = row.get("SECURITY_CODE")
    if isinstance(code, str) and code[:2] in ("11", "12", "13", "15", "16", "18", "50", "51", "56", "58"):
        return None
    reason = clean_text(row.get("EXPLANATION"))
    if not reason:
        raise ImplausibleRow("EXPLANATION", row.get("EXPLANATION"))
    return UnusualListing(
        date=_parse_date(row, "TRADE_DATE"),
        symbol=parse_symbol(code, exchange, "SECURITY_CODE").canonical,
        reason=reason,
        name=parse_name(row.get("SECURITY_NAME_ABBR")),
        close=parse_number(row, "CLOSE_PRICE", 0, 1e5),
        change_pct=parse_number(row, "CHANGE_RATE", -100, 1e5),
        net=parse_number(row, "BILLBOARD_NET_AMT"),
        buy=parse_number(row, "BILLBOARD_BUY_AMT", 0),
        sell=parse_number(row, "BILLBOARD_SELL_AMT", 0),
        turnover=parse_number(row, "BILLBOARD_DEAL_AMT", 0),
        market_amount=parse_number(row, "ACCUM_AMOUNT", 0),
        turnover_pct=parse_optional_number(row, "TURNOVERRATE"),
        float_cap=parse_optional_number(row, "FREE_MARKET_CAP"),
        comment=clean_text(row.get("EXPLAIN")) or None,
    )


def _parse_flow(row: Json, channel: str) -> ConnectFlow:
    """Return a day of a channel: millions become yuan; what is held is in yuan already."""

    def parse_yuan(field: str) -> float | None:
        found = parse_number(row, field)
        return None if found is None else round(found * MILLION, 2)

    try:
        leader = parse_dotted_symbol(row.get("LEAD_STOCKS_CODE"), "LEAD_STOCKS_CODE")
    except ImplausibleRow:
        leader = None
    return ConnectFlow(
        date=_parse_date(row, "TRADE_DATE"),
        channel=channel,
        net=parse_yuan("NET_DEAL_AMT"),
        buy=parse_yuan("BUY_AMT"),
        sell=parse_yuan("SELL_AMT"),
        turnover=parse_yuan("DEAL_AMT"),
        deals=parse_count(row, "DEAL_NUM"),
        quota_left=parse_yuan("QUOTA_BALANCE"),
        holdings=parse_number(row, "HOLD_MARKET_CAP", 0),
        leader=leader,
        leader_pct=parse_optional_number(row, "LS_CHANGE_RATE"),
    )
