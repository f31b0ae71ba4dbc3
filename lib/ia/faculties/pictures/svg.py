"""SVG as text: elements with escaped contents, numbers of one decimal, and the colors of day and night."""

import re
import unicodedata
from collections.abc import Iterable

FONTS = (
    "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', 'PingFang SC',"
    " 'Hiragino Sans GB', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC',"
    " 'Source Han Sans SC', 'WenQuanYi Micro Hei', sans-serif"
)
"""Latin letters first, then Chinese ones of each system: a renderer takes a glyph from the first that has it."""

LINES = ("#2f74e0", "#e8930c", "#9a4fd6", "#0d9a9a", "#d6488f", "#6b7c1f")
NIGHT_LINES = ("#5b9dff", "#ffb340", "#c287ff", "#3cc9c9", "#ff7ab5", "#b7cc4a")
DAY = {
    "paper": "#ffffff", "ink": "#1b2330", "soft": "#6a7484", "grid": "#e9ecf1", "frame": "#d5dae2",
    "red": "#d83a45", "green": "#12936b", "blue": "#2166c2", "orange": "#e08214", "band": "#f5f7fa", "mark": "#1b2330",
    "warn": "#9a5b00", "warnpaper": "#fff3d6",
}  # fmt: skip
NIGHT = {
    "paper": "#12161d", "ink": "#e4e8ee", "soft": "#919cad", "grid": "#222935", "frame": "#333c4b",
    "red": "#f2616b", "green": "#32b88a", "blue": "#5b9dff", "orange": "#ffb340", "band": "#191f29", "mark": "#e4e8ee",
    "warn": "#ffca66", "warnpaper": "#3a2d0c",
}  # fmt: skip

