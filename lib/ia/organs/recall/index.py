"""The index of what was written: `.ia/cache/index.db`, derived from the files and always rebuildable from them.

A file is cut into passages, and each passage is a row of an FTS5 table. Before every question the index is brought up
to date: one stat a file, summed up to a digest a folder, and only folders whose digest differs are looked at further,
by size, times and inode first and by content last. A change within the last seconds cannot be told from its clock
tick, so such files stay unsettled: they are read again until they have aged.

With `--now` another index, `asof.db`, holds the files as they stood then.
"""

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence

from ia.kernel import clock, store
from ia.kernel.digest import sha256
from ia.kernel.errors import IaError, Message, Notify, drop_message
from ia.kernel.folders import ROOTS, Digest, folder_digests, is_source_folder
from ia.kernel.patterns import pattern
from ia.kernel.workspace import TEXT, Workspace, is_text_name
from ia.organs.recall.authorship import RECORDS, split_authors
from ia.organs.recall.documents import UNKNOWN_DATE, is_document, split_document, split_front
from ia.organs.recall.records import RecordFolder
from ia.organs.recall.terms import to_index_text

SKIPPED = "memory/MEMORY.md"
"""The table of contents would be found by every query, instead of what it names."""
SHIFT = 14
"""A passage's row is the file's id shifted by this much, plus the passage's number."""
BY_MACHINE = 1 << (SHIFT - 1)
"""Passages from this number on are words of a model, the analyst or the program; the others are the owner's."""
PASSAGE = 1500  # characters
_SETTLED_NS = 3_000_000_000
POSTINGS = 6_000
"""How many rows the words of a question may touch together: what keeps 100,000 notes quick."""
_BATCH = 2000  # files a transaction


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
    ):
        db.execute(statement)


def _number_by_author(_db: sqlite3.Connection) -> None:
    """Version 2: the same tables, but passages are numbered by author, and there are RECORDS."""


def _add_chunks(db: sqlite3.Connection) -> None:
    """Version 3: texts of knowledge/ are cut into chunks with their headings and pages."""
    db.execute("CREATE TABLE documents (file INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL)")
    db.execute(
        "CREATE TABLE chunks (id INTEGER PRIMARY KEY, place TEXT NOT NULL, heading TEXT NOT NULL, pages TEXT NOT NULL)"
    )


def _split_by_entry(_db: sqlite3.Connection) -> None:
    """Version 4: the same tables, but each entry of a journal and each question of a session is a passage."""


_STEPS = (_create_tables, _number_by_author, _add_chunks, _split_by_entry)
PRESENT = store.Schema("cache/index.db", False, _STEPS)
AS_OF = store.Schema("cache/asof.db", False, _STEPS)


