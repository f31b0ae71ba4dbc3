"""How results leave: data to stdout, everything else to stderr.

Rows are a table on a terminal and TSV with a header when piped; JSON is one document, JSONL one object a line. CSV and
JSON are the same bytes on a pipe and on a terminal.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from ia.kernel import config
from ia.kernel.errors import IaError, Message, Simulated, SimulatedBesides, SimulatedPrices
from ia_cli.terminal.security_names import localize_names
from ia_cli.terminal.text import say, tr

Row = dict[str, Any]


_simulated: dict[str, list[str]] = {}
"""Adapter → securities with simulated prices: the first is told at once, the others in one line at the end."""
_warned: set[str] = set()
_besides: set[str] = set()
"""Something once this command has said that what it reads is simulated: one line says it for all."""


def tell_simulated() -> None:
    """Say in one line for what other securities of this command the prices are invented, too."""
    for adapter, (_, *more) in _simulated.items():
        if more:
            shown = ", ".join(more[:6]) + (", …" if len(more) > 6 else "")
            template = "simulated prices: those of {symbols} also come from the {adapter} market"
            _write_stderr(f"ia: {say(template, symbols=shown, adapter=adapter)}")
    _simulated.clear()
    _warned.clear()
    _besides.clear()


def notify(message: Message) -> None:
    """Tell the user something that is no failure, on stderr."""
    if isinstance(message, Simulated):
        _mark_run()
        if isinstance(message, SimulatedBesides):
            if message.template in _besides:
                return
            _besides.add(message.template)
        elif _warned and not (isinstance(message, SimulatedPrices) and _simulated):
            return
        else:
            _warned.add(message.template)
    if isinstance(message, SimulatedPrices):
        told = _simulated.setdefault(str(message.params["adapter"]), [])
        symbol = str(message.params["symbol"])
        if symbol in told:
            return
        told.append(symbol)
        if len(told) > 1:
            return
    _write_stderr(f"ia: {say(message.template, **message.params)}")


def _mark_run() -> None:
    """Let whoever is in charge of the task's run that this process is part of know that it reads simulated prices."""
    if (run := config.run_number()) is not None:
        from ia.faculties.taskbook.run_store import mark_simulated

        mark_simulated(config.home(), run)


def record_run_failure(sentence: str) -> None:
    """Let whoever is in charge of the task's run that this process is part of know why it fails, in one sentence."""
    if (run := config.run_number()) is not None:
        from ia.faculties.taskbook.run_store import mark_failure

        mark_failure(config.home(), run, escape_controls(sentence))


def record_run_summary(sentence: str) -> None:
    """Let whoever is in charge of the task's run that this process is part of know what it has done."""
    if (run := config.run_number()) is not None:
        from ia.faculties.taskbook.run_store import mark_summary

        mark_summary(config.home(), run, sentence)


def tell_hint(template: str, /, **params: object) -> None:
    """Tell the user what to type next, on stderr."""
    _write_stderr(f"hint: {say(template, **params)}")


def tell_error(error: IaError) -> None:
    """Write a failure as the contract has it: one line, and what to type next."""
    sentence = say(error.template, **error.params)
    _write_stderr(f"ia: {sentence}")
    record_run_failure(sentence)
    if error.hint:
        tell_hint(error.hint, **error.params)


def escape_controls(written: str) -> str:
    """Return a text whose control and hidden characters are shown, not obeyed: no note may repaint the terminal."""
    if written.isascii():  # nearly all that ia says, and then outside.py need not load
        return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in written)
    from ia.kernel.untrusted import escape_unseen

    return escape_unseen(written)


def emit_text(written: str) -> None:
    """Write a text as it is into a pipe or file, and without what would repaint it to a terminal."""
    sys.stdout.write(escape_controls(written) if sys.stdout.isatty() else written)


def terminal_width() -> int:
    """Return the columns of the terminal; 80 where it does not say."""
    import shutil

    return max(shutil.get_terminal_size((80, 24)).columns, 10)


def emit_lines(lines: Iterable[str]) -> None:
    """Write lines; a terminal's are wrapped between words."""
    if sys.stdout.isatty():
        from ia.kernel.text_width import wrap_lines

        width = terminal_width()
        lines = [part for line in lines for part in wrap_lines(escape_controls(line), width)]
    click.echo("\n".join(lines))


def _write_stderr(line: str) -> None:
    """Write a line to stderr. Where that cannot be written, nobody wants to hear it."""
    import contextlib

    with contextlib.suppress(OSError):
        click.echo(escape_controls(line), err=True)


def emit_json(document: Any) -> None:
    """Write one JSON document and a newline. NaN and infinities become null: JSON has none."""
    sys.stdout.write(_format_json(document) + "\n")


def emit_rows(rows: Sequence[Row], columns: Sequence[str], *, as_json: bool = False, as_jsonl: bool = False) -> None:
    """Write rows in the form that was asked for, else a table on a terminal and TSV when piped."""
    if as_json:
        emit_json(list(rows))
        return
    if as_jsonl:
        for row in rows:
            emit_json(row)
        return
    rows = localize_names(rows)
    if sys.stdout.isatty():
        if rows:
            _print_table(rows, columns)
    else:
        sys.stdout.write("\t".join(columns) + "\n")
        for row in rows:
            sys.stdout.write("\t".join(_format_cell(row.get(column)) for column in columns) + "\n")


def tell_empty(template: str, /, **params: object) -> None:
    """Say on a terminal that a list is empty; a program sees it by the status."""
    if sys.stdout.isatty():
        _write_stderr(f"ia: {say(template, **params)}")


def format_value(value: Any) -> str:
    """Return a value as people read it.

    Booleans in lower case, whole amounts without a point, nothing for None, structures as JSON.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and 1e5 <= abs(value) < 1e15 and value.is_integer():
        return str(int(value))
    return _format_json(value) if isinstance(value, dict | list) else str(value)


def _format_cell(value: Any) -> str:
    return " ".join(format_value(value).replace("\t", " ").split("\n"))


def _format_json(document: Any) -> str:
    import json

    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_replace_non_finite(document), ensure_ascii=False)


def _replace_non_finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _replace_non_finite(item) for key, item in value.items()}
    return [_replace_non_finite(item) for item in value] if isinstance(value, list | tuple) else value


def shorten_digest(cell: str) -> str:
    """Return a digest by its first digits; a terminal's table has no room for more."""
    return f"{cell[:12]}…" if len(cell) == 64 and not cell.strip("0123456789abcdef") else cell


def _print_table(rows: Sequence[Row], columns: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ia.kernel import config

    console = Console()
    shown = [[escape_controls(shorten_digest(format_value(row.get(column)))) for column in columns] for row in rows]
    whole = [max(map(cell_len, cells)) for cells in zip(map(tr, columns), *shown, strict=True)]
    kept = [width <= 28 for width in whole]
    for words in (True, False):  # a line more is better than a letter less: first where a space parts words
        if (
            sum((width if keep else min(width, 10)) + 3 for width, keep in zip(whole, kept, strict=True))
            > console.width
        ):
            kept = [keep and words and not any(" " in row[at] for row in shown) for at, keep in enumerate(kept)]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="" if config.env("NO_COLOR") else "bold")
    for column, keep in zip(columns, kept, strict=True):
        number = bool(rows) and all(isinstance(row.get(column), int | float) for row in rows)
        table.add_column(tr(column), justify="right" if number else "left", overflow="fold", no_wrap=keep)
    for cells in shown:
        table.add_row(*map(Text, cells))
    console.print(table)
