"""How figures of the market are shown: plain numbers when piped and in JSON, short and colored ones on a terminal.

A rise is red and a fall green, as in China; the sign says it too, for those who see no colors.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ia.kernel.errors import Message
from ia.kernel.i18n.units import LARGE_UNITS
from ia_cli.terminal.output import Row, emit_rows, escape_controls, notify
from ia_cli.terminal.security_names import localize_names
from ia_cli.terminal.text import lang, tr
from ia_cli.terminal.wide_tables import choose_columns, tell_hidden

if TYPE_CHECKING:
    from ia.organs.market.market_reader import MarketDay

MONEY = frozenset(
    {
        "amount",
        "market_cap",
        "float_cap",
        "revenue",
        "profit",
        "net",
        "buy",
        "sell",
        "turnover",
        "holdings",
        "quota_left",
        "market_amount",
        "volume",
    }
)
SIGNED = ("change", "excess", "median", "weighted", "net", "leader_pct", "vs_")


def emit_market_rows(
    rows: Sequence[Row],
    columns: Sequence[str],
    *,
    brief: Sequence[str] = (),
    spare: Sequence[str] = (),
    as_json: bool = False,
    as_jsonl: bool = False,
) -> None:
    """Write rows: all `columns` when piped, the `brief` ones as a table on a terminal, and whole as JSON.

    spare   columns to leave out of the table, one after the other, until the rest fits
    """
    if as_json or as_jsonl or not sys.stdout.isatty():
        emit_rows(rows, columns, as_json=as_json, as_jsonl=as_jsonl)
    elif rows:
        print_table(rows, brief or columns, spare)


def tell_market_day(day: "MarketDay", count: int | None = None, of: int | None = None) -> None:
    """Say on a terminal which day is shown, by whom, and how much of it."""
    if not sys.stdout.isatty():
        return
    told = {"date": day.date, "time": day.time, "source": f"{day.name} ({tr(day.host)})" if day.host else day.name}
    if of is None:
        notify(Message("market of {date}, source {source}, snapshot of {time}", **told))
    else:
        notify(
            Message(
                "{count} of {all} securities; market of {date}, source {source}, snapshot of {time}",
                count=count,
                all=of,
                **told,
            )
        )


def print_table(rows: Sequence[Row], columns: Sequence[str], spare: Sequence[str] = ()) -> None:
    """Write rows as a table for people."""
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ia.kernel import config

    console, bare = Console(), bool(config.env("NO_COLOR"))
    rows = localize_names(rows)
    heads = [tr(_SHORT.get(column, _column_label(column))) for column in columns]
    cells = [[format_figure(column, row.get(column)) for column in columns] for row in rows]
    widths = [max(map(cell_len, (head, *(line[at] for line in cells)))) for at, head in enumerate(heads)]
    least = [
        width if width <= 10 else min(width, max(cell_len(head), 10)) for head, width in zip(heads, widths, strict=True)
    ]
    if spare:
        kept, left = choose_columns(dict(zip(columns, widths, strict=True)), spare, console.width)
        tell_hidden([tr(_SHORT.get(name, _column_label(name))) for name in left])
        places = [at for at, column in enumerate(columns) if column in kept]
        columns, heads = [columns[at] for at in places], [heads[at] for at in places]
        widths, least = [widths[at] for at in places], [least[at] for at in places]
        cells = [[line[at] for at in places] for line in cells]
    fits = sum(widths) + 2 * len(widths) <= console.width
    if (needed := sum(least) + 2 * len(least)) > console.width:  # better a line that the terminal breaks than a word
        console = Console(width=needed, height=console.height)
    out = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1), header_style="" if bare else "bold")
    for column, head, width, narrow in zip(columns, heads, widths, least, strict=True):
        number = all(isinstance(row.get(column), int | float | None) for row in rows)
        whole = fits or width <= 10
        out.add_column(
            head,
            justify="right" if number else "left",
            overflow="fold",
            no_wrap=whole,
            min_width=width if whole else narrow,
        )
    for row, line in zip(rows, cells, strict=True):
        styles = ("" if bare else _change_color(column, row.get(column)) for column in columns)
        out.add_row(*map(Text, line, styles))
    console.print(out)


def _column_label(column: str) -> str:
    return column.removesuffix("_pct") + "%" * column.endswith("_pct")


_SHORT = {
    "change_pct": "chg%", "market_cap": "mcap", "float_cap": "float", "turnover_pct": "turn%", "median_pct": "med%",
    "amplitude_pct": "ampl%", "weighted_pct": "wtd%", "limit_up": "lim+", "limit_down": "lim-",
    "revenue_yoy_pct": "yoy%", "profit_yoy_pct": "yoy%", "gross_margin_pct": "gross%", "net_margin_pct": "net%",
    "debt_ratio_pct": "debt%", "change_60d_pct": "60d%", "change_ytd_pct": "ytd%", "volume_ratio": "vol×",
    "change_last_pct": "stored%",
    "dividend_yield_pct": "yield%",
}  # fmt: skip


def format_figure(name: str, value: Any) -> str:
    """Return a figure as a terminal shows it.

    >>> format_figure("change_pct", 3.14159), format_figure("price", 10.5), format_figure("pe", None)
    ('+3.14', '10.50', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        if name in MONEY:
            return format_amount(value, signed=name == "net")
        sign = "+" if name.startswith(SIGNED) else ""
        if isinstance(value, int) and not name.endswith("_pct"):
            return f"{value:{sign}d}"
        return f"{value:{sign}.2f}" if abs(value) < 1e5 else format_amount(value)
    return tr(str(value)) if name in ("board", "channel") else escape_controls(" ".join(str(value).split()))


def format_amount(value: float, signed: bool = False) -> str:
    """Return an amount by the units of the language: `1.23万亿`, `45.6亿`; `1.23tn`, `45.6bn`."""
    sign = "+" if signed else ""
    for size, unit in LARGE_UNITS[lang()]:
        if abs(value) >= size:
            part = value / size
            return f"{part:{sign}.{2 if abs(part) < 100 else 0}f}{unit}"
    return f"{value:{sign}.0f}"


def _change_color(name: str, value: Any) -> str:
    if not name.startswith(SIGNED) or not isinstance(value, int | float) or not value:
        return ""
    return "red" if value > 0 else "green"
