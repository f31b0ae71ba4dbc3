"""The market of a day in figures: who rose and fell, what was traded, by board and by industry or concept."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.indices import MAIN_INDICES
from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.organs.market.market_reader import (
    FROM,
    STOCKS,
    MarketDay,
    Row,
    load_boards_of,
    load_newest_boards,
    query_params,
)
from ia.organs.market.screen_columns import BOARD, BOARDS, CONCEPTS, INDUSTRY, LISTED, ST
from ia.organs.marketdb import CLOSED

if TYPE_CHECKING:
    from decimal import Decimal

MEAN_DAYS = 20
WHOLE_FRAC = 0.8
"""A stored day with fewer of today's stocks than this is not compared with: its history is not complete yet."""
LEAST_LIMIT_PCT = 4.4
"""The narrowest price limit is 5 %, rounded to the tick less on cheap shares: what moved less is at none."""


class TradedStock(NamedTuple):
    """What is counted of one stock. amount and cap in yuan; st: None where the name of that day is unknown."""

    symbol: str
    name: str
    price: float
    prev_close: float | None
    change_pct: float
    amount: float | None
    cap: float | None
    industry: str | None
    concepts: str | None
    listed: str | None
    board: str
    st: bool | None


def load_stocks(db: sqlite3.Connection, day: MarketDay) -> list[TradedStock]:
    """Return the stocks that traded on a day, by symbol.

    Where the snapshots do not tell industries or concepts, the members of the boards that were synced by then do.
    """
    cursor = db.execute(
        "SELECT s.symbol, coalesce(s.name, c.name, ''), s.price, s.prev_close, s.change_pct, s.amount,"
        f" s.market_cap, {INDUSTRY}, {CONCEPTS}, {LISTED}, {BOARD}, {ST}{FROM}{STOCKS}"
        " AND s.volume > 0 AND s.change_pct IS NOT NULL AND s.price IS NOT NULL ORDER BY s.symbol",
        query_params(day),
    )
    rows = list(map(TradedStock._make, cursor))
    if 2 * sum(row.industry is not None for row in rows) < len(rows):
        boards = _board_names(db, day, "industry")
        rows = [row._replace(industry=row.industry or boards.get(row.symbol)) for row in rows]
    if 2 * sum(row.concepts is not None for row in rows) < len(rows):
        boards = _board_names(db, day, "concept")
        rows = [row._replace(concepts=row.concepts or boards.get(row.symbol)) for row in rows]
    return rows


def _board_names(db: sqlite3.Connection, day: MarketDay, kind: str) -> dict[str, str]:
    """Return the names of the boards of a kind that each symbol belonged to on a day, `;` between."""
    cursor = db.execute(
        "SELECT m.symbol, b.name FROM members m JOIN (SELECT board, name, max(date) FROM boards WHERE source = ?1"
        " AND kind = ?2 AND date <= ?3 GROUP BY board) b ON b.board = m.board WHERE m.source = ?1 AND m.kind = ?2"
        " AND m.seen <= ?3 AND (m.gone IS NULL OR m.gone > ?3) AND b.name <> '' ORDER BY m.board",
        (day.source, kind, day.date),
    )
    found: dict[str, str] = {}
    for symbol, name in cursor:
        found[symbol] = name if kind == "industry" or symbol not in found else f"{found[symbol]};{name}"
    return found


def summarize_day(db: sqlite3.Connection, day: MarketDay) -> Row:
    """Return the figures of a day.

    boards       a row for the whole market (`all`) and each board: count, up, down, flat, limit_up, limit_down (None
                 where special treatment, which halves the limits, is unknown and decides), median_pct, weighted_pct
                 (weighted by the market value of the day before), amount (None where it is not known of all)
    suspended    stocks that did not trade, None where unknown
    amount_vs_last_pct, amount_vs_mean_pct   what was traded against the day before (None where that is not stored
                 whole) and against the mean of up to 20 days before (`mean_days` of them are stored whole); None
                 before the close
    industries_up, industries_down   the best and the worst of load_sectors()
    indices      the main indices: symbol, name, close, change_pct, as far as their bars of the day are stored; before
                 the close there are none
    """
    rows = load_stocks(db, day)
    total = db.execute(f"SELECT count(*){FROM}{STOCKS}", query_params(day)).fetchone()[0]
    boards = [_scope_row("all", rows, day)]
    boards += [_scope_row(board, part, day) for board in BOARDS if (part := [s for s in rows if s.board == board])]
    before = _past_amounts(db, day, len(rows)) if day.closed else []  # part of a day is held against no whole one
    amount = boards[0]["amount"]
    whole = [each for each in before if each is not None]
    mean = sum(whole) / len(whole) if whole else None
    groups = [row for row in load_sectors(db, day, rows=rows) if row["date"] == day.date]
    return {
        "date": day.date,
        "time": day.time,
        "source": day.name,
        "simulated": day.simulated,
        "closed": day.closed,
        "boards": boards,
        "suspended": total - len(rows) if day.of_bars is None else None,
        "amount": amount,
        "amount_vs_last_pct": _relative_change(amount, before[0] if before else None),
        "amount_vs_mean_pct": _relative_change(amount, mean),
        "mean_days": len(whole),
        "industries_up": [row for row in groups[:5] if row["change_pct"] > 0],
        "industries_down": [row for row in groups[::-1][:5] if row["change_pct"] < 0],
        "indices": _load_indices(db, day) if day.closed else [],
    }


