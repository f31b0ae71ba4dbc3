"""A natal chart: planets in signs and houses, angles, aspects; and transits over it."""

from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from ia.faculties.life import sky
from ia.faculties.life.births import Birth
from ia.kernel import clock
from ia.kernel.errors import Message

WHOLE_SIGN, PLACIDUS = "whole_sign", "placidus"
HOUSES = (WHOLE_SIGN, PLACIDUS)
ASPECTS = {
    "conjunction": (0, 8.0),
    "sextile": (60, 5.0),
    "square": (90, 7.0),
    "trine": (120, 7.0),
    "opposition": (180, 8.0),
}
"""Aspect -> angle and orb in degrees. The orbs are ia's own convention."""
TRANSIT_ORB = 1.5
ASCENDANT, MIDHEAVEN, NODE = "Ascendant", "Midheaven", "Mean node"


class Aspect(NamedTuple):
    """Two points at an angle: how far from exact, in degrees, and whether the first moves towards it (transits)."""

    first: str
    kind: str
    second: str
    orb: float
    applying: bool | None = None


def sign_of(longitude: float) -> str:
    """Return the sign of a longitude.

    >>> sign_of(54.03), sign_of(359.999)
    ('Taurus', 'Pisces')
    """
    return sky.SIGNS[int(longitude % 360 // 30)]


def describe_chart(birth: Birth, houses: str) -> dict[str, Any]:
    """Return a chart as JSON: planets, angles, cusps, node and aspects, as far as hour and place are known."""
    if birth.instant is None:
        return _chart_of_a_day(birth)
    notes = list(birth.notes)
    positions = sky.planet_positions(birth.instant)
    points = {name: position.longitude for name, position in positions.items()}
    angles = cusps = first = None
    if birth.latitude is not None and birth.longitude is not None and abs(birth.latitude) < 90:
        angles = sky.house_angles(birth.instant, birth.latitude, birth.longitude)
        cusps = sky.placidus_cusps(birth.instant, birth.latitude, birth.longitude)
        first = sign_of(angles.ascendant)
        points |= {ASCENDANT: angles.ascendant, MIDHEAVEN: angles.midheaven}
        if cusps is None and houses == PLACIDUS:
            notes.append(
                Message(
                    "Placidus houses do not exist within the polar circles; whole-sign houses are used", code="polar"
                )
            )
            houses = WHOLE_SIGN
    else:
        notes.append(Message("the place of birth is unknown: no ascendant and no houses", code="no-place"))
    planets = {
        name: _describe_position(position, _house_of(position.longitude, angles, cusps, houses))
        for name, position in positions.items()
    }
    return {
        "utc": birth.instant.isoformat(),
        "planets": planets,
        "ascendant": _round(angles.ascendant) if angles else None,
        "midheaven": _round(angles.midheaven) if angles else None,
        "ascendant_sign": first,
        "houses": houses if angles else None,
        "whole_sign_first_house": first,
        "placidus": [_round(cusp) for cusp in cusps] if cusps else None,
        "mean_node": _round(sky.mean_node(birth.instant)),
        "aspects": [_describe_aspect(aspect) for aspect in find_aspects(points)],
        "notes": notes,
    }


def _chart_of_a_day(birth: Birth) -> dict[str, Any]:
    """Return the chart of a birth without hour: where planets stood from its first to its last minute."""
    edges = [
        datetime.combine(birth.day, moment, tzinfo=birth.zone).astimezone(clock.UTC)
        for moment in (time(), time(23, 59))
    ]
    first, last = (sky.planet_positions(edge) for edge in edges)
    planets = {}
    for name in sky.PLANETS:
        signs = list(dict.fromkeys((sign_of(first[name].longitude), sign_of(last[name].longitude))))
        planets[name] = {
            "longitude": None,
            "from": _round(first[name].longitude),
            "to": _round(last[name].longitude),
            "sign": "/".join(signs),
            "degree": None,
            "retrograde": first[name].retrograde if first[name].retrograde == last[name].retrograde else None,
            "house": None,
        }
    notes = [
        *birth.notes,
        Message("the hour is unknown: planets are given for the whole day, without angles and houses", code="no-hour"),
    ]
    return {
        "utc": None,
        "planets": planets,
        **dict.fromkeys(
            ("ascendant", "midheaven", "ascendant_sign", "houses", "whole_sign_first_house", "placidus", "mean_node")
        ),
        "aspects": [],
        "notes": notes,
    }


def _describe_position(position: sky.Position, house: int | None) -> dict[str, Any]:
    return {
        "longitude": _round(position.longitude),
        "sign": sign_of(position.longitude),
        "degree": _round(position.longitude % 30),
        "retrograde": position.retrograde,
        "house": house,
    }


def _house_of(longitude: float, angles: sky.Angles | None, cusps: list[float] | None, houses: str) -> int | None:
    if angles is None:
        return None
    if houses == PLACIDUS and cusps:
        return next(
            at + 1 for at in range(12) if (longitude - cusps[at]) % 360 < (cusps[(at + 1) % 12] - cusps[at]) % 360
        )
    return int((longitude // 30 - angles.ascendant // 30) % 12) + 1


def find_aspects(points: dict[str, float]) -> list[Aspect]:
    """Return the aspects between points, the closest first; the two angles make none with each other."""
    names = list(points)
    found = [
        aspect
        for at, first in enumerate(names)
        for second in names[at + 1 :]
        if not (first == ASCENDANT and second == MIDHEAVEN)
        for aspect in [_aspect_between(first, points[first], second, points[second], None)]
        if aspect is not None
    ]
    return sorted(found, key=lambda aspect: aspect.orb)


def find_transits(birth: Birth, moment: datetime) -> tuple[dict[str, sky.Position], list[Aspect]]:
    """Return the planets at a moment, and their aspects to the points of a chart whose hour is known."""
    assert birth.instant is not None
    natal = {name: position.longitude for name, position in sky.planet_positions(birth.instant).items()}
    if birth.latitude is not None and birth.longitude is not None and abs(birth.latitude) < 90:
        angles = sky.house_angles(birth.instant, birth.latitude, birth.longitude)
        natal |= {ASCENDANT: angles.ascendant, MIDHEAVEN: angles.midheaven}
    now, later = sky.planet_positions(moment), sky.planet_positions(moment + timedelta(hours=1))
    found = []
    for name, position in now.items():
        for point, longitude in natal.items():
            aspect = _aspect_between(name, position.longitude, point, longitude, TRANSIT_ORB)
            if aspect is not None:
                after = _aspect_between(name, later[name].longitude, point, longitude, 180.0, aspect.kind)
                found.append(aspect._replace(applying=after is not None and after.orb < aspect.orb))
    return now, sorted(found, key=lambda aspect: aspect.orb)


def _aspect_between(
    first: str, one: float, second: str, other: float, limit: float | None, kind: str | None = None
) -> Aspect | None:
    apart = abs((one - other + 180) % 360 - 180)
    for name, (angle, orb) in ASPECTS.items():
        if (kind is None or name == kind) and abs(apart - angle) <= (orb if limit is None else limit):
            return Aspect(first, name, second, abs(apart - angle))
    return None


def _describe_aspect(aspect: Aspect) -> dict[str, Any]:
    told: dict[str, Any] = {
        "first": aspect.first,
        "aspect": aspect.kind,
        "second": aspect.second,
        "orb": _round(aspect.orb, 2),
    }
    return told if aspect.applying is None else {**told, "applying": aspect.applying}


def describe_transits(birth: Birth, moment: datetime) -> dict[str, Any]:
    """Return the sky of a moment over a chart, as JSON."""
    positions, aspects = find_transits(birth, moment)
    return {
        "at": moment.astimezone(clock.UTC).isoformat(timespec="minutes"),
        "planets": {name: _describe_position(position, None) for name, position in positions.items()},
        "transits": [_describe_aspect(aspect) for aspect in aspects],
    }


def _round(value: float, digits: int = 4) -> float:
    return round(value, digits)
