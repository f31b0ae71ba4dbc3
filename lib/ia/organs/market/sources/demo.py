"""The simulated market as a whole: snapshots, boards, reports and lists made from simulated bars. All of it made up.

What a day tells depends on days up to it only, and on no random number that another machine would draw differently.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.kernel import clock
from ia.kernel.errors import Message, NotFound, Notify, drop_message
from ia.organs.market.quote import Quote
from ia.organs.market.sources import (
    KINDS,
    NET_ENDED,
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
from ia.organs.market.sources.companies import (
    hashed_fraction,
    published_report,
    published_reports,
    share_count,
    simulated_companies,
    trailing_profit,
)
from ia.organs.market.sources.foreign_companies import (
    build_foreign_events,
    foreign_companies,
    published_foreign_reports,
)
from ia.organs.market.sources.simulated_statements import build_foreign_statement, build_statement
from ia.organs.ohlcv.adapters.demo import Demo, simulated_days, simulated_rate, simulated_symbols
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

HOST = "simulated"
EXCHANGE = {"shanghai": "SH", "shenzhen": "SZ"}
"""The channels of Stock Connect, and whose stocks each trades."""


class _Series(NamedTuple):
    symbol: Symbol
    bars: Bars
    actions: "list[Action]"


@lru_cache(maxsize=128)
def _full_series(symbol: Symbol, day: str) -> _Series:
    """Return all that the simulated market has of a security on the machine's own day: half a second for all."""
    demo = Demo()
    return _Series(symbol, demo.normalize(demo.fetch(symbol)), demo.actions(symbol))


