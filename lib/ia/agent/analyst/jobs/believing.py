"""Beliefs with a date: kept as they are said, listed with what became of them, and judged by the owner."""

import re

from ia.agent.analyst.ask.belief_words import DUE, LIST, OPEN, SCORE, WHEN, asks_judgments, find_wish, read_verdict
from ia.agent.analyst.ask.intent import read_acts, text_terms
from ia.agent.analyst.ask.mentions import LONGEST, find_mentions, strip_mentions
from ia.agent.analyst.ask.predictions import Prediction, read_conviction, read_prediction, states_belief
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.evidence.stated_view import states_judgment
from ia.agent.analyst.jobs import reviewing
from ia.agent.analyst.jobs.belief_lines import SHOWN, order_of, read_score, say_belief, say_score
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern


def work_on_beliefs(desk: ToolDesk) -> Work[Reply | None]:
    """Answer a message about dated beliefs, or keep the prediction that it states; None for any other message."""
    words = desk.request.question[:LONGEST]
    if not desk.has("memory.beliefs"):
        return None
    if (right := read_verdict(words)) is not None:
        return (yield from _judge(desk, words, right=right))
    if wish := find_wish(words):
        return (yield from _list(desk, words, wish))
    if not states_belief(words) or states_judgment(words):
        return None
    if (read := read_prediction(words, desk.request.moment.date())) is not None:
        return (yield from keep_prediction(desk, read))
    if (conviction := read_conviction(words)) is not None:
        belief, why = conviction
        if not why and read_acts(desk.request).kind in _DONE:
            return None
        why = why or desk.speak("you said so on {day}", day=desk.request.day)
        result = yield from desk.one("memory.believe", text=belief, because=why)
        kept = reply.describe_paths(desk, (result, speak_kept(desk)))
        return reply.reply_of_lines(*([desk.speak("Belief: {belief}", belief=belief)] if result.ok else []), *kept)
    return None


_DONE = ("alert", "schedule", "task_change", "track", "untrack", "forget", "traded", "paid", "order", "note", "skill")
"""Acts beside a belief that are to be done, or written down: whoever does them reads the message."""


def speak_kept(desk: ToolDesk) -> str:
    """Return what a belief is called where it is said that it is kept."""
    return desk.speak("belief", context="kept")


def keep_prediction(desk: ToolDesk, read: Prediction) -> Work[Reply]:
    """Keep a prediction as a belief with its day, and say what decides it."""
    speak = desk.speak
    why = read.reason or speak("you said so on {day}", day=desk.request.day)
    given: Json = {"text": read.belief, "because": why, "by" if read.once else "on": read.day}
    result = yield from desk.one("memory.believe", **given, **({"check": read.check} if read.check else {}))
    if result.failure is not None and read.check:  # no price is stored to tell a rise from a fall
        result = yield from desk.one("memory.believe", **given)
    kept = reply.describe_paths(desk, (result, speak_kept(desk)))
    if not result.ok:
        return reply.reply_of_lines(*kept)
    found = yield from desk.one("memory.beliefs", about=read.belief)
    rows = [row for row in wording.rows_of(found, "beliefs") if row["belief"] == read.belief] if found.ok else []
    told = [_say_check(desk, row) for row in rows if row.get("check")]
    ends = speak("Due {day}: prices decide ({check}).", day=read.day, check=told[0]) if told else speak(
        "Due {day}: then you say how it turned out (“my belief on … was right”).", day=read.day
    )  # fmt: skip
    return reply.reply_of_lines(speak("Belief: {belief}", belief=read.belief), ends, *kept)


def _say_check(desk: ToolDesk, row: Json) -> str:
    """Return what prices decide of a belief, in a clause."""
    speak, name = desk.speak, wording.name_alone(desk, str(row["symbol"]), None)
    if row.get("against"):
        other = wording.name_alone(desk, str(row["against"]), None)
        if row["says"] == "beats":
            return speak("{name} does better than {other}", name=name, other=other)
        return speak("{name} does worse than {other}", name=name, other=other)
    if row.get("level") is not None:
        given = {"name": name, "level": f"{row['level']:.10g}"}
        if row["says"] == ">=":
            said = "a close of {name} at {level} or above" if row.get("once") else "{name} closes at {level} or above"
        else:
            said = "a close of {name} at {level} or below" if row.get("once") else "{name} closes at {level} or below"
        return speak(said, **given)
    if row.get("change_pct") is not None:
        sign = "+" if row["says"] == "up" else "-"
        return speak("{name} moves {change}%", name=name, change=f"{sign}{row['change_pct']:.10g}")
    return speak("{name} is higher" if row["says"] == "up" else "{name} is lower", name=name)


