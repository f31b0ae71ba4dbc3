"""The sandbox worker: load the libraries, lock, prove it, and only then read jobs and answer them.

Started as ``python -I -m ia.organs.compute.worker [INDICATOR...]`` by `ia.organs.compute.spawn`. It talks to
`ia.organs.compute.sandbox` in the blocks of `ia.organs.compute.worker_protocol`: it writes one block (the layers that
hold, as JSON); for each job it then reads three (a JSON header, the marshalled code, the columns) and answers one
(JSON). Plain data in and out; a reply is never code.
"""

import contextlib
import gc
import os
import sys
from typing import BinaryIO

# Not installed as far as the worker is concerned: they start threads, which a lock would miss, or change the figures.
_ABSENT = ("pyarrow", "numexpr", "bottleneck", "numba", "talib", "matplotlib", "scipy", "IPython", "tqdm")

# Loaded at first use by pandas and numpy, when a locked process can no longer open a file.
_LATE = (
    "json",
    "marshal",
    "_strptime",
    "zoneinfo",
    "numpy.random",
    "pandas.core.reshape.reshape",
    "pandas.core.methods.to_dict",
    "pandas.core.methods.select",
    "pandas.io.formats.string",
    "pandas.io.formats.format",
    "ia.organs.compute.coreutils",
    "ia.organs.compute.strategy_loop",
)
_ZONES = ("UTC", "Asia/Shanghai", "Asia/Hong_Kong", "America/New_York")


def _load_libraries(indicators: list[str]) -> None:
    """Import what an expression may need: pandas, the guards, and the indicators that it names (`*`: all)."""
    import importlib
    import warnings

    for name in _ABSENT:
        sys.modules[name] = None  # type: ignore[assignment]
    warnings.simplefilter("ignore")
    importlib.import_module("ia.organs.compute.evaluate")
    for name in _LATE:
        with contextlib.suppress(ImportError):  # another version of pandas has it elsewhere
            importlib.import_module(name)
    _keep_zones()
    if indicators:
        _load_indicators(indicators)


def _keep_zones() -> None:
    """Let pandas read the time zones of the exchanges now; it keeps them."""
    import pandas as pd

    for name in _ZONES:
        with contextlib.suppress(Exception):  # a system without time zones
            pd.DatetimeIndex(["2020-01-01"]).tz_localize(name)


def _load_indicators(names: list[str]) -> None:
    import importlib

    import pandas_ta_classic as ta

    ta.Imports["talib"] = False
    known = {name for group in ta.Category.values() for name in group}
    for name in known if "*" in names else known.intersection(names):
        getattr(ta, name)
    tried: set[str] = set()
    while late := _find_late_imports("pandas_ta_classic.") - tried - set(sys.modules):
        tried |= late
        for module in late:
            with contextlib.suppress(ImportError):
                importlib.import_module(module)


def _find_late_imports(package: str) -> set[str]:
    """Return the modules of a package that its loaded functions import when they are called."""
    named: set[str] = set()
    for name, module in list(sys.modules.items()):
        if name.startswith(package):
            for function in list(vars(module).values()):
                while hasattr(function, "__wrapped__"):
                    function = function.__wrapped__
                code = getattr(function, "__code__", None)
                if code is not None:
                    named.update(word for word in code.co_names if word.startswith(package))
    return named


def _answer_job(stream: BinaryIO) -> dict[str, object] | None:
    import json
    import marshal

    from ia.organs.compute import evaluate
    from ia.organs.compute.worker_protocol import read_block

    header, code, columns = read_block(stream), read_block(stream), read_block(stream)
    if header is None or code is None or columns is None:
        return None
    body, last = marshal.loads(code) if code else (None, None)
    job = json.loads(header)
    if "strategy" in job:
        from ia.organs.compute.strategy_loop import answer_strategy_job

        return answer_strategy_job(job, columns, body, last)
    return evaluate.answer_job(job["rows"], columns, body, last, job.get("cuts"), job.get("newest"))


def _close_inherited() -> None:
    """Close what the parent itself inherited from a shell, whatever its number."""
    try:
        others = [int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2]
    except OSError:  # no /proc: all that there can be
        os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 1 << 20))
        return
    for descriptor in others:
        with contextlib.suppress(OSError):  # the one that listed them
            os.close(descriptor)


def main() -> None:
    """Serve jobs until the end of stdin."""
    import json

    from ia.organs.compute import confine
    from ia.organs.compute.worker_protocol import frame_block, write_all

    _close_inherited()
    confine.die_with_parent()
    reply = os.dup(1)
    os.dup2(2, 1)  # a library that prints must not be taken for an answer
    gc.disable()
    try:
        _load_libraries(sys.argv[1:])
    except Exception as e:
        write_all(reply, frame_block(json.dumps({"failed": f"{type(e).__name__}: {e}"[:500]}).encode()))
        return
    gc.freeze()
    gc.enable()
    write_all(reply, frame_block(json.dumps(confine.confine_process()).encode()))
    while (answer := _answer_job(sys.stdin.buffer)) is not None:
        try:
            block = json.dumps(answer).encode("utf-8", "replace")
        except (MemoryError, RecursionError, ValueError, TypeError):
            block = b'{"error": {"kind": "memory", "message": "", "line": null}}'
        write_all(reply, frame_block(block))


if __name__ == "__main__":
    try:
        main()
    finally:
        os._exit(0)  # no exit handlers: a job cannot leave anything for later
