"""One turn: a question comes in with what ia is, holds true and remembers; tools are called; an answer goes out.

Whatever happens (a failing model, Ctrl-C, a cap), the session keeps the question and what was answered so far, and
nothing that the tools did is lost.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ia.agent.analyst.voice import language
from ia.agent.model_choice import OFFLINE
from ia.agent.prompt_format import QUERY
from ia.agent.tools import phases
from ia.agent.tools.consent import has_pasted_text
from ia.agent.tools.gate import RULES
from ia.agent.tools.router import PRIVATE, Router
from ia.agent.tools.scope import Scope, ScopeMarket, ToolCall
from ia.agent.turns import models
from ia.agent.turns.context import DATA, HISTORY, Context, Data, build_context, format_stored_question
from ia.agent.turns.session_prompt import write_method, write_session_state
from ia.agent.turns.turn_id import new_turn_id
from ia.faculties import skills
from ia.kernel import audit, config, faults
from ia.kernel.errors import (
    BadData,
    IaError,
    InternalError,
    Message,
    NotFound,
    Notify,
    TimedOut,
    TryLater,
    Unavailable,
    UsageError,
    drop_message,
    notify_once,
)
from ia.kernel.i18n import mark_text, translate
from ia.kernel.jsontypes import Json
from ia.kernel.kept_patterns import open_kept
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.wiring.indexing import notice_changes

if TYPE_CHECKING:
    from ia.agent.turns.loop import Loop
    from ia.agent.turns.task_prompt import TaskPrompt
    from ia.organs.spending import Meter

PASTED = "pasted text"
"""The origin of what stands in the user's message and is somebody else's."""
_COMMAND = pattern(r"/([\w][\w-]*)(?:\s+(.*))?\Z", re.S)
MAX_MESSAGE = 200_000
COULD_NOT = mark_text("I could not answer: an internal error of ia. It is in the log (`ia log --kind fault`).")
"""What a session keeps of a turn that a bug ended: the words of a Python error are nobody's answer."""
UNCITED = mark_text("The web was searched, and no source of it is cited")
UNDATED = mark_text("no date")
PRICES = "market.ohlcv"
"""The tool that fetches prices."""
CUT = {
    models.LENGTH: "the answer is cut off: it reached the model's length limit",
    models.FILTER: "the answer is cut off: the provider's filter stopped it",
}
"""What is said of a reply that is not whole."""


@dataclass(frozen=True)
class Heard:
    """How a message came that was not typed at a terminal. It is untrusted from its first word.

    origin   where from: `telegram 12345`
    by_user  whether the user wrote it: it may then ask for what becomes a proposal; else it asks for nothing
    allowed  tools that may be called; None: all
    once     names the message: a turn that is repeated after a crash sends nothing that its first try has sent
    """

    origin: str
    by_user: bool = False
    allowed: tuple[str, ...] | None = None
    once: str = ""


