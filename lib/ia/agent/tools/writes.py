"""How a tool writes: it acts, it proposes, or it keeps what may be spoilt as untrusted, as the gate says.

An organ's own function makes the text in all three cases. Where it must not reach the files, it works on a Draft: a
workspace that keeps in memory what would be written.
"""

import contextlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from ia.agent.tools import gate
from ia.agent.tools.scope import Scope
from ia.kernel import outside, proposals
from ia.kernel.errors import Refused
from ia.kernel.proposals import Proposal
from ia.kernel.workspace import LOCK_TIMEOUT, Workspace

MAX_PENDING = 20
"""Undecided proposals that one turn or session may leave: a person must be able to read them."""
MAX_SHOWN = 15_500
"""Characters of an untrusted text that are shown: fence and all below what the router cuts off."""

Organ = Callable[[Workspace], list[str] | str]
"""Writes into the workspace that it is given, and returns the paths."""


class Draft(Workspace):
    """A workspace whose writes stay in memory: `texts` is what would stand in the files."""

    def __init__(self, ws: Workspace) -> None:
        super().__init__(ws.root)
        self._db = ws.db
        self._real = ws
        self.texts: dict[str, str] = {}

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

    def write(self, path: str, text: str, **_: Any) -> bool:
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


def written(scope: Scope, area: str, organ: Organ, *, kind: str = "memory", because: str = "") -> dict[str, Any]:
    """Write through an organ's function, or propose what it would write, and return what the model is told.

    The last path that the function returns is the one that the call is about.
    raises  Refused (the gate).
    """
    with scope.ws.lock():
        if gate.way(scope, area) == gate.PROPOSE:
            draft = Draft(scope.ws)
            path = _paths(organ(draft))[-1]
            return proposed(scope, kind, path, draft.texts[path], because)
        if scope.tainted and scope.actor != "user":
            draft = Draft(scope.ws)
            path = _paths(organ(draft))[-1]
            return untrusted(scope, path, draft.texts[path], because)
        paths = _paths(organ(scope.ws))
    scope.wrote(*reversed(paths))
    return {"path": paths[-1], "status": "written"}


def untrusted(scope: Scope, path: str, text: str, because: str = "") -> dict[str, Any]:
    """Keep what was written after reading text from outside: in a new file, marked and without links, with the proposal
    to trust it.

    raises  Refused for a file that is trusted, and for a name that could say something itself.
    """
    ws = scope.ws
    _plain_name(scope, path)
    with ws.together():
        before = ws.read(path)
        known = outside.origin_of(before) if before is not None else None
        if before is not None and known is None:
            raise Refused(
                "{path} is trusted, and text from outside ({origins}) was read: it stays as it is",
                code="note-trusted", path=path, origins=", ".join(scope.origins), beside=beside(ws, path),
                hint="write to a new path, such as {beside}",
            )  # fmt: skip
        text = outside.untrusted(text, [*(known.split(", ") if known else ()), *scope.origins])
        waiting = [p for p in proposals.pending(ws) if p.kind == "trust" and p.path == path]
        if not waiting:
            room(scope)
        ws.write(path, text, actor=scope.actor, why=because, event="note.untrusted", origins=list(scope.origins))
        number = waiting[0].id if waiting else _proposal(scope, "trust", path, proposals.trusted(text), because).id
    scope.wrote(path)
    if number not in scope.pending:
        scope.pending.append(number)
    hint = f"untrusted until the user accepts it: ia approve {number}"
    return {"path": path, "status": "untrusted", "proposal": number, "hint": hint}


def beside(ws: Workspace, path: str) -> str:
    """Return the first path beside a file that is free or untrusted: NAME-untrusted.md, NAME-untrusted-2.md …"""
    stem, dot, ending = path.rpartition(".")
    for number in range(1, 100):
        name = f"{stem}-untrusted{'' if number == 1 else f'-{number}'}{dot}{ending}"
        before = ws.read(name)
        if before is None or outside.origin_of(before) is not None:
            break
    return name


def proposed(scope: Scope, kind: str, path: str, text: str, because: str = "") -> dict[str, Any]:
    """Propose a new content of a file, and return what the model is told. The same is not proposed twice.

    raises  Refused where the turn or the session has proposed enough; BadData where it would change nothing.
    """
    proposal = _proposal(scope, kind, path, text, because)
    if proposal.id not in scope.pending:
        scope.pending.append(proposal.id)
    return describe_proposal(proposal.id, path)


