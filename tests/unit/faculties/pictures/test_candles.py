"""The chart of candles: its geometry to the pixel, marks and colors, indicators, and the file it goes into."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from ia.faculties.pictures import candles, chart_page, chart_source, saving, svg, terminal
from ia.faculties.pictures.chart import Chart, ChartEvent, ChartLine, ChartPane, TradeMarker, moving_average, up_color
from ia.faculties.pictures.chart_indicators import PlotLimits, compute_indicators, split_expressions
from ia.kernel.errors import BadData, NotFound, UsageError
from ia.kernel.i18n import Voice
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from support.charts import coordinates, d, days, made, parsed


def test_a_candle_stands_at_its_prices_to_the_pixel():
    bars = Bars(["2024-01-02", "2024-01-03"], [10.0, 12.0], [13.0, 12.5], [9.0, 8.0], [12.0, 9.0], [100, 50])
    chart = Chart(bars)
    place = candles.compute_layout(chart, 960, 500)
    strip = place.strips[0]
    axis = candles.value_axis(chart, strip)
    text = candles.render_svg(chart, 960, 500)
    for kind, index, body in (("red", 0, (12.0, 10.0)), ("green", 1, (12.0, 9.0))):
        x, top, width, bottom = map(
            float, re.fullmatch(r"M([\d.]+) ([\d.]+)h([\d.]+)V([\d.]+)h-[\d.]+z", d(text, kind)[0]).groups()
        )
        assert x + width / 2 == pytest.approx(place.bar_x(index, 2), abs=0.1)
        assert (top, bottom) == pytest.approx((axis.position_of(body[0]), axis.position_of(body[1])), abs=0.06)
        x, high, low = map(float, re.fullmatch(r"M([\d.]+) ([\d.]+)V([\d.]+)", d(text, f"wick w-{kind}")[0]).groups())
        assert (high, low) == pytest.approx(
            (axis.position_of(bars.high[index]), axis.position_of(bars.low[index])), abs=0.06
        )
    # by hand: 8 to 13 with 6 % of air at each end, over the strip's height
    assert axis.position_of(10.0) == pytest.approx(strip.bottom - (10.0 - 7.7) / 5.6 * strip.height)


@pytest.mark.parametrize("count", [1, 2, 10, 250, 5000])
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("panes", [0, 3])
def test_everything_drawn_lies_inside_the_paper_and_its_strip(count, log, panes):
    bars = made(count)
    lines = tuple(
        ChartPane(
            f"p{k}", (ChartLine("a", [float(i % 9) for i in range(count)], "columns"), ChartLine("b", bars.close))
        )
        for k in range(panes)
    )
    chart = Chart(bars, title="x", overlays=(ChartLine("MA5", moving_average(bars.close, 5)),), panes=lines, log=log)
    place = candles.compute_layout(chart)
    text = candles.render_svg(chart)
    root = parsed(text)
    assert root.get("viewBox") == f"0 0 {svg.svg_num(place.width)} {svg.svg_num(place.height)}"
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


@pytest.mark.parametrize("value", [1e-7, 0.01, 7.0, 1e9])
def test_a_constant_price_of_any_size_is_drawn(value):
    bars = Bars(days(30), *([value] * 30 for _ in range(4)), [0] * 30)
    for log in (False, True):
        text = candles.render_svg(Chart(bars, log=log))
        parsed(text)
        assert "nan" not in text.lower()
        assert "inf" not in re.sub("[^ ]*info[^ ]*", "", text.lower())
    assert terminal.draw_chart(Chart(bars), terminal.TerminalForm()).count("\n") == 24


def test_a_gap_in_a_line_stays_a_gap():
    bars = made(6)
    values = [1.0, 2.0, None, 3.0, None, 4.0]
    text = candles.render_svg(Chart(bars, panes=(ChartPane("p", (ChartLine("x", values),)),)))
    assert [data.count("M") for data in d(text, "line l0")] == [3]


def test_the_same_chart_gives_the_same_bytes():
    chart = Chart(made(300), title="x", marks=(TradeMarker("2024-03-01", "buy", "100 @ 1"),))
    assert candles.render_svg(chart) == candles.render_svg(chart)
    assert chart_page.render_figure(chart, chart.cut_bars(50)) == chart_page.render_figure(chart, chart.cut_bars(50))


def test_a_rise_is_red_in_china_and_green_in_america():
    assert [up_color(market, "en") for market in ("CN", "HK", "US", "")] == ["red", "red", "green", "green"]
    assert up_color("", "zh") == "red"
    bars = Bars(["2024-01-02"], [10.0], [12.0], [9.0], [11.0], [5])
    assert d(candles.render_svg(Chart(bars, up="green")), "green")
    assert not d(candles.render_svg(Chart(bars, up="green")), "red")


def test_trades_and_corporate_actions_are_marked_at_their_bars():
    bars = made(100)
    chart = Chart(
        bars, marks=(TradeMarker(bars.date[20], "buy", "buy 100 @ 99.5"), TradeMarker(bars.date[80], "sell", "sell 100 @ 103")),
        events=(ChartEvent(bars.date[50], "D", "cash dividend of 1.2 per share"),),
    )  # fmt: skip
    root = parsed(candles.render_svg(chart))
    place = candles.compute_layout(chart)
    axis = candles.value_axis(chart, place.strips[0])
    found = {g.get("data-side"): g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "trade"}
    for side, at, price_ in (("buy", 20, bars.low[20]), ("sell", 80, bars.high[80])):
        x, y = next(coordinates(found[side][2].get("d")))
        assert x == pytest.approx(place.bar_x(at, 100), abs=0.1)
        assert (y > axis.position_of(price_) + 2) if side == "buy" else (y < axis.position_of(price_) - 2)
        assert bars.date[at] in found[side][0].text
    texts = "".join(root.itertext())
    assert all(words in texts for words in ("buy 100 @ 99.5", "sell 100 @ 103", "cash dividend of 1.2 per share"))


def test_a_suspension_is_marked_and_a_holiday_is_not():
    bars = made(60)
    for first, last, told in ((20, 28, 0), (20, 41, 1)):
        cut = Bars(*([*column[:first], *column[last:]] for column in bars))
        chart = chart_source.build_chart(chart_source.ChartOrigin(bars=cut), Voice())
        assert [(event.date, event.sign) for event in chart.events] == [(bars.date[last], "…")] * told
    assert chart.events[0].text == "no bars for the 31 days before"
    weekly = Bars(*(column[::5] for column in bars))
    assert not chart_source.build_chart(chart_source.ChartOrigin(bars=weekly), Voice()).events


def test_every_trade_has_words_or_a_number_with_a_place_in_the_legend():
    bars = made(250)
    for every, width, numbered in ((60, 1500, False), (6, 1500, True), (6, 400, True)):
        marks = tuple(TradeMarker(bars.date[i], "buy", f"buy {i} @ 1") for i in range(0, 250, every))
        root = parsed(candles.render_svg(Chart(bars, marks=marks), width))
        texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        for k, mark in enumerate(marks, 1):
            assert f"{k} ▲ {mark.date} {mark.text}" in texts if numbered else mark.text in texts


def test_corporate_actions_are_told_in_words():
    bars = made(40)
    day = bars.date[20]
    actions = (Action(day, cash=1.5, bonus=0.3), Action("2030-01-01", cash=9), Action(bars.date[30], split=10.0))
    chart = chart_source.build_chart(
        chart_source.ChartOrigin(bars=bars, symbol="600519.SH", name="", market="CN", actions=actions), Voice()
    )
    assert [(e.date, e.sign, e.text) for e in chart.events] == [
        (day, "S", "cash dividend of 1.50 per share; 0.3 new shares per share"), (bars.date[30], "S", "split 1 to 10.00"),
    ]  # fmt: skip


def test_a_comma_list_is_split_outside_of_brackets():
    assert split_expressions("rsi, macd(close, 5, 10) ,x['a,b']") == ["rsi", "macd(close, 5, 10)", "x['a,b']"]
    assert split_expressions(" ,, ") == []


def test_indicators_are_those_of_compute():
    bars = made(60)
    over, below = compute_indicators(bars, ["sma(close, 3)", "rsi(close)"], ["macd", "close * 0 + 5"], PlotLimits())
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


@pytest.mark.process
def test_what_is_no_series_is_refused():
    for source_, error in (("'text'", BadData), ("close >", BadData), ("nosuch(close)", BadData)):
        with pytest.raises(error):
            compute_indicators(made(20), [source_], [], PlotLimits())
    with pytest.raises(NotFound):
        compute_indicators(made(20), [], ["rsy"], PlotLimits())
    with pytest.raises(UsageError):
        compute_indicators(made(20), [], ["crossover"], PlotLimits())


def test_a_picture_is_saved_whole_and_keeps_the_files_mode(tmp_path):
    (tmp_path / "drawn").mkdir()
    path = tmp_path / "drawn" / "x.svg"
    saving.save_picture(str(path), b"one")
    path.chmod(0o640)
    saving.save_picture(str(path), b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o640)
    assert [each.name for each in path.parent.iterdir()] == ["x.svg"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.svg").write_bytes(b"old")
    (tmp_path / "link.svg").symlink_to("real.svg")
    saving.save_picture(str(tmp_path / "link.svg"), b"new")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_bytes() == b"new"


def test_places_that_are_no_file(tmp_path):
    with pytest.raises(NotFound):
        saving.save_picture(str(tmp_path / "none" / "x.svg"), b"")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(BadData):
        saving.save_picture(str(tmp_path / "folder.svg"), b"")
    for name in ("x", "x.gif", "-", ".svg"):
        with pytest.raises(UsageError):
            saving.file_format(name)
    assert [saving.file_format(name) for name in ("a.SVG", "a.b.png", "a.htm")] == ["svg", "png", "html"]


def test_png_has_the_size_that_was_asked_for():
    png = pytest.importorskip("ia.faculties.pictures.png")
    pytest.importorskip("resvg_py")
    chart = Chart(made(60), title="A")
    try:
        data = png.render_chart_png(chart, 800, 600)
    except Exception as exc:
        if "font" in str(exc):
            pytest.skip("no font is installed here")
        raise
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (800, 600)
    small = png.render_chart_png(chart, 400, 300)
    assert (int.from_bytes(small[16:20]), int.from_bytes(small[20:24])) == (400, 300)


def test_without_a_chinese_font_a_png_says_so_and_uses_codes(monkeypatch):
    png = pytest.importorskip("ia.faculties.pictures.png")
    pytest.importorskip("resvg_py")
    drawn_ = []
    monkeypatch.setattr(png, "_has_glyphs", lambda one, _: one == "0")  # fonts of a machine that has no Chinese one
    monkeypatch.setattr(png, "rasterize_svg", lambda text, zoom=2.0: drawn_.append(text) or b"")
    told = []
    chart = replace(
        Chart(made(60)), title="600519.SH 贵州茅台", source="来源 demo", source_en="source demo", voice=Voice(lang="zh")
    )
    png.render_chart_png(chart, None, None, told.append)
    assert [message.template[:26] for message in told] == ["no Chinese font is install"]
    assert "600519.SH</text>" in drawn_[0]
    assert "source demo" in drawn_[0]
    assert not re.search("[\u4e00-\u9fff]", re.sub("<style>.*?</style>", "", drawn_[0]))
