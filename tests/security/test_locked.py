"""The lock on its own: a process that runs any code whatever under it still reaches nothing.

The code here is not restricted by any policy, as if the language and the facades had been broken through, native code
included (ctypes). Linux only: elsewhere there is nothing to lock with, and the command says so.
"""

import json
import os
import subprocess
import sys

import pytest

from ia.kernel.errors import Message, Refused
from ia.organs.compute import sandbox
from support.program import REPO, installed
from support.sandbox_cage import TOKEN, Cage, bars

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the lock is written for Linux")

# What the broken-through worker does, once locked, with all of Python and libc.
FREE = """
import ctypes, json, os, sys
import _socket, mmap, signal, subprocess, threading
from ia.organs.compute import confine
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
code = sys.stdin.read()
layers = confine.confine_process()
assert layers["locked"] is True, layers
result = None
try:
    exec(code)
except BaseException as e:
    result = f"{type(e).__name__}: {e}"
sys.stdout.write(json.dumps({"result": str(result)}))
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture
def cage(tmp_path):
    cage = Cage(tmp_path)
    yield cage
    cage.close()


def free(cage, code):
    """Run code without any policy in a locked process; return what it said, and the canaries hurt."""
    run = subprocess.run(
        [sys.executable, "-c", FREE], input=cage.fill(code), capture_output=True, text=True, timeout=30, env={}
    )
    said = json.loads(run.stdout)["result"] if run.stdout else f"died ({run.returncode})"
    return said, cage.hurt(said, "native")


NATIVE = {
    "read": "result = open('@S@').read()",
    "read-by-syscall": "result = libc.open(b'@S@', 0)",
    "read-openat2": "result = libc.syscall(437, -100, b'@S@', b'\\0' * 24, 24)",
    "read-by-name-to-handle": "result = libc.syscall(303, -100, b'@S@', b'\\0' * 200, b'\\0' * 8, 0)",
    "write": "open('@C@', 'w').write('x')",
    "write-by-syscall": "result = libc.syscall(2, b'@C@', 65, 438)",
    "mkdir": "os.mkdir('@C@')",
    "symlink": "os.symlink('/etc/passwd', '@C@')",
    "link": "os.link('@S@', '@C@')",
    "unlink": "os.unlink('@V@')",
    "truncate": "os.truncate('@V@', 0)",
    "rename": "os.rename('@V@', '@C@')",
    "chmod": "os.chmod('@V@', 0)",
    "utime": "os.utime('@V@', (0, 0))",
    "stat": "result = os.stat('@S@').st_size",
    "list": "result = os.listdir('@SD@')",
    "chdir": "os.chdir('/')",
    "proc-environ": "result = open(f'/proc/{os.getppid()}/environ').read()",
    "process-vm-readv": "result = libc.syscall(310, os.getppid(), 0, 0, 0, 0, 0)",
    "ptrace": "result = libc.ptrace(16, os.getppid(), 0, 0)",
    "fork": "result = os.fork()",
    "vfork-exec": "subprocess.run(['touch', '@C@'])",
    "system": "result = os.system('touch @C@')",
    "exec": "os.execv('/bin/sh', ['sh', '-c', 'touch @C@'])",
    "execveat": "result = libc.syscall(322, -100, b'/bin/true', 0, 0, 0)",
    "clone3": "result = libc.syscall(435, b'\\0' * 88, 88)",
    "thread": "threading.Thread(target=print).start()",
    "tcp": "_socket.socket().connect(('127.0.0.1', @P@))",
    "udp": "_socket.socket(2, 2).sendto(b'x', ('127.0.0.1', @UP@))",
    "local-socket": "_socket.socket(1, 1).connect('@US@')",
    "socketpair": "_socket.socketpair()",
    "io-uring": "result = libc.syscall(425, 8, b'\\0' * 120)",
    "bpf": "result = libc.syscall(321, 0, b'\\0' * 64, 64)",
    "kill-parent": "os.kill(os.getppid(), 10)",
    "kill-group": "os.killpg(os.getpgid(os.getppid()), 10)",
    "tgkill-parent": "result = libc.syscall(234, os.getppid(), os.getppid(), 10)",
    "pidfd-open": "result = libc.syscall(434, os.getppid(), 0)",
    "executable-memory": "result = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)",
    "mprotect-exec": "p = mmap.mmap(-1, 4096); a = ctypes.addressof(ctypes.c_char.from_buffer(p)); "
    "result = libc.mprotect(ctypes.c_void_p(a), 4096, 7)",
    "pkey-mprotect": "result = libc.syscall(329, 0, 4096, 7, -1)",
    "memfd": "result = libc.syscall(319, b'x', 0)",
    "dup": "result = os.dup(1)",
    "raise-limits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))",
    "drop-filter": "result = libc.prctl(22, 0)",
    "mount": "result = libc.mount(b'none', b'/tmp', b'tmpfs', 0, 0)",
    "unshare": "result = libc.unshare(0x10000000)",
    "setuid": "os.setuid(65534)",
    "x32-open": "result = libc.syscall(0x40000000 + 2, b'@S@', 0)",
}


@pytest.mark.parametrize("name", NATIVE)
def test_even_native_code_reaches_nothing(cage, name):
    said, hurt = free(cage, NATIVE[name])
    assert not hurt
    assert TOKEN not in said
    refusals = ("PermissionError", "OSError", "RuntimeError", "ValueError: not allowed", "died", "BlockingIOError")
    assert said in ("-1", "32512") or said.startswith(refusals), said  # 32512: system() found no shell to start


def test_memory_is_limited(cage):
    said, _ = free(cage, "result = len(bytearray(3 << 30))")
    assert said.startswith("MemoryError")


def test_nothing_of_the_callers_environment_or_descriptors_is_in_the_worker(cage):
    reader, writer = os.pipe()
    os.set_inheritable(reader, True)
    worker = sandbox._Worker("", [])
    try:
        assert worker.read_layers()["locked"] is True
        with open(f"/proc/{worker.process.pid}/environ", "rb") as file:
            assert TOKEN.encode() not in file.read()
        assert sorted(os.listdir(f"/proc/{worker.process.pid}/fd")) == ["0", "1", "2", "3"]
        with open(f"/proc/{worker.process.pid}/status") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1" and status["Threads"] == "1"
    finally:
        worker.end()
        os.close(reader)
        os.close(writer)


def test_probe_names_each_layer():
    layers = sandbox.probe_layers()
    assert set(layers) == {"clock", "rlimits", "landlock", "descriptors", "seccomp", "self-test", "locked"}
    assert (
        layers["clock"] is True
        and layers["seccomp"] is True
        and layers["self-test"] is True
        and layers["locked"] is True
    )


# --- a system that cannot lock ----------------------------------------------------------------------------------------

# Denies seccomp and Landlock to itself and its children, as an old or a hardened kernel does, and then calls.
UNLOCKABLE = """
import errno, json, sys
sys.path.insert(0, {tests!r})
from ia.organs.compute import confine
confine.install_filter(confine.assemble_filter([317, 277, 444, 445, 446], 0x00050000 | errno.ENOSYS, 0x7FFF0000))
from ia.organs.compute import sandbox
from ia.kernel.errors import IaError
from support.sandbox_cage import bars
notes = []
try:
    value = sandbox.evaluate_source({source!r}, bars(), notify=lambda m: notes.append(str(m)), **{options!r}).value
