"""`ia backtest journal`: the journal's own trades through the engine."""

from typing import TYPE_CHECKING

import click

from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import Row, emit_json, notify
from ia_cli.terminal.wide_tables import emit_wide_rows

if TYPE_CHECKING:
    from ia.faculties.lab.journal_runs import JournalRun, SideFigures

FIGURE_COLUMNS = ("currency", "figure", "journal", "engine", "difference")
TRADE_COLUMNS = (
    "date", "symbol", "side", "quantity", "price", "engine_price", "difference_pct", "status", "reason",
)  # fmt: skip
FIGURE_HEADS = {
    "currency": "currency", "figure": "figure", "journal": "journal", "engine": "backtest engine",
    "difference": "difference",
}  # fmt: skip
TRADE_HEADS = {
    "date": "date", "symbol": "symbol", "side": "side", "quantity": "shares", "price": "your price",
    "engine_price": "engine price", "difference_pct": "diff%", "status": "state", "reason": "reason",
}  # fmt: skip
LABELS = {
    "filled": mark_text("trades filled"), "bought": mark_text("bought, with fees"),
    "sold": mark_text("sold, less fees"), "fees": mark_text("fees"), "dividends": mark_text("dividends"),
    "value": mark_text("value of what is held"), "profit": mark_text("profit"),
    "closed": mark_text("closed trades"), "win_rate_pct": mark_text("trades with a profit, %"),
    "profit_factor": mark_text("profit factor"), "expectancy": mark_text("mean profit of a trade"),
    "payoff": mark_text("mean profit over mean loss"), "holding_days": mark_text("mean days held"),
}  # fmt: skip


@click.command(
    "journal",
    cls=Command,
    example="ia trade deposit 100000 --date 2024-01-02; ia trade buy 600036 100 30 --date 2024-02-01;"
    " ia backtest journal",
)
@click.option("--trades", is_flag=True, help="Show each trade: your price, the engine's, and why it was not filled.")
@json_option
def journal_command(trades: bool, as_json: bool) -> None:
    """Run the trades of your journal through the backtest engine; show both results side by side.

    Each trade is a market order for its day: the engine fills it at the open by the rules of the exchange (lots, T+1,
    price limits, a suspension) with the fees of `ia.rules` and your commission. The difference is what a backtest of
    your decisions would have had. Money never binds. Closed trades: first in, first out, after all fees, without
    dividends. Status 66 without a trade or a price.
    """
    from ia.faculties.lab.journal_runs import journal_document, run_journal
    from ia.kernel.errors import Simulated
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.text import say

    runs = run_journal(Workspace(), notify)
    if any(run.simulated for run in runs):
        notify(Simulated("the prices are simulated"))
    if as_json:
        emit_json([journal_document(run, lambda each: say(each.template, **each.params)) for run in runs])
    elif trades:
        rows = [row for run in runs for row in _trade_rows(run)]
        emit_wide_rows(rows, TRADE_COLUMNS, TRADE_HEADS, free={"reason": 12})
    else:
        rows = [row for run in runs for row in _figure_rows(run)]
        emit_wide_rows(rows, FIGURE_COLUMNS, FIGURE_HEADS, free={"figure": 12})


def _trade_rows(run: "JournalRun") -> list[Row]:
    import sys

    from ia_cli.terminal.backtest_views import REASONS
    from ia_cli.terminal.text import tr

    person = sys.stdout.isatty()
    return [
        {
            "date": each.date,
            "symbol": each.symbol,
            "side": tr(each.side) if person else each.side,
            "quantity": f"{each.quantity.normalize():f}",
            "price": f"{each.price.normalize():f}",
            "engine_price": "" if each.engine_price is None else f"{each.engine_price.normalize():f}",
            "difference_pct": "" if each.difference_pct is None else f"{each.difference_pct:+.2f}",
            "status": tr(each.status) if person else each.status,
            "reason": tr(REASONS.get(each.reason, each.reason)) if person else each.reason,
        }
        for each in run.trades
    ]


def _figure_rows(run: "JournalRun") -> list[Row]:
    import sys

    from ia_cli.terminal.text import tr

    own, engine = _read_figures(run.own), _read_figures(run.engine)
    rows: list[Row] = []
    for name in LABELS:
        one, other = own[name], engine[name]
        whole = name in ("filled", "closed")
        rows.append(
            {
                "currency": run.currency,
                "figure": tr(LABELS[name]) if sys.stdout.isatty() else name,
                "journal": _number(one, whole),
                "engine": _number(other, whole),
                "difference": "" if one is None or other is None else _number(other - one, whole),
            }
        )
    return rows


def _read_figures(side: "SideFigures") -> dict[str, float | None]:
    trades = side.trades
    rate = trades.win_rate.value
    return {
        "filled": side.filled,
        "bought": side.bought,
        "sold": side.sold,
        "fees": side.fees,
        "dividends": side.dividends,
        "value": side.value,
        "profit": side.profit,
        "closed": trades.trades,
        "win_rate_pct": None if rate is None else rate * 100,
        "profit_factor": trades.profit_factor.value,
        "expectancy": trades.expectancy.value,
        "payoff": trades.payoff.value,
        "holding_days": trades.holding_days.value,
    }


def _number(value: float | None, whole: bool) -> str:
    import sys

    group = "," if sys.stdout.isatty() else ""
    return "" if value is None else f"{value:{group}.0f}" if whole else f"{value + 0.0:{group}.2f}"
