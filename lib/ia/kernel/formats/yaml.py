"""YAML that people wrote: loaded safely and with limits, into what JSON can hold.

The limits keep a hostile file from taking minutes: the time for `[[[[…` grows with the square of its depth.
"""

import datetime
import functools
import io
import json
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern

MAX_TEXT = 200_000
"""Characters of a document."""
MAX_DEPTH = 40
"""Nesting of lists and mappings in a document. The only bound on nesting: for skills, tasks, providers and settings."""
MAX_VALUES = 40_000
"""Values in a document, aliases written out."""
_DEEP = pattern(rf"(?:[\[{{]\s*){{{MAX_DEPTH + 1}}}")
"""A run of brackets that passes MAX_DEPTH: the parser would look at each of them for a second before it counts."""


_PLAIN = pattern(r"[A-Za-z_(\u4e00-\u9fff](?:[ -~\u4e00-\u9fff]*[!-9;-~\u4e00-\u9fff])?")
"""Texts that need no quotes, but for `_WORDS`, comments and keys in them."""
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})


def load_yaml(text: str, name: str) -> Any:
    """Return a document as dicts, lists, texts, numbers, booleans and None. `name` is for messages.

    raises  BadData where it is not YAML (with `line`), too large, too deep, or refers to itself.
    """
    return _copy_plain(_load_once(text, name), name, [MAX_VALUES], 0)


def load_editable(text: str, name: str) -> Any:
    """Return a document that dump_editable() writes with its comments, its order and its quotes.

    raises  as load_yaml().
    """
    _load_document(
        text, name, "safe"
    )  # the loader that keeps comments takes minutes for `? ? ? ?`, which this one refuses
    return _load_document(text, name, "rt")


def dump_editable(tree: object) -> str:
    """Return the text of what load_editable() returned, or of a plain dict."""
    out = io.StringIO()
    writer = _make_parser("rt")
    writer.width = 4096
    writer.dump(tree, out)
    return out.getvalue()


def dump_mapping(tree: Mapping[str, Any]) -> str:
    """Return the text of a mapping of texts, numbers, booleans and mappings of them, as YAML.

    The library takes longer to load than a short command runs.
    """
    return "".join(_dump_items(tree, ""))


def _dump_items(tree: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield f"{indent}{_dump_scalar(key)}:\n"
            yield from _dump_items(value, indent + "  ")
        else:
            yield f"{indent}{_dump_scalar(key)}: {_dump_scalar(value)}\n"


def _dump_scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS and ": " not in value and " #" not in value:
        return value
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value)


def _make_parser(kind: str) -> Any:
    from ruamel.yaml import YAML

    made = YAML(typ=kind)
    made.max_depth = MAX_DEPTH
    return made


@functools.lru_cache(maxsize=64)
def _load_once(text: str, name: str) -> object:
    """Return what the safe loader makes of a text. It takes milliseconds, and a program reads the same files again."""
    return _load_document(text, name, "safe")


def _load_document(text: str, name: str, kind: str) -> object:
    from ruamel.yaml.composer import MaxDepthExceededError
    from ruamel.yaml.error import YAMLError

    if len(text) > MAX_TEXT or _DEEP.search(text):
        raise _size_error(name)
    try:
        with warnings.catch_warnings():  # of anchors that stand twice
            warnings.simplefilter("ignore")
            return _make_parser(kind).load(text)
    except MaxDepthExceededError:
        raise _size_error(name) from None
    except YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        why = " ".join(str(getattr(exc, "problem", None) or "not YAML").split())[:120]
        raise BadData("{name}:{line}: {why}", name=name, line=mark.line + 1 if mark else 1, why=why) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):  # 2024-99-99, !!int abc
        raise BadData("{name}: a value does not match its type", name=name) from None


def _copy_plain(value: object, name: str, left: list[int], depth: int) -> object:
    left[0] -= 1
    if left[0] < 0 or depth > MAX_DEPTH:
        raise _size_error(name)
    if isinstance(value, dict):
        return {str(key): _copy_plain(item, name, left, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_copy_plain(item, name, left, depth + 1) for item in value]
    if isinstance(value, float) and value - value != 0:
        return str(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return value.isoformat() if isinstance(value, datetime.date | datetime.datetime) else str(value)


def _size_error(name: str) -> BadData:
    return BadData("{name}: too large, or nested too deeply", name=name)
