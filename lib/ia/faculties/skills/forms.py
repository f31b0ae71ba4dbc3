"""forms.yaml of a skill: what it asks the user for, as flat forms. See ia-skill(5).

A form is a JSON schema of the primitive subset that MCP has for questions to the user: texts, numbers, yes or no, one
or several of a list. Its answers fill slots of a session, named `FORM.FIELD`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, NamedTuple

from ia.faculties.providers.parameters import fold_description
from ia.faculties.skills.cache import load_made
from ia.faculties.skills.model import Skill
from ia.faculties.skills.registry import list_skills
from ia.kernel.errors import BadData, IaError, Message, NotFound
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.i18n import mark_text, translate
from ia.kernel.i18n.units import date_in_words
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.untrusted import strip_controls
from ia.kernel.workspace import Workspace

FILE = "forms.yaml"
MAX_FORMS, MAX_FIELDS, MAX_CHOICES = 20, 100, 60
MAX_TEXT = 500
"""Characters of an answer in words."""
KINDS = ("string", "integer", "number", "boolean", "choice", "choices")
FORMATS = ("date", "time", "date-time", "email", "uri")
_NAME = pattern(r"[a-z][a-z0-9_]{0,39}")
_WORDS = tuple(f"{word}{suffix}" for word in ("title", "description", "narrate") for suffix in ("", "_en"))
_FORM_FIELDS = frozenset(
    {
        "title",
        "title_en",
        "description",
        "description_en",
        "type",
        "order",
        "properties",
        "required",
        "private",
        "lasting",
    }
)
_FIELD_FIELDS = frozenset(
    {*_WORDS, "type", "format", "minimum", "maximum", "minLength", "maxLength", "enum", "oneOf", "items", "default",
     "minItems", "maxItems"}
)  # fmt: skip
_EMAIL = pattern(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_URI = pattern(r"[a-z][a-z0-9+.-]*:\S+")
YES_WORD, NO_WORD = mark_text("yes"), mark_text("no")


@dataclass(frozen=True, kw_only=True, slots=True)
class FormField:
    """One question of a form.

    kind     one of KINDS; format: one of FORMATS, or ""
    choices  of `choice` and `choices`: value, title, English title
    least, most  bounds of a number, of the characters of a text, or of how many are chosen; None without
    texts    title, description, narrate, each with `_en` beside it where there is one
    """

    name: str
    kind: str
    format: str
    required: bool
    choices: list[list[str]]
    least: float | None
    most: float | None
    default: Any
    texts: dict[str, str]

    def text(self, word: str, lang: str) -> str:
        """Return one of its texts in `zh` or `en`, in whichever is there."""
        own, english = self.texts.get(word, ""), self.texts.get(f"{word}_en", "")
        return (english or own) if lang == "en" else (own or english)

    def title(self, lang: str) -> str:
        """Return what the field is called."""
        return self.text("title", lang) or self.name

    def choice_titles(self, lang: str) -> list[tuple[str, str]]:
        """Return value and title of each choice."""
        return [(value, (english or own) if lang == "en" else (own or english)) for value, own, english in self.choices]


class Form(NamedTuple):
    """A form of a skill; its fields in the order in which they are asked.

    private   no answer goes to a provider on a model's call, or into the audit trail
    lasting   about the user: its first answers hold in every session
    """

    name: str
    skill: str
    texts: dict[str, str]
    fields: tuple[FormField, ...]
    private: bool = False
    lasting: bool = False

    def title(self, lang: str) -> str:
        """Return what the form is called, in `zh` or `en`."""
        own, english = self.texts.get("title", ""), self.texts.get("title_en", "")
        return ((english or own) if lang == "en" else (own or english)) or self.name

    def slot(self, field: FormField) -> str:
        """Return the slot that a field fills."""
        return f"{self.name}.{field.name}"

    def missing_fields(self, slots: Mapping[str, Any]) -> list[FormField]:
        """Return the required fields whose slots are not filled."""
        return [field for field in self.fields if field.required and self.slot(field) not in slots]


def load_forms(ws: Workspace, skill: Skill) -> list[Form]:
    """Return the forms of a skill.

    raises  BadData with the form and the field.
    """
    made = load_made(ws, f"{skill.path}/{FILE}", parse_forms)
    return [
        Form(
            name=each["name"],
            skill=skill.name,
            texts=each["texts"],
            fields=tuple(FormField(**field) for field in each["fields"]),
            private=each["private"],
            lasting=each["lasting"],
        )
        for each in made or ()
    ]


def list_forms(ws: Workspace, first: Iterable[str] = ()) -> list[Form]:
    """Return the forms of all skills that can be used; those of the skills named `first` come first."""
    order = {name: at for at, name in enumerate(first)}
    usable = [each for each in list_skills(ws) if each.problem is None and each.enabled]
    found: list[Form] = []
    for skill in sorted(usable, key=lambda each: order.get(each.name, len(order))):
        try:
            found += load_forms(ws, skill)
        except IaError:
            continue
    return found


def find_form(ws: Workspace, name: str, first: Iterable[str] = ()) -> Form:
    """Return a form by its name; of several skills that have it, that of the first of `first`.

    raises  NotFound; BadData where the only file that could have it is broken.
    """
    known = list_forms(ws, first)
    for form in known:
        if form.name == name:
            return form
    for skill in list_skills(ws):
        if skill.name in first:
            load_forms(ws, skill)
    names = ", ".join(dict.fromkeys(form.name for form in known)) or "-"
    raise NotFound("{form}: no such form", form=name[:80], known=names, hint="forms: {known}")


def parse_forms(text: str) -> list[Json]:
    """Return the forms of a forms.yaml, checked.

    raises  BadData that names the form and the field.
    """
    tree = load_yaml(text, FILE)
    written = tree.get("forms") if isinstance(tree, dict) else None
    if not isinstance(written, dict) or not written:
        raise BadData("{path} must begin with `forms:` and a form by its name", path=FILE)
    if len(written) > MAX_FORMS:
        raise BadData("{path}: more than {most} forms", path=FILE, most=MAX_FORMS)
    return [_parse_form(name, entry) for name, entry in written.items()]


def read_answer(field: FormField, value: object, lang: str = "en") -> Any:
    """Return the value that an answer stands for: as JSON has it, or as people type it.

    raises  BadData that says what would do.
    """
    if isinstance(value, str):
        value = strip_controls(value).strip()
    reader = {"choice": _read_choice, "choices": _read_choices, "boolean": _read_switch, "string": _read_text}
    return reader.get(field.kind, _read_number)(field, value, lang)


def format_answer(field: FormField, value: Any, lang: str) -> str:
    """Return a value as people read it: the title of a choice, a date as it is written."""
    if field.kind == "choices" and isinstance(value, list):
        return ("、" if lang == "zh" else ", ").join(format_answer(field, each, lang) for each in value)
    if field.kind in ("choice", "choices"):
        return dict(field.choice_titles(lang)).get(str(value), str(value))
    if isinstance(value, bool):
        return translate(YES_WORD if value else NO_WORD, lang)
    if field.format == "date" and isinstance(value, str):
        day = date.fromisoformat(value)
        return date_in_words(day, lang)
    return str(value)


def narrate_form(form: Form, slots: Mapping[str, Any], lang: str) -> str:
    """Return what a form's filled slots say, as a line: `Birth data: born on 15 May 1990, female`; "" for none."""
    told = []
    for field in form.fields:
        if (value := slots.get(form.slot(field))) is None:
            continue
        words = format_answer(field, value, lang)
        narrate = field.text("narrate", lang)
        told.append(narrate.replace("{value}", words) if narrate else f"{field.title(lang)} {words}")
    if not told:
        return ""
    return f"{form.title(lang)}：{'，'.join(told)}" if lang == "zh" else f"{form.title(lang)}: {', '.join(told)}"


