"""The loop of a turn with a recording before the model: what is recorded is not asked again."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from ia.agent.analyst.offline import AnalystCall
from ia.agent.backtests.recording import Recording
from ia.agent.tools import schema
from ia.agent.tools.registry import Tool
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.agent.tools.time_limit import LONGEST
from ia.agent.turns import embedded, models
from ia.agent.turns.loop import Loop
from ia.kernel import config
from ia.kernel.jsontypes import Json
from ia.organs import sessions
from ia.organs.spending import Meter

RECORDED_TYPES = models.MessageTypes(
    embedded.EmbeddedTool, embedded.EmbeddedResult, embedded.EmbeddedMessage, embedded.TextPart
)
STEPS = "steps"
"""Why a turn of a run ended without an answer: it had no step left."""


class RecordedLoop(Loop):
    """Asks the model what is not recorded. It is loaded when it is first asked, so that a replay needs none."""

    def __init__(self, name: str, recording: Recording, system: str, tools: list[Tool], steps: int) -> None:
        """Take what all turns of a run share."""
        self.name, self.recording, self.system = name, recording, system
        self.types = RECORDED_TYPES
        self.write = lambda _: None
        self.patience = min(float(config.get_setting("turn.timeout")), LONGEST)
        self.steps = steps
        self.model: Any = None
        self.tools = [
            embedded.EmbeddedTool(each.wire_name, each.description, schema.shorten_schema(each.schema))
            for each in tools
        ]
        self._live_types: models.MessageTypes | None = None
        recording.begin(
            {
                "model": name,
                "options": {},
                "system": system,
                "tools": [{"name": t.name, "description": t.description, "schema": t.input_schema} for t in self.tools],
            }
        )

    def take_turn(
        self, prompt: str, day: str, scope: Scope, router: Router, make_meter: Callable[[], Meter]
    ) -> list[Json]:
        """Carry out a turn on a prompt and return the model's answers, call by call.

        make_meter  makes what counts the calls that are not recorded
        """
        self.scope, self.router = scope, router
        self._make_meter, self._metered = make_meter, False
        self.reply, self.cut, self.understood = "", "", True
        self._bytes, self._unwritable, self._heard = 0, None, False
        self.ends = time.monotonic() + min(float(config.get_setting("turn.deadline")), LONGEST)
        self._day = day
        self._messages: list[Json] = []
        self.answers: list[Json] = []
        self._size = sessions.estimate_tokens(self.system) + sessions.estimate_tokens(prompt)
        self.recording.begin_turn()
        said: Json = {"prompt": prompt}
        for step in range(1, self.steps + 1):
            calls = self._ask_model(said)
            if not calls:
                break
            results = self._run_calls(calls, last=step == self.steps - 1)
            said = {"tool_results": results}
            self._size += sum(sessions.estimate_tokens(result.output) + 20 for result in results)
        else:
            self.cut = STEPS
        return self.answers

    def list_calls(self) -> list[tuple[str, object, str]]:
        """Return the calls of the turn as (name, arguments, output), in their order."""
        calls = [call for message in self._messages for call in message.get("calls", [])]
        outputs = [result["output"] for message in self._messages for result in message.get("results", [])]
        return [
            (call["name"], call["arguments"], outputs[at] if at < len(outputs) else "") for at, call in enumerate(calls)
        ]

    def _ask_model(self, said: Mapping[str, object]) -> list[Any]:
        new = _describe_messages(said)
        answer = self.recording.find_answer(new)
        if answer is None:
            answer = self._ask_live(said)
        else:
            self.recording.replayed += 1
            self.reply += answer["text"]
            self.cut = answer.get("cut", "")
        self.recording.keep(self._day, new, answer)
        self._messages += [*new, {"role": "assistant", **answer}]
        self.answers.append(answer)
        return [AnalystCall(each["name"], each["arguments"], each["id"]) for each in answer["calls"]]

    def _ask_live(self, said: Mapping[str, object]) -> Json:
        """Return the model's answer, asked with all that was said in this turn before."""
        if self.model is None:
            self.model = models.load_model(self.name)
            self._live_types = models.message_types(self.name)
        if not self._metered:
            self.meter, self._metered = self._make_meter(), True
        self.meter.adopt_price(str(getattr(self.model, "model_id", self.name)))
        types = self._live_types
        assert types is not None
        self._conversation = self.model.conversation(
            tools=[types.tool(name=t.name, description=t.description, input_schema=t.input_schema) for t in self.tools]
        )
        self._conversation.loaded_messages = [
            types.message(role="system", parts=[types.text_part(text=self.system)]),
            *(self._rebuild(message) for message in self._messages),
        ]
        asked: Json = {"system": self.system if not self._messages else None, "prompt": said.get("prompt")}
        results = said.get("tool_results")
        if isinstance(results, list):
            asked["tool_results"] = [
                types.tool_result(name=r.name, output=r.output, tool_call_id=r.tool_call_id) for r in results
            ]
        shown, spent = len(self.reply), self._spent
        calls = super()._ask_model(asked)
        used = [now - before for now, before in zip(self._spent, spent, strict=True)]
        answer: Json = {
            "text": self.reply[shown:],
            "calls": [
                {"id": call.tool_call_id or f"c{at}", "name": call.name, "arguments": call.arguments}
                for at, call in enumerate(calls, 1)
            ],
            "usage": {"input": used[0], "output": used[1]},
        }
        return {**answer, "cut": self.cut} if self.cut else answer

    def _rebuild(self, message: Json) -> Any:
        """Return a message of this turn as the model's library has it."""
        types = self._live_types
        assert types is not None
        role = message["role"]
        if role == "user":
            return types.message(role="user", parts=[types.text_part(text=message["text"])])
        if self.name == models.OFFLINE:
            if role == "assistant":
                calls = [AnalystCall(c["name"], c["arguments"], c["id"]) for c in message["calls"]]
                return types.message(role=role, parts=[types.text_part(text=message["text"]), *calls])
            results = [embedded.EmbeddedResult(r["name"], r["output"], r["id"]) for r in message["results"]]
            return types.message(role=role, parts=results)
        models.import_llm()
        from llm.parts import ToolCallPart, ToolResultPart

        parts: list[Any]
        if role == "assistant":
            parts = [types.text_part(text=message["text"])] if message["text"] else []
            parts += [
                ToolCallPart(
                    name=c["name"],
                    arguments=c["arguments"] if isinstance(c["arguments"], dict) else {},
                    tool_call_id=c["id"],
                )
                for c in message["calls"]
            ]
        else:
            parts = [
                ToolResultPart(name=r["name"], output=r["output"], tool_call_id=r["id"]) for r in message["results"]
            ]
        return types.message(role=role, parts=parts)

    _spent = (0, 0)
    """Tokens in and out that were settled since the run began."""

    def _settle_usage(self, usage: object, text: str) -> None:
        super()._settle_usage(usage, text)
        told = [getattr(usage, side, None) for side in ("input", "output")]
        estimate = (self._size, sessions.estimate_tokens(text))
        used = [each if type(each) is int and each >= 0 else guess for each, guess in zip(told, estimate, strict=True)]
        self._spent = (self._spent[0] + used[0], self._spent[1] + used[1])


def _describe_messages(said: Mapping[str, object]) -> list[Json]:
    """Return what is new in a question, as it is recorded."""
    results = said.get("tool_results")
    if isinstance(results, list):
        told = [{"id": each.tool_call_id, "name": each.name, "output": each.output} for each in results]
        return [{"role": "tool", "results": told}]
    return [{"role": "user", "text": said["prompt"]}]


class FreeMeter(Meter):
    """Counts nothing: for the embedded analyst, which costs nothing, and for what is recorded."""

    def __init__(self) -> None:
        """Count nothing."""

    def adopt_price(self, model_id: str) -> None:
        """Take no price."""

    def reserve_call(self, input_tokens: int) -> None:
        """Reserve nothing."""

    def exceeds_cap(self, output_tokens: int) -> bool:
        """Exceed no cap."""
        return False

    def settle_call(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Enter nothing."""

    def release_call(self) -> None:
        """Release nothing."""
