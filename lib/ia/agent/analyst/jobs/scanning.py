"""The watch list against the rules: red flags first, then what fired, ranked by its weight."""

import re
from dataclasses import dataclass

from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.evidence import lens as lenses
from ia.agent.analyst.evidence.readings import key, labels_at
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.comparing import CALLS, ComparedSide, sides_of
from ia.agent.analyst.jobs.filing import file_calls, observe
from ia.agent.analyst.jobs.skill_loading import load_skill
from ia.agent.analyst.parts import in_list, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.tables import Entry, Table, Tables
from ia.agent.analyst.voice import number

FLAGGED = 4
"""Securities of a kind that an answer names one by one."""


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """A condition that a scan can be asked for: its words, its expression and its name."""

    words: re.Pattern[str]
    code: str
    name: tuple[str, str]


class Criteria:
    """What a scan can be asked for, the columns of its table, and how much a rule that fired weighs."""

    def __init__(self, table: Table) -> None:
        self.entries = table.entries("entries", build_criterion)
        self.columns = table.entries("columns", lambda entry: (entry.text("code"), entry.text("unit", "")))
        weights = table.section("weights", dict)
        self.weights = {str(grade): weight for grade, weight in weights.items() if isinstance(weight, int)}
        self.empty = table.pair("empty")


def build_criterion(entry: Entry) -> Criterion:
    """Return the criterion of an entry. raises BadEntry."""
    return Criterion(words=entry.pattern("words"), code=entry.text("code"), name=entry.pair("name", needed=True))


def criteria_at(desk: ToolDesk) -> Criteria:
    """Return the criteria at hand."""
    return criteria_in(desk.tables)


def criteria_in(tables: Tables) -> Criteria:
    """Return the criteria of tables."""
    return tables.build("scan", "criteria", Criteria)


