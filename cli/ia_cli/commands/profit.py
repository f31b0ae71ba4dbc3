"""`ia profit`: what was gained and lost, security by security."""

from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import Row, emit_json, notify, tell_hint
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ia.organs.ledger.profit import ProfitRow as Profit
    from ia.organs.ledger.profit import ProfitTotal

COLUMNS = (
    "symbol",
    "name",
    "size",
    "cost",
    "current_price",
    "price_date",
    "pnl",
    "profit_rate",
    "realized",
    "unrealized",
    "dividends",
    "fees",
    "currency",
)
HEADS = {
    "symbol": "symbol", "name": "name", "size": "shares", "cost": "cost basis", "current_price": "last price",
    "price_date": "price date", "pnl": "gain", "profit_rate": "rate%", "realized": "realized",
    "unrealized": "unrealized", "dividends": "dividends", "fees": "fees",
}  # fmt: skip
"""What stands above a column on a terminal."""


@click.command(
    cls=Command, example="ia trade deposit 200000 --date 2024-01-02; ia profit --by month --benchmark 000300.SH"
)
@click.argument("symbol", required=False, metavar="[SYMBOL]")
@click.option(
    "--method", type=click.Choice(["average", "fifo"]), help="Cost basis of sales (default: setting ledger.method)."
)
@click.option("-s", "--session", metavar="ID", default="", help="Count only trades of this session.")
@click.option("--by", type=click.Choice(["month", "year"]), help="Show the return of each month or year.")
@click.option("--since", metavar="DATE", help="First day of returns (default: that of the first entry).")
@click.option("--until", metavar="DATE", help="Last day of returns (default: today).")
@click.option("--benchmark", metavar="SYMBOL", help="Compare returns with an index or security: 000300.SH, SPY.")
@click.option("--base", metavar="CODE", help="Currency of the total: CNY, HKD or USD (default: setting ledger.base).")
@click.option(
    "--stats",
    "--performance",
    "stats",
    is_flag=True,
    help="Show return, risk and closed trades of all days in figures, the same as those of `ia backtest`.",
)
@click.option("--income", is_flag=True, help="Show dividends received by year, and those announced.")
@click.option("--curve", is_flag=True, help="With --json, add the equity and the return of each day.")
@json_option
def profit(symbol: str | None, method: str | None, session: str, as_json: bool, **returns: Any) -> None:
    """Show profit by security; with --by, --since or --stats the return on your money.

    profit_rate is the profit in percent of the cost of all purchases ever made, fees included. For a single purchase
    that you still hold, it is (price - cost) / cost. Reinvested money counts again: 10,000 turned over ten times is
    100,000, and a gain of 1,000 on it is 1 %. It is not the return on deposited money: --by, --since and --stats show
    that. Dividends count before tax on the ex-dividend date. ia does not add up currencies: with several, the total is
    empty and each currency has its own.

    Returns. Time-weighted (twr): the returns of the days, linked; a day returns equity at its end / (equity at the end
    of the day before + deposits) - 1, withdrawals count as negative deposits. It does not depend on when money came
    in: compare it with an index. Money-weighted (mwr): the rate at which the dated deposits make the equity at the end
    (XIRR, actual/365); empty unless exactly one rate fits. Each currency has its own returns; with several, `total` is
    all of them in the base currency at each day's exchange rate.

    Dividends (--income) are before tax on the ex-dividend date; a tax that you entered counts as a negative one. Those
    that are announced and still to come have their ex-date, and an amount once the source tells it.

    Figures. A year has 243 sessions on the mainland, 247 in Hong Kong, 252 in New York; Sharpe is mean / standard
    deviation of daily returns x root of the sessions, Sortino divides by the root of the mean squared loss, Calmar is
    the return a year / maximum drawdown; the risk-free rate is 0. Below 20 returns there is no ratio, below a year no
    return a year. Alpha, beta: regression on the days that both have. Closed trades: first in, first out, after all
    fees, without dividends. A figure that ia cannot tell is empty; the note, or `reasons` in JSON, says why.
    """
    if returns.pop("income"):
        _show_income(returns, as_json, symbol or "")
        return
    if any(returns.values()):
        _show_returns(returns, as_json, symbol or "", session, method or "")
        return
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger import account_documents
    from ia.organs.ledger.profit import profit_rows, sum_by_currency
    from ia.wiring.ledger_prices import open_ledger
    from ia_cli.terminal.trade_view import gain_colors
    from ia_cli.terminal.wide_tables import emit_wide_rows

    desk = open_ledger(Workspace(), notify)
    meant = desk.resolve_symbol(symbol).canonical if symbol else ""
    books = desk.books(method=method, session=session)
    found = profit_rows(books, desk.load_prices(books), meant)
    sums = sum_by_currency(found)
    if as_json:
        emit_json(account_documents.profit_document(found, sums, books.method, session))
        return
    if not found:
        what = meant or session
        notify(Message("{what}: no trades", what=what) if what else Message("no trades yet"))
        if not what:
            tell_hint("record a purchase with `ia trade buy SYMBOL QUANTITY PRICE`")
    spare = ("size", "price_date", "current_price", "fees", "dividends", "cost")
    emit_wide_rows(
        _profit_rows(found, sums.values()),
        COLUMNS,
        HEADS,
        spare=spare,
        gains=("pnl", "realized", "unrealized"),
        colors=gain_colors(sums),
    )


