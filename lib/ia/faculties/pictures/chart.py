"""What a chart shows, before anybody draws it: bars, lines over them, panes below, marks and where it all came from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ia.kernel.i18n import Voice
from ia.organs.ohlcv.canonical import Bars

Values = list[float | None]
"""One number a bar; None where there is none."""

ENGLISH = Voice()


class ChartLine(NamedTuple):
    """A series with a name. `form`: `line`, or `columns` from zero (the histogram of a MACD)."""

    label: str
    values: Values
    form: str = "line"


class ChartPane(NamedTuple):
    """Series that share an axis below the prices. `levels` are drawn across; `fixed` is the axis, where it has one."""

    title: str
    lines: tuple[ChartLine, ...]
    levels: tuple[float, ...] = ()
    fixed: tuple[float, float] | None = None


class TradeMarker(NamedTuple):
    """A trade at a bar: `side` buy or sell, `text` what is told of it (100 @ 1,688.00)."""

    date: str
    side: str
    text: str


class PriceLevel(NamedTuple):
    """A price of its owner's: a stop, a target. `label` is what it is called."""

    price: float
    label: str


class ChartEvent(NamedTuple):
    """A corporate action at a bar; `sign` is the letter that stands at the axis (D, S)."""

    date: str
    sign: str
    text: str


@dataclass(frozen=True)
class Chart:
    """A chart of one symbol. `up` is the color of a rise, a key of FALL.

    `first_mark` counts the trades before the first of `marks`: they are numbered from one on.
    `candles` False draws the lines alone; `unit` stands above the price axis: a currency, or what is 100.
    `source` tells where the bars came from, `source_en` in English for a renderer that cannot write Chinese.
    """

    bars: Bars
    title: str = ""
    overlays: tuple[ChartLine, ...] = ()
    panes: tuple[ChartPane, ...] = ()
    marks: tuple[TradeMarker, ...] = ()
    first_mark: int = 0
    events: tuple[ChartEvent, ...] = ()
    levels: tuple[PriceLevel, ...] = ()
    up: str = "red"
    log: bool = False
    volume: bool = True
    candles: bool = True
    unit: str = ""
    source: str = ""
    source_en: str = ""
    warning: str = ""
    voice: Voice = field(default=ENGLISH)

    def side_color(self, rises: bool) -> str:
        """Return the color of a rise or a fall."""
        return self.up if rises else FALL[self.up]

    def cut_bars(self, first: int, last: int | None = None) -> "Chart":
        """Return the bars from index `first` up to `last` (not included), with what belongs to them."""
        take = slice(first, last)
        inside = range(*take.indices(len(self.bars.date)))
        marked = self.bar_indexes([mark.date for mark in self.marks])
        happened = self.bar_indexes([event.date for event in self.events])

        def cut_lines(many: Sequence[ChartLine]) -> tuple[ChartLine, ...]:
            return tuple(line._replace(values=line.values[take]) for line in many)

        return replace(
            self,
            bars=self.bars.slice_bars(first, last),
            overlays=cut_lines(self.overlays),
            panes=tuple(pane._replace(lines=cut_lines(pane.lines)) for pane in self.panes),
            marks=tuple(mark for mark, at in zip(self.marks, marked, strict=True) if at in inside),
            first_mark=self.first_mark + sum(0 <= at < inside.start for at in marked),
            events=tuple(event for event, at in zip(self.events, happened, strict=True) if at in inside),
        )

    def bar_indexes(self, dates: Sequence[str]) -> list[int]:
        """Return for each date the index of its bar: the first bar after it where it has none, -1 behind the last."""
        from bisect import bisect_left

        count = len(self.bars.date)
        found = [bisect_left(self.bars.date, date) for date in dates]
        return [at if at < count else -1 for at in found]


FALL = {"red": "green", "green": "red", "blue": "orange"}
"""The color of a fall by that of a rise. Blue and orange are told apart by every eye."""


def up_color(market: str, lang: str) -> str:
    """Return the color of a rise: red in mainland China and Hong Kong as its readers know it, green in America.

    Of bars whose market nobody told, the reader's language decides; the setting `pictures.up` decides over all.
    """
    from ia.kernel import config

    chosen: str = config.get_setting("pictures.up")
    if chosen != "market":
        return chosen
    return {"CN": "red", "HK": "red", "US": "green"}.get(market) or ("red" if lang == "zh" else "green")


def moving_average(values: Sequence[float], n: int) -> Values:
    """Return the mean of the last n values at each bar; None for the first n - 1."""
    out: Values = [None] * min(n - 1, len(values))
    if len(values) < n:
        return out
    total = math.fsum(values[:n])
    out.append(total / n)
    for new, old in zip(values[n:], values, strict=False):
        total += new - old
        out.append(total / n)
    return out


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """Bars [first, last) drawn as one: open of the first, close of the last, the extremes and the volume of all.

    `rises` tells its color. Where open and close are one, as on a day at its limit, the close before decides.
    """

    first: int
    last: int
    open: float
    high: float
    low: float
    close: float
    volume: int
    rises: bool


def group_bars(bars: Bars, most: int) -> list[Bucket]:
    """Return the bars as at most `most` buckets of one size, the first perhaps smaller; no high, low or volume is lost.

    One size, because the volume of two bars beside that of one would look like news.
    """
    count = len(bars.date)
    size = -(-count // max(most, 1))
    found = []
    for b in range(count % size or size, count + 1, size) if count else ():
        a = max(b - size, 0)
        high, low, volume = max(bars.high[a:b]), min(bars.low[a:b]), sum(bars.volume[a:b])
        first, last = bars.open[a], bars.close[b - 1]
        rises = last > first or (last == first and last >= bars.close[max(a - 1, 0)])
        found.append(Bucket(first=a, last=b, open=first, high=high, low=low, close=last, volume=volume, rises=rises))
    return found


def price_range(chart: Chart, grouped: Sequence[Bucket]) -> list[float]:
    """Return the values that the price axis has to hold: highs and lows, the lines over them, the levels.

    On a logarithmic axis only values above 0 count: no others can be drawn there.
    """
    seen = [value for line in chart.overlays for value in line.values if value is not None]
    seen += [level.price for level in chart.levels]
    if chart.candles:
        seen += [value for bucket in grouped for value in (bucket.high, bucket.low)]
    return [value for value in seen if value > 0] if chart.log else seen


def describe_grouping(chart: Chart, grouped: list[Bucket]) -> str:
    """Return how many bars share a candle; nothing where each has its own."""
    size = grouped[-1].last - grouped[-1].first
    return chart.voice("{count} bars per column", count=size) if size > 1 else ""


def thin_values(values: Values, most: int) -> list[tuple[int, float | None]]:
    """Return (index, value) of a line: of each of `most` stretches its first, lowest, highest and last value.

    A line that short stays whole. A gap (None) stays one.
    """
    if len(values) <= 4 * most:
        return list(enumerate(values))
    found: list[tuple[int, float | None]] = []
    for k in range(most):
        a, b = k * len(values) // most, (k + 1) * len(values) // most
        present = [(v, i) for i, v in enumerate(values[a:b], a) if v is not None]
        if not present:
            found.append((a, None))
            continue
        chosen = {present[0][1], min(present)[1], max(present)[1], present[-1][1]}
        if len(present) < b - a:
            chosen.add(next(i for i in range(a, b) if values[i] is None))
        found.extend((i, values[i]) for i in sorted(chosen))
    return found
