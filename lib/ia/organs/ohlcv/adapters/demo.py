"""The simulated market: well-known names with their real codes, and prices that are made up.

Deterministic and offline. The bar of a day depends on the symbol and the days before it, never on when it was
computed: each security is a stream of random numbers seeded by its code, drawn in a fixed order. Only `Random.random`
is used, which Python keeps stable, and only arithmetic that every machine rounds alike. Each market has a common
factor, so that stocks move together and an index looks like one.

From April 2024 to the end of 2026 the trading days are those of the exchanges. Before and after, a year has the fixed
holidays of the exchange (on the mainland the first week of October and of the lunar year), and movable feasts such as
Qingming or Thanksgiving are trading days here.
"""

import zlib
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from random import Random
from typing import TYPE_CHECKING

from ia.domain.instruments.symbols import Symbol, SymbolList, from_canonical
from ia.kernel import clock
from ia.kernel.errors import NotFound
from ia.organs.ohlcv.adapters import Fetched
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

START = "2015-01-05"
_SEED = 20150105


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoProfile:
    """How a security is simulated.

    price       first close           listed      first day, "" for START
    drift_ann   yearly return         vol_ann     yearly volatility of its own, beside beta times the market's
    beta        to the market         yield_frac  yearly cash dividend as part of the price
    bonus       largest bonus issue, shares per share held; a US or HK profile splits by it instead
    volume      shares of an ordinary day
    """

    price: float
    listed: str
    drift_ann: float
    vol_ann: float
    beta: float
    yield_frac: float
    bonus: float
    volume: float


# symbol  price listed drift vol beta yield bonus volume
_PROFILES = """
600519.SH 190 - .18 .20 .9 .016 0 3e6
300750.SZ 36 2018-06-11 .22 .32 1.2 .006 .8 22e6
000001.SZ 14 - .03 .20 1.0 .03 .2 90e6
002594.SZ 38 - .16 .32 1.2 .004 1 20e6
000858.SZ 21 - .14 .24 1.1 .025 0 25e6
601318.SH 72 - .04 .18 1.1 .03 1 60e6
600036.SH 16 - .09 .17 1.0 .035 0 70e6
601398.SH 4.8 - .04 .12 .6 .05 0 280e6
600900.SH 10.5 - .08 .12 .5 .035 0 60e6
601899.SH 3.4 - .14 .30 1.1 .02 0 200e6
000333.SZ 27 - .11 .22 1.0 .03 .5 35e6
000651.SZ 37 - .04 .23 1.0 .05 1 50e6
600276.SH 37 - .08 .26 .9 .004 .2 30e6
600030.SH 33 - .02 .26 1.4 .02 .2 150e6
300059.SZ 18 - .10 .38 1.6 .003 .6 220e6
601012.SH 10 - .12 .38 1.3 .008 .4 70e6
002415.SZ 22 - .07 .28 1.1 .02 .5 40e6
002475.SZ 29 - .15 .32 1.2 .004 .5 45e6
600887.SH 27 - .05 .20 .8 .035 0 45e6
601888.SH 44 - .08 .32 1.1 .01 1 14e6
300760.SZ 68 2018-10-16 .14 .26 .9 .012 0 4e6
688981.SH 82 2020-07-16 .06 .36 1.2 0 0 40e6
688041.SH 61 2022-08-12 .25 .45 1.3 .002 0 15e6
688256.SH 68 2020-07-20 .24 .55 1.3 0 0 9e6
000002.SZ 13.8 - -.05 .25 1.1 .03 0 90e6
600028.SH 6.5 - .03 .15 .7 .06 0 120e6
601857.SH 11 - .02 .16 .7 .04 0 110e6
601919.SH 5.2 - .08 .36 1.1 .04 0 90e6
600050.SH 4.9 - .03 .24 1.0 .015 0 180e6
000725.SZ 3.3 - .05 .26 1.1 .015 0 400e6
920982.BJ 148 2023-07-20 .10 .40 .9 .008 .3 1e6
510300.SH 3.55 - .04 .02 1.0 .015 0 500e6
510050.SH 2.45 - .04 .04 1.0 .02 0 400e6
510500.SH 5.6 - .03 .06 1.1 .008 0 120e6
512880.SH 1.0 2016-08-08 .03 .16 1.4 .005 0 600e6
518880.SH 2.4 - .10 .11 .05 0 0 200e6
588000.SH 1.42 2020-11-16 .02 .14 1.2 0 0 1500e6
159915.SZ 1.5 - .05 .12 1.3 0 0 700e6
000001.SH 3350 - .01 .02 .9 0 0 25e9
000300.SH 3640 - .02 .01 1.0 0 0 12e9
000905.SH 5300 - .02 .06 1.1 0 0 9e9
399001.SZ 11000 - .02 .05 1.1 0 0 28e9
399006.SZ 1520 - .05 .11 1.3 0 0 9e9
00700.HK 112 - .14 .22 1.1 .006 4 20e6
09988.HK 188 2019-11-26 .02 .32 1.2 .008 0 40e6
03690.HK 69 2018-09-20 .10 .38 1.3 0 0 30e6
01810.HK 16.8 2018-07-09 .14 .36 1.2 0 0 120e6
00005.HK 73 - .05 .16 .8 .055 0 20e6
00388.HK 172 - .08 .24 1.2 .025 0 6e6
02800.HK 24 - .02 .03 1.0 .03 0 90e6
HSI.HK 23700 - .01 .02 1.0 0 0 2e9
AAPL.US 106 - .22 .19 1.1 .006 3 60e6
MSFT.US 46 - .22 .17 1.0 .009 1 28e6
NVDA.US 20 - .45 .34 1.5 .001 9 45e6
GOOGL.US 26.5 - .17 .18 1.1 .003 1 30e6
AMZN.US 302 - .20 .22 1.2 0 19 50e6
META.US 77 - .20 .28 1.2 .002 0 20e6
TSLA.US 210 - .25 .45 1.6 0 4 90e6
BRK.B.US 148 - .11 .11 .8 0 0 4e6
JPM.US 62 - .12 .18 1.1 .025 0 11e6
KO.US 42 - .06 .12 .5 .03 0 14e6
BABA.US 101 - .02 .32 1.1 .006 0 18e6
SPY.US 201 - .10 .01 1.0 .014 0 80e6
QQQ.US 102 - .15 .07 1.2 .006 0 40e6
SPX.US 2020 - .10 .005 1.0 0 0 4e9
"""

