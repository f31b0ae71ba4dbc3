"""tools/tools.yaml of a skill: the tools that it brings, and the cards that show their results. See ia-skill(5).

A tool names what runs it: a library function (entry point group `ia.tools`), a tool of a provider, or nothing, where
its arguments are a card or it opens a form. Nothing of a skill is executed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ia.faculties.providers.parameters import build_schema, check_schema, fold_description
from ia.faculties.skills.cache import load_made
from ia.faculties.skills.model import Skill
from ia.faculties.skills.registry import SLOT
from ia.kernel.errors import BadData, ConfigError, IaError, Message
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

FILE = "tools/tools.yaml"
GROUP = "ia.tools"
CORE, SKILL = "core", "skill"
LEVELS = (CORE, SKILL)
COMPUTE, RANDOM, COLLECT, DISPLAY, RETRIEVE, FLOW = TYPES = (
    "compute",
    "random",
    "collect",
    "display",
    "retrieve",
    "flow",
)
MAX_TOOLS = 60
"""Tools of one skill."""
MAX_SLOTS = 40
_NAME = pattern(r"[a-z][a-z0-9_]{0,63}")
_CARD = pattern(r"[a-z][a-z0-9_-]{0,63}")
_RUN = pattern(r"[A-Za-z0-9][\w-]*(\.[\w-]+){0,4}")
_TEXTS = ("display_name", "description", "when_to_call", "returns")
_FIELDS = frozenset(
    {"name", "level", "type", "parameters", "slots", "requires", "private", "run", "form", "card_type", "card_props"}
    | {f"{field}{suffix}" for field in _TEXTS for suffix in ("", "_en")}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillTool:
    """One tool of a skill.

    level       CORE: in every conversation; SKILL: a model needs the skill to be active
    kind        one of TYPES
    parameters  JSON Schema of the arguments. slots: argument -> slot of the session that fills it where it is left out
    requires    slots without which it cannot run
    private     its arguments are the user's own affair: the audit trail does not keep them, and no provider runs it
    run         a function of the group `ia.tools`, or a tool of a provider; "" for none
    form        the form that it opens; "" for none
    card_type   the card that shows its result; "" for none. card_props: JSON Schema of the card's properties
    returns     what comes back: JSON Schema or words, None where nobody says
    texts       display_name, description, when_to_call, returns, each with `_en` beside it where there is one
    """

    name: str
    level: str
    kind: str
    parameters: Json
    slots: dict[str, str]
    requires: list[str]
    private: bool
    run: str
    form: str
    card_type: str
    card_props: Json
    returns: Any
    texts: dict[str, str]

    def text(self, field: str, lang: str) -> str:
        """Return one of its texts in `zh` or `en`, in whichever is there."""
        own, english = self.texts.get(field, ""), self.texts.get(f"{field}_en", "")
        return (english or own) if lang == "en" else (own or english)


class SkillTools(NamedTuple):
    """The tools of a skill, or why its file cannot be used; `names` are those that can be read all the same."""

    tools: tuple[SkillTool, ...]
    problem: IaError | None = None
    names: tuple[str, ...] = ()


def load_tools(ws: Workspace, skill: Skill) -> SkillTools:
    """Return what tools/tools.yaml of a skill declares; nothing where there is no such file."""
    path = f"{skill.path}/{FILE}"
    try:
        made = load_made(ws, path, parse_tools)
    except IaError as exc:
        return SkillTools((), exc, _read_names(ws, path))
    return SkillTools(tuple(SkillTool(**each) for each in made or ()))


def parse_tools(text: str) -> list[Json]:
    """Return the fields of each tool of a tools.yaml, checked.

    raises  BadData that names the tool and the field.
    """
    tree = load_yaml(text, FILE)
    written = tree.get("tools") if isinstance(tree, dict) else None
    if not isinstance(written, list) or not written:
        raise BadData("{path} must begin with `tools:` and a list of tools", path=FILE)
    if len(written) > MAX_TOOLS:
        raise BadData("{path}: more than {most} tools", path=FILE, most=MAX_TOOLS)
    found: dict[str, Json] = {}
    cards: dict[str, Json] = {}
    for at, entry in enumerate(written, 1):
        tool = _parse_tool(entry, at)
        if tool["name"] in found:
            raise BadData("{path}: two tools are named {name}", path=FILE, name=tool["name"])
        known = cards.setdefault(tool["card_type"], tool["card_props"]) if tool["card_type"] else tool["card_props"]
        if known != tool["card_props"]:
            raise _field_error(
                tool["name"], "card_props", Message("the same as elsewhere for {card}", card=tool["card_type"])
            )
        found[tool["name"]] = tool
    return list(found.values())


def load_function(name: str) -> Callable[..., Any] | None:
    """Return the library function of a name in the entry point group `ia.tools`; None where no package has it.

    raises  ConfigError where its module cannot be imported.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        try:
            found = point.load()
        except (ImportError, AttributeError) as exc:
            reason = " ".join(str(exc).split())[:200]
            raise ConfigError(
                "the function {name} cannot be loaded: {reason}",
                name=name,
                reason=reason,
                hint="install the package or the extra that it needs",
            ) from None
        return found if callable(found) else None
    return None


