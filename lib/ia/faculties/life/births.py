"""A birth: the local clock, its zone and place, and the instant, standard time and solar time that follow from them."""

import math
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ia.faculties.life.places import find_place
from ia.kernel import clock
from ia.kernel.errors import BadData, Message, NotFound
from ia.kernel.patterns import pattern

FIRST_YEAR, LAST_YEAR = 1850, 2100
"""The years for which the calendar and the sky were compared with other sources, and a little more."""
_LOCAL = pattern(r"(\d{1,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?")
_CHINA_DAYLIGHT = (1986, 1991)


class Birth(NamedTuple):
    """When and where, as far as it is known.

    day        the local date
    local      the clock's time without zone, None where the hour is unknown
    instant    the same in UTC
    daylight   whether daylight saving was in force
    standard   the local time without daylight saving
    longitude  degrees east, None where the place is unknown; latitude likewise
    notes      what the person should know about the time
    """

    day: date
    local: datetime | None
    zone: ZoneInfo
    instant: datetime | None
    daylight: bool
    standard: datetime | None
    longitude: float | None
    latitude: float | None
    notes: list[Message]


def read_birth(
    local: str,
    tz: str | None = None,
    *,
    place: str | None = None,
    longitude: float | None = None,
    latitude: float | None = None,
    fold: int | None = None,
    as_date: bool = False,
) -> Birth:
    """Return a birth from what a person or a form says.

    local    YYYY-MM-DDTHH:MM[:SS] by the clock of the place, or YYYY-MM-DD where the hour is unknown
    tz       IANA zone; that of the place where it is left out
    fold     0 or 1: the first or the second of two equal times when clocks went back
    as_date  any date may be asked for, also one in the future

    raises  BadData for a time that does not exist, stands twice, or is still to come; NotFound for an unknown zone or
            place.
    """
    if place and (tz is None or longitude is None or latitude is None):
        found = find_place(place)
        tz = tz or found.tz
        longitude = found.longitude if longitude is None else longitude
        latitude = found.latitude if latitude is None else latitude
    _check_degrees("longitude", longitude, 180)
    _check_degrees("latitude", latitude, 90)
    if not tz:
        raise BadData(
            "the time zone or the place of birth is missing",
            hint='give "tz": "Asia/Shanghai", or "place": "Beijing"',
            code="no-zone",
        )
    zone = _load_zone(tz)
    day, told = _parse_local(local)
    notes = _note_zone(zone.key, day, longitude)
    unknown = Birth(
        day=day,
        local=None,
        zone=zone,
        instant=None,
        daylight=False,
        standard=None,
        longitude=longitude,
        latitude=latitude,
        notes=notes,
    )
    if told is None:
        if not as_date and day > clock.now().astimezone(zone).date():
            raise _future_error(local)
        return unknown
    instant = _find_instant(told, zone, fold)
    if not as_date and instant > clock.now():
        raise _future_error(local)
    aware = instant.astimezone(zone)
    saved = aware.dst() or timedelta(0)
    if saved:
        notes.append(
            Message(
                "daylight saving was in force: {clock} by the clock is {standard} standard time",
                code="daylight-saving",
                clock=told.strftime("%H:%M"),
                standard=(told - saved).strftime("%H:%M"),
            )
        )
    return unknown._replace(local=told, instant=instant, daylight=bool(saved), standard=told - saved)


def mean_solar_time(instant: datetime, longitude: float) -> datetime:
    """Return local mean solar time, without zone: UTC plus 4 minutes for each degree east."""
    return instant.astimezone(clock.UTC).replace(tzinfo=None) + timedelta(seconds=longitude * 240)


def true_solar_time(instant: datetime, longitude: float) -> datetime:
    """Return local apparent solar time, without zone: mean solar time plus the equation of time."""
    return mean_solar_time(instant, longitude) + timedelta(seconds=equation_of_time(instant))


