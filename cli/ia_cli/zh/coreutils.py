"""Chinese of what each function of an expression does: the first lines of the kernels' docstrings."""

CATALOG = {
    "The newest value.": "最新值。",
    "The value n bars before the newest.": "最新值之前第 n 根的值。",
    "The value n bars before (n = 0: x itself).": "n 根之前的值（n = 0 即 x 本身）。",
    "Value minus the value n bars before.": "当前值减去 n 根之前的值。",
    "Percent change from the value n bars before.": "相对 n 根之前的变动百分比。",
    "Simple moving average of the last n values; correctly rounded where they are decimal.": (
        "最近 n 个值的简单移动平均；价格为十进制小数时舍入精确。"
    ),
    "Exponential moving average, weight 2 / (n + 1), seeded by the mean of the first n values.": (
        "指数移动平均，权重 2 / (n + 1)，以前 n 个值的均值起算。"
    ),
    "Weighted moving average: the newest value counts n times, the oldest once.": "加权移动平均：最新值权重 n，最旧值权重 1。",
    "Wilder's moving average (RMA, SMMA), weight 1 / n, seeded by the mean of the first n values.": (
        "Wilder 移动平均（RMA、SMMA），权重 1 / n，以前 n 个值的均值起算。"
    ),
    "Double exponential average: 2 EMA - EMA of EMA.": "双重指数平均：2 EMA - EMA 的 EMA。",
    "Triple exponential average: 3 EMA - 3 EMA of EMA + EMA of EMA of EMA.": "三重指数平均：3 EMA - 3 二重 EMA + 三重 EMA。",
    "Kaufman's adaptive average (2 and 30 bars), started from the value before the first result (TA-Lib).": (
        "考夫曼自适应平均（2 与 30 根），从首个结果的前一个值起算（同 TA-Lib）。"
    ),
    "Average close of the last n bars weighted by volume (the VWAP of n daily bars at their close).": (
        "最近 n 根收盘价按成交量加权的平均（以收盘价计的 n 日 VWAP）。"
    ),
    "Wilder's relative strength index, 0 .. 100, seeded by the mean of the first n changes.": (
        "Wilder 相对强弱指数，0 到 100，以前 n 个涨跌的均值起算。"
    ),
    "(macd, signal, histogram): EMA(fast) - EMA(slow), its EMA, the difference.": (
        "(macd, signal, histogram)：快慢 EMA 之差、其 EMA、两者之差（不乘 2）。"
    ),
    (
        "Percent by which the fast exponential average stands above the slow one, each seeded by its own first values."
    ): "快速指数平均高出慢速的百分比，各以自己的首批数值起算。",
    "Chande momentum oscillator, -100 .. 100, with Wilder's smoothing as TA-Lib has it: 2 RSI - 100.": (
        "钱德动量摆动指标，-100 到 100，同 TA-Lib 用 Wilder 平滑：2 RSI - 100。"
    ),
    "Percent change in one bar of the triple-smoothed EMA.": "三重平滑 EMA 在一根 K 线内的变动百分比。",
    "Stochastic oscillator: (k, d), 0 .. 100; k = 1 is the fast one.": "随机指标：(k, d)，0 到 100；k = 1 为快速随机指标。",
    "KDJ as Chinese charts draw it: (k, d, j), k and d smoothed with weight 1 / k and 1 / d from the first value on.": (
        "国内行情软件的 KDJ：(k, d, j)，k 与 d 从首个值起以 1 / k、1 / d 的权重平滑。"
    ),
    "Williams %R, -100 .. 0.": "威廉指标 %R，-100 到 0。",
    "Commodity channel index of the typical price (high + low + close) / 3.": "典型价格（高 + 低 + 收）/ 3 的顺势指标。",
    "Average directional index, 0 .. 100: strength of the trend, either way.": "平均趋向指数，0 到 100：趋势强度，不论方向。",
    "Wilder's directional movement: (plus, minus, adx), each 0 .. 100.": "Wilder 趋向指标：(plus, minus, adx)，各 0 到 100。",
    "Aroon: (up, down), 0 .. 100: how lately the highest high and the lowest low of n + 1 bars stood.": (
        "阿隆指标：(up, down)，0 到 100：n + 1 根中最高价与最低价距今多近。"
    ),
    "Ultimate oscillator, 0 .. 100: buying pressure over three windows, the shortest weighted 4, the longest 1.": (
        "终极摆动指标，0 到 100：三个窗口的买压，最短的权重 4，最长的权重 1。"
    ),
    "Balance of power, -1 .. 1: the body of the bar in its range.": "均势指标，-1 到 1：实体占全幅之比。",
    "Money flow index, 0 .. 100: typical price times volume, on rising against falling days.": (
        "资金流量指标，0 到 100：上涨日与下跌日的典型价格乘成交量之比。"
    ),
    "On-balance volume: added on a rise, taken away on a fall; starts at the first volume (TA-Lib).": (
        "能量潮：涨则加、跌则减；从首日成交量起算（同 TA-Lib）。"
    ),
    "Accumulation / distribution line; a bar without range adds nothing.": "累积 / 派发线；没有振幅的 K 线不计。",
    "Chaikin oscillator: EMA(fast) - EMA(slow) of the A/D line, both seeded by its first value (TA-Lib).": (
        "蔡金摆动指标：A/D 线的快慢 EMA 之差，均以其首值起算（同 TA-Lib）。"
    ),
    "True range: the bar's range, gap from the close before it included; NaN in the first bar.": (
        "真实波幅：含与前收盘之间的跳空；第一根没有值。"
    ),
    "Average true range: Wilder's average, seeded by the mean of the first n true ranges.": (
        "平均真实波幅：Wilder 平均，以前 n 个真实波幅的均值起算。"
    ),
    "Average true range in percent of the close.": "平均真实波幅占收盘价的百分比。",
    "Bollinger bands: (upper, middle, lower), the average and k population standard deviations around it.": (
        "布林带：(upper, middle, lower)，均线及其上下 k 个总体标准差。"
    ),
    "Standard deviation of the last n values, of the population (divided by n - ddof; pandas takes ddof 1).": (
        "最近 n 个值的总体标准差（除以 n - ddof；pandas 默认 ddof 为 1）。"
    ),
    "Distance from the average of the last n values in population standard deviations; NaN where these are 0.": (
        "偏离最近 n 个值均线多少个总体标准差；标准差为 0 时没有值。"
    ),
    "Rise per bar of the least-squares line through the last n values (n >= 2).": "最近 n 个值最小二乘直线每根的升幅（n >= 2）。",
    "End point of the least-squares line through the last n values (TA-Lib LINEARREG).": (
        "最近 n 个值最小二乘直线的终点（TA-Lib 的 LINEARREG）。"
    ),
    "Pearson correlation over the last n rows, -1 .. 1; NaN where either does not move.": (
        "最近 n 行的皮尔逊相关系数，-1 到 1；任一方不动时没有值。"
    ),
    "Percent of the n values before this one that are not above it, 0 .. 100. Cost: n passes over x.": (
        "之前 n 个值中不高于当前值的百分比，0 到 100。耗时：遍历 x n 次。"
    ),
    "Largest of the last n values.": "最近 n 个值中的最大值。",
    "Smallest of the last n values.": "最近 n 个值中的最小值。",
    "Sum of the last n values.": "最近 n 个值之和。",
    "In how many of the last n bars the condition held.": "最近 n 根中条件成立的次数。",
    "Bars since the condition last held, 0 where it does; NaN before it ever did.": (
        "距条件上次成立过了几根，成立当根为 0；从未成立则没有值。"
    ),
    (
        "True where a is above b and was not in the bar before: a[t] > b[t] and a[t-1] <= b[t-1]. NaN compares false."
    ): "上穿：a[t] > b[t] 且 a[t-1] <= b[t-1]。缺值视为不成立。",
    (
        "True where a is below b and was not in the bar before: a[t] < b[t] and a[t-1] >= b[t-1]. NaN compares false."
    ): "下穿：a[t] < b[t] 且 a[t-1] >= b[t-1]。缺值视为不成立。",
    "a where the condition holds, else b, bar by bar.": "逐根取值：条件成立取 a，否则取 b。",
    "The larger of two, bar by bar.": "逐根取两者中较大的。",
    "The smaller of two, bar by bar.": "逐根取两者中较小的。",
    "Square root; NaN below 0.": "平方根；负数没有值。",
    "Natural logarithm; NaN below 0.": "自然对数；负数没有值。",
    "e to the power of x.": "e 的 x 次方。",
    "Deepest fall within the last n values from a high among them, as a part of the high: -0.25 is a fall by 25 %.": (
        "最近 n 个值之内，自其间高点的最大跌幅，以高点的比例表示：-0.25 即跌 25 %。"
    ),
}
