"""What connects two organs, by name: every place where the output of one reaches another."""

import contextlib
import os
import re
import threading
from typing import TYPE_CHECKING

from ia import config, files
from ia.errors import IaError, Message, NotFound, Notify, once, silent
from ia.workspace import Workspace

if TYPE_CHECKING:  # a note must not pay for the import of the market
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from decimal import Decimal

    from ia.ledger.account import Price
    from ia.ledger.desk import Desk
    from ia.ledger.guard import Quoted
    from ia.ledger.journal import Entry
    from ia.market.held import Feed
    from ia.ohlcv.history import Answer, Request
    from ia.ohlcv.identity import Symbol
    from ia.proposals import Proposal


def bars_for(ws: Workspace, symbol: str, notify: Notify = silent) -> "Answer":
    """OHLCV → compute: the daily, qfq-adjusted bars of a symbol, from the cache or fetched."""
    from ia.ohlcv.history import Request, history

    return history(ws, Request(symbol), notify)


def last_bars(ws: Workspace, notify: Notify = silent, session: str = "") -> "Answer":
    """OHLCV → compute: the bars of the last `ia ohlcv` of this terminal session, or those that a session saw last.

    raises  NotFound where there was none.
    """
    from ia.ohlcv.history import Request, history

    try:
        with open(_session_file(ws, session), encoding="utf-8") as file:
            symbol, period, start, end, adjust, adapters = file.read().split("\n")
        request = Request(symbol, period, start or None, end or None, adjust, tuple(filter(None, adapters.split(","))))
    except (OSError, ValueError):
        raise NotFound(
            "no prices to compute on", hint="pipe them in: `ia ohlcv SYMBOL | ia compute …`, or add --symbol SYMBOL"
        ) from None
    return history(ws, request, notify)


def ohlcv_shown(ws: Workspace, request: "Request", session: str = "") -> None:
    """OHLCV → compute: remember what this session looked at last. Losing it costs a retyped symbol, so no fsync."""
    path = _session_file(ws, session)
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with contextlib.suppress(OSError):  # a workspace that may not be written, a full disk
        files.make_own(path)
        with open(temporary, "w", encoding="utf-8") as file:
            file.write("\n".join([*(field or "" for field in request[:5]), ",".join(request.adapters)]))
        os.replace(temporary, path)


def _session_file(ws: Workspace, session: str = "") -> str:
    """One file a session: the one that is named, by the caller or `IA_SESSION`, else the process's terminal session."""
    name = session or config.env("IA_SESSION") or f"sid-{os.getsid(0)}"
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:80]
    return os.path.join(ws.root, ".ia", "cache", "session", safe)


def identified(text: str) -> list[str]:
    """Symbols → memory: how the watch list writes a security, its code, and what else it may stand there as.

    A text that means no security, or could mean several, is a topic, and so are letters that only look like a ticker
    (`GDP`): their code is "".
    """
    from ia.ohlcv.identity import resolve

    topic = " ".join(text.split())
    try:
        symbol = resolve(topic)
    except IaError:
        return [topic, ""]
    if not symbol.name and topic.isalpha():
        return [topic, ""]
    return [str(symbol), symbol.canonical, topic, symbol.code, *filter(None, [symbol.name])]


def securities(text: str) -> list[str]:
    """Return the securities of a text that names two or more and nothing else (`300750 600519`), else []."""
    words = [word for word in re.split(r"[\s,，、;；]+", text) if word]
    return words if len(words) > 1 and all(identified(word)[1] for word in words) else []


def universe(ws: Workspace, text: str) -> "list[Symbol]":
    """Memory, ledger and market → lists of securities: `all`, `watch`, `held`, an industry, a concept or a file.

    raises  NotFound where it is none of them, or has no security; BadData naming the line of a file.
    """
    from ia.ohlcv.identity import from_canonical

    if text == "watch":
        found = _watched(ws)
    elif text == "held":
        from ia.ledger.fold import fold
        from ia.ledger.journal import standing

        holdings = fold(standing(ws.db), lenient=True).holdings.values()
        found = [holding.symbol for holding in holdings if holding.quantity]
    else:
        from ia.market.universe import chosen

        found = chosen(ws, text)
    if not found:
        hints = {"watch": "`ia memory track 600519` puts one on it", "held": "`ia trade buy` enters a purchase"}
        raise NotFound("{universe}: no security in it", universe=text, hint=hints.get(text))
    return [from_canonical(symbol) for symbol in sorted(set(found))]


