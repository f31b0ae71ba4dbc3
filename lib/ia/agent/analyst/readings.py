"""What a figure says: the analyst's own rules, each with its threshold, its kind of evidence and its source.

Readings of one kind come from one origin and count once, by their majority. A figure that a skill's procedure has
computed with the same expression is reused; what it lacks is computed besides, for the views that are taken.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ia.agent.analyst import lens
from ia.agent.analyst.voice import Voice, number


class Reading(NamedTuple):
    """One rule: a value at or above `high` counts `high_sign`, at or below `low` the opposite, between them nothing.

    kind    the origin of the evidence: trend, momentum, volume, position, stretch, drift, factors, calm, risk
    above, below, between    what is said then, as (zh, en): "{figure}", "{size}" (without
                             its sign); "" says nothing
    """

    code: str
    kind: str
    view: str
    unit: str
    label: tuple[str, str]
    high: float
    low: float
    high_sign: int
    above: tuple[str, str]
    below: tuple[str, str]
    between: tuple[str, str]
    source: str

    def sign(self, value: float) -> int:
        """Return +1 where the value speaks for the security, -1 against it, 0 where it does not speak."""
        return self.high_sign if value >= self.high else -self.high_sign if value <= self.low else 0

    def shown(self, value: float | None, speak: Voice) -> str:
        """Return the figure as it stands in a table. Only changes and distances carry a plus."""
        return plain(self.code, number(value, self.unit, speak))

    def told(self, value: float, speak: Voice) -> str:
        """Return what the value says, in a sentence."""
        words = self.above if value >= self.high else self.below if value <= self.low else self.between
        if not words[0]:
            return ""
        shown = number(value, self.unit, speak)
        return speak(*words, figure=shown, size=shown.lstrip("+-"))


INDEX = "index: "
"""Marks an expression over the bars of the market's index."""

FACTORS = (
    "25 * (minimum(maximum((ref(close, 20) / ref(close, 250) - 1) * 100 / (stdev(roc(close, 1), 250) * sqrt(250)),"
    " -1), 1)"
    " + minimum(maximum((close / sma(close, 200) - 1) * 100 / (stdev(roc(close, 1), 200) * sqrt(200)), -1), 1)"
    " - minimum(maximum(zscore(close, 20) / 2, -1), 1)"
    " + minimum(maximum(1 - stdev(roc(close, 1), 20) / stdev(roc(close, 1), 250), -1), 1))"
)
"""Momentum and distance from the 200-day average over volatility, short-term reversal and calm, each cut at ±1."""

