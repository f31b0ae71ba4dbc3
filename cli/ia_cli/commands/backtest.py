"""`ia backtest`: what orders and rules would have come to on past prices."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ia_cli.commands import backtest_agent, backtest_each, backtest_sweep, backtest_unfinished
from ia_cli.commands.backtest_journal import journal_command
from ia_cli.commands.backtest_sweep import sweep_options
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json
from ia_cli.terminal.progress import show_progress

if TYPE_CHECKING:
    from ia.faculties.lab.unfinished_runs import UnfinishedRun
    from ia.kernel.workspace import Workspace


@click.group(
    cls=CommandGroup,
    example="ia backtest run 600519 --entry 'rsi(close, 14) < 30' --exit 'rsi(close, 14) > 60' --since 2020-01-01",
)
def backtest() -> None:
    """Test rules and orders on past prices, by the rules of the exchange.

    Fees, stamp duty, price limits, lots, T+1 and dividend tax are those of `ia trade rules` on each day. An order that
    is given after the close of a day can be filled from the next trading day on, never on the same bar.
    """


@backtest.command(
    cls=Command,
    example=(
        """printf '{"config":{"cash":"10000","commission_pct":"0.025","commission_min":"5"},"bars":{"600000.SH":["""
        """["2024-03-04",9.9,10.1,9.8,10,1000000],["2024-03-05",10.1,10.2,10,10.15,1000000]]},"orders":["""
        """{"after":"2024-03-04","symbol":"600000.SH","side":"buy","value":"10000"}]}' | ia backtest orders -"""
    ),
)
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--case", "name", metavar="ID", help="The case to run, of a file with `cases`.")
def orders(file: str | None, name: str | None) -> None:
    """Run the orders of a JSON document over its bars; print fills, the rest with reasons, cash and equity by day.

    FILE (- or none: standard input) is an object with these keys. config: cash, positions {symbol: shares},
    commission_pct, commission_min, volume_cap_pct (default: no cap), st, listed, delisted {symbol: {after, worth: zero
    or last}}, us_fees. bars: {symbol: [[date, open, high, low, close, volume], …]}, raw prices, volume in shares.
    prev_close: the close before the first bar, by symbol. actions: [{date, symbol, cash, bonus, split}], a share.
    calendar: the trading days (default: all days with a bar). orders: [{after, symbol, side, quantity or value, type:
    market, limit or stop, price, valid: day or gtc, oco, attached: [{type, price}]}, {after, cancel: NUMBER}].

    Market orders are filled at the open. Limit orders are filled at the open if it is better, else at the limit if the
    bar reaches it. Stop orders are filled at the open if it is beyond the stop, else at the stop. Orders with the same
    oco cancel each other; attached exits come to life with the fill and wait. Of a stop and a target within one bar the
    stop counts, unless the open reaches the target. A quantity that does not fit the lots is rejected, not rounded;
    value is money, cut down to whole lots with their fees.

    Prints one JSON object: fills, unfilled (status expired, rejected, cancelled or open, with the reason), cash and
    equity by day.
    """
    import json

    from ia.faculties.lab.order_files import run_order_document
    from ia.kernel.errors import BadData, NotFound, UsageError
    from ia_cli.terminal.input import describe_json_error, open_input

    stream, source = open_input(file)
    with stream:
        try:
            document = json.load(stream)
        except (ValueError, RecursionError) as exc:
            raise BadData(
                "{source}: not valid JSON: {reason}", source=source, reason=describe_json_error(exc)
            ) from None
    if not isinstance(document, dict):
        raise BadData("{source}: the document must be a JSON object", source=source)
    if name is not None or "cases" in document:
        cases = {str(each.get("id")): each for each in document.get("cases", ()) if isinstance(each, dict)}
        if name is None:
            raise UsageError(
                "{source} holds {count} cases", source=source, count=len(cases), hint="choose one: --case ID"
            )
        if name not in cases:
            raise NotFound("{source} has no case {name}", source=source, name=name)
        document = cases[name]
    emit_json(run_order_document(document))


