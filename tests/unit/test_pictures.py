"""Pictures: the geometry to the pixel, scales and ticks, what is kept when bars are many, and nothing that escapes."""

import html.parser
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest

from ia.errors import BadData, NotFound, UsageError
from ia.ohlcv.adjust import Action
from ia.ohlcv.canonical import Bars
from ia.pictures import candles, page, saving, shapes, sheet, source, svg, terminal
from ia.pictures.chart import Chart, Event, Line, Mark, Pane, Voice, buckets, moving_average, thinned, up_colour
from ia.pictures.indicators import Limits, drawn, split
from ia.pictures.scale import compact, date_ticks, decimals, nice_step, number, price, scale, ticks

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


# scales


@pytest.mark.parametrize(
    ("low", "high"), [(10, 20), (0.001, 0.0017), (1e6, 9e7), (-5, 5), (1687.4, 1687.5), (0.5, 0.5), (1e-12, 2e-12)]
)
def test_ticks_are_round_inside_and_few(low, high):
    axis = scale([low, high], 300, 0)
    found = ticks(axis, 6)
    assert 1 <= len(found) <= 7
    assert all(axis.low <= value <= axis.high for value in found)
    if len(found) > 2:
        gaps = {round((b - a) / nice_step(axis.high - axis.low, 6), 6) for a, b in pairwise(found)}
        assert gaps == {1.0}
    assert decimals(found) <= 9


def test_a_scale_is_exact_at_its_ends_and_grows_upwards():
    axis = scale([10.0, 20.0], 300, 100, air=0)
    assert (axis.at(10), axis.at(15), axis.at(20)) == (300, 200, 100)
    log = scale([10.0, 1000.0], 300, 100, log=True, air=0)
    assert log.at(100) == pytest.approx(200, abs=0.2)
    assert scale([-1.0, 5.0], 1, 0, log=True).log is False  # a logarithm needs prices above 0


def test_equal_and_missing_values_have_a_scale():
    axis = scale([7.0, 7.0], 100, 0)
    assert axis.at(7.0) == 50
    assert scale([0.0], 100, 0).at(0.0) == 50
    assert scale([], 100, 0).at(0.5) == 50


def test_long_logarithmic_axes_have_1_2_and_5():
    assert ticks(scale([1.0, 1000.0], 300, 0, log=True), 12) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


@pytest.mark.parametrize(
    ("count", "room", "first"),
    [
        (20, 12, "2024-01-08"),
        (250, 12, "2024-02-01"),
        (1300, 8, "2025-01-01"),
        (5000, 10, "2026-01-01"),
        (1, 5, "2024-01-01"),
    ],
)
def test_date_ticks_stand_at_beginnings(count, room, first):
    dates = days(count)
    found = date_ticks(dates, room)
    assert 1 <= len(found) <= room
    assert dates[found[0][0]] == first
    assert [i for i, _ in found] == sorted({i for i, _ in found})
    assert all(dates[i].find(label) >= 0 for i, label in found)


def test_intraday_dates_have_times():
    dates = [f"2024-01-02T{h:02d}:{m:02d}:00" for h in (9, 10, 11) for m in range(0, 60, 5)]
    assert [label for _, label in date_ticks(dates, 4)] == ["10:00", "11:00"]


def test_numbers_are_short_and_true():
    assert [price(x) for x in (1687.4, 9.87, 0.00213, 1e-9, 3.125, 123456789)] == [
        "1,687.40", "9.87", "0.00213", "0.000000001", "3.125", "123,456,789.00",
    ]  # fmt: skip
    assert [compact(x) for x in (0, 999, 1500, 38_045_000, 2.5e12)] == ["0", "999", "1.5K", "38M", "2.5T"]
    assert [compact(x, "zh") for x in (9999, 15_000, 1.38e12)] == ["9999", "1.5万", "13800亿"]
    assert number(float("1e-300")) == "1e-300"


# bars


