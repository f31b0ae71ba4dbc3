"""Templates: a text in Chinese and English side by side, with fields that are filled in. See ia-skill(5).

`<!-- zh -->` and `<!-- en -->` begin the two languages. `{name}` is a field. A line with a field that is a list stands
once for each of its items; a line that is nothing but a field stands for its lines, and is left out where it is empty.
Lines between `{if name}` (or `{if not name}`) and `{end}` stand only where the field has (has not) a value.
"""

import re
from collections.abc import Mapping
from functools import partial

from ia.agent.analyst.voice import AnswerVoice

Field = str | list[str]
_LANGUAGE = re.compile(r"^<!-- (zh|en) -->[ \t]*\n", re.M)
_FIELD = re.compile(r"\{([\w.]+)\}")
_IF = re.compile(r"\{if (not )?([\w.]+)\}")


def render(text: str, speak: AnswerVoice, fields: Mapping[str, Field]) -> list[str]:
    """Return a template's lines in the language, its fields filled in; a field that nobody knows stands as it is.

    >>> text = "<!-- zh -->\\n共 {n}\\n<!-- en -->\\n{n}\\n- {each}\\n"
    >>> render(text, AnswerVoice("en"), {"n": "2", "each": ["a", "b"]})
    ['2', '- a', '- b']
    """
    out: list[str] = []
    shown = [True]
    for line in choose_language(text, speak.lang).strip("\n").split("\n"):
        bare = line.strip()
        if condition := _IF.fullmatch(bare):
            shown.append(shown[-1] and bool(fields.get(condition[2])) != bool(condition[1]))
        elif bare == "{end}" and len(shown) > 1:
            shown.pop()
        elif shown[-1]:
            out += _fill_line(line, fields)
    return out


def choose_language(text: str, lang: str) -> str:
    """Return the part of a template in a language: what stands under its mark, else all that has no mark."""
    parts = _LANGUAGE.split(text)
    marked = dict(zip(parts[1::2], parts[2::2], strict=True))
    return marked.get(lang) or next(iter(marked.values()), "") or parts[0]


def _fill_line(line: str, fields: Mapping[str, Field]) -> list[str]:
    names = [name for name in _FIELD.findall(line) if name in fields]
    alone = _FIELD.fullmatch(line.strip())
    if alone and alone[1] in fields:
        value = fields[alone[1]]
        return [*value] if isinstance(value, list) else value.split("\n") if value else []
    listed = next((name for name in names if isinstance(fields[name], list)), None)
    items = fields[listed] if listed else [""]
    return [_FIELD.sub(partial(_value, fields=fields, listed=listed, item=item), line) for item in items]


def _value(field: re.Match[str], *, fields: Mapping[str, Field], listed: str | None, item: str) -> str:
    if field[1] == listed:
        return item
    value = fields.get(field[1], field[0])
    return "、".join(value) if isinstance(value, list) else value
