"""The chart of a symbol as SVG: candles, volume, panes, marks, axes. One way of drawing for files, pages and PNG."""

import math
from typing import NamedTuple

from ia.faculties.pictures.chart import (
    FALL,
    Bucket,
    Chart,
    ChartLine,
    ChartPane,
    Values,
    describe_grouping,
    group_bars,
    thin_values,
)
from ia.faculties.pictures.scale import (
    AxisScale,
    axis_labels,
    axis_ticks,
    date_ticks,
    fit_scale,
    format_compact,
    format_number,
    format_price,
)
from ia.faculties.pictures.svg import (
    escape_xml,
    fit_text,
    path_element,
    picture_css,
    rect_element,
    spans_element,
    svg_document,
    svg_num,
    text_element,
    text_width,
)
from ia.kernel.errors import PluralText

WIDTH = 960
MIN_WIDTH, MIN_HEIGHT = 320, 240
LEFT, HEAD, FOOT = 12.0, 58.0, 42.0
GAP = 10.0
CANDLE = 3.0
"""The least width of a candle, its gap included: with more bars than that several share one."""


class ChartStrip(NamedTuple):
    """A pane on the paper: prices, volume, or index k of the chart's panes."""

    kind: str
    top: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


class ChartLayout(NamedTuple):
    """Where everything is, in pixels. Bars lie between `left` and `right`; strips from top to bottom."""

    width: float
    height: float
    left: float
    right: float
    strips: tuple[ChartStrip, ...]

    def bar_x(self, index: float, count: int) -> float:
        """Return the middle of bar `index` of `count`."""
        return self.left + (index + 0.5) * (self.right - self.left) / count


def compute_layout(chart: Chart, width: int | None = None, height: int | None = None) -> ChartLayout:
    """Return a layout for the panes of a chart. Without a height it is what the panes need."""
    w = float(max(width or WIDTH, MIN_WIDTH))
    widest = max(
        text_width(format_price(x), 11) for x in (max(chart.bars.high) * 1.1, min(chart.bars.low), chart.bars.close[-1])
    )
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
    strips, top = [ChartStrip("prices", HEAD, round(prices))], HEAD + round(prices) + GAP
    if volume:
        strips.append(ChartStrip("volume", round(top), round(volume)))
        top += round(volume) + GAP
    for k in range(len(chart.panes)):
        strips.append(ChartStrip(f"pane{k}", round(top), round(pane)))
        top += round(pane) + GAP
    return ChartLayout(width=w, height=h, left=LEFT, right=round(right), strips=tuple(strips))


def value_axis(chart: Chart, strip: ChartStrip) -> AxisScale:
    """Return the value axis of a strip."""
    bars = chart.bars
    if strip.kind == "prices":
        return fit_scale([*bars.high, *bars.low], strip.bottom, strip.top, log=chart.log)
    if strip.kind == "volume":
        return AxisScale(0.0, (max(bars.volume) or 1) * 1.08, strip.bottom, strip.top)
    pane = chart.panes[int(strip.kind[4:])]
    if pane.fixed:
        return AxisScale(*pane.fixed, strip.bottom, strip.top)
    values = [value for line in pane.lines for value in line.values if value is not None]
    if any(line.form == "columns" for line in pane.lines):
        values.append(0.0)
    return fit_scale(values, strip.bottom, strip.top, air=0.08)


def render_svg(chart: Chart, width: int | None = None, height: int | None = None, *, night: bool | None = None) -> str:
    """Return the chart as an SVG file; the same chart gives the same bytes. It has at least one bar.

    night  fixes the colors, for a renderer that follows no system; None lets the reader's system decide.
    """
    place = compute_layout(chart, width, height)
    return svg_document(
        place.width,
        place.height,
        chart.title or chart.voice("Chart"),
        describe_chart(chart),
        draw_chart(chart, place),
        css=picture_css(night=night),
    )


def describe_chart(chart: Chart) -> str:
    """Return the chart in a sentence, for who cannot see it."""
    bars = chart.bars
    sentence = chart.voice(
        "close {close}, highest {high}, lowest {low}",
        close=format_price(bars.close[-1]),
        high=format_price(max(bars.high)),
        low=format_price(min(bars.low)),
    )
    return " · ".join(part for part in (chart.warning, sentence, describe_source(chart)) if part)