def test_buckets_keep_every_extreme_and_all_volume():
    bars = made(5000)
    bars.high[1234], bars.low[4321] = 999.0, 0.5
    found = buckets(bars, 300)
    assert len(found) <= 300
    assert max(b.high for b in found) == 999.0
    assert min(b.low for b in found) == 0.5
    assert sum(b.volume for b in found) == sum(bars.volume)
    assert (found[0].open, found[-1].close) == (bars.open[0], bars.close[-1])
    assert [b.first for b in found[1:]] == [b.last for b in found[:-1]]
    assert {b.last - b.first for b in found[1:]} == {17}  # of one size, or their volumes could not be compared


@pytest.mark.parametrize("count", [1, 2, 10, 299, 300, 301])
def test_few_bars_stay_themselves(count):
    found = buckets(made(count), 300)
    assert sum(b.last - b.first for b in found) == count
    assert len(found) == (count if count <= 300 else 151)


def test_a_thinned_line_keeps_its_extremes_and_gaps():
    values = [float(i % 50) for i in range(10_000)]
    values[7777], values[5000] = 1e6, None
    found = dict(thinned(values, 100))
    assert len(found) <= 600
    assert found[7777] == 1e6
    assert None in found.values()


def test_the_moving_average_is_the_mean():
    assert moving_average([1.0, 2.0, 6.0], 2) == [None, 1.5, 4.0]
    assert moving_average([1.0], 5) == [None]


def test_cutting_keeps_what_belongs_to_the_bars():
    bars = made(50)
    chart = Chart(
        bars, overlays=(Line("x", [*map(float, range(50))]),), panes=(Pane("p", (Line("y", [None] * 50),)),),
        marks=(Mark(bars.date[10], "buy", "a"), Mark(bars.date[45], "sell", "b")), events=(Event(bars.date[45], "D", "e"),),
    )  # fmt: skip
    part = chart.cut(40, 48)
    assert part.bars.date == bars.date[40:48]
    assert part.overlays[0].values == [40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0]
    assert [mark.text for mark in part.marks] == ["b"]
    assert len(part.events) == 1
    assert part.placed([bars.date[45], "2023-01-01", "2099-01-01"]) == [5, 0, -1]


# the drawing


def test_a_candle_stands_at_its_prices_to_the_pixel():
    bars = Bars(["2024-01-02", "2024-01-03"], [10.0, 12.0], [13.0, 12.5], [9.0, 8.0], [12.0, 9.0], [100, 50])
    chart = Chart(bars)
    place = candles.layout(chart, 960, 500)
    strip = place.strips[0]
    axis = candles.axis_of(chart, strip)
    text = candles.svg(chart, 960, 500)
    for kind, index, body in (("red", 0, (12.0, 10.0)), ("green", 1, (12.0, 9.0))):
        x, top, width, bottom = map(
            float, re.fullmatch(r"M([\d.]+) ([\d.]+)h([\d.]+)V([\d.]+)h-[\d.]+z", d(text, kind)[0]).groups()
        )
        assert x + width / 2 == pytest.approx(place.x(index, 2), abs=0.1)
        assert (top, bottom) == pytest.approx((axis.at(body[0]), axis.at(body[1])), abs=0.06)
        x, high, low = map(float, re.fullmatch(r"M([\d.]+) ([\d.]+)V([\d.]+)", d(text, f"wick w-{kind}")[0]).groups())
        assert (high, low) == pytest.approx((axis.at(bars.high[index]), axis.at(bars.low[index])), abs=0.06)
    # by hand: 8 to 13 with 6 % of air at each end, over the strip's height
    assert axis.at(10.0) == pytest.approx(strip.bottom - (10.0 - 7.7) / 5.6 * strip.height)


