"""The user's crontab as bytes: read it, and replace it without losing what another program writes meanwhile.

`crontab -` replaces the whole table, and nobody locks it. So the new table is handed over but for its last byte; then
the old one is read once more, and only when it is unchanged and no other `crontab` is at work does the last byte go.
What is left is the moment in which `crontab` renames its file: a program that started after our last look would have to
start, read, check and rename in less. The last byte is a line feed: should ia be killed before it, Debian's crontab
refuses the rest, and any other installs a table that lacks nothing.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator

from ia import config
from ia.errors import ConfigError, TryLater, Unavailable

PATIENCE = 20.0
"""Seconds in which a table that keeps changing is to come to rest."""
_SPOOLS = (
    "/var/spool/cron/crontabs",
    "/var/spool/cron/tabs",
    "/var/spool/cron",
    "/var/cron/tabs",
    "/usr/lib/cron/tabs",
)
_TICK = 0.011  # seconds; a file system's stamps may be as coarse as this
_YOUNG = 2.0  # seconds; an older `crontab` waits for a person (crontab -e), not for us
_SOON = 0.003
_ELSEWHERE = "install cron (Debian: apt install cron), or let another scheduler call `ia task due` every hour"


def program() -> str:
    """Return the absolute path of the program that keeps the crontab: `IA_CRONTAB`, else `crontab`.

    raises  Unavailable where there is none.
    """
    found = shutil.which(config.env("IA_CRONTAB", "crontab") or "")
    if found is None:
        raise Unavailable("there is no crontab program: nothing can wake ia for its tasks", hint=_ELSEWHERE)
    return os.path.abspath(found)


def read() -> bytes:
    """Return the crontab, byte for byte; b"" where the user has none.

    raises  Unavailable where there is no crontab program, or it refuses.
    """
    done = _run(["-l"])
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode(errors="replace").strip()
    if "no crontab" in said.lower() or "no such file" in said.lower():
        return b""
    raise Unavailable("crontab -l: {reason}", reason=said or f"status {done.returncode}", hint=_ELSEWHERE)


def replace(old: bytes, new: bytes, deadline: float) -> bool:
    """Replace the crontab `old` by `new`; return False where it is no longer `old`. An empty one is removed.

    deadline  of time.monotonic(); until then it is waited for others to finish
    raises    TryLater where they do not; ConfigError where crontab refuses the new one; Unavailable.
    """
    if not new:
        if not _at_rest(old, deadline, 0):
            return False
        return _run(["-r"]).returncode == 0 or read() == b""
    writer, said = _start(["-"]), b""
    with contextlib.suppress(BrokenPipeError), writer:  # a program that refuses before it reads: its status tells
        assert writer.stdin is not None and writer.stderr is not None
        try:
            writer.stdin.write(new[:-1])
            writer.stdin.flush()
            if not _at_rest(old, deadline, writer.pid):
                return False
            writer.stdin.write(new[-1:])
            writer.stdin.close()
        finally:
            if not writer.stdin.closed:
                _stop(writer)
            said = writer.stderr.read()
    if writer.returncode != 0:
        reason = said.decode(errors="replace").strip() or f"status {writer.returncode}"
        raise ConfigError("crontab refuses the new table: {reason}", reason=reason, hint="look at it: `crontab -e`")
    return True


def _at_rest(old: bytes, deadline: float, writer: int) -> bool:
    """Wait until nobody else is at work; return whether the table is still `old` then."""
    while True:
        changed = _changed()
        if read() != old:
            return False
        rests = not 0 <= time.time() - changed <= _TICK
        if not _others(writer) and rests and changed == _changed():
            return True
        if time.monotonic() > deadline:
            raise TryLater("another program keeps writing the crontab", hint="later: `ia doctor --mend`")
        time.sleep(_SOON)


def _changed() -> float:
    """Return when a file was last made or renamed where cron keeps its tables, 0 where that is not known.

    The files there are not for everyone to see, but the folder's own times are.
    """
    newest = 0.0
    for folder in _SPOOLS:
        with contextlib.suppress(OSError):
            newest = max(newest, os.stat(folder).st_ctime)
    return newest


def edited_by_hand() -> bool:
    """Return whether the user has `crontab -e` open: what it saves will be the table as it was, with their changes."""
    user = b"\nUid:\t%d\t" % os.getuid()
    for process, age in _processes():
        with contextlib.suppress(OSError), open(f"/proc/{process}/status", "rb") as file:
            if age >= _YOUNG and user in file.read():
                return True
    return False


def _others(writer: int) -> bool:
    """Return whether another `crontab` is at work; False where that cannot be seen."""
    return any(age < _YOUNG and process != writer for process, age in _processes())


def _processes() -> Iterator[tuple[int, float]]:
    """Yield id and age in seconds of each `crontab` that runs; nothing where there is no /proc."""
    name = os.path.basename(program())[:15].encode()
    with contextlib.suppress(OSError):
        with open("/proc/uptime", "rb") as file:
            uptime = float(file.read().split()[0])
        for process in os.listdir("/proc"):
            if process.isdecimal():
                with contextlib.suppress(OSError), open(f"/proc/{process}/stat", "rb") as file:
                    front, _, rest = file.read().rpartition(b")")
                    told = rest.split()
                    if front.partition(b"(")[2] == name and told[0] not in b"ZX":
                        yield int(process), uptime - int(told[19]) / os.sysconf("SC_CLK_TCK")


def _start(arguments: list[str]) -> "subprocess.Popen[bytes]":
    # Debian's crontab -l adds three lines of its own under CRONTAB_NOHEADER=N; "no crontab for" is to be English.
    settings = config.environment({"CRONTAB_NOHEADER": "Y", "LC_ALL": "C"})
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            [program(), *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=settings, start_new_session=True
        )
    except OSError as exc:
        raise Unavailable("{program}: {reason}", program=program(), reason=exc.strerror, hint=_ELSEWHERE) from None


def _run(arguments: list[str]) -> "subprocess.CompletedProcess[bytes]":
    with _start(arguments) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def _stop(writer: "subprocess.Popen[bytes]") -> None:
    """End a `crontab -` that is not to finish, before it sees the end of its input: SIGINT lets it clean up."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.killpg(writer.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            writer.wait(0.5)
            return