def open_index(
    ws: Workspace,
    notify: Notify = drop_message,
    look: Sequence[Digest] | None = None,
    records: Sequence[RecordFolder] = (),
) -> sqlite3.Connection:
    """Return the index, up to date with the files as of now(). Another process that is building it is not waited for.

    notify  is told of files that cannot be read as text; they never hide the others.
    look    the digests of the folders, where somebody has just looked at every file.
    records texts of ia.db that are searched, too; without them those of last time are.
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
        _update_records(conn, records)
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
    folder, name = os.path.split(path)
    if clock.is_simulated() or not os.path.exists(os.path.join(ws.root, ".ia", PRESENT.file)):
        return
    if is_source_folder(folder):
        return
    conn = store.connect(ws.root, PRESENT)
    try:
        conn.execute("PRAGMA busy_timeout = 300")
        with store.transaction(conn):
            conn.execute("UPDATE folders SET digest = NULL WHERE path = ?", (folder,))
            _update_file(ws, conn, folder, name, "", drop_message, actor=last_actors(ws, path).get(path))
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
    for folder in known.keys() - seen.keys() - set(RECORDS):
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
        if folder.split("/")[0] in ROOTS and name.endswith(TEXT) and not is_source_folder(folder):
            known_now = folders.get(folder, {}).get(name)
            if not is_document(path) or known_now is None:  # a document is seen by its own date, as it stands now
                folders.setdefault(folder, {})[name] = f"revision {revision}"
    known = {folder for (folder,) in conn.execute("SELECT DISTINCT folder FROM files")}
    for folder in (known | folders.keys()) - set(RECORDS):
        yield folder, folders.get(folder, {}), None


def _apply_changes(ws: Workspace, conn: sqlite3.Connection, changes: Iterable[Change], notify: Notify) -> None:
    """Look into the folders, _BATCH files a transaction: a build that is killed goes on from there."""
    done, told = 0, False
    written = last_actors(ws)
    try:
        for folder, keys, digest in changes:
            had = dict(conn.execute("SELECT name, key FROM files WHERE folder = ?", (folder,)))
            whole = True
            for name in [name for name in {**had, **keys} if not keys.get(name) or had.get(name) != keys[name]]:
                if done == _BATCH and not told:
                    told = True
                    notify(Message("building the index; this happens once and takes about a minute for 100,000 notes"))
                done = _continue_batch(conn, done)
                path = f"{folder}/{name}"
                whole &= _update_file(
                    ws, conn, folder, name, keys.get(name), notify, path in written, written.get(path)
                )
            if not clock.is_simulated():
                done = _continue_batch(conn, done)
                if keys:
                    conn.execute("REPLACE INTO folders VALUES (?, ?)", (folder, digest if whole else None))
                else:
                    conn.execute("DELETE FROM folders WHERE path = ?", (folder,))
        if done:
            _count_changes(conn, done)
            conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.rollback()
        raise
    _optimize_index(conn)


def last_actors(ws: Workspace, path: str = "") -> dict[str, str]:
    """Return who wrote each file last, of those that ia wrote."""
    only = " WHERE path = ?" if path else ""
    query = f"SELECT path, actor, max(id) FROM revisions{only} GROUP BY path"
    return {path: actor or "" for path, actor, _ in ws.db.execute(query, [path] if path else [])}


def _update_records(conn: sqlite3.Connection, folders: Sequence[RecordFolder]) -> None:
    """Bring the texts of ia.db in the index up to date."""
    known = dict(conn.execute("SELECT path, digest FROM folders"))
    for each in folders:
        if known.get(each.folder) == each.digest:
            continue
        with store.transaction(conn):
            had = {
                name: (file, sha)
                for file, name, sha in conn.execute("SELECT id, name, sha FROM files WHERE folder = ?", (each.folder,))
            }
            for record in each.load():
                sha = sha256(f"{record.date} {record.text}".encode()).hexdigest()
                file, before = had.pop(record.name, (None, ""))
                if before == sha:
                    continue
                if file is not None:
                    remove_file(conn, file, f"{each.folder}/{record.name}")
                insert_file(conn, each.folder, record.name, "", sha, record.date, (record.text, ""))
            for name, (file, _) in had.items():
                remove_file(conn, file, f"{each.folder}/{name}")
            conn.execute("REPLACE INTO folders VALUES (?, ?)", (each.folder, each.digest))


def _continue_batch(conn: sqlite3.Connection, done: int) -> int:
    """Begin a transaction, or end one that is large enough and begin the next; return how much it holds."""
    if done == _BATCH:
        _count_changes(conn, done)
        conn.execute("COMMIT")
        done = 0
    if done == 0:
        conn.execute("BEGIN IMMEDIATE")
    return done + 1


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
        conn.execute("DELETE FROM common")
        conn.execute("INSERT INTO common SELECT term FROM vocabulary WHERE doc > ?", (2 * POSTINGS,))
        conn.execute("UPDATE counter SET changes = 0")
        conn.execute("INSERT INTO words (words) VALUES ('optimize')")


def _update_file(
    ws: Workspace,
    conn: sqlite3.Connection,
    folder: str,
    name: str,
    key: str | None,
    notify: Notify,
    by_ia: bool = True,
    actor: str | None = None,
) -> bool:
    """Bring one file up to date inside a transaction; key None: it is gone. Return False where it could not be read.

    A file that exists but holds nothing at now() keeps a row without passages, so that it is not read every time. The
    row is looked up here, as another process may have entered it since the folder was read.

    by_ia   False: it is known that ia never wrote it
    actor   who wrote it last, see split_authors()
    """
    path = f"{folder}/{name}"
    query = "SELECT id, sha, key, date FROM files WHERE folder = ? AND name = ?"
    row = conn.execute(query, (folder, name)).fetchone()
    text, whole = None, True
    if key is not None and path != SKIPPED:
        try:
            text = _read_dated_document(ws, path) if is_document(path) else ws.read(path)
        except IaError as exc:
            notify(Message(exc.template, **exc.params))
            key, whole = None, False
    if key is None or (text is None and not clock.is_simulated()):
        if row:
            remove_file(conn, row[0], path)
        return whole
    date = _note_date(ws, path, text, by_ia) if text is not None else ""
    sha = sha256(text.encode()).hexdigest() if text is not None else ""
    if row and row[1] == sha:
        if row[2:] != (key, date):
            conn.execute("UPDATE files SET key = ?, date = ? WHERE id = ?", (key, date, row[0]))
        return True
    if row:
        remove_file(conn, row[0], path)
    parts = split_authors(path, text, actor) if text is not None else None
    insert_file(conn, folder, name, key, sha, date, parts, file=row[0] if row else None)
    return True


def insert_file(
    conn: sqlite3.Connection,
    folder: str,
    name: str,
    key: str,
    sha: str,
    date: str,
    parts: tuple[str, str] | None,
    file: int | None = None,
) -> None:
    """Enter a file with its passages: the owner's words, then a machine's. None: it holds nothing at now()."""
    path = f"{folder}/{name}"
    file = conn.execute(
        "INSERT INTO files (id, folder, name, key, sha, area, date) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (file, folder, name, key, sha, area_of(path), date),
    ).lastrowid
    place = to_index_text(_searchable_path(path))
    if is_document(path) and parts and file is not None:
        _insert_chunks(conn, file, path, parts[0])
        return
    for first, part in zip((0, BY_MACHINE), parts or (), strict=False):
        if not part and (first or (parts and parts[1])):  # an empty note is the owner's, and found by its name
            continue
        pieces = split_entries(part) if has_entries(path) else split_passages(part)
        for number, passage in enumerate(pieces, (int(file or 0) << SHIFT) + first):
            conn.execute("INSERT INTO passages VALUES (?, ?)", (number, passage))
            conn.execute(
                "INSERT INTO words (rowid, path, body) VALUES (?, ?, ?)", (number, place, to_index_text(passage))
            )


def _insert_chunks(conn: sqlite3.Connection, file: int, path: str, text: str) -> None:
    """Enter the chunks of a document: found by its words, its title and the headings above it."""
    import json

    front, body = split_front(text)
    title = front.get("title") or _searchable_path(path).rpartition("/")[2]
    conn.execute("REPLACE INTO documents VALUES (?, ?, ?)", (file, title, front.get("author") or ""))
    for number, chunk in enumerate(split_document(body)[:BY_MACHINE], file << SHIFT):
        place = to_index_text(f"{title} {chunk.heading}")
        conn.execute("INSERT INTO passages VALUES (?, ?)", (number, chunk.text))
        pages = json.dumps([tuple(page) for page in chunk.pages], ensure_ascii=False)
        conn.execute("INSERT INTO chunks VALUES (?, ?, ?, ?)", (number, place, chunk.heading, pages))
        conn.execute(
            "INSERT INTO words (rowid, path, body) VALUES (?, ?, ?)", (number, place, to_index_text(chunk.text))
        )


def remove_file(conn: sqlite3.Connection, file: int, path: str) -> None:
    """Take a file out, with its passages."""
    _delete_passages(conn, file, path)
    conn.execute("DELETE FROM files WHERE id = ?", (file,))
    conn.execute("DELETE FROM documents WHERE file = ?", (file,))


def _delete_passages(conn: sqlite3.Connection, file: int, path: str) -> None:
    """Take a file's passages out. The full-text table keeps no text, so it must be told again what it had."""
    first, last = file << SHIFT, ((file + 1) << SHIFT) - 1
    place = to_index_text(_searchable_path(path))
    for row_id, text, own in conn.execute(
        "SELECT passages.id, text, chunks.place FROM passages LEFT JOIN chunks ON chunks.id = passages.id"
        " WHERE passages.id BETWEEN ? AND ?",
        (first, last),
    ).fetchall():
        conn.execute(
            "INSERT INTO words (words, rowid, path, body) VALUES ('delete', ?, ?, ?)",
            (row_id, place if own is None else own, to_index_text(text)),
        )
    conn.execute("DELETE FROM passages WHERE id BETWEEN ? AND ?", (first, last))
    conn.execute("DELETE FROM chunks WHERE id BETWEEN ? AND ?", (first, last))


