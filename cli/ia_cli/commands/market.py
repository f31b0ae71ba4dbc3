"""`ia market`: the whole market of a day, from the store."""

from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, NotFound, PluralText
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import notify, tell_empty

if TYPE_CHECKING:
    from ia.organs.market.market_reader import MarketDay, Row

RATES = ("currency", "base", "rate", "date", "source")
GAINERS = (
    "symbol",
    "name",
    "date",
    "price",
    "change_pct",
    "amount",
    "turnover_pct",
    "market_cap",
    "pe",
    "industry",
    "board",
    "concepts",
)
SECTORS = (
    "name",
    "date",
    "change_pct",
    "weighted_pct",
    "count",
    "up",
    "down",
    "amount",
    "leader",
    "leader_name",
    "leader_pct",
    "by",
)
NORTHBOUND = (
    "date",
    "channel",
    "net",
    "buy",
    "sell",
    "turnover",
    "deals",
    "quota_left",
    "holdings",
    "leader",
    "leader_pct",
)
LHB = ("date", "symbol", "name", "change_pct", "net", "buy", "sell", "turnover", "turnover_pct", "reason")
MAINLINE = (
    "date",
    "name",
    "kind",
    "with",
    "members",
    "hits",
    "expected",
    "ratio",
    "chance",
    "adjusted",
    "limit_up",
    "change_pct",
    "excess_pct",
    "excess_5d_pct",
    "excess_20d_pct",
    "ahead_5d",
    "ahead_20d",
    "days",
    "z",
    "leaders",
)
BOARDS = ("board", "count", "up", "down", "flat", "limit_up", "limit_down", "median_pct", "weighted_pct", "amount")


@click.group(cls=CommandGroup, example="ia sync daily && ia market summary")
def market() -> None:
    """Show the whole market of a day.

    Shows breadth, gainers, sectors, main lines, northbound money and unusual trading. ia reads the newest day that `ia
    sync` has stored and --now may see, and contacts no source.
    """


