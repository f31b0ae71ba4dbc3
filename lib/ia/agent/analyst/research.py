"""Research of one security: the skill's procedure, in the order of the soul's lens, ending in a note."""

import re
from dataclasses import dataclass, field
from typing import Any

from ia.agent.analyst import lens as lenses
from ia.agent.analyst import past, procedure, reply, verdict
from ia.agent.analyst.desk import NO_TOOL, Call, Desk, Failure, Result, Work
from ia.agent.analyst.mentions import Mention, english
from ia.agent.analyst.parts import nothing, part
from ia.agent.analyst.procedure import Figure, Step
from ia.agent.analyst.readings import ALWAYS, INDEX, key, wanted
from ia.agent.analyst.verdict import Fired, Verdict
from ia.agent.analyst.voice import ZH

BENCHMARK = {"CN": "000300.SH", "HK": "恒生指数", "US": "SPY"}
TAIL = 120


@dataclass
class Study:
    """What is known of a security after looking."""

    code: str
    name: str
    title: str
    lens: lenses.Lens
    cares: dict[str, str] = field(default_factory=dict)
    market: dict[str, Any] = field(default_factory=dict)
    values: dict[str, tuple[float | None, str]] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    fired: list[Fired] = field(default_factory=list)
    checked: bool = False
    unread: list[tuple[str, str, str]] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list)
    index: str = ""
    failure: Failure | None = None
    verdict: Verdict | None = None
    skill: str = ""
    why: str = ""
    observed: str = ""
    english: str = ""

    @property
    def known(self) -> str:
        """The security under every name that a later search may use: 宁德时代 CATL (300750.SZ)."""
        return known(self.name, self.english, self.code)

    @property
    def names(self) -> tuple[str, ...]:
        """What an earlier text may call the security."""
        return (self.name, self.code, self.title)

    @property
    def rows(self) -> int:
        """How many bars there are."""
        return past.rows_of(self.market)

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
        return past.closes_of(self.market)


def known(name: str, english: str, code: str) -> str:
    """Return a security under every name there is.

    >>> known("宁德时代", "CATL", "300750.SZ"), known("沪深300ETF", "沪深300ETF", "510300.SH")
    ('宁德时代 CATL (300750.SZ)', '沪深300ETF (510300.SH)')
    """
    names = " ".join(dict.fromkeys(filter(None, (name, english))))
    return f"{names} ({code})" if code and names and names != code else names or code


def named(desk: Desk, mention: Mention) -> str:
    """Return a security as the reader knows it."""
    if desk.speak.lang == ZH:
        return mention.name
    return english(mention.symbol) if not mention.said.isascii() or mention.said[:1].isdigit() else mention.said


def loaded(desk: Desk, skill: str, arguments: str = "") -> Work[Any]:
    """Return what `skills.load` brings of a skill, None where it is not there."""
    result = yield from desk.one("skills.load", name=skill, arguments=arguments, steps=True)
    if result.failure is not None:
        if result.failure.code not in (NO_TOOL, "no-such-skill", "skill-disabled"):
            desk.unused(skill, reply.describe_failure(desk.speak, result.failure))
        return None
    if isinstance(result.get("tools"), list):
        desk.allowed = [str(name) for name in result.get("tools")]
    return result.value


def studied(desk: Desk, mention: Mention | None, steps: list[Step], lens: lenses.Lens, skill: str = "") -> Work[Study]:
    """Return the study of a security, or of the bars that came along where `mention` is None."""
    soul, beliefs = desk.request.parts.get("soul", ""), desk.request.parts.get("beliefs", "")
    cares = lenses.concerns(soul, beliefs)
    lens = lenses.widened(lens, cares)
    study = Study(
        mention.code if mention else "",
        mention.name if mention else "",
        named(desk, mention) if mention else "",
        lens,
        cares,
        skill=skill,
        english=english(mention.symbol) if mention else "",
    )
    study.steps = procedure.chosen(steps, lens.order, lens.counter)
    if "market" in cares and mention is not None and not desk.request.bars:
        yield from _index(desk, study, mention)
    if desk.request.bars:
        _piped(desk, study)
    elif mention is not None:
        yield from _looked(desk, study, mention)
        if study.failure:
            return study
    yield from _computed(desk, study, mention)
    study.verdict = verdict.judged(study.values, lens, study.fired, study.rows, study.simulated)
    return study


@part("大盘环境", "the look at the market", nothing)
def _index(desk: Desk, study: Study, mention: Mention) -> Work[None]:
    """Look at the market first, as the coach asked."""
    name = BENCHMARK[mention.symbol.market]
    looked = yield from desk.one("market.ohlcv", symbol=name, tail=1)
    if not looked.ok:
        return
    study.index = str(looked.get("name") or looked.get("symbol") or name)
    codes = [reading.code for reading in wanted(["market"])]
    args = {"symbol": str(looked.get("symbol"))} if desk.stranger else {}
    calls = [Call("compute.run", {"code": code.removeprefix(INDEX), **args}) for code in codes]
    for code, result in zip(codes, (yield from desk.run(*calls)), strict=True):
        study.values[key(code)] = valued(result)


