"""The provider of the exchange calendar."""

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.kernel.errors import BadData
from support.program import REPO


class TestCalendar:
    @pytest.fixture
    def call(self, put, ws):
        text = (REPO / "profiles/invest/.claude/providers/calendar/PROVIDER.md").read_text(encoding="utf-8")
        (put("calendar", "x: y") / "PROVIDER.md").write_text(text, encoding="utf-8")
        router = Router(catalog.provider_tools(ws))
        return lambda **arguments: router.call_tool(Scope(ws, actor="model x"), "calendar.trading", arguments)

    @pytest.mark.process
    def test_the_spring_festival_of_2024(self, call):
        assert call(date="2024-02-09", n=2).value == {
            "market": "CN", "date": "2024-02-09", "is_trading_day": False, "previous": ["2024-02-07", "2024-02-08"],
            "next": ["2024-02-19", "2024-02-20"], "known_until": call(date="2024-02-09").value["known_until"],
        }  # fmt: skip

    @pytest.mark.process
    def test_hong_kong_and_new_york_have_their_own(self, call):
        assert call(date="2024-02-09", market="HK").value["is_trading_day"]
        us = call(date="2024-07-04", market="US").value
        assert (us["is_trading_day"], us["previous"], us["next"]) == (False, ["2024-07-03"], ["2024-07-05"])

    @pytest.mark.process
    def test_its_today_is_the_clocks(self, call, monkeypatch):
        monkeypatch.setenv("IA_NOW", "2024-03-15T23:00:00+00:00")
        assert call().value["date"] == "2024-03-16"
        assert call(market="US").value["date"] == "2024-03-15"

    @pytest.mark.process
    def test_what_it_does_not_know_it_does_not_guess(self, call):
        until = call(date="2024-02-09").value["known_until"]
        for day in ("2060-02-09", "1980-01-01"):
            told = call(date=day).value
            assert told == {
                "market": "CN",
                "date": day,
                "is_trading_day": None,
                "previous": [],
                "next": [],
                "known_until": until,
            }
        assert call(date=until, n=5).value["next"] == []
        assert call(date=until).value["is_trading_day"] is not None
        assert isinstance(call(date="2024-02-30").failure, BadData)

    @pytest.mark.process
    def test_it_is_no_text_that_could_instruct(self, call, ws):
        scope = Scope(ws, actor="model x")
        assert isinstance(
            Router(catalog.provider_tools(ws))
            .call_tool(scope, "calendar.trading", {"date": "2024-02-09", "n": 60})
            .value,
            dict,
        )
        assert not scope.tainted

    @pytest.mark.process
    def test_it_agrees_with_what_the_market_organ_takes_for_sessions(self, call):
        from datetime import datetime

        from ia.kernel import clock
        from ia.organs.ohlcv.calendar import last_session

        for market in ("CN", "HK", "US"):
            moment = datetime(2024, 2, 10, 23, tzinfo=clock.exchange_zone(market))
            told = call(date="2024-02-11", market=market).value
            assert told["previous"] == [last_session(market, moment)]
