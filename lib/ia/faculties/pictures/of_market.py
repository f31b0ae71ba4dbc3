"""The report of the market: breadth, industries, what rose and fell, main lines, north-bound and unusual trading."""

import sqlite3
from typing import Any

from ia.faculties.pictures import page, shapes, sheet
from ia.faculties.pictures.chart import FALL, Voice, up_color
from ia.faculties.pictures.sheet import Cell
from ia.faculties.pictures.svg import escaped
from ia.kernel.errors import NotFound, Notify, silent
from ia.kernel.workspace import Workspace
from ia.organs.market import mainline, reading, summary

TOP = 15
Row = dict[str, Any]


def report(ws: Workspace, voice: Voice, notify: Notify = silent) -> str:
    """Return the page of the newest stored day of the market that may be seen; NotFound where there is none."""
    say = voice.say
    with reading.opened(ws) as db:
        day = reading.latest(db, notify)
        best, worst = reading.gainers(db, day, TOP), reading.gainers(db, day, TOP, losers=True)
        parts = [
            _summary(summary.summary(db, day), summary.stocks(db, day), voice),
            _industries(db, day, voice),
            _movers(say("Up most"), [row for row in best if row["change_pct"] > 0], voice),
            _movers(say("Down most"), [row for row in worst if row["change_pct"] < 0], voice),
            _mainlines(mainline.mainlines(db, day), voice),
        ]
    parts += [_northbound(ws, voice), _lhb(ws, day.date, voice)]
    title = say("The market of {date}", date=day.date)
    warning = (
        say("simulated prices: the whole market is invented by {adapter}", adapter=day.name) if day.simulated else ""
    )
    told = say("source {where}", where=f"{day.name} ({day.host})" if day.host else day.name)
    taken = say("taken {time} (exchange time)", time=day.time)
    early = "" if day.closed else page.warned(say("taken before the close: the day was not over"))
    body = (
        f"<h1>{escaped(title)}</h1>\n{page.warned(warning)}{early}{''.join(parts)}"
        f"<footer>{escaped(' · '.join((told, taken, page.made(voice))))}</footer>\n"
    )
    return page.page(title, body, voice.lang)


def _summary(found: Row, stocks: list[summary.Stock], voice: Voice) -> str:
    say, lang, up = voice.say, voice.lang, up_color("CN", voice.lang)
    whole = found["boards"][0]
    pairs = [
        (say("Up"), Cell(f"{whole['up']:,}", up)),
        (say("Down"), Cell(f"{whole['down']:,}", FALL[up])),
        (say("Unchanged"), Cell(f"{whole['flat']:,}")),
        (say("At the upper limit"), Cell(sheet.count(whole["limit_up"]), up if whole["limit_up"] else "")),
        (say("At the lower limit"), Cell(sheet.count(whole["limit_down"]), FALL[up] if whole["limit_down"] else "")),
        (say("Median change"), sheet.percent(whole["median_pct"], up)),
        (say("Change by market value"), sheet.percent(whole["weighted_pct"], up)),
        (say("Amount"), Cell(sheet.large(found["amount"], lang))),
        (say("against the day before"), sheet.percent(found["amount_vs_last_pct"], up)),
        (say("Did not trade"), Cell(sheet.count(found["suspended"]))),
    ]
    if found["mean_days"] > 1:
        mean = say("against the mean of {days} days", days=found["mean_days"])
        pairs.insert(-1, (mean, sheet.percent(found["amount_vs_mean_pct"], up)))
    rows = [
        (say(board["board"]), [(board["up"], up), (board["flat"], "chip"), (board["down"], FALL[up])])
        for board in found["boards"]
    ]
    breadth = say("Stocks that rose, stood and fell, by board")
    told = say("{up} up, {flat} unchanged, {down} down", up=whole["up"], flat=whole["flat"], down=whole["down"])
    changes = [stock.change_pct for stock in stocks]
    spread = say("Stocks by their change in per cent")
    return sheet.section(
        say("Breadth"), sheet.figures(pairs), f"<h3>{escaped(breadth)}</h3>\n",
        sheet.picture(lambda width: shapes.shares(rows, breadth, told, width=width)), f"<h3>{escaped(spread)}</h3>\n",
        sheet.picture(lambda width: shapes.distribution(changes, spread, told, up, width=width)),
    )  # fmt: skip


