"""Several securities side by side."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.mentions import Mention, english
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import lens as lenses
from ia.agent.analyst.evidence import past_views, procedure, verdict
from ia.agent.analyst.evidence.procedure import Figure, ProcedureStep
from ia.agent.analyst.evidence.readings import INDEX, VALUATION, key, labels_at, readings_at
from ia.agent.analyst.evidence.study import LONGEST_PAST, check_valuation, facts_of, valuation_values
from ia.agent.analyst.evidence.tool_answers import display_name, read_value, recall_hits
from ia.agent.analyst.evidence.verdict import Fired, Verdict, describe_level, kinds_told
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.filing import OWN_LINE, file_calls, observe, research_path
from ia.agent.analyst.jobs.skill_loading import load_skill
from ia.agent.analyst.parts import in_list, leave_out, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import ZH
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST, FIGURES, SHOWN = 5, 2, 3
CALLS = 54
"""Computations in one answer: the router lets a tool be called sixty times in a minute."""


class ComparedSide(NamedTuple):
    """One security of several: its bars as they were shown, figures by expression, what fired, and its verdict."""

    mention: Mention
    title: str
    market: Json
    values: dict[str, tuple[float | None, str]]
    figures: list[Figure]
    fired: list[Fired]
    earlier: list[Json]
    verdict: Verdict

    def value(self, code: str) -> float | None:
        """Return a figure by its expression."""
        return self.values.get(key(code), (None, ""))[0]


def compare(desk: ToolDesk, securities: list[Mention], *, keeps: bool = True) -> Work[Reply]:
    """Compare securities on the same figures, and keep the note; not where a word of the question was not read."""
    speak, chosen = desk.speak, securities[:MOST]
    yield from desk.load_tables("readings", "valuation", "labels", "lenses")
    named_so = [f"{display_name(desk, mention)} {mention.code}" for mention in chosen]
    arguments = speak("Compare ") + speak(" and ").join(named_so)
    brought = yield from load_skill(desk, "compare", arguments)
    drawn = _draw_command(desk, chosen)
    if handed := reply.take_summary(desk, brought):
        return handed._replace(lines=reply.append_lines(handed.lines, *drawn)) if drawn else handed
    lens = yield from _owner_lens(desk)
    steps = [step for step in procedure.parse_steps(brought) if step.code] or [
        s for s in procedure.default_steps(speak, desk.tables) if s.code
    ]
    steps = procedure.choose_steps(steps, lens.order, lens.counter)
    codes = _codes(
        [s.code for s in steps], [r.code for r in readings_at(desk.tables).of_views(lens.order)], CALLS // len(chosen)
    )
    sides, failed = yield from sides_of(
        desk, chosen, codes, steps, lens, "compare" if brought is not None else "", recall=True
    )
    if len(sides) < 2:
        return reply.reply_of_lines(*failed, speak("Fewer than two have prices: there is nothing to compare."))
    title = speak(" vs ").join(side.title for side in sides)
    answer = [
        f"**{title}** {_rank_sides(desk, sides)}",
        "",
        *(line for text in _comparison_warnings(desk, sides) for line in (f"> {text}", "")),
        *failed,
        *_table(desk, sides),
        "",
    ]
    answer += _why(desk, sides)
    rules = yield from risk_rules.check_buy(
        desk, *(side.mention.code for side in sides), tell_permit=False, tell_held=False
    )
    answer += ["", *(f"- {told}" for told in rules)] if rules else []
    related = yield from _relations(desk, sides)
    answer += ["", *(f"- {told}" for told in related)] if related else []
    line = speak("{title}: {ranking}", title=title, ranking=_rank_sides(desk, sides))
    kept = (yield from _file_comparison(desk, sides, answer, line)) if keeps else []
    points = [
        line,
        *failed,
        *_comparison_warnings(desk, sides),
        *rules,
        *(_side_told(desk, side) for side in sides),
        *related,
        *drawn,
        _unjudged_lines(desk, sides),
    ]
    told = _told_apart(desk, sides)[1 : 1 + FIGURES]
    lines = [points[0], *(f"- {item}" for item in (*points[1:], *told, *kept))]
    return Reply(lines, points, told, signed=True)


def _owner_lens(desk: ToolDesk) -> Work[lenses.Lens]:
    """Return the lens that a view of one security has too: a subagent's request has only the limits of the soul."""
    files = yield from desk.run(*(DeskCall("memory.read", {"path": name}) for name in ("soul", "beliefs")))
    soul, beliefs = (str(file.value) if file.ok else "" for file in files)
    soul = soul or desk.request.parts.get("soul", "")
    cares = lenses.concerns(soul, beliefs, desk.tables)
    return lenses.add_concerns(lenses.of_soul(soul, desk.tables), cares, desk.tables)


