"""A folder of CSV files as a market: the snapshot is made of the last bars of its files; more the files do not tell."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ia.domain.instruments.boards import tick
from ia.domain.instruments.symbols import Symbol, resolve
from ia.kernel import clock
from ia.kernel.errors import BadData, IaError, Message, Notify, silent
from ia.organs.market.quote import Quote
from ia.organs.market.sources import KINDS, Board, Flow, Listing, Page, Report, never
from ia.organs.ohlcv.adapters import csv
from ia.organs.ohlcv.adjust import reference
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjust import Action

FILES = 100
"""So many files are a page."""


class Local:
    """The source of the files in `market.csv.dir`, as the adapter `csv` reads them: mainland securities only."""

    name = "csv"
    simulated = False
    local = True

    def snapshot(self, kinds: Sequence[str] = KINDS, notify: Notify = silent) -> Iterator[Page]:
        """Yield the last day that any file has, a hundred files a page. Names, ratios and money are not in files.

        Each file is read whole, some milliseconds a thousand bars. A file that cannot be read is told and left out.

        raises  ConfigError where there is no folder.
        """
        found = []
        for symbol, bars, actions in self.histories(kinds, notify):
            if bars.date:
                found.append((symbol, bars.part(-2), actions))  # all of them would fill memory
        day = max((bars.date[-1] for _, bars, _ in found), default="")
        host, pages = csv.folder(), max(1, -(-len(found) // FILES))
        for number in range(1, pages + 1):
            part = found[(number - 1) * FILES : number * FILES]
            quotes = [_quote(symbol, bars, actions, day) for symbol, bars, actions in part]
            yield Page(quotes, number, pages, host, f"{day}T15:00:00" if day else None)

    def histories(
        self, kinds: Sequence[str] = KINDS, notify: Notify = silent
    ) -> "Iterator[tuple[Symbol, Bars, list[Action]]]":
        """Yield each security of the folder with its unadjusted bars up to the last closed day, and its actions."""
        adapter, last = csv.Csv(), clock.last_visible("CN")
        for symbol in self.symbols(kinds):
            try:
                bars = adapter.normalize(adapter.fetch(symbol, None, last))
                actions = [action for action in adapter.actions(symbol) if action.date <= last]
            except IaError as exc:
                notify(Message("{symbol} is left out: {reason}", symbol=symbol.canonical, reason=exc))
                continue
            yield symbol, bars, actions

    def symbols(self, kinds: Sequence[str] = KINDS) -> list[Symbol]:
        """Return the mainland securities that have a file, in the order of their symbols."""
        found: dict[str, Symbol] = {}
        for entry in os.listdir(csv.folder()):
            stem, dot, extension = entry.rpartition(".")
            if not dot or extension.lower() != "csv" or stem.lower().endswith(".actions"):
                continue
            try:
                symbol = resolve(stem, traded=True)
            except IaError:
                continue
            if symbol.market == "CN" and symbol.kind in kinds:
                found[symbol.canonical] = symbol
        return [found[canonical] for canonical in sorted(found)]

    def boards(self, kind: str) -> list[Board]:
        """Refuse: files tell no boards."""
        raise never(self.name, Message("boards"))

    def members(self, kind: str, board: str) -> list[str]:
        """Refuse: files tell no boards."""
        raise never(self.name, Message("boards"))

    def fundamentals(self, period: str) -> list[Report]:
        """Refuse: files tell no reports."""
        raise never(self.name, Message("reports of companies"))

    def fundamentals_of(self, symbol: str) -> list[Report]:
        """Refuse: files tell no reports."""
        raise never(self.name, Message("reports of companies"))

    def northbound(self, since: str | None = None) -> list[Flow]:
        """Refuse: files tell nothing of Stock Connect."""
        raise never(self.name, Message("Stock Connect"))

    def lhb(self, since: str, until: str) -> list[Listing]:
        """Refuse: files tell no list of unusual trading."""
        raise never(self.name, Message("the list of unusual trading"))

    def trade_dates(self) -> list[str]:
        """Return nothing: files tell no days to come."""
        return []


def _quote(symbol: Symbol, bars: Bars, actions: "list[Action]", day: str) -> Quote:
    """Return what the bars tell: a day's prices, or the last close where there is no bar of that day."""
    plain = Quote(symbol.canonical, symbol.name or None, kind=symbol.kind)
    if bars.date[-1] != day:
        return plain._replace(prev_close=bars.close[-1])
    first, high, low, close = (column[-1] for column in bars[1:5])
    quote = plain._replace(price=close, open=first, high=high, low=low, volume=bars.volume[-1], time=f"{day}T15:00:00")
    if len(bars.date) < 2:
        return quote
    step = tick(symbol) or 0.01
    digits = len(f"{step:g}") - 2
    before = bars.close[-2]
    if any(action.date > bars.date[-2] for action in actions):
        try:
            before = round(reference(before, bars.date[-2], day, actions, step), digits)
        except BadData:  # more was paid than a share was worth: nobody knows what it started from
            return quote
    return quote._replace(
        prev_close=before,
        change=round(close - before, digits),
        change_pct=round((close / before - 1) * 100, 2),
        amplitude_pct=round((high - low) / before * 100, 2),
    )
