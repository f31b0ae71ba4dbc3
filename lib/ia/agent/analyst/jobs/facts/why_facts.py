"""The owner's reasons: why a security is not held, and whether the reason of a purchase still holds."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.account_facts import quote_notes, say_trade
from ia.agent.analyst.jobs.facts.journal_rows import load_trades
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.jsontypes import Json

SHOWN = 2


def answer_why_not(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer why a security is not held: with the owner's trades and notes on it, or that nothing is written."""
    speak, lines = desk.speak, list[str]()
    if asked.unread or asked.spans:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = dict(positions_of(status))
    listed = yield from desk.one("watch.list")
    watched = {str(row.get("symbol")): row for row in wording.rows_of(listed, "items")}
    for mention in asked.securities[:SHOWN]:
        name = wording.head_of(desk, mention)
        if mention.code in held:
            shares = number(float(held[mention.code].get("size") or 0), "shares")
            lines.append(speak("{name}: you do hold it: {shares} shares.", name=name, shares=shares))
            continue
        rows, _ = yield from load_trades(desk, mention)
        told = [f"- {say_trade(desk, row)}" for row in rows[::-1][:SHOWN]]
        row = watched.get(mention.code, {})
        if row.get("why"):
            told.append(speak("- on the watch list since {day}: {why}", day=row.get("since") or "–", why=row["why"]))
        told += yield from quote_notes(desk, mention)
        if told:
            lines += [speak("{name}: you hold none. What you have written of it:", name=name), *told]
        else:
            lines.append(speak("{name}: you hold none, and why is written nowhere: no trade, no note.", name=name))
    return reply_of_lines(*lines)


def answer_reason_holds(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the reason of a purchase still holds: the reason, what has moved since; judging it is not done."""
    speak, lines = desk.speak, list[str]()
    if asked.unread:
        return wording.ask_back(desk, asked.unread)
    limit = desk.request.limits.get("stop_loss_pct")
    status = yield from desk.one("account.status")
    held = dict(positions_of(status))
    for mention in asked.securities[:SHOWN]:
        name = wording.head_of(desk, mention)
        rows, result = yield from load_trades(desk, mention)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the journal"), result.failure)
        bought = [row for row in rows if row.get("kind") == "buy"]
        reasons = [row for row in bought if row.get("reason")][::-1]
        if not bought:
            lines.append(speak("{name}: the journal has no purchase of it.", name=name))
            continue
        if not reasons:
            lines.append(speak("{name}: no reason was noted with the purchases.", name=name))
            continue
        lines.append(f"{name}{speak(': ')}{say_trade(desk, reasons[0])}")
        lines += [f"- {say_trade(desk, row)}" for row in reasons[1:SHOWN]]
        lines.append(speak("Whether that still holds I cannot judge from stored figures; what can be checked:"))
        lines += _say_since(desk, held.get(mention.code), limit)
        lines += yield from quote_notes(desk, mention)
    return reply_of_lines(*lines)


def _say_since(desk: ToolDesk, position: Json | None, limit: float | None) -> list[str]:
    """Return how a holding stands against its cost, and against the owner's stop."""
    speak = desk.speak
    if position is None:
        return [speak("- you hold none now")]
    rate = position.get("unrealized_pct")
    if rate is None:
        return []
    given: Json = {
        "rate": wording.say_percent(rate),
        "price": number(position.get("current_price"), "price", speak),
        "cost": number(position.get("avg_price"), "price", speak),
        "date": position.get("price_date"),
        "limit": f"{limit or 0:g}",
        "mark": wording.simulated_mark(desk, position.get("simulated")),
    }
    told = speak("- the price: {rate} against your average cost ({cost} → {price}, {date}){mark}", **given)
    if limit is None:
        return [told]
    stop = (
        speak("- your stop of -{limit}%: reached", **given)
        if float(rate) <= -limit
        else speak("- your stop of -{limit}%: not reached", **given)
    )
    return [told, stop]


ANSWERS = {"why_not": answer_why_not, "reason_holds": answer_reason_holds}
