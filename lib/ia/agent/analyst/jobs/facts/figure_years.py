"""A figure of a company's reports from year to year or by quarter: each value, and where it rose and fell."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion, FactSpec, quote_facts
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import RANGE, SINCE, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.part_year_facts import quarters_of
from ia.agent.analyst.jobs.facts.valuation_facts import say_no_valuation, say_unstored
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST, MOST_FIGURES = 3, 3
"""Securities, and figures of each, that one answer is about."""
_SHOWN, _MOST_SHOWN = 4, 8
"""Periods of an answer, unless it names how many; at most so many."""
_REPORTS, _STATEMENTS = 20, 12
"""Reports, and statements, that are looked at: those of five and of three years."""
_QUARTERS = pattern(r"季|报告期|\b(?:quarter\w*|reports?|periods?)\b", re.I)
_COUNTED = pattern(
    rf"(?P<zh>{COUNT})\s*个?(?:季度?|报告期|年|份|期)|\b(?P<en>{COUNT}) (?:\w+ )?(?:quarters|reports|periods|years)\b",
    re.I,
)
_MARGINS = pattern(r"(?<![毛净])利润率|\b(?<!gross )(?<!net )(?<!profit )margins?\b", re.I)
"""Margins that are not said to be gross or net are told both."""


_EVER = pattern(r"曾|有没有.{0,6}过|\bever\b", re.I)


class _Point(NamedTuple):
    """A figure of a period: how the period is called, the value, and its growth on the year before where it is told.

    trails   twelve months up to the newest report, behind the years
    """

    name: str
    value: float | None
    growth: float | None
    unit: str
    trails: bool = False


def answer_figure_years(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how figures of reports that are named went: where each rose and fell, its extremes, each value."""
    speak, lines = desk.speak, list[str]()
    specs = _find_figures(desk, blank_spans(strip_mentions(asked.words), asked.spans))
    if not specs or (asked.spans and not all(span.kind in (RANGE, SINCE) for span in asked.spans)):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans) or (asked.words,))
    quarterly = _QUARTERS.search(asked.words) is not None
    for mention in asked.securities[:MOST]:
        if mention.symbol.kind != "stock":
            lines += yield from say_unstored(desk, mention)
            continue
        for spec in specs[:MOST_FIGURES]:
            load = _load_reports if spec.answer != "statement" else _load_statement
            points, told = yield from load(desk, asked, mention, spec, quarterly=quarterly)
            head = wording.head_of(desk, mention) + speak(": ")
            if not points:
                lines.append(head + told)
                continue
            points = _choose(desk, asked, points, quarterly=quarterly)
            lines += [head + _say_course(desk, asked, spec, points), _say_each(desk, spec, points) + told]
    return reply_of_lines(*lines)


def _find_figures(desk: ToolDesk, words: str) -> list[FactSpec]:
    """Return the figures of reports and statements that words name, each once."""
    found: list[FactSpec] = []
    both = ("gross_margin", "net_margin") if _MARGINS.search(words) else ()
    for spec in quote_facts(desk.tables):
        of_report = spec.answer in ("report", "statement") or spec.id == "roe"
        if not of_report or (spec.answer == "statement" and ":" not in spec.field) or spec.id == "profitable":
            continue
        match = spec.words.search(words)
        if spec.id in both or (match and not spec.unless.search(words)):
            found.append(spec)
            words = words.replace(match[0], " ", 1) if match else words
    return found


