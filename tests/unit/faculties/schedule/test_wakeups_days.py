"""A thousand days of a simulated cron in four time zones: every slot is claimed once, in its minute, and none twice.

The clock is that of Debian's cron 3.0pl1: a loop over minutes that keeps a virtual time beside the local one. The slots
are checked against an oracle that knows nothing of `ia.faculties.schedule`: it walks the minutes of UTC and looks at what a clock
in the design's zone shows.
"""

import os
import warnings
from datetime import datetime, timedelta, timezone
from functools import cache
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from ia.faculties.schedule import slots, wakeups
from ia.faculties.schedule.model import TaskDesign

UTC = timezone.utc  # noqa: UP017
START, DAYS = datetime(2024, 1, 1, tzinfo=UTC), 1000
FIRST = int(START.timestamp()) // 60
MINUTES = np.arange(FIRST, FIRST + DAYS * 1440)
SYSTEMS = ("Asia/Shanghai", "America/New_York", "Europe/London", "Australia/Lord_Howe")
ZONES = ("Asia/Shanghai", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Australia/Lord_Howe")
CRONS = ("30 1,2,3 * * *", "0 16 * * 5", "*/15 * * * *", "0 0 1 * *", "15 2 1-7 * 0")
WHOLE = (
    "45 */3 * * 1-5",
    "*/20 2 * * *",
    "59 23 * * *",
    "0 0 * * 0",
    "1 0,1,2 * * 6,0",
    "5 1-23/2 29 2,3,10 *",
    "0 9 * 3-10 1",
    "7 * 1,15 * 3",
)
ELAPSED = ("every 90m", "every 1d", "every 100m", "every 36h")
CLOSES = ("close+30m", "close-15m fri", "close+10h 1,3")
ANCHOR = datetime(2023, 12, 30, 6, 37, 12, tzinfo=UTC)
unhurried = pytest.mark.skipif(not os.environ.get("IA_SOAK"), reason="the whole matrix takes minutes: set IA_SOAK=1")


@cache
def offsets(zone):
    """How far a zone's clock is ahead at each minute: asked of zoneinfo each quarter of an hour."""
    local = ZoneInfo(zone)
    found = [
        (START + timedelta(minutes=15 * n)).astimezone(local).utcoffset().total_seconds() // 60
        for n in range(DAYS * 96)
    ]
    return np.repeat(np.array(found, dtype=np.int64), 15)


def field(text, low, high):
    """A cron field as a set; written for this test, of the forms that are used in it."""
    found = set()
    for item in text.split(","):
        span, _, step = item.partition("/")
        ends = [low, high] if span == "*" else [int(end) for end in span.split("-")]
        found |= set(range(ends[0], ends[-1] + 1, int(step or 1)))
    return found


class Line:
    """A line of a crontab: which minutes of the local clock it matches, and whether cron calls it wild."""

    def __init__(self, text):
        minute, hour, day, month, weekday = text.split()
        minutes, hours = field(minute, 0, 59), field(hour, 0, 23)
        self.wild = minute[0] == "*" or hour[0] == "*"
        self.times = np.array([m // 60 in hours and m % 60 in minutes for m in range(1440)])
        days, months, on = field(day, 1, 31), field(month, 1, 12), {n % 7 for n in field(weekday, 0, 7)}
        either = day[0] != "*" and weekday[0] != "*"
        self.first = FIRST // 1440 - 2
        self.days = []
        for n in range(DAYS + 4):
            date = (START + timedelta(days=n - 2)).date()
            in_month, in_week = date.day in days, date.isoweekday() % 7 in on
            self.days.append(date.month in months and (in_month or in_week if either else in_month and in_week))
        self.days = np.array(self.days)

    def matches(self, local):
        return self.times[local % 1440] & self.days[local // 1440 - self.first]


@cache
def ticks(system):
    """Each look that cron takes at its table: (UTC minute, virtual local minute, wild jobs?, fixed jobs?).

    GMToff changes with isdst only; in these zones that is whenever the clock does.
    """
    virtual = int(MINUTES[0] + offsets(system)[0]) - 1
    real, looked, wild, fixed = [], [], [], []

    def find_jobs(at, local, do_wild, do_fixed):
        real.append(at)
        looked.append(local)
        wild.append(do_wild)
        fixed.append(do_fixed)

    for now, running in zip(MINUTES.tolist(), (MINUTES + offsets(system)).tolist(), strict=True):
        late = running - virtual
        if late == 1:
            virtual = running
            find_jobs(now, virtual, True, True)
        elif late > 180 or late <= -180:
            virtual = running
            find_jobs(now, running, True, True)
        elif late > 5:
            find_jobs(now, running, True, False)
            while virtual < running:
                virtual += 1
                find_jobs(now, virtual, False, True)
        elif late > 0:
            while virtual < running:
                virtual += 1
                find_jobs(now, virtual, True, True)
        else:
            find_jobs(now, running, True, False)
    return np.array(real), np.array(looked), np.array(wild), np.array(fixed)


def woken(lines, system):
    """The minutes, UTC, at which cron starts one of the lines."""
    real, looked, wild, fixed = ticks(system)
    hit = np.zeros(len(real), dtype=bool)
    for line in map(Line, lines):
        hit |= line.matches(looked) & (wild if line.wild else fixed)
    return np.unique(real[hit])


@cache
def shown(text, zone):
    """The oracle of cron fields: minutes, UTC, by what the clock shows. A skipped time counts when the clock has jumped,
    a repeated one when it comes first; where the hour or minute is a *, whenever the clock shows it."""
    line, local = Line(text), MINUTES + offsets(zone)
    hit = line.matches(local)
    if line.wild:
        return MINUTES[hit]
    _, first = np.unique(local[hit], return_index=True)
    found = set(MINUTES[hit][first].tolist())
    for at in np.flatnonzero(np.diff(local) > 1):
        if line.matches(np.arange(local[at] + 1, local[at + 1])).any():
            found.add(int(MINUTES[at + 1]))
    return np.array(sorted(found), dtype=np.int64)


@cache
def closing(market):
    code = {"CN": "XSHG", "HK": "XHKG", "US": "XNYS"}[market]
    with warnings.catch_warnings():  # of pandas about exchange_calendars
        warnings.simplefilter("ignore")
        import exchange_calendars

        calendar = exchange_calendars.get_calendar(code, start="2023-12-01", end="2026-12-31")
    days = np.array([day.isoweekday() % 7 for day in calendar.sessions])
    return np.array([round(close.timestamp()) // 60 for close in calendar.closes]), days


def oracle(design):
    words = design.schedule.split()
    if words[0] == "every":
        step = {"90m": 90, "1d": 1440, "100m": 100, "36h": 2160}[words[1]]
        anchor = int(ANCHOR.timestamp()) // 60
        found = anchor + step * np.arange(1, (DAYS + 9) * 1440 // step)
    elif words[0].startswith("close"):
        closes, days = closing(design.calendar)
        offset = {"close+30m": 30, "close-15m": -15, "close+10h": 600}[words[0]]
        on = {"": range(7), "fri": [5], "1,3": [1, 3]}[" ".join(words[1:])]
        found = closes[np.isin(days, list(on))] + offset
    else:
        found = shown(design.schedule, design.zone)
        if design.calendar:
            ahead = offsets({"CN": "Asia/Shanghai", "HK": "Asia/Hong_Kong", "US": "America/New_York"}[design.calendar])
            closes, _ = closing(design.calendar)
            closes = closes[(closes >= MINUTES[0]) & (closes <= MINUTES[-1])]
            sessions = (closes + ahead[closes - FIRST]) // 1440
            found = found[np.isin((found + ahead[found - FIRST]) // 1440, sessions)]
    return found[(found > MINUTES[0]) & (found <= MINUTES[-1])]


def moment(minute):
    return datetime.fromtimestamp(int(minute) * 60, UTC)


def minutes(found):
    return [round(slot.timestamp()) / 60 for slot in found]


def nights(*zones):
    """The minutes around each change of a clock."""
    changes = np.concatenate([MINUTES[1:][np.diff(offsets(zone)) != 0] for zone in zones])
    near = np.zeros(len(MINUTES), dtype=bool)
    for change in changes:
        near[max(0, change - FIRST - 800) : change - FIRST + 800] = True
    return near.tolist()


def claimed(design, wakes, near):
    """What `between(last, now)` gives, each time that cron wakes; away from a change of clocks several wakes at once."""
    found, last = [], moment(MINUTES[0])
    for wake, following in pairwise([*wakes.tolist(), None]):
        if following is None or near[wake - FIRST] or near[following - FIRST] or len(wakes) < 500:
            found += minutes(slots.slots_between(design, last, moment(wake), anchor=ANCHOR))
            last = moment(wake)
    return found


def check_slots(schedule, system, zone="", calendar="", least=20):
    design = TaskDesign("t", schedule, prompt="x", zone=zone, calendar=calendar)
    lines = wakeups.cron_lines(design, anchor=ANCHOR, system=ZoneInfo(system), moment=START)
    assert len(lines) <= wakeups.MAX_LINES
    wakes = woken(lines, system)
    expected = oracle(design)
    assert len(expected) >= least, "an oracle that says nothing proves nothing"
    assert np.isin(expected, wakes).all(), f"{lines}: no wake-up at {moment(expected[~np.isin(expected, wakes)][0])}"
    wakes = wakes[wakes > MINUTES[0]]
    found = claimed(design, wakes, nights(system, *filter(None, [zone])))
    assert len(found) == len(set(found)), "a slot was claimed twice"
    assert found == expected.tolist()


@pytest.mark.process
@pytest.mark.parametrize(
    ("schedule", "zone", "system"),
    [
        pytest.param(schedule, zone, system, marks=[pytest.mark.soak] * ((at + beside) % 2 or (at + more) % 2))
        for at, schedule in enumerate(CRONS)
        for beside, zone in enumerate(ZONES)
        for more, system in enumerate(SYSTEMS[1::2])
    ],
)
@pytest.mark.share(4)
def test_cron_fields(schedule, zone, system):
    check_slots(schedule, system, zone)


@pytest.mark.process
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("market", ["CN", "HK", "US"])
@pytest.mark.share(2)
def test_after_the_close(market, system):
    check_slots("close+30m", system, calendar=market)


@pytest.mark.process
@pytest.mark.parametrize("zone, market", [("America/New_York", "CN"), ("Asia/Shanghai", "US"), ("Pacific/Apia", "HK")])
@pytest.mark.parametrize("schedule", ["0 20 * * *", "30 */4 * * 0-4"])
def test_cron_fields_on_trading_days(schedule, zone, market):
    """Which days count is told by the date in the exchange's zone."""
    check_slots(schedule, "Europe/London", zone, market)


@pytest.mark.process
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("schedule", ELAPSED[:2])
def test_elapsed_time(schedule, system):
    check_slots(schedule, system, "UTC")


@pytest.mark.soak
@unhurried
@pytest.mark.parametrize("system", [*SYSTEMS, "Pacific/Chatham", "Africa/Cairo", "UTC"])
@pytest.mark.parametrize("zone", [*ZONES, "Europe/London", "Pacific/Chatham", "America/St_Johns", "America/Havana"])
def test_the_whole_matrix(zone, system):
    for schedule in (*CRONS, *WHOLE):
        check_slots(schedule, system, zone)
    for schedule in ELAPSED:
        check_slots(schedule, system, zone)
    for schedule in CLOSES:
        for market in ("CN", "HK", "US"):
            check_slots(schedule, system, zone, market)


def at_random(random, low, high):
    """A cron field made of whatever may stand in one."""
    ways = ["*", f"*/{random.randint(2, high // 2)}"]
    items = []
    for _ in range(random.choice([1, 1, 2, 4])):
        first = random.randint(low, high)
        last = random.randint(first, high)
        items.append(random.choice([f"{first}", f"{first}-{last}", f"{first}-{last}/{random.randint(1, high)}"]))
    return random.choice([*ways, ",".join(items), ",".join(items)])


@pytest.mark.soak
@unhurried
@pytest.mark.parametrize("seed", range(120))
def test_schedules_at_random(seed):
    random = Random(seed)
    hour = random.choice([at_random(random, 0, 23), "1,2,3", "0", "0-4", "23,0,1", "2"])
    dates = [random.choice(["*", "*", at_random(random, *ends)]) for ends in ((1, 28), (1, 12), (0, 7))]
    minute = random.choice(["*/15", "0", "30", "7", "45,50"])
    check_slots(" ".join([minute, hour, *dates]), random.choice(SYSTEMS), random.choice(ZONES), least=0)


@pytest.mark.process
def test_the_simulated_cron_treats_clock_changes_as_debians_does():
    def starts(line, day):
        wakes = woken([line], "America/New_York")
        found = [moment(wake).astimezone(ZoneInfo("America/New_York")) for wake in wakes]
        return [at.strftime("%H:%M%z") for at in found if at.strftime("%Y-%m-%d") == day]

    assert starts("30 2 * * *", "2025-03-09") == ["03:00-0400"]  # skipped: run at once
    assert starts("30 1 * * *", "2025-11-02") == ["01:30-0400"]  # repeated: run once
    assert starts("*/30 1 * * *", "2025-11-02") == ["01:00-0400", "01:30-0400", "01:00-0500", "01:30-0500"]
    assert starts("*/30 2 * * *", "2025-03-09") == []
    assert len(starts("0 * * * *", "2025-03-09")) == 23
    assert len(starts("0 * * * *", "2025-11-02")) == 25
