"""`ia listen`: answer what comes in from outside."""

import gc
import signal
import sys

import click

from ia.kernel.errors import Message
from ia_cli.commands.listen_webhook import webhook
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.listener_voice import make_listener_voice
from ia_cli.terminal.output import emit_rows, notify

ANSWER = [sys.executable, "-P", "-c", "from ia_cli.terminal.turn_process import main; main()"]
"""The program that answers one message."""


@click.group(cls=CommandGroup, example="ia listen telegram --help")
def listen() -> None:
    """Answer messages from chats and run tasks on events."""


listen.add_command(webhook)


@listen.command(cls=Command, example="ia config set telegram.owner 12345; ia listen telegram --help")
@click.option("--once", is_flag=True, help="Answer waiting messages, then exit.")
@click.option("--who", is_flag=True, help="Print who has written to the bot (id, name, time), then exit.")
@click.pass_context
def telegram(ctx: click.Context, once: bool, who: bool) -> None:
    """Answer messages to a Telegram bot.

    Each private chat is a session (`telegram-ID`). ia answers only the user ids in telegram.owner and telegram.users,
    and ignores groups. Everyone on that list can ask about everything in the workspace. telegram.token holds the
    token; store it with `ia config secret TELEGRAM_TOKEN`.

    All incoming text is untrusted: ia marks what a turn writes, and everything else becomes a proposal. Only the
    owner's own words can request one; forwarded, quoted or attached text cannot. /help in the chat shows the commands.
    /approve N shows proposal N and gives a code that works once, within five minutes. If telegram.codes is `terminal`,
    ia shows the code here instead. Skills, providers and settings can be approved only at a terminal.

    Runs until Ctrl-C (exit status 130) or SIGTERM (0). At the next start ia answers messages that are still
    unanswered, and none twice. Status 69: token refused; 75: another program reads this bot's messages; 78: token or
    owner missing.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges import telegram_listener as bridge

    gc.enable()  # this process stays
    if who:
        emit_rows(bridge.list_senders(), ("id", "name", "time"))
        return
    ended = bridge.run_listener(Workspace(), make_listener_voice(), ANSWER, once=once, notify=notify)
    if ended:
        notify(Message("telegram: stopped; unanswered messages wait for the next start"))
    ctx.exit(130 if ended == signal.SIGINT else 0)