def describe_source(chart: Chart) -> str:
    """Return how many bars there are from when to when, and where they came from."""
    return " · ".join(part for part in (describe_range(chart), chart.source) if part)


def describe_range(chart: Chart) -> str:
    """Return how many bars a chart has, from when to when."""
    dates = chart.bars.date
    first, last = (date[:16].replace("T", " ") for date in (dates[0], dates[-1]))
    if len(dates) == 1:
        return chart.voice("1 bar of {date}", date=first)
    return chart.voice(
        PluralText("{count} bar {first} to {last}", "{count} bars {first} to {last}"),
        count=f"{len(dates):,}",
        first=first,
        last=last,
    )


def draw_chart(chart: Chart, place: ChartLayout) -> str:
    """Return all of the picture but the svg element itself."""
    lines, labels, events = _draw_dates(chart, place)
    parts = [
        rect_element(0, 0, place.width, place.height, "paper"),
        f'<g data-strip="head">{_draw_header(chart, place)}</g><g data-strip="dates">{lines}{labels}</g>',
    ]
    grouped = group_bars(chart.bars, int((place.right - place.left) / CANDLE))
    for strip in place.strips:
        axis = value_axis(chart, strip)
        parts.append(f'<g data-strip="{strip.kind}">{_draw_strip(chart, place, strip, axis, grouped)}</g>')
    parts.append(f'<g data-strip="events">{events}</g><g data-strip="foot">{_draw_footer(chart, place, grouped)}</g>')
    return "".join(parts)


def _draw_strip(chart: Chart, place: ChartLayout, strip: ChartStrip, axis: AxisScale, grouped: list[Bucket]) -> str:
    frame = path_element(
        f"M{svg_num(place.left)} {svg_num(strip.bottom)}H{svg_num(place.right)}V{svg_num(strip.top)}", "frame"
    )
    clip = (
        f'<clipPath id="c-{strip.kind}"><rect x="{svg_num(place.left)}" y="{svg_num(strip.top)}"'
        f' width="{svg_num(place.right - place.left)}" height="{svg_num(strip.height)}"/></clipPath>'
    )
    if strip.kind == "prices":
        ground, inner, over = _draw_prices(chart, place, strip, axis, grouped)
    elif strip.kind == "volume":
        ground, inner, over = _draw_volume(chart, place, strip, axis, grouped)
    else:
        ground, inner, over = _draw_pane(chart, chart.panes[int(strip.kind[4:])], place, strip, axis, grouped)
    return f'{clip}{ground}{frame}<g clip-path="url(#c-{strip.kind})">{inner}</g>{over}'


def _draw_axis(
    place: ChartLayout,
    strip: ChartStrip,
    axis: AxisScale,
    values: list[float],
    label: list[str],
    hidden: float = math.inf,
) -> str:
    """Return grid lines with their labels; a label too near to y = `hidden` is left out."""
    lines, labels = "", []
    for value, shown in zip(values, label, strict=True):
        y = axis.position_of(value)
        lines += f"M{svg_num(place.left)} {svg_num(y)}H{svg_num(place.right)}"
        if abs(y - hidden) >= 15 and strip.top + 4 <= y <= strip.bottom - 2:
            labels.append(text_element(place.right + 6, y + 4, shown, "soft"))
    return path_element(lines, "grid") + "".join(labels)


def _draw_prices(
    chart: Chart, place: ChartLayout, strip: ChartStrip, axis: AxisScale, grouped: list[Bucket]
) -> tuple[str, str, str]:
    at = axis_ticks(axis, max(int(strip.height / 46), 2))
    last = chart.bars.close[-1]
    y = min(max(axis.position_of(last), strip.top), strip.bottom)
    ground = _draw_axis(place, strip, axis, at, axis_labels(at, large=math.inf), y)
    count = len(chart.bars.date)
    inner = path_element(f"M{svg_num(place.left)} {svg_num(y)}H{svg_num(place.right)}", "last") + _draw_candles(
        chart, place, axis, grouped, count
    )
    for i, line in enumerate(chart.overlays):
        inner += path_element(_draw_polyline(line.values, place, axis), f"line l{color_number(chart, i)}")
    rises = len(chart.bars.close) < 2 or last >= chart.bars.close[-2]
    over = rect_element(place.right + 1, y - 8, place.width - place.right - 3, 16, chart.side_color(rises), ' rx="2"')
    over += text_element(place.right + 6, y + 4, format_price(last), "on")
    return ground, inner + _draw_marks(chart, place, strip, axis), over