@part("the correlation", in_list)
def _relations(desk: ToolDesk, sides: list[ComparedSide]) -> Work[list[str]]:
    """Return the correlation of each pair in a line, as `ia compare` has it."""
    speak = desk.speak
    if not desk.has("market.compare"):
        return []
    found = yield from desk.one("market.compare", symbols=[side.mention.code for side in sides])
    names = {side.mention.code: side.title for side in sides}
    pairs = found.get("correlations") if found.ok else None
    known = [pair for pair in pairs or [] if pair.get("correlation") is not None]
    if not known:
        return []
    told = [
        speak(
            "{one} and {other} {value} ({first} to {last}, {count} daily returns)",
            one=names.get(pair["one"], pair["one"]),
            other=names.get(pair["other"], pair["other"]),
            value=f"{pair['correlation']:.2f}",
            first=pair["first"],
            last=pair["last"],
            count=pair["returns"],
        )
        for pair in known
    ]
    return [f"{speak('Correlation')}{speak(': ')}{speak.join_clauses(told)}"]


_DRAWN = pattern(r"画|图|\b(?:chart|draw|plot|graph|picture)", re.I)


def _draw_command(desk: ToolDesk, securities: list[Mention]) -> list[str]:
    """Return how to see the comparison, where a picture was asked for: an answer is text."""
    if not _DRAWN.search(desk.request.question):
        return []
    codes = " ".join(mention.code for mention in securities)
    return [desk.speak("As lines, 100 at the first common session: `ia compare {codes} --chart`", codes=codes)]


@part("the note of the comparison", in_list)
def _file_comparison(desk: ToolDesk, sides: list[ComparedSide], answer: list[str], line: str) -> Work[list[str]]:
    """Write the note and the observation; return where they are, in lines."""
    speak = desk.speak
    names = [side.mention.name if speak.lang == ZH else english(side.mention.symbol) for side in sides]
    full = speak(" vs ").join(
        speak("{name} ({symbol})", name=name, symbol=side.mention.code) for name, side in zip(names, sides, strict=True)
    )
    path = yield from research_path(desk, [(side.mention.name, english(side.mention.symbol)) for side in sides])
    note = [f"# {full} · {desk.request.day}", "", *answer[0:1], "", *answer[2:], "", *_behind(desk, sides)]
    results = yield from file_calls(
        desk,
        DeskCall("notebook.write", {"path": path, "content": "\n".join(note) + "\n"}),
        observe(desk, path.split("/")[1], f"{line}\n{OWN_LINE}"),
    )
    return reply.describe_paths(
        desk, (results[0], speak("note", context="kept")), (results[1], speak("observation", context="kept"))
    )


def _codes(first: list[str], second: list[str], most: int) -> list[str]:
    """Return expressions, each once, as many as there is room for: what the verdict needs before what is only shown."""
    needed = {key(code): code for code in second if not code.startswith((INDEX, VALUATION))}
    shown = {key(code): code for code in first}
    every = {**{k: c for k, c in shown.items() if k in needed}, **needed, **shown}
    return list(every.values())[:most]


