"""Eastmoney's data center: reports of all companies by period, the list of unusual trading, Stock Connect.

Units as sent: money in yuan, but Stock Connect's flows in millions; ratios in per cent. Null stays None.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from ia.kernel.errors import UsageError
from ia.organs.market.sources import Flow, Listing, Report
from ia.organs.market.sources.cells import (
    Odd,
    Tally,
    count,
    day,
    listed_as,
    loose,
    name,
    number,
    readable,
    small,
    suffix,
    symbol,
    text,
)
from ia.organs.ohlcv.adapters.eastmoney import report_page
from ia.organs.ohlcv.canonical import is_date
from ia.organs.ohlcv.transport import governed, shape_changed

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


def fundamentals(period: str) -> list[Report]:
    """Return what companies reported of a period (YYYY-MM-DD, the last day of a quarter), in the order of codes.

    Eastmoney has no net margin here: it is profit over revenue. Its debt ratio is not among them: None.

    raises  UsageError for another day; Banned, NoNetwork; ShapeChanged.
    """
    if not is_date(period) or period[5:] not in ("03-31", "06-30", "09-30", "12-31"):
        raise UsageError("{period!r} is no reporting period", period=period[:20], hint="such as 2024-03-31")
    found: dict[str, Report] = {}
    for row in _rows(_REPORTS, f"(REPORTDATE='{period}')", "SECURITY_CODE", lambda row: _report(row, period)):
        known = found.get(row.symbol)
        # a company that corrects its report is there twice: what is newest holds, from the day it was told
        if known is None or (row.published or "") >= (known.published or ""):
            found[row.symbol] = row
    return list(found.values())


def listings(since: str, until: str) -> list[Listing]:
    """Return the stocks on the lists of some days (YYYY-MM-DD), once a day for each reason. Raises as `fundamentals`.

    A copy of an answer that takes no heed of the filter has other days too: those before are returned with them.
    """
    for date in (since, until):
        if not is_date(date) or len(date) != 10:
            raise UsageError("{day!r} is no day", day=date[:20], hint="such as 2024-03-29")
    where = f"(TRADE_DATE<='{until}')(TRADE_DATE>='{since}')"
    found: dict[tuple[str, str, str], Listing] = {}
    for row in _rows(_LISTINGS, where, "SECURITY_CODE,TRADE_DATE", _listing, _LISTED):
        if row.date <= until:
            found.setdefault((row.date, row.symbol, row.reason), row)
    return list(found.values())


def connect(since: str | None) -> list[Flow]:
    """Return the days of the northbound channels of Stock Connect, oldest first. Raises as `fundamentals`."""
    if since is not None and (not is_date(since) or len(since) != 10):
        raise UsageError("{day!r} is no day", day=since[:20], hint="such as 2024-03-29")
    found: dict[tuple[str, str], Flow] = {}
    for channel, code in CHANNELS.items():
        where = f'(MUTUAL_TYPE="{code}")' + (f"(TRADE_DATE>='{since}')" if since else "")
        for row in _rows(_CONNECT, where, "TRADE_DATE", partial(_flow, channel=channel)):
            found[row.date, channel] = row
    return [found[key] for key in sorted(found)]


def _rows(
    report: str, where: str, order: str, read: Callable[[dict[str, Any]], T | None], columns: str = "ALL"
) -> Iterator[T]:
    """Yield what `read` makes of the rows of a report; None is left out, Odd counted, too many of them ShapeChanged."""
    page = pages = 1
    while page <= pages:
        with governed(small):
            rows, told = report_page(report, where, order, page, columns)
        if told > MOST_PAGES:
            raise shape_changed(report, f"{told} pages")
        pages = told
        yield from readable(rows, read, Tally(report), "SECUCODE")
        page += 1


def _date(row: dict[str, Any], field: str) -> str:
    found = day(row.get(field))
    if found is None:
        raise Odd(field, row.get(field, "missing"))
    return found


def _report(row: dict[str, Any], period: str) -> Report | None:
    """Return a company's report; None where it is no mainland stock: the list has companies of other markets too."""
    exchange = suffix(row.get("SECUCODE"))
    if exchange not in ("SH", "SZ", "BJ"):
        if exchange in ("NQ", "HK"):
            return None
        raise Odd("SECUCODE", row.get("SECUCODE"))
    if _date(row, "REPORTDATE") != period:
        raise Odd("REPORTDATE", row["REPORTDATE"])
    published = day(row.get("NOTICE_DATE"))
    profit, revenue = number(row, "PARENT_NETPROFIT"), number(row, "TOTAL_OPERATE_INCOME")
    return Report(
        symbol(row.get("SECURITY_CODE"), exchange, "SECURITY_CODE").canonical,
        period,
        published if published and published > period else None,
        HOST,
        eps=number(row, "BASIC_EPS"),
        bvps=loose(row, "BPS"),
        roe_pct=number(row, "WEIGHTAVG_ROE"),
        revenue=revenue,
        revenue_yoy_pct=loose(row, "YSTZ"),
        profit=profit,
        profit_yoy_pct=loose(row, "SJLTZ"),
        gross_margin_pct=loose(row, "XSMLL"),
        net_margin_pct=round(profit / revenue * 100, 4) if profit is not None and revenue else None,
        cash_flow_ps=loose(row, "MGJYXJJE"),
    )


