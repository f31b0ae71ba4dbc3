"""The report of the market: breadth, industries, what rose and fell, main lines, north-bound and unusual trading."""

import sqlite3

from ia.domain.instruments import symbols
from ia.domain.instruments.indices import MAIN_INDICES
from ia.faculties.pictures import chart_page, comparison_chart, report_parts, shapes
from ia.faculties.pictures.chart import FALL, up_color
from ia.faculties.pictures.report_parts import SheetCell
from ia.faculties.pictures.svg import escape_xml
from ia.kernel.errors import IaError, NotFound, Notify, PluralText, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.market import day_summary, main_lines, market_reader
from ia.wiring.comparison import CompareRequest, load_side

TOP = 15
Row = Json


def render_market_report(ws: Workspace, voice: Voice, notify: Notify = drop_message) -> str:
    """Return the page of the newest stored day of the market that may be seen; NotFound where there is none."""
    say = voice
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db, notify)
        best, worst = market_reader.load_gainers(db, day, TOP), market_reader.load_gainers(db, day, TOP, losers=True)
        parts = [
            _indices_section(ws, day.date, voice),
            _summary_section(day_summary.summarize_day(db, day), day_summary.load_stocks(db, day), voice),
            _industries_section(db, day, voice),
            _movers_section(say("Top gainers"), [row for row in best if row["change_pct"] > 0], voice),
            _movers_section(say("Top losers"), [row for row in worst if row["change_pct"] < 0], voice),
            _mainlines_section(main_lines.find_mainlines(db, day), voice),
        ]
    parts += [_northbound_section(ws, voice), _lhb_section(ws, day.date, voice)]
    title = say("Market on {date}", date=day.date)
    warning = say("simulated prices: {adapter} invented the whole market", adapter=day.name) if day.simulated else ""
    told = say("source {where}", where=f"{day.name} ({day.host})" if day.host and not day.simulated else day.name)
    taken = say("taken {time} (exchange time)", time=day.time)
    early = "" if day.closed else chart_page.warning_banner(say("taken before the close; the day was not over"))
    body = (
        f"<h1>{escape_xml(title)}</h1>\n{chart_page.warning_banner(warning)}{early}{''.join(parts)}"
        f"<footer>{escape_xml(' · '.join((told, taken, chart_page.describe_creation(voice))))}</footer>\n"
    )
    return chart_page.render_page(title, body, voice.lang)


def _indices_section(ws: Workspace, date: str, voice: Voice) -> str:
    """Return the levels of the main indices on a day, and their lines over a year; only what is stored is read."""
    say, up = voice, up_color("CN", voice.lang)
    sides = []
    for code in MAIN_INDICES:
        try:
            sides.append(load_side(ws, code, CompareRequest((), until=date, stale=True)))
        except IaError:
            continue
    if not sides:
        missing = say("no index is stored; run `ia sync` to fetch them")
        return report_parts.render_section(say("Indices"), report_parts.render_paragraph(missing))
    names = [symbols.security_name(side.symbol.canonical, side.name, voice.lang) for side in sides]
    rows: list[list[SheetCell | str]] = [
        [
            side.symbol.canonical,
            name,
            side.bars.date[-1],
            report_parts.format_number(side.bars.close[-1]),
            *(report_parts.percent_cell(_change(side.bars.close, count), up) for count in (1, 20, 250)),
        ]
        for side, name in zip(sides, names, strict=True)
    ]
    heads = [say(head) for head in ("Symbol", "Name", "Date", "Level", "1 day", "20 sessions", "250 sessions")]
    table = report_parts.render_table(heads, rows, left=2)
    if len(sides) < 2:
        return report_parts.render_section(say("Indices"), table)
    drawn = comparison_chart.build_comparison(sides, comparison_chart.window_start(sides, 250), voice)
    lines = [line._replace(label=name) for line, name in zip(drawn.overlays, names, strict=True)]
    title = say("Indices over a year, {unit}", unit=drawn.unit)
    picture = report_parts.render_picture(
        lambda width: shapes.draw_curves(drawn.bars.date, lines, title, title, lang=voice.lang, width=width)
    )
    return report_parts.render_section(say("Indices"), table, f"<h3>{escape_xml(title)}</h3>\n", picture)


def _change(closes: list[float], count: int) -> float | None:
    """Return the change over the last `count` sessions in per cent."""
    return (closes[-1] / closes[-1 - count] - 1) * 100 if len(closes) > count else None


def _board_name(board: str, voice: Voice) -> str:
    """Return what a board of the mainland is called."""
    known = {
        "all": voice("All boards"),
        "main": voice("Main board"),
        "chinext": voice("ChiNext"),
        "star": voice("STAR Market"),
        "bse": voice("Beijing exchange"),
    }
    return known.get(board) or voice(board)


