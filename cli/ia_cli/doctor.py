"""`ia doctor`: is everything well?"""

import click

from ia_cli._group import Command
from ia_cli._options import rows_options
from ia_cli._out import emit_rows
from ia_cli._text import say


@click.command(cls=Command, example="ia doctor")
@rows_options
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """Check the installation and say how to mend it.

    Looks at Python and its packages, the layers of the sandbox, the workspace, settings, databases, adapters and their
    hosts, cron and the model. Changes nothing. Status 1 where something fails.
    """
    from ia.doctor import examine
    from ia.workspace import Workspace

    findings = examine(Workspace())
    rows = [
        {
            "check": finding.check,
            "state": finding.state,
            "detail": say(finding.detail.template, **finding.detail.params),
            "mend": say(finding.mend.template, **finding.mend.params) if finding.mend else "",
        }
        for finding in findings
    ]
    emit_rows(rows, ("check", "state", "detail", "mend"), as_json=as_json, as_jsonl=as_jsonl)
    if any(finding.state == "fail" for finding in findings):
        ctx.exit(1)
