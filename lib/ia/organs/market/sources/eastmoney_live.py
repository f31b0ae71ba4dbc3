"""Eastmoney: the bars of the running session, of the mainland, Hong Kong and the US, by the fields of its lists.

The answer has the form of the lists (`eastmoney.FIELDS`), one row a security; what it does not know it leaves out.
"""

from collections.abc import Sequence
from datetime import datetime

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.kernel.errors import Message, Notify, PluralText, drop_message
from ia.kernel.jsontypes import Json
from ia.organs.market.quote import Quote
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
from ia.organs.market.sources.plausibility import check_quote
from ia.organs.ohlcv.transport import get_json, govern_requests, shape_error

HOST = "push2.eastmoney.com"
WHAT = "Eastmoney ulist"
TIMEOUT = 8.0
TOGETHER = 50
_URL = f"https://{HOST}/api/qt/ulist.np/get"
_FIELDS = "f2,f5,f6,f12,f13,f14,f15,f16,f17,f18,f124"
_NEW_YORK = ("105", "106", "107")
"""Nasdaq, New York, American: the code alone does not tell."""
_LARGEST_RATIO = 10.0
"""Abroad there are no price limits: a price that many times the previous close, or that part of it, is invalid."""


def fetch_live_bars(symbols: Sequence[Symbol], notify: Notify = drop_message) -> list[LiveBar]:
    """Return the bars of the running or last session. Raises Banned, NoNetwork; ShapeChanged."""
    found: list[LiveBar] = []
    for first in range(0, len(symbols), TOGETHER):
        part = symbols[first : first + TOGETHER]
        secids = {secid: symbol for symbol in part for secid in _secids_of(symbol)}
        if not secids:
            continue
        params = {"fltt": "2", "invt": "2", "fields": _FIELDS, "secids": ",".join(secids)}
        with govern_requests(check_size, timeout=TIMEOUT):
            tree = get_json(_URL, params, WHAT)
        found += parse_live_bars(tree, secids, notify)
    return found


def _secids_of(symbol: Symbol) -> list[str]:
    if symbol.market == "US":
        return [f"{market}.{symbol.code.replace('.', '_')}" for market in _NEW_YORK]
    if symbol.market == "HK":
        return [] if symbol.kind == "index" else [f"116.{symbol.code}"]
    return [f"{1 if symbol.exchange == 'SH' else 0}.{symbol.code}"]


def parse_live_bars(tree: object, secids: dict[str, Symbol], notify: Notify = drop_message) -> list[LiveBar]:
    """Return the bars of an answer; `secids`: market and code as they were asked for. ShapeChanged."""
    if not isinstance(tree, dict) or "data" not in tree:
        raise shape_error(WHAT, "no data")
    data = tree["data"]
    if data is None:
        return []
    rows = data.get("diff") if isinstance(data, dict) else None
    if not isinstance(rows, list) or any(not isinstance(row, dict) for row in rows):
        raise shape_error(WHAT, "no list of rows under data.diff")
    tally = CellTally(WHAT)
    found = parse_rows(rows, lambda row: _parse_bar(row, secids, tally), tally, "f12")
    if tally.dropped:
        notify(
            Message(
                PluralText(
                    "{what}: dropped {count} implausible row: {first}",
                    "{what}: dropped {count} implausible rows (first: {first})",
                ),
                what=WHAT,
                count=tally.dropped,
                first=tally.first,
            )
        )
    return found


def _parse_bar(row: Json, secids: dict[str, Symbol], tally: CellTally) -> LiveBar | None:
    """Return the bar of a row; None for a security that has not traded in this session."""
    symbol = secids.get(f"{row.get('f13')}.{row.get('f12')}")
    if symbol is None:
        raise ImplausibleRow("f12", row.get("f12", "missing"))
    prices = [parse_number(row, field, 0, 1e7) for field in ("f2", "f17", "f15", "f16", "f18")]
    volume = parse_number(row, "f5", 0, 1e13)
    stamp = parse_timestamp(row.get("f124"))
    if stamp is None:
        raise ImplausibleRow("f124", row.get("f124", "missing"))
    price, first, high, low, before = (value or 0.0 for value in prices)
    if not first and not high:  # suspended, or before the opening
        return None
    if not all((price, first, high, low, before)) or not low <= min(price, first) or max(price, first) > high:
        raise ImplausibleRow("f2", row["f2"])
    moment = datetime.fromisoformat(stamp).replace(tzinfo=clock.CHINA)
    amount = parse_number(row, "f6", 0, 1e15)
    unit = volume_unit(volume or 0.0, amount, low, high) if symbol.market == "CN" else 1
    shares = round((volume or 0.0) * unit)
    if symbol.market == "CN":
        _check_mainland(row, symbol, (price, first, high, low, before), shares, tally)
    elif not 1 / _LARGEST_RATIO < price / before < _LARGEST_RATIO:
        raise ImplausibleRow("f2", row["f2"])
    return LiveBar(
        symbol=symbol.canonical,
        time=moment.astimezone(clock.exchange_zone(symbol.market)).isoformat(),
        price=price,
        open=first,
        high=high,
        low=low,
        prev_close=before,
        volume=shares,
        host=HOST,
        name=parse_name(row.get("f14")),
    )


def _check_mainland(
    row: Json, symbol: Symbol, prices: tuple[float, float, float, float, float], shares: int, tally: CellTally
) -> None:
    """Raise ImplausibleRow for a price beyond the widest price limit, but for securities without one."""
    price, first, high, low, before = prices
    quote = Quote(
        symbol=symbol.canonical,
        price=price,
        prev_close=before,
        change_pct=(price / before - 1) * 100,
        open=first,
        high=high,
        low=low,
        volume=shares or 1,
    )
    try:
        check_quote(quote, str(row.get("f14") or ""), tally)
    except ImplausibleRow:
        raise ImplausibleRow("f2", row["f2"]) from None
