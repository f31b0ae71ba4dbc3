"""The four pillars of a birth, the luck decades and the pillars of years.

Year and month change at the instant of a solar term (jie), the same everywhere on earth; tyme4py knows these instants.
Day and hour go by the local clock, `standard` time or `true_solar` time, and the day begins at 23:00 or at midnight.
Southern births are not turned round.
"""

import bisect
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from ia.faculties.life.births import Birth, mean_solar_time, true_solar_time
from ia.kernel import clock
from ia.kernel.errors import BadData, Message
from ia.kernel.extras import load_extra
from ia.kernel.i18n import mark_texts

STANDARD, TRUE_SOLAR = "standard", "true_solar"
BASES = (STANDARD, TRUE_SOLAR)
DAY_STARTS = (23, 0)
NEAR = timedelta(minutes=15)
"""Closer to a boundary than this, the chart of the other side is shown, too."""
DECADES = 8
_PILLAR_NAMES = mark_texts("year pillar", "month pillar", "day pillar", "hour pillar")
_YEAR_SECONDS, _MONTH_SECONDS, _DAY_SECONDS, _HOUR_SECONDS = 259_200, 21_600, 720, 30
"""Three days are a year, six hours a month, twelve minutes a day, half a minute an hour."""


class Pillars(NamedTuple):
    """Numbers of four pillars in the cycle of sixty, 0 is 甲子; the hour is None where it is unknown."""

    year: int
    month: int
    day: int
    hour: int | None

    def names(self) -> list[str]:
        """Return them in characters."""
        return [pillar_name(number) for number in self if number is not None]


class Term(NamedTuple):
    """A jie: the instant at which a month begins, and the month's number since 1900 began with 丙子 (0)."""

    instant: datetime
    name: str
    year: int
    month: int


def pillar_name(number: int) -> str:
    """Return a pillar in characters.

    >>> pillar_name(6)
    '庚午'
    """
    return str(_cycle(number % 60).get_name())


@cache
def _cycle(number: int) -> Any:
    return load_extra("life", "tyme4py.sixtycycle").SixtyCycle.from_index(number)


