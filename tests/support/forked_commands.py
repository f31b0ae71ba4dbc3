"""Run many commands of `ia` quickly: a server has loaded all modules and forks one process for each command.

The servers of all workers of a test run are forked from one process that has loaded the modules and used a workspace,
which takes ten seconds: the first worker that needs a server starts it, and it ends with the last of its servers.

A command runs in a process of its own, with its own environment, folder and standard streams, from the same entry as
the installed script to the end of the interpreter. What it does not pay for again is the start of Python and the
loading of pandas, so that a command costs what it does. What depends on which modules are loaded is not seen here:
tests of the start are in real processes.

`Server.program` is an executable file that stands for the installed `ia` where a test starts one by itself, in a shell
or with pipes of its own: a small process that hands its words, environment, folder and streams to the server, passes
signals on and ends as the command does. When it is killed, so is the command.
"""

import atexit
import contextlib
import dataclasses
import fcntl
import functools
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

LIMIT = 120.0
TURNS = "(turns of a listener)"
"""The word with which a forked listener starts the process of its turns; see ia_cli.terminal.turn_process."""


@dataclasses.dataclass(frozen=True)
class Ran:
    """How a command ended: exit status (128 + N on signal N), streams, seconds of CPU; `late` where the limit ended it."""

    args: tuple[str, ...]
    status: int
    out: str
    err: str
    cpu: float
    late: bool = False


class Server:
    """A server of forked commands; ends with the block."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        self._folder = tempfile.TemporaryDirectory(prefix="forked-")
        door = Path(self._folder.name) / "door"
        self.program = Path(self._folder.name) / "ia"
        self.program.write_text(_PROGRAM.format(python=sys.executable, door=str(door)))
        self.program.chmod(0o755)
        with theirs, socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(door))
            listening.listen(64)
            self._link = _ask_for_server([theirs.fileno(), listening.fileno()])
        self._answers = self._ours.makefile("r", encoding="utf-8")
        self._busy = threading.Lock()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._answers.close()
        self._ours.close()
        with contextlib.suppress(OSError):
            self._link.settimeout(10)
            self._link.recv(1)
        self._link.close()
        self._folder.cleanup()

    def try_run(
        self, *args: str, env: Mapping[str, str], cwd: Path, input: str | None = "", limit: float = LIMIT
    ) -> Ran | None:
        """Run as `run` does; return None while another thread's command runs."""
        if not self._busy.acquire(blocking=False):
            return None
        try:
            return self.run(*args, env=env, cwd=cwd, input=input, limit=limit)
        finally:
            self._busy.release()

    def run(self, *args: str, env: Mapping[str, str], cwd: Path, input: str | None = "", limit: float = LIMIT) -> Ran:
        """Run `ia ARGS` with exactly this environment and return how it ended. Without input it reads /dev/null."""
        given, out, err = (Path(self._folder.name) / name for name in ("in", "out", "err"))
        given.write_bytes((input or "").encode(errors="surrogatepass"))
        given = given if input is not None else Path(os.devnull)
        request = {"args": args, "env": dict(env), "cwd": str(cwd), "streams": [str(given), str(out), str(err)]}
        self._ours.sendall(json.dumps(request).encode() + b"\n")
        child = int(self._answers.readline())
        self._ours.settimeout(limit)
        try:
            answer = self._answers.readline()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            self._ours.settimeout(None)
            self._answers = self._ours.makefile("r", encoding="utf-8")  # one that timed out reads no more
            self._answers.readline()
            return Ran(args, 124, _text(out), _text(err), limit, late=True)
        self._ours.settimeout(None)
        status, cpu = json.loads(answer)
        return Ran(args, status if status >= 0 else 128 - status, _text(out), _text(err), cpu)


@functools.cache
def server() -> Server:
    """Return the one server of this process, which ends with it."""
    started = Server()
    atexit.register(started.__exit__)
    return started