@dataclass
class Turn:
    """What came of a turn. `calls` are the tools as they were called, `pending` the proposals that wait.

    cut         why the reply is not whole (`length`, `filter`); "" for a whole one
    understood  False where the embedded analyst says that it made nothing of the message; True of other models
    offers      questions near to one that was not understood which it can answer
    cards       what its tools showed. form: the form that waits for the user's answers, {} for none
    marks       what the reply lacks of a skill's procedure, and figures that no tool has told
    basis       what the reply rests on, in the order of trust (ia.agent.turns.basis)
    sources     the pages of the web that it cites
    """

    id: str
    session: str
    model: str
    reply: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    usage: Json = field(default_factory=dict)
    cut: str = ""
    understood: bool = True
    offers: list[str] = field(default_factory=list)
    cards: list[Json] = field(default_factory=list)
    form: Json = field(default_factory=dict)
    marks: list[Json] = field(default_factory=list)
    basis: list[str] = field(default_factory=list)
    sources: list[Json] = field(default_factory=list)

    def missing_prices_error(self, *, unattended: bool = False) -> IaError | None:
        """Return why prices that the turn asked for could not be had, where it got none at all: TryLater, Unavailable.

        What a reply makes of that is words; a script and a task need to know that it was no answer. Unattended, prices
        that the source does not have are missing, too (NotFound), where the embedded analyst asked for them: it looks
        up what the question names, a model what it likes.
        """
        asked = [call for call in self.calls if call.name == PRICES]
        if any(call.ok for call in asked):
            return None
        told = "the answer lacks prices that it needs: {reason}"
        lasting = (((NotFound.status,), NotFound),) if unattended and self.model == OFFLINE else ()
        kinds_of: tuple[tuple[tuple[int, ...], type[IaError]], ...] = (
            ((TryLater.status, TimedOut.status), TryLater),
            ((Unavailable.status,), Unavailable),
            *lasting,
        )
        for kinds, error in kinds_of:
            for call in asked:
                if call.status in kinds:
                    return error(
                        told, reason=call.failure or call.error, hint="`ia doctor` shows the state of the hosts"
                    )
        return None

    def as_document(self) -> Json:
        """Return it as the contract has it."""
        tools = [{"name": c.name, "args": c.args, "ok": c.ok, "ms": c.ms} for c in self.calls]
        return {
            "turn": self.id,
            "session": self.session,
            "model": self.model,
            "reply": self.reply,
            "tools": tools,
            "artifacts": self.artifacts,
            "pending": self.pending,
            "usage": self.usage,
            "cut": self.cut or None,
            "understood": self.understood,
            "offers": self.offers,
            "cards": self.cards,
            "form": self.form or None,
            "basis": self.basis,
            **({"sources": self.sources} if self.sources else {}),
            **({"marks": self.marks} if self.marks else {}),
        }


def take_turn(
    ws: Workspace,
    message: str,
    *,
    session: str = "",
    model: str | None = None,
    data: tuple[Data, ...] = (),
    market: ScopeMarket | None = None,
    write: Callable[[str], object] = lambda _: None,
    notify: Notify = drop_message,
    router: Router | None = None,
    heard: Heard | None = None,
    event: str = "",
    meter: "Meter | None" = None,
) -> Turn:
    """Carry out one turn and return what came of it; the reply also goes to `write` piece by piece.

    session  turns of one session follow each other, also when they are begun at once; "" begins a new one.
    data     text from outside that comes along. market: bars that were piped in.
    heard    how the message came, where that was not a terminal.
    event    what happened, where nobody asked (ia.agent.turns.daily_events): the message is ia's own, and asks for no
    area.
    meter    counts the calls where they are part of a longer command; None: the turn is a command of its own
    raises   UsageError for an empty message; what `Loop.answer_context` raises, after the session was kept.
    """
    if not message.strip():
        raise UsageError("the message is empty", hint='try: ia turn "How does CATL look lately?"')
    if len(message) > MAX_MESSAGE:
        raise BadData("the message is longer than {limit} characters", limit=MAX_MESSAGE)
    notice_changes(ws)
    open_kept()
    number = new_turn_id()
    session = sessions.check_id(session) if session else number
    name = models.choose_model(model)
    notify = notify_once(notify)
    with sessions.hold_session(ws, session, float(config.get_setting("turn.deadline"))):
        return _TurnTaking(ws, number, session, name, notify, write, router, meter).run_turn(
            message, data, market, heard, event
        )


@dataclass
class Prepared:
    """A turn that could be sent: its context, its scope, and the skill in force."""

    context: Context
    scope: Scope
    skill: skills.Loaded | None


