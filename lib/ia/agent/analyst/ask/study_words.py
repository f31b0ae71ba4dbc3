"""Which words of a question about a security a view does not answer: they are told or asked back, never dropped."""

import re
from collections.abc import Iterable

from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_mentions
from ia.agent.analyst.tables import SHIPPED, Table, Tables

_WORD = re.compile(r"[^\W_][\w'’&%％.-]*")
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万两]{2,}|[一二三四五六七八九十百千万两]+(?:个?月|[日号股天次年周手])"
    r"|\b(?:days?|weeks?|months?|quarters?|years?|yesterday|tomorrow|since|until|times)\b"
    r"|昨天|前天|上周|上个?月|去年|今年|季度|以来",
    re.I,
)
"""A number or a time: what it bounds is not a view."""
MOST = 3
"""Stretches of unread words that are quoted."""


class StudyWords:
    """The words with which people ask for a view of a security, that change nothing of it, and that bound it."""

    def __init__(self, table: Table) -> None:
        self.asks, self.fillers, self.conditions = map(table.pattern, ("asks", "fillers", "conditions"))


def study_words_at(tables: Tables = SHIPPED) -> StudyWords:
    """Return the words at hand."""
    return tables.build("research", "study", StudyWords)


def find_unread(
    words: str, securities: list[Mention], views: Iterable[re.Pattern[str]] = (), tables: Tables = SHIPPED
) -> tuple[list[str], bool]:
    """Return what a question says besides its securities and a view of them, and whether it asks for a view at all.

    One with a number that was not read asks for something else. views: the words of the views, which ask for one, too.

    >>> words = "比亚迪销量怎么样"
    >>> find_unread(words, find_mentions(words))
    (['销量'], True)
    """
    known = study_words_at(tables)
    plain = words[:LONGEST]
    for mention in securities:
        plain = plain.replace(mention.said, " ")
    while named := find_mentions(plain):  # one security may be named twice: Moutai (600519)
        for mention in named:
            plain = plain.replace(mention.said, " ")
    asks, left = bool(known.asks.search(plain)), known.asks.sub(" ", known.conditions.sub(" ", plain))
    for view in views:
        asks = asks or bool(view.search(plain))
        left = view.sub(" ", left)
    unread = [match[0] for match in known.conditions.finditer(plain)]
    unread += [each.rstrip(".'’-") for each in _WORD.findall(known.fillers.sub(" ", left))]
    return unread[:MOST], asks and not any(map(_NUMBER.search, unread))
