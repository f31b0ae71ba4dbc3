"""Notes of the owner: read one whole, list them, and the target price that they name."""

import re
from collections import Counter
from datetime import date

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import recall_hits
from ia.agent.analyst.jobs import own_notes
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.held import load_held
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.patterns import pattern

LINES = 9
SHOWN = 6
COUNT, WISH, NEWEST, LESSONS, UNNOTED, DAY, REACHED = (
    "count", "wish", "newest", "lessons", "unnoted", "day", "reached",
)  # fmt: skip
"""The fields of a question how many notes there are, for what the owner meant to do, for the newest note, for what was
learned, for holdings without a note, when a note was written, and whether a price in it was reached."""
_PATH = pattern(r"(?:notebook/)?(?P<path>[\w\u3400-\u9fff.-]+(?:/[\w\u3400-\u9fff.-]+)+)")
_DAY = pattern(r"\d{4}-\d\d-\d\d")


def answer_note(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the text of a note: by its path, or the newest one on a security; without either, the list."""
    speak = desk.speak
    listed = yield from desk.one("notebook.list")
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the notes"), listed.failure)
    own = [str(row["path"]) for row in wording.rows_of(listed, "notes") if row.get("author") != "ia"]
    field = asked.facts[0].field
    if own and field == NEWEST and not asked.spans:
        return (yield from _tell_note(desk, own, dated=True))
    if field == LESSONS:
        span = asked.spans[0] if asked.spans else None
        return (yield from own_notes.list_notes(desk, asked.words, span, only=own_notes.OBSERVATIONS))
    if field == UNNOTED:
        return (yield from _list_unnoted(desk, asked, own))
    found = _PATH.search(asked.words)
    if found is not None:
        begun = f"notebook/{found['path'].removesuffix('.md')}"
        paths = [
            str(row["path"])
            for row in wording.rows_of(listed, "notes")
            if str(row["path"]).removesuffix(".md") == begun or str(row["path"]).startswith(f"{begun}/")
        ]
        if not paths:
            return reply_of_lines(speak("There is no note {path}; `ia note list` lists them.", path=found["path"]))
        return (yield from _tell_note(desk, paths))
    if not asked.securities and asked.facts[0].field == COUNT:
        about = _MENTIONED.search(asked.words) if not asked.spans else None
        if about is None:
            return _count_notes(desk, asked, own, "")
        named = (about["en"] or about["zh"]).strip()
        if _OTHER_TOPIC.match(named):
            return wording.ask_back(desk, (named,))
        return _count_notes(desk, asked, (yield from _find_topic(desk, named, own)), named)
    topic = _TOPIC.search(asked.words)
    if (
        topic is not None
        and not asked.securities
        and not asked.spans
        and (said := (topic["zh"] or topic["en"] or "").strip())
    ):
        return (yield from _tell_topic(desk, said, own))
    if not asked.securities:
        return (yield from own_notes.list_notes(desk, asked.words, asked.spans[0] if asked.spans else None))
    names = own_notes.names_of(asked.securities[0])
    calls = [
        DeskCall("memory.recall", {"query": name, "limit": own_notes.RECALLED}) for name in names[: own_notes.NAMES]
    ]
    searches = yield from desk.run(*calls)
    hits = {str(hit["source"]): hit for each in searches if each.ok for hit in recall_hits(each.value)}
    low = [name.casefold() for name in names]
    paths = [
        path
        for path, hit in hits.items()
        if path in own and any(name in f"{path} {hit.get('content')}".casefold() for name in low)
    ]
    if paths and asked.facts[0].field == COUNT:
        return _count_notes(desk, asked, paths, wording.head_of(desk, asked.securities[0]))
    if not paths:
        return reply_of_lines(
            speak("You wrote no note on {name}; `ia note list` lists the notes.",
                  name=wording.head_of(desk, asked.securities[0]))
        )  # fmt: skip
    return (yield from _tell_note(desk, paths, dated=asked.facts[0].field == DAY))


def _list_unnoted(desk: ToolDesk, asked: FactQuestion, own: list[str]) -> Work[Reply]:
    """Return which holdings none of the owner's notes names, by their path or their text."""
    speak = desk.speak
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    texts = yield from desk.run(*(DeskCall("notebook.read", {"path": path}) for path in own))
    said = [f"{path} {text.value if text.ok else ''}" for path, text in zip(own, texts, strict=True)]
    named = {each.code for text in said for each in find_mentions(text)}
    without = [symbol for symbol, _ in loaded[1] if symbol not in named]
    if not without:
        return reply_of_lines(speak("**Each holding** is named in a note of yours."))
    head = PluralText("**{count} holding** is in no note of yours:", "**{count} holdings** are in no note of yours:")
    lines = [f"- {wording.security_name(desk, symbol, None)}" for symbol in without]
    return reply_of_lines(speak(head, count=len(without)), *lines)


def _count_notes(desk: ToolDesk, asked: FactQuestion, paths: list[str], name: str) -> Reply:
    """Return how many notes there are, of a time where one is named, and the newest of them."""
    speak, span = desk.speak, asked.spans[0] if asked.spans else None
    if len(asked.spans) > 1 or (span is not None and (span.first is None or span.last is None)):
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    dated = [(day[0] if (day := _DAY.search(path)) else "", path) for path in paths]
    if span is not None:
        dated = [(day, path) for day, path in dated if f"{span.first}" <= day <= f"{span.last}"]
    dated.sort(reverse=True)
    head = speak(PluralText("**{count} note** of yours{about}.", "**{count} notes** of yours{about}, newest first:"),
                 count=len(dated), about=speak(" on {name}", name=name) if name else "")  # fmt: skip
    kinds = Counter(path.split("/")[1] for _, path in dated if path.count("/") > 1)
    told = speak.join_items([f"{kind} {count}" for kind, count in kinds.most_common()])
    last = [speak("By kind: {kinds}.", kinds=told)] if len(kinds) > 1 else []
    return reply_of_lines(head, *(f"- `{path}`" for _, path in dated[:SHOWN]), *last)


_TOPIC = pattern(
    r"(?:我(?:的|写的|记的|[提写说讲][到过](?:了|的)?|提)?|\A)(?P<zh>[^，,。\s我]{1,8}?)(?:的)?那一?[条篇则个]笔记"
    r"|\bnotes? (?:on|about|titled|called|named) (?:the |my )?(?P<en>[\w&.' -]{2,40}?)(?: say| tell|\W*\Z)",
    re.I,
)
"""A note by what it is about: 过年那条笔记."""


_MENTIONED = pattern(
    r"\b(?:mention(?:s|ed|ing)?|about|contain(?:s|ing)?|say|talk about) (?:the )?(?P<en>[\w&.' -]{2,40}?)\W*\Z"
    r"|(?:提到|提及|写到|关于|说到|里有)过?了?(?P<zh>[^，,。\s?？]{2,8}?)(?:的)?(?:笔记)?(?:有|一共|共)*(?:几|多少)?[篇条个]?的?(?:笔记)?(?:有)?(?:几[篇条个]|多少[篇条个]?)?\W*\Z",
    re.I,
)
"""What the notes that are counted have to mention."""
_OTHER_TOPIC = pattern(r"(?:my|it|them|each|any|what)\b|我|它|每", re.I)
"""A topic that is no word of a note."""


def _find_topic(desk: ToolDesk, topic: str, own: list[str]) -> Work[list[str]]:
    """Return which of the owner's notes have a topic in their text."""
    texts = yield from desk.run(*(DeskCall("notebook.read", {"path": path}) for path in own))
    return [path for path, text in zip(own, texts, strict=True) if topic.casefold() in f"{text.value}".casefold()]


def _tell_topic(desk: ToolDesk, topic: str, own: list[str]) -> Work[Reply]:
    """Return the newest of the owner's notes whose name or text has a topic."""
    low = topic.casefold()
    paths = [path for path in own if low in path.casefold()]
    if not paths:
        found = yield from desk.one("memory.recall", query=topic, limit=own_notes.RECALLED)
        hits = recall_hits(found.value) if found.ok else []
        paths = [
            str(hit["source"])
            for hit in hits
            if str(hit["source"]) in own and low in str(hit.get("content") or "").casefold()
        ]
    if not paths:
        return reply_of_lines(desk.speak("You wrote no note on {name}; `ia note list` lists the notes.", name=topic))
    return (yield from _tell_note(desk, list(dict.fromkeys(paths))))


def _tell_note(desk: ToolDesk, paths: list[str], *, dated: bool = False) -> Work[Reply]:
    """Return the text of the newest of some notes, on which day it was written where that is asked, and the others."""
    speak = desk.speak
    ordered = sorted(paths, key=lambda path: (day[0] if (day := _DAY.search(path)) else "", path), reverse=True)
    text = yield from desk.one("notebook.read", path=ordered[0])
    if text.failure is not None:
        return wording.unreadable(desk, f"`{ordered[0]}`", text.failure)
    rows = [line for line in str(text.value).splitlines() if line.strip() and not line.startswith("<!--")]
    more = (
        [speak("… more: `ia note read {path}`", path=ordered[0].removeprefix("notebook/"))] if len(rows) > LINES else []
    )
    others = PluralText("{count} more note: {paths}", "{count} more notes, the newest: {paths}")
    rest = [speak(others, count=len(ordered) - 1, paths=speak.join_items([f"`{path}`" for path in ordered[1:3]]))]
    head = f"`{ordered[0]}`{speak(': ')}"
    if dated and (day := _DAY.search(ordered[0])):
        head = speak("Written on **{day}**, {days} days ago: `{path}`", path=ordered[0], day=day[0],
                     days=(desk.request.moment.date() - date.fromisoformat(day[0])).days)  # fmt: skip
    return reply_of_lines(head, *rows[:LINES], *more, *(rest if ordered[1:] else []))


def answer_target(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the target price that the owner's notes name for a security, or with what they say of a trade."""
    if asked.facts[0].field == WISH:
        return (yield from own_notes.quote_wish(desk, asked.securities[0], asked.words, spans=asked.spans))
    if asked.facts[0].field == REACHED:
        return (yield from own_notes.compare_level(desk, asked.securities[0], asked.words))
    return (yield from own_notes.quote_target(desk, asked.securities[0], spans=asked.spans))


_KINDS = (
    ("daily", pattern(r"日报|每日(?:报告|复盘)|\bdaily\b", re.I)),
    ("weekly", pattern(r"周报|每周(?:报告|复盘)|周复盘|\bweekly\b", re.I)),
    ("monthly", pattern(r"月报|每月(?:报告|复盘)|月复盘|\bmonthly\b", re.I)),
)
_REPORTS = "notebook/reports/"
_LISTED = pattern(r"哪[些几]|几[份个篇]|多少|所有|全部|列|\b(?:which|what|list|all|many|show)\b", re.I)


def answer_last_report(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer of which day the newest report of a kind is, and where it stands; or list the newest ones."""
    speak = desk.speak
    if asked.spans or asked.unread:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))
    listed = yield from desk.one("notebook.list")
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the notes"), listed.failure)
    kind = next((key for key, words in _KINDS if words.search(asked.words)), "")
    begun = _REPORTS + kind
    names = {
        "daily": speak("daily report"),
        "weekly": speak("weekly report"),
        "monthly": speak("monthly report"),
    }
    name = names.get(kind, speak("report"))
    found = sorted(
        (
            (day[0], str(row.get("time") or ""), str(row["path"]), str(row.get("title") or ""))
            for row in wording.rows_of(listed, "notes")
            if str(row["path"]).startswith(begun) and (day := _DAY.search(str(row["path"])))
        ),
        reverse=True,
    )
    if not found:
        return reply_of_lines(speak("No {name} is kept yet.", name=name))
    newest, _, path, title = found[0]
    if _LISTED.search(asked.words) and not _NEWEST.search(asked.words):
        head = PluralText("**{count} {name}** kept:", "**{count} {name}s** kept, newest first:")
        return reply_of_lines(speak(head, count=len(found), name=name), *(f"- `{each[2]}`" for each in found[:SHOWN]))
    return reply_of_lines(
        speak("The newest {name} is of **{day}**: {title}", name=name, day=newest, title=title),
        speak("`ia note read {path}` shows it.", path=path.removeprefix("notebook/")),
    )


_NEWEST = pattern(r"最[近新后]|上[一次份]|\b(?:last|latest|newest|most recent)\b", re.I)


ANSWERS = {"note": answer_note, "own_target": answer_target, "last_report": answer_last_report}
