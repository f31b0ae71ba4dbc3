"""The report of a symbol: chart, what it did, what it is worth, the trades in it and what was written about it."""

import math
from bisect import bisect_right
from calendar import monthrange
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ia.faculties.pictures import page, sheet
from ia.faculties.pictures.chart import Chart, Voice
from ia.faculties.pictures.indicators import Limits, drawn
from ia.faculties.pictures.sheet import Cell
from ia.faculties.pictures.source import DRAWN, Origin, charted, marks
from ia.faculties.pictures.svg import escaped
from ia.kernel import clock
from ia.kernel.errors import BadData, IaError, NotFound, Notify, silent
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ledger.journal import Entry

NOTES = 8
YEAR = 250
"""Trading days by which a volatility is annualized, as in the research notes."""


def report(ws: Workspace, origin: Origin, voice: Voice, limits: Limits, notify: Notify = silent) -> str:
    """Return the page of a symbol. What is not stored is said to be missing, and nothing is fetched for it."""
    say = voice.say
    _, panes = drawn(origin.bars, [], ["rsi", "macd"], limits, notify)
    whole = replace(charted(origin, voice), panes=panes, marks=marks(ws, origin, voice))
    shown = whole.cut(max(0, len(origin.bars.date) - DRAWN))
    title = origin.title or say("Chart")
    body = (
        f"<h1>{escaped(title)}</h1>\n{page.warned(_warning(origin, voice))}"
        + page.figure(whole, shown)
        + sheet.section(say("What it did"), _performance(origin, whole), sheet.said(_age(origin, voice)))
        + _quote(ws, origin, whole)
        + _reports(ws, origin, whole)
        + _trades(ws, origin, whole)
        + _notes(ws, origin, voice)
        + page.last_bars(shown)
        + page.footer(whole)
    )
    return page.page(say("{title}: report", title=title), body, voice.lang, script=True)


def _warning(origin: Origin, voice: Voice) -> str:
    if not origin.simulated:
        return ""
    return voice.say(
        "simulated prices: {symbol} is invented by {adapter}", symbol=origin.symbol, adapter=origin.adapter
    )


def _age(origin: Origin, voice: Voice) -> str:
    """Return how old the newest bar is, in days of the calendar, against now()."""
    from datetime import date

    last = origin.bars.date[-1][:10]
    days = (clock.now().date() - date.fromisoformat(last)).days
    return voice.say("the newest bar is of {date}, {days} days before this report", date=last, days=max(days, 0))


def _performance(origin: Origin, chart: Chart) -> str:
    bars, say, up = origin.bars, chart.voice.say, chart.up
    closes = bars.close
    per_year = YEAR if (origin.period or "daily") == "daily" else {"weekly": 52, "monthly": 12}.get(origin.period, YEAR)
    year = before(bars, 12)
    since = 0 if year is None else year
    high, low = max(bars.high[since + (year is not None) :]), min(bars.low[since + (year is not None) :])
    rsi = next((v for pane in chart.panes for v in reversed(pane.lines[0].values) if v is not None), None)
    pairs = [
        (say("Close"), Cell(sheet.quoted(closes[-1]))),
        (say("1 day"), sheet.percent(_since(closes, len(closes) - 2 if len(closes) > 1 else None), up)),
        (say("1 month"), sheet.percent(_since(closes, before(bars, 1)), up)),
        (say("3 months"), sheet.percent(_since(closes, before(bars, 3)), up)),
        (say("1 year"), sheet.percent(_since(closes, year), up)),
        (say("this year"), sheet.percent(_this_year(bars), up)),
        (say("volatility, 1 year"), sheet.plain_percent(_volatility(closes[since:], per_year), 1)),
        (say("largest fall, 1 year"), sheet.plain_percent(_fall(closes[since:]) * 100, 1)),
        (say("largest fall, all"), sheet.plain_percent(_fall(closes) * 100, 1)),
        (say("highest, 1 year"), Cell(sheet.quoted(high))),
        (say("lowest, 1 year"), Cell(sheet.quoted(low))),
        ("RSI 14", Cell(sheet.number(rsi, 1))),
    ]
    return sheet.figures(pairs)


