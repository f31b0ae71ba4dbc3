"""The report of a symbol: chart, what it did, what it is worth, the trades in it and what was written about it."""

from bisect import bisect_right
from calendar import monthrange
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ia.domain.instruments.symbols import security_name
from ia.domain.performance import ratios
from ia.faculties.pictures import chart_page, report_parts, symbol_history
from ia.faculties.pictures.chart import Chart
from ia.faculties.pictures.chart_indicators import PlotLimits, compute_indicators
from ia.faculties.pictures.chart_source import DRAWN, ChartOrigin, build_chart, load_trade_marks
from ia.faculties.pictures.report_parts import SheetCell
from ia.faculties.pictures.svg import escape_xml
from ia.kernel import clock
from ia.kernel.errors import BadData, IaError, NotFound, Notify, PluralText, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ledger.journal import JournalEntry

NOTES = 8
YEAR = 250
"""Trading days by which a volatility is annualized, as in the research notes."""


def render_symbol_report(
    ws: Workspace, origin: ChartOrigin, voice: Voice, limits: PlotLimits, notify: Notify = drop_message
) -> str:
    """Return the page of a symbol. What is not stored is said to be missing, and nothing is fetched for it."""
    say = voice
    _, panes = compute_indicators(origin.bars, [], ["rsi", "macd"], limits, notify)
    whole = replace(build_chart(origin, voice), panes=panes, marks=load_trade_marks(ws, origin, voice))
    shown = whole.cut_bars(max(0, len(origin.bars.date) - DRAWN))
    name = security_name(origin.symbol, origin.name, voice.lang)
    title = f"{origin.symbol} {name}".strip() or say("Chart")
    body = (
        f"<h1>{escape_xml(title)}</h1>\n{chart_page.warning_banner(_warning_banner(origin, voice))}"
        + chart_page.render_figure(whole, shown)
        + report_parts.render_section(
            say("Performance"),
            _performance_section(origin, whole),
            report_parts.render_paragraph(_describe_age(origin, voice)),
        )
        + symbol_history.render_against_index(ws, origin, voice)
        + _quote_section(ws, origin, whole)
        + symbol_history.render_valuation_history(ws, origin, voice)
        + symbol_history.render_dividends(origin, voice)
        + _reports_section(ws, origin, whole)
        + _trades_section(ws, origin, whole)
        + _notes_section(ws, origin, voice)
        + chart_page.last_bars_table(shown)
        + chart_page.render_footer(whole)
    )
    return chart_page.render_page(say("{title}: report", title=title), body, voice.lang, script=chart_page.CHART_SCRIPT)


def _warning_banner(origin: ChartOrigin, voice: Voice) -> str:
    if not origin.simulated:
        return ""
    return voice("simulated prices: {symbol} is invented by {adapter}", symbol=origin.symbol, adapter=origin.adapter)


def _describe_age(origin: ChartOrigin, voice: Voice) -> str:
    """Return how old the newest bar is, in days of the calendar, against now()."""
    from datetime import date

    last = origin.bars.date[-1][:10]
    days = (clock.now().date() - date.fromisoformat(last)).days
    return voice(
        PluralText(
            "the newest bar is from {date}, {days} day before this report",
            "the newest bar is from {date}, {days} days before this report",
            by="days",
        ),
        date=last,
        days=max(days, 0),
    )


def _performance_section(origin: ChartOrigin, chart: Chart) -> str:
    bars, say, up = origin.bars, chart.voice, chart.up
    closes = bars.close
    per_year = YEAR if (origin.period or "daily") == "daily" else {"weekly": 52, "monthly": 12}.get(origin.period, YEAR)
    year = index_months_before(bars, 12)
    since = 0 if year is None else year
    high, low = max(bars.high[since + (year is not None) :]), min(bars.low[since + (year is not None) :])
    rsi = next((v for pane in chart.panes for v in reversed(pane.lines[0].values) if v is not None), None)
    pairs = [
        (say("Close"), SheetCell(report_parts.format_known_price(closes[-1]))),
        (
            say("1 day"),
            report_parts.percent_cell(_change_since(closes, len(closes) - 2 if len(closes) > 1 else None), up),
        ),
        (say("1 month"), report_parts.percent_cell(_change_since(closes, index_months_before(bars, 1)), up)),
        (say("3 months"), report_parts.percent_cell(_change_since(closes, index_months_before(bars, 3)), up)),
        (say("1 year"), report_parts.percent_cell(_change_since(closes, year), up)),
        (say("this year"), report_parts.percent_cell(_change_this_year(bars), up)),
        (
            say("volatility, 1 year"),
            report_parts.unsigned_percent_cell(_annual_volatility(closes[since:], per_year), 1),
        ),
        (say("maximum drawdown, 1 year"), report_parts.unsigned_percent_cell(_max_drawdown(closes[since:]) * 100, 1)),
        (say("maximum drawdown, all"), report_parts.unsigned_percent_cell(_max_drawdown(closes) * 100, 1)),
        (say("highest, 1 year"), SheetCell(report_parts.format_known_price(high))),
        (say("lowest, 1 year"), SheetCell(report_parts.format_known_price(low))),
        ("RSI 14", SheetCell(report_parts.format_number(rsi, 1))),
    ]
    return report_parts.render_tiles(pairs)


