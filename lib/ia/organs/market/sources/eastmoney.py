"""Eastmoney's lists: the whole market, boards and their members, by the names of fields and never by their place.

Its own pages ask the same: 100 rows a request, sorted by code so that pages stay put while prices move. Units as sent:
prices and money in yuan, volume in lots of 100 (told apart from shares by the money that changed hands), ratios in
per cent, "-" for what there is not.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ia.kernel.errors import Message, NotFound, Notify, TryLater, Unavailable, silent
from ia.organs.market.quote import Quote
from ia.organs.market.sources import Board, Page
from ia.organs.market.sources.cells import (
    Odd,
    Tally,
    count,
    day,
    loose,
    maybe_symbol,
    moment,
    name,
    names,
    number,
    readable,
    shown,
    small,
    symbol,
    text,
)
from ia.organs.market.sources.plausible import check
from ia.organs.ohlcv.transport import NoNetwork, get_json, governed, shape_changed

WHAT = "Eastmoney clist"
ROWS, MOST_PAGES = 100, 200
_URL = "https://{}.push2.eastmoney.com/api/qt/clist/get"
_TOKEN = "bd1d9ddb04089700cf9c27f6f7426281"


class _List(NamedTuple):
    """A list: the number of its host, the filter that selects it."""

    host: str
    filter: str


_LISTS = {
    "stock": _List("82", "m:0 t:6,m:0 t:80,m:1 t:2,m:1 t:23,m:0 t:81 s:2048"),
    "etf": _List("88", "b:MK0021,b:MK0022,b:MK0023,b:MK0024"),
    "industry": _List("17", "m:90 t:2 f:!50"),
    "concept": _List("79", "m:90 t:3 f:!50"),
}
_MEMBERS = _List("29", "b:{} f:!50")
FIELDS = {
    "price": "f2", "change_pct": "f3", "change": "f4", "volume": "f5", "amount": "f6", "amplitude_pct": "f7",
    "turnover_pct": "f8", "pe": "f9", "volume_ratio": "f10", "high": "f15", "low": "f16", "open": "f17",
    "prev_close": "f18", "market_cap": "f20", "float_cap": "f21", "pb": "f23", "change_60d_pct": "f24",
    "change_ytd_pct": "f25", "listed": "f26", "roe_pct": "f37", "industry": "f100", "concepts": "f103",
    "pe_ttm": "f115", "time": "f124",
}  # fmt: skip
"""The key of each column of a Quote; f12 is the code, f13 the exchange, f14 the name."""
_is_board = re.compile(r"BK[0-9]{4}").fullmatch
_BOARD = "f3,f8,f12,f13,f14,f20,f104,f105,f124,f128,f136,f140,f141"


class _Part(NamedTuple):
    """A page of a list as it came: rows, of how many in all, the host."""

    rows: list[dict[str, Any]]
    total: int
    host: str


def pages(kinds: Sequence[str], notify: Notify = silent) -> Iterator[Page]:
    """Yield the snapshot of these kinds, page by page. Stocks are all or nothing; funds that do not come are told of.

    raises  Banned, NoNetwork; ShapeChanged where more than a few rows of a page contradict themselves, pages repeat
            each other, or a list ends before all its rows came.
    """
    done, seen = 0, set[str]()
    if "stock" in kinds:
        for page in _pages("stock", seen):
            done = page.number
            yield page
    if "etf" in kinds:
        try:
            funds = list(_pages("etf", seen))
        except (TryLater, Unavailable) as exc:
            if "stock" not in kinds:
                raise
            notify(Message("no funds in the snapshot: {reason}", reason=exc))
            return
        for page in funds:
            yield page._replace(number=page.number + done, pages=page.pages + done)


def _pages(kind: str, seen: set[str]) -> Iterator[Page]:
    """Yield the pages of one list, counted from 1; `seen` are the symbols that have come."""
    asked = ",".join(["f12", "f13", "f14", *FIELDS.values()])
    for place, (part, last) in enumerate(_parts(_LISTS[kind], asked, kind != "stock"), 1):
        quotes, tally = _quotes(part, kind)
        if quotes and seen.issuperset(quote.symbol for quote in quotes):
            raise shape_changed(WHAT, "the pages repeat each other")
        seen.update(quote.symbol for quote in quotes)
        time = max((quote.time for quote in quotes if quote.time), default=None)
        doubted = tally.doubtful(len(part.rows))
        # Eastmoney itself tells the time: a page without one is a record of its answers, such as a relay's.
        yield Page(quotes, place, place + last, part.host, time, tally.dropped, tally.first, doubted, recorded=True)


def boards(kind: str) -> list[Board]:
    """Return the boards of a kind: change and turnover in per cent, market value in yuan. Raises as `pages`."""
    found: dict[str, Board] = {}
    for part, _ in _parts(_LISTS[kind], _BOARD):
        boards = readable(part.rows, partial(_board, kind), Tally(WHAT), "f12")
        found.update((board.board, board) for board in boards)
    return list(found.values())


def members(board: str) -> list[str]:
    """Return the canonical symbols of a board by its code, BK and four digits. Raises as `pages`; NotFound."""
    if not _is_board(board):
        raise NotFound(
            "{board}: no code of a board", board=board, hint="`BK` and four digits, as `ia sync` stores them"
        )
    found: dict[str, None] = {}
    for part, _ in _parts(_MEMBERS._replace(filter=_MEMBERS.filter.format(board)), "f12,f13", True):
        found |= dict.fromkeys(readable(part.rows, partial(_symbol, kind="stock"), Tally(WHAT), "f12"))
    return list(found)


def _parts(which: _List, fields: str, may_be_empty: bool = False) -> Iterator[tuple[_Part, int]]:
    """Yield each page of a list and how many are left after it."""
    part = _asked(which, fields, 1, may_be_empty)
    if not part.rows:
        return
    size, came = len(part.rows), len(part.rows)
    if part.total < size:
        raise shape_changed(WHAT, f"{size} rows of a list of {part.total}")
    last = -(-part.total // size)
    if last > MOST_PAGES:
        raise shape_changed(WHAT, f"{part.total} rows, {size} a page")
    for n in range(1, last + 1):
        if n > 1:
            part = _asked(which, fields, n, True)
            came += len(part.rows)
        if not part.rows or (n == last and came < part.total):
            raise NoNetwork("{host} sent {came} of {total} rows", host=part.host, came=came, total=part.total)
        yield part, last - n


def _asked(which: _List, fields: str, page: int, may_be_empty: bool) -> _Part:
    """Return one page: the answer's rows and what it says of their number."""
    params = {
        "pn": str(page), "pz": str(ROWS), "po": "0", "np": "1", "ut": _TOKEN, "fltt": "2", "invt": "2", "fid": "f12",
        "fs": which.filter, "fields": fields,
    }  # fmt: skip
    host = f"{which.host}.push2.eastmoney.com"
    with governed(small):
        tree = get_json(_URL.format(which.host), params, WHAT)
    if not isinstance(tree, dict) or "data" not in tree:
        if isinstance(tree, dict) and tree.get("code") not in (None, 0):
            raise NoNetwork("{host} is busy: {reason}", host=host, reason=shown(tree.get("message") or tree["code"]))
        raise shape_changed(WHAT, "no data")
    data = tree["data"]
    if data is None and tree.get("rc") not in (None, 0):
        raise NoNetwork("{host} is busy: {reason}", host=host, reason=f"rc {shown(tree.get('rc'))}")
    if data is None and may_be_empty:
        return _Part([], 0, host)
    diff = data.get("diff") if isinstance(data, dict) else None
    total = data.get("total") if isinstance(data, dict) else None
    if not isinstance(diff, list) or any(not isinstance(row, dict) for row in diff):
        raise shape_changed(WHAT, "no list of rows under data.diff")
    if isinstance(total, bool) or not isinstance(total, int) or not 0 <= total <= ROWS * MOST_PAGES:
        raise shape_changed(WHAT, "data.total is no sensible number")
    if not diff and not may_be_empty:
        raise shape_changed(WHAT, "no rows")
    if len(diff) > ROWS * MOST_PAGES:
        raise shape_changed(WHAT, f"{len(diff)} rows on a page")
    return _Part(diff, total, host)


