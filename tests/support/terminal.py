"""Run `ia` on a pseudo-terminal."""

import os
import pty
import subprocess
import termios

from support.program import installed


def on_terminal(*args, columns=80):
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, columns))
    child = subprocess.Popen([*installed(), *args], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.write(master, b"n\n")
    os.close(slave)
    shown = b""
    try:
        while piece := os.read(master, 65536):
            shown += piece
    except OSError:  # the other end is gone and all is read
        pass
    child.wait(timeout=30)
    os.close(master)
    return shown.decode()
