"""Recall: what is found, in which order, and that no change to a file is missed."""

import os
import random
import shutil

import pytest

from ia.kernel import clock, folders, store
from ia.kernel.errors import BadData, UsageError, drop_message
from ia.organs import notebook
from ia.organs.memory import writing
from ia.organs.recall import index
from ia.organs.recall.search import extract_excerpt, recall_notes
from ia.organs.recall.terms import parse_query, to_index_text


def put(ws, path, text):
    """Write a file of a workspace as a person does: not through ia."""
    os.makedirs(os.path.join(ws.root, ".ia"), exist_ok=True)
    absolute = os.path.join(ws.root, path)
    os.makedirs(os.path.dirname(absolute), exist_ok=True)
    with open(absolute, "w", encoding="utf-8") as file:
        file.write(text)
    return absolute


def found(ws, query, **kwargs):
    return [hit.source.removeprefix("notebook/").removesuffix(".md") for hit in recall_notes(ws, query, **kwargs)]


@pytest.fixture
def library(ws):
    put(ws, "notebook/moutai.md", "# 贵州茅台\n\n估值不便宜，批价企稳。\n\nRSI 28，超卖。")
    put(ws, "notebook/bank.md", "招商银行的净息差收窄，中国银行业承压")
    put(ws, "notebook/split.md", "他去了中国，银行业绩发布")
    put(ws, "notebook/moat.md", "Wide moats and pricing power; earnings of AAPL rose 300 bps")
    put(ws, "notebook/code.md", "跟踪 600519.SH 与 00700.HK，ROE>15%，5G光模块")
    put(ws, "notebook/other.md", "天气很好，大涨小跌")
    return ws


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("茅台", ["moutai"]),
        ("银行", ["bank", "split"]),
        ("中国银行", ["bank"]),  # not across the comma
        ("涨", ["other"]),
        ("跌", ["other"]),  # the last character of a run
        ("茅台 估值", ["moutai"]),
        ("moat", ["moat"]),
        ("MOATS", ["moat"]),
        ("earning", ["moat"]),
        ("rsi 28", ["moutai"]),
        ("ＲＳＩ", ["moutai"]),  # full width
        ("600519", ["code"]),
        ("6005", ["code"]),
        ("pric", ["moat"]),
        ("600519.SH", ["code"]),
        ("5G光模块", ["code"]),
        ("光模块", ["code"]),
        ("ROE>15%", ["code"]),
        ('"茅台" AND (', ["moutai"]),
    ],
)
def test_a_short_query_is_matched_exactly(library, query, expected):
    assert sorted(found(library, query)) == expected


def test_a_question_is_ranked_by_its_words(library):
    assert found(library, "请问贵州茅台现在的估值和批价是什么水平？")[0] == "moutai"
    assert found(library, "what happened to the earnings of Apple and its pricing power")[0] == "moat"


@pytest.mark.parametrize("query", ["", "。？！", "   ", "()*^"])
def test_a_query_without_words_is_bad_data(library, query):
    with pytest.raises(BadData):
        recall_notes(library, query)


@pytest.mark.parametrize(
    "query", ["NEAR(a b)", 'a" OR "b', "col:x", "-茅台", "茅*台", "a AND", "^x", "{a b}:x", "'; DROP TABLE files"]
)
def test_the_language_of_the_index_is_not_spoken_by_queries(library, query):
    assert isinstance(recall_notes(library, query), list)


def test_nothing_is_found_where_nothing_is(ws, library):
    assert recall_notes(ws, "量子") == []


def test_words_in_different_passages_of_a_long_note_are_all_words_of_the_note(ws):
    put(ws, "notebook/long.md", "# 茅台\n\n" + "一段很长的话。" * 300 + "\n\n# 银行\n\n" + "另一段话。" * 300)
    put(ws, "notebook/half.md", "茅台")
    assert found(ws, "茅台 银行") == ["long"]
    hits = recall_notes(ws, "另一段话")
    assert [hit.source for hit in hits] == ["notebook/long.md"]  # one hit a note


