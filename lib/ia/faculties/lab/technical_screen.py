"""Conditions of `ia screen` with technical ones among them: figures are met in the store, the rest by a scan."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ia.kernel.errors import BadData, Notify, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.market.screen import ScreenResult, screen_stocks
from ia.organs.market.screen_conditions import parse_condition

_EVERYTHING = "price > 0"
"""A condition that each stock with a price meets."""


def is_technical(name: str) -> bool:
    """Return whether a name is that of a function of `ia scan`."""
    from ia.faculties.lab.cross_sections import FUNCTIONS as CROSS_SECTIONS
    from ia.organs.compute.functions import FUNCTIONS

    return name in FUNCTIONS or name in CROSS_SECTIONS or name.startswith("ta.")


class TechnicalScreen(NamedTuple):
    """What a screen found, the further expressions of each row, and what was evaluated in the sandbox."""

    found: ScreenResult
    sandboxed: tuple[str, ...] = ()


def screen_technicals(
    ws: Workspace,
    text: str,
    *,
    expression: str = "",
    further: Sequence[str] = (),
    columns: Sequence[str] = (),
    sort: str | None = None,
    descending: bool | None = None,
    limit: int | None = None,
    notify: Notify = drop_message,
    show: Callable[[int, int], None] = lambda done, total: None,
    on: str | None = None,
) -> TechnicalScreen:
    """Return the stocks that meet a condition, technical comparisons included, on the newest day or the day `on`.

    text        a scan judges the comparisons in it that call functions; "", beside an expression, is met by all
    expression  of `ia scan`, which must be true as well
    further     expressions whose values are further columns; the other arguments are those of `screen_stocks`

    Raises what `screen_stocks` and `scan_market` raise; BadData where the expression gives no truth value.
    """
    condition = parse_condition(text or (_EVERYTHING if expression else ""), is_function=is_technical)
    technical = [each for each in (expression, *condition.technical) if each]
    joined = technical[0] if len(technical) == 1 else " & ".join(f"({each})" for each in technical)
    if technical:
        _require_truth(joined)
    asked = columns if not technical or not columns or "symbol" in columns else ("symbol", *columns)
    found = screen_stocks(
        ws,
        condition,
        columns=asked,
        sort=sort,
        descending=descending,
        limit=None if technical else limit,
        notify=notify,
        on=on,
    )
    if not technical:
        return TechnicalScreen(found)
    from ia.faculties.lab.scan import ScanRequest, scan_market

    past = "" if on is None else found.day.date
    request = ScanRequest(
        expression=joined,
        columns=tuple(further),
        symbols=tuple(str(row["symbol"]) for row in found.rows),
        since=past,
        until=past,
        tell_skipped=False,
    )
    scanned = scan_market(ws, request, notify=notify, show=show)
    if scanned.rows and not scanned.truth:
        raise _not_truth(joined)
    met = {row.symbol: row for row in scanned.rows}
    names = found.columns if asked == columns else found.columns[1:]
    rows = []
    for row in (row for row in found.rows if row["symbol"] in met):
        values = dict(zip(further, met[str(row["symbol"])].values, strict=True))
        rows.append({name: row[name] for name in names} | values)
    made = found._replace(columns=(*names, *further), rows=rows[:limit], met=len(rows))
    return TechnicalScreen(made, scanned.sandboxed)


def select_universe(
    ws: Workspace,
    universe: str,
    where: str | None = None,
    *,
    on: str | None = None,
    notify: Notify = drop_message,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[str, ...] | None:
    """Return the canonical symbols of a universe that meet a condition of `ia screen`; None for all stocks.

    on  the day whose figures and bars count; None for the newest

    Raises what `list_universe` and `screen_technicals` raise.
    """
    chosen = None
    if universe != "all":
        from ia.wiring.universe import list_universe

        chosen = tuple(each.canonical for each in list_universe(ws, universe))
    if not where:
        return chosen
    screened = screen_technicals(ws, where, columns=("symbol",), notify=notify, show=show, on=on)
    met = tuple(str(row["symbol"]) for row in screened.found.rows)
    return met if chosen is None else tuple(symbol for symbol in chosen if symbol in set(met))


def _require_truth(expression: str) -> None:
    """Raise what is wrong with an expression by its form, also where no security is left to evaluate it for."""
    from ia.faculties.lab.scan_expressions import ScanExpression

    form = ScanExpression(expression)
    if not (form.truth or form.sandboxed):
        raise _not_truth(expression)


def _not_truth(expression: str) -> BadData:
    return BadData("{expression} does not give true or false", expression=expression)
