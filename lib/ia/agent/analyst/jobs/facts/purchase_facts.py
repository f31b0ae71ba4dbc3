"""What single purchases of a security, named by their day, have brought up to now."""

import re
from dataclasses import replace
from datetime import date

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import DAY, TimeSpan
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, result_facts, wording
from ia.agent.analyst.jobs.facts.account_facts import entries_within
from ia.agent.analyst.jobs.facts.share_changes import ShareChanges, load_share_changes
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

LIMIT, SHOWN = 200, 5


def answer_purchase(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the shares bought on a day have brought, by the newest price and after the fees of buying them."""
    speak, lines = desk.speak, list[str]()
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    profit = yield from desk.one("account.profit")
    if profit.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), profit.failure)
    gains = {str(row.get("symbol")): row for row in wording.rows_of(profit, "positions")}
    for mention in asked.securities[:SHOWN]:
        listed = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
        if listed.failure is not None:
            return wording.unreadable(desk, speak("the journal"), listed.failure)
        bought = [row for row in entries_within(listed.value, days) if row.get("kind") == "buy"]
        if not bought:
            when = speak.join_items([each.label for each in days])
            lines.append(
                speak("{name}: no purchase in the journal ({days}).", name=wording.head_of(desk, mention), days=when)
            )
            continue
        gain = gains.get(mention.code, {})
        changes = yield from load_share_changes(desk, mention.code, float(gain.get("size") or 0))
        for row in bought[:SHOWN]:
            lines += _say_purchase(desk, wording.head_of(desk, mention), row, gain, changes)
    return reply_of_lines(*lines)


def _say_purchase(desk: ToolDesk, name: str, row: Json, gain: Json, changes: ShareChanges) -> list[str]:
    """Return what one purchase has brought, and whether its shares have been sold since."""
    speak, price = desk.speak, wording.figure_of(gain, "price")
    size, paid = float(row.get("quantity") or 0), float(row.get("price") or 0)
    given: Json = {
        "name": name,
        "day": row.get("date"),
        "shares": number(size, "shares"),
        "paid": number(paid, "price", speak),
    }
    held = float(gain.get("size") or 0)
    if not held or price is None or not size or not paid:
        return [speak("{name}: bought {shares} at {paid} on {day}; none is held now.", **given)]
    factor = changes.factor_since(str(row.get("date")))
    if factor is None:
        return [
            speak(
                "{name}: bought {shares} at {paid} on {day}. Bonus shares or splits may have changed their number"
                " since, so what this purchase has brought is not known; `ia profit` tells it for the whole position.",
                **given,
            )
        ]
    now = size * factor
    cost = size * paid + float(row.get("fees") or 0)
    result = now * price - cost
    lines = [
        speak(
            "{name}: **{result}** ({rate}) on the {shares} shares bought on {day} at {paid}, fees included; "
            "the price is {price} ({priced}){mark}",
            result=wording.say_exact(desk, result, signed=True, currency=str(row.get("currency") or "")),
            rate=wording.say_percent(result / cost * 100),
            price=number(price, "price", speak),
            priced=gain.get("price_date"),
            mark=wording.simulated_mark(desk, gain.get("simulated")),
            **given,
        )
    ]
    if now != size:
        lines.append(
            speak("With bonus shares and splits since, they have become {now} shares.", now=number(now, "shares"))
        )
    if changes.paid_since(str(row.get("date"))):
        lines.append(speak("Cash dividends since are not counted in it."))
    if held < now:
        lines.append(speak("Only {held} shares are held now; the rest was sold since.", held=number(held, "shares")))
    return lines


def answer_trade_of_day(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what one trade, named by its day, has brought; the nearest ones where that day has none."""
    speak, mention = desk.speak, asked.securities[0]
    if asked.unread or len(asked.spans) != 1 or asked.spans[0].first is None or len(asked.securities) > 1:
        return (yield from account_facts.answer_position(desk, asked))
    day = f"{asked.spans[0].first}"
    listed = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    rows = entries_within(listed.value, [])
    own = [row for row in rows if str(row.get("date")) == day]
    when = TimeSpan(kind=DAY, said=day, at=(0, 0), first=date.fromisoformat(day), last=date.fromisoformat(day))
    if any(row.get("kind") == "buy" for row in own):
        return (yield from answer_purchase(desk, replace(asked, spans=(when,))))
    if own:
        return (yield from account_facts.answer_sales_of(desk, asked, when))
    name = wording.head_of(desk, mention)
    if not rows:
        return reply_of_lines(speak("{name}: the journal has no trade of {day}, nor any other.", name=name, day=day))
    near = sorted(rows, key=lambda row: abs((date.fromisoformat(str(row["date"])) - when.first).days))[:2]  # type: ignore[operator]
    return reply_of_lines(
        speak("{name}: **the journal has no trade of {day}**; the nearest:", name=name, day=day),
        *(f"- {account_facts.say_trade(desk, row)}" for row in near),
    )


_ADDED = pattern(r"加|补|\badd(?:ed|ing)?\b", re.I)


def answer_average_without(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the average cost were without the purchases of a day, or without all but the first."""
    speak, mention = desk.speak, asked.securities[0]
    name = wording.head_of(desk, mention)
    days = yield from result_facts.trade_days(desk, asked)
    if days is None or len(asked.securities) > 1 or not (days or _ADDED.search(asked.words)):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans) or (asked.words.strip(),))
    listed = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
    status = yield from desk.one("account.status")
    if failure := listed.failure or status.failure:
        return wording.unreadable(desk, speak("the journal"), failure)
    rows = sorted(entries_within(listed.value, []), key=lambda row: str(row.get("date")))
    bought = [row for row in rows if row.get("kind") == "buy"]
    chosen = [row for row in entries_within(listed.value, days) if row.get("kind") == "buy"] if days else bought[1:]
    left_out = [row.get("id") for row in chosen]
    rest = [row for row in bought if row.get("id") not in left_out]
    position = wording.objects_of(status, "positions").get(mention.code)
    if not left_out or position is None:
        return reply_of_lines(speak("{name}: the journal has no such purchase.", name=name))
    size = sum(float(row.get("quantity") or 0) for row in bought)
    if len(bought) < len(rows) or size != float(position["size"]):
        return reply_of_lines(
            speak("{name}: after sales, bonus shares or splits I do not work out another average cost.", name=name)
        )
    if not rest:
        return reply_of_lines(speak("{name}: without it you would hold none.", name=name))
    kept = sum(float(row.get("quantity") or 0) for row in rest)
    cost = sum(float(row["quantity"]) * float(row["price"]) + float(row.get("fees") or 0) for row in rest)
    return reply_of_lines(
        speak("{name}: **{without}** for {kept} shares, in the place of {average} for {size}; fees are in both.",
              name=name, without=number(cost / kept, "price", speak), kept=number(kept, "shares"),
              average=number(float(position["cost"]) / size, "price", speak), size=number(size, "shares"))
    )  # fmt: skip


ANSWERS = {
    "purchase": answer_purchase,
    "trade_of_day": answer_trade_of_day,
    "average_without": answer_average_without,
}
