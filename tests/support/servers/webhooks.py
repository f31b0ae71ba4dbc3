"""A sender of webhooks, and a listener to send to: real processes, real sockets, signatures made here.

with Listener() as listener:
    listener.post("build", "content")              # signed, as Standard Webhooks has it -> Answered(202, {...})
    listener.raw(b"GET / HTTP/1.0\r\n\r\n")         # whatever bytes -> whatever comes back
"""

import base64
import hashlib
import hmac
import http.client
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from typing import NamedTuple

from support.program import program

SECRET = "a secret of the tests, 0123456789"
_numbers = itertools.count()


class Answered(NamedTuple):
    """What the listener answered."""

    status: int
    document: dict
    headers: dict


def standard(body, *, secret=SECRET, id=None, at=None):
    """Headers that sign a body as Standard Webhooks has it."""
    id = f"msg_{os.getpid()}_{next(_numbers)}" if id is None else id
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"{id}.{stamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": id,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def github(body, *, secret=SECRET, delivery=None):
    """Headers that sign a body as GitHub has it."""
    headers = {"X-Hub-Signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}
    return {**headers, **({"X-GitHub-Delivery": delivery} if delivery else {})}


class Listener:
    """`ia listen webhook` in a process; what it says on stdout and stderr is collected."""

    def __init__(self, *args, secret=SECRET, form="standard", env=None, ia=None):
        told = {
            **os.environ,
            "IA_WEBHOOK_FORM": form,
            **({"IA_WEBHOOK_SECRET": secret} if secret else {}),
            **(env or {}),
        }
        self.process = subprocess.Popen(
            [*(ia or program()), "listen", "webhook", "--port", "0", *args], env=told, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.out, self.err = [], []
        self.threads = [threading.Thread(target=self._collect, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.out), (self.process.stderr, self.err))]  # fmt: skip
        for thread in self.threads:
            thread.start()
        try:
            address = until(
                lambda: re.search(r"(?:listening on|正在监听) http://(\[?[\w.:]+?\]?):(\d+)$", self.errors, re.M)
            )
        except AssertionError:
            self.end(signal.SIGKILL)
            raise
        self.host, self.port = address[1].strip("[]"), int(address[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(signal.SIGKILL)

    def _collect(self, stream, lines):
        with stream:
            lines.extend(iter(stream.readline, ""))

    @property
    def errors(self):
        """What it said on stderr."""
        return "".join(self.err)

    @property
    def events(self):
        """The events that it printed."""
        return [json.loads(line) for line in list(self.out)]

    def end(self, how=signal.SIGTERM):
        """End it and return (status, seconds)."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(20)
        seconds = time.monotonic() - began
        for thread in self.threads:
            thread.join(20)
        return status, seconds

    def connect(self, timeout=60):
        """Open a connection."""
        return socket.create_connection((self.host, self.port), timeout=timeout)

    def ask(self, method, path, body=None, headers=None):
        """Make a request and return the answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return Answered(answer.status, json.loads(answer.read()), dict(answer.getheaders()))
        finally:
            connection.close()

    def post(self, name, content, headers=None, **signature):
        """Send a signed event."""
        body = content.encode() if isinstance(content, str) else content
        return self.ask("POST", f"/{name}", body, {**standard(body, **signature), **(headers or {})})

    def raw(self, *pieces, pause=0.0, half_close=False):
        """Send bytes as they are and return all that comes back."""
        with self.connect() as connection:
            try:
                for piece in pieces:
                    connection.sendall(piece)
                    time.sleep(pause)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it has had enough
            return received(connection)


def received(connection):
    """Return what comes until the other side closes."""
    chunks = []
    try:
        while chunk := connection.recv(65_536):
            chunks.append(chunk)
    except ConnectionResetError:
        pass
    return b"".join(chunks)


def until(found, seconds=20.0, every=0.02):
    """Return the first true value of found(); fail where none comes in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(every)
    raise AssertionError("it did not happen in time")


def approved(ws, name, schedule, **fields):
    """Have a person approve a task, and return it."""
    from ia.faculties.schedule.design import format_design
    from ia.faculties.schedule.model import TaskDesign
    from ia.reach.tasks import decisions

    fields = fields or {"run": "ia log -n 1"}
    design = TaskDesign(name=name, schedule=schedule, **fields)
    ws.write(design.path, format_design(design), actor="user")
    return decisions.approve_task(ws, name, by="a person")


def kept(ws):
    """Return (key, content) of what was kept, in the order in which it came."""
    return list(ws.db.execute("SELECT key, content FROM received WHERE channel = 'webhook' ORDER BY id"))
