"""The walk over one security comes to what the whole exchange comes to, to the byte, whatever the market does."""

import random
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.exchange import Terms
from ia.faculties.lab.rule_runs import RuleRun, evaluate_signals
from ia.faculties.lab.run_market import build_market
from ia.faculties.lab.run_types import EQUAL, PositionSize, RuleSettings
from ia.faculties.lab.securities import Security
from ia.faculties.lab.single_runs import run_single
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

NAMES = ("600519.SH", "000001.SZ", "300750.SZ", "688981.SH", "920002.BJ", "510300.SH", "AAPL.US", "00700.HK")
RULES = (
    ("crossover(sma(close, 2), sma(close, 5))", "crossunder(sma(close, 2), sma(close, 5))"),
    ("close > ref(close, 1)", "close < ref(close, 1)"),
    ("close > open", ""),
)


def weekdays(count, first):
    days, day = [], first
    while len(days) < count:
        if day.weekday() < 5:
            days.append(day.isoformat())
        day += timedelta(1)
    return days


def invent_actions(chance, days, closes):
    for at in sorted(chance.sample(range(len(days)), 5)):
        yield chance.choice(
            (
                Action(days[at], cash=round(float(closes[at]) * 0.03, 3)),
                Action(days[at], bonus=0.3),
                Action(days[at], split=chance.choice((2.0, 0.5, 1.5, 0.01))),
            )
        )


def invent_security(chance, name, days):
    """Prices with limit days and little volume, days without a bar, corporate actions."""
    numbers = np.random.default_rng(chance.randrange(1 << 30))
    count, spread = len(days), chance.choice((0.01, 0.05))
    close = np.round(chance.choice((0.9, 8, 120)) * np.exp(np.cumsum(numbers.normal(0, spread, count))), 2).clip(0.05)
    before = np.concatenate([close[:1], close[:-1]])
    opens = np.round(before * (1 + numbers.normal(0, spread / 2, count)), 2).clip(0.05)
    for at in numbers.integers(1, count, count // 8):
        opens[at] = close[at] = max(round(before[at] * chance.choice((1.1, 0.9, 1.05, 0.95)), 2), 0.05)
    wide = np.round(close * (numbers.random(count) > 0.3) * 0.01, 2)
    high, low = np.maximum(opens, close) + wide, (np.minimum(opens, close) - wide).clip(0.01)
    volume = (numbers.lognormal(chance.choice((5, 12)), 1, count)).astype(np.int64) * 100
    rows = np.nonzero(numbers.random(count) > chance.choice((0, 0.1)))[0]
    columns = [column[rows] for column in (opens, high, low, close, volume)]
    return Security(
        symbol=from_canonical(name),
        bars=Bars._make([[days[row] for row in rows], *columns]),
        actions=tuple(invent_actions(chance, days, close)) if chance.random() < 0.7 else (),
        st_days=frozenset(chance.sample(days, len(days) // 5)),
        listed=chance.choice((None, days[0], days[9])),
    )


@pytest.mark.parametrize("seed", range(120))
def test_the_walk_is_the_exchange(seed):
    chance = random.Random(seed)
    days = weekdays(120, date(chance.choice((2001, 2008, 2015, 2022)), chance.randrange(1, 13), 3))
    market = build_market([invent_security(chance, chance.choice(NAMES), days)])
    if chance.random() < 0.5:
        market = replace(market, trading_days=tuple(days))
    entry, leave = chance.choice(RULES)
    amounts = (PositionSize("percent", Decimal(100)), EQUAL, PositionSize("money", Decimal(30_000)))
    settings = RuleSettings(
        entry=entry,
        exit=leave,
        size=chance.choice((*amounts, PositionSize("shares", Decimal(chance.choice((100, 150)))))),
        cash=Decimal(chance.choice(("5000", "100000", "1000000.55"))),
        since=chance.choice(("", days[30])),
        until=chance.choice(("", days[90])),
        terms=Terms(
            commission_pct=Decimal("0.025"),
            commission_min=Decimal(5),
            volume_cap_pct=chance.choice((None, Decimal(10))),
        ),
    )
    table = evaluate_signals(settings, market)
    walked = run_single(settings, market, table)
    whole = RuleRun(settings, market, table).run()
    if walked is not None:
        assert repr(walked) == repr(whole)
    else:  # a split of shares that were asked for by number, or one that left nothing
        assert any(action.split != 1 for each in market.securities.values() for action in each.actions)


def test_what_needs_the_whole_exchange_is_left_to_it():
    market = build_market([invent_security(random.Random(1), "600519.SH", weekdays(60, date(2022, 1, 3)))])
    plain = RuleSettings(entry="close > open")
    table = evaluate_signals(plain, market)
    assert run_single(plain, market, table) is not None
    for settings in (
        replace(plain, stop_pct=Decimal(5)),
        replace(plain, target_pct=Decimal(5)),
        replace(plain, rebalance="weekly"),
        replace(plain, size=PositionSize("shares", Decimal("10.5"))),
    ):
        assert run_single(settings, market, table) is None
