"""The risk of what is held now: value at risk, beta and correlation to an index, and what each position adds."""

import math
import re
import statistics
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import RANGE, SESSIONS, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import load_spans
from ia.agent.analyst.jobs.facts.held import load_held, name_position
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.symbols import symbol_of_kind
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_YEAR, _FEW = 250, 30
_INDEX = "000300.SH"


class _Swings(NamedTuple):
    """What the positions of now would have gained or lost each day, in one currency.

    days      the days, oldest first
    gains     of each position by its code
    marks     the return of the index on each day
    equity    what everything is worth now, cash with it
    invested  what the positions are worth
    """

    days: list[str]
    gains: dict[str, list[float]]
    marks: list[float]
    equity: float
    invested: float
    currency: str
    names: dict[str, str]
    simulated: bool

    @property
    def sums(self) -> list[float]:
        """What all positions together would have gained or lost each day."""
        return [sum(row) for row in zip(*self.gains.values(), strict=True)]


_HOLIDAYS = 20
"""Days before the first one from which another exchange has a close: each has other sessions."""


def _load_swings(desk: ToolDesk, asked: FactQuestion, index: str) -> Work[_Swings | Reply]:
    """Return the daily gains of what is held, with today's shares and exchange rates, over the last 250 sessions."""
    speak = desk.speak
    loaded = yield from load_held(desk, FactQuestion(asked.facts, asked.securities, asked.words, (), ()))
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    total, books = status.get("total"), wording.objects_of(status, "currencies")
    if isinstance(total, dict) and total.get("equity") is not None and not total.get("missing"):
        currency, equity = str(total["currency"]), float(total["equity"])
        rates = {str(row["currency"]): float(row["rate"]) for row in wording.rows_of(total.get("rates"))}
    elif len(books) == 1:
        ((currency, book),) = books.items()
        equity, rates = float(book.get("equity") or 0), {}
    else:
        return reply_of_lines(speak("Exchange rates are missing: `ia sync rates` fetches them."))
    span = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=_YEAR + 1)
    (base,) = yield from load_spans(desk, [Mention(symbol_of_kind(index), index)], span)
    if isinstance(base, DeskResult) or len(base.rows) < _FEW:
        return reply_of_lines(speak("Too few bars of that time."))
    days = [row.date for row in base.rows]
    begin = date.fromisoformat(days[0]) - timedelta(days=_HOLIDAYS)
    same = TimeSpan(kind=RANGE, said="", at=(0, 0), first=begin, last=date.fromisoformat(days[-1]))
    bars = yield from load_spans(desk, [Mention(symbol_of_kind(code), code) for code, _ in held], same)
    gains: dict[str, list[float]] = {}
    left, simulated = list[str](), base.simulated
    for (code, each), own in zip(held, bars, strict=True):
        value = float(each.get("value") or 0) * rates.get(str(each.get("currency")), 1.0)
        if isinstance(own, DeskResult) or not own.rows or own.rows[0].date > days[0]:
            left.append(name_position(desk, code, each))
            continue
        simulated = simulated or own.simulated
        closes, at, last = list[float](), 0, own.rows[0].close
        for day in days:
            while at < len(own.rows) and own.rows[at].date <= day:
                last, at = own.rows[at].close, at + 1
            closes.append(last)
        gains[code] = [value * (new / old - 1) for old, new in pairwise(closes)]
    if left or not gains:
        return reply_of_lines(speak("Too few prices are stored of {names}.", names=speak.join_items(left)))
    marks = [row.close for row in base.rows]
    return _Swings(
        days[1:], gains, [new / old - 1 for old, new in pairwise(marks)], equity,
        sum(float(each.get("value") or 0) * rates.get(str(each.get("currency")), 1.0) for _, each in held), currency,
        {code: name_position(desk, code, each) for code, each in held}, simulated,
    )  # fmt: skip


