"""Bars, charts and hostile words that the tests of pictures draw, and what reads the drawings."""

import html.parser
import math
import re
import xml.etree.ElementTree as ET

from ia.faculties.pictures.chart import Chart, ChartEvent, ChartLine, ChartPane, TradeMarker
from ia.organs.ohlcv.canonical import Bars

HOSTILE = (
    """<script>alert(1)</script>]]>&"'><img src=x onerror=alert(2)><a href="javascript:alert(3)">\x00\x1b[31m\u202e"""
)


def days(count, start=(2024, 1, 1)):
    from datetime import date, timedelta

    day, found = date(*start), []
    while len(found) < count:
        if day.weekday() < 5:
            found.append(day.isoformat())
        day += timedelta(days=1)
    return found


def made(count, base=100.0, swing=0.03):
    """Bars that move up and down, the same every time."""
    close = [base * (1 + swing * math.sin(i / 7) + i * 0.0005) for i in range(count)]
    first = [close[0], *close[:-1]]
    high = [max(a, b) * 1.004 for a, b in zip(first, close, strict=True)]
    low = [min(a, b) * 0.996 for a, b in zip(first, close, strict=True)]
    return Bars(days(count), first, high, low, close, [1000 + 37 * (i % 11) for i in range(count)])


def parsed(text):
    return ET.fromstring(text)


def d(text, kind):
    """The data of the paths of a class."""
    return [
        path.get("d") for path in parsed(text).iter("{http://www.w3.org/2000/svg}path") if path.get("class") == kind
    ]


def coordinates(data):
    """Where a path of M, L, H, V, h and l goes."""
    x = y = 0.0
    for letter, rest in re.findall(r"([MLHVhlz])([^MLHVhlz]*)", data):
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", rest)]
        if letter in "ML":
            x, y = numbers
        elif letter == "H":
            x = numbers[0]
        elif letter == "V":
            y = numbers[0]
        elif letter == "h":
            x += numbers[0]
        elif letter == "l":
            x, y = x + numbers[0], y + numbers[1]
        yield x, y


def hostile():
    bars = made(30)
    line = ChartLine(HOSTILE, [float(i) for i in range(30)])
    return Chart(
        bars, title=HOSTILE, overlays=(line,), panes=(ChartPane(HOSTILE, (line, line)),), source=HOSTILE, warning=HOSTILE,
        marks=(TradeMarker(bars.date[5], "buy", HOSTILE),), events=(ChartEvent(bars.date[9], "D", HOSTILE),),
    )  # fmt: skip


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
