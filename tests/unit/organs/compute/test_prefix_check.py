"""`--strict`: an expression is evaluated again on shorter ranges, and none of its past values may change."""

import marshal

import numpy as np
import pytest

from ia.kernel.errors import Message, Refused
from ia.organs.compute import coreutils, evaluate, sandbox, worker
from ia.organs.compute.calculate import calculate_expression
from ia.organs.compute.functions import FUNCTIONS
from ia.organs.compute.policy import compile_source
from ia.organs.compute.prefix_check import CUTS, PrefixTable, find_first_change, prefix_lengths
from ia.organs.ohlcv.canonical import Bars

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the worker: pandas_ta uses what pandas will drop


@pytest.fixture(scope="module")
def bars():
    """Four hundred days of a share that trades on weekdays."""
    rng = np.random.default_rng(11)
    close = np.round(40 * np.exp(np.cumsum(rng.normal(0, 0.02, 400))), 2)
    open_ = np.round(close * (1 + rng.normal(0, 0.01, 400)), 2)
    high = np.round(np.maximum(open_, close) * (1 + rng.random(400) * 0.01) + 0.01, 2)
    low = np.round(np.minimum(open_, close) * (1 - rng.random(400) * 0.01) - 0.01, 2)
    days = np.busday_offset("2022-01-03", np.arange(400)).astype(str).tolist()
    return Bars(days, *(side.tolist() for side in (open_, high, low, close)), rng.integers(1e5, 1e7, 400).tolist())


@pytest.fixture(scope="module")
def tried(bars):
    """Return what a worker answers, in this process: which date changed, and on how many ranges it looked."""
    assert coreutils.coreutil_namespace()  # loaded, as in the worker
    worker._load_indicators(["*"])

    def answer(source):
        body, last = marshal.loads(compile_source(source).code)
        found = evaluate.answer_job(
            len(bars.date), sandbox.pack_columns(bars), body, last, prefix_lengths(len(bars.date))
        )
        assert "error" not in found, (source, found)
        return found["changed"], found["compared"]

    return answer


AHEAD = r"""(lambda n: close.shift(n))(-1)
[close.shift(n) for n in (-1,)][0]
close.shift(int('-1'))
close.shift(-(len('a')))
(lambda f: f(-2))(close.shift)
close.pct_change(periods=1 - 2)
(lambda **k: close.pct_change(**k))(periods=-1)
(lambda **k: close.diff(**k))(periods=-3)
close.rolling(**dict(window=5, center=True)).mean()
close.rolling(window=11, center=bool(1)).max()
close.where(close > open).fillna(close.shift(*[-1]))
close.where(close.shift(1) > close).fillna(**dict(zip(['value'], [0]))).iloc[::-1].cumsum().sort_index()
close / close.describe()['mean']
close - close.describe()['50%']
close / close.agg('mean')
close > close.agg(np.mean)
(close - close.min()) / (close.max() - close.min())
close / np.array(close).mean()
close / sum(close.tolist())
close / max(list(close))
close / sorted(close)[-1]
close / close.sort_values().iloc[0]
close / close.nlargest(1).iloc[0]
close / np.max(close.values)
np.argsort(np.argsort(close))
np.argsort(np.argsort(close.values))
close.rank()
close.rank(pct=True)
close.argsort()
pd.qcut(close, 4, labels=False)
pd.cut(close, 5, labels=False)
pd.Series(np.interp(np.arange(len(close)), [0, len(close) - 1], [close.iloc[0], close.iloc[-1]]), index=close.index)
pd.Series(np.roll(close, -1), index=close.index)
np.roll(close.values, -2)
np.append(close.values[1:], 0)
np.concatenate([close.values[5:], np.zeros(5)])
np.gradient(close.values)
np.convolve(close.values, np.ones(5) / 5, 'same')
close.groupby(close.index.to_period('M')).transform('last')
close.groupby(date.dt.to_period('M')).transform(lambda g: g.iloc[-1])
close.groupby(date.dt.year).transform('max')
close.resample('MS').last()
close.resample('W', label='left').last()
close.reindex(close.index[::-1]).cummax().sort_index()
close.iloc[::-1].expanding().max().sort_index()
pd.Series([close.iloc[min(i + 1, len(close) - 1)] for i in range(len(close))], index=close.index)
[close.iloc[min(i + 1, len(close) - 1)] for i in range(len(close))]
x = close.copy()\nfor i in range(len(x) - 1):\n    x.iloc[i] = close.iloc[i + 1]\nx
out = []\nfor i in range(len(close)):\n    out.append(close.iloc[i:i + 5].mean())\npd.Series(out, index=close.index)
out = {}\nfor i in range(len(close) - 1):\n    out[close.index[i]] = close.iloc[i + 1]\npd.Series(out)
{close.index[i]: close.iloc[i + 1] for i in range(len(close) - 1)}
n = len(df)\npd.Series(range(n), index=df.index) / n
pd.Series(len(close) - np.arange(len(close)), index=close.index)
(close == close.max())
close > close.iloc[len(close) - 1]
close / close.tail(1).item()
close / close.values[len(close) - 1]
close.sub(close.describe()['std'])
df.assign(next=df.close.shift(*(-1,)))[['close', 'next']]
df.iloc[::-1].close.diff().sort_index()
df[df.close > df.close.agg('median')].close
close.shift(*(-1,)).dropna()
close.interpolate().where(close.index.day > 3).bfill(**{})
np.where(close < close.describe()['25%'], 1, 0)
(close.diff().abs() > 2 * close.diff().agg('std')).astype(int)
close.ewm(span=5).mean().iloc[::-1].ewm(span=5).mean().sort_index()
ta.dpo(close, 20, centered=True)
close.cumsum() / close.agg('sum')
np.polyval(np.polyfit(np.arange(len(close)), close.values, 1), np.arange(len(close)))
"""


