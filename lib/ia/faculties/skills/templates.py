"""Templates: a text in Chinese and English side by side, with fields that are filled in. See ia-skill(5).

`<!-- zh -->` and `<!-- en -->` begin the two languages. `{name}` is a field. A line with a field that is a list stands
once for each of its items; a line that is nothing but a field stands for its lines, and is left out where it is empty.
Lines between `{if name}` (or `{if not name}`) and `{end}` stand only where the field has (has not) a value. Lines
between `{each name}` and `{end}` stand once for each item of a list, whose own fields they may name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ia.faculties.skills import registry
from ia.faculties.skills.model import Skill
from ia.faculties.skills.tables import load_shipped, load_table
from ia.kernel import config, untrusted
from ia.kernel.errors import BadData, IaError, Message, Notify, drop_message
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

Item = Mapping[str, str | Sequence[str]]
"""The fields of one item of a list."""
Field = str | Sequence[str] | Sequence[Item]
_LANGUAGE = pattern(r"^<!-- (zh|en) -->[ \t]*\n", re.M)
_FIELD = pattern(r"\{([\w.]+)\}")
_OPENING = pattern(r"\{(if not|if|each) ([\w.]+)\}")
_END = "{end}"


class _Line(NamedTuple):
    text: str


class _Block(NamedTuple):
    """Lines between an opening mark and its end; kind is `if`, `if not` or `each`."""

    kind: str
    name: str
    body: "list[_Line | _Block]"


def render(text: str, lang: str, fields: Mapping[str, Field]) -> list[str]:
    """Return a template's lines in the language, its fields filled in; a field that nobody knows stands as it is.

    A mark without its end reaches to the end of the text, and an end without a mark stands as it is.

    >>> text = "<!-- zh -->\\n共 {n}\\n<!-- en -->\\n{n}\\n- {one}\\n{each rows}\\n| {a} | {n} |\\n{end}\\n"
    >>> render(text, "en", {"n": "2", "one": ["a", "b"], "rows": [{"a": "x"}, {"a": "y"}]})
    ['2', '- a', '- b', '| x | 2 |', '| y | 2 |']
    """
    lines = iter(choose_language(text, lang).strip("\n").split("\n"))
    return list(_render_block(_parse_block(lines, outermost=True), fields))


def choose_language(text: str, lang: str) -> str:
    """Return the part of a template in a language: what stands under its mark, else all that has no mark."""
    parts = _LANGUAGE.split(text)
    marked = dict(zip(parts[1::2], parts[2::2], strict=True))
    return marked.get(lang) or next(iter(marked.values()), "") or parts[0]


def check_template(text: str, path: str) -> None:
    """Raise BadData with file and line for a template that cannot be used: it is empty, or a mark has no other end."""
    if not _LANGUAGE.sub("", text).strip():
        raise BadData("{path}:{line}: the template is empty", path=path, line=1)
    opened: list[tuple[int, str]] = []
    for at, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if _LANGUAGE.match(line + "\n") and opened:
            break
        if _OPENING.fullmatch(bare):
            opened.append((at, bare))
        elif bare == _END:
            if not opened:
                raise BadData("{path}:{line}: {end} ends nothing", path=path, line=at, end=_END)
            opened.pop()
    if opened:
        line_of, mark = opened[-1]
        raise BadData("{path}:{line}: {mark} has no {end}", path=path, line=line_of, mark=mark, end=_END)


def template_fields(text: str) -> dict[str, int]:
    """Return the names that a template fills in or asks for, each with the line on which it stands first."""
    found: dict[str, int] = {}
    for at, line in enumerate(text.split("\n"), 1):
        mark = _OPENING.fullmatch(line.strip())
        for name in [mark[2]] if mark else _FIELD.findall(line) if line.strip() != _END else []:
            found.setdefault(name, at)
    return found


def load_template(ws: Workspace, skill: str, name: str, notify: Notify = drop_message) -> str:
    """Return templates/NAME.md of a skill of the workspace, or of the skill of that name that comes with ia.

    The latter counts where the workspace has none, or none that can be used: `notify` is told of file, line and reason.
    "" where neither is there.
    """
    path = f"templates/{name}.md"
    found = _find_enabled(ws, skill)
    try:
        own = load_own(ws, found, path) if found else None
    except IaError as exc:
        own = None
        problem = Message(exc.template, **exc.params)
        notify(Message("skill {skill}: {problem}; the text that comes with ia is used", skill=skill, problem=problem))
    if own is not None:
        return own
    shipped = load_shipped(skill, path)
    return str(shipped.data) if shipped else ""


def fill_prompt(
    ws: Workspace, skill: str, name: str, fields: Mapping[str, Field], *, lang: str = "", notify: Notify = drop_message
) -> str:
    """Return a template of a skill, its fields filled in, in `zh` or `en` (default: the user's language)."""
    text = load_template(ws, skill, name, notify)
    return "\n".join(render(text, lang or config.locale_lang(), fields))


def load_own(ws: Workspace, skill: Skill, path: str) -> str | None:
    """Return a template of a skill of the workspace; None where there is none. raises BadData with file and line."""
    own = load_table(ws, skill, path)
    if own is None:
        return None
    text = str(own.data)
    if untrusted.origin_of(text) is not None:
        raise BadData("{path}:{line}: the text is marked untrusted", path=path, line=1)
    check_template(text, path)
    return text


def _find_enabled(ws: Workspace, name: str) -> Skill | None:
    found = next((each for each in registry.list_skills(ws) if each.name == name), None)
    return found if found is not None and found.problem is None and found.enabled else None


def _parse_block(lines: Iterator[str], *, outermost: bool = False) -> "list[_Line | _Block]":
    """Return the lines and blocks up to the end of this block."""
    found: list[_Line | _Block] = []
    for line in lines:
        bare = line.strip()
        if opening := _OPENING.fullmatch(bare):
            found.append(_Block(opening[1], opening[2], _parse_block(lines)))
        elif bare == _END and not outermost:
            break
        else:
            found.append(_Line(line))
    return found


def _render_block(parts: "list[_Line | _Block]", fields: Mapping[str, Field]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, _Line):
            yield from _fill_line(part.text, fields)
        elif part.kind == "each":
            items = fields.get(part.name, ())
            for item in [items] if isinstance(items, str) and items else items:
                own = item if isinstance(item, Mapping) else {part.name: item}
                yield from _render_block(part.body, {**fields, **own})
        elif bool(fields.get(part.name)) == (part.kind == "if"):
            yield from _render_block(part.body, fields)


def _fill_line(line: str, fields: Mapping[str, Field]) -> list[str]:
    names = [name for name in _FIELD.findall(line) if name in fields]
    alone = _FIELD.fullmatch(line.strip())
    if alone and alone[1] in fields:
        value = fields[alone[1]]
        return value.split("\n") if isinstance(value, str) and value else [str(item) for item in value]
    listed = next((name for name in names if not isinstance(fields[name], str)), None)
    items = [str(item) for item in fields[listed]] if listed else [""]
    return [_FIELD.sub(partial(_fill_field, fields=fields, listed=listed, item=item), line) for item in items]


def _fill_field(field: re.Match[str], *, fields: Mapping[str, Field], listed: str | None, item: str) -> str:
    if field[1] == listed:
        return item
    value = fields.get(field[1], field[0])
    return value if isinstance(value, str) else "、".join(str(each) for each in value)
