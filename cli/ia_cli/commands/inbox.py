"""`ia inbox`: the messages to you, unread ones first."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, PluralText, UsageError
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.message_list import fit_line, format_time, print_messages
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, escape_controls, notify, tell_hint
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from ia.organs.channels.notices import Notice

SHOWN = 20
BRIEF = 200  # columns of a text in a row; JSON has all of it
COLUMNS = ("id", "time", "unread", "channel", "state", "title", "text")


class _Inbox(CommandGroup):
    """`ia inbox 3` shows message 3."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        return super().resolve_command(ctx, ["show", *args] if args[0].isdecimal() else args)


@click.group(cls=_Inbox, invoke_without_command=True, example="ia send --title 观察 '产能利用率下降'; ia inbox")
@click.option("--all", "everything", is_flag=True, help="List all messages (default: the first 20).")
@click.option("--unread", is_flag=True, help="List only unread messages.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000_000), help="Maximum number of messages (default: 20).")
@rows_options
@click.pass_context
def inbox(ctx: click.Context, everything: bool, unread: bool, limit: int | None, as_json: bool, as_jsonl: bool) -> None:
    """List and read the messages to you, unread ones first.

    At a terminal each message takes two lines: a star if it is unread, its number, time and title, then how it begins.
    `ia inbox ID` prints all of it. A message that went to a channel of yours (`ia config set messaging.default …`)
    counts as read; one that could not be delivered is unread. Status 1 if there are no messages.
    """
    if ctx.invoked_subcommand is not None:
        if everything or unread or limit or as_json or as_jsonl:
            raise UsageError("options of the list stand without a subcommand", hint="`ia inbox --unread`")
        return
    from ia.kernel import config
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import inbox as messages

    config.require_home()
    ws = Workspace()
    found = messages.list_inbox(ws, limit or (None if everything or unread else SHOWN), unread=unread)
    if sys.stdout.isatty() and not (as_json or as_jsonl) and found:
        print_messages(found)
        messages.mark_told(ws, messages.unread_notices(ws))  # what is not listed is counted
        if more := messages.count_unread(ws) - sum(map(messages.is_unread, found)):
            tell_hint(
                PluralText(
                    "{count} more unread message: `ia inbox --unread`",
                    "{count} more unread messages: `ia inbox --unread`",
                ),
                count=more,
            )
        return
    rows = [_message_row(each, short=not (as_json or as_jsonl)) for each in found]
    empty = NotFound("no unread messages" if unread else "no messages yet", hint="`ia inbox --all` lists all messages")
    emit_list(ctx, rows, COLUMNS, empty, as_json=as_json, as_jsonl=as_jsonl)


@inbox.command(example="ia send 'the first message'; ia inbox show 1")
@click.argument("number", type=click.IntRange(1), metavar="ID")
@json_option
def show(number: int, as_json: bool) -> None:
    """Print a whole message and mark it as read."""
    from ia.kernel import config
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import inbox as messages
    from ia_cli.terminal.markdown import emit_markdown

    ws = Workspace()
    found = messages.find_notice(ws, number)
    if config.run_number() is None:
        messages.mark_read(ws, [found])
    if as_json:
        emit_json(_message_row(found, short=False))
        return
    about = f"{found.id}  {format_time(found)}  {found.channel}"
    if found.state != "sent":
        about += f"  {tr(found.state)}" + (f": {found.error}" if found.error else "")
    click.echo(escape_controls(about), err=True)
    text = f"**{found.title}**\n\n{found.text}" if found.title else found.text
    if found.origins:
        notify(Message("this message quotes text from outside: {origins}", origins=found.origins))
    emit_markdown((_separate_blocks(text) if sys.stdout.isatty() else text) + "\n")


@inbox.command(example="ia send 'the first message'; ia inbox read all")
@click.argument("which", metavar="ID|all")
def read(which: str) -> None:
    """Mark a message, or all, as read."""
    from ia.kernel.workspace import Workspace
    from ia.organs.channels import inbox as messages

    ws = Workspace()
    if which != "all" and not (which.isascii() and which.isdecimal() and len(which) < 16):
        raise UsageError("{text!r} is not the number of a message", text=which, hint="give a number, or all")
    found = messages.list_inbox(ws, unread=True) if which == "all" else [messages.find_notice(ws, int(which))]
    messages.mark_read(ws, found)
    count = len(found)
    notify(Message(PluralText("marked {count} message as read", "marked {count} messages as read"), count=count))


def _message_row(notice: "Notice", *, short: bool) -> dict[str, Any]:
    from ia.organs.channels import inbox as messages
    from ia.organs.channels.previews import preview_lines

    row = {**notice._asdict(), "unread": messages.is_unread(notice)}
    if short:
        row["text"] = fit_line(" ".join(preview_lines(notice.text)), BRIEF)
    else:
        row = {name: row[name] for name in (*COLUMNS, "error", "actor", "origins", "run")}
    return row


def _separate_blocks(text: str) -> str:
    """Return a message as Markdown whose tables, quotes and lists end where their lines do.

    >>> _separate_blocks("one\\ntwo\\n> quoted\\n- item\\n- item\\nthree")
    'one\\ntwo\\n\\n> quoted\\n\\n- item\\n- item\\n\\nthree'
    """
    import re

    lines: list[str] = []
    before = ""
    for line in text.splitlines():
        found = re.match(r"\s*(?:([>|])|([-*+]|\d+[.)])\s|(\S))", line)
        kind = "" if found is None else found[1] or ("item" if found[2] or line[0].isspace() else "text")
        if kind != before and "" not in (kind, before) and (before, kind) != ("text", "item"):
            lines.append("")
        lines.append(line)
        before = kind
    return "\n".join(lines)
