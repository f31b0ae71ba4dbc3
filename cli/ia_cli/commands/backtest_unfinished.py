"""Runs of rules that were interrupted: what they need is kept from the start, and they are named where they end."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from ia.kernel.i18n import mark_text
from ia_cli.terminal.input import open_input
from ia_cli.terminal.output import notify, tell_hint

if TYPE_CHECKING:
    from ia.faculties.lab.unfinished_runs import UnfinishedRun
    from ia.kernel.jsontypes import Json
    from ia.kernel.workspace import Workspace

BARS = "bars.csv"
_MOST = 1_000_000
"""Bytes of a strategy file."""


@contextlib.contextmanager
def keep_run(ws: "Workspace", options: dict[str, Any]) -> Iterator["UnfinishedRun"]:
    """Keep the options of a run and what it reads until it has ended."""
    from ia.faculties.lab.unfinished_runs import begin_run

    with begin_run(ws, options, _read_inputs(options)) as begun, _name_run(begun):
        yield begun


@contextlib.contextmanager
def take_up_run(begun: "UnfinishedRun") -> Iterator[dict[str, Any]]:
    """Take up a run again; yield its options."""
    from ia.faculties.lab.unfinished_runs import resume_run

    with resume_run(begun), _name_run(begun):
        yield {name: tuple(value) if isinstance(value, list) else value for name, value in begun.options.items()}


def open_bars(begun: "UnfinishedRun") -> tuple[BinaryIO, str]:
    """Return the bars that were given on standard input, and their name for messages."""
    return open(begun.input_path(BARS), "rb"), "<stdin>"


def name_unfinished(rows: "list[UnfinishedRun]") -> "list[Json]":
    """Return runs that have not ended as rows of a list; say how they continue."""
    from ia.faculties.lab.run_folders import describe_rules

    found: list[Json] = []
    for run in rows:
        symbols = list(run.options["symbols"])
        strategy = os.path.basename(symbols.pop(0)) if symbols and symbols[0].endswith(".py") else ""
        rules = {"strategy": strategy, "entry": run.options["entry"], "exit": run.options["leave"]}
        found.append(
            {
                "id": run.id,
                "created": run.created,
                "kind": "running" if run.running else "unfinished",
                "universe": run.options["universe"] or run.options.get("where") or " ".join(symbols),
                "rules": describe_rules(rules),
                "simulated": None,
            }
        )
    if waiting := [run.id for run in rows if not run.running]:
        tell_hint(
            "unfinished: {runs}; continue with `ia backtest resume {first}`", runs=", ".join(waiting), first=waiting[0]
        )
    return found


def _read_inputs(options: dict[str, Any]) -> dict[str, bytes]:
    """Return the strategy file and the bars of standard input, as far as the options name them, by file name."""
    symbols, found = options["symbols"], dict[str, bytes]()
    if symbols and symbols[0].endswith(".py"):
        stream, _ = open_input(symbols[0])
        with stream:
            found[os.path.basename(symbols[0])] = stream.read(_MOST)
        symbols = symbols[1:]
    if symbols == ("-",) or not (symbols or options["universe"] or options["where"]):
        found[BARS] = open_input(None, mark_text("SYMBOL or --in"))[0].read()
    return found


@contextlib.contextmanager
def _name_run(begun: "UnfinishedRun") -> Iterator[None]:
    """Say how a run continues, where it is interrupted or terminated, or the disk is full."""
    from ia.faculties.lab.unfinished_runs import is_disk_full
    from ia.kernel.errors import Message

    own = os.getpid()
    signal.signal(  # a process that this one forks ends without a word
        signal.SIGTERM,
        lambda *_: sys.exit(128 + signal.SIGTERM) if os.getpid() == own else os._exit(128 + signal.SIGTERM),
    )
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) or is_disk_full(error):
            notify(Message("continue with `ia backtest resume {resume}`", resume=begun.id))
        raise
