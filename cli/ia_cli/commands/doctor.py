"""`ia doctor`: is everything well?"""

import click

from ia.kernel.errors import IaError, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import emit_rows, notify, tell_error
from ia_cli.terminal.text import say


@click.command(cls=Command, homeless=True, example="ia doctor")
@click.option("--mend", is_flag=True, help="First repair ia's crontab entries and make .ia accessible only to you.")
@click.option(
    "-m",
    "--model",
    is_flag=False,
    flag_value="",
    metavar="[MODEL]",
    help="Test a model instead: ask it 60 questions and print its score (default: the setting model).",
)
@click.option("--yes", is_flag=True, help="With --model, skip the confirmation; typing this option is your consent.")
@rows_options
@click.pass_context
def doctor(ctx: click.Context, mend: bool, model: str | None, yes: bool, as_json: bool, as_jsonl: bool) -> None:
    """Check the installation and show how to repair it.

    Checks Python and its packages, the sandbox layers, the workspace, settings, databases, adapters and their hosts,
    cron, the tasks in the crontab, and the model. Changes nothing without --mend. Status 1 if a check fails.

    --model holds an exam: 60 questions in Chinese and English about prices, companies, an account, notes, risk rules
    and tasks, among them some with a wrong premise or a date that does not exist. ia first prints the number of tokens
    and the price, as far as it knows them, and asks you. The questions are asked in a temporary workspace with a
    simulated market; the model sees nothing of yours. Its calls count in `ia usage` as one command, and your caps stop
    the exam (turn.max_cost and so on); ia then prints the score of the questions asked until then. Without a
    confirmation, status 77. Status 1 if an answer is wrong. --json prints all answers with what was expected.
    `ia doctor --model ia-offline` tests the embedded analyst, which costs nothing.
    """
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    if model is not None:
        if mend:
            raise UsageError("--mend and --model cannot be combined; give one")
        from ia_cli.terminal.exam_view import hold_exam

        config.require_home(ws.root)
        ctx.exit(hold_exam(ws, model or None, yes=yes, as_json=as_json, as_jsonl=as_jsonl))
    if yes:
        raise UsageError("--yes works only with --model")
    from ia.reach import doctor as library

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
