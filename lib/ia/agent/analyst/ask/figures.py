"""Which figures a message asks for: with their parameters, over which bars, and in which stretch of time."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.leftover_words import find_leftovers
from ia.agent.analyst.ask.time_spans import (
    DAY,
    EVER,
    EXCEPTION,
    FUTURE,
    SESSIONS,
    SINCE,
    UNREAD,
    TimeSpan,
    blank_spans,
    find_time_spans,
    is_comparison,
)
from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables
from ia.agent.analyst.voice import EN, AnswerVoice
from ia.kernel.errors import PluralText
from ia.kernel.patterns import pattern

_ENGLISH = AnswerVoice(EN)

Figure = tuple[str, str, str]
"""An expression, what it is called in the language of the reader, and its unit."""


_GIVEN = (
    r"\s*(?:指标|的参数)?\s*(?:[(（]\s*(?P<in>\d{1,4}(?:\.\d+)?(?:\s*[,，、]\s*\d{1,4}(?:\.\d+)?)*)\s*[)）]"
    r"|(?<=[a-z])[-_ ]?(?P<to>\d{1,3})(?![\d年月日号%.]))"
)
_BEFORE = r"(?:(?P<of>\d{1,3})\s*-?\s*(?:个?交易日|日|天|周期|days?|periods?|周|weeks?)\s*(?:的)?\s*(?:period )?)?"


class FigureSpec(NamedTuple):
    """A figure that can be asked for. `{0}` in code and names is its first parameter, `{1}` its second.

    form  its words with its parameters: of a group `of`, in brackets `in`, or joined `to`
    """

    words: str
    form: re.Pattern[str]
    defaults: tuple[int, ...]
    code: str
    name: tuple[str, str]
    unit: str


class RangedSpec(NamedTuple):
    """A figure of a stretch of time, `{window}`: code "" is the change over it; `alone` without a stretch."""

    words: re.Pattern[str]
    code: str
    name: tuple[str, str]
    unit: str
    alone_code: str
    alone_name: tuple[str, str]


class AverageSpec(NamedTuple):
    """An average of some bars: `{size}` of them, by day, week or month (`{period}`)."""

    words: re.Pattern[str]
    code: str
    name: tuple[str, str]


class Extremes(NamedTuple):
    """What tells whether a security is at an extreme: thresholds for the first figure and for the place in a band."""

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
        self.change = next(each for each in self.ranged if not each.code)
        self.daily = [each for each in self.ranged if each.alone_code in ("close", self.change.alone_code)]
        averages = table.entry("averages")
        self.average = averages.pattern("pattern")
        self.averages = [build_average(each) for each in averages.inner("kinds")]
        self.largest = averages.number("largest", 500)
        self.too_large = averages.pair("ignored")
        self.weekly, self.monthly, self.minutes, self.unavailable, self.not_ranged, self.look = map(
            table.pattern, ("weekly", "monthly", "minutes", "unavailable", "not_ranged", "look")
        )
        self.extreme_words = table.entry("extremes").pattern("words")
        self.extremes = build_extremes(table.entry("extremes"))
        self.words = [
            self.average, *(pattern(rf"(?<![a-z])(?:{each.words})(?![a-z])") for each in self.entries),
            pattern(_GIVEN.replace("(?<=[a-z])", "")), *(each.words for each in self.ranged),
            self.weekly, self.monthly, self.minutes, self.unavailable, self.not_ranged, self.look, self.extreme_words,
        ]  # fmt: skip
        self.which = table.pair("which")
        self.examples = [[str(each) for each in table.section(key, list)] for key in ("examples", "examples_en")]


def figures_at(tables: Tables = SHIPPED) -> AskedFigures:
    """Return the figures at hand."""
    return tables.build("research", "figures", AskedFigures)


def build_figure(entry: Entry) -> FigureSpec:
    """Return the figure of an entry. raises BadEntry."""
    entry.pattern("words")
    words = entry.text("words")
    return FigureSpec(
        words=words,
        form=pattern(rf"{_BEFORE}(?<![a-z])(?:{words})(?![a-z]){_GIVEN}?"),
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
        alone_code=alone.text("code"),
        alone_name=alone.pair("name", needed=True),
    )


def build_average(entry: Entry) -> AverageSpec:
    """Return a kind of average. raises BadEntry."""
    return AverageSpec(words=entry.pattern("words"), code=entry.text("code"), name=entry.pair("name", needed=True))


def build_extremes(entry: Entry) -> Extremes:
    """Return the thresholds and sentences. raises BadEntry."""
    states = ("above", "below", "between")
    keys = ("too_few", *states, *(f"{state}_outside" for state in states))
    return Extremes(
        high=entry.number("high", float("inf")),
        low=entry.number("low", float("-inf")),
        outside_high=entry.number("outside_high", float("inf")),
        outside_low=entry.number("outside_low", float("-inf")),
        sentences={key: entry.pair(key) for key in keys},
    )


class Asked(NamedTuple):
    """Figures, of which bars, of which day, and what of the message could not be met.

    day       the one day that is meant; None for the newest
    upto      the date up to which the figures are said to be; "" where none is said
    others    the same figures at the other times that the text names
    left      words that nobody has read
    future    words of a time that has not come
    unread    words of time that were not understood, or that are one too many
    """

    figures: tuple[Figure, ...] = ()
    period: str = "daily"
    day: TimeSpan | None = None
    ignored: tuple[str, ...] = ()
    extremes: bool = False
    future: str = ""
    unread: tuple[str, ...] = ()
    upto: str = ""
    others: tuple["Asked", ...] = ()
    left: tuple[str, ...] = ()


class BarStretch(NamedTuple):
    """A stretch of time: expressions that select its bars, and the close before it."""

    where: str
    base: str
    span: TimeSpan


def find_figures(words: str, today: date, tables: Tables = SHIPPED, speak: AnswerVoice = _ENGLISH) -> Asked:
    """Return the figures that a text asks for. What it wants besides and cannot be had is told in `ignored`.

    >>> find_figures("宁德时代 RSI(6) 和 20日均线", date(2024, 3, 15)).figures[0][0]
    'rsi(close, 6)'
    >>> find_figures("周线的MACD", date(2024, 3, 15)).period
    'weekly'
    """
    known, low = figures_at(tables), words.casefold()
    period = "weekly" if known.weekly.search(low) else "monthly" if known.monthly.search(low) else "daily"
    found: list[Figure] = []
    ignored: list[str] = []
    timed = known.average.sub(_put_blanks, low)
    for spec in known.entries:
        timed = _add_indicator(spec, (low, timed), speak, found, ignored)
    for match in known.average.finditer(low):
        for number in re.findall(r"\d+", match["b"] or match["a"]):
            _average(_AskedAverage(known, match[0], int(number), period), speak, found, ignored)
    spans = find_time_spans(timed, today)
    past = [span for span in spans if span.kind not in (UNREAD, FUTURE)]
    times = past[:MOST_TIMES] if len({span.kind == DAY for span in past}) == 1 else past[:1]
    unread = [span.said for span in spans if span.kind == UNREAD] + [span.said for span in past[len(times) :]]
    unread += [match[0] for match in EXCEPTION.finditer(blank_spans(timed, filter(is_comparison, past)))]
    rest = known.not_ranged.sub(" ", _blank_words(known.average.sub(" ", low), spans))
    ignored += [match[0] for match in known.unavailable.finditer(words)]
    read = _ReadText(known, low, rest, bool(known.average.search(low)))
    first, *others = [
        Asked(
            tuple(dict.fromkeys(_figures_of_time(read, span, found, speak))),
            period,
            span if span and span.kind == DAY else None,
            upto=f"{span.last}" if span and span.kind not in (DAY, SESSIONS, EVER) else "",
        )
        for span in (times or (None,))
    ]
    if first.figures:
        ignored += [match[0] for match in known.minutes.finditer(words)]
        unread += _unread_mean(rest, first.figures)
    return first._replace(
        ignored=tuple(dict.fromkeys(ignored)),
        extremes=bool(known.extreme_words.search(low)),
        future=next((span.said for span in spans if span.kind == FUTURE), ""),
        unread=tuple(dict.fromkeys(unread)) if first.figures else (),
        others=tuple(others),
        left=find_leftovers(blank_spans(timed, spans), "figure", [each for each in known.words if each.search(low)]),
    )


MOST_TIMES = 3
"""Times of one question for which its figures are answered."""


def find_averages(words: str, today: date, tables: Tables = SHIPPED) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the expressions of the averages that a text names, and where it names them.

    >>> find_averages("a chart with the 5 and 20 day averages", date(2024, 3, 15))[0]
    ['sma(close, 5)', 'sma(close, 20)']
    """
    known = figures_at(tables)
    forms = [re.escape(each.code).replace(re.escape("{size}"), r"\d+") for each in known.averages]
    codes = [str(code) for code, *_ in find_figures(words, today, tables).figures]
    averages = [code for code in dict.fromkeys(codes) if any(re.fullmatch(form, code) for form in forms)]
    return averages, [match.span() for match in known.average.finditer(words.casefold())]


