"""The chart of a symbol as SVG: candles, volume, panes, marks, axes. One way of drawing for files, pages and PNG."""

import math
from typing import NamedTuple

from ia.faculties.pictures.chart import FALL, Bucket, Chart, Line, Pane, Values, buckets, shared, thinned
from ia.faculties.pictures.scale import Scale, compact, date_ticks, labels, number, price, scale, ticks
from ia.faculties.pictures.svg import document, escaped, fitting, num, path, rect, spans, style, text, wide

WIDTH = 960
MIN_WIDTH, MIN_HEIGHT = 320, 240
LEFT, HEAD, FOOT = 12.0, 58.0, 42.0
GAP = 10.0
CANDLE = 3.0
"""The least width of a candle, its gap included: with more bars than that several share one."""


class Strip(NamedTuple):
    """A pane on the paper: prices, volume, or index k of the chart's panes."""

    kind: str
    top: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


class Layout(NamedTuple):
    """Where everything is, in pixels. Bars lie between `left` and `right`; strips from top to bottom."""

    width: float
    height: float
    left: float
    right: float
    strips: tuple[Strip, ...]

    def x(self, index: float, count: int) -> float:
        """Return the middle of bar `index` of `count`."""
        return self.left + (index + 0.5) * (self.right - self.left) / count


def layout(chart: Chart, width: int | None = None, height: int | None = None) -> Layout:
    """Return a layout for the panes of a chart. Without a height it is what the panes need."""
    w = float(max(width or WIDTH, MIN_WIDTH))
    widest = max(wide(price(x), 11) for x in (max(chart.bars.high) * 1.1, min(chart.bars.low), chart.bars.close[-1]))
    right = w - max(widest + 14, 52.0)
    volume = 70.0 if chart.volume else 0.0
    pane = 92.0
    gaps = GAP * (len(chart.panes) + bool(volume))
    if height is None:
        prices = min(max(w * 0.36, 200.0), 420.0)
        h = HEAD + prices + volume + gaps + pane * len(chart.panes) + FOOT
    else:
        h = float(max(height, MIN_HEIGHT))
        room = max(h - HEAD - FOOT - gaps, 60.0)
        unit = room / (4.6 + (0.9 if volume else 0) + 1.15 * len(chart.panes))
        prices, volume, pane = 4.6 * unit, 0.9 * unit if volume else 0.0, 1.15 * unit
    strips, top = [Strip("prices", HEAD, round(prices))], HEAD + round(prices) + GAP
    if volume:
        strips.append(Strip("volume", round(top), round(volume)))
        top += round(volume) + GAP
    for k in range(len(chart.panes)):
        strips.append(Strip(f"pane{k}", round(top), round(pane)))
        top += round(pane) + GAP
    return Layout(w, h, LEFT, round(right), tuple(strips))


def axis_of(chart: Chart, strip: Strip) -> Scale:
    """Return the value axis of a strip."""
    bars = chart.bars
    if strip.kind == "prices":
        return scale([*bars.high, *bars.low], strip.bottom, strip.top, log=chart.log)
    if strip.kind == "volume":
        return Scale(0.0, (max(bars.volume) or 1) * 1.08, strip.bottom, strip.top)
    pane = chart.panes[int(strip.kind[4:])]
    if pane.fixed:
        return Scale(*pane.fixed, strip.bottom, strip.top)
    values = [value for line in pane.lines for value in line.values if value is not None]
    if any(line.form == "columns" for line in pane.lines):
        values.append(0.0)
    return scale(values, strip.bottom, strip.top, air=0.08)


def svg(chart: Chart, width: int | None = None, height: int | None = None, *, night: bool | None = None) -> str:
    """Return the chart as an SVG file; the same chart gives the same bytes. It has at least one bar.

    night  fixes the colors, for a renderer that follows no system; None lets the reader's system decide.
    """
    place = layout(chart, width, height)
    return document(
        place.width, place.height, chart.title or chart.voice.say("Chart"), told(chart), drawing(chart, place),
        css=style(night=night),
    )  # fmt: skip


