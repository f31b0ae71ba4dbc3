"""Facts of the owner's tasks: which there are, when they run next, how their runs ended, and why one did not run."""

import re
from dataclasses import replace
from datetime import date, datetime

from ia.agent.analyst.ask.clock_words import read_clocks
from ia.agent.analyst.ask.facts import FactQuestion, TaskKind, account_table
from ia.agent.analyst.ask.intent import text_terms
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.time_spans import FUTURE, RANGE, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import task_days, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel import clock
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 8
LISTED = 12
"""Tasks of a list, each with its next runs."""
_NAMED = 3
"""Waiting tasks that are named."""
_ALIVE = ("approved", "edited")
"""States of tasks that run."""
WAITING = ("proposed", "unapproved")
"""States of tasks that wait for the owner."""
_ENDED = ("done", "written")


def answer_tasks(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which tasks there are, when they run, how their runs ended, or why one did not run."""
    speak = desk.speak
    days = (
        task_days.coming_days(asked, desk.request.moment.date()) if asked.facts[0].field in ("next", "list") else None
    )
    until = f"{days[1]}" if days else ""
    result, listed = yield from desk.run(
        DeskCall("tasks.list", {"until": until} if until else {}), DeskCall("alert.list", {})
    )
    if result.failure is not None:
        return wording.unreadable(desk, speak("the tasks"), result.failure)
    tasks, alerts = _split_alerts(asked, wording.rows_of(result, "tasks"), listed)
    if days and not _TASKS_ALONE.search(asked.words):
        dates = yield from _answer_days(desk, asked, days)
    else:
        dates = []
    if not tasks and not dates and not alerts:
        return reply_of_lines(
            speak("There are no tasks yet."),
            speak("Say what is to be done when, such as “review my judgments every Friday after the close”."),
        )
    meant, named = _find_at(asked, tasks) or find_meant(
        desk, asked.words.replace(days[2], " ") if days else asked.words, tasks
    )
    resting = named and bool(meant) and not any(task["state"] in _ALIVE for task in meant)
    if asked.facts[0].field == "list" and _ALERTS.search(asked.words) and resting:
        meant = tasks  # 提醒 may be any task
    if named and not meant:
        return reply_of_lines(
            speak(
                "No task fits these words. The tasks are: {names}.",
                names=speak.join_items([str(task["name"]) for task in tasks[:SHOWN]]),
            )
        )
    match asked.facts[0].field:
        case "next" | "list" if days:
            lines = [*dates, *_say_agenda(desk, meant, days, alerts)]
        case "next":
            lines = _say_next(desk, meant)
        case "list" if resting and meant is not tasks:
            lines = _say_resting(desk, meant)
        case "said" if ran := _newest_results(desk, asked, meant, tasks):
            lines = yield from _say_found(desk, ran[:_NAMED])
        case "said" if not named and len(meant) > 1:
            names = speak.join_items([str(task["name"]) for task in tasks[:SHOWN]])
            lines = [speak("Which task do you mean? There are: {names}.", names=names)]
        case "said":
            lines = yield from _say_found(desk, meant[:SHOWN])
        case "failed":
            lines = _say_failed(desk, asked, meant)
        case "approved" | "does" as field:
            alive = meant if named else [task for task in tasks if task["state"] in _ALIVE]
            lines = yield from (_say_jobs if field == "does" else _say_approved)(desk, alive)
        case "ran" | "why":
            lines = _say_all_runs(desk, asked, meant, named=named)
        case _:
            lines = [*say_list(desk, meant), *say_alerts_apart(desk, alerts)]
    return reply_of_lines(*lines)


def _say_all_runs(desk: ToolDesk, asked: FactQuestion, meant: list[Json], *, named: bool) -> list[str]:
    """Return how the runs of some tasks ended; of all tasks only of those that have begun."""
    begun = [task for task in meant if named or task["state"] in _ALIVE or wording.rows_of(task, "runs")]
    lines = [_say_runs(desk, asked, task) for task in begun[:SHOWN]]
    return lines if lines or named else [desk.speak("No task runs yet: none is approved.")]


_ALERTS = pattern(r"提醒|预警|\balerts?\b|\balert-", re.I)
"""Words that may mean price alerts, which run as tasks of their own."""
_TASKS_ALONE = pattern(r"任务|提醒|跑|运行|执行|\b(?:tasks?|jobs?|reminders?|runs?|remind)\b", re.I)
"""Words of a question for tasks alone; others ask for the dates of companies, too."""


def _split_alerts(asked: FactQuestion, tasks: list[Json], listed: DeskResult) -> tuple[list[Json], list[Json]]:
    """Return the tasks that a question may mean, and the price alerts that it does not name; they are told apart."""
    if _ALERTS.search(asked.words) or asked.securities:
        return tasks, []
    own = {str(row["name"]) for row in wording.rows_of(listed, "alerts")} if listed.ok else set()
    return [row for row in tasks if row["name"] not in own], [row for row in tasks if row["name"] in own]


def say_alerts_apart(desk: ToolDesk, alerts: list[Json]) -> list[str]:
    """Return how many price alerts there are besides the tasks."""
    alive = [row for row in alerts if row["state"] in _ALIVE]
    if not alive:
        return []
    told = PluralText("Besides, {count} price alert: `ia alert list`", "Besides, {count} price alerts: `ia alert list`")
    return [desk.speak(told, count=len(alive))]


def _answer_days(desk: ToolDesk, asked: FactQuestion, days: tuple[date, date, str]) -> Work[list[str]]:
    """Return the dates of what is held and watched within some days."""
    from ia.agent.analyst.jobs.facts import date_facts

    span = TimeSpan(kind=FUTURE if days[0] == days[1] else RANGE, said=days[2], at=(0, 0), first=days[0], last=days[1])
    found = yield from date_facts.answer_dates(desk, replace(asked, words="", spans=(span,), unread=()))
    return found.lines


def _say_jobs(desk: ToolDesk, tasks: list[Json]) -> Work[list[str]]:
    """Return what each of some tasks does, and when."""
    lines = []
    for task in tasks[:_NAMED]:
        found = yield from desk.one("tasks.list", name=str(task["name"]))
        row = next(iter(wording.rows_of(found, "tasks")), task) if found.ok else task
        job = row.get("does") or row.get("prompt") or row.get("run") or "–"
        state = "" if task["state"] in _ALIVE else desk.speak(" ({told})", told=_say_state(desk, task))
        lines.append(f"**{task['name']}** ({row.get('when') or '–'}){desk.speak(': ')}{job}{state}")
    return lines


def answer_proposal(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a proposal that is named by its number is: its kind and file, and of a task what it does and when."""
    speak = desk.speak
    found = yield from desk.one("proposals.list")
    if found.failure is not None:
        return wording.unreadable(desk, speak("the proposals"), found.failure)
    said = _PROPOSAL.search(asked.words)
    number = next(filter(None, said.groups()), "") if said else ""
    rows = {str(row["proposal"]): row for row in wording.rows_of(found, "proposals")}
    row = rows.get(number)
    if row is None:
        known = speak.join_items(list(rows)) or "–"
        return reply_of_lines(
            speak("No proposal {number} waits for you; there are: {names}.", number=number, names=known)
        )
    made = datetime.fromisoformat(str(row["time"]).replace("Z", "+00:00")).astimezone(desk.request.moment.tzinfo)
    lines = [
        speak("**Proposal {number}**: {kind} `{path}`, made {time}", number=number, path=row["path"],
              kind=wording.say_proposed(desk, row), time=f"{made:%Y-%m-%d %H:%M}")
    ]  # fmt: skip
    if row["kind"] == "task":
        task = {"name": str(row["path"]).removeprefix("tasks/").removesuffix(".md"), "state": _ALIVE[0]}
        lines += yield from _say_jobs(desk, [task])
    how = speak("`ia pending {number}` shows it whole, `ia approve {number}` carries it out.", number=number)
    return reply_of_lines(*lines, how)


_PROPOSAL = pattern(r"(?:proposal|提案)\D{0,8}(\d+)|(\d+)\s*号?(?:提案|待批)|第\s*(\d+)\s*[项个号条]", re.I)


def _say_approved(desk: ToolDesk, tasks: list[Json]) -> Work[list[str]]:
    """Return when each of some tasks was approved."""
    speak, lines = desk.speak, list[str]()
    for task in tasks[:SHOWN]:
        found = yield from desk.one("tasks.list", name=str(task["name"]))
        rows = wording.rows_of(found, "tasks") if found.ok else []
        approved = rows[0].get("approved") if rows else None
        if approved and task["state"] not in WAITING:
            lines.append(speak("**{name}** was approved at {time}.", name=task["name"], time=_say_time(str(approved))))
        else:
            lines.append(speak("{name}: {told}", name=task["name"], told=_say_state(desk, task)))
    return lines or [speak("No task runs yet: none is approved.")]


def _find_at(asked: FactQuestion, tasks: list[Json]) -> tuple[list[Json], bool] | None:
    """Return the tasks of a time of the day whose work a question asks for; None where it names none."""
    times = read_clocks(asked.words) if asked.facts[0].field == "does" else []
    return ([task for task in tasks if any(each in str(task.get("when")) for each in times)], True) if times else None


def find_meant(desk: ToolDesk, words: str, tasks: list[Json]) -> tuple[list[Json], bool]:
    """Return the tasks that words mean, and whether they name any; without a name all of them.

    Securities that are named decide; where other words do (northbound), those of the tasks that have most of them.
    """
    low = words.casefold()
    if exact := [task for task in tasks if str(task["name"]).casefold() in low]:
        return exact, True
    kinds = [kind for kind in account_table(desk.tables).task_kinds if kind.words.search(words)]
    if named := {mention.code for mention in find_mentions(words)}:
        about = [task for task in tasks if named & {mention.code for mention in find_mentions(_about(task))}]
        return about, True
    if not kinds:
        shared = _closest(words, tasks)
        return shared, len(shared) < len(tasks)
    scores = [sum(_score(task, kind) for kind in kinds) for task in tasks]
    for kind in kinds:
        words = kind.words.sub(" ", words)
    best, shared = max(scores), _closest(words, tasks)
    fitting = [task for task, score in zip(tasks, scores, strict=True) if best and score == best]
    if len(shared) < len(tasks) and not any(task in shared for task in fitting):
        return shared, True
    return _closest(words, fitting), True


def _score(task: Json, kind: TaskKind) -> int:
    """Return how well a task fits a way to name tasks: by its name, by what it does, or by its hours."""
    if kind.tasks.search(str(task["name"])):
        return 3
    if kind.tasks.search(_about(task)):
        return 2
    return 1 if _runs_in_hours(task, kind.hours) else 0


def _about(task: Json) -> str:
    return f"{task['name']} {task.get('does') or ''}"


_GENERIC = pattern(
    r"今[天日晚]|明天|昨天|[本这上下]个?[周月]|每[天日周月]|交易日|任务|提醒|告诉|看看"
    r"|\b(?:today|tomorrow|yesterday|this|next|last|week(?:ly)?|month(?:ly)?|daily|every|trading|days?|tasks?|remind\w*"
    r"|show|tell|send|about|runs?)\b",
    re.I,
)
"""Words of a question and of a task that tell no task from another."""


def _closest(words: str, tasks: list[Json]) -> list[Json]:
    """Return the tasks that share most words with a text; all where none shares any."""
    terms = text_terms(_GENERIC.sub(" ", words))
    shared = [len(terms & text_terms(_about(task))) for task in tasks]
    best = max(shared, default=0)
    return [task for task, count in zip(tasks, shared, strict=True) if count == best]


def _runs_in_hours(task: Json, hours: range) -> bool:
    stamps = [task.get("next"), *(run.get("slot") for run in wording.rows_of(task, "runs")[:1])]
    times = [_parse_time(stamp) for stamp in stamps]
    return any(time is not None and time.hour in hours for time in times)


def say_list(desk: ToolDesk, tasks: list[Json], *, reminders: bool = False) -> list[str]:
    """Return the tasks that run, and those that wait for the owner; `reminders`: all of them are."""
    speak = desk.speak
    waiting = [task for task in tasks if task["state"] in WAITING]
    others = [task for task in tasks if task not in waiting]
    lines = []
    if others:
        head = (
            PluralText("**{count} reminder**:", "**{count} reminders**:")
            if reminders
            else PluralText("**{count} task**:", "**{count} tasks**:")
        )
        lines.append(speak(head, count=len(others)))
        lines += [f"- {_say_task(desk, task)}" for task in others[:LISTED]]
        if len(others) > LISTED:
            lines.append(speak("… {count} more: `ia task list`", count=len(others) - LISTED))
    elif waiting:
        lines.append(speak("No task runs yet: none is approved."))
    if waiting:
        lines.append(speak("Waiting for your approval: {names}.", names=speak.join_items(_say_waiting(waiting))))
        if len(waiting) > MOST_WAITING:
            lines.append(speak("… {count} more: `ia pending`", count=len(waiting) - MOST_WAITING))
    return lines


MOST_WAITING = 10
"""Tasks that wait for the owner, of which each is named."""


def _say_waiting(tasks: list[Json]) -> list[str]:
    return [
        f"{task['name']} (`ia task approve {task.get('proposal') or task['name']}`)" for task in tasks[:MOST_WAITING]
    ]


def _say_task(desk: ToolDesk, task: Json) -> str:
    """Return a task in a line: its next run, and whether its last run ended well; else when it would run."""
    speak, runs = desk.speak, wording.rows_of(task, "runs")
    told = [_say_state(desk, task)] if task["state"] not in _ALIVE else []
    if not told and task.get("next"):
        told.append(speak("next {time}", time=_say_time(task["next"])))
    elif not told:
        told.append(str(task.get("when") or task.get("problem") or ""))
    if runs and runs[0]["state"] in _ENDED:
        told.append(speak("last {time} succeeded", time=_say_slot(runs[0])))
    elif runs:
        told.append(speak("last run {time}: {result}", time=_say_slot(runs[0]), result=_say_result(desk, runs[0])))
    return speak("{name}: {told}", name=task["name"], told=speak.join_clauses([each for each in told if each]))


def _say_state(desk: ToolDesk, task: Json) -> str:
    """Return why a task does not run at all, and what to type."""
    speak, name = desk.speak, str(task["name"])
    match task["state"]:
        case "paused":
            return speak("paused; `ia task resume {name}` resumes it", name=name)
        case "deleted":
            return speak("its file was deleted, so it does not run; `ia task approve {name}` restores it", name=name)
        case "finished":
            return speak("finished: its last moment is over")
    return speak("it is not approved; `ia task approve {which}`", which=task.get("proposal") or name)


def _say_resting(desk: ToolDesk, tasks: list[Json]) -> list[str]:
    """Return why some tasks do not run, and when they would."""
    return [
        f"- {task['name']}{desk.speak(': ')}"
        + desk.speak.join_clauses([_say_state(desk, task), str(task.get("when") or "")])
        for task in tasks[:SHOWN]
    ]


def _say_next(desk: ToolDesk, tasks: list[Json]) -> list[str]:
    """Return which task runs next, and when the others do."""
    speak = desk.speak
    coming = sorted(
        (task for task in tasks if task["state"] in _ALIVE and task.get("next")),
        key=lambda task: datetime.fromisoformat(task["next"]),
    )
    if not coming:
        resting = [task for task in tasks if task["state"] not in _ALIVE]
        if len(tasks) == len(resting) == 1:
            reason = speak.join_clauses([_say_state(desk, resting[0]), str(resting[0].get("when") or "")])
            return [speak("**{name}** does not run: {reason}", name=resting[0]["name"], reason=reason)]
        timed = sorted((str(task["next"]), str(task["name"])) for task in resting if task.get("next"))
        order = speak.join_clauses([speak("{name} at {time}", name=name, time=_say_time(time)) for time, name in timed])
        told = [speak("Once approved they would run in this order: {names}.", names=order)] if len(timed) > 1 else []
        none = speak("No task is due: none that has a time is approved and active.")
        return [none, *told, *_say_resting(desk, resting)]
    first, *others = coming
    lines = [
        speak(
            "**{name}** runs next, at **{time}** ({when}).",
            name=first["name"],
            time=_say_time(first["next"]),
            when=first.get("when") or "",
        )
    ]
    later = [speak("{name} at {time}", name=task["name"], time=_say_time(task["next"])) for task in others[:3]]
    return [*lines, *([speak("After it: {names}.", names=speak.join_clauses(later))] if later else [])]


def due_lines(desk: ToolDesk, first: date, last: date) -> Work[list[str]]:
    """Return which tasks are due within days that are coming, a line a task, an alert left out; [] for none."""
    result, listed = yield from desk.run(DeskCall("tasks.list", {"until": f"{last}"}), DeskCall("alert.list", {}))
    if result.failure is not None:
        return []
    alerts = {str(row["name"]) for row in wording.rows_of(listed, "alerts")} if listed.ok else set()
    tasks = [task for task in wording.rows_of(result, "tasks") if task["name"] not in alerts]
    due = sorted(
        (moment, str(task["name"])) for task in tasks for moment in _times_from(task, first) if moment.date() <= last
    )
    told = [desk.speak("{name} at {time}", name=name, time=_say_time(moment.isoformat())) for moment, name in due]
    return [desk.speak("Due: {names}.", names=desk.speak.join_clauses(told[:SHOWN]))] if told else []


def _say_agenda(desk: ToolDesk, tasks: list[Json], days: tuple[date, date, str], alerts: list[Json]) -> list[str]:
    """Return what is still due within a stretch of days, in order, and what has run in it."""
    speak, (first, last, said) = desk.speak, days
    due = sorted((moment, str(task["name"])) for task in tasks for moment in _times_from(task, first))
    head = PluralText("**{time}: {count} run is due**:", "**{time}: {count} runs are due**:", by="count")
    span = speak("{said} ({first} to {last})", said=said, first=first, last=last) if first != last else said
    span = span if re.search(r"\d", span) else speak("{said} ({day})", said=said, day=first)
    lines = [speak(head, time=span, count=len(due)) if due else speak("{time}: no task is due any more.", time=span)]
    names = list(dict.fromkeys(name for _, name in due))
    for name in names[:LISTED]:
        times = [_say_time(moment.isoformat()) for moment, each in due if each == name]
        rest = speak(" and {count} more", count=len(times) - 3) if len(times) > 3 else ""
        lines.append(f"- {name}{speak(': ')}{speak.join_items(times[:3])}{rest}")
    if len(names) > LISTED:
        lines.append(speak("… {count} more: `ia task list`", count=len(names) - LISTED))
    waiting = [task for task in tasks if task["state"] in WAITING and (not due or _has_time_on(task, days))]
    if waiting:
        lines.append(speak("Waiting for your approval: {names}.", names=speak.join_items(_say_waiting(waiting))))
    if looking := [task for task in alerts if _times_from(task, first)]:
        told = PluralText(
            "- {count} price alert, looked at after each close", "- {count} price alerts, looked at after each close"
        )
        lines.append(speak(told, count=len(looking)))
    for task in tasks:
        if passed := [
            stamp for stamp in wording.names_of(task.get("overdue")) if f"{first}" <= stamp[:10] <= f"{last}"
        ]:
            lines.append("- " + _say_overdue(desk, task, passed))
    ran = [
        str(task["name"])
        for task in tasks
        for run in wording.rows_of(task, "runs")[:1]
        if (slot := _parse_time(run.get("slot"))) is not None and first <= slot.date() <= last
    ]
    return [*lines, *([speak("Ran already: {names}.", names=speak.join_items(ran[:SHOWN]))] if ran else [])]


def _has_time_on(task: Json, days: tuple[date, date, str]) -> bool:
    """Return True if a task has a time on the day of every week that is asked for."""
    return days[0] == days[1] and any(stamp.startswith(f"{days[0]}") for stamp in wording.names_of(task.get("times")))


def _times_from(task: Json, first: date) -> list[datetime]:
    """Return when a task that runs is due, from a day on."""
    times = [datetime.fromisoformat(stamp) for stamp in wording.names_of(task.get("times"))]
    return [moment for moment in times if moment.date() >= first and task["state"] in _ALIVE]


def _newest_results(desk: ToolDesk, asked: FactQuestion, meant: list[Json], tasks: list[Json]) -> list[Json]:
    """Return the tasks whose last result a question means, newest first: of those meant, else of the same kind.

    Of several the newest result counts, and others of its day; [] where the words name no kind, or none has a result.
    """
    kinds = [kind for kind in account_table(desk.tables).task_kinds if kind.words.search(asked.words)]
    alike = [task for task in tasks if any(kind.tasks.search(_about(task)) for kind in kinds)]
    for among in (meant, alike) if kinds else ():
        ended = {str(task["name"]): run for task in among if (run := _last_result(task)) is not None}
        if ended:
            newest = max(_say_slot(run) for run in ended.values())[:10]
            found = [task for task in among if task["name"] in ended and _say_slot(ended[task["name"]])[:10] == newest]
            return sorted(found, key=lambda task: _say_slot(ended[task["name"]]), reverse=True)
    return []


def find_writing(desk: ToolDesk, words: str, tasks: list[Json]) -> list[Json]:
    """Return the tasks that run and write the report that words mean: those of its name or rhythm, else the reviews."""
    alive = [task for task in tasks if task["state"] in _ALIVE]
    kinds = [kind for kind in account_table(desk.tables).task_kinds if kind.words.search(words)]
    scores = [
        sum(bool(kind.tasks.search(_about(task))) for kind in kinds) + 1 if _WRITES.search(_about(task)) else 0
        for task in alive
    ]
    best = max(scores, default=0)
    return [task for task, score in zip(alive, scores, strict=True) if best and score == best]


_WRITES = pattern(r"复盘|回顾|总结|[日周月]报|报告|review|report|summar|digest", re.I)
"""Names and jobs of tasks that write a report."""


def _last_result(task: Json) -> Json | None:
    return next((run for run in wording.rows_of(task, "runs") if run["state"] in _ENDED), None)


def _say_found(desk: ToolDesk, tasks: list[Json]) -> Work[list[str]]:
    """Return what the last runs of tasks brought: the first lines of each report, and where it is."""
    speak, lines = desk.speak, list[str]()
    most = max(QUOTED // max(len(tasks), 1), 1)
    for task in tasks:
        run = _last_result(task)
        if run is None:
            lines.append(speak("**{name}** has brought no result yet.", name=task["name"]))
            continue
        path = str(run.get("report") or "")
        found = (yield from desk.one("notebook.read", path=path)) if path.startswith("notebook/") else None
        quoted = _quote_report(str(found.value)) if found is not None and found.ok else []
        given = {"name": task["name"], "time": _say_slot(run), "path": path}
        if quoted:
            lines.append(speak("**{name}**, run of {time} (`{path}`):", **given))
            lines += [f"> {line}" for line in quoted[:most]]
            lines += [speak("The whole of it: `ia note read {path}`", path=path.removeprefix("notebook/"))]
            continue
        told = " ".join(str(run.get("summary") or "").split())[:200]
        line = speak("**{name}**, run of {time}: {told}", told=told or "–", **given)
        lines.append(line + (speak(" (`{path}`)", path=path) if path else ""))
    return lines


QUOTED = 8
"""Lines that are quoted of reports."""


def _quote_report(text: str) -> list[str]:
    """Return the lines of a report that say something: no front matter, no titles and no tables."""
    body = text.split("\n---\n", 1)[-1] if text.startswith("---\n") else text
    lines = [line.strip() for line in body.splitlines()]
    return [line for line in lines if line and not line.startswith(("#", "|", ">", "<", "---"))]


def _say_failed(desk: ToolDesk, asked: FactQuestion, tasks: list[Json]) -> list[str]:
    """Return the tasks of which a run failed or did not start: in a stretch of time, else the last one."""
    speak, lines = desk.speak, []
    for task in tasks:
        runs = _runs_within(asked, task)
        bad = [
            run for run in (runs if asked.spans else runs[:1]) if run["state"] not in (*_ENDED, "running", "waiting")
        ]
        lines += [
            speak(
                "**{name}**, run of {time}: {result}",
                name=task["name"],
                time=_say_slot(run),
                result=_say_result(desk, run),
            )
            for run in bad
        ]
        if passed := _slots_within(asked, task.get("overdue")):
            lines.append(_say_overdue(desk, task, passed))
    if lines:
        return lines[:SHOWN]
    alive = [task for task in tasks if task["state"] in _ALIVE]
    ran = [task for task in alive if _runs_within(asked, task)]
    if ran:
        return [
            speak(
                PluralText(
                    "None: the last run of {count} task that ran succeeded.",
                    "None: the last runs of all {count} tasks that ran succeeded.",
                ),
                count=len(ran),
            )
        ]
    return [speak("None has run yet.") if alive else speak("No task runs yet: none is approved.")]


def _say_runs(desk: ToolDesk, asked: FactQuestion, task: Json) -> str:
    """Return how the runs of a task ended, newest first, or why there was none."""
    speak = desk.speak
    runs = _runs_within(asked, task)
    if runs:
        shown = runs[:3] if asked.spans else runs[:1]
        told = [speak("run of {time}: {result}", time=_say_slot(run), result=_say_result(desk, run)) for run in shown]
        line = speak("**{name}**: {told}", name=task["name"], told=speak.join_clauses(told))
        good = runs[0]["state"] in _ENDED and asked.facts[0].field == "why"
        return line + (speak("; so it did run") if good else "")
    if passed := _slots_within(asked, task.get("overdue")):
        return _say_overdue(desk, task, passed)
    if task["state"] not in _ALIVE:
        return speak("**{name}** did not run: {reason}", name=task["name"], reason=_say_state(desk, task))
    coming = task.get("next")
    if coming is None:
        return speak(
            "**{name}** has not run: it waits for an event ({when}).", name=task["name"], when=task.get("when")
        )
    if any(each.last is not None and str(coming)[:10] <= f"{each.last}" for each in asked.spans):
        return speak("**{name}** has not run yet: it is due at {next}.", name=task["name"], next=_say_time(coming))
    if asked.spans:
        return speak(
            "**{name}** was not due {time} ({when}); its next run is {next}.",
            name=task["name"], time=asked.spans[0].said.strip(), when=task.get("when"), next=_say_time(coming),
        )  # fmt: skip
    return speak(
        "**{name}** has not run yet: it was not due since it was approved; its first run is {next} ({when}).",
        name=task["name"], next=_say_time(coming), when=task.get("when"),
    )  # fmt: skip


def _say_overdue(desk: ToolDesk, task: Json, passed: list[str]) -> str:
    return desk.speak(
        "**{name}** did not start at {times}: nothing woke it. `ia doctor` says why, `ia task due` runs it now.",
        name=task["name"],
        times=desk.speak.join_items([_say_time(stamp) for stamp in passed[-3:]]),
    )


def _say_result(desk: ToolDesk, run: Json) -> str:
    """Return how a run ended: its note, or the reason and what is done about it."""
    speak, reason = desk.speak, str(run.get("reason") or "")
    match run["state"]:
        case "done" | "written":
            report = run.get("report")
            return speak("succeeded, note `{path}`", path=report) if report else speak("succeeded")
        case "running":
            return speak("still running")
        case "waiting":
            return speak("waiting for its turn")
        case "missed":
            return speak("skipped: {reason}", reason=reason or speak("no reason was kept"))
    told = speak("failed: {reason}", reason=reason or speak("status {status}", status=run.get("status", "–")))
    if run.get("retry"):
        return told + speak("; next attempt {time}", time=_say_time(run["retry"]))
    return told + (speak("; see `{command}`", command=run["log"]) if run.get("log") else "")


def _runs_within(asked: FactQuestion, task: Json) -> list[Json]:
    """Return the runs of a task, newest first, within the first stretch of time that a question names."""
    return [
        run for run in wording.rows_of(task, "runs") if _is_within(asked, str(run.get("slot") or run.get("started")))
    ]


def _slots_within(asked: FactQuestion, stamps: object) -> list[str]:
    return [stamp for stamp in wording.names_of(stamps) if _is_within(asked, stamp)]


def _is_within(asked: FactQuestion, stamp: str) -> bool:
    span = asked.spans[0] if asked.spans else None
    moment = _parse_time(stamp)
    if span is None or span.last is None or moment is None:
        return True
    return (span.first or date.min) <= moment.date() <= span.last


def _parse_time(stamp: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(stamp))
    except ValueError:
        return None


def _say_time(stamp: object) -> str:
    """Return a time in the zone of its task, to the minute; with its offset where that is not China's."""
    moment = _parse_time(stamp)
    if moment is None:
        return str(stamp)
    here = moment.utcoffset() in (None, moment.astimezone(clock.CHINA).utcoffset())
    return f"{moment:%Y-%m-%d %H:%M}" + ("" if here else f" (UTC{moment.isoformat()[-6:]})")


def _say_slot(run: Json) -> str:
    return _say_time(run.get("slot") if _parse_time(run.get("slot")) else run.get("started"))


ANSWERS = {"tasks": answer_tasks, "proposal": answer_proposal}
