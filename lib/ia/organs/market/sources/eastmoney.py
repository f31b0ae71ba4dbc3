"""Eastmoney's lists: the whole market, boards and their members, by the names of fields and never by their place.

Its own pages ask the same: 100 rows a request, sorted by code so that pages stay put while prices move. Units as sent:
prices and money in yuan, volume in lots of 100 (told apart from shares by the money that changed hands), ratios in
per cent, "-" for what there is not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ia.kernel.errors import Message, NotFound, Notify, TryLater, Unavailable, drop_message
from ia.kernel.jsontypes import Json
from ia.organs.market.quote import Quote
from ia.organs.market.sources import SectorBoard, SnapshotPage
from ia.organs.market.sources.cells import (
    CellTally,
    ImplausibleRow,
    check_size,
    clean_text,
    format_cell,
    parse_count,
    parse_day,
    parse_name,
    parse_names,
    parse_number,
    parse_optional_number,
    parse_optional_symbol,
    parse_rows,
    parse_symbol,
    parse_timestamp,
)
from ia.organs.market.sources.plausibility import check_quote
from ia.organs.ohlcv.transport import NoNetwork, get_json, govern_requests, shape_error

WHAT = "Eastmoney clist"
ROWS, MOST_PAGES = 100, 200
_URL = "https://{}.push2.eastmoney.com/api/qt/clist/get"
_TOKEN = "bd1d9ddb04089700cf9c27f6f7426281"


class _QuoteList(NamedTuple):
    """A list: the number of its host, the filter that selects it."""

    host: str
    filter: str


_LISTS = {
    "stock": _QuoteList("82", "m:0 t:6,m:0 t:80,m:1 t:2,m:1 t:23,m:0 t:81 s:2048"),
    "etf": _QuoteList("88", "b:MK0021,b:MK0022,b:MK0023,b:MK0024"),
    "industry": _QuoteList("17", "m:90 t:2 f:!50"),
    "concept": _QuoteList("79", "m:90 t:3 f:!50"),
}
_MEMBERS = _QuoteList("29", "b:{} f:!50")
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


class _ListPage(NamedTuple):
    """A page of a list as it came: rows, of how many in all, the host."""

    rows: list[Json]
    total: int
    host: str


def fetch_pages(kinds: Sequence[str], notify: Notify = drop_message) -> Iterator[SnapshotPage]:
    """Yield the snapshot of these kinds, page by page. Stocks are all or nothing; funds that do not come are told of.

    raises  Banned, NoNetwork; ShapeChanged where more than a few rows of a page contradict themselves, pages repeat
            each other, or a list ends before all its rows came.
    """
    done, seen = 0, set[str]()
    if "stock" in kinds:
        for page in _fetch_list_pages("stock", seen):
            done = page.number
            yield page
    if "etf" in kinds:
        try:
            funds = list(_fetch_list_pages("etf", seen))
        except (TryLater, Unavailable) as exc:
            if "stock" not in kinds:
                raise
            notify(Message("the snapshot has no funds: {reason}", reason=exc))
            return
        for page in funds:
            yield replace(page, number=page.number + done, pages=page.pages + done)


def _fetch_list_pages(kind: str, seen: set[str]) -> Iterator[SnapshotPage]:
    """Yield the pages of one list, counted from 1; `seen` are the symbols that have come."""
    asked = ",".join(["f12", "f13", "f14", *FIELDS.values()])
    for place, (part, last) in enumerate(_fetch_parts(_LISTS[kind], asked, kind != "stock"), 1):
        quotes, tally = _parse_quotes(part, kind)
        if quotes and seen.issuperset(quote.symbol for quote in quotes):
            raise shape_error(WHAT, "the pages repeat each other")
        seen.update(quote.symbol for quote in quotes)
        time = max((quote.time for quote in quotes if quote.time), default=None)
        doubted = tally.doubtful_fields(len(part.rows))
        # Eastmoney itself tells the time: a page without one is a record of its answers, such as a relay's.
        yield SnapshotPage(
            quotes=quotes,
            number=place,
            pages=place + last,
            host=part.host,
            time=time,
            dropped=tally.dropped,
            odd=tally.first,
            doubted=doubted,
            recorded=True,
        )


def fetch_boards(kind: str) -> list[SectorBoard]:
    """Return the boards of a kind: change and turnover in per cent, market value in yuan. Raises as `pages`."""
    found: dict[str, SectorBoard] = {}
    for part, _ in _fetch_parts(_LISTS[kind], _BOARD):
        boards = parse_rows(part.rows, partial(_parse_board, kind), CellTally(WHAT), "f12")
        found.update((board.board, board) for board in boards)
    return list(found.values())


def fetch_members(board: str) -> list[str]:
    """Return the canonical symbols of a board by its code, BK and four digits. Raises as `pages`; NotFound."""
    if not _is_board(board):
        raise NotFound(
            "{board}: not a valid board code", board=board, hint="give `BK` and four digits, as `ia sync` stores them"
        )
    found: dict[str, None] = {}
    for part, _ in _fetch_parts(_MEMBERS._replace(filter=_MEMBERS.filter.format(board)), "f12,f13", True):
        found |= dict.fromkeys(parse_rows(part.rows, partial(_parse_symbol, kind="stock"), CellTally(WHAT), "f12"))
    return list(found)


def _fetch_parts(which: _QuoteList, fields: str, may_be_empty: bool = False) -> Iterator[tuple[_ListPage, int]]:
    """Yield each page of a list and how many are left after it."""
    part = _fetch_part(which, fields, 1, may_be_empty)
    if not part.rows:
        return
    size, came = len(part.rows), len(part.rows)
    if part.total < size:
        raise shape_error(WHAT, f"{size} rows of a list of {part.total}")
    last = -(-part.total // size)
    if last > MOST_PAGES:
        raise shape_error(WHAT, f"{part.total} rows, {size} a page")
    for n in range(1, last + 1):
        if n > 1:
            part = _fetch_part(which, fields, n, True)
            came += len(part.rows)
        if not part.rows or (n == last and came < part.total):
            raise NoNetwork("{host} sent only {came} of {total} rows", host=part.host, came=came, total=part.total)
        yield part, last - n


def _fetch_part(which: _QuoteList, fields: str, page: int, may_be_empty: bool) -> _ListPage:
    """Return one page: the answer's rows and what it says of their number."""
    params = {
        "pn": str(page),
        "pz": str(ROWS),
        "po": "0",
        "np": "1",
        "ut": _TOKEN,
        "fltt": "2",
        "invt": "2",
        "fid": "f12",
        "fs": which.filter,
        "fields": fields,
    }
    host = f"{which.host}.push2.eastmoney.com"
    with govern_requests(check_size):
        tree = get_json(_URL.format(which.host), params, WHAT)
    if not isinstance(tree, dict) or "data" not in tree:
        if isinstance(tree, dict) and tree.get("code") not in (None, 0):
            raise NoNetwork(
                "{host} is busy: {reason}", host=host, reason=format_cell(tree.get("message") or tree["code"])
            )
        raise shape_error(WHAT, "no data")
    data = tree["data"]
    if data is None and tree.get("rc") not in (None, 0):
        raise NoNetwork("{host} is busy: {reason}", host=host, reason=f"rc {format_cell(tree.get('rc'))}")
    if data is None and may_be_empty:
        return _ListPage([], 0, host)
    diff = data.get("diff") if isinstance(data, dict) else None
    total = data.get("total") if isinstance(data, dict) else None
    if not isinstance(diff, list) or any(not isinstance(row, dict) for row in diff):
        raise shape_error(WHAT, "no list of rows under data.diff")
    if isinstance(total, bool) or not isinstance(total, int) or not 0 <= total <= ROWS * MOST_PAGES:
        raise shape_error(WHAT, "data.total is no sensible number")
    if not diff and not may_be_empty:
        raise shape_error(WHAT, "no rows")
    if len(diff) > ROWS * MOST_PAGES:
        raise shape_error(WHAT, f"{len(diff)} rows on a page")
    return _ListPage(diff, total, host)