def mcp_schema(form: Form, slots: Mapping[str, Any], lang: str) -> Json:
    """Return a form as MCP asks for it: a flat object of primitives, what is filled in already as the defaults."""
    properties = {}
    for field in form.fields:
        told: Json = {"title": field.title(lang)}
        told |= {"description": words} if (words := field.text("description", lang)) else {}
        told |= _mcp_type(field, lang)
        default = slots.get(form.slot(field), field.default)
        properties[field.name] = told | ({"default": default} if default is not None else {})
    required = [field.name for field in form.fields if field.required]
    return {"type": "object", "properties": properties, "required": required}


def _mcp_type(field: FormField, lang: str) -> Json:
    """Return the type of a field in MCP's subset; a time of day is a text there."""
    choices = [{"const": value, "title": title} for value, title in field.choice_titles(lang)]
    if field.kind == "choice":
        return {"type": "string", "oneOf": choices}
    if field.kind == "choices":
        bounds = {"minItems": field.least, "maxItems": field.most}
        return {"type": "array", "items": {"anyOf": choices}, **{k: int(v) for k, v in bounds.items() if v is not None}}
    if field.kind == "string":
        return {"type": "string", **({"format": field.format} if field.format not in ("", "time") else {})}
    bounds = {"minimum": field.least, "maximum": field.most} if field.kind != "boolean" else {}
    return {"type": field.kind, **{name: bound for name, bound in bounds.items() if bound is not None}}


