"""Our block in the user's crontab, one for each workspace, between two marks that name it. All else is the user's.

The book of approved tasks says what the block is to hold; `sync` makes it so, `drift` tells what differs. Whatever
another program does to the block (an editor that writes back an older table), the next `sync` mends.
"""

import contextlib
import os
import re
import shlex
import time
from collections.abc import Iterator
from typing import NamedTuple

from ia.faculties.taskbook import approved_tasks
from ia.kernel import config, files
from ia.kernel.errors import ConfigError, Message, Notify, PluralText, TryLater, Unavailable, drop_message
from ia.kernel.workspace import Workspace
from ia.reach.tasks import alarm_file, crontab_file, crontab_lines
from ia.reach.tasks.crontab_file import read_crontab

__all__ = ["find_drift", "find_oddities", "mend_block", "read_crontab", "splice_block", "sync_block"]

_NOTE = b"# `ia task` writes these lines; what is changed here by hand is written anew"
_JOINED = b" (no line feed before)"
_MARK = re.compile(rb"# (>>>|<<<) ia: (/.*?) \1( \(no line feed before\))?[ \t\r]*")
_ZONE = re.compile(rb"""^[ \t]*["']?CRON_TZ["']?[ \t]*=""", re.MULTILINE)


class _Block(NamedTuple):
    """Where a workspace's block stands in the table: first byte, byte behind the last; whether we ended a line."""

    start: int
    end: int
    joined: bool


def splice_block(old: bytes, home: str, lines: list[str]) -> bytes:
    """Return a crontab with these lines as the block of a workspace, at its place or at the end; [] takes it out.

    No byte outside the block changes. Where the table ended in a comment without a line feed, the one before the block
    goes with it, unless something else stands behind it by then. A job without one gets it for good: cron would refuse
    it.

    raises  ConfigError where the block's marks are damaged.
    """
    found = _find_block(old, home)
    start, end = (found.start, found.end) if found else (len(old), len(old))
    head, tail = old[:start], old[end:]
    cut = not found and bool(head) and not head.endswith(b"\n")
    joined = (found.joined if found else cut) and _may_lack_line_feed(head.removesuffix(b"\n").rpartition(b"\n")[2])
    if not lines:
        return (head[:-1] if found and joined and not tail else head) + tail
    name, text = os.fsencode(home), b"".join(os.fsencode(line) + b"\n" for line in lines)
    begin = b"# >>> ia: %b >>>%b\n%b\n" % (name, _JOINED if joined else b"", _NOTE)
    return head + (b"\n" if cut else b"") + begin + text + b"# <<< ia: %b <<<\n" % name + tail


def _may_lack_line_feed(row: bytes) -> bool:
    """Return whether cron takes a last line without a line feed: a comment of the user's. Ours always get theirs."""
    return row.lstrip(b" \t").startswith(b"#") and _MARK.fullmatch(row) is None


def _find_marks(table: bytes) -> Iterator[tuple[int, int, bool, bytes, bool]]:
    """Yield our marks: first byte, byte behind, whether one begins a block, of which workspace, whether joined."""
    at = 0
    for row in table.split(b"\n"):
        if found := _MARK.fullmatch(row):
            yield at, min(at + len(row) + 1, len(table)), found[1] == b">>>", found[2], bool(found[3])
        at += len(row) + 1


def _find_block(table: bytes, home: str) -> _Block | None:
    """Return where the block of a workspace stands; raises ConfigError where its marks are damaged."""
    name, marks = os.fsencode(home), list(_find_marks(table))
    ours = [at for at, mark in enumerate(marks) if mark[3] == name]
    if not ours:
        return None
    if len(ours) == 2 and ours[1] == ours[0] + 1 and marks[ours[0]][2] and not marks[ours[1]][2]:
        first, last = marks[ours[0]], marks[ours[1]]
        return _Block(first[0], last[1], first[4])
    raise ConfigError(
        "the markers around ia's lines in the crontab are damaged ({home})",
        hint="repair them with `ia --home {quoted} doctor --mend`; other lines stay unchanged",
        home=home,
        quoted=shlex.quote(home),
    )


def remove_block(old: bytes, home: str) -> bytes:
    """Return a crontab without the block of a workspace, also where the block's marks are damaged.

    What goes: the marks of this workspace, its jobs, and the note that stands between them. What another program wrote
    into the same line as a mark stays, as a line of its own.
    """
    own = re.compile(rb"# (>>>|<<<) ia: %b \1( \(no line feed before\))?[ \t\r]*" % re.escape(os.fsencode(home)))
    kept: list[bytes] = []
    rows = old.split(b"\n")
    for at, row in enumerate(rows):
        begun = at > 0 and own.match(rows[at - 1])
        if found := own.search(row):
            kept += [part for part in (row[: found.start()], row[found.end() :]) if part]
        elif not _is_job(row, home) and not (row.rstrip() == _NOTE and (begun or _is_job(rows[at + 1 : at + 2], home))):
            kept.append(row)
    return b"\n".join(kept)


