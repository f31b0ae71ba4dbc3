"""What a tool's arguments may be: JSON Schema, in full or in short, held to what a reader can follow.

A schema that comes from a server is text from outside. It is reduced to what decides and describes: it may refer to
nothing but itself, and what it says in words is folded and cut.
"""

import re
from collections.abc import Mapping
from typing import Any

from ia.kernel.errors import BadData, Message
from ia.kernel.jsontypes import Json
from ia.kernel.untrusted import fold_text

TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
MAX_DEPTH = 12
MAX_WORDS = 300
"""Characters that a tool or a parameter may be described with."""
_INSIDE = ("properties", "$defs", "definitions", "patternProperties")
_ANY_OF = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = ("items", "additionalProperties", "not")


def build_schema(written: object, where: str) -> Json:
    """Return the schema of what stands under `parameters`.

    None is an object of anything; a mapping without `type: object` is the short form: name -> type or description or
    schema, where a name that ends in `?` may be left out.
    raises  BadData where it is neither.
    """
    if written is None:
        return {"type": "object", "properties": {}}
    if not isinstance(written, dict):
        raise _schema_error(where, Message("a mapping with names as keys"))
    if written.get("type") == "object" or isinstance(written.get("properties"), dict):
        return check_schema({"type": "object", "properties": {}, **written}, where)
    properties: Json = {}
    required = []
    for key, value in written.items():
        name = str(key).removesuffix("?")
        properties[name] = _expand_short_form(value, f"{where}.{name}")
        if name == str(key):
            required.append(name)
    short = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return check_schema(short, where)


def fold_description(text: object) -> str:
    """Return a description as one folded line of at most MAX_WORDS characters."""
    line = " ".join(fold_text(str(text or "")).split())
    return line if len(line) <= MAX_WORDS else line[: MAX_WORDS - 1] + "…"


def check_schema(schema: object, where: str) -> Json:
    """Return an object's schema with short descriptions, and all that a validator would stumble over refused.

    raises  BadData that names the place.
    """
    told = _check_node(schema, where, schema, 0)
    if not isinstance(told, dict) or told.get("type") != "object":
        raise _schema_error(where, Message("a schema of an object"))
    return told


def _expand_short_form(value: object, where: str) -> Json:
    if isinstance(value, dict):
        return value
    if value in TYPES:
        return {"type": value}
    if value is None or isinstance(value, str):
        return {"type": "string", **({"description": value} if value else {})}
    raise _schema_error(where, Message("a type, a description or a schema"))


def _check_node(schema: object, where: str, root: object, depth: int) -> object:
    if isinstance(schema, bool) and depth:
        return schema
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        raise _schema_error(where, Message("a schema"))
    _check_keywords(schema, where, root)
    out: Json = {}
    for key, value in schema.items():
        at = f"{where}.{key}"
        if key in _WORDS:
            out[key] = fold_description(value)
        elif key in _INSIDE:
            if not isinstance(value, dict):
                raise _schema_error(at, Message("a mapping with names as keys"))
            inner = {str(name): _check_node(item, f"{at}.{name}", root, depth + 1) for name, item in value.items()}
            if key == "properties" and not all(isinstance(item, dict) for item in inner.values()):
                raise _schema_error(at, Message("a mapping with names as keys"))
            out[key] = inner
        elif key in _ANY_OF:
            if not isinstance(value, list) or not value:
                raise _schema_error(at, Message("a list of schemas"))
            out[key] = [_check_node(item, at, root, depth + 1) for item in value]
        elif key in _ONE:
            out[key] = _check_node(value, at, root, depth + 1)
        elif key in _PLAIN:
            out[key] = value
    return out


_WORDS = ("description", "title", "description_en", "title_en")
_PLAIN = frozenset(
    {
        "type",
        "enum",
        "const",
        "default",
        "required",
        "format",
        "pattern",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "uniqueItems",
        "$ref",
        "examples",
    }
)
"""Keywords that are taken over as they stand; those that are in no list here are left out."""
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _check_keywords(schema: Mapping[str, object], where: str, root: object) -> None:
    """Raise BadData where a keyword's value is none that a validator can work with."""
    kind = schema.get("type", "object")
    kinds = kind if isinstance(kind, list) and kind else [kind]
    if not all(isinstance(item, str) and item in TYPES for item in kinds):
        raise _schema_error(f"{where}.type", Message("one of {types}", types=", ".join(TYPES)))
    if not isinstance(schema.get("enum", [""]), list) or not schema.get("enum", [""]):
        raise _schema_error(f"{where}.enum", Message("a list of values"))
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise _schema_error(f"{where}.required", Message("a list of names"))
    for key in (*_COUNTS, *_NUMBERS):
        value = schema.get(key, 1)
        if isinstance(value, bool) or not isinstance(value, int if key in _COUNTS else int | float):
            raise _schema_error(f"{where}.{key}", Message("a number"))
    for pattern in filter(None, [schema.get("pattern"), *_named_keys(schema.get("patternProperties"))]):
        try:
            re.compile(pattern)
        except (re.error, TypeError, RecursionError, OverflowError):
            raise _schema_error(f"{where}.pattern", Message("a regular expression")) from None
    if "$ref" in schema and not _is_local_reference(schema["$ref"], root):
        raise _schema_error(f"{where}.$ref", Message("a reference within this schema"))


def _named_keys(value: object) -> list[Any]:
    return list(value) if isinstance(value, dict) else []


def _is_local_reference(reference: object, root: Any) -> bool:
    """Whether a reference is `#/$defs/NAME` of this very schema: nothing is ever fetched to understand a schema."""
    parts = str(reference).split("/")
    return (
        len(parts) == 3
        and parts[0] == "#"
        and parts[1] in ("$defs", "definitions")
        and parts[2] in _named_keys(root.get(parts[1]))
    )


def _schema_error(where: str, what: Message) -> BadData:
    return BadData("{where} must be {what}", where=where, what=what)
