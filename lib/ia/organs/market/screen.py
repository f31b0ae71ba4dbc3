"""Screening the market: the securities of a day that meet a condition."""

from collections.abc import Sequence
from typing import NamedTuple

from ia.kernel.errors import Message, Notify, UsageError, silent
from ia.kernel.workspace import Workspace
from ia.organs.market.columns import FLAG, REPORT, ROE, Column, find, near
from ia.organs.market.conditions import Condition, parse
from ia.organs.market.reading import OF_DAY, ROWS, STOCKS, Day, Row, latest, opened, params, rows_of, with_names

SHOWN = ("symbol", "name", "date", "price", "change_pct", "market_cap", "industry")
"""What is shown besides the columns that a condition asks about."""


class Screened(NamedTuple):
    """What a condition found: the day, the names of the columns, the rows in their order, how many met it in all, and
    how many could not be judged because a value is missing."""

    day: Day
    columns: tuple[str, ...]
    rows: list[Row]
    met: int
    unknown: int


def screen(
    ws: Workspace,
    text: str,
    *,
    columns: Sequence[str] = (),
    sort: str | None = None,
    descending: bool | None = None,
    limit: int | None = None,
    notify: Notify = silent,
) -> Screened:
    """Return the stocks of the newest day that may be seen which meet a condition (see ia.organs.market.conditions).

    sort    a column; market_cap if none is given. Numbers come largest first, unless `descending` says otherwise;
            what has no value comes last
    columns names of the columns to return; else SHOWN and those that the condition asks about

    A condition on `kind` is about that: otherwise only stocks are looked at. raises  BadData for the condition,
    UsageError for an unknown column, NotFound where no day is stored.
    """
    condition = parse(text)
    by = column_of(sort or "market_cap")
    wanted = [column_of(name) for name in columns] or _wanted(condition, by if sort else None)
    with opened(ws) as db:
        day = latest(db, notify)
        asked = (*condition.columns, *wanted, by)
        report = REPORT if any(column.sql.startswith("r.") for column in asked) else ""
        roe = ROE if any(column.name == "roe_pct" for column in asked) else ""
        where = f"{ROWS}{report}{roe}{OF_DAY}" + (
            "" if any(column.name == "kind" for column in condition.columns) else STOCKS
        )
        values = {**params(day), **condition.params}
        listed = ", ".join(f"{column.sql} AS {column.name}" for column in wanted)
        down = descending if descending is not None else by.type == "number"
        rows = rows_of(
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
            rows = with_names(db, day, rows)
    flags = [column.name for column in wanted if column.type == FLAG]
    for row in rows:
        row.update({name: bool(row[name]) for name in flags if row[name] is not None})
    if unknown:
        notify(Message("{count} left out: a value that the condition asks for is missing", count=unknown))
    return Screened(day, tuple(column.name for column in wanted), rows, met, unknown)


def column_of(name: str) -> Column:
    """Return the column of a name; UsageError with near names where there is none."""
    column = find(name)
    if column is None:
        close = near(name)
        hint = "did you mean {near}?" if close else "`ia screen --columns` lists them"
        raise UsageError("there is no column {name!r}", name=name[:40], near=close, hint=hint)
    return column


def _wanted(condition: Condition, by: Column | None) -> list[Column]:
    extra = [*condition.columns, *([by] if by else [])]
    names = dict.fromkeys([*SHOWN[:5], *(column.name for column in extra), *SHOWN[5:]])
    return [column_of(name) for name in names]
