"""Between which prices a security may trade on a day: by board, special treatment, days since listing, and date."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from ia.domain.instruments.boards import find_board, tick_size
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import require_decimals
from ia.domain.rules.table import narrowest_value, rule_value, unverified_rules

FREE = 5
"""The most days of a new stock without limits."""
HOLIDAYS = 8
"""More weekdays than the mainland exchanges were ever closed in a row."""


class PriceLimits(NamedTuple):
    """The lowest and the highest price of a day.

    Attributes:
        rule: its name: `±10 %`, `±5 % ST`, `+44 %/-36 %`.
        sure: whether the board and the days since listing are known, and not assumed.
    """

    low: Decimal
    high: Decimal
    rule: str
    sure: bool = True


def price_limits(
    symbol: Symbol,
    day: str,
    prev_close: Decimal,
    *,
    st: bool = False,
    listed: str | None = None,
    sessions_since_listing: int | None = None,
) -> PriceLimits | None:
    """Return the price limits of a day; None where there are none.

    prev_close  the reference price of the day: the last close, the adjusted one on an ex-day, the issue price on the
                first day
    listed      the day of its listing; sessions_since_listing: 0 on that day, 1 on the next trading day. Where only
                `listed` is known, and it is too near to tell, the answer is not `sure`. Where neither is known, it
                is taken to have been listed long ago.

    The first day of a stock that resumes listing, or enters its delisting period (from 2020-12-31), has no limits; no
    argument tells of it, so a caller that knows does not ask. raises NotFound before 1996-12-16.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> price_limits(from_canonical("600000.SH"), "2024-03-01", Decimal("7.15"))
    PriceLimits(low=Decimal('6.44'), high=Decimal('7.87'), rule='±10 %', sure=True)
    """
    require_decimals(prev_close)
    if symbol.kind == "index":
        return None
    where = find_board(symbol)
    pct = rule_value("limit", where, day)
    if pct is None:
        return None
    # Which funds of Shenzhen have 20 % is a list of the exchange; their code does not tell, their name mostly does.
    sure = where.sure and not (symbol.exchange == "SZ" and where.name in ("fund", "fund.20"))
    if (listed and listed <= day) or sessions_since_listing is not None:
        least, most = _count_sessions(listed, day) if sessions_since_listing is None else (sessions_since_listing,) * 2
        free = int(rule_value("free_days", where, listed or day) or 0) if least <= FREE else 0
        if most < free:
            return None
        sure = sure and least >= free
        if most == 0 and (up := rule_value("first_day_up", where, day)) is not None:
            down = rule_value("first_day_down", where, day) or Decimal(0)
            return _limits_around(symbol, prev_close, up, down, f"+{up} %/-{down} %", sure)
    special = rule_value("limit_st", where, day) if st else None
    rule = f"±{pct} %" if special is None else f"±{special} % ST"
    if unverified_rules(("limit_st" if special is not None else "limit",), where, day):
        rule, sure = f"{rule}, unverified", False
    return _limits_around(symbol, prev_close, special or pct, special or pct, rule, sure)


def narrowest_limit(symbol: Symbol) -> Decimal | None:
    """Return the smallest per cent of the reference price that the limits of a board ever left; None without limits.

    A limit is rounded to the tick: it may lie half a tick nearer, but one tick away at least.
    """
    return narrowest_value(("limit", "limit_st", "first_day_up", "first_day_down"), find_board(symbol))


def _limits_around(
    symbol: Symbol, prev_close: Decimal, up: Decimal, down: Decimal, rule: str, sure: bool
) -> PriceLimits:
    """Return the limits so many per cent around a close: on the tick, and at least one tick away."""
    step = Decimal(str(tick_size(symbol) or 0.01))
    low = min(_round_to_tick(prev_close * (100 - down) / 100, step), prev_close - step)
    high = max(_round_to_tick(prev_close * (100 + up) / 100, step), prev_close + step)
    return PriceLimits(max(low, step), high, rule, sure)


def _count_sessions(listed: str | None, day: str) -> tuple[int, int]:
    """Return the least and the most trading days between a listing and a day; weekdays are known, holidays are not."""
    begin, end = date.fromisoformat(listed or day), date.fromisoformat(day)
    days = (end - begin).days
    if days > 60:
        return days // 2, days
    weekdays = sum((begin + timedelta(n)).weekday() < 5 for n in range(1, days + 1))
    return max(weekdays - HOLIDAYS, 0), weekdays


def _round_to_tick(price: Decimal, step: Decimal) -> Decimal:
    return (price / step).quantize(Decimal(1), ROUND_HALF_UP) * step
