"""Options that several commands share: same name, same meaning everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    """`--json`: one JSON document."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def rows_options(command: F) -> F:
    """`--json` and `--jsonl`, for a command that returns rows."""
    jsonl = click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object a line.")
    return json_option(jsonl(command))
