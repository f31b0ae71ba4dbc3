"""With the system's own cron: a proposal is approved, its entry fires in the next minute, and the result is told.

Needs root and Debian's cron, and is skipped with the reason elsewhere. The machine's crontab comes back as it was.
"""

import json
import os
import shutil
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ia.organs.channels import inbox
from ia.reach.tasks import crontab_file

NAME = "rsi-每分钟"
PIPELINE = 'ia ohlcv 600519 --adapter demo | ia compute "rsi(close,14)"'
WAIT = 125  # seconds: the next minute, and what a run takes on a busy machine


@pytest.fixture
def daemon(own_crontab):
    """A cron daemon that reads the machine's crontabs: the one that runs, else one for this test."""
    if os.getuid() != 0:
        pytest.skip("only root can start a cron daemon")
    if crontab_file.is_daemon_running():
        yield
        return
    program = shutil.which("cron", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if program is None:
        pytest.skip("there is no cron daemon here")
    process = subprocess.Popen([program, "-f"], stdin=subprocess.DEVNULL)
    time.sleep(1.5)  # it reads the tables now, and would not notice a change within the same second
    yield
    assert process.poll() is None, f"cron ended with {process.poll()}: is another one running?"
    process.terminate()
    process.wait(10)


@pytest.fixture
def phone():
    """A service on the loopback that keeps what it is sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.server.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.got = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
def test_from_a_proposal_to_a_note_and_back(ia, ws, daemon, own_crontab, phone, tmp_path, monkeypatch):
    monkeypatch.delenv("IA_CRONTAB")

    def done(*args):
        told = ia(*args)
        assert told.returncode == 0, (args, told.stderr)
        return told

    def listed():
        return subprocess.run([own_crontab, "-l"], capture_output=True).stdout

    # What a user may have set above: another shell, another home; cron gives its jobs no more than that.
    shell = next(filter(None, map(shutil.which, ("fish", "csh", "bash", "sh"))))
    before = (
        f"SHELL={shell}\nHOME={tmp_path}\nXDG_STATE_HOME={tmp_path}/state\n#0 5 * * *\told\n\n".encode() + b"# \xe9\n"
    )
    subprocess.run([own_crontab, "-"], input=before, check=True)

    ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{phone.server_port}/\n")
    done(
        "task",
        "propose",
        "--name",
        NAME,
        "--cron",
        "* * * * *",
        "--run",
        PIPELINE,
        "--notify",
        "cli",
        "--notify",
        "phone",
    )
    assert listed() == before, "nothing stands in the crontab before a person approves"
    done("task", "approve", NAME, "--yes")
    assert listed().startswith(before) and b"task due " + NAME.encode() in listed()
    approved, deadline = time.time(), time.monotonic() + WAIT
    while not phone.got or not ws.db.execute("SELECT 1 FROM runs WHERE state = 'done'").fetchone():
        assert time.monotonic() < deadline, (cron_log(ws), ia("task", "history", "--json").stdout, listed(), running())
        time.sleep(0.5)
    fired = time.time() - approved

    done("task", "remove", NAME)
    assert listed() == before, "the crontab is the user's again, byte for byte"

    (*_, run) = json.loads(done("task", "history", NAME, "--json").stdout)  # the oldest
    assert run["state"] == "done" and run["slot"] and run["report"].startswith("notebook/")
    bars = done("ohlcv", "600519", "--adapter", "demo").stdout
    value = ia("compute", "rsi(close,14)", input=bars).stdout.strip()
    assert value and value in Path(ws.root, run["report"]).read_text(encoding="utf-8")
    index = Path(ws.root, "memory/MEMORY.md").read_text(encoding="utf-8")
    assert run["report"].removeprefix("notebook/") in index
    assert NAME in json.dumps(phone.got[0], ensure_ascii=False)
    assert any(NAME in f"{notice.title} {notice.text}" for notice in inbox.list_notices(ws, 50))
    kinds = [json.loads(line)["kind"] for line in done("log", "--kind", "task", "--jsonl").stdout.splitlines()]
    assert {"task.approved", "task.run", "task.done", "task.removed"} <= set(kinds)
    slots = [row[0] for row in ws.db.execute("SELECT slot FROM runs")]
    assert len(slots) == len(set(slots)) and fired < WAIT


def test_no_table_is_written_while_cron_reads_it(own_crontab, monkeypatch):
    monkeypatch.delenv("IA_CRONTAB")
    subprocess.run([own_crontab, "-"], input=b"#old\n", check=True)
    if time.time() % 60 > 57:
        time.sleep(3)
    ends = time.time() + 1.5
    monkeypatch.setattr(crontab_file, "_READING", ends % 60)
    crontab_file.replace_crontab(b"#old\n", b"#new\n", time.monotonic() + 10)
    assert time.time() >= ends and crontab_file.read_crontab() == b"#new\n"


def running():
    return [
        line
        for line in subprocess.run(["ps", "-eo", "pid,stat,args"], capture_output=True, text=True).stdout.splitlines()
        if "cron" in line
    ]


def cron_log(ws):
    path = Path(ws.root, ".ia/tasks/cron.log")
    return path.read_text(encoding="utf-8") if path.exists() else "cron started nothing"
