"""The memory of a run: playbook, journal, notes and reviews, as texts that the run alone has.

It is kept in this process and written to the run's folder at the end of each session. What a recall looks through
fades as people forget: journal entries of the last sessions, week reviews of the last month, then month reviews alone.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from ia.kernel.errors import BadData, Refused
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs.recall.index import split_passages
from ia.organs.recall.terms import normalize_text, parse_query, to_index_text

PLAYBOOK = "playbook.md"
POSITION = "position_"
JOURNAL_SESSIONS = 5
WEEK_DAYS = 31
HALF_LIFE_DAYS = 30.0
MAX_TEXT = 20_000
MAX_PLAYBOOK = 8_000
MAX_HITS = 6
EXCERPT = 600
_KEY = pattern(r"[\w\u4e00-\u9fff][\w\u4e00-\u9fff. -]{0,79}")
_REVIEW = pattern(r"(?:week|month)_(?:\d{4}_)?\d{2}")


class MemoryHit(NamedTuple):
    """A passage that a recall found."""

    source: str
    day: str
    content: str
    score: float


class RunMemory:
    """The texts of a run by path, with the day on which each was last written (as the model knows days)."""

    def __init__(self, texts: dict[str, str]) -> None:
        """Begin with the texts that a run is given; they are of no day."""
        self.texts = dict(texts)
        self.days: dict[str, str] = dict.fromkeys(texts, "")
        self.changed: set[str] = set(texts)
        self._sessions: list[str] = []
        self._day = self._time = ""

    def begin_session(self, day: str, time: str) -> None:
        """Go on to a session, at a time of day (HH:MM)."""
        if not self._sessions or self._sessions[-1] != day:
            self._sessions.append(day)
        self._day, self._time = day, time

    @property
    def playbook(self) -> str:
        """The playbook, which every prompt holds."""
        return self.texts.get(PLAYBOOK, "").strip()

    def position_note(self, name: str) -> str:
        """Return the note of a position; "" without one."""
        return self.texts.get(f"notes/{POSITION}{name}.md", "").strip()

    def log(self, content: str) -> str:
        """Append an entry to the journal of the session and return its path."""
        path = f"journal/{self._day}.md"
        before = self.texts.get(path, f"# {self._day}\n")
        return self._write(path, f"{before}\n[{self._time}] {_require_text(content, MAX_TEXT)}\n")

    def note(self, key: str, content: str) -> str:
        """Write a note, a review (`week_03`, `month_01`) or the playbook, and return its path.

        raises  Refused for a key that is no plain name.
        """
        name = key.strip().removesuffix(".md").removeprefix("notes/").removeprefix("reviews/")
        if name == "playbook":
            return self._write(PLAYBOOK, _require_text(content, MAX_PLAYBOOK) + "\n")
        if not _KEY.fullmatch(name) or ".." in name:
            raise Refused("{key!r} is not a plain name for a note", key=key[:80], hint="such as position_600519.SH")
        folder = "reviews" if _REVIEW.fullmatch(name) else "notes"
        return self._write(f"{folder}/{name}.md", _require_text(content, MAX_TEXT) + "\n")

    def recall(self, query: str) -> list[Json]:
        """Return the passages that share words with a query, best first: shared words, weighed by age."""
        tokens = parse_query(query).tokens
        hits = [hit for path in self._candidates() for hit in self._search(path, tokens)] if tokens else []
        hits.sort(key=lambda hit: (-hit.score, hit.source, hit.content))
        return [{"source": hit.source, "date": hit.day or None, "content": hit.content} for hit in hits[:MAX_HITS]]

    def _candidates(self) -> Iterable[str]:
        journal = {f"journal/{day}.md" for day in self._sessions[-JOURNAL_SESSIONS:]}
        for path in sorted(self.texts):
            folder, _, name = path.rpartition("/")
            if folder == "journal" and path not in journal:
                continue
            if name.startswith("week_") and folder == "reviews" and self._age(path) > WEEK_DAYS:
                continue
            yield path

    def _search(self, path: str, tokens: tuple[str, ...]) -> Iterable[MemoryHit]:
        for passage in split_passages(self.texts[path]):
            words = set(re.findall(r"\w+", f"{to_index_text(passage)} {normalize_text(path)}"))
            shared = sum(token in words for token in tokens)
            if shared:
                weight = 0.5 ** (self._age(path) / HALF_LIFE_DAYS)
                content = " ".join(passage.split())[:EXCERPT]
                yield MemoryHit(path, self.days[path], content, round(shared / len(tokens) * weight, 9))

    def _age(self, path: str) -> int:
        """Return how many days ago a text was written; 0 for what the run began with."""
        written = self.days[path]
        return (date.fromisoformat(self._day) - date.fromisoformat(written)).days if written else 0

    def _write(self, path: str, text: str) -> str:
        self.texts[path], self.days[path] = text, self._day
        self.changed.add(path)
        return path


def _require_text(content: str, most: int) -> str:
    text = content.strip()
    if not text:
        raise BadData("the text is empty")
    if len(text) > most:
        raise BadData("the text is longer than {limit} characters; shorten it", limit=most)
    return text
