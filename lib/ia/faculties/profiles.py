"""Profiles: what a workspace may begin with. Data, no code; any file of one can be deleted again.

A profile is a folder whose files lie as they will lie in the workspace: soul.md, config.yaml, memory/, notebook/,
knowledge/, tasks/, strategies/, .claude/skills/, .claude/providers/. Those that come with ia are in the package; those
that a person installed are in `$XDG_DATA_HOME/ia/profiles`, for all workspaces. To install one is to copy it there:
nothing of it takes effect before `use`, which the command line lets a person confirm, since skills and providers come
with it.
A task that a profile brings (tasks/NAME.md) becomes a proposal, once: it runs when a person has approved it.
`NAME.en.md` (or .zh.md) beside `NAME.md` is its translation: it stands in its place for who reads that language.

A profile that is taken again brings its new version. Files that nobody edited are replaced. A skill or provider that
somebody edited becomes a proposal in which the edits are kept, for `.ia/profile.json` holds what the profile brought
last. A file that the person deleted stays deleted.
"""

import contextlib
import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from ia.kernel import audit, config, files, proposals, workspace
from ia.kernel.errors import BadData, IaError, NotFound, Refused
from ia.kernel.proposals import Proposal
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.faculties.packages.sources import ArchiveEntry

ADD, REPLACE, REMOVE, KEEP, PROPOSE, DELETED = "add", "replace", "remove", "keep", "propose", "deleted"
SOUL = "soul.md"
MAX_FILES = 500
_SOULS = ("soul.en.md", "soul.zh.md")
_PLACES = (
    SOUL,
    *_SOULS,
    "config.yaml",
    "memory/",
    "notebook/",
    "knowledge/",
    "tasks/",
    "strategies/",
    ".claude/skills/",
    ".claude/providers/",
)
CHANGES = (ADD, REPLACE, PROPOSE)
"""Acts that bring something."""
TASK, TASKS = "task", "tasks/"
_LIVED_IN = ("memory/", "notebook/", TASKS)
"""What a profile only begins: once it is there it belongs to the person."""
_BROUGHT = "profile.json"
"""File in .ia: what each profile brought or proposed last, {NAME: {PATH: TEXT}}."""
_NAME = re.compile(r"[\w][\w.-]{0,63}")
_LANGUAGES = ("en", "zh")


class Profile(NamedTuple):
    """A profile: its name, the folder that it lies in, what its soul says first, and whether it came with ia."""

    name: str
    folder: str
    about: str
    shipped: bool


class UpgradeStep(NamedTuple):
    """What taking a profile does to one file: add, replace, remove, keep or propose.

    Proposed are a soul, a task, and a file of a skill that a person edited. `deleted`: a person deleted the file, and
    it stays deleted.
    """

    path: str
    act: str


