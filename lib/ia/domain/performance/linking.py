"""Time-weighted returns: what each day brought to the money that was there, linked day by day.

Money that comes or goes counts at the start of its day: r = value at the end / (value at the end before + flow) - 1.
The product over the days does not depend on when money came in, so that it can be compared with an index.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ia.domain.performance.figures import Figure
from ia.kernel.errors import Message

_NOTHING = 0.005
"""Below half a cent there is no money."""


class ValueDay(NamedTuple):
    """What an account was worth at the end of a day.

    day      YYYY-MM-DD
    value    None where it is not known, and `missing` tells why
    flow     what was brought in at the start of the day, less what was taken out
    session  whether the day is one of those that statistics count: a session of the account's market
    """

    day: str
    value: float | None
    flow: float = 0.0
    session: bool = True
    missing: Message | None = None


class DayReturn(NamedTuple):
    """What a day brought, as a fraction. None: it cannot be told, `missing` tells why.

    idle      nothing was there on this day: it counts neither as a gain nor as a session
    unfunded  it began with nothing, or with less, and ended with something
    """

    day: str
    value: float | None
    session: bool = True
    idle: bool = False
    missing: Message | None = None
    unfunded: bool = False


def daily_returns(days: Iterable[ValueDay], before: float | None = 0.0) -> list[DayReturn]:
    """Return the return of each day. `before` is the value at the end of the day before the first.

    Where all is taken out, with the day's gain or loss, the money counts as taken out at the end of the day: it was
    there until then, and the formula would make a loss of everything of it. A day that began with nothing, or with
    less, and ended with something cannot be told.

    >>> days = [ValueDay("2024-01-02", 110.0, 100.0), ValueDay("2024-01-03", 99.0)]
    >>> [round(each.value, 12) for each in daily_returns(days)]
    [0.1, -0.1]
    """
    found = []
    for day in days:
        found.append(_day_return(day, before))
        before = day.value
    return found


def _day_return(day: ValueDay, before: float | None) -> DayReturn:
    made, end, flow = DayReturn(day.day, None, day.session), day.value, day.flow
    if end is None:
        return made._replace(missing=day.missing)
    if before is None:
        return made._replace(missing=Message("the value before {day} is not known", day=day.day))
    base = before + flow
    if abs(base) < _NOTHING and abs(end) < _NOTHING:
        return made._replace(value=0.0, idle=True)
    emptied = abs(end) < _NOTHING or base < _NOTHING
    if emptied and before >= _NOTHING and flow < 0 and end - flow >= 0:
        return made._replace(value=(end - flow) / before - 1)
    if base < _NOTHING:
        return made._replace(
            unfunded=True,
            missing=Message(
                "on {day} nothing was invested at the start, yet something was held at the end; enter the deposit that"
                " paid for it with `ia trade deposit AMOUNT --date DATE`, or correct the date of one that stands later"
                " (`ia trade correct ID --date DATE`)",
                day=day.day,
            ),
        )
    if end < 0:
        return made._replace(missing=Message("on {day} the account was worth less than nothing", day=day.day))
    return made._replace(value=end / base - 1)


def link_returns(returns: Sequence[DayReturn]) -> Figure:
    """Return the time-weighted return of these days, as a fraction; None where one of them cannot be told.

    >>> round(link_returns([DayReturn("2024-01-02", 0.1), DayReturn("2024-01-03", -0.1)]).value, 12)
    -0.01
    """
    if all(each.idle for each in returns):
        return Figure(None, Message("nothing was invested"))
    product = 1.0
    for each in returns:
        if each.value is None:
            return Figure(None, each.missing)
        product *= 1.0 + each.value
    return Figure(product - 1.0)


def session_returns(returns: Iterable[DayReturn]) -> list[DayReturn]:
    """Return one return a session: what happened on other days (a deposit on a Sunday) belongs to the next session.

    Days on which nothing was invested are left out. A return that cannot be told stays None.
    """
    found: list[DayReturn] = []
    product, missing, open_day = 1.0, None, ""
    for each in returns:
        if each.idle:
            continue
        if each.value is None:
            missing = missing or each.missing
        else:
            product *= 1.0 + each.value
        if not each.session:
            open_day = each.day
            continue
        found.append(DayReturn(each.day, None if missing else product - 1.0, missing=missing))
        product, missing, open_day = 1.0, None, ""
    if open_day and (missing or product != 1.0):
        found.append(DayReturn(open_day, None if missing else product - 1.0, missing=missing))
    return found
