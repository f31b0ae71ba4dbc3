"""A made-up mainland market: deterministic unadjusted bars, dividends, bonus issues, suspensions, new listings."""

import random
import zlib
from datetime import date, timedelta
from typing import NamedTuple

HOLIDAYS = """
2022 01-03 01-31 02-01 02-02 02-03 02-04 04-04 04-05 05-02 05-03 05-04 06-03 09-12 10-03 10-04 10-05 10-06 10-07
2023 01-02 01-23 01-24 01-25 01-26 01-27 04-05 05-01 05-02 05-03 06-22 06-23 09-29 10-02 10-03 10-04 10-05 10-06
2024 01-01 02-09 02-12 02-13 02-14 02-15 02-16 04-04 04-05 05-01 05-02 05-03 06-10 09-16 09-17 10-01 10-02 10-03
2024 10-04 10-07
2025 01-01 01-28 01-29 01-30 01-31 02-03 02-04 04-04 05-01 05-02 05-05 06-02 10-01 10-02 10-03 10-06 10-07 10-08
2026 01-01 01-02 02-16 02-17 02-18 02-19 02-20 02-23 04-06 05-01 05-04 05-05 06-19 09-25 10-01 10-02 10-05 10-06
2026 10-07
"""
CLOSED = {f"{line[:4]}-{day}" for line in HOLIDAYS.strip().splitlines() for day in line.split()[1:]}
REAL = {"600519.SH": "贵州茅台", "000001.SZ": "平安银行", "300750.SZ": "宁德时代", "688981.SH": "中芯国际"}
INDUSTRIES = [
    "白酒",
    "银行",
    "半导体",
    "电池",
    "证券",
    "汽车整车",
    "医疗器械",
    "化学制药",
    "电力",
    "煤炭",
    "钢铁",
    "房地产",
    "软件开发",
    "通信设备",
    "家电",
    "食品饮料",
]
CONCEPTS = [
    "人工智能",
    "新能源车",
    "芯片",
    "储能",
    "机器人",
    "创新药",
    "高股息",
    "中字头",
    "光伏",
    "消费电子",
    "军工",
    "数字经济",
]


def trading_days(start, count):
    """The first `count` trading days of Shanghai from `start` on, YYYY-MM-DD (weekdays before 2022 and after 2026)."""
    days, day = [], date.fromisoformat(start)
    while len(days) < count:
        if day.weekday() < 5 and day.isoformat() not in CLOSED:
            days.append(day.isoformat())
        day += timedelta(days=1)
    return days


def codes(count, etfs=0):
    """`count` canonical symbols of all boards, in the market's proportions, and `etfs` funds."""
    found = list(REAL)[:count]
    starts = {"SH": 600000, "SZ": 1, "30": 300001, "688": 688001, "BJ": 920001}
    pattern = [
        "SH",
        "SZ",
        "30",
        "SH",
        "SZ",
        "30",
        "SH",
        "SZ",
        "688",
        "SH",
        "SZ",
        "30",
        "SH",
        "SZ",
        "688",
        "BJ",
        "SH",
        "SZ",
        "30",
        "30",
    ]
    i = 0
    while len(found) < count:
        board = pattern[i % len(pattern)]
        code = f"{starts[board]:06d}"
        starts[board] += 1
        i += 1
        symbol = f"{code}.{'SH' if board in ('SH', '688') else 'BJ' if board == 'BJ' else 'SZ'}"
        if symbol not in REAL:
            found.append(symbol)
    return found + [f"{510300 + 10 * n}.SH" if n % 2 == 0 else f"{159900 + n}.SZ" for n in range(etfs)]


class Bar(NamedTuple):
    """An unadjusted day: prices in yuan, `prev` the reference price, volume in shares (whole lots), amount in yuan."""

    date: str
    prev: float
    open: float
    high: float
    low: float
    close: float
    volume: int
    amount: float


class Action(NamedTuple):
    date: str
    cash: float = 0.0
    bonus: float = 0.0


