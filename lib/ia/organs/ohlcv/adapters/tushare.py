"""Tushare Pro: daily bars and adjustment factors, for those who have a token.

The HTTP interface is asked directly, over TLS: the package of that name sends the token in clear. The token comes from
the setting `market.tushare.token`, `${TUSHARE_TOKEN}` by default, and stands in no message.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.kernel import config
from ia.kernel.errors import NotFound, TryLater, Unavailable
from ia.kernel.i18n import mark_text
from ia.organs.ohlcv.adapters import Fetched
from ia.organs.ohlcv.adapters.table_check import Cells, FeedTable, Row, check_table
from ia.organs.ohlcv.canonical import Bars, is_date
from ia.organs.ohlcv.transport import govern_requests, one_line, post_json, shape_error

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

URL = "https://api.tushare.pro"
HOST = "api.tushare.pro"
NO_ACTIONS = mark_text(
    "tushare requires extra points for this market's adjustment factors: prices are as traded, not adjusted"
)
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
        api = _choose_api(symbol)
        rows = _fetch_all(api.bars, _FIELDS, symbol, start, end)
        if not rows and not (start or end):
            raise NotFound("{symbol}: not available from tushare", symbol=symbol)
        table = FeedTable(
            rows=[_convert_row(row) for row in rows], unit=api.unit, host=HOST, name="", what=f"tushare {api.bars}"
        )
        note = NO_ACTIONS if symbol.market != "CN" else ""
        return Fetched(symbol, table, HOST, note)

    def normalize(self, fetched: Fetched) -> Bars:
        """Return checked bars, volume in shares; raises Unavailable where they make no sense."""
        assert isinstance(fetched.raw, FeedTable)
        return check_table(fetched.raw)

    def actions(self, symbol: Symbol) -> "list[Action]":
        """Return the days on which the factor changes, each as its ratio to the factor before."""
        from ia.organs.ohlcv.adjustment import Action

        api = _choose_api(symbol)
        if not api.factors:
            return []
        steps = sorted(
            _parse_step(row, api) for row in _fetch_all(api.factors, ("trade_date", "adj_factor"), symbol, None, None)
        )
        if any(before[0] == after[0] for before, after in pairwise(steps)):
            raise shape_error(f"tushare {api.factors}", "two factors on one day")
        return [Action(day, factor=after / before) for (_, before), (day, after) in pairwise(steps) if after != before]

    def lookup(self, text: str) -> list[Symbol]:
        """Return nothing: Tushare is asked by code."""
        return []


def _choose_api(symbol: Symbol) -> Api:
    api = _APIS.get((symbol.market, symbol.kind))
    if api is None:
        raise NotFound("{symbol}: not available from tushare", symbol=symbol)
    return api


def _fetch_all(
    api: str, fields: tuple[str, ...], symbol: Symbol, start: str | None, end: str | None
) -> list[list[object]]:
    """Return the rows of an interface from `start` to `end`, page by page, each row in the order of `fields`."""
    params = {"ts_code": symbol.code if symbol.market == "US" else symbol.canonical, "limit": str(MOST_ROWS)}
    if start:
        params["start_date"] = start.replace("-", "")
    if end:
        params["end_date"] = end.replace("-", "")
    token = config.get_setting("market.tushare.token")
    if not token:
        raise Unavailable(
            "the token of the tushare adapter is not set",
            hint="run `export TUSHARE_TOKEN=…` with a token from https://tushare.pro",
        )
    rows: list[Cells] = []
    with govern_requests():
        for _ in range(MOST_CALLS):
            page = _fetch_page(api, fields, {**params, "offset": str(len(rows))}, str(token))
            rows += page
            if len(page) < MOST_ROWS:
                break
    return [list(row) for row in dict.fromkeys(map(tuple, rows))]


def _fetch_page(api: str, fields: tuple[str, ...], params: dict[str, str], token: str) -> list[list[object]]:
    what = f"tushare {api}"
    url = str(config.get_setting("market.tushare.url") or URL)
    tree = post_json(url, {"api_name": api, "token": token, "params": params, "fields": ",".join(fields)}, what)
    if not isinstance(tree, dict) or "code" not in tree:
        raise shape_error(what, "the code is missing")
    if tree["code"] != 0:
        reason = one_line(str(tree.get("msg") or tree["code"]).replace(token, "***"))
        if any(word in reason for word in _LATER):
            raise TryLater("tushare is limiting requests: {reason}", reason=reason, hint="try again in a minute")
        raise Unavailable(
            "tushare rejected the request: {reason}",
            reason=reason,
            hint="check that the token is valid and has enough points",
        )
    data = tree.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        raise shape_error(what, "no data.items")
    names = data.get("fields")
    if not isinstance(names, list) or any(field not in names for field in fields):
        raise shape_error(what, f"the fields are {str(names)[:80]}")
    order = [names.index(field) for field in fields]
    if any(not isinstance(row, list) or len(row) < len(names) for row in data["items"]):
        raise shape_error(what, "a row without all fields")
    rows = [[row[i] for i in order] for row in data["items"]]
    if any(isinstance(cell, list | dict) for row in rows for cell in row):
        raise shape_error(what, "a cell that is no value")
    return rows


def _convert_row(row: Cells) -> Row:
    day, first, high, low, last, volume = row
    return _format_day(day), first, high, low, last, volume


def _parse_step(row: Cells, api: Api) -> tuple[str, float]:
    """Return day and factor of a row of factors."""
    what = f"tushare {api.factors}"
    try:
        day, factor = _format_day(row[0]), float("x" if isinstance(row[1], bool) else row[1])
    except (TypeError, ValueError, OverflowError):
        raise shape_error(what, "a factor is no number") from None
    if not is_date(day) or not 1e-9 < factor < 1e9:
        raise shape_error(what, f"a factor of {factor:g} on {day[:20]!r}")
    return day, factor


def _format_day(text: object) -> str:
    """Return 20240619 as 2024-06-19."""
    day = str(text)
    return f"{day[:4]}-{day[4:6]}-{day[6:]}"
