"""Proposals: changes that wait for a person. The soul and the preferences change in no other way.

`propose` is for everybody, `approve` and `reject` are a person's: only the command line calls them, after it has asked
at a terminal or was given --yes. They must never be registered as a tool, and they take no default for who decides.

A proposal is about one file, or about a folder that is installed whole (a skill, a provider): its `before` and `after`
are then JSON objects of path and text. That a file is to be trusted (kind `trust`) holds for the file as it is when it
is accepted. A call of a tool that acts outside of ia (kind `call`) is made by whoever approves it; a trade (kind
`trade`) is journaled by ia.wiring.approvals, and what stands at an address (kind `fetch`) is fetched only then.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from ia.kernel import audit, clock, config, links, store, untrusted
from ia.kernel.errors import BadData, Message, NotFound, Refused
from ia.kernel.workspace import Workspace, WriteCause, walk_files

PENDING, APPROVED, REJECTED = "pending", "approved", "rejected"
TRUST = "trust"
CALL = "call"
"""A call of a tool that acts outside of ia: `path` is the tool, `after` its arguments as JSON."""
TRADE = "trade"
"""A trade to be journalled: `path` is the security, `after` the order as JSON. Approving it journals it, no more."""
FETCH = "fetch"
"""A skill that a model would fetch: `path` is the address, `after` its source and name as JSON. Whoever approves it has
it fetched; what came is a proposal of its own."""
NO_FILE = (CALL, TRADE, FETCH)
"""Kinds of proposals behind which there is no file."""
FOLDERS = {"skill": ".claude/skills", "provider": ".claude/providers"}
"""Kinds of proposals that are about a folder, and where that folder may be."""


class ProposalOrigin(NamedTuple):
    """Where a proposal comes from; "" where it has none of this.

    source   address or folder of a package; profile: name of the profile whose text it is
    turn     id of the turn that made it; session: name of its session
    origins  where the text from outside came from that its author had read
    """

    source: str = ""
    profile: str = ""
    turn: str = ""
    session: str = ""
    origins: tuple[str, ...] = ()

    def describe(self) -> list[Message]:
        """Return what a person is told of it, part by part."""
        told = (
            Message("from {source}", source=self.source),
            Message("profile {name}", name=self.profile),
            Message("turn {turn}", turn=self.turn),
            Message("session {session}", session=self.session),
            Message("untrusted: {origins}", origins=", ".join(self.origins)),
        )
        return [message for message, value in zip(told, self, strict=True) if value]


BY_USER = ProposalOrigin()
"""The origin of what a person proposes at a terminal."""


class Proposal(NamedTuple):
    """A change to a file or folder: what it was made from (`before`, None: nothing was there), and what is to be. UTC.

    kind    soul, preferences, trust, skill, provider and so on
    run     number of the run of a task that made it
    """

    id: int
    time: str
    kind: str
    path: str
    before: str | None
    after: str
    because: str
    actor: str
    state: str
    decided: str | None
    decided_by: str | None
    run: int | None
    origin: ProposalOrigin

    def describe_origin(self) -> list[Message]:
        """Return what a person is told of where it comes from, part by part."""
        run = [] if self.run is None else [Message("run {number}", number=self.run)]
        return [*run, *self.origin.describe()]


_COLUMNS = (*Proposal._fields[:-1], *ProposalOrigin._fields)
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM proposals"


def _parse_row(row: Sequence[Any]) -> Proposal:
    split = len(Proposal._fields) - 1
    own, (*origin, origins) = row[:split], row[split:]
    try:
        read = tuple(untrusted.clean_origin(str(name)) for name in json.loads(origins))
    except (ValueError, TypeError):
        read = (untrusted.UNKNOWN,)
    return Proposal._make([*own, ProposalOrigin._make([*origin, read])])


def propose(
    ws: Workspace,
    kind: str,
    path: str,
    after: str,
    *,
    because: str = "",
    origin: ProposalOrigin = BY_USER,
    actor: str = "user",
) -> Proposal:
    """Record a change of a file that a person is to decide on. Nothing else happens to the file.

    kind    what it is about: soul, preferences
    raises  BadData where it would change nothing.
    """
    if kind in FOLDERS:
        raise BadData("{path} is a folder", path=path)
    with ws.lock():
        return _insert_proposal(
            ws, kind, path, None if kind in NO_FILE else ws.read(path), after, because, origin, actor
        )


def propose_folder(
    ws: Workspace,
    kind: str,
    folder: str,
    files: dict[str, str],
    *,
    because: str = "",
    origin: ProposalOrigin = BY_USER,
    actor: str = "user",
) -> Proposal:
    """Record that a folder is to hold these files (path in it: text) and none of the others that it holds now.

    raises  BadData where it would change nothing; Refused for a path that leaves the folder, or a folder elsewhere.
    """
    if folder.rpartition("/")[0] != FOLDERS[kind]:
        raise Refused("{path!r}: give a path inside {below}/", path=folder, below=FOLDERS[kind])
    ws.resolve(folder)
    for file in files:
        ws.resolve(file, below=folder)
    with ws.lock():
        present = folder_files(ws, folder)
        before = _folder_text(present) if present else None
        return _insert_proposal(ws, kind, folder, before, _folder_text(files), because, origin, actor)


def _insert_proposal(
    ws: Workspace,
    kind: str,
    path: str,
    before: str | None,
    after: str,
    because: str,
    origin: ProposalOrigin,
    actor: str,
) -> Proposal:
    if before == after:
        raise BadData("{path}: the proposal has no changes", path=path)
    with store.transaction(ws.db):
        cursor = ws.db.execute(
            "INSERT INTO proposals (time, kind, path, before, after, because, actor, state, run,"
            " source, profile, turn, session, origins) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                clock.utc_stamp(clock.now()),
                kind,
                path,
                before,
                after,
                because,
                actor,
                PENDING,
                config.run_number(),
                *origin[:-1],
                json.dumps([*map(untrusted.clean_origin, origin.origins)], ensure_ascii=False),
            ),
        )
        number = cursor.lastrowid or 0
        audit.record(ws.db, "proposal.made", path, actor, proposal=number, change=kind, because=because)
    return get_proposal(ws, number)


def find_same_pending(ws: Workspace, kind: str, path: str, after: str | dict[str, str]) -> int | None:
    """Return the number of an undecided proposal of the same content (a text, or the files of a folder), or None."""
    wanted = after if isinstance(after, str) else _folder_text(after)
    found = (p.id for p in pending_proposals(ws) if (p.kind, p.path, p.after) == (kind, path, wanted))
    return next(found, None)


def folder_files(ws: Workspace, folder: str) -> dict[str, str]:
    """Return the text files of a folder: path in it to text. Hidden ones, links and what is no text are left out."""
    found = {}
    for path, _ in walk_files(ws.root, folder, ("",)):
        try:
            text = ws.read(path)
        except BadData:
            continue
        if text is not None:
            found[path.removeprefix(folder + "/")] = text
    return found


def files_of(text: str | None) -> dict[str, str]:
    """Return the files that `before` or `after` of a folder's proposal holds."""
    return dict(json.loads(text)) if text else {}