@backtest.command(
    cls=Command,
    example="ia backtest run 600519 --entry 'crossover(sma(close, 5), sma(close, 20))' "
    "--exit 'crossunder(sma(close, 5), sma(close, 20))' --since 2020-01-01",
)
@click.argument("symbols", nargs=-1, metavar="[STRATEGY.py] [SYMBOL…]")
@click.option("--entry", metavar="EXPR", help="Buy when this expression of `ia compute` is true at the close.")
@click.option("--exit", "leave", metavar="EXPR", help="Sell when this expression is true at the close.")
@click.option("--rank", metavar="EXPR", help="Of several entries buy those with the largest value first.")
@click.option("--in", "universe", metavar="U", help="Securities: all (stocks), watch, held, an industry, or a file.")
@click.option(
    "--where",
    metavar="CONDITION",
    help="Only securities that meet this condition of `ia screen` on the day of --since: 'pe < 15 and rsi(close, 14) < "
    "40'.",
)
@click.option("--since", "--start", "since", metavar="DATE", help="First day of signals (default: the first bar).")
@click.option("--until", "--end", "until", metavar="DATE", help="Last day (default: the last bar).")
@click.option("--cash", metavar="N", default="100000", show_default=True, help="Money at the start.")
@click.option("--size", metavar="S", help="Size of a position: 20% of the equity, 1000 shares, 50000 (money), equal.")
@click.option("--stop", metavar="PCT", help="Sell at so many percent below the purchase price.")
@click.option("--target", metavar="PCT", help="Sell at so many percent above the purchase price.")
@click.option("--each", is_flag=True, help="Test each security alone, with --cash of its own; show how results spread.")
@click.option("--max-positions", type=click.IntRange(1, 100_000), metavar="N", help="Most positions at a time.")
@click.option(
    "--rebalance",
    type=click.Choice(["daily", "weekly", "monthly"]),
    help="Renew positions after the first day of each period: hold the best entries in the given size, sell the rest.",
)
@click.option("--benchmark", metavar="SYMBOL", default="", help="Compare with this security or index, or none.")
@click.option(
    "--symbol",
    metavar="SYMBOL",
    help="Market rules for bars on standard input (default: those of their origin, if known).",
)
@click.option("--commission", metavar="PCT", help="Commission, percent (default: setting ledger.commission_pct).")
@click.option("--volume-cap", metavar="PCT", default="10", show_default=True, help="Most of a bar's volume, or none.")
@click.option("--check", is_flag=True, help="Cut the world at 20 random days; status 1 if anything before changes.")
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Seed of the random days of --check.")
@click.option("--equity", metavar="FILE", help="Also write the equity of each day as CSV; - is standard output.")
@click.option("--trades", metavar="FILE", help="Also write the trades as CSV; - is standard output.")
@sweep_options
@json_option
def run(**options: Any) -> None:
    """Test entry and exit rules on past prices; save the result under runs/ and print it.

    EXPR sees the bars up to a day, adjusted. The order fills on the next bar, at raw prices, by the rules of the
    exchange: price limits, lots, T+1, fees, dividends and their tax. What is not filled stands in orders.csv with the
    reason. A purchase lapses after its day; a sale waits until it is filled.

    xrank(X), xzscore(X) and xdemean(X) of ia-scan(1) compare the securities of the run that have a bar on the day:
    `--rank 'xrank(roc(close, 60)) - xrank(natr(high, low, close, 20))'`. `industry` as second argument works with --in.
    Compare ratios, not levels: adjusted prices of a past day are not those of the day, and --check says so.

    STRATEGY.py, instead of --entry and --exit, is Python of `ia compute` with a function on_bar(ctx), which is called
    after each close: ctx.date, ctx.bars.close (and open, high, low, volume: arrays up to the day, adjusted to it),
    ctx.bars_of(SYMBOL), ctx.position(), ctx.account.cash, .equity, .positions and .pending_orders, ctx.state (a dict to
    keep things in), ctx.buy(quantity, or value=, percent=, type="limit", price=, valid="gtc", stop=, target=, symbol=)
    and ctx.sell(…), which sells all without a quantity. Without symbol=, ctx.buy, ctx.sell, ctx.position and ctx.bars
    mean the first security by code.

    Without SYMBOL, --in and --where, canonical CSV is read from standard input: `ia ohlcv X | ia backtest run --entry
    …`. Daily bars that ia wrote are traded by the rules of their security, others by those of --symbol, or by none.

    With --each every security is tested alone, as `ia backtest run SYMBOL` would, and the spread of their returns is
    shown. results.csv has a row for each security, orders.csv a row for each order that was not filled.

    Several securities share one account. Default size: the whole equity for one security, else equal parts (of
    --max-positions, or of all securities). Default benchmark: the index of the market, if it is stored.

    `ia backtest list` shows a run that was killed, and `ia backtest resume` makes it again.
    """
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    backtest_sweep.check_lengths(options)
    if options["each"]:
        backtest_each.check_options(options)
    with backtest_unfinished.keep_run(ws, options) as begun:
        status = _run(ws, options, begun)
    click.get_current_context().exit(status)


