"""On which sessions an alert's condition came true: each session is looked at once, as it was seen after its close.

The table of sessions holds what the condition was on each of them. A row without a run is where the alert was set (or
resumed): what is true there is known to its owner, and the next crossing is waited for. A streak of sessions on which
the condition holds is told of once, whatever of it became known first.

A price in a condition means the prices of the day on which the alert was approved. After an ex-date the bars count in
those prices: a bonus issue, split or dividend makes no condition true.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ia.domain.instruments.boards import tick_size
from ia.faculties.alerts.conditions import Condition, holds_on
from ia.faculties.alerts.definition import Alert
from ia.kernel import clock
from ia.kernel.errors import Notify, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adjustment import Action, adjustment_factors
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.history import RawHistory, load_raw_history


class SessionState(NamedTuple):
    """What a condition was on a session: its day, whether it held, and the close."""

    session: str
    holds: bool
    close: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredSession:
    """A row of the table.

    run     the task's run that looked; None for where the alert was set
    told    the task's run that told of a crossing on this session
    """

    session: str
    holds: bool
    close: float
    checked: str
    run: int | None
    told: int | None

    @property
    def state(self) -> SessionState:
        return SessionState(self.session, self.holds, self.close)


class Crossing(NamedTuple):
    """A session on which a condition came true.

    before    the security's session before it, on which it did not hold
    latest    the last session that was looked at; late: it lies after the crossing
    actions   corporate actions that took effect between the two sessions
    base      last session before the alert was approved; scale: what a price of now is multiplied by to count then
    """

    at: SessionState
    before: SessionState
    latest: SessionState
    actions: tuple[Action, ...] = ()
    base: str = ""
    scale: float = 1.0

    @property
    def is_late(self) -> bool:
        return self.latest.session > self.at.session


class Look(NamedTuple):
    """What a look at an alert brought: sessions that are new, and crossings that nobody was told of."""

    history: RawHistory
    new: tuple[SessionState, ...]
    crossings: tuple[Crossing, ...]


def evaluate_session(history: RawHistory, condition: Condition, day: str, scale: float = 1.0) -> SessionState:
    """Return what a condition was on a session, by the bars and adjustment that its close showed, times a scale."""
    bars = history.bars_as_of(day)
    close = bars.close[-1]
    if scale != 1.0:
        first, high, low, last = ([float(f"{price * scale:.10g}") for price in column] for column in bars[1:5])
        bars = Bars(bars.date, first, high, low, last, bars.volume)
    return SessionState(day, holds_on(condition, bars), close)


def price_scale(history: RawHistory, base: str, day: str, stored: Iterable[StoredSession] = ()) -> float:
    """Return by what a price of a day is multiplied to count in the prices of an earlier day: 1 without an ex-date.

    stored    sessions that were looked at: a source may no longer show them
    """
    closes = {row.session: row.close for row in stored}
    closes |= dict(zip(history.bars.date, history.bars.close, strict=True))
    days = sorted(each for each in closes if each <= day)
    known = [action for action in history.actions if action.date <= day]
    factors = adjustment_factors(days, [closes[each] for each in days], known, tick_size(history.symbol))
    return factors[-1] / factors[max(bisect_right(days, base) - 1, 0)] if factors else 1.0


def look_at_present(
    ws: Workspace, alert: Alert, notify: Notify = drop_message, *, approved: str = ""
) -> tuple[RawHistory, SessionState]:
    """Return a security's history, and what the condition is on its last session.

    approved    when the alert was approved (UTC stamp); "": now

    Raises:
        NotFound: the source has no bars. TryLater, Unavailable: it cannot be reached.
    """
    history = load_raw_history(ws, alert.symbol, notify)
    if not history.bars.date:
        from ia.kernel.errors import NotFound

        raise NotFound("{symbol}: no prices yet", symbol=alert.symbol)
    day = history.bars.date[-1]
    scale = price_scale(history, _last_session(history, approved), day) if approved else 1.0
    return history, evaluate_session(history, Condition(alert.condition), day, scale)


def mark_start(ws: Workspace, task: int, since: str, state: SessionState) -> None:
    """Remember where an alert starts, unless that is known: the last session that its owner could see."""
    if find_start(ws, task, since) is None:
        _store_sessions(ws, task, [state], run=None)


def find_start(ws: Workspace, task: int, since: str) -> StoredSession | None:
    """Return where an alert starts that was set, or resumed, at a moment (UTC stamp); None where nobody looked then."""
    rows = [row for row in load_sessions(ws, task) if row.run is None and row.checked >= since]
    return rows[-1] if rows else None


def load_sessions(ws: Workspace, task: int) -> list[StoredSession]:
    """Return the sessions of an alert that were looked at by now(), oldest first."""
    sql = (
        "SELECT session, holds, close, checked, run, told FROM alert_sessions"
        " WHERE task = ? AND checked <= ? ORDER BY session"
    )
    rows = ws.db.execute(sql, (task, clock.utc_stamp(clock.now())))
    return [
        StoredSession(session=session, holds=bool(holds), close=close, checked=checked, run=run, told=told)
        for session, holds, close, checked, run, told in rows
    ]


def look_for_crossings(
    ws: Workspace, task: int, since: str, alert: Alert, notify: Notify = drop_message, *, approved: str = ""
) -> Look:
    """Look at each session that nobody has looked at, and return what is to be told. Nothing is stored.

    task, since   number of the approval, and from which moment on it runs (UTC stamp); approved: when it was given
    raises        what `load_raw_history` and `holds_on` raise
    """
    history = load_raw_history(ws, alert.symbol, notify)
    condition, days = Condition(alert.condition), history.bars.date
    stored = {row.session: row for row in load_sessions(ws, task)}
    start = find_start(ws, task, since)
    first = start.session if start else _last_session(history, since)
    set_on = _last_session(history, approved or since)

    def scale_of(day: str) -> float:
        return price_scale(history, set_on, day, stored.values())

    known = [day for day in days if day <= first]
    base = start.state if start else evaluate_session(history, condition, known[-1]) if known else None
    new = tuple(
        evaluate_session(history, condition, day, scale_of(day))
        for day in days
        if day > first and day not in stored and (not alert.until or day <= alert.until)
    )
    seen = [row.state for row in stored.values() if row.session > first]  # a source may show a part of them now
    states = sorted((*seen, *new))
    told = {row.session for row in stored.values() if row.told is not None}
    crossings = [
        Crossing(
            at=at,
            before=before,
            latest=states[-1],
            actions=_actions_between(history, before.session, at.session),
            base=set_on,
            scale=scale_of(at.session),
        )
        for before, at in find_crossings(base, states, told)
    ]
    return Look(history, new, tuple(crossings))


def _last_session(history: RawHistory, stamp: str) -> str:
    """Return the last day whose close could be seen at a moment (UTC stamp)."""
    return clock.last_visible_date(history.symbol.market, datetime.fromisoformat(stamp))


def find_crossings(
    base: SessionState | None, states: Iterable[SessionState], told: Collection[str]
) -> list[tuple[SessionState, SessionState]]:
    """Return the sessions on which a condition came true, each with the one before it, of streaks not yet told of.

    base    the session before the first; without one the first is where the alert starts

    >>> days = [SessionState(day, day in "bcf", 1.0) for day in "abcdefg"]
    >>> [at.session for _, at in find_crossings(days[0], days[1:], ())]
    ['b', 'f']
    >>> [at.session for _, at in find_crossings(days[0], days[1:], {"c"})], find_crossings(days[1], days[2:4], ())
    (['f'], [])
    """
    found: list[tuple[SessionState, SessionState]] = []
    streak: tuple[SessionState, SessionState] | None = None
    for state in states:
        if base is not None and state.holds and not base.holds:
            streak = (base, state)
            found.append(streak)
        if state.session in told and streak in found and state.holds:
            found.remove(streak)
        base = state
    return found


def keep_look(ws: Workspace, task: int, look: Look, *, run: int) -> None:
    """Store what a run has looked at, and that it tells of these crossings. Joins a transaction that is open."""
    _store_sessions(ws, task, look.new, run=run)
    ws.db.executemany(
        "UPDATE alert_sessions SET told = ? WHERE task = ? AND session = ?",
        [(run, task, each.at.session) for each in look.crossings],
    )


def forget_run(ws: Workspace, run: int) -> None:
    """Forget what a run that is taken back has looked at: the next one looks again."""
    ws.db.execute("DELETE FROM alert_sessions WHERE run = ?", (run,))
    ws.db.execute("UPDATE alert_sessions SET told = NULL WHERE told = ?", (run,))


def _store_sessions(ws: Workspace, task: int, states: Iterable[SessionState], *, run: int | None) -> None:
    checked = clock.utc_stamp(clock.now())
    ws.db.executemany(
        "INSERT OR REPLACE INTO alert_sessions (task, session, holds, close, checked, run) VALUES (?, ?, ?, ?, ?, ?)",
        [(task, state.session, state.holds, state.close, checked, run) for state in states],
    )


def _actions_between(history: RawHistory, before: str, day: str) -> tuple[Action, ...]:
    """Return the corporate actions that the bar of a day is the first to show."""
    return tuple(action for action in history.actions if before < action.date <= day)
