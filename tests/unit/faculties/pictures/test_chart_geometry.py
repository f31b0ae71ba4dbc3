"""Fifty charts as people have them: no label over a candle, a line or another label, and no line outside its pane.

Prices are made, but as real ones move: gaps, splits, suspensions, long trends; trades come in clusters. What is
measured is the geometry of the SVG, not what the code meant to draw.
"""

import random
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from ia.faculties.pictures import candles
from ia.faculties.pictures.chart import (
    Chart,
    ChartEvent,
    ChartLine,
    ChartPane,
    PriceLevel,
    TradeMarker,
    moving_average,
)
from ia.faculties.pictures.svg import text_width
from ia.organs.ohlcv.canonical import Bars
from support.charts import coordinates, days

SVG = "{http://www.w3.org/2000/svg}"


def walk(rng, count):
    close, bars, moves = 10 ** rng.uniform(-0.5, 3.2), [], rng.choice((0.012, 0.02, 0.035))
    for _ in range(count):
        before = close
        first = before * (1 + rng.gauss(0, moves / 3) + (rng.choice((-0.09, 0.09)) if rng.random() < 0.02 else 0))
        close = max(first * (1 + rng.gauss(0.0004, moves)), 0.01)
        if rng.random() < 0.003:  # a split that nothing adjusted
            close /= 2
        if rng.random() < 0.03:  # locked at its limit
            first = close
        wild = rng.expovariate(2 / moves) if first != close else 0.0
        bars.append((first, max(first, close) * (1 + wild), min(first, close) / (1 + wild), close))
    dates = days(count + 30, (2021, 1, 4))
    if rng.random() < 0.3:
        at = rng.randrange(count)
        del dates[at : at + 25]
    columns = [list(column) for column in zip(*bars, strict=True)]
    return Bars(dates[:count], *columns, [int(10 ** rng.uniform(3, 8)) for _ in range(count)])


def bands(close, n=20):
    middle = moving_average(close, n)
    spread = [
        None if m is None else 2 * (sum((x - m) ** 2 for x in close[i - n + 1 : i + 1]) / n) ** 0.5
        for i, m in enumerate(middle)
    ]
    for name, sign in (("upper", 1), ("lower", -1)):
        yield ChartLine(name, [None if m is None else m + sign * s for m, s in zip(middle, spread, strict=True)])


def make_chart(seed):
    rng = random.Random(seed)
    count = rng.choice((40, 120, 250, 600, 1500))
    bars = walk(rng, count)
    lines = [ChartLine(f"MA{n}", moving_average(bars.close, n)) for n in (5, 20, 60, 200)[: rng.randrange(5)]]
    lines += list(bands(bars.close)) if rng.random() < 0.6 else []
    marks = []
    for _ in range(rng.randrange(7)):
        at = rng.randrange(count)
        for _ in range(rng.randrange(1, 12)):
            day = min(at + rng.randrange(6), count - 1)
            side = rng.choice(("buy", "sell"))
            marks.append(
                TradeMarker(bars.date[day], side, f"{side} {rng.randrange(1, 99) * 100} @ {bars.close[day]:.2f}")
            )
    marks = sorted({(m.date, m.side): m for m in marks}.values())
    events = tuple(
        ChartEvent(bars.date[rng.randrange(count)], rng.choice("DS…"), "it") for _ in range(rng.randrange(6))
    )
    j = [50 + 70 * (i % 17 - 8) / 8 for i in range(count)]
    panes = (ChartPane("KDJ", (ChartLine("k", [50.0] * count), ChartLine("j", j)), (20.0, 80.0)),) * rng.randrange(2)
    levels = (PriceLevel(bars.close[-1] * 0.9, "stop"),) if rng.random() < 0.3 else ()
    chart = Chart(
        bars, title=f"{seed}", overlays=tuple(lines), marks=tuple(marks), events=tuple(sorted(set(events))), panes=panes,
        levels=levels, log=rng.random() < 0.3,
    )  # fmt: skip
    if rng.random() < 0.5:
        chart = chart.cut_bars(-min(count, 40))
    return chart, rng.choice((400, 700, 960, 1500)), rng.choice((None, None, 420, 700))