@market.command(cls=Command, example="ia sync daily && ia market summary --json")
@json_option
def summary(as_json: bool) -> None:
    """Print breadth, stocks at their price limits and amount traded, by board.

    weighted_pct is weighted by market value. Amounts are in yuan, compared with the previous day and the 20-day mean.
    The levels of the main indices, and the best and worst industries, follow on stderr and stand in --json.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader
    from ia.organs.market.day_summary import summarize_day as figures
    from ia_cli.terminal.market_tables import emit_market_rows, format_amount, tell_market_day
    from ia_cli.terminal.output import emit_json
    from ia_cli.terminal.security_names import localize_names

    with market_reader.open_market(Workspace()) as db:
        day = market_reader.load_day(db, notify)
        told = figures(db, day)
    if as_json:
        emit_json(told)
        return
    tell_market_day(day)
    if told["indices"]:
        shown = localize_names(told["indices"][:4])
        levels = [f"{row['name']} {row['close']:,.2f} ({row['change_pct']:+.2f} %)" for row in shown]
        notify(Message("indices: {levels}", levels=", ".join(levels)))
    emit_market_rows([{"date": told["date"], **row} for row in told["boards"]], ("date", *BOARDS), brief=BOARDS)
    if told["amount_vs_mean_pct"] is not None:
        known = told["amount_vs_last_pct"] is not None
        notify(
            Message(
                "{amount} traded on {date}: {last:+.1f} % from the previous day, {mean:+.1f} % from the {days}-day mean"
                if known
                else "{amount} traded on {date}: {mean:+.1f} % from the {days}-day mean",
                amount=format_amount(told["amount"]),
                date=told["date"],
                last=told["amount_vs_last_pct"],
                mean=told["amount_vs_mean_pct"],
                days=told["mean_days"],
            )
        )
    for template, rows in (
        ("best industries: {names}", told["industries_up"]),
        ("worst industries: {names}", told["industries_down"]),
    ):
        if rows:
            names = ", ".join(f"{row['name']} {row['change_pct']:+.2f} %" for row in localize_names(rows))
            notify(Message(template, names=names))


@market.command(cls=Command, example="ia sync daily && ia market gainers -n 10")
@click.option(
    "-n", "--limit", "count", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Number of stocks."
)
@click.option("--losers", is_flag=True, help="Print the top losers instead.")
@click.option("--exclude-new", is_flag=True, help="Exclude stocks listed in the last 60 days.")
@click.option("--exclude-st", is_flag=True, help="Exclude stocks under special treatment (ST).")
@rows_options
@click.pass_context
def gainers(
    ctx: click.Context, count: int, losers: bool, exclude_new: bool, exclude_st: bool, as_json: bool, as_jsonl: bool
) -> None:
    """Print top gainers with industries and concepts. Status 1 if there are none."""
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader

    with market_reader.open_market(Workspace()) as db:
        day = market_reader.load_day(db, notify)
        rows = market_reader.load_gainers(db, day, count, losers=losers, new=not exclude_new, st=not exclude_st)
    brief = ("symbol", "name", "price", "change_pct", "turnover_pct", "market_cap", "industry")
    _print_rows(ctx, rows, GAINERS, brief, as_json, as_jsonl, day=day)


@market.command(cls=Command, example="ia sync daily && ia market sectors -n 10")
@click.option(
    "--kind",
    type=click.Choice(["industry", "concept"]),
    default="industry",
    show_default=True,
    help="Group by industries or concepts.",
)
@click.option(
    "-n",
    "--limit",
    "count",
    type=click.IntRange(1, 100_000),
    help="Maximum number of groups, best first (default: all).",
)
@rows_options
@click.pass_context
def sectors(ctx: click.Context, kind: str, count: int | None, as_json: bool, as_jsonl: bool) -> None:
    """Print industries or concepts, best first, with change, breadth and leader.

    `by` shows whether the groups come from the source (`ia sync sectors`) or are computed from the day's stocks.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader
    from ia.organs.market.day_summary import load_sectors as grouped

    day = None
    with market_reader.open_market(Workspace()) as db:
        try:
            day = market_reader.load_day(db, notify)
            rows = grouped(db, day, kind)[:count]
        except NotFound:
            rows = market_reader.load_boards(db, kind, notify)[:count]
            if not rows:
                raise
    if rows and day and rows[0]["date"] < day.date:
        notify(Message("no groups stored for {date}; showing those of {day}", date=day.date, day=rows[0]["date"]))
    told = any(row["amount"] is not None for row in rows)  # a source that draws them itself tells no amount
    brief = ("name", "change_pct", "up", "down", *("amount",) * told, "leader", "leader_pct")
    _print_rows(ctx, rows, SECTORS, brief, as_json, as_jsonl, day=day, hint="`ia sync sectors` fetches them")


