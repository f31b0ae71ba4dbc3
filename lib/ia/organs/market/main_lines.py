"""The main lines of a day: industries and concepts to which more of the top gainers belong than chance explains.

Of the N stocks that rose most, some of every large group are there by size alone, and some of a small one by luck. So
each group's count is held against a draw that knows no groups: hypergeometric, within strata of the same price limit
and the same usual restlessness, as a stock with a 20 % limit, or one that always swings, is among the top more often
whatever its group. Looking at hundreds of groups is paid for by Benjamini-Hochberg: on days on which nothing is going
on, at most a share `level` of the days shows a line.

Left out are stocks of less than 60 days, groups of fewer than five stocks, and groups that say nothing of a business:
those with more than a quarter of the market, and those made of index membership, trading links or past moves. Groups
with nearly the same gainers are told as one. Industry and concepts are those told by then.
"""

import contextlib
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from math import fsum, sqrt
from typing import NamedTuple

from ia.kernel.errors import NotFound
from ia.kernel.patterns import pattern
from ia.organs.market.change_history import ChangeHistory
from ia.organs.market.day_summary import TradedStock, group_names, load_stocks, symbols_at_limit
from ia.organs.market.market_reader import MarketDay, Row, load_day, new_listing_cutoff
from ia.organs.market.significance import adjust_p_values, expected_count, tail_probability

KINDS = ("industry", "concept")
LEVEL = 0.01
TOP = 50
LEAST_HITS = 3
LEAST_RATIO = 2.0
MIN_MEMBERS = 5
MAX_FRAC = 0.25
SAME_FRAC = 2 / 3
"""Groups are told as one where so much of the smaller one's gainers is among the other's."""
LAYERS = 4
"""Into so many equal parts, by the mean size of their moves, the stocks of a price limit are divided."""
META = pattern(
    r"^昨日|^今日|连板|首板|融资融券|股通|标普|标准普尔|MSCI|富时|重仓|持股|成[份分]|指数|^HS300|^(上证|深证|中证|沪深|创业板|科创)?\d+_?$"
    r"|^(上证|深证|中证|创业板|科创板?)|深成|综合?指|百元股|低价股|次新|新股|预[增盈减亏]|扭亏|破净|破发|解禁|举牌|高送转|送转"
    r"|股权激励|回购|增持|减持|转债|微盘|小盘|中盘|大盘|权重|ST股|^B股|AH股|AB股|GDR|独角兽|趋势股|历史新高|近期新高"
    r"|一季报|中报|三季报|年报|注册制|养老金|证金|社保|QFII|央视50|专精特新|活跃股|高振幅|打板|热股"
)
"""Concepts that are made of lists, holders or past moves; they follow the market instead of leading it."""


class StockGroup(NamedTuple):
    """A group that was looked at: its name, kind, members in the market, and those of them among the top."""

    name: str
    kind: str
    members: frozenset[str]
    hits: tuple[str, ...]
    expected: float
    chance: float


def find_mainlines(
    db: sqlite3.Connection, day: MarketDay, *, top: int = TOP, level: float = LEVEL, kinds: Sequence[str] = KINDS
) -> Row:
    """Return the main lines of a day, strongest first.

    lines       name, kind, with (other names of nearly the same gainers), members, hits (of the top), expected by
                chance, ratio, chance, adjusted, limit_up, change_pct (mean of the members), excess_pct (over the
                market), days (how many before are stored), excess_5d_pct, excess_20d_pct (means a day), ahead_5d,
                ahead_20d (on how many of these days it did better than the market), z (today's excess against those
                days; None with fewer than five), leaders (by change), busiest (of the gainers, by amount)
    closest     the same of the group that came nearest, where there is no line
    groups      how many were looked at
    """
    rows = _load_listed_stocks(db, day)
    past = ChangeHistory(db, day)
    swings, means = past.summarize({row.symbol for row in rows})
    found = judge_groups(rows, swings, top=top, level=level, kinds=kinds)
    told = {
        "date": day.date,
        "time": day.time,
        "source": day.name,
        "simulated": day.simulated,
        "closed": day.closed,
        "top": min(top, len(rows)),
        "level": level,
        "correction": "Benjamini-Hochberg",
        "groups": found.looks,
    }
    market = _MainLineDay(rows, past, means, day.date)
    return {
        **told,
        "lines": [market.line_row(*line) for line in found.lines],
        "closest": market.line_row(*found.closest) if found.closest and not found.lines else None,
    }


def prepare_mainlines(db: sqlite3.Connection) -> None:
    """Compute what the main lines of the newest visible day take longest for, so that asking for them is quick."""
    with contextlib.suppress(NotFound):
        day = load_day(db)
        ChangeHistory(db, day).summarize({row.symbol for row in _load_listed_stocks(db, day)})


def _load_listed_stocks(db: sqlite3.Connection, day: MarketDay) -> list[TradedStock]:
    """Return the stocks that traded on a day, but for those that were listed shortly before."""
    new = new_listing_cutoff(day.date)
    return [row for row in load_stocks(db, day) if row.listed is None or row.listed < new]


class MainLineJudgment(NamedTuple):
    """What stands out: (group, adjusted chance, names of nearly the same) of each line, the closest, the looks."""

    lines: list[tuple[StockGroup, float, list[str]]]
    closest: tuple[StockGroup, float, list[str]] | None
    looks: int


