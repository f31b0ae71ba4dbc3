"""The chart of a symbol as SVG: candles, volume, panes, marks, axes. One way of drawing for files, pages and PNG."""

import math
from collections.abc import Sequence
from dataclasses import replace
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
    price_range,
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
    format_together,
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
from ia.faculties.pictures.trade_labels import (
    LANE,
    TEXT,
    LabelLane,
    draw_lane,
    legend_entries,
    legend_rows,
    plan_lanes,
    spread_labels,
)
from ia.kernel.errors import PluralText

WIDTH = 960
MIN_WIDTH, MIN_HEIGHT = 320, 240
LEFT, HEAD, FOOT = 12.0, 58.0, 42.0
GAP = 10.0
CAPTION = 15.0
"""The band at the top of a pane that its words have for themselves."""
EVENTS = 20.0
"""The band at the bottom of the prices that corporate actions have for themselves."""
ROW = 14.0
"""Height of a row of the legend below the dates."""
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
    """Where everything is, in pixels. Bars lie between `left` and `right`; strips from top to bottom.

    foot  the room below the last strip; legend: what stands there in rows, above the line of the source
    """

    width: float
    height: float
    left: float
    right: float
    strips: tuple[ChartStrip, ...]
    foot: float = FOOT
    legend: tuple[list[str], ...] = ()

    def bar_x(self, index: float, count: int) -> float:
        """Return the middle of bar `index` of `count`."""
        return self.left + (index + 0.5) * (self.right - self.left) / count


def compute_layout(
    chart: Chart, width: int | None = None, height: int | None = None, *, legend: bool = True
) -> ChartLayout:
    """Return a layout for the panes of a chart. Without a height it is what the panes need.

    legend  whether trades whose labels are numbers are told below the dates; a page tells them beside the picture
    """
    w = float(max(width or WIDTH, MIN_WIDTH))
    prices_seen = price_range(chart, group_bars(chart.bars, len(chart.bars.date)))
    shown = (max(prices_seen) * 1.1, min(prices_seen), chart.bars.close[-1])
    right = round(w - max(max(text_width(format_price(x), 11) for x in shown) + 14, 52.0))
    rows = _legend_of(chart, w, right, height) if legend else ()
    foot = FOOT + ROW * (len(rows) + bool(chart.events))
    volume = 70.0 + CAPTION if chart.volume else 0.0
    pane = 92.0 + CAPTION
    gaps = GAP * (len(chart.panes) + bool(volume))
    if height is None:
        prices = min(max(w * 0.36, 200.0), 420.0) + _lane_room(chart)
        h = HEAD + prices + volume + gaps + pane * len(chart.panes) + foot
    else:
        h = float(max(height, MIN_HEIGHT))
        room = max(h - HEAD - foot - gaps, 60.0)
        unit = room / (4.6 + (0.9 if volume else 0) + 1.15 * len(chart.panes))
        prices, volume, pane = 4.6 * unit, 0.9 * unit if volume else 0.0, 1.15 * unit
    strips, top = [ChartStrip("prices", HEAD, round(prices))], HEAD + round(prices) + GAP
    if volume:
        strips.append(ChartStrip("volume", round(top), round(volume)))
        top += round(volume) + GAP
    for k in range(len(chart.panes)):
        strips.append(ChartStrip(f"pane{k}", round(top), round(pane)))
        top += round(pane) + GAP
    return ChartLayout(width=w, height=h, left=LEFT, right=right, strips=tuple(strips), foot=foot, legend=tuple(rows))


def _legend_of(chart: Chart, width: float, right: float, height: int | None) -> list[list[str]]:
    """Return the rows of the trades that have numbers; in a fixed height at most a third of it, the newest trades."""
    place = ChartLayout(width=width, height=0, left=LEFT, right=right, strips=())
    entries = legend_entries(chart, label_lanes(chart, place))
    rows = legend_rows(entries, width - 2 * LEFT)
    most = int(height / 3 / ROW) if height is not None else len(rows)
    if len(rows) <= most:
        return rows
    kept = entries[len(entries) - max(most - 1, 0) * len(rows[0]) :] if most > 1 else []
    rest = chart.voice("{count} more trades: `ia trade list`", count=len(entries) - len(kept))
    return [[rest], *legend_rows(kept, width - 2 * LEFT)]


def _lane_room(chart: Chart) -> float:
    """Return the height that the lanes of trades and corporate actions take from the prices."""
    sides = {mark.side for mark in chart.marks}
    return LANE * len(sides) + (EVENTS if chart.events else 0.0)