def _run(ws: "Workspace", options: dict[str, Any], begun: "UnfinishedRun") -> int:
    """Make a run, print it, and return the exit status."""
    from ia.faculties.lab.backtests import run_backtest
    from ia.faculties.lab.run_folders import equity_csv, trades_csv
    from ia_cli.terminal.backtest_views import measure_worth, print_backtest, write_table
    from ia_cli.terminal.output import emit_json, notify

    if options["grid"]:
        swept = backtest_sweep.run_grid(ws, options, partial(_read_request, begun))
        if options["as_json"]:
            emit_json({"settings": swept.settings, **swept.figures})
        else:
            backtest_sweep.print_grid(ws, swept, options["output"])
        return 0
    if options["each"]:
        saved = backtest_each.run_each(ws, _read_request(begun, options))
        if options["as_json"]:
            emit_json({"settings": saved.settings, **saved.figures})
        else:
            print_backtest(saved, ws)
        return 0
    with show_progress() as show:
        found = run_backtest(ws, _read_request(begun, options), notify=notify, show=show)
    piped = "-" in (options["equity"], options["trades"])
    write_table(options["equity"], lambda: equity_csv(found.result))
    write_table(options["trades"], lambda: trades_csv(found.result))
    if options["as_json"]:
        worth = measure_worth(ws, found.saved) if found.saved else {}
        emit_json(
            {"settings": found.settings, **found.figures, **worth} | ({"id": found.saved.id} if found.saved else {})
        )
    elif not piped and found.saved:
        print_backtest(found.saved, ws)
    return 1 if found.check and not found.check.passed else 0


def _read_request(begun: "UnfinishedRun", options: dict[str, Any]) -> Any:
    """Return the request that the options of `ia backtest run` make."""
    from ia.faculties.lab.backtests import BacktestRequest, read_settings
    from ia.kernel.errors import UsageError

    symbols, where = options["symbols"], options.get("where") or ""
    universe = options["universe"] or ("all" if where else "")
    strategy = None
    if symbols and symbols[0].endswith(".py"):
        strategy, symbols = _read_strategy(begun, symbols[0]), symbols[1:]
        if options["entry"] or options["leave"]:
            raise UsageError("give either a strategy file or --entry and --exit, not both")
        if options["grid"]:
            raise UsageError("--grid works with --entry and --exit, not with a strategy file")
        for name in ("rank", "size", "stop", "target", "max_positions", "rebalance"):
            if options[name]:
                option = "--" + name.replace("_", "-")
                hint = "the strategy decides: ctx.buy(percent=20, stop=9.5)"
                raise UsageError("{option} does not work with a strategy file", option=option, hint=hint)
    elif not options["entry"]:
        raise UsageError("missing {what}", what="--entry EXPR", hint="for example --entry 'rsi(close, 14) < 30'")
    if symbols and universe:
        both = "give either symbols or --where, not both" if where else "give either symbols or --in, not both"
        raise UsageError(both)
    bars, origin = None, dict[str, Any]()
    if (not symbols and not universe) or symbols == ("-",):
        from ia_cli.terminal.piped_bars import read_piped_bars

        (bars, origin), symbols = read_piped_bars(*backtest_unfinished.open_bars(begun)), ()
    return BacktestRequest(
        settings=read_settings(
            {**options, "exit": options["leave"]}, one=bars is not None or len(symbols) == 1 or options["each"]
        ),
        symbols=tuple(symbols),
        universe=universe,
        where=where,
        bars=bars,
        symbol=options["symbol"] or (origin.get("symbol") if origin.get("period") == "daily" else None),
        simulated=bool(origin.get("simulated")),
        benchmark=options["benchmark"],
        check=options["seed"] if options["check"] else None,
        strategy=strategy,
    )