except IaError as e:
    value = [e.status, str(e)]
print(json.dumps([value, notes, sandbox.probe_layers()]))
"""


def unlockable(source, **options):
    code = UNLOCKABLE.format(tests=str(REPO / "tests"), source=source, options=options)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of the denied calls are those of x86_64")
class TestWithoutALock:
    def test_code_typed_by_the_user_runs_after_one_warning(self):
        value, notes, layers = unlockable("close.count()", trusted=True)
        assert value == 300
        assert notes == ["ia cannot lock the sandbox on this system; only the language rules restrict the expression"]
        assert layers["locked"] is False
        assert str(layers["seccomp"]).startswith("no: ") and str(layers["landlock"]).startswith("no: ")
        assert "start a process" in str(layers["self-test"])

    def test_code_of_others_is_refused(self):
        value, notes, _ = unlockable("close.count()", trusted=False)
        assert value[0] == 77 and "cannot lock" in value[1]
        assert notes == []

    def test_configuration_can_let_it_in_and_it_is_reported(self):
        value, notes, _ = unlockable("close.count()", trusted=False, isolation="prefer")
        assert value == 300
        assert len(notes) == 1

    def test_the_facades_hold_without_it(self):
        value, _, _ = unlockable("pd.read_csv('/etc/passwd')", trusted=True)
        assert value == [77, "<expression>:1: pd.read_csv is not available in expressions"]


CHECKED = """
import errno, json, sys
sys.path.insert(0, {tests!r})
from ia.organs.compute import confine
confine.install_filter(confine.assemble_filter([317, 277, 444, 445, 446], 0x00050000 | errno.ENOSYS, 0x7FFF0000))
from ia.faculties import skills
from ia.organs.compute.sandbox import CannotLock
from ia.kernel.workspace import Workspace
from support.sandbox_cage import bars
notes = []
found = skills.check(Workspace(), "a", bars(), lambda m: notes.append(str(m)), "en")
problems = {{id(each.problem) for each in found if isinstance(each.problem, CannotLock)}}
print(json.dumps([[each.fired for each in found], len(problems), notes]))
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of the denied calls are those of x86_64")
class TestConditionsWithoutALock:
    """Conditions of a skill that need the sandbox, judged where it cannot be locked."""

    def check(self, home, **env):
        knowledge = home / ".claude" / "skills" / "a" / "knowledge"
        knowledge.mkdir(parents=True)
        (knowledge.parent / "SKILL.md").write_text("---\ndescription: x\n---\n")
        rules = [{"id": f"R{n}", "condition": f"close.count() > {n}", "conclusion": "c"} for n in range(4)]
        (knowledge / "rules.yaml").write_text(json.dumps({"rules": {"tier2_core": rules}}))
        code = CHECKED.format(tests=str(REPO / "tests"))
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={**os.environ, **env}
        )
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def test_all_of_them_have_the_one_problem(self, home):
        fired, problems, notes = self.check(home)
        assert (fired, problems, notes) == ([False] * 4, 1, [])

    def test_configuration_lets_them_run_with_one_warning(self, home):
        fired, problems, notes = self.check(home, IA_COMPUTE_ISOLATION="prefer")
        assert (fired, problems) == ([True] * 4, 0)
        assert notes == ["ia cannot lock the sandbox on this system; only the language rules restrict the expression"]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of the denied calls are those of x86_64")
