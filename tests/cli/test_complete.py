"""What a shell completes: as click asks for it, in this process, on a small market."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from ia.domain.instruments import name_sources
from ia.faculties.lab.run_folders import save_files
from ia.kernel import proposals
from ia.organs.memory import watch_list
from ia.wiring.stored_names import register_names
from support.markets.stored_quotes import fill, quote


@pytest.fixture
def completed(ws, monkeypatch):
    """Return a function: a line as typed -> the words that a shell offers."""
    from ia_cli.main import cli

    monkeypatch.setenv("IA_HOME", ws.root)
    monkeypatch.setattr(name_sources, "registered", {})
    register_names()
    fill(
        ws,
        {
            "2024-03-15": [
                quote("600519.SH", "贵州茅台"),
                quote("600036.SH", "招商银行"),
                quote("300750.SZ", "宁德时代"),
                quote("600606.SH", "绿地控股"),
                quote("601916.SH", "浙商银行"),
                quote("605499.SH", "东鹏饮料"),
            ]
        },
    )

    def complete(line):
        *args, incomplete = line.split(" ")[1:]
        found = ShellComplete(cli, {}, "ia", "_IA_COMPLETE").get_completions(args, incomplete)
        return [item.value for item in found if item.type == "plain"] or [item.type for item in found]

    return complete


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ia quote 600", ["600036.SH", "600519.SH", "600606.SH"]), ("ia trade buy 贵", ["贵州茅台"]),
        ("ia sync --symbols 300750.SZ,6005", ["300750.SZ,600519.SH"]), ("ia report a", ["account"]),
        ("ia sync --universe ", ["watch", "held", "all"]), ("ia sync d", ["daily"]), ("ia quote 9", []),
        ("ia trade import ", ["file"]), ("ia chart -o ", ["file"]), ("ia config set risk.r", ["risk.rise_pct"]),
        ("ia quote gzmt", ["600519.SH"]), ("ia chart ningdes", ["300750.SZ"]), ("ia quote dongp", ["605499.SH"]),
        ("ia quote zsyh", ["招商银行", "浙商银行"]), ("ia quote zhes", ["zheshangzhongtuo", "zheshangyinhang"]),
        ("ia alert set gzmt", ["600519.SH"]), ("ia sync --symbols 600519,ldk", ["600519,600606.SH"]),
        ("ia chart 600519 --indicator rs", ["rsi(close,14)"]), ("ia ohlcv 600519 --adapter demo,cs", ["demo,csv"]),
        ("ia config set pictures.up b", ["blue"]), ("ia turn x -m ia", ["ia-offline"]),
        ("ia config set lang ", ["zh", "en"]),
        ("ia config set market.adapter d", ["demo"]), ("ia screen --sort pe_", ["pe_ttm"]), ("ia recall x --in n", ["notebook"]),
        ("ia recall x --in memory,n", ["memory,notebook"]), ("ia chart 600519 --panes rsi,mac", ["rsi,macd"]),
        ("ia send x --to m", ["me"]), ("ia config list risk.r", ["risk.rise_pct"]),
        ("ia profile use g", ["gtd"]), ("ia market m", ["mainline"]),
    ],
)  # fmt: skip
def test_words_of_the_store_of_settings_and_files(completed, line, words):
    assert completed(line) == words


def test_documents_and_their_themes(ws, completed):
    assert completed("ia knowledge show ") == completed("ia knowledge search x --theme ") == []
    for place, number in (("risk/converted/stops", 1), ("risk/converted/size", 2), ("life/converted/Size", 3)):
        ws.write(f"knowledge/{place}.md", f"---\nid: id{number}\ntitle: T{number}\ndate: 2019-01-01\n---\ntext\n")
    assert completed("ia knowledge show s") == completed("ia knowledge convert s") == ["stops"]
    assert completed("ia knowledge remove stops id") == ["id3", "id2"]
    for command in ("search x", "list", "add FILE"):
        assert completed(f"ia knowledge {command} --theme r") == ["risk"]


def test_what_is_watched_and_what_waits(ws, completed):
    assert completed("ia quote ") == []
    watch_list.track_item(ws, "600519.SH")
    proposals.propose(ws, "preference", "memory/preferences.md", "- 短\n", because="")
    assert completed("ia quote ") == ["600519.SH"]
    assert completed("ia approve ") == ["1"]
    watch_list.track_item(ws, "300750.SZ", group="battery")
    assert completed("ia watch list ") == completed("ia watch add 600519 -g ") == ["battery"]
    assert completed("ia quote --universe watch:") == ["watch:battery"]


def test_notes_memory_sessions_and_trades(ws, completed):
    from ia.organs import notebook, sessions

    assert completed("ia note read ") == completed("ia trade void ") == []
    notebook.write_note(ws, "research/宁德时代/2024-03-15", "产能")
    watch_list.track_item(ws, "600519.SH")
    assert completed("ia note read res") == ["research/宁德时代/2024-03-15"]
    assert "memory/tracking.md" in completed("ia memory read ")
    assert "note.write" in completed("ia log --kind ")
    sessions.add_message(ws, "s1", "user", "看看宁德时代")
    sessions.title_session(ws, "s1", "Battery makers")
    assert completed("ia turn -s ") == completed("ia turn -s s") == completed("ia session show batt") == ["s1"]


def test_a_skill_says_what_it_is_for(ws, completed):
    from ia_cli.main import cli

    folder = Path(ws.root, ".claude/skills/brief")
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: brief\ndescription: Say it shortly\n---\nBe short.\n")
    found = ShellComplete(cli, {}, "ia", "_IA_COMPLETE").get_completions(["skill", "show"], "b")
    assert [(item.value, item.help) for item in found] == [("brief", "Say it shortly")]
    assert completed("ia turn /b") == ["/brief"]


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_bash_puts_a_code_in_the_place_of_pinyin(ws, completed):
    """What `ia completion bash` prints, read by a real bash; its function is called as a key pressed calls it."""
    bin_folder = os.path.dirname(sys.executable)
    script = 'eval "$(ia completion bash)"; COMP_WORDS=(ia quote gzmt) COMP_CWORD=2; _ia_completion ia gzmt quote; echo "${COMPREPLY[@]}"'
    env = {**os.environ, "IA_HOME": ws.root, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=True, timeout=90)
    assert (done.stdout, done.stderr) == ("600519.SH\n", "")


def test_nothing_is_made_and_nothing_is_said_where_there_is_no_market(tmp_path, monkeypatch, capsys):
    from ia_cli.main import cli

    monkeypatch.setenv("IA_HOME", str(tmp_path / "none"))
    assert ShellComplete(cli, {}, "ia", "_IA_COMPLETE").get_completions(["quote"], "6") == []
    assert not (tmp_path / "none/.ia/cache").exists()
    assert capsys.readouterr() == ("", "")


def test_runs_of_backtests(ws, completed):
    def save(entry, kind, universe, created):
        settings = {"kind": kind, "universe": universe, "entry": entry, "created": created}
        return save_files(ws, settings, {}, {"return_frac": 0.1}).id

    assert completed("ia backtest show ") == []
    old = save("rsi(close, 14) < 30", "rules", "600519.SH", "2024-03-14T16:00:00+08:00")
    agent = save("", "agent", "600519.SH 000858.SZ", "2024-03-15T16:00:00+08:00")
    assert completed("ia backtest show ") == completed("ia backtest diff last ") == [agent, old, "last"]
    assert completed(f"ia backtest report {old[:4]}") == [old]
    assert completed("ia backtest resume ") == completed("ia memory distill ") == [agent]
    assert completed(f"ia memory distill {agent} {agent[:3]}") == [agent]
    assert completed("ia backtest agent 600519 --from ") == [agent]
