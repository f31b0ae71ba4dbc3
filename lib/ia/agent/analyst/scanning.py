"""The watch list against the rules: red flags first, then what fired, ranked by its weight."""

import re

from ia.agent.analyst import guarded, reply
from ia.agent.analyst import lens as lenses
from ia.agent.analyst.comparing import CALLS, Side, sides_of
from ia.agent.analyst.desk import Call, Desk, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.mentions import found
from ia.agent.analyst.parts import in_list, part
from ia.agent.analyst.readings import LABELS, key
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import filed, loaded, observe
from ia.agent.analyst.voice import number

SCANNED = (
    ("roc(close, 1)", "percent"),
    ("roc(close, 20)", "percent"),
    ("(close / sma(close, 200) - 1) * 100", "percent"),
    ("rsi(close, 14)", "points"),
    ("volume / sma(ref(volume, 1), 20)", "ratio"),
)
CRITERIA = (
    (r"超卖|oversold", "rsi(close, 14) < 30", ("超卖", "oversold")),
    (r"超买|过热|overbought", "rsi(close, 14) > 70", ("超买", "overbought")),
    (r"放量|volume spike|heavy volume", "volume > 1.5 * ref(sma(volume, 20), 1)", ("放量", "heavy volume")),
    (r"突破|breakout|新高|new high", "close > ref(highest(high, 55), 1)", ("突破", "breakout")),
    (r"破位|新低|breakdown|new low", "close < ref(lowest(low, 55), 1)", ("破位", "breakdown")),
    (
        r"回踩|回调|pullback",
        "(close > sma(close, 60)) & (abs(close / sma(close, 20) - 1) < 0.015)",
        ("回踩 20 日线", "pullback to the 20-day average"),
    ),
    (r"金叉|golden cross", "crossover(sma(close, 20), sma(close, 60))", ("金叉", "golden cross")),
    (
        r"多头|上升趋势|uptrend",
        "(close > sma(close, 200)) & (sma(close, 20) > sma(close, 60))",
        ("上升趋势", "uptrend"),
    ),
)
_WEIGHT = {"high": 3, "medium": 2, "low": 1}


