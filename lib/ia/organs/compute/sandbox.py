"""Evaluate an expression in a sandbox worker, seen from outside: start it, see that it is locked, feed it, end it."""

import json
import os
import re
import select
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ia.kernel.errors import BadData, IaError, Message, Notify, Refused, TimedOut, TryLater, drop_message
from ia.kernel.jsontypes import Json
from ia.organs.compute.spawn import Process, discard_worker, needs_pandas, prestart_worker, start_worker, take_worker
from ia.organs.compute.worker_protocol import FILENAME, MAX_CELLS, MAX_PARTS, MAX_REPLY, SENTENCES, WORDS, frame_block
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.compute.policy import Program

__all__ = ["ComputeResult", "Sandbox", "evaluate_source", "needs_pandas", "prestart_worker", "probe_layers"]

DEFAULT_TIMEOUT = 30.0
MAX_TIMEOUT = 86_400.0
_NO_ANSWER = "the sandbox returned a malformed result"
_START_LIMIT = 60.0  # seconds for pandas to load on a busy machine; the job's own time starts after


class CannotLock(Refused):
    """The system cannot lock the sandbox, and the code is not the user's: true of every expression of a caller."""


class RunsUnlocked(Message):
    """The notice that code runs without a lock; callers keep it in the audit trail."""

    __slots__ = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ComputeResult:
    """The value of an expression as plain data.

    type: scalar, boolean, text, date, none, structure, series or frame. A series has a list as `value` and as many
    `labels`; a frame has `columns`, and in `value` one list a column. `dated`: the labels are canonical dates. `row`: a
    series that is one row, its labels are names. `as_of`: the date of the last bar that it was computed from.
    """

    type: str
    value: Any
    name: str | None = None
    labels: list[str] | None = None
    label_name: str | None = None
    columns: list[str] | None = None
    dated: bool = False
    as_of: str | None = None
    row: bool = False


class Sandbox:
    """A worker that is loading, for one source (`origin` in messages): a context manager, so that no process stays.

    Costs about 0.35 s of another core from construction until it can take a job.
    """

    def __init__(self, source: str, origin: str = FILENAME) -> None:
        self.source, self.origin = source, origin
        self._worker = _Worker(source)
        self._program: Program | None = None

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.end()

    def check_source(self) -> "Program":
        """Return the source as code, before bars are read; raises BadData (does not parse) or Refused (policy)."""
        if self._program is None:
            from ia.organs.compute.policy import compile_source

            self._program = compile_source(self.source, self.origin)
        return self._program

    def compute_value(
        self,
        bars: Bars,
        *,
        trusted: bool,
        timeout: float = DEFAULT_TIMEOUT,
        isolation: str = "require",
        notify: Notify = drop_message,
        cuts: Sequence[int] = (),
    ) -> ComputeResult:
        """Return the value of the source over bars; once only.

        `cuts` are the lengths of shorter ranges to compare it on: Refused where a value depends on later bars.

        `trusted` says that the user typed it: only then does it run where the system cannot lock (after one line to
        `notify`), unless `isolation` is "prefer". Raises BadData (does not parse, raises), Refused (policy, sandbox),
        TimedOut (after `timeout` seconds of its own), TryLater (no process to be had).
        """
        program = self.check_source()
        admit_code(self._worker.read_layers(), trusted=trusted, isolation=isolation, notify=notify)
        reply = self._worker.run_job(len(bars.date), program.code, pack_columns(bars), timeout, cuts)
        if "error" in reply:
            raise convert_worker_error(reply["error"], program.assigned, self.origin)
        if cuts:
            _refuse_change(reply, bars, notify)
        return replace(_validate_result(reply), as_of=bars.date[-1] if bars.date else None)


class SandboxSeries:
    """A worker that evaluates one source over the bars of one security after another; whoever makes it ends it."""

    def __init__(self, source: str, origin: str = FILENAME) -> None:
        """Compile the source; raises BadData (does not parse) or Refused (policy)."""
        from ia.organs.compute.policy import compile_source

        self.origin, self._program = origin, compile_source(source, origin)
        self._worker = _Worker(source)
        self._admitted = False

    def end(self) -> None:
        """End the worker; safe to call twice."""
        self._worker.end()

    def compute_newest(
        self, bars: Bars, newest: int, *, timeout: float, isolation: str, notify: Notify = drop_message
    ) -> ComputeResult:
        """Return the value over bars, of a series only the `newest` values. Raises as `Sandbox.compute_value`."""
        if not self._admitted:
            admit_code(self._worker.read_layers(), trusted=False, isolation=isolation, notify=notify)
            self._admitted = True
        columns = pack_columns(bars)
        reply = self._worker.run_next_job(len(bars.date), newest, self._program.code, columns, timeout)
        if "error" in reply:
            raise convert_worker_error(reply["error"], self._program.assigned, self.origin)
        return replace(_validate_result(reply), as_of=bars.date[-1] if bars.date else None)


