"""Positions of the sky: planets by ephem, angles and houses by spherical trigonometry. Degrees, tropical, of date."""

import math
from datetime import datetime
from typing import NamedTuple

from ia.kernel import clock
from ia.kernel.extras import load_extra

PLANETS = ("Sun", "Moon", "Mercury", "Venus", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto")
SIGNS = (
    "Aries", "Taurus", "Gemini", "Cancer", "Leo", "Virgo",
    "Libra", "Scorpio", "Sagittarius", "Capricorn", "Aquarius", "Pisces",
)  # fmt: skip
_STEP = 1 / 24
"""Days before and after, between which a planet's direction is taken."""
_ROUNDS, _CLOSE = 100, 1e-9


class Position(NamedTuple):
    """Where a planet stands on the ecliptic, and whether it goes backwards."""

    longitude: float
    retrograde: bool


class Angles(NamedTuple):
    """The ascendant and the midheaven of a place and an instant."""

    ascendant: float
    midheaven: float


def planet_positions(instant: datetime) -> dict[str, Position]:
    """Return the apparent geocentric longitudes of the ten planets, equinox of date."""
    ephem = load_extra("life", "ephem")
    when = _date_of(instant)
    found = {}
    for name in PLANETS:
        before, now, after = (_longitude(ephem, name, when + step) for step in (-_STEP, 0.0, _STEP))
        found[name] = Position(now, (after - before + 180) % 360 - 180 < 0)
    return found


def _date_of(instant: datetime) -> float:
    """Return an instant as ephem counts days, since noon of 1899-12-31."""
    ephem = load_extra("life", "ephem")
    return float(ephem.Date(instant.astimezone(clock.UTC).replace(tzinfo=None)))


def _longitude(ephem: object, name: str, when: float) -> float:
    """Return a planet's apparent longitude; `Ecliptic(body)` itself would be astrometric and of the year 2000."""
    body = getattr(ephem, name)()
    body.compute(when, epoch=when)
    equator = ephem.Equatorial(body.g_ra, body.g_dec, epoch=when)  # type: ignore[attr-defined]
    return math.degrees(ephem.Ecliptic(equator, epoch=when).lon) % 360  # type: ignore[attr-defined]


def mean_node(instant: datetime) -> float:
    """Return the longitude of the moon's mean ascending node (Meeus, Astronomical Algorithms, chapter 47)."""
    t = _centuries(instant)
    node = 125.0445479 - 1934.1362891 * t + 0.0020754 * t**2 + t**3 / 467441
    return (node + _nutation(t)[0]) % 360


def house_angles(instant: datetime, latitude: float, longitude: float) -> Angles:
    """Return ascendant and midheaven. The ascendant is the eastern half: less than 180° after the midheaven."""
    meridian, slope = _meridian(instant, longitude)
    middle = _midheaven(meridian, slope)
    rising = _rising(meridian, slope, latitude)
    return Angles(rising if (rising - middle) % 360 < 180 else (rising + 180) % 360, middle)


def placidus_cusps(instant: datetime, latitude: float, longitude: float) -> list[float] | None:
    """Return the twelve cusps of Placidus by iteration; None within the polar circles, where they do not exist."""
    meridian, slope = _meridian(instant, longitude)
    if abs(latitude) + math.degrees(slope) >= 90:
        return None
    angles = house_angles(instant, latitude, longitude)
    upper = {11: (1, 3.0), 12: (2, 3.0)}
    found = {1: angles.ascendant, 10: angles.midheaven}
    for house, (part, of) in upper.items():  # above the horizon: parts of the diurnal arc east of the meridian
        found[house] = _cusp(meridian, slope, latitude, part / of, above=True)
    for house, part in ((3, 1), (2, 2)):  # below it: parts of the nocturnal arc
        found[house] = _cusp(meridian, slope, latitude, part / 3.0, above=False)
    for house in (1, 2, 3, 10, 11, 12):
        found[(house + 5) % 12 + 1] = (found[house] + 180) % 360
    return [found[house] for house in range(1, 13)]


def _cusp(meridian: float, slope: float, latitude: float, part: float, *, above: bool) -> float:
    """Return the ecliptic degree whose hour angle is this part of its semi-arc."""
    phi = math.radians(latitude)
    ascension = meridian + (part * math.pi / 2 if above else math.pi - part * math.pi / 2)
    for _ in range(_ROUNDS):
        declination = math.atan(math.tan(slope) * math.sin(ascension))
        arc = math.acos(max(-1.0, min(1.0, -math.tan(phi) * math.tan(declination))))
        turned = meridian + part * arc if above else meridian + math.pi - part * (math.pi - arc)
        if abs(turned - ascension) < _CLOSE:
            break
        ascension = turned
    return math.degrees(math.atan2(math.sin(ascension), math.cos(ascension) * math.cos(slope))) % 360


def _meridian(instant: datetime, longitude: float) -> tuple[float, float]:
    """Return the right ascension of the meridian and the true obliquity, both in radians."""
    t = _centuries(instant)
    longitude_shift, obliquity_shift = _nutation(t)
    obliquity = 23.4392911 - 0.0130042 * t - 1.64e-7 * t**2 + 5.036e-7 * t**3 + obliquity_shift
    days = t * 36525
    sidereal = 280.46061837 + 360.98564736629 * days + 0.000387933 * t**2
    sidereal += longitude_shift * math.cos(math.radians(obliquity))
    return math.radians((sidereal + longitude) % 360), math.radians(obliquity)


def _midheaven(meridian: float, slope: float) -> float:
    return math.degrees(math.atan2(math.sin(meridian), math.cos(meridian) * math.cos(slope))) % 360


def _rising(meridian: float, slope: float, latitude: float) -> float:
    below = -(math.sin(meridian) * math.cos(slope) + math.tan(math.radians(latitude)) * math.sin(slope))
    return math.degrees(math.atan2(math.cos(meridian), below)) % 360


def _centuries(instant: datetime) -> float:
    """Return Julian centuries since noon of 2000-01-01."""
    return (_date_of(instant) - 36525.0) / 36525


def _nutation(t: float) -> tuple[float, float]:
    """Return nutation in longitude and in obliquity, in degrees, to half a second of arc."""
    node = math.radians(125.04452 - 1934.136261 * t)
    sun, moon = math.radians(280.4665 + 36000.7698 * t), math.radians(218.3165 + 481267.8813 * t)
    longitude = (
        -17.20 * math.sin(node) - 1.32 * math.sin(2 * sun) - 0.23 * math.sin(2 * moon) + 0.21 * math.sin(2 * node)
    )
    obliquity = 9.20 * math.cos(node) + 0.57 * math.cos(2 * sun) + 0.10 * math.cos(2 * moon) - 0.09 * math.cos(2 * node)
    return longitude / 3600, obliquity / 3600
