"""The saved conditions of `ia scan` and `ia screen` as a list."""

from typing import TYPE_CHECKING

from ia_cli.terminal.output import emit_rows, tell_empty, tell_hint

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace


def emit_strategies(ws: "Workspace", *, as_json: bool, as_jsonl: bool) -> int:
    """Write the saved conditions; return the exit status."""
    from ia.faculties.lab.scan_strategies import list_strategies
    from ia_cli.terminal.text import say

    rows = [
        {
            "name": each.name,
            "about": each.about if each.problem is None else say(each.problem.template, **each.problem.params),
            "expr": each.expression,
            "where": each.where,
            "columns": ", ".join(each.columns),
        }
        for each in list_strategies(ws)
    ]
    emit_rows(rows, ("name", "about", "expr", "where", "columns"), as_json=as_json, as_jsonl=as_jsonl)
    if not rows:
        tell_empty("no condition is saved")
        tell_hint("`ia profile use invest` brings some; write your own in strategies/NAME.yaml")
    return 0 if rows else 1
