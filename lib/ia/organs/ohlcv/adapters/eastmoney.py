"""Eastmoney: daily bars through akshare's own functions, corporate actions from its data center."""

import contextlib
import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.domain.instruments.special import clean_name
from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import NotFound, Unavailable
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv.adapters.akshare_import import akshare_version, import_submodule, silence_output
from ia.organs.ohlcv.adapters.table_check import FeedTable, Row, Value, check_table
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.transport import (
    HttpAnswer,
    NoNetwork,
    get_json,
    govern_requests,
    one_line,
    shape_error,
    translate_error,
)

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

HOST = "eastmoney.com"
_CHINESE = ("日期", "开盘", "最高", "最低", "收盘", "成交量")
_CHANGE = "涨跌额"
_ENGLISH = ("date", "open", "high", "low", "close", "volume")
REPORTS = "https://datacenter-web.eastmoney.com/api/data/v1/get"
FOREIGN_REPORTS = "https://datacenter.eastmoney.com/securities/api/data/v1/get"
_BONUS, _RIGHTS = "RPT_SHAREBONUS_DET", "RPT_IPO_ALLOTMENT"
_EMPTY, _PAGES = 9201, 20
_US_MARKETS = ("105", "106", "107")
"""Nasdaq, New York, American: the code alone does not tell, so they are asked in turn."""


class Way(NamedTuple):
    """A function of akshare: its module, the columns of its frame, how many shares a unit of its volume is."""

    module: str
    name: str
    columns: tuple[str, ...]
    unit: int


_STOCK = Way("stock_feature.stock_hist_em", "stock_zh_a_hist", _CHINESE, 100)
_FUND = Way("fund.fund_etf_em", "fund_etf_hist_em", _CHINESE, 100)
_INDEX = Way("index.index_stock_zh", "stock_zh_index_daily_em", _ENGLISH, 100)
_HONG_KONG = Way("stock_feature.stock_hist_em", "stock_hk_hist", _CHINESE, 1)
_NEW_YORK = Way("stock_feature.stock_hist_em", "stock_us_hist", _CHINESE, 1)


def fetch_bars(symbol: Symbol, start: str | None, end: str | None) -> FeedTable:
    """Return the unadjusted daily bars of a security.

    raises  NotFound; Banned, NoNetwork; ShapeChanged naming akshare's function and version; Unavailable without it.
    """
    span = {"start_date": (start or "1970-01-01").replace("-", ""), "end_date": (end or "2050-01-01").replace("-", "")}
    if symbol.kind == "index":
        if symbol.market != "CN":
            raise NotFound("{symbol}: not available from {host}", symbol=symbol, host=HOST)
        return _call_akshare(symbol, _INDEX, f"{symbol.exchange.lower()}{symbol.code}", span)
    span |= {"period": "daily", "adjust": ""}
    if symbol.market == "US":
        return _fetch_us_bars(symbol, span)
    way = _HONG_KONG if symbol.market == "HK" else _FUND if symbol.kind == "etf" else _STOCK
    return _call_akshare(symbol, way, symbol.code, span)


def _fetch_us_bars(symbol: Symbol, span: dict[str, str]) -> FeedTable:
    for market in _US_MARKETS[:-1]:
        with contextlib.suppress(NotFound):
            return _call_akshare(symbol, _NEW_YORK, f"{market}.{symbol.code.replace('.', '_')}", span)
    return _call_akshare(symbol, _NEW_YORK, f"{_US_MARKETS[-1]}.{symbol.code.replace('.', '_')}", span)


def _call_akshare(symbol: Symbol, way: Way, code: str, span: dict[str, str]) -> FeedTable:
    """Call an akshare function and return its frame as a table, after looking at the answer that it was made from."""
    what = f"akshare {akshare_version()} {way.name}"
    seen = _EastmoneyProbe(symbol, what)
    function = _find_function(way)
    with govern_requests(seen), silence_output():
        try:
            frame = function(symbol=code, **span)
        except Exception as exc:
            raise translate_error(exc, what) from exc
    rows: list[Row] = []
    if len(frame):
        missing = [column for column in way.columns if column not in frame.columns]
        if missing:
            raise shape_error(what, f"no column {missing[0]}")
        values = [frame[column].tolist() for column in way.columns]
        if _CHANGE in frame.columns:
            _check_changes(values[4], frame[_CHANGE].tolist(), what)
        rows = [(str(day)[:10], o, h, lo, c, v) for day, o, h, lo, c, v in zip(*values, strict=True)]
    return FeedTable(rows=rows, unit=way.unit, host=seen.host or HOST, name=seen.name, what=what)