def programs(text):
    """Return the sources of a list with one a line, where a program of several lines has `\\n` between them."""
    return [line.replace("\\n", "\n") for line in text.splitlines()]


CALLS = {
    "latest": "close", "prev": "close", "vwma": "close, volume", "obv": "close, volume", "corr": "close, volume, 20",
    "stoch": "high, low, close", "kdj": "high, low, close", "willr": "high, low, close", "cci": "high, low, close",
    "adx": "high, low, close", "dmi": "high, low, close", "aroon": "high, low", "ultosc": "high, low, close",
    "bop": "open, high, low, close", "mfi": "high, low, close, volume", "ad": "high, low, close, volume",
    "adosc": "high, low, close, volume", "tr": "high, low, close", "atr": "high, low, close",
    "natr": "high, low, close", "count": "close > open, 20", "barssince": "close > open",
    "crossover": "sma(close, 5), sma(close, 20)", "crossunder": "sma(close, 5), sma(close, 20)",
    "where": "close > open, close, 0", "maximum": "close, open", "minimum": "close, open",
}  # fmt: skip
"""What each coreutil is given here; the others take a series and a window."""


def call_of(name):
    function = FUNCTIONS[name]
    needs = any(param.default is None for param in function.params)
    return f"{name}({CALLS.get(name, 'close, 20' if needs else 'close')})"


HONEST = r"""close
close > open
df
df[['close', 'volume']]
close.shift(1)
close.pct_change()
close.diff(5)
close.rolling(20).mean()
close.rolling(20).std()
close.rolling(60, min_periods=1).max()
close.rolling(10).apply(lambda w: w.iloc[-1] / w.iloc[0])
close.expanding().max()
close.expanding(50).mean()
close.ewm(span=12).mean()
close.ewm(span=12, adjust=False).mean()
close.ewm(alpha=0.1).std()
close / close.cummax() - 1
(close / close.cummax() - 1).cummin()
close.cumsum()
np.log(close).diff()
np.log(close / close.shift(1)).rolling(20).std() * np.sqrt(250)
(close - close.rolling(20).mean()) / close.rolling(20).std()
close.rolling(250).max()
close.rolling(250).rank(pct=True)
close.rolling(20).corr(volume)
close.rolling(20).quantile(0.9)
close.resample('W-FRI').last()
close.resample('ME').last()
df.resample('W-FRI').agg({'open': 'first', 'high': 'max', 'low': 'min', 'close': 'last', 'volume': 'sum'})
close.groupby(date.dt.year).cumcount()
close.groupby(date.dt.to_period('M')).cummax()
close.groupby(date.dt.year).transform('first')
close.where(close > open).ffill()
close.clip(lower=10)
close.tail(5)
close.iloc[-20:]
close.dropna()
close[close > open]
df[df.close > df.open].close
date
date.dt.dayofweek
volume.rolling(20).mean()
(close * volume).rolling(20).sum() / volume.rolling(20).sum()
np.where(close > close.shift(1), 1, -1)
pd.Series(np.where(close > open, 1, 0), index=close.index).rolling(5).sum()
np.maximum(high - low, (high - close.shift(1)).abs())
pd.concat([close.rolling(n).mean() for n in (5, 10, 20)], axis=1)
df.assign(ma=close.rolling(5).mean(), up=close > open)
close.mean()
close.max()
close.iloc[-1] / close.iloc[-250] - 1
{'last': close.iloc[-1], 'mean': close.mean()}
len(df)
bool(close.iloc[-1] > close.mean())
'%.2f' % close.iloc[-1]
close.idxmax()
close.describe()
close.nlargest(3)
close.rolling(5).mean().tolist()
[close.iloc[max(0, i - 1)] for i in range(len(close))]
x = 0.0\nout = []\nfor p in close:\n    x = 0.9 * x + 0.1 * p\n    out.append(x)\npd.Series(out, index=close.index)
peak = close.cummax()\ndrop = close / peak - 1\ndrop
x = close.copy()\nx.iloc[:10] = 0\nx
crossover(sma(close, 5), sma(close, 20)) & (rsi(close, 14) < 70)
bbands(close)['upper'] - close
(close > sma(close, 250)) & (macd(close)['histogram'] > 0)
close.autocorr()
close.groupby(date.dt.month).mean()
close.to_frame().reset_index()
close.asof(close.index[-1])
np.cumsum(close.values)
np.diff(close.values, prepend=np.nan)
np.cumprod(1 + close.pct_change().fillna(0).values)
"""


