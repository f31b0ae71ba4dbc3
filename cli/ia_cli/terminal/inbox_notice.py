"""How many messages wait in the inbox: after a command at a terminal, one line on stderr, once."""

import os
import sys

from ia.kernel import config
from ia.kernel.errors import PluralText


def is_attended() -> bool:
    """Return whether a person reads what a command says."""
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    return config.run_number() is None and not config.env("_IA_COMPLETE")


def tell_unread() -> None:
    """Say how many new messages are in the inbox. With nothing to tell it costs a look at the disk."""
    if not os.path.exists(os.path.join(config.home(), ".ia", "unread")):
        return
    import contextlib
    import sqlite3

    from ia.kernel.errors import IaError
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import inbox
    from ia_cli.terminal.output import tell_hint

    with contextlib.suppress(IaError, OSError, sqlite3.Error):  # the command is done; this may be told another time
        ws = Workspace()
        if count := len(inbox.take_unread(ws)):
            tell_hint(
                PluralText("{count} unread message: `ia inbox`", "{count} unread messages: `ia inbox`"), count=count
            )
        ws.close()