READINGS = (
    Reading(
        "(close / sma(close, 200) - 1) * 100",
        "trend",
        lens.TREND,
        "percent",
        ("距 200 日均线", "From the 200-day average"),
        2,
        -2,
        1,
        (
            "收盘在 200 日线之上 {size}，主要趋势向上",
            "the close is {size} above its 200-day average: the primary trend is up",
        ),
        (
            "收盘在 200 日线之下 {size}，主要趋势向下",
            "the close is {size} below its 200-day average: the primary trend is down",
        ),
        (
            "收盘贴着 200 日线（{figure}），主要趋势不明",
            "the close hugs its 200-day average ({figure}): no primary trend to speak of",
        ),
        "Faber 2007; Brock, Lakonishok & LeBaron 1992",
    ),
    Reading(
        "roc(sma(close, 60), 20)",
        "trend",
        lens.TREND,
        "percent",
        ("60 日均线近 20 日变化", "60-day average, change in 20 days"),
        1,
        -1,
        1,
        ("60 日线一个月里抬高 {size}", "the 60-day average rose {size} in a month"),
        ("60 日线一个月里下移 {size}", "the 60-day average fell {size} in a month"),
        ("60 日线走平（{figure}）", "the 60-day average is flat ({figure})"),
        "Brock, Lakonishok & LeBaron 1992",
    ),
    Reading(
        "(sma(close, 20) / sma(close, 60) - 1) * 100",
        "trend",
        lens.TREND,
        "percent",
        ("20 日线高于 60 日线", "20-day over 60-day average"),
        1,
        -1,
        1,
        ("20 日线在 60 日线之上 {size}", "the 20-day average is {size} above the 60-day one"),
        ("20 日线在 60 日线之下 {size}", "the 20-day average is {size} below the 60-day one"),
        ("20 日线与 60 日线缠绕（{figure}）", "the 20- and 60-day averages are entangled ({figure})"),
        "Brock, Lakonishok & LeBaron 1992",
    ),
    Reading(
        "(ref(close, 20) / ref(close, 250) - 1) * 100",
        "momentum",
        lens.TREND,
        "percent",
        ("12-1 月动量", "12-1 month momentum"),
        10,
        -10,
        1,
        (
            "跳过最近一月的十二月动量 {figure}，中期动量为正",
            "twelve-month momentum without the last month is {figure}: positive",
        ),
        (
            "跳过最近一月的十二月动量 {figure}，中期动量为负",
            "twelve-month momentum without the last month is {figure}: negative",
        ),
        ("十二月动量 {figure}，不足以说明方向", "twelve-month momentum of {figure} settles nothing"),
        "Jegadeesh & Titman 1993",
    ),
    Reading(
        'macd(close)["histogram"] / close * 100',
        "momentum",
        lens.TREND,
        "percent",
        ("MACD 柱占价格", "MACD histogram of price"),
        0.3,
        -0.3,
        1,
        (
            "MACD 柱为正（价格的 {size}），短期动能在加强",
            "the MACD histogram is positive ({size} of price): short-term momentum builds",
        ),
        (
            "MACD 柱为负（价格的 {size}），短期动能在减弱",
            "the MACD histogram is negative ({size} of price): short-term momentum fades",
        ),
        (
            "MACD 柱接近零（{figure}），短期没有动能",
            "the MACD histogram is near zero ({figure}): no short-term momentum",
        ),
        "Appel 2005",
    ),
    Reading(
        "total(where(change(close, 1) > 0, volume, 0), 20) / total(where(change(close, 1) < 0, volume, 0), 20)",
        "volume",
        lens.TREND,
        "ratio",
        ("20 日涨跌量比", "Up to down volume, 20 days"),
        1.3,
        0.77,
        1,
        (
            "近 20 日上涨日的量是下跌日的 {figure} 倍，量在买方",
            "in 20 days rising days carried {figure} times the volume of falling ones",
        ),
        (
            "近 20 日上涨日的量只有下跌日的 {figure} 倍，量在卖方",
            "in 20 days rising days carried only {figure} times the volume of falling ones",
        ),
        ("近 20 日涨跌日的量相当（{figure} 倍），量没有站队", "volume of rising and falling days is even ({figure})"),
        "Granville 1963",
    ),
    Reading(
        "percentrank(close, 1250)",
        "position",
        lens.VALUE,
        "points",
        ("五年价格分位", "Rank in five years"),
        80,
        25,
        -1,
        (
            "现价高于五年里 {figure}% 的日子：便宜已经不在",
            "the price is above {figure}% of the days of five years: it is not cheap any more",
        ),
        (
            "现价只高于五年里 {figure}% 的日子：处在自身历史的低位",
            "the price is above only {figure}% of the days of five years: low in its own history",
        ),
        (
            "现价处在五年区间的中段（高于 {figure}% 的日子）",
            "the price is in the middle of its five years (above {figure}% of the days)",
        ),
        "De Bondt & Thaler 1985",
    ),
    Reading(
        "(close / vwma(close, volume, 750) - 1) * 100",
        "position",
        lens.VALUE,
        "percent",
        ("距三年成交均价", "From the three-year volume-weighted price"),
        30,
        -15,
        -1,
        (
            "比三年成交均价高 {size}，平均持有者浮盈很厚",
            "{size} above the three-year volume-weighted price: the average holder sits on a large gain",
        ),
        (
            "比三年成交均价低 {size}，平均持有者在亏损",
            "{size} below the three-year volume-weighted price: the average holder is under water",
        ),
        ("离三年成交均价不远（{figure}）", "not far from the three-year volume-weighted price ({figure})"),
        "Grinblatt & Han 2005",
    ),
    Reading(
        "(close / highest(close, 1250) - 1) * 100",
        "position",
        lens.VALUE,
        "percent",
        ("距五年高点", "From the five-year high"),
        -5,
        -45,
        -1,
        ("离五年最高收盘只差 {size}", "only {size} below the highest close of five years"),
        (
            "比五年最高收盘低 {size}，跌得深；跌得深不等于便宜",
            "{size} below the highest close of five years: deep, which is not the same as cheap",
        ),
        ("比五年最高收盘低 {size}", "{size} below the highest close of five years"),
        "De Bondt & Thaler 1985",
    ),
    Reading(
        FACTORS,
        "factors",
        lens.QUANT,
        "points",
        ("四因子得分", "Four-factor score"),
        25,
        -25,
        1,
        ("四因子得分 {figure}（满分正负 100），偏正", "the four-factor score is {figure} (of ±100): positive"),
        ("四因子得分 {figure}（满分正负 100），偏负", "the four-factor score is {figure} (of ±100): negative"),
        ("四因子得分 {figure}（满分正负 100），没有方向", "the four-factor score is {figure} (of ±100): no direction"),
        "Jegadeesh & Titman 1993",
    ),
    Reading(
        "rsi(close, 14)",
        "stretch",
        lens.QUANT,
        "points",
        ("RSI(14)", "RSI(14)"),
        70,
        30,
        -1,
        ("RSI {figure}，短期过热", "RSI at {figure}: overbought"),
        ("RSI {figure}，短期超卖", "RSI at {figure}: oversold"),
        ("RSI {figure}，不冷不热", "RSI at {figure}: neither hot nor cold"),
        "Wilder 1978",
    ),
    Reading(
        "zscore(close, 60)",
        "stretch",
        lens.QUANT,
        "ratio",
        ("60 日 z 值", "z-score, 60 days"),
        2,
        -2,
        -1,
        ("高出 60 日均值 {size} 个标准差，拉得太开", "{size} standard deviations above its 60-day mean: stretched"),
        (
            "低于 60 日均值 {size} 个标准差，跌得太开",
            "{size} standard deviations below its 60-day mean: stretched downwards",
        ),
        (
            "离 60 日均值 {figure} 个标准差，在常态之内",
            "{figure} standard deviations from its 60-day mean: within the ordinary",
        ),
        "Jegadeesh 1990",
    ),
    Reading(
        "sma(roc(close, 1), 750) / stdev(roc(close, 1), 750) * sqrt(750)",
        "drift",
        lens.QUANT,
        "ratio",
        ("三年日均收益 t 值", "t-value of the mean return, three years"),
        2,
        -2,
        1,
        (
            "三年日均收益的 t 值 {figure}，上行漂移统计上显著",
            "the mean daily return of three years has a t-value of {figure}: the upward drift is significant",
        ),
        (
            "三年日均收益的 t 值 {figure}，下行漂移统计上显著",
            "the mean daily return of three years has a t-value of {figure}: the downward drift is significant",
        ),
        (
            "三年日均收益的 t 值 {figure}，与零分不开：历史漂移不能当依据",
            "the mean daily return of three years has a t-value of {figure}: not to be told from zero",
        ),
        "Student's t",
    ),
    Reading(
        "stdev(roc(close, 1), 20) / stdev(roc(close, 1), 250)",
        "calm",
        lens.QUANT,
        "ratio",
        ("20 日/250 日波动比", "Volatility, 20 to 250 days"),
        1.3,
        0.75,
        -1,
        (
            "近 20 日的波动是一年的 {figure} 倍，波动在放大",
            "20-day volatility is {figure} times that of the year: rising",
        ),
        (
            "近 20 日的波动只有一年的 {figure} 倍，市场平静",
            "20-day volatility is only {figure} times that of the year: calm",
        ),
        ("近 20 日的波动与一年相当（{figure} 倍）", "20-day volatility is in line with the year's ({figure})"),
        "Bollerslev 1986",
    ),
    Reading(
        "(close / highest(close, 250) - 1) * 100",
        "risk",
        lens.RISK,
        "percent",
        ("当前回撤（一年高点）", "Drawdown (from the year's high)"),
        0.01,
        -20,
        1,
        ("创一年新高", "at the high of the year"),
        ("从一年高点已回撤 {size}", "{size} below the high of the year"),
        ("从一年高点回撤 {size}，在寻常范围", "{size} below the high of the year, within the ordinary"),
        "drawdown",
    ),
    Reading(
        "natr(high, low, close, 14)",
        "risk",
        lens.RISK,
        "percent",
        ("ATR(14) 占价格", "ATR(14) of price"),
        4,
        -1,
        -1,
        (
            "日常波幅就有 {size}：止损要放宽，仓位要放小",
            "an ordinary day moves {size}: stops need room, positions must be small",
        ),
        ("", ""),
        ("日常波幅 {size}", "an ordinary day moves {size}"),
        "Wilder 1978",
    ),
    Reading(
        "lowest(open / ref(close, 1) - 1, 250) * 100",
        "risk",
        lens.RISK,
        "percent",
        ("一年最大向下跳空", "Largest gap down in a year"),
        100,
        -6,
        1,
        ("", ""),
        (
            "一年里最大的向下跳空 {size}，止损单挡不住这种缺口",
            "the largest gap down of the year was {size}, which no stop order stops",
        ),
        ("一年里最大的向下跳空 {size}", "the largest gap down of the year was {size}"),
        "gaps",
    ),
    Reading(
        "mfi(high, low, close, volume, 14)",
        "volume",
        "flow",
        "points",
        ("资金流量指标 MFI(14)", "Money flow index (14)"),
        60,
        40,
        1,
        ("资金流量指标 {figure}，资金偏流入", "the money flow index is {figure}: money tends in"),
        ("资金流量指标 {figure}，资金偏流出", "the money flow index is {figure}: money tends out"),
        ("资金流量指标 {figure}，进出相当", "the money flow index is {figure}: in and out are even"),
        "Quong & Soudack 1989",
    ),
    Reading(
        "sma(volume, 5) / sma(volume, 60)",
        "heat",
        "flow",
        "ratio",
        ("5 日/60 日均量", "Volume, 5 to 60 days"),
        1.8,
        0.6,
        -1,
        (
            "5 日均量是 60 日的 {figure} 倍，情绪升温，短期易反复",
            "5-day volume is {figure} times that of 60 days: heated, prone to swing back",
        ),
        (
            "5 日均量只有 60 日的 {figure} 倍，乏人问津",
            "5-day volume is only {figure} times that of 60 days: nobody cares",
        ),
        ("5 日均量是 60 日的 {figure} 倍，情绪平常", "5-day volume is {figure} times that of 60 days: ordinary"),
        "Gervais, Kaniel & Mingelgrin 2001",
    ),
    Reading(
        INDEX + "(close / sma(close, 200) - 1) * 100",
        "market",
        "market",
        "percent",
        ("指数距 200 日均线", "Index from its 200-day average"),
        2,
        -2,
        1,
        (
            "指数在 200 日线之上 {size}，大盘是顺风",
            "the index is {size} above its 200-day average: the market is a tailwind",
        ),
        (
            "指数在 200 日线之下 {size}，大盘是逆风",
            "the index is {size} below its 200-day average: the market is a headwind",
        ),
        (
            "指数贴着 200 日线（{figure}），大盘没有方向",
            "the index hugs its 200-day average ({figure}): the market has no direction",
        ),
        "Faber 2007",
    ),
    Reading(
        INDEX + "roc(close, 20)",
        "market",
        "market",
        "percent",
        ("指数近 20 日涨跌", "Index, change in 20 days"),
        3,
        -3,
        1,
        ("指数近 20 日 {figure}", "the index moved {figure} in 20 days"),
        ("指数近 20 日 {figure}", "the index moved {figure} in 20 days"),
        ("指数近 20 日 {figure}", "the index moved {figure} in 20 days"),
        "Moskowitz, Ooi & Pedersen 2012",
    ),
)
"""In the order in which they are weighed within a view."""

