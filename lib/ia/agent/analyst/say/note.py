"""A study as text: the answer of a conversation, the note that is kept, and the line that is remembered.

Answer and note are worded by `templates/answer.md` and `templates/note.md` of the skill research.
"""

import re

from ia.agent.analyst.evidence.readings import labels_at
from ia.agent.analyst.evidence.stated_view import StatedView
from ia.agent.analyst.evidence.verdict import kinds_told
from ia.agent.analyst.say.view import View
from ia.agent.analyst.tables import SHIPPED, Tables
from ia.agent.analyst.voice import AnswerVoice
from ia.faculties.skills.templates import Field, render, template_fields
from ia.kernel.patterns import pattern
from ia.kernel.text_width import count_rows

ROWS = 11
"""Rows of 80 columns that an answer may take: with the line that says who speaks, twelve."""
LEAST = {"past": 0, "unjudged": 0, "grounds": 1, "levels": 1, "figures": 3, "alarms": 0}
"""Past views, lines of what was not judged, readings of each side, levels, figures of valuation and warnings that an
answer shows in any case."""
MORE = (
    ("past", 1), ("unjudged", 1),
    ("levels", 2), ("grounds", 2), ("figures", 4), ("alarms", 1), ("figures", 6), ("grounds", 3),
    ("levels", 3), ("figures", 9), ("alarms", 2),
)  # fmt: skip
"""What it shows besides, in this order, as far as there is room."""
_COLUMNS = 77
"""What a bullet leaves of 80 columns."""
_MARKS = pattern(r"\*\*|`")
GROUNDS = {"for", "opposed", "silent", "against"}
"""Fields of the note that tell what speaks for and against."""
CHANGES = {"changes"}
"""The field of the note that tells what would change the view."""
SIDES = {"for": 1, "opposed": -1, "silent": 0}
"""Field of the note -> sign of the kinds of evidence that it names."""


def answer(view: View, rules: list[str], kept: list[str], rows: int = ROWS) -> list[str]:
    """Return the answer of a conversation, at most so many rows where that can be done: the note has the rest.

    rules  what the owner's rules say of a purchase; kept: where the note lies
    """
    shown = dict(LEAST)
    lines = _render_answer(view, rules, kept, **shown)
    for name, count in MORE:
        longer = _render_answer(view, rules, kept, **{**shown, name: count})
        if _count_rows(longer) <= rows:
            lines, shown[name] = longer, count
    return lines


def _count_rows(lines: list[str]) -> int:
    rows = ((_MARKS.sub("", line), line.startswith("- ")) for line in lines)
    return sum(count_rows([line[2:]], _COLUMNS) if item else count_rows([line]) for line, item in rows)


def _render_answer(
    view: View,
    rules: list[str],
    kept: list[str],
    *,
    past: int,
    unjudged: int,
    grounds: int,
    levels: int,
    figures: int,
    alarms: int,
) -> list[str]:
    speak = view.speak
    fields: dict[str, Field] = {
        "headline": view.headline(),
        "snapshot": view.snapshot(figures),
        "warnings": view.data_warnings(),
        "first": view.views_apart(grounds, figures),
        "valuation": view.valuation_line(figures),
        "for": view.grounds(1, grounds),
        "opposed": view.grounds(-1, grounds),
        "alarms": view.alarms(alarms),
        "changes": speak.join_sentences(view.changes()[:levels]),
        "before": view.last_view() if past else "",
        "unjudged": view.unjudged_lines()[:unjudged],
        "rules": [speak.join_clauses(rules)] if rules else [],
        "kept": kept,
        "next_look": view.next_look(),
    }
    return render(view.desk.tables.template("answer"), speak.lang, fields)