def told(chart: Chart) -> str:
    """Return the chart in a sentence, for who cannot see it."""
    bars = chart.bars
    sentence = chart.voice.say(
        "close {close}, highest {high}, lowest {low}",
        close=price(bars.close[-1]), high=price(max(bars.high)), low=price(min(bars.low)),
    )  # fmt: skip
    return " · ".join(part for part in (chart.warning, sentence, foot(chart)) if part)


def foot(chart: Chart) -> str:
    """Return how many bars there are from when to when, and where they came from."""
    return " · ".join(part for part in (range_of(chart), chart.source) if part)


def range_of(chart: Chart) -> str:
    """Return how many bars a chart has, from when to when."""
    dates = chart.bars.date
    first, last = (date[:16].replace("T", " ") for date in (dates[0], dates[-1]))
    if len(dates) == 1:
        return chart.voice.say("one bar of {date}", date=first)
    return chart.voice.say("{count} bars {first} to {last}", count=f"{len(dates):,}", first=first, last=last)


def drawing(chart: Chart, place: Layout) -> str:
    """Return all of the picture but the svg element itself."""
    lines, labels, events = _dates(chart, place)
    parts = [
        rect(0, 0, place.width, place.height, "paper"),
        f'<g data-strip="head">{_head(chart, place)}</g><g data-strip="dates">{lines}{labels}</g>',
    ]
    grouped = buckets(chart.bars, int((place.right - place.left) / CANDLE))
    for strip in place.strips:
        axis = axis_of(chart, strip)
        parts.append(f'<g data-strip="{strip.kind}">{_strip(chart, place, strip, axis, grouped)}</g>')
    parts.append(f'<g data-strip="events">{events}</g><g data-strip="foot">{_foot(chart, place, grouped)}</g>')
    return "".join(parts)


def _strip(chart: Chart, place: Layout, strip: Strip, axis: Scale, grouped: list[Bucket]) -> str:
    frame = path(f"M{num(place.left)} {num(strip.bottom)}H{num(place.right)}V{num(strip.top)}", "frame")
    clip = f'<clipPath id="c-{strip.kind}"><rect x="{num(place.left)}" y="{num(strip.top)}"' \
        f' width="{num(place.right - place.left)}" height="{num(strip.height)}"/></clipPath>'  # fmt: skip
    if strip.kind == "prices":
        ground, inner, over = _prices(chart, place, strip, axis, grouped)
    elif strip.kind == "volume":
        ground, inner, over = _volume(chart, place, strip, axis, grouped)
    else:
        ground, inner, over = _pane(chart, chart.panes[int(strip.kind[4:])], place, strip, axis, grouped)
    return f'{clip}{ground}{frame}<g clip-path="url(#c-{strip.kind})">{inner}</g>{over}'


def _axis(
    place: Layout, strip: Strip, axis: Scale, values: list[float], label: list[str], hidden: float = math.inf
) -> str:
    """Return grid lines with their labels; a label too near to y = `hidden` is left out."""
    lines, labels = "", []
    for value, shown in zip(values, label, strict=True):
        y = axis.at(value)
        lines += f"M{num(place.left)} {num(y)}H{num(place.right)}"
        if abs(y - hidden) >= 15 and strip.top + 4 <= y <= strip.bottom - 2:
            labels.append(text(place.right + 6, y + 4, shown, "soft"))
    return path(lines, "grid") + "".join(labels)


