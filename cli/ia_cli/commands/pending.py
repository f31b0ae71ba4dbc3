"""`ia pending`, `ia approve`, `ia reject`: a person decides on proposals."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, UsageError
from ia_cli.terminal.consent import asked
from ia_cli.terminal.group import Command
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, harmless, notify
from ia_cli.terminal.proposal_view import document, shown
from ia_cli.terminal.task_view import TASK, approved, attended
from ia_cli.terminal.text import say
from ia_cli.terminal.wide_tables import emit_brief

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal
    from ia.kernel.workspace import Workspace


class _Number(click.ParamType):  # type: ignore[type-arg]
    name = "ID"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not (text.isascii() and text.isdecimal() and len(text) < 16):
            raise UsageError("{text!r}: ID is the number of a proposal", text=text, hint="`ia pending` lists them")
        return int(text)


@click.command(cls=Command, example="ia memory prefer '回答先给结论'; ia pending")
@click.argument("number", type=_Number(), required=False, metavar="[ID]")
@rows_options
@click.pass_context
def pending(ctx: click.Context, number: int | None, as_json: bool, as_jsonl: bool) -> None:
    """List the proposals that wait for a decision.

    Status 1 where there are none. With ID it prints what that proposal would change: a unified diff, of a skill its
    tools and files before it.
    """
    from ia.kernel import proposals
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    if number is not None:
        proposal = proposals.get(ws, number)
        before, after = proposals.outcome(ws, proposal)
        if as_json or as_jsonl:
            emit_json({**_row(proposal), **document(ws, proposal, before, after)})
        else:
            emit_text(shown(ws, proposal, before, after))
        return
    rows = [_row(proposal) for proposal in proposals.pending(ws)]
    empty = NotFound("no proposal waits for a decision", hint="`ia memory prefer` and `ia soul propose` make one")
    columns = ("id", "time", "kind", "path", "because", "actor")
    emit = partial(emit_brief, heads=dict(zip(columns, columns, strict=True)), spare=("actor",), free={"because": 14})
    listed(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


@click.command(cls=Command, example="ia memory prefer '回答先给结论'; ia approve 1 --yes")
@click.argument("which", nargs=-1, metavar="[ID…|all]")
@click.option("--yes", is_flag=True, help="Do not ask; typed by you, it is your consent.")
@json_option
@click.pass_context
def approve(ctx: click.Context, which: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Carry out proposals.

    Shows what would change and asks at the terminal, one proposal after the other. Without a terminal it is refused,
    unless --yes is given. `all` means all that wait; they are asked about one by one, and --yes does not go with it.
    A task enters your crontab, as with `ia task approve`. An address that a model would
    fetch is fetched now, and what came is a proposal of its own. Without ID the proposals that wait are listed.
    """
    from ia.kernel import proposals
    from ia.kernel.errors import Refused
    from ia.kernel.workspace import Workspace

    if not which:
        ctx.invoke(pending, as_json=as_json)
        return
    attended()
    ws = Workspace()
    numbers = [found.id for found in proposals.pending(ws)] if which == ("all",) else []
    if which == ("all",):
        if yes or not sys.stdin.isatty():
            raise Refused("`all` is asked about one by one, at a terminal", hint="name them: `ia approve 1 2 --yes`")
        if not numbers:
            raise NotFound("no proposal waits for a decision")
    else:
        numbers = [_Number().convert(text, None, None) for text in dict.fromkeys(which)]
    for number in numbers:
        proposals.undecided(ws, number)  # a number that is none is told before the first is carried out
    refused: list[int] = []
    for number in numbers:
        try:
            _approve(ws, number, yes=yes, as_json=as_json)
        except Refused:
            if len(numbers) == 1:
                raise
            refused.append(number)
    if refused:
        raise Refused("not approved: {numbers}", numbers=", ".join(map(str, refused)))


