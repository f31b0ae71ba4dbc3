"""What to remember and what was remembered: watch list, beliefs, preferences, notes, and questions about them."""

import re
from collections.abc import Callable

from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import past_views
from ia.agent.analyst.evidence.study import display_name, recall_hits
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.filing import observation, observe
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.kernel.jsontypes import Json

ALL_DAYS = "9999"
"""A day after all others: nothing is too new to be told of."""
RECALLED, SHOWN = 40, 8
"""Hits that are looked through, for many may be questions of the user; and passages that an answer has."""
_FILES = (
    ("tracking", r"关注|跟踪|自选|watch ?list|\btrack|\bwatch|\bfollow", "The watch list"),
    ("beliefs", r"信念|相信|\bbelie", "The beliefs"),
    ("preferences", r"偏好|喜欢|习惯|\bprefer", "The preferences"),
)
_FILLER = re.compile(
    r"我们?|你们?|之前|以前|上次|过去|曾经|原来|怎么看|怎么说|说过|写过|看法|判断|记录|观点|研究过?|什么|哪些|关于"
    r"|有关|对|的|吗|么|呢|是|了|过|都|还|记得|请问|告诉|一下|[？?，。,.!！]"
    r"|\b(what|did|have|do|does|i|we|you|my|our|say|said|write|written|wrote|think|thought|note[sd]?|about|on|of|the"
    r"|a|before|earlier|last|time|remember|tell|me)\b",
    re.I,
)
_REASON = re.compile(r"[，,；;。.]?\s*(?:因为|原因是|理由是|\bbecause\b|\bsince\b)[:：]?\s*", re.I)

_BELIEF = re.compile(r"^\W*(请|帮我)?\S{0,6}信念|\bbelief\b", re.I)