def _folder_text(files: dict[str, str]) -> str:
    return json.dumps(files, ensure_ascii=False, sort_keys=True)


def pending_proposals(ws: Workspace) -> list[Proposal]:
    """Return the undecided proposals as of now(), oldest first."""
    rows = ws.db.execute(
        f"{_SELECT} WHERE time <= :now AND (state = :state OR decided > :now) ORDER BY id",
        {"now": clock.utc_stamp(clock.now()), "state": PENDING},
    )
    return [_parse_row(row) for row in rows]


def get_proposal(ws: Workspace, number: int) -> Proposal:
    """Return one proposal.

    raises  NotFound.
    """
    row = ws.db.execute(f"{_SELECT} WHERE id = ? AND time <= ?", (number, clock.utc_stamp(clock.now()))).fetchone()
    if row is None:
        raise NotFound("proposal {number} does not exist", number=number, hint="`ia pending` lists them")
    return _parse_row(row)


def compute_outcome(ws: Workspace, proposal: Proposal) -> tuple[str, str]:
    """Return (what is there, what would be there). Where a file changed since, the change is carried over to it.

    raises  Refused where both changed the same lines, or a file of a folder; NotFound for a file that is gone and was
            to be trusted.
    """
    if proposal.kind in FOLDERS:
        return _compute_folder_outcome(ws, proposal)
    if proposal.kind in NO_FILE:
        return "", proposal.after
    current = ws.read(proposal.path)
    if proposal.kind == TRUST:
        if current is None:
            raise NotFound(
                "{path}: no such file",
                path=proposal.path,
                number=proposal.id,
                hint="reject it with `ia reject {number}`",
            )
        return current, trust_text(current)
    if current == proposal.before:
        return current or "", proposal.after
    merged = merge_changes(proposal.before or "", proposal.after, current or "")
    if merged is None:
        raise _outdated_error(proposal, proposal.path)
    return current or "", merged


