"""Whether a quote can be true: what its own numbers say about each other. Shifted columns and wrong units show here."""

from datetime import date

from ia.domain.instruments.special import is_st, sessions_by_name
from ia.organs.market.quote import Quote
from ia.organs.market.sources.cells import CellTally, ImplausibleRow

WRONG_UNIT = 3.0
"""Money that is so many times off what the volume costs is another column, or in another unit."""
LARGEST_MOVE = 45.0
"""Per cent; the widest daily limit is 30. The first days of a stock have none, nor has one that is being delisted."""
FIRST_DAYS = 20
"""Calendar days after the listing in which a stock may have no price limit."""


def check_quote(quote: Quote, told: str, tally: CellTally) -> None:
    """Raise Odd, naming a field of Quote, where prices, change, volume and money of a quote contradict each other.

    What no price depends on (amplitude, turnover, money that is somewhat off) is only counted in `tally`.

    told    the name as the source writes it: `N`, `C` and `退` mark stocks without a price limit
    """
    price, before = quote.price, quote.prev_close
    if quote.volume is not None and quote.volume and price is None:
        raise ImplausibleRow("price", "none, but a volume")
    if price is None or before is None or not quote.traded:
        return
    first, high, low = quote.open or 0.0, quote.high or 0.0, quote.low or 0.0
    if low > min(first, price) + 0.0005:
        raise ImplausibleRow("low", low)
    if high < max(first, price) - 0.0005:
        raise ImplausibleRow("high", high)
    if quote.change is not None and abs(price - before - quote.change) > 0.0101:
        before = price - quote.change
        if quote.change_pct is None or before <= 0 or not _fits_change(price / before, quote.change_pct):
            raise ImplausibleRow("change", quote.change)
        tally.false["prev_close"] += 1  # price and change agree: it is looked at when it is held against the store
    if quote.change_pct is not None:
        move = (price / before - 1) * 100
        if not _fits_change(price / before, quote.change_pct):
            raise ImplausibleRow("change_pct", quote.change_pct)
        if abs(move) > LARGEST_MOVE and not _may_exceed_limit(quote, told):
            raise ImplausibleRow("change_pct", quote.change_pct)
    if quote.amount is not None and not _fits_amount(quote, WRONG_UNIT):
        raise ImplausibleRow("amount", quote.amount)
    _count_doubts(quote, tally)


def _fits_change(ratio: float, change_pct: float) -> bool:
    """Whether a change in per cent is that of a price to the one before, but for rounding."""
    move = (ratio - 1) * 100
    return abs(move - change_pct) <= 0.02 + 0.002 * abs(move)


def _may_exceed_limit(quote: Quote, told: str) -> bool:
    """Whether a stock may have moved without a limit."""
    if sessions_by_name(told) is not None or "退" in told or is_st(told):
        return True
    if quote.listed is None or quote.time is None:
        return False
    return (date.fromisoformat(quote.time[:10]) - date.fromisoformat(quote.listed)).days <= FIRST_DAYS


def _fits_amount(quote: Quote, factor: float) -> bool:
    """Whether the money fits the volume: what was paid a share lies between low and high, but for a factor.

    A volume is told in lots.
    """
    volume, amount = quote.volume or 0, quote.amount or 0.0
    least, most = (volume - 100) * (quote.low or 0.0) / factor, (volume + 100) * (quote.high or 0.0) * factor
    return least <= amount <= most


def _count_doubts(quote: Quote, tally: CellTally) -> None:
    before, high, low = quote.prev_close or 1.0, quote.high or 0.0, quote.low or 0.0
    if quote.amplitude_pct is not None and abs((high - low) / before * 100 - quote.amplitude_pct) > 0.05:
        tally.doubted["amplitude_pct"] += 1
    if quote.float_cap and quote.turnover_pct is not None:
        turned = (quote.volume or 0) * (quote.price or 0.0) / quote.float_cap * 100
        if abs(turned - quote.turnover_pct) > 0.02 + 0.05 * turned:
            tally.doubted["turnover_pct"] += 1
    if quote.amount is not None and not _fits_amount(quote, 1.02):
        tally.doubted["amount"] += 1
    if quote.market_cap and quote.float_cap and quote.float_cap > 1.001 * quote.market_cap:
        tally.false["float_cap"] += 1
