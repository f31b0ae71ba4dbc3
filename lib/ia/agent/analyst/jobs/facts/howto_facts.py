"""How something is done: what to say, and the command."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_ALWAYS_SAID = {
    "watch": (
        mark_text("`ia watch` lists it."),
    ),
    "unwatch": (
        mark_text("`ia watch` lists it."),
    ),
    "group": (
        mark_text("“Which groups do I have” lists the groups, “what is in the group liquor” what is in one."),
    ),
    "alert": (
        mark_text("At another time: “remind me at 9 on Friday …”. `ia alert list` lists the alerts."),
    ),
    "task": (
        mark_text("Say what is to be done when: “every weekday at 15:30 review my day”. It becomes a proposal."),
        mark_text("`ia approve ID` lets it run; `ia task list` lists the tasks."),
    ),
    "stop_task": (
        mark_text("`ia task pause NAME` pauses a task, `ia task remove NAME` removes it; `ia alert remove NAME` removes"
                  " an alert."),
        mark_text("`ia task list` and `ia alert list` show the names."),
    ),
    "approve": (
        mark_text("`ia approve ID` approves a proposal and carries it out, `ia reject ID` drops it."),
        mark_text("`ia pending` lists the proposals with their IDs."),
    ),
    "journal": (
        mark_text("`ia trade sell`, `deposit`, `withdraw` and `dividend` likewise; `ia trade import FILE` reads a"
                  " statement of your broker."),
    ),
    "correct": (
        mark_text("`ia trade list` shows the numbers of the entries."),
        mark_text("`ia trade correct N --price 25.5 --because WHY` corrects one, `ia trade void N --because WHY` voids"
                  " it."),
    ),
    "import": (
        mark_text("`ia trade import FILE` reads a statement of your broker (CSV or text); `--dry-run` only shows it."),
    ),
    "note": (
        mark_text("Say “note: …”, or use `ia note PATH 'TEXT'`; `ia note list` lists the notes."),
    ),
    "unnote": (
        mark_text("`ia note remove PATH` removes a note, `ia memory undo PATH` brings it back; `ia note list` lists the"
                  " notes."),
    ),
    "undo": (
        mark_text("`ia trade void N --because WHY` voids an entry of the journal, `ia trade list` shows the numbers."),
        mark_text("`ia memory undo PATH` brings back a text as it was before, `ia reject ID` drops a proposal; `ia log`"
                  " shows what was done last."),
    ),
    "timezone": (
        mark_text("ia uses the time zone of this computer; `TZ=America/New_York ia …` sets another one for a command."),
    ),
    "belief": (
        mark_text("Say “remember the belief: …”, or use `ia memory believe 'TEXT' --because 'WHY'`."),
    ),
    "changes": (
        mark_text("`ia log --kind memory` shows who changed watch list, beliefs and notes of the memory, and when;"
                  " `ia log --kind trade` the journal, `ia log --kind config` settings."),
        mark_text("`ia log` shows everything; user is you, ia-offline the embedded analyst."),
    ),
    "fees_in_cost": (
        mark_text("**Yes**: the average cost has the fees and taxes of the purchases in it, the realized profit those"
                  " of purchases and sale."),
        mark_text("The unrealized profit is the value now less that cost; what a sale would cost is not yet in it."
                  " `ia trade list` shows the fees of each trade."),
    ),
    "language": (
        mark_text("`ia config set lang en` or `zh` for good, `ia --lang zh …` once; an answer has the language of its"
                  " question."),
    ),
    "model": (
        mark_text("`ia config set model NAME`, `ia config list model` shows it; without one the embedded analyst"
                  " answers."),
    ),
    "colors": (
        mark_text("`ia config set pictures.up red`, `green` or `blue`: the color of rising prices."),
    ),
    "setting": (
        mark_text("`ia config set risk.stop_loss_pct 8` changes a setting; `ia config list` shows all of them."),
        mark_text("Rules of risk also in words: “set my stop-loss to 8%”, “set the position limit to 15%”: that names"
                  " the command."),
    ),
}  # fmt: skip
"""What is done -> what is said of it for every security, and the commands."""


_PRICE = pattern(r"(?<![\d年月-])\d+(?:\.\d+)?(?![\d年月日号点:：%％-])")


_RISES = pattern(r"涨|升|突破|高于|超过|站上|\b(?:rises?|above|over|exceeds?|climbs?)\b", re.I)


def _say_example(desk: ToolDesk, field: str, words: str, name: str, code: str) -> str:
    """Return what to say and which command does it, for a security; "" where none is needed.

    words  of the question: a price that it names stands in the example
    """
    speak, found = desk.speak, _PRICE.search(words)
    match field:
        case "watch":
            return speak(
                "Say “put {name} on my watch list”, or use `ia watch add {code} --because WHY`.", name=name, code=code
            )
        case "group":
            return speak("`ia watch add {code} --group NAME` puts {name} in a group, which need not be there yet.",
                         name=name, code=code)  # fmt: skip
        case "unwatch":
            return speak("Say “take {name} off my watch list”, or use `ia watch remove {code}`.", name=name, code=code)
        case "alert":
            given: Json = {"name": name, "code": code, "price": found[0] if found else "80"}
            return (
                speak("Say “tell me when {name} rises above {price}”, or use `ia alert {code} 'close > {price}'`.",
                      **given)
                if _RISES.search(words)
                else speak("Say “tell me when {name} falls below {price}”, or use `ia alert {code} 'close < {price}'`.",
                           **given)
            )  # fmt: skip
        case "journal":
            return speak(
                "Say what you traded: “bought 100 shares of {name} at 80 today”; or use `ia trade buy {code} 100 80"
                " --date DATE --because WHY`.",
                name=name,
                code=code,
            )
    return ""


_WRONG = pattern(r"错|改|更正|\b(?:wrong|mistakes?|correct|change)\b", re.I)


def answer_howto(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how something is done: nothing is done."""
    first = next(iter(asked.securities), None)
    name = wording.short_name(desk, first) if first else desk.speak("BYD")
    code = first.code if first else "002594"
    field = asked.facts[0].field
    if field == "approve" and (waiting := (yield from _say_waiting(desk, asked))):
        return reply_of_lines(*waiting, desk.speak(_ALWAYS_SAID[field][1]))
    example = _say_example(desk, field, strip_mentions(asked.words), name, code)
    fields = [field, "correct"] if field == "journal" and _WRONG.search(asked.words) else [field]
    said = [text for each in fields for text in _ALWAYS_SAID[each]]
    return reply_of_lines(*([example] if example else []), *(desk.speak(text) for text in said))


