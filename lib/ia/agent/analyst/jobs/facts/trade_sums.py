"""What purchases or sales came to."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, result_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_SPENT = pattern(r"花|\b(?:spen[dt]|paid|pay|laid out|cost)\b", re.I)


def answer_traded_sum(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the purchases, or the sales, of a time came to, in each currency, without fees."""
    speak = desk.speak
    days = yield from result_facts.trade_days(desk, asked)
    side = account_facts.named_side(asked.words) or ("buy" if _SPENT.search(asked.words) else "")
    if days is None or not side:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans) or (asked.words,))
    codes = [mention.code for mention in asked.securities]
    result = yield from desk.one("trade.list", limit=account_facts.LIMIT)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the journal"), result.failure)
    rows = [
        row
        for row in account_facts.entries_within(result.value, days)
        if row.get("kind") == side and (not codes or row.get("symbol") in codes)
    ]
    if len(wording.rows_of(result.value)) >= account_facts.LIMIT:
        return reply_of_lines(
            speak("Only the newest {count} entries of the journal are read.", count=account_facts.LIMIT)
        )
    time = speak.join_items([each.label for each in days])
    if not rows:
        return reply_of_lines(
            speak("No such trade is in the journal{when}.", when=speak(" ({days})", days=time) if time else "")
        )
    sums: dict[str, tuple[float, float]] = {}
    for row in rows:
        money, fees = sums.get(str(row.get("currency")), (0.0, 0.0))
        amount = float(row.get("amount") or float(row["quantity"]) * float(row["price"]))
        sums[str(row.get("currency"))] = (money + amount, fees + float(row.get("fees") or 0))
    told = speak.join_items([f"{money:,.2f} {currency}" for currency, (money, _) in sums.items()])
    fees_told = speak.join_items([f"{fees:,.2f} {currency}" for currency, (_, fees) in sums.items()])
    given: Json = {
        "money": told,
        "fees": fees_told,
        "count": len(rows),
        "when": speak(" ({days})", days=time) if time else "",
    }
    head = (
        speak(PluralText("**{money}** for {count} purchase{when}; fees {fees} besides.",
                         "**{money}** for {count} purchases{when}; fees {fees} besides."), **given)
        if side == "buy"
        else speak(PluralText("**{money}** from {count} sale{when}; fees {fees} besides.",
                              "**{money}** from {count} sales{when}; fees {fees} besides."), **given)
    )  # fmt: skip
    shown = [
        f"- {wording.security_name(desk, str(row.get('symbol')), row.get('name'))}{speak(': ')}"
        f"{account_facts.say_trade(desk, row)}"
        for row in rows[:8]
    ]
    more = [speak("… {count} more: `ia trade list`", count=len(rows) - 8)] if len(rows) > 8 else []
    return reply_of_lines(head, *shown, *more)
