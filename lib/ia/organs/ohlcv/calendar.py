"""Trading days: when a market closed last, and until when what was fetched is fresh.

`session_days` knows the holidays. Beyond the days that it knows every weekday counts.
"""

from datetime import date, datetime, timedelta

from ia.kernel import clock
from ia.organs.ohlcv.session_days import load_session_days

DELIVERY = timedelta(hours=2)
"""How long after the close a source may take to have the day's bar."""
RETRY = timedelta(minutes=15)


def last_session(market: str, moment: datetime) -> str:
    """Return the date of the last session that had closed at `moment`, YYYY-MM-DD."""
    return _last_close(market, moment)[0]


def next_close(market: str, moment: datetime) -> datetime:
    """Return when the next session after `moment` closes, aware, UTC."""
    day = moment.astimezone(clock.exchange_zone(market)).date()
    for _ in range(40):
        close = _session_close(market, day.isoformat())
        if close and close > moment:
            return close
        day += timedelta(days=1)
    raise AssertionError("forty days without a session")


def known_until(market: str) -> str:
    """Return the last day of which it is known whether it is a session, YYYY-MM-DD."""
    return load_session_days(market).last or "1990-12-31"


def weekday_closures(market: str, day: str, days: int = 21) -> list[str]:
    """Return the weekdays without a session among so many days after a day."""
    following = (date.fromisoformat(day) + timedelta(days=n) for n in range(1, days + 1))
    return [
        each.isoformat() for each in following if each.weekday() < 5 and not _session_close(market, each.isoformat())
    ]


def count_sessions(market: str, day: str, until: str) -> int:
    """Return how many sessions there were after a day, up to another one."""
    return len(list_sessions(market, day, until))


def list_sessions(market: str, after: str, until: str) -> list[str]:
    """Return the sessions after a day, up to and with another one, YYYY-MM-DD."""
    begin = date.fromisoformat(after)
    count = (date.fromisoformat(until) - begin).days
    days = ((begin + timedelta(n)).isoformat() for n in range(1, count + 1))
    known = load_session_days(market)
    return [day for day in days if known.is_session(day)]


def is_holiday(market: str, day: str) -> bool:
    """Whether a weekday has no session."""
    return date.fromisoformat(day).weekday() < 5 and _session_close(market, day) is None


def unscheduled_closures(market: str) -> frozenset[str]:
    """Return the days on which Hong Kong or New York was closed without a plan: typhoons, days of mourning."""
    return load_session_days(market).unplanned


def fresh_until(market: str, fetched_at: datetime, last_bar: str) -> datetime:
    """Return until when a series needs no new fetch.

    That is the next close, as there is no new daily bar before it. Where the source did not have the bar of the last
    closed session, which takes it up to DELIVERY, it is asked again after RETRY; if it still has none then (a suspended
    stock, a holiday that the calendar does not know), at the next close.
    """
    session, closed = _last_close(market, fetched_at)
    if last_bar < session and fetched_at - closed < DELIVERY:
        return fetched_at + RETRY
    return next_close(market, fetched_at)


def _last_close(market: str, moment: datetime) -> tuple[str, datetime]:
    day = moment.astimezone(clock.exchange_zone(market)).date()
    for _ in range(40):
        close = _session_close(market, day.isoformat())
        if close and close <= moment:
            return day.isoformat(), close
        day -= timedelta(days=1)
    raise AssertionError("forty days without a session")


def _session_close(market: str, day: str) -> datetime | None:
    """Return when a day's bar becomes visible; None where the day has no session. Half days count as whole ones."""
    if not load_session_days(market).is_session(day):
        return None
    local = datetime.combine(date.fromisoformat(day), clock.CLOSE[market], clock.exchange_zone(market))
    return local.astimezone(clock.UTC)
