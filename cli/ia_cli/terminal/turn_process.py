"""The process in which a listener has turns taken; see ia.reach.bridges.turning."""

from ia_cli.terminal.listener_voice import voice
from ia_cli.terminal.output import notify


def main() -> None:
    """Answer messages until the listener ends."""
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges import chat, turning

    ws, speaking = Workspace(), voice()
    turning.work(lambda job: chat.turned(ws, job, speaking, notify))
