"""ia sync: what it prints, what it says, and how it ends."""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import time

import pytest

from support.markets.hosts import Hosts, Market
from support.program import all_of, installed, program

SIMULATED = "ia: simulated prices: demo invented the whole market\n"
DAY, NEXT = "2024-05-10", "2024-05-13"


def table(run):
    assert run.returncode == 0, run.stderr
    return list(csv.DictReader(io.StringIO(run.stdout), delimiter="\t"))


@pytest.fixture
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")


@pytest.fixture
def hosts(monkeypatch):
    with Hosts(Market(30, "2024-05-06", 10, events=0.0, etfs=2)) as hosts:
        hosts.use(monkeypatch)
        monkeypatch.setenv("IA_MARKET_TIMEOUT", "0.6")
        yield hosts


def on(hosts, ia, day, *words, **kwargs):
    hosts.market.at(day, "16:00:00")
    return ia("--now", f"{day}T16:00+08:00", "sync", *words, **kwargs)


def test_the_simulated_market_in_an_empty_folder(demo, ia):
    run = ia("--now", "2024-03-15T16:00+08:00", "sync", "daily")
    assert run.stderr == SIMULATED
    (row,) = table(run)
    assert (row["job"], row["day"], row["host"], row["todo"], row["lacking"]) == (
        "daily",
        "2024-03-15",
        "simulated",
        "0",
        "0",
    )
    assert int(row["symbols"]) == int(row["histories"]) > 30
    again = ia("--now", "2024-03-15T16:00+08:00", "sync", "daily", "--json")
    document = json.loads(again.stdout)
    assert (document["failures"], document["jobs"][0]["changed"]) == ([], 0)
    assert document["jobs"][0]["simulated"] is True
    assert {"fetch_s", "check_s", "store_s", "mirror_s", "seconds"} <= document["jobs"][0].keys()


def test_alone_it_does_the_day_and_what_is_due(demo, ia):
    first = table(ia("--now", "2024-09-20T16:00+08:00", "sync"))
    assert [row["job"] for row in first] == ["daily", "indices", "northbound", "lhb", "sectors", "fundamentals"]
    run = ia("--now", "2024-09-20T16:10+08:00", "sync")
    assert [row["job"] for row in table(run)][:1] == ["daily"]
    assert not {"indices", "northbound", "sectors", "fundamentals"} & {row["job"] for row in table(run)}
    assert (
        "northbound net flow has not been published since 2024-08-19"
        in ia("--now", "2024-09-20T16:20+08:00", "sync", "northbound").stderr
    )


def test_bars_of_the_synced_market_need_nobody_and_where_tells(demo, ia, tmp_path):
    single = ia("--now", "2024-03-15T16:00+08:00", "ohlcv", "600519")
    ia("--now", "2024-03-15T16:00+08:00", "sync", "daily")
    run = ia("--now", "2024-03-15T16:00+08:00", "--home", os.environ["IA_HOME"], "ohlcv", "000858")
    assert run.returncode == 0
    (tmp_path / "x.csv").write_text(run.stdout)
    assert "simulated (ia sync 2024-03-15)" in ia("where", "x.csv").stdout
    (tmp_path / "other").mkdir()
    other = ia("--now", "2024-03-15T16:00+08:00", "--home", str(tmp_path / "other"), "ohlcv", "000858")
    assert other.stdout == run.stdout
    assert single.returncode == 0


def test_where_no_host_answers_what_was_synced_is_used_and_said(hosts, ia):
    """The listing is years before the first stored bar: a host would have more, but none is there."""
    on(hosts, ia, DAY, "--symbols", "600519,300750")
    hosts.fail("502")
    run = ia("--now", f"{DAY}T16:30+08:00", "ohlcv", "600519")
    assert run.returncode == 0 and len(run.stdout.splitlines()) == 6
    assert "using the data stored by `ia sync`, from 2024-05-06 on" in run.stderr
    assert ia("--now", f"{DAY}T16:30+08:00", "chart", "300750").returncode == 0
    for words in (("--adjust", "hfq"), ("--refresh",)):  # the first bar is not known; a new fetch was asked for
        assert ia("--now", f"{DAY}T16:30+08:00", "ohlcv", "600519", *words).returncode == 75


