"""`ia listen`: answer what comes in from outside."""

import gc
import signal
import sys

import click

from ia.kernel.errors import Message
from ia_cli.commands.listen_webhook import webhook
from ia_cli.terminal.group import Command, Group
from ia_cli.terminal.listener_voice import voice
from ia_cli.terminal.output import emit_rows, notify

ANSWER = [sys.executable, "-P", "-c", "from ia_cli.terminal.turn_process import main; main()"]
"""The program that answers one message."""


@click.group(cls=Group, example="ia listen telegram --help")
def listen() -> None:
    """Answer messages from chats and run tasks on events."""


listen.add_command(webhook)


@listen.command(cls=Command, example="ia config set telegram.owner 12345; ia listen telegram --help")
@click.option("--once", is_flag=True, help="Answer what waits, and end.")
@click.option("--who", is_flag=True, help="Print who has written to the bot (id, name, time), and end.")
@click.pass_context
def telegram(ctx: click.Context, once: bool, who: bool) -> None:
    """Answer messages to a Telegram bot.

    Each private chat is a session (`telegram-ID`). Only telegram.owner and telegram.users are answered, by their user
    ids; groups are not heard. Who is on that list can ask about all that the workspace holds. The token is
    telegram.token: `ia config secret TELEGRAM_TOKEN` keeps it.

    Whatever comes in is untrusted: what a turn writes then is marked, and everything else becomes a proposal. Only the
    owner's own words may ask for one; what is passed on, quoted or attached asks for nothing. /help in the chat shows
    the commands. /approve N shows proposal N and gives a code that is valid once, for five minutes; with
    telegram.codes set to `terminal` the code is shown here instead. Skills, providers and settings are approved at a
    terminal only.

    Runs until Ctrl-C (status 130) or SIGTERM (0). What was not answered is answered at the next start, nothing twice.
    Status 69: the token is refused; 75: another program reads this bot's messages; 78: token or owner are missing.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges import telegram as bridge

    gc.enable()  # this process stays
    if who:
        emit_rows(bridge.who(), ("id", "name", "time"))
        return
    ended = bridge.listen(Workspace(), voice(), ANSWER, once=once, notify=notify)
    if ended:
        notify(Message("telegram: ended; what is not answered waits for the next start"))
    ctx.exit(130 if ended == signal.SIGINT else 0)
