"""A study as text: the answer of a conversation, the note that is kept, and the line that is remembered."""

from ia.agent.analyst.evidence.readings import labels_at
from ia.agent.analyst.evidence.stated_view import StatedView
from ia.agent.analyst.evidence.verdict import kinds_told
from ia.agent.analyst.say.view import View

SHOWN_FIRED = 3
SHOWN_AGAINST = 3


def answer(view: View) -> list[str]:
    """Return the answer of a conversation, about a screen of it: the note has the rest."""
    speak = view.speak
    out = [f"**{view.subject}** {view.conclusion()}", view.snapshot(), *(f"> {told}" for told in view.warnings())]
    for heading, lines in view.decisive():
        out += [f"### {heading}", *(f"- {line}" for line in lines)]
    fired = view.fired_lines(SHOWN_FIRED)
    if fired:
        more = len(view.fired_lines()) - len(fired)
        rest = speak(" ({count} more in the note)", count=more) if more else ""
        out += [
            f"### {speak('Rules and patterns in force')}{rest}",
            *(f"- {line}" for line in fired),
        ]
    out += [f"### {speak('Against it')}", *(f"- {line}" for line in view.against(SHOWN_AGAINST))]
    out += ["", f"**{speak('Not judged')}** {speak.pick('', ' ').join(view.unjudged_lines())}"]
    out += [f"**{speak('What would change the view')}** {speak.pick('', ' ').join(view.changes()[:3])}"]
    if view.earlier:
        before = [*view.before(1), *([view.compare_with_past()] if view.compare_with_past() else [])]
        out += [f"**{speak('What was said before')}** {speak.join_clauses(before)}"]
    return [*out, view.confidence() + speak(" Next look: ") + view.next_look()]


def note(view: View) -> str:
    """Return the research note."""
    speak, study = view.speak, view.study
    out = [
        f"# {study.known or view.subject} · {view.desk.request.day}",
        "",
        f"**{speak('Conclusion')}** {view.conclusion()}",
        "",
    ]
    out += [line for told in view.warnings() for line in (f"> {told}", "")]
    out += [f"## {speak('Data')}", "", _source(view), ""]
    out += _table(view)
    for heading, lines in view.sections():
        out += [f"## {heading}", "", *(f"- {line}" for line in lines), ""]
    out += [f"## {speak('Rules and patterns in force')}", ""]
    fired = [view.format_reading(item) for item in study.fired]
    none = speak("None.") if study.checked else speak("Not checked: no rules at hand.")
    out += [*(f"- {line}" for line in fired or [none]), ""]
    if study.unread:
        out += [f"## {speak('Must-know rules for you to judge')}", ""]
        out += [f"- **{id_}** {if_}{speak(': ')}{text}" for id_, if_, text in study.unread[:8]]
        out += [""]
    out += [f"## {speak('For and against')}", "", *_balance(view), ""]
    out += [
        f"## {speak('Against it')}",
        "",
        *(f"- {line}" for line in view.against()),
        "",
        f"## {speak('Not judged', context='note')}",
        "",
        *(f"- {line}" for line in view.unjudged_lines()),
        "",
    ]
    out += [
        f"## {speak('What would change the view')}",
        "",
        *(f"- {line}" for line in view.changes()),
        "",
    ]
    before = view.before(8) or [speak("No earlier note or observation was found; this is the first.")]
    out += [
        f"## {speak('What was said before, and since')}",
        "",
        *(f"- {line}" for line in before),
        "",
    ]
    if view.compare_with_past():
        out[-1:] = [f"- {view.compare_with_past()}", ""]
    out += [f"## {speak('Next look')}", "", view.next_look(), ""]
    return "\n".join([*out, f"## {speak('Sources')}", "", *_sources(view), "", state_view(view).data_line]) + "\n"


def state_view(view: View) -> StatedView:
    """Return the view of a study as data: a later research compares itself with it."""
    verdict, value = view.verdict, view.study.value
    end = "<" if verdict.lean >= 0 else ">"
    level = value(view.outline.ends[end])
    return StatedView(
        lean=verdict.lean,
        confidence=verdict.confidence,
        ends_if=None if level is None else (end, level),
        kinds=tuple((kind, sign) for kind, sign in verdict.kinds.items() if sign),
        close=value("close"),
        simulated=view.study.simulated,
    )


def observation_line(view: View) -> str:
    """Return the line of words that goes into the observations, above its data line."""
    speak, verdict = view.speak, view.verdict
    close, *parts = state_view(view).parts(speak)
    reasons = [kinds_told(verdict, sign, speak) for sign in (1, -1)]
    parts.append(
        speak(
            "for: {reasons_for}; against: {reasons_against}",
            reasons_for=reasons[0] or "–",
            reasons_against=reasons[1] or "–",
        )
    )
    return " | ".join([f"{view.study.known or view.subject} {close}", *parts])


def _source(view: View) -> str:
    speak, market = view.speak, view.study.market
    if not market.get("rows"):
        return speak("The bars were piped in; the last is of {date}.", date=view.study.last)
    return speak(
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
    head = speak("| figure | value | as of |")
    rows = [
        f"| {figure.label} | {figure.show(speak, view.desk.tables)} | {figure.date or '–'} |"
        for figure in view.study.figures
    ]
    own = {figure.code for figure in view.study.figures}
    labels = labels_at(view.desk.tables)
    for reading in view.readings.of_views(view.study.lens.order):
        if reading.code not in own and (value := view.study.value(reading.code)) is not None:
            shown = labels.show(reading.code, value, reading.unit, speak)
            rows.append(f"| {speak.fill(reading.label)} | {shown} | {view.study.last} |")
    return [head, "| --- | ---: | --- |", *rows, ""] if rows else []


def _balance(view: View) -> list[str]:
    speak, verdict = view.speak, view.verdict
    lines = []
    for sign, zh, en in ((1, "支持", "For"), (-1, "反对", "Against"), (0, "不说话", "Silent")):
        lines.append(f"- {speak.pick(zh, en)}{speak(': ')}{kinds_told(verdict, sign, speak) or '–'}")
    rule = speak(
        "Readings of one origin count once, and each kind as much as any other; score {score:+.2f} (within ±{bound:g}"
        " the direction is open), agreement {agreement:.0%}.",
        bound=view.readings.weighing.lean,
        score=verdict.score,
        agreement=verdict.agreement,
    )
    beside = speak(
        "Rules and patterns in force do not score, they stand beside; red flags and must-know rules limit the"
        " confidence.",
    )
    return [*lines, f"- {rule}", f"- {beside}", f"- {view.confidence()}"]


def _sources(view: View) -> list[str]:
    speak = view.speak
    cited = [item.reading.source for item in view.verdict.evidence if item.reading.source[-1:].isdigit()]
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
        elif (threshold := speak("thresholds")) not in behind[whole]:
            behind[whole].append(threshold)
    told = [speak("Thresholds of the readings: {sources}.", sources="; ".join(used))] if used else []
    told += [f"{source} ({speak.join_items(ids)})" for source, ids in behind.items()]
    how = (
        speak(
            "The steps are those of the skill {skill} (sop.yaml).",
            skill=f"/{view.study.skill}",
        )
        if view.study.skill
        else speak("The steps are the built-in ones: there is no research skill.")
    )
    rules = speak(
        "Written by rules (ia-offline), without a language model. Research and advice only; what to do is yours.",
    )
    return [f"- {line}" for line in (*told, how, rules)]
