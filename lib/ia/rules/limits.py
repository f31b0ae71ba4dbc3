"""Between which prices a security may trade on a day: by board, special treatment, days since listing, and date."""

import re
import unicodedata
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from ia.ohlcv.identity import Symbol
from ia.rules.boards import board
from ia.rules.fees import exact
from ia.rules.lots import tick
from ia.rules.table import value

_MARK = re.compile(r"^(XD|XR|DR)")
_ST = re.compile(r"^(\*ST|ST|SST|S\*ST|S(?=[\u4e00-\u9fff]))")


class Limits(NamedTuple):
    """The lowest and the highest price of a day; `rule` names the rule (`10 %`, `5 % ST`, `first day +44 %/-36 %`);
    sure: whether the board and the days since listing are known, and not assumed."""

    low: Decimal
    high: Decimal
    rule: str
    sure: bool = True


def limits(
    symbol: Symbol,
    day: str,
    prev_close: Decimal,
    *,
    st: bool = False,
    listed: str | None = None,
    sessions_since_listing: int | None = None,
) -> Limits | None:
    """Return the price limits of a day; None where there are none.

    prev_close  the reference price of the day: the last close, the adjusted one on an ex-day, the issue price on the
                first day
    listed      the day of its listing; sessions_since_listing: 0 on that day, 1 on the next trading day. Where only
                `listed` is known, and it is too near to tell, the answer is not `sure`. Where neither is known, it
                is taken to have been listed long ago.
    """
    exact(prev_close)
    where = board(symbol)
    pct = value("limit", where, day)
    if pct is None:
        return None
    if st:
        pct = value("limit_st", where, day) or pct
    step = tick(symbol)
    assert step is not None
    ratio = pct / 100
    low = max(_rounded(prev_close * (1 - ratio), step), step)
    high = _rounded(prev_close * (1 + ratio), step)
    return Limits(min(low, max(prev_close - step, step)), max(high, prev_close + step), f"{pct} %", where.sure)


def is_st(name: str) -> bool:
    """Whether a name says special treatment (ST, *ST), or a share structure never reformed (S).

    >>> [is_st(name) for name in ("*ST康得", "ST 天业", "＊ST信威", "S佳通", "XD*ST华", "贵州茅台", "SMIC")]
    [True, True, True, True, True, False, False]
    """
    bare = "".join(unicodedata.normalize("NFKC", name).upper().split())
    return bool(_ST.match(_MARK.sub("", bare)))


def _rounded(price: Decimal, step: Decimal) -> Decimal:
    return (price / step).quantize(Decimal(1), ROUND_HALF_UP) * step
