"""Databases written by earlier programs open without loss.

tests/fixtures/databases holds one file for each version of ia.db and market.db, written by the program of its time. In an
ia.db each table of its version holds a row.
"""

import contextlib
import gzip
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from ia.kernel import proposals, store, untrusted
from ia.kernel.workspace import Workspace, text_digest
from ia.organs import marketdb
from ia.organs.market import store as whole_market
from ia.organs.ohlcv import series_store
from support.program import REPO

DATABASES = REPO / "tests" / "fixtures" / "databases"
IA_VERSION, MARKET_VERSION = 12, 5


def unpack(name, path):
    """Unpack a database of tests/databases."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(DATABASES / f"{name}.gz") as packed, open(path, "wb") as file:
        shutil.copyfileobj(packed, file)


def read_schema(db):
    """Return what each table, index and trigger is, without the whitespace and quotes of its SQL."""
    rows = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {name: " ".join(sql.replace('"', "").replace("(", " ( ").replace(")", " ) ").split()) for name, sql in rows}


def read_rows(path):
    """Return the rows of every table as {column: value}."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: [dict(row) for row in db.execute(f'SELECT * FROM "{table}"')] for table in tables}


def assert_kept(before, after):
    """Assert that every row is there still, and every column of it."""
    for table, rows in before.items():
        kept = [{column: row[column] for column in old} for old, row in zip(rows, after[table], strict=True)]
        assert kept == rows, table


@pytest.fixture
def newest(tmp_path):
    """The schema of a database as the earlier program made it, at its newest version."""

    def read(name):
        unpack(name, tmp_path / name)
        with contextlib.closing(sqlite3.connect(tmp_path / name)) as db:
            return read_schema(db)

    return read


