"""Options that several commands share: same name, same meaning everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def words(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the words of a comma list: the callback of an option that takes one."""
    return tuple(word for part in (value or "").split(",") if (word := part.strip()))


def adapter_option(command: F) -> F:
    """`--adapter`: the sources of prices to try, as a tuple; empty where none is named."""
    about = "Sources in the order to try; default: setting market.adapter."
    return click.option("--adapter", metavar="A[,B…]", callback=words, help=about)(command)


def adjust_option(command: F) -> F:
    """`--adjust`: how prices are adjusted; None where nothing is said."""
    about = "qfq (default) keeps the last price, hfq the first."
    return click.option("--adjust", type=click.Choice(["qfq", "hfq", "none"]), help=about)(command)


def stale_option(command: F) -> F:
    """`--stale`: an old copy will do."""
    about = "Use the stored copy however old it is; its age goes to stderr."
    return click.option("--stale", is_flag=True, help=about)(command)


def json_option(command: F) -> F:
    """`--json`: one JSON document."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def rows_options(command: F) -> F:
    """`--json` and `--jsonl`, for a command that returns rows."""
    jsonl = click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object a line.")
    return json_option(jsonl(command))
