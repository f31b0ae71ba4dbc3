"""Options of `ia backtest run` that make many runs of it: a grid of values, and a walk forward over it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ia_cli.terminal.group import Command

if TYPE_CHECKING:
    from ia.faculties.lab.backtests import BacktestRequest
    from ia.faculties.lab.run_folders import SavedRun
    from ia.faculties.lab.run_types import RuleSettings
    from ia.kernel.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])

PLACES = ("entry", "leave", "rank", "size", "stop", "target")
"""Options in which `{n}` may stand."""
LENGTHS = ("train", "test", "step", "embargo")


def sweep_options(command: F) -> F:
    """`--grid`, `--train`, `--test`, `--step`, `--embargo`, `--output`."""
    for option in reversed(
        (
            click.option(
                "--grid",
                multiple=True,
                metavar="NAME=FIRST:LAST:STEP",
                help="Run all values of {NAME} in the rules; also NAME=5,10,20. Repeat for more names.",
            ),
            click.option("--train", metavar="LENGTH", help="With --grid: choose values on 3y, 6m, 20d of days each."),
            click.option("--test", metavar="LENGTH", help="Test the choice on the days after (default: 6m)."),
            click.option("--step", metavar="LENGTH", help="From one test to the next (default: --test)."),
            click.option(
                "--embargo",
                metavar="LENGTH",
                help="Days between training and test (default: bars that the rules look back).",
            ),
            click.option("-o", "--output", metavar="FILE", help="Write the map of --grid: .svg, .png or .html."),
        )
    ):
        command = option(command)
    return command


def run_grid(
    ws: "Workspace", options: dict[str, Any], read_request: "Callable[[dict[str, Any]], BacktestRequest]"
) -> "SavedRun":
    """Run the grid that the options describe. `read_request` makes a request of options without places.

    raises  UsageError.
    """
    from ia.faculties.lab import sweeps
    from ia.faculties.lab.sweep_backtests import run_sweep
    from ia.faculties.pictures import saving
    from ia.kernel.errors import UsageError
    from ia_cli.terminal.output import notify
    from ia_cli.terminal.progress import show_progress

    if options["output"]:
        saving.file_format(options["output"])
    for name in ("equity", "trades"):
        if options[name]:
            raise UsageError("--{name} does not work with --grid", name=name)
    axes = [sweeps.parse_axis(text) for text in options["grid"]]
    told = {name: options[name] for name in PLACES if options[name]}
    points = sweeps.list_points(axes, list(told.values()))

    def fill_options(point: sweeps.Point) -> dict[str, Any]:
        return options | {name: sweeps.fill_places(text, point) for name, text in told.items()}

    request = read_request(fill_options(points[0]))
    # bars of standard input were read with the first; the others need no prices
    apart = {"symbols": ("X",), "universe": None} if request.bars is not None else {}
    variants = [(points[0], request.settings)]
    for point in points[1:]:
        settings = read_request(fill_options(point) | apart).settings
        variants.append((point, settings))
    names = {"leave": "exit", "stop": "stop_pct", "target": "target_pct"}
    template = {names.get(name, name): text for name, text in told.items() if "{" in text}
    with show_progress() as show:
        return run_sweep(
            ws,
            request,
            axes,
            variants,
            lengths=_read_lengths(options, request, [settings for _, settings in variants]),
            template=template,
            notify=notify,
            show=show,
        )


def check_lengths(options: dict[str, Any]) -> None:
    """Raise UsageError for options that need others."""
    from ia.kernel.errors import UsageError

    for name in (*LENGTHS, "output"):
        if options[name] and not options["grid"]:
            raise UsageError("--{name} needs --grid", name=name)
    for name in ("test", "step", "embargo"):
        if options[name] and not options["train"]:
            raise UsageError("--{name} needs --train", name=name)


def _read_lengths(options: dict[str, Any], request: "BacktestRequest", variants: "list[RuleSettings]") -> Any:
    from ia.domain.instruments.symbols import resolve_security
    from ia.domain.performance.ratios import bars_a_year
    from ia.faculties.lab.walk_forward_runs import Lengths, count_bars_back, parse_length
    from ia.kernel.errors import UsageError

    if not options["train"]:
        return None
    name = request.symbol or (request.symbols[0] if request.symbols else "")
    market = resolve_security(name, ()).market if name else "US" if request.bars is not None else "CN"
    sessions = bars_a_year(request.bars.date if request.bars is not None else (), market)
    train = parse_length(options["train"], "--train", sessions)
    test = parse_length(options["test"] or "6m", "--test", sessions)
    step = parse_length(options["step"], "--step", sessions) if options["step"] else test
    if train < 20 or test < 1 or step < 1:
        raise UsageError("--train takes at least 20 days, --test and --step at least 1")
    if step < test:
        raise UsageError("--step is shorter than --test: tests would overlap", hint="leave out --step")
    if options["embargo"]:
        return Lengths(train, test, step, parse_length(options["embargo"], "--embargo", sessions))
    return Lengths(train, test, step, count_bars_back(variants))


def print_grid(ws: "Workspace", run: "SavedRun", output: str | None) -> None:
    """Print a sweep or a walk forward; write its map, or its page, to a file where one is named."""
    import sys

    if output:
        from ia.faculties.pictures import backtest_report, saving
        from ia_cli.terminal.picture_language import make_picture_voice

        kind, voice = saving.file_format(output), make_picture_voice()
        if kind == "html":
            data = backtest_report.render_backtest_report(ws, run, voice).encode()
        else:
            data = backtest_report.render_map_file(run, kind, voice)
        saving.save_picture(output, data)
        sys.stdout.write(output + "\n")
    else:
        from ia_cli.terminal.backtest_views import print_backtest

        print_backtest(run)


@click.command(
    cls=Command,
    example="ia backtest run 600519 --entry 'rsi(close, 14) < 30' --stop 8 && ia backtest report last -o backtest.html",
)
@click.argument("run_id", metavar="ID", default="last")
@click.option("-o", "--output", metavar="FILE", help="Output file (.html; default: standard output).")
def report(run_id: str, output: str | None) -> None:
    """Write one self-contained page about a backtest. ID: its id, the beginning of it, or last (default).

    Equity against holding and the benchmark, drawdown, returns by month, the trades on the chart of the security that
    was traded most, rolling figures, and every statistic with its definition; of a sweep the map. The page needs no
    network and loads nothing. Without stored prices of the security there is no chart.
    """
    import sys

    from ia.faculties.lab.run_folders import find_run
    from ia.faculties.pictures import backtest_report, saving
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.backtest_views import measure_worth
    from ia_cli.terminal.output import notify
    from ia_cli.terminal.picture_language import make_picture_voice

    if output is not None:
        saving.file_format(output, ("html",))
    elif sys.stdout.isatty():
        raise UsageError(
            "cannot print an HTML page to a terminal",
            hint="write it to a file: `ia backtest report {target} -o backtest.html`",
            target=run_id,
        )
    ws = Workspace()
    found = find_run(ws, run_id)
    if found.settings.get("kind") == "agent":
        raise UsageError(
            "run {id} is of an agent; a page is written of rules only",
            id=found.id,
            hint="see `ia backtest show {id}`",
        )
    worth = measure_worth(ws, found).get("selection")
    page = backtest_report.render_backtest_report(ws, found, make_picture_voice(), worth=worth, notify=notify)
    if output is None:
        sys.stdout.write(page)
        return
    saving.save_picture(output, page.encode())
    sys.stdout.write(output + "\n")
