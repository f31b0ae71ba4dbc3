"""The coreutils on plain arrays: what each takes and gives, and how a call is checked.

Both lanes of `ia compute` and `ia indicator` come through `apply`: the array lane with its columns, the full lane
(coreutils.py) with what it took out of a Series or DataFrame. What differs between them cannot be a figure.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ia.kernel.jsontypes import Json
from ia.organs.compute import kernels as k
from ia.organs.compute.array_backend import NDArray, np
from ia.organs.compute.worker_protocol import Told

Scalar = float | int | bool
Array: TypeAlias = NDArray[Any]

MUST_BE = "{function}: {param} must be {what}, not {value}"
CHOOSE = "{function}: an argument has several results; choose one of {names}"


class Misfit(Told, ValueError):
    """A call that does not fit its function."""


class SeriesColumn(NamedTuple):
    """A series, or with a 2-D array one per symbol: bool, int64 or float64, oldest row first."""

    values: Array
    name: str | None = None


class Columns(NamedTuple):
    """What a function with several results gives."""

    names: tuple[str, ...]
    arrays: tuple[Array, ...]


Value = Scalar | SeriesColumn | Columns


class FunctionParam(NamedTuple):
    """A setting: a whole number unless the default is a float; None as default means that it must be given."""

    name: str
    default: int | float | None
    low: float = 1
    high: float = 100_000

    @property
    def whole(self) -> bool:
        return not isinstance(self.default, float)


class Function(NamedTuple):
    """A coreutil: kernel(*inputs, *params) -> one array, or one per name of `outputs`.

    inputs    "x" takes a series; "a?" a series or a number; "cond" a series of true and false
    """

    name: str
    kernel: Callable[..., Any]
    inputs: tuple[str, ...]
    params: tuple[FunctionParam, ...] = ()
    outputs: tuple[str, ...] = ()
    keeps_name: bool = False

    @property
    def doc(self) -> str:
        return (self.kernel.__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """What it gives, in one line."""
        return self.doc.split("\n")[0]

    @property
    def usage(self) -> str:
        """How to call it: ``macd(x, fast=12, slow=26, signal=9) -> macd, signal, histogram``."""
        settings = [p.name if p.default is None else f"{p.name}={p.default:g}" for p in self.params]
        call = f"{self.name}({', '.join([name.rstrip('?') for name in self.inputs] + settings)})"
        return f"{call} -> {', '.join(self.outputs)}" if self.outputs else call


def _period_params(default: int | None = None, low: int = 1) -> tuple[FunctionParam, ...]:
    return (FunctionParam("n", default, low),)


_X, _HLC, _CV, _AB = ("x",), ("high", "low", "close"), ("close", "volume"), ("a?", "b?")
_CROSS = (FunctionParam("fast", 12), FunctionParam("slow", 26))


def _last(values: Array, n: int = 0) -> Any:
    """The newest value."""
    return values[-1 - n] if n < len(values) else np.zeros(values.shape[1:]) + np.nan


def _prev(values: Array, n: int = 1) -> Any:
    """The value n bars before the newest."""
    return _last(values, n)


def _sqrt(x: k.F) -> k.F:
    """Square root; NaN below 0."""
    return np.asarray(np.sqrt(x))


def _log(x: k.F) -> k.F:
    """Natural logarithm; NaN below 0."""
    return np.asarray(np.log(x))


def _exp(x: k.F) -> k.F:
    """e to the power of x."""
    return np.asarray(np.exp(x))


def _maximum(a: k.F, b: k.F) -> k.F:
    """The larger of two values, bar by bar."""
    return np.asarray(np.maximum(a, b))


def _minimum(a: k.F, b: k.F) -> k.F:
    """The smaller of two values, bar by bar."""
    return np.asarray(np.minimum(a, b))


def _where(cond: k.B, a: k.F, b: k.F) -> k.F:
    """a where the condition is true, else b, bar by bar."""
    return np.where(cond, a, b)


REDUCTIONS = {"latest": _last, "prev": _prev}
"""Series to number; a number stays as it is."""

_ALL = (
    Function("latest", _last, _X),
    Function("prev", _prev, _X, _period_params(1, 0)),
    Function("ref", k.ref, _X, _period_params(1, 0)),
    Function("change", k.change, _X, _period_params(1)),
    Function("mom", k.change, _X, _period_params(10)),
    Function("roc", k.roc, _X, _period_params(10)),
    Function("sma", k.sma, _X, _period_params()),
    Function("ema", k.ema, _X, _period_params()),
    Function("wma", k.wma, _X, _period_params()),
    Function("wilder", k.wilder, _X, _period_params()),
    Function("dema", k.dema, _X, _period_params()),
    Function("tema", k.tema, _X, _period_params()),
    Function("kama", k.kama, _X, _period_params(10)),
    Function("vwma", k.vwma, _CV, _period_params(20)),
    Function("rsi", k.rsi, _X, _period_params(14)),
    Function("macd", k.macd, _X, (*_CROSS, FunctionParam("signal", 9)), ("macd", "signal", "histogram")),
    Function("ppo", k.ppo, _X, _CROSS),
    Function("cmo", k.cmo, _X, _period_params(14)),
    Function("trix", k.trix, _X, _period_params(15)),
    Function(
        "stoch", k.stoch, _HLC, (FunctionParam("n", 14), FunctionParam("k", 3), FunctionParam("d", 3)), ("k", "d")
    ),
    Function(
        "kdj", k.kdj, _HLC, (FunctionParam("n", 9), FunctionParam("k", 3), FunctionParam("d", 3)), ("k", "d", "j")
    ),
    Function("willr", k.willr, _HLC, _period_params(14)),
    Function("cci", k.cci, _HLC, _period_params(20)),
    Function("adx", k.adx, _HLC, _period_params(14, 2)),
    Function("dmi", k.dmi, _HLC, _period_params(14, 2), ("plus", "minus", "adx")),
    Function("aroon", k.aroon, ("high", "low"), _period_params(14), ("up", "down")),
    Function(
        "ultosc", k.ultosc, _HLC, (FunctionParam("short", 7), FunctionParam("medium", 14), FunctionParam("long", 28))
    ),
    Function("bop", k.bop, ("open", *_HLC)),
    Function("mfi", k.mfi, (*_HLC, "volume"), _period_params(14)),
    Function("obv", k.obv, _CV),
    Function("ad", k.ad, (*_HLC, "volume")),
    Function("adosc", k.adosc, (*_HLC, "volume"), (FunctionParam("fast", 3), FunctionParam("slow", 10))),
    Function("tr", k.tr, _HLC),
    Function("atr", k.atr, _HLC, _period_params(14)),
    Function("natr", k.natr, _HLC, _period_params(14)),
    Function(
        "bbands", k.bbands, _X, (FunctionParam("n", 20), FunctionParam("k", 2.0, 0, 100)), ("upper", "middle", "lower")
    ),
    Function("stdev", k.stdev, _X, (FunctionParam("n", None), FunctionParam("ddof", 0, 0))),
    Function("zscore", k.zscore, _X, _period_params()),
    Function("slope", k.slope, _X, _period_params(None, 2)),
    Function("linreg", k.linreg, _X, _period_params(14, 2)),
    Function("corr", k.corr, ("a", "b"), _period_params(None, 2)),
    Function("percentrank", k.percentrank, _X, _period_params()),
    Function("pastrank", k.pastrank, _X, _period_params()),
    Function("pasthigh", k.pasthigh, _X, _period_params()),
    Function("highest", k.highest, _X, _period_params()),
    Function("lowest", k.lowest, _X, _period_params()),
    Function("drawdown", k.drawdown, _X, _period_params()),
    Function("total", k.total, _X, _period_params()),
    Function("count", k.count, ("cond",), _period_params()),
    Function("barssince", k.barssince, ("cond",)),
    Function("crossover", k.crossover, _AB),
    Function("crossunder", k.crossunder, _AB),
    Function("where", _where, ("cond", "a?", "b?")),
    Function("maximum", _maximum, _AB),
    Function("minimum", _minimum, _AB),
    Function("sqrt", _sqrt, ("x?",), keeps_name=True),
    Function("log", _log, ("x?",), keeps_name=True),
    Function("exp", _exp, ("x?",), keeps_name=True),
)

FUNCTIONS: dict[str, Function] = {f.name: f for f in _ALL}


def bind_arguments(f: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Json:
    """Return the arguments of a call by name, defaults filled in. Misfit (a ValueError) where they do not fit."""
    names = [name.rstrip("?") for name in f.inputs] + [p.name for p in f.params]
    if len(args) > len(names):
        raise Misfit(
            "{function}: too many arguments ({given}); it takes {count}: {names}",
            function=f.name,
            count=len(names),
            names=", ".join(names),
            given=len(args),
        )
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise Misfit(
                "{function} has no argument {param}; available: {names}",
                function=f.name,
                param=name,
                names=", ".join(names),
            )
        if name in given:
            raise Misfit("{function}: {param} is given twice", function=f.name, param=name)
        given[name] = value
    for p in f.params:
        given.setdefault(p.name, p.default)
        if given[p.name] is None:
            raise Misfit("{function}: {param} is missing", function=f.name, param=p.name)
        given[p.name] = convert_setting(f.name, p, given[p.name])
    for name in names:
        if name not in given:
            raise Misfit("{function}: {param} is missing", function=f.name, param=name)
    if "slow" in given and given["fast"] >= given["slow"]:
        raise Misfit(
            "{function}: fast must be below slow, not {fast} and {slow}",
            function=f.name,
            fast=given["fast"],
            slow=given["slow"],
        )
    return given


def convert_setting(owner: str, p: FunctionParam, value: Any) -> int | float:
    """Return the value as the parameter wants it: 14, 14.0 and numpy's 14 are 14. Raises Misfit where it cannot be."""
    number: int | float
    try:
        if isinstance(value, bool | np.bool_ | str | bytes):
            raise TypeError
        if not p.whole:
            number = float(value)
        elif isinstance(value, float) and value.is_integer():
            number = int(value)
        else:
            number = operator.index(value)
    except (TypeError, ValueError):
        what = "an integer" if p.whole else "a number"
        shown = repr(value) if isinstance(value, bool | int | float | str) else describe_kind(value)
        raise Misfit(MUST_BE, function=owner, param=p.name, what=what, value=shown[:40]) from None
    if not p.low <= number <= p.high:
        raise Misfit(
            "{function}: {param} must be between {low} and {high}, not {value}",
            function=owner,
            param=p.name,
            low=f"{p.low:g}",
            high=f"{p.high:g}",
            value=number,
        )
    return number