def trust_text(text: str) -> str:
    """Return a file's text as it is once a person trusts it: without the mark, with the links that were broken."""
    return links.restore_links(untrusted.remove_mark(text)) if untrusted.origin_of(text) is not None else text


def _compute_folder_outcome(ws: Workspace, proposal: Proposal) -> tuple[str, str]:
    """Return the files that are there and those that would be. What was put beside them since stays.

    What an interrupted approval wrote already is as it is to be, and no reason to refuse.
    """
    current = folder_files(ws, proposal.path)
    base, wanted = files_of(proposal.before), files_of(proposal.after)
    for file in sorted({*base, *wanted}):
        if current.get(file) not in (base.get(file), wanted.get(file)):
            raise _outdated_error(proposal, f"{proposal.path}/{file}")
    own = {file: text for file, text in current.items() if file not in base and file not in wanted}
    return _folder_text(current), _folder_text({**own, **wanted})


def _outdated_error(proposal: Proposal, path: str) -> Refused:
    return Refused(
        "proposal {number} is out of date: {path} has changed since then",
        number=proposal.id,
        path=path,
        hint="reject it with `ia reject {number}`, then propose the change again",
    )


def approve(ws: Workspace, number: int, *, by: str) -> Proposal:
    """Carry out a proposal. A person's act: no tool that a model can call may reach it.

    by      who decided, and how: `user at a terminal`, `user with --yes`.
    raises  NotFound; Refused where it is decided already, or out of date.
    """
    with ws.unit_of_work():
        proposal = get_undecided(ws, number)
        before, after = compute_outcome(ws, proposal)
        if proposal.kind in FOLDERS:
            present, wanted = files_of(before), files_of(after)
            for file, text in sorted(wanted.items()):
                _write_outcome(ws, proposal, f"{proposal.path}/{file}", text)
            for file in sorted(present.keys() - wanted.keys()):
                ws.remove(
                    f"{proposal.path}/{file}",
                    actor=proposal.actor,
                    why=proposal.because,
                    event=f"{proposal.kind}.change",
                    proposal=number,
                )
        elif proposal.kind not in NO_FILE:
            _write_outcome(ws, proposal, proposal.path, after, profile=proposal.origin.profile)
        return _record_decision(ws, proposal, APPROVED, by, "")


def _write_outcome(ws: Workspace, proposal: Proposal, path: str, text: str, *, profile: str = "") -> None:
    """Write a file of a proposal. profile: whose text it is; not for a folder, in which a person's edits may stand."""
    ws.write(
        path,
        text,
        actor=proposal.actor,
        why=proposal.because,
        event=f"{proposal.kind}.change",
        cause=WriteCause(profile=profile or None),
        proposal=proposal.id,
    )


def reject(ws: Workspace, number: int, *, by: str, because: str = "") -> Proposal:
    """Drop a proposal. A person's act.

    raises  NotFound; Refused where it is decided already.
    """
    with ws.lock():
        return _record_decision(ws, get_undecided(ws, number), REJECTED, by, because)


