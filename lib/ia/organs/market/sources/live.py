"""The real market: Eastmoney's lists and data center; where they fail as a whole, the snapshot comes from Sina."""

from collections.abc import Iterator, Sequence

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import IaError, Message, NotFound, Notify, TryLater, Unavailable, silent
from ia.organs.market.sources import KINDS, Board, Flow, Listing, Page, Report, datacenter, eastmoney, never, sina


class Live:
    """The source of real market data; it goes with the adapter `akshare` and asks the same hosts."""

    name = "akshare"
    simulated = False
    local = False

    def snapshot(self, kinds: Sequence[str] = KINDS, notify: Notify = silent) -> Iterator[Page]:
        """Yield the snapshot of one host. Where Eastmoney fails, even half-way, Sina's begins anew with page 1.

        raises  TryLater or Unavailable telling of both hosts where neither answered well.
        """
        try:
            yield from eastmoney.pages(kinds, notify)
            return
        except (TryLater, Unavailable) as exc:
            failed = exc
        notify(Message("{reason}; {host} is asked instead", reason=failed, host=sina.HOST))
        try:
            yield from sina.pages(kinds)
        except (TryLater, Unavailable) as exc:
            raise _neither(failed, exc) from exc

    def boards(self, kind: str) -> list[Board]:
        """Return Eastmoney's boards of a kind."""
        if kind not in ("industry", "concept"):
            raise never(self.name, Message("boards of this kind"))
        return eastmoney.boards(kind)

    def members(self, kind: str, board: str) -> list[str]:
        """Return the stocks of one of Eastmoney's boards."""
        return eastmoney.members(board)

    def fundamentals(self, period: str) -> list[Report]:
        """Return what all companies reported of a period, by Eastmoney."""
        return datacenter.fundamentals(period)

    def fundamentals_of(self, symbol: str) -> list[Report]:
        """Return the periods of one company, by Sina: unlike Eastmoney's they have net margin and debt ratio."""
        company = from_canonical(symbol)
        if company.market != "CN" or company.kind != "stock":
            raise NotFound("{symbol} has no reports: it is no mainland stock", symbol=str(company))
        return sina.fundamentals_of(company)

    def northbound(self, since: str | None = None) -> list[Flow]:
        """Return the days of Stock Connect, by Eastmoney."""
        return datacenter.connect(since)

    def lhb(self, since: str, until: str) -> list[Listing]:
        """Return the lists of unusual trading of some days, by Eastmoney."""
        return datacenter.listings(since, until)

    def trade_dates(self) -> list[str]:
        """Return the trading days of Shanghai, by Sina."""
        from ia.organs.ohlcv.adapters.sina import trade_dates

        return trade_dates()


def _neither(first: IaError, second: IaError) -> IaError:
    kind = TryLater if isinstance(first, TryLater) or isinstance(second, TryLater) else Unavailable
    return kind(
        "the market's snapshot: no host answered: {first}; {second}",
        hint="another source: market.adapter; how hosts stand: `ia doctor`",
        first=first,
        second=second,
    )
