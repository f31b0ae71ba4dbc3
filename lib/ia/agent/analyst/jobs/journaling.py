"""A trade that the owner reports becomes a proposed entry of the journal; nothing is entered before it is approved."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, find_time_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count

_SOLD = re.compile(r"卖|减仓|清仓|平仓|止损|止盈|割肉|抛|\b(?:sold|trimmed|closed|exited)\b", re.I)
_SHARES = re.compile(rf"(?P<n>{COUNT})\s*(?P<unit>股|手|份|张|shares?\b)", re.I)
_BARE = re.compile(rf"(?:买入?了?|卖出?了?|bought|sold|purchased|trimmed)\s*(?P<n>{COUNT})(?!\s*(?:元|块|\.\d))", re.I)
_PRICE = re.compile(
    r"(?:价格?(?:是|为)?|成本(?:是|为)?|均价|每股|以|按|在|\bat|@|\bfor|price(?: of)?)"
    r"\s*[:：]?\s*[¥$￥]?(?P<at>\d[\d,]*(?:\.\d+)?)"
    r"|[¥$￥]?(?P<of>\d[\d,]*(?:\.\d+)?)\s*(?:元|块钱?|美元|港元|港币|yuan|dollars?)",
    re.I,
)
_BECAUSE = re.compile(r"(?:因为|理由是?|原因是?|\bbecause)\s*[:：]?\s*(?P<why>.+)$", re.I | re.S)


class ReportedTrade(NamedTuple):
    """A trade that was reported: shares and price are None where the words leave them open."""

    selling: bool
    shares: float | None
    price: float | None
    reason: str
    day: date | None
    unread: tuple[str, ...]


def parse_trade(words: str, mention: Mention, today: date) -> ReportedTrade:
    """Return what a report of a trade says."""
    why = _BECAUSE.search(words)
    told = words[: why.start()] if why else words
    plain = strip_mentions(told)
    spans = find_time_spans(plain, today)
    for span in spans:
        plain = plain.replace(plain[span.at[0] : span.at[1]], " " * (span.at[1] - span.at[0]))
    size = _SHARES.search(plain)
    rest = plain[: size.start()] + " " + plain[size.end() :] if size else plain
    price = _PRICE.search(rest)
    rest = rest[: price.start()] + " " + rest[price.end() :] if price else rest
    if size is None and (size := _BARE.search(rest)):
        rest = rest[: size.start()] + " " + rest[size.end() :]
    shares = parse_count(size["n"].casefold()) if size else None
    if shares and size and "unit" in size.re.groupindex and size["unit"] == "手":
        shares *= 100
    days = [span.first for span in spans if span.kind == DAY]
    unread = tuple(found for found in re.findall(r"\d[\d.,]*", rest)) + tuple(
        span.said for span in spans if span.kind != DAY
    )
    return ReportedTrade(
        bool(_SOLD.search(plain)),
        shares,
        float((price["at"] or price["of"]).replace(",", "")) if price else None,
        why["why"].strip(" 。.!！") if why else "",
        days[0] if days else today,
        unread if len(days) < 2 else (*unread, *(span.said for span in spans[1:])),
    )


def propose_entry(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Propose the entry of a trade that was made, or ask for what is missing."""
    speak, mention = desk.speak, wanted.securities[0]
    today = desk.request.moment.date()
    trade = parse_trade(wanted.words, mention, today)
    action = "sell" if trade.selling else "buy"
    shares = "" if trade.shares is None else f"{trade.shares:g}"
    price = "" if trade.price is None else f"{trade.price:g}"
    command = f"ia trade {action} {mention.code} {shares or speak('SHARES')} {price or speak('PRICE')}"
    if len(wanted.securities) > 1 or trade.unread or trade.shares is None or trade.price is None:
        return reply_of_lines(
            speak(
                "{name}: I did not get from that how many shares at which price, so nothing is journalled.",
                name=wording.head_of(desk, mention),
            ),
            speak(
                'Say it as "I bought 100 {security} at 78.5", or enter it: `{command}`',
                security=mention.said,
                command=command,
            ),
        )
    if trade.day is None or trade.day != today:
        when = f" --date {trade.day}" if trade.day else " --date YYYY-MM-DD"
        return reply_of_lines(
            speak(
                "A trade of another day you enter yourself; nothing is journalled yet: `{command}`",
                command=command + when,
            )
        )
    made = yield from desk.one(
        "trade.execute",
        action=action,
        symbol=mention.code,
        quantity=trade.shares,
        order_type="limit",
        price=trade.price,
        reason=trade.reason,
    )
    return reply_of_lines(*_say_outcome(desk, mention, trade, made, command))


def _say_outcome(desk: ToolDesk, mention: Mention, trade: ReportedTrade, made: DeskResult, command: str) -> list[str]:
    speak = desk.speak
    if made.failure is not None:
        return [
            speak("Not journalled: {error}", error=describe_failure(speak, made.failure)),
            speak("Enter it yourself: `{command}`", command=command),
        ]
    if made.get("status") == "rejected":
        return [
            speak("Not journalled: your risk rules refuse it: {reason}", reason=made.get("reason")),
            speak("It has happened? Then: `{command} --override --because REASON`", command=command),
        ]
    given = {"name": wording.head_of(desk, mention), "shares": f"{trade.shares:g}", "price": f"{trade.price:g}"}
    told = (
        speak("{name}: sold {shares} at {price}, proposed for the journal.", **given)
        if trade.selling
        else speak("{name}: bought {shares} at {price}, proposed for the journal.", **given)
    )
    return [told, speak("`ia approve {number}` enters it, `ia reject {number}` drops it.", number=made.get("order_id"))]
