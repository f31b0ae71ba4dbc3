"""Securities in text: how the memory writes one, and which notes mention one."""

import re
from typing import TYPE_CHECKING

from ia.kernel.errors import IaError
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol


def identify_security(text: str) -> list[str]:
    """Return how the watch list writes a security, its code, and what else it may stand there as.

    A text that means no security, or could mean several, is a topic, and so are letters that only look like a ticker
    (`GDP`): their code is "". Such a ticker may stand there with its market all the same (`GDP.US`).
    """
    from ia.domain.instruments.symbols import resolve_security

    topic = " ".join(text.split())
    try:
        symbol = resolve_security(topic, spelled=False)
    except IaError:
        return [topic, ""]
    if not symbol.name and topic.isalpha():
        return [topic, "", symbol.canonical]
    return [*name_security(symbol), topic]


def name_security(symbol: "Symbol") -> list[str]:
    """Return how the watch list writes a security, for its user, its code, and what else it may stand there as."""
    from ia.kernel import config

    return [symbol.name_in(config.locale_lang()), symbol.canonical, symbol.code, *filter(None, [symbol.name])]


def split_securities(text: str) -> list[str]:
    """Return the securities of a text that names two or more and nothing else (`300750 600519`), else []."""
    words = [word for word in re.split(r"[\s,，、;；]+", text) if word]
    return words if len(words) > 1 and all(identify_security(word)[1] for word in words) else []


def find_notes(ws: Workspace, names: list[str], limit: int) -> list[tuple[str, str, str]]:
    """Return (path, date, passage) of the notes that name a security, best first, each note once."""
    from ia.organs.recall.search import NOTES, recall_notes

    found: dict[str, tuple[str, str, str]] = {}
    for name in filter(None, names):
        for hit in recall_notes(ws, name, limit=limit, areas=NOTES):
            if name in hit.content:
                found.setdefault(hit.source, (hit.source, hit.date, hit.content))
    return list(found.values())[:limit]