def _summary_section(found: Row, stocks: list[day_summary.TradedStock], voice: Voice) -> str:
    say, lang, up = voice, voice.lang, up_color("CN", voice.lang)
    whole = found["boards"][0]
    pairs = [
        (say("Up"), SheetCell(f"{whole['up']:,}", up)),
        (say("Down"), SheetCell(f"{whole['down']:,}", FALL[up])),
        (say("Unchanged"), SheetCell(f"{whole['flat']:,}")),
        (
            say("At the upper limit"),
            SheetCell(report_parts.format_shares(whole["limit_up"]), up if whole["limit_up"] else ""),
        ),
        (
            say("At the lower limit"),
            SheetCell(report_parts.format_shares(whole["limit_down"]), FALL[up] if whole["limit_down"] else ""),
        ),
        (say("Median change"), report_parts.percent_cell(whole["median_pct"], up)),
        (say("Change weighted by market value"), report_parts.percent_cell(whole["weighted_pct"], up)),
        (say("Amount"), SheetCell(report_parts.format_large(found["amount"], lang))),
        (say("Amount against the previous day"), report_parts.percent_cell(found["amount_vs_last_pct"], up)),
        (say("Did not trade"), SheetCell(report_parts.format_shares(found["suspended"]))),
    ]
    if found["mean_days"] > 1:
        mean = say("Amount against the mean of {days} days", days=found["mean_days"])
        pairs.insert(-1, (mean, report_parts.percent_cell(found["amount_vs_mean_pct"], up)))
    rows = [
        (_board_name(board["board"], voice), [(board["up"], up), (board["flat"], "chip"), (board["down"], FALL[up])])
        for board in found["boards"]
    ]
    breadth = say("Rising, unchanged and falling stocks by board")
    told = say("{up} up, {flat} unchanged, {down} down", up=whole["up"], flat=whole["flat"], down=whole["down"])
    changes = [stock.change_pct for stock in stocks]
    spread = say("Distribution of daily changes (%)")
    return report_parts.render_section(
        say("Breadth"),
        report_parts.render_tiles(pairs),
        f"<h3>{escape_xml(breadth)}</h3>\n",
        report_parts.render_picture(lambda width: shapes.draw_shares(rows, breadth, told, width=width)),
        f"<h3>{escape_xml(spread)}</h3>\n",
        report_parts.render_picture(lambda width: shapes.draw_distribution(changes, spread, told, up, width=width)),
    )


def _industries_section(db: sqlite3.Connection, day: market_reader.MarketDay, voice: Voice) -> str:
    say, lang, up = voice, voice.lang, up_color("CN", voice.lang)
    rows = day_summary.group_rows(day_summary.load_stocks(db, day), "industry")
    if not rows:
        missing = say("no industries stored; run `ia sync symbols` to fetch them")
        return report_parts.render_section(say("Industries"), report_parts.render_paragraph(missing))
    names = {row["name"]: report_parts.industry_name(row["name"], lang) for row in rows}
    tiles = [
        shapes.Tile(
            names[row["name"]],
            row["amount"],
            row["change_pct"],
            f"{names[row['name']]}: {row['change_pct']:+.2f}%, {report_parts.format_large(row['amount'], lang)},"
            f" {row['up']}↑ {row['down']}↓",
        )
        for row in rows
    ]
    title = say("Industries sized by amount, colored by mean change")
    told = say(PluralText("{count} industry", "{count} industries"), count=len(rows))
    drawn = report_parts.render_picture(lambda width: shapes.draw_treemap(tiles, title, told, up, width=width))
    heads = [say(head) for head in ("Industry", "Stocks", "Up", "Down", "Change", "Amount", "Leader")]
    ends = rows[:8] + [row for row in rows[-8:] if row not in rows[:8]]
    cells: list[list[SheetCell | str]] = [
        [
            names[row["name"]],
            f"{row['count']:,}",
            f"{row['up']:,}",
            f"{row['down']:,}",
            report_parts.percent_cell(row["change_pct"], up),
            report_parts.format_large(row["amount"], lang),
            f"{symbols.security_name(row['leader'], row['leader_name'] or row['leader'], lang)}"
            f" {row['leader_pct']:+.2f}%",
        ]
        for row in ends
    ]
    note = (
        report_parts.render_paragraph(say("best and worst of {count}", count=len(rows)))
        if len(ends) < len(rows)
        else ""
    )
    return report_parts.render_section(
        say("Industries"), f"<h3>{escape_xml(title)}</h3>\n", drawn, report_parts.render_table(heads, cells), note
    )


