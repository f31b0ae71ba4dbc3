"""What tells of a whole market at once: the protocol of a source, what it yields, and how one is found by its name.

A source of the market has the name of the adapter whose bars it goes with (`market.adapter`): `akshare`, `demo`, `csv`.
Nothing is stored here and nothing made up: what a source does not tell is None, and what it never tells is refused
with NotDelivered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, cast

from ia.kernel.errors import Message, Notify, Unavailable, drop_message
from ia.organs.market.quote import Quote

BUILT_IN = {
    "akshare": "ia.organs.market.sources.live:LiveSource",
    "demo": "ia.organs.market.sources.demo:DemoMarket",
    "csv": "ia.organs.market.sources.local:LocalSource",
}
KINDS = ("stock", "etf")
"""The kinds of securities that a snapshot tells of; sources may know `index` too."""

STATEMENT_ITEMS = {
    "income": (
        "revenue", "operating_cost", "research_cost", "operating_profit", "pretax_profit", "income_tax",
        "net_profit", "profit", "eps",
    ),
    "balance": (
        "cash", "receivables", "inventory", "goodwill", "current_assets", "total_assets", "current_loans",
        "noncurrent_loans", "bonds", "current_liabilities", "total_liabilities", "equity", "parent_equity",
    ),
    "cashflow": (
        "sales_cash", "operating_cash_flow", "capital_expenditure", "investing_cash_flow", "financing_cash_flow",
        "dividends_interest_paid", "cash_end",
    ),
}  # fmt: skip
"""The statements, and the items that are taken from each. `profit` is that of the parent's shareholders, as in reports;
`capital_expenditure`: cash paid for fixed, intangible and other long-term assets; `cash_end`: cash and cash equivalents
at the end of the period."""

NET_ENDED = "2024-08-19"
"""Since this day the exchanges publish no net flow of Stock Connect northbound."""


class NotDelivered(Unavailable):
    """A source that never tells this: another try is of no use."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SnapshotPage:
    """A part of a snapshot.

    number, pages   which part this is, from 1, and of how many as far as is known. A page with the number 1 begins
                    anew: where a host fails half-way, the next one starts over and what came before is void
    host            what answered
    time            the latest exchange time that the page tells, YYYY-MM-DDTHH:MM:SS in Shanghai; None where it tells
                    none, so that only the clock says which day it is
    dropped         rows that contradicted themselves and are not in `quotes`
    odd             what was wrong with the first of them, for a message, or ""
    doubted         columns that do not fit the prices in many rows, which are in `quotes` as they were told
    recorded        whether the page, where it tells no time, is a record of an earlier answer
    """

    quotes: list[Quote]
    number: int
    pages: int
    host: str
    time: str | None = None
    dropped: int = 0
    odd: str = ""
    doubted: tuple[str, ...] = ()
    recorded: bool = False


class SectorBoard(NamedTuple):
    """A group of stocks as the source draws it. kind: industry, concept. board: the source's code. money in yuan.

    leader  canonical symbol of the stock that rose most; time: of the source, as in Page
    """

    kind: str
    board: str
    name: str | None = None
    change_pct: float | None = None
    turnover_pct: float | None = None
    market_cap: float | None = None
    up: int | None = None
    down: int | None = None
    leader: str | None = None
    leader_pct: float | None = None
    time: str | None = None


class CompanyReport(NamedTuple):
    """What a company reported of a period. The names are the columns of the table `fundamentals`.

    period      its last day, YYYY-MM-DD; the figures run from the beginning of that year
    published   the day on which it could be read first; None where the source does not tell
    eps, bvps, cash_flow_ps   yuan a share. revenue, profit: yuan; profit is that of the parent's shareholders
    *_pct       per cent; *_yoy_pct against the same period of the year before
    """

    symbol: str
    period: str
    published: str | None = None
    host: str | None = None
    eps: float | None = None
    bvps: float | None = None
    roe_pct: float | None = None
    revenue: float | None = None
    revenue_yoy_pct: float | None = None
    profit: float | None = None
    profit_yoy_pct: float | None = None
    gross_margin_pct: float | None = None
    net_margin_pct: float | None = None
    debt_ratio_pct: float | None = None
    cash_flow_ps: float | None = None


