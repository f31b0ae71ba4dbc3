"""The alerts among the tasks: what each waits for, and how it stands."""

from ia.faculties.alerts import conditions, sessions
from ia.faculties.alerts.definition import Alert, find_alert
from ia.faculties.taskbook import approved_tasks
from ia.faculties.taskbook.approved_tasks import Listed
from ia.kernel.errors import NotFound, UsageError
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace


def list_alerts(ws: Workspace) -> list[tuple[Listed, Alert]]:
    """Return the tasks that are alerts as of now(), by name: approved ones, and those that wait for approval."""
    found = []
    for each in approved_tasks.list_tasks(ws):
        alert = find_alert(each.design) if each.design is not None else None
        if alert is not None:
            found.append((each, alert))
    return found


def is_floor(alert: Alert) -> bool:
    """Return whether an alert comes true at a close below a price, as a stop does."""
    return conditions.is_floor(conditions.Condition(alert.condition))


def find_one(ws: Workspace, given: str) -> tuple[Listed, Alert]:
    """Return an alert by its name, or by its security where that has one alert.

    Raises:
        NotFound: no such alert.
        UsageError: a security with several.
    """
    known, name = list_alerts(ws), approved_tasks.name_of(given)
    for each, alert in known:
        if each.name == name:
            return each, alert
    same = [(each, alert) for each, alert in known if _means(given, alert)]
    if len(same) > 1:
        raise UsageError(
            "{text} has {count} alerts: {names}",
            text=given,
            count=len(same),
            names=", ".join(each.name for each, _ in same),
            hint="give the name of one",
        )
    if not same:
        raise NotFound("{name}: no such alert", name=given, hint="`ia alert list` shows all alerts")
    return same[0]


def _means(given: str, alert: Alert) -> bool:
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import IaError

    try:
        return resolve_security(given).canonical == alert.symbol
    except IaError:
        return False


def describe_alert(ws: Workspace, each: Listed, alert: Alert) -> Json:
    """Return an alert as plain data.

    session, holds, close   the last session that was looked at, and what the condition was on it; null before
    crossed                 the last session whose crossing was told; `crossings` are all of them, oldest first
    since                   the day on which it was approved, in whose prices its condition counts
    """
    from ia.domain.instruments.symbols import from_canonical
    from ia.kernel.workspace import to_local

    stored = sessions.load_sessions(ws, each.task.id) if each.task else []
    last = stored[-1] if stored else None
    told = [row.session for row in stored if row.told is not None]
    return {
        "name": each.name,
        "symbol": alert.symbol,
        "security": from_canonical(alert.symbol).name or None,
        "condition": alert.condition,
        "state": each.state,
        "session": last.session if last else None,
        "holds": last.holds if last else None,
        "close": last.close if last else None,
        "crossed": told[-1] if told else None,
        "crossings": told,
        "since": f"{to_local(approved_tasks.parse_stamp(each.task.approved)).date()}" if each.task else None,
        "until": alert.until or None,
        "note": (each.design.because if each.design else "") or None,
        "proposal": each.proposal,
    }
