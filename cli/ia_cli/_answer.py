"""The process in which a listener has turns taken; see ia.bridges.turning."""

from ia_cli._out import notify
from ia_cli._voice import voice


def main() -> None:
    """Answer messages until the listener ends."""
    from ia.bridges import chat, turning
    from ia.workspace import Workspace

    ws, speaking = Workspace(), voice()
    turning.work(lambda job: chat.turned(ws, job, speaking, notify))
