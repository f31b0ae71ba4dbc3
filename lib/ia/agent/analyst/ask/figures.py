"""Which figures a message asks for: with their parameters, over which bars, and in which stretch of time."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables
from ia.agent.analyst.voice import EN, AnswerVoice
from ia.kernel.errors import PluralText

_ENGLISH = AnswerVoice(EN)

Figure = tuple[str, str, str]
"""An expression, what it is called in the language of the reader, and its unit."""


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
    alone_code: str
    alone_name: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class AverageSpec:
    """An average of some bars: `{size}` of them, by day, week or month (`{period}`)."""

    words: re.Pattern[str]
    code: str
    name: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Extremes:
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


_GIVEN = (
    r"\s*(?:指标|的参数)?\s*(?:[(（]\s*(?P<in>\d{1,4}(?:\.\d+)?(?:\s*[,，、]\s*\d{1,4}(?:\.\d+)?)*)\s*[)）]"
    r"|(?<=[a-z])[-_ ]?(?P<to>\d{1,3})(?![\d年月日号%.]))"
)
_BEFORE = r"(?:(?P<of>\d{1,3})\s*-?\s*(?:个?交易日|日|天|周期|days?|periods?|周|weeks?)\s*(?:的)?\s*(?:period )?)?"


class Asked(NamedTuple):
    """Figures, of which bars, up to which date, and what of the message could not be met."""

    figures: tuple[Figure, ...] = ()
    period: str = "daily"
    end: str = ""
    ignored: tuple[str, ...] = ()
    extremes: bool = False


class BarStretch(NamedTuple):
    """A stretch of time: an expression that selects its bars, its last and its first day.

    first    `-20` where it is the last 20 bars
    kind     how it is called: by its `dates`, its number of `bars`, or as the last `year` or `all` bars
    """

    where: str
    end: str
    first: str = ""
    kind: str = "dates"


def find_figures(words: str, today: date, tables: Tables = SHIPPED, speak: AnswerVoice = _ENGLISH) -> Asked:
    """Return the figures that a text asks for. What it wants besides and cannot be had is told in `ignored`.

    >>> find_figures("宁德时代 RSI(6) 和 20日均线", date(2024, 3, 15)).figures[0][0]
    'rsi(close, 6)'
    >>> find_figures("周线的MACD", date(2024, 3, 15)).period
    'weekly'
    >>> find_figures("2024年2月的最高价", date(2024, 3, 15)).figures[0][0]
    'high[(date >= "2024-02-01") & (date <= "2024-02-29")].max()'
    """
    known, low = figures_at(tables), words.casefold()
    period = "weekly" if known.weekly.search(low) else "monthly" if known.monthly.search(low) else "daily"
    found: list[Figure] = []
    ignored: list[str] = []
    for spec in known.entries:
        _add_indicator(spec, low, speak, found, ignored)
    taken = bool(known.average.search(low))
    for match in known.average.finditer(low):
        for number in re.findall(r"\d+", match["b"] or match["a"]):
            _average(_AskedAverage(known, match[0], int(number), period), speak, found, ignored)
    plain = known.average.sub(" ", low)
    stretch = within(plain, today)
    rest = known.not_ranged.sub(" ", plain)
    if rest:
        _add_range(known, rest, stretch if not taken or stretch else None, speak, found)
    ignored += [match[0] for match in known.unavailable.finditer(words)]
    ignored += [match[0] for match in known.minutes.finditer(words)] if found else []
    if stretch and found:
        found = [_name_figure(item, stretch, speak) for item in found]
    end = stretch.end if stretch and stretch.end < f"{today:%Y-%m-%d}" else ""
    over = bool(known.extreme_words.search(low))
    return Asked(tuple(dict.fromkeys(found)), period, end, tuple(dict.fromkeys(ignored)), over)


def _add_indicator(spec: FigureSpec, low: str, speak: AnswerVoice, found: list[Figure], ignored: list[str]) -> None:
    """Add the figure of a specification as often as the text names it with other parameters."""
    core = rf"(?:{spec.words})"
    pattern = rf"{_BEFORE}(?<![a-z]){core}(?![a-z]){_GIVEN}?"
    seen = list(re.finditer(pattern, low))
    given = [match for match in seen if match["in"] or match["to"] or match["of"]]
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
    rest = low
    for spec in known.ranged:
        if not spec.words.search(rest):
            continue
        rest = spec.words.sub(" ", rest)
        if stretch is None:
            found.append((spec.alone_code, speak.fill(spec.alone_name), spec.unit))
            continue
        made = spec.code.replace("{window}", stretch.where) if spec.code else _change(stretch.where, stretch.first)
        found.append((made, speak.fill(spec.name), spec.unit))


def _change(where: str, first: str) -> str:
    """Return the change over a stretch: from the last close before it, or from its first open where nothing was."""
    if first.startswith("-"):
        return f"(close.iloc[-1] / close.iloc[{int(first) - 1}] - 1) * 100"
    return f'(close[{where}].iloc[-1] / (close[date < "{first}"].iloc[-1]) - 1) * 100'


def _name_figure(item: Figure, stretch: BarStretch, speak: AnswerVoice) -> Figure:
    code, name, unit = item
    if "date" in code or "[-" in code or "iloc" in code:
        return code, _describe_stretch(name, stretch, speak), unit
    if stretch.end and stretch.first and not stretch.first.startswith("-"):
        return f'({code})[date <= "{stretch.end}"]', name, unit
    return item


def _describe_stretch(figure: str, stretch: BarStretch, speak: AnswerVoice) -> str:
    if stretch.kind == "all":
        return speak("{figure} of all bars", figure=figure)
    if stretch.kind == "year":
        return speak("{figure}, last 250 bars", figure=figure)
    if stretch.kind == "bars":
        last = PluralText("{figure}, last bar", "{figure}, last {count} bars")
        return speak(last, figure=figure, count=stretch.first.removeprefix("-"))
    if stretch.first == stretch.end:
        return speak("{figure}, {date}", figure=figure, date=stretch.end)
    return speak("{figure}, {first} to {last}", figure=figure, first=stretch.first, last=stretch.end)


_MONTH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def within(low: str, today: date) -> BarStretch | None:
    """Return the stretch of time that a text names, None where it names none.

    >>> within("今年的涨幅", date(2024, 3, 15)).where
    '(date >= "2024-01-01") & (date <= "2024-03-15")'
    >>> within("last 20 days", date(2024, 3, 15)).where, within("since 2024-01-05", date(2024, 3, 15)).first
    ('-20:', '2024-01-05')
    """
    days = [
        _day(*map(int, found)) for found in re.findall(r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)", low)
    ]
    dates = [day for day in days if day]
    if len(dates) > 1:
        return _between(min(dates), max(dates))
    if dates:
        if re.search(r"以来|至今|到现在|到今天|起|since|from", low):
            return _between(dates[0], today)
        return _between(dates[0], dates[0])
    if found := re.search(r"(?<!\d)(\d{4})[-/.年]\s*(\d{1,2})(?:月|(?![\d月]))", low):
        return _months(int(found[1]), int(found[2]), low, today)
    if found := re.search(r"\b(" + "|".join(_MONTH) + r")[a-z]*\.?,? (\d{4})\b", low):
        return _months(int(found[2]), _MONTH.index(found[1]) + 1, low, today)
    if found := re.search(
        r"(?:近|最近|过去|last|past|previous)\s*(\d{1,4}|一|两|二|三|五|六|十|半)?\s*-?(个?交易日|日|天|周|个?星期|个?月|年|days?|weeks?|months?|years?)(?!线)",
        low,
    ):
        return _lately(found, today)
    if found := re.search(
        r"(今年|本年|年初至今|年初以来|this year|year to date|\bytd\b)|(去年|last year)"
        r"|(本月|这个?月|this month)|(上个?月|last month)|(本周|这周|this week)|(上周|last week)",
        low,
    ):
        return _calendar(found.lastindex or 1, today)
    if found := re.search(r"(?<![\d])(20\d\d|19\d\d)\s*年?(?![\d-])", low):
        year = int(found[1])
        return _between(date(year, 1, 1), min(date(year, 12, 31), today))
    if found := re.search(r"(?<!\d)(1[0-2]|[1-9])月份?(?!线|均|\d|级)", low):
        month = int(found[1])
        return _months(today.year - (month > today.month), month, low, today)
    if re.search(r"历史|有史以来|上市以来|all[- ]time|\bever\b", low):
        return BarStretch('date >= "1900-01-01"', f"{today}", "1900-01-01", "all")
    if found := re.search(r"52\s*周|52[- ]week", low):
        return BarStretch("-250:", f"{today}", "-250", "year")
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _between(first: date, last: date) -> BarStretch:
    return BarStretch(
        f'(date >= "{first}") & (date <= "{last}")',
        f"{last}",
        f"{first}",
    )


def _months(year: int, month: int, low: str, today: date) -> BarStretch | None:
    first = _day(year, month, 1)
    if first is None:
        return None
    if re.search(r"以来|至今|到现在|since", low):
        return _between(first, today)
    ends = re.findall(r"(?<!\d)(?:(\d{4})[-/.年]\s*)?(\d{1,2})月", low)
    after = [_day(int(y or year), int(m), 1) for y, m in ends]
    last = max([day for day in after if day], default=first)
    last = max(last, first)
    return _between(first, (last.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1))


def _lately(found: re.Match[str], today: date) -> BarStretch:
    said = found[1] or "一"
    count = {"一": 1, "两": 2, "二": 2, "三": 3, "五": 5, "六": 6, "十": 10, "半": 0.5}.get(said) or float(said)
    unit = found[2]
    if unit[0] in "日天d" or "交易日" in unit:
        bars = max(int(count), 1)
        return BarStretch(f"-{bars}:", f"{today}", f"-{bars}", "bars")
    size = 7 if unit[0] in "周w" or "星期" in unit else 30.44 if "月" in unit or unit[0] == "m" else 365.25
    return _between(today - timedelta(days=round(count * size)), today)


def _calendar(which: int, today: date) -> BarStretch:
    monday = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    before = (month - timedelta(days=1)).replace(day=1)
    return {
        1: lambda: _between(date(today.year, 1, 1), today),
        2: lambda: _between(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),
        3: lambda: _between(month, today),
        4: lambda: _between(before, month - timedelta(days=1)),
        5: lambda: _between(monday, today),
        6: lambda: _between(monday - timedelta(days=7), monday - timedelta(days=1)),
    }[which]()
