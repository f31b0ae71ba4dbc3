"""The journal of trades in ia.db: it is only added to. A correction is an entry that names the one it stands for.

`time` is when the trade happened, in `date` as the exchange's day; `wall` is when it was entered. An entry is visible
from the moment of its trade: under `--now` the journal is the one that ends there, with everything that was put right
since. An entry that another one names (`corrects`) counts nowhere any more, and a `void` one says just that.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from ia.domain.rules.fees import round_to_cents
from ia.kernel import audit, clock, config, store
from ia.kernel.errors import BadData, NotFound, UsageError
from ia.kernel.workspace import Workspace

BUY, SELL, SUBSCRIBE = "buy", "sell", "subscribe"
DIVIDEND, BONUS, SPLIT = "dividend", "bonus", "split"
DEPOSIT, WITHDRAW, INTEREST = "deposit", "withdraw", "interest"
LEND, PREPAY, REPAID = "lend", "prepay", "repaid"
VOID = "void"
ACTIONS = (DIVIDEND, BONUS, SPLIT)
"""What happens to those who held at the close before the day."""
TRADES = (BUY, SELL, SUBSCRIBE)
MONEY = (DEPOSIT, WITHDRAW, INTEREST)
LOANS = (LEND, PREPAY, REPAID)
"""Money that is out and stays the owner's: lent by reverse repo, or paid for a new issue before it arrives."""
ZERO = Decimal(0)
AUDITED = 20
"""Entries that are told one by one in the audit trail; more of them came from a file, and are told as one."""


class JournalEntry(NamedTuple):
    """One line of the journal. Times are UTC stamps; `id` 0: not entered yet.

    kind      buy, sell, subscribe (rights and new issues: no fees, no guard), dividend, bonus, split, deposit,
              withdraw, interest, void; lend, prepay (paid for a new issue), repaid (either came back, with interest)
    price     of a share; of a dividend the cash per share
    quantity  shares; of a bonus the shares that arrived, where no `ratio` is given; of repaid money the part that had
              been lent, None where it is not told
    cash      price x quantity to the cent, before fees; of a dividend, deposit … the money; negative: taken back
    ratio     of a bonus new shares per share held; of a split shares afterwards per share held
    key       what it was made from (a row of a statement, a corporate action): the same is entered once
    override  JSON of the rules that the trade breached, and why it was made all the same, where somebody said so
    note      of a correction: why the entry that it replaces was wrong
    place     among entries of one moment: the number of the entry that was first made of it. Not stored
    """

    id: int
    time: str
    date: str
    kind: str
    symbol: str = ""
    name: str = ""
    currency: str = "CNY"
    price: Decimal | None = None
    quantity: Decimal | None = None
    cash: Decimal | None = None
    ratio: Decimal | None = None
    commission: Decimal = ZERO
    stamp: Decimal = ZERO
    transfer: Decimal = ZERO
    other: Decimal = ZERO
    reason: str = ""
    session: str = ""
    actor: str = "user"
    origin: str = ""
    key: str | None = None
    corrects: int | None = None
    override: str | None = None
    run: int | None = None
    wall: str = ""
    note: str = ""
    place: int = 0

    @property
    def fees(self) -> Decimal:
        """All fees and taxes of the trade."""
        return self.commission + self.stamp + self.transfer + self.other


_STORED = JournalEntry._fields[:-1]
_COLUMNS = ", ".join(_STORED)


def has_entries(db: sqlite3.Connection) -> bool:
    """Return True if anything was ever entered into the journal."""
    return db.execute("SELECT 1 FROM trades LIMIT 1").fetchone() is not None


def find_currencies(db: sqlite3.Connection) -> set[str]:
    """Return the currencies that anything was ever entered in."""
    return {currency for (currency,) in db.execute("SELECT DISTINCT currency FROM trades")}


