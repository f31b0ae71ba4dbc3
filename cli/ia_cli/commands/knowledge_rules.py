"""`ia knowledge curate`, `extract`, `build` and `verify`: skills that are built from documents."""

from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, PluralText, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import Row, emit_json, emit_rows, notify
from ia_cli.terminal.text import say

if TYPE_CHECKING:
    from ia.agent.extraction import Extraction
    from ia.faculties.knowledge.library import Document
    from ia.faculties.rulebooks.verification import Verification
    from ia.kernel.workspace import Workspace

CURATED = ("state", "title", "date", "pages", "characters", "rules", "problems", "path")
EXTRACTED = ("id", "kind", "tier", "condition", "result", "expression", "document", "page", "heading", "quote")
_MAKE = (
    r"printf '# Rules\n\nNever add to a losing position.\n' > stops.md;"
    " ia knowledge add stops.md --theme risk --date 2019"
)
_model_option = click.option("-m", "--model", metavar="MODEL", help="Model that reads (default: the setting `model`).")
_offline_option = click.option(
    "--offline", is_flag=True, help="Use no model: take candidates by headings and forms of sentences."
)
_yes_option = click.option("-y", "--yes", is_flag=True, help="Have the model read without asking first.")
RECURRING = ("id", "times", "last", "title", "page", "heading", "quote")
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
    rows = _finding_rows(found)
    emit_rows(rows, FOUND, as_json=as_json, as_jsonl=as_jsonl)
    _tell_verification(found)
    if rows:
        ctx.exit(1)


def _finding_rows(found: "Verification") -> list[Row]:
    return [
        {**each._asdict(), "page": each.page or None, "problem": say(each.problem.template, **each.problem.params)}
        for each in found.findings
    ]


def _tell_verification(found: "Verification") -> None:
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


@click.command(cls=Command, example=f"{_MAKE}; ia knowledge curate risk")
@click.argument("theme")
@rows_options
@click.pass_context
def curate(ctx: click.Context, theme: str, as_json: bool, as_jsonl: bool) -> None:
    """List the sources of a theme with what speaks against them, and those that are still to be added.

    state is added, stale (the source changed after it was converted) or missing: in knowledge/THEME/source/ or on the
    reading list knowledge/THEME/reading.yaml, `reading: [{title: ..., source: FILE or URL}]`, but not in the library.
    rules counts the sentences with the form of a rule, a pattern or a step. Status 1 if there is none.
    """
    from ia.faculties.knowledge import library
    from ia.faculties.rulebooks import building
    from ia.kernel.workspace import Workspace

    found = building.curate_theme(Workspace(), library.check_theme(theme))
    rows: list[Row] = [
        {
            **each._asdict(),
            "date": each.date or None,
            "pages": each.pages or None,
            "problems": "; ".join(say(problem.template, **problem.params) for problem in each.problems) or None,
        }
        for each in found
    ]
    empty = NotFound("no documents", hint="add one with `ia knowledge add FILE --theme T`")
    emit_list(ctx, rows, CURATED, empty, as_json=as_json, as_jsonl=as_jsonl)


