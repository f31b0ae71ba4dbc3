"""Look-ahead in an expression is found, and what does not look ahead is left alone."""

import pytest

from ia.organs.compute.lint import find_look_ahead

LOOKS_AHEAD = [
    "close.shift(-1)",
    "close.shift(periods=-5)",
    "df['close'].shift(-1) / close - 1",
    "close.diff(-1)",
    "close.pct_change(-5)",
    "close.pct_change(periods=-5)",
    "n = 5\nclose.shift(-n)",
    "n = -5\nclose.shift(n)",
    "df.groupby(date.dt.year).close.shift(-1)",
    "prev(close, -1)",
    "change(close, -5)",
    "close.rolling(5, center=True).mean()",
    "close.rolling(5, 1, True).mean()",
    "close.bfill()",
    "close.where(close > 3).backfill()",
    "close.fillna(method='bfill')",
    "close.asfreq('D', method='bfill')",
    "close.reindex(date, method='nearest')",
    "close.interpolate()",
    "close.resample('D').interpolate('linear')",
    "close.resample('W').bfill()",
    "(close - close.mean()) / close.std()",
    "close > close.mean()",
    "close / close.max() - 1",
    "m = close.mean()\nclose - m",
    "m = np.mean(close)\ns = np.std(close)\n(close - m) / s > 2",
    "x = close.pct_change()\nx > x.quantile(0.9)",
    "np.where(close > np.percentile(close, 90), 1, 0)",
    "close - sum(close) / len(close)",
    "close < min(close) * 1.1",
    "sma(close, 5) > close.median()",
    "rsi(close, 14) - rsi(close, 14).mean()",
    "close.sub(close.mean())",
    "close.clip(upper=close.quantile(0.99))",
    "close.fillna(close.mean())",
    "df.assign(z=lambda d: (d.close - d.close.mean()) / d.close.std())",
    "close.rank(pct=True)",
    "pd.qcut(close, 5, labels=False)",
    "pd.cut(close, 5)",
    "df.groupby(date.dt.month).close.transform('mean')",
    "close.groupby(date.dt.year).transform('last')",
    "close[::-1].cummax()",
    "close.iloc[::-1].rolling(5).mean()",
    "close.sort_index(ascending=False).cummin()",
    "np.roll(close, -1)",
    "np.roll(close, 1)",
    "np.gradient(close)",
    "np.convolve(close, np.ones(5) / 5, mode='same')",
    "close.resample('MS').last()",
    "close.resample('W', label='left').last()",
    "pd.merge_asof(df, df, on='date', direction='forward')",
    "ta.sma(close, 10, offset=-5)",
    "ta.ichimoku(high, low, close)[0]",
    "ta.dpo(close)",
    "def f(s):\n    return s.shift(-1)\nf(close)",
    "[close.shift(-k) for k in range(5)]",
    # what a constant amounts to
    "close.shift(5-10)",
    "close.shift(-2+1)",
    "close.shift(int(-1))",
    "close.shift(-(1))",
    "close.shift(0 - 1)",
    "close.shift(~0)",
    "close.shift(periods=1 * -1)",
    "close.shift(**{'periods': -1})",
    "close.shift(*[-1])",
    "n = -1\nclose.shift(n)",
    "n, m = -1, 2\nclose.shift(n)",
    "n = 1\nn -= 3\nclose.shift(n)",
    "n = 1\nm = -n\nclose.shift(m)",
    "close.shift((n := -1))",
    "[close.shift(k * -1) for k in range(5)]",
    "change(close, n=-5)",
    "close.rolling(5, center=1==1).mean()",
    "close.rolling(5, center=not False).mean()",
    "close.fillna(method='b' + 'fill')",
    # a value of the last bar meets a series
    "close / close.iloc[-1]",
    "close / latest(close)",
    "close - close.iloc[-1]",
    "close - prev(close, 3)",
    "close - close.values[-1]",
    "close - close.iat[len('x') - 2]",
    "close - close.tolist()[-1]",
    "close - close.tail(1).item()",
    "close - close.loc[close.index[-1]]",
    "df / df.iloc[-1]",
    "close.div(latest(close))",
    "np.where(close > float(close.iloc[-1]), 1, 0)",
    "maximum(close, latest(close))",
    "x = close.iloc[-1] * 0.9\nclose < x",
    "close < (latest(close) if len(df) > 3 else 0)",
    "x = close\nx -= close.mean()\nx",
    "max(close.iloc[-1], open.iloc[-1]) > close",
    "((close < latest(close)) * close.pct_change()).sum()",
    # bars in another order
    "np.flip(close)",
    "np.sort(close)",
    "close.values[::-1]",
    "close.iloc[::-1]",
    "close.iloc[::-1].values",
    "close[::0-1]",
    "close.sort_index(ascending=False)",
    "close.sort_index(ascending=0 > 1)",
    "sorted(close)",
    "pd.Series(sorted(close), index=df.index)",
    "sma(close.iloc[::-1], 5)",
    "np.flip(close).cumsum()",
    "df.sort_values('volume').close.shift(1)",
]

