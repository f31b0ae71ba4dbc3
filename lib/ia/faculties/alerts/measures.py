"""What a wish for an alert compares: the close, an indicator over the bars, or a figure that no alert can watch."""

import re
from typing import NamedTuple

from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern

CLOSE = "close"


class _Measure(NamedTuple):
    """Words for an expression over the bars; `{n}` in it is the number they name, else the default."""

    words: re.Pattern[str]
    code: str
    default: str = ""


_DAYS = r"(?:(?P<n>\d{1,3})\s*-?\s*(?:日|天|周期|days?|periods?)[\s-]*的?)?"
_IN_BRACKETS = r"(?:\s*[(（]?(?P<m>\d{1,3})[)）]?(?=\D|$)(?:\s*[日天])?)?"


def _indicator(words: str, code: str, default: str) -> _Measure:
    """Return an indicator with a period before it or after it: 14 日 RSI, RSI(14)."""
    return _Measure(pattern(rf"{_DAYS}(?:{words}){_IN_BRACKETS}", re.I), code, default)


_INDICATORS = (
    _indicator(r"相对强弱指[标数]|(?<![a-z])rsi(?![a-z])", "rsi(close, {n})", "14"),
    _indicator(r"(?<![a-z])cci(?![a-z])", "cci(high, low, close, {n})", "20"),
    _indicator(r"(?<![a-z])mfi(?![a-z])", "mfi(high, low, close, volume, {n})", "14"),
    _indicator(r"(?<![a-z])atr(?![a-z])", "atr(high, low, close, {n})", "14"),
    _Measure(pattern(r"(?<![a-z])macd\s*(?:的\s*)?(?:柱(?:状图|体)?|histogram\b)", re.I), "macd(close)['histogram']"),
    _Measure(pattern(r"(?<![a-z])macd(?![a-z])(?:\s*(?:值|线|line\b))?", re.I), "macd(close)['macd']"),
    _Measure(pattern(r"(?<![a-z])kdj\s*(?:的|'s)?\s*k(?![a-z])值?", re.I), "kdj(high, low, close)['k']"),
    _Measure(pattern(r"(?<![a-z])kdj\s*(?:的|'s)?\s*d(?![a-z])值?", re.I), "kdj(high, low, close)['d']"),
    _Measure(pattern(r"(?<![a-z])kdj\s*(?:的|'s)?\s*j(?![a-z])值?", re.I), "kdj(high, low, close)['j']"),
    _Measure(
        pattern(
            r"(?P<n>\d{1,3})\s*-?\s*(?:日|天|days?)?[\s-]*(?:ema(?![a-z])|指数(?:移动)?(?:平均线?|均线)"
            r"|exponential (?:moving )?average)"
            r"|(?<![a-z])ema\s*[(（]?(?P<m>\d{1,3})[)）]?",
            re.I,
        ),
        "ema(close, {n})",
    ),
    _Measure(
        pattern(
            r"(?P<n>\d{1,3})\s*(?:日|天)?(?:移动)?(?:平均线|均线|均价|线)"
            r"|(?P<k>\d{1,3})[\s-]*days? (?:simple )?(?:moving )?(?:average|sma|ma)(?![a-z])"
            r"|(?<![a-z])s?ma\s*[(（]?(?P<m>\d{1,3})[)）]?",
            re.I,
        ),
        "sma(close, {n})",
    ),
    _Measure(pattern(r"半年线"), "sma(close, 120)"),
    _Measure(pattern(r"年线"), "sma(close, 250)"),
    _Measure(pattern(r"成交量|(?<![a-z])(?:(?:trading|daily) )?volume(?![a-z])", re.I), "volume"),
    _Measure(pattern(r"开盘价|\bopen(?:ing)?(?: price)?\b", re.I), "open"),
    _Measure(pattern(r"(?:当日|日内|盘中)?最高价|\b(?:daily|day's|intraday) high\b", re.I), "high"),
    _Measure(pattern(r"(?:当日|日内|盘中)?最低价|\b(?:daily|day's|intraday) low\b", re.I), "low"),
    _Measure(
        pattern(
            r"收盘价?|股价|价格|现价|最新价"
            r"|\b(?:(?:closing|share|stock|market) )?prices?\b(?![\s-]*(?:to|/)[\s-])|\bclose\b", re.I
        ),
        CLOSE,
    ),
)  # fmt: skip
_FIGURES = (
    ("pe_ttm", r"市盈率|(?<![a-z])p/?e(?:[\s-]?(?:ttm|ratio))?(?![a-z])"
     r"|\bprice[\s-]*(?:to|/)[\s-]*earnings(?: ratio)?|\bearnings multiple"),
    ("pb", r"市净率|(?<![a-z])p/?b(?:[\s-]?ratio)?(?![a-z])|\bprice[\s-]*(?:to|/)[\s-]*book(?: ratio)?"),
    ("dividend_yield", r"股息率?|分红率|\b(?:dividend )?yields?\b|\bdividends?\b"),
    ("roe", r"净资产收益率|(?<![a-z])roe(?![a-z])|\breturn on equity\b"),
    ("market_cap", r"(?:总|流通)?市值|\bmarket[\s-]?cap(?:itali[sz]ation)?\b"),
    ("turnover", r"换手率?|\bturnover(?: rate)?\b"),
    ("amount", r"成交(?:金)?额|\b(?:traded value|amount traded)\b"),
    ("gross_margin", r"毛利率|\bgross margins?\b"),
    ("net_margin", r"净利率|\bnet margins?\b"),
    ("debt_ratio", r"(?:资产)?负债率|\bdebt ratio\b"),
    ("profit_yoy", r"(?:净?利润|业绩)(?:同比)?(?:增[长速]率?)?|\b(?:net )?(?:profits?|earnings)(?: growth)?\b"),
    ("revenue_yoy", r"(?:营业?收入?|收入)(?:同比)?(?:增[长速]率?)?|\b(?:revenue|sales)(?: growth)?\b"),
    ("eps", r"每股收益|(?<![a-z])eps(?![a-z])"),
    ("pe_ttm", r"估值|\bvaluation\b"),
)  # fmt: skip
"""Figures of a company that stand in no bar, with the column of a screen that has them."""
_FORMS = tuple((column, pattern(words, re.I)) for column, words in _FIGURES)


