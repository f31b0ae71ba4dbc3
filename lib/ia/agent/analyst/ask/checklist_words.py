"""Wishes to go through a checklist: "run my buy checklist on 300750", "300750 能买吗，过一遍清单"."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

ASKS = pattern_by_letters(
    r"\bcheck-?\s?lists?\b|检查清单|做(?:一?[遍下次个])?(?:我的)?(?:买入?|卖出?|每周)前?的?检查"
    r"|(?:买入?|卖出?|每周|周)前?(?:的)?(?:检查)?清单"
    r"|(?:过|走|跑|查|对照|执行|按|用)(?:一?[遍下次])?(?:我的)?[^，。,;；]{0,8}(?<!关注)(?<!自选)(?<!观察)(?<!任务)(?<!待办)(?<!持仓)清单",
    re.I,
)
_LISTS = pattern(r"有(?:哪|什么|几)|哪些|列出|\b(?:which|what|list|show)\b.{0,12}\bcheck-?\s?lists\b", re.I)
_SELL = pattern(r"卖|减仓|清仓|平仓|\b(?:sell|sale|selling|exit)\b", re.I)
_BUY = pattern(r"买|加仓|建仓|补仓|\b(?:buy|buying|purchase|add)\b", re.I)
_WORDS = pattern(r"[a-z0-9]{3,}|[\u3400-\u9fff]{2}", re.I)
_COMMON = pattern(r"checks?|checklist|list|the|run|清单|检查", re.I)


class NamedChecklist(NamedTuple):
    """A checklist as the tool lists it: its name, what the tool knows it by, its title, and buy, sell or ""."""

    name: str
    id: str
    title: str
    trade: str


def asks_lists(words: str) -> bool:
    """Return True if a message asks which checklists there are."""
    return _LISTS.search(words) is not None


def choose_checklists(words: str, lists: Sequence[NamedChecklist], *, security: bool) -> list[NamedChecklist]:
    """Return the lists that a message may mean: one where that is certain.

    One that it names; else those for the trade that it speaks of; else those whose title shares words with it; else,
    with a security, those for a purchase.
    """
    low = words.casefold()
    named = [each for each in lists if re.search(rf"(?<![a-z0-9-]){re.escape(each.name)}(?![a-z0-9-])", low)]
    if named:
        return named
    for trade, form in (("sell", _SELL), ("buy", _BUY)):
        if form.search(words) and (found := [each for each in lists if each.trade == trade]):
            return found
    said = _terms(low)
    if titled := [each for each in lists if said & _terms(each.title.casefold())]:
        return titled
    return [each for each in lists if each.trade == "buy"] if security else list(lists)


def _terms(text: str) -> set[str]:
    wide = {run[at : at + 2] for run in re.findall(r"[\u3400-\u9fff]+", text) for at in range(len(run) - 1)}
    said = wide | {word for word in _WORDS.findall(text) if word.isascii()}
    return {word for word in said if not _COMMON.fullmatch(word)}
