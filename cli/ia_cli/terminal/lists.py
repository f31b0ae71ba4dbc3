"""How lists are shown: times as people read them, and a word where there is nothing."""

import sys
from collections.abc import Callable
from typing import Any

import click

from ia.kernel.errors import IaError
from ia_cli.terminal.output import emit_rows, tell_error


def emit_list(
    ctx: click.Context,
    rows: list[dict[str, Any]],
    columns: tuple[str, ...],
    empty: IaError,
    *,
    as_json: bool,
    as_jsonl: bool,
    seconds: bool = False,
    emit: Callable[..., None] = emit_rows,
) -> None:
    """Print rows and leave with status 0, or with 1 where there are none; a terminal is then told so (`empty`).

    The UTC stamp in `time` stays one in JSON; people read it in the offset of now(). `emit` writes the
    rows: another table than the plain one.
    """
    if rows and "time" in rows[0] and not as_json and not as_jsonl:
        from datetime import datetime

        from ia.kernel.workspace import to_local

        for row in rows:
            moment = to_local(datetime.fromisoformat(row["time"]))
            row["time"] = moment.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")
    emit(rows, columns, as_json=as_json, as_jsonl=as_jsonl)
    if not rows and sys.stdout.isatty():
        tell_error(empty)
    ctx.exit(0 if rows else 1)