def equation_of_time(instant: datetime) -> float:
    """Return apparent minus mean solar time in seconds (Meeus, Astronomical Algorithms, chapters 25 and 28).

    Good to about a second in the years that `read_birth` takes.
    """
    days = (instant - datetime(2000, 1, 1, 12, tzinfo=clock.UTC)).total_seconds() / 86400
    t = days / 36525
    mean_longitude = 280.46646 + 36000.76983 * t + 0.0003032 * t * t
    anomaly = math.radians(357.52911 + 35999.05029 * t - 0.0001537 * t * t)
    center = (
        (1.914602 - 0.004817 * t - 0.000014 * t * t) * math.sin(anomaly)
        + (0.019993 - 0.000101 * t) * math.sin(2 * anomaly)
        + 0.000289 * math.sin(3 * anomaly)
    )
    node = math.radians(125.04 - 1934.136 * t)
    nutation = -0.00478 * math.sin(node)
    apparent = math.radians(mean_longitude + center - 0.00569 + nutation)
    obliquity = math.radians(23.439291 - 0.0130042 * t + 0.00256 * math.cos(node))
    ascension = math.degrees(math.atan2(math.cos(obliquity) * math.sin(apparent), math.cos(apparent)))
    difference = mean_longitude - 0.0057183 - ascension + nutation * math.cos(obliquity)
    return ((difference + 180) % 360 - 180) * 240


def _parse_local(text: str) -> tuple[date, datetime | None]:
    found = _LOCAL.fullmatch(text.strip()) if len(text) <= 40 else None
    if found is None:
        raise BadData(
            "{value!r} is not a date of birth",
            value=text[:40],
            hint="write 1990-05-15T12:00, or 1990-05-15 if the hour is unknown",
        )
    year, month, day = (int(part) for part in found.group(1, 2, 3))
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise BadData("the year {year} is outside {first} to {last}", year=year, first=FIRST_YEAR, last=LAST_YEAR)
    try:
        whole = date(year, month, day)
    except ValueError:
        raise BadData("{value}: no such day", value=text[:40]) from None
    if found.group(4) is None:
        return whole, None
    try:
        return whole, datetime(year, month, day, int(found[4]), int(found[5]), int(found[6] or 0))  # noqa: DTZ001
    except ValueError:
        raise BadData("{value}: no such time of day", value=text[:40]) from None


def _load_zone(tz: str) -> ZoneInfo:
    from zoneinfo import available_timezones

    if tz not in available_timezones():
        raise NotFound("{zone!r}: no such time zone", zone=tz[:60], hint="write it as Asia/Shanghai or Europe/London")
    return ZoneInfo(tz)


def _find_instant(local: datetime, zone: ZoneInfo, fold: int | None) -> datetime:
    """Return the instant of a clock's time, in UTC."""
    first, second = (local.replace(tzinfo=zone, fold=which).astimezone(clock.UTC) for which in (0, 1))
    if first == second:
        return first
    told = local.strftime("%Y-%m-%d %H:%M")
    if second < first:  # clocks went forward over it
        raise BadData(
            "{clock} does not exist in {zone}: clocks went forward over it",
            code="no-such-time",
            clock=told,
            zone=zone.key,
        )
    if fold is None:
        raise BadData(
            "{clock} stands twice in {zone}: clocks went back",
            code="time-twice",
            hint='add "fold": 0 for the first (daylight saving) or "fold": 1 for the second',
            clock=told,
            zone=zone.key,
        )
    return second if fold else first


def _check_degrees(name: str, value: float | None, most: int) -> None:
    if value is not None and not (math.isfinite(value) and abs(value) <= most):
        raise BadData("{name}: {value} is not between -{most} and {most} degrees", name=name, value=value, most=most)


def _future_error(text: str) -> BadData:
    return BadData(
        "{value} is in the future: not a birth",
        value=text[:40],
        code="in-the-future",
        hint='add "as_date": true to ask for the date itself',
    )


def _note_zone(key: str, day: date, longitude: float | None) -> list[Message]:
    notes = []
    chinese = key in ("Asia/Shanghai", "Asia/Chongqing", "Asia/Harbin", "PRC")
    if chinese and day.year < 1949:
        notes.append(
            Message(
                "before 1949 this zone is the time of Shanghai only; other regions kept other times: check the clock",
                code="before-1949",
            )
        )
    if chinese and _CHINA_DAYLIGHT[0] <= day.year <= _CHINA_DAYLIGHT[1]:
        notes.append(
            Message(
                "China kept daylight saving in the summers of 1986 to 1991; ask whether the record is by the clock",
                code="china-daylight-saving",
            )
        )
    if longitude is not None and 73 <= longitude <= 97 and (chinese or key in ("Asia/Urumqi", "Asia/Kashgar")):
        notes.append(
            Message(
                "Xinjiang uses Beijing time and local time (UTC+6); this reckons with {zone}: ask which was meant",
                code="xinjiang",
                zone=key,
            )
        )
    return notes