DOES_NOT = [
    "close.shift(1)",
    "close.shift()",
    "close.diff()",
    "close.pct_change(5)",
    "n = 5\nclose.shift(n)",
    "prev(close, 1)",
    "change(close, 5)",
    "rsi(close, 14) < 30",
    "close.rolling(5).mean()",
    "close.rolling(5, center=False).mean()",
    "close - close.rolling(60).mean()",
    "(close - close.rolling(60).mean()) / close.rolling(60).std()",
    "close / close.expanding().max() - 1",
    "close / close.cummax() - 1",
    "close.ewm(span=12).mean() - close.ewm(span=26).mean()",
    "close.ffill()",
    "close.fillna(0)",
    "close.fillna(method='ffill')",
    "close.asfreq('D', method='ffill')",
    "close.mean()",
    "close.max() - close.min()",
    "close.pct_change().std() * np.sqrt(252)",
    "r = close.pct_change()\nr.mean() / r.std() * np.sqrt(252)",
    "close.iloc[-1] / close.mean()",
    "latest(close) > close.mean()",
    "latest((close - close.mean()) / close.std())",
    "((close - close.mean()) / close.std()).iloc[-1]",
    "close.rank(pct=True).iloc[-1]",
    "(close / close.cummax() - 1).min()",
    "close / close.iloc[0]",
    "close.iloc[:60].mean() < close",
    "close > close['2022'].mean()",
    "close.rolling(20).apply(lambda x: (x[-1] - x.mean()) / x.std())",
    "df.apply(lambda row: row.close - row.open, axis=1)",
    "df[['open', 'close']].mean(axis=1) - close",
    "df.rank(axis=1)",
    "close.rolling(60).rank(pct=True)",
    "df.iloc[::-1]",
    "close[::-1].tolist()",
    "df.sort_index(ascending=False).head(5)",
    "df.sort_values('volume', ascending=False).head(3)",
    "close.resample('W').last()",
    "close.resample('ME').last().pct_change()",
    "close.resample('MS', label='right').last()",
    "df.groupby(date.dt.year).close.mean()",
    "df.groupby(date.dt.month).close.transform('cumsum')",
    "pd.cut(close.pct_change(), [-1, 0, 1]).value_counts()",
    "pd.merge_asof(df, df, on='date')",
    "np.log(close).diff().rolling(20).std()",
    "np.where(close > open, 1, -1)",
    "np.maximum(close, open)",
    "max(close.iloc[0], open.iloc[0]) > close",
    "latest(close) / latest(sma(close, 20)) - 1",
    "close.iloc[-1] / close.iloc[-21] - 1",
    "close.iloc[-1] > close.iloc[-20:].mean()",
    "latest(close / latest(close))",
    "(close / close.iloc[-1]).tail(1)",
    "row = df.iloc[-1]\nrow.close > row.open",
    "(close < latest(close)).mean() * 100",
    "close.shift(10-5)",
    "close.shift(int(3))",
    "n = -1\nn = 5\nclose.shift(n)",
    "n = -1\n[close.shift(n) for n in range(3)]",
    "n = -1\ndef f(n):\n    return close.shift(n)\nf(3)",
    "close[date > date.iloc[-1] - pd.Timedelta(days=365)].mean()",
    "close[df.index > df.index[-1] - pd.DateOffset(months=3)].mean()",
    "date > date.max() - pd.Timedelta(days=5)",
    "sum(close) / len(close)",
    "sorted(close)[-3:]",
    "[x for x in sorted(close)]",
    "close.iloc[::-1].head(5)",
    "close.iloc[::-1].iloc[0]",
    "sma(close, 5).iloc[-1] > close.iloc[-1]",
    "close.sort_index()",
    "close.rolling(5, center=1==2).mean()",
    "macd(close)['histogram'] > 0",
    "bbands(close, 20, 2)['upper'] < close",
    "ta.sma(close, 10, offset=2)",
    "ta.ichimoku(high, low, close, lookahead=False)[0]",
    "ta.dpo(close, centered=False)",
    "x = -5\nclose + x",
    "close * -1",
    "close.corr(open)",
    "f'{close.mean():.2f}'",
    "{'mean': close.mean(), 'last': close.iloc[-1]}",
    "for i in range(3):\n    x = close.iloc[i]\nx",
    "this does not parse",
    "",
]


