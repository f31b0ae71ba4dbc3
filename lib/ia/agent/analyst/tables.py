"""The tables and templates of skills: what the analyst knows of its subject, and how it words an answer.

They come through `skills.load`, as a model would see them. What a workspace lacks, or what cannot be used of its files,
is taken from the skills that come with ia.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any, TypeVar

from ia.kernel.errors import Message
from ia.kernel.word_patterns import pattern_by_letters

T = TypeVar("T")
Report = Callable[[str, Message], None]
"""Takes a skill and what is wrong with one of its tables."""
_NEVER = re.compile(r"(?!)")


class Table:
    """One table: its sections, where it stands, and the line of each of its entries."""

    def __init__(
        self, tree: Mapping[str, Any], *, skill: str, name: str, lines: Mapping[str, int] | None = None,
        report: Report | None = None, own: bool = False, strict: bool = False,
    ) -> None:  # fmt: skip
        """Make a table.

        own     it is of the workspace: the table that comes with ia stands in for what is missing here
        strict  each regular expression is compiled as it is read; otherwise a wrong one is reported when it is used
        """
        self.tree, self.skill, self.name = tree, skill, name
        self.lines, self.report, self.own, self.strict = lines or {}, report, own, strict
        self.sound = True
        self._made: Any = None

    def build(self, make: Callable[["Table"], T]) -> T:
        """Return what is made of the table, once: everybody makes the same of a table."""
        if self._made is None:
            self._made = make(self)
        made: T = self._made
        return made

    @property
    def shipped(self) -> "Table | None":
        """The table that comes with ia; None where this is it."""
        return shipped_table(self.skill, self.name) if self.own else None

    def section(self, key: str, kind: type[T]) -> T:
        """Return a section; that of the shipped table, or an empty one, where it is missing or of another kind."""
        found = self.tree.get(key)
        if isinstance(found, kind) and not (kind is int and isinstance(found, bool)):
            return found
        if found is not None:
            self.complain(key, Message("{key} has the wrong type", key=key))
        return self.shipped.section(key, kind) if self.shipped else kind()

    def entries(self, key: str, build: Callable[["Entry"], T]) -> list[T]:
        """Return what is built of each entry of a list; a malformed entry is named and left out."""
        home = self
        if not isinstance(self.tree.get(key), list) and self.shipped:
            self.section(key, list)  # reports one of another kind
            home = self.shipped
        made = []
        for at, tree in enumerate(home.section(key, list), 1):
            entry = Entry(home, tree if isinstance(tree, dict) else {}, f"{key} {at}")
            try:
                made.append(build(entry))
            except BadEntry as exc:
                home.complain(entry.id, exc.problem)
        return made

    def entry(self, key: str) -> "Entry":
        """Return a section that is one entry."""
        return Entry(self, self.section(key, dict), key)

    def pair(self, key: str) -> tuple[str, str]:
        """Return a text of the table in Chinese and in English."""
        return self._read(key, lambda entry: entry.pair(key), ("", ""))

    def pattern(self, key: str) -> re.Pattern[str]:
        """Return a regular expression of the table."""
        return self._read(key, lambda entry: entry.pattern(key), _NEVER)

    def _read(self, key: str, read: Callable[["Entry"], T], default: T) -> T:
        """Return what is read of the table itself; of the shipped one where it is missing or malformed here."""
        if key in self.tree or f"{key}_en" in self.tree:
            try:
                return read(Entry(self, self.tree, self.name))
            except BadEntry as exc:
                self.complain("", exc.problem)
        return self.shipped._read(key, read, default) if self.shipped else default

    def number(self, section: str, key: str) -> float:
        """Return a number of a section; that of the shipped table where it is none."""
        try:
            return self.entry(section).number(key)
        except BadEntry as exc:
            if key in self.section(section, dict):
                self.complain(section, exc.problem)
            return self.shipped.number(section, key) if self.shipped else 0.0

    def inner_pair(self, section: str, key: str) -> tuple[str, str]:
        """Return a text of a section in Chinese and in English; that of the shipped table where it is none."""
        try:
            found = self.entry(section).pair(key)
        except BadEntry as exc:
            self.complain(section, exc.problem)
            found = ("", "")
        return self.shipped.inner_pair(section, key) if found == ("", "") and self.shipped else found

    def complain(self, entry: str, problem: Message) -> None:
        """Report what cannot be used, with file and line."""
        self.sound = False
        line = self.lines.get(entry)
        where = f"knowledge/{self.name}.yaml" + (f":{line}" if line else "")
        if self.report is not None:
            self.report(self.skill, Message("{where}: {problem}", where=where, problem=problem))


class BadEntry(Exception):
    """An entry that cannot be used, and why."""

    def __init__(self, problem: Message) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Entry:
    """One entry of a table; its readers raise BadEntry."""

    def __init__(self, table: Table, tree: Mapping[str, Any], place: str) -> None:
        self.table, self.tree, self.place = table, tree, place
        self.id = str(tree.get("id") or place)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; required without a default."""
        found = self.tree.get(key)
        if found is None and default is not None:
            return default
        if not isinstance(found, str | int | float) or isinstance(found, bool):
            raise BadEntry(Message("{entry}: {key} is not a text", entry=self.id, key=key))
        return str(found)

    def pair(self, key: str, *, needed: bool = False) -> tuple[str, str]:
        """Return a text in Chinese and in English; each stands in for the other."""
        zh, en = self.text(key, ""), self.text(f"{key}_en", "")
        if needed and not (zh or en):
            raise BadEntry(Message("{entry}: {key} is missing", entry=self.id, key=key))
        return zh or en, en or zh

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number; required without a default."""
        found = self.tree.get(key)
        if found is None and default is not None:
            return default
        if not isinstance(found, int | float) or isinstance(found, bool):
            raise BadEntry(Message("{entry}: {key} is not a number", entry=self.id, key=key))
        return found

    def items(self, key: str) -> list[Any]:
        """Return a list; [] where it is missing."""
        found = self.tree.get(key, [])
        if not isinstance(found, list):
            raise BadEntry(Message("{entry}: {key} is not a list", entry=self.id, key=key))
        return found

    def inner(self, key: str) -> Iterator["Entry"]:
        """Yield the entries of a list."""
        for at, each in enumerate(self.items(key), 1):
            yield Entry(self.table, each if isinstance(each, dict) else {}, f"{self.id} {key} {at}")

    def below(self, key: str) -> "Entry":
        """Return the one entry below a key. raises BadEntry where there is none."""
        found = self.tree.get(key)
        if not isinstance(found, dict):
            raise BadEntry(Message("{entry}: {key} is missing", entry=self.id, key=key))
        return Entry(self.table, found, f"{self.id} {key}")

    def pattern(self, key: str, flags: re.RegexFlag = re.I) -> re.Pattern[str]:
        """Return the regular expression of a text, or of a list of alternatives; one that matches nothing without."""
        found = self.tree.get(key)
        words = "|".join(map(str, found)) if isinstance(found, list) else self.text(key, "")
        problem = Message("{entry}: {key} is not a regular expression", entry=self.id, key=key)
        if self.table.strict and not _is_pattern(words, flags):
            raise BadEntry(problem)
        return pattern_by_letters(words, flags, partial(self.table.complain, self.id, problem)) if words else _NEVER


@lru_cache(maxsize=4096)
def _is_pattern(words: str, flags: re.RegexFlag) -> bool:
    try:
        re.compile(words, flags)
    except re.error:
        return False
    return True


_LAST: dict[str, Table] = {}
"""The tables of the workspace that were used last, by name: each round of a turn asks for them anew."""


class Tables:
    """The tables at hand: those that were loaded from the workspace, else those that come with ia."""

    def __init__(self, report: Report | None = None, *, strict: bool = False) -> None:
        """Hold no table yet; `strict` as for Table."""
        self.report, self.strict = report, strict
        self._own: dict[str, Table | None] = {}
        self._templates: dict[str, str] = {}

    def put_template(self, name: str, text: str) -> None:
        """Take a template of the workspace's skill research; "": it has none that can be used."""
        self._templates[name] = text

    def has_template(self, name: str) -> bool:
        """Return True if a template was asked for already."""
        return name in self._templates

    def template(self, name: str) -> str:
        """Return a template of the skill research."""
        return self._templates.get(name) or shipped_template("research", name)

    def put(self, home: str, name: str, tree: Mapping[str, Any] | None, lines: Mapping[str, int]) -> None:
        """Take a table of the workspace; None: it has none that can be read."""
        kept = _LAST.get(name)
        if kept and kept.sound and not self.strict and (kept.skill, kept.tree, kept.lines) == (home, tree, lines):
            kept.report = self.report
            self._own[name] = kept
        elif tree is None:
            self._own[name] = None
        else:
            made = Table(tree, skill=home, name=name, lines=lines, report=self.report, own=True, strict=self.strict)
            self._own[name] = _LAST[name] = made

    def has(self, name: str) -> bool:
        """Return True if a table was asked for already."""
        return name in self._own

    def build(self, home: str, name: str, make: Callable[[Table], T]) -> T:
        """Return what is made of a table, once."""
        return (self._own.get(name) or shipped_table(home, name)).build(make)


SHIPPED = Tables()
"""The tables that come with ia."""


@cache
def shipped_table(skill: str, name: str) -> Table:
    """Return a table that comes with ia; an empty one where there is none."""
    from ia.faculties.skills.tables import load_shipped

    found = load_shipped(skill, f"knowledge/{name}.yaml")
    return Table(found.data if found else {}, skill=skill, name=name)


@cache
def shipped_template(skill: str, name: str) -> str:
    """Return a template of a skill that comes with ia; "" where there is none."""
    from ia.faculties.skills.tables import load_shipped

    found = load_shipped(skill, f"templates/{name}.md")
    return str(found.data) if found else ""
