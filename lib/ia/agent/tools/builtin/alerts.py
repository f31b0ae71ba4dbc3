"""alert.*: what is watched, and a new alert, which a person approves."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from ia.agent.tools import gate, gated_writes
from ia.agent.tools.builtin import tasks
from ia.agent.tools.registry import CONFIRM, READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.errors import Message, Notify, TryLater, Unavailable, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.faculties.alerts.definition import Alert
    from ia.faculties.alerts.sessions import SessionState
    from ia.faculties.schedule.model import TaskDesign
    from ia.organs.ohlcv.history import RawHistory


class AlertDraft(NamedTuple):
    """An alert whose condition was tried. history, state: how it stands; None where no source could be reached."""

    alert: "Alert"
    history: "RawHistory | None"
    state: "SessionState | None"


def draft_alert(
    ws: Workspace, symbol: str, condition: str, *, until: str = "", notify: Notify = drop_message
) -> AlertDraft:
    """Return the alert that a security and a condition mean, and how it stands.

    Raises:
        BadData: the condition does not parse, is neither true nor false, or has no direction.
        Refused: it looks ahead.
        UsageError, NotFound: the security is in doubt or unknown.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.faculties.alerts import conditions, definition, sessions
    from ia.kernel import clock

    read = conditions.read_condition(condition)
    conditions.check_condition(read)
    history, state = None, None
    try:
        history, state = sessions.look_at_present(ws, definition.Alert(symbol, read.expression), notify)
        meant = history.symbol
    except (TryLater, Unavailable) as exc:
        meant = resolve_security(symbol)
        notify(Message("no prices now: {reason}", reason=exc))
    last = definition.parse_until(until, clock.today(meant.market)) if until else ""
    return AlertDraft(definition.Alert(meant.canonical, read.expression, last), history, state)


def complete_alert(alert: "Alert", *, note: str = "", channels: tuple[str, ...] = ()) -> "TaskDesign":
    """Return the task that carries out an alert, with all that is left open written out."""
    from ia.faculties.alerts.definition import design_alert
    from ia.faculties.schedule.model import ME

    return tasks.complete_design(design_alert(alert, note=note, notify=channels or (ME,)))


def keep_design(scope: Scope, design: "TaskDesign", replaces: str = "") -> tasks.Kept:
    """Propose the task of an alert. One that waits already and says the same is not made again.

    replaces  the alert that it takes the place of once it is approved: its name, or a security that has one
    """
    if not replaces:
        return tasks.propose_design(scope, design, scope.lang)
    from dataclasses import replace

    from ia.faculties.taskbook import alert_list

    old, _ = alert_list.find_one(scope.ws, replaces)
    return tasks.propose_design(scope, replace(design, name=old.name), scope.lang, named=True)


def find_known(ws: Workspace, alert: "Alert") -> Json | None:
    """Return the alert that is set already for the same security and condition; None where none is."""
    from ia.faculties.taskbook import alert_list

    for each, other in alert_list.list_alerts(ws):
        if other == alert and each.state in ("approved", "paused"):
            return alert_list.describe_alert(ws, each, other)
    return None


@tool("alert.list", READ)
def list_alerts(scope: Scope) -> Json:
    """List the user's price alerts: security, condition, state (only `approved` ones look), whether the condition held
    on the last session looked at, and the last session whose crossing was told.
    """
    from ia.faculties.taskbook import alert_list

    rows = [alert_list.describe_alert(scope.ws, each, alert) for each, alert in alert_list.list_alerts(scope.ws)]
    return {"alerts": [{key: value for key, value in row.items() if value is not None} for row in rows]}


@tool("alert.propose", CONFIRM)
def propose_alert(
    scope: Scope,
    symbol: Annotated[str, "300750.SZ, AAPL.US, 00700.HK"],
    condition: Annotated[str, "true or false over the daily bars: `close < 80`, `rsi(close, 14) < 30`; or `below 80`"],
    until: Annotated[str, "YYYY-MM-DD: last session that is looked at; default: no end"] = "",
    note: Annotated[str, "what the user wants to be reminded of, in their words"] = "",
    replaces: Annotated[str, "name of the alert that this one takes the place of"] = "",
) -> Json:
    """Propose an alert: one message when a condition on a security comes true after a close, once until it is false
    again. The user approves it. Returns how it stands: tell the user that, and the number of the proposal.
    """
    gate.choose_write_mode(scope, "tasks", confirm=True)
    text = " ".join(gated_writes.clean_text(scope, note).split())[:500]
    draft = draft_alert(scope.ws, symbol, condition, until=until, notify=scope.notify)
    if (known := find_known(scope.ws, draft.alert)) is not None:
        return {"alert": known, "known": True, "hint": "this alert is set already"}
    made = keep_design(scope, complete_alert(draft.alert, note=text), replaces)
    told: Json = {
        **gated_writes.describe_proposal(made.number, made.design.path, known=made.known),
        "symbol": draft.alert.symbol,
        "condition": draft.alert.condition,
        "until": draft.alert.until,
        "next": tasks.next_run_times(made.design)[:1],
    }
    if draft.state is not None and draft.history is not None:
        told |= {"session": draft.state.session, "close": draft.state.close, "holds": draft.state.holds}
        if draft.history.series.simulated:
            told["simulated"] = True
    return {key: value for key, value in told.items() if value not in ("", None, [])}
