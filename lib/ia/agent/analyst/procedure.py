"""A procedure: the steps of a skill as far as they matter to who carries them out without a model."""

import re
from typing import Any, NamedTuple

from ia.agent.analyst.readings import LABELS, key, plain
from ia.agent.analyst.voice import Voice, number

UNITS = ("percent", "points", "price", "ratio", "days")
"""Units that a figure is written in; any other is only words."""

_VERB = re.compile(r"^(计算|算|看|读取|读|取|数|比较|用|(?:Compute|Calculate|Read|Look at)(?: the)? )\s*")
_CLAUSE = re.compile(r"[：，；。（]|[:;,.] | \(")


class Step(NamedTuple):
    """One step: a call of a tool, or (tool "") words for whoever judges. `lens` "" belongs to every view."""

    id: str
    tool: str
    args: dict[str, Any]
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

    def shown(self, speak: Voice) -> str:
        """Return the figure as a person reads it. Only changes and distances carry a plus."""
        return plain(self.code, number(self.value, self.unit, speak))


def of(loaded: Any) -> list[Step]:
    """Return the steps of the procedure that `skills.load` brought as data; none without one."""
    phases = loaded.get("procedure") if isinstance(loaded, dict) else None
    return [
        _step(step)
        for phase in (phases if isinstance(phases, list) else [])
        if isinstance(phase, dict) and isinstance(phase.get("steps"), list)
        for step in phase["steps"]
        if isinstance(step, dict)
    ]


def _step(step: dict[str, Any]) -> Step:
    id_, tool, action, output, lens, unit = (
        str(step.get(key) or "") for key in ("id", "tool", "action", "output", "lens", "unit")
    )
    args = step.get("args")
    if output and unit not in UNITS:  # what it is measured in belongs to its name then
        output, unit = f"{output} ({unit})" if unit else output, ""
    return Step(id_, tool, dict(args) if isinstance(args, dict) else {}, action, output or _labeled(action), lens, unit)


def _labeled(action: str) -> str:
    """Return what a step that is told as something to do is about: its first clause, without the verb."""
    told = _VERB.sub("", action)
    clause = _CLAUSE.split(told, maxsplit=1)[0].strip()
    return clause if len(clause) > 5 or clause == told else told.strip()[:40]


def unit_of(step: Step) -> str:
    """Return the unit of a step's figure: as its skill says, as it is known, or as the expression suggests."""
    known = LABELS.get(key(step.code))
    if step.unit or known:
        return step.unit or (known[2] if known else "")
    code = step.code
    if code.startswith(("roc(", "natr(", "100 *")) or "* 100" in code or re.match(r"stdev\(roc\(.*\) \* sqrt\(", code):
        return "percent"
    if re.match(r"(rsi|adx|mfi|percentrank|stoch|kdj|willr|cci)\(", code):
        return "points"
    if code.startswith(("barssince(", "count(")):
        return "days"
    return "ratio"


def chosen(steps: list[Step], views: tuple[str, ...], counter: str = "") -> list[Step]:
    """Return the steps of these views in their order: those of every view stay where they are, those of one view
    come where the procedure first has a step of any view. Of the view added as a counter only the first four.
    """
    out: list[Step] = []
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


def figures(steps: list[Step], values: dict[str, tuple[float | None, str]], speak: Voice) -> list[Figure]:
    """Return the figures of the steps that compute, in their order, from values by expression."""
    told = []
    for step in steps:
        if step.code and key(step.code) in values:
            value, date = values[key(step.code)]
            told.append(Figure(label(step, speak), value, unit_of(step), date, step.code, step.lens))
    return told


def label(step: Step, speak: Voice) -> str:
    """Return what a step's figure is called: as it is known, else as its skill calls it, in whatever language."""
    known = LABELS.get(key(step.code))
    return speak(*known[:2]) if known else step.label


def builtin(speak: Voice) -> list[Step]:
    """Return the procedure that a research follows where no skill brings one."""
    computed = (
        "close",
        "roc(close, 1)",
        "roc(close, 5)",
        "roc(close, 20)",
        "roc(close, 60)",
        "roc(close, 250)",
        "rsi(close, 14)",
        "natr(high, low, close, 14)",
        "volume / sma(ref(volume, 1), 20)",
    )
    return [
        Step("1", "market.ohlcv", {}, "", speak("日线行情", "Daily bars")),
        Step("2", "memory.recall", {}, "", speak("过去的看法", "What was thought before")),
        *(Step(f"3.{at}", "compute.run", {"code": code}, "", code) for at, code in enumerate(computed, 1)),
        Step("4", "skills.check", {}, "", speak("命中的规则", "Rules that hold")),
        Step("5", "notebook.write", {}, "", speak("研究笔记", "Research note")),
        Step("6", "memory.write", {}, "", speak("观察", "Observation")),
    ]
