"""A procedure: the steps of a skill's SOP as far as they matter to who carries them out without a model."""

from typing import Any, NamedTuple

from ia.agent.analyst.readings import key
from ia.agent.analyst.voice import Voice, number


class Step(NamedTuple):
    """One step: a call of a tool, or (tool "") words for whoever judges. `lens` "" belongs to every view."""

    id: str
    phase: str
    tool: str
    args: dict[str, Any]
    action: str
    output: str
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

    def shown(self, say: Voice) -> str:
        """Return the figure as a person reads it. Only changes and distances carry a plus."""
        text = number(self.value, self.unit, say)
        return text if "- 1)" in self.code or "roc(" in self.code[:5] else text.removeprefix("+")


def of(loaded: Any, say: Voice) -> list[Step]:
    """Return the steps of the procedure that `skills.load` brought; none where it brought none."""
    sop = loaded
    for name in ("knowledge", "sop", "sop"):
        sop = sop.get(name) if isinstance(sop, dict) and isinstance(sop.get(name), dict) else sop
    phases = sop.get("phases") if isinstance(sop, dict) else None
    steps = []
    for phase in phases if isinstance(phases, list) else []:
        if not isinstance(phase, dict):
            continue
        for step in phase.get("steps") or []:
            if isinstance(step, dict):
                steps.append(_step(step, str(phase.get("id") or ""), say))
    return steps


def _step(step: dict[str, Any], phase: str, say: Voice) -> Step:
    args = step.get("args")
    return Step(
        str(step.get("id") or ""), phase, str(step.get("tool") or ""), dict(args) if isinstance(args, dict) else {},
        say.own(step, "action"), say.own(step, "output") or say.own(step, "action"), str(step.get("lens") or ""),
        str(step.get("unit") or ""),
    )  # fmt: skip


def chosen(steps: list[Step], views: tuple[str, ...], counter: str = "") -> list[Step]:
    """Return the steps of these views in their order: those of every view stay where they are, those of one view
    come where its phase first had a step of any view. Of the view added as a counter only the first four.
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


def figures(steps: list[Step], values: dict[str, tuple[float | None, str]]) -> list[Figure]:
    """Return the figures of the steps that compute, in their order, from values by expression."""
    told = []
    for step in steps:
        if step.code and key(step.code) in values:
            value, date = values[key(step.code)]
            told.append(Figure(step.output, value, step.unit, date, step.code, step.lens))
    return told


def builtin(say: Voice) -> list[Step]:
    """Return the procedure that a research follows where no skill brings one."""
    computed = [
        ("close", "收盘价", "Close", "", "price"),
        ("roc(close, 1)", "当日涨跌", "Change, 1 day", "", "percent"),
        ("roc(close, 5)", "近 5 日涨跌", "Change, 5 days", "", "percent"),
        ("roc(close, 20)", "近 20 日涨跌", "Change, 20 days", "", "percent"),
        ("roc(close, 60)", "近 60 日涨跌", "Change, 60 days", "", "percent"),
        ("roc(close, 250)", "近 250 日涨跌", "Change, 250 days", "", "percent"),
        ("rsi(close, 14)", "RSI(14)", "RSI(14)", "", "points"),
        ("natr(high, low, close, 14)", "ATR(14) 占价格", "ATR(14) of price", "", "percent"),
        ("volume / sma(ref(volume, 1), 20)", "量比（对前 20 日）", "Volume ratio (20 days before)", "", "ratio"),
    ]
    steps = [
        Step("P1_1", "P1", "market.ohlcv", {}, "", say("日线行情", "Daily bars")),
        Step("P1_2", "P1", "memory.recall", {}, "", say("过去的看法", "What was thought before")),
    ]
    steps += [
        Step(f"P2_{at}", "P2", "compute.run", {"code": code}, "", say(zh, en), view, unit)
        for at, (code, zh, en, view, unit) in enumerate(computed, 1)
    ]
    return [
        *steps,
        Step("P3_1", "P3", "skills.check", {}, "", say("命中的规则", "Rules that hold")),
        Step("P6_1", "P6", "notebook.write", {}, "", say("研究笔记", "Research note")),
        Step("P6_2", "P6", "memory.write", {}, "", say("观察", "Observation")),
    ]
