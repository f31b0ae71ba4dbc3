"""The day that a question for a coming one means, and what the places of the exchanges are called."""

import contextlib
import re
from datetime import date, timedelta

from ia.agent.analyst.ask.time_spans import DAY, TimeSpan
from ia.kernel.i18n import mark_text
from ia.kernel.patterns import pattern

PLACES = {"CN": mark_text("Shanghai and Shenzhen"), "HK": mark_text("Hong Kong"), "US": mark_text("New York")}
HALF_YEAR = 183
_BARE_WEEKDAY = pattern(r"(?:周|星期|礼拜)[一二三四五六日天]|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.I)


def coming_day(span: TimeSpan, today: date) -> date:
    """Return the day that is meant: a weekday the next one; without a year, one of the last half year or the next."""
    day = span.first or today
    if _BARE_WEEKDAY.fullmatch(span.said) and day < today:
        return day + timedelta(days=7)
    if span.kind != DAY or not re.search(r"\d", span.said) or re.search(r"\d{4}|[去前]年|前|ago", span.said):
        return day
    with contextlib.suppress(ValueError):
        while (today - day).days > HALF_YEAR:
            day = day.replace(year=day.year + 1)
    return day
