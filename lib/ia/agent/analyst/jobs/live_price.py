"""The price right now, beside the last close: while the session runs, the source is asked for it."""

import re
from datetime import datetime

from ia.agent.analyst.ask.figures import Asked, figures_at
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.desk import NO_TOOL, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.kernel import clock
from ia.kernel.patterns import pattern

_NOW = pattern(
    r"现在|此刻|当前|目前|眼下|实时|盘中|现价|最新价"
    r"|\b(?:now|currently|at the moment|at present|live|real[- ]?time|trading at)\b",
    re.I,
)


def wants_live_price(desk: ToolDesk, asked: Asked, mention: Mention) -> bool:
    """Return True if a question is for the price or the change of today while the session of the security runs.

    With `--now` there is no present that a source could tell of.
    """
    if clock.is_simulated() or asked.period != "daily":
        return False
    if asked.day is None:
        if not _NOW.search(desk.request.question):
            return False
    elif f"{asked.day.first}" != desk.request.day:
        return False
    codes = ("close", figures_at(desk.tables).change.alone_code)
    if not any(code in codes for code, *_ in asked.figures):
        return False
    from ia.organs.market.sessions import session_state

    return session_state(mention.symbol.market, desk.request.moment).unfinished


def say_live_price(desk: ToolDesk, head: str, mention: Mention) -> Work[tuple[str, bool]]:
    """Return the price right now with its time and source, or why there is none, and whether there is one."""
    from ia.agent.analyst.jobs.facts import wording

    speak = desk.speak
    result = yield from desk.one("market.quote", symbols=[mention.code], live=True)
    row = next(iter(wording.rows_of(result, "quotes")), None) if result.ok else None
    if row is None:
        given = {"code": mention.code}
        if result.failure is None or result.failure.code == NO_TOOL:
            return speak("There is no live price here; `ia quote {code} --live` asks for one.", **given), False
        why = describe_failure(speak, result.failure)
        return speak("No live price: {reason}; `ia quote {code} --live` asks again.", reason=why, **given), False
    moment = datetime.fromisoformat(str(row["time"]))
    foreign = mention.symbol.market != "CN" and mention.symbol.kind != "index"
    said = speak(
        "**{price}** right now, {change} on the previous close (unfinished session, quote of {time}, {source})",
        price=f"{row['price']:,.2f}" + (f" {wording.CURRENCIES[mention.symbol.market]}" if foreign else ""),
        change=wording.say_percent(row.get("change_pct")),
        time=f"{moment:%H:%M} UTC{moment:%z}"[:-2],
        source=row.get("source"),
    )
    return f"{head}{wording.simulated_mark(desk, row.get('simulated'))}{speak(': ')}{said}", True
