"""Whose clock: the user's time zone, and the one that cron on this machine lives in."""

import os
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from ia.kernel import config
from ia.kernel.errors import BadData, ConfigError

LOCALTIME, TIMEZONE = "/etc/localtime", "/etc/timezone"
_FOLDER = "/zoneinfo/"
UTC = ZoneInfo("UTC")
_SERVER = ("UTC", "Etc/UTC", "Etc/UCT", "Etc/GMT", "GMT", "Etc/Universal", "Etc/Zulu", "Universal", "Zulu", "UCT")


def user_zone() -> ZoneInfo:
    """Return the user's zone: what TZ says, else the system's."""
    told = config.env("TZ")
    return (_parse_tz(told) or _zone_by_offset()) if told else _read_localtime()


def wish_zone() -> ZoneInfo:
    """Return the zone in which a person says times: the user's own.

    Where the machine is in UTC and nobody set TZ, as on a server, that of the home market: its clock is nobody's.
    """
    from ia.faculties.schedule.exchange import HOME, exchange_zone

    own = user_zone()
    return exchange_zone(HOME) if own.key in _SERVER and not config.env("TZ") else own


def system_zone() -> ZoneInfo:
    """Return the zone that cron lives in, whatever TZ this process has: that of /etc/localtime.

    `IA_CRON_ZONE` names another, for a cron daemon that was started with a TZ of its own.
    raises  ConfigError where it names none.
    """
    told = config.env("IA_CRON_ZONE")
    if told:
        try:
            return load_zone(told)
        except BadData as exc:
            raise ConfigError(exc.template, hint=exc.hint, **exc.params) from None
    return _read_localtime()


def cron_zones(told: str) -> list[ZoneInfo]:
    """Return the zones that cron may live in: the system's, and that of a TZ that a person had, if it is another.

    Where cron was started with that TZ, as in a container, it lives in it; which of the two it is cannot be seen.
    """
    named = _parse_tz(told) if told and not config.env("IA_CRON_ZONE") else None
    return [system_zone()] if named is None or named.key == system_zone().key else [system_zone(), named]


def load_zone(name: str) -> ZoneInfo:
    """Return the zone of an IANA name.

    raises  BadData where there is no such zone, with the nearest names.
    """
    found = _load_zone(name)
    if found is not None:
        return found
    from difflib import get_close_matches

    names = {each.lower(): each for each in sorted(available_timezones())}
    short = {each.rsplit("/", 1)[-1]: each for each in names}
    wanted = name.strip().lower().replace(" ", "_")[:60]
    near = [short[wanted]] if wanted in short else get_close_matches(wanted, names, 2, 0.7)
    raise BadData(
        "{zone!r} is not a valid time zone",
        zone=name[:60],
        near=", ".join(names[each] for each in near),
        hint="did you mean {near}?" if near else "write an IANA name: Asia/Shanghai, America/New_York, Europe/London",
    )


@lru_cache(64)
def _load_zone(name: str) -> ZoneInfo | None:
    if not name or name.startswith(("/", ".")) or "localtime" in name or len(name) > 60:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError; "Asia" is a folder
        return None


def _parse_tz(text: str) -> ZoneInfo | None:
    """Return the zone of a TZ as the C library reads it: `:NAME`, a path below zoneinfo, a NAME; None for others."""
    told = text.removeprefix(":")
    if _FOLDER in told:
        told = told.rsplit(_FOLDER, 1)[1]
    return _load_zone(told) if told else None


def _read_localtime() -> ZoneInfo:
    found = _parse_tz(os.path.realpath(LOCALTIME))
    if found is None:
        try:
            with open(TIMEZONE, encoding="utf-8") as file:
                found = _load_zone(file.read(100).strip())
        except (OSError, ValueError):
            found = None
    return found or _zone_by_offset()


def _zone_by_offset() -> ZoneInfo:
    """Return a zone of today's offset: where the machine does not tell the name of its own."""
    now = datetime.now().astimezone()
    offset = now.utcoffset() or timedelta()
    hours = round(offset.total_seconds() / 3600)
    named = _load_zone(f"Etc/GMT{-hours:+d}") if offset == timedelta(hours=hours) else None
    names = () if named else sorted(available_timezones())
    return named or next(
        (ZoneInfo(name) for name in names if now.astimezone(ZoneInfo(name)).utcoffset() == offset), UTC
    )
