"""`ia event`: a turn on an event of the day, its prompt filled from ledger and store."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ia.kernel.errors import Message, Notify, notify_once
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, emit_text, notify

if TYPE_CHECKING:
    from ia.agent.turns.daily_events import Occasion
    from ia.kernel.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


@click.group(cls=CommandGroup, example="IA_MARKET_ADAPTER=demo ia sync daily && ia event daily-review --force --print")
def event() -> None:
    """Run a turn on an event of the day: the daily review or the top gainers.

    ia fills the prompt with figures from the ledger and the stored market and contacts no data source. Fetch the day's
    market first with `ia sync daily`, best in the same pipeline: `ia sync daily && ia event daily-review`.
    """


def _event_options(command: F) -> F:
    for option in (
        click.option(
            "--print",
            "printed",
            is_flag=True,
            help="Print the prompt without running a turn; --json has its data line too.",
        ),
        click.option("--force", is_flag=True, help="Run even on a non-trading day or before the close."),
        click.option("-s", "--session", metavar="ID", default="daily", show_default=True, help="Session to continue."),
        click.option(
            "-m", "--model", metavar="MODEL", help="Model to use: any that `llm models` lists, or ia-offline."
        ),
    ):
        command = option(command)
    return command


@event.command(
    "daily-review",
    cls=Command,
    example="IA_MARKET_ADAPTER=demo ia sync daily && ia event daily-review --force",
)
@_event_options
@json_option
@click.pass_context
def daily_review(
    ctx: click.Context, printed: bool, force: bool, session: str, model: str | None, as_json: bool
) -> None:
    """Review the day: profit, positions, risk rules, market and next steps.

    ia saves the report in notebook/reports/daily/ and the turn in the session. If the stored market is not today's,
    the prompt and the answer say so.

    Status 1 on a non-trading day or before the close, when ia does nothing; 66 if no market is stored.
    """
    from ia.agent.turns import daily_events

    _run_event(ctx, daily_events.build_daily_review, printed, force, session, model, as_json)


@event.command(
    "top-gainers",
    cls=Command,
    example="IA_MARKET_ADAPTER=demo ia sync daily && ia event top-gainers -n 10 --force",
)
@click.option(
    "-n",
    "--limit",
    "count",
    type=click.IntRange(1, 200),
    default=50,
    show_default=True,
    help="Number of top gainers.",
)
@_event_options
@json_option
@click.pass_context
def top_gainers(
    ctx: click.Context, count: int, printed: bool, force: bool, session: str, model: str | None, as_json: bool
) -> None:
    """Analyze the top gainers and judge the market's main line.

    ia saves the judgment as an observation, and in the session with importance 2, so it is never pruned. ia saves the
    report in notebook/reports/gainers/.

    Status 1 on a non-trading day or before the close, when ia does nothing; 66 if no market is stored.
    """
    from ia.agent.turns import daily_events

    _run_event(
        ctx, lambda ws, tell: daily_events.build_top_gainers(ws, count, tell), printed, force, session, model, as_json
    )


_IDLE = {
    "closed": "{date} is not a trading day, so ia did nothing; use --force to run anyway",
    "open": "the market closes at 15:00 (Shanghai), and ia does nothing before; use --force to run now",
}


def _run_event(
    ctx: click.Context,
    build: "Callable[[Workspace, Notify], Occasion]",
    printed: bool,
    force: bool,
    session: str,
    model: str | None,
    as_json: bool,
) -> None:
    """Build the prompt, and take the turn or print it."""
    from ia.agent.turns import daily_events
    from ia.kernel import clock, config
    from ia.kernel.workspace import Workspace

    idle = (
        "" if force or config.run_number() is not None else daily_events.idle_reason()
    )  # a task's days are its calendar's
    if idle:
        notify(Message(_IDLE[idle], date=clock.today("CN")))
        ctx.exit(1)
    ws, tell = Workspace(), notify_once(notify)  # prompt and turn read the same store and say the same
    occasion = build(ws, tell)
    if printed:
        if as_json:
            emit_json(_event_document(occasion))
        else:
            emit_text(occasion.words + "\n")
        return
    _take_event_turn(ws, occasion, session, model, tell, as_json)


def _event_document(occasion: "Occasion") -> dict[str, Any]:
    return {
        "event": occasion.name,
        "prompt": occasion.prompt,
        "day": occasion.day,
        "stale": occasion.stale,
        "simulated": occasion.simulated,
    }


def _take_event_turn(
    ws: "Workspace", occasion: "Occasion", session: str, model: str | None, tell: Notify, as_json: bool
) -> None:
    from ia.agent.turns import daily_events
    from ia_cli.terminal.turn_output import refuse_missing_prices, stream_turn, tell_pending

    done = stream_turn(
        lambda write: daily_events.take_event_turn(
            ws, occasion, session=session, model=model, notify=tell, write=write
        ),
        as_json=as_json,
    )
    if as_json:
        emit_json({**done.as_document(), "event": occasion.name, "day": occasion.day, "stale": occasion.stale})
    else:
        for path in done.artifacts:
            if path not in done.reply:
                tell(Message("saved: {path}", path=path))
        tell_pending(done)
    refuse_missing_prices(done)
