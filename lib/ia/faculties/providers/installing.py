"""Install a provider: read it from its source, and propose its folder. A person's approval writes the files."""

from ia.faculties.packages.installing import base_name, propose_package, read_texts, remove_package
from ia.faculties.packages.sources import hide_password, open_source
from ia.faculties.providers.manifest import FILE, FOLDER, Manifest
from ia.faculties.providers.registry import find_provider, list_tools, read_manifest
from ia.kernel.errors import BadData, IaError, NotFound, Refused, UsageError
from ia.kernel.proposals import BY_USER, Proposal, ProposalOrigin
from ia.kernel.workspace import Workspace


def propose_provider(
    ws: Workspace,
    source: str,
    name: str = "",
    *,
    because: str = "",
    origin: ProposalOrigin = BY_USER,
    actor: str = "user",
) -> tuple[Proposal, Manifest]:
    """Propose to install a provider from a folder, a .zip or a git address. The same is not proposed twice.

    name    which one, where the source has several.
    raises  UsageError where it has several and none is named; BadData for a PROVIDER.md that is wrong, a tool's name
            that is taken, or what is installed as it is already; NotFound, Refused, Unavailable, TimedOut for a source
            that cannot be read.
    """
    manifest, files = read_provider(source, name)
    _refuse_taken(ws, manifest)
    folder = f"{FOLDER}/{manifest.name}"
    made = propose_package(ws, "provider", folder, files, source, because=because, origin=origin, actor=actor)
    return made, manifest


def read_provider(source: str, name: str = "") -> tuple[Manifest, dict[str, str]]:
    """Return a provider as a source has it: its manifest, and its files (path in its folder: text).

    raises  as propose().
    """
    with open_source(source) as found:
        roots = sorted(
            entry.path.removesuffix(FILE) for entry in found if entry.path.rpartition("/")[2] == FILE and entry.plain
        )
        if not roots:
            raise NotFound("{source}: PROVIDER.md is missing", source=hide_password(source)[:200])
        base = base_name(source)
        root = _choose_root({root.rstrip("/").rpartition("/")[2] or base: root for root in roots}, name)
        files = read_texts(found, root, source, _not_text_error)
    own = root.rstrip("/").rpartition("/")[2] or base
    return _parse_manifest(files[FILE], own), files


def find_manifest(files: dict[str, str], name: str) -> Manifest | None:
    """Return the manifest that is among a folder's files; None where there is none that can be read."""
    try:
        return read_manifest(files.get(FILE, ""), name)
    except IaError:
        return None


def remove_provider(ws: Workspace, name: str) -> list[str]:
    """Remove a provider's files and return their paths; each keeps a revision. A person's act.

    What is no text, hidden or a link stays, and its folder with it: ia did not bring it.
    raises  NotFound; Refused for a provider that is a link.
    """
    return remove_package(ws, "provider", f"{FOLDER}/{find_provider(ws, name).name}")


def _choose_root(roots: dict[str, str], name: str) -> str:
    """Return the root of the provider that is meant.

    raises  UsageError, NotFound with the names that there are.
    """
    if len(roots) == 1 and name in ("", *roots):
        return next(iter(roots.values()))
    known = ", ".join(sorted(roots))[:1000]
    if not name:
        raise UsageError(
            "the source contains several providers: {known}", known=known, hint="choose one with --name NAME"
        )
    if name not in roots:
        raise NotFound("{name}: no such provider in the source", name=name[:80], known=known, hint="available: {known}")
    return roots[name]


def _parse_manifest(text: str, folder: str) -> Manifest:
    """Return what a PROVIDER.md says; where its folder has no such name, the name is the one that it gives itself."""
    from ia.faculties.providers.manifest import parse_front

    own = parse_front(text, FILE).get("name")
    return read_manifest(text, str(own) if own is not None else folder.lower().replace("_", "-"))


def _not_text_error(path: str) -> Refused:
    return Refused(
        "{path} is not a text file; ia installs only text, so that you can read it first",
        path=path,
        hint="install the program separately, and name it in `command`",
    )


def _refuse_taken(ws: Workspace, manifest: Manifest) -> None:
    taken = {tool.name.replace(".", "_"): tool.provider for tool in list_tools(ws)}
    for entry in manifest.entries if not manifest.server else ():
        other = taken.get(entry.name.replace(".", "_"), manifest.name)
        if other != manifest.name:
            raise BadData("{tool} is already the name of a tool of provider {other}", tool=entry.name, other=other)