def evaluate_source(
    source: str,
    bars: Bars,
    *,
    trusted: bool,
    timeout: float = DEFAULT_TIMEOUT,
    isolation: str = "require",
    notify: Notify = drop_message,
) -> ComputeResult:
    """Return the value of a source over bars, as `Sandbox.value` does, computed in a fresh locked process."""
    with Sandbox(source) as sandbox:
        return sandbox.compute_value(bars, trusted=trusted, timeout=timeout, isolation=isolation, notify=notify)


def probe_layers() -> dict[str, bool | str]:
    """Start a worker and return the layers that hold: rlimits, landlock, descriptors, seccomp, self-test, locked."""
    worker = _Worker("")
    try:
        return worker.read_layers()
    finally:
        worker.end()


def _refuse_change(reply: Mapping[str, object], bars: Bars, notify: Notify) -> None:
    changed = reply.get("changed")
    if changed is not None and changed not in bars.date:
        raise Refused(_NO_ANSWER)
    refuse_change(changed, reply.get("compared"), notify)


def refuse_change(changed: str | None, compared: object, notify: Notify) -> None:
    """Raise Refused where the value of a date was found to depend on later bars; tell where nothing could be compared.

    compared    on how many shorter ranges; None for a value that belongs to no bar
    """
    if changed is not None:
        raise Refused(
            "the expression uses look-ahead: its value on {day} changes without the later bars",
            day=changed,
            hint="omit --strict to evaluate it anyway",
        )
    if compared == 0:
        notify(Message("could not check for look-ahead: no shorter range of the bars gives a value"))


def pack_columns(bars: Bars) -> bytes:
    from array import array

    prices = b"".join(array("d", column).tobytes() for column in (bars.open, bars.high, bars.low, bars.close))
    return prices + array("q", bars.volume).tobytes() + "\n".join(bars.date).encode("ascii")


def admit_code(layers: dict[str, bool | str], *, trusted: bool, isolation: str, notify: Notify) -> None:
    """Let code into a locked worker; into another only what the user typed, or what the configuration lets in."""
    if layers.get("locked") is True:
        return
    if not trusted and isolation != "prefer":
        raise CannotLock(
            "ia cannot lock the sandbox on this system, and you did not type this code yourself",
            hint="run `ia doctor` to see what is missing, or allow it with `ia config set compute.isolation prefer`",
        )
    notify(RunsUnlocked("ia cannot lock the sandbox on this system; only the language rules restrict the expression"))


def start_sandbox_worker(source: str) -> "_Worker":
    """Start a worker for a source; whoever takes it ends it."""
    return _Worker(source)


