"""How a tool writes: it acts, it proposes, or it keeps what may be spoilt as untrusted, as the gate says.

An organ's own function makes the text in all three cases. Where it must not reach the files, it works on a Draft: a
workspace that keeps in memory what would be written.
"""

import contextlib
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from typing import NotRequired, TypedDict

from ia.agent.tools import gate
from ia.agent.tools.scope import Scope
from ia.kernel import proposals, untrusted
from ia.kernel.errors import Refused
from ia.kernel.proposals import Proposal
from ia.kernel.workspace import LOCK_TIMEOUT, Workspace

MAX_PENDING = 20
"""Undecided proposals that one turn or session may leave: a person must be able to read them."""
MAX_SHOWN = 15_500
"""Characters of an untrusted text that are shown: fence and all below what the router cuts off."""
Organ = Callable[[Workspace], list[str] | str]
"""Writes into the workspace that it is given, and returns the paths."""


class UntrustedDraft(Workspace):
    """A workspace whose writes stay in memory: `texts` is what would stand in the files."""

    def __init__(self, ws: Workspace) -> None:
        super().__init__(ws.root)
        self._real = ws
        self.texts: dict[str, str] = {}

    @property
    def db(self) -> sqlite3.Connection:
        """ia.db of the workspace itself, which also closes it."""
        return self._real.db

    @contextlib.contextmanager
    def lock(self, timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
        """Hold the lock of the workspace itself."""
        with self._real.lock(timeout):
            yield

    together = lock
    """Nothing reaches the disk: there is nothing to keep together."""

    def read(self, path: str) -> str | None:
        """Return what was drafted, else what stands there."""
        return self.texts[path] if path in self.texts else super().read(path)

    def write(self, path: str, text: str, **_: object) -> bool:
        """Keep a text; the path is checked as for a real write."""
        self.resolve(path)
        self.texts[path] = text
        return True


def area_of(path: str) -> str:
    """Return the area of the gate that a path of the workspace belongs to, however it is spelled."""
    folded = unicodedata.normalize("NFKC", path).casefold()
    name = folded.removeprefix("notebook/notes/")
    if name != folded and (name.split(".")[0] == "playbook" or name.startswith("position_")):
        return "playbook"
    if folded.startswith("notebook/"):
        return "notebook"
    return folded.removeprefix("memory/").split("/")[0].removesuffix(".md")


class WriteResult(TypedDict):
    """What a model is told of a write. `status`: written, untrusted or proposed; `path`: the file that it is about."""

    path: str
    status: str
    proposal: NotRequired[int]
    hint: NotRequired[str]


def write_or_propose(scope: Scope, area: str, organ: Organ, *, kind: str = "memory", because: str = "") -> WriteResult:
    """Write through an organ's function, or propose what it would write, and return what the model is told.

    The last path that the function returns is the one that the call is about.
    raises  Refused (the gate).
    """
    with scope.ws.lock():
        if gate.choose_write_mode(scope, area) == gate.PROPOSE:
            draft = UntrustedDraft(scope.ws)
            path = _as_path_list(organ(draft))[-1]
            return propose_content(scope, kind, path, draft.texts[path], because)
        if scope.tainted and scope.actor != "user":
            draft = UntrustedDraft(scope.ws)
            path = _as_path_list(organ(draft))[-1]
            return write_untrusted(scope, path, draft.texts[path], because)
        paths = _as_path_list(organ(scope.ws))
    scope.record_written(*reversed(paths))
    return {"path": paths[-1], "status": "written"}


def write_untrusted(scope: Scope, path: str, text: str, because: str = "") -> WriteResult:
    """Keep what was written after reading text from outside, and propose to trust it.

    The text goes to a new file, marked and without links.

    Raises:
        Refused: the file is trusted, or its name could say something itself.
    """
    ws = scope.ws
    _require_plain_name(scope, path)
    with ws.unit_of_work():
        before = ws.read(path)
        known = untrusted.origin_of(before) if before is not None else None
        if before is not None and known is None:
            raise Refused(
                "{path} is trusted and stays unchanged after reading text from outside ({origins})",
                code="note-trusted",
                path=path,
                origins=", ".join(scope.origins),
                beside=free_untrusted_path(ws, path),
                hint="write to a new path, such as {beside}",
            )
        text = untrusted.sanitize_text(text, [*(known.split(", ") if known else ()), *scope.origins])
        waiting = [p for p in proposals.pending_proposals(ws) if p.kind == "trust" and p.path == path]
        if not waiting:
            require_proposal_room(scope)
        ws.write(path, text, actor=scope.actor, why=because, event="note.untrusted", origins=list(scope.origins))
        number = (
            waiting[0].id if waiting else _make_proposal(scope, "trust", path, proposals.trust_text(text), because).id
        )
    scope.record_written(path)
    if number not in scope.pending:
        scope.pending.append(number)
    hint = f"untrusted until the user accepts it: ia approve {number}"
    return {"path": path, "status": "untrusted", "proposal": number, "hint": hint}


def free_untrusted_path(ws: Workspace, path: str) -> str:
    """Return the first path beside a file that is free or untrusted: NAME-untrusted.md, NAME-untrusted-2.md."""
    stem, dot, ending = path.rpartition(".")
    for number in range(1, 100):
        name = f"{stem}-untrusted{'' if number == 1 else f'-{number}'}{dot}{ending}"
        before = ws.read(name)
        if before is None or untrusted.origin_of(before) is not None:
            break
    return name


def propose_content(scope: Scope, kind: str, path: str, text: str, because: str = "") -> WriteResult:
    """Propose a new content of a file, and return what the model is told. The same is not proposed twice.

    raises  Refused where the turn or the session has proposed enough; BadData where it would change nothing.
    """
    proposal = _make_proposal(scope, kind, path, text, because)
    if proposal.id not in scope.pending:
        scope.pending.append(proposal.id)
    return describe_proposal(proposal.id, path)


def describe_proposal(number: int, path: str, *, known: bool = False) -> WriteResult:
    """Return what a model is told of a proposal that the user has to decide on.

    known   it was proposed before
    """
    hint = f"waits already: ia approve {number}" if known else f"waits for the user's approval: ia approve {number}"
    return {"proposal": number, "path": path, "status": "proposed", "hint": hint}


def _make_proposal(scope: Scope, kind: str, path: str, text: str, because: str) -> Proposal:
    if scope.tainted:
        because = f"[untrusted: {', '.join(scope.origins)}] {untrusted.fold_text(because)}"
    with scope.ws.lock():
        known = proposals.find_same_pending(scope.ws, kind, path, text)
        if known is not None:
            return proposals.get_proposal(scope.ws, known)
        require_proposal_room(scope)
        return proposals.propose(
            scope.ws,
            kind,
            path,
            text,
            because=" ".join(because.split())[:600],
            origin=gate.proposal_origin(scope),
            actor=scope.actor,
        )


def require_proposal_room(scope: Scope) -> None:
    """Raise Refused where this turn, this session, or a caller without either has left enough for a person to read."""
    if scope.actor == "user":
        return
    count = sum(_is_from_caller(scope, waiting) for waiting in proposals.pending_proposals(scope.ws))
    if count >= MAX_PENDING:
        raise Refused(
            "{count} proposals are already pending",
            code="too-many-proposals",
            count=count,
            hint="wait until the user has decided on them: `ia pending`",
        )


def _is_from_caller(scope: Scope, proposal: Proposal) -> bool:
    """Return True for a proposal of this turn or session; for callers with neither, for one of the same actor."""
    if scope.connection or not (scope.turn or scope.session):
        return proposal.actor == scope.actor
    made = proposal.origin
    return (scope.turn != "" and made.turn == scope.turn) or (scope.session != "" and made.session == scope.session)


def clean_text(scope: Scope, text: str) -> str:
    """Return a text as it may be stored: folded once text from outside was read, so that a person sees all of it."""
    return untrusted.fold_text(text) if scope.tainted else text


MAX_MADE_UP = 24
"""Latin letters (others count three) of a name that neither the user said nor a security or a shelf is called."""
_SHELVES = frozenset(
    {
        "notebook",
        "memory",
        "observations",
        "research",
        "reports",
        "scratch",
        "daily",
        "weekly",
        "monthly",
        "notes",
        "note",
        "untrusted",
        "md",
        "txt",
        "markdown",
    }
)


def _require_plain_name(scope: Scope, path: str) -> None:
    """Names are listed to later turns as they are: one that was made up after reading outside text stays a name.

    raises  Refused.
    """
    parts = path.split("/")
    if (
        len(parts) > 6
        or untrusted.fold_text(path) != path
        or not all(re.fullmatch(r"[\w.-]{1,60}", part) for part in parts)
        or _count_made_up(scope, path) > MAX_MADE_UP
    ):
        raise Refused(
            "{path!r}: after reading text from outside, use a short name of letters, digits, - and _",
            code="outside-text",
            path=path[:80],
            hint="write to another path, such as notebook/research/TOPIC/DATE.md",
        )


def _count_made_up(scope: Scope, path: str) -> int:
    """Return how much of a name somebody made up, so that it could say something."""
    from ia.wiring.security_mentions import identify_security

    asked, count = scope.asked.casefold(), 0
    for word in re.findall(r"[^\W\d_]+", path.casefold()):
        if word not in _SHELVES and word not in asked and not identify_security(word)[1]:
            count += sum(1 if letter < "\u0250" else 3 for letter in word)
    return count


def fence_if_untrusted(scope: Scope, text: str) -> str:
    """Return a file's text as a model may see it. An untrusted one taints the scope, and is fenced."""
    origin = untrusted.origin_of(text)
    if origin is None:
        return text
    scope.taint(origin)
    return untrusted.fence_text(untrusted.remove_mark(text), origin, MAX_SHOWN)


def fence_passage(scope: Scope, path: str, text: str) -> str:
    """Return a part of a file as a model may see it: fenced and tainting where the file is untrusted or unreadable."""
    from ia.kernel.errors import IaError

    try:
        whole = scope.ws.read(path)
        origin = untrusted.UNKNOWN if whole is None else untrusted.origin_of(whole)
    except IaError:
        origin = untrusted.UNKNOWN
    if origin is None:
        return text
    scope.taint(origin)
    return untrusted.fence_text(text, origin)


def _as_path_list(found: list[str] | str) -> list[str]:
    return [found] if isinstance(found, str) else found
