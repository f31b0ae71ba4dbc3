"""The watch list against the rules: red flags first, then what fired, ranked by its weight."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ia.agent.analyst.ask.facts import MARKET, WATCH, WATCH_WORDS, FactQuestion, industry_forms, market_table
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.scan_words import HELD, read_scan
from ia.agent.analyst.ask.screens import parse_wish, strip_fillers
from ia.agent.analyst.ask.technicals import take_technicals
from ia.agent.analyst.ask.time_spans import UNREAD, find_time_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import lens as lenses
from ia.agent.analyst.evidence.readings import key, labels_at
from ia.agent.analyst.evidence.verdict import Fired
from ia.agent.analyst.jobs import facts, risk_rules
from ia.agent.analyst.jobs.comparing import CALLS, ComparedSide, sides_of
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.filing import OWN_LINE, file_calls, observe
from ia.agent.analyst.jobs.skill_loading import load_skill
from ia.agent.analyst.parts import in_list, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.tables import Entry, Table, Tables
from ia.agent.analyst.voice import number
from ia.kernel.patterns import pattern

_WATCHED = pattern(r"自选|关注|watch ?list|\btrack", re.I)
"""Words of what is to be scanned: what is held, what is watched, or both; the watch list without any."""
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


def find_other_scan(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Answer a wish to scan that has conditions which no scan of a list reads: with a screen, or a question back.

    None for a wish that `scan` does.
    """
    wish = read_scan(wanted.words)
    yield from desk.load_tables("criteria", "technicals", "technicals_more", "facts_market")
    left = wish.condition
    for criterion in criteria_at(desk).entries:
        left = criterion.words.sub(" ", left)
    covered = not strip_fillers(left)
    spans = find_time_spans(wish.words, desk.request.moment.date())
    past = [span for span in spans if f"{span.first}" != desk.request.day]
    if (
        not past
        and covered
        and not wish.market
        and (wish.watch or wish.held or wanted.securities or not wish.condition)
    ):
        return None
    if not wish.condition and not past:
        return wording.ask_back(desk, (wish.words,))
    if wish.held or wanted.securities:
        return wording.ask_back(desk, (wish.condition or past[0].said,))
    of = WATCH if wish.watch else MARKET
    spec = next(each for each in market_table(desk.tables).facts if each.answer == "screen" and each.of == of)
    rest, technicals = take_technicals(WATCH_WORDS.sub(" ", wish.words), desk.tables)
    read = parse_wish(rest, industry_forms(rest, (), desk.tables))
    if not (read.whole or (technicals and not read.rest)) and covered and not wish.market and not past:
        return None
    times = tuple(span.said for span in spans if span.kind == UNREAD)
    known = tuple(span for span in spans if span.kind != UNREAD)
    question = FactQuestion((spec,), (), wish.words, known, times, times)
    return (yield from facts.answer_question(desk, question))


def scan(desk: ToolDesk, intent: Intent) -> Work[Reply]:
    """Go over the watch list: red flags first, then what fired, ranked by its weight."""
    speak = desk.speak
    yield from desk.load_tables("criteria", "labels", "readings", "lenses")
    brought = yield from load_skill(desk, "scan", intent.words)
    listed, account = yield from desk.run(DeskCall("memory.read", {"path": "tracking"}), DeskCall("account.status", {}))
    watched = [line for line in str(listed.value or "").splitlines() if line.lstrip().startswith("-")]
    held = wording.objects_of(account, "positions")
    of_account = bool(HELD.search(intent.words)) and not intent.securities
    items = intent.securities
    if of_account:
        items = find_mentions("\n".join(held))
        if not items:
            return reply.reply_of_lines(speak("You hold nothing: there is no position to scan."))
    if not items or (of_account and _WATCHED.search(intent.words)):
        of_list = find_mentions("\n".join(watched)) if listed.ok else []
        items = [*items, *(each for each in of_list if each.code not in {item.code for item in items})]
    if not items:
        return reply.reply_of_lines(speak.fill(criteria_at(desk).empty))
    stops = _stop_lines(desk, account, [each.code for each in items])
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
    answer = [*answer, *(["", *stops] if stops else [])]
    rules = yield from risk_rules.check_buy(desk, *best, tell_permit=False, tell_held=False)
    answer += ["", *(f"- {told}" for told in rules)] if rules else []
    kept = yield from _file_scan(desk, sides, answer, line, of_account=of_account)
    head, warned, found, quiet = _answer_scan(desk, sides, failed, criteria, codes, of_account=of_account)
    (stops, warned, found, rules), cut = reply.shorten_parts(
        [stops, warned, found, [f"- {told}" for told in rules]], reply.ROOM - 2 - len(quiet) - len(kept)
    )
    head += speak(" In short: the note has all of it.") if cut else ""
    brief = [head, *stops, *warned, *found, *quiet]
    return Reply(
        reply.append_lines([*brief, *rules], *kept),
        [*brief, *rules],
        [f"{s.title}: {', '.join(f.id for f in s.fired) or '-'}" for s in sides],
        signed=True,
    )


