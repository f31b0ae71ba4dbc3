"""compute.*: the calculator. Code of a model runs in the sandbox, on the bars that were looked at last."""

from typing import Annotated

from ia.agent.tools.builtin.market import bars_of, describe_window
from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel import audit, config
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json

MAX_SERIES = 60


@tool("compute.run", READ, seconds=120)
def evaluate_code(
    scope: Scope,
    code: Annotated[str, "Python: one expression, or lines whose last expression (or `result`) is the value"],
    symbol: Annotated[str | None, "default: the bars of the last market.ohlcv"] = None,
    series: Annotated[bool, "return the newest values, not only the last"] = False,
) -> Json:
    """Evaluate Python over the bars, in a sandbox. In reach: df (index: date) open high low close volume date pd np ta
    math and sma ema rsi macd bbands atr crossover crossunder highest lowest change zscore latest prev …; no files, no
    network.
    """
    from ia.organs.compute import render
    from ia.organs.compute.calculate import calculate_expression

    market = bars_of(scope, symbol)
    warned: list[str] = []

    def notify(message: Message) -> None:
        from ia.organs.compute.sandbox import RunsUnlocked

        warned.append(str(message))
        if isinstance(message, RunsUnlocked):
            audit.record(scope.ws.db, "compute.unlocked", "tool", scope.actor, source=code[:2000])

    result = calculate_expression(
        code,
        lambda: market.bars,
        trusted=False,
        timeout=float(config.get_setting("compute.timeout")),
        isolation=str(config.get_setting("compute.isolation")),
        notify=notify,
    )
    told = {**describe_window(market), **render.result_document(result)}
    if series and result.type in ("series", "frame"):
        lines = render.render_all(result).splitlines()
        told["series"] = [lines[0], *lines[1:][-MAX_SERIES:]]
    if market.simulated:
        told["simulated"] = True
    return {**told, "warnings": warned} if warned else told