# market drift and daily volatility by regime: bull, bear, sideways, crash
_REGIMES = ((0.0009, 0.009), (-0.0008, 0.011), (0.0001, 0.007), (-0.004, 0.024))
_HOLIDAYS = {
    "CN": ("01-01", "05-01", *(f"10-{day:02d}" for day in range(1, 8))),
    "HK": ("01-01", "05-01", "07-01", "10-01", "12-25", "12-26"),
    "US": ("01-01", "06-19", "07-04", "12-25"),
}
_NEW_YEAR = (
    "2015-02-19",
    "2016-02-08",
    "2017-01-28",
    "2018-02-16",
    "2019-02-05",
    "2020-01-25",
    "2021-02-12",
    "2022-02-01",
    "2023-01-22",
    "2024-02-10",
    "2025-01-29",
    "2026-02-17",
    "2027-02-06",
    "2028-01-26",
    "2029-02-13",
    "2030-02-03",
)


_ALIKE = ("2024-04-01", "2026-12-31")
"""First and last day on which the trading days are those of the exchanges. Earlier prices stay what they were."""
_MORE_HOLIDAYS = {
    "CN": """
        2024-04-04 2024-04-05 2024-05-02 2024-05-03 2024-06-10 2024-09-16 2024-09-17
        2025-02-04 2025-04-04 2025-05-02 2025-05-05 2025-06-02 2025-10-08
        2026-01-02 2026-02-23 2026-04-06 2026-05-04 2026-05-05 2026-06-19 2026-09-25
    """,
    "HK": """
        2024-04-01 2024-04-04 2024-05-15 2024-06-10 2024-09-06 2024-09-18 2024-10-11
        2025-04-04 2025-04-18 2025-04-21 2025-05-05 2025-10-07 2025-10-29
        2026-04-03 2026-04-06 2026-04-07 2026-05-25 2026-06-19 2026-10-19
    """,
    "US": """
        2024-05-27 2024-09-02 2024-11-28
        2025-01-09 2025-01-20 2025-02-17 2025-04-18 2025-05-26 2025-09-01 2025-11-27
        2026-01-19 2026-02-16 2026-04-03 2026-05-25 2026-07-03 2026-09-07 2026-11-26
    """,
}
"""Weekdays in that time on which an exchange is closed though the rule of the other years has them open."""


