"""Places of birth by name: a small table of cities with their coordinates and zones."""

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ia.kernel.errors import NotFound


class Place(NamedTuple):
    """A city: its names, degrees north and east, and zone."""

    zh: str
    en: str
    latitude: float
    longitude: float
    tz: str


@cache
def _load_places() -> dict[str, Place]:
    found: dict[str, Place] = {}
    for line in files("ia.faculties.life").joinpath("places.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        zh, en, latitude, longitude, tz = line.split("\t")
        place = Place(zh=zh, en=en, latitude=float(latitude), longitude=float(longitude), tz=tz)
        found[zh] = found[en.casefold()] = place
    return found


def find_place(name: str) -> Place:
    """Return a city of the table by its Chinese or English name.

    raises  NotFound that says how to give coordinates instead.
    """
    wanted = name.strip()
    places = _load_places()
    place = places.get(wanted.casefold()) or places.get(wanted.removesuffix("市"))
    if place is None:
        raise NotFound(
            "{place!r}: this place is not in the table of cities",
            place=wanted[:60],
            hint='give "tz", "longitude" and "latitude" (degrees, east and north positive) instead',
        )
    return place