@pytest.mark.parametrize("count", [1, 2, 10, 250, 5000])
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("panes", [0, 3])
def test_everything_drawn_lies_inside_the_paper_and_its_strip(count, log, panes):
    bars = made(count)
    lines = tuple(
        Pane(f"p{k}", (Line("a", [float(i % 9) for i in range(count)], "columns"), Line("b", bars.close)))
        for k in range(panes)
    )
    chart = Chart(bars, title="x", overlays=(Line("MA5", moving_average(bars.close, 5)),), panes=lines, log=log)
    place = candles.layout(chart)
    text = candles.svg(chart)
    root = parsed(text)
    assert root.get("viewBox") == f"0 0 {svg.num(place.width)} {svg.num(place.height)}"
    for strip, group in zip(
        place.strips,
        [g for g in root if (g.get("data-strip") or "").startswith(("prices", "volume", "pane"))],
        strict=True,
    ):
        for path in group.iter("{http://www.w3.org/2000/svg}path"):
            if path.get("class") == "grid":
                continue
            for x, y in coordinates(path.get("d")):
                assert place.left - 1 <= x <= place.right + 1
                assert strip.top - 1 <= y <= strip.bottom + 1
    for label in root.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 <= float(label.get("x")) <= place.width
        assert 0 <= float(label.get("y")) <= place.height
    tops = [(strip.top, strip.bottom) for strip in place.strips]
    assert all(above[1] < below[0] for above, below in pairwise(tops))


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


@pytest.mark.parametrize("value", [1e-7, 0.01, 7.0, 1e9])
def test_a_constant_price_of_any_size_is_drawn(value):
    bars = Bars(days(30), *([value] * 30 for _ in range(4)), [0] * 30)
    for log in (False, True):
        text = candles.svg(Chart(bars, log=log))
        parsed(text)
        assert "nan" not in text.lower()
        assert "inf" not in re.sub("[^ ]*info[^ ]*", "", text.lower())
    assert terminal.draw(Chart(bars), terminal.Form()).count("\n") == 24


def test_a_gap_in_a_line_stays_a_gap():
    bars = made(6)
    values = [1.0, 2.0, None, 3.0, None, 4.0]
    text = candles.svg(Chart(bars, panes=(Pane("p", (Line("x", values),)),)))
    assert [data.count("M") for data in d(text, "line l0")] == [3]


def test_the_same_chart_gives_the_same_bytes():
    chart = Chart(made(300), title="x", marks=(Mark("2024-03-01", "buy", "100 @ 1"),))
    assert candles.svg(chart) == candles.svg(chart)
    assert page.figure(chart, chart.cut(50)) == page.figure(chart, chart.cut(50))


def test_a_rise_is_red_in_china_and_green_in_america():
    assert [up_colour(market, "en") for market in ("CN", "HK", "US", "")] == ["red", "red", "green", "green"]
    assert up_colour("", "zh") == "red"
    bars = Bars(["2024-01-02"], [10.0], [12.0], [9.0], [11.0], [5])
    assert d(candles.svg(Chart(bars, up="green")), "green")
    assert not d(candles.svg(Chart(bars, up="green")), "red")


def test_trades_and_corporate_actions_are_marked_at_their_bars():
    bars = made(100)
    chart = Chart(
        bars, marks=(Mark(bars.date[20], "buy", "buy 100 @ 99.5"), Mark(bars.date[80], "sell", "sell 100 @ 103")),
        events=(Event(bars.date[50], "D", "cash 1.2 a share"),),
    )  # fmt: skip
    root = parsed(candles.svg(chart))
    place = candles.layout(chart)
    axis = candles.axis_of(chart, place.strips[0])
    found = {g.get("data-side"): g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "trade"}
    for side, at, price_ in (("buy", 20, bars.low[20]), ("sell", 80, bars.high[80])):
        x, y = next(coordinates(found[side][1].get("d")))
        assert x == pytest.approx(place.x(at, 100), abs=0.1)
        assert y == pytest.approx(axis.at(price_) + (4 if side == "buy" else -4), abs=0.1)
        assert bars.date[at] in found[side][0].text
    texts = "".join(root.itertext())
    assert all(words in texts for words in ("buy 100 @ 99.5", "sell 100 @ 103", "cash 1.2 a share"))


def test_corporate_actions_are_told_in_words():
    bars = made(40)
    day = bars.date[20]
    actions = (Action(day, cash=1.5, bonus=0.3), Action("2030-01-01", cash=9), Action(bars.date[30], split=10.0))
    chart = source.charted(source.Origin(bars, "600519.SH", "", "CN", actions=actions), Voice())
    assert [(e.date, e.sign, e.text) for e in chart.events] == [
        (day, "S", "cash 1.50 a share; 0.3 new shares a share"), (bars.date[30], "S", "split 1 to 10.00"),
    ]  # fmt: skip


