"""`ia pending`, `ia approve`, `ia reject`: a person decides on proposals."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, UsageError
from ia_cli.terminal.confirmation import ask_consent
from ia_cli.terminal.group import Command
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, escape_controls, notify
from ia_cli.terminal.proposal_view import KINDS, describe_actor, format_proposal, proposal_document
from ia_cli.terminal.task_view import TASK, approve_task, require_person
from ia_cli.terminal.text import say, tr
from ia_cli.terminal.wide_tables import emit_wide_rows

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal
    from ia.kernel.workspace import Workspace


class _Number(click.ParamType):  # type: ignore[type-arg]
    name = "ID"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not (text.isascii() and text.isdecimal() and len(text) < 16):
            raise UsageError("{text!r} is not a proposal number", text=text, hint="`ia pending` lists them")
        return int(text)


@click.command(cls=Command, example="ia memory prefer '回答先给结论'; ia pending")
@click.argument("number", type=_Number(), required=False, metavar="[ID]")
@rows_options
@click.pass_context
def pending(ctx: click.Context, number: int | None, as_json: bool, as_jsonl: bool) -> None:
    """List pending proposals, or show one.

    Status 1 if there are none. With ID, prints that proposal's changes as a unified diff; for a skill, its tools and
    files come first.
    """
    from ia.kernel import proposals
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    if number is not None:
        proposal = proposals.get_proposal(ws, number)
        before, after = proposals.compute_outcome(ws, proposal)
        if as_json or as_jsonl:
            emit_json({**_proposal_row(proposal), **proposal_document(ws, proposal, before, after)})
        else:
            emit_text(format_proposal(ws, proposal, before, after))
        return
    rows = [_proposal_row(proposal) for proposal in proposals.pending_proposals(ws)]
    empty = NotFound("no pending proposals", hint="create one with `ia memory prefer` or `ia soul propose`")
    columns = ("id", "time", "kind", "path", "because", "actor")
    if sys.stdout.isatty() and not (as_json or as_jsonl):
        rows = [_localize_row(row) for row in rows]
    emit = partial(
        emit_wide_rows, heads=dict(zip(columns, columns, strict=True)), spare=("actor",), free={"because": 14}
    )
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


@click.command(cls=Command, example="ia memory prefer '回答先给结论'; ia approve 1 --yes")
@click.argument("which", nargs=-1, metavar="[ID…|all]")
@click.option("--yes", is_flag=True, help="Skip the confirmation; typing this option is your consent.")
@json_option
@click.pass_context
def approve(ctx: click.Context, which: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Approve and carry out proposals.

    Shows what would change and asks at the terminal, one proposal after another. Without a terminal ia refuses, unless
    you give --yes. `all` means all pending proposals; ia asks about each one, so `all` does not work with --yes. ia
    enters a task in your crontab, as `ia task approve` does. If a model proposes an address to fetch, ia fetches it
    now, and the download becomes a proposal of its own. Without ID, ia lists the pending proposals.
    """
    from ia.kernel import proposals
    from ia.kernel.errors import IaError, Refused
    from ia.kernel.workspace import Workspace

    if not which:
        ctx.invoke(pending, as_json=as_json)
        return
    require_person()
    ws = Workspace()
    numbers = [found.id for found in proposals.pending_proposals(ws)] if which == ("all",) else []
    if which == ("all",):
        if yes or not sys.stdin.isatty():
            raise Refused(
                "`all` needs a terminal and does not work with --yes", hint="give the numbers: `ia approve 1 2 --yes`"
            )
        if not numbers:
            raise NotFound("no pending proposals")
    else:
        numbers = [_Number().convert(text, None, None) for text in dict.fromkeys(which)]
    for number in numbers:
        proposals.get_undecided(ws, number)  # a number that is none is told before the first is carried out
    refused: list[int] = []
    failed: list[IaError] = []
    for number in numbers:
        try:
            _approve_proposal(ws, number, yes=yes, as_json=as_json)
        except Refused:
            if len(numbers) == 1:
                raise
            refused.append(number)
        except IaError as error:  # what another proposal is about is decided all the same
            if len(numbers) == 1:
                raise
            notify(Message("proposal {number}: {problem}", number=number, problem=error))
            failed.append(error)
    if refused:
        raise Refused("not approved: {numbers}", numbers=", ".join(map(str, refused)))
    if failed:
        raise failed[0]


