"""A cage for hostile expressions: canaries round a real sandbox, and the question whether one of them was hurt.

The canaries are a secret in a file and in the environment, a folder in which nothing may appear, listening TCP, UDP and
local sockets, a handler for a signal, and the bars themselves.
"""

import ast
import json
import os
import select
import signal
import socket
import time
from dataclasses import asdict
from typing import NamedTuple

from ia.kernel.errors import IaError
from ia.organs.compute import sandbox
from ia.organs.compute.policy import compile_source
from ia.organs.ohlcv.canonical import Bars

TOKEN = "ia-canary-5f1d7c"
ROWS = 300


def bars(rows=ROWS):
    """Bars of a random walk over weekdays, the same every time."""
    import datetime
    import random

    walk, day, price, columns = random.Random(7), datetime.date(2022, 1, 3), 100.0, ([], [], [], [], [], [])
    for _ in range(rows):
        first = price * (1 + walk.gauss(0, 0.005))
        last = first * (1 + walk.gauss(0, 0.02))
        row = (
            day.isoformat(),
            first,
            max(first, last) * 1.004,
            min(first, last) * 0.995,
            last,
            walk.randint(10**5, 10**7),
        )
        for column, value in zip(columns, row, strict=True):
            column.append(round(value, 2) if isinstance(value, float) else value)
        price, day = last, day + datetime.timedelta(days=3 if day.weekday() == 4 else 1)
    return Bars(*columns)


class Outcome(NamedTuple):
    """What became of a payload: `how` is value, refused (77), failed (65) or late (124); `hurt` names hurt canaries."""

    how: str
    text: str
    hurt: list[str]
    seconds: float


class Cage:
    """Runs payloads, many in one worker (they are hostile to each other at most); a dead worker is replaced."""

    def __init__(self, folder, timeout=1.0):
        self.folder, self.timeout, self.bars = folder, timeout, bars()
        self.secrets, self.canary, self.victim = folder / "s", folder / "c", folder / "victim"
        self.secrets.mkdir()
        self.canary.mkdir()
        (self.secrets / "secret.txt").write_text(TOKEN + "\n")
        self.victim.write_text("alive")
        self.tcp, self.udp, self.local = (
            socket.socket(),
            socket.socket(type=socket.SOCK_DGRAM),
            socket.socket(socket.AF_UNIX),
        )
        self.tcp.bind(("127.0.0.1", 0))
        self.udp.bind(("127.0.0.1", 0))
        self.path = f"/tmp/ia-cage-{os.getpid()}-{id(self)}.sock"  # a local socket's path may not be long
        self.local.bind(self.path)
        for listener in (self.tcp, self.local):
            listener.listen(5)
        self.signals = 0
        self.before = signal.signal(signal.SIGUSR1, self._signalled)
        os.environ["IA_API_KEY"] = TOKEN
        self.worker = None
        self.starts = 0

    def close(self):
        if self.worker is not None:
            self.worker.end()
        for listener in (self.tcp, self.udp, self.local):
            listener.close()
        os.unlink(self.path)
        signal.signal(signal.SIGUSR1, self.before)
        os.environ.pop("IA_API_KEY", None)

    def _signalled(self, *_):
        self.signals += 1

    def fill(self, code, name="x"):
        """Fill the placeholders of the corpora."""
        for mark, value in (
            ("@CN@", name), ("@CD@", self.canary), ("@C@", self.canary / name), ("@SD@", self.secrets), ("@SN@", "secret.txt"),
            ("@S@", self.secrets / "secret.txt"), ("@UP@", self.udp.getsockname()[1]), ("@US@", self.path),
            ("@P@", self.tcp.getsockname()[1]), ("@V@", self.victim),
        ):  # fmt: skip
            code = code.replace(mark, str(value))
        return code

    def attempt(self, source):
        """Evaluate a payload as code from a model would be, and look at the canaries."""
        start = time.monotonic()
        try:
            how, text = "value", json.dumps(asdict(self._value(source)), default=str)
        except IaError as e:
            how = {77: "refused", 65: "failed", 124: "late"}.get(e.status, f"status {e.status}")
            text = f"{e} {e.hint or ''}"
        return Outcome(how, text, self.hurt(text, how), time.monotonic() - start)

    def _value(self, source):
        program = compile_source(source)
        if self.worker is None:
            self.worker = sandbox._Worker("ta.ma", ["*"])
            self.starts += 1
            sandbox.admit_code(self.worker.read_layers(), trusted=False, isolation="require", notify=print)
        try:
            reply = self.worker.run_job(
                len(self.bars.date), program.code, sandbox.pack_columns(self.bars), self.timeout
            )
        except IaError:
            self.worker.end()
            self.worker = None
            raise
        if "error" in reply:
            raise sandbox.convert_worker_error(reply["error"], program.assigned)
        return sandbox._validate_result(reply)

    def hurt(self, text, how):
        found = []
        if TOKEN in text or "root:x:" in text:
            found.append("a secret came out")
        for thing in self.canary.iterdir():
            found.append(f"made {thing.name}")
            thing.rmdir() if thing.is_dir() and not thing.is_symlink() else thing.unlink()
        if not self.victim.exists() or self.victim.read_text() != "alive":
            found.append("the victim was changed")
            self.victim.write_text("alive")
        for listener in select.select([self.tcp, self.udp, self.local], [], [], 0)[0]:
            found.append("reached a socket")
            listener.recv(100) if listener is self.udp else listener.accept()[0].close()
        if self.signals:
            found.append("signalled the parent")
            self.signals = 0
        if how == "value":
            marks = (
                "<module ",
                "<frame ",
                "<code object",
                "FORGED",
                "FORKED64",
                "<class 'type'>",
                "os.environ",
                "__globals__",
            )
            found += [f"shows {mark}" for mark in marks if mark in text]
            if "INTRO" in text and "{0" not in text and "{a" not in text:
                found.append("looked inside")
        return found


def with_calls(source):
    """Return a source of functions with calls of them added, so that a gadget is used and not only defined."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source
    calls = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            gifts = ["close", "np", "str", "df", "pd", "lambda *a, **k: a"]
            given = [gifts[i % 6] for i in range(len(node.args.args))]
            named = [f"{a.arg}={gifts[(i + 2) % 6]}" for i, a in enumerate(node.args.kwonlyargs)]
            calls.append(f"result = {node.name}({', '.join(given + named)})")
    return "\n".join([source, *calls])
