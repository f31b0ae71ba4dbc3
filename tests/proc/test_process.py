"""What only a real process shows: exit statuses, pipes, terminals, signals."""

import errno
import os
import pty
import shlex
import signal
import subprocess
import sys
import time

import pytest

from ia_cli.terminal.memory_limit import is_out_of_memory
from support.program import installed

DEMO = {"IA_MARKET_ADAPTER": "demo"}


def unread(args, tmp_path):
    """Run ia with nobody at the other end of its stdout; return (status, stderr). No race: the reader is gone first."""
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [*installed(), *args], env={**os.environ, **DEMO}, stdin=subprocess.DEVNULL, stdout=writer,
        stderr=subprocess.PIPE, text=True, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    os.close(writer)
    return run.returncode, run.stderr


@pytest.mark.parametrize("args", [["--help"], ["ohlcv", "--help"], ["config", "list"], ["log", "--json"]], ids=" ".join)
def test_reader_gone_is_141_and_silent(args, tmp_path):
    assert unread(args, tmp_path) == (141, "")


def test_reader_gone_in_the_middle_of_prices(tmp_path):
    status, errors = unread(["ohlcv", "600519"], tmp_path)
    assert status == 141
    assert errors == "ia: simulated prices: the demo market generates 600519.SH\n"


def test_head_gets_its_lines(tmp_path):
    script = 'set -o pipefail; "$@" ohlcv 600519 | head -n 2'
    run = subprocess.run(["bash", "-c", script, "bash", *installed()], env={**os.environ, **DEMO}, capture_output=True, text=True, timeout=60)  # fmt: skip
    assert run.returncode in (0, 141)
    assert run.stdout.splitlines()[0] == "date,open,high,low,close,volume"
    assert len(run.stdout.splitlines()) == 2
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("args", "status", "stderr"),
    [
        (["nope"], 2, "ia: no such command: nope\nhint: did you mean ia note?\n"),
        (["ohlcv", "--perid", "daily"], 2, "ia: no such option: --perid\nhint: did you mean --period?\n"),
        (["config", "get", "market.adaptor"], 2, None),
        (["config", "get", "nothing"], 2, "ia: nothing: no such setting\nhint: `ia config list` lists all keys\n"),
        (["where", "absent.csv"], 66, "ia: absent.csv: no such file\n"),
        (["ohlcv", "600519", "--adapter", "nobody"], 78, None),
        (["ohlcv", "600519", "--start", "2024-02-30"], 2, "ia: --start: '2024-02-30' is not a date\nhint: write 2024-03-15, 20240315, 2024/3/15, 2024-03, 03-15, yesterday, 30d, -2w, 3m, 1y or ytd\n"),
        (["--now", "someday", "log"], 2, None),
        (["ohlcv", "999999"], 66, None),
        (["log"], 1, ""),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)  # fmt: skip
def test_failure_is_one_message_on_stderr(ia, args, status, stderr):
    run = ia(*args)
    assert run.returncode == status
    if args != ["log"]:
        assert run.stdout == ""
    if stderr is None:
        assert run.stderr.startswith("ia: ")
        assert len(run.stderr.splitlines()) <= 2
    else:
        assert run.stderr == stderr


def test_errors_speak_chinese_and_keep_their_status(ia):
    run = ia("--lang", "zh", "ohlcv", "600519", "--start", "2024-02-30")
    assert (run.returncode, run.stderr) == (
        2,
        "ia: --start：'2024-02-30' 不是日期\nhint: 写成 2024-03-15、20240315、2024/3/15、2024-03、3月15日、昨天、30d、-2w、3m、1y 或 ytd\n",
    )
    assert "用法：" in ia("--lang", "zh", "ohlcv", "--help").stdout
    assert "用法：" in ia("--help", env={"LANG": "zh_CN.UTF-8"}).stdout


def test_a_broken_config_is_78_and_help_still_works(ia, home):
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("market: [unclosed\n")
    run = ia("ohlcv", "600519")
    assert (run.returncode, run.stdout) == (78, "")
    assert run.stderr.startswith("ia: config.yaml:")
    assert "Traceback" not in run.stderr


def test_debug_adds_the_traceback_and_keeps_the_status(ia):
    run = ia("where", "absent.csv", env={"IA_DEBUG": "1"})
    assert run.returncode == 66
    assert "Traceback" in run.stderr


def test_terminal_on_stdin_is_refused_at_once(tmp_path):
    master, slave = pty.openpty()
    for args in (["ohlcv", "-"], ["where"], ["note", "scratch/x"]):
        run = subprocess.run([*installed(), *args], stdin=slave, capture_output=True, text=True, timeout=90)
        assert (run.returncode, run.stdout) == (2, ""), args
    os.close(master)
    os.close(slave)


def test_symbol_wins_over_stdin(tmp_path):
    """A pipe that never closes on stdin must not be waited for: cron has such things."""
    reader, writer = os.pipe()
    run = subprocess.run(
        [*installed(), "ohlcv", "600519"],
        stdin=reader,
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, **DEMO},
    )
    os.close(writer)
    os.close(reader)
    assert run.returncode == 0


def test_ctrl_c_is_130_without_a_traceback(tmp_path):
    child = subprocess.Popen([*installed(), "ohlcv", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.6)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=90)
    assert child.returncode == 130
    assert "Traceback" not in errors


