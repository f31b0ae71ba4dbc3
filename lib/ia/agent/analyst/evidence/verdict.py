"""From readings to a view: what speaks for, what against, which way it leans, and how far to trust it.

The rule, in full. Readings of one kind count once, by the sign of their sum, and each kind counts as much as any other;
readings that only describe count nowhere. The order of the views changes nothing, and a view that only the question
brings in is shown and not counted: one security at one moment has one verdict, however it is asked for. The score is
the sum over the number of kinds looked at: from 0.25 up the evidence leans up, from -0.25 down it leans down, between
them it is mixed. The agreement is the size of that sum over the number of kinds that speak at all. Confidence is high
with agreement from 0.8 and five kinds speaking, three years of bars and neither red flag nor must-know rule in force;
medium with agreement from 0.5 and three kinds speaking; else low. Less than 250 bars, simulated prices, or a critical
red flag or must-know rule make it low whatever else holds.
"""

from types import MappingProxyType
from typing import NamedTuple

from ia.agent.analyst.evidence.lens import Lens
from ia.agent.analyst.evidence.readings import Facts, Reading, Readings, Weighing, key, readings_at
from ia.agent.analyst.tables import SHIPPED, Tables
from ia.agent.analyst.voice import AnswerVoice
from ia.kernel.errors import Message, PluralText
from ia.kernel.i18n import mark_text

HIGH, MEDIUM, LOW = "high", "medium", "low"
LEVELS = {HIGH: "high", MEDIUM: "medium", LOW: "low"}
LEANS = {1: mark_text("leans up"), -1: mark_text("leans down"), 0: mark_text("has no clear direction")}
_STANCES = {"for": 1, "against": -1}
_TRENDS = {"up": 1, "down": -1, "none": 0}


class Fired(NamedTuple):
    """A pattern, red flag or rule that holds.

    grade   critical, warning, notice, high, medium, low, or ""
    fact    what is the case, without what follows from it; "" where that is not apart
    stance  1 for the security, -1 against it, 0 neither
    trend   1 up, -1 down, 0 there is none; None where it speaks of something else
    """

    id: str
    name: str
    says: str
    grade: str
    source: str
    kind: str
    stance: int = 0
    trend: int | None = None
    fact: str = ""

    @property
    def alarming(self) -> bool:
        """Whether it is a red flag or a must-know rule."""
        return self.kind in ("red_flag", "must_know")

    @property
    def critical(self) -> bool:
        """Whether it stands above everything else."""
        return self.alarming and self.grade == "critical"


class Evidence(NamedTuple):
    """A reading with its value, and what its sentence names besides; `counted`: whether it is part of the verdict."""

    reading: Reading
    value: float
    facts: Facts = MappingProxyType({})
    counted: bool = True

    @property
    def sign(self) -> int:
        """Which way it speaks in the verdict."""
        return self.reading.sign(self.value) if self.counted else 0

    def sentence(self, speak: AnswerVoice) -> str:
        """Return what it says; "" where nothing is to be said."""
        return self.reading.sentence(self.value, speak, self.facts)


class Verdict(NamedTuple):
    """A view: lean -1, 0, 1; score and agreement as fractions; the kinds of evidence with their signs."""

    lean: int
    score: float
    agreement: float
    confidence: str
    kinds: dict[str, int]
    evidence: tuple[Evidence, ...]
    why: tuple[Message, ...]
    readings: Readings

    def describe_lean(self, speak: AnswerVoice) -> str:
        """Return which way the evidence leans, in a clause."""
        return describe_lean(self.lean, self.kinds, speak)

    def speaking(self, sign: int) -> list[Evidence]:
        """Return the evidence of one sign, in the order of the views."""
        return [item for item in self.evidence if item.sign == sign]

    def open_to(self, sign: int) -> list[str]:
        """Return the kinds that do not speak this way and could: risk never speaks for a security."""
        return [kind for kind, value in self.kinds.items() if value != sign and not (sign > 0 and kind == "risk")]

    def missing_kinds(self, sign: int) -> int:
        """Return how many more kinds would have to speak this way before the evidence leans it."""
        total, whole = sum(self.kinds.values()), len(self.kinds)
        gains = sorted((1 - self.kinds[kind] * sign for kind in self.open_to(sign)), reverse=True)
        for count in range(len(gains) + 1):
            if total * sign + sum(gains[:count]) >= self.readings.weighing.lean * whole - 1e-9:
                return count
        return len(gains)

    def count(self, sign: int) -> int:
        """Return how many kinds of evidence speak one way."""
        return sum(1 for value in self.kinds.values() if value == sign)


