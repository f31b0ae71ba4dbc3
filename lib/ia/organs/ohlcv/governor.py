"""Politeness to hosts: how often one may be asked, and when it is left alone. Shared by all processes of the user.

Sources ban an address that asks too often (Eastmoney: more than 5 requests a second, 10 at once or 200 a minute), for
days. So each site has a token bucket, a cap for the minute and one for what runs at once, far below that. After the
signs of a ban a circuit breaker leaves the site alone for half an hour, then twice as long each time, up to a day;
after that one request at a time is let through, and the first good answer closes the breaker. What ends half-way, after
good answers to the same process, may be a server that fell over: PROBES later processes may then try one request each.

The state is `hosts.db` in the user's state folder; behind `market.relay` it is another file, as a relay that is down
says nothing of the hosts. It follows the real clock, never `--now`. What is not sound in it, rows or schema, is no
reason to stop: the file is begun anew.
"""

import contextlib
import os
import random
import sqlite3
import time
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeVar

from ia.kernel import config
from ia.kernel.errors import ConfigError, TryLater

T = TypeVar("T")


class Limit(NamedTuple):
    """What a site may be asked: sustained rate and burst of the token bucket, at once, in a minute."""

    per_second: float
    burst: float
    at_once: int
    per_minute: int


ORDINARY = Limit(1.0, 3.0, 2, 60)
LIMITS = {
    "eastmoney.com": ORDINARY,
    "qq.com": ORDINARY,
    "gtimg.cn": ORDINARY,
    "sina.com.cn": ORDINARY,
    "sina.cn": ORDINARY,
    "sinajs.cn": ORDINARY,
    "tushare.pro": Limit(2.0, 5.0, 2, 100),
    "waditu.com": Limit(2.0, 5.0, 2, 100),
}
"""Sites by the end of their host names: bans are by address and fall on all hosts of a site alike."""

FIRST_PAUSE, LONGEST_PAUSE = 1800.0, 86400.0  # seconds
_UNCOUNTED = -1  # the number of a request that does not count for the pace
PROBES = 3
LEASE = 180.0  # seconds after which a request whose process died no longer counts as running
_SCHEMA = (
    "CREATE TABLE site (name TEXT PRIMARY KEY, tokens REAL NOT NULL, filled REAL NOT NULL,"
    " open_until REAL NOT NULL DEFAULT 0, trips INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '',"
    " probes INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE request (id INTEGER PRIMARY KEY, site TEXT NOT NULL, at REAL NOT NULL, running INTEGER NOT NULL)",
    "CREATE INDEX request_site ON request (site, at)",
)
_FAILURES = "CREATE TABLE failure (site TEXT PRIMARY KEY, at REAL NOT NULL, reason TEXT NOT NULL)"
"""The last failure of a site since its last good answer."""
_FORMER = {("table", "site"), ("table", "request"), ("index", "request_site")}
_OBJECTS = _FORMER | {("table", "failure")}
_BUSY, _NOT_OURS = (5, 6), (3, 7, 8, 10, 13, 14)
"""SQLite's codes: held by another process; permission, memory, read-only, input/output, full, cannot open."""


_answered: set[tuple[str, str]] = set()
"""(state file, site) that have answered this process well."""
_told: set[tuple[str, str]] = set()
"""(state file, site) of which this process knows that they are left alone: it probes no more."""


class Banned(TryLater):
    """A host has shut us out, or is left alone since it did."""

    code = "banned"


class SiteState(NamedTuple):
    """How a site stands: until when it is left alone (local ISO time, "" when it is not), why, and how often.

    failed_at, failure   when its last request failed (local ISO time) and why; "" where the last answer was good
    """

    open_until: str
    reason: str
    trips: int
    last_minute: int
    failed_at: str = ""
    failure: str = ""