def refuse_figures(words: str, bound: str = "") -> None:
    """Raise BadData where words name a figure of a company: an alert reads bars only.

    bound    how the wish compares it, as a screen writes it: `< 25`
    """
    for column, form in _FORMS:
        if found := form.search(words):
            raise BadData(
                "{words}: an alert watches prices, volume and indicators, not this figure",
                words=found[0].strip(),
                expr=f"{column} {bound or '< 25'}",
                hint="`ia screen '{expr}'` lists the stocks that meet it now; `ia task propose` repeats that every day",
            )


def take_measure(words: str) -> tuple[str, str]:
    """Return words without what they compare, and its expression; "" where they name nothing.

    Raises:
        BadData: they name two things.

    >>> take_measure("the RSI of Moutai"), take_measure("茅台20日均线"), take_measure("比亚迪")
    (('the   of Moutai', 'rsi(close, 14)'), ('茅台 ', 'sma(close, 20)'), ('比亚迪', ''))
    """
    found: list[tuple[str, str]] = []
    for measure in _INDICATORS:
        match = measure.words.search(words)
        if match is None:
            continue
        groups = match.groupdict()
        number = next((groups[name] for name in ("n", "k", "m") if groups.get(name)), measure.default)
        words = f"{words[: match.start()]} {words[match.end() :]}"
        found.append((match[0].strip(), measure.code.replace("{n}", number)))
    others = [each for each in found if each[1] != CLOSE]
    if len(others) > 1:
        raise BadData(
            "{one} and {other}: which of them?",
            one=others[0][0],
            other=others[1][0],
            hint="set one alert for each, or one expression: (close < 75) | (close > 100)",
        )
    return words, others[0][1] if others else CLOSE if found else ""
