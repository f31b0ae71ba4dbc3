"""Whose words a text is made of: the owner's, a model's, the analyst's and the program's, or those of a book.

The owner's words come first in a search. Of a machine's text only what it found is searched: of a research that carries
a data line (`<!-- ia-view: … -->`) the conclusion above the first section, since the sections are figures, method and
sources; of everything else all but tables and data lines.
"""

import re

from ia.kernel.patterns import pattern

OWNER, MACHINE, OUTSIDE = "owner", "ia", "outside"
RECORDS = ("trades", "sessions")
"""Folders that are no folders: what is kept in ia.db and is searched with the notes."""
_KINDS = {
    "memory/beliefs": "belief",
    "memory/preferences": "preference",
    "memory/tracking": "tracking",
    "memory/journal/": "journal",
    "memory/observations/": "observation",
    "memory/reflections/": "reflection",
    "notebook/research/": "research",
    "notebook/reports/": "report",
    "notebook/": "note",
    "memory/": "memory",
    "knowledge/": "knowledge",
    "trades/": "trade",
    "sessions/": "question",
}
_OWN = ("belief", "preference", "tracking", "journal", "knowledge", "trade", "question")
"""Kinds that hold the owner's words, whoever wrote them down."""
_TOLD = pattern(r"notebook/scratch/(?!scan/)")
"""Notes that are the owner's, whoever wrote them down; what a scan found is none."""
_DATA_LINE = pattern(r"^<!-- ia-[a-z-]+: .*-->[ \t]*\n?", re.M)
_ENTRY = pattern(r"^(?=\[\d\d:\d\d\] )", re.M)
_TABLE_ROW = pattern(r"^\|.*\|[ \t]*\n?", re.M)
_OLD_RULES = pattern(r"^(?:\*\*(?:风控|Risk rules)\*\* |持有 [\d.]+ 股|held: [\d.]+ shares).*\n?", re.M)
"""What the analyst once wrote below its data line: what the risk rules said of a purchase."""
_RULE_CODE = pattern(r"\*\*(?:T\d|[A-Z]{2})_\d{2,3}[0-9a-f]*\*\*[:：]?[ \t]*")
"""The code of a rule, which notes of the analyst once had before its words."""
_SECTION = pattern(r"^## ", re.M)


def kind_of(path: str) -> str:
    """Return what a path holds: note, research, report, observation, belief, journal, trade, question and so on.

    >>> kind_of("memory/beliefs.md"), kind_of("notebook/research/宁德时代/2024-03-15.md"), kind_of("trades/2")
    ('belief', 'research', 'trade')
    """
    return next((kind for begin, kind in _KINDS.items() if path.startswith(begin)), "note")


_CONVERTED = pattern(r"knowledge/[^/]+/converted/")


def is_converted(path: str) -> bool:
    """Return True for the text of a book, a paper or a page: nobody here wrote it."""
    return bool(_CONVERTED.match(path))


def split_authors(path: str, text: str, actor: str | None) -> tuple[str, str]:
    """Return the owner's words of a text and the machine's, as they are searched; "" where there are none.

    actor   who wrote the file last (`user`, `model …`, `task …`); None: somebody by hand, or nobody knows
    """
    kind = kind_of(path)
    by_machine = actor not in (None, "", "user") and kind not in _OWN and not _TOLD.match(path)
    if kind == "observation":
        return _split_entries(text, by_machine=path.endswith("-mainline.md") or (by_machine and actor != _ANALYST))
    if not by_machine and not (kind in ("research", "report") and actor is not None and _DATA_LINE.search(text)):
        return _DATA_LINE.sub("", text), ""
    *_, end = 0, *(found.end() for found in _DATA_LINE.finditer(text))
    added = _OLD_RULES.sub("", text[end:]) if end else ""  # the data line is the last of what a machine wrote
    return (added if added.strip() else ""), keep_findings(text[: end or None])


_ANALYST = "model ia-offline"
"""The analyst writes down observations for its owner; those of its own carry a data line."""


def keep_findings(text: str) -> str:
    """Return of a machine's text what it found, without its tables, data lines, method and sources."""
    if _DATA_LINE.search(text):
        text = _SECTION.split(text, maxsplit=1)[0]
    return _TABLE_ROW.sub("", _DATA_LINE.sub("", text))


def hide_rule_codes(text: str) -> str:
    """Return a passage of a machine's text without the codes of rules: a reader wants their words.

    >>> hide_rule_codes("- **T1_002** The close fell; **RF_03** Volume")
    '- The close fell; Volume'
    """
    return _RULE_CODE.sub("", text)


def _split_entries(text: str, *, by_machine: bool) -> tuple[str, str]:
    """Return the entries of an observation that the owner told, and those that a machine made; the head goes along."""
    head, *entries = _ENTRY.split(text)
    if not entries:
        return ("", keep_findings(text)) if by_machine or _DATA_LINE.search(text) else (text, "")
    parts = {False: "", True: ""}
    for entry in entries:
        parts[by_machine or bool(_DATA_LINE.search(entry))] += _DATA_LINE.sub("", entry)
    return tuple(head + parts[by] if parts[by] else "" for by in (False, True))  # type: ignore[return-value]
