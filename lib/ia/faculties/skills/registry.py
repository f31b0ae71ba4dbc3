"""Which skills there are, and what calling one gives. A broken skill is listed with what is wrong with it."""

import os
from typing import NamedTuple

from ia.faculties.skills import manifest
from ia.faculties.skills.cache import load_made, make_once
from ia.faculties.skills.model import Skill
from ia.faculties.skills.procedure import load_sop
from ia.kernel import config
from ia.kernel.errors import BadData, IaError, Message, NotFound, Refused
from ia.kernel.formats.frontmatter import split_text
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace, is_text_name, walk_files

FOLDER = ".claude/skills"
FILE = "SKILL.md"
META = "meta.json"
IN_META = ("display_name", "display_name_en", "requires", "triggers")
"""Fields of meta.json that count; those of SKILL.md win."""
MAX_BODY = 200_000
"""Characters of a SKILL.md."""
MAX_SKILLS = 500
MAX_REQUIRES = 40
SLOT = pattern(r"[a-z][a-z0-9_]{0,39}(\.[a-z][a-z0-9_]{0,39})?")
"""What a form asks: `FORM.FIELD`; `FORM` alone is all that it requires."""
NAME = pattern(r"[a-z0-9\u3400-\u9fff-]{1,64}")
_TOOL = pattern(r"\*|[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*(\.\*)?")
UNDECLARED = (
    "market.*",
    "compute.*",
    "indicator.*",
    "notebook.*",
    "calendar.*",
    "memory.list",
    "memory.read",
    "memory.recall",
    "memory.observe",
)
"""What a skill may call that does not say what it needs: nothing that reaches further than notes and observations."""


class Loaded(NamedTuple):
    """A skill that is called: its body with the arguments filled in, its procedure as plain data, None without one."""

    skill: Skill
    body: str
    sop: Json | None