SIDES = ("red", "green", "blue", "orange")
"""Colors of rises and falls."""

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Signs that turn the direction of what follows: with them a name could show other words than it has."""


def escape_xml(text: object) -> str:
    """Return a text for XML and HTML, in contents and in quoted attributes; what XML cannot hold is left out.

    >>> escape_xml('<a href="x">&\\x00')
    '&lt;a href=&quot;x&quot;&gt;&amp;'
    """
    text = strip_bidi(_FORBIDDEN.sub("", str(text)))
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(char, entity)
    return text


def strip_bidi(text: str) -> str:
    """Return a text without the signs that turn its direction."""
    return _TURNING.sub("", text)


def svg_num(value: float) -> str:
    """Return a coordinate with at most one decimal.

    >>> svg_num(12.0), svg_num(3.14), svg_num(-0.04)
    ('12', '3.1', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def text_element(x: float, y: float, what: object, kind: str = "", anchor: str = "start") -> str:
    """Return a text element. `kind` is its classes."""
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{svg_num(x)}" y="{svg_num(y)}"{named}{side}>{escape_xml(what)}</text>'


def spans_element(x: float, y: float, parts: Iterable[tuple[str, str]], gap: int, anchor: str = "start") -> str:
    """Return (words, classes) beside each other in one text element: the renderer knows how wide they are.

    Between them are `gap` blanks; a `dx` would not count for every renderer where the text ends at x.
    """
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    blank = "\N{NO-BREAK SPACE}" * gap
    inside = blank.join(f'<tspan class="{kind}">{escape_xml(what)}</tspan>' for what, kind in parts)
    return f'<text x="{svg_num(x)}" y="{svg_num(y)}"{side}>{inside}</text>' if inside else ""


def path_element(data: str, kind: str) -> str:
    """Return a path element, or nothing where there is nothing to draw."""
    return f'<path class="{kind}" d="{data}"/>' if data else ""


def rect_element(x: float, y: float, width: float, height: float, kind: str, more: str = "") -> str:
    """Return a rectangle."""
    return (
        f'<rect x="{svg_num(x)}" y="{svg_num(y)}" width="{svg_num(max(width, 0))}" height="{svg_num(max(height, 0))}"'
        f' class="{kind}"{more}/>'
    )


def text_width(text: str, size: float) -> float:
    """Return about how many pixels a text takes: half of its size a letter, all of it a Chinese character."""
    return sum(size if unicodedata.east_asian_width(c) in "WF" else size * 0.55 for c in text)


def fit_text(text: str, size: float, room: float) -> str:
    """Return as much of a text as fits into `room` pixels."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(text, size) + size > room:
        text = text[:-1]
    return text.rstrip() + "…" if text else ""


def _css_rules(colors: dict[str, str], lines: tuple[str, ...], scope: str) -> str:
    c = colors
    rules = {
        ".paper": f"fill:{c['paper']}",
        "text": f"fill:{c['ink']}",
        ".soft": f"fill:{c['soft']}",
        ".grid": f"stroke:{c['grid']}",
        ".frame": f"stroke:{c['frame']}",
        ".level": f"stroke:{c['soft']}",
        **{f".{name}": f"fill:{c[name]}" for name in SIDES},
        **{f".w-{name}": f"stroke:{c[name]}" for name in SIDES},
        ".last": f"stroke:{c['soft']}",
        ".leader": f"stroke:{c['soft']}",
        ".own-level": f"stroke:{c['mark']}",
        ".mark": f"fill:{c['mark']};stroke:{c['paper']}",
        ".label": f"stroke:{c['paper']}",
        ".tag": f"fill:{c['soft']}",
        "text.on": f"fill:{c['paper']}",
        ".chip": f"fill:{c['band']}",
        ".warn": f"fill:{c['warn']}",
        ".warnpaper": f"fill:{c['warnpaper']}",
        ".cross": f"stroke:{c['soft']}",
        **{f".l{i}": f"stroke:{color}" for i, color in enumerate(lines)},
        **{f".t{i}": f"fill:{color}" for i, color in enumerate(lines)},
        **{f".a{i}": f"fill:{color}" for i, color in enumerate(lines)},
    }
    return "".join(f"{scope}{selector}{{{rule}}}" for selector, rule in rules.items())


def picture_css(scope: str = ".ia-picture", *, night: bool | None = None) -> str:
    """Return the rules of a picture's classes. Without `night` it follows the reader's system, else it is fixed.

    Only what every renderer knows: classes and literal colors.
    """
    scope = f"{scope} "
    form = {
        "text": f"font-family:{FONTS};font-size:11px",
        ".title": "font-size:17px;font-weight:600",
        ".big": "font-size:17px;font-weight:600",
        ".small": "font-size:10px",
        ".grid": "stroke-width:1;fill:none;shape-rendering:crispEdges",
        ".frame": "stroke-width:1;fill:none;shape-rendering:crispEdges",
        ".level": "stroke-width:1;stroke-dasharray:2 3;fill:none;opacity:.7",
        ".last": "stroke-width:1;stroke-dasharray:4 3;fill:none",
        ".line": "fill:none;stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round",
        ".wick": "fill:none;stroke-width:1",
        ".thick": "fill:none;stroke-width:2;stroke-linejoin:round",
        ".faint": "opacity:.62",
        ".area": "opacity:.14;stroke:none",
        ".mark": "stroke-width:1",
        ".leader": "stroke-width:1;stroke-dasharray:1 2;fill:none",
        ".own-level": "stroke-width:1;stroke-dasharray:6 3;fill:none",
        ".trade-label": "font-size:10px",
        ".cross": "stroke-width:1;stroke-dasharray:3 3;fill:none;shape-rendering:crispEdges",
        ".label": "font-size:10px;stroke-width:3;stroke-linejoin:round;paint-order:stroke",
    }
    rules = "".join(f"{scope}{selector}{{{rule}}}" for selector, rule in form.items())
    if night is not None:
        return rules + (_css_rules(NIGHT, NIGHT_LINES, scope) if night else _css_rules(DAY, LINES, scope))
    dark = _css_rules(NIGHT, NIGHT_LINES, scope)
    return f"{rules}{_css_rules(DAY, LINES, scope)}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def svg_document(width: float, height: float, title: str, told: str, body: str, *, css: str = "") -> str:
    """Return an SVG element that scales with its place. `title` and `told` are what a screen reader says.

    css  rules of its own, for a file that stands alone.
    """
    inside = f"<style>{css}</style>" if css else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ia-picture" viewBox="0 0 {svg_num(width)} {svg_num(height)}"'
        f' width="{svg_num(width)}" height="{svg_num(height)}" role="img">'
        f"<title>{escape_xml(title)}</title><desc>{escape_xml(told)}</desc>{inside}{body}</svg>\n"
    )
