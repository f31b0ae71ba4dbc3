"""Where a chart goes: characters that fit the terminal, or a file of a format."""

import sys
from typing import TYPE_CHECKING

from ia_cli.terminal.output import notify

if TYPE_CHECKING:
    from ia.faculties.pictures.chart import Chart
    from ia.faculties.pictures.terminal import TerminalForm


def terminal_form(width: int | None = None, height: int | None = None) -> "TerminalForm":
    """Return how the terminal wants a chart: its size, colors, and whether it knows more than ASCII."""
    import shutil

    from ia.faculties.pictures.terminal import TerminalForm
    from ia.kernel import config

    size = shutil.get_terminal_size((80, 24))
    lines = size.lines - 1 if sys.stdout.isatty() else size.lines  # a terminal's last line is the next prompt's
    unicode = "utf" in (sys.stdout.encoding or "").lower()
    color = sys.stdout.isatty() and not config.env("NO_COLOR") and config.env("TERM") != "dumb"
    return TerminalForm(width or size.columns, height or lines, color, not unicode)


def print_chart(shown: "Chart", width: int | None = None, height: int | None = None) -> None:
    """Write a chart of characters."""
    from ia.faculties.pictures import terminal

    sys.stdout.write(terminal.draw_chart(shown, terminal_form(width, height), notify))


def save_chart(
    output: str, kind: str, whole: "Chart", shown: "Chart", width: int | None = None, height: int | None = None
) -> None:
    """Write a chart to a file and its name to stdout. `whole` is what a page can pan to."""
    from ia.faculties.pictures import saving

    saving.save_picture(output, _render_file(kind, whole, shown, width, height))
    sys.stdout.write(output + "\n")


def _render_file(kind: str, whole: "Chart", shown: "Chart", width: int | None, height: int | None) -> bytes:
    from ia.faculties.pictures import candles

    if kind == "svg":
        return candles.render_svg(shown, width, height).encode()
    if kind == "png":
        from ia.faculties.pictures import png

        return png.render_chart_png(shown, width, height, notify)
    from ia.faculties.pictures import chart_page

    return chart_page.render_chart_page(whole, shown, width, height).encode()