def _movers_section(title: str, rows: list[Row], voice: Voice) -> str:
    say, lang, up = voice, voice.lang, up_color("CN", voice.lang)
    if not rows:
        return report_parts.render_section(title, report_parts.render_paragraph(say("no such stocks")))
    heads = ("Symbol", "Name", "Industry", "Price", "Change", "Amount", "Turnover rate", "Market value", "PE")
    cells: list[list[SheetCell | str]] = [
        [
            row["symbol"],
            symbols.security_name(row["symbol"], row["name"] or "", lang),
            report_parts.industry_name(row["industry"], lang),
            report_parts.format_known_price(row["price"]),
            report_parts.percent_cell(row["change_pct"], up),
            report_parts.format_large(row["amount"], lang),
            report_parts.unsigned_percent_cell(row["turnover_pct"]),
            report_parts.format_large(row["market_cap"], lang),
            report_parts.format_number(row["pe"]),
        ]
        for row in rows
    ]
    return report_parts.render_section(title, report_parts.render_table([say(head) for head in heads], cells, left=3))


def _mainlines_section(found: Row, voice: Voice) -> str:
    say, up = voice, up_color("CN", voice.lang)
    told = report_parts.render_paragraph(
        say("groups with more of the top {top} gainers than chance explains", top=found["top"])
    )
    lines = found["lines"]
    if not lines:
        near = found["closest"]
        words = say("no group stands out")
        if near:
            words += " · " + say("closest: {name}", name=report_parts.industry_name(near["name"], voice.lang))
        return report_parts.render_section(say("Main lines"), told, report_parts.render_paragraph(words))
    heads = ("Group", "among the top", "expected by chance", "Members", "Mean change", "At the upper limit", "Leaders")
    cells: list[list[SheetCell | str]] = [
        [
            " / ".join(report_parts.industry_name(each, voice.lang) for each in [line["name"], *line["with"][:2]]),
            f"{line['hits']}",
            report_parts.format_number(line["expected"], 1),
            f"{line['members']}",
            report_parts.percent_cell(line["change_pct"], up),
            report_parts.format_shares(line["limit_up"]),
            SheetCell(", ".join(_format_leader(each, voice.lang) for each in line["leaders"][:4]), "wrap"),
        ]
        for line in lines
    ]
    return report_parts.render_section(
        say("Main lines"), told, report_parts.render_table([say(head) for head in heads], cells)
    )


def _format_leader(each: object, lang: str) -> str:
    if not isinstance(each, dict):
        return str(each)
    change = each.get("change_pct")
    symbol = str(each.get("symbol") or "")
    named = symbols.security_name(symbol, str(each.get("name") or symbol), lang)
    return named if change is None else f"{named} {change:+.1f}%"


def _northbound_section(ws: Workspace, voice: Voice) -> str:
    say, lang, up = voice, voice.lang, up_color("CN", voice.lang)
    title = say("Northbound trading")
    try:
        rows = market_reader.load_northbound(ws, 5)
    except NotFound:
        rows = []
    if not rows:
        return report_parts.render_section(
            title, report_parts.render_paragraph(say("nothing stored; run `ia sync northbound` to fetch it"))
        )
    heads = [say(head) for head in ("Date", "Channel", "Turnover", "Net", "Deals", "Leader")]
    cells: list[list[SheetCell | str]] = [
        [
            row["date"],
            say(str(row["channel"])),
            report_parts.format_large(row["turnover"], lang),
            SheetCell(say("not published"))
            if row["net"] is None
            else report_parts.signed_cell(row["net"], up, report_parts.format_large(row["net"], lang)),
            report_parts.format_shares(row["deals"]),
            row["leader"] or "",
        ]
        for row in rows
    ]
    note = ""
    if any(row["net"] is None for row in rows):
        note = report_parts.render_paragraph(say("net buying has not been published since August 2024"))
    return report_parts.render_section(title, report_parts.render_table(heads, cells, left=2), note)


def _lhb_section(ws: Workspace, date: str, voice: Voice) -> str:
    say, lang, up = voice, voice.lang, up_color("CN", voice.lang)
    title = say("Unusual trading (dragon and tiger list)")
    try:
        rows = market_reader.load_lhb(ws, date)
    except NotFound:
        rows = []
    if not rows:
        return report_parts.render_section(
            title, report_parts.render_paragraph(say("nothing stored for this day; run `ia sync lhb` to fetch it"))
        )
    heads = [say(head) for head in ("Symbol", "Name", "Change", "Net", "Reason")]
    cells: list[list[SheetCell | str]] = [
        [
            row["symbol"],
            symbols.security_name(row["symbol"], row["name"] or "", lang),
            report_parts.percent_cell(row["change_pct"], up),
            report_parts.signed_cell(row["net"], up, report_parts.format_large(row["net"], lang)),
            SheetCell(row["reason"], "wrap"),
        ]
        for row in rows[:20]
    ]
    return report_parts.render_section(title, report_parts.render_table(heads, cells, left=2))
