"""Options that several commands share: same name, same meaning everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def parse_comma_list(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the words of a comma list: the callback of an option that takes one."""
    return tuple(word for part in (value or "").split(",") if (word := part.strip()))


PERIODS = ("daily", "weekly", "monthly")
_PERIOD_WORDS = {
    "1d": "daily", "d": "daily", "day": "daily", "1day": "daily", "日": "daily", "日线": "daily",
    "1w": "weekly", "w": "weekly", "week": "weekly", "1week": "weekly", "周": "weekly", "周线": "weekly",
    "1mo": "monthly", "mo": "monthly", "month": "monthly", "1month": "monthly", "月": "monthly", "月线": "monthly",
}  # fmt: skip


class PeriodOption(click.Choice[str]):
    """The length of a bar: `daily`, `weekly`, `monthly`, and what other programs call these."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from ia.kernel.errors import UsageError

        word = str(value).strip().casefold()
        if word in ("1m", "m"):
            hint = "use `--period monthly` for months; ia has no bars shorter than a day"
            raise UsageError("--period {value} is ambiguous: minute or month", value=value, hint=hint)
        word = _PERIOD_WORDS.get(word, word)
        if word not in PERIODS:
            raise UsageError(
                "--period {value}: unknown period",
                value=value,
                hint="use daily (1d, day), weekly (1w, week) or monthly (1mo, month)",
            )
        return word


def period_option(command: F) -> F:
    """`--period`: the length of a bar."""
    return click.option(
        "--period", type=PeriodOption(PERIODS), default="daily", help="Length of a bar (default: daily)."
    )(command)


_START = "First date: 2024-03-15, 30d (30 days back), 1y, ytd …; see ia(1)."


def start_option(about: str = _START) -> Callable[[F], F]:
    """`--start`: the first date of bars."""
    return click.option("--start", metavar="DATE", help=about)


def end_option(about: str = "Last date: 2024-03-15, yesterday …; see ia(1).") -> Callable[[F], F]:
    """`--end`: the last date of bars."""
    return click.option("--end", metavar="DATE", help=about)


def adapter_option(command: F) -> F:
    """`--adapter`: the sources of prices to try, as a tuple; empty where none is named."""
    about = "Data sources in the order to try (default: setting market.adapter)."
    return click.option("--adapter", metavar="A[,B…]", callback=parse_comma_list, help=about)(command)


def adjust_option(command: F) -> F:
    """`--adjust`: how prices are adjusted; None where nothing is said."""
    about = "Price adjustment: qfq (default) keeps the last price, hfq the first, none adjusts nothing."
    return click.option("--adjust", type=click.Choice(["qfq", "hfq", "none"]), help=about)(command)


def stale_option(command: F) -> F:
    """`--stale`: an old copy will do."""
    about = "Use the stored copy, however old; its age goes to stderr."
    return click.option("--stale", is_flag=True, help=about)(command)


def strategy_option(command: F) -> F:
    """`--strategy`: the name of a saved condition; "" where none is named."""
    about = "Saved condition strategies/NAME.yaml; without a name, list them."
    return click.option("--strategy", metavar="NAME", is_flag=False, flag_value="", help=about)(command)


def limit_option(about: str = "Maximum number of rows (default: all).") -> Callable[[F], F]:
    """`-n`, `--limit`: how many of a list; None for all of it."""
    return click.option("-n", "--limit", type=click.IntRange(1, 1_000_000), help=about)


def json_option(command: F) -> F:
    """`--json`: one JSON document."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def rows_options(command: F) -> F:
    """`--json` and `--jsonl`, for a command that returns rows."""
    jsonl = click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object per line.")
    return json_option(jsonl(command))
