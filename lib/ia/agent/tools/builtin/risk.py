"""risk.*: what stands against a buy before anybody advises it."""

from typing import Annotated

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json


@tool("risk.check", READ, together=True)
def check_buy(
    scope: Scope,
    symbol: Annotated[str, "code or name: 600519, 宁德时代"],
    quantity: Annotated[int | None, "shares; default: as many as the user usually buys", AtLeast(1)] = None,
    price: Annotated[float | None, "default: the latest stored"] = None,
) -> Json:
    """Check a supposed buy against the user's risk rules, before advising on a security: position limit, rise of the
    day, loss of the day, cooling, price limits. Returns breaches (rule, value, limit; refuses: it must not be advised),
    what is held of it, and warnings for the account. Nothing is bought or written.
    """
    from ia.kernel.i18n import Voice
    from ia.organs.ledger.whatif import suppose_buy
    from ia.wiring.ledger_prices import open_ledger

    desk = open_ledger(scope.ws, scope.notify)
    return suppose_buy(desk, symbol, quantity=quantity, price=price, translate=Voice(scope.lang).say)