def _read_strategy(begun: "UnfinishedRun", path: str) -> tuple[str, str]:
    """Return name and source of a strategy file."""
    import os

    from ia.kernel.errors import BadData

    name = os.path.basename(path)
    with open(begun.input_path(name), "rb") as stream:
        try:
            return name, stream.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadData("{source}: not valid UTF-8", source=path) from None


@backtest.command(
    cls=Command,
    example="ia --now 2024-03-15 backtest agent 600519 000858 --start 2024-03-13 --adapter demo -m ia-offline && "
    "ia --now 2024-03-15 backtest resume agent-2024-03-13-1",
)
@click.argument("run", metavar="RUN")
@json_option
def resume(run: str, as_json: bool) -> None:
    """Continue a run that was interrupted.

    An agent's run is lived again with its recorded answers, then the model is asked on. Rules are run again, by the
    clock and in the folder that they began with. The result is that of a run without the interruption.
    """
    import os

    from ia.agent.backtests import agent_runs
    from ia.faculties.lab.unfinished_runs import load_unfinished
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    folder = agent_runs.run_folder(ws, run)
    begun = load_unfinished(folder)
    if begun is None:
        backtest_agent.live_run(ws, os.path.basename(folder), as_json)
        return
    with backtest_unfinished.take_up_run(begun) as options:
        status = _run(ws, options | ({"as_json": True} if as_json else {}), begun)
    click.get_current_context().exit(status)


@backtest.command(
    "list", cls=Command, example="ia backtest run 600519 --entry 'rsi(close, 14) < 30' --stop 8 && ia backtest list"
)
@rows_options
def list_command(as_json: bool, as_jsonl: bool) -> None:
    """List the backtests of this workspace, newest first, those that were interrupted before. Status 1 if none."""
    from ia.faculties.lab.run_folders import RunRow, list_runs
    from ia.faculties.lab.unfinished_runs import list_unfinished
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.backtest_views import emit_runs
    from ia_cli.terminal.output import tell_empty

    ws = Workspace()
    rows = [dict.fromkeys(RunRow._fields) | row for row in backtest_unfinished.name_unfinished(list_unfinished(ws))]
    rows += [row._asdict() for row in list_runs(ws)]
    emit_runs(rows, as_json=as_json, as_jsonl=as_jsonl)
    if not rows:
        tell_empty("no backtest has been run yet")
        click.get_current_context().exit(1)