def candle_boxes(group):
    """The boxes of the bodies and wicks in a picture's prices."""
    for path in group.iter(f"{SVG}path"):
        kind = path.get("class") or ""
        for piece in re.findall(r"M[^M]+", path.get("d")) if kind in ("red", "green") or "wick" in kind else ():
            points = list(coordinates(piece))
            xs, ys = zip(*points, strict=True)
            yield min(xs), min(ys), max(xs), max(ys)


def label_boxes(group, kind, size):
    for text in group.iter(f"{SVG}text"):
        if text.get("class") == kind:
            x, y, half = float(text.get("x")), float(text.get("y")), text_width(text.text, size) / 2
            yield x - half, y - 0.8 * size, x + half, y + 0.2 * size


def meet(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def crosses(points, box):
    """Whether a line through points enters a box: looked at every half pixel."""
    for (ax, ay), (bx, by) in pairwise(points):
        if max(ax, bx) < box[0] or min(ax, bx) > box[2] or max(ay, by) < box[1] or min(ay, by) > box[3]:
            continue
        steps = max(int(2 * max(abs(bx - ax), abs(by - ay))), 1)
        for i in range(steps + 1):
            x, y = ax + (bx - ax) * i / steps, ay + (by - ay) * i / steps
            if box[0] < x < box[2] and box[1] < y < box[3]:
                return True
    return False


def faults(chart, width, height, drawn=None):
    """Return what is wrong in the picture of a chart."""
    root = ET.fromstring(drawn or candles.render_svg(chart, width, height))
    place = candles.compute_layout(chart, width, height)
    groups = {group.get("data-strip"): group for group in root.iter(f"{SVG}g") if group.get("data-strip")}
    prices = groups["prices"]
    boxes = list(candle_boxes(prices))
    labels = [*label_boxes(prices, "trade-label", 10), *label_boxes(groups["events"], "on small", 10)]
    found = []
    for i, label in enumerate(labels):
        found += ["a label over a candle"] * any(meet(label, box) for box in boxes)
        trade = i < len(labels) - len(chart.events)
        found += ["a label over a label"] * (trade and any(meet(label, other) for other in labels[:i]))
        found += ["a label outside"] * (label[0] < place.left or label[2] > place.right)
    for strip in place.strips:
        if strip.kind == "volume":
            continue
        band = strip.top + (11 if strip.kind.startswith("pane") and strip.height > 60 else 0)
        for path in groups[strip.kind].iter(f"{SVG}path"):
            if not (path.get("class") or "").startswith("line "):
                continue
            for piece in re.findall(r"M[^M]+", path.get("d")):
                points = list(coordinates(piece))
                found += [f"a line outside {strip.kind}"] * any(not band <= y <= strip.bottom for _, y in points)
                if strip.kind == "prices":
                    found += ["a line through a label"] * any(crosses(points, label) for label in labels)
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    for mark in chart.marks:
        told = any(mark.text in text for text in texts) or any("ia trade list" in text for text in texts)
        found += [f"no words of {mark}"] * (not told)
    return found


@pytest.mark.parametrize("seed", range(50))
def test_labels_lie_over_nothing_and_lines_stay_inside(seed):
    chart, width, height = make_chart(seed)
    assert faults(chart, width, height) == []


def test_the_fifty_have_what_is_looked_for():
    charts = [make_chart(seed)[0] for seed in range(50)]
    assert sum(len(chart.marks) for chart in charts) > 150
    assert sum(len(chart.overlays) for chart in charts) > 100
    assert sum(bool(chart.events) for chart in charts) > 20
    assert sum(len(chart.marks) > 12 for chart in charts) > 10


def test_the_measure_sees_a_fault():
    chart, width, height = next(
        each for each in map(make_chart, range(50)) if len(each[0].marks) > 3 and each[0].overlays and each[2] is None
    )
    drawn = candles.render_svg(chart, width, height)
    moved = re.sub(r'(<text x="[^"]*" y=")[^"]*(" class="trade-label")', lambda m: f"{m[1]}200{m[2]}", drawn)
    assert not faults(chart, width, height, drawn)
    assert faults(chart, width, height, moved)