class _Worker:
    """A worker process and the conversation with it."""

    def __init__(self, source: str, indicators: list[str] | None = None) -> None:
        try:
            self.process: Process = take_worker(source) if indicators is None else start_worker(indicators)
        except OSError as e:
            raise TryLater("cannot start the sandbox: {reason}", reason=e.strerror) from None
        os.set_blocking(self.process.writer, False)
        self.ended = False
        self.buffer = bytearray()

    def read_layers(self) -> dict[str, bool | str]:
        """Wait for the worker to be locked and return what it says holds."""
        said = self._parse_reply(self._read_block(time.monotonic() + _START_LIMIT))
        if said is None:
            raise IaError("the sandbox did not start", hint="run `ia doctor` to find the cause")
        if "failed" in said:
            raise IaError("the sandbox did not start: {reason}", reason=_clean_text(said["failed"]))
        return said

    def run_job(self, rows: int, code: bytes, columns: bytes, timeout: float, cuts: Sequence[int] = ()) -> Json:
        """Hand the job over and return the reply."""
        return self._exchange_blocks(
            json.dumps({"rows": rows, "cuts": list(cuts)}).encode(), code, columns, min(timeout, MAX_TIMEOUT)
        )

    def run_next_job(self, rows: int, newest: int, code: bytes, columns: bytes, timeout: float) -> Json:
        """Hand over one job of many and return the reply, of a series only the `newest` values."""
        header = json.dumps({"rows": rows, "newest": newest}).encode()
        return self._exchange_blocks(header, code, columns, min(timeout, MAX_TIMEOUT), limited=False)

    def run_strategy_job(self, header: bytes, code: bytes, columns: bytes, timeout: float) -> Json:
        """Hand over one job of a strategy (`ia.organs.compute.strategy_loop`) and return the reply."""
        return self._exchange_blocks(header, code, columns, timeout, limited=False)

    def _exchange_blocks(
        self, header: bytes, code: bytes, columns: bytes, timeout: float, *, limited: bool = True
    ) -> Json:
        """Send a job and wait for its reply. `limited`: let the kernel end a worker that has used its seconds."""
        deadline = time.monotonic() + timeout
        if limited:
            self._limit_cpu(timeout)
        job = frame_block(header) + frame_block(code) + frame_block(columns)
        if self._send_data(job, deadline):
            block = self._read_block(deadline)
            if block is not None:
                reply = self._parse_reply(block)
                if reply is None:
                    raise Refused(_NO_ANSWER)
                return reply
        if time.monotonic() >= deadline:
            raise timeout_error(timeout)
        raise self._explain_death(timeout)

    def _limit_cpu(self, timeout: float) -> None:
        """Let the kernel end the worker too, should this process be stopped before its deadline."""
        import resource

        if hasattr(resource, "prlimit"):
            seconds = int(timeout) + 2
            try:
                resource.prlimit(self.process.pid, resource.RLIMIT_CPU, (seconds + 2, seconds + 3))
            except (OSError, ValueError):
                return

    def _send_data(self, data: bytes, deadline: float) -> bool:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self.process.writer, view[: 1 << 20]) :]
            except BlockingIOError:
                if not select.select([], [self.process.writer], [], max(0.0, deadline - time.monotonic()))[1]:
                    return False
            except BrokenPipeError:
                return False
        return True

    def _read_block(self, deadline: float) -> bytes | None:
        """Return the next block, None where the worker is dead or late; raises Refused for one that is too long."""
        while True:
            if len(self.buffer) >= 8:
                size = int.from_bytes(self.buffer[:8], "little")
                if size > MAX_REPLY:
                    raise Refused("the result is larger than {limit} MB", limit=MAX_REPLY >> 20)
                if len(self.buffer) >= 8 + size:
                    block = bytes(self.buffer[8 : 8 + size])
                    del self.buffer[: 8 + size]
                    return block
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.reader], [], [], left)[0]:
                return None
            piece = os.read(self.process.reader, 1 << 20)
            if not piece:
                return None
            self.buffer += piece

    def _parse_reply(self, block: bytes | None) -> Json | None:
        if block is None:
            return None
        if block.count(b"[") + block.count(b"{") > MAX_PARTS:  # each becomes an object of ours, many times its size
            raise Refused("the result has more than {limit} elements", limit=MAX_PARTS)
        if block.count(b",") > MAX_CELLS:
            raise Refused("the result has more than {limit} elements", limit=MAX_CELLS)
        try:
            document = json.loads(block)
        except (ValueError, RecursionError):
            return None
        return document if isinstance(document, dict) else None

    def _explain_death(self, timeout: float) -> IaError:
        status = self.end()
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if number == signal.SIGXCPU:
            return timeout_error(timeout)
        if number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE):
            return Refused("the expression crashed the sandbox")
        return Refused("the sandbox process ended during evaluation; the expression may need too much memory")

    def end(self) -> int:
        """Kill the worker if it lives, wait for it, and return its wait status; safe to call twice."""
        if self.ended:
            return 0
        self.ended = True
        return discard_worker(self.process)


def timeout_error(timeout: float) -> TimedOut:
    """Return the failure of an expression that ran longer than its seconds."""
    return TimedOut(
        "the expression ran longer than {seconds} s", seconds=f"{timeout:g}", hint="raise the limit with --timeout"
    )


def _clean_text(text: object) -> str:
    """Return text without control characters: what comes out of a sandbox must not drive a terminal."""
    return "".join(c for c in str(text) if c.isprintable())


def convert_worker_error(error: object, assigned: frozenset[str], origin: str = FILENAME) -> IaError:
    if not isinstance(error, dict):
        return Refused(_NO_ANSWER)
    line = error.get("line")
    line = line if isinstance(line, int) and 0 < line < 100_000 else 1
    kind, why = error.get("kind"), _worker_sentence(error)
    if kind == "denied":
        return Refused("{source}:{line}: {why}", source=origin, line=line, why=why)
    if kind == "memory":
        return Refused(
            "{source}:{line}: the expression needs more memory than the sandbox has (1 GB)", source=origin, line=line
        )
    name = _clean_text(error.get("name", ""))[:80]
    if kind == "unknown":
        near = _similar_names(name, [*NAMES, *assigned, *_coreutil_names()])
        hint = _DID_YOU_MEAN if near else None
        if name == "print":
            hint = "ia prints the value of the last line automatically"
        template = "{source}:{line}: unknown name {name}"
        return BadData(template, source=origin, line=line, name=name, names=near, hint=hint)
    near = ""
    if kind == "absent" and isinstance(error.get("near"), list):
        near = _similar_names(name, [_clean_text(n)[:80] for n in error["near"][:1000]])
    hint = _DID_YOU_MEAN if near else None
    return BadData("{source}:{line}: {why}", hint=hint, source=origin, line=line, why=why, names=near)