def label_lanes(chart: Chart, place: ChartLayout) -> dict[str, LabelLane]:
    """Return where the labels of the trades stand."""
    at = chart.bar_indexes([mark.date for mark in chart.marks])
    xs = [place.bar_x(i, len(chart.bars.date)) for i in at]
    return plan_lanes(chart, xs, place.left + 2, place.right - 2)


def value_axis(chart: Chart, strip: ChartStrip) -> AxisScale:
    """Return the value axis of a strip: of the prices between the lanes, of a pane below its words."""
    bars, top = chart.bars, strip.top + min(CAPTION, strip.height / 3)
    if strip.kind == "prices":
        sides = {mark.side for mark in chart.marks}
        low = strip.bottom - (LANE if "buy" in sides else 0.0) - (EVENTS if chart.events else 0.0)
        high = strip.top + (LANE if "sell" in sides else 0.0)
        seen = price_range(chart, group_bars(bars, len(bars.date)))
        return fit_scale(seen, max(low, high + 20), high, log=chart.log)
    if strip.kind == "volume":
        return AxisScale(0.0, max(bars.volume) or 1, strip.bottom, top)
    pane = chart.panes[int(strip.kind[4:])]
    if pane.fixed:
        return AxisScale(*pane.fixed, strip.bottom, top)
    values = [value for line in pane.lines for value in line.values if value is not None]
    if any(line.form == "columns" for line in pane.lines):
        values.append(0.0)
    return fit_scale(values, strip.bottom, top, air=0.08)


def render_svg(chart: Chart, width: int | None = None, height: int | None = None, *, night: bool | None = None) -> str:
    """Return the chart as an SVG file; the same chart gives the same bytes. It has at least one bar.

    night  fixes the colors, for a renderer that follows no system; None lets the reader's system decide.
    """
    chart = replace(chart, first_mark=0)
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
    taken: Sequence[float] = (),
) -> str:
    """Return grid lines with their labels; a label too near to one of the `taken` y is left out."""
    lines, labels = "", []
    for value, shown in zip(values, label, strict=True):
        y = axis.position_of(value)
        lines += f"M{svg_num(place.left)} {svg_num(y)}H{svg_num(place.right)}"
        if all(abs(y - each) >= 15 for each in taken) and strip.top + 4 <= y <= strip.bottom - 2:
            labels.append(text_element(place.right + 6, y + 4, shown, "soft"))
    return path_element(lines, "grid") + "".join(labels)


def _draw_prices(
    chart: Chart, place: ChartLayout, strip: ChartStrip, axis: AxisScale, grouped: list[Bucket]
) -> tuple[str, str, str]:
    at = axis_ticks(axis, max(int(strip.height / 46), 2))
    tags = _price_tags(chart, strip, axis)
    taken = [y for y, _, _ in tags]
    ground = _draw_axis(place, strip, axis, at, axis_labels(at, large=math.inf), taken)
    count = len(chart.bars.date)
    inner, over = "", ""
    if chart.candles:
        y = axis.position_of(chart.bars.close[-1])
        inner = path_element(f"M{svg_num(place.left)} {svg_num(y)}H{svg_num(place.right)}", "last")
        inner += _draw_candles(chart, place, axis, grouped, count)
    for i, line in enumerate(chart.overlays):
        inner += path_element(_draw_polyline(line.values, place, axis), f"line l{color_number(chart, i)}")
    for level in chart.levels:
        y = axis.position_of(level.price)
        inner += path_element(f"M{svg_num(place.left)} {svg_num(y)}H{svg_num(place.right)}", "own-level")
    for y, color, told in tags:
        over += rect_element(place.right + 1, y - 8, place.width - place.right - 3, 16, color, ' rx="2"')
        over += text_element(place.right + 6, y + 4, told, "on")
    return ground, inner + _draw_marks(chart, place, strip, axis, grouped), over


def _price_tags(chart: Chart, strip: ChartStrip, axis: AxisScale) -> list[tuple[float, str, str]]:
    """Return (y, color, words) of the tags on the price axis, from top to bottom, none over another."""
    tags = [(axis.position_of(level.price), "tag", format_price(level.price)) for level in chart.levels]
    if chart.candles:
        last = chart.bars.close[-1]
        rises = len(chart.bars.close) < 2 or last >= chart.bars.close[-2]
        tags.append((axis.position_of(last), chart.side_color(rises), format_price(last)))
    tags.sort()
    ys = spread_labels([y for y, _, _ in tags], [16.0] * len(tags), strip.top - 8, strip.bottom + 8, 1)
    return [(y, color, told) for y, (_, color, told) in zip(ys, tags, strict=False)]


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


