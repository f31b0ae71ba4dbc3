"""Sina: daily bars that its pages decode with JavaScript, and its multiplicative adjustment factors.

akshare runs `eval` on the factor files, so that a forged answer is code; here they are parsed as JSON. The packed bars
are decoded by the same JavaScript as in akshare, in V8 without any access to this machine.
"""

import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import NotFound, Unavailable
from ia.organs.ohlcv.adapters.akshare_import import import_submodule
from ia.organs.ohlcv.adapters.table_check import FeedTable, Row
from ia.organs.ohlcv.transport import HttpAnswer, get_text, govern_requests, parse_loose_json, shape_error

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

HOST = "finance.sina.com.cn"
WHAT = "Sina klc_kl"
_BARS = f"https://{HOST}/realstock/company/{{}}/hisdata_klc2/klc_kl.js"
_INDEX_BARS = f"https://{HOST}/realstock/company/{{}}/hisdata/klc_kl.js"
_HK_BARS = f"https://{HOST}/stock/hkstock/{{}}/klc2_kl.js"
_US_BARS = "https://stock.finance.sina.com.cn/usstock/api/jsonp.php/var%20_=/US_MinKService.getDailyK"
_CN_FACTORS = f"https://{HOST}/realstock/company/{{}}/hfq.js"
_HK_FACTORS = f"https://{HOST}/stock/hkstock/{{}}/qfq.js"
_US_FACTORS = f"https://{HOST}/us_stock/company/reinstatement/{{}}_qfq.js"
_TRADE_DATES = f"https://{HOST}/realstock/company/klc_td_sh.txt"
_US_INDEX = {"SPX": ".INX", "IXIC": ".IXIC", "NDX": ".NDX", "DJI": ".DJI"}


def fetch_bars(symbol: Symbol, start: str | None, end: str | None) -> FeedTable:
    """Return the unadjusted daily bars of a security; the volume counts shares.

    raises  NotFound; Banned, NoNetwork; ShapeChanged.
    """
    with govern_requests(_SinaProbe(symbol)):
        rows = _fetch_us_bars(symbol) if symbol.market == "US" else _fetch_packed_bars(symbol)
    if not rows:
        raise NotFound("{symbol}: not available from {host}", symbol=symbol, host=HOST)
    return FeedTable(
        rows=[row for row in rows if (start or "") <= row[0] <= (end or "9")], unit=1, host=HOST, name="", what=WHAT
    )


def fetch_actions(symbol: Symbol) -> "list[Action]":
    """Return the steps of Sina's adjustment as actions: factors on the mainland and in Hong Kong, else cash and splits.

    raises  NotFound where Sina has no factors of it; ShapeChanged where they make no sense; Banned, NoNetwork.
    """
    if symbol.market == "CN":
        url, what = _CN_FACTORS.format(f"{symbol.exchange.lower()}{symbol.code}"), "Sina hfq.js"
    elif symbol.market == "HK":
        url, what = _HK_FACTORS.format(symbol.code), "Sina hkstock qfq.js"
    else:
        url, what = _US_FACTORS.format(symbol.code), "Sina us qfq.js"
    with govern_requests(_SinaProbe(symbol)):
        tree = parse_loose_json(get_text(url), what)
    rows = tree.get("data") if isinstance(tree, dict) else None
    if not isinstance(rows, list):
        raise shape_error(what, "no list under data")
    steps = sorted(_parse_step(row, what) for row in rows)
    return _offset_actions(steps, what) if symbol.market == "US" else _factor_actions(steps, what)


def fetch_trade_dates() -> list[str]:
    """Return the sessions of Shanghai, YYYY-MM-DD, to the end of the last year whose holidays are announced.

    raises  ShapeChanged; Banned, NoNetwork.
    """
    with govern_requests(_refuse_error):
        text = get_text(_TRADE_DATES)
    _, assigned, packed = text.partition("=")
    if not assigned:
        raise shape_error("Sina klc_td_sh", "nothing assigned")
    days = [str(day)[:10] for day in _decode_packed(packed.split(";")[0].strip().strip('"'))]
    try:
        return [datetime.date.fromisoformat(day).isoformat() for day in days]
    except ValueError:
        raise shape_error("Sina klc_td_sh", "no dates") from None


def _refuse_error(answer: HttpAnswer) -> None:
    if answer.status >= 400:
        raise shape_error("Sina klc_td_sh", f"HTTP {answer.status}")


