"""The one router: every call of a tool goes through here, whoever makes it.

In this order: is there such a tool, may this scope call it, do the arguments fit, is it too often, has the skill's
procedure reached the tool's phase, then the call itself
under its time limit and with another try for what may pass, and an event in the audit trail for each, also for those
that were turned away.
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ia.agent.tools import gate, gated_writes, phases, schema
from ia.agent.tools.private_answers import find_private_answer
from ia.agent.tools.registry import CONFIRM, READ, Tool
from ia.agent.tools.sanitizer import FIELDS, sanitize_names, strip_cells
from ia.agent.tools.scope import Scope, ToolCall
from ia.agent.tools.time_limit import limit_time
from ia.domain.instruments.symbols import SymbolList, resolve_security
from ia.kernel import audit, faults, proposals, untrusted
from ia.kernel.errors import (
    BadData,
    ConfigError,
    IaError,
    InternalError,
    Message,
    NoAnswer,
    NotFound,
    Refused,
    TimedOut,
    TryLater,
    UsageError,
)
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.wiring.indexing import notice_changes

MAX_RESULT = 16_000
"""Characters of a result that a model gets to see."""
MAX_FOR_RULES = 1_000_000
"""Characters of a result that the embedded analyst is given: it is a program, and sums up all rows."""
MAX_OWN, MAX_OTHERS, MAX_TAINTED = 600, 60, 12
"""Calls of one tool in a minute: of ia's own, of a provider's, and of that once text from outside was read."""
TRIES = 3
PRIVATE = "…"
"""What the audit trail has in place of what is private."""
_FIELDS = ("path", "beside", "candidates", "quoted", "missing", "form")
"""Fields of a failure that a caller can go on with; the others only complete its sentence."""


class ToolOutcome(NamedTuple):
    """What a call gave: a value that JSON can hold, or the failure."""

    tool: str
    value: Any
    failure: IaError | None
    ms: int

    @property
    def ok(self) -> bool:
        """Whether it worked."""
        return self.failure is None

    def format_text(self, lang: str = "en", most: int = MAX_RESULT) -> str:
        """Return what a model is told: the value, or as JSON what was wrong and what would be right, in a language.

        most  characters; the rest is cut off
        """
        if self.failure is not None:
            return _format_json(_failure_fields(self.failure, Voice(lang)))
        told = self.value if isinstance(self.value, str) else _format_json(self.value)
        return told if len(told) <= most else told[:most] + f"\n… ({len(told) - most} more characters)"


def _format_json(value: object) -> str:
    """Return a value as JSON; NaN and infinities, which JSON does not know, as null."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_replace_non_finite(value), ensure_ascii=False, default=str)


def _replace_non_finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _replace_non_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_non_finite(item) for item in value]
    return None if isinstance(value, float) and value - value != 0 else value


