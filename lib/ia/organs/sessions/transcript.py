"""Sessions and their messages as they stand in ia.db."""

import contextlib
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ia.kernel import audit, clock, store
from ia.kernel.errors import BadData, NotFound, Refused, UsageError
from ia.kernel.workspace import Workspace
from ia.organs.sessions.questions import TITLE, make_title

ROLES = ("user", "assistant", "system")
MAX_ID = 80  # characters
SUMMARY_TOKENS = 2_000
_SPARSE = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n"


class SessionMessage(NamedTuple):
    """One message. Times are UTC; `deleted` is when it was pruned, None while it counts.

    importance  0 talk, 1 a trade that was made, 2 a judgment on the market's main line.
    tokens      estimate, see tokens(). origins: where the untrusted text in it came from.
    """

    id: int
    session: str
    turn: str
    role: str
    content: str
    importance: int
    tokens: int
    origins: tuple[str, ...]
    created: str
    deleted: str | None


class Session(NamedTuple):
    """A session as of now(): times in UTC, the summary of what was pruned, count and tokens of what was not.

    title   what the user called it; else its first question, or the event that it began with
    """

    id: str
    created: str
    last_active: str
    summary: str
    messages: int
    tokens: int
    title: str = ""


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens without a tokenizer, rather too many than too few.

    English letters and spaces count four to a token, digits and punctuation two (numbers are cut into short pieces),
    and everything else, Chinese above all, one each.
    """
    plain = text.encode("ascii", "ignore")
    dense = len(plain.translate(None, _SPARSE))
    return len(text) - len(plain) + (len(plain) - dense + 2 * dense + 3) // 4


def check_id(text: str) -> str:
    """Return a session's id in Unicode's composed form: 1 to 80 letters of any script, digits, `-`, `_` and `.`.

    raises  UsageError.
    """
    name = unicodedata.normalize("NFC", text)
    allowed = all(c.isalnum() or c in "-_." for c in name) and any(c.isalnum() for c in name)
    if not allowed or len(name) > MAX_ID:
        raise UsageError(
            "{id!r} is not a valid session name",
            id=text[:100],
            hint="use 1 to {most} letters, digits, or - _ .",
            most=MAX_ID,
        )
    return name


def list_sessions(ws: Workspace) -> list[Session]:
    """Return the sessions as of now(), the one that was active last first."""
    return _load_sessions(ws)


def find_session(ws: Workspace, id: str) -> Session:
    """Return a session as of now().

    raises  NotFound, UsageError for what can be no id.
    """
    name = check_id(id)
    for session in _load_sessions(ws, session_row(ws, name)):
        return session
    raise _missing_error(name)  # another process was quicker


def resolve_session(ws: Workspace, text: str) -> str:
    """Return the id of the session that has this id, or else this title, in any case; a new id as it is.

    raises  UsageError for what is neither, and where several sessions have the title.
    """
    listed = list_sessions(ws)
    name = unicodedata.normalize("NFC", text)
    if any(each.id == name for each in listed):
        return name
    titled = [each.id for each in listed if each.title and each.title.casefold() == text.strip().casefold()]
    if len(titled) > 1:
        raise UsageError(
            "{count} sessions have this title: {ids}",
            count=len(titled),
            ids=", ".join(titled),
            hint="name one by its ID",
        )
    return titled[0] if titled else check_id(text)


def title_session(ws: Workspace, id: str, title: str) -> None:
    """Give a session a title, one line of up to 60 characters; "" takes it back to the first question.

    raises  NotFound; UsageError for what is no title.
    """
    name = check_id(id)
    said = title.strip()
    if len(said) > TITLE or not said.isprintable():
        raise UsageError("a title is one line of up to {most} characters", most=TITLE)
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        number = session_row(ws, name)
        given = (said, moment) if said else (None, None)
        db.execute("UPDATE sessions SET title = ?, titled = ? WHERE id = ?", (*given, number))
        audit.record(db, "session.title", name, title=said)


def load_history(ws: Workspace, id: str) -> list[SessionMessage]:
    """Return the messages of a session that are not pruned, as of now(), oldest first; [] where there is none."""
    name = check_id(id)
    try:
        number = session_row(ws, name)
    except NotFound:
        return []
    return _load_messages(ws, number, name)


def add_message(
    ws: Workspace,
    id: str,
    role: str,
    content: str,
    *,
    turn: str = "",
    importance: int = 0,
    origins: Sequence[str] = (),
) -> int:
    """Append a message and return its number. The session is made where there is none.

    Question and answer of one turn belong together by `turn`; whoever adds both holds queue() meanwhile.
    """
    import json

    name = check_id(id)
    _check_importance(importance)
    if role not in ROLES:
        raise UsageError("{role!r} is not one of {roles}", role=role, roles=", ".join(ROLES))
    try:
        content.encode()
    except UnicodeEncodeError:
        raise BadData("the message is not valid UTF-8") from None
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        number = begin_session(db, name, moment)
        cursor = db.execute(
            "INSERT INTO messages (session, turn, role, content, importance, tokens, origins, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                turn,
                role,
                content,
                importance,
                estimate_tokens(content),
                json.dumps(list(origins), ensure_ascii=False) if origins else None,
                moment,
            ),
        )
    return cursor.lastrowid or 0


def mark_message(ws: Workspace, message_id: int, importance: int) -> None:
    """Change the importance of a message that is not pruned.

    raises  NotFound; UsageError for what is not 0, 1 or 2.
    """
    _check_importance(importance)
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        found = db.execute(
            "SELECT s.name FROM messages m JOIN sessions s ON s.id = m.session"
            " WHERE m.id = ? AND m.deleted IS NULL AND s.deleted IS NULL AND m.created <= ?",
            (message_id, moment),
        ).fetchone()
        if found is None:
            raise NotFound(
                "message {number} does not exist", number=message_id, hint="`ia session show ID` lists all messages"
            )
        db.execute("UPDATE messages SET importance = ? WHERE id = ?", (importance, message_id))
        audit.record(db, "session.mark", found[0], message=message_id, importance=importance)


def withdraw_messages(ws: Workspace, messages: Iterable[SessionMessage]) -> None:
    """Take messages back, logically: the session goes on as if they had never been said."""
    with open_transaction(ws) as db:
        mark_gone(db, messages)


def mark_gone(db: sqlite3.Connection, messages: Iterable[SessionMessage]) -> None:
    """Mark messages as gone at now(). The caller holds a transaction."""
    moment = clock.utc_stamp(clock.now())
    db.executemany("UPDATE messages SET deleted = ? WHERE id = ?", [(moment, message.id) for message in messages])


def delete_session(ws: Workspace, id: str) -> None:
    """Delete a session with its messages, logically: a new one of this name begins empty.

    raises  NotFound; Refused where `--now` is earlier than its newest message.
    """
    name = check_id(id)
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        number = session_row(ws, name)
        later = db.execute("SELECT 1 FROM messages WHERE session = ? AND created > ?", (number, moment)).fetchone()
        if later:
            raise Refused("session {id} has messages later than --now", id=name, hint="omit --now")
        db.execute("UPDATE sessions SET deleted = ? WHERE id = ?", (moment, number))
        audit.record(db, "session.delete", name)


@contextlib.contextmanager
def open_transaction(ws: Workspace) -> Iterator[sqlite3.Connection]:
    """Hold a transaction on ia.db; what SQLite raises comes out as an IaError."""
    with store.translate_errors(store.PRECIOUS, ws.root), store.transaction(ws.db):
        yield ws.db


def messages_of(ws: Workspace, id: str) -> list[SessionMessage]:
    """Return what history() does, but raise NotFound where there is no such session."""
    name = check_id(id)
    return _load_messages(ws, session_row(ws, name), name)


def begin_session(db: sqlite3.Connection, name: str, moment: str) -> int:
    """Return the row of the session that is in use, made where there is none; a message before it moves its begin."""
    row = db.execute("SELECT id, created FROM sessions WHERE name = ? AND deleted IS NULL", (name,)).fetchone()
    if row is None:
        return db.execute("INSERT INTO sessions (name, created) VALUES (?, ?)", (name, moment)).lastrowid or 0
    if moment < row[1]:
        db.execute("UPDATE sessions SET created = ? WHERE id = ?", (moment, row[0]))
    return int(row[0])


def session_row(ws: Workspace, name: str) -> int:
    """Return the row of a session as of now(). raises NotFound where there is none."""
    found = ws.db.execute(
        "SELECT id FROM sessions WHERE name = :name AND created <= :now AND (deleted IS NULL OR deleted > :now)"
        " ORDER BY id DESC",
        {"name": name, "now": clock.utc_stamp(clock.now())},
    ).fetchone()
    if found is None:
        raise _missing_error(name)
    return int(found[0])


def _missing_error(name: str) -> NotFound:
    return NotFound("{id}: no such session", id=name, hint="`ia session list` lists all sessions")


def _load_sessions(ws: Workspace, number: int | None = None) -> list[Session]:
    moment = clock.utc_stamp(clock.now())
    rows = ws.db.execute(
        "SELECT s.id, s.name, s.created, coalesce(max(m.created), s.created),"
        " sum(m.id IS NOT NULL AND (m.deleted IS NULL OR m.deleted > :now)),"
        " coalesce(sum(m.tokens) FILTER (WHERE m.deleted IS NULL OR m.deleted > :now), 0)"
        " FROM sessions s LEFT JOIN messages m ON m.session = s.id AND m.created <= :now"
        " WHERE s.created <= :now AND (s.deleted IS NULL OR s.deleted > :now) AND (:id IS NULL OR s.id = :id)"
        " GROUP BY s.id ORDER BY 4 DESC, max(m.id) DESC",
        {"now": moment, "id": number},
    ).fetchall()
    return [
        Session(
            id=name,
            created=created,
            last_active=active,
            summary=_pruned_summary(ws, row, moment),
            messages=count,
            tokens=size,
            title=_find_title(ws, row, moment),
        )
        for row, name, created, active, count, size in rows
    ]


def _find_title(ws: Workspace, number: int, moment: str) -> str:
    """Return the title that was given, or the first question, which stays when it is pruned, but not when withdrawn."""
    given = ws.db.execute("SELECT title FROM sessions WHERE id = ? AND titled <= ?", (number, moment)).fetchone()
    if given is not None:
        return str(given[0])
    first = ws.db.execute(
        "SELECT content FROM messages WHERE session = ? AND role = 'user' AND created <= ?"
        " AND (deleted IS NULL OR deleted > ? OR gist IS NOT NULL) ORDER BY id LIMIT 1",
        (number, moment, moment),
    ).fetchone()
    return make_title(first[0]) if first else ""


def _pruned_summary(ws: Workspace, number: int, moment: str) -> str:
    """Return the lines that stand for what was pruned, the oldest left out beyond SUMMARY_TOKENS."""
    kept: list[str] = []
    room = SUMMARY_TOKENS
    for (gist,) in ws.db.execute(
        "SELECT gist FROM messages WHERE session = ? AND gist IS NOT NULL AND deleted <= ? ORDER BY id DESC",
        (number, moment),
    ):
        room -= estimate_tokens(gist) + 1
        if room < 0:
            break
        kept.append(gist)
    return "\n".join(reversed(kept))


def _load_messages(ws: Workspace, number: int, name: str) -> list[SessionMessage]:
    rows = ws.db.execute(
        "SELECT id, turn, role, content, importance, tokens, origins, created, deleted FROM messages"
        " WHERE session = :id AND created <= :now AND (deleted IS NULL OR deleted > :now) ORDER BY id",
        {"id": number, "now": clock.utc_stamp(clock.now())},
    )
    return [_make_message(name, row) for row in rows]


def _make_message(name: str, row: tuple[Any, ...]) -> SessionMessage:
    import json

    id, turn, role, content, importance, size, origins, created, deleted = row
    named = tuple(json.loads(origins)) if origins else ()
    return SessionMessage(
        id=id,
        session=name,
        turn=turn or "",
        role=role,
        content=content,
        importance=importance,
        tokens=size,
        origins=named,
        created=created,
        deleted=deleted,
    )


def _check_importance(importance: int) -> None:
    if importance not in (0, 1, 2):
        raise UsageError("{importance}: importance must be 0, 1 or 2", importance=importance)