class ForeignReport(NamedTuple):
    """What a company of Hong Kong or the US reported of a period, since the beginning of its financial year.

    period      its last day, YYYY-MM-DD; a financial year may end in any month
    months      how many the figures span: 3, 6, 9, 12
    currency    of the money, which need not be the one that the share trades in
    published   the day on which it could be read first; None where the source does not tell
    seen        the day on which ia saw it first, where the source tells no day of publication
    shares      how many shares the figures a share are of; None where the source does not tell
    profit      that of the parent's shareholders. The others are those of CompanyReport
    """

    symbol: str
    period: str
    months: int
    currency: str
    published: str | None = None
    seen: str | None = None
    host: str | None = None
    eps: float | None = None
    bvps: float | None = None
    roe_pct: float | None = None
    revenue: float | None = None
    revenue_yoy_pct: float | None = None
    profit: float | None = None
    profit_yoy_pct: float | None = None
    gross_margin_pct: float | None = None
    net_margin_pct: float | None = None
    debt_ratio_pct: float | None = None
    cash_flow_ps: float | None = None
    shares: float | None = None


class FinancialStatement(NamedTuple):
    """One statement of a company for a period, as reported: consolidated, since the beginning of the year.

    period      its last day, YYYY-MM-DD
    published   the day on which it could be read first; None where the source does not tell
    items       amounts by the names of STATEMENT_ITEMS, in `currency`, `eps` in `currency` a share; without those that
                the report does not have. Items of a balance sheet are of the end of the period
    months      how many it spans, abroad, where a financial year may end in any month; 0: as `period` tells
    """

    period: str
    published: str | None
    currency: str
    items: dict[str, float]
    months: int = 0


class ConnectFlow(NamedTuple):
    """A day of a channel of Stock Connect. channel: shanghai, shenzhen, north (both). Money in yuan; deals: a count.

    The net flow, what was bought and sold, is not published since August 2024: None, while `turnover` goes on.
    leader  canonical symbol of the stock that rose most
    """

    date: str
    channel: str
    net: float | None = None
    buy: float | None = None
    sell: float | None = None
    turnover: float | None = None
    deals: int | None = None
    quota_left: float | None = None
    holdings: float | None = None
    leader: str | None = None
    leader_pct: float | None = None


class UnusualListing(NamedTuple):
    """A stock on the list of unusual trading (龙虎榜), once for each reason of the day. Money in yuan.

    net, buy, sell, turnover   of the seats that the exchange names; market_amount: all that changed hands that day
    """

    date: str
    symbol: str
    reason: str
    name: str | None = None
    close: float | None = None
    change_pct: float | None = None
    net: float | None = None
    buy: float | None = None
    sell: float | None = None
    turnover: float | None = None
    market_amount: float | None = None
    turnover_pct: float | None = None
    float_cap: float | None = None
    comment: str | None = None


class NewsItem(NamedTuple):
    """An announcement of a company, or news about one: text from outside, as its source tells it.

    kind    announcement, news
    time    when it could be read first: `2024-03-15T18:32:11+08:00`; a bare date where the source tells no hour
    id      of the source: the same item has the same one
    publisher   who wrote it; category: what the source files it under. None where it does not tell
    """

    symbol: str
    kind: str
    id: str
    time: str
    title: str
    publisher: str | None = None
    link: str | None = None
    category: str | None = None


NEWS_KINDS = ("announcement", "news")
"""The kinds of NewsItem."""


class CompanyEvent(NamedTuple):
    """A date of a company that is known before it comes.

    kind    ex-dividend, report (the appointed day of publication), lock-up (restricted shares become free)
    key     what it is of, so that a later answer about the same replaces it: a reporting period, or a date
    date    YYYY-MM-DD
    known   the day on which it could be known first; None where the source does not tell
    cash, bonus     yuan and shares a share, before tax; shares: how many become free; share_pct: of those that float
    """

    symbol: str
    kind: str
    key: str
    date: str
    known: str | None = None
    period: str | None = None
    cash: float | None = None
    bonus: float | None = None
    shares: float | None = None
    share_pct: float | None = None
    label: str | None = None


EVENT_KINDS = ("ex-dividend", "report", "lock-up")
"""The kinds of CompanyEvent."""


