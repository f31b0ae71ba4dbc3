"""market.calendar: dates to come of companies and markets."""

from datetime import date, timedelta
from typing import Annotated, Literal

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel import clock, dateforms
from ia.kernel.errors import SimulatedBesides
from ia.kernel.jsontypes import Json

MAX_DAYS, MAX_SYMBOLS, MAX_ROWS = 800, 50, 80


@tool("market.calendar", READ, together=True, seconds=180)
def list_dates(
    scope: Scope,
    symbols: Annotated[list[str] | None, "codes or names; default: held and watched"] = None,
    since: Annotated[str | None, "first day; default: today"] = None,
    days: Annotated[int, "so many days from the first one on", AtLeast(0)] = 30,
    kind: Annotated[Literal["ex-dividend", "report", "lock-up", "closed"] | None, "default: all"] = None,
) -> Json:
    """Show known dates of companies: ex-dates with cash a share, reports (expected or published), lock-up expiries,
    closed days of a market (known up to `closed_known`). `missing`: what no source told, why.
    """
    from ia.organs.market import coming_dates, date_sync

    today = date.fromisoformat(clock.today("CN"))
    first = date.fromisoformat(dateforms.parse_day(since, today, option="since")) if since else today
    span = coming_dates.CalendarSpan(str(first), str(first + timedelta(days=min(days, MAX_DAYS))))
    wanted = _choose_symbols(scope, symbols)
    failures = date_sync.refresh_dates(scope.ws, wanted).failures
    rows = coming_dates.load_calendar(scope.ws, wanted, span, (kind,) if kind else ())
    simulated = any(row["simulated"] for row in rows)
    if simulated:
        scope.notify(SimulatedBesides("simulated dates: {adapter} invented them", adapter="demo"))
    hidden = () if scope.actor == "user" else ("label",)  # words of the source
    return {
        "since": span.since,
        "until": span.until,
        "symbols": wanted,
        "dates": [{name: row[name] for name in row if name not in hidden} for row in rows[:MAX_ROWS]],
        "more": max(0, len(rows) - MAX_ROWS),
        "missing": [_show_failure(symbol, failure) for symbol, failure in failures.items()],
        "closed_known": coming_dates.load_known_until(scope.ws, wanted),
        "simulated": simulated,
    }


def _show_failure(symbol: str, failure: Exception) -> Json:
    return {"symbol": symbol, "status": getattr(failure, "status", 70), "reason": str(failure)}


def _choose_symbols(scope: Scope, symbols: list[str] | None) -> list[str]:
    from ia.domain.instruments.symbols import resolve_security
    from ia.wiring.universe import list_own_symbols

    if symbols is None:
        return list_own_symbols(scope.ws)[:MAX_SYMBOLS]
    found = [resolve_security(text, traded=True).canonical for text in symbols[:MAX_SYMBOLS]]
    return list(dict.fromkeys(found))
