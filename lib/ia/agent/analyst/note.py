"""A study as text: the answer of a conversation, the note that is kept, and the line that is remembered."""

from ia.agent.analyst import lens as lenses
from ia.agent.analyst.readings import wanted
from ia.agent.analyst.stated import StatedView
from ia.agent.analyst.verdict import kinds_told
from ia.agent.analyst.view import View

SHOWN_FIRED = 3
SHOWN_AGAINST = 3


def answer(view: View) -> list[str]:
    """Return the answer of a conversation, about a screen of it: the note has the rest."""
    speak = view.speak
    out = [f"**{view.subject}** {view.conclusion()}", view.snapshot(), *(f"> {told}" for told in view.warnings())]
    for heading, lines in view.decisive():
        out += [f"### {heading}", *(f"- {line}" for line in lines)]
    fired = view.fired(SHOWN_FIRED)
    if fired:
        more = len(view.fired()) - len(fired)
        rest = speak("（另有 {count} 条在笔记里）", " ({count} more in the note)", count=more) if more else ""
        out += [
            f"### {speak('命中的规则与形态', 'Rules and patterns in force')}{rest}",
            *(f"- {line}" for line in fired),
        ]
    out += [f"### {speak('反面证据', 'Against it')}", *(f"- {line}" for line in view.against(SHOWN_AGAINST))]
    out += ["", f"**{speak('没有评估', 'Not judged')}** {speak('', ' ').join(view.unjudged())}"]
    out += [f"**{speak('什么会改变看法', 'What would change the view')}** {speak('', ' ').join(view.changes()[:3])}"]
    if view.earlier:
        before = [*view.before(1), *([view.compared()] if view.compared() else [])]
        out += [f"**{speak('之前的看法', 'What was said before')}** {speak.listed(before)}"]
    return [*out, view.confidence() + speak("下次看：", " Next look: ") + view.next_look()]


def note(view: View) -> str:
    """Return the research note."""
    speak, study = view.speak, view.study
    out = [
        f"# {study.known or view.subject} · {view.desk.request.day}",
        "",
        f"**{speak('结论', 'Conclusion')}** {view.conclusion()}",
        "",
    ]
    out += [line for told in view.warnings() for line in (f"> {told}", "")]
    out += [f"## {speak('数据', 'Data')}", "", _source(view), ""]
    out += _table(view)
    for heading, lines in view.sections():
        out += [f"## {heading}", "", *(f"- {line}" for line in lines), ""]
    out += [f"## {speak('命中的规则与形态', 'Rules and patterns in force')}", ""]
    fired = [view.shown(item) for item in study.fired]
    none = (
        speak("没有命中。", "None.")
        if study.checked
        else speak("没有核对：没有可用的规则。", "Not checked: no rules at hand.")
    )
    out += [*(f"- {line}" for line in fired or [none]), ""]
    if study.unread:
        out += [f"## {speak('要你判断的必查规则', 'Must-know rules for you to judge')}", ""]
        out += [f"- **{id_}** {if_}{speak('：', ': ')}{text}" for id_, if_, text in study.unread[:8]]
        out += [""]
    out += [f"## {speak('支持与反对', 'For and against')}", "", *_balance(view), ""]
    out += [
        f"## {speak('反面证据', 'Against it')}",
        "",
        *(f"- {line}" for line in view.against()),
        "",
        f"## {speak('没有评估的', 'Not judged')}",
        "",
        *(f"- {line}" for line in view.unjudged()),
        "",
    ]
    out += [
        f"## {speak('什么会改变看法', 'What would change the view')}",
        "",
        *(f"- {line}" for line in view.changes()),
        "",
    ]
    before = view.before(8) or [
        speak("没有找到过去的笔记或观察，这是第一次。", "No earlier note or observation was found; this is the first.")
    ]
    out += [
        f"## {speak('之前的看法与此后', 'What was said before, and since')}",
        "",
        *(f"- {line}" for line in before),
        "",
    ]
    if view.compared():
        out[-1:] = [f"- {view.compared()}", ""]
    out += [f"## {speak('下次看什么', 'Next look')}", "", view.next_look(), ""]
    return "\n".join([*out, f"## {speak('依据', 'Sources')}", "", *_sources(view), "", stated(view).data_line]) + "\n"


def stated(view: View) -> StatedView:
    """Return the view of a study as data: a later research compares itself with it."""
    verdict, value = view.verdict, view.study.value
    end = "<" if verdict.lean >= 0 else ">"
    level = value(f"close {'-' if end == '<' else '+'} 2 * atr(high, low, close, 14)")
    return StatedView(
        lean=verdict.lean,
        confidence=verdict.confidence,
        ends_if=None if level is None else (end, level),
        kinds=tuple((kind, sign) for kind, sign in verdict.kinds.items() if sign),
        close=value("close"),
        simulated=view.study.simulated,
    )


