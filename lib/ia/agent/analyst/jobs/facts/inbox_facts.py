"""Facts of what is said to the owner: unread messages, and the price alerts that are set."""

import re
from dataclasses import replace

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import DAY, TimeSpan
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.alert_facts import name_asked_part
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 6
LOOKED_AT = 30
"""Messages among which one is looked for by its number."""


def answer_inbox(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which messages are unread, which alerts are set, or what they told."""
    if asked.facts[0].field == "day":
        return (yield from _answer_day(desk, asked))
    if asked.facts[0].field == "alerts":
        return (yield from _answer_alerts(desk, asked))
    if asked.facts[0].field == "said":
        return (yield from _answer_said(desk, asked))
    if asked.facts[0].field == "reminders":
        return (yield from _answer_reminders(desk, asked))
    if asked.facts[0].field == "message":
        return (yield from _answer_message(desk, asked))
    speak = desk.speak
    dated = [span for span in asked.spans if span.first is not None and span.last is not None]
    result = yield from desk.one("messaging.inbox", limit=LOOKED_AT if dated else SHOWN)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the messages"), result.failure)
    rows, count = wording.rows_of(result, "messages"), int(str(result.get("unread") or 0))
    if dated:
        rows = [row for row in rows if f"{dated[0].first}" <= str(row["time"])[:10] <= f"{dated[0].last}"]
        rows, count = rows[:SHOWN], len(rows)
    if not rows:
        return reply_of_lines(speak("There are no unread messages; `ia inbox --all` lists the older ones."))
    head = speak(PluralText("**{count} unread message**:", "**{count} unread messages**:"), count=count)
    lines = [head, *(_say_message(desk, row) for row in rows)]
    if count > len(rows):
        lines.append(speak("`ia inbox` lists all of them."))
    return reply_of_lines(*lines, speak("`ia inbox show {number}` shows one whole.", number=rows[0]["message"]))


def _answer_day(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the day has: whether there is trading, its dates, unread messages, and alerts that are true."""
    from ia.agent.analyst.jobs import belief_lines
    from ia.agent.analyst.jobs.facts import calendar_facts, date_facts, task_facts

    speak, spans = desk.speak, tuple(span for span in asked.spans if span.first is not None)
    today = desk.request.moment.date()
    span = spans[0] if spans else TimeSpan(kind=DAY, said="", at=(0, 0), first=today, last=today)
    trading = yield from calendar_facts.answer_calendar(desk, replace(asked, words="", spans=(span,)))
    dates = yield from date_facts.answer_dates(desk, replace(asked, words="", spans=(span,)))
    inbox = yield from answer_inbox(desk, replace(asked, facts=(asked.facts[0]._replace(field=""),), spans=()))
    due: list[str] = []
    if span.first is not None and span.last is not None and span.last >= today:
        due = yield from task_facts.due_lines(desk, span.first, span.last)
    alerts, beliefs = yield from desk.run(DeskCall("alert.list", {}), belief_lines.beliefs_call())
    told = [row for row in wording.rows_of(alerts, "alerts") if row.get("holds")] if alerts.failure is None else []
    broken = (yield from _broken_rules(desk)) if not spans or span.last is None or span.last >= today else []
    return reply_of_lines(
        *broken, *trading.lines[:1], *due, *dates.lines, *inbox.lines[: SHOWN + 1],
        *(_say_alert(desk, row) for row in told[:SHOWN]),
        *belief_lines.due_line(desk, beliefs),
        speak("More: `ia inbox`, `ia calendar`, `ia alert list`, `ia news`."),
    )  # fmt: skip


def _broken_rules(desk: ToolDesk) -> Work[list[str]]:
    """Return the owner's rules that are broken now, a stop that is reached first; [] for none."""
    from ia.agent.analyst.jobs import daily

    status = yield from desk.one("account.status")
    held = daily.positions_of(status) if status.ok else []
    limit = desk.request.limits.get("position_pct")
    over = limit is not None and any((each.get("limit_weight_pct") or 0) > limit for _, each in held)
    if not held or not (status.get("warnings") or over):
        return []
    broken = daily.broken_rules(desk, status, held)
    return [desk.speak("**Broken rules of yours:**"), *(f"- {each}" for each in broken)]


def _say_message(desk: ToolDesk, row: Json) -> str:
    speak, time = desk.speak, str(row["time"])[:16].replace("T", " ")
    if row.get("from_outside"):
        return "- " + speak("{number} ({time}): quotes text from outside", number=row["message"], time=time)
    text = str(row.get("text") or "").split("\n")[0]
    said = f"{row['title']}: {text}" if row.get("title") else text
    return f"- {row['message']} ({time}) {said}"


def _answer_said(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which alerts came true, of all time with the newest messages, or in a stretch of time with their days."""
    speak = desk.speak
    if len(asked.spans) > 1:
        return wording.ask_back(desk, (asked.spans[1].said,))
    result, inbox = yield from desk.run(
        DeskCall("alert.list", {}), DeskCall("messaging.inbox", {"unread": False, "limit": SHOWN})
    )
    if result.failure is not None:
        return wording.unreadable(desk, speak("the alerts"), result.failure)
    rows, messages = wording.rows_of(result, "alerts"), wording.rows_of(inbox, "messages")
    codes = {mention.code for mention in asked.securities}
    rows = [row for row in rows if not codes or row["symbol"] in codes]
    if asked.spans and rows:
        approved = [row for row in rows if row["state"] == "approved" or row["crossings"]]
        return (yield from _answer_told_in(desk, asked.spans[0], approved))
    told = [row for row in rows if row.get("crossed")]
    if not rows and not messages:
        return reply_of_lines(speak("There are no alerts yet; say for example “tell me when CATL falls below 80”."))
    head = speak("**{count} of {all}** alerts came true so far.", count=len(told), all=len(rows))
    now = [row for row in rows if row.get("holds") and not row.get("crossed")]  # true, and nobody was told of it yet
    lines = [head, *(_say_alert(desk, row) for row in told[: SHOWN * 2])]
    if now:
        lines += [
            speak("True by the newest prices, and not told yet:"),
            *(_say_alert(desk, row) for row in now[:SHOWN]),
        ]
    if messages:
        lines += [speak("The newest messages:"), *(_say_message(desk, row) for row in messages)]
        lines.append(speak("`ia inbox show {number}` shows one whole.", number=messages[0]["message"]))
    return reply_of_lines(*lines)


def _answer_told_in(desk: ToolDesk, span: TimeSpan, rows: list[Json]) -> Work[Reply]:
    """Answer which alerts came true in a stretch of time, each with its days."""
    from ia.agent.analyst.jobs.facts import result_facts

    speak = desk.speak
    days = yield from result_facts.read_account_days(desk, span)
    if days is None:
        return wording.ask_back(desk, (span.said,))
    told = []
    for row in rows:
        own = [day for day in row["crossings"] if f"{days.first}" <= day <= f"{days.last}"]
        if own:
            name = wording.name_alone(desk, str(row["symbol"]), row.get("security"))
            told.append(f"- **{name}** `{row['condition']}`{speak(': ')}{speak.join_items(own)}")
    now = [row for row in rows if _holds_untold(row, f"{days.first}", f"{days.last}")]
    untold = [speak("True by the newest prices, and not told yet:"), *(_say_alert(desk, row) for row in now)]
    if not told and now:
        return reply_of_lines(*untold)
    if not told:
        return reply_of_lines(speak("No alert came true ({days}).", days=days.label))
    head = speak("**{count} of {all}** alerts came true ({days}):", count=len(told), all=len(rows), days=days.label)
    return reply_of_lines(head, *told, *(untold if now else []))


def _holds_untold(row: Json, first: str, last: str) -> bool:
    """Return True if an alert is true by the newest session, that lies within two days, and told nothing of it yet."""
    session = str(row.get("session") or "")
    return bool(row.get("holds")) and first <= session <= last and session not in row["crossings"]


def _answer_reminders(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which alerts are set and which reminders are planned: Chinese has one word for both."""
    from ia.agent.analyst.jobs.facts import task_facts

    speak = desk.speak
    alerts, listed = yield from desk.run(DeskCall("alert.list", {}), DeskCall("tasks.list", {}))
    rows = wording.rows_of(alerts, "alerts")
    own = {str(row["name"]) for row in rows}
    yield from desk.load_tables("facts_account")
    tasks = [task for task in wording.rows_of(listed, "tasks") if task["name"] not in own]
    meant, named = task_facts.find_meant(desk, asked.words, tasks) if tasks else ([], False)
    if _REMINDERS.search(asked.words):
        if not (named and meant):
            lines = [speak("There are no reminders yet; say for example “remind me tomorrow at 9 to read the report”.")]
        else:
            lines = task_facts.say_list(desk, meant, reminders=True)
        return reply_of_lines(*lines, *task_facts.say_alerts_apart(desk, rows))
    if not (named and meant):
        return (yield from _answer_alerts(desk, asked))
    reminders = task_facts.say_list(desk, meant)
    return reply_of_lines(*(_say_alerts(desk, rows) if rows else []), *reminders)


_REMINDERS = pattern(r"\breminders?\b", re.I)
"""English keeps reminders and alerts apart."""
_NUMBER = pattern(r"\d+")


def _answer_message(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with one message, by its number."""
    speak, number = desk.speak, (_NUMBER.findall(asked.words) or ["0"])[0]
    inbox = yield from desk.one("messaging.inbox", unread=False, limit=LOOKED_AT)
    if inbox.failure is not None:
        return wording.unreadable(desk, speak("the messages"), inbox.failure)
    row = next((row for row in wording.rows_of(inbox, "messages") if str(row["message"]) == number), None)
    if row is None or row.get("from_outside"):
        return reply_of_lines(speak("`ia inbox show {number}` shows one whole.", number=number))
    head = " ".join(filter(None, (str(row["time"])[:16].replace("T", " "), str(row.get("title") or ""))))
    lines = [f"**{row['message']}** ({head})", *str(row.get("text") or "").split("\n")]
    return reply_of_lines(
        *lines, speak("`ia inbox show {number}` shows it whole, and counts it as read.", number=number)
    )


def _answer_alerts(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which alerts are set; those of the securities that are named, where any are."""
    speak = desk.speak
    if other := wording.other_day(asked, desk.request.day):
        return wording.ask_back(desk, (other.said,))
    result, listed = yield from desk.run(DeskCall("alert.list", {}), DeskCall("tasks.list", {}))
    if result.failure is not None:
        return wording.unreadable(desk, speak("the alerts"), result.failure)
    coming = {str(task["name"]): task.get("next") for task in wording.rows_of(listed, "tasks")} if listed.ok else {}
    rows = [{**row, "next": coming.get(str(row["name"]))} for row in wording.rows_of(result, "alerts")]
    if not rows:
        return reply_of_lines(speak("There are no alerts yet; say for example “tell me when CATL falls below 80”."))
    if asked.securities:
        named = {mention.code for mention in asked.securities}
        others, rows = len(rows), [row for row in rows if str(row["symbol"]) in named]
        if not rows:
            name = speak.join_items([wording.head_of(desk, mention) for mention in asked.securities])
            return reply_of_lines(
                speak(
                    "{name}: no alert is set; there are {count} for others (`ia alert list`).", name=name, count=others
                )
            )
    head, *lines = _say_alerts(desk, rows)
    return reply_of_lines(name_asked_part(desk, desk.said, rows) or head, *lines)


def _say_alerts(desk: ToolDesk, rows: list[Json]) -> list[str]:
    head = desk.speak(PluralText("**{count} alert**:", "**{count} alerts**:"), count=len(rows))
    return [head, *(_say_alert(desk, row) for row in rows[: SHOWN * 2])]


def _say_alert(desk: ToolDesk, row: Json) -> str:
    speak = desk.speak
    name = wording.name_alone(desk, str(row["symbol"]), row.get("security"))
    said = f"- **{name}** `{row['condition']}`"
    if row["state"] in ("proposed", "unapproved"):
        return said + speak(": waits for your approval (`ia task approve {name}`)", name=row["name"])
    if row["state"] != "approved":
        return f"{said}: {speak(str(row['state']))}"
    told = [speak("in force")]
    if row.get("session") is not None:
        told.append(speak("true on {day}" if row.get("holds") else "not true on {day}", day=row["session"]))
    if row.get("crossed"):
        told.append(speak("last told {day}", day=row["crossed"]))
    if row.get("next"):
        told.append(speak("looked at next {time}", time=str(row["next"])[:16].replace("T", " ")))
    return said + speak(": ") + speak.join_items(told)
