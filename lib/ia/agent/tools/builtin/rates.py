"""market.rate: what one currency is in another, by the stored rates."""

from typing import Annotated

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json


@tool("market.rate", READ, together=True)
def show_rate(
    scope: Scope,
    currency: Annotated[str, "USD, HKD, CNY"],
    base: Annotated[str, "so much of it for one unit"] = "CNY",
    date: Annotated[str | None, "2024-03-15; default: today"] = None,
) -> Json:
    """Show the stored exchange rate of a day, the newest one before it where the day has none: tell `date` and `source`
    with it. `simulated` true: the rate is invented, say so.
    """
    from ia.organs.ledger.performance_documents import rate_document
    from ia.wiring.exchange_rates import find_stored_rate

    return rate_document(find_stored_rate(scope.ws, currency, base, date, scope.notify))
