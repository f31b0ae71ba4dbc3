"""Whether a quote stands in a document, and on which page.

Case, white space and punctuation do not count. What is left must stand there word for word, or so nearly (RATIO) that
only a misprint differs: the same numbers and the same denials.
"""

import bisect
from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import normalize

from ia.faculties.rulebooks.statements import DENIALS, count_denials, numbers_of
from ia.kernel.patterns import pattern
from ia.organs.recall.documents import Chunk, page_at, split_sections

VERBATIM, NEAR, ALTERED, MISSING = "verbatim", "near", "altered", "missing"
RATIO = 0.9
LEAST = 4
"""Characters of a quote, without white space and punctuation."""
LONGEST = 2_000
_DIGITS = pattern(r"\d+")
_GAP = pattern(r"…+|\.{3,}")
_KEPT = frozenset("%<>=≤≥≠")
_DASHES = frozenset("-–—−‐‑")


class QuoteMatch(NamedTuple):
    """What became of a quote.

    verdict  VERBATIM, NEAR (a misprint), ALTERED (another number or denial than `found`) or MISSING
    found    what stands there; page from 1, 0 where there is none; label as printed; heading: the last one above it
    """

    verdict: str
    found: str = ""
    page: int = 0
    label: str = ""
    heading: str = ""

    @property
    def is_supported(self) -> bool:
        """Whether the document says it."""
        return self.verdict in (VERBATIM, NEAR)


class DocumentText:
    """The text of a document, ready to be asked for quotes. Costs about a second a megabyte."""

    def __init__(self, body: str) -> None:
        self.sections: list[Chunk] = list(split_sections(body))
        self.raw = "\n".join(section.text for section in self.sections)
        self._starts: list[int] = []
        at = 0
        for section in self.sections:
            self._starts.append(at)
            at += len(section.text) + 1
        self.folded, self._places = fold_quote(self.raw)

    def find(self, quote: str) -> QuoteMatch:
        """Return where a quote stands; `…` in it leaves something out."""
        parts = [part for part in _GAP.split(quote[:LONGEST]) if part.strip()]
        matches: list[QuoteMatch] = []
        begin = 0
        for part in parts:
            match, begin = self._find_part(part, begin)
            matches.append(match)
        if not matches:
            return QuoteMatch(MISSING)
        worst = max(matches, key=lambda each: (VERBATIM, NEAR, ALTERED, MISSING).index(each.verdict))
        return worst if worst.verdict != VERBATIM else matches[0]

    def _find_part(self, part: str, begin: int) -> tuple[QuoteMatch, int]:
        """Return the match of a part, and where the next one may begin."""
        folded, _ = fold_quote(part)
        if len(folded) < LEAST:
            return QuoteMatch(MISSING), begin
        at = self.folded.find(folded, begin)
        cut = -1
        while at >= 0:
            if self._is_whole(at, at + len(folded), part):
                return self._match(VERBATIM, at, at + len(folded)), at + len(folded)
            cut = at
            at = self.folded.find(folded, at + 1)
        if cut >= 0:  # it is there, but for the denial before it or the digits around it
            return self._match(ALTERED, max(cut - 1, 0), cut + len(folded)), begin
        return self._find_near(part, folded, begin)

    def _is_whole(self, begin: int, end: int, part: str) -> bool:
        """Return True unless a quote begins behind a denial, or begins or ends within a number."""
        first, last = self._places[begin], self._places[end - 1]
        before = self.raw[max(first - 1, 0) : first]
        if before and before in DENIALS and count_denials(self.raw[first - 1 : last + 1]) > count_denials(part):
            return False
        words = self.raw[max(first - 12, 0) : first].casefold().split()
        if words and words[-1] in ("not", "never", "no", "cannot", "without"):
            return False
        around = self.folded[max(begin - 1, 0) : begin], self.folded[end : end + 1]
        edges = self.folded[begin], self.folded[end - 1]
        return not any(
            _in_number(outer) and _in_number(edge) for outer, edge in zip(around, edges, strict=True) if outer
        )

    def _find_near(self, part: str, folded: str, begin: int) -> tuple[QuoteMatch, int]:
        from difflib import SequenceMatcher

        text = self.folded[begin:]
        longest = SequenceMatcher(None, text, folded, autojunk=False).find_longest_match()
        if longest.size < min(LEAST, len(folded)):
            return QuoteMatch(MISSING), begin
        start = max(longest.a - longest.b - 3, 0)
        window = text[start : start + len(folded) + 6]
        blocks = [
            block for block in SequenceMatcher(None, window, folded, autojunk=False).get_matching_blocks() if block.size
        ]
        left = max(blocks[0].a - blocks[0].b, 0)
        right = min(blocks[-1].a + blocks[-1].size + len(folded) - blocks[-1].b - blocks[-1].size, len(window))
        found = window[left:right]
        ratio = SequenceMatcher(None, found, folded, autojunk=False).ratio()
        if ratio < RATIO:
            return QuoteMatch(MISSING), begin
        first, last = begin + start + left, begin + start + right
        match = self._match(NEAR, first, last)
        return (match if _fingerprint(match.found) == _fingerprint(part) else match._replace(verdict=ALTERED)), last

    def _match(self, verdict: str, begin: int, end: int) -> QuoteMatch:
        first, last = self._places[begin], self._places[end - 1]
        section, offset = self._section_at(first)
        page = page_at(section.pages, offset)
        return QuoteMatch(
            verdict,
            found=self.raw[first : last + 1],
            page=page.page if page else 0,
            label=page.label if page else "",
            heading=section.heading.rpartition(" › ")[2],
        )

    def _section_at(self, place: int) -> tuple[Chunk, int]:
        number = bisect.bisect_right(self._starts, place) - 1
        return self.sections[number], place - self._starts[number]


def _fingerprint(text: str) -> tuple[object, ...]:
    """Return what no misprint may change: numbers, digits (C2), and denials, also as parts of words (不过)."""
    numbers = sorted(each.value for each in numbers_of(text))
    return numbers, _DIGITS.findall(text), count_denials(text), sum(map(text.count, DENIALS))


def _in_number(char: str) -> bool:
    return char.isdigit() or char in "零〇一二两三四五六七八九十百千万点."


def fold_quote(text: str) -> tuple[str, list[int]]:
    """Return a text without what does not count, and where each of its characters stood.

    >>> fold_quote("A stop, at 1.5 %.")[0]
    'astopat1.5%'
    """
    out: list[str] = []
    places: list[int] = []
    for at, kept in _kept_characters(text):
        out.append(kept)
        places.extend([at] * len(kept))
    return "".join(out), places


def _kept_characters(text: str) -> Iterator[tuple[int, str]]:
    for at, char in enumerate(text):
        folded = char.lower() if char.isascii() else normalize("NFKC", char).casefold()
        if folded.isalnum() or char in _KEPT or folded in _KEPT:
            yield at, folded
        elif folded == "." and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit() and at:
            yield at, "."
        elif char in _DASHES and text[at + 1 : at + 2].isdigit() and not text[max(at - 1, 0) : at].isalpha():
            yield at, "-"
