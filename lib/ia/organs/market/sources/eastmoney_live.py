"""Eastmoney: the unfinished bars of today, of the mainland, Hong Kong and the US, by the fields of its lists.

The answer has the form of the lists (`eastmoney.FIELDS`), one row a security; what it does not know it leaves out.
"""

from collections.abc import Sequence
from datetime import datetime

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.kernel.errors import NotFound
from ia.kernel.jsontypes import Json
from ia.organs.market.sources import LiveBar
from ia.organs.market.sources.cells import (
    CellTally,
    ImplausibleRow,
    check_size,
    parse_name,
    parse_number,
    parse_rows,
    parse_timestamp,
)
from ia.organs.market.sources.eastmoney import volume_unit
from ia.organs.ohlcv.transport import get_json, govern_requests, shape_error

HOST = "push2.eastmoney.com"
WHAT = "Eastmoney ulist"
TIMEOUT = 8.0
TOGETHER = 50
_URL = f"https://{HOST}/api/qt/ulist.np/get"
_FIELDS = "f2,f5,f6,f12,f13,f14,f15,f16,f17,f18,f124"
_NEW_YORK = ("105", "106", "107")
"""Nasdaq, New York, American: the code alone does not tell."""


def fetch_live_bars(symbols: Sequence[Symbol]) -> list[LiveBar]:
    """Return the unfinished bars of some securities. Raises Banned, NoNetwork; ShapeChanged."""
    found: list[LiveBar] = []
    for first in range(0, len(symbols), TOGETHER):
        part = symbols[first : first + TOGETHER]
        secids = {secid: symbol for symbol in part for secid in _secids_of(symbol)}
        params = {"fltt": "2", "invt": "2", "fields": _FIELDS, "secids": ",".join(secids)}
        with govern_requests(check_size, timeout=TIMEOUT):
            tree = get_json(_URL, params, WHAT)
        found += parse_live_bars(tree, secids)
    return found


def _secids_of(symbol: Symbol) -> list[str]:
    if symbol.market == "US":
        return [f"{market}.{symbol.code.replace('.', '_')}" for market in _NEW_YORK]
    if symbol.market == "HK":
        if symbol.kind == "index":
            raise NotFound("{symbol}: no live quote", symbol=symbol.canonical)
        return [f"116.{symbol.code}"]
    return [f"{1 if symbol.exchange == 'SH' else 0}.{symbol.code}"]


def parse_live_bars(tree: object, secids: dict[str, Symbol]) -> list[LiveBar]:
    """Return the bars of an answer; `secids`: market and code as they were asked for. ShapeChanged."""
    if not isinstance(tree, dict) or "data" not in tree:
        raise shape_error(WHAT, "no data")
    data = tree["data"]
    if data is None:
        return []
    rows = data.get("diff") if isinstance(data, dict) else None
    if not isinstance(rows, list) or any(not isinstance(row, dict) for row in rows):
        raise shape_error(WHAT, "no list of rows under data.diff")
    return parse_rows(rows, lambda row: _parse_bar(row, secids), CellTally(WHAT), "f12")


def _parse_bar(row: Json, secids: dict[str, Symbol]) -> LiveBar | None:
    """Return the bar of a row; None for a security that does not trade today, or none that was asked for."""
    symbol = secids.get(f"{row.get('f13')}.{row.get('f12')}")
    if symbol is None:
        raise ImplausibleRow("f12", row.get("f12", "missing"))
    told = [parse_number(row, field, 0, 1e7) for field in ("f2", "f17", "f15", "f16", "f18")]
    volume = parse_number(row, "f5", 0, 1e13)
    stamp = parse_timestamp(row.get("f124"))
    if stamp is None:
        raise ImplausibleRow("f124", row.get("f124", "missing"))
    if any(not value for value in told):
        return None
    price, first, high, low, before = (float(value or 0) for value in told)
    if not low <= min(price, first) or not max(price, first) <= high:
        raise ImplausibleRow("f2", row["f2"])
    moment = datetime.fromisoformat(stamp).replace(tzinfo=clock.CHINA)
    amount = parse_number(row, "f6", 0, 1e15)
    unit = volume_unit(volume or 0.0, amount, low, high) if symbol.market == "CN" else 1
    return LiveBar(
        symbol=symbol.canonical,
        time=moment.astimezone(clock.exchange_zone(symbol.market)).isoformat(),
        price=price,
        open=first,
        high=high,
        low=low,
        prev_close=before,
        volume=round((volume or 0.0) * unit),
        host=HOST,
        name=parse_name(row.get("f14")),
    )
