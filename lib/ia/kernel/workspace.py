"""The workspace: the one folder of text files that is the truth, and the one way to write into it.

A write takes the lock, keeps the previous content as a revision in ia.db, and replaces the file atomically. Record and
file agree, whenever ia is killed (ia.kernel.work_unit); `together` joins several writes and rows to one such step. A
person may edit any file at any time with any editor: nothing here assumes that only ia wrote it.
"""

import contextlib
import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ia.kernel import audit, clock, config, files, observers, store, work_unit
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, IaError, NotFound, Refused, TryLater
from ia.kernel.formats.frontmatter import find_block
from ia.kernel.patterns import pattern

LOCK_TIMEOUT = 10.0  # seconds
MAX_BYTES = 8_000_000
"""Largest text file that is read or written: notes are for people."""
SOUL = "soul.md"
TEXT = (".md", ".markdown", ".txt")
"""What a note's name ends in."""
_BOLD = pattern(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_COMMENT = pattern(r"\s*<!--.*-->\s*$")
_MARKS = pattern(r"^(?:[#>*\s]|[-+](?![.\d¥$€£]))+")
"""What a line of Markdown begins with; the sign of a number is none of it."""
_ENTRY = pattern(r"## \d{4}-\d\d-\d\d \d\d:\d\d\s*$|\[\d\d:\d\d\] ")


class Revision(NamedTuple):
    """What a write replaced. `before` is None where the file did not exist, `after_sha` where it was removed. UTC."""

    id: int
    time: str
    path: str
    actor: str
    why: str
    before: str | None
    before_sha: str | None
    after_sha: str | None
    undoes: int | None
    profile: str | None


class WriteCause(NamedTuple):
    """What made a write, where the program has to know it later.

    undoes      id of the revision that the write undoes
    takes_back  number of the run of a task whose writes it takes back
    profile     name of the profile whose text it is, or which removed the file
    """

    undoes: int | None = None
    takes_back: int | None = None
    profile: str | None = None


BY_CALLER = WriteCause()
"""Nothing made a write but whoever asked for it."""


class Workspace:
    """A workspace at `root` (default `IA_HOME`, else `~/ia`). Making one touches nothing."""

    _db: sqlite3.Connection | None = None

    def __init__(self, root: str | None = None) -> None:
        self.root = os.path.abspath(root) if root else config.home()
        self._locks = 0
        self._lock_fd = -1
        self._changes: work_unit.Changes | None = None
        self._written: dict[str, None] = {}
        self._settled = False

    @property
    def db(self) -> sqlite3.Connection:
        """ia.db, opened on first use."""
        if self._db is None:
            self._db = store.connect(self.root, store.PRECIOUS)
            if self._locks == 0 and store.is_writable(self._db) and work_unit.is_unfinished(self._db):
                self._settle_unfinished()
        return self._db

    def __del__(self) -> None:
        # A connection and its cache of statements hold each other: left alone, it is never closed in a short process.
        with contextlib.suppress(sqlite3.Error):  # opened by another thread
            self.close()

    def close(self) -> None:
        """Close ia.db if it is open. A workspace that nobody holds any more closes it by itself."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def exists(self) -> bool:
        """Return True if something has been written here: reading makes nothing."""
        return os.path.isdir(os.path.join(self.root, ".ia"))

    # paths

    def resolve(self, path: str, *, below: str = "") -> str:
        """Return the absolute path of `path`, which is relative to `below`, a folder of the workspace.

        raises  Refused for an absolute path, `..`, a link on the way, a hidden part, or a name that no file can have.
        """
        if not self._settled and work_unit.is_pending(self.root):
            self._settle_unfinished()
        self._settled = True
        parts = path.split("/")
        if not path or os.path.isabs(path) or path.startswith("~"):
            raise Refused("{path!r}: give a path inside {below}/", path=path, below=below or "the workspace")
        if ".." in parts:
            raise Refused("{path!r} points outside {below}/", path=path, below=below or "the workspace")
        if "" in parts or "." in parts or not path.isprintable() or "\\" in path:
            raise Refused("{path!r} is not a valid file name", path=path)
        if "<!--" in path or "-->" in path:  # MEMORY.md lists names between such marks
            raise Refused("{path!r} is not a valid file name", path=path)
        if below and any(part.startswith(".") for part in parts):
            raise Refused("{path!r}: a name must not begin with a dot", path=path)
        if not is_text_name(path):
            raise Refused("{path!r}: the name is not valid UTF-8", path=path)
        if any(len(part.encode()) > 240 for part in parts):
            raise Refused("{path!r}: the name is too long", path=path[:80])
        current = self.root
        for part in [*(below.split("/") if below else []), *parts]:
            current = os.path.join(current, part)
            if os.path.islink(current):
                raise Refused("{path!r} passes through a symbolic link", path=path)
        return current

    def relative_path(self, absolute: str) -> str:
        """Return the path as it is shown: relative to the root, with `/`."""
        return os.path.relpath(absolute, self.root)

    # reading

    def read(self, path: str) -> str | None:
        """Return the text of a file as it stood at now(), or None where there was none.

        raises  BadData where it is not UTF-8 text or is larger than MAX_BYTES.
        """
        text = self._read_now(self.resolve(path), path)
        return self._restore_as_of_now(path, text) if clock.is_simulated() else text

    def read_present(self, path: str) -> str | None:
        """Return the text of a file as it stands on the disk, whatever now() is: for files that ia itself keeps."""
        return self._read_now(self.resolve(path), path)

    def _restore_as_of_now(self, path: str, text: str | None) -> str | None:
        """Undo, in memory, what was written after now(): by us (revisions), or by hand (mtime, but for the soul).

        What the newest write that is not later left is what stands: the next revision kept it. So whatever was written
        at a moment can be read at that moment, also in a history whose times do not ascend.
        """
        moment = clock.utc_stamp(clock.now())
        known = "SELECT coalesce(max(id), 0) FROM revisions WHERE path = ? AND time <= ?"
        row = self.db.execute(
            f"SELECT before FROM revisions WHERE path = ? AND id > ({known}) ORDER BY id LIMIT 1", (path, path, moment)
        ).fetchone()
        if row:
            return row[0]  # type: ignore[no-any-return]
        newest = self.db.execute(
            "SELECT before_sha, after_sha FROM revisions WHERE path = ? ORDER BY id DESC LIMIT 1", (path,)
        ).fetchone()
        if text is None or (newest and text_digest(text) in newest):  # before_sha: a crash prevented the write
            return text
        if path == SOUL:  # who the assistant is: a person's edit or a copied workspace counts, whatever the file's time
            return text
        touched = os.stat(os.path.join(self.root, path)).st_mtime
        return text if touched <= clock.now().timestamp() else None

    def refuse_later(self, path: str) -> None:
        """Refuse where a write at now() would replace what is later than now(): the past cannot be told anew.

        raises  Refused.
        """
        if clock.is_simulated():
            self._refuse_later(path, self._read_now(self.resolve(path), path))

    def _refuse_later(self, path: str, present: str | None) -> None:
        if clock.is_simulated() and self._restore_as_of_now(path, present) != present:
            raise Refused(
                "{path} was changed after --now; writing would overwrite that change",
                path=path,
                hint="omit --now, or write to another file",
            )

    def _read_now(self, absolute: str, shown: str) -> str | None:
        if self._changes is not None and shown in self._changes:
            return self._changes[shown][1]
        return self._read_disk(absolute, shown)

    def _read_disk(self, absolute: str, shown: str) -> str | None:
        try:
            fd = os.open(absolute, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            return None
        except OSError as exc:
            if exc.errno == errno.ELOOP:
                raise Refused("{path!r} passes through a symbolic link", path=shown) from None
            if isinstance(exc, PermissionError):
                raise Refused("{path}: permission denied", path=shown) from None
            raise BadData("{path}: {reason}", path=shown, reason=exc.strerror) from None
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):  # a FIFO would be waited for
            os.close(fd)
            folder = stat.S_ISDIR(mode)
            raise BadData("{path} is a folder" if folder else "{path} is not a regular file", path=shown)
        with open(fd, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise BadData("{path} is larger than {limit} bytes", path=shown, limit=MAX_BYTES)
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            line = raw.count(b"\n", 0, exc.start) + 1
            raise BadData("{path}:{line}: not UTF-8 text", path=shown, line=line) from None

    def list_paths(self, folder: str, suffixes: tuple[str, ...] = TEXT) -> list[str]:
        """Return the text files below a folder as of now(), sorted. Hidden names and links are passed over."""
        found = {path for path, _ in walk_files(self.root, folder, suffixes)}
        if clock.is_simulated():
            later = self.db.execute(
                "SELECT DISTINCT path FROM revisions WHERE time > ? AND substr(path, 1, ?) = ?",
                (clock.utc_stamp(clock.now()), len(folder) + 1, folder + "/"),
            )
            found |= {path for (path,) in later if path.endswith(suffixes)}
            found = {path for path in found if self._was_there(path)}
        return sorted(found)

    def _was_there(self, path: str) -> bool:
        try:
            return self.read(path) is not None
        except IaError:  # not text: it is listed all the same
            return True

    def written_at(self, path: str) -> datetime:
        """Return when a file got its present content: the clock's time if ia wrote it, else its mtime. Aware, local().

        raises  NotFound.
        """
        revision = self.db.execute(
            "SELECT time, after_sha FROM revisions WHERE path = ? AND time <= ? ORDER BY id DESC LIMIT 1",
            (path, clock.utc_stamp(clock.now())),
        ).fetchone()
        if revision is None:
            return self.modified_at(path)
        try:
            touched = self.modified_at(path)
        except NotFound:
            touched = None
        moment = to_local(datetime.fromisoformat(revision[0]))
        if touched is None or abs((touched - moment).total_seconds()) < 2:
            return moment
        try:
            text = self.read(path)
        except IaError:
            return touched
        return moment if text is not None and text_digest(text) == revision[1] else touched

    def modified_at(self, path: str) -> datetime:
        """Return the mtime of a file: when it was written, where ia has never written it. Aware, local().

        raises  NotFound.
        """
        try:
            return to_local(datetime.fromtimestamp(os.stat(os.path.join(self.root, path)).st_mtime, clock.UTC))
        except OSError:
            raise NotFound("{path}: no such file", path=path) from None

    # writing

    @contextlib.contextmanager
    def lock(self, timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
        """Hold the workspace's one lock; two cron jobs and a terminal can share it. Reentrant in a process.

        Observers are told of what was written inside before the lock is released.

        raises  TryLater when it is held by another process for longer than `timeout` seconds.
        """
        first = self._locks == 0
        if first:
            self._lock_fd = self._acquire_lock(timeout)
        self._locks += 1
        try:
            if first and work_unit.is_pending(self.root):
                self._recover_units()
            yield
        finally:
            try:
                if first and self._written:
                    paths, self._written = list(self._written), {}
                    observers.tell_observers(self, paths)
            finally:
                self._locks -= 1
                if self._locks == 0:
                    os.close(self._lock_fd)

    def _acquire_lock(self, timeout: float) -> int:
        folder = store.make_folder(self.root)
        fd = files.take_lock(os.path.join(folder, "lock"), wait=timeout)
        if fd is None:
            raise TryLater("another ia process has locked the workspace", hint="try again in a moment")
        return fd

    @contextlib.contextmanager
    def unit_of_work(self) -> Iterator[None]:
        """Make all changes of files and of ia.db inside, or none of them, also where ia is killed. Holds the lock.

        What is written inside is read inside, and stands on the disk after the outermost block.
        """
        with self.lock():
            if self._changes is not None:
                yield
                return
            if work_unit.is_unfinished(self.db):
                self._recover_units()
            changes: work_unit.Changes = {}
            prepared: dict[str, str] = {}
            number = 0
            try:
                with store.transaction(self.db):
                    self._changes = changes
                    try:
                        yield
                    finally:
                        self._changes = None
                    if changes:
                        prepared = work_unit.prepare_files(self.root, changes)
                        number = work_unit.record(self.db, clock.utc_stamp(clock.now()), changes)
            except BaseException:
                work_unit.remove_temporary_files(self.root)
                raise
            if changes:
                self._carry_out_unit(number, changes, prepared)
                self._written.update(dict.fromkeys(changes))

    def _carry_out_unit(self, number: int, changes: work_unit.Changes, prepared: dict[str, str]) -> None:
        """Move the files of a committed unit into place. What goes wrong once may go well again: it is committed."""
        try:
            work_unit.carry_out(self.root, self.db, number, changes, prepared)
        except BaseException as exc:
            with contextlib.suppress(sqlite3.Error):
                self._recover_units()
            if not isinstance(exc, OSError) or work_unit.is_unfinished(self.db):
                raise

    def _settle_unfinished(self) -> None:
        """Before reading: wait a moment for a unit under way, and finish what was killed.

        Where neither can be done, what is there is read.
        """
        self._settled = True
        if self._locks == 0:
            with contextlib.suppress(IaError, OSError, sqlite3.Error), self.lock(2.0):
                if work_unit.is_unfinished(self.db):
                    self._recover_units()

    def _recover_units(self) -> None:
        work_unit.recover_units(self.root, self.db, self._digest_now)

    def _digest_now(self, path: str) -> str | None:
        text = self._read_disk(self.resolve(path), path)
        return text_digest(text) if text is not None else None

    def write(
        self,
        path: str,
        text: str,
        *,
        actor: str = "user",
        why: str = "",
        event: str = "",
        cause: WriteCause = BY_CALLER,
        **data: object,
    ) -> bool:
        """Replace a file's content and return whether that changed anything. The previous content stays as a revision.

        event   kind of the audit event (`note.write`); none is recorded without it, nor where nothing changed.
        raises  Refused where `--now` is earlier than the present content.
        """
        absolute = self.resolve(path)
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise BadData("{path}: the text is not valid UTF-8", path=path) from None
        if size > MAX_BYTES:
            raise BadData("{path}: larger than {limit} bytes", path=path, limit=MAX_BYTES)
        with self.lock():
            before = self._read_now(absolute, path)
            if before == text:
                return False
            self._refuse_later(path, before)
            self._change_file(path, before, text, actor, why, cause, event, data)
            return True

    def remove(
        self,
        path: str,
        *,
        actor: str = "user",
        why: str = "",
        event: str = "",
        cause: WriteCause = BY_CALLER,
        **data: object,
    ) -> None:
        """Remove a file; its content stays as a revision, so that `undo` brings it back."""
        absolute = self.resolve(path)
        with self.lock():
            before = self._read_now(absolute, path)
            if before is None:
                raise NotFound("{path}: no such file", path=path)
            self._refuse_later(path, before)
            self._change_file(path, before, None, actor, why, cause, event, data)

    def store_bytes(self, path: str, data: bytes) -> None:
        """Write a file that is kept as it was given, whole or not at all. It has no revisions."""
        absolute = self.resolve(path)
        with self.lock():
            files.replace_file(absolute, data)

    def read_bytes(self, path: str, limit: int) -> bytes | None:
        """Return the bytes of a file that is kept as it was given, None where there is none.

        raises  BadData for one that is no regular file or is larger than the limit.
        """
        absolute = self.resolve(path)
        try:
            if not os.path.isfile(absolute):
                return None
            with open(absolute, "rb") as file:
                data = file.read(limit + 1)
        except OSError as exc:
            raise BadData("{path}: {reason}", path=path, reason=exc.strerror) from None
        if len(data) > limit:
            raise BadData("{path} is larger than {limit} bytes", path=path, limit=limit)
        return data

    def remove_bytes(self, path: str) -> None:
        """Remove a file that is kept as it was given; nothing brings it back."""
        absolute = self.resolve(path)
        with self.lock(), contextlib.suppress(FileNotFoundError):
            os.unlink(absolute)

    def _change_file(
        self,
        path: str,
        before: str | None,
        text: str | None,
        actor: str,
        why: str,
        cause: WriteCause,
        event: str,
        data: dict[str, object],
    ) -> None:
        """Give a file its new text (None: remove it), and keep what it replaces."""
        before_sha = text_digest(before) if before is not None else None
        after_sha = text_digest(text) if text is not None else None
        with self.unit_of_work():
            self.db.execute(
                "INSERT INTO revisions (time, path, actor, why, before, before_sha, after_sha, run,"
                " undoes, takes_back, profile) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    clock.utc_stamp(clock.now()),
                    path,
                    actor,
                    why,
                    before,
                    before_sha,
                    after_sha,
                    config.run_number(),
                    *cause,
                ),
            )
            if event:
                audit.record(self.db, event, path, actor, **({"why": why} if why else {}), **data)
            assert self._changes is not None
            on_disk = self._changes[path][0] if path in self._changes else before_sha
            self._changes[path] = (on_disk, text)

    # history

    def history(self, path: str) -> list[Revision]:
        """Return the revisions of a file up to now(), newest first, without those of writes that a crash prevented."""
        rows = [
            Revision._make(row)
            for row in self.db.execute(
                f"SELECT {', '.join(Revision._fields)} FROM revisions WHERE path = ? AND time <= ? ORDER BY id DESC",
                (path, clock.utc_stamp(clock.now())),
            )
        ]
        current = self.read(path)
        following = text_digest(current) if current is not None else None
        kept = []
        for row in rows:
            prevented = following == row.before_sha and following != row.after_sha
            if not prevented:
                kept.append(row)
            following = row.before_sha
        return kept

    def find_undoable(self, path: str) -> Revision:
        """Return the change that undo() would take back; raises what undo() raises."""
        newest = _find_not_undone(self.history(path))
        if newest is None:
            raise NotFound("{path}: nothing to undo", path=path)
        current = self.read(path)
        if (text_digest(current) if current is not None else None) != newest.after_sha:
            raise Refused("{path} was edited by hand after ia wrote it; see `ia memory history`", path=path)
        self.refuse_later(path)
        return newest

    def undo(self, path: str, *, actor: str = "user") -> Revision:
        """Put back the content before the newest change of a file, as a new revision; return what was undone.

        raises  NotFound where there is nothing to undo; Refused where the file was edited by hand since.
        """
        with self.lock():
            newest = self.find_undoable(path)
            why, cause = f"undo of revision {newest.id}", WriteCause(undoes=newest.id)
            if newest.before is None:
                self.remove(path, actor=actor, why=why, event="workspace.undo", cause=cause)
            else:
                self.write(path, newest.before, actor=actor, why=why, event="workspace.undo", cause=cause)
            return newest


def _find_not_undone(revisions: list[Revision]) -> Revision | None:
    """Return the newest revision that is neither an undo nor undone already."""
    undone: set[int] = set()
    for revision in revisions:
        if revision.undoes is not None:
            undone.add(revision.undoes)
        elif revision.id not in undone:
            return revision
    return None


def walk_files(root: str, folder: str, suffixes: tuple[str, ...] = TEXT) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield (path relative to root, entry) of the files below root/folder. Hidden names and links are passed over."""
    stack = [folder]
    while stack:
        inside = stack.pop()
        with contextlib.suppress(OSError), os.scandir(os.path.join(root, inside)) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not is_text_name(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    stack.append(f"{inside}/{entry.name}")
                elif entry.name.endswith(suffixes) and entry.is_file(follow_symlinks=False):
                    yield f"{inside}/{entry.name}", entry


def is_text_name(name: str) -> bool:
    """Whether a file's name is text at all: one that is not UTF-8 could be neither shown nor asked for."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def to_local(moment: datetime) -> datetime:
    """Return a moment as people read it: with `--now` in the offset of that, else in the user's zone."""
    return moment.astimezone(clock.now().tzinfo) if clock.is_simulated() else moment.astimezone()


def headline(text: str, width: int = 120) -> str:
    """Return the one line that stands for a text: its first heading and first sentence, without Markdown's marks.

    What is dated entry by entry (`## 2024-03-15 14:30`, `[14:30] …`) is told by its last entry: that is what is new.
    """
    front = find_block(text[:8000])
    lines = _without_comments(text[front.body if front and front.body else 0 : 8000])
    telling = [line for line in lines if any(c.isalnum() for c in line)]
    titled = bool(telling) and telling[0].startswith("#")
    first = [line for line in telling[1:] if not line.startswith("#")] or telling[1:] if titled else telling
    said = [*(telling[:1] if titled else []), _last_entry(_without_comments(text[-8000:])) or "".join(first[:1])]
    whole = ": ".join(filter(None, map(_strip_markup, said)))
    return whole if len(whole) <= width else whole[: width - 1] + "…"


def _last_entry(lines: list[str]) -> str:
    """Return the last dated entry of a log in one line; "" where there is none."""
    for at in range(len(lines) - 1, -1, -1):
        if _ENTRY.match(lines[at]):
            return " ".join(map(_strip_markup, lines[at + lines[at].startswith("#") :])).strip()
    return ""


def _without_comments(text: str) -> list[str]:
    """Return the lines of a text without those that are an HTML comment: data that no reader sees."""
    return [line for line in text.splitlines() if not _COMMENT.match(line)]


def _strip_markup(line: str) -> str:
    return " ".join(_MARKS.sub("", _BOLD.sub(r"\1", line), count=1).split())


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in hex."""
    return sha256(text.encode()).hexdigest()
