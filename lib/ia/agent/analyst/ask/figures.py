"""Which figures a message asks for: with their parameters, over which bars, and in which stretch of time."""

import re
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.time_spans import (
    DAY,
    EVER,
    EXCEPTION,
    FUTURE,
    SESSIONS,
    SINCE,
    UNREAD,
    TimeSpan,
    find_time_spans,
)
from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables

Figure = tuple[str, str, str, str]
"""An expression, what it is called in Chinese and in English, and its unit."""


@dataclass(frozen=True, kw_only=True)
class FigureSpec:
    """A figure that can be asked for. `{0}` in code and names is its first parameter, `{1}` its second."""

    words: str
    defaults: tuple[int, ...]
    code: str
    name: tuple[str, str]
    unit: str


@dataclass(frozen=True, kw_only=True)
class RangedSpec:
    """A figure of a stretch of time, `{window}`: code "" is the change over it; `alone` without a stretch."""

    words: re.Pattern[str]
    code: str
    name: tuple[str, str]
    unit: str
    alone: Figure


@dataclass(frozen=True, kw_only=True)
class AverageSpec:
    """An average of some bars: `{size}` of them, by day, week or month (`{period}`)."""

    words: re.Pattern[str]
    code: str
    name: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Overbought:
    """What answers whether a security is overbought: thresholds for the first figure, and for its place in a band."""

    high: float
    low: float
    outside_high: float
    outside_low: float
    sentences: dict[str, tuple[str, str]]


class AskedFigures:
    """All figures that can be asked for, and the words about them."""

    def __init__(self, table: Table) -> None:
        self.entries = table.entries("entries", build_figure)
        self.ranged = table.entries("ranged", build_ranged)
        averages = table.entry("averages")
        self.average = averages.pattern("pattern")
        self.averages = [build_average(each) for each in averages.inner("kinds")]
        self.largest = averages.number("largest", 500)
        self.too_large = averages.pair("ignored")
        self.weekly, self.monthly, self.minutes, self.unavailable, self.not_ranged, self.look = map(
            table.pattern, ("weekly", "monthly", "minutes", "unavailable", "not_ranged", "look")
        )
        self.overbought_words = table.entry("overbought").pattern("words")
        self.overbought = build_overbought(table.entry("overbought"))
        self.which = table.pair("which")
        self.examples = [[str(each) for each in table.section(key, list)] for key in ("examples", "examples_en")]


def figures_at(tables: Tables = SHIPPED) -> AskedFigures:
    """Return the figures at hand."""
    return tables.build("research", "figures", AskedFigures)


def build_figure(entry: Entry) -> FigureSpec:
    """Return the figure of an entry. raises BadEntry."""
    entry.pattern("words")
    return FigureSpec(
        words=entry.text("words"),
        defaults=tuple(int(each) for each in entry.items("defaults")),
        code=entry.text("code"),
        name=entry.pair("name", needed=True),
        unit=entry.text("unit", ""),
    )


def build_ranged(entry: Entry) -> RangedSpec:
    """Return the figure of a stretch of time. raises BadEntry."""
    alone = entry.below("alone")
    return RangedSpec(
        words=entry.pattern("words"),
        code=entry.text("code", ""),
        name=entry.pair("name", needed=True),
        unit=entry.text("unit", ""),
        alone=(alone.text("code"), *alone.pair("name", needed=True), entry.text("unit", "")),
    )


def build_average(entry: Entry) -> AverageSpec:
    """Return a kind of average. raises BadEntry."""
    return AverageSpec(words=entry.pattern("words"), code=entry.text("code"), name=entry.pair("name", needed=True))


def build_overbought(entry: Entry) -> Overbought:
    """Return the thresholds and sentences. raises BadEntry."""
    states = ("above", "below", "between")
    keys = ("too_few", *states, *(f"{state}_outside" for state in states))
    return Overbought(
        high=entry.number("high", float("inf")),
        low=entry.number("low", float("-inf")),
        outside_high=entry.number("outside_high", float("inf")),
        outside_low=entry.number("outside_low", float("-inf")),
        sentences={key: entry.pair(key) for key in keys},
    )


_GIVEN = (
    r"\s*(?:指标|的参数)?\s*(?:[(（]\s*(?P<in>\d{1,4}(?:\.\d+)?(?:\s*[,，、]\s*\d{1,4}(?:\.\d+)?)*)\s*[)）]"
    r"|(?<=[a-z])[-_ ]?(?P<to>\d{1,3})(?![\d年月日号%.]))"
)
_BEFORE = r"(?:(?P<of>\d{1,3})\s*-?\s*(?:个?交易日|日|天|周期|days?|periods?|周|weeks?)\s*(?:的)?\s*(?:period )?)?"