def shipped_folder() -> str:
    """Return where the profiles lie that come with ia: in the installed package, or beside lib/ in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "profiles")
    return installed if os.path.isdir(installed) else os.path.join(package, "..", "..", "profiles")


def installed_folder() -> str:
    """Return where the profiles lie that a person installed."""
    base = config.env("XDG_DATA_HOME", os.path.expanduser("~/.local/share")) or ""
    return os.path.join(base, "ia", "profiles")


def list_profiles() -> list[Profile]:
    """Return the profiles that are there, by name. One that came with ia hides an installed one of its name."""
    found: dict[str, Profile] = {}
    for base, shipped in ((installed_folder(), False), (shipped_folder(), True)):
        for name in _subfolders(base):
            path = os.path.join(base, name)
            found[name] = Profile(name, path, _soul_summary(path), shipped)
    return [found[name] for name in sorted(found)]


def find_profile(name: str) -> Profile:
    """Return a profile by its name, or by the path of a folder (with a `/` in it).

    raises  NotFound; BadData for a folder that holds nothing of a profile.
    """
    if "/" in name:
        path = os.path.abspath(os.path.expanduser(name))
        if not os.path.isdir(path):
            raise NotFound("{path}: no such folder", path=name)
        if not _read_source_files(path):
            raise BadData("{path} contains no profile files", path=name, hint="see `ia profile --help`")
        return Profile(os.path.basename(path), path, _soul_summary(path), False)
    known = list_profiles()
    for profile in known:
        if profile.name == name:
            return profile
    names = ", ".join(profile.name for profile in known) or "none"
    raise NotFound("{name}: no such profile", name=name, known=names, hint="available: {known}")


def profile_files(profile: Profile) -> dict[str, str]:
    """Return the files that a profile brings, in the user's language: path in the workspace -> text.

    What lies elsewhere is passed over.

    raises  BadData for a link, for what is not UTF-8 text or too large, and for more than MAX_FILES files.
    """
    lang = config.locale_lang()
    return {path: versions.get(lang, versions[""]) for path, versions in _language_versions(profile).items()}


def profile_in_use(ws: Workspace) -> str:
    """Return the name of the profile that the workspace took last; "" for none."""
    latest = audit.events(ws.db, kind="profile.use", limit=1)
    return latest[0].subject if latest else ""


def plan_steps(
    ws: Workspace, profile: Profile, *, replace: bool = False, restore: bool = False, only_add: bool = False
) -> list[UpgradeStep]:
    """Return what use() would do, in the order of the paths.

    A file that is the same already is not listed, nor a task that this profile has proposed before: whatever became
    of it was a person's decision.

    replace   also replace, and remove, what another profile brought and nobody has edited since. What a person edited
              is kept whatever is asked, and so is what is there of memory/, notebook/ and tasks/
    restore   also bring back what this profile brought and a person deleted
    only_add  neither replace what this profile brought before, nor propose anything but tasks
    """
    return _ProfileTaking(ws, profile, replace=replace, restore=restore, only_add=only_add).plan_steps()


def use_profile(
    ws: Workspace, profile: Profile, *, replace: bool = False, restore: bool = False, only_add: bool = False
) -> tuple[list[UpgradeStep], list[Proposal]]:
    """Take a profile: carry out plan(). Returns the steps, and the proposals about the soul, the tasks and skills."""
    made = []
    why, cause = _proposal_reason(profile.name), workspace.WriteCause(profile=profile.name)
    with ws.unit_of_work():
        taking = _ProfileTaking(ws, profile, replace=replace, restore=restore, only_add=only_add)
        steps = taking.plan_steps()
        for path, act in steps:
            if act in (ADD, REPLACE):
                ws.write(path, taking.wanted[path], why=why, event="profile.write", cause=cause)
            elif act == REMOVE:
                ws.remove(path, why=why, event="profile.remove", cause=cause)
            elif act == PROPOSE and not _package_folder(path):
                made.append(_propose_file(ws, profile, path, taking.wanted[path]))
        made += taking.propose_merges([path for path, act in steps if act == PROPOSE and _package_folder(path)])
        if profile_in_use(ws) != profile.name:
            audit.record(ws.db, "profile.use", profile.name)
    taking.remember(steps)
    return steps, made


def install_profile(source: str, name: str = "") -> Profile:
    """Copy the profile in a folder, a .zip or a git repository to own_folder(). A new version replaces the old whole.

    name    what to call it; else it is called as its source is.
    raises  what contents() raises; Refused for the name of one that came with ia; BadData for what is no name;
            NotFound, Unavailable, TimedOut for a source that cannot be read.
    """
    import shutil

    from ia.faculties.packages.installing import base_name
    from ia.faculties.packages.sources import hide_password

    name = name or base_name(source)
    if name in (".", ".."):
        name = os.path.basename(os.path.abspath(source))
    if not _NAME.fullmatch(name):
        raise BadData("{name!r} is not a valid profile name", name=name, hint="give one with --name")
    if name in _subfolders(shipped_folder()):
        raise Refused("{name}: ia comes with a profile of this name", name=name, hint="give another with --name")
    found = _read_source_files(source)
    if not found:
        raise BadData("{path} contains no profile files", path=hide_password(source), hint="see `ia profile --help`")
    base = installed_folder()
    making = os.path.join(base, f".{name}.{os.getpid()}")
    for path, text in found.items():
        files.replace_file(os.path.join(making, path), text)
    target = os.path.join(base, name)
    shutil.rmtree(target, ignore_errors=True)
    files.move_path(making, target)
    return find_profile(name)


def list_powers(profile: Profile) -> list[tuple[str, str]]:
    """Return (path, what it says for itself) of the files that do more than be read, for a person to see beforehand.

    That is the front matter of a skill (its tools) or a provider (its commands), and the settings, each as written.
    """
    from ia.kernel.formats.frontmatter import find_block

    told = []
    for path, text in profile_files(profile).items():
        if path == "config.yaml":
            told.append((path, text))
        elif path.endswith(("/SKILL.md", "/PROVIDER.md")):
            head = find_block(text)
            told.append((path, text[head.start : head.end].strip("\r\n") if head else ""))
    return told


class _ProfileTaking:
    """One taking of a profile: what it would bring, and what it brought before.

    wanted   path -> the text in the user's language
    brought  path -> the text that this profile brought or proposed last, as far as that was written down
    """

    def __init__(self, ws: Workspace, profile: Profile, *, replace: bool, restore: bool, only_add: bool) -> None:
        self.ws, self.profile = ws, profile
        self.replace, self.restore, self.only_add = replace, restore, only_add
        self.versions = _language_versions(profile)
        self.wanted = profile_files(profile)
        self.kept = _read_brought(ws)
        self.brought = self.kept.get(profile.name, {})

    def plan_steps(self) -> list[UpgradeStep]:
        """Return the steps by path."""
        acts = {path: self._plan_file(path) for path in self.wanted}
        if self.replace:
            former = [path for path in _brought_paths(self.ws) if path not in self.wanted and path != SOUL]
            acts |= {
                path: REMOVE
                for path in former
                if _current_text(self.ws, path) is not None and _may_replace(self.ws, path, self.wanted, replace=True)
            }
        return sorted(UpgradeStep(path, act) for path, act in acts.items() if act)

    def _plan_file(self, path: str) -> str:
        """Return what becomes of one file; "" for nothing that is worth a word."""
        text, versions = self.wanted[path], self.versions[path].values()
        there = os.path.lexists(os.path.join(self.ws.root, path))
        if there and _current_text(self.ws, path) in ((text,) if self.replace else versions):
            return ""
        if path.startswith(TASKS):
            if any(_was_proposed_before(self.ws, self.profile, path, version) for version in versions):
                return ""
            return KEEP if there or _is_proposed(self.ws, path) else PROPOSE
        if not there and not self.restore and self._was_deleted(path):
            return DELETED
        if path == SOUL:
            return ADD if not there else KEEP if self.only_add else PROPOSE
        if not self.only_add and self._is_own(path):
            return self._plan_upgrade(path, there)
        return (REPLACE if there else ADD) if _may_replace(self.ws, path, self.wanted, replace=self.replace) else KEEP

    def _is_own(self, path: str) -> bool:
        """Return True where this profile brought the file, or was the last one to bring a file of its skill."""
        return (
            not path.startswith(_LIVED_IN)
            and _bringing_profile(self.ws, _package_folder(path) or path) == self.profile.name
        )

    def _was_deleted(self, path: str) -> bool:
        """Return True for a missing file that a person deleted.

        This profile brought it, or it is new to a skill of which nothing is left, and no other profile removed it.
        """
        newest = _newest_by_profile(self.ws, path)
        if newest is not None:
            return newest.by == self.profile.name and newest.sha is not None
        folder = _package_folder(path)
        if not folder or _present_files(self.ws, folder):
            return False
        newest = _newest_by_profile(self.ws, folder)
        return newest is not None and newest.by == self.profile.name and newest.sha is not None

    def _plan_upgrade(self, path: str, there: bool) -> str:
        """Return what becomes of a file of a skill that this profile brought before."""
        if not there:
            return ADD
        stands, newest = _current_text(self.ws, path) or "", _newest_by_profile(self.ws, path)
        if _is_untouched(self.ws, path, stands):
            return REPLACE
        known = {workspace.text_digest(version) for version in self.versions[path].values()}
        last = self.brought.get(path)
        old = workspace.text_digest(last) if last is not None else newest.sha if newest else None
        if old in known or not _package_folder(path):  # the profile has nothing new, or it is no file of a skill
            return KEEP
        return KEEP if self._merge_text(path) == stands else PROPOSE

    def _merge_text(self, path: str) -> str:
        """Return the new text with the edits of the person.

        It is the new text as it is where both changed the same lines, or where nobody knows what the profile brought.
        """
        old, stands = self.brought.get(path), _current_text(self.ws, path) or ""
        newest = _newest_by_profile(self.ws, path)
        if old is None and newest is not None:
            sql = "SELECT before FROM revisions WHERE path = ? AND before_sha = ? LIMIT 1"
            row = self.ws.db.execute(sql, (path, newest.sha)).fetchone()
            old = row[0] if row else None
        merged = proposals.merge_changes(old, self.wanted[path], stands) if old is not None else None
        return self.wanted[path] if merged is None else merged

    def propose_merges(self, paths: list[str]) -> list[Proposal]:
        """Propose the new version of each skill or provider in which a person edited one of these files."""
        made = []
        for folder in dict.fromkeys(map(_package_folder, paths)):
            files = proposals.folder_files(self.ws, folder)
            files |= {
                path[len(folder) + 1 :]: self._merge_text(path) for path in paths if _package_folder(path) == folder
            }
            kind = next(kind for kind, place in proposals.FOLDERS.items() if folder.startswith(place + "/"))
            because = f"new version of profile {self.profile.name}"  # never _why(): a person's edits stand in it
            waiting = proposals.find_same_pending(self.ws, kind, folder, files)
            made.append(
                proposals.get_proposal(self.ws, waiting)
                if waiting is not None
                else proposals.propose_folder(
                    self.ws,
                    kind,
                    folder,
                    files,
                    because=because,
                    origin=proposals.ProposalOrigin(profile=self.profile.name),
                    actor="user",
                )
            )
        return made

    def remember(self, steps: list[UpgradeStep]) -> None:
        """Keep what was brought or proposed: the next version is compared with it, and edits are merged into that."""
        acts = dict(steps)
        texts = dict(self.brought)
        for path, text in self.wanted.items():
            if acts.get(path) in (ADD, REPLACE, PROPOSE):
                texts[path] = text
            elif path not in acts and (stands := _current_text(self.ws, path)) in self.versions[path].values():
                texts[path] = stands or ""
        if texts != self.brought:
            kept = json.dumps({**self.kept, self.profile.name: texts}, ensure_ascii=False)
            with contextlib.suppress(OSError):  # without it edits cannot be merged, and no more
                files.replace_file(os.path.join(files.make_private_folder(self.ws.root), _BROUGHT), kept)


def _read_brought(ws: Workspace) -> dict[str, dict[str, str]]:
    """Return what each profile brought or proposed last: its name -> path -> text. {} where that is not known."""
    with contextlib.suppress(OSError, ValueError):
        with open(os.path.join(ws.root, ".ia", _BROUGHT), encoding="utf-8") as stream:
            found = json.load(stream)
        if isinstance(found, dict):
            named = {name: texts for name, texts in found.items() if isinstance(texts, dict)}
            return {name: {k: v for k, v in texts.items() if isinstance(v, str)} for name, texts in named.items()}
    return {}


def _package_folder(path: str) -> str:
    """Return the folder of the skill or provider that a file is part of; "" for other files."""
    parts = path.split("/")
    whole = len(parts) > 3 and path.startswith((".claude/skills/", ".claude/providers/"))
    return "/".join(parts[:3]) if whole else ""


class _ProfileChange(NamedTuple):
    """A change that a profile made: its name, and the digest of what it wrote, None for a removal."""

    by: str
    sha: str | None


def _newest_by_profile(ws: Workspace, path: str) -> _ProfileChange | None:
    """Return the newest change that a profile made to a file, or to any file of a folder; None where none did."""
    row = ws.db.execute(
        "SELECT profile, after_sha FROM revisions"
        " WHERE (path = :path OR substr(path, 1, length(:path) + 1) = :path || '/') AND profile IS NOT NULL"
        " ORDER BY id DESC LIMIT 1",
        {"path": path},
    ).fetchone()
    return _ProfileChange._make(row) if row else None


def _bringing_profile(ws: Workspace, path: str) -> str:
    newest = _newest_by_profile(ws, path)
    return newest.by if newest is not None else ""


def _language_versions(profile: Profile) -> dict[str, dict[str, str]]:
    """Return the texts of each file that a profile brings, by language; the file's own is under ""."""
    files = _read_source_files(profile.folder)
    told = {
        path: {lang: files[name] for lang in _LANGUAGES if (name := _translation_path(path, lang)) in files}
        for path in files
    }
    others = {*_SOULS, *(_translation_path(path, lang) for path, found in told.items() for lang in found)}
    return {path: {"": text, **told[path]} for path, text in files.items() if path not in others}