def _check_changes(closes: list[float], changes: list[float], what: str) -> None:
    """Raise ShapeChanged unless the closes move by the changes that stand beside them, but on ex-days.

    The frame's columns are named by position: if open and close changed places, nothing else would show it.
    """
    moves = [
        (after - before, change, after) for (before, after), change in zip(pairwise(closes), changes[1:], strict=True)
    ]
    wrong = sum(abs(move - change) > 0.006 + 0.0005 * close for move, change, close in moves)
    if wrong > max(2.0, 0.1 * len(moves)):
        raise shape_error(what, f"{wrong} of {len(moves)} closes do not move by their {_CHANGE}")


class _EastmoneyProbe:
    """Looks at each answer before akshare does: whose bars they are, and whether there are any.

    akshare turns a missing symbol into an empty frame or a TypeError, and believes any code in the answer.
    """

    def __init__(self, symbol: Symbol, what: str) -> None:
        self.symbol, self.what = symbol, what
        self.host = self.name = ""

    def __call__(self, answer: HttpAnswer) -> None:
        self.host = answer.host
        try:
            tree = json.loads(answer.body)
        except (ValueError, RecursionError):
            return
        if not isinstance(tree, dict) or "data" not in tree:
            if isinstance(tree, dict) and tree.get("code") not in (None, 0):
                reason = one_line(tree.get("message") or tree["code"], 80)
                raise NoNetwork("{host} is busy: {reason}", host=answer.host, reason=reason)
            return
        data = tree["data"]
        if data is None:
            raise NotFound("{symbol}: not available from {host}", symbol=self.symbol, host=answer.host)
        if isinstance(data, dict):
            found = str(data.get("code", self.symbol.code)).replace("_", ".")
            if found.upper() != self.symbol.code:
                raise shape_error(self.what, f"asked for {self.symbol.code}, got {found}")
            self.name = clean_name(str(data.get("name") or ""))


def fetch_actions(symbol: Symbol) -> "list[Action]":
    """Return dividends, bonus and rights issues of a mainland stock by ex-date; plans without one are left out."""
    from ia.organs.ohlcv.adjustment import Action

    with govern_requests():
        bonus = _fetch_report(_BONUS, symbol)
        rights = _fetch_report(_RIGHTS, symbol)
    days: dict[str, Action] = {}
    for row in bonus:
        if day := _ex_date(row, _BONUS):
            known = days.get(day, Action(day))
            cash = _parse_number(row, "PRETAX_BONUS_RMB", _BONUS) / 10
            shares = _parse_number(row, "BONUS_IT_RATIO", _BONUS) / 10
            days[day] = known._replace(cash=round(known.cash + cash, 10), bonus=round(known.bonus + shares, 10))
    for row in rights:
        if day := _ex_date(row, _RIGHTS):
            ratio, price = _parse_number(row, "PLACING_RATIO", _RIGHTS) / 10, _parse_number(row, "ISSUE_PRICE", _RIGHTS)
            days[day] = days.get(day, Action(day))._replace(rights=ratio, rights_price=price)
    return [days[day] for day in sorted(days) if days[day] != Action(day)]


def fetch_fund_actions(symbol: Symbol) -> "list[Action] | None":
    """Return the dividends of a mainland fund, as the steps between its raw prices and Eastmoney's own qfq.

    The data center has no funds; but Eastmoney's qfq is the raw price less all later dividends, so that the difference
    is the same for open, high, low and close, and a step in it is a dividend (to the tick of 0.001). None where the
    difference is not like that: units were split, or the series has changed.
    """
    span = {"start_date": "19700101", "end_date": "20500101", "period": "daily"}
    raw = check_table(_call_akshare(symbol, _FUND, symbol.code, {**span, "adjust": ""}))
    qfq = _call_akshare(symbol, _FUND, symbol.code, {**span, "adjust": "qfq"})
    return infer_dividends(raw, {row[0]: row[1:5] for row in qfq.rows})


