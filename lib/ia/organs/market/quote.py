"""A quote: what a snapshot of the whole market tells of one security on one day."""

from typing import NamedTuple


class Quote(NamedTuple):
    """One row of a snapshot. What the source does not tell is None; nothing is made up.

    symbol   canonical: `600519.SH`. kind: stock, etf, index
    prices   unadjusted, in the currency of the exchange; `prev_close` is the reference price of the day (after an
             ex-date the adjusted one), `change` and `change_pct` are against it
    volume   shares. amount: money that changed hands. market_cap, float_cap: money
    pe       on the profit of the reported quarters, annualized (Eastmoney: dynamic); pe_ttm on the last four
    roe_pct  as the source tells it: of the newest report, since the beginning of its year. Readers show another one
    *_pct    per cent. time: exchange time of the last trade, YYYY-MM-DDTHH:MM:SS, where the source tells it
    concepts parted by `;`. listed: YYYY-MM-DD
    """

    symbol: str
    name: str | None = None
    price: float | None = None
    prev_close: float | None = None
    change: float | None = None
    change_pct: float | None = None
    open: float | None = None
    high: float | None = None
    low: float | None = None
    volume: int | None = None
    amount: float | None = None
    amplitude_pct: float | None = None
    turnover_pct: float | None = None
    volume_ratio: float | None = None
    pe: float | None = None
    pe_ttm: float | None = None
    pb: float | None = None
    roe_pct: float | None = None
    market_cap: float | None = None
    float_cap: float | None = None
    change_60d_pct: float | None = None
    change_ytd_pct: float | None = None
    time: str | None = None
    kind: str = "stock"
    listed: str | None = None
    industry: str | None = None
    concepts: str | None = None

    @property
    def traded(self) -> bool:
        """Whether it traded that day, so that there is a bar: it has prices and a volume."""
        return bool(self.volume and self.price and self.open and self.high and self.low)


SNAPSHOT = Quote._fields[: Quote._fields.index("time") + 1]
"""The columns of the table `snapshots` that a quote fills, in its order; the rest belongs to `securities`."""
