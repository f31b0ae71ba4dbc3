"""Shares of Hong Kong and the US into the store: the jobs `hk` and `us` of `ia sync`.

No source tells a whole market of them, so each security has its own series, as `ia ohlcv` keeps it. A series that has
the last closed session of its exchange costs no request; to the others the new bars are added.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import config
from ia.kernel.errors import BadData, IaError, Message, NotFound, Notify, SimulatedPrices, TryLater, Unavailable
from ia.kernel.workspace import Workspace
from ia.organs.market.backfill import IN_A_ROW
from ia.organs.ohlcv.history import BarsRequest, load_history

MARKETS = {"hk": "HK", "us": "US"}
"""The job -> the market of its securities."""
Progress = Callable[[int, int, int], None]
"""Is told how many are done, of how many, and how many of them failed."""


class ForeignResult(NamedTuple):
    """What a job brought: the newest day, how many securities have bars, how many of them have a new one.

    failed   what could not be fetched, by symbol. skipped: symbols that were not asked for any more
    """

    day: str
    rows: int
    changed: int
    failed: dict[str, IaError]
    skipped: tuple[str, ...]


def select_market(job: str, symbols: Sequence[str]) -> tuple[str, ...]:
    """Return the canonical symbols of the market of a job, each once.

    >>> select_market("us", ["AAPL.US", "00700.HK", "600519.SH", "AAPL.US"])
    ('AAPL.US',)
    """
    found = (each for each in symbols if from_canonical(each).market == MARKETS[job])
    return tuple(dict.fromkeys(found))


def sync_foreign(ws: Workspace, symbols: Sequence[str], notify: Notify, progress: Progress) -> ForeignResult:
    """Store the bars of securities up to the last closed session of their exchange.

    The adapters of `market.adapter` are asked in their order, as `ia ohlcv` asks them. One that reads this disk is only
    looked at: nothing of it is kept. After IN_A_ROW failures in a row the rest is skipped. The reports of companies
    are asked for once a week.
    """
    days: list[str] = []
    failed: dict[str, IaError] = {}
    changed = row = done = 0
    for symbol in symbols:
        if row >= IN_A_ROW:
            break
        progress(done, len(symbols), len(failed))
        done += 1
        request = BarsRequest(symbol=symbol, adjust="none")
        try:
            before = _newest_stored(ws, request)
            bars = load_history(ws, request, notify).bars
        except NotFound as exc:
            failed[symbol] = exc
        except (TryLater, Unavailable, BadData) as exc:
            failed[symbol] = exc
            row += 1
        else:
            row = 0
            if bars.date:
                days.append(bars.date[-1])
                changed += bars.date[-1] > before
            _refresh_reports(symbol, notify)
    progress(done, len(symbols), len(failed))
    return ForeignResult(
        day=max(days, default=""), rows=len(days), changed=changed, failed=failed, skipped=tuple(symbols[done:])
    )


def _refresh_reports(symbol: str, notify: Notify) -> None:
    """Ask for a company's reports once a week, for its industry once a month; a failure leaves what was told before."""
    from ia.organs.market import foreign_industries, foreign_reports
    from ia.organs.market.market_jobs import WEEK

    if not foreign_reports.is_covered(from_canonical(symbol)):
        return
    try:
        foreign_reports.load_reports(symbol, within=WEEK)
    except NotFound:
        return
    except (TryLater, Unavailable) as exc:
        notify(Message("{symbol}: its reports could not be fetched: {reason}", symbol=symbol, reason=exc))
        return
    try:
        foreign_industries.load_industry(symbol)
    except NotFound:
        return
    except (TryLater, Unavailable) as exc:
        notify(Message("{symbol}: its industry could not be fetched: {reason}", symbol=symbol, reason=exc))


def drop_simulated(notify: Notify) -> Notify:
    """Return a notify that leaves out that a security is simulated, where the whole run has said it."""

    def tell(message: Message) -> None:
        if not isinstance(message, SimulatedPrices):
            notify(message)

    return tell


def _newest_stored(ws: Workspace, request: BarsRequest) -> str:
    """Return the date of the newest stored bar; "" where none is stored."""
    from ia.kernel.errors import drop_message

    newest = ""
    for name in config.get_setting_words("market.adapter"):
        try:
            stored = load_history(ws, request._replace(adapters=(name,), stale=True), drop_message)
        except NotFound:
            continue
        newest = max(newest, *stored.bars.date[-1:], "")
    return newest