class Demo:
    """The adapter of the simulated market."""

    name = "demo"
    simulated = True
    local = False

    def fetch(self, symbol: Symbol, start: str | None = None, end: str | None = None) -> Fetched:
        """Return simulated bars up to the last session that has closed."""
        bars, _ = _visible_series(symbol)
        return Fetched(symbol, bars.between_dates(start, end), "simulated", name=from_canonical(symbol.canonical).name)

    def normalize(self, fetched: Fetched) -> Bars:
        """Return the bars, which are canonical as they are."""
        assert isinstance(fetched.raw, Bars)
        return fetched.raw

    def actions(self, symbol: Symbol) -> "list[Action]":
        """Return the simulated dividends, bonus issues and splits up to the last session that has closed."""
        return list(_visible_series(symbol)[1])

    def lookup(self, text: str) -> list[Symbol]:
        """Return nothing: all simulated securities stand in the bundled table."""
        return []


def simulated_symbols() -> list[Symbol]:
    """Return the simulated securities."""
    return [from_canonical(canonical) for canonical in _load_profiles()]


def simulated_bar(symbol: Symbol, day: str) -> tuple[float, tuple[float, float, float, float, int]] | None:
    """Return the close before a day and the day's whole bar (open, high, low, close, volume), whatever the time is.

    None where the security does not trade that day. For the unfinished bars of the present only: it looks ahead.
    raises  NotFound where it is not simulated.
    """
    profile = _load_profiles().get(symbol.canonical)
    if profile is None:
        raise NotFound("{symbol} is not in the simulated market", symbol=symbol)
    bars, actions = _simulate_series(symbol, profile, day)
    if len(bars.date) < 2 or bars.date[-1] != day:
        return None
    from ia.organs.ohlcv.adjustment import reference_price

    before = bars.close[-2]
    if actions and actions[-1].date == day:
        before = reference_price(before, bars.date[-2], day, actions)
    return before, (bars.open[-1], bars.high[-1], bars.low[-1], bars.close[-1], bars.volume[-1])


def scheduled_ex_date(symbol: Symbol, year: int) -> str:
    """Return the ex-date that a simulated security plans for a year, "" for none; a suspension may put it off.

    The name and the calendar decide it, so that it is no glance at later prices.
    """
    profile = _load_profiles().get(symbol.canonical)
    if profile is None or not (profile.yield_frac or profile.bonus):
        return ""
    payday = f"{year}-{_Plan(symbol, profile, _seeded_random(symbol.canonical)).payday}"
    if payday <= max(profile.listed, START):
        return ""
    days = _trading_days(symbol.market, f"{year}-12-31")
    return days[bisect_left(days, payday)]


def simulated_days(market: str, last: str) -> list[str]:
    """Return the simulated trading days of a market up to a day, YYYY-MM-DD, oldest first."""
    return _trading_days(market, last)


def simulated_rate(currency: str, day: str) -> float:
    """Return the simulated rate of a currency on a day: yuan for one unit, to four decimals.

    The dollar swings within 3 % of 6.85 over some two and a half years; the Hong Kong dollar stays near a 7.8th of it.

    >>> simulated_rate("USD", "2024-03-15"), simulated_rate("HKD", "2024-03-15")
    (6.7053, 0.8601)
    """
    place = date.fromisoformat(day).toordinal() % 900
    wave = (place if place < 450 else 900 - place) * 4 - 900  # -900 … 900
    noise = zlib.crc32(f"USD {day}".encode()) % 401 - 200
    dollar = 68_500 + 2 * wave + noise  # ten-thousandths of a yuan
    if currency == "USD":
        return dollar / 10_000
    own = zlib.crc32(f"{currency} {day}".encode()) % 41 - 20
    return round(dollar * 10 / 78 + own) / 10_000


def _visible_series(symbol: Symbol) -> "tuple[Bars, list[Action]]":
    profile = _load_profiles().get(symbol.canonical)
    if profile is None:
        listed = SymbolList(map(from_canonical, ("600519.SH", "300750.SZ", "00700.HK", "SPY.US")))
        raise NotFound(
            "{symbol} is not in the simulated market",
            code="not-simulated",
            hint="the simulated market has {listed} and others; for real prices, use `--adapter akshare`",
            symbol=symbol,
            listed=listed,
        )
    return _simulate_series(symbol, profile, clock.last_visible_date(symbol.market, clock.wall_time()))