def _quotes(part: _Part, kind: str) -> tuple[list[Quote], Tally]:
    """Return the quotes of a page; ShapeChanged where more than a few of its rows cannot be true."""
    tally = Tally(WHAT)

    def read(row: dict[str, Any]) -> Quote:
        try:
            quote = _quote(row, kind)
            check(quote, text(row.get("f14")), tally)
        except Odd as odd:
            odd.field = FIELDS.get(odd.field, odd.field)
            raise
        return quote

    return readable(part.rows, read, tally, "f12"), tally


def _symbol(row: dict[str, Any], kind: str) -> str:
    """Return the canonical symbol of a row; f13 is 1 for Shanghai, 0 for Shenzhen and Beijing."""
    market = row.get("f13")
    if isinstance(market, bool) or market not in (0, 1):
        raise Odd("f13", market)
    code = row.get("f12")
    exchange = "SH" if market == 1 else _beyond_shanghai(code)
    return symbol(code, exchange, "f12", (kind,)).canonical


def _beyond_shanghai(code: object) -> str:
    """Return the exchange of a code that is not Shanghai's: Beijing's begin with 4, 8 and 9."""
    return "BJ" if isinstance(code, str) and code[:1] in ("4", "8", "9") else "SZ"


def _quote(row: dict[str, Any], kind: str) -> Quote:
    def price(column: str) -> float | None:
        return number(row, FIELDS[column], 0, 1e5) or None

    volume, amount = number(row, FIELDS["volume"], 0, 1e12), number(row, FIELDS["amount"], 0, 1e14)
    high, low = price("high"), price("low")
    return Quote(
        _symbol(row, kind),
        name=name(row.get("f14")),
        price=price("price"),
        prev_close=price("prev_close"),
        change=number(row, FIELDS["change"]),
        change_pct=number(row, FIELDS["change_pct"]),
        open=price("open"),
        high=high,
        low=low,
        volume=None if volume is None else round(volume * _unit(volume, amount, low, high)),
        amount=amount,
        amplitude_pct=number(row, FIELDS["amplitude_pct"], 0),
        turnover_pct=number(row, FIELDS["turnover_pct"], 0),
        volume_ratio=loose(row, FIELDS["volume_ratio"]),
        pe=loose(row, FIELDS["pe"]),
        pe_ttm=loose(row, FIELDS["pe_ttm"]),
        pb=loose(row, FIELDS["pb"]),
        roe_pct=loose(row, FIELDS["roe_pct"]),
        market_cap=number(row, FIELDS["market_cap"], 0),
        float_cap=number(row, FIELDS["float_cap"], 0),
        change_60d_pct=loose(row, FIELDS["change_60d_pct"]),
        change_ytd_pct=loose(row, FIELDS["change_ytd_pct"]),
        time=moment(row.get(FIELDS["time"])),
        kind=kind,
        listed=day(row.get(FIELDS["listed"])),
        industry=text(row.get(FIELDS["industry"]), 24) or None,
        concepts=names(row.get(FIELDS["concepts"]), ","),
    )


def _unit(volume: float, amount: float | None, low: float | None, high: float | None) -> int:
    """Return how many shares a unit of the volume is: 100, but where the money says that it counts shares."""
    if volume and amount and low and high and 0.98 * low <= amount / volume <= 1.02 * high:
        return 1
    return 100


def _board(kind: str, row: dict[str, Any]) -> Board:
    code = row.get("f12")
    if not isinstance(code, str) or not _is_board(code):
        raise Odd("f12", code)
    leader = row.get("f140")
    # the code alone tells: what stands in f141 is not always its exchange
    found = maybe_symbol(leader, "SH") or maybe_symbol(leader, _beyond_shanghai(leader))
    return Board(
        kind,
        code,
        text(row.get("f14"), 24) or None,
        change_pct=number(row, "f3", -50, 1000),
        turnover_pct=number(row, "f8", 0, 1000),
        market_cap=number(row, "f20", 0),
        up=count(row, "f104"),
        down=count(row, "f105"),
        leader=found,
        leader_pct=loose(row, "f136"),
        time=moment(row.get("f124")),
    )