def remembered(view: View) -> str:
    """Return the line of words that goes into the observations, above its data line."""
    speak, verdict = view.speak, view.verdict
    close, *parts = stated(view).parts(speak)
    reasons = [kinds_told(verdict, sign, speak) for sign in (1, -1)]
    parts.append(
        speak(
            "支持：{reasons_for}；反对：{reasons_against}",
            "for: {reasons_for}; against: {reasons_against}",
            reasons_for=reasons[0] or "–",
            reasons_against=reasons[1] or "–",
        )
    )
    return " | ".join([f"{view.study.known or view.subject} {close}", *parts])


def _source(view: View) -> str:
    speak, market = view.speak, view.study.market
    if not market.get("rows"):
        return speak(
            "K 线由管道传入，截至 {date}。", "The bars were piped in; the last is of {date}.", date=view.study.last
        )
    return speak(
        "来源 {source}，{period}，{adjust}，{first} 至 {last}，共 {rows} 根。",
        "Source {source}, {period}, {adjust}, {first} to {last}, {rows} bars.",
        source=market.get("source") or "?",
        period=market.get("period") or "daily",
        adjust=market.get("adjust") or "qfq",
        first=market.get("first"),
        last=market.get("last"),
        rows=f"{view.study.rows:,}",
    )


def _table(view: View) -> list[str]:
    speak = view.speak
    head = speak("| 指标 | 数值 | 截至 |", "| figure | value | as of |")
    rows = [f"| {figure.label} | {figure.shown(speak)} | {figure.date or '–'} |" for figure in view.study.figures]
    own = {figure.code for figure in view.study.figures}
    for reading in wanted(view.study.lens.order):
        if reading.code not in own and (value := view.study.value(reading.code)) is not None:
            rows.append(f"| {speak(*reading.label)} | {reading.shown(value, speak)} | {view.study.last} |")
    return [head, "| --- | ---: | --- |", *rows, ""] if rows else []


def _balance(view: View) -> list[str]:
    speak, verdict = view.speak, view.verdict
    lines = []
    for sign, zh, en in ((1, "支持", "For"), (-1, "反对", "Against"), (0, "不说话", "Silent")):
        lines.append(f"- {speak(zh, en)}{speak('：', ': ')}{kinds_told(verdict, sign, speak) or '–'}")
    rule = speak(
        "同源的读数只算一次；{weighing}得分 {score:+.2f}（±0.25 之内为方向不明），一致度 {agreement:.0%}。",
        "Readings of one origin count once; {weighing}score {score:+.2f} (within ±0.25 the direction is open),"
        " agreement {agreement:.0%}.",
        weighing=speak("{lens}加倍；", "{lens} weighs double; ", lens=lenses.title(view.study.lens.weighed, speak))
        if view.study.lens.weighed
        else "",
        score=verdict.score,
        agreement=verdict.agreement,
    )
    beside = speak(
        "命中的规则与形态不计分，只作旁证；红旗和必查规则限制置信度。",
        "Rules and patterns in force do not score, they stand beside; red flags and must-know rules limit the"
        " confidence.",
    )
    return [*lines, f"- {rule}", f"- {beside}", f"- {view.confidence()}"]


def _sources(view: View) -> list[str]:
    speak = view.speak
    cited = [item.reading.source for item in view.verdict.evidence if item.reading.source[-1].isdigit()]
    behind: dict[str, list[str]] = {}
    for item in view.study.fired:
        if item.source:
            behind.setdefault(item.source, []).append(item.id)
    used = []
    for short in dict.fromkeys(source for sources in cited for source in sources.split("; ")):
        author, year = short.split()[0].rstrip(","), short.split()[-1]
        whole = next((full for full in behind if full.startswith(author) and f"({year})" in full), "")
        if not whole:
            used.append(short)
        elif (threshold := speak("读数的阈值", "thresholds")) not in behind[whole]:
            behind[whole].append(threshold)
    told = (
        [speak("读数的阈值：{sources}。", "Thresholds of the readings: {sources}.", sources="; ".join(used))]
        if used
        else []
    )
    told += [f"{source} ({speak.joined(ids)})" for source, ids in behind.items()]
    how = (
        speak(
            "步骤来自技能 {skill} 的 sop.yaml。",
            "The steps are those of the skill {skill} (sop.yaml).",
            skill=f"/{view.study.skill}",
        )
        if view.study.skill
        else speak("步骤是内置的：没有 research 技能。", "The steps are the built-in ones: there is no research skill.")
    )
    rules = speak(
        "本笔记由规则分析员 ia-offline 写成，没有用语言模型；只研究和建议，买卖由你决定。",
        "Written by rules (ia-offline), without a language model. Research and advice only; what to do is yours.",
    )
    return [f"- {line}" for line in (*told, how, rules)]
