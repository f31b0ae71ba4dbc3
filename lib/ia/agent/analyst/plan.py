"""From what is wanted to the work that does it."""

import re

from ia.agent.analyst import guarded, intent, lens, note, reply, small, view
from ia.agent.analyst.desk import Call, Desk, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.mentions import LONGEST, Mention, bare
from ia.agent.analyst.parts import in_list, part
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import Study, filed, named, observe, steps_for, studied

__all__ = ["Reply", "work"]


def work(desk: Desk) -> Work[Reply]:
    """Do what a request wants, and return the answer; what an error cost of it is named at its end."""
    done = yield from _done(desk)
    if not desk.last_lines:
        return done
    ends = done.lines[-1:] if done.lines[-1:] == [reply.by_rules(desk.speak)] else []
    lines = [*done.lines[: len(done.lines) - len(ends)], *desk.last_lines, *ends]
    return done._replace(lines=lines, points=[*done.points, *desk.last_lines])


def _done(desk: Desk) -> Work[Reply]:
    """Do what a request wants, and return the answer. What a kind of work needs is imported when it is wanted."""
    if desk.request.sections:
        from ia.agent.analyst import daily

        if desk.request.event in daily.EVENTS:
            return (yield from daily.EVENTS[desk.request.event](desk))
    wanted = intent.read(desk.request)
    match wanted.kind:
        case "skill":
            return (yield from _skill(desk, wanted))
        case "research" if wanted.securities:
            return (yield from research(desk, wanted.securities[0]))
        case "piped":
            return (yield from research(desk, next(iter(wanted.securities), None)))
        case "compare":
            return (yield from _compare(desk, wanted))
        case "scan":
            from ia.agent.analyst import scanning

            return (yield from scanning.scan(desk, wanted))
        case "review":
            return (yield from _review(desk, wanted))
        case "figure":
            return (yield from small.figure(desk, wanted))
        case "why":
            return (yield from small.why(desk, wanted))
        case "holdings" | "mainline" | "order":
            from ia.agent.analyst import holding

            return (yield from holding.KINDS[wanted.kind](desk, wanted))
        case "coach" | "praise" | "schedule":
            from ia.agent.analyst import coaching

            if wanted.kind == "schedule":
                return (yield from coaching.schedule(desk, wanted, work))
            return (yield from coaching.KINDS[wanted.kind](desk, wanted))
        case "asked_memory" | "track" | "untrack" | "note" | "believe" | "prefer":
            from ia.agent.analyst import memories

            return (yield from memories.KINDS[wanted.kind](desk, wanted))
    if wanted.kind == "unknown" and (meant := (yield from _meant(desk, wanted))):
        return (yield from _skill(desk, meant))
    return small.said(desk, wanted)


def _meant(desk: Desk, wanted: Intent) -> Work[Intent | None]:
    """Return the skill of the workspace one of whose triggers the message has; None where it is none, or several."""
    if not desk.request.skills or desk.request.data:
        return None
    listed = (yield from desk.one("skills.list")).get("skills")
    words, hits = wanted.words[:LONGEST].casefold(), {}
    for skill in listed if isinstance(listed, list) else []:
        if isinstance(skill, dict) and skill.get("name") not in ("research", "compare", "scan"):
            said = [str(text).casefold() for text in skill.get("triggers") or [] if _has(words, str(text).casefold())]
            if said:
                hits[str(skill["name"])] = max(map(len, said))
    best = [name for name, size in hits.items() if size == max(hits.values())]
    return wanted._replace(kind="skill", skill=best[0]) if len(best) == 1 else None


def _has(words: str, trigger: str) -> bool:
    return bool(
        re.search(rf"(?<![a-z]){re.escape(trigger)}(?![a-z])" if trigger.isascii() else re.escape(trigger), words)
    )


