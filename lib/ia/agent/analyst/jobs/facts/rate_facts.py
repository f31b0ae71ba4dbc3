"""Answers about exchange rates: what one currency is in another, of a day, and what an amount of it comes to."""

import re

from ia.agent.analyst.ask.amounts import CURRENCY_WORDS, find_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import DAY, FUTURE
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern

_YUAN = "CNY"
_SCALES = {"千": 1e3, "k": 1e3, "thousand": 1e3, "万": 1e4, "百万": 1e6, "m": 1e6, "million": 1e6, "亿": 1e8}
_FORECAST = pattern(
    r"会[不否]?会?(?:涨|跌|升值|贬值|升|贬)|\bwill\b.{0,40}\b(?:rise|fall|go (?:up|down)|weaken|strengthen)\b", re.I
)
_COUNTS = pattern(r"几.?|how many", re.I)
_AMOUNT = pattern(
    rf"(?P<sign>(?:hk|us)?[$¥￥])?\s*(?P<n>{COUNT})\s*(?P<scale>百万|[千万亿]|(?:k|m|thousand|million)\b)?\s*"
    r"(?P<unit>美[元金]|刀|港[元币纸]|人民币|[元块]|(?:usd|hkd|cny|rmb|yuan|(?:us |hk |hong kong )?dollars?"
    r"|bucks?)\b)?",
    re.I,
)


def answer_rate(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what one currency is in another, with the date and the source of the rate."""
    words, today = asked.words, desk.request.moment.date()
    span = asked.spans[0] if asked.spans else None
    for each in asked.spans:
        words = words.replace(each.said, " ")
    amount, unit, said = _find_amount(words)
    if span is not None and (span.kind == FUTURE or (span.first or today) > today):
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if (forecast := _FORECAST.search(words)) is not None:
        return reply_of_lines(desk.speak("I give no forecasts, so nothing for “{time}”.", time=forecast[0]))
    if asked.times or len(asked.spans) > 1 or (span is not None and (span.kind != DAY or span.first is None)):
        return wording.ask_back(desk, asked.times or tuple(each.said for each in asked.spans))
    if left := tuple(word for word in asked.unread if word not in said and not _COUNTS.fullmatch(word)):
        return wording.ask_back(desk, left)
    currency, base = _find_pair(words, unit)
    day = f"{span.first}" if span is not None else ""
    found = yield from desk.one("market.rate", currency=currency, base=base, **({"date": day} if day else {}))
    if found.failure is not None:
        return reply_of_lines(describe_failure(desk.speak, found.failure))
    rate = float(found.get("rate"))
    shown = {"currency": currency, "base": base, "rate": f"{rate:.6g}", "date": found.get("date")}
    line = desk.speak("**1 {currency} = {rate} {base}** ({date}, {source})", **shown, source=_say_source(desk, found))
    if amount is None:
        return reply_of_lines(line)
    worth = desk.speak(
        "{amount} is **{worth}**.",
        amount=wording.say_exact(desk, amount, currency=currency),
        worth=wording.say_exact(desk, amount * rate, currency=base),
    )
    return reply_of_lines(worth, line)


def _say_source(desk: ToolDesk, found: DeskResult) -> str:
    """Return where a rate is from; that it is invented where it is."""
    if found.get("simulated"):
        return desk.speak("simulated rate")
    return desk.speak("central parity, {source}", source=found.get("source"))


def _find_amount(words: str) -> tuple[float | None, str, str]:
    """Return the amount of money in a question, its currency ("" where none is told), and the words."""
    for match in _AMOUNT.finditer(words):
        count = parse_count(match["n"].casefold())
        named = find_currencies(f"{match['sign'] or ''} {match['unit'] or ''}", colloquial=True)
        if count is not None and named:
            return count * _SCALES.get((match["scale"] or "").casefold(), 1.0), named[0], match[0]
    return None, "", ""


def _find_pair(words: str, unit: str) -> tuple[str, str]:
    """Return the currency and the one that it is told in: dollars in yuan where nothing else is said."""
    places = ((form.search(words), code) for code, form in CURRENCY_WORDS)
    named = [code for _, code in sorted((found.start(), code) for found, code in places if found)]
    currency = unit or next(iter(named), "USD")
    if not unit and named == [_YUAN]:
        currency = "USD"
    other = next((code for code in named if code != currency), "")
    return currency, other or ("USD" if currency == _YUAN else _YUAN)
