"""A turn at the terminal: the reply streams to standard output, and what waits for the user is told behind it."""

import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ia.kernel.errors import Message, UsageError
from ia_cli.terminal.output import notify

if TYPE_CHECKING:
    from ia.agent.turns.turn import Turn
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.markdown import MarkdownStream

Write = Callable[[str], object]


def choose_session(ws: "Workspace", session: str, again: bool) -> str:
    """Return the id of the session that is meant, by id or title: the last one with `again`, "" for a new one."""
    if session and again:
        raise UsageError("-c and -s exclude each other", hint="give -s ID, or -c for the last session")
    if not session and not again:
        return ""
    from ia.organs import sessions

    return sessions.resolve_session(ws, session) if session else sessions.find_last_session(ws)


def stream_turn(take: "Callable[[Write], Turn]", *, as_json: bool) -> "Turn":
    """Take a turn, and return it. `take` is given what writes a piece of the reply; with as_json it writes nothing.

    A terminal shows the reply rendered, block by block; a pipe gets its Markdown as it comes.
    """
    # A turn that is told to end keeps its session and ends its providers, as after Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if as_json:
        return take(lambda _: None)
    reply = _open_reply()
    try:
        done = take(reply.write)
    finally:  # what went wrong is told on a line of its own
        reply.close()
    return done


def _open_reply() -> "PipedReply | MarkdownStream":
    if not sys.stdout.isatty():
        return PipedReply()
    from ia_cli.terminal.markdown import MarkdownStream

    return MarkdownStream()


class PipedReply:
    """Writes a reply as it comes, and sees to it that its last line ends."""

    def __init__(self) -> None:
        self._last = "\n"

    def write(self, piece: str) -> None:
        """Write a piece of the reply at once."""
        self._last = piece or self._last
        sys.stdout.write(piece)
        sys.stdout.flush()

    def close(self) -> None:
        """End the last line."""
        if not self._last.endswith("\n"):
            self.write("\n")


def tell_pending(done: "Turn", said: str = "") -> None:
    """Show the cards of a turn, then tell of what waits: a form, and proposals that the reply does not name.

    said  what the turn answered
    """
    if done.cards:
        from ia.kernel.workspace import Workspace
        from ia_cli.terminal.card_view import print_cards

        print_cards(Workspace(), done.cards, said)
    if done.form:
        told = "form {form} waits for {missing}: fill it in with `ia session fill {session} {form}`"
        missing = ", ".join(done.form["missing"])
        notify(Message(told, form=done.form["form"], missing=missing, session=done.session))
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
    """Raise what failed where the turn got none of the prices that it needed: its reply is no answer.

    At a person's hand prices that the source does not have are an answer, in a task they are not.
    """
    from ia.kernel import config

    error = done.missing_prices_error(unattended=config.run_number() is not None)
    if error is not None:
        raise error
