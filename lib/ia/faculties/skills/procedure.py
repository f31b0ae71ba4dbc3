"""The knowledge files of a skill as plain data, and the procedure among them."""

from ia.faculties.skills.cache import load_made
from ia.faculties.skills.model import Skill
from ia.kernel.errors import IaError, Message
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace


def load_sop(ws: Workspace, skill: Skill) -> dict[str, object] | None:
    """Return a skill's procedure as plain data; None where there is none that can be read."""
    return load_tree(ws, skill, "sop", []) or None


def load_tree(ws: Workspace, skill: Skill, name: str, problems: list[Message]) -> Json:
    """Return what stands below the one top key of knowledge/NAME.yaml; {} where the file is missing or malformed.

    problems    is added to where the file is malformed
    """
    path = f"knowledge/{name}.yaml"
    try:
        tree = load_made(ws, f"{skill.path}/{path}", lambda text: load_yaml(text, path))
    except IaError as exc:
        problems.append(Message(exc.template, **exc.params))
        return {}
    if tree is None:
        return {}
    inner = tree.get(name, tree) if isinstance(tree, dict) else None
    if not isinstance(inner, dict):
        problems.append(Message("{path} must begin with `{name}:`", path=path, name=name))
        return {}
    return inner
