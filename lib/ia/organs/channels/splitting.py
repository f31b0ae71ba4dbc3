"""A long text in parts that a service takes: cut between paragraphs, else lines, else words, else anywhere."""

from collections.abc import Callable


def split_message(text: str, limit: int, size: Callable[[str], int] = len) -> list[str]:
    """Return a text in parts of at most `limit`, as `size` counts; together they are the text but for blank edges."""
    rest, out = text.strip("\n"), []
    while size(rest) > limit:
        fits = _count_fitting(rest, limit, size)
        at = next((at for mark in ("\n\n", "\n", " ") if (at := rest.rfind(mark, fits // 3, fits + 1)) > 0), fits)
        out.append(rest[:at].rstrip())
        rest = rest[at:].lstrip("\n ") if at < fits or rest[at : at + 1] in "\n " else rest[at:]
    return [part for part in [*out, rest] if part] or [rest]


def _count_fitting(text: str, limit: int, size: Callable[[str], int]) -> int:
    """Return how many characters from the beginning fit."""
    low, high = 1, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle]) <= limit else (low, middle - 1)
    return low
