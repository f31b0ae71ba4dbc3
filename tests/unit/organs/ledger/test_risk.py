"""The risk of what is held: against numpy and sums done by hand, with a dividend inside, and where it cannot be told."""

from datetime import date, timedelta

import numpy as np
import pytest

from ia.kernel.errors import UsageError
from ia.organs.ledger.risk import RiskRequest, measure_risk, risk_document
from unit.organs.ledger.test_account import bought, deposited, desk, stored  # noqa: F401

INDEX, ONE, TWO = "000300.SH", "600000.SH", "600036.SH"
COUNT = 60


def weekdays(last, count):
    found, day = [], date.fromisoformat(last)
    while len(found) < count:
        if day.weekday() < 5:
            found.insert(0, f"{day}")
        day -= timedelta(days=1)
    return found


@pytest.fixture
def book(ws, desk):  # noqa: F811
    """100,000 and two shares of some sixty days, one of which pays 1 a share on the 31st; with the changes of each."""
    numbers = np.random.default_rng(7)
    moves = numbers.normal(0, 0.02, (COUNT - 1, 3))
    moves[:, 1] += moves[:, 0]
    closes = np.vstack([np.ones(3), np.cumprod(1 + moves, axis=0)]) * [3000, 10, 30]
    days = weekdays("2024-06-21", COUNT)
    closes[30:, 1] -= 1.0  # the dividend leaves the price
    actions = [(days[30], 1.0, 0.0)]
    stored(ws, INDEX, closes[:, 0].round(4), days=days)
    stored(ws, ONE, closes[:, 1].round(4), actions, days=days)
    stored(ws, TWO, closes[:, 2].round(4), days=days)
    deposited(desk, "100000", "2024-06-17")
    bought(desk, "600000", "1000", f"{closes[-5, 1]:.2f}", "2024-06-17")
    bought(desk, "600036", "500", f"{closes[-5, 2]:.2f}", "2024-06-17")
    kept = closes.round(4)
    changes = kept[1:] / kept[:-1] - 1
    changes[29, 1] = kept[30, 1] / (kept[29, 1] - 1.0) - 1  # against the reference price of the ex-date
    return desk, changes, np.array([1000 * kept[-1, 1], 500 * kept[-1, 2]])


def test_risk_is_what_numpy_says(book):
    desk, changes, values = book  # noqa: F811
    found = measure_risk(desk, RiskRequest(level=90, days=4))
    gains = changes[:, 1:] * values
    sums = gains.sum(axis=1)
    order = np.sort(sums)
    assert (found.first, found.last, found.count) == (weekdays("2024-06-21", COUNT)[1], "2024-06-21", COUNT - 1)
    assert found.loss == pytest.approx(-order[5] * 2, rel=1e-9)
    assert (found.worse, found.shortfall) == (5, pytest.approx(-order[:5].mean(), rel=1e-9))
    assert found.worst is not None
    assert found.worst.gain == pytest.approx(order[0], rel=1e-9)
    marks = changes[:, 0]
    assert found.beta == pytest.approx(np.cov(sums, marks)[0, 1] / np.var(marks, ddof=1) / values.sum(), rel=1e-9)
    assert found.correlation == pytest.approx(np.corrcoef(sums, marks)[0, 1], rel=1e-9)
    assert found.swing == pytest.approx(sums.std(ddof=1) * 250**0.5, rel=1e-9)
    parts = {each.symbol: each.part for each in found.positions}
    wanted = [np.cov(gains[:, at], sums)[0, 1] / sums.var(ddof=1) for at in (0, 1)]
    assert parts == {ONE: pytest.approx(wanted[0], rel=1e-9), TWO: pytest.approx(wanted[1], rel=1e-3)}
    assert sum(parts.values()) == pytest.approx(1)


def test_beta_with_cash_and_fractions_are_of_everything(book):
    desk, _, values = book  # noqa: F811
    document = risk_document(measure_risk(desk, RiskRequest()))
    equity = float(desk.account().purses["CNY"].equity)
    assert document["equity"] == pytest.approx(equity)
    assert document["invested_frac"] == pytest.approx(values.sum() / equity, rel=1e-4)
    assert document["beta_with_cash"] == pytest.approx(document["beta"] * values.sum() / equity, rel=1e-3)
    assert document["value_at_risk_frac"] == pytest.approx(document["value_at_risk"] / equity, rel=1e-4)


def test_nothing_is_told_without_prices_or_positions(ws, desk):  # noqa: F811
    assert [each.template for each in measure_risk(desk, RiskRequest()).missing] == ["nothing is held"]
    stored(ws, ONE, (10.0, 10.0, 11.0, 12.0, 9.0))
    deposited(desk, "100000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    document = risk_document(measure_risk(desk, RiskRequest()))
    assert document["missing"] and document["value_at_risk"] is None and document["beta"] is None


def test_young_share_is_named(ws, book):
    desk, *_ = book  # noqa: F811
    stored(ws, "601318.SH", (40.0, 41.0, 42.0, 41.0, 40.0))
    bought(desk, "601318", "100", "40", "2024-06-17")
    [reason] = measure_risk(desk, RiskRequest()).missing
    assert "601318" in str(reason)


@pytest.mark.parametrize("request_", [RiskRequest(level=50), RiskRequest(level=100), RiskRequest(days=0),
                                      RiskRequest(days=251)])  # fmt: skip
def test_impossible_level_or_horizon_is_refused(desk, request_):  # noqa: F811
    with pytest.raises(UsageError):
        measure_risk(desk, request_)