def _draw_candles(chart: Chart, place: ChartLayout, axis: AxisScale, grouped: list[Bucket], count: int) -> str:
    """Return four paths: the wicks and the bodies of the bars that rose and of those that fell."""
    body = candle_width(place, grouped)
    data: dict[tuple[str, str], list[str]] = {
        (color, part): [] for color in (chart.up, FALL[chart.up]) for part in ("wick", "body")
    }
    for bucket in grouped:
        x = place.bar_x((bucket.first + bucket.last - 1) / 2, count)
        color = chart.side_color(bucket.rises)
        high, low = axis.position_of(bucket.high), axis.position_of(bucket.low)
        top, bottom = sorted((axis.position_of(bucket.open), axis.position_of(bucket.close)))
        if bottom - top < 1:
            top = (top + bottom) / 2 - 0.5
            bottom = top + 1
        if low - high > bottom - top:
            data[color, "wick"].append(f"M{svg_num(x)} {svg_num(high)}V{svg_num(low)}")
        data[color, "body"].append(
            f"M{svg_num(x - body / 2)} {svg_num(top)}h{svg_num(body)}V{svg_num(bottom)}h-{svg_num(body)}z"
        )
    return "".join(
        path_element("".join(data[color, "wick"]), f"wick w-{color}")
        + path_element("".join(data[color, "body"]), color)
        for color in (chart.up, FALL[chart.up])
    )


def candle_width(place: ChartLayout, grouped: list[Bucket]) -> float:
    """Return how wide a body is: seven tenths of its place, at most 36 pixels."""
    step = (place.right - place.left) / grouped[-1].last * (grouped[-1].last - grouped[-1].first)
    return min(max(step * 0.7, 1.0), 36.0)


def color_number(chart: Chart, i: int) -> int:
    """Return the number of line i's color: beside blue and orange candles none of the first two, which are those."""
    return (i + 2 * (chart.up == "blue")) % 6


def _draw_polyline(values: Values, place: ChartLayout, axis: AxisScale) -> str:
    """Return a line through the values; it stops where there are none."""
    data, pen = [], "M"
    points = thin_values(values, int(place.right - place.left))
    for index, value in points:
        if value is None or (axis.log and value <= 0):
            pen = "M"
            continue
        y = min(max(axis.position_of(value), -9999.0), 99999.0)
        data.append(f"{pen}{svg_num(place.bar_x(index, len(values)))} {svg_num(y)}")
        pen = "L"
    return "".join(data)


def _draw_marks(chart: Chart, place: ChartLayout, strip: ChartStrip, axis: AxisScale) -> str:
    """Return the trades: an arrow below a bar that was bought on and above one that was sold on.

    Words stand beside as many as there is room for, the newest first; all have theirs in a title.
    """
    count = len(chart.bars.date)
    out = []
    spoken: list[tuple[float, float]] = []
    most = max(int((place.right - place.left) / 90), 2)
    for mark, at in reversed([*zip(chart.marks, chart.bar_indexes([m.date for m in chart.marks]), strict=True)]):
        x = place.bar_x(at, count)
        buy = mark.side == "buy"
        tip = axis.position_of(chart.bars.low[at] if buy else chart.bars.high[at]) + (4 if buy else -4)
        tip = min(max(tip, strip.top + 11), strip.bottom - 11)
        down = 9 if buy else -9
        label = f"<title>{escape_xml(mark.date)} {escape_xml(mark.text)}</title>"
        out.append(
            f'<g class="trade" data-date="{escape_xml(mark.date)}" data-side="{mark.side}">{label}'
            f'<path class="mark" d="M{svg_num(x)} {svg_num(tip)}l-5 {down}h10z"/></g>'
        )
        y = tip + (20 if buy else -13)
        room = text_width(mark.text, 10)
        if not strip.top + 8 < y < strip.bottom - 2:  # no room below or above: beside the arrow
            x, y = x + 10 + room / 2, tip + (9 if buy else -1)
        middle = min(max(x, place.left + room / 2 + 2), place.right - room / 2 - 2)
        clear = all(abs(middle - other) > room or abs(y - height) > 11 for other, height in spoken)
        if clear and strip.top + 8 < y < strip.bottom and len(spoken) < most:
            out.append(text_element(middle, y, mark.text, "label", "middle"))
            spoken.append((middle, y))
    return "".join(out)