def describe_kind(value: object) -> str:
    """Return what a value is, as a user would say it."""
    return "a series" if isinstance(value, SeriesColumn) else "a function" if callable(value) else type(value).__name__


def result_label(f: Function, bound: Mapping[str, object]) -> str:
    """Return the name of the result: RSI_14, OBV, PPO_12_26."""
    return "_".join([f.name.upper(), *(f"{bound[p.name]:g}" for p in f.params)])


def same_name(values: Sequence[object]) -> str | None:
    """Return the name that all columns among the values share, else None, as pandas names the result of an operator."""
    names = [v.name for v in values if isinstance(v, SeriesColumn)]
    return names[0] if names and all(name == names[0] for name in names) else None


def apply_function(f: Function, args: Sequence[object], kwargs: Mapping[str, object]) -> Value:
    """Return what the function gives for scalars and Columns. ValueError with one line where the call does not fit."""
    bound = bind_arguments(f, args, kwargs)
    settings = [bound[p.name] for p in f.params]
    first = bound[f.inputs[0].rstrip("?")]
    if f.name in REDUCTIONS:
        return _apply_reduction(f, first, settings)
    inputs = [bound[name.rstrip("?")] for name in f.inputs]
    shapes = {v.values.shape for v in inputs if isinstance(v, SeriesColumn)}
    if len({shape[0] for shape in shapes}) > 1:
        raise Misfit("{function}: the series have different lengths", function=f.name)
    truth = f.kernel is _where and all(_is_truth(v) for v in inputs[1:])
    arrays = [_to_array(f, name, v, truth) for name, v in zip(f.inputs, inputs, strict=True)]
    if not shapes:
        if any(not name.endswith("?") for name in f.inputs) or f.kernel in (k.crossover, k.crossunder):
            raise Misfit("{function} needs a series, not only numbers", function=f.name)
        with np.errstate(all="ignore"):
            return float(f.kernel(*arrays, *settings))
    if len(arrays) > 1:
        arrays = _broadcast_inputs(f, arrays, shapes)
    with np.errstate(all="ignore"):
        out = f.kernel(*arrays, *settings)
    if f.outputs:
        return Columns(f.outputs, tuple(out))
    return SeriesColumn(out, same_name(inputs) if f.keeps_name else result_label(f, bound))