@pytest.mark.parametrize("version", range(1, IA_VERSION + 1))
def test_ia_db_is_migrated_from_every_version(home, newest, version):
    path = home / ".ia" / "ia.db"
    unpack(f"ia-{version}.db", path)
    before = read_rows(path)
    assert all(before.values())
    with contextlib.closing(store.connect(str(home), store.PRECIOUS)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (IA_VERSION,)
        assert read_schema(db) == newest(f"ia-{IA_VERSION}.db")
    assert_kept(before, read_rows(path))


def insert(db, table, **columns):
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    return db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", (*columns.values(),)).lastrowid


@pytest.fixture
def version_6(home):
    """Fill a database of version 6 with rows by a function, and return the workspace that migrates it."""

    def make(fill):
        path = home / ".ia" / "ia.db"
        unpack("ia-6.db", path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            filled = fill(db)
            db.commit()
        return Workspace(str(home)), filled

    return make


TURN = {"turn": "20240304-1a2b", "session": "daily"}
MADE = "turn 20240304-1a2b; session daily"


@pytest.mark.parametrize(
    ("origin", "because", "known"),
    [
        ("", "why", {}),
        (MADE, "why", TURN),
        ("session daily", "why", {"session": "daily"}),
        (f"{MADE}; untrusted: stdin", "[untrusted: stdin] why", {**TURN, "origins": ("stdin",)}),
        (f"{MADE}; untrusted: stdin, provider:news", "", {**TURN, "origins": ("stdin", "provider:news")}),
        ('untrusted: a "b" \\ c, d', "", {"origins": ('a "b" \\ c', "d")}),
        ("from /tmp/skill", "", {"source": "/tmp/skill"}),
        (f"from https://x.dev/a; {MADE}", "", {**TURN, "source": "https://x.dev/a"}),
        (f"from x; {MADE}; untrusted: stdin", "", {**TURN, "source": "x", "origins": ("stdin",)}),
        ("profile invest", "profile invest", {"profile": "invest"}),
        ("run 5", "task weekly", {}),
        ("run 5", "[untrusted: stdin] task weekly", {"origins": (untrusted.UNKNOWN,)}),
        (MADE, "[untrusted: stdin] why", {**TURN, "origins": (untrusted.UNKNOWN,)}),
        (f"{MADE}; untrusted: ", "", {**TURN, "origins": (untrusted.UNKNOWN,)}),
        (f"{MADE}; untrusted:stdin", "", {**TURN, "origins": (untrusted.UNKNOWN,)}),
        ("the owner's cousin", "", {"origins": (untrusted.UNKNOWN,)}),
        (f"cousin; {MADE}", "", {**TURN, "origins": (untrusted.UNKNOWN,)}),
        ("run 7", "of another run", {"origins": (untrusted.UNKNOWN,)}),
        (None, "", {"origins": (untrusted.UNKNOWN,)}),
    ],
)
def test_where_a_proposal_of_version_6_came_from_is_kept_and_in_doubt_unknown(version_6, origin, because, known):
    ws, number = version_6(
        lambda db: insert(
            db,
            "proposals",
            time="2024-03-04T01:00:00.000Z",
            kind="soul",
            path="soul.md",
            after="x",
            because=because,
            origin=origin,
            actor="model m",
            run=5 if because != "of another run" else None,
        )
    )
    made = proposals.get_proposal(ws, number)
    fields = proposals.ProposalOrigin(**known)
    assert made.origin._replace(session="", turn="") == fields._replace(session="", turn="")
    if untrusted.UNKNOWN not in fields.origins:
        assert made.origin == fields
    assert number in {each.id for each in proposals.pending_proposals(ws)}


def test_what_undid_took_back_or_came_from_a_profile_in_version_6_is_still_known(version_6):
    def fill(db):
        rows = [
            ("a.md", "note", None, "one"),
            ("a.md", "better", "one", "two"),
            ("a.md", "undo of revision {}", "two", "one"),
            ("b.md", "run 12 taken back", "x", None),
            ("c.md", "profile my own", None, "c"),
            ("c.md", "profiles are useful", "c", "d"),
            ("d.md", "undo of revision x", None, "d"),
            ("e.md", "run 12 taken back again", None, "e"),
        ]
        made = []
        for path, why, before, after in rows:
            digests = {"before_sha": before and text_digest(before), "after_sha": after and text_digest(after)}
            time, actor = "2024-03-04T01:00:00.000Z", "user"
            why = why.format(made[-1] if made else "")
            made.append(insert(db, "revisions", time=time, path=path, actor=actor, why=why, before=before, **digests))
        return made

    ws, made = version_6(fill)
    kept = dict(enumerate(ws.db.execute("SELECT undoes, takes_back, profile FROM revisions WHERE id >= ?", made[:1])))
    nothing = (None, None, None)
    assert kept == {
        0: nothing, 1: nothing, 2: (made[1], None, None), 3: (None, 12, None), 4: (None, None, "my own"),
        5: nothing, 6: nothing, 7: nothing,
    }  # fmt: skip
    (Path(ws.root) / "a.md").write_text("one", encoding="utf-8")
    assert ws.find_undoable("a.md").id == made[0], "what was undone is not undone again"


@pytest.mark.parametrize("version", range(1, MARKET_VERSION + 1))
def test_market_db_is_migrated_from_every_version(ws, newest, version):
    path = os.path.join(ws.root, ".ia", "cache", "market.db")
    unpack(f"market-{version}.db", path)
    before = read_rows(path)
    assert len(before["bars"]) == 2 and len(before["actions"]) == 1
    with contextlib.closing(marketdb.connect(ws)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (MARKET_VERSION,)
        assert read_schema(db) == newest(f"market-{MARKET_VERSION}.db")
    assert_kept(before, read_rows(path))


def test_a_new_ia_db_is_as_the_earlier_program_made_it(ws, newest):
    assert read_schema(ws.db) == newest(f"ia-{IA_VERSION}.db")


def test_a_new_market_db_is_as_the_earlier_program_made_it(ws, newest):
    with contextlib.closing(marketdb.connect(ws)) as db:
        assert read_schema(db) == newest(f"market-{MARKET_VERSION}.db")
        counts = db.execute("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx").fetchall()
        assert db.execute("PRAGMA page_size").fetchone() == (16384,)
    path = os.path.join(ws.root, "market-3.db")
    unpack("market-3.db", path)
    with contextlib.closing(sqlite3.connect(path)) as old:
        assert counts == old.execute("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx").fetchall()


def test_an_old_market_is_read(ws):
    unpack("market-3.db", os.path.join(ws.root, ".ia", "cache", "market.db"))
    with contextlib.closing(marketdb.connect(ws)) as db:
        series = series_store.find_series(db, "akshare", "600519.SH")
        assert series_store.load_bars(db, series, "9999").close == [2.0, 2.5]
        assert whole_market.load_bars(db, 1, "600519.SH").close == [2.0, 2.5]
        assert [action.cash for action in whole_market.load_actions(db, 1, "600519.SH")] == [0.5]
