"""Drawings of figures that are no bars: lines over time, a map of rectangles, parts of a whole, a distribution."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ia.faculties.pictures.chart import FALL, ChartLine
from ia.faculties.pictures.scale import AxisScale, axis_labels, axis_ticks, date_ticks, fit_scale
from ia.faculties.pictures.svg import (
    escape_xml,
    fit_text,
    path_element,
    rect_element,
    svg_document,
    svg_num,
    text_element,
    text_width,
)

WIDE, NARROW = 960.0, 420.0
"""Widths of a page's pictures: on a desk and on a telephone."""
LEFT, SIDE = 12.0, 76.0


class Tile(NamedTuple):
    """A rectangle of a map: its area, what colors it (per cent; None: not known) and its words."""

    label: str
    size: float
    change: float | None
    told: str


def draw_curves(
    dates: Sequence[str],
    lines: Sequence[ChartLine],
    title: str,
    told: str,
    *,
    height: float = 260,
    lang: str = "en",
    percent: bool = False,
    filled: bool = False,
    width: float = WIDE,
) -> str:
    """Return lines over the same dates with a common axis. `filled`: the first one down to its ground.

    percent  values are parts of one, and labeled in per cent
    """
    top, bottom, right = 30.0, height - 28, width - SIDE
    values = [value for line in lines for value in line.values if value is not None]
    axis = fit_scale(values, bottom, top, air=0.08)
    if percent and values and max(values) <= 0:
        axis = axis._replace(high=0.0)
    at = axis_ticks(axis, max(int((bottom - top) / 44), 2))
    shown = (
        [f"{each}%" for each in axis_labels([value * 100 for value in at])] if percent else axis_labels(at, lang, 1e4)
    )
    parts = [rect_element(0, 0, width, height, "paper")]
    parts.append(
        path_element("".join(f"M{svg_num(LEFT)} {svg_num(axis.position_of(v))}H{svg_num(right)}" for v in at), "grid")
    )
    parts += [
        text_element(right + 6, axis.position_of(value) + 4, label, "soft")
        for value, label in zip(at, shown, strict=True)
    ]
    step = (right - LEFT) / max(len(dates) - 1, 1)
    for index, label in date_ticks(list(dates), int((right - LEFT) / 90)):
        half = text_width(label, 11) / 2
        x = min(max(LEFT + index * step, LEFT + half), right - half)
        parts.append(text_element(x, bottom + 17, label, "soft", "middle"))
    x = LEFT
    for k, line in enumerate(lines):
        data = _line_path(line.values, step, axis)
        if filled and k == 0 and data:
            first, last = _value_ends(line.values)
            ground = axis.position_of(0.0) if axis.low <= 0 <= axis.high else bottom
            closed = f"{data}L{svg_num(LEFT + last * step)} {svg_num(ground)}H{svg_num(LEFT + first * step)}z"
            parts.append(path_element(closed, f"a{k} area"))
        parts.append(path_element(data, f"line thick l{k}"))
        parts.append(text_element(x, 18, line.label, f"t{k}"))
        x += text_width(line.label, 11) + 18
    parts.append(path_element(f"M{svg_num(LEFT)} {svg_num(bottom)}H{svg_num(right)}", "frame"))
    return svg_document(width, height, title, told, "".join(parts))


def _line_path(values: Sequence[float | None], step: float, axis: AxisScale) -> str:
    data, pen = [], "M"
    for index, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        data.append(f"{pen}{svg_num(LEFT + index * step)} {svg_num(axis.position_of(value))}")
        pen = "L"
    return "".join(data)


def _value_ends(values: Sequence[float | None]) -> tuple[int, int]:
    known = [i for i, value in enumerate(values) if value is not None]
    return known[0], known[-1]


def draw_bars(
    parts_: Sequence[tuple[str, float]], title: str, told: str, *, row: float = 26, width: float = WIDE
) -> str:
    """Return a bar a part, (name, per cent of the whole), with its name before it and its size behind."""
    height = row * len(parts_) + 8
    left = min(max([text_width(name, 11) for name, _ in parts_], default=0) + 22, width * 0.45)
    room = width - left - 64
    most = max([size for _, size in parts_], default=0.0) or 1.0
    parts = [rect_element(0, 0, width, height, "paper")]
    for k, (name, size) in enumerate(parts_):
        y = 4 + k * row
        long = max(size / most * room, 1.0)
        parts.append(text_element(LEFT, y + row / 2 + 4, fit_text(name, 11, left - LEFT - 6)))
        parts.append(rect_element(left, y + 4, long, row - 8, "a0", ' rx="2"'))
        parts.append(text_element(left + long + 6, y + row / 2 + 4, f"{size:.2f}%", "soft"))
    return svg_document(width, height, title, told, "".join(parts))