def area_of(path: str) -> str:
    """Return which of memory, notebook, journal and knowledge a file belongs to."""
    return "journal" if path.startswith("memory/journal/") else path.split("/", 1)[0]


def _searchable_path(path: str) -> str:
    """Return the telling part of a path: without its root and its ending. The number of a record tells nothing."""
    return "" if path.split("/", 1)[0] in RECORDS else path.split("/", 1)[1].rsplit(".", 1)[0]


_DAY = pattern(r"(?<!\d)((?:19|20)\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")
_FRONT_DATE = pattern(r"\A---\n(?:(?!---).*\n)*?date: ['\"]?(\d{4}-\d\d-\d\d|unknown)['\"]?[ \t]*\n")
_FRONT = pattern(r"\A---\n(?:.*\n)*?date:\s*['\"]?(\d{4}-\d\d-\d\d)(?:.*\n)*?---\s*$", re.M)


def _read_dated_document(ws: Workspace, path: str) -> str | None:
    """Return a text of knowledge/: as it stands now where it says when it was published, else as of now()."""
    text = ws.read_present(path)
    return text if text is None or _FRONT_DATE.match(text[:4000]) else ws.read(path)


def _note_date(ws: Workspace, path: str, text: str, by_ia: bool) -> str:
    """Return a note's date: the last one in its path, else its front matter's, else the day it was written.

    That of a document is when it was published, "" where nobody knows.
    """
    if is_document(path) and (told := _FRONT_DATE.match(text[:4000])):
        return told[1] if told[1] != UNKNOWN_DATE else ""
    days = _DAY.findall(path)
    if days:
        return "-".join(days[-1])
    if text.startswith("---\n") and (front := _FRONT.match(text[:2000])):
        return front[1]
    try:
        return (ws.written_at(path) if by_ia else ws.modified_at(path)).strftime("%Y-%m-%d")
    except IaError:
        return clock.today()


