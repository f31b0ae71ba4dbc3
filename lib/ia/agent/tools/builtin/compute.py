"""compute.*: the calculator. Code of a model runs in the sandbox, on the bars that were looked at last."""

from typing import Annotated, Any

from ia.agent.tools.builtin.market import bars_of, window
from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel import audit, config
from ia.kernel.errors import Message

MAX_SERIES = 60


@tool("compute.run", READ, seconds=120)
def run(
    scope: Scope,
    code: Annotated[str, "Python: one expression, or lines whose last expression (or `result`) is the value"],
    symbol: Annotated[str | None, "default: the bars of the last market.ohlcv"] = None,
    series: Annotated[bool, "return the newest values, not only the last"] = False,
) -> dict[str, Any]:
    """Evaluate Python over the bars, in a sandbox. In reach: df open high low close volume date pd np ta math and
    sma ema rsi macd bbands atr crossover crossunder highest lowest change zscore latest prev …; no files, no network.
    """
    from ia.organs.compute import show
    from ia.organs.compute.calculate import calculate

    market = bars_of(scope, symbol)
    warned: list[str] = []

    def notify(message: Message) -> None:
        from ia.organs.compute.host import RunsUnlocked

        warned.append(str(message))
        if isinstance(message, RunsUnlocked):
            audit.record(scope.ws.db, "compute.unlocked", "tool", scope.actor, source=code[:2000])

    result = calculate(
        code, lambda: market.bars, trusted=False, timeout=float(config.get("compute.timeout")),
        isolation=str(config.get("compute.isolation")), notify=notify,
    )  # fmt: skip
    told = {**window(market), **show.document(result)}
    if series and result.type in ("series", "frame"):
        lines = show.everything(result).splitlines()
        told["series"] = [lines[0], *lines[1:][-MAX_SERIES:]]
    if market.simulated:
        told["simulated"] = True
    return {**told, "warnings": warned} if warned else told
