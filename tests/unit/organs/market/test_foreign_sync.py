"""Securities of Hong Kong and the US are kept fresh one by one, each up to the last session of its own exchange."""

from typing import ClassVar

import pytest

from ia.kernel.errors import NotFound, TryLater
from ia.organs.market import market_reader
from ia.organs.market.foreign_sync import sync_foreign
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv.adapters import BUILT_IN
from ia.organs.ohlcv.adapters.demo import Demo

MINE = ("AAPL.US", "00700.HK", "MSFT.US")


class Remote(Demo):
    """A host of invented prices that is asked as one of real prices is: it counts, and may fail."""

    name, simulated = "remote", False
    asked: ClassVar[list[tuple[str, str | None]]] = []
    failing: ClassVar[frozenset[str]] = frozenset()

    def fetch(self, symbol, start=None, end=None):
        Remote.asked.append((symbol.canonical, start))
        if symbol.canonical in Remote.failing:
            raise TryLater("{symbol}: the host is busy", symbol=symbol.canonical)
        return super().fetch(symbol, start, end)


@pytest.fixture
def remote(monkeypatch):
    monkeypatch.setitem(BUILT_IN, "remote", f"{__name__}:Remote")
    monkeypatch.setattr(Remote, "asked", [])
    monkeypatch.setenv("IA_MARKET_ADAPTER", "remote")
    return Remote


@pytest.fixture
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:30+08:00")


def bring(ws, symbols, told=None):
    return sync_foreign(ws, symbols, (told if told is not None else []).append, lambda *counts: None)


def test_each_market_has_its_own_last_session(ws, demo):
    request = SyncRequest("daily", (), foreign=MINE)
    rows = {row["job"]: row for row in sync_market(ws, request).rows}
    assert {job: (row["day"], row["symbols"], row["changed"]) for job, row in rows.items()} == {
        "hk": ("2024-03-15", 1, 1),
        "us": ("2024-03-14", 2, 2),  # New York has not opened yet
    }, "the mainland is not asked where only others are named"
    quotes, missing = market_reader.load_quotes(ws, MINE)
    assert [row["date"] for row in quotes] == ["2024-03-14", "2024-03-15", "2024-03-14"] and not missing
    again = sync_market(ws, request).rows
    assert [row["changed"] for row in again] == [0, 0]


def test_a_series_with_the_last_session_costs_no_request_and_an_older_one_few_bars(ws, remote, monkeypatch):
    bring(ws, MINE)
    assert [name for name, _ in remote.asked] == list(MINE)
    remote.asked.clear()
    bring(ws, MINE)
    assert remote.asked == []
    monkeypatch.setenv("IA_NOW", "2030-01-01T12:00+08:00")  # some sessions have closed since
    bring(ws, MINE[:1])
    assert len(remote.asked) == 1 and remote.asked[0][1] is not None, "only what follows the stored bars"


def test_one_that_fails_does_not_stop_the_others(ws, remote, monkeypatch):
    monkeypatch.setattr(Remote, "failing", frozenset(["AAPL.US"]))
    outcome = bring(ws, MINE)
    assert list(outcome.failed) == ["AAPL.US"] and outcome.failed["AAPL.US"].status == 75
    assert (outcome.rows, outcome.skipped) == (2, ())


def test_after_three_failures_in_a_row_nobody_is_asked(ws, remote, monkeypatch):
    asked = ("AAPL.US", "MSFT.US", "NVDA.US", "TSLA.US")
    monkeypatch.setattr(Remote, "failing", frozenset(asked))
    outcome = bring(ws, asked)
    assert (len(outcome.failed), outcome.skipped) == (3, ("TSLA.US",))


def test_csv_prices_of_a_us_share_are_quoted_and_nothing_of_them_is_kept(ws, monkeypatch, tmp_path):
    rows = "date,open,high,low,close,volume\n2024-03-13,170,172,169,171,1000\n2024-03-14,171,174,170,173,2000\n"
    (tmp_path / "AAPL.US.csv").write_text(rows + "2024-03-15,173,175,172,174,1500\n")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:30+08:00")
    outcome = sync_market(ws, SyncRequest("us", foreign=("AAPL.US", "MSFT.US")))
    assert [(row["day"], row["symbols"]) for row in outcome.rows] == [("2024-03-14", 1)]
    assert [type(each) for each in outcome.failures] == [NotFound]
    [quote], missing = market_reader.load_quotes(ws, ["AAPL.US", "MSFT.US"])
    assert (quote["date"], quote["price"], quote["source"], quote["simulated"]) == ("2024-03-14", 173.0, "csv", False)
    assert "ia sync --symbols" in missing[0].hint