def _parse_form(name: str, entry: object) -> Json:
    if not _NAME.fullmatch(name):
        raise BadData(
            "{path}: {form!r} is no name of a form; use lower-case letters, digits and _", path=FILE, form=name[:60]
        )
    properties = entry.get("properties") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(properties, dict) or not properties:
        raise _error(name, "properties", Message("a mapping of fields"))
    if len(properties) > MAX_FIELDS:
        raise _error(name, "properties", Message("at most {most} fields", most=MAX_FIELDS))
    if unknown := sorted(entry.keys() - _FORM_FIELDS):
        raise BadData("{path}: {form}: unknown field {field}", path=FILE, form=name, field=unknown[0][:60])
    required, order = entry.get("required", []), entry.get("order", [])
    for word, listed in (("required", required), ("order", order)):
        if not isinstance(listed, list) or not all(each in properties for each in listed):
            raise _error(name, word, Message("a list of its fields"))
    fields = {
        str(field): _parse_field(f"{name}.{field}", str(field), about, str(field) in required)
        for field, about in properties.items()
    }
    names = [*order, *(each for each in fields if each not in order)]
    for switch in ("private", "lasting"):
        if not isinstance(entry.get(switch, False), bool):
            raise _error(name, switch, Message("true or false"))
    found = [fields[each] for each in dict.fromkeys(names)]
    switches = {switch: entry.get(switch, False) for switch in ("private", "lasting")}
    return {"name": name, "texts": _texts(entry, name), "fields": found, **switches}


def _parse_field(where: str, name: str, about: object, required: bool) -> Json:
    if not _NAME.fullmatch(name):
        raise BadData(
            "{path}: {form!r} is no name of a form; use lower-case letters, digits and _", path=FILE, form=where[:80]
        )
    if not isinstance(about, dict):
        raise _error(where, "type", Message("one of {known}", known="string, integer, number, boolean, array"))
    if unknown := sorted(about.keys() - _FIELD_FIELDS):
        raise BadData("{path}: {form}: unknown field {field}", path=FILE, form=where, field=unknown[0][:60])
    kind, choices = _read_kind(where, about)
    formatted = about.get("format", "")
    if formatted and (kind != "string" or formatted not in FORMATS):
        raise _error(where, "format", Message("one of {known}", known=", ".join(FORMATS)))
    low, high = {"string": ("minLength", "maxLength"), "choices": ("minItems", "maxItems")}.get(
        kind, ("minimum", "maximum")
    )
    bounds = []
    for word in (low, high):
        bound = about.get(word)
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float)):
            raise _error(where, word, Message("a number"))
        bounds.append(bound)
    field: Json = {
        "name": name,
        "kind": kind,
        "format": formatted,
        "required": required,
        "choices": choices,
        "least": bounds[0],
        "most": bounds[1],
        "default": None,
        "texts": _texts(about, where),
    }
    if about.get("default") is not None:
        try:
            field["default"] = read_answer(FormField(**field), about["default"])
        except BadData as exc:
            raise BadData("{path}: {form}: default: {problem}", path=FILE, form=where, problem=exc) from None
    return field


def _read_kind(where: str, about: Json) -> tuple[str, list[list[str]]]:
    """Return the kind of a field, and its choices."""
    kind = about.get("type", "string" if "enum" in about or "oneOf" in about else None)
    if kind == "array":
        items = about.get("items")
        if not isinstance(items, dict) or not ("enum" in items or "oneOf" in items or "anyOf" in items):
            raise _error(where, "items", Message("`enum` or `oneOf` with the choices"))
        return "choices", _parse_choices(f"{where}.items", items)
    if kind == "string" and ("enum" in about or "oneOf" in about):
        return "choice", _parse_choices(where, about)
    if kind not in ("string", "integer", "number", "boolean"):
        raise _error(where, "type", Message("one of {known}", known="string, integer, number, boolean, array"))
    if "enum" in about or "oneOf" in about or "items" in about:
        raise _error(where, "type", Message("string, where there are choices"))
    return str(kind), []


def _parse_choices(where: str, about: Json) -> list[list[str]]:
    titled = about.get("oneOf", about.get("anyOf"))
    listed = titled if titled is not None else about.get("enum")
    found: list[list[str]] = []
    for each in listed if isinstance(listed, list) else ():
        value = each.get("const") if isinstance(each, dict) else each
        if isinstance(value, bool) or not isinstance(value, str | int | float) or str(value) in (v for v, *_ in found):
            raise _error(where, "oneOf", Message("a list of choices, each with a `const` of its own"))
        about_it = each if isinstance(each, dict) else {}
        titles = [fold_description(about_it.get(word)) for word in ("title", "title_en")]
        found.append([str(value), titles[0] or titles[1] or str(value), titles[1]])
    if not found or len(found) > MAX_CHOICES:
        raise _error(where, "oneOf", Message("a list of choices, each with a `const` of its own"))
    return found