class Market:
    """Deterministic unadjusted bars for symbols over trading days, with dividends, bonus issues and suspensions.

    symbols     how many, or canonical symbols      start, days    first day, and how many or which trading days
    events      chance a day of a dividend; half as often a bonus issue or a suspension of one to three days
    """

    def __init__(self, symbols=200, start="2024-01-02", days=60, seed=1, events=0.004, etfs=0):
        self.symbols = codes(symbols, etfs) if isinstance(symbols, int) else list(symbols)
        self.days = trading_days(start, days) if isinstance(days, int) else list(days)
        self.by_code = {symbol[:6]: symbol for symbol in self.symbols}
        self.seed, self.events = seed, events
        self.listed, self.fixed, self.idle, self._series = {}, {}, {}, {}
        self.at(self.days[-1])

    def at(self, day, clock="15:00:00"):
        """Set the market's clock. In the session the day's bar is only half made."""
        self.day, self.clock = day, clock

    @property
    def today(self):
        """The last trading day whose session has begun."""
        return [day for day in self.days if day < self.day or (day == self.day and self.clock >= "09:30:00")][-1]

    def act(self, symbol, day, cash=0.0, bonus=0.0):
        """Let a symbol go ex on a day: cash and new shares, both for one share."""
        self.fixed.setdefault(symbol, {})[day] = Action(day, cash, bonus)
        self._series.pop(symbol, None)

    def suspend(self, symbol, first, last=None):
        """Let a symbol not trade from `first` to `last`."""
        self.idle.setdefault(symbol, set()).update(d for d in self.days if first <= d <= (last or first))
        self._series.pop(symbol, None)

    def list(self, symbol, day):
        """Let a symbol be new on a day."""
        self.listed[symbol] = day
        self._series.pop(symbol, None)

    def bars(self, symbol):
        """The bars of a symbol up to now; days without trading are missing."""
        today = self.today
        found = [bar for bar in self._whole(symbol)[0] if bar.date <= today]
        if found and found[-1].date == self.day and self.clock < "15:00:00":
            found[-1] = _half(found[-1])
        return found

    def actions(self, symbol):
        """The corporate actions of a symbol with an ex-date up to now."""
        return [action for action in self._whole(symbol)[1] if action.date <= self.today]

    def shares(self, symbol, day):
        """How many shares there are on a day."""
        count = 1e8 * (1 + 40 * chance(self.seed, symbol, "shares"))
        for action in self._whole(symbol)[1]:
            if action.date <= day:
                count *= 1 + action.bonus
        return int(count)

    def industry(self, symbol):
        return INDUSTRIES[zlib.crc32(symbol.encode()) % len(INDUSTRIES)]

    def concepts(self, symbol):
        at = zlib.crc32(b"c" + symbol.encode())
        return sorted({CONCEPTS[at % len(CONCEPTS)], CONCEPTS[at // 7 % len(CONCEPTS)]})

    def name(self, symbol):
        return REAL.get(symbol) or f"{'基金' if is_etf(symbol) else '股份'}{symbol[:6]}"

    def _whole(self, symbol):
        if symbol not in self._series:
            self._series[symbol] = self._made(symbol)
        return self._series[symbol]

    def _made(self, symbol):
        rng = random.Random(f"{self.seed} {symbol}").random
        fixed, idle, listed = self.fixed.get(symbol, {}), self.idle.get(symbol, ()), self.listed.get(symbol, "")
        tick = 1000 if is_etf(symbol) else 100
        close = int((3 + 60 * rng() ** 3) * tick)
        shares = 1e8 * (1 + 40 * chance(self.seed, symbol, "shares"))
        limit = 0.3 if symbol.endswith("BJ") else 0.2 if symbol[:2] in ("30", "68") else 0.1
        bars, actions, pause = [], [], 0
        for day in self.days:
            event, move, first, up, down, busy = rng(), rng() + rng() + rng() - 1.5, rng(), rng(), rng(), rng()
            if day < listed:
                continue
            if not is_etf(symbol) and bars and event < self.events:
                actions.append(Action(day, cash=round(close / tick * 0.02 * (1 + busy), 2)))
            elif not is_etf(symbol) and bars and event < 1.5 * self.events:
                actions.append(Action(day, cash=0.1, bonus=0.3))
            elif bars and event < 2 * self.events:
                pause = 1 + int(busy * 3)
            if day in fixed:
                actions[:] = [action for action in actions if action.date != day] + [fixed[day]]
            if pause or day in idle:
                pause = max(0, pause - 1)
                if actions and actions[-1].date == day:
                    actions.pop()
                continue
            prev = close
            if actions and actions[-1].date == day:
                prev = int((close / tick - actions[-1].cash) / (1 + actions[-1].bonus) * tick + 0.5000001)
            top, bottom = int(prev * (1 + limit) + 0.5000001), max(1, int(prev * (1 - limit) + 0.5000001))
            move *= 3 if event > 0.98 else 1
            close = min(max(int(prev * (1 + 0.045 * move) + 0.5), bottom), top)
            opened = min(max(int(prev * (1 + 0.02 * (first - 0.5)) + 0.5), bottom), top)
            high = min(int(max(opened, close) * (1 + 0.02 * up * up) + 0.5), top)
            low = max(int(min(opened, close) * (1 - 0.02 * down * down) + 0.5), bottom)
            volume = int(shares * 0.01 * (0.3 + busy * busy * 2) / 100) * 100
            mean = (opened + high + low + close) / 4 / tick
            bars.append(
                Bar(day, *(p / tick for p in (prev, opened, high, low, close)), volume, round(volume * mean, 2))
            )
        return bars, actions


def _half(bar):
    price = round((bar.open + bar.close) / 2, 3 if round(bar.open, 2) != bar.open else 2)
    high, low, volume = max(bar.open, price), min(bar.open, price), bar.volume // 200 * 100
    return bar._replace(high=high, low=low, close=price, volume=volume, amount=round(volume * (high + low) / 2, 2))


def chance(*words):
    return zlib.crc32(" ".join(map(str, words)).encode()) / 2**32


def is_etf(symbol):
    return symbol[:2] in ("51", "15", "56", "58")