def sides_of(
    desk: ToolDesk,
    securities: list[Mention],
    codes: list[str],
    steps: list[ProcedureStep],
    lens: lenses.Lens,
    skill: str,
    *,
    recall: bool,
) -> Work[tuple[list[ComparedSide], list[str]]]:
    """Return the sides that have prices, and a line for each that has none. One security is done after the other."""
    calls: list[DeskCall] = []
    valued = recall and desk.has("market.valuation")  # a scan looks at bars alone
    for mention in securities:
        calls.append(DeskCall("market.ohlcv", {"symbol": mention.code, "tail": 60}))
        calls += [DeskCall("compute.run", {"code": code, "symbol": mention.code}) for code in codes]
        calls.append(DeskCall("skills.check", {"symbol": mention.code, **({"name": skill} if skill else {})}))
        calls += [DeskCall("memory.recall", {"query": mention.name, "limit": 4})] if recall else []
        calls += [DeskCall("market.valuation", {"symbol": mention.code})] if valued else []
    results = yield from desk.run(*calls)
    sides, failed = [], []
    size = len(calls) // max(len(securities), 1)
    for at, mention in enumerate(securities):
        bars, *rest = results[at * size : (at + 1) * size]
        if not bars.ok or not isinstance(bars.value, dict):
            failed.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
        else:
            try:
                sides.append(_side(desk, mention, bars.value, rest, codes, steps, lens))
            except Exception as exc:  # one security of several
                failed.append(leave_out(desk, display_name(desk, mention), exc))
    return sides, failed


def _side(
    desk: ToolDesk,
    mention: Mention,
    market: Json,
    rest: list[DeskResult],
    codes: list[str],
    steps: list[ProcedureStep],
    lens: lenses.Lens,
) -> ComparedSide:
    values = {key(code): read_value(result) for code, result in zip(codes, rest, strict=False)}
    checked = rest[len(codes)]
    fired = verdict.fired_of(checked.value, desk.speak) if checked.ok else []
    after = rest[len(codes) + 1 :]
    valuation = check_valuation(after.pop()) if desk.has("market.valuation") and after else {}
    earlier = recall_hits(after[0].value) if after and after[0].ok else []
    values |= valuation_values(valuation)
    judged = verdict.weigh_evidence(
        values,
        lens,
        fired,
        past_views.rows_of(market),
        bool(market.get("simulated")),
        desk.tables,
        facts_of(market, valuation),
    )
    return ComparedSide(
        mention,
        display_name(desk, mention),
        market,
        values,
        procedure.make_figures(steps, values, desk.speak, desk.tables),
        fired,
        earlier,
        judged,
    )


def _rank_sides(desk: ToolDesk, sides: list[ComparedSide]) -> str:
    """Return which side the evidence favors, or that it does not tell them apart."""
    speak = desk.speak
    best, *others = sorted(sides, key=lambda side: -side.verdict.score)
    gap = best.verdict.score - others[0].verdict.score
    scores = speak(", ").join(f"{side.title} {side.verdict.score:+.2f}" for side in sides)
    if gap < 0.25:
        return speak(
            "the gap is within the noise (scores {scores}; {gap:.2f} is below 0.25): these readings do not tell"
            " them"
            " apart.",
            scores=scores,
            gap=gap,
        )
    level = "low" if "low" in (best.verdict.confidence, others[0].verdict.confidence) else "medium"
    return speak(
        "the evidence favors {best} (scores {scores}), confidence {confidence}; a relative order, no reason to buy.",
        best=best.title,
        scores=scores,
        confidence=describe_level(level, speak),
    )


def _comparison_warnings(desk: ToolDesk, sides: list[ComparedSide]) -> list[str]:
    """Return what has to be said before figures are set side by side."""
    speak, told = desk.speak, []
    if any(side.market.get("simulated") for side in sides):
        told.append(speak("The prices are simulated; the last close is of {date}.", date=_last_date(sides[0])))
    if len({_last_date(side) for side in sides}) > 1:
        told.append(speak("The last bars are of different days: so are the figures."))
    if len({side.mention.symbol.market for side in sides}) > 1:
        told.append(
            speak(
                "Markets and currencies differ: compare changes, not prices.",
            )
        )
    shortest = min(sides, key=lambda side: past_views.rows_of(side.market))
    if past_views.rows_of(shortest.market) < LONGEST_PAST:
        told.append(
            speak(
                "{name} has only {rows} daily bars; readings of long windows are missing.",
                name=shortest.title,
                rows=shortest.market.get("rows"),
            )
        )
    return told