def _texts(about: Json, where: str) -> dict[str, str]:
    texts = {}
    for word in _WORDS:
        if isinstance(about.get(word), dict | list):
            raise _error(where, word, Message("a text"))
        if about.get(word) is not None:
            texts[word] = fold_description(about[word])
    return texts


def _read_choice(field: FormField, value: object, lang: str) -> str:
    given = str(value).strip()
    for at, (const, own, english) in enumerate(field.choices, 1):
        if given.casefold() in {const.casefold(), own.casefold(), english.casefold()} - {""}:
            return const
        if given == str(at) and given not in {each[0] for each in field.choices}:
            return const
    known = ", ".join(const for const, *_ in field.choices[:20])
    raise _answer_error(field, value, Message("one of {known}", known=known), lang)


def _read_choices(field: FormField, value: object, lang: str) -> list[str]:
    parts = value if isinstance(value, list) else str(value).replace("，", ",").replace("、", ",").split(",")
    chosen = [_read_choice(field, part, lang) for part in parts if str(part).strip()]
    chosen = list(dict.fromkeys(chosen))
    if len(chosen) < (field.least or 0) or (field.most is not None and len(chosen) > field.most):
        counts = Message("{least} to {most} choices", least=int(field.least or 0), most=_bound(field.most))
        raise _answer_error(field, value, counts, lang)
    return chosen


def _read_switch(field: FormField, value: object, lang: str) -> bool:
    word = str(value).strip().casefold()
    if word in ("yes", "y", "true", "是", "1"):
        return True
    if word in ("no", "n", "false", "否", "0"):
        return False
    raise _answer_error(field, value, Message("yes or no"), lang)


def _read_number(field: FormField, value: object, lang: str) -> int | float:
    try:
        number = float(str(value)) if not isinstance(value, bool) else float("nan")
    except ValueError:
        number = float("nan")
    whole = field.kind == "integer"
    if number - number != 0 or (whole and not number.is_integer()):
        raise _answer_error(field, value, Message("a whole number") if whole else Message("a number"), lang)
    if (field.least is not None and number < field.least) or (field.most is not None and number > field.most):
        between = Message("a number from {least} to {most}", least=_bound(field.least), most=_bound(field.most))
        raise _answer_error(field, value, between, lang)
    return int(number) if whole else number


def _read_text(field: FormField, value: object, lang: str) -> str:
    if isinstance(value, dict | list | bool) or value is None:
        raise _answer_error(field, value, Message("a text"), lang)
    text = str(value)
    most = min(field.most or MAX_TEXT, MAX_TEXT)
    if not text or len(text) < (field.least or 0) or len(text) > most or "\n" in text:
        raise _answer_error(field, value, Message("one line of at most {most} characters", most=int(most)), lang)
    return _READERS[field.format](field, text, lang) if field.format else text


def _read_date(field: FormField, text: str, lang: str) -> str:
    parts = text.replace("年", "-").replace("月", "-").replace("日", "").replace("/", "-").split("-")
    try:
        return date(*(int(part) for part in parts)).isoformat()
    except (ValueError, TypeError):
        raise _answer_error(field, text, Message("a date as YYYY-MM-DD"), lang) from None


def _read_time(field: FormField, text: str, lang: str) -> str:
    try:
        hour, minute, *_ = (int(part) for part in text.replace("：", ":").split(":"))
        return time(hour, minute).isoformat("minutes")
    except ValueError:
        raise _answer_error(field, text, Message("a time as HH:MM"), lang) from None


def _read_moment(field: FormField, text: str, lang: str) -> str:
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        raise _answer_error(field, text, Message("a date and time as YYYY-MM-DDTHH:MM"), lang) from None


def _read_email(field: FormField, text: str, lang: str) -> str:
    if _EMAIL.fullmatch(text):
        return text
    raise _answer_error(field, text, Message("an e-mail address"), lang)


def _read_uri(field: FormField, text: str, lang: str) -> str:
    if _URI.fullmatch(text):
        return text
    raise _answer_error(field, text, Message("an address (URI)"), lang)


_READERS = {"date": _read_date, "time": _read_time, "date-time": _read_moment, "email": _read_email, "uri": _read_uri}


def _bound(number: float | None) -> str:
    return "…" if number is None else f"{number:g}"


def _answer_error(field: FormField, value: object, what: Message, lang: str) -> BadData:
    shown = " ".join(str(value).split())[:80]
    return BadData("{field}: {value!r} is not {what}", field=field.title(lang), value=shown, what=what)


def _error(form: str, field: str, what: Message) -> BadData:
    return BadData("{path}: {form}: {field} must be {what}", path=FILE, form=form[:80], field=field, what=what)
