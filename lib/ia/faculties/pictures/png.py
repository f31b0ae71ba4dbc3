"""SVG to PNG with resvg, which comes with the extra `pictures`. What its fonts cannot write is said, never guessed."""

import re
from dataclasses import replace

from ia.faculties.pictures import candles
from ia.faculties.pictures.chart import ENGLISH, Chart, ChartLine
from ia.kernel.errors import ConfigError, Message, Notify, drop_message
from ia.kernel.extras import load_extra

ZOOM = 2.0
"""Pixels of the file for one of the drawing: sharp on the screens of today."""
_CHINESE = re.compile("[⺀-鿿豈-﫿＀-￯𠀀-𯿿]")


def render_chart_png(chart: Chart, width: int | None, height: int | None, notify: Notify = drop_message) -> bytes:
    """Return a chart as PNG. `width` and `height` are pixels of the file, at least 320 x 240.

    raises  ConfigError where the extra is not installed, or there is no font at all.
    """
    small = (width or 9999) < ZOOM * candles.MIN_WIDTH or (height or 9999) < ZOOM * candles.MIN_HEIGHT
    zoom = 1.0 if small else ZOOM
    w, h = (size and round(size / zoom) for size in (width, height))
    text = given = candles.render_svg(chart, w, h, night=False)
    if _CHINESE.search(text):
        if _has_glyphs("茅", "宁"):
            return rasterize_svg(text, zoom)
        text = candles.render_svg(_latinize_chart(chart), w, h, night=False)
    if not _has_glyphs("0", "1"):
        raise ConfigError(
            "no font is installed; a PNG would have no text",
            hint="install one (`apt install fonts-dejavu-core`), or draw SVG or HTML",
        )
    if text is not given:
        notify(Message("no Chinese font is installed; ia labels the picture in English, with codes instead of names"))
    return rasterize_svg(text, zoom)


def rasterize_svg(svg: str, zoom: float = ZOOM) -> bytes:
    """Return an SVG as PNG; one SVG gives the same bytes on the same fonts. Raises ConfigError without the extra."""
    resvg = load_extra("pictures", "resvg_py")
    width, height = (round(float(size) * zoom) for size in re.findall(r' (?:width|height)="([0-9.]+)"', svg)[:2])
    return bytes(resvg.svg_to_bytes(svg_string=svg, width=width, height=height))


def _has_glyphs(one: str, other: str) -> bool:
    """Tell whether the fonts here have both characters: a missing glyph looks like any other missing glyph."""
    page = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24">'
        '<text x="2" y="18" font-size="16">{}</text></svg>'
    )
    return rasterize_svg(page.format(one), 1) != rasterize_svg(page.format(other), 1)


def _latinize_chart(chart: Chart) -> Chart:
    """Return the chart without a Chinese character: English words, and of a title what is left of it."""

    def drop_chinese(text: str) -> str:
        return " ".join(_CHINESE.sub(" ", text).split())

    def latinize_lines(many: tuple[ChartLine, ...]) -> tuple[ChartLine, ...]:
        return tuple(line._replace(label=drop_chinese(line.label)) for line in many)

    return replace(
        chart,
        title=drop_chinese(chart.title),
        voice=ENGLISH,
        source=chart.source_en,
        warning="simulated prices" if chart.warning else "",
        overlays=latinize_lines(chart.overlays),
        panes=tuple(
            pane._replace(title=drop_chinese(pane.title), lines=latinize_lines(pane.lines)) for pane in chart.panes
        ),
        unit=drop_chinese(chart.unit),
        levels=tuple(level._replace(label=drop_chinese(level.label)) for level in chart.levels),
        marks=tuple(mark._replace(text=drop_chinese(mark.text)) for mark in chart.marks),
        events=tuple(event._replace(text=drop_chinese(event.text)) for event in chart.events),
    )
