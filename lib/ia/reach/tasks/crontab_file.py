"""The user's crontab as bytes: read it, and replace it without losing what another program writes meanwhile.

`crontab -` replaces the whole table, and nobody locks it. So the new table is handed over but for its end; then the old
one is read again, and only when it is unchanged and no other `crontab` is at work is the end told. Should one begin
before ours has renamed its file, ours is ended: what another program writes counts more than our block, which can be
written again. Should ia be killed before it tells the end, crontab never sees one, and an alarm ends it: the table is
the old one or the new one, whole. Where there is no /proc only the reading protects.
"""

import contextlib
import os
import selectors
import shutil
import signal
import socket
import subprocess
import time

from ia.kernel import config
from ia.kernel.errors import ConfigError, TryLater, Unavailable

PATIENCE = 20.0
"""Seconds in which a table that keeps changing is to come to rest."""
ANSWER = 15.0
"""Seconds in which the crontab program is to do what it was told."""
LARGEST = 4_000_000
"""Bytes of a crontab that are read."""
_SPOOLS = (
    "/var/spool/cron/crontabs",
    "/var/spool/cron/tabs",
    "/var/spool/cron",
    "/var/cron/tabs",
)
_DAEMONS = (b"cron", b"crond", b"fcron", b"dcron", b"bcron-sched")
_TICK = 0.011  # seconds; a file system's stamps may be as coarse as this
_YOUNG = 2.0  # seconds; an older `crontab` waits for a person (crontab -e), not for us
_CALM = 3.0
_SOON = 0.003
_INSTANT = 0.0003
_SLOW = 1.0  # seconds; a writer that takes longer is looked at less often
_READING = 3.0  # seconds of each minute in which cron reads the tables
_MANY = 500  # processes that may begin while we look; with more we look again
_ELSEWHERE = "install cron (Debian: `apt install cron`), or let another scheduler call `ia task due` every hour"


def crontab_program() -> str:
    """Return the absolute path of the program that keeps the crontab: `IA_CRONTAB`, else `crontab`.

    raises  Unavailable where there is none.
    """
    found = shutil.which(config.env("IA_CRONTAB", "crontab") or "")
    if found is None:
        raise Unavailable("no crontab program found; scheduled tasks will not start", hint=_ELSEWHERE)
    return os.path.abspath(found)


def read_crontab() -> bytes:
    """Return the crontab, byte for byte; b"" where the user has none.

    raises  Unavailable where there is no crontab program, it refuses, or does not end.
    """
    return _read_with_process()[0]


def _read_with_process() -> tuple[bytes, int]:
    """Return the crontab, and the id of the process that told it."""
    with _start_crontab(["-l"]) as process:
        out, err = _collect_output(process, "crontab -l")
    said = err.decode(errors="replace").strip()
    if process.returncode != 0 and "no crontab" not in said.lower() and "no such file" not in said.lower():
        reason = said or f"status {process.returncode}"
        raise Unavailable("crontab -l: {reason}", reason=reason, hint=_ELSEWHERE)
    return (b"" if process.returncode else out), process.pid


