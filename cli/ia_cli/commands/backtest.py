"""`ia backtest`: what orders and rules would have come to on past prices."""

import click

from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.output import emit_json


@click.group(cls=CommandGroup, example="ia backtest orders --help")
def backtest() -> None:
    """Run orders on past prices, by the rules of the exchange.

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
    from ia_cli.terminal.input import open_input

    stream, source = open_input(file)
    with stream:
        try:
            document = json.load(stream)
        except (ValueError, RecursionError) as exc:
            raise BadData("{source}: not valid JSON: {reason}", source=source, reason=str(exc)) from None
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
