"""The user as coach and as planner: feedback becomes a belief and a direction of growth, a habit becomes a task."""

import re
from collections.abc import Callable

from ia.agent.analyst import lens, reply
from ia.agent.analyst.desk import Call, Desk, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.voice import ZH

_COMPLAINT = re.compile(
    r"你(?:最近)?(?:对(?P<on>.{1,16}?))?(?P<how>总是|总|老是|老|一直|又|太|经常|忽略|低估"
    r"|高估)(?P<what>[^，。；,;.!！]*)"
    r"|\byou (?:have been |are |were |always |keep |kept |tend to |often |too )*(?P<en>[^,.;!]*)",
    re.I,
)
_GUIDANCE = re.compile(
    r"(?:以后|今后|下次|从现在起|分析(?:时|前)?|研究(?:时|前)?)?[^，。；,;]{0,10}?(?:要多|要先|先看|多看|多考虑"
    r"|多关注|要考虑|要关注|要注意|应该|别再?|不要|少)[^，。；,;!！]*"
    r"|(?:from now on|next time)[, ]+[^.;!]*|\byou should [^.;!]*|(?:please |also )?(?:consider|look at"
    r"|pay (?:more )?attention to|watch)\b[^.;!]*",
    re.I,
)
_HABIT = re.compile(r"以后|今后|从现在起|先看|先.{1,10}再|from now on|before|first", re.I)


