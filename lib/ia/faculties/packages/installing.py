"""What skills and providers have in common: their texts are read from a source, proposed as a folder, and removed."""

import contextlib
import os
from collections.abc import Callable, Iterable

from ia.faculties.packages.sources import ArchiveEntry, hide_password, refuse_hidden
from ia.kernel import proposals
from ia.kernel.errors import IaError, Refused
from ia.kernel.proposals import Proposal, ProposalOrigin
from ia.kernel.workspace import Workspace

MAX_FILES = 200
MAX_TOTAL = 2_000_000
"""Bytes of all files of a package."""


def base_name(source: str) -> str:
    """Return the name that a source gives its package: that of its folder, archive or repository."""
    return os.path.basename(source.rstrip("/")).removesuffix(".git").removesuffix(".zip")


def read_texts(
    found: Iterable[ArchiveEntry], root: str, source: str, not_text: Callable[[str], IaError]
) -> dict[str, str]:
    """Return the files below `root` of a source, by their path there. Hidden files and compiled ones are left out.

    not_text  makes the failure for a file that is no text, from its path
    raises    Refused for a link, too many files or too many bytes; what not_text makes; BadData for hidden characters.
    """
    files: dict[str, str] = {}
    total = 0
    for entry in found:
        inside = entry.path.removeprefix(root)
        if not entry.path.startswith(root) or any(
            part.startswith(".") or part == "__pycache__" for part in inside.split("/")
        ):
            continue
        if not entry.plain:
            raise Refused("{path} is a link or not a regular file", path=entry.path[:200])
        if len(files) >= MAX_FILES:
            raise Refused("{name}: more than {limit} files", name=hide_password(source)[:200], limit=MAX_FILES)
        files[inside] = read_text(entry, source, not_text)
        total += max(entry.size, len(files[inside].encode()))
        if total > MAX_TOTAL:
            raise _too_large_error(source)
    return files


def read_text(entry: ArchiveEntry, source: str, not_text: Callable[[str], IaError]) -> str:
    """Return the text of one file.

    raises  as read_texts().
    """
    raw = entry.read() if entry.size <= MAX_TOTAL else b""
    if max(len(raw), entry.size) > MAX_TOTAL:
        raise _too_large_error(source)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise not_text(entry.path[:200]) from None
    if "\0" in text:
        raise not_text(entry.path[:200])
    refuse_hidden(entry.path, text)
    return text


def propose_package(
    ws: Workspace,
    kind: str,
    folder: str,
    files: dict[str, str],
    source: str,
    *,
    because: str,
    origin: ProposalOrigin,
    actor: str,
) -> Proposal:
    """Propose that a folder is to hold these files. What waits already is not proposed twice.

    kind    skill, provider
    raises  BadData where it is installed as it is already.
    """
    waiting = proposals.find_same_pending(ws, kind, folder, files)
    if waiting is not None:
        return proposals.get_proposal(ws, waiting)
    return proposals.propose_folder(
        ws,
        kind,
        folder,
        files,
        because=" ".join(because.split())[:600],
        origin=origin._replace(source=hide_password(source)[:300]),
        actor=actor,
    )


def remove_package(ws: Workspace, kind: str, folder: str) -> list[str]:
    """Remove the text files of a package and return their paths; each keeps a revision.

    What is no text, hidden or a link stays, and its folder with it: ia did not bring it.
    """
    removed = [f"{folder}/{file}" for file in sorted(proposals.folder_files(ws, folder))]
    with ws.unit_of_work():
        for path in removed:
            ws.remove(path, why=f"{kind} removed", event=f"{kind}.remove")
    for inside, _folders, _files in os.walk(ws.resolve(folder), topdown=False):
        with contextlib.suppress(OSError):  # not empty
            os.rmdir(inside)
    return removed


def _too_large_error(source: str) -> Refused:
    return Refused("{path}: larger than {limit} bytes", path=hide_password(source)[:200], limit=MAX_TOTAL)