def judge_groups(
    rows: Sequence[TradedStock],
    swings: Mapping[str, float | None],
    *,
    top: int = TOP,
    level: float = LEVEL,
    kinds: Sequence[str] = KINDS,
) -> MainLineJudgment:
    """Return which groups stand out among the stocks of a day. `swings`: see ChangeHistory.mean_moves."""
    ranked = sorted(rows, key=lambda row: (-row.change_pct, row.symbol))[:top]
    rising = [row for row in ranked if row.change_pct > 0]
    best = [row.symbol for row in rising]
    layers = _stratify(rows, swings)
    sizes, drawn = Counter(layers.values()), Counter(layers[symbol] for symbol in best)
    found, looks = [], 0
    for kind in kinds:
        groups: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            for name in group_names(row, kind):
                groups[name].append(row.symbol)
        looked = {name for name, symbols in groups.items() if MIN_MEMBERS <= len(symbols) <= MAX_FRAC * len(rows)}
        looked = {name for name in looked if not META.search(name)}
        looks += len(looked)
        common = Counter(chain.from_iterable(group_names(row, kind) for row in rising))
        asked = {name: groups[name] for name, hits in common.items() if hits >= LEAST_HITS and name in looked}
        for name, symbols in asked.items():
            members = frozenset(symbols)
            hits = tuple(symbol for symbol in best if symbol in members)
            mine = Counter(layers[symbol] for symbol in members)
            strata = [(sizes[layer], drawn[layer], count) for layer, count in mine.items()]
            found.append(
                StockGroup(
                    name=name,
                    kind=kind,
                    members=members,
                    hits=hits,
                    expected=expected_count(strata),
                    chance=tail_probability(strata, len(hits)),
                )
            )
    found.sort(key=lambda group: (group.chance, -len(group.hits), group.name))
    values = adjust_p_values([group.chance for group in found], looks)
    lines: list[tuple[StockGroup, float, list[str]]] = []
    for group, value in zip(found, values, strict=True):
        if value > level or len(group.hits) < LEAST_RATIO * group.expected:
            continue
        same = next((line for line in lines if _is_same_line(line[0], group)), None)
        if same:
            same[2].append(group.name)
        else:
            lines.append((group, value, []))
    return MainLineJudgment(lines, (found[0], values[0], []) if found else None, looks)


def _mean(values: Sequence[float]) -> float:
    """Return the mean as statistics.fmean does; the import of that costs as much as reading a day of the market."""
    return fsum(values) / len(values)


def _is_same_line(a: StockGroup, b: StockGroup) -> bool:
    common = len(set(a.hits) & set(b.hits))
    return common >= SAME_FRAC * min(len(a.hits), len(b.hits))


def _stratify(rows: Sequence[TradedStock], swings: Mapping[str, float | None]) -> dict[str, tuple[str, bool, int]]:
    """Return the stratum of each stock: its board, special treatment, and how restless it usually is there."""
    bands: dict[tuple[str, bool], list[tuple[float, str]]] = {}
    for row in rows:
        size = swings.get(row.symbol)
        bands.setdefault((row.board, bool(row.st)), []).append((-1.0 if size is None else size, row.symbol))
    layers = {}
    for (board, st), found in bands.items():
        known = sorted(pair for pair in found if pair[0] >= 0)
        layers.update({symbol: (board, st, -1) for size, symbol in found if size < 0})
        layers.update({symbol: (board, st, at * LAYERS // len(known)) for at, (_, symbol) in enumerate(known)})
    return layers


class _MainLineDay:
    """The market of a day and of the days before, against which lines are described."""

    def __init__(self, rows: Sequence[TradedStock], past: ChangeHistory, means: Mapping[str, float], day: str) -> None:
        self.stocks = {row.symbol: row for row in rows}
        self.past = past
        self.mean = _mean([row.change_pct for row in rows]) if rows else 0.0
        self.means = means
        ups = symbols_at_limit(rows, day)[0]
        self.limit_up = None if ups is None else set(ups)

    def line_row(self, group: StockGroup, value: float, same: list[str]) -> Row:
        """Return what is told of a line: see mainlines()."""
        change = _mean([self.stocks[symbol].change_pct for symbol in group.members])
        excess = change - self.mean
        before = [mine - self.means[date] for date, mine in self.past.mean_changes(group.members).items()]
        usual = _mean(before) if before else 0.0
        spread = sqrt(fsum((each - usual) ** 2 for each in before) / (len(before) - 1)) if len(before) >= 5 else 0.0
        return {
            "name": group.name,
            "kind": group.kind,
            "with": same,
            "members": len(group.members),
            "hits": len(group.hits),
            "expected": round(group.expected, 2),
            "ratio": round(len(group.hits) / group.expected, 1) if group.expected else None,
            "chance": float(f"{group.chance:.3g}"),
            "adjusted": float(f"{value:.3g}"),
            "limit_up": None if self.limit_up is None else len(self.limit_up & group.members),
            "change_pct": round(change, 2),
            "excess_pct": round(excess, 2),
            "days": len(before),
            "excess_5d_pct": round(_mean(before[-5:]), 2) if before else None,
            "excess_20d_pct": round(usual, 2) if before else None,
            "ahead_5d": sum(each > 0 for each in before[-5:]),
            "ahead_20d": sum(each > 0 for each in before),
            "z": round((excess - usual) / spread, 1) if spread > 1e-9 else None,
            "leaders": [self._leader_row(symbol) for symbol in group.hits[:5]],
            "busiest": self._leader_row(max(group.hits, key=lambda symbol: self.stocks[symbol].amount or 0.0)),
        }

    def _leader_row(self, symbol: str) -> Row:
        row = self.stocks[symbol]
        return {
            "symbol": symbol,
            "name": row.name,
            "change_pct": row.change_pct,
            "amount": row.amount,
            "limit_up": None if self.limit_up is None else symbol in self.limit_up,
        }