def _approve(ws: "Workspace", number: int, *, yes: bool, as_json: bool) -> None:
    """Show one proposal, ask, and carry it out."""
    from ia.kernel import proposals
    from ia.kernel.errors import Refused
    from ia.wiring.approvals import approve_proposal

    proposal = proposals.undecided(ws, number)
    if proposal.kind == TASK:
        approved(ws, number, yes=yes, as_json=as_json)
        return
    if proposal.kind == proposals.FETCH:
        fetched = _fetched(ws, proposal, yes=yes, as_json=as_json)
        if fetched is None:
            return
        proposal, number = fetched, fetched.id
    before, after = proposals.outcome(ws, proposal)
    click.echo(harmless(shown(ws, proposal, before, after)), err=True, nl=False)
    if not yes and not asked(say("Carry out proposal {number}?", number=number)):
        raise Refused("proposal {number} was not approved", number=number)
    by = "user with --yes" if yes else "user at a terminal"
    with ws.lock():
        if proposals.outcome(ws, proposal) != (before, after):
            raise Refused(
                "{path} changed while you were reading",
                path=proposal.path,
                hint="look again: `ia pending {number}`",
                number=number,
            )
        decided = approve_proposal(ws, number, by=by, notify=notify)
    if decided.kind == proposals.CALL:
        emit_json(_called(ws, decided))
    elif decided.kind == proposals.TRADE:
        _journalled(ws, decided, as_json=as_json)
    elif as_json:
        emit_json(_row(decided))
    else:
        sys.stdout.write(f"{decided.path}\n")


@click.command(cls=Command, example="ia memory prefer '回答先给结论'; ia reject 1 --because '太短'")
@click.argument("number", type=_Number(), metavar="ID")
@click.option("--because", metavar="WHY", default="", help="The reason.")
@json_option
def reject(number: int, because: str, as_json: bool) -> None:
    """Drop a proposal."""
    from ia.kernel import proposals
    from ia.kernel.workspace import Workspace

    attended()
    dropped = proposals.reject(Workspace(), number, by="user", because=because)
    notify(Message("proposal {number} is dropped; {path} stays as it is", number=number, path=dropped.path))
    if as_json:
        emit_json(_row(dropped))


def _fetched(ws: "Workspace", proposal: "Proposal", *, yes: bool, as_json: bool) -> "Proposal | None":
    """Fetch what a proposal names, and return the proposal of what came, where it is to be decided on at once.

    --yes agrees to what was shown, and what is fetched was not: it stays a proposal.
    """
    from ia.faculties.skills import installing
    from ia.kernel import proposals
    from ia.kernel.errors import Refused

    click.echo(harmless(shown(ws, proposal, "", proposal.after)), err=True, nl=False)
    if not yes and not asked(say("Fetch it now?")):
        raise Refused("proposal {number} was not approved", number=proposal.id)
    made = installing.fetch(ws, proposal)
    proposals.approve(ws, proposal.id, by="user with --yes" if yes else "user at a terminal")
    if not yes:
        return made
    notify(
        Message(
            "what was fetched is proposal {number}: look at it, and `ia approve {number}` installs it", number=made.id
        )
    )
    if as_json:
        emit_json(_row(made))
    else:
        sys.stdout.write(f"{made.id}\n")
    return None


def _journalled(ws: "Workspace", proposal: "Proposal", *, as_json: bool) -> None:
    """Print the entry that an approved trade became."""
    from ia.organs.ledger.documents import document
    from ia.organs.ledger.proposed import entry_of
    from ia_cli.terminal.trade_view import line

    entry = entry_of(ws, proposal)
    if as_json:
        emit_json(document(entry))
    else:
        emit_text(line(entry) + "\n")


def _called(ws: "Workspace", proposal: "Proposal") -> Any:
    """Make the call that was agreed to, once, and return what came of it."""
    import json

    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope

    outcome = catalog.router(ws).call(Scope(ws, notify=notify), proposal.path, json.loads(proposal.after))
    if outcome.failure is not None:
        raise outcome.failure
    return outcome.value


def _row(proposal: "Proposal") -> dict[str, object]:
    row = proposal._asdict()
    del row["before"], row["after"]
    return row
