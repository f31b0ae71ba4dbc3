"""Where the `ia` script begins: what must happen before anything that takes time to load."""

import gc
import os
import signal
import sys
import time

from ia_cli.terminal.memory_limit import is_out_of_memory

SECOND = 1.0
"""Seconds after Ctrl-C in which another one changes nothing: what is under way is being brought to its end."""
_last = float("-inf")


def _interrupt(_number: int, _frame: object) -> None:
    """Raise KeyboardInterrupt, but not again while the first one is being handled: it would end in a traceback."""
    global _last
    if time.monotonic() - _last > SECOND:
        _last = time.monotonic()
        raise KeyboardInterrupt


def main() -> None:
    """Start the sandbox's worker if it will be needed, load the command line and run it; Ctrl-C is 130 from here on."""
    gc.disable()  # a short process: collecting while modules load costs a tenth of the start
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not for a process that is to ignore it
        signal.signal(signal.SIGINT, _interrupt)
    try:
        if "compute" in sys.argv[1:-1]:
            from ia.organs.compute.spawn import prestart

            prestart(sys.argv[1:])
        from ia_cli.main import main as run

        run()
    except KeyboardInterrupt:
        os._exit(130)
    except (MemoryError, ImportError, OSError) as exc:
        if not is_out_of_memory(exc):
            raise
        os.write(2, b"ia: not enough memory\n")  # in English: nothing more can be loaded
        os._exit(75)
