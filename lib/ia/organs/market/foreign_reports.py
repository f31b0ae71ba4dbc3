"""Reports of companies of Hong Kong and the US, as far as they were published by now.

No source tells those of a whole market, so each company is asked for when it is wanted (`kept_answers`). Figures are
those of mainland companies (`trailing`): of the twelve months up to a period, the newest part of a financial year plus
the year before it, less the same part of that year. Money is in the currency of the report.
"""

from datetime import date, timedelta
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.kernel import clock, config
from ia.kernel.errors import NotFound, Unavailable
from ia.kernel.jsontypes import Json
from ia.organs.market import fiscal_periods, sources
from ia.organs.market.fiscal_periods import Span
from ia.organs.market.kept_answers import load_kept
from ia.organs.market.sources import ForeignReport, MarketSource, NotDelivered
from ia.organs.market.trailing import LEAST_EPS, LEAST_ROE

ANNUAL, TTM = "annual", "ttm"
_HK_DEADLINES = {12: 92, 6: 62}
"""Days after a period in which Hong Kong's listing rules (13.49) want its results published; of quarters none."""


class PublishedReports(NamedTuple):
    """The reports of a company that were published by now, newest period first, and who told them."""

    symbol: str
    source: str
    simulated: bool
    reports: list[ForeignReport]


class TwelveMonths(NamedTuple):
    """Figures of the twelve months up to a report; None where a report is missing. basis: annual, ttm, None."""

    basis: str | None
    eps: float | None
    roe_pct: float | None
    revenue: float | None
    revenue_yoy_pct: float | None
    profit: float | None
    profit_yoy_pct: float | None
    gross_margin_pct: float | None
    net_margin_pct: float | None
    cash_flow_ps: float | None


def is_covered(security: Symbol) -> bool:
    """Whether some source tells the reports of a security: a stock of Hong Kong or the US."""
    return security.market in ("HK", "US") and security.kind == "stock"


def load_reports(symbol: str, *, within: timedelta | None = None, quiet: bool = False) -> PublishedReports:
    """Return what a company of Hong Kong or the US published by now, by its canonical symbol.

    within  what was told within this time, by default `kept_answers.FRESH`, counts without asking again
    quiet   nobody is asked over a network: what was told before counts
    raises  NotFound for what is no such stock, and where nothing is published; what the source raises.
    """
    security = from_canonical(symbol)
    if not is_covered(security):
        raise NotFound("{symbol} has no financial reports, because it is not a stock", symbol=symbol)
    source, told = _ask_source(symbol, within, quiet=quiet)
    today = clock.today(security.market)
    known = [each for each in told if (day := public_since(each)) and day <= today]
    if not known:
        raise NotFound("{symbol}: no report is known that was published by {today}", symbol=symbol, today=today)
    known.sort(key=lambda each: (each.period, each.months), reverse=True)
    return PublishedReports(symbol, source.name, source.simulated, known)


def public_since(report: ForeignReport) -> str:
    """Return the day from which a report is known: of publication, else the legal deadline or when ia saw it first.

    >>> public_since(ForeignReport("00700.HK", "2023-12-31", 12, "CNY"))
    '2024-04-01'
    """
    if report.published:
        return report.published
    days = _HK_DEADLINES.get(report.months) if report.symbol.endswith(".HK") else None
    deadline = str(date.fromisoformat(report.period) + timedelta(days=days)) if days else ""
    return min(filter(None, (deadline, report.seen)), default="")


def sum_twelve_months(reports: list[ForeignReport], at: int) -> TwelveMonths:
    """Return the figures of the twelve months up to a report, as `trailing.FIGURES` defines them."""
    report = reports[at]
    if report.months == 12:
        return TwelveMonths(
            basis=ANNUAL, **{name: getattr(report, name) for name in TwelveMonths._fields if name != "basis"}
        )
    revenue, profit = _sum_flow(reports, at, "revenue"), _sum_flow(reports, at, "profit")
    shares = count_shares(report)
    gross = _sum_weighted(reports, at, "gross_margin_pct")
    cash = _sum_a_share(reports, at, "cash_flow_ps")
    return TwelveMonths(
        basis=TTM if revenue is not None or profit is not None else None,
        eps=round(profit / shares, 4) if profit is not None and shares else None,
        roe_pct=_return_on_equity(report, profit),
        revenue=revenue,
        revenue_yoy_pct=_growth(reports, at, "revenue"),
        profit=profit,
        profit_yoy_pct=_growth(reports, at, "profit"),
        gross_margin_pct=round(gross / revenue, 4) if gross is not None and revenue else None,
        net_margin_pct=round(profit / revenue * 100, 4) if profit is not None and revenue else None,
        cash_flow_ps=round(cash / shares, 4) if cash is not None and shares else None,
    )


def count_shares(report: ForeignReport) -> float | None:
    """Return the number of shares of a report: as told, else its profit over its earnings a share; None if unclear."""
    if report.shares:
        return report.shares
    profit, eps = report.profit, report.eps
    if profit is None or eps is None or profit * eps <= 0 or abs(eps) < LEAST_EPS:
        return None
    return profit / eps


