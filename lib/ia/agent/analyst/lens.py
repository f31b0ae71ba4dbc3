"""The soul's lens: which views of a security come first, which are taken at all, and what else it wants looked at."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ia.agent.analyst.voice import Voice

VALUE, TREND, QUANT, RISK = "value", "trend", "quant", "risk"

_WORDS = {
    VALUE: r"价值|基本面|估值|市盈率|市净率|安全边际|护城河|自由现金流|内在价值|便宜|逆向|恐慌中|长期持有"
    r"|\bP/?E\b|\bP/?B\b|\bROE\b|\bFCF\b|\bvalue\b|valuation|fundamental|margin of safety|\bmoat|intrinsic|contrarian",
    TREND: r"趋势|技术面|技术分析|均线|动量|成交量|突破|顺势|板块轮动|K线"
    r"|\btrend|technical|moving average|momentum|breakout|price action",
    QUANT: r"量化|因子|统计|显著性|回测|概率|多因子|数据驱动"
    r"|\bquant|\bfactors?\b|statistic|significan|backtest|probabilit",
    RISK: r"风险|回撤|波动|止损|仓位|宁可错过|本金|\brisk|drawdown|volatil|stop.?loss|position siz"
    r"|capital preservation",
}
_LENSES = {lens: re.compile(words, re.I) for lens, words in _WORDS.items()}
_NOT = re.compile(
    r"(不(看|用|信|碰|谈|考虑|迷信|相信|依赖)|忽略|无视|从不看|not? (look|use|trust|care)\w*|ignore|never (look|use)"
    r"|without)[^，。；,.;]*$",
    re.I,
)
_LIMITS = ("边界", "禁忌", "底线", "limit", "boundar")
_GROWTH = ("成长", "growth", "grow")

_OPPOSITE = {VALUE: TREND, TREND: VALUE, QUANT: RISK, RISK: TREND}

_CONCERNS = {
    "market": r"大盘|指数|整体市场|系统性|\b(broad|overall|whole) market\b|\bindex\b|market('s)? trend|benchmark",
    "flow": r"资金面|资金流|资金|情绪|成交|量能|流动性|\bflows?\b|sentiment|liquidity|turnover",
    "catalyst": r"催化|时机|拐点|业绩预告|catalyst|\btiming\b|turning point",
    "cost": r"追高|追涨|chas(e|ing)",
}
_CARES = {name: re.compile(words, re.I) for name, words in _CONCERNS.items()}

NAMES = {
    VALUE: ("价值视角", "Value"),
    TREND: ("趋势视角", "Trend"),
    QUANT: ("量化视角", "Quant"),
    RISK: ("风险视角", "Risk"),
    "market": ("大盘", "The market"),
    "flow": ("资金面与情绪", "Flows and sentiment"),
}


class Lens(NamedTuple):
    """An order of views.

    `weighed` is the one that counts double, "" without a soul that says; `counter` was added because one view alone
    proves nothing; `words` are the soul's own that decided, or (by_question) the user's.
    """

    order: tuple[str, ...]
    weighed: str = ""
    counter: str = ""
    words: tuple[str, ...] = ()
    by_question: bool = False


NEUTRAL = Lens((TREND, VALUE, QUANT, RISK))


def of_soul(soul: str) -> Lens:
    """Return the views in the order in which a soul names them; what it says it ignores is left out.

    Limits and directions of growth decide nothing here. One view alone is joined by its opposite, and risk comes last.

    >>> of_soul("# 我的风格\\n- 先看均线和动量，再看估值").order
    ('trend', 'value', 'risk')
    >>> of_soul("# Style\\n- Factor scores first; I do not look at charts or momentum").order
    ('quant', 'risk')
    """
    named: dict[str, str] = {}
    refused: set[str] = set()
    for line in _style(soul):
        spots = sorted((found.start(), lens, found[0]) for lens, pattern in _LENSES.items()
                       if (found := pattern.search(line)))  # fmt: skip
        for at, lens, word in spots:
            if _NOT.search(line[:at]):
                refused.add(lens)
            else:
                named.setdefault(lens, word)
    order = [lens for lens in named if lens not in refused]
    if not order:
        return NEUTRAL._replace(order=tuple(lens for lens in NEUTRAL.order if lens not in refused) or (RISK,))
    weighed, counter = order[0], ""
    if len([lens for lens in order if lens != RISK]) < 2:
        counter = _OPPOSITE[order[0]]
        counter = counter if counter not in refused and counter not in order else ""
    steps = dict.fromkeys(
        [*(lens for lens in order if lens != RISK or lens == order[0]), *filter(None, [counter]), RISK]
    )
    kept = tuple(lens for lens in steps if lens not in refused)
    return Lens(kept, weighed, counter, tuple(named[lens] for lens in order))


def concerns(soul: str, beliefs: str) -> dict[str, str]:
    """Return what a coach has asked to look at besides, by name, with the line that asks for it.

    The soul's directions of growth and style, and the beliefs: `market`, `flow`, `catalyst`, `cost`.
    """
    found: dict[str, str] = {}
    for line in [*_section(soul, _GROWTH), *_style(soul), *beliefs.splitlines()]:
        for name, pattern in _CARES.items():
            if pattern.search(line) and name not in found and not line.startswith("#"):
                found[name] = line.strip().lstrip("-* ").strip()
    return found


def asked(lens: Lens, question: str) -> Lens:
    """Return the lens for a question that names a view itself (`从价值角度`, `风险大吗`): that one first."""
    named = [view for view, pattern in _LENSES.items() if pattern.search(question)]
    if len(named) != 1 or named[0] == lens.order[0]:
        return lens
    word = _LENSES[named[0]].search(question)
    rest = (view for view in lens.order if view != named[0])
    return Lens(
        (named[0], *rest), named[0], "" if named[0] == lens.counter else lens.counter, (word[0] if word else "",), True
    )


def widened(lens: Lens, cares: Iterable[str]) -> Lens:
    """Return the lens with what a coach has asked for: the market before everything, flows after the first view."""
    order = list(lens.order)
    if "flow" in cares:
        order.insert(1, "flow")
    if "market" in cares:
        order.insert(0, "market")
    return lens._replace(order=tuple(order))


def title(lens: str, speak: Voice) -> str:
    """Return the name of a view."""
    return speak(*NAMES.get(lens, (lens, lens)))


def _style(soul: str) -> list[str]:
    """Return the lines that say how to look at things: all but limits and directions of growth."""
    kept, inside = [], True
    for line in soul.splitlines():
        if line.startswith("#"):
            inside = not any(word in line.casefold() for word in (*_LIMITS, *_GROWTH))
        elif inside and line.strip():
            kept.append(line)
    return kept


def _section(text: str, words: tuple[str, ...]) -> list[str]:
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("#"):
            inside = any(word in line.casefold() for word in words)
        elif inside and line.strip():
            kept.append(line)
    return kept