def test_newer_notes_weigh_more_and_relevance_weighs_most(ws, monkeypatch):
    put(ws, "notebook/2020-01-01.md", "茅台 批价")
    put(ws, "notebook/2024-03-01.md", "茅台 批价")
    put(ws, "notebook/2024-03-02.md", "天气 很好 " * 50 + "茅台 批价")
    monkeypatch.setattr(clock, "today", lambda: "2024-03-15")
    for number in range(8):
        put(ws, f"notebook/filler{number}.md", "别的")
    assert found(ws, "茅台") == ["2024-03-01", "2020-01-01", "2024-03-02"]


def test_restrictions(ws):
    put(ws, "notebook/2024-03-01.md", "茅台")
    put(ws, "knowledge/book.md", "茅台")
    put(ws, "memory/journal/2024-03-10.md", "茅台")
    put(ws, "memory/observations/2024-02-01-x.md", "茅台")
    sources = lambda **kwargs: sorted(hit.source for hit in recall_notes(ws, "茅台", **kwargs))  # noqa: E731
    assert len(sources()) == 4
    assert sources(areas=("journal",)) == ["memory/journal/2024-03-10.md"]
    assert sources(areas=("memory", "knowledge")) == ["knowledge/book.md", "memory/observations/2024-02-01-x.md"]
    assert "memory/observations/2024-02-01-x.md" not in sources(since="2024-03-01")
    assert len(sources(limit=2)) == 2
    with pytest.raises(UsageError):
        recall_notes(ws, "茅台", areas=("attic",))
    with pytest.raises(UsageError):
        recall_notes(ws, "茅台", since="some day")


def test_the_date_of_a_note(ws):
    put(ws, "notebook/r/2024-03-15.md", "甲乙")
    put(ws, "notebook/front.md", "---\ntitle: x\ndate: 2023-05-06\n---\n甲乙")
    path = put(ws, "notebook/mtime.md", "甲乙")
    os.utime(path, (1_600_000_000, 1_600_000_000))
    dates = {hit.source: hit.date for hit in recall_notes(ws, "甲乙")}
    assert dates["notebook/r/2024-03-15.md"] == "2024-03-15"
    assert dates["notebook/front.md"] == "2023-05-06"
    assert dates["notebook/mtime.md"].startswith("2020-09-1")


def test_no_edit_by_hand_is_missed(ws):
    path = put(ws, "notebook/a.md", "茅台 aaaa")
    assert found(ws, "茅台") == ["a"]
    put(ws, "notebook/a.md", "银行 aaaa")  # same size, perhaps within the same tick of the clock
    assert found(ws, "茅台") == [] and found(ws, "银行") == ["a"]
    stat = os.stat(path)
    put(ws, "notebook/a.md", "白酒 aaaa")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same size, same mtime
    assert found(ws, "白酒") == ["a"] and found(ws, "银行") == []
    os.rename(path, os.path.join(ws.root, "notebook/b.md"))
    assert found(ws, "白酒") == ["b"]
    os.makedirs(os.path.join(ws.root, "notebook/deep/er"))
    os.rename(os.path.join(ws.root, "notebook/b.md"), os.path.join(ws.root, "notebook/deep/er/c.md"))
    assert found(ws, "白酒") == ["deep/er/c"]
    shutil.rmtree(os.path.join(ws.root, "notebook/deep"))
    assert found(ws, "白酒") == []


def test_an_edit_is_seen_long_after_the_index_settled(ws, monkeypatch):
    monkeypatch.setattr(index, "_SETTLED_NS", -10_000_000_000)  # everything has aged
    for number in range(20):
        put(ws, f"notebook/f{number % 3}/n{number}.md", f"茅台 {number}")
    assert len(found(ws, "茅台", limit=50)) == 20
    looked_at = []
    one = index._update_file
    monkeypatch.setattr(index, "_update_file", lambda *args: looked_at.append(args[3]) or one(*args))
    found(ws, "茅台")
    assert looked_at == []
    put(ws, "notebook/f1/n4.md", "银行 4")
    assert found(ws, "银行") == ["f1/n4"]
    assert looked_at == ["n4.md"]


