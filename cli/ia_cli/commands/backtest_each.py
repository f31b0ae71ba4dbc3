"""`ia backtest run --each`: rules on each security alone."""

from typing import TYPE_CHECKING, Any

from ia_cli.terminal.output import notify
from ia_cli.terminal.progress import show_progress

if TYPE_CHECKING:
    from ia.faculties.lab.backtests import BacktestRequest
    from ia.faculties.lab.run_folders import SavedRun
    from ia.kernel.workspace import Workspace

TOGETHER = ("grid", "rank", "rebalance", "max_positions", "check", "equity", "trades", "benchmark", "symbol")
"""Options of one account for all."""


def check_options(options: dict[str, Any]) -> None:
    """Raise UsageError for options that make no sense with `--each`."""
    from ia.kernel.errors import UsageError

    for name in TOGETHER:
        if options[name]:
            raise UsageError("--{name} does not work with --each", name=name.replace("_", "-"))
    if options["symbols"] and options["symbols"][0].endswith(".py"):
        raise UsageError("--each works with --entry and --exit, not with a strategy file")
    if not (options["universe"] or options["where"]) and (not options["symbols"] or options["symbols"] == ("-",)):
        raise UsageError("missing {what}", what="SYMBOL or --in", hint="for example `--in all --each`")


def run_each(ws: "Workspace", request: "BacktestRequest") -> "SavedRun":
    """Run rules on each security of a request alone, with a progress bar."""
    from ia.faculties.lab.each_runs import run_each_backtest

    with show_progress() as show:
        return run_each_backtest(ws, request, notify=notify, show=show)
