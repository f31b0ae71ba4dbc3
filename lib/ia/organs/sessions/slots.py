"""What a session knows beside its messages: slots of forms, active skills, and what their phases have produced.

Nothing is erased: a slot that is filled anew keeps its earlier value, so that `--now` before it still sees that one.
"""

import json
from collections.abc import Mapping
from typing import Any

from ia.kernel import audit, clock
from ia.kernel.errors import NotFound
from ia.kernel.workspace import Workspace
from ia.organs.sessions.transcript import begin_session, check_id, open_transaction, session_row

USER = 0
"""In place of a session: slots about the user, which hold in every session that has no value of its own."""


def keep_user_slots(ws: Workspace, values: Mapping[str, Any]) -> None:
    """Fill slots about the user, all together; None empties one."""
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        _insert_slots(db, USER, values, moment)
        audit.record(db, "user.slots", "user", slots=sorted(values))


def load_user_slots(ws: Workspace) -> dict[str, Any]:
    """Return the slots about the user as of now(): name -> value."""
    return _load_newest(ws, USER)


def fill_slots(ws: Workspace, id: str, values: Mapping[str, Any]) -> None:
    """Fill slots of a session, all together; None empties one. The session is made where there is none.

    What a skill has produced from the earlier value of a slot is dropped.
    """
    name = check_id(id)
    moment = clock.utc_stamp(clock.now())
    before = load_slots(ws, name)
    with open_transaction(ws) as db:
        number = begin_session(db, name, moment)
        _insert_slots(db, number, values, moment)
        audit.record(db, "session.slots", name, slots=sorted(values))
    changed = {slot for slot, value in values.items() if value != before.get(slot)}
    for skill, outputs in load_outputs(ws, name).items():
        stale = [output for output, made in outputs.items() if changed & set(made.get("uses", ()))]
        keep_outputs(ws, name, skill, dict.fromkeys(stale))


def load_slots(ws: Workspace, id: str) -> dict[str, Any]:
    """Return the slots of a session as of now(): name -> value; those about the user where it has none of its own."""
    return {**load_user_slots(ws), **load_own_slots(ws, id)}


def load_own_slots(ws: Workspace, id: str) -> dict[str, Any]:
    """Return the slots that were filled in a session; {} where there is no such session."""
    number = _find_row(ws, id)
    return {} if number is None else _load_newest(ws, number)


def _load_newest(ws: Workspace, number: int) -> dict[str, Any]:
    rows = ws.db.execute(
        "SELECT name, value FROM slots WHERE session = ? AND created <= ? ORDER BY id",
        (number, clock.utc_stamp(clock.now())),
    )
    newest = dict(rows.fetchall())
    return {name: json.loads(value) for name, value in newest.items() if value is not None}


def _insert_slots(db: Any, number: int, values: Mapping[str, Any], moment: str) -> None:
    db.executemany(
        "INSERT INTO slots (session, name, value, created) VALUES (?, ?, ?, ?)",
        [
            (number, slot, None if value is None else json.dumps(value, ensure_ascii=False), moment)
            for slot, value in values.items()
        ],
    )


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


def keep_outputs(ws: Workspace, id: str, skill: str, values: Mapping[str, Any]) -> None:
    """Keep outputs of the phases of a skill: name -> what is known of it; None drops one.

    An output that was made from slots has `uses`, their names.
    """
    if not values:
        return
    name = check_id(id)
    moment = clock.utc_stamp(clock.now())
    with open_transaction(ws) as db:
        number = begin_session(db, name, moment)
        db.executemany(
            "INSERT INTO outputs (session, skill, name, value, created) VALUES (?, ?, ?, ?, ?)",
            [
                (number, skill, output, None if value is None else json.dumps(value, ensure_ascii=False), moment)
                for output, value in values.items()
            ],
        )


def load_outputs(ws: Workspace, id: str) -> dict[str, dict[str, Any]]:
    """Return what the phases of skills have produced in a session as of now(): skill -> output -> what is known."""
    if (number := _find_row(ws, id)) is None:
        return {}
    rows = ws.db.execute(
        "SELECT skill, name, value FROM outputs WHERE session = ? AND created <= ? ORDER BY id",
        (number, clock.utc_stamp(clock.now())),
    )
    found: dict[str, dict[str, Any]] = {}
    for skill, output, value in rows:
        made = found.setdefault(skill, {})
        made.pop(output, None)
        if value is not None:
            made[output] = json.loads(value)
    return {skill: made for skill, made in found.items() if made and skill}


def keep_open_form(ws: Workspace, id: str, state: dict[str, Any] | None) -> None:
    """Keep how far the form that a chat asks has come, under no skill's name; None closes it."""
    keep_outputs(ws, id, "", {"form": state})


def load_open_form(ws: Workspace, id: str) -> dict[str, Any] | None:
    """Return how far the form that a chat asks has come; None where none is open."""
    if (number := _find_row(ws, id)) is None:
        return None
    row = ws.db.execute(
        "SELECT value FROM outputs WHERE session = ? AND skill = '' AND created <= ? ORDER BY id DESC LIMIT 1",
        (number, clock.utc_stamp(clock.now())),
    ).fetchone()
    return json.loads(row[0]) if row and row[0] else None


def _find_row(ws: Workspace, id: str) -> int | None:
    try:
        return session_row(ws, check_id(id))
    except NotFound:
        return None
