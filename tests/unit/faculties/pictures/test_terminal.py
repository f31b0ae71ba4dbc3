"""The chart of characters: its size, its candles, its colors."""

import re
from dataclasses import replace

import pytest

from ia.faculties.pictures import terminal
from ia.faculties.pictures.chart import Chart, ChartLine, ChartPane, TradeMarker, Voice, moving_average
from ia.faculties.pictures.scale import format_price
from ia.kernel.text_width import display_width
from ia.organs.ohlcv.canonical import Bars
from support.charts import made


@pytest.mark.parametrize(("width", "height"), [(80, 24), (30, 10), (200, 60), (5, 2)])
@pytest.mark.parametrize("count", [1, 3, 68, 2000])
def test_the_terminal_picture_has_the_size_of_the_terminal(width, height, count):
    bars = made(count)
    chart = Chart(
        bars, title="600519.SH 贵州茅台股份有限公司", overlays=(ChartLine("MA5", moving_average(bars.close, 5)),),
        panes=(ChartPane("rsi", (ChartLine("rsi", [50.0] * count),), (30.0, 70.0), (0.0, 100.0)),),
        marks=(TradeMarker(bars.date[-1], "buy", "买 100 @ 1"),),
    )  # fmt: skip
    for form in (
        terminal.TerminalForm(width, height),
        terminal.TerminalForm(width, height, color=True),
        terminal.TerminalForm(width, height, ascii=True),
    ):
        lines = terminal.draw_chart(chart, form).split("\n")
        plain = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in lines]
        assert len(lines) - 1 == max(height, terminal.MIN_HEIGHT)
        assert max(map(display_width, plain)) <= max(width, terminal.MIN_WIDTH)
        assert form.color or plain == lines
        assert not form.ascii or "\n".join(lines).isascii()


def test_labels_of_an_axis_are_whole_and_fit_in_any_language():
    bars = made(60, 1.2)._replace(volume=[123_456_789_000_000] * 60)
    for lang, unit in (("en", "tn"), ("zh", "万亿")):
        chart = Chart(bars, voice=Voice(lang), panes=(ChartPane("p", (ChartLine("x", [1e15] * 60),)),))
        drawn_ = terminal.draw_chart(chart, terminal.TerminalForm(80, 30))
        assert max(map(display_width, drawn_.split("\n"))) == 80
        assert f"┤123{unit}\n" in drawn_
    cheap = terminal.draw_chart(Chart(made(60, 0.0125, 0.1)), terminal.TerminalForm(40, 30))
    told = [line.partition("┤")[2] for line in cheap.split("\n") if "┤0.0" in line]
    assert len({len(each) for each in told}) <= 2, told  # the last price may have its own length


def test_a_terminal_candle_has_its_rows():
    bars = Bars(["2024-01-02", "2024-01-03"], [1.0, 3.0], [3.0, 4.0], [1.0, 1.0], [3.0, 1.0], [1, 1])
    text = terminal.draw_chart(Chart(bars, volume=False), terminal.TerminalForm(30, 12))
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
        line = terminal.draw_chart(Chart(bars, up=up), terminal.TerminalForm(40, 14, color=True)).split("\n")[5]
        assert line.lstrip().startswith(f"\x1b[0;{rise}m███")
        assert f"\x1b[0;{fall}m███" in line


@pytest.mark.parametrize("count", [2, 5, 17, 30, 41, 60, 71, 72, 73, 100, 145])
def test_bars_fill_the_line_however_few_they_are(count):
    lines = terminal.draw_chart(Chart(made(count)), terminal.TerminalForm(80, 24)).split("\n")
    axis = next(line.index("┤") for line in lines if "┤" in line)
    volume = lines[-4]  # the row on the ground
    assert axis - len(volume[:axis].rstrip()) <= max(axis // (2 * count), 1)
    assert len(volume) - len(volume.lstrip()) <= max(axis // (2 * count), 1)


def test_without_color_lines_are_told_apart_by_their_dashes():
    bars = made(60)
    high, low = max(bars.high), min(bars.low)
    chart = Chart(bars, overlays=(ChartLine("A", [high] * 60), ChartLine("B", [low] * 60)))
    lines = terminal.draw_chart(chart, terminal.TerminalForm(80, 24)).split("\n")
    assert lines[1].split("  ")[:1] == [f"⠤⠤⠤⠤⠤⠤ A {format_price(high)}"]
    assert f"⠤ ⠤ ⠤ B {format_price(low)}" in lines[1]
    plain = terminal.draw_chart(chart, terminal.TerminalForm(80, 24, ascii=True)).split("\n")
    assert plain[1] == f"* A {format_price(high)}  + B {format_price(low)}"
    assert [sum(line.count(sign) > 20 for line in plain[2:-2]) for sign in "*+"] == [1, 1]


def test_a_pane_is_named_in_any_language():
    chart = Chart(made(60), panes=(ChartPane("强弱", (ChartLine("x", [50.0] * 60),)),), voice=Voice("zh"))
    quiet = chart.bars._replace(volume=[0] * 30 + [1] * 30)
    drawn_ = terminal.draw_chart(chart, terminal.TerminalForm(80, 24))
    assert "\n强弱 " in drawn_
    assert "┤成交量\n" in terminal.draw_chart(replace(chart, panes=(), bars=quiet), terminal.TerminalForm(80, 40))
    assert max(map(display_width, drawn_.split("\n"))) <= 80
