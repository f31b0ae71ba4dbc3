"""`ia backtest agent`: let a model, or the embedded analyst, trade through past sessions."""

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.output import emit_json, notify
from ia_cli.terminal.progress import show_progress

if TYPE_CHECKING:
    from ia.kernel.jsontypes import Json
    from ia.kernel.workspace import Workspace

SHOWN_BAR = 5
"""From so many sessions on, a terminal shows progress."""


@click.command(
    cls=Command,
    example="ia --now 2024-03-15 backtest agent 600519 000858 --start 2024-03-01 --adapter demo -m ia-offline",
)
@click.argument("symbols", nargs=-1, metavar="SYMBOL…")
@click.option("--in", "universe", metavar="U", help="Securities: watch, held, an industry, or a file.")
@click.option("--start", metavar="D", help="First session.")
@click.option("--end", metavar="D", help="Last session (default: the last one that has closed).")
@click.option("--cash", metavar="N", default="1000000", show_default=True, help="Money that the account begins with.")
@click.option("-m", "--model", metavar="NAME", help="Model to ask (default: as for `ia turn`).")
@click.option("--strategy", metavar="TEXT", default="", help="The strategy in words; the playbook begins with it.")
@click.option(
    "--preset",
    "presets",
    metavar="FILE=PATH",
    multiple=True,
    help="Give the run a text of its memory, such as notes/experience.md=notes.md. Repeatable.",
)
@click.option("--from", "source", metavar="RUN", help="Begin with the playbook that another run ended with.")
@click.option("--moments", type=click.Choice(["on", "off"]), default="on", show_default=True,
              help="Ask for records at fills and at the end of days, weeks and months.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 10**9), default=0, show_default=True,
              help="Order of securities in prompts (0: as given) and draws of the random agents.")  # fmt: skip
@click.option("--steps", type=click.IntRange(1, 100), help="Maximum number of model calls per session.")
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="N",
              help="Maximum cost of the run (default: turn.max_cost).")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(1), metavar="N",
              help="Maximum number of tokens of the run (default: turn.max_tokens).")  # fmt: skip
@click.option(
    "--mask", is_flag=True, help="Disguise names, codes, dates and price levels, so that memory does not help."
)
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True,
              help="Runs with other seeds: mean, spread and agreement of decisions.")  # fmt: skip
@click.option("--counterfactual", "counterfactuals", type=click.IntRange(0, 100), default=0, metavar="N",
              help="Also N runs whose bars are invented from a quarter on.")  # fmt: skip
@click.option("--cutoff", metavar="D", help="End of the model's training data (default: a table of models).")
@click.option("--replay", metavar="RUN", help="Live RUN again with its recorded answers, asking no model.")
@click.option("--adapter", metavar="A", help="Data source of prices.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.pass_context
def agent(
    ctx: click.Context,
    symbols: tuple[str, ...],
    universe: str | None,
    start: str | None,
    end: str | None,
    cash: str,
    model: str | None,
    strategy: str,
    presets: tuple[str, ...],
    source: str | None,
    moments: str,
    seed: int,
    steps: int | None,
    max_cost: float | None,
    max_tokens: int | None,
    mask: bool,
    repeats: int,
    counterfactuals: int,
    cutoff: str | None,
    replay: str | None,
    adapter: str | None,
    as_json: bool,
) -> None:
    """Let a model trade session by session through the past, with a memory of its own.

    In each session the model sees the account, the fills and the bars up to that day's close, and may call tools of
    the market, of indicators, of the account and of its memory. Orders are filled in the next session by the rules of
    `ia backtest orders`, after the risk guard (risk.*) let them pass. The run lives in runs/RUN/: playbook.md,
    journal/, notes/, reviews/, decisions.jsonl, calls.jsonl, run.yaml, result.json and CSV files. It reads and writes
    nothing of your memory or ledger.

    The headline of the result is where the run stands among 200 agents that trade as much on the same days in
    securities that are drawn. Sessions up to the end of the model's training data are told apart: it may have read
    what happened.

    --mask asks the model at the end what it recognizes. Of --counterfactual, an edge that stays on invented bars comes
    from the exposure, one that vanishes may come from memory.

    All answers are recorded. An interrupted run continues with `ia backtest resume RUN`. --replay gives the same files
    byte for byte; status 1 if one differs.
    """
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    if adapter:
        config.override_variable("IA_MARKET_ADAPTER", adapter)
    ws = Workspace()
    if replay is not None:
        _replay(ctx, ws, replay, as_json)
        return
    from ia.agent.backtests import agent_runs, planning

    wish = planning.RunWish(
        symbols=symbols,
        universe=universe,
        start=start,
        end=end,
        cash=cash,
        model=model,
        strategy=strategy,
        presets=presets,
        source=source,
        moments=moments == "on",
        seed=seed,
        steps=steps,
        max_cost=max_cost,
        max_tokens=max_tokens,
        mask=mask,
        repeats=repeats,
        counterfactuals=counterfactuals,
        cutoff=cutoff,
    )
    plan = planning.plan_run(ws, wish, notify)
    if plan.estimate is not None:
        notify(plan.estimate)
    run = agent_runs.start_run(ws, plan.settings)
    live_run(ws, run, as_json)


def live_run(ws: "Workspace", run: str, as_json: bool) -> None:
    """Live a run and those that belong to it, as far as they are not lived yet."""
    from ia.agent.backtests import run_groups

    with _tell_resume(run), show_progress(SHOWN_BAR, 1) as show:
        result, group = run_groups.live_group(ws, run, notify=notify, progress=show)
    _emit(run, result, group, as_json)


def _replay(ctx: click.Context, ws: "Workspace", run: str, as_json: bool) -> None:
    from ia.agent.backtests import run_groups
    from ia.kernel.errors import Message, PluralText

    with show_progress(SHOWN_BAR, 1) as show:
        folder, result, group, differing = run_groups.replay_group(ws, run, notify=notify, progress=show)
    again = os.path.basename(folder)
    if differing:
        notify(
            Message(
                PluralText(
                    "{again} differs from {run} in {count} file: {files}",
                    "{again} differs from {run} in {count} files: {files}",
                ),
                again=again,
                run=run,
                count=len(differing),
                files=", ".join(differing[:5]),
            )
        )
    else:
        notify(Message("{again} is the same as {run}, byte for byte", again=again, run=run))
    _emit(again, result, group, as_json)
    ctx.exit(1 if differing else 0)


@contextlib.contextmanager
def _tell_resume(run: str) -> Iterator[None]:
    """Add to a failure how the run continues."""
    from ia.kernel.errors import IaError, Message

    try:
        yield
    except KeyboardInterrupt:
        notify(Message("continue with `ia backtest resume {resume}`", resume=run))
        raise
    except IaError as exc:
        if exc.code not in ("not-found", "usage", "bars-changed", "replay-miss"):
            exc.hint = "continue with `ia backtest resume {resume}`"
            exc.params = {**exc.params, "resume": run}
        raise


def _emit(run: str, result: "Json", group: "Json | None", as_json: bool) -> None:
    from ia_cli.terminal.agent_views import print_agent_run

    if as_json:
        emit_json({"run": run, **result, **({"group": group} if group else {})})
    else:
        print_agent_run(run, result, group)