@cache
def _load_profiles() -> dict[str, DemoProfile]:
    rows = {}
    for line in _PROFILES.strip().splitlines():
        canonical, price, listed, *numbers = line.split()
        drift, volatility, beta, dividends, bonus, volume = map(float, numbers)
        rows[canonical] = DemoProfile(
            price=float(price),
            listed=listed.strip("-") and listed,
            drift_ann=drift,
            vol_ann=volatility,
            beta=beta,
            yield_frac=dividends,
            bonus=bonus,
            volume=volume,
        )
    return rows


@cache
def _trading_days(market: str, last: str) -> list[str]:
    """Return the simulated trading days of a market from START to `last`."""
    fixed = frozenset(_HOLIDAYS[market])
    closed = set(_MORE_HOLIDAYS[market].split())
    if market != "US":
        before, after = (1, 6) if market == "CN" else (0, 3)
        for text in _NEW_YEAR:
            first = date.fromisoformat(text)
            closed |= {(first + timedelta(days=n)).isoformat() for n in range(-before, after)}
    days = []
    day, end, step = date.fromisoformat(START), date.fromisoformat(last), timedelta(days=1)
    while day <= end:
        if day.weekday() < 5:
            text = day.isoformat()
            if text[5:] not in fixed and text not in closed:
                days.append(text)
        day += step
    return days


def _seeded_random(name: str) -> Random:
    return Random(zlib.crc32(name.encode()) * 100_000_000 + _SEED)


def _draw_regimes(rng: Random) -> Iterator[tuple[float, float]]:
    """Yield drift and volatility of each day: regimes of some months, and shocks that fade (volatility clusters)."""
    draw = rng.random
    drift, base, left, shock = 0.0, 0.01, 0, 0.0
    while True:
        if left == 0:
            kind = draw()
            index = 0 if kind < 0.40 else 1 if kind < 0.62 else 2 if kind < 0.95 else 3
            drift, base = _REGIMES[index]
            left = 8 + int(draw() * 12) if index == 3 else 40 + int(draw() * 180)
        left -= 1
        shock *= 0.93
        if draw() < 0.012:
            shock += 0.6 + draw()
        yield drift, base * (1.0 + shock)


@cache
def _market_returns(market: str, last: str) -> list[float]:
    """Return the market's common daily returns."""
    rng = _seeded_random("market " + market)
    draw = rng.random
    return [
        drift + vol * 1.732 * (draw() + draw() + draw() + draw() - 2.0)
        for _, (drift, vol) in zip(_trading_days(market, last), _draw_regimes(rng), strict=False)
    ]


@lru_cache(maxsize=128)
def _simulate_series(symbol: Symbol, profile: DemoProfile, last: str) -> "tuple[Bars, list[Action]]":
    """Return the bars and actions of one security up to `last`: one pass over the days, in the order of the draws.

    Kept for whoever asks for the actions after the bars, and for a sync, which asks for all securities twice.
    """
    bars = Bars.from_rows([])
    actions: list[Action] = []
    rng = _seeded_random(symbol.canonical)
    draw = rng.random
    plan = _Plan(symbol, profile, rng)
    ticks = 1000 if symbol.kind in ("etf", "bond") and symbol.market == "CN" else 100
    own_vol = profile.vol_ann / 15.87 * 1.732
    daily_drift = profile.drift_ann / 245.0
    trend = close = profile.price
    volume, suspended, mood = profile.volume, 0, 0.0
    for day, market in zip(_trading_days(symbol.market, last), _market_returns(symbol.market, last), strict=True):
        if day < profile.listed:
            continue
        noise = draw() + draw() + draw() + draw() - 2.0
        event, busy = draw(), draw()
        shape = draw(), draw(), draw()
        trend *= 1.0 + daily_drift
        if suspended:
            suspended -= 1
            continue
        if event < plan.suspension and bars.date:
            suspended = int(event / plan.suspension * 12)
            continue
        reference = close
        action = plan.due_action(day, close) if bars.date else None
        if action is not None:
            actions.append(action)
            shares = (1.0 + action.bonus) * action.split
            reference = _round_to_tick((close - action.cash) / shares, ticks)
            trend = (trend - action.cash) / shares
            volume *= 1.0 + (shares - 1.0) * 0.3
        mood = mood * 0.94 + (0.5 if event > 0.985 else 0.0)
        pull = (trend - reference) / (trend + reference) * 0.01
        change = profile.beta * market + own_vol * (1.0 + mood) * noise + pull
        spread = own_vol * (3.0 if event > 0.97 else 0.4), (own_vol + 0.004) * (0.5 + mood)
        prices = _draw_prices(reference, change, plan.daily_limit(day), spread, shape, ticks)
        close = prices[3]
        activity = (0.55 + busy * 0.7) * (1.0 + 14.0 * abs(change)) * (1.0 + mood * 0.5)
        bars.date.append(day)
        for column, price in zip(bars[1:5], prices, strict=True):
            column.append(price)
        bars.volume.append(int(volume * activity / 100.0) * 100)
    return bars, actions