def scan(desk: ToolDesk, intent: Intent) -> Work[Reply]:
    """Go over the watch list: red flags first, then what fired, ranked by its weight."""
    speak = desk.speak
    yield from desk.load_tables("criteria", "labels", "readings", "lenses")
    brought = yield from load_skill(desk, "scan", intent.words)
    listed = yield from desk.one("memory.read", path="tracking")
    items = (
        find_mentions("\n".join(line for line in str(listed.value or "").splitlines() if line.lstrip().startswith("-")))
        if listed.ok
        else []
    )
    items = intent.securities or items
    if not items:
        return reply.reply_of_lines(speak.fill(criteria_at(desk).empty))
    known = criteria_at(desk)
    criteria = [
        (each.code, f"{speak.fill(each.name)} `{each.code}`")
        for each in known.entries
        if each.words.search(intent.words)
    ]
    room = max(CALLS // len(items), 1)
    codes = [*(code for code, _ in criteria), *(code for code, _ in known.columns)][:room]
    sides, failed = yield from sides_of(
        desk,
        items[:CALLS],
        codes,
        [],
        lenses.lenses_at(desk.tables).neutral,
        "scan" if brought is not None else "",
        recall=False,
    )
    if not sides:
        return reply.reply_of_lines(*failed, speak("None of them has prices."))
    answer, line, best = _describe_scan(desk, sides, failed, criteria, codes)
    brief = _answer_scan(desk, sides, failed, criteria, codes)
    rules = yield from risk_rules.check_buy(desk, *best, tell_permit=False, tell_held=False)
    answer += ["", *(f"- {told}" for told in rules)] if rules else []
    kept = yield from _file_scan(desk, sides, answer, line)
    return Reply(
        [*brief, *(f"- {told}" for told in rules), *kept, reply.by_rules(speak)],
        [*brief, *rules],
        [f"{s.title}: {', '.join(f.id for f in s.fired) or '-'}" for s in sides],
    )


@part("the note of the scan", in_list)
def _file_scan(desk: ToolDesk, sides: list[ComparedSide], answer: list[str], line: str) -> Work[list[str]]:
    """Write the note and the observation; return where they are, in lines."""
    speak = desk.speak
    path = f"scratch/scan/{desk.request.day}.md"
    text = (
        "\n".join(
            [
                f"# {speak('Scan of the watch list')} · {desk.request.day}",
                "",
                *answer,
                "",
                *_detail(desk, sides),
            ]
        )
        + "\n"
    )
    topic = speak("scan")
    note, seen = yield from file_calls(
        desk, DeskCall("notebook.write", {"path": path, "content": text}), observe(desk, topic, line)
    )
    return reply.describe_paths(
        desk, (note, speak("note", context="scan")), (seen, speak("observation", context="kept"))
    )


def _describe_scan(
    desk: ToolDesk, sides: list[ComparedSide], failed: list[str], criteria: list[tuple[str, str]], codes: list[str]
) -> tuple[list[str], str, list[str]]:
    """Return the answer of a scan, the line that is remembered of it, and the codes of what is best, a few."""
    speak = desk.speak
    everywhere = _shared_findings(sides)
    flagged = [side for side in sides if any(item.alarming for item in side.fired)]
    ranked = _rank_sides(desk, sides, criteria, codes)
    out = [
        _head_of_scan(desk, sides, failed, criteria),
        "",
    ]
    out += [f"**{speak('Red flags (look here first)')}**"]
    out += [
        f"- {side.title} **{item.id}** {speak(': ').join(filter(None, (item.name, item.says)))}"
        for side in flagged
        for item in side.fired
        if item.alarming
    ][:8] or [speak("- none")]
    out += [
        "",
        f"**{speak('What fired')}**",
        "",
        _head(desk, codes),
        "| --- |" + " ---: |" * (len(_format_row(desk, codes)) + 1),
    ]
    out += [_row(desk, side, codes, everywhere) for side in ranked[:8]]
    if not ranked:
        out = [*out[:-2], speak("Nothing meets the criteria today.")]
    if everywhere:
        out += [
            "",
            speak(
                "{ids} fired on more than a third of the list: that is the market, and does not count.",
                ids=speak.join_items(sorted(everywhere)),
            ),
        ]
    out += ["", *failed] if failed else []
    quiet = [side.title for side in sides if side not in ranked and side not in flagged]
    out += (
        [
            "",
            speak("Nothing, or not by the criteria: {names}.", names=speak.join_items(quiet)),
        ]
        if quiet
        else []
    )
    first = ranked[0].title if ranked else ""
    line = speak(
        "Scan of {count}: {flagged} flagged, {fired} fired{first_choice}; void after the next close.",
        count=len(sides),
        flagged=len(flagged),
        fired=len(ranked),
        first_choice=speak("; research {name} first", name=first) if first else "",
    )
    return [*out, "", line], line, [side.mention.code for side in ranked[:3]]


def _head_of_scan(desk: ToolDesk, sides: list[ComparedSide], failed: list[str], criteria: list[tuple[str, str]]) -> str:
    """Return of which day the scan is, of how many, and by what."""
    speak = desk.speak
    sim = any(side.market.get("simulated") for side in sides)
    last = max(str(side.market.get("last") or "") for side in sides)
    return speak(
        "As of {date}: {count} with prices{without}{criteria}{simulated}.",
        date=last,
        count=len(sides),
        without=speak(", {count} without", count=len(failed)) if failed else "",
        criteria=speak("; criteria: {names}", names=speak.join_items([name for _, name in criteria]))
        if criteria
        else "",
        simulated=speak("; **prices are simulated**") if sim else "",
    )


def _rank_sides(
    desk: ToolDesk, sides: list[ComparedSide], criteria: list[tuple[str, str]], codes: list[str]
) -> list[ComparedSide]:
    """Return what meets the criteria and has no warning, the best first."""
    everywhere = _shared_findings(sides)
    flagged = [side for side in sides if any(item.alarming for item in side.fired)]
    meets = [side for side in sides if side not in flagged and _meets(side, criteria, codes)]
    return sorted(
        (side for side in meets if criteria or _score(desk, side, everywhere)),
        key=lambda side: -_score(desk, side, everywhere),
    )


def _answer_scan(
    desk: ToolDesk, sides: list[ComparedSide], failed: list[str], criteria: list[tuple[str, str]], codes: list[str]
) -> list[str]:
    """Return a scan in a few lines: what to look at first and why; the note has codes and figures."""
    speak, everywhere = desk.speak, _shared_findings(sides)
    flagged = [side for side in sides if any(item.alarming for item in side.fired)]
    ranked = _rank_sides(desk, sides, criteria, codes)
    lines = [_head_of_scan(desk, sides, failed, criteria)]
    for side in flagged[:FLAGGED]:
        told = [item.name or item.says for item in side.fired if item.alarming]
        lines.append(speak("- **{name}**: {warnings}", name=side.title, warnings=speak.join_clauses(told[:2])))
    if rest := flagged[FLAGGED:]:
        lines.append(speak("- warnings also: {names}", names=speak.join_items([side.title for side in rest])))
    for side in ranked[:FLAGGED]:
        told = [item.name or item.says for item in side.fired if item.id not in everywhere]
        told = told[:2] or [name for _, name in criteria]
        lines.append(speak("- {name}: {warnings}", name=side.title, warnings=speak.join_clauses(told)))
    quiet = [side.title for side in sides if side not in ranked and side not in flagged]
    if quiet:
        lines.append(speak("- nothing new: {names}", names=speak.join_items(quiet)))
    return lines


def _shared_findings(sides: list[ComparedSide]) -> set[str]:
    """Return what fired on more than a third of a list of at least four: the market, not the security."""
    counts: dict[str, int] = {}
    for side in sides:
        for item in side.fired:
            counts[item.id] = counts.get(item.id, 0) + (not item.alarming)
    return {name for name, count in counts.items() if len(sides) >= 4 and count * 3 > len(sides)}


def _meets(side: ComparedSide, criteria: list[tuple[str, str]], codes: list[str]) -> bool:
    return all(side.value(code) == 1.0 for code, _ in criteria if code in codes)


def _score(desk: ToolDesk, side: ComparedSide, everywhere: set[str]) -> int:
    weights = criteria_at(desk).weights
    return sum(weights.get(item.grade, 1) for item in side.fired if item.id not in everywhere and not item.alarming)


def _format_row(desk: ToolDesk, codes: list[str]) -> list[tuple[str, str]]:
    return [(code, unit) for code, unit in criteria_at(desk).columns if code in codes]


def _head(desk: ToolDesk, codes: list[str]) -> str:
    speak = desk.speak
    known = labels_at(desk.tables).entries
    labels = [speak.fill(known.get(key(code), (code, code, ""))[:2]) for code, _ in _format_row(desk, codes)]
    return "| " + " | ".join([speak("security"), *labels, speak("fired")]) + " |"


def _row(desk: ToolDesk, side: ComparedSide, codes: list[str], everywhere: set[str]) -> str:
    ids = [item.id for item in side.fired if item.id not in everywhere]
    cells = [number(side.value(code), unit, desk.speak) for code, unit in _format_row(desk, codes)]
    return "| " + " | ".join([side.title, *cells, " ".join(ids[:5]) or "–"]) + " |"


def _detail(desk: ToolDesk, sides: list[ComparedSide]) -> list[str]:
    speak = desk.speak
    lines = [f"## {speak('What fired, one by one')}", ""]
    for side in sides:
        lines += [
            f"### {side.title} {side.mention.code}",
            "",
            *(f"- **{i.id}** {i.name}{i.says} ({i.source})" for i in side.fired),
        ]
        lines += [speak("- none")] if not side.fired else []
        lines.append("")
    return lines
