"""The stops of all that is held: what it costs where every one is hit, and which are near."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs import own_notes
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.held import load_held, name_position
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.instruments.symbols import symbol_of_kind
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_MOST = 9


class _Stop(NamedTuple):
    """The stop of a position, and whether the owner's note names it."""

    code: str
    position: Json
    level: float
    noted: bool

    @property
    def away(self) -> float:
        """How far the price is above it, in per cent of the stop."""
        return float(self.position["current_price"]) / self.level * 100 - 100


def _load_stops(desk: ToolDesk, held: list[tuple[str, Json]]) -> Work[list[_Stop]]:
    """Return the stop of each position, the one nearest to its price first: of its note, or else of the rule."""
    limit, stops = desk.request.limits.get("stop_loss_pct"), list[_Stop]()
    for code, each in held:
        noted = yield from own_notes.find_noted_stop(desk, Mention(symbol_of_kind(code), code))
        if noted is not None:
            stops.append(_Stop(code, each, noted[0], noted=True))
        elif limit is not None:
            paid = float(each["cost"]) / float(each["size"])  # avg_price is rounded
            stops.append(_Stop(code, each, paid * (1 - limit / 100), noted=False))
    return sorted(stops, key=lambda stop: stop.away)


def answer_stops_hit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the account loses where every stop is hit: from today's worth, and against the cost."""
    speak = desk.speak
    unread = condition_words(strip_mentions(asked.words))
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    chosen = {each.code for each in asked.securities}
    stops = yield from _load_stops(desk, [row for row in held if not chosen or row[0] in chosen])
    if not stops:
        return reply_of_lines(speak("No stop rule is in force: `ia config set risk.stop_loss_pct 7` sets one."))
    levels = [f"{stop.level:g}" for stop in stops]
    if other := tuple(word for word in unread if word.replace(",", "").rstrip(".") not in levels):
        return wording.ask_back(desk, other)
    total = status.get("total")
    total = total if isinstance(total, dict) else {}
    rates = {str(row["currency"]): float(row["rate"]) for row in wording.rows_of(total.get("rates"))}
    base = str(total.get("currency") or stops[0].position.get("currency"))
    lines, sums, known = [], [0.0, 0.0], True
    for stop in stops:
        each, currency = stop.position, str(stop.position.get("currency"))
        price, shares = float(each["current_price"]), float(each["size"])
        sold = min(price, stop.level)
        rate = 1.0 if currency == base else rates.get(currency)
        known = known and rate is not None
        for at, worth in enumerate((sold * shares - price * shares, sold * shares - float(each["cost"]))):
            sums[at] += worth * (rate or 0.0)
        given: Json = {
            "name": name_position(desk, stop.code, each), "level": number(stop.level, "price", speak),
            "price": number(price, "price", speak),
            "change": wording.say_exact(desk, (sold - price) * shares, signed=True, currency=currency),
            "result": wording.say_exact(desk, sold * shares - float(each["cost"]), signed=True, currency=currency),
            "whose": speak("your note") if stop.noted else speak("your rule"),
        }  # fmt: skip
        lines.append(
            speak("- {name}: already below its stop of {level} ({whose}); sold at {price}: {result} against the cost",
                  **given) if price <= stop.level
            else speak("- {name}: {price} to {level} ({whose}): **{change}**; {result} against the cost", **given)
        )  # fmt: skip
    mark = wording.simulated_mark(desk, status.get("simulated"))
    if not known:
        return reply_of_lines(*lines[:_MOST])
    return reply_of_lines(
        speak("**{change}** from today's worth if every stop is hit; against what the shares cost that is **{result}**."
              "{mark}", mark=mark, change=wording.say_exact(desk, sums[0], signed=True, currency=base),
              result=wording.say_exact(desk, sums[1], signed=True, currency=base)),
        *lines[:_MOST],
        speak("Fees of selling, and falls through a stop, are not counted."),
    )  # fmt: skip


_WITHIN = pattern(rf"(?P<n>{COUNT})\s*(?P<pct>%|％|per ?cent|个?百?分?点)(?P<tenth>)|(?P<m>{COUNT})成", re.I)


def answer_stop_within(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which positions are less than so many per cent above their stop, or below it."""
    speak, words = desk.speak, strip_mentions(asked.words)
    found = _WITHIN.search(words)
    size = None if found is None else parse_count((found["n"] or found["m"]).casefold())
    if found is None or size is None:
        return reply_of_lines(speak("By how many per cent, or to which price?"))
    bound = size * 10 if found["m"] else size
    rest = words[: found.start()] + " " + words[found.end() :]
    if unread := condition_words(_NEARER.sub(" ", rest)):
        return wording.ask_back(desk, tuple(unread))
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    stops = yield from _load_stops(desk, held)
    given: Json = {"bound": f"{bound:g}", "mark": wording.simulated_mark(desk, status.get("simulated"))}
    near = [stop for stop in stops if 0 < stop.away < bound]
    below = [stop for stop in stops if stop.away <= 0]

    def say(stop: _Stop) -> str:
        return speak("{name} ({away} from {level})", name=name_position(desk, stop.code, stop.position),
                     away=wording.say_percent(stop.away), level=number(stop.level, "price", speak))  # fmt: skip

    names = speak.join_clauses([say(stop) for stop in near])
    lines = [
        speak("**Less than {bound}% above their stop**: {names}.{mark}", names=names, **given) if near
        else speak("**None** is less than {bound}% above its stop.{mark}", **given)
    ]  # fmt: skip
    if not near and (next_ := [stop for stop in stops if stop.away >= bound]):
        lines.append(speak("Nearest: {name}.", name=say(next_[0])))
    if below:
        lines.append(speak("Already below it: {names}.", names=speak.join_clauses([say(stop) for stop in below])))
    return reply_of_lines(*lines)


_NEARER = pattern(
    r"不到|不足|以内|之内|小于|低于|少于|\b(?:less|fewer) than\b|\b(?:within|under|below|above|at most|over|of)\b", re.I
)

ANSWERS = {"stops_hit": answer_stops_hit, "stop_within": answer_stop_within}
