"""A tool behind a command: `{"tool", "arguments", "config"}` on standard input, one JSON value on standard output.

No shell stands in between. The process and all that it starts end with the call, whatever it does with its time, its
output and its children.
"""

import atexit
import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from typing import Any, NamedTuple

from ia.faculties.providers.start_command import ProcessStart, scrub_secrets
from ia.kernel.errors import BadData, ConfigError, IaError, NoAnswer, NotFound, Refused, TryLater, Unavailable
from ia.kernel.jsontypes import Json
from ia.kernel.untrusted import fold_text

MAX_OUTPUT = 4_000_000
"""Bytes of an answer. What a model sees of it is far less; a program behind `ia tool call` may want it all."""
MAX_COMPLAINT = 64_000
GRACE = 0.3
"""Seconds that children may hold the output open after the command itself has ended."""
STATUSES: dict[int, type[IaError]] = {65: BadData, 66: NotFound, 75: TryLater, 77: Refused, 78: ConfigError}
"""sysexits, as ia itself ends with them; any other status but 0 means refused for good."""


class CommandExit(NamedTuple):
    """How a process ended: its status (negative: the signal), and the bytes that it wrote."""

    status: int
    out: bytes
    err: bytes


class ProcessTimeout(Exception):
    """The time is over."""


class OutputTooLarge(Exception):
    """More than MAX_OUTPUT bytes."""


def call_command(start: ProcessStart, provider: str, tool: str, name: str, arguments: Json, seconds: float) -> Any:
    """Return the JSON value that a command answers with.

    tool    its name as the caller knows it; `name` as the command does
    raises  NoAnswer for a time limit that ran out; BadData for an answer that is no JSON; by its exit status BadData,
            NotFound, TryLater, Refused, ConfigError, else Unavailable, each with the end of what it complained of.
    """
    asked = json.dumps({"tool": name, "arguments": arguments, "config": start.config}, ensure_ascii=False).encode()
    try:
        ended = run_process(start, asked, seconds)
    except ProcessTimeout:
        raise NoAnswer(
            "{tool} of provider {provider} timed out after {seconds:g} s", tool=tool, provider=provider, seconds=seconds
        ) from None
    except OutputTooLarge:
        raise BadData(
            "{tool} of provider {provider}: the answer exceeds {limit} bytes",
            tool=tool,
            provider=provider,
            limit=MAX_OUTPUT,
        ) from None
    except OSError as exc:
        raise ConfigError(
            "cannot start {tool} of provider {provider}: {reason}",
            tool=tool,
            provider=provider,
            reason=exc.strerror or str(exc),
        ) from None
    told = last_complaint(ended.err, start.secrets)
    if ended.status:
        raise STATUSES.get(ended.status, Unavailable)(
            "{tool} of provider {provider} failed with status {status}: {quoted}"
            if told
            else "{tool} of provider {provider} failed with status {status}",
            code="provider-failed",
            tool=tool,
            provider=provider,
            status=ended.status,
            quoted=told,
        )
    try:
        value = json.loads(ended.out.decode("utf-8"), parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()  # no halves of surrogates: what is kept must be text
    except (ValueError, RecursionError):
        started = last_complaint(ended.out[:400], start.secrets)
        raise BadData(
            "{tool} of provider {provider} did not return JSON: {quoted}"
            if started
            else "{tool} of provider {provider} returned nothing",
            code="provider-malformed",
            tool=tool,
            provider=provider,
            quoted=started,
        ) from None
    return scrub_secrets(value, start.secrets)


def last_complaint(written: bytes, secrets: tuple[str, ...]) -> str:
    """Return the last line of what a process complained of, folded, cut, and without secrets."""
    text = scrub_secrets(written.decode("utf-8", "replace"), secrets)
    lines = [" ".join(line.split()) for line in fold_text(text).splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def run_process(start: ProcessStart, given: bytes, seconds: float) -> CommandExit:
    """Run a process to its end and return it. When this returns or raises, nothing of its process group is left.

    raises  Late, TooMuch, OSError.
    """
    process = subprocess.Popen(
        start.argv,
        cwd=start.folder,
        env=start.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )
    _running.add(process)
    try:
        out, err = _exchange_bytes(process, given, time.monotonic() + seconds)
        return CommandExit(process.wait(), out, err)
    finally:
        _running.discard(process)
        end_process(process)


_running: "set[subprocess.Popen[bytes]]" = set()


@atexit.register
def _end_all() -> None:
    """End what runs yet when ia does: nobody waits for a thread whose turn is over, nor for its process."""
    for process in list(_running):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def end_process(process: "subprocess.Popen[bytes]") -> None:
    """Kill what is left of a process group, and wait for its leader."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _exchange_bytes(process: "subprocess.Popen[bytes]", given: bytes, deadline: float) -> tuple[bytes, bytes]:
    """Write and read at once, until both outputs are closed and the process has ended."""
    assert process.stdin and process.stdout and process.stderr
    read = {process.stdout: bytearray(), process.stderr: bytearray()}
    left = memoryview(given)
    over: float | None = None
    with selectors.DefaultSelector() as ready:
        for stream in (process.stdin, *read):
            os.set_blocking(stream.fileno(), False)
            ready.register(stream, selectors.EVENT_WRITE if stream is process.stdin else selectors.EVENT_READ)
        open_ = set(read)
        while open_:
            now = time.monotonic()
            if process.poll() is not None:  # a child of it may hold the output open
                over = over or now + GRACE
            if now > min(over or deadline, deadline):
                break
            for key, _ in ready.select(min(0.05, max(deadline - now, 0.001))):
                if key.fileobj is process.stdin:
                    left = _write_available(process.stdin, left)
                    if not left:
                        ready.unregister(process.stdin)
                        process.stdin.close()
                elif not _read_available(key.fd, read[key.fileobj]):  # type: ignore[index]
                    ready.unregister(key.fileobj)
                    open_.discard(key.fileobj)
            if len(read[process.stdout]) > MAX_OUTPUT:
                raise OutputTooLarge
            del read[process.stderr][:-MAX_COMPLAINT]
    try:
        process.wait(max(deadline - time.monotonic(), 0.001))
    except subprocess.TimeoutExpired:
        raise ProcessTimeout from None
    return bytes(read[process.stdout]), bytes(read[process.stderr])


def _read_available(fd: int, into: bytearray) -> bool:
    """Read what is there; False at the end."""
    data = os.read(fd, 65536)
    into += data
    return bool(data)


def _write_available(stream: Any, left: memoryview) -> memoryview:
    """Write what the pipe takes and return the rest; one that does not want it is not forced."""
    try:
        return left[os.write(stream.fileno(), left[:65536]) :]
    except BlockingIOError:
        return left
    except OSError:
        return left[len(left) :]


def _refuse_constant(name: str) -> object:
    raise ValueError(name)
