"""What every market adapter must keep, as a class of tests for pytest.

A package that ships an adapter subclasses `AdapterConformance` in its own tests, says how the adapter is made and which
symbols it can be asked for, and inherits the tests::

    class TestMine(AdapterConformance):
        known = from_canonical("600519.SH")
        unknown = from_canonical("301999.SZ")

        def adapter(self):
            return Mine()
"""

import io
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import IaError, NotFound
from ia.organs.ohlcv.adapters import Adapter, is_free
from ia.organs.ohlcv.adjustment import Action, adjustment_factors
from ia.organs.ohlcv.canonical import Bars, bar_lines, read_bars

if TYPE_CHECKING:
    import pytest


class AdapterConformance:
    """Tests of one adapter.

    known     a security that it has, with at least `fewest` bars
    unknown   a security that it does not have
    turnover  (low, high) of an ordinary day's close times volume in money, to tell shares from lots; None where volume
              is no number of shares (an index)
    """

    known: Symbol
    unknown: Symbol
    fewest = 20
    turnover: tuple[float, float] | None = None

    def adapter(self) -> Adapter:
        """Return a new adapter, as `load` would."""
        raise NotImplementedError

    def bars(self, start: str | None = None, end: str | None = None) -> Bars:
        """Return the bars of the known security."""
        adapter = self.adapter()
        return adapter.normalize(adapter.fetch(self.known, start, end))

    def test_it_says_what_it_is(self) -> None:
        adapter = self.adapter()
        assert adapter.name
        assert adapter.name == adapter.name.strip().lower()
        assert "," not in adapter.name
        assert adapter.simulated in (True, False)
        assert adapter.local in (True, False)

    def test_what_is_local_or_simulated_asks_no_host(self, monkeypatch: "pytest.MonkeyPatch") -> None:
        import socket

        adapter, asked = self.adapter(), []

        def refuse(_: socket.socket, address: object) -> None:
            asked.append(address)
            raise OSError("an adapter that is local or simulated has no host to ask")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        if is_free(adapter):
            adapter.normalize(adapter.fetch(self.known))
            adapter.actions(self.known)
        assert asked == []

    def test_what_was_fetched_says_where_it_comes_from(self) -> None:
        fetched = self.adapter().fetch(self.known, None, None)
        assert fetched.symbol == self.known
        assert fetched.host
        assert isinstance(fetched.note, str)
        assert isinstance(fetched.name, str)
        assert all(len(sha) == 64 and set(sha) <= set("0123456789abcdef") for sha in fetched.inputs)
        assert not fetched.inputs or self.adapter().local

    def test_bars_are_canonical(self) -> None:
        bars = self.bars()
        assert len(bars.date) >= self.fewest
        text = "".join(bar_lines(bars))
        assert read_bars(io.BytesIO(text.encode()), "conformance", strict=True) == bars
        assert all(type(volume) is int for volume in bars.volume)
        assert all(type(price) is float for column in bars[1:5] for price in column)

    def test_bars_are_daily_ascending_and_unique(self) -> None:
        dates = self.bars().date
        assert all(len(date) == 10 for date in dates)
        assert dates == sorted(set(dates))

    def test_prices_are_positive_and_volume_counts_shares(self) -> None:
        bars = self.bars()
        assert all(isfinite(price) and price > 0 for column in bars[1:5] for price in column)
        assert all(volume >= 0 for volume in bars.volume)
        if self.turnover:
            money = sorted(close * volume for close, volume in zip(bars.close, bars.volume, strict=True))
            assert self.turnover[0] <= money[len(money) // 2] <= self.turnover[1]

    def test_a_range_is_a_part_of_the_whole(self) -> None:
        whole = self.bars()
        low, high = len(whole.date) // 4, len(whole.date) // 2
        part = self.bars(whole.date[low], whole.date[high])
        assert part == whole.slice_bars(low, high + 1)

    def test_a_range_before_the_first_bar_is_empty_or_not_found(self) -> None:
        with suppress(NotFound):
            assert self.bars("1970-01-01", "1970-12-31").date == []

    def test_the_same_question_has_the_same_answer(self) -> None:
        assert self.bars() == self.bars()
        assert self.adapter().actions(self.known) == self.adapter().actions(self.known)

    def test_actions_are_dated_sorted_and_leave_a_positive_price(self) -> None:
        actions = self.adapter().actions(self.known)
        dates = [action.date for action in actions]
        assert all(isinstance(action, Action) for action in actions)
        assert dates == sorted(set(dates))
        assert all(len(date) == 10 and date[4] == date[7] == "-" for date in dates)
        bars = self.bars()
        scale = adjustment_factors(bars.date, bars.close, actions)
        assert all(isfinite(factor) and factor > 0 for factor in scale)

    def test_an_unknown_symbol_is_not_found(self) -> None:
        adapter = self.adapter()
        try:
            adapter.normalize(adapter.fetch(self.unknown, None, None))
        except NotFound as exc:
            assert self.unknown.code in str(exc)
        else:
            raise AssertionError("no NotFound")

    def test_errors_are_the_users_language(self) -> None:
        try:
            self.adapter().fetch(self.unknown, None, None)
        except IaError as exc:
            assert "Traceback" not in str(exc)
            assert "\n" not in str(exc)
            assert (exc.hint or "").format_map(exc.params) is not None

    def test_lookup_gives_securities_of_that_name(self) -> None:
        for symbol in self.adapter().lookup(self.known.name or self.known.code):
            assert isinstance(symbol, Symbol)
