"""The dates and times of statements: as brokers write them, in the zone that they name, else in exchange time."""

import re
from datetime import UTC, date, datetime, time, tzinfo
from zoneinfo import ZoneInfo

from ia.kernel import clock
from ia.kernel.errors import BadData

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES = (
    (r"us/eastern|america/new_york|e[sd]?t|美东(?:时间)?|纽约(?:时间)?", ZoneInfo("America/New_York")),
    (r"gmt\+8|utc\+8|\+0?8:?00|hkt|sgt|bjt|cst|asia/\w+|北京(?:时间)?|香港(?:时间)?|中国(?:时间)?", clock.CHINA),
    (r"gmt|utc|z", UTC),
)
_TIME = r"(?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?|[0-9]{6})(?:\.[0-9]+)?\s*(?P<half>[ap]\.?m\.?)?"
_ZONE = r"(?:,?\s*\(?(?P<zone>[^\s()][^()]*?)\)?)?"
_FORMS = tuple(
    re.compile(rf"{day}(?:[T ,;]+{_TIME})?{_ZONE}", re.I).fullmatch
    for day in (
        r"(?P<y>[0-9]{4})(?P<sep>[-/.年]?)(?P<m>[0-9]{1,2})[-/.月]?(?P<d>[0-9]{1,2})日?",
        r"(?P<mon>[a-z]{3})[a-z]*\.?\s+(?P<d>[0-9]{1,2}),?\s+(?P<y>[0-9]{4})",
        r"(?P<d>[0-9]{1,2})[-\s](?P<mon>[a-z]{3})[a-z]*\.?[-,\s]\s*(?P<y>[0-9]{4})",
    )
)
_is_time = re.compile(r"([0-9]{1,2}):?([0-9]{2})(?::?([0-9]{2})(?:[0-9]{2})?)?", re.ASCII).fullmatch


def parse_moment(day: str, clock_time: str, market: str) -> tuple[datetime, str]:
    """Return the moment of a row, and the exchange's date of it; a bare day is its close.

    clock_time  of a column of its own, where the date has none in it
    raises      BadData for what is no date or time, and for one in the future.
    """
    told = " ".join(day.split())
    found = next((match for form in _FORMS if (match := form(told))), None)
    if found is None:
        raise BadData("{text!r} is not a valid date", text=day[:40])
    zone, exchange = _parse_zone(found["zone"], day), clock.exchange_zone(market)
    try:
        month = found["m"] if "m" in found.groupdict() else _MONTHS.index(found["mon"].lower()) + 1
        on = date(int(found["y"]), int(month), int(found["d"]))
        at = _parse_time(found["time"] or clock_time, found["half"] or "")
        if not 1980 <= on.year < 9000:
            raise ValueError
    except ValueError:
        raise BadData("{text!r} is not a valid date", text=f"{day} {clock_time}".strip()[:40]) from None
    if at is None or at == time(0):  # midnight stands for no time
        moment = datetime.combine(on, clock.CLOSE[market], exchange)
    else:
        moment = datetime.combine(on, at, zone or exchange).astimezone(exchange)
        on = moment.date()
    now = clock.now()
    if moment > now:
        if on > now.astimezone(exchange).date():
            raise BadData("{text} is in the future", text=day)
        moment = now
    return moment, on.isoformat()


def _parse_zone(told: str | None, day: str) -> tzinfo | None:
    if not told:
        return None
    zone = next((zone for form, zone in _ZONES if re.fullmatch(form, told.strip(), re.I)), None)
    if zone is None:
        raise BadData("{text!r} is not a valid date", text=day[:40])
    return zone


def _parse_time(text: str, half: str) -> time | None:
    """Return a time of day; None where none is written. raises BadData, ValueError."""
    if not text:
        return None
    told = _is_time(text.zfill(6) if text.isdigit() and len(text) == 5 else text)
    if told is None:
        raise BadData("{text!r} is not a valid time", text=text[:40])
    hour = int(told[1])
    if half:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    return time(hour, int(told[2]), int(told[3] or 0))