def _ask_for_server(ends: list[int]) -> socket.socket:
    """Let a server be forked that has these ends of a pair and of a door; return the link over which it says that it ended."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    place = Path(tempfile.gettempdir()) / f"ia-forks-{run}"
    for _ in range(3):
        link = socket.socket(socket.AF_UNIX)
        with open(f"{place}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                link.connect(str(place))
            except OSError:
                _start_parent(place)
                link.connect(str(place))
        with contextlib.suppress(OSError):  # it has just ended with the last of its servers
            socket.send_fds(link, [b"."], ends)
            if link.recv(1):
                return link
        link.close()
    raise RuntimeError("the process that forks servers of commands does not start")


def _start_parent(place: Path) -> None:
    """Start the process that forks servers; it listens from now on."""
    place.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen(64)
        env = {name: value for name, value in os.environ.items() if not name.startswith("IA_")}
        subprocess.run(
            [sys.executable, __file__, str(listening.fileno()), str(place)], pass_fds=[listening.fileno()], check=True,
            env={**env, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip


_PROGRAM = """#!{python} -IS
import _socket, os, signal, sys
door = _socket.socket(_socket.AF_UNIX)
door.connect({door!r})
cells = [os.getcwd(), str(len(sys.argv) - 1), *sys.argv[1:]]
cells = [os.fsencode(cell) for cell in cells] + [name + b"=" + value for name, value in os.environb.items()]
request = b"\\0".join(cells)
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
door.sendmsg([len(request).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
door.sendall(request)
child = int.from_bytes(door.recv(8), "big")
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: os.kill(child, number))
status = int.from_bytes(door.recv(8), "big", signed=True)
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="backslashreplace")


def _fork_servers(number: int, place: Path) -> list[int]:
    """Fork a server for each client that asks, and end with the last of them; return its link and its ends in the server."""
    servers = set[int]()
    with socket.socket(fileno=number) as listening:
        while True:
            asked = select.select([listening], [], [], 0.5)[0]
            servers -= {child for child in servers if os.waitpid(child, os.WNOHANG)[0]}
            if not asked and not servers:
                break
            if not asked:
                continue
            link, _ = listening.accept()
            _, ends, _, _ = socket.recv_fds(link, 1, 2)
            child = os.fork() if ends else 0
            if ends and not child:
                listening.close()
                link.sendall(b".")
                return [link.detach(), *ends]
            link.close()
            for end in ends:
                os.close(end)
            servers |= {child} - {0}
    for left in (place, Path(f"{place}.lock")):
        left.unlink(missing_ok=True)
    os._exit(0)


def _serve(number: int) -> list[str] | None:
    """Fork a child for each request until the client leaves; return the words of the command in the child."""
    with socket.socket(fileno=number) as link, link.makefile("r", encoding="utf-8") as requests:
        for line in requests:
            request = json.loads(line)
            started = os.times()
            child = os.fork()
            if child == 0:
                _become(request)
                link.detach()
                os.close(number)
                return list(request["args"])
            link.sendall(b"%d\n" % child)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            ended = os.times()
            cpu = ended.children_user + ended.children_system - started.children_user - started.children_system
            with contextlib.suppress(ProcessLookupError):  # what the command left running must not outlive it
                os.killpg(child, signal.SIGKILL)
            link.sendall(json.dumps([status, round(cpu, 3)]).encode() + b"\n")
    return None


def _open_door(number: int) -> list[str] | None:
    """Serve the programs at a door until the server leaves; return the words of the command in a child."""
    with socket.socket(fileno=number) as door:
        if os.fork():
            return None
        server = os.getppid()
        while os.getppid() == server:
            with contextlib.suppress(ChildProcessError):  # waited for, what they cost is counted as the server's
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if not select.select([door], [], [], 0.5)[0]:
                continue
            link, _ = door.accept()
            if os.fork() == 0:
                door.close()
                return _attend(link)
            link.close()
        os._exit(0)


