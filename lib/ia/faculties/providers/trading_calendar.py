"""The command behind `calendar.trading`: is a day a trading day, and which sessions lie around it.

`python -m ia.faculties.providers.trading_calendar`, as the provider `calendar` starts it: a call as JSON on standard
input, the answer as JSON on standard output. exchange_calendars knows the holidays. For mainland China they are
announced a year at a time, so there is a last day that it knows; of a date beyond that it says that it does not know.
"""

import json
import sys
import warnings
from datetime import date, timedelta
from typing import Any

from ia.kernel import clock, dateforms
from ia.kernel.errors import BadData, IaError, UsageError
from ia.kernel.jsontypes import Json

EXCHANGES = {"CN": "XSHG", "HK": "XHKG", "US": "XNYS"}
EARLIEST = "1990-12-19"
MAX_SESSIONS = 60
AROUND = timedelta(days=40)
"""Longer than any market was ever closed, but for the wars."""


def find_sessions(day: str | None = None, market: str = "CN", n: int = 1) -> Json:
    """Return whether `day` (YYYY-MM-DD, default the market's today) is a session, and the n sessions on either side.

    `known_until` is the last day that the calendar knows. Sessions beyond it are missing, and whether a day beyond it
    (or before 1990-12-19) is one is None: nothing is guessed.
    raises  BadData for a market, a date or a count that is none.
    """
    if market not in EXCHANGES:
        raise BadData("{market!r} is not a known market; use one of {known}", market=market, known=", ".join(EXCHANGES))
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MAX_SESSIONS:
        raise BadData("n must be a number from 1 to {most}", most=MAX_SESSIONS)
    wanted = _parse_date(day, market) if day else clock.now().astimezone(clock.exchange_zone(market)).date()
    calendar, until = _load_calendar(market, wanted, n)
    told = wanted.isoformat()
    known = EARLIEST <= told <= until
    sessions = [str(session)[:10] for session in calendar.sessions] if known else []
    return {
        "market": market,
        "date": told,
        "is_trading_day": told in sessions if known else None,
        "previous": [session for session in sessions if session < told][-n:],
        "next": [session for session in sessions if session > told][:n],
        "known_until": until,
    }


def main() -> int:
    """Answer one call from standard input and return the exit status; complaints go to standard error."""
    try:
        arguments = json.load(sys.stdin)["arguments"]
        told = find_sessions(arguments.get("date"), arguments.get("market") or "CN", arguments.get("n") or 1)
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.stderr.write('a call is {"tool", "arguments", "config"}\n')
        return BadData.status
    except IaError as exc:
        sys.stderr.write(f"{exc}\n")
        return exc.status
    json.dump(told, sys.stdout)
    return 0


def _parse_date(text: str, market: str) -> date:
    today = date.fromisoformat(clock.today(market))
    try:
        return date.fromisoformat(dateforms.parse_one_day(text, today))
    except (UsageError, TypeError) as exc:
        raise BadData("{text!r} is not a valid date", text=text, hint=getattr(exc, "hint", None)) from None


def _load_calendar(market: str, wanted: date, n: int) -> tuple[Any, str]:
    """Return the exchange's calendar around a day, and the last day that it knows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import exchange_calendars

        whole = exchange_calendars.get_calendar(EXCHANGES[market])
        bound = whole.bound_max()
        until = bound.date() if bound is not None else whole.last_session.date()
        first = max(wanted - AROUND - timedelta(days=2 * n), date.fromisoformat(EARLIEST))
        last = min(wanted + AROUND + timedelta(days=2 * n), until)
        if not first < last:
            return whole, until.isoformat()
        return exchange_calendars.get_calendar(EXCHANGES[market], start=str(first), end=str(last)), until.isoformat()


if __name__ == "__main__":
    sys.exit(main())