def prepare_turn(
    ws: Workspace,
    message: str,
    *,
    session: str,
    turn: str,
    router: Router,
    data: tuple[Data, ...] = (),
    market: ScopeMarket | None = None,
    notify: Notify = drop_message,
    actor: str = "model",
    prune: bool = False,
    heard: Heard | None = None,
    event: str = "",
    task: "TaskPrompt | None" = None,
) -> Prepared:
    """Return what a turn would send, and the scope in which its tools would be called.

    task    what a run of a task is given besides; default: that of the run which this process is a part of.
    prune   forget in the session what does not go with the question into the limit; else it is only left out here.
    """
    by_user = (heard is None or heard.by_user) and not event
    scope = Scope(
        ws, actor=actor, asked=message if by_user else "", session=session, turn=turn, notify=notify, market=market
    )
    if heard is not None:
        scope.taint(heard.origin)
        scope.own = heard.origin if heard.by_user else ""
        scope.allowed, scope.once = heard.allowed, heard.once
    task = task or _write_running_task(ws, notify)
    approved = task is not None or config.run_number() is not None  # a task's prompt was approved, every word of it
    if by_user and not approved and has_pasted_text(message):
        scope.taint(PASTED)
    active = _load_named_skill(ws, message) if by_user else None
    if session:
        _restore_active_skills(scope)
    if active is not None:
        from ia.agent.tools.builtin.skills import activate_skill

        activate_skill(scope, active, by_user=True)
        if prune:
            phases.begin_run(scope, active.skill.name)
    history = sessions.load_history(ws, session) if session else []
    summary = sessions.find_session(ws, session).summary if history else ""
    room = max(
        HISTORY
        - sessions.estimate_tokens(message)
        - sum(min(sessions.estimate_tokens(item.text), DATA) for item in data),
        0,
    )
    if over := sessions.exchanges_to_prune(history, room):
        gone = {message.id for exchange in over for message in exchange}
        history = [message for message in history if message.id not in gone]
        summary = "\n".join(filter(None, [summary, *map(sessions.exchange_gist, over)]))
        if prune:
            sessions.prune_session(ws, session, room)
            summary = sessions.find_session(ws, session).summary
    context = build_context(
        ws,
        message,
        history=history,
        summary=summary,
        data=data,
        skill=active,
        session=session,
        state=write_session_state(ws, session, scope.active, scope.lang) if session else "",
        method=write_method(scope),
        task=task,
        by_rules=actor == RULES,
        tools=router.offered_tools(scope),
        event=event or QUERY,
        notify=notify,
    )
    for origin in context.origins:
        scope.taint(origin)
    return Prepared(context, scope, active)


def _write_running_task(ws: Workspace, notify: Notify) -> "TaskPrompt | None":
    """Return what the task of this run is given; None outside of a run, or where its text can no longer be read."""
    if config.run_number() is None:
        return None
    from ia.agent.turns import task_prompt

    task = task_prompt.find_running_task(ws)
    if task is None:
        return None
    try:
        return task_prompt.write_task_prompt(ws, task.design, task.text, config.locale_lang(), notify)
    except BadData as exc:
        notify(Message("task {name}: {reason}", name=task.name, reason=exc))
        return None


def _restore_active_skills(scope: Scope) -> None:
    """Let a turn call the tools of the skills that are active in its session; nothing else is narrowed by them."""
    if names := sessions.list_active_skills(scope.ws, scope.session):
        usable = {each.name for each in skills.list_skills(scope.ws) if each.problem is None and each.enabled}
        scope.active = tuple(name for name in names if name in usable)
        scope.ground = scope.allowed


def _load_named_skill(ws: Workspace, message: str) -> skills.Loaded | None:
    """Return the skill that a message begins with (`/research 茅台`).

    raises  NotFound, Refused: the user named it, and must know why it does not run.
    """
    found = _COMMAND.match(message.strip())
    if found is None:
        return None
    return skills.load(ws, found[1], (found[2] or "").strip(), by_user=True)


