"""A progress bar on stderr for what looks at many securities."""

import contextlib
import sys
from collections.abc import Callable, Iterator

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
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", visible=False, total=None)

        def show(done: int, total: int) -> None:
            if total >= least and done % step == 0:
                bar.update(task, completed=done, total=total, visible=True)

        yield show
