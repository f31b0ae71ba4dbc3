"""SQLite, opened: migrated forward, refused where it is newer, thrown away where it can be rebuilt."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ia.kernel import store
from ia.kernel.errors import BadData, ConfigError, Refused, TryLater
from ia.kernel.store.schema import VERSION, read_tables, split_statements


def columns(conn, table):
    return [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]


def one(db):
    db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")


def two(db):
    db.execute("ALTER TABLE t ADD COLUMN b TEXT")


def test_a_precious_database_is_migrated_and_keeps_its_rows(tmp_path):
    (tmp_path / ".ia").mkdir()
    conn = store.connect(str(tmp_path), store.Schema("x.db", True, (one,)))
    conn.execute("INSERT INTO t (a) VALUES ('kept')")
    conn.close()
    conn = store.connect(str(tmp_path), store.Schema("x.db", True, (one, two)))
    assert columns(conn, "t") == ["id", "a", "b"]
    assert conn.execute("SELECT a, b FROM t").fetchall() == [("kept", None)]
    assert conn.execute("PRAGMA user_version").fetchone() == (2,)
    assert conn.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL: what was acknowledged survives a power cut
    conn.close()


def test_a_precious_database_of_a_newer_ia_is_refused_and_left_alone(tmp_path):
    (tmp_path / ".ia").mkdir()
    store.connect(str(tmp_path), store.Schema("x.db", True, (one, two))).close()
    with pytest.raises(ConfigError, match="newer"):
        store.connect(str(tmp_path), store.Schema("x.db", True, (one,)))
    conn = store.connect(str(tmp_path), store.Schema("x.db", True, (one, two)))
    assert columns(conn, "t") == ["id", "a", "b"]
    conn.close()


def test_a_migration_that_fails_leaves_the_old_version(tmp_path):
    (tmp_path / ".ia").mkdir()
    store.connect(str(tmp_path), store.Schema("x.db", True, (one,))).close()

    def broken(db):
        two(db)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.connect(str(tmp_path), store.Schema("x.db", True, (one, broken)))
    conn = store.connect(str(tmp_path), store.Schema("x.db", True, (one,)))
    assert columns(conn, "t") == ["id", "a"]
    conn.close()


@pytest.mark.parametrize("damage", ["garbage", "older", "newer"])
def test_a_rebuildable_database_starts_afresh(tmp_path, damage):
    mine = store.Schema("cache/x.db", False, (one, two))
    path = tmp_path / ".ia" / "cache" / "x.db"
    if damage == "garbage":
        path.parent.mkdir(parents=True)
        path.write_bytes(b"no database at all" * 500)
    else:
        steps = (one,) if damage == "older" else (one, two, lambda db: db.execute("CREATE TABLE u (id INTEGER)"))
        store.connect(str(tmp_path), store.Schema("cache/x.db", False, steps)).close()
    conn = store.connect(str(tmp_path), mine)
    assert columns(conn, "t") == ["id", "a", "b"]
    conn.close()


def test_a_damaged_precious_database_is_never_thrown_away(tmp_path):
    path = tmp_path / ".ia" / "x.db"
    path.parent.mkdir()
    path.write_bytes(b"precious, though damaged" * 500)
    with pytest.raises(BadData, match="damaged"):
        store.connect(str(tmp_path), store.Schema("x.db", True, (one,)))
    assert path.read_bytes().startswith(b"precious")


def test_a_damaged_database_that_is_dear_is_kept_under_another_name(tmp_path):
    schema = store.Schema("cache/x.db", False, (one,), dear=True)
    path = tmp_path / ".ia" / "cache" / "x.db"
    path.parent.mkdir(parents=True)
    for times in (1, 2):
        path.write_bytes(b"dear, though damaged" * 500)
        with pytest.raises(store.Damaged):
            store.connect(str(tmp_path), schema)
        assert store.set_aside_database(str(tmp_path), schema) == f"{path}.damaged-{times}"
        assert (tmp_path / ".ia" / "cache" / f"x.db.damaged-{times}").read_bytes().startswith(b"dear")
        store.connect(str(tmp_path), schema).close()
        assert store.set_aside_database(str(tmp_path), schema) is None


def test_a_transaction_is_all_or_nothing(tmp_path):
    conn = store.connect(str(tmp_path), store.Schema("x.db", True, (one,)))
    with pytest.raises(KeyboardInterrupt), store.transaction(conn):
        conn.execute("INSERT INTO t (a) VALUES ('x')")
        raise KeyboardInterrupt
    assert conn.execute("SELECT count(*) FROM t").fetchone() == (0,)
    conn.close()


def fail(conn, *statements):
    """Return the error of the last statement."""
    for statement in statements[:-1]:
        conn.execute(statement)
    with pytest.raises(sqlite3.OperationalError) as failure:
        conn.execute(statements[-1])
    return failure.value


def test_errors_say_what_to_do(tmp_path):
    mine, other = (sqlite3.connect(tmp_path / "x.db", timeout=0, isolation_level=None) for _ in range(2))
    mine.execute("BEGIN IMMEDIATE")
    held = fail(other, "BEGIN IMMEDIATE")
    assert store.is_busy(held) and isinstance(store.explain_sqlite_error(held), TryLater)
    mine.execute("ROLLBACK")
    full = fail(other, "PRAGMA max_page_count = 2", "CREATE TABLE t (a)", f"INSERT INTO t VALUES ('{'x' * 9000}')")
    assert store.is_out_of_space(full) and not store.is_busy(full)
    assert isinstance(told := store.explain_sqlite_error(full), TryLater) and "disk full" in told.hint
    lacking = fail(mine, "SELECT * FROM missing")
    assert type(store.explain_sqlite_error(lacking)) is BadData and not store.is_out_of_space(lacking)
    broken = sqlite3.OperationalError("whatever SQLite says")
    broken.sqlite_errorcode = sqlite3.SQLITE_IOERR | 3 << 8  # SQLITE_IOERR_WRITE
    assert store.is_out_of_space(broken) and isinstance(store.explain_sqlite_error(broken), TryLater)
    mine.close(), other.close()
    rebuildable = store.explain_sqlite_error(
        sqlite3.DatabaseError("malformed"), store.Schema("cache/index.db", False, (one,))
    )
    assert "ia rebuilds them" in rebuildable.hint


@pytest.mark.process
def test_sqlite_utils_comes_without_pandas():
    import subprocess
    import sys

    code = "import sys; from ia.kernel.store import import_sqlite_utils; import_sqlite_utils(); print('pandas' in sys.modules, 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False False\n"


@pytest.fixture
def unwritable(monkeypatch):
    """Root may write everywhere: so the question whether it may is answered no."""
    monkeypatch.setattr("ia.kernel.store.failures.is_permitted", lambda _: False)
    monkeypatch.setattr("ia.kernel.store.engine._is_creatable", lambda _: False)


@pytest.mark.parametrize("open_elsewhere", [True, False])
def test_what_may_not_be_written_is_read(tmp_path, monkeypatch, open_elsewhere):
    home = tmp_path / "a?b#c%41"
    home.mkdir()
    schema = store.Schema("x.db", True, (one,))
    writer = store.connect(str(home), schema)
    writer.execute("INSERT INTO t (a) VALUES ('kept')")
    assert store.is_writable(writer)
    if not open_elsewhere:
        writer.close()
    monkeypatch.setattr("ia.kernel.store.failures.is_permitted", lambda _: False)
    conn = store.connect(str(home), schema)
    assert conn.execute("SELECT a FROM t").fetchall() == [("kept",)] and not store.is_writable(conn)
    with pytest.raises(sqlite3.OperationalError) as failure:
        conn.execute("INSERT INTO t (a) VALUES ('x')")
    assert isinstance(store.explain_sqlite_error(failure.value), Refused)
    conn.close()
    with pytest.raises(Refused):
        store.connect(str(home), store.Schema("x.db", True, (one, two)))


def test_what_is_not_there_and_may_not_be_made_is_empty(tmp_path, unwritable):
    home = str(tmp_path / "none")
    conn = store.connect(home, store.Schema("x.db", True, (one,)))
    assert conn.execute("SELECT * FROM t").fetchall() == [] and not store.is_writable(conn)
    conn.close()
    conn = store.connect(home, store.Schema("cache/x.db", False, (one,)))
    conn.execute("INSERT INTO t (a) VALUES ('x')")
    assert store.is_writable(conn) and not os.path.exists(home)
    conn.close()


MAKERS = """
import os, sys, time
from ia.kernel import store
from ia.organs.recall.index import PRESENT
start = float(sys.argv[2])
for n in range(60):
    time.sleep(max(0.0, start + n * 0.03 - time.time()))
    for schema in (store.PRECIOUS, PRESENT):
        os.makedirs(os.path.join(sys.argv[1], str(n), ".ia"), exist_ok=True)
        store.connect(os.path.join(sys.argv[1], str(n)), schema).close()