def asked_memory(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Answer a question about the memory with what stands there, word for word, and where."""
    if not wanted.securities:
        for path, words, title in _FILES:
            if re.search(words, wanted.words, re.I) and not re.search(
                r"怎么看|看法|说过|写过|think|said|wrote", wanted.words, re.I
            ):
                return (yield from _file(desk, path, desk.speak(title)))
    return (yield from _recall_lines(desk, wanted))


def _file(desk: ToolDesk, path: str, title: str) -> Work[Reply]:
    speak = desk.speak
    result = yield from desk.one("memory.read", path=path)
    text = str(result.value) if result.ok else ""
    entries = [line.strip() for line in text.splitlines() if line.lstrip().startswith(("-", "*"))]
    if entries:
        head = speak("{title} (`memory/{page}.md`):", title=title, page=path)
        return Reply([head, *entries], entries, [f"memory/{path}.md"])
    if result.missing:
        return reply.reply_of_lines(speak("There is no tool here to read the memory."))
    return reply.reply_of_lines(
        speak(
            "{title}: nothing there yet (`memory/{page}.md`).",
            title=title,
            page=path,
        )
    )


def _recall_lines(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    speak = desk.speak
    names = [mention.name for mention in wanted.securities]
    rest = " ".join(_FILLER.sub(" ", strip_mentions(wanted.words)).split())
    query = " ".join(names) or rest or wanted.words
    calls = [DeskCall("memory.recall", {"query": query, "limit": RECALLED})]
    calls += [DeskCall("market.ohlcv", {"symbol": m.code, "tail": 120}) for m in wanted.securities[:1]]
    found, *bars = yield from desk.run(*calls)
    if found.failure is not None:
        why = (
            speak("there is no tool to search the memory") if found.missing else describe_failure(speak, found.failure)
        )
        return reply.reply_of_lines(speak("It cannot be looked up: {reason}.", reason=why))
    hits = [hit for hit in recall_hits(found.value) if hit.get("kind") != "question"][:SHOWN]
    if not hits:
        return reply.reply_of_lines(
            speak(
                'Nothing about "{query}" was found in memory or notes.',
                query=query,
            )
        )
    if not wanted.securities:
        lines = [f"- {_format_passage(desk, hit)}" for hit in hits]
        head = speak('About "{query}", memory and notes hold:', query=query)
        return Reply([head, *lines], lines, [str(hit["source"]) for hit in hits])
    mention = wanted.securities[0]
    priced = bars[0] if bars and bars[0].ok else None
    yield from past_views.read_whole(desk, hits, (mention.name, mention.code), ALL_DAYS)
    sources: list[str] = []
    lines = _about(desk, mention, hits, priced, sources)
    simulated = bool(priced and priced.get("simulated"))
    head = speak(
        "On {name} there is (your own words first, newest first){simulated}:",
        name=display_name(desk, mention),
        simulated=speak("; prices are simulated") if simulated else "",
    )
    if not lines:
        lines = [f"- {_format_passage(desk, hit)}" for hit in hits if _is_about(hit, mention)]
        sources = [str(hit["source"]) for hit in hits if _is_about(hit, mention)]
    if not lines:
        return reply.reply_of_lines(
            speak(
                "Memory and notes hold nothing on {name}.",
                name=display_name(desk, mention),
            )
        )
    return Reply([head, *lines], lines, sources)


def _is_about(hit: Json, mention: Mention) -> bool:
    """Return True if a passage names a security, or is filed under it."""
    text = f"{hit.get('source')} {hit.get('content')}"
    return mention.name in text or mention.symbol.code in text


@part("one of the passages found", in_text)
def _format_passage(desk: ToolDesk, hit: Json) -> str:
    """Return a passage of the memory as a line."""
    gist = past_views.find_gist(str(hit.get("content") or ""))
    return f"{hit.get('date') or ''} `{hit['source']}`{desk.speak(': ')}{gist}"


@part("what was said before", in_list)
def _about(
    desk: ToolDesk, mention: Mention, hits: list[Json], priced: DeskResult | None, sources: list[str]
) -> list[str]:
    """Return what was said of a security in lines, with what came of it; add the files to `sources`."""
    closes = past_views.closes_of(priced.value) if priced else []
    told = past_views.find_views(hits, (mention.name, mention.code), closes, ALL_DAYS, desk.speak)
    lines = [f"- {past_views.describe_view(item, desk.speak)}" for item in told]
    sources += [item.source for item in told]
    return lines


def track(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Add securities or a topic to the watch list."""
    why = _after(wanted.words)
    items = [(display_name(desk, mention), mention.code) for mention in wanted.securities] or [
        (_quote_text(wanted.words),) * 2
    ]
    results = yield from desk.run(*(DeskCall("memory.track", {"symbol": code, "why": why}) for _, code in items))
    return _each(desk, items, results, desk.speak("On the watch list"), why)


def untrack(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Take securities, or a topic, off the watch list."""
    items = [(display_name(desk, mention), mention.code) for mention in wanted.securities] or [
        (_quote_text(wanted.words),) * 2
    ]
    results = yield from desk.run(*(DeskCall("memory.untrack", {"symbol": code}) for _, code in items))
    return _each(desk, items, results, desk.speak("Off the watch list"), "")


def _each(desk: ToolDesk, items: list[tuple[str, str]], results: list[DeskResult], done: str, why: str) -> Reply:
    speak, lines = desk.speak, []
    for (name, code), result in zip(items, results, strict=True):
        shown = name if name == code else f"{name} {code}"
        if result.ok and result.get("proposal") is None:
            lines.append(f"{done}{speak(': ')}{shown}" + (speak(" ({reason})", reason=why) if why else ""))
        elif not result.ok:
            lines.append(reply.describe_not_kept(desk, result, shown))
    return reply.reply_of_lines(*lines, *reply.describe_proposals(desk, results))


def note(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Write down what the user says: of one security as an observation, else in the day's scratch note."""
    speak = desk.speak
    text = (
        _after(wanted.words)
        or re.sub(r"^\S*?(记下来?|记一下|note|write down)\W*", "", wanted.words, flags=re.I).strip()
    )
    if not text:
        yield from ()
        return reply.reply_of_lines(
            speak(
                "Note what? For example: “note: three days of outflows”.",
            )
        )
    if len(wanted.securities) == 1:
        mention = wanted.securities[0]
        before = yield from desk.one("memory.read", path=observation(desk, mention.name))
        result = (yield from desk.run(observe(desk, mention.name, text, str(before.value) if before.ok else "")))[0]
        return reply.reply_of_lines(*reply.describe_paths(desk, (result, speak("observation", context="kept"))))
    line = f"- [{desk.request.moment:%H:%M}] {text}"
    result = yield from desk.one("notebook.append", path=f"scratch/{desk.request.day}.md", content=line)
    return reply.reply_of_lines(*reply.describe_paths(desk, (result, speak("note", context="kept"))))


def believe(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Keep what the user wants remembered: a belief with its reason."""
    speak = desk.speak
    text = _after(wanted.words) or wanted.words
    belief, *reason = _REASON.split(text, maxsplit=1)
    if not (reason and reason[0].strip()) and _BELIEF.search(wanted.words):
        yield from ()
        return reply.reply_of_lines(
            speak(
                'A belief is kept with its reason: why "{belief}"? Say: "Remember: {belief}, because …".',
                belief=belief.strip(" .。"),
            )
        )
    why = reason[0].strip() if reason else speak("you told me to remember it on {day}", day=desk.request.day)
    result = yield from desk.one("memory.believe", text=belief.strip(), because=why)
    lines = reply.describe_paths(desk, (result, speak("belief", context="kept")))
    return reply.reply_of_lines(
        speak(
            "Belief: {belief} (because: {reason})",
            belief=belief.strip(),
            reason=why,
        ),
        *lines,
    )


def prefer(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Propose a preference in the user's own words."""
    speak = desk.speak
    result = yield from desk.one(
        "memory.prefer", text=wanted.words, because=speak("you said so on {day}", day=desk.request.day)
    )
    lines = reply.describe_proposals(desk, [result]) or [
        reply.describe_not_kept(desk, result, speak("the preference", context="kept"))
    ]
    return reply.reply_of_lines(speak("A preference changes only with your consent."), *lines)


def _after(words: str) -> str:
    """Return what follows the first colon, or the reason after a comma: the words to keep."""
    found = re.search(r"[:：]\s*(.+)", words, re.S) or re.search(
        r"[，,]\s*((?:等|因为|如果|若|关注点|wait|because|if|until|for).+)", words, re.S | re.I
    )
    return " ".join(found[1].split()) if found else ""


def _quote_text(words: str) -> str:
    found = re.search(r"[「“\"](.+?)[」”\"]", words) or re.search(r"[:：]\s*(.+)", words)
    return found[1].strip() if found else words


KINDS: dict[str, Callable[[ToolDesk, Intent], Work[Reply]]] = {
    "asked_memory": asked_memory,
    "track": track,
    "untrack": untrack,
    "note": note,
    "believe": believe,
    "prefer": prefer,
}
