"""Requests about tasks in other words: a price alert, and a change of a task."""

import re
from collections.abc import Callable
from datetime import date
from shlex import quote

from ia.agent.analyst.ask import alert_words
from ia.agent.analyst.ask.follow_on import find_subject
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.jobs.facts import task_facts, wording
from ia.agent.analyst.say.reply import Reply, describe_not_kept, describe_proposals, reply_of_lines
from ia.agent.analyst.voice import count_han
from ia.faculties.alerts import wishes
from ia.faculties.alerts.conditions import NO_SIDE
from ia.faculties.schedule import wish_errors, wish_parser, zones
from ia.faculties.schedule.design import parse_design
from ia.faculties.schedule.model import ME
from ia.kernel.errors import BadData
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs.channels.channel_registry import channel_names

_MOVE = pattern(
    r"(?:改|挪|移|调|换|推迟|提前|延后)(?:到|成|为|至|在)\s*(?P<zh>.+)|\b(?:to|until|for)\s+(?P<en>.+)", re.I | re.S
)
_RESUME = pattern(r"恢复|重启|启用|\b(?:un|re)pause\b|\bresume\b|\benable\b|\bturn on\b|\bswitch on\b", re.I)
_EVERY = pattern(r"所有|全部|全都|都|清空|每[一个条]|\b(?:all|every|each)\b", re.I)
_POINTED = pattern(
    r"^\W*(?:它|该股|(?:刚才|刚刚|上面|前面)?的?[那这]一?(?:个|只|支|家)(?:股票|票)?)(?=[涨跌到破收高低])"
)
_SET_UP = pattern(
    r"^\W*(?:请|麻烦|帮我|给我|替我)*(?:设|建|加|定|来|弄)(?:置|立|上)?(?:一?[个条])?(?:价格|到价)?(?:的)?(?:提醒|预警|警报)[，,:：\s]+"
    r"(?=.*(?:告诉|提醒|通知|叫)(?:一下)?我)"
    r"|^\W*(?:please |can you |could you )*(?:set|create|add|make)(?: up)?(?: me)? an? (?:price )?alert[,:]\s*"
    r"(?=.*\b(?:tell|alert|notify|let) me\b)",
    re.I,
)
"""Words that announce an alert, before the condition of it."""
_PAUSE = pattern(r"暂停|先停|停一[停下]|停用|\bpause\b", re.I)