@backtest.command(
    cls=Command, example="ia backtest run 600519 --entry 'rsi(close, 14) < 30' --stop 8 && ia backtest show last"
)
@click.argument("run_id", metavar="ID", default="last")
@click.option(
    "--table", type=click.Choice(["orders", "trades", "equity", "results"]), help="Print this table of the run as CSV."
)
@json_option
def show(run_id: str, table: str | None, as_json: bool) -> None:
    """Show the result of a backtest. ID: its id, the beginning of it, or last (default).

    Every variant of a family counts: rules up to their numbers, over the same securities, ever run in this workspace.
    The same settings again are no new trial. A result says which variant it is, and is deflated by all of them.

    Return and risk. cagr_frac: (last / first) ** (365.25 / calendar days) - 1, as ffn; empyrical and quantstats count
    returns / 252 years (3.76 % for 600519 in 2020-2026, where it is 3.61 %). A year has 243 sessions on the mainland,
    247 in Hong Kong, 252 in New York. volatility_ann_frac: standard deviation (n - 1) x root of the sessions. sharpe:
    mean / standard deviation x root of the sessions, risk-free rate 0. sortino: mean / root of the mean squared loss
    over all days. max_drawdown: from the highest value, the start included; its days run from the peak to the
    recovery (quantstats: 1 to 7 fewer). calmar: cagr / maximum drawdown. var95_frac, cvar95_frac: 5 % quantile of the
    days and the mean at or below it, historical (quantstats: normal). ulcer_frac: root of the mean squared drawdown
    (quantstats divides by n - 1).

    Against a benchmark. beta and alpha_ann_frac: regression of daily returns on the days that both have, alpha
    compounded as in empyrical (quantstats multiplies by 252). information_ratio: mean / standard deviation of the
    difference x root of the sessions; empyrical and quantstats leave it per day.

    Trades. Round trips first in, first out, after all fees: win_rate_frac, profit_factor (profits / losses; that of
    quantstats is of days), expectancy (mean profit), payoff (mean profit / mean loss). turnover_ann: the smaller of
    purchases and sales / mean equity, a year. exposure_frac: mean of positions / equity.

    After a search. psr_frac: Phi(sr root(n - 1) / root(1 - skew sr + (kurt - 1) / 4 sr^2)), sr a day and kurtosis not
    in excess. dsr_frac: the same above the Sharpe that the best of all trials reaches by chance, root(variance of
    their Sharpes) x ((1 - g) z(1 - 1/N) + g z(1 - 1/(N e))), g = 0.5772. pbo_frac: CSCV with 8, 10 and 16 blocks.
    spa_p: Hansen's SPA, studentized, as arch. Intervals: stationary bootstrap, blocks of 20 days, 2,000 draws, seed 1.
    Below 20 returns there is no ratio; a figure that cannot be told is null, and reasons says why.
    """
    import os
    import sys

    from ia.faculties.lab.run_folders import find_run
    from ia.kernel.errors import NotFound, UsageError
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.backtest_views import measure_worth, print_backtest

    if table and as_json:
        raise UsageError("--table and --json cannot be combined; give one")
    ws = Workspace()
    found = find_run(ws, run_id)
    if table:
        try:
            with open(os.path.join(found.folder, f"{table}.csv"), encoding="utf-8") as file:
                sys.stdout.write(file.read())
        except FileNotFoundError:
            raise NotFound("run {id} has no table {name}", id=found.id, name=table) from None
    elif as_json:
        emit_json({"settings": found.settings, **found.figures, **measure_worth(ws, found)})
    elif found.settings.get("kind") == "agent":
        from ia.agent.backtests.run_groups import load_group
        from ia_cli.terminal.agent_views import print_agent_run

        group = load_group(found.folder)
        print_agent_run(found.id, found.figures, group)
    else:
        print_backtest(found, ws)


@backtest.command(
    cls=Command, example="ia backtest run 600519 --entry 'rsi(close, 14) < 30' --stop 8 && ia backtest diff last last"
)
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@json_option
def diff(one: str, other: str, as_json: bool) -> None:
    """Compare two backtests: settings, figures, and the first day on which their orders part.

    Of two runs of `ia backtest agent` also the first decisions that part, and the playbooks as a diff.

    Status 1 if they differ.
    """
    from ia.faculties.lab.run_differences import compare_runs
    from ia.faculties.lab.run_folders import find_run
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.backtest_views import print_differences

    ws = Workspace()
    runs = find_run(ws, one), find_run(ws, other)
    if all(run.settings.get("kind") == "agent" for run in runs):
        from ia.agent.backtests.agent_differences import compare_agents

        found = compare_agents(*runs)
    else:
        found = compare_runs(*runs)
    if as_json:
        emit_json(found)
    else:
        print_differences(found)
    differ = ("settings", "orders_part", "decisions_part", "playbook")
    click.get_current_context().exit(1 if any(found.get(name) for name in differ) else 0)


backtest.add_command(backtest_agent.agent)
backtest.add_command(backtest_sweep.report)
backtest.add_command(journal_command)
