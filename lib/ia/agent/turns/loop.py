"""The loop: ask the model, run the tools it calls, hand it the results, until it answers.

It knows the model only as `llm` does, and the tools only through the router. What the model streams goes out at once.
"""

import gc
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ia.agent.analyst.parts import LeftOut
from ia.agent.tools import schema
from ia.agent.tools.gate import RULES
from ia.agent.tools.registry import Tool
from ia.agent.tools.router import MAX_FOR_RULES, MAX_RESULT, Router, ToolOutcome
from ia.agent.tools.scope import Scope
from ia.agent.tools.time_limit import LONGEST, limit_time
from ia.agent.turns import models
from ia.agent.turns.context import Context
from ia.faculties import web_sources
from ia.kernel import config, faults, untrusted
from ia.kernel.errors import Message, Refused, TryLater, Unavailable
from ia.kernel.i18n import translate
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.organs.spending import Meter

if TYPE_CHECKING:
    from ia.agent.turns.phase_review import ReplyReview

RETRIES = 2
LONG = 20.0
"""Seconds of waiting that a server may ask for; who has to wait longer is better told at once."""
AT_ONCE = 4
MAX_CALLS = 512
"""Calls of one reply that are carried out; nobody needs more, and each is a line of the audit trail."""
MAX_REPLY = 2_000_000
"""Bytes of the text of one turn; what a model says beyond that, nobody reads."""
MAX_TOLD = 10**9
"""Tokens of one call beyond which a server's count is no count."""
LAST = "\n(This was the last step: no tool can be called any more. Answer now with what you have.)"