def _draw_marks(chart: Chart, place: ChartLayout, strip: ChartStrip, axis: AxisScale, grouped: list[Bucket]) -> str:
    """Return the trades: an arrow below a bar that was bought on and above one that was sold on, and their labels."""
    count, reach = len(chart.bars.date), 5 + candle_width(place, grouped) / 2
    candles = [(place.bar_x((b.first + b.last - 1) / 2, count), b) for b in grouped]
    out = ""
    for side, lane in label_lanes(chart, place).items():
        tips = []
        for x in lane.xs:
            near = [b for middle, b in candles if abs(middle - x) <= reach]
            if side == "buy":
                tips.append(axis.position_of(min(b.low for b in near)) + 3)
            else:
                tips.append(axis.position_of(max(b.high for b in near)) - 3)
        edge = axis.bottom if side == "buy" else axis.top
        out += draw_lane(lane, chart, tips, edge)
    return out


def _draw_volume(
    chart: Chart, place: ChartLayout, strip: ChartStrip, axis: AxisScale, grouped: list[Bucket]
) -> tuple[str, str, str]:
    axis = axis._replace(high=max(bucket.volume for bucket in grouped) or 1)
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
    last = [next((v for v in reversed(line.values) if v is not None), None) for line in pane.lines]
    k = 0
    for line, told in zip(pane.lines, format_together(last, chart.voice.lang), strict=True):
        name = line.label if len(pane.lines) > 1 else ""
        parts.append((f"{name} {told}".strip(), f"t{color_number(chart, k)}" if line.form == "line" else "soft"))
        k += line.form == "line"
    return parts


def _draw_caption(place: ChartLayout, strip: ChartStrip, parts: list[tuple[str, str]]) -> str:
    """Return the words in the band at the top of a strip."""
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
    last = format_price(bars.close[-1]) if chart.candles else ""
    out = []
    end = place.width - 12
    if not chart.candles:
        end += 16
    elif len(bars.close) > 1 and bars.close[-2]:
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
    """Return the names of the lines and levels with their values, and the unit of the axis."""
    x, parts = place.left, []
    for i, line in enumerate(chart.overlays):
        value = next((v for v in reversed(line.values) if v is not None), None)
        shown = f"{line.label} {'-' if value is None else format_price(value)}"
        parts.append((shown, f"t{color_number(chart, i)}"))
    parts += [(f"╌ {level.label} {format_price(level.price)}", "soft") for level in chart.levels]
    end = place.width - 6
    need = sum(text_width(shown, 11) + 14 for shown, _ in parts) - 14
    told = ""
    if chart.unit and (chart.candles or place.left + need + text_width(chart.unit, TEXT) + 10 <= end):
        told = text_element(end, 50, chart.unit, "soft small", "end")
        end -= text_width(chart.unit, TEXT) + 10
    kept = []
    for shown, kind in parts:
        x += text_width(shown, 11) + 14
        if x - 14 > end:
            break
        kept.append((shown, kind))
    return spans_element(place.left, 47, kept, 4) + told


def describe_signs(chart: Chart) -> str:
    """Return what the letters of the corporate actions mean that a chart shows."""
    shown = {event.sign for event in chart.events}
    return " · ".join(told for sign, told in sign_words(chart).items() if sign in shown)


def sign_words(chart: Chart) -> dict[str, str]:
    """Return what each letter of a corporate action means."""
    say = chart.voice
    return {
        "D": say("D: ex-dividend date"),
        "S": say("S: bonus shares, rights or split"),
        "…": say("…: no trading for a long time"),
    }


def _draw_footer(chart: Chart, place: ChartLayout, grouped: list[Bucket]) -> str:
    """Return the legend of the trades and letters, and the line of the source."""
    out, y = "", place.height - 9 - ROW * (len(place.legend) + bool(chart.events))
    step = (place.width - 2 * LEFT) / max(map(len, place.legend), default=1)
    for row in place.legend:
        y += ROW
        for k, entry in enumerate(row):
            room = step if len(row) > 1 else place.width - 2 * LEFT
            out += text_element(LEFT + k * step, y - ROW, fit_text(entry, TEXT, room), "soft small")
    if chart.events:
        y = place.height - 9 - ROW
        out += text_element(LEFT, y, fit_text(describe_signs(chart), TEXT, place.width - 2 * LEFT), "soft small")
    told = " · ".join(part for part in (describe_range(chart), describe_grouping(chart, grouped), chart.source) if part)
    return out + text_element(LEFT, place.height - 9, fit_text(told, 10, place.width - 2 * LEFT), "soft small")