class Router:
    """The tools of a workspace, and the way to call them.

    private   a skill has private tools: the audit trail keeps neither what the user writes nor what a model passes on
    """

    def __init__(
        self, tools: list[Tool], broken: dict[str, IaError] | None = None, problems: Sequence[IaError] = ()
    ) -> None:
        """Take the tools, and the providers and tools that cannot be used, each with its reason.

        problems  files of skills that cannot be used
        """
        self._broken = broken or {}
        self.problems = tuple(problems)
        self.private = any(tool.private and tool.skill for tool in tools)
        self.tools = {tool.name: tool for tool in tools}
        self._wire = {tool.wire_name: tool for tool in tools}
        self._bare: dict[str, list[Tool]] = {}
        for tool in tools:
            if tool.bare:
                self._bare.setdefault(tool.bare, []).append(tool)
        self._made: dict[str, list[float]] = {}

    def find_tool(self, name: str, active: Sequence[str] = ()) -> Tool:
        """Return a tool by its name, as ia or as a model writes it.

        active  the skills that are active: of two that have a tool of this name, the active one's is meant.
        raises  NotFound with the closest names; Refused where several skills have the tool.
        """
        if name in self._bare and name not in self.tools and name not in self._wire:
            return self._choose_tool(name, active)
        tool = self.tools.get(name) or self._wire.get(name) or self._wire.get(name.replace(".", "_"))
        if tool is None and isinstance(self._broken.get(name), BadData):
            raise self._broken[name]
        if tool is None and (reason := self._broken.get(name.split(".")[0])) is not None:
            if isinstance(reason, ConfigError):
                raise reason
            about = {**reason.params, "tool": name[:80], "reason": reason}
            raise NotFound("{tool}: no such tool: {reason}", hint=reason.hint, **about)
        if tool is None:
            from difflib import get_close_matches

            close = ", ".join(get_close_matches(name.replace("_", "."), self.tools, 3, 0.5))
            raise NotFound(
                "{tool}: no such tool",
                code="no-such-tool",
                tool=name[:80],
                close=close,
                hint="did you mean {close}?" if close else "`ia tool list` lists all tools",
            )
        return tool

    def _choose_tool(self, name: str, active: Sequence[str]) -> Tool:
        """Return the tool that a name stands for which several skills have."""
        every = self._bare[name]
        meant = [tool for tool in every if tool.skill in active] or every
        if len(meant) > 1:
            raise Refused(
                "{tool} is a tool of several skills: {skills}",
                code="several-tools",
                tool=name,
                skills=", ".join(tool.skill for tool in meant),
                names=", ".join(tool.name for tool in meant),
                hint="call one of {names}",
            )
        return meant[0]

    def offered_tools(self, scope: Scope) -> list[Tool]:
        """Return the tools that a scope may call."""
        return [tool for tool in self.tools.values() if _may_call(scope, tool)]

    def call_tool(self, scope: Scope, name: str, arguments: Any) -> ToolOutcome:
        """Call a tool and return what came of it; a failure is part of the outcome, and a bug costs this call alone."""
        started = time.monotonic()
        name = _replace_surrogates(name)
        value, failure, known, private = None, None, name[:80], False
        try:
            tool = self.find_tool(name, scope.active)
            known, private = tool.name, tool.private
            gate.require_allowed_tool(scope, tool)
            arguments = _parse_arguments(tool, arguments)
            if not _is_storable(arguments):
                arguments = {}
                raise BadData("{tool}: the arguments are not valid UTF-8, or nested too deeply", tool=known)
            schema.validate_arguments(tool.name, tool.schema, arguments)
            arguments = schema.convert_whole_numbers(tool.schema, arguments)
            self._enforce_rate_limit(scope, tool)
            phases.require_phase(scope, tool, arguments)
            if tool.organ in ("memory", "notebook"):
                notice_changes(scope.ws)
                if scope.actor != "user":  # what a model writes must not steer the terminal that shows it
                    arguments = _strip_controls(arguments)
            value = _run_tool(scope, tool, arguments)
            phases.record_output(scope, tool, arguments, value)
        except IaError as exc:
            failure = exc
        except RecursionError:
            failure, arguments = BadData("{tool}: the arguments are nested too deeply", tool=known), {}
        except Exception as exc:
            failure = _explain_failure(scope, known, _hide_message(exc) if private else exc)
            arguments = arguments if isinstance(arguments, dict) else {}
        outcome = ToolOutcome(known, value, failure, round((time.monotonic() - started) * 1000))
        private = (
            private or (self.private and scope.actor != "user") or find_private_answer(scope, arguments) is not None
        )
        _record_call(scope, outcome, arguments, private=private)
        return outcome

    def _enforce_rate_limit(self, scope: Scope, tool: Tool) -> None:
        now = time.monotonic()
        recent = [moment for moment in self._made.get(tool.name, []) if now - moment < 60]
        others = MAX_TAINTED if scope.tainted and scope.actor != "user" else MAX_OTHERS
        most = others if tool.outside else MAX_OWN
        if len(recent) >= most:
            raise TryLater("{tool}: reached the limit of {count} calls per minute", tool=tool.name, count=most)
        self._made[tool.name] = [*recent, now]


def _may_call(scope: Scope, tool: Tool) -> bool:
    try:
        gate.require_allowed_tool(scope, tool)
    except Refused:
        return False
    return not (scope.depth and tool.name == "subagents.run")


