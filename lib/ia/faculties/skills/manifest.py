"""SKILL.md: the fields of its front matter, and the arguments that are filled into its body."""

import json
import re

from ia.kernel.errors import BadData
from ia.kernel.formats.frontmatter import split_text
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_FIELD = pattern(r"([A-Za-z_][\w-]*):[ \t]+(?![\"'|>&*!#])(\S.*)")
_PLACE = pattern(r"\$ARGUMENTS\[(\d)\]|\$ARGUMENTS\b|\$([1-9])(?!\d)")
_VERSION = pattern(r"^version:[ \t]*([0-9.]+)[ \t]*$", re.M)
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


def read_fields(text: str) -> Json:
    """Return the fields of a SKILL.md; those that Claude Code takes though they are no YAML (`description: a: b`) too.

    `body` is not among them; where there is no description, the first paragraph of the body stands for it.
    raises  BadData with the line.
    """
    head, body = split_text(text, "SKILL.md")
    found = _load_head(head) if head is not None else {}
    version = _VERSION.search(head or "")
    if version is not None:  # YAML takes 1.10 for a number
        found["version"] = version[1]
    if not found.get("description"):
        found["description"] = _first_paragraph(body).removeprefix("description:").strip()
    return found


def _load_head(head: str) -> Json:
    try:
        found = load_yaml(head, "SKILL.md")
    except BadData:
        quoted = "\n".join(_quote_line(line) for line in head.split("\n"))
        if quoted == head:
            raise
        try:
            found = load_yaml(quoted, "SKILL.md")
        except BadData:
            found = None
        if found is None:  # the first failure is about what the person wrote
            raise
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadData("{name}:1: front matter must be `field: value` lines", name="SKILL.md")
    return found


def _quote_line(line: str) -> str:
    """Return a `field: value` line with its value quoted, unless it is a list, a block or quoted already."""
    match = _FIELD.fullmatch(line.rstrip())
    if match is None or (match[2][0] in "[{" and match[1] != "argument-hint"):
        return line
    return f"{match[1]}: {json.dumps(match[2], ensure_ascii=False)}"


def _first_paragraph(body: str) -> str:
    for part in re.split(r"\n\s*\n", body[:8000]):
        lines = [
            line.strip() for line in part.split("\n") if line.strip() and not line.lstrip().startswith(("#", "!["))
        ]
        if lines:
            return " ".join(lines)[:500]
    return ""


def read_line(value: object, field: str) -> str:
    """Return a field as one line of text; "" where it is absent.

    raises  BadData for a list or a structure.
    """
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise BadData("{name}: {field} is not text", name="SKILL.md", field=field)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())


def read_hint(value: object) -> str:
    """Return an argument-hint: `[a, b]`, which YAML takes for a list, is a hint as it is written."""
    if isinstance(value, list):
        return "[" + ", ".join(read_line(item, "argument-hint") for item in value) + "]"
    return read_line(value, "argument-hint")


def read_switch(value: object, field: str, default: bool) -> bool:
    """Return a yes or no.

    raises  BadData for anything else: what a switch does must not be guessed.
    """
    if value is None:
        return default
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise BadData("{name}: {field} must be true or false", name="SKILL.md", field=field)


def read_words(value: object, field: str) -> tuple[str, ...]:
    """Return a list, or a text of items between commas.

    raises  BadData for a structure.
    """
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(filter(None, (read_line(item, field) for item in value)))
    return tuple(item.strip() for item in re.split("[,，、]", read_line(value, field)) if item.strip())


def read_tools(value: object, field: str) -> tuple[str, ...]:
    """Return names of tools: a list, or a text of names between commas or spaces; `Bash(git add:*)` is one.

    raises  BadData for a structure.
    """
    if isinstance(value, list):
        return read_words(value, field)
    return tuple(re.findall(r"(?:[^\s,(]|\([^)]*\)?)+", read_line(value, field)))


def fill_arguments(body: str, arguments: str) -> str:
    """Return a body with `$ARGUMENTS` (all), `$1`… (first…) and `$ARGUMENTS[0]`… (first…) replaced.

    A body that names none of them gets the arguments at its end. What is filled in is not looked at again.

    >>> fill_arguments("compare $1 with $2", "'A B' C")
    'compare A B with C'
    """
    given = _split_arguments(arguments)

    def one(match: re.Match[str]) -> str:
        number = int(match[1]) if match[1] else int(match[2]) - 1 if match[2] else None
        if number is None:
            return arguments.strip()
        return given[number] if number < len(given) else ""

    out, count = _PLACE.subn(one, body)
    return out if count or not arguments.strip() else f"{out.rstrip()}\n\nARGUMENTS: {arguments.strip()}\n"


def _split_arguments(text: str) -> list[str]:
    import shlex

    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed
        return text.split()