def coach(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Take feedback in: log it, propose the belief that it comes to, and the line of the soul that will act on it."""
    speak, words, day = desk.speak, " ".join(wanted.words.split()), desk.request.day
    belief, guidance = lesson(words, speak.lang), advice(words, speak.lang)
    because = speak("教练反馈（{d}）：{w}", "coaching on {d}: {w}", d=day, w=words)
    calls = [Call("memory.reflect", {"content": _reflection(desk, words, belief, guidance)})]
    kinds = [("反馈", "the feedback")]
    if belief:
        calls.append(Call("memory.believe", {"text": belief, "because": because}))
        kinds.append(("信念", "the belief"))
    section = _section(desk, words)
    if guidance:
        calls.append(Call("soul.propose", {"add": guidance, "because": because, "section": section}))
        kinds.append(("soul.md", "soul.md"))
    results = yield from desk.run(*calls)
    lines = [
        speak(
            "收到。我把这条反馈拆成三层，各按各的规矩走：",
            "Understood. The feedback goes three ways, each by its own rule:",
        )
    ]
    logged = results[0].get("path") if results[0].ok else ""
    lines.append(
        speak("1. 反思：原话记入 `{p}`。", "1. Reflection: your words are in `{p}`.", p=logged)
        if logged
        else "1. " + reply.not_kept(desk, results[0], "反思", "the reflection")
    )
    rest = dict(zip((kind for kind, _ in kinds[1:]), results[1:], strict=True))
    for number, (kind, zh, en, text) in enumerate(
        (
            ("信念", "信念", "Belief", belief),
            ("soul.md", f"soul.md「{section}」加一行", f'soul.md, one line more under "{section}"', guidance),
        ),
        2,
    ):
        result = rest.get(kind)
        if result is None:
            lines.append(
                speak(
                    "{n}. {k}：这句话里没有读出来，不硬写。",
                    "{n}. {k}: nothing of the kind could be read in it.",
                    n=number,
                    k=speak(zh, en),
                )
            )
        elif not result.ok:
            lines.append(f"{number}. " + reply.not_kept(desk, result, zh, en))
        else:
            done = (
                speak("等你决定", "waits for you") if result.get("proposal") is not None else speak("已写入", "written")
            )
            lines.append(f"{number}. {speak(zh, en)}{speak('：', ': ')}“{text}”{speak('——', ' — ')}{done}")
    lines += ["", *reply.waiting(desk, results)]
    will = _effect(desk, guidance or belief or words)
    return Reply([*lines, *([will] if will else [])], lines[1:4])


def lesson(words: str, lang: str) -> str:
    """Return the belief that a complaint comes to, in the first person; "" where there is none.

    >>> lesson("你最近总是低估市场情绪的影响，分析时要多考虑资金面。", "zh")
    '我容易低估市场情绪的影响'
    >>> lesson("You keep underestimating sentiment; look at flows.", "en")
    'I tend to underestimate sentiment'
    """
    found = _COMPLAINT.search(words)
    if not found:
        return ""
    if found["en"] is not None:
        what = found["en"].strip()
        if not what or re.match(r"should\b", what, re.I):
            return ""
        return "I tend to " + re.sub(r"^(\w+?)ing\b", lambda m: _bare_verb(m[1]), what) if lang != ZH else ""
    how, what = found["how"], found["what"].strip().removesuffix("了")
    if how in ("忽略", "低估", "高估"):
        what = how + what
    elif how == "太":
        what = f"太{what}"
    on = found["on"] or ""
    return f"我{'对' + on if on else ''}容易{what}" if what else ""


def _bare_verb(stem: str) -> str:
    return stem + "e" if re.search(r"(at|iz|us|or|nc|v|gg?)$", stem) and not stem.endswith("gg") else stem


def advice(words: str, lang: str) -> str:
    """Return what to do otherwise, as a line for the soul; "" where the words do not say.

    >>> advice("你最近总是低估市场情绪的影响，分析时要多考虑资金面。", "zh")
    '分析时要多考虑资金面'
    >>> advice("以后分析前先看大盘趋势", "zh")
    '分析前先看大盘趋势'
    """
    found = _GUIDANCE.findall(words)
    kept = [
        re.sub(
            r"^(以后|今后|下次|从现在起|from now on|next time|you should|please|also)[,， ]*",
            "",
            text.strip(),
            flags=re.I,
        )
        for text in found
    ]
    kept = [text.strip(" ，,。.") for text in kept if len(text.strip()) > 2]
    return ("；" if lang == ZH else "; ").join(dict.fromkeys(kept))


def _section(desk: Desk, words: str) -> str:
    """Return the heading of the soul that a line belongs under: a habit of work is style, the rest is growth."""
    headings = [
        line.lstrip("# ").strip() for line in desk.request.parts.get("soul", "").splitlines() if line.startswith("#")
    ]
    style = bool(_HABIT.search(words)) and not re.search(
        r"低估|高估|忽略|太|underestimat|overestimat|ignor", words, re.I
    )
    for wanted in (("风格", "style"), ("成长", "growth", "grow")) if style else (("成长", "growth", "grow"),):
        for heading in headings:
            if any(word in heading.casefold() for word in wanted):
                return heading
    return desk.speak("我的成长方向", "How I grow")


def _reflection(desk: Desk, words: str, belief: str, guidance: str) -> str:
    speak = desk.speak
    lines = [speak("## {d} 教练反馈", "## {d} Coaching", d=desk.request.day), "", f"> {words}", ""]
    lines += [speak("- 听到的问题：{b}", "- What is wrong: {b}", b=belief)] if belief else []
    lines += [speak("- 以后怎么做：{g}", "- What to do: {g}", g=guidance)] if guidance else []
    return "\n".join(lines) + "\n"


def _effect(desk: Desk, text: str) -> str:
    """Return what a later analysis will do otherwise once the line is approved, where a rule reads it."""
    speak = desk.speak
    told = {
        "market": speak("先看大盘（指数的位置与近一月涨跌）", "look at the market's index first"),
        "flow": speak(
            "加一节资金面与情绪（资金流量指标、量能、交易热度）",
            "add a part on flows and sentiment (money flow, volume, heat)",
        ),
        "catalyst": speak(
            "每次列出催化剂与时点这一项，并向你要事件", "name catalysts and timing each time, and ask you for events"
        ),
    }
    cares = lens.concerns("", f"- {text}")
    will = [told[name] for name in cares if name in told]
    if will:
        return speak("批准之后，我的研究会：{w}。", "Once approved, my research will: {w}.", w=speak.listed(will))
    return speak(
        "我按规则工作，这一条没有对应的规则：它会进入上下文，但只有语言模型会照着做。",
        "I work by rules, and none of mine reads this line: it will be in the context, where only a language model"
        " acts on it.",
    )


def praise(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Log positive feedback."""
    speak = desk.speak
    text = (
        speak("## {d} 正反馈", "## {d} Positive feedback", d=desk.request.day)
        + f"\n\n> {' '.join(wanted.words.split())}\n"
    )
    result = yield from desk.one("memory.reflect", content=text)
    return reply.of(
        speak("谢谢，这种做法我保持。", "Thank you; I will keep doing it that way."),
        *reply.paths(desk, (result, "反思", "reflection")),
    )


_DAYS = {
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "日": 0,
    "天": 0,
    "1": 1,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "6": 6,
    "7": 0,
    "mon": 1,
    "tue": 2,
    "wed": 3,
    "thu": 4,
    "fri": 5,
    "sat": 6,
    "sun": 0,
}
_WHEN = re.compile(
    r"每(?:个)?(?:逢)?(?:周|星期|礼拜)(?P<zh>[一二三四五六日天1-7])|每(?:个)?(?P<unit>交易日|工作日|天|日|晚上?"
    r"|早上?|周|星期|月|季度?)"
    r"|\b(?:every|each) (?P<en>mon|tue|wed|thu|fri|sat|sun)\w*|\b(?:every|each) (?P<eu>trading day|weekday|day"
    r"|morning|evening|week|month)|\b(?P<ly>daily|weekly|monthly)\b",
    re.I,
)
_CLOCK = re.compile(
    r"(?:(?P<pm>下午|晚上|晚)|(?P<am>上午|早上|早))?\s*(?P<h>\d{1,2})(?:[:：](?P<m>\d\d)|点(?P<half>半)?)"
    r"|\bat (?P<eh>\d{1,2})(?::(?P<em>\d\d))?\s*(?P<ap>am|pm)?",
    re.I,
)


def schedule(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Draft a task: when, what from, what comes of it, who is told, what if it fails. The user decides."""
    speak = desk.speak
    cron, shown = when(wanted.words, speak.lang)
    job = purpose(wanted.words)
    kind = next(
        (
            name
            for name, words in (
                ("review", r"复盘|回顾|总结|反思|review|report|summary"),
                ("scan", r"扫描|筛|scan|screen"),
            )
            if re.search(words, job, re.I)
        ),
        "research",
    )
    period = "weekly" if cron.split()[4] not in ("*", "1-5") else "monthly" if cron.split()[2] != "*" else "daily"
    inputs = {
        "review": speak(
            "memory/observations/ 本期条目 + memory/tracking.md + memory/beliefs.md",
            "memory/observations/ of the period + memory/tracking.md + memory/beliefs.md",
        ),
        "scan": "memory/tracking.md",
        "research": speak("行情与过去的笔记", "prices and earlier notes"),
    }[kind]
    produces = {
        "review": f"notebook/reports/{period}/YYYY-MM-DD.md",
        "scan": "notebook/scratch/scan/YYYY-MM-DD.md",
        "research": "notebook/research/TOPIC/YYYY-MM-DD.md",
    }[kind]
    notify = speak(
        "发摘要给你（命令行；设了 IM 渠道之后走 IM）", "a summary to you (command line; a channel once one is set up)"
    )
    failure = speak("延迟 1 小时重试一次，再失败则通知你", "retry once after 1 hour, then tell you")
    result = yield from desk.one(
        "tasks.propose",
        name=f"{period}-{kind}",
        schedule=cron,
        prompt=job,
        produces=produces,
        notify=notify,
        on_failure=failure,
        inputs=inputs,
        because=speak("你在 {d} 说：{w}", "you said on {d}: {w}", d=desk.request.day, w=wanted.words),
    )
    lines = [
        speak(
            "任务设计稿（确认之前什么都不会自动运行）：",
            "The design of a task (nothing runs by itself before you agree):",
        ),
        f"- {speak('频率', 'When')}{speak('：', ': ')}{shown}（`{cron}`）"
        if speak.lang == ZH
        else f"- When: {shown} (`{cron}`)",
        f"- {speak('做什么', 'What')}{speak('：', ': ')}{job}",
        f"- {speak('输入', 'Input')}{speak('：', ': ')}{inputs}",
        f"- {speak('产物', 'Output')}{speak('：', ': ')}{produces}",
        f"- {speak('通知', 'Notify')}{speak('：', ': ')}{notify}",
        f"- {speak('失败策略', 'On failure')}{speak('：', ': ')}{failure}",
        speak(
            "- 节假日：按工作日触发，休市日也会跑一次；要避开休市日，在任务里说明。",
            "- Holidays: it runs on the weekday whether or not the market is open.",
        ),
    ]
    waits = reply.waiting(desk, [result]) or [reply.not_kept(desk, result, "设计稿", "the design")]
    return Reply([*lines, "", *waits], lines[1:])


def when(words: str, lang: str) -> tuple[str, str]:
    """Return five cron fields and the same in words; weekly on Friday at 16:00 where the words leave it open.

    >>> when("每周五收盘后，帮我复盘本周的观察和判断。", "zh")
    ('0 16 * * 5', '每周五 16:00')
    >>> when("every trading day at 9:15 am scan my list", "en")
    ('15 9 * * 1-5', 'every trading day 09:15')
    """
    hour, minute = _time(words)
    found = _WHEN.search(words)
    unit = (found["unit"] or found["eu"] or found["ly"] or "").casefold() if found else ""
    day = (found["zh"] or (found["en"] or "")[:3].casefold()) if found else ""
    said = found[0].strip() if found else ("每周五" if lang == ZH else "every Friday")
    if day:
        fields = f"* * {_DAYS[day]}"
    elif unit in ("交易日", "工作日", "trading day", "weekday"):
        fields = "* * 1-5"
    elif unit in ("月", "month", "monthly", "季", "季度"):
        fields = "1 * *" if unit not in ("季", "季度") else "1 1,4,7,10 *"
    elif unit in ("周", "星期", "week", "weekly") or not unit:
        fields = "* * 5"
        said = said if not unit else said + ("（周五）" if lang == ZH else " (Friday)")
    else:
        fields = "* * *"
    return f"{minute} {hour} {fields}", f"{said} {hour:02d}:{minute:02d}"


def _time(words: str) -> tuple[int, int]:
    found = _CLOCK.search(words)
    if found and (found["h"] or found["eh"]):
        hour, minute = int(found["h"] or found["eh"]), int(found["m"] or found["em"] or (30 if found["half"] else 0))
        late = bool(found["pm"]) or (found["ap"] or "").lower() == "pm"
        hour += 12 if late and hour < 12 else 0
        if hour < 24 and minute < 60:
            return hour, minute
    if re.search(r"开盘前|盘前|before the open|pre-?market", words, re.I):
        return 9, 0
    if re.search(r"早|morning", words, re.I):
        return 8, 30
    if re.search(r"晚|evening", words, re.I):
        return 20, 0
    return 16, 0


def purpose(words: str) -> str:
    """Return what is to be done each time, without when.

    >>> purpose("每周五收盘后，帮我复盘本周的观察和判断。"), purpose("Every Friday after the close, review the week.")
    ('复盘本周的观察和判断', 'review the week')
    """
    text = _WHEN.sub("", _CLOCK.sub("", words, count=1), count=1)
    text = re.sub(
        r"收盘后?|开盘前|盘前|盘后|请|帮我|给我|自动|定时|提醒我|\b(after|before) the (close|open)\b|\bplease\b"
        r"|\bremind me to\b|\bat\b(?=\W)",
        "",
        text,
        flags=re.I,
    )
    return " ".join(text.strip(" ，,。.;；!！").split()) or words


KINDS: dict[str, Callable[[Desk, Intent], Work[Reply]]] = {"coach": coach, "praise": praise, "schedule": schedule}