class Asked(NamedTuple):
    """Figures, of which bars, of which day, and what of the message could not be met (zh, en).

    day       the one day that is meant; None for the newest
    future    words of a time that has not come
    unread    words of time that were not understood, or that are one too many
    """

    figures: tuple[Figure, ...] = ()
    period: str = "daily"
    day: TimeSpan | None = None
    ignored: tuple[tuple[str, str], ...] = ()
    overbought: bool = False
    future: str = ""
    unread: tuple[str, ...] = ()


class BarStretch(NamedTuple):
    """A stretch of time: expressions that select its bars, and the close before it; and what it is called."""

    where: str
    base: str
    zh: str
    en: str


def find_figures(words: str, today: date, tables: Tables = SHIPPED) -> Asked:
    """Return the figures that a text asks for. What it wants besides and cannot be had is told in `ignored`.

    >>> find_figures("宁德时代 RSI(6) 和 20日均线", date(2024, 3, 15)).figures[0][0]
    'rsi(close, 6)'
    >>> find_figures("周线的MACD", date(2024, 3, 15)).period
    'weekly'
    """
    known, low = figures_at(tables), words.casefold()
    period = "weekly" if known.weekly.search(low) else "monthly" if known.monthly.search(low) else "daily"
    found: list[Figure] = []
    ignored: list[tuple[str, str]] = []
    timed = known.average.sub(" ", low)
    for spec in known.entries:
        timed = _add_indicator(spec, low, timed, found, ignored)
    taken = bool(known.average.search(low))
    for match in known.average.finditer(low):
        for number in re.findall(r"\d+", match["b"] or match["a"]):
            _average(known, match[0], int(number), period, found, ignored)
    spans = find_time_spans(timed, today)
    unread = [span.said for span in spans if span.kind == UNREAD]
    future = next((span.said for span in spans if span.kind == FUTURE), "")
    known_spans = [span for span in spans if span.kind not in (UNREAD, FUTURE)]
    unread += [span.said for span in known_spans[1:]] + [match[0] for match in EXCEPTION.finditer(low)]
    span = known_spans[0] if known_spans else None
    stretch = stretch_of(span) if span is not None and span.kind != DAY else None
    rest = known.not_ranged.sub(" ", _blank_words(known.average.sub(" ", low), spans))
    if rest.strip():
        _add_range(known, rest, stretch if not taken or stretch else None, found)
    ignored += [(match[0], match[0]) for match in known.unavailable.finditer(words)]
    ignored += [(match[0], match[0]) for match in known.minutes.finditer(words)] if found else []
    if stretch:
        found = [_name_figure(item, stretch, span) for item in found]
    over = bool(known.overbought_words.search(low))
    day = span if span is not None and span.kind == DAY else None
    return Asked(
        tuple(dict.fromkeys(found)),
        period,
        day,
        tuple(dict.fromkeys(ignored)),
        over,
        future,
        tuple(unread) if found else (),
    )


def _blank_words(text: str, spans: list[TimeSpan]) -> str:
    """Return a text without the words of time, so that none of them is read as a figure."""
    for span in spans:
        text = text.replace(span.said, " ")
    return text


def _add_indicator(spec: FigureSpec, low: str, timed: str, found: list[Figure], ignored: list[tuple[str, str]]) -> str:
    """Add the figure of a specification as often as the text names it with other parameters.

    Return the text without the parameters: a number of theirs is no time.
    """
    core = rf"(?:{spec.words})"
    pattern = rf"{_BEFORE}(?<![a-z]){core}(?![a-z]){_GIVEN}?"
    seen = list(re.finditer(pattern, low))
    given = [match for match in seen if match["in"] or match["to"] or match["of"]]
    for match in given:
        timed = timed.replace(match[0], " ")
    for match in given or seen[:1]:
        numbers = [
            int(float(text)) for text in re.findall(r"\d+(?:\.\d+)?", match["in"] or match["to"] or match["of"] or "")
        ]
        many = [[number] for number in numbers] if len(spec.defaults) == 1 and len(numbers) > 1 else [numbers]
        for own in many:
            if len(own) > len(spec.defaults) or any(not 0 < number <= 500 for number in own):
                ignored.append((f"参数 {match[0].strip()}", f"the parameters of {match[0].strip()}"))
                own = []
            values = (*own, *spec.defaults[len(own) :])
            found.append((_put(spec.code, values), _put(spec.name[0], values), _put(spec.name[1], values), spec.unit))
    return timed


