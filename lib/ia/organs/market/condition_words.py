"""Conditions of `ia screen` as a reader writes them: columns, words and names of industries in his language."""

import re

from ia.domain.instruments.groups import group_name
from ia.kernel.i18n import Voice
from ia.kernel.patterns import pattern
from ia.organs.market.screen_columns import COLUMNS

_WORD = pattern(r"[^\W\d]\w*")


def translate_condition(text: str, lang: str) -> str:
    """Return a condition, or figures as `name=value`, in the words of a language.

    >>> translate_condition("debt_ratio_pct < 70 or industry in (银行, 保险)", "zh")
    '资产负债率 < 70 或 行业 属于 (银行, 保险)'
    >>> translate_condition("debt_ratio_pct < 70 or industry in (银行, 保险)", "en")
    'debt_ratio_pct < 70 or industry in (banks, insurance)'
    """
    if lang == "en":
        return text if text.isascii() else _WORD.sub(lambda found: group_name(found[0], lang), text)
    voice = Voice(lang)
    known = {
        "and": voice("and", context="condition"),
        "or": voice("or", context="condition"),
        "not": voice("not", context="condition"),
        "in": voice("in", context="condition"),
        "between": voice("between", context="condition"),
        "true": voice("true"),
        "false": voice("false"),
    }
    for column in COLUMNS:
        known[column.name] = next((name for name in column.also if not re.search("[A-Za-z]", name)), column.name)
    return _WORD.sub(lambda found: known.get(found[0], found[0]), text)
