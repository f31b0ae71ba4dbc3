"""Several securities side by side."""

from typing import Any, NamedTuple

from ia.agent.analyst import guarded, past, procedure, reply, verdict
from ia.agent.analyst import lens as lenses
from ia.agent.analyst.desk import Call, Desk, Result, Work
from ia.agent.analyst.mentions import Mention, english
from ia.agent.analyst.parts import in_list, leave_out, part
from ia.agent.analyst.procedure import Figure, Step
from ia.agent.analyst.readings import INDEX, key, wanted
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import filed, known, loaded, named, observe, recalled, valued
from ia.agent.analyst.verdict import LEVELS, Fired, Verdict

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
    speak, chosen = desk.speak, securities[:MOST]
    named_so = [f"{named(desk, mention)} {mention.code}" for mention in chosen]
    arguments = speak("对比 ", "Compare ") + speak(" 和 ", " and ").join(named_so)
    brought = yield from loaded(desk, "compare", arguments)
    if handed := reply.handed_back(desk, brought):
        return handed
    lens = lenses.of_soul(desk.request.parts.get("soul", ""))
    steps = [step for step in procedure.of(brought) if step.code] or [s for s in procedure.builtin(speak) if s.code]
    steps = procedure.chosen(steps, lens.order, lens.counter)
    codes = _codes([s.code for s in steps], [r.code for r in wanted(lens.order)], CALLS // len(chosen))
    sides, failed = yield from sides_of(
        desk, chosen, codes, steps, lens, "compare" if brought is not None else "", recall=True
    )
    if len(sides) < 2:
        return reply.of(
            *failed, speak("少于两只有行情，没法比较。", "Fewer than two have prices: there is nothing to compare.")
        )
    title = speak(" 对比 ", " vs ").join(side.title for side in sides)
    answer = [
        f"**{title}** {_ranked(desk, sides, lens)}",
        "",
        *(line for text in _warned(desk, sides) for line in (f"> {text}", "")),
        *failed,
        *_table(desk, sides),
        "",
    ]
    answer += _why(desk, sides)
    rules = yield from guarded.checked(desk, *(side.mention.code for side in sides))
    answer += ["", *(f"- {told}" for told in rules)] if rules else []
    line = speak("{title}：{ranking}", "{title}: {ranking}", title=title, ranking=_ranked(desk, sides, lens))
    kept = yield from _kept(desk, sides, answer, line)
    points = [line, *_warned(desk, sides), *rules, *(_side_told(desk, side) for side in sides), _unjudged(desk)]
    return Reply([*answer, "", *kept, reply.by_rules(speak)], points, _told_apart(desk, sides))


@part("对比笔记", "the note of the comparison", in_list)
def _kept(desk: Desk, sides: list[Side], answer: list[str], line: str) -> Work[list[str]]:
    """Write the note and the observation; return where they are, in lines."""
    speak = desk.speak
    topic = "-vs-".join(side.mention.name.replace("/", "-") for side in sides)
    full = speak(" 对比 ", " vs ").join(
        known(side.mention.name, english(side.mention.symbol), side.mention.code) for side in sides
    )
    note = [f"# {full} · {desk.request.day}", "", *answer[0:1], "", *answer[2:], "", *_behind(desk, sides)]
    results = yield from filed(
        desk,
        Call("notebook.write", {"path": f"research/{topic}/{desk.request.day}.md", "content": "\n".join(note) + "\n"}),
        observe(desk, topic, line),
    )
    return reply.paths(desk, (results[0], "笔记", "note"), (results[1], "观察", "observation"))


def _codes(first: list[str], second: list[str], most: int) -> list[str]:
    """Return expressions, each once, as many as there is room for: what the verdict needs before what is only shown."""
    needed = {key(code): code for code in second if not code.startswith(INDEX)}
    shown = {key(code): code for code in first}
    every = {**{k: c for k, c in shown.items() if k in needed}, **needed, **shown}
    return list(every.values())[:most]


def sides_of(
    desk: Desk,
    securities: list[Mention],
    codes: list[str],
    steps: list[Step],
    lens: lenses.Lens,
    skill: str,
    *,
    recall: bool,
) -> Work[tuple[list[Side], list[str]]]:
    """Return the sides that have prices, and a line for each that has none. One security is done after the other."""
    calls: list[Call] = []
    for mention in securities:
        calls.append(Call("market.ohlcv", {"symbol": mention.code, "tail": 60}))
        calls += [Call("compute.run", {"code": code, "symbol": mention.code}) for code in codes]
        calls.append(Call("skills.check", {"symbol": mention.code, **({"name": skill} if skill else {})}))
        calls += [Call("memory.recall", {"query": mention.name, "limit": 4})] if recall else []
    results = yield from desk.run(*calls)
    sides, failed = [], []
    size = len(calls) // max(len(securities), 1)
    for at, mention in enumerate(securities):
        bars, *rest = results[at * size : (at + 1) * size]
        if not bars.ok or not isinstance(bars.value, dict):
            failed.append(reply.no_prices(desk, mention.said, bars.failure or reply.NO_BARS))
        else:
            try:
                sides.append(_side(desk, mention, bars.value, rest, codes, steps, lens))
            except Exception as exc:  # one security of several
                failed.append(leave_out(desk, named(desk, mention), named(desk, mention), exc))
    return sides, failed


def _side(
    desk: Desk,
    mention: Mention,
    market: dict[str, Any],
    rest: list[Result],
    codes: list[str],
    steps: list[Step],
    lens: lenses.Lens,
) -> Side:
    values = {key(code): valued(result) for code, result in zip(codes, rest, strict=False)}
    checked = rest[len(codes)]
    fired = verdict.fired_of(checked.value, desk.speak) if checked.ok else []
    earlier = recalled(rest[len(codes) + 1].value) if len(rest) > len(codes) + 1 and rest[len(codes) + 1].ok else []
    judged = verdict.judged(values, lens, fired, past.rows_of(market), bool(market.get("simulated")))
    return Side(
        mention,
        named(desk, mention),
        market,
        values,
        procedure.figures(steps, values, desk.speak),
        fired,
        earlier,
        judged,
    )


def _ranked(desk: Desk, sides: list[Side], lens: lenses.Lens) -> str:
    """Return which side the evidence favors, or that it does not tell them apart."""
    speak = desk.speak
    best, *others = sorted(sides, key=lambda side: -side.verdict.score)
    gap = best.verdict.score - others[0].verdict.score
    scores = speak("，", ", ").join(f"{side.title} {side.verdict.score:+.2f}" for side in sides)
    view = (
        speak("按{lens}优先，", "with {lens} first, ", lens=lenses.title(lens.weighed, speak)) if lens.weighed else ""
    )
    if gap < 0.25:
        return speak(
            "{view}两边证据的差距在噪声之内（得分 {scores}，差 {gap:.2f} 不到 0.25）：这些读数分不出高下。",
            "{view}the gap is within the noise (scores {scores}; {gap:.2f} is below 0.25): these readings do not tell"
            " them"
            " apart.",
            view=view,
            scores=scores,
            gap=gap,
        )
    level = "low" if "low" in (best.verdict.confidence, others[0].verdict.confidence) else "medium"
    return speak(
        "{view}证据更有利于 {best}（得分 {scores}），置信度{confidence}；这是相对排序，不是买入理由。",
        "{view}the evidence favors {best} (scores {scores}), confidence {confidence}; a relative order, no reason to"
        " buy.",
        view=view,
        best=best.title,
        scores=scores,
        confidence=speak(*LEVELS[level]),
    )


def _warned(desk: Desk, sides: list[Side]) -> list[str]:
    """Return what has to be said before figures are set side by side."""
    speak, told = desk.speak, []
    if any(side.market.get("simulated") for side in sides):
        told.append(
            speak(
                "**行情是模拟的**，数字只演示方法。", "**The prices are simulated**; the figures only show the method."
            )
        )
    if len({_last(side) for side in sides}) > 1:
        told.append(speak("截止日不同，数字不在同一天。", "The last bars are of different days: so are the figures."))
    if len({side.mention.symbol.market for side in sides}) > 1:
        told.append(
            speak(
                "市场和币种不同：价格不能直接比，涨跌和波动可以。",
                "Markets and currencies differ: compare changes, not prices.",
            )
        )
    shortest = min(sides, key=lambda side: past.rows_of(side.market))
    if past.rows_of(shortest.market) < 1250:
        told.append(
            speak(
                "{name} 只有 {rows} 根日线，长窗口的读数不全。",
                "{name} has only {rows} daily bars; readings of long windows are missing.",
                name=shortest.title,
                rows=shortest.market.get("rows"),
            )
        )
    return told


@part("对比表", "the table", in_list)
def _table(desk: Desk, sides: list[Side]) -> list[str]:
    """Return the figures side by side, those of the readings after those of the procedure."""
    speak = desk.speak
    head = "| " + " | ".join([speak("指标", "figure"), *(side.title for side in sides)]) + " |"
    rows = [head, "| --- |" + " ---: |" * len(sides)]
    rows.append("| " + " | ".join([speak("截至", "as of"), *(_last(side) for side in sides)]) + " |")
    seen: set[str] = set()
    for at, figure in enumerate(sides[0].figures):
        seen.add(key(figure.code))
        rows.append("| " + " | ".join([figure.label, *(side.figures[at].shown(speak) for side in sides)]) + " |")
    for item in sides[0].verdict.evidence:
        if key(item.reading.code) not in seen:
            cells = [item.reading.shown(side.value(item.reading.code), speak) for side in sides]
            rows.append("| " + " | ".join([speak(*item.reading.label), *cells]) + " |")
    return rows


@part("逐类对照", "the comparison of the evidence", in_list)
def _why(desk: Desk, sides: list[Side]) -> list[str]:
    """Return what speaks for and against each side, and what was not judged."""
    speak, lines = desk.speak, []
    for side in sides:
        lines.append(f"**{side.title}** {side.verdict.told(speak)}")
        lines += [f"- {told}" for sign in (1, -1) if (told := _spoken(desk, side, sign))]
        lines += [
            f"- **{item.id}** {speak('：', ': ').join(filter(None, (item.name, item.says)))}"
            for item in side.fired
            if item.alarming
        ][:3]
        lines.append("")
    return [*lines, _unjudged(desk)]


def _spoken(desk: Desk, side: Side, sign: int) -> str:
    speak = desk.speak
    told = [item.reading.told(item.value, speak) for item in side.verdict.speaking(sign)]
    told = [text for text in told if text][:3]
    label = speak("支持", "for") if sign > 0 else speak("反对", "against")
    return f"{label}{speak('：', ': ')}{speak.listed(told)}" if told else ""


def _side_told(desk: Desk, side: Side) -> str:
    """Return one side in a line: which way it leans, and why."""
    speak = desk.speak
    parts = [side.verdict.told(speak), *(told for sign in (1, -1) if (told := _spoken(desk, side, sign)))]
    return f"{side.title}{speak('：', ': ')}{speak.listed(parts)}"


def _unjudged(desk: Desk) -> str:
    return desk.speak(
        "没有评估：财务、估值、公告和你的持仓；相对强弱换一个窗口可能反过来，结论以月计。",
        "Not judged: accounts, valuation, announcements, what you hold; another window may reverse the order."
        " The horizon is months.",
    )


def _told_apart(desk: Desk, sides: list[Side]) -> list[str]:
    """Return the figures as lines: up to which day each side's go, then label and each side's."""
    speak = desk.speak
    upto = [f"{side.title} {_last(side)}" for side in sides]
    lines = [f"{speak('截至', 'As of')}{speak('：', ': ')}{speak.joined(upto)}"]
    for at, figure in enumerate(sides[0].figures[:16]):
        cells = [f"{side.title} {side.figures[at].shown(speak)}" for side in sides]
        lines.append(f"{figure.label}{speak('：', ': ')}{speak.joined(cells)}")
    return lines


def _last(side: Side) -> str:
    """Return the date of a side's last bar."""
    return str(side.market.get("last") or "?")


def _behind(desk: Desk, sides: list[Side]) -> list[str]:
    speak = desk.speak
    lines = [f"## {speak('命中的规则与形态', 'Rules and patterns in force')}", ""]
    for side in sides:
        lines += [f"- {side.title} **{item.id}** {item.says} ({item.source})" for item in side.fired][:12]
    lines += ["", f"## {speak('之前的笔记', 'Earlier notes')}", ""]
    sources = dict.fromkeys(
        f"- {side.title}: `{hit['source']}` ({hit.get('date') or '?'})" for side in sides for hit in side.earlier[:3]
    )
    lines += list(sources) or [speak("- 没有找到。", "- None found.")]
    return [*lines, "", reply.by_rules(speak)]
