"""`ia account`: cash, holdings and what they are worth."""

from typing import Any, NamedTuple

import click

from ia.kernel.errors import Message
from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import Row, emit_json, notify, tell_hint
from ia_cli.terminal.text import lang, say, tr

COLUMNS = (
    "symbol",
    "name",
    "size",
    "sellable",
    "avg_price",
    "current_price",
    "price_date",
    "value",
    "unrealized_pnl",
    "weight_pct",
    "currency",
)
HEADS = {
    "symbol": "symbol", "name": "name", "size": "shares", "sellable": "sellable", "avg_price": "avg cost",
    "current_price": "last price", "price_date": "price date", "value": "mkt value", "unrealized_pnl": "gain",
    "weight_pct": "weight%",
}  # fmt: skip
"""What stands above a column on a terminal."""
SHARE_HEADS = {"name": "name", "value": "value", "weight_pct": "weight%", "securities": "securities",
               "currency": "currency"}  # fmt: skip


@click.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia account")
@click.option(
    "--method", type=click.Choice(["average", "fifo"]), help="Cost basis of sales (default: setting ledger.method)."
)
@click.option(
    "--by",
    type=click.Choice(["security", "industry", "market", "currency"]),
    help="Show how everything you own is spread, in the base currency, cash included.",
)
@click.option("--stats", is_flag=True, help="Show value at risk, beta, and what each position adds to the risk.")
@click.option("--level", type=float, default=95.0, show_default=True, help="With --stats: level in percent.")
@click.option("--days", type=int, default=1, show_default=True, help="With --stats: horizon in sessions.")
@click.option("--benchmark", metavar="SYMBOL", help="With --stats: index of the beta (default: 000300.SH).")
@click.option("--base", metavar="CODE", help="Currency of the total: CNY, HKD or USD (default: setting ledger.base).")
@json_option
def account(
    method: str | None,
    by: str | None,
    stats: bool,
    level: float,
    days: int,
    benchmark: str | None,
    base: str | None,
    as_json: bool,
) -> None:
    """Show cash, holdings, profit and drawdown, as of now.

    ia shows the latest stored prices with their dates and contacts no source. Unknown values are empty. Cash and
    equity are known after a deposit (`ia trade deposit`) or with the setting ledger.capital. Each currency has its own
    figures. avg_price includes buying fees. max_drawdown is the largest drawdown of the daily equity, as a fraction
    (0.1 is 10 %). price_stale is the number of trading sessions since the price date; with an old price, today's
    result is unknown. lent is money in reverse repos and payments for new issues; it is part of the equity. Dividends
    count before tax on the ex-dividend date. At the sale ia shows the tax due; it counts once you enter it.

    `net worth` is the equity of all currencies in the base currency (setting ledger.base), at the last central parity
    of the yuan that `ia sync rates` stored; the rows above it show each rate with its date. If a rate is missing or
    older than 14 days, the total is empty and ia says which. Where you entered no deposit in a currency but one in
    another, what its entries come to counts as its cash: a purchase is a debt. max_drawdown links daily returns, as
    `ia profit` does.

    The weight is what the position limit looks at: percent of all currencies together, or of the position's own
    currency where a price, cash or rate is unknown. In JSON, limit_weight_pct is this figure, and weight_pct is always
    of the own currency.

    Risk (--stats) is what your positions of now would have gained or lost on each of the last 250 sessions of the
    index, with today's shares, prices and exchange rates, in the base currency. The value at risk is the loss that was
    exceeded on (100 - level) percent of these days, times the square root of --days; the shortfall is the mean of the
    days that lost more. beta is that of the positions taken together, beta_with_cash that of everything you own; part
    is the share of a position in the variance of all, negative if it offsets others. The past does not bound the
    future.
    """
    from ia.domain.instruments.symbols import security_name
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger import net_worth
    from ia.wiring.ledger_prices import open_ledger

    desk = open_ledger(Workspace(), notify)
    if stats:
        _show_risk(desk, RiskOptions(level, days, benchmark or "", base or ""), by or method, as_json)
        return
    found = desk.account(method=method, curve=as_json and not by)
    warnings = desk.account_warnings(found)
    for breach in warnings:
        notify(breach.message)
    worth = net_worth.load_net_worth(desk, found, base or "")
    net_worth.notify_rates(found, worth, notify)
    if as_json and not by:
        from ia.organs.ledger import account_documents
        from ia.organs.ledger.trade_proposals import pending_orders

        orders = pending_orders(desk.ws)
        emit_json(account_documents.account_document(found, method or desk.method, warnings, orders, _say, worth))
        return
    if not found.positions and not found.purses:
        notify(Message("the ledger has no entries"))
        tell_hint(
            "record a deposit with `ia trade deposit AMOUNT`, a purchase with `ia trade buy SYMBOL QUANTITY PRICE`"
        )
    if by:
        shares = net_worth.load_allocation(desk, found, worth, by)
        names = {each.symbol: security_name(each.symbol, each.name, lang()) for each in found.positions}
        _print_allocation(shares, by, worth, as_json, names)
        if any(each.name == net_worth.UNKNOWN for each in shares):
            tell_hint("no source told the industry of the rest, such as funds; `ia sync` asks for that of stocks")
    else:
        if found.positions and len(found.purses) > 1:
            whole = any(each.whole is not None for each in found.purses.values())
            notify(
                Message("weights are of all currencies together")
                if whole
                else Message("weights are of each currency's own account: the whole is unknown")
            )
        _print_table(found, worth)


