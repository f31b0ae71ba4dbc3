"""News of companies in the store: what a source told, with the moment from which on each item was known.

Titles are text from outside. They are folded and their links broken before they are stored, cut to a line, and nothing
is concluded from them. An item is seen from its own time on; one that tells no hour, from the end of its day, or from
the moment it was fetched where that is earlier.
"""

import contextlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock, config
from ia.kernel.errors import BadData, IaError
from ia.kernel.jsontypes import Json
from ia.kernel.links import break_links, break_markup
from ia.kernel.store import transaction, translate_errors
from ia.kernel.untrusted import fold_text
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market.sources import BUILT_IN, NEWS_KINDS

FRESH = timedelta(hours=1)
"""How long what was fetched of a security is new enough."""
MAX_ITEMS = 400
"""Items of one answer that are looked at."""
MAX_TITLE, MAX_WORD, MAX_LINK = 200, 60, 300
COLUMNS = ("symbol", "kind", "time", "title", "publisher", "category", "link", "source", "simulated")
"""The fields of an item, in the order of the output."""
_is_link = re.compile(r"https?://[!-~]{4,290}", re.ASCII).fullmatch
_is_id = re.compile(r"[!-~]{1,80}", re.ASCII).fullmatch


class NewsAnswer(NamedTuple):
    """What a source told of a security: rows to store, how many rows were malformed and how many lie ahead of now."""

    source: str
    simulated: bool
    rows: list[tuple[Any, ...]]
    odd: int
    ahead: int


