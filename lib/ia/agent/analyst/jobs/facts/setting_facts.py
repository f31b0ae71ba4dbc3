"""Answers about settings: their values, where they were set, and what they are for."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.market_days import WEEKDAYS
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_ALL, _NAMED, _SPENT = "*", "@key", "@spent"
_OF_DAY = pattern(r"每[天日]|一天|当天|今[天日]|单日|\b(?:daily|today|(?:per|a|each|one|every) day)\b", re.I)
_OF_MONTH = pattern(r"每个?月|一个?月|当月|本月|这个?月|单月|\b(?:monthly|(?:per|a|each|one|every|this) month)\b", re.I)
"""Of which time a cap is."""
_CHOICE = pattern(r"平均|average", re.I)
"""One of the values of a setting, which is no figure to work out."""
_LONGEST = 10
"""Settings that an answer lists."""
_ORIGINS = {
    "default": mark_text("the default"),
    "config.yaml": mark_text("set in config.yaml"),
    "environment": mark_text("set in the environment"),
}


def answer_setting(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what is set. A time, a number or an exception in the question is nothing that a setting has."""
    timed = asked.facts[0].field[0] == "@" or "turn.max_cost_day" in asked.facts[0].field
    read = (_CHOICE, *((_OF_DAY, _OF_MONTH) if timed else ()))
    words = tuple(word for word in asked.unread if not any(form.fullmatch(word) for form in read))
    if unread := words or tuple(span.said for span in asked.spans if not timed):
        return wording.ask_back(desk, unread)
    found = yield from desk.one("settings.list")
    if found.failure is not None:
        return reply_of_lines(describe_failure(desk.speak, found.failure))
    field, rows = asked.facts[0].field, wording.rows_of(found, "settings")
    if field == _NAMED:
        named = asked.facts[0].words.search(asked.words)
        field = named[0].casefold() if named else ""
        if not any(_has_key(row, field) for row in rows):
            return reply_of_lines(
                desk.speak("There is no setting {key}; `ia config list` lists all of them.", key=f"`{field}`")
            )
    caps = {str(row.get("cap")): row for row in wording.rows_of(found, "caps")}
    if field == _SPENT:
        return reply_of_lines(*_say_spent(desk, asked.words, caps))
    if field.startswith("@"):
        return reply_of_lines(_say_workspace(desk, field, found))
    if field == _ALL:
        return _list_changed(desk, rows)
    wanted = field.split()
    chosen = [row for row in rows if any(_has_key(row, key) for key in wanted)]
    told = _choose_period([row for row in chosen if row.get("value")] or chosen[:1], asked.words)
    if [row.get("key") for row in told] == ["model"] and not told[0].get("value"):
        return reply_of_lines(
            desk.speak("No language model: I am the embedded analyst, ia-offline, and answer by rules."
                       " `ia config set model …` chooses a model.")
        )  # fmt: skip
    lines = [_say_setting(desk, row, caps.get(str(row.get("key")))) for row in told[:_LONGEST]]
    if len(lines) > 1:
        lines = [f"- {line}" for line in lines]
    return reply_of_lines(*lines, _say_how(desk, str(told[0].get("key")) if len(told) == 1 else "KEY"))


def _choose_period(rows: list[Json], words: str) -> list[Json]:
    """Return the caps of the time that a question names; all rows where it names none."""
    ends = [end for end, form in (("_day", _OF_DAY), ("_month", _OF_MONTH)) if form.search(words)]
    return [row for row in rows if str(row.get("key")).endswith(tuple(ends))] or rows if ends else rows


def _say_spent(desk: ToolDesk, words: str, caps: dict[str, Json]) -> list[str]:
    """Say what models have cost today and this month, against the caps."""
    speak, lines = desk.speak, []
    told = _choose_period(
        [{"key": name, **row} for name, row in caps.items() if name.startswith("turn.max_cost_")], words
    )
    for row in told:
        given = {
            "spent": wording.say_exact(desk, row.get("spent"), currency=str(row.get("unit"))),
            "limit": wording.say_exact(desk, row.get("limit"), currency=str(row.get("unit"))),
        }
        lines.append(
            speak("**{spent}** spent on models today, of at most {limit}.", **given)
            if str(row["key"]).endswith("_day")
            else speak("**{spent}** spent on models this month, of at most {limit}.", **given)
        )
    return [
        *lines,
        speak("`ia usage` prints calls, tokens and cost by day, month or model; the embedded analyst is free."),
    ]


def _has_key(row: Json, key: str) -> bool:
    name = str(row.get("key"))
    return name.startswith(key) if key.endswith(".") else name == key


def _list_changed(desk: ToolDesk, rows: list[Json]) -> Reply:
    """Say which settings differ from their defaults."""
    changed = [row for row in rows if row.get("origin") != "default"]
    head = desk.speak("Not at their defaults: **{count}** of {all} settings.", count=len(changed), all=len(rows))
    lines = [f"- {_say_setting(desk, row)}" for row in changed[:_LONGEST]]
    if not changed:
        head = desk.speak("**All settings have their defaults.**")
    return reply_of_lines(head, *lines, desk.speak("`ia config list` lists all of them."))


def _say_setting(desk: ToolDesk, row: Json, cap: Json | None = None) -> str:
    """Return a line for a setting; of a cap also its currency and what is spent of it."""
    value = str(row.get("value") or "")
    if cap is not None:
        value = wording.say_exact(desk, cap.get("limit"), currency=str(cap.get("unit")))
    origin = _ORIGINS.get(str(row.get("origin")), "")
    about = str(row.get("about") or "")
    told = desk.speak("{about} (`{key}`, {origin})", about=desk.speak(about) if about else "",
                      key=row.get("key"), origin=desk.speak(origin)).strip()  # fmt: skip
    if cap is not None and cap.get("spent") is not None:
        told += desk.speak("; {amount} of it spent", amount=wording.say_exact(desk, cap.get("spent")))
    return (f"**{value}**" if value else desk.speak("**not set**")) + desk.speak(": ") + told


def _say_how(desk: ToolDesk, key: str) -> str:
    return desk.speak("`ia config set {key} VALUE` changes it.", key=key)


def _say_workspace(desk: ToolDesk, field: str, found: DeskResult) -> str:
    """Say the profile, the version, the folder or the time."""
    speak = desk.speak
    if field == "@profile":
        name = str(found.get("profile") or "")
        if not name:
            return speak("**No profile** is in use; `ia profile list` shows those that there are.")
        return speak("**{name}** is the profile in use; `ia profile list` shows the others.", name=name)
    if field == "@version":
        return speak("ia **{version}**", version=found.get("version"))
    if field == "@folder":
        return speak(
            "**{folder}**: notes in notebook/, memory in memory/, tasks in tasks/, ledger and sessions in .ia/.",
            folder=found.get("folder"),
        )
    time = str(found.get("time"))
    line = speak("**{time}** (UTC{zone}), {weekday}", time=time[:16].replace("T", " "), zone=time[16:],
                 weekday=speak(WEEKDAYS[desk.request.moment.weekday()]))  # fmt: skip
    if found.get("simulated_time"):
        line += speak(", set by `--now`")
    return line


ANSWERS = {"setting": answer_setting}
