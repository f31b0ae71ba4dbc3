"""A program at a terminal of its own: what a person types, and what the person sees."""

import contextlib
import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time

from support.program import program

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\x07\r\x01\x02]")


class Terminal:
    """Starts a program at a terminal."""

    def __init__(self, words, *, env=None, rows=40, columns=100):
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (rows, columns))
        self._raw, self._seen = b"", 0
        env = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "INPUTRC": "/dev/null", **(env or {})}
        self.process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    @property
    def shown(self):
        """All that was printed, without escape sequences."""
        return ESCAPES.sub("", self._raw.decode(errors="replace"))

    def send(self, keys):
        """Press keys: `\\r` is Enter, `\\x03` Ctrl-C, `\\x04` Ctrl-D."""
        os.write(self._master, keys.encode())

    def wait_for(self, text, seconds=90.0):
        """Read until a text is shown that was not yet waited for, and return what came up to its end."""
        deadline = time.monotonic() + seconds
        while (at := self.shown.find(text, self._seen)) < 0:
            assert time.monotonic() < deadline, f"{text!r} is not in {self.shown[self._seen :]!r}"
            self.read(0.1)
        before, self._seen = self._seen, at + len(text)
        return self.shown[before : self._seen]

    def wait_for_end(self, seconds=90.0):
        """Read until the program ends, and return its exit status."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"still running: {self.shown[self._seen :]!r}"
            self.read(0.1)
        self.read(0.1)
        return self.process.returncode

    def read(self, seconds):
        """Take in what is shown; waits so many seconds for something."""
        if select.select([self._master], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                self._raw += os.read(self._master, 1 << 16)


def on_terminal(*args, columns=80):
    """Return what `ia` shows at a terminal; the first question is answered with no."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, columns))
    child = subprocess.Popen([*program(), *args], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.write(master, b"n\n")
    os.close(slave)
    shown = b""
    try:
        while piece := os.read(master, 65536):
            shown += piece
    except OSError:  # the other end is gone and all is read
        pass
    child.wait(timeout=90)
    os.close(master)
    return shown.decode()
