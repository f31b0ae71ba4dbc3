"""`ia market`: the whole market of a day, from the store."""

from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, NotFound
from ia_cli.terminal.group import Command, Group
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import nothing, notify

if TYPE_CHECKING:
    from ia.organs.market.reading import Day, Row

GAINERS = ("symbol", "name", "date", "price", "change_pct", "amount", "turnover_pct", "market_cap", "pe", "industry",
           "board", "concepts")  # fmt: skip
SECTORS = ("name", "date", "change_pct", "weighted_pct", "count", "up", "down", "amount", "leader", "leader_name",
           "leader_pct", "by")  # fmt: skip
NORTHBOUND = ("date", "channel", "net", "buy", "sell", "turnover", "deals", "quota_left", "holdings", "leader",
              "leader_pct")  # fmt: skip
LHB = ("date", "symbol", "name", "change_pct", "net", "buy", "sell", "turnover", "turnover_pct", "reason")
MAINLINE = ("date", "name", "kind", "with", "members", "hits", "expected", "ratio", "chance", "adjusted", "limit_up",
            "change_pct", "excess_pct", "excess_5d_pct", "excess_20d_pct", "ahead_5d", "ahead_20d", "days", "z",
            "leaders")  # fmt: skip
BOARDS = ("board", "count", "up", "down", "flat", "limit_up", "limit_down", "median_pct", "weighted_pct", "amount")


@click.group(cls=Group, example="ia sync daily && ia market summary")
def market() -> None:
    """Look at the whole market of a day.

    Breadth, gainers, sectors, main lines, north-bound money, unusual trading: all is read from what `ia sync` has
    stored, of the newest day that --now may see; ia contacts no source.
    """


@market.command(cls=Command, example="ia sync daily && ia market summary --json")
@json_option
def summary(as_json: bool) -> None:
    """Print how many rose and fell, how many are at their price limits, and what was traded, by board.

    weighted_pct is weighted by market value; amounts in yuan, against the day before and the mean of 20 days.
    --json has the best and the worst industries too.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import reading
    from ia.organs.market.summary import summary as figures
    from ia_cli.terminal.market_tables import emit, heading, short
    from ia_cli.terminal.output import emit_json

    with reading.opened(Workspace()) as db:
        day = reading.latest(db, notify)
        told = figures(db, day)
    if as_json:
        emit_json(told)
        return
    heading(day)
    emit([{"date": told["date"], **row} for row in told["boards"]], ("date", *BOARDS), brief=BOARDS)
    if told["amount_vs_mean_pct"] is not None:
        known = told["amount_vs_last_pct"] is not None
        notify(
            Message(
                "{amount} traded on {date}: {last:+.1f} % on the day before, {mean:+.1f} % on the mean of {days} days"
                if known
                else "{amount} traded on {date}: {mean:+.1f} % on the mean of {days} days",
                amount=short(told["amount"]), date=told["date"], last=told["amount_vs_last_pct"],
                mean=told["amount_vs_mean_pct"], days=told["mean_days"],
            )
        )  # fmt: skip
    for template, rows in (
        ("up most: {names}", told["industries_up"]),
        ("down most: {names}", told["industries_down"]),
    ):
        if rows:
            notify(Message(template, names=", ".join(f"{row['name']} {row['change_pct']:+.2f} %" for row in rows)))


@market.command(cls=Command, example="ia sync daily && ia market gainers -n 10")
@click.option(
    "-n", "--limit", "count", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many."
)
@click.option("--losers", is_flag=True, help="Those that fell most instead.")
@click.option("--exclude-new", is_flag=True, help="Without stocks listed in the last 60 days.")
@click.option("--exclude-st", is_flag=True, help="Without stocks under special treatment (ST).")
@rows_options
@click.pass_context
def gainers(
    ctx: click.Context, count: int, losers: bool, exclude_new: bool, exclude_st: bool, as_json: bool, as_jsonl: bool
) -> None:
    """Print the stocks that rose most, with their industries and concepts. Status 1 if none rose (or fell)."""
    from ia.kernel.workspace import Workspace
    from ia.organs.market import reading

    with reading.opened(Workspace()) as db:
        day = reading.latest(db, notify)
        rows = reading.gainers(db, day, count, losers=losers, new=not exclude_new, st=not exclude_st)
    brief = ("symbol", "name", "price", "change_pct", "turnover_pct", "market_cap", "industry")
    _listed(ctx, rows, GAINERS, brief, as_json, as_jsonl, day=day)


@market.command(cls=Command, example="ia sync daily && ia market sectors -n 10")
@click.option(
    "--kind", type=click.Choice(["industry", "concept"]), default="industry", show_default=True,
    help="What to group by.",
)  # fmt: skip
@click.option("-n", "--limit", "count", type=click.IntRange(1, 100_000), help="Only the best so many.")
@rows_options
@click.pass_context
def sectors(ctx: click.Context, kind: str, count: int | None, as_json: bool, as_jsonl: bool) -> None:
    """Print industries or concepts, best first: change, members that rose and fell, leader.

    `by` says whether the source drew them (`ia sync sectors`) or they are worked out of the day's stocks.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import reading
    from ia.organs.market.summary import sectors as grouped

    day = None
    with reading.opened(Workspace()) as db:
        try:
            day = reading.latest(db, notify)
            rows = grouped(db, day, kind)[:count]
        except NotFound:
            rows = reading.boards(db, kind, notify)[:count]
            if not rows:
                raise
    if rows and day and rows[0]["date"] < day.date:
        notify(Message("no groups of {date} are stored: these are of {day}", date=day.date, day=rows[0]["date"]))
    told = any(row["amount"] is not None for row in rows)  # a source that draws them itself tells no amount
    brief = ("name", "change_pct", "up", "down", *("amount",) * told, "leader", "leader_pct")
    _listed(ctx, rows, SECTORS, brief, as_json, as_jsonl, day=day, hint="`ia sync sectors` fetches them")


