"""The index of what was written: `.ia/cache/index.db`, derived from the files and always rebuildable from them.

A file is cut into passages, and each passage is a row of an FTS5 table. Before every question the index is brought up
to date: one stat a file, summed up to a digest a folder, and only folders whose digest differs are looked at further,
by size, times and inode first and by content last. A change within the last seconds cannot be told from its clock
tick, so such files stay unsettled: they are read again until they have aged.

With `--now` another index, `asof.db`, holds the files as they stood then.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence

from ia.kernel import clock, store
from ia.kernel.errors import IaError, Message, Notify, drop_message
from ia.kernel.folders import ROOTS, Digest, folder_digests
from ia.kernel.workspace import TEXT, Workspace, is_text_name
from ia.organs.recall.passages import SHIFT, IndexedNote, prepare_note, read_ahead, searchable_path
from ia.organs.recall.terms import to_index_text

SKIPPED = "memory/MEMORY.md"
"""The table of contents would be found by every query, instead of what it names."""
_SETTLED_NS = 3_000_000_000
POSTINGS = 6_000
"""How many rows the words of a question may touch together: what keeps 100,000 notes quick."""
_BATCH = 2000  # files a transaction
_PENDING = 4_000_000  # bytes of new words in memory before they are written
_LEAF = 16_000  # bytes of words that are read at once
_CACHE = 32_768  # kilobytes, while many notes are entered
_CHECKPOINT = 4_000  # pages that are written before they go to their place, while many notes are entered
_MERGE = {"automerge": 4, "crisismerge": 16}
"""How many pieces of the index are merged as it grows: SQLite's own settings, for a note now and then."""
_NO_MERGE = {"automerge": 0, "crisismerge": 1_000}
"""While many notes are entered: merging them all once, at the end, costs less than merging each part some times."""


