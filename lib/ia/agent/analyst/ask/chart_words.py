"""Wishes for a chart and a judgment: "show me Moutai's chart and your verdict", 给我看茅台的图和你的判断."""

import re

from ia.kernel.patterns import pattern

_CHART = r"(?:price )?(?:charts?|candles(?:ticks)?|k-?lines?|graphs?)"
_VIEW = r"(?:verdict|view|opinion|take|judge?ment|analysis|assessment|read|thoughts)"
_VIEW_ZH = r"(?:判断|看法|观点|结论|意见|分析|评价|研判)"
_CHART_ZH = r"(?:k线图?|走势图|图表?|价格图)"
_AND = r"(?:\band\b|,|\bwith\b|&|\bplus\b)"
_BOTH = pattern(
    rf"\b{_CHART}\b.{{0,24}}{_AND}\s*(?:give |tell )?(?:me )?(?:your|an?|the)\s+{_VIEW}\b"
    rf"|\b(?:your|an?|the) {_VIEW}\b.{{0,30}}{_AND}.{{0,30}}\b{_CHART}\b"
    rf"|{_CHART_ZH}.{{0,6}}(?:和|与|及|以及|加|还有|，|,|、|再).{{0,6}}{_VIEW_ZH}"
    rf"|{_VIEW_ZH}.{{0,6}}(?:和|与|及|以及|加|还有|，|,|、|再).{{0,10}}{_CHART_ZH}",
    re.I,
)


def asks_chart_and_view(words: str) -> bool:
    """Return whether a text asks for a chart of a security and for what ia makes of it.

    >>> asks_chart_and_view("Show me Moutai's chart and your verdict"), asks_chart_and_view("给我看茅台的图和你的判断")
    (True, True)
    >>> asks_chart_and_view("show me a chart of CATL"), asks_chart_and_view("你的判断")
    (False, False)
    """
    return _BOTH.search(words) is not None
