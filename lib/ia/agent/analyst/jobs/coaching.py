"""The user as coach and as planner: feedback becomes a belief and a direction of growth, a habit becomes a task."""

import re
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase

from ia.agent.analyst.ask import intent
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import lens
from ia.agent.analyst.jobs import task_requests
from ia.agent.analyst.parts import in_list, in_text, nothing, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import EN, ZH, AnswerVoice
from ia.agent.model_choice import OFFLINE, choose_model
from ia.faculties.schedule import wish_errors, wish_parser, zones
from ia.faculties.schedule.design import output_path
from ia.faculties.schedule.model import ME, TaskDesign
from ia.kernel import config
from ia.kernel.errors import BadData, PluralText
from ia.kernel.patterns import pattern

_COMPLAINT = pattern(
    r"你(?:最近)?(?:对(?P<on>.{1,16}?))?(?P<how>总是|总|老是|老|一直|又|太|经常|忽略|低估"
    r"|高估)(?P<what>[^，。；,;.!！]*)"
    r"|\byou (?:have been |are |were |always |keep |kept |tend to |often |too )*(?P<en>[^,.;!]*)",
    re.I,
)
_GUIDANCE = pattern(
    r"(?:以后|今后|下次|从现在起|分析(?:时|前)?|研究(?:时|前)?)?[^，。；,;]{0,10}?(?:要多|要先|先看|多看|多考虑"
    r"|多关注|要考虑|要关注|要注意|应该|别再?|不要|少)[^，。；,;!！]*"
    r"|(?:from now on|next time)[, ]+[^.;!]*|\byou should [^.;!]*|(?:please |also )?(?:consider|look at"
    r"|pay (?:more )?attention to|watch)\b[^.;!]*",
    re.I,
)
_ANSWERS = pattern(
    r"(?:以后|今后|从现在起|从今天起|^)[，,：:\s]*(?:请|你|麻烦|的)*((?:回答|答复|回复|答案|输出|说话)[^。；;!！]{2,})"
)
"""How answers are to be from now on: all clauses of the sentence, as in English."""
_ALWAYS = pattern(
    r"^\W*(?:(?:以后|今后|往后|从现在起|从今天起|从今以后|从今往后|下次)[，,：:\s]*|(?=每次|总是|一律))(?:请|你|麻烦)*([^。；;!！]{3,})"
    r"|^\W*(?:please )?(?:(?:going forward|in (?:the )?future|from (?:here|today|this day) on(?:wards?)?|henceforth)"
    r"[, ]+|(?=always\b))(?:please )?([^.;!]{4,})",
    re.I,
)
"""A wish that begins with from when on it holds: all that follows is the wish."""
_LENGTH = pattern(
    r"(?:说|讲|写|答|回答|回复|解释|废话)得?(?:也|都|还|实在)?太(?P<much>长|啰[嗦唆]|多|复杂|绕)"
    r"|太(?P<long>长|啰[嗦唆])了|(?:说|讲|写|答|回答)(?:得)?(?:再)?(?:短|简[短单洁])(?:一?[点些])|长话短说|说重点"
    r"|\b(?:too (?:long|wordy|verbose)|(?:keep|make) it (?:short(?:er)?|brief)|be (?:brief|concise)"
    r"|shorter answers?)\b",
    re.I,
)
"""Words that wish for shorter answers."""
_HABIT = pattern(
    r"以后|今后|往后|从[现今]|每次|总是|回答|答复|回复|先看|先.{1,10}再|from now on|before|first"
    r"|\balways\b|going forward|in (?:the )?future|henceforth",
    re.I,
)