def localize_schema(schema: Any, lang: str) -> Any:
    """Return a schema with its titles and descriptions in one language.

    >>> localize_schema({"title": "日期", "title_en": "date"}, "en")
    {'title': 'date'}
    """
    if isinstance(schema, list):
        return [localize_schema(each, lang) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out: Json = {}
    for key, value in schema.items():
        plain = str(key).removesuffix("_en")
        if plain not in ("title", "description") or not isinstance(value, str):
            out[key] = localize_schema(value, lang)
        elif plain == key or lang == "en" or plain not in schema:
            english = schema.get(f"{key}_en")
            out[plain] = english if lang == "en" and isinstance(english, str) else value
    return out


def is_slot(text: object) -> bool:
    """Return True for what can name a slot, or all slots of a form."""
    return isinstance(text, str) and SLOT.fullmatch(text) is not None


def _parse_tool(entry: object, at: int) -> Json:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(name, str) or not _NAME.fullmatch(name):
        raise _field_error(f"{at}", "name", Message("lower-case letters, digits and _, 64 at most"))
    for field in entry:
        if field not in _FIELDS:
            raise BadData("{path}: {tool}: unknown field {field}", path=FILE, tool=name, field=str(field)[:60])
    level, kind = entry.get("level", SKILL), entry.get("type")
    if level not in LEVELS:
        raise _field_error(name, "level", Message("one of {known}", known=", ".join(LEVELS)))
    if kind not in TYPES:
        raise _field_error(name, "type", Message("one of {known}", known=", ".join(TYPES)))
    parameters = _parse_schema(entry.get("parameters"), f"{FILE}: {name}: parameters")
    tool: Json = {
        "name": name,
        "level": level,
        "kind": kind,
        "parameters": {**parameters, "additionalProperties": False},
        "slots": _parse_slots(entry.get("slots"), name, parameters),
        "requires": parse_requires(entry.get("requires"), f"{FILE}: {name}: requires"),
        "private": _parse_private(entry, name),
        "run": _parse_word(entry, "run", _RUN, name),
        "form": _parse_word(entry, "form", _NAME, name),
        "card_type": _parse_word(entry, "card_type", _CARD, name),
        "card_props": {},
        "returns": _parse_returns(entry.get("returns"), name),
        "texts": _parse_texts(entry, name),
    }
    if "card_props" in entry:
        tool["card_props"] = _parse_schema(entry["card_props"], f"{FILE}: {name}: card_props")
    elif kind == DISPLAY and not tool["run"]:
        tool["card_props"] = tool["parameters"]
    _check_parts(tool)
    return tool


def _check_parts(tool: Json) -> None:
    """Raise BadData where a tool lacks what its type needs."""
    name, kind = tool["name"], tool["kind"]
    if kind in (COMPUTE, RANDOM, RETRIEVE) and not tool["run"]:
        raise _field_error(name, "run", Message("the name of a function or of a provider's tool"))
    if kind == DISPLAY and not tool["card_type"]:
        raise _field_error(name, "card_type", Message("the name of a card"))
    if kind in (COLLECT, FLOW) and not (tool["run"] or tool["form"]):
        raise _field_error(name, "form", Message("the name of a form"))
    if tool["card_type"] and not tool["card_props"]:
        raise _field_error(name, "card_props", Message("the schema of the card's properties"))
    if tool["card_props"] and not tool["card_type"]:
        raise _field_error(name, "card_type", Message("the name of a card"))


def _parse_private(entry: Mapping[str, object], name: str) -> bool:
    value = entry.get("private", False)
    if not isinstance(value, bool):
        raise _field_error(name, "private", Message("true or false"))
    return value


def _parse_schema(written: object, where: str) -> Json:
    """Return the schema of an object, from JSON Schema, the short form, or the list of fields of the design."""
    if isinstance(written, list):
        properties: Json = {}
        required = []
        for each in written:
            if not isinstance(each, dict) or not isinstance(each.get("name"), str):
                raise BadData("{where} must be {what}", where=where, what=Message("a list of fields, each with a name"))
            about = {key: value for key, value in each.items() if key not in ("name", "required")}
            properties[each["name"]] = {"type": "string", **about}
            required += [each["name"]] if each.get("required") is True else []
        return check_schema({"type": "object", "properties": properties, "required": required}, where)
    return build_schema(written, where)


def _parse_slots(written: object, name: str, parameters: Json) -> dict[str, str]:
    if written is None:
        return {}
    if not isinstance(written, dict) or len(written) > MAX_SLOTS:
        raise _field_error(name, "slots", Message("`argument: form.field` lines"))
    for argument, slot in written.items():
        if argument not in parameters.get("properties", {}):
            raise _field_error(
                name, "slots", Message("names of its parameters; {argument} is none", argument=str(argument)[:60])
            )
        if not is_slot(slot) or "." not in slot:
            raise _field_error(name, "slots", Message("`argument: form.field` lines"))
    return written


def parse_requires(written: object, where: str) -> list[str]:
    """Return the slots that are required: `form.field`, or `form` for all that the form requires.

    raises  BadData.
    """
    listed = [] if written is None else [written] if isinstance(written, str) else written
    if not isinstance(listed, list) or len(listed) > MAX_SLOTS or not all(map(is_slot, listed)):
        raise BadData(
            "{where} must be {what}", where=where, what=Message("a list of slots like birth.date, or of forms")
        )
    return listed


def _parse_returns(written: object, name: str) -> Any:
    if written is None or isinstance(written, str):
        return fold_description(written) or None
    return _parse_schema(written, f"{FILE}: {name}: returns")


def _parse_word(entry: Mapping[str, object], field: str, allowed: Any, name: str) -> str:
    value = entry.get(field)
    if value is None:
        return ""
    if not isinstance(value, str) or not allowed.fullmatch(value) or len(value) > 128:
        raise _field_error(name, field, Message("a name of letters, digits, dots and _"))
    return value


def _parse_texts(entry: Mapping[str, object], name: str) -> dict[str, str]:
    texts = {}
    for field in (each + suffix for each in _TEXTS[:3] for suffix in ("", "_en")):
        value = entry.get(field)
        if isinstance(value, dict | list):
            raise _field_error(name, field, Message("a text"))
        if value is not None:
            texts[field] = fold_description(value)
    return texts


def _read_names(ws: Workspace, path: str) -> tuple[str, ...]:
    """Return the names of the tools in a file that cannot be used, as far as they can be read."""
    try:
        tree = load_yaml(ws.read_present(path) or "", FILE)
    except IaError:
        return ()
    listed = tree.get("tools") if isinstance(tree, dict) else None
    entries = listed if isinstance(listed, list) else []
    names = [str(entry.get("name")) for entry in entries[:MAX_TOOLS] if isinstance(entry, dict)]
    return tuple(name for name in names if _NAME.fullmatch(name))


def _field_error(tool: str, field: str, what: Message) -> BadData:
    return BadData("{path}: {tool}: {field} must be {what}", path=FILE, tool=tool[:80], field=field, what=what)
