"""The risk of what is held now: value at risk, beta and correlation to an index, and what each position adds.

It is measured on the days of the index, with today's shares, prices and exchange rates: what the positions of now
would have gained or lost on each of them. Dividends are in the prices of shares.
"""

import math
import statistics
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from ia.domain.instruments.symbols import SymbolList, from_canonical
from ia.kernel.errors import Message, UsageError
from ia.kernel.jsontypes import Json
from ia.organs.ledger.account import Position
from ia.organs.ledger.benchmark import Benchmark
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.net_worth import NetWorth, load_net_worth

SESSIONS = 250
"""Sessions of the index over which risk is measured."""
FEWEST = 30
"""Sessions below which nothing is told."""
INDEX = "000300.SH"
_YEAR = 250
"""Sessions of a year."""
_DAYS = 420
"""Calendar days in which there are that many sessions."""


class RiskRequest(NamedTuple):
    """What is asked for. level: of the value at risk, per cent; days: its horizon in sessions."""

    level: float = 95.0
    days: int = 1
    benchmark: str = INDEX


class PositionRisk(NamedTuple):
    """A position: its value in the base currency, and its part of the variance of all, which may be below 0."""

    symbol: str
    name: str
    value: float
    part: float


class WorstDay(NamedTuple):
    """The day on which the positions of now would have lost most, and the gain of it: below 0 a loss."""

    date: str
    gain: float


@dataclass
class AccountRisk:
    """The risk of an account in its base currency, or in `missing` why it cannot be told.

    equity     what everything is worth, cash with it; invested: what the positions are worth
    loss       the value at risk, 0 or above; worse: the days that lost more than that of one day
    shortfall  what these days cost on average, 0 or above; None without any
    beta       of the positions taken together, to the index; correlation alike, None where one does not move
    swing      standard deviation of the gains of a year
    """

    request: RiskRequest
    currency: str
    equity: float = 0.0
    invested: float = 0.0
    first: str = ""
    last: str = ""
    count: int = 0
    loss: float = 0.0
    worse: int = 0
    shortfall: float | None = None
    worst: WorstDay | None = None
    beta: float | None = None
    correlation: float | None = None
    swing: float = 0.0
    positions: list[PositionRisk] = field(default_factory=list)
    missing: list[Message] = field(default_factory=list)
    simulated: bool = False


def measure_risk(desk: LedgerDesk, request: RiskRequest, base: str = "") -> AccountRisk:
    """Return the risk of what is held now, in the base currency (by default the setting `ledger.base`).

    raises  UsageError for a level or a horizon that cannot be, and where the index is none.
    """
    if not 50 < request.level < 100:
        raise UsageError("a level is above 50 and below 100 per cent, not {level}", level=f"{request.level:g}")
    if not 1 <= request.days <= SESSIONS:
        raise UsageError("a horizon is of 1 to {most} sessions, not {days}", most=SESSIONS, days=request.days)
    account = desk.account(curve=False)
    worth = load_net_worth(desk, account, base)
    found = AccountRisk(request, worth.base, simulated=account.simulated or worth.simulated)
    if not account.positions:
        found.missing.append(Message("nothing is held"))
    elif worth.equity is None or worth.value is None:
        found.missing += worth.missing or [Message("what everything is worth is unknown")]
    if found.missing:
        return found
    since = f"{date.fromisoformat(desk.today) - timedelta(days=_DAYS)}"
    index = desk.market.load_benchmark(from_canonical(request.benchmark), since)
    days, marks = index.days[-SESSIONS - 1 :], index.closes[-SESSIONS - 1 :]
    if len(days) <= FEWEST:
        found.missing.append(
            Message(
                "too few prices of {symbol} are stored; run `ia ohlcv {canonical}`",
                symbol=str(index.symbol),
                canonical=request.benchmark,
            )
        )
        return found
    found.simulated = found.simulated or index.simulated
    gains = _load_gains(desk, account.positions, worth, days, found)
    if not found.missing:
        found.equity, found.invested = float(worth.equity or 0), sum(each.value for each in found.positions)
        _measure(found, gains, days[1:], [new / old - 1 for old, new in pairwise(marks)])
    return found