@pytest.mark.parametrize("source", LOOKS_AHEAD)
def test_look_ahead_is_found(source):
    assert find_look_ahead(source)


@pytest.mark.parametrize("source", DOES_NOT)
def test_what_does_not_look_ahead_is_left_alone(source):
    assert [str(f.message) for f in find_look_ahead(source)] == []


def test_a_finding_names_line_text_and_reason():
    first, second = find_look_ahead("x = close.shift(-1)\ny = 3\nx > x.mean()")
    assert (first.line, first.what) == (1, "close.shift(-1)")
    assert str(second.message) == (
        "<expression>:3: x > x.mean() looks ahead: every bar uses a statistic of the whole sample"
    )


def test_a_value_of_the_last_bar_and_an_order_have_their_own_sentence():
    (finding,) = find_look_ahead("close / latest(close)")
    assert str(finding.message) == (
        "<expression>:1: close / latest(close) looks ahead: every bar uses a value of the last bar"
    )
    (finding,) = find_look_ahead("np.flip(close)")
    assert str(finding.message) == (
        "<expression>:1: np.flip(close) looks ahead: it places later bars before earlier ones"
    )


@pytest.mark.parametrize(
    "source",
    [
        "\n".join("x = close" + ".shift(-1)" * 40 for _ in range(20)),
        "close - (close.mean() + (" * 60 + "1" + "))" * 60,
        "latest(" * 90 + "close - close.mean()" + ")" * 90,
        "x = close" + ".shift(-1)" * 95 + "\n",
        "close.shift('%999999999d' % 1)\n",
        "close.shift('x' * 999999999)\n",
        "close.shift(round(1, -99999999))\n",
        "close.shift(int('9' * 99) * int('9' * 99))\n",
    ],
)
def test_a_long_source_is_looked_at_in_no_time_and_not_told_of_without_end(source):
    import time

    before = time.process_time()
    assert len(find_look_ahead(source * 20)) <= 20
    assert len(find_look_ahead(source)) <= 20
    assert time.process_time() - before < 2


def test_the_same_place_is_reported_once():
    assert len(find_look_ahead("close.shift(-1) + close.shift(-1)")) == 1
    assert len(find_look_ahead("close.shift(-1)\nclose.shift(-1)")) == 2