def describe_level(level: str, speak: AnswerVoice) -> str:
    """Return a level of confidence as it is said."""
    return speak(LEVELS[level], context="confidence")


def describe_lean(lean: int, kinds: dict[str, int], speak: AnswerVoice) -> str:
    """Return which way evidence leans, in a clause; kinds with their signs."""
    signs = set(kinds.values()) - {0}
    if not signs:
        return speak("no kind of reading has a direction")
    if lean:
        return speak("the evidence ") + speak(LEANS[lean])
    if len(signs) == 2:
        return speak("the evidence is mixed")
    return speak("the evidence is one-sided, but too little for a direction")


def weigh_evidence(
    values: dict[str, tuple[float | None, str]], lens: Lens, fired: list[Fired], rows: int, simulated: bool = False,
    tables: Tables = SHIPPED, facts: Facts | None = None,
) -> Verdict:  # fmt: skip
    """Return the verdict on figures by expression; the evidence is in the order of a lens.

    facts   what sentences of readings name besides their figure
    """
    readings = readings_at(tables)
    evidence = []
    for reading in readings.of_views(lens.order):
        value = values.get(key(reading.code), (None, ""))[0]
        if value is not None and rows >= reading.least_bars:
            counted = reading.is_evidence and reading.view != lens.added
            evidence.append(Evidence(reading, value, facts or {}, counted))
    sums: dict[str, int] = {}
    for item in evidence:
        if item.counted:
            sums[item.reading.kind] = sums.get(item.reading.kind, 0) + item.sign
    kinds = {kind: (sums[kind] > 0) - (sums[kind] < 0) for kind in readings.kinds if kind in sums}
    weighing, total = readings.weighing, sum(kinds.values())
    speaking = sum(1 for sign in kinds.values() if sign)
    score = total / len(kinds) if kinds else 0.0
    agreement = abs(total) / speaking if speaking else 0.0
    lean = 1 if score >= weighing.lean else -1 if score <= -weighing.lean else 0
    confidence, why = _confidence(weighing, agreement if lean else None, speaking, fired, rows, simulated)
    return Verdict(lean, score, agreement, confidence, kinds, tuple(evidence), why, readings)


def _confidence(
    rule: Weighing, agreement: float | None, speaking: int, fired: list[Fired], rows: int, simulated: bool
) -> tuple[str, tuple[Message, ...]]:
    alarms = [item for item in fired if item.alarming]
    critical = [item for item in alarms if item.critical]
    why = _describe_agreement(rule, agreement, speaking)
    level, agreed = LOW, agreement or 0.0
    if speaking >= rule.medium_kinds and agreed >= rule.medium_agreement:
        sure = speaking >= rule.high_kinds and agreed >= rule.high_agreement and rows >= rule.high_bars
        level = HIGH if sure and not alarms else MEDIUM
    if rows < rule.few_bars:
        level = LOW
        why.append(Message("only {count} daily bars, less than a year", count=rows))
    if simulated:
        level = LOW
        why.append(Message("simulated prices"))
    if critical:
        level = LOW
        why.append(
            Message(
                PluralText("a critical warning is in force", "{count} critical warnings are in force"),
                count=len(critical),
            )
        )
    elif alarms:
        why.append(Message(PluralText("a warning is in force", "{count} warnings are in force"), count=len(alarms)))
    return level, tuple(why)


