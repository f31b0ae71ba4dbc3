"""`ia calendar`: ex-dates, reports, lock-up expiries and closed markets, as they are known."""

import sys
from datetime import date, timedelta
from typing import TYPE_CHECKING

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ia.kernel.errors import IaError
    from ia.kernel.jsontypes import Json
    from ia.kernel.workspace import Workspace
    from ia.organs.market.coming_dates import CalendarSpan

COLUMNS = ("date", "symbol", "name", "kind", "text", "source", "fetched")
HEADS = {name: name for name in COLUMNS}
KINDS = ("ex-dividend", "report", "lock-up", "closed")


@click.command(cls=Command, example="IA_MARKET_ADAPTER=demo ia calendar 600519 300750 --since 200d")
@click.argument("symbols", nargs=-1, metavar="[SYMBOL…]")
@click.option("--days", type=click.IntRange(0, 3660), metavar="N", help="Number of days ahead (default: 30).")
@click.option("--since", metavar="DATE", help="First date (default: today): 2024-03-01, 30d (30 days back) ….")
@click.option("--until", metavar="DATE", help="Last date (default: 30 days after the first or after today).")
@click.option("--kind", type=click.Choice(KINDS), help="Only dates of this kind.")
@click.option("--universe", metavar="U", help="Dates of watch, watch:GROUP, held or a file of codes.")
@click.option("--refresh", is_flag=True, help="Ask the source even if it was asked within the last 12 hours.")
@click.option("--stored", is_flag=True, help="Contact no source; print what is stored.")
@rows_options
@click.pass_context
def calendar(
    ctx: click.Context,
    symbols: tuple[str, ...],
    days: int | None,
    since: str | None,
    until: str | None,
    kind: str | None,
    universe: str | None,
    refresh: bool,
    stored: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Print coming dates: ex-dates, reports, lock-up expiries, closed markets.

    SYMBOL is a code or a name (default: what you hold and watch). ia asks the source at most every 12 hours for each
    security and stores what it tells; `ia sync` keeps it up to date. A date is visible from the moment it was known: a
    moved date, and a lock-up expiry, from when ia first saw it. `fetched` is when the source was last asked.

    An ex-date has the cash a share before tax, where it is known; a report is expected or published. ia has a
    source of all of these for mainland stocks, of ex-dates for Hong Kong, and of past dates only for the US; it names
    the securities whose coming dates none covers.

    Status 1 if there are no dates, 69 or 75 if the source fails and nothing is stored (always with --refresh).
    """
    from ia.kernel.errors import SimulatedBesides, UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.market import coming_dates, date_sync
    from ia_cli.terminal.output import notify, tell_error
    from ia_cli.terminal.text import say
    from ia_cli.terminal.wide_tables import emit_wide_rows

    if refresh and stored:
        raise UsageError("--refresh and --stored cannot be combined; give one")
    span = _choose_span(days, since, until)
    ws = Workspace()
    wanted = _choose_symbols(ws, symbols, universe)
    failures = {} if stored else date_sync.refresh_dates(ws, wanted, force=refresh).failures
    rows = coming_dates.load_calendar(ws, wanted, span, (kind,) if kind else ())
    if any(row["simulated"] for row in rows):
        notify(SimulatedBesides("simulated dates: {adapter} invented them", adapter="demo"))
    for row in rows:
        message = coming_dates.describe_date(row)
        row["text"] = say(message.template, **message.params)
    plain = as_json or as_jsonl or not sys.stdout.isatty()
    if rows or plain:
        shown = rows if plain else [_shorten_row(row) for row in rows]
        emit_wide_rows(
            shown, COLUMNS, HEADS, spare=("fetched", "source"), free={"text": 24}, as_json=as_json, as_jsonl=as_jsonl
        )
    _tell_failures(failures)
    if kind in (None, "closed"):
        _tell_unknown_days(ws, wanted, span)
    if not rows:
        tell_error(_empty_error(ws, wanted, span))
    failed = [failure.status for failure in failures.values() if failure.status in (69, 75)]
    if failed and (refresh or not rows):
        ctx.exit(max(failed))
    ctx.exit(0 if rows else 1)


def _choose_span(days: int | None, since: str | None, until: str | None) -> "CalendarSpan":
    from ia.kernel import clock, dateforms
    from ia.kernel.errors import UsageError
    from ia.organs.market.coming_dates import DAYS, CalendarSpan

    if days is not None and until is not None:
        raise UsageError("--days and --until cannot be combined; give one")
    today = date.fromisoformat(clock.today("CN"))
    first = date.fromisoformat(dateforms.parse_day(since, today, option="--since")) if since else today
    if until:
        last = date.fromisoformat(dateforms.parse_day(until, today, option="--until", last=True))
    else:
        begin = first if since and days is not None else max(first, today)
        last = begin + timedelta(days=DAYS if days is None else days)
    if first > last:
        raise UsageError("--since {since} is after --until {until}", since=str(first), until=str(last))
    return CalendarSpan(str(first), str(last))


def _choose_symbols(ws: "Workspace", symbols: tuple[str, ...], universe: str | None) -> list[str]:
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import UsageError
    from ia.wiring.universe import list_own_symbols, list_universe

    if universe is not None and symbols:
        raise UsageError("give either SYMBOL or --universe, not both")
    if universe is not None:
        return [symbol.canonical for symbol in list_universe(ws, universe)]
    if symbols:
        return list(dict.fromkeys(resolve_security(text, traded=True).canonical for text in symbols))
    return list_own_symbols(ws)


def _shorten_row(row: "Json") -> "Json":
    """Return a row as a terminal shows it: kinds in the user's language, and only the day of `fetched`."""
    from ia_cli.terminal.text import tr

    return {**row, "kind": tr(row["kind"]), "source": tr(row["source"]), "fetched": (row["fetched"] or "")[:10]}


def _tell_failures(failures: "dict[str, IaError]") -> None:
    """Name the securities without dates; several that no source covers on one line."""
    from ia.kernel.errors import Message
    from ia_cli.terminal.output import notify, tell_error

    uncovered = [symbol for symbol, failure in failures.items() if failure.status == 66]
    if uncovered:
        template = (
            "no source of coming dates for {symbols}; ia has one for mainland stocks and for ex-dates in Hong Kong"
        )
        notify(Message(template, symbols=", ".join(uncovered)))
    others = {str(failure): failure for failure in failures.values() if failure.status != 66}
    for failure in others.values():
        tell_error(failure)


def _tell_unknown_days(ws: "Workspace", symbols: "Sequence[str]", span: "CalendarSpan") -> None:
    """Say until when it is known whether a market is closed, where the span reaches further."""
    from ia.kernel.errors import Message
    from ia.organs.market.coming_dates import load_known_until
    from ia_cli.terminal.output import notify

    for market, until in load_known_until(ws, symbols).items():
        if not until:
            notify(Message("{market}: closed days are not known; `ia sync calendar` stores them", market=market))
        elif until < span.until:
            notify(Message("{market}: closed days after {day} are not known yet", market=market, day=until))


def _empty_error(ws: "Workspace", symbols: "Sequence[str]", span: "CalendarSpan") -> "IaError":
    from ia.kernel.errors import NotFound

    told = {"since": span.since, "until": span.until}
    if not symbols:
        return NotFound(
            "no dates from {since} to {until}; nothing is held or watched",
            hint="`ia calendar 600519`, or add securities with `ia watch add 600519`",
            **told,
        )
    return NotFound("no dates known from {since} to {until}", hint="`--days 365` looks further ahead", **told)