def test_a_write_through_ia_is_entered_at_once(ws):
    put(ws, "notebook/b.md", "五粮液")
    found(ws, "茅台")
    notebook.write_note(ws, "a", "茅台")
    conn = store.connect(ws.root, index.PRESENT)
    assert conn.execute("SELECT count(*) FROM words WHERE words MATCH '茅台'").fetchone() == (1,)
    conn.close()
    notebook.remove_note(ws, "a")
    assert found(ws, "茅台") == []


def test_a_broken_file_hides_nothing_and_is_reported(ws, tmp_path):
    put(ws, "notebook/good.md", "茅台")
    with open(os.path.join(ws.root, "notebook/gbk.md"), "wb") as file:
        file.write("茅台 白酒".encode("gbk"))
    os.mkfifo(os.path.join(ws.root, "notebook/fifo.md"))
    with open(os.path.join(os.fsencode(ws.root), b"notebook/\xff\xfe.md"), "wb") as file:
        file.write("茅台".encode())
    os.makedirs(os.path.join(os.fsencode(ws.root), b"notebook/\xff\xfe"))
    os.symlink("/etc/passwd", os.path.join(ws.root, "notebook/link.md"))
    os.symlink(tmp_path, os.path.join(ws.root, "notebook/folder"))
    os.symlink(tmp_path, os.path.join(ws.root, "knowledge"))
    (tmp_path / "outside.md").write_text("茅台")
    put(ws, "notebook/.hidden.md", "茅台")
    put(ws, "memory/MEMORY.md", "茅台")
    with open(os.path.join(ws.root, "notebook/huge.md"), "wb") as file:
        file.truncate(9_000_000)
    for _ in range(2):
        told = []
        assert [hit.source for hit in recall_notes(ws, "茅台", notify=told.append)] == ["notebook/good.md"]
        assert len(told) == 4, told


def test_deleting_the_cache_changes_no_answer(ws, monkeypatch):
    chance = random.Random(3)
    for number in range(60):
        words = " ".join(
            chance.choice(["茅台", "银行", "moat", "批价", "净息差", "储能"]) for _ in range(chance.randint(3, 30))
        )
        put(ws, f"notebook/{number % 7}/{number}.md", words)
    before = {}
    for query in ("茅台", "茅台 银行", "储能和净息差的关系是什么", "moats of banks and prices"):
        recall_notes(ws, query)
        put(ws, f"notebook/3/{len(before)}.md", "改过 储能 茅台")
        before[query] = recall_notes(ws, query)
    before = {query: recall_notes(ws, query) for query in before}
    shutil.rmtree(os.path.join(ws.root, ".ia/cache"))
    assert {query: recall_notes(ws, query) for query in before} == before
    with open(os.path.join(ws.root, ".ia/cache/index.db"), "wb") as file:
        file.write(b"this is no database" * 1000)
    assert {query: recall_notes(ws, query) for query in before} == before


def test_with_now_the_index_is_the_past_one(ws, monkeypatch):
    def at(moment):
        monkeypatch.setenv("IA_NOW", moment)

    at("2024-03-15T10:00")
    notebook.write_note(ws, "a", "茅台 first")
    notebook.write_note(ws, "gone", "茅台 gone")
    writing.log_journal(ws, "茅台 journal")
    at("2024-03-17T10:00")
    notebook.write_note(ws, "a", "银行 second")
    notebook.write_note(ws, "b", "茅台 later")
    notebook.remove_note(ws, "gone")
    put(ws, "notebook/hand.md", "茅台 by hand, now")
    past = ["a", "gone", "memory/journal/2024-03-15"]
    for _ in range(2):
        at("2024-03-16")
        assert sorted(found(ws, "茅台")) == past
        assert found(ws, "银行") == [] and found(ws, "second") == []
        at("2024-03-18")
        assert sorted(found(ws, "茅台")) == ["b", "memory/journal/2024-03-15"]
        at("2024-03-14")
        assert found(ws, "茅台") == []
    monkeypatch.delenv("IA_NOW")
    assert sorted(found(ws, "茅台")) == ["b", "hand", "memory/journal/2024-03-15"]