def list_skills(ws: Workspace) -> list[Skill]:
    """Return all skills by name, the broken and the disabled ones too."""
    try:
        root = ws.resolve(FOLDER)
    except IaError as exc:
        return [_broken(FOLDER, Message(exc.template, **exc.params))]
    try:
        entries = sorted(os.scandir(root), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as exc:
        return [_broken(FOLDER, Message("{path}: {reason}", path=FOLDER, reason=exc.strerror))]
    off = disabled_names()
    found: dict[str, Skill] = {}
    shadowed = []
    for entry in entries[:MAX_SKILLS]:
        if entry.name.startswith(".") or not is_text_name(entry.name) or entry.is_file(follow_symlinks=False):
            continue
        skill = _read(ws, entry)
        rival = found.get(skill.name)
        if rival is not None:  # the one whose folder has the name is the one that is meant
            first, second = (skill, rival) if skill.path == f"{FOLDER}/{skill.name}" else (rival, skill)
            why = Message("{path} has the same name", path=first.path)
            shadowed.append(second._replace(problem=second.problem or why))
            skill = first
        found[skill.name] = skill._replace(enabled=skill.name not in off)
    return sorted([*found.values(), *shadowed], key=lambda skill: (skill.name, skill.path))


def disabled_names() -> frozenset[str]:
    """Return the names that `skills.disabled` lists."""
    return frozenset(config.get_setting_words("skills.disabled"))


def _read(ws: Workspace, entry: "os.DirEntry[str]") -> Skill:
    path = f"{FOLDER}/{entry.name}"
    if entry.is_symlink():
        return _broken(path, Message("{path} is a link", path=path))
    paths = [os.path.join(entry.path, name) for name in (FILE, META)]
    return make_once(("skill", entry.path), paths, lambda: _read_files(ws, path))


def _read_files(ws: Workspace, path: str) -> Skill:
    try:
        found = load_made(ws, f"{path}/{FILE}", _fields)
        if found is None:
            return _broken(path, Message("{path} has no SKILL.md", path=path))
        return skill_of({**(load_made(ws, f"{path}/{META}", _meta) or {}), **found}, path)
    except IaError as exc:
        return _broken(path, Message(exc.template, **exc.params))


def _fields(text: str) -> Json:
    if len(text) > MAX_BODY:
        raise BadData("{name}: longer than {limit} characters", name=FILE, limit=MAX_BODY)
    return manifest.read_fields(text)


def _meta(text: str) -> Json:
    """Return what meta.json says beside the front matter; it grants nothing."""
    tree = load_yaml(text, META)
    if not isinstance(tree, dict):
        raise BadData("{name} must be an object", name=META)
    return {field: tree[field] for field in IN_META if field in tree}


def _broken(path: str, why: Message) -> Skill:
    return Skill(
        name=path.rsplit("/", 1)[1],
        about="",
        about_en="",
        version="",
        declared=(),
        allowed=(),
        model_invocable=False,
        user_invocable=False,
        fork=False,
        argument_hint="",
        triggers=(),
        enabled=True,
        path=path,
        problem=why,
        fields={},
    )


def skill_of(fields: Json, path: str) -> Skill:
    """Return the skill that front matter describes, in the folder `path`; of its folder's name where it has none.

    raises  BadData for a field of the wrong kind, or where neither name will do.
    """
    line, boolean, words = manifest.read_line, manifest.read_switch, manifest.read_words
    name = line(fields.get("name"), "name")
    if not NAME.fullmatch(name):
        name = path.rsplit("/", 1)[1]
    if not NAME.fullmatch(name):
        raise BadData(
            "{name!r} is not a valid skill name; use lower-case letters, digits and hyphens, or Chinese", name=name[:80]
        )
    context = line(fields.get("context"), "context") or "inline"
    if context not in ("fork", "inline"):
        raise BadData("{name}: context must be fork or inline", name=FILE)
    declared = manifest.read_tools(fields["allowed-tools"], "allowed-tools") if "allowed-tools" in fields else None
    return Skill(
        name=name,
        about=line(fields.get("description"), "description"),
        about_en=line(fields.get("description_en"), "description_en"),
        version=line(fields.get("version"), "version"),
        declared=declared,
        allowed=UNDECLARED if declared is None else tuple(filter(_TOOL.fullmatch, declared)),
        model_invocable=not boolean(fields.get("disable-model-invocation"), "disable-model-invocation", False),
        user_invocable=boolean(fields.get("user-invocable"), "user-invocable", True),
        fork=context == "fork",
        argument_hint=manifest.read_hint(fields.get("argument-hint")),
        triggers=words(fields.get("triggers"), "triggers"),
        enabled=True,
        path=path,
        problem=None,
        fields=fields,
        titles=(
            line(fields.get("display_name"), "display_name"),
            line(fields.get("display_name_en"), "display_name_en"),
        ),
        requires=_read_requires(fields.get("requires")),
    )


def _read_requires(value: object) -> tuple[str, ...]:
    slots = manifest.read_words(value, "requires")
    if len(slots) > MAX_REQUIRES or not all(map(SLOT.fullmatch, slots)):
        raise BadData("{name}: requires must be slots like birth.date, or forms", name=FILE)
    return slots


def summaries(ws: Workspace) -> list[str]:
    """Return one line for each skill that a model may call: `name: what it is for (arguments)`."""
    return [
        f"{skill.name}: {skill.description()[:300]}" + (f" ({skill.argument_hint[:80]})" if skill.argument_hint else "")
        for skill in list_skills(ws)
        if skill.enabled and skill.model_invocable and skill.problem is None
    ]


def find(ws: Workspace, name: str) -> Skill:
    """Return a skill by its name, `/` in front or not; a broken or disabled one too.

    raises  NotFound with the closest names.
    """
    wanted = name.strip().removeprefix("/")
    skills = list_skills(ws)
    same = [skill for skill in skills if skill.name == wanted]
    if same:
        return next((skill for skill in same if skill.problem is None), same[0])
    from difflib import get_close_matches

    close = ", ".join(get_close_matches(wanted, [skill.name for skill in skills], 3, 0.5))
    raise NotFound(
        "{name}: no such skill",
        code="no-such-skill",
        name=wanted[:80],
        close=close,
        hint="did you mean {close}?" if close else "`ia skill list` lists all skills",
    )


def usable(ws: Workspace, name: str, *, by_user: bool = False) -> Skill:
    """Return a skill that may be called. by_user: the user typed its name.

    raises  NotFound; BadData where it is broken; Refused where it is disabled, or not for users.
    """
    skill = find(ws, name)
    if skill.problem is not None:
        raise BadData("{name}: {problem}", name=skill.name, problem=skill.problem)
    if not skill.enabled:
        raise Refused(
            "the skill {name} is disabled",
            code="skill-disabled",
            name=skill.name,
            hint="`ia skill enable {name}` enables it",
        )
    if by_user and not skill.user_invocable:
        raise Refused("users cannot call the skill {name}", name=skill.name)
    return skill


def load(ws: Workspace, name: str, arguments: str = "", *, by_user: bool = False) -> Loaded:
    """Return a skill's body, `$ARGUMENTS` filled in, and its procedure.

    raises  what usable() raises.
    """
    skill = usable(ws, name, by_user=by_user)
    text = ws.read_present(f"{skill.path}/{FILE}")
    if text is None:
        raise NotFound(
            "{name}: no such skill", code="no-such-skill", name=skill.name, hint="`ia skill list` lists all skills"
        )
    _head, body = split_text(text, FILE)
    return Loaded(skill, manifest.fill_arguments(body, arguments), load_sop(ws, skill))


def files(ws: Workspace, skill: Skill) -> list[tuple[str, int]]:
    """Return (path inside the folder, bytes) of a skill's files, by path; hidden ones and links are left out."""
    found = walk_files(ws.root, skill.path, ("",))
    return sorted((path.removeprefix(skill.path + "/"), entry.stat().st_size) for path, entry in found)


def resource(ws: Workspace, name: str, file: str) -> str:
    """Return the text of another file in a skill's folder.

    raises  what usable() raises; NotFound; Refused for a path that leaves the folder.
    """
    skill = usable(ws, name)
    ws.resolve(file, below=skill.path)
    text = ws.read_present(f"{skill.path}/{file}")
    if text is None:
        known = ", ".join(path for path, _ in files(ws, skill))[:400]
        raise NotFound(
            "{name} has no file {file}", name=skill.name, file=file[:80], known=known, hint="available files: {known}"
        )
    return text
