"""Databases written by earlier programs open without loss.

tests/fixtures/databases holds one file for each version of ia.db and market.db, written by the program that still kept
every table in one module. In an ia.db each table of its version holds a row.
"""

import contextlib
import gzip
import os
import shutil
import sqlite3

import pytest

from ia.kernel import store
from ia.organs import marketdb
from ia.organs.market import store as whole_market
from ia.organs.ohlcv import series_store
from support.program import REPO

DATABASES = REPO / "tests" / "fixtures" / "databases"
IA_VERSION, MARKET_VERSION = 6, 3


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
