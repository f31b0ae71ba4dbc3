"""What of a wish to scan is a condition: words beside those of a list that is scanned."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.facts import WATCH_WORDS
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.screens import strip_fillers
from ia.kernel.patterns import pattern

_VERB = pattern(
    r"扫描(?:一下|一遍|一次)?|扫一?[遍下]|筛选(?:一下|一遍|出来?)?|筛一?[遍下]|过一遍"
    r"|\b(?:run (?:a|the|my) )?(?:re-?)?(?:scan|screen)(?:s|ning|ned|ing|ed|er)?\b(?:\s+(?:through|over))?|\bgo over\b",
    re.I,
)
HELD = pattern(
    r"持仓|持有的?|仓位|手[里上头]的?(?:股票|票|持)|我的(?:股票|票)"
    r"|\b(?:holdings?|positions?|portfolio|i (?:hold|own))\b",
    re.I,
)
_MARKET = pattern(
    r"全市场|市场|全部(?:A股|股票)|A股|沪深|两市|大盘"
    r"|\b(?:whole |entire |full )?market\b|\ball (?:a-?shares|stocks)\b",
    re.I,
)
_IDLE = pattern(
    r"机会|异动|风险|问题|信号|重点|关注|名单|列表|所有|全部|今[天日]|一下|一遍|再|帮忙|麻烦|每只|逐[个只]|我的?|的|看|把|对|来|吧|了|又"
    r"|\b(?:my|today|again|now|please|quick(?:ly)?|anything|something|interesting|opportunit\w+|setups?|candidates?|signals?|ideas?|risks?"
    r"|flags?|red|full|whole|entire|list|new|you|could|can|would|run|do|through|over|look(?:ing)?|every|each|everything)\b",
    re.I,
)
"""Words of a wish to scan a list that change nothing of it."""


class ScanWish(NamedTuple):
    """The words of a wish to scan without its verb; those of them that are a condition; of which list it is.

    market   whether the market is named; watch, held: whether the watch list, or what is held, is
    """

    words: str
    condition: str
    market: bool
    watch: bool
    held: bool


def read_scan(words: str) -> ScanWish:
    """Return what a wish to scan names.

    >>> read_scan("扫描关注列表").condition, read_scan("全市场扫描RSI低于30").condition.split()
    ('', ['RSI低于30'])
    >>> read_scan("screen for low PE banks").condition.split()
    ['low', 'PE', 'banks']
    """
    rest = _VERB.sub(" ", strip_mentions(words))
    watch, held, market = (bool(form.search(rest)) for form in (WATCH_WORDS, HELD, _MARKET))
    condition = rest
    for form in (WATCH_WORDS, HELD, _MARKET, _IDLE):
        condition = form.sub(" ", condition)
    return ScanWish(" ".join(rest.split()), strip_fillers(condition), market, watch, held)
