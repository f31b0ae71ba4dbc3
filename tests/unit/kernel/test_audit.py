"""The audit trail."""

from ia.kernel import audit


def test_events_are_filtered_newest_first_and_never_from_the_future(ws, monkeypatch):
    for day, kind, subject, actor in (
        ("2024-03-01", "note.write", "a", "user"),
        ("2024-03-02", "note.append", "a", "agent"),
        ("2024-03-03", "notebook.other", "b", "user"),
        ("2024-03-04", "note", "b", "user"),
    ):
        monkeypatch.setenv("IA_NOW", day)
        audit.record(ws.db, kind, subject, actor, why="茅台")
    kinds = lambda **kwargs: [event.kind for event in audit.events(ws.db, **kwargs)]  # noqa: E731
    assert kinds() == ["note", "notebook.other", "note.append", "note.write"]
    assert kinds(kind="note") == ["note", "note.append", "note.write"]
    assert kinds(kind="note.write") == ["note.write"]
    assert kinds(subject="a", actor="agent") == ["note.append"]
    assert kinds(since="2024-03-03") == ["note", "notebook.other"]
    assert kinds(limit=1) == ["note"]
    monkeypatch.setenv("IA_NOW", "2024-03-02T12:00")
    assert kinds() == ["note.write"]  # a bare date is the end of that day
    assert audit.find_events(ws.db, "note", "b") == []
    assert [event.data for event in audit.find_events(ws.db, "note.write", "a")] == [{"why": "茅台"}]
    assert audit.read_event_fields(ws.db, "note", "b", ("why", "who")) == [("2024-03-04T23:59:59.000Z", "茅台", None)]


def test_the_real_time_is_kept_beside_a_simulated_one(ws, monkeypatch):
    audit.record(ws.db, "x.y")
    monkeypatch.setenv("IA_NOW", "2024-03-15")
    audit.record(ws.db, "x.z")
    monkeypatch.delenv("IA_NOW")
    simulated, real = audit.events(ws.db)
    assert real.wall is None
    assert simulated.time.startswith("2024-03-15") and simulated.wall > "2026"
