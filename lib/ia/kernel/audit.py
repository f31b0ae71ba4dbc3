"""The audit trail: what happened, when, to what, by whom. Append-only; `ia log` reads it."""

import sqlite3
from typing import Any, NamedTuple

from ia.kernel import clock
from ia.kernel.jsontypes import Json

Data = Json


class AuditEvent(NamedTuple):
    """One thing that happened. `time` is the clock's, `wall` the real one where `--now` made the two differ (UTC)."""

    id: int
    time: str
    wall: str | None
    kind: str
    subject: str
    actor: str
    data: Data


def record(conn: sqlite3.Connection, kind: str, subject: str = "", actor: str = "user", **data: object) -> int:
    """Append an event and return its id. `kind` is `organ.verb`; `data` must be plain and must hold no secret."""
    import json

    wall = clock.utc_stamp(clock.wall_time())
    time = clock.utc_stamp(clock.now()) if clock.is_simulated() else wall
    told = json.dumps(data, ensure_ascii=False).encode(errors="backslashreplace").decode()  # half a surrogate pair
    row = (time, None if time == wall else wall, kind, subject, actor, told)
    cursor = conn.execute("INSERT INTO events (time, wall, kind, subject, actor, data) VALUES (?, ?, ?, ?, ?, ?)", row)
    return cursor.lastrowid or 0


def events(
    conn: sqlite3.Connection,
    *,
    kind: str | None = None,
    subject: str | None = None,
    actor: str | None = None,
    since: str | None = None,
    limit: int = 50,
) -> list[AuditEvent]:
    """Return the newest events that fit, newest first. `kind` may be the front part (`note` fits `note.write`).

    since   UTC stamp or date; events at or after it. Nothing after now() is returned.
    """
    where, values = ["time <= ?"], [clock.utc_stamp(clock.now())]
    if kind:
        where.append("(kind = ? OR substr(kind, 1, ?) = ?)")
        values += [kind, len(kind) + 1, kind + "."]  # type: ignore[list-item]
    if subject:
        where.append("(subject = ? OR json_extract(data, '$.symbol') = ?)")
        values += [subject, subject]
    if actor:
        where.append("actor = ?")
        values.append(actor)
    if since:
        where.append("time >= ?")
        values.append(since)
    sql = f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"
    return [_make_event(row) for row in conn.execute(sql, [*values, limit])]


def find_events(conn: sqlite3.Connection, kind: str, subject: str) -> list[AuditEvent]:
    """Return the events of this very kind and subject that are not later than now(), oldest first."""
    sql = f"{_SELECT} WHERE kind = ? AND subject = ? AND time <= ? ORDER BY id"
    return [_make_event(row) for row in conn.execute(sql, (kind, subject, clock.utc_stamp(clock.now())))]


_SELECT = "SELECT id, time, wall, kind, subject, actor, data FROM events"


def read_event_fields(
    conn: sqlite3.Connection, kind: str, subject: str, names: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    """Return (time, the named fields of the data) of all events of this very kind and subject, later than now() too.

    SQLite reads the data (a missing field is None, true is 1), since the import of json would be felt in a cached read.
    """
    wanted = "".join(f", json_extract(data, '$.{name}')" for name in names)
    sql = f"SELECT time{wanted} FROM events WHERE kind = ? AND subject = ? ORDER BY id"
    return list(conn.execute(sql, (kind, subject)))


def _make_event(row: tuple[Any, ...]) -> AuditEvent:
    import json

    return AuditEvent(
        id=row[0], time=row[1], wall=row[2], kind=row[3], subject=row[4], actor=row[5], data=json.loads(row[6])
    )
