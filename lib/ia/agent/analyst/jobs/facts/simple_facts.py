"""How far a price is from a level, whether a security is suspended, and what was spent on purchases."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import find_missed
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 4
_LEVEL = pattern(r"(?<![\d.,-])(\d[\d,]*(?:\.\d+)?)(?![\d%％]| ?(?:日|天|day|week|month|percent|per cent|share))", re.I)


def answer_to_level(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how far the last close of a security is from a price that the question names."""
    speak, lines = desk.speak, []
    levels = _LEVEL.findall(strip_mentions(asked.words))
    if len(levels) != 1 or asked.spans:
        return wording.ask_back(desk, tuple(levels) or tuple(span.said for span in asked.spans))
    level = float(levels[0].replace(",", ""))
    for mention in asked.securities[:SHOWN]:
        bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
        rows = wording.bars_of(bars)
        if not rows or not level:
            lines.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
            continue
        close = float(rows[-1][4])
        lines.append(
            speak("{name}: **{change}** from the close of {day}, {close}, to {level} ({gap}).{mark}",
                  name=wording.head_of(desk, mention), change=wording.say_percent((level / close - 1) * 100),
                  day=rows[-1][0], close=number(close, "price", speak), level=number(level, "price", speak),
                  gap=f"{level - close:+,.2f}", mark=wording.simulated_mark(desk, bars.get("simulated")))
        )  # fmt: skip
    return reply_of_lines(*lines)


def answer_suspended(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a security has a bar of the last sessions of its exchange."""
    speak, lines = desk.speak, []
    if asked.spans and wording.other_day(asked, desk.request.day):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    for mention in asked.securities[:SHOWN]:
        bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
        rows = wording.bars_of(bars)
        if not rows:
            lines.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
            continue
        last, name = str(rows[-1][0])[:10], wording.head_of(desk, mention)
        missed = yield from find_missed(desk, mention, last)
        told = PluralText(
            "{name}: **no trade since {last}**: {count} session without a bar; suspended, or not fetched (`ia sync`).",
            "{name}: **no trade since {last}**: {count} sessions without a bar; suspended, or not fetched (`ia sync`).",
        )
        lines.append(
            speak(told, name=name, last=last, count=len(missed))
            if missed
            else speak("{name}: **no**: it traded in the last session ({last}).", name=name, last=last)
        )
    return reply_of_lines(*lines)


def answer_spent(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what purchases cost in all, fees included, over the days that a question names."""
    speak, label, days = desk.speak, "", None
    span = next((each for each in asked.spans if each.kind != EVER), None)
    if len(asked.spans) > 1 or (span is not None and span.kind == FUTURE):
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    if span is not None:
        days = yield from result_facts.read_account_days(desk, span)
        if days is None:
            return wording.ask_back(desk, (span.said,))
        label = speak(" ({days})", days=days.label)
    listed = yield from desk.one("trade.list", limit=200)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), listed.failure)
    named = {mention.code for mention in asked.securities}
    bought = [
        row
        for row in wording.rows_of(listed.value)
        if row.get("kind") == "buy"
        and (days is None or f"{days.first}" <= str(row["date"]) <= f"{days.last}")
        and (not named or row.get("symbol") in named)
    ]
    if not bought:
        return reply_of_lines(speak("The journal has no purchase{days}.", days=label))
    sums: dict[str, float] = {}
    for row in bought:
        currency = str(row.get("currency") or "")
        sums[currency] = (
            sums.get(currency, 0.0) + float(row["quantity"]) * float(row["price"]) + float(row["fees"] or 0)
        )
    told = speak.join_items([wording.say_exact(desk, value, currency=currency) for currency, value in sums.items()])
    head = PluralText("**{sums}** for {count} purchase, fees included{days}.",
                      "**{sums}** for {count} purchases, fees included{days}.")  # fmt: skip
    return reply_of_lines(speak(head, sums=told, count=len(bought), days=label))


_ABOVE = pattern(r"高于|以上|之上|\b(?:above|over)\b", re.I)


def answer_against_cost(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which holdings trade below, or above, their average cost, the furthest first."""
    speak, above = desk.speak, bool(_ABOVE.search(asked.words))
    if asked.spans and wording.other_day(asked, desk.request.day):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = wording.objects_of(status, "positions")
    known = [
        (float(each["unrealized_pct"]), code) for code, each in held.items() if each.get("unrealized_pct") is not None
    ]
    found = sorted((pair for pair in known if (pair[0] > 0) == above and pair[0]), reverse=above)
    mark = wording.simulated_mark(desk, status.get("simulated"))
    given: Json = {"count": len(found), "all": len(held), "mark": mark}
    head = (
        speak("**{count} of {all}** holdings are above their average cost, fees included.{mark}", **given)
        if above
        else speak("**{count} of {all}** holdings are below their average cost, fees included.{mark}", **given)
    )
    told = [
        speak("- {name} **{change}**: {price} ({day}) against {cost}",
              name=wording.security_name(desk, code, held[code].get("name")), change=wording.say_percent(change),
              price=number(float(held[code]["current_price"]), "price", speak), day=held[code].get("price_date"),
              cost=wording.say_exact(desk, held[code].get("avg_price"), currency=str(held[code].get("currency") or "")))
        for change, code in found[:8]
    ]  # fmt: skip
    priced = {code for _, code in known}
    unpriced = [wording.security_name(desk, code, held[code].get("name")) for code in held if code not in priced]
    more = [speak("Not known of: {names}.", names=speak.join_items(unpriced))] if unpriced else []
    return reply_of_lines(head, *told, *more)


ANSWERS = {
    "against_cost": answer_against_cost,
    "to_level": answer_to_level,
    "suspended": answer_suspended,
    "spent": answer_spent,
}