def _listing(row: dict[str, Any]) -> Listing | None:
    """Return a row of the list; None for what is no stock (funds and convertible bonds are on it too)."""
    exchange = suffix(row.get("SECUCODE"))
    if exchange not in ("SH", "SZ", "BJ"):
        raise Odd("SECUCODE", row.get("SECUCODE"))
    code = row.get("SECURITY_CODE")
    if isinstance(code, str) and code[:2] in ("11", "12", "13", "15", "16", "18", "50", "51", "56", "58"):
        return None
    reason = text(row.get("EXPLANATION"))
    if not reason:
        raise Odd("EXPLANATION", row.get("EXPLANATION"))
    return Listing(
        _date(row, "TRADE_DATE"),
        symbol(code, exchange, "SECURITY_CODE").canonical,
        reason,
        name(row.get("SECURITY_NAME_ABBR")),
        close=number(row, "CLOSE_PRICE", 0, 1e5),
        change_pct=number(row, "CHANGE_RATE", -100, 1e5),
        net=number(row, "BILLBOARD_NET_AMT"),
        buy=number(row, "BILLBOARD_BUY_AMT", 0),
        sell=number(row, "BILLBOARD_SELL_AMT", 0),
        turnover=number(row, "BILLBOARD_DEAL_AMT", 0),
        market_amount=number(row, "ACCUM_AMOUNT", 0),
        turnover_pct=loose(row, "TURNOVERRATE"),
        float_cap=loose(row, "FREE_MARKET_CAP"),
        comment=text(row.get("EXPLAIN")) or None,
    )


def _flow(row: dict[str, Any], channel: str) -> Flow:
    """Return a day of a channel: millions become yuan; what is held is in yuan already."""

    def yuan(field: str) -> float | None:
        found = number(row, field)
        return None if found is None else round(found * MILLION, 2)

    try:
        leader = listed_as(row.get("LEAD_STOCKS_CODE"), "LEAD_STOCKS_CODE")
    except Odd:
        leader = None
    return Flow(
        _date(row, "TRADE_DATE"),
        channel,
        net=yuan("NET_DEAL_AMT"),
        buy=yuan("BUY_AMT"),
        sell=yuan("SELL_AMT"),
        turnover=yuan("DEAL_AMT"),
        deals=count(row, "DEAL_NUM"),
        quota_left=yuan("QUOTA_BALANCE"),
        holdings=number(row, "HOLD_MARKET_CAP", 0),
        leader=leader,
        leader_pct=loose(row, "LS_CHANGE_RATE"),
    )
