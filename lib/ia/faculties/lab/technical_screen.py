"""Conditions of `ia screen` with technical ones among them: figures are met in the store, the rest by a scan."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ia.kernel.errors import BadData, Notify, drop_message
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.market.screen import ScreenResult, screen_stocks

_CALL = pattern(r"([A-Za-z_][\w.]*)\s*\(")
_QUOTED = pattern(r"'[^']*'|\"[^\"]*\"")
_JOINT = pattern(r"\band\b|并且|而且|且|&&?", re.I)
_CHOICE = pattern(r"\bor\b|或者|或|\|\|?", re.I)
_BETWEEN = pattern(r"(?:\bbetween\b|介于)(?!.*\band\b)", re.I)
_EVERYTHING = "price > 0"
"""A condition that each stock with a price meets."""


class ScreenParts(NamedTuple):
    """A condition of figures, and an expression of `ia scan`; "" for none."""

    condition: str
    expression: str


def split_technicals(text: str) -> ScreenParts:
    """Return a condition in two: what calls a function of `ia compute`, and the rest.

    Raises:
        BadData: both stand beside each other with `or`.

    >>> split_technicals("pe between 1 and 20 and rsi(close, 14) < 30 and not st")
    ScreenParts(condition='pe between 1 and 20 and not st', expression='rsi(close, 14) < 30')
    """
    if not _CALL.search(text) or not _names_function(text):
        return ScreenParts(text, "")
    plain, technical = [], []
    for part in _split_joined(text):
        if not _names_function(part):
            plain.append(part)
        elif len(_split_joined(_strip_brackets(part))) > 1:
            within = split_technicals(_strip_brackets(part))
            plain += [within.condition] if within.condition else []
            technical.append(within.expression)
        elif _CHOICE.search(_blank_brackets(part)):
            raise BadData(
                "{part!r}: a technical condition is joined with `and`, not with `or`",
                part=part,
                hint="`ia scan '(rsi(close, 14) < 30) | (rsi(close, 14) > 70)'` takes either of two",
            )
        else:
            technical.append(part)
    expression = technical[0] if len(technical) == 1 else " & ".join(f"({each})" for each in technical)
    return ScreenParts(" and ".join(plain), expression)


def _names_function(text: str) -> bool:
    from ia.faculties.lab.cross_sections import FUNCTIONS as CROSS_SECTIONS
    from ia.organs.compute.functions import FUNCTIONS

    known = {*FUNCTIONS, *CROSS_SECTIONS}
    return any(match[1] in known or match[1].startswith("ta.") for match in _CALL.finditer(_QUOTED.sub("", text)))


def _blank_brackets(text: str) -> str:
    """Return a text with spaces for what stands in brackets or quotes."""
    out, depth, quote = [], 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
            out.append(" ")
            continue
        if char in "'\"":
            quote = char
        depth -= char in ")]}"
        out.append(" " if depth or quote or char in ")]}" else char)
        depth += char in "([{"
    return "".join(out)


def _split_joined(text: str) -> list[str]:
    """Return the conditions that `and` joins, those in brackets as they stand."""
    blank, parts, start = _blank_brackets(text), [], 0
    for match in _JOINT.finditer(blank):
        if not _BETWEEN.search(blank[start : match.start()]):
            parts.append(text[start : match.start()].strip())
            start = match.end()
    return [part for part in (*parts, text[start:].strip()) if part]


def _strip_brackets(text: str) -> str:
    """Return a text without the brackets around all of it."""
    whole = text.startswith("(") and text.endswith(")") and not _blank_brackets(text)[1:-1].strip()
    return text[1:-1] if whole else text


class TechnicalScreen(NamedTuple):
    """What a screen found, the further expressions of each row, and what was evaluated in the sandbox."""

    found: ScreenResult
    sandboxed: tuple[str, ...]


def screen_technicals(
    ws: Workspace,
    parts: ScreenParts,
    *,
    further: Sequence[str] = (),
    columns: Sequence[str] = (),
    sort: str | None = None,
    descending: bool | None = None,
    limit: int | None = None,
    notify: Notify = drop_message,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> TechnicalScreen:
    """Return the stocks that meet a condition and for which an expression is true on the newest day.

    further  expressions whose values are further columns; the other arguments are those of `screen_stocks`

    Raises what `screen_stocks` and `scan_market` raise; BadData where the expression gives no truth value.
    """
    from ia.faculties.lab.scan import ScanRequest, scan_market

    asked = columns if not columns or "symbol" in columns else ("symbol", *columns)
    condition = parts.condition or _EVERYTHING
    found = screen_stocks(ws, condition, columns=asked, sort=sort, descending=descending, notify=notify)
    symbols = tuple(str(row["symbol"]) for row in found.rows)
    request = ScanRequest(expression=parts.expression, columns=tuple(further), symbols=symbols, tell_skipped=False)
    scanned = scan_market(ws, request, notify=notify, show=show)
    if scanned.rows and not scanned.truth:
        raise BadData("{expression} does not give true or false", expression=parts.expression)
    met = {row.symbol: row for row in scanned.rows}
    names = found.columns if asked == columns else found.columns[1:]
    rows = []
    for row in (row for row in found.rows if row["symbol"] in met):
        values = dict(zip(further, met[str(row["symbol"])].values, strict=True))
        rows.append({name: row[name] for name in names} | values)
    made = found._replace(columns=(*names, *further), rows=rows[:limit], met=len(rows))
    return TechnicalScreen(made, scanned.sandboxed)