def _apply_reduction(f: Function, x: Value, settings: list[Any]) -> Value:
    if isinstance(x, Columns):
        raise Misfit(CHOOSE, function=f.name, names=", ".join(x.names))
    if not isinstance(x, SeriesColumn):
        return x
    out = REDUCTIONS[f.name](x.values, *settings)
    if isinstance(out, np.ndarray):
        return SeriesColumn(out)
    number: Scalar = out.item() if hasattr(out, "item") else out
    return number


def _is_truth(v: object) -> bool:
    return isinstance(v, bool) or (isinstance(v, SeriesColumn) and v.values.dtype == np.bool_)


def _to_array(f: Function, name: str, v: object, truth: bool) -> Array:
    """Return the input as the kernel wants it: bool for a condition, else float64."""
    if isinstance(v, Columns):
        raise Misfit(CHOOSE, function=f.name, names=", ".join(v.names))
    if name == "cond":
        if not isinstance(v, SeriesColumn) or v.values.dtype != np.bool_:
            raise Misfit("{function}: the condition must be a boolean series", function=f.name)
        return v.values
    if isinstance(v, SeriesColumn):
        return v.values if truth else v.values.astype(np.float64, copy=False)
    if not name.endswith("?") or not isinstance(v, bool | int | float):
        what = "a series" if not name.endswith("?") else "a series or a number"
        raise Misfit(MUST_BE, function=f.name, param=name.rstrip("?"), what=what, value=describe_kind(v))
    return np.asarray(v if truth else float(v))


def _broadcast_inputs(f: Function, arrays: list[Array], shapes: set[tuple[int, ...]]) -> list[Array]:
    """Bring numbers and single series to the shape of the widest input."""
    wide = max(shapes, key=len)
    if len(shapes) > 1 and any(len(shape) == len(wide) and shape != wide for shape in shapes):
        raise Misfit("{function}: the frames have different columns; select the same columns", function=f.name)
    lifted = (a[:, None] if len(wide) == 2 and a.ndim == 1 else a for a in arrays)
    return [np.broadcast_to(a, wide) for a in lifted]