_LEVEL = pattern(
    r"(?P<n>\d{2}(?:\.\d+)?)\s*(?:%|％|per ?cent|percent)?\s*(?:confidence|置信|的?(?:水平|把握|概率))?", re.I
)
_HORIZON = pattern(
    rf"(?P<n>{COUNT})[- ]?(?:个)?(?P<unit>(?:trading |business )?days?|交易日|[天日]|weeks?|周|months?|月)(?![a-z])"
    r"|\b(?P<one>daily|weekly|monthly)\b|(?<![\d一二两三四五六七八九十])(?P<zh>单日|每日|日|周度|月度)(?=风险|var)",
    re.I,
)
_SESSIONS = {"d": 1, "交": 1, "天": 1, "日": 1, "w": 5, "周": 5, "m": 21, "月": 21, "t": 1, "b": 1, "单": 1, "每": 1}


def answer_value_at_risk(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a bad day or stretch may cost: the loss that was passed on so few of the last days."""
    speak, words = desk.speak, strip_mentions(asked.words)
    days, level = 1, 95.0
    if (found := _HORIZON.search(words)) is not None:
        unit = (found["unit"] or found["one"] or found["zh"]).casefold()
        count = parse_count(found["n"].casefold()) if found["n"] else 1.0
        days = int((count or 1) * _SESSIONS[unit[0]])
        words = words[: found.start()] + " " + words[found.end() :]
    for span in asked.spans:
        if span.said in words:
            return wording.ask_back(desk, (span.said,))
    if (share := _LEVEL.search(words)) is not None and 50 < float(share["n"]) < 100:
        level = float(share["n"])
        words = words[: share.start()] + " " + words[share.end() :]
    if unread := condition_words(blank_spans(words, ())):
        return wording.ask_back(desk, tuple(unread))
    swings = yield from _load_swings(desk, asked, _INDEX)
    if isinstance(swings, Reply):
        return swings
    order = sorted(swings.sums)
    at = int(len(order) * (100 - level) / 100 + 1e-9)
    loss, beyond = max(-order[at], 0.0), order[:at]
    root = math.sqrt(days)
    given: Json = {
        "level": f"{level:g}", "days": days, "first": swings.days[0], "last": swings.days[-1], "count": len(order),
        "loss": wording.say_exact(desk, -loss * root, signed=True, currency=swings.currency),
        "rate": wording.say_percent(-loss * root / swings.equity * 100), "worse": len(beyond),
        "mark": wording.simulated_mark(desk, swings.simulated),
    }  # fmt: skip
    lines = [
        speak(
            PluralText(
                "**{loss}** ({rate} of all that you own): the value at risk of {days} day at {level}%.{mark}",
                "**{loss}** ({rate} of all that you own): the value at risk of {days} days at {level}%.{mark}",
                by="days",
            ),
            **given,
        ),
        speak(
            "On {worse} of {count} days ({first} to {last}) what you hold now would have lost more in a day.",
            **given,
        ),
    ]
    if beyond:
        lines.append(
            speak("Those days cost {mean} on average; the worst, {day}, {worst}.",
                  mean=wording.say_exact(desk, statistics.fmean(beyond), signed=True, currency=swings.currency),
                  day=swings.days[swings.sums.index(order[0])],
                  worst=wording.say_exact(desk, order[0], signed=True, currency=swings.currency))
        )  # fmt: skip
    if days > 1:
        lines.append(
            speak("The loss of one day, {loss}, times the square root of {days}.", days=days,
                  loss=wording.say_exact(desk, -loss, signed=True, currency=swings.currency))
        )  # fmt: skip
    lines.append(speak("With today's shares and exchange rates; the past does not bound the future."))
    return reply_of_lines(*lines)


_BETA = pattern(r"贝塔|(?<![a-z])beta(?![a-z])|β", re.I)


def answer_index_relation(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer the beta and the correlation of all that is held, taken together, to an index."""
    speak = desk.speak
    if asked.spans or asked.times:
        return wording.ask_back(desk, asked.times or tuple(span.said for span in asked.spans))
    named = [each for each in asked.securities if each.symbol.kind == "index"]
    if len(named) > 1 or len(named) < len(asked.securities):
        return wording.ask_back(desk, tuple(each.said for each in asked.securities[1:]))
    index = named[0].code if named else _INDEX
    swings = yield from _load_swings(desk, asked, index)
    if isinstance(swings, Reply):
        return swings
    own = [gain / swings.invested for gain in swings.sums]
    beta = statistics.covariance(own, swings.marks) / statistics.variance(swings.marks)
    given: Json = {
        "index": wording.security_name(desk, index, None), "beta": f"{beta:.2f}",
        "whole": f"{beta * swings.invested / swings.equity:.2f}",
        "correlation": f"{statistics.correlation(own, swings.marks):.2f}",
        "share": wording.say_percent(swings.invested / swings.equity * 100).lstrip("+"),
        "first": swings.days[0], "last": swings.days[-1], "count": len(own),
        "mark": wording.simulated_mark(desk, swings.simulated),
    }  # fmt: skip
    head = (
        speak("**Beta {beta}** of your shares to **{index}**, {whole} with the cash counted ({share} is invested);"
              " correlation {correlation}.{mark}", **given)
        if _BETA.search(asked.words)
        else speak("**Correlation {correlation}** of your shares, taken together, with **{index}**; beta {beta},"
                   " {whole} with the cash counted.{mark}", **given)
    )  # fmt: skip
    return reply_of_lines(
        head,
        speak("Daily changes of what you hold now, {first} to {last} ({count}), at today's exchange rates.", **given),
    )


def answer_index_move(desk: ToolDesk, asked: FactQuestion, index: str, part: float) -> Work[Reply]:
    """Answer what the account gains or loses where an index moves by a part: by the beta of what is held to it."""
    speak = desk.speak
    swings = yield from _load_swings(desk, asked, index or _INDEX)
    if isinstance(swings, Reply):
        return swings
    own = [gain / swings.invested for gain in swings.sums]
    beta = statistics.covariance(own, swings.marks) / statistics.variance(swings.marks)
    change = beta * part * swings.invested
    given: Json = {
        "index": wording.security_name(desk, index or _INDEX, None), "beta": f"{beta:.2f}",
        "change": wording.say_exact(desk, change, signed=True, currency=swings.currency),
        "rate": wording.say_percent(change / swings.equity * 100), "move": wording.say_percent(part * 100),
        "then": wording.say_exact(desk, swings.equity + change, currency=swings.currency),
        "own": wording.say_exact(desk, swings.invested, currency=swings.currency),
        "same": wording.say_exact(desk, part * swings.invested, signed=True, currency=swings.currency),
        "mark": wording.simulated_mark(desk, swings.simulated), "first": swings.days[0], "last": swings.days[-1],
    }  # fmt: skip
    return reply_of_lines(
        speak("About **{change}** ({rate}): all that you own would be worth **{then}**.{mark}", **given),
        speak(
            "Your shares ({own}) have a beta of {beta} to {index} ({first} to {last}), which moves {move}; each moving"
            " as much as the index would be {same}.",
            **given,
        ),
        speak("Of past swings, at today's exchange rates: on a bad day shares often fall more together."),
    )


def answer_risk_parts(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what part of the swings of all that is held comes from each position."""
    if asked.spans or asked.times:
        return wording.ask_back(desk, asked.times or tuple(span.said for span in asked.spans))
    swings = yield from _load_swings(desk, asked, _INDEX)
    if isinstance(swings, Reply):
        return swings
    speak, sums = desk.speak, swings.sums
    whole = statistics.variance(sums)
    parts = sorted(
        ((statistics.covariance(own, sums) / whole * 100, code) for code, own in swings.gains.items()), reverse=True
    )
    given: Json = {"mark": wording.simulated_mark(desk, swings.simulated), "first": swings.days[0],
                   "last": swings.days[-1], "count": len(sums)}  # fmt: skip
    lines = [
        speak("**{name}: {part}%** of the swings of what you hold.{mark}", name=swings.names[code], part=f"{part:.1f}",
              **given) if at == 0
        else speak("- {name}: {part}%", name=swings.names[code], part=f"{part:.1f}")
        for at, (part, code) in enumerate(parts[:9])
    ]  # fmt: skip
    swing = statistics.stdev(sums) * math.sqrt(_YEAR)
    lines.append(
        speak("All together swing {swing} a year ({rate} of all that you own). Shares of the variance of daily"
              " gains, {first} to {last}.", swing=wording.say_exact(desk, swing, currency=swings.currency),
              rate=f"{swing / swings.equity * 100:.1f}%", **given)
    )  # fmt: skip
    return reply_of_lines(*lines)


ANSWERS = {
    "value_at_risk": answer_value_at_risk,
    "index_relation": answer_index_relation,
    "risk_parts": answer_risk_parts,
}