def _say(message: Message) -> str:
    return say(message.template, **message.params)


class RiskOptions(NamedTuple):
    """What is asked for with --stats."""

    level: float
    days: int
    benchmark: str
    base: str


RISK_COLUMNS = ("figure", "symbol", "name", "value", "percent", "date", "currency")
RISK_HEADS = {"figure": "figure", "symbol": "symbol", "name": "name", "value": "value", "percent": "percent",
              "date": "date", "currency": "currency"}  # fmt: skip
RISK_LABELS = {
    "equity": mark_text("equity"), "invested": mark_text("invested"), "value_at_risk": mark_text("value at risk"),
    "shortfall": mark_text("shortfall"), "worst_day": mark_text("worst day"), "beta": mark_text("beta"),
    "beta_with_cash": mark_text("beta with cash"), "correlation": mark_text("correlation"),
    "swing_year": mark_text("swing a year"), "part": mark_text("part of the risk"),
}  # fmt: skip


def _show_risk(desk: Any, asked: RiskOptions, other: str | None, as_json: bool) -> None:
    """Print the risk of what is held now."""
    import sys

    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import UsageError
    from ia.organs.ledger.risk import INDEX, RiskRequest, measure_risk, risk_document
    from ia_cli.terminal.wide_tables import emit_wide_rows

    if other:
        raise UsageError("--stats does not go with --by or --method")
    index = resolve_security(asked.benchmark).canonical if asked.benchmark else INDEX
    found = measure_risk(desk, RiskRequest(asked.level, asked.days, index), asked.base)
    document = risk_document(found, _say)
    if as_json:
        emit_json(document)
        return
    for each in found.missing:
        notify(each)
    if found.missing:
        return
    rows = _risk_rows(document)
    if sys.stdout.isatty():
        for row in rows:
            row["figure"] = tr(RISK_LABELS[str(row["figure"])])
    emit_wide_rows(rows, RISK_COLUMNS, RISK_HEADS, spare=("name", "date"))


def _risk_rows(document: dict[str, Any]) -> list[Row]:
    """Return the figures of a risk, one a row."""
    from decimal import Decimal

    from ia_cli.terminal.trade_view import format_table_number

    def row(figure: str, value: float | None, part: float | None = None, **others: object) -> Row:
        given = {"figure": figure, "symbol": "", "name": "", "date": "", "currency": document["currency"], **others}
        places = 2 if given["currency"] else 4
        percent = None if part is None else Decimal(f"{part * 100:.2f}")
        exact = None if value is None else Decimal(f"{value:.{places}f}")
        return {
            **given,
            "value": format_table_number(exact, places=places),
            "percent": format_table_number(percent, places=2),
        }

    worst = document["worst_day"]
    found = [
        row("equity", document["equity"]),
        row("invested", document["invested"], document["invested_frac"]),
        row("value_at_risk", document["value_at_risk"], document["value_at_risk_frac"]),
        row("shortfall", document["shortfall"]),
        row("worst_day", worst["gain"], date=worst["date"]),
        row("swing_year", document["swing_year"], document["swing_year_frac"]),
        *(row(name, document[name], symbol=document["benchmark"], currency="")
          for name in ("beta", "beta_with_cash", "correlation")),
    ]  # fmt: skip
    return [
        *found,
        *(
            row("part", each["value"], each["part_frac"], symbol=each["symbol"], name=each["name"])
            for each in document["positions"]
        ),
    ]