def _worker_sentence(error: Json) -> Message:
    """Return the sentence of a worker; one that is not agreed upon as plain words."""
    template, fields = error.get("template"), error.get("fields")
    if isinstance(template, str) and template in SENTENCES and isinstance(fields, dict):
        clean = {key: _clean_text(value)[:400] for key, value in fields.items()}
        if set(clean) == set(_FIELD.findall(template)):
            return Message(
                template, **{key: Message(value) if value in WORDS else value for key, value in clean.items()}
            )
    return Message("{why}", why=_clean_text(error.get("message", ""))[:400])


NAMES = ("df", "open", "high", "low", "close", "volume", "date", "pd", "np", "ta", "math", "True", "False", "None")
_DID_YOU_MEAN = "did you mean {names}?"


def _coreutil_names() -> list[str]:
    from ia.organs.compute.functions import FUNCTIONS

    return list(FUNCTIONS)


def _similar_names(name: str, names: list[str]) -> str:
    """Return the names that a name may have been meant for: the same in another case, else the like."""
    small = {known.lower(): known for known in names}
    if name.lower() in small:
        return small[name.lower()]
    from difflib import get_close_matches

    return ", ".join(small[like] for like in get_close_matches(name.lower(), small, 3, 0.6))


_FIELD = re.compile(r"\{(\w+)\}")
_CELL = (int, float, bool, str, type(None))


def _validate_result(reply: Mapping[str, object]) -> ComputeResult:
    """Check an answer against the one shape that it may have; the process that sent it has run foreign code."""
    value = reply.get("value")
    if isinstance(value, dict):
        kind, content = value.get("type"), value.get("value")
        index = value.get("index")
        name = _optional_text(value.get("name"))
        if kind in ("scalar", "boolean", "text", "date", "none") and isinstance(content, _CELL):
            return ComputeResult(type=kind, value=_clean_cell(content), name=name)
        if kind == "structure":
            return ComputeResult(type=kind, value=_clean_nested(content, 0), name=name)
        if (
            kind in ("series", "frame")
            and isinstance(content, list)
            and isinstance(index, list)
            and _all_of_type(index, str)
        ):
            return _validate_table(kind, value, content, [_clean_text(label) for label in index])
    raise Refused(_NO_ANSWER)


def _validate_table(kind: str, value: Json, content: list[Any], labels: list[str]) -> ComputeResult:
    """Check and return a series or a frame: every column a list of plain cells, as long as the labels."""
    columns = value.get("columns") if kind == "frame" else None
    lists = content if kind == "frame" else [content]
    if not all(
        isinstance(cells, list) and len(cells) == len(labels) and _all_of_type(cells, *_CELL) for cells in lists
    ):
        raise Refused(_NO_ANSWER)
    if kind == "frame" and not (
        isinstance(columns, list) and len(columns) == len(lists) and _all_of_type(columns, str)
    ):
        raise Refused(_NO_ANSWER)
    checked = [list(map(_clean_cell, cells)) for cells in lists]
    return ComputeResult(
        type=kind,
        value=checked if kind == "frame" else checked[0],
        name=_optional_text(value.get("name")),
        labels=labels,
        label_name=_optional_text(value.get("index_name")),
        columns=None if columns is None else [_clean_text(column) for column in columns],
        dated=value.get("dated") is True,
        row=kind == "series" and value.get("row") is True,
    )


def _all_of_type(values: Sequence[object], *kinds: type) -> bool:
    return all(type(value) in kinds for value in values)


def _optional_text(text: object) -> str | None:
    return _clean_text(text)[:200] if isinstance(text, str) else None


def _clean_cell(value: object) -> object:
    if isinstance(value, str) and not value.isprintable():
        return "".join(c for c in value if c.isprintable() or c in "\n\t")
    return value


def _clean_nested(value: object, depth: int) -> object:
    if depth > 14:
        raise Refused(_NO_ANSWER)
    if isinstance(value, dict):
        return {_clean_text(key): _clean_nested(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean_nested(item, depth + 1) for item in value]
    return _clean_cell(value)
