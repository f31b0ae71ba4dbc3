"""`ia indicator`: technical indicators by name."""

import os
from typing import TYPE_CHECKING

import click

from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.input import open_input
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import Row, emit_json, emit_rows, notify
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from ia.organs.ohlcv.canonical import Bars


@click.group(cls=CommandGroup, example="ia ohlcv 600519 --adapter demo | ia indicator calc RSI --param period=14")
def indicator() -> None:
    """List, describe and calculate technical indicators.

    Values follow TA-Lib. DIFFERENCES OF CONVENTION in ia-indicator(1) explains how other packages differ.
    """


@indicator.command("list", example="ia indicator list --category momentum")
@click.option(
    "--category",
    metavar="NAME",
    help="Category to list: trend, momentum, volatility, statistics or volume (default: all).",
)
@click.option("--functions", is_flag=True, help="List the functions of `ia compute` expressions instead.")
@rows_options
def list_(category: str | None, functions: bool, as_json: bool, as_jsonl: bool) -> None:
    """List the indicators with their categories."""
    from ia.kernel.errors import UsageError

    if functions and category:
        raise UsageError("--functions and --category cannot be combined; give one")
    plain = not (as_json or as_jsonl)
    rows = _function_rows(plain) if functions else _indicator_rows(category, plain)
    columns = ("call", "description") if functions else ("name", "category", "params", "description")
    emit_rows(rows, columns, as_json=as_json, as_jsonl=as_jsonl)


def _function_rows(plain: bool) -> list[Row]:
    from ia.organs.compute import array_backend

    array_backend.choose_arrays("")
    from ia.organs.compute.functions import FUNCTIONS

    return [
        {"name": f.name, "call": f.usage, "description": tr(f.summary) if plain else f.summary}
        for f in FUNCTIONS.values()
    ]


def _indicator_rows(category: str | None, plain: bool) -> list[Row]:
    from ia.kernel.errors import UsageError
    from ia.organs.compute.indicators import CATEGORIES, REGISTRY

    if category is not None and category.lower() not in CATEGORIES:
        names = ", ".join(CATEGORIES)
        raise UsageError("{name}: unknown category", name=category, hint="choose one of {names}", names=names)
    return [
        {
            "name": entry.name,
            "category": entry.category,
            "alias": entry.alias,
            "params": " ".join(f"{p.name}={p.default:g}" for p in entry.params)
            if plain
            else [p.name for p in entry.params],
            "description": tr(entry.description) if plain else entry.description,
        }
        for entry in REGISTRY.values()
        if category is None or entry.category == category.lower()
    ]


@indicator.command(example="ia indicator describe RSI")
@click.argument("name")
@json_option
def describe(name: str, as_json: bool) -> None:
    """Print an indicator's parameters, inputs and results as JSON.

    NAME is a name from `ia indicator list`, or the name of the equivalent coreutil; case does not matter.
    """
    from ia.organs.compute.indicators import find_indicator

    entry = find_indicator(name).describe()
    emit_json({**entry, "description": tr(entry["description"])})


@indicator.command(example="ia ohlcv 600519 --adapter demo | ia indicator calc MACD --param fast=10 --param slow=20")
@click.argument("name")
@click.argument("file", required=False, metavar="[SYMBOL|FILE]")
@click.option("--symbol", metavar="SYMBOL", help="Compute from the prices of this symbol instead of standard input.")
@click.option("-p", "--param", "params", metavar="KEY=VALUE", multiple=True, help="Set a parameter; may be repeated.")
@json_option
def calc(name: str, file: str | None, symbol: str | None, params: tuple[str, ...], as_json: bool) -> None:
    """Print the latest and previous value of an indicator as JSON.

    Reads canonical OHLCV from FILE, --symbol or standard input. An indicator with one result prints value, prev and
    date. One with several results prints each under its name, and prev holds the same names. Missing values (too few
    bars) are null.
    """
    from ia.kernel.errors import UsageError
    from ia.organs.compute import array_backend
    from ia.organs.compute.indicators import calculate_indicator as calculate
    from ia.organs.compute.indicators import find_indicator, parse_settings

    given: dict[str, str | float] = {}
    for text in params:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise UsageError("--param {text}: write it as KEY=VALUE", text=text)
        given[key.strip()] = value.strip()
    entry = find_indicator(name)
    parse_settings(entry, given)  # a wrong word is told before anything is fetched or read
    array_backend.choose_arrays(entry.alias)
    if symbol is None and file not in (None, "-") and not os.path.exists(file) and _is_security(file):
        symbol, file = file, None
    if symbol is not None and file is not None:
        raise UsageError("give --symbol or FILE, not both")
    emit_json(calculate(name, _load_bars(file, symbol), given, notify))


def _is_security(text: str) -> bool:
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import IaError

    try:
        return bool(resolve_security(text))
    except IaError:
        return False


def _load_bars(file: str | None, symbol: str | None) -> "Bars":
    from ia.kernel import clock

    if symbol is not None:
        from ia.kernel.workspace import Workspace
        from ia.wiring.last_bars import load_bars

        return load_bars(Workspace(), symbol, notify).bars
    from ia.organs.ohlcv.canonical import read_bars

    stream, source = open_input(file, mark_text("FILE or --symbol SYMBOL"))
    bars = read_bars(stream, source, notify=notify)
    if clock.is_simulated():
        from ia.organs.ohlcv.history import visible_bars

        bars = visible_bars(bars)
    return bars
