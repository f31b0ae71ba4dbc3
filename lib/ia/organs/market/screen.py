"""Screening the market: the securities of a day that meet a condition."""

from collections.abc import Sequence
from typing import NamedTuple

from ia.kernel.errors import Message, Notify, PluralText, UsageError, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.market import trailing
from ia.organs.market.market_reader import (
    OF_DAY,
    ROWS,
    STOCKS,
    MarketDay,
    Row,
    add_current_names,
    fetch_rows,
    load_day,
    open_market,
    query_params,
)
from ia.organs.market.screen_columns import FLAG, ScreenColumn, find_column, similar_names
from ia.organs.market.screen_conditions import Condition, parse_condition

SHOWN = ("symbol", "name", "date", "price", "change_pct", "market_cap", "industry")
"""What is shown besides the columns that a condition asks about."""
OF_REPORTS = ("report", "basis")
"""What is shown where a condition asks about figures of companies: the report that they are of, and what they span."""


class ScreenResult(NamedTuple):
    """What a condition found on a day: the names of the columns, and the rows in their order.

    Also how many met it in all, and how many could not be judged because a value is missing.
    """

    day: MarketDay
    columns: tuple[str, ...]
    rows: list[Row]
    met: int
    unknown: int


def screen_stocks(
    ws: Workspace,
    condition: str | Condition,
    *,
    columns: Sequence[str] = (),
    sort: str | None = None,
    descending: bool | None = None,
    limit: int | None = None,
    notify: Notify = drop_message,
    on: str | None = None,
) -> ScreenResult:
    """Return the stocks of the newest visible day, or of the day `on`, that meet a condition.

    See ia.organs.market.screen_conditions.

    sort    a column; market_cap if none is given. Numbers come largest first, unless `descending` says otherwise;
            what has no value comes last
    columns names of the columns to return; else SHOWN and those that the condition asks about

    A condition on `kind` is about that: otherwise only stocks are looked at. raises  BadData for the condition,
    UsageError for an unknown column, NotFound where no day is stored.
    """
    if isinstance(condition, str):
        condition = parse_condition(condition)
    by = require_column(sort or "market_cap")
    wanted = [require_column(name) for name in columns] or _select_columns(condition, by if sort else None)
    with open_market(ws) as db:
        day = load_day(db, notify, on)
        asked = (*condition.columns, *wanted, by)
        years = max((column.years for column in asked if column.years is not None), default=None)
        reports = "" if years is None else trailing.REPORT + trailing.joins(years)
        where = f"{ROWS}{reports}{OF_DAY}" + (
            "" if any(column.name == "kind" for column in condition.columns) else STOCKS
        )
        values = {**query_params(day), **condition.params}
        listed = ", ".join(f"{column.sql} AS {column.name}" for column in wanted)
        down = descending if descending is not None else by.type == "number"
        rows = fetch_rows(
            db,
            f"SELECT {listed}{where} AND {condition.sql}"
            f" ORDER BY ({by.sql}) IS NULL, {by.sql} {'DESC' if down else 'ASC'}, s.symbol"
            f"{' LIMIT :limit' if limit is not None else ''}",
            {**values, "limit": limit},
        )
        met = len(rows)
        if limit is not None and met == limit:
            met = db.execute(f"SELECT count(*){where} AND {condition.sql}", values).fetchone()[0]
        unknown = db.execute(f"SELECT count(*){where} AND {condition.sql} IS NULL", values).fetchone()[0]
        if day.of_bars is not None and {"name", "symbol"} <= {column.name for column in wanted}:
            rows = add_current_names(db, day, rows)
    flags = [column.name for column in wanted if column.type == FLAG]
    for row in rows:
        row.update({name: bool(row[name]) for name in flags if row[name] is not None})
    if unknown:
        notify(
            Message(
                PluralText(
                    "skipped {count} security: a value that the condition needs is missing",
                    "skipped {count} securities: a value that the condition needs is missing",
                ),
                count=unknown,
            )
        )
    return ScreenResult(day=day, columns=tuple(column.name for column in wanted), rows=rows, met=met, unknown=unknown)


def require_column(name: str) -> ScreenColumn:
    """Return the column of a name; UsageError with near names where there is none."""
    column = find_column(name)
    if column is None:
        close = similar_names(name)
        hint = "did you mean {near}?" if close else "`ia screen --columns` lists all columns"
        raise UsageError("no column is named {name!r}", name=name[:40], near=close, hint=hint)
    return column


def _select_columns(condition: Condition, by: ScreenColumn | None) -> list[ScreenColumn]:
    extra = [*condition.columns, *([by] if by else [])]
    reports = OF_REPORTS if any(column.years is not None for column in extra) else ()
    names = dict.fromkeys([*SHOWN[:5], *(column.name for column in extra), *reports, *SHOWN[5:]])
    return [require_column(name) for name in names]
