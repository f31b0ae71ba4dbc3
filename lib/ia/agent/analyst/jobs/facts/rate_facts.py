"""Answers about exchange rates: what one currency is in another, of a day, and what an amount of it comes to."""

import re
from dataclasses import replace
from datetime import date, timedelta

from ia.agent.analyst.ask.amounts import CURRENCY_WORDS, find_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
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
    today = desk.request.moment.date()
    if asked.facts[0].field == "change":
        return (yield from _answer_change(desk, asked))
    if _PAID_IN.search(asked.words) and not asked.spans:
        return (yield from _answer_since_deposit(desk, asked))
    words = strip_times(asked)
    amount, unit, said = _find_amount(words)
    for span in asked.spans:
        if span.kind == FUTURE or (span.first or today) > today:
            return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if (forecast := _FORECAST.search(words)) is not None:
        return reply_of_lines(desk.speak("I give no forecasts, so nothing for “{time}”.", time=forecast[0]))
    if asked.times or any(span.kind != DAY or span.first is None for span in asked.spans):
        return wording.ask_back(desk, asked.times or tuple(each.said for each in asked.spans))
    if left := tuple(word for word in asked.unread if word not in said and not _COUNTS.fullmatch(word)):
        return wording.ask_back(desk, left)
    lines: list[str] = []
    days = [f"{span.first}" for span in asked.spans]
    for day in ["", *days] if not days or _NOW.search(words) else days:
        for currency, base in _find_pairs(words, unit, alone=amount is not None):
            found = yield from desk.one("market.rate", currency=currency, base=base, **({"date": day} if day else {}))
            if found.failure is not None:
                return reply_of_lines(describe_failure(desk.speak, found.failure))
            rate = float(found.get("rate"))
            shown = {"currency": currency, "base": base, "rate": f"{rate:.6g}", "date": found.get("date")}
            source = _say_source(desk, found)
            if amount is not None:
                worth = desk.speak(
                    "{amount} is **{worth}**.",
                    amount=wording.say_exact(desk, amount, currency=currency),
                    worth=wording.say_exact(desk, amount * rate, currency=base),
                )
                lines.append(worth)
            lines.append(desk.speak("**1 {currency} = {rate} {base}** ({date}, {source})", **shown, source=source))
    return reply_of_lines(*lines)


