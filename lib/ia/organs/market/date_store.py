"""Dates of companies and closed days of markets in the store, each with the moment from which on it was known.

A date is seen when the day is over on which its source says that it became known, or from the moment it was fetched
where that is earlier. Where the source tells no such day, and where a date changes, it is seen from the fetch on.
Nothing is overwritten: a moved date is a new row, and a withdrawn one is marked with the moment it was missed.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from ia.kernel import clock, config
from ia.kernel.store import transaction
from ia.organs.market.sources import CompanyEvent

CLOSED = "closed"
"""The kind of a row that tells when a market has no session; its symbol is the code of the market."""
_FIELDS = ("date", "period", "cash", "bonus", "shares", "share_pct", "label")


class StoredDate(NamedTuple):
    """A date as it was known at a moment.

    kind     one of EVENT_KINDS, or CLOSED; key: what it is of. period: the last day of a reporting period; of CLOSED
             the last closed day
    known    UTC stamp from which on it was known; told: whether a source says so, or it is when ia first saw it
    source   the adapter; fetched: UTC stamp at which the security was last asked for
    """

    symbol: str
    kind: str
    key: str
    date: str
    period: str | None
    cash: float | None
    bonus: float | None
    shares: float | None
    share_pct: float | None
    label: str | None
    known: str
    told: bool
    source: str
    simulated: bool
    fetched: str | None


def known_since(day: str, moment: datetime) -> str:
    """Return the UTC stamp from which on what became known on a day is seen: its end, or the fetch if that is earlier.

    >>> known_since("2024-03-14", datetime(2024, 3, 20, tzinfo=clock.CHINA))
    '2024-03-14T15:59:59.000Z'
    """
    end = datetime.combine(date.fromisoformat(day), time(23, 59, 59), clock.CHINA)
    return clock.utc_stamp(min(end, moment))


def put_dates(
    db: sqlite3.Connection, number: int, symbol: str, events: Sequence[CompanyEvent], *, whole: bool
) -> tuple[int, int]:
    """Store the dates of a security, or the closed days of a market; return how many rows are new, and how many gone.

    whole   the answer names all dates ahead, so that those it no longer names were withdrawn
    """
    moment = clock.wall_time()
    stamp = clock.utc_stamp(moment)
    newest = _load_newest(db, number, symbol)
    rows, seen = [], set()
    for event in _with_unique_keys(events):
        seen.add((event.kind, event.key))
        told = event._asdict()
        values = tuple(told[name] for name in _FIELDS)
        before = newest.get((event.kind, event.key))
        if before is not None and before.values == values and before.gone is None:
            continue
        known = known_since(event.known, moment) if event.known else ""
        sure = bool(known) and (before is None or known > before.known)
        rows.append(
            (number, symbol, event.kind, event.key, known if sure else stamp, event.date, int(sure), None, *values[1:])
        )
    gone = []
    if whole:
        today = clock.today("CN")
        gone = [
            (stamp, number, symbol, kind, key, row.known)
            for (kind, key), row in newest.items()
            if (kind, key) not in seen and row.gone is None and row.values[0] > today
        ]
    with transaction(db):
        db.executemany(f"INSERT OR REPLACE INTO events VALUES ({', '.join('?' * 14)})", rows)
        db.executemany(
            "UPDATE events SET gone = ? WHERE source = ? AND symbol = ? AND kind = ? AND key = ? AND known = ?", gone
        )
    return len(rows), len(gone)


def _with_unique_keys(events: Sequence[CompanyEvent]) -> Iterator[CompanyEvent]:
    """Yield the events; of several with one key, such as two dividends of a year, the later ones add their date."""
    taken: set[tuple[str, str]] = set()
    for event in sorted(events, key=lambda each: (each.kind, each.key, each.date)):
        key = event.key if (event.kind, event.key) not in taken else f"{event.key} {event.date}"
        taken.add((event.kind, key))
        yield event._replace(key=key)


class _NewestRow(NamedTuple):
    """The last word on a date; `values` by _FIELDS."""

    known: str
    told: bool
    gone: str | None
    values: tuple[Any, ...]


def _load_newest(
    db: sqlite3.Connection, number: int, symbol: str, until: str = "9"
) -> dict[tuple[str, str], _NewestRow]:
    """Return by (kind, key) the newest row that was known by a UTC stamp."""
    rows = db.execute(
        f"SELECT kind, key, known, told, gone, {', '.join(_FIELDS)} FROM events WHERE source = ? AND symbol = ?"
        " AND known <= ? ORDER BY known",
        (number, symbol, until),
    )
    return {
        (kind, key): _NewestRow(known, bool(told), gone, tuple(rest)) for kind, key, known, told, gone, *rest in rows
    }


def load_dates(
    db: sqlite3.Connection, symbols: Iterable[str], since: str, until: str, kinds: Sequence[str] = ()
) -> list[StoredDate]:
    """Return the stored dates from `since` to `until` as they were known at now(), by date.

    symbols  canonical symbols, and codes of markets for their closed days. kinds: all where it is empty

    Of each symbol, those of the first adapter of `market.adapter` that has any.
    """
    stamp = clock.utc_stamp(clock.now())
    sources = load_sources(db)
    found: list[StoredDate] = []
    for symbol in dict.fromkeys(symbols):
        told = ((name, made_up, _load_newest(db, number, symbol, stamp)) for name, number, made_up in sources)
        name, simulated, rows = next((each for each in told if each[2]), ("", False, {}))
        fetched = _load_fetched(db, name, symbol)
        for (kind, key), row in rows.items():
            named: Mapping[str, Any] = dict(zip(_FIELDS, row.values, strict=True))
            if (row.gone and row.gone <= stamp) or not since <= named["date"] <= until or (kinds and kind not in kinds):
                continue
            found.append(
                StoredDate(
                    symbol=symbol,
                    kind=kind,
                    key=key,
                    known=row.known,
                    told=row.told,
                    source=name,
                    simulated=simulated,
                    fetched=fetched,
                    **named,
                )
            )
    return sorted(found, key=lambda each: (each.date, each.symbol, each.kind, each.key))


def _load_fetched(db: sqlite3.Connection, source: str, symbol: str) -> str | None:
    row = db.execute(
        "SELECT time FROM asked WHERE what = 'dates' AND source = ? AND symbol = ?", (source, symbol)
    ).fetchone()
    return row[0] if row else None


def load_sources(db: sqlite3.Connection) -> list[tuple[str, int, bool]]:
    """Return (name, number, simulated) of the adapters of `market.adapter` that the store knows, in that order."""
    rows = {name: (number, bool(made)) for number, name, made in db.execute("SELECT id, name, simulated FROM sources")}
    return [(name, *rows[name]) for name in config.get_setting_words("market.adapter") if name in rows]


def merge_days(days: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first and last day of each run of days with nothing but weekend between them.

    >>> merge_days(["2024-04-04", "2024-04-05", "2024-05-01", "2024-06-07", "2024-06-10"])
    [('2024-04-04', '2024-04-05'), ('2024-05-01', '2024-05-01'), ('2024-06-07', '2024-06-10')]
    """
    spans: list[tuple[str, str]] = []
    for day in sorted(days):
        if spans and _next_weekday(spans[-1][1]) == day:
            spans[-1] = (spans[-1][0], day)
        else:
            spans.append((day, day))
    return spans


def _next_weekday(day: str) -> str:
    following = date.fromisoformat(day) + timedelta(days=1)
    while following.weekday() > 4:
        following += timedelta(days=1)
    return following.isoformat()
