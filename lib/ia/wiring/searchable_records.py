"""Ledger and sessions → recall: the reasons of trades and the questions of sessions are searched with the notes."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ia.kernel import clock, config
from ia.kernel.errors import IaError, Message, Notify, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.organs.recall.records import RecordFolder, SearchableRecord

if TYPE_CHECKING:
    from ia.kernel.folders import Digest
    from ia.organs.recall.search import Hit
    from ia.organs.recall.vectors import Meaning


def recall_everything(
    ws: Workspace,
    query: str,
    *,
    limit: int = 10,
    since: str | None = None,
    areas: tuple[str, ...] | None = None,
    notify: Notify = drop_message,
    look: "Sequence[Digest] | None" = None,
    meaning: "Meaning | None" = None,
    tell_partial: Callable[[], None] = lambda: None,
) -> "list[Hit]":
    """Return what answers a query among notes, memory, trades and sessions; see recall_notes() for the rest."""
    from ia.organs.recall.search import AREAS, recall_notes

    records = gather_records(ws, notify)
    return recall_notes(
        ws,
        query,
        limit=limit,
        since=since,
        areas=areas or AREAS,
        notify=notify,
        look=look,
        records=records,
        meaning=meaning,
        tell_partial=tell_partial,
    )


def gather_records(ws: Workspace, notify: Notify = drop_message) -> list[RecordFolder]:
    """Return the trades and the sessions as of now(), as folders that are loaded only where they have changed.

    notify  is told of a ledger that is damaged; it hides nothing else.
    """
    moment = int(clock.now().timestamp()) if clock.is_simulated() else 0
    chinese = config.locale_lang() == "zh"  # trades are worded in the language of the user
    trades = ws.db.execute("SELECT count(*), max(id) FROM trades").fetchone()
    said = ws.db.execute("SELECT count(*), count(deleted), max(id) FROM messages").fetchone()
    gone = ws.db.execute("SELECT count(*), count(deleted) FROM sessions").fetchone()
    return [
        RecordFolder(
            "trades", hash((moment, chinese, *(number or 0 for number in trades))), lambda: _load_trades(ws, notify)
        ),
        RecordFolder("sessions", hash((moment, *(n or 0 for n in (*said, *gone)))), lambda: _load_questions(ws)),
    ]


def _load_trades(ws: Workspace, notify: Notify) -> list[SearchableRecord]:
    """Return the trades that somebody gave a reason for. One without says nothing that `ia trade list` does not."""
    from ia.organs.ledger.journal import effective_entries

    found: list[SearchableRecord] = []
    voice = Voice(config.locale_lang())
    try:
        entries = effective_entries(ws.db)
    except IaError as exc:
        notify(Message(exc.template, **exc.params))
        return found
    for entry in entries:
        if entry.reason or entry.note:
            amount = f" {entry.quantity:f}" if entry.quantity is not None else ""
            price = f" @ {entry.price:f}" if entry.price is not None else ""
            what = " ".join(filter(None, (voice(entry.kind), entry.symbol, entry.name)))
            told = f"{what}{amount}{price}" + (f": {entry.reason}" if entry.reason else "")
            told += voice(" (corrected: {note})", note=entry.note) if entry.note else ""
            found.append(SearchableRecord(str(entry.id), entry.date, told))
    return found


def _load_questions(ws: Workspace) -> list[SearchableRecord]:
    """Return the questions of each session, one a line. Of a question that was asked in many, the newest counts."""
    from ia.organs.sessions import list_questions

    texts: dict[str, tuple[str, list[str]]] = {}
    seen: set[str] = set()
    for asked in reversed(list_questions(ws)):
        line = " ".join(asked.text.split())
        if line and line not in seen:
            seen.add(line)
            texts.setdefault(asked.session, (asked.date, []))[1].insert(0, line)
    return [SearchableRecord(name, date, "\n".join(lines)) for name, (date, lines) in texts.items()]
