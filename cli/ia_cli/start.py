"""Where the `ia` script begins: what must happen before anything that takes time to load."""

import atexit
import gc
import os
import signal
import sys
import time

from ia_cli.terminal.memory_limit import is_out_of_memory

SECOND = 1.0
"""Seconds after Ctrl-C in which another one changes nothing: what is under way is being brought to its end."""
_last = float("-inf")


def _raise_interrupt(_number: int, _frame: object) -> None:
    """Raise KeyboardInterrupt, but not again while the first one is being handled: it would end in a traceback."""
    global _last
    if time.monotonic() - _last > SECOND:
        _last = time.monotonic()
        raise KeyboardInterrupt


def _leave(end: SystemExit) -> None:
    """End the process. Taking the interpreter apart, module by module, would cost a tenth of a short command.

    Where threads are still at work, Python waits for them and ends as usual. The streams were flushed by who ended.
    """
    import contextlib
    import threading

    if threading.active_count() > 1 or not isinstance(end.code, int):
        raise end
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    os._exit(end.code)


def main() -> None:
    """Start the sandbox's worker if it will be needed, load the command line and run it; Ctrl-C is 130 from here on."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread takes longer to start than the sums of a run
    gc.disable()  # a short process: collecting while modules load costs a tenth of the start
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not for a process that is to ignore it
        signal.signal(signal.SIGINT, _raise_interrupt)
    try:
        if "compute" in sys.argv[1:-1]:
            from ia.organs.compute.spawn import prestart_worker

            prestart_worker(sys.argv[1:])
        from ia_cli.main import main as run

        run()
    except SystemExit as end:
        _leave(end)
    except KeyboardInterrupt:
        os._exit(130)
    except (MemoryError, ImportError, OSError, SystemError) as exc:
        if not is_out_of_memory(exc):
            raise
        os.write(2, b"ia: not enough memory\n")  # in English: nothing more can be loaded
        os._exit(75)