# hostile words


def hostile():
    bars = made(30)
    line = Line(HOSTILE, [float(i) for i in range(30)])
    return Chart(
        bars, title=HOSTILE, overlays=(line,), panes=(Pane(HOSTILE, (line, line)),), source=HOSTILE, warning=HOSTILE,
        marks=(Mark(bars.date[5], "buy", HOSTILE),), events=(Event(bars.date[9], "D", HOSTILE),),
    )  # fmt: skip


def test_hostile_words_stay_words_in_svg():
    root = parsed(candles.svg(hostile(), 1600))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "desc", "style", "g", "rect", "path", "text", "clipPath", "circle"}
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]
    assert any("<script>alert(1)</script>]]>" in (element.text or "") for element in root.iter())


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_hostile_words_stay_words_in_a_page():
    reader = Reader()
    chart = hostile()
    reader.feed(page.chart(chart, chart))
    scripts = [attrs for tag, attrs in reader.found if tag == "script"]
    assert "\u202e" not in page.chart(chart, chart)
    assert scripts == [{"type": "application/json"}, {}]
    assert {tag for tag, _ in reader.found}.isdisjoint({"img", "a", "iframe", "object", "embed", "base", "form"})
    assert not [attrs for _, attrs in reader.found if any(name.startswith("on") or name == "style" for name in attrs)]
    assert not [attrs for tag, attrs in reader.found if tag != "link" and ("href" in attrs or "src" in attrs)]


def test_the_policy_of_a_page_names_its_own_script_and_style_only():
    import base64
    import hashlib

    text = page.chart(Chart(made(20)), Chart(made(20)))
    policy = re.search('http-equiv="Content-Security-Policy" content="([^"]+)"', text)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        inside = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'" in policy
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_the_data_of_a_page_cannot_close_its_script():
    assert "<" not in page.json_text({"x": "</script><!--"})


def test_tables_and_tiles_escape():
    text = sheet.table([HOSTILE], [[HOSTILE, sheet.Cell(HOSTILE, "state red")]]) + sheet.figures(
        [(HOSTILE, sheet.Cell(HOSTILE))]
    )
    text += sheet.section(HOSTILE, sheet.said(HOSTILE))
    assert "<script" not in text
    assert "<img" not in text


# the terminal


@pytest.mark.parametrize(("width", "height"), [(80, 24), (30, 10), (200, 60), (5, 2)])
@pytest.mark.parametrize("count", [1, 3, 68, 2000])
def test_the_terminal_picture_has_the_size_of_the_terminal(width, height, count):
    bars = made(count)
    chart = Chart(
        bars, title="600519.SH 贵州茅台股份有限公司", overlays=(Line("MA5", moving_average(bars.close, 5)),),
        panes=(Pane("rsi", (Line("rsi", [50.0] * count),), (30.0, 70.0), (0.0, 100.0)),),
        marks=(Mark(bars.date[-1], "buy", "买 100 @ 1"),),
    )  # fmt: skip
    for form in (
        terminal.Form(width, height),
        terminal.Form(width, height, colour=True),
        terminal.Form(width, height, ascii=True),
    ):
        lines = terminal.draw(chart, form).split("\n")
        plain = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in lines]
        assert len(lines) - 1 == max(height, terminal.MIN_HEIGHT)
        assert max(map(terminal.cells, plain)) <= max(width, terminal.MIN_WIDTH)
        assert form.colour or plain == lines
        assert not form.ascii or "\n".join(lines).isascii()