def _load_reports(
    desk: ToolDesk, asked: FactQuestion, mention: Mention, spec: FactSpec, *, quarterly: bool
) -> Work[tuple[list[_Point], str]]:
    """Return a figure of the annual reports, oldest first, and of the twelve months up to the newest; how it is marked.

    quarterly  of each report instead, and of each quarter alone where it is one that adds up
    """
    speak = desk.speak
    found = yield from desk.one("market.fundamentals", symbol=mention.code, periods=_REPORTS)
    rows = wording.rows_of(found, "reports") if found.ok else []
    if not rows:
        if found.failure is not None and mention.symbol.market != "CN":
            return [], say_no_valuation(desk, mention, found.failure)
        return [], speak("No report is stored (`ia sync fundamentals` fetches them).")
    mark = wording.simulated_mark(desk, rows[0].get("simulated"))
    if quarterly and spec.unit == "money":
        alone = yield from desk.one("financial.income", symbol=mention.code, periods=_STATEMENTS)
        quarters = quarters_of(spec, wording.rows_of(alone, "reports")) if alone.ok else []
        if quarters:
            unit = wording.foreign_unit(rows[0], wording.spec_unit(spec))
            each = [_Point(_name_quarter(end), value, growth, unit) for end, value, growth in reversed(quarters)]
            return each, speak(" (of each quarter alone)") + mark
    if quarterly:
        return [_point_of(desk, spec, row, f"{row.get('period')}") for row in reversed(rows)], mark
    return _years_of(desk, rows, lambda row, name: _point_of(desk, spec, row, name)), mark


def _years_of(desk: ToolDesk, rows: list[Json], point: Callable[[Json, str], _Point]) -> list[_Point]:
    """Return the points of annual reports, oldest first, and of the newest report behind them."""
    years = [row for row in reversed(rows) if row.get("basis") == "annual"]
    points = [point(row, str(row.get("period"))[: 4 if _ends_year(row) else 10]) for row in years]
    newest = rows[0]
    if newest.get("basis") != "annual":
        trailing = desk.speak("twelve months to {period}", period=newest.get("period"))
        points.append(point(newest, trailing)._replace(trails=True))
    return points


def _ends_year(row: Json) -> bool:
    return str(row.get("period")).endswith("12-31")


def _point_of(desk: ToolDesk, spec: FactSpec, row: Json, name: str) -> _Point:
    return _Point(
        name,
        wording.figure_of(row, spec.field),
        wording.figure_of(row, f"{spec.field}_yoy_pct"),
        wording.foreign_unit(row, wording.spec_unit(spec)),
    )


def _load_statement(
    desk: ToolDesk, asked: FactQuestion, mention: Mention, spec: FactSpec, *, quarterly: bool
) -> Work[tuple[list[_Point], str]]:
    """Return a line of the annual statements, oldest first, and of the twelve months up to the newest."""
    statement, _, item = spec.field.partition(":")
    found = yield from desk.one(f"financial.{statement}", symbol=mention.code, periods=_STATEMENTS)
    if found.failure is not None:
        if found.missing:
            return [], desk.speak("no tool for financial statements is within reach here.")
        return [], desk.speak("its statement could not be read: {error}", error=found.failure.sentence)
    rows = wording.rows_of(found, "reports")
    unit = wording.foreign_unit({**rows[0], "symbol": found.get("symbol")}, wording.spec_unit(spec)) if rows else ""

    def point(row: Json, name: str) -> _Point:
        return _Point(name, wording.figure_of(row, item), None, unit)

    mark = wording.simulated_mark(desk, found.get("simulated"))
    if statement == "balance":
        ends = rows if quarterly else [row for at, row in enumerate(rows) if at == 0 or _ends_year(row)]
        return [point(row, str(row.get("period"))) for row in reversed(ends)], mark
    return _years_of(desk, _with_year(found, rows), point), mark


def _with_year(found: DeskResult, rows: list[Json]) -> list[Json]:
    """Return the annual statements, and before them the twelve months up to the newest report."""
    year, annual = found.get("twelve_months"), [row for row in rows if row.get("basis") == "annual"]
    newer = isinstance(year, dict) and (not annual or year.get("period") != annual[0].get("period"))
    return [year, *annual] if newer and isinstance(year, dict) else annual


def _name_quarter(end: str) -> str:
    return f"{end[:4]}Q{int(end[5:7]) // 3}"


