"""A time limit on what runs in this thread: SIGALRM interrupts it wherever it waits. Limits nest."""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator

LONGEST = 10.0**7
"""Seconds, four months: a timer takes no more than so much, and nobody means it."""


@contextlib.contextmanager
def limit_time(seconds: float, late: Callable[[], BaseException]) -> Iterator[None]:
    """Raise late() in the block when it takes longer than `seconds`; the nearer of nested limits wins.

    Only the main thread can be interrupted; elsewhere the block runs unlimited, and whoever waits for it gives up.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def raise_timeout(_signal: int, _frame: object) -> None:
        raise late()

    seconds = min(seconds, LONGEST)
    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, raise_timeout)
    outer = signal.setitimer(signal.ITIMER_REAL, seconds)[0]
    if 0 < outer < seconds:  # the enclosing limit ends first, and says its own sentence
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, outer)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            signal.setitimer(signal.ITIMER_REAL, max(outer - (time.monotonic() - started), 0.001))
