"""`ia trade check`: what the risk rules say of a trade before it is made."""

import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import click

from ia.kernel.errors import Message, Refused, Simulated, UsageError, notify_once
from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, emit_text, notify, record_run_failure, tell_hint
from ia_cli.terminal.text import lang, say, tr

if TYPE_CHECKING:
    from ia.organs.ledger.whatif import AllowedLoss

Side = Literal["buy", "sell"]
_SIDES: dict[str, Side] = {
    **dict.fromkeys(("buy", "买", "买入"), "buy"),
    **dict.fromkeys(("sell", "close", "卖", "卖出"), "sell"),
}
NOT_JUDGED = 1
_HEADS = {
    "price": "trade price",
    "size": "shares to buy",
    "risk": "risk at the stop",
    "risk_quantity": "shares by risk",
}
"""Rows whose name alone means something else in another table."""
BOUNDS = {
    "loss": mark_text("by the loss at the stop"),
    "position": mark_text("by the position limit"),
    "cash": mark_text("by cash"),
}
"""What sets the size of a purchase."""


@click.command(
    cls=Command,
    example="IA_LEDGER_CAPITAL='100000 CNY' IA_MARKET_ADAPTER=demo ia trade check 300750 500 82.54 || echo refused: $?",
)
@click.argument("words", metavar="[buy|sell] SYMBOL [QUANTITY] [PRICE]", nargs=-1, required=True)
@click.option("--risk", metavar="PERCENT", help="Size a purchase: what it may lose at the stop, in per cent of equity.")
@click.option("--stop", metavar="PRICE", help="Price at which you would sell again (default: by risk.stop_loss_pct).")
@click.option("--sell", "selling", is_flag=True, help="Check a sale. A negative QUANTITY is a sale, too.")
@json_option
@click.pass_context
def check(
    ctx: click.Context, words: tuple[str, ...], risk: str | None, stop: str | None, selling: bool, as_json: bool
) -> None:
    """Ask the risk rules about a trade before you make it. ia records nothing.

    PRICE is per share (default: the latest stored price). QUANTITY is a number of shares; without one, ia checks your
    usual purchase, or the sale of all that you may sell. ia prints the amount, the fees, the cash and the weight
    afterwards, and how many shares the rules allow. With --risk, size is the largest purchase that loses no more than
    that at the stop, and that the rules and your cash allow.

    Status 0 if the rules allow the trade, 77 if a rule forbids it, 1 if a rule could not be checked because a price or
    your cash is unknown.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger.whatif import suppose_trade
    from ia.wiring.ledger_prices import open_ledger

    side, symbol, quantity, price = _parse_words(words, selling)
    loss = _parse_loss(risk, stop, side)
    tell = notify_once(notify)
    desk = open_ledger(Workspace(), tell)
    found = suppose_trade(
        desk,
        symbol,
        action=side,
        quantity=_parse_count(desk, symbol, quantity),
        price=_parse_price(price),
        loss=loss,
        translate=lambda message: say(message.template, **message.params),
    )
    if as_json:
        emit_json(found)
    else:
        rows = _figures(found)
        if sys.stdout.isatty():
            rows = [(name if lang() == "en" else tr(_HEADS.get(name, name)), value) for name, value in rows]
        emit_text("".join(f"{name}\t{value}\n" for name, value in rows))
    if found["simulated"]:
        tell(Simulated("the prices are simulated"))
    _tell_verdict(found)
    if found["allowed"] is not True:
        ctx.exit(NOT_JUDGED if found["allowed"] is None else Refused.status)


def _parse_words(words: tuple[str, ...], selling: bool) -> tuple[Side, str, str | None, str | None]:
    """Return side, security, quantity and price."""
    side: Side = "sell" if selling else "buy"
    rest = list(words)
    if len(rest) > 1 and (named := _SIDES.get(rest[0].casefold())):
        if selling and named == "buy":
            raise UsageError("{word} and --sell contradict each other", word=rest[0])
        side, rest = named, rest[1:]
    if len(rest) > 3:
        raise UsageError("unexpected argument: {word}", word=rest[3], hint="ia trade check SYMBOL QUANTITY PRICE")
    quantity, price = rest[1] if len(rest) > 1 else None, rest[2] if len(rest) > 2 else None
    if quantity is not None and quantity.startswith("-"):
        side, quantity = "sell", quantity[1:]
    return side, rest[0], None if quantity in ("all", "全部") else quantity, price


def _parse_count(desk: Any, symbol: str, text: str | None) -> Decimal | None:
    from ia.organs.ledger import order

    return None if text is None else order.parse_shares(text, desk.resolve_symbol(symbol))


def _parse_price(text: str | None) -> Decimal | None:
    from ia.organs.ledger import order

    return None if text is None else order.parse_number(text, "the price")


def _parse_loss(risk: str | None, stop: str | None, side: Side) -> "AllowedLoss | None":
    """Return what a purchase may lose; None where nothing was asked."""
    from ia.organs.ledger import order
    from ia.organs.ledger.whatif import AllowedLoss

    if risk is None and stop is None:
        return None
    if risk is None:
        raise UsageError("--stop needs --risk", hint="ia trade check SYMBOL --risk 1 --stop PRICE")
    if side == "sell":
        raise UsageError("--risk sizes a purchase, not a sale")
    percent = order.parse_number(risk.rstrip("%％"), mark_text("the risk"))
    if not 0 < percent <= 100:
        raise UsageError("--risk is above 0 and at most 100 per cent of your equity")
    return AllowedLoss(percent, None if stop is None else order.parse_number(stop, mark_text("the stop")))


def _figures(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is known of the trade, as (name, value)."""

    def money(name: str) -> str:
        value = found.get(name)
        return say("unknown") if value is None else f"{value:.2f} {found['currency']}"

    def shares(name: str) -> str:
        value = found.get(name)
        return say("unknown") if value is None else f"{value:.10g}"

    verdict, action = {True: "allowed", False: "refused", None: "not judged"}[found["allowed"]], str(found["action"])
    if sys.stdout.isatty():
        verdict, action = tr(verdict), tr(action)
    what = f"{action} {shares('quantity')} {found['symbol']} {_name_of(found)}".rstrip()
    price = say("unknown") if found["price"] is None else f"{found['price']:.10g} {found['currency']}"
    if found["price"] is not None and not found["price_given"]:
        price += f" ({found['date']})"
    rows = [("verdict", verdict), ("trade", what), ("price", price)]
    if found["price"] is None:
        return rows
    rows += [(name, money(name)) for name in ("amount", "fees", "cash_after")]
    weight = found["weight_pct"]
    limit = f"{found['limits']['position_pct']:g}%"
    rows.append(
        (
            "weight_after",
            say("unknown") if weight is None else say("{weight:.2f}% (limit {limit})", weight=weight, limit=limit),
        )
    )
    rows.append(("allowed_quantity", shares("allowed_quantity")))
    if "risk_pct" in found:
        rows.append(("risk", say("{risk:g}% (stop {stop:.10g})", risk=found["risk_pct"], stop=found["stop"])))
        rows.append(("risk_quantity", shares("risk_quantity")))
        bound = "" if found["size"] is None else f" ({say(BOUNDS[found['size_by']])})"
        rows.append(("size", shares("size") + bound))
    return rows


def _name_of(found: dict[str, Any]) -> str:
    from ia.domain.instruments.symbols import security_name

    return security_name(str(found["symbol"]), found["name"], lang())


def _tell_verdict(found: dict[str, Any]) -> None:
    """Say on stderr what speaks against the trade, and what could not be checked: a line each."""
    messages = []
    for breach in found["breaches"]:
        if breach["refuses"]:
            messages.append(str(breach["message"]))
        elif not any(each["message"] == breach["message"] for each in found["unknown"]):
            notify(Message("{message}", message=breach["message"]))
    for message in messages:
        notify(Message("{message}", message=message))
    for each in found["unknown"]:
        notify(Message("{message}", message=each["message"]))
    if found["allowed"] is False:
        record_run_failure("; ".join(messages))
    if found["allowed"] is False and found["allowed_quantity"]:
        count = f"{found['allowed_quantity']:.10g}"
        if any(each["rule"] == "exchange.lot" for each in found["unknown"]):
            tell_hint("the rules allow {count} shares at that price; the board lot is unknown", count=count)
        else:
            tell_hint("the rules allow {count} shares at that price", count=count)