class DemoMarket:
    """The source of the simulated market: the mainland's securities of the demo adapter, and companies abroad."""

    name = "demo"
    simulated = True
    local = False

    def snapshot(self, kinds: Sequence[str] = KINDS, notify: Notify = drop_message) -> Iterator[SnapshotPage]:
        """Yield one page: the last day that has closed, as all would have seen it then."""
        last = clock.last_visible_date("CN")
        day = max((series.bars.date[-1] for series in self._all_series(kinds, last)), default="")
        quotes = [_build_quote(series, day, last) for series in self._all_series(kinds, last)]
        yield SnapshotPage(quotes=quotes, number=1, pages=1, host=HOST, time=f"{day}T15:00:00" if day else None)

    def boards(self, kind: str) -> list[SectorBoard]:
        """Return the groups of the simulated companies, as they stand after the last close."""
        if kind not in ("industry", "concept"):
            raise not_delivered_error(self.name, Message("boards of this kind"))
        groups: dict[str, list[Quote]] = {}
        for page in self.snapshot(("stock",)):
            for quote in page.quotes:
                for group in filter(
                    None, ((quote.industry if kind == "industry" else quote.concepts) or "").split(";")
                ):
                    groups.setdefault(group, []).append(quote)
            time = page.time
        return [_build_board(kind, name, quotes, time) for name, quotes in sorted(groups.items())]

    def members(self, kind: str, board: str) -> list[str]:
        """Return the simulated stocks of a group; NotFound where there is none of this code."""
        found = [
            series.symbol.canonical
            for series in self._all_series(("stock",), clock.last_visible_date("CN"))
            if any(
                _group_code(kind, name) == board
                for name in simulated_companies()[series.symbol.canonical].board_names(kind)
            )
        ]
        if not found:
            raise NotFound("{board}: unknown board in the simulated market", board=board)
        return found

    def fundamentals(self, period: str) -> list[CompanyReport]:
        """Return what the simulated companies had published of a period by the last close."""
        last = clock.last_visible_date("CN")
        told = (
            published_report(s.symbol.canonical, s.bars, s.actions, period, last)
            for s in self._all_series(("stock",), last)
        )
        return [each for each in told if each is not None]

    def fundamentals_of(self, symbol: str) -> list[CompanyReport]:
        """Return the published reports of a simulated company, newest period first."""
        last = clock.last_visible_date("CN")
        security = from_canonical(symbol)
        if symbol not in simulated_companies() or not (series := self._series_until(security, last)).bars.date:
            raise NotFound("{symbol} is not in the simulated market", symbol=str(security))
        return list(published_reports(symbol, series.bars, series.actions, last))

    def foreign_reports_of(self, symbol: str) -> list[ForeignReport]:
        """Return the published reports of a simulated company of Hong Kong or the US, newest period first."""
        security = _find_foreign(symbol)
        last = clock.last_visible_date(security.market)
        series = self._series_until(security, last)
        if not series.bars.date:
            raise NotFound("{symbol} is not in the simulated market", symbol=str(security))
        return published_foreign_reports(security, series.bars, series.actions, last)

    def foreign_industry_of(self, symbol: str) -> str:
        """Return the industry of a company of Hong Kong or the US; "" of one that is not simulated."""
        company = foreign_companies().get(symbol)
        return company.industry if company else ""

    def statements_of(self, symbol: str, statement: str) -> list[FinancialStatement]:
        """Return a statement of a simulated company for its published periods, newest first; it fits the reports."""
        if from_canonical(symbol).market != "CN":
            return [build_foreign_statement(each, statement) for each in self.foreign_reports_of(symbol)]
        reports = self.fundamentals_of(symbol)
        series = self._series_until(from_canonical(symbol), clock.last_visible_date("CN"))
        company, actions = simulated_companies()[symbol], series.actions
        return [build_statement(each, share_count(company, actions, each.period), statement) for each in reports]

    def news_of(self, symbol: str, kind: str) -> list[NewsItem]:
        """Return simulated announcements, or news, of a simulated company up to now."""
        from ia.organs.market.sources.simulated_news import (
            build_announcements,
            build_foreign_announcements,
            build_news,
        )

        company = from_canonical(symbol)
        series = self._series_until(company, clock.last_visible_date(company.market))
        if company.market != "CN":
            foreign = self.foreign_reports_of(symbol)
            if kind == "announcement":
                return build_foreign_announcements(company, foreign, clock.now())
            return build_news(company, series.bars, clock.now())
        reports = self.fundamentals_of(symbol)
        if kind == "announcement":
            return build_announcements(company, reports, clock.now())
        return build_news(company, series.bars, clock.now())

    def events_of(self, symbol: str) -> list[CompanyEvent]:
        """Return the simulated dates of a simulated company that are known by now."""
        from ia.organs.market.sources.simulated_dates import build_events

        if from_canonical(symbol).market != "CN":
            security = _find_foreign(symbol)
            series = self._series_until(security, clock.last_visible_date(security.market))
            return build_foreign_events(security, series.actions, clock.today(security.market))
        if symbol not in simulated_companies():
            raise NotFound("{symbol} is not in the simulated market", symbol=str(from_canonical(symbol)))
        return build_events(from_canonical(symbol), clock.today("CN"))

    def live_bars(self, symbols: Sequence[str], notify: Notify = drop_message) -> list[LiveBar]:
        """Return simulated unfinished bars of the real present; none before the opening and of other securities."""
        from ia.organs.market.sources.simulated_live import build_live_bars

        return build_live_bars(symbols, clock.wall_time())

    def northbound(self, since: str | None = None) -> list[ConnectFlow]:
        """Return the simulated turnover of Stock Connect; its net flow ends where the real one's publication ended."""
        last = clock.last_visible_date("CN")
        found = []
        stocks = self._all_series(("stock",), last)
        days = sorted({day for series in stocks for day in series.bars.date})
        listed = {
            channel: [
                (s, {day: i for i, day in enumerate(s.bars.date)}) for s in stocks if s.symbol.exchange == exchange
            ]
            for channel, exchange in EXCHANGE.items()
        }
        for day in days[bisect_left(days, since) if since else 0 :]:
            parts = [
                _build_flow(day, channel, [(s, at[day]) for s, at in mine if day in at])
                for channel, mine in listed.items()
            ]
            found += [*parts, _add_flows(*parts)]
        return found

    def lhb(self, since: str, until: str) -> list[UnusualListing]:
        """Return the simulated stocks that moved by 7 % or more on these days, as if exchanges had listed them."""
        listed = []
        for symbol, bars, actions in self._all_series(("stock",), min(until, clock.last_visible_date("CN"))):
            for at in range(bisect_left(bars.date, since), len(bars.date)):
                if row := _build_listing(_Series(symbol, bars.slice_bars(0, at + 1), actions), bars.date[at]):
                    listed.append(row)
        return listed

    def rates(self, since: str, until: str) -> list[DailyRate]:
        """Return simulated rates of the simulated trading days: a slow wave around a level, and a little noise."""
        return [rate for rate in _rates_until(until) if rate.date >= since]

    def trade_dates(self) -> list[str]:
        """Return nothing: the simulated market trades on the days that are known."""
        return []

    def _all_series(self, kinds: Sequence[str], last: str) -> list[_Series]:
        """Return the series of all securities of these kinds that were listed by then, up to then."""
        found = (
            self._series_until(symbol, last)
            for symbol in simulated_symbols()
            if symbol.market == "CN" and symbol.kind in kinds
        )
        return [series for series in found if series.bars.date]

    def _series_until(self, symbol: Symbol, last: str) -> _Series:
        _, bars, actions = _full_series(symbol, clock.last_visible_date("CN", clock.wall_time()))
        return _Series(symbol, bars.between_dates(None, last), [action for action in actions if action.date <= last])