def _parse_quotes(part: _ListPage, kind: str) -> tuple[list[Quote], CellTally]:
    """Return the quotes of a page; ShapeChanged where more than a few of its rows cannot be true."""
    tally = CellTally(WHAT)

    def parse_row(row: Json) -> Quote:
        try:
            quote = _parse_quote(row, kind)
            check_quote(quote, clean_text(row.get("f14")), tally)
        except ImplausibleRow as odd:
            odd.field = FIELDS.get(odd.field, odd.field)
            raise
        return quote

    return parse_rows(part.rows, parse_row, tally, "f12"), tally


def _parse_symbol(row: Mapping[str, object], kind: str) -> str:
    """Return the canonical symbol of a row; f13 is 1 for Shanghai, 0 for Shenzhen and Beijing."""
    market = row.get("f13")
    if isinstance(market, bool) or market not in (0, 1):
        raise ImplausibleRow("f13", market)
    code = row.get("f12")
    exchange = "SH" if market == 1 else _beyond_shanghai(code)
    return parse_symbol(code, exchange, "f12", (kind,)).canonical


def _beyond_shanghai(code: object) -> str:
    """Return the exchange of a code that is not Shanghai's: Beijing's begin with 4, 8 and 9."""
    return "BJ" if isinstance(code, str) and code[:1] in ("4", "8", "9") else "SZ"