def _put(text: str, values: tuple[int, ...]) -> str:
    for at, value in enumerate(values):
        text = text.replace("{" + str(at) + "}", str(value))
    return text


def _average(
    known: AskedFigures, said: str, size: int, period: str, found: list[Figure], ignored: list[tuple[str, str]]
) -> None:
    """Add an average of so many bars, of the first kind whose words the text has; the last kind needs none."""
    if not 1 < size <= known.largest:
        ignored.append(
            (known.too_large[0].replace("{size}", f"{size}"), known.too_large[1].replace("{size}", f"{size}"))
        )
        return
    kind = next((each for each in known.averages if each.words.search(said)), known.averages[-1])
    bars = {"weekly": ("周", "week"), "monthly": ("月", "month")}.get(period, ("日", "day"))
    zh, en = (
        name.replace("{size}", f"{size}").replace("{period}", bar) for name, bar in zip(kind.name, bars, strict=True)
    )
    found.append((kind.code.replace("{size}", f"{size}"), zh, en, "price"))


def _add_range(known: AskedFigures, low: str, stretch: BarStretch | None, found: list[Figure]) -> None:
    """Add what is asked of a stretch of time, or of the last bar where none is named."""
    rest = low
    for spec in known.ranged:
        if not spec.words.search(rest):
            continue
        rest = spec.words.sub(" ", rest)
        if stretch is None:
            if not any(_is_same_figure(item, spec) for item in found):
                found.append(spec.alone)
            continue
        made = spec.code.replace("{window}", stretch.where) if spec.code else change_over(stretch)
        found[:] = [item for item in found if item[3] != spec.unit or not _is_same_figure(item, spec)]
        found.append((made, *spec.name, spec.unit))


def _is_same_figure(item: Figure, spec: RangedSpec) -> bool:
    """Return True if a figure of the last bars is the one that was asked for over a stretch of time."""
    return spec.words.search(item[1]) is not None and "iloc" not in item[0] and "date" not in item[0]


def change_over(stretch: BarStretch) -> str:
    """Return the change over a stretch: from the close that it begins with."""
    return f"(close[{stretch.where}].iloc[-1] / ({stretch.base}) - 1) * 100"


def _name_figure(item: Figure, stretch: BarStretch, span: TimeSpan | None) -> Figure:
    """Return a figure with the stretch in its name; one of the last bars as it was at the end of the stretch."""
    code, zh, en, unit = item
    if "date" in code or "iloc" in code or "[-" in code:
        return code, f"{stretch.zh}{zh}", f"{en}, {stretch.en}", unit
    if span is not None and span.last is not None and span.kind != SESSIONS:
        return f'({code})[date <= "{span.last}"]', zh, en, unit
    return item


def stretch_of(span: TimeSpan) -> BarStretch:
    """Return the bars of a span as expressions.

    >>> today = date(2024, 3, 15)
    >>> stretch_of(find_time_spans("今年", today)[0]).where
    '(date >= "2024-01-01") & (date <= "2024-03-15")'
    >>> stretch_of(find_time_spans("last 20 days", today)[0]).base
    'close.iloc[-21]'
    >>> stretch_of(find_time_spans("since 3月1日", today)[0]).base
    'close[date <= "2024-03-01"].iloc[-1]'
    """
    if span.kind == SESSIONS:
        count = span.sessions
        return BarStretch(
            f"(date >= date.iloc[-{count}])",
            f"close.iloc[-{count + 1}]",
            f"近 {count} 个交易日",
            f"last {count} sessions",
        )
    if span.kind == EVER:
        return BarStretch('(date >= "1900-01-01")', "close.iloc[0]", "有数据以来的", "since the first bar")
    where = f'(date >= "{span.first}") & (date <= "{span.last}")'
    if span.kind == SINCE:
        return BarStretch(
            where,
            f'close[date <= "{span.first}"].iloc[-1]',
            f"{span.first} 收盘以来",
            f"since the close of {span.first}",
        )
    return BarStretch(
        where, f'close[date < "{span.first}"].iloc[-1]', f"{span.first} 至 {span.last} ", f"{span.first} to {span.last}"
    )
