"""Answers to private forms: what of them stands in the arguments of a call, in whatever writing."""

import json
import re
from datetime import date
from typing import Any

from ia.agent.tools.scope import Scope
from ia.agent.tools.slots import load_slots
from ia.faculties.skills import forms
from ia.faculties.skills.forms import FormField

_SHORTEST = 4
"""Letters or digits of an answer that is told apart from others; a Chinese character counts as two."""


def find_private_answer(scope: Scope, arguments: object) -> str | None:
    """Return the slot of a private form whose answer stands in the arguments of a call; None where none does."""
    known = load_slots(scope)
    if not known:
        return None
    text = json.dumps(arguments, ensure_ascii=False, default=str)
    for form in forms.list_forms(scope.ws, scope.active):
        for field in form.fields if form.private else ():
            value = known.get(form.slot(field))
            if value is not None and _is_written(field, value, text):
                return form.slot(field)
    return None


def _is_written(field: FormField, value: Any, text: str) -> bool:
    """Return True if a text holds an answer. Choices and times of the day are too common to be told apart."""
    if field.format == "date":
        return any(re.search(writing, text, re.IGNORECASE) for writing in _date_writings(str(value)))
    if field.kind not in ("string", "number") or field.format == "time":
        return False
    word = _fold_text(str(value))
    return sum(1 if letter.isascii() else 2 for letter in word) >= _SHORTEST and word in _fold_text(text)


def _fold_text(text: str) -> str:
    """Return the letters and digits of a text, small.

    >>> _fold_text("At Beijing, 7.5")
    'atbeijing75'
    """
    return re.sub(r"[\W_]+", "", text).casefold()


def _date_writings(value: str) -> list[str]:
    """Return patterns of a date: its numbers in any usual order, together or apart, and with the name of the month."""
    day = date.fromisoformat(value)
    year, month, number = f"{day.year}", f"0?{day.month}", f"0?{day.day}"
    name = rf"{day:%b}[a-z]*\.?"
    orders = [(year, month, number), (number, month, year), (month, number, year)]
    orders += [(number, name, year), (name, number, year), (year, name, number)]
    apart = [r"\D{1,3}".join(parts) for parts in orders]
    return [*(rf"(?<!\d){pattern}(?!\d)" for pattern in apart), f"{day:%Y%m%d}", f"{day:%d%m%Y}", f"{day:%m%d%Y}"]
