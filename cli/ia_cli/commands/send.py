"""`ia send`: the mouth."""

import sys

import click

from ia.kernel.errors import IaError, Message, NotFound, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.input import text_or_stdin
from ia_cli.terminal.lists import listed as shown
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import emit_rows, notify
from ia_cli.terminal.text import tr

BRIEF = 200  # characters of a text in a table; JSON has all of it
COLUMNS = ("id", "time", "channel", "state", "error", "title", "text")


@click.command(cls=Command, example="echo '宁德时代：产能利用率下降' | ia send --title 观察 -")
@click.argument("text", required=False)
@click.option("--to", metavar="CHANNEL", default="me", show_default=True,
              help="Channel to send through; a comma list. me is what messaging.default names.")  # fmt: skip
@click.option("--title", default="", help="Title, where the channel has one; else the first line.")
@click.option("--list", "listed", is_flag=True, help="List what was sent, and what could not be; newest first.")
@click.option("-n", "--limit", type=click.IntRange(1), default=50, show_default=True, help="How many to list.")
@rows_options
@click.pass_context
def send(
    ctx: click.Context, text: str | None, to: str, title: str, listed: bool, limit: int, as_json: bool, as_jsonl: bool
) -> None:
    """Send a message: to yourself, or through a channel that you set up.

    TEXT is the argument or standard input (-). The channel cli, which is always there, is the inbox: it is told after
    your next command at a terminal. Others are addresses: `ia config set channels.phone ntfy://TOPIC`, any that Apprise
    knows (https://appriseit.com/services/), or telegram:CHAT for a bot whose token you keep with `ia config secret
    TELEGRAM_TOKEN`. `ia config set messaging.default phone` makes it yours.

    Each message is delivered at most once. What could not be delivered goes to the inbox, and the status tells why: 75
    no connection or no answer, 69 refused, 78 a channel that is not set up. A message is sent now, whatever --now says.
    Inside a task it goes out when the task's run is done, and once, however often the run was tried.
    """
    if listed:
        if text is not None:
            raise UsageError("--list takes no text")
        _list(ctx, limit, as_json, as_jsonl)
        return
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import known, sending

    known.meant(to)  # before standard input is read to its end
    body = text_or_stdin(text)
    failures: list[IaError] = []

    def heard(message: Message) -> None:
        reason = message.params.get("reason")
        failures.extend([reason] if isinstance(reason, IaError) else [])
        notify(message)

    ws = Workspace()
    notices = sending.send(ws, body, to=to, title=title, notify=heard)
    if failures and sys.stderr.isatty():
        from ia.organs.channels import inbox

        inbox.told(ws, [notice for notice in notices if notice.channel != known.CLI])
    sending.deliver_pending(ws)  # what a crash, or a machine without a network, left
    if as_json or as_jsonl:
        emit_rows([notice._asdict() for notice in notices], COLUMNS, as_json=as_json, as_jsonl=as_jsonl)
    if failures:
        ctx.exit(failures[0].status)


def _list(ctx: click.Context, limit: int, as_json: bool, as_jsonl: bool) -> None:
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import inbox

    rows = [notice._asdict() for notice in inbox.listed(Workspace(), limit)]
    if not as_json and not as_jsonl:
        rows = [
            {**row, "state": tr(row["state"]), "text": row["text"][:BRIEF] + "…" * (len(row["text"]) > BRIEF)}
            for row in rows
        ]
    shown(ctx, rows, COLUMNS, NotFound("nothing was sent yet"), as_json=as_json, as_jsonl=as_jsonl)
