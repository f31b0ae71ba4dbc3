"""The soul's lens: which views of a security come first, which are taken at all, and what else it wants looked at."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables
from ia.agent.analyst.voice import AnswerVoice
from ia.kernel.patterns import pattern
from ia.organs.memory.beliefs import parse_belief

_NOT = pattern(
    r"(不(看|用|信|碰|谈|考虑|迷信|相信|依赖)|忽略|无视|从不看|not? (look|use|trust|care)\w*|ignore|never (look|use)"
    r"|without)[^，。；,.;]*$",
    re.I,
)
_LIMITS = ("边界", "禁忌", "底线", "limit", "boundar")
_GROWTH = ("成长", "growth", "grow")


@dataclass(frozen=True, kw_only=True)
class HeadPart:
    """What a view sees, in a clause of the conclusion.

    of       `primary`, `others` (the readings of its kind but the primary), or a kind of evidence
    first    said where nothing else is and the view comes first
    """

    of: str
    speaks_for: tuple[str, str]
    against: tuple[str, str]
    silent: tuple[str, str]
    first: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class ViewPoint:
    """One view of a security: the words by which it is recognized, its opposite, and what it cannot see.

    unknown     what it cannot see where there is no valuation; `limits` where this is empty
    """

    id: str
    name: tuple[str, str]
    words: re.Pattern[str]
    opposite: str
    limits: tuple[str, str]
    heads: tuple[HeadPart, ...]
    heads_need: str
    no_heads: tuple[str, str]
    unknown: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Concern:
    """What a coach can ask to look at besides: its words, what it changes, and where a view of its own goes."""

    id: str
    words: re.Pattern[str]
    effect: tuple[str, str]
    place: str


class Lens(NamedTuple):
    """An order of views.

    `leading` is the one that comes first, "" without a soul that says; `counter` was added because one view alone
    proves nothing; `words` are the soul's own that decided, or (by_question) the user's. `added` is a view that only
    the question brings in: it is shown, and is no part of the verdict.
    """

    order: tuple[str, ...]
    leading: str = ""
    counter: str = ""
    words: tuple[str, ...] = ()
    by_question: bool = False
    added: str = ""


class Lenses:
    """The views and the concerns at hand."""

    def __init__(self, table: Table) -> None:
        self.views = {view.id: view for view in table.entries("views", build_view)}
        self.concerns = {concern.id: concern for concern in table.entries("concerns", build_concern)}
        self.last = table.section("last", str)
        self.neutral = Lens(tuple(str(view) for view in table.section("neutral", list)))

    def find_views(self, text: str) -> list[str]:
        """Return the views whose words a text has."""
        return [view.id for view in self.views.values() if view.words.search(text)]


def lenses_at(tables: Tables = SHIPPED) -> Lenses:
    """Return the views and concerns at hand."""
    return tables.build("research", "lenses", Lenses)


def build_view(entry: Entry) -> ViewPoint:
    """Return the view of an entry. raises BadEntry."""
    heads = tuple(
        HeadPart(
            of=part.text("of"),
            speaks_for=part.pair("for"),
            against=part.pair("against"),
            silent=part.pair("silent"),
            first=part.pair("first"),
        )
        for part in entry.inner("heads")
    )
    return ViewPoint(
        id=entry.text("id"),
        name=entry.pair("name", needed=True),
        words=entry.pattern("words"),
        opposite=entry.text("opposite", ""),
        limits=entry.pair("limits"),
        heads=heads,
        heads_need=entry.text("heads_need", ""),
        no_heads=entry.pair("no_heads"),
        unknown=entry.pair("unknown"),
    )


def build_concern(entry: Entry) -> Concern:
    """Return the concern of an entry. raises BadEntry."""
    return Concern(
        id=entry.text("id"),
        words=entry.pattern("words"),
        effect=entry.pair("effect"),
        place=entry.text("place", ""),
    )


def of_soul(soul: str, tables: Tables = SHIPPED) -> Lens:
    """Return the views in the order in which a soul names them; what it says it ignores is left out.

    Limits and directions of growth decide nothing here. One view alone is joined by its opposite, and risk comes last.

    >>> of_soul("# 我的风格\\n- 先看均线和动量，再看估值").order
    ('trend', 'value', 'risk')
    >>> of_soul("# Style\\n- Factor scores first; I do not look at charts or momentum").order
    ('quant', 'risk')
    """
    known = lenses_at(tables)
    named: dict[str, str] = {}
    refused: set[str] = set()
    for line in _style(soul):
        spots = sorted((found.start(), view.id, found[0]) for view in known.views.values()
                       if (found := view.words.search(line)))  # fmt: skip
        for at, lens, word in spots:
            if _NOT.search(line[:at]):
                refused.add(lens)
            else:
                named.setdefault(lens, word)
    order = [lens for lens in named if lens not in refused]
    last = known.last
    if not order:
        neutral = known.neutral
        return neutral._replace(order=tuple(lens for lens in neutral.order if lens not in refused) or (last,))
    leading, counter = order[0], ""
    if len([lens for lens in order if lens != last]) < 2:
        counter = known.views[order[0]].opposite
        counter = counter if counter not in refused and counter not in order else ""
    steps = dict.fromkeys(
        [*(lens for lens in order if lens != last or lens == order[0]), *filter(None, [counter]), last]
    )
    kept = tuple(lens for lens in steps if lens not in refused)
    return Lens(kept, leading, counter, tuple(named[lens] for lens in order))


_MEASURED = pattern(
    r"(?:跑[赢输]|[强弱好]于|超过)了?(?:大盘|指数|整体市场|沪深300)"
    r"|\b(?:beat|outperform|underperform|lag|trail)(?:s|ed|ing)?(?: the)?"
    r"(?: (?:broad|overall|whole))? (?:index|market|benchmark)\b",
    re.I,
)


def concerns(soul: str, beliefs: str, tables: Tables = SHIPPED) -> dict[str, str]:
    """Return what a coach has asked to look at besides, by name, with the line that asks for it.

    It stands in the soul's directions of growth and style, and in the beliefs: not in a forecast, which has its day,
    nor where an index is only what something is measured against.
    """
    found: dict[str, str] = {}
    held = [line for line in beliefs.splitlines() if parse_belief(line).due is None]
    for line in [*_section(soul, _GROWTH), *_style(soul), *held]:
        asked = _MEASURED.sub(" ", line)
        for name, concern in lenses_at(tables).concerns.items():
            if concern.words.search(asked) and name not in found and not line.startswith("#"):
                found[name] = line.strip().lstrip("-* ").strip()
    return found


def put_first(lens: Lens, question: str, tables: Tables = SHIPPED) -> Lens:
    """Return the lens for a question that names a view itself (`从价值角度`, `风险大吗`): that one first.

    What is counted stays what the soul wants looked at.
    """
    known = lenses_at(tables)
    named = known.find_views(question)
    if len(named) != 1 or named[0] == lens.order[0]:
        return lens
    word = known.views[named[0]].words.search(question)
    rest = (view for view in lens.order if view != named[0])
    return Lens(
        order=(named[0], *rest),
        leading=named[0],
        counter="" if named[0] == lens.counter else lens.counter,
        words=(word[0] if word else "",),
        by_question=True,
        added="" if named[0] in lens.order else named[0],
    )


def add_concerns(lens: Lens, cares: Iterable[str], tables: Tables = SHIPPED) -> Lens:
    """Return the lens with the views that a coach has asked for, each in its place."""
    order = list(lens.order)
    found = lenses_at(tables).concerns
    for place, at in (("after_first", 1), ("before", 0)):
        for name in cares:
            if name in found and found[name].place == place:
                order.insert(at, name)
    return lens._replace(order=tuple(order))


def view_title(lens: str, speak: AnswerVoice, tables: Tables = SHIPPED) -> str:
    """Return the name of a view."""
    known = lenses_at(tables).views.get(lens)
    return speak.fill(known.name) if known else lens


def _style(soul: str) -> list[str]:
    """Return the lines that say how to look at things: all but limits and directions of growth."""
    kept, inside = [], True
    for line in soul.splitlines():
        if line.startswith("#"):
            inside = not any(word in line.casefold() for word in (*_LIMITS, *_GROWTH))
        elif inside and line.strip():
            kept.append(line)
    return kept


def _section(text: str, words: tuple[str, ...]) -> list[str]:
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("#"):
            inside = any(word in line.casefold() for word in words)
        elif inside and line.strip():
            kept.append(line)
    return kept