def test_universes(hosts, ia, tmp_path):
    on(hosts, ia, DAY, "daily")
    (tmp_path / "mine.txt").write_text("symbol\n600519  # Moutai\n000001.SZ\n")
    assert table(on(hosts, ia, DAY, "--universe", "mine.txt"))[0]["histories"] == "2"
    industry = hosts.market.industry("300750.SZ")
    members = [
        s for s in hosts.market.symbols if not s.startswith(("51", "15")) and hosts.market.industry(s) == industry
    ]
    assert table(on(hosts, ia, DAY, "--universe", industry))[0]["symbols"] == str(len(members))
    ia("--now", f"{DAY}T15:30+08:00", "memory", "track", "688981", "because")
    assert table(on(hosts, ia, DAY, "--universe", "watch"))[0]["histories"] in ("0", "1")
    ia("--now", f"{DAY}T15:30+08:00", "memory", "track", "AAPL.US")
    run = on(hosts, ia, DAY, "--universe", "watch")
    assert run.returncode == 69 and run.stderr.startswith("ia: AAPL.US"), "no host of this market has US shares"
    assert [line.split("\t")[0] for line in run.stdout.splitlines()] == ["job", "daily", "us"]
    run = on(hosts, ia, DAY, "--universe", "held")
    assert (run.returncode, run.stderr) == (
        66,
        "ia: held contains no securities\nhint: enter a purchase with `ia trade buy`\n",
    )
    (tmp_path / "bad.txt").write_text("600519\nnonsense\n")
    run = on(hosts, ia, DAY, "--universe", "bad.txt")
    assert run.returncode == 65
    assert "bad.txt:2:" in run.stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("nonsense",), 2, "nonsense"),
        (
            ("lhb", "--symbols", "600519"),
            2,
            "--symbols and --universe work only with daily, hk, us, fundamentals and calendar",
        ),
        (("sectors", "--history"), 2, "--history and --start work only with daily"),
        (("--symbols", "600519", "--universe", "all"), 2, "--symbols and --universe cannot be combined"),
        (("--symbols", ","), 2, "--symbols contains no symbols"),
        (("daily", "--start", "someday"), 2, "is not a date"),
        (("--universe", "no such industry"), 66, "no such industry"),
    ],
)
def test_wrong_usage_is_one_clear_line(demo, ia, words, status, said):
    run = ia("sync", *words)
    assert run.returncode == status
    assert run.stdout == ""
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_an_adapter_without_a_market_is_refused(ia):
    run = ia("sync", env={"IA_MARKET_ADAPTER": "tushare"})
    assert run.returncode == 2
    assert "no adapter in market.adapter provides data of the whole market" in run.stderr


def test_a_first_sync_says_what_is_lacking_and_a_ban_is_75(hosts, ia, tmp_path):
    run = on(hosts, ia, DAY, "daily")
    assert table(run)[0]["lacking"] == "32"
    assert "32 securities have no history; fetching it takes about 2 min" in run.stderr
    hosts.fail("ban", "clist")
    hosts.fail("ban", "sina")
    run = on(hosts, ia, NEXT, "daily")
    assert (run.returncode, run.stdout) == (75, "")
    assert "no requests until" in run.stderr
    assert run.stderr.count("\n") <= 3
    hosts.heal()
    env = {"XDG_STATE_HOME": str(tmp_path / "later")}
    assert table(on(hosts, ia, NEXT, "daily", env=env))[0]["symbols"] == "32"
    zh = on(hosts, ia, NEXT, "daily", env={**env, "IA_LANG": "zh"})
    assert "32 只证券还没有历史" in zh.stderr


