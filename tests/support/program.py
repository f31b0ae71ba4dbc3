"""Where the repository and its shared data are, and how a test starts `ia`."""

import contextlib
import os
import shutil
import sys
from pathlib import Path

REPO = Path(__file__).parent.parent.parent

SHARED = Path(os.environ.get("IA_SHARED_DATA") or REPO.parent / "shared" / "data")


def installed() -> list[str]:
    """The command line that starts the installed `ia`: the script beside this Python, else the module."""
    script = shutil.which("ia", path=str(Path(sys.executable).parent))
    return [script] if script else [sys.executable, "-c", "from ia_cli.start import main; main()"]


def program() -> list[str]:
    """The command line of a program that stands for the installed `ia` and starts in a third of the time.

    It is for tests of what a command does, not of how its process starts and is killed: its process is another one's
    child, which dies a moment later (see tests/support/forked_commands.py). IA_TEST_START=1 starts the installed one.
    """
    if "IA_TEST_START" in os.environ:
        return installed()
    from support.forked_commands import server

    return [str(server().program)]


def all_of(master: int) -> bytes:
    """What a process wrote to a pseudo-terminal, until it has ended."""
    out = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(master, 65536):
            out += piece
    return out