@part("the note of the scan", in_list)
def _file_scan(
    desk: ToolDesk, sides: list[ComparedSide], answer: list[str], line: str, *, of_account: bool
) -> Work[list[str]]:
    """Write the note and the observation; return where they are, in lines."""
    speak = desk.speak
    path = f"scratch/scan/{desk.request.day}{'-holdings' if of_account else ''}.md"
    title = speak("Scan of the holdings") if of_account else speak("Scan of the watch list")
    text = (
        "\n".join(
            [
                f"# {title} · {desk.request.day}",
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
        desk, DeskCall("notebook.write", {"path": path, "content": text}), observe(desk, topic, f"{line}\n{OWN_LINE}")
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
        f"- {side.title}{speak(': ')}{speak(': ').join(filter(None, (item.name, item.says)))}"
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
        shared = dict.fromkeys(_fact_of(item) for side in sides for item in side.fired if item.id in everywhere)
        out += [
            "",
            speak(
                "On more than a third of the list, so that it is the market and does not count: {names}.",
                names=speak.join_clauses(list(shared)),
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


def _stop_lines(desk: ToolDesk, account: DeskResult, codes: list[str]) -> list[str]:
    """Return what is held and stands below its stop, of the securities that are scanned."""
    warnings = wording.rows_of(account, "warnings") if account.ok and risk_rules.in_force(desk) else []
    return [f"- **{risk_rules.describe_breach(desk, each)}**" for each in warnings if each.get("symbol") in codes]


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
    desk: ToolDesk,
    sides: list[ComparedSide],
    failed: list[str],
    criteria: list[tuple[str, str]],
    codes: list[str],
    *,
    of_account: bool,
) -> tuple[str, list[str], list[str], list[str]]:
    """Return a scan in a few lines: its head, the warnings, what fired, and what did not; the note has the figures."""
    speak, everywhere = desk.speak, _shared_findings(sides)
    flagged = [side for side in sides if any(item.alarming for item in side.fired)]
    ranked = _rank_sides(desk, sides, criteria, codes)
    head = _head_of_scan(desk, sides, failed, criteria)
    head = speak("Your holdings: {told}", told=head) if of_account else head
    lines: list[str] = []
    warned = _group_sides(flagged, lambda side: [_fact_of(item) for item in side.fired if item.alarming])
    for warning, names in warned[:FLAGGED]:
        lines.append(speak("- **{name}**: {warnings}", name=speak.join_items(names), warnings=warning))
    told = {name for _, names in warned[:FLAGGED] for name in names}
    if rest := [side.title for side in flagged if side.title not in told]:
        lines.append(speak("- warnings also: {names}", names=speak.join_items(rest)))
    warnings, lines = lines, []
    wanted = [name for _, name in criteria]
    found = _group_sides(
        ranked[:FLAGGED],
        lambda side: [_fact_of(item) for item in side.fired if item.id not in everywhere][:2] or wanted,
    )
    for finding, names in found[:FLAGGED]:
        lines.append(speak("- {name}: {warnings}", name=speak.join_items(names), warnings=finding))
    quiet = [side.title for side in sides if side not in ranked and side not in flagged]
    rest = [speak("- nothing new: {names}", names=speak.join_items(quiet))] if quiet else []
    return head, warnings, lines, rest


def _fact_of(item: Fired) -> str:
    return item.fact or item.name or item.says


def _group_sides(
    sides: list[ComparedSide], findings: Callable[[ComparedSide], list[str]]
) -> list[tuple[str, list[str]]]:
    """Return each finding once with the names of those that it is about, the most frequent first."""
    names: dict[str, list[str]] = {}
    for side in sides:
        for finding in findings(side):
            names.setdefault(finding, []).append(side.title)
    return sorted(names.items(), key=lambda each: -len(each[1]))


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
    told = [_fact_of(item) for item in side.fired if item.id not in everywhere]
    cells = [number(side.value(code), unit, desk.speak) for code, unit in _format_row(desk, codes)]
    return "| " + " | ".join([side.title, *cells, desk.speak.join_clauses(told[:2]) or "–"]) + " |"


def _detail(desk: ToolDesk, sides: list[ComparedSide]) -> list[str]:
    speak = desk.speak
    lines = [f"## {speak('What fired, one by one')}", ""]
    for side in sides:
        lines += [
            f"### {side.title} {side.mention.code}",
            "",
            *(
                f"- {speak(': ').join(filter(None, (i.name, i.says)))}" + (f" ({i.source})" if i.source else "")
                for i in side.fired
            ),
        ]
        lines += [speak("- none")] if not side.fired else []
        lines.append("")
    return lines
