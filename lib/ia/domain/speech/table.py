"""The forms of acts.tsv: regular expressions, compiled when an act is first looked for."""

import os
import re
from functools import cache, lru_cache

from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

REQUEST, SENTENCE, REPORT, MENTION = "request", "sentence", "report", "mention"
"""How an act is read; acts.tsv says what each means."""
_FRAGMENT = pattern(r"@(\w+)@")


def way_of(act: str) -> str:
    """Return how an act is read. raises KeyError for an act that is not in the table."""
    return _load_table()[act][0]


@cache
def act_forms(name: str) -> tuple[re.Pattern[str], ...]:
    """Return the forms of an act or a fragment: to compile all of them would be felt in every turn."""
    return tuple(pattern_by_letters(_FRAGMENT.sub(_expand_fragment, form), re.I) for form in _load_table()[name][1])


@lru_cache(maxsize=1024)
def has_form(text: str, name: str) -> bool:
    """Return True if a form of an act or a fragment is found in a text."""
    return any(form.search(text) for form in act_forms(name))


def _expand_fragment(found: re.Match[str]) -> str:
    forms = (_FRAGMENT.sub(_expand_fragment, form) for form in _load_table()[found[1]][1])
    return "(?:" + "|".join(forms) + ")"


@cache
def _load_table() -> dict[str, tuple[str, list[str]]]:
    rows: dict[str, tuple[str, list[str]]] = {}
    with open(os.path.join(os.path.dirname(__file__), "acts.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, way, form = line.rstrip("\n").split("\t")
                rows.setdefault(name, (way, []))[1].append(form)
    return rows