def _piped(desk: Desk, study: Study) -> None:
    """Take the bars that came along with the question: nothing is fetched."""
    study.market = desk.request.bars
    known = str(study.market.get("symbol") or "")
    if known and known != "stdin":
        study.code, study.name = known, str(study.market.get("name") or "") or known
        study.title = study.title or study.name


def _looked(desk: Desk, study: Study, mention: Mention) -> Work[None]:
    """Fetch the bars, and what was thought and written before."""
    calls = [Call("market.ohlcv", {"symbol": mention.code, "tail": TAIL})]
    tools = {step.tool for step in study.steps}
    if tools & {"memory.recall", "memory.read", "notebook.search"}:
        calls.append(Call("memory.recall", {"query": mention.name, "limit": 6}))
    calls.append(Call("memory.read", {"path": observation(desk, study.name)}))
    bars, *rest, today = yield from desk.run(*calls)
    study.observed = str(today.value) if today.ok else ""
    if not bars.ok or not isinstance(bars.value, dict) or not bars.get("rows"):
        study.failure = bars.failure or reply.NO_BARS
        return
    study.market = bars.value
    study.name = study.name or str(bars.get("name") or "")
    if rest and rest[0].ok:
        study.earlier = recalled(rest[0].value)
        yield from past.read_whole(desk, study.earlier, study.names, desk.request.day)


def _computed(desk: Desk, study: Study, mention: Mention | None) -> Work[None]:
    """Compute what the procedure and the readings of its views need, each expression once, and check the rules."""
    codes: dict[str, str] = {}
    for code in [*(s.code for s in study.steps if s.code), *(r.code for r in wanted(study.lens.order)), *ALWAYS]:
        if not code.startswith(INDEX):
            codes.setdefault(key(code), code)
    fetched = mention is not None and not desk.request.bars
    args = {"symbol": study.code} if desk.stranger and fetched else {}
    calls = [Call("compute.run", {"code": code, **args}) for code in codes.values()]
    checks = [Call("skills.check", {"name": study.skill or "research", **({"symbol": study.code} if fetched else {})})]
    if not any(step.tool == "skills.check" for step in study.steps):
        checks = []
    results = yield from desk.run(*calls, *checks)
    for name, result in zip(codes, results, strict=False):
        study.values[name] = valued(result)
    if checks and results[-1].ok:
        study.checked = True
        study.fired = verdict.fired_of(results[-1].value, desk.speak)
        study.unread = [
            (str(item.get("id")), str(item.get("if")), str(item.get("text")))
            for item in results[-1].get("for_you_to_judge") or []
            if isinstance(item, dict) and item.get("tier") == 1
        ]
    study.why = next((each.failure.sentence for each in results if each.failure and not each.missing), "")
    study.figures = procedure.figures(study.steps, study.values, desk.speak)


def observation(desk: Desk, topic: str) -> str:
    """Return the path of today's observation of a topic."""
    slug = re.sub(r"[^\w.]+", "-", topic).strip("-.").lower()
    return f"observations/{desk.request.day}-{slug}.md"


def observe(desk: Desk, topic: str, line: str, observed: str = "") -> Call:
    """Return the call that adds a line to today's observation; `observed` is what it says already."""
    if desk.has("memory.observe") or not desk.has("memory.write"):
        return Call("memory.observe", {"topic": topic, "content": line})
    stamped = f"[{desk.request.moment:%H:%M}] {line}\n"
    text = f"{observed.rstrip()}\n{stamped}" if observed.strip() else f"# {topic}\n\n{stamped}"
    return Call("memory.write", {"path": observation(desk, topic), "content": text})


def filed(desk: Desk, *calls: Call) -> Work[list[Result]]:
    """Make calls that write; what is refused since its file is trusted goes once, untrusted, to the free path named."""
    results = yield from desk.run(*calls)
    refused = {at: each.failure for at, each in enumerate(results) if each.failure}
    free = {at: str(each.fields["beside"]) for at, each in refused.items() if each.fields.get("beside")}
    again = [Call(calls[at].tool, {**calls[at].args, "path": path}) for at, path in free.items()]
    for at, result in zip(free, (yield from desk.run(*again)), strict=True):
        results[at] = result
    return results


def valued(result: Result) -> tuple[float | None, str]:
    """Return the number (1 and 0 for true and false) and the date of a computation; (None, "") where there is none."""
    value = result.get("value") if isinstance(result.value, dict) else result.value
    if not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        return None, ""
    return float(value), str(result.get("date") or "")


def recalled(value: Any) -> list[dict[str, Any]]:
    """Return the hits of a recall: source, date, content."""
    hits = value
    if isinstance(value, dict):
        hits = next((value[name] for name in ("hits", "found", "results") if isinstance(value.get(name), list)), [])
    return [hit for hit in hits if isinstance(hit, dict) and hit.get("source")] if isinstance(hits, list) else []


def steps_for(desk: Desk, skill: str, arguments: str) -> Work[tuple[list[Step], str]]:
    """Return the steps of a skill's procedure and its name; the built-in ones and "" where there is none."""
    brought = yield from loaded(desk, skill, arguments)
    steps = procedure.of(brought)
    if steps and any(step.code for step in steps):
        return steps, skill
    return procedure.builtin(desk.speak), skill if brought is not None else ""