def _choose(desk: ToolDesk, asked: FactQuestion, points: list[_Point], *, quarterly: bool) -> list[_Point]:
    """Return the points that a question is about: of the years that it names and the one before, or as many as it says.

    The newest twelve months stand behind the years, and are left out where the last year that is named is over.
    """
    spans = () if _EVER.search(asked.words) else asked.spans
    first = min((span.first.year for span in spans if span.first), default=0)
    last = max((span.last.year for span in spans if span.last), default=9999)
    inside = [at for at, each in enumerate(points) if not each.trails and first <= int(each.name[:4]) <= last]
    if spans and inside:
        before = points[inside[0] - 1 : inside[0]] if inside[0] else []
        newest = [each for each in points if each.trails and last >= int(desk.request.day[:4])]
        points = [*(each._replace(growth=None) for each in before), *(points[at] for at in inside), *newest]
    said = _COUNTED.search(asked.words)
    count = int(parse_count((said["zh"] or said["en"]).casefold()) or _SHOWN) if said else _SHOWN
    more = 0 if quarterly else 1  # the newest twelve months stand behind the years
    return points[-min(max(count, 2) + more, _MOST_SHOWN) :]


def _say(desk: ToolDesk, spec: FactSpec, point: _Point) -> str:
    if spec.unit == "percent":
        return wording.say_percent(point.value)
    return wording.say_value(desk, point.value, spec.unit) + point.unit


def _say_each(desk: ToolDesk, spec: FactSpec, points: list[_Point]) -> str:
    """Return each value, the newest first, with its growth on the year where that is known."""
    told = [
        f"{each.name} {_say(desk, spec, each)}"
        + ("" if each.growth is None else f" ({wording.say_percent(each.growth)})")
        for each in reversed(points)
    ]
    return desk.speak.join_clauses(told)


def _say_course(desk: ToolDesk, asked: FactQuestion, spec: FactSpec, points: list[_Point]) -> str:
    """Return in which periods a figure rose and fell, or whether it was above zero; and its highest and lowest."""
    speak, name = desk.speak, wording.fact_name(desk, spec)
    known = [each for each in points if each.value is not None]
    if len(known) < 2:
        return speak("{name} of fewer than two periods is known, so there is no course.", name=name)
    ups, downs, same = list[str](), list[str](), list[str]()
    on_year = [(each.name, each.growth) for each in known if each.growth is not None]
    steps = on_year or [(new.name, (new.value or 0) - (old.value or 0)) for old, new in pairwise(known)]
    for period, step in steps:
        (ups if step > _NOTHING else downs if step < -_NOTHING else same).append(period)
    told = []
    if ups:
        given = {"periods": speak.join_items(ups)}
        one_way = len(ups) > 1 and not (downs or same)
        told.append(speak("rose every time: {periods}", **given) if one_way else speak("rose in {periods}", **given))
    if downs:
        given = {"periods": speak.join_items(downs)}
        one_way = len(downs) > 1 and not (ups or same)
        told.append(speak("fell every time: {periods}", **given) if one_way else speak("fell in {periods}", **given))
    if same:
        told.append(speak("the same in {periods}", periods=speak.join_items(same)))
    against = speak(", each against a year earlier") if on_year else ""
    years = [each for each in known if not each.trails]
    high, low = (pick(years or known, key=lambda each: each.value or 0) for pick in (max, min))
    ends = (
        speak("; highest {high}, lowest {low}", high=high.name, low=low.name)
        if len({each.value for each in years}) > 1
        else ""
    )
    course = speak.join_clauses(told)
    line = speak("{name} **{course}**{against}{ends}", name=name, course=course, against=against, ends=ends)
    return line + _say_sign(desk, spec, points)


def _say_sign(desk: ToolDesk, spec: FactSpec, points: list[_Point]) -> str:
    """Return in which periods a figure was below zero; of cash flows that it never was, too."""
    below = [each.name for each in points if (each.value or 0) < 0]
    if below:
        return desk.speak("; below zero in {periods}", periods=desk.speak.join_items(below))
    return (
        desk.speak("; never below zero")
        if spec.field.startswith(("cashflow:", "profit")) and spec.unit == "money"
        else ""
    )


_NOTHING = 0.005
"""A change of a figure that is none: less than a hundredth of a per cent."""


ANSWERS = {"figure_years": answer_figure_years}