class _ReadText(NamedTuple):
    """A text as it was read: whole, what is left of it for figures of bars, whether it names an average."""

    known: AskedFigures
    low: str
    rest: str
    averaged: bool


def _figures_of_time(read: _ReadText, span: TimeSpan | None, named: list[Figure], speak: AnswerVoice) -> list[Figure]:
    """Return the figures that a text asks for of one time: those that it names with parameters, and those of bars."""
    known, found = read.known, list(named)
    stretch = stretch_of(span) if span and span.kind != DAY else None
    if read.rest.strip():
        _add_range(known, read.rest, stretch if not read.averaged or stretch else None, speak, found)
    if span and span.kind == DAY and not found and _NOTHING.fullmatch(read.rest):
        found += [(each.alone_code, speak.fill(each.alone_name), each.unit) for each in known.daily]
    priced = stretch is not None and [code for code, *_ in found] == [f"close[{stretch.where}]"]
    if stretch and (priced or (not found and _asks_change(read.rest))):  # the price of a stretch is how it changed
        found.insert(0, (change_over(stretch), speak.fill(known.change.name), known.change.unit))
    return [_name_figure(item, stretch, speak) for item in found] if stretch else found


def _put_blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _unread_mean(rest: str, found: tuple[Figure, ...]) -> list[str]:
    """Return the word for an average that no figure is of."""
    mean = _MEAN.search(rest)
    known = any("mean()" in code or "ma(" in code for code, *_ in found)
    return [mean[0]] if mean and not known else []