def test_a_terminal_candle_has_its_rows():
    bars = Bars(["2024-01-02", "2024-01-03"], [1.0, 3.0], [3.0, 4.0], [1.0, 1.0], [3.0, 1.0], [1, 1])
    text = terminal.draw(Chart(bars, volume=False), terminal.Form(30, 12))
    rows = [line.ljust(30) for line in text.split("\n")[1:-3]]
    body = "".join(row[1] for row in rows).strip(" ·╌")
    assert set(body) == {"░"}  # a rise without colour is hollow
    assert len(body) == pytest.approx(len(rows) * 2 / 3, abs=1)  # 1 to 3, of 1 to 4
    fall = "".join(row[7] for row in rows).strip(" ·╌")
    assert re.fullmatch("[│╷]+█+", fall)  # its wick above, and filled
    assert len(fall) == pytest.approx(len(rows), abs=1)


def test_colour_says_up_and_down():
    bars = Bars(["2024-01-02", "2024-01-03"], [1.0, 3.0], [3.0, 4.0], [1.0, 1.0], [3.0, 1.0], [1, 1])
    for up, rise in (("red", 31), ("green", 32)):
        line = terminal.draw(Chart(bars, up=up), terminal.Form(40, 14, colour=True)).split("\n")[5]
        assert line.startswith(f"\x1b[0;{rise}m███")
        assert f"\x1b[0;{63 - rise}m███" in line


# indicators


def test_a_comma_list_is_split_outside_of_brackets():
    assert split("rsi, macd(close, 5, 10) ,x['a,b']") == ["rsi", "macd(close, 5, 10)", "x['a,b']"]
    assert split(" ,, ") == []


def test_indicators_are_those_of_compute():
    bars = made(60)
    over, below = drawn(bars, ["sma(close, 3)", "rsi(close)"], ["macd", "close * 0 + 5"], Limits())
    assert [line.label for line in over] == ["sma(close, 3)"]
    assert over[0].values[1] is None
    assert over[0].values[2] == pytest.approx(sum(bars.close[:3]) / 3)
    assert [pane.title for pane in below] == ["rsi(close)", "MACD", "close * 0 + 5"]
    assert below[0].fixed == (0.0, 100.0)
    assert [(line.label, line.form) for line in below[1].lines] == [
        ("macd", "line"),
        ("signal", "line"),
        ("histogram", "columns"),
    ]


def test_what_is_no_series_is_refused():
    for source_, error in (("'text'", BadData), ("close >", BadData), ("nosuch(close)", BadData)):
        with pytest.raises(error):
            drawn(made(20), [source_], [], Limits())
    with pytest.raises(NotFound):
        drawn(made(20), [], ["rsy"], Limits())
    with pytest.raises(UsageError):
        drawn(made(20), [], ["sma"], Limits())


# other shapes


@pytest.mark.parametrize("sizes", [[1.0], [5.0, 3.0, 1.0], [float(x) for x in range(60, 0, -1)], [1e9, 1.0, 1e-9]])
def test_a_treemap_covers_its_place_without_overlap(sizes):
    found = shapes.squarified(sizes, 0, 0, 600, 400)
    assert len(found) == len(sizes)
    assert sum(w * h for _, _, w, h in found) == pytest.approx(240_000)
    for size, (x, y, w, h) in zip(sizes, found, strict=True):
        assert w * h == pytest.approx(size / sum(sizes) * 240_000, rel=1e-6, abs=1e-6)
        assert -1e-6 <= x <= x + w <= 600 + 1e-6
        assert -1e-6 <= y <= y + h <= 400 + 1e-6
    for k, (x, y, w, h) in enumerate(found):
        for a, b, c, e in found[k + 1 :]:
            assert min(x + w, a + c) - max(x, a) < 1e-6 or min(y + h, b + e) - max(y, b) < 1e-6


def test_shapes_are_whole_whatever_they_show():
    tiles = [shapes.Tile(HOSTILE, 5, None, HOSTILE), shapes.Tile("b", 3, -2.5, "b"), shapes.Tile("none", 0, 1, "")]
    for text in (
        shapes.treemap(tiles, "t", HOSTILE, "red"), shapes.treemap([], "t", "", "red"),
        shapes.curves(days(3), [Line("a", [1.0, None, 3.0])], "t", ""), shapes.curves([], [Line("a", [])], "t", "", filled=True),
        shapes.curves(days(2), [Line("a", [0.0, -0.1])], "t", "", percent=True, filled=True),
        shapes.shares([(HOSTILE, [(3, "red"), (0, "green")]), ("empty", [])], "t", ""),
        shapes.distribution([-30.0, -0.2, 0.0, 0.4, 10.0, 99.0], "t", "", "red"), shapes.distribution([], "t", "", "red"),
    ):  # fmt: skip
        parsed(text)
        assert "nan" not in text


