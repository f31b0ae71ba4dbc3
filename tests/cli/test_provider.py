"""`ia provider`: what a person does with providers at the command line."""

import json
import shutil
import subprocess
import zipfile

import pytest

FRONT = """---
name: echo
version: "1.1"
description: Says it again
command: ["{python}", echo.py]
env: [ECHO_REGION]
config: {token: "${ECHO_TOKEN}"}
tools:
  - {name: back, description: Gives it back, parameters: {text: string}, test: {text: hi}}
  - {name: send, risk: confirm, argv: [--hard]}
---
"""
CODE = "import json, sys\ncall = json.load(sys.stdin)\njson.dump(call['arguments']['text'], sys.stdout)\n"


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setenv("ECHO_TOKEN", "abcd1234")
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "PROVIDER.md").write_text(FRONT)
    (folder / "echo.py").write_text(CODE)
    return folder


@pytest.fixture
def installed(ia, source):
    number = ia("provider", "add", str(source)).stdout.strip()
    assert ia("approve", number, "--yes").returncode == 0


def rows(run):
    return json.loads(run.stdout)


def test_what_it_starts_and_gets_to_see_is_shown_and_nothing_is_there_before_approval(ia, source, home):
    run = ia("provider", "add", str(source), "--because", "for tests")
    assert run.stdout == "1\n"
    for told in ("echo 1.1", "command, started for each call: '{python}' echo.py", "PATH, LANG, ECHO_REGION", '"token": "${ECHO_TOKEN}"',
                 "read\techo.back\tGives it back", "confirm\techo.send (--hard)"):  # fmt: skip
        assert told in run.stderr
    assert "abcd1234" not in run.stderr
    assert not (home / ".claude").exists()
    shown = ia("pending", "1").stdout
    assert "started for each call" in shown
    assert "+json.dump(call['arguments']['text'], sys.stdout)" in shown
    assert rows(ia("pending", "1", "--json"))["provider"]["command"] == ["{python}", "echo.py"]
    assert ia("provider", "add", str(source)).stdout == "1\n"
    assert ia("approve", "1", "--yes").returncode == 0
    assert (home / ".claude" / "providers" / "echo" / "echo.py").read_text() == CODE
    assert ia("provider", "add", str(source)).returncode == 65


def test_the_list_says_what_there_is_and_what_is_wrong(ia, installed, home):
    assert ia("provider", "list").stdout.splitlines()[1] == "echo\t1.1\tenabled\techo.back, echo.send\tSays it again\t"
    (home / ".claude" / "providers" / "echo" / "PROVIDER.md").write_text("---\nname: echo\n---\n")
    (row,) = rows(ia("--lang", "zh", "provider", "list", "--json"))
    assert (row["state"], row["tools"]) == ("broken", [])
    assert "启动什么要写在 `command` 或 `mcp` 里" in row["problem"]


def test_none_at_all_is_status_1(ia):
    assert ia("provider", "list").returncode == 1


def test_a_test_calls_what_can_be_called(ia, installed, home):
    run = ia("provider", "test", "echo", "--json")
    assert run.returncode == 0
    start, back, send = rows(run)
    assert (start["ok"], back["ok"], send["ok"]) == (True, True, None)
    assert (back["tool"], back["told"]) == ("echo.back", "hi")
    assert rows(ia("provider", "test", "echo", "back", '{"text": "ho"}', "--json"))[1]["told"] == "ho"
    (home / ".claude" / "providers" / "echo" / "echo.py").write_text("raise SystemExit('out of order')")
    failed = ia("provider", "test", "echo")
    assert failed.returncode == 1
    assert "out of order" in failed.stdout


def test_a_test_of_what_cannot_be_started(ia, installed, monkeypatch):
    monkeypatch.delenv("ECHO_TOKEN")
    run = ia("provider", "test", "echo", "--json")
    assert run.returncode == 1
    (start,) = rows(run)
    assert start["told"] == "provider echo refers to ${ECHO_TOKEN}, which is not set"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["test", "other"], 66), (["test", "echo", "other"], 66), (["test", "echo", "back", "{"], 2),
        (["test", "echo", "back", "[]"], 2), (["remove", "other"], 66), (["remove", "../../memory"], 66),
        (["add", "no-such-folder"], 66), (["add", "ext::sh -c x"], 77), (["add", "--", "-x"], 66),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_not_there_is_one_line_and_a_status(ia, installed, words, status):
    run = ia("provider", *words)
    assert run.returncode == status
    assert run.stderr.startswith("ia: ")
    assert "Traceback" not in run.stderr