def _watched(ws: Workspace) -> list[str]:
    """Return the securities of the watch list; its topics are none."""
    from ia.memory.rules import TRACKING

    items = [line[2:] for line in (ws.read(TRACKING) or "").splitlines() if line.startswith("- ")]
    names = [item.partition(": ")[0].partition(" (")[0] for item in items]
    return [code for name in names if (code := identified(name.split(" ")[0])[1] or identified(name)[1])]


def note_written(ws: Workspace, *paths: str, notify: Notify = silent) -> None:
    """Notebook and memory → MEMORY.md and recall: enter files that were just written or removed.

    They are safe already. An index that fails is told of, never raised: the next look at the files mends it.
    """
    import sqlite3
    from functools import partial

    from ia.memory import index as contents
    from ia.recall import index as words

    steps = [(path, partial(words.entered, ws, path)) for path in paths]
    for path, step in [*steps, (", ".join(paths), partial(contents.refresh, ws))]:
        try:
            step()
        except (IaError, sqlite3.Error, OSError) as exc:
            notify(Message("{path} is written, but not yet in the index: {reason}", path=path, reason=str(exc)))


def notice_changes(ws: Workspace) -> None:
    """Notebook and memory → MEMORY.md: enter what was written by hand, or by an ia that was killed.

    For a command that only reads: where nothing can be written, nothing is said.
    """
    import sqlite3

    from ia.memory import index as contents

    with contextlib.suppress(IaError, sqlite3.Error, OSError):
        if os.access(ws.root, os.W_OK | os.X_OK):
            contents.refresh(ws)


def consented(ws: Workspace, number: int, *, by: str, notify: Notify = silent) -> "Proposal":
    """Proposals → memory, ledger: carry out what a person agreed to. A belief's change is logged first, the indexes
    follow; a trade is journalled behind the guard.

    A person's act, as `proposals.approve`: no tool that a model can call may reach it.
    """
    from ia import proposals
    from ia.memory import rules, writing

    with ws.together():
        proposal = proposals.undecided(ws, number)
        before, after = proposals.outcome(ws, proposal)
        logged = []
        if proposal.path.casefold() == rules.BELIEFS and proposal.kind != proposals.TRUST and before != after:
            logged = writing.consented(ws, before, after, proposal.because, proposal.actor)
        if proposal.kind == proposals.TRADE:
            from ia.ledger import proposed

            proposed.approved(ledger(ws, notify), proposal)
        decided = proposals.approve(ws, number, by=by)
    if decided.kind not in (*proposals.FOLDERS, *proposals.NO_FILE):
        note_written(ws, *logged, decided.path, notify=notify)
    return decided


def written_about(ws: Workspace, names: "list[str]", limit: int) -> "list[tuple[str, str, str]]":
    """Recall → pictures: (path, date, passage) of the notes that name a security, best first, each note once."""
    from ia.recall.search import recall

    found: dict[str, tuple[str, str, str]] = {}
    for name in filter(None, names):
        for hit in recall(ws, name, limit=limit):
            if name in hit.content:
                found.setdefault(hit.source, (hit.source, hit.date, hit.content))
    return list(found.values())[:limit]


def ledger(ws: Workspace, notify: Notify = silent) -> "Desk":
    """Market → ledger: the journal of a workspace with the prices and corporate actions of its store."""
    from ia.ledger.desk import Desk

    return Desk(ws, _Stored(ws, notify), notify)