def _describe_agreement(rule: Weighing, agreement: float | None, speaking: int) -> list[Message]:
    """Return how far the kinds of evidence that have a direction agree; [] where they cancel, as the lean says."""
    if 0 < speaking < rule.medium_kinds:
        few = PluralText(
            "only {count} kind of evidence has a direction", "only {count} kinds of evidence have a direction"
        )
        return [Message(few, count=speaking)]
    if agreement is None:
        return []
    if agreement < rule.medium_agreement:
        return [Message("the evidence disagrees")]
    return [Message("most of the evidence agrees" if agreement < rule.high_agreement else "the evidence agrees")]


def kinds_told(verdict: Verdict, sign: int, speak: AnswerVoice) -> str:
    """Return the kinds of evidence that speak one way, by name."""
    return speak.join_items(
        [verdict.readings.kind_name(kind, speak) for kind, value in verdict.kinds.items() if value == sign]
    )


def fired_of(checked: object, speak: AnswerVoice) -> list[Fired]:
    """Return what `skills.check` found to hold, must-know rules and red flags first."""
    rows: list[Fired] = []
    for entry in _entries(checked):
        if entry.get("fired") is False:
            continue
        kind = _kind(entry)
        grade = str(entry.get("severity") or entry.get("priority") or entry.get("confidence") or "")
        name = (
            speak.localize_entry(entry, "name")
            or speak.localize_entry(entry, "signal")
            or speak.localize_entry(entry, "signature")
        )
        says = (
            speak.localize_entry(entry, "action")
            or speak.localize_entry(entry, "conclusion")
            or speak.localize_entry(entry, "indication")
            or speak.localize_entry(entry, "text")
        )
        stance, trend = _STANCES.get(str(entry.get("stance")), 0), _TRENDS.get(str(entry.get("trend")))
        source = str(entry.get("source") or "")
        fact = speak.localize_entry(entry, "fact")
        rows.append(Fired(str(entry.get("id") or "?"), name, says, grade, source, kind, stance, trend, fact))
    order = {"must_know": 0, "red_flag": 1, "core": 2, "edge": 3, "pattern": 4}
    return sorted(rows, key=lambda row: (not row.critical, order.get(row.kind, 5), row.id))


def _entries(checked: object) -> list[dict[str, object]]:
    """Return the entries that hold, wherever the answer keeps them."""
    if isinstance(checked, dict):
        for name in ("fired", "findings"):
            if isinstance(checked.get(name), list):
                return [entry for entry in checked[name] if isinstance(entry, dict)]
        found = []
        for name, value in checked.items():
            if isinstance(value, list):
                found += [{"group": name, **entry} for entry in value if isinstance(entry, dict) and "id" in entry]
        return found
    return [entry for entry in checked if isinstance(entry, dict)] if isinstance(checked, list) else []


def _kind(entry: dict[str, object]) -> str:
    told = " ".join(str(entry.get(name) or "") for name in ("kind", "tier", "group", "type")).casefold()
    number = str(entry.get("id") or "").upper()
    if "flag" in told or "signal" in entry:
        return "red_flag"
    if "pattern" in told:
        return "pattern"
    if entry.get("kind") == "rule":
        return {1: "must_know", 2: "core"}.get(_tier(entry), "edge")
    if "tier1" in told or "must" in told or told.strip() == "1" or number.startswith("T1"):
        return "must_know"
    if "tier2" in told or "core" in told or told.strip() == "2" or number.startswith("T2"):
        return "core"
    if "tier3" in told or "edge" in told or told.strip() == "3" or number.startswith("T3"):
        return "edge"
    return "pattern"


def _tier(entry: dict[str, object]) -> int:
    tier = entry.get("tier")
    return tier if isinstance(tier, int) else 2
