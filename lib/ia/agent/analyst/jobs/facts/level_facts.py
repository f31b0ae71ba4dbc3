"""How far prices are from a level or from what their owner paid, and whether there are any: suspensions."""

import re

from ia.agent.analyst.ask.amounts import find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars, load_spans
from ia.agent.analyst.jobs.facts.extreme_facts import EVERY_DAY, NEWEST, adjusted_note, each_security, head
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
    speak = desk.speak
    levels = _LEVEL.findall(strip_mentions(asked.words))
    level = float(levels[0].replace(",", "")) if len(levels) == 1 else 0.0
    if not level or asked.spans:
        return wording.ask_back(desk, tuple(levels) or tuple(span.said for span in asked.spans))

    def say(mention: Mention, found: SpanBars) -> list[str]:
        row = found.rows[-1]
        return [
            speak("{name}: **{change}** from the close of {day}, {close}, to {level} ({gap}).{mark}",
                  name=wording.head_of(desk, mention), change=wording.say_percent((level / row.close - 1) * 100),
                  day=row.date, close=number(row.close, "price", speak), level=number(level, "price", speak),
                  gap=f"{level - row.close:+,.2f}", mark=wording.simulated_mark(desk, found.simulated))
        ]  # fmt: skip

    return (yield from each_security(desk, asked, NEWEST, say, adjust="none", most=SHOWN))


_SHARE = pattern(r"(?P<n>\d+(?:\.\d+)?)\s*(?:%|％|个?百分?点|个点|per ?cent\b|points?\b)", re.I)
_DOWN = pattern(r"跌|低|\b(?:below|under|lower|down|off|less|f[ae]ll\w*|drop\w*|los\w+|declin\w*|sink\w*)\b", re.I)
_UP = pattern(r"涨|高|\b(?:above|over|higher|up|more|r[io]se\w*|rising|gain\w*|climb\w*|add\w*)\b", re.I)


def answer_price_after(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which price lies so many percent above or below the last close of a security."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    shares = [match["n"] for match in _SHARE.finditer(plain)]
    down, up = bool(_DOWN.search(plain)), bool(_UP.search(plain))
    if len(set(shares)) != 1 or down == up or asked.spans:
        return wording.ask_back(desk, tuple(shares) or tuple(span.said for span in asked.spans))
    change = -float(shares[0]) if down else float(shares[0])

    def say(mention: Mention, found: SpanBars) -> list[str]:
        row = found.rows[-1]
        return [
            speak("{name}: **{price}** is {change} from the close of {day}, {close}.{mark}",
                  name=wording.head_of(desk, mention), price=number(row.close * (1 + change / 100), "price", speak),
                  change=wording.say_percent(change), day=row.date, close=number(row.close, "price", speak),
                  mark=wording.simulated_mark(desk, found.simulated))
        ]  # fmt: skip

    return (yield from each_security(desk, asked, NEWEST, say, adjust="none", most=SHOWN))


_IS_LOW = pattern(r"低|便宜|\b(?:low|lowest|cheap\w*)\b", re.I)


def answer_since_when(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when a security last closed as high, or as low, as it did with its newest bar."""
    speak, low = desk.speak, bool(_IS_LOW.search(strip_mentions(asked.words)))
    if asked.unread or asked.spans:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))

    def say(mention: Mention, found: SpanBars) -> list[str]:
        newest, earlier = found.rows[-1], found.rows[:-1]
        alike = [
            at for at, row in enumerate(earlier)
            if (row.close <= newest.close if low else row.close >= newest.close)
        ]  # fmt: skip
        given: Json = {
            "close": number(newest.close, "price", speak), "last": newest.date, "first": found.rows[0].date,
            "old": number(earlier[alike[-1]].close, "price", speak) if alike else "",
            "date": earlier[alike[-1]].date if alike else "", "count": len(earlier) - alike[-1] if alike else 0,
        }  # fmt: skip
        if not alike:
            none = (
                speak("no close since {first} was as low as {close} ({last}).", **given)
                if low
                else speak("no close since {first} was as high as {close} ({last}).", **given)
            )
            return [head(desk, mention, found) + none]
        lower = PluralText(
            "the last close as low as {close} ({last}) was {old} on **{date}**, {count} session before.",
            "the last close as low as {close} ({last}) was {old} on **{date}**, {count} sessions before.",
        )
        higher = PluralText(
            "the last close as high as {close} ({last}) was {old} on **{date}**, {count} session before.",
            "the last close as high as {close} ({last}) was {old} on **{date}**, {count} sessions before.",
        )
        return [head(desk, mention, found) + speak(lower if low else higher, **given)]

    told = yield from each_security(desk, asked, EVERY_DAY, say)
    return reply_of_lines(*told.lines, *adjusted_note(desk))


def answer_suspended(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a security has a bar of the last sessions of its exchange."""
    speak, lines = desk.speak, []
    if asked.spans and wording.other_day(asked, desk.request.day):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    mentions = asked.securities[:SHOWN]
    loaded = yield from load_spans(desk, mentions, NEWEST, adjust="none")
    for mention, found in zip(mentions, loaded, strict=True):
        if isinstance(found, DeskResult) or not found.rows:
            failure = found.failure if isinstance(found, DeskResult) else None
            lines.append(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
            continue
        name = wording.head_of(desk, mention)
        told = PluralText(
            "{name}: **no trade since {last}**: {count} session without a bar; suspended, or not fetched (`ia sync`).",
            "{name}: **no trade since {last}**: {count} sessions without a bar; suspended, or not fetched (`ia sync`).",
        )
        lines.append(
            speak(told, name=name, last=found.last, count=len(found.missed))
            if found.missed
            else speak("{name}: **no**: it traded in the last session ({last}).", name=name, last=found.last)
        )
    return reply_of_lines(*lines)


_ABOVE = pattern(r"高于|以上|之上|\b(?:above|over)\b", re.I)


def answer_against_cost(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which holdings trade below, or above, their average cost, the furthest first."""
    speak, above = desk.speak, bool(_ABOVE.search(asked.words))
    if asked.spans and wording.other_day(asked, desk.request.day):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    only = find_currencies(asked.words) or find_market_currencies(asked.words)
    held = {
        code: each for code, each in wording.objects_of(status, "positions").items()
        if not only or each.get("currency") in only
    }  # fmt: skip
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
        speak("- {name} **{change}** ({amount}): {price} ({day}) against {cost}",
              amount=wording.say_exact(desk, held[code].get("unrealized_pnl"), signed=True,
                                       currency=str(held[code].get("currency") or "")),
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
    "price_after": answer_price_after,
    "since_when": answer_since_when,
    "against_cost": answer_against_cost,
    "to_level": answer_to_level,
    "suspended": answer_suspended,
}
