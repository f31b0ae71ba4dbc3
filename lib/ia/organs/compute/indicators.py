"""The registry of `ia indicator`: indicators by their usual names, with parameters, ranges and results.

Each is a coreutil (functions.py) on the bars of one symbol. Listing and describing need no numpy.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ia.kernel.errors import Message, NotFound, Notify, PluralText, UsageError, drop_message
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv.canonical import Bars

_as_typed = re.compile(r"([A-Za-z]+(?:_[A-Za-z]+)*)_?\s*\(?\s*(\d{1,3})?\s*\)?").fullmatch
_ALSO_CALLED = {"ma": "sma", "boll": "bbands", "bb": "bbands", "bollinger": "bbands", "vol": "obv", "dmi": "adx"}


class IndicatorParam(NamedTuple):
    """A parameter; `key` is the coreutil's name for it. A float default makes it a float."""

    name: str
    default: int | float
    low: int | float
    high: int | float
    key: str = "n"

    @property
    def type(self) -> str:
        return "float" if isinstance(self.default, float) else "int"


class Indicator(NamedTuple):
    """An indicator. `alias` is the coreutil behind it; `outputs` is ("value",) unless it has several."""

    name: str
    alias: str
    category: str
    description: str
    params: tuple[IndicatorParam, ...] = ()
    inputs: tuple[str, ...] = ("close",)
    outputs: tuple[str, ...] = ("value",)

    def describe(self) -> Json:
        """Return what `ia indicator describe` prints, ready for JSON."""
        params = {p.name: {"type": p.type, "default": p.default, "range": [p.low, p.high]} for p in self.params}
        return {
            "name": self.name,
            "alias": self.alias,
            "category": self.category,
            "description": self.description,
            "inputs": list(self.inputs),
            "params": params,
            "outputs": list(self.outputs),
        }


def example_call(text: str) -> str:
    """Return the whole call of an indicator that is named without its arguments; "" where none is named.

    >>> example_call("RSI"), example_call("ma20"), example_call("rsi(14)"), example_call("close")
    ('rsi(close, 14)', 'sma(close, 20)', 'rsi(close, 14)', '')
    """
    typed = _as_typed(text.strip())
    if typed is None:
        return ""
    word = typed[1].casefold()
    word = _ALSO_CALLED.get(word, word)
    found = next((each for each in REGISTRY.values() if word in (each.name.casefold(), each.alias)), None)
    if found is None:
        return ""
    settings = [f"{param.default:g}" for param in found.params]
    if typed[2] and settings:
        settings[0] = typed[2]
    return f"{found.alias}({', '.join((*found.inputs, *settings))})"


def _period_params(default: int, low: int = 2, high: int = 500) -> tuple[IndicatorParam, ...]:
    return (IndicatorParam("period", default, low, high),)


_HLC = ("high", "low", "close")
_HLCV = (*_HLC, "volume")
_CROSS = (IndicatorParam("fast", 12, 1, 200, "fast"), IndicatorParam("slow", 26, 2, 500, "slow"))