def test_a_full_disk_behind_stdout_is_reported(ia):
    with open("/dev/full", "w") as full:
        run = subprocess.run([*installed(), "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=90)
    assert run.returncode == 75
    assert run.stderr.startswith("ia: cannot write the output")


def test_home_flag_and_an_unwritable_home(ia, tmp_path):
    (tmp_path / "other").mkdir()
    run = ia("--home", str(tmp_path / "other"), "config", "set", "lang", "en")
    assert run.returncode == 0
    assert (tmp_path / "other" / "config.yaml").read_text() == "lang: en\n"
    run = ia("--home", "/proc/nowhere", "config", "set", "lang", "en")
    assert run.returncode in (66, 75, 77)
    assert run.stderr.startswith("ia: ")


def test_a_closed_stdout_is_reported(tmp_path):
    run = subprocess.run(["bash", "-c", '"$@" config list >&-', "bash", *installed()], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (75, "ia: standard output is closed\n")


def test_an_unwritable_stderr_loses_no_data(tmp_path):
    with open("/dev/full", "w") as full:
        run = subprocess.run([*installed(), "ohlcv", "600519"], env={**os.environ, **DEMO}, stdout=subprocess.PIPE, stderr=full, text=True)  # fmt: skip
    assert run.returncode == 0
    assert len(run.stdout.splitlines()) > 2000


def test_a_broken_config_hides_neither_help_nor_doctor_nor_a_written_note(ia, home):
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("market: [\n")
    assert ia("--help").returncode == 0
    doctor = ia("doctor")
    assert doctor.returncode == 1
    assert "not valid YAML" in doctor.stdout
    run = ia("note", "scratch/a", "text")
    assert run.stdout == "notebook/scratch/a.md\n"
    (home / "config.yaml").unlink()
    os.mkfifo(home / "config.yaml")
    assert ia("config", "list", timeout=10).returncode == 78


@pytest.mark.parametrize("text", ["- an item", "-5% stop", "-3", "-一条"])
def test_a_text_may_begin_with_a_dash(ia, text):
    if text == "-一条":
        assert ia("note", "scratch/a", "--", text).returncode == 0
    else:
        assert ia("note", "scratch/a", text).returncode == 0
    assert ia("note", "read", "scratch/a").stdout == text + "\n"


def test_nothing_repaints_the_terminal(ia, tmp_path):
    """Control characters of a note's text or name are shown, not obeyed, where a person reads."""
    run = ia("ohlcv", "x\x1b[2Jy")
    assert "\x1b" not in run.stderr
    ia("note", "scratch/a", "visible \x1b[2J hidden")
    master, slave = pty.openpty()
    child = subprocess.Popen([*installed(), "note", "list"], stdout=slave, stderr=slave, stdin=subprocess.DEVNULL)
    child.wait(timeout=90)
    os.close(slave)
    shown = os.read(master, 65536)
    os.close(master)
    assert b"\x1b[2J" not in shown
    assert b"visible" in shown


def test_no_verb_is_the_help(ia):
    run = ia("config")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("Usage: ia config")
    assert ia().stdout.startswith("Usage: ia")


def test_options_of_the_root_stand_before_the_command(ia):
    assert "before the command" in ia("ohlcv", "600519", "--now", "2024-01-01").stderr


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.02, 0.03, 0.05, 0.08])
def test_ctrl_c_at_any_moment_of_the_start_has_no_traceback(delay, tmp_path):
    child = subprocess.Popen([*installed(), "ohlcv", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
    time.sleep(0.03 + delay)  # before that it is Python itself that starts
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=90)
    assert "ia_cli/main.py" not in errors, "once ia begins to load there is no traceback"
    if "Traceback" not in errors and "Fatal Python error" not in errors:  # else Python itself was still starting
        assert child.returncode in (130, -signal.SIGINT)


@pytest.mark.parametrize("args", [["--help"], ["note", "x", "y"], ["--lang", "zh", "account"]], ids=" ".join)
@pytest.mark.share(3)
def test_where_memory_is_short_one_line_says_so(args, tmp_path, monkeypatch):
    monkeypatch.delenv("IA_HOME")  # the default workspace is made by the first write
    begun = short = 0
    for kilobytes in range(14_000, 44_000, 2_000):

        def run(command, limit=kilobytes):
            script = f"ulimit -v {limit}; exec {shlex.join(command)}"
            return subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path)

        if run([sys.executable, "-c", "import ia_cli.start"]).returncode:
            continue  # Python itself has too little
        begun += 1
        done = run([*installed(), *args])
        assert done.returncode in (0, 75), done.stderr
        assert len(done.stderr.splitlines()) <= 2 and "Traceback" not in done.stderr, done.stderr
        short += done.stderr.startswith(("ia: not enough memory\n", "ia: 内存不足\n"))
    assert 0 < short < begun


def test_an_import_that_fails_for_another_reason_is_not_about_memory(tmp_path):
    code = "import sys; sys.modules['click'] = None; from ia_cli.start import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "memory" not in done.stderr and "click" in done.stderr


@pytest.mark.parametrize(
    "exc, short",
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (OSError(errno.ENOSPC, "full"), False),
        (ImportError("x.so: undefined symbol"), False),
        (ValueError(), False),
    ],
)
def test_which_failures_are_about_memory(exc, short):
    assert is_out_of_memory(exc) is short
