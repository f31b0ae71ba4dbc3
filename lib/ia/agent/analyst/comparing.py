"""Several securities at once: side by side, or the whole watch list against the rules."""

import re
from typing import Any, NamedTuple

from ia.agent.analyst import lens as lenses
from ia.agent.analyst import procedure, reply, verdict
from ia.agent.analyst.desk import Call, Desk, Result, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.mentions import Mention, found
from ia.agent.analyst.procedure import Figure, Step
from ia.agent.analyst.readings import BASICS, INDEX, key, wanted
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import loaded, named, observe, recalled, valued
from ia.agent.analyst.verdict import LEVELS, Fired, Verdict
from ia.agent.analyst.voice import number

MOST = 5
CALLS = 54
"""Computations in one answer: the router lets a tool be called sixty times in a minute."""


class Side(NamedTuple):
    """One security of several: its bars as they were shown, figures by expression, what fired, and its verdict."""

    mention: Mention
    title: str
    market: dict[str, Any]
    values: dict[str, tuple[float | None, str]]
    figures: list[Figure]
    fired: list[Fired]
    earlier: list[dict[str, Any]]
    verdict: Verdict

    def value(self, code: str) -> float | None:
        """Return a figure by its expression."""
        return self.values.get(key(code), (None, ""))[0]