def draw_month_grid(
    grid: Mapping[str, Mapping[str, float | None]], title: str, told: str, up: str, *, width: float = WIDE
) -> str:
    """Return a heat map: a row a year, a column a month, fractions in per cent; the strongest colors at 10%.

    A month without a known return is a dash; a month outside of the account's days stays empty.
    """
    left, row, top = 48.0, 26.0, 24.0
    step = (width - left - LEFT) / 12
    small = step < 44
    parts = [rect_element(0, 0, width, top + row * len(grid) + 6, "paper")]
    parts += [text_element(left + (m + 0.5) * step, 15, f"{m + 1:02}", "soft small", "middle") for m in range(12)]
    for k, year in enumerate(sorted(grid, reverse=True)):
        y = top + k * row
        parts.append(text_element(LEFT, y + row / 2 + 4, year))
        for month, value in sorted(grid[year].items()):
            x = left + (int(month) - 1) * step
            kind = "chip" if not value else up if value > 0 else FALL[up]
            shade = f' fill-opacity="{0.12 + 0.5 * min(abs(value) / 0.1, 1.0):.2f}"' if value else ""
            shown = "–" if value is None else f"{value * 100:+.1f}" if small else f"{value * 100:+.2f}"
            spoken = f"{year}-{month} {'–' if value is None else f'{value * 100:+.2f}%'}"
            parts.append(
                f"<g><title>{escape_xml(spoken)}</title>"
                + rect_element(x + 1, y + 1, step - 2, row - 2, kind, f' rx="2"{shade}')
                + text_element(x + step / 2, y + row / 2 + 4, shown, "small", "middle")
                + "</g>"
            )
    return svg_document(width, top + row * len(grid) + 6, title, told, "".join(parts))


