"""How the price alerts stand: how far each is from coming true, which is closest, and when it told something."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.alert_words import compare_parts
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import TimeSpan
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 8
PRICES = {"open": 1, "high": 2, "low": 3, "close": 4}
"""What a condition may compare that is a price, and its cell of a bar."""


class AlertStand(NamedTuple):
    """An alert with how it stands on the newest bar.

    holds   None where that is not known; day: of the bar
    value   of what it compares with `level`; None for a condition of another form
    gap     how far the value has to move, in per cent of it for a price; None where no distance can be told
    shifted an ex-date since it was approved moves its prices
    """

    row: Json
    day: str = ""
    holds: bool | None = None
    value: float | None = None
    level: float | None = None
    gap: float | None = None
    shifted: bool = False
    simulated: bool = False

    @property
    def compares_price(self) -> bool:
        parts = compare_parts(str(self.row["condition"]))
        return parts is not None and parts[0] in PRICES


def answer_alert_state(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how the alerts stand that are meant: all of them, or those of the securities that are named."""
    speak = desk.speak
    result = yield from desk.one("alert.list")
    if result.failure is not None:
        return wording.unreadable(desk, speak("the alerts"), result.failure)
    field = asked.facts[0].field
    if asked.spans and wording.other_day(asked, desk.request.day) and not (field == "last" and _is_stretch(asked)):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    rows, named = wording.rows_of(result, "alerts"), {mention.code for mention in asked.securities}
    if not rows:
        return reply_of_lines(speak("There are no alerts yet; say for example “tell me when CATL falls below 80”."))
    meant = [row for row in rows if not named or row["symbol"] in named]
    if not meant:
        name = speak.join_items([wording.head_of(desk, mention) for mention in asked.securities])
        return reply_of_lines(
            speak(
                "{name}: no alert is set; there are {count} for others (`ia alert list`).", name=name, count=len(rows)
            )
        )
    if field == "since":
        return reply_of_lines(*(_say_since(desk, row) for row in meant[:SHOWN]))
    if field == "last" and _is_stretch(asked):
        return (yield from _answer_within(desk, asked.spans[0], meant[:SHOWN]))
    stands = []
    for row in meant:
        stands.append((yield from _look_at(desk, row)))
    mark = wording.simulated_mark(desk, any(each.simulated for each in stands))
    if field == "closest":
        return _say_closest(desk, stands, mark)
    if field == "last":
        stands.sort(key=lambda each: str(each.row.get("crossed") or ""), reverse=True)
        lines = [_say_last(desk, each) for each in stands]
    else:
        lines = [_say_stand(desk, each) for each in stands]
    if not lines[1:]:
        return reply_of_lines(lines[0] + mark, *_shift_notes(desk, stands))
    more = [speak("… {count} more: `ia alert list`", count=len(lines) - SHOWN)] if len(lines) > SHOWN else []
    head = speak("{count} alerts:{mark}", count=len(lines), mark=mark)
    if part := name_asked_part(desk, asked.words, [{**each.row, "holds": each.holds} for each in stands]):
        head = part + mark
    return reply_of_lines(head, *(f"- {line}" for line in lines[:SHOWN]), *more, *_shift_notes(desk, stands))


_WHICH = pattern(r"哪|\b(?:which|what)\b", re.I)
_NOT = pattern(r"没|未|不|\b(?:not|never|without)\b|n't\b", re.I)
_TRUE = pattern(r"触发|成立|满足|\b(?:triggered|true|met|fired|went off|gone off)\b", re.I)
_WAITING = pattern(r"等.{0,3}批|待批|待审|\b(?:waiting|wait|pending|unapproved|proposed)\b", re.I)
_APPROVED = pattern(r"生效|批准|启用|\b(?:active|approved|live|enabled|in force)\b", re.I)


def name_asked_part(desk: ToolDesk, words: str, rows: list[Json]) -> str:
    """Return which of the alerts are true, approved or waiting, where a question asks for those; "" for another.

    rows   of the alerts, with whether each is true as `holds`
    """
    speak = desk.speak
    if not _WHICH.search(words):
        return ""
    approved = [row for row in rows if row["state"] == "approved"]
    waiting = [row for row in rows if row["state"] in ("proposed", "unapproved")]
    if _WAITING.search(words) or (_NOT.search(words) and _APPROVED.search(words)):
        what, meant = speak("Waiting for your approval"), waiting
    elif _NOT.search(words):
        return ""
    elif _TRUE.search(words):
        what, meant = speak("True now"), [row for row in approved if row.get("holds")]
    elif _APPROVED.search(words):
        what, meant = speak("In force"), approved
    else:
        return ""
    names = [wording.name_alone(desk, str(row["symbol"]), row.get("security")) for row in meant]
    return speak("**{what}: {names}** ({count} of {all} alerts).", what=what, count=len(meant), all=len(rows),
                 names=speak.join_items(names) if names else speak("none"))  # fmt: skip