def note(view: View, rules: list[str]) -> str:
    """Return the research note; the view as data stands below whatever its template words.

    rules  what the owner's rules say of a purchase
    """
    study, compared = view.study, view.compare_with_past()
    fields: dict[str, Field] = {
        "name": view.filed_subject,
        "date": view.desk.request.day,
        "conclusion": view.conclusion(),
        "warnings": view.warnings(),
        "views": [{"heading": heading, "lines": lines} for heading, lines in view.sections()],
        "rules": [view.format_reading(item) for item in study.fired],
        "checked": "yes" if study.checked else "",
        "unread": [{"id": id_, "condition": if_, "text": text} for id_, if_, text in study.unread[:8]],
        "against": view.against(),
        "unjudged": view.unjudged_lines(),
        "changes": view.changes(),
        "before": [*view.before(8), *([compared] if compared else [])],
        "why": [why] if (why := view.confidence()) else [],
        "next_look": view.next_look(),
        "own_rules": rules,
        **_data_fields(view),
        **_balance_fields(view),
        **_source_fields(view),
    }
    lines = render(view.desk.tables.template("note"), view.speak.lang, fields)
    return "\n".join([*lines, "", state_view(view).data_line]) + "\n"


def headings_with(tables: Tables, fields: set[str]) -> set[str]:
    """Return the headings under which notes tell any of some fields: as the template at hand has them.

    Those of the template that comes with ia are among them, for notes that were written before an edit.
    """
    sections = [
        section
        for text in (tables.template("note"), SHIPPED.template("note"))
        for section in re.split(r"^## ", text, flags=re.M)[1:]
    ]
    return {each.partition("\n")[0].strip() for each in sections if fields & template_fields(each).keys()}


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
        as_of=view.study.last,
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
    return " | ".join([f"{view.filed_subject} {close}", *parts])


def _data_fields(view: View) -> dict[str, Field]:
    """Return where the bars are from, and the figures: label, value and date of each."""
    study, market, speak = view.study, view.study.market, view.speak
    figures = [
        {"label": each.label, "value": each.show(speak, view.desk.tables), "date": each.date or "–"}
        for each in study.figures
    ]
    own = {figure.code for figure in study.figures}
    labels = labels_at(view.desk.tables)
    for reading in view.readings.of_views(study.lens.order):
        if reading.code not in own and (value := study.value(reading.code)) is not None:
            shown = labels.show(reading.code, value, reading.unit, speak)
            figures.append({"label": speak.fill(reading.label), "value": shown, "date": study.last})
    return {
        "figures": figures,
        "rows": f"{study.rows:,}" if market.get("rows") else "",
        "source": str(market.get("source") or "?"),
        "period": _say_period(speak, str(market.get("period") or "daily")),
        "adjust": _say_adjustment(speak, str(market.get("adjust") or "qfq")),
        "first": str(market.get("first")),
        "last": str(market.get("last")),
        "last_bar": study.last,
    }


def _say_period(speak: AnswerVoice, period: str) -> str:
    return {"weekly": speak("weekly bars"), "monthly": speak("monthly bars")}.get(period, speak("daily bars"))


def _say_adjustment(speak: AnswerVoice, adjust: str) -> str:
    return {"hfq": speak("backward-adjusted (hfq)"), "none": speak("not adjusted")}.get(
        adjust, speak("forward-adjusted (qfq)")
    )


def _balance_fields(view: View) -> dict[str, Field]:
    """Return which kinds of evidence speak, and how they were weighed."""
    speak, verdict = view.speak, view.verdict
    kinds = {name: kinds_told(verdict, sign, speak) or "–" for name, sign in SIDES.items()}
    return {
        **kinds,
        "score": f"{verdict.score:+.2f}",
        "bound": f"{view.readings.weighing.lean:g}",
        "agreement": f"{verdict.agreement:.0%}",
    }


def _source_fields(view: View) -> dict[str, Field]:
    """Return the sources of the thresholds, of the rules in force, and the skill."""
    speak = view.speak
    cited = [item.reading.source for item in view.verdict.evidence if item.reading.source[-1:].isdigit()]
    behind: dict[str, list[str]] = {}
    for item in view.study.fired:
        if item.source:
            behind.setdefault(item.source, [])
    used = []
    for short in dict.fromkeys(source for sources in cited for source in sources.split("; ")):
        author, year = short.split()[0].rstrip(","), short.split()[-1]
        whole = next((full for full in behind if full.startswith(author) and f"({year})" in full), "")
        if not whole:
            used.append(short)
        elif (threshold := speak("thresholds")) not in behind[whole]:
            behind[whole].append(threshold)
    return {
        "thresholds": "; ".join(used),
        "sources": [
            source + speak(" ({reason})", reason=speak.join_items(more)) if more else source
            for source, more in behind.items()
        ],
        "skill": f"/{view.study.skill}" if view.study.skill else "",
    }