def test_with_now_what_a_later_note_says_changes_no_score(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15")
    for number in range(5):
        notebook.write_note(ws, f"n{number}", "茅台 " * number + f"别的 {number}")
    before = recall_notes(ws, "茅台")
    monkeypatch.setenv("IA_NOW", "2024-03-20")
    for number in range(50):
        notebook.write_note(ws, f"later{number}", "茅台")
    monkeypatch.setenv("IA_NOW", "2024-03-15")
    assert recall_notes(ws, "茅台") == before


@pytest.fixture
def many(ws):
    for number in range(300):
        put(ws, f"notebook/{number % 7}/{number % 30}/{number}.md", "x")
    return ws.root


def test_many_files_are_shared_with_a_second_process(many):
    alone = folders.folder_digests(many)
    assert len(alone) == len({(number % 7, number % 30) for number in range(300)})
    assert sorted(folders.folder_digests(many, folders._MANY)) == sorted(alone)


def test_a_second_process_that_dies_costs_only_time(many, monkeypatch):
    alone = folders.folder_digests(many)
    monkeypatch.setattr("marshal.dump", lambda *_: os._exit(9))
    assert sorted(folders.folder_digests(many, folders._MANY)) == sorted(alone)


def test_an_index_that_another_process_builds_is_read_as_it_is(ws, monkeypatch):
    put(ws, "notebook/a.md", "茅台")
    assert found(ws, "茅台") == ["a"]
    put(ws, "notebook/b.md", "茅台")
    other = store.connect(ws.root, index.PRESENT)
    other.execute("BEGIN IMMEDIATE")
    connect = store.connect

    def impatient(*args):
        conn = connect(*args)
        conn.execute("PRAGMA busy_timeout = 50")
        return conn

    monkeypatch.setattr(store, "connect", impatient)
    told = []
    assert found(ws, "茅台", notify=told.append) == ["a"]
    assert "another process" in str(told[0])
    other.execute("ROLLBACK")
    other.close()
    assert sorted(found(ws, "茅台")) == ["a", "b"]


def test_a_file_that_another_process_enters_first_is_entered_once(ws):
    notebook.write_note(ws, "a/first.md", "moat")
    index.open_index(ws).close()
    with open(os.path.join(ws.root, "notebook/a/second.md"), "w", encoding="utf-8") as file:
        file.write("moat again")
    conn = store.connect(ws.root, index.PRESENT)
    entered = []

    def enter_first(statement):
        if statement == "BEGIN IMMEDIATE" and not entered:
            entered.append(statement)
            index.index_file(ws, "notebook/a/second.md")

    conn.set_trace_callback(enter_first)
    index._apply_changes(ws, conn, index._changed_folders(ws, conn, None), drop_message)
    conn.close()
    assert entered and [hit.source for hit in recall_notes(ws, "again")] == ["notebook/a/second.md"]


def test_spelling():
    assert to_index_text("中国银行，AAPL涨了").split() == ["中国", "国银", "银行", "行", ",aapl", "涨了", "了"]
    assert parse_query("中国银行 涨").exact == ('"中国 国银 银行"', '"涨"*')
    assert parse_query("贵州茅台600519").exact == ('"贵州 州茅 茅台 台 600519"',)
    assert parse_query("请问茅台").tokens == ("问茅", "茅台")


@pytest.mark.parametrize("length", [10, 1500, 1501, 50_000])
def test_passages_hold_all_of_a_text(length):
    chance = random.Random(length)
    text = "".join(chance.choice(["甲乙丙。", "word ", "\n", "\n\n# head\n", "。"]) for _ in range(length))
    pieces = index.split_passages(text)
    assert all(len(piece) <= index.PASSAGE + 2 for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_the_passage_shown_is_whole_lines_around_the_match():
    lines = [f"line {number} says nothing at all about it" for number in range(100)]
    lines[40] = "茅台的估值在这里"
    shown = extract_excerpt("\n".join(lines), ("茅台", "估值"))
    assert "茅台的估值在这里" in shown.splitlines() and len(shown) <= 310
    assert set(shown.splitlines()) <= set(lines)
    sentence = extract_excerpt("无关的话。" * 200 + "茅台的估值在这里。" + "无关的话。" * 200, ("茅台", "估值"))
    assert "茅台的估值在这里。" in sentence and len(sentence) < 320


def test_what_is_written_in_the_past_is_found_then(ws, monkeypatch):
    for name in "abc":
        notebook.write_note(ws, name, "白酒 later")
        notebook.remove_note(ws, name)
    monkeypatch.setenv("IA_NOW", "2024-01-01")
    assert found(ws, "白酒") == []
    for name in "abc":
        notebook.write_note(ws, name, "银行 one")
        notebook.append_note(ws, name, "煤炭 two")
        assert name in found(ws, "煤炭")
    assert sorted(found(ws, "银行")) == ["a", "b", "c"] and found(ws, "白酒") == []
    monkeypatch.setenv("IA_NOW", "2023-12-01")
    assert found(ws, "银行") == []


@pytest.mark.parametrize("how", ["recall", "write"])
def test_an_index_that_is_damaged_in_the_middle_is_rebuilt(ws, indexes, how):
    ws.write("soul.md", "a workspace that was written to")
    for number in range(60):
        put(ws, f"notebook/n{number}.md", f"动能衰减 number {number} " + "词句 " * 400)
    assert len(recall_notes(ws, "动能", limit=100)) == 60
    path = os.path.join(ws.root, ".ia", "cache", "index.db")
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(8192)
        file.write(os.urandom(size - 8192))
    if how == "write":
        notebook.write_note(ws, "new", "动能 new")
        assert not indexes
    assert len(recall_notes(ws, "动能", limit=100)) == 60 + (how == "write")


def test_a_folder_whose_name_ends_as_a_file_s_is_looked_into(ws):
    notebook.write_note(ws, "a.md/b.md/inside", "moat")
    assert [hit.source for hit in recall_notes(ws, "moat")] == ["notebook/a.md/b.md/inside.md"]
    os.unlink(os.path.join(ws.root, "notebook/a.md/b.md/inside.md"))
    assert recall_notes(ws, "moat") == []


def test_an_entry_of_a_journal_counts_with_those_around_it(ws):
    talk = ["[09:30] Where did you go on Sunday?", "[09:31] To the lake, with the children."]
    put(
        ws,
        "memory/journal/2024-03-01.md",
        "# 2024-03-01\n" + "\n".join([*talk, *[f"[10:{n}] rain" for n in range(10, 40)]]),
    )
    put(
        ws, "memory/journal/2024-03-02.md", "# 2024-03-02\n[09:30] We saw a lake.\n[12:00] lunch\n[13:00] Sunday rest\n"
    )
    hits = recall_notes(ws, "who went to the lake on Sunday")
    assert [hit.source for hit in hits] == ["memory/journal/2024-03-01.md", "memory/journal/2024-03-02.md"]
    assert talk[0] in hits[0].content and talk[1] in hits[0].content


def test_passages_of_a_note_count_alone(ws):
    text = "# lake\n\n" + "\n\n".join(f"{word} {'x ' * 700}" for word in ("lake", "Sunday", "boat"))
    put(ws, "notebook/long.md", text)
    assert found(ws, "lake Sunday boat") == ["long"]


def test_a_change_in_a_journal_is_found_and_what_went_is_gone(ws):
    put(ws, "memory/journal/2024-03-01.md", "[09:30] alpha\n[09:31] beta\n")
    assert recall_notes(ws, "beta")
    put(ws, "memory/journal/2024-03-01.md", "[09:30] alpha\n[09:31] gamma\n")
    assert not recall_notes(ws, "beta") and recall_notes(ws, "gamma")[0].content == "[09:30] alpha\n[09:31] gamma"
