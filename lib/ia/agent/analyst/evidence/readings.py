"""What a figure says: readings with their thresholds, kinds of evidence and sources, as `readings.yaml` tells them.

Readings of one kind come from one origin and count once, by their majority. A figure that a skill's procedure has
computed with the same expression is reused; what it lacks is computed besides, for the views that are taken.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables
from ia.agent.analyst.voice import AnswerVoice, number
from ia.kernel.jsontypes import Json

INDEX = "index: "
"""Marks an expression over the bars of the market's index."""
VALUATION = "valuation: "
"""Marks a figure of `market.valuation`: `pe_ttm`, or its rank, `pe_ttm.peers`, `pe_ttm.history`; and `fcf_yield_pct`,
free cash flow (`financial.cashflow`) over its market value."""
Facts = Mapping[str, tuple[str, str]]
"""What sentences name besides the figure, by name: (zh, en)."""
_TRENDS = {1: "trend_up", -1: "trend_down", 0: "trend_none"}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One rule: a value at or above `high` counts `high_sign`, at or below `low` the opposite, between them nothing.

    A reading with the `high_sign` 0 describes, and is no evidence.

    kind    the origin of the evidence
    above, below, between    what is said then, as (zh, en): "{figure}", "{size}" (without its sign), and what the study
             knows besides: "{years}" of bars, "{report}", "{basis}"; "" says nothing
    least_bars    of the security that it takes
    trends   of the primary reading: what its trend is called, by sign
    step, measure, match    without a code: the step whose result is measured, and how; see evidence.measures
    """

    id: str
    code: str
    kind: str
    view: str
    unit: str
    label: tuple[str, str]
    high: float
    low: float
    high_sign: int
    above: tuple[str, str]
    below: tuple[str, str]
    between: tuple[str, str]
    source: str
    disputed: tuple[str, str] = ("", "")
    trends: tuple[tuple[int, tuple[str, str]], ...] = ()
    step: str = ""
    measure: str = ""
    least_bars: int = 0
    match: re.Pattern[str] | None = None

    def sign(self, value: float) -> int:
        """Return +1 where the value speaks for the security, -1 against it, 0 where it does not speak."""
        return self.high_sign if value >= self.high else -self.high_sign if value <= self.low else 0

    @property
    def is_evidence(self) -> bool:
        """Whether it speaks for or against a security at all."""
        return self.high_sign != 0

    def sentence(self, value: float, speak: AnswerVoice, facts: Facts | None = None) -> str:
        """Return what the value says; "" where nothing is to be said."""
        words = self.above if value >= self.high else self.below if value <= self.low else self.between
        if not words[0]:
            return ""
        shown = number(value, self.unit, speak)
        told = {name: speak.fill(pair) for name, pair in (facts or {}).items()}
        return speak.fill(words, figure=shown, size=shown.lstrip("+-"), **told)


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """How readings are weighed: from which score the evidence leans, and what each confidence takes."""

    lean: float
    few_bars: int
    medium_agreement: float
    medium_kinds: int
    high_agreement: float
    high_kinds: int
    high_bars: int


class Readings:
    """All readings of a table, in the order in which they are weighed within a view."""

    def __init__(self, table: Table) -> None:
        self.entries: list[Reading] = table.entries("entries", build_reading)
        self.kinds: dict[str, tuple[str, str]] = dict(
            table.entries("kinds", lambda entry: (entry.text("id"), entry.pair("name", needed=True)))
        )
        primary = table.section("primary", str)
        self.primary = next((each for each in self.entries if each.id == primary), None)
        self.weighing = Weighing(
            lean=table.number("weighing", "lean"),
            medium_agreement=table.number("weighing", "medium_agreement"),
            high_agreement=table.number("weighing", "high_agreement"),
            few_bars=int(table.number("weighing", "few_bars")),
            medium_kinds=int(table.number("weighing", "medium_kinds")),
            high_kinds=int(table.number("weighing", "high_kinds")),
            high_bars=int(table.number("weighing", "high_bars")),
        )

    def of_views(self, views: Iterable[str]) -> list[Reading]:
        """Return the readings of these views, in the order of the views."""
        return [reading for view in views for reading in self.entries if reading.view == view]

    def kind_name(self, kind: str, speak: AnswerVoice) -> str:
        """Return what a kind of evidence is called."""
        return speak.fill(self.kinds.get(kind, (kind, kind)))

    def trend_name(self, sign: int, speak: AnswerVoice) -> str:
        """Return what the trend of the primary reading is called."""
        return speak.fill(dict(self.primary.trends).get(sign, ("", ""))) if self.primary else ""


class Labels:
    """What well-known expressions are called, their units, and which expressions every view needs."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.entries: dict[str, tuple[str, str, str]] = dict(
            table.entries(
                "entries",
                lambda entry: (key(entry.text("code")), (*entry.pair("label", needed=True), entry.text("unit", ""))),
            )
        )
        self.units = table.entries("units", lambda entry: (entry.pattern("pattern"), entry.text("unit")))
        self.signed = table.pattern("signed")
        self.since = table.section("since", str)
        self.levels = [str(code) for code in table.section("levels", list)]
        self.basics = [str(code) for code in table.section("basics", list)]

    def unit_of(self, code: str) -> str:
        """Return the unit that an expression suggests."""
        return next((unit for pattern, unit in self.units if pattern.search(code)), "ratio")

    def show(self, code: str, value: float | None, unit: str, speak: AnswerVoice) -> str:
        """Return a figure as it stands in a table. Only changes and distances carry a plus."""
        shown = number(value, unit, speak)
        return shown if self.signed.search(code) else shown.removeprefix("+")