def _translation_path(path: str, lang: str) -> str:
    return f"{path.removesuffix('.md')}.{lang}.md" if path.endswith(".md") else ""


def _read_source_files(source: str) -> dict[str, str]:
    """Return what a source brings: path in the workspace -> text. One folder around everything does not count."""
    from ia.faculties.packages.sources import hide_password, open_source

    with open_source(source) as found:
        tops = {entry.path.partition("/")[0] for entry in found}
        around = tops.pop() + "/" if len(tops) == 1 and not any(map(_has_place, (e.path for e in found))) else ""
        wanted = {entry.path.removeprefix(around): entry for entry in found}
        wanted = {path: entry for path, entry in wanted.items() if _has_place(path if entry.plain else path + "/")}
        if len(wanted) > MAX_FILES:
            raise BadData("{name}: more than {limit} files", name=hide_password(source), limit=MAX_FILES)
        return {path: _read_entry_text(path, entry) for path, entry in wanted.items()}


def _has_place(path: str) -> bool:
    """Whether a file, or with its `/` what is none, is one that a profile may bring."""
    return any(path.startswith(place) if place.endswith("/") else path.rstrip("/") == place for place in _PLACES)


def _read_entry_text(path: str, entry: "ArchiveEntry") -> str:
    if not entry.plain:
        raise BadData("{path} is not a regular file", path=path)
    from ia.faculties.packages.sources import MAX_FILE, refuse_hidden

    raw = entry.read()
    if len(raw) > MAX_FILE:
        raise BadData("{path} is larger than {limit} bytes", path=path, limit=MAX_FILE)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise BadData("{path}:{line}: not UTF-8 text", path=path, line=raw.count(b"\n", 0, exc.start) + 1) from None
    refuse_hidden(path, text)
    return text