def _load_indices(db: sqlite3.Connection, day: MarketDay) -> list[Row]:
    """Return the levels of the main indices on a day, with the change from the session before."""
    rows = []
    for code in MAIN_INDICES:
        found = db.execute(
            "SELECT date, close FROM bars WHERE adapter = ? AND symbol = ? AND date <= ? ORDER BY date DESC LIMIT 2",
            (day.name, code, day.date),
        ).fetchall()
        if len(found) == 2 and found[0][0] == day.date:
            change = (found[0][1] / found[1][1] - 1) * 100
            rows.append(
                {
                    "symbol": code,
                    "name": from_canonical(code).name,
                    "close": found[0][1],
                    "change_pct": round(change, 4),
                }
            )
    return rows


def _scope_row(name: str, rows: Sequence[TradedStock], day: MarketDay) -> Row:
    ups, downs = symbols_at_limit(rows, day.date)
    changes = sorted(row.change_pct for row in rows)
    up, down = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    return {
        "board": name,
        "count": len(rows),
        "up": up,
        "down": down,
        "flat": len(rows) - up - down,
        "limit_up": None if ups is None else len(ups),
        "limit_down": None if downs is None else len(downs),
        "median_pct": _median(changes),
        "weighted_pct": weighted_mean_change(rows),
        "amount": _total_amount(rows),
    }


def _total_amount(rows: Sequence[TradedStock]) -> float | None:
    """Return what was traded, in yuan; None where it is not known of every stock."""
    known = [row.amount for row in rows if row.amount is not None]
    return round(sum(known), 2) if len(known) == len(rows) else None


def _median(ascending: Sequence[float]) -> float | None:
    half = len(ascending) // 2
    return round((ascending[half] + ascending[~half]) / 2, 2) if ascending else None


def weighted_mean_change(rows: Iterable[TradedStock]) -> float | None:
    """Return the mean change in per cent, weighted by the market value of the day before; None without values."""
    total = gained = 0.0
    for row in rows:
        if row.cap and row.change_pct > -100:
            before = row.cap / (1 + row.change_pct / 100)
            total += before
            gained += row.cap - before
    return round(gained / total * 100, 2) if total else None


def symbols_at_limit(rows: Iterable[TradedStock], day: str) -> tuple[list[str] | None, list[str] | None]:
    """Return the symbols of the stocks whose price is the highest of the day's rules, and the lowest.

    None in place of a list that depends on a stock whose special treatment is unknown: it may be at its limit or not.
    """
    ups: list[str] = []
    downs: list[str] = []
    unsure: set[float] = set()
    for row in rows:
        if abs(row.change_pct) < LEAST_LIMIT_PCT or not row.prev_close:
            continue
        sides = {_side_at_limit(row, day, st) for st in ((row.st,) if row.st is not None else (False, True))}
        if len(sides) > 1:
            unsure.update(sides)
        elif 1 in sides:
            ups.append(row.symbol)
        elif -1 in sides:
            downs.append(row.symbol)
    return None if 1 in unsure else ups, None if -1 in unsure else downs


def _side_at_limit(row: TradedStock, day: str, st: bool | None) -> int:
    """Return 1 at the upper limit or beyond, -1 at the lower, 0 between them or where no rule says."""
    from ia.domain.instruments.symbols import Symbol
    from ia.domain.rules.limits import price_limits
    from ia.kernel.errors import NotFound

    symbol = Symbol(row.symbol[:-3], "CN", row.symbol[-2:], "stock", row.name if row.st is not None else "")
    try:
        found = price_limits(symbol, day, _to_decimal(row.prev_close or 0.0), st=bool(st), listed=row.listed)
    except NotFound:  # a day before there were rules
        return 0
    if found is None:
        return 0
    price = _to_decimal(row.price)
    return 1 if price >= found.high else -1 if price <= found.low else 0


