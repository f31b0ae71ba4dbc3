"""A folder of CSV files as a market: the snapshot is made of the last bars of its files; more the files do not tell."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import Symbol, resolve_security
from ia.kernel import clock
from ia.kernel.errors import BadData, IaError, Message, Notify, drop_message
from ia.organs.market.quote import Quote
from ia.organs.market.sources import (
    KINDS,
    CompanyEvent,
    CompanyReport,
    ConnectFlow,
    DailyRate,
    FinancialStatement,
    ForeignReport,
    LiveBar,
    NewsItem,
    SectorBoard,
    SnapshotPage,
    UnusualListing,
    not_delivered_error,
)
from ia.organs.ohlcv.adapters import csv
from ia.organs.ohlcv.adjustment import reference_price
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

FILES = 100
"""So many files are a page."""


class LocalSource:
    """The source of the files in `market.csv.dir`, as the adapter `csv` reads them: mainland securities only."""

    name = "csv"
    simulated = False
    local = True

    def snapshot(self, kinds: Sequence[str] = KINDS, notify: Notify = drop_message) -> Iterator[SnapshotPage]:
        """Yield the last day that any file has, a hundred files a page. Names, ratios and money are not in files.

        Each file is read whole, some milliseconds a thousand bars. A file that cannot be read is told and left out.

        raises  ConfigError where there is no folder.
        """
        found = []
        for symbol, bars, actions in self.histories(kinds, notify):
            if bars.date:
                found.append((symbol, bars.slice_bars(-2), actions))  # all of them would fill memory
        day = max((bars.date[-1] for _, bars, _ in found), default="")
        host, pages = csv.csv_folder(), max(1, -(-len(found) // FILES))
        for number in range(1, pages + 1):
            part = found[(number - 1) * FILES : number * FILES]
            quotes = [_build_quote(symbol, bars, actions, day) for symbol, bars, actions in part]
            yield SnapshotPage(
                quotes=quotes, number=number, pages=pages, host=host, time=f"{day}T15:00:00" if day else None
            )

    def histories(
        self, kinds: Sequence[str] = KINDS, notify: Notify = drop_message
    ) -> "Iterator[tuple[Symbol, Bars, list[Action]]]":
        """Yield each security of the folder with its unadjusted bars up to the last closed day, and its actions."""
        adapter, last = csv.Csv(), clock.last_visible_date("CN")
        for symbol in self.symbols(kinds):
            try:
                bars = adapter.normalize(adapter.fetch(symbol, None, last))
                actions = [action for action in adapter.actions(symbol) if action.date <= last]
            except IaError as exc:
                notify(Message("skipped {symbol}: {reason}", symbol=symbol.canonical, reason=exc))
                continue
            yield symbol, bars, actions

    def symbols(self, kinds: Sequence[str] = KINDS) -> list[Symbol]:
        """Return the mainland securities that have a file, in the order of their symbols."""
        found: dict[str, Symbol] = {}
        for entry in os.listdir(csv.csv_folder()):
            stem, dot, extension = entry.rpartition(".")
            if not dot or extension.lower() != "csv" or stem.lower().endswith(".actions"):
                continue
            try:
                symbol = resolve_security(stem, traded=True)
            except IaError:
                continue
            if symbol.market == "CN" and symbol.kind in kinds:
                found[symbol.canonical] = symbol
        return [found[canonical] for canonical in sorted(found)]

    def boards(self, kind: str) -> list[SectorBoard]:
        """Refuse: files tell no boards."""
        raise not_delivered_error(self.name, Message("boards"))

    def members(self, kind: str, board: str) -> list[str]:
        """Refuse: files tell no boards."""
        raise not_delivered_error(self.name, Message("boards"))

    def fundamentals(self, period: str) -> list[CompanyReport]:
        """Refuse: files tell no reports."""
        raise not_delivered_error(self.name, Message("company financial reports"))

    def fundamentals_of(self, symbol: str) -> list[CompanyReport]:
        """Refuse: files tell no reports."""
        raise not_delivered_error(self.name, Message("company financial reports"))

    def foreign_reports_of(self, symbol: str) -> list[ForeignReport]:
        """Refuse: files tell no reports."""
        raise not_delivered_error(self.name, Message("company financial reports"))

    def foreign_industry_of(self, symbol: str) -> str:
        """Refuse: files tell no industries."""
        raise not_delivered_error(self.name, Message("industries"))

    def statements_of(self, symbol: str, statement: str) -> list[FinancialStatement]:
        """Refuse: files tell no statements."""
        raise not_delivered_error(self.name, Message("financial statements"))

    def news_of(self, symbol: str, kind: str) -> list[NewsItem]:
        """Refuse: files tell no news."""
        raise not_delivered_error(self.name, Message("announcements and news"))

    def events_of(self, symbol: str) -> list[CompanyEvent]:
        """Refuse: files tell no dates ahead."""
        raise not_delivered_error(self.name, Message("the dates of companies"))

    def live_bars(self, symbols: Sequence[str], notify: Notify = drop_message) -> list[LiveBar]:
        """Refuse: files tell of closed days."""
        raise not_delivered_error(self.name, Message("live quotes"))

    def northbound(self, since: str | None = None) -> list[ConnectFlow]:
        """Refuse: files tell nothing of Stock Connect."""
        raise not_delivered_error(self.name, Message("Stock Connect data"))

    def lhb(self, since: str, until: str) -> list[UnusualListing]:
        """Refuse: files tell no list of unusual trading."""
        raise not_delivered_error(self.name, Message("the list of unusual trading (龙虎榜)"))

    def rates(self, since: str, until: str) -> list[DailyRate]:
        """Return the rates of `exchange-rates.csv` in the folder; see ia.organs.market.sources.rate_file."""
        from ia.organs.market.sources.rate_file import read_rates

        return [each for each in read_rates(csv.csv_folder()) if since <= each.date <= until]

    def trade_dates(self) -> list[str]:
        """Return nothing: files tell no days to come."""
        return []


def _build_quote(symbol: Symbol, bars: Bars, actions: "list[Action]", day: str) -> Quote:
    """Return what the bars tell: a day's prices, or the last close where there is no bar of that day."""
    plain = Quote(symbol=symbol.canonical, name=symbol.name or None, kind=symbol.kind)
    if bars.date[-1] != day:
        return plain._replace(prev_close=bars.close[-1])
    first, high, low, close = (column[-1] for column in bars[1:5])
    quote = plain._replace(price=close, open=first, high=high, low=low, volume=bars.volume[-1], time=f"{day}T15:00:00")
    if len(bars.date) < 2:
        return quote
    step = tick_size(symbol) or 0.01
    digits = len(f"{step:g}") - 2
    before = bars.close[-2]
    if any(action.date > bars.date[-2] for action in actions):
        try:
            before = round(reference_price(before, bars.date[-2], day, actions, step), digits)
        except BadData:  # more was paid than a share was worth: nobody knows what it started from
            return quote
    return quote._replace(
        prev_close=before,
        change=round(close - before, digits),
        change_pct=round((close / before - 1) * 100, 2),
        amplitude_pct=round((high - low) / before * 100, 2),
    )