def index_months_before(bars: Bars, months: int) -> int | None:
    """Return the place of the last bar on or before the day so many months before the newest; None where none is.

    The months are those of the calendar: of 31 March one month back is the last day of February.
    """
    last = bars.date[-1]
    year, month = divmod(int(last[:4]) * 12 + int(last[5:7]) - 1 - months, 12)
    day = min(int(last[8:10]), monthrange(year, month + 1)[1])
    place = bisect_right(bars.date, f"{year:04}-{month + 1:02}-{day:02}{last[10:]}") - 1
    return place if place >= 0 else None


def _change_since(closes: list[float], place: int | None) -> float | None:
    """Return the change since the close at a place in per cent; None for no place."""
    return None if place is None else (closes[-1] / closes[place] - 1) * 100


def _change_this_year(bars: Bars) -> float | None:
    """Return the change since the last close of the year before, in per cent."""
    year = bars.date[-1][:4]
    before = [close for date, close in zip(bars.date, bars.close, strict=True) if date[:4] < year]
    return (bars.close[-1] / before[-1] - 1) * 100 if before else None


def _annual_volatility(closes: list[float], per_year: int) -> float | None:
    """Return the annualized standard deviation (n - 1) of simple returns in per cent; None below 20 of them."""
    found = ratios.volatility([b / a - 1 for a, b in pairwise(closes)], per_year).value
    return None if found is None else found * 100


def _max_drawdown(closes: list[float]) -> float:
    """Return the largest fall from a high, as a part of it."""
    high, deepest = closes[0], 0.0
    for close in closes:
        high = max(high, close)
        deepest = max(deepest, 1 - close / high)
    return deepest


def _quote_section(ws: Workspace, origin: ChartOrigin, chart: Chart) -> str:
    say, lang = chart.voice, chart.voice.lang
    try:
        from ia.organs.market import market_reader

        found, _ = market_reader.load_quotes(ws, [origin.symbol])
    except IaError:
        found = []
    row: Json = found[0] if found else {}
    known = {"market_cap", "pe_ttm", "pe", "pb", "turnover_pct", "industry"} & {
        k for k, v in row.items() if v is not None
    }
    if not known:
        return report_parts.render_section(
            say("Quote"), report_parts.render_paragraph(say("no quote stored; run `ia sync daily` to fetch the market"))
        )
    pairs = [
        (say("Price"), SheetCell(report_parts.format_known_price(row["price"]))),
        (say("Change"), report_parts.percent_cell(row["change_pct"], chart.up)),
        (say("Turnover rate"), report_parts.unsigned_percent_cell(row["turnover_pct"])),
        (say("Amount"), SheetCell(report_parts.format_large(row["amount"], lang))),
        (say("Market value"), SheetCell(report_parts.format_large(row["market_cap"], lang))),
        ("PE", SheetCell(report_parts.format_number(row["pe"]))),
        ("PE TTM", SheetCell(report_parts.format_number(row["pe_ttm"]))),
        ("PB", SheetCell(report_parts.format_number(row["pb"]))),
        (say("Industry"), SheetCell(report_parts.industry_name(row["industry"], lang))),
    ]
    told = say("{date}, source {source}", date=row["date"], source=row["source"])
    if row.get("simulated"):
        told += " · " + say("simulated figures")
    return report_parts.render_section(
        say("Quote"), report_parts.render_tiles(pairs), report_parts.render_paragraph(told)
    )


