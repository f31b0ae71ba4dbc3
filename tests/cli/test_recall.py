"""ia recall, from the outside."""

import json

from ia.kernel.text_width import display_width
from support.terminal import on_terminal


def test_best_first_with_exactly_these_keys(ia, home):
    ia("note", "research/茅台/2024-03-15", "# 茅台\n\n估值不便宜")
    ia("note", "research/银行/2024-03-16", "银行 估值便宜，净息差收窄")
    ia("note", "c", "天气")
    rows = json.loads(ia("recall", "估值", "--json").stdout)
    assert {row["source"] for row in rows} == {
        "notebook/research/茅台/2024-03-15.md", "notebook/research/银行/2024-03-16.md",
    }  # fmt: skip
    assert all(list(row) == ["source", "date", "score", "content", "kind", "author"] for row in rows)
    assert rows[0]["score"] >= rows[1]["score"] > 0
    assert ia("recall", "茅台").stdout.splitlines()[0] == "source\tdate\tscore\tcontent\tkind\tauthor"
    lines = ia("recall", "茅台", "估值", "--jsonl").stdout.splitlines()
    assert [json.loads(line)["date"] for line in lines] == ["2024-03-15"]
    assert len(json.loads(ia("recall", "估值", "-n", "1", "--json").stdout)) == 1
    assert json.loads(ia("recall", "估值", "--since", "2024-03-16", "--json").stdout)[0]["date"] == "2024-03-16"


def test_nothing_found_is_status_1_and_valid_output(ia):
    run = ia("recall", "茅台", "--json")
    assert (run.returncode, run.stdout, run.stderr) == (1, "[]\n", "")


def test_statuses(ia):
    ia("note", "a", "茅台")
    assert ia("recall").returncode == 2
    assert ia("recall", "。").returncode == 65
    assert ia("recall", "x", "--in", "attic").returncode == 2
    assert ia("recall", "茅台", "--in", "memory,journal").returncode == 1
    assert ia("recall", "茅台", "--since", "soon").returncode == 2
    assert ia("recall", "茅台", "-n", "0").returncode == 2


def test_a_file_of_a_person_is_found_and_a_broken_one_is_reported(ia, home):
    (home / "notebook").mkdir(parents=True)
    (home / "notebook/mine.md").write_text("手写的茅台笔记")
    (home / "notebook/broken.md").write_bytes(b"\xff\xff")
    run = ia("recall", "茅台")
    assert run.returncode == 0 and "notebook/mine.md" in run.stdout
    assert "notebook/broken.md:1" in run.stderr


def test_a_workspace_that_is_not_there_is_not_an_error(ia, home):
    assert ia("recall", "x").returncode == 1
    assert ia("note", "list").returncode == 1


def test_light(ia):
    """No heavy import on the way, once the databases are there."""
    import subprocess
    import sys

    ia("note", "a", "茅台")
    ia("recall", "茅台")
    code = "import sys; from ia_cli.main import run_command_line; run_command_line(sys.argv[1:]); print([m for m in ('pandas', 'numpy', 'akshare', 'llm', 'rich', 'sqlite_utils', 'dataclasses', 'difflib', 'tempfile', 'logging') if m in sys.modules], file=sys.stderr)"  # fmt: skip
    for argv in (
        ("note", "a", "x"),
        ("note", "read", "a"),
        ("recall", "茅台"),
        ("memory", "log", "x"),
        ("memory", "list"),
    ):
        run = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True)
        assert run.stderr.splitlines()[-1] == "[]", (argv, run.stderr)


def test_a_hit_on_a_terminal_is_its_source_and_whole_lines(ia, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    ia(
        "note",
        "scratch/a",
        "# 银行\n\n招商银行的净息差收窄，等它见底；the interest margin narrows and nobody talks about it",
    )
    ia("trade", "deposit", "100000", "--date", "2024-01-02")
    ia("trade", "buy", "600036", "100", "33", "--date", "2024-01-15", "--because", "低估值+高股息", "--override")
    ia("turn", "低估值还有效吗", "-s", "v")
    lines = [line.rstrip() for line in on_terminal("recall", "净息差", columns=40).splitlines()]
    at = lines.index("# 银行") if "# 银行" in lines else lines.index("  # 银行")
    assert "notebook/scratch/a.md" in " ".join(lines[:at])
    assert max(map(display_width, lines)) <= 40
    assert "interest margin" in " ".join(line.strip() for line in lines)
    rows = json.loads(ia("recall", "低估值", "--in", "trades,sessions", "--json").stdout)
    assert {(row["source"].split("/")[0], row["kind"], row["author"]) for row in rows} == {
        ("trades", "trade", "owner"), ("sessions", "question", "owner"),
    }  # fmt: skip


def test_questions_of_yours_come_last(ia):
    assert ia("note", "a", "净息差收窄").returncode == 0
    assert ia("turn", "-m", "ia-offline", "净息差和不良率是什么").returncode in (0, 1)
    kinds = [row["kind"] for row in json.loads(ia("recall", "净息差", "--json").stdout)]
    assert kinds == ["note", "question"]
    assert [row["kind"] for row in json.loads(ia("recall", "不良率", "--json").stdout)] == ["question"]
    assert "question" in ia("recall", "净息差", "--in", "sessions").stdout