PRIMARY = READINGS[0]
"""The reading that decides what is said of the primary trend."""

KINDS = {
    "trend": ("趋势", "trend"),
    "momentum": ("动量", "momentum"),
    "volume": ("量能", "volume"),
    "position": ("价格位置", "price position"),
    "stretch": ("短期拉伸", "short-term stretch"),
    "drift": ("历史漂移", "historical drift"),
    "factors": ("因子", "factors"),
    "calm": ("波动状态", "volatility regime"),
    "risk": ("风险", "risk"),
    "market": ("大盘", "the market"),
    "heat": ("交易热度", "heat"),
}

ALWAYS = ("close", "close - 2 * atr(high, low, close, 14)", "close + 2 * atr(high, low, close, 14)",
          "highest(high, 55)", "lowest(low, 20)", "sma(close, 60)", "sma(close, 200)")  # fmt: skip
"""Levels that every view needs: where it stands, and where it would be wrong."""


BASICS = {
    "close": ("收盘价", "Close", "price"),
    "roc(close, 1)": ("当日涨跌", "Change, 1 day", "percent"),
    "roc(close, 5)": ("近 5 日涨跌", "Change, 5 days", "percent"),
    "roc(close, 20)": ("近 20 日涨跌", "Change, 20 days", "percent"),
    "roc(close, 60)": ("近 60 日涨跌", "Change, 60 days", "percent"),
    "roc(close, 250)": ("近 250 日涨跌", "Change, 250 days", "percent"),
    "(close / sma(close, 60) - 1) * 100": ("距 60 日均线", "From the 60-day average", "percent"),
    "volume / sma(ref(volume, 1), 20)": ("量比（对前 20 日）", "Volume ratio (20 days before)", "ratio"),
    "adx(high, low, close, 14)": ("ADX(14)", "ADX(14)", "points"),
    "stdev(roc(close, 1), 60) * sqrt(250)": ("年化波动率（60 日）", "Volatility a year (60 days)", "percent"),
    "(close - lowest(low, 250)) / (highest(high, 250) - lowest(low, 250)) * 100": (
        "一年高低区间中的位置",
        "Place in the year's range",
        "points",
    ),
    "close - 2 * atr(high, low, close, 14)": ("2 倍 ATR 下方价位", "Price 2 ATR below", "price"),
    "(sqrt(sqrt(close / ref(close, 1000))) - 1) * 100": ("四年年化收益", "Yearly return, four years", "percent"),
    "lowest(close / highest(close, 250) - 1, 1000) * 100": (
        "四年中最深的一年内回撤",
        "Deepest one-year drawdown in four years",
        "percent",
    ),
    "barssince(close >= highest(close, 1250))": ("距上次五年新高", "Since the last five-year high", "days"),
    "lowest(roc(close, 1), 250)": ("一年最差单日", "Worst day of a year", "percent"),
    "minimum(50 / natr(high, low, close, 14), 100)": (
        "1% 风险对应的仓位上限",
        "Largest position at 1% risk",
        "percent",
    ),
}


def plain(code: str, shown: str) -> str:
    """Return a figure without its plus, unless its expression is a change or a distance."""
    return shown if "- 1)" in code or code.removeprefix(INDEX).startswith("roc(") else shown.removeprefix("+")


def key(code: str) -> str:
    """Return an expression without its spaces: what two ways of writing it share."""
    return "".join(code.split()).replace("'", '"')


LABELS = {key(code): told for code, told in (*BASICS.items(), *((r.code, (*r.label, r.unit)) for r in READINGS))}
"""What well-known expressions are called, and their unit, whichever skill computes them and in whichever language."""


def wanted(views: Iterable[str]) -> list[Reading]:
    """Return the readings of these views, in the order of the views."""
    return [reading for view in views for reading in READINGS if reading.view == view]