class TestTheCommandWithoutALock:
    """The same through `ia compute`, under a filter that denies seccomp and Landlock to it and its children."""

    FILTER = (
        "import errno, os, sys; from ia.organs.compute import confine; "
        "confine.install_filter(confine.assemble_filter([317, 277, 444, 445, 446], 0x00050000 | errno.ENOSYS, 0x7FFF0000)); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    CSV = "date,open,high,low,close,volume\n2024-01-15,10.5,11.5,10,11,100\n"
    BARS = "ia: standard input, 2024-01-15: 1 bar\n"
    WARNING = BARS + "ia: ia cannot lock the sandbox on this system; only the language rules restrict the expression\n"

    def run(self, *args, **env):
        words = [sys.executable, "-c", self.FILTER, *installed(), "compute", *args]
        return subprocess.run(
            words, input=self.CSV, capture_output=True, text=True, timeout=60, env={**os.environ, **env}
        )

    def test_typed_code_runs_with_a_warning_and_the_trail_keeps_it(self, ia):
        run = self.run("close.mean()")
        assert (run.returncode, run.stdout, run.stderr) == (0, "11.0\n", self.WARNING)
        events = json.loads(ia("log", "--json").stdout)
        (event,) = [e for e in events if e["kind"] == "compute.unlocked"]
        assert event["data"]["source"] == "close.mean()" if "data" in event else event["source"] == "close.mean()"

    def test_code_from_a_file_does_not(self, tmp_path):
        file = tmp_path / "x.py"
        file.write_text("close.mean()")
        run = self.run("-f", str(file))
        assert (run.returncode, run.stdout) == (77, "")
        assert "cannot lock" in run.stderr and "compute.isolation prefer" in run.stderr
        run = self.run("-f", str(file), IA_COMPUTE_ISOLATION="prefer")
        assert (run.returncode, run.stdout, run.stderr) == (0, "11.0\n", self.WARNING)

    def test_the_array_lane_needs_no_lock(self):
        run = self.run("sma(close, 1)")
        assert (run.returncode, run.stdout, run.stderr) == (0, "11.0\n", self.BARS)


def test_a_worker_that_says_it_is_not_locked_gets_no_code(monkeypatch):
    def not_locked(self):
        return {"locked": "yes"}

    monkeypatch.setattr(sandbox._Worker, "read_layers", not_locked)
    told: list[Message] = []
    with pytest.raises(Refused):
        sandbox.evaluate_source("1 + 1", bars(10), trusted=False, notify=told.append)
    assert told == []

    def test_a_tool_runs_where_configuration_lets_it_and_the_trail_keeps_it(self, ia):
        words = [*installed(), "tool", "call", "compute.run", '{"code": "close.count()", "symbol": "600519"}']
        env = {**os.environ, "IA_MARKET_ADAPTER": "demo", "IA_COMPUTE_ISOLATION": "prefer"}
        run = subprocess.run([sys.executable, "-c", self.FILTER, *words], capture_output=True, text=True, env=env)
        assert run.returncode == 0 and "only the language rules restrict" in run.stdout
        (event,) = json.loads(ia("log", "--kind", "compute.unlocked", "--json").stdout)
        assert event["subject"] == "tool"
