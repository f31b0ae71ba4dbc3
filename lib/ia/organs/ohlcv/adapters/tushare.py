"""Tushare Pro: daily bars and adjustment factors, for those who have a token.

The HTTP interface is asked directly, over TLS: the package of that name sends the token in clear. The token comes from
the setting `market.tushare.token`, `${TUSHARE_TOKEN}` by default, and stands in no message.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.kernel import config
from ia.kernel.errors import NotFound, TryLater, Unavailable
from ia.organs.ohlcv.adapters import Fetched
from ia.organs.ohlcv.adapters.feed import Row, Table, checked
from ia.organs.ohlcv.canonical import Bars, is_date
from ia.organs.ohlcv.transport import governed, one_line, post_json, shape_changed

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjust import Action

URL = "https://api.tushare.pro"
HOST = "api.tushare.pro"
NO_ACTIONS = "tushare's factors for this market need points of their own: prices are as traded, not adjusted"
MOST_ROWS, MOST_CALLS = 2000, 30
_FIELDS = ("trade_date", "open", "high", "low", "close", "vol")
_LATER = ("每分钟", "每小时", "每天", "频率", "稍后", "繁忙")


class Api(NamedTuple):
    """What a kind of security is asked by: bars, factors ("" where there are none), shares a unit of volume."""

    bars: str
    factors: str
    unit: int


_APIS = {
    ("CN", "stock"): Api("daily", "adj_factor", 100),
    ("CN", "etf"): Api("fund_daily", "fund_adj", 100),
    ("CN", "index"): Api("index_daily", "", 100),
    ("HK", "stock"): Api("hk_daily", "", 1),
    ("HK", "etf"): Api("hk_daily", "", 1),
    ("US", "stock"): Api("us_daily", "", 1),
    ("US", "etf"): Api("us_daily", "", 1),
}


class Tushare:
    """The adapter of Tushare Pro."""

    name = "tushare"
    simulated = False
    local = False

    def fetch(self, symbol: Symbol, start: str | None = None, end: str | None = None) -> Fetched:
        """Return the unadjusted daily bars that Tushare has."""
        api = _api(symbol)
        rows = _all(api.bars, _FIELDS, symbol, start, end)
        if not rows and not (start or end):
            raise NotFound("{symbol}: tushare does not have it", symbol=str(symbol))
        table = Table([_row(row) for row in rows], api.unit, HOST, "", f"tushare {api.bars}")
        note = NO_ACTIONS if symbol.market != "CN" else ""
        return Fetched(symbol, table, HOST, note)

    def normalize(self, fetched: Fetched) -> Bars:
        """Return checked bars, volume in shares; raises Unavailable where they make no sense."""
        assert isinstance(fetched.raw, Table)
        return checked(fetched.raw)

    def actions(self, symbol: Symbol) -> "list[Action]":
        """Return the days on which the factor changes, each as its ratio to the factor before."""
        from ia.organs.ohlcv.adjust import Action

        api = _api(symbol)
        if not api.factors:
            return []
        steps = sorted(_step(row, api) for row in _all(api.factors, ("trade_date", "adj_factor"), symbol, None, None))
        if any(before[0] == after[0] for before, after in pairwise(steps)):
            raise shape_changed(f"tushare {api.factors}", "two factors on one day")
        return [Action(day, factor=after / before) for (_, before), (day, after) in pairwise(steps) if after != before]

    def lookup(self, text: str) -> list[Symbol]:
        """Return nothing: Tushare is asked by code."""
        return []


def _api(symbol: Symbol) -> Api:
    api = _APIS.get((symbol.market, symbol.kind))
    if api is None:
        raise NotFound("{symbol}: tushare does not have it", symbol=str(symbol))
    return api


def _all(api: str, fields: tuple[str, ...], symbol: Symbol, start: str | None, end: str | None) -> list[list[Any]]:
    """Return the rows of an interface from `start` to `end`, page by page, each row in the order of `fields`."""
    params = {"ts_code": symbol.code if symbol.market == "US" else symbol.canonical, "limit": str(MOST_ROWS)}
    if start:
        params["start_date"] = start.replace("-", "")
    if end:
        params["end_date"] = end.replace("-", "")
    token = config.get("market.tushare.token")
    if not token:
        raise Unavailable("the tushare adapter has no token", hint="export TUSHARE_TOKEN=…, from https://tushare.pro")
    rows: list[list[Any]] = []
    with governed():
        for _ in range(MOST_CALLS):
            page = _page(api, fields, {**params, "offset": str(len(rows))}, str(token))
            rows += page
            if len(page) < MOST_ROWS:
                break
    return [list(row) for row in dict.fromkeys(map(tuple, rows))]


def _page(api: str, fields: tuple[str, ...], params: dict[str, str], token: str) -> list[list[Any]]:
    what = f"tushare {api}"
    url = str(config.get("market.tushare.url") or URL)
    tree = post_json(url, {"api_name": api, "token": token, "params": params, "fields": ",".join(fields)}, what)
    if not isinstance(tree, dict) or "code" not in tree:
        raise shape_changed(what, "no code")
    if tree["code"] != 0:
        reason = one_line(str(tree.get("msg") or tree["code"]).replace(token, "***"))
        if any(word in reason for word in _LATER):
            raise TryLater("tushare asks for patience: {reason}", reason=reason, hint="try again in a minute")
        raise Unavailable(
            "tushare refused: {reason}", reason=reason, hint="is the token right, and has it enough points?"
        )
    data = tree.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        raise shape_changed(what, "no data.items")
    names = data.get("fields")
    if not isinstance(names, list) or any(field not in names for field in fields):
        raise shape_changed(what, f"the fields are {str(names)[:80]}")
    order = [names.index(field) for field in fields]
    if any(not isinstance(row, list) or len(row) < len(names) for row in data["items"]):
        raise shape_changed(what, "a row without all fields")
    rows = [[row[i] for i in order] for row in data["items"]]
    if any(isinstance(cell, list | dict) for row in rows for cell in row):
        raise shape_changed(what, "a cell that is no value")
    return rows


def _row(row: list[Any]) -> Row:
    day, first, high, low, last, volume = row
    return _day(day), first, high, low, last, volume


def _step(row: list[Any], api: Api) -> tuple[str, float]:
    """Return day and factor of a row of factors."""
    what = f"tushare {api.factors}"
    try:
        day, factor = _day(row[0]), float("x" if isinstance(row[1], bool) else row[1])
    except (TypeError, ValueError, OverflowError):
        raise shape_changed(what, "a factor is no number") from None
    if not is_date(day) or not 1e-9 < factor < 1e9:
        raise shape_changed(what, f"a factor of {factor:g} on {day[:20]!r}")
    return day, factor


def _day(text: Any) -> str:
    """Return 20240619 as 2024-06-19."""
    day = str(text)
    return f"{day[:4]}-{day[4:6]}-{day[6:]}"