def _look_at(desk: ToolDesk, row: Json) -> Work[AlertStand]:
    """Return how an alert stands on the newest bar, by its own condition."""
    symbol, condition = str(row["symbol"]), str(row["condition"])
    found = compare_parts(condition)
    calls = [
        DeskCall("market.ohlcv", {"symbol": symbol, "tail": 1, "adjust": "none"}),
        DeskCall("market.actions", {"symbol": symbol}),
    ]
    if found is None or found[0] not in PRICES:
        code = found[0] if found else condition
        calls.append(DeskCall("compute.run", {"code": code, "symbol": symbol}))
    bars, actions, *computed = yield from desk.run(*calls)
    cells = wording.bars_of(bars)
    if not cells:
        return AlertStand(row, str(row.get("session") or ""), row.get("holds"))
    day, simulated = cells[-1][0], bool(bars.get("simulated"))
    since = str(row.get("since") or day)
    shifted = any(since <= str(each.get("date") or "") <= day for each in wording.rows_of(actions, "actions"))
    looked = row.get("holds") if row.get("session") == day else None
    base = AlertStand(row, day, looked, shifted=shifted, simulated=simulated)
    if computed and computed[0].failure is not None:
        return base
    if found is None:
        told = computed[0].get("value")
        return base._replace(holds=looked if looked is not None else told if isinstance(told, bool) else None)
    value = float(cells[-1][PRICES[found[0]]]) if not computed else wording.figure_of(computed[0].value, "value")
    if value is None or shifted:
        return base._replace(value=None if shifted else value)
    level = found[2]
    holds = {"<": value < level, "<=": value <= level, ">": value > level, ">=": value >= level}[found[1]]
    gap = level - value if computed else (level / value - 1) * 100 if value else None
    return base._replace(holds=looked if looked is not None else holds, value=value, level=level, gap=gap)


def _say_stand(desk: ToolDesk, stand: AlertStand) -> str:
    """Return how far an alert is from coming true, whether it is true, and whether it looks at all."""
    speak = desk.speak
    parts = [_say_distance(desk, stand)]
    if stand.row["state"] != "approved":
        parts.append(_say_state(desk, stand.row))
    elif stand.row.get("crossed"):
        parts.append(speak("last told {day}", day=stand.row["crossed"]))
    else:
        parts.append(speak("nothing told yet"))
    return _head(desk, stand) + speak.join_clauses(parts)


def _head(desk: ToolDesk, stand: AlertStand) -> str:
    name = wording.name_alone(desk, str(stand.row["symbol"]), stand.row.get("security"))
    return f"**{name}** `{stand.row['condition']}`{desk.speak(': ')}"


def _say_state(desk: ToolDesk, row: Json) -> str:
    speak = desk.speak
    if row["state"] in ("proposed", "unapproved"):
        return speak("not looking yet: it waits for your approval (`ia task approve {name}`)", name=row["name"])
    return speak("not looking: {state}", state=speak(str(row["state"])))


def _is_stretch(asked: FactQuestion) -> bool:
    """Return True if a question names one stretch of days that has been, or one day."""
    return len(asked.spans) == 1 and asked.spans[0].first is not None and asked.spans[0].last is not None


def _answer_within(desk: ToolDesk, span: TimeSpan, rows: list[Json]) -> Work[Reply]:
    """Answer on which days of a stretch some alerts told something; what is true by now comes first."""
    lines, simulated = [], False
    for row in rows:
        told = _say_within(desk, span, row)
        session = str(row.get("session") or "")
        if row["state"] == "approved" and row.get("holds") and f"{span.first}" <= session <= f"{span.last}":
            stand = yield from _look_at(desk, row)
            simulated = simulated or stand.simulated
            told = _head(desk, stand) + desk.speak.join_clauses([_say_distance(desk, stand), told])
        else:
            told = _head(desk, AlertStand(row)) + told
        lines.append(told)
    lines[0] += wording.simulated_mark(desk, simulated)
    return reply_of_lines(*lines)