class _Stored:
    """The store as the ledger asks it: ia.ledger.desk.Market."""

    def __init__(self, ws: Workspace, notify: Notify = silent) -> None:
        from ia.ohlcv import cache

        self.ws, self._notify = ws, once(notify)
        self.db = cache.connect(ws)
        self.db.execute("PRAGMA mmap_size = 4000000000")  # a seek a day and security: no system call for each
        self._feeds: dict[str, Feed] = {}

    def _feed(self, symbols: "Iterable[Symbol]", moment: "datetime | None" = None) -> "dict[str, Feed]":
        from ia.market.held import feeds

        if moment is not None:
            return feeds(self.db, symbols, moment, self._notify)
        asked = {each.canonical: each for each in symbols}
        lacking = [each for name, each in asked.items() if name not in self._feeds]
        self._feeds |= feeds(self.db, lacking, notify=self._notify)
        return {name: self._feeds[name] for name in asked if name in self._feeds}

    def prices(self, symbols: "Iterable[Symbol]", moment: "datetime | None" = None) -> "dict[str, Price]":
        from ia.ledger.account import Price

        found = {}
        asked = {each.canonical: each for each in symbols}
        for name, feed in self._feed(asked.values(), moment).items():
            last = feed.last()
            if last is not None:
                previous = None if last.previous is None else exactly(last.previous)
                missed = _missed(asked[name].market, last.date, moment)
                found[name] = Price(exactly(last.price), last.date, previous, feed.adapter, feed.simulated, missed)
        return found

    def foresee(self, spans: "dict[str, tuple[str, str]]") -> None:
        from ia.market.held import read_closes

        read_closes(self.ws, self.db, spans, self._feeds)

    def closes(self, symbol: str, since: str) -> "list[tuple[str, float]]":
        feed = self._feeds.get(symbol)
        return [] if feed is None else feed.closes(since)

    def actions(
        self, symbols: "Iterable[Symbol]", after: "Mapping[str, str] | None" = None
    ) -> "list[tuple[Entry, bool]]":
        from ia.ledger.journal import BONUS, DIVIDEND, SPLIT, Entry
        from ia.ledger.order import at_open
        from ia.rules.boards import currency

        asked = {each.canonical: each for each in symbols}
        found = []
        for name, feed in self._feed(asked.values()).items():
            symbol = asked[name]
            since = after.get(name, "") if after is not None else ""
            for act in (act for act in feed.actions() if act.date > since):
                for kind, amount in ((DIVIDEND, act.cash), (BONUS, act.bonus), (SPLIT, act.split - 1 and act.split)):
                    if amount:
                        entry = Entry(
                            0, at_open(act.date, symbol.market), act.date, kind, name, symbol.name, currency(symbol),
                            price=exactly(amount) if kind == DIVIDEND else None,
                            ratio=None if kind == DIVIDEND else exactly(amount),
                            actor="ia", origin=feed.adapter, key=f"action:{name}:{act.date}:{kind}",
                        )  # fmt: skip
                        found.append((entry, feed.simulated))
        return found

    def is_holiday(self, symbol: "Symbol", day: str) -> bool:
        """Ask the calendar, unless a bar of that day is stored: then there was a session."""
        from ia.ohlcv.calendar import is_holiday

        feed = self._feed([symbol]).get(symbol.canonical)
        if feed is not None and not feed.simulated and any(each == day for each, _ in feed.closes(day)[:2]):
            return False
        return is_holiday(symbol.market, day)

    def quoted(self, symbol: "Symbol", day: str, moment: "datetime") -> "Quoted | None":
        from ia.ledger.guard import Quoted

        feed = self._feed([symbol], moment).get(symbol.canonical)
        told = feed.before(day) if feed is not None else None
        if feed is None or told is None:
            return None
        return Quoted(
            exactly(told.price), None if told.change_pct is None else exactly(told.change_pct),
            told.name or symbol.name, told.listed, reference=not told.date,
            stale=told.date if told.date and _passed_over(symbol, told.date, day) else "", simulated=feed.simulated,
        )  # fmt: skip


def _missed(market: str, day: str, moment: "datetime | None") -> int:
    """Return how many sessions closed after a day. The calendar is asked only where a weekday lies between."""
    from datetime import date, timedelta

    from ia import clock

    begin = date.fromisoformat(day)
    between = (date.fromisoformat(clock.last_visible(market, moment)) - begin).days
    if not any((begin + timedelta(n)).weekday() < 5 for n in range(1, between + 1)):
        return 0
    from ia.ohlcv.calendar import sessions_after

    return sessions_after(market, day, clock.last_visible(market, moment))


def _passed_over(symbol: "Symbol", earlier: str, day: str) -> bool:
    """Whether there was a session between two days. The calendar is asked only where a weekday lies between."""
    from datetime import date, datetime, time, timedelta

    from ia import clock

    begin = date.fromisoformat(earlier)
    between = (date.fromisoformat(day) - begin).days
    if not any((begin + timedelta(n)).weekday() < 5 for n in range(1, between)):
        return False
    if between > 30:
        return True
    from ia.ohlcv.calendar import last_session

    morning = datetime.combine(date.fromisoformat(day), time(0), clock.zone(symbol.market))
    return last_session(symbol.market, morning) > earlier


def exactly(price: float) -> "Decimal":
    """Return the decimal number that a stored price was: the shortest that reads as this float."""
    from decimal import Decimal

    return Decimal(repr(float(price)).removesuffix(".0"))