def _say_waiting(desk: ToolDesk, asked: FactQuestion) -> Work[list[str]]:
    """Return how the tasks are approved that a question names and that wait; [] where it names none of those."""
    from ia.agent.analyst.jobs.facts import task_facts

    listed = yield from desk.one("tasks.list")
    tasks = wording.rows_of(listed, "tasks") if listed.ok else []
    meant, named = task_facts.find_meant(desk, asked.words, tasks)
    waiting = [task for task in meant if named and task["state"] in task_facts.WAITING]
    return [
        desk.speak("**{name}** waits for your approval: `ia task approve {which}` lets it run.", name=task["name"],
                   which=task.get("proposal") or task["name"])
        for task in waiting[:3]
    ]  # fmt: skip


_DAY = pattern(r"\((\d{4}-\d{2}-\d{2})\)\s*$")


def answer_watched_since(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether, and since when, securities are on the watch list."""
    speak = desk.speak
    result = yield from desk.one("memory.read", path="tracking")
    if result.failure is not None:
        return wording.unreadable(desk, speak("the watch list"), result.failure)
    rows = [line.strip() for line in str(result.value).splitlines() if line.lstrip().startswith(("-", "*"))]
    lines = []
    for mention in asked.securities:
        row = next((line for line in rows if mention.code in line), "")
        day = _DAY.search(row)
        name = wording.head_of(desk, mention)
        if not row:
            lines.append(speak("{name} is not on the watch list.", name=name))
        elif day:
            lines.append(speak("{name} has been on the watch list since **{date}**.", name=name, date=day[1]))
        else:
            lines.append(speak("{name} is on the watch list; since when is not written there.", name=name))
    return reply_of_lines(*lines)


ANSWERS = {"howto": answer_howto, "cost_basis": answer_howto, "watched_since": answer_watched_since}