def _draw_volume(
    chart: Chart, place: ChartLayout, strip: ChartStrip, axis: AxisScale, grouped: list[Bucket]
) -> tuple[str, str, str]:
    top = max(bucket.volume for bucket in grouped) or 1
    axis = axis._replace(high=top * 1.08)
    at = axis_ticks(axis, 2)[1:]
    ground = _draw_axis(place, strip, axis, at, axis_labels(at, chart.voice.lang, 1e3))
    body = candle_width(place, grouped)
    data: dict[str, list[str]] = {chart.up: [], FALL[chart.up]: []}
    for bucket in grouped:
        x = place.bar_x((bucket.first + bucket.last - 1) / 2, len(chart.bars.date)) - body / 2
        y = axis.position_of(bucket.volume)
        if bucket.volume:
            data[chart.side_color(bucket.rises)].append(
                f"M{svg_num(x)} {svg_num(y)}h{svg_num(body)}V{svg_num(strip.bottom)}h-{svg_num(body)}z"
            )
    inner = "".join(path_element("".join(pieces), f"{color} faint") for color, pieces in data.items())
    told = f"{chart.voice('Volume')} {format_compact(chart.bars.volume[-1], chart.voice.lang)}"
    return ground, inner, _draw_caption(place, strip, [(told, "soft")])


def _draw_pane(
    chart: Chart, pane: ChartPane, place: ChartLayout, strip: ChartStrip, axis: AxisScale, grouped: list[Bucket]
) -> tuple[str, str, str]:
    at = [level for level in pane.levels if axis.low <= level <= axis.high] if len(pane.levels) > 1 else []
    at = at or axis_ticks(axis, max(int(strip.height / 30), 2))
    ground = _draw_axis(place, strip, axis, at, axis_labels(at, chart.voice.lang))
    ground += path_element(
        "".join(
            f"M{svg_num(place.left)} {svg_num(axis.position_of(v))}H{svg_num(place.right)}"
            for v in pane.levels
            if axis.low < v < axis.high
        ),
        "level",
    )
    inner = "".join(_draw_columns(chart, line, place, axis, grouped) for line in pane.lines if line.form == "columns")
    lines = [line for line in pane.lines if line.form == "line"]
    for i, line in enumerate(lines):
        inner += path_element(_draw_polyline(line.values, place, axis), f"line l{color_number(chart, i)}")
    return ground, inner, _draw_caption(place, strip, _pane_caption(chart, pane))


def _pane_caption(chart: Chart, pane: ChartPane) -> list[tuple[str, str]]:
    """Return the pane's title and the last value of each of its lines, in the line's color."""
    parts = [(pane.title, "soft")]
    k = 0
    for line in pane.lines:
        value = next((v for v in reversed(line.values) if v is not None), None)
        name = line.label if len(pane.lines) > 1 else ""
        shown = f"{name} {'-' if value is None else format_number(value, chart.voice.lang)}".strip()
        parts.append((shown, f"t{color_number(chart, k)}" if line.form == "line" else "soft"))
        k += line.form == "line"
    return parts


def _draw_caption(place: ChartLayout, strip: ChartStrip, parts: list[tuple[str, str]]) -> str:
    """Return the words in the corner of a strip, with a halo that keeps them readable over lines and columns."""
    words = spans_element(place.left + 4, strip.top + 11, [(what, f"label {kind}") for what, kind in parts], 3)
    return f'<g class="told">{words}</g>'


