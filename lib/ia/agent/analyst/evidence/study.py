"""A study: what is known of one security after looking."""

import math
from dataclasses import dataclass, field
from datetime import date

from ia.agent.analyst.desk import DeskResult, Failure
from ia.agent.analyst.evidence import past_views
from ia.agent.analyst.evidence.lens import Lens
from ia.agent.analyst.evidence.procedure import Figure, ProcedureStep
from ia.agent.analyst.evidence.readings import VALUATION, Facts, key
from ia.agent.analyst.evidence.tool_answers import closes_of
from ia.agent.analyst.evidence.verdict import Fired, Verdict
from ia.agent.analyst.voice import EN, ZH
from ia.kernel.i18n import mark_text, translate
from ia.kernel.jsontypes import Json


@dataclass
class Study:
    """What is known of a security after looking."""

    code: str
    name: str
    title: str
    lens: Lens
    cares: dict[str, str] = field(default_factory=dict)
    market: Json = field(default_factory=dict)
    values: dict[str, tuple[float | None, str]] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    steps: list[ProcedureStep] = field(default_factory=list)
    fired: list[Fired] = field(default_factory=list)
    checked: bool = False
    unread: list[tuple[str, str, str]] = field(default_factory=list)
    earlier: list[Json] = field(default_factory=list)
    index: str = ""
    failure: Failure | None = None
    verdict: Verdict | None = None
    skill: str = ""
    why: str = ""
    observed: str = ""
    topic: str = ""
    english: str = ""
    valuation: Json = field(default_factory=dict)
    cash_gap: str = ""

    @property
    def facts(self) -> Facts:
        """What sentences name besides figures: years of bars, the report that figures are of, and what they span."""
        return facts_of(self.market, self.valuation)

    @property
    def names(self) -> tuple[str, ...]:
        """What an earlier text may call the security."""
        return (self.name, self.code, self.title, self.english)

    @property
    def rows(self) -> int:
        """How many bars there are."""
        return past_views.rows_of(self.market)

    @property
    def last(self) -> str:
        """Date of the last bar."""
        return str(self.market.get("last") or "")

    @property
    def simulated(self) -> bool:
        """Whether the prices are invented."""
        return bool(self.market.get("simulated"))

    def value(self, code: str) -> float | None:
        """Return a figure by its expression; None where there is none."""
        return self.values.get(key(code), (None, ""))[0]

    def closes(self) -> list[tuple[str, float]]:
        """Return (date, close) of the bars that were shown, oldest first."""
        return closes_of(self.market)


LONGEST_PAST = 1250
"""Bars over which the past of a price is looked at, where there are so many."""
_BASES = {"ttm": "TTM", "annual": mark_text("annual report")}


def check_valuation(result: DeskResult) -> Json:
    """Return what `market.valuation` told: figures and ranks that are numbers; {} where it told nothing."""
    told: Json = result.value if result.ok and isinstance(result.value, dict) else {}
    figures = told.get("figures")
    if not isinstance(figures, dict):
        return {}
    checked = {
        name: str(told[name])
        for name in ("date", "source", "report", "basis", "industry", "currency", "reported")
        if told.get(name)
    }
    rate = told.get("report_rate")
    if isinstance(rate, int | float) and checked.get("currency") != checked.get("reported"):
        figures = {**figures, "report_rate": rate}
    ranks = {
        place: {name: rank for name, rank in ranked.items() if isinstance(rank, dict)}
        for place in ("peers", "history")
        if isinstance(ranked := told.get(place), dict)
    }
    return {**checked, **ranks, "figures": figures}


NO_TOOL, NOT_READ, NOT_WHOLE, NO_MEANING = "cash_no_tool", "cash_not_read", "cash_not_whole", "cash_no_meaning"
"""Why there is no free cash flow: sentences of view.yaml."""


def add_cash_flow(valuation: Json, result: DeskResult) -> tuple[Json, str]:
    """Return a checked valuation with the free cash flow that `financial.cashflow` told, or why it is without.

    `fcf_yield_pct` is the free cash flow of twelve months in per cent of the market value; `cash_report` and
    `cash_basis` are the report that it is of. The valuation must be of the same source.
    """
    if not result.ok or result.get("source") != valuation.get("source"):
        return valuation, NO_TOOL if result.missing else NOT_READ
    told = result.get("twelve_months")
    year: Json = told if isinstance(told, dict) else {}
    cash, worth = year.get("free_cash_flow"), valuation["figures"].get("market_cap")
    if isinstance(cash, int | float):
        cash = _convert(cash, str(year.get("currency") or ""), valuation)
    if not isinstance(cash, int | float) or not isinstance(worth, int | float) or worth <= 0:
        return valuation, NOT_WHOLE
    figures = {**valuation["figures"], "fcf_yield_pct": cash / worth * 100}
    about = {f"cash_{name}": str(year.get(key) or "") for name, key in (("report", "period"), ("basis", "basis"))}
    return {**valuation, **about, "figures": figures}, ""


def _convert(amount: float, currency: str, valuation: Json) -> float | None:
    """Return an amount of a report in the currency of the market value; None where that cannot be done."""
    if currency == valuation.get("currency", currency):
        return amount
    rate = valuation["figures"].get("report_rate")
    return amount * float(rate) if currency == valuation.get("reported") and rate else None


def facts_of(market: Json, valuation: Json) -> Facts:
    """Return what sentences of readings name besides their figure, from bars as shown and from a checked valuation."""
    facts: dict[str, tuple[str, str]] = {}
    if years := _years_of(market):
        facts["years"] = (f"{years:.1f}".removesuffix(".0"),) * 2
    for of in ("", "cash_"):
        facts[f"{of}report"] = (valuation.get(f"{of}report", "–"),) * 2
        basis = _BASES.get(valuation.get(f"{of}basis", ""), "–")
        facts[f"{of}basis"] = (translate(basis, ZH), translate(basis, EN))
    facts["industry"] = (valuation.get("industry", "–"),) * 2
    for place in ("peers", "history"):
        rank = valuation.get(place, {}).get("pe_ttm", {})
        facts[f"{place}_count"] = (str(rank.get("others") or 0),) * 2
        facts[f"{place}_first"] = (str(rank.get("first") or ""),) * 2
    return facts


def _years_of(market: Json) -> float:
    """Return how many years the newest LONGEST_PAST bars span; 0 where it is not known."""
    rows = past_views.rows_of(market)
    try:
        first, last = (date.fromisoformat(str(market.get(end) or "")[:10]) for end in ("first", "last"))
    except ValueError:
        return 0.0
    return (last - first).days * min(1.0, LONGEST_PAST / rows) / 365.25 if rows > 1 else 0.0


def valuation_values(valuation: Json) -> dict[str, tuple[float | None, str]]:
    """Return the figures of a checked valuation and their ranks by the expressions that readings name them with."""
    found = dict(valuation.get("figures", {}).items())
    for place in ("peers", "history"):
        found |= {f"{name}.{place}": rank.get("rank_pct") for name, rank in valuation.get(place, {}).items()}
    day = valuation.get("date", "")
    return {
        key(f"{VALUATION}{name}"): (float(value), day)
        for name, value in found.items()
        if isinstance(value, int | float) and math.isfinite(value)
    }