@market.command(cls=Command, example="ia sync daily && { ia market mainline || echo none; }")
@click.option(
    "-n", "--limit", "count", type=click.IntRange(5, 1000), default=50, show_default=True, help="Number of top gainers."
)
@click.option(
    "--level",
    type=click.FloatRange(0, 0.5, min_open=True),
    default=0.01,
    show_default=True,
    help="Maximum false-positive rate: fraction of days without a main line that show one.",
)
@click.option(
    "--kind",
    type=click.Choice(["industry", "concept", "all"]),
    default="all",
    show_default=True,
    help="Group by industries or concepts.",
)
@click.option("--keep", is_flag=True, help="Save the result as an observation, and in a session with importance 2.")
@click.option(
    "-s",
    "--session",
    metavar="ID",
    default="market",
    show_default=True,
    help="Session in which --keep saves the result.",
)
@json_option
@click.pass_context
def mainline(ctx: click.Context, count: int, level: float, kind: str, keep: bool, session: str, as_json: bool) -> None:
    """Print a day's main lines: groups with more top gainers than by chance.

    ia compares industries and concepts with random draws that ignore groups, among stocks of the same price limit and
    similar volatility. So neither size nor luck makes a main line. `adjusted` is the p-value after Benjamini-Hochberg
    correction over all groups examined. excess_pct is the change above the market's; z compares with the group's own
    stored days. With --keep, a second run on the same day replaces the first. Status 1 if there is no main line.
    """
    import sys

    from ia.kernel.workspace import Workspace
    from ia.organs.market import main_lines as lines
    from ia.organs.market import market_reader
    from ia_cli.terminal.market_tables import emit_market_rows, tell_market_day
    from ia_cli.terminal.output import emit_json
    from ia_cli.terminal.security_names import localize_groups

    ws = Workspace()
    with market_reader.open_market(ws) as db:
        kinds = lines.KINDS if kind == "all" else (kind,)
        day = market_reader.load_day(db, notify)
        found = lines.find_mainlines(db, day, top=count, level=level, kinds=kinds)
    rows = [
        {
            "date": found["date"],
            **row,
            "with": ", ".join(map(localize_groups, row["with"]) if sys.stdout.isatty() else row["with"]),
            "leaders": _leader_names(row),
        }
        for row in found["lines"]
    ]
    if as_json:
        emit_json(found)
    else:
        tell_market_day(day)
        emit_market_rows(
            rows, MAINLINE, brief=("name", "hits", "expected", "adjusted", "limit_up", "excess_pct", "leaders")
        )
    if not rows:
        near = found["closest"] or {}
        notify(
            Message(
                "no main line on {date}; closest of {groups} groups: {name} with {hits} top gainers, {expected} "
                "expected by chance",
                date=found["date"],
                groups=found["groups"],
                name=localize_groups(near["name"]),
                hits=near["hits"],
                expected=near["expected"],
            )
            if near
            else Message(
                "no main line on {date}; none of {groups} groups has three top gainers",
                date=found["date"],
                groups=found["groups"],
            )
        )
    elif keep:
        from ia.agent.turns.main_line_note import save_main_lines as kept
        from ia_cli.terminal.text import lang

        path, number = kept(ws, found, session, lang=lang())
        notify(Message("saved in {path} and as message {number} of session {id}", path=path, number=number, id=session))
    ctx.exit(0 if rows else 1)


def _leader_names(row: "Row") -> str:
    from ia_cli.terminal.security_names import localize_names

    return ", ".join(f"{each['name']} {each['change_pct']:+.2f}%" for each in localize_names(row["leaders"][:3]))


@market.command(cls=Command, example="ia sync northbound && ia market northbound -n 5")
@click.option(
    "-n",
    "--limit",
    "days",
    metavar="DAYS",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="Number of days.",
)
@rows_options
@click.pass_context
def northbound(ctx: click.Context, days: int, as_json: bool, as_jsonl: bool) -> None:
    """Print published northbound trading by day and channel; money in yuan.

    The exchanges stopped publishing the net flow in August 2024. Since then net is empty and only turnover is
    available.
    """
    from ia.kernel import clock
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader
    from ia.organs.market.sources import NET_ENDED

    rows = market_reader.load_northbound(Workspace(), days, notify)
    silent = sorted({row["date"] for row in rows if row["net"] is None})
    if silent:
        notify(
            Message(
                PluralText(
                    "no net flow for {count} day ({first} to {last}): not published since August 2024; turnover is "
                    "available",
                    "no net flow for {count} days ({first} to {last}): not published since August 2024; turnover "
                    "is available",
                ),
                count=len(silent),
                first=silent[0],
                last=silent[-1],
            )
        )
    elif clock.today("CN") > NET_ENDED:
        template = "northbound net flow has not been published since {day}; turnover, deals and the leader are stored"
        notify(Message(template, day=NET_ENDED))
    brief = ("date", "channel", "net", "buy", "sell", "turnover", "leader")
    _print_rows(ctx, rows, NORTHBOUND, brief, as_json, as_jsonl, hint="`ia sync northbound` fetches it")