def _show_returns(asked: dict[str, Any], as_json: bool, symbol: str, session: str, method: str) -> None:
    """Print the return of periods, or the figures of all days."""
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import SimulatedBesides, UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger.net_worth import base_currency
    from ia.organs.ledger.performance import PerformanceRequest, measure_performance
    from ia.wiring.ledger_prices import open_ledger
    from ia_cli.terminal import performance_view
    from ia_cli.terminal.text import say
    from ia_cli.terminal.trade_view import gain_colors
    from ia_cli.terminal.wide_tables import emit_wide_rows

    for name, given in (("SYMBOL", symbol), ("--session", session), ("--method", method)):
        if given:
            raise UsageError(
                "{name} does not work with returns, which are those of the whole account",
                name=name,
                hint="leave out {name}, or leave out --by, --since, --until, --stats, --benchmark and --base",
            )
    first, last = _parse_days(asked["since"], asked["until"])
    request = PerformanceRequest(
        first=first,
        last=last,
        by=asked["by"] or "",
        benchmark=resolve_security(asked["benchmark"]) if asked["benchmark"] else None,
        base=base_currency(asked["base"] or ""),
        figures=as_json or not asked["by"] or asked["stats"],
    )
    report = measure_performance(open_ledger(Workspace(), notify), request)
    if report.rates and any(each.simulated for each in report.rates):
        notify(SimulatedBesides("the exchange rates are simulated"))
    if as_json:
        from ia.organs.ledger.performance_documents import performance_document
        from ia.organs.ledger.performance_intervals import add_intervals

        document = performance_document(report, lambda each: say(each.template, **each.params), curve=asked["curve"])
        emit_json(add_intervals(document, report) if asked["stats"] else document)
        return
    performance_view.notify_unknown(report)
    if not report.currencies and not report.unknown:
        notify(Message("no trades yet"))
        tell_hint("record a deposit with `ia trade deposit AMOUNT`")
    view, colors = performance_view, gain_colors(report.currencies)
    if asked["by"]:
        spare = ("equity_before", "mwr_pct", "flows", "equity_after")
        gains = ("result", "twr_pct", "mwr_pct", "excess_pct")
        emit_wide_rows(
            view.period_rows(report), view.PERIOD_COLUMNS, view.PERIOD_HEADS, spare=spare, gains=gains, colors=colors
        )
    if not asked["by"] or asked["stats"]:
        emit_wide_rows(
            view.figure_rows(report), view.FIGURE_COLUMNS, view.FIGURE_HEADS, free={"figure": 24, "note": 23}
        )


INCOME_COLUMNS = (
    "state",
    "year",
    "ex_date",
    "symbol",
    "name",
    "payments",
    "shares",
    "cash_per_share",
    "amount",
    "currency",
    "value",
    "base",
)
INCOME_HEADS = {
    "state": "state", "year": "year", "ex_date": "ex-date", "symbol": "symbol", "name": "name", "payments": "payments",
    "shares": "shares", "cash_per_share": "per share", "amount": "amount", "currency": "currency", "value": "value",
    "base": "base",
}  # fmt: skip