def _prices(chart: Chart, place: Layout, strip: Strip, axis: Scale, grouped: list[Bucket]) -> tuple[str, str, str]:
    at = ticks(axis, max(int(strip.height / 46), 2))
    last = chart.bars.close[-1]
    y = min(max(axis.at(last), strip.top), strip.bottom)
    ground = _axis(place, strip, axis, at, labels(at, large=math.inf), y)
    count = len(chart.bars.date)
    inner = path(f"M{num(place.left)} {num(y)}H{num(place.right)}", "last") + _candles(
        chart, place, axis, grouped, count
    )
    for i, line in enumerate(chart.overlays):
        inner += path(_polyline(line.values, place, axis), f"line l{hue(chart, i)}")
    rises = len(chart.bars.close) < 2 or last >= chart.bars.close[-2]
    over = rect(place.right + 1, y - 8, place.width - place.right - 3, 16, chart.side(rises), ' rx="2"')
    over += text(place.right + 6, y + 4, price(last), "on")
    return ground, inner + _marks(chart, place, strip, axis), over


def _candles(chart: Chart, place: Layout, axis: Scale, grouped: list[Bucket], count: int) -> str:
    """Return four paths: the wicks and the bodies of the bars that rose and of those that fell."""
    body = candle_width(place, grouped)
    data: dict[tuple[str, str], list[str]] = {
        (color, part): [] for color in (chart.up, FALL[chart.up]) for part in ("wick", "body")
    }
    for bucket in grouped:
        x = place.x((bucket.first + bucket.last - 1) / 2, count)
        color = chart.side(bucket.rises)
        high, low = axis.at(bucket.high), axis.at(bucket.low)
        top, bottom = sorted((axis.at(bucket.open), axis.at(bucket.close)))
        if bottom - top < 1:
            top = (top + bottom) / 2 - 0.5
            bottom = top + 1
        if low - high > bottom - top:
            data[color, "wick"].append(f"M{num(x)} {num(high)}V{num(low)}")
        data[color, "body"].append(f"M{num(x - body / 2)} {num(top)}h{num(body)}V{num(bottom)}h-{num(body)}z")
    return "".join(
        path("".join(data[color, "wick"]), f"wick w-{color}") + path("".join(data[color, "body"]), color)
        for color in (chart.up, FALL[chart.up])
    )


def candle_width(place: Layout, grouped: list[Bucket]) -> float:
    """Return how wide a body is: seven tenths of its place, at most 36 pixels."""
    step = (place.right - place.left) / grouped[-1].last * (grouped[-1].last - grouped[-1].first)
    return min(max(step * 0.7, 1.0), 36.0)


def hue(chart: Chart, i: int) -> int:
    """Return the number of line i's color: beside blue and orange candles none of the first two, which are those."""
    return (i + 2 * (chart.up == "blue")) % 6


def _polyline(values: Values, place: Layout, axis: Scale) -> str:
    """Return a line through the values; it stops where there are none."""
    data, pen = [], "M"
    points = thinned(values, int(place.right - place.left))
    for index, value in points:
        if value is None or (axis.log and value <= 0):
            pen = "M"
            continue
        y = min(max(axis.at(value), -9999.0), 99999.0)
        data.append(f"{pen}{num(place.x(index, len(values)))} {num(y)}")
        pen = "L"
    return "".join(data)


def _marks(chart: Chart, place: Layout, strip: Strip, axis: Scale) -> str:
    """Return the trades: an arrow below a bar that was bought on and above one that was sold on.

    Words stand beside as many as there is room for, the newest first; all have theirs in a title.
    """
    count = len(chart.bars.date)
    out = []
    spoken: list[tuple[float, float]] = []
    most = max(int((place.right - place.left) / 90), 2)
    for mark, at in reversed([*zip(chart.marks, chart.placed([m.date for m in chart.marks]), strict=True)]):
        x = place.x(at, count)
        buy = mark.side == "buy"
        tip = axis.at(chart.bars.low[at] if buy else chart.bars.high[at]) + (4 if buy else -4)
        tip = min(max(tip, strip.top + 11), strip.bottom - 11)
        down = 9 if buy else -9
        label = f"<title>{escaped(mark.date)} {escaped(mark.text)}</title>"
        out.append(
            f'<g class="trade" data-date="{escaped(mark.date)}" data-side="{mark.side}">{label}'
            f'<path class="mark" d="M{num(x)} {num(tip)}l-5 {down}h10z"/></g>'
        )
        y = tip + (20 if buy else -13)
        room = wide(mark.text, 10)
        if not strip.top + 8 < y < strip.bottom - 2:  # no room below or above: beside the arrow
            x, y = x + 10 + room / 2, tip + (9 if buy else -1)
        middle = min(max(x, place.left + room / 2 + 2), place.right - room / 2 - 2)
        clear = all(abs(middle - other) > room or abs(y - height) > 11 for other, height in spoken)
        if clear and strip.top + 8 < y < strip.bottom and len(spoken) < most:
            out.append(text(middle, y, mark.text, "label", "middle"))
            spoken.append((middle, y))
    return "".join(out)


