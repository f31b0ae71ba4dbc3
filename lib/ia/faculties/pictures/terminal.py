"""A chart of characters: candles with half-cell bodies, lines of braille dots, columns of eighths.

Colors are the sixteen that every terminal has. Without them bodies are hollow (up) and filled (down), and lines are
told apart by their dashes, of which the legend has a piece; without Unicode all of it is ASCII.
"""

import math
from typing import NamedTuple

from ia.faculties.pictures.chart import (
    Bucket,
    Chart,
    ChartLine,
    ChartPane,
    Values,
    describe_grouping,
    group_bars,
    price_range,
)
from ia.faculties.pictures.grid import Grid, Part, shorten_text
from ia.faculties.pictures.scale import (
    AxisScale,
    axis_labels,
    axis_ticks,
    date_ticks,
    fit_scale,
    format_compact,
    format_price,
    format_together,
)
from ia.kernel.errors import Message, Notify, drop_message
from ia.kernel.text_width import display_width

MIN_WIDTH, MIN_HEIGHT = 30, 10
_CANDLE = {
    (0, 0): " ",
    (1, 1): "│",
    (2, 2): "┃",
    (1, 2): "╽",
    (2, 1): "╿",
    (0, 1): "╷",
    (1, 0): "╵",
    (0, 2): "╻",
    (2, 0): "╹",
}
_WICKS = "│╷╵|"
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_LINES = ("33", "36", "35", "34")
_SIGNS = "*+x~"
_ANSI = {
    "red": "31",
    "green": "32",
    "blue": "94",
    "orange": "33",
    "dim": "90",
    "bold": "1",
    "last": "7",
    **{f"line{i}": c for i, c in enumerate(_LINES)},
}
_ASCII = str.maketrans(
    {"│": "|", "─": "-", "┬": "+", "┤": "+", "▲": "^", "▼": "v", "·": ".", "╌": "-", "…": "~", "●": "*"}
)


class TerminalForm(NamedTuple):
    """How to draw: size in cells, colors, and whether only ASCII may be used."""

    width: int = 80
    height: int = 24
    color: bool = False
    ascii: bool = False


def bar_capacity(form: TerminalForm, chart: Chart) -> int:
    """Return how many bars a terminal shows, one a column."""
    return max(form.width, MIN_WIDTH) - _axis_width(chart)


def draw_chart(chart: Chart, form: TerminalForm, notify: Notify = drop_message) -> str:
    """Return the chart as lines of text, each ending with a newline, never wider than the form and as high as it.

    The chart has at least one bar. Of bars that are more than the columns several share one, with their extremes.
    Panes for which there is no room are told to `notify`.
    """
    return _TerminalDrawing(
        chart, form._replace(width=max(form.width, MIN_WIDTH), height=max(form.height, MIN_HEIGHT))
    ).render_lines(notify)


def _axis_width(chart: Chart) -> int:
    lowest, highest = min(chart.bars.low, default=1.0), max(chart.bars.high, default=1.0)
    prices = max(len(format_price(x)) for x in (lowest, highest, highest * 1.06, chart.bars.close[-1]))
    return max(prices, display_width(format_compact(max(chart.bars.volume, default=0), chart.voice.lang))) + 2