def _find_foreign(symbol: str) -> Symbol:
    security = from_canonical(symbol)
    if symbol not in foreign_companies():
        raise NotFound("{symbol} is no company of the simulated market", symbol=str(security))
    return security


@lru_cache(maxsize=4)
def _rates_until(until: str) -> tuple[DailyRate, ...]:
    return tuple(
        DailyRate(currency, day, simulated_rate(currency, day), HOST)
        for day in simulated_days("CN", until)
        for currency in ("HKD", "USD")
    )


def _build_quote(series: _Series, day: str, last: str) -> Quote:
    """Return what a day tells of a security; one that did not trade that day has its last close and no more."""
    symbol, bars, _ = series
    company = simulated_companies().get(symbol.canonical)
    listed = bars.date[0]
    plain = Quote(
        symbol=symbol.canonical,
        name=symbol.name,
        kind=symbol.kind,
        listed=listed,
        industry=(company and company.industry) or None,
        concepts=(company and company.concepts) or None,
    )
    i = len(bars.date) - 1
    if bars.date[i] != day:
        return _add_valuation(plain._replace(prev_close=bars.close[i]), series, last)
    prev = _reference_ticks(series, i)
    first, high, low, close = (column[i] for column in bars[1:5])
    before = bars.volume[max(0, i - 5) : i]
    ticks = 3 if symbol.kind == "etf" else 2
    quote = plain._replace(
        price=close,
        prev_close=prev,
        change=round(close - prev, ticks),
        change_pct=round((close / prev - 1) * 100, 2),
        open=first,
        high=high,
        low=low,
        volume=bars.volume[i],
        amount=_bar_amount(bars, i),
        amplitude_pct=round((high - low) / prev * 100, 2),
        volume_ratio=round(bars.volume[i] / (sum(before) / len(before)), 2) if before and sum(before) else None,
        change_60d_pct=_total_return(series, max(0, i - 60), i),
        change_ytd_pct=_total_return(series, bisect_right(bars.date, f"{int(day[:4]) - 1}-12-31") - 1, i),
        time=f"{day}T15:00:00",
    )
    return _add_valuation(quote, series, last)


def _reference_ticks(series: _Series, i: int) -> float:
    """Return the previous close of bar `i`, less what went ex that day, in ticks; the open on the first day."""
    _, bars, actions = series
    if i == 0:
        return bars.open[0]
    close, before, day = bars.close[i - 1], bars.date[i - 1], bars.date[i]
    for action in actions:
        if before < action.date <= day:
            close = (close - action.cash) / (1.0 + action.bonus)
    ticks = 1000 if series.symbol.kind == "etf" else 100
    return int(close * ticks + 0.500001) / ticks


def _bar_amount(bars: Bars, i: int) -> float:
    return round(bars.volume[i] * (bars.open[i] + bars.high[i] + bars.low[i] + bars.close[i]) / 4, 2)


def _total_return(series: _Series, start: int, end: int) -> float | None:
    """Return the total return from bar `start` to bar `end`, per cent; None where `start` is before the first."""
    if start < 0 or start >= end:
        return None
    worth = series.bars.close[end]
    for action in reversed(series.actions):
        if series.bars.date[start] < action.date <= series.bars.date[end]:
            worth = worth * (1.0 + action.bonus) + action.cash
    return round((worth / series.bars.close[start] - 1) * 100, 2)


def _add_valuation(quote: Quote, series: _Series, last: str) -> Quote:
    """Return a quote with market values, turnover and multiples, from the reports published by `last`."""
    symbol, bars, actions = series
    company = simulated_companies().get(symbol.canonical)
    if company is None:
        return quote
    count = share_count(company, actions, last)
    cap = round(bars.close[-1] * count, 2)
    quote = quote._replace(market_cap=cap, float_cap=round(cap * company.float_frac, 2))
    if quote.volume is not None:
        quote = quote._replace(turnover_pct=round(quote.volume / (count * company.float_frac) * 100, 2))
    newest = next(published_reports(symbol.canonical, bars, actions, last), None)
    if newest is None:
        return quote
    year = trailing_profit(newest, symbol.canonical, bars, actions)
    return quote._replace(
        pe=round(cap / ((newest.profit or 0.0) * 12 / int(newest.period[5:7])), 2),
        pe_ttm=round(cap / year, 2),
        pb=round(cap / (year * company.pe / company.pb), 2),
        roe_pct=newest.roe_pct,
    )


