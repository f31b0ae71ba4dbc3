"""Install a skill: read it from its source, and propose its folder. A person's approval writes the files."""

import json
import os
from typing import NamedTuple

from ia.faculties.packages.installing import base_name, propose_package, read_text, read_texts, remove_package
from ia.faculties.packages.sources import ArchiveEntry, hide_password, open_source
from ia.faculties.skills import manifest
from ia.faculties.skills.model import Skill
from ia.faculties.skills.registry import FILE, FOLDER, MAX_BODY, NAME, disabled_names, find, skill_of
from ia.kernel import config, proposals
from ia.kernel.errors import BadData, IaError, NotFound, Refused, UsageError
from ia.kernel.proposals import BY_USER, Proposal, ProposalOrigin
from ia.kernel.workspace import Workspace

MAX_SKILLS = 200
"""Skills in one source."""


class Bundle(NamedTuple):
    """A skill as it comes from a source: what it says of itself, and its files (path in its folder: text)."""

    skill: Skill
    files: dict[str, str]


def propose(
    ws: Workspace,
    source: str,
    name: str = "",
    *,
    because: str = "",
    origin: ProposalOrigin = BY_USER,
    actor: str = "user",
    suggested: bool = False,
) -> Proposal:
    """Propose to install a skill from a folder, a .zip or a git address. The same is not proposed twice.

    name       which one, where the source has several.
    suggested  nobody but a model named the address.
    raises  UsageError where it has several and none is named; BadData where it is installed as it is already; NotFound,
            BadData, Refused, Unavailable, TimedOut for a source that cannot be read.
    """
    skill, files = read(source, name, suggested=suggested, stay=actor != "user")
    return propose_package(ws, "skill", skill.path, files, source, because=because, origin=origin, actor=actor)


def read(source: str, name: str = "", *, suggested: bool = False, stay: bool = False) -> Bundle:
    """Return a skill as a source has it.

    raises  as propose().
    """
    with open_source(source, suggested=suggested, stay=stay) as found:
        base = base_name(source)
        roots = _roots(found)
        if not roots:
            raise NotFound("{source}: SKILL.md is missing", source=hide_password(source)[:200])
        root = _choose_root(found, roots, source, name)
        files = read_texts(found, root, source, _not_text)
    return Bundle(_skill(files[FILE], root, base), files)


def parse_fetch_proposal(proposal: Proposal) -> tuple[str, str]:
    """Return the source and the name of the skill that a proposal of the kind `fetch` holds.

    raises  BadData for one that is damaged.
    """
    try:
        asked = json.loads(proposal.after)
        source, name = asked["source"], asked["name"]
        if not isinstance(source, str) or not isinstance(name, str):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise BadData("proposal {number} is damaged", number=proposal.id, hint="`ia reject {number}`") from None
    return source, name


def fetch(ws: Workspace, proposal: Proposal) -> Proposal:
    """Fetch what a proposal of the kind `fetch` names, and return the proposal of what came. A person's act.

    raises  as propose().
    """
    source, name = parse_fetch_proposal(proposal)
    return propose(
        ws, source, name, because=proposal.because, origin=proposal.origin, actor=proposal.actor, suggested=True
    )


def describe_package(files: str, path: str) -> Skill | None:
    """Return the skill that a proposal's `before` or `after` holds, None where it holds none that can be used."""
    try:
        return skill_of(manifest.read_fields(proposals.files_of(files)[FILE]), path)
    except (IaError, KeyError):
        return None


def _roots(found: list[ArchiveEntry]) -> list[str]:
    """Return the folders that hold a SKILL.md, each with its `/` ("" for the top), none inside another."""
    roots: list[str] = []
    for path in sorted((entry.path for entry in found if entry.path.rsplit("/", 1)[-1] == FILE), key=len):
        root = path.removesuffix(FILE)
        if not any(root.startswith(outer) for outer in roots):
            roots.append(root)
    return sorted(roots)


def _choose_root(found: list[ArchiveEntry], roots: list[str], source: str, name: str) -> str:
    """Return the root of the skill that is meant.

    raises  UsageError, NotFound with the names that there are.
    """
    if len(roots) == 1 and not name:
        return roots[0]
    if len(roots) > MAX_SKILLS:
        raise Refused("the source has more than {limit} files", limit=MAX_SKILLS)
    wanted, base = name.strip().removeprefix("/"), base_name(source)
    names = {}
    for root in roots:
        try:
            entry = next(entry for entry in found if entry.path == root + FILE)
            names[_skill(read_text(entry, source, _not_text), root, base).name] = root
        except IaError:  # one that is broken does not hide the others
            names[root.rstrip("/").rsplit("/", 1)[-1] or base] = root
    if wanted in names:
        return names[wanted]
    known = ", ".join(sorted(names))[:1000]
    if not wanted:
        raise UsageError("the source contains several skills: {known}", known=known, hint="choose one with --name NAME")
    raise NotFound("{name}: no such skill in the source", name=wanted[:80], known=known, hint="available: {known}")


def _skill(text: str, root: str, base: str) -> Skill:
    """Return what a SKILL.md says, in the folder that it will have here.

    raises  BadData.
    """
    if len(text) > MAX_BODY:
        raise BadData("{name}: longer than {limit} characters", name=FILE, limit=MAX_BODY)
    own = root.rstrip("/").rsplit("/", 1)[-1] or base
    if not NAME.fullmatch(own):
        own = own.lower().replace("_", "-").replace(" ", "-")
    fields = manifest.read_fields(text)
    skill = skill_of(fields, f"{FOLDER}/{own}")
    return skill._replace(path=f"{FOLDER}/{skill.name}")


def _not_text(path: str) -> Refused:
    hint = "remove it from the folder, then install the folder"
    return Refused("{path} is not a text file; skills consist of text files", path=path, hint=hint)


def remove(ws: Workspace, name: str) -> list[str]:
    """Remove a skill's files and return their paths; each keeps a revision. A person's act.

    What is no text, hidden or a link stays, and its folder with it: ia did not bring it.
    raises  NotFound; Refused for a skill that is a link.
    """
    skill = find(ws, name)
    if os.path.islink(ws.resolve(FOLDER) + "/" + skill.path.rpartition("/")[2]):
        raise Refused("{path} is a link", path=skill.path)
    return remove_package(ws, "skill", skill.path)


def switch(ws: Workspace, name: str, *, on: bool) -> bool:
    """Enable or disable a skill in config.yaml; return whether that changed anything. A person's act.

    raises  NotFound for a skill that is neither there nor disabled; ConfigError where config.yaml is broken.
    """
    with ws.lock():
        off = disabled_names()
        wanted = name.strip().removeprefix("/")
        if not (on and wanted in off):
            wanted = find(ws, name).name
        names = off - {wanted} if on else off | {wanted}
        if names == off:
            return False
        text = config.edit_config_text(ws.read("config.yaml") or "", "skills.disabled", ",".join(sorted(names)))
        ws.write("config.yaml", text, event="config.set", key="skills.disabled")
        return True
