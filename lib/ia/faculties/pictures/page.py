"""One self-contained HTML page: no network by its own policy, readable without scripts, on paper and on a phone."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from ia.faculties.pictures import candles, sheet
from ia.faculties.pictures.chart import Chart, Line, Values, Voice
from ia.faculties.pictures.scale import compact, price
from ia.faculties.pictures.svg import document, escaped, straight, style, wide
from ia.kernel import clock

MOST = 5000
"""Bars that a page carries."""
ROWS = 20


def page(title: str, body: str, lang: str, *, script: bool = False) -> str:
    """Return a page around a body of HTML. Its policy lets nothing load; script and style count by their hashes."""
    css = _file("page.css") + style()
    js = _file("chart.js") if script else ""
    scripts = f"script-src '{_hash(js)}'" if js else "script-src 'none'"
    policy = (
        f"default-src 'none'; style-src '{_hash(css)}'; {scripts}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!doctype html>\n<html lang="{"zh-CN" if lang == "zh" else "en"}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<title>{escaped(title)}</title>\n<link rel="icon" href="data:,">\n<style>{css}</style>\n</head>\n'
        f"<body>\n<main>\n{body}</main>\n{f'<script>{js}</script>' if js else ''}\n</body>\n</html>\n"
    )


def chart(whole: Chart, shown: Chart, width: int | None = None, height: int | None = None) -> str:
    """Return a page with one chart: `shown` is what it opens with, `whole` what it can pan to (the last 5,000 bars)."""
    say, lang = whole.voice.say, whole.voice.lang
    body = (
        f"<h1>{escaped(whole.title or say('Chart'))}</h1>\n{warned(whole.warning)}"
        f"{figure(whole, shown, width, height)}{last_bars(shown)}{footer(whole)}"
    )
    return page(whole.title or say("Chart"), body, lang, script=True)


def warned(warning: str) -> str:
    """Return the banner of a page whose prices are not real, or nothing."""
    return f'<p class="warn" role="note">{escaped(warning)}</p>\n' if warning else ""


def footer(chart: Chart) -> str:
    """Return what a page ends with: where its data came from, and when it was made by the clock of `ia`."""
    return f"<footer>{escaped(candles.foot(chart))} · {escaped(made(chart.voice))}</footer>\n"


def made(voice: Voice) -> str:
    """Return when a page was made by the clock of `ia`, with the zone: who reads it may be elsewhere."""
    now = clock.now()
    return voice.say("made {time} with ia", time=f"{now:%Y-%m-%d %H:%M} (UTC{now.isoformat()[-6:]})")


def figure(whole: Chart, shown: Chart, width: int | None = None, height: int | None = None) -> str:
    """Return the chart as a figure: a picture that stands by itself, and the data by which the script moves it.

    The page around it has the title and the warning already.
    """
    named = shown.title or shown.voice.say("Chart")
    spoken = candles.told(shown)
    whole, shown = (replace(chart, title="", warning="") for chart in (whole, shown))
    place = candles.layout(shown, width, height)
    stop = whole.bars.date.index(shown.bars.date[-1]) + 1
    whole = whole.cut(max(0, stop - MOST), stop)
    first = whole.bars.date.index(shown.bars.date[0]) if shown.bars.date[0] >= whole.bars.date[0] else 0
    data = _data(whole, first, place)
    picture = document(place.width, place.height, named, spoken, candles.drawing(shown, place))
    return (
        f'<figure class="chart">\n<div class="controls"></div>\n<output aria-live="polite"></output>\n{picture}'
        f'<script type="application/json">{json_text(data)}</script>\n</figure>\n'
    )


def json_text(data: object) -> str:
    """Return JSON that no HTML parser takes for markup."""
    text = straight(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(whole: Chart, first: int, place: candles.Layout) -> dict[str, object]:
    say, bars = whole.voice.say, whole.bars
    words = {
        "volume": say("Volume"), "chart": say("Chart"), "o": say("Open"), "h": say("High"), "l": say("Low"),
        "c": say("Close"), "in": say("Zoom in"), "out": say("Zoom out"), "back": say("Earlier"), "on": say("Later"),
        "last": say("Last"), "range": _range(whole),
        "shared": say("{count} bars a candle", count="{count}"),
        "keys": say("wheel, + and - zoom · drag and arrows move · 0 goes back"),
    }  # fmt: skip
    count = len(bars.date)
    spans = [(say(name), size) for name, size in _spans(bars.date) if size < count] + [(say("all"), count)]

    def lines(many: Sequence[Line], digits: int) -> list[dict[str, object]]:
        return [{"n": line.label, "v": _round(line.values, digits), "f": line.form} for line in many]

    return {
        "id": "", "title": whole.title, "source": whole.source, "warning": whole.warning, "lang": whole.voice.lang,
        "d": bars.date, "v": bars.volume,
        **{key: _round(column, 8) for key, column in zip("ohlc", bars[1:5], strict=True)},
        "from": first, "to": count, "log": whole.log, "up": whole.up, "over": lines(whole.overlays, 7),
        "panes": [
            {"t": pane.title, "levels": pane.levels, "fixed": pane.fixed, "lines": lines(pane.lines, 6)}
            for pane in whole.panes
        ],
        "marks": [
            (at, mark.side, mark.text)
            for at, mark in zip(whole.placed([mark.date for mark in whole.marks]), whole.marks, strict=True)
        ],
        "events": [
            (at, event.sign, event.text)
            for at, event in zip(whole.placed([event.date for event in whole.events]), whole.events, strict=True)
        ],
        "place": {
            "w": place.width, "h": place.height, "side": _side(whole, place),
            "strips": [(strip.kind, strip.top, strip.height) for strip in place.strips],
        },
        "words": words, "spans": spans,
    }  # fmt: skip


def _range(whole: Chart) -> str:
    """Return the words for how many bars are shown, with places for what the script knows."""
    if len(whole.bars.date) == 1:
        return candles.range_of(whole)
    return whole.voice.say("{count} bars {first} to {last}", count="{count}", first="{first}", last="{last}")


def _side(whole: Chart, place: candles.Layout) -> float:
    """Return the room of the labels beside the strips, wide enough for every price of the whole."""
    widest = max(wide(price(x), 11) for x in (max(whole.bars.high) * 1.1, min(whole.bars.low)))
    return max(place.width - place.right, round(widest + 14))


def _spans(dates: list[str]) -> list[tuple[str, int]]:
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


def _round(values: Iterable[float | None], digits: int) -> Values:
    """Return values to so many digits: more is not seen, and a page is read on a phone."""
    return [None if value is None else float(f"{value:.{digits}g}") for value in values]


def last_bars(chart: Chart, rows: int = ROWS) -> str:
    """Return the newest bars as a table, newest first."""
    say, bars = chart.voice.say, chart.bars
    shown: list[list[sheet.Cell | str]] = []
    for i in range(len(bars.date) - 1, max(len(bars.date) - 1 - rows, -1), -1):
        change = bars.close[i] / bars.close[i - 1] * 100 - 100 if i else None
        shown.append([
            bars.date[i].replace("T", " "), price(bars.open[i]), price(bars.high[i]), price(bars.low[i]),
            price(bars.close[i]), sheet.percent(change, chart.up), compact(bars.volume[i], chart.voice.lang),
        ])  # fmt: skip
    heads = [say(name) for name in ("Date", "Open", "High", "Low", "Close", "Change", "Volume")]
    title = escaped(say("The last {count} bars", count=len(shown)))
    return f"<details open><summary>{title}</summary>\n{sheet.table(heads, shown)}</details>\n"


def _file(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _hash(text: str) -> str:
    import base64
    import hashlib

    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