def _draw_columns(chart: Chart, line: ChartLine, place: ChartLayout, axis: AxisScale, grouped: list[Bucket]) -> str:
    """Return columns from zero up and down; of bars that share a column the farthest from zero is drawn."""
    body = candle_width(place, grouped)
    zero = axis.position_of(0.0)
    data: dict[str, list[str]] = {chart.up: [], FALL[chart.up]: []}
    for bucket in grouped:
        values = [v for v in line.values[bucket.first : bucket.last] if v is not None]
        if not values:
            continue
        value = max(values, key=abs)
        x = place.bar_x((bucket.first + bucket.last - 1) / 2, len(line.values)) - body / 2
        data[chart.side_color(value >= 0)].append(
            f"M{svg_num(x)} {svg_num(zero)}h{svg_num(body)}V{svg_num(axis.position_of(value))}h-{svg_num(body)}z"
        )
    return "".join(path_element("".join(pieces), f"{color} faint") for color, pieces in data.items())


def _draw_dates(chart: Chart, place: ChartLayout) -> tuple[str, str, str]:
    """Return the lines of the date axis through all strips, its labels below the last, and the corporate actions."""
    bars, bottom = chart.bars, place.strips[-1].bottom
    found = date_ticks(bars.date, max(int((place.right - place.left) / 74), 1))
    out, lines = [], ""
    for index, label in found:
        x = place.bar_x(index, len(bars.date))
        lines += "".join(f"M{svg_num(x)} {svg_num(strip.top)}V{svg_num(strip.bottom)}" for strip in place.strips)
        half = text_width(label, 11) / 2
        out.append(
            text_element(min(max(x, place.left + half), place.right - half), bottom + 15, label, "soft", "middle")
        )
    events = []
    foot = place.strips[0].bottom
    for event, at in zip(chart.events, chart.bar_indexes([event.date for event in chart.events]), strict=True):
        x = place.bar_x(at, len(bars.date))
        events.append(
            f'<g class="event" data-date="{escape_xml(event.date)}">'
            f"<title>{escape_xml(event.date)} {escape_xml(event.text)}</title>"
            f'<circle cx="{svg_num(x)}" cy="{svg_num(foot - 9)}" r="7" class="tag"/>'
            f"{text_element(x, foot - 5.5, event.sign, 'on small', 'middle')}</g>"
        )
    return path_element(lines, "grid"), "".join(out), "".join(events)


def _draw_header(chart: Chart, place: ChartLayout) -> str:
    bars = chart.bars
    last = format_price(bars.close[-1])
    out = []
    end = place.width - 12
    if len(bars.close) > 1 and bars.close[-2]:
        change = bars.close[-1] - bars.close[-2]
        moved = (
            f"{'+' if change > 0 else ''}{format_number(change)}",
            f"{change / bars.close[-2]:{'+' if change else ''}.2%}",
        )
        color = chart.side_color(change >= 0) if change else "soft"
        out.append(spans_element(end, 26, [(last, f"big {color}"), *((each, color) for each in moved)], 3, "end"))
        end -= text_width("".join(moved), 11) + 16
    else:
        out.append(text_element(end, 26, last, "big", "end"))
    end -= text_width(last, 17) + 16
    x = place.left
    badge = text_width(chart.warning, 10.5) + 16 if chart.warning else 0.0
    title = fit_text(chart.title, 17, end - x - badge)
    out.append(text_element(x, 26, title, "title"))
    if chart.warning:
        x += text_width(title, 17) * 1.02 + (10 if title else 0)
        out.append(
            rect_element(x, 13, badge - 2, 18, "warnpaper", ' rx="9"') + text_element(x + 7, 26, chart.warning, "warn")
        )
    out.append(_draw_legend(chart, place))
    return "".join(out)


def _draw_legend(chart: Chart, place: ChartLayout) -> str:
    x, parts = place.left, []
    for i, line in enumerate(chart.overlays):
        value = next((v for v in reversed(line.values) if v is not None), None)
        shown = f"{line.label} {'-' if value is None else format_price(value)}"
        if x + text_width(shown, 11) > place.right:
            break
        parts.append((shown, f"t{color_number(chart, i)}"))
        x += text_width(shown, 11) + 14
    return spans_element(place.left, 47, parts, 4)


def _draw_footer(chart: Chart, place: ChartLayout, grouped: list[Bucket]) -> str:
    told = " · ".join(part for part in (describe_range(chart), describe_grouping(chart, grouped), chart.source) if part)
    return text_element(LEFT, place.height - 9, fit_text(told, 10, place.width - 2 * LEFT), "soft small")
