"""A run's processes: `ia` commands in a group of their own, bounded in time, their output caught and kept as a log.

They hold a descriptor of the lock that is passed to them: as long as one of them lives, whoever takes up the run after
a crash sees it, and can end the group before anything is done twice.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import IO, NamedTuple

from ia.faculties.taskbook.pipeline import Pipe
from ia.kernel import config

MAX_OUTPUT = 2_000_000
"""Bytes of standard output that are kept of a run."""
MAX_LOG = 1_000_000
_GRACE = 3.0  # seconds between asking a group to end and ending it
_LEFT = 141
TIMED_OUT = 124


class ChildExit(NamedTuple):
    """What came of a run's processes: a status as of `set -o pipefail`, standard output, the end of standard error.

    complaint   the end of standard error of the command whose status it is; process: the id of its process
    cut         whether pipelines were left out, as one before them did not end well
    simulated   whether a process read simulated prices
    summary     what a process says in one sentence it has done; "" where none does
    """

    status: int
    output: str
    errors: str
    complaint: str = ""
    process: int | None = None
    cut: bool = False
    simulated: bool = False
    summary: str = ""


class ChildStart(NamedTuple):
    """How processes are started: environment on top of ours, folder, lock to inherit, log, and what they are given.

    began   is told the number of the process group before anything is waited for
    given   standard input of the first command
    """

    env: dict[str, str]
    folder: str
    lock: int
    log: str
    seconds: float
    began: Callable[[int], None]
    given: bytes = b""


def ia_command() -> list[str]:
    """Return the words that start this very `ia`, whatever is on the PATH. Nothing is imported from the folder."""
    return [sys.executable, "-P", "-c", "from ia_cli.start import main; main()"]


def run_pipelines(pipes: list[Pipe], start: ChildStart) -> ChildExit:
    """Run pipelines one after the other until one does not end well. Whatever happens, none is left behind.

    A status is that of the first command of a pipe that failed; 141 of one whose reader had enough is none. 124 where
    the time ran out.
    """
    deadline = time.monotonic() + start.seconds
    os.makedirs(os.path.dirname(start.log), exist_ok=True)
    with open(start.log, "ab") as log:
        caught = _Caught(log)
        status = number = 0
        for number, pipe in enumerate(pipes):
            status = _run_pipeline(pipe, start, caught, deadline, first=number == 0)
            if status != 0:
                break
    return ChildExit(
        status=status,
        output=caught.output_text(),
        errors=caught.error_text(),
        complaint=caught.complaint_text(),
        process=caught.process,
        cut=number + 1 < len(pipes),
    )


class _Caught:
    """What the processes said, bounded: the log gets all of it in the order in which it came."""

    def __init__(self, log: IO[bytes]) -> None:
        self._log, self._logged = log, 0
        self._out, self._err = bytearray(), bytearray()
        self._of: dict[int, bytearray] = {}
        self.failed: int | None = None
        self.process: int | None = None

    def take_chunk(self, chunk: bytes, command: int | None) -> None:
        """Take a piece of the output, or of what a command (by its place in the pipe) said to standard error."""
        if command is not None:
            self._err = (self._err + chunk)[-20_000:]
            self._of[command] = (self._of.get(command, bytearray()) + chunk)[-20_000:]
        else:
            self._out += chunk[: MAX_OUTPUT - len(self._out)]
        room = MAX_LOG - self._logged
        if room > 0:
            self._logged += len(chunk)
            self._log.write(chunk[:room])
            self._log.flush()

    def output_text(self) -> str:
        return self._out.decode(errors="replace")

    def error_text(self) -> str:
        return self._err.decode(errors="replace")

    def complaint_text(self) -> str:
        return "" if self.failed is None else self._of.get(self.failed, bytearray()).decode(errors="replace")

    def begin_pipeline(self) -> None:
        self._of, self.failed, self.process = {}, None, None


def _run_pipeline(pipe: Pipe, start: ChildStart, caught: _Caught, deadline: float, *, first: bool) -> int:
    processes: list[subprocess.Popen[bytes]] = []
    errors: list[int] = []
    caught.begin_pipeline()
    try:
        with tempfile.TemporaryFile() as given:
            if first and start.given:
                given.write(start.given)
                given.seek(0)
            _start_pipeline(processes, pipe, start, given, errors)
            out = processes[-1].stdout
            assert out is not None
            in_time = _pump_output(
                {out.fileno(): None, **{fd: at for at, fd in enumerate(errors)}}, caught, processes, deadline
            )
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(deadline - time.monotonic(), 0))
        if not in_time or any(process.poll() is None for process in processes):
            return TIMED_OUT
        status, caught.failed = _pipeline_status([process.returncode for process in processes])
        caught.process = None if caught.failed is None else processes[caught.failed].pid
        return status
    finally:
        _end_processes(processes)
        for fd in errors:
            os.close(fd)


def _start_pipeline(
    processes: "list[subprocess.Popen[bytes]]", pipe: Pipe, start: ChildStart, given: IO[bytes], errors: list[int]
) -> None:
    """Start the commands of a pipe, each in the group of the first; `errors` gets where each one's are read."""
    environment = config.run_environment(start.env)
    for words in pipe:
        before = processes[-1].stdout if processes else None
        reader, writer = os.pipe()
        errors.append(reader)
        process = subprocess.Popen(
            [*ia_command(), *words[1:]],
            stdin=before or given,
            stdout=subprocess.PIPE,
            stderr=writer,
            env=environment,
            cwd=start.folder,
            pass_fds=(start.lock,),
            process_group=processes[0].pid if processes else 0,
            bufsize=0,
        )
        os.close(writer)
        processes.append(process)
        if before is not None:
            before.close()  # only its reader may hold it: else a command whose reader left would never know
        if len(processes) == 1:
            start.began(process.pid)