@market.command(cls=Command, example="ia sync daily && { ia market mainline || echo none; }")
@click.option(
    "-n", "--limit", "count", type=click.IntRange(5, 1000), default=50, show_default=True, help="So many top gainers."
)
@click.option(
    "--level", type=click.FloatRange(0, 0.5, min_open=True), default=0.01, show_default=True,
    help="On how large a share of days without any a line may be shown.",
)  # fmt: skip
@click.option(
    "--kind", type=click.Choice(["industry", "concept", "all"]), default="all", show_default=True,
    help="What to group by.",
)  # fmt: skip
@click.option("--keep", is_flag=True, help="Keep the result: as an observation, and in a session with importance 2.")
@click.option("-s", "--session", metavar="ID", default="market", show_default=True, help="The session of --keep.")
@json_option
@click.pass_context
def mainline(ctx: click.Context, count: int, level: float, kind: str, keep: bool, session: str, as_json: bool) -> None:
    """Print the main lines of a day: groups with more of the top gainers than chance explains. Status 1: there is none.

    Industries and concepts are held against a draw that knows no groups, among stocks of the same price limit and the
    same usual swings, so that neither size nor luck makes a line; `adjusted` is the chance after Benjamini-Hochberg
    for all groups that were looked at. excess_pct is over the market, z against the group's own stored days. With
    --keep a second run of the day replaces the first.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import mainline as lines
    from ia.organs.market import reading
    from ia_cli.terminal.market_tables import emit, heading
    from ia_cli.terminal.output import emit_json

    ws = Workspace()
    with reading.opened(ws) as db:
        kinds = lines.KINDS if kind == "all" else (kind,)
        day = reading.latest(db, notify)
        found = lines.mainlines(db, day, top=count, level=level, kinds=kinds)
    rows = [
        {"date": found["date"], **row, "with": ", ".join(row["with"]), "leaders": _names(row)} for row in found["lines"]
    ]
    if as_json:
        emit_json(found)
    else:
        heading(day)
        emit(rows, MAINLINE, brief=("name", "hits", "expected", "adjusted", "limit_up", "excess_pct", "leaders"))
    if not rows:
        near = found["closest"] or {}
        notify(
            Message(
                "no main line on {date}: {name} came closest of {groups}, {hits} at the top, {expected} by chance",
                date=found["date"], groups=found["groups"], name=near["name"], hits=near["hits"],
                expected=near["expected"],
            )
            if near
            else Message(
                "no main line on {date}: of {groups} groups none has three of the top",
                date=found["date"], groups=found["groups"],
            )
        )  # fmt: skip
    elif keep:
        from ia.agent.turns.mainline import keep as kept
        from ia_cli.terminal.text import lang

        path, number = kept(ws, found, session, lang=lang())
        notify(Message("kept in {path}, and as message {number} of session {id}", path=path, number=number, id=session))
    ctx.exit(0 if rows else 1)


def _names(row: "Row") -> str:
    return ", ".join(f"{each['name']} {each['change_pct']:+.2f}%" for each in row["leaders"][:3])


@market.command(cls=Command, example="ia sync northbound && ia market northbound -n 5")
@click.option(
    "-n",
    "--limit",
    "days",
    metavar="DAYS",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="How many days.",
)
@rows_options
@click.pass_context
def northbound(ctx: click.Context, days: int, as_json: bool, as_jsonl: bool) -> None:
    """Print what is published of north-bound trading, by day and channel; money in yuan.

    The exchanges have not published the net flow since August 2024: there it is empty, and only turnover is told.
    """
    from ia.kernel import clock
    from ia.kernel.workspace import Workspace
    from ia.organs.market import reading
    from ia.organs.market.sources import NET_ENDED

    rows = reading.northbound(Workspace(), days, notify)
    silent = sorted({row["date"] for row in rows if row["net"] is None})
    if silent:
        notify(
            Message(
                "no net flow of {count} days ({first} to {last}): not published since August 2024; turnover is",
                count=len(silent), first=silent[0], last=silent[-1],
            )
        )  # fmt: skip
    elif clock.today("CN") > NET_ENDED:
        template = "the net flow northbound is not published since {day}: stored are turnover, deals and the leader"
        notify(Message(template, day=NET_ENDED))
    brief = ("date", "channel", "net", "buy", "sell", "turnover", "leader")
    _listed(ctx, rows, NORTHBOUND, brief, as_json, as_jsonl, hint="`ia sync northbound` fetches it")


@market.command(cls=Command, example="ia sync lhb && ia market lhb")
@click.option(
    "--date", "on", metavar="DATE", help="Another day, such as 2024-03-15 or yesterday; default: the newest stored."
)
@rows_options
@click.pass_context
def lhb(ctx: click.Context, on: str | None, as_json: bool, as_jsonl: bool) -> None:
    """Print the stocks that traded unusually, largest net buying first, with the reason; money in yuan.

    A stock stands there once for each reason. Status 1 where nothing is stored.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import reading

    ws = Workspace()
    rows = reading.lhb(ws, on, notify)
    brief = ("date", "symbol", "name", "change_pct", "net", "reason")
    hint = "`ia sync lhb` fetches it"
    if not rows and on is None and (until := reading.lhb_until(ws)):
        notify(Message("the lists up to {day} are synced, and no stock stands on them", day=until))
        hint = ""
    _listed(ctx, rows, LHB, brief, as_json, as_jsonl, hint=hint)


def _listed(
    ctx: click.Context,
    rows: "list[Row]",
    columns: tuple[str, ...],
    brief: tuple[str, ...],
    as_json: bool,
    as_jsonl: bool,
    hint: str = "",
    day: "Day | None" = None,
) -> None:
    """Print rows, and leave with status 1 where there are none."""
    from ia_cli.terminal.market_tables import emit, heading
    from ia_cli.terminal.output import hint as give

    if day is not None and not (as_json or as_jsonl):
        heading(day)
    emit(rows, columns, brief=brief, as_json=as_json, as_jsonl=as_jsonl)
    if not rows:
        nothing("nothing of this is stored")
        if hint:
            give(hint)
    ctx.exit(0 if rows else 1)
