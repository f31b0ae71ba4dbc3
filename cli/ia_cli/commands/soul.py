"""`ia soul`: who the assistant is."""

import sys

import click

from ia.kernel.errors import NotFound
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.input import text_or_stdin
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.markdown import emit_markdown
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.proposal_notice import print_proposal

PATH = "soul.md"


@click.group(cls=CommandGroup, example="ia init; ia soul show")
def soul() -> None:
    """Show the assistant's character and propose changes to it.

    soul.md describes who the assistant is, its style, its limits and how it wants to grow. It changes only with your
    consent.
    """


@soul.command(example="ia init; ia soul show")
def show() -> None:
    """Print soul.md."""
    from ia.kernel.workspace import Workspace

    text = Workspace().read(PATH)
    if text is None:
        raise NotFound("there is no soul.md", hint="write one with `ia soul edit`, or get one with `ia init`")
    emit_markdown(text)


@soul.command(example="EDITOR=nano ia soul edit")
@click.option("--because", metavar="WHY", default="", help="Reason for the action.")
def edit(because: str) -> None:
    """Edit soul.md with $EDITOR; your change takes effect at once."""
    from ia.kernel.errors import Message, Refused
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import writing
    from ia_cli.terminal.output import notify

    if not sys.stdin.isatty():
        raise Refused("editing needs a terminal", hint="`ia soul propose` reads text from standard input")
    ws = Workspace()
    before = ws.read(PATH) or ""
    try:
        after = click.edit(before, extension=".md", require_save=True)
    except click.ClickException as exc:
        raise Refused("the editor failed: {reason}", reason=exc.message) from None
    if after is None or after == before:
        notify(Message("{path} is unchanged", path=PATH))
        return
    with ws.lock():
        if (ws.read(PATH) or "") != before:
            raise Refused("{path} changed while you were editing", path=PATH)
        writing.edit_soul(ws, after, because=because)
    sys.stdout.write(PATH + "\n")


@soul.command(example="ia init; (ia soul show; echo '- 先看现金流') | ia soul propose --because '看利润漏了现金流'")
@click.argument("text", required=False)
@click.option("--because", metavar="WHY", default="", help="Reason for the action.")
@json_option
def propose(text: str | None, because: str, as_json: bool) -> None:
    """Propose a complete new soul.md and print its number; `ia approve` applies it."""
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import writing

    print_proposal(writing.propose_content(Workspace(), PATH, text_or_stdin(text), because=because), as_json=as_json)


@soul.command(example="ia init; ia soul history")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, help="Maximum number of changes (default: 20).")
@rows_options
@click.pass_context
def history(ctx: click.Context, limit: int, as_json: bool, as_jsonl: bool) -> None:
    """List changes of soul.md, newest first. Status 1 if there are none."""
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import changes

    ws = Workspace()
    rows = [change._asdict() for change in changes.list_changes(ws, PATH, limit)] if ws.history(PATH) else []
    empty = NotFound(
        "soul.md has not changed yet", hint="change it with `ia soul edit`, or propose a change with `ia soul propose`"
    )
    columns = ("id", "time", "actor", "change", "why")
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, seconds=True)
