"""A progress bar on stderr for what looks at many securities."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial

SHOWN_BAR = 300
"""From so many securities on, a terminal shows progress."""


@contextlib.contextmanager
def show_progress(least: int = SHOWN_BAR, step: int = 50) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar on stderr for many securities, where that is a terminal.

    least   from so many on. step: it moves at every so many
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with contextlib.ExitStack() as stack:
        update: Callable[..., None] | None = None

        def show(done: int, total: int) -> None:
            nonlocal update
            if total < least or done % step:
                return
            update = update or _start_bar(stack)
            update(completed=done, total=total)

        yield show


def _start_bar(stack: contextlib.ExitStack) -> Callable[..., None]:
    """Draw a bar until the stack is closed; return what moves it."""
    from rich.console import Console
    from rich.progress import Progress

    bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True, redirect_stdout=False))
    return partial(bar.update, bar.add_task("", total=None))
