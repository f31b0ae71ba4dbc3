"""The real market: Eastmoney's lists and data center; where they fail as a whole, the snapshot comes from Sina."""

from collections.abc import Iterator, Sequence

from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.kernel.errors import IaError, Message, NotFound, Notify, TryLater, Unavailable, drop_message
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
    central_parity,
    company_dates,
    datacenter,
    eastmoney,
    eastmoney_abroad,
    eastmoney_live,
    eastmoney_news,
    not_delivered_error,
    sina,
    sina_statements,
)


class LiveSource:
    """The source of real market data; it goes with the adapter `akshare` and asks the same hosts."""

    name = "akshare"
    simulated = False
    local = False

    def snapshot(self, kinds: Sequence[str] = KINDS, notify: Notify = drop_message) -> Iterator[SnapshotPage]:
        """Yield the snapshot of one host. Where Eastmoney fails, even half-way, Sina's begins anew with page 1.

        raises  TryLater or Unavailable telling of both hosts where neither answered well.
        """
        try:
            yield from eastmoney.fetch_pages(kinds, notify)
            return
        except (TryLater, Unavailable) as exc:
            failed = exc
        notify(Message("{reason}; trying {host}", reason=failed, host=sina.HOST))
        try:
            yield from sina.fetch_pages(kinds)
        except (TryLater, Unavailable) as exc:
            raise _combine_failures(failed, exc) from exc

    def boards(self, kind: str) -> list[SectorBoard]:
        """Return Eastmoney's boards of a kind."""
        if kind not in ("industry", "concept"):
            raise not_delivered_error(self.name, Message("boards of this kind"))
        return eastmoney.fetch_boards(kind)

    def members(self, kind: str, board: str) -> list[str]:
        """Return the stocks of one of Eastmoney's boards."""
        return eastmoney.fetch_members(board)

    def fundamentals(self, period: str) -> list[CompanyReport]:
        """Return what all companies reported of a period, by Eastmoney."""
        return datacenter.fetch_fundamentals(period)

    def fundamentals_of(self, symbol: str) -> list[CompanyReport]:
        """Return the periods of one company, by Sina: unlike Eastmoney's they have net margin and debt ratio."""
        return sina.fetch_fundamentals(_find_company(symbol))

    def foreign_reports_of(self, symbol: str) -> list[ForeignReport]:
        """Return the reports of a company of Hong Kong or the US, by Eastmoney."""
        return eastmoney_abroad.fetch_reports(_check_stock(from_canonical(symbol)))

    def foreign_industry_of(self, symbol: str) -> str:
        """Return the industry of a stock of Hong Kong or the US, by Eastmoney."""
        return eastmoney_abroad.fetch_industry(_check_stock(from_canonical(symbol)))

    def statements_of(self, symbol: str, statement: str) -> list[FinancialStatement]:
        """Return a statement of one company, by Sina; of one abroad by Eastmoney."""
        if (company := from_canonical(symbol)).market != "CN":
            return eastmoney_abroad.fetch_statements(_check_stock(company), statement)
        return sina_statements.fetch_statements(_find_company(symbol), statement)

    def news_of(self, symbol: str, kind: str) -> list[NewsItem]:
        """Return the newest announcements of a company, or news about it, by Eastmoney; abroad news alone."""
        if (company := from_canonical(symbol)).market == "CN":
            company = _find_company(symbol)
        elif kind == "announcement":
            place = Message("Hong Kong") if company.market == "HK" else Message("US")
            raise NotFound("{symbol}: no source of announcements of {market} companies; ia has their news",
                           symbol=company.canonical, market=place)  # fmt: skip
        if kind == "announcement":
            return eastmoney_news.fetch_announcements(company)
        return eastmoney_news.fetch_news(company)

    def events_of(self, symbol: str) -> list[CompanyEvent]:
        """Return the ex-dates, appointed report dates and lock-up expiries of a company, by Eastmoney.

        Of Hong Kong it tells ex-dates alone, of the US nothing.
        """
        if (company := from_canonical(symbol)).market != "CN":
            return eastmoney_abroad.fetch_events(_check_stock(company))
        return company_dates.fetch_events(_find_company(symbol))

    def live_bars(self, symbols: Sequence[str], notify: Notify = drop_message) -> list[LiveBar]:
        """Return the bars of the running or last session, by Eastmoney."""
        return eastmoney_live.fetch_live_bars([from_canonical(symbol) for symbol in symbols], notify)

    def northbound(self, since: str | None = None) -> list[ConnectFlow]:
        """Return the days of Stock Connect, by Eastmoney."""
        return datacenter.fetch_flows(since)

    def lhb(self, since: str, until: str) -> list[UnusualListing]:
        """Return the lists of unusual trading of some days, by Eastmoney."""
        return datacenter.fetch_listings(since, until)

    def rates(self, since: str, until: str) -> list[DailyRate]:
        """Return the central parity of the yuan, by the State Administration of Foreign Exchange."""
        return central_parity.fetch_rates(since, until)

    def trade_dates(self) -> list[str]:
        """Return the trading days of Shanghai, by Sina."""
        from ia.organs.ohlcv.adapters.sina import fetch_trade_dates

        return fetch_trade_dates()


def _find_company(symbol: str) -> Symbol:
    company = from_canonical(symbol)
    if company.market != "CN" or company.kind != "stock":
        raise NotFound("{symbol} has no reports, because it is not a mainland stock", symbol=str(company))
    return company


def _check_stock(company: Symbol) -> Symbol:
    if company.kind != "stock":
        raise NotFound("{symbol} has no financial reports, because it is not a stock", symbol=str(company))
    return company


def _combine_failures(first: IaError, second: IaError) -> IaError:
    kind = TryLater if isinstance(first, TryLater) or isinstance(second, TryLater) else Unavailable
    return kind(
        "market snapshot: no host answered: {first}; {second}",
        hint="choose another data source with market.adapter; `ia doctor` shows the state of each host",
        first=first,
        second=second,
    )