def scan(desk: Desk, intent: Intent) -> Work[Reply]:
    """Go over the watch list: red flags first, then what fired, ranked by its weight."""
    speak = desk.speak
    brought = yield from loaded(desk, "scan", intent.words)
    listed = yield from desk.one("memory.read", path="tracking")
    items = (
        found("\n".join(line for line in str(listed.value or "").splitlines() if line.lstrip().startswith("-")))
        if listed.ok
        else []
    )
    items = intent.securities or items
    if not items:
        return reply.of(
            speak(
                "关注列表是空的，没有可扫描的。先说“关注 600519：等回踩 200 日线”。",
                "The watch list is empty: nothing to scan. First say “track 600519: wait for the 200-day average”.",
            )
        )
    criteria = [
        (code, f"{speak(*names)} `{code}`") for words, code, names in CRITERIA if re.search(words, intent.words, re.I)
    ]
    room = max(CALLS // len(items), 1)
    codes = [*(code for code, _ in criteria), *(code for code, _ in SCANNED)][:room]
    sides, failed = yield from sides_of(
        desk, items[:CALLS], codes, [], lenses.NEUTRAL, "scan" if brought is not None else "", recall=False
    )
    if not sides:
        return reply.of(*failed, speak("没有一只取到行情。", "None of them has prices."))
    answer, line, best = _scanned(desk, sides, failed, criteria, codes)
    rules = yield from guarded.checked(desk, *best)
    answer += ["", *(f"- {told}" for told in rules)] if rules else []
    kept = yield from _kept(desk, sides, answer, line)
    return Reply(
        [*answer, "", *kept, reply.by_rules(speak)],
        [line, *rules],
        [f"{s.title}: {', '.join(f.id for f in s.fired) or '-'}" for s in sides],
    )


@part("扫描笔记", "the note of the scan", in_list)
def _kept(desk: Desk, sides: list[Side], answer: list[str], line: str) -> Work[list[str]]:
    """Write the note and the observation; return where they are, in lines."""
    speak = desk.speak
    path = f"scratch/scan/{desk.request.day}.md"
    text = (
        "\n".join(
            [
                f"# {speak('关注列表扫描', 'Scan of the watch list')} · {desk.request.day}",
                "",
                *answer,
                "",
                *_detail(desk, sides),
            ]
        )
        + "\n"
    )
    topic = speak("扫描", "scan")
    note, seen = yield from filed(
        desk, Call("notebook.write", {"path": path, "content": text}), observe(desk, topic, line)
    )
    return reply.paths(desk, (note, "扫描笔记", "note"), (seen, "观察", "observation"))


def _scanned(
    desk: Desk, sides: list[Side], failed: list[str], criteria: list[tuple[str, str]], codes: list[str]
) -> tuple[list[str], str, list[str]]:
    """Return the answer of a scan, the line that is remembered of it, and the codes of what is best, a few."""
    speak = desk.speak
    everywhere = _shared(sides)
    flagged = [side for side in sides if any(item.alarming for item in side.fired)]
    meets = [side for side in sides if side not in flagged and _meets(side, criteria, codes)]
    ranked = sorted(
        (side for side in meets if criteria or _score(side, everywhere)), key=lambda side: -_score(side, everywhere)
    )
    sim = any(side.market.get("simulated") for side in sides)
    last = max(str(side.market.get("last") or "") for side in sides)
    out = [
        speak(
            "截至 {date}，{count} 只取到行情{without}{criteria}{simulated}。",
            "As of {date}: {count} with prices{without}{criteria}{simulated}.",
            date=last,
            count=len(sides),
            without=speak("，{count} 只没有取到", ", {count} without", count=len(failed)) if failed else "",
            criteria=speak("；条件：{names}", "; criteria: {names}", names=speak.joined([name for _, name in criteria]))
            if criteria
            else "",
            simulated=speak("；**行情是模拟的**", "; **prices are simulated**") if sim else "",
        ),
        "",
    ]
    out += [f"**{speak('红旗（先看）', 'Red flags (look here first)')}**"]
    out += [
        f"- {side.title} **{item.id}** {speak('：', ': ').join(filter(None, (item.name, item.says)))}"
        for side in flagged
        for item in side.fired
        if item.alarming
    ][:8] or [speak("- 无", "- none")]
    out += [
        "",
        f"**{speak('触发', 'What fired')}**",
        "",
        _head(desk, codes),
        "| --- |" + " ---: |" * (len(_shown(codes)) + 1),
    ]
    out += [_row(desk, side, codes, everywhere) for side in ranked[:8]]
    if not ranked:
        out = [*out[:-2], speak("今天没有符合条件的标的。", "Nothing meets the criteria today.")]
    if everywhere:
        out += [
            "",
            speak(
                "{ids} 命中了名单的三分之一以上，算市场共性，不计分。",
                "{ids} fired on more than a third of the list: that is the market, and does not count.",
                ids=speak.joined(sorted(everywhere)),
            ),
        ]
    out += ["", *failed] if failed else []
    quiet = [side.title for side in sides if side not in ranked and side not in flagged]
    out += (
        [
            "",
            speak(
                "没有触发或不合条件：{names}。", "Nothing, or not by the criteria: {names}.", names=speak.joined(quiet)
            ),
        ]
        if quiet
        else []
    )
    first = ranked[0].title if ranked else ""
    line = speak(
        "扫描 {count} 只：红旗 {flagged} 只，触发 {fired} 只{first_choice}；下一个交易日收盘后作废。",
        "Scan of {count}: {flagged} flagged, {fired} fired{first_choice}; void after the next close.",
        count=len(sides),
        flagged=len(flagged),
        fired=len(ranked),
        first_choice=speak("，最值得先研究的是 {name}", "; research {name} first", name=first) if first else "",
    )
    return [*out, "", line], line, [side.mention.code for side in ranked[:3]]


def _shared(sides: list[Side]) -> set[str]:
    """Return what fired on more than a third of a list of at least four: the market, not the security."""
    counts: dict[str, int] = {}
    for side in sides:
        for item in side.fired:
            counts[item.id] = counts.get(item.id, 0) + (not item.alarming)
    return {name for name, count in counts.items() if len(sides) >= 4 and count * 3 > len(sides)}


def _meets(side: Side, criteria: list[tuple[str, str]], codes: list[str]) -> bool:
    return all(side.value(code) == 1.0 for code, _ in criteria if code in codes)


def _score(side: Side, everywhere: set[str]) -> int:
    return sum(_WEIGHT.get(item.grade, 1) for item in side.fired if item.id not in everywhere and not item.alarming)


def _shown(codes: list[str]) -> list[tuple[str, str]]:
    return [(code, unit) for code, unit in SCANNED if code in codes]


def _head(desk: Desk, codes: list[str]) -> str:
    speak = desk.speak
    labels = [speak(*LABELS[key(code)][:2]) for code, _ in _shown(codes)]
    return "| " + " | ".join([speak("标的", "security"), *labels, speak("触发", "fired")]) + " |"


def _row(desk: Desk, side: Side, codes: list[str], everywhere: set[str]) -> str:
    ids = [item.id for item in side.fired if item.id not in everywhere]
    cells = [number(side.value(code), unit, desk.speak) for code, unit in _shown(codes)]
    return "| " + " | ".join([side.title, *cells, " ".join(ids[:5]) or "–"]) + " |"


def _detail(desk: Desk, sides: list[Side]) -> list[str]:
    speak = desk.speak
    lines = [f"## {speak('每只触发了什么', 'What fired, one by one')}", ""]
    for side in sides:
        lines += [
            f"### {side.title} {side.mention.code}",
            "",
            *(f"- **{i.id}** {i.name}{i.says} ({i.source})" for i in side.fired),
        ]
        lines += [speak("- 无", "- none")] if not side.fired else []
        lines.append("")
    return lines