class _TerminalDrawing:
    def __init__(self, chart: Chart, form: TerminalForm) -> None:
        self.chart, self.form = chart, form
        self.axis = min(_axis_width(chart), form.width // 2)
        self.width = form.width - self.axis
        self.buckets = group_bars(chart.bars, self.width)
        slot = self.width // len(self.buckets)
        self.body = min((slot - 2) // 2 * 2 + 1, 7) if slot > 3 else 1
        """How many columns a candle's body takes: an odd number, its wick is in the middle."""
        self.dashed = not form.ascii and (not form.color or chart.up == "blue")
        """Whether lines are told apart by their dashes: who chose blue may not tell them apart by their colors."""

    def render_lines(self, notify: Notify) -> str:
        chart, form = self.chart, self.form
        told = self._trade_lines()
        head = [*self._title_lines(), *([self._legend_parts()] if chart.overlays or chart.levels else [])]
        left = form.height - len(head) - len(told) - 2
        volume = (3 if left < 16 else 4) if chart.volume and left >= 10 else 0
        each = 0
        if chart.panes:
            each = max(3, min(6, (left - volume) // (len(chart.panes) + 2)))
        shown = chart.panes[: max(0, (left - volume - 5) // each)] if each else ()
        if len(shown) < len(chart.panes):
            notify(
                Message(
                    "only {shown} of {count} panes fit into {height} lines; use --height or a taller terminal",
                    shown=len(shown),
                    count=len(chart.panes),
                    height=form.height,
                )
            )
        prices = left - volume - each * len(shown)
        lines = [*head, *self._draw_prices(prices)]
        if volume:
            lines += self._draw_volume(volume)
        for pane in shown:
            lines += self._draw_pane(pane, each)
        lines += [*self._draw_dates(), *told]
        return "".join(self._format_line(line) for line in lines)

    def _format_line(self, parts: list[Part]) -> str:
        """Return a line: neighbors of one style share one escape; no blanks at its end."""
        while parts and not parts[-1][0].strip() and parts[-1][1] != "last":
            parts = parts[:-1]
        parts = [("".join(c if c.isprintable() else "?" for c in text), style) for text, style in parts]
        if self.form.ascii:
            parts = [(_to_ascii(text), style) for text, style in parts]
        if not self.form.color:
            return "".join(text for text, _ in parts).rstrip() + "\n"
        out, current = [], ""
        for text, style in parts:
            code = _ANSI.get(style, "")
            if code != current and not (text == " " and style != "last"):
                out.append(f"\x1b[0{';' + code if code else ''}m")
                current = code
            out.append(text)
        return "".join(out).rstrip() + ("\x1b[0m" if current else "") + "\n"

    def _side_style(self, rises: bool) -> str:
        return self.chart.side_color(rises)

    def _title_lines(self) -> list[list[Part]]:
        """Return the title with the last price at its right; the warning has a line of its own where both do not fit.

        What gives way in a narrow terminal is the date, then the change, then the name; the code of a symbol stays.
        """
        chart, width = self.chart, self.form.width
        parts, style = self._last_price()
        code = display_width(chart.title.partition(" ")[0])
        badge = f" [{chart.warning}]" if chart.warning else ""
        alone = bool(badge) and min(display_width(chart.title), code + 6) + display_width(badge + parts[0]) + 2 > width
        least = (code if alone else display_width(badge) + code) + 2
        while len(parts) > 1 and display_width("  ".join(parts)) + least + (6 if len(parts) > 2 else 0) > width:
            parts.pop()
        told = shorten_text("  ".join(parts), width)
        title = shorten_text(
            chart.title, max(width - display_width(told) - 1 - (0 if alone else display_width(badge)), 0)
        )
        title = shorten_text(title + ("" if alone else badge), max(width - display_width(told) - 1, 0))
        gap = width - display_width(title) - display_width(told)
        first: list[Part] = [(title, "bold"), (" " * gap, ""), (told, style)]
        return [first, [(shorten_text(badge.strip(), width), "bold")]] if alone else [first]

    def _last_price(self) -> tuple[list[str], str]:
        """Return the last price, its change and its date, and their style; of a chart of lines only the date."""
        bars = self.chart.bars
        date = bars.date[-1][:16].replace("T", " ")
        if not self.chart.candles:
            return [date], "bold"
        last, parts, style = bars.close[-1], [format_price(bars.close[-1])], "bold"
        if len(bars.close) > 1:
            change = last / bars.close[-2] - 1
            parts.append(f"{change:+.2%}")
            style = self._side_style(change >= 0) if change else ""
        return [*parts, date], style

    def _legend_parts(self) -> list[Part]:
        parts: list[Part] = []
        used = 0
        for i, line in enumerate(self.chart.overlays):
            value = next((v for v in reversed(line.values) if v is not None), None)
            told = f"{self._line_sample(i)}{line.label} {'-' if value is None else format_price(value)}"
            if used + display_width(told) + 2 > self.form.width:
                break
            parts += [(told, self._line_style(i)), ("  ", "")]
            used += display_width(told) + 2
        for level in self.chart.levels:
            told = f"╌ {level.label} {format_price(level.price)}"
            if used + display_width(told) + 2 <= self.form.width:
                parts += [(told, "bold"), ("  ", "")]
                used += display_width(told) + 2
        return [*parts, *self._origin_parts(self.form.width - used)]

    def _origin_parts(self, room: int) -> list[Part]:
        """Return where the bars came from and how they are adjusted: as much as there is room for, at the right."""
        told = " · ".join(part for part in (describe_grouping(self.chart, self.buckets), self.chart.source) if part)
        while display_width(told) > room:
            told = told.rpartition(" · ")[0]
        return [(" " * (room - display_width(told)), ""), (told, "dim")] if told else []

    def _line_style(self, i: int) -> str:
        """Return the style of line i: beside blue and orange candles only colors that are neither."""
        return f"line{1 + i % 2 if self.chart.up == 'blue' else i % len(_LINES)}"

    def _line_sample(self, i: int) -> str:
        """Return a piece of line i for a legend, where colors do not tell the lines apart."""
        if self.form.ascii:
            return _SIGNS[i % len(_SIGNS)] + " "
        return "" if not self.dashed else "".join("⠤" if _has_dot(2 * x, i) else " " for x in range(6)).rstrip() + " "

    def _bucket_x(self, k: int) -> int:
        """Return the column in the middle of bucket k's place: the buckets share the whole width."""
        return (2 * k + 1) * self.width // (2 * len(self.buckets))

    def _bucket_columns(self, k: int) -> range:
        """Return the columns that bucket k fills in a pane of columns: a body's, or all where there is no room between.

        Places of one column and of two beside each other would look like gaps in trading.
        """
        count, half = len(self.buckets), self.body // 2
        if count < self.width < 2 * count:
            return range(k * self.width // count, (k + 1) * self.width // count)
        return range(self._bucket_x(k) - half, self._bucket_x(k) + half + 1)

    def _draw_prices(self, height: int) -> list[list[Part]]:
        chart = self.chart
        axis = fit_scale(price_range(chart, self.buckets), 2 * height, 0, log=chart.log, air=0.03)
        grid = Grid(self.width, height)
        beside: dict[int, Part] = {}
        at = axis_ticks(axis, max(height // 3, 2))
        for value, told in zip(at, axis_labels(at, large=math.inf), strict=True):
            y = int(axis.position_of(value) // 2)
            beside[y] = (told, "dim")
            for x in range(0, self.width, 4):
                grid.put_char(x, y, "·", "dim")
        for price, style in [(level.price, "bold") for level in chart.levels] + (
            [(chart.bars.close[-1], "last")] if chart.candles else []
        ):
            y = min(int(axis.position_of(price) // 2), height - 1)
            for x in range(0, self.width, 2):
                grid.put_char(x, y, "╌", "dim" if style == "last" else style)
            beside[y] = (format_price(price), style)
        for k, bucket in enumerate(self.buckets if chart.candles else ()):
            self._draw_candle(grid, axis, self._bucket_x(k), bucket)
        for i, line in enumerate(chart.overlays):
            self._draw_line(grid, axis._replace(bottom=4.0 * height), line.values, i)
        self._draw_marks(grid, axis)
        return self._frame_pane(grid, beside)

    def _draw_candle(self, grid: Grid, axis: AxisScale, x: int, bucket: Bucket) -> None:
        rises = bucket.rises
        style = self._side_style(rises)
        top = 2 * grid.height - 1
        high, low = (min(max(int(axis.position_of(v)), 0), top) for v in (bucket.high, bucket.low))
        first, last = sorted(min(max(int(axis.position_of(v)), 0), top) for v in (bucket.open, bucket.close))
        plain = self.form.ascii or not self.form.color
        for y in range(high // 2, low // 2 + 1):
            halves = tuple(
                2 if first <= half <= last else 1 if high <= half <= low else 0 for half in (2 * y, 2 * y + 1)
            )
            if plain and 2 in halves:
                char = ("O" if rises else "#") if self.form.ascii else ("║" if rises else "┃")
                wide = ("O" if rises else "#") if self.form.ascii else ("░" if rises else "█")
            else:
                char = "|" if self.form.ascii and 1 in halves else _CANDLE[halves]  # type: ignore[index]
                wide = "█" if halves == (2, 2) else "▄" if halves[1] == 2 else "▀" if halves[0] == 2 else ""
            if self.body > 1 and wide and 2 in halves:
                for dx in range(-(self.body // 2), self.body // 2 + 1):
                    grid.put_char(x + dx, y, wide, style)
            else:
                grid.put_char(x, y, char, style)

    def _draw_line(self, grid: Grid, axis: AxisScale, values: Values, i: int) -> None:
        """Draw line i in braille dots (2 x 4 a cell) into cells that hold no more than a wick or a line before it.

        `axis` counts dots from the top. Bodies stay: they are what the candle says.
        """
        style = self._line_style(i)
        dots: dict[tuple[int, int], int] = {}
        previous: tuple[int, int] | None = None
        for k, bucket in enumerate(self.buckets):
            value = next((v for v in reversed(values[bucket.first : bucket.last]) if v is not None), None)
            if value is None or (axis.log and value <= 0):
                previous = None
                continue
            here = (2 * self._bucket_x(k), round(min(max(axis.position_of(value), -1e6), 1e6)))
            for x, y in _line_points(previous or here, here):
                if 0 <= y < 4 * grid.height and 0 <= x < 2 * grid.width and (not self.dashed or _has_dot(x, i)):
                    cell = (x // 2, y // 4)
                    dots[cell] = dots.get(cell, 0) | _DOTS[y % 4][x % 2]
            previous = here
        for (x, y), bits in dots.items():
            if grid.is_free(x, y) or (0 <= x < grid.width and 0 <= y < grid.height and grid.char[y][x] in _WICKS):
                grid.put_char(x, y, _SIGNS[i % len(_SIGNS)] if self.form.ascii else chr(0x2800 + bits), style)

    def _draw_marks(self, grid: Grid, axis: AxisScale) -> None:
        chart = self.chart
        for mark, at in zip(chart.marks, chart.bar_indexes([mark.date for mark in chart.marks]), strict=True):
            k = next(k for k, b in enumerate(self.buckets) if b.first <= at < b.last)
            bucket = self.buckets[k]
            if mark.side == "buy":
                y = min(int(axis.position_of(bucket.low)) // 2 + 1, grid.height - 1)
            else:
                y = max(int(axis.position_of(bucket.high)) // 2 - 1, 0)
            grid.put_char(self._bucket_x(k), y, "▲" if mark.side == "buy" else "▼", "bold")

    def _draw_volume(self, height: int) -> list[list[Part]]:
        grid = Grid(self.width, height)
        top = max((b.volume for b in self.buckets), default=0) or 1
        for k, bucket in enumerate(self.buckets):
            rest = round(bucket.volume / top * height * 8)
            for y in range(grid.height - 1, -1, -1):
                part = min(max(rest, 0), 8)
                char = ("#" if part >= 5 else ".") if self.form.ascii else _EIGHTHS[part]
                for x in self._bucket_columns(k) if part else ():
                    grid.put_char(x, y, char, self._side_style(bucket.rises))
                rest -= 8
        told = self.chart.voice("Volume")
        beside: dict[int, Part] = {0: (format_compact(top, self.chart.voice.lang), "dim")}
        if height > 1 and display_width(told) < self.axis:
            beside[1] = (told, "dim")
        else:
            grid.write_text(0, 0, told + " ", "dim")
        return self._frame_pane(grid, beside)

    def _draw_pane(self, pane: ChartPane, height: int) -> list[list[Part]]:
        present = [v for line in pane.lines for v in line.values if v is not None]
        columns = any(line.form == "columns" for line in pane.lines)
        if pane.fixed:
            axis = AxisScale(*pane.fixed, 4 * height - 1, 0)
        else:
            axis = fit_scale([*present, *([0.0] if columns else [])], 4 * height - 1, 0)
        grid = Grid(self.width, height)
        beside: dict[int, Part] = {}
        lang = self.chart.voice.lang
        levels = [v for v in pane.levels or axis_ticks(axis, max(height // 2, 2)) if axis.low <= v <= axis.high]
        for level, told in zip(levels, axis_labels(levels, lang), strict=True):
            y = int(axis.position_of(level) // 4)
            beside.setdefault(y, (told, "dim"))
            for x in range(0, self.width, 4):
                grid.put_char(x, y, "·", "dim")
        for line in pane.lines:
            if line.form == "columns":
                self._draw_columns(grid, axis, line)
        for i, line in enumerate([line for line in pane.lines if line.form == "line"]):
            self._draw_line(grid, axis, line.values, i)
        x, i = grid.write_text(0, 0, shorten_text(pane.title, self.width) + " ", "dim"), 0
        last = [next((v for v in reversed(line.values) if v is not None), None) for line in pane.lines]
        for line, value in zip(pane.lines, format_together(last, lang), strict=True):
            told = f"{line.label} {value}" if len(pane.lines) > 1 else value
            if line.form == "line":
                x = grid.write_text(x, 0, f"{self._line_sample(i)}{told} ", self._line_style(i))
                i += 1
            else:
                x = grid.write_text(x, 0, f"{told} ", "dim")
        return self._frame_pane(grid, beside)

    def _draw_columns(self, grid: Grid, axis: AxisScale, line: ChartLine) -> None:
        """Draw columns from zero, up and down, in half cells."""
        most = 2 * grid.height
        zero = min(max(round(axis.position_of(0.0) / 2), 0), most)
        for k, bucket in enumerate(self.buckets):
            value = line.values[bucket.last - 1]
            if value is None:
                continue
            end = min(max(round(axis.position_of(value) / 2), 0), most)
            style = self._side_style(value >= 0)
            for half in range(*sorted((zero, end))):
                y, lower = half // 2, half % 2
                for x in self._bucket_columns(k):
                    taken = 0 <= y < grid.height and grid.char[y][x] in "▀▄█#"
                    char = "#" if self.form.ascii else "█" if taken else "▄" if lower else "▀"
                    grid.put_char(x, y, char, style)

    def _frame_pane(self, grid: Grid, labels: dict[int, Part]) -> list[list[Part]]:
        """Return the rows of a pane with the axis at their right."""
        rows = []
        for y in range(grid.height):
            text, style = labels.get(y, ("", ""))
            text = text if display_width(text) < self.axis else ""  # a number without its end would be another one
            rows.append([*grid.row_parts(y), ("┤" if text else "│", "dim"), *([(text, style)] if text else [])])
        return rows

    def _draw_dates(self) -> list[list[Part]]:
        """Return the ground line with ticks and the letters of corporate actions, and the dates below it."""
        chart = self.chart
        rule = ["─"] * self.width
        line = [" "] * self.form.width
        firsts = [bucket.first for bucket in self.buckets]
        room = max(self.width // 12, 1)
        taken = 0
        for k, label in date_ticks([chart.bars.date[i] for i in firsts], room):
            x = self._bucket_x(k)
            if x >= taken and x + len(label) <= self.form.width:
                rule[x] = "┬"
                line[x : x + len(label)] = label
                taken = x + len(label) + 2
        for event, at in zip(chart.events, chart.bar_indexes([event.date for event in chart.events]), strict=True):
            k = next(k for k, b in enumerate(self.buckets) if b.first <= at < b.last)
            rule[self._bucket_x(k)] = event.sign
        parts = [(c, "dim" if c in "─┬" else "bold") for c in rule]
        return [[*parts, ("┘" if not self.form.ascii else "+", "dim")], [("".join(line).rstrip(), "dim")]]

    def _trade_lines(self) -> list[list[Part]]:
        """Return the last trades in words: as many as leave the chart its room."""
        most = min(len(self.chart.marks), max((self.form.height - 16) // 3, 0))
        lines: list[list[Part]] = []
        for mark in self.chart.marks[len(self.chart.marks) - most :]:
            sign = "▲" if mark.side == "buy" else "▼"
            lines.append([(shorten_text(f"{sign} {mark.date} {mark.text}", self.form.width), "")])
        return lines


def _has_dot(x: int, i: int) -> bool:
    """Tell whether line i has its dots at column x of dots: the first all of them, others with gaps of their own."""
    i %= len(_LINES)
    return not i or x // (2 * i) % 2 == 0


def _line_points(a: tuple[int, int], b: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the points of a line, both ends included."""
    (x0, y0), (x1, y1) = a, b
    steps = max(abs(x1 - x0), min(abs(y1 - y0), 4000), 1)
    return [(x0 + round((x1 - x0) * i / steps), y0 + round((y1 - y0) * i / steps)) for i in range(steps + 1)]


def _to_ascii(text: str) -> str:
    plain = text.translate(_ASCII)
    return plain if plain.isascii() else "".join(c if c.isascii() else "?" * display_width(c) for c in plain)
