"""`ia where`: where a CSV came from."""

import sys

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.input import open_input
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, format_value, notify


@click.command(cls=Command, example="ia ohlcv 600519 --adapter demo > moutai.csv; ia where moutai.csv")
@click.argument("file", required=False)
@json_option
@click.pass_context
def where(ctx: click.Context, file: str | None, as_json: bool) -> None:
    """Show the source of a CSV file that ia wrote.

    Prints symbol, adapter, host, adjustment, range and time of the data in FILE or on standard input. ia does not
    recognize a file that was changed later (status 1).

    If the same bytes came from several sources, ia prints the most informative one first. The others follow as `also`
    (`others` in JSON), newest last. Simulated prices stay marked as simulated in copies and pipes.
    """
    from ia.kernel.errors import Message
    from ia.kernel.workspace import Workspace
    from ia.organs.ohlcv import provenance

    stream, source = open_input(file)
    found = provenance.find_origins(Workspace(), stream.read())
    if not found:
        if as_json:
            emit_json(None)
        notify(Message("{source}: not written by ia in this workspace, or changed since", source=source))
        ctx.exit(1)
    row, *others = ({**event.data, "time": event.time, "sha256": event.subject} for event in found)
    if as_json:
        emit_json({**row, "others": others})
        return
    for key, value in row.items():
        sys.stdout.write(f"{key}\t{format_value(value)}\n")
    for other in others:
        same = " ".join(
            format_value(other.get(key)) for key in ("adapter", "symbol", "adjust", "period", "host", "time")
        )
        sys.stdout.write(f"also\t{same}\n")