def _subfolders(base: str) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(base) if entry.is_dir() and entry.name[0] not in "._")
    except OSError:
        return []


def _soul_summary(path: str) -> str:
    """Return the first sentence of a profile's soul, in the user's language if it has it; "" where there is none."""
    for name in (_translation_path(SOUL, config.locale_lang()), SOUL):
        try:
            with open(os.path.join(path, name), encoding="utf-8") as stream:
                lines = stream.read(4000).splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        return next((line.strip() for line in lines if _is_prose(line)), "")
    return ""


def _is_prose(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "---", "<!--"))


def _proposal_reason(name: str) -> str:
    return f"profile {name}"


def _brought_paths(ws: Workspace) -> list[str]:
    """Return the paths that a profile ever brought here."""
    rows = ws.db.execute("SELECT DISTINCT path FROM revisions WHERE profile IS NOT NULL ORDER BY path")
    return [path for (path,) in rows]


def _may_replace(ws: Workspace, path: str, wanted: dict[str, str], *, replace: bool) -> bool:
    """Whether a file may be written or removed: nothing is there, or nothing that a person has made or edited.

    A skill or a provider is one thing: where one of its files is a person's, or another profile's that is to stay, no
    file of it changes.
    """
    folder = _package_folder(path)
    for found in _present_files(ws, folder) if folder else [path]:
        text = _current_text(ws, found)
        if text is not None and text != wanted.get(found) and not (replace and _is_untouched(ws, found, text)):
            return False
    return True