@part("the table", in_list)
def _table(desk: ToolDesk, sides: list[ComparedSide]) -> list[str]:
    """Return the figures side by side, those of the readings after those of the procedure."""
    speak = desk.speak
    head = "| " + " | ".join([speak("figure"), *(side.title for side in sides)]) + " |"
    rows = [head, "| --- |" + " ---: |" * len(sides)]
    rows.append("| " + " | ".join([speak("as of"), *(_last_date(side) for side in sides)]) + " |")
    seen: set[str] = set()
    for at, figure in enumerate(sides[0].figures):
        seen.add(key(figure.code))
        rows.append(
            "| " + " | ".join([figure.label, *(side.figures[at].show(speak, desk.tables) for side in sides)]) + " |"
        )
    for item in sides[0].verdict.evidence:
        if key(item.reading.code) not in seen:
            read = item.reading
            cells = [labels_at(desk.tables).show(read.code, side.value(read.code), read.unit, speak) for side in sides]
            rows.append("| " + " | ".join([speak.fill(read.label), *cells]) + " |")
    return rows


@part("the comparison of the evidence", in_list)
def _why(desk: ToolDesk, sides: list[ComparedSide]) -> list[str]:
    """Return what speaks for and against each side, and what was not judged."""
    speak, lines = desk.speak, []
    for side in sides:
        lines.append(f"**{side.title}** {side.verdict.describe_lean(speak)}")
        lines += [f"- {told}" for sign in (1, -1) if (told := _speak_for_side(desk, side, sign))]
        lines += [
            f"- {speak(': ').join(filter(None, (item.name, item.says)))}" for item in side.fired if item.alarming
        ][:3]
        lines.append("")
    return [*lines, _unjudged_lines(desk, sides)]


def _speak_for_side(desk: ToolDesk, side: ComparedSide, sign: int) -> str:
    speak = desk.speak
    told = [item.sentence(speak) for item in side.verdict.speaking(sign)]
    told = [text for text in told if text][:SHOWN]
    label = speak("for") if sign > 0 else speak("against")
    return f"{label}{speak(': ')}{speak.join_clauses(told)}" if told else ""


def _side_told(desk: ToolDesk, side: ComparedSide) -> str:
    """Return one side in a line: which way it leans, and which kinds of evidence speak for and against it."""
    speak = desk.speak
    parts = [side.verdict.describe_lean(speak)]
    for sign, label in ((1, speak("for")), (-1, speak("against"))):
        kinds = kinds_told(side.verdict, sign, speak)
        parts += [f"{label}{speak(': ')}{kinds}"] if kinds else []
    return f"{side.title}{speak(': ')}{speak.join_clauses(parts)}"


def _unjudged_lines(desk: ToolDesk, sides: list[ComparedSide]) -> str:
    if all(any(code.startswith(key(VALUATION)) for code in side.values) for side in sides):
        return desk.speak(
            "Not judged: announcements, debt, holdings. Horizon: months.",
        )
    return desk.speak(
        "Not judged: accounts, valuation, news, holdings. Horizon: months.",
    )


def _told_apart(desk: ToolDesk, sides: list[ComparedSide]) -> list[str]:
    """Return the figures as lines: up to which day each side's go, then label and each side's."""
    speak = desk.speak
    upto = [f"{side.title} {_last_date(side)}" for side in sides]
    lines = [f"{speak('As of')}{speak(': ')}{speak.join_items(upto)}"]
    for at, figure in enumerate(sides[0].figures[:16]):
        cells = [f"{side.title} {side.figures[at].show(speak, desk.tables)}" for side in sides]
        lines.append(f"{figure.label}{speak(': ')}{speak.join_items(cells)}")
    return lines


def _last_date(side: ComparedSide) -> str:
    """Return the date of a side's last bar."""
    return str(side.market.get("last") or "?")


def _behind(desk: ToolDesk, sides: list[ComparedSide]) -> list[str]:
    speak = desk.speak
    lines = [f"## {speak('Rules and patterns in force')}", ""]
    for side in sides:
        lines += [f"- {side.title}{speak(': ')}{item.says} ({item.source})" for item in side.fired][:12]
    lines += ["", f"## {speak('Earlier notes')}", ""]
    sources = dict.fromkeys(
        f"- {side.title}: `{hit['source']}` ({hit.get('date') or '?'})" for side in sides for hit in side.earlier[:3]
    )
    lines += list(sources) or [speak("- None found.")]
    return [*lines, "", reply.by_rules(speak)]