def _reports_section(ws: Workspace, origin: ChartOrigin, chart: Chart) -> str:
    say, lang, up = chart.voice, chart.voice.lang, chart.up
    try:
        from ia.organs.market import market_reader

        _, rows = market_reader.load_fundamentals(ws, origin.symbol, 8)
    except IaError:
        missing = say("no published reports stored; run `ia sync fundamentals` to fetch them")
        return report_parts.render_section(say("Fundamentals"), report_parts.render_paragraph(missing))
    heads = ("Period", "Published", "Revenue", "YoY", "Net profit", "YoY", "EPS", "ROE", "Gross margin", "Debt")
    cells = [
        [
            row["period"],
            row["published"] or "",
            report_parts.format_large(row["revenue"], lang),
            report_parts.percent_cell(row["revenue_yoy_pct"], up, 1),
            report_parts.format_large(row["profit"], lang),
            report_parts.percent_cell(row["profit_yoy_pct"], up, 1),
            report_parts.format_number(row["eps"]),
            report_parts.unsigned_percent_cell(row["roe_pct"], 1),
            report_parts.unsigned_percent_cell(row["gross_margin_pct"], 1),
            report_parts.unsigned_percent_cell(row["debt_ratio_pct"], 1),
        ]
        for row in rows
    ]
    told = say("figures of the twelve months up to the end of the period; source {where}", where=rows[0]["source"])
    if rows[0]["simulated"]:
        told += " · " + say("simulated figures")
    return report_parts.render_section(
        say("Fundamentals"),
        report_parts.render_table([say(head) for head in heads], cells, left=2),
        report_parts.render_paragraph(told),
    )


def _trades_section(ws: Workspace, origin: ChartOrigin, chart: Chart) -> str:
    from ia.organs.ledger import journal, profit
    from ia.wiring.ledger_prices import open_ledger

    say, up = chart.voice, chart.up
    entries = journal.effective_entries(ws.db, symbol=origin.symbol)
    if not entries:
        return report_parts.render_section(
            say("Trades"), report_parts.render_paragraph(say("no trades in this security in the ledger"))
        )
    desk = open_ledger(ws)
    books = desk.books()
    rows = profit.profit_rows(books, desk.load_prices(books), origin.symbol)
    pairs: list[tuple[str, SheetCell]] = []
    for row in rows:  # one at the most
        pairs = [
            (say("Held"), SheetCell(report_parts.format_shares(row.quantity))),
            (say("Cost"), SheetCell(report_parts.format_money(row.cost))),
            (say("Value"), SheetCell(report_parts.format_money(row.value))),
            (say("Unrealized"), report_parts.profit_cell(row.unrealized, up)),
            (say("Realized"), report_parts.profit_cell(row.realized, up)),
            (say("Dividends"), SheetCell(report_parts.format_money(row.dividends))),
            (say("Fees"), SheetCell(report_parts.format_money(row.fees))),
            (say("Profit"), report_parts.profit_cell(row.profit, up)),
            (say("of total purchases"), report_parts.percent_cell(row.rate, up)),
        ]
    return report_parts.render_section(
        say("Trades"), report_parts.render_tiles(pairs), trades_table(entries, chart.voice)
    )


def trades_table(entries: "list[JournalEntry]", voice: Voice, *, symbols: bool = False, most: int = 200) -> str:
    """Return entries of the journal as a table, newest first."""
    say = voice
    heads = ["Date", *(["Symbol"] if symbols else []), "Entry", "Shares", "Price", "Amount", "Fees", "Reason"]
    rows = []
    for entry in reversed(entries[-most:]):
        cells: list[SheetCell | str] = [entry.date]
        if symbols:
            cells.append(f"{entry.symbol} {security_name(entry.symbol, entry.name, voice.lang)}".strip())
        rows.append(
            [
                *cells,
                say(entry.kind),
                report_parts.format_shares(entry.quantity),
                report_parts.format_shares(entry.price),
                report_parts.format_money(entry.cash),
                report_parts.format_money(entry.fees),
                SheetCell(entry.reason, "wrap"),
            ]
        )
    note = ""
    if len(entries) > most:
        note = report_parts.render_paragraph(say("newest {count} of {all}", count=most, all=len(entries)))
    return report_parts.render_table([say(head) for head in heads], rows, left=3 if symbols else 2) + note


def _shorten_passage(passage: str, most: int = 600) -> str:
    """Return the whole lines of a passage up to `most` characters; the first line is cut where it alone is longer."""
    if len(passage) <= most:
        return passage
    return passage[:most].rpartition("\n")[0] or f"{passage[:most]}…"


def _notes_section(ws: Workspace, origin: ChartOrigin, voice: Voice) -> str:
    """Return what was written about the symbol: where, when, and the passage, as a quotation."""
    from ia.wiring.security_mentions import find_notes

    say = voice
    code = origin.symbol.partition(".")[0]
    try:
        hits = find_notes(ws, [origin.name, code], NOTES)
    except (NotFound, BadData):
        hits = []
    if not hits:
        return report_parts.render_section(
            say("Notes"), report_parts.render_paragraph(say("no notes about this security"))
        )
    quotes = "".join(
        f"<h3>{escape_xml(path)} · {escape_xml(date)}</h3>\n"
        f"<blockquote>{report_parts.render_markdown(_shorten_passage(passage))}</blockquote>\n"
        for path, date, passage in hits
    )
    return report_parts.render_section(say("Notes"), quotes)
