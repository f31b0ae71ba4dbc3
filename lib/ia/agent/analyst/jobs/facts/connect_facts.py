"""Days on which Stock Connect between the mainland and Hong Kong trades."""

import re
from datetime import date, timedelta

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.coming_days import PLACES, coming_day
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.patterns import pattern


def answer_connect(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether Stock Connect trades on a day: where the mainland and Hong Kong both do (since 2023-04-24)."""
    speak, today = desk.speak, date.fromisoformat(desk.request.day)
    span = asked.spans[0] if asked.spans else None
    if span is not None and (span.first is None or span.first != span.last):
        return wording.ask_back(desk, (span.said,))
    if span is None and _WHEN_SHUT.search(asked.words):
        return (yield from _list_connect_shut(desk, today))
    day = coming_day(span, today) if span is not None else today
    if f"{day}" < _CONNECT_SINCE:
        return reply_of_lines(speak("Its days before {day} are not known here.", day=_CONNECT_SINCE))
    found = yield from desk.run(
        *(DeskCall("calendar.trading", {"date": f"{day}", "market": market, "n": 10}) for market in ("CN", "HK"))
    )
    if failed := next((each.failure for each in found if each.failure is not None), None):
        return wording.unreadable(desk, speak("the calendar"), failed)
    open_ = [each.get("is_trading_day") for each in found]
    closed = [speak(PLACES[m]) for m, trades in zip(("CN", "HK"), open_, strict=True) if trades is False]
    if closed:
        told = speak("**Stock Connect does not trade on {day}**: no trading day in {places}.", day=day,
                     places=speak.join_items(closed))  # fmt: skip
    elif None in open_:
        told = speak("Whether {date} is a trading day is not known: known until {until}.", date=day,
                     until=min(str(each.get("known_until")) for each in found))  # fmt: skip
    else:
        told = speak("**Stock Connect trades on {day}**: mainland and Hong Kong are both open.", day=day)
    both = [each for each in wording.names_of(found[0].get("next")) if each in wording.names_of(found[1].get("next"))]
    after = [speak("The next days: {days}.", days=speak.join_items(both[:3]))] if both else []
    return reply_of_lines(told, *after, speak("The exchanges' own calendar decides where theirs differs."))


_WHEN_SHUT = pattern(
    r"(?:什么时候|啥时候|哪几?天|何时|几[天号])[^，,。]{0,4}(?:关|休|停|不[开交])|(?:关|休市?|停)(?:几|哪)[几天]"
    r"|\bwhen\b.{0,30}\b(?:closed?|shut)\b",
    re.I,
)
_AHEAD = 30
"""Sessions that are looked through for days without trading."""


def _list_connect_shut(desk: ToolDesk, today: date) -> Work[Reply]:
    """Answer on which coming weekdays Stock Connect does not trade."""
    speak = desk.speak
    found = yield from desk.run(
        *(DeskCall("calendar.trading", {"date": f"{today}", "market": each, "n": _AHEAD}) for each in ("CN", "HK"))
    )
    if failed := next((each.failure for each in found if each.failure is not None), None):
        return wording.unreadable(desk, speak("the calendar"), failed)
    known = [set(wording.names_of(each.get("next"))) for each in found]
    last = date.fromisoformat(min(max(each, default=f"{today}") for each in known))
    days = [today + timedelta(days=at) for at in range(1, (last - today).days + 1)]
    shut = [f"{day}" for day in days if day.weekday() < _SATURDAY and not all(f"{day}" in each for each in known)]
    told = (
        speak("**Stock Connect does not trade on {days}**, besides weekends (until {last}).",
              days=speak.join_items(shut), last=last)
        if shut
        else speak("**Stock Connect trades on every weekday** until {last}.", last=last)
    )  # fmt: skip
    return reply_of_lines(told, speak("The exchanges' own calendar decides where theirs differs."))


_SATURDAY = 5
_CONNECT_SINCE = "2023-04-24"
"""Since then Stock Connect trades on all days on which both markets do."""
