"""One self-contained HTML page: no network by its own policy, readable without scripts, on paper and on a phone."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from ia.faculties.pictures import candles, report_parts
from ia.faculties.pictures.chart import Chart, ChartLine, Values
from ia.faculties.pictures.scale import format_compact, format_price
from ia.faculties.pictures.svg import escape_xml, picture_css, strip_bidi, svg_document, text_width
from ia.faculties.pictures.trade_labels import describe_trade
from ia.kernel import clock
from ia.kernel.errors import PluralText
from ia.kernel.i18n import Voice

MOST = 5000
"""Bars that a page carries."""
ROWS = 20
CHART_SCRIPT = "chart.js"


def render_page(title: str, body: str, lang: str, *, script: str = "") -> str:
    """Return a page around a body of HTML. Its policy lets nothing load; script and style count by their hashes.

    script  the file beside this one that the page runs, "" for none
    """
    css = _read_asset("page.css") + picture_css()
    js = _read_asset(script) if script else ""
    scripts = f"script-src '{_csp_hash(js)}'" if js else "script-src 'none'"
    policy = (
        f"default-src 'none'; style-src '{_csp_hash(css)}'; {scripts}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!doctype html>\n<html lang="{"zh-CN" if lang == "zh" else "en"}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<title>{escape_xml(title)}</title>\n<link rel="icon" href="data:,">\n<style>{css}</style>\n</head>\n'
        f"<body>\n<main>\n{body}</main>\n{f'<script>{js}</script>' if js else ''}\n</body>\n</html>\n"
    )


def render_chart_page(whole: Chart, shown: Chart, width: int | None = None, height: int | None = None) -> str:
    """Return a page with one chart: `shown` is what it opens with, `whole` what it can pan to (the last 5,000 bars)."""
    say, lang = whole.voice, whole.voice.lang
    body = (
        f"<h1>{escape_xml(whole.title or say('Chart'))}</h1>\n{warning_banner(whole.warning)}"
        f"{render_figure(whole, shown, width, height)}{last_bars_table(shown)}{render_footer(whole)}"
    )
    return render_page(whole.title or say("Chart"), body, lang, script=CHART_SCRIPT)


def warning_banner(warning: str) -> str:
    """Return the banner of a page whose prices are not real, or nothing."""
    return f'<p class="warn" role="note">{escape_xml(warning)}</p>\n' if warning else ""


def render_footer(chart: Chart) -> str:
    """Return what a page ends with: where its data came from, and when it was made by the clock of `ia`."""
    source, created = candles.describe_source(chart), describe_creation(chart.voice)
    return f"<footer>{escape_xml(source)} · {escape_xml(created)}</footer>\n"


def describe_creation(voice: Voice) -> str:
    """Return when a page was made by the clock of `ia`, with the zone: who reads it may be elsewhere."""
    now = clock.now()
    return voice("created {time} by ia", time=f"{now:%Y-%m-%d %H:%M} (UTC{now.isoformat()[-6:]})")


def render_figure(whole: Chart, shown: Chart, width: int | None = None, height: int | None = None) -> str:
    """Return the chart as a figure: a picture that stands by itself, and the data by which the script moves it.

    The page around it has the title and the warning already.
    """
    named = shown.title or shown.voice("Chart")
    spoken = candles.describe_chart(shown)
    whole, shown = (replace(chart, title="", warning="") for chart in (whole, shown))
    place = candles.compute_layout(shown, width, height, legend=False)
    if whole.events and not shown.events:  # room for what panning brings
        place = place._replace(foot=place.foot + candles.ROW, height=place.height + candles.ROW)
    stop = whole.bars.date.index(shown.bars.date[-1]) + 1
    whole = whole.cut_bars(max(0, stop - MOST), stop)
    first = whole.bars.date.index(shown.bars.date[0]) if shown.bars.date[0] >= whole.bars.date[0] else 0
    data = _chart_data(whole, first, place)
    picture = svg_document(place.width, place.height, named, spoken, candles.draw_chart(shown, place))
    return (
        f'<figure class="chart">\n<div class="controls"></div>\n<output aria-live="polite"></output>\n{picture}'
        f'<script type="application/json">{encode_json(data)}</script>\n{_trade_list(whole)}</figure>\n'
    )


def _trade_list(whole: Chart) -> str:
    """Return the trades with the numbers by which the picture names them, newest first."""
    if not whole.marks:
        return ""
    rows = [escape_xml(describe_trade(whole, i)) for i in range(len(whole.marks) - 1, -1, -1)]
    head = escape_xml(whole.voice("Trades in the chart ({count})", count=len(rows)))
    body = "".join(f"<li>{row}</li>" for row in rows)
    opened = " open" if len(rows) <= ROWS else ""
    return f'<details class="marks"{opened}><summary>{head}</summary><ul>{body}</ul></details>\n'


def encode_json(data: object) -> str:
    """Return JSON that no HTML parser takes for markup."""
    text = strip_bidi(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _chart_data(whole: Chart, first: int, place: candles.ChartLayout) -> dict[str, object]:
    say, bars = whole.voice, whole.bars
    words: dict[str, object] = {
        "volume": say("Volume"),
        "chart": say("Chart"),
        "o": say("Open"),
        "h": say("High"),
        "l": say("Low"),
        "c": say("Close"),
        "in": say("Zoom in"),
        "out": say("Zoom out"),
        "back": say("Earlier"),
        "on": say("Later"),
        "last": say("Last"),
        "range": _range_template(whole),
        "shared": say("{count} bars per column", count="{count}"),
        "signs": candles.sign_words(whole),
        "keys": say("wheel, + and -: zoom · drag, arrow keys: move · 0: reset"),
    }
    count = len(bars.date)
    spans = [(say(name), size) for name, size in _zoom_spans(bars.date) if size < count] + [(say("all"), count)]

    def line_data(many: Sequence[ChartLine], digits: int) -> list[dict[str, object]]:
        return [{"n": line.label, "v": _round_values(line.values, digits), "f": line.form} for line in many]

    return {
        "id": "",
        "title": whole.title,
        "source": whole.source,
        "warning": whole.warning,
        "lang": whole.voice.lang,
        "d": bars.date,
        "v": bars.volume,
        **{key: _round_values(column, 8) for key, column in zip("ohlc", bars[1:5], strict=True)},
        "from": first,
        "to": count,
        "log": whole.log,
        "candles": whole.candles,
        "unit": whole.unit,
        "levels": [(level.price, level.label) for level in whole.levels],
        "first": whole.first_mark,
        "up": whole.up,
        "over": line_data(whole.overlays, 7),
        "panes": [
            {"t": pane.title, "levels": pane.levels, "fixed": pane.fixed, "lines": line_data(pane.lines, 6)}
            for pane in whole.panes
        ],
        "marks": [
            (at, mark.side, mark.text, mark.date)
            for at, mark in zip(whole.bar_indexes([mark.date for mark in whole.marks]), whole.marks, strict=True)
        ],
        "events": [
            (at, event.sign, event.text)
            for at, event in zip(whole.bar_indexes([event.date for event in whole.events]), whole.events, strict=True)
        ],
        "place": {
            "w": place.width,
            "h": place.height,
            "foot": place.foot,
            "side": _label_room(whole, place),
            "strips": [(strip.kind, strip.top, strip.height) for strip in place.strips],
        },
        "words": words,
        "spans": spans,
    }


def _range_template(whole: Chart) -> str:
    """Return the words for how many bars are shown, with places for what the script knows."""
    if len(whole.bars.date) == 1:
        return candles.describe_range(whole)
    return whole.voice(
        PluralText("{count} bar {first} to {last}", "{count} bars {first} to {last}"),
        count="{count}",
        first="{first}",
        last="{last}",
    )


def _label_room(whole: Chart, place: candles.ChartLayout) -> float:
    """Return the room of the labels beside the strips, wide enough for every price of the whole."""
    widest = max(text_width(format_price(x), 11) for x in (max(whole.bars.high) * 1.1, min(whole.bars.low)))
    return max(place.width - place.right, round(widest + 14))


def _zoom_spans(dates: list[str]) -> list[tuple[str, int]]:
    """Return what the buttons show: a length and its bars, from how many bars a year has here."""
    year = 252
    if len(dates) > 30:
        first, last = (date.fromisoformat(day[:10]) for day in (dates[0], dates[-1]))
        days = (last - first).days or 1
        year = max(round((len(dates) - 1) * 365.25 / days), 1)
    return (
        [("3 m", year // 4), ("1 y", year), ("3 y", 3 * year)]
        if year >= 40
        else [("3 y", 3 * year), ("10 y", 10 * year)]
    )


def _round_values(values: Iterable[float | None], digits: int) -> Values:
    """Return values to so many digits: more is not seen, and a page is read on a phone."""
    return [None if value is None else float(f"{value:.{digits}g}") for value in values]


def last_bars_table(chart: Chart, rows: int = ROWS) -> str:
    """Return the newest bars as a table, newest first."""
    say, bars = chart.voice, chart.bars
    if not chart.candles:
        return _last_values_table(chart, rows)
    shown: list[list[report_parts.SheetCell | str]] = []
    for i in range(len(bars.date) - 1, max(len(bars.date) - 1 - rows, -1), -1):
        change = bars.close[i] / bars.close[i - 1] * 100 - 100 if i else None
        shown.append(
            [
                bars.date[i].replace("T", " "),
                format_price(bars.open[i]),
                format_price(bars.high[i]),
                format_price(bars.low[i]),
                format_price(bars.close[i]),
                report_parts.percent_cell(change, chart.up),
                format_compact(bars.volume[i], chart.voice.lang),
            ]
        )
    heads = [say(name) for name in ("Date", "Open", "High", "Low", "Close", "Change", "Volume")]
    title = escape_xml(say("Last {count} bars", count=len(shown)))
    return f"<details open><summary>{title}</summary>\n{report_parts.render_table(heads, shown)}</details>\n"


def _last_values_table(chart: Chart, rows: int) -> str:
    """Return the newest values of the lines as a table, newest first."""
    newest = range(len(chart.bars.date) - 1, max(len(chart.bars.date) - 1 - rows, -1), -1)
    shown: list[list[report_parts.SheetCell | str]] = [
        [chart.bars.date[i], *(report_parts.format_known_price(line.values[i]) for line in chart.overlays)]
        for i in newest
    ]
    title = escape_xml(chart.voice("Last {count} days ({unit})", count=len(shown), unit=chart.unit))
    table = report_parts.render_table([chart.voice("Date"), *(line.label for line in chart.overlays)], shown)
    return f"<details open><summary>{title}</summary>\n{table}</details>\n"


def _read_asset(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _csp_hash(text: str) -> str:
    import base64
    import hashlib

    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
