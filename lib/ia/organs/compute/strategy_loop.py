"""A strategy inside the worker: its `on_bar(ctx)` is called day by day, with nothing of later days in reach.

The code and the bars come once; then the parent asks for stretches of days on which the account does not change. A
stretch ends on the day on which the strategy gives an order.
"""

from bisect import bisect_right
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

from ia.kernel.jsontypes import Json
from ia.organs.compute import namespaces
from ia.organs.compute.evaluate import build_frame, describe_error
from ia.organs.compute.facade import Space
from ia.organs.compute.worker_protocol import Told

MOST_ORDERS = 1_000
_SALE = frozenset({"value", "percent", "type", "price", "valid", "symbol"})
_ARGUMENTS = {"sell": _SALE, "buy": _SALE | {"stop", "target"}}
_PRICES = ("open", "high", "low", "close")


class _Loaded:
    """Bars of one security: raw columns, dates, and adjustment factors."""

    def __init__(self, rows: int, columns: bytes, factors: list[float]) -> None:
        frame = build_frame(rows, columns)
        self.dates = [each.strftime("%Y-%m-%d") for each in frame.index]
        self.columns = {name: frame[name].to_numpy().copy() for name in (*_PRICES, "volume")}
        self.factors = np.array(factors) if factors else None

    def until(self, count: int) -> Space:
        """Return the first bars, with prices adjusted so that the last of them is as traded; nothing can be written."""
        made: Json = {"date": self.dates[count - 1] if count else None, "count": count}
        scale = None
        if self.factors is not None and count and self.factors[0] != self.factors[count - 1]:
            scale = self.factors[:count] / self.factors[count - 1]
        for name, column in self.columns.items():
            part = column[:count] if scale is None or name == "volume" else column[:count] * scale
            part = part.view()
            part.flags.writeable = False
            made[name] = part
        return Space("ctx.bars", made, made)


class _Strategy:
    """What the worker keeps between two jobs."""

    def __init__(self) -> None:
        self.bars: dict[str, _Loaded] = {}
        self.on_bar: Callable[[Space], object] | None = None
        self.state: Json = {}

    def start(self, body: CodeType | None, last: CodeType | None) -> Json:
        names = namespaces.build_namespace(build_frame(0, b""), namespaces_of_coreutils())
        for name in ("df", *_PRICES, "volume", "date"):
            names.pop(name, None)
        if body is not None:
            exec(body, names)  # noqa: S102 - the policy has rewritten it, and this process is locked
        found = names.get("on_bar")
        if not callable(found):
            raise Told("the strategy has no function on_bar(ctx)")
        self.on_bar = found
        return {"started": True}

    def step(self, days: list[str], account: Json) -> Json:
        """Call the strategy for days in a row, up to the first on which it gives orders."""
        assert self.on_bar is not None
        orders: list[Json] = []
        for number, day in enumerate(days, 1):
            self.day = day
            self.on_bar(self._context(day, account, orders))
            if orders:
                return {"done": number, "orders": orders}
        return {"done": len(days), "orders": []}

    def _context(self, day: str, account: Json, orders: list[Json]) -> Space:
        counts = {name: bisect_right(each.dates, day) for name, each in self.bars.items()}
        positions = account["positions"]
        equity = account["cash"] + sum(
            quantity * self.bars[name].columns["close"][counts[name] - 1]
            for name, quantity in positions.items()
            if counts[name]
        )
        names = list(self.bars)

        def give(side: str, quantity: Any, given: Json) -> None:
            if len(orders) >= MOST_ORDERS:
                raise Told("more than {count} orders on one day", count=MOST_ORDERS)
            if unknown := given.keys() - _ARGUMENTS[side]:
                raise Told("an order has no argument {name}", name=min(unknown))
            symbol = given.pop("symbol", None) or names[0]
            if symbol not in self.bars:
                raise Told("{symbol} is not among the securities of the run", symbol=symbol)
            if (percent := given.pop("percent", None)) is not None:
                given["value"] = float(equity) * float(percent) / 100
            given["quantity"] = quantity
            plain = {key: _to_plain(value) for key, value in given.items() if value is not None}
            orders.append({"side": side, "symbol": symbol, **plain})

        def buy(quantity: Any = None, **given: Any) -> None:
            give("buy", quantity, given)

        def sell(quantity: Any = None, **given: Any) -> None:
            give("sell", quantity, given)

        def bars_of(symbol: str) -> Space:
            if symbol not in self.bars:
                raise Told("{symbol} is not among the securities of the run", symbol=symbol)
            return self.bars[symbol].until(counts[symbol])

        def position(symbol: str | None = None) -> float:
            held: float = positions.get(symbol or names[0], 0.0)
            return held

        told: Json = {"cash": account["cash"], "equity": float(equity), "positions": dict(positions),
                      "pending_orders": account["pending"]}  # fmt: skip
        made: Json = {
            "date": day, "symbol": names[0], "symbols": list(names),
            "bars": self.bars[names[0]].until(counts[names[0]]),
            "bars_of": bars_of, "account": Space("ctx.account", told, told), "position": position, "state": self.state,
            "buy": buy, "sell": sell,
        }  # fmt: skip
        return Space("ctx", made, made)


_running = _Strategy()


def answer_strategy_job(job: Json, columns: bytes, body: CodeType | None, last: CodeType | None) -> Json:
    """Take bars, start a strategy, or run it over days; {"error": …} with the day for what it raises."""
    global _running
    try:
        kind = job["strategy"]
        if kind == "bars":
            _running.bars[job["symbol"]] = _Loaded(job["rows"], columns, job["factors"])
            return {"loaded": True}
        if kind == "start":
            return _running.start(body, last)
        return _running.step(job["days"], job["account"])
    except BaseException as e:
        return {"error": describe_error(e), "day": getattr(_running, "day", "")}


def namespaces_of_coreutils() -> Json:
    """Return the coreutils; they are loaded before the process is locked."""
    from ia.organs.compute.coreutils import coreutil_namespace

    found: Json = coreutil_namespace()
    return found


def _to_plain(value: Any) -> Any:
    """Return a number of numpy as a Python number; only text and numbers leave the worker."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Told("an order takes numbers and texts only")
    return value
