"""Tencent: daily bars by its quote service, in windows of two years as its own pages ask for them.

akshare's `stock_zh_a_hist_tx` knows A-shares only and takes Shenzhen's main board (sz000…) for shares where it is lots;
so the service is asked here, and the unit of the volume is read off the turnover that stands beside it.
"""

from statistics import median

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.kernel.errors import NotFound
from ia.organs.ohlcv.adapters.table_check import Cells, FeedTable, Row
from ia.organs.ohlcv.transport import get_json, govern_requests, shape_error

HOST = "qq.com"
WHAT = "Tencent kline"
FIRST = "1990-01-01"
_MAINLAND = "https://proxy.finance.qq.com/ifzqgtimg/appstock/app/newfqkline/get"
_ABROAD = "https://web.ifzq.gtimg.cn/appstock/app/kline/kline"
_US_SUFFIXES = (".OQ", ".N", ".AM")
_US_INDEX = {"SPX": "INX", "IXIC": "IXIC", "NDX": "NDX", "DJI": "DJI"}
_EMPTY_WINDOWS = 2
"""So many windows without a bar, going back, are before the listing: a suspension is shorter."""


def fetch_bars(symbol: Symbol, start: str | None, end: str | None) -> FeedTable:
    """Return the unadjusted daily bars of a security.

    raises  NotFound; Banned, NoNetwork; ShapeChanged.
    """
    url = _MAINLAND if symbol.market == "CN" else _ABROAD
    today = clock.wall_time().date().isoformat()
    first, last = int((start or FIRST)[:4]), int(min(end or today, today)[:4])
    with govern_requests():
        for code in _possible_codes(symbol):
            if rows := _fetch_rows(url, code, first, last):
                unit = 1 if symbol.market != "CN" or symbol.kind == "index" else _volume_unit(rows)
                return FeedTable(
                    rows=[_reorder_row(row) for row in rows], unit=unit, host=url.split("/")[2], name="", what=WHAT
                )
    raise NotFound("{symbol}: not available from {host}", symbol=symbol, host=HOST)


def _possible_codes(symbol: Symbol) -> list[str]:
    """Return the names under which Tencent may have a security: the exchange in New York is not in its code."""
    if symbol.market == "CN":
        return [f"{symbol.exchange.lower()}{symbol.code}"]
    if symbol.market == "HK":
        return [f"hk{symbol.code}"]
    if symbol.kind == "index":
        return [f"us{_US_INDEX[symbol.code]}"] if symbol.code in _US_INDEX else []
    return [f"us{symbol.code}{suffix}" for suffix in _US_SUFFIXES]


def _fetch_rows(url: str, code: str, first: int, last: int) -> list[Cells]:
    """Return the rows of the years from `first` to `last`, oldest first; [] where Tencent does not know the code."""
    rows: list[Cells] = []
    empty = 0
    for year in range(last, first - 1, -2):
        found = _fetch_window(url, code, year - 1, year)
        empty = 0 if found else empty + 1
        if empty == _EMPTY_WINDOWS:
            break
        rows = found + rows
    return rows


def _fetch_window(url: str, code: str, first: int, last: int) -> list[list[object]]:
    tail = "," if url == _MAINLAND else ""
    tree = get_json(url, {"param": f"{code},day,{first}-01-01,{last}-12-31,640{tail}"}, WHAT)
    data = tree.get("data") if isinstance(tree, dict) else None
    if data in ([], {}, "") or (data is None and isinstance(tree, dict) and tree.get("code")):
        return []
    if not isinstance(data, dict) or not isinstance(data.get(code), dict):
        raise shape_error(WHAT, f"no data.{code}")
    rows = data[code].get("day")
    if rows is None and not any(key.endswith("day") for key in data[code]):
        return []
    if not isinstance(rows, list) or any(not isinstance(row, list) or len(row) < 6 for row in rows):
        raise shape_error(WHAT, "no rows of six values under `day`")
    return rows


def _reorder_row(row: Cells) -> Row:
    """Return a row in our order; theirs is date, open, close, high, low, volume."""
    day, first, last, high, low, volume = row[:6]
    return str(day), first, high, low, last, volume


def _volume_unit(rows: list[Cells]) -> int:
    """Return 100 where the volume counts lots, 1 where shares: the turnover (in 10,000 yuan, ninth value) tells.

    raises  ShapeChanged where it fits neither, or no row has one.
    """
    ratios = []
    for row in rows:
        try:
            price, volume, turnover = float(row[2]), float(row[5]), float(row[8]) * 10_000
        except (IndexError, TypeError, ValueError, OverflowError):
            continue
        if price > 0 and volume > 0 and turnover > 0:
            ratios.append(turnover / price / volume)
    if not ratios:
        raise shape_error(WHAT, "no turnover to tell lots from shares")
    ratio = median(ratios)
    for unit in (1, 100):
        if 0.5 * unit < ratio < 2 * unit:
            return unit
    raise shape_error(WHAT, f"turnover and volume do not fit: {ratio:.3g}")