def readings_at(tables: Tables = SHIPPED) -> Readings:
    """Return the readings at hand: those of valuations, and those of bars."""
    found = tables.build("research", "readings", Readings)
    valued = tables.build("research", "valuation", ValuationReadings).entries
    known = {reading.id for reading in found.entries}
    found.entries[:0] = [reading for reading in valued if reading.id not in known]
    return found


class ValuationReadings:
    """The readings of valuations, and words of the industries of which free cash flow says nothing."""

    def __init__(self, table: Table) -> None:
        self.entries: list[Reading] = table.entries("entries", build_reading)
        self.industries = [str(word) for word in table.section("no_free_cash_flow", list)]


def lacks_free_cash_flow(valuation: Json, tables: Tables = SHIPPED) -> bool:
    """Whether free cash flow says nothing of a company, such as a bank, by a checked valuation.

    Abroad no industry is told: there those without a gross margin are banks, insurers and brokers.
    """
    figures, industry = valuation.get("figures", {}), str(valuation.get("industry") or "")
    if "gross_margin_pct" in figures and figures["gross_margin_pct"] is None:
        return True
    return any(word in industry for word in tables.build("research", "valuation", ValuationReadings).industries)


def labels_at(tables: Tables = SHIPPED) -> Labels:
    """Return the labels at hand; those of the readings too."""
    found = tables.build("research", "labels", Labels)
    for reading in readings_at(tables).entries:
        found.entries.setdefault(key(reading.code), (*reading.label, reading.unit))
    return found


def build_reading(entry: Entry) -> Reading:
    """Return the reading of an entry. raises BadEntry."""
    return Reading(
        id=entry.id,
        code=entry.text("code", ""),
        kind=entry.text("kind", ""),
        view=entry.text("view", ""),
        unit=entry.text("unit", ""),
        label=entry.pair("label"),
        high=entry.number("high", float("inf")),
        low=entry.number("low", float("-inf")),
        high_sign=_sign(entry.number("high_sign", 1)),
        above=entry.pair("above"),
        below=entry.pair("below"),
        between=entry.pair("between"),
        source=entry.text("source", ""),
        disputed=entry.pair("disputed"),
        step=entry.text("step", ""),
        measure=entry.text("measure", ""),
        least_bars=int(entry.number("least_bars", 0)),
        match=entry.pattern("match", re.I | re.M) if "match" in entry.tree else None,
        trends=tuple((sign, entry.pair(key)) for sign, key in _TRENDS.items() if entry.pair(key)[0]),
    )


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def key(code: str) -> str:
    """Return an expression without its spaces: what two ways of writing it share."""
    return re.sub(r"\s", "", code).replace("'", '"')