def _review(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Review judgments on the market, unless the workspace's own /review is of another kind: one without prices."""
    body, names = desk.request.parts.get("skill", ""), [name for name, _ in desk.request.skills]
    foreign = "market." not in body and "indicator." not in body if body else bool(names) and "research" not in names
    if foreign:
        from ia.agent.analyst import following

        meant = (
            wanted if wanted.skill else (yield from _meant(desk, wanted._replace(words=f"{wanted.words} 回顾 review")))
        )
        own = "review" if "review" in names else meant.skill if meant else ""
        if own:
            return (yield from following.follow(desk, wanted._replace(kind="skill", skill=own)))
    from ia.agent.analyst import reviewing

    return (yield from reviewing.review(desk, wanted.words))


def _compare(desk: Desk, wanted: Intent) -> Work[Reply]:
    from ia.agent.analyst import comparing

    compared = yield from comparing.compare(desk, wanted.securities)
    if compared.evidence or desk.written or len(compared.lines) > comparing.MOST + 1:
        return compared
    reached = yield from _priced(desk, wanted.securities[: comparing.MOST])
    if len(reached) != 1:
        return compared
    missing = [mention for mention in wanted.securities[: comparing.MOST] if mention not in reached]
    done = yield from research(desk, reached[0])
    line = desk.speak(
        "{missing} 没有取到行情，所以只看{name}。",
        "No prices were to be had of {missing}, so this is about {name} only.",
        missing=desk.speak.joined(
            [" ".join(dict.fromkeys((named(desk, mention), mention.code))) for mention in missing]
        ),
        name=named(desk, reached[0]),
    )
    return done._replace(lines=[line, "", *done.lines], points=[*done.points[:1], line, *done.points[1:]])


def _priced(desk: Desk, securities: list[Mention]) -> Work[list[Mention]]:
    """Return the securities that have prices."""
    looked = yield from desk.run(*(Call("market.ohlcv", {"symbol": mention.code, "tail": 1}) for mention in securities))
    return [mention for mention, result in zip(securities, looked, strict=True) if result.ok]


def _skill(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Run the skill that the user named; a research of two securities is a comparison."""
    if wanted.skill == "research" and len(wanted.securities) == 1:
        return (yield from research(desk, wanted.securities[0]))
    if wanted.skill in ("research", "compare") and len(wanted.securities) > 1:
        return (yield from _compare(desk, wanted))
    if wanted.skill == "scan":
        from ia.agent.analyst import scanning

        return (yield from scanning.scan(desk, wanted))
    if wanted.skill == "review":
        return (yield from _review(desk, wanted))
    if wanted.skill in ("research", "compare"):
        yield from ()
        return small.which(desk, wanted)
    from ia.agent.analyst import following

    return (yield from following.follow(desk, wanted))


def research(desk: Desk, mention: Mention | None) -> Work[Reply]:
    """Research one security, or the bars that were piped in; keep the note and the observation, and answer."""
    speak = desk.speak
    order = lens.asked(lens.of_soul(desk.request.parts.get("soul", "")), bare(desk.request.question))
    steps, skill = yield from steps_for(desk, "research", mention.name if mention else "")
    study = yield from studied(desk, mention, steps, order, skill)
    if study.failure:
        return reply.of(reply.no_prices(desk, mention.said if mention else "", study.failure))
    if study.value("close") is None:
        return reply.of(
            speak(
                "没有算出任何数字，所以没有观点：{why}。",
                "No figure could be computed, so there is no view: {why}.",
                why=study.why or speak("没有计算工具", "there is no tool to compute with"),
            )
        )
    seen = view.View(desk, study)
    rules = yield from guarded.checked(desk, *([study.code] if study.code and mention is not None else []))
    kept = yield from _kept(desk, study, seen, rules)
    lines = [*note.answer(seen), *(["", *rules] if rules else []), "", *kept, reply.by_rules(speak)]
    return Reply(
        lines,
        [f"{seen.subject}{speak('：', ': ')}{seen.conclusion()}", *rules, *seen.changes()[:2]],
        view.spoken_for(study, speak),
    )


@part("笔记与观察", "the note and the observation", in_list)
def _kept(desk: Desk, study: Study, seen: view.View, rules: list[str]) -> Work[list[str]]:
    """Write the note and the observation, as far as the procedure does, and return where they are, in lines."""
    tools = {step.tool for step in study.steps}
    topic = study.name or study.code or desk.speak("管道数据", "piped")
    line = note.remembered(seen)
    calls: list[tuple[Call, str, str]] = []
    if "notebook.write" in tools:
        path = f"research/{topic.replace('/', '-')}/{desk.request.day}.md"
        text = note.note(seen) + "".join(f"\n{line}\n" for line in rules)
        calls.append((Call("notebook.write", {"path": path, "content": text}), "笔记", "note"))
    if tools & {"memory.write", "memory.observe"} and line not in study.observed:
        calls.append(
            (observe(desk, topic, f"{line}\n{note.stated(seen).data_line}", study.observed), "观察", "observation")
        )
    results = yield from filed(desk, *(call for call, _, _ in calls))
    return reply.paths(desk, *((result, zh, en) for result, (_, zh, en) in zip(results, calls, strict=True)))