def _list(desk: ToolDesk, words: str, wish: str) -> Work[Reply | None]:
    """List the beliefs that a question means, with the score; None where others answer it better."""
    speak, mentions = desk.speak, find_mentions(words)
    about = mentions[0].code if mentions else ""
    found = yield from desk.one("memory.beliefs", about=about, due=wish == DUE)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the beliefs"), found.failure)
    rows, score = wording.rows_of(found, "beliefs"), read_score(found)
    dated = sum(count for state, count in score.items() if state != "undated")
    asked_wider = wish != WHEN and read_acts(desk.request).kind == "asked_memory"  # of the notes too
    if wish in (LIST, WHEN) and about and not rows and not asked_wider:
        name = wording.name_alone(desk, about, None)
        return reply.reply_of_lines(speak("None of your beliefs is about {name}.", name=name))
    if wish == LIST and (not dated or (about and not rows)):
        return None
    if wish == OPEN:
        rows = [row for row in rows if row["state"] in ("open", "due")]
    if not dated:
        if asks_judgments(words) and (judgments := (yield from reviewing.settled_judgments(desk))):
            return reply.reply_of_lines(*judgments)
        return reply.reply_of_lines(
            speak("None of your beliefs has a date yet. Say for example “I think CATL will be above 200 by June”.")
        )
    judgments = (yield from reviewing.settled_judgments(desk)) if wish in (DUE, SCORE) and asks_judgments(words) else []
    settled = [row for row in rows if row["state"] in ("right", "wrong")]
    shown = (settled or rows) if wish == SCORE else rows
    lines = [say_belief(desk, row) for row in sorted(shown, key=order_of)[:SHOWN]]
    if wish == DUE:
        head = speak(
            PluralText("**{count} belief is due** and waits for your verdict:",
                       "**{count} beliefs are due** and wait for your verdict:"), count=len(rows)
        ) if rows else speak("No belief waits for your verdict.")  # fmt: skip
        lines += [speak("Say “my belief on … was right”, or `ia memory judge`.")] if rows else []
    else:
        head = say_score(desk, score)
    mark = wording.simulated_mark(desk, any(row.get("simulated") for row in shown))
    more = [speak("… more: `ia memory beliefs`")] if len(shown) > SHOWN else []
    return Reply([head + mark, *lines, *more, *judgments], lines, ["memory/beliefs.md"])


_PLAIN = pattern(
    r"我们?的?|那[条个]|这[条个]|关于|有关|信念|预测|判断|对了?|错了?|应验了?|成真了?|落空了?|没?实现了?|的|是|果然|最后|证明|已经"
    r"|\b(?:belief|prediction|forecast|that|this|about|with|turned|proved|right|wrong|true|false|correct|came|come)\b",
    re.I,
)
"""Words of a verdict that name no belief."""


def _judge(desk: ToolDesk, words: str, *, right: bool) -> Work[Reply]:
    """Write down the owner's verdict on the one belief that a message means; name them where it may be several."""
    speak, mentions = desk.speak, find_mentions(words)
    found = yield from desk.one("memory.beliefs", about=mentions[0].code if mentions else "")
    if found.failure is not None:
        return wording.unreadable(desk, speak("the beliefs"), found.failure)
    rows = wording.rows_of(found, "beliefs")
    said = text_terms(_PLAIN.sub(" ", strip_mentions(words)))
    chosen = rows if mentions else [row for row in rows if row["state"] in ("due", "open")]
    if said and not mentions:
        chosen = [row for row in chosen if said & text_terms(str(row["belief"]))]
    elif not mentions:  # that belief was right: the one that is due
        chosen = [row for row in chosen if row["state"] == "due"]
    waiting = [row for row in chosen if row.get("by") != "owner"]
    if len(waiting or chosen) != 1:
        lines = [say_belief(desk, row) for row in sorted(waiting or rows, key=order_of)[:SHOWN]]
        return reply.reply_of_lines(
            speak("Which belief? `ia memory judge 'WORDS' right` or `wrong` writes it down."), *lines
        )
    row = (waiting or chosen)[0]
    result = yield from desk.one("memory.judge", belief=row["belief"], right=right, because=" ".join(words.split()))
    kept = reply.describe_paths(desk, (result, speak_kept(desk)))
    if not result.ok:
        return reply.reply_of_lines(*kept)
    said_right = speak("**right**") if right else speak("**wrong**")
    return reply.reply_of_lines(f"{said_right}{speak(': ')}{row['belief']}", *kept)
