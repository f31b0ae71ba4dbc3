"""Where the words of trades stand: in lanes of their own at the edges of the prices, tied to their bars by lines.

Purchases have the lane below the prices, sales the one above. Nothing else is drawn there, so a label lies over no
candle, no average and no other label. Where the words of a lane do not fit beside each other their numbers stand there,
and a legend tells the words.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ia.faculties.pictures.chart import Chart
from ia.faculties.pictures.svg import escape_xml, path_element, svg_num, text_element, text_width

LANE = 26.0
"""Height of a lane: the slope of the leader lines, and the words."""
TEXT = 10
FAR = 110.0
"""Pixels that words may be beside their bar; farther away numbers are easier to read."""
SIDES = ("buy", "sell")


class LabelLane(NamedTuple):
    """The labels of one side: for each of its trades the index of the mark, its bar's x, its label and the label's x.

    numbered  the labels are numbers; with `labels` empty there is not even room for these
    """

    side: str
    marks: list[int]
    xs: list[float]
    labels: list[str]
    centers: list[float]
    numbered: bool


def plan_lanes(chart: Chart, xs: Sequence[float], left: float, right: float) -> dict[str, LabelLane]:
    """Return the lanes of the sides that have trades. `xs` are the middles of the marks' bars."""
    found = {}
    for side in SIDES:
        marks = sorted((i for i, mark in enumerate(chart.marks) if mark.side == side), key=lambda i: xs[i])
        if not marks:
            continue
        at = [xs[i] for i in marks]
        words = [chart.marks[i].text for i in marks]
        centers = spread_labels(at, [text_width(text, TEXT) for text in words], left, right, 10)
        if centers and max(abs(a - b) for a, b in zip(at, centers, strict=True)) <= FAR:
            found[side] = LabelLane(side=side, marks=marks, xs=at, labels=words, centers=centers, numbered=False)
            continue
        words = [str(chart.first_mark + i + 1) for i in marks]
        centers = spread_labels(at, [text_width(text, TEXT) for text in words], left, right, 4)
        found[side] = LabelLane(
            side=side, marks=marks, xs=at, labels=words if centers else [], centers=centers, numbered=True
        )
    return found


def spread_labels(xs: Sequence[float], widths: Sequence[float], left: float, right: float, gap: float) -> list[float]:
    """Return the middles of labels side by side, each as near to its x as the others allow; [] where they do not fit.

    >>> spread_labels([10, 12, 90], [20, 20, 20], 0, 100, 4)
    [10.0, 34.0, 90.0]
    """
    found, at = [], left
    for x, width in zip(xs, widths, strict=True):
        middle = max(float(x), at + width / 2)
        found.append(middle)
        at = middle + width / 2 + gap
    end = right
    for i in range(len(found) - 1, -1, -1):
        found[i] = min(found[i], end - widths[i] / 2)
        end = found[i] - widths[i] / 2 - gap
    return found if not found or found[0] - widths[0] / 2 >= left - 0.01 else []


def draw_lane(lane: LabelLane, chart: Chart, tips: Sequence[float], edge: float) -> str:
    """Return a lane's trades: an arrow at each bar, a line from it to its label, and the label.

    tips  y of each arrow's point, free of candles; edge: where the lane begins
    """
    down = 1 if lane.side == "buy" else -1
    out = []
    for k, index in enumerate(lane.marks):
        mark, x, tip = chart.marks[index], lane.xs[k], tips[k]
        label = f"<title>{escape_xml(mark.date)} {escape_xml(mark.text)}</title>"
        line = f"M{svg_num(x)} {svg_num(tip + 9 * down)}V{svg_num(edge)}"
        if lane.labels:
            line += f"L{svg_num(lane.centers[k])} {svg_num(edge + 11 * down)}"
        out.append(
            f'<g class="trade" data-date="{escape_xml(mark.date)}" data-side="{mark.side}">{label}'
            f"{path_element(line, 'leader')}"
            f'<path class="mark" d="M{svg_num(x)} {svg_num(tip)}l-5 {9 * down}h10z"/></g>'
        )
        if lane.labels:
            y = edge + (22 if down > 0 else -14)
            out.append(text_element(lane.centers[k], y, lane.labels[k], "trade-label", "middle"))
    return "".join(out)


def legend_entries(chart: Chart, lanes: dict[str, LabelLane]) -> list[str]:
    """Return the words of the trades whose labels are numbers, in their order."""
    numbered = {i for lane in lanes.values() if lane.numbered for i in lane.marks}
    return [describe_trade(chart, i) for i in sorted(numbered)]


def describe_trade(chart: Chart, i: int) -> str:
    """Return the number, arrow, day and words of trade i."""
    mark = chart.marks[i]
    return f"{chart.first_mark + i + 1} {'▲' if mark.side == 'buy' else '▼'} {mark.date} {mark.text}"


def legend_rows(entries: Sequence[str], width: float) -> list[list[str]]:
    """Return the entries of a legend in rows of equal columns."""
    if not entries:
        return []
    widest = max(text_width(entry, TEXT) for entry in entries) + 16
    columns = max(int(width / widest), 1)
    height = -(-len(entries) // columns)
    return [[*entries[row::height]] for row in range(height)]