def _to_decimal(price: float) -> "Decimal":
    from decimal import Decimal

    return Decimal(repr(round(price, 4)))


def _past_amounts(db: sqlite3.Connection, day: MarketDay, count: int) -> list[float | None]:
    """Return what was traded on up to MEAN_DAYS days before, newest first; None of one that is not stored whole."""
    dates = db.execute(
        "SELECT date FROM days WHERE source = ? AND date < ? AND rows > 0 ORDER BY date DESC LIMIT ?",
        (day.source, day.date, MEAN_DAYS),
    ).fetchall()
    cursor = db.execute(
        "SELECT count(*), count(amount), sum(amount) FROM daily WHERE source = ?1"
        f" AND date IN ({', '.join(f'?{n}' for n in range(2, len(dates) + 2))}) AND symbol NOT IN"
        " (SELECT symbol FROM securities WHERE source = ?1 AND kind <> 'stock') GROUP BY date ORDER BY date DESC",
        (day.source, *(date for (date,) in dates)),
    )
    return [
        float(amount) if rows >= WHOLE_FRAC * count and told >= WHOLE_FRAC * rows else None
        for rows, told, amount in cursor
    ]


def _relative_change(now: float | None, before: float | None) -> float | None:
    return round((now / before - 1) * 100, 2) if before and now is not None else None


def group_rows(rows: Sequence[TradedStock], kind: str) -> list[Row]:
    """Return the industries or concepts of stocks, best first: count, up, down, mean change, amount, leader.

    change_pct is the plain mean, weighted_pct that by market value; leader is the stock that rose most.
    """
    members: dict[str, list[TradedStock]] = {}
    for row in rows:
        for name in group_names(row, kind):
            members.setdefault(name, []).append(row)
    found = []
    for name, part in members.items():
        leader = max(part, key=_daily_change)
        found.append(
            {
                "name": name,
                "count": len(part),
                "up": sum(row.change_pct > 0 for row in part),
                "down": sum(row.change_pct < 0 for row in part),
                "change_pct": round(sum(row.change_pct for row in part) / len(part), 2),
                "weighted_pct": weighted_mean_change(part),
                "amount": _total_amount(part),
                "leader": leader.symbol,
                "leader_name": leader.name,
                "leader_pct": leader.change_pct,
            }
        )
    return sorted(found, key=lambda row: (-row["change_pct"], row["name"]))


def _daily_change(row: TradedStock) -> float:
    return row.change_pct


def group_names(row: TradedStock, kind: str) -> list[str]:
    """Return the groups of a kind (industry, concept) that a stock belongs to."""
    if kind == "industry":
        return [row.industry] if row.industry else []
    text = row.concepts or ""
    parts = text.split(";")
    if " " in text or not text.isprintable():
        parts = [part.strip() for part in parts]
    names = dict.fromkeys(parts)
    names.pop("", None)
    return list(names)


def load_sectors(
    db: sqlite3.Connection, day: MarketDay, kind: str = "industry", *, rows: Sequence[TradedStock] | None = None
) -> list[Row]:
    """Return the industries or concepts of a day, best first; `rows`: its stocks, where they are at hand.

    Those that the source draws itself where they were synced after the day's close (`by`: source); else worked out
    here of the stocks of the snapshot (`by`: members), whose industries and concepts are those told by then. Where
    nothing is known of those either: the source's newest of a day before, with that `date`.
    """
    if _is_drawn_whole(db, day, kind) and (drawn := load_boards_of(db, day.source, kind, day.date)):
        return drawn
    if found := group_rows(load_stocks(db, day) if rows is None else rows, kind):
        return [{"date": day.date, **row, "by": "members"} for row in found]
    return load_newest_boards(db, day.source, kind, min(day.date, clock.last_visible_date("CN")))


def _is_drawn_whole(db: sqlite3.Connection, day: MarketDay, kind: str) -> bool:
    """Whether the session of a day is over now, and was when the source's groups were asked for last."""
    query = "SELECT time FROM jobs WHERE source = ? AND job = 'sectors' AND key = ? AND state = 'done'"
    row = db.execute(query, (day.source, kind)).fetchone()
    return day.date <= clock.last_visible_date("CN") and (row is None or row[0] >= f"{day.date}{CLOSED}")
