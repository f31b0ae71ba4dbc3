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
from ia.organs.compute.evaluate import build_frame, describe_error, unpack_columns
from ia.organs.compute.facade import Space, refuse_name, register_reader
from ia.organs.compute.worker_protocol import Told

MOST_ORDERS = 1_000
_SALE = frozenset({"value", "percent", "type", "price", "valid", "symbol"})
_ARGUMENTS = {"sell": _SALE, "buy": _SALE | {"stop", "target"}}
_PRICES = ("open", "high", "low", "close")


_BARS = frozenset({"date", "count", *_PRICES, "volume"})
_CONTEXT = frozenset({"date", "symbol", "symbols", "bars", "bars_of", "account", "position", "state", "buy", "sell"})


class _KnownBars:
    """What `ctx.bars` is on a day: the first bars, of which a strategy reads a column or two."""

    __slots__ = ("count", "loaded")

    def __init__(self, loaded: "_Loaded", count: int) -> None:
        self.loaded, self.count = loaded, count

    def __repr__(self) -> str:
        return "<ctx.bars>"


class _ContextNames(dict[str, Any]):
    """What `ctx` has; what is of the day is made when it is asked for."""

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
        self.columns, self.dates = unpack_columns(rows, columns)
        for column in self.columns.values():
            column.flags.writeable = False  # nor can a part of it be written then
        self.factors = factors if len(set(factors)) > 1 else []
        self._adjusted: dict[str, tuple[float, Any]] = {}

    def read_adjusted(self, name: str, count: int) -> Any:
        """Return a column of the first bars, adjusted so that the last of them is as traded."""
        factors = self.factors
        if name == "volume" or not count or factors[0] == factors[count - 1]:
            return self.columns[name][:count]
        latest, adjusted = self._adjusted.get(name, (0.0, None))
        if latest != factors[count - 1]:  # no later bar changes it until the next corporate action
            latest = factors[count - 1]
            adjusted = self.columns[name] * (np.array(factors) / latest)
            adjusted.flags.writeable = False
            self._adjusted[name] = latest, adjusted
        return adjusted[:count]


def _read_bars(bars: _KnownBars, name: str) -> Any:
    """Return an attribute of `ctx.bars`: a column that cannot be written, `count`, or `date`, that of the last bar."""
    loaded, count = bars.loaded, bars.count
    column = loaded.columns.get(name)
    if column is not None:
        return loaded.read_adjusted(name, count) if loaded.factors else column[:count]
    if name == "count":
        return count
    if name == "date":
        return loaded.dates[count - 1] if count else None
    raise refuse_name("ctx.bars", name, (), _BARS)


register_reader(_KnownBars, _read_bars)


class _Strategy:
    """What the worker keeps between two jobs.

    days, counts   the days of the run; of each security how many of its bars are known on each day
    names          what the context has, which is one and the same from day to day
    """

    def __init__(self) -> None:
        self.bars: dict[str, _Loaded] = {}
        self.on_bar: Callable[[Space], object] | None = None
        self.names = _ContextNames({}, self._make)
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
        self.names.update(
            symbol=next(iter(self.bars)), symbols=list(self.bars), bars_of=self._bars_of, position=self._position,
            state={}, buy=self._buy, sell=self._sell,
        )  # fmt: skip
        self.counts = {name: [bisect_right(each.dates, day) for day in days] for name, each in self.bars.items()}
        return {"started": True}

    def step(self, begin: int, end: int, account: Json) -> Json:
        """Call the strategy for days in a row, up to the first on which it gives orders."""
        assert self.on_bar is not None
        on_bar, days, names = self.on_bar, self.days, self.names
        context = Space("ctx", names, _CONTEXT, _CONTEXT)
        first = names["symbol"]
        loaded, counts = self.bars[first], self.counts[first]
        self.account = account
        orders = self.orders = []
        for place in range(begin, end):
            self.place = place
            names["date"] = days[place]
            names["bars"] = _KnownBars(loaded, counts[place])
            names.pop("account", None)
            on_bar(context)
            if orders:
                return {"done": place + 1 - begin, "orders": orders}
        return {"done": end - begin, "orders": []}

    def _make(self, name: str) -> Any:
        """Return what the context has on a day, when it is asked for."""
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

    def _bars_of(self, symbol: str) -> _KnownBars:
        if symbol not in self.bars:
            raise Told("{symbol} is not among the securities of the run", symbol=symbol)
        return _KnownBars(self.bars[symbol], self.counts[symbol][self.place])

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
