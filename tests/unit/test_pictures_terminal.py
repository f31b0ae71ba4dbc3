"""The chart of characters: its size, its candles, its colors."""

import re
from dataclasses import replace

import pytest

from drawn import made
from ia.faculties.pictures import terminal
from ia.faculties.pictures.chart import Chart, Line, Mark, Pane, Voice, moving_average
from ia.faculties.pictures.grid import cells
from ia.faculties.pictures.scale import price
from ia.organs.ohlcv.canonical import Bars


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
        terminal.Form(width, height, color=True),
        terminal.Form(width, height, ascii=True),
    ):
        lines = terminal.draw(chart, form).split("\n")
        plain = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in lines]
        assert len(lines) - 1 == max(height, terminal.MIN_HEIGHT)
        assert max(map(cells, plain)) <= max(width, terminal.MIN_WIDTH)
        assert form.color or plain == lines
        assert not form.ascii or "\n".join(lines).isascii()


def test_labels_of_an_axis_are_whole_and_fit_in_any_language():
    bars = made(60, 1.2)._replace(volume=[123_456_789_000_000] * 60)
    for lang, unit in (("en", "tn"), ("zh", "万亿")):
        chart = Chart(bars, voice=Voice(lambda s, **_: s, lang), panes=(Pane("p", (Line("x", [1e15] * 60),)),))
        drawn_ = terminal.draw(chart, terminal.Form(80, 30))
        assert max(map(cells, drawn_.split("\n"))) == 80
        assert f"┤123{unit}\n" in drawn_
    cheap = terminal.draw(Chart(made(60, 0.0125, 0.1)), terminal.Form(40, 30))
    told = [line.partition("┤")[2] for line in cheap.split("\n") if "┤0.0" in line]
    assert len({len(each) for each in told}) <= 2, told  # the last price may have its own length


def test_a_terminal_candle_has_its_rows():
    bars = Bars(["2024-01-02", "2024-01-03"], [1.0, 3.0], [3.0, 4.0], [1.0, 1.0], [3.0, 1.0], [1, 1])
    text = terminal.draw(Chart(bars, volume=False), terminal.Form(30, 12))
    rows = [line.ljust(30) for line in text.split("\n")[1:-3]]
    body = "".join(row[6] for row in rows).strip(" ·╌")
    assert set(body) == {"░"}  # a rise without color is hollow
    assert len(body) == pytest.approx(len(rows) * 2 / 3, abs=1)  # 1 to 3, of 1 to 4
    fall = "".join(row[18] for row in rows).strip(" ·╌")
    assert re.fullmatch("[│╷]+█+", fall)  # its wick above, and filled
    assert len(fall) == pytest.approx(len(rows), abs=1)


def test_color_says_up_and_down():
    bars = Bars(["2024-01-02", "2024-01-03"], [1.0, 3.0], [3.0, 4.0], [1.0, 1.0], [3.0, 1.0], [1, 1])
    for up, rise, fall in (("red", 31, 32), ("green", 32, 31), ("blue", 94, 33)):
        line = terminal.draw(Chart(bars, up=up), terminal.Form(40, 14, color=True)).split("\n")[5]
        assert line.lstrip().startswith(f"\x1b[0;{rise}m███")
        assert f"\x1b[0;{fall}m███" in line


@pytest.mark.parametrize("count", [2, 5, 17, 30, 41, 60, 71, 72, 73, 100, 145])
def test_bars_fill_the_line_however_few_they_are(count):
    lines = terminal.draw(Chart(made(count)), terminal.Form(80, 24)).split("\n")
    axis = next(line.index("┤") for line in lines if "┤" in line)
    volume = lines[-4]  # the row on the ground
    assert axis - len(volume[:axis].rstrip()) <= max(axis // (2 * count), 1)
    assert len(volume) - len(volume.lstrip()) <= max(axis // (2 * count), 1)


def test_without_color_lines_are_told_apart_by_their_dashes():
    bars = made(60)
    high, low = max(bars.high), min(bars.low)
    chart = Chart(bars, overlays=(Line("A", [high] * 60), Line("B", [low] * 60)))
    lines = terminal.draw(chart, terminal.Form(80, 24)).split("\n")
    assert lines[1].split("  ")[:1] == [f"⠤⠤⠤⠤⠤⠤ A {price(high)}"]
    assert f"⠤ ⠤ ⠤ B {price(low)}" in lines[1]
    plain = terminal.draw(chart, terminal.Form(80, 24, ascii=True)).split("\n")
    assert plain[1] == f"* A {price(high)}  + B {price(low)}"
    assert [sum(line.count(sign) > 20 for line in plain[2:-2]) for sign in "*+"] == [1, 1]


def test_a_pane_is_named_in_any_language():
    chart = Chart(
        made(60), panes=(Pane("强弱", (Line("x", [50.0] * 60),)),), voice=Voice(lambda s, **_: "成交量", "zh")
    )
    quiet = chart.bars._replace(volume=[0] * 30 + [1] * 30)
    drawn_ = terminal.draw(chart, terminal.Form(80, 24))
    assert "\n强弱 " in drawn_
    assert "\n成交量 " in terminal.draw(replace(chart, panes=(), bars=quiet), terminal.Form(80, 40))
    assert max(map(cells, drawn_.split("\n"))) <= 80