def _group_code(kind: str, name: str) -> str:
    """Return the code of a group, which its name decides."""
    return f"{'I' if kind == 'industry' else 'C'}{int(hashed_fraction(kind, name) * 9000) + 1000}"


def _build_board(kind: str, name: str, quotes: list[Quote], time: str | None) -> SectorBoard:
    """Return a group of stocks: its change weighted by market value, its leader the one that rose most."""
    moved = [quote for quote in quotes if quote.change_pct is not None]
    cap = sum(quote.market_cap or 0.0 for quote in quotes)
    free = sum(quote.float_cap or 0.0 for quote in moved)
    before = sum((quote.market_cap or 0.0) / (1 + (quote.change_pct or 0.0) / 100) for quote in moved)
    now = sum(quote.market_cap or 0.0 for quote in moved)
    leader = max(moved, key=lambda quote: (quote.change_pct or 0.0, quote.symbol), default=None)
    return SectorBoard(
        kind=kind,
        board=_group_code(kind, name),
        name=name,
        change_pct=round((now / before - 1) * 100, 2) if before else None,
        turnover_pct=round(sum(quote.amount or 0.0 for quote in moved) / free * 100, 2) if free else None,
        market_cap=round(cap, 2),
        up=sum((quote.change_pct or 0.0) > 0 for quote in moved),
        down=sum((quote.change_pct or 0.0) < 0 for quote in moved),
        leader=leader.symbol if leader else None,
        leader_pct=leader.change_pct if leader else None,
        time=time,
    )


def _build_flow(day: str, channel: str, traded: list[tuple[_Series, int]]) -> ConnectFlow:
    """Return a day of a channel: a tenth of what its stocks turned over, and a net of up to a twentieth of that."""
    turnover = round(sum(_bar_amount(series.bars, i) for series, i in traded) * 0.1, 2)
    moves = [(series.bars.close[i] / _reference_ticks(series, i) - 1, series.symbol.canonical) for series, i in traded]
    best = max(moves, default=None)
    flow = ConnectFlow(
        date=day,
        channel=channel,
        turnover=turnover,
        deals=int(turnover / 20_000),
        leader=best[1] if best else None,
        leader_pct=round(best[0] * 100, 2) if best else None,
    )
    if day >= NET_ENDED:
        return flow
    net = round(turnover * 0.1 * (hashed_fraction(day, channel, "net") - 0.5), 2)
    return flow._replace(net=net, buy=round((turnover + net) / 2, 2), sell=round((turnover - net) / 2, 2))


def _add_flows(one: ConnectFlow, other: ConnectFlow) -> ConnectFlow:
    """Return the two channels of a day as one."""

    def sum_column(column: str) -> float | None:
        values = getattr(one, column), getattr(other, column)
        return None if None in values else round(sum(values), 2)

    best = max(one, other, key=lambda flow: -100.0 if flow.leader_pct is None else flow.leader_pct)
    sums = {column: sum_column(column) for column in ("net", "buy", "sell", "turnover")}
    deals = (one.deals or 0) + (other.deals or 0)
    return ConnectFlow(
        date=one.date, channel="north", **sums, deals=deals, leader=best.leader, leader_pct=best.leader_pct
    )


def _build_listing(series: _Series, day: str) -> UnusualListing | None:
    quote = _build_quote(series, day, day)
    move = quote.change_pct or 0.0
    if abs(move) < 7 or not quote.amount:
        return None
    turnover = round(quote.amount * (0.1 + 0.3 * hashed_fraction(day, quote.symbol, "seats")), 2)
    buy = round(turnover * (0.3 + 0.4 * hashed_fraction(day, quote.symbol, "buy")), 2)
    return UnusualListing(
        date=day,
        symbol=quote.symbol,
        reason="日涨幅偏离值达7%的证券" if move > 0 else "日跌幅偏离值达7%的证券",
        name=quote.name,
        close=quote.price,
        change_pct=quote.change_pct,
        net=round(2 * buy - turnover, 2),
        buy=buy,
        sell=round(turnover - buy, 2),
        turnover=turnover,
        market_amount=quote.amount,
        turnover_pct=quote.turnover_pct,
        float_cap=quote.float_cap,
        comment="simulated",
    )
