"""`ia event`: a turn on an event of the day, its prompt filled from ledger and store."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ia.kernel.errors import Message, Notify, once
from ia_cli.terminal.group import Command, Group
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, emit_text, notify

if TYPE_CHECKING:
    from ia.agent.turns.occasions import Occasion
    from ia.kernel.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


@click.group(cls=Group, example="IA_MARKET_ADAPTER=demo ia sync daily && ia event daily-review --force --print")
def event() -> None:
    """Take a turn on an event of the day: its review, or what rose most.

    The prompt is filled with figures from the ledger and the stored market; nobody else is asked. `ia sync daily`
    brings the market of the day, best in the same pipeline: `ia sync daily && ia event daily-review`.
    """


def _options(command: F) -> F:
    for option in (
        click.option("--print", "printed", is_flag=True, help="Print the prompt, and take no turn."),
        click.option("--force", is_flag=True, help="Also on a day without trading, and before the close."),
        click.option(
            "-s", "--session", metavar="ID", default="daily", show_default=True, help="Go on with this session."
        ),
        click.option(
            "-m", "--model", metavar="MODEL", help="Ask this model; any that `llm models` lists, or ia-offline."
        ),
    ):
        command = option(command)
    return command


@event.command(
    "daily-review", cls=Command,
    example="IA_MARKET_ADAPTER=demo ia sync daily && ia event daily-review --force",
)  # fmt: skip
@_options
@json_option
@click.pass_context
def daily_review(
    ctx: click.Context, printed: bool, force: bool, session: str, model: str | None, as_json: bool
) -> None:
    """Review the day: gain, positions, risk rules, market, and what to do.

    The report is kept in notebook/reports/daily/, the turn in the session. Where the stored market is not today's, the
    prompt and the answer say so.

    Status 1 on a day without trading and before the close, when nothing is done; 66 where no market is stored.
    """
    from ia.agent.turns import occasions

    _happen(ctx, occasions.daily_review, printed, force, session, model, as_json)


@event.command(
    "top-gainers", cls=Command,
    example="IA_MARKET_ADAPTER=demo ia sync daily && ia event top-gainers -n 10 --force",
)  # fmt: skip
@click.option(
    "-n",
    "--limit",
    "count",
    type=click.IntRange(1, 200),
    default=50,
    show_default=True,
    help="How many of the top gainers.",
)
@_options
@json_option
@click.pass_context
def top_gainers(
    ctx: click.Context, count: int, printed: bool, force: bool, session: str, model: str | None, as_json: bool
) -> None:
    """Look at what rose most, and judge the market's main line.

    The judgment is kept: as an observation, and in the session with importance 2, which is never pruned. The report is
    kept in notebook/reports/gainers/.

    Status 1 on a day without trading and before the close, when nothing is done; 66 where no market is stored.
    """
    from ia.agent.turns import occasions

    _happen(ctx, lambda ws, tell: occasions.top_gainers(ws, count, tell), printed, force, session, model, as_json)


_IDLE = {
    "closed": "there is no trading on {date}: nothing is done; --force does it nevertheless",
    "open": "the market closes at 15:00 (Shanghai): nothing is done before; --force does it nevertheless",
}


def _happen(
    ctx: click.Context,
    build: "Callable[[Workspace, Notify], Occasion]",
    printed: bool,
    force: bool,
    session: str,
    model: str | None,
    as_json: bool,
) -> None:
    """Build the prompt, and take the turn or print it."""
    from ia.agent.turns import occasions
    from ia.kernel import clock, config
    from ia.kernel.workspace import Workspace

    idle = "" if force or config.run() is not None else occasions.idle()  # a task's days are its calendar's
    if idle:
        notify(Message(_IDLE[idle], date=clock.today("CN")))
        ctx.exit(1)
    ws, tell = Workspace(), once(notify)  # prompt and turn read the same store and say the same
    occasion = build(ws, tell)
    if printed:
        if as_json:
            emit_json(_document(occasion))
        else:
            emit_text(occasion.prompt + "\n")
        return
    _turn(ws, occasion, session, model, tell, as_json)


def _document(occasion: "Occasion") -> dict[str, Any]:
    return {
        "event": occasion.event, "prompt": occasion.prompt, "day": occasion.day, "stale": occasion.stale,
        "simulated": occasion.simulated,
    }  # fmt: skip


def _turn(ws: "Workspace", occasion: "Occasion", session: str, model: str | None, tell: Notify, as_json: bool) -> None:
    from ia.agent.turns import occasions
    from ia_cli.terminal.turn_output import refuse_lacking, spoken, tell_pending

    done = spoken(
        lambda write: occasions.take(ws, occasion, session=session, model=model, notify=tell, write=write),
        as_json=as_json,
    )
    if as_json:
        emit_json({**done.document(), "event": occasion.event, "day": occasion.day, "stale": occasion.stale})
    else:
        for path in done.artifacts:
            if path not in done.reply:
                tell(Message("kept: {path}", path=path))
        tell_pending(done)
    refuse_lacking(done)