def _approve_proposal(ws: "Workspace", number: int, *, yes: bool, as_json: bool) -> None:
    """Show one proposal, ask, and carry it out."""
    from ia.kernel import proposals
    from ia.kernel.errors import Refused
    from ia.wiring.approvals import approve_proposal

    proposal = proposals.get_undecided(ws, number)
    if proposal.kind == TASK:
        approve_task(ws, number, yes=yes, as_json=as_json)
        return
    if proposal.kind == proposals.FETCH:
        fetched = _fetch_proposal(ws, proposal, yes=yes, as_json=as_json)
        if fetched is None:
            return
        proposal, number = fetched, fetched.id
    before, after = proposals.compute_outcome(ws, proposal)
    click.echo(escape_controls(format_proposal(ws, proposal, before, after)), err=True, nl=False)
    if not yes and not ask_consent(say("Carry out proposal {number}?", number=number)):
        raise Refused("proposal {number} not approved", number=number)
    by = "user with --yes" if yes else "user at a terminal"
    with ws.lock():
        if proposals.compute_outcome(ws, proposal) != (before, after):
            raise Refused(
                "{path} changed while you were reading",
                path=proposal.path,
                hint="review it again: `ia pending {number}`",
                number=number,
            )
        decided = approve_proposal(ws, number, by=by, notify=notify)
    if decided.kind == proposals.CALL:
        emit_json(_call_tool(ws, decided))
    elif decided.kind == proposals.TRADE:
        _print_entry(ws, decided, as_json=as_json)
    elif as_json:
        emit_json(_proposal_row(decided))
    else:
        sys.stdout.write(f"{decided.path}\n")


@click.command(cls=Command, example="ia memory prefer '回答先给结论'; ia reject 1 --because '太短'")
@click.argument("number", type=_Number(), metavar="ID")
@click.option("--because", metavar="WHY", default="", help="Reason for the action.")
@json_option
def reject(number: int, because: str, as_json: bool) -> None:
    """Reject a proposal."""
    from ia.kernel import proposals
    from ia.kernel.workspace import Workspace

    require_person()
    dropped = proposals.reject(Workspace(), number, by="user", because=because)
    notify(Message("rejected proposal {number}; {path} is unchanged", number=number, path=dropped.path))
    if as_json:
        emit_json(_proposal_row(dropped))


def _fetch_proposal(ws: "Workspace", proposal: "Proposal", *, yes: bool, as_json: bool) -> "Proposal | None":
    """Fetch what a proposal names, and return the proposal of what came, where it is to be decided on at once.

    --yes agrees to what was shown, and what is fetched was not: it stays a proposal.
    """
    from ia.faculties.skills import installing
    from ia.kernel import proposals
    from ia.kernel.errors import Refused

    click.echo(escape_controls(format_proposal(ws, proposal, "", proposal.after)), err=True, nl=False)
    if not yes and not ask_consent(say("Fetch it now?")):
        raise Refused("proposal {number} not approved", number=proposal.id)
    made = installing.fetch(ws, proposal)
    proposals.approve(ws, proposal.id, by="user with --yes" if yes else "user at a terminal")
    if not yes:
        return made
    notify(
        Message(
            "the download is proposal {number}; review it, then install it with `ia approve {number}`", number=made.id
        )
    )
    if as_json:
        emit_json(_proposal_row(made))
    else:
        sys.stdout.write(f"{made.id}\n")
    return None


def _print_entry(ws: "Workspace", proposal: "Proposal", *, as_json: bool) -> None:
    """Print the entry that an approved trade became."""
    from ia.organs.ledger.account_documents import entry_document
    from ia.organs.ledger.trade_proposals import find_entry
    from ia_cli.terminal.trade_view import format_entry

    entry = find_entry(ws, proposal)
    if as_json:
        emit_json(entry_document(entry))
    else:
        emit_text(format_entry(entry) + "\n")
        if sys.stdout.isatty():
            from ia.wiring.ledger_prices import open_ledger
            from ia_cli.terminal.trade_moments import tell_moment

            tell_moment(open_ledger(ws), entry)


def _call_tool(ws: "Workspace", proposal: "Proposal") -> Any:
    """Make the call that was agreed to, once, and return what came of it."""
    import json

    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope

    outcome = catalog.build_router(ws).call_tool(Scope(ws, notify=notify), proposal.path, json.loads(proposal.after))
    if outcome.failure is not None:
        raise outcome.failure
    return outcome.value


def _localize_row(row: dict[str, object]) -> dict[str, object]:
    """Return a row as a person reads it; that a profile brought something says its author, too."""
    kind, actor, because = str(row["kind"]), str(row["actor"]), row["because"]
    return {
        **row,
        "kind": tr(kind) if kind in KINDS else kind,
        "actor": describe_actor(actor),
        "because": "" if because == actor else because,
    }


def _proposal_row(proposal: "Proposal") -> dict[str, object]:
    row = proposal._asdict()
    del row["before"], row["after"]
    told = "; ".join(map(str, proposal.describe_origin()))  # in English, as every text in a document
    return {**row, "origin": told, **proposal.origin._asdict()}