_ALL = (
    Indicator("SMA", "sma", "trend", "Simple moving average of the close", _period_params(20, 1)),
    Indicator("EMA", "ema", "trend", "Exponential moving average of the close", _period_params(20, 1)),
    Indicator("WMA", "wma", "trend", "Linearly weighted moving average of the close", _period_params(20, 1)),
    Indicator("DEMA", "dema", "trend", "Double exponential moving average of the close", _period_params(20, 1)),
    Indicator("TEMA", "tema", "trend", "Triple exponential moving average of the close", _period_params(20, 1)),
    Indicator("KAMA", "kama", "trend", "Kaufman's adaptive moving average of the close", _period_params(10)),
    Indicator(
        "VWMA",
        "vwma",
        "trend",
        "Volume-weighted moving average of the close",
        _period_params(20, 1),
        ("close", "volume"),
    ),
    Indicator(
        "MACD",
        "macd",
        "trend",
        "Convergence and divergence of two exponential averages, with a signal line",
        (*_CROSS, IndicatorParam("signal", 9, 1, 200, "signal")),
        outputs=("macd", "signal", "histogram"),
    ),
    Indicator(
        "PPO", "ppo", "trend", "Percentage price oscillator: fast above slow exponential average, in percent", _CROSS
    ),
    Indicator(
        "ADX",
        "adx",
        "trend",
        "Average directional index: trend strength, 0-100 range",
        _period_params(14, 2, 200),
        _HLC,
    ),
    Indicator(
        "DMI",
        "dmi",
        "trend",
        "Directional movement: +DI, -DI and ADX, 0-100 range",
        _period_params(14, 2, 200),
        _HLC,
        ("plus", "minus", "adx"),
    ),
    Indicator(
        "Aroon",
        "aroon",
        "trend",
        "Aroon up and down: how recent the highest high and lowest low are, 0-100 range",
        _period_params(14, 2, 200),
        ("high", "low"),
        ("up", "down"),
    ),
    Indicator(
        "TRIX", "trix", "trend", "Change of the triple exponential average, percent per bar", _period_params(15, 1, 200)
    ),
    Indicator(
        "LinearRegression",
        "linreg",
        "trend",
        "End point of the least-squares line through the closes",
        _period_params(14),
    ),
    Indicator(
        "Slope",
        "slope",
        "trend",
        "Slope of the least-squares line through the closes, price per bar",
        _period_params(14),
    ),
    Indicator("RSI", "rsi", "momentum", "Relative Strength Index, 0-100 range", _period_params(14, 2, 200)),
    Indicator(
        "Stochastic",
        "stoch",
        "momentum",
        "Stochastic oscillator %K and %D, 0-100 range",
        (
            IndicatorParam("period", 14, 2, 200),
            IndicatorParam("smooth", 3, 1, 50, "k"),
            IndicatorParam("signal", 3, 1, 50, "d"),
        ),
        _HLC,
        ("k", "d"),
    ),
    Indicator(
        "KDJ",
        "kdj",
        "momentum",
        "Stochastic oscillator with recursive smoothing, and J = 3 K - 2 D",
        (
            IndicatorParam("period", 9, 2, 200),
            IndicatorParam("smooth", 3, 1, 50, "k"),
            IndicatorParam("signal", 3, 1, 50, "d"),
        ),
        _HLC,
        ("k", "d", "j"),
    ),
    Indicator("WilliamsR", "willr", "momentum", "Williams %R, -100 to 0 range", _period_params(14, 2, 200), _HLC),
    Indicator(
        "CCI", "cci", "momentum", "Commodity Channel Index of the typical price", _period_params(20, 2, 200), _HLC
    ),
    Indicator("ROC", "roc", "momentum", "Rate of change of the close, percent", _period_params(10, 1)),
    Indicator("Momentum", "mom", "momentum", "Close minus the close some bars earlier", _period_params(10, 1)),
    Indicator(
        "CMO",
        "cmo",
        "momentum",
        "Chande momentum oscillator (Wilder smoothing), -100 to 100 range",
        _period_params(14, 2, 200),
    ),
    Indicator(
        "UltimateOscillator",
        "ultosc",
        "momentum",
        "Ultimate oscillator: buying pressure over three windows, 0-100 range",
        (
            IndicatorParam("short", 7, 1, 200, "short"),
            IndicatorParam("medium", 14, 1, 200, "medium"),
            IndicatorParam("long", 28, 1, 500, "long"),
        ),
        _HLC,
    ),
    Indicator(
        "BOP", "bop", "momentum", "Balance of power: bar body relative to bar range, -1 to 1 range", (), ("open", *_HLC)
    ),
    Indicator(
        "BollingerBands",
        "bbands",
        "volatility",
        "Moving average of the close, with bands some standard deviations above and below",
        (IndicatorParam("period", 20, 2, 500), IndicatorParam("std", 2.0, 0.1, 10.0, "k")),
        outputs=("upper", "middle", "lower"),
    ),
    Indicator("ATR", "atr", "volatility", "Average true range (Wilder)", _period_params(14, 1, 200), _HLC),
    Indicator(
        "NATR", "natr", "volatility", "Average true range in percent of the close", _period_params(14, 1, 200), _HLC
    ),
    Indicator(
        "TrueRange", "tr", "volatility", "True range: bar range including the gap from the previous close", (), _HLC
    ),
    Indicator("StdDev", "stdev", "volatility", "Population standard deviation of the close", _period_params(20)),
    Indicator(
        "ZScore",
        "zscore",
        "statistics",
        "Distance of the close from its average, in standard deviations",
        _period_params(20),
    ),
    Indicator(
        "PercentRank",
        "percentrank",
        "statistics",
        "Percent of earlier closes at or below this one, 0-100 range",
        _period_params(250, 2, 2000),
    ),
    Indicator(
        "Highest",
        "highest",
        "statistics",
        "Highest high of the most recent bars",
        _period_params(20, 1, 2000),
        ("high",),
    ),
    Indicator(
        "Lowest", "lowest", "statistics", "Lowest low of the most recent bars", _period_params(20, 1, 2000), ("low",)
    ),
    Indicator("OBV", "obv", "volume", "On-balance volume", (), ("close", "volume")),
    Indicator("MFI", "mfi", "volume", "Money flow index, 0-100 range", _period_params(14, 2, 200), _HLCV),
    Indicator("AD", "ad", "volume", "Accumulation / distribution line", (), _HLCV),
    Indicator(
        "ChaikinOscillator",
        "adosc",
        "volume",
        "Fast minus slow average of the accumulation / distribution line",
        (IndicatorParam("fast", 3, 1, 200, "fast"), IndicatorParam("slow", 10, 2, 500, "slow")),
        _HLCV,
    ),
)

