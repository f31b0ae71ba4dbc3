"""The embedded analyst as a language model: `ia-offline`. It goes through the same loop and router as any other.

It keeps nothing between two calls. Its work is a generator that depends on the question and on what tools returned, so
each call takes it up again from the messages: it is begun anew and handed the results that are there already.
"""

import json
from collections.abc import Iterator
from typing import Any

import llm

from ia.agent.analyst.ask import request
from ia.agent.analyst.desk import DeskCall, DeskResult, Failure, ToolDesk, parse_result
from ia.agent.analyst.jobs import plan
from ia.agent.analyst.say.reply import by_rules
from ia.kernel import clock, config
from ia.kernel.jsontypes import Json


class Analyst(llm.Model):
    """A rule-based analyst behind the interface of a language model. It needs no key, no network and no other model."""

    model_id = "ia-offline"
    can_stream = True
    supports_tools = True
    supports_schema = True

    def execute(
        self, prompt: llm.Prompt, stream: bool, response: llm.Response, conversation: Any = None
    ) -> Iterator[str]:
        """Yield the answer line by line, or add the calls that the work needs next."""
        desk, history = _taken_up(prompt)
        step = _replay_work(desk, history)
        spent = 0
        if isinstance(step, list):
            for at, call in enumerate(step, 1):
                name, args = desk.fit_arguments(call)
                spent += _tokens(json.dumps(args, ensure_ascii=False)) + 8
                response.add_tool_call(
                    llm.ToolCall(name=name, arguments=args, tool_call_id=f"c{len(history) + 1}-{at}")
                )
        else:
            response.left_out = desk.left_out  # type: ignore[attr-defined]
            response.understood = step.understood  # type: ignore[attr-defined]
            for chunk in _chunks(step, prompt, desk):
                spent += _tokens(chunk)
                yield chunk
        response.set_usage(input=sum(_tokens(text) for text in _texts(prompt)), output=spent)


def _taken_up(prompt: llm.Prompt) -> tuple[ToolDesk, list[list[DeskResult]]]:
    """Return the desk of the newest question, and the results of each round of calls since."""
    asked, system = "", prompt.system or ""
    before: list[str] = []
    rounds: list[list[DeskResult]] = []
    last = ""
    for message in prompt.messages:
        text = "".join(getattr(part, "text", "") or "" for part in message.parts if type(part).__name__ == "TextPart")
        if message.role == "user":
            if asked:
                before.append(asked)
            asked, rounds = text, []
        elif message.role == "system" and not prompt.system:
            system = text
        elif message.role == "tool":
            results = [parse_result(str(part.output)) for part in message.parts if hasattr(part, "output")]
            rounds[-1:] = [rounds[-1] + results] if last == "tool" else [*rounds[-1:], results]
        last = message.role
    told = request.parse_request(asked, system, before, clock.now(), config.locale_lang())
    offered = {
        tool.name: getattr(tool, "input_schema", None) or {} for tool in prompt.tools if getattr(tool, "name", None)
    }
    return ToolDesk(told, offered), rounds


def _replay_work(desk: ToolDesk, rounds: list[list[DeskResult]]) -> list[DeskCall] | plan.Reply:
    """Return the calls that the work needs next, or its reply."""
    work = plan.work(desk)
    try:
        calls = next(work)
        for results in rounds:
            calls = work.send(_match_results(results, len(calls)))
    except StopIteration as done:
        reply: plan.Reply = done.value
        return reply
    return calls


def _match_results(results: list[DeskResult], count: int) -> list[DeskResult]:
    """Return as many results as there were calls: whatever is lacking did not work."""
    return [*results, *[DeskResult(None, Failure("no result came back"))] * count][:count]


def _chunks(reply: plan.Reply, prompt: llm.Prompt, desk: ToolDesk) -> Iterator[str]:
    """Yield the reply a line at a time, or as the JSON object that was asked for."""
    if prompt.schema or desk.request.wants_json:
        yield json.dumps(_object(reply, prompt.schema, desk), ensure_ascii=False)
        return
    for line in reply.lines:
        yield line + "\n"


def _object(reply: plan.Reply, schema: Any, desk: ToolDesk) -> Json:
    """Return the reply as an object: points, evidence and artifacts, or by another schema its texts and lists."""
    told: Json = {
        "points": [*reply.points, by_rules(desk.speak)], "evidence": list(reply.evidence), "artifacts": desk.written,
    }  # fmt: skip
    wanted = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(wanted, dict) or "points" in wanted:
        return told
    kinds = {"string": "\n".join(reply.lines).strip(), "array": told["points"]}
    return {name: kinds[kind["type"]] for name, kind in wanted.items() if kind.get("type") in kinds}


def _texts(prompt: llm.Prompt) -> Iterator[str]:
    for message in prompt.messages:
        for part in message.parts:
            yield str(getattr(part, "text", None) or getattr(part, "output", None) or "")


def _tokens(text: str) -> int:
    """Return an estimate: a token for four Latin letters or one and a half Chinese characters."""
    wide = sum(char > "\u2e7f" for char in text)
    return (len(text) - wide) // 4 + wide * 2 // 3 + 1 if text else 0