def describe_proposal(number: int, path: str, *, known: bool = False) -> dict[str, Any]:
    """Return what a model is told of a proposal that the user has to decide on.

    known   it was proposed before
    """
    hint = f"waits already: ia approve {number}" if known else f"waits for the user's approval: ia approve {number}"
    return {"proposal": number, "path": path, "status": "proposed", "hint": hint}


def _proposal(scope: Scope, kind: str, path: str, text: str, because: str) -> Proposal:
    if scope.tainted:
        because = f"[untrusted: {', '.join(scope.origins)}] {outside.folded(because)}"
    with scope.ws.lock():
        known = proposals.same_pending(scope.ws, kind, path, text)
        if known is not None:
            return proposals.get(scope.ws, known)
        room(scope)
        return proposals.propose(
            scope.ws, kind, path, text, because=" ".join(because.split())[:600],
            origin=gate.origin(scope), actor=scope.actor,
        )  # fmt: skip


def room(scope: Scope) -> None:
    """Raise Refused where this turn, this session, or a caller without either has left enough for a person to read."""
    if scope.actor == "user":
        return
    ours = [f"turn {scope.turn}"] if scope.turn and not scope.connection else []
    ours += [f"session {scope.session}"] if scope.session and not scope.connection else []
    count = sum(
        bool(set(ours) & set(waiting.origin.split("; "))) if ours else waiting.actor == scope.actor
        for waiting in proposals.pending(scope.ws)
    )
    if count >= MAX_PENDING:
        raise Refused(
            "{count} proposals wait for the user already", code="too-many-proposals", count=count,
            hint="propose nothing more before the user has decided: `ia pending`",
        )  # fmt: skip


def clean(scope: Scope, text: str) -> str:
    """Return a text as it may be stored: folded once text from outside was read, so that a person sees all of it."""
    return outside.folded(text) if scope.tainted else text


MAX_MADE_UP = 24
"""Latin letters (others count three) of a name that neither the user said nor a security or a shelf is called."""
_SHELVES = frozenset({
    "notebook", "memory", "observations", "research", "reports", "scratch", "daily", "weekly", "monthly", "notes",
    "note", "untrusted", "md", "txt", "markdown",
})  # fmt: skip


def _plain_name(scope: Scope, path: str) -> None:
    """Names are listed to later turns as they are: one that was made up after reading outside text stays a name.

    raises  Refused.
    """
    parts = path.split("/")
    if (
        len(parts) > 6
        or outside.folded(path) != path
        or not all(re.fullmatch(r"[\w.-]{1,60}", part) for part in parts)
        or _made_up(scope, path) > MAX_MADE_UP
    ):
        raise Refused(
            "{path!r}: after text from outside was read, names are short and made of letters, digits, - and _",
            code="outside-text", path=path[:80], hint="write to another path, such as notebook/research/TOPIC/DATE.md",
        )  # fmt: skip


def _made_up(scope: Scope, path: str) -> int:
    """Return how much of a name somebody made up, so that it could say something."""
    from ia.wiring.mentions import identify_security

    asked, count = scope.asked.casefold(), 0
    for word in re.findall(r"[^\W\d_]+", path.casefold()):
        if word not in _SHELVES and word not in asked and len(identify_security(word)) < 3:
            count += sum(1 if letter < "\u0250" else 3 for letter in word)
    return count


def readable(scope: Scope, text: str) -> str:
    """Return a file's text as a model may see it. An untrusted one taints the scope, and is fenced."""
    origin = outside.origin_of(text)
    if origin is None:
        return text
    scope.taint(origin)
    return outside.fenced(outside.accepted(text), origin, MAX_SHOWN)


def passage(scope: Scope, path: str, text: str) -> str:
    """Return a part of a file as a model may see it: fenced and tainting where the file is untrusted or unreadable."""
    from ia.kernel.errors import IaError

    try:
        whole = scope.ws.read(path)
        origin = outside.UNKNOWN if whole is None else outside.origin_of(whole)
    except IaError:
        origin = outside.UNKNOWN
    if origin is None:
        return text
    scope.taint(origin)
    return outside.fenced(text, origin)


def _paths(found: list[str] | str) -> list[str]:
    return [found] if isinstance(found, str) else found
