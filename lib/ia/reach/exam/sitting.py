"""Holding the exam: the price first, then question by question, each in a fresh copy of the same workspace.

Its calls count in the usage of the owner's workspace, as one command, and the owner's caps stop it. Tools that reach
further than the workspace (sending, fetching skills, subagents, whose calls would be counted elsewhere) are left out.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from ia.agent.tools import catalog
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.agent.turns import models
from ia.agent.turns.turn import Turn, prepare_turn, take_turn
from ia.agent.turns.turn_id import new_turn_id
from ia.kernel import audit, clock, config, proposals
from ia.kernel.errors import IaError, Message, Refused
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs import sessions, spending
from ia.reach.exam.expected import AnswerFinder, ExpectedAnswer
from ia.reach.exam.grading import ExamOutcome, Names, describe_check, find_problems
from ia.reach.exam.preparation import build_workspace, copy_workspace, enter_exam
from ia.reach.exam.questions import ExamQuestion, load_patterns, load_questions

LEFT_OUT = ("messaging.send", "skills.install", "subagents.run")
MAX_FAILURES = 3
"""Questions in a row without an answer after which the exam stops: the model cannot be reached."""
CALL_TOKENS, ANSWER_TOKENS = 60, 150
"""Estimates of what a model writes for a call of a tool, and for an answer."""
TEXTS = ("notebook", "memory")


@dataclass(frozen=True, kw_only=True)
class ExamPrice:
    """An estimate of what the exam costs.

    cost     in `currency`; None where the model has no price, 0 for the embedded analyst
    stops    the cap that would stop the exam before its end, and what is left of it; None: none would
    """

    questions: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None
    currency: str
    stops: tuple[str, spending.Left] | None


@dataclass(frozen=True, kw_only=True)
class ExamResult:
    """What came of one question. `failure`: why there is no answer. ms: how long the turn took."""

    question: ExamQuestion
    expected: list[Message]
    problems: list[Message]
    answer: str
    calls: list[Json] = field(default_factory=list)
    usage: Json = field(default_factory=dict)
    failure: IaError | None = None
    ms: int = 0

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return not self.problems


class ExamSitting:
    """An exam that is prepared: `price` before, `ask_questions` to hold it, `stopped` for why it ended early.

    unasked  questions whose right answer cannot be found on this machine, such as without a sandbox
    """

    def __init__(self, ws: Workspace, model: str, home: str, source: str, meter: spending.Meter, plan: Json) -> None:
        self.model = model
        self.stopped: IaError | None = None
        self.results: list[ExamResult] = []
        self._ws, self._home, self._source, self._meter = ws, home, source, meter
        inside = Workspace(home)
        router, scope = _build_router(inside), Scope(inside)
        finder = AnswerFinder(router, scope, plan["facts"], load_patterns())
        found = [finder.find_expected(question) for question in load_questions()]
        self.expected = [each for each in found if each.failure is None]
        self.unasked = [each for each in found if each.failure is not None]
        self.names = _list_names(router, scope)
        self._context = prepare_turn(inside, "?", session="", turn="", router=router).context.tokens
        inside.close()

    @property
    def price(self) -> ExamPrice:
        """The price that is to be expected."""
        asked, answered = 0, 0
        for each in self.expected:
            calls = max(len(each.calls), 1)
            question = self._context + sessions.estimate_tokens(each.question.ask)
            asked += question * (calls + 1) + (each.tokens + CALL_TOKENS * calls) * (calls + 1) // 2
            answered += CALL_TOKENS * calls + ANSWER_TOKENS
        meter = self._meter
        pico = 0 if meter.local else meter.price.cost_in_pico(asked, answered) if meter.price else None
        cost = None if pico is None else Decimal(pico) / 10**12
        need = {True: cost, False: Decimal(asked + answered)}
        short = [
            (name, left)
            for name, left in meter.remaining_caps().items()
            if left.left < (need[left.unit != "tokens"] or 0)
        ]
        return ExamPrice(
            questions=len(self.expected),
            input_tokens=asked,
            output_tokens=answered,
            cost=cost,
            currency=str(config.get_setting("prices.currency")),
            stops=short[0] if short else None,
        )

    def ask_questions(self) -> Iterator[ExamResult]:
        """Ask one question after the other and yield what came of each; `stopped` then says whether a cap ended it."""
        failed = 0
        for expected in self.expected:
            result = self._ask_question(expected)
            failed = failed + 1 if result.failure is not None else 0
            if isinstance(result.failure, Refused) or failed == MAX_FAILURES:
                self.stopped = result.failure
                return
            self.results.append(result)
            yield result

    def _ask_question(self, expected: ExpectedAnswer) -> ExamResult:
        copy_workspace(self._source, self._home)
        ws, started, before = Workspace(self._home), time.monotonic(), self._meter.total_usage()
        done: Turn | None = None
        failure: IaError | None = None
        texts, known = _read_texts(ws), {each.id for each in proposals.pending_proposals(ws)}
        router = _build_router(ws)
        try:
            done = take_turn(ws, expected.question.ask, model=self.model, router=router, meter=self._meter)
        except IaError as exc:
            failure = exc
        outcome = ExamOutcome(
            answer=done.reply if done is not None else "",
            proposals=[each for each in proposals.pending_proposals(ws) if each.id not in known],
            files={path: text for path, text in _read_texts(ws).items() if texts.get(path) != text},
        )
        ws.close()
        problems = [Message("no answer: {reason}", reason=failure)] if failure is not None else []
        usage = self._meter.total_usage()
        return ExamResult(
            question=expected.question,
            expected=[describe_check(check) for check in expected.checks],
            problems=problems or find_problems(expected, outcome, self.names),
            answer=outcome.answer,
            calls=[{"name": call.name, "args": call.args, "ok": call.ok} for call in done.calls] if done else [],
            usage={name: usage[name] - (before[name] or 0) for name in ("input", "output", "calls")},
            failure=failure,
            ms=round((time.monotonic() - started) * 1000),
        )

    def total_usage(self) -> Json:
        """Return what the exam has used so far, as a meter tells it."""
        return self._meter.total_usage()

    def record_score(self) -> None:
        """Record in the owner's audit trail how the exam ended."""
        right = sum(each.passed for each in self.results)
        total = len(self.expected) + len(self.unasked)
        audit.record(self._ws.db, "model.exam", self.model, right=right, asked=len(self.results), questions=total)


