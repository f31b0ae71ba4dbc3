"""From types to JSON Schema, and from arguments that do not fit to sentences that a model can act on."""

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from ia.kernel.errors import BadData
from ia.kernel.jsontypes import Json

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
        inner, text, *_ = typing.get_args(annotation)
        return {**type_schema(inner), "description": text}
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

    What may be left out need not be null, and what is false by default need not say so; check() takes both.
    """
    required = schema.get("required", [])
    short = {**schema, "properties": {}}
    for name, kind in schema.get("properties", {}).items():
        brief = {key: value for key, value in kind.items() if key != "default" or value is not False}
        if name not in required and isinstance(kind.get("type"), list) and kind["type"][1:] == ["null"]:
            brief["type"] = kind["type"][0]
        short["properties"][name] = brief
    short.pop("additionalProperties", None)
    if not required:
        short.pop("required", None)
    return short


def validate_arguments(name: str, schema: Json, arguments: Any) -> None:
    """Raise BadData that names every argument that does not fit, and what would."""
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


def convert_whole_numbers(schema: Json, arguments: Json) -> Json:
    """Return arguments that fit, with 5.0 as 5 where a whole number is meant: JSON does not tell the two apart."""
    kinds = schema.get("properties", {})
    return {
        key: int(value) if isinstance(value, float) and "integer" in _json_types(kinds.get(key)) else value
        for key, value in arguments.items()
    }


def _json_types(kind: object) -> list[object]:
    named = kind.get("type") if isinstance(kind, dict) else None
    return named if isinstance(named, list) else [named]


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
