"""What an alert says: in two lines what came true and when, then what belongs to it."""

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import security_name
from ia.faculties.alerts.definition import Alert
from ia.faculties.alerts.sessions import Crossing, SessionState
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.history import RawHistory

MOST_NOTES = 3
WATCH_LIST = "memory/tracking.md"


def message_key(task: int, crossing: Crossing) -> str:
    """Return the key under which a crossing is sent: the same key is sent once."""
    return f"alert-{task}-{crossing.at.session}"


def security_label(history: RawHistory, lang: str) -> str:
    """Return a security as a person reads it: its name with its code."""
    symbol = history.symbol.canonical
    name = security_name(symbol, history.series.name, lang)
    return Voice(lang)("{name} ({symbol})", name=name, symbol=symbol) if name else symbol


def format_close(history: RawHistory, close: float) -> str:
    """Return a close with the decimals of the security's tick."""
    tick = tick_size(history.symbol) or 0.01
    return f"{close:.{max(2, len(f'{tick:.10f}'.rstrip('0').partition('.')[2]))}f}"


def write_message(
    ws: Workspace, history: RawHistory, alert: Alert, crossing: Crossing, *, note: str, lang: str
) -> tuple[str, str]:
    """Return (title, text) of the message about a crossing."""
    voice = Voice(lang)
    title = voice("{security}: {condition}", security=security_label(history, lang), condition=alert.condition)
    lines = [
        voice(
            "{condition} came true on {day}: close {close}. Session before, {before}: {last}.",
            condition=alert.condition,
            day=crossing.at.session,
            close=format_close(history, crossing.at.close),
            before=crossing.before.session,
            last=_format_last(history, crossing, lang),
        )
    ]
    if crossing.is_late:
        lines.append(_late_line(history, crossing.latest, lang))
    lines += [_action_line(action, lang) for action in crossing.actions]
    if abs(crossing.scale - 1) > 1e-9:
        template = (
            "Prices count as on {base}, when the alert was set; by the ex-dates since, {close} counts as {scaled}."
        )
        scaled = format_close(history, crossing.at.close * crossing.scale)
        close = format_close(history, crossing.at.close)
        lines.append(voice(template, base=crossing.base, close=close, scaled=scaled))
    if note:
        lines.append(voice("Your note: {note}", note=note))
    if paths := find_own_notes(ws, history):
        lines.append(voice("You wrote about it: {paths}", paths=", ".join(paths)))
    if history.series.simulated:
        lines.append(voice("The prices are simulated."))
    return title, "\n".join(lines)


def _format_last(history: RawHistory, crossing: Crossing, lang: str) -> str:
    """Return the close of the session before, as the ex-dates since then leave it."""
    last = format_close(history, crossing.before.close)
    if not crossing.actions:
        return last
    from ia.organs.ohlcv.adjustment import reference_price

    days = (crossing.before.session, crossing.at.session)
    worth = reference_price(crossing.before.close, *days, crossing.actions, tick_size(history.symbol))
    return Voice(lang)("{worth} ({last} before the ex-date)", worth=format_close(history, worth), last=last)


def _late_line(history: RawHistory, latest: SessionState, lang: str) -> str:
    template = (
        "Found late; on {day} it still holds (close {close})."
        if latest.holds
        else "Found late; on {day} it no longer holds (close {close})."
    )
    return Voice(lang)(template, day=latest.session, close=format_close(history, latest.close))


def _action_line(action: Action, lang: str) -> str:
    voice = Voice(lang)
    parts = []
    if action.cash:
        parts.append(voice("cash {cash} per share", cash=f"{action.cash:g}"))
    if action.bonus:
        parts.append(voice("{bonus} new shares per share", bonus=f"{action.bonus:g}"))
    if action.rights:
        parts.append(
            voice(
                "rights issue of {rights} per share at {price}",
                rights=f"{action.rights:g}",
                price=f"{action.rights_price:g}",
            )
        )
    if action.split != 1:
        parts.append(voice("split {split}:1", split=f"{action.split:g}"))
    what = ", ".join(parts)
    if not parts:
        return voice("{day} is an ex-date; earlier prices are adjusted.", day=action.date)
    return voice("{day} is an ex-date ({what}); earlier prices are adjusted.", day=action.date, what=what)


def find_own_notes(ws: Workspace, history: RawHistory) -> list[str]:
    """Return the paths of what the owner wrote about a security, the best match first."""
    from ia.kernel.errors import IaError
    from ia.organs.recall.authorship import OWNER
    from ia.organs.recall.search import NOTES, recall_notes

    found: dict[str, None] = {}
    for name in dict.fromkeys(filter(None, (history.series.name, history.symbol.code, history.symbol.canonical))):
        try:
            hits = recall_notes(ws, name, limit=10, areas=NOTES)
        except IaError:
            continue
        found |= {hit.source: None for hit in hits if hit.author == OWNER and name in hit.content}
    if WATCH_LIST in found and not _has_reason(ws, history):
        del found[WATCH_LIST]
    return list(found)[:MOST_NOTES]


def _has_reason(ws: Workspace, history: RawHistory) -> bool:
    """Return whether the owner wrote on the watch list why a security stands there."""
    from ia.organs.memory.watch_list import list_items

    names = {history.symbol.canonical, history.symbol.code, history.series.name}
    return any(item.why and names & set(item.text.split()) for item in list_items(ws))