def propose_alert(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Propose the alert that a wish asks for; what of it cannot be read is asked back."""
    speak, words = desk.speak, _SET_UP.sub("", wanted.words)
    if alert_words.find_change(words) and (changed := (yield from change_alert(desk, wanted))) is not None:
        return changed
    if not wanted.securities and _POINTED.match(words):
        named = find_subject(desk.request.before, _today(desk))
        if len(named) != 1:
            return reply_of_lines(speak("This is no alert yet: which security is meant?"))
        words, wanted = _POINTED.sub(named[0].said, words), wanted._replace(securities=named)
    read = _read_wish(words)
    if isinstance(read, BadData) and read.code == NO_SIDE and len(wanted.securities) == 1:
        words = yield from _add_side(desk, wanted, read)
        read = _read_wish(words)
    if isinstance(read, BadData):
        return _ask_back(desk, read)
    if not (wanted.securities or read.security) and len(named := find_subject(desk.request.before, _today(desk))) == 1:
        wanted = wanted._replace(securities=named)
    if len(wanted.securities) > 1 or not (wanted.securities or read.security):
        return reply_of_lines(speak("This is no alert yet: which security is meant?"))
    symbol = wanted.securities[0].code if wanted.securities else read.security
    result = yield from desk.one("alert.propose", symbol=symbol, condition=read.condition.expression, note=read.note)
    if not result.ok:
        return reply_of_lines(describe_not_kept(desk, result, speak("the alert")))
    known = result.get("alert")
    if isinstance(known, dict):
        text = "This alert is set already: **{name}** ({condition})."
        return reply_of_lines(speak(text, name=known["name"], condition=known["condition"]))
    name = display_name(desk, wanted.securities[0]) if wanted.securities else str(result.get("symbol"))
    lines = [
        speak("**Alert for {name}**: {condition}, told once when it comes true after a close.", name=name,
              condition=f"`{result.get('condition')}`")
    ]  # fmt: skip
    lines += _say_present(desk, result)
    if read.note:
        lines.append(speak("The message repeats: {note}", note=read.note))
    return Reply([*lines, *describe_proposals(desk, [result])], lines)


def change_alert(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Propose an alert in the place of the one that is meant; None where none is set, or a time is wished for."""
    speak, said = desk.speak, alert_words.find_change(wanted.words)
    if not said or wish_parser.parse_rhythm(said, zone=zones.wish_zone().key) is not None:
        return None
    listed = yield from desk.one("alert.list")
    rows, codes = wording.rows_of(listed, "alerts"), {each.code for each in wanted.securities}
    meant = [row for row in rows if row["symbol"] in codes or (not codes and str(row["name"]) in wanted.words)]
    meant = meant or ([] if codes else rows)
    if not meant and rows and codes and alert_words.change_condition("", said):
        name = speak.join_items([wording.head_of(desk, each) for each in wanted.securities])
        return reply_of_lines(
            speak(
                "{name}: no alert is set; there are {count} for others (`ia alert list`).", name=name, count=len(rows)
            )
        )
    if not meant:
        return None
    before = wanted.words[: wanted.words.rfind(said)]
    levelled = [row for row in meant if (parts := alert_words.compare_parts(str(row["condition"])))
                and re.search(rf"(?<![\d.]){parts[2]:g}(?![\d.])", before)]  # fmt: skip
    meant = levelled or meant
    if len(meant) > 1:
        told = [f"- **{row['name']}** `{row['condition']}`" for row in meant[: task_facts.SHOWN]]
        return reply_of_lines(speak("Which alert do you mean? Nothing is changed yet."), *told)
    old = meant[0]
    condition = alert_words.change_condition(str(old["condition"]), said)
    if not condition:
        return reply_of_lines(
            speak("**{name}** (`{condition}`): “{text}” I could not read as a price; say it as in “to 80” or “to above"
                  " 80”. Nothing is changed.", name=old["name"], condition=old["condition"], text=said[:60])
        )  # fmt: skip
    result = yield from desk.one(
        "alert.propose", symbol=old["symbol"], condition=condition, note=str(old.get("note") or ""),
        until=str(old.get("until") or ""), replaces=old["name"],
    )  # fmt: skip
    if not result.ok:
        return reply_of_lines(describe_not_kept(desk, result, speak("the alert")))
    if isinstance(known := result.get("alert"), dict):
        text = "This alert is set already: **{name}** ({condition})."
        return reply_of_lines(speak(text, name=known["name"], condition=known["condition"]))
    name = wording.name_alone(desk, str(old["symbol"]), old.get("security"))
    lines = [
        speak("**Alert for {name}**: {condition} in the place of {before}; the old one stays until you approve.",
              name=name, condition=f"`{condition}`", before=f"`{old['condition']}`"),
        *_say_present(desk, result),
    ]  # fmt: skip
    if old.get("proposal") not in (None, result.get("proposal")):
        lines.append(speak("An earlier change of it waits, too: `ia reject {number}` drops that.",
                           number=old["proposal"]))  # fmt: skip
    return Reply([*lines, *describe_proposals(desk, [result])], lines)


def _say_present(desk: ToolDesk, result: DeskResult) -> list[str]:
    """Return whether a proposed alert is true already; [] where that is not known."""
    speak = desk.speak
    if not result.get("session"):
        return []
    now = "It is true already ({day}, close {close}): ia waits until it is false first." if result.get("holds") else (
        "Now it is not ({day}, close {close})."
    )  # fmt: skip
    told = speak(now, day=result.get("session"), close=f"{result.get('close'):g}")
    return [told + (speak(" The prices are simulated.") if result.get("simulated") else "")]


def _read_wish(words: str) -> wishes.AlertWish | BadData:
    """Return a wish taken apart; what is wrong with it."""
    try:
        read = wishes.read_alert_wish(words)
        wishes.check_security_words(alert_words.find_unread(read))
    except BadData as exc:
        return exc
    return read


def _add_side(desk: ToolDesk, wanted: Intent, problem: BadData) -> Work[str]:
    """Return a wish for a price that is reached (到1600, hits 100), said as a rise or a fall from the newest close."""
    bars = yield from desk.one("market.ohlcv", symbol=wanted.securities[0].code, tail=1)
    rows, said, price = wording.bars_of(bars), str(problem.params["text"]), str(problem.params["price"])
    if not rows or said not in wanted.words:
        return wanted.words
    falls = float(price) < float(rows[-1][4])
    sided = ("跌到" if falls else "涨到") if count_han(wanted.words) else ("falls to " if falls else "rises to ")
    return wanted.words.replace(said, f"{sided}{price}", 1)


def _today(desk: ToolDesk) -> date:
    return desk.request.moment.date()


def _ask_back(desk: ToolDesk, exc: BadData) -> Reply:
    problem, hint = wish_errors.explain_failure(exc, desk.speak.lang)
    text = "This is no alert yet: {problem}" if problem.endswith(("?", "？")) else "This is no alert yet: {problem}."
    return reply_of_lines(desk.speak(text, problem=problem), desk.speak("{hint}.", hint=hint))


def change_task(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Name the command that pauses, resumes, ends or moves the task that is meant: only the owner may."""
    speak, words = desk.speak, wanted.words
    if (changed := (yield from change_alert(desk, wanted))) is not None:
        return changed
    result = yield from desk.one("tasks.list")
    if result.failure is not None:
        return wording.unreadable(desk, speak("the tasks"), result.failure)
    tasks = wording.rows_of(result, "tasks")
    if not tasks:
        return reply_of_lines(speak("There are no tasks yet."))
    yield from desk.load_tables("facts_account")
    meant, named = task_facts.find_meant(desk, words, tasks)
    meant = meant if named else []
    if not meant:
        names = speak.join_items([str(task["name"]) for task in tasks[: task_facts.SHOWN]])
        return reply_of_lines(speak("No task fits these words. The tasks are: {names}.", names=names))
    moved = _MOVE.search(words)
    if moved is not None:
        whole = yield from desk.run(*(DeskCall("tasks.list", {"name": str(task["name"])}) for task in meant[:3]))
        meant = [wording.rows_of(each, "tasks")[0] for each in whole if wording.rows_of(each, "tasks")]
    every = _EVERY.search(words) is not None
    shown = meant[: task_facts.SHOWN if every else 3]
    lines = [_say_change(desk, task, words, moved) for task in shown]
    if len(meant) > 1:
        head = speak("All {count} of them:", count=len(meant)) if every else speak("Which one do you mean?")
        lines = [head, *(f"- {line}" for line in lines)]
    if len(meant) > len(shown):
        lines.append(speak("… and {count} more: `ia task list`", count=len(meant) - len(shown)))
    return reply_of_lines(*lines, speak("Nothing is changed yet: a task changes only by your command."))


def _say_change(desk: ToolDesk, task: Json, words: str, moved: re.Match[str] | None) -> str:
    """Return the command that does to a task what is asked for."""
    speak, name = desk.speak, str(task["name"])
    if task["state"] in task_facts.WAITING:
        number = task.get("proposal")
        return speak(
            "**{name}** is not approved, so it does not run; `{command}` drops it.",
            name=name, command=f"ia reject {number}" if number else f"ia task remove {name}",
        )  # fmt: skip
    if moved is not None and not _FOR_NOW.fullmatch((moved["zh"] or moved["en"]).strip(" 。.!！吧")):
        return _say_move(desk, task, (moved["zh"] or moved["en"]).strip(" 。.!！吧"))
    if _RESUME.search(words):
        return speak("**{name}**: `ia task resume {name}` lets it run again.", name=name)
    if _PAUSE.search(words):
        if task["state"] == "paused":
            return speak("**{name}** is paused already; `ia task resume {name}` resumes it.", name=name)
        return speak("**{name}** ({when}): `ia task pause {name}` pauses it.", name=name, when=task.get("when") or "")
    return speak(
        "**{name}** ({when}): `ia task pause {name}` pauses it, `ia task remove {name}` ends it.",
        name=name, when=task.get("when") or "",
    )  # fmt: skip


_FOR_NOW = pattern(r"now|(?:the )?(?:moment|time being|present|while)", re.I)
"""A time of "for now", to which nothing is moved."""


def _say_move(desk: ToolDesk, task: Json, time: str) -> str:
    """Return the command that proposes a task at another time, with the same job; a question where it is not clear."""
    speak, name = desk.speak, str(task["name"])
    timing = wish_parser.parse_rhythm(time, zone=zones.wish_zone().key)
    job = task.get("prompt") or task.get("run")
    if timing is not None and job:
        kind = "--prompt" if task.get("prompt") else "--run"
        command = f"ia task propose --name {name} --schedule {quote(timing.schedule)} --zone {timing.zone}"
        job = f"{kind} {quote(str(job))}" + (f" --produces {quote(task['produces'])}" if task.get("produces") else "")
        return speak(
            "**{name}** ({when}) moves with `{command}`; then approve the proposal.",
            name=name, when=task.get("when") or "", command=f"{command} {job}",
        )  # fmt: skip
    return speak(
        "**{name}** ({when}): “{time}” I could not read as a rhythm; say it as in “every Sunday at 20:00”.",
        name=name, when=task.get("when") or "", time=time[:60],
    )  # fmt: skip


_REPORT_SENT = pattern(
    r"(?:日报|周报|月报|复盘|报告)(?:结果|摘要|全文)?(?:都)?(?:自动|定时)?(?:发|推|传|转发)(?:送)?(?:一份)?(?:给|到|至|去)"
    r"|\b(?:send|push|deliver|forward|text|message|e-?mail)\s+(?:me\s+)?(?:my|the)\s+(?:(?:daily|weekly|monthly)\s+)?"
    r"(?:reports?|reviews?|summary|digest)\b",
    re.I,
)
"""A wish to have a report sent that is written already, and not to have one made."""
_WORK = pattern(
    r"复盘|回顾|总结|汇总|扫描|分析|检查|写|\b(?:review|summari[sz]e|scan|check|analy[sz]e|write|look|compare|run)\b",
    re.I,
)
"""Work that a wish wants done besides."""
_OWN = pattern(r"我的|\bmy\b", re.I)
_PHONE = pattern(r"手机|\b(?:phone|mobile|cell)\b", re.I)
_HOUR = pattern(r"[点:：]\s*\d?|\bat \d|\b\d{1,2} ?[ap]\.?m\b", re.I)


def send_report(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Name the task that writes the report that a wish wants sent, and the command that sends it; else ask back.

    None where no report that there is is to be sent.
    """
    speak, words = desk.speak, wanted.words
    said = _REPORT_SENT.search(words)
    if said is None or _WORK.search(words[: said.start()] + " " + words[said.end() :]):
        return None
    channels = wish_parser.find_channels(words) or (["phone"] if _PHONE.search(words) else [])
    listed = yield from desk.one("tasks.list")
    if listed.failure is not None:
        return None
    yield from desk.load_tables("facts_account")
    writing = task_facts.find_writing(desk, words, wording.rows_of(listed, "tasks"))
    if not writing and not (channels or _OWN.search(words)):
        return None
    if not writing:
        return reply_of_lines(
            speak("Which report? No approved task writes one yet."),
            speak("Say what it is to do, when, and who is told: “every weekday at 20:00 review my positions and send"
                  " the result to telegram”."),
        )  # fmt: skip
    whole = yield from desk.run(*(DeskCall("tasks.list", {"name": str(task["name"])}) for task in writing[:3]))
    lines = [_say_sent(desk, wording.rows_of(each, "tasks")[0], words, channels) for each in whole if each.ok]
    lines += [
        speak("The channel {name} is not set up yet: `ia config set channels.{name} ADDRESS`.", name=name)
        for name in channels
        if name not in channel_names()
    ]
    return reply_of_lines(*lines, speak("Nothing is changed yet: a task changes only by your command."))


def _say_sent(desk: ToolDesk, task: Json, words: str, channels: list[str]) -> str:
    """Return what a task writes and whom it tells, and the command that proposes it with another time or channel."""
    speak, name = desk.speak, str(task["name"])
    design, timing = parse_design(str(task["design"]), name), None
    told = speak.join_items([speak("you") if each == ME else each for each in design.notify])
    given: Json = {
        "name": name,
        "when": task.get("when") or "",
        "told": told or speak("nobody", context="coaching"),
    }
    if _HOUR.search(words):
        try:
            timing = wish_parser.parse_wish(words, zone=zones.wish_zone().key)
        except BadData:
            return speak("**{name}** ({when}) writes it already and tells {told}. The time I could not read.", **given)
    schedule = _at_hour(design.schedule, timing.schedule) if timing else design.schedule
    if schedule == design.schedule and not channels:
        return speak("**{name}** ({when}) writes it already and tells {told}.", **given)
    kind, job = ("--prompt", design.prompt) if design.prompt else ("--run", design.run)
    parts = [
        f"ia task propose --name {name} --schedule {quote(schedule)}",
        *([f"--zone {design.zone}"] if design.zone else []),
        *([f"--calendar {design.calendar}"] if design.calendar else []),
        f"{kind} {quote(job)}",
        *([f"--produces {quote(design.produces)}"] if design.produces else []),
        *(f"--notify {each}" for each in channels or design.notify),
    ]
    return speak(
        "**{name}** ({when}) writes it already and tells {told}. `{command}` proposes it as you say; then approve it.",
        **given, command=" ".join(parts),
    )  # fmt: skip


def _at_hour(schedule: str, wished: str) -> str:
    """Return a schedule at another time of day, on its own days.

    >>> _at_hour("0 15 * * 1-5", "0 20 * * *"), _at_hour("close+30m", "0 20 * * *")
    ('0 20 * * 1-5', '0 20 * * *')
    """
    own, new = schedule.split(), wished.split()
    plain = len(own) == len(new) == 5 and all(part.isdigit() for part in (*own[:2], *new[:2]))
    return " ".join([*new[:2], *own[2:]]) if plain else wished


KINDS: dict[str, Callable[[ToolDesk, Intent], Work[Reply]]] = {"alert": propose_alert, "task_change": change_task}