def draw_value_grid(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    names: tuple[str, str],
    title: str,
    told: str,
    up: str,
    *,
    width: float = WIDE,
    css: str = "",
) -> str:
    """Return a heat map of numbers: those above 0 in the color of a rise, the strongest at the largest size.

    names  of the rows and the columns. css: rules of its own, for a file that stands alone
    """
    row, top = 26.0, 58.0
    left = max([text_width(f"{names[0]} {each}", 11) for each in rows], default=0.0) + 2 * LEFT
    step = (width - left - LEFT) / max(len(columns), 1)
    full = max((abs(value) for line in values for value in line if value is not None), default=0.0) or 1.0
    height = top + row * len(rows) + 10
    parts = [rect_element(0, 0, width, height, "paper"), text_element(LEFT, 20, fit_text(title, 13, width - 24))]
    every = max(1, -(-34 // max(int(step), 1)))
    for k, column in enumerate(columns):
        if k % every == 0:
            label = f"{names[1]} {column}" if k == 0 else column
            parts.append(text_element(left + (k + 0.5) * step, top - 10, label, "soft small", "middle"))
    for k, name in enumerate(rows):
        y = top + k * row
        parts.append(text_element(LEFT, y + row / 2 + 4, f"{names[0]} {name}".strip(), "soft"))
        for j, value in enumerate(values[k]):
            x = left + j * step
            kind = "chip" if not value else up if value > 0 else FALL[up]
            shade = f' fill-opacity="{0.08 + 0.6 * abs(value) / full:.2f}"' if value else ""
            shown = "–" if value is None else f"{value:.2f}" if step >= 34 else f"{value:.1f}" if step >= 24 else ""
            spoken = f"{names[0]} {name} {names[1]} {columns[j]}: {'–' if value is None else f'{value:.3f}'}".strip()
            parts.append(
                f"<g><title>{escape_xml(spoken)}</title>"
                + rect_element(x + 1, y + 1, step - 2, row - 2, kind, f' rx="2"{shade}')
                + text_element(x + step / 2, y + row / 2 + 4, shown, "small", "middle")
                + "</g>"
            )
    return svg_document(width, height, title, told, "".join(parts), css=css)


def draw_treemap(
    tiles: Sequence[Tile],
    title: str,
    told: str,
    up: str,
    *,
    height: float = 420,
    full: float = 5.0,
    width: float = WIDE,
) -> str:
    """Return a map whose areas are sizes and whose colors are changes, at their strongest from `full` per cent on."""
    parts = [rect_element(0, 0, width, height, "paper")]
    down = FALL[up]
    known = sorted((tile for tile in tiles if tile.size > 0), key=lambda tile: (-tile.size, tile.label))
    for tile, (x, y, w, h) in zip(known, squarify([tile.size for tile in known], 0, 0, width, height), strict=True):
        change = tile.change
        strength = 0.0 if change is None else min(abs(change) / full, 1.0)
        kind = "chip" if not change else up if change > 0 else down
        shade = "" if kind == "chip" else f' fill-opacity="{0.12 + 0.5 * strength:.2f}"'
        inside = rect_element(x + 1, y + 1, w - 2, h - 2, kind, f' rx="2"{shade}')
        size = 13 if min(w / 6, h / 2.6) > 13 else 11
        if w > 34 and h > 18:
            inside += text_element(
                x + 7, y + 6 + size, fit_text(tile.label, size, w - 12), "small" if size < 13 else ""
            )
        if w > 44 and h > 36 and change is not None:
            inside += text_element(x + 7, y + 22 + size, f"{change:+.2f}%", "small")
        parts.append(f"<g><title>{escape_xml(tile.told)}</title>{inside}</g>")
    return svg_document(width, height, title, told, "".join(parts))


def squarify(
    sizes: Sequence[float], x: float, y: float, width: float, height: float
) -> list[tuple[float, float, float, float]]:
    """Return a rectangle (x, y, width, height) for each size, descending sizes, as square as rows of them allow.

    After Bruls, Huizing and van Wijk, Squarified Treemaps (2000). Together they cover the place.
    """
    total = sum(sizes)
    if not total:
        return []
    areas = [size / total * width * height for size in sizes]
    found: list[tuple[float, float, float, float]] = []
    at = 0
    while at < len(areas):
        short = min(width, height)
        count, best = 1, _worst_ratio(areas[at : at + 1], short)
        while at + count < len(areas) and (worse := _worst_ratio(areas[at : at + count + 1], short)) <= best:
            best, count = worse, count + 1
        row = areas[at : at + count]
        thick = sum(row) / short if short else 0.0
        along = 0.0
        for area in row:
            length = area / thick if thick else 0.0
            found.append((x, y + along, thick, length) if width >= height else (x + along, y, length, thick))
            along += length
        if width >= height:
            x, width = x + thick, max(width - thick, 0.0)
        else:
            y, height = y + thick, max(height - thick, 0.0)
        at += count
    return found


def _worst_ratio(row: Sequence[float], side: float) -> float:
    total = sum(row)
    if not total or not side:
        return 1.0
    return max(side * side * max(row) / (total * total), total * total / (side * side * min(row)))


def draw_shares(
    rows: Sequence[tuple[str, Sequence[tuple[float, str]]]],
    title: str,
    told: str,
    *,
    row: float = 30,
    width: float = WIDE,
) -> str:
    """Return a bar a row whose parts, (size, class), fill it in proportion; each says its size."""
    height = row * len(rows) + 10
    left = max([text_width(name, 11) for name, _ in rows], default=0) + 22
    parts = [rect_element(0, 0, width, height, "paper")]
    for k, (name, pieces) in enumerate(rows):
        y = 5 + k * row
        parts.append(text_element(LEFT, y + row / 2 + 4, name))
        total = sum(size for size, _ in pieces) or 1
        x, room = left, width - left - LEFT
        for size, kind in pieces:
            w = size / total * room
            if w > 0:
                parts.append(rect_element(x, y + 3, max(w - 1, 0.5), row - 8, kind, ' rx="2"'))
            if w > text_width(f"{size:,.0f}", 11) + 8:
                on = "on" if kind in FALL or kind in FALL.values() else ""
                parts.append(text_element(x + w / 2, y + row / 2 + 3.5, f"{size:,.0f}", on, "middle"))
            x += w
    return svg_document(width, height, title, told, "".join(parts))


def draw_distribution(
    changes: Sequence[float], title: str, told: str, up: str, *, height: float = 190, width: float = WIDE
) -> str:
    """Return how many changes (per cent) fall between the whole numbers from -10 to 10, those beyond at the ends.

    A number stands at the border of two columns; 0 stands below the column of those that did not change.
    """
    down = FALL[up]
    counts: dict[int, int] = {}
    flat = 0
    for change in changes:
        if not change:
            flat += 1
            continue
        bin_ = min(int(abs(change)), 10)
        counts[bin_ + 1 if change > 0 else -bin_ - 1] = counts.get(bin_ + 1 if change > 0 else -bin_ - 1, 0) + 1
    places = [*range(-11, 0), 0, *range(1, 12)]
    most = max([*counts.values(), flat, 1])
    step, bottom, top = (width - 2 * LEFT) / len(places), height - 24, 20.0
    parts = [
        rect_element(0, 0, width, height, "paper"),
        path_element(f"M{svg_num(LEFT)} {svg_num(bottom)}H{svg_num(width - LEFT)}", "frame"),
    ]
    for k, place in enumerate(places):
        count = flat if place == 0 else counts.get(place, 0)
        h = count / most * (bottom - top)
        x = LEFT + k * step
        kind = "tag" if place == 0 else up if place > 0 else down
        parts.append(rect_element(x + 2, bottom - h, step - 4, h, kind, ' rx="1.5"'))
        if count:
            parts.append(text_element(x + step / 2, bottom - h - 4, f"{count:,}", "soft small", "middle"))
        border = place - 1 if place > 0 else place + 1 if place < 0 else 0  # the whole number on the side of 0
        if border or not place:
            at = x + step / 2 if not place else x if place > 0 else x + step
            parts.append(text_element(at, bottom + 15, f"{border:+d}" if border else "0", "soft small", "middle"))
    return svg_document(width, height, title, told, "".join(parts))