def _create_tables(db: sqlite3.Connection) -> None:
    for statement in (
        "CREATE TABLE folders (path TEXT PRIMARY KEY, digest INTEGER) WITHOUT ROWID",
        "CREATE TABLE files (id INTEGER PRIMARY KEY, folder TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,"
        " sha TEXT NOT NULL, area TEXT NOT NULL, date TEXT NOT NULL, UNIQUE (folder, name))",
        "CREATE TABLE passages (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        "CREATE VIRTUAL TABLE words USING fts5 (path, body, content='',"
        " tokenize='porter unicode61 remove_diacritics 2')",
        "CREATE TABLE common (term TEXT PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE counter (changes INTEGER NOT NULL)",
        "INSERT INTO counter VALUES (0)",
        "CREATE VIRTUAL TABLE vocabulary USING fts5vocab ('words', 'row')",
        f"INSERT INTO words (words, rank) VALUES ('hashsize', {_PENDING})",
        f"INSERT INTO words (words, rank) VALUES ('pgsz', {_LEAF})",
    ):
        db.execute(statement)


PRESENT = store.Schema("cache/index.db", False, (_create_tables,), page=16384)
AS_OF = store.Schema("cache/asof.db", False, (_create_tables,), page=16384)


def open_index(
    ws: Workspace, notify: Notify = drop_message, look: Sequence[Digest] | None = None
) -> sqlite3.Connection:
    """Return the index, up to date with the files as of now(). Another process that is building it is not waited for.

    notify  is told of files that cannot be read as text; they never hide the others.
    look    the digests of the folders, where somebody has just looked at every file.
    """
    schema = AS_OF if clock.is_simulated() else PRESENT
    conn = store.connect(ws.root, schema)
    if not store.is_writable(conn):
        if not clock.is_simulated():
            if next(_changed_folders(ws, conn, look), None):
                notify(Message("the workspace is read-only: the index may lack the newest changes"))
            return conn
        conn.close()  # it is of another moment
        conn = store.open_in_memory(schema)
    try:
        changes = _folders_as_of(ws, conn) if clock.is_simulated() else _changed_folders(ws, conn, look)
        _apply_changes(ws, conn, changes, notify)
    except sqlite3.OperationalError as exc:
        if store.is_out_of_space(exc):
            notify(Message("the disk is full: the index may lack the newest changes"))
        elif store.is_busy(exc):
            notify(Message("another process is building the index; searching the part that is ready"))
        else:
            raise
    return conn


def discard_damaged(ws: Workspace, exc: BaseException) -> bool:
    """Throw the index away if a failure says that its file is not sound; it is rebuilt from the files."""
    if not store.is_damaged(exc):
        return False
    try:
        store.discard_database(ws.root, AS_OF if clock.is_simulated() else PRESENT)
    except OSError:  # it may not be written
        return False
    return True


def index_file(ws: Workspace, path: str) -> None:
    """Bring one file that ia just wrote up to date, if there is an index; as quick however many notes there are."""
    if path == SKIPPED or not path.startswith(tuple(root + "/" for root in ROOTS)) or not path.endswith(TEXT):
        return
    if clock.is_simulated() or not os.path.exists(os.path.join(ws.root, ".ia", PRESENT.file)):
        return
    folder, name = os.path.split(path)
    conn = store.connect(ws.root, PRESENT)
    try:
        conn.execute("PRAGMA busy_timeout = 300")
        with store.transaction(conn):
            conn.execute("UPDATE folders SET digest = NULL WHERE path = ?", (folder,))
            _update_file(ws, conn, folder, name, "", drop_message)
            _count_changes(conn, 1)
    except sqlite3.DatabaseError as exc:
        if not store.is_busy(exc) and not discard_damaged(ws, exc):
            raise  # else another process is bringing the index up to date, or it is rebuilt: the next question finds it
    finally:
        conn.close()


Change = tuple[str, dict[str, str], int | None]
"""A folder to look at: its path, its files' keys by name ("" is unsettled), and its digest (None: look again)."""


def _changed_folders(ws: Workspace, conn: sqlite3.Connection, look: Sequence[Digest] | None) -> Iterator[Change]:
    """Yield the folders whose digest differs from what the index has, and those that are gone."""
    known: dict[str, int | None] = dict(conn.execute("SELECT path, digest FROM folders"))
    young = time.time_ns() - _SETTLED_NS
    seen = {}
    if look is None:
        look = folder_digests(ws.root, conn.execute("SELECT max(id) FROM files").fetchone()[0] or 0)
    for folder, digest, newest in look:
        seen[folder] = digest
        if known.get(folder) != digest or newest > young:
            yield folder, _file_keys(ws.root, folder, young), digest if newest <= young else None
    for folder in known.keys() - seen.keys():
        yield folder, {}, None


def _file_keys(root: str, folder: str, young: int) -> dict[str, str]:
    """Return a folder's files by name, each with what tells that it changed; "" where its clock tick is not over."""
    keys = {}
    with contextlib.suppress(OSError), os.scandir(os.path.join(root, folder)) as entries:
        for entry in entries:
            if entry.name.endswith(TEXT) and entry.name[0] != "." and not entry.is_dir(follow_symlinks=False):
                if not is_text_name(entry.name):
                    continue
                with contextlib.suppress(OSError):
                    s = entry.stat(follow_symlinks=False)
                    settled = s.st_ctime_ns <= young
                    keys[entry.name] = f"{s.st_ino}:{s.st_size}:{s.st_mtime_ns}:{s.st_ctime_ns}" if settled else ""
    return keys


def _folders_as_of(ws: Workspace, conn: sqlite3.Connection) -> Iterator[Change]:
    """Yield every folder as it stood at now(): present files, and those that a later write changed or removed.

    A file's key says all that its content then depends on: the revision that follows the newest write that is not
    later, else the present file, whether it was touched later, and which write was the last.
    """
    moment = clock.now()
    stamp = clock.utc_stamp(moment)
    later: dict[str, int] = dict(
        ws.db.execute(
            "SELECT later.path, min(later.id) FROM revisions AS later"
            " LEFT JOIN (SELECT path, max(id) AS id FROM revisions WHERE time <= :stamp GROUP BY path) AS known"
            " ON known.path = later.path WHERE later.time > :stamp AND later.id > coalesce(known.id, 0)"
            " GROUP BY later.path",
            {"stamp": stamp},
        )
    )
    last: dict[str, int] = dict(ws.db.execute("SELECT path, max(id) FROM revisions GROUP BY path"))
    folders: dict[str, dict[str, str]] = {}
    young = time.time_ns() - _SETTLED_NS
    for folder, _, _ in folder_digests(ws.root):
        for name, key in _file_keys(ws.root, folder, young).items():
            touched = bool(key) and int(key.split(":")[2]) > moment.timestamp() * 1e9
            seen = f"{key}:{touched}:{last.get(f'{folder}/{name}')}" if key else ""
            folders.setdefault(folder, {})[name] = seen
    for path, revision in later.items():
        folder, name = os.path.split(path)
        if folder.split("/")[0] in ROOTS and name.endswith(TEXT):
            folders.setdefault(folder, {})[name] = f"revision {revision}"
    known = {folder for (folder,) in conn.execute("SELECT DISTINCT folder FROM files")}
    for folder in known | folders.keys():
        yield folder, folders.get(folder, {}), None


def _apply_changes(ws: Workspace, conn: sqlite3.Connection, changes: Iterable[Change], notify: Notify) -> None:
    """Look into the folders, _BATCH files a transaction: a build that is killed goes on from there."""
    work = []
    for folder, keys, digest in changes:
        had = dict(conn.execute("SELECT name, key FROM files WHERE folder = ?", (folder,)))
        names = [name for name in {**had, **keys} if not keys.get(name) or had.get(name) != keys[name]]
        work.append((folder, keys, digest, had, names))
    ahead: dict[str, None] = {}  # files that a second process reads
    if sum(len(names) for *_, names in work) > _BATCH:
        notify(Message("building the index; this happens once and takes about a minute for 100,000 notes"))
        _prepare_for_many(conn)
        if not clock.is_simulated():
            ahead = {f"{folder}/{name}": None for folder, keys, *_, names in work for name in names if name in keys}
            ahead.pop(SKIPPED, None)
    done = 0
    written = {path for (path,) in ws.db.execute("SELECT DISTINCT path FROM revisions")} if work else set()
    with contextlib.closing(read_ahead(ws.root, [*ahead])) as notes:
        try:
            for folder, keys, digest, had, names in work:
                whole = True
                for name in names:
                    done = _continue_batch(conn, done)
                    path = f"{folder}/{name}"
                    note = next(notes, None) if path in ahead else None
                    known, by_ia = name in had, path in written
                    whole &= _update_file(ws, conn, folder, name, keys.get(name), notify, known, by_ia, note)
                if not clock.is_simulated():
                    done = _continue_batch(conn, done)
                    _note_folder(conn, folder, bool(keys), digest if whole else None)
            if done:
                _count_changes(conn, done)
                conn.execute("COMMIT")
        except BaseException:
            if conn.in_transaction:
                conn.rollback()
            raise
    _optimize_index(conn)


def _prepare_for_many(conn: sqlite3.Connection) -> None:
    """Leave all merging to _optimize_index, also where this process is killed before."""
    conn.execute(f"PRAGMA cache_size = -{_CACHE}")
    conn.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
    with store.transaction(conn):
        _set_merging(conn, _NO_MERGE)
        _count_changes(conn, POSTINGS // 2)


def _note_folder(conn: sqlite3.Connection, folder: str, exists: bool, digest: int | None) -> None:
    if exists:
        conn.execute("REPLACE INTO folders VALUES (?, ?)", (folder, digest))
    else:
        conn.execute("DELETE FROM folders WHERE path = ?", (folder,))


def _continue_batch(conn: sqlite3.Connection, done: int) -> int:
    """Begin a transaction, or end one that is large enough and begin the next; return how much it holds."""
    if done == _BATCH:
        _count_changes(conn, done)
        conn.execute("COMMIT")
        done = 0
    if done == 0:
        conn.execute("BEGIN IMMEDIATE")
    return done + 1


def _set_merging(conn: sqlite3.Connection, settings: dict[str, int]) -> None:
    for name, value in settings.items():
        conn.execute("INSERT INTO words (words, rank) VALUES (?, ?)", (name, value))


def _count_changes(conn: sqlite3.Connection, files: int) -> None:
    conn.execute("UPDATE counter SET changes = changes + ?", (files,))


def _optimize_index(conn: sqlite3.Connection) -> None:
    """After many changes, merge the index into one piece, and note the words that are too common to be looked up.

    They stood in more than 2 x POSTINGS passages, and are noted anew before so many files have changed that they could
    be below POSTINGS; so leaving them out of a question, uncounted, changes no answer.
    """
    changes = conn.execute("SELECT changes FROM counter").fetchone()[0]
    if changes < POSTINGS // 2:
        return
    with store.transaction(conn):
        conn.execute("INSERT INTO words (words) VALUES ('optimize')")
        _set_merging(conn, _MERGE)
        conn.execute("DELETE FROM common")
        conn.execute("INSERT INTO common SELECT term FROM vocabulary WHERE doc > ?", (2 * POSTINGS,))
        conn.execute("UPDATE counter SET changes = 0")


def _update_file(
    ws: Workspace,
    conn: sqlite3.Connection,
    folder: str,
    name: str,
    key: str | None,
    notify: Notify,
    known: bool = True,
    by_ia: bool = True,
    note: IndexedNote | None = None,
) -> bool:
    """Bring one file up to date inside a transaction; key None: it is gone. Return False where it could not be read.

    A file that exists but holds nothing at now() keeps a row without passages, so that it is not read every time.

    known   False: the index is known to have nothing of it
    by_ia   False: it is known that ia never wrote it
    note    what it holds, where that was read ahead
    """
    path = f"{folder}/{name}"
    query = "SELECT id, sha, key, date FROM files WHERE folder = ? AND name = ?"
    row = conn.execute(query, (folder, name)).fetchone() if known else None
    whole = True
    if note is None and key is not None and path != SKIPPED:
        try:
            text = ws.read(path)
            note = None if text is None else prepare_note(path, text, row[1] if row else None)
        except IaError as exc:
            notify(Message(exc.template, **exc.params))
            key, whole = None, False
    if key is None or (note is None and not clock.is_simulated()):
        if row:
            _delete_passages(conn, row[0], path)
            conn.execute("DELETE FROM files WHERE id = ?", (row[0],))
        return whole
    date = (note.day or (not by_ia and note.touched) or _written_day(ws, path, by_ia)) if note else ""
    sha = note.sha if note else ""
    if row and row[1] == sha:
        if row[2:] != (key, date):
            conn.execute("UPDATE files SET key = ?, date = ? WHERE id = ?", (key, date, row[0]))
        return True
    if row:
        _delete_passages(conn, row[0], path)
        conn.execute("UPDATE files SET key = ?, sha = ?, date = ? WHERE id = ?", (key, sha, date, row[0]))
        file = row[0]
    else:
        file = conn.execute(
            "INSERT INTO files (folder, name, key, sha, area, date) VALUES (?, ?, ?, ?, ?, ?)",
            (folder, name, key, sha, area_of(path), date),
        ).lastrowid
    place = to_index_text(searchable_path(path))
    for number, (passage, spelled) in enumerate(note.passages if note else ()):
        row_id = (file << SHIFT) + number
        conn.execute("INSERT INTO passages VALUES (?, ?)", (row_id, passage))
        conn.execute("INSERT INTO words (rowid, path, body) VALUES (?, ?, ?)", (row_id, place, spelled))
    return True


def _delete_passages(conn: sqlite3.Connection, file: int, path: str) -> None:
    """Take a file's passages out. The full-text table keeps no text, so it must be told again what it had."""
    first, last = file << SHIFT, ((file + 1) << SHIFT) - 1
    place = to_index_text(searchable_path(path))
    for row_id, text in conn.execute(
        "SELECT id, text FROM passages WHERE id BETWEEN ? AND ?", (first, last)
    ).fetchall():
        conn.execute(
            "INSERT INTO words (words, rowid, path, body) VALUES ('delete', ?, ?, ?)",
            (row_id, place, to_index_text(text)),
        )
    conn.execute("DELETE FROM passages WHERE id BETWEEN ? AND ?", (first, last))


def area_of(path: str) -> str:
    """Return which of memory, notebook, journal and knowledge a file belongs to."""
    return "journal" if path.startswith("memory/journal/") else path.split("/", 1)[0]


def _written_day(ws: Workspace, path: str, by_ia: bool) -> str:
    """Return the day on which a note was written, as far as that is known."""
    try:
        return (ws.written_at(path) if by_ia else ws.modified_at(path)).strftime("%Y-%m-%d")
    except IaError:
        return clock.today()