def _show_income(asked: dict[str, Any], as_json: bool, symbol: str) -> None:
    """Print the dividends that were received and those that are announced."""
    import sys

    from ia.kernel.errors import SimulatedBesides
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger.income import income_document, measure_income
    from ia.organs.ledger.net_worth import base_currency
    from ia.wiring.ledger_prices import open_ledger
    from ia_cli.terminal.text import say
    from ia_cli.terminal.trade_view import format_table_number
    from ia_cli.terminal.wide_tables import emit_wide_rows

    desk = open_ledger(Workspace(), notify)
    first, last = _parse_days(asked["since"], asked["until"])
    meant = desk.resolve_symbol(symbol).canonical if symbol else ""
    found = measure_income(desk, base_currency(asked["base"] or ""), first, last, meant)
    if found.simulated:
        notify(SimulatedBesides("the dividends or exchange rates are simulated"))
    if as_json:
        emit_json(income_document(found, lambda each: say(each.template, **each.params)))
        return
    for missing in found.missing:
        notify(missing)
    if not found.rows:
        notify(Message("no dividends received"))
    person = sys.stdout.isatty()
    words = {name: tr(name) if person else name for name in ("received", "expected", "total")}
    rows: list[Row] = [
        {
            "state": words["received"],
            "year": each.year,
            "symbol": each.symbol,
            "name": each.name,
            "payments": each.payments,
            "amount": format_table_number(each.amount),
            "currency": each.currency,
            "value": format_table_number(each.value),
            "base": found.base,
        }
        for each in found.rows
    ]
    if found.rows:
        rows.append({"state": words["total"], "value": format_table_number(found.total), "base": found.base})
    for expected in found.expected:
        rows.append(
            {
                "state": words["expected"],
                "year": expected.date[:4],
                "ex_date": expected.date,
                "symbol": expected.symbol,
                "name": expected.name,
                "shares": format_table_number(expected.shares),
                "cash_per_share": format_table_number(expected.cash),
                "amount": format_table_number(expected.amount),
                "currency": expected.currency,
            }
        )
    emit_wide_rows(rows, INCOME_COLUMNS, INCOME_HEADS, spare=("base", "payments", "year"))


def _parse_days(since: str | None, until: str | None) -> tuple[str, str]:
    """Return the first and the last day, "" for what is not given. raises  UsageError for no dates, or in no order."""
    from datetime import date

    from ia.kernel import clock, dateforms
    from ia.kernel.errors import UsageError

    today = date.fromisoformat(clock.today())
    first = dateforms.parse_day(since, today, option="--since") if since else ""
    last = dateforms.parse_day(until, today, option="--until", last=True) if until else ""
    if first > str(today):
        raise UsageError("{option}: {date} is in the future", option="--since", date=first)
    if first and last and first > last:
        raise UsageError("--since {first} is after --until {last}", first=first, last=last)
    return first, last


def _profit_rows(found: "Iterable[Profit]", sums: "Iterable[ProfitTotal]") -> list[Row]:
    """Return the lines of the table: a security each, then a sum a currency."""
    import sys

    from ia_cli.terminal.trade_view import format_table_number

    def gain_columns(each: "Profit | ProfitTotal") -> Row:
        return {
            "pnl": format_table_number(each.profit, True),
            "profit_rate": format_table_number(each.rate),
            "realized": format_table_number(each.realized),
            "unrealized": format_table_number(each.unrealized),
            "dividends": format_table_number(each.dividends),
            "fees": format_table_number(each.fees),
            "currency": each.currency,
        }

    person = sys.stdout.isatty()
    lines = [
        {
            "symbol": each.symbol,
            "name": each.name,
            "size": format_table_number(each.quantity),
            "cost": format_table_number(each.cost),
            "price_date": each.price.date if each.price else "",
            "current_price": format_table_number(each.price.price if each.price else None, places=2),
            **gain_columns(each),
        }
        for each in found
    ]
    for total in sums:
        name = f"{tr('total')} {total.currency}" if person else "total"
        lines.append({"symbol": "", "name": name, **gain_columns(total)})
    return lines