def render_diff(before: str, after: str, path: str, kind: str = "") -> str:
    """Return a unified diff; of a folder (by its kind) one after the other, for each file that differs.

    A line ends with `\\n` and nothing else. Two texts that differ never look alike: whatever is not seen is spelled out
    (`outside.spelled_out`), and so is a last line without an end.
    """
    if kind in FOLDERS:
        old, new = files_of(before), files_of(after)
        return "".join(
            render_diff(old.get(file, ""), new.get(file, ""), f"{path}/{file}") or _diff_heading(f"{path}/{file}")
            for file in sorted({*old, *new})
            if old.get(file) != new.get(file)
        )
    from difflib import unified_diff

    if before == after:
        return ""
    told = list(unified_diff(_split_lines(before), _split_lines(after), lineterm="\n"))[2:]
    return _diff_heading(path) + "".join(
        line if line.startswith("@@") else line[0] + _spell_out_line(line[1:]) for line in told
    )


def _diff_heading(path: str) -> str:
    name = "⟦U+000A⟧".join(map(untrusted.spell_out, path.split("\n")))
    return f"--- a/{name}\n+++ b/{name}\n"


def _spell_out_line(line: str) -> str:
    end = "\n" if line.endswith("\n") else "\n\\ No newline at end of file\n"
    return untrusted.spell_out(line.removesuffix("\n")) + end


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text with their ends: they end with a line feed, whatever else some programs split at."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def invisible_changes(before: str, after: str, path: str, kind: str = "") -> list[str]:
    """Return the paths of the files that change only in what is not seen: blanks, line ends, characters that hide."""
    if kind in FOLDERS:
        old, new = files_of(before), files_of(after)
        return [
            file
            for name in sorted(old)
            if name in new
            for file in invisible_changes(old[name], new[name], f"{path}/{name}")
        ]
    bare = ["".join(untrusted.fold_text(text).split()) for text in (before, after)]
    return [path] if before != after and bare[0] == bare[1] else []


def merge_changes(base: str, after: str, current: str) -> str | None:
    """Return `current` with the lines changed that differ between base and after; None where both changed the same.

    Lines that both added at one place are kept, those of `current` first, and only once where they begin alike.
    """
    from difflib import SequenceMatcher

    old, new, now = map(_split_lines, (base, after, current))

    def changed_spans(to: list[str]) -> list[tuple[int, int, list[str]]]:
        """Return (from, to, lines): which lines of the base are replaced by what."""
        codes = SequenceMatcher(None, old, to, autojunk=False).get_opcodes()
        return [(a, b, to[x:y]) for kind, a, b, x, y in codes if kind != "equal"]

    merged = changed_spans(now)
    for a, b, lines in changed_spans(new):
        for c, d, theirs in list(merged):
            if a == b == c == d:
                same = 0
                while same < min(len(lines), len(theirs)) and lines[same] == theirs[same]:
                    same += 1
                lines = lines[same:]
            elif a <= d and c <= b:
                return None
        merged.append((a, b, lines))
    out: list[str] = []
    at = 0
    for a, b, lines in sorted(merged, key=lambda change: change[:2]):  # stable: the current file's lines come first
        out += old[at:a]
        if out and lines and not out[-1].endswith("\n"):
            out[-1] += "\n"
        out += lines
        at = b
    return "".join([*out, *old[at:]])


def get_undecided(ws: Workspace, number: int) -> Proposal:
    """Return a proposal that waits for a decision.

    raises  NotFound; Refused where it is decided already.
    """
    proposal = get_proposal(ws, number)
    if proposal.state != PENDING:
        raise Refused("proposal {number} is already decided: {state}", number=number, state=proposal.state)
    return proposal


def _record_decision(ws: Workspace, proposal: Proposal, state: str, by: str, because: str) -> Proposal:
    with store.transaction(ws.db):
        ws.db.execute(
            "UPDATE proposals SET state = ?, decided = ?, decided_by = ? WHERE id = ?",
            (state, clock.utc_stamp(clock.now()), by, proposal.id),
        )
        audit.record(ws.db, f"proposal.{state}", proposal.path, "user", proposal=proposal.id, by=by, because=because)
    return get_proposal(ws, proposal.id)
