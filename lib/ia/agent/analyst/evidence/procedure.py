"""A procedure: the steps of a skill as far as they matter to who carries them out without a model."""

from typing import Any, NamedTuple

from ia.agent.analyst.evidence.readings import key, labels_at
from ia.agent.analyst.tables import SHIPPED, Tables
from ia.agent.analyst.voice import AnswerVoice
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

UNITS = ("percent", "points", "price", "ratio", "days")
"""Units that a figure is written in; any other is only words."""

_VERB = pattern(r"^(计算|算|看|读取|读|取|数|比较|用|(?:Compute|Calculate|Read|Look at)(?: the)? )\s*")
_CLAUSE = pattern(r"[：，；。（]|[:;,.] | \(")


class ProcedureStep(NamedTuple):
    """One step: a call of a tool, or (tool "") words for whoever judges. `lens` "" belongs to every view."""

    id: str
    tool: str
    args: Json
    action: str
    label: str
    lens: str = ""
    unit: str = ""

    @property
    def code(self) -> str:
        """The expression of a computation, "" of anything else."""
        return str(self.args.get("code") or "") if self.tool == "compute.run" else ""


class Figure(NamedTuple):
    """A figure with its label and date; value None where there was nothing to compute it from."""

    label: str
    value: float | None
    unit: str
    date: str
    code: str
    lens: str = ""

    def show(self, speak: AnswerVoice, tables: Tables = SHIPPED) -> str:
        """Return the figure as a person reads it. Only changes and distances carry a plus."""
        return labels_at(tables).show(self.code, self.value, self.unit, speak)


def parse_steps(loaded: Any) -> list[ProcedureStep]:
    """Return the steps of the procedure that `skills.load` brought as data; none without one."""
    phases = loaded.get("procedure") if isinstance(loaded, dict) else None
    return [
        _step(step)
        for phase in (phases if isinstance(phases, list) else [])
        if isinstance(phase, dict) and isinstance(phase.get("steps"), list)
        for step in phase["steps"]
        if isinstance(step, dict)
    ]


def _step(step: Json) -> ProcedureStep:
    id_, tool, action, output, lens, unit = (
        str(step.get(key) or "") for key in ("id", "tool", "action", "output", "lens", "unit")
    )
    args = step.get("args")
    if output and unit not in UNITS:  # what it is measured in belongs to its name then
        output, unit = f"{output} ({unit})" if unit else output, ""
    return ProcedureStep(
        id_, tool, dict(args) if isinstance(args, dict) else {}, action, output or _label_action(action), lens, unit
    )


def _label_action(action: str) -> str:
    """Return what a step that is told as something to do is about: its first clause, without the verb."""
    told = _VERB.sub("", action)
    clause = _CLAUSE.split(told, maxsplit=1)[0].strip()
    return clause if len(clause) > 5 or clause == told else told.strip()[:40]


def unit_of(step: ProcedureStep, tables: Tables = SHIPPED) -> str:
    """Return the unit of a step's figure: as its skill says, as it is known, or as the expression suggests."""
    labels = labels_at(tables)
    known = labels.entries.get(key(step.code))
    if step.unit or known:
        return step.unit or (known[2] if known else "")
    return labels.unit_of(step.code)


def choose_steps(steps: list[ProcedureStep], views: tuple[str, ...], counter: str = "") -> list[ProcedureStep]:
    """Return the steps of these views in their order.

    Those of every view stay where they are. Those of one view come where the procedure first has a step of any view. Of
    the view added as a counter only the first four.
    """
    out: list[ProcedureStep] = []
    placed = False
    for step in steps:
        if not step.lens:
            out.append(step)
        elif not placed:
            placed = True
            for view in views:
                mine = [other for other in steps if other.lens == view]
                out += mine[:4] if view == counter else mine
    return out


def make_figures(
    steps: list[ProcedureStep],
    values: dict[str, tuple[float | None, str]],
    speak: AnswerVoice,
    tables: Tables = SHIPPED,
) -> list[Figure]:
    """Return the figures of the steps that compute, in their order, from values by expression."""
    told = []
    for step in steps:
        if step.code and key(step.code) in values:
            value, date = values[key(step.code)]
            told.append(
                Figure(step_label(step, speak, tables), value, unit_of(step, tables), date, step.code, step.lens)
            )
    return told


def step_label(step: ProcedureStep, speak: AnswerVoice, tables: Tables = SHIPPED) -> str:
    """Return what a step's figure is called: as it is known, else as its skill calls it, in whatever language."""
    known = labels_at(tables).entries.get(key(step.code))
    return speak.fill(known[:2]) if known else step.label


def default_steps(speak: AnswerVoice, tables: Tables = SHIPPED) -> list[ProcedureStep]:
    """Return the procedure that a research follows where no skill brings one."""
    computed = labels_at(tables).basics
    return [
        ProcedureStep("1", "market.ohlcv", {}, "", speak("Daily bars")),
        ProcedureStep("2", "memory.recall", {}, "", speak("What was thought before")),
        *(ProcedureStep(f"3.{at}", "compute.run", {"code": code}, "", code) for at, code in enumerate(computed, 1)),
        ProcedureStep("4", "skills.check", {}, "", speak("Rules that hold")),
        ProcedureStep("5", "notebook.write", {}, "", speak("Research note")),
        ProcedureStep("6", "memory.write", {}, "", speak("Observation")),
    ]
