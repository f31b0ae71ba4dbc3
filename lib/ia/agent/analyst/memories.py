"""What to remember and what was remembered: watch list, beliefs, preferences, notes, and questions about them."""

import re
from collections.abc import Callable
from typing import Any

from ia.agent.analyst import past, reply
from ia.agent.analyst.desk import Call, Desk, Result, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.mentions import Mention, bare
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import named, observe, recalled

ALL_DAYS = "9999"
"""A day after all others: nothing is too new to be told of."""
_FILES = (
    ("tracking", r"关注|跟踪|自选|watch ?list|\btrack|\bwatch|\bfollow", "关注列表", "The watch list"),
    ("beliefs", r"信念|相信|\bbelie", "信念", "The beliefs"),
    ("preferences", r"偏好|喜欢|习惯|\bprefer", "偏好", "The preferences"),
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


def asked_memory(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Answer a question about the memory with what stands there, word for word, and where."""
    if not wanted.securities:
        for path, words, zh, en in _FILES:
            if re.search(words, wanted.words, re.I) and not re.search(
                r"怎么看|看法|说过|写过|think|said|wrote", wanted.words, re.I
            ):
                return (yield from _file(desk, path, zh, en))
    return (yield from _recalled(desk, wanted))


def _file(desk: Desk, path: str, zh: str, en: str) -> Work[Reply]:
    speak = desk.speak
    result = yield from desk.one("memory.read", path=path)
    text = str(result.value) if result.ok else ""
    entries = [line.strip() for line in text.splitlines() if line.lstrip().startswith(("-", "*"))]
    if entries:
        head = speak("{title}（`memory/{page}.md`）：", "{title} (`memory/{page}.md`):", title=speak(zh, en), page=path)
        return Reply([head, *entries], entries, [f"memory/{path}.md"])
    if result.missing:
        return reply.of(speak("这里没有读记忆的工具。", "There is no tool here to read the memory."))
    return reply.of(
        speak(
            "{title}还是空的（`memory/{page}.md`）。",
            "{title}: nothing there yet (`memory/{page}.md`).",
            title=speak(zh, en),
            page=path,
        )
    )


def _recalled(desk: Desk, wanted: Intent) -> Work[Reply]:
    speak = desk.speak
    names = [mention.name for mention in wanted.securities]
    rest = " ".join(_FILLER.sub(" ", bare(wanted.words)).split())
    query = " ".join(names) or rest or wanted.words
    calls = [Call("memory.recall", {"query": query, "limit": 8})]
    calls += [Call("market.ohlcv", {"symbol": m.code, "tail": 120}) for m in wanted.securities[:1]]
    found, *bars = yield from desk.run(*calls)
    if found.failure is not None:
        why = (
            speak("没有检索记忆的工具", "there is no tool to search the memory")
            if found.missing
            else reply.describe_failure(speak, found.failure)
        )
        return reply.of(speak("找不了：{reason}。", "It cannot be looked up: {reason}.", reason=why))
    hits = recalled(found.value)
    if not hits:
        return reply.of(
            speak(
                "记忆和笔记里没有找到关于“{query}”的内容。",
                'Nothing about "{query}" was found in memory or notes.',
                query=query,
            )
        )
    if not wanted.securities:
        lines = [f"- {_found(desk, hit)}" for hit in hits]
        head = speak("关于“{query}”，记忆和笔记里有：", 'About "{query}", memory and notes hold:', query=query)
        return Reply([head, *lines], lines, [str(hit["source"]) for hit in hits])
    mention = wanted.securities[0]
    priced = bars[0] if bars and bars[0].ok else None
    yield from past.read_whole(desk, hits, (mention.name, mention.code), ALL_DAYS)
    sources: list[str] = []
    lines = _about(desk, mention, hits, priced, sources)
    simulated = bool(priced and priced.get("simulated"))
    head = speak(
        "关于{name}，我们留下过这些（新的在前）{simulated}：",
        "On {name} there is (newest first){simulated}:",
        name=named(desk, mention),
        simulated=speak("，行情是模拟的", "; prices are simulated") if simulated else "",
    )
    if not lines:
        return reply.of(
            speak(
                "记忆和笔记里没有关于{name}的内容。",
                "Memory and notes hold nothing on {name}.",
                name=named(desk, mention),
            )
        )
    return Reply([head, *lines], lines, sources)


@part("找到的一条内容", "one of the passages found", in_text)
def _found(desk: Desk, hit: dict[str, Any]) -> str:
    """Return a passage of the memory as a line."""
    gist = past.gist(str(hit.get("content") or ""))
    return f"{hit.get('date') or ''} `{hit['source']}`{desk.speak('：', ': ')}{gist}"


@part("之前的看法", "what was said before", in_list)
def _about(
    desk: Desk, mention: Mention, hits: list[dict[str, Any]], priced: Result | None, sources: list[str]
) -> list[str]:
    """Return what was said of a security in lines, with what came of it; add the files to `sources`."""
    closes = past.closes_of(priced.value) if priced else []
    told = past.of(hits, (mention.name, mention.code), closes, ALL_DAYS, desk.speak)
    lines = [f"- {past.told(item, desk.speak)}" for item in told]
    sources += [item.source for item in told]
    return lines


def track(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Put securities, or a topic, on the watch list."""
    why = _after(wanted.words)
    items = [(named(desk, mention), mention.code) for mention in wanted.securities] or [(_quoted(wanted.words),) * 2]
    results = yield from desk.run(*(Call("memory.track", {"symbol": code, "why": why}) for _, code in items))
    return _each(desk, items, results, "已加入关注", "On the watch list", why)


def untrack(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Take securities, or a topic, off the watch list."""
    items = [(named(desk, mention), mention.code) for mention in wanted.securities] or [(_quoted(wanted.words),) * 2]
    results = yield from desk.run(*(Call("memory.untrack", {"symbol": code}) for _, code in items))
    return _each(desk, items, results, "已取消关注", "Off the watch list", "")


def _each(desk: Desk, items: list[tuple[str, str]], results: list[Result], zh: str, en: str, why: str) -> Reply:
    speak, lines = desk.speak, []
    for (name, code), result in zip(items, results, strict=True):
        shown = name if name == code else f"{name} {code}"
        if result.ok and result.get("proposal") is None:
            lines.append(
                f"{speak(zh, en)}{speak('：', ': ')}{shown}"
                + (speak("（{reason}）", " ({reason})", reason=why) if why else "")
            )
        elif not result.ok:
            lines.append(reply.not_kept(desk, result, shown, shown))
    return reply.of(*lines, *reply.waiting(desk, results))


def note(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Write down what the user says: of one security as an observation, else in the day's scratch note."""
    speak = desk.speak
    text = (
        _after(wanted.words)
        or re.sub(r"^\S*?(记下来?|记一下|note|write down)\W*", "", wanted.words, flags=re.I).strip()
    )
    if not text:
        yield from ()
        return reply.of(
            speak(
                "要记什么？例如“记下：北向资金连续三天流出”。",
                "Note what? For example: “note: three days of outflows”.",
            )
        )
    if len(wanted.securities) == 1:
        mention = wanted.securities[0]
        before = yield from desk.one("memory.read", path=observe_path(desk, mention.name))
        result = (yield from desk.run(observe(desk, mention.name, text, str(before.value) if before.ok else "")))[0]
        return reply.of(*reply.paths(desk, (result, "观察", "observation")))
    line = f"- [{desk.request.moment:%H:%M}] {text}"
    result = yield from desk.one("notebook.append", path=f"scratch/{desk.request.day}.md", content=line)
    return reply.of(*reply.paths(desk, (result, "笔记", "note")))


def believe(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Keep what the user wants remembered: a belief with its reason."""
    speak = desk.speak
    text = _after(wanted.words) or wanted.words
    belief, *reason = _REASON.split(text, maxsplit=1)
    if not (reason and reason[0].strip()) and _BELIEF.search(wanted.words):
        yield from ()
        return reply.of(
            speak(
                "信念要有理由才留得住：“{belief}”是因为什么？照这样说：“记住：{belief}，因为……”。",
                'A belief is kept with its reason: why "{belief}"? Say: "Remember: {belief}, because …".',
                belief=belief.strip(" .。"),
            )
        )
    why = (
        reason[0].strip()
        if reason
        else speak("{day} 你让我记住", "you told me to remember it on {day}", day=desk.request.day)
    )
    result = yield from desk.one("memory.believe", text=belief.strip(), because=why)
    lines = reply.paths(desk, (result, "信念", "belief"))
    return reply.of(
        speak(
            "信念：{belief}（因为：{reason}）",
            "Belief: {belief} (because: {reason})",
            belief=belief.strip(),
            reason=why,
        ),
        *lines,
    )


def prefer(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Propose a preference in the user's own words."""
    speak = desk.speak
    result = yield from desk.one(
        "memory.prefer", text=wanted.words, because=speak("{day} 你说的", "you said so on {day}", day=desk.request.day)
    )
    lines = reply.waiting(desk, [result]) or [reply.not_kept(desk, result, "偏好", "the preference")]
    return reply.of(speak("偏好是你的大事，改动要你点头。", "A preference changes only with your consent."), *lines)


def observe_path(desk: Desk, topic: str) -> str:
    """Return the path of today's observation of a topic."""
    from ia.agent.analyst.research import observation

    return observation(desk, topic)


def _after(words: str) -> str:
    """Return what follows the first colon, or the reason after a comma: the words to keep."""
    found = re.search(r"[:：]\s*(.+)", words, re.S) or re.search(
        r"[，,]\s*((?:等|因为|如果|若|关注点|wait|because|if|until|for).+)", words, re.S | re.I
    )
    return " ".join(found[1].split()) if found else ""


def _quoted(words: str) -> str:
    found = re.search(r"[「“\"](.+?)[」”\"]", words) or re.search(r"[:：]\s*(.+)", words)
    return found[1].strip() if found else words


KINDS: dict[str, Callable[[Desk, Intent], Work[Reply]]] = {
    "asked_memory": asked_memory,
    "track": track,
    "untrack": untrack,
    "note": note,
    "believe": believe,
    "prefer": prefer,
}