class _SinaProbe:
    """Tells a page that is not there from one that says something else."""

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol

    def __call__(self, answer: HttpAnswer) -> None:
        if answer.status == 404:
            raise NotFound("{symbol}: not available from {host}", symbol=self.symbol, host=answer.host)
        if answer.status >= 400:
            raise shape_error(WHAT, f"HTTP {answer.status}")


def _fetch_packed_bars(symbol: Symbol) -> list[Row]:
    if symbol.market == "HK":
        url = _HK_BARS.format(symbol.code)
    else:
        pattern = _INDEX_BARS if symbol.kind == "index" else _BARS
        url = pattern.format(f"{symbol.exchange.lower()}{symbol.code}")
    text = get_text(url)
    _, assigned, packed = text.partition("=")
    if not assigned:
        raise shape_error(WHAT, "nothing assigned")
    rows = _decode_packed(packed.split(";")[0].strip().strip('"'))
    try:
        return [(str(r["date"])[:10], r["open"], r["high"], r["low"], r["close"], r["volume"]) for r in rows]
    except (KeyError, TypeError) as exc:
        raise shape_error(WHAT, f"no field {exc}") from None


def _decode_packed(packed: str) -> list[Any]:
    """Return what the packed text holds, by akshare's copy of Sina's JavaScript."""
    try:
        import py_mini_racer

        script = import_submodule("stock.cons").hk_js_decode
    except (ImportError, AttributeError) as exc:
        raise Unavailable(
            "daily bars from Sina need akshare and its package mini-racer", hint="run `pip install akshare`"
        ) from exc
    engine = py_mini_racer.MiniRacer()
    try:
        engine.eval(script)
        rows = engine.call("d", packed)
    except Exception as exc:  # V8's errors have no common base below Exception
        raise shape_error(WHAT, f"cannot be decoded ({type(exc).__name__})") from None
    if not isinstance(rows, list):
        raise shape_error(WHAT, "no list of bars")
    return rows


def _fetch_us_bars(symbol: Symbol) -> list[Row]:
    """Return the bars of a US security from the JSON service: d, o, h, l, c, v."""
    code = _US_INDEX.get(symbol.code, symbol.code) if symbol.kind == "index" else symbol.code
    text = get_text(_US_BARS, {"symbol": code, "___qn": "3"})
    if "null" in text[-20:]:
        return []
    rows = parse_loose_json(text.partition("=")[2], WHAT)
    try:
        return [(str(r["d"])[:10], r["o"], r["h"], r["l"], r["c"], r["v"]) for r in rows]
    except (KeyError, TypeError) as exc:
        raise shape_error(WHAT, f"no field {exc}") from None


Step = tuple[str, float, float]


def _parse_step(row: Any, what: str) -> Step:
    """Return date, multiplier and offset of a row of factors."""
    from ia.organs.ohlcv.canonical import is_date

    try:
        day, factor, offset = str(row["d"])[:10], float(row["f"]), float(row.get("c") or 0)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise shape_error(what, "a row without date and factor") from None
    if not is_date(day) or not 1e-9 < factor < 1e9 or not abs(offset) < 1e9:
        raise shape_error(what, f"a factor of {factor:g} on {day[:20]}")
    return day, factor, offset


def _factor_actions(steps: list[Step], what: str) -> "list[Action]":
    """Return the ratio of each factor to the one before. qfq and hfq rise alike: both make the past cheaper."""
    from ia.organs.ohlcv.adjustment import Action

    found: dict[str, Action] = {}
    for (_, before, _), (day, factor, _) in pairwise(steps):
        if day in found:
            raise shape_error(what, f"two factors on {day}")
        if factor != before:
            found[day] = Action(day, factor=factor / before)
    return list(found.values())


def _offset_actions(steps: list[Step], what: str) -> "list[Action]":
    """Return cash and splits from a series that is price x f + c: the close before is worth the same on both sides.

    So (close x f1 + c1) = (close after x f2 + c2), hence a split of f2 / f1 and a cash of (c2 - c1) / f1 a share.
    """
    from ia.organs.ohlcv.adjustment import Action

    found: list[Action] = []
    for (_, f1, c1), (day, f2, c2) in pairwise(steps):
        cash, split = (c2 - c1) / f1, f2 / f1
        if found and found[-1].date == day:
            raise shape_error(what, f"two factors on {day}")
        if cash < -1e-6 * max(abs(c1), abs(c2), 1.0):
            raise shape_error(what, f"a negative dividend on {day}")
        cash = max(0.0, round(cash, 6))
        split = 1.0 if abs(split - 1) < 1e-6 else round(split, 6)
        if cash or split != 1.0:
            found.append(Action(day, cash=cash, split=split))
    return found