_ENTRY = pattern(r"^(?=\[\d\d:\d\d\] )", re.M)


def has_entries(path: str) -> bool:
    """Return True for a journal and a session: short entries in the order of time, each best read with the next.

    >>> has_entries("memory/journal/2024-03-15.md"), has_entries("sessions/3"), has_entries("notebook/a.md")
    (True, True, False)
    """
    return path.startswith(("memory/journal/", "sessions/"))


def split_entries(text: str) -> list[str]:
    """Return the entries of a journal, the first with what stands above it, or the lines of a session's questions.

    >>> split_entries("# 2024-03-15\\n[09:31] a\\nb\\n[10:02] c\\n")
    ['# 2024-03-15\\n[09:31] a\\nb\\n', '[10:02] c\\n']
    """
    head, *entries = _ENTRY.split(text)
    if entries:
        entries[0] = head + entries[0]
    else:
        entries = text.splitlines(keepends=True) or [""]
    return _limit_pieces([piece for entry in entries for piece in split_passages(entry)])


def split_passages(text: str) -> list[str]:
    """Return a text in pieces of about PASSAGE characters, cut where a heading or a paragraph begins if it can be."""
    if len(text) <= PASSAGE:
        return [text]
    pieces: list[str] = []
    current = ""
    for block in re.split(r"(?<=\n)(?=#)|(?<=\n)\n+", text):
        while len(block) > PASSAGE:  # a paragraph that is longer than a passage: whole lines, else sentences, else cut
            cut = max(block.rfind(mark, 0, PASSAGE) for mark in "\n。！？.") + 1 or PASSAGE
            pieces += [current] if current else []
            pieces, current, block = [*pieces, block[:cut]], "", block[cut:]
        if current and len(current) + len(block) > PASSAGE:
            pieces.append(current)
            current = ""
        current += block if not current else "\n" + block
    if current.strip():
        pieces.append(current)
    return _limit_pieces(pieces)


def _limit_pieces(pieces: list[str]) -> list[str]:
    """Return as many pieces as an author may have in a file; the last holds the rest."""
    limit = BY_MACHINE
    return [*pieces[: limit - 1], "\n".join(pieces[limit - 1 :])] if len(pieces) > limit else pieces
