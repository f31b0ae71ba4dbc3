"""What a session knows beside its messages: slots that forms have filled, and the skills that are active in it.

Nothing is erased: a slot that is filled anew keeps its earlier value, so that `--now` before it still sees that one.
"""

import json
from collections.abc import Mapping
from typing import Any

from ia.kernel import audit, clock
from ia.kernel.errors import NotFound
from ia.kernel.workspace import Workspace
from ia.organs.sessions.transcript import begin_session, check_id, open_transaction, session_row


def fill_slots(ws: Workspace, id: str, values: Mapping[str, Any]) -> None:
    """Fill slots of a session, all together; None empties one. The session is made where there is none."""
    name = check_id(id)
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        number = begin_session(db, name, moment)
        db.executemany(
            "INSERT INTO slots (session, name, value, created) VALUES (?, ?, ?, ?)",
            [
                (number, slot, None if value is None else json.dumps(value, ensure_ascii=False), moment)
                for slot, value in values.items()
            ],
        )
        audit.record(db, "session.slots", name, slots=sorted(values))


def load_slots(ws: Workspace, id: str) -> dict[str, Any]:
    """Return the slots of a session as of now(): name -> value; {} where there is no such session."""
    if (number := _find_row(ws, id)) is None:
        return {}
    rows = ws.db.execute(
        "SELECT name, value FROM slots WHERE session = ? AND created <= ? ORDER BY id",
        (number, clock.utc_stamp(clock.now())),
    )
    newest = dict(rows.fetchall())
    return {name: json.loads(value) for name, value in newest.items() if value is not None}


def activate_skill(ws: Workspace, id: str, skill: str) -> None:
    """Remember that a skill is active in a session."""
    name = check_id(id)
    if skill in list_active_skills(ws, name):
        return
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        number = begin_session(db, name, moment)
        db.execute("INSERT INTO session_skills (session, skill, begun) VALUES (?, ?, ?)", (number, skill, moment))


def list_active_skills(ws: Workspace, id: str) -> list[str]:
    """Return the skills that are active in a session as of now(), the first one first."""
    if (number := _find_row(ws, id)) is None:
        return []
    moment = clock.utc_stamp(clock.now())
    rows = ws.db.execute(
        "SELECT skill FROM session_skills WHERE session = ? AND begun <= ? AND (ended IS NULL OR ended > ?)"
        " ORDER BY id",
        (number, moment, moment),
    )
    return list(dict.fromkeys(skill for (skill,) in rows))


def _find_row(ws: Workspace, id: str) -> int | None:
    try:
        return session_row(ws, check_id(id))
    except NotFound:
        return None
