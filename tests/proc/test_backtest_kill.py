"""Runs of rules that are killed: they are listed, named where they end, and resumed to the bytes of a whole run."""

import json
import os
import resource
import signal
import subprocess
import time

import pytest

from support.program import installed

pytestmark = pytest.mark.process
DAYS = [f"2023-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 28)]
BARS = "date,open,high,low,close,volume\n" + "".join(
    f"{day},{10 + at % 7},{10.5 + at % 7},{9.5 + at % 7},{10 + (at + 1) % 7},1000000\n" for at, day in enumerate(DAYS)
)
STRATEGY = """
def on_bar(ctx):
    if ctx.position():
        ctx.sell()
    else:
        ctx.buy(percent=50)
"""
SLOW = STRATEGY.replace("def on_bar(ctx):", "def on_bar(ctx):\n    for n in range(200000):\n        pass", 1)


@pytest.fixture
def begin(home, tmp_path, monkeypatch):
    """Begin a run that takes a while; return the process once its folder is there."""
    monkeypatch.setenv("IA_NOW", "2024-03-15T18:00+08:00")

    def start(*words):
        (tmp_path / "slow.py").write_text(SLOW)
        command = [*installed(), "backtest", "run", *(words or ("slow.py", "-", "--equity", "equity.csv"))]
        child = subprocess.Popen(
            command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        child.stdin.write(BARS.encode())
        child.stdin.close()
        child.stdin = None
        until = time.monotonic() + 90
        while not (home / "runs" / "run-1" / "request.json").exists():
            assert child.poll() is None and time.monotonic() < until
            time.sleep(0.01)
        time.sleep(0.3)
        child.send_signal(signal.SIGSTOP)
        return child

    return start


def saved(home):
    """The files of the runs that have a result, by path."""
    folders = [each for each in (home / "runs").iterdir() if (each / "result.json").exists()]
    return {str(file.relative_to(home)): file.read_bytes() for each in folders for file in each.iterdir()}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.share(4)
def test_a_killed_run_is_resumed_to_the_same_bytes(begin, home, ia, tmp_path, number):
    child = begin()
    assert json.loads(ia("backtest", "list", "--json").stdout)[0]["kind"] == "running"
    assert ia("backtest", "resume", "run-1").returncode == 75
    child.send_signal(number)
    child.send_signal(signal.SIGCONT)
    _, err = child.communicate(timeout=90)
    assert child.returncode in (-signal.SIGKILL, 130, 143)
    if number != signal.SIGKILL:
        assert err.decode().rstrip().splitlines()[-1] == "ia: continue with `ia backtest resume run-1`"
    listed = ia("backtest", "list", "--json")
    row = json.loads(listed.stdout)[0]
    assert (row["id"], row["kind"], row["rules"]) == ("run-1", "unfinished", "slow.py")
    assert "unfinished: run-1; continue with `ia backtest resume run-1`" in listed.stderr
    shown = ia("backtest", "show", "run-1")
    assert shown.returncode == 66 and "has no result yet" in shown.stderr
    (tmp_path / "slow.py").unlink()  # the run has a copy
    resumed = ia("backtest", "resume", "run-1", env={"IA_NOW": "2024-05-01T18:00+08:00"})
    assert resumed.returncode == 0 and resumed.stdout.startswith("CSV-")
    first, equity = saved(home), (tmp_path / "equity.csv").read_bytes()
    assert first and not (home / "runs" / "run-1").exists()
    for path in first:
        os.unlink(home / path)
    (tmp_path / "slow.py").write_text(SLOW)
    whole = ia("backtest", "run", "slow.py", "-", "--equity", "equity.csv", input=BARS)
    assert whole.returncode == 0 and whole.stdout == resumed.stdout
    assert saved(home) == first and (tmp_path / "equity.csv").read_bytes() == equity


MANY = {
    "each": ("600519", "000858", "601398", "--each", "--entry", "close.rolling(5).mean() > close.rolling(20).mean()"),
    "grid": ("600519", "--grid", "n=5:20:5", "--entry", "close.rolling({n}).mean() < close", "--stop", "{n}"),
}


@pytest.mark.parametrize("kind", MANY)
@pytest.mark.share(4)
def test_a_killed_run_of_many_is_resumed_to_the_same_bytes(begin, home, ia, monkeypatch, kind):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    words = (*MANY[kind], "--since", "2023-01-01")
    child = begin(*words)
    child.kill()
    child.communicate(timeout=90)
    assert child.returncode == -signal.SIGKILL
    row = json.loads(ia("backtest", "list", "--json").stdout)[0]
    assert (row["id"], row["kind"]) == ("run-1", "unfinished")
    resumed = ia("backtest", "resume", "run-1", env={"IA_NOW": "2024-05-01T18:00+08:00"})
    assert resumed.returncode == 0, resumed.stderr
    first = saved(home)
    assert first and not (home / "runs" / "run-1").exists()
    for path in first:
        os.unlink(home / path)
    whole = ia("backtest", "run", *words)
    assert whole.returncode == 0 and whole.stdout == resumed.stdout
    assert saved(home) == first


def limit_files(size):
    """Let no file of a process grow beyond a size: its disk is full, with the error that a limit gives."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("kind", ["rules", "each", pytest.param("grid", marks=pytest.mark.soak)])
def test_a_run_that_fills_the_disk_is_resumed(home, ia, monkeypatch, kind):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T18:00+08:00")
    for symbol in ("600519", "000858", "601398"):
        assert ia("ohlcv", symbol).returncode == 0
    words = MANY.get(kind, ("600519", "--entry", "rsi(close, 14) < 40", "--exit", "rsi(close, 14) > 60"))
    full = ia("backtest", "run", *words, preexec_fn=limit_files({"rules": 30_000, "grid": 2_000, "each": 1_300}[kind]))
    assert full.returncode == 75, full.stderr
    assert full.stdout == "" and "Traceback" not in full.stderr
    lines = [line for line in full.stderr.splitlines() if line.startswith("ia: ") and "simulated" not in line]
    assert len(lines) == 2 and lines[0] == "ia: continue with `ia backtest resume run-1`", full.stderr
    assert [path.name for path in (home / "runs").iterdir()] == ["run-1"]
    resumed = ia("backtest", "resume", "run-1")
    assert resumed.returncode == 0, resumed.stderr
    first = saved(home)
    for path in first:
        os.unlink(home / path)
    assert ia("backtest", "run", *words).stdout == resumed.stdout and saved(home) == first


def test_a_disk_without_room_for_the_request_leaves_nothing(home, ia, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    assert ia("ohlcv", "600519").returncode == 0
    full = ia("backtest", "run", "600519", "--entry", "close > 1", preexec_fn=limit_files(100))
    assert full.returncode == 75, full.stderr
    assert "Traceback" not in full.stderr and "resume" not in full.stderr
    assert not (home / "runs").exists()


def test_what_fails_leaves_nothing_and_damage_is_told(home, ia, ws):
    from ia.faculties.lab.unfinished_runs import list_unfinished

    now = {"env": {"IA_NOW": "2024-03-15T18:00+08:00", "IA_MARKET_ADAPTER": "demo"}}
    for wrong in (("600519", "--entry", "close >"), ("600519", "--entry", "close > 1", "--size", "much"), ("none.py",)):
        assert ia("backtest", "run", *wrong, **now).returncode in (2, 65, 66)
        assert not (home / "runs").exists()
    assert not list_unfinished(ws)
    for damage in ("", "[]", '{"created": 1}'):
        (home / "runs" / "run-9").mkdir(exist_ok=True, parents=True)
        (home / "runs" / "run-9" / "request.json").write_text(damage)
        assert ia("backtest", "list", **now).returncode == 1
        assert ia("backtest", "resume", "run-9", **now).returncode == 65
