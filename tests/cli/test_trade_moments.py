"""What a person at a terminal is asked to write down when a position opens, grows or closes; a pipe hears none of it."""

import pytest

from support.terminal import on_terminal


@pytest.fixture(autouse=True)
def rules(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-29T18:00+08:00")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_LEDGER_CAPITAL", "1000000 CNY")
    monkeypatch.setenv("IA_RISK_COOLING_HOURS", "0")


def test_a_position_is_opened_enlarged_and_closed(ia):
    opened = on_terminal("trade", "buy", "600036", "1000", "25", "--date", "2024-03-01", "--because", "cheap")
    assert "by your stop-loss rule of 7% the stop is 23.25" in opened and "ia note positions/" in opened
    more = on_terminal("trade", "buy", "600036", "1000", "26", "--date", "2024-03-04")
    assert "trade correct 2 --reason WHY" in more and "new position" not in more
    part = on_terminal("trade", "sell", "600036", "500", "26", "--date", "2024-03-06")
    assert "hint: " not in part
    closed = on_terminal("trade", "close", "600036", "27", "--date", "2024-03-11")
    assert "position closed" in closed and "10 days after it was opened" in closed and "ia recall" in closed
    again = on_terminal("trade", "buy", "600036", "100", "25", "--date", "2024-03-13", "--because", "cheap")
    assert "new position" in again
    assert "2 days after" in on_terminal("trade", "close", "600036", "27", "--date", "2024-03-15")
    piped = ia("trade", "buy", "600036", "100", "25", "--date", "2024-03-20")
    assert piped.returncode == 0 and "hint" not in piped.stderr
