"""A strategy in a locked process of its own: started once, then asked stretch by stretch what it orders."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from ia.kernel.errors import BadData, IaError, Message, Notify, Refused, drop_message
from ia.kernel.jsontypes import Json
from ia.organs.compute.policy import Program, compile_source
from ia.organs.compute.sandbox import (
    admit_code,
    convert_worker_error,
    pack_columns,
    start_sandbox_worker,
)
from ia.organs.ohlcv.canonical import Bars

_TEXTS = {"side": str, "symbol": str, "type": str, "valid": str}
_NUMBERS = ("quantity", "value", "price", "stop", "target")


def compile_strategy(source: str, origin: str) -> Program:
    """Return the code of a strategy file; raises BadData (it has no code, or does not parse) or Refused (policy)."""
    if all(not line.strip() or line.lstrip().startswith("#") for line in source.splitlines()):
        why = Message("the strategy has no function on_bar(ctx)")
        raise BadData("{source}:{line}: {why}", source=origin, line=1, why=why)
    return compile_source(source, origin)


class StrategyStep(NamedTuple):
    """How many days were done, and what was ordered after the last of them."""

    done: int
    orders: list[Json]


class StrategyProcess:
    """A context manager, so that no process stays. `origin` names the file in messages."""

    def __init__(self, source: str, origin: str) -> None:
        """Compile the source; raises BadData (does not parse) or Refused (policy)."""
        self.origin = origin
        self.program = compile_strategy(source, origin)
        self._days: list[str] = []
        self._worker: Any = start_sandbox_worker(source)

    def __enter__(self) -> "StrategyProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.end()

    def start(
        self, bars: Sequence[tuple[str, Bars, list[float]]], days: Sequence[str], *, timeout: float, isolation: str,
        notify: Notify = drop_message,
    ) -> None:  # fmt: skip
        """Hand over bars (symbol, raw bars, adjustment factors), the days of the run, and code.

        Raises:
            BadData: the code raises, or has no on_bar.
            Refused: the policy or the sandbox refuses it.
            TimedOut: it takes too long.
        """
        admit_code(self._worker.read_layers(), trusted=False, isolation=isolation, notify=notify)
        for symbol, each, factors in bars:
            job = {"strategy": "bars", "symbol": symbol, "rows": len(each.date), "factors": factors}
            self._ask(job, b"", pack_columns(each), timeout)
        self._days = list(days)
        self._ask({"strategy": "start", "days": self._days}, self.program.code, b"", timeout)

    def run_days(self, begin: int, end: int, account: Json, timeout: float) -> StrategyStep:
        """Let the strategy see the days from one place up to another, up to the first on which it orders.

        Raises as `start`.
        """
        job: Json = {"strategy": "step", "begin": begin, "end": end, "account": account}
        reply = self._ask(job, b"", b"", timeout)
        done, orders = reply.get("done"), reply.get("orders")
        if not isinstance(done, int) or not 0 < done <= end - begin or not isinstance(orders, list):
            raise Refused("the sandbox returned a malformed result")
        return StrategyStep(done, [_check_order(order, self.origin, self._days[begin + done - 1]) for order in orders])

    def _ask(self, job: Json, code: bytes, columns: bytes, timeout: float) -> Json:
        reply: Json = self._worker.run_strategy_job(json.dumps(job).encode(), code, columns, timeout)
        if "error" not in reply:
            return reply
        failure = convert_worker_error(reply["error"], self.program.assigned, self.origin)
        if failure.params.get("name") == "print":
            failure.hint = "a strategy prints nothing; what it orders stands in orders.csv"
        day = reply.get("day")
        if not (isinstance(day, str) and day.isascii() and len(day) == 10):
            raise failure
        raise _name_day(failure, day)


def _name_day(failure: IaError, day: str) -> IaError:
    kind = Refused if isinstance(failure, Refused) else BadData
    return kind("{problem} (on {day})", problem=failure, day=day, hint=failure.hint)


def _check_order(order: object, origin: str, day: str) -> Json:
    """Check an order against the one form that it may have; the process that sent it has run foreign code."""
    if not isinstance(order, dict):
        raise Refused("the sandbox returned a malformed result")
    for key, value in order.items():
        if key in _TEXTS:
            ok = isinstance(value, str)
        else:
            ok = key in _NUMBERS and isinstance(value, int | float) and not isinstance(value, bool)
        if not ok:
            raise BadData("{source}: an order on {day} has a wrong {key}", source=origin, day=day, key=str(key)[:40])
    return order
