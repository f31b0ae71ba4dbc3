"""The risk of what is held now: value at risk, beta and correlation to an index, and what each position adds."""

import math
import re

from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.time_spans import blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.held import load_held, name_position
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_INDEX = "000300.SH"


def _measure(desk: ToolDesk, asked: FactQuestion, index: str = _INDEX, **given: float) -> Work[Json | Reply]:
    """Return the risk of what is held now, or the reply where it cannot be told."""
    loaded = yield from load_held(desk, FactQuestion(asked.facts, asked.securities, asked.words, (), ()))
    if isinstance(loaded, Reply):
        return loaded
    result = yield from desk.one("account.risk", benchmark=index, **given)
    if result.failure is not None:
        return wording.unreadable(desk, desk.speak("the ledger"), result.failure)
    found: Json = result.value
    return reply_of_lines(*found["missing"]) if found["missing"] else found


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
    if (horizon := _HORIZON.search(words)) is not None:
        unit = (horizon["unit"] or horizon["one"] or horizon["zh"]).casefold()
        count = parse_count(horizon["n"].casefold()) if horizon["n"] else 1.0
        days = int((count or 1) * _SESSIONS[unit[0]])
        words = words[: horizon.start()] + " " + words[horizon.end() :]
    for span in asked.spans:
        if span.said in words:
            return wording.ask_back(desk, (span.said,))
    if (share := _LEVEL.search(words)) is not None and 50 < float(share["n"]) < 100:
        level = float(share["n"])
        words = words[: share.start()] + " " + words[share.end() :]
    if unread := condition_words(blank_spans(words, ())):
        return wording.ask_back(desk, tuple(unread))
    found = yield from _measure(desk, asked, level=level, days=days)
    if isinstance(found, Reply):
        return found
    currency, root = found["currency"], math.sqrt(days)
    given: Json = {
        "level": f"{level:g}", "days": days, "first": found["first"], "last": found["last"],
        "count": found["sessions"], "loss": wording.say_exact(desk, -found["value_at_risk"], signed=True,
                                                              currency=currency),
        "rate": wording.say_percent(-found["value_at_risk_frac"] * 100), "worse": found["worse_days"],
        "mark": wording.simulated_mark(desk, found["simulated"]),
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
    if found["shortfall"] is not None:
        lines.append(
            speak("Those days cost {mean} on average; the worst, {day}, {worst}.",
                  mean=wording.say_exact(desk, -found["shortfall"], signed=True, currency=currency),
                  day=found["worst_day"]["date"],
                  worst=wording.say_exact(desk, found["worst_day"]["gain"], signed=True, currency=currency))
        )  # fmt: skip
    if days > 1:
        lines.append(
            speak("The loss of one day, {loss}, times the square root of {days}.", days=days,
                  loss=wording.say_exact(desk, -found["value_at_risk"] / root, signed=True, currency=currency))
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
    found = yield from _measure(desk, asked, index)
    if isinstance(found, Reply):
        return found
    if found["beta"] is None or found["correlation"] is None:
        return reply_of_lines(speak("Too few bars of that time."))
    given: Json = {
        "index": wording.security_name(desk, index, None), "beta": f"{found['beta']:.2f}",
        "whole": f"{found['beta_with_cash']:.2f}", "correlation": f"{found['correlation']:.2f}",
        "share": wording.say_percent(found["invested_frac"] * 100).lstrip("+"),
        "first": found["first"], "last": found["last"], "count": found["sessions"],
        "mark": wording.simulated_mark(desk, found["simulated"]),
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
    found = yield from _measure(desk, asked, index or _INDEX)
    if isinstance(found, Reply):
        return found
    if found["beta"] is None:
        return reply_of_lines(speak("Too few bars of that time."))
    currency, equity, invested = found["currency"], found["equity"], found["invested"]
    change = found["beta"] * part * invested
    given: Json = {
        "index": wording.security_name(desk, index or _INDEX, None), "beta": f"{found['beta']:.2f}",
        "change": wording.say_exact(desk, change, signed=True, currency=currency),
        "rate": wording.say_percent(change / equity * 100), "move": wording.say_percent(part * 100),
        "then": wording.say_exact(desk, equity + change, currency=currency),
        "own": wording.say_exact(desk, invested, currency=currency),
        "same": wording.say_exact(desk, part * invested, signed=True, currency=currency),
        "mark": wording.simulated_mark(desk, found["simulated"]), "first": found["first"], "last": found["last"],
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
    found = yield from _measure(desk, asked)
    if isinstance(found, Reply):
        return found
    speak = desk.speak
    given: Json = {"mark": wording.simulated_mark(desk, found["simulated"]), "first": found["first"],
                   "last": found["last"], "count": found["sessions"]}  # fmt: skip
    lines = [
        speak("**{name}: {part}%** of the swings of what you hold.{mark}" if at == 0 else "- {name}: {part}%",
              name=name_position(desk, each["symbol"], each), part=f"{each['part_frac'] * 100:.1f}", **given)
        for at, each in enumerate(found["positions"][:9])
    ]  # fmt: skip
    lines.append(
        speak("All together swing {swing} a year ({rate} of all that you own). Shares of the variance of daily"
              " gains, {first} to {last}.",
              swing=wording.say_exact(desk, found["swing_year"], currency=found["currency"]),
              rate=f"{found['swing_year_frac'] * 100:.1f}%", **given)
    )  # fmt: skip
    return reply_of_lines(*lines)


ANSWERS = {
    "value_at_risk": answer_value_at_risk,
    "index_relation": answer_index_relation,
    "risk_parts": answer_risk_parts,
}
