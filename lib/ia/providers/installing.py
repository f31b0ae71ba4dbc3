"""Install a provider: read it from its source, and propose its folder. A person's approval writes the files."""

import contextlib
import os

from ia import proposals
from ia.errors import BadData, IaError, NotFound, Refused, UsageError
from ia.packages.sources import Entry, entries, refuse_hidden, shown
from ia.proposals import Proposal
from ia.providers.manifest import FILE, FOLDER, Manifest
from ia.providers.registry import find, manifest_of, tools
from ia.workspace import Workspace

MAX_FILES = 200
MAX_TOTAL = 2_000_000
"""Bytes of all files of a provider."""


def propose(
    ws: Workspace, source: str, name: str = "", *, because: str = "", origin: str = "", actor: str = "user"
) -> tuple[Proposal, Manifest]:
    """Propose to install a provider from a folder, a .zip or a git address. The same is not proposed twice.

    name    which one, where the source has several.
    raises  UsageError where it has several and none is named; BadData for a PROVIDER.md that is wrong, a tool's name
            that is taken, or what is installed as it is already; NotFound, Refused, Unavailable, TimedOut for a source
            that cannot be read.
    """
    manifest, files = read(source, name)
    _refuse_taken(ws, manifest)
    folder = f"{FOLDER}/{manifest.name}"
    waiting = proposals.same_pending(ws, "provider", folder, files)
    if waiting is not None:
        return proposals.get(ws, waiting), manifest
    made = proposals.propose_folder(
        ws, "provider", folder, files, because=" ".join(because.split())[:600],
        origin="; ".join(filter(None, (f"from {shown(source)}"[:300], origin))), actor=actor,
    )  # fmt: skip
    return made, manifest


def read(source: str, name: str = "") -> tuple[Manifest, dict[str, str]]:
    """Return a provider as a source has it: its manifest, and its files (path in its folder: text).

    raises  as propose().
    """
    with entries(source) as found:
        roots = sorted(
            entry.path.removesuffix(FILE) for entry in found if entry.path.rpartition("/")[2] == FILE and entry.plain
        )
        if not roots:
            raise NotFound("{source}: there is no PROVIDER.md in it", source=shown(source)[:200])
        base = os.path.basename(source.rstrip("/")).removesuffix(".git").removesuffix(".zip")
        root = _chosen({root.rstrip("/").rpartition("/")[2] or base: root for root in roots}, name)
        files = _texts([entry for entry in found if entry.path.startswith(root)], root)
    own = root.rstrip("/").rpartition("/")[2] or base
    return _manifest(files[FILE], own), files


def described(files: dict[str, str], name: str) -> Manifest | None:
    """Return the manifest that is among a folder's files; None where there is none that can be read."""
    try:
        return manifest_of(files.get(FILE, ""), name)
    except IaError:
        return None


def remove(ws: Workspace, name: str) -> list[str]:
    """Remove a provider's files and return their paths; each keeps a revision. A person's act.

    What is no text, hidden or a link stays, and its folder with it: ia did not bring it.
    raises  NotFound; Refused for a provider that is a link.
    """
    folder = f"{FOLDER}/{find(ws, name).name}"
    absolute = ws.resolve(folder)
    removed = []
    with ws.together():
        for file in sorted(proposals.folder_files(ws, folder)):
            ws.remove(f"{folder}/{file}", why="provider removed", event="provider.remove")
            removed.append(f"{folder}/{file}")
    for inside, _folders, _files in os.walk(absolute, topdown=False):
        with contextlib.suppress(OSError):  # not empty
            os.rmdir(inside)
    return removed


def _chosen(roots: dict[str, str], name: str) -> str:
    """Return the root of the provider that is meant.

    raises  UsageError, NotFound with the names that there are.
    """
    if len(roots) == 1 and name in ("", *roots):
        return next(iter(roots.values()))
    known = ", ".join(sorted(roots))[:1000]
    if not name:
        raise UsageError("there are several providers in it: {known}", known=known, hint="say which one: --name NAME")
    if name not in roots:
        raise NotFound("{name}: no such provider in it", name=name[:80], known=known, hint="there is {known}")
    return roots[name]


def _manifest(text: str, folder: str) -> Manifest:
    """Return what a PROVIDER.md says; where its folder has no such name, the name is the one that it gives itself."""
    from ia.providers.manifest import front

    own = front(text, FILE).get("name")
    return manifest_of(text, str(own) if own is not None else folder.lower().replace("_", "-"))


def _texts(found: list[Entry], root: str) -> dict[str, str]:
    """Return the files of one provider, by their path in its folder.

    raises  Refused for a link, too many files, too many bytes, or what is no text.
    """
    files: dict[str, str] = {}
    total = 0
    for entry in found:
        inside = entry.path.removeprefix(root)
        if any(part.startswith(".") or part == "__pycache__" for part in inside.split("/")):
            continue
        if not entry.plain:
            raise Refused("{path} is a link, or no regular file", path=entry.path[:200])
        raw = entry.read() if entry.size <= MAX_TOTAL else b""
        total += max(len(raw), entry.size)
        if total > MAX_TOTAL:
            raise Refused("the provider is larger than {limit} bytes", limit=MAX_TOTAL)
        if len(files) >= MAX_FILES:
            raise Refused("the provider has more than {limit} files", limit=MAX_FILES)
        try:
            files[inside] = raw.decode("utf-8-sig")
            if "\0" in files[inside]:
                raise ValueError
        except ValueError:
            raise Refused(
                "{path} is no text: what is installed here is text, so that it can be read first",
                path=entry.path[:200], hint="install the program by its own means, and name it in `command`",
            ) from None  # fmt: skip
        refuse_hidden(entry.path, files[inside])
    return files


def _refuse_taken(ws: Workspace, manifest: Manifest) -> None:
    taken = {tool.name.replace(".", "_"): tool.provider for tool in tools(ws)}
    for entry in manifest.entries if not manifest.server else ():
        other = taken.get(entry.name.replace(".", "_"), manifest.name)
        if other != manifest.name:
            raise BadData("{tool} is the name of a tool of provider {other}", tool=entry.name, other=other)
