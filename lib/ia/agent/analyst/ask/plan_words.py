"""Plans of the owner that name a price: "my plan: add CATL at 75", 我的计划：宁德时代跌到75加仓."""

import re

from ia.kernel.patterns import pattern

_PLAN = pattern(r"\bplan\b|计划|打算", re.I)
_NUMBER = r"[$¥￥]?\s*(?P<price>\d{1,6}(?:\.\d{1,4})?)(?![\d.,]*\d|\s*(?:%|％|股|手|shares|lots|万|亿|days?|天|日))"
_BUY = r"add(?: to| more)?|buy(?: more| back)?|accumulate|enter|加仓|买入|买回|买|建仓|补仓|抄底|上车"
_SELL = r"sell|trim|reduce|take profits?|减仓|卖出|卖|止盈"
_STOP = r"stop(?:ped)?(?: out)?|cut|exit|bail out|止损|清仓|离场"
_ACT = rf"(?:(?P<buy>{_BUY})|(?P<sell>{_SELL})|(?P<stop>{_STOP}))"
_UP, _DOWN = (
    r"above|over|rises? to|涨到|升到|突破|涨至|以上|上方",
    r"below|under|falls? to|drops? to|dips? to|跌到|跌至|跌破|回到|回落到|以下",
)
_EN = pattern(
    rf"\b{_ACT}\b[^.;\d]{{0,40}}?(?:\b\d+ (?:shares|lots)\b[^.;\d]{{0,30}}?)?"
    rf"(?:\b(?P<up>{_UP})|(?P<down>\b(?:{_DOWN}))|\bat|\bnear|\baround|@)\s*{_NUMBER}",
    re.I,
)
_ZH = pattern(
    rf"(?:(?P<up>涨到|升到|突破|涨至)|(?P<down>跌到|跌至|跌破|回到|回落到)|在|到)?\s*{_NUMBER}\s*(?:元|块钱?)?"
    rf"(?:(?P<above>以上|上方)|(?P<below>以下)|附近|左右)?(?:的?时候?|就|再|我|分批|，|,)*\s*{_ACT}"
)


def find_planned_conditions(words: str) -> list[str]:
    """Return the conditions of the prices at which the owner plans to act; [] where a text tells no such plan.

    Buying and stops wait for a price to fall there, sales for it to rise, unless the words say otherwise.

    >>> find_planned_conditions("my plan: add CATL at 75")
    ['close <= 75']
    >>> find_planned_conditions("我的计划：宁德时代75加仓，涨到90减仓")
    ['close <= 75', 'close >= 90']
    >>> find_planned_conditions("my plan: add 100 shares at 75"), find_planned_conditions("add CATL at 75")
    (['close <= 75'], [])
    """
    if not _PLAN.search(words):
        return []
    found = [each for form in (_EN, _ZH) for each in form.finditer(words)]
    conditions = []
    for each in found:
        groups = each.groupdict()
        rises = groups["sell"] is not None
        if groups["up"] or groups.get("above"):
            rises = True
        elif groups["down"] or groups.get("below"):
            rises = False
        conditions.append(f"close {'>=' if rises else '<='} {groups['price']}")
    return list(dict.fromkeys(conditions))[:2]