def coach(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Take feedback in: log it, propose the belief that it comes to, and the line of the soul that will act on it."""
    speak, words, day = desk.speak, " ".join(wanted.words.split()), desk.request.day
    belief, guidance = _lesson(desk, words) or "", _advice(desk, words) or ""
    because = speak("coaching on {day}: {words}", day=day, words=words)
    calls = [DeskCall("memory.reflect", {"content": _reflection(desk, words, belief, guidance)})]
    kinds = ["feedback"]
    if belief:
        calls.append(DeskCall("memory.believe", {"text": belief, "because": because}))
        kinds.append("belief")
    section = _section(desk, words) or speak("How I grow")
    if guidance:
        calls.append(DeskCall("soul.propose", {"add": guidance, "because": because, "section": section}))
        kinds.append("soul")
    yield from desk.load_tables("lenses")
    results = yield from desk.run(*calls)
    logged = results[0].get("path") if results[0].ok else ""
    lines = [
        speak("Understood. Your words are in `{path}`.", path=logged)
        if logged
        else reply.describe_not_kept(desk, results[0], speak("the reflection", context="kept"))
    ]
    rest = dict(zip(kinds[1:], results[1:], strict=True))
    for kind, title, text in (
        ("belief", speak("Belief"), belief),
        ("soul", speak('soul.md, one line more under "{section}"', section=section), guidance),
    ):
        result = rest.get(kind)
        if result is None:
            continue
        if not result.ok:
            lines.append("- " + reply.describe_not_kept(desk, result, title))
        else:
            done = (
                speak("waits for you") if result.get("proposal") is not None else speak("written", context="coaching")
            )
            lines.append(f"- {title}{speak(': ')}“{text}”{speak(' — ')}{done}")
    if not rest:
        lines.append(speak("No rule for later was found in them: say what is to be different from now on."))
    kept = list(lines)
    lines += ["", *reply.describe_proposals(desk, results)]
    will = _effect(desk, guidance or belief) if rest else ""
    return Reply([*lines, *([will] if will else [])], kept)


def lesson(words: str, lang: str) -> str:
    """Return the belief that a complaint comes to, in the first person; "" where there is none.

    >>> lesson("你最近总是低估市场情绪的影响，分析时要多考虑资金面。", "zh")
    '我容易低估市场情绪的影响'
    >>> lesson("You keep underestimating sentiment; look at flows.", "en")
    'I tend to underestimate sentiment'
    """
    found = _COMPLAINT.search(words)
    if not found or _LENGTH.search(words):
        return ""
    if found["en"] is not None:
        what = found["en"].strip()
        if not what or re.match(r"should\b", what, re.I):
            return ""
        verb = re.sub(r"^(\w+?)ing\b", lambda m: _bare_verb(m[1]), what)
        speak = AnswerVoice(EN)
        return speak("I tend to {habit}", habit=verb) if lang != ZH else ""
    how, what = found["how"], found["what"].strip().removesuffix("了")
    if how in ("忽略", "低估", "高估"):
        what = how + what
    elif how == "太":
        what = f"太{what}"
    speak = AnswerVoice(ZH)  # the words are Chinese
    if found["on"] and what:
        return speak("I tend to {habit} about {topic}", habit=what, topic=found["on"])
    return speak("I tend to {habit}", habit=what) if what else ""


@part("the belief in the feedback", nothing)
def _lesson(desk: ToolDesk, words: str) -> str:
    return lesson(words, desk.speak.lang)


@part("the direction in the feedback", nothing)
def _advice(desk: ToolDesk, words: str) -> str:
    return advice(words, desk.speak.lang)


def _bare_verb(stem: str) -> str:
    return stem + "e" if re.search(r"(at|iz|us|or|nc|v|gg?)$", stem) and not stem.endswith("gg") else stem


def advice(words: str, lang: str) -> str:
    """Return what to do otherwise, as a line for the soul; "" where the words do not say.

    >>> advice("你最近总是低估市场情绪的影响，分析时要多考虑资金面。", "zh")
    '分析时要多考虑资金面'
    >>> advice("以后分析前先看大盘趋势", "zh")
    '分析前先看大盘趋势'
    >>> advice("以后回答先给结论，再给理由，不超过10行", "zh")
    '回答先给结论，再给理由，不超过10行'
    """
    always = _ALWAYS.search(words)
    found = [always[1] or always[2]] if always else _ANSWERS.findall(words) or _GUIDANCE.findall(words)
    if not found and _LENGTH.search(words):
        return AnswerVoice(lang)("Answer shorter: the conclusion first, minor reasons left out")
    kept = [
        re.sub(
            r"^(以后|今后|下次|从现在起|from now on|next time|you should|please|also)[,， ]*",
            "",
            text.strip(),
            flags=re.I,
        )
        for text in found
    ]
    kept = [re.sub(r"能不能|可不可以|可否", "", text) for text in kept]
    kept = [text.strip(" ，,。.？?") for text in kept if len(text.strip()) > 2]
    return AnswerVoice(lang).join_clauses(list(dict.fromkeys(kept)))


@part("its place in soul.md", nothing)
def _section(desk: ToolDesk, words: str) -> str:
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
    return desk.speak("How I grow")


def _reflection(desk: ToolDesk, words: str, belief: str, guidance: str) -> str:
    speak = desk.speak
    lines = [speak("## {day} Coaching", day=desk.request.day), "", f"> {words}", ""]
    lines += [speak("- What is wrong: {belief}", belief=belief)] if belief else []
    lines += [speak("- What to do: {guidance}", guidance=guidance)] if guidance else []
    return "\n".join(lines) + "\n"


@part("what it changes once approved", in_text)
def _effect(desk: ToolDesk, text: str) -> str:
    """Return what a later analysis will do otherwise once the line is approved, where a rule reads it."""
    speak = desk.speak
    known = lens.lenses_at(desk.tables).concerns
    cares = lens.concerns("", f"- {text}", desk.tables)
    will = [speak.fill(known[name].effect) for name in cares if known[name].effect[0]]
    if will:
        return speak(
            "Once approved, my research will: {changes}.",
            changes=speak.join_clauses(will),
        )
    return speak(
        "I work by rules, and none of mine reads this line: it will be in the context, where only a language model"
        " acts on it.",
    )


def praise(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Log positive feedback."""
    speak = desk.speak
    text = speak("## {day} Positive feedback", day=desk.request.day) + f"\n\n> {' '.join(wanted.words.split())}\n"
    result = yield from desk.one("memory.reflect", content=text)
    return reply.reply_of_lines(
        speak("Thank you; I will keep doing it that way."),
        *reply.describe_paths(desk, (result, speak("reflection", context="kept"))),
    )


def schedule(desk: ToolDesk, wanted: Intent, work: Callable[[ToolDesk], Work[Reply]]) -> Work[Reply]:
    """Draft a task: when, what from, what comes of it, who is told, what if it fails. The user decides.

    work  does what a request wants: inside a task's run the time of the schedule has come.
    """
    speak = desk.speak
    if (
        config.run_number() is not None
    ):  # its time has come: 每日复盘 is a review now, and another wish for a task a reminder
        request = replace(desk.request, question=_OFTEN.sub("", desk.request.question))
        if intent.read_intent(request).kind in ("review", "scan", "research", "compare", "figure", "skill"):
            desk.request = request
            return (yield from work(desk))
        return reply.reply_of_lines(wanted.words.strip())
    if answered := (yield from task_requests.send_report(desk, wanted)):
        return answered
    try:
        design, remarks = wish_parser.read_wish(wanted.words, zone=zones.wish_zone().key)
    except BadData as exc:
        problem, hint = wish_errors.explain_failure(exc, speak.lang)
        return reply.reply_of_lines(
            speak("This is no task yet: {problem}", problem=problem)
            if problem.endswith(("?", "？"))
            else speak("This is no task yet: {problem}.", problem=problem),
            speak("{hint}.", hint=hint),
        )
    if design.prompt and not (yield from _reads_job(desk, design.prompt, work)):
        return reply.reply_of_lines(
            speak(
                "This is no task yet: I do not understand its job “{job}”, and every run would fail.",
                job=design.prompt,
            ),
            speak(
                "Say the job as you would ask it now, for example “my profit this week” or “scan my watch list”; or set"
                " a model that understands it: `ia config set model NAME`."
            ),
        )
    because = speak(
        "you said on {day}: {words}",
        day=desk.request.day,
        words=" ".join(wanted.words.split()),
    )
    result = yield from desk.one(
        "tasks.propose",
        **{field: getattr(design, field) for field in _FIELDS if getattr(design, field)},
        **({"notify": list(design.notify)} if design.notify != (ME,) else {}),
        **({"retries": 0} if design.retries == 0 else {}),
        because=because[:500],
    )
    if not result.ok:
        return reply.reply_of_lines(reply.describe_not_kept(desk, result, speak("the design", context="kept")))
    remarked = speak.join_clauses([speak.say(remark) for remark in remarks])
    lines = [*_describe_draft(desk, design, result), *([f"- {remarked}"] if remarked else [])]
    head = speak(
        "The design of a task (nothing runs by itself before you approve it):",
    )
    return Reply([head, *lines, *reply.describe_proposals(desk, [result])], lines)


_LOOKS = (
    "market.*", "account.*", "skills.list", "skills.load", "watch.list", "risk.check", "trade.list", "tasks.list",
    "alert.list", "memory.list", "memory.read", "memory.recall", "notebook.list", "notebook.read", "notebook.search",
    "search_knowledge", "compute.run", "indicator.*", "proposals.list",
)  # fmt: skip
"""Tools that only look: whether a job is understood is tried with them."""
_MOST_ROUNDS = 6


def _reads_job(desk: ToolDesk, job: str, work: Callable[[ToolDesk], Work[Reply]]) -> Work[bool]:
    """Return whether the model that a task runs with understands its job; a language model is taken to.

    The job is begun as a question of now; it counts as understood as soon as it would do more than look.
    """
    if job.startswith("/") or choose_model(None) != OFFLINE:
        return True
    request = replace(desk.request, question=job, before=[], parts={**desk.request.parts})
    trial = work(ToolDesk(request, desk.offered))
    try:
        calls = next(trial)
        for _ in range(_MOST_ROUNDS):
            if not all(_only_looks(call) for call in calls):
                return True
            calls = trial.send((yield calls) if calls else [])
    except StopIteration as done:
        answer: Reply = done.value
        return answer.understood
    return True


def _only_looks(call: DeskCall) -> bool:
    """Whether a call changes nothing; a skill that is loaded whole is in force from then on."""
    return any(fnmatchcase(call.tool, name) for name in _LOOKS) and (call.tool != "skills.load" or "file" in call.args)


_EACH_DAY = pattern(r"(?:\S+ \S+ \* \* \*(?:; )?)+")
SHOWN = 3
"""Run times that a draft tells."""
_OFTEN = pattern(
    r"每个?(?:日|天|晚|早|周|月|季度?|年|交易日|工作日)(?:的)?(?=\S{0,6}(?:复盘|回顾|总结|扫描|筛|分析|研究|看|汇总|报告|检查))"
    r"|\b(?:daily|weekly|monthly|quarterly|hourly)\s+(?=review|scan|report|summary|check|research|analysis)",
    re.I,
)
_FIELDS = (
    "name", "schedule", "prompt", "run", "zone", "calendar", "inputs", "produces", "silent", "retries", "retry_after",
    "missed", "timeout",
)  # fmt: skip


@part("the details of the design", in_list)
def _describe_draft(desk: ToolDesk, design: TaskDesign, result: DeskResult) -> list[str]:
    """Return a design as a person reads it, with its next run times."""
    speak = desk.speak
    told = str(result.get("described") or design.schedule)
    coming = [str(moment)[:16].replace("T", " ") for moment in result.get("next") or []][:SHOWN]
    again = speak(
        PluralText(
            "tried again once, {minutes} min later; then you are told",
            "tried again {retries} times, {minutes} min apart; then you are told", by="retries",
        ),
        retries=design.retries, minutes=design.retry_after,
    ) if design.retries else speak("no retry; you are notified")  # fmt: skip
    notified = speak.join_items([speak("you") if name == ME else name for name in design.notify])
    notified, once = notified or speak("nobody", context="coaching"), design.missed == "once"
    output = f"`{result.get('keeps') or output_path(design)}`"
    late = speak("if missed, run once afterwards") if once else speak("if missed, left out")
    sends = design.run.startswith("ia send ")
    rows = [
        (speak("When"), f"{told} · `{design.schedule}`"),
        (speak("Next", context="task"), speak.join_items(coming)),
        (speak("What"), design.prompt or f"`{design.run}`"),
        (speak("Input"), design.inputs),
        (speak("Output"), "" if sends else output),
        (
            speak("Notify"),
            notified if sends or not design.silent else speak("only of failures: ") + notified,
        ),
        (speak("On failure"), speak.join_clauses([again, late])),
    ]  # fmt: skip
    lines = [f"- {title}{speak(': ')}{value}" for title, value in rows if value]
    if design.prompt and not design.calendar and _EACH_DAY.fullmatch(design.schedule):
        lines.append(speak("- It runs on weekends and holidays, too; “every trading day” leaves them out."))
    same = [f"`{path}`" for path in result.get("kept in the same note") or []]
    if same:
        lines.append(
            speak(
                "- In the same note there is the result of: {names}",
                names=speak.join_items(same),
            )
        )
    beside = [f"`{path}`" for path in result.get("beside") or []]
    if beside:
        lines.append(speak("- At the same time there is: {names}", names=speak.join_items(beside)))
    return lines


KINDS: dict[str, Callable[[ToolDesk, Intent], Work[Reply]]] = {"coach": coach, "praise": praise}