class _TurnTaking:
    """A turn under way."""

    def __init__(
        self,
        ws: Workspace,
        number: str,
        session: str,
        model: str,
        notify: Notify,
        write: Callable[[str], object],
        router: Router | None,
        meter: "Meter | None",
    ) -> None:
        from ia.agent.tools import catalog
        from ia.organs.spending import Meter

        self.ws, self.notify, self.write = ws, notify, write
        self.turn = Turn(number, session, model)
        self.router = router or catalog.build_router(ws)
        self.meter = meter or Meter(ws, model, command=number, session=session, turn=number)
        self.loop: Loop | None = None

    def run_turn(
        self, message: str, data: tuple[Data, ...], market: ScopeMarket | None, heard: Heard | None, event: str
    ) -> Turn:
        started = time.monotonic()
        turn = self.turn
        ready = prepare_turn(
            self.ws,
            message,
            session=turn.session,
            turn=turn.id,
            router=self.router,
            data=data,
            market=market,
            notify=self.notify,
            actor=f"model {turn.model}",
            prune=True,
            heard=heard,
            event=event,
        )
        scope = ready.scope
        turn.calls, turn.artifacts, turn.pending = scope.calls, scope.artifacts, scope.pending
        turn.cards = scope.cards
        self._record_question(message, data, scope, event)
        if ready.skill is not None:
            from ia.agent.tools.builtin.skills import keep_active

            keep_active(scope, ready.skill.skill)
        failure = "interrupted"
        try:
            self._produce_answer(message, ready)
            failure = ""
        except Exception as exc:
            error = faults.explain_exception(exc, "the turn")
            if not isinstance(error, InternalError):
                failure = str(error)
                raise
            failure = translate(COULD_NOT, language(message, config.locale_lang()))
            kept = faults.record(self.ws.db, "turn", turn.id, exc.__cause__ or exc, session=turn.session)
            raise InternalError("the turn", kept=kept) from exc
        finally:
            turn.form = scope.form
            self._record_answer(scope, failure, time.monotonic() - started)
        return turn

    def _produce_answer(self, message: str, ready: Prepared) -> None:
        from ia.agent.turns import subagents
        from ia.agent.turns.loop import Loop

        scope, active = ready.scope, ready.skill
        scope.fork = subagents.make_fork(scope, self.router, self.turn.model)
        if active is not None and active.skill.fork:
            arguments = message.strip().partition(" ")[2] or active.skill.description()
            told = scope.fork(task=arguments, role="researcher", tools=None, skill=active.skill.name)
            self.turn.reply = subagents.format_summary(told)
            self.write(self.turn.reply)
            return
        self.loop = Loop(self.turn.model, self.router, scope, self.meter, self.write)
        if scope.actor != RULES:
            from ia.agent.turns.phase_review import ReplyReview

            self.loop.review = ReplyReview(scope, self.router, scope.asked)
        try:
            self.loop.answer_context(ready.context)
        except BaseException:
            self.loop.keep_held()
            raise
        if not self.loop.reply.strip():
            raise models.explain_failure(ValueError("the answer is empty"), self.turn.model)
        if scope.passages:
            self._mark_wrong_citations(message, scope)
        if self.loop.review is not None and self.loop.review.list_touched():
            self._mark_what_is_missing(message, ready)
        self._tell_basis(message, scope)

    def _tell_basis(self, message: str, scope: Scope) -> None:
        """Keep what the reply rests on, and say so below it where documents or the web were used, or only the model.

        The embedded analyst says it itself. Small talk rests on the model, and needs no remark.
        """
        from ia.agent.turns import basis

        assert self.loop is not None
        found = basis.find_basis(scope, self.loop.reply)
        if scope.actor == RULES and found.levels == [basis.MODEL]:
            found = found._replace(levels=[])
        if not self.router.private:
            basis.record_citations(scope, self.loop.reply)
        self.turn.basis, self.turn.sources = found.levels, found.sources
        review = self.loop.review
        alone = found.levels == [basis.MODEL] and review is not None and bool(review.list_touched())
        told = {basis.KNOWLEDGE, basis.RESEARCH} & set(found.levels)
        if scope.actor == RULES or not (told or alone or scope.sources):
            return
        lang = language(message, config.locale_lang())
        undated = translate(UNDATED, lang)
        lines = [
            f"[{each['citation']}] {each['title']}, {str(each['published'] or '')[:10] or undated}, {each['url']}"
            for each in found.sources
        ]
        if scope.sources and not found.sources:
            lines.append(f"[{translate(UNCITED, lang)}]")
        words = [translate(each.template, lang).format_map(each.params) for each in found.describe()]
        rests = Message("Rests on: {levels}", levels="; ".join(words))
        lines.append(f"[{translate(rests.template, lang).format_map(rests.params)}]")
        for at, line in enumerate(lines):
            self.loop.write_remark(f"{'' if at else chr(10)}{line}")

    def _mark_what_is_missing(self, message: str, ready: Prepared) -> None:
        """Say below the reply what the procedure of a skill still lacks, and which figures no tool has told."""
        from ia.agent.turns.figure_review import MOST_TOLD, find_unsupported_figures

        assert self.loop is not None
        assert self.loop.review is not None
        marks = self.loop.review.list_marks()
        given = [ready.context.system, *(text for _, text in ready.context.build_messages()), *self.loop.results]
        if figures := find_unsupported_figures(self.loop.reply, given):
            told = Message("not from a tool: {figures}", figures=", ".join(figures[:MOST_TOLD]))
            marks.append((told, {"figures": figures[:MOST_TOLD]}))
        lang = language(message, config.locale_lang())
        for at, (said, data) in enumerate(marks):
            self.loop.write_remark(f"{'' if at else chr(10)}[{translate(said.template, lang).format_map(said.params)}]")
            self.turn.marks.append(data)

    def _mark_wrong_citations(self, message: str, scope: Scope) -> None:
        """Say below the reply which quotes and figures do not stand in the passages that it cites."""
        from ia.agent.turns.citations import check_citations, find_unsourced

        assert self.loop is not None
        lang = language(message, config.locale_lang())
        wrong = check_citations(self.loop.reply, scope.passages, message)
        if scope.sources:
            wrong += find_unsourced(self.loop.reply, scope.passages, [message, *self.loop.own_results])
        for at, each in enumerate(wrong):
            said = translate(each.template, lang).format_map(each.params)
            self.loop.write_remark(f"{'' if at else chr(10)}[{said}]")

    def _record_question(self, message: str, data: tuple[Data, ...], scope: Scope, event: str) -> None:
        """Keep the question at once: whatever happens next, it was asked. Of an event only the answer may matter."""
        sessions.add_message(
            self.ws,
            self.turn.session,
            "user",
            format_stored_question(message, data, event or QUERY),
            turn=self.turn.id,
            importance=0 if event else sessions.importance_of(message),
            origins=tuple(scope.origins),
        )
        audit.record(
            self.ws.db,
            "turn.begin",
            self.turn.id,
            "user",
            session=self.turn.session,
            model=self.turn.model,
            message=event or (PRIVATE if self.router.private else message[:200]),
            **({"skill": scope.skill} if scope.skill else {}),
            **({"untrusted": list(scope.origins)} if scope.origins else {}),
        )

    def _record_answer(self, scope: Scope, failure: str, seconds: float) -> None:
        turn = self.turn
        if self.loop is not None:
            turn.reply, turn.cut, turn.understood = self.loop.reply, self.loop.cut, self.loop.understood
            turn.offers = self.loop.offers
        turn.usage = self.meter.total_usage()
        why = CUT.get(turn.cut, "")
        remark = failure or why
        kept = turn.reply if not remark else f"{turn.reply.rstrip()}\n\n[{remark}]".strip()
        sessions.add_message(
            self.ws,
            turn.session,
            "assistant",
            kept,
            turn=turn.id,
            importance=sessions.importance_of(turn.reply),
            origins=tuple(scope.origins),
        )
        audit.record(
            self.ws.db,
            "turn.end",
            turn.id,
            "user",
            session=turn.session,
            model=turn.model,
            tools=len(turn.calls),
            artifacts=turn.artifacts,
            pending=turn.pending,
            ms=round(seconds * 1000),
            usage=turn.usage,
            **({"failure": failure} if failure else {}),
            **({"cut": turn.cut} if turn.cut else {}),
        )
        if why and not failure:
            self.notify(Message(why))
        if not failure and self.meter.unpriced and self.meter.is_new():
            from ia.organs.spending import UNPRICED_TOKENS

            self.notify(
                Message(
                    "{model} has no price, so money caps do not count it, and one command may use {tokens} tokens; "
                    "set prices.{model}.input and .output, or turn.max_tokens",
                    model=turn.model,
                    tokens=int(config.get_setting("turn.max_tokens") or UNPRICED_TOKENS),
                )
            )