@market.command(cls=Command, example="ia sync lhb && ia market lhb")
@click.option(
    "--date", "on", metavar="DATE", help="Day to show, such as 2024-03-15 or yesterday (default: the newest stored)."
)
@click.option("-n", "--limit", "count", type=click.IntRange(1, 10_000), help="Maximum number of rows (default: all).")
@rows_options
@click.pass_context
def lhb(ctx: click.Context, on: str | None, count: int | None, as_json: bool, as_jsonl: bool) -> None:
    """Print the unusual-trading list, largest net purchases first; money in yuan.

    Each stock has one row per reason to be listed. Status 1 if there is nothing to print.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader

    ws = Workspace()
    rows = market_reader.load_lhb(ws, on, notify)[:count]
    brief = ("date", "symbol", "name", "change_pct", "net", "reason")
    hint = "`ia sync lhb` fetches it"
    if not rows and on is None and (until := market_reader.last_lhb_day(ws)):
        notify(Message("the lists are synced up to {day} and contain no stocks", day=until))
        hint = ""
    elif not rows and on is not None:
        notify(Message("no stock of {day} is stored: none was listed then, or the list was not synced", day=on))
    import sys

    if sys.stdout.isatty() and not (as_json or as_jsonl):
        from ia.domain.instruments.listing_reasons import listing_reason
        from ia_cli.terminal.text import lang

        rows = [{**row, "reason": listing_reason(str(row.get("reason") or ""), lang())} for row in rows]
    _print_rows(ctx, rows, LHB, brief, as_json, as_jsonl, hint=hint)


@market.command(cls=Command, example="ia market rates USD")
@click.argument("currencies", nargs=-1, metavar="[CURRENCY]...")
@click.option("--base", metavar="CURRENCY", default="CNY", show_default=True, help="Currency that the rate is in.")
@click.option("--date", "on", metavar="DATE", help="Day of the rate, such as 2024-03-15 (default: today).")
@rows_options
def rates(currencies: tuple[str, ...], base: str, on: str | None, as_json: bool, as_jsonl: bool) -> None:
    """Print stored exchange rates: so much of the base for one unit of each currency.

    CURRENCY is USD, HKD or CNY (default: all but the base). Rates are the central parity of the yuan, published at 9:15
    in Shanghai; a day without one has that of the day before. `ia sync rates` fetches them; `ia account` converts
    with them, too. Status 66 if none is stored.
    """
    from ia.kernel.errors import notify_once
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger.performance_documents import rate_document
    from ia.wiring.exchange_rates import KNOWN, find_stored_rate
    from ia_cli.terminal.market_tables import emit_market_rows

    ws, tell = Workspace(), notify_once(notify)
    asked = currencies or [name for name in KNOWN if name != base.strip().upper()]
    rows = [rate_document(find_stored_rate(ws, name, base, on, tell)) for name in asked]
    emit_market_rows(rows, RATES, as_json=as_json, as_jsonl=as_jsonl)


def _print_rows(
    ctx: click.Context,
    rows: "list[Row]",
    columns: tuple[str, ...],
    brief: tuple[str, ...],
    as_json: bool,
    as_jsonl: bool,
    hint: str = "",
    day: "MarketDay | None" = None,
) -> None:
    """Print rows, and leave with status 1 where there are none."""
    from ia_cli.terminal.market_tables import emit_market_rows, tell_market_day
    from ia_cli.terminal.output import tell_hint as give

    if day is not None and not (as_json or as_jsonl):
        tell_market_day(day)
    emit_market_rows(rows, columns, brief=brief, as_json=as_json, as_jsonl=as_jsonl)
    if not rows:
        tell_empty("no data stored for this")
        if hint:
            give(hint)
    ctx.exit(0 if rows else 1)