def effective_entries(db: sqlite3.Connection, *, symbol: str = "", everything: bool = False) -> list[JournalEntry]:
    """Return the entries that count at now(), in the order in which they happened.

    symbol      canonical; only that security's. everything: those later than now() too
    """
    where, values = ["kind <> 'void'"], list[str]()
    if not everything:
        where.append("time <= ?")
        values.append(clock.utc_stamp(clock.now()))
    if symbol:
        where.append("symbol = ?")
        values.append(symbol)
    replaced = _load_replacements(db)
    made_of = {by: number for number, by in replaced.items()}
    found = [entry for entry in _select_entries(db, where, values) if entry.id not in replaced]
    if made_of:
        found = [
            entry._replace(place=_original_number(entry.id, made_of)) if entry.corrects else entry for entry in found
        ]
    return found


def _original_number(number: int, made_of: dict[int, int]) -> int:
    while number in made_of:
        number = made_of[number]
    return number


def list_entries(
    db: sqlite3.Connection, *, symbol: str = "", session: str = ""
) -> list[tuple[JournalEntry, int | None]]:
    """Return all entries visible at now(), those replaced too, each with the number of the one that replaces it."""
    where, values = ["time <= ?"], [clock.utc_stamp(clock.now())]
    for column, value in (("symbol", symbol), ("session", session)):
        if value:
            where.append(f"{column} = ?")
            values.append(value)
    by = _load_replacements(db)
    return [(entry, by.get(entry.id)) for entry in _select_entries(db, where, values)]


def _load_replacements(db: sqlite3.Connection) -> dict[int, int]:
    """Return the numbers of the entries that count no more, each with that of the one which names it."""
    return dict(db.execute("SELECT corrects, id FROM trades WHERE corrects IS NOT NULL"))


def _select_entries(db: sqlite3.Connection, where: list[str], values: list[str]) -> Iterator[JournalEntry]:
    query = f"SELECT {_COLUMNS} FROM trades WHERE {' AND '.join(where)} ORDER BY date, time, id"
    return _parse_entries(db.execute(query, values))


def _parse_entries(rows: Iterable[tuple[Any, ...]]) -> Iterator[JournalEntry]:
    """Yield entries of rows, as fast as a hundred thousand of them ask for: the same number is made once.

    raises  BadData naming an entry that another program has damaged.
    """
    known, fee = _Decimals(), _Decimals({None: ZERO})
    made = tuple.__new__
    for row in rows:
        try:
            entry = made(
                JournalEntry,
                (
                    *row[:7],
                    known[row[7]],
                    known[row[8]],
                    known[row[9]],
                    known[row[10]],
                    fee[row[11]],
                    fee[row[12]],
                    fee[row[13]],
                    fee[row[14]],
                    *row[15:-1],
                    row[-1] or "",
                    0,
                ),
            )
            sound = _is_moment(row[1]) and _is_day(row[2]) and _is_complete(entry)
        except (ValueError, TypeError):
            sound = False
        if not sound:
            raise damaged_entry_error(row[0])
        yield entry


def damaged_entry_error(number: int) -> BadData:
    """Return the failure for an entry that this program has not written so."""
    return BadData(
        "entry {number} of the ledger is damaged",
        number=number,
        hint="inspect it with `sqlite3 .ia/ia.db 'SELECT * FROM trades WHERE id = {number}'`, or restore a backup",
    )


_is_number = re.compile(r"-?[0-9]+(?:\.[0-9]+)?", re.ASCII).fullmatch
_is_day = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII).fullmatch
_is_moment = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,12}Z", re.ASCII).fullmatch


def _is_complete(entry: JournalEntry) -> bool:
    """Whether an entry has what its kind needs."""
    kind = entry.kind
    if kind in TRADES:
        if entry.cash is None or entry.price is None:  # `None in (…)` would ask each Decimal whether it equals None
            return False
        return bool(entry.symbol and entry.quantity and entry.quantity > ZERO)
    if kind in MONEY:
        return entry.cash is not None and not entry.symbol
    if kind in LOANS:
        return entry.cash is not None and entry.cash > ZERO
    if kind == DIVIDEND:
        return bool(entry.symbol) and (entry.cash is not None or entry.price is not None)
    if kind in ACTIONS:
        return bool(entry.symbol and (entry.ratio or entry.quantity))
    return kind == VOID