@cache
def _jie_of_year(year: int) -> list[Term]:
    """Return the twelve jie of a calendar year, from the slight cold of January to the great snow of December."""
    solar_term = load_extra("life", "tyme4py.solar").SolarTerm
    found = []
    for index in range(1, 24, 2):
        term = solar_term.from_index(year, index)
        days = term.get_julian_day().get_day() - 2451545.0  # noon of 2000-01-01, Beijing time
        instant = datetime(2000, 1, 1, 12, tzinfo=clock.CHINA) + timedelta(days=days)
        found.append(Term(instant.astimezone(clock.UTC), str(term.get_name()), year, index // 2))
    return found


def _jie_around(instant: datetime) -> tuple[Term, Term]:
    """Return the last jie at or before an instant, and the next one."""
    terms = [term for year in (-1, 0, 1) for term in _jie_of_year(instant.year + year)]
    at = bisect.bisect_right([term.instant for term in terms], instant)
    return terms[at - 1], terms[at]


def year_and_month(instant: datetime) -> tuple[int, int]:
    """Return the numbers of the year's and the month's pillar at an instant."""
    last, _ = _jie_around(instant)
    year = last.year if last.month else last.year - 1  # before 立春 of February it is the year before
    branch = (last.month + 1) % 12
    stem = (year - 4) % 10 % 5 * 2 + 2  # of the month 寅
    return (year - 4) % 60, _join(stem + (branch - 2) % 12, branch)


def day_and_hour(local: datetime, day_starts: int) -> tuple[int, int]:
    """Return the numbers of the day's and the hour's pillar by a local clock.

    From 23:00 on the hour's stem is that of the next day, whenever the day begins.
    """
    midnight = (local.toordinal() + 14) % 60
    late = local.hour == 23
    branch = (local.hour + 1) // 2 % 12
    stem = (midnight + late) % 10 % 5 * 2 + branch
    return (midnight + (late and day_starts == 23)) % 60, _join(stem, branch)


def _join(stem: int, branch: int) -> int:
    """Return the number of the pillar that has these; they are both even or both odd."""
    return next(number for number in range(stem % 10, 60, 10) if number % 12 == branch % 12)


def local_clock(birth: Birth, basis: str) -> datetime | None:
    """Return the local time by which day and hour are reckoned; None where hour or place is not known."""
    if birth.instant is None or birth.standard is None:
        return None
    if basis == STANDARD:
        return birth.standard
    return None if birth.longitude is None else true_solar_time(birth.instant, birth.longitude)


def reckon_pillars(birth: Birth, basis: str, day_starts: int) -> Pillars:
    """Return the pillars of a birth; three where the hour is unknown.

    raises  BadData for solar time without a longitude.
    """
    if birth.instant is None:
        noon = datetime(birth.day.year, birth.day.month, birth.day.day, 12, tzinfo=birth.zone)
        year, month = year_and_month(noon.astimezone(clock.UTC))
        day, _ = day_and_hour(noon.replace(tzinfo=None), 0)
        return Pillars(year, month, day, None)
    local = local_clock(birth, basis)
    if local is None:
        raise BadData("true solar time needs the longitude of the place of birth", code="no-longitude")
    return Pillars(*year_and_month(birth.instant), *day_and_hour(local, day_starts))


def find_alternatives(birth: Birth, basis: str, day_starts: int) -> list[tuple[Message, Pillars]]:
    """Return the charts that hold on the other side of a boundary within 15 minutes, each with what it depends on."""
    own = reckon_pillars(birth, basis, day_starts)
    if birth.instant is None:
        return _alternatives_of_a_day(birth, own)
    found: list[tuple[Message, Pillars]] = []
    for shift in (-NEAR, NEAR):
        moved = birth._replace(
            instant=birth.instant + shift, standard=birth.standard + shift if birth.standard else None
        )
        other = reckon_pillars(moved, basis, day_starts)
        changed = [name for name, a, b in zip(_PILLAR_NAMES, own, other, strict=True) if a != b]
        if changed:
            template = (
                "15 minutes earlier, these pillars differ: {pillars}"
                if shift < timedelta(0)
                else "15 minutes later, these pillars differ: {pillars}"
            )
            found.append((Message(template, code="near-boundary", pillars=[Message(name) for name in changed]), other))
    return found


def _alternatives_of_a_day(birth: Birth, own: Pillars) -> list[tuple[Message, Pillars]]:
    """Return the other year and month of a day on which a jie stands, where the hour is unknown."""
    found = []
    for hour, minute in ((0, 0), (23, 59)):
        edge = datetime(birth.day.year, birth.day.month, birth.day.day, hour, minute, tzinfo=birth.zone)
        pair = year_and_month(edge.astimezone(clock.UTC))
        if pair != (own.year, own.month):
            last, following = _jie_around(edge.astimezone(clock.UTC))
            term = following if hour == 0 else last
            message = Message(
                "the hour is unknown and {term} begins on this day at {clock}: the month may be another",
                code="jie-of-the-day",
                term=term.name,
                clock=term.instant.astimezone(birth.zone).strftime("%H:%M"),
            )
            found.append((message, own._replace(year=pair[0], month=pair[1])))
    return found


class Luck(NamedTuple):
    """The luck decades: which way they run, when they begin, and their pillars."""

    forward: bool
    seconds: int
    jie: Term
    age: dict[str, int]
    begins: datetime
    pillars: list[int]


def reckon_luck(birth: Birth, sex: str) -> Luck | None:
    """Return the luck decades: forward for men of yang years and women of yin years; None without an hour."""
    if birth.instant is None:
        return None
    year, month = year_and_month(birth.instant)
    forward = (year % 2 == 0) == (sex == "m")
    last, following = _jie_around(birth.instant)
    jie = following if forward else last
    seconds = round(abs((jie.instant - birth.instant).total_seconds()))
    years, rest = divmod(seconds, _YEAR_SECONDS)
    months, rest = divmod(rest, _MONTH_SECONDS)
    days, rest = divmod(rest, _DAY_SECONDS)
    age = {"years": years, "months": months, "days": days, "hours": rest // _HOUR_SECONDS}
    step = 1 if forward else -1
    pillars = [(month + step * at) % 60 for at in range(1, DECADES + 1)]
    begins = _add_age(birth.instant.astimezone(birth.zone), age)
    return Luck(forward=forward, seconds=seconds, jie=jie, age=age, begins=begins, pillars=pillars)


def _add_age(begin: datetime, age: dict[str, int]) -> datetime:
    years, month = divmod(begin.month - 1 + age["months"], 12)
    first = begin.replace(year=begin.year + age["years"] + years, month=month + 1, day=1)
    return first + timedelta(days=begin.day - 1 + age["days"], hours=age["hours"])


def describe_pillar(number: int, day_stem: int, *, own: bool = False) -> dict[str, Any]:
    """Return a pillar with its stem, branch, hidden stems, their ten gods towards the day's stem, and nayin.

    own   it is the day's pillar: its stem is the person, and has no god
    """
    cycle, master = _cycle(number % 60), _cycle(day_stem % 60).get_heaven_stem()
    stem, branch = cycle.get_heaven_stem(), cycle.get_earth_branch()
    hidden = [each.get_heaven_stem() for each in branch.get_hide_heaven_stems()]
    return {
        "pillar": str(cycle.get_name()),
        "stem": str(stem.get_name()),
        "stem_element": str(stem.get_element().get_name()),
        "branch": str(branch.get_name()),
        "branch_element": str(branch.get_element().get_name()),
        "animal": str(branch.get_zodiac().get_name()),
        "god": None if own else str(master.get_ten_star(stem).get_name()),
        "hidden": [{"stem": str(each.get_name()), "god": str(master.get_ten_star(each).get_name())} for each in hidden],
        "nayin": str(cycle.get_sound().get_name()),
    }


def describe_clocks(birth: Birth) -> dict[str, str | None]:
    """Return the times of a birth: UTC, standard time, mean and true solar time, as far as they are known."""
    solar = birth.instant is not None and birth.longitude is not None
    return {
        "utc": birth.instant.isoformat() if birth.instant else None,
        "standard_time": birth.standard.isoformat() if birth.standard else None,
        "mean_solar_time": _format_second(mean_solar_time(birth.instant, birth.longitude)) if solar else None,  # type: ignore[arg-type]
        "true_solar_time": _format_second(true_solar_time(birth.instant, birth.longitude)) if solar else None,  # type: ignore[arg-type]
    }


def _format_second(moment: datetime) -> str:
    return moment.replace(microsecond=0).isoformat()
