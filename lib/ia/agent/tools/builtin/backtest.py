"""backtest.*: rules on past prices, what became of them, and which were best."""

from typing import Annotated, Literal

from ia.agent.tools.registry import READ, WRITE, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel.errors import UsageError
from ia.kernel.jsontypes import Json


@tool("backtest.run", WRITE, seconds=300)
def run_backtest(
    scope: Scope,
    entry: Annotated[str, "of compute.run, true where to buy: crossover(sma(close, 5), sma(close, 20))"],
    symbols: Annotated[list[str] | None, "codes or names"] = None,
    universe: Annotated[str, "instead of symbols: all, watch, held, an industry"] = "",
    where: Annotated[str, "only those of universe that meet this of market.screen on the day of since"] = "",
    exit: Annotated[str, "expression, true where to sell"] = "",
    since: Annotated[str, "first day: 2020-01-01, 3y"] = "",
    until: str = "",
    cash: Annotated[float, "at the start"] = 100000,
    size: Annotated[str, "of a position: 20%, 1000 shares, 50000 (money), equal"] = "",
    stop: Annotated[float | None, "per cent below the purchase"] = None,
    target: Annotated[float | None, "per cent above it"] = None,
    max_positions: Annotated[int | None, AtLeast(1)] = None,
    rank: Annotated[str, "expression: the largest is bought first"] = "",
    rebalance: Literal["", "daily", "weekly", "monthly"] = "",
    each: Annotated[bool, "test each security alone, with an account of its own"] = False,
) -> Json:
    """Test rules on past prices by the rules of the exchange, and save the run. Tell the result beside `compare` (buy
    and hold, equal weight, benchmark), and that the past proves nothing. `selection`: variant `place` of `trials`
    tried; dsr_frac: probability of a true Sharpe after all of them. With each: how results spread over securities.
    """
    from ia.faculties.lab.backtests import BacktestRequest, read_settings
    from ia.faculties.lab.backtests import run_backtest as run_it
    from ia.faculties.lab.selection_figures import measure_run

    if each and (rank or rebalance or max_positions):
        raise UsageError("rank, rebalance and max_positions do not work with each")
    universe = universe or ("all" if where else "")
    if bool(symbols) == bool(universe):
        raise UsageError("give either symbols or universe", hint='for example "symbols": ["600519"]')
    given = {
        "entry": entry, "exit": exit, "rank": rank, "since": since, "until": until, "cash": f"{cash:.2f}", "size": size,
        "stop": stop, "target": target, "max_positions": max_positions, "rebalance": rebalance,
    }  # fmt: skip
    request = BacktestRequest(
        settings=read_settings(given, one=each or len(symbols or ()) == 1),
        symbols=tuple(symbols or ()),
        universe=universe,
        where=where,
    )
    if each:
        from ia.faculties.lab.each_runs import run_each_backtest

        saved = run_each_backtest(scope.ws, request, notify=scope.notify)
        return {"settings": saved.settings, **saved.figures}
    found = run_it(scope.ws, request, notify=scope.notify)
    assert found.saved is not None
    return {"settings": found.settings, **found.saved.figures, "selection": measure_run(scope.ws, found.saved)}


@tool("backtest.show", READ)
def show_backtest(
    scope: Scope,
    id: Annotated[str, "of a run, or last"] = "last",
    orders: Annotated[int, "newest orders to show", AtLeast(0)] = 0,
) -> Json:
    """Show a saved backtest: settings, figures, which variant of how many it is, and how many runs there are."""
    from ia.faculties.lab.run_folders import find_run, list_runs, read_orders
    from ia.faculties.lab.selection_figures import measure_run

    found = find_run(scope.ws, id)
    document: Json = {"settings": found.settings, **found.figures, "runs": len(list_runs(scope.ws))}
    if found.settings.get("kind") == "rules":
        document["selection"] = measure_run(scope.ws, found)
    if orders:
        document["newest_orders"] = read_orders(found)[-min(orders, 100) :]
    return document


@tool("backtest.list", READ)
def list_backtests(scope: Scope, limit: Annotated[int, "how many", AtLeast(1)] = 20) -> Json:
    """List the saved backtests, best first by dsr_frac: the probability that the true Sharpe ratio is above chance,
    after all `trials` of the same rules. null cannot be told and comes last. Say by which figure one is best.
    """
    from ia.faculties.lab.selection_figures import rank_runs

    found = rank_runs(scope.ws)
    return {"runs": len(found), "best_by": "dsr_frac", "rows": found[: min(limit, 100)]}
