"""Watch list → securities, with what the store knows of their prices."""

from typing import NamedTuple

from ia.kernel.errors import IaError, NotFound, Notify
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.memory import watch_list
from ia.organs.memory.watch_list import WatchItem
from ia.wiring.security_mentions import identify_security

PREFIX = "watch:"
"""Before the name of a group where a list of securities is named: `watch:battery`."""
COLUMNS = ("symbol", "name", "group", "price", "change_pct", "date", "currency", "why", "since", "source", "simulated")
"""The fields of a row of the list: `price` in `currency` of the close of `date`, `since` when it was put there."""
_canonical = pattern(r"[A-Z0-9.]{1,8}\.(?:SH|SZ|BJ|HK|US)")


class Watched(NamedTuple):
    """An item of the watch list. `symbol` is its canonical code, or "" for a topic; `name` as the list writes it."""

    symbol: str
    name: str
    why: str
    since: str
    group: str


def list_watched(ws: Workspace, group: str | None = None) -> list[Watched]:
    """Return the items of the watch list, or of one of its groups, in its order; topics too.

    raises  NotFound where there is no such group.
    """
    items = watch_list.list_items(ws)
    return [_identify_item(item) for item in (items if group is None else watch_list.select_group(items, group))]


def list_watched_symbols(ws: Workspace, group: str | None = None) -> list[str]:
    """Return the canonical codes of the securities of the watch list, or of one of its groups, in its order."""
    return list(dict.fromkeys(item.symbol for item in list_watched(ws, group) if item.symbol))


def quote_watched(ws: Workspace, group: str | None, notify: Notify) -> tuple[list[Json], list[NotFound]]:
    """Return the items of the watch list with the newest stored price of each (`COLUMNS`), and what has no price.

    Nobody is asked. A price is that of the newest day that now() may see, which differs between markets. A topic has
    no symbol.
    raises  NotFound where there is no such group.
    """
    from ia.domain.instruments.boards import trading_currency
    from ia.domain.instruments.symbols import from_canonical
    from ia.organs.market import market_reader

    items = list_watched(ws, group)
    quotes: dict[str, Json] = {}
    missing: list[NotFound] = []
    if codes := list(dict.fromkeys(item.symbol for item in items if item.symbol)):
        try:
            found, missing = market_reader.load_quotes(ws, codes, notify)
            quotes = {row["symbol"]: row for row in found}
        except NotFound as exc:  # nothing of any market is stored
            missing = [exc]
    rows = []
    for item in items:
        quote = quotes.get(item.symbol, {})
        row: Json = {name: quote.get(name) for name in COLUMNS}
        name, left = split_name(item.name, quote.get("name") or "", item.symbol)
        row |= {"symbol": item.symbol or None, "name": name, "group": item.group}
        row |= {"why": item.why or left, "since": item.since or None}
        if item.symbol:
            row["currency"] = trading_currency(from_canonical(item.symbol))
        rows.append(row)
    return rows, missing


def _identify_item(item: WatchItem) -> Watched:
    """Return what a line of the list means: `600519.SH 贵州茅台`, as ia writes it, or what a person wrote in its place.

    A person may have left out the colon: what follows code and name (`600519 贵州茅台 below 700`) is the reason.
    """
    from ia.domain.instruments.symbols import from_canonical

    first, _, rest = item.text.partition(" ")
    if _canonical.fullmatch(first):
        code = first
    else:
        _, code, *_ = identify_security(item.text)
        if code:
            rest = ""
        else:
            _, code, *_ = identify_security(first)
    try:
        name = from_canonical(code).name if code else ""
    except IaError:
        code = ""
    if not code:
        return Watched(symbol="", name=item.text, why=item.why, since=item.since, group=item.group)
    name, left = split_name(rest.strip(), name, code)
    return Watched(symbol=code, name=name, why=item.why or left, since=item.since, group=item.group)


def split_name(text: str, name: str, code: str = "") -> tuple[str, str]:
    """Return a security's name, and what a text that begins with it, or is without it, says beside it.

    name    as sources have it. code: of the security whose English name may stand in the text, too

    >>> split_name("贵州茅台 below 700", "贵州茅台"), split_name("below 700", "贵州茅台"), split_name("SomeName", "")
    (('贵州茅台', 'below 700'), ('贵州茅台', 'below 700'), ('SomeName', ''))
    >>> split_name("Kweichow Moutai below 700", "贵州茅台", "600519.SH")
    ('贵州茅台', 'below 700')
    """
    from ia.domain.instruments.symbols import english_names

    if not name:
        return text, ""
    english = english_names().get(code, "")
    return name, text.removeprefix(english if english and text.startswith(english) else name).strip(" ,，;；")