class _Decimals(dict[str | None, Decimal | None]):
    """Texts to numbers; None stays None. Raises ValueError for what is no number."""

    def __missing__(self, text: str | None) -> Decimal | None:
        if text is not None and not _is_number(text):
            raise ValueError(text)
        made = self[text] = None if text is None else Decimal(text)
        return made


def get_entry(db: sqlite3.Connection, number: int) -> JournalEntry:
    """Return an entry that still counts, so that it may be corrected.

    raises  NotFound; UsageError where it is void, or replaced already.
    """
    row = db.execute(
        f"SELECT {_COLUMNS} FROM trades WHERE id = ? AND time <= ?", (number, clock.utc_stamp(clock.now()))
    ).fetchone()
    if row is None:
        raise NotFound("entry {number} does not exist", number=number, hint="`ia trade list` shows all entries")
    entry = next(_parse_entries([row]))
    if entry.corrects:
        made_of = {by: replaced for replaced, by in _load_replacements(db).items()}
        entry = entry._replace(place=_original_number(entry.id, made_of))
    later = db.execute("SELECT id, kind FROM trades WHERE corrects = ?", (number,)).fetchone()
    if later is not None and later[1] == VOID:
        raise UsageError(
            "entry {number} was voided by entry {later}", number=number, later=later[0], hint="enter the trade again"
        )
    if later is not None:
        raise UsageError(
            "entry {number} was replaced by entry {later}",
            number=number,
            later=later[0],
            hint="correct entry {later} instead",
        )
    if entry.kind == VOID:
        raise UsageError("entry {number} only voids another entry", number=number, hint="enter the trade again")
    return entry


def find_by_key(db: sqlite3.Connection, key: str) -> JournalEntry | None:
    """Return the entry that was made with a key, or None."""
    return next(_parse_entries(db.execute(f"SELECT {_COLUMNS} FROM trades WHERE key = ?", (key,))), None)


def find_known_keys(db: sqlite3.Connection, keys: Iterable[str]) -> set[str]:
    """Return those of the keys that have been entered, whatever became of the entries."""
    found: set[str] = set()
    asked = list(keys)
    for at in range(0, len(asked), 500):
        some = asked[at : at + 500]
        marks = ", ".join("?" * len(some))
        found.update(key for (key,) in db.execute(f"SELECT key FROM trades WHERE key IN ({marks})", some))
    return found


def append_entries(ws: Workspace, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Append entries, all or none, and return them with their numbers. One whose key is known is left out.

    The caller holds ws.lock() where the new entries depend on those that stand.
    """
    wall = clock.utc_stamp(clock.wall_time())
    done = []
    names = ", ".join(_STORED[1:])
    marks = ", ".join("?" * (len(_STORED) - 1))
    with store.transaction(ws.db):
        for entry in entries:
            if entry.key is not None and find_known_keys(ws.db, [entry.key]):
                continue
            entry = _round_to_cents(entry)._replace(wall=wall, run=config.run_number())
            cursor = ws.db.execute(
                f"INSERT INTO trades ({names}) VALUES ({marks})", [*map(_to_text, entry[1 : len(_STORED)])]
            )
            entry = entry._replace(id=cursor.lastrowid or 0)
            done.append(entry)
            if len(entries) <= AUDITED:
                audit.record(
                    ws.db,
                    f"trade.{'correct' if entry.corrects and entry.kind != VOID else entry.kind}",
                    entry.symbol or entry.currency,
                    entry.actor,
                    entry=entry.id,
                    reason=entry.note or entry.reason,
                    override=entry.override,
                    corrects=entry.corrects,
                )
        if len(entries) > AUDITED:
            audit.record(ws.db, "trade.import", "", entries[0].actor, entries=len(done))
    return done


def _round_to_cents(entry: JournalEntry) -> JournalEntry:
    """Return an entry whose money is to the cent: brokers that count finer are rounded, half up."""
    return entry._replace(
        cash=None if entry.cash is None else round_to_cents(entry.cash),
        commission=round_to_cents(entry.commission),
        stamp=round_to_cents(entry.stamp),
        transfer=round_to_cents(entry.transfer),
        other=round_to_cents(entry.other),
    )


def _to_text(value: object) -> object:
    return format(value, "f") if isinstance(value, Decimal) else value