def _load_gains(
    desk: LedgerDesk, positions: Sequence[Position], worth: NetWorth, days: Sequence[str], found: AccountRisk
) -> list[list[float]]:
    """Return what each position of now would have gained on each day, and put the positions into what was found."""
    rates = {each.currency: each.rate for each in worth.rates}
    gains, lacking = list[list[float]](), list[str]()
    for each in positions:
        series = desk.market.load_benchmark(from_canonical(each.symbol), days[0])
        closes = _close_on(series, days)
        if not closes:
            lacking.append(each.symbol)
            continue
        value = float(each.value or 0) * rates.get(each.currency, 1.0)
        found.simulated = found.simulated or series.simulated
        found.positions.append(PositionRisk(each.symbol, each.name, value, 0.0))
        gains.append([value * (new / old - 1) for old, new in pairwise(closes)])
    if lacking:
        found.missing.append(
            Message(
                "too few prices of {symbols} are stored; run `ia sync`",
                symbols=SymbolList(map(from_canonical, lacking)),
            )
        )
    return gains


def _close_on(series: Benchmark, days: Sequence[str]) -> list[float]:
    """Return the last close up to each day; [] where there is none on or before the first one."""
    places = [bisect_right(series.days, day) - 1 for day in days]
    return [] if not places or places[0] < 0 else [series.closes[place] for place in places]


def _measure(found: AccountRisk, gains: Sequence[Sequence[float]], days: Sequence[str], marks: Sequence[float]) -> None:
    """Put what the gains of the positions tell into what was found."""
    sums = [sum(row) for row in zip(*gains, strict=True)]
    order = sorted(sums)
    at = int(len(order) * (100 - found.request.level) / 100 + 1e-9)
    found.first, found.last, found.count = days[0], days[-1], len(sums)
    found.loss = max(-order[at], 0.0) * math.sqrt(found.request.days)
    found.worse = at
    found.shortfall = -statistics.fmean(order[:at]) if at else None
    found.worst = WorstDay(days[sums.index(order[0])], order[0])
    variance, moves = statistics.variance(sums), statistics.variance(marks)
    if moves and found.invested:
        found.beta = statistics.covariance(sums, marks) / moves / found.invested
    if moves and variance:
        found.correlation = statistics.correlation(sums, marks)
    found.swing = math.sqrt(variance * _YEAR)
    if variance:
        found.positions = [
            each._replace(part=statistics.covariance(own, sums) / variance)
            for each, own in zip(found.positions, gains, strict=True)
        ]
    found.positions.sort(key=lambda each: -each.part)


Say = Callable[[Message], str]


def risk_document(found: AccountRisk, say: Say = str) -> Json:
    """Return a risk as plain data. Money is in the base currency, to the cent; *_frac: 0.05 is 5 per cent.

    With something in `missing`, the figures are null.
    """
    known = not found.missing
    request, equity = found.request, found.equity
    part = found.invested / equity if equity else None

    def tell(value: float | None, places: int = 6) -> float | None:
        return round(value, places) if known and value is not None else None

    return {
        "currency": found.currency,
        "equity": tell(equity, 2),
        "invested": tell(found.invested, 2),
        "invested_frac": tell(part),
        "first": found.first or None,
        "last": found.last or None,
        "sessions": found.count,
        "level_pct": request.level,
        "days": request.days,
        "value_at_risk": tell(found.loss, 2),
        "value_at_risk_frac": tell(found.loss / equity if equity else None),
        "worse_days": found.worse if known else None,
        "shortfall": tell(found.shortfall, 2),
        "worst_day": {"date": found.worst.date, "gain": round(found.worst.gain, 2)} if found.worst else None,
        "benchmark": request.benchmark,
        "beta": tell(found.beta, 9),
        "beta_with_cash": tell(found.beta * part if found.beta is not None and part is not None else None, 4),
        "correlation": tell(found.correlation, 4),
        "swing_year": tell(found.swing, 2),
        "swing_year_frac": tell(found.swing / equity if equity else None),
        "positions": [
            {"symbol": each.symbol, "name": each.name, "value": round(each.value, 2), "part_frac": round(each.part, 6)}
            for each in found.positions
        ],
        "missing": [say(each) for each in found.missing],
        "simulated": found.simulated,
    }