REGISTRY: dict[str, Indicator] = {entry.name: entry for entry in _ALL}
CATEGORIES = tuple(dict.fromkeys(entry.category for entry in _ALL))
_SHORT = {"bb": "bbands", "boll": "bbands", "uo": "ultosc", "stochastics": "stoch", "williams": "willr", "atrp": "natr"}


def find_indicator(name: str) -> Indicator:
    """Return the indicator of that name or coreutil, whatever the case. NotFound with the nearest names."""
    wanted = "".join(name.split()).replace("_", "").replace("-", "").casefold()
    wanted = _SHORT.get(wanted, wanted)
    for entry in _ALL:
        if wanted in (entry.name.casefold(), entry.alias):
            return entry
    import difflib

    names = [word for entry in _ALL for word in (entry.name.casefold(), entry.alias)]
    near = [find_indicator(word).name for word in difflib.get_close_matches(wanted, names, 3, 0.6)]
    raise NotFound(
        "{name}: no such indicator",
        name=name,
        hint="did you mean {near}?" if near else "see `ia indicator list`",
        near=", ".join(dict.fromkeys(near)),
    )


def parse_settings(entry: Indicator, given: Mapping[str, str | float]) -> dict[str, int | float]:
    """Return the coreutil's arguments for the parameters given (texts or numbers), defaults filled in.

    raises  UsageError for an unknown parameter, a value that is no number of its type, or one out of range.
    """
    known = {p.name: p for p in entry.params}
    for name in given:
        if name not in known:
            names = ", ".join(known)
            raise UsageError(
                "{indicator}: unknown parameter {name}" if names else "{indicator} has no parameters",
                indicator=entry.name,
                name=name,
                hint="available: {names}" if names else None,
                names=names,
            )
    out = {p.key: _parse_parameter(entry, p, given.get(p.name, p.default)) for p in entry.params}
    if "slow" in out and out["fast"] >= out["slow"]:
        raise UsageError("{indicator}: fast must be below slow", indicator=entry.name)
    return out


def _parse_parameter(entry: Indicator, p: IndicatorParam, raw: str | float) -> int | float:
    fields: Json = {"indicator": entry.name, "param": p.name, "value": raw}
    try:
        number = float(raw)
    except ValueError:
        raise UsageError("{indicator}: {param} must be a number, not {value}", **fields) from None
    if p.type == "int" and not number.is_integer():
        raise UsageError("{indicator}: {param} must be an integer, not {value}", **fields)
    if not p.low <= number <= p.high:
        raise UsageError(
            "{indicator}: {param} must be between {low} and {high}, not {value}", low=p.low, high=p.high, **fields
        )
    return int(number) if p.type == "int" else number


