"""Whether what a reply cites stands in the passages that it was given: quotes word for word, figures as figures."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from ia.agent.analyst.ask.told_trades import fold_numbers
from ia.agent.tools.scope import CitedPassage
from ia.kernel.errors import Message
from ia.kernel.patterns import pattern

_CITATION = pattern(r"\[([^\[\]\n]{2,300})\]")
_QUOTE = pattern(r"“([^“”\n]{4,})”|「([^「」\n]{4,})」|『([^『』\n]{4,})』|\"([^\"\n]{4,})\"")
_PAGE = pattern(r",\s*p\.\s*\S+(?:\s*\(PDF \d+\))?$|,\s*第\s*\d+\s*页$|,\s*§\s*[^,]+$")
_NUMBER = pattern(r"\d[\d,]*(?:\.\d+)?")
_PER_CENT = pattern(r"百分之([零〇一二两三四五六七八九十百\d点.]+)")
_SENTENCE_END = pattern(r"[。！？!?\n]|\.(?=\s)")


_WEB = pattern(r"[Ww]\d{1,3}")
"""How a source of the web is cited."""


def list_citations(reply: str) -> list[str]:
    """Return the names that a reply cites, as it writes them."""
    return [name for found in _CITATION.finditer(reply) for name in re.split(r"[,，;；、]\s*(?=W\d)|[;；]", found[1])]


def normalize_citation(name: str) -> str:
    """Return a citation in the form in which two that mean the same are equal."""
    return _squeeze(name)


def find_unsourced(reply: str, passages: Sequence[CitedPassage], others: Sequence[str]) -> list[Message]:
    """Return the sentences of a reply with a figure that only sources of the web have told, and without a citation.

    others  what else the reply may have its figures from: the question, results of other tools
    """
    web = {number for each in passages if _WEB.fullmatch(each.citation) for number in _numbers(each.text)}
    if not web:
        return []
    only = {number for number in web if not _is_count(number)} - _numbers("\n".join(others))
    found = [
        Message("No source behind “{sentence}”", sentence=sentence.strip()[:80])
        for sentence in _uncited_sentences(reply)
        if _numbers(sentence) & only
    ]
    return found[:MOST_UNSOURCED]


MOST_UNSOURCED = 3
"""Sentences without a source that are named."""


def _is_count(number: str) -> bool:
    return number.isdecimal() and (int(number) <= 31 or 1900 <= int(number) <= 2100)


def _uncited_sentences(reply: str) -> Iterator[str]:
    """Yield the sentences that no citation stands behind."""
    for line in reply.splitlines():
        begin = 0
        pieces = []
        for end in [*(each.end() for each in _SENTENCE_END.finditer(line)), len(line)]:
            pieces.append(line[begin:end])
            begin = end
        for at, piece in enumerate(pieces):
            following = pieces[at + 1] if at + 1 < len(pieces) else ""
            if not _CITATION.search(piece) and not following.lstrip().startswith("["):
                yield piece


def check_citations(reply: str, passages: Sequence[CitedPassage], question: str = "") -> list[Message]:
    """Return what a reply cites wrongly, one message each: an unknown page, a quote or a figure that is not there.

    Only what cites a document is looked at. Figures of the question need no source.
    """
    asked = _numbers(question)
    known: dict[str, str] = {}
    for passage in passages:
        name = _squeeze(passage.citation)
        known[name] = f"{known.get(name, '')}\n{passage.text}"
    titles = {_squeeze(_PAGE.sub("", passage.citation)) for passage in passages}
    found: list[Message] = []
    for sentence, cited in _cited_sentences(reply):
        names = [name for each in cited for name in list_citations(f"[{each}]")]
        texts = [known[_squeeze(name)] for name in names if _squeeze(name) in known]
        for name in names:
            is_web = _WEB.fullmatch(name.strip()) is not None
            if _squeeze(name) not in known and (is_web or _squeeze(_PAGE.sub("", name)) in titles):
                found.append(
                    Message(
                        "Unsupported: [{citation}] is not among the passages that were found", citation=name.strip()
                    )
                )
        if texts:
            found += _check_sentence(sentence, "\n".join(texts), cited[0], asked)
    return list({str(message): message for message in found}.values())


def _cited_sentences(reply: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences that citations stand behind, each with its citations."""
    for line in reply.splitlines():
        begin = 0
        marks = [*_CITATION.finditer(line)]
        at = 0
        while at < len(marks):
            group = [marks[at]]
            while at + 1 < len(marks) and not line[group[-1].end() : marks[at + 1].start()].strip(" ,;，；、"):
                at += 1
                group.append(marks[at])
            text = line[begin : group[0].start()]
            ends = [each.end() for each in _SENTENCE_END.finditer(text.rstrip(' 。.！？!?”」』"'))]
            yield text[ends[-1] if ends and not _is_open(text, ends[-1]) else 0 :], [each[1] for each in group]
            begin = group[-1].end()
            at += 1


def _is_open(text: str, at: int) -> bool:
    """Return True if a place of a text is within a quote."""
    before = text[:at]
    return any(before.count(first) > before.count(last) for first, last in ("“”", "「」", "『』")) or (
        before.count('"') % 2 == 1
    )


def _check_sentence(sentence: str, passage: str, citation: str, asked: set[str]) -> list[Message]:
    found = []
    whole = _squeeze(passage)
    quoted = [next(filter(None, match.groups())) for match in _QUOTE.finditer(sentence)]
    for quote in quoted:
        parts = [_squeeze(part).strip(".,;，。；、") for part in re.split(r"…+|\.{3,}", quote)]
        if not all(part in whole for part in parts if part):
            found.append(
                Message("Unsupported: “{quote}” does not stand in [{citation}]", quote=quote[:80], citation=citation)
            )
    numbers = _numbers(passage) | asked
    for number in sorted(_numbers(_QUOTE.sub(" ", sentence)) - numbers):
        found.append(Message("Unsupported: {number} does not stand in [{citation}]", number=number, citation=citation))
    return found


def _numbers(text: str) -> set[str]:
    """Return the figures of a text in one form, Chinese ones too; a number that counts a list is none."""
    folded = unicodedata.normalize("NFKC", re.sub(r"(?m)^\s*(?:[-*]\s*)?\d{1,2}[.)、]\s", "", text))
    told = _PER_CENT.sub(lambda match: fold_numbers(match[1] + "元") + "%", folded)
    both = f"{folded}\n{told}\n{fold_numbers(folded)}"
    return (
        {_normalize_number(each) for each in _NUMBER.findall(both)}
        if _has_han_numbers(text)
        else {_normalize_number(each) for each in _NUMBER.findall(folded)}
    )


def _has_han_numbers(text: str) -> bool:
    return any(char in "零〇一二两三四五六七八九十百千万" for char in text)


def _normalize_number(number: str) -> str:
    plain = number.replace(",", "")
    return (plain.rstrip("0").rstrip(".") if "." in plain else plain).lstrip("0") or "0"


def _squeeze(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
