"""The sandbox as a process: none stays behind, whatever ends the command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.program import installed

CSV = "date,open,high,low,close,volume\n2024-01-15,10.5,11.5,10,11,100\n2024-01-16,11,12,10.5,11.5,200\n"
BARS = "ia: standard input, 2024-01-16: 2 bars"

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def children(pid):
    """Process ids of the living children of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == str(pid) and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def endless(tmp_path, source="while True:\n    pass"):
    """Start a compute that does not end; return the process and the id of its worker, once that is computing."""
    process = subprocess.Popen(
        [*installed(), "compute", source, "--timeout", "60"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    process.stdin.write(CSV.encode())
    process.stdin.close()
    wait_for(lambda: children(process.pid))
    worker = children(process.pid)[0]
    wait_for(lambda: "Seccomp:\t2" in Path(f"/proc/{worker}/status").read_text())
    time.sleep(0.2)
    return process, worker


def close(process):
    process.stdout.close()
    process.stderr.close()


@linux
def test_ctrl_c_ends_both_silently(tmp_path):
    process, worker = endless(tmp_path)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert process.stderr.read().decode().split() == BARS.split()
    wait_for(lambda: not alive(worker))
    close(process)


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.share(4)
def test_a_killed_command_takes_its_worker_along(tmp_path, number):
    process, worker = endless(tmp_path)
    process.send_signal(number)
    process.wait(10)
    wait_for(lambda: not alive(worker))
    close(process)


@linux
def test_a_killed_worker_is_a_refusal_not_a_hang(tmp_path):
    process, worker = endless(tmp_path)
    os.kill(worker, signal.SIGKILL)
    assert process.wait(10) == 77
    assert process.stderr.read().decode().startswith(f"{BARS}\nia: the sandbox process ended during evaluation")
    close(process)


@linux
def test_a_stopped_worker_is_ended_in_time(tmp_path):
    process = subprocess.Popen(
        [*installed(), "compute", "while True:\n    pass", "--timeout", "1.5"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    process.stdin.write(CSV.encode())
    process.stdin.close()
    wait_for(lambda: children(process.pid))
    worker = children(process.pid)[0]
    wait_for(lambda: "Seccomp:\t2" in Path(f"/proc/{worker}/status").read_text())
    os.kill(worker, signal.SIGSTOP)
    assert process.wait(15) == 124
    wait_for(lambda: not alive(worker))
    close(process)


@linux
@pytest.mark.parametrize(
    "args, status",
    [
        (["compute", "ta.rsi(close)", "--no-such-option"], 2),
        (["compute", "df.x", "--series", "--csv"], 2),
        (["compute", "--help", "df.x"], 0),
        (["compute", "sma(close, 2)"], 0),
        (["compute", "ta.rsi("], 65),
    ],
)
def test_a_worker_that_was_started_for_nothing_does_not_stay(ia, args, status):
    assert ia(*args, input=CSV).returncode == status
    wait_for(lambda: not [p for p in Path("/proc").iterdir() if p.name.isdigit() and _is_orphan(p)])


def _is_orphan(entry):
    try:
        return (
            b"ia.organs.compute.worker" in (entry / "cmdline").read_bytes()
            and (entry / "stat").read_text().rpartition(")")[2].split()[1] == "1"
        )
    except OSError:
        return False


@pytest.mark.soak
def test_evaluating_leaves_no_zombie():
    code = """
import os
from ia.organs.compute import sandbox
from ia.organs.ohlcv.canonical import Bars
from ia.kernel.errors import IaError
bars = Bars(["2024-01-15"], [1.0], [1.0], [1.0], [1.0], [1])
for source in ("close.sum()", "1 / 0", "import os", "while True: pass", "close.("):
    try:
        sandbox.evaluate_source(source, bars, trusted=True, timeout=0.3)
    except IaError:
        pass
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none left", len(os.listdir("/proc/self/fd")))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.startswith("none left"), run
    assert int(run.stdout.split()[-1]) <= 5


def test_the_reader_of_stdout_leaves(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [*installed(), "compute", "close.shift(1)", "--series"],
        input=CSV.encode(), stdout=writer, stderr=subprocess.PIPE, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    os.close(writer)
    assert (run.returncode, run.stderr.decode()) == (141, f"{BARS}\n")


def test_two_at_once_in_a_pipe(ia, tmp_path):
    script = "\"$@\" compute df --csv | \"$@\" compute \"df[['open', 'high', 'low', 'close', 'volume']]\" --csv"
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}", "-", *installed()], input=CSV, capture_output=True, text=True,
        cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert run.returncode == 0
    assert run.stdout.splitlines()[-1] == "2024-01-16,11.0,12.0,10.5,11.5,200"