class LiveBar(NamedTuple):
    """The unfinished bar of today. time: of the quote, `2024-03-15T10:31:02+08:00`; volume in shares."""

    symbol: str
    time: str
    price: float
    open: float
    high: float
    low: float
    prev_close: float
    volume: int
    host: str
    name: str | None = None


class DailyRate(NamedTuple):
    """The yuan's rate of a day: so many yuan for one unit of a currency. source: who published it."""

    currency: str
    date: str
    yuan: float
    source: str


class MarketSource(Protocol):
    """What tells of a whole market. Each call asks anew; what fails raises Unavailable (69) or TryLater (75).

    name        of the adapter whose bars go with it
    simulated   all of it is made up: every use says so
    local       it is read from this disk
    """

    name: str
    simulated: bool
    local: bool

    def snapshot(self, kinds: Sequence[str] = KINDS, notify: Notify = drop_message) -> Iterator[SnapshotPage]:
        """Yield the market as it stands, page by page, each asked for when it is wanted."""
        ...

    def boards(self, kind: str) -> list[SectorBoard]:
        """Return the boards of a kind, `industry` or `concept`."""
        ...

    def members(self, kind: str, board: str) -> list[str]:
        """Return the canonical symbols of a board, by its code."""
        ...

    def fundamentals(self, period: str) -> list[CompanyReport]:
        """Return what all companies have reported of a period (its last day, YYYY-MM-DD); [] before the first did."""
        ...

    def fundamentals_of(self, symbol: str) -> list[CompanyReport]:
        """Return all periods of one company, newest first. NotFound where the source does not have it."""
        ...

    def foreign_reports_of(self, symbol: str) -> list[ForeignReport]:
        """Return the reports of a company of Hong Kong or the US, in any order. NotFound as `fundamentals_of`."""
        ...

    def foreign_industry_of(self, symbol: str) -> str:
        """Return the industry of a stock of Hong Kong or the US; "" where the source tells none."""
        ...

    def statements_of(self, symbol: str, statement: str) -> list[FinancialStatement]:
        """Return a statement (`income`, `balance`, `cashflow`) of a company for all periods, newest first.

        NotFound where the source does not have it.
        """
        ...

    def news_of(self, symbol: str, kind: str) -> list[NewsItem]:
        """Return the newest announcements of a company, or the newest news about it (`kind`), in any order.

        NotFound where the source has none of the security's market.
        """
        ...

    def events_of(self, symbol: str) -> list[CompanyEvent]:
        """Return the dates ahead of a company, and those of the last weeks. NotFound as `news_of`."""
        ...

    def live_bars(self, symbols: Sequence[str], notify: Notify = drop_message) -> list[LiveBar]:
        """Return the bars of the running or last session, in any order.

        What the source does not have is not among them, nor is an implausible row, of which `notify` is told.
        """
        ...

    def northbound(self, since: str | None = None) -> list[ConnectFlow]:
        """Return the days of the channels of Stock Connect from `since` on, oldest first."""
        ...

    def lhb(self, since: str, until: str) -> list[UnusualListing]:
        """Return the lists of unusual trading of the days from `since` to `until`; [] where there are none."""
        ...

    def rates(self, since: str, until: str) -> list[DailyRate]:
        """Return the yuan's rates of the days from `since` to `until` (YYYY-MM-DD), by day; NotFound without any."""
        ...

    def trade_dates(self) -> list[str]:
        """Return the trading days of the mainland to the end of the last year whose holidays are announced.

        [] where the source tells none.
        """
        ...


def source_names() -> list[str]:
    """Return the names of the adapters that tell of a whole market."""
    return list(BUILT_IN)


def load_source(name: str) -> MarketSource:
    """Return the source that goes with an adapter. NotDelivered where that adapter knows single securities only."""
    target = BUILT_IN.get(name)
    if target is None:
        raise NotDelivered(
            "{name} does not provide data of the whole market",
            hint="sources that do: {names}",
            name=name,
            names=", ".join(BUILT_IN),
        )
    from importlib import import_module

    module, _, attribute = target.partition(":")
    return cast(MarketSource, getattr(import_module(module), attribute)())


def not_delivered_error(source: str, what: Message) -> NotDelivered:
    """Return the error for what a source never tells."""
    return NotDelivered(
        "{source} does not provide {what}", source=source, what=what, hint="try another data source with --adapter"
    )