def test_removed_is_gone_and_its_text_is_kept(ia, installed, home):
    run = ia("provider", "remove", "echo")
    assert run.stdout.splitlines() == [".claude/providers/echo/PROVIDER.md", ".claude/providers/echo/echo.py"]
    assert not (home / ".claude" / "providers" / "echo").exists()
    events = rows(ia("log", "--kind", "provider.remove", "--json"))
    assert len(events) == 2


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_from_a_zip_and_from_git(ia, source, tmp_path):
    with zipfile.ZipFile(tmp_path / "echo.zip", "w") as archive:
        for file in source.iterdir():
            archive.write(file, f"echo-1.1/{file.name}")
    assert ia("provider", "add", str(tmp_path / "echo.zip")).stdout == "1\n"
    git = ["git", "-C", str(source), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], check=True)
    assert ia("provider", "add", f"file://{source}").stdout == "1\n"  # the same again


def test_one_of_several_has_to_be_named(ia, source, tmp_path):
    for name in ("a", "b"):
        folder = tmp_path / "many" / name
        folder.mkdir(parents=True)
        (folder / "PROVIDER.md").write_text("---\ncommand: [cat]\ntools: [say]\n---\n")
    run = ia("provider", "add", str(tmp_path / "many"))
    assert run.returncode == 2
    assert "a, b" in run.stderr
    assert ia("provider", "add", str(tmp_path / "many"), "--name", "b").returncode == 0
    assert ia("provider", "add", str(tmp_path / "many"), "--name", "c").returncode == 66


def test_what_no_person_could_read_or_what_is_taken_is_refused(ia, installed, source, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "PROVIDER.md").write_text("---\ncommand: [cat]\ntools: [{name: echo.back}]\n---\n")
    assert "echo.back is already the name of a tool of provider echo" in ia("provider", "add", str(other)).stderr
    (other / "PROVIDER.md").write_text("---\ncommand: [./tool]\ntools: [{name: say}]\n---\n")
    (other / "tool").write_bytes(b"\x7fELF\0\0")
    assert ia("provider", "add", str(other)).returncode == 77
    (other / "tool").unlink()
    (other / "tool").symlink_to("/bin/cat")
    assert ia("provider", "add", str(other)).returncode == 77
    (other / "tool").unlink()
    (other / "PROVIDER.md").write_text("---\ncommand: [cat]\ntools: [{name: memory.believe}]\n---\n")
    assert "ia reserves the names memory.*" in ia("provider", "add", str(other)).stderr
    assert rows(ia("pending", "--json")) == []


def test_the_shipped_statements_answer_and_can_be_removed(ia, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-06-14T16:00+08:00")
    assert ia("init").returncode == 0
    assert [(row["tool"], row["ok"]) for row in rows(ia("provider", "test", "financial", "--json"))][1:] == [
        ("financial.income", True), ("financial.balance", True), ("financial.cashflow", True),
    ]  # fmt: skip
    told = rows(ia("tool", "call", "financial.income", '{"symbol": "600519", "periods": 2}'))
    assert [(each["period"], each["basis"]) for each in told["reports"]] == [
        ("2024-03-31", "year-to-date"),
        ("2023-12-31", "annual"),
    ]
    assert told["simulated"] is True and told["reports"][0]["published"] <= "2024-06-14"
    assert ia("sync").returncode == 0
    stored = {row["period"]: row for row in rows(ia("fundamentals", "600519", "--as-reported", "--json"))}
    for each in told["reports"]:
        same = stored[each["period"]]
        assert (each["revenue"], each["profit"], each["published"]) == (
            same["revenue"],
            same["profit"],
            same["published"],
        )
    earlier = rows(
        ia("--now", "2024-04-10", "tool", "call", "financial.cashflow", '{"symbol": "600519", "periods": 1}')
    )
    assert earlier["reports"][0]["period"] == "2023-12-31"
    for symbol, status in (("AAPL", 0), ("00700.HK", 0), ("SPY", 66), ("600000000", 66)):
        assert ia("tool", "call", "financial.income", json.dumps({"symbol": symbol})).returncode == status
    assert ia("provider", "remove", "financial").returncode == 0
    assert ia("tool", "call", "financial.income", '{"symbol": "600519"}').returncode not in (0, 70)
