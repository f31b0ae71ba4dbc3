"""Rules on each security alone come to what a run of that security comes to."""

from dataclasses import replace
from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.each_runs import each_document, run_each
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_figures import figures_document, hold_yardsticks
from ia.faculties.lab.run_market import build_market
from ia.faculties.lab.run_types import PositionSize, RuleSettings
from ia.faculties.lab.securities import Security
from ia.kernel.errors import NotFound
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

CODES = ("600519.SH", "000001.SZ", "300750.SZ", "688981.SH", "600036.SH")
PLAIN = RuleSettings(
    entry="close > ref(close, 1)", exit="close < ref(close, 1)", size=PositionSize("percent", Decimal(100))
)


def invent(name, seed):
    """Prices that wander by a fixed rule, some days left out, one of them beyond the limit."""
    rows, price = [], 10.0 + seed
    for at in range(120):
        if (at * 7 + seed) % 11 == 0:
            continue
        day = f"2023-{at // 28 + 1:02d}-{at % 28 + 1:02d}"
        price = round(price * (1 + ((at * 37 + seed * 13) % 21 - 10) / 100), 2)
        rows.append((day, round(price * 0.99, 2), round(price * 1.02, 2), round(price * 0.97, 2), price, 900_000))
    acts = (Action(rows[40][0], cash=0.2), Action(rows[70][0], bonus=0.3)) if seed % 2 else ()
    return Security(symbol=from_canonical(name), bars=Bars.from_rows(rows), actions=acts)


MARKET = build_market([invent(name, seed) for seed, name in enumerate(CODES)])


@pytest.mark.parametrize(
    "settings", [PLAIN, replace(PLAIN, since="2023-02-01", until="2023-04-01"), replace(PLAIN, stop_pct=Decimal(5))]
)
def test_a_row_is_the_run_of_the_security_alone(settings):
    found = run_each(settings, MARKET)
    assert [row.symbol for row in found.rows] == sorted(CODES)
    left = []
    for row in found.rows:
        alone = build_market([MARKET.securities[row.symbol]])
        result = run_rules(settings, alone)
        figures = figures_document(result, hold_yardsticks(result, alone))
        assert (row.first, row.last) == (figures["first"], figures["last"])
        for name in ("return_frac", "max_drawdown_frac", "sharpe", "fees"):
            assert getattr(row, name) == pytest.approx(figures[name], abs=1e-12), name
        assert row.hold_frac == pytest.approx(figures["compare"]["buy_and_hold"]["return_frac"], abs=1e-12)
        assert (row.trades, row.win_rate_frac) == (figures["trades"]["closed"], figures["trades"]["win_rate_frac"])
        assert row.orders == len(result.orders)
        left += [each for each in result.orders if each.status != "filled"]
    assert list(found.unfilled) == left
    document = each_document(settings, MARKET, found)
    assert document["orders"]["given"] - document["orders"]["filled"] == len(left)
    assert document["returns"]["lowest"] <= document["returns"]["median"] <= document["returns"]["highest"]


def test_no_bar_in_the_time():
    with pytest.raises(NotFound):
        run_each(replace(PLAIN, since="2025-01-01"), MARKET)