def test_one_failing_job_of_all_is_told_and_the_others_are_done(hosts, ia):
    hosts.fail("html", "RPT_MUTUAL")
    run = on(hosts, ia, DAY, "all", "--json")
    assert run.returncode == 69
    document = json.loads(run.stdout)
    assert [row["job"] for row in document["jobs"]] == [
        "daily", "indices", "rates", "fundamentals", "lhb", "sectors", "calendar",
    ]  # fmt: skip
    assert [failure["status"] for failure in document["failures"]] == [69]


def test_a_live_source_is_not_taken_for_the_past(hosts, ia):
    hosts.market.at(NEXT, "16:00:00")
    run = ia("--now", f"{DAY}T16:00+08:00", "sync", "daily")
    assert run.returncode == 77
    assert "after --now; nothing was stored" in run.stderr


def test_a_folder_of_files_is_a_market(ia, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    days = ["2024-05-08", "2024-05-09", "2024-05-10"]
    for code, close in (("600519.SH", 1700.0), ("000001.SZ", 11.0)):
        lines = [f"{day},{close},{close + 1},{close - 1},{close + n / 100},100000\n" for n, day in enumerate(days)]
        (folder / f"{code}.csv").write_text("date,open,high,low,close,volume\n" + "".join(lines))
    env = {"IA_MARKET_ADAPTER": "csv", "IA_MARKET_CSV_DIR": str(folder)}
    (row,) = table(ia("--now", "2024-05-10T16:00+08:00", "sync", "daily", env=env))
    assert (row["day"], row["symbols"], row["histories"], row["lacking"]) == (DAY, "2", "2", "0")
    (row,) = table(ia("--now", "2024-05-10T16:00+08:00", "sync", "daily", env=env))
    assert (row["changed"], row["todo"]) == ("0", "0")
    for path in folder.iterdir():
        path.unlink()
    run = ia("--now", "2024-05-13T16:00+08:00", "sync", "daily", env=env)
    assert run.returncode == 69
    assert "returned no securities" in run.stderr


def test_an_interrupt_is_130_and_keeps_what_was_fetched(hosts, ia, tmp_path):
    on(hosts, ia, DAY, "daily")
    hosts.fail("slow", "kline", after=5)
    child = subprocess.Popen(
        [*installed(), "--now", f"{DAY}T16:00+08:00", "sync", "daily", "--history"], cwd=tmp_path,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 40
    while hosts.count("kline") < 7 and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=90)
    assert (child.returncode, out) == (130, ""), err
    assert "Traceback" not in err
    assert "interrupted; finished work is stored" in err
    hosts.heal()
    row = json.loads(on(hosts, ia, DAY, "daily", "--history", "--json").stdout)["jobs"][0]
    assert 0 < row["histories"] <= 32 - 5


def test_a_terminal_sees_a_bar_and_a_pipe_sees_none(hosts, ia, tmp_path):
    hosts.market.at(DAY, "16:00:00")
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [*program(), "--now", f"{DAY}T16:00+08:00", "sync", "--symbols", "600519,688981,300750"], cwd=tmp_path,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    seen = all_of(master)
    out = child.communicate(timeout=60)[0]
    os.close(master)
    assert child.returncode == 0, seen
    assert out.startswith(b"job\t")
    assert b"bar histories" in seen
    assert b"/3" in seen
    run = on(hosts, ia, DAY, "--symbols", "601000")
    assert "bar histories" not in run.stderr


def test_what_has_nothing_to_fetch_draws_no_bar(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then draws as at a terminal
    from ia_cli.commands.sync import _progress_bar

    with _progress_bar() as show:
        show("histories", 0, 0, 0)
        show("indices", 2, 5, 0)
    drawn = capsys.readouterr().err
    assert "2/5" in drawn
    assert "0/0" not in drawn
