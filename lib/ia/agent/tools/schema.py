"""From types to JSON Schema, and from arguments that do not fit to sentences that a model can act on."""

import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ia.kernel.errors import BadData
from ia.kernel.jsontypes import Json


@dataclass(frozen=True)
class AtLeast:
    """The least number that an argument takes, in its `Annotated[int, "…", AtLeast(1)]`."""

    number: int


_SIMPLE: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}


def function_schema(function: Callable[..., object]) -> Json:
    """Return the schema of a tool's parameters; the first one, the Scope, is not part of it."""
    hints = typing.get_type_hints(function, include_extras=True)
    properties: Json = {}
    required = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        properties[parameter.name] = type_schema(hints[parameter.name])
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
        elif parameter.default not in (None, "", ()):
            properties[parameter.name]["default"] = parameter.default
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def type_schema(annotation: object) -> Json:
    """Return the schema of one type: text, numbers, booleans, literals, lists, objects, and what may be left out."""
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *about = typing.get_args(annotation)
        told = {"minimum" if isinstance(each, AtLeast) else "description": each for each in about}
        least = {"minimum": told["minimum"].number} if "minimum" in told else {}
        return {**type_schema(inner), **told, **least}
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        kinds = [type_schema(kind) for kind in typing.get_args(annotation) if kind is not type(None)]
        if len(kinds) == 1 and "enum" not in kinds[0]:
            return {**kinds[0], "type": [kinds[0]["type"], "null"]}
        return {"anyOf": [*kinds, {"type": "null"}]}
    if typing.get_origin(annotation) is typing.Literal:
        return {"type": "string", "enum": list(typing.get_args(annotation))}
    if typing.get_origin(annotation) is list:
        return {"type": "array", "items": type_schema(typing.get_args(annotation)[0])}
    if typing.get_origin(annotation) is dict:
        return {"type": "object"}
    return {"type": _SIMPLE[annotation]}


def shorten_schema(schema: Json) -> Json:
    """Return what a model is told of a schema: less what goes without saying, as each turn pays for it.

    What may be left out need not be null, and what is false by default need not say so; check() takes both. That a
    count is at least 0 or 1 goes without saying.
    """
    required = schema.get("required", [])
    short = {**schema, "properties": {}}
    for name, kind in schema.get("properties", {}).items():
        brief = {
            key: value
            for key, value in kind.items()
            if not (key == "default" and value is False) and not (key == "minimum" and value in (0, 1))
        }
        if name not in required and (other := _without_null(brief.get("anyOf"))):
            del brief["anyOf"]
            brief = {**other, **brief}
        if name not in required and isinstance(kind.get("type"), list) and kind["type"][1:] == ["null"]:
            brief["type"] = kind["type"][0]
        short["properties"][name] = brief
    short.pop("additionalProperties", None)
    if not required:
        short.pop("required", None)
    return short


def _without_null(kinds: object) -> Json:
    """Return the one kind that stands beside null in an anyOf; {} where it is not like that."""
    known = [kind for kind in kinds if kind != {"type": "null"}] if isinstance(kinds, list) else []
    return known[0] if len(known) == 1 else {}


def validate_arguments(name: str, schema: Json, arguments: Any) -> None:
    """Raise BadData that names every argument that does not fit, and what would.

    jsonschema takes longer to load than most tools take to run: it is asked where arguments do not plainly fit.
    """
    if _plainly_fits(schema, arguments):
        return
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(schema).iter_errors(arguments), key=lambda error: list(map(str, error.path)))
    if errors:
        raise BadData(
            "{tool}: {problems}",
            tool=name,
            problems="; ".join(map(_format_error, errors[:5])),
            hint="arguments of {tool}: {usage}",
            usage=format_usage(schema),
        )


_KNOWN: dict[str, tuple[type, ...]] = {
    "type": (str, list), "enum": (list,), "anyOf": (list,), "items": (dict,), "properties": (dict,),
    "required": (list,), "additionalProperties": (bool,), "minimum": (int, float), "description": (object,),
    "default": (object,),
}  # fmt: skip
"""The words of JSON Schema that `type_schema` writes, and their types; the last two say nothing about what fits."""


def _plainly_fits(schema: object, value: object) -> bool:
    """Return True if a value fits a schema of words that are known here; False also where that is open."""
    if not isinstance(schema, dict):
        return False
    if not all(isinstance(told, _KNOWN.get(word, ())) for word, told in schema.items()):
        return False
    if "type" in schema and not any(_is_of_type(kind, value) for kind in _type_names(schema["type"])):
        return False
    if "minimum" in schema and isinstance(value, int | float) and value < schema["minimum"]:
        return False
    if "enum" in schema and not (isinstance(value, str) and value in schema["enum"]):
        return False
    if "anyOf" in schema and not any(_plainly_fits(kind, value) for kind in schema["anyOf"]):
        return False
    if isinstance(value, list) and "items" in schema:
        return all(_plainly_fits(schema["items"], item) for item in value)
    return not isinstance(value, dict) or _object_fits(schema, value)


def _object_fits(schema: Json, value: Json) -> bool:
    """Return True if an object has what a schema requires, and of each property what fits."""
    kinds = schema.get("properties", {})
    if not all(name in value for name in schema.get("required", ())):
        return False
    if not value.keys() <= kinds.keys() and not schema.get("additionalProperties", True):
        return False
    return all(_plainly_fits(kinds[name], item) for name, item in value.items() if name in kinds)


def _type_names(named: object) -> list[object]:
    return named if isinstance(named, list) else [named]


def _is_of_type(kind: object, value: object) -> bool:
    if isinstance(value, bool) or value is None:
        return kind == ("null" if value is None else "boolean")
    types: dict[object, tuple[type, ...]] = {
        "string": (str,), "integer": (int,), "number": (int, float), "array": (list,), "object": (dict,)
    }  # fmt: skip
    return isinstance(value, types.get(kind, ()))


def convert_whole_numbers(schema: Json, arguments: Json) -> Json:
    """Return arguments that fit, with 5.0 as 5 where a whole number is meant: JSON does not tell the two apart."""
    kinds = schema.get("properties", {})
    return {
        key: int(value) if isinstance(value, float) and "integer" in _json_types(kinds.get(key)) else value
        for key, value in arguments.items()
    }


def _json_types(kind: object) -> list[object]:
    return _type_names(kind.get("type")) if isinstance(kind, dict) else [None]


def format_usage(schema: Json) -> str:
    """Return the arguments in one line: `symbol: string, period?: daily|weekly`."""
    required = schema.get("required", [])
    told = []
    for name, kind in schema.get("properties", {}).items():
        type_ = kind.get("type", "any")
        said = "|".join(map(str, kind["enum"])) if "enum" in kind else type_ if isinstance(type_, str) else type_[0]
        told.append(f"{name}{'' if name in required else '?'}: {said}")
    return ", ".join(told) or "none"


def _format_error(error: Any) -> str:
    where = ".".join(map(str, error.absolute_path))
    return f"{where}: {error.message[:200]}" if where else str(error.message)[:200]