def describe_reports(found: PublishedReports, count: int, *, as_reported: bool = False) -> list[Json]:
    """Return the newest reports as `market_reader.load_fundamentals` has them, with `currency` and `months`.

    as_reported     figures since the beginning of the financial year
    """
    rows: list[Json] = []
    for at, report in enumerate(found.reports[:count]):
        year: Json = sum_twelve_months(found.reports, at)._asdict()
        if as_reported:
            year = {name: getattr(report, name) for name in TwelveMonths._fields if name != "basis"}
            year["basis"] = ANNUAL if report.months == 12 else "year-to-date"
        rows.append(
            {
                "symbol": found.symbol,
                "period": report.period,
                "published": report.published,
                "basis": year["basis"],
                "eps": year["eps"],
                "bvps": report.bvps,
                **{
                    name: year[name]
                    for name in ("roe_pct", "revenue", "revenue_yoy_pct", "profit", "profit_yoy_pct",
                                 "gross_margin_pct", "net_margin_pct")
                },
                "debt_ratio_pct": report.debt_ratio_pct,
                "cash_flow_ps": year["cash_flow_ps"],
                "host": report.host,
                "currency": report.currency,
                "months": report.months,
                "source": found.source,
                "simulated": found.simulated,
            }
        )  # fmt: skip
    return rows


def _ask_source(symbol: str, within: timedelta | None, *, quiet: bool) -> tuple[MarketSource, list[ForeignReport]]:
    """Return the first source of `market.adapter` that has reports, and what it tells."""
    refused: NotDelivered | None = None
    for name in config.get_setting_words("market.adapter"):
        try:
            source = sources.load_source(name)
            if source.simulated:
                return source, source.foreign_reports_of(symbol)
            return source, load_kept(
                f"reports/{source.name}-{symbol}",
                lambda row: ForeignReport(**dict(zip(ForeignReport._fields, row, strict=False))),
                lambda kept, source=source: _note_seen(source.foreign_reports_of(symbol), kept),  # type: ignore[misc]
                within=within,
                quiet=quiet,
            )
        except NotDelivered as exc:
            refused = refused or exc
    hint = "run `ia config set market.adapter akshare`"
    raise refused or Unavailable("market.adapter names no data source", hint=hint)


def _note_seen(told: list[ForeignReport], kept: list[ForeignReport]) -> list[ForeignReport]:
    """Return reports with the day on which each was seen first."""
    before = {(each.period, each.months): each.seen for each in kept if each.seen}
    today = clock.wall_time().date().isoformat()
    return [each._replace(seen=before.get((each.period, each.months), today)) for each in told]


def _spans(reports: list[ForeignReport]) -> list[Span]:
    return [Span(each.period, each.months) for each in reports]


def _parts(reports: list[ForeignReport], at: int) -> list[tuple[int, ForeignReport]] | None:
    """Return the reports that make up twelve months, each with its sign; None where one is missing."""
    report = reports[at]
    if report.months == 12:
        return [(1, report)]
    found = fiscal_periods.find_parts(_spans(reports), at)
    if found is None or any(reports[part].currency != report.currency for part in found):
        return None
    return [(1, report), (1, reports[found[0]]), (-1, reports[found[1]])]


def _add(values: list[tuple[int, float | None]]) -> float | None:
    total = 0.0
    for sign, value in values:
        if value is None:
            return None
        total += sign * value
    return total


def _sum_flow(reports: list[ForeignReport], at: int, name: str) -> float | None:
    parts = _parts(reports, at)
    total = _add([(sign, getattr(part, name)) for sign, part in parts]) if parts else None
    return None if total is None else round(total, 2)


def _sum_weighted(reports: list[ForeignReport], at: int, name: str) -> float | None:
    """Return twelve months of a percentage of revenue, times the revenue."""
    parts = _parts(reports, at)
    if not parts:
        return None
    return _add([(sign, _times(getattr(part, name), part.revenue)) for sign, part in parts])


def _sum_a_share(reports: list[ForeignReport], at: int, name: str) -> float | None:
    """Return twelve months of a figure a share, times the shares."""
    parts = _parts(reports, at)
    if not parts:
        return None
    return _add([(sign, _times(getattr(part, name), count_shares(part))) for sign, part in parts])


def _times(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one * other


def _growth(reports: list[ForeignReport], at: int, name: str) -> float | None:
    """Return the growth of twelve months in per cent; None where the twelve months before brought none."""
    before = fiscal_periods.find_year_before(_spans(reports), at)
    old = _sum_flow(reports, before, name) if before is not None else None
    new = _sum_flow(reports, at, name)
    return round((new / old - 1) * 100, 4) if new is not None and old is not None and old > 0 else None


def _return_on_equity(report: ForeignReport, profit: float | None) -> float | None:
    """Return the profit of twelve months over the average equity of the report's own period, in per cent."""
    own, roe = report.profit, report.roe_pct
    if profit is None or own is None or roe is None or own * roe <= 0 or abs(roe) < LEAST_ROE:
        return None
    return round(profit / (own / roe), 4)