def _is_job(rows: bytes | list[bytes], home: str) -> bool:
    """Return whether a line is a wake-up of this workspace."""
    row = rows if isinstance(rows, bytes) else b"".join(rows)
    parts = crontab_lines.split_line(os.fsdecode(row)) if b" --home " in row else None
    return parts is not None and parts[2][:4] == ["--home", home, "task", "due"] and parts[2][-1] == "--log"


def mend_block(ws: Workspace, notify: Notify = drop_message) -> list[Message] | None:
    """Do as `sync`, also where the block's marks are damaged; return what was wrong, None where nothing was changed.

    raises  what `sync` raises, but for damaged marks.
    """
    wrong, changed = find_drift(ws), False
    deadline = time.monotonic() + crontab_file.PATIENCE
    with _hold_lock(deadline):
        while wrong and _has_stray_lines(old := read_crontab(), ws.root):
            if time.monotonic() > deadline:
                raise TryLater("another program keeps changing the crontab", hint="run `ia doctor --mend` later")
            _refuse_returns(old)
            crontab_file.replace_crontab(old, remove_block(old, ws.root), deadline)
            changed = True
    return wrong if sync_block(ws, notify) or changed else None


def _has_stray_lines(old: bytes, home: str) -> bool:
    """Return whether lines of ours stand outside a sound block."""
    try:
        found = _find_block(old, home)
    except ConfigError:
        return True
    rest = old if found is None else old[: found.start] + old[found.end :]
    return remove_block(rest, home) != rest


def require_sound(ws: Workspace) -> None:
    """Raise where the crontab could not take a change of ours, so that nothing else is changed either.

    raises  ConfigError for damaged marks, and for carriage returns: Debian's `crontab -l` shows them as two
            characters, and what is written back would have these.
    """
    try:
        old = read_crontab()
    except Unavailable:  # told once the book has changed: the approval stands
        return
    _find_block(old, ws.root)
    _refuse_returns(old)


def _refuse_returns(old: bytes) -> None:
    for number, row in enumerate(old.split(b"\n"), 1):
        if row.endswith(b"\\r"):
            raise ConfigError(
                "line {line} of the crontab ends in a carriage return, and ia would change it by rewriting the crontab",
                line=number,
                hint="remove it with `crontab -l | sed 's/\\\\r$//' | crontab -`",
            )


def sync_block(ws: Workspace, notify: Notify = drop_message) -> bool:
    """Make the workspace's block agree with the book of tasks; return whether the crontab was changed.

    What other programs write meanwhile is kept: see `ia.reach.tasks.crontab_file`. A crontab lives in the real time, so
    `--now` does not hold here.

    raises  Unavailable where there are tasks and no crontab program; ConfigError for damaged marks, a path that no
            crontab can hold, or where crontab refuses; TryLater where another program does not stop writing.
    """
    deadline = time.monotonic() + crontab_file.PATIENCE
    with _hold_lock(deadline):
        lines = _expected_lines(ws)
        try:
            changed = _write_block(ws.root, lines, deadline)
        except Unavailable:
            if lines:
                raise
            return False
        finally:
            alarm_file.update_alarm(ws)
    if changed and crontab_file.is_edited_by_hand():
        notify(Message("`crontab -e` is open; saving there removes these lines. Afterwards, run `ia doctor --mend`"))
    return changed


def _write_block(home: str, lines: list[str], deadline: float) -> bool:
    """Write the block until it stands, and return whether anything had to be written."""
    tries, first = 0, b""
    while True:
        old = read_crontab()
        new = splice_block(old, home, lines)
        if new == old:
            return tries > 0
        _refuse_returns(old)
        if tries and _has_unmarked_lines(old, home, lines):
            for _ in range(20):  # as it was found
                crontab_file.replace_crontab(old, first, deadline)
                old = read_crontab()
                if not _has_unmarked_lines(old, home, lines):
                    break
            raise ConfigError(
                "the crontab program removes comments, including the markers around ia's lines",
                hint="use another crontab program (IA_CRONTAB), or call `ia task due` every hour",
            )
        first = first if tries else old
        if time.monotonic() > deadline:
            raise TryLater("another program keeps changing the crontab", hint="run `ia doctor --mend` later")
        tries += 1
        crontab_file.replace_crontab(old, new, deadline)
        if tries > 1:  # somebody else is at it, and may be about to write what he read before
            time.sleep(0.05)


def _has_unmarked_lines(old: bytes, home: str, lines: list[str]) -> bool:
    """Whether our lines stand in a table, but not the marks around them."""
    return bool(lines) and _find_block(old, home) is None and set(map(os.fsencode, lines)) <= set(old.split(b"\n"))