_DONE = pattern(
    r"\W*(?:how (?:has|have|did|is|was)?\W*(?:done|do|doing|fared?|perform\w*)?)?\W*(?:over|in|for|during)?"
    r"(?:[的呢吧]|\W)*",
    re.I,
)


_NOTHING = pattern(r"\W*(?:what (?:was|is|were)|how was)?\W*(?:the)?(?:[的呢吧]|\W)*", re.I)
_MEAN = pattern(r"平均(?!线)|\baverage\b|\bavg\b|\bmean\b", re.I)


def _asks_change(rest: str) -> bool:
    """Return True if nothing but a security and a time is named, or how it has done: its change is meant."""
    return _DONE.fullmatch(rest) is not None


def _blank_words(text: str, spans: list[TimeSpan]) -> str:
    """Return a text without the words of time, so that none of them is read as a figure."""
    for span in spans:
        text = text.replace(span.said, " ")
    return text


_ODD = pattern(r"\s*[(（]\s*[-+−]?\d[^)）]{0,40}[)）]")
"""Parameters in brackets that are none: (-5), (1e9)."""


def _add_indicator(
    spec: FigureSpec, texts: tuple[str, str], speak: AnswerVoice, found: list[Figure], ignored: list[str]
) -> str:
    """Add the figure of a specification as often as the text names it with other parameters.

    texts   the whole text, and what is left of it to look for times in
    Return the latter without the parameters: a number of theirs is no time.
    """
    low, timed = texts
    seen = list(spec.form.finditer(low))
    for match in seen:
        if not match["in"] and (odd := _ODD.match(low, match.end())):
            ignored.append(speak("the parameters of {figure}", figure=match[0].strip() + odd[0]))
            return timed.replace(odd[0], " " * len(odd[0]))
    given = [match for match in seen if match["in"] or match["to"] or match["of"]]
    for match in given:
        timed = timed.replace(match[0], " " * len(match[0]))
    for match in given or seen[:1]:
        numbers = [
            int(float(text)) for text in re.findall(r"\d+(?:\.\d+)?", match["in"] or match["to"] or match["of"] or "")
        ]
        many = [[number] for number in numbers] if len(spec.defaults) == 1 and len(numbers) > 1 else [numbers]
        for own in many:
            if len(own) > len(spec.defaults) or any(not 0 < number <= 500 for number in own):
                ignored.append(speak("the parameters of {figure}", figure=match[0].strip()))
                own = []
            values = (*own, *spec.defaults[len(own) :])
            found.append((_put(spec.code, values), _put(speak.fill(spec.name), values), spec.unit))
    return timed


