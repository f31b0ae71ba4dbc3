"""indicator.*: technical indicators by name."""

from typing import Annotated, Any

from ia.agent.tools.builtin.market import bars_of, describe_window
from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json


@tool("indicator.list", READ)
def list_indicators(
    _scope: Scope, category: Annotated[str, "trend, momentum, volatility, statistics or volume"] = ""
) -> Any:
    """List the technical indicators with their category and parameters."""
    from ia.organs.compute.indicators import REGISTRY

    return [
        {"name": entry.name, "category": entry.category, "params": [p.name for p in entry.params]}
        for entry in REGISTRY.values()
        if not category or entry.category == category.lower()
    ]


@tool("indicator.describe", READ)
def describe_indicator(_scope: Scope, name: Annotated[str, "RSI, MACD, BollingerBands …"]) -> Any:
    """Describe an indicator: parameters with default and range, inputs and results."""
    from ia.organs.compute.indicators import find_indicator

    return find_indicator(name).describe()


@tool("indicator.calc", READ)
def calculate_indicator(
    scope: Scope,
    name: Annotated[str, "RSI, MACD, BollingerBands …"],
    symbol: Annotated[str | None, "default: the bars of the last market.ohlcv"] = None,
    params: Annotated[Json | None, 'by name: {"period": 14}'] = None,
) -> Json:
    """Calculate an indicator: its newest and its previous value."""
    from ia.organs.compute.indicators import calculate_indicator as calculate
    from ia.organs.compute.indicators import find_indicator, parse_settings

    parse_settings(find_indicator(name), params or {})
    market = bars_of(scope, symbol)
    warned: list[str] = []

    def notify(message: Message) -> None:
        warned.append(str(message))

    told = {**describe_window(market), **calculate(name, market.bars, params or {}, notify)}
    if market.simulated:
        told["simulated"] = True
    return {**told, "warnings": warned} if warned else told