def _say_within(desk: ToolDesk, span: TimeSpan, row: Json) -> str:
    """Return on which days of a stretch an alert told something, without its name."""
    speak = desk.speak
    if row["state"] != "approved":
        return _say_state(desk, row)
    days = [day for day in wording.names_of(row.get("crossings")) if f"{span.first}" <= day[:10] <= f"{span.last}"]
    given: Json = {"first": span.first, "last": span.last, "since": row.get("since") or "–"}
    if not days:
        return speak("it told nothing from {first} to {last}; it looks since {since}", **given)
    return speak("it told on **{days}** ({first} to {last})", days=speak.join_items(days), **given)


def _say_since(desk: ToolDesk, row: Json) -> str:
    """Return since which day an alert looks, which is when it was approved."""
    head = _head(desk, AlertStand(row))
    if row["state"] != "approved" or not row.get("since"):
        return head + _say_state(desk, row)
    return head + desk.speak("approved on **{day}**", day=row["since"])


def _say_distance(desk: ToolDesk, stand: AlertStand) -> str:
    """Return whether an alert is true, and how far it is from that where it is not."""
    speak = desk.speak
    day = stand.day
    if stand.holds is None:
        return speak("whether it is true is not known")
    if stand.value is None or stand.level is None:
        return speak("**true** on {day}" if stand.holds else "**not true** on {day}", day=day)
    value = f"{stand.value:.10g}" if stand.compares_price else f"{stand.value:.4g}"
    if stand.holds and stand.compares_price and stand.level:
        past = wording.say_percent((stand.value / stand.level - 1) * 100)
        return speak("**true** on {day} ({value}, {past} from {level})", day=day, value=value, past=past,
                     level=f"{stand.level:g}")  # fmt: skip
    if stand.holds:
        return speak("**true** on {day} ({value})", day=day, value=value)
    move = f"{stand.level - stand.value:+,.2f}"
    if not stand.compares_price:
        return speak("**not true** on {day} ({value}): {move} to go", day=day, value=value, move=move)
    gap = wording.say_percent(stand.gap)
    return speak("**not true** on {day} ({value}): {move} to go, **{gap}**", day=day, value=value, move=move, gap=gap)


def _say_last(desk: ToolDesk, stand: AlertStand) -> str:
    """Return when an alert told something, and how it stands."""
    speak, row = desk.speak, stand.row
    crossed = wording.names_of(row.get("crossings"))
    if row["state"] in ("proposed", "unapproved"):
        told = _say_state(desk, row)
    elif crossed:
        told = speak("last told **{day}** ({count} times in all)", day=crossed[-1], count=len(crossed))
    else:
        told = speak("**never** told anything since {day}", day=row.get("since") or "–")
    return _head(desk, stand) + speak.join_clauses([told, _say_distance(desk, stand)])


def _say_closest(desk: ToolDesk, stands: list[AlertStand], mark: str) -> Reply:
    """Return which of the alerts that look is closest to coming true, by the move of the price that it takes."""
    speak = desk.speak
    ranked = sorted(filter(_may_come_true, stands), key=lambda each: abs(each.gap or 0))[: SHOWN - 2]
    rest = [each for each in stands if each not in ranked]
    if ranked:
        lines = [speak("Closest: {alert}", alert=_say_stand(desk, ranked[0])) + mark]
        lines += [f"- {_say_stand(desk, each)}" for each in ranked[1:]]
    else:
        lines = [speak("No approved alert on a price is still to come true.") + mark]
    if rest:
        lines.append(speak("Not in this order (true already, not approved, or not about a price):"))
        lines += [f"- {_say_stand(desk, each)}" for each in rest[: SHOWN - len(ranked)]]
    return reply_of_lines(*lines, *_shift_notes(desk, stands))


def _may_come_true(stand: AlertStand) -> bool:
    return stand.row["state"] == "approved" and stand.compares_price and stand.gap is not None and stand.holds is False


def _shift_notes(desk: ToolDesk, stands: list[AlertStand]) -> list[str]:
    """Return that an ex-date moves the price of an alert, whose distance is therefore not told."""
    names = [wording.name_alone(desk, str(each.row["symbol"]), each.row.get("security")) for each in stands
             if each.shifted]  # fmt: skip
    if not names:
        return []
    return [
        desk.speak(
            "{names}: an ex-date since the approval; the alert counts in the prices of that day, so no distance is"
            " told.",
            names=desk.speak.join_items(names),
        )
    ]