def _put(text: str, values: tuple[int, ...]) -> str:
    for at, value in enumerate(values):
        text = text.replace("{" + str(at) + "}", str(value))
    return text


class _AskedAverage(NamedTuple):
    known: AskedFigures
    said: str
    size: int
    period: str


def _average(asked: _AskedAverage, speak: AnswerVoice, found: list[Figure], ignored: list[str]) -> None:
    """Add an average of so many bars, of the first kind whose words the text has; the last kind needs none."""
    known, said, size, period = asked
    if not 1 < size <= known.largest:
        ignored.append(speak.fill(known.too_large, size=size))
        return
    kind = next((each for each in known.averages if each.words.search(said)), known.averages[-1])
    bar = speak({"weekly": "week", "monthly": "month"}.get(period, "day"), context="average")
    found.append((kind.code.replace("{size}", f"{size}"), speak.fill(kind.name, size=size, period=bar), "price"))


def _add_range(
    known: AskedFigures, low: str, stretch: BarStretch | None, speak: AnswerVoice, found: list[Figure]
) -> None:
    """Add what is asked of a stretch of time, or of the last bar where none is named."""
    rest, named = low, tuple(found)
    for spec in known.ranged:
        if not spec.words.search(rest) or (len(found) > len(named) and _HOW_MUCH_ALONE.fullmatch(rest)):
            continue
        rest = spec.words.sub(" ", rest)
        if stretch is None:
            if not any(_is_same_figure(item, spec) for item in named):
                found.append((spec.alone_code, speak.fill(spec.alone_name), spec.unit))
            continue
        made = spec.code.replace("{window}", stretch.where) if spec.code else change_over(stretch)
        found[:] = [
            item for item in found if item not in named or item[2] != spec.unit or not _is_same_figure(item, spec)
        ]
        found.append((made, speak.fill(spec.name), spec.unit))


_HOW_MUCH_ALONE = pattern(r"\W*(?:是|到|有)?多少了?\W*")
"""What is left of a question where its figure is found: it asks for no price besides."""


def _is_same_figure(item: Figure, spec: RangedSpec) -> bool:
    """Return True if a figure of the last bars is the one that was asked for over a stretch of time."""
    return spec.words.search(item[1]) is not None and "iloc" not in item[0] and "date" not in item[0]


def change_over(stretch: BarStretch) -> str:
    """Return the change over a stretch: from the close that it begins with."""
    return f"(close[{stretch.where}].iloc[-1] / ({stretch.base}) - 1) * 100"


def _name_figure(item: Figure, stretch: BarStretch, speak: AnswerVoice) -> Figure:
    """Return a figure with the stretch in its name; one of the last bars as it was at the end of the stretch."""
    code, name, unit = item
    if "date" in code or "iloc" in code or "[-" in code:
        return code, describe_stretch(name, stretch.span, speak), unit
    if stretch.span.last is not None and stretch.span.kind != SESSIONS:
        return f'({code})[date <= "{stretch.span.last}"]', name, unit
    return item


def describe_stretch(figure: str, span: TimeSpan, speak: AnswerVoice) -> str:
    """Return a figure with the stretch of time that it is of."""
    if span.kind == EVER:
        return speak("{figure} of all bars", figure=figure)
    if span.kind == SESSIONS:
        last = PluralText("{figure}, last bar", "{figure}, last {count} bars")
        return speak(last, figure=figure, count=span.sessions)
    if span.kind == SINCE:
        return speak("{figure}, since the close of {first}", figure=figure, first=span.first)
    return speak("{figure}, {first} to {last}", figure=figure, first=span.first, last=span.last)


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
        return BarStretch(f"(date >= date.iloc[-{span.sessions}])", f"close.iloc[-{span.sessions + 1}]", span)
    if span.kind == EVER:
        return BarStretch('(date >= "1900-01-01")', "close.iloc[0]", span)
    after, sign = (">", "<=") if span.kind == SINCE else (">=", "<=" if span.days else "<")
    where = f'(date {after} "{span.first}") & (date <= "{span.last}")'
    return BarStretch(where, f'close[date {sign} "{span.first}"].iloc[-1]', span)
