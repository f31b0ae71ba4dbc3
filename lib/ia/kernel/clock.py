"""The one clock. `--now` (`IA_NOW`) sets it, and then nothing later is visible to any organ."""

from datetime import datetime, time, timedelta, timezone, tzinfo
from functools import cache

from ia.kernel import config
from ia.kernel.errors import UsageError

UTC = timezone.utc  # noqa: UP017  (datetime.UTC is the same object under a newer name)
CHINA = timezone(timedelta(hours=8), "CST")
"""Shanghai, Shenzhen, Beijing and Hong Kong: UTC+8 without daylight saving since 1991."""


def now() -> datetime:
    """Return the moment that the program lives in: `--now` if it was given, else the real time. Aware."""
    text = config.env("IA_NOW")
    if not text:
        return wall_time()
    dated = text[:4].isdigit() and text[4:5] == "-" and text[10:11] == "T" and text[-6:-5] in ("+", "-")
    return _parse_fixed(text) if dated else parse_moment(text)


def wall_time() -> datetime:
    """Return the real time, aware, in the user's zone: for politeness to hosts and for locks, never for data."""
    return datetime.now().astimezone()


def is_simulated() -> bool:
    """Whether `--now` is in force."""
    return config.env("IA_NOW") is not None


def is_past() -> bool:
    """Whether `--now` is in force and lies before the present day: what knows only the present would look ahead."""
    return is_simulated() and now() < wall_time().replace(hour=0, minute=0, second=0, microsecond=0)


def parse_moment(text: str) -> datetime:
    """Return an aware moment from a text in any form of dateforms. A bare date means its end, a month its last day.

    Without an offset it is the user's zone; what is relative, such as `yesterday`, counts from the real time.

    raises  UsageError for what is no time, or means two.
    """
    return _resolve_moment(text, wall_time(), last=True)


@cache
def _parse_fixed(text: str) -> datetime:
    """Return the moment of a text with its year and offset, which means the same at any time.

    A turn asks for now() hundreds of times.
    """
    return parse_moment(text)


def parse_since(text: str) -> datetime:
    """Return the moment that `--since` means: a bare date means its beginning; what is relative counts from now().

    raises  UsageError for what is no time, means two, or is in the future.
    """
    from ia.kernel import dateforms

    moment = _resolve_moment(text, now(), last=False)
    if moment > now():
        raise UsageError("{text} is in the future", text=text.strip(), hint=dateforms.TIMES)
    return moment


def _resolve_moment(text: str, reference: datetime, *, last: bool) -> datetime:
    from ia.kernel import dateforms  # its patterns would be felt in commands that are told no time

    try:
        found = dateforms.read_moment(text, reference)
        if found is None:
            raise ValueError
        if isinstance(found, dateforms.DateSpan):
            found = datetime.combine(*((found.last, time(23, 59, 59)) if last else (found.first, time())))
        if found.tzinfo is None:
            found = found.replace(tzinfo=reference.tzinfo) if is_simulated() and not last else found.astimezone()
        if not 1900 <= found.astimezone(UTC).year < 9000:
            raise ValueError
        return found
    except (ValueError, OverflowError, OSError):
        raise UsageError("{text!r} is not a valid time", hint=dateforms.TIMES, text=text[: dateforms.LONGEST]) from None


def utc_stamp(moment: datetime) -> str:
    """Return a moment as UTC text with milliseconds; such texts sort as the moments do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def today(market: str = "") -> str:
    """Return the date of now(), YYYY-MM-DD: in the zone of a market's exchange, in the user's where none is named."""
    return (now().astimezone(exchange_zone(market)) if market else now()).strftime("%Y-%m-%d")


def exchange_zone(market: str) -> tzinfo:
    """Return the time zone of an exchange's market code: CN and HK UTC+8, US New York."""
    if market == "US":
        from zoneinfo import ZoneInfo

        return ZoneInfo("America/New_York")
    return CHINA


CLOSE = {"CN": time(15, 0), "HK": time(16, 10), "US": time(16, 0)}
"""When the regular session ends, in the exchange's own time. Half days end earlier; later is the safe side.
Hong Kong closes with an auction that may last until 16:10."""


def last_visible_date(market: str, moment: datetime | None = None) -> str:
    """Return the latest date whose daily bar of this market may be seen: today after the close, else yesterday."""
    local = (moment or now()).astimezone(exchange_zone(market))
    day = local.date() if local.time() >= CLOSE[market] else local.date() - timedelta(days=1)
    return day.isoformat()
