"""What the name of a day says beside the name: special treatment, an ex-day, the first days after the listing.

`*ST康得` is under special treatment, `XD贵州茅` is ex-dividend today, `N汇成` was listed today.
"""

import re
import unicodedata

from ia.kernel.patterns import pattern

ST_MARKS = ("ST", "*ST", "SST", "S*ST")
"""Special treatment, at the beginning of a name; an `S` before a Chinese name: a share structure never reformed."""
EX_DAY_MARKS = ("XD", "XR", "DR")
FIRST_DAYS_MARKS = {"N": 0, "C": 1}
"""The mark -> the least number of trading days since the listing."""
HAN = "[一-鿿]"
"""A Chinese character, for regular expressions and for GLOB."""

_ex_day = "|".join(EX_DAY_MARKS)
_first_days = f"[{''.join(FIRST_DAYS_MARKS)}]"
_is_st = pattern(f"{'|'.join(map(re.escape, ST_MARKS))}|S(?={HAN})")
_is_new = pattern(f"({_first_days})(?={HAN})")
_is_marked = pattern(rf"(?:{_ex_day}|{_first_days})(?=[^\x00-\x7f])")


def is_st(name: str) -> bool:
    """Return True if a name says special treatment (ST, *ST), or a share structure never reformed (S).

    >>> [is_st(name) for name in ("*ST康得", "ST 天业", "＊ST信威", "S佳通", "XD*ST华", "贵州茅台", "SMIC")]
    [True, True, True, True, True, False, False]
    """
    return bool(_is_st.match(re.sub(f"^(?:{_ex_day})", "", _fold_name(name).upper())))


def sessions_by_name(name: str) -> int | None:
    """Return the least number of trading days since the listing that a name tells, None where it tells nothing.

    It is 0 for `N…` and 1 for `C…` (the second to the fifth day without limits).

    >>> [sessions_by_name(name) for name in ("N汇成", "C汇成", "汇成股份", "TCL科技", "CN创业")]
    [0, 1, None, None, None]
    """
    found = _is_new.match(unicodedata.normalize("NFKC", name))
    return None if found is None else FIRST_DAYS_MARKS[found[1]]


def clean_name(name: str) -> str:
    """Return a name without spaces, in compatible forms; "" for a name with the mark of an ex-day or of the first days.

    A marked name is cut (`XD贵州茅`), so that what is left of it is not the name.

    >>> clean_name("五 粮 液"), clean_name("XD贵州茅"), clean_name("N汇成")
    ('五粮液', '', '')
    """
    plain = _fold_name(name)
    return "" if _is_marked.match(plain) else plain


def choose_name(told: str, known: str | None) -> str | None:
    """Return the lasting name of a security: as it is told today, else as it is known, else today's without its mark.

    >>> choose_name("贵州茅台", None), choose_name("XD贵州茅", "贵州茅台"), choose_name("N汇成", None)
    ('贵州茅台', '贵州茅台', '汇成')
    """
    return clean_name(told) or known or told.lstrip("".join((*EX_DAY_MARKS, *FIRST_DAYS_MARKS))) or None


def _fold_name(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).split())
