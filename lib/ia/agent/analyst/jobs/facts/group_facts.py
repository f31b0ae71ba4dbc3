"""Groups of the watch list: which of them a question names, what is in one, and in which one a security is."""

import re

from ia.agent.analyst.ask.facts import FactQuestion, industry_forms
from ia.agent.analyst.ask.industry_words import blank_wide_groups
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.kernel.patterns import pattern


def name_form(name: str) -> re.Pattern[str]:
    """Return what a group is called in a question: Latin names as whole words, in the singular or the plural.

    >>> [bool(name_form(name).search("my batteries and 白酒组")) for name in ("battery", "白酒", "bat")]
    [True, True, False]
    """
    low = name.casefold()
    if not low.isascii():
        return re.compile(re.escape(low))
    stem = low.removesuffix("ies") + "y" if low.endswith("ies") else low.removesuffix("s")
    ends = f"{re.escape(stem[:-1])}(?:y|ies)" if stem.endswith("y") else f"{re.escape(stem)}s?"
    return re.compile(rf"(?<![a-z\d]){ends}(?![a-z\d])")


def load_groups(desk: ToolDesk) -> Work[list[str]]:
    """Return the groups of the watch list; [] where there are none, or the list cannot be read."""
    if not desk.has("watch.list"):
        return []
    found = yield from desk.one("watch.list")
    return wording.names_of(found.get("groups")) if found.ok else []


def find_group(desk: ToolDesk, words: str) -> Work[str]:
    """Return the group of the watch list that a question names; "" for none, the longest name of several.

    A group that is called by an industry has its names in the other language, too.
    """
    groups = yield from load_groups(desk)
    named = [group for group in groups if name_form(group).search(words.casefold())]
    industries = _industry_of(desk, words) if _SAYS_GROUP.search(words) else set[str]()
    alike = [] if named else [group for group in groups if _industry_of(desk, group) & industries]
    return max(named, key=len, default="") or (alike[0] if len(alike) == 1 else "")


_SAYS_GROUP = pattern(r"组|\bgroups?\b", re.I)


def _industry_of(desk: ToolDesk, words: str) -> set[str]:
    return {name for _, name in industry_forms(blank_wide_groups(words), (), desk.tables)}


def drop_group_words(desk: ToolDesk, asked: FactQuestion) -> Work[tuple[str, ...]]:
    """Return the words of a question that nobody has read, but for the name of a group of the watch list."""
    group = yield from find_group(desk, asked.words)
    if not group:
        return asked.left
    form = name_form(group)
    alike = _industry_of(desk, group)
    left = [word for word in asked.left if form.sub("", word.casefold()).strip("组 ") not in ("", "的")]
    return tuple(word for word in left if not (_SAYS_GROUP.search(word) and alike & _industry_of(desk, word)))


def list_codes(desk: ToolDesk, group: str) -> Work[list[str]]:
    """Return the codes of the securities of a group."""
    found = yield from desk.one("watch.list", group=group)
    return [str(row["symbol"]) for row in wording.rows_of(found, "items") if row.get("symbol")]