def _present_files(ws: Workspace, folder: str) -> list[str]:
    """Return the files below a folder of the workspace, hidden ones and links too."""
    return [
        os.path.relpath(os.path.join(parent, file), ws.root)
        for parent, _, files in os.walk(os.path.join(ws.root, folder))
        for file in files
    ]


def _current_text(ws: Workspace, path: str) -> str | None:
    """Return the text of a file, None where there is none, and "" for what is no text: no profile has brought that."""
    try:
        return ws.read(path)
    except IaError:
        return ""


def _is_untouched(ws: Workspace, path: str, text: str) -> bool:
    """Whether a file is one that a profile brought, may be replaced, and nobody has edited since."""
    if path.startswith(_LIVED_IN):
        return False
    sql = "SELECT profile, after_sha FROM revisions WHERE path = ? ORDER BY id DESC LIMIT 1"
    newest = ws.db.execute(sql, (path,)).fetchone()
    return bool(newest and newest[0] is not None and newest[1] == workspace.text_digest(text))


def _propose_file(ws: Workspace, profile: Profile, path: str, text: str) -> Proposal:
    """Return the proposal to take the profile's soul or task; one that waits already is not made again."""
    for waiting in proposals.pending_proposals(ws):
        if waiting.path == path and waiting.after == text:
            return waiting
    kind, by = ("soul", "user") if path == SOUL else (TASK, _proposal_reason(profile.name))
    origin = proposals.ProposalOrigin(profile=profile.name)
    because = _task_reason(text) or _proposal_reason(profile.name)
    return proposals.propose(ws, kind, path, text, because=because, origin=origin, actor=by)


def _task_reason(text: str) -> str:
    """Return what a task's text says it is for; "" where it says nothing, or is no task."""
    from ia.kernel.formats import frontmatter
    from ia.kernel.formats.yaml import load_yaml

    try:
        head, _ = frontmatter.split_text(text, "")
        told = load_yaml(head, "") if head else None
    except IaError:
        return ""
    return str(told.get("because") or "") if isinstance(told, dict) else ""


def _is_proposed(ws: Workspace, path: str) -> bool:
    return any(waiting.path == path for waiting in proposals.pending_proposals(ws))


def _was_proposed_before(ws: Workspace, profile: Profile, path: str, text: str) -> bool:
    """Whether a profile has proposed a task already, at whatever time, and whatever was decided."""
    sql = "SELECT 1 FROM proposals WHERE kind = ? AND path = ? AND after = ? AND actor = ? LIMIT 1"
    return ws.db.execute(sql, (TASK, path, text, _proposal_reason(profile.name))).fetchone() is not None