"""


@pytest.mark.process
def test_many_that_make_a_database_at_once_all_get_it(tmp_path):
    """Neither "permission denied" nor "locked": the first look at a new workspace may come from many processes."""
    for n in range(60):
        (tmp_path / str(n) / ".ia" / "cache").mkdir(parents=True)
    start = str(time.time() + 1.0)
    words = [sys.executable, "-c", MAKERS, str(tmp_path), start]
    makers = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(5)]
    ends = [(maker.communicate(timeout=60)[1], maker.returncode) for maker in makers]
    assert ends == [("", 0)] * 5


def test_every_version_of_ia_db_is_declared_in_some_room():
    found = read_tables()
    assert sorted(found) == [*range(1, VERSION + 1)] and all(found.values())


def test_each_table_of_ia_db_is_made_in_one_room():
    rooms = Path(store.__file__).parent.parent.parent
    made = [
        name
        for file in rooms.rglob("tables.sql")
        for name in re.findall(r"^CREATE TABLE (\w+)", file.read_text(), re.M)
    ]
    assert len(made) == len(set(made)) == 17


def test_a_trigger_is_one_statement():
    trigger = "CREATE TRIGGER a BEFORE UPDATE ON t\nBEGIN\n    SELECT 1;\n    SELECT 2;\nEND;\n"
    assert [*split_statements(f"-- first\n{trigger}\nDROP TABLE t;\n-- last\n")] == [
        f"-- first\n{trigger}",
        "\nDROP TABLE t;\n",
    ]


LOADED = """
import json, sys
from ia.kernel.workspace import Workspace
ws = Workspace()
ws.db.execute("SELECT * FROM trades, tasks, sessions, usage, received, notices")
ws.close()
print(json.dumps(sorted({name.split(".")[1] for name in sys.modules if name.startswith("ia.")} | ({"sqlite_utils"} & {*sys.modules}))))
"""


@pytest.mark.process
@pytest.mark.parametrize("present", ["nothing", "ia.db"])
def test_no_room_is_loaded_to_open_ia_db(home, present):
    if present == "ia.db":
        (home / ".ia").mkdir()
        store.connect(str(home), store.PRECIOUS).close()
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    with_tables = {file.parent.name for file in Path(store.__file__).parent.parent.parent.rglob("tables.sql")} - {
        "store"
    }
    assert len(with_tables) == 8
    assert not {*json.loads(run.stdout)} & {*with_tables, "sqlite_utils"}