@pytest.mark.process
@pytest.mark.parametrize("source", programs(AHEAD))
@pytest.mark.share(3)
def test_what_looks_ahead_changes(tried, source):
    changed, compared = tried(source)
    assert changed is not None and compared


@pytest.mark.process
@pytest.mark.parametrize("source", [*programs(HONEST), *map(call_of, FUNCTIONS)])
@pytest.mark.share(3)
def test_what_is_honest_does_not_change(tried, source):
    assert tried(source)[0] is None


def test_the_ranges_are_spread_and_never_empty():
    assert prefix_lengths(0) == prefix_lengths(1) == [] and prefix_lengths(5) == [4, 3, 2, 1]
    for rows in (21, 60, 250, 1050, 2520):
        sizes = prefix_lengths(rows)
        assert CUTS - 5 <= len(sizes) <= CUTS + 2 and 0 < sizes[-1] < sizes[0] == rows - 1
        assert len({size % 5 for size in sizes}) == 5 or rows < 100  # not on one weekday alone


@pytest.mark.parametrize(
    "whole, part, expected",
    [
        ([1.0, 2.0, 3.0], [1.0, 2.0], None),
        ([1.0, 2.0, 3.0], [1.0, 2.5], "b"),
        ([1.0, 2.0, 3.0], [1.0, 2.0 + 1e-13], None),
        ([1.0, 2.0, 3.0], [1.0, 2.0 + 1e-7], "b"),
        ([float("nan"), None, 3.0], [None, float("nan")], None),
        ([1.0, 2.0, 3.0], [float("nan"), 2.0], "a"),
        ([True, False, True], [True, True], "b"),
        ([10**400, 1, 1], [10**400 + 1, 1], "a"),
        (["x", "y", "z"], ["x", "z"], "b"),
    ],
)
def test_values_are_compared_by_date(whole, part, expected):
    labels = ["a", "b", "c"]
    found = find_first_change(
        PrefixTable(labels, [whole]), labels, lambda size: PrefixTable(labels[:size], [part]), [2]
    )
    assert found == (expected, 1)


def test_a_range_too_short_to_give_a_value_is_passed_over(tried):
    changed, compared = tried("ta.sma(close, 250)")
    assert changed is None and 0 < compared < CUTS


@pytest.mark.parametrize("source", ["ema(close, 20)", "macd(close)", "rsi(close, 14) < 30", "latest(close)"])
def test_strict_lets_the_fast_lane_through(bars, source):
    told: list[Message] = []
    assert calculate_expression(source, lambda: bars, strict=True, notify=told.append).as_of == bars.date[-1]
    assert told == []


@pytest.mark.process
def test_strict_refuses_what_no_list_of_forms_knows(bars):
    source = "(lambda n: close.shift(n))(-1)"
    assert calculate_expression(source, lambda: bars).type == "series"
    with pytest.raises(Refused, match=r"its value on 2022-\d\d-\d\d changes without the later bars"):
        calculate_expression(source, lambda: bars, strict=True)


@pytest.mark.process
def test_strict_says_where_it_could_try_nothing(bars):
    told: list[Message] = []
    calculate_expression(f"ta.sma(close, {len(bars.date)})", lambda: bars, strict=True, notify=told.append)
    assert [str(message) for message in told] == [
        "could not check for look-ahead: no shorter range of the bars gives a value"
    ]
