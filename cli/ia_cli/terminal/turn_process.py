"""The process in which a listener has turns taken; see ia.reach.bridges.turn_workers."""

from ia_cli.terminal.listener_voice import make_listener_voice
from ia_cli.terminal.output import notify


def main() -> None:
    """Answer messages until the listener ends."""
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges import chat, turn_workers

    ws, speaking = Workspace(), make_listener_voice()
    turn_workers.serve_jobs(lambda job: chat.answer_job(ws, job, speaking, notify))