def compare(desk: Desk, securities: list[Mention]) -> Work[Reply]:
    """Compare securities on the same figures, and keep the note."""
    say, chosen = desk.say, securities[:MOST]
    named_so = [f"{named(desk, mention)} {mention.code}" for mention in chosen]
    arguments = say("对比 ", "Compare ") + say(" 和 ", " and ").join(named_so)
    brought = yield from loaded(desk, "compare", arguments)
    if handed := reply.handed_back(desk, brought):
        return handed
    lens = lenses.of_soul(desk.request.parts.get("soul", ""))
    steps = [step for step in procedure.of(brought, say) if step.code] or [s for s in procedure.builtin(say) if s.code]
    steps = procedure.chosen(steps, lens.order, lens.counter)
    codes = _codes([s.code for s in steps], [r.code for r in wanted(lens.order)], CALLS // len(chosen))
    sides, failed = yield from _sides(
        desk, chosen, codes, steps, lens, "compare" if brought is not None else "", past=True
    )
    if len(sides) < 2:
        return reply.of(
            *failed, say("少于两只有行情，没法比较。", "Fewer than two have prices: there is nothing to compare.")
        )
    title = say(" 对比 ", " vs ").join(side.title for side in sides)
    answer = [
        f"**{title}** {_ranked(desk, sides, lens)}",
        "",
        *(line for text in _warned(desk, sides) for line in (f"> {text}", "")),
        *failed,
        *_table(desk, sides, steps),
        "",
    ]
    answer += _why(desk, sides)
    topic = "-vs-".join(side.mention.name.replace("/", "-") for side in sides)
    note = [f"# {title} · {desk.request.day}", "", *answer[0:1], "", *answer[2:], "", *_behind(desk, sides)]
    line = say("{t}：{r}", "{t}: {r}", t=title, r=_ranked(desk, sides, lens))
    results = yield from desk.run(
        Call("notebook.write", {"path": f"research/{topic}/{desk.request.day}.md", "content": "\n".join(note) + "\n"}),
        observe(desk, topic, line),
    )
    kept = reply.paths(desk, (results[0], "笔记", "note"), (results[1], "观察", "observation"))
    points = [line, *_warned(desk, sides), *(_side_told(desk, side) for side in sides), _unjudged(desk)]
    return Reply([*answer, "", *kept, reply.by_rules(say)], points, _told_apart(desk, sides))


def _codes(first: list[str], second: list[str], most: int) -> list[str]:
    """Return expressions, each once, as many as there is room for: what the verdict needs before what is only shown."""
    needed = {key(code): code for code in second if not code.startswith(INDEX)}
    shown = {key(code): code for code in first}
    every = {**{k: c for k, c in shown.items() if k in needed}, **needed, **shown}
    return list(every.values())[:most]


def _sides(
    desk: Desk,
    securities: list[Mention],
    codes: list[str],
    steps: list[Step],
    lens: lenses.Lens,
    skill: str,
    *,
    past: bool,
) -> Work[tuple[list[Side], list[str]]]:
    """Return the sides that have prices, and a line for each that has none. One security is done after the other."""
    calls: list[Call] = []
    for mention in securities:
        calls.append(Call("market.ohlcv", {"symbol": mention.code, "tail": 60}))
        calls += [Call("compute.run", {"code": code, "symbol": mention.code}) for code in codes]
        calls.append(Call("skills.check", {"symbol": mention.code, **({"name": skill} if skill else {})}))
        calls += [Call("memory.recall", {"query": mention.name, "limit": 4})] if past else []
    results = yield from desk.run(*calls)
    sides, failed = [], []
    size = len(calls) // max(len(securities), 1)
    for at, mention in enumerate(securities):
        bars, *rest = results[at * size : (at + 1) * size]
        if not bars.ok or not isinstance(bars.value, dict):
            failed.append(reply.no_prices(desk, mention.said, "missing" if bars.missing else bars.error))
        else:
            sides.append(_side(desk, mention, bars.value, rest, codes, steps, lens))
    return sides, failed


def _side(
    desk: Desk, mention: Mention, market: dict[str, Any], rest: list[Result], codes: list[str], steps: list[Step],
    lens: lenses.Lens,
) -> Side:  # fmt: skip
    values = {key(code): valued(result) for code, result in zip(codes, rest, strict=False)}
    checked = rest[len(codes)]
    fired = verdict.fired_of(checked.value, desk.say) if checked.ok else []
    earlier = recalled(rest[len(codes) + 1].value) if len(rest) > len(codes) + 1 and rest[len(codes) + 1].ok else []
    judged = verdict.judged(values, lens, fired, int(market.get("rows") or 0), bool(market.get("simulated")))
    return Side(
        mention,
        named(desk, mention),
        market,
        values,
        procedure.figures(steps, values, desk.say),
        fired,
        earlier,
        judged,
    )


def _ranked(desk: Desk, sides: list[Side], lens: lenses.Lens) -> str:
    """Return which side the evidence favours, or that it does not tell them apart."""
    say = desk.say
    best, *others = sorted(sides, key=lambda side: -side.verdict.score)
    gap = best.verdict.score - others[0].verdict.score
    scores = say("，", ", ").join(f"{side.title} {side.verdict.score:+.2f}" for side in sides)
    view = say("按{v}优先，", "with {v} first, ", v=lenses.title(lens.weighed, say)) if lens.weighed else ""
    if gap < 0.25:
        return say("{view}两边证据的差距在噪声之内（得分 {s}，差 {g:.2f} 不到 0.25）：这些读数分不出高下。",
                   "{view}the gap is within the noise (scores {s}; {g:.2f} is below 0.25): these readings do not tell them apart.",
                   view=view, s=scores, g=gap)  # fmt: skip
    level = "low" if "low" in (best.verdict.confidence, others[0].verdict.confidence) else "medium"
    return say("{view}证据更有利于 {b}（得分 {s}），置信度{l}；这是相对排序，不是买入理由。",
               "{view}the evidence favours {b} (scores {s}), confidence {l}; a relative order, no reason to buy.",
               view=view, b=best.title, s=scores, l=say(*LEVELS[level]))  # fmt: skip


def _warned(desk: Desk, sides: list[Side]) -> list[str]:
    """Return what has to be said before figures are set side by side."""
    say, told = desk.say, []
    if any(side.market.get("simulated") for side in sides):
        told.append(
            say("**行情是模拟的**，数字只演示方法。", "**The prices are simulated**; the figures only show the method.")
        )
    if len({side.market.get("last") for side in sides}) > 1:
        told.append(say("截止日不同：{d}。", "The last bars are of different days: {d}.",
                        d=say.joined([f"{side.title} {side.market.get('last')}" for side in sides])))  # fmt: skip
    if len({side.mention.symbol.market for side in sides}) > 1:
        told.append(
            say(
                "市场和币种不同：价格不能直接比，涨跌和波动可以。",
                "Markets and currencies differ: compare changes, not prices.",
            )
        )
    shortest = min(sides, key=lambda side: int(side.market.get("rows") or 0))
    if int(shortest.market.get("rows") or 0) < 1250:
        told.append(say("{n} 只有 {r} 根日线，长窗口的读数不全。", "{n} has only {r} daily bars; readings of long windows are missing.",
                        n=shortest.title, r=shortest.market.get("rows")))  # fmt: skip
    return told


def _table(desk: Desk, sides: list[Side], steps: list[Step]) -> list[str]:
    """Return the figures side by side, those of the readings after those of the procedure."""
    say = desk.say
    head = "| " + " | ".join([say("指标", "figure"), *(side.title for side in sides)]) + " |"
    rows = [head, "| --- |" + " ---: |" * len(sides)]
    seen: set[str] = set()
    for at, figure in enumerate(sides[0].figures):
        seen.add(key(figure.code))
        rows.append("| " + " | ".join([figure.label, *(side.figures[at].shown(say) for side in sides)]) + " |")
    for item in sides[0].verdict.evidence:
        if key(item.reading.code) not in seen:
            cells = [item.reading.shown(side.value(item.reading.code), say) for side in sides]
            rows.append("| " + " | ".join([say(*item.reading.label), *cells]) + " |")
    return rows


def _why(desk: Desk, sides: list[Side]) -> list[str]:
    """Return what speaks for and against each side, and what was not judged."""
    say, lines = desk.say, []
    for side in sides:
        lines.append(f"**{side.title}** {side.verdict.told(say)}")
        lines += [f"- {told}" for sign in (1, -1) if (told := _spoken(desk, side, sign))]
        lines += [f"- **{item.id}** {item.name}{item.says}" for item in side.fired if item.alarming][:3]
        lines.append("")
    return [*lines, _unjudged(desk)]


def _spoken(desk: Desk, side: Side, sign: int) -> str:
    say = desk.say
    told = [item.reading.told(item.value, say) for item in side.verdict.speaking(sign)]
    told = [text for text in told if text][:3]
    label = say("支持", "for") if sign > 0 else say("反对", "against")
    return f"{label}{say('：', ': ')}{say.listed(told)}" if told else ""


def _side_told(desk: Desk, side: Side) -> str:
    """Return one side in a line: which way it leans, and why."""
    say = desk.say
    parts = [side.verdict.told(say), *(told for sign in (1, -1) if (told := _spoken(desk, side, sign)))]
    return f"{side.title}{say('：', ': ')}{say.listed(parts)}"


def _unjudged(desk: Desk) -> str:
    return desk.say(
        "没有评估：财务、估值、公告和你的持仓；相对强弱换一个窗口可能反过来，结论以月计。",
        "Not judged: accounts, valuation, announcements, what you hold; another window may reverse the order."
        " The horizon is months.",
    )


def _told_apart(desk: Desk, sides: list[Side]) -> list[str]:
    """Return the figures as lines: label, then each side's."""
    say, lines = desk.say, []
    for at, figure in enumerate(sides[0].figures[:16]):
        cells = [f"{side.title} {side.figures[at].shown(say)}" for side in sides]
        lines.append(f"{figure.label}{say('：', ': ')}{say.joined(cells)} ({figure.date})")
    return lines


def _behind(desk: Desk, sides: list[Side]) -> list[str]:
    say = desk.say
    lines = [f"## {say('命中的规则与形态', 'Rules and patterns in force')}", ""]
    for side in sides:
        lines += [f"- {side.title} **{item.id}** {item.says} ({item.source})" for item in side.fired][:12]
    lines += ["", f"## {say('之前的笔记', 'Earlier notes')}", ""]
    sources = dict.fromkeys(
        f"- {side.title}: `{hit['source']}` ({hit.get('date') or '?'})" for side in sides for hit in side.earlier[:3]
    )
    lines += list(sources) or [say("- 没有找到。", "- None found.")]
    return [*lines, "", reply.by_rules(say)]


# the watch list

SCANNED = (
    ("roc(close, 1)", "percent"), ("roc(close, 20)", "percent"), ("(close / sma(close, 200) - 1) * 100", "percent"),
    ("rsi(close, 14)", "points"), ("volume / sma(ref(volume, 1), 20)", "ratio"),
)  # fmt: skip
CRITERIA = (
    (r"超卖|oversold", "rsi(close, 14) < 30", "RSI(14) < 30"),
    (r"超买|过热|overbought", "rsi(close, 14) > 70", "RSI(14) > 70"),
    (r"放量|volume spike|heavy volume", "volume > 1.5 * ref(sma(volume, 20), 1)", "volume > 1.5 × 20d"),
    (r"突破|breakout|新高|new high", "close > ref(highest(high, 55), 1)", "close > 55d high"),
    (r"破位|新低|breakdown|new low", "close < ref(lowest(low, 55), 1)", "close < 55d low"),
    (r"回踩|回调|pullback", "(close > sma(close, 60)) & (abs(close / sma(close, 20) - 1) < 0.015)", "close ≈ 20d avg, > 60d avg"),
    (r"金叉|golden cross", "crossover(sma(close, 20), sma(close, 60))", "20d × 60d avg"),
    (r"多头|上升趋势|uptrend", "(close > sma(close, 200)) & (sma(close, 20) > sma(close, 60))", "close > 200d, 20d > 60d avg"),
)  # fmt: skip
_WEIGHT = {"high": 3, "medium": 2, "low": 1}


def scan(desk: Desk, intent: Intent) -> Work[Reply]:
    """Go over the watch list: red flags first, then what fired, ranked by its weight."""
    say = desk.say
    brought = yield from loaded(desk, "scan", intent.words)
    listed = yield from desk.one("memory.read", path="tracking")
    items = (
        found("\n".join(line for line in str(listed.value or "").splitlines() if line.lstrip().startswith("-")))
        if listed.ok
        else []
    )
    items = intent.securities or items
    if not items:
        return reply.of(say("关注列表是空的，没有可扫描的。先说“关注 600519：等回踩 200 日线”。",
                            "The watch list is empty: nothing to scan. First say “track 600519: wait for the 200-day average”."))  # fmt: skip
    criteria = [(code, name) for words, code, name in CRITERIA if re.search(words, intent.words, re.I)]
    room = max(CALLS // len(items), 1)
    codes = [*(code for code, _ in criteria), *(code for code, _ in SCANNED)][:room]
    sides, failed = yield from _sides(
        desk, items[:CALLS], codes, [], lenses.NEUTRAL, "scan" if brought is not None else "", past=False
    )
    if not sides:
        return reply.of(*failed, say("没有一只取到行情。", "None of them has prices."))
    answer, line = _scanned(desk, sides, failed, criteria, codes)
    path = f"scratch/scan/{desk.request.day}.md"
    text = (
        "\n".join(
            [
                f"# {say('关注列表扫描', 'Scan of the watch list')} · {desk.request.day}",
                "",
                *answer,
                "",
                *_detail(desk, sides),
            ]
        )
        + "\n"
    )
    topic = say("扫描", "scan")
    note, seen = yield from desk.run(
        Call("notebook.write", {"path": path, "content": text}), observe(desk, topic, line)
    )
    kept = reply.paths(desk, (note, "扫描笔记", "note"), (seen, "观察", "observation"))
    return Reply(
        [*answer, "", *kept, reply.by_rules(say)],
        [line],
        [f"{s.title}: {', '.join(f.id for f in s.fired) or '-'}" for s in sides],
    )


def _scanned(
    desk: Desk, sides: list[Side], failed: list[str], criteria: list[tuple[str, str]], codes: list[str]
) -> tuple[list[str], str]:
    """Return the answer of a scan, and the line that is remembered of it."""
    say = desk.say
    everywhere = _shared(sides)
    flagged = [side for side in sides if any(item.alarming for item in side.fired)]
    meets = [side for side in sides if side not in flagged and _meets(side, criteria, codes)]
    ranked = sorted(
        (side for side in meets if criteria or _score(side, everywhere)), key=lambda side: -_score(side, everywhere)
    )
    sim = any(side.market.get("simulated") for side in sides)
    last = max(str(side.market.get("last") or "") for side in sides)
    out = [say("截至 {d}，{n} 只有行情{f}{c}{s}。", "As of {d}: {n} with prices{f}{c}{s}.", d=last, n=len(sides),
               f=say("，{k} 只没有", ", {k} without", k=len(failed)) if failed else "",
               c=say("；条件：{x}", "; criteria: {x}", x=say.joined([name for _, name in criteria])) if criteria else "",
               s=say("；**行情是模拟的**", "; **prices are simulated**") if sim else ""), ""]  # fmt: skip
    out += [f"**{say('红旗（先看）', 'Red flags (look here first)')}**"]
    out += [
        f"- {side.title} **{item.id}** {item.name}{item.says}"
        for side in flagged
        for item in side.fired
        if item.alarming
    ][:8] or [say("- 无", "- none")]
    out += [
        "",
        f"**{say('触发', 'What fired')}**",
        "",
        _head(desk, codes),
        "| --- |" + " ---: |" * (len(_shown(codes)) + 1),
    ]
    out += [_row(desk, side, codes, everywhere) for side in ranked[:8]]
    if not ranked:
        out = [*out[:-2], say("今天没有符合条件的标的。", "Nothing meets the criteria today.")]
    if everywhere:
        out += ["", say("{ids} 命中了名单的三分之一以上，算市场共性，不计分。", "{ids} fired on more than a third of the list: that is the market, and does not count.",
                        ids=say.joined(sorted(everywhere)))]  # fmt: skip
    out += ["", *failed] if failed else []
    quiet = [side.title for side in sides if side not in ranked and side not in flagged]
    out += (
        ["", say("没有触发或不合条件：{q}。", "Nothing, or not by the criteria: {q}.", q=say.joined(quiet))]
        if quiet
        else []
    )
    first = ranked[0].title if ranked else ""
    line = say("扫描 {n} 只：红旗 {f} 只，触发 {t} 只{x}；下一个交易日收盘后作废。",
               "Scan of {n}: {f} flagged, {t} fired{x}; void after the next close.", n=len(sides), f=len(flagged), t=len(ranked),
               x=say("，最值得先研究的是 {a}", "; research {a} first", a=first) if first else "")  # fmt: skip
    return [*out, "", line], line


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
    say = desk.say
    labels = [say(*BASICS[code][:2]) if code in BASICS else say(*_label(code)) for code, _ in _shown(codes)]
    return "| " + " | ".join([say("标的", "security"), *labels, say("触发", "fired")]) + " |"


def _label(code: str) -> tuple[str, str]:
    from ia.agent.analyst.readings import LABELS

    return LABELS[key(code)][:2]


def _row(desk: Desk, side: Side, codes: list[str], everywhere: set[str]) -> str:
    ids = [item.id for item in side.fired if item.id not in everywhere]
    cells = [number(side.value(code), unit, desk.say) for code, unit in _shown(codes)]
    return "| " + " | ".join([side.title, *cells, " ".join(ids[:5]) or "–"]) + " |"


def _detail(desk: Desk, sides: list[Side]) -> list[str]:
    say = desk.say
    lines = [f"## {say('每只触发了什么', 'What fired, one by one')}", ""]
    for side in sides:
        lines += [
            f"### {side.title} {side.mention.code}",
            "",
            *(f"- **{i.id}** {i.name}{i.says} ({i.source})" for i in side.fired),
        ]
        lines += [say("- 无", "- none")] if not side.fired else []
        lines.append("")
    return lines
