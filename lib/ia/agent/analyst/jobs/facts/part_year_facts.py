"""Revenue, profit and margins of a part of a year: of one quarter, a half-year, or the first three quarters."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion, FactSpec
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.time_spans import RANGE
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.valuation_facts import Compared, say_comparison
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 4
"""Securities that one answer is about."""
_PERIODS = 12
"""Reports that are looked at: those of two years before the newest, at least."""
_ITEMS = {"revenue": "revenue", "profit": "profit", "revenue_yoy_pct": "revenue", "profit_yoy_pct": "profit"}
"""Figures of a report that a part of a year has, and the line of the income statement behind each."""
_MARGINS = {"gross_margin_pct": "operating_cost", "net_margin_pct": "profit"}
"""Figures over the revenue of the same time, and the line of each; of the gross margin it is what is taken off."""
_REPORTS = (
    (3, "03-31", pattern(r"一季[度报]*报|\b(?:q1|first[- ]quarter) report\b", re.I)),
    (6, "06-30", pattern(r"中报|半年度?报|\b(?:half[- ]year(?:ly)?|interim)\b", re.I)),
    (9, "09-30", pattern(r"三季[度报]*报|\b(?:q3|third[- ]quarter) report\b", re.I)),
)
"""Reports that are named by what they are of: the months since the beginning of the year, and their end."""
_NEWEST_QUARTER = pattern(
    r"(?:最近|最新|近)的?一?个?(?:单季|季度?(?!报))|单季"
    r"|\b(?:latest|newest|most recent)(?: reported| fiscal)? quarter\b|\bmost recently reported quarter\b",
    re.I,
)
_NEWEST_REPORT = pattern(
    r"(?:最新|最近|上)的?一?[期份](?!年报)(?:的?(?:财报|报告|业绩|季报))?|(?:最新|最近)的?(?:财报|报告期)(?:里|中)?"
    r"|\b(?:latest|newest|most recent|last)(?: financial| company)? report\b|\bas reported\b",
    re.I,
)
"""Asks for what stands in the newest report, which is of the year up to its end."""
_TRAILING = pattern(r"近(?:十二|12)个?月|\bttm\b|\btrailing\b|\b(?:twelve|12)[- ]months?\b", re.I)
_HALF = pattern(r"上半年|\bh1\b|\bfirst half\b", re.I)


class _Stretch(NamedTuple):
    """A part of a year: its last day, "" for that of the newest report, and how many months it has, 0 for all of it."""

    end: str
    months: int


class _Figures(NamedTuple):
    """What a company earned in a part of a year: its first day, the report, its lines, and those of the year before."""

    first: str
    report: Json
    items: Json
    before: Json


def find_stretch(asked: FactQuestion) -> _Stretch | None:
    """Return the part of a year that a question for figures of reports is about; None for a whole year or a report."""
    if any(spec.answer != "report" or spec.field not in (*_ITEMS, *_MARGINS) for spec in asked.facts):
        return None
    words = strip_mentions(asked.words)
    if len(asked.spans) > 1:
        return None
    span = asked.spans[0] if asked.spans else None
    named = next(((months, end) for months, end, form in _REPORTS if form.search(words)), None)
    newest = _NEWEST_QUARTER.search(words)
    if newest and (span is None or span.said in newest[0]):
        return _Stretch("", 3)
    whole_report = _NEWEST_REPORT.search(words)
    if whole_report and not (named or _TRAILING.search(words)) and (span is None or span.said in whole_report[0]):
        mainland = all(mention.symbol.market == "CN" for mention in asked.securities)  # elsewhere years end otherwise
        return _Stretch("", 0) if mainland else None
    if span is None:
        return _Stretch(named[1], named[0]) if named else None
    if span.kind != RANGE or span.first is None or span.last is None:
        return None
    if named and (span.first.month, span.first.day) == (1, 1):
        return _Stretch(f"{span.first.year}-{named[1]}", named[0])
    if _HALF.search(span.said) and f"{span.last}"[5:] != "06-30":  # asked before it is over: that of the year before
        return _Stretch(f"{span.first.year - 1}-06-30", 6)
    months = (span.last.year - span.first.year) * 12 + span.last.month - span.first.month + 1
    whole = span.first.day == 1 and f"{span.last}"[5:] in _ENDS and months in (3, 6, 9)
    return _Stretch(f"{span.last}", months) if whole else None


_ENDS = ("03-31", "06-30", "09-30", "12-31")


def answer_part_year(desk: ToolDesk, asked: FactQuestion, stretch: _Stretch) -> Work[Reply | None]:
    """Answer with figures of a part of a year; None where no statement can be had of any of the securities."""
    speak, lines, had = desk.speak, [], False
    sides: dict[str, list[Compared]] = {spec.id: [] for spec in asked.facts}
    for mention in asked.securities[:MOST]:
        found = yield from desk.one("financial.income", symbol=mention.code, periods=_PERIODS)
        had = had or found.ok
        rows = wording.rows_of(found, "reports") if found.ok else []
        told, figures = _read_stretch(desk, rows, stretch)
        if figures is not None:
            told = _say_figures(desk, asked.facts, found, figures)
        for spec in asked.facts:
            value = _figure_of(spec, figures) if figures is not None else None
            unit = wording.foreign_unit(figures.report, wording.spec_unit(spec)) if figures is not None else ""
            sides[spec.id].append(Compared(mention, value, wording.say_value(desk, value, spec.unit) + unit, unit))
        lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}{told}")
        if figures is not None and stretch.months > 3 and _is_report(asked):
            lines += _say_quarter(desk, asked.facts, found, rows, figures)
        if figures is not None and not stretch.months:
            lines += _say_trailing(desk, asked.facts, found, rows, figures)
    if not had:
        return None
    first = [
        line
        for spec in asked.facts
        for line in say_comparison(desk, asked, wording.fact_name(desk, spec), sides[spec.id])
    ]
    return reply_of_lines(*first, *lines)


def _is_report(asked: FactQuestion) -> bool:
    return any(form.search(asked.words) for _, _, form in _REPORTS)


def _read_stretch(desk: ToolDesk, rows: list[Json], stretch: _Stretch) -> tuple[str, _Figures | None]:
    """Return why there are no figures of a part of a year, or these figures."""
    speak = desk.speak
    if not rows:
        return speak("no income statement is to be had of it."), None
    end = stretch.end
    if len(end) == len("06-30"):
        end = next((str(row["period"]) for row in rows if str(row["period"]).endswith(end)), "")
    elif not end:
        end = str(rows[0]["period"])
    months = stretch.months or int(end[5:7])
    if not any(row["period"] == end for row in rows):
        return speak("no report up to {day} is published; the newest is that of {period}.", day=stretch.end or end,
                     period=rows[0]["period"]), None  # fmt: skip
    items = _add_quarters(rows, end, months)
    if not items:
        return speak("the reports before that of {period} are not known, so the figure cannot be computed.",
                     period=end), None  # fmt: skip
    before = _add_quarters(rows, f"{int(end[:4]) - 1}{end[4:]}", months)
    report = next(row for row in rows if row["period"] == end)
    return "", _Figures(_first_day(end, months), report, items, before)


def _first_day(end: str, months: int) -> str:
    """Return the first day of so many months up to the end of one.

    >>> _first_day("2023-09-30", 3), _first_day("2024-03-31", 6)
    ('2023-07-01', '2023-10-01')
    """
    last = date.fromisoformat(end)
    count = last.year * 12 + last.month - months
    return f"{date(count // 12, count % 12 + 1, 1)}"


def _quarter_before(end: str) -> str:
    at = _ENDS.index(end[5:])
    return f"{int(end[:4]) - (at == 0)}-{_ENDS[at - 1]}"


def _add_quarters(rows: list[Json], end: str, months: int) -> Json:
    """Return the lines of the income statement over so many months up to a day; {} where a report is missing.

    A report tells what was since the beginning of the financial year: a quarter is what it adds to the one before.
    """
    if end[5:] not in _ENDS:
        return {}
    total: Json = {}
    names = {*_ITEMS.values(), *_MARGINS.values()}
    for _ in range(months // 3):
        report = next((row for row in rows if row["period"] == end), None)
        earlier = next((row for row in rows if row["period"] == _quarter_before(end)), None)
        if report is None or earlier is None:
            return {}
        begins = earlier.get("basis") == "annual"
        for name in names:
            new, old = wording.figure_of(report, name), wording.figure_of(earlier, name)
            known = total.get(name, 0.0)
            part = None if new is None or (old is None and not begins) else new - (0.0 if begins else old or 0.0)
            total[name] = None if part is None or known is None else known + part
        end = _quarter_before(end)
    return total


def _figure_of(spec: FactSpec, figures: _Figures) -> float | None:
    """Return the figure of a fact over a part of a year; growth in per cent against the year before."""
    if spec.field in _MARGINS:
        part, sales = (wording.figure_of(figures.items, name) for name in (_MARGINS[spec.field], "revenue"))
        if part is None or not sales:
            return None
        return (1 - part / sales if spec.field == "gross_margin_pct" else part / sales) * 100
    if spec.field.endswith("_yoy_pct"):
        return _growth(figures, _ITEMS[spec.field])
    return wording.figure_of(figures.items, _ITEMS[spec.field])


def quarters_of(spec: FactSpec, rows: list[Json]) -> list[tuple[str, float | None, float | None]]:
    """Return a figure of each quarter alone, newest first: its end, the value, the growth; [] where it adds up not so.

    rows  income statements, newest first
    """
    if spec.field not in (*_ITEMS, *_MARGINS):
        return []
    found = []
    for row in rows:
        end = str(row["period"])
        if not (items := _add_quarters(rows, end, 3)):
            continue
        figures = _Figures("", row, items, _add_quarters(rows, f"{int(end[:4]) - 1}{end[4:]}", 3))
        growth = _growth(figures, _ITEMS[spec.field]) if spec.field in ("revenue", "profit") else None
        found.append((end, _figure_of(spec, figures), growth))
    return found


def _growth(figures: _Figures, name: str) -> float | None:
    new, old = wording.figure_of(figures.items, name), wording.figure_of(figures.before, name)
    return (new / old - 1) * 100 if new is not None and old is not None and old > 0 else None


def _say_figures(desk: ToolDesk, specs: tuple[FactSpec, ...], found: DeskResult, figures: _Figures) -> str:
    """Return the figures of a part of a year with its days, and when they were published."""
    speak = desk.speak
    unit = wording.foreign_unit({**figures.report, "symbol": found.get("symbol")}, "money")
    told = []
    for spec in specs:
        name = wording.fact_name(desk, spec)
        if spec.field in _MARGINS:
            said = f"{name} **{wording.say_value(desk, _figure_of(spec, figures), 'percent_plain')}**"
        else:
            item = _ITEMS[spec.field]
            amount = wording.say_value(desk, wording.figure_of(figures.items, item), "money") + unit
            growth = wording.say_percent(_growth(figures, item))
            said = (
                f"{name} **{growth}** ({amount})"
                if spec.field.endswith("_yoy_pct")
                else speak("{name} **{value}**, {growth} on the year", name=name, value=amount, growth=growth)
            )
        told.append(said)
    return speak(
        "{told} (from {first} to {last}, published {published}){mark}",
        told=speak.join_items(told), first=figures.first, last=figures.report.get("period"),
        published=figures.report.get("published") or "–",
        mark=wording.simulated_mark(desk, found.get("simulated")),
    )  # fmt: skip


def _say_quarter(
    desk: ToolDesk, specs: tuple[FactSpec, ...], found: DeskResult, rows: list[Json], figures: _Figures
) -> list[str]:
    """Return the figures of the last quarter alone of a report that is of more."""
    _, quarter = _read_stretch(desk, rows, _Stretch(str(figures.report.get("period")), 3))
    return [desk.speak("The quarter alone: {told}", told=_say_figures(desk, specs, found, quarter))] if quarter else []


def _say_trailing(
    desk: ToolDesk, specs: tuple[FactSpec, ...], found: DeskResult, rows: list[Json], figures: _Figures
) -> list[str]:
    """Return the figures of the twelve months up to the end of a report that is of less."""
    end = str(figures.report.get("period"))
    if end.endswith(_ENDS[-1]):
        return []
    _, year = _read_stretch(desk, rows, _Stretch(end, 12))
    return [desk.speak("Trailing twelve months: {told}", told=_say_figures(desk, specs, found, year))] if year else []
