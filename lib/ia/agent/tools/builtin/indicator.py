"""indicator.*: technical indicators by name."""

from typing import Annotated, Any

from ia.agent.tools.builtin.market import bars_of, window
from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.errors import Message


@tool("indicator.list", READ)
def list_(_scope: Scope, category: Annotated[str, "trend, momentum, volatility, statistics or volume"] = "") -> Any:
    """List the technical indicators with their category and parameters."""
    from ia.organs.compute.indicators import REGISTRY

    return [
        {"name": entry.name, "category": entry.category, "params": [p.name for p in entry.params]}
        for entry in REGISTRY.values()
        if not category or entry.category == category.lower()
    ]


@tool("indicator.describe", READ)
def describe(_scope: Scope, name: Annotated[str, "RSI, MACD, BollingerBands …"]) -> Any:
    """Describe an indicator: parameters with default and range, inputs and results."""
    from ia.organs.compute.indicators import find

    return find(name).describe()


@tool("indicator.calc", READ)
def calc(
    scope: Scope,
    name: Annotated[str, "RSI, MACD, BollingerBands …"],
    symbol: Annotated[str | None, "default: the bars of the last market.ohlcv"] = None,
    params: Annotated[dict[str, Any] | None, 'by name: {"period": 14}'] = None,
) -> dict[str, Any]:
    """Calculate an indicator: its newest and its previous value."""
    from ia.organs.compute.indicators import calc as calculate
    from ia.organs.compute.indicators import find, settings

    settings(find(name), params or {})
    market = bars_of(scope, symbol)
    warned: list[str] = []

    def notify(message: Message) -> None:
        warned.append(str(message))

    told = {**window(market), **calculate(name, market.bars, params or {}, notify)}
    if market.simulated:
        told["simulated"] = True
    return {**told, "warnings": warned} if warned else told
