"""Chinese of `ia indicator`."""

CATALOG = {
    # help
    "List, describe and calculate technical indicators.": "列出、说明和计算技术指标。",
    "The figures follow TA-Lib; where packages differ, DIFFERENCES OF CONVENTION in ia-indicator(1) tells how.": (
        "数值以 TA-Lib 为准；各软件口径不同之处，见 ia-indicator(1) 的 DIFFERENCES OF CONVENTION 一节。"
    ),
    "List the indicators with their categories.": "列出全部指标及其分类。",
    "Only trend, momentum, volatility, statistics or volume.": (
        "只列一类：trend（趋势）、momentum（动量）、volatility（波动）、statistics（统计）或 volume（量能）。"
    ),
    "List the functions that expressions of `ia compute` can call instead.": "改为列出 `ia compute` 表达式可用的函数。",
    "--functions and --category exclude each other": "--functions 和 --category 不能同时使用",
    "Print an indicator's parameters, inputs and results as JSON.": "以 JSON 输出一个指标的参数、输入和结果。",
    "NAME is one of `ia indicator list`, or the coreutil of the same figures; case does not matter.": (
        "NAME 是 `ia indicator list` 里的名字，或同一指标的 coreutil 函数名；不分大小写。"
    ),
    "Print an indicator's newest and previous value as JSON.": "以 JSON 输出一个指标的最新值和前一个值。",
    (
        "Computed on the canonical OHLCV of FILE, of --symbol, or of standard input. An indicator with one result prints "
        "value, prev and date; one with several prints each under its name, and prev holds the same names. A value that "
        "is not there (too few bars) is null."
    ): (
        "数据取自 FILE、--symbol 或标准输入的规范 OHLCV。单一结果的指标输出 value、prev 和 date；有多个结果的指标按名称逐一输出，"
        "prev 内是同样的名称。没有的值（K 线太少）为 null。"
    ),
    "Compute on the prices of this symbol instead of standard input.": "用这个代码的行情计算，不读标准输入。",
    "Set a parameter; may be repeated.": "设置一个参数；可以多次使用。",
    # messages
    "{name}: no such category": "{name}：没有这个分类",
    "it is one of {names}": "可选：{names}",
    "{name}: no such indicator": "{name}：没有这个指标",
    "did you mean {near}?": "是不是想写 {near}？",
    "see `ia indicator list`": "见 `ia indicator list`",
    "{indicator} has no parameter {name}": "{indicator} 没有参数 {name}",
    "{indicator} has no parameters": "{indicator} 没有参数",
    "it has {names}": "它的参数有 {names}",
    "{indicator}: fast must be below slow": "{indicator}：fast 必须小于 slow",
    "{indicator}: {param} must be a number, not {value}": "{indicator}：{param} 应为数字，不能是 {value}",
    "{indicator}: {param} must be a whole number, not {value}": "{indicator}：{param} 应为整数，不能是 {value}",
    "{indicator}: {param} must be between {low} and {high}, not {value}": (
        "{indicator}：{param} 应在 {low} 到 {high} 之间，不能是 {value}"
    ),
    "{indicator}: {rows} bars are too few for a value": "{indicator}：只有 {rows} 根 K 线，算不出数值",
    "--param {text}: it should read KEY=VALUE": "--param {text}：应写成 KEY=VALUE",
    "give --symbol or FILE, not both": "--symbol 和 FILE 只能给一个",
    # descriptions
    "Simple moving average of the close": "收盘价的简单移动平均",
    "Exponential moving average of the close": "收盘价的指数移动平均",
    "Linearly weighted moving average of the close": "收盘价的线性加权移动平均",
    "Double exponential moving average of the close": "收盘价的双重指数移动平均",
    "Triple exponential moving average of the close": "收盘价的三重指数移动平均",
    "Kaufman's adaptive moving average of the close": "收盘价的考夫曼自适应移动平均",
    "Moving average of the close weighted by volume": "收盘价的成交量加权移动平均",
    "Convergence and divergence of two exponential averages, with a signal line": "指数平滑异同移动平均线：快慢均线之差及其信号线",
    "Percentage price oscillator: fast over slow exponential average, percent": "价格震荡百分比：快线高出慢线的百分比",
    "Average directional index: strength of the trend, 0-100 range": "平均趋向指数：趋势强度，范围 0-100",
    "Directional movement: +DI, -DI and ADX, 0-100 range": "趋向指标：+DI、-DI 和 ADX，范围 0-100",
    "Aroon up and down: how recent the highest high and the lowest low are, 0-100 range": (
        "阿隆上线与下线：最高价和最低价距今多近，范围 0-100"
    ),
    "Change of the triple exponential average, percent a bar": "三重指数平均的变化，每根 K 线的百分比",
    "End point of the least-squares line through the closes": "收盘价最小二乘直线的终点值",
    "Slope of the least-squares line through the closes, price a bar": "收盘价最小二乘直线的斜率，每根 K 线的价格",
    "Relative Strength Index, 0-100 range": "相对强弱指数，范围 0-100",
    "Stochastic oscillator %K and %D, 0-100 range": "随机指标 %K 和 %D，范围 0-100",
    "Stochastic oscillator with recursive smoothing, and J = 3 K - 2 D": "随机指标 KDJ：递推平滑的 K 和 D，J = 3 K - 2 D",
    "Williams %R, -100-0 range": "威廉指标 %R，范围 -100-0",
    "Commodity Channel Index of the typical price": "典型价格的顺势指标",
    "Rate of change of the close, percent": "收盘价变动率，百分比",
    "Close minus the close some bars before": "收盘价减去若干根 K 线之前的收盘价",
    "Chande momentum oscillator (Wilder smoothing), -100-100 range": "钱德动量摆动指标（Wilder 平滑），范围 -100-100",
    "Buying pressure over three windows, 0-100 range": "终极摆动指标：三个窗口的买压，范围 0-100",
    "Balance of power: body of the bar in its range, -1-1 range": "均势指标：实体占全幅之比，范围 -1-1",
    "Average of the close and bands of some standard deviations around it": "布林带：收盘价均线及其上下若干标准差",
    "Average true range (Wilder)": "平均真实波幅（Wilder）",
    "Average true range, percent of the close": "平均真实波幅占收盘价的百分比",
    "Range of the bar, the gap from the close before it included": "真实波幅：含与前收盘之间的跳空",
    "Population standard deviation of the close": "收盘价的总体标准差",
    "Distance of the close from its average in standard deviations": "收盘价偏离均线多少个标准差",
    "Percent of the closes before that are not above this one, 0-100 range": "此前收盘价中不高于当前的百分比，范围 0-100",
    "Highest high of the last bars": "最近若干根 K 线的最高价",
    "Lowest low of the last bars": "最近若干根 K 线的最低价",
    "On-balance volume": "能量潮",
    "Money flow index, 0-100 range": "资金流量指标，范围 0-100",
    "Accumulation / distribution line": "累积 / 派发线",
    "Fast minus slow average of the accumulation / distribution line": "蔡金摆动指标：累积 / 派发线快慢均线之差",
}