def _print_allocation(shares: Any, by: str, worth: Any, as_json: bool, names: dict[str, str]) -> None:
    import sys

    from ia_cli.terminal.trade_view import format_table_number
    from ia_cli.terminal.wide_tables import emit_wide_rows

    if as_json:
        from ia.organs.ledger.account_documents import allocation_document

        emit_json(allocation_document(shares, by, worth, _say))
        return
    person = sys.stdout.isatty()
    rows = []
    for each in shares:
        name = tr(each.name) if each.name == "unknown" or (person and by == "market") else each.name
        if each.kind in ("cash", "lent"):
            name = f"{tr(each.kind) if person else each.kind} {each.name}"
        elif person and by == "security" and each.name in names:
            name = f"{name} {names[each.name]}".rstrip()
        rows.append(
            {
                "name": name if person else name.replace(tr("unknown"), "unknown"),
                "value": format_table_number(each.value),
                "weight_pct": format_table_number(each.weight_pct, places=2),
                "securities": each.securities or "",
                "currency": worth.base,
            }
        )
    total = {"name": tr("total") if person else "total", "value": format_table_number(worth.equity)}
    rows.append({**total, "weight_pct": "", "securities": "", "currency": worth.base})
    emit_wide_rows(rows, ("name", "value", "weight_pct", "securities", "currency"), SHARE_HEADS)


def _print_table(found: Any, worth: Any) -> None:
    import sys

    from ia_cli.terminal.trade_view import format_table_number, gain_colors
    from ia_cli.terminal.wide_tables import emit_wide_rows

    person = sys.stdout.isatty()
    rows = [
        {
            "symbol": each.symbol,
            "name": each.name,
            "size": format_table_number(each.quantity),
            "sellable": format_table_number(each.sellable),
            "avg_price": format_table_number(each.average, places=2),
            "current_price": format_table_number(each.price.price if each.price else None, places=2),
            "price_date": each.price.date if each.price else "",
            "value": format_table_number(each.value),
            "unrealized_pnl": format_table_number(each.unrealized, sign=True),
            "weight_pct": format_table_number(each.limit_weight),
            "currency": each.currency,
        }
        for each in found.positions
    ]
    for each in found.purses.values():
        sums = {"cash": (each.cash, ""), "lent": (each.lent or None, "")}
        sums["equity"] = (each.equity, format_table_number(each.total, sign=True))
        for name, (money, gain) in sums.items():
            if name == "lent" and money is None:
                continue
            rows.append(
                {
                    "symbol": "",
                    "name": f"{tr(name)} {each.currency}" if person else name,
                    "value": format_table_number(money),
                    "unrealized_pnl": gain,
                    "currency": each.currency,
                }
            )
    rows += _net_worth_rows(found, worth, person)
    emit_wide_rows(
        rows,
        COLUMNS,
        HEADS,
        spare=("price_date", "sellable", "weight_pct", "current_price", "avg_price"),
        gains=("unrealized_pnl",),
        colors=gain_colors(found.purses),
    )


def _net_worth_rows(found: Any, worth: Any, person: bool) -> list[Row]:
    """Return the rates and the total in the base currency; nothing where the base is the only currency."""
    from ia_cli.terminal.trade_view import format_table_number

    if not set(found.purses) - {worth.base}:
        return []
    rows: list[Row] = [
        {
            "symbol": "",
            "name": f"{each.currency}/{each.base}",
            "current_price": f"{each.rate:.6g}",
            "price_date": each.date,
            "currency": each.base,
        }
        for each in worth.rates
    ]
    name = f"{tr('net worth')} {worth.base}" if person else "net worth"
    rows.append({"symbol": "", "name": name, "value": format_table_number(worth.equity), "currency": worth.base})
    return rows