def _expected_lines(ws: Workspace, program: list[str] | None = None) -> list[str]:
    """Return the lines that the book of tasks asks for, in the real time."""
    if not os.path.exists(os.path.join(ws.root, ".ia", "ia.db")):
        return []
    simulated = config.env("IA_NOW")
    try:
        if simulated:
            config.override_variable("IA_NOW", "")
        return crontab_lines.build_lines(ws.root, approved_tasks.crontab_entries(ws), program)
    finally:
        if simulated:
            config.override_variable("IA_NOW", simulated)


@contextlib.contextmanager
def _hold_lock(deadline: float) -> Iterator[None]:
    """Hold the one lock that all workspaces of this user share."""
    os.makedirs(config.user_state(), exist_ok=True)
    busy = TryLater("another ia process is writing the crontab", hint="try again in a moment")
    path = os.path.join(config.user_state(), "crontab.lock")
    with files.hold_lock(path, wait=deadline - time.monotonic(), busy=busy):
        yield


def find_drift(ws: Workspace) -> list[Message]:
    """Return what `sync` would mend: lines that are missing, changed or too many, a program that is gone.

    raises  Unavailable where there are tasks and no crontab program.
    """
    try:
        old = read_crontab()
    except Unavailable:
        if _expected_lines(ws):
            raise
        return []
    try:
        block = _find_block(old, ws.root)
    except ConfigError as exc:
        return [Message(exc.template, **exc.params)]
    rows = old[block.start : block.end].split(b"\n")[2:-2] if block else []
    present = [os.fsdecode(row) for row in rows]
    program = next((parts[1] for parts in map(crontab_lines.split_line, present) if parts), None)
    expected = _expected_lines(ws, program)
    found = []
    if program and (fault := _diagnose_program(program[0])):
        found.append(fault)
    if _has_stray_lines(old, ws.root):
        found.append(Message("the crontab contains lines of this workspace outside their markers"))
    if expected and block is None:
        found.append(Message("the crontab has no lines for this workspace, so no task will run"))
    elif missing := [line for line in expected if line not in present]:
        found.append(
            Message(
                PluralText(
                    "{count} of {all} lines is missing from the crontab",
                    "{count} of {all} lines are missing from the crontab",
                ),
                count=len(missing),
                all=len(expected),
            )
        )
    if extra := [line for line in present if line not in expected]:
        found.append(
            Message(
                PluralText(
                    "the crontab has {count} line that belongs to no task",
                    "the crontab has {count} lines that belong to no task",
                ),
                count=len(extra),
            )
        )
    return found


def _diagnose_program(program: str) -> Message | None:
    """Return why a program that the crontab names cannot start: it is gone, or the interpreter of its first line is."""
    if not os.access(program, os.X_OK) or not os.path.isfile(program):
        return Message("the crontab runs {program}, which does not exist", program=program)
    with contextlib.suppress(OSError), open(program, "rb") as file:
        first = file.readline(4096)
        words = first[2:].split() if first.startswith(b"#!") else []
        if words and not os.access(words[0], os.X_OK):
            return Message(
                "the crontab runs {program}, whose interpreter {interpreter} does not exist",
                program=program,
                interpreter=os.fsdecode(words[0]),
            )
    return None


def installed_command(ws: Workspace) -> list[str]:
    """Return the words with which the crontab starts ia for this workspace; none where it has no lines of it.

    raises  Unavailable where there is no crontab program.
    """
    rows = (crontab_lines.split_line(os.fsdecode(row)) for row in read_crontab().split(b"\n") if b" --home " in row)
    return next((parts[1] for parts in rows if parts and parts[2][:4] == ["--home", ws.root, "task", "due"]), [])


def list_workspaces() -> list[str]:
    """Return the workspaces of which the crontab has a block. Raises as program()."""
    return list(dict.fromkeys(os.fsdecode(mark[3]) for mark in _find_marks(read_crontab())))


def find_oddities(ws: Workspace) -> list[tuple[Message, Message]]:
    """Return what in the crontab is no error of ours to mend, each with what to do: blocks of gone workspaces, zones.

    raises  Unavailable where there is no crontab program.
    """
    old, found = read_crontab(), []
    for home in list_workspaces():
        if home != ws.root and not os.path.isdir(home):
            told = Message("the crontab has tasks of {home}, which does not exist", home=home)
            quoted = shlex.quote(home)
            found.append((told, Message("if you no longer need it, run `ia --home {home} doctor --mend`", home=quoted)))
    starts = [mark[0] for mark in _find_marks(old) if mark[3] == os.fsencode(ws.root)]
    if starts and _ZONE.search(old[: starts[0]]):
        told = Message("CRON_TZ is set above ia's lines; some cron versions apply that time zone to them")
        found.append(
            (told, Message("move it below ia's lines with `crontab -e`; until then, the hourly line runs missed tasks"))
        )
    return found