def parse_answer(value: object, symbol: str, provider: str) -> NewsAnswer:
    """Return the rows of the table `news` that the answer of a provider holds.

    Rows that are malformed, or about another security, are counted; more than a few of them mean another form.
    raises  BadData naming the provider where the answer is none, or most of its rows are malformed.
    """
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(items, list):
        raise _malformed_error(provider, "items")
    source = _clean_word(value.get("source")) or provider
    simulated = value.get("simulated") is True
    now = clock.wall_time()
    rows: dict[str, tuple[Any, ...]] = {}
    odd = ahead = 0
    for item in items[:MAX_ITEMS]:
        row = _parse_item(item, symbol, now)
        if row is None:
            odd += 1
        elif row[3] > clock.utc_stamp(now):
            ahead += 1
        else:
            rows[row[0]] = (source, symbol, *row, int(simulated), clock.utc_stamp(now))
    if odd > max(2, len(items[:MAX_ITEMS]) // 4):
        raise _malformed_error(provider, f"{odd} of {len(items)} items")
    return NewsAnswer(source=source, simulated=simulated, rows=list(rows.values()), odd=odd, ahead=ahead)


def _parse_item(item: object, symbol: str, now: datetime) -> tuple[Any, ...] | None:
    """Return (id, kind, time, known, title, publisher, link, category); None for what is no item."""
    if not isinstance(item, dict) or item.get("kind") not in NEWS_KINDS or item.get("symbol", symbol) != symbol:
        return None
    number, stamp, title = (str(item.get(name) or "") for name in ("id", "time", "title"))
    known = _known_since(stamp, now)
    plain = clean_title(title)
    if known is None or not plain or not _is_id(number):
        return None
    link = str(item.get("link") or "")
    return (
        number,
        item["kind"],
        stamp,
        known,
        plain,
        _clean_word(item.get("publisher")) or None,
        link if len(link) <= MAX_LINK and _is_link(link) else None,
        _clean_word(item.get("category")) or None,
    )


def clean_title(text: str) -> str:
    """Return a title as it is kept: one line, folded, its links and markup broken, at most MAX_TITLE characters.

    >>> clean_title("Buy now!\\n![](https://evil.example/a)")
    'Buy now! [!][](https[:]//evil[.]example/a)'
    """
    return break_markup(" ".join(fold_text(text[: 4 * MAX_TITLE]).split())[:MAX_TITLE])


def _clean_word(value: object) -> str:
    return break_markup(" ".join(fold_text(str(value or "")[: 4 * MAX_WORD]).split())[:MAX_WORD])


def _known_since(stamp: str, now: datetime) -> str | None:
    """Return the UTC stamp from which on an item with this time was known; None for what is no time."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    if not 1990 <= moment.year < 2200:
        return None
    if len(stamp) == 10:  # the whole day it was perhaps not there yet
        end = datetime.combine(moment.date(), time(23, 59, 59), clock.CHINA)
        return clock.utc_stamp(min(end, now) if moment.date() <= now.astimezone(clock.CHINA).date() else end)
    return None if moment.tzinfo is None else clock.utc_stamp(moment)


def _malformed_error(provider: str, what: str) -> BadData:
    return BadData(
        "provider {provider}: the answer is not a list of news items ({what})",
        provider=provider,
        what=what,
        hint="see `man 5 ia-provider`, section NEWS",
    )


def put_news(ws: Workspace, symbol: str, answer: NewsAnswer) -> int:
    """Store what a source told of a security, and that it was asked; return how many items are new."""
    with open_store(ws) as db, transaction(db):
        before = db.total_changes
        db.executemany(f"INSERT OR IGNORE INTO news VALUES ({', '.join('?' * 12)})", answer.rows)
        new = db.total_changes - before
        note_asked(db, "news", "", symbol)
    return new


def is_fresh(ws: Workspace, symbol: str) -> bool:
    """Whether the news of a security were fetched within FRESH before now()."""
    if not marketdb.is_stored(ws):
        return False
    with open_store(ws) as db:
        return was_asked(db, "news", "", symbol, FRESH)


def note_asked(db: sqlite3.Connection, what: str, source: str, symbol: str) -> None:
    """Note that a source was asked for something of a security at now()."""
    db.execute("INSERT OR REPLACE INTO asked VALUES (?, ?, ?, ?)", (what, source, symbol, clock.utc_stamp(clock.now())))


def was_asked(db: sqlite3.Connection, what: str, source: str, symbol: str, within: timedelta) -> bool:
    """Whether a source was asked for something of a security within this time before now()."""
    row = db.execute(
        "SELECT time FROM asked WHERE what = ? AND source = ? AND symbol = ?", (what, source, symbol)
    ).fetchone()
    now = clock.now()
    return row is not None and clock.utc_stamp(now - within) < row[0] <= clock.utc_stamp(now)


def last_asked(ws: Workspace, symbol: str) -> str:
    """Return when the news of a security were last fetched, as a UTC stamp up to now(); "" if they never were."""
    if not marketdb.is_stored(ws):
        return ""
    with open_store(ws) as db:
        sql = "SELECT max(time) FROM asked WHERE what = 'news' AND source = '' AND symbol = ? AND time <= ?"
        return db.execute(sql, (symbol, clock.utc_stamp(clock.now()))).fetchone()[0] or ""


def load_news(
    ws: Workspace, symbols: Sequence[str], *, count: int = 20, since: str = "", kind: str = "", after: str = ""
) -> list[Json]:
    """Return the stored items of securities that were known by now(), newest first.

    since   UTC stamp from which on items count by their own time; after: by the moment from which on they were known
    kind    announcement or news; both where it is empty

    Items of a source of ia that `market.adapter` does not name are left out: invented ones and real ones never mix.
    Links are broken as in all text from outside.
    """
    if not symbols or not marketdb.is_stored(ws):
        return []
    others = [name for name in BUILT_IN if name not in config.get_setting_words("market.adapter")]
    marks, barred = ", ".join("?" * len(symbols)), ", ".join("?" * len(others)) or "''"
    with open_store(ws) as db:
        rows = db.execute(
            "SELECT symbol, kind, time, title, publisher, category, link, source, simulated, id, known FROM news"
            f" WHERE symbol IN ({marks}) AND source NOT IN ({barred}) AND known <= ? AND known >= ? AND known > ?"
            " AND (? IN ('', kind)) ORDER BY known DESC, symbol, id LIMIT ?",
            (*symbols, *others, clock.utc_stamp(clock.now()), since, after, kind, count),
        ).fetchall()
    return [_describe_item(row) for row in rows]


def _describe_item(row: tuple[Any, ...]) -> Json:
    told = dict(zip((*COLUMNS, "id", "known"), row, strict=True))
    told["name"] = _name_of(told["symbol"])
    told["link"] = told["link"] and break_links(told["link"])
    told["simulated"] = bool(told["simulated"])
    return told


def _name_of(symbol: str) -> str:
    with contextlib.suppress(IaError):
        return from_canonical(symbol).name or ""
    return ""


@contextlib.contextmanager
def open_store(ws: Workspace) -> Iterator[sqlite3.Connection]:
    """Open market.db for news and dates of companies; one is made where there is none."""
    with translate_errors(marketdb.SCHEMA), contextlib.closing(marketdb.connect(ws)) as db:
        yield db
