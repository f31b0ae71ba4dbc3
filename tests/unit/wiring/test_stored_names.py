"""The names of the whole market in market.db count wherever a name is read."""

import contextlib

import pytest

from ia.agent.analyst.ask.mentions import find_mentions
from ia.domain.instruments import name_sources
from ia.domain.instruments.symbols import resolve_security
from ia.kernel.errors import NotFound, UsageError
from ia.organs import marketdb
from ia.wiring.stored_names import register_names

NAMES = {"688518.SH": "联赢激光", "688516.SH": "奥特维-U", "300763.SZ": "XD锦浪科", "300024.SZ": "机器人", "002920.SZ": "德赛西威",
         "601975.SH": "*ST 招南"}  # fmt: skip


@pytest.fixture
def stored(ws, monkeypatch):
    monkeypatch.setenv("IA_HOME", ws.root)
    monkeypatch.setattr(name_sources, "registered", {})
    with contextlib.closing(marketdb.connect(ws)) as db:
        db.execute("INSERT INTO sources (id, name, simulated) VALUES (1, 'host', 0)")
        keep(db, NAMES)
    register_names()
    return ws


def keep(db, names):
    rows = [(symbol, symbol[:6], name) for symbol, name in names.items()]
    db.executemany("INSERT INTO securities (source, symbol, code, name, kind) VALUES (1, ?, ?, ?, 'stock')", rows)


@pytest.mark.parametrize(
    ("said", "meant"),
    [("联赢激光", "688518.SH 联赢激光"), ("奥特维", "688516.SH 奥特维-U"), ("招南", "601975.SH *ST 招南"),
     ("688518", "688518.SH 联赢激光"), ("机器人", "300024.SZ 机器人")],
)  # fmt: skip
def test_a_stored_name_means_its_security(stored, said, meant):
    assert str(resolve_security(said)) == meant


def test_the_bundled_table_comes_first_and_unknown_names_stay_unknown(stored):
    assert str(resolve_security("茅台")) == "600519.SH 贵州茅台"
    with pytest.raises((NotFound, UsageError)):
        resolve_security("联赢")
    name_sources.registered.clear()
    with pytest.raises(NotFound):
        resolve_security("联赢激光")


@pytest.mark.parametrize(
    ("question", "codes"),
    [("联赢激光今天收盘多少", ["688518.SH"]), ("比较联赢激光和茅台", ["688518.SH", "600519.SH"]), ("机器人板块怎么样", []),
     ("扫地机器人卖得好吗", []), ("机器人概念股有哪些", []), ("我想买2万元的招南", [])],
)  # fmt: skip
def test_names_are_found_in_sentences_where_they_are_no_everyday_word(stored, question, codes):
    assert [mention.code for mention in find_mentions(question)] == codes


def test_a_name_that_is_synced_later_counts_at_once_and_a_damaged_store_says_nothing(stored, tmp_path, monkeypatch):
    with pytest.raises(NotFound):
        resolve_security("天孚通信")
    with contextlib.closing(marketdb.connect(stored)) as db:
        keep(db, {"300394.SZ": "天孚通信"})
    assert resolve_security("天孚通信").canonical == "300394.SZ"
    other = tmp_path / "other"
    (other / ".ia/cache").mkdir(parents=True)
    (other / ".ia/cache/market.db").write_bytes(b"no database" * 100)
    monkeypatch.setenv("IA_HOME", str(other))
    with pytest.raises(NotFound):
        resolve_security("天孚通信")


def test_without_a_store_none_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_HOME", str(tmp_path))
    monkeypatch.setattr(name_sources, "registered", {})
    register_names()
    with pytest.raises(NotFound):
        resolve_security("联赢激光")
    assert not (tmp_path / ".ia").exists()