def _answer_change(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer by how much a currency rose or fell against another over a time, this month without one: stored rates."""
    speak, words, today = desk.speak, strip_times(asked), desk.request.moment.date()
    if forecast := _FORECAST.search(words):
        return reply_of_lines(speak("I give no forecasts, so nothing for “{time}”.", time=forecast[0]))
    span = asked.spans[0] if asked.spans else None
    odd = span is not None and (span.first is None or span.first > today or span.kind == FUTURE)
    unread = (*asked.times, *(word for word in asked.unread if word not in asked.times))
    if unread or odd or len(asked.spans) > 1:
        return wording.ask_back(desk, unread or tuple(each.said for each in asked.spans))
    first = today.replace(day=1) if span is None else span.first or today
    begin = first if span is not None and span.kind == SINCE else first - timedelta(days=1)
    compared = span is not None and span.last is not None and bool(_COMPARED.search(words) or _AGO.search(span.said))
    if compared and span is not None and span.last is not None and span.last < today:
        begin, span = span.last, None
    end = min(span.last or today, today) if span is not None else today
    places = sorted((found.start(), code) for code, form in CURRENCY_WORDS if (found := form.search(words)))
    named = [code for _, code in places]
    subject = named[0] if named else _YUAN
    other = next((code for code in named if code != subject), "USD" if subject == _YUAN else _YUAN)
    one, base = (other, _YUAN) if subject == _YUAN else (subject, other)
    before = yield from desk.one("market.rate", currency=one, base=base, date=f"{begin}")
    after = yield from desk.one("market.rate", currency=one, base=base, date=f"{end}")
    if failed := before.failure or after.failure:
        return reply_of_lines(describe_failure(speak, failed))
    old, new = float(before.get("rate")), float(after.get("rate"))
    change = (old / new if subject == _YUAN else new / old) * 100 - 100
    given: Json = {
        "subject": subject, "other": other, "change": f"{abs(change):.2f}%", "old": f"{old:.6g}", "new": f"{new:.6g}",
        "first": before.get("date"), "last": after.get("date"), "one": one, "base": base,
        "source": _say_source(desk, after),
    }  # fmt: skip
    if before.get("date") == after.get("date"):
        return reply_of_lines(
            speak("Only one rate of that time is stored: 1 {one} = {new} {base} ({last}, {source}). `ia sync rates`"
                  " fetches rates.", **given)
        )  # fmt: skip
    told = (
        speak("**{subject} rose {change}** against {other}", **given)
        if change >= 0.005
        else speak("**{subject} fell {change}** against {other}", **given)
        if change <= -0.005
        else speak("**{subject} is unchanged** against {other}", **given)
    )
    lines = [
        told + speak(": 1 {one} = {old} {base} ({first}), now {new} ({last}); {source}.", **given)
        if f"{end}" == f"{today}"
        else told + speak(": 1 {one} = {old} {base} ({first}), then {new} ({last}); {source}.", **given)
    ]
    if not asked.spans:
        lines.append(speak("Of this month, as no time was named; “this year” or “since 2024-01-02” asks for another."))
    return reply_of_lines(*lines)


_PAID_IN = pattern(
    r"(?:入金|转入|存入|汇入|换汇|换汇入金)(?:的时候|那天|当天|时)"
    r"|\b(?:when|since|the day|at the time) i"
    r" (?:made (?:my|the) deposits?|(?:deposited|paid|put|brought|transferred|moved|funded)\b)"
    r"|\b(?:when|since|at|of|on the day of) my deposit\b",
    re.I,
)
"""The day on which the owner paid money in."""


def _answer_since_deposit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer by how much a currency changed since the owner paid it in."""
    currency = next((code for code, form in CURRENCY_WORDS if code != _YUAN and form.search(asked.words)), "USD")
    listed = yield from desk.one("trade.list", limit=200)
    if listed.failure is not None:
        return wording.unreadable(desk, desk.speak("the journal"), listed.failure)
    rows = [row for row in wording.rows_of(listed.value) if row.get("kind") == "deposit"]
    days = sorted({str(row["date"]) for row in rows if row.get("currency") == currency})
    if len(days) != 1:
        told = desk.speak.join_items(days)
        return reply_of_lines(
            desk.speak("The journal has deposits of {currency} on {days}. Write the date that you mean.",
                       currency=currency, days=told) if days
            else desk.speak("The journal has no deposit of {currency}.", currency=currency)
        )  # fmt: skip
    day = date.fromisoformat(days[0])
    span = TimeSpan(kind=SINCE, said=days[0], at=(0, 0), first=day, last=desk.request.moment.date())
    return (yield from _answer_change(desk, replace(asked, words=currency, spans=(span,), unread=())))


_NOW = pattern(r"现在|目前|当前|\bnow\b|\bcurrent(?:ly)?\b", re.I)
_COMPARED = pattern(r"比|较|\bthan\b|\bcompared\b", re.I)
"""Words that set now against a time, and do not ask for the change within it."""
_AGO = pattern(r"前|\bago\b", re.I)


def strip_times(asked: FactQuestion) -> str:
    """Return the words of a question without its times."""
    words = asked.words
    for each in asked.spans:
        words = words.replace(each.said, " ")
    return words


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


def _find_pairs(words: str, unit: str, *, alone: bool) -> list[tuple[str, str]]:
    """Return the currencies and the one that each is told in: dollars in yuan where nothing else is said.

    alone  an amount of one currency is asked for; else each foreign currency beside the yuan is told
    """
    places = ((form.search(words), code) for code, form in CURRENCY_WORDS)
    named = [code for _, code in sorted((found.start(), code) for found, code in places if found)]
    foreign = [code for code in named if code != _YUAN]
    if not alone and len(foreign) > 1 and (_YUAN in named or _EACH.search(words)):
        return [(code, _YUAN) for code in foreign]
    into = [code for code in named if code != unit]
    if unit and alone and len(into) > 1 and _EACH.search(words):
        return [(unit, code) for code in into]
    currency = unit or next(iter(named), "USD")
    if not unit and named == [_YUAN]:
        currency = "USD"
    other = next((code for code in named if code != currency), "")
    return [(currency, other or ("USD" if currency == _YUAN else _YUAN))]


_EACH = pattern(r"[、，,和与跟]|呢|各|分别|\b(?:and|each|both)\b", re.I)
"""Words between currencies of which each is asked for: dollars and Hong Kong dollars."""