def _strip_controls(arguments: object) -> object:
    if isinstance(arguments, dict):
        return {name: _strip_controls(value) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [_strip_controls(value) for value in arguments]
    return untrusted.strip_controls(arguments) if isinstance(arguments, str) else arguments


def _parse_arguments(tool: Tool, arguments: object) -> Json:
    if isinstance(arguments, str):  # some models send the object as text
        with contextlib.suppress(ValueError):
            arguments = json.loads(arguments or "{}")
    if not isinstance(arguments, dict):
        raise BadData(
            "{tool}: the arguments are not a JSON object",
            tool=tool.name,
            usage=schema.format_usage(tool.schema),
            hint="arguments of {tool}: {usage}",
        )
    return arguments


def _replace_surrogates(text: str) -> str:
    """Return a text that can be stored and sent: JSON may hold halves of characters."""
    return text.encode("utf-8", "replace").decode()


def _is_storable(arguments: object) -> bool:
    """Whether arguments can be stored and shown: with no halves of characters in them, and no nest without end."""
    try:
        json.dumps(arguments, ensure_ascii=False, default=str).encode()
    except (UnicodeEncodeError, RecursionError, ValueError):
        return False
    return True


def _run_tool(scope: Scope, tool: Tool, arguments: Mapping[str, object]) -> object:
    """Run a tool under its time limit; a passing failure of one that only looks is tried again."""
    if tool.outside:
        if tool.private:
            raise Refused(
                "{tool} takes private data, and a provider runs it: ia sends them to no provider",
                code="private-outside",
                tool=tool.name,
            )
        if scope.actor != "user" and (slot := find_private_answer(scope, arguments)) is not None:
            raise Refused(
                "{tool}: the arguments repeat the answer {slot}, which goes to no provider",
                code="private-outside",
                tool=tool.name,
                slot=slot,
            )
        gate.check_outgoing_arguments(scope, tool, arguments)
        if tool.risk == CONFIRM and scope.actor != "user":  # it is called when a person approves
            words = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
            return gated_writes.propose_content(scope, proposals.CALL, tool.name, words)

    def timeout_error() -> TimedOut:
        return TimedOut("{tool}: timed out after {seconds:g} s", tool=tool.name, seconds=tool.seconds)

    for attempt in range(1, TRIES + 1):
        try:
            with limit_time(tool.seconds, timeout_error):
                value = _run_once(scope, tool, arguments)
            break
        except NoAnswer:  # who took all of the time once would take it again
            raise
        except TryLater:
            if tool.risk != READ or attempt == TRIES:
                raise
            time.sleep(0.2 * attempt)
        except (UsageError, BadData, NotFound):
            raise
    if tool.outside and scope.actor != "user" and not _is_figures_only(tool, arguments, value):
        scope.taint(tool.origin)
        if scope.actor == gate.RULES:  # it works by rules: what it reads tells it nothing to do
            return value
        told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        return untrusted.fence_text(told, tool.origin, MAX_RESULT - 500)  # the end of the fence must be seen
    fields = FIELDS.get(tool.organ) if tool.origin == "ia" and scope.actor != "user" else None
    return sanitize_names(value, fields) if fields else value


def _run_once(scope: Scope, tool: Tool, arguments: Mapping[str, object]) -> Any:
    try:
        return tool.run(scope, **arguments)
    except IaError as exc:
        if tool.organ == "market" and scope.actor != "user":
            raise strip_cells(exc, arguments) from None
        raise


def _is_figures_only(tool: Tool, arguments: Mapping[str, object], value: object) -> bool:
    """Whether an answer of a provider is what its user approved: figures, and words that its arguments may be.

    The security that was asked for may be named: the code of a US one is a word.
    """
    if not tool.figures:
        return False
    kinds = tool.schema.get("properties", {}).values()
    words = [str(choice) for kind in kinds if isinstance(kind, dict) for choice in kind.get("enum", ())]
    with contextlib.suppress(IaError):
        words.append(resolve_security(str(arguments.get("symbol") or ""), traded=True).canonical)
    return untrusted.has_only_figures(value, words)


def _record_call(scope: Scope, outcome: ToolOutcome, arguments: object, *, private: bool) -> None:
    """Keep what was called, with arguments cut short, in the scope and in the audit trail.

    private   of the arguments the trail keeps the names alone, and of a failure its code
    """
    error = str(outcome.failure) if outcome.failure else ""
    args = arguments if isinstance(arguments, dict) else {"": _replace_surrogates(str(arguments)[:200])}
    status = outcome.failure.status if outcome.failure else 0
    scope.calls.append(ToolCall(outcome.tool, args, outcome.ok, outcome.ms, error, status, outcome.failure))
    kept = {str(key)[:40]: PRIVATE if private else _shorten_value(value) for key, value in list(args.items())[:20]}
    if private and outcome.failure:
        error = outcome.failure.code
    about: dict[str, object] = {"args": kept, "ok": outcome.ok, "ms": outcome.ms}
    about |= {"error": error[:300]} if error else {}
    about |= {"turn": scope.turn} if scope.turn else {}
    about |= {"session": scope.session} if scope.session else {}
    about |= {"untrusted": list(scope.origins)} if scope.origins else {}
    from ia.kernel import store

    if store.is_writable(scope.ws.db):
        audit.record(scope.ws.db, "tool.call", outcome.tool, scope.actor, **about)


def _explain_failure(scope: Scope, tool: str, exc: Exception) -> IaError:
    """Return the failure that a tool's exception stands for; a bug is kept in the audit trail and told of."""
    failure = faults.explain_exception(exc, tool)
    if not isinstance(failure, InternalError):
        return failure
    about = {"turn": scope.turn} if scope.turn else {}
    kept = faults.record(scope.ws.db, "tool", tool, exc, **about)
    if kept:
        scope.notify(Message("internal error in {what}; `ia log --kind fault` has the details", what=tool))
    return InternalError(tool, kept=kept)


def _hide_message(exc: Exception) -> Exception:
    """Return an error that has the class and the place of a bug, and not its text, which could repeat arguments."""
    if isinstance(exc, OSError | sqlite3.Error):
        return exc
    return RuntimeError(type(exc).__name__).with_traceback(exc.__traceback__)


def _shorten_value(value: object) -> object:
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(told) <= 200 and not isinstance(value, str) else told[:200]


def _failure_fields(failure: IaError, voice: Voice) -> Json:
    """Return a failure as a model is told of it: `error`, `code`, `hint`, and the fields that a caller can use.

    What a program from outside said is no part of ia's sentence, but a field of its own: `quoted`.
    """
    quoted = failure.params.get("quoted")
    said = voice.fill_template(failure.template, {**failure.params, "quoted": "…"}) if quoted else voice.say(failure)
    told: Json = {"error": said, "code": failure.code}
    if failure.hint:
        told["hint"] = voice.say_hint(failure)
    fields = {name: failure.params[name] for name in _FIELDS if failure.params.get(name)}
    names = {name: str(value) for name, value in fields.items() if isinstance(value, SymbolList)}
    return told | fields | names
