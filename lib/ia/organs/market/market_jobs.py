"""What else is synced: reports of companies, boards and their members, Stock Connect, the list of unusual trading.

Each of these is some requests for the whole market. What is finished is noted in `jobs` by its key (a period, a day, a
board), so that a run which was interrupted goes on behind it.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.kernel.errors import Message, NotFound, Notify
from ia.kernel.store import transaction
from ia.organs.market import foreign_reports, store
from ia.organs.market.snapshot import Progress, future_day_error
from ia.organs.market.sources import NET_ENDED, MarketSource, SectorBoard
from ia.organs.marketdb import CLOSED

PERIODS, PERIODS_BEFORE = 5, 6
"""So many report periods are kept up to date; and so many before them are fetched once a season.

Twelve months of a late report take seven periods, and their growth eleven."""
LHB_DAYS, LHB_TOGETHER = 5, 20
"""So many sessions are asked for where none is stored; and so many at once, some 80 rows each."""
LHB_WHOLE = "T12:00"
"""From when on the list of a day is whole, in UTC: it comes out in parts until the evening."""
RECENT = timedelta(hours=20)
"""What was done within this time is not done again by a run that goes on."""
WEEK, SEASON = timedelta(days=6, hours=20), timedelta(days=90)


class JobResult(NamedTuple):
    """What a job brought: rows received and rows that changed; `day` is the newest day or period of them."""

    day: str
    rows: int
    changed: int


def sync_fundamentals(
    db: sqlite3.Connection,
    number: int,
    source: MarketSource,
    symbols: Sequence[str],
    notify: Notify,
    progress: Progress,
) -> JobResult:
    """Store the reports of the newest periods, newest first; with symbols, all periods of these companies.

    A period that was fetched in the last hours is not fetched again, nor an old one within a season. One without a
    report is no failure.
    """
    rows = changed = 0
    newest = ""
    if symbols:
        for done, symbol in enumerate(symbols):
            progress(done, len(symbols))
            try:
                if from_canonical(symbol).market != "CN":
                    told = foreign_reports.load_reports(symbol, within=timedelta(0)).reports
                    rows += len(told)
                    newest = max([newest, *(report.period for report in told)])
                    continue
                reports = source.fundamentals_of(symbol)
            except NotFound as exc:
                notify(Message(exc.template, **exc.params))
                continue
            rows += len(reports)
            changed += upsert_rows(db, "fundamentals", 3, [(number, *report) for report in reports])
            newest = max([newest, *(report.period for report in reports)])
        progress(len(symbols), len(symbols))
        return JobResult(newest, rows, changed)
    due = [(period, RECENT if at < PERIODS else SEASON) for at, period in enumerate(newest_periods())]
    todo = [period for period, within in due if not is_recent(db, number, "fundamentals", period, within)]
    for done, period in enumerate(todo):
        progress(done, len(todo))
        reports = source.fundamentals(period)
        rows += len(reports)
        with transaction(db):
            changed += upsert_rows(db, "fundamentals", 3, [(number, *report) for report in reports])
            store.note_job(db, number, "fundamentals", period, "done", str(len(reports)))
        newest = max(newest, period) if reports else newest
    progress(len(todo), len(todo))
    return JobResult(newest, rows, changed)


def newest_periods() -> list[str]:
    """Return the newest quarters that have ended at now() and that reports are kept of, newest first.

    >>> from ia.kernel import config
    >>> config.override_variable("IA_NOW", "2024-04-01"); newest_periods()[:5]
    ['2024-03-31', '2023-12-31', '2023-09-30', '2023-06-30', '2023-03-31']
    >>> config.override_variable("IA_NOW", "")
    """
    today = clock.today("CN")
    ends = (f"{year}-{end}" for year in range(int(today[:4]), 1990, -1) for end in ("12-31", "09-30", "06-30", "03-31"))
    return [end for end in ends if end < today][: PERIODS + PERIODS_BEFORE]


def sync_northbound(db: sqlite3.Connection, number: int, source: MarketSource, notify: Notify) -> JobResult:
    """Store the days of Stock Connect since the last stored one, which is asked for again: it may have been partial."""
    (since,) = db.execute("SELECT max(date) FROM northbound WHERE source = ?", (number,)).fetchone()
    flows = [flow for flow in source.northbound(since) if flow.date <= clock.today("CN")]
    with transaction(db):
        changed = upsert_rows(db, "northbound", 3, [(number, *flow) for flow in flows])
        store.note_job(db, number, "northbound", "", "done", str(len(flows)))
    newest = max((flow.date for flow in flows), default=since or "")
    if newest >= NET_ENDED and not any(flow.net is not None for flow in flows if flow.date >= NET_ENDED):
        notify(
            Message(
                "northbound net flow has not been published since {day}; turnover, deals and the leader are stored",
                day=NET_ENDED,
            )
        )
    return JobResult(newest, len(flows), changed)


def sync_lhb(db: sqlite3.Connection, number: int, source: MarketSource, progress: Progress) -> JobResult:
    """Store the list of unusual trading of each session since the last whole one, oldest first, many at once."""
    days = _unstored_sessions(db, number)
    changed = 0
    seen = set[tuple[str, ...]]()
    for done in range(0, len(days), LHB_TOGETHER):
        progress(done, len(days))
        part = days[done : done + LHB_TOGETHER]
        listings = [listing for listing in source.lhb(part[0], part[-1]) if listing.date <= part[-1]]
        seen.update(listing[:3] for listing in listings)
        counts = Counter(listing.date for listing in listings)
        with transaction(db):
            changed += upsert_rows(db, "lhb", 4, [(number, *listing) for listing in listings])
            for day in part:
                if day < days[-1] or (counts[day] and clock.utc_stamp(clock.now()) >= f"{day}{LHB_WHOLE}"):
                    store.note_job(db, number, "lhb", day, "done", str(counts[day]))
    progress(len(days), len(days))
    return JobResult(max((key[0] for key in seen), default=""), len(seen), changed)


def sync_sectors(
    db: sqlite3.Connection, number: int, source: MarketSource, notify: Notify, progress: Progress
) -> JobResult:
    """Store the boards of industries and concepts, and who belongs to them.

    What the snapshot tells of each stock's industry and concepts is taken; only boards that it does not name are asked
    for, one request each, at most once a week.
    """
    rows = changed = 0
    boards: list[tuple[SectorBoard, str]] = []
    for kind in ("industry", "concept"):
        found = source.boards(kind)
        day = _boards_day(found, source)
        rows += len(found)
        with transaction(db):
            changed += upsert_rows(db, "boards", 4, [(number, b.kind, day, *b[1:-1]) for b in found])
            store.note_job(db, number, "sectors", kind, "done", str(len(found)))
        boards += [(board, day) for board in found]
    told = _snapshot_members(db, number)
    asked = []
    for board, day in boards:
        members = told.get((board.kind, board.name or ""))
        if members is None:
            asked.append((board, day))
        else:
            changed += _put_members(db, number, board, members, day)
    asked = [(b, day) for b, day in asked if not is_recent(db, number, "members", f"{b.kind} {b.board}", WEEK)]
    for done, (board, day) in enumerate(asked):
        progress(done, len(asked))
        try:
            members = set(source.members(board.kind, board.board))
        except NotFound as exc:
            notify(Message(exc.template, **exc.params))
            continue
        changed += _put_members(db, number, board, members, day)
        store.note_job(db, number, "members", f"{board.kind} {board.board}", "done", str(len(members)))
    progress(len(asked), len(asked))
    return JobResult(max((day for _, day in boards), default=""), rows, changed)


def due_jobs(db: sqlite3.Connection, number: int, session: str) -> list[str]:
    """Return what a plain `ia sync` does besides the day: what is older than the last session, reports weekly."""
    names = []
    for name, key in (("indices", ""), ("northbound", ""), ("lhb", session), ("sectors", "concept")):
        row = db.execute(
            "SELECT time FROM jobs WHERE source = ? AND job = ? AND key = ? AND state = 'done'", (number, name, key)
        ).fetchone()
        if row is None or row[0] < f"{session}{CLOSED}":
            names.append(name)
    if not is_recent(db, number, "fundamentals", newest_periods()[0], WEEK):
        names.append("fundamentals")
    return names


def is_recent(db: sqlite3.Connection, number: int, job: str, key: str, within: timedelta) -> bool:
    """Whether a part of a job was finished within this time before now()."""
    row = db.execute(
        "SELECT time FROM jobs WHERE source = ? AND job = ? AND key = ? AND state = 'done'", (number, job, key)
    ).fetchone()
    return bool(row) and clock.utc_stamp(clock.now() - within) < row[0] <= clock.utc_stamp(clock.now())


def upsert_rows(db: sqlite3.Connection, table: str, keys: int, rows: Iterable[Sequence[object]]) -> int:
    """Insert rows, or replace those that differ; return how many changed. The first `keys` columns are the key."""
    rows = list(rows)
    if not rows:
        return 0
    columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
    values = columns[keys:]
    differs = " OR ".join(f"{table}.{name} IS NOT excluded.{name}" for name in values)
    before = db.total_changes
    db.executemany(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) ON CONFLICT DO UPDATE SET"
        f" {', '.join(f'{name} = excluded.{name}' for name in values)} WHERE {differs}",
        rows,
    )
    return db.total_changes - before


def _unstored_sessions(db: sqlite3.Connection, number: int) -> list[str]:
    """Return the closed sessions whose list is not stored yet, oldest first; the newest ones where none is."""
    from ia.organs.ohlcv.calendar import last_session

    done = {
        key
        for (key,) in db.execute("SELECT key FROM jobs WHERE source = ? AND job = 'lhb' AND state = 'done'", (number,))
    }
    newest = max((key for key in done if key <= clock.today("CN")), default="")
    days: list[str] = []
    day = last_session("CN", clock.now())
    while day > newest and len(days) < (LHB_DAYS if not newest else 250):
        days.append(day)
        day = last_session("CN", datetime.fromisoformat(day).replace(tzinfo=clock.CHINA))
    return [day for day in reversed(days) if day not in done]


def _snapshot_members(db: sqlite3.Connection, number: int) -> dict[tuple[str, str], set[str]]:
    """Return the members of boards by (kind, name), as the snapshot tells of each stock."""
    found: dict[tuple[str, str], set[str]] = {}
    for symbol, industry, concepts in db.execute(
        "SELECT symbol, industry, concepts FROM securities WHERE source = ?", (number,)
    ):
        names = [("industry", industry), *(("concept", concept) for concept in (concepts or "").split(";"))]
        for kind, name in names:
            if name:
                found.setdefault((kind, name), set()).add(symbol)
    return found


def _put_members(db: sqlite3.Connection, number: int, board: SectorBoard, members: set[str], day: str) -> int:
    """Note who came to a board and who left it; `seen` is the day on which a member was found first."""
    key = (number, board.kind, board.board)
    rows = db.execute("SELECT symbol, gone FROM members WHERE source = ? AND kind = ? AND board = ?", key)
    stored: dict[str, str | None] = dict(rows)
    came = [symbol for symbol in sorted(members) if symbol not in stored or stored[symbol] is not None]
    left = [symbol for symbol, gone in stored.items() if gone is None and symbol not in members]
    if came or left:
        with transaction(db):
            db.executemany(
                "INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, ?, NULL)", [(*key, s, day) for s in came]
            )
            db.executemany(
                "UPDATE members SET gone = ? WHERE source = ? AND kind = ? AND board = ? AND symbol = ?",
                [(day, *key, symbol) for symbol in left],
            )
    return len(came) + len(left)


def _boards_day(boards: Sequence[SectorBoard], source: MarketSource) -> str:
    """Return the day that boards show, refusing one behind the clock: the last session where they tell no time."""
    from ia.organs.ohlcv.calendar import last_session

    told = max((board.time for board in boards if board.time), default="")
    if not told:
        return last_session("CN", clock.now())
    if told[:10] > clock.today("CN"):
        raise future_day_error(source.name, told[:10])
    end = datetime.fromisoformat(f"{told[:10]}T23:59:59").replace(tzinfo=clock.CHINA)
    return last_session("CN", end)  # on a Sunday Friday's are shown
