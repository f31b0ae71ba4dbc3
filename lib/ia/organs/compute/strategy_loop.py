"""A strategy inside the worker: its `on_bar(ctx)` is called day by day, with nothing of later days in reach.

The code and the bars come once; then the parent asks for stretches of days on which the account does not change. A
stretch ends on the day on which the strategy gives an order.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import partial
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


_BARS = frozenset({"date", "count", *_PRICES, "volume"})
_CONTEXT = frozenset({"date", "symbol", "symbols", "bars", "bars_of", "account", "position", "state", "buy", "sell"})


class _Lazy(dict[str, Any]):
    """The names of a namespace; those that are missing are made when they are asked for."""

    __slots__ = ("make",)

    def __init__(self, given: Json, make: Callable[[str], Any]) -> None:
        super().__init__(given)
        self.make = make

    def __missing__(self, name: str) -> Any:
        found = self[name] = self.make(name)
        return found


class _Loaded:
    """Bars of one security: raw columns, dates, and adjustment factors."""

    def __init__(self, rows: int, columns: bytes, factors: list[float]) -> None:
        frame = build_frame(rows, columns)
        self.dates = [each.strftime("%Y-%m-%d") for each in frame.index]
        self.columns = {name: frame[name].to_numpy().copy() for name in (*_PRICES, "volume")}
        for column in self.columns.values():
            column.flags.writeable = False  # nor can a part of it be written then
        self.factors = np.array(factors) if factors else None

    def until(self, count: int) -> Space:
        """Return the first bars, with prices adjusted so that the last of them is as traded; nothing can be written."""

        def make(name: str) -> Any:
            if name not in self.columns:
                raise KeyError(name)
            part = self.columns[name][:count]
            factors = self.factors
            if factors is None or name == "volume" or not count or factors[0] == factors[count - 1]:
                return part
            part = part * (factors[:count] / factors[count - 1])
            part.flags.writeable = False
            return part

        given = {"date": self.dates[count - 1] if count else None, "count": count}
        return Space("ctx.bars", _Lazy(given, make), _BARS, _BARS)


class _Strategy:
    """What the worker keeps between two jobs.

    days, counts   the days of the run; of each security how many of its bars are known on each day
    """

    def __init__(self) -> None:
        self.bars: dict[str, _Loaded] = {}
        self.on_bar: Callable[[Space], object] | None = None
        self.state: Json = {}
        self.days: list[str] = []
        self.counts: dict[str, list[int]] = {}
        self.orders: list[Json] = []
        self.account: Json = {}
        self.place = 0

    @property
    def day(self) -> str:
        """The day that is going on."""
        return self.days[self.place] if self.days else ""

    def start(self, body: CodeType | None, last: CodeType | None, days: list[str]) -> Json:
        names = namespaces.build_namespace(build_frame(0, b""), namespaces_of_coreutils())
        for name in ("df", *_PRICES, "volume", "date"):
            names.pop(name, None)
        if body is not None:
            exec(body, names)  # noqa: S102 - the policy has rewritten it, and this process is locked
        found = names.get("on_bar")
        if not callable(found):
            raise Told("the strategy has no function on_bar(ctx)")
        self.on_bar = found
        self.days = days
        self.counts = {name: [bisect_right(each.dates, day) for day in days] for name, each in self.bars.items()}
        return {"started": True}

    def step(self, begin: int, end: int, account: Json) -> Json:
        """Call the strategy for days in a row, up to the first on which it gives orders."""
        assert self.on_bar is not None
        on_bar, days, first = self.on_bar, self.days, next(iter(self.bars))
        self.account = account
        orders = self.orders = []
        given: Json = {
            "symbol": first, "bars_of": self._bars_of, "position": self._position, "state": self.state,
            "buy": self._buy, "sell": self._sell,
        }  # fmt: skip
        for place in range(begin, end):
            self.place = place
            names = _Lazy(given, partial(self._make, place))
            names["date"] = days[place]
            on_bar(Space("ctx", names, _CONTEXT, _CONTEXT))
            if orders:
                return {"done": place + 1 - begin, "orders": orders}
        return {"done": end - begin, "orders": []}

    def _make(self, place: int, name: str) -> Any:
        """Return what a context has that is made when it is asked for."""
        if name == "bars":
            first = next(iter(self.bars))
            return self.bars[first].until(self.counts[first][place])
        if name == "symbols":
            return list(self.bars)
        if name == "account":
            told: Json = {
                "cash": self.account["cash"], "equity": self._equity(),
                "positions": dict(self.account["positions"]), "pending_orders": self.account["pending"],
            }  # fmt: skip
            return Space("ctx.account", told, told)
        raise KeyError(name)

    def _equity(self) -> float:
        worth = self.account["cash"] + sum(
            quantity * self.bars[name].columns["close"][self.counts[name][self.place] - 1]
            for name, quantity in self.account["positions"].items()
            if self.counts[name][self.place]
        )
        return float(worth)

    def _bars_of(self, symbol: str) -> Space:
        if symbol not in self.bars:
            raise Told("{symbol} is not among the securities of the run", symbol=symbol)
        return self.bars[symbol].until(self.counts[symbol][self.place])

    def _position(self, symbol: str | None = None) -> float:
        held: float = self.account["positions"].get(symbol or next(iter(self.bars)), 0.0)
        return held

    def _buy(self, quantity: Any = None, **given: Any) -> None:
        self._give("buy", quantity, given)

    def _sell(self, quantity: Any = None, **given: Any) -> None:
        self._give("sell", quantity, given)

    def _give(self, side: str, quantity: Any, given: Json) -> None:
        if len(self.orders) >= MOST_ORDERS:
            raise Told("more than {count} orders on one day", count=MOST_ORDERS)
        if unknown := given.keys() - _ARGUMENTS[side]:
            raise Told("an order has no argument {name}", name=min(unknown))
        symbol = given.pop("symbol", None) or next(iter(self.bars))
        if symbol not in self.bars:
            raise Told("{symbol} is not among the securities of the run", symbol=symbol)
        if (percent := given.pop("percent", None)) is not None:
            given["value"] = self._equity() * float(percent) / 100
        given["quantity"] = quantity
        plain = {key: _to_plain(value) for key, value in given.items() if value is not None}
        self.orders.append({"side": side, "symbol": symbol, **plain})


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
            return _running.start(body, last, job["days"])
        return _running.step(job["begin"], job["end"], job["account"])
    except BaseException as e:
        return {"error": describe_error(e), "day": _running.day}


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