def before(bars: Bars, months: int) -> int | None:
    """Return the place of the last bar on or before the day so many months before the newest; None where none is.

    The months are those of the calendar: of 31 March one month back is the last day of February.
    """
    last = bars.date[-1]
    year, month = divmod(int(last[:4]) * 12 + int(last[5:7]) - 1 - months, 12)
    day = min(int(last[8:10]), monthrange(year, month + 1)[1])
    place = bisect_right(bars.date, f"{year:04}-{month + 1:02}-{day:02}{last[10:]}") - 1
    return place if place >= 0 else None


def _since(closes: list[float], place: int | None) -> float | None:
    """Return the change since the close at a place in per cent; None for no place."""
    return None if place is None else (closes[-1] / closes[place] - 1) * 100


def _this_year(bars: Bars) -> float | None:
    """Return the change since the last close of the year before, in per cent."""
    year = bars.date[-1][:4]
    before = [close for date, close in zip(bars.date, bars.close, strict=True) if date[:4] < year]
    return (bars.close[-1] / before[-1] - 1) * 100 if before else None


def _volatility(closes: list[float], per_year: int) -> float | None:
    """Return the annualized standard deviation (n - 1) of logarithmic returns in per cent; None below 20 of them."""
    if len(closes) < 21:
        return None
    steps = [math.log(b / a) for a, b in pairwise(closes)]
    mean = math.fsum(steps) / len(steps)
    return math.sqrt(math.fsum((step - mean) ** 2 for step in steps) / (len(steps) - 1) * per_year) * 100


def _fall(closes: list[float]) -> float:
    """Return the largest fall from a high, as a part of it."""
    high, deepest = closes[0], 0.0
    for close in closes:
        high = max(high, close)
        deepest = max(deepest, 1 - close / high)
    return deepest


def _quote(ws: Workspace, origin: Origin, chart: Chart) -> str:
    say, lang = chart.voice.say, chart.voice.lang
    try:
        from ia.organs.market import reading

        found, _ = reading.quotes(ws, [origin.symbol])
    except IaError:
        found = []
    row: dict[str, Any] = found[0] if found else {}
    known = {"market_cap", "pe_ttm", "pe", "pb", "turnover_pct", "industry"} & {
        k for k, v in row.items() if v is not None
    }
    if not known:
        return sheet.section(say("Quote"), sheet.said(say("no quote is stored: `ia sync daily` fetches the market")))
    pairs = [
        (say("Price"), Cell(sheet.quoted(row["price"]))),
        (say("Change"), sheet.percent(row["change_pct"], chart.up)),
        (say("Turnover rate"), sheet.plain_percent(row["turnover_pct"])),
        (say("Amount"), Cell(sheet.large(row["amount"], lang))),
        (say("Market value"), Cell(sheet.large(row["market_cap"], lang))),
        ("PE", Cell(sheet.number(row["pe"]))),
        ("PE TTM", Cell(sheet.number(row["pe_ttm"]))),
        ("PB", Cell(sheet.number(row["pb"]))),
        (say("Industry"), Cell(row["industry"] or "")),
    ]
    told = say("of {date}, source {source}", date=row["date"], source=row["source"])
    if row.get("simulated"):
        told += " · " + say("simulated figures")
    return sheet.section(say("Quote"), sheet.figures(pairs), sheet.said(told))


def _reports(ws: Workspace, origin: Origin, chart: Chart) -> str:
    say, lang, up = chart.voice.say, chart.voice.lang, chart.up
    try:
        from ia.organs.market import reading

        _, rows = reading.fundamentals(ws, origin.symbol, 8)
    except IaError:
        missing = say("no published report is stored: `ia sync fundamentals` fetches them")
        return sheet.section(say("Fundamentals"), sheet.said(missing))
    heads = ("Period", "Published", "Revenue", "YoY", "Net profit", "YoY", "EPS", "ROE", "Gross margin", "Debt")
    cells = [
        [
            row["period"], row["published"] or "", sheet.large(row["revenue"], lang),
            sheet.percent(row["revenue_yoy_pct"], up, 1), sheet.large(row["profit"], lang),
            sheet.percent(row["profit_yoy_pct"], up, 1), sheet.number(row["eps"]),
            sheet.plain_percent(row["roe_pct"], 1), sheet.plain_percent(row["gross_margin_pct"], 1),
            sheet.plain_percent(row["debt_ratio_pct"], 1),
        ]
        for row in rows
    ]  # fmt: skip
    told = say("source {where}", where=rows[0]["source"])
    if rows[0]["simulated"]:
        told += " · " + say("simulated figures")
    return sheet.section(
        say("Fundamentals"), sheet.table([say(head) for head in heads], cells, left=2), sheet.said(told)
    )