def _pump_output(
    sources: dict[int, int | None], caught: _Caught, processes: "list[subprocess.Popen[bytes]]", deadline: float
) -> bool:
    """Take what comes until all is said or all have ended; return whether that was in time."""
    over: float | None = None
    with selectors.DefaultSelector() as selector:
        for fd, command in sources.items():
            selector.register(fd, selectors.EVENT_READ, command)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for key, _ in selector.select(min(left, 0.5)):
                chunk = os.read(key.fd, 1 << 16)
                if chunk:
                    caught.take_chunk(chunk, key.data)
                else:
                    selector.unregister(key.fd)
            if all(process.poll() is not None for process in processes):  # what they left running holds the pipe
                over = over or time.monotonic() + 1.0
                if time.monotonic() > over:
                    break
    return True


def _pipeline_status(codes: list[int]) -> tuple[int, int | None]:
    """Return the status of a pipe, the first that is not 0 but for writers whose reader left, and whose it is."""
    told = [code if code >= 0 else 128 - code for code in codes]
    left = {_LEFT, 128 + signal.SIGPIPE}
    failed = ((code, at) for at, code in enumerate(told) if code and not (at + 1 < len(told) and code in left))
    return next(failed, (0, None))


def _end_processes(processes: "list[subprocess.Popen[bytes]]") -> None:
    """Make sure that nobody of the group is left, and take leave of them."""
    if not processes:
        return
    group = processes[0].pid
    if any(process.poll() is None for process in processes):
        end_group(group, processes)
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
        if process.stdout is not None:
            process.stdout.close()


def end_group(group: int, processes: "list[subprocess.Popen[bytes]] | None" = None) -> None:
    """End a process group: asked first where its processes are ours, so that a turn can keep its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if processes is not None:
            os.killpg(group, signal.SIGTERM)
            until = time.monotonic() + _GRACE
            while time.monotonic() < until and any(process.poll() is None for process in processes):
                time.sleep(0.02)
        os.killpg(group, signal.SIGKILL)
