"""Securities side by side: each figure is what `compute` gives, each relation what the closes give by hand."""

import math
import statistics

import pytest

from ia.kernel.errors import NotFound, UsageError
from ia.organs.compute.calculate import calculate_expression
from ia.organs.ohlcv.history import BarsRequest, load_history
from ia.wiring.comparison import FEW_COMMON, CompareRequest, Side, compare_securities, describe_comparison, relate


@pytest.fixture
def demo(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:30:00+08:00")
    return ws


def closes_of(ws, symbol):
    bars = load_history(ws, BarsRequest(symbol=symbol)).bars
    return dict(zip(bars.date, bars.close, strict=True)), bars


def test_figures_are_those_of_compute_and_relations_those_of_numpy(demo):
    np = pytest.importorskip("numpy")
    found = compare_securities(demo, CompareRequest(("300750", "002594", "AAPL")))
    for code in ("300750.SZ", "002594.SZ", "AAPL.US"):
        _, bars = closes_of(demo, code)

        def value(source, bars=bars):
            return calculate_expression(source, lambda: bars).value[-1]

        own = found.figures[code]
        assert own["return_20d_pct"] == value("roc(close, 20)")
        assert own["volatility_ann_pct"] == value("stdev(roc(close, 1), 250, 1) * sqrt(250)")
        assert own["max_drawdown_pct"] == value("drawdown(close, 250) * 100")
        before = max(date for date in bars.date if date < "2024")
        assert own["return_ytd_pct"] == pytest.approx(
            (bars.close[-1] / bars.close[bars.date.index(before)] - 1) * 100, abs=1e-9
        )
    (one, _), (other, _) = closes_of(demo, "300750"), closes_of(demo, "AAPL")
    days = sorted(one.keys() & other.keys())[-251:]
    a, b = (np.diff([each[day] for day in days]) / [each[day] for day in days[:-1]] for each in (one, other))
    pair = next(each for each in found.relations if (each.one, each.other) == ("300750.SZ", "AAPL.US"))
    assert pair.correlation == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-12)
    assert pair.beta == pytest.approx(np.cov(a, b)[0, 1] / np.var(b, ddof=1), abs=1e-12)
    assert (pair.returns, pair.first, pair.last) == (250, days[0], days[-1])
    assert found.betas["AAPL.US"].other == "SPY.US"
    assert found.betas["300750.SZ"].other == "000300.SH"


def test_a_window_begins_at_the_close_before_since(demo):
    found = compare_securities(demo, CompareRequest(("300750", "002594"), since="2024-02-01"))
    closes, bars = closes_of(demo, "300750")
    base = max(date for date in bars.date if date < "2024-02-01")
    assert found.figures["300750.SZ"]["return_window_pct"] == pytest.approx(
        (bars.close[-1] / closes[base] - 1) * 100, abs=1e-9
    )
    assert describe_comparison(found)["securities"][0]["window_first"] == base
    pair = found.relations[0]
    assert pair.first == base
    assert pair.returns == sum(date >= "2024-02-01" for date in bars.date)


def test_an_index_has_no_beta_to_itself_and_a_named_benchmark_counts_for_all(demo):
    found = compare_securities(demo, CompareRequest(("000300.SH", "300750")))
    assert found.betas["000300.SH"].why == "is-the-index"
    named = compare_securities(demo, CompareRequest(("300750", "AAPL"), benchmark="000300.SH"))
    assert {each.other for each in named.betas.values()} == {"000300.SH"}


def test_too_few_common_sessions_give_no_relation(demo):
    _, bars = closes_of(demo, "300750")
    symbol = load_history(demo, BarsRequest(symbol="300750")).symbol
    side = Side(symbol=symbol, name="", bars=bars, source="demo", simulated=True)
    short = side._replace(bars=bars.slice_bars(-20))
    assert relate(side, short, CompareRequest(())).why == FEW_COMMON
    enough = relate(side, side._replace(bars=bars.slice_bars(-30)), CompareRequest(()))
    assert math.isclose(enough.correlation, 1.0)
    assert enough.returns == 29


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (CompareRequest(("300750", "宁德时代")), UsageError),
        (CompareRequest(("300750", "002594"), since="2024-03-02", until="2024-03-01"), UsageError),
        (CompareRequest(("300750", "301999.SZ")), NotFound),
        (CompareRequest(tuple(f"60{i:04}" for i in (519, 36, 0, 9, 10, 11, 15, 16, 18, 19, 28))), UsageError),
    ],
)
def test_bad_requests(demo, request_, error):
    with pytest.raises(error):
        compare_securities(demo, request_)


def test_the_past_sees_nothing_later(demo, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-01-15T16:30:00+08:00")
    found = compare_securities(demo, CompareRequest(("300750", "002594")))
    assert {side.bars.date[-1] for side in found.sides} == {"2024-01-15"}
    assert statistics.fmean(v is not None for v in found.figures["300750.SZ"].values()) == 1.0
