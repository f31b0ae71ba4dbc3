"""A turn at the terminal: the reply streams to standard output, and what waits for the user is told behind it."""

import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ia.kernel.errors import IaError, Message
from ia_cli.terminal.output import emit_text, notify

if TYPE_CHECKING:
    from ia.agent.turns.turn import Turn

Write = Callable[[str], object]


def stream_turn(take: "Callable[[Write], Turn]", *, as_json: bool) -> "Turn":
    """Take a turn, and return it. `take` is given what writes a piece of the reply; with as_json it writes nothing."""
    # A turn that is told to end keeps its session and ends its providers, as after Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    last = "\n"

    def write_piece(text: str) -> None:
        nonlocal last
        last = text or last
        emit_text(text)
        sys.stdout.flush()

    try:
        done = take((lambda _: None) if as_json else write_piece)
    except (IaError, KeyboardInterrupt):
        if not last.endswith("\n"):  # what went wrong is told on a line of its own
            write_piece("\n")
        raise
    if not as_json and not done.reply.endswith("\n"):
        write_piece("\n")
    return done


def tell_pending(done: "Turn") -> None:
    """Tell of the proposals that wait, but for those that the reply names."""
    for number in done.pending:
        if f"approve {number}" not in done.reply:
            notify(
                Message(
                    "proposal {number} is pending: view it with `ia pending {number}`, approve it with `ia "
                    "approve {number}`",
                    number=number,
                )
            )


def refuse_missing_prices(done: "Turn") -> None:
    """Raise TryLater or Unavailable where the turn got none of the prices that it needed: its reply is no answer."""
    error = done.missing_prices_error()
    if error is not None:
        raise error