class Loop:
    """One conversation with a model. `reply` is what it said so far, also after a failure.

    cut         why the last answer is not whole: one of models.LENGTH and models.FILTER, "" for a whole one
    understood  False where the embedded analyst says that it made nothing of the question; offers: those it offers
    review      judges a reply before it goes out; None: every reply goes out as it comes
    results     what the tools returned, as the model got it; own_results: without what came from the web
    """

    review: "ReplyReview | None" = None
    _held: str | None = None

    def __init__(self, name: str, router: Router, scope: Scope, meter: Meter, write: Callable[[str], object]) -> None:
        self.name = name
        self.router, self.scope, self.meter, self.write = router, scope, meter, write
        self.model = models.load_model(name)
        self.types = models.message_types(name)
        meter.adopt_price(str(getattr(self.model, "model_id", name)))
        self.reply = ""
        self.results: list[str] = []
        self.own_results: list[str] = []
        self.cut = ""
        self.understood = True
        self.offers: list[str] = []
        self._bytes = 0
        self._unwritable: OSError | None = None
        self._heard = False
        self.patience = min(float(config.get_setting("turn.timeout")), LONGEST)
        self.steps = int(getattr(self.model, "rounds", 0) or config.get_setting("turn.max_steps"))
        self.ends = time.monotonic() + min(float(config.get_setting("turn.deadline")), LONGEST)

    def answer_context(self, context: Context) -> str:
        """Return the model's answer to a context's question. Further questions go to `ask`.

        raises  Unavailable, TryLater (the model), Refused (a cap), TimedOut (the deadline).
        """
        tools = [self._describe_tool(tool) for tool in context.tools]
        self._conversation = self.model.conversation(tools=tools or None)
        self._active = self.scope.active
        spoken = [("system", context.system), *context.build_messages()[:-1]]
        self._conversation.loaded_messages = [
            self.types.message(role=role, parts=[self.types.text_part(text=text)]) for role, text in spoken
        ]
        self._size = context.tokens
        return self.ask_question(context.prompt, system=context.system)

    def _describe_tool(self, tool: Tool) -> Any:
        return self.types.tool(
            name=tool.wire_name, description=tool.description, input_schema=schema.shorten_schema(tool.schema)
        )

    def _offer_new_tools(self) -> None:
        """Offer the tools of a skill that has become active since the last reply."""
        if self.scope.active == self._active:
            return
        self._active = self.scope.active
        offered = list(self._conversation.tools or [])
        known = {tool.name for tool in offered}
        new = [tool for tool in self.router.offered_tools(self.scope) if tool.skill and tool.wire_name not in known]
        self._conversation.tools = [*offered, *map(self._describe_tool, new)] or None

    def ask_question(self, question: str, system: str | None = None) -> str:
        """Return the answer to one more question of the same conversation."""
        said: Json = {"prompt": question, "system": system}
        for step in range(1, self.steps + 1):
            self._begin_new_paragraph()
            self._hold_text()
            calls = self._ask_model(said)
            if not calls and step < self.steps and (repair := self._find_repair()):
                said = {"prompt": repair}
                self._size += sessions.estimate_tokens(repair)
                continue
            self._release_text()
            if not calls:
                return self.reply
            results = self._run_calls(calls, last=step == self.steps - 1)
            self.results += [result.output for result in results]
            self.own_results += [
                result.output for result in results if result.name.replace("_", ".", 1) not in web_sources.CONTRACT
            ]
            self._offer_new_tools()
            said = {"tool_results": results}
            self._size += sum(sessions.estimate_tokens(result.output) + 20 for result in results)
        raise Unavailable(
            "{model} gave no answer within {steps} steps",
            model=self.name,
            steps=self.steps,
            hint="`ia config set turn.max_steps` changes the limit",
        )

    def _hold_text(self) -> None:
        """Keep what is said from here on back, where it would not go out as it is."""
        self._held = "" if self.review is not None and self.review.holds() else None

    def _find_repair(self) -> str:
        """Return what the model is asked to make up for, and drop what it said instead; "" where that goes out."""
        repair = self.review.find_repair() if self.review is not None and self._held is not None else ""
        if repair:
            self._held = None
        return repair

    def _release_text(self) -> None:
        """Let out what was kept back."""
        text, self._held = self._held, None
        if text:
            self._show_text(text)

    def keep_held(self) -> None:
        """Add what was kept back to the reply, where the turn ends before it is judged."""
        self.reply += self._held or ""
        self._held = None

    def _begin_new_paragraph(self) -> None:
        """Begin what is said after a call of tools on a line of its own."""
        if self.reply and not self.reply.endswith("\n"):
            self._write_text("\n")
        if self.reply and not self.reply.endswith("\n\n"):
            self._write_text("\n")

    def write_remark(self, line: str) -> None:
        """Add a line of the program's own to the reply."""
        self._write_text(("" if self.reply.endswith("\n") else "\n") + line + "\n")

    def _write_text(self, text: str) -> None:
        text = untrusted.strip_controls(text.encode("utf-8", "replace").decode())  # JSON may hold halves of characters
        self._bytes += len(text.encode())
        if self._bytes > MAX_REPLY:
            raise Unavailable(
                "{model}: the answer exceeded {limit} bytes and was stopped", model=self.name, limit=MAX_REPLY
            )
        if self._held is not None:
            self._held += text
        else:
            self._show_text(text)

    def _show_text(self, text: str) -> None:
        self.reply += text
        try:
            self.write(text)
        except OSError as exc:
            self._unwritable = exc
            raise

    def _ask_model(self, said: Mapping[str, object]) -> list[Any]:
        """Return what the model calls in its reply to a question or to results; its text went out as it came.

        A passing failure is tried again as long as nothing of the reply has been shown.
        """
        for attempt in range(RETRIES + 1):
            self.meter.reserve_call(self._size)
            self._heard = False
            shown = len(self.reply)
            self._held = None if self._held is None else ""
            try:
                usage, calls = self._stream_reply(said)
            except Exception as exc:
                if exc is self._unwritable:  # nobody reads the answer: that is not the model's fault
                    self._settle_usage(None, self._said_since(shown))
                    raise
                failure = models.explain_failure(exc, self.name)
                if self._heard:
                    self._settle_usage(None, self._said_since(shown))
                else:  # nobody charges for an error
                    self.meter.release_call()
                if not isinstance(failure, TryLater) or attempt == RETRIES or len(self.reply) > shown:
                    raise failure from exc
                pause = models.wait_before_retry(exc, attempt)
                if pause > LONG or time.monotonic() + pause >= self.ends:
                    raise failure from exc
                self.scope.notify(Message("{reason}; retrying", reason=failure))
                time.sleep(pause)
            except BaseException:  # Ctrl-C
                self._settle_usage(None, self._said_since(shown))
                raise
            else:
                self._settle_usage(usage, self._said_since(shown))
                return calls
        raise AssertionError("unreachable")

    def _said_since(self, shown: int) -> str:
        """Return what the model said since so many characters were shown."""
        return self.reply[shown:] + (self._held or "")

    def _stream_reply(self, said: Mapping[str, object]) -> tuple[Any, list[Any]]:
        """Return the usage and the calls of a reply, after its text has gone out."""
        response = self._conversation.prompt(
            said.get("prompt"),
            system=said.get("system"),
            tool_results=said.get("tool_results"),
            stream=bool(self.model.can_stream),
        )
        events = response.stream_events()
        try:
            return self._read_stream(response, events)
        except BaseException:
            # The connection hangs in a cycle; closed when the interpreter is half gone it crashes Python 3.13.0.
            events.close()
            gc.collect()
            raise

    def _read_stream(self, response: Any, events: Iterator[Any]) -> tuple[Any, list[Any]]:
        began: dict[str, list[str]] = {}
        out = 0
        while True:
            room = self.ends - time.monotonic()
            if room <= 0:
                raise models.turn_timeout_error(float(config.get_setting("turn.deadline")))
            try:
                with limit_time(min(self.patience, room), self._timeout_error):
                    event = next(events, None)
            except ValueError:
                if not began:
                    raise
                if models.detect_ending(response, self.model) == models.BROKEN:
                    raise models.broken_stream_error(self.name) from None
                return None, self._recover_malformed_calls(response, began)
            if event is None:
                self.cut = models.detect_ending(response, self.model) if self._heard else ""
                if self.cut == models.BROKEN:
                    self.cut = ""
                    raise models.broken_stream_error(self.name)
                self._tell_missing(getattr(response, "left_out", []))
                self.understood = bool(getattr(response, "understood", True))
                self.offers = list(getattr(response, "offers", ()))
                return response.usage(), response.tool_calls()
            self._heard = True
            out += sessions.estimate_tokens(event.chunk or "")
            if event.type == "text" and event.chunk:
                self._write_text(event.chunk)
            elif event.type in ("tool_call_name", "tool_call_args") and event.tool_call_id:
                call = began.setdefault(event.tool_call_id, ["", ""])
                call[event.type == "tool_call_args"] += event.chunk or ""
            if self.meter.exceeds_cap(out):
                raise Refused(
                    "ia stopped the answer before it exceeded a cap", hint="`ia usage` shows what is spent of each cap"
                )

    def _tell_missing(self, parts: list[LeftOut]) -> None:
        """Keep and tell which parts of the embedded analyst's answer a bug has cost."""
        for part in parts:
            faults.record(
                self.scope.ws.db, "part", part.name, part.error, session=self.scope.session, turn=self.scope.turn
            )
            name = translate(part.name, config.locale_lang())
            self.scope.notify(Message("internal error: {part} is missing from the answer", part=name))

    def _recover_malformed_calls(self, response: Any, began: dict[str, list[str]]) -> list[object]:
        """Go on after calls whose arguments are no JSON: llm gives up there, but the model can be told and mend them.

        The conversation is begun anew with the same messages and the calls as they came.
        """
        llm = models.import_llm()
        from llm.parts import Message as Said
        from llm.parts import Part, ToolCallPart

        calls = [
            llm.ToolCall(name=name, arguments=_parse_arguments(arguments), tool_call_id=number)
            for number, (name, arguments) in began.items()
        ]
        parts: list[Part] = [
            ToolCallPart(
                name=call.name,
                tool_call_id=call.tool_call_id,
                arguments=call.arguments if isinstance(call.arguments, dict) else {},
            )
            for call in calls
        ]
        tools = self._conversation.tools
        self._conversation = self.model.conversation(tools=tools)
        self._conversation.loaded_messages = [*response.prompt.messages, Said(role="assistant", parts=parts)]
        return calls

    def _timeout_error(self) -> BaseException:
        if time.monotonic() >= self.ends:
            return models.turn_timeout_error(float(config.get_setting("turn.deadline")))
        return models.silence_error(self.name, self.patience)

    def _settle_usage(self, usage: object, text: str) -> None:
        spent_in, spent_out = (_parse_token_count(getattr(usage, side, None)) for side in ("input", "output"))
        self.meter.settle_call(
            spent_in,
            spent_out if spent_out is not None else sessions.estimate_tokens(text) if usage is not None else None,
        )
        self._size += spent_out if spent_out is not None else sessions.estimate_tokens(text)

    def _run_calls(self, calls: list[Any], *, last: bool) -> list[Any]:
        """Run the calls of one reply and return their results in order; neighbors that may run together do."""
        outcomes: list[ToolOutcome] = []
        at, most = 0, min(len(calls), MAX_CALLS)
        while at < most:
            group = [calls[at]]
            while (
                self._may_run_together(group[-1])
                and at + len(group) < most
                and self._may_run_together(calls[at + len(group)])
            ):
                group.append(calls[at + len(group)])
            outcomes += self._run_calls_together(group) if len(group) > 1 else [self._run_call(self.scope, calls[at])]
            at += len(group)
        too_many = Refused("reached the limit of {count} calls per reply", count=MAX_CALLS)
        outcomes += [ToolOutcome(call.name, None, too_many, 0) for call in calls[most:]]
        room = MAX_FOR_RULES if self.scope.actor == RULES else MAX_RESULT
        results = [
            self.types.tool_result(
                name=call.name,
                output=outcome.format_text(getattr(call, "lang", "en"), room),
                tool_call_id=call.tool_call_id,
            )
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
        if last and results:
            results[-1].output += LAST
        return results

    def _may_run_together(self, call: Any) -> bool:
        tool = self.router.tools.get(call.name) or self.router.tools.get(call.name.replace("_", ".", 1))
        return tool is not None and tool.together

    def _run_call(self, scope: Scope, call: Any) -> ToolOutcome:
        room = self.ends - time.monotonic()
        if room <= 0:
            raise models.turn_timeout_error(float(config.get_setting("turn.deadline")))
        with limit_time(room, self._timeout_error):
            return self.router.call_tool(scope, call.name, call.arguments)

    def _run_calls_together(self, calls: Sequence[object]) -> list[ToolOutcome]:
        """Run calls at the same time, each on a workspace of its own; the scope goes on with the last one's bars."""
        done: list[ToolOutcome | BaseException | None] = [None] * len(calls)
        scopes = [replace(self.scope, ws=Workspace(self.scope.ws.root), calls=[]) for _ in calls]
        turns = threading.Semaphore(AT_ONCE)

        def run_in_thread(at: int) -> None:
            scope = scopes[at]
            try:
                with turns:
                    done[at] = self._run_call(scope, calls[at])
            except BaseException as exc:
                done[at] = exc
            finally:
                scope.ws.close()

        # Daemons: Ctrl-C and the deadline must not wait for a host that does not answer.
        threads = [threading.Thread(target=run_in_thread, args=(at,), daemon=True) for at in range(len(calls))]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join(max(self.ends - time.monotonic(), 0))
        finally:  # the record is in the order of the calls, not in that of their ends
            self.scope.calls += [call for scope in scopes for call in scope.calls]
        outcomes = []
        for result, scope in zip(done, scopes, strict=True):
            if result is None:
                raise models.turn_timeout_error(float(config.get_setting("turn.deadline")))
            if isinstance(result, BaseException):
                raise result
            outcomes.append(result)
            if result.ok and scope.market is not None:
                self.scope.market = scope.market
        return outcomes


def _parse_token_count(told: object) -> int | None:
    """Return a count of tokens as a server told it, None for what is none."""
    return told if type(told) is int and 0 <= told <= MAX_TOLD else None


def _parse_arguments(arguments: str) -> Any:
    """Return arguments as the model meant them; text that is no JSON stays text, which the router turns away."""
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments or "{"
