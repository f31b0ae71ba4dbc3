"""risk.*: what stands against a trade before anybody advises it."""

from typing import Annotated, Literal

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json


@tool("risk.check", READ, together=True)
def check_trade(
    scope: Scope,
    symbol: Annotated[str, "code or name: 600519, 宁德时代"],
    quantity: Annotated[int | None, "shares; default: a usual buy, or all that may be sold", AtLeast(1)] = None,
    price: Annotated[float | None, "default: the latest stored"] = None,
    action: Literal["buy", "sell"] = "buy",
    risk_pct: Annotated[float | None, "to size a buy: what it may lose at the stop, per cent of equity"] = None,
    stop: Annotated[float | None, "price of the stop; default: by the user's stop-loss rule"] = None,
) -> Json:
    """Check a supposed trade against the user's risk rules, before advising on a security. Returns allowed (null: not
    judged, see unknown), breaches (rule, value, limit; refuses: do not advise it), the allowed quantity, fees, cash
    after, what is held, and warnings. With risk_pct also `size`, the most shares that loss, rules and cash allow,
    and what binds (size_by). Nothing is written.
    """
    from ia.kernel.errors import UsageError
    from ia.kernel.i18n import Voice
    from ia.organs.ledger.order import to_decimal
    from ia.organs.ledger.whatif import AllowedLoss, suppose_trade
    from ia.wiring.ledger_prices import open_ledger

    desk, say = open_ledger(scope.ws, scope.notify), Voice(scope.lang).say
    loss = None
    if risk_pct is not None:
        if action == "sell" or not 0 < risk_pct <= 100:
            raise UsageError("risk_pct sizes a buy: above 0 and at most 100")
        loss = AllowedLoss(to_decimal(risk_pct), None if stop is None else to_decimal(stop))
    return suppose_trade(desk, symbol, action=action, quantity=quantity, price=price, loss=loss, translate=say)