def _collect_output(process: "subprocess.Popen[bytes]", what: str) -> tuple[bytes, bytes]:
    """Return what a process says until it ends. One that does not end, or never stops talking, is ended.

    raises  Unavailable.
    """
    until, said = time.monotonic() + ANSWER, {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as ready:
        for stream in said:
            assert stream is not None
            ready.register(stream, selectors.EVENT_READ)
        while ready.get_map():
            for key, _ in ready.select(max(0.0, until - time.monotonic())):
                part = os.read(key.fd, 1 << 16)
                said[key.fileobj] += part  # type: ignore[index]
                if not part:
                    ready.unregister(key.fileobj)
            if sum(map(len, said.values())) > LARGEST:
                _end_process(process)
                raise Unavailable("{what} has more than {limit} bytes", what=what, limit=LARGEST, hint=_ELSEWHERE)
            if time.monotonic() >= until:
                _end_process(process)
                raise _timeout_error(what)
    try:
        process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        _end_process(process)
        raise _timeout_error(what) from None
    return bytes(said[process.stdout]), bytes(said[process.stderr])


def _timeout_error(what: str) -> Unavailable:
    return Unavailable("{what} did not finish within {seconds} s", what=what, seconds=ANSWER, hint=_ELSEWHERE)


def replace_crontab(old: bytes, new: bytes, deadline: float) -> None:
    """Replace the crontab `old` by `new`, unless it changes meanwhile. An empty one is removed. The caller looks again.

    deadline  of time.monotonic(); until then it is waited for others to finish
    raises    TryLater where they do not; ConfigError where crontab refuses the new one; Unavailable also where it does
              not end.
    """
    if not new:
        if _wait_until_calm(old, deadline, 0) is not None:
            with _start_crontab(["-r"]) as remover:
                _collect_output(remover, "crontab -r")
        return
    mine, its = socket.socketpair()
    with mine, its:
        writer = _start_crontab(["-"], its.fileno(), holds=mine.fileno())
        its.close()
        given_up = True
        try:
            _send_table(mine, new)
            before = _wait_until_calm(old, deadline, writer.pid)
            if before is not None:
                with contextlib.suppress(OSError):  # it refused before it read: its status tells
                    mine.shutdown(socket.SHUT_WR)
                given_up = _is_overtaken(writer, before)
        finally:
            if given_up:
                _stop_writer(writer)
            with writer:
                said = _collect_output(writer, "crontab -")[1].decode(errors="replace").strip()
    if writer.returncode != 0 and not given_up:
        reason = said or f"status {writer.returncode}"
        raise ConfigError(
            "crontab rejected the new table: {reason}", reason=reason, hint="inspect the crontab with `crontab -e`"
        )


def _send_table(mine: socket.socket, text: bytes) -> None:
    """Send a table to a `crontab -`, but for its end.

    raises  Unavailable where it does not read.
    """
    mine.settimeout(ANSWER)
    try:
        mine.sendall(text)
    except TimeoutError:
        raise _timeout_error("crontab -") from None
    except OSError:  # it refused before it read: its status tells
        pass


def _wait_until_calm(old: bytes, deadline: float, writer: int) -> set[str] | None:
    """Wait until nobody else is at work; return the processes that were there then, None where the table is not `old`.

    Two looks in a row, since one does not see who was there before it and finishes while it lasts. Where the times of
    cron's folder do not tell of him, every process that ended meanwhile may be one, for as long as `_CALM` goes.

    At the beginning of a minute cron reads the tables if their folder has changed, and compares whole seconds: of two
    changes within one second, the one that it has not read yet would wait for a third. So none is made then.
    """
    looks, first, ours, before = 0, 0, {writer}, set[str]()
    patient = time.monotonic() + _CALM
    while True:
        if looks == 0:
            first, before = _newest_process(), _list_processes()
        changed = _spool_change_time()
        table, reader = _read_with_process()
        if table != old:
            return None
        ours.add(reader)
        fresh = 0 <= time.time() - changed <= _TICK
        unseen = not changed and time.monotonic() < patient and _came_and_went(first, ours)
        reading = _READING - time.time() % 60 if changed else 0.0
        if fresh or unseen or reading > 0 or _has_other_writers(writer) or changed != _spool_change_time():
            looks = 0
            if time.monotonic() > deadline and reading <= 0:
                raise TryLater("another program keeps changing the crontab", hint="run `ia doctor --mend` later")
            time.sleep(max(_SOON, reading))
        elif looks:
            return before | set(map(str, ours))
        else:
            looks = 1


def _came_and_went(first: int, ours: set[int]) -> bool:
    """Return whether a process that is not ours began after the process `first`, and has ended: it may have written."""
    newest = _newest_process()
    if not first <= newest <= first + _MANY:
        return True
    for process in range(first + 1, newest + 1):
        if process not in ours and _read_proc(process, "stat").rpartition(b")")[2].split()[:1] in ([], [b"Z"], [b"X"]):
            return True
    return False


def _newest_process() -> int:
    """Return the id of the process that was started last, 0 where that is not known."""
    return int((_read_proc("loadavg", "") or b"0").split()[-1])


def _is_overtaken(writer: "subprocess.Popen[bytes]", before: set[str]) -> bool:
    """Wait for our writer to finish; return True as soon as another one begins, which would be the first to finish.

    Before it renames, crontab waits for the disk. Who began later must not be done earlier: we would undo his work.

    raises  Unavailable where ours does not finish.
    """
    name, began = _program_name(), time.monotonic()
    while writer.poll() is None:
        taken = time.monotonic() - began
        if taken > ANSWER:
            raise _timeout_error("crontab -")
        for process in _list_processes() - before:
            if _process_age(process, name) is not None and b"-l" not in _read_proc(process, "cmdline").split(b"\0"):
                return True
        time.sleep(_INSTANT if taken < _SLOW else _SLOW / 20)
    return False


def _spool_change_time() -> float:
    """Return when a file was last made or renamed where cron keeps its tables, 0 where that is not known.

    The files there are not for everyone to see, but the folder's own times are.
    """
    newest = 0.0
    for folder in _SPOOLS if crontab_program() == shutil.which("crontab") else ():
        with contextlib.suppress(OSError):
            newest = max(newest, os.stat(folder).st_ctime)
    return newest


def is_edited_by_hand() -> bool:
    """Return whether the user has `crontab -e` open: what it saves will be the table as it was, with their changes."""
    name = _program_name()
    return any(
        (_process_age(process, name) or 0) >= _YOUNG and b"-" not in _read_proc(process, "cmdline").split(b"\0")
        for process in _list_processes()
    )


def is_daemon_running() -> bool | None:
    """Return whether a cron daemon seems to run; None where that cannot be told, as there is no /proc (macOS)."""
    if not _list_processes():
        return None
    for process in _list_processes():
        name, _, rest = _read_proc(process, "stat").partition(b"(")[2].rpartition(b")")
        if name in _DAEMONS and rest.split()[:1] != [b"Z"]:  # one that has ended and was not fetched wakes nobody
            return True
    return False


def _has_other_writers(writer: int) -> bool:
    """Return whether another `crontab` is at work; False where that cannot be seen."""
    name = _program_name()
    ages = (_process_age(process, name) for process in _list_processes() - {str(writer)})
    return any(age is not None and age < _YOUNG for age in ages)


def _list_processes() -> set[str]:
    """Return the ids of all processes; none where there is no /proc."""
    try:
        return {name for name in os.listdir("/proc") if name.isdecimal()}
    except OSError:
        return set()


def _program_name() -> bytes:
    """Return what /proc calls the program."""
    return os.path.basename(crontab_program())[:15].encode()


def _process_age(process: str, name: bytes) -> float | None:
    """Return how many seconds ago a process of this name and of our user began; None for any other."""
    front, _, rest = _read_proc(process, "stat").rpartition(b")")
    told = rest.split()
    if front.partition(b"(")[2] != name or not told or told[0] in b"ZX":
        return None
    if b"\nUid:\t%d\t" % os.getuid() not in _read_proc(process, "status"):
        return None
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(told[19]) / os.sysconf("SC_CLK_TCK")


def _read_proc(process: str | int, what: str) -> bytes:
    """Return what /proc tells of a process; nothing once it has ended."""
    try:
        with open(f"/proc/{process}/{what}".rstrip("/"), "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""


def _start_crontab(
    arguments: list[str], given: int = subprocess.DEVNULL, holds: int | None = None
) -> "subprocess.Popen[bytes]":
    """Start the crontab program.

    holds  our end of the socket that it reads from: as it has it too, our death does not end its input. It then waits,
           until the alarm, which a program keeps through exec, ends it.
    """
    # Debian's crontab -l adds three lines of its own under CRONTAB_NOHEADER=N; "no crontab for" is to be English.
    settings = config.child_environment({"CRONTAB_NOHEADER": "Y", "LC_ALL": "C"})
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            [crontab_program(), *arguments],
            stdin=given,
            stdout=pipe,
            stderr=pipe,
            env=settings,
            start_new_session=True,
            pass_fds=() if holds is None else (holds,),
            preexec_fn=None if holds is None else _set_alarm,
        )
    except OSError as exc:
        raise Unavailable(
            "{program}: {reason}", program=crontab_program(), reason=exc.strerror, hint=_ELSEWHERE
        ) from None


def _set_alarm() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(PATIENCE + ANSWER))


def _end_process(process: "subprocess.Popen[bytes]") -> None:
    """End a program that does not end by itself, with what it started: that may hold its output open."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, number)
        time.sleep(0.1)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.5)


def _stop_writer(writer: "subprocess.Popen[bytes]") -> None:
    """End a `crontab -` that is not to finish, before it sees the end of its input: SIGINT lets it clean up."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.killpg(writer.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            writer.wait(0.5)
            return
