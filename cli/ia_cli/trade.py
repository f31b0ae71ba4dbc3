"""`ia trade`: the journal of what was bought and sold."""

from typing import TYPE_CHECKING, Any

import click

from ia.errors import NotFound, UsageError
from ia_cli._group import Command, Group
from ia_cli._listed import listed
from ia_cli._options import json_option, rows_options
from ia_cli._out import emit_json, notify

if TYPE_CHECKING:
    from collections.abc import Callable

    from ia.ledger.journal import Entry


@click.group(
    cls=Group,
    example="ia trade deposit 1000000 --date 2024-01-02; ia trade buy 600519 100 1650 --date 2024-01-15; ia profit",
)
def trade() -> None:
    """Journal what was bought and sold. Nothing is ordered anywhere.

    The journal is only added to: `correct` and `void` are entries that name an earlier one. A buy is held to the rules
    of risk (`ia config list risk.`) and of the exchange (`ia trade rules`) before it is entered: status 77, and
    `--override --because WHY` enters it all the same, with who and why.
    """


def _when(command: "Callable[..., Any]") -> "Callable[..., Any]":
    return click.option(
        "--date",
        "--at",
        "when",
        metavar="TIME",
        help="When it was, in exchange time; now if not given. A day is its close.",
    )(command)


def _about(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for option in (
        click.option("--because", metavar="WHY", default="", help="The reason."),
        click.option("-s", "--session", default="", help="The session that it belongs to."),
        json_option,
    ):
        command = option(command)
    return command


def _costs(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for name in ("transfer", "stamp", "commission"):
        command = click.option(f"--{name}", metavar="MONEY", help="What was paid, in place of what the rules say.")(
            command
        )
    return command


def _trade_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    override = click.option("--override", is_flag=True, help="Enter it against the rules of risk; needs --because.")
    return _when(_costs(override(_about(command))))


@trade.command(cls=Command, example="ia trade buy 600519 100 --price 1650 --date 2024-01-15")
@click.argument("symbol", metavar="SYMBOL")
@click.argument("quantity", metavar="QUANTITY")
@click.argument("price", metavar="[PRICE]", required=False)
@click.option("--price", "price_", metavar="PRICE", help="Price of a share; the latest stored one if not given.")
@click.option("--subscribed", is_flag=True, help="A rights issue or a new issue: no fees, no guard.")
@_trade_options
def buy(symbol: str, quantity: str, price: str | None, price_: str | None, subscribed: bool, **options: Any) -> None:
    """Enter a purchase. Prints the entry with its fees."""
    _traded("subscribe" if subscribed else "buy", symbol, quantity, price or price_, **options)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade sell 600519 100 1700 --date 2024-01-22",
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("quantity", metavar="QUANTITY")
@click.argument("price", metavar="[PRICE]", required=False)
@click.option("--price", "price_", metavar="PRICE", help="Price of a share; the latest stored one if not given.")
@_trade_options
def sell(symbol: str, quantity: str, price: str | None, price_: str | None, **options: Any) -> None:
    """Enter a sale. More than was held is refused (77)."""
    _traded("sell", symbol, quantity, price or price_, **options)


def _traded(
    side: str, symbol: str, quantity: str | None, price: str | None, *, when: str | None, commission: str | None,
    stamp: str | None, transfer: str | None, override: bool, because: str, session: str, as_json: bool,
) -> None:  # fmt: skip
    from ia.ledger import order
    from ia.pipes import ledger
    from ia.workspace import Workspace

    if override and not because.strip():
        raise UsageError("--override needs a reason", hint="add --because WHY")
    desk = ledger(Workspace(), notify)
    meant = desk.meant(symbol)
    moment = order.moment_of(when, meant)
    given = {"commission": commission, "stamp": stamp, "transfer": transfer}
    fees = {name: order.number(text, f"--{name}", zero=True, places=2) for name, text in given.items() if text}
    count = desk.held(meant, moment) if quantity is None else order.shares(quantity, meant)
    paid = desk.latest(meant, moment) if price is None else order.number(price, "the price")
    wish = order.Order(side, meant, count, paid, moment, fees, because, session)
    done = desk.trade(wish, override=because if override else None)
    for breach in done.breaches:
        notify(breach.message)
    _tell([done.entry], as_json=as_json)


def _tell(entries: "list[Entry]", *, as_json: bool) -> None:
    from ia_cli._trade import document, line

    if as_json:
        found = [document(each) for each in entries]
        emit_json(found[0] if len(found) == 1 else found)
        return
    for each in entries:
        click.echo(line(each))


@trade.command("list", cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade list --json")
@click.argument("symbol", required=False, metavar="[SYMBOL]")
@click.option("-s", "--session", default="", help="Only those of this session.")
@click.option("--all", "everything", is_flag=True, help="Those that were corrected or voided too.")
@rows_options
@click.pass_context
def list_(
    ctx: click.Context, symbol: str | None, session: str, everything: bool, as_json: bool, as_jsonl: bool
) -> None:
    """List the entries, as they happened. Status 1 where there are none."""
    from ia.ledger import journal
    from ia.pipes import ledger
    from ia.workspace import Workspace
    from ia_cli._trade import document, written

    ws = Workspace()
    meant = ledger(ws).meant(symbol).canonical if symbol else ""
    rows = []
    for entry, by in journal.listed(ws.db, symbol=meant, session=session):
        if everything or (by is None and entry.kind != journal.VOID):
            row = {**document(entry), "replaced_by": by}
            if not (as_json or as_jsonl):
                row |= {
                    "price": written(entry.price), "quantity": written(entry.quantity), "fees": written(entry.fees),
                    "amount": written(entry.cash), "ratio": written(entry.ratio),
                }  # fmt: skip
                del row["time"]
            rows.append(row)
    columns = ("id", "date", "kind", "symbol", "name", "quantity", "price", "amount", "fees", "currency", "reason")
    listed(
        ctx, rows, (*columns, "replaced_by") if everything else columns,
        NotFound("the ledger is empty", hint="`ia trade buy SYMBOL QUANTITY PRICE` enters a purchase"),
        as_json=as_json, as_jsonl=as_jsonl,
    )  # fmt: skip
