"""Start the locked worker of `ia compute` as a fork of a process that has pandas, for tests that are not about its start.

A worker that is started loads pandas, for 350 ms of the processor, before it locks itself. A forked one has it and runs
the same code from there on: it closes what it inherited, locks itself, proves it, and answers. Tests of the sandbox and
of attacks start the real one, by the fixture `started_workers`.
"""

import faulthandler
import functools
import os
import signal
import sys
import warnings

from ia.organs.compute import sandbox, spawn, worker

STARTED = "IA_TEST_WORKERS"
"""Set in the environment, it lets workers be started as `ia` starts them."""
_start_worker = spawn.start_worker


def install() -> None:
    """Let this process fork its workers from now on."""
    spawn.start_worker = sandbox.start_worker = start_worker


def start_worker(indicators: list[str], module: str = spawn.MODULE) -> spawn.Process:
    """Return a worker, as `spawn.start_worker` does."""
    kernels = sys.modules.get("ia.organs.compute.kernels.windows")
    on_lists = kernels is not None and kernels.np.__name__ != "numpy"  # so would the fork compute
    if module != spawn.MODULE or on_lists or os.environ.get(STARTED):
        return _start_worker(indicators, module)
    load_libraries(*indicators)
    job_read, job_write = os.pipe()
    reply_read, reply_write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads of this process are none of the worker's
        pid = os.fork()
    if pid:
        os.close(job_read)
        os.close(reply_write)
        return spawn.Process(pid, job_write, reply_read, indicators)
    try:
        _become_worker(indicators, job_read, reply_write)
        worker.main()
    finally:
        os._exit(0)


@functools.cache
def load_libraries(*indicators: str) -> None:
    """Load what a worker loads; a module that a worker must not have stays with this process."""
    here = {name: sys.modules.get(name) for name in worker._ABSENT}
    with warnings.catch_warnings():
        worker._load_libraries([*indicators])
    for name, module in here.items():
        del sys.modules[name]
        if module is not None:
            sys.modules[name] = module


def _become_worker(indicators: list[str], given: int, told: int) -> None:
    """Be as a process that was started: environment, words, signals and streams are its own."""
    sys.settrace(None)
    faulthandler.disable()
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for at, stream in enumerate((given, told, nowhere)):
        os.dup2(stream, at)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    os.environ.clear()
    os.environ.update(spawn.ENVIRONMENT)
    sys.argv = [worker.__file__, *indicators]
    sys.modules["pandas"].set_option("compute.use_numexpr", False)