@click.command(cls=Command, example=f"{_MAKE}; ia knowledge extract stops --offline")
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT...")
@_model_option
@_offline_option
@_yes_option
@rows_options
@click.pass_context
def extract(
    ctx: click.Context,
    documents: tuple[str, ...],
    model: str | None,
    offline: bool,
    yes: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Print the steps, patterns, red flags and rules of documents, each with its quote. Nothing is written.

    A model points at sentences and ia copies them; what the model adds is held to the numbers and denials of the
    quote. ia shows the price first and asks. Without a model (or with --offline) you get candidates in the words of the
    book, which a person has to judge. Status 1 if nothing is found, 77 without consent.
    """
    from ia.faculties.knowledge import library
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    chosen = [library.find_document(ws, name) for name in documents]
    found = _extract(ws, chosen, model, offline, yes)
    rows: list[Row] = [
        {
            "id": each.id,
            "kind": each.kind,
            "tier": each.tier or None,
            "condition": _first(each.fields, "condition", "signature", "signal"),
            "result": _first(each.fields, "conclusion", "indication", "action"),
            "expression": each.fields.get("expression"),
            **{name: each.source.get(name) for name in ("document", "page", "heading", "quote")},
        }
        for each in found.drafts
    ]
    emit_list(ctx, rows, EXTRACTED, NotFound("nothing was found"), as_json=as_json, as_jsonl=as_jsonl)


def _first(fields: dict[str, Any], *names: str) -> Any:
    return next((fields[name] for name in names if fields.get(name)), None)


def _extract(ws: "Workspace", documents: "list[Document]", model: str | None, offline: bool, yes: bool) -> "Extraction":
    """Have documents read, after showing what that costs."""
    from ia.agent import extraction
    from ia.kernel.errors import Refused
    from ia.organs.spending import format_amount
    from ia_cli.terminal.confirmation import ask_consent
    from ia_cli.terminal.progress import show_progress

    reader = extraction.choose_reader(model, offline)
    plan = extraction.plan_extraction(ws, documents, reader)
    if plan.calls:
        price = say("unknown") if plan.cost is None else f"{format_amount(plan.cost)} {plan.currency}"
        told = Message(
            "{model} reads {parts} parts in {calls} calls: about {tokens} tokens, price: {price}",
            model=plan.model,
            parts=len(plan.parts),
            calls=plan.calls,
            tokens=plan.tokens,
            price=price,
        )
        notify(told)
        if not yes and not ask_consent(say("Send these documents to {model}?", model=plan.model)):
            raise Refused("nothing was sent")
    elif not plan.parts:
        notify(Message("without a model: candidates for a person to judge"))
    with show_progress(least=4, step=1) as progress:
        found = extraction.extract_knowledge(ws, documents, plan, progress)
    if found.dropped or found.merged:
        notify(
            Message(
                "invalid entries dropped: {dropped}; entries that said the same as another: {merged}",
                dropped=found.dropped,
                merged=found.merged,
            )
        )
    return found


@click.command(cls=Command, example=f"{_MAKE}; ia knowledge build risk --offline")
@click.argument("theme")
@click.option("--skill", "name", metavar="NAME", default="", help="Name of the skill (default: that of the theme).")
@_model_option
@_offline_option
@_yes_option
@click.option("--because", metavar="WHY", default="", help="Reason for the action.")
@json_option
def build(theme: str, name: str, model: str | None, offline: bool, yes: bool, because: str, as_json: bool) -> None:
    """Propose a skill made from the documents of a theme; `ia approve` writes it.

    Stages: curate (what the theme has), convert (new and changed sources), index, extract (as `ia knowledge extract`),
    integrate (with the skill that is there: what you changed, added or deleted in its files stays), verify. What was
    read is kept, so that an interrupted build goes on where it stopped and asks for no part twice. Entries keep their
    ids. ia prints the number of the proposal; `ia pending ID` shows the difference. With findings it still proposes:
    they are told on standard error.
    """
    import contextlib

    from ia.faculties.knowledge import library
    from ia.faculties.rulebooks import building
    from ia.kernel.workspace import Workspace
    from ia.organs.recall.index import open_index
    from ia_cli.terminal.proposal_notice import print_proposal

    ws = Workspace()
    skill = building.skill_name(library.check_theme(theme), name)
    for each in building.curate_theme(ws, theme):
        for problem in each.problems:
            notify(Message("{name}: {reason}", name=each.title, reason=problem))
        if each.state == building.MISSING and not each.path.startswith("knowledge/"):
            notify(
                Message(
                    "{title} is not in the library: `ia knowledge add {source}`", title=each.title, source=each.path
                )
            )
    documents = building.convert_theme(ws, theme, notify)
    if not documents:
        raise NotFound(
            "no documents in the theme {theme}", theme=theme, hint="add one with `ia knowledge add FILE --theme T`"
        )
    contextlib.closing(open_index(ws, notify)).__exit__(None, None, None)
    found = _extract(ws, documents, model, offline, yes)
    built = building.propose_skill(ws, theme, skill, found.drafts, documents, because)
    _tell_verification(built.verification)
    for finding in built.verification.findings:
        if finding.kind != "coverage":
            told = say(finding.problem.template, **finding.problem.params)
            name = finding.id or finding.document
            notify(Message("{name}: {reason}", name=name, reason=told))
    if built.proposal is None:
        notify(Message("the skill {name} is up to date", name=skill))
        if as_json:
            emit_json({"proposal": None, "skill": skill, "entries": built.entries, "dropped": found.dropped})
        return
    if not as_json:
        print_proposal(built.proposal)
        return
    emit_json(
        {
            "proposal": built.proposal.id,
            "path": built.proposal.path,
            "skill": skill,
            "entries": built.entries,
            "dropped": found.dropped,
            "findings": _finding_rows(built.verification),
        }
    )


_CITE = f"{_MAKE}; ia knowledge recurring --least 1 || [ $? -eq 1 ]"


@click.command(cls=Command, example=_CITE)
@click.argument("ids", nargs=-1, metavar="[ID...]")
@click.option("--least", type=click.IntRange(1, 1000), default=3, show_default=True, help="Minimum number of sessions.")
@click.option("--propose", "skill", metavar="SKILL", default="", help="Propose them as rules of this skill.")
@click.option("--because", metavar="WHY", default="", help="Reason for the action.")
@rows_options
@click.pass_context
def recurring(
    ctx: click.Context,
    ids: tuple[str, ...],
    least: int,
    skill: str,
    because: str,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """List sentences of your documents that answers cite again and again.

    times is the number of sessions that cite a sentence, last the day of the last one. With --propose, they (or those
    with these IDs) become one proposal: core rules of the skill, each with its quote and source. `ia approve` writes
    them; `ia knowledge verify SKILL` compares them. Status 1 if nothing recurs.
    """
    from ia.faculties import skills
    from ia.faculties.rulebooks import recurring as passages
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.proposal_notice import print_proposal

    ws = Workspace()
    found = passages.choose_passages(passages.list_recurring(ws, least), ids)
    if skill and found:
        print_proposal(passages.propose_rules(ws, skills.find(ws, skill), found, because), as_json=as_json)
        return
    rows: list[Row] = [{**each._asdict(), "page": each.page or None, "heading": each.heading or None} for each in found]
    emit_list(ctx, rows, RECURRING, NotFound("no sentence recurs"), as_json=as_json, as_jsonl=as_jsonl)


COMMANDS = (curate, extract, build, verify, recurring)