def _industries(db: sqlite3.Connection, day: reading.Day, voice: Voice) -> str:
    say, lang, up = voice.say, voice.lang, up_color("CN", voice.lang)
    rows = summary.groups(summary.stocks(db, day), "industry")
    if not rows:
        missing = say("no industries are stored: `ia sync symbols` fetches them")
        return sheet.section(say("Industries"), sheet.said(missing))
    tiles = [
        shapes.Tile(
            row["name"], row["amount"], row["change_pct"],
            f"{row['name']}: {row['change_pct']:+.2f}%, {sheet.large(row['amount'], lang)},"
            f" {row['up']}↑ {row['down']}↓",
        )
        for row in rows
    ]  # fmt: skip
    title = say("Industries by what was traded, colored by their mean change")
    told = say("{count} industries", count=len(rows))
    drawn = sheet.picture(lambda width: shapes.treemap(tiles, title, told, up, width=width))
    heads = [say(head) for head in ("Industry", "Stocks", "Up", "Down", "Change", "Amount", "Leader")]
    ends = rows[:8] + [row for row in rows[-8:] if row not in rows[:8]]
    cells: list[list[Cell | str]] = [
        [
            row["name"], f"{row['count']:,}", f"{row['up']:,}", f"{row['down']:,}",
            sheet.percent(row["change_pct"], up), sheet.large(row["amount"], lang),
            f"{row['leader_name'] or row['leader']} {row['leader_pct']:+.2f}%",
        ]
        for row in ends
    ]  # fmt: skip
    note = sheet.said(say("the best and the worst of {count}", count=len(rows))) if len(ends) < len(rows) else ""
    return sheet.section(say("Industries"), f"<h3>{escaped(title)}</h3>\n", drawn, sheet.table(heads, cells), note)


def _movers(title: str, rows: list[Row], voice: Voice) -> str:
    say, lang, up = voice.say, voice.lang, up_color("CN", voice.lang)
    if not rows:
        return sheet.section(title, sheet.said(say("no stock did")))
    heads = ("Symbol", "Name", "Industry", "Price", "Change", "Amount", "Turnover rate", "Market value", "PE")
    cells: list[list[Cell | str]] = [
        [
            row["symbol"], row["name"] or "", row["industry"] or "", sheet.quoted(row["price"]),
            sheet.percent(row["change_pct"], up), sheet.large(row["amount"], lang),
            sheet.plain_percent(row["turnover_pct"]), sheet.large(row["market_cap"], lang), sheet.number(row["pe"]),
        ]
        for row in rows
    ]  # fmt: skip
    return sheet.section(title, sheet.table([say(head) for head in heads], cells, left=3))


def _mainlines(found: Row, voice: Voice) -> str:
    say, up = voice.say, up_color("CN", voice.lang)
    told = sheet.said(
        say("groups to which more of the {top} that rose most belong than chance explains", top=found["top"])
    )
    lines = found["lines"]
    if not lines:
        near = found["closest"]
        words = say("no group stands out")
        if near:
            words += " · " + say("the nearest is {name}", name=near["name"])
        return sheet.section(say("Main lines"), told, sheet.said(words))
    heads = ("Group", "of the top", "by chance", "Members", "Mean change", "At the upper limit", "Leaders")
    cells: list[list[Cell | str]] = [
        [
            " / ".join([line["name"], *line["with"][:2]]), f"{line['hits']}", sheet.number(line["expected"], 1),
            f"{line['members']}", sheet.percent(line["change_pct"], up), sheet.count(line["limit_up"]),
            Cell(", ".join(_leader(each) for each in line["leaders"][:4]), "wrap"),
        ]
        for line in lines
    ]  # fmt: skip
    return sheet.section(say("Main lines"), told, sheet.table([say(head) for head in heads], cells))


def _leader(each: Any) -> str:
    if not isinstance(each, dict):
        return str(each)
    change = each.get("change_pct")
    named = str(each.get("name") or each.get("symbol") or "")
    return named if change is None else f"{named} {change:+.1f}%"


def _northbound(ws: Workspace, voice: Voice) -> str:
    say, lang, up = voice.say, voice.lang, up_color("CN", voice.lang)
    title = say("North-bound trading")
    try:
        rows = reading.northbound(ws, 5)
    except NotFound:
        rows = []
    if not rows:
        return sheet.section(title, sheet.said(say("nothing of it is stored: `ia sync northbound` fetches it")))
    heads = [say(head) for head in ("Date", "Channel", "Turnover", "Net", "Deals", "Leader")]
    cells: list[list[Cell | str]] = [
        [
            row["date"], say(str(row["channel"])), sheet.large(row["turnover"], lang),
            Cell(say("not published"))
            if row["net"] is None
            else sheet.signed(row["net"], up, sheet.large(row["net"], lang)),
            sheet.count(row["deals"]), row["leader"] or "",
        ]
        for row in rows
    ]  # fmt: skip
    note = ""
    if any(row["net"] is None for row in rows):
        note = sheet.said(say("net buying has not been published since August 2024"))
    return sheet.section(title, sheet.table(heads, cells, left=2), note)


def _lhb(ws: Workspace, date: str, voice: Voice) -> str:
    say, lang, up = voice.say, voice.lang, up_color("CN", voice.lang)
    title = say("Unusual trading (dragon and tiger list)")
    try:
        rows = reading.lhb(ws, date)
    except NotFound:
        rows = []
    if not rows:
        return sheet.section(title, sheet.said(say("nothing of this day is stored: `ia sync lhb` fetches it")))
    heads = [say(head) for head in ("Symbol", "Name", "Change", "Net", "Reason")]
    cells: list[list[Cell | str]] = [
        [
            row["symbol"], row["name"] or "", sheet.percent(row["change_pct"], up),
            sheet.signed(row["net"], up, sheet.large(row["net"], lang)), Cell(row["reason"], "wrap"),
        ]
        for row in rows[:20]
    ]  # fmt: skip
    return sheet.section(title, sheet.table(heads, cells, left=2))