@contextlib.contextmanager
def open_exam(ws: Workspace, model: str | None) -> Iterator[ExamSitting]:
    """Prepare the exam of a model in a temporary folder, which goes with it. About five seconds.

    ws       the owner's workspace, where the usage counts; it is neither read nor changed otherwise
    raises   Refused inside a task's run; what `load_model` raises.
    """
    if config.run_number() is not None:
        raise Refused("a task's run cannot test a model; run `ia doctor --model` at a terminal yourself")
    name = models.choose_model(model)
    meant = str(getattr(models.load_model(name), "model_id", name))
    number = new_turn_id()
    meter = spending.Meter(ws, name, command=number, turn=number, moment=clock.now())
    meter.adopt_price(meant)
    sitting: ExamSitting | None = None
    try:
        with tempfile.TemporaryDirectory(prefix="ia-exam-") as folder:
            home, source = os.path.join(folder, "home"), os.path.join(folder, "source")
            with enter_exam(home, (name, meant)) as plan:
                build_workspace(plan)
                copy_workspace(home, source)
                sitting = ExamSitting(ws, name, home, source, meter, plan)
                yield sitting
    finally:  # at the owner's time again
        if sitting is not None and sitting.results:
            sitting.record_score()


def _build_router(ws: Workspace) -> Router:
    tools = catalog.build_router(ws).tools
    return Router([tool for name, tool in tools.items() if name not in LEFT_OUT])


def _read_texts(ws: Workspace) -> dict[str, str]:
    return {path: ws.read(path) or "" for folder in TEXTS for path in ws.list_paths(folder)}


def _list_names(router: Router, scope: Scope) -> Names:
    """Return what the stocks of the exam's market are called."""
    from ia.domain.instruments.symbols import bundled_names

    rows = router.call_tool(scope, "market.screen", {"expr": "market_cap > 0", "limit": 100}).value["stocks"]
    names = {row["symbol"]: (row["symbol"], row["symbol"].split(".")[0], row["name"]) for row in rows}
    for symbol, words in bundled_names():
        if symbol.canonical in names:
            names[symbol.canonical] += words
    return names