def _trades(ws: Workspace, origin: Origin, chart: Chart) -> str:
    from ia.organs.ledger import journal, profit
    from ia.wiring.ledger_prices import open_ledger

    say, up = chart.voice.say, chart.up
    entries = journal.standing(ws.db, symbol=origin.symbol)
    if not entries:
        return sheet.section(say("Trades"), sheet.said(say("the ledger has no trade in it")))
    desk = open_ledger(ws)
    books = desk.books()
    rows = profit.rows(books, desk.prices(books), origin.symbol)
    pairs: list[tuple[str, Cell]] = []
    for row in rows:  # one at the most
        pairs = [
            (say("Held"), Cell(sheet.count(row.quantity))),
            (say("Cost"), Cell(sheet.money(row.cost))),
            (say("Value"), Cell(sheet.money(row.value))),
            (say("Unrealized"), sheet.gained(row.unrealized, up)),
            (say("Realized"), sheet.gained(row.realized, up)),
            (say("Dividends"), Cell(sheet.money(row.dividends))),
            (say("Fees"), Cell(sheet.money(row.fees))),
            (say("Profit"), sheet.gained(row.profit, up)),
            (say("of all that was bought"), sheet.percent(row.rate, up)),
        ]
    return sheet.section(say("Trades"), sheet.figures(pairs), trades_table(entries, chart.voice))


def trades_table(entries: "list[Entry]", voice: Voice, *, symbols: bool = False, most: int = 200) -> str:
    """Return entries of the journal as a table, newest first."""
    say = voice.say
    heads = ["Date", *(["Symbol"] if symbols else []), "Entry", "Shares", "Price", "Amount", "Fees", "Reason"]
    rows = []
    for entry in reversed(entries[-most:]):
        cells: list[Cell | str] = [entry.date]
        if symbols:
            cells.append(f"{entry.symbol} {entry.name}".strip())
        rows.append(
            [
                *cells, say(entry.kind), sheet.count(entry.quantity), sheet.count(entry.price), sheet.money(entry.cash),
                sheet.money(entry.fees), Cell(entry.reason, "wrap"),
            ]
        )  # fmt: skip
    note = ""
    if len(entries) > most:
        note = sheet.said(say("the newest {count} of {all}", count=most, all=len(entries)))
    return sheet.table([say(head) for head in heads], rows, left=3 if symbols else 2) + note


def _cut(passage: str, most: int = 600) -> str:
    """Return the whole lines of a passage up to `most` characters; the first line is cut where it alone is longer."""
    if len(passage) <= most:
        return passage
    return passage[:most].rpartition("\n")[0] or f"{passage[:most]}…"


def _notes(ws: Workspace, origin: Origin, voice: Voice) -> str:
    """Return what was written about the symbol: where, when, and the passage, as a quotation."""
    from ia.wiring.mentions import find_notes

    say = voice.say
    code = origin.symbol.partition(".")[0]
    try:
        hits = find_notes(ws, [origin.name, code], NOTES)
    except (NotFound, BadData):
        hits = []
    if not hits:
        return sheet.section(say("Notes"), sheet.said(say("nothing is written about it")))
    quotes = "".join(
        f"<h3>{escaped(path)} · {escaped(date)}</h3>\n<blockquote>{sheet.markdown(_cut(passage))}</blockquote>\n"
        for path, date, passage in hits
    )
    return sheet.section(say("Notes"), quotes)
