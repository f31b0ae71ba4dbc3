"""`ia knowledge verify`: skills that are built from documents, compared with them."""

import click

from ia.kernel.errors import Message, PluralText, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import Row, emit_rows, notify
from ia_cli.terminal.text import say

FOUND = ("id", "kind", "document", "page", "problem", "quote", "file")


@click.command(cls=Command, example="ia init; ia knowledge verify research --skip source")
@click.argument("skill")
@click.option("--skip", metavar="KINDS", default="", help="Kinds of findings to leave out, comma-separated.")
@rows_options
@click.pass_context
def verify(ctx: click.Context, skill: str, skip: str, as_json: bool, as_jsonl: bool) -> None:
    """Compare a skill's rules, patterns and steps with the documents that they cite.

    Kinds of findings: file (that cannot be read), source (no quote, or the document is gone), changed (other bytes
    than the skill was built from), newer (published after --now), quote (not in the document, or with another
    number or denial), page, number (in the rule and not in its quote), polarity (the quote says the contrary),
    expression, scan (a page read from an image that nobody compared), contradiction and duplicate (of two entries),
    coverage (a sentence with the form of a rule that no entry rests on). Case, white space and punctuation of a
    quote do not count. Status 1 if there are findings.
    """
    from ia.faculties import skills
    from ia.faculties.rulebooks.verification import KINDS, verify_skill
    from ia.kernel.workspace import Workspace

    left_out = [kind.strip() for kind in skip.split(",") if kind.strip()]
    if unknown := [kind for kind in left_out if kind not in KINDS]:
        raise UsageError("--skip: {kind}: unknown kind", kind=unknown[0][:40], known=", ".join(KINDS), hint="{known}")
    ws = Workspace()
    found = verify_skill(ws, skills.find(ws, skill), left_out)
    rows: list[Row] = [
        {
            **each._asdict(),
            "page": each.page or None,
            "problem": say(each.problem.template, **each.problem.params),
        }
        for each in found.findings
    ]
    emit_rows(rows, FOUND, as_json=as_json, as_jsonl=as_jsonl)
    notify(
        Message(
            PluralText(
                "{entries} entry: {quotes} quoted, {verbatim} word for word; sentences with the form of a rule:"
                " {covered} of {candidates} covered",
                "{entries} entries: {quotes} quoted, {verbatim} word for word; sentences with the form of a rule:"
                " {covered} of {candidates} covered",
                by="entries",
            ),
            entries=found.entries,
            quotes=found.quotes,
            verbatim=found.verbatim,
            covered=found.covered,
            candidates=found.candidates,
        )
    )
    if rows:
        ctx.exit(1)