def _parse_quote(row: Json, kind: str) -> Quote:
    def parse_price(column: str) -> float | None:
        return parse_number(row, FIELDS[column], 0, 1e5) or None

    volume, amount = parse_number(row, FIELDS["volume"], 0, 1e12), parse_number(row, FIELDS["amount"], 0, 1e14)
    high, low = parse_price("high"), parse_price("low")
    return Quote(
        symbol=_parse_symbol(row, kind),
        name=parse_name(row.get("f14")),
        price=parse_price("price"),
        prev_close=parse_price("prev_close"),
        change=parse_number(row, FIELDS["change"]),
        change_pct=parse_number(row, FIELDS["change_pct"]),
        open=parse_price("open"),
        high=high,
        low=low,
        volume=None if volume is None else round(volume * volume_unit(volume, amount, low, high)),
        amount=amount,
        amplitude_pct=parse_number(row, FIELDS["amplitude_pct"], 0),
        turnover_pct=parse_number(row, FIELDS["turnover_pct"], 0),
        volume_ratio=parse_optional_number(row, FIELDS["volume_ratio"]),
        pe=parse_optional_number(row, FIELDS["pe"]),
        pe_ttm=parse_optional_number(row, FIELDS["pe_ttm"]),
        pb=parse_optional_number(row, FIELDS["pb"]),
        roe_pct=parse_optional_number(row, FIELDS["roe_pct"]),
        market_cap=parse_number(row, FIELDS["market_cap"], 0),
        float_cap=parse_number(row, FIELDS["float_cap"], 0),
        change_60d_pct=parse_optional_number(row, FIELDS["change_60d_pct"]),
        change_ytd_pct=parse_optional_number(row, FIELDS["change_ytd_pct"]),
        time=parse_timestamp(row.get(FIELDS["time"])),
        kind=kind,
        listed=parse_day(row.get(FIELDS["listed"])),
        industry=clean_text(row.get(FIELDS["industry"]), 24) or None,
        concepts=parse_names(row.get(FIELDS["concepts"]), ","),
    )


def volume_unit(volume: float, amount: float | None, low: float | None, high: float | None) -> int:
    """Return how many shares a unit of the volume is: 100, but where the money says that it counts shares."""
    if volume and amount and low and high and 0.98 * low <= amount / volume <= 1.02 * high:
        return 1
    return 100


def _parse_board(kind: str, row: Json) -> SectorBoard:
    code = row.get("f12")
    if not isinstance(code, str) or not _is_board(code):
        raise ImplausibleRow("f12", code)
    leader = row.get("f140")
    # the code alone tells: what stands in f141 is not always its exchange
    found = parse_optional_symbol(leader, "SH") or parse_optional_symbol(leader, _beyond_shanghai(leader))
    return SectorBoard(
        kind=kind,
        board=code,
        name=clean_text(row.get("f14"), 24) or None,
        change_pct=parse_number(row, "f3", -50, 1000),
        turnover_pct=parse_number(row, "f8", 0, 1000),
        market_cap=parse_number(row, "f20", 0),
        up=parse_count(row, "f104"),
        down=parse_count(row, "f105"),
        leader=found,
        leader_pct=parse_optional_number(row, "f136"),
        time=parse_timestamp(row.get("f124")),
    )