def _volume(chart: Chart, place: Layout, strip: Strip, axis: Scale, grouped: list[Bucket]) -> tuple[str, str, str]:
    top = max(bucket.volume for bucket in grouped) or 1
    axis = axis._replace(high=top * 1.08)
    at = ticks(axis, 2)[1:]
    ground = _axis(place, strip, axis, at, labels(at, chart.voice.lang, 1e3))
    body = candle_width(place, grouped)
    data: dict[str, list[str]] = {chart.up: [], FALL[chart.up]: []}
    for bucket in grouped:
        x = place.x((bucket.first + bucket.last - 1) / 2, len(chart.bars.date)) - body / 2
        y = axis.at(bucket.volume)
        if bucket.volume:
            data[chart.side(bucket.rises)].append(f"M{num(x)} {num(y)}h{num(body)}V{num(strip.bottom)}h-{num(body)}z")
    inner = "".join(path("".join(pieces), f"{color} faint") for color, pieces in data.items())
    told = f"{chart.voice.say('Volume')} {compact(chart.bars.volume[-1], chart.voice.lang)}"
    return ground, inner, _told(place, strip, [(told, "soft")])


def _pane(
    chart: Chart, pane: Pane, place: Layout, strip: Strip, axis: Scale, grouped: list[Bucket]
) -> tuple[str, str, str]:
    at = [level for level in pane.levels if axis.low <= level <= axis.high] if len(pane.levels) > 1 else []
    at = at or ticks(axis, max(int(strip.height / 30), 2))
    ground = _axis(place, strip, axis, at, labels(at, chart.voice.lang))
    ground += path(
        "".join(
            f"M{num(place.left)} {num(axis.at(v))}H{num(place.right)}" for v in pane.levels if axis.low < v < axis.high
        ),
        "level",
    )
    inner = "".join(_columns(chart, line, place, axis, grouped) for line in pane.lines if line.form == "columns")
    lines = [line for line in pane.lines if line.form == "line"]
    for i, line in enumerate(lines):
        inner += path(_polyline(line.values, place, axis), f"line l{hue(chart, i)}")
    return ground, inner, _told(place, strip, _named(chart, pane))


def _named(chart: Chart, pane: Pane) -> list[tuple[str, str]]:
    """Return the pane's title and the last value of each of its lines, in the line's color."""
    parts = [(pane.title, "soft")]
    k = 0
    for line in pane.lines:
        value = next((v for v in reversed(line.values) if v is not None), None)
        name = line.label if len(pane.lines) > 1 else ""
        shown = f"{name} {'-' if value is None else number(value, chart.voice.lang)}".strip()
        parts.append((shown, f"t{hue(chart, k)}" if line.form == "line" else "soft"))
        k += line.form == "line"
    return parts


def _told(place: Layout, strip: Strip, parts: list[tuple[str, str]]) -> str:
    """Return the words in the corner of a strip, with a halo that keeps them readable over lines and columns."""
    words = spans(place.left + 4, strip.top + 11, [(what, f"label {kind}") for what, kind in parts], 3)
    return f'<g class="told">{words}</g>'


