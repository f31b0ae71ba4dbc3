"""Tables of many columns on a terminal: those that fit, each on one line; a pipe and JSON have all of them."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ia.kernel.errors import Message
from ia_cli.terminal.output import Row, emit_rows, escape_controls, format_value, notify
from ia_cli.terminal.text import tr

GAP = 2
EDGES = 2
CURRENCIES = ("CNY", "HKD", "USD")


def emit_wide_rows(
    rows: Sequence[Row],
    columns: Sequence[str],
    heads: Mapping[str, str],
    *,
    spare: Sequence[str] = (),
    free: Mapping[str, int] = {},
    gains: Sequence[str] = (),
    colors: tuple[str, str] = ("", ""),
    as_json: bool = False,
    as_jsonl: bool = False,
) -> None:
    """Write rows: all `columns` when piped or as JSON; on a terminal a table of those that `heads` names.

    heads   column -> what stands above it. spare: columns to leave out, one after the other, until the rest fits.
    free    columns of free text, which fold: to no less than so many characters
    gains   columns of signed figures, in the `colors` of a gain and of a loss
    Columns in which nothing stands are left out, too; which ones were left out for want of room is told.
    """
    if as_json or as_jsonl or not sys.stdout.isatty():
        emit_rows(rows, columns, as_json=as_json, as_jsonl=as_jsonl)
    elif rows:
        _print_table(rows, heads, spare, free, dict.fromkeys(gains, colors))


def _print_table(
    rows: Sequence[Row],
    heads: Mapping[str, str],
    spare: Sequence[str],
    free: Mapping[str, int],
    colored: Mapping[str, tuple[str, str]],
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ia.kernel import config

    console = Console()
    cells = {name: [escape_controls(format_value(row.get(name))) for row in rows] for name in heads}
    cells = {name: lines for name, lines in cells.items() if any(lines)}
    widths = {name: max(map(cell_len, (tr(heads[name]), *lines))) for name, lines in cells.items()}
    least = {name: min(width, free.get(name, width)) for name, width in widths.items()}
    left = []
    for name in spare:
        if name in least and sum(least.values()) + GAP * len(least) + EDGES > console.width:
            del least[name]
            left.append(tr(heads[name]))
    needed = sum(least.values()) + GAP * len(least) + EDGES
    if needed > console.width:  # better a line that the terminal breaks than a figure that is cut
        console = Console(width=needed, height=console.height)
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0, 0, GAP - 1),
        header_style="" if config.env("NO_COLOR") else "bold",
    )
    for name in least:
        side = "right" if all(map(_is_number, cells[name])) else "left"
        table.add_column(tr(heads[name]), justify=side, overflow="fold", no_wrap=name not in free)  # type: ignore[arg-type]
    for at in range(len(rows)):
        table.add_row(*(Text(cells[name][at], _cell_style(cells[name][at], colored.get(name))) for name in least))
    console.print(table)
    if left:
        notify(Message("columns hidden for lack of space: {columns}; --json prints all", columns=", ".join(left)))


def _cell_style(cell: str, colors: tuple[str, str] | None) -> str:
    from ia.kernel import config

    if colors is None or config.env("NO_COLOR") or not cell.strip("-+0,. "):
        return ""
    return colors[1] if cell.startswith("-") else colors[0]


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number, money with its currency, or empty."""
    digits = str(cell or "0").partition(" ")[0].lstrip("+-").replace(",", "").replace(".", "", 1)
    return digits.isdecimal() and str(cell or "").partition(" ")[2] in ("", *CURRENCIES)
