"""Figures of companies of what is held or watched: which of those meet bounds, and their order, abroad as well."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.screens import COMPANY_FIGURES, Bound, ScreenColumn, ScreenWish
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.organs.market.screen_columns import column_title

_SHOWN = 9
_QUOTED = ("pe", "pe_ttm", "pb", "roe")
_VALUED = ("dividend_yield",)
_PRICED = ("pe", "pe_ttm", "pb")
"""Figures that mean nothing below zero."""


def load_figures(desk: ToolDesk, codes: list[str], names: set[str]) -> Work[dict[str, Json]]:
    """Return the figures of securities, by code and by their names in tools; what is not known is left out."""
    found: dict[str, Json] = {code: {} for code in codes}
    quotes = yield from desk.one("market.quote", symbols=codes)
    for row in wording.rows_of(quotes, "quotes"):
        found.setdefault(str(row["symbol"]), {}).update(row)
    if names & set(_VALUED):
        valued = yield from desk.run(*(DeskCall("market.valuation", {"symbol": code}) for code in codes))
        for code, result in zip(codes, valued, strict=True):
            figures = result.get("figures") if result.ok else None
            found[code].update(figures if isinstance(figures, dict) else {})
    if names - set(_VALUED) - set(_QUOTED):
        reports = yield from desk.run(
            *(DeskCall("market.fundamentals", {"symbol": code, "periods": 1}) for code in codes)
        )
        for code, result in zip(codes, reports, strict=True):
            found[code].update(next(iter(wording.rows_of(result, "reports")), {}) if result.ok else {})
    return found


def answer_listed(
    desk: ToolDesk, asked: FactQuestion, wish: ScreenWish, among: list[str], conditions: str
) -> Work[Reply | None]:
    """Answer which of what is held meet bounds on figures of companies, or how these rank; None where it cannot.

    among       the codes that are watched; [] for what is held
    conditions  the bounds in words
    """
    names = {column.name for column in wish.columns}
    if wish.mean or wish.board or wish.st or not names <= set(COMPANY_FIGURES) or asked.securities:
        return None
    held = not among
    if held:
        found = yield from desk.one("market.observe", of="held")
        among = wording.names_of(found.get("symbols"))
    if not among:
        return reply_of_lines(desk.speak("You hold nothing of which a price is stored."))
    figures = yield from load_figures(desk, among, names)
    day = max((str(row.get("date") or "") for row in figures.values()), default="")
    if wording.other_day(asked, day or desk.request.day):
        return None
    if wish.industries or wish.excluded:
        grouped = {code: row.get("industry") for code, row in figures.items()}
        among = [
            code for code in among
            if (not wish.industries or grouped.get(code) in wish.industries) and grouped.get(code) not in wish.excluded
        ]  # fmt: skip
    sort = next((column for column in wish.columns if column.name == wish.sort), wish.columns[0])
    rows = [(code, figures[code]) for code in among]
    unknown = [code for code, row in rows if any(_figure(row, column) is None for column in wish.columns)]
    rows = [row for row in rows if row[0] not in unknown and all(_meets(row[1], bound) for bound in wish.bounds)]
    if wish.ascending:
        rows = [row for row in rows if _counts(row[1], sort)]
    rows.sort(key=lambda row: _figure(row[1], sort) or 0.0, reverse=not wish.ascending)
    desk.ranked += [code for code, _ in rows[:1]] if wish.ordered else []
    return reply_of_lines(*_say_listed(desk, wish, rows, len(among), day, unknown, figures, conditions, held=held))


def _figure(row: Json, column: ScreenColumn) -> float | None:
    return wording.figure_of(row, COMPANY_FIGURES[column.name])


def _counts(row: Json, column: ScreenColumn) -> bool:
    """Return False for a price over a loss, which is no low one."""
    return column.name not in _PRICED or (_figure(row, column) or 0) > 0


def _meets(row: Json, bound: Bound) -> bool:
    value = _figure(row, bound.column)
    if value is None or not _counts(row, bound.column):
        return False
    if value == bound.number:
        return "=" in bound.sign
    return value < bound.number if "<" in bound.sign else value > bound.number


def _say_listed(
    desk: ToolDesk,
    wish: ScreenWish,
    rows: list[tuple[str, Json]],
    count: int,
    day: str,
    unknown: list[str],
    figures: dict[str, Json],
    conditions: str,
    *,
    held: bool,
) -> list[str]:
    """Return the securities that a screen of a list found, with their figures."""
    speak = desk.speak
    mark = wording.simulated_mark(desk, any(row.get("simulated") for row in figures.values()))
    told = [
        wording.security_name(desk, code, row.get("name"))
        + " "
        + speak.join_items(
            [f"{speak(column_title(c.name))} {wording.say_value(desk, _figure(row, c), c.unit)}" for c in wish.columns]
        )
        for code, row in rows
    ]
    if not wish.bounds and told:
        lines = [f"**{told[0]}** ({day}){mark}"]
        lines += [speak("Then: {rest}.", rest=speak.join_clauses(told[1:_SHOWN]))] if len(told) > 1 else []
    else:
        given: Json = {"count": len(rows), "all": count, "conditions": conditions, "date": day}
        head = (
            speak("**{count} of {all} holdings**: {conditions} ({date}){mark}", mark=mark, **given)
            if held
            else speak("**{count} of the {all} watched**: {conditions} ({date}){mark}", mark=mark, **given)
        )
        lines = [head, *(f"- {each}" for each in told[:_SHOWN])]
        if len(told) > _SHOWN:
            lines.append(speak("… and {count} more.", count=len(told) - _SHOWN))
    if unknown:
        names = [wording.security_name(desk, code, figures[code].get("name")) for code in unknown]
        lines.append(speak("Not known of: {names}.", names=speak.join_items(names)))
    return lines