def _columns(chart: Chart, line: Line, place: Layout, axis: Scale, grouped: list[Bucket]) -> str:
    """Return columns from zero up and down; of bars that share a column the farthest from zero is drawn."""
    body = candle_width(place, grouped)
    zero = axis.at(0.0)
    data: dict[str, list[str]] = {chart.up: [], FALL[chart.up]: []}
    for bucket in grouped:
        values = [v for v in line.values[bucket.first : bucket.last] if v is not None]
        if not values:
            continue
        value = max(values, key=abs)
        x = place.x((bucket.first + bucket.last - 1) / 2, len(line.values)) - body / 2
        data[chart.side(value >= 0)].append(f"M{num(x)} {num(zero)}h{num(body)}V{num(axis.at(value))}h-{num(body)}z")
    return "".join(path("".join(pieces), f"{color} faint") for color, pieces in data.items())


def _dates(chart: Chart, place: Layout) -> tuple[str, str, str]:
    """Return the lines of the date axis through all strips, its labels below the last, and the corporate actions."""
    bars, bottom = chart.bars, place.strips[-1].bottom
    found = date_ticks(bars.date, max(int((place.right - place.left) / 74), 1))
    out, lines = [], ""
    for index, label in found:
        x = place.x(index, len(bars.date))
        lines += "".join(f"M{num(x)} {num(strip.top)}V{num(strip.bottom)}" for strip in place.strips)
        half = wide(label, 11) / 2
        out.append(text(min(max(x, place.left + half), place.right - half), bottom + 15, label, "soft", "middle"))
    events = []
    foot = place.strips[0].bottom
    for event, at in zip(chart.events, chart.placed([event.date for event in chart.events]), strict=True):
        x = place.x(at, len(bars.date))
        events.append(
            f'<g class="event" data-date="{escaped(event.date)}">'
            f"<title>{escaped(event.date)} {escaped(event.text)}</title>"
            f'<circle cx="{num(x)}" cy="{num(foot - 9)}" r="7" class="tag"/>'
            f"{text(x, foot - 5.5, event.sign, 'on small', 'middle')}</g>"
        )
    return path(lines, "grid"), "".join(out), "".join(events)


def _head(chart: Chart, place: Layout) -> str:
    bars = chart.bars
    last = price(bars.close[-1])
    out = []
    end = place.width - 12
    if len(bars.close) > 1 and bars.close[-2]:
        change = bars.close[-1] - bars.close[-2]
        moved = (
            f"{'+' if change > 0 else ''}{number(change)}",
            f"{change / bars.close[-2]:{'+' if change else ''}.2%}",
        )
        color = chart.side(change >= 0) if change else "soft"
        out.append(spans(end, 26, [(last, f"big {color}"), *((each, color) for each in moved)], 3, "end"))
        end -= wide("".join(moved), 11) + 16
    else:
        out.append(text(end, 26, last, "big", "end"))
    end -= wide(last, 17) + 16
    x = place.left
    badge = wide(chart.warning, 10.5) + 16 if chart.warning else 0.0
    title = fitting(chart.title, 17, end - x - badge)
    out.append(text(x, 26, title, "title"))
    if chart.warning:
        x += wide(title, 17) * 1.02 + (10 if title else 0)
        out.append(rect(x, 13, badge - 2, 18, "warnpaper", ' rx="9"') + text(x + 7, 26, chart.warning, "warn"))
    out.append(_legend(chart, place))
    return "".join(out)


def _legend(chart: Chart, place: Layout) -> str:
    x, parts = place.left, []
    for i, line in enumerate(chart.overlays):
        value = next((v for v in reversed(line.values) if v is not None), None)
        shown = f"{line.label} {'-' if value is None else price(value)}"
        if x + wide(shown, 11) > place.right:
            break
        parts.append((shown, f"t{hue(chart, i)}"))
        x += wide(shown, 11) + 14
    return spans(place.left, 47, parts, 4)


def _foot(chart: Chart, place: Layout, grouped: list[Bucket]) -> str:
    told = " · ".join(part for part in (range_of(chart), shared(chart, grouped), chart.source) if part)
    return text(LEFT, place.height - 9, fitting(told, 10, place.width - 2 * LEFT), "soft small")
