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
) -> Json:
    """Check a supposed trade against the user's risk rules, before advising on a security: position limit, rise of the
    day, loss of the day, cooling, cash, lots, price limits. Returns allowed (null: could not be judged, see unknown),
    breaches (rule, value, limit; refuses: it must not be advised), the quantity that would be allowed, fees, cash
    after, what is held of it, and warnings for the account. Nothing is traded or written.
    """
    from ia.kernel.i18n import Voice
    from ia.organs.ledger.whatif import suppose_trade
    from ia.wiring.ledger_prices import open_ledger

    desk, say = open_ledger(scope.ws, scope.notify), Voice(scope.lang).say
    return suppose_trade(desk, symbol, action=action, quantity=quantity, price=price, translate=say)