def _draw_prices(
    reference: float,
    change: float,
    limit: float,
    spread: tuple[float, float],
    shape: tuple[float, float, float],
    ticks: int,
) -> tuple[float, float, float, float]:
    """Return open, high, low, close in ticks and within the day's limits, from the reference price and its change.

    spread  how far the open may jump and the range reach, as parts of the price; shape  where in them, from 0 to 1
    """
    gap, up, down = shape
    floor = max(_round_to_tick(reference * (1.0 - limit), ticks), 0.01)
    ceiling = _round_to_tick(reference * (1.0 + limit), ticks)
    close = min(max(_round_to_tick(reference * (1.0 + change), ticks), floor), ceiling)
    jump = 1.0 + change * (gap - 0.3) * 0.8 + (gap - 0.5) * spread[0]
    first = min(max(_round_to_tick(reference * jump, ticks), floor), ceiling)
    reach = reference * spread[1]
    high = min(_round_to_tick(max(first, close) + reach * up * up, ticks), ceiling)
    low = max(_round_to_tick(min(first, close) - reach * down * down, ticks), floor)
    return first, high, low, close


def _round_to_tick(price: float, ticks: int) -> float:
    """Return a price rounded half up to 1 / ticks, as exchanges do; the tiny addend undoes binary fractions."""
    return int(price * ticks + 0.500001) / ticks


class _Plan:
    """What is particular to a security: its price limit, its suspensions, its dividends, bonus issues and splits."""

    def __init__(self, symbol: Symbol, profile: DemoProfile, rng: Random) -> None:
        self.symbol, self.profile, self.rng = symbol, profile, rng
        stock = symbol.kind == "stock"
        self.suspension = 0.0 if not stock else 0.0025 if symbol.market == "CN" else 0.0002
        self.payday = f"{4 + int(rng.random() * 4):02d}-{1 + int(rng.random() * 27):02d}"
        self.paid = ""
        self.first_price = profile.price
        code = symbol.code
        self.wide = code.startswith(("300", "301")) and stock
        self.base = 9.0 if symbol.market != "CN" or symbol.kind == "index" else 0.1
        if symbol.exchange == "BJ":
            self.base = 0.3
        elif code.startswith(("688", "588")):
            self.base = 0.2

    def daily_limit(self, day: str) -> float:
        """Return the largest daily move as part of the reference price, by the exchange's rule of that day."""
        if self.wide and day >= "2020-08-24":
            return 0.2
        return self.base

    def due_action(self, day: str, close: float) -> "Action | None":
        """Return the action whose ex-date is today: once a year, the first trading day from the payday on."""
        if day[:4] == self.paid or day[5:] < self.payday:
            return None
        self.paid = day[:4]
        share, split = self.rng.random(), self.rng.random()
        profile = self.profile
        cash = round(close * profile.yield_frac * (0.7 + 0.6 * share), 3)
        ratio = 0.0
        if profile.bonus and close > 2.2 * self.first_price and split < 0.6:
            ratio = profile.bonus
        if not cash and not ratio:
            return None
        from ia.organs.ohlcv.adjustment import Action

        if self.symbol.market == "CN":
            return Action(day, cash=cash, bonus=ratio)
        return Action(day, cash=cash, split=1.0 + ratio)
