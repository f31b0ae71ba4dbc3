"""What waits to be told: after a command at a terminal, on stderr, once."""

import os
import sys

from ia.kernel import config
from ia.kernel.errors import PluralText

SHOWN = 5  # notices
MAX_LINES = 3  # of one
MAX_TEXT = 300  # characters of a line


def is_attended() -> bool:
    """Return whether a person reads what a command says."""
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    return config.run_number() is None and not config.env("_IA_COMPLETE")


def tell_unread(*, brief: bool = False) -> None:
    """Tell what is in the inbox: the newest, and how many more there are. With nothing to tell it costs a look.

    brief   only how many there are, in a line: an answer should end as an answer
    """
    if not os.path.exists(os.path.join(config.home(), ".ia", "unread")):
        return
    import contextlib
    import sqlite3

    from ia.kernel.errors import IaError, Message
    from ia.kernel.workspace import Workspace, to_local
    from ia.organs.channels import inbox
    from ia_cli.terminal.output import notify, tell_hint

    with contextlib.suppress(IaError, OSError, sqlite3.Error):  # the command is done; this may be told another time
        ws = Workspace()
        found = inbox.take_unread(ws)
        if brief and found:
            tell_hint(
                PluralText("{count} unread message: `ia inbox`", "{count} unread messages: `ia inbox`"),
                count=len(found),
            )
            found = []
        for notice in found[-SHOWN:]:
            about = {"time": f"{to_local(inbox.notice_time(notice)):%Y-%m-%d %H:%M}", "channel": notice.channel}
            shown = _shorten_notice(notice.title, notice.text)
            told = "\n    ".join(shown)  # no line of it is ours
            if "".join(shown) == "".join(line for line in (notice.title, *notice.text.splitlines()) if line.strip()):
                inbox.mark_read(ws, [notice])  # all of it
            if notice.state == "sent":
                notify(Message("message of {time}: {text}", text=told, **about))
            else:
                notify(
                    Message("not sent to {channel} ({time}: {reason}): {text}", reason=notice.error, text=told, **about)
                )
        if len(found) > SHOWN:
            tell_hint(
                PluralText("{count} more message: `ia inbox`", "{count} more messages: `ia inbox`"),
                count=len(found) - SHOWN,
            )
        ws.close()


def _shorten_notice(title: str, text: str) -> list[str]:
    """Return a notice in at most MAX_LINES: its title, how it begins, and where its note lies; `**` goes."""
    import re

    plain = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"\1", text)
    lines = [line for line in (title, *plain.splitlines()) if line.strip()]
    if len(lines) > MAX_LINES:
        rest = lines[MAX_LINES - 1 :]
        lines = [*lines[: MAX_LINES - 1], next((line for line in rest if re.search(r"notebook/\S+\.md", line)), "…")]
    return [line if len(line) <= MAX_TEXT else line[:MAX_TEXT] + "…" for line in lines]
