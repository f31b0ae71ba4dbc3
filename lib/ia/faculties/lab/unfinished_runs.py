"""Runs of rules that have begun: `runs/run-NUMBER/` with what was asked for, until the result is saved.

A run that is killed leaves its folder, and `ia backtest resume` makes the run again from it. The result has a folder of
its own, named by what it follows from: it is that of a run without the interruption.
"""

import contextlib
import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ia.faculties.lab.run_folders import FOLDER, REQUEST
from ia.kernel import clock, config, files
from ia.kernel.errors import BadData, TryLater
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

_LOCK = ".lock"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Of a disk, of a quota, and of a limit of file sizes."""


class UnfinishedRun(NamedTuple):
    """A run that has begun.

    created, adapter, cwd  the time, the sources of prices and the folder that it was asked for with
    options                what was asked for, as `ia backtest run` takes it
    running                whether a process is at work on it
    """

    id: str
    folder: str
    created: str
    adapter: str
    cwd: str
    options: Json
    running: bool

    def input_path(self, name: str) -> str:
        """Return the path of the copy of an input; "" where the run has none of this name."""
        path = os.path.join(self.folder, name)
        return path if name and os.path.exists(path) else ""


@contextlib.contextmanager
def begin_run(ws: Workspace, options: Json, inputs: Mapping[str, bytes]) -> Iterator[UnfinishedRun]:
    """Keep what is asked for until the block ends; what kills or interrupts it, or fills the disk, leaves the folder.

    inputs  what the run reads besides the store, by file name

    raises  OSError naming the file, of a folder that cannot be written.
    """
    folder = _make_folder(ws)
    request: Json = {
        "created": clock.now().isoformat(timespec="seconds"),
        "adapter": str(config.get_setting("market.adapter")),
        "cwd": os.getcwd(),
        "options": options,
    }
    try:
        with files.hold_lock(os.path.join(folder, _LOCK)):
            for name, data in inputs.items():
                files.replace_file(os.path.join(folder, name), data, durable=False)
            text = json.dumps(request, ensure_ascii=False, indent=2) + "\n"
            files.replace_file(os.path.join(folder, REQUEST), text, durable=False)
            yield UnfinishedRun(os.path.basename(folder), folder, running=True, **request)
    except Exception as error:
        if not is_disk_full(error) or not os.path.exists(os.path.join(folder, REQUEST)):
            _remove(folder)
        raise
    _remove(folder)


def is_disk_full(error: BaseException | None) -> bool:
    """Return True if an error, or one that it comes from, says that a file or the database finds no room to grow."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            return True
        if isinstance(error, sqlite3.Error):
            return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
        error = error.__cause__ or error.__context__
    return False


@contextlib.contextmanager
def resume_run(run: UnfinishedRun) -> Iterator[None]:
    """Take up a run with the clock, the prices and the folder that it began with; its folder goes when it has ended.

    raises  TryLater where another process is at work on it, OSError where the folder is gone.
    """
    busy = TryLater("{run}: another process lives this run", run=run.id)
    with files.hold_lock(os.path.join(run.folder, _LOCK), busy=busy):
        config.override_variable("IA_NOW", run.created)
        config.override_variable("IA_MARKET_ADAPTER", run.adapter)
        os.chdir(run.cwd)
        yield
    _remove(run.folder)


def _remove(folder: str) -> None:
    """Remove the folder of a run, and `runs/` where nothing is left in it."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(folder))


def list_unfinished(ws: Workspace) -> list[UnfinishedRun]:
    """Return the runs that have begun up to now and not ended, newest first; what cannot be read is left out."""
    parent = os.path.join(ws.root, FOLDER)
    found = []
    for name in os.listdir(parent) if os.path.isdir(parent) else ():
        with contextlib.suppress(BadData):
            run = load_unfinished(os.path.join(parent, name))
            if run is not None and run.created <= clock.now().isoformat(timespec="seconds"):
                found.append(run)
    return sorted(found, key=lambda run: (run.created, run.id), reverse=True)


def load_unfinished(folder: str) -> UnfinishedRun | None:
    """Return the run that began in a folder; None where none did.

    raises  BadData where what was asked for cannot be read.
    """
    path = os.path.join(folder, REQUEST)
    try:
        with open(path, encoding="utf-8") as file:
            request = json.load(file)
        texts = {name: str(request[name]) for name in ("created", "adapter", "cwd")}
        return UnfinishedRun(
            os.path.basename(folder), folder, options=dict(request["options"]), running=_is_held(folder), **texts
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError):
        raise BadData("{path}: not the request of a backtest", path=path) from None


def _is_held(folder: str) -> bool:
    with files.hold_lock(os.path.join(folder, _LOCK), shared=True) as lock:
        return lock is None


def _make_folder(ws: Workspace) -> str:
    parent = os.path.join(ws.root, FOLDER)
    files.make_folders(parent)
    for number in range(1, 100_000):
        with contextlib.suppress(FileExistsError):
            os.mkdir(os.path.join(parent, f"run-{number}"), 0o700)
            return os.path.join(parent, f"run-{number}")
    raise TryLater("{folder} holds too many runs", folder=FOLDER)