def calculate_indicator(
    name: str, bars: Bars, params: Mapping[str, str | float] = {}, notify: Notify = drop_message
) -> Json:
    """Return an indicator's newest and previous value over the bars.

    One result: {"value", "prev", "date"}. Several: each under its name, "prev" a dict of the same names. A value
    that is not there (too few bars, 0 / 0) is None; too few bars are told to `notify`. `date` is the last bar's, None
    without bars.

    raises  NotFound for an unknown indicator, UsageError for parameters that do not fit.

    >>> days = [f"2024-01-{day:02d}" for day in range(1, 7)]
    >>> close = [10.0, 11.0, 12.0, 11.0, 13.0, 14.0]
    >>> calculate_indicator("Momentum", Bars(days, close, close, close, close, [100] * 6), {"period": 2})
    {'value': 3.0, 'prev': 1.0, 'date': '2024-01-06'}
    """
    entry = find_indicator(name)
    arguments = parse_settings(entry, params)

    from ia.organs.compute.array_backend import np
    from ia.organs.compute.functions import FUNCTIONS, Columns, SeriesColumn, apply_function

    columns = [SeriesColumn(np.array(getattr(bars, field), dtype=np.float64), field) for field in entry.inputs]
    result = apply_function(FUNCTIONS[entry.alias], columns, arguments)
    if isinstance(result, Columns):
        arrays = dict(zip(result.names, result.arrays, strict=True))
    else:
        assert isinstance(result, SeriesColumn)
        arrays = {"value": result.values}
    now = {key: _finite_at(values, -1) for key, values in arrays.items()}
    before = {key: _finite_at(values, -2) for key, values in arrays.items()}
    if bars.close and all(v != v for values in arrays.values() for v in values.tolist()):
        notify(
            Message(
                PluralText(
                    "{indicator}: {rows} bar is too few to compute a value",
                    "{indicator}: {rows} bars are too few to compute a value",
                    by="rows",
                ),
                indicator=entry.name,
                rows=len(bars.close),
            )
        )
    date = bars.date[-1] if bars.date else None
    if entry.outputs == ("value",):
        return {"value": now["value"], "prev": before["value"], "date": date}
    return {**now, "prev": before, "date": date}


def _finite_at(values: Any, place: int) -> float | None:
    if len(values) < -place:
        return None
    number = float(values[place])
    return number if number - number == 0 else None


CONVENTIONS = """
Coreutils (sma, rsi, ...) and `ia indicator` follow TA-Lib 0.8: an EMA starts as the simple average of its first n
values; RSI, ATR and ADX use Wilder's smoothing started as the simple average of the first n changes (ranges); both
EMAs of MACD start in the same bar; standard deviations are of the population (divided by n). Once warm they agree
with TA-Lib to 1e-8.

0 / 0 is no value. Where no price moved, or there was no range or no volume, TA-Lib prints 0, and so an RSI of 0 for a
share that did not trade; here the value is empty (NaN, null), and no comparison with it is true.

The macd line and %K begin as soon as they can be computed; TA-Lib holds them back until their signal line is there.
The first bar has no true range, as in TA-Lib; StockCharts and Tulip take its high - low.

Tulip and many charts start an EMA with the first value instead of an average; EMA, DEMA, TEMA, TRIX and MACD then
differ at the beginning and meet after some hundred bars. Tulip's MACD has slightly other weights for 12 and 26 and
differs throughout.

OBV starts at the first bar's volume, as in TA-Lib; Tulip and Stock.Indicators start at 0. Differences between two
days are the same.

CMO uses Wilder's smoothing as in TA-Lib; Tulip and the book use plain sums, where the figures differ throughout. PPO
uses exponential averages. ROC is in percent. BOP is not smoothed (Stock.Indicators averages 14 bars). Of two equal
highs or lows Aroon counts the newer one, as in TA-Lib; Stock.Indicators the older.

Averages of prices in cents (or mills) are computed in whole hundredths of a cent, so that two averages which are
equal on paper are equal here: crossover(a, b) is a > b now and a <= b in the bar before. Windows are summed afresh,
never carried on: no drift, and the tail of a series gives the same figures as the whole of it.

Missing values inside a series: a rolling function gives nothing until they have left the window; a recursive one
(ema, rsi, macd, atr, adx, obv, ...) passes over the row as if it were not there.

`ta` is pandas-ta-classic, called with talib=False so that its figures do not depend on what else is installed. It
gives TA-Lib's figures too, except: ta.macd starts each average by itself and meets macd after some hundred bars;
ta.ppo takes simple averages; ta.cmo takes plain sums; ta.trima halves an even length otherwise; ta.psar does not turn
when a low just touches the stop; ta.zscore and ta.stderr divide by n - 1 where zscore and Tulip divide by n; ta.pvi
and ta.nvi add up percentages where the book compounds them; ta.mfi, ta.uo and ta.kama begin one bar earlier; ta.mfi
takes two typical prices that are equal on paper for a rise or a fall where they differ in the last bit (by several
points over such days: mfi compares exactly); ta.bop is 1 on a bar without range (TA-Lib: 0; bop: nothing). pandas'
own .std() and .var() divide by n - 1.

MFI compares typical prices exactly. UltimateOscillator sorts its three periods, as TA-Lib does. DMI and ADX compare
the day's two moves as TA-Lib does, in binary: of two moves that are equal on paper one may count.
"""
"""Differences of convention, for the man pages: paragraphs parted by empty lines."""