def test_a_distribution_counts_everything():
    text = shapes.distribution([-30.0, -10.5, -0.2, 0.0, 0.4, 0.9, 10.0, 99.0], "t", "", "red")
    small = [t.text for t in parsed(text).iter("{http://www.w3.org/2000/svg}text")]
    assert small[:2] == ["2", ">-10"]
    assert small[-2:] == ["2", ">+10"]
    assert small[small.index("0") - 1] == "1"


# the account


def entry(number, day, kind, **more):
    from ia.ledger.journal import Entry

    return Entry(number, f"{day}T02:00:00.000Z", day, kind, **more)


def test_the_equity_curve_by_hand():
    from ia.ledger.fold import fold
    from ia.pictures.of_account import equity

    books = fold([
        entry(1, "2024-01-02", "deposit", cash=Decimal(10_000)),
        entry(2, "2024-01-03", "buy", symbol="600519.SH", price=Decimal(10), quantity=Decimal(100), cash=Decimal(1000), commission=Decimal(5)),
        entry(3, "2024-01-05", "deposit", cash=Decimal(2000)),
    ])  # fmt: skip
    closes = {"600519.SH": [("2024-01-02", 9.0), ("2024-01-03", 11.0), ("2024-01-04", 9.0), ("2024-01-05", 12.0)]}
    curve = equity(books, [*books.holdings.values()], lambda symbol, _: closes[symbol], "CNY")
    assert curve.dates == ["2024-01-02", "2024-01-03", "2024-01-04", "2024-01-05"]
    assert curve.worth == [10_000, 10_095, 9_895, 12_195]
    assert curve.invested == [10_000, 10_000, 10_000, 12_000]
    assert curve.fall[2] == pytest.approx(9_895 / 10_095 - 1)
    assert curve.fall[3] == 0  # the money that was brought in is no gain, and the rest is one: 12,195 of 11,895


def test_a_day_without_a_price_is_a_gap_in_the_curve():
    from ia.ledger.fold import fold
    from ia.pictures.of_account import equity

    books = fold([
        entry(1, "2024-01-02", "deposit", cash=Decimal(10_000)),
        entry(2, "2024-01-03", "buy", symbol="600519.SH", price=Decimal(10), quantity=Decimal(100), cash=Decimal(1000)),
    ])  # fmt: skip
    curve = equity(books, [*books.holdings.values()], lambda *_: [], "CNY")
    assert curve.worth == [10_000, None]


# files