class Governor:
    """The governor over the state file at `path`. `now` and `sleep` are the machine's clock, but in tests.

    unhurried   nobody else is asked (a relay on this machine): bans count, the pace does not
    """

    def __init__(
        self,
        path: str | None = None,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        limits: dict[str, Limit] | None = None,
        unhurried: bool = False,
    ) -> None:
        file = "relayed.db" if config.get_setting("market.relay") else "hosts.db"
        self.path = path or os.path.join(config.user_state(), file)
        self.now, self.sleep = now, sleep
        self.limits = LIMITS if limits is None else limits
        self.unhurried = unhurried

    def acquire(self, host: str, patience: float = 60.0) -> int:
        """Wait until `host` may be asked and return the number of the request, for `release`.

        raises  Banned where the host is left alone; TryLater where others' requests fill `patience` seconds.
        """
        site, began = self.site_of(host), self.now()
        while True:
            number, wait, shut = self._change_state(lambda db: self._take_token(db, site, host))
            if shut:
                raise shut
            if number:
                return number
            if self.now() + wait > began + patience:
                raise TryLater("{host}: too many requests are waiting", host=host, hint="try again in a minute")
            self.sleep(wait + random.random() * 0.25)

    def release(self, number: int) -> None:
        """Tell that a request has ended, however it did."""
        if number == _UNCOUNTED:
            return
        self._change_state(lambda db: db.execute("UPDATE request SET running = 0 WHERE id = ?", (number,)))

    def record_success(self, host: str) -> None:
        """Tell of a good answer: the breaker closes."""
        _answered.add((self.path, self.site_of(host)))
        site = self.site_of(host)

        def close_breaker(db: sqlite3.Connection) -> None:
            db.execute("UPDATE site SET open_until = 0, trips = 0, reason = '' WHERE name = ? AND trips > 0", (site,))
            db.execute("DELETE FROM failure WHERE site = ?", (site,))

        self._change_state(close_breaker)

    def record_failure(self, host: str, reason: str) -> None:
        """Record that a request got no usable answer, for `ia doctor`; the pace does not change."""
        row = (self.site_of(host), self.now(), " ".join(reason.split())[:200])
        self._change_state(lambda db: db.execute("INSERT OR REPLACE INTO failure VALUES (?, ?, ?)", row))

    def record_ban(self, host: str, reason: str, retry_after: float | None = None) -> Banned:
        """Leave the host alone, as long as it asked for, else longer each time, and return the error to raise."""
        site, now = self.site_of(host), self.now()

        def open_breaker(db: sqlite3.Connection) -> float:
            _, _, open_until, trips, _ = self._load_site(db, site, now)
            fresh = open_until <= now  # requests that were under way together are one sign, not several
            trips = max(0, trips) + fresh
            pause = FIRST_PAUSE * 2 ** min(trips - 1, 10) if retry_after is None else max(retry_after, 1.0)
            until = max(open_until, now + min(pause, LONGEST_PAUSE))
            opened = "UPDATE site SET trips = ?, open_until = ?, reason = ? WHERE name = ?"
            db.execute(opened, (trips, until, reason[:200], site))
            if fresh or retry_after is not None:
                half_way = trips == 1 and (self.path, site) in _answered
                probes = PROBES if retry_after is None and half_way else 0
                db.execute("UPDATE site SET probes = ? WHERE name = ?", (probes, site))
            return until

        _told.add((self.path, site))
        return _ban_error(host, self._change_state(open_breaker), reason)

    def site_states(self) -> dict[str, SiteState]:
        """Return how each site stands that has been asked, by name; {} where none has. Makes no file."""
        if not os.path.exists(self.path):
            return {}
        now = self.now()
        asked = (
            "SELECT name, MIN(open_until, ?), s.reason, trips,"
            " (SELECT COUNT(*) FROM request r WHERE r.site = name AND r.at > ?), coalesce(f.at, 0),"
            " coalesce(f.reason, '')"
            " FROM site s LEFT JOIN failure f ON f.site = name ORDER BY name"
        )

        def load_states(db: sqlite3.Connection) -> dict[str, SiteState]:
            found = {}
            for name, until, reason, trips, count, at, failure in db.execute(asked, (now + LONGEST_PAUSE, now - 60)):
                closed = (_format_local(until), str(reason)) if until > now else ("", "")
                found[str(name)] = SiteState(
                    open_until=closed[0],
                    reason=closed[1],
                    trips=int(trips),
                    last_minute=count,
                    failed_at=_format_local(at) if at else "",
                    failure=str(failure),
                )
            return found

        return self._change_state(load_states)

    def site_of(self, host: str) -> str:
        """Return what is limited together with this host: its site, else itself."""
        host = host.lower().rstrip(".")
        return next((site for site in self.limits if host == site or host.endswith("." + site)), host)

    def _take_token(self, db: sqlite3.Connection, site: str, host: str) -> tuple[int, float, Banned | None]:
        """Return (number, 0, None) where the request may go, else (0, seconds to wait, error if it must not)."""
        now, limit = self.now(), self.limits.get(site, ORDINARY)
        tokens, filled, open_until, trips, reason = self._load_site(db, site, now)
        probing = open_until > now
        if probing and not self._may_probe(db, site):
            return 0, 0.0, _ban_error(host, open_until, reason)
        if self.unhurried:
            return _UNCOUNTED, 0.0, None
        db.execute("DELETE FROM request WHERE at < ? OR at > ?", (now - max(60.0, LEASE), now + 60))
        minute = db.execute("SELECT at FROM request WHERE site = ? AND at > ? ORDER BY at", (site, now - 60))
        recent = [at for (at,) in minute]
        (running,) = db.execute("SELECT COUNT(*) FROM request WHERE site = ? AND running = 1", (site,)).fetchone()
        tokens = min(limit.burst, max(0.0, tokens) + max(0.0, now - filled) * limit.per_second)
        wait = 0.0
        if running >= (1 if trips else limit.at_once):
            wait = 0.1
        if len(recent) >= limit.per_minute:
            wait = max(wait, recent[-limit.per_minute] + 60 - now)
        if tokens < 1.0:
            wait = max(wait, (1.0 - tokens) / limit.per_second)
        taken = 0.0 if wait else 1.0
        db.execute("UPDATE site SET tokens = ?, filled = ? WHERE name = ?", (tokens - taken, now, site))
        if wait:
            return 0, wait, None
        if probing:
            _told.add((self.path, site))
            db.execute("UPDATE site SET probes = probes - 1 WHERE name = ?", (site,))
        number = db.execute("INSERT INTO request (site, at, running) VALUES (?, ?, 1)", (site, now)).lastrowid
        return number or 0, 0.0, None

    def _may_probe(self, db: sqlite3.Connection, site: str) -> bool:
        """Whether this process may try one request at a site that is left alone; it may not twice."""
        (probes,) = db.execute("SELECT probes FROM site WHERE name = ?", (site,)).fetchone()
        return probes > 0 and (self.path, site) not in _told

    def _load_site(self, db: sqlite3.Connection, site: str, now: float) -> tuple[float, float, float, int, str]:
        """Return tokens, fill time, pause, trips and reason of a site; a clock set back makes no endless pause."""
        burst = self.limits.get(site, ORDINARY).burst
        db.execute("INSERT OR IGNORE INTO site (name, tokens, filled) VALUES (?, ?, ?)", (site, burst, now))
        db.execute("UPDATE site SET open_until = MIN(open_until, ?) WHERE name = ?", (now + LONGEST_PAUSE, site))
        row: tuple[float, float, float, int, str] = db.execute(
            "SELECT tokens, filled, open_until, trips, reason FROM site WHERE name = ?", (site,)
        ).fetchone()
        return row

    def _change_state(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `do` makes of the state, all or nothing, one process at a time.

        What SQLite or `do` cannot make sense of is a state file that is not sound: it goes, and `do` begins anew.
        """
        try:
            try:
                return self._run_once(do)
            except (sqlite3.Error, TypeError, ValueError, ArithmeticError) as exc:
                if _sqlite_code(exc) in (*_BUSY, *_NOT_OURS):
                    raise
                for suffix in ("", "-journal", "-wal", "-shm"):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(self.path + suffix)
                return self._run_once(do)
        except sqlite3.Error as exc:
            if _sqlite_code(exc) in _BUSY:
                raise TryLater(
                    "another ia process has locked {path}", path=self.path, hint="try again in a moment"
                ) from None
            raise _state_file_error(self.path, str(exc)) from None
        except OSError as exc:
            raise _state_file_error(self.path, exc.strerror or str(exc)) from None

    def _run_once(self, do: Callable[[sqlite3.Connection], T]) -> T:
        db = self._open_database()
        try:
            found = do(db)
            db.execute("COMMIT")
            return found
        finally:
            db.close()

    def _open_database(self) -> sqlite3.Connection:
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=10.0, isolation_level=None)
        try:
            db.execute("PRAGMA synchronous = OFF")
            db.execute("BEGIN IMMEDIATE")
            found = set(db.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'"))
            if found not in (set(), _FORMER, _OBJECTS):
                raise sqlite3.DatabaseError("another schema")
            for statement in () if found else _SCHEMA:
                db.execute(statement)
            if found != _OBJECTS:
                db.execute(_FAILURES)
        except BaseException:
            db.close()
            raise
        return db


def site_states() -> dict[str, SiteState]:
    """Return how each site stands that this user has asked (`ia doctor`)."""
    return Governor().site_states()


def _ban_error(host: str, until: float, reason: str) -> Banned:
    return Banned(
        "{host} may have banned ia; no requests until {until}: {reason}",
        hint="try another data source with --adapter; `ia doctor` shows the state of each host",
        host=host,
        until=_format_local(until),
        reason=" ".join(str(reason).split())[:200],
    )


def _state_file_error(path: str, reason: str) -> ConfigError:
    return ConfigError(
        "cannot record requests in {path}: {reason}",
        hint="set XDG_STATE_HOME to a writable folder",
        path=path,
        reason=reason,
    )


def _sqlite_code(exc: Exception) -> int:
    """Return SQLite's primary code of an error, 0 where it is none of SQLite's own."""
    return getattr(exc, "sqlite_errorcode", 0) & 0xFF


def _format_local(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().isoformat(sep=" ", timespec="minutes")
