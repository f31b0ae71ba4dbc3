"""The command behind `calendar.trading`: is a day a trading day, and which sessions lie around it.

`python -m ia.faculties.providers.trading_calendar`, as the provider `calendar` starts it: a call as JSON on standard
input, the answer as JSON on standard output. exchange_calendars knows the holidays. Its import costs most of a call, so
what it said is kept in the user's cache where the provider is given HOME or XDG_CACHE_HOME. For mainland China they are
announced a year at a time, so there is a last day that it knows; of a date beyond that it says that it does not know.
"""

import sys
from datetime import date

from ia.faculties.providers.answering import answer_one_call
from ia.kernel import clock, config, dateforms
from ia.kernel.errors import BadData, UsageError
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv import session_days

MAX_SESSIONS = 60


def find_sessions(day: str | None = None, market: str = "CN", n: int = 1) -> Json:
    """Return whether `day` (YYYY-MM-DD, default the market's today) is a session, and the n sessions on either side.

    `known_until` is the last day that the calendar knows. Sessions beyond it are missing, and whether a day beyond it
    (or before 1991) is one is None: nothing is guessed.
    raises  BadData for a market, a date or a count that is none.
    """
    if market not in session_days.CODES:
        raise BadData(
            "{market!r} is not a known market; use one of {known}", market=market, known=", ".join(session_days.CODES)
        )
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MAX_SESSIONS:
        raise BadData("n must be a number from 1 to {most}", most=MAX_SESSIONS)
    wanted = _parse_date(day, market) if day else clock.now().astimezone(clock.exchange_zone(market)).date()
    told = wanted.isoformat()
    first, last, days = _load_sessions(market)
    if clock.is_past():  # what is announced later is not known yet
        last = min(last, session_days.announced_until(market, clock.today(market)))
        days = [session for session in days if session <= last]
    known = first <= told <= last
    sessions = days if known else []
    return {
        "market": market,
        "date": told,
        "is_trading_day": told in sessions if known else None,
        "previous": [session for session in sessions if session < told][-n:],
        "next": [session for session in sessions if session > told][:n],
        "known_until": last,
    }


def answer_call(_tool: str, arguments: Json) -> Json:
    """Return the answer to one call. raises  as find_sessions()."""
    return find_sessions(arguments.get("date"), arguments.get("market") or "CN", arguments.get("n") or 1)


def _parse_date(text: str, market: str) -> date:
    today = date.fromisoformat(clock.today(market))
    try:
        return date.fromisoformat(dateforms.parse_one_day(text, today))
    except (UsageError, TypeError) as exc:
        raise BadData("{text!r} is not a valid date", text=text, hint=getattr(exc, "hint", None)) from None


def _load_sessions(market: str) -> tuple[str, str, list[str]]:
    """Return the first and the last day that the calendar knows, and the sessions between them."""
    given = config.env("HOME") or config.env("XDG_CACHE_HOME")
    cache = session_days.cache_folder() if given else None
    return session_days.load_sessions(market, cache, lambda raw: (raw["first"], raw["last"], raw["days"]))


if __name__ == "__main__":
    sys.exit(answer_one_call(answer_call))
