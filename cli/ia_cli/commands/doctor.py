"""`ia doctor`: is everything well?"""

import click

from ia.kernel.errors import IaError
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import emit_rows, notify, tell_error
from ia_cli.terminal.text import say


@click.command(cls=Command, homeless=True, example="ia doctor")
@click.option("--mend", is_flag=True, help="First repair ia's crontab entries and make .ia accessible only to you.")
@rows_options
@click.pass_context
def doctor(ctx: click.Context, mend: bool, as_json: bool, as_jsonl: bool) -> None:
    """Check the installation and show how to repair it.

    Checks Python and its packages, the sandbox layers, the workspace, settings, databases, adapters and their hosts,
    cron, the tasks in the crontab, and the model. Changes nothing without --mend. Status 1 if a check fails.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach import doctor as library

    ws = Workspace()
    if mend:
        try:
            library.mend_problems(ws, notify)
        except IaError as exc:  # the check below tells of it, beside all others
            tell_error(exc)
    findings = library.run_checks(ws)
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