def infer_dividends(raw: Bars, qfq: dict[str, tuple[Value, ...]], tick: float = 0.001) -> "list[Action] | None":
    """Return the steps in raw less qfq as cash dividends; None where one is no constant between two ex-days."""
    from ia.organs.ohlcv.adjustment import Action

    found: list[Action] = []
    offset: float | None = None
    for day, *prices in zip(*raw[:5], strict=True):
        try:
            differences = [price - float(other or "nan") for price, other in zip(prices, qfq[day], strict=True)]
        except (KeyError, ValueError):
            return None
        if not max(differences) - min(differences) < 1.5 * tick:
            return None
        if offset is None or abs(differences[3] - offset) > 1.5 * tick:
            if offset is not None:
                found.append(Action(day, cash=round(offset - differences[3], 6)))
            offset = differences[3]
    if offset is None or abs(offset) > 1.5 * tick or any(action.cash < 0 for action in found):
        return None
    return found


def _fetch_report(name: str, symbol: Symbol) -> list[Json]:
    """Return all rows of a report of the data center for one security; [] where it has none."""
    rows: list[Json] = []
    page = pages = 1
    while page <= pages:
        found, told = fetch_report_page(name, f'(SECURITY_CODE="{symbol.code}")', "EX_DIVIDEND_DATE", page)
        if any(str(row.get("SECURITY_CODE")) != symbol.code for row in found):
            raise shape_error(name, "a row of another security")
        rows += found
        pages = min(told, _PAGES)
        page += 1
    return rows


def fetch_report_page(
    name: str, where: str, order: str, page: int, columns: str = "ALL", *, url: str = REPORTS, source: str = "WEB"
) -> tuple[list[dict[str, object]], int]:
    """Return a page of a report of the data center, 500 rows at most, and how many pages it has; ([], 0) for none.

    To be asked in a `governed()` block. `where` is its filter, `order` the columns by which it is sorted, ascending.
    url, source     of the pages of Hong Kong and US companies: FOREIGN_REPORTS, `F10` or `SECURITIES`
    """
    params = {
        "reportName": name,
        "columns": columns,
        "filter": where,
        "pageSize": "500",
        "pageNumber": str(page),
        "sortColumns": order,
        "sortTypes": ",".join("1" for _ in order.split(",")),
        "source": source,
        "client": "WEB" if source == "WEB" else "PC",
    }
    tree = get_json(url, params, name)
    if not isinstance(tree, dict):
        raise shape_error(name, "no object")
    result = tree.get("result")
    if result is None and tree.get("code") == _EMPTY:
        return [], 0
    if result is None and tree.get("success") is False:
        raise NoNetwork("{host} is busy: {reason}", host=HOST, reason=one_line(tree.get("message"), 80))
    if not isinstance(result, dict) or not isinstance(result.get("data"), list):
        raise shape_error(name, "no result.data")
    if any(not isinstance(row, dict) for row in result["data"]):
        raise shape_error(name, "a row that is no object")
    pages = result.get("pages") or 1
    if isinstance(pages, bool) or not isinstance(pages, int) or pages < 0:
        raise shape_error(name, "pages is no number")
    return result["data"], pages


def _ex_date(row: Mapping[str, object], report: str) -> str:
    """Return the ex-date of a row, "" where it has none yet."""
    if "EX_DIVIDEND_DATE" not in row:
        raise shape_error(report, "no field EX_DIVIDEND_DATE")
    text = str(row["EX_DIVIDEND_DATE"] or "")[:10]
    if text and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise shape_error(report, "EX_DIVIDEND_DATE is no date")
    return text


def _parse_number(row: Json, field: str, report: str) -> float:
    if field not in row:
        raise shape_error(report, f"no field {field}")
    try:
        value = -1.0 if isinstance(row[field], bool) else float(row[field] or 0)
    except (TypeError, ValueError, OverflowError):
        value = -1.0
    if not 0 <= value < 1e6:
        raise shape_error(report, f"{field} is no sensible number")
    return value


def _find_function(way: Way) -> Any:
    try:
        return getattr(import_submodule(way.module), way.name)
    except (ImportError, AttributeError) as exc:
        raise Unavailable(
            "akshare {version} has no {name}",
            hint="run `pip install --upgrade akshare`",
            version=akshare_version(),
            name=way.name,
        ) from exc
