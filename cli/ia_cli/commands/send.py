"""`ia send`: the mouth."""

import sys

import click

from ia.kernel.errors import IaError, Message, NotFound, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.input import text_or_stdin
from ia_cli.terminal.lists import emit_list as shown
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import emit_rows, notify, record_run_failure
from ia_cli.terminal.text import say, tr

BRIEF = 200  # characters of a text in a table; JSON has all of it
COLUMNS = ("id", "time", "channel", "state", "error", "title", "text")


@click.command(cls=Command, example="echo '宁德时代：产能利用率下降' | ia send --title 观察 -")
@click.argument("text", required=False)
@click.option(
    "--to",
    metavar="CHANNEL",
    default="me",
    show_default=True,
    help="Channels to send through, comma-separated; me is the setting messaging.default.",
)
@click.option("--title", default="", help="Title; on a channel without titles it becomes the first line.")
@click.option(
    "--changed",
    metavar="NAME",
    help="Send only if the text differs from the last one sent under this name; an empty text sends nothing.",
)
@click.option("--list", "listed", is_flag=True, help="List sent and failed messages, newest first.")
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=50, show_default=True, help="Maximum number of messages to list."
)
@rows_options
@click.pass_context
def send(
    ctx: click.Context,
    text: str | None,
    to: str,
    title: str,
    changed: str | None,
    listed: bool,
    limit: int,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Send a message to yourself or through a channel that you set up.

    TEXT is an argument or standard input (-). The channel cli always exists: it is the inbox (`ia inbox`); after a
    command at a terminal, ia says how many messages are new. Other channels are addresses: `ia config set
    channels.phone ntfy://TOPIC`, any address that Apprise supports (https://appriseit.com/services/), or telegram:CHAT
    for a bot. Store the bot's token with `ia config secret TELEGRAM_TOKEN`. `ia config set messaging.default phone`
    makes phone your default channel.

    ia delivers each message at most once. An undeliverable message goes to the inbox, and the exit status gives the
    reason: 75 no connection or no answer, 69 refused, 78 channel not set up. ia sends the message now, whatever --now
    says. Inside a task, ia sends it when the run is done, and only once, however often the run was tried.

    With --changed, a task tells you once when its condition comes true, and not again on each day on which it still
    holds: `ia screen 'pe < 5' --codes | ia send --changed cheap -` sends the list when it changes. After an empty
    text, or a run of the task that did not reach the command (`ia screen … && ia send --changed cheap 'PE below 5'`),
    the next text counts as new.
    """
    if listed:
        if text is not None:
            raise UsageError("--list does not take TEXT; leave it out")
        _list_sent(ctx, limit, as_json, as_jsonl)
        return
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import changes, channel_registry, sending
    from ia.organs.channels.notices import SKIPPED

    channel_registry.resolve_recipient(to)  # before standard input is read to its end
    if changed is not None:
        changes.check_topic_name(changed)
    body = text_or_stdin(text)
    failures: list[IaError] = []

    def keep_notice(message: Message) -> None:
        reason = message.params.get("reason")
        failures.extend([reason] if isinstance(reason, IaError) else [])
        notify(message)

    ws = Workspace()
    notices = sending.send_message(ws, body, to=to, title=title, changed=changed or "", notify=keep_notice)
    if body.strip() and all(notice.state == SKIPPED for notice in notices) and sys.stderr.isatty():
        notify(Message("not sent: the last message under {name} said the same", name=changed))
    if failures and sys.stderr.isatty():
        from ia.organs.channels import inbox

        inbox.mark_read(ws, [notice for notice in notices if notice.channel != channel_registry.CLI])
    sending.deliver_pending(ws)  # what a crash, or a machine without a network, left
    if as_json or as_jsonl:
        emit_rows([notice._asdict() for notice in notices], COLUMNS, as_json=as_json, as_jsonl=as_jsonl)
    if failures:
        record_run_failure(say(failures[0].template, **failures[0].params))
        ctx.exit(failures[0].status)


def _list_sent(ctx: click.Context, limit: int, as_json: bool, as_jsonl: bool) -> None:
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import inbox

    ws = Workspace()
    found = inbox.list_notices(ws, limit)
    if found and sys.stdout.isatty() and not (as_json or as_jsonl):
        from ia_cli.terminal.message_list import print_messages

        print_messages(found)
        inbox.mark_told(ws, found)
        return
    rows = [notice._asdict() for notice in found]
    if not as_json and not as_jsonl:
        rows = [
            {**row, "state": tr(row["state"]), "text": row["text"][:BRIEF] + "…" * (len(row["text"]) > BRIEF)}
            for row in rows
        ]
    shown(ctx, rows, COLUMNS, NotFound("no messages sent yet"), as_json=as_json, as_jsonl=as_jsonl)