def _attend(link: socket.socket) -> list[str]:
    """Return the words of a program's command in a child; end here with it, and end it where the program has gone."""
    head, streams, _, _ = socket.recv_fds(link, 8, 3)
    size, request = int.from_bytes(head, "big"), b""
    while len(request) < size:
        request += link.recv(size - len(request))
    cwd, count, *rest = request.split(b"\0")
    child = os.fork()
    if child == 0:
        link.close()
        for at, stream in enumerate(streams):
            os.dup2(stream, at)
            os.close(stream)
        os.environb.clear()
        os.environb.update(cell.partition(b"=")[::2] for cell in rest[int(count) :])
        time.tzset()
        os.chdir(cwd)
        return [os.fsdecode(word) for word in rest[: int(count)]]
    for stream in streams:
        os.close(stream)
    link.sendall(child.to_bytes(8, "big"))
    pidfd = os.pidfd_open(child)
    gone = link in select.select([link, pidfd], [], [])[0]
    if gone:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not gone:
        link.sendall(status.to_bytes(8, "big", signed=True))
    os._exit(0)


def _become(request: dict[str, object]) -> None:
    os.setpgid(0, 0)
    streams = [str(path) for path in request["streams"]]
    for at, path in enumerate(streams):
        opened = os.open(path, os.O_RDONLY if at == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, at)
        os.close(opened)
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    os.chdir(str(request["cwd"]))


def _load() -> None:
    import apprise
    import openai  # noqa: F401  (llm loads it when a turn calls a model)

    import ia
    import ia_cli

    for package in (ia, ia_cli):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
    from forked_workers import install, load_libraries  # beside this file, which is run as a program

    load_libraries("*")
    install()
    apprise.Apprise().add("json://127.0.0.1")  # loads its plugins


def _warm_up() -> None:
    """Use a workspace, so that what is made once in a process is made: patterns, tables, words, the simulated market."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as home, contextlib.redirect_stderr(io.StringIO()):
        os.environ.update(IA_HOME=home, IA_MARKET_ADAPTER="demo", XDG_STATE_HOME=home)
        from ia.organs.ohlcv.adapters.demo import Demo, simulated_symbols
        from ia_cli.main import run_command_line

        for symbol in simulated_symbols():
            Demo().actions(symbol)
        run_command_line(["init"])
        run_command_line(["sync"])
        run_command_line(["doctor"])  # compiles each pattern of the tables
        for question in (
            "How is CATL doing?",
            "比较宁德时代和茅台",
            "茅台昨天收盘价",
            "今天大盘怎么样",
            "我的持仓怎么样",
        ):
            run_command_line(["turn", question])
    os.environ.clear()
    os.environ.update(before)


def _entry_of(words: list[str], door: Path) -> Callable[[], None]:
    """Return what runs a command; a listener starts its turns at the same door."""
    from ia_cli.commands import listen
    from ia_cli.start import main
    from ia_cli.terminal import turn_process

    if words == [TURNS]:
        return turn_process.main
    listen.ANSWER[:] = [str(door.with_name("ia")), TURNS]
    return main


def _run(main: Callable[[], None]) -> None:
    """Run a command as the interpreter would, and leave without taking every loaded module apart."""
    try:
        main()
        status = 0
    except SystemExit as exc:
        status = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    import gc

    if os.fork():
        os._exit(0)
    import re

    gc.disable()
    re._MAXCACHE = 1 << 16  # type: ignore[attr-defined]  # what is compiled here is compiled for all
    _load()
    _warm_up()
    gc.freeze()
    link, ours, door = _fork_servers(int(sys.argv[1]), Path(sys.argv[2]))
    with socket.socket(fileno=os.dup(door)) as named:
        place = Path(named.getsockname())
    words = _open_door(door)
    if words is None:
        words = _serve(ours)
    if words is None:
        os.write(link, b".")
    else:
        sys.argv = [os.path.join(os.path.dirname(sys.executable), "ia"), *words]
        _run(_entry_of(words, place))
