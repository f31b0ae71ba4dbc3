"""Tables of many columns on a terminal: those that fit, each on one line; a pipe and JSON have all of them."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ia.kernel.errors import Message
from ia_cli.terminal.output import Row, emit_rows, escape_controls, format_value, notify
from ia_cli.terminal.security_names import localize_names
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
    from rich.console import Console, JustifyMethod
    from rich.table import Table
    from rich.text import Text

    from ia.kernel import config

    console = Console()
    rows = localize_names(rows)
    if "symbol" in heads and "security" not in heads:  # an English name is long: it folds before a figure goes
        free = {"name": 8, **free}
    cells = {name: [escape_controls(format_value(row.get(name))) for row in rows] for name in heads}
    cells = {name: lines for name, lines in cells.items() if any(lines)}
    widths = {name: max(map(cell_len, (tr(heads[name]), *lines))) for name, lines in cells.items()}
    least = {
        name: min(width, max(free[name], cell_len(tr(heads[name])))) if name in free else width
        for name, width in widths.items()
    }
    least, left = choose_columns(least, spare, console.width)
    needed = _count_columns(least)
    if needed > console.width:  # better a line that the terminal breaks than a figure that is cut
        console = Console(width=needed, height=console.height)
    room = console.width - needed
    while room > 0 and (short := [name for name in least if least[name] < widths[name]]):
        least[min(short, key=lambda name: least[name])] += 1  # the narrowest first: few lines in all
        room -= 1
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0, 0, GAP - 1),
        header_style="" if config.env("NO_COLOR") else "bold",
    )
    for name in least:
        side: JustifyMethod = "right" if all(map(_is_number, cells[name])) else "left"
        table.add_column(
            tr(heads[name]),
            justify=side,
            overflow="fold",
            no_wrap=name not in free,
            width=least[name],
        )
    for at in range(len(rows)):
        table.add_row(*(Text(cells[name][at], _cell_style(cells[name][at], colored.get(name))) for name in least))
    console.print(table)
    tell_hidden([tr(heads[name]) for name in left])


def tell_hidden(heads: Sequence[str]) -> None:
    """Say which columns were left out for want of room."""
    if heads:
        shown = ", ".join(heads)
        notify(Message("columns hidden for lack of space: {columns}; --json prints all", columns=shown))


def choose_columns(widths: Mapping[str, int], spare: Sequence[str], room: int) -> tuple[dict[str, int], list[str]]:
    """Return the columns that fit, with their widths, and the names of those left out.

    spare    columns to leave out, the first ones first; what has room again once a wider one is gone comes back

    >>> choose_columns({"a": 10, "b": 3, "c": 20}, ("b", "c"), 22)
    ({'a': 10, 'b': 3}, ['c'])
    """
    kept, left = dict(widths), []
    for name in spare:
        if name in kept and _count_columns(kept) > room:
            del kept[name]
            left.append(name)
    for name in reversed(left.copy()):
        if _count_columns({**kept, name: widths[name]}) <= room:
            kept[name] = widths[name]
            left.remove(name)
    return {name: width for name, width in widths.items() if name in kept}, left


def _count_columns(widths: Mapping[str, int]) -> int:
    """Return the columns of the terminal that a table takes."""
    return sum(widths.values()) + GAP * len(widths) + EDGES


def _cell_style(cell: str, colors: tuple[str, str] | None) -> str:
    from ia.kernel import config

    if colors is None or config.env("NO_COLOR") or not cell.strip("-+0,. "):
        return ""
    return colors[1] if cell.startswith("-") else colors[0]


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number, money with its currency, or empty."""
    digits = str(cell or "0").partition(" ")[0].lstrip("+-").replace(",", "").replace(".", "", 1)
    return digits.isdecimal() and str(cell or "").partition(" ")[2] in ("", *CURRENCIES)