def test_a_picture_is_saved_whole_and_keeps_the_files_mode(tmp_path):
    path = tmp_path / "x.svg"
    saving.save(str(path), b"one")
    path.chmod(0o640)
    saving.save(str(path), b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o640)
    assert [each.name for each in tmp_path.iterdir()] == ["x.svg"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.svg").write_bytes(b"old")
    (tmp_path / "link.svg").symlink_to("real.svg")
    saving.save(str(tmp_path / "link.svg"), b"new")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_bytes() == b"new"


def test_places_that_are_no_file(tmp_path):
    with pytest.raises(NotFound):
        saving.save(str(tmp_path / "none" / "x.svg"), b"")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(BadData):
        saving.save(str(tmp_path / "folder.svg"), b"")
    for name in ("x", "x.gif", "-", ".svg"):
        with pytest.raises(UsageError):
            saving.form_of(name)
    assert [saving.form_of(name) for name in ("a.SVG", "a.b.png", "a.htm")] == ["svg", "png", "html"]


# PNG


def test_png_has_the_size_that_was_asked_for():
    png = pytest.importorskip("ia.pictures.png")
    pytest.importorskip("resvg_py")
    chart = Chart(made(60), title="A")
    try:
        data = png.chart(chart, 800, 600)
    except Exception as exc:
        if "font" in str(exc):
            pytest.skip("no font is installed here")
        raise
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (800, 600)
    small = png.chart(chart, 400, 300)
    assert (int.from_bytes(small[16:20]), int.from_bytes(small[20:24])) == (400, 300)


def test_without_a_chinese_font_a_png_says_so_and_uses_codes(monkeypatch):
    png = pytest.importorskip("ia.pictures.png")
    pytest.importorskip("resvg_py")
    drawn_ = []
    monkeypatch.setattr(png, "_writes", lambda one, _: one == "0")  # fonts of a machine that has no Chinese one
    monkeypatch.setattr(png, "rendered", lambda text, zoom=2.0: drawn_.append(text) or b"")
    told = []
    chart = replace(
        Chart(made(60)), title="600519.SH 贵州茅台", source="来源 demo", source_en="source demo", voice=Voice(lang="zh")
    )
    png.chart(chart, None, None, told.append)
    assert [message.template[:26] for message in told] == ["no Chinese font is install"]
    assert "600519.SH</text>" in drawn_[0]
    assert "source demo" in drawn_[0]
    assert not re.search("[\u4e00-\u9fff]", re.sub("<style>.*?</style>", "", drawn_[0]))


# the market


def test_hostile_names_of_a_market_stay_words(ws, monkeypatch):
    import contextlib

    from ia.market import store
    from ia.market.quote import Quote
    from ia.ohlcv import cache
    from ia.pictures import of_market

    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T18:00:00+08:00")
    quotes = [
        Quote(f"6000{i:02d}.SH", f"{HOSTILE}{i}", 10.0 + i, 10.0, float(i), float(i) - 3, 10.0, 19.0, 9.0, 1000, 1e6,
              industry=HOSTILE, concepts=HOSTILE)
        for i in range(1, 9)
    ]  # fmt: skip
    with contextlib.closing(cache.connect(ws)) as db:
        store.put_day(
            db, store.source_id(db, "demo", True), "2024-03-15", quotes, host=HOSTILE, time="2024-03-15T08:00:00.000Z"
        )
    text = of_market.report(ws, Voice())
    reader = Reader()
    reader.feed(text)
    assert {tag for tag, _ in reader.found}.isdisjoint({"script", "img", "a", "iframe"})
    assert text.count("&lt;script&gt;alert(1)") > 20
    assert "simulated prices: the whole market is invented by demo" in text
    assert "5 up, 1 unchanged, 2 down" in text
    for missing in ("`ia sync northbound` fetches it", "`ia sync lhb` fetches it"):
        assert missing in text


def test_an_account_without_prices_or_money_says_so(ws):
    from ia.ledger import journal
    from ia.pictures import of_account

    assert "the ledger is empty" in of_account.report(ws, Voice())
    journal.enter(ws, [
        entry(0, "2024-01-03", "buy", symbol="600519.SH", name=HOSTILE, price=Decimal(10), quantity=Decimal(100), cash=Decimal(1000), reason=HOSTILE),
    ])  # fmt: skip
    text = of_account.report(ws, Voice())
    assert "no price is stored of 600519.SH" in text
    assert "cash and equity are not known" in text
    assert "not known</span>" in text
    reader = Reader()
    reader.feed(text)
    assert {tag for tag, _ in reader.found}.isdisjoint({"script", "img", "a", "iframe"})


def test_one_page_of_the_account_has_one_colour_of_a_gain():
    from ia.pictures.of_account import colour

    assert colour(["USD"]) == "green"
    assert colour(["CNY"]) == colour(["CNY", "USD"]) == colour([]) == "red"


def test_northbound_money_is_short_and_its_channels_are_named(ia):
    env = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:00+08:00"}
    for job in ("daily", "northbound"):
        assert ia("sync", job, env=env).returncode == 0
    text = ia("--lang", "zh", "report", "market", env=env).stdout
    part = text[text.index("北向") :]
    assert "沪股通" in part and "shanghai" not in part
    assert not re.search(r"[+-]\d{1,3}(,\d{3}){2}\.\d\d", part)
